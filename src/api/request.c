/* One create or update, from the body to what is stored: the steps in the order of an API server.
 * Source: apiserver's registry/rest/{create,update,meta}.go, endpoints/handlers. */
#include "api/request.h"

#include "api/engine_int.h"
#include "base/utf8.h"
#include "obj/names.h"

enum { NAME_SUFFIX_ROOM = 63 - 5 };

/* -- reading -- */

static dray_code wrap_decode_error(const dray_node *body, dray_code code, dray_err *err) {
    dray_str api_version = DRAY_STR_NONE, kind = DRAY_STR_NONE;
    if (dray_api_peek(body, &api_version, &kind, NULL) != DRAY_OK)
        return code;
    size_t slash = dray_str_rchr(api_version, '/');
    dray_str version = dray_str_slice(api_version, slash == SIZE_MAX ? 0 : slash + 1, SIZE_MAX);
    if (code != DRAY_E_INVALID || kind.n == 0 || api_version.n == 0)
        return code;
    return dray_err_wrap(err,
                         DRAY_FMT " in version \"" DRAY_FMT "\" cannot be handled as a " DRAY_FMT,
                         DRAY_ARG(kind), DRAY_ARG(version), DRAY_ARG(kind));
}

dray_code dray_request_read(const dray_request_source *source, const dray_node *body,
                            dray_decode_report *report, dray_sent *ret, dray_err *err) {
    dray_object object;
    dray_code code =
        dray_api_decode(body, source->gates->release, source->arena, report, &object, err);
    if (code != DRAY_OK)
        return wrap_decode_error(body, code, err);
    const dray_kind *kind = object.kind;
    dray_defaults defaults = {source->gates, source->now, source->arena};
    dray_api_default(object, &defaults);
    code = dray_api_convert(object, dray_kind_hub(kind), source->arena, &object, err);
    if (code == DRAY_OK)
        *ret = (dray_sent){kind, object};
    return code;
}

dray_str dray_request_deprecation(const dray_kind *kind, int release, dray_arena *arena) {
    if (kind->deprecated == 0 || release < kind->deprecated)
        return DRAY_STR_NONE;
    return dray_strf(arena, DRAY_FMT " %s is deprecated in v1.%d+, unavailable in v1.%d+",
                     DRAY_ARG(dray_kind_api_version(kind, arena)), kind->kind, kind->deprecated,
                     kind->removed);
}

void dray_request_warn(dray_request *rq, dray_str text) {
    if (text.n == 0)
        return;
    for (size_t i = 0; i < rq->warnings.n; i++)
        if (dray_str_eq(rq->warnings.v[i], text))
            return;
    DRAY_PUSH(rq->arena, &rq->warnings, text);
}

/* A strategy may warn while it prepares, and once an object is good; each text is given once. */
static void warn(dray_request *rq, const dray_strategy *strategy, const void *body,
                 const void *old) {
    if (rq->errors->list.n == 0 && strategy != NULL && strategy->warn != NULL)
        strategy->warn(rq, body, old);
    size_t n = rq->warnings.n;
    rq->warnings.n = 0;
    for (size_t i = 0; i < n; i++)
        dray_request_warn(rq, rq->warnings.v[i]);
}

/* -- metadata -- */

static dray_code fit_namespace(dray_str wanted, dray_meta_object_meta *meta, dray_err *err) {
    if (meta->namespace.n == 0 || wanted.n == 0)
        meta->namespace = wanted;
    if (!dray_str_eq(meta->namespace, wanted))
        return dray_err_set(err, DRAY_E_INVALID,
                            "the namespace of the provided object does not match the namespace "
                            "sent on the request");
    return DRAY_OK;
}

static bool has_owner(const dray_meta_owner_reference *owners, size_t n,
                      const dray_meta_owner_reference *one) {
    for (size_t i = 0; i < n; i++)
        if (dray_api_equal(&dray_type_meta_owner_reference, &owners[i], one))
            return true;
    return false;
}

static void drop_duplicate_owners(dray_request *rq, dray_meta_object_meta *meta) {
    DRAY_CLEANUP_BUF dray_buf uids = DRAY_BUF_INIT;
    dray_meta_owner_reference *owners = meta->owner_references.v;
    size_t kept = 0, dropped = 0, n = meta->owner_references.n;
    for (size_t i = 0; i < n; i++) {
        if (has_owner(owners, kept, &owners[i]))
            dray_buf_addf(&uids, "%s" DRAY_FMT, dropped++ > 0 ? ", " : "", DRAY_ARG(owners[i].uid));
        else
            owners[kept++] = owners[i];
    }
    if (kept == n)
        return;
    meta->owner_references.n = kept;
    dray_request_warn(
        rq, dray_strf(rq->arena,
                      ".metadata.ownerReferences contains duplicate entries; API server dedups "
                      "owner references in 1.20+, and may reject such requests as early as 1.24; "
                      "please fix your requests; duplicate UID(s) observed: " DRAY_FMT,
                      DRAY_ARG(dray_buf_str(&uids))));
}

