/* One Pod's attempt: the plugins in their order. */
#include "plan/gang.h"

const dray_plan_plugin *const dray_plan_plugins[] = {
    &dray_plan_scheduling_gates,   &dray_plan_node_name,           &dray_plan_node_unschedulable,
    &dray_plan_taint_toleration,   &dray_plan_node_affinity,       &dray_plan_node_ports,
    &dray_plan_node_resources_fit, &dray_plan_topology_spread,     &dray_plan_inter_pod_affinity,
    &dray_plan_dynamic_resources,  &dray_plan_balanced_allocation, &dray_plan_image_locality,
    &dray_plan_declared_features,  &dray_plan_gang_scheduling,
};
const int dray_plan_n_plugins = DRAY_COUNT(dray_plan_plugins);

const dray_strings *dray_plan_reasons(dray_plan *plan, const dray_str *texts, size_t n) {
    dray_buf key = DRAY_BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        dray_buf_str_add(&key, texts[i]);
        dray_buf_putc(&key, '\0');
    }
    dray_strings *found = dray_map_find(&plan->reasons, dray_buf_str(&key));
    if (found == NULL) {
        found = DRAY_NEW(plan->arena, dray_strings);
        *found = (dray_strings){.v = DRAY_NEW_N(plan->arena, dray_str, n), .n = n};
        for (size_t i = 0; i < n; i++)
            found->v[i] = dray_str_dup(plan->arena, texts[i]);
        dray_map_put(&plan->reasons, dray_str_dup(plan->arena, dray_buf_str(&key)), found);
    }
    dray_buf_done(&key);
    return found;
}

dray_plan_status dray_plan_status_of(dray_plan *plan, dray_plan_code code, dray_str text) {
    return (dray_plan_status){.code = code, .reasons = dray_plan_reasons(plan, &text, 1)};
}

dray_plan_status dray_plan_unschedulable(dray_plan_cycle *cycle, const char *text) {
    return dray_plan_status_of(cycle->plan, DRAY_PLAN_UNSCHEDULABLE, dray_str_of(text));
}

dray_plan_status dray_plan_unresolvable(dray_plan_cycle *cycle, const char *text) {
    return dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE, dray_str_of(text));
}

void dray_plan_normalize(int64_t *scores, size_t n, bool reverse) {
    int64_t max = 0;
    for (size_t i = 0; i < n; i++)
        max = scores[i] > max ? scores[i] : max;
    for (size_t i = 0; i < n; i++) {
        int64_t score = max == 0 ? 0 : DRAY_PLAN_MAX_SCORE * scores[i] / max;
        if (reverse)
            score = DRAY_PLAN_MAX_SCORE - score;
        scores[i] = max == 0 && !reverse ? scores[i] : score;
    }
}

void dray_plan_cycle_init(dray_plan_cycle *cycle, dray_plan *plan, dray_plan_pod *pod,
                          dray_arena *arena) {
    *cycle = (dray_plan_cycle){.plan = plan, .world = &plan->world, .pod = pod, .arena = arena};
}

dray_str dray_plan_pre_enqueue(dray_plan_cycle *cycle) {
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        if (dray_plan_plugins[i]->pre_enqueue == NULL)
            continue;
        dray_plan_status status = dray_plan_plugins[i]->pre_enqueue(cycle, i);
        if (status.code != DRAY_PLAN_OK)
            return status.reasons->v[0];
    }
    return DRAY_STR_NONE;
}

dray_plan_status dray_plan_prefilter(dray_plan_cycle *cycle) {
    dray_plan_status rejected = DRAY_PLAN_STATUS_OK;
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        if (dray_plan_plugins[i]->prefilter == NULL)
            continue;
        dray_plan_status status = dray_plan_plugins[i]->prefilter(cycle, i);
        status.plugin = (int8_t)i;
        if (status.code == DRAY_PLAN_SKIP)
            cycle->skip[i] = true;
        else if (status.code == DRAY_PLAN_UNSCHEDULABLE)
            rejected = status;
        else if (status.code != DRAY_PLAN_OK)
            return status;
    }
    return rejected;
}

static dray_plan_status run_filters(dray_plan_cycle *cycle, dray_plan_node *node) {
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        if (dray_plan_plugins[i]->filter == NULL || cycle->skip[i])
            continue;
        dray_plan_status status = dray_plan_plugins[i]->filter(cycle, i, node);
        if (status.code != DRAY_PLAN_OK) {
            status.plugin = (int8_t)i;
            return status;
        }
    }
    return DRAY_PLAN_STATUS_OK;
}

