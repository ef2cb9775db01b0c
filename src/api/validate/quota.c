/* ResourceQuotas: names and amounts, scopes and what they may go with. */
#include "api/validate/workload_int.h"

static void validate_list(dray_request *rq, dray_resource_list list, const dray_path *path) {
    for (size_t i = 0; i < list.n; i++) {
        dray_path at = dray_path_key(path, list.k[i]);
        dray_validate_resource_name(rq, list.k[i], &at);
        if (dray_str_chr(list.k[i], '/') == SIZE_MAX && !dray_is_quota_resource(list.k[i]))
            fail_invalid_word(rq, &at, list.k[i],
                              DRAY_STR("must be a standard resource for quota"));
        dray_validate_quantity(rq, list.k[i], list.v[i], &at);
    }
}

static bool is_scope(dray_str scope) {
    return IS_ONE_OF(scope, "Terminating", "NotTerminating", "BestEffort", "NotBestEffort",
                     "PriorityClass", "VolumeAttributesClass", "CrossNamespacePodAffinity");
}

static bool scope_goes_with(dray_str scope, dray_str resource) {
    bool pods = dray_str_is(resource, "pods");
    if (dray_str_is(scope, "BestEffort"))
        return pods;
    if (dray_str_is(scope, "VolumeAttributesClass"))
        return IS_ONE_OF(resource, "persistentvolumeclaims", "requests.storage");
    if (!is_scope(scope))
        return true;
    return pods || IS_ONE_OF(resource, "cpu", "memory", "limits.cpu", "limits.memory",
                             "requests.cpu", "requests.memory");
}

/* An error for each resource that the scope can't be applied to. */
static void validate_applied(dray_request *rq, const dray_core_resource_quota_spec *spec,
                             dray_str scope, dray_str value, const dray_path *path) {
    for (size_t i = 0; i < spec->hard.n; i++)
        if (dray_is_quota_resource(spec->hard.k[i]) && !scope_goes_with(scope, spec->hard.k[i]))
            fail_invalid_text(rq, path, value, DRAY_STR("unsupported scope applied to resource"));
}

static void validate_conflicts(dray_request *rq, dray_strings scopes, dray_str value,
                               const dray_path *path) {
    if (strings_have(scopes, DRAY_STR("BestEffort")) &&
        strings_have(scopes, DRAY_STR("NotBestEffort")))
        fail_invalid_text(rq, path, value, DRAY_STR("conflicting scopes"));
    if (strings_have(scopes, DRAY_STR("Terminating")) &&
        strings_have(scopes, DRAY_STR("NotTerminating")))
        fail_invalid_text(rq, path, value, DRAY_STR("conflicting scopes"));
}

static void validate_requirement(dray_request *rq,
                                 const dray_core_scoped_resource_selector_requirement *r,
                                 const dray_path *path) {
    dray_path operator= dray_path_child(path, "operator"), values = dray_path_child(path, "values");
    if (IS_ONE_OF(r->scope_name, "BestEffort", "NotBestEffort", "Terminating", "NotTerminating",
                  "CrossNamespacePodAffinity") &&
        !dray_str_is(r->operator, "Exists"))
        fail_invalid_word(rq, &operator, r->operator,
                          DRAY_STR("must be 'Exists' when scope is any of "
                                   "ResourceQuotaScopeTerminating, "
                                   "ResourceQuotaScopeNotTerminating, "
                                   "ResourceQuotaScopeBestEffort, "
                                   "ResourceQuotaScopeNotBestEffort or "
                                   "ResourceQuotaScopeCrossNamespacePodAffinity"));
    if (IS_ONE_OF(r->operator, "In", "NotIn")) {
        if (r->values.n == 0)
            fail_required(rq, &values,
                          DRAY_STR("must be at least one value when `operator` is 'In' or 'NotIn' "
                                   "for scope selector"));
    } else if (IS_ONE_OF(r->operator, "Exists", "DoesNotExist")) {
        if (r->values.n > 0)
            fail_invalid_text(rq, &values, dray_value_strings(rq->arena, r->values),
                              DRAY_STR("must be no value when `operator` is 'Exist' or "
                                       "'DoesNotExist' for scope selector"));
    } else {
        fail_invalid_word(rq, &operator, r->operator, DRAY_STR("not a valid selector operator"));
    }
}

