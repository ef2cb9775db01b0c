/* Literals that are made at run time: lists, maps and the well-known messages. */
#include "cel/eval_int.h"

enum { MAP_COST = 30, STRUCT_COST = 40 };

static dray_cel_value bad_optional(dray_cel_eval *e, const char *what, dray_cel_value v) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_buf_puts(&text, "cannot initialize optional ");
    dray_buf_puts(&text, what);
    dray_buf_puts(&text, " from non-optional value ");
    dray_cel_print_value(&text, v);
    return dray_cel_failf(e->arena, DRAY_FMT, DRAY_ARG(dray_buf_str(&text)));
}

static dray_cel_value make_list(const dray_cel_list_node *n, dray_cel_eval *e) {
    if (!dray_cel_eval_work(e, n->n / 2))
        return dray_cel_no_overload;
    dray_cel_value *items = DRAY_NEW_N(e->arena, dray_cel_value, n->n > 0 ? n->n : 1);
    size_t count = 0;
    for (uint32_t i = 0; i < n->n; i++) {
        dray_cel_value v = n->v[i]->eval(n->v[i], e);
        if (dray_cel_is_unwritten(v))
            v = dray_cel_eval_written(e, v);
        if (v.kind == DRAY_CEL_ERROR || e->stopped)
            return dray_cel_maybe_overload(v);
        if (n->optional != NULL && n->optional[i]) {
            if (v.kind != DRAY_CEL_OPTIONAL)
                return bad_optional(e, "list element", v);
            if (v.inner == NULL)
                continue;
            v = *v.inner;
        }
        items[count++] = v;
    }
    return dray_cel_of_list(e->arena, items, count);
}

dray_cel_value dray_cel_eval_list(const dray_cel_node *node, dray_cel_eval *e) {
    dray_cel_value v = make_list((const dray_cel_list_node *)node, e);
    dray_cel_charge(e, DRAY_CEL_LIST_COST);
    return v;
}

static dray_cel_value bad_entry(dray_cel_eval *e, dray_cel_value key, dray_cel_value v) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_buf_puts(&text, "entry '");
    dray_cel_print_value(&text, key);
    dray_buf_puts(&text, "'");
    return bad_optional(e, dray_buf_cstr(&text), v);
}

/* The specification's rule; Kubernetes lets the last of equal keys win. */
static bool is_new_key(const dray_cel_map *map, dray_cel_value key) {
    return (key.kind == DRAY_CEL_BOOL || key.kind == DRAY_CEL_INT || key.kind == DRAY_CEL_UINT ||
            key.kind == DRAY_CEL_STRING) &&
           dray_cel_map_has(map, key) == NULL;
}

static dray_cel_value make_map(const dray_cel_map_node *n, dray_cel_eval *e) {
    enum { ENTRY_WORK = 4 };
    if (!dray_cel_eval_work(e, ENTRY_WORK * (uint64_t)n->n))
        return dray_cel_no_overload;
    dray_cel_map *map = dray_cel_map_new(e->arena, n->n);
    for (uint32_t i = 0; i < n->n; i++) {
        dray_cel_value key = n->keys[i]->eval(n->keys[i], e);
        if (key.kind == DRAY_CEL_ERROR)
            return key;
        dray_cel_value v = n->values[i]->eval(n->values[i], e);
        if (dray_cel_is_unwritten(v))
            v = dray_cel_eval_written(e, v);
        if (dray_cel_is_unwritten(key))
            key = dray_cel_eval_written(e, key);
        if (v.kind == DRAY_CEL_ERROR || e->stopped)
            return dray_cel_maybe_overload(v);
        if (!dray_cel_can_hash(key))
            return dray_cel_eval_no_hash(e, key);
        if (n->optional != NULL && n->optional[i]) {
            if (v.kind != DRAY_CEL_OPTIONAL)
                return bad_entry(e, key, v);
            if (v.inner == NULL) {
                dray_cel_map_remove(map, key);
                continue;
            }
            v = *v.inner;
        }
        if (e->program->runtime->spec && !is_new_key(map, key))
            return dray_cel_fail(e->arena, "unsupported or repeated key in a map");
        dray_cel_map_put(e->arena, map, key, v);
    }
    return dray_cel_of_map(map);
}

dray_cel_value dray_cel_eval_map(const dray_cel_node *node, dray_cel_eval *e) {
    dray_cel_value v = make_map((const dray_cel_map_node *)node, e);
    dray_cel_charge(e, MAP_COST);
    return v;
}

