/* Documents as objects: decoding, checking, telling what is wrong where. */
#include "cli/objects.h"

#include "api/request.h"
#include "cli/hints.h"
#include "cli/zones.h"

#include <time.h>

static const dray_type *const plan_types[] = {
    &dray_type_core_node,
    &dray_type_core_pod,
    &dray_type_core_namespace,
    &dray_type_core_service,
    &dray_type_core_replication_controller,
    &dray_type_apps_replica_set,
    &dray_type_apps_stateful_set,
    &dray_type_apps_deployment,
    &dray_type_apps_daemon_set,
    &dray_type_batch_job,
    &dray_type_batch_cron_job,
    &dray_type_policy_pod_disruption_budget,
    &dray_type_scheduling_priority_class,
    &dray_type_scheduling_v1beta1_pod_group,
    &dray_type_resource_claim,
    &dray_type_resource_claim_template,
    &dray_type_resource_device_class,
    &dray_type_resource_slice,
    &dray_type_resource_device_taint_rule,
};

bool dray_objects_for_plan(const dray_kind *kind) {
    const dray_kind *hub = dray_kind_hub(kind);
    for (size_t i = 0; i < DRAY_COUNT(plan_types); i++)
        if (hub->type == plan_types[i])
            return true;
    return false;
}

/* --- one document --- */

/* "ResourceClaim default/x" */
static dray_str object_name(const dray_objects *objects, dray_object object) {
    const dray_meta_object_meta *meta = dray_object_meta(object);
    dray_str name = meta->name.n != 0 ? meta->name : meta->generate_name;
    if (!object.kind->namespaced)
        return dray_strf(objects->arena, "%s " DRAY_FMT, object.kind->kind, DRAY_ARG(name));
    return dray_strf(objects->arena, "%s " DRAY_FMT "/" DRAY_FMT, object.kind->kind,
                     DRAY_ARG(meta->namespace), DRAY_ARG(name));
}

/* Once for each kind and version. */
static void tell_kind(dray_objects *objects, const char *file, const dray_node *root,
                      dray_str version, dray_str name) {
    dray_str key =
        dray_strf(objects->arena, DRAY_FMT " " DRAY_FMT, DRAY_ARG(version), DRAY_ARG(name));
    if (dray_map_put(&objects->told, key, objects) != NULL)
        return;
    const dray_kind *kind = dray_kind_find(version, name);
    if (version.n == 0 || name.n == 0)
        dray_input_warn(objects->input, file, root->line, root->column,
                        "the object has no %s: it is left out",
                        version.n == 0 ? "apiVersion" : "kind");
    else if (kind != NULL)
        dray_input_warn(objects->input, file, root->line, root->column,
                        "Kubernetes 1.%d does not serve " DRAY_FMT " in version " DRAY_FMT
                        ": such objects are left out",
                        objects->gates.release, DRAY_ARG(name), DRAY_ARG(version));
    else
        dray_input_warn(objects->input, file, root->line, root->column,
                        "no matches for kind \"" DRAY_FMT "\" in version \"" DRAY_FMT
                        "\": such objects are left out",
                        DRAY_ARG(name), DRAY_ARG(version));
    dray_input_hint(objects->input, dray_hint_find(DRAY_HINT_KIND, kind, version, name));
}

static void tell_unknown(dray_objects *objects, const char *file, const dray_node *root,
                         const dray_kind *kind, const dray_decode_report *report) {
    for (size_t i = 0; i < report->strict.n; i++) {
        dray_str field = DRAY_STR("");
        uint32_t line = root->line, column = root->column;
        if (i < report->unknown.n) {
            field = report->unknown.v[i].path;
            line = report->unknown.v[i].line;
            column = report->unknown.v[i].column;
        }
        dray_input_warn(objects->input, file, line, column, DRAY_FMT,
                        DRAY_ARG(report->strict.v[i]));
        dray_input_hint(objects->input,
                        dray_hint_find(DRAY_HINT_UNKNOWN, kind, field, report->strict.v[i]));
    }
}

