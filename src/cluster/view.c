/* What reaches a node: its pools in order, and the words of their bitmaps. */
#include "base/vec.h"
#include "cluster/cluster_int.h"
#include "cluster/node_selector.h"

#include <stdlib.h>

typedef struct group {
    dray_pool *pool;
    int64_t generation;
    dray_slices slices;
} group;
typedef struct gathering {
    dray_cluster *cluster;
    const dray_core_node *node;
    group *groups;
    size_t n, room;
} gathering;

typedef struct selection {
    dray_str node_name;
    bool all_nodes;
    const dray_core_node_selector *selector;
} selection;

static dray_code matches(const gathering *g, selection want, bool read, bool *ret, dray_err *err) {
    if (want.node_name.n != 0) {
        *ret = dray_str_eq(want.node_name, g->node->metadata->name);
    } else if (want.all_nodes) {
        *ret = true;
    } else if (want.selector != NULL) {
        if (!read && dray_node_selector_check(want.selector, DRAY_STR(""), err) != DRAY_OK) {
            DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
            dray_str text = dray_node_selector_text(want.selector, arena);
            return dray_err_wrap(err, "failed to parse node selector " DRAY_FMT, DRAY_ARG(text));
        }
        *ret = dray_node_selector_match(want.selector, g->node);
    } else {
        *ret = false;
    }
    return DRAY_OK;
}

static selection of_device(const dray_resource_device *d) {
    return (selection){d->node_name, d->all_nodes.v, d->node_selector};
}

/* Once for each slice: whether every selector in it can be read. */
static void read_selectors(dray_slice *slice) {
    const dray_resource_slice_spec *spec = slice->body->spec;
    bool fine = spec->node_selector == NULL ||
                dray_node_selector_check(spec->node_selector, DRAY_STR(""), NULL) == DRAY_OK;
    for (size_t i = 0; fine && i < slice->n_devices; i++) {
        const dray_core_node_selector *s = spec->devices.v[i].node_selector;
        fine = s == NULL || dray_node_selector_check(s, DRAY_STR(""), NULL) == DRAY_OK;
    }
    slice->selectors = fine ? DRAY_SELECTORS_FINE : DRAY_SELECTORS_BAD;
}

static dray_code relevant(const gathering *g, dray_slice *slice, bool *ret, dray_err *err) {
    const dray_resource_slice_spec *spec = slice->body->spec;
    selection own = {spec->node_name, spec->all_nodes.v, spec->node_selector};
    *ret = false;
    if (slice->selectors == DRAY_SELECTORS_UNREAD)
        read_selectors(slice);
    bool read = slice->selectors == DRAY_SELECTORS_FINE;
    if (own.node_name.n != 0 || own.all_nodes || own.selector != NULL) {
        if (matches(g, own, read, ret, err) != DRAY_OK)
            return dray_err_wrap(err, "failed to perform node selection for slice " DRAY_FMT,
                                 DRAY_ARG(slice->name));
        return DRAY_OK;
    }
    for (size_t i = 0; slice->by_device && i < slice->n_devices && !*ret; i++) {
        const dray_resource_device *d = &spec->devices.v[i];
        if (matches(g, of_device(d), read, ret, err) != DRAY_OK)
            return dray_err_wrap(
                err, "failed to perform node selection for device " DRAY_FMT " in slice " DRAY_FMT,
                DRAY_ARG(d->name), DRAY_ARG(slice->name));
    }
    return DRAY_OK;
}

static bool ignored(const dray_cluster *cluster, const dray_slice *slice) {
    if (!dray_cluster_gate(cluster, DRAY_GATE_DRAPartitionableDevices) &&
        (slice->body->spec->per_device_node_selection.set || slice->has_counters))
        return true;
    return slice->has_groups && !dray_cluster_gate(cluster, DRAY_GATE_DRADeviceCompatibilityGroups);
}

static group *group_of(gathering *g, dray_pool *pool) {
    if (pool->group != 0)
        return &g->groups[pool->group - 1];
    if (g->n == g->room) {
        g->room = g->room != 0 ? g->room * 2 : 8;
        g->groups = dray_realloc(g->groups, dray_size_mul(g->room, sizeof *g->groups));
    }
    g->groups[g->n] = (group){.pool = pool, .generation = INT64_MIN};
    pool->group = ++g->n;
    return &g->groups[g->n - 1];
}

static dray_code gather(gathering *g, const dray_slices *slices, dray_err *err) {
    for (size_t i = 0; i < slices->n; i++) {
        dray_slice *slice = slices->v[i];
        if (ignored(g->cluster, slice))
            continue;
        bool wanted;
        dray_code code = relevant(g, slice, &wanted, err);
        if (code != DRAY_OK)
            return code;
        if (!wanted)
            continue;
        int64_t generation = slice->body->spec->pool->generation;
        group *in = group_of(g, slice->pool);
        if (generation < in->generation)
            continue;
        if (generation > in->generation)
            in->slices.n = 0;
        in->generation = generation;
        dray_slices_push(&in->slices, slice);
    }
    return DRAY_OK;
}

static int in_order(const void *a, const void *b, void *context) {
    (void)context;
    const dray_pool_view *x = *(dray_pool_view *const *)a, *y = *(dray_pool_view *const *)b;
    if (x->has_binding != y->has_binding)
        return x->has_binding ? 1 : -1;
    int order = dray_str_cmp(x->driver, y->driver);
    return order != 0 ? order : dray_str_cmp(x->name, y->name);
}

