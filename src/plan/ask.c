/* One Pod's attempt as an answer: where it could go, why not, and what the event would say. */
#include "plan/plan_int.h"

static dray_plan_pod *pod_of(dray_plan *plan, const dray_core_pod *pod) {
    for (size_t i = 0; i < plan->world.pods.n; i++)
        if (plan->world.pods.v[i]->given == pod)
            return plan->world.pods.v[i];
    return NULL;
}

/* The status of a node that a pre-filter leaves out. */
static dray_plan_status left_out(dray_plan_cycle *cycle) {
    dray_buf text = DRAY_BUF_INIT;
    dray_buf_puts(&text, "node(s) didn't satisfy plugin(s) [");
    for (size_t i = 0; i < cycle->narrowed_by.n; i++) {
        dray_buf_puts(&text, i != 0 ? " " : "");
        dray_buf_str_add(&text, cycle->narrowed_by.v[i]);
    }
    dray_buf_putc(&text, ']');
    dray_plan_status status =
        dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE, dray_buf_str(&text));
    dray_buf_done(&text);
    status.plugin = 0;
    while (dray_plan_plugins[status.plugin] != &dray_plan_node_affinity)
        status.plugin++;
    return status;
}

dray_plan_status dray_plan_filter_all(dray_plan_cycle *cycle, dray_plan_status *nodes) {
    dray_plan_world *world = cycle->world;
    dray_plan_status out = cycle->narrowed ? left_out(cycle) : DRAY_PLAN_STATUS_OK;
    for (size_t i = 0; i < world->n_nodes; i++) {
        if (!dray_plan_sees(cycle->plan, i)) {
            nodes[i] = (dray_plan_status){.code = DRAY_PLAN_SKIP};
            continue;
        }
        if (cycle->narrowed && !dray_bits_get(cycle->only, i)) {
            nodes[i] = out;
            continue;
        }
        nodes[i] = dray_plan_filter(cycle, &world->nodes[i]);
        if (nodes[i].code == DRAY_PLAN_ERROR)
            return nodes[i];
    }
    return DRAY_PLAN_STATUS_OK;
}

/* What PostFilter plugins add: DynamicResources, then DefaultPreemption. */
static dray_str postfilter(dray_plan_cycle *cycle, const dray_plan_status *nodes) {
    dray_plan_status first = dray_plan_dynamic_postfilter(cycle);
    if (first.code == DRAY_PLAN_ERROR)
        return first.reasons->v[0];
    dray_plan_status second = dray_plan_preempt(cycle, nodes);
    if (first.reasons == NULL || second.code != DRAY_PLAN_UNSCHEDULABLE)
        return second.reasons->v[0];
    return dray_strf(cycle->arena, DRAY_FMT ", " DRAY_FMT, DRAY_ARG(first.reasons->v[0]),
                     DRAY_ARG(second.reasons->v[0]));
}

dray_str dray_plan_failed_message(dray_plan_cycle *cycle, dray_plan_status rejected,
                                  dray_plan_status *nodes) {
    dray_plan_diagnosis diagnosis = {.n_nodes = cycle->world->n_nodes, .nodes = nodes};
    if (cycle->plan->sight.on)
        diagnosis.n_skipped = cycle->world->n_nodes - cycle->plan->sight.n;
    if (rejected.code != DRAY_PLAN_OK) {
        diagnosis.prefilter = rejected.reasons->v[0];
        for (size_t i = 0; i < cycle->world->n_nodes; i++)
            nodes[i] = rejected;
    }
    /* For Pods of a group it runs once, for all of them. */
    if (cycle->pod->gang == NULL)
        diagnosis.postfilter = postfilter(cycle, nodes);
    return dray_plan_note(dray_plan_fit_error(&diagnosis, cycle->arena), cycle->arena);
}

