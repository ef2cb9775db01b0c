/* One attempt to place a group with all that it holds. Private to the room. Source:
 * runRootSchedulingAlgorithm. */
#ifndef DRAY_PLAN_GANG_TRY_H
#define DRAY_PLAN_GANG_TRY_H

#include "plan/gang.h"
#include "plan/run_int.h"

/* A status with an error beside its reasons: what is shown is both, what is wrapped is the error.
 */
typedef struct dray_plan_group_verdict {
    dray_plan_code code;
    bool waits;         /* not yet, while members are left */
    bool unschedulable; /* with the error "pod group is unschedulable" */
    dray_str reasons;   /* absent: none */
} dray_plan_group_verdict;
dray_str dray_plan_group_text(const dray_plan_group_verdict *v, dray_arena *arena);
void dray_plan_group_add(dray_plan_group_verdict *v, dray_str reason, dray_arena *arena);

typedef struct dray_plan_member {
    dray_plan_pod *pod;
    dray_plan_node *node; /* where it fits; NULL: nowhere */
    bool error;
    dray_str message;
    dray_strings unavailable; /* names of claims of it that some node is too far from */
    dray_plan_cycle *cycle;   /* of the attempt, where the caller keeps cycles */
    bool leftover;            /* it has a claim for extended resources from before */
} dray_plan_member;

typedef struct dray_plan_group_result {
    dray_plan_gang *of;
    dray_plan_group_verdict verdict;
    dray_str untried; /* what members are told that it did not come to; set by _complete */
    dray_plan_member *members;
    size_t n_members; /* that it came to */
    bool any;         /* a Pod was placed */
    struct dray_plan_group_result **children;
} dray_plan_group_result;

/* Tries root with the members that its groups have. When the verdict is OK, the Pods stand where
 * they fit; otherwise nothing has changed. The plan's undo is set. What is returned lives in
 * lasting; with keep_cycles, so do the members' cycles. */
dray_plan_group_result *dray_plan_group_try(dray_plan_run_state *run, dray_plan_gang *root,
                                            bool keep_cycles, dray_arena *lasting,
                                            dray_arena *arena);
/* Writes what a group that failed means for those that it holds. */
void dray_plan_group_complete(dray_plan_group_result *root, dray_arena *lasting);

/* Whom the group may evict: Pods and whole groups of lower priority, anywhere. */
typedef struct dray_plan_group_victims {
    dray_plan_pod **v; /* the most important first */
    size_t n;
} dray_plan_group_victims;
/* What DefaultPreemption says about root, which found no place, and whom it picks. Nothing is
 * changed. Source: PodGroupEvaluator. */
dray_plan_group_verdict dray_plan_group_preempt(dray_plan_run_state *run, dray_plan_gang *root,
                                                dray_arena *lasting, dray_arena *arena,
                                                dray_plan_group_victims *ret);

#endif
