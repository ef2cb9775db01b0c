/* NodeResourcesBalancedAllocation: prefers nodes whose cpu and memory fill up alike. */
#include "plan/plan_int.h"

#include <math.h>

dray_plan_score_request dray_plan_score_request_of(dray_plan_cycle *cycle, bool floors) {
    dray_pod_request_options options = dray_pod_request_options_of(&cycle->world->gates);
    options.claim_status = false;
    if (floors) /* NodeResourcesFit's scorer is made without the gates: spec of containers only */
        options = (dray_pod_request_options){.skip_pod_level = true};
    dray_str names[] = {DRAY_STR("cpu"), DRAY_STR("memory")};
    dray_quantity amounts[] = {
        dray_quantity_from_milli(DRAY_PLAN_FLOOR_CPU, DRAY_QUANTITY_DECIMAL_SI),
        dray_quantity_from_int(DRAY_PLAN_FLOOR_MEMORY, DRAY_QUANTITY_DECIMAL_SI),
    };
    if (floors)
        options.non_missing = (dray_resource_list){names, amounts, DRAY_COUNT(names)};
    dray_resource_list sum = dray_pod_requests(cycle->pod->pod, &options, cycle->arena);
    const dray_quantity *cpu = dray_resource_list_find(sum, names[0]);
    const dray_quantity *memory = dray_resource_list_find(sum, names[1]);
    bool fits;
    return (dray_plan_score_request){
        .cpu = cpu != NULL ? dray_quantity_milli(*cpu, &fits) : 0,
        .memory = memory != NULL ? dray_quantity_value(*memory, &fits) : 0,
    };
}

static dray_plan_status prescore(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes) {
    dray_plan_score_request *state = DRAY_NEW(cycle->arena, dray_plan_score_request);
    *state = dray_plan_score_request_of(cycle, false);
    cycle->state[slot] = state;
    bool best_effort = state->cpu == 0 && state->memory == 0;
    return (dray_plan_status){.code = best_effort ? DRAY_PLAN_SKIP : DRAY_PLAN_OK};
}

/* 100 × (1 − the standard deviation of the used fractions). */
static int64_t balance(int64_t cpu, int64_t memory, const dray_plan_node *node) {
    const int64_t used[] = {cpu, memory};
    const int64_t has[] = {node->allocatable.cpu, node->allocatable.memory};
    double fractions[2], deviation = 0;
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        if (has[i] == 0)
            continue;
        double fraction = (double)used[i] / (double)has[i];
        fractions[n++] = fraction > 1 ? 1 : fraction;
    }
    if (n == 2)
        deviation = fabs((fractions[0] - fractions[1]) / 2);
    return (int64_t)((1 - deviation) * (double)DRAY_PLAN_MAX_SCORE);
}

static int64_t score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const dray_plan_score_request *pod = cycle->state[slot];
    int64_t cpu = node->allocatable.cpu != 0 ? node->requested.cpu : 0;
    int64_t memory = node->allocatable.memory != 0 ? node->requested.memory : 0;
    int64_t with = balance(cpu + pod->cpu, memory + pod->memory, node);
    int64_t without = balance(cpu, memory, node);
    return DRAY_PLAN_MAX_SCORE / 2 + (DRAY_PLAN_MAX_SCORE / 2 + with - without) / 2;
}

const dray_plan_plugin dray_plan_balanced_allocation = {
    .name = "NodeResourcesBalancedAllocation",
    .scope = DRAY_PLAN_SCOPE_NODE,
    .weight = 1,
    .prescore = prescore,
    .score = score,
};
