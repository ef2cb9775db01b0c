/* Whom preemption may take as one: a Pod, or all Pods of a group that goes whole. Private to the
 * room. Source: preemption.DomainVictim, MoreImportantVictim, FilterVictimsWithPDBViolation. */
#ifndef DRAY_PLAN_VICTIMS_H
#define DRAY_PLAN_VICTIMS_H

#include "plan/plan_int.h"

typedef struct dray_plan_unit {
    dray_plan_pod **pods; /* that run */
    size_t n;
    int32_t priority;  /* of the Pod, or of its group's root */
    int rank;          /* groups of groups before groups before Pods */
    int64_t started;   /* the earliest of its Pods, seconds */
    size_t violations; /* Pods whose eviction breaks a budget: set by _mark */
} dray_plan_unit;

typedef struct dray_plan_units {
    dray_plan_unit *v;
    size_t n;
} dray_plan_units;

/* A Pod's priority as a victim. */
int32_t dray_plan_victim_priority(const dray_plan_world *world, const dray_plan_pod *pod);
/* When the Pod started; one that has not counts as starting now, later than all others. */
int64_t dray_plan_started(const dray_plan_pod *pod);

/* The units with a Pod on node, or on any where node is NULL, whose priority is below `priority`,
 * the most important first, with the budgets that they would break. */
dray_plan_units dray_plan_units_below(dray_plan *plan, dray_plan_node *node, int32_t priority,
                                      dray_arena *arena);
/* For dray_sort. */
int dray_plan_unit_by_importance(const void *a, const void *b, void *context);

#endif
