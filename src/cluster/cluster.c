/* The picture: objects come, change and go, and every relation follows. */
#include "cluster/cluster_int.h"

#include <stdlib.h>

dray_cluster *dray_cluster_new(const dray_gates *gates) {
    dray_cluster *cluster = dray_calloc(1, sizeof *cluster);
    cluster->gates = *gates;
    cluster->arena = dray_arena_new(0);
    cluster->rule_changes = 1;
    return cluster;
}

void dray_cluster_free(dray_cluster *cluster) {
    if (cluster == NULL)
        return;
    for (size_t i = 0; i < cluster->n_nodes; i++) {
        dray_node_entry *entry = (dray_node_entry *)cluster->nodes[i];
        dray_view_free(entry->node.view);
        free(entry->node.pods);
        free(entry->local.v);
    }
    dray_cluster_list slices = dray_table_all(&cluster->slice_names);
    for (size_t i = 0; i < slices.n; i++)
        dray_slice_free(cluster, (dray_slice *)slices.v[i]);
    for (size_t i = 0; i < cluster->n_pools; i++)
        dray_pool_free(cluster, cluster->pools[i]);
    dray_cluster_list assumed = dray_table_all(&cluster->assumed);
    for (size_t i = 0; i < assumed.n; i++)
        free((void *)assumed.v[i]);
    for (size_t i = 0; i < cluster->n_kinds; i++)
        dray_table_done(&cluster->kinds[i].table);
    dray_table_done(&cluster->node_names);
    dray_table_done(&cluster->slice_names);
    dray_table_done(&cluster->pool_names);
    dray_table_done(&cluster->assumed);
    free(cluster->nodes);
    free(cluster->pools);
    free(cluster->shared.v);
    free(cluster->contents);
    dray_arena_free(cluster->arena);
    free(cluster);
}

const dray_gates *dray_cluster_gates(const dray_cluster *cluster) {
    return &cluster->gates;
}

uint64_t dray_cluster_changes(const dray_cluster *cluster) {
    return cluster->changes;
}

static dray_table *table_find(const dray_cluster *cluster, const dray_type *type) {
    for (size_t i = 0; i < cluster->n_kinds; i++) {
        if (cluster->kinds[i].type == type)
            return (dray_table *)&cluster->kinds[i].table;
    }
    return NULL;
}

static dray_table *table_of(dray_cluster *cluster, const dray_type *type) {
    dray_table *table = table_find(cluster, type);
    if (table != NULL || cluster->n_kinds == DRAY_CLUSTER_KINDS_MAX)
        return table;
    cluster->kinds[cluster->n_kinds].type = type;
    return &cluster->kinds[cluster->n_kinds++].table;
}

dray_node_entry *dray_cluster_node_of(dray_cluster *cluster, dray_str name) {
    dray_node_entry *entry =
        (dray_node_entry *)dray_table_find(&cluster->node_names, DRAY_STR(""), name);
    if (entry != NULL)
        return entry;
    entry = DRAY_NEW(cluster->arena, dray_node_entry);
    entry->node.name = dray_str_dup(cluster->arena, name);
    entry->node.number = (uint32_t)cluster->n_nodes;
    if (cluster->n_nodes == cluster->nodes_room) {
        cluster->nodes_room = cluster->nodes_room != 0 ? cluster->nodes_room * 2 : 8;
        cluster->nodes = dray_realloc(cluster->nodes,
                                      dray_size_mul(cluster->nodes_room, sizeof *cluster->nodes));
    }
    cluster->nodes[cluster->n_nodes++] = &entry->node;
    dray_table_put(&cluster->node_names, DRAY_STR(""), entry->node.name, entry);
    return entry;
}

dray_cluster_node *dray_cluster_node_find(const dray_cluster *cluster, dray_str name) {
    return (dray_cluster_node *)dray_table_find(&cluster->node_names, DRAY_STR(""), name);
}

dray_cluster_node *const *dray_cluster_nodes(const dray_cluster *cluster, size_t *ret_n) {
    *ret_n = cluster->n_nodes;
    return cluster->nodes;
}

static void node_changed(dray_cluster *cluster, dray_str name, const void *before,
                         const void *after) {
    dray_node_entry *entry = dray_cluster_node_of(cluster, name);
    (void)before;
    entry->node.body = after;
    entry->node.changes++;
    entry->body_changes++;
}