static bool is_inside(dray_str path, dray_str outer) {
    return dray_str_starts(path, outer) &&
           (path.n == outer.n || path.p[outer.n] == '.' || path.p[outer.n] == '[');
}

/* The place of the field, or of the nearest one round it. */
static dray_place place_of(const dray_decode_report *report, const dray_node *root,
                           dray_str field) {
    dray_place best = {.line = root->line, .column = root->column};
    size_t length = 0;
    for (size_t i = 0; i < report->places.n; i++) {
        const dray_place *p = &report->places.v[i];
        if (p->path.n >= length && p->path.n != 0 && is_inside(field, p->path)) {
            best = *p;
            length = p->path.n;
        }
    }
    return best;
}

static void tell_errors(dray_objects *objects, const char *file, const dray_node *root,
                        const dray_sent *sent, const dray_errors *errors) {
    /* Places cost memory, so they are kept only for what turned out to be wrong. */
    dray_decode_report report = {.arena = objects->arena, .want_places = true};
    dray_object again;
    dray_api_decode(root, objects->gates.release, objects->arena, &report, &again, NULL);
    dray_str name = object_name(objects, sent->object);
    for (size_t i = 0; i < errors->list.n; i++) {
        const dray_field_error *e = &errors->list.v[i];
        dray_place place = place_of(&report, root, e->field);
        dray_str text = dray_field_error_text(e, objects->arena);
        dray_input_error(objects->input, file, place.line, place.column,
                         DRAY_FMT ": " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(name), DRAY_ARG(e->field),
                         DRAY_ARG(text));
        dray_input_hint(objects->input,
                        dray_hint_find(DRAY_HINT_INVALID, sent->kind, e->field, text));
    }
}

static const dray_field *field_of(const dray_type *type, const char *member) {
    for (uint32_t i = 0; i < type->n_fields; i++)
        if (strcmp(type->fields[i].member, member) == 0)
            return &type->fields[i];
    return NULL;
}

/* What an API server would store: the created object with the status that was sent, as if it had
 * been written afterwards, and the metadata as it stood. */
static void keep_sent(dray_object created, const dray_sent *sent) {
    static const char *const members[] = {"metadata", "status"};
    for (size_t i = 0; i < DRAY_COUNT(members); i++) {
        const dray_field *f = field_of(created.kind->type, members[i]);
        if (f != NULL)
            memcpy((char *)created.body + f->offset, (const char *)sent->object.body + f->offset,
                   sizeof(void *));
    }
}

/* The labels of a namespace. One that is not in the input is taken to allow admin access: what is
 * said about it would be a guess. */
static dray_string_map namespace_labels(const dray_objects *objects, dray_str name) {
    static dray_str key = DRAY_STR_INIT("resource.kubernetes.io/admin-access");
    static dray_str value = DRAY_STR_INIT("true");
    for (size_t i = 0; i < objects->namespaces.n; i++)
        if (dray_str_eq(objects->namespaces.v[i]->metadata->name, name))
            return objects->namespaces.v[i]->metadata->labels;
    return (dray_string_map){&key, &value, 1};
}

/* An object that a cluster has stored: what it holds already is checked as a change to nothing,
 * which lets through what was allowed when it was written. */
static bool is_stored(dray_object object) {
    const dray_meta_object_meta *meta = dray_object_meta(object);
    return meta->resource_version.n != 0 && meta->creation_timestamp.set;
}

static dray_code run_checks(dray_request *rq, dray_object copy, const dray_sent *sent,
                            dray_err *err) {
    dray_meta_object_meta *meta = dray_object_meta(copy);
    if (is_stored(sent->object))
        return dray_request_update(rq, copy, sent->object, err);
    meta->resource_version = DRAY_STR_NONE;
    dray_new_ids ids = {
        .uid = meta->uid,
        .name_suffix = DRAY_STR("00000"),
        .name_space = meta->namespace,
    };
    return dray_request_create(rq, &ids, copy, err);
}

