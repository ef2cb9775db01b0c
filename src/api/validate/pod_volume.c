/* Volumes of a Pod: one source each, what each source needs, and claims made for ephemeral ones. */
#include "api/validate/pod_int.h"

enum { FILE_MODE_MAX = 0777, EMPTY_DIR_MODE_MAX = 01777, CSI_DRIVER_LIMIT = 63 };

/* A string or a list of strings that must not be empty. */
typedef struct required {
    const char *json;
    size_t offset;
} required;

/* A volume source: where it lies, what it is called in paths, what it needs, and its own rules. */
typedef struct source_row {
    size_t offset;
    const char *name;
    const char *second; /* its path as a second source, where that differs (upstream's spelling) */
    required needs[4];
    void (*validate)(dray_pod_check *check, const void *source, const dray_path *path);
} source_row;

static void validate_user(dray_request *rq, dray_opt_int64 user, const dray_path *path) {
    dray_validate_user_id(rq, user, path);
}

static void validate_empty_dir(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_empty_dir_volume_source *dir = source;
    if (dir->size_limit != NULL && dray_quantity_sign(*dir->size_limit) < 0)
        fail_forbidden(check->rq, DRAY_AT(path, "sizeLimit"),
                       DRAY_STR("SizeLimit field must be a valid resource quantity"));
    if (dir->mode.set && (dir->mode.v < 0 || dir->mode.v > EMPTY_DIR_MODE_MAX))
        fail_invalid_int(check->rq, DRAY_AT(path, "mode"), dir->mode.v,
                         DRAY_STR("must be a number between 0 and 01777 (octal), both inclusive"));
}

static void validate_host_path(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_host_path_volume_source *host = source;
    if (host->path.n == 0)
        return;
    dray_validate_no_backsteps(check->rq, host->path, DRAY_AT(path, "path"));
    if (host->type.n > 0 && !IS_ONE_OF(host->type, "BlockDevice", "CharDevice", "Directory",
                                       "DirectoryOrCreate", "File", "FileOrCreate", "Socket"))
        FAIL_UNSUPPORTED(check->rq, DRAY_AT(path, "type"), host->type, "", "BlockDevice",
                         "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate",
                         "Socket");
}

static void validate_git_repo(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_git_repo_volume_source *git = source;
    dray_validate_local_path(check->rq, git->directory, DRAY_AT(path, "directory"));
}

static void validate_partition(dray_request *rq, int32_t partition, const dray_path *path) {
    if (partition < 0 || partition > 255)
        fail_invalid_int(rq, DRAY_AT(path, "partition"), partition,
                         DRAY_STR("must be between 1 and 255, inclusive"));
}

static void validate_gce(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_gce_persistent_disk_volume_source *disk = source;
    validate_partition(check->rq, disk->partition, path);
}

static void validate_aws(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_aws_elastic_block_store_volume_source *disk = source;
    validate_partition(check->rq, disk->partition, path);
}

static void validate_items(dray_request *rq, const dray_core_key_to_path *items, size_t n,
                           const dray_path *path) {
    for (size_t i = 0; i < n; i++)
        dray_validate_key_to_path(rq, &items[i], DRAY_AT_INDEX(DRAY_AT(path, "items"), i));
}

static void validate_secret(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_secret_volume_source *secret = source;
    dray_validate_file_mode(check->rq, secret->default_mode, DRAY_AT(path, "defaultMode"));
    validate_user(check->rq, secret->default_user, DRAY_AT(path, "defaultUser"));
    validate_items(check->rq, secret->items.v, secret->items.n, path);
}

static void validate_config_map(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_config_map_volume_source *map = source;
    if (map->local_object_reference->name.n == 0)
        fail_required(check->rq, DRAY_AT(path, "name"), DRAY_STR(""));
    dray_validate_file_mode(check->rq, map->default_mode, DRAY_AT(path, "defaultMode"));
    validate_user(check->rq, map->default_user, DRAY_AT(path, "defaultUser"));
    validate_items(check->rq, map->items.v, map->items.n, path);
}

static void validate_downward(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_downward_api_volume_source *downward = source;
    dray_validate_file_mode(check->rq, downward->default_mode, DRAY_AT(path, "defaultMode"));
    validate_user(check->rq, downward->default_user, DRAY_AT(path, "defaultUser"));
    for (size_t i = 0; i < downward->items.n; i++)
        dray_validate_downward_file(check->rq, &downward->items.v[i], path);
}

