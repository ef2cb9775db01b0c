/* DefaultPreemption, without doing it: would evicting Pods of lower priority help, and if not, what
 * does the scheduler say. Source: defaultpreemption, framework/preemption. */
#include "plan/evict.h"
#include "plan/victims.h"

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
    dray_strings errors; /* texts of nodes, each once */
} evaluation;

static int by_importance(const void *a, const void *b, void *context) {
    return dray_plan_unit_by_importance(*(dray_plan_unit *const *)a, *(dray_plan_unit *const *)b,
                                        context);
}

static void evict_unit(dray_plan_cycle *trial, dray_plan_node *node, const dray_plan_unit *unit) {
    for (size_t i = 0; i < unit->n; i++)
        dray_plan_evict(trial, node, unit->pods[i]);
}

static void restore_unit(dray_plan_cycle *trial, dray_plan_node *node, const dray_plan_unit *unit) {
    for (size_t i = 0; i < unit->n; i++)
        dray_plan_restore(trial, node, unit->pods[i]);
}

/* Puts back as many as the Pod can live with, those that would break a budget first. */
static void reprieve(dray_plan_cycle *trial, candidate *c, dray_plan_units units) {
    dray_plan_unit **gone = DRAY_NEW_N(trial->arena, dray_plan_unit *, units.n);
    size_t n = 0, pods = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < units.n; i++) {
            dray_plan_unit *unit = &units.v[i];
            if ((unit->violations != 0) != (round == 0))
                continue;
            restore_unit(trial, c->node, unit);
            if (dray_plan_filter(trial, c->node).code == DRAY_PLAN_OK)
                continue;
            evict_unit(trial, c->node, unit);
            gone[n++] = unit;
            pods += unit->n;
            c->violations += (int64_t)unit->violations;
        }
    dray_sort(gone, n, sizeof *gone, by_importance, NULL);
    c->victims = DRAY_NEW_N(trial->arena, dray_plan_pod *, pods);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < gone[i]->n; k++)
            c->victims[c->n_victims++] = gone[i]->pods[k];
}

/* Evicts all of lower priority who run on the node, and sees whether that helps. */
static dray_plan_status try_node(evaluation *e, dray_plan_node *node, candidate *ret) {
    dray_plan_cycle trial;
    dray_plan_cycle_clone(e->cycle, &trial);
    dray_plan_units units =
        dray_plan_units_below(trial.plan, node, e->cycle->pod->priority, trial.arena);
    size_t n_before = node->pods.n;
    dray_plan_pod **before = DRAY_NEW_N(trial.arena, dray_plan_pod *, n_before);
    if (n_before != 0)
        memcpy(before, node->pods.v, n_before * sizeof *before);
    if (units.n == 0)
        return dray_plan_unresolvable(&trial, "No preemption victims found for incoming pod");
    for (size_t i = 0; i < units.n; i++)
        evict_unit(&trial, node, &units.v[i]);
    dray_plan_status status = dray_plan_filter(&trial, node);
    *ret = (candidate){.node = node};
    if (status.code == DRAY_PLAN_OK)
        reprieve(&trial, ret, units);
    /* Whatever was decided, the node is as before, order included. */
    while (node->pods.n != 0)
        dray_plan_node_remove(trial.world, node, node->pods.v[node->pods.n - 1]);
    for (size_t i = 0; i < n_before; i++)
        dray_plan_node_add(trial.world, node, before[i]);
    for (size_t i = 0; i < units.n; i++)
        for (size_t k = 0; k < units.v[i].n; k++)
            dray_plan_restore_devices(trial.plan, units.v[i].pods[k]);
    return status;
}

static bool enough(const evaluation *e, size_t wanted) {
    return e->n_clean != 0 && e->n_candidates >= wanted;
}

static void add_error(evaluation *e, dray_str text) {
    for (size_t i = 0; i < e->errors.n; i++)
        if (dray_str_eq(e->errors.v[i], text))
            return;
    e->errors.v[e->errors.n++] = text;
}

/* As an aggregate of errors reads: one as it is, several in brackets. */
static dray_str all_errors(const evaluation *e) {
    dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < e->errors.n; i++) {
        dray_buf_puts(&out, i != 0 ? ", " : "");
        dray_buf_str_add(&out, e->errors.v[i]);
    }
    dray_str text = e->errors.n == 1 ? e->errors.v[0]
                                     : dray_strf(e->cycle->arena, "[" DRAY_FMT "]",
                                                 DRAY_ARG(dray_buf_str(&out)));
    dray_buf_done(&out);
    return text;
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
            add_error(e, dray_plan_error_text(status, e->cycle->arena));
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
    int64_t earliest = dray_plan_started(c->victims[0]);
    for (size_t i = 1; i < c->n_victims; i++)
        if (c->victims[i]->priority == c->victims[0]->priority &&
            dray_plan_started(c->victims[i]) < earliest)
            earliest = dray_plan_started(c->victims[i]);
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
        if (dray_plan_victim_priority(cycle->world, node->pods.v[i]) < cycle->pod->priority &&
            dray_plan_is_being_preempted(node->pods.v[i]->pod))
            return "not eligible due to a terminating pod on the nominated node.";
    return NULL;
}

static dray_plan_status told(dray_plan_cycle *cycle, dray_plan_code code, dray_str text) {
    return dray_plan_status_of(cycle->plan, code,
                               dray_strf(cycle->arena, "preemption: " DRAY_FMT, DRAY_ARG(text)));
}

static dray_plan_status no_candidates(evaluation *e) {
    dray_plan_cycle *cycle = e->cycle;
    if (e->errors.n != 0)
        return told(cycle, DRAY_PLAN_ERROR, all_errors(e));
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
        .errors = {.v = DRAY_NEW_N(cycle->arena, dray_str, n)},
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
