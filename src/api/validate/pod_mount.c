/* What a container mounts of its Pod's volumes, as directories and as block devices. */
#include "api/validate/pod_int.h"

static bool mounts_path(const dray_core_container *c, dray_str path) {
    for (size_t i = 0; i < c->volume_mounts.n; i++)
        if (dray_str_eq(c->volume_mounts.v[i].mount_path, path))
            return true;
    return false;
}

static bool mounts_name(const dray_core_container *c, dray_str name) {
    for (size_t i = 0; i < c->volume_mounts.n; i++)
        if (dray_str_eq(c->volume_mounts.v[i].name, name))
            return true;
    return false;
}

static bool has_device(const dray_core_container *c, dray_str name) {
    for (size_t i = 0; i < c->volume_devices.n; i++)
        if (dray_str_eq(c->volume_devices.v[i].name, name))
            return true;
    return false;
}

static bool has_device_path(const dray_core_container *c, dray_str path) {
    for (size_t i = 0; i < c->volume_devices.n; i++)
        if (dray_str_eq(c->volume_devices.v[i].device_path, path))
            return true;
    return false;
}

static void validate_propagation(dray_request *rq, const dray_core_container *container,
                                 dray_str propagation, const dray_path *path) {
    if (propagation.p == NULL)
        return;
    if (!IS_ONE_OF(propagation, "Bidirectional", "HostToContainer", "None"))
        FAIL_UNSUPPORTED(rq, path, propagation, "Bidirectional", "HostToContainer", "None");
    const dray_core_security_context *context = container->security_context;
    bool privileged = context != NULL && context->privileged.set && context->privileged.v;
    if (dray_str_is(propagation, "Bidirectional") && !privileged)
        fail_forbidden(
            rq, path,
            DRAY_STR("Bidirectional mount propagation is available only to privileged containers"));
}

static void validate_recursive(dray_request *rq, const dray_core_volume_mount *mount,
                               const dray_path *path) {
    dray_str recursive = mount->recursive_read_only;
    if (recursive.p == NULL || dray_str_is(recursive, "Disabled"))
        return;
    if (!IS_ONE_OF(recursive, "Enabled", "IfPossible")) {
        FAIL_UNSUPPORTED(rq, path, recursive, "Disabled", "Enabled", "IfPossible");
        return;
    }
    if (!mount->read_only)
        fail_forbidden(rq, path, DRAY_STR("may only be specified when readOnly is true"));
    if (mount->mount_propagation.p != NULL && !dray_str_is(mount->mount_propagation, "None"))
        fail_forbidden(
            rq, path,
            DRAY_STR("may only be specified when mountPropagation is None or not specified"));
}

static void validate_bind_options(dray_pod_check *check, const dray_core_volume_mount *mount,
                                  const dray_path *path) {
    dray_request *rq = check->rq;
    dray_strings options = mount->bind_mount_options;
    for (size_t i = 0; i < options.n; i++) {
        if (!IS_ONE_OF(options.v[i], "nodev", "noexec", "nosuid"))
            FAIL_UNSUPPORTED(rq, DRAY_AT_INDEX(path, i), options.v[i], "nodev", "noexec", "nosuid");
        if (strings_have((dray_strings){options.v, i}, options.v[i]))
            fail_duplicate(rq, DRAY_AT_INDEX(path, i), options.v[i]);
    }
    const dray_core_volume *volume = dray_pod_volume(check, mount->name);
    if (options.n > 0 && volume != NULL && volume->volume_source->image != NULL)
        fail_invalid_text(rq, path, dray_value_strings(rq->arena, options),
                          DRAY_STR("bindMountOptions may not be used with image volumes"));
}