static void validate_projected(dray_pod_check *check, const void *source, const dray_path *path) {
    dray_validate_projected(check, source, path);
}

static void validate_nfs(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_nfs_volume_source *nfs = source;
    if (!dray_str_starts(nfs->path, DRAY_STR("/")))
        fail_invalid(check->rq, DRAY_AT(path, "path"), nfs->path,
                     DRAY_STR("must be an absolute path"));
}

static void validate_flocker(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_flocker_volume_source *flocker = source;
    if (flocker->dataset_name.n == 0 && flocker->dataset_uuid.n == 0)
        fail_required(check->rq, path, DRAY_STR("one of datasetName and datasetUUID is required"));
    if (flocker->dataset_name.n > 0 && flocker->dataset_uuid.n > 0)
        fail_invalid(check->rq, path, DRAY_STR("resource"),
                     DRAY_STR("datasetName and datasetUUID can not be specified simultaneously"));
    if (dray_str_chr(flocker->dataset_name, '/') != SIZE_MAX)
        fail_invalid(check->rq, DRAY_AT(path, "datasetName"), flocker->dataset_name,
                     DRAY_STR("must not contain '/'"));
}

static void validate_iscsi(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_iscsi_volume_source *iscsi = source;
    if (iscsi->iqn.n > 0 && !dray_str_starts(iscsi->iqn, DRAY_STR("iqn")) &&
        !dray_str_starts(iscsi->iqn, DRAY_STR("eui")) &&
        !dray_str_starts(iscsi->iqn, DRAY_STR("naa")))
        fail_invalid(check->rq, DRAY_AT(path, "iqn"), iscsi->iqn,
                     DRAY_STR("must be valid format starting with iqn, eui, or naa"));
    dray_validate_range(check->rq, iscsi->lun, 0, 255, DRAY_AT(path, "lun"));
    if ((iscsi->chap_auth_discovery || iscsi->chap_auth_session) && iscsi->secret_ref == NULL)
        fail_required(check->rq, DRAY_AT(path, "secretRef"), DRAY_STR(""));
}

static void validate_fc(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_fc_volume_source *fc = source;
    dray_path wwns = dray_path_child(path, "targetWWNs");
    if (fc->target_ww_ns.n == 0 && fc->wwids.n == 0)
        fail_required(check->rq, &wwns,
                      DRAY_STR("must specify either targetWWNs or wwids, but not both"));
    if (fc->target_ww_ns.n > 0 && fc->wwids.n > 0)
        fail_invalid_text(check->rq, &wwns, dray_value_strings(check->rq->arena, fc->target_ww_ns),
                          DRAY_STR("targetWWNs and wwids can not be specified simultaneously"));
    if (fc->target_ww_ns.n > 0 && !fc->lun.set)
        fail_required(check->rq, DRAY_AT(path, "lun"),
                      DRAY_STR("lun is required if targetWWNs is specified"));
    else if (fc->target_ww_ns.n > 0)
        dray_validate_range(check->rq, fc->lun.v, 0, 255, DRAY_AT(path, "lun"));
}

static void validate_storage_os(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_storage_os_volume_source *storage = source;
    if (storage->volume_name.n > 0)
        fail_texts(check->rq, DRAY_AT(path, "volumeName"), storage->volume_name,
                   dray_check_dns1123_label);
    if (storage->volume_namespace.n > 0)
        fail_texts(check->rq, DRAY_AT(path, "volumeNamespace"), storage->volume_namespace,
                   dray_check_dns1123_label);
}

static void validate_csi(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_csi_volume_source *csi = source;
    dray_request *rq = check->rq;
    dray_path driver = dray_path_child(path, "driver");
    if (csi->driver.n > CSI_DRIVER_LIMIT)
        fail_too_long(rq, &driver, CSI_DRIVER_LIMIT);
    if (csi->driver.n > 0) {
        dray_str texts[DRAY_NAME_TEXTS];
        size_t n =
            dray_check_dns1123_subdomain(dray_lower_name(csi->driver, rq->arena), texts, rq->arena);
        for (size_t i = 0; i < n; i++)
            fail_invalid(rq, &driver, csi->driver, texts[i]);
    }
    const dray_core_local_object_reference *ref = csi->node_publish_secret_ref;
    if (ref != NULL && ref->name.n == 0)
        fail_required(rq, DRAY_AT(DRAY_AT(path, "nodePublishSecretRef"), "name"), DRAY_STR(""));
    else if (ref != NULL)
        fail_texts(rq, DRAY_AT(path, "name"), ref->name, dray_check_dns1123_subdomain);
}

