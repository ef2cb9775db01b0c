/* Deployments, ReplicaSets and DaemonSets. */
#include "api/validate/workload_int.h"

#define REPLICAS_MESSAGE "cannot be greater than status.replicas"

static int64_t int_of(dray_int_or_string v) {
    int64_t n = 0;
    if (v.kind != DRAY_IOS_STRING)
        return v.i;
    for (size_t i = 0; i < v.s.n; i++) {
        if (v.s.p[i] < '0' || v.s.p[i] > '9')
            return 0;
        n = n * 10 + (v.s.p[i] - '0');
    }
    return n;
}

/* The number of a percentage; -1 for what is none. */
static int64_t percent_of(dray_request *rq, dray_int_or_string v) {
    if (v.kind != DRAY_IOS_STRING || !passes(rq, v.s, dray_check_percent))
        return -1;
    int64_t n = 0;
    for (size_t i = 0; i + 1 < v.s.n && n < INT32_MAX; i++)
        n = n * 10 + (v.s.p[i] - '0');
    return n;
}

int64_t dray_int_or_percent(dray_request *rq, dray_int_or_string value) {
    int64_t percent = percent_of(rq, value);
    return percent >= 0 ? percent : int_of(value);
}

dray_str dray_value_int_or_string(dray_request *rq, dray_int_or_string value) {
    return value.kind == DRAY_IOS_STRING ? dray_value_json_string(rq->arena, value.s)
                                         : dray_value_int(rq->arena, value.i);
}

void dray_validate_int_or_percent(dray_request *rq, dray_int_or_string value,
                                  const dray_path *path) {
    dray_str texts[DRAY_NAME_TEXTS];
    if (value.kind != DRAY_IOS_STRING)
        dray_validate_non_negative(rq, value.i, path);
    else if (dray_check_percent(value.s, texts, rq->arena) > 0)
        fail_invalid_text(rq, path, dray_value_int_or_string(rq, value), texts[0]);
}

void dray_validate_at_most_100(dray_request *rq, dray_int_or_string value, const dray_path *path) {
    if (percent_of(rq, value) > 100)
        fail_invalid_text(rq, path, dray_value_int_or_string(rq, value),
                          DRAY_STR("must not be greater than 100%"));
}

dray_pod_check dray_template_check_of(dray_request *rq, const dray_core_pod_template_spec *template,
                                      const dray_core_pod_template_spec *old) {
    return dray_pod_check_of(rq, template->spec, old != NULL ? old->spec : NULL, template->metadata,
                             old != NULL ? old->metadata : NULL);
}

void dray_validate_object_meta(dray_request *rq, const dray_meta_object_meta *meta,
                               const dray_meta_object_meta *old, bool again_on_update) {
    dray_path path = dray_path_child(NULL, "metadata");
    if (old != NULL)
        dray_validate_meta_update(rq, meta, old, &path);
    if (old == NULL || again_on_update)
        dray_validate_meta(rq, dray_strategy_find(rq->kind), meta, rq->kind->namespaced, &path);
}

void dray_validate_selector(dray_request *rq, const dray_meta_label_selector *selector,
                            const char *kind, const dray_path *path) {
    if (selector == NULL) {
        fail_required(rq, path, DRAY_STR(""));
        return;
    }
    dray_validate_label_selector(rq, selector, false, path);
    if (selector->match_labels.n + selector->match_expressions.n == 0)
        fail_invalid_text(rq, path,
                          dray_value_declared(rq->arena, &dray_type_meta_label_selector, selector),
                          DETAIL(rq, "empty selector is invalid for %s", kind));
}

void dray_validate_counters(dray_request *rq, const dray_counter *counters, size_t n,
                            const dray_path *path) {
    for (size_t i = 0; i < n; i++)
        dray_validate_non_negative(rq, counters[i].value, DRAY_AT(path, counters[i].name));
}

static void validate_labels_match(dray_request *rq, const dray_core_pod_template_spec *template,
                                  const dray_path *path) {
    fail_invalid_text(rq, DRAY_AT(DRAY_AT(path, "metadata"), "labels"),
                      dray_value_string_map(rq->arena, template->metadata->labels),
                      DRAY_STR("`selector` does not match template `labels`"));
}

