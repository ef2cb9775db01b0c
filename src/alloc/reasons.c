/* Why not: the first thing that keeps each device from each request, counted; and for the first
 * request that can't be met beside those before it, what keeps it from the devices it could have.
 * Only asked after a job does not fit: the search itself counts nothing. */
#include "alloc/walk_int.h"

typedef struct tally {
    uint32_t count;
    uint32_t example; /* position; of pools: index + 1 in `pools` */
} tally;

typedef struct counting {
    dray_run *run;
    DRAY_VEC(dray_alloc_reason) reasons;
    tally tallies[DRAY_ALLOC_CAUSE_GAVE_UP + 1];
    uint32_t usable, first_usable;
} counting;

static dray_alloc_cause of_capacity(dray_run *run, const dray_alt *alt, uint32_t pos) {
    dray_room room = dray_capacity_check(alt->kind->capacity, dray_view_device(run->view, pos),
                                         run->f.fractional, run->scratch, NULL, NULL);
    if (room == DRAY_ROOM_POLICY)
        return DRAY_ALLOC_CAUSE_POLICY_REJECTS;
    return room == DRAY_ROOM_YES ? DRAY_ALLOC_CAUSE_GATE_OFF : DRAY_ALLOC_CAUSE_CAPACITY_TOO_LARGE;
}

/* Why a device will not do whatever is taken. */
static dray_alloc_cause of_unusable(dray_run *run, const dray_alt *alt, uint32_t pos) {
    const dray_view_word *w = dray_run_word(run, pos);
    uint32_t device = dray_run_device(run, pos);
    if (!run->f.binding && dray_bit(w->slice->binding, device))
        return DRAY_ALLOC_CAUSE_GATE_OFF;
    if (dray_bit(run->findings[alt->kind->number].failing, pos))
        return DRAY_ALLOC_CAUSE_SELECTOR_ERROR;
    if (!dray_bit(run->view->reach, pos))
        return DRAY_ALLOC_CAUSE_OTHER_NODE;
    int selectable = dray_run_selectable(run, alt->kind, pos);
    if (selectable > 0)
        return !run->f.partitionable && dray_bit(w->slice->counters, device)
                   ? DRAY_ALLOC_CAUSE_GATE_OFF
               : run->f.taints && !dray_tolerated(alt->kind, w->slice, device)
                   ? DRAY_ALLOC_CAUSE_DEVICE_TAINT
                   : DRAY_ALLOC_CAUSE_GATE_OFF;
    dray_kindred roomy = *alt->kind; /* the same without a wish for capacity */
    roomy.capacity = NULL;
    if (alt->kind->capacity != NULL && dray_run_selectable(run, &roomy, pos) != 0)
        return of_capacity(run, alt, pos);
    return DRAY_ALLOC_CAUSE_SELECTOR_FALSE;
}

/* The cause that strikes a device for an alternative on the state of the start; GAVE_UP: none. */
static dray_alloc_cause of_device(dray_run *run, const dray_alt *alt, uint32_t pos) {
    const dray_view_word *w = dray_run_word(run, pos);
    uint32_t device = dray_run_device(run, pos);
    (void)dray_run_ask(run, alt->kind, pos);
    if (!dray_bit(run->findings[alt->kind->number].usable, pos))
        return of_unusable(run, alt, pos);
    if (!alt->kind->admin && dray_bit(w->slice->in_use, device))
        return DRAY_ALLOC_CAUSE_IN_USE;
    bool multi = dray_run_is_multi(run, pos);
    if (multi &&
        !dray_sharing_fits(dray_run_sharing(run, pos), dray_run_amounts(run, alt->kind, pos),
                           dray_view_device(run->view, pos)->capacity.n))
        return DRAY_ALLOC_CAUSE_CAPACITY_EXHAUSTED;
    for (uint32_t c = 0; c < alt->n_constraints; c++) {
        const dray_resource_device_attribute *found;
        if (!dray_run_attribute(run, alt, pos, alt->constraints[c], &found) || found == NULL)
            return DRAY_ALLOC_CAUSE_CONSTRAINT_ABSENT;
    }
    run->error = DRAY_STR_NONE;
    size_t mark = run->n_log;
    int taken = dray_run_take(run, alt, pos, false);
    dray_run_undo(run, mark);
    run->error = DRAY_STR_NONE;
    if (taken > 0)
        return DRAY_ALLOC_CAUSE_GAVE_UP;
    return dray_bit(w->slice->counters, device) ? DRAY_ALLOC_CAUSE_COUNTERS_EXHAUSTED
                                                : DRAY_ALLOC_CAUSE_CONSTRAINT_UNSATISFIED;
}

static void note(counting *c, dray_alloc_cause cause, uint32_t count, uint32_t example) {
    tally *t = &c->tallies[cause];
    if (t->count == 0)
        t->example = example;
    t->count += count;
}

