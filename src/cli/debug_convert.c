/* `dray debug convert`: an object in another version of its kind. */
#include "api/engine.h"
#include "api/validate/value.h"
#include "cli/debug.h"

/* What the clock says in recorded answers: 2026-01-01T00:00:00Z. */
static const dray_time fixed_now = {.sec = 1767225600, .set = true};

static dray_code refuse(const char *kind, dray_str api_version, dray_err *err) {
    return dray_err_set(err, DRAY_E_UNSUPPORTED,
                        "no matches for kind \"%s\" in version \"" DRAY_FMT "\"", kind,
                        DRAY_ARG(api_version));
}

static dray_code read_object(const dray_debug_line *line, int release, dray_object *ret,
                             dray_err *err) {
    const dray_node *node = dray_node_find(line->in, DRAY_STR("object"));
    if (node == NULL)
        return dray_err_set(err, DRAY_E_INVALID, "the line has no \"object\"");
    if (dray_node_find(node, DRAY_STR("kind")) == NULL)
        return refuse("", dray_node_string(dray_node_find(node, DRAY_STR("apiVersion"))), err);
    return dray_api_decode(node, release, line->arena, NULL, ret, err);
}

/* As the hub: decoded, defaulted in its own version, converted. */
static dray_code read_hub(const dray_debug_line *line, const dray_gates *gates, dray_object *ret,
                          dray_err *err) {
    dray_object object;
    dray_code code = read_object(line, gates->release, &object, err);
    if (code != DRAY_OK)
        return code;
    dray_defaults defaults = {gates, fixed_now, line->arena};
    dray_api_default(object, &defaults);
    return dray_api_convert(object, dray_kind_hub(object.kind), line->arena, ret, err);
}

static dray_code convert(const dray_debug_line *line, const dray_gates *gates, dray_object *ret,
                         dray_err *err) {
    dray_object object;
    dray_code code = read_hub(line, gates, &object, err);
    if (code != DRAY_OK)
        return code;
    const dray_kind *from = object.kind;
    dray_str version = dray_debug_get_string(line, "to");
    if (from->group[0] != '\0')
        version = dray_strf(line->arena, "%s/" DRAY_FMT, from->group, DRAY_ARG(version));
    const dray_kind *to = dray_kind_find(version, dray_str_of(from->kind));
    if (to == NULL || !dray_kind_served(to, gates->release))
        return refuse(from->kind, version, err);
    return dray_api_convert(object, to, line->arena, ret, err);
}

/* The version that the server works in: no kind, and Go's own names for fields. */
static dray_code answer_internal(dray_debug_line *line, const dray_gates *gates, dray_err *err) {
    dray_object hub;
    dray_code code = read_hub(line, gates, &hub, err);
    if (code != DRAY_OK)
        return code;
    dray_debug_key(line, "object");
    dray_buf_str_add(line->out,
                     dray_value_internal(line->arena, hub.kind->type, hub.body, gates->release));
    return DRAY_OK;
}

static dray_code answer_version(dray_debug_line *line, const dray_gates *gates, dray_err *err) {
    dray_object object;
    dray_code code = convert(line, gates, &object, err);
    if (code != DRAY_OK)
        return code;
    dray_debug_key(line, "object");
    dray_api_encode_at(line->out, object, gates->release);
    return DRAY_OK;
}

static void answer(void *state, dray_debug_line *line) {
    (void)state;
    dray_err err = DRAY_ERR_INIT;
    dray_gates gates;
    bool internal = dray_str_is(dray_debug_get_string(line, "to"), "__internal");
    dray_code code = dray_debug_gates(line, &gates, &err);
    if (code == DRAY_OK)
        code = internal ? answer_internal(line, &gates, &err) : answer_version(line, &gates, &err);
    if (code != DRAY_OK)
        dray_debug_error(line, dray_err_text(&err));
    dray_err_done(&err);
}

const dray_debug_kind dray_debug_convert = {
    .name = "convert",
    .summary = "an object in another version of its kind",
    .answer = answer,
};
