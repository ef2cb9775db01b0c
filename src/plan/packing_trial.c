/* Packing by trials: what the allocator would give on a node is taken, measured and taken back.
 *
 * Of a task's solutions the first one is where it begins. Then, request by request and device by
 * device, each candidate that no kind of the mix can tell from another is wanted beside those that
 * stand already, the allocator completes the rest, and the cheapest one stays. Alternatives are the
 * best ones that can be had, whatever they cost.
 */
#include "plan/packing_int.h"

#include "alloc/shares.h"

#include <math.h>

/* A lower alternative costs more than any fragments do. */
#define WORSE_COST 1e9
enum { CANDIDATES_MAX = 64 };

/* The kinds of the mix, then the task's own, where it isn't among them. */
static void begin_job(dray_plan_packing *p, const dray_packed_task *t) {
    const dray_packed_kind *own =
        t != NULL && t->kind != DRAY_PACKING_NONE ? &p->kinds.v[t->kind] : NULL;
    bool more = own != NULL && own->in_mix == DRAY_PACKING_NONE;
    size_t n = 0;
    for (size_t k = 0; k < p->mix.n; k++)
        n += p->kinds.v[p->mix_kinds[k]].is->n;
    n += more ? own->is->n : 0;
    const dray_resource_claim **claims = DRAY_NEW_N(p->trials, const dray_resource_claim *, n + 1);
    p->ends = DRAY_NEW_N(p->trials, size_t, p->mix.n + 1);
    p->n_groups = p->mix.n + more;
    n = 0;
    for (size_t g = 0; g < p->n_groups; g++) {
        const dray_plan_kind *kind = g < p->mix.n ? p->kinds.v[p->mix_kinds[g]].is : own->is;
        for (size_t i = 0; i < kind->n; i++)
            claims[n++] = kind->claims[i];
        p->ends[g] = n;
    }
    p->group = own == NULL ? p->n_groups : more ? p->mix.n : own->in_mix;
    p->job = dray_alloc_begin(p->plan->alloc, claims, n, &(dray_alloc_options){0}, p->trials);
    p->job_of = t;
}

void dray_packing_end_trials(dray_plan_packing *p) {
    p->job = NULL;
    dray_arena_reset(p->trials);
}

static dray_alloc_trial *open_trial(dray_plan_packing *p, const dray_packed_task *t, size_t index) {
    if (p->job == NULL || p->job_of != t)
        begin_job(p, t);
    dray_arena_reset(p->one);
    dray_alloc_trial *trial = dray_alloc_trial_new(p->job, p->ends, p->n_groups,
                                                   p->plan->world.nodes[index].seen, p->one);
    if (trial != NULL && p->once != NULL)
        dray_alloc_trial_count_once(trial, p->once);
    return trial;
}

/* --- what was measured on a node that is alike --- */

typedef struct measure {
    double left, *usable;
} measure;

static dray_str key_of(dray_plan_packing *p, const dray_alloc_likeness *like, const int64_t *more,
                       size_t n) {
    char *bytes = dray_arena_bytes(p->one, sizeof *like + n * sizeof *more);
    memcpy(bytes, like, sizeof *like);
    memcpy(bytes + sizeof *like, more, n * sizeof *more);
    return dray_str_n(bytes, sizeof *like + n * sizeof *more);
}

static void remember(dray_plan_packing *p, dray_str key, void *what) {
    if (p->memory.n < DRAY_PACKING_MEMORY_MAX)
        dray_map_put(&p->memory, dray_str_dup(p->arena, key), what);
}

static void take_over(dray_plan_packing *p, dray_packed_node *node, const measure *m) {
    node->left = m->left;
    memcpy(node->usable, m->usable, p->mix.n * sizeof *node->usable);
    node->fragments = dray_packing_fragments(&p->mix, node->left, node->usable, node->is.cpu_milli);
    node->measured = true;
}

