/* Groups of Pods: which Pods and groups belong together, and the claims that a group shares.
 * Private to the room. Source: gangscheduling, topologyaware, schedule_one_podgroup of 1.37.2; KEP
 * 5729 for claims. */
#ifndef DRAY_PLAN_GANG_H
#define DRAY_PLAN_GANG_H

#include "plan/plan_int.h"

/* WorkloadMaxTreeDepth of the API. */
enum { DRAY_PLAN_GANG_DEPTH_MAX = 4 };

/* A PodGroup, or a CompositePodGroup, which holds groups. */
struct dray_plan_gang {
    dray_str ns, name;
    const dray_scheduling_v1beta1_pod_group *group; /* NULL: it is not in the picture */
    const dray_scheduling_v1alpha3_composite_pod_group *composite; /* of one that holds groups */
    bool holds_groups;
    dray_plan_gang *parent; /* NULL: it is a root */
    DRAY_VEC(dray_plan_gang *) children;
    DRAY_VEC(dray_plan_pod *) pods;    /* all that name it */
    DRAY_VEC(dray_plan_pod *) queue;   /* those that a run places, in its order */
    DRAY_VEC(dray_plan_pod *) members; /* those of the queue that this attempt is about */
    uint32_t round;                    /* of the run, when the root was tried last */
    dray_str *claims; /* names of the group's claims, by entry; absent: not made yet */
};

/* Finds the groups that Pods name, and the groups that hold those; sets pod->gang. */
void dray_plan_gangs_init(dray_plan_world *world, dray_cluster *cluster);
dray_plan_gang *dray_plan_gang_root(dray_plan_gang *gang);
/* How many Pods, or groups, must be placed together. */
int32_t dray_plan_gang_min(const dray_plan_gang *gang);
int32_t dray_plan_gang_priority(const dray_plan_gang *gang);
/* Absent, or the label whose value all of the group must share. */
dray_str dray_plan_gang_topology(const dray_plan_world *world, const dray_plan_gang *gang);
/* Whether all of it goes when one of it is evicted. */
bool dray_plan_gang_goes_whole(const dray_plan_gang *gang);
/* "Never" or not: with the gate PodGroupPreemptionPolicy the group's word, else its Pods'. */
bool dray_plan_gang_preempts(const dray_plan_world *world, const dray_plan_gang *root);

/* Pods with a node: of the group, and of the groups that it holds. */
size_t dray_plan_gang_placed(const dray_plan_gang *gang);
/* Calls each with every Pod of the group and of the groups that it holds. */
void dray_plan_gang_each(dray_plan_gang *gang, void (*each)(void *context, dray_plan_pod *pod),
                         void *context);
/* Absent, or why the members don't go together. Source: Scheduler.validatePodGroup. */
dray_str dray_plan_gang_invalid(const dray_plan_world *world, const dray_plan_gang *root,
                                dray_arena *arena);

/* The entry of the group's claims that is the same as the Pod's; SIZE_MAX: none is, the claim is
 * the Pod's own. */
size_t dray_plan_gang_entry(const dray_plan *plan, const dray_plan_pod *pod,
                            const dray_core_pod_resource_claim *entry);
/* Whether the Pod uses the claim of that name as a member of its group. */
bool dray_plan_gang_shares(const dray_plan *plan, const dray_plan_pod *pod, dray_str claim);

#endif
