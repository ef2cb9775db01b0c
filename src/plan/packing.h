/* Packing: which node, and which of its devices, a task should take so that the rest stays useful.
 *
 *     dray_packing_mix mix = {.v = tasks, .n = n};            what is expected to come
 *     double now = dray_packing_fragments(&mix, &node);
 *     dray_packing_choice choice;
 *     if (dray_packing_rate(DRAY_PACKING_FRAG, &mix, &node, &task, now, &choice))
 *         lowest choice.cost of all nodes wins; choice.device is the device to share
 *
 * A device's share is a number of thousandths. The fragments of a node are the thousandths that a
 * task drawn from the mix can't use there: all that is free where it can't run, else what is free
 * on devices that have too little for it or won't do. Source: the fragmentation gradient of "Beware
 * of Fragmentation" (USENIX ATC 2023). Each device counts alone: what several draw on together is
 * not known here. Pure; plain values.
 */
#ifndef DRAY_PLAN_PACKING_H
#define DRAY_PLAN_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DRAY_PACKING_WHOLE = 1000,  /* thousandths of a device */
    DRAY_PACKING_DEVICES = 128, /* of a node: those past it are not looked at */
};

typedef enum dray_packing {
    DRAY_PACKING_FIRST,  /* Kubernetes' own choice */
    DRAY_PACKING_PACK,   /* where least is left */
    DRAY_PACKING_SPREAD, /* where most is left */
    DRAY_PACKING_FRAG,   /* where fragments grow least */
} dray_packing;

/* A kind of task: what it needs of one node. */
typedef struct dray_packing_task {
    int64_t cpu_milli, memory;
    uint32_t devices; /* 0: none */
    uint32_t request; /* row of the node's shares */
    double weight;    /* how often it is expected, the sum of a mix being 1 */
} dray_packing_task;

typedef struct dray_packing_mix {
    const dray_packing_task *v;
    size_t n;
} dray_packing_mix;

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

/* Expected thousandths that are of no use. */
double dray_packing_fragments(const dray_packing_mix *mix, const dray_packing_node *node);

/* False when the task doesn't fit. fragments is what the function above says of node. */
bool dray_packing_rate(dray_packing packing, const dray_packing_mix *mix,
                       const dray_packing_node *node, const dray_packing_task *task,
                       double fragments, dray_packing_choice *ret);

/* Takes what the task needs: its device, or the first ones that are free. It must fit. */
void dray_packing_take(dray_packing_node *node, const dray_packing_task *task, uint32_t device);

#endif
