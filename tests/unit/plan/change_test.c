/* One picture that changes: what was let go is free, what was decided is not, whatever came late.
 */
#include "api/engine.h"

#include "unit/plan/picture.h"

#define CLASS \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: {}\n"
#define SLICE(generation, devices)                                                    \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n" \
    "spec: {driver: d, nodeName: a, pool: {name: a, generation: " generation          \
    ", resourceSliceCount: 1}, devices: [" devices "]}\n"
#define CLAIM(name, more)                                                                    \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name "}\n" \
    "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}\n" more
#define HOLDS(device)                                                                            \
    "status: {allocation: {devices: {results: [{request: r, driver: d, pool: a, device: " device \
    "}]}}}\n"
#define POD PICTURE_POD("q", "  resourceClaims: [{name: x, resourceClaimName: mine}]\n")
#define BASE CLASS PICTURE_NODE("a", PICTURE_ROOM) CLAIM("mine", "") POD
#define NOTHING "a! cannot allocate all claims"

typedef enum act { ADD, REMOVE, ASSUME, FORGET } act;

/* In order, on one picture. */
static const struct {
    const char *label;
    act how;
    const char *what, *want;
} steps[] = {
    {"a Pod that came before its driver waits", ADD, BASE, NOTHING},
    {"and is served as soon as a slice is there", ADD, SLICE("1", "{name: d0}"), "a ok"},
    {"a device that another claim holds is not free", ADD, CLAIM("other", HOLDS("d0")), NOTHING},
    {"one that was let go is", ADD, CLAIM("other", ""), "a ok"},
    {"taken again", ADD, CLAIM("other", HOLDS("d0")), NOTHING},
    {"a claim that is deleted without having been let go sets it free", REMOVE, "other", "a ok"},
    {"a decision that the watch does not show yet counts", ASSUME, "other", NOTHING},
    {"it counts once when the watch shows it", ADD, CLAIM("other", HOLDS("d0")), NOTHING},
    {"and holds when it is forgotten then", FORGET, "other", NOTHING},
    {"a newer slice does not free what is held", ADD, SLICE("2", "{name: d0}"), NOTHING},
    {"but what it adds is free", ADD, SLICE("3", "{name: d0}, {name: d1}"), "a ok"},
    {"a decision that came to nothing is forgotten", ASSUME, "third", NOTHING},
    {"and its device is free again", FORGET, "third", "a ok"},
};

static dray_resource_allocation_result *holding(picture *p, const char *device) {
    dray_resource_allocation_result *a =
        dray_api_new(&dray_type_resource_allocation_result, p->arena);
    a->devices->results.v = DRAY_NEW(p->arena, dray_resource_device_request_allocation_result);
    a->devices->results.n = 1;
    a->devices->results.v[0] = (dray_resource_device_request_allocation_result){
        .request = DRAY_STR("r"),
        .driver = DRAY_STR("d"),
        .pool = DRAY_STR("a"),
        .device = dray_str_of(device),
    };
    return a;
}

static void change(picture *p, act how, const char *what, const char *device) {
    dray_str ns = DRAY_STR("default"), name = dray_str_of(what);
    if (how == ADD)
        picture_add(p, what);
    else if (how == REMOVE)
        dray_cluster_remove(p->cluster, &dray_type_resource_claim, ns, name);
    else if (how == ASSUME)
        dray_cluster_assume(p->cluster, ns, name, holding(p, device));
    else
        dray_cluster_forget(p->cluster, ns, name);
}

static uint64_t late(void *context) {
    uint64_t *now = context;
    return *now += 1000;
}

static void test_time_limit(void) {
    picture p = picture_new(BASE SLICE("1", "{name: d0}"));
    uint64_t now = 0;
    dray_plan_set_clock(p.plan, late, &now, 999);
    CHECK_STR("a node that takes too long ends the attempt, it is not refused", picture_text(&p),
              "error: running \"DynamicResources\" filter plugin: node a: timed out trying to "
              "allocate devices");
    dray_plan_set_clock(p.plan, late, &now, 1000000);
    CHECK_STR("and with more time the Pod is served", picture_text(&p), "a ok");
    picture_done(&p);
}

int main(void) {
    picture p = picture_new(CLASS);
    for (size_t i = 0; i < DRAY_COUNT(steps); i++) {
        change(&p, steps[i].how, steps[i].what, i > 8 ? "d1" : "d0");
        picture_look(&p);
        CHECK_STR(steps[i].label, picture_text(&p), steps[i].want);
    }
    picture_done(&p);
    test_time_limit();
    return tap_end();
}
