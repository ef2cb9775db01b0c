/* DefaultPreemption, without doing it: would evicting Pods of lower priority help, and if not, what
 * does the scheduler say. Source: defaultpreemption, framework/preemption. */
#include "plan/evict.h"

/* DefaultPreemptionArgs: how many candidates are looked at, at least and in per cent. */
enum { MIN_CANDIDATES = 100, MIN_CANDIDATES_PERCENT = 10 };

typedef struct candidate {
    dray_plan_node *node;
    dray_plan_pod **victims;
    size_t n_victims;
    int64_t violations;
} candidate;

typedef struct evaluation {
    dray_plan_cycle *cycle;
    dray_plan_status *nodes; /* what the trial says about each node tried */
    candidate *candidates;
    size_t n_candidates, n_clean;
    dray_plan_status error;
} evaluation;

/* A Pod that has not started counts as starting now: later than all others. */
static int64_t started(const dray_plan_pod *pod) {
    return pod->pod->status->start_time.set ? pod->pod->status->start_time.sec : INT64_MAX;
}

/* Which Pod is spared first. Source: MoreImportantVictim. */
static int by_importance(const void *a, const void *b, void *context) {
    const dray_plan_pod *x = *(dray_plan_pod *const *)a, *y = *(dray_plan_pod *const *)b;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return started(x) == started(y) ? 0 : started(x) < started(y) ? -1 : 1;
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

/* Marks the victims that would break a budget. */
static void find_violations(dray_plan_cycle *cycle, dray_plan_pod **victims, size_t n,
                            bool *violates) {
    const dray_plan_world *world = cycle->world;
    int32_t *allowed = DRAY_NEW_N(cycle->arena, int32_t, world->budgets.n);
    for (size_t i = 0; i < world->budgets.n; i++)
        allowed[i] = world->budgets.v[i]->status->disruptions_allowed;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < world->budgets.n && !violates[k]; i++)
            if (guards(world->budgets.v[i], victims[k]->pod, cycle->arena))
                violates[k] = --allowed[i] < 0;
}

/* Puts back as many as the Pod can live with, those that would break a budget first. */
static void reprieve(dray_plan_cycle *trial, candidate *c, dray_plan_pod **all, size_t n) {
    bool *violates = DRAY_NEW_N(trial->arena, bool, n);
    find_violations(trial, all, n, violates);
    c->victims = DRAY_NEW_N(trial->arena, dray_plan_pod *, n);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < n; i++) {
            if (violates[i] != (round == 0))
                continue;
            dray_plan_restore(trial, c->node, all[i]);
            if (dray_plan_filter(trial, c->node).code == DRAY_PLAN_OK)
                continue;
            dray_plan_evict(trial, c->node, all[i]);
            c->victims[c->n_victims++] = all[i];
            c->violations += violates[i];
        }
    dray_sort(c->victims, c->n_victims, sizeof(dray_plan_pod *), by_importance, NULL);
}

/* Evicts every Pod of lower priority from the node and sees whether that helps. */
static dray_plan_status try_node(evaluation *e, dray_plan_node *node, candidate *ret) {
    dray_plan_cycle trial;
    dray_plan_cycle_clone(e->cycle, &trial);
    dray_plan_pod **all = DRAY_NEW_N(trial.arena, dray_plan_pod *, node->pods.n);
    size_t n = 0, n_before = node->pods.n;
    dray_plan_pod **before = DRAY_NEW_N(trial.arena, dray_plan_pod *, n_before);
    for (size_t i = 0; i < n_before; i++) {
        before[i] = node->pods.v[i];
        if (before[i]->priority < e->cycle->pod->priority)
            all[n++] = before[i];
    }
    if (n == 0)
        return dray_plan_unresolvable(&trial, "No preemption victims found for incoming pod");
    for (size_t i = 0; i < n; i++)
        dray_plan_evict(&trial, node, all[i]);
    dray_plan_status status = dray_plan_filter(&trial, node);
    *ret = (candidate){.node = node};
    dray_sort(all, n, sizeof *all, by_importance, NULL);
    if (status.code == DRAY_PLAN_OK)
        reprieve(&trial, ret, all, n);
    else
        ret->n_victims = 0;
    /* Whatever was decided, the node is as before, order included. */
    while (node->pods.n != 0)
        dray_plan_node_remove(trial.world, node, node->pods.v[node->pods.n - 1]);
    for (size_t i = 0; i < n_before; i++) {
        dray_plan_node_add(trial.world, node, before[i]);
        dray_plan_restore_devices(trial.plan, before[i]);
    }
    return status;
}

static bool enough(const evaluation *e, size_t wanted) {
    return e->n_clean != 0 && e->n_candidates >= wanted;
}

static void try_nodes(evaluation *e, const dray_plan_status *nodes) {
    dray_plan_world *world = e->cycle->world;
    size_t potential = 0;
    for (size_t i = 0; i < world->n_nodes; i++)
        potential += nodes[i].code == DRAY_PLAN_UNSCHEDULABLE;
    size_t wanted = potential * MIN_CANDIDATES_PERCENT / 100;
    wanted = wanted < MIN_CANDIDATES ? MIN_CANDIDATES : wanted;
    wanted = wanted > potential ? potential : wanted;
    for (size_t i = 0; i < world->n_nodes && !enough(e, wanted); i++) {
        if (nodes[i].code != DRAY_PLAN_UNSCHEDULABLE)
            continue;
        candidate c = {0};
        dray_plan_status status = try_node(e, &world->nodes[i], &c);
        if (status.code == DRAY_PLAN_OK && c.n_victims != 0) {
            e->candidates[e->n_candidates++] = c;
            e->n_clean += c.violations == 0;
            continue;
        }
        if (status.code == DRAY_PLAN_ERROR)
            e->error = status;
        e->nodes[i] = status;
    }
}

