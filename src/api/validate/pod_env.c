/* Environment variables of a container and where their values come from. */
#include "api/validate/pod_int.h"

static const char *const env_fields[] = {
    "metadata.name",           "metadata.namespace", "metadata.uid",   "spec.nodeName",
    "spec.serviceAccountName", "status.hostIP",      "status.hostIPs", "status.podIP",
    "status.podIPs",
};
static const char *const volume_fields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",
    "metadata.namespace",   "metadata.uid",
};
static const char *const resource_fields[] = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory",
};
/* Labels that the downward API knows; what an env or volume may use is less. */
static const char *const known_fields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs",
};

/* "path['subscript']" in its parts; false where there is none. */
static bool split_subscript(dray_str field, dray_str *ret_path, dray_str *ret_subscript) {
    size_t open = dray_str_find(field, DRAY_STR("['"));
    if (open == SIZE_MAX || open == 0 || !dray_str_ends(field, DRAY_STR("']")))
        return false;
    *ret_path = dray_str_slice(field, 0, open);
    *ret_subscript = dray_str_slice(field, open + 2, field.n - 2);
    return true;
}

static void validate_subscript(dray_request *rq, dray_str field, dray_str name, dray_str subscript,
                               const dray_path *path) {
    if (dray_str_is(name, "metadata.annotations")) {
        char *low = dray_arena_bytes(rq->arena, subscript.n + 1);
        for (size_t i = 0; i < subscript.n; i++)
            low[i] = subscript.p[i] >= 'A' && subscript.p[i] <= 'Z' ? (char)(subscript.p[i] + 32)
                                                                    : subscript.p[i];
        fail_texts(rq, path, dray_str_n(low, subscript.n), dray_check_label_key);
    } else if (dray_str_is(name, "metadata.labels")) {
        fail_texts(rq, path, subscript, dray_check_label_key);
    } else {
        fail_invalid(
            rq, DRAY_AT(path, "fieldPath"), field,
            DETAIL(rq,
                   "error converting fieldPath: field label does not support subscript: " DRAY_FMT,
                   DRAY_ARG(field)));
    }
}

void dray_validate_field_selector(dray_request *rq, const dray_core_object_field_selector *field,
                                  bool volume, const dray_path *path) {
    dray_path field_path = dray_path_child(path, "fieldPath");
    dray_str label = field->field_path, name, subscript;
    if (field->api_version.n == 0) {
        fail_required(rq, DRAY_AT(path, "apiVersion"), DRAY_STR(""));
        return;
    }
    if (label.n == 0) {
        fail_required(rq, &field_path, DRAY_STR(""));
        return;
    }
    if (!dray_str_is(field->api_version, "v1")) {
        fail_invalid(rq, &field_path, label,
                     DETAIL(rq, "error converting fieldPath: unsupported pod version: " DRAY_FMT,
                            DRAY_ARG(field->api_version)));
        return;
    }
    if (split_subscript(label, &name, &subscript)) {
        validate_subscript(rq, label, name, subscript, path);
        return;
    }
    if (dray_str_is(label, "spec.host"))
        label = DRAY_STR("spec.nodeName");
    if (!is_one_of(label, known_fields, DRAY_COUNT(known_fields))) {
        fail_invalid(rq, &field_path, label,
                     DETAIL(rq, "error converting fieldPath: field label not supported: " DRAY_FMT,
                            DRAY_ARG(label)));
        return;
    }
    const char *const *allowed = volume ? volume_fields : env_fields;
    size_t n = volume ? DRAY_COUNT(volume_fields) : DRAY_COUNT(env_fields);
    if (!is_one_of(label, allowed, n))
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, &field_path, dray_value_quote(rq->arena, label),
             dray_detail_supported(rq->arena, allowed, n));
}

/* What a resource may be divided by. */
static void validate_divisor(dray_request *rq, const dray_core_resource_field_selector *field,
                             const dray_path *path) {
    static const char sizes[] =
        "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are "
        "supported with the %s resource";
    if (dray_quantity_is_zero(field->divisor))
        return;
    dray_str divisor = dray_quantity_format(field->divisor, rq->arena), name = field->resource;
    if (IS_ONE_OF(name, "limits.cpu", "requests.cpu")) {
        if (!IS_ONE_OF(divisor, "1m", "1"))
            fail_invalid(
                rq, path, name,
                DRAY_STR("only divisor's values 1m and 1 are supported with the cpu resource"));
        return;
    }
    const char *what = NULL;
    if (IS_ONE_OF(name, "limits.memory", "requests.memory"))
        what = "memory";
    else if (IS_ONE_OF(name, "limits.ephemeral-storage", "requests.ephemeral-storage"))
        what = "local ephemeral storage";
    else if (dray_str_starts(name, DRAY_STR("requests.hugepages-")) ||
             dray_str_starts(name, DRAY_STR("limits.hugepages-")))
        what = "hugepages";
    if (what != NULL && !IS_ONE_OF(divisor, "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi",
                                   "1Gi", "1Ti", "1Pi", "1Ei"))
        fail_invalid(rq, path, name, DETAIL(rq, sizes, what));
}

