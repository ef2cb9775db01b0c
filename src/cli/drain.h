/* Whether nodes could be drained.
 *
 *     dray_drain drain;
 *     dray_drain_init(&drain, objects, arena);
 *     if (dray_drain_moves(pod))
 *         why = dray_drain_obstacle(&drain, pod);      a sentence, or absent
 *
 * A budget that allows one disruption is no obstacle: Pods are evicted one after another, each when
 * the one before it runs elsewhere.
 */
#ifndef DRAY_CLI_DRAIN_H
#define DRAY_CLI_DRAIN_H

#include "cli/objects.h"
#include "plan/select.h"

typedef struct dray_drain {
    dray_arena *arena;
    DRAY_VEC(struct dray_drain_budget {
        const dray_policy_pod_disruption_budget *is;
        dray_plan_selector selector;
        bool allows_one;
    })
    budgets;
} dray_drain;

/* Lives in arena and borrows from objects. */
void dray_drain_init(dray_drain *drain, const dray_objects *objects, dray_arena *arena);
/* Whether the Pod has to go elsewhere when its node goes: it runs, and doesn't go with the node as
 * those of DaemonSets do. */
bool dray_drain_moves(const dray_core_pod *pod);
/* Why it can't. */
dray_str dray_drain_obstacle(const dray_drain *drain, const dray_core_pod *pod);
/* The same for a node, whatever runs there. */
dray_str dray_drain_node_obstacle(const dray_core_node *node);

#endif
