/* What filter and score of InterPodAffinity share. Private to the room. */
#ifndef DRAY_PLAN_INTER_POD_H
#define DRAY_PLAN_INTER_POD_H

#include "plan/plan_int.h"

/* A number by value of some topology keys. */
typedef struct dray_plan_tally {
    DRAY_VEC(struct {
        const dray_plan_topology *topology;
        int64_t *counts;
    })
    keys;
    int64_t nonzero; /* values that count anything */
} dray_plan_tally;

void dray_plan_tally_add(dray_plan_cycle *cycle, dray_plan_tally *tally, dray_str key,
                         const dray_plan_node *node, int64_t by);
/* 0 where nothing was counted. */
int64_t dray_plan_tally_get(const dray_plan_tally *tally, dray_str key, const dray_plan_node *node);

typedef struct dray_plan_inter_pod_state {
    dray_plan_terms need, avoid; /* of the incoming Pod, namespaces written out */
    dray_string_map namespace_labels;
    dray_plan_tally near, far, against; /* needed Pods, avoided ones, those that avoid this Pod */
    dray_plan_terms prefer, dislike;
    dray_plan_tally points;
} dray_plan_inter_pod_state;

extern dray_plan_status dray_plan_inter_pod_prescore(dray_plan_cycle *cycle, int slot,
                                                     dray_plan_feasible nodes);
extern int64_t dray_plan_inter_pod_score(dray_plan_cycle *cycle, int slot, dray_plan_node *node);
extern void dray_plan_inter_pod_normalize(dray_plan_cycle *cycle, int slot,
                                          dray_plan_feasible nodes, int64_t *scores);

#endif
