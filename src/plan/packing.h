/* Packing: which node, and which of its devices, a task should take so that the rest stays useful.
 *
 *     double now = dray_packing_fragments(&mix, left, usable, cpu_milli);
 *     dray_packing_choice choice;
 *     if (dray_packing_rate(DRAY_PACKING_FRAG, &mix, &node, &task, now, &choice) ==
 *         DRAY_PACKING_FITS)
 *         lowest choice.cost of all nodes wins; choice.device is the device to share
 *
 * A device's share is a number of thousandths. The fragments of a node are the thousandths that a
 * task drawn from the mix can't use there: all that is free where it can't run, else what is free
 * but not usable to it. Source: the fragmentation gradient of "Beware of Fragmentation" (USENIX ATC
 * 2023). This file knows devices that stand alone, each with what is left of it; for others what is
 * left and usable is measured by trials (alloc/trial.h). Pure; plain values.
 */
#ifndef DRAY_PLAN_PACKING_H
#define DRAY_PLAN_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DRAY_PACKING_WHOLE = 1000,  /* thousandths of a device */
    DRAY_PACKING_DEVICES = 128, /* of a node: with more it is measured by trials */
};

typedef enum dray_packing {
    DRAY_PACKING_FIRST,  /* Kubernetes' own choice */
    DRAY_PACKING_PACK,   /* where least is left */
    DRAY_PACKING_SPREAD, /* where most is left */
    DRAY_PACKING_FRAG,   /* where fragments grow least */
} dray_packing;

/* What a task needs of one node. */
typedef struct dray_packing_task {
    int64_t cpu_milli, memory;
    uint32_t devices; /* 0: none */
    uint32_t request; /* row of the node's shares */
} dray_packing_task;

/* A kind of claims that is expected to come, whatever processors its tasks need beside it. */
typedef struct dray_packing_kind {
    uint32_t devices, request; /* as of a task; of use where devices stand alone */
    size_t n;
    const int64_t *cpu_milli; /* what tasks need, rising */
    const double *weight;     /* of those up to there; all kinds together: 1 */
} dray_packing_kind;

typedef struct dray_packing_mix {
    const dray_packing_kind *v;
    size_t n;
} dray_packing_mix;
enum { DRAY_PACKING_KINDS_MAX = 256 };

typedef struct dray_packing_node {
    int64_t cpu_milli, memory;         /* free */
    int64_t all_cpu_milli, all_memory; /* allocatable */
    uint32_t n;                        /* devices */
    uint16_t free[DRAY_PACKING_DEVICES];
    /* [request × n + device]: what the request takes of the device; 0: it will not do. Borrowed. */
    const uint16_t *shares;
} dray_packing_node;

typedef struct dray_packing_choice {
    double cost;     /* lower is better */
    uint32_t device; /* the one to share, for a task of one device; else 0 */
} dray_packing_choice;

/* What is left after a task was placed. */
typedef struct dray_packing_after {
    double growth; /* of fragments: frag */
    double left;   /* thousandths that are free */
    double beside; /* of the parts that the task draws on, on the average */
    int64_t cpu_milli, memory;
} dray_packing_after;
double dray_packing_cost(dray_packing packing, const dray_packing_node *node,
                         const dray_packing_after *after);

/* Expected thousandths that are of no use; usable by kind. */
double dray_packing_fragments(const dray_packing_mix *mix, double left, const double *usable,
                              int64_t cpu_milli);

/* Equal for processors that are enough for the same tasks of the mix. */
uint64_t dray_packing_stage(const dray_packing_mix *mix, int64_t cpu_milli);

/* Where devices stand alone: what is free, and usable to a kind: by whole numbers of tasks. */
double dray_packing_left(const dray_packing_node *node);
double dray_packing_usable(const dray_packing_node *node, const dray_packing_kind *kind);

typedef enum dray_packing_fit {
    DRAY_PACKING_FITS,
    DRAY_PACKING_DOES_NOT_FIT,
    DRAY_PACKING_UNCLEAR, /* a task of several devices, which aren't alike */
} dray_packing_fit;
/* fragments: those of the node now. */
dray_packing_fit dray_packing_rate(dray_packing packing, const dray_packing_mix *mix,
                                   const dray_packing_node *node, const dray_packing_task *task,
                                   double fragments, dray_packing_choice *ret);

/* Takes what the task needs: its device, or the first ones that are free. It must fit. */
void dray_packing_take(dray_packing_node *node, const dray_packing_task *task, uint32_t device);

#endif
