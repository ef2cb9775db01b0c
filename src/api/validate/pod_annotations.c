/* Annotations that mean something to Pods: mirror, deletion cost, old seccomp and AppArmor keys. */
#include "api/validate/pod_int.h"

#define MIRROR "kubernetes.io/config.mirror"
#define DELETION_COST "controller.kubernetes.io/pod-deletion-cost"
#define SECCOMP_POD "seccomp.security.alpha.kubernetes.io/pod"
#define SECCOMP_CONTAINER "container.seccomp.security.alpha.kubernetes.io/"
#define APP_ARMOR "container.apparmor.security.beta.kubernetes.io/"

static void validate_seccomp_value(dray_request *rq, dray_str profile, const dray_path *path) {
    dray_str prefix = DRAY_STR("localhost/");
    if (IS_ONE_OF(profile, "runtime/default", "docker/default", "unconfined"))
        return;
    if (dray_str_starts(profile, prefix))
        dray_validate_local_path(rq, dray_str_slice(profile, prefix.n, profile.n), path);
    else
        fail_invalid(rq, path, profile, DRAY_STR("must be a valid seccomp profile"));
}

static void validate_app_armor_value(dray_pod_check *check, dray_str key, dray_str profile,
                                     const dray_path *path) {
    dray_request *rq = check->rq;
    dray_str container = dray_str_slice(key, sizeof APP_ARMOR - 1, key.n);
    if (!dray_pod_has_container(check->spec, container))
        fail_invalid(rq, path, container, DRAY_STR("container not found"));
    if (profile.n > 0 && !IS_ONE_OF(profile, "runtime/default", "unconfined") &&
        !dray_str_starts(profile, DRAY_STR("localhost/")))
        fail_invalid(rq, path, profile,
                     DETAIL(rq, "invalid AppArmor profile name: " DRAY_FMT,
                            DRAY_ARG(dray_value_quote(rq->arena, profile))));
}

bool dray_deletion_cost_valid(dray_string_map annotations) {
    dray_str cost;
    if (!map_find(annotations, DRAY_STR(DELETION_COST), &cost))
        return true;
    bool minus = cost.n > 0 && cost.p[0] == '-';
    dray_str digits = dray_str_slice(cost, minus ? 1 : 0, cost.n);
    int64_t value = 0;
    if (digits.n == 0 || digits.n > 10 || (!minus && digits.n > 1 && digits.p[0] == '0'))
        return false;
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return false;
        value = value * 10 + (digits.p[i] - '0');
    }
    return value <= (minus ? -(int64_t)INT32_MIN : INT32_MAX);
}

void dray_validate_pod_annotations(dray_pod_check *check, dray_string_map annotations,
                                   const dray_path *path) {
    dray_request *rq = check->rq;
    dray_str value;
    if (map_find(annotations, DRAY_STR(MIRROR), &value) && check->spec->node_name.n == 0)
        fail_invalid(rq, DRAY_AT_KEY(path, DRAY_STR(MIRROR)), value,
                     DRAY_STR("must set spec.nodeName if mirror pod annotation is set"));
    if (!check->bad_deletion_cost && !dray_deletion_cost_valid(annotations)) {
        map_find(annotations, DRAY_STR(DELETION_COST), &value);
        fail_invalid(rq, DRAY_AT_KEY(path, DRAY_STR(DELETION_COST)), value,
                     DRAY_STR("must be a 32bit integer"));
    }
    if (map_find(annotations, DRAY_STR(SECCOMP_POD), &value))
        validate_seccomp_value(rq, value, DRAY_AT(path, SECCOMP_POD));
    for (size_t i = 0; i < annotations.n; i++) {
        dray_str key = annotations.k[i];
        if (dray_str_starts(key, DRAY_STR(SECCOMP_CONTAINER)))
            validate_seccomp_value(rq, annotations.v[i],
                                   DRAY_AT(path, dray_str_dup(rq->arena, key).p));
        if (dray_str_starts(key, DRAY_STR(APP_ARMOR)))
            validate_app_armor_value(check, key, annotations.v[i], DRAY_AT_KEY(path, key));
    }
}

