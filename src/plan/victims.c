/* Units of preemption: who is evicted together, who is spared first, whose budget breaks. */
#include "plan/victims.h"

#include "plan/gang.h"

int64_t dray_plan_started(const dray_plan_pod *pod) {
    return pod->pod->status->start_time.set ? pod->pod->status->start_time.sec : INT64_MAX;
}

int32_t dray_plan_victim_priority(const dray_plan_world *world, const dray_plan_pod *pod) {
    if (pod->gang == NULL || pod->gang->group == NULL)
        return pod->priority;
    const dray_plan_gang *top = pod->gang;
    while (top->parent != NULL && top->parent->composite != NULL)
        top = top->parent;
    return dray_plan_gang_priority(top);
}

/* The highest group above the Pod that goes whole; NULL when none does. */
static dray_plan_gang *whole_group(const dray_plan_pod *pod) {
    dray_plan_gang *found = NULL;
    if (pod->gang == NULL || pod->gang->group == NULL)
        return NULL;
    for (dray_plan_gang *g = pod->gang; g != NULL && (!g->holds_groups || g->composite != NULL);
         g = g->parent)
        if (dray_plan_gang_goes_whole(g))
            found = g;
    return found;
}

typedef struct gathering {
    dray_plan *plan;
    dray_arena *arena;
    DRAY_VEC(dray_plan_unit) units;
    dray_map groups; /* that are among the units */
    DRAY_VEC(dray_plan_pod *) pods;
} gathering;

static void gather_pod(void *context, dray_plan_pod *pod) {
    gathering *g = context;
    if (pod->node != NULL)
        DRAY_PUSH(g->arena, &g->pods, pod);
}

static void add_unit(gathering *g, dray_plan_pod *pod, int rank) {
    dray_plan_unit unit = {
        .pods = DRAY_NEW_N(g->arena, dray_plan_pod *, g->pods.n),
        .n = g->pods.n,
        .priority = dray_plan_victim_priority(&g->plan->world, pod),
        .rank = rank,
        .started = INT64_MAX,
    };
    for (size_t i = 0; i < unit.n; i++) {
        unit.pods[i] = g->pods.v[i];
        int64_t started = dray_plan_started(unit.pods[i]);
        unit.started = started < unit.started ? started : unit.started;
    }
    DRAY_PUSH(g->arena, &g->units, unit);
}

static void gather(gathering *g, dray_plan_pod *pod) {
    dray_plan_gang *whole = whole_group(pod);
    g->pods.n = 0;
    if (whole == NULL) {
        gather_pod(g, pod);
        add_unit(g, pod, pod->gang != NULL ? 2 : 1);
        return;
    }
    dray_str key = dray_strf(g->arena, "%d" DRAY_FMT "/" DRAY_FMT, whole->holds_groups,
                             DRAY_ARG(whole->ns), DRAY_ARG(whole->name));
    if (dray_map_find(&g->groups, key) != NULL)
        return;
    dray_map_put(&g->groups, key, g);
    dray_plan_gang_each(whole, gather_pod, g);
    add_unit(g, pod, whole->holds_groups ? 3 : 2);
}

int dray_plan_unit_by_importance(const void *a, const void *b, void *context) {
    const dray_plan_unit *x = a, *y = b;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->started == y->started ? 0 : x->started < y->started ? -1 : 1;
}

static bool guards(const dray_policy_pod_disruption_budget *budget, const dray_core_pod *pod,
                   dray_arena *arena) {
    if (!dray_str_eq(budget->metadata->namespace, pod->metadata->namespace) ||
        pod->metadata->labels.n == 0)
        return false;
    dray_plan_selector selector = dray_plan_selector_of(budget->spec->selector, arena);
    if (dray_plan_selector_empty(&selector) ||
        !dray_plan_selector_match(&selector, pod->metadata->labels))
        return false;
    for (size_t i = 0; i < budget->status->disrupted_pods.n; i++)
        if (dray_str_eq(budget->status->disrupted_pods.k[i], pod->metadata->name))
            return false;
    return true;
}

/* Counts the Pods that would break a budget, the budgets spent in the order of the units. */
static void mark(const dray_plan_world *world, dray_plan_units units, dray_arena *arena) {
    int32_t *allowed = DRAY_NEW_N(arena, int32_t, world->budgets.n);
    for (size_t i = 0; i < world->budgets.n; i++)
        allowed[i] = world->budgets.v[i]->status->disruptions_allowed;
    for (size_t u = 0; u < units.n; u++)
        for (size_t k = 0; k < units.v[u].n; k++) {
            bool violates = false;
            for (size_t i = 0; i < world->budgets.n && !violates; i++)
                if (guards(world->budgets.v[i], units.v[u].pods[k]->pod, arena))
                    violates = --allowed[i] < 0;
            units.v[u].violations += violates;
        }
}

dray_plan_units dray_plan_units_below(dray_plan *plan, dray_plan_node *node, int32_t priority,
                                      dray_arena *arena) {
    gathering g = {.plan = plan, .arena = arena, .groups = dray_map_new(arena)};
    const dray_plan_node *nodes = node != NULL ? node : plan->world.nodes;
    for (size_t i = 0; i < (node != NULL ? 1 : plan->world.n_nodes); i++)
        for (size_t k = 0; k < nodes[i].pods.n; k++)
            gather(&g, nodes[i].pods.v[k]);
    size_t n = 0;
    for (size_t i = 0; i < g.units.n; i++)
        if (g.units.v[i].priority < priority)
            g.units.v[n++] = g.units.v[i];
    dray_plan_units units = {g.units.v, n};
    dray_sort(units.v, n, sizeof *units.v, dray_plan_unit_by_importance, NULL);
    mark(&plan->world, units, arena);
    return units;
}
