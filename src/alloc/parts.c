/* The parts of a node: what is free of them, and what of that is usable to groups of claims. */
#include "alloc/trial_int.h"

enum { TRIES_MAX = 4 }; /* devices of a part that are tried for a group */

bool dray_trial_is_device(const dray_run *run, uint32_t pos) {
    return dray_run_device(run, pos) < dray_run_word(run, pos)->slice->n_devices &&
           dray_bit(run->view->reach, pos);
}

static bool draws(const dray_run *run, uint32_t pos) {
    return dray_bit(dray_run_word(run, pos)->slice->counters, dray_run_device(run, pos));
}

static dray_draws draws_of(const dray_run *run, uint32_t pos) {
    const dray_view_word *w = dray_run_word(run, pos);
    const dray_pool_view *pool = run->view->pools[w->pool];
    return pool->draws != NULL ? pool->draws[w->index][dray_run_device(run, pos)] : (dray_draws){0};
}

/* --- listing --- */

typedef struct lister {
    dray_alloc_trial *trial;
    size_t room;
    uint32_t *part_of_counter; /* of the pool at hand: part + 1 */
    uint32_t pool;
} lister;

static uint32_t add_part(lister *l, dray_part part) {
    dray_alloc_trial *trial = l->trial;
    trial->parts[trial->n_parts] = part;
    return (uint32_t)trial->n_parts++;
}

static void list_sets(lister *l, uint32_t pool) {
    dray_arena *arena = l->trial->run.arena;
    const dray_pool_view *view = l->trial->run.view->pools[pool];
    l->pool = pool;
    l->part_of_counter = DRAY_NEW_N(arena, uint32_t, view->n_counters + 1);
    for (uint32_t i = 0; i < view->n_counters; i++) {
        for (uint32_t k = 0; k < i && l->part_of_counter[i] == 0; k++)
            if (dray_str_eq(view->counters[k].set, view->counters[i].set))
                l->part_of_counter[i] = l->part_of_counter[k];
        if (l->part_of_counter[i] == 0)
            l->part_of_counter[i] =
                1 + add_part(l, (dray_part){
                                    .is_set = true,
                                    .pool = pool,
                                    .counters = DRAY_NEW_N(arena, uint32_t, view->n_counters),
                                });
        dray_part *part = &l->trial->parts[l->part_of_counter[i] - 1];
        part->counters[part->n_counters++] = i;
    }
}

static bool has(const dray_part_list *list, uint32_t part) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == part)
            return true;
    return false;
}

static void list_device(lister *l, uint32_t pos) {
    dray_alloc_trial *trial = l->trial;
    const dray_run *run = &trial->run;
    dray_draws d = draws(run, pos) ? draws_of(run, pos) : (dray_draws){0};
    dray_part_list *list = &trial->parts_of[pos];
    list->v = DRAY_NEW_N(run->arena, uint32_t, d.n + 1);
    for (size_t i = 0; i < d.n; i++) {
        uint32_t part = l->part_of_counter[d.v[i].counter] - 1;
        if (!has(list, part))
            list->v[list->n++] = part;
    }
    if (d.n == 0 || dray_run_is_multi(run, pos))
        list->v[list->n++] = add_part(l, (dray_part){.pool = dray_run_word(run, pos)->pool});
}

/* Which devices each part has: counted, then written down. */
static void list_members(dray_alloc_trial *trial) {
    uint32_t n = (uint32_t)trial->run.view->n_words * 64;
    for (uint32_t pos = 0; pos < n; pos++)
        for (uint32_t i = 0; i < trial->parts_of[pos].n; i++)
            trial->parts[trial->parts_of[pos].v[i]].n_devices++;
    for (size_t p = 0; p < trial->n_parts; p++) {
        dray_part *part = &trial->parts[p];
        part->devices = DRAY_NEW_N(trial->run.arena, uint32_t, part->n_devices + 1);
        part->n_devices = 0;
    }
    for (uint32_t pos = 0; pos < n; pos++)
        for (uint32_t i = 0; i < trial->parts_of[pos].n; i++) {
            dray_part *part = &trial->parts[trial->parts_of[pos].v[i]];
            part->devices[part->n_devices++] = pos;
        }
}

