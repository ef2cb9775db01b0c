/* Rules of core kinds, through a whole create: what is reported, and values as Go writes them. */
#include "api/request.h"
#include "api/validate/core_int.h"
#include "data/json.h"
#include "tap.h"

typedef struct row {
    const char *label, *json;
    const char *errors; /* "path: text" of each, joined by newlines */
} row;

#define POD(spec) \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":" spec "}"
#define ONE(more) "{\"containers\":[{\"name\":\"c\",\"image\":\"i\"" more "}]}"
#define SERVICE(more)                                                                      \
    "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s\"},\"spec\":{" \
    "\"ports\":[{\"port\":80}]" more "}}"

static const row rows[] = {
    {"a plain Pod passes", POD(ONE("")), ""},
    {"a container names claims of its Pod",
     POD(ONE(",\"resources\":{\"claims\":[{\"name\":\"gpu\"}]}")),
     "spec.containers[0].resources.claims[0]: Not found: \"gpu\": must be one of the names in "
     "pod.spec.resourceClaims which is empty"},
    {"a request is no larger than its limit",
     POD(ONE(",\"resources\":{\"requests\":{\"cpu\":\"2\"},\"limits\":{\"cpu\":\"1\"}}")),
     "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to "
     "cpu limit of 1"},
    {"an extended resource is whole",
     POD(ONE(",\"resources\":{\"limits\":{\"example.com/gpu\":\"1500m\"}}")),
     "spec.containers[0].resources.limits[example.com/gpu]: Invalid value: \"1500m\": must be an "
     "integer\n"
     "spec.containers[0].resources.requests[example.com/gpu]: Invalid value: \"1500m\": must be "
     "an integer"},
    {"a Pod has containers", POD("{}"), "spec.containers: Required value"},
    {"an external address is no loopback", SERVICE(",\"externalIPs\":[\"127.0.0.1\"]"),
     "spec.externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range "
     "(127.0.0.0/8, ::1/128)"},
    {"ranges are read without the space around them",
     SERVICE(",\"type\":\"LoadBalancer\",\"loadBalancerSourceRanges\":[\" 10.0.0.0/8 \"]"), ""},
};

static dray_str joined(const dray_errors *errors, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < errors->list.n; i++)
        dray_buf_addf(&out, "%s" DRAY_FMT ": " DRAY_FMT, i > 0 ? "\n" : "",
                      DRAY_ARG(errors->list.v[i].field),
                      DRAY_ARG(dray_field_error_text(&errors->list.v[i], arena)));
    return dray_str_dup(arena, dray_buf_str(&out));
}

static void check_row(const row *r) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_request_source source = {arena, &gates, {.sec = 1, .set = true}};
    dray_node *root;
    dray_sent sent;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_json_parse(dray_str_of(r->json), arena, &root, &err);
    if (code == DRAY_OK)
        code = dray_request_read(&source, root, NULL, &sent, &err);
    dray_errors errors = {.arena = arena};
    if (CHECK("  (the row can be read)", code == DRAY_OK)) {
        dray_request rq = {.arena = arena, .gates = &gates, .kind = sent.kind, .errors = &errors};
        dray_new_ids ids = {DRAY_STR("u-1"), DRAY_STR("zzzzz"), DRAY_STR("default")};
        dray_request_create(&rq, &ids, sent.object, &err);
        dray_errors_sort(&errors);
    }
    CHECK_STR(r->label, joined(&errors, arena), r->errors);
    dray_err_done(&err);
}

static void check_values(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_core_toleration toleration = {.key = DRAY_STR("a")};
    CHECK_STR("a value has Go's names, and what is empty",
              dray_value_internal(arena, &dray_type_core_toleration, &toleration, 37),
              "{\"Key\":\"a\",\"Operator\":\"\",\"Value\":\"\",\"Effect\":\"\","
              "\"TolerationSeconds\":null}");
    dray_core_toleration other = {.key = DRAY_STR("b")};
    CHECK_STR("a difference shows the lines around it",
              dray_value_diff(arena, &dray_type_core_toleration, &toleration, &other, 37),
              "@@ -1,5 +1,5 @@\n {\n- \"Key\": \"a\",\n+ \"Key\": \"b\",\n  \"Operator\": \"\",\n"
              "  \"Value\": \"\",\n  \"Effect\": \"\",\n");
    CHECK_STR("white space of Unicode is trimmed", dray_trimmed(DRAY_STR("\xc2\xa0 a b\t")), "a b");
    CHECK_STR("nothing but space is nothing", dray_trimmed(DRAY_STR(" \n")), "");
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i]);
    check_values();
    return tap_end();
}