static void validate_mount(dray_pod_check *check, const dray_core_container *c, size_t i,
                           const dray_path *list) {
    dray_request *rq = check->rq;
    const dray_core_volume_mount *mount = &c->volume_mounts.v[i];
    dray_path path = dray_path_index(list, i), name = dray_path_child(&path, "name");
    dray_path mount_path = dray_path_child(&path, "mountPath");
    if (mount->name.n == 0)
        fail_required(rq, &name, DRAY_STR(""));
    if (dray_pod_volume(check, mount->name) == NULL)
        fail_not_found(rq, &name, mount->name, DRAY_STR(""));
    if (mount->mount_path.n == 0)
        fail_required(rq, &mount_path, DRAY_STR(""));
    for (size_t j = 0; j < i; j++)
        if (dray_str_eq(c->volume_mounts.v[j].mount_path, mount->mount_path)) {
            fail_invalid(rq, &mount_path, mount->mount_path, DRAY_STR("must be unique"));
            break;
        }
    if (has_device(c, mount->name))
        fail_invalid(rq, &name, mount->name, DRAY_STR("must not already exist in volumeDevices"));
    if (has_device_path(c, mount->mount_path))
        fail_invalid(rq, &mount_path, mount->mount_path,
                     DRAY_STR("must not already exist as a path in volumeDevices"));
    /* These paths lack the mount's index upstream, and so here. */
    if (mount->sub_path.n > 0)
        dray_validate_local_path(rq, mount->sub_path, DRAY_AT(list, "subPath"));
    if (mount->sub_path_expr.n > 0) {
        if (mount->sub_path.n > 0)
            fail_invalid(rq, DRAY_AT(&path, "subPathExpr"), mount->sub_path_expr,
                         DRAY_STR("subPathExpr and subPath are mutually exclusive"));
        dray_validate_local_path(rq, mount->sub_path_expr, DRAY_AT(list, "subPathExpr"));
    }
    validate_propagation(rq, c, mount->mount_propagation, DRAY_AT(list, "mountPropagation"));
    validate_recursive(rq, mount, DRAY_AT(list, "recursiveReadOnly"));
    validate_bind_options(check, mount, DRAY_AT(&path, "bindMountOptions"));
}

static bool has_backstep(dray_str path) {
    dray_str head, tail = path;
    for (bool more = true; more;) {
        more = dray_str_cut(tail, '/', &head, &tail);
        if (dray_str_is(head, ".."))
            return true;
    }
    return false;
}

static void validate_device(dray_pod_check *check, const dray_core_container *c, size_t i,
                            const dray_path *list) {
    dray_request *rq = check->rq;
    const dray_core_volume_device *device = &c->volume_devices.v[i];
    dray_path path = dray_path_index(list, i), name = dray_path_child(&path, "name");
    dray_path device_path = dray_path_child(&path, "devicePath");
    const dray_core_volume *volume = dray_pod_volume(check, device->name);
    bool same_name = false, same_path = false;
    for (size_t j = 0; j < i; j++) {
        const dray_core_volume_device *other = &c->volume_devices.v[j];
        same_name = same_name || (device->name.n > 0 && dray_str_eq(other->name, device->name));
        same_path = same_path || (!has_backstep(other->device_path) &&
                                  dray_str_eq(other->device_path, device->device_path));
    }
    if (device->name.n == 0)
        fail_required(rq, &name, DRAY_STR(""));
    if (same_name)
        fail_invalid(rq, &name, device->name, DRAY_STR("must be unique"));
    if (volume == NULL)
        fail_not_found(rq, &name, device->name, DRAY_STR(""));
    else if (volume->volume_source->persistent_volume_claim == NULL &&
             volume->volume_source->ephemeral == NULL)
        fail_invalid(rq, &name, device->name,
                     DRAY_STR("can only use volume source type of PersistentVolumeClaim or "
                              "Ephemeral for block mode"));
    if (device->device_path.n == 0)
        fail_required(rq, &device_path, DRAY_STR(""));
    if (same_path)
        fail_invalid(rq, &device_path, device->device_path, DRAY_STR("must be unique"));
    if (has_backstep(device->device_path))
        fail_invalid(rq, &device_path, device->device_path,
                     DRAY_STR("can not contain backsteps ('..')"));
    if (mounts_name(c, device->name))
        fail_invalid(rq, &name, device->name, DRAY_STR("must not already exist in volumeMounts"));
    if (mounts_path(c, device->device_path))
        fail_invalid(rq, &device_path, device->device_path,
                     DRAY_STR("must not already exist as a path in volumeMounts"));
}

void dray_validate_mounts(dray_pod_check *check, const dray_core_container *container,
                          const dray_path *path) {
    for (size_t i = 0; i < container->volume_mounts.n; i++)
        validate_mount(check, container, i, DRAY_AT(path, "volumeMounts"));
    for (size_t i = 0; i < container->volume_devices.n; i++)
        validate_device(check, container, i, DRAY_AT(path, "volumeDevices"));
}
