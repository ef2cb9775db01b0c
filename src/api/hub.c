/* What a v1 object of a few kinds becomes by passing through the version that the server works in:
 * fields that one of the two versions lacks. Source: pkg/apis/{core,apps}/v1/conversion.go. */
#include "api/convert_int.h"

#include "base/utf8.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>

static const char rollback_to[] = "deprecated.deployment.rollback.to";
static const char template_generation[] = "deprecated.daemonset.template.generation";

typedef struct hub_row {
    const dray_type *type;
    dray_code (*apply)(void *body, dray_arena *arena, dray_err *err);
} hub_row;

/* Go's ParseInt(text, 10, 64) with its error. */
static dray_code parse_int64(dray_str text, dray_arena *arena, int64_t *ret, dray_err *err) {
    size_t i = text.n > 0 && (text.p[0] == '-' || text.p[0] == '+');
    bool digits = i < text.n;
    for (; i < text.n; i++)
        digits = digits && text.p[i] >= '0' && text.p[i] <= '9';
    dray_str quoted = dray_utf8_quote(text, arena);
    if (!digits)
        return dray_err_set(err, DRAY_E_INVALID,
                            "strconv.ParseInt: parsing " DRAY_FMT ": invalid syntax",
                            DRAY_ARG(quoted));
    errno = 0;
    *ret = strtoll(dray_str_dup(arena, text).p, NULL, 10);
    if (errno == ERANGE)
        return dray_err_set(err, DRAY_E_INVALID,
                            "strconv.ParseInt: parsing " DRAY_FMT ": value out of range",
                            DRAY_ARG(quoted));
    return DRAY_OK;
}

/* podCIDR is the first of podCIDRs, and wins. */
static dray_code pass_node(void *body, dray_arena *arena, dray_err *err) {
    (void)err;
    dray_core_node_spec *spec = ((dray_core_node *)body)->spec;
    if (spec->pod_cidr.n != 0 &&
        (spec->pod_cidrs.n == 0 || !dray_str_eq(spec->pod_cidrs.v[0], spec->pod_cidr))) {
        spec->pod_cidrs.v = DRAY_NEW(arena, dray_str);
        spec->pod_cidrs.v[0] = spec->pod_cidr;
        spec->pod_cidrs.n = 1;
    }
    if (spec->pod_cidrs.n != 0)
        spec->pod_cidr = spec->pod_cidrs.v[0];
    return DRAY_OK;
}

/* stringData is written over data. */
static dray_code pass_secret(void *body, dray_arena *arena, dray_err *err) {
    (void)err;
    dray_core_secret *secret = body;
    dray_string_map data = {secret->data.k, secret->data.v, secret->data.n};
    for (size_t i = 0; i < secret->string_data.n; i++) {
        dray_str value = secret->string_data.v[i];
        dray_string_map_put(&data, secret->string_data.k[i], value.n != 0 ? value : DRAY_STR(""),
                            arena);
    }
    secret->data.k = data.k;
    secret->data.v = data.v;
    secret->data.n = data.n;
    secret->string_data = (dray_string_map){0};
    return DRAY_OK;
}

static dray_code pass_deployment(void *body, dray_arena *arena, dray_err *err) {
    dray_string_map *annotations = &((dray_apps_deployment *)body)->metadata->annotations;
    dray_str key = dray_str_of(rollback_to);
    dray_str value = dray_string_map_find(*annotations, key);
    int64_t revision;
    if (value.n == 0)
        return DRAY_OK;
    dray_code code = parse_int64(value, arena, &revision, err);
    if (code != DRAY_OK)
        return dray_err_wrap(err, "failed to parse annotation[%s]=" DRAY_FMT " as int64",
                             rollback_to, DRAY_ARG(value));
    dray_string_map_put(annotations, key, dray_strf(arena, "%lld", (long long)revision), arena);
    return DRAY_OK;
}

/* The template's generation lives in an annotation, 0 before the first create. */
static dray_code pass_daemon_set(void *body, dray_arena *arena, dray_err *err) {
    dray_string_map *annotations = &((dray_apps_daemon_set *)body)->metadata->annotations;
    dray_str key = dray_str_of(template_generation);
    dray_str value = dray_string_map_find(*annotations, key);
    int64_t generation = 0;
    dray_code code = value.p != NULL ? parse_int64(value, arena, &generation, err) : DRAY_OK;
    if (code == DRAY_OK)
        dray_string_map_put(annotations, key, dray_strf(arena, "%lld", (long long)generation),
                            arena);
    return code;
}

static const hub_row rows[] = {
    {&dray_type_core_node, pass_node},
    {&dray_type_core_secret, pass_secret},
    {&dray_type_apps_deployment, pass_deployment},
    {&dray_type_apps_daemon_set, pass_daemon_set},
};

dray_code dray_api_pass_hub(const dray_type *type, void *body, dray_arena *arena, dray_err *err) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        if (rows[i].type == type)
            return rows[i].apply(body, arena, err);
    return DRAY_OK;
}
