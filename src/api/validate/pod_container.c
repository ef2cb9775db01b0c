/* Containers of a Pod: what they have in common, and what init and ephemeral ones may not. */
#include "api/validate/pod_int.h"

enum { RESTART_RULES_LIMIT = 20, EXIT_CODES_LIMIT = 255 };

static void validate_ports(dray_request *rq, const dray_core_container *container,
                           const dray_path *path) {
    for (size_t i = 0; i < container->ports.n; i++) {
        const dray_core_container_port *port = &container->ports.v[i];
        dray_path item = dray_path_index(path, i);
        size_t before = rq->errors->list.n;
        if (port->name.n > 0)
            fail_texts(rq, DRAY_AT(&item, "name"), port->name, dray_check_port_name);
        for (size_t j = 0; port->name.n > 0 && rq->errors->list.n == before && j < i; j++)
            if (dray_str_eq(container->ports.v[j].name, port->name))
                fail_duplicate(rq, DRAY_AT(&item, "name"), port->name);
        if (port->container_port == 0)
            fail_required(rq, DRAY_AT(&item, "containerPort"), DRAY_STR(""));
        else
            dray_validate_port_number(rq, port->container_port, DRAY_AT(&item, "containerPort"));
        if (port->host_port != 0)
            dray_validate_port_number(rq, port->host_port, DRAY_AT(&item, "hostPort"));
        if (port->protocol.n == 0)
            fail_required(rq, DRAY_AT(&item, "protocol"), DRAY_STR(""));
        else if (!IS_ONE_OF(port->protocol, "SCTP", "TCP", "UDP"))
            FAIL_UNSUPPORTED(rq, DRAY_AT(&item, "protocol"), port->protocol, "SCTP", "TCP", "UDP");
    }
}

static void validate_pull_policy(dray_request *rq, dray_str policy, const dray_path *path) {
    if (policy.n == 0)
        fail_required(rq, path, DRAY_STR(""));
    else if (!IS_ONE_OF(policy, "Always", "IfNotPresent", "Never"))
        FAIL_UNSUPPORTED(rq, path, policy, "Always", "IfNotPresent", "Never");
}

