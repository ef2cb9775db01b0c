/* Reading a type from the text that declarations use. */
#include "cel/type.h"

typedef struct reader {
    dray_arena *arena;
    dray_str text;
    size_t at;
    bool (*is_opaque)(void *context, dray_str name);
    void *context;
    unsigned depth;
} reader;

/* Names that stand for a type without parameters. */
static const struct {
    const char *name;
    const dray_cel_type *type;
} plain[] = {
    {"dyn", &dray_cel_dyn},
    {"any", &dray_cel_any},
    {"null", &dray_cel_null},
    {"null_type", &dray_cel_null},
    {"bool", &dray_cel_bool},
    {"int", &dray_cel_int},
    {"uint", &dray_cel_uint},
    {"double", &dray_cel_double},
    {"string", &dray_cel_string},
    {"bytes", &dray_cel_bytes},
    {"timestamp", &dray_cel_timestamp},
    {"duration", &dray_cel_duration},
    {"type", &dray_cel_type_type},
    {"list", &dray_cel_list_dyn},
    {"map", &dray_cel_map_dyn},
    {"error", &dray_cel_error},
};

static void skip_spaces(reader *r) {
    while (r->at < r->text.n && r->text.p[r->at] == ' ')
        r->at++;
}

static bool accept(reader *r, char c) {
    skip_spaces(r);
    if (r->at >= r->text.n || r->text.p[r->at] != c)
        return false;
    r->at++;
    return true;
}

static dray_str read_name(reader *r) {
    skip_spaces(r);
    size_t from = r->at;
    for (; r->at < r->text.n; r->at++) {
        char c = r->text.p[r->at];
        bool part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '.' || c == '@';
        /* "string.(int)" ends the target's name before the dot. */
        bool dot_before_bracket = c == '.' && r->at + 1 < r->text.n && r->text.p[r->at + 1] == '(';
        if (!part || dot_before_bracket)
            break;
    }
    return dray_str_slice(r->text, from, r->at);
}

static dray_code wrong(reader *r, dray_err *err, const char *what) {
    return dray_err_set(err, DRAY_E_INVALID, "type \"" DRAY_FMT "\": %s at byte %zu",
                        DRAY_ARG(r->text), what, r->at);
}

static const dray_cel_type *bare(reader *r, dray_str name) {
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (dray_str_is(name, plain[i].name))
            return plain[i].type;
    const dray_cel_type *known = dray_cel_type_well_known(name);
    if (known != NULL)
        return known;
    dray_str own = dray_str_dup(r->arena, name);
    if (name.n == 1 && name.p[0] >= 'A' && name.p[0] <= 'Z')
        return dray_cel_type_param(r->arena, own);
    if (r->is_opaque != NULL && r->is_opaque(r->context, name))
        return dray_cel_type_opaque(r->arena, own, NULL, 0);
    return dray_cel_type_struct(r->arena, own);
}

static const dray_cel_type *compose(reader *r, dray_str name, const dray_cel_type **params,
                                    size_t n) {
    if (dray_str_is(name, "list") && n == 1)
        return dray_cel_type_list(r->arena, params[0]);
    if (dray_str_is(name, "map") && n == 2)
        return dray_cel_type_map(r->arena, params[0], params[1]);
    if (dray_str_is(name, "type") && n == 1)
        return dray_cel_type_of(r->arena, params[0]);
    if (dray_str_is(name, "wrapper") && n == 1)
        return dray_cel_type_wrapper((dray_cel_kind)params[0]->kind);
    if (dray_str_is(name, "list") || dray_str_is(name, "map") || dray_str_is(name, "type"))
        return NULL;
    if (dray_str_is(name, "optional"))
        return dray_cel_type_opaque(r->arena, DRAY_STR("optional_type"), params, n);
    return dray_cel_type_opaque(r->arena, dray_str_dup(r->arena, name), params, n);
}

static dray_code read_type(reader *r, const dray_cel_type **type, dray_err *err) {
    dray_str name = read_name(r);
    if (name.n == 0)
        return wrong(r, err, "expected a name");
    if (!accept(r, '(')) {
        *type = bare(r, name);
        return DRAY_OK;
    }
    if (++r->depth > DRAY_CEL_TYPE_DEPTH)
        return wrong(r, err, "nested too deep");
    const dray_cel_type *params[DRAY_CEL_TYPE_PARAMS];
    size_t n = 0;
    do {
        if (n == DRAY_CEL_TYPE_PARAMS)
            return wrong(r, err, "too many parameters");
        dray_code code = read_type(r, &params[n], err);
        if (code != DRAY_OK)
            return code;
        n++;
    } while (accept(r, ','));
    if (!accept(r, ')'))
        return wrong(r, err, "expected ')'");
    r->depth--;
    *type = compose(r, name, params, n);
    return *type != NULL ? DRAY_OK : wrong(r, err, "wrong number of parameters");
}

dray_code dray_cel_type_parse(dray_arena *arena, dray_str text, size_t *at,
                              bool (*is_opaque)(void *context, dray_str name), void *context,
                              const dray_cel_type **type, dray_err *err) {
    reader r = {
        .arena = arena, .text = text, .at = *at, .is_opaque = is_opaque, .context = context};
    const dray_cel_type *read;
    dray_code code = read_type(&r, &read, err);
    if (code != DRAY_OK)
        return code;
    *type = read;
    *at = r.at;
    return DRAY_OK;
}
