/* YAML on its way to JSON: duplicates are reported, members sorted, as Go's maps leave them.
 * Source: sigs.k8s.io/yaml (YAMLToJSON, YAMLToJSONStrict). */
#include "api/decode_int.h"

#include "base/map.h"
#include "base/vec.h"

enum {
    MAX_DEPTH = 10000,
    FEW_MEMBERS = 16, /* up to here duplicates are found by comparing each with each */
};

static void report(dray_decode_report *report, const dray_member *m) {
    dray_str text = dray_strf(report->arena, "line %u: key \"" DRAY_FMT "\" already set in map",
                              m->value.line, DRAY_ARG(m->key));
    dray_place place = {m->key, m->line, m->column};
    DRAY_PUSH(report->arena, &report->strict, text);
    DRAY_PUSH(report->arena, &report->unknown, place);
}

static bool is_duplicate(const dray_node *map, size_t i, dray_map *many) {
    dray_str key = map->map.members[i].key;
    if (map->map.n > FEW_MEMBERS)
        return dray_map_put(many, key, (void *)map) != NULL;
    for (size_t j = 0; j < i; j++)
        if (dray_str_eq(map->map.members[j].key, key))
            return true;
    return false;
}

/* In the order in which the YAML reader meets them: a value's own duplicates before its key's. */
static void report_duplicates(decoder *d, const dray_node *node, int depth) {
    if (depth > MAX_DEPTH)
        return;
    if (node->kind == DRAY_NODE_LIST)
        for (size_t i = 0; i < node->list.n; i++)
            report_duplicates(d, &node->list.items[i], depth + 1);
    if (node->kind != DRAY_NODE_MAP)
        return;
    dray_map many = dray_map_new(d->arena);
    for (size_t i = 0; i < node->map.n; i++) {
        report_duplicates(d, &node->map.members[i].value, depth + 1);
        if (is_duplicate(node, i, &many))
            report(d->report, &node->map.members[i]);
    }
}

static int compare_members(const void *a, const void *b, void *context) {
    (void)context;
    return dray_str_cmp(((const dray_member *)a)->key, ((const dray_member *)b)->key);
}

static void sort_node(decoder *d, dray_node *node, int depth);

/* The sort is stable, so of equal keys the last one stands last. */
static void sort_map(decoder *d, dray_node *node, int depth) {
    size_t n = node->map.n, kept = 0;
    dray_member *members = DRAY_NEW_N(d->arena, dray_member, n + 1);
    if (n != 0)
        memcpy(members, node->map.members, n * sizeof *members);
    dray_sort(members, n, sizeof *members, compare_members, NULL);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !dray_str_eq(members[i].key, members[i + 1].key))
            members[kept++] = members[i];
    node->map.members = members;
    node->map.n = kept;
    for (size_t i = 0; i < kept; i++)
        sort_node(d, &members[i].value, depth + 1);
}

static void sort_node(decoder *d, dray_node *node, int depth) {
    if (depth > MAX_DEPTH) {
        decode_end(d, dray_err_set(d->err, DRAY_E_LIMIT, "the document is nested more than %d deep",
                                   MAX_DEPTH));
        return;
    }
    if (node->kind == DRAY_NODE_MAP) {
        sort_map(d, node, depth);
    } else if (node->kind == DRAY_NODE_LIST && node->list.n != 0) {
        dray_node *items = DRAY_NEW_N(d->arena, dray_node, node->list.n);
        memcpy(items, node->list.items, node->list.n * sizeof *items);
        node->list.items = items;
        for (size_t i = 0; i < node->list.n; i++)
            sort_node(d, &items[i], depth + 1);
    }
}

const dray_node *dray_decode_yaml(decoder *d, const dray_node *node) {
    if (d->report != NULL)
        report_duplicates(d, node, 0);
    dray_node *sorted = DRAY_NEW(d->arena, dray_node);
    *sorted = *node;
    sort_node(d, sorted, 0);
    return sorted;
}