static void validate_resize_policy(dray_pod_check *check, const dray_core_container *container,
                                   const dray_path *path) {
    dray_request *rq = check->rq;
    for (size_t i = 0; i < container->resize_policy.n; i++) {
        const dray_core_container_resize_policy *policy = &container->resize_policy.v[i];
        for (size_t j = 0; j < i; j++)
            if (dray_str_eq(container->resize_policy.v[j].resource_name, policy->resource_name)) {
                fail(rq, DRAY_FIELD_DUPLICATE, DRAY_AT_INDEX(path, i),
                     dray_value_json_string(rq->arena, policy->resource_name), DRAY_STR(""));
                break;
            }
        if (policy->resource_name.n == 0)
            fail_required(rq, path, DRAY_STR(""));
        else if (!IS_ONE_OF(policy->resource_name, "cpu", "memory"))
            FAIL_UNSUPPORTED(rq, path, policy->resource_name, "cpu", "memory");
        if (policy->restart_policy.n == 0)
            fail_required(rq, path, DRAY_STR(""));
        else if (!IS_ONE_OF(policy->restart_policy, "NotRequired", "RestartContainer"))
            FAIL_UNSUPPORTED(rq, path, policy->restart_policy, "NotRequired", "RestartContainer");
        if (dray_str_is(check->spec->restart_policy, "Never") &&
            !dray_str_is(policy->restart_policy, "NotRequired"))
            fail_invalid_word(
                rq, path, policy->restart_policy,
                DRAY_STR("must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
}

static void validate_common(dray_pod_check *check, const dray_core_container *container,
                            const dray_path *path) {
    dray_request *rq = check->rq;
    if (container->name.n == 0)
        fail_required(rq, DRAY_AT(path, "name"), DRAY_STR(""));
    else
        fail_texts(rq, DRAY_AT(path, "name"), container->name, dray_check_dns1123_label);
    if (container->image.n == 0)
        fail_required(rq, DRAY_AT(path, "image"), DRAY_STR(""));
    dray_str message_policy = container->termination_message_policy;
    if (message_policy.n == 0)
        fail_required(rq, DRAY_AT(path, "terminationMessagePolicy"), DRAY_STR(""));
    else if (!IS_ONE_OF(message_policy, "File", "FallbackToLogsOnError"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "terminationMessagePolicy"), message_policy, "File",
                         "FallbackToLogsOnError");
    validate_ports(rq, container, DRAY_AT(path, "ports"));
    dray_validate_env(check, container, path);
    dray_validate_mounts(check, container, path);
    validate_pull_policy(rq, container->image_pull_policy, DRAY_AT(path, "imagePullPolicy"));
    dray_validate_container_resources(check, container->resources, DRAY_AT(path, "resources"));
    validate_resize_policy(check, container, DRAY_AT(path, "resizePolicy"));
    dray_validate_security_context(check, container->security_context,
                                   DRAY_AT(path, "securityContext"));
}

static void validate_restart_rule(dray_pod_check *check,
                                  const dray_core_container_restart_rule *rule,
                                  const dray_path *path) {
    dray_request *rq = check->rq;
    bool restart_all = dray_str_is(rule->action, "RestartAllContainers");
    if (!dray_str_is(rule->action, "Restart") && !(check->restart_all_containers && restart_all)) {
        if (check->restart_all_containers)
            FAIL_UNSUPPORTED(rq, DRAY_AT(path, "action"), rule->action, "Restart",
                             "RestartAllContainers");
        else
            FAIL_UNSUPPORTED(rq, DRAY_AT(path, "action"), rule->action, "Restart");
    }
    dray_path codes = dray_path_child(path, "exitCodes");
    if (rule->exit_codes == NULL) {
        fail_required(rq, &codes, DRAY_STR("must be specified"));
        return;
    }
    if (!IS_ONE_OF(rule->exit_codes->operator, "In", "NotIn"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(&codes, "operator"), rule->exit_codes->operator, "In",
                         "NotIn");
    if (rule->exit_codes->values.n > EXIT_CODES_LIMIT)
        fail_too_many(rq, DRAY_AT(&codes, "values"), rule->exit_codes->values.n, EXIT_CODES_LIMIT);
}

static void validate_restart_policy(dray_pod_check *check, const dray_core_container *container,
                                    const dray_path *path) {
    dray_request *rq = check->rq;
    dray_str policy = container->restart_policy;
    size_t n = container->restart_policy_rules.n;
    if (policy.p == NULL) {
        if (n == 0)
            return;
        fail_required(rq, DRAY_AT(path, "restartPolicy"),
                      DRAY_STR("must specify restartPolicy when restart rules are used"));
    } else if (!IS_ONE_OF(policy, "Always", "Never", "OnFailure")) {
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "restartPolicy"), policy, "Always", "Never",
                         "OnFailure");
    }
    dray_path rules = dray_path_child(path, "restartPolicyRules");
    if (n > RESTART_RULES_LIMIT)
        fail_too_many(rq, &rules, n, RESTART_RULES_LIMIT);
    for (size_t i = 0; i < n; i++)
        validate_restart_rule(check, &container->restart_policy_rules.v[i],
                              DRAY_AT_INDEX(&rules, i));
}

static void validate_init_restart_policy(dray_pod_check *check,
                                         const dray_core_container *container,
                                         const dray_path *path) {
    dray_request *rq = check->rq;
    size_t n_rules = container->restart_policy_rules.n;
    if (container->restart_policy.p == NULL) {
        if (n_rules > 0)
            fail_required(rq, DRAY_AT(path, "restartPolicy"),
                          DRAY_STR("must specify restartPolicy when restart rules are used"));
        return;
    }
    if (!check->restart_rules) {
        if (!is_sidecar(container))
            FAIL_UNSUPPORTED(rq, DRAY_AT(path, "restartPolicy"), container->restart_policy,
                             "Always");
        return;
    }
    if (!is_sidecar(container) || check->restart_all_containers)
        validate_restart_policy(check, container, path);
    else if (n_rules > 0)
        fail_forbidden(rq, DRAY_AT(path, "restartPolicyRules"),
                       DRAY_STR("restartPolicyRules are not allowed for init containers with "
                                "restart policy Always"));
}

/* Host ports are unique by protocol and address among the n containers. */
static void validate_host_ports(dray_request *rq, const dray_core_container *containers, size_t n,
                                size_t first, const dray_path *path) {
    DRAY_VEC(dray_str) seen = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < containers[i].ports.n; j++) {
            const dray_core_container_port *port = &containers[i].ports.v[j];
            if (port->host_port == 0)
                continue;
            dray_str key = DETAIL(rq, DRAY_FMT "/" DRAY_FMT "/%d", DRAY_ARG(port->protocol),
                                  DRAY_ARG(port->host_ip), port->host_port);
            if (strings_have((dray_strings){seen.v, seen.n}, key)) {
                dray_path ports = dray_path_child(DRAY_AT_INDEX(path, first + i), "ports");
                fail_duplicate(rq, DRAY_AT(DRAY_AT_INDEX(&ports, j), "hostPort"), key);
            } else {
                DRAY_PUSH(rq->arena, &seen, key);
            }
        }
}

/* Whether one of the first n containers, init or regular, has the name. */
static bool named(const dray_core_container *containers, size_t n, dray_str name) {
    for (size_t i = 0; i < n; i++)
        if (dray_str_eq(containers[i].name, name))
            return true;
    return false;
}

static void validate_regular(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    if (spec->containers.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        return;
    }
    for (size_t i = 0; i < spec->containers.n; i++) {
        const dray_core_container *container = &spec->containers.v[i];
        dray_path item = dray_path_index(path, i);
        validate_common(check, container, &item);
        if (named(spec->containers.v, i, container->name))
            fail_duplicate(rq, DRAY_AT(&item, "name"), container->name);
        if (container->lifecycle != NULL)
            dray_validate_lifecycle(check, container->lifecycle, DRAY_AT(&item, "lifecycle"));
        dray_validate_probes(check, container, &item);
        if (check->restart_rules)
            validate_restart_policy(check, container, &item);
        else if (container->restart_policy.p != NULL)
            fail_forbidden(rq, DRAY_AT(&item, "restartPolicy"),
                           DRAY_STR("may not be set for non-init containers"));
    }
    validate_host_ports(rq, spec->containers.v, spec->containers.n, 0, path);
}

/* Probes and hooks need a container that goes on running. */
static void validate_init_hooks(dray_pod_check *check, const dray_core_container *container,
                                const dray_path *path) {
    const struct {
        const char *name;
        const void *value;
    } hooks[] = {{"lifecycle", container->lifecycle},
                 {"livenessProbe", container->liveness_probe},
                 {"readinessProbe", container->readiness_probe},
                 {"startupProbe", container->startup_probe}};
    if (is_sidecar(container)) {
        if (container->lifecycle != NULL)
            dray_validate_lifecycle(check, container->lifecycle, DRAY_AT(path, "lifecycle"));
        dray_validate_probes(check, container, path);
        return;
    }
    for (size_t i = 0; i < DRAY_COUNT(hooks); i++)
        if (hooks[i].value != NULL)
            fail_forbidden(
                check->rq, DRAY_AT(path, hooks[i].name),
                DRAY_STR("may not be set for init containers without restartPolicy=Always"));
}

static void validate_init_resize(dray_pod_check *check, const dray_core_container *container,
                                 const dray_path *path) {
    dray_path list = dray_path_child(path, "resizePolicy");
    if (!check->sidecar_resize_policy && container->resize_policy.n > 0)
        fail_invalid_text(check->rq, &list,
                          dray_value_internal(check->rq->arena, &dray_type_core_container,
                                              container, check->rq->gates->release),
                          DRAY_STR("must not be set for init containers"));
    if (is_sidecar(container) || check->restart_container_init)
        return;
    for (size_t i = 0; i < container->resize_policy.n; i++) {
        dray_str policy = container->resize_policy.v[i].restart_policy;
        if (dray_str_is(policy, "RestartContainer"))
            fail_invalid_word(check->rq, DRAY_AT(DRAY_AT_INDEX(&list, i), "restartPolicy"), policy,
                              DRAY_STR("must not be set to 'RestartContainer' for non-sidecar "
                                       "initContainers"));
    }
}

static void validate_init(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    for (size_t i = 0; i < spec->init_containers.n; i++) {
        const dray_core_container *container = &spec->init_containers.v[i];
        dray_path item = dray_path_index(path, i);
        validate_common(check, container, &item);
        validate_init_restart_policy(check, container, &item);
        if (named(spec->containers.v, spec->containers.n, container->name) ||
            (container->name.n > 0 && named(spec->init_containers.v, i, container->name)))
            fail_duplicate(rq, DRAY_AT(&item, "name"), container->name);
        validate_host_ports(rq, container, 1, 0, path);
        validate_init_hooks(check, container, &item);
        validate_init_resize(check, container, &item);
    }
}

/* What an ephemeral container may not have. */
static void validate_ephemeral_fields(dray_request *rq, const dray_core_container *c,
                                      const dray_path *path) {
    const struct {
        const char *name;
        bool set;
    } refused[] = {
        {"ports", c->ports.v != NULL}, /* an empty list is there, too */
        {"resources", c->resources->limits.k != NULL || c->resources->requests.k != NULL ||
                          c->resources->claims.v != NULL},
        {"livenessProbe", c->liveness_probe != NULL},
        {"readinessProbe", c->readiness_probe != NULL},
        {"startupProbe", c->startup_probe != NULL},
        {"lifecycle", c->lifecycle != NULL},
        {"resizePolicy", c->resize_policy.v != NULL},
        {"restartPolicy", c->restart_policy.p != NULL},
        {"restartPolicyRules", c->restart_policy_rules.v != NULL},
    };
    for (size_t i = 0; i < DRAY_COUNT(refused); i++)
        if (refused[i].set)
            fail_forbidden(rq, DRAY_AT(path, refused[i].name),
                           DRAY_STR("cannot be set for an Ephemeral Container"));
    dray_path mounts = dray_path_child(path, "volumeMounts");
    for (size_t i = 0; i < c->volume_mounts.n; i++) {
        if (c->volume_mounts.v[i].sub_path.n > 0)
            fail_forbidden(rq, DRAY_AT(DRAY_AT_INDEX(&mounts, i), "subPath"),
                           DRAY_STR("cannot be set for an Ephemeral Container"));
        if (c->volume_mounts.v[i].sub_path_expr.n > 0)
            fail_forbidden(rq, DRAY_AT(DRAY_AT_INDEX(&mounts, i), "subPathExpr"),
                           DRAY_STR("cannot be set for an Ephemeral Container"));
    }
}

static void validate_ephemeral(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    size_t others = spec->init_containers.n + spec->containers.n;
    for (size_t i = 0; i < spec->ephemeral_containers.n; i++) {
        const dray_core_container *container = dray_pod_container(spec, others + i).container;
        dray_str target = spec->ephemeral_containers.v[i].target_container_name;
        dray_path item = dray_path_index(path, i);
        validate_common(check, container, &item);
        dray_validate_image_padding(rq, container, &item);
        bool taken = named(spec->containers.v, spec->containers.n, container->name) ||
                     named(spec->init_containers.v, spec->init_containers.n, container->name);
        for (size_t j = 0; j < i && !taken; j++)
            taken =
                dray_str_eq(dray_pod_container(spec, others + j).container->name, container->name);
        if (taken)
            fail_duplicate(rq, DRAY_AT(&item, "name"), container->name);
        if (target.n > 0 && !named(spec->containers.v, spec->containers.n, target) &&
            !named(spec->init_containers.v, spec->init_containers.n, target))
            fail_not_found(rq, DRAY_AT(&item, "targetContainerName"), target, DRAY_STR(""));
        validate_ephemeral_fields(rq, container, &item);
    }
}

void dray_validate_image_padding(dray_request *rq, const dray_core_container *container,
                                 const dray_path *path) {
    dray_str image = container->image;
    if (dray_is_padded(image))
        fail_invalid(rq, DRAY_AT(path, "image"), image,
                     DRAY_STR("must not have leading or trailing whitespace"));
}

void dray_validate_containers(dray_pod_check *check, const dray_path *path) {
    validate_regular(check, DRAY_AT(path, "containers"));
    validate_init(check, DRAY_AT(path, "initContainers"));
    validate_ephemeral(check, DRAY_AT(path, "ephemeralContainers"));
}

size_t dray_pod_n_containers(const dray_core_pod_spec *spec) {
    return spec->init_containers.n + spec->containers.n + spec->ephemeral_containers.n;
}

dray_container_ref dray_pod_container(const dray_core_pod_spec *spec, size_t i) {
    if (i < spec->init_containers.n)
        return (dray_container_ref){&spec->init_containers.v[i], "initContainers", i};
    i -= spec->init_containers.n;
    if (i < spec->containers.n)
        return (dray_container_ref){&spec->containers.v[i], "containers", i};
    i -= spec->containers.n;
    /* The common part of an ephemeral container has the rows of a container, in the same order. */
    _Static_assert(sizeof(dray_core_container) == sizeof(dray_core_ephemeral_container_common),
                   "an ephemeral container looks like a container");
    void *common = spec->ephemeral_containers.v[i].ephemeral_container_common;
    return (dray_container_ref){common, "ephemeralContainers", i};
}

bool dray_pod_has_container(const dray_core_pod_spec *spec, dray_str name) {
    size_t n = dray_pod_n_containers(spec);
    for (size_t i = 0; i < n; i++)
        if (dray_str_eq(dray_pod_container(spec, i).container->name, name))
            return true;
    return false;
}