/* like is of the mix alone, so that it serves every task. */
static void measure_by(dray_plan_packing *p, dray_packed_node *node, dray_alloc_trial *trial,
                       const dray_alloc_likeness *like) {
    const int64_t own = p->group == p->mix.n ? (int64_t)p->group : 0;
    dray_str key = key_of(p, like, &own, 1);
    measure *m = p->once == NULL ? dray_map_find(&p->memory, key) : NULL;
    if (m == NULL) {
        m = DRAY_NEW(p->arena, measure);
        m->usable = DRAY_NEW_N(p->arena, double, p->n_groups + 1);
        m->left = dray_alloc_trial_left(trial);
        if (p->packing == DRAY_PACKING_FRAG)
            dray_alloc_trial_usable(trial, m->usable);
        remember(p, key, m);
    }
    take_over(p, node, m);
}

void dray_packing_measure(dray_plan_packing *p, const dray_packed_task *t, size_t index) {
    dray_packed_node *node = &p->nodes[index];
    dray_alloc_trial *trial = open_trial(p, t, index);
    if (trial == NULL) {
        node->left = node->fragments = 0;
        memset(node->usable, 0, p->mix.n * sizeof *node->usable);
        node->measured = true;
        return;
    }
    dray_alloc_likeness like = dray_alloc_trial_likeness(trial);
    measure_by(p, node, trial, &like);
    dray_alloc_trial_end(trial);
}

/* --- rating --- */

typedef struct attempt {
    dray_plan_packing *p;
    const dray_packed_task *t;
    dray_packed_node *node;
    dray_alloc_trial *trial;
    double *usable; /* room */
    size_t solves;
    dray_alloc_solution best;
    double cost;
} attempt;

static double cost_of(attempt *a, const dray_alloc_solution *s) {
    dray_plan_packing *p = a->p;
    if (!dray_alloc_trial_take(a->trial, p->group, s))
        return INFINITY;
    dray_packing_after after = {.left = dray_alloc_trial_left(a->trial)};
    if (p->packing == DRAY_PACKING_FRAG) {
        int64_t cpu_milli = a->node->is.cpu_milli - a->t->cpu_milli;
        dray_alloc_trial_usable(a->trial, a->usable);
        after.growth =
            dray_packing_fragments(&p->mix, after.left, a->usable, cpu_milli) - a->node->fragments;
    } else {
        after.beside = dray_alloc_trial_left_beside(a->trial);
    }
    dray_alloc_trial_back(a->trial);
    double cost = dray_packing_cost(p->packing, &a->node->is, &after);
    for (size_t r = 0; r < s->n_requests; r++)
        cost += WORSE_COST * s->alternatives[r];
    return cost;
}

/* The cheapest candidate for one more pick of the request, beside those wanted. */
static bool choose(attempt *a, const dray_alloc_pick *like, dray_alloc_pick *wanted, size_t n) {
    dray_alloc_pick cheapest = *like;
    uint32_t positions[CANDIDATES_MAX];
    size_t group = a->p->group;
    dray_alloc_solution best = a->best;
    double cost = INFINITY;
    size_t many = dray_alloc_trial_candidates(a->trial, group, like->request, like->alternative,
                                              wanted, n, positions, CANDIDATES_MAX);
    for (size_t i = 0; i < many && a->solves < DRAY_PACKING_SOLVES_MAX; i++) {
        dray_alloc_solution s;
        a->solves++;
        wanted[n] = (dray_alloc_pick){like->request, like->alternative, positions[i]};
        if (!dray_alloc_trial_solve(a->trial, group, a->best.alternatives, wanted, n + 1, &s))
            continue;
        double one = cost_of(a, &s);
        if (one >= cost)
            continue;
        cost = one;
        best = s;
        cheapest = wanted[n];
    }
    if (cost == INFINITY)
        return false;
    wanted[n] = cheapest;
    a->best = best;
    a->cost = cost;
    return true;
}

