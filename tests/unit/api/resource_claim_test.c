/* Rules of claim specs: what is reported where, and what a CEL checker says of expressions. */
#include "api/validate/resource_int.h"
#include "data/json.h"
#include "tap.h"

typedef struct row {
    const char *label, *json; /* of spec.devices */
    const char *errors;       /* "path: text" of each, joined by newlines */
} row;

#define EXACTLY "\"exactly\":{\"deviceClassName\":\"c\",\"allocationMode\":\"All\""
#define REQUEST(name, more) "{\"name\":\"" name "\"," EXACTLY more "}}"
#define REQUESTS(list) "{\"requests\":[" list "]}"
#define ONE REQUEST("r", "")

static const row rows[] = {
    {"a plain claim passes", REQUESTS(ONE), ""},
    {"an empty claim passes", "{}", ""},
    {"a request is one of both kinds", REQUESTS("{\"name\":\"r\"}"),
     "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is "
     "required"},
    {"names are unique", REQUESTS(ONE "," ONE), "spec.devices.requests[1]: Duplicate value: \"r\""},
    {"All has no count", REQUESTS(REQUEST("r", ",\"count\":1")),
     "spec.devices.requests[0].exactly.count: Invalid value: 1: must not be specified when "
     "allocationMode is 'All'"},
    {"an expression is asked of the checker",
     REQUESTS(REQUEST("r", ",\"selectors\":[{\"cel\":{\"expression\":\"bad\"}}]")),
     "spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: \"bad\": no"},
    {"an expression may cost too much",
     REQUESTS(REQUEST("r", ",\"selectors\":[{\"cel\":{\"expression\":\"dear\"}}]")),
     "spec.devices.requests[0].exactly.selectors[0].cel.expression: Forbidden: too complex, "
     "exceeds cost limit"},
    {"a constraint names requests of the claim",
     "{\"requests\":[" ONE "],\"constraints\":[{\"requests\":[\"x\"],\"matchAttribute\":\"a/b\"}]}",
     "spec.devices.constraints[0].requests[0]: Invalid value: \"x\": must be the name of a request "
     "in the claim or the name of a request and a subrequest separated by '/'"},
    {"configuration is a JSON object",
     "{\"config\":[{\"opaque\":{\"driver\":\"d\",\"parameters\":[1]}}]}",
     "spec.devices.config[0].opaque.parameters: Invalid value: \"<value omitted>\": must be a "
     "valid JSON object"},
    {"a toleration with Exists has no value",
     REQUESTS(REQUEST("r", ",\"tolerations\":[{\"operator\":\"Exists\",\"value\":\"v\"}]")),
     "spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: \"v\": must be empty "
     "for operator `Exists`"},
};

static dray_cel_result compile(void *context, dray_str expression, dray_cel_use use, bool stored,
                               const dray_gates *gates, dray_arena *arena) {
    if (dray_str_is(expression, "bad"))
        return (dray_cel_result){.error = DRAY_STR("no")};
    return (dray_cel_result){.ok = true,
                             .max_cost = dray_str_is(expression, "dear") ? UINT64_MAX : 1};
}

static dray_str joined(const dray_errors *errors, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < errors->list.n; i++)
        dray_buf_addf(&out, "%s" DRAY_FMT ": " DRAY_FMT, i > 0 ? "\n" : "",
                      DRAY_ARG(errors->list.v[i].field),
                      DRAY_ARG(dray_field_error_text(&errors->list.v[i], arena)));
    return dray_str_dup(arena, dray_buf_str(&out));
}

static void check_row(const row *r) {
    static const dray_cel_functions cel = {.compile = compile};
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_node *root;
    void *devices = NULL;
    if (dray_json_parse(dray_str_of(r->json), arena, &root, NULL) == DRAY_OK)
        dray_api_decode_type(root, &dray_type_resource_device_claim, 0, arena, NULL, &devices,
                             NULL);
    dray_errors errors = {.arena = arena};
    dray_request rq = {.arena = arena, .gates = &gates, .cel = &cel, .errors = &errors};
    dray_resource_claim_spec spec = {.devices = devices};
    dray_path path = dray_path_child(NULL, "spec");
    if (CHECK("  (the row can be read)", devices != NULL))
        dray_validate_claim_spec(&rq, &spec, false, &path);
    CHECK_STR(r->label, joined(&errors, arena), r->errors);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i]);
    return tap_end();
}
