/* Projected volumes, and the spec of volume claims that templates make. */
#include "api/validate/pod_int.h"

enum { TOKEN_SECONDS_MIN = 600, CERTIFICATE_SECONDS_MIN = 3600 };

/* The sources of one volume: no two may put a file in the same place. */
typedef struct projection {
    dray_pod_check *check;
    const dray_path *volume; /* where upstream reports clashes */
    DRAY_VEC(dray_str) paths;
} projection;

static void take_path(projection *p, dray_str path, dray_str value) {
    dray_request *rq = p->check->rq;
    if (strings_have((dray_strings){p->paths.v, p->paths.n}, path))
        fail_invalid(rq, p->volume, value, DRAY_STR("conflicting duplicate paths"));
    else
        DRAY_PUSH(rq->arena, &p->paths, path);
}

static void validate_items(projection *p, dray_str name, const dray_core_key_to_path *items,
                           size_t n, const dray_path *path) {
    dray_request *rq = p->check->rq;
    if (name.n == 0)
        fail_required(rq, DRAY_AT(path, "name"), DRAY_STR(""));
    for (size_t i = 0; i < n; i++) {
        dray_validate_key_to_path(rq, &items[i], DRAY_AT_INDEX(DRAY_AT(path, "items"), i));
        if (items[i].path.n > 0)
            take_path(p, items[i].path, name);
    }
}

static void validate_downward(projection *p, const dray_core_downward_api_projection *downward,
                              const dray_path *path) {
    for (size_t i = 0; i < downward->items.n; i++) {
        dray_validate_downward_file(p->check->rq, &downward->items.v[i], path);
        if (downward->items.v[i].path.n > 0)
            take_path(p, downward->items.v[i].path, downward->items.v[i].path);
    }
}

static void validate_token(projection *p, const dray_core_service_account_token_projection *token,
                           const dray_path *path) {
    dray_request *rq = p->check->rq;
    dray_path seconds = dray_path_child(path, "expirationSeconds");
    if (!token->expiration_seconds.set) {
        fail_required(rq, &seconds, DRAY_STR(""));
    } else {
        if (token->expiration_seconds.v < TOKEN_SECONDS_MIN)
            fail_invalid_int(rq, &seconds, token->expiration_seconds.v,
                             DRAY_STR("may not specify a duration less than 10 minutes"));
        if (token->expiration_seconds.v > INT64_C(1) << 32)
            fail_invalid_int(rq, &seconds, token->expiration_seconds.v,
                             DRAY_STR("may not specify a duration larger than 2^32 seconds"));
    }
    if (token->path.n == 0)
        fail_required(rq, DRAY_AT(p->volume, "path"), DRAY_STR(""));
    else if (!p->check->nonlocal_token_paths)
        dray_validate_local_free_path(rq, token->path, DRAY_AT(p->volume, "path"));
    dray_validate_user_id(rq, token->user, DRAY_AT(path, "user"));
}

static void validate_trust_bundle(projection *p,
                                  const dray_core_cluster_trust_bundle_projection *bundle,
                                  const dray_path *path) {
    dray_request *rq = p->check->rq;
    bool by_name = bundle->name.p != NULL, by_signer = bundle->signer_name.p != NULL;
    if (by_name && by_signer) {
        fail_invalid_text(rq, path,
                          dray_value_internal(rq->arena,
                                              &dray_type_core_cluster_trust_bundle_projection,
                                              bundle, rq->gates->release),
                          DRAY_STR("only one of name and signerName may be used"));
    } else if (by_name) {
        if (bundle->name.n == 0)
            fail_required(rq, DRAY_AT(path, "name"), DRAY_STR("must be a valid object name"));
        if (bundle->label_selector != NULL)
            fail_invalid_text(rq, DRAY_AT(path, "labelSelector"),
                              dray_value_declared(rq->arena, &dray_type_meta_label_selector,
                                                  bundle->label_selector),
                              DRAY_STR("labelSelector must be unset if name is specified"));
    } else if (by_signer) {
        if (bundle->signer_name.n == 0)
            fail_required(rq, DRAY_AT(path, "signerName"), DRAY_STR("must be a valid signer name"));
        dray_validate_label_selector(rq, bundle->label_selector, false,
                                     DRAY_AT(path, "labelSelector"));
    } else {
        fail_required(rq, path, DRAY_STR("either name or signerName must be specified"));
    }
    if (bundle->path.n == 0)
        fail_required(rq, DRAY_AT(path, "path"), DRAY_STR(""));
    dray_validate_user_id(rq, bundle->user, DRAY_AT(path, "user"));
    dray_validate_local_free_path(rq, bundle->path, DRAY_AT(path, "path"));
    take_path(p, bundle->path, bundle->path);
}

