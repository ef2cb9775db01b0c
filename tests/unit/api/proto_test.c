/* Protobuf: objects survive the round trip, and broken bytes are refused without a crash. */
#include "api/engine.h"
#include "base/vec.h"
#include "data/json.h"
#include "tap.h"

static const char *const objects[] = {
    "{\"kind\":\"ResourceClaim\",\"apiVersion\":\"resource.k8s.io/v1beta1\",\"metadata\":{\"name\":"
    "\"c\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{\"a\":\"\",\"b\":\"x\"}},"
    "\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\",\"deviceClassName\":\"c\",\"count\":-1,"
    "\"capacity\":{\"requests\":{\"m\":\"10Gi\"}}}]}},\"status\":{}}",
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"volumes\":[{"
    "\"name\":\"v\",\"emptyDir\":{}}],\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{"
    "\"cpu\":\"100m\"}},\"livenessProbe\":{\"httpGet\":{\"port\":\"http\"},\"periodSeconds\":5}}]},"
    "\"status\":{}}",
    "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{},\"data\":{\"a\":\"\",\"b\":\"AAE=\"}}",
    "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{},\"spec\":{"
    "\"renewTime\":\"2026-01-01T00:00:00.123456Z\"}}",
};

static dray_str encode(const char *json, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_node *root;
    dray_object object;
    if (dray_json_parse(dray_str_of(json), arena, &root, NULL) != DRAY_OK ||
        dray_api_decode(root, 0, arena, NULL, &object, NULL) != DRAY_OK)
        return DRAY_STR_NONE;
    dray_api_encode_proto(&out, object, arena);
    return dray_str_dup(arena, dray_buf_str(&out));
}

static void check_round(const char *json) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_object object;
    if (dray_api_decode_proto(encode(json, arena), 0, arena, &object, NULL) == DRAY_OK)
        dray_api_encode(&out, object);
    CHECK_STR("an object survives protobuf", dray_buf_str(&out), json);
}

/* Every prefix, and every byte changed: an answer or an error, never a crash. */
static void check_damage(const char *json) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_str bytes = encode(json, arena);
    size_t refused = 0;
    dray_object object;
    for (size_t n = 0; n < bytes.n; n++) {
        DRAY_CLEANUP_ARENA dray_arena *own = dray_arena_new(1 << 20);
        dray_code code = dray_api_decode_proto(dray_str_slice(bytes, 0, n), 0, own, &object, NULL);
        refused += code != DRAY_OK;
    }
    /* A message may end after any item of the envelope: there are four. */
    CHECK("bytes that are cut inside an item are refused", refused + 4 >= bytes.n);
    char *copy = (char *)dray_str_dup(arena, bytes).p;
    for (size_t i = 0; i < bytes.n; i++)
        for (int change = 1; change < 256; change *= 2) {
            DRAY_CLEANUP_ARENA dray_arena *own = dray_arena_new(1 << 20);
            copy[i] = (char)(bytes.p[i] ^ change);
            dray_api_decode_proto(dray_str_n(copy, bytes.n), 0, own, &object, NULL);
            copy[i] = bytes.p[i];
        }
    CHECK("a changed bit does no harm", true);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(objects); i++) {
        check_round(objects[i]);
        check_damage(objects[i]);
    }
    dray_object object;
    dray_err err = DRAY_ERR_INIT;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_api_decode_proto(DRAY_STR("k8x\0abc"), 0, arena, &object, &err);
    CHECK_STR(
        "another prefix is not ours", dray_str_of(dray_err_text(&err)),
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
    dray_err_done(&err);
    return tap_end();
}
