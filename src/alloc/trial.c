/* Trials: solutions for a group of claims, with devices that the caller wants among them. */
#include "alloc/trial_int.h"

enum { SOLVE_STEPS = 4000 }; /* of one search: past them it counts as in vain */

static void open_group(dray_alloc_trial *trial, size_t g, size_t first, size_t end) {
    const dray_alloc_job *job = trial->run.job;
    dray_trial_group *group = &trial->groups[g];
    group->first_claim = first;
    group->end_claim = end;
    if (first < end) {
        group->first_request = job->claims[first].first_request;
        group->end_request = job->claims[end - 1].first_request + job->claims[end - 1].n_requests;
    }
    group->able = dray_run_check_claims(&trial->run, first, end);
    trial->run.error = DRAY_STR_NONE;
    if (group->end_request - group->first_request != 1)
        return;
    const dray_request_slot *request = &job->requests.v[group->first_request];
    const dray_alt *alt = &job->alts.v[request->first_alt];
    group->simple =
        !request->prioritized && !alt->all && !alt->kind->admin && alt->n_constraints == 0;
}

dray_alloc_trial *dray_alloc_trial_new(dray_alloc_job *job, const size_t *ends, size_t n,
                                       dray_cluster_node *node, dray_arena *arena) {
    dray_alloc *alloc = job->alloc;
    dray_alloc_trial *trial = DRAY_NEW(arena, dray_alloc_trial);
    dray_run *run = &trial->run;
    *run =
        (dray_run){.job = job, .node = node, .arena = arena, .scratch = arena, .f = job->features};
    if (node->body == NULL || dray_cluster_view(alloc->cluster, node, &run->view, NULL) != DRAY_OK)
        return NULL;
    run->log = alloc->log;
    run->log_room = alloc->log_room;
    dray_run_make_room(run);
    dray_run_make_wishes(run);
    if (job->n_claims != 0 && job->claims[job->n_claims - 1].body == NULL)
        return NULL; /* too many to be read */
    size_t most = job->n_decisions + run->view->n_words * 64 + 1;
    run->picks = DRAY_NEW_N(arena, dray_pick, most);
    trial->found = DRAY_NEW_N(arena, dray_alloc_pick, job->n_decisions + 1);
    trial->positions = DRAY_NEW_N(arena, uint32_t, job->n_decisions + 1);
    trial->groups = DRAY_NEW_N(arena, dray_trial_group, n + 1);
    trial->n_groups = n;
    for (size_t g = 0; g < n; g++)
        open_group(trial, g, g != 0 ? ends[g - 1] : 0, ends[g]);
    dray_trial_list_parts(trial);
    return trial;
}

void dray_alloc_trial_end(dray_alloc_trial *trial) {
    if (trial == NULL)
        return;
    dray_alloc *alloc = trial->run.job->alloc;
    alloc->log = trial->run.log;
    alloc->log_room = trial->run.log_room;
}

/* alternatives: by request of the group; fixes them, or fixes none of them any more. */
static void fix(dray_alloc_trial *trial, const dray_trial_group *group,
                const uint32_t *alternatives, bool on) {
    for (uint32_t r = group->first_request; alternatives != NULL && r < group->end_request; r++) {
        uint32_t wanted = alternatives[r - group->first_request];
        trial->run.fixed[r] = on && wanted != UINT32_MAX ? wanted + 1 : 0;
    }
}

bool dray_trial_find(dray_alloc_trial *trial, size_t g, const uint32_t *alternatives,
                     const dray_alloc_pick *wanted, size_t n) {
    dray_run *run = &trial->run;
    const dray_trial_group *group = &trial->groups[g];
    size_t mark = run->n_log;
    uint32_t first = run->n_picks;
    trial->n_found = 0;
    if (!group->able || n > run->job->n_decisions)
        return false;
    fix(trial, group, alternatives, true);
    dray_run_want(run, group->first_request, wanted, n, trial->positions);
    dray_end end =
        dray_run_search_between(run, group->first_request, group->end_request, SOLVE_STEPS);
    for (uint32_t i = first; end == DRAY_END_FOUND && i < run->n_picks; i++) {
        const dray_alt *alt = &run->job->alts.v[run->picks[i].alt];
        trial->found[trial->n_found++] =
            (dray_alloc_pick){alt->request - group->first_request, alt->index, run->picks[i].pos};
    }
    dray_run_undo(run, mark);
    dray_run_want_no_more(run, group->first_request, wanted, n);
    fix(trial, group, alternatives, false);
    return end == DRAY_END_FOUND;
}

bool dray_alloc_trial_solve(dray_alloc_trial *trial, size_t g, const uint32_t *alternatives,
                            const dray_alloc_pick *wanted, size_t n, dray_alloc_solution *ret) {
    if (!dray_trial_find(trial, g, alternatives, wanted, n))
        return false;
    const dray_trial_group *group = &trial->groups[g];
    dray_arena *arena = trial->run.arena;
    dray_alloc_pick *picks = DRAY_NEW_N(arena, dray_alloc_pick, trial->n_found + 1);
    memcpy(picks, trial->found, trial->n_found * sizeof *picks);
    ret->n_requests = group->end_request - group->first_request;
    uint32_t *chosen = DRAY_NEW_N(arena, uint32_t, ret->n_requests + 1);
    for (size_t i = 0; i < trial->n_found; i++)
        chosen[picks[i].request] = picks[i].alternative;
    ret->picks = picks;
    ret->n = trial->n_found;
    ret->alternatives = chosen;
    return true;
}