static void fill_new_metadata(dray_request *rq, const dray_new_ids *ids,
                              dray_meta_object_meta *meta) {
    meta->uid = ids->uid;
    meta->creation_timestamp = (dray_time){.sec = rq->now.sec, .nsec = rq->now.nsec, .set = true};
    meta->deletion_timestamp = (dray_time){0};
    meta->deletion_grace_period_seconds = (dray_opt_int64){0};
    meta->self_link = DRAY_STR_NONE;
    if (meta->name.n != 0 || meta->generate_name.n == 0)
        return;
    dray_str base = dray_str_slice(meta->generate_name, 0, NAME_SUFFIX_ROOM);
    meta->name =
        dray_strf(rq->arena, DRAY_FMT DRAY_FMT, DRAY_ARG(base), DRAY_ARG(ids->name_suffix));
}

/* metadata.generation of kinds whose spec alone counts. */
static void set_generation(const dray_strategy *strategy, dray_object object, const void *old) {
    if (strategy == NULL || !strategy->has_generation)
        return;
    dray_meta_object_meta *meta = dray_object_meta(object);
    if (old == NULL) {
        meta->generation = 1;
        return;
    }
    for (uint32_t i = 0; i < object.kind->type->n_fields; i++) {
        const dray_field *f = &object.kind->type->fields[i];
        if (strcmp(f->member, "spec") != 0)
            continue;
        const void *now = *(void *const *)field_in(f, object.body);
        const void *before = *(void *const *)field_in(f, old);
        if (!dray_api_equal(f->ref, now, before))
            meta->generation =
                dray_object_meta((dray_object){object.kind, (void *)old})->generation + 1;
    }
}

/* -- create -- */

/* After a kind's own rule for names every name must still fit into a path. */
static void check_path_segment(dray_request *rq, dray_str name, const dray_path *path) {
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = dray_check_path_segment(name, texts, rq->arena);
    for (size_t i = 0; i < n; i++)
        dray_errors_add(rq->errors, DRAY_FIELD_INVALID, path, dray_value_quote(rq->arena, name),
                        texts[i]);
}

static const dray_strategy any_kind = {.check_name = check_path_segment};

static bool has_errors(const dray_request *rq) {
    return rq->errors->list.n != 0;
}

/* From 1.37 on declared rules are asked last; before, strategies asked them themselves. */
static bool declared_last(const dray_request *rq) {
    return rq->gates->release >= 37;
}

static void validate_create(dray_request *rq, const dray_strategy *strategy, dray_object object) {
    if (strategy != NULL && strategy->validate != NULL)
        strategy->validate(rq, object.body);
    if (!declared_last(rq))
        dray_validate_declared(rq, object.body, NULL);
    if (!has_errors(rq)) {
        dray_path path = dray_path_child(NULL, "metadata");
        dray_validate_meta(rq, &any_kind, dray_object_meta(object), object.kind->namespaced, &path);
    }
    if (declared_last(rq))
        dray_validate_declared(rq, object.body, NULL);
}

dray_code dray_request_create(dray_request *rq, const dray_new_ids *ids, dray_object object,
                              dray_err *err) {
    const dray_strategy *strategy = dray_strategy_find(object.kind);
    dray_meta_object_meta *meta = dray_object_meta(object);
    if (meta == NULL)
        return dray_err_set(err, DRAY_E_UNSUPPORTED, "%s has no metadata, so it is not stored",
                            object.kind->kind);
    dray_code code =
        fit_namespace(object.kind->namespaced ? ids->name_space : DRAY_STR_NONE, meta, err);
    if (code != DRAY_OK)
        return code;
    drop_duplicate_owners(rq, meta);
    fill_new_metadata(rq, ids, meta);
    if (strategy != NULL && strategy->prepare_create != NULL)
        strategy->prepare_create(rq, object.body);
    set_generation(strategy, object, NULL);
    validate_create(rq, strategy, object);
    warn(rq, strategy, object.body, NULL);
    return DRAY_OK;
}

/* -- update -- */

static dray_code check_identity(dray_request *rq, const dray_kind *kind,
                                const dray_meta_object_meta *meta, const dray_meta_object_meta *old,
                                dray_err *err) {
    if (meta->name.n != 0 && !dray_str_eq(meta->name, old->name))
        return dray_err_set(err, DRAY_E_INVALID,
                            "the name of the object (" DRAY_FMT
                            ") does not match the name on the URL (" DRAY_FMT ")",
                            DRAY_ARG(meta->name), DRAY_ARG(old->name));
    const char *dot = kind->group[0] != '\0' ? "." : "";
    dray_str name = dray_utf8_quote(old->name, rq->arena);
    if (meta->resource_version.n != 0 && old->resource_version.n != 0 &&
        !dray_str_eq(meta->resource_version, old->resource_version))
        return dray_err_set(err, DRAY_E_CONFLICT,
                            "Operation cannot be fulfilled on %s%s%s " DRAY_FMT
                            ": the object has been modified; please apply your changes to the "
                            "latest version and try again",
                            kind->plural, dot, kind->group, DRAY_ARG(name));
    if (meta->uid.n != 0 && !dray_str_eq(meta->uid, old->uid))
        return dray_err_set(err, DRAY_E_CONFLICT,
                            "Operation cannot be fulfilled on %s%s%s " DRAY_FMT
                            ": Precondition failed: UID in precondition: " DRAY_FMT
                            ", UID in object meta: " DRAY_FMT,
                            kind->plural, dot, kind->group, DRAY_ARG(name), DRAY_ARG(meta->uid),
                            DRAY_ARG(old->uid));
    return DRAY_OK;
}

