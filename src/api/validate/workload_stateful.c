/* StatefulSets. */
#include "api/validate/workload_int.h"

static void validate_management(dray_request *rq, dray_str policy, const dray_path *path) {
    if (policy.n == 0)
        fail_required(rq, path, DRAY_STR(""));
    else if (!IS_ONE_OF(policy, "OrderedReady", "Parallel"))
        fail_invalid_word(rq, path, policy, DRAY_STR("must be 'OrderedReady' or 'Parallel'"));
}

static void validate_rolling(dray_request *rq,
                             const dray_apps_rolling_update_stateful_set_strategy *rolling,
                             const dray_path *path) {
    dray_path unavailable = dray_path_child(path, "maxUnavailable");
    dray_validate_non_negative(rq, rolling->partition.v, DRAY_AT(path, "partition"));
    if (rolling->max_unavailable.kind == DRAY_IOS_ABSENT)
        return;
    dray_validate_int_or_percent(rq, rolling->max_unavailable, &unavailable);
    if (dray_int_or_percent(rq, rolling->max_unavailable) == 0)
        fail_invalid_text(rq, &unavailable, dray_value_int_or_string(rq, rolling->max_unavailable),
                          DRAY_STR("cannot be 0"));
    dray_validate_at_most_100(rq, rolling->max_unavailable, &unavailable);
}

static void validate_strategy(dray_request *rq, const dray_apps_stateful_set *set,
                              const dray_apps_stateful_set *old, const dray_path *path) {
    const dray_apps_stateful_set_update_strategy *strategy = set->spec->update_strategy;
    dray_path rolling = dray_path_child(path, "rollingUpdate");
    bool recreate = rq->gates->release >= 37 &&
                    (dray_request_gate(rq, DRAY_GATE_StatefulSetRecreateStrategy) ||
                     (old != NULL && dray_str_is(old->spec->update_strategy->type, "Recreate")));
    if (strategy->type.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
    } else if (dray_str_is(strategy->type, "RollingUpdate")) {
        if (strategy->rolling_update != NULL)
            validate_rolling(rq, strategy->rolling_update, &rolling);
    } else if (dray_str_is(strategy->type, "OnDelete") ||
               (recreate && dray_str_is(strategy->type, "Recreate"))) {
        if (strategy->rolling_update != NULL)
            fail_invalid_text(
                rq, &rolling,
                dray_value_internal(rq->arena, &dray_type_apps_rolling_update_stateful_set_strategy,
                                    strategy->rolling_update, rq->gates->release),
                DRAY_STR("only allowed for updateStrategy 'RollingUpdate'"));
    } else {
        fail_invalid_text(rq, path,
                          dray_value_internal(rq->arena,
                                              &dray_type_apps_stateful_set_update_strategy,
                                              strategy, rq->gates->release),
                          recreate ? DRAY_STR("must be 'RollingUpdate', 'OnDelete', or 'Recreate'")
                                   : DRAY_STR("must be 'RollingUpdate' or 'OnDelete'"));
    }
}

static void validate_retention(dray_request *rq, dray_str policy, const dray_path *path) {
    static const char *const policies[] = {"Retain", "Delete"};
    if (!IS_ONE_OF(policy, "Retain", "Delete"))
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, path, dray_value_json_string(rq->arena, policy),
             dray_detail_supported(rq->arena, policies, DRAY_COUNT(policies)));
}

/* The template as its Pods will see it: with volumes for the claims, without names that they get.
 */
static dray_core_pod_spec effective_spec(dray_request *rq,
                                         const dray_apps_stateful_set_spec *spec) {
    dray_core_pod_spec copy = *spec->template->spec;
    size_t n_claims = spec->volume_claim_templates.n, n = 0;
    copy.subdomain = DRAY_STR_NONE;
    copy.hostname = DRAY_STR_NONE;
    if (n_claims == 0)
        return copy;
    dray_core_volume *volumes = DRAY_NEW_N(rq->arena, dray_core_volume, n_claims + copy.volumes.n);
    for (size_t i = 0; i < n_claims + copy.volumes.n; i++) {
        bool claim = i < n_claims, taken = false;
        dray_str name = claim ? spec->volume_claim_templates.v[i].metadata->name
                              : copy.volumes.v[i - n_claims].name;
        for (size_t j = 0; j < n && !taken; j++)
            taken = dray_str_eq(volumes[j].name, name);
        /* Volumes of the same name as a claim are hidden by it; other doubles stay. */
        bool hidden = false;
        for (size_t j = 0; j < n_claims && !claim && !hidden; j++)
            hidden = dray_str_eq(spec->volume_claim_templates.v[j].metadata->name, name);
        if ((claim && taken) || hidden)
            continue;
        if (!claim) {
            volumes[n++] = copy.volumes.v[i - n_claims];
            continue;
        }
        dray_core_volume *made = dray_api_new(&dray_type_core_volume, rq->arena);
        made->name = name;
        made->volume_source->persistent_volume_claim =
            DRAY_NEW(rq->arena, dray_core_persistent_volume_claim_volume_source);
        made->volume_source->persistent_volume_claim->claim_name = name;
        volumes[n++] = *made;
    }
    copy.volumes.v = volumes;
    copy.volumes.n = n;
    return copy;
}