static void validate_ephemeral(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_persistent_volume_claim_template *template =
        ((const dray_core_ephemeral_volume_source *)source)->volume_claim_template;
    dray_path at = dray_path_child(path, "volumeClaimTemplate");
    if (template == NULL) {
        fail_required(check->rq, &at, DRAY_STR(""));
        return;
    }
    dray_validate_template_meta(check->rq, template->metadata, DRAY_AT(&at, "metadata"));
    dray_validate_volume_claim_spec(check->rq, template->spec, DRAY_AT(&at, "spec"));
}

static void validate_image(dray_pod_check *check, const void *source, const dray_path *path) {
    const dray_core_image_volume_source *image = source;
    dray_path policy = dray_path_child(path, "pullPolicy");
    if (!check->empty_image_reference && image->reference.n == 0)
        fail_required(check->rq, DRAY_AT(path, "reference"), DRAY_STR(""));
    if (image->pull_policy.n == 0)
        fail_required(check->rq, &policy, DRAY_STR(""));
    else if (!IS_ONE_OF(image->pull_policy, "Always", "IfNotPresent", "Never"))
        FAIL_UNSUPPORTED(check->rq, &policy, image->pull_policy, "Always", "IfNotPresent", "Never");
}

#define SOURCE(member, name, ...) {offsetof(dray_core_volume_source, member), name, __VA_ARGS__}
#define NEEDS(type, member, json) {json, offsetof(dray_core_##type##_volume_source, member)}

/* In upstream's order: the first source that is set is the volume's. */
static const source_row sources[] = {
    SOURCE(empty_dir, "emptyDir", .validate = validate_empty_dir),
    SOURCE(host_path, "hostPath", .needs = {NEEDS(host_path, path, "path")},
           .validate = validate_host_path),
    SOURCE(git_repo, "gitRepo", .needs = {NEEDS(git_repo, repository, "repository")},
           .validate = validate_git_repo),
    SOURCE(gce_persistent_disk, "persistentDisk", .second = "gcePersistentDisk",
           .needs = {NEEDS(gce_persistent_disk, pd_name, "pdName")}, .validate = validate_gce),
    SOURCE(aws_elastic_block_store, "awsElasticBlockStore",
           .needs = {NEEDS(aws_elastic_block_store, volume_id, "volumeID")},
           .validate = validate_aws),
    SOURCE(secret, "secret", .needs = {NEEDS(secret, secret_name, "secretName")},
           .validate = validate_secret),
    SOURCE(nfs, "nfs", .needs = {NEEDS(nfs, server, "server"), NEEDS(nfs, path, "path")},
           .validate = validate_nfs),
    SOURCE(iscsi, "iscsi",
           .needs = {NEEDS(iscsi, target_portal, "targetPortal"), NEEDS(iscsi, iqn, "iqn")},
           .validate = validate_iscsi),
    SOURCE(glusterfs, "glusterfs",
           .needs = {NEEDS(glusterfs, endpoints, "endpoints"), NEEDS(glusterfs, path, "path")}),
    SOURCE(flocker, "flocker", .validate = validate_flocker),
    SOURCE(persistent_volume_claim, "persistentVolumeClaim",
           .needs = {NEEDS(persistent_volume_claim, claim_name, "claimName")}),
    SOURCE(rbd, "rbd", .needs = {NEEDS(rbd, monitors, "monitors"), NEEDS(rbd, image, "image")}),
    SOURCE(cinder, "cinder", .needs = {NEEDS(cinder, volume_id, "volumeID")}),
    SOURCE(cephfs, "cephfs", .second = "cephFS", .needs = {NEEDS(ceph_fs, monitors, "monitors")}),
    SOURCE(quobyte, "quobyte", .needs = {NEEDS(quobyte, volume, "volume")}),
    SOURCE(downward_api, "downwardAPI", .second = "downwarAPI", .validate = validate_downward),
    SOURCE(fc, "fc", .validate = validate_fc),
    SOURCE(flex_volume, "flexVolume", .needs = {NEEDS(flex, driver, "driver")}),
    SOURCE(config_map, "configMap", .validate = validate_config_map),
    SOURCE(azure_file, "azureFile",
           .needs = {NEEDS(azure_file, secret_name, "secretName"),
                     NEEDS(azure_file, share_name, "shareName")}),
    SOURCE(vsphere_volume, "vsphereVolume",
           .needs = {NEEDS(vsphere_virtual_disk, volume_path, "volumePath")}),
    SOURCE(photon_persistent_disk, "photonPersistentDisk",
           .needs = {NEEDS(photon_persistent_disk, pd_id, "pdID")}),
    SOURCE(portworx_volume, "portworxVolume", .needs = {NEEDS(portworx, volume_id, "volumeID")}),
    SOURCE(azure_disk, "azureDisk",
           .needs = {NEEDS(azure_disk, disk_name, "diskName"),
                     NEEDS(azure_disk, disk_uri, "diskURI")}),
    SOURCE(storageos, "storageos", .needs = {NEEDS(storage_os, volume_name, "volumeName")},
           .validate = validate_storage_os),
    SOURCE(projected, "projected", .validate = validate_projected),
    SOURCE(scale_io, "scaleIO",
           .needs = {NEEDS(scale_io, gateway, "gateway"), NEEDS(scale_io, system, "system"),
                     NEEDS(scale_io, volume_name, "volumeName")}),
    SOURCE(csi, "csi", .needs = {NEEDS(csi, driver, "driver")}, .validate = validate_csi),
    SOURCE(ephemeral, "ephemeral", .validate = validate_ephemeral),
    SOURCE(image, "image", .validate = validate_image),
};