void dray_trial_list_parts(dray_alloc_trial *trial) {
    const dray_run *run = &trial->run;
    uint32_t n = (uint32_t)run->view->n_words * 64;
    size_t most = n;
    for (uint32_t p = 0; p < run->view->n_pools; p++)
        most += run->view->pools[p]->n_counters;
    trial->parts = DRAY_NEW_N(run->arena, dray_part, most + 1);
    trial->parts_of = DRAY_NEW_N(run->arena, dray_part_list, n + 1);
    lister l = {.trial = trial, .pool = UINT32_MAX};
    for (uint32_t pos = 0; pos < n; pos++) {
        uint32_t pool = dray_run_word(run, pos)->pool;
        if (pool != l.pool)
            list_sets(&l, pool);
        if (dray_trial_is_device(run, pos))
            list_device(&l, pos);
    }
    list_members(trial);
    trial->touched = DRAY_NEW_N(run->arena, uint64_t, dray_bits_words(trial->n_parts) + 1);
    trial->near = DRAY_NEW_N(run->arena, uint64_t, dray_bits_words(trial->n_parts) + 1);
}

/* --- what is free --- */

static double ratio(dray_amount left, dray_amount whole) {
    if (left <= 0 || whole <= 0)
        return 0;
    return left >= whole ? 1 : (double)left / (double)whole;
}

static bool is_taken(const dray_run *run, uint32_t pos) {
    const dray_view_word *w = dray_run_word(run, pos);
    return dray_bit(w->slice->in_use, dray_run_device(run, pos)) || dray_bit(run->taken, pos);
}

/* How much of its sets a device is. */
static double weight_of(dray_alloc_trial *trial, uint32_t pos) {
    dray_run *run = &trial->run;
    if (!draws(run, pos))
        return DRAY_ALLOC_WHOLE;
    /* Its counters are drawn with the first share: what is left of it is free from then on. */
    if (!dray_bit(dray_run_word(run, pos)->slice->shared, dray_run_device(run, pos)) &&
        dray_run_sharing(run, pos)->shares == 0)
        return 0;
    const dray_pool_view *view = run->view->pools[dray_run_word(run, pos)->pool];
    dray_draws d = draws_of(run, pos);
    double sum = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < trial->parts_of[pos].n; i++)
        n += trial->parts[trial->parts_of[pos].v[i]].n_counters;
    for (size_t i = 0; i < d.n; i++)
        sum += ratio(d.v[i].amount, view->counters[d.v[i].counter].capacity);
    return n != 0 ? sum / (double)n * DRAY_ALLOC_WHOLE : 0;
}

/* Of a shared device: the part of its capacities that is left, or, with amounts, that shares of
 * such amounts could use up. */
static double left_of_shared(dray_run *run, uint32_t pos, const dray_amount *amounts) {
    const dray_resource_device *device = dray_view_device(run->view, pos);
    const dray_sharing *sharing = dray_run_sharing(run, pos);
    double times = 0, sum = 0;
    size_t n = 0;
    bool any = false;
    for (size_t i = 0; amounts != NULL && i < device->capacity.n; i++) {
        if (amounts[i] <= 0)
            continue;
        double t = sharing->left[i] > 0 ? (double)sharing->left[i] / (double)amounts[i] : 0;
        times = !any || t < times ? t : times;
        any = true;
    }
    for (size_t i = 0; i < device->capacity.n; i++) {
        dray_amount whole = dray_amount_of(device->capacity.v[i].value);
        if (whole <= 0)
            continue;
        double left = ratio(sharing->left[i], whole);
        double used = any ? times * (double)amounts[i] / (double)whole : left;
        sum += used < left ? used : left;
        n++;
    }
    return n != 0 ? sum / (double)n : 1;
}

static double left_of_set(dray_run *run, const dray_part *part) {
    const dray_pool_view *view = run->view->pools[part->pool];
    const dray_pool_state_of_run *state = dray_run_pool(run, part->pool);
    double sum = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < part->n_counters && !view->has_vanished; i++) {
        dray_amount whole = view->counters[part->counters[i]].capacity;
        if (whole <= 0)
            continue;
        sum += ratio(state->left[part->counters[i]], whole);
        n++;
    }
    return n != 0 ? sum / (double)n * DRAY_ALLOC_WHOLE : 0;
}

static double left_of(dray_alloc_trial *trial, const dray_part *part) {
    dray_run *run = &trial->run;
    if (part->ignored || part->n_devices == 0)
        return 0; /* also a set on which nothing draws */
    if (part->is_set)
        return left_of_set(run, part);
    uint32_t pos = part->devices[0];
    if (is_taken(run, pos))
        return 0;
    if (!dray_run_is_multi(run, pos))
        return DRAY_ALLOC_WHOLE;
    double weight = weight_of(trial, pos);
    return weight > 0 ? weight * left_of_shared(run, pos, NULL) : 0;
}

double dray_alloc_trial_left(dray_alloc_trial *trial) {
    double sum = 0;
    for (size_t p = 0; p < trial->n_parts; p++)
        sum += left_of(trial, &trial->parts[p]);
    return sum;
}

