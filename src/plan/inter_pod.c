/* InterPodAffinity, the filter: Pods that must, or must not, be near others. */
#include "plan/inter_pod.h"

static int64_t *counts_of(dray_plan_cycle *cycle, dray_plan_tally *tally, dray_str key,
                          const dray_plan_topology **ret) {
    for (size_t i = 0; i < tally->keys.n; i++)
        if (dray_str_eq(tally->keys.v[i].topology->key, key)) {
            *ret = tally->keys.v[i].topology;
            return tally->keys.v[i].counts;
        }
    *ret = dray_plan_topology_of(cycle->world, key);
    int64_t *counts = DRAY_NEW_N(cycle->arena, int64_t, (*ret)->n_values);
    DRAY_PUSH(cycle->arena, &tally->keys, (__typeof__(*tally->keys.v)){*ret, counts});
    return counts;
}

void dray_plan_tally_add(dray_plan_cycle *cycle, dray_plan_tally *tally, dray_str key,
                         const dray_plan_node *node, int64_t by) {
    const dray_plan_topology *topology;
    int64_t *counts = counts_of(cycle, tally, key, &topology);
    uint32_t value = topology->of_node[node->index];
    if (value == DRAY_PLAN_NO_VALUE)
        return;
    tally->nonzero -= counts[value] != 0;
    counts[value] += by;
    tally->nonzero += counts[value] != 0;
}

int64_t dray_plan_tally_get(const dray_plan_tally *tally, dray_str key,
                            const dray_plan_node *node) {
    for (size_t i = 0; i < tally->keys.n; i++) {
        const dray_plan_topology *topology = tally->keys.v[i].topology;
        uint32_t value = topology->of_node[node->index];
        if (dray_str_eq(topology->key, key) && value != DRAY_PLAN_NO_VALUE)
            return tally->keys.v[i].counts[value];
    }
    return 0;
}

static bool matches_all(dray_plan_terms terms, const dray_core_pod *pod) {
    for (size_t i = 0; i < terms.n; i++)
        if (!dray_plan_term_match(&terms.v[i], pod, (dray_string_map){0}))
            return false;
    return terms.n != 0;
}

/* What an existing Pod on node, more or less, means for the incoming one. */
static void count_pod(dray_plan_cycle *cycle, dray_plan_inter_pod_state *s,
                      const dray_plan_pod *other, const dray_plan_node *node, int64_t by) {
    for (size_t i = 0; i < other->avoid.n; i++)
        if (dray_plan_term_match(&other->avoid.v[i], cycle->pod->pod, s->namespace_labels))
            dray_plan_tally_add(cycle, &s->against, other->avoid.v[i].topology_key, node, by);
    if (matches_all(s->need, other->pod))
        for (size_t i = 0; i < s->need.n; i++)
            dray_plan_tally_add(cycle, &s->near, s->need.v[i].topology_key, node, by);
    for (size_t i = 0; i < s->avoid.n; i++)
        if (dray_plan_term_match(&s->avoid.v[i], other->pod, (dray_string_map){0}))
            dray_plan_tally_add(cycle, &s->far, s->avoid.v[i].topology_key, node, by);
}

static dray_plan_status prefilter(dray_plan_cycle *cycle, int slot) {
    dray_plan_world *world = cycle->world;
    dray_plan_inter_pod_state *s = DRAY_NEW(cycle->arena, dray_plan_inter_pod_state);
    cycle->state[slot] = s;
    s->need = dray_plan_terms_resolve(world, cycle->pod->need, cycle->arena);
    s->avoid = dray_plan_terms_resolve(world, cycle->pod->avoid, cycle->arena);
    s->namespace_labels = dray_plan_namespace_labels(world, cycle->pod->pod->metadata->namespace);
    bool none = s->need.n + s->avoid.n == 0;
    if (none && world->with_avoid == 0)
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    for (size_t k = 0; k < world->n_nodes; k++) {
        const dray_plan_node *node = &world->nodes[k];
        if (none && node->with_avoid == 0)
            continue;
        for (size_t i = 0; i < node->pods.n; i++)
            count_pod(cycle, s, node->pods.v[i], node, 1);
    }
    bool skip = none && s->against.nonzero == 0;
    return (dray_plan_status){.code = skip ? DRAY_PLAN_SKIP : DRAY_PLAN_OK};
}