static void write_nodes(dray_plan_cycle *cycle, const dray_plan_status *nodes,
                        dray_plan_answer *ret) {
    const dray_plan_world *world = cycle->world;
    ret->nodes = DRAY_NEW_N(cycle->arena, dray_plan_node_answer, world->n_nodes);
    ret->n_nodes = world->n_nodes;
    for (size_t i = 0; i < world->n_nodes; i++) {
        bool ok = nodes[i].code == DRAY_PLAN_OK;
        ret->nodes[i] = (dray_plan_node_answer){
            .name = world->nodes[i].name,
            .feasible = ok,
            .unresolvable = nodes[i].code == DRAY_PLAN_UNRESOLVABLE,
            .plugin = ok ? NULL : dray_plan_plugins[nodes[i].plugin]->name,
            .reasons = ok ? NULL : nodes[i].reasons->v,
            .n_reasons = ok ? 0 : nodes[i].reasons->n,
        };
        ret->n_feasible += ok;
    }
}

static void write_scores(dray_plan_cycle *cycle, dray_plan_answer *ret) {
    uint32_t *feasible = DRAY_NEW_N(cycle->arena, uint32_t, ret->n_feasible);
    size_t n = 0;
    for (size_t i = 0; i < ret->n_nodes; i++)
        if (ret->nodes[i].feasible)
            feasible[n++] = (uint32_t)i;
    int64_t *scores = DRAY_NEW_N(cycle->arena, int64_t, n);
    dray_plan_score(cycle, (dray_plan_feasible){feasible, n}, scores);
    for (size_t k = 0; k < n; k++)
        ret->nodes[feasible[k]].score = scores[k];
    ret->scored = true;
}

static void write_refusals(dray_plan_cycle *cycle, dray_plan_answer *ret) {
    for (size_t i = 0; i < ret->n_nodes; i++) {
        dray_plan_node_answer *node = &ret->nodes[i];
        if (node->plugin != NULL && strcmp(node->plugin, dray_plan_dynamic_resources.name) == 0)
            dray_plan_refusals(cycle, &cycle->world->nodes[i], &node->refusals, &node->n_refusals);
    }
}

static void set_error(dray_plan_answer *ret, dray_str text, dray_arena *arena) {
    *ret = (dray_plan_answer){.error = text, .message = dray_plan_note(text, arena)};
}

void dray_plan_ask(dray_plan *plan, const dray_core_pod *pod, const dray_plan_ask_options *options,
                   dray_arena *arena, dray_plan_answer *ret) {
    dray_plan_cycle cycle;
    dray_plan_cycle_init(&cycle, plan, pod_of(plan, pod), arena);
    *ret = (dray_plan_answer){.gated = dray_plan_pre_enqueue(&cycle)};
    if (ret->gated.p != NULL)
        return;
    if (plan->world.n_nodes == 0) {
        set_error(ret, DRAY_STR("no nodes available to schedule pods"), arena);
        return;
    }
    dray_plan_status *nodes = DRAY_NEW_N(arena, dray_plan_status, plan->world.n_nodes);
    dray_plan_status rejected = dray_plan_prefilter(&cycle);
    if (rejected.code == DRAY_PLAN_ERROR) {
        set_error(ret,
                  dray_strf(arena, "running PreFilter plugin \"%s\": " DRAY_FMT,
                            dray_plan_plugins[rejected.plugin]->name,
                            DRAY_ARG(rejected.reasons->v[0])),
                  arena);
        return;
    }
    if (rejected.code == DRAY_PLAN_OK) {
        dray_plan_status error = dray_plan_filter_all(&cycle, nodes);
        if (error.code == DRAY_PLAN_ERROR) {
            set_error(ret, dray_plan_error_text(error, arena), arena);
            return;
        }
        write_nodes(&cycle, nodes, ret);
    } else {
        ret->prefilter = rejected.reasons->v[0];
    }
    if (options->scores && ret->n_feasible > 1)
        write_scores(&cycle, ret);
    if (options->refusals)
        write_refusals(&cycle, ret);
    if (options->messages && ret->n_feasible == 0)
        ret->message = dray_plan_failed_message(&cycle, rejected, nodes);
}
