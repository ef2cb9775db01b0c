/* TaintToleration: taints that keep a Pod off a node, and those that only discourage it. */
#include "plan/plugin.h"

static bool numeric(const dray_plan_cycle *cycle) {
    return dray_gates_on(&cycle->world->gates, DRAY_GATE_TaintTolerationComparisonOperators);
}

static dray_plan_status filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    if (node->node->spec->taints.n == 0 ||
        dray_plan_untolerated(cycle->pod->pod->spec, node->node, numeric(cycle)) == NULL)
        return DRAY_PLAN_STATUS_OK;
    return dray_plan_unresolvable(cycle, "node(s) had untolerated taint(s)");
}

/* Only tolerations of every effect or of this one count here. */
static bool tolerated(const dray_core_pod_spec *spec, const dray_core_taint *taint, bool numbers) {
    for (size_t i = 0; i < spec->tolerations.n; i++) {
        const dray_core_toleration *t = &spec->tolerations.v[i];
        if ((t->effect.n == 0 || dray_str_is(t->effect, "PreferNoSchedule")) &&
            dray_plan_tolerates(t, taint, numbers))
            return true;
    }
    return false;
}

static int64_t score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    int64_t against = 0;
    for (size_t i = 0; i < node->node->spec->taints.n; i++) {
        const dray_core_taint *taint = &node->node->spec->taints.v[i];
        if (dray_str_is(taint->effect, "PreferNoSchedule"))
            against += !tolerated(cycle->pod->pod->spec, taint, numeric(cycle));
    }
    return against;
}

static void normalize(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes, int64_t *scores) {
    dray_plan_normalize(scores, nodes.n, true);
}

const dray_plan_plugin dray_plan_taint_toleration = {
    .name = "TaintToleration",
    .weight = 3,
    .filter = filter,
    .score = score,
    .normalize = normalize,
};
