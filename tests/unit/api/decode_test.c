/* Decoding and encoding: what goes in, what comes out, which errors and strict reports. */
#include "api/engine.h"
#include "base/vec.h"
#include "data/json.h"
#include "tap.h"

#define CLAIM(rest) "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaim\"" rest "}"
#define CLAIM_OUT(meta, devices)                                                           \
    "{\"kind\":\"ResourceClaim\",\"apiVersion\":\"resource.k8s.io/v1\",\"metadata\":" meta \
    ",\"spec\":{\"devices\":" devices "},\"status\":{}}"

typedef struct row {
    const char *label, *in, *out, *error, *strict; /* out or error; strict: the first report */
} row;

static const row rows[] = {
    {"an object without fields has its plain objects", CLAIM(""),
     CLAIM_OUT("{}", "{\"requests\":null}"), NULL, NULL},
    {"null leaves a plain object as it is", CLAIM(",\"spec\":null"),
     CLAIM_OUT("{}", "{\"requests\":null}"), NULL, NULL},
    {"an empty list that must be written is written",
     CLAIM(",\"spec\":{\"devices\":{\"requests\":[]}}"), CLAIM_OUT("{}", "{\"requests\":[]}"), NULL,
     NULL},
    {"maps are sorted and of equal keys the last counts",
     CLAIM(",\"metadata\":{\"labels\":{\"b\":\"1\",\"a\":\"2\",\"b\":\"3\"}}"),
     CLAIM_OUT("{\"labels\":{\"a\":\"2\",\"b\":\"3\"}}", "{\"requests\":null}"), NULL,
     "duplicate field \"metadata.labels.b\""},
    {"a list given twice is decoded over its first value, as in Go",
     CLAIM(
         ",\"spec\":{\"devices\":{\"requests\":[{\"name\":\"a\"}],\"requests\":[{\"firstAvailable\":null}]}}"),
     CLAIM_OUT("{}", "{\"requests\":[{\"name\":\"a\"}]}"), NULL,
     "duplicate field \"spec.devices.requests\""},
    {"an unknown field is reported with its path",
     CLAIM(",\"spec\":{\"devices\":{\"requests\":[{\"name\":\"a\",\"exactly\":{\"Count\":1}}]}}"),
     CLAIM_OUT("{}", "{\"requests\":[{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"\"}}]}"),
     NULL, "unknown field \"spec.devices.requests[0].exactly.Count\""},
    {"a wrong type names struct and path",
     CLAIM(",\"spec\":{\"devices\":{\"requests\":[{\"name\":1}]}}"), NULL,
     "json: cannot unmarshal number into Go struct field DeviceRequest.spec.devices.requests.name of type string",
     NULL},
    {"a fraction is no integer",
     CLAIM(",\"spec\":{\"devices\":{\"requests\":[{\"exactly\":{\"count\":1.5}}]}}"), NULL,
     "json: cannot unmarshal number 1.5 into Go struct field ExactDeviceRequest.spec.devices.requests.exactly.count of type int64",
     NULL},
    {"an integer that int64 cannot hold is refused",
     CLAIM(
         ",\"spec\":{\"devices\":{\"requests\":[{\"exactly\":{\"count\":9223372036854775808}}]}}"),
     NULL,
     "json: cannot unmarshal number 9223372036854775808 into Go struct field ExactDeviceRequest.spec.devices.requests.exactly.count of type int64",
     NULL},
    {"the smallest int64 is taken",
     CLAIM(
         ",\"spec\":{\"devices\":{\"requests\":[{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"c\",\"count\":-9223372036854775808}}]}}"),
     CLAIM_OUT(
         "{}",
         "{\"requests\":[{\"name\":\"a\",\"exactly\":{\"deviceClassName\":\"c\",\"count\":-9223372036854775808}}]}"),
     NULL, NULL},
    {"opaque parameters keep their bytes but for space between tokens",
     CLAIM(
         ",\"spec\":{\"devices\":{\"config\":[{\"opaque\":{\"driver\":\"d\",\"parameters\":{\"b\": 1.0,\"a\":\"x y\"}}}]}}"),
     CLAIM_OUT(
         "{}",
         "{\"requests\":null,\"config\":[{\"opaque\":{\"driver\":\"d\",\"parameters\":{\"b\":1.0,\"a\":\"x y\"}}}]}"),
     NULL, NULL},
    {"a kind that no release serves",
     "{\"apiVersion\":\"resource.k8s.io/v9\",\"kind\":\"ResourceClaim\"}", NULL,
     "no matches for kind \"ResourceClaim\" in version \"resource.k8s.io/v9\"", NULL},
    {"base64 that is cut short",
     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"a\":\"YWI\"}}", NULL,
     "illegal base64 data at input byte 0", NULL},
    {"bytes come back as base64",
     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"a\":\"YWI=\",\"b\":\"\"}}",
     "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{},\"data\":{\"a\":\"YWI=\",\"b\":\"\"}}",
     NULL, NULL},
    {"an int-or-string does not hide an earlier error",
     "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"spec\":{\"clusterIP\":1,\"ports\":[{\"port\":1,\"targetPort\":2}]}}",
     NULL,
     "json: cannot unmarshal number into Go struct field ServiceSpec.spec.clusterIP of type string",
     NULL},
};

