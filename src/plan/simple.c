/* The plugins that need no state: gates, node name, cordon, declared features. */
#include "plan/plugin.h"

static dray_plan_status gates_pre_enqueue(dray_plan_cycle *cycle, int slot) {
    const dray_core_pod_spec *spec = cycle->pod->pod->spec;
    if (spec->scheduling_gates.n == 0)
        return DRAY_PLAN_STATUS_OK;
    dray_buf text = DRAY_BUF_INIT;
    dray_buf_puts(&text, "waiting for scheduling gates: [");
    for (size_t i = 0; i < spec->scheduling_gates.n; i++) {
        dray_buf_puts(&text, i != 0 ? " " : "");
        dray_buf_str_add(&text, spec->scheduling_gates.v[i].name);
    }
    dray_buf_putc(&text, ']');
    dray_plan_status status =
        dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE, dray_buf_str(&text));
    dray_buf_done(&text);
    return status;
}

const dray_plan_plugin dray_plan_scheduling_gates = {
    .name = "SchedulingGates",
    .pre_enqueue = gates_pre_enqueue,
};

static dray_plan_status name_filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    dray_str wanted = cycle->pod->pod->spec->node_name;
    if (wanted.n == 0 || dray_str_eq(wanted, node->name))
        return DRAY_PLAN_STATUS_OK;
    return dray_plan_unresolvable(cycle, "node(s) didn't match the requested node name");
}

const dray_plan_plugin dray_plan_node_name = {
    .name = "NodeName",
    .filter = name_filter,
};

static dray_plan_status cordon_filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    if (!node->node->spec->unschedulable)
        return DRAY_PLAN_STATUS_OK;
    dray_core_taint taint = {
        .key = DRAY_STR("node.kubernetes.io/unschedulable"),
        .effect = DRAY_STR("NoSchedule"),
    };
    bool numeric =
        dray_gates_on(&cycle->world->gates, DRAY_GATE_TaintTolerationComparisonOperators);
    if (dray_plan_spec_tolerates(cycle->pod->pod->spec, &taint, numeric))
        return DRAY_PLAN_STATUS_OK;
    return dray_plan_unresolvable(cycle, "node(s) were unschedulable");
}

const dray_plan_plugin dray_plan_node_unschedulable = {
    .name = "NodeUnschedulable",
    .filter = cordon_filter,
};

/* What a Pod's spec needs a node to declare. Source: component-helpers' nodedeclaredfeatures. */
static bool restarts_all(const dray_core_pod_spec *spec) {
    for (size_t k = 0; k < spec->containers.n + spec->init_containers.n; k++) {
        const dray_core_container *c = k < spec->containers.n
                                           ? &spec->containers.v[k]
                                           : &spec->init_containers.v[k - spec->containers.n];
        for (size_t i = 0; i < c->restart_policy_rules.n; i++)
            if (dray_str_is(c->restart_policy_rules.v[i].action, "RestartAllContainers"))
                return true;
    }
    return false;
}

static bool host_user_namespace(const dray_core_pod_spec *spec) {
    return spec->host_network && spec->host_users.set && !spec->host_users.v;
}

static bool binds_with_options(const dray_core_pod_spec *spec) {
    for (size_t k = 0; k < spec->containers.n + spec->init_containers.n; k++) {
        const dray_core_container *c = k < spec->containers.n
                                           ? &spec->containers.v[k]
                                           : &spec->init_containers.v[k - spec->containers.n];
        for (size_t i = 0; i < c->volume_mounts.n; i++)
            if (c->volume_mounts.v[i].bind_mount_options.n != 0)
                return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool (*needed)(const dray_core_pod_spec *spec);
} features[] = {
    {"RestartAllContainersOnContainerExits", restarts_all},
    {"UserNamespacesHostNetworkSupport", host_user_namespace},
    {"VolumeBindMountOptions", binds_with_options},
};

static dray_plan_status features_prefilter(dray_plan_cycle *cycle, int slot) {
    if (!dray_gates_on(&cycle->world->gates, DRAY_GATE_NodeDeclaredFeatures))
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    for (size_t i = 0; i < DRAY_COUNT(features); i++)
        if (features[i].needed(cycle->pod->pod->spec))
            return DRAY_PLAN_STATUS_OK;
    return (dray_plan_status){.code = DRAY_PLAN_SKIP};
}

static dray_plan_status features_filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    dray_strings has = node->node->status->declared_features;
    for (size_t i = 0; i < DRAY_COUNT(features); i++) {
        bool found = !features[i].needed(cycle->pod->pod->spec);
        for (size_t k = 0; k < has.n && !found; k++)
            found = dray_str_is(has.v[k], features[i].name);
        if (!found)
            return dray_plan_unresolvable(cycle, "node(s) didn't match Pod's required features");
    }
    return DRAY_PLAN_STATUS_OK;
}

const dray_plan_plugin dray_plan_declared_features = {
    .name = "NodeDeclaredFeatures",
    .prefilter = features_prefilter,
    .filter = features_filter,
};