void dray_plan_cycle_clone(const dray_plan_cycle *cycle, dray_plan_cycle *ret) {
    *ret = *cycle;
    for (int i = 0; i < dray_plan_n_plugins; i++)
        if (dray_plan_plugins[i]->clone != NULL && cycle->state[i] != NULL)
            ret->state[i] = dray_plan_plugins[i]->clone(ret, i);
}

void dray_plan_cycle_update(dray_plan_cycle *cycle, const dray_plan_pod *pod,
                            const dray_plan_node *node, int delta) {
    for (int i = 0; i < dray_plan_n_plugins; i++)
        if (dray_plan_plugins[i]->update != NULL && !cycle->skip[i])
            dray_plan_plugins[i]->update(cycle, i, pod, node, delta);
}

/* Those of a group that is tried together are out of the queue, where nominations are looked up. */
static bool is_tried_with(const dray_plan_cycle *cycle, const dray_plan_pod *other) {
    return cycle->pod->gang != NULL && other->gang != NULL &&
           dray_plan_gang_root(cycle->pod->gang) == dray_plan_gang_root(other->gang);
}

/* Nominated Pods of at least the same priority count as if they ran there. */
static bool counts_as_there(const dray_plan_cycle *cycle, const dray_plan_pod *other,
                            const dray_plan_node *node) {
    return !is_tried_with(cycle, other) && other != cycle->pod && other->node == NULL &&
           other->priority >= cycle->pod->priority &&
           dray_str_eq(other->pod->status->nominated_node_name, node->name);
}

static bool with_nominated(dray_plan_cycle *cycle, dray_plan_node *node, dray_plan_status *ret) {
    const dray_plan_world *world = cycle->world;
    size_t n = 0;
    for (size_t i = 0; i < world->nominated.n; i++)
        n += counts_as_there(cycle, world->nominated.v[i], node);
    if (n == 0)
        return false;
    dray_plan_cycle trial;
    dray_plan_cycle_clone(cycle, &trial);
    for (size_t i = 0; i < world->nominated.n; i++)
        if (counts_as_there(cycle, world->nominated.v[i], node)) {
            dray_plan_node_add(cycle->world, node, world->nominated.v[i]);
            dray_plan_cycle_update(&trial, world->nominated.v[i], node, 1);
        }
    *ret = run_filters(&trial, node);
    for (size_t i = 0; i < world->nominated.n; i++)
        if (counts_as_there(cycle, world->nominated.v[i], node))
            dray_plan_node_remove(cycle->world, node, world->nominated.v[i]);
    return true;
}

dray_plan_status dray_plan_filter(dray_plan_cycle *cycle, dray_plan_node *node) {
    dray_plan_status status = DRAY_PLAN_STATUS_OK;
    if (cycle->world->nominated.n != 0 && with_nominated(cycle, node, &status) &&
        status.code != DRAY_PLAN_OK)
        return status;
    return run_filters(cycle, node);
}

static dray_plan_status prescore(dray_plan_cycle *cycle, dray_plan_feasible nodes) {
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        if (dray_plan_plugins[i]->prescore == NULL)
            continue;
        dray_plan_status status = dray_plan_plugins[i]->prescore(cycle, i, nodes);
        status.plugin = (int8_t)i;
        cycle->skip_score[i] = status.code == DRAY_PLAN_SKIP;
        if (status.code != DRAY_PLAN_OK && status.code != DRAY_PLAN_SKIP)
            return status;
    }
    return DRAY_PLAN_STATUS_OK;
}

dray_plan_status dray_plan_score(dray_plan_cycle *cycle, dray_plan_feasible nodes,
                                 int64_t *scores) {
    dray_plan_status status = prescore(cycle, nodes);
    if (status.code != DRAY_PLAN_OK)
        return status;
    dray_arena_mark mark = dray_arena_save(cycle->arena);
    int64_t *one = DRAY_NEW_N(cycle->arena, int64_t, nodes.n);
    memset(scores, 0, nodes.n * sizeof *scores);
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        const dray_plan_plugin *plugin = dray_plan_plugins[i];
        if (plugin->score == NULL || cycle->skip_score[i])
            continue;
        for (size_t k = 0; k < nodes.n; k++)
            one[k] = plugin->score(cycle, i, &cycle->world->nodes[nodes.v[k]]);
        if (plugin->normalize != NULL)
            plugin->normalize(cycle, i, nodes, one);
        for (size_t k = 0; k < nodes.n; k++)
            scores[k] += one[k] * plugin->weight;
    }
    dray_arena_release(cycle->arena, mark);
    return DRAY_PLAN_STATUS_OK;
}

dray_str dray_plan_error_text(dray_plan_status status, dray_arena *arena) {
    return dray_strf(arena, "running \"%s\" filter plugin: " DRAY_FMT,
                     dray_plan_plugins[status.plugin]->name, DRAY_ARG(status.reasons->v[0]));
}
