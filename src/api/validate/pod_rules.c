/* Which rules hold for a Pod: by gate, and what the stored Pod already breaks. */
#include "api/validate/pod_int.h"

static bool old_huge_pages(dray_request *rq, const dray_core_pod_spec *old) {
    for (size_t i = 0; i < dray_pod_n_containers(old); i++) {
        const dray_core_resource_requirements *r = dray_pod_container(old, i).container->resources;
        const dray_resource_list lists[] = {DRAY_RESOURCES(r->limits), DRAY_RESOURCES(r->requests)};
        for (size_t j = 0; j < 2; j++)
            for (size_t k = 0; k < lists[j].n; k++)
                if (dray_is_huge_page(lists[j].k[k]) &&
                    !dray_huge_page_divisible(lists[j].k[k], lists[j].v[k], rq->arena))
                    return true;
    }
    return false;
}

static bool old_affinity_values(dray_request *rq, const dray_core_pod_spec *old) {
    const dray_core_node_selector *required =
        old->affinity != NULL && old->affinity->node_affinity != NULL
            ? old->affinity->node_affinity->required_during_scheduling_ignored_during_execution
            : NULL;
    for (size_t i = 0; required != NULL && i < required->node_selector_terms.n; i++) {
        const dray_core_node_selector_term *term = &required->node_selector_terms.v[i];
        for (size_t j = 0; j < term->match_expressions.n; j++)
            for (size_t k = 0; k < term->match_expressions.v[j].values.n; k++)
                if (!passes(rq, term->match_expressions.v[j].values.v[k], dray_check_label_value))
                    return true;
    }
    return false;
}

static bool old_spread_selectors(dray_request *rq, const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->topology_spread_constraints.n; i++)
        if (!dray_label_selector_valid(rq, old->topology_spread_constraints.v[i].label_selector))
            return true;
    return false;
}

static bool old_token_paths(dray_request *rq, const dray_core_pod_spec *old) {
    dray_errors errors = {.arena = rq->arena};
    dray_request probe = *rq;
    probe.errors = &errors;
    for (size_t i = 0; i < old->volumes.n; i++) {
        const dray_core_projected_volume_source *p = old->volumes.v[i].volume_source->projected;
        for (size_t j = 0; p != NULL && j < p->sources.n; j++)
            if (p->sources.v[j].service_account_token != NULL)
                dray_validate_local_free_path(&probe, p->sources.v[j].service_account_token->path,
                                              NULL);
    }
    return errors.list.n > 0;
}

static bool old_sysctls(const dray_core_pod_spec *old) {
    const dray_core_pod_security_context *context = old->security_context;
    for (size_t i = 0; context != NULL && i < context->sysctls.n; i++)
        if (dray_host_sysctl_refused(old, context->sysctls.v[i].name))
            return true;
    return false;
}

static bool old_comparison(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->tolerations.n; i++)
        if (IS_ONE_OF(old->tolerations.v[i].operator, "Lt", "Gt"))
            return true;
    return false;
}

static bool old_restart_all(const dray_core_container *c) {
    for (size_t i = 0; i < c->restart_policy_rules.n; i++)
        if (dray_str_is(c->restart_policy_rules.v[i].action, "RestartAllContainers"))
            return true;
    return false;
}

/* What each container of the stored Pod has that would not pass today. */
static void allow_old_containers(dray_pod_check *check, const dray_core_pod_spec *old) {
    for (size_t i = 0; i < dray_pod_n_containers(old); i++) {
        const dray_core_container *c = dray_pod_container(old, i).container;
        bool init = i < old->init_containers.n;
        bool regular = !init && i < old->init_containers.n + old->containers.n;
        const dray_core_security_context *context = c->security_context;
        if (init && is_sidecar(c) && c->resize_policy.n > 0)
            check->sidecar_resize_policy = true;
        for (size_t j = 0; init && !is_sidecar(c) && j < c->resize_policy.n; j++)
            if (dray_str_is(c->resize_policy.v[j].restart_policy, "RestartContainer"))
                check->restart_container_init = true;
        if ((init &&
             ((c->restart_policy.p != NULL && !is_sidecar(c)) || c->restart_policy_rules.n > 0)) ||
            (regular && c->restart_policy.p != NULL))
            check->restart_rules = true;
        if ((init || regular) &&
            (old_restart_all(c) || (init && is_sidecar(c) && c->restart_policy_rules.n > 0)))
            check->restart_all_containers = true;
        if (old->host_users.set && !old->host_users.v && c->volume_devices.n > 0)
            check->user_namespace_devices = true;
        for (size_t j = 0; j < c->env.n; j++)
            if (c->env.v[j].value_from != NULL && c->env.v[j].value_from->file_key_ref != NULL)
                check->env_files = true;
        for (size_t j = 0;
             context != NULL && context->capabilities != NULL &&
             !(context->allow_privilege_escalation.set && context->allow_privilege_escalation.v) &&
             j < context->capabilities->add.n;
             j++)
            if (dray_str_is(context->capabilities->add.v[j], "CAP_SYS_ADMIN"))
                check->sys_admin_no_escalation = true;
    }
}