static dray_plan_tally clone_tally(dray_plan_cycle *cycle, const dray_plan_tally *old) {
    dray_plan_tally made = {.nonzero = old->nonzero};
    for (size_t i = 0; i < old->keys.n; i++) {
        size_t n = old->keys.v[i].topology->n_values;
        int64_t *counts = DRAY_NEW_N(cycle->arena, int64_t, n);
        if (n != 0)
            memcpy(counts, old->keys.v[i].counts, n * sizeof *counts);
        DRAY_PUSH(cycle->arena, &made.keys,
                  (__typeof__(*made.keys.v)){old->keys.v[i].topology, counts});
    }
    return made;
}

static void *clone(dray_plan_cycle *cycle, int slot) {
    const dray_plan_inter_pod_state *old = cycle->state[slot];
    dray_plan_inter_pod_state *s = DRAY_NEW(cycle->arena, dray_plan_inter_pod_state);
    *s = *old;
    s->near = clone_tally(cycle, &old->near);
    s->far = clone_tally(cycle, &old->far);
    s->against = clone_tally(cycle, &old->against);
    return s;
}

static void update(dray_plan_cycle *cycle, int slot, const dray_plan_pod *pod,
                   const dray_plan_node *node, int delta) {
    count_pod(cycle, cycle->state[slot], pod, node, delta);
}

/* Every key must be there and count a Pod; where no Pod matches anywhere, one that would match
 * itself may be the first. */
static bool near_enough(const dray_plan_cycle *cycle, const dray_plan_inter_pod_state *s,
                        const dray_plan_node *node) {
    bool found = true;
    for (size_t i = 0; i < s->need.n; i++) {
        dray_str key = s->need.v[i].topology_key;
        if (!dray_plan_has_label(node->node->metadata->labels, key))
            return false;
        found &= dray_plan_tally_get(&s->near, key, node) > 0;
    }
    return found || (s->near.nonzero == 0 && matches_all(s->need, cycle->pod->pod));
}

static bool too_near(const dray_plan_inter_pod_state *s, const dray_plan_node *node) {
    for (size_t i = 0; i < s->avoid.n; i++)
        if (dray_plan_tally_get(&s->far, s->avoid.v[i].topology_key, node) > 0)
            return true;
    return false;
}

static bool is_avoided(const dray_plan_inter_pod_state *s, const dray_plan_node *node) {
    for (size_t i = 0; i < s->against.keys.n; i++) {
        uint32_t value = s->against.keys.v[i].topology->of_node[node->index];
        if (value != DRAY_PLAN_NO_VALUE && s->against.keys.v[i].counts[value] > 0)
            return true;
    }
    return false;
}

static dray_plan_status filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const dray_plan_inter_pod_state *s = cycle->state[slot];
    if (s->need.n != 0 && !near_enough(cycle, s, node))
        return dray_plan_unresolvable(cycle, "node(s) didn't match pod affinity rules");
    if (too_near(s, node))
        return dray_plan_unschedulable(cycle, "node(s) didn't match pod anti-affinity rules");
    if (is_avoided(s, node))
        return dray_plan_unschedulable(cycle,
                                       "node(s) didn't satisfy existing pods anti-affinity rules");
    return DRAY_PLAN_STATUS_OK;
}

const dray_plan_plugin dray_plan_inter_pod_affinity = {
    .name = "InterPodAffinity",
    .scope = DRAY_PLAN_SCOPE_CLUSTER,
    .weight = 2,
    .prefilter = prefilter,
    .filter = filter,
    .clone = clone,
    .update = update,
    .prescore = dray_plan_inter_pod_prescore,
    .score = dray_plan_inter_pod_score,
    .normalize = dray_plan_inter_pod_normalize,
};
