/* A pool as seen by the nodes that the same slices reach: complete or not, valid or not, counters.
 * Source: the structured allocator of 1.37 (pools), with the fix of kubernetes/kubernetes#135036: a
 * newer generation makes an older one obsolete wherever its slices are. */
#include "base/map.h"
#include "base/vec.h"
#include "cluster/cluster_int.h"

#include <stdlib.h>

static int by_name(const void *a, const void *b, void *context) {
    (void)context;
    return dray_str_cmp((*(dray_slice *const *)a)->name, (*(dray_slice *const *)b)->name);
}

static bool counts(const dray_cluster *cluster, const dray_slice *slice) {
    return !slice->has_groups || dray_cluster_gate(cluster, DRAY_GATE_DRADeviceCompatibilityGroups);
}

static int64_t generation(const dray_slice *slice) {
    return slice->body->spec->pool->generation;
}

/* READY here means complete; whether it is valid comes later. */
static dray_pool_state completeness(const dray_cluster *cluster, dray_pool_view *view,
                                    dray_slice **slices, size_t n) {
    int64_t mine = generation(slices[0]), want = slices[0]->body->spec->pool->resource_slice_count;
    size_t same = 0;
    for (size_t i = 0; i < view->pool->n_slices; i++) {
        const dray_slice *slice = view->pool->slices[i];
        if (generation(slice) > mine)
            return DRAY_POOL_OBSOLETE;
        same += generation(slice) == mine && counts(cluster, slice);
    }
    if ((int64_t)n == want)
        return DRAY_POOL_READY;
    view->with_others = same > n;
    return (int64_t)same == want ? DRAY_POOL_READY : DRAY_POOL_INCOMPLETE;
}

static bool targets(dray_slice *const *slices, size_t n, const dray_slice *slice) {
    for (size_t i = 0; i < n; i++) {
        if (dray_str_eq(slices[i]->name, slice->name))
            return true;
    }
    return false;
}

/* The slices of the pool, beside `slices`, that belong to the view; NULL at the end. */
static dray_slice *next_other(const dray_cluster *cluster, const dray_pool_view *view,
                              dray_slice *const *slices, size_t n, size_t *at) {
    while (view->with_others && *at < view->pool->n_slices) {
        dray_slice *slice = view->pool->slices[(*at)++];
        if (generation(slice) == generation(slices[0]) && counts(cluster, slice) &&
            !targets(slices, n, slice))
            return slice;
    }
    return NULL;
}

static dray_code invalid(dray_pool_view *view, dray_str reason) {
    view->state = DRAY_POOL_INVALID;
    view->invalid_reason = reason;
    return DRAY_E_INVALID;
}

static dray_code check_device_names(dray_pool_view *view) {
    dray_held *twice = NULL;
    for (size_t s = 0; s < view->n_slices; s++) {
        for (size_t i = 0; i < view->slices[s]->n_devices; i++) {
            dray_held *held = view->slices[s]->held[i];
            if (held->seen && twice == NULL)
                twice = held;
            held->seen = true;
        }
    }
    for (size_t s = 0; s < view->n_slices; s++) {
        for (size_t i = 0; i < view->slices[s]->n_devices; i++)
            view->slices[s]->held[i]->seen = false;
    }
    if (twice == NULL)
        return DRAY_OK;
    return invalid(
        view, dray_strf(view->arena, "duplicate device name " DRAY_FMT, DRAY_ARG(twice->name)));
}

/* Counters while they are gathered: sets by name, each a run of counters. */
typedef struct counter_set {
    size_t first, n;
} counter_set;
typedef struct gathering {
    dray_pool_view *view;
    dray_map sets;
    DRAY_VEC(dray_counter) counters;
    dray_slice **mine; /* that target the node, counter slices too */
    size_t n_mine;
} gathering;

static dray_code add_sets(gathering *g, const dray_slice *slice) {
    dray_arena *arena = g->view->arena;
    for (size_t i = 0; i < slice->body->spec->shared_counters.n; i++) {
        const dray_resource_counter_set *set = &slice->body->spec->shared_counters.v[i];
        dray_map_entry *entry = dray_map_entry_of(&g->sets, set->name);
        if (entry->value != NULL)
            return invalid(g->view, dray_strf(arena, "duplicate counter set name " DRAY_FMT,
                                              DRAY_ARG(set->name)));
        counter_set *run = DRAY_NEW(arena, counter_set);
        *run = (counter_set){g->counters.n, set->counters.n};
        entry->value = run;
        for (size_t k = 0; k < set->counters.n; k++)
            DRAY_PUSH(arena, &g->counters,
                      (dray_counter){set->name, set->counters.k[k],
                                     dray_amount_of(set->counters.v[k].value)});
    }
    return DRAY_OK;
}

