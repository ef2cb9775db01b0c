/* What filter and score of PodTopologySpread share. Private to the room. */
#ifndef DRAY_PLAN_SPREAD_H
#define DRAY_PLAN_SPREAD_H

#include "plan/plan_int.h"

typedef struct dray_plan_spread {
    int32_t max_skew, min_domains;
    dray_str topology_key;
    dray_plan_selector selector;
    bool honor_affinity, honor_taints;
    const dray_plan_topology *topology;
} dray_plan_spread;
typedef DRAY_VEC(dray_plan_spread) dray_plan_spreads;

/* The Pod's own constraints of that action ("DoNotSchedule", "ScheduleAnyway"). */
void dray_plan_spreads_of(dray_plan_cycle *cycle, const char *action, dray_plan_spreads *ret);
/* Those that every Pod of a Service, ReplicaSet, … gets when it names none itself. */
void dray_plan_spreads_default(dray_plan_cycle *cycle, dray_plan_spreads *ret);
bool dray_plan_spread_counts_node(const dray_plan_cycle *cycle, const dray_plan_spread *c,
                                  const dray_plan_node *node);
/* Whether the node has the topology key of every constraint. */
bool dray_plan_spread_has_keys(const dray_plan_spreads *all, const dray_plan_node *node);
int64_t dray_plan_spread_count(const dray_plan_cycle *cycle, const dray_plan_spread *c,
                               const dray_plan_node *node);

extern dray_plan_status dray_plan_spread_prescore(dray_plan_cycle *cycle, int slot,
                                                  dray_plan_feasible nodes);
extern int64_t dray_plan_spread_score(dray_plan_cycle *cycle, int slot, dray_plan_node *node);
extern void dray_plan_spread_normalize(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes,
                                       int64_t *scores);

/* The plugin's state: the filter's part, and the score's. */
typedef struct dray_plan_spread_state {
    dray_plan_spreads hard;
    int64_t **counts;   /* by constraint and value: Pods that match */
    dray_bits *present; /* values that count as domains */
    int64_t *least;     /* by constraint: the fewest in any domain; INT64_MIN: to be counted anew */
    struct dray_plan_spread_scoring *scoring;
} dray_plan_spread_state;

#endif
