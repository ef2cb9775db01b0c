/* Why is a Pod pending: reasons per request and per node, counted, the most decisive first.
 *
 *     dray_why why;
 *     dray_explain_pod(plan, cluster, pod, arena, &why);
 *     printf(DRAY_FMT "\n", DRAY_ARG(why.sentence));
 *
 * Everything lives in arena, the plan, or the picture. Thread rule: the plan's.
 */
#ifndef DRAY_EXPLAIN_WHY_H
#define DRAY_EXPLAIN_WHY_H

#include "plan/plan.h"

typedef enum dray_why_state {
    DRAY_WHY_RUNS,     /* it has a node */
    DRAY_WHY_FITS,     /* it is pending, and some node would do */
    DRAY_WHY_HELD,     /* it is not tried: gates, a missing claim, another scheduler */
    DRAY_WHY_REJECTED, /* on all nodes at once */
    DRAY_WHY_ERROR,    /* the attempt ends with an error */
    DRAY_WHY_NO_NODE,  /* each node has its reason */
} dray_why_state;

/* Nodes that give the same reason. */
typedef struct dray_why_nodes {
    dray_str reason;
    const char *plugin;
    uint32_t count;
    dray_str example; /* a node */
} dray_why_nodes;

/* Devices that were refused for one request and the same cause, over all nodes. */
typedef struct dray_why_devices {
    const dray_resource_claim *claim;
    dray_str request;
    const char *cause;
    int order;
    uint32_t devices, nodes;
    dray_str example;
    const dray_resource_claim *holder; /* of the example, where it is in use */
} dray_why_devices;

typedef struct dray_why {
    dray_why_state state;
    dray_str text; /* of HELD, REJECTED, ERROR: Kubernetes' own */
    uint32_t n_nodes, n_feasible;
    dray_str first_feasible;
    dray_why_nodes *nodes; /* most nodes first */
    size_t n_reasons;
    dray_why_devices *devices; /* by request, nearest to fitting first */
    size_t n_devices;
    dray_str message;  /* of the FailedScheduling event */
    dray_str sentence; /* what it comes down to */
} dray_why;

void dray_explain_pod(dray_plan *plan, const dray_cluster *cluster, const dray_core_pod *pod,
                      dray_arena *arena, dray_why *ret);
/* "8 devices don't match the selectors": the cause in words, with its number. */
dray_str dray_explain_cause(const char *cause, uint32_t devices, dray_arena *arena);

#endif