static void validate_template(dray_request *rq, const dray_apps_stateful_set_spec *spec,
                              const dray_core_pod_template_spec *old, bool skip_pods,
                              const dray_path *path) {
    dray_path at = dray_path_child(path, "template");
    const dray_meta_object_meta *meta = spec->template->metadata;
    dray_core_pod_spec effective = effective_spec(rq, spec);
    dray_core_pod_template_spec template = *spec->template;
    template.spec = &effective;
    dray_pod_check check = dray_template_check_of(rq, &template, old);
    bool empty = spec->selector != NULL &&
                 spec->selector->match_labels.n + spec->selector->match_expressions.n == 0;
    if (!empty && dray_label_selector_matches(rq, spec->selector, meta->labels) == 0)
        fail_invalid_text(rq, DRAY_AT(DRAY_AT(&at, "metadata"), "labels"),
                          dray_value_string_map(rq->arena, meta->labels),
                          DRAY_STR("`selector` does not match template `labels`"));
    if (!skip_pods)
        dray_validate_pod_template(&check, &template, &at);
    dray_validate_labels(rq, meta->labels, DRAY_AT(&at, "labels"));
    dray_validate_annotations(rq, meta->annotations, DRAY_AT(&at, "annotations"));
    dray_validate_pod_annotations(&check, meta->annotations, DRAY_AT(&at, "annotations"));
}

