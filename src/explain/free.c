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

static void count_slice(counting *c, dray_slice *slice) {
    dray_cluster_refresh(c->cluster, slice);
    const matched *m = match(c, slice);
    for (size_t i = dray_bits_next(m->devices, 0); i != SIZE_MAX;
         i = dray_bits_next(m->devices, i + 1)) {
        bool used = slice->in_use[i / 64] >> (i % 64) & 1;
        bool shared = slice->shared[i / 64] >> (i % 64) & 1;
        c->class->total++;
        c->class->free += !used;
        c->class->shared += !used && shared;
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
        for (size_t i = 0; i < pool->n_slices; i++)
            if (pool->slices[i]->body->spec->pool->generation == generation)
                count_slice(c, pool->slices[i]);
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
