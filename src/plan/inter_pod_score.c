/* InterPodAffinity, the score: preferred terms of both sides, and required ones of the others. */
#include "plan/inter_pod.h"

/* InterPodAffinityArgs.hardPodAffinityWeight. */
enum { HARD_WEIGHT = 1 };

static void add_terms(dray_plan_cycle *cycle, dray_plan_inter_pod_state *s, dray_plan_terms terms,
                      int64_t sign, const dray_core_pod *pod, dray_string_map labels,
                      const dray_plan_node *node) {
    for (size_t i = 0; i < terms.n; i++)
        if (dray_plan_term_match(&terms.v[i], pod, labels))
            dray_plan_tally_add(cycle, &s->points, terms.v[i].topology_key, node,
                                sign * terms.v[i].weight);
}

static void add_pod(dray_plan_cycle *cycle, dray_plan_inter_pod_state *s,
                    const dray_plan_pod *other, const dray_plan_node *node) {
    const dray_string_map none = {0};
    const dray_core_pod *pod = cycle->pod->pod;
    add_terms(cycle, s, s->prefer, 1, other->pod, none, node);
    add_terms(cycle, s, s->dislike, -1, other->pod, none, node);
    for (size_t i = 0; i < other->need.n; i++)
        if (dray_plan_term_match(&other->need.v[i], pod, s->namespace_labels))
            dray_plan_tally_add(cycle, &s->points, other->need.v[i].topology_key, node,
                                HARD_WEIGHT);
    add_terms(cycle, s, other->prefer, 1, pod, s->namespace_labels, node);
    add_terms(cycle, s, other->dislike, -1, pod, s->namespace_labels, node);
}

dray_plan_status dray_plan_inter_pod_prescore(dray_plan_cycle *cycle, int slot,
                                              dray_plan_feasible nodes) {
    dray_plan_world *world = cycle->world;
    dray_plan_inter_pod_state *s = cycle->state[slot];
    s->prefer = dray_plan_terms_resolve(world, cycle->pod->prefer, cycle->arena);
    s->dislike = dray_plan_terms_resolve(world, cycle->pod->dislike, cycle->arena);
    s->points = (dray_plan_tally){0};
    bool own = s->prefer.n + s->dislike.n != 0;
    if (!own && world->with_affinity == 0)
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    for (size_t k = 0; k < world->n_nodes; k++) {
        const dray_plan_node *node = &world->nodes[k];
        if (!own && node->with_affinity == 0)
            continue;
        for (size_t i = 0; i < node->pods.n; i++)
            if (own || dray_plan_pod_has_terms(node->pods.v[i]))
                add_pod(cycle, s, node->pods.v[i], node);
    }
    return (dray_plan_status){.code = s->points.keys.n == 0 ? DRAY_PLAN_SKIP : DRAY_PLAN_OK};
}

int64_t dray_plan_inter_pod_score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const dray_plan_inter_pod_state *s = cycle->state[slot];
    int64_t sum = 0;
    for (size_t i = 0; i < s->points.keys.n; i++) {
        uint32_t value = s->points.keys.v[i].topology->of_node[node->index];
        if (value != DRAY_PLAN_NO_VALUE)
            sum += s->points.keys.v[i].counts[value];
    }
    return sum;
}

void dray_plan_inter_pod_normalize(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes,
                                   int64_t *scores) {
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (size_t i = 0; i < nodes.n; i++) {
        min = scores[i] < min ? scores[i] : min;
        max = scores[i] > max ? scores[i] : max;
    }
    for (size_t i = 0; i < nodes.n; i++)
        scores[i] = max == min ? 0
                               : (int64_t)((double)DRAY_PLAN_MAX_SCORE *
                                           ((double)(scores[i] - min) / (double)(max - min)));
}