static uint64_t reach(const gathering *g, const dray_slice *slice, uint32_t word) {
    size_t n = slice->n_devices - (size_t)word * 64;
    uint64_t all = n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
    if (!slice->by_device)
        return all;
    uint64_t on = 0;
    for (size_t i = 0; i < 64 && i < n; i++) {
        bool match = false;
        selection own = of_device(&slice->body->spec->devices.v[word * 64 + i]);
        bool read = slice->selectors == DRAY_SELECTORS_FINE;
        if (matches(g, own, read, &match, NULL) != DRAY_OK)
            match = true; /* who takes it meets the error */
        on |= (uint64_t)match << i;
    }
    return on;
}

static void lay_out_words(const gathering *g, dray_view *view) {
    size_t n = 0;
    for (size_t p = 0; p < view->n_pools; p++) {
        for (size_t s = 0; s < view->pools[p]->n_slices; s++)
            n += view->pools[p]->slices[s]->n_words;
    }
    view->words = dray_malloc((n + 1) * (sizeof *view->words + sizeof *view->reach));
    view->reach = (uint64_t *)(view->words + n + 1);
    for (uint32_t p = 0; p < view->n_pools; p++) {
        for (uint32_t s = 0; s < view->pools[p]->n_slices; s++) {
            dray_slice *slice = view->pools[p]->slices[s];
            for (uint32_t w = 0; w < slice->n_words; w++) {
                view->reach[view->n_words] = reach(g, slice, w);
                view->words[view->n_words++] = (dray_view_word){slice, w, p, s};
            }
        }
    }
}

static dray_view *make(gathering *g) {
    dray_view *view = dray_calloc(1, sizeof *view + 2 * g->n * sizeof(dray_pool_view *));
    view->pools = (dray_pool_view **)(view + 1);
    view->made_from = view->pools + g->n;
    for (size_t i = 0; i < g->n; i++) {
        group *in = &g->groups[i];
        dray_pool_view *pool =
            dray_pool_view_take(g->cluster, in->pool, in->slices.v, in->slices.n);
        view->made_from[view->n_made_from++] = pool;
        if (pool->state != DRAY_POOL_OBSOLETE)
            view->pools[view->n_pools++] = pool;
        view->has_invalid |= pool->state == DRAY_POOL_INVALID;
    }
    dray_sort(view->pools, view->n_pools, sizeof *view->pools, in_order, NULL);
    lay_out_words(g, view);
    return view;
}

void dray_view_free(dray_view *view) {
    if (view == NULL)
        return;
    for (size_t i = 0; i < view->n_made_from; i++)
        dray_pool_view_drop(view->made_from[i]);
    free(view->words);
    free(view);
}

/* Whether the same slices reach the node still, as far as their pools are not concerned. */
static bool is_made_of(const dray_cluster *cluster, const dray_node_entry *entry) {
    const dray_view *view = entry->node.view;
    return view != NULL && view->shared_changes == cluster->shared_changes &&
           view->local_changes == entry->local_changes && view->body_changes == entry->body_changes;
}

static bool is_current(const dray_cluster *cluster, const dray_node_entry *entry) {
    const dray_view *view = entry->node.view;
    if (!is_made_of(cluster, entry))
        return false;
    for (size_t i = 0; i < view->n_made_from; i++) {
        if (view->made_from[i]->stale)
            return false;
    }
    return true;
}

static dray_code remake(dray_cluster *cluster, dray_node_entry *entry, dray_err *err) {
    gathering g = {.cluster = cluster, .node = entry->node.body};
    dray_code code = gather(&g, &entry->local, err);
    if (code == DRAY_OK)
        code = gather(&g, &cluster->shared, err);
    if (code == DRAY_OK) {
        dray_view *view = make(&g);
        view->shared_changes = cluster->shared_changes;
        view->local_changes = entry->local_changes;
        view->body_changes = entry->body_changes;
        dray_view_free(entry->node.view);
        entry->node.view = view;
    }
    for (size_t i = 0; i < g.n; i++) {
        g.groups[i].pool->group = 0;
        free(g.groups[i].slices.v);
    }
    free(g.groups);
    return code;
}

dray_code dray_cluster_view(dray_cluster *cluster, dray_cluster_node *node, dray_view **ret,
                            dray_err *err) {
    dray_node_entry *entry = (dray_node_entry *)node;
    if (is_made_of(cluster, entry) && node->view->inventory_changes == cluster->inventory_changes) {
        *ret = node->view;
        return DRAY_OK;
    }
    if (!is_current(cluster, entry)) {
        dray_code code = remake(cluster, entry, err);
        if (code != DRAY_OK)
            return code;
    }
    dray_view *view = node->view;
    for (size_t p = 0; p < view->n_pools; p++) {
        dray_pool_view *pool = view->pools[p];
        if (pool->version == pool->pool->changes && pool->rule_version == cluster->rule_changes)
            continue;
        for (size_t s = 0; s < pool->n_slices; s++)
            dray_cluster_refresh(cluster, pool->slices[s]);
        dray_pool_view_refresh(cluster, pool);
        pool->version = pool->pool->changes;
        pool->rule_version = cluster->rule_changes;
    }
    view->inventory_changes = cluster->inventory_changes;
    *ret = view;
    return DRAY_OK;
}

dray_code dray_view_reach(const dray_view *view, const dray_core_node *node, uint32_t pos,
                          dray_err *err) {
    const dray_slice *slice = view->words[pos / 64].slice;
    if (!slice->by_device || slice->selectors != DRAY_SELECTORS_BAD)
        return DRAY_OK;
    gathering g = {.node = node};
    bool match;
    return matches(&g, of_device(dray_view_device(view, pos)), false, &match, err);
}
