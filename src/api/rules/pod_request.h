/* What a Pod asks of a node: the sum over its containers, or the most that its init containers need
 * at one time, whichever is more, overridden by Pod-level resources, plus overhead.
 *
 *     dray_pod_request_options options = dray_pod_request_options_of(gates);
 *     dray_resource_list sum = dray_pod_requests(pod, &options, arena);
 *     const dray_quantity *cpu = dray_resource_list_find(sum, DRAY_STR("cpu"));
 *
 * The scheduler's filters and quota charge by these rules. Lists live in arena, sorted by name;
 * quantities may be shared with the Pod. Pure; any thread.
 * Source: component-helpers/resource (KEP-753 sidecars, KEP-1287 resize, KEP-2837 Pod level,
 * KEP-5517 claims that stand for node allocatable resources).
 */
#ifndef DRAY_API_RULES_POD_REQUEST_H
#define DRAY_API_RULES_POD_REQUEST_H

#include "api/types.h"
#include "obj/gates.h"

/* A list of quantities by name, sorted. The same shape as every MAP_QUANTITY field. */
typedef struct dray_resource_list {
    dray_str *k;
    dray_quantity *v;
    size_t n;
} dray_resource_list;

/* A MAP_QUANTITY field as a list; borrowed. */
#define DRAY_RESOURCES(field) ((dray_resource_list){(field).k, (field).v, (field).n})

/* NULL when absent; borrowed from the list. */
const dray_quantity *dray_resource_list_find(dray_resource_list list, dray_str name);

typedef struct dray_pod_request_options {
    bool use_status;       /* InPlacePodVerticalScaling: what status says is allocated counts */
    bool pod_level_status; /* InPlacePodLevelResourcesVerticalScaling */
    bool skip_pod_level;   /* PodLevelResources is off */
    bool skip_overhead;
    bool claim_status; /* DRANodeAllocatableResources: status.nodeAllocatableResourceClaim… */
    dray_resource_list non_missing; /* taken for a container that does not name the resource */
} dray_pod_request_options;

/* As the scheduler asks with these gates. Quota leaves pod_level_status and claim_status false. */
dray_pod_request_options dray_pod_request_options_of(const dray_gates *gates);

dray_resource_list dray_pod_requests(const dray_core_pod *pod,
                                     const dray_pod_request_options *options, dray_arena *arena);
dray_resource_list dray_pod_limits(const dray_core_pod *pod,
                                   const dray_pod_request_options *options, dray_arena *arena);

/* cpu, memory and hugepages-*: what spec.resources of a Pod may name. */
bool dray_pod_level_resource(dray_str name);

#endif
