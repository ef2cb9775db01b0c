/* Packing over a plan's picture: nodes from what is left of theirs, and the one that is liked best.
 *
 * Equal tasks share a row of cells, one a node, which keep what the node was rated at; placing a
 * Pod changes one node, so the next equal Pod costs one look at each cell and one rating. Nodes
 * whose devices stand alone are rated by plain values (packing.c) for tasks that are one request
 * for devices; all else by trials (packing_trial.c).
 */
#include "plan/packing_int.h"

#include "alloc/shares.h"
#include "cluster/inventory.h"
#include "plan/dynamic.h"

/* --- nodes --- */

static const uint16_t *make_shares(dray_plan_packing *p, dray_alloc_job *const *jobs, size_t index,
                                   dray_arena *arena) {
    dray_packed_node *node = &p->nodes[index];
    uint16_t *rows = DRAY_NEW_N(p->arena, uint16_t, p->n_rows * node->is.n + 1);
    for (size_t r = 0; r < p->n_rows && node->is.n != 0; r++) {
        size_t n = 0;
        const uint16_t *all =
            dray_alloc_shares(jobs[r], p->plan->world.nodes[index].seen, arena, &n);
        for (uint32_t i = 0; all != NULL && i < node->is.n; i++)
            rows[r * node->is.n + i] = node->positions[i] < n ? all[node->positions[i]] : 0;
    }
    return rows;
}

