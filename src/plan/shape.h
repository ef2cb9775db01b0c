/* What equal Pods share: for each node the verdict and the scores that depend on Pod and node
 * alone. Private to the room; shape.c tells how it stays true. */
#ifndef DRAY_PLAN_SHAPE_H
#define DRAY_PLAN_SHAPE_H

#include "plan/plan_int.h"

typedef struct dray_plan_shape {
    dray_arena *arena; /* everything of the shape */
    dray_str key;
    uint64_t used; /* when it was asked last */
    bool filled;
    size_t seen;             /* how much of plan->changed it has caught up with */
    uint64_t shared_changes; /* of the plan, when it was filled */
    dray_plan_status *nodes; /* of the filters that look at no other node */
    uint64_t *fine;          /* bitmap: nodes of which they refuse none */
    uint64_t *passed;        /* those that filters let pass which look at objects alone */
    uint64_t *scored;        /* those that scores are known of which do likewise */
    size_t n_errors, n_ends; /* nodes with such a status */
    int64_t *sum;            /* scores without normalisation, weighted */
    int64_t *raw[DRAY_PLAN_MAX_PLUGINS]; /* of those with it; NULL: no such score */
    bool varies[DRAY_PLAN_MAX_PLUGINS];  /* raw differs between nodes */
} dray_plan_shape;

typedef struct dray_plan_choice {
    dray_plan_status rejected; /* by a pre-filter */
    dray_plan_status error;    /* of a filter: ends the attempt */
    dray_plan_status *nodes; /* by number, of all filters; in the cycle's arena. NULL: not asked */
    bool none_ends;          /* none of them has `ends` */
    dray_plan_node *best;    /* NULL: no node is feasible */
} dray_plan_choice;

/* The best node for the cycle's Pod, whose pre-filters have not run yet. */
void dray_plan_choose(dray_plan_cycle *cycle, dray_plan_choice *ret);

void dray_plan_shapes_free(dray_plan *plan);

#endif
