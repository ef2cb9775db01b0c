/* A scheduler plugin: one file with one row, in the order of the table in plugins.c.
 *
 *     const dray_plan_plugin dray_plan_node_ports = {
 *         .name = "NodePorts", .prefilter = prefilter, .filter = filter};
 *
 * A cycle is one Pod's attempt. Each plugin keeps what it worked out about the Pod in
 * cycle->state[slot]; the same plugin has the same slot from pre-filter to score.
 * Statuses point to interned reasons: equal lists of texts are the same pointer.
 */
#ifndef DRAY_PLAN_PLUGIN_H
#define DRAY_PLAN_PLUGIN_H

#include "plan/world_int.h"

typedef enum dray_plan_code {
    DRAY_PLAN_OK,
    DRAY_PLAN_SKIP, /* nothing to do for this Pod: no filter, or no score */
    DRAY_PLAN_UNSCHEDULABLE,
    DRAY_PLAN_UNRESOLVABLE, /* preemption can't help */
    DRAY_PLAN_ERROR,        /* ends the attempt */
} dray_plan_code;

typedef struct dray_plan_status {
    dray_plan_code code;
    int8_t plugin; /* its slot; set by whoever ran it */
    bool ends;     /* UNRESOLVABLE here, where upstream's attempt ends with an error */
    const dray_strings *reasons;
} dray_plan_status;
#define DRAY_PLAN_STATUS_OK ((dray_plan_status){.code = DRAY_PLAN_OK})

enum { DRAY_PLAN_MAX_PLUGINS = 24, DRAY_PLAN_MAX_SCORE = 100 };

typedef struct dray_plan dray_plan;

/* Devices by request. */
typedef struct dray_plan_picks {
    const struct dray_alloc_pick *v;
    size_t n;
} dray_plan_picks;

typedef struct dray_plan_cycle {
    dray_plan *plan;
    dray_plan_world *world;
    dray_plan_pod *pod;
    dray_arena *arena; /* lives as long as the cycle */
    void *state[DRAY_PLAN_MAX_PLUGINS];
    bool skip[DRAY_PLAN_MAX_PLUGINS]; /* filter */
    bool skip_score[DRAY_PLAN_MAX_PLUGINS];
    /* The nodes that a pre-filter narrows the search to, when `narrowed`. */
    bool narrowed;
    dray_bits only;
    DRAY_VEC(dray_str) narrowed_by; /* names of plugins */
    dray_plan_picks wanted; /* packing: the devices to try first, on the node that was chosen */
} dray_plan_cycle;

/* The nodes that passed every filter, by number. */
typedef struct dray_plan_feasible {
    const uint32_t *v;
    size_t n;
} dray_plan_feasible;

/* What a filter or score depends on, so that its result may be kept: the objects of Pod and node
 * alone; also what runs on that node; the whole cluster. */
typedef enum dray_plan_scope {
    DRAY_PLAN_SCOPE_OBJECT,
    DRAY_PLAN_SCOPE_NODE,
    DRAY_PLAN_SCOPE_CLUSTER,
} dray_plan_scope;

typedef struct dray_plan_plugin {
    const char *name;
    dray_plan_scope scope;
    int weight; /* of its score */
    dray_plan_status (*pre_enqueue)(dray_plan_cycle *cycle, int slot);
    dray_plan_status (*prefilter)(dray_plan_cycle *cycle, int slot);
    dray_plan_status (*filter)(dray_plan_cycle *cycle, int slot, dray_plan_node *node);
    /* A copy of the state for trying changes, and what a Pod more (1) or less (-1) on node does. */
    void *(*clone)(dray_plan_cycle *cycle, int slot);
    void (*update)(dray_plan_cycle *cycle, int slot, const dray_plan_pod *pod,
                   const dray_plan_node *node, int delta);
    dray_plan_status (*prescore)(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes);
    int64_t (*score)(dray_plan_cycle *cycle, int slot, dray_plan_node *node);
    /* scores[i] is that of nodes.v[i]. */
    void (*normalize)(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes, int64_t *scores);
} dray_plan_plugin;

extern const dray_plan_plugin dray_plan_scheduling_gates, dray_plan_node_name,
    dray_plan_node_unschedulable, dray_plan_taint_toleration, dray_plan_node_affinity,
    dray_plan_node_ports, dray_plan_node_resources_fit, dray_plan_topology_spread,
    dray_plan_inter_pod_affinity, dray_plan_dynamic_resources, dray_plan_declared_features,
    dray_plan_balanced_allocation, dray_plan_image_locality, dray_plan_gang_scheduling;

extern const dray_plan_plugin *const dray_plan_plugins[];
extern const int dray_plan_n_plugins;

/* Interned reasons and statuses made of them. */
const dray_strings *dray_plan_reasons(dray_plan *plan, const dray_str *texts, size_t n);
dray_plan_status dray_plan_status_of(dray_plan *plan, dray_plan_code code, dray_str text);
dray_plan_status dray_plan_unschedulable(dray_plan_cycle *cycle, const char *text);
dray_plan_status dray_plan_unresolvable(dray_plan_cycle *cycle, const char *text);

/* Scores 0 … 100 by the highest, reversed on request. Source: helper.DefaultNormalizeScore. */
void dray_plan_normalize(int64_t *scores, size_t n, bool reverse);

#endif