/* The devices that the node reaches, taken or not. False: they are too many, or not alone. */
static bool list_devices(dray_plan_packing *p, size_t index) {
    dray_packed_node *node = &p->nodes[index];
    dray_cluster_node *seen = p->plan->world.nodes[index].seen;
    dray_view *view;
    if (!dray_alloc_stands_alone(p->plan->alloc, seen) ||
        dray_cluster_view(p->plan->cluster, seen, &view, NULL) != DRAY_OK)
        return false;
    size_t all = 0;
    for (uint32_t w = 0; w < view->n_words; w++)
        all += (size_t)__builtin_popcountll(view->reach[w]);
    if (all > DRAY_PACKING_DEVICES)
        return false;
    node->positions = DRAY_NEW_N(p->arena, uint32_t, all + 1);
    for (uint32_t w = 0; w < view->n_words; w++)
        for (uint64_t bits = view->reach[w]; bits != 0; bits &= bits - 1)
            node->positions[node->is.n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
    return true;
}

static void measure_plain(dray_plan_packing *p, size_t index) {
    dray_packed_node *node = &p->nodes[index];
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    size_t n = 0;
    const uint16_t *left = dray_alloc_left(p->nothing, p->plan->world.nodes[index].seen, arena, &n);
    for (uint32_t i = 0; i < node->is.n; i++)
        node->is.free[i] = left != NULL && node->positions[i] < n ? left[node->positions[i]] : 0;
    node->left = dray_packing_left(&node->is);
    for (size_t k = 0; k < p->mix.n && p->packing == DRAY_PACKING_FRAG; k++)
        node->usable[k] = dray_packing_usable(&node->is, &p->mix.v[k]);
    node->fragments = dray_packing_fragments(&p->mix, node->left, node->usable, node->is.cpu_milli);
    node->measured = true;
}

static void note(dray_plan_packing *p, size_t index) {
    dray_packed_node *node = &p->nodes[index];
    const dray_plan_node *of = &p->plan->world.nodes[index];
    node->is.cpu_milli = of->allocatable.cpu - of->requested.cpu;
    node->is.memory = of->allocatable.memory - of->requested.memory;
    node->is.all_cpu_milli = of->allocatable.cpu;
    node->is.all_memory = of->allocatable.memory;
    node->measured = false;
    node->version++;
}

static void measure(dray_plan_packing *p, const dray_packed_task *t, size_t index) {
    if (p->nodes[index].measured)
        return;
    if (p->nodes[index].plain)
        measure_plain(p, index);
    else
        dray_packing_measure(p, t, index);
}

static void catch_up(dray_plan_packing *p) {
    const dray_plan *plan = p->plan;
    if (p->shared_changes != plan->shared_changes) {
        for (size_t i = 0; i < plan->world.n_nodes; i++)
            note(p, i);
    } else {
        for (size_t i = p->seen; i < plan->changed.n; i++)
            if (dray_plan_is_last_change(plan, i))
                note(p, plan->changed.v[i]);
    }
    p->shared_changes = plan->shared_changes;
    p->seen = plan->changed.n;
}

/* --- the handle --- */

static void find_nodes(dray_plan_packing *p) {
    dray_plan *plan = p->plan;
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    DRAY_CLEANUP_ARENA dray_arena *begun = dray_arena_new(0);
    dray_alloc_job **jobs = DRAY_NEW_N(begun, dray_alloc_job *, p->n_rows + 1);
    for (size_t k = 0; k < p->kinds.n; k++)
        if (p->kinds.v[k].row != DRAY_PACKING_NONE)
            jobs[p->kinds.v[k].row] = dray_alloc_begin(plan->alloc, p->kinds.v[k].is->claims, 1,
                                                       &(dray_alloc_options){0}, begun);
    p->nodes = DRAY_NEW_N(p->arena, dray_packed_node, plan->world.n_nodes + 1);
    for (size_t i = 0; i < plan->world.n_nodes; i++) {
        dray_packed_node *node = &p->nodes[i];
        node->usable = DRAY_NEW_N(p->arena, double, p->mix.n + 1);
        node->plain = p->plain && list_devices(p, i);
        if (node->plain)
            node->is.shares = make_shares(p, jobs, i, scratch);
        dray_arena_reset(scratch);
        note(p, i);
    }
    p->shared_changes = plan->shared_changes;
    p->seen = plan->changed.n;
}

dray_plan_packing *dray_plan_packing_new(dray_plan *plan, dray_packing packing) {
    dray_arena *arena = dray_arena_new(0);
    dray_plan_packing *p = DRAY_NEW(arena, dray_plan_packing);
    p->arena = arena;
    p->plan = plan;
    p->packing = packing;
    p->trials = dray_arena_new(0);
    p->one = dray_arena_new(0);
    p->task_of = dray_map_new(arena);
    p->memory = dray_map_new(arena);
    p->kind_of = DRAY_NEW_N(arena, uint32_t, DRAY_PLAN_KINDS_MAX);
    p->nothing = dray_alloc_begin(plan->alloc, NULL, 0, &(dray_alloc_options){0}, arena);
    dray_packing_find_tasks(p);
    find_nodes(p);
    return p;
}

void dray_plan_packing_free(dray_plan_packing *packing) {
    if (packing == NULL)
        return;
    dray_arena_free(packing->trials);
    dray_arena_free(packing->one);
    dray_arena_free(packing->arena);
}

static bool has_common_slices(const dray_plan *plan) {
    dray_cluster_list slices = dray_cluster_all(plan->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++)
        if (((const dray_resource_slice *)slices.v[i])->spec->node_name.n == 0)
            return true;
    return false;
}

dray_plan_fragments dray_plan_count_fragments(dray_plan *plan) {
    bool by_trials = plan->by_trials;
    plan->by_trials |= has_common_slices(plan);
    dray_plan_packing *p = dray_plan_packing_new(plan, DRAY_PACKING_FRAG);
    dray_map seen = dray_map_new(p->arena);
    dray_plan_fragments sum = {0};
    p->once = &seen;
    plan->by_trials = by_trials;
    for (size_t i = 0; i < plan->world.n_nodes && p->mix.n != 0; i++) {
        measure(p, NULL, i);
        sum.useless += p->nodes[i].fragments / DRAY_PACKING_WHOLE;
        sum.free += p->nodes[i].left / DRAY_PACKING_WHOLE;
    }
    dray_packing_end_trials(p);
    dray_plan_packing_free(p);
    return sum;
}

/* --- the choice --- */

/* A task without claims changes what else the node has. */
static void rate_bare(dray_plan_packing *p, const dray_packed_task *t, size_t index,
                      dray_packing_cell *ret) {
    const dray_packed_node *node = &p->nodes[index];
    measure(p, t, index);
    ret->fits = node->is.cpu_milli >= t->cpu_milli && node->is.memory >= t->memory;
    dray_packing_after after = {
        .left = node->left,
        .cpu_milli = node->is.cpu_milli - t->cpu_milli,
        .memory = node->is.memory - t->memory,
    };
    after.growth = dray_packing_fragments(&p->mix, node->left, node->usable, after.cpu_milli) -
                   node->fragments;
    ret->cost = dray_packing_cost(p->packing, &node->is, &after);
}

/* False: a trial is needed. */
static bool rate_plain(dray_plan_packing *p, const dray_packed_task *t, size_t index,
                       dray_packing_cell *ret, uint32_t *ret_device) {
    const dray_packed_node *node = &p->nodes[index];
    const dray_packed_kind *kind = &p->kinds.v[t->kind];
    dray_packing_choice choice = {0};
    if (!node->plain || kind->row == DRAY_PACKING_NONE)
        return false;
    measure(p, t, index);
    dray_packing_task needs = {t->cpu_milli, t->memory, kind->devices, kind->row};
    dray_packing_fit fit =
        dray_packing_rate(p->packing, &p->mix, &node->is, &needs, node->fragments, &choice);
    ret->fits = fit == DRAY_PACKING_FITS;
    ret->cost = choice.cost;
    *ret_device = kind->devices == 1 ? choice.device : DRAY_PACKING_NONE;
    return fit != DRAY_PACKING_UNCLEAR;
}

static void rate(dray_plan_packing *p, const dray_packed_task *t, size_t index,
                 dray_packing_cell *ret) {
    uint32_t device;
    if (ret->version == p->nodes[index].version)
        return;
    *ret = (dray_packing_cell){.version = p->nodes[index].version};
    if (t->kind == DRAY_PACKING_NONE)
        rate_bare(p, t, index, ret);
    else if (!rate_plain(p, t, index, ret, &device))
        dray_packing_try(p, t, index, ret, NULL, NULL);
}

static void want(dray_plan_cycle *cycle, const dray_packed_task *t, size_t index) {
    dray_plan_packing *p = cycle->plan->packing;
    dray_packing_cell again = {0};
    uint32_t device = DRAY_PACKING_NONE;
    if (t->kind == DRAY_PACKING_NONE)
        return;
    if (!rate_plain(p, t, index, &again, &device)) {
        dray_packing_try(p, t, index, &again, &cycle->wanted, cycle->arena);
    } else if (device != DRAY_PACKING_NONE) {
        dray_alloc_pick *pick = DRAY_NEW(cycle->arena, dray_alloc_pick);
        pick->position = p->nodes[index].positions[device];
        cycle->wanted = (dray_plan_picks){pick, 1};
    }
}

/* The task that the Pod is on the node; NULL: it can't be weighed. */
static dray_packed_task *task_on(dray_plan_cycle *cycle, const dray_plan_node *node,
                                 const dray_plan_variant **last, dray_packed_task *of_last) {
    dray_plan_packing *p = cycle->plan->packing;
    dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    const char *rejected = NULL;
    dray_plan_variant *variant = NULL;
    if (state != NULL && state->n_to_allocate != 0)
        variant = dray_plan_variant_of(cycle, state, node, &rejected);
    if (rejected != NULL || (variant == *last && of_last != NULL))
        return of_last;
    *last = variant;
    const dray_plan_kind *kind = NULL;
    if (variant != NULL && variant->n != 0) {
        kind = dray_plan_kind_of(cycle->plan, variant->claims, variant->n);
        if (kind == NULL)
            return NULL;
    }
    dray_packed_task *t = dray_packing_task_of(p, cycle->pod, kind, cycle->arena);
    size_t n = cycle->world->n_nodes;
    if (t != NULL && t->cells == NULL && p->n_cells + n <= DRAY_PACKING_CELLS_MAX) {
        t->cells = DRAY_NEW_N(p->arena, dray_packing_cell, n);
        p->n_cells += n;
    }
    return t;
}

dray_plan_node *dray_plan_pack(dray_plan_cycle *cycle, dray_plan_feasible nodes) {
    dray_plan_packing *p = cycle->plan->packing;
    const dray_plan_dynamic *state = p != NULL ? cycle->state[dray_plan_dynamic_slot()] : NULL;
    if (p == NULL || nodes.n == 0 || (state != NULL && state->leftover))
        return NULL;
    const dray_plan_variant *last = NULL;
    dray_packed_task *t = NULL;
    size_t best = SIZE_MAX;
    const dray_packed_task *of_best = NULL;
    double cost = 0;
    catch_up(p);
    for (size_t k = 0; k < nodes.n; k++) {
        size_t index = nodes.v[k];
        dray_packing_cell none = {0};
        t = task_on(cycle, &cycle->world->nodes[index], &last, t);
        if (t == NULL)
            break;
        dray_packing_cell *c = t->cells != NULL ? &t->cells[index] : &none;
        rate(p, t, index, c);
        if (!c->fits || (best != SIZE_MAX && c->cost >= cost))
            continue;
        best = index;
        of_best = t;
        cost = c->cost;
    }
    if (best != SIZE_MAX)
        want(cycle, of_best, best);
    dray_packing_end_trials(p);
    return best != SIZE_MAX ? &cycle->world->nodes[best] : NULL;
}
