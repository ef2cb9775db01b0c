/* Devices of each class, and who holds them. */
#include "explain/free.h"

#include "base/map.h"
#include "cluster/inventory.h"

enum { EVAL_BYTES = 16 << 20 };

/* What the selectors of one class match in slices of equal content. */
typedef struct matched {
    dray_bits devices;
} matched;

typedef struct counting {
    dray_cluster *cluster;
    dray_arena *arena, *scratch;
    const dray_celk8s_program **programs;
    size_t n_programs;
    dray_free_class *class;
    dray_map by_content; /* content id → matched */
} counting;

static bool match_one(counting *c, const dray_slice *slice, size_t i) {
    dray_arena *arena = c->scratch;
    const dray_resource_device *device = &slice->body->spec->devices.v[i];
    DRAY_CLEANUP_ARENA dray_arena *eval = dray_arena_new(EVAL_BYTES);
    dray_celk8s_device *view = dray_celk8s_device_new(arena, slice->body->spec->driver, device);
    for (size_t k = 0; k < c->n_programs; k++) {
        dray_celk8s_result result;
        dray_celk8s_answer answer = dray_celk8s_match(c->programs[k], view, eval, &result);
        if (answer == DRAY_CELK8S_ERROR && c->class->error.p == NULL)
            c->class->error = dray_str_dup(c->arena, result.error);
        if (answer != DRAY_CELK8S_TRUE)
            return false;
    }
    return true;
}

static const matched *match(counting *c, dray_slice *slice) {
    uint64_t id = dray_slice_content(c->cluster, slice)->id;
    dray_str key = dray_strf(c->arena, "%ju", (uintmax_t)id);
    dray_map_entry *entry = dray_map_entry_of(&c->by_content, key);
    if (entry->value != NULL)
        return entry->value;
    matched *m = DRAY_NEW(c->arena, matched);
    m->devices = dray_bits_new(c->arena, slice->n_devices);
    for (size_t i = 0; i < slice->n_devices; i++)
        if (match_one(c, slice, i))
            dray_bits_set(m->devices, i);
    entry->value = m;
    return m;
}

static int64_t newest(const dray_pool *pool) {
    int64_t generation = INT64_MIN;
    for (size_t i = 0; i < pool->n_slices; i++) {
        int64_t g = pool->slices[i]->body->spec->pool->generation;
        generation = g > generation ? g : generation;
    }
    return generation;
}

/* What of a shared device may still be had: its scarcest capacity decides. */
static double part_left(const dray_resource_device *device, const dray_held *held) {
    double least = 1;
    for (size_t i = 0; i < held->n_consumed; i++)
        for (size_t k = 0; k < device->capacity.n; k++) {
            if (!dray_str_eq(device->capacity.k[k], held->consumed[i].name))
                continue;
            double all = (double)dray_amount_of(device->capacity.v[k].value);
            double part = all > 0 ? 1 - (double)held->consumed[i].amount / all : 0;
            least = part < least ? part : least;
        }
    return least > 0 ? least : 0;
}

/* What a pool's counters have left: by set and name, a dray_amount. */
typedef struct counters {
    dray_map left;
    dray_arena *arena;
} counters;

static dray_amount *counter_of(counters *c, dray_str set, dray_str name) {
    dray_arena_mark mark = dray_arena_save(c->arena);
    dray_str key = dray_strf(c->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(set), DRAY_ARG(name));
    dray_amount *found = dray_map_find(&c->left, key);
    if (found != NULL) {
        dray_arena_release(c->arena, mark);
        return found;
    }
    dray_amount *made = DRAY_NEW(c->arena, dray_amount);
    dray_map_put(&c->left, key, made);
    return made;
}

static void draw(counters *c, const dray_resource_device *device) {
    for (size_t i = 0; i < device->consumes_counters.n; i++) {
        const dray_resource_device_counter_consumption *use = &device->consumes_counters.v[i];
        for (size_t k = 0; k < use->counters.n; k++)
            *counter_of(c, use->counter_set, use->counters.k[k]) -=
                dray_amount_of(use->counters.v[k].value);
    }
}

static bool has_enough(counters *c, const dray_resource_device *device) {
    for (size_t i = 0; i < device->consumes_counters.n; i++) {
        const dray_resource_device_counter_consumption *use = &device->consumes_counters.v[i];
        for (size_t k = 0; k < use->counters.n; k++)
            if (*counter_of(c, use->counter_set, use->counters.k[k]) <
                dray_amount_of(use->counters.v[k].value))
                return false;
    }
    return true;
}