/* Pods of these kinds run for good. */
static void validate_endless(dray_request *rq, const dray_core_pod_spec *spec, const char *kind,
                             const dray_path *path) {
    dray_path at = dray_path_child(path, "spec");
    if (!dray_str_is(spec->restart_policy, "Always"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(&at, "restartPolicy"), spec->restart_policy, "Always");
    if (spec->active_deadline_seconds.set)
        fail_forbidden(rq, DRAY_AT(&at, "activeDeadlineSeconds"),
                       DETAIL(rq, "activeDeadlineSeconds in %s is not Supported", kind));
}

/* The part that Deployments and ReplicaSets share. */
static void validate_replicated(dray_request *rq, const dray_meta_label_selector *selector,
                                const dray_core_pod_template_spec *template,
                                const dray_core_pod_template_spec *old, const dray_path *path) {
    dray_path at = dray_path_child(path, "template");
    dray_pod_check check = dray_template_check_of(rq, template, old);
    dray_validate_selector(rq, selector, "deployment", DRAY_AT(path, "selector"));
    if (selector != NULL && !dray_label_selector_valid(rq, selector)) {
        fail_invalid_text(rq, DRAY_AT(path, "selector"),
                          dray_value_declared(rq->arena, &dray_type_meta_label_selector, selector),
                          DRAY_STR("invalid label selector"));
        return;
    }
    bool empty = selector != NULL && selector->match_labels.n + selector->match_expressions.n == 0;
    if (!empty && dray_label_selector_matches(rq, selector, template->metadata->labels) == 0)
        validate_labels_match(rq, template, &at);
    dray_validate_pod_template(&check, template, &at);
    validate_endless(rq, template->spec, "ReplicaSet", &at);
}

static void validate_rolling(dray_request *rq, const dray_apps_rolling_update_deployment *rolling,
                             const dray_path *path) {
    dray_path unavailable = dray_path_child(path, "maxUnavailable");
    dray_path surge = dray_path_child(path, "maxSurge");
    dray_validate_int_or_percent(rq, rolling->max_unavailable, &unavailable);
    dray_validate_int_or_percent(rq, rolling->max_surge, &surge);
    if (dray_int_or_percent(rq, rolling->max_unavailable) == 0 &&
        dray_int_or_percent(rq, rolling->max_surge) == 0)
        fail_invalid_text(rq, &unavailable, dray_value_int_or_string(rq, rolling->max_unavailable),
                          DRAY_STR("may not be 0 when `maxSurge` is 0"));
    dray_validate_at_most_100(rq, rolling->max_unavailable, &unavailable);
}

static void validate_strategy(dray_request *rq, const dray_apps_deployment_strategy *strategy,
                              const dray_path *path) {
    static const char *const types[] = {"Recreate", "RollingUpdate"};
    dray_path rolling = dray_path_child(path, "rollingUpdate");
    if (dray_str_is(strategy->type, "Recreate")) {
        if (strategy->rolling_update != NULL)
            fail_forbidden(rq, &rolling,
                           DRAY_STR("may not be specified when strategy `type` is 'Recreate'"));
    } else if (dray_str_is(strategy->type, "RollingUpdate")) {
        if (strategy->rolling_update == NULL)
            fail_required(rq, &rolling, DRAY_STR("this should be defaulted and never be nil"));
        else
            validate_rolling(rq, strategy->rolling_update, &rolling);
    } else {
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, path,
             dray_value_internal(rq->arena, &dray_type_apps_deployment_strategy, strategy,
                                 rq->gates->release),
             dray_detail_supported(rq->arena, types, DRAY_COUNT(types)));
    }
}

void dray_validate_deployment(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_deployment *d = body, *old = old_body;
    const dray_apps_deployment_spec *spec = d->spec;
    dray_path path = dray_path_child(NULL, "spec");
    dray_validate_object_meta(rq, d->metadata, old != NULL ? old->metadata : NULL, false);
    dray_validate_non_negative(rq, spec->replicas.v, DRAY_AT(&path, "replicas"));
    validate_replicated(rq, spec->selector, spec->template,
                        old != NULL ? old->spec->template : NULL, &path);
    validate_strategy(rq, spec->strategy, DRAY_AT(&path, "strategy"));
    dray_validate_non_negative(rq, spec->min_ready_seconds, DRAY_AT(&path, "minReadySeconds"));
    dray_validate_non_negative(rq, spec->revision_history_limit.v,
                               DRAY_AT(&path, "revisionHistoryLimit"));
    dray_opt_int32 deadline = spec->progress_deadline_seconds;
    dray_path at = dray_path_child(&path, "progressDeadlineSeconds");
    dray_validate_non_negative(rq, deadline.v, &at);
    if (deadline.set && deadline.v <= spec->min_ready_seconds)
        fail_invalid_int(rq, &at, deadline.v, DRAY_STR("must be greater than minReadySeconds"));
    if (old != NULL)
        dray_validate_immutable(rq, &dray_type_meta_label_selector, spec->selector,
                                old->spec->selector, DRAY_AT(&path, "selector"));
}

