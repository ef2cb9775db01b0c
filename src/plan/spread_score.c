/* PodTopologySpread, the score: fewer matching Pods in a node's domains is better. */
#include "plan/spread.h"

#include <math.h>

#define HOSTNAME "kubernetes.io/hostname"

struct dray_plan_spread_scoring {
    dray_plan_spreads soft;
    dray_bits ignored; /* nodes without all the keys */
    int64_t **counts;  /* by constraint and value; a node's own Pods count for the host name */
    double *weight;
};

static bool by_host(const dray_plan_spread *c) {
    return dray_str_is(c->topology_key, HOSTNAME);
}

static void weigh(dray_plan_cycle *cycle, struct dray_plan_spread_scoring *s,
                  dray_plan_feasible nodes, bool need_keys, dray_bits *seen) {
    size_t ignored = 0;
    for (size_t k = 0; k < nodes.n; k++) {
        const dray_plan_node *node = &cycle->world->nodes[nodes.v[k]];
        if (need_keys && !dray_plan_spread_has_keys(&s->soft, node)) {
            dray_bits_set(s->ignored, node->index);
            ignored++;
            continue;
        }
        /* A node without the key has the empty value, which stands last. */
        for (size_t i = 0; i < s->soft.n; i++) {
            uint32_t value = s->soft.v[i].topology->of_node[node->index];
            dray_bits_set(seen[i],
                          value == DRAY_PLAN_NO_VALUE ? s->soft.v[i].topology->n_values : value);
        }
    }
    for (size_t i = 0; i < s->soft.n; i++) {
        size_t domains = by_host(&s->soft.v[i]) ? nodes.n - ignored : dray_bits_count(seen[i]);
        s->weight[i] = log((double)domains + 2);
    }
}

dray_plan_status dray_plan_spread_prescore(dray_plan_cycle *cycle, int slot,
                                           dray_plan_feasible nodes) {
    dray_arena *arena = cycle->arena;
    dray_plan_spread_state *state = cycle->state[slot];
    struct dray_plan_spread_scoring *s = DRAY_NEW(arena, struct dray_plan_spread_scoring);
    state->scoring = s;
    bool own = cycle->pod->pod->spec->topology_spread_constraints.n != 0;
    if (own)
        dray_plan_spreads_of(cycle, "ScheduleAnyway", &s->soft);
    else
        dray_plan_spreads_default(cycle, &s->soft);
    if (s->soft.n == 0)
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    s->ignored = dray_bits_new(arena, cycle->world->n_nodes);
    s->weight = DRAY_NEW_N(arena, double, s->soft.n);
    s->counts = DRAY_NEW_N(arena, int64_t *, s->soft.n);
    dray_bits *seen = DRAY_NEW_N(arena, dray_bits, s->soft.n);
    for (size_t i = 0; i < s->soft.n; i++) {
        uint32_t n = s->soft.v[i].topology->n_values;
        s->counts[i] = DRAY_NEW_N(arena, int64_t, n + 1);
        seen[i] = dray_bits_new(arena, n + 1);
    }
    weigh(cycle, s, nodes, own, seen);
    for (size_t k = 0; k < cycle->world->n_nodes; k++) {
        const dray_plan_node *node = &cycle->world->nodes[k];
        if (node->pods.n == 0 || (own && !dray_plan_spread_has_keys(&s->soft, node)))
            continue;
        for (size_t i = 0; i < s->soft.n; i++) {
            const dray_plan_spread *c = &s->soft.v[i];
            uint32_t value = c->topology->of_node[k];
            value = value == DRAY_PLAN_NO_VALUE ? c->topology->n_values : value;
            if (!by_host(c) && dray_bits_get(seen[i], value) &&
                dray_plan_spread_counts_node(cycle, c, node))
                s->counts[i][value] += dray_plan_spread_count(cycle, c, node);
        }
    }
    return DRAY_PLAN_STATUS_OK;
}

int64_t dray_plan_spread_score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const struct dray_plan_spread_scoring *s =
        ((dray_plan_spread_state *)cycle->state[slot])->scoring;
    if (dray_bits_get(s->ignored, node->index))
        return 0;
    double score = 0;
    for (size_t i = 0; i < s->soft.n; i++) {
        const dray_plan_spread *c = &s->soft.v[i];
        uint32_t value = c->topology->of_node[node->index];
        if (value == DRAY_PLAN_NO_VALUE)
            continue;
        int64_t count = by_host(c) ? dray_plan_spread_count(cycle, c, node) : s->counts[i][value];
        score += (double)count * s->weight[i] + (double)(c->max_skew - 1);
    }
    return (int64_t)round(score);
}

void dray_plan_spread_normalize(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes,
                                int64_t *scores) {
    const struct dray_plan_spread_scoring *s =
        ((dray_plan_spread_state *)cycle->state[slot])->scoring;
    int64_t min = INT64_MAX, max = 0;
    for (size_t i = 0; i < nodes.n; i++) {
        if (dray_bits_get(s->ignored, nodes.v[i]))
            continue;
        min = scores[i] < min ? scores[i] : min;
        max = scores[i] > max ? scores[i] : max;
    }
    for (size_t i = 0; i < nodes.n; i++) {
        if (dray_bits_get(s->ignored, nodes.v[i]))
            scores[i] = 0;
        else if (max == 0)
            scores[i] = DRAY_PLAN_MAX_SCORE;
        else
            scores[i] = DRAY_PLAN_MAX_SCORE * (max + min - scores[i]) / max;
    }
}
