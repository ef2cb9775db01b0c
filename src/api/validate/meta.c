/* ObjectMeta on create and update, and lists of metav1.Condition. */
#include "api/validate/pod_int.h"

enum { MANAGER_LIMIT = 128, SUBRESOURCE_LIMIT = 256, REASON_LIMIT = 1024, MESSAGE_LIMIT = 32768 };

/* "group/version" or "version"; a string without a version is none. */
static bool split_api_version(dray_str s, dray_str *ret_group, dray_str *ret_version) {
    dray_str head, tail;
    *ret_group = DRAY_STR("");
    *ret_version = DRAY_STR("");
    if (s.n == 0 || dray_str_is(s, "/"))
        return true;
    if (!dray_str_cut(s, '/', &head, &tail)) {
        *ret_version = s;
        return true;
    }
    if (dray_str_chr(tail, '/') != SIZE_MAX)
        return false;
    *ret_group = head;
    *ret_version = tail;
    return true;
}

static void require(dray_request *rq, dray_str value, const dray_path *path) {
    if (value.n == 0)
        fail_required(rq, path, DRAY_STR("must not be empty"));
}

static void validate_owner(dray_request *rq, const dray_meta_owner_reference *owner,
                           const dray_path *path) {
    dray_str group, version;
    bool good = split_api_version(owner->api_version, &group, &version);
    size_t before = rq->errors->list.n;
    require(rq, owner->api_version, DRAY_AT(path, "apiVersion"));
    if (owner->api_version.n > 0 && (!good || version.n == 0))
        fail_invalid(rq, DRAY_AT(path, "apiVersion"), owner->api_version,
                     DRAY_STR("must be <group>/<version> or <version>"));
    size_t from = rq->errors->list.n;
    require(rq, owner->kind, DRAY_AT(path, "kind"));
    require(rq, owner->name, DRAY_AT(path, "name"));
    require(rq, owner->uid, DRAY_AT(path, "uid"));
    dray_errors_mark(rq->errors, owner->api_version.n == 0 ? before : from, NULL, true);
    if (group.n == 0 && dray_str_is(version, "v1") && dray_str_is(owner->kind, "Event"))
        fail_invalid_text(rq, path,
                          dray_value_declared(rq->arena, &dray_type_meta_owner_reference, owner),
                          DRAY_STR("/v1, Kind=Event is disallowed from being an owner"));
}

static dray_str owners_text(dray_request *rq, const dray_meta_object_meta *meta) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_buf_putc(&out, '[');
    for (size_t i = 0; i < meta->owner_references.n; i++) {
        if (i > 0)
            dray_buf_putc(&out, ',');
        dray_api_encode_type(&out, &dray_type_meta_owner_reference, &meta->owner_references.v[i]);
    }
    dray_buf_putc(&out, ']');
    return dray_str_dup(rq->arena, dray_buf_str(&out));
}

static void validate_owners(dray_request *rq, const dray_meta_object_meta *meta,
                            const dray_path *path) {
    const dray_meta_owner_reference *controller = NULL;
    for (size_t i = 0; i < meta->owner_references.n; i++) {
        const dray_meta_owner_reference *owner = &meta->owner_references.v[i];
        validate_owner(rq, owner, DRAY_AT_INDEX(path, i));
        if (!owner->controller.set || !owner->controller.v)
            continue;
        if (controller == NULL) {
            controller = owner;
            continue;
        }
        fail_invalid_text(rq, path, owners_text(rq, meta),
                          DETAIL(rq,
                                 "Only one reference can have Controller set to true. Found "
                                 "\"true\" in references for " DRAY_FMT "/" DRAY_FMT
                                 " and " DRAY_FMT "/" DRAY_FMT,
                                 DRAY_ARG(controller->kind), DRAY_ARG(controller->name),
                                 DRAY_ARG(owner->kind), DRAY_ARG(owner->name)));
    }
}

static void validate_finalizers(dray_request *rq, dray_strings finalizers, const dray_path *path) {
    for (size_t i = 0; i < finalizers.n; i++)
        fail_texts(rq, path, finalizers.v[i], dray_check_label_key);
    if (strings_have(finalizers, DRAY_STR("orphan")) &&
        strings_have(finalizers, DRAY_STR("foregroundDeletion")))
        fail_invalid_text(rq, path, dray_value_strings(rq->arena, finalizers),
                          DRAY_STR("finalizer orphan and foregroundDeletion cannot be both set"));
}

void dray_validate_kube_finalizer(dray_request *rq, dray_str finalizer, const dray_path *path) {
    if (dray_str_chr(finalizer, '/') == SIZE_MAX &&
        !IS_ONE_OF(finalizer, "kubernetes", "orphan", "foregroundDeletion"))
        fail_invalid(
            rq, path, finalizer,
            DRAY_STR("name is neither a standard finalizer name nor is it fully qualified"));
}