static void at_most(dray_request *rq, int64_t value, int64_t limit, const char *name,
                    const char *message, const dray_path *path) {
    if (value > limit)
        fail_invalid_int(rq, DRAY_AT(path, name), value, dray_str_of(message));
}

static void validate_collisions(dray_request *rq, dray_opt_int32 now, dray_opt_int32 old,
                                const dray_path *path) {
    if ((old.set ? old.v : 0) > (now.set ? now.v : 0) && old.set)
        fail_invalid_int(rq, DRAY_AT(path, "collisionCount"), now.set ? now.v : 0,
                         DRAY_STR("cannot be decremented"));
}

void dray_validate_deployment_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_deployment *d = body, *old = old_body;
    const dray_apps_deployment_status *s = d->status;
    dray_path path = dray_path_child(NULL, "status");
    const dray_counter counters[] = {{"observedGeneration", s->observed_generation},
                                     {"replicas", s->replicas},
                                     {"updatedReplicas", s->updated_replicas},
                                     {"readyReplicas", s->ready_replicas},
                                     {"availableReplicas", s->available_replicas},
                                     {"unavailableReplicas", s->unavailable_replicas},
                                     {"terminatingReplicas", s->terminating_replicas.v},
                                     {"collisionCount", s->collision_count.v}};
    dray_validate_object_meta(rq, d->metadata, old->metadata, false);
    dray_validate_counters(rq, counters, DRAY_COUNT(counters), &path);
    at_most(rq, s->updated_replicas, s->replicas, "updatedReplicas", REPLICAS_MESSAGE, &path);
    at_most(rq, s->ready_replicas, s->replicas, "readyReplicas", REPLICAS_MESSAGE, &path);
    at_most(rq, s->available_replicas, s->replicas, "availableReplicas", REPLICAS_MESSAGE, &path);
    at_most(rq, s->available_replicas, s->ready_replicas, "availableReplicas",
            "cannot be greater than readyReplicas", &path);
    validate_collisions(rq, s->collision_count, old->status->collision_count, &path);
}

void dray_validate_replica_set(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_replica_set *rs = body, *old = old_body;
    dray_path path = dray_path_child(NULL, "spec");
    dray_validate_object_meta(rq, rs->metadata, old != NULL ? old->metadata : NULL, false);
    dray_validate_non_negative(rq, rs->spec->replicas.v, DRAY_AT(&path, "replicas"));
    dray_validate_non_negative(rq, rs->spec->min_ready_seconds, DRAY_AT(&path, "minReadySeconds"));
    validate_replicated(rq, rs->spec->selector, rs->spec->template,
                        old != NULL ? old->spec->template : NULL, &path);
    if (old != NULL)
        dray_validate_immutable(rq, &dray_type_meta_label_selector, rs->spec->selector,
                                old->spec->selector, DRAY_AT(&path, "selector"));
}

void dray_validate_replica_set_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_replica_set *rs = body, *old = old_body;
    const dray_apps_replica_set_status *s = rs->status;
    dray_path path = dray_path_child(NULL, "status");
    const dray_counter counters[] = {{"replicas", s->replicas},
                                     {"fullyLabeledReplicas", s->fully_labeled_replicas},
                                     {"readyReplicas", s->ready_replicas},
                                     {"availableReplicas", s->available_replicas},
                                     {"observedGeneration", s->observed_generation},
                                     {"terminatingReplicas", s->terminating_replicas.v}};
    dray_validate_object_meta(rq, rs->metadata, old->metadata, false);
    dray_validate_counters(rq, counters, DRAY_COUNT(counters), &path);
    at_most(rq, s->fully_labeled_replicas, s->replicas, "fullyLabeledReplicas", REPLICAS_MESSAGE,
            &path);
    at_most(rq, s->ready_replicas, s->replicas, "readyReplicas", REPLICAS_MESSAGE, &path);
    at_most(rq, s->available_replicas, s->replicas, "availableReplicas", REPLICAS_MESSAGE, &path);
    at_most(rq, s->available_replicas, s->ready_replicas, "availableReplicas",
            "cannot be greater than readyReplicas", &path);
}

static void validate_daemon_rolling(dray_request *rq,
                                    const dray_apps_rolling_update_daemon_set *rolling,
                                    const dray_path *path) {
    dray_path unavailable = dray_path_child(path, "maxUnavailable");
    dray_path surge = dray_path_child(path, "maxSurge");
    dray_validate_int_or_percent(rq, rolling->max_unavailable, &unavailable);
    dray_validate_int_or_percent(rq, rolling->max_surge, &surge);
    dray_validate_at_most_100(rq, rolling->max_unavailable, &unavailable);
    dray_validate_at_most_100(rq, rolling->max_surge, &surge);
    bool has_unavailable = dray_int_or_percent(rq, rolling->max_unavailable) != 0;
    bool has_surge = dray_int_or_percent(rq, rolling->max_surge) != 0;
    if (has_unavailable && has_surge)
        fail_invalid_text(rq, &surge, dray_value_int_or_string(rq, rolling->max_surge),
                          DRAY_STR("may not be set when maxUnavailable is non-zero"));
    else if (!has_unavailable && !has_surge)
        fail_required(rq, &unavailable, DRAY_STR("cannot be 0 when maxSurge is 0"));
}