double dray_alloc_trial_left_beside(dray_alloc_trial *trial) {
    double sum = 0;
    size_t n = 0;
    for (uint32_t p = 0; p < trial->n_parts; p++)
        if (dray_bit(trial->touched, p)) {
            sum += left_of(trial, &trial->parts[p]);
            n++;
        }
    return n != 0 ? sum / (double)n : 0;
}

void dray_alloc_trial_count_once(dray_alloc_trial *trial, dray_map *seen) {
    const dray_run *run = &trial->run;
    for (size_t p = 0; p < trial->n_parts; p++) {
        dray_part *part = &trial->parts[p];
        const dray_pool_view *pool = run->view->pools[part->pool];
        if (part->n_devices == 0 ||
            dray_run_word(run, part->devices[0])->slice->body->spec->node_name.n != 0)
            continue;
        dray_str name = part->is_set ? pool->counters[part->counters[0]].set
                                     : dray_view_device(run->view, part->devices[0])->name;
        dray_str key =
            dray_strf(seen->arena, "%d " DRAY_FMT "/" DRAY_FMT "/" DRAY_FMT, part->is_set,
                      DRAY_ARG(pool->driver), DRAY_ARG(pool->name), DRAY_ARG(name));
        part->ignored = dray_map_put(seen, key, seen) != NULL;
    }
}

/* --- what is usable --- */

bool dray_trial_take_alone(dray_run *run, const dray_alt *alt, uint32_t pos) {
    dray_alt bare = *alt;
    bare.n_constraints = 0;
    return dray_run_ask(run, alt->kind, pos) > 0 && dray_run_take(run, &bare, pos, false) > 0;
}

/* The alternatives of a group stand one after another. */
static void alts_of(const dray_alloc_trial *trial, size_t g, uint32_t *ret_first,
                    uint32_t *ret_end) {
    const dray_alloc_job *job = trial->run.job;
    const dray_trial_group *group = &trial->groups[g];
    *ret_first = *ret_end = 0;
    if (group->first_request == group->end_request)
        return;
    const dray_request_slot *last = &job->requests.v[group->end_request - 1];
    *ret_first = job->requests.v[group->first_request].first_alt;
    *ret_end = last->first_alt + last->n_alts;
}

/* As many devices of the set as go beside one another; what they draw. */
static double stack(dray_alloc_trial *trial, const dray_part *part, uint32_t first, uint32_t end,
                    uint32_t *ret_count) {
    dray_run *run = &trial->run;
    size_t mark = run->n_log;
    double before = left_of_set(run, part);
    *ret_count = 0;
    for (uint32_t i = 0; i < part->n_devices; i++)
        for (uint32_t a = first; a < end; a++)
            if (!run->job->alts.v[a].kind->admin &&
                dray_trial_take_alone(run, &run->job->alts.v[a], part->devices[i])) {
                ++*ret_count;
                break;
            }
    double drawn = *ret_count != 0 ? before - left_of_set(run, part) : 0;
    dray_run_undo(run, mark);
    return drawn;
}

static double usable_device(dray_alloc_trial *trial, uint32_t pos, uint32_t first, uint32_t end,
                            uint32_t *ret_count) {
    dray_run *run = &trial->run;
    double most = 0, weight = dray_run_is_multi(run, pos) ? weight_of(trial, pos) : 0;
    *ret_count = 0;
    if (dray_run_is_multi(run, pos) && weight == 0)
        return 0;
    for (uint32_t a = first; a < end; a++) {
        const dray_alt *alt = &run->job->alts.v[a];
        size_t mark = run->n_log;
        bool fits = !alt->kind->admin && dray_trial_take_alone(run, alt, pos);
        dray_run_undo(run, mark);
        if (!fits)
            continue;
        *ret_count = 1;
        double one = dray_run_is_multi(run, pos)
                         ? weight * left_of_shared(run, pos, dray_run_amounts(run, alt->kind, pos))
                         : DRAY_ALLOC_WHOLE;
        most = one > most ? one : most;
    }
    return most;
}

static double usable_part(dray_alloc_trial *trial, size_t g, const dray_part *part,
                          uint32_t *ret_count) {
    uint32_t first, end;
    *ret_count = 0;
    if (part->ignored)
        return 0;
    alts_of(trial, g, &first, &end);
    return part->is_set ? stack(trial, part, first, end, ret_count)
                        : usable_device(trial, part->devices[0], first, end, ret_count);
}

/* --- groups whose requests hang together --- */

/* Marks the parts of the solution found. */
static void mark_found(const dray_alloc_trial *trial, uint64_t *marks) {
    for (size_t i = 0; i < trial->n_found; i++) {
        const dray_part_list *list = &trial->parts_of[trial->found[i].position];
        for (uint32_t k = 0; k < list->n; k++)
            marks[list->v[k] / 64] |= (uint64_t)1 << list->v[k] % 64;
    }
}

