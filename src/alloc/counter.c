/* Counters of partitionable devices, and the compatibility groups of what shares a counter set.
 * Source: KEPs 4815, 5963. */
#include "alloc/alloc_int.h"

dray_pool_state_of_run *dray_run_pool(dray_run *run, uint32_t pool) {
    dray_pool_state_of_run *state = &run->pools[pool];
    const dray_pool_view *view = run->view->pools[pool];
    if (state->ready)
        return state;
    state->ready = true;
    state->left = DRAY_NEW_N(run->scratch, dray_amount, view->n_counters + 1);
    for (size_t i = 0; i < view->n_counters; i++) {
        state->left[i] = view->available[i];
        state->overdrawn += view->available[i] < 0;
    }
    return state;
}

static uint64_t below(dray_amount amount) {
    return amount < 0;
}

bool dray_counters_take(dray_run *run, uint32_t pos) {
    const dray_view_word *word = dray_run_word(run, pos);
    const dray_pool_view *view = run->view->pools[word->pool];
    dray_pool_state_of_run *state = dray_run_pool(run, word->pool);
    /* What a device draws that is gone from the pool is unknown (kubernetes/kubernetes#140802). */
    if (view->has_vanished)
        return false;
    dray_draws draws = view->draws[word->index][dray_run_device(run, pos)];
    uint64_t overdrawn = state->overdrawn;
    for (size_t i = 0; i < draws.n; i++) {
        dray_amount *left = &state->left[draws.v[i].counter];
        overdrawn -= below(*left);
        dray_run_set16(run, left, *left - draws.v[i].amount);
        overdrawn += below(*left);
    }
    if (overdrawn != state->overdrawn)
        dray_run_set8(run, &state->overdrawn, overdrawn);
    return overdrawn == 0;
}

static size_t index_of(dray_strings *list, dray_str s) {
    size_t i = 0;
    while (i < list->n && !dray_str_eq(list->v[i], s))
        i++;
    if (i == list->n)
        list->v[list->n++] = s;
    return i;
}

static size_t count_groups(const dray_pool_view *view) {
    size_t n = 0;
    for (size_t s = 0; s < view->pool->n_slices; s++) {
        const dray_resource_slice_spec *spec = view->pool->slices[s]->body->spec;
        for (size_t i = 0; i < spec->devices.n; i++) {
            const dray_resource_device *d = &spec->devices.v[i];
            for (size_t k = 0; k < d->consumes_counters.n; k++)
                n += 1 + d->consumes_counters.v[k].compatibility_groups.n;
        }
    }
    return n;
}

typedef dray_resource_device_counter_consumption consumption;

static size_t mask_words(const dray_pool_state_of_run *state) {
    return dray_bits_words(state->group_names.n);
}

static bool admits(const dray_pool_state_of_run *state, const dray_group_state *group,
                   const consumption *c) {
    if (group->members == 0)
        return true;
    if (c->compatibility_groups.n == 0)
        return group->members == 1;
    for (size_t i = 0; group->members == 2 && i < c->compatibility_groups.n; i++) {
        for (size_t g = 0; g < state->group_names.n; g++) {
            if (dray_str_eq(state->group_names.v[g], c->compatibility_groups.v[i]) &&
                (group->mask[g / 64] >> g % 64 & 1))
                return true;
        }
    }
    return false;
}

/* The groups of the set after a device with these has joined. Allocated ones that do not go
 * together leave nothing in common. */
static void join(dray_run *run, dray_pool_state_of_run *state, dray_group_state *group,
                 const consumption *c) {
    bool none = c->compatibility_groups.n == 0;
    if (group->members == 1 || (group->members == 2 && none))
        return;
    bool first = group->members == 0;
    if (first)
        dray_run_set8(run, &group->members, none ? 1 : 2);
    for (size_t w = 0; w < mask_words(state) && !none; w++) {
        uint64_t mask = 0;
        for (size_t i = 0; i < c->compatibility_groups.n; i++) {
            size_t g = index_of(&state->group_names, c->compatibility_groups.v[i]);
            if (g / 64 == w)
                mask |= (uint64_t)1 << g % 64;
        }
        dray_run_set8(run, &group->mask[w], first ? mask : group->mask[w] & mask);
    }
}

static void join_held(dray_run *run, dray_pool_state_of_run *state, const dray_slice *slice) {
    for (size_t i = 0; i < slice->n_devices; i++) {
        if ((slice->held[i]->exclusive | slice->held[i]->shares) == 0)
            continue;
        const dray_resource_device *d = &slice->body->spec->devices.v[i];
        for (size_t k = 0; k < d->consumes_counters.n; k++) {
            const consumption *c = &d->consumes_counters.v[k];
            join(run, state, &state->groups[index_of(&state->sets, c->counter_set)], c);
        }
    }
}

/* Names first, so that masks have their length; then what is held already. */
static void ready_groups(dray_run *run, uint32_t pool) {
    dray_pool_state_of_run *state = &run->pools[pool];
    const dray_pool_view *view = run->view->pools[pool];
    state->groups_ready = true;
    size_t n = count_groups(view);
    state->sets.v = DRAY_NEW_N(run->scratch, dray_str, n + 1);
    state->group_names.v = DRAY_NEW_N(run->scratch, dray_str, n + 1);
    for (size_t s = 0; s < view->pool->n_slices; s++) {
        const dray_resource_slice_spec *spec = view->pool->slices[s]->body->spec;
        for (size_t i = 0; i < spec->devices.n; i++) {
            for (size_t k = 0; k < spec->devices.v[i].consumes_counters.n; k++) {
                const consumption *c = &spec->devices.v[i].consumes_counters.v[k];
                (void)index_of(&state->sets, c->counter_set);
                for (size_t g = 0; g < c->compatibility_groups.n; g++)
                    (void)index_of(&state->group_names, c->compatibility_groups.v[g]);
            }
        }
    }
    state->groups = DRAY_NEW_N(run->scratch, dray_group_state, state->sets.n + 1);
    for (size_t i = 0; i < state->sets.n; i++)
        state->groups[i].mask = DRAY_NEW_N(run->scratch, uint64_t, mask_words(state) + 1);
    size_t mark = run->n_log;
    int64_t generation = view->mine[0]->body->spec->pool->generation;
    for (size_t s = 0; s < view->pool->n_slices; s++) {
        const dray_slice *slice = view->pool->slices[s];
        if (slice->body->spec->pool->generation == generation && !slice->has_counters)
            join_held(run, state, slice);
    }
    run->n_log = mark; /* part of the state at the start: never undone */
}

bool dray_groups_take(dray_run *run, uint32_t pos) {
    const dray_view_word *word = dray_run_word(run, pos);
    dray_pool_state_of_run *state = &run->pools[word->pool];
    if (!state->groups_ready)
        ready_groups(run, word->pool);
    const dray_resource_device *d = dray_view_device(run->view, pos);
    for (size_t i = 0; i < d->consumes_counters.n; i++) {
        const consumption *c = &d->consumes_counters.v[i];
        dray_group_state *group = &state->groups[index_of(&state->sets, c->counter_set)];
        if (!admits(state, group, c))
            return false;
        join(run, state, group, c);
    }
    return true;
}