/* What an update cannot change. */
static void keep_metadata(dray_meta_object_meta *meta, const dray_meta_object_meta *old) {
    if (meta->uid.n == 0)
        meta->uid = old->uid;
    if (old->creation_timestamp.set)
        meta->creation_timestamp = old->creation_timestamp;
    if (old->deletion_timestamp.set)
        meta->deletion_timestamp = old->deletion_timestamp;
    if (old->deletion_grace_period_seconds.set && !meta->deletion_grace_period_seconds.set)
        meta->deletion_grace_period_seconds = old->deletion_grace_period_seconds;
}

static void prepare_update(dray_request *rq, const dray_strategy *strategy, dray_object object,
                           dray_object old) {
    if (strategy == NULL)
        return;
    bool status = rq->subresource.n != 0;
    if (status && strategy->prepare_status != NULL)
        strategy->prepare_status(rq, object.body, old.body);
    else if (!status && strategy->prepare_update != NULL)
        strategy->prepare_update(rq, object.body, old.body);
    set_generation(strategy, object, old.body);
}

static void validate_update(dray_request *rq, const dray_strategy *strategy, dray_object object,
                            dray_object old) {
    dray_path path = dray_path_child(NULL, "metadata");
    dray_validate_meta(rq, &any_kind, dray_object_meta(object), object.kind->namespaced, &path);
    dray_validate_meta_update(rq, dray_object_meta(object), dray_object_meta(old), &path);
    bool status = rq->subresource.n != 0;
    if (strategy != NULL && status && strategy->validate_status != NULL)
        strategy->validate_status(rq, object.body, old.body);
    else if (strategy != NULL && !status && strategy->validate_update != NULL)
        strategy->validate_update(rq, object.body, old.body);
    dray_validate_declared(rq, object.body, old.body);
}

static dray_code check_subresource(const dray_request *rq, const dray_strategy *strategy,
                                   dray_err *err) {
    if (rq->subresource.n == 0)
        return DRAY_OK;
    if (!dray_str_is(rq->subresource, "status"))
        return dray_err_set(err, DRAY_E_NOT_FOUND, "unknown subresource " DRAY_FMT,
                            DRAY_ARG(rq->subresource));
    if (strategy != NULL && strategy->has_status && rq->gates->release >= strategy->status_since)
        return DRAY_OK;
    return dray_err_set(err, DRAY_E_NOT_FOUND, "the server could not find the requested resource");
}

dray_code dray_request_update(dray_request *rq, dray_object object, dray_object old,
                              dray_err *err) {
    const dray_strategy *strategy = dray_strategy_find(object.kind);
    dray_meta_object_meta *meta = dray_object_meta(object);
    const dray_meta_object_meta *old_meta = dray_object_meta(old);
    dray_code code = check_subresource(rq, strategy, err);
    if (code == DRAY_OK)
        code =
            fit_namespace(object.kind->namespaced ? old_meta->namespace : DRAY_STR_NONE, meta, err);
    if (code == DRAY_OK)
        code = check_identity(rq, object.kind, meta, old_meta, err);
    if (code != DRAY_OK)
        return code;
    drop_duplicate_owners(rq, meta);
    if (meta->resource_version.n == 0 && strategy != NULL && strategy->needs_version != NULL &&
        strategy->needs_version(rq)) {
        dray_path parent = dray_path_child(NULL, "metadata");
        dray_path path = dray_path_child(&parent, "resourceVersion");
        dray_errors_add(rq->errors, DRAY_FIELD_INVALID, &path, DRAY_STR("0"),
                        DRAY_STR("must be specified for an update"));
        return DRAY_OK;
    }
    if (meta->resource_version.n == 0)
        meta->resource_version =
            old_meta->resource_version.n != 0 ? old_meta->resource_version : DRAY_STR("1");
    meta->generation = old_meta->generation;
    prepare_update(rq, strategy, object, old);
    keep_metadata(dray_object_meta(object), old_meta);
    validate_update(rq, strategy, object, old);
    warn(rq, strategy, object.body, old.body);
    return DRAY_OK;
}

/* -- storing -- */

void dray_request_store(const dray_request_source *source, dray_object *object) {
    dray_api_normalize(object->kind->type, object->body);
    dray_defaults defaults = {source->gates, source->now, source->arena};
    dray_api_default(*object, &defaults);
}