/* Runs the checks of a create on a copy. False when the object may not be used. */
static bool check(dray_objects *objects, const char *file, const dray_node *root, dray_sent *sent) {
    dray_arena *arena = objects->arena;
    dray_arena_mark mark = dray_arena_save(arena);
    const dray_type *type = sent->object.kind->type;
    dray_object copy = {sent->object.kind, dray_api_copy(type, sent->object.body, arena)};
    dray_meta_object_meta *meta = dray_object_meta(copy);
    dray_errors errors = {.arena = arena};
    dray_request rq = {
        .arena = arena,
        .gates = &objects->gates,
        .cel = &objects->cel,
        .kind = sent->kind,
        .now = objects->now,
        .errors = &errors,
        .namespace_labels = namespace_labels(objects, meta->namespace),
    };
    dray_err err = DRAY_ERR_INIT;
    bool ok = run_checks(&rq, copy, sent, &err) == DRAY_OK && errors.list.n == 0;
    for (size_t i = 0; i < rq.warnings.n && ok; i++)
        dray_input_warn(objects->input, file, root->line, root->column, DRAY_FMT,
                        DRAY_ARG(rq.warnings.v[i]));
    if (err.code != DRAY_OK)
        dray_input_error(objects->input, file, root->line, root->column, "%s", dray_err_text(&err));
    else if (!ok)
        tell_errors(objects, file, root, sent, &errors);
    dray_err_done(&err);
    keep_sent(copy, sent);
    if (ok && !is_stored(sent->object) && !dray_api_equal(type, copy.body, sent->object.body))
        sent->object = copy; /* fields of features that are off are gone */
    else
        dray_arena_release(arena, mark);
    return ok;
}

/* A uid of its own for what has none: a hash of kind, namespace and name. */
static void give_uid(dray_objects *objects, dray_object object) {
    dray_meta_object_meta *meta = dray_object_meta(object);
    if (meta->uid.n != 0)
        return;
    dray_arena_mark mark = dray_arena_save(objects->arena);
    uint64_t high = dray_str_hash(object_name(objects, object));
    dray_arena_release(objects->arena, mark);
    uint64_t low = high * 0x9e3779b97f4a7c15u ^ high >> 31;
    meta->uid = dray_strf(objects->arena, "%08x-%04x-4%03x-8%03x-%012jx", (uint32_t)(high >> 32),
                          (uint32_t)(high >> 16 & 0xffff), (uint32_t)(high & 0xfff),
                          (uint32_t)(low >> 52), (uintmax_t)(low & 0xffffffffffffu));
}

static void tell_labels(dray_objects *objects, const char *file, const dray_node *root,
                        dray_object object) {
    const dray_node *labels =
        dray_node_find(dray_node_find(root, DRAY_STR("metadata")), DRAY_STR("labels"));
    size_t n = labels != NULL && labels->kind == DRAY_NODE_MAP ? labels->map.n : 0;
    for (size_t i = 0; i < n; i++) {
        const dray_member *m = &labels->map.members[i];
        const char *hint =
            dray_hint_find(DRAY_HINT_LABEL, object.kind, m->key, dray_node_string(&m->value));
        if (hint != NULL)
            dray_input_warn(objects->input, file, m->line, m->column,
                            DRAY_FMT ": label " DRAY_FMT ": %s",
                            DRAY_ARG(object_name(objects, object)), DRAY_ARG(m->key), hint);
    }
}

/* How Go's decoder calls a JSON value. */
static const char *go_kind(const dray_node *node) {
    static const char *const kinds[] = {
        [DRAY_NODE_NULL] = "null",     [DRAY_NODE_BOOL] = "bool",  [DRAY_NODE_NUMBER] = "number",
        [DRAY_NODE_STRING] = "string", [DRAY_NODE_LIST] = "array", [DRAY_NODE_MAP] = "object",
    };
    return kinds[node->kind];
}

enum { PATH_DEPTH_MAX = 64 };

