/* Documents as a tree: look-ups. */
#include "data/tree.h"

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
    static const char *const texts[] = {"null", "a bool", "a number", "a string", "a list", "a map"};
    return texts[kind];
}
