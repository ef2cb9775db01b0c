/* A hash map from strings to pointers or numbers, in an arena.
 *
 *     dray_map map = dray_map_new(arena);
 *     dray_map_put(&map, key, value);           key bytes are borrowed: they must outlive the map
 *     void *found = dray_map_find(&map, key);   NULL when absent
 *
 * Iteration is in order of insertion: entries[0 … n). Nothing is ever removed; put replaces.
 */
#ifndef DRAY_BASE_MAP_H
#define DRAY_BASE_MAP_H

#include "base/str.h"

typedef struct dray_map_entry {
    dray_str key;
    uint64_t hash;
    void *value;
} dray_map_entry;

typedef struct dray_map {
    dray_arena *arena;
    dray_map_entry *entries;
    uint32_t n, room;
    uint32_t *slots; /* entry index + 1, 0 = free */
    uint32_t n_slots;
} dray_map;

dray_map dray_map_new(dray_arena *arena);
/* The old value, or NULL when key was absent. */
void *dray_map_put(dray_map *map, dray_str key, void *value);
void *dray_map_find(const dray_map *map, dray_str key);
/* The entry's index in entries, or -1. */
int64_t dray_map_index(const dray_map *map, dray_str key);
/* Finds key or adds it with value NULL; the entry is borrowed until the next put. */
dray_map_entry *dray_map_entry_of(dray_map *map, dray_str key);

#endif
