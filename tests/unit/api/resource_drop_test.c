/* Gate-off dropping: what a gate clears, and what stays because it was in use. */
#include "api/validate/resource_int.h"
#include "data/json.h"
#include "tap.h"

#define SPEC(rest) "{\"driver\":\"d\",\"pool\":{}," rest "}"
#define TAINTED SPEC("\"devices\":[{\"name\":\"a\",\"taints\":[{\"key\":\"k\"}]}]")
#define BOTH SPEC("\"devices\":[{\"name\":\"a\",\"taints\":[{\"key\":\"k\"}],\"allNodes\":true}]")

static void *decode(const char *json, dray_arena *arena) {
    dray_node *root;
    void *body = NULL;
    if (dray_json_parse(dray_str_of(json), arena, &root, NULL) == DRAY_OK)
        dray_api_decode_type(root, &dray_type_resource_slice_spec, 0, arena, NULL, &body, NULL);
    return body;
}

static const dray_resource_device *dropped(const char *json, const char *old, bool taints_on,
                                           dray_arena *arena) {
    static const dray_gate gates[] = {DRAY_GATE_DRADeviceTaints, DRAY_GATE_DRAPartitionableDevices};
    const dray_type *type = &dray_type_resource_slice_spec;
    dray_gates on;
    dray_gates_init(&on, DRAY_RELEASE_NEWEST);
    on.on[DRAY_GATE_DRADeviceTaints] = taints_on;
    dray_request rq = {.arena = arena, .gates = &on};
    dray_resource_slice_spec *spec = decode(json, arena);
    dray_resource_drop(&rq, type, spec, type, old != NULL ? decode(old, arena) : NULL, gates,
                       DRAY_COUNT(gates), false);
    return &spec->devices.v[0];
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    CHECK("a gate that is on keeps its fields", dropped(TAINTED, NULL, true, arena)->taints.n == 1);
    CHECK("a gate that is off drops them", dropped(TAINTED, NULL, false, arena)->taints.v == NULL);
    CHECK("unless the old object used them",
          dropped(TAINTED, TAINTED, false, arena)->taints.n == 1);
    CHECK("an old object without them does not count",
          dropped(TAINTED, SPEC("\"devices\":[{\"name\":\"a\"}]"), false, arena)->taints.n == 0);
    CHECK("another gate's fields stay", dropped(BOTH, NULL, false, arena)->all_nodes.set);
    return tap_end();
}
