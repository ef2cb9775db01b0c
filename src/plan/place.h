/* Writing a decision down: the Pod on its node, its claims allocated and reserved. Private. */
#ifndef DRAY_PLAN_PLACE_H
#define DRAY_PLAN_PLACE_H

#include "plan/plan_int.h"

/* Makes the claims of the Pod's templates that are not there yet. */
void dray_plan_make_claims(dray_plan *plan, dray_plan_pod *pod,
                           const dray_plan_run_options *options, uint64_t *serial);

/* Puts the cycle's Pod on node and its claims into the picture. DRAY_E_LIMIT where a claim has all
 * the users it can have; the text is the scheduler's. */
dray_code dray_plan_place(dray_plan_cycle *cycle, dray_plan_node *node,
                          const dray_plan_run_options *options, uint64_t *serial, dray_err *err);

/* Takes the allocation away from claims that nobody uses and that keep the Pod from any node, as
 * PostFilter does. True when there was one. */
bool dray_plan_deallocate(dray_plan_cycle *cycle);

/* The claim holds nothing any more and nobody uses it. */
void dray_plan_free_claim(dray_plan *plan, const dray_resource_claim *claim);
/* Takes the consumer of that uid out of the claim. */
void dray_plan_unreserve_claim(dray_plan *plan, const dray_resource_claim *claim, dray_str uid);

/* Takes back what was placed and written since plan->undo had `mark` steps, the last first. */
void dray_plan_roll_back(dray_plan *plan, size_t mark);

#endif