/* The first value below node at path ("spec.containers.ports", without indexes) of that kind. */
static const dray_node *find_value(const dray_node *node, dray_str path, dray_str kind, int depth) {
    const dray_node *found = NULL;
    if (depth > PATH_DEPTH_MAX)
        return NULL;
    if (path.n == 0 && dray_str_starts(kind, dray_str_of(go_kind(node))))
        return node;
    for (size_t i = 0; node->kind == DRAY_NODE_LIST && i < node->list.n && found == NULL; i++)
        found = find_value(&node->list.items[i], path, kind, depth + 1);
    dray_str head, tail;
    dray_str_cut(path, '.', &head, &tail);
    const dray_node *child = node->kind == DRAY_NODE_MAP ? dray_node_find(node, head) : NULL;
    return child != NULL ? find_value(child, tail, kind, depth + 1) : found;
}

/* The value that `json: cannot unmarshal KIND into Go struct field TYPE.PATH of type T` means. */
static const dray_node *blamed(const dray_node *root, dray_str text) {
    static const char before[] = "cannot unmarshal ", between[] = " into Go struct field ";
    size_t at = dray_str_find(text, dray_str_of(before));
    dray_str rest = dray_str_slice(text, at == SIZE_MAX ? text.n : at + strlen(before), text.n);
    at = dray_str_find(rest, dray_str_of(between));
    if (at == SIZE_MAX)
        return NULL;
    dray_str kind = dray_str_slice(rest, 0, at);
    dray_str path = dray_str_slice(rest, at + strlen(between), rest.n);
    path = dray_str_slice(path, 0, dray_str_find(path, DRAY_STR(" of type ")));
    dray_str_cut(path, '.', &rest, &path);
    return find_value(root, path, kind, 0);
}

static void tell_undecodable(dray_objects *objects, const char *file, const dray_node *root,
                             dray_err *err) {
    const dray_node *node = blamed(root, dray_str_of(dray_err_text(err)));
    uint32_t line = err->line, column = err->column;
    if (line == 0) {
        line = node != NULL ? node->line : root->line;
        column = node != NULL ? node->column : root->column;
    }
    dray_input_error(objects->input, file, line, column, "%s", dray_err_text(err));
    dray_err_done(err);
    objects->input->left_out++;
}

static void take(void *context, const char *file, const dray_node *root) {
    dray_objects *objects = context;
    dray_str version = dray_node_string(dray_node_find(root, DRAY_STR("apiVersion")));
    dray_str name = dray_node_string(dray_node_find(root, DRAY_STR("kind")));
    const dray_kind *kind = dray_kind_find(version, name);
    if (kind == NULL || !dray_kind_served(kind, objects->gates.release)) {
        tell_kind(objects, file, root, version, name);
        return;
    }
    if (!objects->wanted(kind))
        return;
    dray_err err = DRAY_ERR_INIT;
    dray_request_source source = {objects->arena, &objects->gates, objects->now};
    dray_decode_report report = {.arena = objects->arena};
    dray_sent sent;
    if (dray_request_read(&source, root, &report, &sent, &err) != DRAY_OK) {
        tell_undecodable(objects, file, root, &err);
        return;
    }
    dray_meta_object_meta *meta = dray_object_meta(sent.object);
    if (sent.object.kind->namespaced && meta->namespace.n == 0)
        meta->namespace = objects->ns;
    give_uid(objects, sent.object);
    tell_unknown(objects, file, root, kind, &report);
    tell_labels(objects, file, root, sent.object);
    if (sent.object.kind->type == &dray_type_core_namespace)
        DRAY_PUSH(objects->arena, &objects->namespaces, sent.object.body);
    DRAY_PUSH(objects->arena, &objects->list,
              (dray_loaded){sent.object, file, root->line, root, kind});
}

/* Checks come when all is read: a claim's may depend on its namespace, wherever that stands. */
static void check_from(dray_objects *objects, size_t first) {
    size_t kept = first;
    for (size_t i = first; i < objects->list.n; i++) {
        dray_loaded loaded = objects->list.v[i];
        dray_sent sent = {loaded.sent, loaded.object};
        if (!check(objects, loaded.file, loaded.root, &sent)) {
            objects->input->left_out++;
            DRAY_PUSH(objects->arena, &objects->refused, loaded);
            continue;
        }
        loaded.object = sent.object;
        objects->list.v[kept++] = loaded;
    }
    objects->list.n = kept;
}