static void validate_kube_finalizers(dray_request *rq, dray_strings finalizers,
                                     const dray_path *path) {
    for (size_t i = 0; i < finalizers.n; i++)
        dray_validate_kube_finalizer(rq, finalizers.v[i], DRAY_AT_INDEX(path, i));
}

static void validate_manager(dray_request *rq, dray_str manager, const dray_path *path) {
    if (manager.n > MANAGER_LIMIT)
        fail_too_long(rq, path, MANAGER_LIMIT);
    for (size_t i = 0; i < manager.n; i++) {
        unsigned char c = (unsigned char)manager.p[i];
        if (c < 0x20 || c == 0x7f)
            fail_invalid(rq, path, manager,
                         DETAIL(rq, "invalid character U+%04X (at position %zu)", c, i));
    }
}

static void validate_managed_fields(dray_request *rq, const dray_meta_object_meta *meta,
                                    const dray_path *list) {
    for (size_t i = 0; i < meta->managed_fields.n; i++) {
        const dray_meta_managed_fields_entry *entry = &meta->managed_fields.v[i];
        dray_path path = dray_path_index(list, i);
        size_t from = rq->errors->list.n;
        if (entry->operation.n == 0)
            fail_required(rq, DRAY_AT(&path, "operation"), DRAY_STR("must not be empty"));
        else if (!IS_ONE_OF(entry->operation, "Apply", "Update"))
            FAIL_UNSUPPORTED(rq, DRAY_AT(&path, "operation"), entry->operation, "Apply", "Update");
        dray_errors_mark(rq->errors, from, NULL, true);
        if (entry->fields_type.n > 0 && !dray_str_is(entry->fields_type, "FieldsV1"))
            fail_invalid(rq, DRAY_AT(&path, "fieldsType"), entry->fields_type,
                         DRAY_STR("must be `FieldsV1`"));
        validate_manager(rq, entry->manager, DRAY_AT(&path, "manager"));
        if (entry->subresource.n > SUBRESOURCE_LIMIT)
            fail_too_long(rq, DRAY_AT(&path, "subresource"), SUBRESOURCE_LIMIT);
    }
}

/* generateName is checked as what it becomes with a letter for its last hyphen. */
static dray_str mask_trailing_dash(dray_request *rq, dray_str name) {
    if (name.n < 2 || name.p[name.n - 1] != '-')
        return name;
    return DETAIL(rq, DRAY_FMT "a", DRAY_ARG(dray_str_slice(name, 0, name.n - 2)));
}

/* The text that generateName's errors show is the name as given. */
static void validate_generate_name(dray_request *rq, const dray_strategy *strategy, dray_str name,
                                   const dray_path *path) {
    size_t from = rq->errors->list.n;
    strategy->check_name(rq, mask_trailing_dash(rq, name), path);
    for (size_t i = from; i < rq->errors->list.n; i++)
        rq->errors->list.v[i].value = dray_value_quote(rq->arena, name);
}

static void validate_namespace(dray_request *rq, const dray_meta_object_meta *meta, bool namespaced,
                               const dray_path *path) {
    if (namespaced && meta->namespace.n == 0)
        fail_required(rq, path, DRAY_STR(""));
    else if (namespaced)
        fail_texts(rq, path, meta->namespace, dray_check_dns1123_label);
    else if (meta->namespace.n > 0)
        fail_forbidden(rq, path, DRAY_STR("not allowed on this type"));
}

static void validate_generation(dray_request *rq, int64_t generation, const dray_path *path) {
    size_t from = rq->errors->list.n;
    dray_validate_non_negative(rq, generation, path);
    dray_errors_mark(rq->errors, from, "minimum", true);
}

void dray_validate_meta(dray_request *rq, const dray_strategy *strategy,
                        const dray_meta_object_meta *meta, bool namespaced, const dray_path *path) {
    if (meta->generate_name.n > 0)
        validate_generate_name(rq, strategy, meta->generate_name, DRAY_AT(path, "generateName"));
    if (meta->name.n == 0)
        fail_required(rq, DRAY_AT(path, "name"), DRAY_STR("name or generateName is required"));
    else
        strategy->check_name(rq, meta->name, DRAY_AT(path, "name"));
    validate_namespace(rq, meta, namespaced, DRAY_AT(path, "namespace"));
    validate_generation(rq, meta->generation, DRAY_AT(path, "generation"));
    dray_validate_labels(rq, meta->labels, DRAY_AT(path, "labels"));
    dray_validate_annotations(rq, meta->annotations, DRAY_AT(path, "annotations"));
    validate_owners(rq, meta, DRAY_AT(path, "ownerReferences"));
    validate_finalizers(rq, meta->finalizers, DRAY_AT(path, "finalizers"));
    validate_managed_fields(rq, meta, DRAY_AT(path, "managedFields"));
    validate_kube_finalizers(rq, meta->finalizers, DRAY_AT(path, "finalizers"));
}

