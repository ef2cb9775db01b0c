/* Pods: what create and update put in place before they are checked. */
#include "api/strategy/core_int.h"

#include "api/default/pod_level_int.h"

#define APP_ARMOR "container.apparmor.security.beta.kubernetes.io/"

/* Adds the Pod's own values of the label keys to a term's selector. */
static dray_meta_label_selector *with_keys(dray_request *rq, dray_meta_label_selector *selector,
                                           dray_strings keys, const char *operator,
                                           dray_string_map labels) {
    if (keys.n == 0 || selector == NULL)
        return selector;
    dray_meta_label_selector *copy = DRAY_NEW(rq->arena, dray_meta_label_selector);
    *copy = *selector;
    copy->match_expressions.v = DRAY_NEW_N(rq->arena, dray_meta_label_selector_requirement,
                                           selector->match_expressions.n + keys.n);
    for (size_t i = 0; i < selector->match_expressions.n; i++)
        copy->match_expressions.v[i] = selector->match_expressions.v[i];
    for (size_t i = 0; i < keys.n; i++) {
        dray_str value;
        if (!map_find(labels, keys.v[i], &value))
            continue;
        dray_str *values = DRAY_NEW(rq->arena, dray_str);
        *values = value;
        copy->match_expressions.v[copy->match_expressions.n++] =
            (dray_meta_label_selector_requirement){
                .key = keys.v[i], .operator= dray_str_of(operator), .values = {values, 1}};
    }
    return copy;
}

static void apply_term(dray_request *rq, dray_core_pod_affinity_term *term,
                       dray_string_map labels) {
    term->label_selector =
        with_keys(rq, term->label_selector, term->match_label_keys, "In", labels);
    term->label_selector =
        with_keys(rq, term->label_selector, term->mismatch_label_keys, "NotIn", labels);
}

static void apply_label_keys(dray_request *rq, dray_core_pod *pod) {
    dray_string_map labels = pod->metadata->labels;
    dray_core_affinity *affinity = pod->spec->affinity;
    bool on = dray_request_gate(rq, DRAY_GATE_MatchLabelKeysInPodAffinity) && affinity != NULL;
    dray_core_pod_affinity *near = on ? affinity->pod_affinity : NULL;
    dray_core_pod_anti_affinity *far = on ? affinity->pod_anti_affinity : NULL;
    for (size_t i = 0;
         near != NULL && i < near->preferred_during_scheduling_ignored_during_execution.n; i++)
        apply_term(
            rq, near->preferred_during_scheduling_ignored_during_execution.v[i].pod_affinity_term,
            labels);
    for (size_t i = 0;
         near != NULL && i < near->required_during_scheduling_ignored_during_execution.n; i++)
        apply_term(rq, &near->required_during_scheduling_ignored_during_execution.v[i], labels);
    for (size_t i = 0;
         far != NULL && i < far->preferred_during_scheduling_ignored_during_execution.n; i++)
        apply_term(rq,
                   far->preferred_during_scheduling_ignored_during_execution.v[i].pod_affinity_term,
                   labels);
    for (size_t i = 0;
         far != NULL && i < far->required_during_scheduling_ignored_during_execution.n; i++)
        apply_term(rq, &far->required_during_scheduling_ignored_during_execution.v[i], labels);
    if (!dray_request_gate(rq, DRAY_GATE_MatchLabelKeysInPodTopologySpread) ||
        !dray_request_gate(rq, DRAY_GATE_MatchLabelKeysInPodTopologySpreadSelectorMerge))
        return;
    for (size_t i = 0; i < pod->spec->topology_spread_constraints.n; i++) {
        dray_core_topology_spread_constraint *c = &pod->spec->topology_spread_constraints.v[i];
        c->label_selector = with_keys(rq, c->label_selector, c->match_label_keys, "In", labels);
    }
}

