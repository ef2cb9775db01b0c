/* Pods of a PodGroup: which belong together, and the claims that the group shares. Private to the
 * room. Source: gangscheduling, schedule_one_podgroup of 1.37.2; KEP 5729 for claims. */
#ifndef DRAY_PLAN_GANG_H
#define DRAY_PLAN_GANG_H

#include "plan/plan_int.h"

struct dray_plan_gang {
    dray_str ns, name;
    const dray_scheduling_v1beta1_pod_group *group; /* NULL: it is not in the picture */
    DRAY_VEC(dray_plan_pod *) pods;                 /* all that name it */
    DRAY_VEC(dray_plan_pod *) queue;                /* those that a run places, in its order */
    uint32_t round;                                 /* of the run, when it was tried last */
    dray_str *claims; /* names of the group's claims, by entry; absent: not made yet */
};

/* Finds the groups that Pods name; sets pod->gang. */
void dray_plan_gangs_init(dray_plan_world *world, dray_cluster *cluster);
int32_t dray_plan_gang_min(const dray_plan_gang *gang);
size_t dray_plan_gang_placed(const dray_plan_gang *gang);
/* Absent, or why the members don't go together. Source: Scheduler.validatePodGroup. */
dray_str dray_plan_gang_invalid(const dray_plan_gang *gang, dray_arena *arena);

/* The entry of the group's claims that is the same as the Pod's; SIZE_MAX: none is, the claim is
 * the Pod's own. */
size_t dray_plan_gang_entry(const dray_plan *plan, const dray_plan_pod *pod,
                            const dray_core_pod_resource_claim *entry);
/* Whether the Pod uses the claim of that name as a member of its group. */
bool dray_plan_gang_shares(const dray_plan *plan, const dray_plan_pod *pod, dray_str claim);

#endif
