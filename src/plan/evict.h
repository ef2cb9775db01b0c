/* Taking a Pod off its node, for trial or for good, with its devices where that is asked for.
 * Private to the room. */
#ifndef DRAY_PLAN_EVICT_H
#define DRAY_PLAN_EVICT_H

#include "plan/plan_int.h"

/* For trial: on node, if that is where it runs, in the cycle's plugins and, with
 * plan->preempt_devices, in the claims that nobody else uses. dray_plan_restore is the inverse. */
void dray_plan_evict(dray_plan_cycle *trial, dray_plan_node *node, dray_plan_pod *pod);
void dray_plan_restore(dray_plan_cycle *trial, dray_plan_node *node, dray_plan_pod *pod);
/* Puts back what the Pod's claims held before it was evicted for trial. */
void dray_plan_restore_devices(dray_plan *plan, dray_plan_pod *pod);

/* The same without a cycle; plan->undo, if it is set, is not told. */
void dray_plan_take_off(dray_plan *plan, dray_plan_pod *pod, dray_arena *arena);
void dray_plan_put_back(dray_plan *plan, dray_plan_pod *pod);

/* Whether the scheduler has told the Pod to go for another. */
bool dray_plan_is_being_preempted(const dray_core_pod *pod);

/* For good: claims that were made for the Pod go with it, others lose that user, and what they hold
 * with the last. */
void dray_plan_evict_for_good(dray_plan *plan, dray_plan_pod *pod);

/* Who must go, and from where, so that the cycle's Pod fits: what DefaultPreemption picks. */
typedef struct dray_plan_victims {
    dray_plan_node *node;
    dray_plan_pod **v; /* the most important first */
    size_t n;          /* 0: nobody helps */
} dray_plan_victims;
/* nodes are the verdicts that reject the Pod; status is what DefaultPreemption says. */
dray_plan_victims dray_plan_find_victims(dray_plan_cycle *cycle, const dray_plan_status *nodes,
                                         dray_plan_status *status);

#endif