static void mark_gated(dray_request *rq, dray_core_pod *pod) {
    dray_core_pod_status *status = pod->status;
    if (pod->spec->scheduling_gates.n == 0)
        return;
    status->conditions.v = DRAY_NEW(rq->arena, dray_core_pod_condition);
    status->conditions.n = 1;
    status->conditions.v[0] = (dray_core_pod_condition){
        .type = DRAY_STR("PodScheduled"),
        .status = DRAY_STR("False"),
        .reason = DRAY_STR("SchedulingGated"),
        .message = DRAY_STR("Scheduling is blocked due to non-empty scheduling gates"),
        .last_transition_time = rq->now,
    };
}

dray_core_app_armor_profile *dray_app_armor_of_annotation(dray_str annotation, dray_arena *arena) {
    dray_str prefix = DRAY_STR("localhost/");
    dray_core_app_armor_profile profile = {0};
    if (dray_str_is(annotation, "unconfined"))
        profile.type = DRAY_STR("Unconfined");
    else if (dray_str_is(annotation, "runtime/default"))
        profile.type = DRAY_STR("RuntimeDefault");
    else if (dray_str_starts(annotation, prefix) && annotation.n > prefix.n)
        profile = (dray_core_app_armor_profile){DRAY_STR("Localhost"),
                                                dray_str_slice(annotation, prefix.n, annotation.n)};
    else
        return NULL;
    dray_core_app_armor_profile *made = DRAY_NEW(arena, dray_core_app_armor_profile);
    *made = profile;
    return made;
}

/* Fields take the place of the old AppArmor annotations. */
static void apply_app_armor(dray_request *rq, dray_core_pod *pod) {
    const dray_core_pod_security_context *own = pod->spec->security_context;
    const dray_core_app_armor_profile *pod_profile = own != NULL ? own->app_armor_profile : NULL;
    if (is_os(pod->spec, "windows"))
        return;
    for (size_t i = 0; i < dray_pod_n_containers(pod->spec); i++) {
        dray_core_container *c = dray_pod_container(pod->spec, i).container;
        dray_str key = DETAIL(rq, APP_ARMOR DRAY_FMT, DRAY_ARG(c->name)), annotation;
        if (!map_find(pod->metadata->annotations, key, &annotation) ||
            (c->security_context != NULL && c->security_context->app_armor_profile != NULL))
            continue;
        dray_core_app_armor_profile *made = dray_app_armor_of_annotation(annotation, rq->arena);
        if (made != NULL && !dray_app_armor_valid(made))
            made = NULL;
        if (made != NULL && dray_api_equal(&dray_type_core_app_armor_profile, made, pod_profile))
            continue;
        if (made != NULL) {
            dray_core_security_context *context = DRAY_NEW(rq->arena, dray_core_security_context);
            if (c->security_context != NULL)
                *context = *c->security_context;
            context->app_armor_profile = made;
            c->security_context = context;
        }
        dray_warn(rq, DRAY_AT_KEY(DRAY_AT(DRAY_AT(NULL, "metadata"), "annotations"), key),
                  DRAY_STR("deprecated since v1.30; use the \"appArmorProfile\" field instead"));
    }
}

void dray_pod_prepare_create(dray_request *rq, void *body) {
    dray_core_pod *pod = body;
    pod->metadata->generation = 1;
    pod->status = dray_api_new(&dray_type_core_pod_status, rq->arena);
    pod->status->phase = DRAY_STR("Pending");
    dray_drop_pod_fields(rq, pod->spec, NULL, &pod->metadata->annotations);
    mark_gated(rq, pod);
    apply_label_keys(rq, pod);
    apply_app_armor(rq, pod);
    if (dray_request_gate(rq, DRAY_GATE_PodLevelResources) &&
        dray_request_gate(rq, DRAY_GATE_PodLevelResourcesFixDefaulting))
        dray_default_pod_level(pod->spec, true, rq->arena);
    pod->status->qos_class = dray_pod_qos(pod, rq->gates);
}