void dray_validate_pod_annotation_updates(dray_pod_check *check, dray_string_map annotations,
                                          dray_string_map old, const dray_path *path) {
    dray_request *rq = check->rq;
    for (size_t i = 0; i < old.n; i++) {
        dray_str value;
        dray_path at = dray_path_key(path, old.k[i]);
        if (map_find(annotations, old.k[i], &value) && dray_str_eq(value, old.v[i]))
            continue;
        if (dray_str_starts(old.k[i], DRAY_STR(APP_ARMOR)))
            fail_forbidden(rq, &at, DRAY_STR("may not remove or update AppArmor annotations"));
        if (dray_str_is(old.k[i], MIRROR))
            fail_forbidden(rq, &at, DRAY_STR("may not remove or update mirror pod annotation"));
    }
    for (size_t i = 0; i < annotations.n; i++) {
        dray_path at = dray_path_key(path, annotations.k[i]);
        if (map_has(old, annotations.k[i]))
            continue;
        if (dray_str_starts(annotations.k[i], DRAY_STR(APP_ARMOR)))
            fail_forbidden(rq, &at, DRAY_STR("may not add AppArmor annotations"));
        if (dray_str_is(annotations.k[i], MIRROR))
            fail_forbidden(rq, &at, DRAY_STR("may not add mirror pod annotation"));
    }
    dray_validate_pod_annotations(check, annotations, path);
}

/* An annotation and the field that took its place must say the same. */
static void match_profile(dray_request *rq, dray_str annotation, dray_str type, dray_str file,
                          const char *what, const dray_path *path) {
    dray_str prefix = DRAY_STR("localhost/");
    bool docker = dray_str_is(annotation, "docker/default") && strcmp(what, "seccomp") == 0;
    bool same = true;
    if (dray_str_is(type, "Unconfined"))
        same = dray_str_is(annotation, "unconfined");
    else if (dray_str_is(type, "RuntimeDefault"))
        same = dray_str_is(annotation, "runtime/default") || docker;
    else if (dray_str_is(type, "Localhost"))
        same = dray_str_starts(annotation, prefix);
    if (!same)
        fail_forbidden(rq, DRAY_AT(path, "type"),
                       DETAIL(rq, "%s type in annotation and field must match", what));
    else if (dray_str_is(type, "Localhost") &&
             (file.p == NULL ||
              !dray_str_eq(dray_str_slice(annotation, prefix.n, annotation.n), file)))
        fail_forbidden(rq, DRAY_AT(path, "localhostProfile"),
                       DETAIL(rq, "%s profile in annotation and field must match", what));
}

static void match_container(dray_request *rq, dray_string_map annotations,
                            const dray_core_pod_spec *spec, dray_container_ref ref,
                            const dray_path *path) {
    const dray_core_security_context *context = ref.container->security_context;
    dray_str value, name = ref.container->name;
    dray_path item = dray_path_index(DRAY_AT(path, ref.list), ref.index);
    dray_path at = dray_path_child(&item, "securityContext");
    const dray_core_seccomp_profile *seccomp = context != NULL ? context->seccomp_profile : NULL;
    const dray_core_app_armor_profile *armor =
        spec->security_context != NULL ? spec->security_context->app_armor_profile : NULL;
    if (context != NULL && context->app_armor_profile != NULL)
        armor = context->app_armor_profile;
    if (seccomp != NULL &&
        map_find(annotations, DETAIL(rq, SECCOMP_CONTAINER DRAY_FMT, DRAY_ARG(name)), &value))
        match_profile(rq, value, seccomp->type, seccomp->localhost_profile, "seccomp",
                      DRAY_AT(&at, "seccompProfile"));
    if (armor != NULL && !is_os(spec, "windows") &&
        map_find(annotations, DETAIL(rq, APP_ARMOR DRAY_FMT, DRAY_ARG(name)), &value))
        match_profile(rq, value, armor->type, armor->localhost_profile, "apparmor",
                      DRAY_AT(&at, "appArmorProfile"));
}

void dray_validate_profile_annotations(dray_request *rq, dray_string_map annotations,
                                       const dray_core_pod_spec *spec, const dray_path *path) {
    const dray_core_pod_security_context *context = spec->security_context;
    dray_str value;
    if (context != NULL && context->seccomp_profile != NULL &&
        map_find(annotations, DRAY_STR(SECCOMP_POD), &value))
        match_profile(rq, value, context->seccomp_profile->type,
                      context->seccomp_profile->localhost_profile, "seccomp",
                      DRAY_AT(DRAY_AT(path, "securityContext"), "seccompProfile"));
    for (size_t i = 0; i < dray_pod_n_containers(spec); i++)
        match_container(rq, annotations, spec, dray_pod_container(spec, i), path);
}