static void check_row(const row *r, int release) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_err err = DRAY_ERR_INIT;
    dray_node *root;
    dray_object object;
    dray_decode_report report = {.arena = arena};
    dray_code code = dray_json_parse(dray_str_of(r->in), arena, &root, &err);
    if (code == DRAY_OK)
        code = dray_api_decode(root, release, arena, &report, &object, &err);
    if (code == DRAY_OK)
        dray_api_encode(&out, object);
    const char *text = code == DRAY_OK ? dray_buf_cstr(&out) : dray_err_text(&err);
    CHECK_STR(r->label, dray_str_of(text), r->error != NULL ? r->error : r->out);
    if (r->strict != NULL)
        CHECK_STR("  and it is reported", report.strict.n != 0 ? report.strict.v[0] : DRAY_STR(""),
                  r->strict);
    dray_err_done(&err);
}

static const row older[] = {
    {"1.35 has a field of its own",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"containers\":[],\"workloadRef\":{\"name\":\"w\",\"podGroup\":\"g\"}}}",
     "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{},\"spec\":{\"containers\":[],\"workloadRef\":{\"name\":\"w\",\"podGroup\":\"g\"}},\"status\":{}}",
     NULL, NULL},
    {"1.35 does not know a field of 1.36",
     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"schedulingGroup\":{}}}",
     "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{},\"spec\":{\"containers\":null},\"status\":{}}",
     NULL, "unknown field \"spec.schedulingGroup\""},
    {"1.35 does not serve a kind of 1.37",
     "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"DeviceTaintRule\"}", NULL,
     "no matches for kind \"DeviceTaintRule\" in version \"resource.k8s.io/v1\"", NULL},
};

/* With every limit from nothing up decoding ends well: with the limit's error, or with the object.
 */
static void check_limits(void) {
    dray_str text = dray_str_of(rows[DRAY_COUNT(rows) - 5].in);
    DRAY_CLEANUP_ARENA dray_arena *tree = dray_arena_new(0);
    dray_node *root;
    dray_json_parse(text, tree, &root, NULL);
    bool fine = true, passed = false;
    for (size_t limit = 64; limit <= 65536 && !passed; limit += 64) {
        DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(limit);
        dray_err err = DRAY_ERR_INIT;
        dray_object object;
        dray_code code = dray_api_decode(root, 37, arena, NULL, &object, &err);
        passed = code == DRAY_OK;
        fine = fine && (passed || code == DRAY_E_LIMIT);
        dray_err_done(&err);
    }
    CHECK("a spent arena is the limit's error, and enough is enough", fine && passed);
}

static void check_depth(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    enum { DEEP = 200 };
    dray_buf_puts(&text,
                  "{\"apiVersion\":\"scheduling.k8s.io/v1beta1\",\"kind\":\"Workload\",\"spec\":");
    dray_buf_puts(&text, "{\"compositePodGroupTemplates\":[");
    for (int i = 0; i < DEEP; i++)
        dray_buf_puts(&text, "{\"compositePodGroupTemplates\":[");
    for (int i = 0; i < DEEP; i++)
        dray_buf_puts(&text, "]}");
    dray_buf_puts(&text, "]}}");
    dray_node *root;
    dray_object object;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_json_parse(dray_buf_str(&text), arena, &root, &err);
    if (code == DRAY_OK)
        code = dray_api_decode(root, 37, arena, NULL, &object, &err);
    CHECK_INT("templates in templates have a limit", code, DRAY_E_LIMIT);
    dray_err_done(&err);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i], 37);
    for (size_t i = 0; i < DRAY_COUNT(older); i++)
        check_row(&older[i], 35);
    check_limits();
    check_depth();
    return tap_end();
}
