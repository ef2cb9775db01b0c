/* NodePorts: a host port can be taken once per address. */
#include "plan/plugin.h"

static dray_plan_status prefilter(dray_plan_cycle *cycle, int slot) {
    return (dray_plan_status){.code = cycle->pod->n_ports == 0 ? DRAY_PLAN_SKIP : DRAY_PLAN_OK};
}

static bool conflict(const dray_plan_port *a, const dray_plan_port *b) {
    return a->port == b->port && dray_str_eq(a->protocol, b->protocol) &&
           (dray_str_eq(a->ip, b->ip) || dray_str_is(a->ip, "0.0.0.0") ||
            dray_str_is(b->ip, "0.0.0.0"));
}

static bool taken(const dray_plan_pod *by, const dray_plan_port *wanted) {
    for (size_t i = 0; i < by->n_ports; i++)
        if (conflict(&by->ports[i], wanted))
            return true;
    return false;
}

static dray_plan_status filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    for (size_t i = 0; i < cycle->pod->n_ports; i++)
        for (size_t k = 0; k < node->pods.n; k++)
            if (taken(node->pods.v[k], &cycle->pod->ports[i]))
                return dray_plan_unschedulable(
                    cycle, "node(s) didn't have free ports for the requested pod ports");
    return DRAY_PLAN_STATUS_OK;
}

const dray_plan_plugin dray_plan_node_ports = {
    .name = "NodePorts",
    .scope = DRAY_PLAN_SCOPE_NODE,
    .prefilter = prefilter,
    .filter = filter,
};
