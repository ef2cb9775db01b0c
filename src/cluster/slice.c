/* Slices: what of them the allocator asks for again and again, as bitmaps. */
#include "cluster/cluster_int.h"

#include <stdlib.h>

enum { BITMAPS = 7, FIRST_ROOM = 8 };

void dray_slices_push(dray_slices *slices, dray_slice *slice) {
    if (slices->n == slices->room) {
        slices->room = slices->room != 0 ? slices->room * 2 : FIRST_ROOM;
        slices->v = dray_realloc(slices->v, dray_size_mul(slices->room, sizeof *slices->v));
    }
    slices->v[slices->n++] = slice;
}

void dray_slices_cut(dray_slices *slices, const dray_slice *slice) {
    size_t i = 0;
    while (i < slices->n && slices->v[i] != slice)
        i++;
    if (i == slices->n)
        return;
    memmove(&slices->v[i], &slices->v[i + 1], (slices->n - i - 1) * sizeof *slices->v);
    slices->n--;
}

static void set_bit(uint64_t *bits, size_t i, bool on) {
    if (on)
        bits[i / 64] |= (uint64_t)1 << i % 64;
}

static bool has_groups(const dray_resource_device *device) {
    for (size_t i = 0; i < device->consumes_counters.n; i++) {
        if (device->consumes_counters.v[i].compatibility_groups.n > 0)
            return true;
    }
    return false;
}

/* Whether a claim without a wish for capacity could be refused: by a policy, or an amount that is
 * negative or too large. Most devices have capacities that can't refuse. */
static bool may_refuse(const dray_resource_device *device) {
    for (size_t i = 0; i < device->capacity.n; i++) {
        const dray_resource_device_capacity *c = &device->capacity.v[i];
        const dray_quantity *fallback =
            c->request_policy != NULL ? c->request_policy->default_ : NULL;
        if (c->request_policy != NULL && fallback == NULL)
            return true;
        if (dray_quantity_sign(fallback != NULL ? *fallback : c->value) < 0 ||
            (fallback != NULL && dray_quantity_cmp(*fallback, c->value) > 0))
            return true;
    }
    return false;
}

static void describe(const dray_cluster *cluster, dray_slice *slice) {
    bool consumable = dray_cluster_gate(cluster, DRAY_GATE_DRAConsumableCapacity);
    for (size_t i = 0; i < slice->n_devices; i++) {
        const dray_resource_device *d = &slice->body->spec->devices.v[i];
        set_bit(slice->multi, i, consumable && d->allow_multiple_allocations.v);
        set_bit(slice->counters, i, d->consumes_counters.n > 0);
        set_bit(slice->binding, i, d->binding_conditions.n > 0);
        set_bit(slice->choosy, i, may_refuse(d));
        slice->has_binding |= d->binding_conditions.v != NULL;
        slice->has_groups |= has_groups(d);
    }
}

/* One block: the record, then its bitmaps, then the pointers to what is held. */
static dray_slice *make(const dray_resource_slice *body) {
    size_t n = body->spec->devices.n, words = dray_bits_words(n);
    dray_slice *slice = dray_calloc(1, sizeof *slice + BITMAPS * words * sizeof(uint64_t) +
                                           dray_size_mul(n, sizeof(dray_held *)));
    uint64_t *bits = (uint64_t *)(slice + 1);
    uint64_t **maps[BITMAPS] = {&slice->in_use,  &slice->shared,  &slice->multi, &slice->counters,
                                &slice->binding, &slice->tainted, &slice->choosy};
    for (size_t i = 0; i < BITMAPS; i++, bits += words)
        *maps[i] = bits;
    slice->held = (dray_held **)bits;
    slice->body = body;
    slice->name = body->metadata->name;
    slice->n_devices = (uint32_t)n;
    slice->n_words = (uint32_t)words;
    slice->by_device = body->spec->per_device_node_selection.v;
    slice->has_counters = body->spec->shared_counters.n > 0;
    return slice;
}

static dray_slices *list_of(dray_cluster *cluster, const dray_slice *slice) {
    dray_str node = slice->body->spec->node_name;
    return node.n != 0 ? &dray_cluster_node_of(cluster, node)->local : &cluster->shared;
}

static void list_changed(dray_cluster *cluster, const dray_slice *slice) {
    dray_str node = slice->body->spec->node_name;
    if (node.n != 0)
        dray_cluster_node_of(cluster, node)->local_changes++;
    else
        cluster->shared_changes++;
}

void dray_cluster_slice_add(dray_cluster *cluster, const dray_resource_slice *body) {
    dray_slice *slice = make(body);
    const dray_resource_slice_spec *spec = body->spec;
    slice->pool = dray_cluster_pool_of(cluster, spec->driver, spec->pool->name);
    for (size_t i = 0; i < slice->n_devices; i++)
        slice->held[i] = dray_pool_held_of(cluster, slice->pool, spec->devices.v[i].name);
    describe(cluster, slice);
    dray_slices_push(list_of(cluster, slice), slice);
    list_changed(cluster, slice);
    dray_pool *pool = slice->pool;
    dray_slices slices = {pool->slices, pool->n_slices, pool->room};
    dray_slices_push(&slices, slice);
    pool->slices = slices.v;
    pool->n_slices = slices.n;
    pool->room = slices.room;
    dray_table_put(&cluster->slice_names, DRAY_STR(""), slice->name, slice);
    dray_pool_changed(cluster, pool);
}