static void allow_old(dray_pod_check *check, const dray_core_pod_spec *old) {
    dray_request *rq = check->rq;
    const dray_core_pod_security_context *context = old->security_context;
    check->indivisible_huge_pages = old_huge_pages(rq, old);
    check->bad_selector_values = !dray_affinity_selectors_valid(rq, old);
    check->bad_affinity_values = old_affinity_values(rq, old);
    check->bad_spread_selectors = old_spread_selectors(rq, old);
    check->nonlocal_token_paths = old_token_paths(rq, old);
    check->host_sysctls = old_sysctls(old);
    check->toleration_comparison = check->toleration_comparison || old_comparison(old);
    if (context != NULL && context->se_linux_change_policy.p != NULL)
        check->only_recursive_selinux = false;
    if (check->spread_match_labels && check->spread_merge)
        check->old_breaks_match_labels = !dray_spread_match_labels_valid(rq, old, false);
    else if (check->spread_match_labels)
        check->old_breaks_legacy_match_labels = !dray_spread_match_labels_valid(rq, old, true);
    if (old->host_users.set && !old->host_users.v && old->host_network)
        check->user_namespace_host_network = true;
    for (size_t i = 0; i < old->volumes.n; i++) {
        const dray_core_image_volume_source *image = old->volumes.v[i].volume_source->image;
        if (image != NULL && image->reference.n == 0)
            check->empty_image_reference = true;
    }
    allow_old_containers(check, old);
}

dray_pod_check dray_pod_check_of(dray_request *rq, const dray_core_pod_spec *spec,
                                 const dray_core_pod_spec *old, const dray_meta_object_meta *meta,
                                 const dray_meta_object_meta *old_meta) {
    dray_pod_check check = {
        .rq = rq,
        .spec = spec,
        .bad_deletion_cost = !dray_request_gate(rq, DRAY_GATE_PodDeletionCost),
        .relaxed_env_names = dray_request_gate(rq, DRAY_GATE_RelaxedEnvironmentVariableValidation),
        .only_recursive_selinux = !dray_request_gate(rq, DRAY_GATE_SELinuxMount),
        .pod_level_resources = dray_request_gate(rq, DRAY_GATE_PodLevelResources),
        .sidecar_resize_policy = dray_request_gate(rq, DRAY_GATE_InPlacePodVerticalScaling),
        .spread_match_labels = dray_request_gate(rq, DRAY_GATE_MatchLabelKeysInPodTopologySpread),
        .spread_merge =
            dray_request_gate(rq, DRAY_GATE_MatchLabelKeysInPodTopologySpreadSelectorMerge),
        .env_files = dray_request_gate(rq, DRAY_GATE_EnvFiles),
        .restart_rules = dray_request_gate(rq, DRAY_GATE_ContainerRestartRules),
        .restart_all_containers =
            dray_request_gate(rq, DRAY_GATE_RestartAllContainersOnContainerExits),
        .toleration_comparison =
            dray_request_gate(rq, DRAY_GATE_TaintTolerationComparisonOperators),
        .user_namespace_host_network =
            dray_request_gate(rq, DRAY_GATE_UserNamespacesHostNetworkSupport),
        .image_digest = dray_request_gate(rq, DRAY_GATE_ImageVolumeWithDigest),
        /* Since when a rule holds that an older release lacks. */
        .sys_admin_no_escalation = rq->gates->release < 37,
        .restart_container_init = rq->gates->release < 36,
    };
    if (old != NULL)
        allow_old(&check, old);
    if (old_meta != NULL && !check.bad_deletion_cost)
        check.bad_deletion_cost = !dray_deletion_cost_valid(old_meta->annotations);
    return check;
}
