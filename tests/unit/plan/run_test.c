/* Placing: order, what is written down, equal Pods, sharing, freeing. */
#include "unit/plan/picture.h"

#define CLASS \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: {}\n"
#define SLICE(node, devices)                                                             \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s-" node \
    "}\nspec: {driver: d, nodeName: " node ", pool: {name: " node                        \
    ", generation: 1, resourceSliceCount: 1}, devices: [" devices "]}\n"
#define TEMPLATE                                                                              \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n" \
    "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}}\n"
#define CLAIM                                                                         \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\n" \
    "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}\n"
#define BY_TEMPLATE "  resourceClaims: [{name: x, resourceClaimTemplateName: t}]\n"
#define BY_NAME "  resourceClaims: [{name: x, resourceClaimName: c}]\n"

/* "p a:d0; q -" */
static dray_str run_text(picture *p, dray_plan_result *result) {
    dray_plan_run(p->plan, &(dray_plan_run_options){.messages = true}, p->arena, result);
    return picture_placed(p, result);
}

static const struct {
    const char *label, *yaml, *want;
} rows[] = {
    {"equal Pods fill node after node, devices in their order",
     CLASS TEMPLATE PICTURE_NODE("a", PICTURE_ROOM) PICTURE_NODE("b", PICTURE_ROOM) SLICE(
         "a", "{name: d0}, {name: d1}") SLICE("b", "{name: e0}") PICTURE_POD("p", BY_TEMPLATE)
         PICTURE_POD("q", BY_TEMPLATE) PICTURE_POD("r", BY_TEMPLATE) PICTURE_POD("s", BY_TEMPLATE),
     "p a:d0; q b:e0; r a:d1; s -"},
    {"higher priority goes first, whatever the order",
     CLASS TEMPLATE PICTURE_NODE("a", PICTURE_ROOM) SLICE("a", "{name: d0}") PICTURE_POD(
         "p", "  priority: 1\n" BY_TEMPLATE) PICTURE_POD("q", "  priority: 2\n" BY_TEMPLATE),
     "p -; q a:d0"},
    {"users of one claim meet on its node",
     CLASS CLAIM PICTURE_NODE("a", PICTURE_ROOM) PICTURE_NODE("b", PICTURE_ROOM)
         SLICE("b", "{name: e0}") PICTURE_POD("p", BY_NAME) PICTURE_POD("q", BY_NAME),
     "p b:e0; q b:e0"},
    {"who needs another Pod near is tried again once that is there",
     PICTURE_NODE("a", PICTURE_ROOM) PICTURE_POD(
         "p",
         "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "[{topologyKey: zone, labelSelector: {matchLabels: {app: z}}}]}}\n") "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q, labels: {app: z}}\nspec: "
                                                                              "{schedulerName: default-scheduler, containers: [{name: c, image: i}]}\n",
     "p a; q a"},
    {"a template that isn't there leaves the Pod waiting",
     PICTURE_NODE("a", PICTURE_ROOM) PICTURE_POD("p", BY_TEMPLATE), "p -"},
    {"an unused claim on a node that is gone is taken back",
     CLASS PICTURE_NODE("a", PICTURE_ROOM) SLICE("a", "{name: d0}") CLAIM
     "status: {allocation: {devices: {results: [{request: r, driver: d, pool: z, device: "
     "x}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, "
     "operator: In, values: [z]}]}]}}}\n" PICTURE_POD("p", BY_NAME),
     "p a:d0"},
};

/* Each device takes three of the node's four cpus, so a second Pod finds too little. */
static void takes_of_node(void) {
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_err err = DRAY_ERR_INIT;
    dray_gates_set(&gates, DRAY_STR("DRANodeAllocatableResources"), true, &err);
    picture p = picture_of(
        CLASS TEMPLATE PICTURE_NODE("a", PICTURE_ROOM)
            SLICE("a", "{name: d0, nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: "
                       "'3'}}}}, {name: d1, nodeAllocatableResources: {cpu: {mapping: "
                       "{deviceMultiplier: '3'}}}}") PICTURE_POD("p", BY_TEMPLATE)
                PICTURE_POD("q", BY_TEMPLATE),
        &gates);
    dray_plan_result result;
    CHECK_STR("what a device takes of its node is counted", run_text(&p, &result), "p a:d0; q -");
    CHECK_STR("and missed by the next Pod", result.pods[1].message,
              "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: "
              "1 No preemption victims found for incoming pod.");
    const dray_core_pod_status *status = result.pods[0].after->status;
    CHECK_STR("the Pod's status tells by which claim",
              status->node_allocatable_resource_claim_statuses.v[0].resource_claim_name,
              "p-x-00000");
    picture_done(&p);
    dray_err_done(&err);
}

static void written(void) {
    picture p = picture_new(CLASS TEMPLATE PICTURE_NODE("a", PICTURE_ROOM) SLICE("a", "{name: d0}")
                                PICTURE_POD("p", BY_TEMPLATE));
    dray_plan_result result;
    run_text(&p, &result);
    const dray_plan_placed *placed = &result.pods[0];
    const dray_resource_claim *claim = placed->claims[0];
    CHECK_STR("the Pod has its node", placed->after->spec->node_name, "a");
    CHECK("the Pod that went in hasn't", placed->pod->spec->node_name.n == 0);
    CHECK_STR("the claim is named for the Pod", claim->metadata->name, "p-x-00000");
    CHECK_STR("the Pod's status tells which claim it is",
              placed->after->status->resource_claim_statuses.v[0].resource_claim_name, "p-x-00000");
    CHECK_STR("the claim can't be deleted while it is in use", claim->metadata->finalizers.v[0],
              "resource.kubernetes.io/delete-protection");
    CHECK_STR("it is reserved for the Pod", claim->status->reserved_for.v[0].uid, "uid-p");
    CHECK_STR("its owner is the Pod", claim->metadata->owner_references.v[0].uid, "uid-p");
    picture_done(&p);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        picture p = picture_new(rows[i].yaml);
        dray_plan_result result;
        CHECK_STR(rows[i].label, run_text(&p, &result), rows[i].want);
        picture_done(&p);
    }
    written();
    takes_of_node();
    return tap_end();
}