/* --- all of them --- */

static int usage(const dray_args *args, dray_err *err) {
    fprintf(stderr, "dray %s: %s\n", args->command->name, dray_err_text(err));
    dray_err_done(err);
    return DRAY_EXIT_USAGE;
}

static dray_code set_gates(dray_str list, dray_gates *gates, dray_err *err) {
    while (list.n != 0) {
        dray_str one, name, value, rest;
        dray_str_cut(list, ',', &one, &rest);
        list = rest;
        if (one.n == 0)
            continue;
        if (!dray_str_cut(one, '=', &name, &value) ||
            (!dray_str_is(value, "true") && !dray_str_is(value, "false")))
            return dray_err_set(err, DRAY_E_INVALID,
                                "--feature-gates: \"" DRAY_FMT
                                "\" is not of the form NAME=true or NAME=false",
                                DRAY_ARG(one));
        dray_code code = dray_gates_set(gates, name, dray_str_is(value, "true"), err);
        if (code != DRAY_OK)
            return code;
    }
    return DRAY_OK;
}

int dray_objects_gates(const dray_args *args, dray_gates *ret) {
    dray_err err = DRAY_ERR_INIT;
    int release = DRAY_RELEASE_NEWEST;
    const char *version = dray_args_get(args, "kubernetes-version");
    if (version != NULL && version[0] == 'v')
        version++;
    if (version != NULL && dray_release_parse(dray_str_of(version), &release, &err) != DRAY_OK)
        return usage(args, &err);
    dray_gates_init(ret, release);
    const struct dray_flag_values *lists = dray_args_all(args, "feature-gates");
    for (size_t i = 0; i < lists->n; i++)
        if (set_gates(dray_str_of(lists->v[i]), ret, &err) != DRAY_OK)
            return usage(args, &err);
    if (dray_gates_finish(ret, &err) != DRAY_OK)
        return usage(args, &err);
    return DRAY_EXIT_OK;
}

int dray_objects_init(dray_objects *objects, const dray_args *args, dray_kind_test *wanted) {
    return dray_objects_init_telling(objects, args, wanted, NULL, NULL);
}

int dray_objects_init_telling(dray_objects *objects, const dray_args *args, dray_kind_test *wanted,
                              dray_input_tell *tell, void *teller) {
    *objects = (dray_objects){.wanted = wanted};
    int status = dray_objects_gates(args, &objects->gates);
    if (status != DRAY_EXIT_OK)
        return status;
    objects->input = dray_input_new();
    objects->input->tell = tell;
    objects->input->teller = teller;
    objects->arena = objects->input->arena;
    objects->now = (dray_time){.sec = (int64_t)time(NULL), .set = true};
    objects->ns = dray_str_of(dray_args_get(args, "namespace"));
    objects->told = dray_map_new(objects->arena);
    objects->zones = dray_zones_new();
    objects->celk8s = dray_celk8s_new(objects->zones);
    objects->cel = dray_celk8s_cel_functions(objects->celk8s);
    if (!dray_input_read(objects->input, args, take, objects))
        return DRAY_EXIT_USAGE;
    check_from(objects, 0);
    return DRAY_EXIT_OK;
}

void dray_objects_read(dray_objects *objects, const char *path) {
    size_t first = objects->list.n;
    dray_input_read_path(objects->input, path, take, objects);
    check_from(objects, first);
}

void dray_objects_add(dray_objects *objects, dray_object object) {
    give_uid(objects, object);
    DRAY_PUSH(objects->arena, &objects->list, (dray_loaded){.object = object});
}

void dray_objects_done(dray_objects *objects) {
    if (objects->celk8s != NULL)
        dray_celk8s_free(objects->celk8s);
    if (objects->zones != NULL)
        dray_zones_free(objects->zones);
    dray_input_free(objects->input);
}

dray_cluster *dray_objects_cluster(const dray_objects *objects) {
    dray_cluster *cluster = dray_cluster_new(&objects->gates);
    for (size_t i = 0; i < objects->list.n; i++)
        dray_cluster_add(cluster, objects->list.v[i].object);
    return cluster;
}