static void pod_changed(dray_cluster *cluster, dray_str name, const void *before,
                        const void *after) {
    const dray_core_pod *old = before, *new = after;
    (void)name;
    if (old != NULL && old->spec->node_name.n != 0) {
        dray_cluster_node *node = &dray_cluster_node_of(cluster, old->spec->node_name)->node;
        uint32_t i = 0;
        while (i < node->n_pods && node->pods[i] != old)
            i++;
        if (i < node->n_pods)
            node->pods[i] = node->pods[--node->n_pods];
        node->changes++;
    }
    if (new == NULL || new->spec->node_name.n == 0)
        return;
    dray_node_entry *entry = dray_cluster_node_of(cluster, new->spec->node_name);
    if (entry->node.n_pods == entry->pods_room) {
        entry->pods_room = entry->pods_room != 0 ? entry->pods_room * 2 : 4;
        entry->node.pods =
            dray_realloc(entry->node.pods, dray_size_mul(entry->pods_room, sizeof(void *)));
    }
    entry->node.pods[entry->node.n_pods++] = new;
    entry->node.changes++;
}

static void claim_changed(dray_cluster *cluster, dray_str name, const void *before,
                          const void *after) {
    (void)name;
    dray_ledger_claim(cluster, before, after);
}

static void slice_changed(dray_cluster *cluster, dray_str name, const void *before,
                          const void *after) {
    if (before != NULL)
        dray_cluster_slice_remove(cluster, name);
    if (after != NULL)
        dray_cluster_slice_add(cluster, after);
}

static void rule_changed(dray_cluster *cluster, dray_str name, const void *before,
                         const void *after) {
    (void)name;
    (void)before;
    (void)after;
    cluster->rule_changes++;
    cluster->inventory_changes++;
    cluster->changes++;
}

static void other_changed(dray_cluster *cluster, dray_str name, const void *before,
                          const void *after) {
    (void)name;
    (void)before;
    (void)after;
    cluster->changes++;
}

static const struct relation {
    const dray_type *type;
    void (*changed)(dray_cluster *cluster, dray_str name, const void *before, const void *after);
} relations[] = {
    {&dray_type_core_node, node_changed},
    {&dray_type_core_pod, pod_changed},
    {&dray_type_resource_claim, claim_changed},
    {&dray_type_resource_slice, slice_changed},
    {&dray_type_resource_device_taint_rule, rule_changed},
    {NULL, other_changed}, /* any other type: must be last */
};

static void follow(dray_cluster *cluster, const dray_type *type, dray_str name, const void *before,
                   const void *after) {
    const struct relation *r = relations;
    while (r->type != NULL && r->type != type)
        r++;
    r->changed(cluster, name, before, after);
}

void *dray_cluster_add(dray_cluster *cluster, dray_object object) {
    const dray_type *type = object.kind->type;
    dray_table *table = table_of(cluster, type);
    if (table == NULL)
        return NULL;
    const dray_meta_object_meta *meta = dray_object_meta(object);
    dray_str ns = meta->namespace;
    if (!object.kind->namespaced)
        ns = DRAY_STR("");
    else if (ns.n == 0)
        ns = DRAY_STR("default");
    const void *before = dray_table_put(table, ns, meta->name, object.body);
    follow(cluster, type, meta->name, before, object.body);
    return (void *)before;
}

void *dray_cluster_remove(dray_cluster *cluster, const dray_type *type, dray_str ns,
                          dray_str name) {
    dray_table *table = table_find(cluster, type);
    const void *before = table != NULL ? dray_table_remove(table, ns, name) : NULL;
    if (before != NULL)
        follow(cluster, type, name, before, NULL);
    return (void *)before;
}

const void *dray_cluster_find(const dray_cluster *cluster, const dray_type *type, dray_str ns,
                              dray_str name) {
    const dray_table *table = table_find(cluster, type);
    return table != NULL ? dray_table_find(table, ns, name) : NULL;
}

dray_cluster_list dray_cluster_all(const dray_cluster *cluster, const dray_type *type) {
    dray_table *table = table_find(cluster, type);
    return table != NULL ? dray_table_all(table) : (dray_cluster_list){0};
}