/* Greater is better, in this order; the first by name wins a tie. */
static int64_t merit(const candidate *c, int rule) {
    int64_t sum = 0;
    switch (rule) {
    case 0:
        return -c->violations;
    case 1:
        return -(int64_t)c->victims[0]->priority;
    case 2:
        for (size_t i = 0; i < c->n_victims; i++)
            sum += (int64_t)c->victims[i]->priority + INT32_MAX + 1;
        return -sum;
    case 3:
        return -(int64_t)c->n_victims;
    default:
        break;
    }
    /* The earliest start among the victims of the highest priority; the latest such is best. */
    int64_t earliest = started(c->victims[0]);
    for (size_t i = 1; i < c->n_victims; i++)
        if (c->victims[i]->priority == c->victims[0]->priority && started(c->victims[i]) < earliest)
            earliest = started(c->victims[i]);
    return earliest;
}
enum { MERIT_RULES = 5 };

static const candidate *best_of(const evaluation *e) {
    const candidate *best = &e->candidates[0];
    for (size_t i = 1; i < e->n_candidates; i++) {
        int rule = 0;
        while (rule < MERIT_RULES - 1 && merit(&e->candidates[i], rule) == merit(best, rule))
            rule++;
        if (merit(&e->candidates[i], rule) > merit(best, rule))
            best = &e->candidates[i];
    }
    return best;
}

static bool is_being_preempted(const dray_core_pod *pod) {
    if (!pod->metadata->deletion_timestamp.set)
        return false;
    for (size_t i = 0; i < pod->status->conditions.n; i++) {
        const dray_core_pod_condition *c = &pod->status->conditions.v[i];
        if (dray_str_is(c->type, "DisruptionTarget"))
            return dray_str_is(c->status, "True") &&
                   dray_str_is(c->reason, "PreemptionByScheduler");
    }
    return false;
}

/* NULL, or why the Pod may not preempt. */
static const char *not_eligible(dray_plan_cycle *cycle, const dray_plan_status *nodes) {
    const dray_core_pod *pod = cycle->pod->pod;
    if (dray_str_is(pod->spec->preemption_policy, "Never"))
        return "not eligible due to preemptionPolicy=Never.";
    dray_str nominated = pod->status->nominated_node_name;
    const dray_plan_node *node =
        nominated.n != 0 ? dray_plan_node_find(cycle->world, nominated) : NULL;
    if (node == NULL || nodes[node->index].code == DRAY_PLAN_UNRESOLVABLE)
        return NULL;
    for (size_t i = 0; i < node->pods.n; i++)
        if (node->pods.v[i]->priority < cycle->pod->priority &&
            is_being_preempted(node->pods.v[i]->pod))
            return "not eligible due to a terminating pod on the nominated node.";
    return NULL;
}

static dray_plan_status told(dray_plan_cycle *cycle, dray_plan_code code, dray_str text) {
    return dray_plan_status_of(cycle->plan, code,
                               dray_strf(cycle->arena, "preemption: " DRAY_FMT, DRAY_ARG(text)));
}

static dray_plan_status no_candidates(evaluation *e) {
    dray_plan_cycle *cycle = e->cycle;
    if (e->error.code == DRAY_PLAN_ERROR)
        return told(cycle, DRAY_PLAN_ERROR, dray_plan_error_text(e->error, cycle->arena));
    dray_str absent = DRAY_STR("Preemption is not helpful for scheduling");
    dray_plan_diagnosis diagnosis = {
        .n_nodes = cycle->world->n_nodes,
        .nodes = e->nodes,
        .absent = {.v = &absent, .n = 1},
    };
    return told(cycle, DRAY_PLAN_UNSCHEDULABLE, dray_plan_fit_error(&diagnosis, cycle->arena));
}

dray_plan_victims dray_plan_find_victims(dray_plan_cycle *cycle, const dray_plan_status *nodes,
                                         dray_plan_status *status) {
    dray_plan_victims none = {0};
    const char *why = not_eligible(cycle, nodes);
    if (why != NULL) {
        *status = told(cycle, DRAY_PLAN_UNSCHEDULABLE, dray_str_of(why));
        return none;
    }
    size_t n = cycle->world->n_nodes;
    evaluation e = {
        .cycle = cycle,
        .nodes = DRAY_NEW_N(cycle->arena, dray_plan_status, n),
        .candidates = DRAY_NEW_N(cycle->arena, candidate, n),
    };
    try_nodes(&e, nodes);
    if (e.n_candidates == 0) {
        *status = no_candidates(&e);
        return none;
    }
    const candidate *best = best_of(&e);
    dray_str text = dray_strf(cycle->arena,
                              "found a potential placement for pod on node " DRAY_FMT
                              ", preempting %zu victims",
                              DRAY_ARG(best->node->name), best->n_victims);
    *status = told(cycle, DRAY_PLAN_OK, text);
    return (dray_plan_victims){best->node, best->victims, best->n_victims};
}

dray_plan_status dray_plan_preempt(dray_plan_cycle *cycle, const dray_plan_status *nodes) {
    dray_plan_status status = DRAY_PLAN_STATUS_OK;
    dray_plan_find_victims(cycle, nodes, &status);
    return status;
}