static void validate_source(dray_pod_check *check, const dray_core_volume *volume,
                            const dray_path *path) {
    bool found = false;
    for (size_t i = 0; i < DRAY_COUNT(sources); i++) {
        const source_row *row = &sources[i];
        const char *at = (const char *)volume->volume_source + row->offset;
        const void *source = *(void *const *)at;
        if (source == NULL)
            continue;
        if (found) {
            const char *name = row->second != NULL ? row->second : row->name;
            fail_forbidden(check->rq, DRAY_AT(path, name),
                           DRAY_STR("may not specify more than 1 volume type"));
            continue;
        }
        found = true;
        dray_path here = dray_path_child(path, row->name);
        for (size_t j = 0; j < DRAY_COUNT(row->needs) && row->needs[j].json != NULL; j++) {
            const dray_any_list *value =
                (const void *)((const char *)source + row->needs[j].offset);
            if (value->n == 0)
                fail_required(check->rq, DRAY_AT(&here, row->needs[j].json), DRAY_STR(""));
        }
        if (row->validate != NULL)
            row->validate(check, source, &here);
    }
    if (!found)
        fail_required(check->rq, path, DRAY_STR("must specify a volume type"));
}

/* The claim that an ephemeral volume makes is called POD-VOLUME. */
static void validate_claim_name(dray_pod_check *check, const dray_core_volume *volume,
                                const dray_path *path) {
    dray_request *rq = check->rq;
    if (volume->volume_source->ephemeral == NULL || check->meta == NULL ||
        check->meta->name.n == 0 || volume->name.n == 0)
        return;
    dray_str texts[DRAY_NAME_TEXTS];
    dray_str claim =
        DETAIL(rq, DRAY_FMT "-" DRAY_FMT, DRAY_ARG(check->meta->name), DRAY_ARG(volume->name));
    size_t n = dray_check_dns1123_subdomain(claim, texts, rq->arena);
    for (size_t i = 0; i < n; i++)
        fail_invalid(rq, DRAY_AT(path, "name"), volume->name,
                     DETAIL(rq, "PVC name " DRAY_FMT ": " DRAY_FMT,
                            DRAY_ARG(dray_value_quote(rq->arena, claim)), DRAY_ARG(texts[i])));
}

