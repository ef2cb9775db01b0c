/* Packing over a plan's picture. Private to the room. */
#ifndef DRAY_PLAN_PACKING_INT_H
#define DRAY_PLAN_PACKING_INT_H

#include "alloc/trial.h"
#include "plan/kinds.h"

enum {
    DRAY_PACKING_TASKS_MAX = 4096,
    DRAY_PACKING_MIX_MAX = 32,         /* kinds in a mix, where any is measured by trials */
    DRAY_PACKING_ROWS_MAX = 1024,      /* kinds that are one request for devices */
    DRAY_PACKING_CELLS_MAX = 4 << 20,  /* of all tasks together; past them it is rated anew */
    DRAY_PACKING_MEMORY_MAX = 1 << 18, /* ratings of nodes that are alike */
    DRAY_PACKING_SOLVES_MAX = 192,     /* for one task on one node */
};
#define DRAY_PACKING_NONE UINT32_MAX

typedef struct dray_plan_packing dray_plan_packing;

/* What a node was rated at for a task. */
typedef struct dray_packing_cell {
    uint32_t version; /* of the node; 0: none */
    bool fits;
    double cost;
} dray_packing_cell;

/* A kind of claims, as tasks have them. */
typedef struct dray_packed_kind {
    const dray_plan_kind *is;
    bool simple; /* one request for a number of devices, whichever */
    uint32_t devices, row;
    uint32_t in_mix; /* NONE: it is not */
    double weight;
    DRAY_VEC(int64_t) cpu; /* of each Pod of the picture with such claims */
} dray_packed_kind;

typedef struct dray_packed_task {
    uint32_t number;
    int64_t cpu_milli, memory;
    uint32_t kind; /* NONE: no claims */
    dray_packing_cell *cells;
} dray_packed_task;

typedef struct dray_packed_node {
    dray_packing_node is;
    bool plain;          /* its devices stand alone */
    bool measured;       /* left and usable hold for this version */
    uint32_t version;    /* 0: never looked at */
    uint32_t *positions; /* of is' devices in the node's view */
    double left, fragments;
    double *usable; /* by kind of the mix */
} dray_packed_node;

struct dray_plan_packing {
    dray_plan *plan;
    dray_arena *arena;
    dray_packing packing;
    dray_map task_of; /* key → dray_packed_task */
    DRAY_VEC(dray_packed_task *) tasks;
    DRAY_VEC(dray_packed_kind) kinds;
    uint32_t *kind_of; /* by number of the plan's kinds: number here + 1 */
    size_t n_rows;     /* of shares */
    dray_packing_mix mix;
    uint32_t *mix_kinds; /* which kind each of the mix is */
    bool plain;          /* every kind of the mix is simple */
    dray_packed_node *nodes;
    size_t n_cells;
    size_t seen;             /* how much of plan->changed was caught up with */
    uint64_t shared_changes; /* of the plan */
    dray_alloc_job *nothing; /* a job without claims, for what is left */
    /* Trials: the job of the task at hand. */
    dray_arena *trials, *one; /* as long as a Pod's choice; as a node's trial */
    dray_alloc_job *job;
    const dray_packed_task *job_of;
    size_t *ends, n_groups, group; /* of the job; the task's */
    dray_map memory;
    dray_map *once; /* what several nodes reach counts for the first of them; NULL: for each */
};

/* The task mix is that of the picture's Pods, whose claims are there. */
dray_plan_packing *dray_plan_packing_new(dray_plan *plan, dray_packing packing);
/* packing may be NULL. */
void dray_plan_packing_free(dray_plan_packing *packing);

/* The node that the plan's packing likes best of those that passed every filter, with
 * cycle->wanted; NULL where Kubernetes' scores decide: no packing, no node, or a Pod that can't be
 * weighed. */
dray_plan_node *dray_plan_pack(dray_plan_cycle *cycle, dray_plan_feasible nodes);

/* packing_mix.c */
/* The task of the Pod with claims of that kind (NULL: none); NULL: one too many. */
dray_packed_task *dray_packing_task_of(dray_plan_packing *p, const dray_plan_pod *pod,
                                       const dray_plan_kind *kind, dray_arena *arena);
/* Tasks of all Pods of the picture, and the mix. */
void dray_packing_find_tasks(dray_plan_packing *p);

/* packing_trial.c */
/* Measures a node by a trial. */
void dray_packing_measure(dray_plan_packing *p, const dray_packed_task *t, size_t index);
/* Rates it, and measures it where that wasn't done. ret_picks NULL: the cost is enough. */
void dray_packing_try(dray_plan_packing *p, const dray_packed_task *t, size_t index,
                      dray_packing_cell *ret, dray_plan_picks *ret_picks, dray_arena *arena);
/* Before the picture changes, and after. */
void dray_packing_end_trials(dray_plan_packing *p);

#endif