static void validate_certificate(projection *p,
                                 const dray_core_pod_certificate_projection *certificate,
                                 const dray_path *path) {
    dray_request *rq = p->check->rq;
    dray_validate_user_id(rq, certificate->user, DRAY_AT(path, "user"));
    if (!IS_ONE_OF(certificate->key_type, "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384",
                   "ECDSAP521", "ED25519"))
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, DRAY_AT(path, "keyType"),
             dray_value_quote(rq->arena, certificate->key_type),
             DRAY_STR("supported values: \"RSA3072\", \"RSA4096\", \"ECDSAP256\", \"ECDSAP384\", "
                      "\"ECDSAP521\", \"ED25519\""));
    if (certificate->max_expiration_seconds.set &&
        certificate->max_expiration_seconds.v < CERTIFICATE_SECONDS_MIN)
        fail_invalid_int(rq, DRAY_AT(path, "maxExpirationSeconds"),
                         certificate->max_expiration_seconds.v,
                         DRAY_STR("if provided, maxExpirationSeconds must be >= 3600"));
    const struct {
        const char *name;
        dray_str path;
    } files[] = {{"credentialBundlePath", certificate->credential_bundle_path},
                 {"keyPath", certificate->key_path},
                 {"certificateChainPath", certificate->certificate_chain_path}};
    size_t n = 0;
    for (size_t i = 0; i < DRAY_COUNT(files); i++) {
        if (files[i].path.n == 0)
            continue;
        n++;
        dray_validate_local_free_path(rq, files[i].path, DRAY_AT(path, files[i].name));
        take_path(p, files[i].path, files[i].path);
    }
    if (n == 0)
        fail_required(rq, path,
                      DRAY_STR("specify at least one of credentialBundlePath, keyPath, and "
                               "certificateChainPath"));
}

static void validate_source(projection *p, const dray_core_volume_projection *source,
                            const dray_path *path) {
    int n = 0;
    if (source->secret != NULL && ++n)
        validate_items(p, source->secret->local_object_reference->name, source->secret->items.v,
                       source->secret->items.n, DRAY_AT(path, "secret"));
    if (source->config_map != NULL && ++n)
        validate_items(p, source->config_map->local_object_reference->name,
                       source->config_map->items.v, source->config_map->items.n,
                       DRAY_AT(path, "configMap"));
    if (source->downward_api != NULL && ++n)
        validate_downward(p, source->downward_api, DRAY_AT(path, "downwardAPI"));
    if (source->service_account_token != NULL && ++n)
        validate_token(p, source->service_account_token, DRAY_AT(path, "serviceAccountToken"));
    if (source->cluster_trust_bundle != NULL && ++n)
        validate_trust_bundle(p, source->cluster_trust_bundle, DRAY_AT(path, "clusterTrustBundle"));
    if (source->pod_certificate != NULL && ++n)
        validate_certificate(p, source->pod_certificate, DRAY_AT(path, "podCertificate"));
    if (n > 1)
        fail_forbidden(p->check->rq, path,
                       DRAY_STR("may not specify more than 1 volume type per source"));
}

