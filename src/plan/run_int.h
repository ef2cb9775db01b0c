/* What run.c and gang_run.c share: the state of a run and one Pod's attempt in it. Private. */
#ifndef DRAY_PLAN_RUN_INT_H
#define DRAY_PLAN_RUN_INT_H

#include "plan/plan_int.h"

/* What a group's attempt wants to know of a Pod's claims. */
typedef struct dray_plan_looks {
    dray_arena *arena;
    DRAY_VEC(dray_str) unavailable; /* claims that some node is too far from */
    bool leftover;
} dray_plan_looks;

typedef struct dray_plan_run_state {
    dray_plan *plan;
    const dray_plan_run_options *options;
    dray_plan_result *result;
    dray_plan_pod **order;   /* by priority */
    dray_plan_pod **by_slot; /* in the order of the result */
    size_t at;               /* in order: who is tried */
    bool freed;              /* something was, since the round began: all may try anew */
    uint64_t serial;         /* of generated names */
    size_t tried, placed;
    uint32_t round;
    dray_plan_looks looks;
    dray_plan_cycle
        *cycle; /* where the attempt's cycle is kept, its memory with it; NULL: nowhere */
    bool error; /* the last failure was an error, not a "no" */
} dray_plan_run_state;

/* Whether the Pod isn't even tried; `placed` then tells why. */
bool dray_plan_is_held(dray_plan_run_state *run, dray_plan_pod *pod, dray_plan_placed *placed,
                       dray_arena *arena);
/* One attempt; true when the Pod was placed. *ret_again: a claim was freed for it, try anew. */
bool dray_plan_try(dray_plan_run_state *run, dray_plan_pod *pod, dray_plan_placed *placed,
                   dray_arena *arena, bool *ret_again);
/* Writes down that they go for the sake of `placed`. */
void dray_plan_note_victims(dray_plan_run_state *run, dray_plan_placed *placed,
                            dray_plan_pod *const *pods, size_t n);
/* Evicts them for good. Those that have a controller come back as pending Pods. */
void dray_plan_lose(dray_plan_run_state *run, dray_plan_pod *const *pods, size_t n);
/* All Pods of the root group that wait, or none where that would be too few; how many were placed.
 */
size_t dray_plan_place_gang(dray_plan_run_state *run, dray_plan_gang *gang, dray_arena *arena);

#endif