/* Where a counter stands; -1, with the view invalid, where it isn't there. */
static int64_t counter_index(gathering *g, dray_str set, const counter_set *run, dray_str name) {
    for (size_t i = run->first; i < run->first + run->n; i++) {
        if (dray_str_eq(g->counters.v[i].name, name))
            return (int64_t)i;
    }
    invalid(g->view,
            dray_strf(g->view->arena, "counter " DRAY_FMT " not found in counter set " DRAY_FMT,
                      DRAY_ARG(name), DRAY_ARG(set)));
    return -1;
}

/* What a device draws, into room for it in the arena (ret NULL: only checked). */
static dray_code read_draws(gathering *g, const dray_resource_device *d, dray_draws *ret) {
    DRAY_VEC(dray_draw) draws = {0};
    for (size_t i = 0; i < d->consumes_counters.n; i++) {
        const dray_resource_device_counter_consumption *c = &d->consumes_counters.v[i];
        const counter_set *run = dray_map_find(&g->sets, c->counter_set);
        if (run == NULL)
            return invalid(g->view, dray_strf(g->view->arena, "counter set " DRAY_FMT " not found",
                                              DRAY_ARG(c->counter_set)));
        for (size_t k = 0; k < c->counters.n; k++) {
            int64_t at = counter_index(g, c->counter_set, run, c->counters.k[k]);
            if (at < 0)
                return DRAY_E_INVALID;
            DRAY_PUSH(g->view->arena, &draws,
                      (dray_draw){(uint32_t)at, dray_amount_of(c->counters.v[k].value)});
        }
    }
    if (ret != NULL)
        *ret = (dray_draws){draws.v, draws.n};
    return DRAY_OK;
}

static dray_code read_all_draws(gathering *g, const dray_cluster *cluster) {
    dray_pool_view *view = g->view;
    view->draws = DRAY_NEW_N(view->arena, dray_draws *, view->n_slices);
    for (size_t s = 0; s < view->n_slices; s++) {
        const dray_slice *slice = view->slices[s];
        view->draws[s] = DRAY_NEW_N(view->arena, dray_draws, slice->n_devices);
        for (size_t i = 0; i < slice->n_devices; i++) {
            if (read_draws(g, &slice->body->spec->devices.v[i], &view->draws[s][i]) != DRAY_OK)
                return DRAY_E_INVALID;
        }
    }
    size_t at = 0;
    for (dray_slice *s; (s = next_other(cluster, view, g->mine, g->n_mine, &at)) != NULL;) {
        for (size_t i = 0; i < s->n_devices && !s->has_counters; i++) {
            if (read_draws(g, &s->body->spec->devices.v[i], NULL) != DRAY_OK)
                return DRAY_E_INVALID;
        }
    }
    return DRAY_OK;
}

static bool draws_counters(const dray_slice *slice) {
    uint64_t any = 0;
    for (size_t w = 0; w < slice->n_words; w++)
        any |= slice->counters[w];
    return any != 0 || slice->has_counters;
}

/* Whether anything in the pool has to do with counters. */
static bool has_counters(const dray_cluster *cluster, const dray_pool_view *view,
                         dray_slice *const *mine, size_t n) {
    if (!dray_cluster_gate(cluster, DRAY_GATE_DRAPartitionableDevices))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (draws_counters(mine[i]))
            return true;
    }
    size_t at = 0;
    for (dray_slice *s; (s = next_other(cluster, view, mine, n, &at)) != NULL;) {
        if (draws_counters(s))
            return true;
    }
    return false;
}

static dray_code read_counters(const dray_cluster *cluster, dray_pool_view *view, dray_slice **mine,
                               size_t n) {
    gathering g = {.view = view, .sets = dray_map_new(view->arena), .mine = mine, .n_mine = n};
    dray_code code = DRAY_OK;
    for (size_t i = 0; i < n && code == DRAY_OK; i++)
        code = add_sets(&g, mine[i]);
    size_t at = 0;
    dray_slice *s;
    while (code == DRAY_OK && (s = next_other(cluster, view, mine, n, &at)) != NULL)
        code = add_sets(&g, s);
    if (code == DRAY_OK)
        code = read_all_draws(&g, cluster);
    view->counters = g.counters.v;
    view->n_counters = g.counters.n;
    return code;
}

