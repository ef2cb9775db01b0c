/* A hash map from strings: open addressing over an array in order of insertion. */
#include "base/map.h"

dray_map dray_map_new(dray_arena *arena) {
    return (dray_map){.arena = arena};
}

static void rehash(dray_map *map, uint32_t n_slots) {
    map->slots = DRAY_NEW_N(map->arena, uint32_t, n_slots);
    map->n_slots = n_slots;
    for (uint32_t i = 0; i < map->n; i++) {
        uint32_t at = (uint32_t)map->entries[i].hash & (n_slots - 1);
        while (map->slots[at] != 0)
            at = (at + 1) & (n_slots - 1);
        map->slots[at] = i + 1;
    }
}

static int64_t find(const dray_map *map, dray_str key, uint64_t hash) {
    if (map->n_slots == 0)
        return -1;
    for (uint32_t at = (uint32_t)hash & (map->n_slots - 1); map->slots[at] != 0;
         at = (at + 1) & (map->n_slots - 1)) {
        const dray_map_entry *e = &map->entries[map->slots[at] - 1];
        if (e->hash == hash && dray_str_eq(e->key, key))
            return map->slots[at] - 1;
    }
    return -1;
}

int64_t dray_map_index(const dray_map *map, dray_str key) {
    return find(map, key, dray_str_hash(key));
}

void *dray_map_find(const dray_map *map, dray_str key) {
    int64_t at = dray_map_index(map, key);
    return at >= 0 ? map->entries[at].value : NULL;
}

dray_map_entry *dray_map_entry_of(dray_map *map, dray_str key) {
    uint64_t hash = dray_str_hash(key);
    int64_t found = find(map, key, hash);
    if (found >= 0)
        return &map->entries[found];
    if (map->n == map->room) {
        uint32_t room = map->room != 0 ? map->room * 2 : 8;
        map->entries = dray_arena_grow(map->arena, map->entries, map->room * sizeof *map->entries,
                                       dray_size_mul(room, sizeof *map->entries));
        map->room = room;
    }
    map->entries[map->n++] = (dray_map_entry){.key = key, .hash = hash};
    if (map->n * 2 > map->n_slots) {
        rehash(map, map->n_slots != 0 ? map->n_slots * 2 : 16);
    } else {
        uint32_t at = (uint32_t)hash & (map->n_slots - 1);
        while (map->slots[at] != 0)
            at = (at + 1) & (map->n_slots - 1);
        map->slots[at] = map->n;
    }
    return &map->entries[map->n - 1];
}

void *dray_map_put(dray_map *map, dray_str key, void *value) {
    dray_map_entry *e = dray_map_entry_of(map, key);
    void *old = e->value;
    e->value = value;
    return old;
}