/* false: the node is not to be had. */
static bool solve(attempt *a) {
    size_t group = a->p->group;
    if (!dray_alloc_trial_best(a->trial, group, &a->best))
        return false;
    a->cost = cost_of(a, &a->best);
    if (a->cost == INFINITY)
        return false;
    const dray_alloc_solution first = a->best;
    dray_alloc_pick *wanted = DRAY_NEW_N(a->p->one, dray_alloc_pick, first.n + 1);
    size_t n = 0;
    /* Which requests the picks are for is the same in all solutions. */
    for (size_t i = 0; i < first.n && a->solves < DRAY_PACKING_SOLVES_MAX; i++) {
        if (!dray_alloc_trial_is_free(a->trial, group, &first.picks[i]))
            continue;
        if (!choose(a, &first.picks[i], wanted, n))
            break;
        n++;
    }
    return true;
}

static void copy_picks(const attempt *a, dray_plan_picks *ret, dray_arena *arena) {
    dray_alloc_pick *picks = DRAY_NEW_N(arena, dray_alloc_pick, a->best.n + 1);
    ret->v = picks;
    ret->n = 0;
    for (size_t i = 0; i < a->best.n; i++)
        if (dray_alloc_trial_is_free(a->trial, a->p->group, &a->best.picks[i]))
            picks[ret->n++] = a->best.picks[i];
}

/* What the cost of the devices depends on beside them. */
static dray_str rating_key(dray_plan_packing *p, const dray_packed_task *t,
                           const dray_packed_node *node, const dray_alloc_likeness *like) {
    bool frag = p->packing == DRAY_PACKING_FRAG;
    int64_t cpu = node->is.cpu_milli;
    const int64_t more[] = {
        -1 - (int64_t)t->kind,
        frag ? (int64_t)dray_packing_stage(&p->mix, cpu) : 0,
        frag ? (int64_t)dray_packing_stage(&p->mix, cpu - t->cpu_milli) : 0,
    };
    return key_of(p, like, more, DRAY_COUNT(more));
}

/* What processors and memory add to the cost of the devices. */
static double cost_of_rest(const dray_plan_packing *p, const dray_packed_task *t,
                           const dray_packed_node *node) {
    dray_packing_after after = {
        .cpu_milli = node->is.cpu_milli - t->cpu_milli,
        .memory = node->is.memory - t->memory,
    };
    return dray_packing_cost(p->packing, &node->is, &after);
}

static void try_on(dray_plan_packing *p, const dray_packed_task *t, size_t index,
                   dray_alloc_trial *trial, dray_packing_cell *ret, dray_plan_picks *ret_picks,
                   dray_arena *arena) {
    dray_packed_node *node = &p->nodes[index];
    dray_alloc_likeness like = dray_alloc_trial_likeness(trial);
    if (!node->measured)
        measure_by(p, node, trial, &like);
    if (node->is.cpu_milli < t->cpu_milli || node->is.memory < t->memory)
        return;
    dray_str key = rating_key(p, t, node, &like);
    dray_packing_cell *known = dray_map_find(&p->memory, key);
    if (known == NULL || ret_picks != NULL) {
        attempt a = {.p = p, .t = t, .node = node, .trial = trial};
        a.usable = DRAY_NEW_N(p->one, double, p->n_groups + 1);
        /* Once with nothing taken: then only what a solution touches is measured anew. */
        if (p->packing == DRAY_PACKING_FRAG)
            dray_alloc_trial_usable(trial, a.usable);
        bool fits = solve(&a);
        if (fits && ret_picks != NULL)
            copy_picks(&a, ret_picks, arena);
        if (known == NULL) {
            known = DRAY_NEW(p->arena, dray_packing_cell);
            *known = (dray_packing_cell){.fits = fits, .cost = a.cost};
            remember(p, key, known);
        }
    }
    ret->fits = known->fits;
    ret->cost = known->cost + cost_of_rest(p, t, node);
}

void dray_packing_try(dray_plan_packing *p, const dray_packed_task *t, size_t index,
                      dray_packing_cell *ret, dray_plan_picks *ret_picks, dray_arena *arena) {
    dray_alloc_trial *trial = open_trial(p, t, index);
    ret->fits = false;
    if (trial == NULL)
        return;
    try_on(p, t, index, trial, ret, ret_picks, arena);
    dray_alloc_trial_end(trial);
}
