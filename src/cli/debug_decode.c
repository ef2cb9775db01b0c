/* `dray debug decode`: what an API server answers to a create or an update. */
#include "api/request.h"
#include "celk8s/celk8s.h"
#include "cli/debug.h"
#include "cli/zones.h"
#include "data/json.h"
#include "data/yaml.h"

#include <stdlib.h>

/* What the clock says in recorded answers: 2026-01-01T00:00:00Z. */
static const dray_time fixed_now = {.sec = 1767225600, .set = true};

#define NEW_UID "00000000-0000-4000-8000-000000000000"

typedef struct decode_state {
    dray_cel_zones *zones;
    dray_celk8s *k8s;
    dray_cel_functions cel;
} decode_state;

/* One line under way. */
typedef struct decode {
    dray_debug_line *line;
    dray_gates gates;
    dray_request_source source;
    dray_decode_report report;
    dray_errors errors;
    dray_request rq;
    bool update;
} decode;

static void *start(void) {
    decode_state *s = dray_calloc(1, sizeof *s);
    s->zones = dray_zones_new();
    s->k8s = dray_celk8s_new(s->zones);
    s->cel = dray_celk8s_cel_functions(s->k8s);
    return s;
}

static void stop(void *state) {
    decode_state *s = state;
    dray_celk8s_free(s->k8s);
    dray_zones_free(s->zones);
    free(s);
}

/* The body: a tree, or JSON or YAML as text. */
static dray_code read_body(decode *d, const dray_node **ret, dray_err *err) {
    const dray_node *yaml = dray_node_find(d->line->in, DRAY_STR("yaml"));
    const dray_node *json = dray_node_find(d->line->in, DRAY_STR("json"));
    dray_node *root = NULL;
    dray_code code = DRAY_OK;
    if (yaml != NULL)
        code = dray_yaml_parse(dray_node_string(yaml), 1, d->line->arena, &root, err);
    else if (json != NULL)
        code = dray_json_parse(dray_node_string(json), d->line->arena, &root, err);
    *ret = root;
    if (yaml == NULL && json == NULL)
        *ret = dray_node_find(d->line->in, DRAY_STR("object"));
    if (code == DRAY_OK && *ret == NULL)
        return dray_err_set(err, DRAY_E_INVALID, "the line has no object, yaml or json");
    return code;
}

/* A tree's apiVersion and kind must be of a kind that the release serves. */
static dray_code check_served(decode *d, const dray_node *body, dray_err *err) {
    dray_str api_version = DRAY_STR(""), kind = DRAY_STR("");
    dray_code code = dray_api_peek(body, &api_version, &kind, err);
    if (code != DRAY_OK)
        return code;
    size_t slash = dray_str_chr(api_version, '/');
    if (slash != dray_str_rchr(api_version, '/'))
        return dray_err_set(err, DRAY_E_INVALID, "unexpected GroupVersion string: " DRAY_FMT,
                            DRAY_ARG(api_version));
    const dray_kind *found = dray_kind_find(api_version, kind);
    if (found == NULL || !dray_kind_served(found, d->gates.release))
        return dray_err_set(err, DRAY_E_UNSUPPORTED,
                            "no matches for kind \"" DRAY_FMT "\" in version \"" DRAY_FMT "\"",
                            DRAY_ARG(kind), DRAY_ARG(api_version));
    return DRAY_OK;
}

/* The stored object: decoded without the words for a request's body, through the store once. */
static dray_code read_old(decode *d, const dray_kind *kind, dray_object *ret, dray_err *err) {
    const dray_node *node = dray_node_find(d->line->in, DRAY_STR("old"));
    dray_object object;
    dray_code code = check_served(d, node, err);
    if (code == DRAY_OK)
        code = dray_api_decode(node, d->gates.release, d->line->arena, NULL, &object, err);
    if (code != DRAY_OK)
        return code;
    dray_defaults defaults = {&d->gates, fixed_now, d->line->arena};
    dray_api_default(object, &defaults);
    code = dray_api_convert(object, dray_kind_hub(object.kind), d->line->arena, &object, err);
    if (code != DRAY_OK)
        return code;
    if (object.kind != dray_kind_hub(kind))
        return dray_err_set(err, DRAY_E_INVALID, "not the same kind");
    dray_request_store(&d->source, &object);
    dray_meta_object_meta *meta = dray_object_meta(object);
    if (meta->uid.n == 0)
        meta->uid = DRAY_STR(NEW_UID);
    if (meta->namespace.n == 0 && kind->namespaced)
        meta->namespace = DRAY_STR("default");
    *ret = object;
    return DRAY_OK;
}

static dray_string_map read_labels(decode *d) {
    const dray_node *labels = dray_node_find(d->line->in, DRAY_STR("namespaceLabels"));
    dray_string_map map = {0};
    if (labels == NULL || labels->kind != DRAY_NODE_MAP)
        return map;
    map.k = DRAY_NEW_N(d->line->arena, dray_str, labels->map.n + 1);
    map.v = DRAY_NEW_N(d->line->arena, dray_str, labels->map.n + 1);
    for (size_t i = 0; i < labels->map.n; i++) {
        size_t at = map.n++;
        for (; at > 0 && dray_str_cmp(map.k[at - 1], labels->map.members[i].key) > 0; at--) {
            map.k[at] = map.k[at - 1];
            map.v[at] = map.v[at - 1];
        }
        map.k[at] = labels->map.members[i].key;
        map.v[at] = dray_node_string(&labels->map.members[i].value);
    }
    return map;
}

static void put_strings(dray_debug_line *line, const char *key, const dray_str *v, size_t n) {
    dray_debug_key(line, key);
    dray_buf_putc(line->out, '[');
    for (size_t i = 0; i < n; i++) {
        dray_buf_puts(line->out, i > 0 ? "," : "");
        dray_json_write_string(line->out, v[i], false);
    }
    dray_buf_putc(line->out, ']');
}