static void build(const dray_cluster *cluster, dray_pool_view *view, dray_slice **mine, size_t n) {
    bool counting = has_counters(cluster, view, mine, n);
    for (size_t i = 0; i < n; i++) {
        if (!counting || !mine[i]->has_counters)
            view->slices[view->n_slices++] = mine[i];
    }
    /* Most pools need no memory of their own: only counters and reasons do. */
    view->arena = dray_arena_new(0);
    if (check_device_names(view) == DRAY_OK && counting)
        (void)read_counters(cluster, view, mine, n);
    if (!counting && view->state == DRAY_POOL_READY) {
        dray_arena_free(view->arena);
        view->arena = NULL;
    }
    if (view->state == DRAY_POOL_INVALID)
        view->n_slices = 0;
    for (size_t i = 0; i < view->n_slices; i++)
        view->has_binding |= view->slices[i]->has_binding;
}

static dray_pool_view *find(const dray_pool *pool, dray_slice **slices, size_t n) {
    for (dray_pool_view *v = pool->views; v != NULL; v = v->next) {
        if (v->n_mine == n && memcmp(v->mine, slices, n * sizeof *slices) == 0)
            return v;
    }
    return NULL;
}

dray_pool_view *dray_pool_view_take(dray_cluster *cluster, dray_pool *pool, dray_slice **slices,
                                    size_t n) {
    /* A slice of one node's own is in no other node's view: no need to look for one. */
    bool own = slices[0]->body->spec->node_name.n != 0;
    dray_pool_view *view = own ? NULL : find(pool, slices, n);
    if (view != NULL) {
        view->uses++;
        return view;
    }
    view = dray_calloc(1, sizeof *view + 3 * n * sizeof(dray_slice *));
    view->pool = pool;
    view->driver = pool->driver;
    view->name = pool->name;
    view->mine = (dray_slice **)(view + 1);
    view->n_mine = n;
    memcpy(view->mine, slices, n * sizeof *slices);
    view->sorted = view->mine + n;
    memcpy(view->sorted, slices, n * sizeof *slices);
    dray_sort(view->sorted, n, sizeof *slices, by_name, NULL);
    view->slices = view->sorted + n;
    view->state = completeness(cluster, view, slices, n);
    if (view->state == DRAY_POOL_READY)
        build(cluster, view, view->sorted, n);
    view->uses = 2;
    view->next = pool->views;
    pool->views = view;
    return view;
}

void dray_pool_view_drop(dray_pool_view *view) {
    if (--view->uses > 0)
        return;
    if (view->arena != NULL)
        dray_arena_free(view->arena);
    free(view->available);
    free(view);
}

static size_t count_held(dray_held *held) {
    if (held->seen || (held->exclusive | held->shares) == 0)
        return 0;
    held->seen = true;
    return 1;
}

static void subtract(dray_pool_view *view, const dray_resource_device *d) {
    for (size_t i = 0; i < d->consumes_counters.n; i++) {
        const dray_resource_device_counter_consumption *c = &d->consumes_counters.v[i];
        for (size_t k = 0; k < view->n_counters; k++) {
            const dray_counter *counter = &view->counters[k];
            if (!dray_str_eq(counter->set, c->counter_set))
                continue;
            for (size_t j = 0; j < c->counters.n; j++) {
                if (dray_str_eq(c->counters.k[j], counter->name))
                    view->available[k] -= dray_amount_of(c->counters.v[j].value);
            }
        }
    }
}

void dray_pool_view_refresh(const dray_cluster *cluster, dray_pool_view *view) {
    if (view->draws == NULL)
        return;
    if (view->available == NULL)
        view->available = dray_malloc((view->n_counters + 1) * sizeof *view->available);
    for (size_t i = 0; i < view->n_counters; i++)
        view->available[i] = view->counters[i].capacity;
    size_t met = 0;
    for (size_t s = 0; s < view->n_slices && view->pool->n_held > 0; s++) {
        for (size_t i = 0; i < view->slices[s]->n_devices; i++) {
            dray_held *held = view->slices[s]->held[i];
            if ((held->exclusive | held->shares) == 0)
                continue;
            met += count_held(held);
            for (size_t k = 0; k < view->draws[s][i].n; k++)
                view->available[view->draws[s][i].v[k].counter] -= view->draws[s][i].v[k].amount;
        }
    }
    size_t at = 0;
    dray_slice *o;
    while (view->pool->n_held > 0 &&
           (o = next_other(cluster, view, view->mine, view->n_mine, &at)) != NULL) {
        for (size_t i = 0; i < o->n_devices && !o->has_counters; i++) {
            if ((o->held[i]->exclusive | o->held[i]->shares) == 0)
                continue;
            met += count_held(o->held[i]);
            subtract(view, &o->body->spec->devices.v[i]);
        }
    }
    for (size_t i = 0; i < view->pool->n_ids; i++)
        view->pool->ids[i]->seen = false;
    view->has_vanished = met < view->pool->n_held;
}
