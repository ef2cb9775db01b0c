/* Documents as a tree: look-ups. */
#include "data/tree.h"

#include "base/vec.h"
#include "data/members_int.h"

const dray_node *dray_node_find(const dray_node *map, dray_str key) {
    if (map == NULL || map->kind != DRAY_NODE_MAP)
        return NULL;
    for (size_t i = map->map.n; i > 0; i--)
        if (dray_str_eq(map->map.members[i - 1].key, key))
            return &map->map.members[i - 1].value;
    return NULL;
}

dray_str dray_node_string(const dray_node *node) {
    return node != NULL && node->kind == DRAY_NODE_STRING ? node->text : DRAY_STR_NONE;
}

const char *dray_node_kind_text(dray_node_kind kind) {
    static const char *const texts[] = {"null",     "a bool", "a number",
                                        "a string", "a list", "a map"};
    return texts[kind];
}

static int compare_keys(const void *a, const void *b, void *context) {
    const dray_member *const *left = a, *const *right = b;
    return dray_str_cmp((*left)->key, (*right)->key);
}

const dray_member **dray_members_sorted(const dray_node *map, dray_arena *arena, size_t *ret_n) {
    const dray_member **sorted = DRAY_NEW_N(arena, const dray_member *, map->map.n);
    bool in_order = true;
    for (size_t i = 0; i < map->map.n; i++) {
        sorted[i] = &map->map.members[i];
        in_order = in_order && (i == 0 || dray_str_cmp(sorted[i - 1]->key, sorted[i]->key) < 0);
    }
    *ret_n = map->map.n;
    if (in_order)
        return sorted;
    dray_sort(sorted, map->map.n, sizeof *sorted, compare_keys, NULL);
    size_t n = 0;
    for (size_t i = 0; i < map->map.n; i++)
        if (i + 1 == map->map.n || !dray_str_eq(sorted[i]->key, sorted[i + 1]->key))
            sorted[n++] = sorted[i];
    *ret_n = n;
    return sorted;
}