/* errors and, beside the contract, messages: their whole texts. */
static void put_errors(decode *d) {
    dray_debug_line *line = d->line;
    size_t n = d->errors.list.n;
    dray_str *messages = DRAY_NEW_N(line->arena, dray_str, n + 1);
    dray_errors_sort(&d->errors);
    dray_debug_key(line, "errors");
    dray_buf_putc(line->out, '[');
    for (size_t i = 0; i < n; i++) {
        const dray_field_error *e = &d->errors.list.v[i];
        dray_buf_addf(line->out, "%s{\"type\":\"%s\",\"field\":", i > 0 ? "," : "",
                      dray_field_error_word(e->type));
        dray_json_write_string(line->out, e->field, false);
        dray_buf_puts(line->out, ",\"detail\":");
        dray_json_write_string(line->out, e->detail, false);
        dray_buf_putc(line->out, '}');
        messages[i] = dray_field_error_text(e, line->arena);
    }
    dray_buf_putc(line->out, ']');
    if (n > 0)
        put_strings(line, "messages", messages, n);
}

/* As it lies in the store, in the version it came in, without what differs from run to run. */
static dray_code put_object(decode *d, const dray_sent *sent, dray_err *err) {
    dray_object stored = sent->object, shown;
    dray_request_store(&d->source, &stored);
    dray_code code = dray_api_convert(stored, sent->kind, d->line->arena, &shown, err);
    if (code != DRAY_OK)
        return code;
    dray_meta_object_meta *meta = dray_object_meta(shown);
    meta->uid = DRAY_STR_NONE;
    meta->creation_timestamp = (dray_time){0};
    meta->resource_version = DRAY_STR_NONE;
    meta->self_link = DRAY_STR_NONE;
    meta->managed_fields.v = NULL;
    meta->managed_fields.n = 0;
    dray_debug_key(d->line, "object");
    dray_api_encode_at(d->line->out, shown, d->gates.release);
    return DRAY_OK;
}

static dray_code carry_out(decode *d, const dray_sent *sent, dray_err *err) {
    dray_meta_object_meta *meta = dray_object_meta(sent->object);
    if (meta == NULL)
        return dray_err_set(err, DRAY_E_UNSUPPORTED, "%s has no metadata, so it is not stored",
                            sent->kind->kind);
    /* the server's field manager replaces whatever was sent */
    meta->managed_fields.v = NULL;
    meta->managed_fields.n = 0;
    if (!d->update) {
        dray_new_ids ids = {DRAY_STR(NEW_UID), DRAY_STR("zzzzz"), DRAY_STR("default")};
        if (meta->namespace.n > 0)
            ids.name_space = meta->namespace;
        return dray_request_create(&d->rq, &ids, sent->object, err);
    }
    dray_object old;
    dray_code code = read_old(d, sent->kind, &old, err);
    if (code != DRAY_OK)
        return dray_err_wrap(err, "old");
    return dray_request_update(&d->rq, sent->object, old, err);
}

static dray_code answer_line(decode *d, const dray_cel_functions *cel, dray_err *err) {
    dray_debug_line *line = d->line;
    const dray_node *body = NULL;
    dray_sent sent;
    d->source = (dray_request_source){line->arena, &d->gates, fixed_now};
    d->report.arena = line->arena;
    d->errors.arena = line->arena;
    bool has_old = dray_node_find(line->in, DRAY_STR("old")) != NULL;
    d->update = has_old || dray_str_is(dray_debug_get_string(line, "operation"), "update");
    dray_str subresource = dray_debug_get_string(line, "subresource");
    dray_code code = read_body(d, &body, err);
    if (code == DRAY_OK)
        code = check_served(d, body, err);
    if (code == DRAY_OK)
        code = dray_request_read(&d->source, body, &d->report, &sent, err);
    if (code != DRAY_OK)
        return code;
    if (d->update && !has_old)
        return dray_err_set(err, DRAY_E_INVALID, "an update needs old");
    if (!d->update && subresource.n > 0)
        return dray_err_set(err, DRAY_E_INVALID, "a subresource needs old");
    d->rq = (dray_request){.arena = line->arena,
                           .gates = &d->gates,
                           .cel = cel,
                           .kind = sent.kind,
                           .update = d->update,
                           .subresource = subresource,
                           .namespace_labels = read_labels(d),
                           .now = fixed_now,
                           .errors = &d->errors};
    dray_request_warn(&d->rq, dray_request_deprecation(sent.kind, d->gates.release, line->arena));
    code = carry_out(d, &sent, err);
    if (code == DRAY_OK && d->errors.list.n == 0)
        code = put_object(d, &sent, err);
    if (code != DRAY_OK)
        return code;
    put_strings(line, "warnings", d->rq.warnings.v, d->rq.warnings.n);
    put_strings(line, "strict", d->report.strict.v, d->report.strict.n);
    put_errors(d);
    return DRAY_OK;
}

static void answer(void *state, dray_debug_line *line) {
    decode_state *s = state;
    dray_err err = DRAY_ERR_INIT;
    decode d = {.line = line};
    dray_code code = dray_debug_gates(line, &d.gates, &err);
    if (code == DRAY_OK)
        code = answer_line(&d, &s->cel, &err);
    if (code != DRAY_OK)
        dray_debug_error(line, dray_err_text(&err));
    dray_err_done(&err);
}

const dray_debug_kind dray_debug_decode = {
    .name = "decode",
    .summary = "what an API server answers to a create or an update",
    .start = start,
    .stop = stop,
    .answer = answer,
};
