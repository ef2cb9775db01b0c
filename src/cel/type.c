/* CEL types: construction, equality, printing. */
#include "cel/type.h"

#define SCALAR(kind_, text) \
    {.kind = (kind_), .closed = true, .size = 1, .name = DRAY_STR_INIT(text)}

const dray_cel_type dray_cel_error = SCALAR(DRAY_CEL_ERROR, "!error!");
const dray_cel_type dray_cel_dyn = SCALAR(DRAY_CEL_DYN, "dyn");
const dray_cel_type dray_cel_any = SCALAR(DRAY_CEL_ANY, "google.protobuf.Any");
const dray_cel_type dray_cel_null = SCALAR(DRAY_CEL_NULL, "null_type");
const dray_cel_type dray_cel_bool = SCALAR(DRAY_CEL_BOOL, "bool");
const dray_cel_type dray_cel_int = SCALAR(DRAY_CEL_INT, "int");
const dray_cel_type dray_cel_uint = SCALAR(DRAY_CEL_UINT, "uint");
const dray_cel_type dray_cel_double = SCALAR(DRAY_CEL_DOUBLE, "double");
const dray_cel_type dray_cel_string = SCALAR(DRAY_CEL_STRING, "string");
const dray_cel_type dray_cel_bytes = SCALAR(DRAY_CEL_BYTES, "bytes");
const dray_cel_type dray_cel_timestamp = SCALAR(DRAY_CEL_TIMESTAMP, "google.protobuf.Timestamp");
const dray_cel_type dray_cel_duration = SCALAR(DRAY_CEL_DURATION, "google.protobuf.Duration");
const dray_cel_type dray_cel_type_type = SCALAR(DRAY_CEL_TYPE, "type");

static const dray_cel_type *const dyn_params[] = {&dray_cel_dyn, &dray_cel_dyn};
static const dray_cel_type *const string_dyn_params[] = {&dray_cel_string, &dray_cel_dyn};

#define CONTAINER(kind_, text, n, list) \
    {.kind = (kind_),                   \
     .n_params = (n),                   \
     .closed = true,                    \
     .size = 1 + (n),                   \
     .name = DRAY_STR_INIT(text),       \
     .params = (list)}

const dray_cel_type dray_cel_list_dyn = CONTAINER(DRAY_CEL_LIST, "list", 1, dyn_params);
const dray_cel_type dray_cel_map_dyn = CONTAINER(DRAY_CEL_MAP, "map", 2, dyn_params);
const dray_cel_type dray_cel_map_string_dyn = CONTAINER(DRAY_CEL_MAP, "map", 2, string_dyn_params);

#define WRAPPER(kind_, text) \
    [kind_] = {              \
        .kind = (kind_), .nullable = true, .closed = true, .size = 1, .name = DRAY_STR_INIT(text)}

static const dray_cel_type wrappers[] = {
    WRAPPER(DRAY_CEL_BOOL, "bool"),     WRAPPER(DRAY_CEL_INT, "int"),
    WRAPPER(DRAY_CEL_UINT, "uint"),     WRAPPER(DRAY_CEL_DOUBLE, "double"),
    WRAPPER(DRAY_CEL_STRING, "string"), WRAPPER(DRAY_CEL_BYTES, "bytes"),
};

static dray_cel_type *new_type(dray_arena *arena, dray_cel_kind kind, dray_str name,
                               const dray_cel_type *const *params, size_t n) {
    dray_cel_type *type = DRAY_NEW(arena, dray_cel_type);
    type->kind = (uint8_t)kind;
    type->n_params = (uint8_t)n;
    type->name = name;
    type->closed = true;
    type->size = 1;
    if (n == 0)
        return type;
    const dray_cel_type **copy = DRAY_NEW_N(arena, const dray_cel_type *, n);
    for (size_t i = 0; i < n; i++) {
        copy[i] = params[i];
        type->closed = type->closed && params[i]->closed;
        if (__builtin_add_overflow(type->size, params[i]->size, &type->size))
            type->size = UINT32_MAX;
    }
    type->params = copy;
    return type;
}

static void put_name(dray_buf *out, const dray_cel_type *type) {
    if (type->kind == DRAY_CEL_PARAM && type->name.n == 0)
        dray_buf_addf(out, "_var%u", type->var - 1);
    else if (type->nullable)
        dray_buf_addf(out, "wrapper(" DRAY_FMT ")", DRAY_ARG(type->name));
    else
        dray_buf_str_add(out, type->name);
}

static void put_text(dray_buf *out, const dray_cel_type *type, bool for_errors) {
    bool bracket = type->kind == DRAY_CEL_PARAM && !for_errors;
    const char *alias = NULL;
    if (for_errors)
        alias = type->kind == DRAY_CEL_ANY         ? "any"
                : type->kind == DRAY_CEL_DURATION  ? "duration"
                : type->kind == DRAY_CEL_TIMESTAMP ? "timestamp"
                : type->kind == DRAY_CEL_NULL      ? "null"
                                                   : NULL;
    if (bracket)
        dray_buf_putc(out, '<');
    if (alias != NULL)
        dray_buf_puts(out, alias);
    else
        put_name(out, type);
    if (bracket)
        dray_buf_putc(out, '>');
    for (size_t i = 0; i < type->n_params; i++) {
        dray_buf_puts(out, i == 0 ? "(" : ", ");
        put_text(out, type->params[i], for_errors);
    }
    if (type->n_params != 0)
        dray_buf_putc(out, ')');
}

