/* Creates and updates: what an API server does round a kind's own rules. */
#include "api/request.h"
#include "base/vec.h"
#include "data/json.h"
#include "tap.h"

#define CLASS(meta)                                                                      \
    "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"DeviceClass\",\"metadata\":" meta \
    ",\"spec\":{}}"
#define CLAIM(version, meta)                     \
    "{\"apiVersion\":\"resource.k8s.io/" version \
    "\",\"kind\":\"ResourceClaim\",\"metadata\":" meta ",\"spec\":{\"devices\":{}}}"

typedef struct row {
    const char *label, *body, *old, *subresource;
    const char *name, *error; /* the stored name, or why nothing is stored */
    const char *warning;      /* the first; NULL: none */
} row;

static const row rows[] = {
    {"generateName is completed", CLASS("{\"generateName\":\"a-\"}"), NULL, "", "a-zzzzz", NULL,
     NULL},
    {"a namespaced object takes the request's namespace", CLAIM("v1", "{\"name\":\"c\"}"), NULL, "",
     "c", NULL, NULL},
    {"another namespace than the request's is refused",
     CLAIM("v1", "{\"name\":\"c\",\"namespace\":\"x\"}"), NULL, "", NULL,
     "the namespace of the provided object does not match the namespace sent on the request", NULL},
    {"an old version is answered with a warning", CLAIM("v1beta1", "{\"name\":\"c\"}"), NULL, "",
     "c", NULL,
     "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+"},
    {"an update keeps the name", CLASS("{\"name\":\"b\"}"), CLASS("{\"name\":\"a\"}"), "", NULL,
     "the name of the object (b) does not match the name on the URL (a)", NULL},
    {"an update without a name is one of the stored object",
     CLASS("{\"name\":\"a\",\"labels\":{\"x\":\"y\"}}"), CLASS("{\"name\":\"a\"}"), "", "a", NULL,
     NULL},
    {"an update of an older revision is a conflict",
     CLASS("{\"name\":\"a\",\"resourceVersion\":\"1\"}"),
     CLASS("{\"name\":\"a\",\"resourceVersion\":\"2\"}"), "", NULL,
     "Operation cannot be fulfilled on deviceclasses.resource.k8s.io \"a\": the object has been modified; please apply your changes to the latest version and try again",
     NULL},
    {"a kind without status has no such subresource", CLASS("{\"name\":\"a\"}"),
     CLASS("{\"name\":\"a\"}"), "status", NULL, "the server could not find the requested resource",
     NULL},
    {"an owner named twice is kept once, with a warning",
     CLASS(
         "{\"name\":\"a\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\"},"
         "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\",\"uid\":\"u\"}]}"),
     NULL, "", "a", NULL,
     ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"},
};

static dray_code read(const dray_request_source *source, const char *json, dray_sent *ret,
                      dray_err *err) {
    dray_node *root;
    dray_code code = dray_json_parse(dray_str_of(json), source->arena, &root, err);
    return code == DRAY_OK ? dray_request_read(source, root, NULL, ret, err) : code;
}

static dray_code run(const row *r, dray_request *rq, const dray_request_source *source,
                     dray_sent *sent, dray_err *err) {
    dray_sent old;
    dray_code code = read(source, r->body, sent, err);
    if (code == DRAY_OK && r->old != NULL)
        code = read(source, r->old, &old, err);
    if (code != DRAY_OK)
        return code;
    rq->kind = sent->kind;
    dray_request_warn(rq, dray_request_deprecation(sent->kind, source->gates->release, rq->arena));
    dray_new_ids ids = {DRAY_STR("u-1"), DRAY_STR("zzzzz"), DRAY_STR("default")};
    rq->update = r->old != NULL;
    return rq->update ? dray_request_update(rq, sent->object, old.object, err)
                      : dray_request_create(rq, &ids, sent->object, err);
}

static void check_row(const row *r) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_time now = {.sec = 1, .set = true};
    dray_request_source source = {arena, &gates, now};
    dray_errors errors = {.arena = arena};
    dray_request rq = {.arena = arena,
                       .gates = &gates,
                       .now = now,
                       .errors = &errors,
                       .subresource = dray_str_of(r->subresource)};
    dray_err err = DRAY_ERR_INIT;
    dray_sent sent;
    dray_code code = run(r, &rq, &source, &sent, &err);
    dray_str got = dray_str_of(dray_err_text(&err));
    if (code == DRAY_OK && errors.list.n != 0)
        got = dray_field_error_text(&errors.list.v[0], arena);
    else if (code == DRAY_OK)
        got = dray_object_meta(sent.object)->name;
    CHECK_STR(r->label, got, r->error != NULL ? r->error : r->name);
    CHECK_STR("  and its warning", rq.warnings.n != 0 ? rq.warnings.v[0] : DRAY_STR(""),
              r->warning != NULL ? r->warning : "");
    dray_err_done(&err);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i]);
    return tap_end();
}