static bool bit(const uint64_t *words, size_t i) {
    return words[i / 64] >> (i % 64) & 1;
}

static void sum_counters(dray_cluster *cluster, const dray_pool *pool, int64_t generation,
                         counters *c) {
    for (size_t s = 0; s < pool->n_slices; s++) {
        dray_slice *slice = pool->slices[s];
        const dray_resource_slice_spec *spec = slice->body->spec;
        if (spec->pool->generation != generation)
            continue;
        for (size_t i = 0; i < spec->shared_counters.n; i++) {
            const dray_resource_counter_set *set = &spec->shared_counters.v[i];
            for (size_t k = 0; k < set->counters.n; k++)
                *counter_of(c, set->name, set->counters.k[k]) +=
                    dray_amount_of(set->counters.v[k].value);
        }
        dray_cluster_refresh(cluster, slice);
        for (size_t i = 0; i < slice->n_devices; i++)
            if (bit(slice->in_use, i) || bit(slice->shared, i))
                draw(c, &spec->devices.v[i]);
    }
}

static void count_slice(counting *c, dray_slice *slice, counters *left) {
    dray_cluster_refresh(c->cluster, slice);
    const matched *m = match(c, slice);
    for (size_t i = dray_bits_next(m->devices, 0); i != SIZE_MAX;
         i = dray_bits_next(m->devices, i + 1)) {
        bool shared = bit(slice->shared, i);
        bool used = bit(slice->in_use, i) ||
                    (!shared && !has_enough(left, &slice->body->spec->devices.v[i]));
        c->class->total++;
        c->class->free += !used;
        c->class->shared += !used && shared;
        if (!used && shared)
            c->class->left += part_left(&slice->body->spec->devices.v[i], slice->held[i]);
    }
}

static void count_class(counting *c, dray_celk8s *celk8s, const dray_resource_device_class *class) {
    const dray_resource_device_class_spec *spec = class->spec;
    c->programs = DRAY_NEW_N(c->arena, const dray_celk8s_program *, spec->selectors.n);
    c->n_programs = 0;
    c->by_content = dray_map_new(c->arena);
    for (size_t i = 0; i < spec->selectors.n; i++) {
        dray_err err = DRAY_ERR_INIT;
        if (spec->selectors.v[i].cel == NULL)
            continue;
        if (dray_celk8s_compile(celk8s, spec->selectors.v[i].cel->expression, DRAY_CELK8S_SELECTOR,
                                false, dray_cluster_gates(c->cluster), &c->programs[c->n_programs],
                                &err) != DRAY_OK) {
            c->class->error = dray_str_dup(c->arena, dray_str_of(dray_err_text(&err)));
            dray_err_done(&err);
            return;
        }
        c->n_programs++;
    }
    size_t n_pools;
    dray_pool *const *pools = dray_cluster_pools(c->cluster, &n_pools);
    for (size_t k = 0; k < n_pools; k++) {
        const dray_pool *pool = pools[k];
        int64_t generation = newest(pool);
        counters left = {dray_map_new(c->arena), c->arena};
        sum_counters(c->cluster, pool, generation, &left);
        for (size_t i = 0; i < pool->n_slices; i++)
            if (pool->slices[i]->body->spec->pool->generation == generation)
                count_slice(c, pool->slices[i], &left);
    }
}

static int by_name(const void *a, const void *b, void *context) {
    return dray_str_cmp(((const dray_free_class *)a)->name, ((const dray_free_class *)b)->name);
}

dray_free_list dray_explain_free(dray_cluster *cluster, dray_celk8s *celk8s, dray_arena *arena) {
    dray_cluster_list classes = dray_cluster_all(cluster, &dray_type_resource_device_class);
    dray_free_list list = {DRAY_NEW_N(arena, dray_free_class, classes.n), classes.n};
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    for (size_t i = 0; i < classes.n; i++) {
        const dray_resource_device_class *class = classes.v[i];
        list.v[i].name = class->metadata->name;
        counting c = {.cluster = cluster, .arena = arena, .scratch = scratch, .class = &list.v[i]};
        count_class(&c, celk8s, class);
        dray_arena_reset(scratch);
    }
    dray_sort(list.v, list.n, sizeof *list.v, by_name, NULL);
    return list;
}