void dray_validate_projected(dray_pod_check *check, const dray_core_projected_volume_source *source,
                             const dray_path *path) {
    projection p = {.check = check, .volume = path};
    dray_validate_file_mode(check->rq, source->default_mode, DRAY_AT(path, "defaultMode"));
    dray_validate_user_id(check->rq, source->default_user, DRAY_AT(path, "defaultUser"));
    for (size_t i = 0; i < source->sources.n; i++)
        validate_source(&p, &source->sources.v[i], DRAY_AT_INDEX(DRAY_AT(path, "sources"), i));
}

static void validate_data_source(dray_request *rq, dray_str api_group, dray_str kind, dray_str name,
                                 const dray_path *path) {
    if (name.n == 0)
        fail_required(rq, DRAY_AT(path, "name"), DRAY_STR(""));
    if (kind.n == 0)
        fail_required(rq, DRAY_AT(path, "kind"), DRAY_STR(""));
    if (api_group.n > 0)
        fail_texts(rq, DRAY_AT(path, "apiGroup"), api_group, dray_check_dns1123_subdomain);
    else if (!dray_str_is(kind, "PersistentVolumeClaim"))
        fail_invalid(
            rq, path, kind,
            DRAY_STR("must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
}

static void validate_access_modes(dray_request *rq, dray_strings modes, const dray_path *path) {
    bool once_pod = false, other = false;
    if (modes.n == 0)
        fail_required(rq, path, DRAY_STR("at least 1 access mode is required"));
    for (size_t i = 0; i < modes.n; i++) {
        if (dray_str_is(modes.v[i], "ReadWriteOncePod"))
            once_pod = true;
        else if (IS_ONE_OF(modes.v[i], "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"))
            other = true;
        else
            FAIL_UNSUPPORTED(rq, path, modes.v[i], "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                             "ReadWriteOncePod");
    }
    if (once_pod && other)
        fail_forbidden(rq, path, DRAY_STR("may not use ReadWriteOncePod with other access modes"));
}

void dray_validate_volume_claim_spec(dray_request *rq,
                                     const dray_core_persistent_volume_claim_spec *spec,
                                     const dray_path *path) {
    validate_access_modes(rq, spec->access_modes, DRAY_AT(path, "accessModes"));
    dray_validate_label_selector(rq, spec->selector, false, DRAY_AT(path, "selector"));
    dray_path storage = dray_path_key(DRAY_AT(path, "resources"), DRAY_STR("storage"));
    const dray_quantity *size =
        dray_resource_list_find(DRAY_RESOURCES(spec->resources->requests), DRAY_STR("storage"));
    if (size == NULL)
        fail_required(rq, &storage, DRAY_STR(""));
    else if (dray_quantity_sign(*size) <= 0)
        fail_invalid(rq, &storage, dray_quantity_format(*size, rq->arena),
                     DRAY_STR("must be greater than zero"));
    if (spec->storage_class_name.n > 0)
        fail_texts(rq, DRAY_AT(path, "storageClassName"), spec->storage_class_name,
                   dray_check_dns1123_subdomain);
    if (spec->volume_mode.p != NULL && !IS_ONE_OF(spec->volume_mode, "Block", "Filesystem"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "volumeMode"), spec->volume_mode, "Block", "Filesystem");
    if (spec->data_source != NULL)
        validate_data_source(rq, spec->data_source->api_group, spec->data_source->kind,
                             spec->data_source->name, DRAY_AT(path, "dataSource"));
    if (spec->data_source_ref != NULL)
        validate_data_source(rq, spec->data_source_ref->api_group, spec->data_source_ref->kind,
                             spec->data_source_ref->name, DRAY_AT(path, "dataSourceRef"));
    if (spec->volume_attributes_class_name.n > 0)
        fail_texts(rq, DRAY_AT(path, "volumeAttributesClassName"),
                   spec->volume_attributes_class_name, dray_check_dns1123_subdomain);
}