const dray_cel_type *dray_cel_type_list(dray_arena *arena, const dray_cel_type *element) {
    return new_type(arena, DRAY_CEL_LIST, DRAY_STR("list"), &element, 1);
}

const dray_cel_type *dray_cel_type_map(dray_arena *arena, const dray_cel_type *key,
                                       const dray_cel_type *value) {
    const dray_cel_type *params[] = {key, value};
    return new_type(arena, DRAY_CEL_MAP, DRAY_STR("map"), params, 2);
}

const dray_cel_type *dray_cel_type_of(dray_arena *arena, const dray_cel_type *named) {
    return new_type(arena, DRAY_CEL_TYPE, DRAY_STR("type"), &named, 1);
}

const dray_cel_type *dray_cel_type_optional(dray_arena *arena, const dray_cel_type *inner) {
    return new_type(arena, DRAY_CEL_OPAQUE, DRAY_STR("optional_type"), &inner, 1);
}

const dray_cel_type *dray_cel_type_opaque(dray_arena *arena, dray_str name,
                                          const dray_cel_type *const *params, size_t n) {
    return new_type(arena, DRAY_CEL_OPAQUE, name, params, n);
}

const dray_cel_type *dray_cel_type_struct(dray_arena *arena, dray_str name) {
    return new_type(arena, DRAY_CEL_STRUCT, name, NULL, 0);
}

const dray_cel_type *dray_cel_type_param(dray_arena *arena, dray_str name) {
    dray_cel_type *type = new_type(arena, DRAY_CEL_PARAM, name, NULL, 0);
    type->closed = false;
    return type;
}

const dray_cel_type *dray_cel_type_wrapper(dray_cel_kind kind) {
    return kind < DRAY_CEL_BOOL || kind > DRAY_CEL_BYTES ? NULL : &wrappers[kind];
}

const dray_cel_type *dray_cel_type_well_known(dray_str name) {
    static const struct {
        const char *name;
        const dray_cel_type *type;
    } known[] = {
        {"Any", &dray_cel_any},
        {"Timestamp", &dray_cel_timestamp},
        {"Duration", &dray_cel_duration},
        {"Value", &dray_cel_dyn},
        {"NullValue", &dray_cel_null},
        {"Struct", &dray_cel_map_string_dyn},
        {"ListValue", &dray_cel_list_dyn},
        {"BoolValue", &wrappers[DRAY_CEL_BOOL]},
        {"Int32Value", &wrappers[DRAY_CEL_INT]},
        {"Int64Value", &wrappers[DRAY_CEL_INT]},
        {"UInt32Value", &wrappers[DRAY_CEL_UINT]},
        {"UInt64Value", &wrappers[DRAY_CEL_UINT]},
        {"FloatValue", &wrappers[DRAY_CEL_DOUBLE]},
        {"DoubleValue", &wrappers[DRAY_CEL_DOUBLE]},
        {"StringValue", &wrappers[DRAY_CEL_STRING]},
        {"BytesValue", &wrappers[DRAY_CEL_BYTES]},
    };
    dray_str package = DRAY_STR("google.protobuf.");
    if (!dray_str_starts(name, package))
        return NULL;
    dray_str rest = dray_str_slice(name, package.n, name.n);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (dray_str_is(rest, known[i].name))
            return known[i].type;
    return NULL;
}

bool dray_cel_type_is_optional(const dray_cel_type *type, const dray_cel_type **inner) {
    if (type->kind != DRAY_CEL_OPAQUE || type->n_params != 1 ||
        !dray_str_is(type->name, "optional_type"))
        return false;
    *inner = type->params[0];
    return true;
}

bool dray_cel_type_same(const dray_cel_type *a, const dray_cel_type *b) {
    if (a == b)
        return true;
    if (a->kind != b->kind || a->n_params != b->n_params || a->var != b->var ||
        !dray_str_eq(a->name, b->name))
        return false;
    for (size_t i = 0; i < a->n_params; i++)
        if (!dray_cel_type_same(a->params[i], b->params[i]))
            return false;
    return true;
}

bool dray_cel_type_is_dyn(const dray_cel_type *type) {
    return type->kind == DRAY_CEL_DYN || type->kind == DRAY_CEL_ANY || type->kind == DRAY_CEL_PARAM;
}

dray_str dray_cel_type_text(dray_arena *arena, const dray_cel_type *type) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    put_text(&out, type, false);
    return dray_str_dup(arena, dray_buf_str(&out));
}

void dray_cel_type_error_text(dray_buf *out, const dray_cel_type *type) {
    put_text(out, type, true);
}
