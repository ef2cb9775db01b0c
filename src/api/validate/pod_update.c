/* What may change in a Pod's spec, and how. */
#include "api/validate/pod_int.h"

static const char updatable[] =
    "pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/* False where containers were added or removed: nothing more is said then. */
static bool validate_images(dray_request *rq, const dray_core_container *containers, size_t n,
                            size_t n_old, const dray_path *path) {
    if (n != n_old) {
        fail_forbidden(rq, path, DRAY_STR("pod updates may not add or remove containers"));
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (containers[i].image.n == 0)
            fail_required(rq, DRAY_AT(DRAY_AT_INDEX(path, i), "image"), DRAY_STR(""));
        dray_validate_image_padding(rq, &containers[i], DRAY_AT_INDEX(path, i));
    }
    return true;
}

/* A deadline may come or come nearer. False ends the check. */
static bool validate_deadline(dray_request *rq, dray_opt_int64 now, dray_opt_int64 old,
                              const dray_path *path) {
    if (!now.set) {
        if (old.set)
            fail_invalid_text(rq, path, DRAY_STR("null"),
                              DRAY_STR("must not update from a positive integer to nil value"));
        return true;
    }
    if (now.v < 0 || now.v > INT32_MAX) {
        dray_validate_range(rq, now.v, 0, INT32_MAX, path);
        return false;
    }
    if (old.set && old.v < now.v) {
        fail_invalid_int(rq, path, now.v, DRAY_STR("must be less than or equal to previous value"));
        return false;
    }
    return true;
}

static void validate_added_tolerations(dray_pod_check *check, const dray_core_pod_spec *old,
                                       const dray_path *path) {
    const dray_core_pod_spec *spec = check->spec;
    for (size_t i = 0; i < old->tolerations.n; i++) {
        dray_core_toleration kept = old->tolerations.v[i];
        bool found = false;
        for (size_t j = 0; j < spec->tolerations.n && !found; j++) {
            kept.toleration_seconds = spec->tolerations.v[j].toleration_seconds;
            found = dray_api_same(&dray_type_core_toleration, &kept, &spec->tolerations.v[j]);
        }
        if (!found) {
            fail_forbidden(
                check->rq, path,
                DRAY_STR("existing toleration can not be modified except its tolerationSeconds"));
            return;
        }
    }
    dray_validate_tolerations(check, path);
}

static void validate_removed_gates(dray_request *rq, const dray_core_pod_spec *spec,
                                   const dray_core_pod_spec *old, const dray_path *path) {
    for (size_t i = 0; i < spec->scheduling_gates.n; i++) {
        dray_str name = spec->scheduling_gates.v[i].name;
        bool known = false, again = false;
        for (size_t j = 0; j < old->scheduling_gates.n; j++)
            known = known || dray_str_eq(old->scheduling_gates.v[j].name, name);
        for (size_t j = i + 1; j < spec->scheduling_gates.n; j++)
            again = again || dray_str_eq(spec->scheduling_gates.v[j].name, name);
        if (!known && !again)
            fail_forbidden(
                rq, DRAY_AT(DRAY_AT_INDEX(path, i), "name"),
                DETAIL(rq, "only deletion is allowed, but found new scheduling gate '" DRAY_FMT "'",
                       DRAY_ARG(name)));
    }
}

static void validate_node_selector_change(dray_request *rq, dray_string_map now,
                                          dray_string_map old, const dray_path *path) {
    for (size_t i = 0; i < old.n; i++) {
        dray_str value;
        if (map_find(now, old.k[i], &value) && dray_str_eq(value, old.v[i]))
            continue;
        fail_invalid_text(rq, path, dray_value_string_map(rq->arena, now),
                          DRAY_STR("only additions to spec.nodeSelector are allowed (no mutations "
                                   "or deletions)"));
        return;
    }
}

static bool requirements_grew(const dray_core_node_selector_requirement *now, size_t n,
                              const dray_core_node_selector_requirement *old, size_t n_old) {
    if (n < n_old)
        return false;
    for (size_t i = 0; i < n_old; i++)
        if (!dray_api_equal(&dray_type_core_node_selector_requirement, &now[i], &old[i]))
            return false;
    return true;
}

static bool term_grew(const dray_core_node_selector_term *now,
                      const dray_core_node_selector_term *old) {
    /* An empty term matches nothing: what is added would let it match. */
    if (old->match_expressions.n == 0 && old->match_fields.n == 0 &&
        (now->match_expressions.n > 0 || now->match_fields.n > 0))
        return false;
    return requirements_grew(now->match_expressions.v, now->match_expressions.n,
                             old->match_expressions.v, old->match_expressions.n) &&
           requirements_grew(now->match_fields.v, now->match_fields.n, old->match_fields.v,
                             old->match_fields.n);
}

