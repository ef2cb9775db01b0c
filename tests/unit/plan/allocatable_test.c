/* Devices that take of their node's own resources: 1.37's form and rules, and those of 1.36. */
#include "unit/plan/picture.h"

#define CLASS \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: {}\n"
#define SLICE(device)                                                                        \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n"        \
    "spec: {driver: d, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, " \
    "devices: [" device "]}\n"
#define CLAIM(more)                                                                   \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\n" \
    "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g" more "}}]}}\n"
#define POD(uses, resources, more)                                                                       \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"                                       \
    "  schedulerName: default-scheduler\n  containers: [{name: c, image: i, resources: {" uses resources \
    "}}]\n  resourceClaims: [{name: x, resourceClaimName: c}]\n" more
#define USES "claims: [{name: x}], "
#define BASE                                                                             \
    CLASS PICTURE_NODE("a", "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10', " \
                            "hugepages-2Mi: 64Mi}}\n")
#define OLD(name, map)                                                                   \
    "{name: " name ", capacity: {cores: {value: '4'}}, allowMultipleAllocations: true, " \
    "nodeAllocatableResourceMappings: {" map "}}"
#define NEW(what) "{name: d0, nodeAllocatableResources: {" what "}}"

static const struct {
    int release;
    const char *label, *yaml, *want;
} rows[] = {
    {36, "1.36 takes what was consumed, times a factor",
     BASE SLICE(OLD("d0", "cpu: {capacityKey: cores, allocationMultiplier: 500m}"))
         CLAIM(", capacity: {requests: {cores: '4'}}") POD(USES, "requests: {cpu: '2'}", ""),
     "a ok"},
    {36, "and refuses the node that can't spare it",
     BASE SLICE(OLD("d0", "cpu: {capacityKey: cores, allocationMultiplier: 500m}"))
         CLAIM(", capacity: {requests: {cores: '4'}}") POD(USES, "requests: {cpu: '3'}", ""),
     "a! Insufficient cpu"},
    {36, "without a capacity the factor is the amount",
     BASE SLICE(OLD("d0", "cpu: {allocationMultiplier: '5'}")) CLAIM("")
         POD(USES, "requests: {cpu: '1'}", ""),
     "a! Insufficient cpu"},
    {36, "a claim that no container names is refused there",
     BASE SLICE(OLD("d0", "cpu: {allocationMultiplier: '1'}")) CLAIM("")
         POD("", "requests: {cpu: '1'}", ""),
     "a! claim c: node-allocatable resource claim not referenced by any container within the pod"},
    {36, "and one that a Pod on the node uses",
     BASE SLICE(OLD("d0", "cpu: {allocationMultiplier: '1'}")) CLAIM("") PICTURE_POD(
         "q", "  nodeName: a\nstatus: {nodeAllocatableResourceClaimStatuses: [{resourceClaimName: "
              "c, containers: [c], resources: {cpu: '1'}}]}\n")
         POD(USES, "requests: {cpu: '1'}", ""),
     "a! node allocatable resource claim c is already used by another pod"},
    {36, "what that Pod's claim takes is taken",
     BASE SLICE("{name: d0}") CLAIM("") PICTURE_POD(
         "q", "  nodeName: a\nstatus: {nodeAllocatableResourceClaimStatuses: [{resourceClaimName: "
              "o, containers: [c], resources: {cpu: '3'}}]}\n")
         POD(USES, "requests: {cpu: '2'}", ""),
     "a: Insufficient cpu"},
    {37, "1.37 needs no container to name the claim",
     BASE SLICE(NEW("cpu: {mapping: {deviceMultiplier: '1'}}")) CLAIM("")
         POD("", "requests: {cpu: '1'}", ""),
     "a ok"},
    {37, "huge pages of all must stay within the Pod's limit",
     BASE SLICE(NEW("hugepages-2Mi: {mapping: {deviceMultiplier: 16Mi}}")) CLAIM("")
         POD(USES, "requests: {cpu: '1'}",
             "  resources: {requests: {hugepages-2Mi: 32Mi}, limits: {hugepages-2Mi: 8Mi}}\n"),
     "a! pod level limit for hugepages-2Mi is insufficient to cover the aggregated container and "
     "node-allocatable DRA limits"},
    {37, "and each container's limit with what its devices take",
     BASE SLICE(NEW("cpu: {overhead: {perPod: '1'}}")) CLAIM("")
         POD(USES, "limits: {cpu: '1'}", "  resources: {limits: {cpu: 1500m}}\n"),
     "a! pod level limit for cpu is insufficient to cover the limit and DRA overhead for container "
     "c"},
};

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_gates gates;
        dray_err err = DRAY_ERR_INIT;
        dray_gates_init(&gates, rows[i].release);
        dray_gates_set(&gates, DRAY_STR("DRANodeAllocatableResources"), true, &err);
        picture p = picture_of(rows[i].yaml, &gates);
        CHECK_STR(rows[i].label, picture_text(&p), rows[i].want);
        picture_done(&p);
        dray_err_done(&err);
    }
    return tap_end();
}