void dray_pod_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_core_pod *pod = body;
    const dray_core_pod *old = old_body;
    pod->status = dray_api_copy(&dray_type_core_pod_status, old->status, rq->arena);
    if (dray_request_gate(rq, DRAY_GATE_PodLevelResourcesFixDefaulting) &&
        pod->spec->resources == NULL && old->spec->resources != NULL)
        pod->spec->resources =
            dray_api_copy(&dray_type_core_resource_requirements, old->spec->resources, rq->arena);
    dray_drop_pod_fields(rq, pod->spec, old->spec, &pod->metadata->annotations);
    dray_drop_pod_status_fields(rq, pod, old);
    if (!dray_api_equal(&dray_type_core_pod_spec, pod->spec, old->spec))
        pod->metadata->generation = old->metadata->generation + 1;
    else
        pod->metadata->generation = old->metadata->generation;
}

/* Conditions without a generation keep the one that the old condition of their type has. */
static void keep_generations(dray_core_pod_status *status, const dray_core_pod_status *old) {
    if (status->observed_generation == 0)
        status->observed_generation = old->observed_generation;
    for (size_t i = 0; i < status->conditions.n; i++) {
        dray_core_pod_condition *c = &status->conditions.v[i];
        size_t nth = 0, seen = 0;
        for (size_t j = 0; j < i; j++)
            nth += dray_str_eq(status->conditions.v[j].type, c->type);
        for (size_t j = 0; c->observed_generation == 0 && j < old->conditions.n; j++)
            if (dray_str_eq(old->conditions.v[j].type, c->type) && seen++ == nth) {
                c->observed_generation = old->conditions.v[j].observed_generation;
                break;
            }
    }
}

void dray_pod_prepare_status(dray_request *rq, void *body, const void *old_body) {
    dray_core_pod *pod = body;
    const dray_core_pod *old = old_body;
    dray_core_pod_status *status = pod->status, *was = old->status;
    pod->spec = dray_api_copy(&dray_type_core_pod_spec, old->spec, rq->arena);
    pod->metadata->deletion_timestamp = (dray_time){0}; /* then the old object's */
    pod->metadata->owner_references = old->metadata->owner_references;
    if (status->qos_class.n == 0)
        status->qos_class = was->qos_class;
    if (status->resource_claim_statuses.v == NULL)
        status->resource_claim_statuses = was->resource_claim_statuses;
    if (status->extended_resource_claim_status == NULL)
        status->extended_resource_claim_status = was->extended_resource_claim_status;
    if (status->node_allocatable_resource_claim_statuses.v == NULL)
        status->node_allocatable_resource_claim_statuses =
            was->node_allocatable_resource_claim_statuses;
    keep_generations(status, was);
    dray_drop_pod_fields(rq, pod->spec, old->spec, &pod->metadata->annotations);
    dray_drop_pod_status_fields(rq, pod, old);
}

void dray_pod_warn(dray_request *rq, const void *body, const void *old) {
    const dray_core_pod *pod = body;
    if (old != NULL) {
        if (!dray_str_is(rq->subresource, "status"))
            return;
        dray_path status = dray_path_child(NULL, "status");
        for (size_t i = 0; i < pod->status->pod_ips.n; i++)
            dray_warn_ip(rq, pod->status->pod_ips.v[i].ip,
                         DRAY_AT(DRAY_AT_INDEX(DRAY_AT(&status, "podIPs"), i), "ip"));
        for (size_t i = 0; i < pod->status->host_ips.n; i++)
            dray_warn_ip(rq, pod->status->host_ips.v[i].ip,
                         DRAY_AT(DRAY_AT_INDEX(DRAY_AT(&status, "hostIPs"), i), "ip"));
        return;
    }
    dray_warn_hostname(rq, pod->metadata, "the Pod's hostname");
    dray_warn_pod(rq, pod->spec, pod->metadata, NULL);
}