void dray_validate_resource_selector(dray_request *rq,
                                     const dray_core_resource_field_selector *field, bool volume,
                                     const dray_path *path) {
    dray_str name = field->resource;
    if (volume && field->container_name.n == 0)
        fail_required(rq, DRAY_AT(path, "containerName"), DRAY_STR(""));
    else if (name.n == 0)
        fail_required(rq, DRAY_AT(path, "resource"), DRAY_STR(""));
    else if (!is_one_of(name, resource_fields, DRAY_COUNT(resource_fields)) &&
             !dray_str_starts(name, DRAY_STR("requests.hugepages-")) &&
             !dray_str_starts(name, DRAY_STR("limits.hugepages-")))
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, DRAY_AT(path, "resource"),
             dray_value_quote(rq->arena, name),
             dray_detail_supported(rq->arena, resource_fields, DRAY_COUNT(resource_fields)));
    validate_divisor(rq, field, DRAY_AT(path, "divisor"));
}

static void validate_key(dray_request *rq, dray_str name, dray_str key, const dray_path *path) {
    fail_texts(rq, DRAY_AT(path, "name"), name, dray_check_dns1123_subdomain);
    if (key.n == 0)
        fail_required(rq, DRAY_AT(path, "key"), DRAY_STR(""));
    else
        fail_texts(rq, DRAY_AT(path, "key"), key, dray_check_config_map_key);
}

static void validate_file_key(dray_request *rq, const dray_core_file_key_selector *file,
                              const dray_path *path) {
    if (file->key.n == 0)
        fail_required(rq, DRAY_AT(path, "key"), DRAY_STR(""));
    else
        fail_texts(rq, DRAY_AT(path, "key"), file->key, dray_check_relaxed_env_var_name);
    if (file->volume_name.n == 0)
        fail_required(rq, DRAY_AT(path, "volumeName"), DRAY_STR(""));
    else
        fail_texts(rq, DRAY_AT(path, "volumeName"), file->volume_name, dray_check_dns1123_label);
    if (file->path.n == 0)
        fail_required(rq, DRAY_AT(path, "path"), DRAY_STR(""));
    else
        dray_validate_no_backsteps(rq, file->path, DRAY_AT(path, "path"));
}

static void validate_value_from(dray_pod_check *check, const dray_core_env_var *var,
                                const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_env_var_source *from = var->value_from;
    if (from->field_ref != NULL)
        dray_validate_field_selector(rq, from->field_ref, false, DRAY_AT(path, "fieldRef"));
    if (from->resource_field_ref != NULL)
        dray_validate_resource_selector(rq, from->resource_field_ref, false,
                                        DRAY_AT(path, "resourceFieldRef"));
    if (from->config_map_key_ref != NULL)
        validate_key(rq, from->config_map_key_ref->local_object_reference->name,
                     from->config_map_key_ref->key, DRAY_AT(path, "configMapKeyRef"));
    if (from->secret_key_ref != NULL)
        validate_key(rq, from->secret_key_ref->local_object_reference->name,
                     from->secret_key_ref->key, DRAY_AT(path, "secretKeyRef"));
    if (from->file_key_ref != NULL)
        validate_file_key(rq, from->file_key_ref, DRAY_AT(path, "fileKeyRef"));
    int n = (from->field_ref != NULL) + (from->resource_field_ref != NULL) +
            (from->config_map_key_ref != NULL) + (from->secret_key_ref != NULL) +
            (from->file_key_ref != NULL);
    if (n == 0)
        fail_invalid(rq, path, DRAY_STR(""),
                     check->env_files
                         ? DRAY_STR("must specify one of: `fieldRef`, `resourceFieldRef`, "
                                    "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`")
                         : DRAY_STR("must specify one of: `fieldRef`, `resourceFieldRef`, "
                                    "`configMapKeyRef` or `secretKeyRef`"));
    else if (var->value.n > 0)
        fail_invalid(rq, path, DRAY_STR(""),
                     DRAY_STR("may not be specified when `value` is not empty"));
    else if (n > 1)
        fail_invalid(rq, path, DRAY_STR(""),
                     DRAY_STR("may not have more than one field specified at a time"));
}