static void validate_spec(dray_request *rq, const dray_apps_stateful_set *set,
                          const dray_apps_stateful_set *old, bool skip_pods,
                          const dray_path *path) {
    const dray_apps_stateful_set_spec *spec = set->spec;
    validate_management(rq, spec->pod_management_policy, DRAY_AT(path, "podManagementPolicy"));
    validate_strategy(rq, set, old, DRAY_AT(path, "updateStrategy"));
    if (spec->persistent_volume_claim_retention_policy != NULL) {
        dray_path at = dray_path_child(path, "persistentVolumeClaimRetentionPolicy");
        validate_retention(rq, spec->persistent_volume_claim_retention_policy->when_deleted,
                           DRAY_AT(&at, "whenDeleted"));
        validate_retention(rq, spec->persistent_volume_claim_retention_policy->when_scaled,
                           DRAY_AT(&at, "whenScaled"));
    }
    for (size_t i = 0;
         old == NULL && rq->gates->release >= 37 && i < spec->volume_claim_templates.n; i++)
        dray_validate_volume_claim_spec(
            rq, spec->volume_claim_templates.v[i].spec,
            DRAY_AT(DRAY_AT_INDEX(DRAY_AT(path, "volumeClaimTemplates"), i), "spec"));
    dray_validate_non_negative(rq, spec->replicas.v, DRAY_AT(path, "replicas"));
    dray_validate_non_negative(rq, spec->min_ready_seconds, DRAY_AT(path, "minReadySeconds"));
    if (spec->ordinals != NULL)
        dray_validate_non_negative(rq, spec->ordinals->start, DRAY_AT(path, "ordinals.start"));
    if (old == NULL && spec->service_name.n > 0)
        fail_texts(rq, DRAY_AT(path, "serviceName"), spec->service_name, dray_check_dns1123_label);
    dray_validate_selector(rq, spec->selector, "statefulset", DRAY_AT(path, "selector"));
    if (spec->selector != NULL && !dray_label_selector_valid(rq, spec->selector))
        fail_invalid_text(
            rq, DRAY_AT(path, "selector"),
            dray_value_declared(rq->arena, &dray_type_meta_label_selector, spec->selector),
            DRAY_STR(""));
    else
        validate_template(rq, spec, old != NULL ? old->spec->template : NULL, skip_pods, path);
    dray_path pods = dray_path_child(DRAY_AT(path, "template"), "spec");
    const dray_core_pod_spec *pod = spec->template->spec;
    if (!dray_str_is(pod->restart_policy, "Always"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(&pods, "restartPolicy"), pod->restart_policy, "Always");
    if (pod->active_deadline_seconds.set)
        fail_forbidden(rq, DRAY_AT(&pods, "activeDeadlineSeconds"),
                       DRAY_STR("activeDeadlineSeconds in StatefulSet is not Supported"));
}

/* A stored set that breaks the rules of its Pods may go on breaking them. */
static bool old_is_valid(dray_request *rq, const dray_apps_stateful_set *old) {
    dray_errors errors = {.arena = rq->arena};
    dray_request probe = *rq;
    probe.errors = &errors;
    validate_spec(&probe, old, old, false, NULL);
    return errors.list.n == 0;
}

static void validate_unchanged(dray_request *rq, const dray_apps_stateful_set_spec *spec,
                               const dray_apps_stateful_set_spec *old, const dray_path *path) {
    dray_validate_immutable(rq, &dray_type_meta_label_selector, spec->selector, old->selector,
                            DRAY_AT(path, "selector"));
    bool same = spec->volume_claim_templates.n == old->volume_claim_templates.n;
    for (size_t i = 0; same && i < spec->volume_claim_templates.n; i++)
        same =
            dray_api_equal(&dray_type_core_persistent_volume_claim,
                           &spec->volume_claim_templates.v[i], &old->volume_claim_templates.v[i]);
    if (!same) {
        DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
        for (size_t i = 0; i < spec->volume_claim_templates.n; i++) {
            dray_buf_putc(&out, i > 0 ? ',' : '[');
            dray_buf_str_add(
                &out, dray_value_internal(rq->arena, &dray_type_core_persistent_volume_claim,
                                          &spec->volume_claim_templates.v[i], rq->gates->release));
        }
        dray_buf_puts(&out, spec->volume_claim_templates.n > 0 ? "]" : "null");
        fail_invalid_text(rq, DRAY_AT(path, "volumeClaimTemplates"),
                          dray_str_dup(rq->arena, dray_buf_str(&out)),
                          DRAY_STR("field is immutable"));
    }
    if (!dray_str_eq(spec->service_name, old->service_name))
        fail_invalid(rq, DRAY_AT(path, "serviceName"), spec->service_name,
                     DRAY_STR("field is immutable"));
    if (!dray_str_eq(spec->pod_management_policy, old->pod_management_policy))
        fail_invalid_word(rq, DRAY_AT(path, "podManagementPolicy"), spec->pod_management_policy,
                          DRAY_STR("field is immutable"));
}

/* Up to 1.36 one error spoke of all that may not change. */
static void validate_unchanged_older(dray_request *rq, const dray_apps_stateful_set_spec *spec,
                                     const dray_apps_stateful_set_spec *old,
                                     const dray_path *path) {
    dray_errors errors = {.arena = rq->arena};
    dray_request probe = *rq;
    probe.errors = &errors;
    validate_unchanged(&probe, spec, old, path);
    if (errors.list.n > 0)
        fail_forbidden(
            rq, path,
            DRAY_STR("updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                     "'template', 'updateStrategy', 'revisionHistoryLimit', "
                     "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
}

void dray_validate_stateful_set(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_stateful_set *set = body, *old = old_body;
    dray_path path = dray_path_child(NULL, "spec");
    dray_validate_object_meta(rq, set->metadata, old != NULL ? old->metadata : NULL, false);
    validate_spec(rq, set, old, old != NULL && !old_is_valid(rq, old), &path);
    if (old != NULL && rq->gates->release >= 37)
        validate_unchanged(rq, set->spec, old->spec, &path);
    else if (old != NULL)
        validate_unchanged_older(rq, set->spec, old->spec, &path);
}

void dray_validate_stateful_set_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_stateful_set *set = body, *old = old_body;
    const dray_apps_stateful_set_status *s = set->status;
    dray_path path = dray_path_child(NULL, "status");
    const dray_counter counters[] = {{"replicas", s->replicas},
                                     {"readyReplicas", s->ready_replicas},
                                     {"currentReplicas", s->current_replicas},
                                     {"updatedReplicas", s->updated_replicas},
                                     {"availableReplicas", s->available_replicas},
                                     {"observedGeneration", s->observed_generation},
                                     {"collisionCount", s->collision_count.v}};
    dray_validate_counters(rq, counters, DRAY_COUNT(counters), &path);
    for (size_t i = 1; i < 5; i++)
        if (counters[i].value > s->replicas)
            fail_invalid_int(rq, DRAY_AT(&path, counters[i].name), counters[i].value,
                             DRAY_STR("cannot be greater than status.replicas"));
    if (s->available_replicas > s->ready_replicas)
        fail_invalid_int(rq, DRAY_AT(&path, "availableReplicas"), s->available_replicas,
                         DRAY_STR("cannot be greater than status.readyReplicas"));
    dray_validate_object_meta(rq, set->metadata, old->metadata, false);
    dray_opt_int32 now = s->collision_count, was = old->status->collision_count;
    if (was.set && was.v > (now.set ? now.v : 0))
        fail_invalid_int(rq, DRAY_AT(&path, "collisionCount"), now.set ? now.v : 0,
                         DRAY_STR("cannot be decremented"));
}
