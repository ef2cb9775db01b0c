/* The picture inside: tables by key, nodes, slices and pools. Private to this room. */
#ifndef DRAY_CLUSTER_CLUSTER_INT_H
#define DRAY_CLUSTER_CLUSTER_INT_H

#include "base/err.h"
#include "cluster/inventory.h"

enum { DRAY_CLUSTER_KINDS_MAX = 64 };

/* Bodies by namespace and name, in order of appearance. Keys are borrowed from the bodies, or from
 * whoever put them there. */
typedef struct dray_table_entry {
    dray_str ns, name;
    uint64_t hash;
    const void *body; /* NULL: removed */
} dray_table_entry;
typedef struct dray_table {
    dray_table_entry *entries;
    size_t n, room, dead;
    uint32_t *slots; /* index + 1, 0 = free */
    size_t n_slots;
    const void **bodies; /* made by dray_table_all */
    size_t bodies_room;
    bool bodies_fresh;
} dray_table;

/* The body that was there, or NULL. */
const void *dray_table_put(dray_table *table, dray_str ns, dray_str name, const void *body);
const void *dray_table_remove(dray_table *table, dray_str ns, dray_str name);
const void *dray_table_find(const dray_table *table, dray_str ns, dray_str name);
dray_cluster_list dray_table_all(dray_table *table);
void dray_table_done(dray_table *table);

typedef struct dray_slices {
    dray_slice **v;
    size_t n, room;
} dray_slices;

typedef struct dray_node_entry {
    dray_cluster_node node; /* the part that all see; must be first */
    uint32_t pods_room;
    uint64_t local_changes, body_changes;
    dray_slices local;
} dray_node_entry;

struct dray_cluster {
    dray_gates gates;
    dray_arena *arena; /* names and records that stay: nodes, held devices */
    struct dray_cluster_kind {
        const dray_type *type;
        dray_table table;
    } kinds[DRAY_CLUSTER_KINDS_MAX];
    size_t n_kinds;
    uint64_t changes;

    dray_cluster_node **nodes;
    size_t n_nodes, nodes_room;
    dray_table node_names; /* → dray_node_entry */

    dray_slices shared; /* slices without nodeName, in order of appearance */
    uint64_t shared_changes, rule_changes;
    uint64_t inventory_changes; /* of rules, and of any pool */
    dray_table slice_names;     /* → dray_slice */
    dray_table pool_names;      /* driver, pool → dray_pool */
    dray_pool **pools;
    size_t n_pools, pools_room;
    dray_held *free_held; /* chained through `consumed` */

    dray_content **contents; /* hash table */
    size_t n_contents, n_content_slots;
    uint64_t last_content;

    dray_table assumed; /* → dray_assumed */
};

typedef struct dray_assumed {
    dray_str ns, claim;
    const dray_resource_allocation_result *allocation;
} dray_assumed;

dray_node_entry *dray_cluster_node_of(dray_cluster *cluster, dray_str name);

/* content.c */
dray_content *dray_content_take(dray_cluster *cluster, dray_str driver,
                                const dray_resource_device *devices, size_t n);
/* Gives back a use; `devices` go away. */
void dray_content_drop(dray_cluster *cluster, dray_content *content,
                       const dray_resource_device *devices);

/* slice.c */
void dray_slices_push(dray_slices *slices, dray_slice *slice);
void dray_slices_cut(dray_slices *slices, const dray_slice *slice);
void dray_cluster_slice_add(dray_cluster *cluster, const dray_resource_slice *body);
void dray_cluster_slice_remove(dray_cluster *cluster, dray_str name);
void dray_slice_free(dray_cluster *cluster, dray_slice *slice);

/* column.c */
void dray_slice_drop_columns(dray_slice *slice);

/* pool.c */
dray_pool *dray_cluster_pool_of(dray_cluster *cluster, dray_str driver, dray_str name);
dray_held *dray_pool_held_of(dray_cluster *cluster, dray_pool *pool, dray_str device);
/* The pool's slices changed: its views are stale; a pool without slices and holders goes. */
void dray_pool_changed(dray_cluster *cluster, dray_pool *pool);
void dray_pool_drop_if_empty(dray_cluster *cluster, dray_pool *pool);
void dray_pool_free(dray_cluster *cluster, dray_pool *pool);

/* pool_view.c */
/* The pool as a node sees it that `slices` reach (all of one generation, at least one; taken over
 * in sorted order). A use is the caller's. */
dray_pool_view *dray_pool_view_take(dray_cluster *cluster, dray_pool *pool, dray_slice **slices,
                                    size_t n);
void dray_pool_view_drop(dray_pool_view *view);
/* Brings the counters up to date with the ledger. */
void dray_pool_view_refresh(const dray_cluster *cluster, dray_pool_view *view);

/* view.c */
void dray_view_free(dray_view *view);

/* ledger.c */
void dray_ledger_change(dray_cluster *cluster, const dray_resource_allocation_result *allocation,
                        int by);
void dray_ledger_claim(dray_cluster *cluster, const dray_resource_claim *before,
                       const dray_resource_claim *after);

static inline bool dray_cluster_gate(const dray_cluster *cluster, dray_gate gate) {
    return dray_gates_on(&cluster->gates, gate);
}

#endif