/* Whether a solution has a device of the part. */
static bool takes_part(dray_alloc_trial *trial, size_t g, const dray_part *part) {
    const dray_alloc_job *job = trial->run.job;
    uint32_t first, end, tries = 0;
    alts_of(trial, g, &first, &end);
    for (uint32_t i = 0; i < part->n_devices; i++)
        for (uint32_t a = first; a < end; a++) {
            const dray_alt *alt = &job->alts.v[a];
            size_t mark = trial->run.n_log;
            bool alone = !alt->all && !alt->kind->admin &&
                         dray_trial_take_alone(&trial->run, alt, part->devices[i]);
            dray_run_undo(&trial->run, mark);
            if (!alone)
                continue;
            dray_alloc_pick pick = {alt->request - trial->groups[g].first_request, alt->index,
                                    part->devices[i]};
            if (dray_trial_find(trial, g, NULL, &pick, 1))
                return true;
            if (++tries == TRIES_MAX)
                return false;
        }
    return false;
}

/* Sum over parts that some solution takes a device of. usable: of each by itself. */
static double sum_solved(dray_alloc_trial *trial, size_t g, const double *usable) {
    dray_arena_mark mark = dray_arena_save(trial->run.arena);
    uint64_t *solved = DRAY_NEW_N(trial->run.arena, uint64_t, dray_bits_words(trial->n_parts) + 1);
    uint64_t *base =
        trial->solved != NULL ? &trial->solved[g * dray_bits_words(trial->n_parts)] : solved;
    double sum = 0;
    if (dray_trial_find(trial, g, NULL, NULL, 0))
        mark_found(trial, solved);
    else
        usable = NULL;
    for (uint32_t p = 0; usable != NULL && p < trial->n_parts; p++) {
        if (usable[p] <= 0)
            continue;
        /* What the taken ones don't touch is as it was, as long as the group fits at all. */
        bool as_before = trial->taken && trial->solved != NULL && !dray_bit(trial->near, p);
        if (as_before && dray_bit(base, p))
            solved[p / 64] |= (uint64_t)1 << p % 64;
        if (!as_before && !dray_bit(solved, p) && takes_part(trial, g, &trial->parts[p]))
            mark_found(trial, solved);
        sum += dray_bit(solved, p) ? usable[p] : 0;
    }
    if (!trial->taken && trial->solved != NULL)
        memcpy(base, solved, dray_bits_words(trial->n_parts) * sizeof *base);
    dray_arena_release(trial->run.arena, mark);
    return sum;
}

/* --- sums --- */

static void measure_all(dray_alloc_trial *trial) {
    dray_arena *arena = trial->run.arena;
    size_t n = trial->n_parts;
    trial->usable = DRAY_NEW_N(arena, double, trial->n_groups *n + 1);
    trial->solved = DRAY_NEW_N(arena, uint64_t, trial->n_groups *dray_bits_words(n) + 1);
    trial->counts = DRAY_NEW_N(arena, uint32_t, trial->n_groups *n + 1);
    for (size_t g = 0; g < trial->n_groups; g++)
        for (size_t p = 0; p < n && trial->groups[g].able; p++)
            trial->usable[g * n + p] =
                usable_part(trial, g, &trial->parts[p], &trial->counts[g * n + p]);
}

static double usable_to(dray_alloc_trial *trial, size_t g, double *parts) {
    const dray_trial_group *group = &trial->groups[g];
    size_t n = trial->n_parts;
    uint64_t count = 0;
    double sum = 0;
    if (!group->able || group->first_request == group->end_request)
        return 0;
    for (uint32_t p = 0; p < n; p++) {
        bool known = trial->usable != NULL && !(trial->taken && dray_bit(trial->near, p));
        uint32_t many = known ? trial->counts[g * n + p] : 0;
        parts[p] =
            known ? trial->usable[g * n + p] : usable_part(trial, g, &trial->parts[p], &many);
        sum += parts[p];
        count += many;
    }
    if (!group->simple)
        return sum_solved(trial, g, parts);
    const dray_alloc_job *job = trial->run.job;
    const dray_alt *alt = &job->alts.v[job->requests.v[group->first_request].first_alt];
    /* What is more than a whole number of them could take is of no use. */
    uint64_t need = (uint64_t)alt->count;
    return count >= need ? sum * (double)(count - count % need) / (double)count : 0;
}

void dray_alloc_trial_usable(dray_alloc_trial *trial, double *ret) {
    if (trial->usable == NULL && !trial->taken)
        measure_all(trial);
    double *parts = DRAY_NEW_N(trial->run.arena, double, trial->n_parts + 1);
    for (size_t g = 0; g < trial->n_groups; g++)
        ret[g] = usable_to(trial, g, parts);
}