/* As Go prints []string with %#v. */
static dray_str go_strings(dray_request *rq, const dray_str *list, size_t n) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_buf_puts(&out, "[]string{");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            dray_buf_puts(&out, ", ");
        dray_buf_str_add(&out, dray_value_quote(rq->arena, list[i]));
    }
    dray_buf_putc(&out, '}');
    return dray_str_dup(rq->arena, dray_buf_str(&out));
}

static int compare_strings(const void *a, const void *b, void *context) {
    return dray_str_cmp(*(const dray_str *)a, *(const dray_str *)b);
}

static void validate_no_new_finalizers(dray_request *rq, dray_strings now, dray_strings old,
                                       const dray_path *path) {
    dray_str *extra = DRAY_NEW_N(rq->arena, dray_str, now.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < now.n; i++)
        if (!strings_have(old, now.v[i]) && !strings_have((dray_strings){extra, n}, now.v[i]))
            extra[n++] = now.v[i];
    if (n == 0)
        return;
    dray_sort(extra, n, sizeof *extra, compare_strings, NULL);
    fail_forbidden(rq, path,
                   DETAIL(rq,
                          "no new finalizers can be added if the object is being deleted, found "
                          "new finalizers " DRAY_FMT,
                          DRAY_ARG(go_strings(rq, extra, n))));
}

static void immutable_string(dray_request *rq, dray_str now, dray_str old, const dray_path *path) {
    if (!dray_str_eq(now, old))
        fail_invalid(rq, path, now, DRAY_STR("field is immutable"));
}

static void immutable_time(dray_request *rq, dray_time now, dray_time old, const dray_path *path) {
    if (now.set == old.set && (!now.set || dray_time_cmp(now, old) == 0))
        return;
    dray_str value = DRAY_STR("null");
    if (now.set)
        value = dray_value_quote(rq->arena, dray_time_format(now, false, rq->arena));
    fail_invalid_text(rq, path, value, DRAY_STR("field is immutable"));
}

void dray_validate_meta_update(dray_request *rq, const dray_meta_object_meta *meta,
                               const dray_meta_object_meta *old, const dray_path *path) {
    if (old->deletion_timestamp.set)
        validate_no_new_finalizers(rq, meta->finalizers, old->finalizers,
                                   DRAY_AT(path, "finalizers"));
    if (meta->resource_version.n == 0)
        fail_invalid(rq, DRAY_AT(path, "resourceVersion"), meta->resource_version,
                     DRAY_STR("must be specified for an update"));
    validate_generation(rq, meta->generation, DRAY_AT(path, "generation"));
    if (meta->generation < old->generation)
        fail_invalid_int(rq, DRAY_AT(path, "generation"), meta->generation,
                         DRAY_STR("must not be decremented"));
    immutable_string(rq, meta->name, old->name, DRAY_AT(path, "name"));
    immutable_string(rq, meta->namespace, old->namespace, DRAY_AT(path, "namespace"));
    size_t from = rq->errors->list.n;
    dray_validate_immutable_word(rq, meta->uid, old->uid, DRAY_AT(path, "uid"));
    immutable_time(rq, meta->creation_timestamp, old->creation_timestamp,
                   DRAY_AT(path, "creationTimestamp"));
    immutable_time(rq, meta->deletion_timestamp, old->deletion_timestamp,
                   DRAY_AT(path, "deletionTimestamp"));
    dray_opt_int64 grace = meta->deletion_grace_period_seconds;
    dray_opt_int64 old_grace = old->deletion_grace_period_seconds;
    if (grace.set != old_grace.set || grace.v != old_grace.v)
        fail_invalid_text(rq, DRAY_AT(path, "deletionGracePeriodSeconds"),
                          grace.set ? dray_value_int(rq->arena, grace.v) : DRAY_STR("null"),
                          DRAY_STR("field is immutable"));
    dray_errors_mark(rq->errors, from, "immutable", true);
    dray_validate_labels(rq, meta->labels, DRAY_AT(path, "labels"));
    dray_validate_annotations(rq, meta->annotations, DRAY_AT(path, "annotations"));
    validate_owners(rq, meta, DRAY_AT(path, "ownerReferences"));
    validate_managed_fields(rq, meta, DRAY_AT(path, "managedFields"));
    validate_kube_finalizers(rq, meta->finalizers, DRAY_AT(path, "finalizers"));
}

