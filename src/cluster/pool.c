/* Pools: the slices of a driver that belong together, and what is held of their devices. */
#include "cluster/cluster_int.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 16 };

static size_t id_slot(const dray_pool *pool, dray_str device, uint64_t hash) {
    size_t mask = pool->n_id_slots - 1, i = hash & mask;
    for (; pool->id_slots[i] != 0; i = (i + 1) & mask) {
        const dray_held *held = pool->ids[pool->id_slots[i] - 1];
        if (held->hash == hash && dray_str_eq(held->name, device))
            break;
    }
    return i;
}

static void grow_ids(dray_pool *pool) {
    pool->n_id_slots = pool->n_id_slots != 0 ? pool->n_id_slots * 2 : SLOTS_FIRST;
    pool->ids_room = pool->n_id_slots / 2;
    pool->ids = dray_realloc(pool->ids, dray_size_mul(pool->ids_room, sizeof *pool->ids));
    free(pool->id_slots);
    pool->id_slots = dray_calloc(pool->n_id_slots, sizeof *pool->id_slots);
    for (size_t i = 0; i < pool->n_ids; i++)
        pool->id_slots[id_slot(pool, pool->ids[i]->name, pool->ids[i]->hash)] = (uint32_t)i + 1;
}

dray_held *dray_pool_held_of(dray_cluster *cluster, dray_pool *pool, dray_str device) {
    uint64_t hash = dray_str_hash(device);
    size_t slot = pool->n_id_slots != 0 ? id_slot(pool, device, hash) : 0;
    if (pool->n_id_slots != 0 && pool->id_slots[slot] != 0)
        return pool->ids[pool->id_slots[slot] - 1];
    dray_held *held;
    if (pool->n_ids == pool->ids_room)
        grow_ids(pool);
    slot = id_slot(pool, device, hash);
    if (cluster->free_held != NULL) {
        held = cluster->free_held;
        cluster->free_held = (dray_held *)held->consumed;
        *held = (dray_held){0};
    } else {
        held = DRAY_NEW(cluster->arena, dray_held);
    }
    held->name = dray_str_dup(cluster->arena, device);
    held->hash = hash;
    pool->ids[pool->n_ids] = held;
    pool->id_slots[slot] = (uint32_t)++pool->n_ids;
    return held;
}

dray_pool *dray_cluster_pool_find(const dray_cluster *cluster, dray_str driver, dray_str name) {
    return (dray_pool *)dray_table_find(&cluster->pool_names, driver, name);
}

dray_pool *dray_cluster_pool_of(dray_cluster *cluster, dray_str driver, dray_str name) {
    dray_pool *pool = dray_cluster_pool_find(cluster, driver, name);
    if (pool != NULL)
        return pool;
    pool = dray_calloc(1, sizeof *pool + driver.n + name.n);
    char *text = (char *)(pool + 1);
    memcpy(text, driver.p != NULL ? driver.p : "", driver.n);
    memcpy(text + driver.n, name.p != NULL ? name.p : "", name.n);
    pool->driver = dray_str_n(text, driver.n);
    pool->name = dray_str_n(text + driver.n, name.n);
    pool->changes = 1;
    pool->number = cluster->n_pools;
    if (cluster->n_pools == cluster->pools_room) {
        cluster->pools_room = cluster->pools_room != 0 ? cluster->pools_room * 2 : SLOTS_FIRST;
        cluster->pools = dray_realloc(cluster->pools,
                                      dray_size_mul(cluster->pools_room, sizeof *cluster->pools));
    }
    cluster->pools[cluster->n_pools++] = pool;
    dray_table_put(&cluster->pool_names, pool->driver, pool->name, pool);
    return pool;
}

dray_pool *const *dray_cluster_pools(const dray_cluster *cluster, size_t *ret_n) {
    *ret_n = cluster->n_pools;
    return cluster->pools;
}

void dray_pool_changed(dray_cluster *cluster, dray_pool *pool) {
    pool->changes++;
    cluster->changes++;
    cluster->inventory_changes++;
    while (pool->views != NULL) {
        dray_pool_view *view = pool->views;
        pool->views = view->next;
        view->stale = true;
        dray_pool_view_drop(view);
    }
}

void dray_pool_free(dray_cluster *cluster, dray_pool *pool) {
    dray_pool_changed(cluster, pool);
    for (size_t i = 0; i < pool->n_ids; i++) {
        free(pool->ids[i]->consumed);
        pool->ids[i]->consumed = (struct dray_consumed *)cluster->free_held;
        cluster->free_held = pool->ids[i];
    }
    free(pool->ids);
    free(pool->id_slots);
    free(pool->slices);
    free(pool);
}

void dray_pool_drop_if_empty(dray_cluster *cluster, dray_pool *pool) {
    if (pool->n_slices > 0 || pool->n_held > 0)
        return;
    dray_table_remove(&cluster->pool_names, pool->driver, pool->name);
    cluster->pools[pool->number] = cluster->pools[--cluster->n_pools];
    cluster->pools[pool->number]->number = pool->number;
    dray_pool_free(cluster, pool);
}
