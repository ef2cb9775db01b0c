/* Groups placed all or none, and Pods evicted for others: nothing is left behind by a trial. */
#include "unit/plan/picture.h"

#define CLASS \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: {}\n"
#define SLICE(devices)                                                                       \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n"        \
    "spec: {driver: d, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, " \
    "devices: [" devices "]}\n"
#define TEMPLATE                                                                              \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n" \
    "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}}\n"
#define GROUP(min, more)                                                                   \
    "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: ring}\n" \
    "spec: {schedulingPolicy: {gang: {minCount: " min "}}" more "}\n"
#define CLAIMS "  resourceClaims: [{name: x, resourceClaimTemplateName: t}]\n"
#define MEMBER(name) PICTURE_POD(name, "  schedulingGroup: {podGroupName: ring}\n" CLAIMS)
#define HOLDER(name, priority, device, claim)                                              \
    PICTURE_POD(name, "  nodeName: a\n  priority: " priority                               \
                      "\n  resourceClaims: [{name: x, resourceClaimName: " claim "}]\n")   \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " claim    \
    "}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}\nstatus: " \
    "{reservedFor: [{resource: pods, name: " name ", uid: uid-" name "}], allocation: "    \
    "{devices: {results: [{request: r, driver: d, pool: a, device: " device "}]}}}\n"
#define BASE CLASS TEMPLATE PICTURE_NODE("a", PICTURE_ROOM)
#define URGENT PICTURE_POD("u", "  priority: 9\n" CLAIMS)

/* "p a:d0; q -": Pods, their nodes and devices; "!v" for each victim. */
static dray_str text_of(picture *p, const dray_plan_result *result) {
    dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < result->n_pods; i++) {
        const dray_plan_placed *placed = &result->pods[i];
        dray_buf_addf(&out, "%s" DRAY_FMT " " DRAY_FMT "%s", i != 0 ? "; " : "",
                      DRAY_ARG(placed->pod->metadata->name), DRAY_ARG(placed->node),
                      placed->node.p == NULL ? "-" : "");
        for (size_t k = 0; k < placed->n_claims; k++) {
            const dray_resource_allocation_result *a = placed->claims[k]->status->allocation;
            for (size_t d = 0; a != NULL && d < a->devices->results.n; d++)
                dray_buf_addf(&out, ":" DRAY_FMT, DRAY_ARG(a->devices->results.v[d].device));
        }
        for (size_t k = 0; k < placed->n_victims; k++)
            dray_buf_addf(&out, " !" DRAY_FMT, DRAY_ARG(placed->victims[k]->metadata->name));
    }
    dray_str text = dray_str_dup(p->arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

static const struct {
    const char *label, *yaml, *want;
    bool preemption, devices;
} rows[] = {
    {"a group too large gives back what it took, and the next Pod gets it",
     BASE SLICE("{name: d0}, {name: d1}") GROUP("3", "") MEMBER("p") MEMBER("q") MEMBER("r")
         PICTURE_POD("z", CLAIMS),
     "p -; q -; r -; z a:d0", false, false},
    {"above minCount a group is placed as far as it goes",
     BASE SLICE("{name: d0}, {name: d1}") GROUP("2", "") MEMBER("p") MEMBER("q") MEMBER("r"),
     "p a:d0; q a:d1; r -", false, false},
    {"a group without its PodGroup waits", BASE SLICE("{name: d0}") MEMBER("p"), "p -", false,
     false},
    {"a claim of the group is shared",
     BASE SLICE("{name: d0}")
         GROUP("2", ", resourceClaims: [{name: x, resourceClaimTemplateName: t}]") MEMBER("p")
             MEMBER("q"),
     "p a:d0; q a:d0", false, false},
    {"nobody is evicted for a device unless that is asked for",
     BASE SLICE("{name: d0}, {name: d1}") HOLDER("v", "1", "d0", "c0") HOLDER("w", "2", "d1", "c1")
         URGENT,
     "u -", true, false},
    {"the Pod of the lowest priority goes for its device",
     BASE SLICE("{name: d0}, {name: d1}") HOLDER("w", "2", "d0", "c0") HOLDER("v", "1", "d1", "c1")
         URGENT,
     "u a:d1 !v", true, true},
    {"nobody of the same priority goes",
     BASE SLICE("{name: d0}") HOLDER("v", "9", "d0", "c0") URGENT, "u -", true, true},
    {"a device that another Pod uses too is not free",
     BASE SLICE("{name: d0}") HOLDER("w", "9", "d0", "c0")
         PICTURE_POD("v", "  nodeName: a\n  priority: 1\n  resourceClaims: [{name: x, "
                          "resourceClaimName: c0}]\n") URGENT,
     "u -", true, true},
};

int main(void) {
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_err err = DRAY_ERR_INIT;
    dray_gates_set(&gates, DRAY_STR("GenericWorkload"), true, &err);
    dray_gates_set(&gates, DRAY_STR("DRAWorkloadResourceClaims"), true, &err);
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        picture p = picture_of(rows[i].yaml, &gates);
        dray_plan_run_options options = {
            .messages = true,
            .preemption = rows[i].preemption,
            .preempt_devices = rows[i].devices,
        };
        dray_plan_result result;
        dray_plan_run(p.plan, &options, p.arena, &result);
        CHECK_STR(rows[i].label, text_of(&p, &result), rows[i].want);
        picture_done(&p);
    }
    dray_err_done(&err);
    return tap_end();
}