/* [A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])? */
static bool is_condition_reason(dray_str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool word = letter || c == '_' || (c >= '0' && c <= '9');
        bool inner = i > 0 && i + 1 < s.n && (c == ',' || c == ':');
        if (i == 0 ? !letter : !word && !inner)
            return false;
    }
    return s.n > 0;
}

static void validate_reason(dray_request *rq, dray_str reason, const dray_path *path) {
    size_t from = rq->errors->list.n;
    if (reason.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        dray_errors_mark(rq->errors, from, NULL, true);
        return;
    }
    if (!is_condition_reason(reason))
        fail_invalid(
            rq, path, reason,
            DRAY_STR("a condition reason must start with alphabetic character, optionally followed "
                     "by a string of alphanumeric characters or '_,:', and must end with an "
                     "alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  "
                     "or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
                     "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"));
    from = rq->errors->list.n;
    if (reason.n > REASON_LIMIT)
        fail_too_long(rq, path, REASON_LIMIT);
    dray_errors_mark(rq->errors, from, "maxBytes", true);
}

static void validate_condition(dray_request *rq, const dray_meta_condition *condition,
                               const dray_path *path) {
    size_t from = rq->errors->list.n;
    if (condition->type.n == 0) {
        fail_required(rq, DRAY_AT(path, "type"), DRAY_STR("is required"));
        dray_errors_mark(rq->errors, from, NULL, true);
    } else {
        fail_texts(rq, DRAY_AT(path, "type"), condition->type, dray_check_label_key);
        dray_errors_mark(rq->errors, from, "format=k8s-label-key", false);
    }
    from = rq->errors->list.n;
    if (condition->status.n == 0)
        fail_required(rq, DRAY_AT(path, "status"), DRAY_STR(""));
    else if (!IS_ONE_OF(condition->status, "False", "True", "Unknown"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "status"), condition->status, "False", "True",
                         "Unknown");
    dray_errors_mark(rq->errors, from, NULL, true);
    from = rq->errors->list.n;
    if (condition->observed_generation < 0)
        fail_invalid_int(rq, DRAY_AT(path, "observedGeneration"), condition->observed_generation,
                         DRAY_STR("must be greater than or equal to zero"));
    dray_errors_mark(rq->errors, from, "minimum", true);
    from = rq->errors->list.n;
    if (!condition->last_transition_time.set)
        fail_required(rq, DRAY_AT(path, "lastTransitionTime"), DRAY_STR(""));
    dray_errors_mark(rq->errors, from, NULL, true);
    validate_reason(rq, condition->reason, DRAY_AT(path, "reason"));
    if (condition->message.n > MESSAGE_LIMIT)
        fail_too_long(rq, DRAY_AT(path, "message"), MESSAGE_LIMIT);
}

void dray_validate_conditions(dray_request *rq, const dray_meta_condition *conditions, size_t n,
                              const dray_path *path) {
    for (size_t i = 0; i < n; i++) {
        size_t from = rq->errors->list.n;
        for (size_t j = 0; j < i; j++)
            if (dray_str_eq(conditions[j].type, conditions[i].type)) {
                fail_duplicate(rq, DRAY_AT_INDEX(path, i), conditions[i].type);
                break;
            }
        dray_errors_mark(rq->errors, from, NULL, true);
        validate_condition(rq, &conditions[i], DRAY_AT_INDEX(path, i));
    }
}

void dray_validate_template_meta(dray_request *rq, const dray_meta_object_meta *meta,
                                 const dray_path *path) {
    const struct {
        const char *name;
        bool set;
    } refused[] = {
        {"name", meta->name.n > 0},
        {"generateName", meta->generate_name.n > 0},
        {"namespace", meta->namespace.n > 0},
        {"selfLink", meta->self_link.n > 0},
        {"uID", meta->uid.n > 0},
        {"resourceVersion", meta->resource_version.n > 0},
        {"generation", meta->generation != 0},
        {"creationTimestamp", meta->creation_timestamp.set},
        {"deletionTimestamp", meta->deletion_timestamp.set},
        {"deletionGracePeriodSeconds", meta->deletion_grace_period_seconds.set},
        {"ownerReferences", meta->owner_references.v != NULL},
        {"finalizers", meta->finalizers.v != NULL},
        {"managedFields", meta->managed_fields.v != NULL},
    };
    dray_validate_annotations(rq, meta->annotations, DRAY_AT(path, "annotations"));
    dray_validate_labels(rq, meta->labels, DRAY_AT(path, "labels"));
    for (size_t i = 0; i < DRAY_COUNT(refused); i++)
        if (refused[i].set)
            fail_forbidden(rq, DRAY_AT(path, refused[i].name), DRAY_STR("cannot be set"));
}
