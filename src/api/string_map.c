/* Maps from strings to strings, ordered by key. */
#include "api/types.h"

dray_str dray_string_map_find(dray_string_map map, dray_str key) {
    size_t low = 0, high = map.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (dray_str_cmp(map.k[mid], key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < map.n && dray_str_eq(map.k[low], key) ? map.v[low] : DRAY_STR_NONE;
}

void dray_string_map_put(dray_string_map *map, dray_str key, dray_str value, dray_arena *arena) {
    dray_string_map to = {DRAY_NEW_N(arena, dray_str, map->n + 1),
                          DRAY_NEW_N(arena, dray_str, map->n + 1), 0};
    bool placed = false;
    for (size_t i = 0; i <= map->n; i++) {
        int order = i < map->n ? dray_str_cmp(map->k[i], key) : 1;
        if (!placed && order >= 0) {
            to.k[to.n] = key;
            to.v[to.n++] = value;
            placed = true;
        }
        if (i < map->n && order != 0) {
            to.k[to.n] = map->k[i];
            to.v[to.n++] = map->v[i];
        }
    }
    *map = to;
}

bool dray_string_map_same(dray_string_map a, dray_string_map b) {
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (!dray_str_eq(a.k[i], b.k[i]) || !dray_str_eq(a.v[i], b.v[i]))
            return false;
    return true;
}
