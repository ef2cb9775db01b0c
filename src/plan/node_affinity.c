/* NodeAffinity: spec.nodeSelector, required and preferred node affinity. */
#include "cluster/node_selector.h"
#include "plan/plugin.h"

static const dray_core_node_affinity *affinity_of(const dray_plan_cycle *cycle) {
    const dray_core_affinity *affinity = cycle->pod->pod->spec->affinity;
    return affinity != NULL ? affinity->node_affinity : NULL;
}

static bool is_named(const dray_core_node_selector_requirement *field) {
    return dray_str_is(field->key, "metadata.name") && dray_str_is(field->operator, "In");
}

typedef DRAY_VEC(dray_str) name_set;

static bool has_name(const dray_str *names, size_t n, dray_str name) {
    for (size_t i = 0; i < n; i++)
        if (dray_str_eq(names[i], name))
            return true;
    return false;
}

/* The names that every field of the term allows; false when the term names no node. */
static bool named_by(dray_plan_cycle *cycle, const dray_core_node_selector_term *term,
                     name_set *ret) {
    bool narrowed = false;
    name_set names = {0};
    for (size_t i = 0; i < term->match_fields.n; i++) {
        const dray_core_node_selector_requirement *field = &term->match_fields.v[i];
        if (!is_named(field))
            continue;
        name_set kept = {0};
        for (size_t k = 0; k < field->values.n; k++)
            if (!narrowed || has_name(names.v, names.n, field->values.v[k]))
                DRAY_PUSH(cycle->arena, &kept, field->values.v[k]);
        names = kept;
        narrowed = true;
    }
    *ret = names;
    return narrowed;
}

static void narrow(dray_plan_cycle *cycle, const name_set *names) {
    dray_bits nodes = dray_bits_new(cycle->arena, cycle->world->n_nodes);
    for (size_t i = 0; i < names->n; i++) {
        const dray_plan_node *node = dray_plan_node_find(cycle->world, names->v[i]);
        if (node != NULL)
            dray_bits_set(nodes, node->index);
    }
    cycle->only = nodes;
    cycle->narrowed = true;
    DRAY_PUSH(cycle->arena, &cycle->narrowed_by, DRAY_STR("NodeAffinity"));
}

static dray_plan_status prefilter(dray_plan_cycle *cycle, int slot) {
    const dray_core_node_affinity *affinity = affinity_of(cycle);
    const dray_core_node_selector *required =
        affinity != NULL ? affinity->required_during_scheduling_ignored_during_execution : NULL;
    if (required == NULL && cycle->pod->pod->spec->node_selector.k == NULL)
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    if (required == NULL || required->node_selector_terms.n == 0)
        return DRAY_PLAN_STATUS_OK;
    name_set all = {0};
    for (size_t i = 0; i < required->node_selector_terms.n; i++) {
        name_set names;
        if (!named_by(cycle, &required->node_selector_terms.v[i], &names))
            return DRAY_PLAN_STATUS_OK;
        for (size_t k = 0; k < names.n; k++)
            DRAY_PUSH(cycle->arena, &all, names.v[k]);
    }
    if (all.n == 0)
        return dray_plan_unresolvable(cycle, "pod affinity terms conflict");
    narrow(cycle, &all);
    return DRAY_PLAN_STATUS_OK;
}

static dray_plan_status filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    if (dray_plan_required_affinity_match(cycle->pod->pod->spec, node->node))
        return DRAY_PLAN_STATUS_OK;
    return dray_plan_unresolvable(cycle, "node(s) didn't match Pod's node affinity/selector");
}

static dray_plan_status prescore(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes) {
    const dray_core_node_affinity *affinity = affinity_of(cycle);
    bool none = affinity == NULL ||
                affinity->preferred_during_scheduling_ignored_during_execution.v == NULL;
    return (dray_plan_status){.code = none ? DRAY_PLAN_SKIP : DRAY_PLAN_OK};
}

static int64_t score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const dray_core_node_affinity *affinity = affinity_of(cycle);
    int64_t sum = 0;
    for (size_t i = 0; i < affinity->preferred_during_scheduling_ignored_during_execution.n; i++) {
        const dray_core_preferred_scheduling_term *term =
            &affinity->preferred_during_scheduling_ignored_during_execution.v[i];
        if (dray_node_selector_term_match(term->preference, node->node))
            sum += term->weight;
    }
    return sum;
}

static void normalize(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes, int64_t *scores) {
    dray_plan_normalize(scores, nodes.n, false);
}

const dray_plan_plugin dray_plan_node_affinity = {
    .name = "NodeAffinity",
    .weight = 2,
    .prefilter = prefilter,
    .filter = filter,
    .prescore = prescore,
    .score = score,
    .normalize = normalize,
};