static void validate_selector(dray_request *rq, const dray_core_resource_quota_spec *spec,
                              const dray_path *path) {
    const dray_core_scope_selector *selector = spec->scope_selector;
    dray_path at = dray_path_child(DRAY_AT(path, "scopeSelector"), "matchExpressions");
    if (selector == NULL)
        return;
    dray_str text = dray_value_internal(rq->arena, &dray_type_core_scope_selector, selector,
                                        rq->gates->release);
    size_t n = selector->match_expressions.n;
    dray_strings names = {DRAY_NEW_N(rq->arena, dray_str, n + 1), n};
    for (size_t i = 0; i < n; i++) {
        const dray_core_scoped_resource_selector_requirement *r = &selector->match_expressions.v[i];
        names.v[i] = r->scope_name;
        if (!is_scope(r->scope_name))
            fail_invalid_word(rq, DRAY_AT(&at, "scopeName"), r->scope_name,
                              DRAY_STR("unsupported scope"));
        validate_applied(rq, spec, r->scope_name, text, &at);
        validate_requirement(rq, r, &at);
    }
    validate_conflicts(rq, names, dray_value_strings(rq->arena, spec->scopes), &at);
}

static void validate_spec(dray_request *rq, const dray_core_resource_quota_spec *spec) {
    dray_path path = dray_path_child(NULL, "spec"), scopes = dray_path_child(&path, "scopes");
    validate_list(rq, DRAY_RESOURCES(spec->hard), DRAY_AT(&path, "hard"));
    dray_str text = dray_value_strings(rq->arena, spec->scopes);
    for (size_t i = 0; i < spec->scopes.n; i++) {
        if (!is_scope(spec->scopes.v[i]))
            fail_invalid_text(rq, &scopes, text, DRAY_STR("unsupported scope"));
        validate_applied(rq, spec, spec->scopes.v[i], text, &scopes);
    }
    validate_conflicts(rq, spec->scopes, text, &scopes);
    validate_selector(rq, spec, &path);
}

static bool subset(dray_strings a, dray_strings b) {
    for (size_t i = 0; i < a.n; i++)
        if (!strings_have(b, a.v[i]))
            return false;
    return true;
}

static void validate_amounts(dray_request *rq, const dray_core_resource_quota_status *status) {
    dray_path path = dray_path_child(NULL, "status");
    validate_list(rq, DRAY_RESOURCES(status->hard), DRAY_AT(&path, "hard"));
    validate_list(rq, DRAY_RESOURCES(status->used), DRAY_AT(&path, "used"));
}

void dray_validate_quota(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_resource_quota *quota = body, *old = old_body;
    dray_validate_object_meta(rq, quota->metadata, old != NULL ? old->metadata : NULL, false);
    validate_spec(rq, quota->spec);
    if (old == NULL) {
        validate_amounts(rq, quota->status);
        return;
    }
    dray_strings now = quota->spec->scopes, was = old->spec->scopes;
    if (!subset(now, was) || !subset(was, now))
        fail_invalid_text(rq, DRAY_AT(DRAY_AT(NULL, "spec"), "scopes"),
                          dray_value_strings(rq->arena, now), DRAY_STR("field is immutable"));
}

void dray_validate_quota_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_resource_quota *quota = body, *old = old_body;
    dray_validate_object_meta(rq, quota->metadata, old->metadata, false);
    if (quota->metadata->resource_version.n == 0)
        fail_required(rq, DRAY_AT(NULL, "resourceVersion"), DRAY_STR(""));
    validate_amounts(rq, quota->status);
}
