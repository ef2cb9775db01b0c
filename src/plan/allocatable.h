/* Devices that take of the node's own cpu, memory or huge pages (DRANodeAllocatableResources).
 * Private to the room. Source: nodeallocatabledynamicresources of 1.37.2, KEP-5517. */
#ifndef DRAY_PLAN_ALLOCATABLE_H
#define DRAY_PLAN_ALLOCATABLE_H

#include "plan/dynamic.h"

/* What the claims would hold on the node: allocations[i] for claims[i]; the Pod's other claims have
 * their own. */
typedef struct dray_plan_holding {
    const dray_resource_claim *const *claims;
    const dray_resource_allocation_result *allocations;
    size_t n;
} dray_plan_holding;

/* Whether any device takes of a node, so that all this matters. */
bool dray_plan_maps_allocatable(const dray_plan *plan);
/* The status that refuses the node because a claim with such a device belongs to another Pod. */
dray_plan_status dray_plan_check_sharing(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                                         const dray_plan_node *node);
/* Whether the node has what the Pod and its devices take together. *ret is what the Pod's status is
 * to say, in the cycle's arena. */
dray_plan_status dray_plan_check_allocatable(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                                             const dray_plan_node *node,
                                             const dray_plan_holding *holding,
                                             const dray_core_pod **ret);

#endif