static void validate_affinity_change(dray_request *rq, const dray_core_node_affinity *now,
                                     const dray_core_node_affinity *old, const dray_path *path) {
    const dray_core_node_selector *was =
        old != NULL ? old->required_during_scheduling_ignored_during_execution : NULL;
    const dray_core_node_selector *is =
        now != NULL ? now->required_during_scheduling_ignored_during_execution : NULL;
    dray_path terms = dray_path_child(
        DRAY_AT(path, "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
    if (was == NULL)
        return;
    size_t n = is != NULL ? is->node_selector_terms.n : 0;
    if (was->node_selector_terms.n > 0 && was->node_selector_terms.n != n) {
        dray_core_node_selector none = {0};
        dray_str text = dray_value_internal(rq->arena, &dray_type_core_node_selector,
                                            is != NULL ? is : &none, rq->gates->release);
        /* The list alone: what stands in {"NodeSelectorTerms":…}. */
        text = dray_str_slice(text, sizeof "{\"NodeSelectorTerms\":" - 1, text.n - 1);
        fail_invalid_text(
            rq, &terms, text,
            DRAY_STR("no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
        return;
    }
    for (size_t i = 0; i < was->node_selector_terms.n; i++)
        if (!term_grew(&is->node_selector_terms.v[i], &was->node_selector_terms.v[i]))
            fail_invalid_text(rq, DRAY_AT_INDEX(&terms, i),
                              dray_value_internal(rq->arena, &dray_type_core_node_selector_term,
                                                  &is->node_selector_terms.v[i],
                                                  rq->gates->release),
                              DRAY_STR("only additions are allowed (no mutations or deletions)"));
}

/* A gated Pod may still be narrowed down to fewer nodes. */
static void take_back_node_affinity(dray_request *rq, dray_core_pod_spec *munged,
                                    const dray_core_pod_spec *old, const dray_path *path) {
    dray_core_node_affinity *was = old->affinity != NULL ? old->affinity->node_affinity : NULL;
    dray_core_node_affinity *is = munged->affinity != NULL ? munged->affinity->node_affinity : NULL;
    if (dray_api_equal(&dray_type_core_node_affinity, was, is))
        return;
    validate_affinity_change(rq, is, was, DRAY_AT(DRAY_AT(path, "affinity"), "nodeAffinity"));
    if (munged->affinity == NULL && was == NULL)
        return;
    dray_core_affinity *copy = DRAY_NEW(rq->arena, dray_core_affinity);
    if (munged->affinity != NULL)
        *copy = *munged->affinity;
    copy->node_affinity = was;
    munged->affinity = copy;
    if (old->affinity == NULL && copy->pod_affinity == NULL && copy->pod_anti_affinity == NULL)
        munged->affinity = NULL;
}

static void take_back_images(dray_request *rq, dray_core_pod_spec *munged,
                             const dray_core_pod_spec *old) {
    size_t n = munged->containers.n, n_init = munged->init_containers.n;
    dray_core_container *containers = DRAY_NEW_N(rq->arena, dray_core_container, n + 1);
    dray_core_container *init = DRAY_NEW_N(rq->arena, dray_core_container, n_init + 1);
    for (size_t i = 0; i < n; i++) {
        containers[i] = munged->containers.v[i];
        containers[i].image = old->containers.v[i].image;
    }
    for (size_t i = 0; i < n_init; i++) {
        init[i] = munged->init_containers.v[i];
        init[i].image = old->init_containers.v[i].image;
    }
    /* An empty list that was rebuilt is nil, as upstream's. */
    munged->containers.v = n > 0 ? containers : NULL;
    munged->init_containers.v = n_init > 0 ? init : NULL;
}

static void validate_rest(dray_request *rq, const dray_core_pod_spec *spec,
                          const dray_core_pod_spec *old, const dray_path *path) {
    dray_core_pod_spec munged = *spec;
    if (dray_api_equal(&dray_type_core_pod_spec, spec, old))
        return;
    take_back_images(rq, &munged, old);
    munged.active_deadline_seconds = old->active_deadline_seconds;
    munged.scheduling_gates = old->scheduling_gates;
    munged.tolerations = old->tolerations;
    if (old->termination_grace_period_seconds.set && old->termination_grace_period_seconds.v < 0 &&
        munged.termination_grace_period_seconds.set &&
        munged.termination_grace_period_seconds.v == 1)
        munged.termination_grace_period_seconds = old->termination_grace_period_seconds;
    if (old->scheduling_gates.n > 0) {
        validate_node_selector_change(rq, munged.node_selector, old->node_selector,
                                      DRAY_AT(path, "nodeSelector"));
        if (munged.node_selector.n > 0 || old->node_selector.n > 0) /* {} stays beside none */
            munged.node_selector = old->node_selector;
        take_back_node_affinity(rq, &munged, old, path);
    }
    if (dray_api_equal(&dray_type_core_pod_spec, &munged, old))
        return;
    dray_str difference =
        dray_value_diff(rq->arena, &dray_type_core_pod_spec, old, &munged, rq->gates->release);
    fail_forbidden(rq, path, DETAIL(rq, "%s\n" DRAY_FMT, updatable, DRAY_ARG(difference)));
}

void dray_validate_pod_update(dray_request *rq, const dray_core_pod *pod,
                              const dray_core_pod *old) {
    dray_pod_check check =
        dray_pod_check_of(rq, pod->spec, old->spec, pod->metadata, old->metadata);
    const dray_core_pod_spec *spec = pod->spec, *was = old->spec;
    dray_path meta = dray_path_child(NULL, "metadata"), path = dray_path_child(NULL, "spec");
    check.is_pod = true;
    check.meta = pod->metadata;
    dray_validate_meta_update(rq, pod->metadata, old->metadata, &meta);
    dray_validate_pod_whole(&check, pod);
    dray_validate_pod_annotation_updates(&check, pod->metadata->annotations,
                                         old->metadata->annotations, DRAY_AT(&meta, "annotations"));
    if (!validate_images(rq, spec->containers.v, spec->containers.n, was->containers.n,
                         DRAY_AT(&path, "containers")) ||
        !validate_images(rq, spec->init_containers.v, spec->init_containers.n,
                         was->init_containers.n, DRAY_AT(&path, "initContainers")) ||
        !validate_deadline(rq, spec->active_deadline_seconds, was->active_deadline_seconds,
                           DRAY_AT(&path, "activeDeadlineSeconds")))
        return;
    validate_added_tolerations(&check, was, DRAY_AT(&path, "tolerations"));
    validate_removed_gates(rq, spec, was, DRAY_AT(&path, "schedulingGates"));
    validate_rest(rq, spec, was, &path);
}