static void validate_daemon_strategy(dray_request *rq,
                                     const dray_apps_daemon_set_update_strategy *strategy,
                                     const dray_path *path) {
    static const char *const types[] = {"RollingUpdate", "OnDelete"};
    dray_path rolling = dray_path_child(path, "rollingUpdate");
    if (dray_str_is(strategy->type, "OnDelete"))
        return;
    if (!dray_str_is(strategy->type, "RollingUpdate"))
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, path,
             dray_value_internal(rq->arena, &dray_type_apps_daemon_set_update_strategy, strategy,
                                 rq->gates->release),
             dray_detail_supported(rq->arena, types, DRAY_COUNT(types)));
    else if (strategy->rolling_update == NULL)
        fail_required(rq, &rolling, DRAY_STR(""));
    else
        validate_daemon_rolling(rq, strategy->rolling_update, &rolling);
}

static bool selector_values_bad(dray_request *rq, const dray_meta_label_selector *selector) {
    for (size_t i = 0; selector != NULL && i < selector->match_expressions.n; i++)
        for (size_t j = 0; j < selector->match_expressions.v[i].values.n; j++)
            if (!passes(rq, selector->match_expressions.v[i].values.v[j], dray_check_label_value))
                return true;
    return false;
}

void dray_validate_daemon_set(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_daemon_set *ds = body, *old = old_body;
    const dray_apps_daemon_set_spec *spec = ds->spec;
    dray_path path = dray_path_child(NULL, "spec"), template = dray_path_child(&path, "template");
    dray_pod_check check =
        dray_template_check_of(rq, spec->template, old != NULL ? old->spec->template : NULL);
    dray_validate_object_meta(rq, ds->metadata, old != NULL ? old->metadata : NULL, false);
    if (old != NULL) {
        dray_validate_immutable(rq, &dray_type_meta_label_selector, spec->selector,
                                old->spec->selector, DRAY_AT(&path, "selector"));
        check.bad_selector_values =
            check.bad_selector_values || selector_values_bad(rq, old->spec->selector);
    }
    dray_validate_label_selector(rq, spec->selector, check.bad_selector_values,
                                 DRAY_AT(&path, "selector"));
    if (dray_label_selector_matches(rq, spec->selector, spec->template->metadata->labels) == 0)
        validate_labels_match(rq, spec->template, &template);
    if (spec->selector != NULL &&
        spec->selector->match_labels.n + spec->selector->match_expressions.n == 0)
        fail_invalid_text(
            rq, DRAY_AT(&path, "selector"),
            dray_value_declared(rq->arena, &dray_type_meta_label_selector, spec->selector),
            DRAY_STR("empty selector is invalid for daemonset"));
    dray_validate_pod_template(&check, spec->template, &template);
    validate_endless(rq, spec->template->spec, "DaemonSet", &template);
    dray_validate_non_negative(rq, spec->min_ready_seconds, DRAY_AT(&path, "minReadySeconds"));
    validate_daemon_strategy(rq, spec->update_strategy, DRAY_AT(&path, "updateStrategy"));
    dray_validate_non_negative(rq, spec->revision_history_limit.v,
                               DRAY_AT(&path, "revisionHistoryLimit"));
}

void dray_validate_daemon_set_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_daemon_set *ds = body, *old = old_body;
    const dray_apps_daemon_set_status *s = ds->status;
    dray_path path = dray_path_child(NULL, "status");
    const dray_counter counters[] = {{"currentNumberScheduled", s->current_number_scheduled},
                                     {"numberMisscheduled", s->number_misscheduled},
                                     {"desiredNumberScheduled", s->desired_number_scheduled},
                                     {"numberReady", s->number_ready},
                                     {"observedGeneration", s->observed_generation},
                                     {"updatedNumberScheduled", s->updated_number_scheduled},
                                     {"numberAvailable", s->number_available},
                                     {"numberUnavailable", s->number_unavailable},
                                     {"collisionCount", s->collision_count.v}};
    dray_validate_object_meta(rq, ds->metadata, old->metadata, false);
    dray_validate_counters(rq, counters, DRAY_COUNT(counters), &path);
    validate_collisions(rq, s->collision_count, old->status->collision_count, &path);
}