static void validate_env_from(dray_pod_check *check, const dray_core_env_from_source *from,
                              const dray_path *list, size_t i) {
    dray_request *rq = check->rq;
    dray_path path = dray_path_index(list, i);
    if (from->prefix.n > 0)
        fail_texts(rq, DRAY_AT(&path, "prefix"), from->prefix,
                   check->relaxed_env_names ? dray_check_relaxed_env_var_name
                                            : dray_check_env_var_name);
    const struct {
        const char *name;
        bool set;
        dray_str ref;
    } sources[] = {
        {"configMapRef", from->config_map_ref != NULL,
         from->config_map_ref != NULL ? from->config_map_ref->local_object_reference->name
                                      : DRAY_STR_NONE},
        {"secretRef", from->secret_ref != NULL,
         from->secret_ref != NULL ? from->secret_ref->local_object_reference->name : DRAY_STR_NONE},
    };
    for (size_t j = 0; j < DRAY_COUNT(sources); j++) {
        dray_path source = dray_path_child(&path, sources[j].name);
        if (sources[j].set && sources[j].ref.n == 0)
            fail_required(rq, DRAY_AT(&source, "name"), DRAY_STR(""));
        else if (sources[j].set)
            fail_texts(rq, DRAY_AT(&source, "name"), sources[j].ref, dray_check_dns1123_subdomain);
    }
    if (!sources[0].set && !sources[1].set)
        fail_invalid(rq, list, DRAY_STR(""),
                     DRAY_STR("must specify one of: `configMapRef` or `secretRef`"));
    else if (sources[0].set && sources[1].set)
        fail_invalid(rq, list, DRAY_STR(""),
                     DRAY_STR("may not have more than one field specified at a time"));
}

void dray_validate_env(dray_pod_check *check, const dray_core_container *container,
                       const dray_path *path) {
    dray_request *rq = check->rq;
    dray_path list = dray_path_child(path, "env");
    for (size_t i = 0; i < container->env.n; i++) {
        const dray_core_env_var *var = &container->env.v[i];
        dray_path item = dray_path_index(&list, i);
        if (var->name.n == 0)
            fail_required(rq, DRAY_AT(&item, "name"), DRAY_STR(""));
        else
            fail_texts(rq, DRAY_AT(&item, "name"), var->name,
                       check->relaxed_env_names ? dray_check_relaxed_env_var_name
                                                : dray_check_env_var_name);
        if (var->value_from != NULL)
            validate_value_from(check, var, DRAY_AT(&item, "valueFrom"));
    }
    for (size_t i = 0; i < container->env_from.n; i++)
        validate_env_from(check, &container->env_from.v[i], DRAY_AT(path, "envFrom"), i);
}

static void validate_file_key_volume(dray_pod_check *check, dray_str name, const dray_path *path) {
    const dray_core_volume *found = NULL;
    for (size_t i = 0; i < check->spec->volumes.n; i++)
        if (dray_str_eq(check->spec->volumes.v[i].name, name))
            found = &check->spec->volumes.v[i];
    if (found == NULL)
        fail_not_found(check->rq, path, name, DRAY_STR(""));
    else if (found->volume_source->empty_dir == NULL)
        fail_invalid(check->rq, path, name, DRAY_STR("referenced volume must be of type emptyDir"));
}

void dray_validate_file_key_volumes(dray_pod_check *check, const dray_path *path) {
    size_t n = dray_pod_n_containers(check->spec);
    for (size_t i = 0; i < n; i++) {
        dray_container_ref ref = dray_pod_container(check->spec, i);
        dray_path env = dray_path_child(DRAY_AT_INDEX(DRAY_AT(path, ref.list), ref.index), "env");
        for (size_t j = 0; j < ref.container->env.n; j++) {
            const dray_core_env_var_source *from = ref.container->env.v[j].value_from;
            if (from == NULL || from->file_key_ref == NULL)
                continue;
            dray_path key =
                dray_path_child(DRAY_AT(DRAY_AT_INDEX(&env, j), "valueFrom"), "fileKeyRef");
            validate_file_key_volume(check, from->file_key_ref->volume_name,
                                     DRAY_AT(&key, "volumeName"));
        }
    }
}
