/* NodeResourcesFit: what the Pod asks for must be free; emptier nodes score higher. */
#include "plan/plan_int.h"

typedef struct fit_state {
    dray_plan_res request; /* of the spec alone: what the filter weighs */
    dray_plan_score_request score;
} fit_state;

static dray_plan_status prefilter(dray_plan_cycle *cycle, int slot) {
    fit_state *state = DRAY_NEW(cycle->arena, fit_state);
    dray_pod_request_options options = {
        .skip_pod_level = !dray_gates_on(&cycle->world->gates, DRAY_GATE_PodLevelResources),
    };
    dray_plan_res_add(&state->request, &cycle->world->resources, cycle->world->arena,
                      dray_pod_requests(cycle->pod->pod, &options, cycle->arena));
    cycle->state[slot] = state;
    return DRAY_PLAN_STATUS_OK;
}

/* At most one for each: pods, cpu, memory, ephemeral-storage, scalar resources. */
enum { MAX_TEXTS = 64 };

typedef struct shortage {
    dray_str texts[MAX_TEXTS];
    size_t n;
    bool unresolvable; /* more than the node ever has */
} shortage;

static void lacks(shortage *s, dray_str text, bool unresolvable) {
    if (s->n < MAX_TEXTS)
        s->texts[s->n++] = text;
    s->unresolvable |= unresolvable;
}

static void compare(shortage *s, int64_t wanted, int64_t used, int64_t has, dray_str text) {
    if (wanted > 0 && wanted > has - used)
        lacks(s, text, wanted > has);
}

static void compare_scalars(dray_plan_cycle *cycle, const dray_plan_res *wanted,
                            const dray_plan_node *node, shortage *s) {
    for (size_t i = 0; i < wanted->scalars.n; i++) {
        dray_plan_scalar w = wanted->scalars.v[i];
        int64_t has = dray_plan_res_scalar(&node->allocatable, w.id);
        if (w.value <= 0 || w.value <= has - dray_plan_res_scalar(&node->requested, w.id))
            continue;
        dray_str name = cycle->world->resources.list.v[w.id];
        if (has <= 0 && dray_plan_class_of_resource(cycle->plan, name) != NULL)
            continue; /* served by devices there */
        lacks(s, dray_strf(cycle->arena, "Insufficient " DRAY_FMT, DRAY_ARG(name)), w.value > has);
    }
}

static dray_plan_status filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const dray_plan_res *wanted = &((fit_state *)cycle->state[slot])->request;
    shortage s = {.n = 0};
    if ((int64_t)node->pods.n + 1 > node->allowed_pods)
        lacks(&s, DRAY_STR("Too many pods"), false);
    compare(&s, wanted->cpu, node->requested.cpu, node->allocatable.cpu,
            DRAY_STR("Insufficient cpu"));
    compare(&s, wanted->memory, node->requested.memory, node->allocatable.memory,
            DRAY_STR("Insufficient memory"));
    compare(&s, wanted->ephemeral, node->requested.ephemeral, node->allocatable.ephemeral,
            DRAY_STR("Insufficient ephemeral-storage"));
    compare_scalars(cycle, wanted, node, &s);
    if (s.n == 0)
        return DRAY_PLAN_STATUS_OK;
    return (dray_plan_status){
        .code = s.unresolvable ? DRAY_PLAN_UNRESOLVABLE : DRAY_PLAN_UNSCHEDULABLE,
        .reasons = dray_plan_reasons(cycle->plan, s.texts, s.n),
    };
}

static dray_plan_status prescore(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes) {
    fit_state *state = cycle->state[slot];
    state->score = dray_plan_score_request_of(cycle, true);
    return DRAY_PLAN_STATUS_OK;
}

/* LeastAllocated over cpu and memory, each of weight 1. */
static int64_t score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const fit_state *state = cycle->state[slot];
    const int64_t requested[] = {node->floor_cpu + state->score.cpu,
                                 node->floor_memory + state->score.memory};
    const int64_t has[] = {node->allocatable.cpu, node->allocatable.memory};
    int64_t sum = 0, weights = 0;
    for (size_t i = 0; i < 2; i++) {
        if (has[i] == 0)
            continue;
        weights++;
        if (requested[i] <= has[i])
            sum += (has[i] - requested[i]) * DRAY_PLAN_MAX_SCORE / has[i];
    }
    return weights != 0 ? sum / weights : 0;
}

const dray_plan_plugin dray_plan_node_resources_fit = {
    .name = "NodeResourcesFit",
    .scope = DRAY_PLAN_SCOPE_NODE,
    .weight = 1,
    .prefilter = prefilter,
    .filter = filter,
    .prescore = prescore,
    .score = score,
};