bool dray_alloc_trial_best(dray_alloc_trial *trial, size_t g, dray_alloc_solution *ret) {
    if (!dray_alloc_trial_solve(trial, g, NULL, NULL, 0, ret))
        return false;
    uint32_t *want = DRAY_NEW_N(trial->run.arena, uint32_t, ret->n_requests + 1);
    for (size_t r = 0; r < ret->n_requests; r++)
        want[r] = UINT32_MAX;
    for (size_t r = 0; r < ret->n_requests; r++) {
        dray_alloc_solution better;
        for (want[r] = 0; want[r] < ret->alternatives[r]; want[r]++)
            if (dray_alloc_trial_solve(trial, g, want, NULL, 0, &better)) {
                *ret = better;
                break;
            }
        want[r] = ret->alternatives[r];
    }
    return true;
}

static const dray_alt *alt_of(const dray_alloc_trial *trial, size_t g, uint32_t request,
                              uint32_t alternative) {
    const dray_alloc_job *job = trial->run.job;
    const dray_request_slot *slot = &job->requests.v[trial->groups[g].first_request + request];
    return &job->alts.v[slot->first_alt + alternative];
}

bool dray_alloc_trial_is_free(const dray_alloc_trial *trial, size_t g,
                              const dray_alloc_pick *pick) {
    const dray_alt *alt = alt_of(trial, g, pick->request, pick->alternative);
    return !alt->all && !alt->kind->admin;
}

bool dray_alloc_trial_take(dray_alloc_trial *trial, size_t g, const dray_alloc_solution *s) {
    dray_run *run = &trial->run;
    trial->mark = run->n_log;
    memset(trial->touched, 0, dray_bits_words(trial->n_parts) * sizeof *trial->touched);
    memset(trial->near, 0, dray_bits_words(trial->n_parts) * sizeof *trial->near);
    for (size_t i = 0; i < s->n; i++) {
        const dray_alt *alt = alt_of(trial, g, s->picks[i].request, s->picks[i].alternative);
        uint32_t pos = s->picks[i].position;
        if (dray_run_ask(run, alt->kind, pos) <= 0 || dray_run_take(run, alt, pos, alt->all) <= 0) {
            run->error = DRAY_STR_NONE;
            dray_run_undo(run, trial->mark);
            return false;
        }
        for (uint32_t k = 0; k < trial->parts_of[pos].n && !alt->kind->admin; k++) {
            uint32_t part = trial->parts_of[pos].v[k];
            trial->touched[part / 64] |= (uint64_t)1 << part % 64;
        }
    }
    for (uint32_t p = 0; p < trial->n_parts; p++)
        for (uint32_t i = 0; dray_bit(trial->touched, p) && i < trial->parts[p].n_devices; i++) {
            const dray_part_list *list = &trial->parts_of[trial->parts[p].devices[i]];
            for (uint32_t k = 0; k < list->n; k++)
                trial->near[list->v[k] / 64] |= (uint64_t)1 << list->v[k] % 64;
        }
    return trial->taken = true;
}

void dray_alloc_trial_back(dray_alloc_trial *trial) {
    dray_run_undo(&trial->run, trial->mark);
    trial->taken = false;
}

static bool is_twin(const dray_alloc_trial *trial, const dray_key *keys, size_t n, dray_key key) {
    for (size_t i = 0; i < n; i++)
        if (dray_key_equal(keys[i], key))
            return true;
    return false;
}

/* What is wanted already makes its parts unlike any others. */
static dray_key key_beside(const dray_alloc_trial *trial, uint32_t pos,
                           const dray_alloc_pick *wanted, size_t n) {
    dray_key key = trial->keys[pos];
    for (uint32_t k = 0; k < trial->parts_of[pos].n; k++) {
        uint32_t part = trial->parts_of[pos].v[k];
        for (size_t i = 0; i < n; i++) {
            const dray_part_list *list = &trial->parts_of[wanted[i].position];
            for (uint32_t m = 0; m < list->n; m++)
                if (list->v[m] == part)
                    key = dray_key_mix(key, part + 1);
        }
    }
    return key;
}

static bool is_wanted(const dray_alloc_trial *trial, const dray_alloc_pick *wanted, size_t n,
                      uint32_t request, uint32_t pos) {
    for (size_t i = 0; i < n; i++)
        if (wanted[i].position == pos &&
            (wanted[i].request == request || !dray_run_is_multi(&trial->run, pos)))
            return true;
    return false;
}

size_t dray_alloc_trial_candidates(dray_alloc_trial *trial, size_t g, uint32_t request,
                                   uint32_t alternative, const dray_alloc_pick *wanted, size_t n,
                                   uint32_t *ret, size_t most) {
    dray_run *run = &trial->run;
    const dray_alt *alt = alt_of(trial, g, request, alternative);
    dray_key *seen = DRAY_NEW_N(run->arena, dray_key, most + 1);
    size_t count = 0;
    dray_trial_make_keys(trial);
    for (uint32_t pos = 0; pos < run->view->n_words * 64 && count < most; pos++) {
        if (!dray_trial_is_device(run, pos) || is_wanted(trial, wanted, n, request, pos) ||
            dray_run_ask(run, alt->kind, pos) <= 0)
            continue;
        dray_key key = key_beside(trial, pos, wanted, n);
        size_t mark = run->n_log;
        bool fits = !is_twin(trial, seen, count, key) && dray_trial_take_alone(run, alt, pos);
        dray_run_undo(run, mark);
        if (!fits)
            continue;
        seen[count] = key;
        ret[count++] = pos;
    }
    return count;
}
