/* Packing over a plan's picture. Private to the room. */
#ifndef DRAY_PLAN_PACKING_INT_H
#define DRAY_PLAN_PACKING_INT_H

#include "plan/plan_int.h"

typedef struct dray_plan_packing dray_plan_packing;

/* The task mix is that of the picture's Pods, whose claims are there. */
dray_plan_packing *dray_plan_packing_new(dray_plan *plan, dray_packing packing);
/* packing may be NULL. */
void dray_plan_packing_free(dray_plan_packing *packing);

/* The node that the plan's packing likes best of those that passed every filter, with
 * cycle->wanted; NULL where Kubernetes' scores decide: no packing, no node, or a Pod that it can't
 * weigh. */
dray_plan_node *dray_plan_pack(dray_plan_cycle *cycle, dray_plan_feasible nodes);

#endif