const dray_content *dray_slice_content(dray_cluster *cluster, dray_slice *slice) {
    const dray_resource_slice_spec *spec = slice->body->spec;
    if (slice->content == NULL)
        slice->content = dray_content_take(cluster, spec->driver, spec->devices.v, spec->devices.n);
    return slice->content;
}

void dray_slice_free(dray_cluster *cluster, dray_slice *slice) {
    if (slice->content != NULL)
        dray_content_drop(cluster, slice->content, slice->body->spec->devices.v);
    dray_slice_drop_columns(slice);
    free(slice->taints);
    free(slice);
}

void dray_cluster_slice_remove(dray_cluster *cluster, dray_str name) {
    dray_slice *slice = (dray_slice *)dray_table_remove(&cluster->slice_names, DRAY_STR(""), name);
    if (slice == NULL)
        return;
    dray_slices_cut(list_of(cluster, slice), slice);
    list_changed(cluster, slice);
    dray_pool *pool = slice->pool;
    dray_slices slices = {pool->slices, pool->n_slices, pool->room};
    dray_slices_cut(&slices, slice);
    pool->n_slices = slices.n;
    dray_pool_changed(cluster, pool);
    dray_slice_free(cluster, slice);
    dray_pool_drop_if_empty(cluster, pool);
}

/* Which devices a rule's selector means; one without selector means none. */
static bool rule_means(const dray_resource_device_taint_rule *rule, const dray_slice *slice,
                       dray_str device) {
    const dray_resource_device_taint_selector *s = rule->spec->device_selector;
    return s != NULL && (s->driver.p == NULL || dray_str_eq(s->driver, slice->pool->driver)) &&
           (s->pool.p == NULL || dray_str_eq(s->pool, slice->pool->name)) &&
           (s->device.p == NULL || dray_str_eq(s->device, device));
}

static bool blocks(const dray_resource_device_taint *taint) {
    return dray_str_is(taint->effect, "NoSchedule") || dray_str_is(taint->effect, "NoExecute");
}

/* Counts, and where `to` is not NULL writes, the taints of device i that keep claims off it. */
static size_t blocking_taints(const dray_slice *slice, dray_cluster_list rules, size_t i,
                              const dray_resource_device_taint **to) {
    const dray_resource_device *d = &slice->body->spec->devices.v[i];
    size_t n = 0;
    for (size_t k = 0; k < d->taints.n; k++) {
        if (!blocks(&d->taints.v[k]))
            continue;
        if (to != NULL)
            to[n] = &d->taints.v[k];
        n++;
    }
    for (size_t k = 0; k < rules.n; k++) {
        const dray_resource_device_taint_rule *rule = rules.v[k];
        if (!blocks(rule->spec->taint) || !rule_means(rule, slice, d->name))
            continue;
        if (to != NULL)
            to[n] = rule->spec->taint;
        n++;
    }
    return n;
}

/* Taints of all devices in one block: the lists, then what they point to. */
static void refresh_taints(dray_cluster *cluster, dray_slice *slice) {
    dray_cluster_list rules = {0};
    if (dray_cluster_gate(cluster, DRAY_GATE_DRADeviceTaintRules))
        rules = dray_cluster_all(cluster, &dray_type_resource_device_taint_rule);
    size_t total = 0;
    for (size_t i = 0; i < slice->n_devices; i++) {
        size_t n = blocking_taints(slice, rules, i, NULL);
        slice->tainted[i / 64] &= ~((uint64_t)1 << i % 64);
        set_bit(slice->tainted, i, n > 0);
        total += n;
    }
    free(slice->taints);
    slice->taints = NULL;
    if (total == 0)
        return;
    slice->taints = dray_malloc(slice->n_devices * sizeof *slice->taints +
                                dray_size_mul(total, sizeof(void *)));
    const dray_resource_device_taint **to = (void *)(slice->taints + slice->n_devices);
    for (size_t i = 0; i < slice->n_devices; i++) {
        slice->taints[i].v = to;
        slice->taints[i].n = blocking_taints(slice, rules, i, to);
        to += slice->taints[i].n;
    }
}

static void refresh_use(dray_slice *slice) {
    for (size_t w = 0; w < slice->n_words; w++)
        slice->in_use[w] = slice->shared[w] = 0;
    for (size_t i = 0; i < slice->n_devices; i++) {
        const dray_held *held = slice->held[i];
        if ((held->exclusive | held->shares) == 0)
            continue;
        bool multi = slice->multi[i / 64] >> i % 64 & 1;
        set_bit(slice->in_use, i, held->exclusive > 0 || !multi);
        set_bit(slice->shared, i, held->shares > 0);
    }
}

void dray_cluster_refresh(dray_cluster *cluster, dray_slice *slice) {
    if (slice->use_version != slice->pool->changes) {
        refresh_use(slice);
        slice->use_version = slice->pool->changes;
    }
    if (slice->taint_version != cluster->rule_changes) {
        refresh_taints(cluster, slice);
        slice->taint_version = cluster->rule_changes;
    }
}
