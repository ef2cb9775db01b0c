/* The ledger: what allocated claims, and allocations under way, hold of which device. */
#include "cluster/cluster_int.h"

#include <stdlib.h>

static void consume(dray_cluster *cluster, dray_held *held, dray_str name, dray_amount amount) {
    for (size_t i = 0; i < held->n_consumed; i++) {
        if (dray_str_eq(held->consumed[i].name, name)) {
            held->consumed[i].amount += amount;
            return;
        }
    }
    /* Entries stay when their amount is back at zero, so that names are copied once. */
    size_t n = held->n_consumed + 1;
    held->consumed = dray_realloc(held->consumed, dray_size_mul(n, sizeof *held->consumed));
    held->consumed[n - 1] = (struct dray_consumed){dray_str_dup(cluster->arena, name), amount};
    held->n_consumed = (uint32_t)n;
}

static void change_result(dray_cluster *cluster,
                          const dray_resource_device_request_allocation_result *r, int by) {
    if (r->admin_access.v)
        return;
    dray_pool *pool = dray_cluster_pool_of(cluster, r->driver, r->pool);
    dray_held *held = dray_pool_held_of(cluster, pool, r->device);
    bool before = (held->exclusive | held->shares) != 0;
    bool share =
        r->share_id.p != NULL && dray_cluster_gate(cluster, DRAY_GATE_DRAConsumableCapacity);
    if (share) {
        held->shares += (uint32_t)by;
        for (size_t i = 0; i < r->consumed_capacity.n; i++)
            consume(cluster, held, r->consumed_capacity.k[i],
                    dray_amount_of(r->consumed_capacity.v[i]) * by);
    } else {
        held->exclusive += (uint32_t)by;
    }
    bool after = (held->exclusive | held->shares) != 0;
    pool->n_held += (size_t)after - (size_t)before;
    pool->changes++;
    cluster->inventory_changes++;
    if (!after)
        dray_pool_drop_if_empty(cluster, pool);
}

void dray_ledger_change(dray_cluster *cluster, const dray_resource_allocation_result *allocation,
                        int by) {
    for (size_t i = 0; allocation != NULL && i < allocation->devices->results.n; i++)
        change_result(cluster, &allocation->devices->results.v[i], by);
}

static const dray_assumed *assumed(const dray_cluster *cluster, dray_str ns, dray_str claim) {
    return dray_table_find(&cluster->assumed, ns, claim);
}

static const dray_resource_allocation_result *effective(const dray_cluster *cluster, dray_str ns,
                                                        dray_str name,
                                                        const dray_resource_claim *claim) {
    if (claim != NULL && claim->status->allocation != NULL)
        return claim->status->allocation;
    const dray_assumed *a = assumed(cluster, ns, name);
    return a != NULL ? a->allocation : NULL;
}

static dray_str ns_of(dray_str ns) {
    return ns.n != 0 ? ns : DRAY_STR("default");
}

void dray_ledger_claim(dray_cluster *cluster, const dray_resource_claim *before,
                       const dray_resource_claim *after) {
    const dray_meta_object_meta *meta = (before != NULL ? before : after)->metadata;
    dray_str ns = ns_of(meta->namespace);
    const dray_resource_allocation_result *old = effective(cluster, ns, meta->name, before);
    const dray_resource_allocation_result *new = effective(cluster, ns, meta->name, after);
    if (old == new)
        return;
    /* First what comes, so that a pool that only the ledger knows is not dropped in between. */
    dray_ledger_change(cluster, new, 1);
    dray_ledger_change(cluster, old, -1);
}

void dray_cluster_assume(dray_cluster *cluster, dray_str ns, dray_str claim,
                         const dray_resource_allocation_result *allocation) {
    dray_cluster_forget(cluster, ns, claim);
    ns = ns_of(ns);
    const dray_resource_claim *body =
        dray_cluster_find(cluster, &dray_type_resource_claim, ns, claim);
    dray_assumed *a = dray_calloc(1, sizeof *a + ns.n + claim.n);
    char *text = (char *)(a + 1);
    memcpy(text, ns.p, ns.n);
    memcpy(text + ns.n, claim.p, claim.n);
    *a = (dray_assumed){{text, ns.n}, {text + ns.n, claim.n}, allocation};
    dray_table_put(&cluster->assumed, a->ns, a->claim, a);
    if (body == NULL || body->status->allocation == NULL)
        dray_ledger_change(cluster, allocation, 1);
}

void dray_cluster_forget(dray_cluster *cluster, dray_str ns, dray_str claim) {
    ns = ns_of(ns);
    dray_assumed *a = (dray_assumed *)dray_table_remove(&cluster->assumed, ns, claim);
    if (a == NULL)
        return;
    const dray_resource_claim *body =
        dray_cluster_find(cluster, &dray_type_resource_claim, ns, claim);
    if (body == NULL || body->status->allocation == NULL)
        dray_ledger_change(cluster, a->allocation, -1);
    free(a);
}

const dray_resource_allocation_result *dray_cluster_allocation(const dray_cluster *cluster,
                                                               dray_str ns, dray_str claim) {
    ns = ns_of(ns);
    return effective(cluster, ns, claim,
                     dray_cluster_find(cluster, &dray_type_resource_claim, ns, claim));
}