/* A field's value, by its place in the literal; NULL where it is not given. */
static const dray_cel_value *field_of(const dray_cel_map_node *n, const dray_cel_value *values,
                                      const char *name) {
    for (uint32_t i = 0; i < n->n; i++)
        if (dray_str_is(n->fields[i], name))
            return &values[i];
    return NULL;
}

/* The well-known messages are read as the values they stand for. */
static dray_cel_value well_known(const dray_cel_map_node *n, dray_cel_eval *e,
                                 const dray_cel_value *values) {
    static const struct {
        const char *name, *field;
        dray_cel_value zero;
    } wrappers[] = {
        {"google.protobuf.BoolValue", "value", {.kind = DRAY_CEL_BOOL}},
        {"google.protobuf.Int32Value", "value", {.kind = DRAY_CEL_INT}},
        {"google.protobuf.Int64Value", "value", {.kind = DRAY_CEL_INT}},
        {"google.protobuf.UInt32Value", "value", {.kind = DRAY_CEL_UINT}},
        {"google.protobuf.UInt64Value", "value", {.kind = DRAY_CEL_UINT}},
        {"google.protobuf.FloatValue", "value", {.kind = DRAY_CEL_DOUBLE}},
        {"google.protobuf.DoubleValue", "value", {.kind = DRAY_CEL_DOUBLE}},
        {"google.protobuf.StringValue", "value", {.kind = DRAY_CEL_STRING, .s = ""}},
        {"google.protobuf.BytesValue", "value", {.kind = DRAY_CEL_BYTES, .s = ""}},
        {"google.protobuf.ListValue", "values", {.kind = DRAY_CEL_LIST, .list = NULL}},
        {"google.protobuf.Struct", "fields", {.kind = DRAY_CEL_MAP, .map = NULL}},
    };
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        if (!dray_str_is(n->name, wrappers[i].name))
            continue;
        const dray_cel_value *v = field_of(n, values, wrappers[i].field);
        if (v != NULL)
            return *v;
        if (wrappers[i].zero.kind == DRAY_CEL_LIST)
            return dray_cel_empty_list;
        return wrappers[i].zero.kind == DRAY_CEL_MAP ? dray_cel_empty_map : wrappers[i].zero;
    }
    if (dray_str_is(n->name, "google.protobuf.Value")) {
        if (n->n == 0 || dray_str_is(n->fields[0], "null_value"))
            return dray_cel_null_value;
        return values[0];
    }
    bool duration = dray_str_is(n->name, "google.protobuf.Duration");
    if (duration || dray_str_is(n->name, "google.protobuf.Timestamp")) {
        const dray_cel_value *seconds = field_of(n, values, "seconds");
        const dray_cel_value *nanos = field_of(n, values, "nanos");
        int64_t s = seconds != NULL ? seconds->i : 0, ns = nanos != NULL ? nanos->i : 0;
        if (duration)
            return dray_cel_of_duration((int64_t)((uint64_t)s * 1000000000u + (uint64_t)ns));
        return (dray_cel_value){.kind = DRAY_CEL_TIMESTAMP, .n = (uint32_t)ns, .i = s};
    }
    if (dray_str_starts(n->name, DRAY_STR("google.protobuf.")))
        return dray_cel_fail(e->arena, "unsupported conversion to ref.Val: (*dynamicpb.Message)");
    return dray_cel_failf(e->arena, "unknown type '" DRAY_FMT "'", DRAY_ARG(n->name));
}

dray_cel_value dray_cel_eval_struct(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_map_node *n = (const dray_cel_map_node *)node;
    dray_cel_value *values = DRAY_NEW_N(e->arena, dray_cel_value, n->n > 0 ? n->n : 1);
    dray_cel_value v = dray_cel_none;
    for (uint32_t i = 0; i < n->n && v.kind != DRAY_CEL_ERROR; i++) {
        v = n->values[i]->eval(n->values[i], e);
        if (dray_cel_is_unwritten(v))
            v = dray_cel_eval_written(e, v);
        if (n->optional != NULL && n->optional[i] && v.kind == DRAY_CEL_OPTIONAL)
            v = v.inner != NULL ? *v.inner : dray_cel_null_value;
        values[i] = v;
    }
    if (v.kind != DRAY_CEL_ERROR)
        v = well_known(n, e, values);
    dray_cel_charge(e, STRUCT_COST);
    return v;
}
