/* The search: from cause to cause along fixes that get a Pod nearer, until it fits.
 *
 * What holds the Pod back everywhere comes first. Then every node is followed to its end, greedily,
 * and the one that is left by the least weight of causes is the nearest.
 */
#include "explain/survey_int.h"

enum { OFFERS_TRIED = 40, OFFERS_WALKED = 12 };

typedef struct goal {
    dray_str node; /* absent: any */
} goal;

static bool reached(const dray_trial *t, goal g) {
    if (g.node.p == NULL || !t->fits)
        return t->fits;
    int64_t at = dray_trial_node(t, g.node);
    return at >= 0 && t->answer.nodes[at].feasible;
}

static bool find_pod_wide(dray_trial *t, dray_finding *ret) {
    for (size_t i = 0; i < dray_n_find_pod_rows; i++)
        if (dray_find_pod_rows[i](t, ret))
            return true;
    return false;
}

/* The finding's texts may lie in a picture that goes: they are copied. */
static void keep_texts(dray_inquiry *q, dray_finding *f) {
    dray_str *texts[] = {&f->claim, &f->request, &f->subject, &f->node, &f->driver, &f->pool};
    for (size_t i = 0; i < DRAY_COUNT(texts); i++)
        if (texts[i]->p != NULL)
            *texts[i] = dray_str_dup(q->arena, *texts[i]);
}

static bool find_here(dray_trial *t, goal g, dray_finding *ret) {
    if (t->pod == NULL)
        return false;
    if (find_pod_wide(t, ret))
        return true;
    int64_t at = g.node.p != NULL ? dray_trial_node(t, g.node) : -1;
    if (at >= 0)
        return dray_find_on_node(t, (size_t)at, ret);
    return t->answer.n_nodes == 0 && dray_find_other(t, ret);
}

static bool find_any(dray_trial *t, goal g, dray_finding *ret) {
    bool found = find_here(t, g, ret);
    if (found)
        keep_texts(t->q, ret);
    return found;
}

static bool same_finding(const dray_finding *a, const dray_finding *b) {
    return a->cause == b->cause && dray_str_eq(a->subject, b->subject) &&
           dray_str_eq(a->claim, b->claim) && dray_str_eq(a->request, b->request) &&
           dray_str_eq(a->node, b->node) && a->selector == b->selector &&
           a->in_class == b->in_class;
}

static bool is_new(const dray_route *path, const dray_finding *f) {
    for (size_t i = 0; i < path->n; i++)
        if (same_finding(&path->v[i], f))
            return false;
    return true;
}

static bool spent(const dray_inquiry *q) {
    return q->n_trials >= DRAY_EXPLAIN_TRIALS || dray_arena_spent(q->arena);
}

/* What an offer leads to: 2 the goal, 1 another cause or none that is known, 0 nowhere. */
static int try_offer(dray_trial *t, const dray_state *offer, goal g, const dray_route *path) {
    dray_trial other;
    dray_finding next;
    dray_trial_open(t->q, offer, &other);
    int result = reached(&other, g) ? 2 : 0;
    if (result == 0 && other.pod != NULL) {
        bool found = find_any(&other, g, &next);
        result = found ? is_new(path, &next) : g.node.p == NULL && other.answer.n_nodes != 0;
    }
    dray_trial_close(&other);
    return result;
}

/* The first offer that reaches the goal, else the first that gets nearer; NULL: none. */
static const dray_state *step(dray_trial *t, const dray_finding *f, goal g, const dray_route *path,
                              bool *ret_reached) {
    dray_cause_row row = dray_cause_row_of(f->cause);
    const dray_state *nearer = NULL;
    *ret_reached = false;
    for (size_t i = 0; i < row.n_fixes; i++) {
        dray_offers offers = {0};
        dray_fix_rows[row.fixes[i]].make(t, f, &offers);
        for (size_t k = 0; k < offers.list.n && k < OFFERS_WALKED && !spent(t->q); k++) {
            int result = try_offer(t, offers.list.v[k], g, path);
            if (result == 2) {
                *ret_reached = true;
                return offers.list.v[k];
            }
            if (result == 1 && nearer == NULL)
                nearer = offers.list.v[k];
        }
    }
    return nearer;
}

static void add_finding(dray_trial *t, dray_route *path, const dray_finding *f) {
    path->weight += f->weight > 0 ? f->weight : 1;
    path->v[path->n++] = *f;
    if (t->q->input->report)
        path->v[path->n - 1].detail = dray_detail_of(t, f);
}

/* Follows one node (or none: only what holds the Pod back everywhere) from state on. Stops where
 * path gets heavier than `most`. */
static void follow(dray_inquiry *q, const dray_state *state, goal g, double most,
                   dray_route *path) {
    while (path->n < DRAY_ROUTE_MAX && !spent(q)) {
        dray_trial t;
        dray_finding f;
        dray_trial_open(q, state, &t);
        bool done = reached(&t, g), known = !done && find_any(&t, g, &f);
        const dray_state *next = NULL;
        bool at_end = false;
        if (done) {
            path->end = state;
        } else if (known) {
            add_finding(&t, path, &f);
            if (path->weight < most)
                next = step(&t, &f, g, path, &at_end);
        }
        dray_trial_close(&t);
        if (at_end)
            path->end = next;
        if (done || next == NULL || at_end)
            return;
        state = next;
    }
}

enum { TRIALS_OF_CHOICE = 60 };

typedef struct chosen {
    dray_str name;
    dray_cause cause;
    double weight;
} chosen;

