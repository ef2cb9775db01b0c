/* What run.c and gang_run.c share: the state of a run and one Pod's attempt in it. Private. */
#ifndef DRAY_PLAN_RUN_INT_H
#define DRAY_PLAN_RUN_INT_H

#include "plan/plan_int.h"

typedef struct dray_plan_run_state {
    dray_plan *plan;
    const dray_plan_run_options *options;
    dray_plan_result *result;
    dray_plan_pod **order; /* by priority */
    uint64_t serial;       /* of generated names */
    size_t tried, placed;
    uint32_t round;
    bool error; /* the last failure was an error, not a "no" */
} dray_plan_run_state;

/* Whether the Pod isn't even tried; `placed` then tells why. */
bool dray_plan_is_held(dray_plan_run_state *run, dray_plan_pod *pod, dray_plan_placed *placed,
                       dray_arena *arena);
/* One attempt; true when the Pod was placed. *ret_again: a claim was freed for it, try anew. */
bool dray_plan_try(dray_plan_run_state *run, dray_plan_pod *pod, dray_plan_placed *placed,
                   dray_arena *arena, bool *ret_again);
/* All Pods of the group that wait, or none where that would be too few; how many were placed. */
size_t dray_plan_place_gang(dray_plan_run_state *run, dray_plan_gang *gang, dray_arena *arena);

#endif
