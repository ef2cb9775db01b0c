/* Where Pods go: kube-scheduler's filters, scores and messages over a picture.
 *
 *     dray_plan *plan = dray_plan_new(cluster, now);
 *     dray_plan_answer answer;
 *     dray_plan_ask(plan, pod, &(dray_plan_ask_options){.messages = true}, arena, &answer);
 *
 *     dray_plan_run_options options = {0};                 place all pending Pods, one after
 * another dray_plan_result result; dray_plan_run(plan, &options, arena, &result);
 *
 * The answers are those of kube-scheduler with its default profile, which looks at every node here;
 * of nodes with equal scores the first by name is taken. Source: KEPs 4381, 5004, 5007 and the
 * plugins of 1.37.2. Thread rule: one owner, and the picture's.
 */
#ifndef DRAY_PLAN_PLAN_H
#define DRAY_PLAN_PLAN_H

#include "cluster/cluster.h"
#include "plan/packing.h"

typedef struct dray_plan dray_plan;
struct dray_celk8s; /* celk8s/celk8s.h */

/* Reads nodes, Pods and what else matters from cluster, which must outlive the plan and be changed
 * by it alone. now is what binding timeouts are measured against. */
dray_plan *dray_plan_new(dray_cluster *cluster, dray_time now);
void dray_plan_free(dray_plan *plan);

/* Compiles selectors with celk8s, which must outlive the plan: for callers that make many plans.
 * Before anything is asked. */
void dray_plan_share(dray_plan *plan, struct dray_celk8s *celk8s);

/* Tells a plan that answers questions (dray_plan_ask) what changed in its picture since: an object
 * of that hub type was added (before NULL), put in the place of another, or removed (after NULL);
 * both bodies must outlive the plan. False: the plan can't follow, make a new one. Not for plans
 * that place. */
bool dray_plan_follow(dray_plan *plan, const dray_type *type, const void *before,
                      const void *after);

/* Whether what upstream gets wrong is done likewise (false at first): an unfinished pool of one
 * node, or a selector's error on one device, then ends the whole attempt with an error instead of
 * losing that node. */
void dray_plan_set_strict(dray_plan *plan, bool strict);

/* kube-scheduler's limit for devices of one Pod on one node (DynamicResourcesArgs.filterTimeout).
 */
#define DRAY_PLAN_FILTER_TIMEOUT_NS (UINT64_C(10) * 1000 * 1000 * 1000)
/* Lets nothing take longer than limit_ns on a node by clock, which gives nanoseconds of a monotonic
 * clock; the attempt then ends with an error. No limit at first. */
void dray_plan_set_clock(dray_plan *plan, uint64_t (*clock)(void *context), void *context,
                         uint64_t limit_ns);

/* The name that kube-scheduler goes by; Pods of others are passed over. */
#define DRAY_PLAN_SCHEDULER "default-scheduler"

/* Pods that wait for a node: no nodeName, not being deleted, of the default scheduler. In the order
 * of the picture; borrowed from the plan. */
typedef struct dray_plan_pods {
    const dray_core_pod *const *v;
    size_t n;
} dray_plan_pods;
dray_plan_pods dray_plan_pending(const dray_plan *plan, dray_arena *arena);

typedef struct dray_plan_ask_options {
    bool scores;   /* where two nodes or more are feasible */
    bool messages; /* where none is */
    bool refusals; /* for nodes without the devices: why each device was refused */
} dray_plan_ask_options;

/* Devices of a node that were refused for one request, for the same cause. */
typedef struct dray_plan_refusal {
    const dray_resource_claim *claim;
    dray_str request;  /* "r" or "r/s" */
    const char *cause; /* an id of alloc/causes.def */
    int order;         /* of the cause: the later, the nearer the devices came to fitting */
    uint32_t count;
    dray_str example; /* driver/pool/device, or what the cause is about; may be absent */
} dray_plan_refusal;

typedef struct dray_plan_node_answer {
    dray_str name;
    bool feasible;
    bool unresolvable;  /* preemption can't help */
    const char *plugin; /* that rejects it; NULL when feasible */
    const dray_str *reasons;
    size_t n_reasons;
    int64_t score; /* with `scores` and two feasible nodes */
    const dray_plan_refusal *refusals;
    size_t n_refusals;
} dray_plan_node_answer;

/* At most one of gated, prefilter and error is there; nodes is empty then. */
typedef struct dray_plan_answer {
    dray_str gated;               /* the text of the plugin that keeps the Pod out of the queue */
    dray_str prefilter;           /* the text that rejects it on all nodes */
    dray_str error;               /* what ends the attempt */
    dray_plan_node_answer *nodes; /* by name */
    size_t n_nodes, n_feasible;
    bool scored;
    dray_str message; /* of the FailedScheduling event, cut to 1,024 bytes; absent: none */
} dray_plan_answer;

/* One Pod's attempt on the state as it is; nothing is placed. pod is one of the picture (as it was
 * added, whatever claims were made since). */
void dray_plan_ask(dray_plan *plan, const dray_core_pod *pod, const dray_plan_ask_options *options,
                   dray_arena *arena, dray_plan_answer *ret);

typedef struct dray_plan_placed {
    const dray_core_pod *pod; /* as it went in */
    dray_str node;            /* absent: it stays pending */
    /* As Kubernetes would write them: the Pod with nodeName and status, its claims with allocation
     * and reservation. */
    const dray_core_pod *after;
    const dray_resource_claim *const *claims;
    size_t n_claims;
    dray_str message; /* why it stays pending */
    /* Placed all the same: the error of a node at which kube-scheduler would have given up. */
    dray_str passed_node, passed_error;
    bool waits;                    /* not tried: gates, or a claim that is not there */
    const dray_core_pod **victims; /* Pods that were evicted for it */
    size_t n_victims;
} dray_plan_placed;

/* Whether a controller makes the Pod anew when it is evicted. */
bool dray_plan_comes_back(const dray_core_pod *pod);

typedef struct dray_plan_result {
    /* In the order of the picture; then those that were evicted and made anew. */
    dray_plan_placed *pods;
    size_t n_pods, n_placed;
} dray_plan_result;

typedef struct dray_plan_run_options {
    /* Five characters for the end of a generated name, in arena; NULL: numbers, 00000, 00001, … */
    dray_str (*suffix)(void *context, dray_arena *arena);
    void *suffix_context;
    bool messages; /* say why Pods stay pending */
    bool once;     /* try each Pod and each group once, free nothing for them, only name victims */
    /* Evict Pods of lower priority where DefaultPreemption would; preempt_devices also takes
     * missing devices for a reason to evict (KEP-5690). Whom a controller made comes back. */
    bool preemption, preempt_devices;
    /* Called after each attempt; NULL: not. */
    void (*progress)(void *context, size_t tried, size_t placed);
    void *progress_context;
    /* Which of the nodes that fit, and which devices there. */
    dray_packing packing;
} dray_plan_run_options;

/* Makes the claims of templates, then places Pods by priority, creationTimestamp and order, each on
 * the state that those before it leave. Adds the claims and what they hold to
 * the picture. The result lives in arena and the plan. */
void dray_plan_run(dray_plan *plan, const dray_plan_run_options *options, dray_arena *arena,
                   dray_plan_result *ret);

/* Devices that are free, and how much of them a Pod could not use that is drawn from those of the
 * picture with claims: of no use where the node has too little of anything else for it, or too
 * little is left of the device. In devices; what several draw on (a counter set) counts as one. */
typedef struct dray_plan_fragments {
    double free, useless;
} dray_plan_fragments;
dray_plan_fragments dray_plan_count_fragments(dray_plan *plan);

#endif