static int by_weight(const void *a, const void *b, void *context) {
    const chosen *x = a, *y = b;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

/* Nodes that are worth following: all of a few; else one of each cause and weight, the nearest
 * first. */
static size_t choose_nodes(dray_trial *t, dray_str *ret) {
    size_t n = t->answer.n_nodes;
    if (n <= DRAY_EXPLAIN_NODES) {
        for (size_t i = 0; i < n; i++)
            ret[i] = t->answer.nodes[i].name;
        return n;
    }
    chosen *all = DRAY_NEW_N(t->q->arena, chosen, n);
    size_t kept = 0, trials = t->q->n_trials;
    for (size_t i = 0; i < n && t->q->n_trials < trials + TRIALS_OF_CHOICE; i++) {
        dray_finding f;
        if (!dray_find_on_node(t, i, &f))
            continue;
        bool known = false;
        f.weight = f.weight > 0 ? f.weight : 1;
        for (size_t k = 0; k < kept && !known; k++)
            known = all[k].cause == f.cause && all[k].weight == f.weight;
        if (!known)
            all[kept++] = (chosen){t->answer.nodes[i].name, f.cause, f.weight};
    }
    dray_sort(all, kept, sizeof *all, by_weight, NULL);
    kept = kept < DRAY_EXPLAIN_NODES ? kept : DRAY_EXPLAIN_NODES;
    for (size_t i = 0; i < kept; i++)
        ret[i] = all[i].name;
    return kept;
}

/* The path over the nearest node, appended to what stands in ret. */
static void follow_nearest(dray_inquiry *q, const dray_state *state, dray_route *ret) {
    dray_trial t;
    dray_str nodes[DRAY_EXPLAIN_NODES];
    dray_trial_open(q, state, &t);
    if (t.fits) {
        ret->end = state;
        dray_trial_close(&t);
        return;
    }
    size_t n = choose_nodes(&t, nodes);
    for (size_t i = 0; i < n; i++)
        nodes[i] = dray_str_dup(q->arena, nodes[i]);
    dray_trial_close(&t);
    dray_route best = *ret;
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        dray_route path = *ret;
        follow(q, state, (goal){nodes[i]}, any && best.end != NULL ? best.weight : 1e9, &path);
        bool better = !any || (path.end != NULL && best.end == NULL) ||
                      ((path.end != NULL) == (best.end != NULL) && path.weight < best.weight);
        if (path.n > ret->n && better) {
            best = path;
            any = true;
        }
    }
    *ret = best;
}

void dray_search_route(dray_inquiry *q, const dray_state *state, dray_route *ret) {
    *ret = (dray_route){.n = 0};
    for (;;) {
        dray_trial t;
        dray_finding f;
        dray_trial_open(q, state, &t);
        bool fits = t.fits, wide = !fits && find_any(&t, (goal){DRAY_STR_NONE}, &f);
        const dray_state *next = NULL;
        bool at_end = false;
        if (wide && ret->n < DRAY_ROUTE_MAX) {
            add_finding(&t, ret, &f);
            next = step(&t, &f, (goal){DRAY_STR_NONE}, ret, &at_end);
        }
        dray_trial_close(&t);
        if (fits || at_end)
            ret->end = fits ? state : next;
        if (!fits && !wide)
            follow_nearest(q, state, ret);
        if (fits || at_end || !wide || next == NULL || ret->n == DRAY_ROUTE_MAX || spent(q))
            return;
        state = next;
    }
}

static int by_size(const void *a, const void *b, void *context) {
    const dray_found_fix *x = a, *y = b;
    if (x->state->size != y->state->size)
        return x->state->size < y->state->size ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The first offer of a fix that places the Pod, with more changes where `deep`. */
static const dray_state *place(dray_trial *t, const dray_finding *f, dray_fix fix, bool deep) {
    dray_offers offers = {0};
    dray_fix_rows[fix].make(t, f, &offers);
    for (size_t k = 0; k < offers.list.n && k < OFFERS_TRIED && !spent(t->q); k++) {
        if (!deep) {
            if (dray_offer_fits(t, offers.list.v[k]))
                return offers.list.v[k];
            continue;
        }
        dray_route first = {.n = 1, .v = {*f}}, path;
        goal g = {f->node.n != 0 ? f->node : DRAY_STR_NONE};
        if (try_offer(t, offers.list.v[k], g, &first) == 0)
            continue;
        if (g.node.p != NULL) {
            path = first;
            follow(t->q, offers.list.v[k], g, 1e9, &path);
        } else {
            dray_search_route(t->q, offers.list.v[k], &path);
        }
        if (path.end != NULL && dray_offer_fits(t, path.end))
            return path.end;
    }
    return NULL;
}

size_t dray_search_fixes(dray_inquiry *q, const dray_state *state, const dray_route *path,
                         dray_found_fix *ret, size_t max) {
    size_t n = 0;
    if (path->n == 0)
        return 0;
    dray_cause_row row = dray_cause_row_of(path->v[0].cause);
    dray_trial t;
    dray_trial_open(q, state, &t);
    /* The finding of this trial: that of another one points into its picture. */
    dray_finding f;
    bool found = find_any(&t, (goal){path->v[0].node}, &f);
    for (int deep = 0; deep < 2 && found && n == 0; deep++)
        for (size_t i = 0; i < row.n_fixes && n < max; i++) {
            const dray_state *end = place(&t, &f, row.fixes[i], deep != 0);
            if (end != NULL)
                ret[n++] = (dray_found_fix){row.fixes[i], end, i};
        }
    dray_trial_close(&t);
    dray_sort(ret, n, sizeof *ret, by_size, NULL);
    return n;
}