static bool claim_is_made(dray_pod_check *check, dray_str claim) {
    if (check->meta == NULL || check->meta->name.n == 0)
        return false;
    for (size_t i = 0; i < check->spec->volumes.n; i++) {
        const dray_core_volume *volume = &check->spec->volumes.v[i];
        if (volume->volume_source->ephemeral != NULL &&
            dray_str_eq(claim, DETAIL(check->rq, DRAY_FMT "-" DRAY_FMT, DRAY_ARG(check->meta->name),
                                      DRAY_ARG(volume->name))))
            return true;
    }
    return false;
}

void dray_validate_file_mode(dray_request *rq, dray_opt_int32 mode, const dray_path *path) {
    if (mode.set && (mode.v < 0 || mode.v > FILE_MODE_MAX))
        fail_invalid_int(rq, path, mode.v,
                         DRAY_STR("must be a number between 0 and 0777 (octal), both inclusive"));
}

void dray_validate_key_to_path(dray_request *rq, const dray_core_key_to_path *item,
                               const dray_path *path) {
    if (item->key.n == 0)
        fail_required(rq, DRAY_AT(path, "key"), DRAY_STR(""));
    if (item->path.n == 0)
        fail_required(rq, DRAY_AT(path, "path"), DRAY_STR(""));
    dray_validate_local_free_path(rq, item->path, DRAY_AT(path, "path"));
    dray_validate_file_mode(rq, item->mode, DRAY_AT(path, "mode"));
    validate_user(rq, item->user, DRAY_AT(path, "user"));
}

void dray_validate_downward_file(dray_request *rq, const dray_core_downward_api_volume_file *file,
                                 const dray_path *path) {
    if (file->path.n == 0)
        fail_required(rq, DRAY_AT(path, "path"), DRAY_STR(""));
    dray_validate_local_free_path(rq, file->path, DRAY_AT(path, "path"));
    if (file->field_ref != NULL) {
        dray_validate_field_selector(rq, file->field_ref, true, DRAY_AT(path, "fieldRef"));
        if (file->resource_field_ref != NULL)
            fail_invalid(
                rq, path, DRAY_STR("resource"),
                DRAY_STR("fieldRef and resourceFieldRef can not be specified simultaneously"));
    } else if (file->resource_field_ref != NULL) {
        dray_validate_resource_selector(rq, file->resource_field_ref, true,
                                        DRAY_AT(path, "resourceFieldRef"));
    } else {
        fail_required(rq, path, DRAY_STR("one of fieldRef and resourceFieldRef is required"));
    }
    dray_validate_file_mode(rq, file->mode, DRAY_AT(path, "mode"));
    validate_user(rq, file->user, DRAY_AT(path, "user"));
}

const dray_core_volume *dray_pod_volume(const dray_pod_check *check, dray_str name) {
    for (size_t i = 0; i < check->n_volumes; i++)
        if (dray_str_eq(check->volumes[i]->name, name))
            return check->volumes[i];
    return NULL;
}

void dray_validate_volumes(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    check->volumes = DRAY_NEW_N(rq->arena, const dray_core_volume *, spec->volumes.n + 1);
    check->n_volumes = 0;
    for (size_t i = 0; i < spec->volumes.n; i++) {
        const dray_core_volume *volume = &spec->volumes.v[i];
        dray_path item = dray_path_index(path, i);
        size_t before = rq->errors->list.n;
        validate_source(check, volume, &item);
        validate_claim_name(check, volume, &item);
        if (volume->name.n == 0)
            fail_required(rq, DRAY_AT(&item, "name"), DRAY_STR(""));
        else
            fail_texts(rq, DRAY_AT(&item, "name"), volume->name, dray_check_dns1123_label);
        if (dray_pod_volume(check, volume->name) != NULL)
            fail_duplicate(rq, DRAY_AT(&item, "name"), volume->name);
        if (rq->errors->list.n == before)
            check->volumes[check->n_volumes++] = volume;
        const dray_core_persistent_volume_claim_volume_source *claim =
            volume->volume_source->persistent_volume_claim;
        if (claim != NULL && claim_is_made(check, claim->claim_name))
            fail_invalid(
                rq, DRAY_AT(DRAY_AT(&item, "persistentVolumeClaim"), "claimName"),
                claim->claim_name,
                DRAY_STR("must not reference a PVC that gets created for an ephemeral volume"));
    }
}