static void look_at_pools(counting *c) {
    const dray_view *view = c->run->view;
    for (uint32_t p = 0; p < view->n_pools; p++) {
        const dray_pool_view *pool = view->pools[p];
        if (pool->state == DRAY_POOL_READY)
            continue;
        uint32_t devices = 0;
        for (size_t s = 0; s < pool->n_mine; s++)
            devices += pool->mine[s]->n_devices;
        note(c,
             pool->state == DRAY_POOL_INVALID ? DRAY_ALLOC_CAUSE_POOL_INVALID
                                              : DRAY_ALLOC_CAUSE_POOL_INCOMPLETE,
             devices, p);
    }
}

static void look_at_devices(counting *c, const dray_alt *alt) {
    const dray_view *view = c->run->view;
    for (uint32_t w = 0; w < view->n_words; w++) {
        const dray_view_word *word = &view->words[w];
        for (uint32_t i = 0; i < 64 && word->word * 64 + i < word->slice->n_devices; i++) {
            dray_alloc_cause cause = of_device(c->run, alt, w * 64 + i);
            if (cause != DRAY_ALLOC_CAUSE_GAVE_UP)
                note(c, cause, 1, w * 64 + i);
            else if (c->usable++ == 0)
                c->first_usable = w * 64 + i;
        }
    }
}

static dray_str example_of(const dray_run *run, dray_alloc_cause cause, uint32_t example) {
    if (cause != DRAY_ALLOC_CAUSE_POOL_INVALID && cause != DRAY_ALLOC_CAUSE_POOL_INCOMPLETE)
        return dray_device_name(run->view, example, run->arena);
    const dray_pool_view *pool = run->view->pools[example];
    return dray_strf(run->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(pool->driver),
                     DRAY_ARG(pool->name));
}

static void write_down(counting *c, const dray_alt *alt) {
    for (int cause = 0; cause <= DRAY_ALLOC_CAUSE_GAVE_UP; cause++) {
        const tally *t = &c->tallies[cause];
        if (t->count == 0)
            continue;
        dray_alloc_reason reason = {.claim = alt->claim,
                                    .request = alt->full_name,
                                    .cause = (dray_alloc_cause)cause,
                                    .count = t->count,
                                    .example =
                                        example_of(c->run, (dray_alloc_cause)cause, t->example)};
        DRAY_PUSH(c->run->arena, &c->reasons, reason);
    }
}

/* What keeps the devices that an alternative could have from it, beside the others. */
static dray_alloc_cause together(const dray_run *run, const dray_alt *alt, uint32_t pos) {
    if (run->claim_picks[alt->claim] + alt->count > DRAY_ALLOC_RESULTS_MAX)
        return DRAY_ALLOC_CAUSE_LIMIT_EXCEEDED;
    if (alt->n_constraints > 0)
        return DRAY_ALLOC_CAUSE_CONSTRAINT_UNSATISFIED;
    const dray_slice *slice = dray_run_word(run, pos)->slice;
    if (dray_bit(slice->counters, dray_run_device(run, pos)))
        return DRAY_ALLOC_CAUSE_COUNTERS_EXHAUSTED;
    return dray_run_is_multi(run, pos) ? DRAY_ALLOC_CAUSE_CAPACITY_EXHAUSTED
                                       : DRAY_ALLOC_CAUSE_TOO_FEW;
}

/* The first request that can't be met together with those before it. */
static uint32_t first_hopeless(dray_run *run) {
    uint32_t n = (uint32_t)run->job->requests.n;
    for (uint32_t end = 1; end < n; end++) {
        if (dray_run_search_until(run, end) != DRAY_END_FOUND)
            return end - 1;
    }
    return n - 1;
}

void dray_run_reasons(dray_run *run, dray_alloc_outcome *ret) {
    const dray_alloc_job *job = run->job;
    if (ret->kind != DRAY_ALLOC_DOES_NOT_FIT)
        return;
    counting c = {.run = run};
    run->n_frames = 0;
    dray_run_undo(run, 0);
    run->proof = NULL;
    uint64_t steps = run->steps;
    uint32_t hopeless = first_hopeless(run);
    for (size_t a = 0; a < job->alts.n; a++) {
        const dray_alt *alt = &job->alts.v[a];
        memset(c.tallies, 0, sizeof c.tallies);
        c.usable = 0;
        look_at_pools(&c);
        look_at_devices(&c, alt);
        int64_t need = alt->all ? (int64_t)run->alls[a].n : alt->count;
        if (alt->request == hopeless && c.usable > 0)
            note(&c,
                 (int64_t)c.usable < need ? DRAY_ALLOC_CAUSE_TOO_FEW
                                          : together(run, alt, c.first_usable),
                 c.usable, c.first_usable);
        size_t before = c.reasons.n;
        write_down(&c, alt);
        if (alt->request == hopeless && c.reasons.n == before) {
            dray_alloc_reason none = {alt->claim, alt->full_name, DRAY_ALLOC_CAUSE_TOO_FEW, 0,
                                      DRAY_STR_NONE};
            DRAY_PUSH(run->arena, &c.reasons, none);
        }
    }
    run->steps = steps;
    ret->reasons = c.reasons.v;
    ret->n_reasons = c.reasons.n;
}
