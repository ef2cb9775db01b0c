/* The search: Kubernetes' walk, and where it fails often, the same walk with branches left out that
 * are proved empty.
 *
 * Decisions stand in a fixed order: claims, their requests, of each request the alternative, then
 * its devices one by one in rising positions; the first complete assignment is the answer. A stack
 * of frames holds the open decisions. The plain walk is what most inputs need. At its first dead
 * end devices are counted (glance.c); after more of them, or many steps, it begins anew with a
 * proof beside it (prove.c), which refuses to go down where it can tell that nothing is there, and
 * tells candidates apart that cannot end otherwise than one that has failed; at last it asks
 * whether anything at all completes a state (ask.c). Where a request's
 * selectors could fail with an error, nothing behind it is judged: the error must be met as
 * Kubernetes meets it.
 */
#include "alloc/prove_int.h"

enum {
#ifdef DRAY_STRESS
    PLAIN_FAILURES = 0,
    PLAIN_STEPS = 0,
    GLANCE_FAILURES = 0, /* at none */
    PROVED_FAILURES = 0,
#else
    PLAIN_FAILURES = 30,
    PLAIN_STEPS = 128, /* what a proof costs, about */
    GLANCE_FAILURES = 1,
    PROVED_FAILURES = 28,
#endif
    GLANCE_STEPS = 5000,
    LEFT_WORDS = 8,       /* of candidates, counted before they are tried */
    WANTED_STEPS = 20000, /* of a run that must take certain devices */
    LOOK_EVERY = 64,      /* steps between two looks at the clock */
};

bool dray_run_look(dray_run *run) {
    const dray_alloc_options *o = &run->job->options;
    run->next_look = run->steps + LOOK_EVERY;
    if (run->step_limit != 0 && run->steps > run->step_limit) {
        run->gave_up = true;
        return false;
    }
    if (o->clock != NULL && o->clock(o->clock_context) > run->deadline_ns) {
        run->timed_out = true;
        run->error = DRAY_STR("filter operation aborted: context deadline exceeded");
        return false;
    }
    return true;
}

/* Where the walk stands: the next device to find. */
typedef struct point {
    uint32_t place;          /* in the order of the walk */
    uint32_t claim, request; /* number in the job */
    int64_t alt;             /* -1: not chosen */
    uint32_t index, start;
} point;

/* The memory of frames is not set when it is new. */
static void keep_twins(dray_run *run, dray_frame *frame) {
    if (run->n_frames == run->n_twinned) {
        frame->twins = NULL;
        run->n_twinned++;
    }
}

/* Member by member: a frame made elsewhere and copied costs more than all else here. */
static dray_end open_frame(dray_run *run, int kind, const point *at, uint32_t alt, bool *ret_open) {
    dray_frame *frame = &run->frames[run->n_frames];
    frame->kind = kind;
    frame->claim = at->claim;
    frame->request = at->request;
    frame->place = at->place;
    frame->alt = alt;
    frame->index = at->index;
    frame->start = frame->next = at->start;
    frame->all_exceeded = kind == DRAY_FRAME_CHOICE;
    frame->mark = run->n_log;
    frame->state[0] = frame->state[1] = 0;
    if (run->proof != NULL)
        keep_twins(run, frame);
    run->n_frames++; /* a question that is asked meanwhile stands on top */
    if (run->proof != NULL && dray_proof_is_empty(run->proof, frame))
        run->n_frames--;
    else
        *ret_open = true;
    return DRAY_END_FAILED;
}

/* A question chooses the request for the place, and looks whether anything can follow. */
static dray_end open_next(dray_run *run, point *at, bool *ret_open) {
    dray_frame *frame = &run->frames[run->n_frames];
    keep_twins(run, frame);
    struct dray_twins *twins = frame->twins;
    *frame = (dray_frame){.kind = DRAY_FRAME_CHOICE,
                          .place = at->place,
                          .all_exceeded = true,
                          .mark = run->n_log,
                          .twins = twins};
    if (dray_ask_next(run->proof, frame))
        return DRAY_END_FAILED;
    at->claim = frame->claim;
    const dray_request_slot *request = &run->job->requests.v[frame->request];
    if (!request->prioritized) {
        const dray_alt *alt = &run->job->alts.v[request->first_alt];
        int64_t need = alt->all ? (int64_t)run->alls[alt->number].n : alt->count;
        if (need == 0)
            return DRAY_END_FAILED;
        if (need > (int64_t)DRAY_ALLOC_RESULTS_MAX - run->claim_picks[at->claim])
            return DRAY_END_EXCEEDED;
        frame->kind = alt->all ? DRAY_FRAME_FIXED : DRAY_FRAME_DEVICE;
        frame->alt = alt->number;
        frame->all_exceeded = false;
    }
    dray_bounds_keep(run->proof, frame);
    run->n_frames++;
    *ret_open = true;
    return DRAY_END_FAILED;
}

/* Goes down to the next decision and opens its frame; or tells how it ended. */
static dray_end descend(dray_run *run, point *where, bool *ret_open) {
    dray_alloc_job *job = run->job;
    *ret_open = false;
    for (point at = *where;; *where = at) {
        if (at.place == run->end)
            return DRAY_END_FOUND;
        if (run->asking && at.alt < 0)
            return open_next(run, where, ret_open);
        at.request = dray_run_request(run, at.place);
        const dray_request_slot *request = &job->requests.v[at.request];
        where->claim = at.claim = request->claim;
        if (at.alt < 0 && request->prioritized)
            return open_frame(run, DRAY_FRAME_CHOICE,
                              &(point){.place = at.place, .claim = at.claim, .request = at.request},
                              0, ret_open);
        const dray_alt *alt = &job->alts.v[at.alt < 0 ? request->first_alt : (uint32_t)at.alt];
        int64_t need = alt->all ? (int64_t)run->alls[alt->number].n : alt->count;
        if (alt->all && need == 0)
            return DRAY_END_FAILED;
        if ((int64_t)at.index >= need) {
            at = (point){.place = at.place + 1, .alt = -1};
            continue;
        }
        if (need - at.index > (int64_t)DRAY_ALLOC_RESULTS_MAX - run->claim_picks[at.claim])
            return DRAY_END_EXCEEDED;
        int kind = alt->all ? DRAY_FRAME_FIXED : DRAY_FRAME_DEVICE;
        if (run->wanted != NULL && !alt->all && at.index < run->wanted[alt->number].n)
            kind = DRAY_FRAME_WANTED;
        return open_frame(run, kind, &at, alt->number, ret_open);
    }
}

static point after(const dray_frame *frame, uint32_t pos) {
    return (point){frame->place, frame->claim,     frame->request,
                   frame->alt,   frame->index + 1, pos + 1};
}

static bool is_wanted(const dray_run *run, uint32_t alt, uint32_t pos) {
    const dray_wanted *w = &run->wanted[alt];
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->positions[i] == pos)
            return true;
    }
    return false;
}

/* Devices of a word that a request of the kindred may have, as far as nothing is found out. */
static inline uint64_t open_ones(const dray_run *run, const dray_alt *alt, uint32_t w) {
    const dray_view_word *word = &run->view->words[w];
    uint64_t n = word->slice->n_devices - (uint64_t)word->word * 64;
    uint64_t bits = n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
    if (alt->kind->admin)
        bits &= ~run->taken_admin[alt->claim][w];
    else
        bits &= ~(word->slice->in_use[word->word] | run->taken[w]);
    return run->wanted == NULL ? bits : bits & ~run->reserved[w];
}

/* Those of the candidates that a constraint will not refuse at sight: steps that cost little. What
 * is not known yet stays, since asking may fail. */
static uint64_t sift(dray_run *run, const dray_alt *alt, uint32_t w, uint64_t bits) {
    dray_kindred *kind = alt->kind;
    const dray_findings *f = &run->findings[kind->number];
    bool at_once = kind->request_list == NULL && kind->capacity == NULL;
    if (at_once && (f->known == NULL || (bits & ~f->known[w]) != 0))
        dray_run_ask_word(run, kind, w);
    if (f->known == NULL)
        return bits;
    uint64_t fine = bits & f->known[w] & f->usable[w];
    uint64_t refused = fine & ~dray_constraints_sift(run, alt, w, fine);
    run->steps += (uint64_t)__builtin_popcountll(refused);
    return bits & ~refused;
}

/* One candidate. FOUND: it is taken; FAILED: refused. */
static inline dray_end try_device(dray_run *run, dray_frame *frame, const dray_alt *alt,
                                  uint32_t pos) {
    if (!dray_run_step(run))
        return DRAY_END_STOPPED;
    int answer = dray_run_ask(run, alt->kind, pos);
    if (answer < 0) {
        dray_run_tell(run, alt, pos, false);
        return DRAY_END_STOPPED;
    }
    if (answer == 0 || (run->proof != NULL && dray_proof_is_twin(run->proof, frame, pos)) ||
        (run->wanted != NULL && is_wanted(run, frame->alt, pos)))
        return DRAY_END_FAILED;
    int taken = dray_run_take_free(run, alt, pos, false);
    return taken < 0 ? DRAY_END_STOPPED : taken > 0 ? DRAY_END_FOUND : DRAY_END_FAILED;
}

/* Whether fewer candidates are left, from these bits of the word on, than the request still wants;
 * false where one could fail. */
static bool too_few_left(const dray_run *run, const dray_frame *frame, const dray_alt *alt,
                         uint32_t w, uint64_t bits) {
    const dray_findings *f = &run->findings[alt->kind->number];
    int64_t need = alt->count - frame->index;
    if (alt->n_derived > 0 || f->known == NULL)
        return false;
    for (uint32_t end = w + LEFT_WORDS; need > 1; bits = open_ones(run, alt, w)) {
        if ((bits & (~f->known[w] | f->failing[w])) != 0)
            return false;
        need -= __builtin_popcountll(bits & f->usable[w]);
        if (++w == run->view->n_words)
            return need > 0;
        if (w == end)
            return false;
    }
    return false;
}

/* Takes the frame's next candidate. FOUND: one is taken, *ret_at is where to go on. */
static dray_end next_device(dray_run *run, dray_frame *frame, point *ret_at) {
    const dray_alt *alt = &run->job->alts.v[frame->alt];
    const dray_findings *f = &run->findings[alt->kind->number];
    uint32_t n_words = (uint32_t)run->view->n_words;
    bool sifting = alt->n_constraints > 0 && alt->n_derived == 0;
    /* Not before the first dead end: most walks meet none. */
    bool counting = run->failures > 0 && run->proof == NULL && run->wanted == NULL;
    for (uint32_t w = frame->next / 64; w < n_words; w++) {
        uint64_t bits = open_ones(run, alt, w);
        if (w == frame->next / 64)
            bits &= ~(uint64_t)0 << frame->next % 64;
        if (sifting && (bits & (bits - 1)) != 0) {
            bits = sift(run, alt, w, bits);
            if (run->steps >= run->next_look && !dray_run_look(run))
                return DRAY_END_STOPPED;
        }
        if (run->proof != NULL && f->known != NULL)
            bits &= ~(dray_proof_left_out(frame, w) & f->known[w] & f->usable[w]);
        if (counting && too_few_left(run, frame, alt, w, bits))
            return DRAY_END_FAILED;
        counting = false;
        while (bits != 0) {
            if (f->known != NULL)
                bits &= ~f->known[w] | f->usable[w] | f->failing[w];
            if (bits == 0)
                break;
            uint32_t pos = w * 64 + (uint32_t)__builtin_ctzll(bits);
            bits &= bits - 1;
            frame->next = pos + 1;
            dray_end end = try_device(run, frame, alt, pos);
            if (end == DRAY_END_FAILED)
                continue;
            if (end == DRAY_END_FOUND)
                *ret_at = after(frame, pos);
            return end;
        }
        frame->next = (w + 1) * 64;
    }
    return DRAY_END_FAILED;
}

/* Whether somebody has one of mode All's devices; constraints would be asked before. */
static bool lacks_one(const dray_run *run, const dray_alt *alt) {
    const dray_all_list *all = &run->alls[alt->number];
    for (size_t i = 0; i < all->n && alt->n_constraints == 0 && !alt->kind->admin; i++) {
        if (dray_run_in_use(run, alt, all->positions[i]))
            return true;
    }
    return false;
}

static dray_end next_fixed(dray_run *run, dray_frame *frame, point *ret_at) {
    if (frame->next == UINT32_MAX)
        return DRAY_END_FAILED;
    frame->next = UINT32_MAX;
    const dray_alt *alt = &run->job->alts.v[frame->alt];
    if (frame->index == 0 && run->failures > 0 && lacks_one(run, alt))
        return DRAY_END_FAILED;
    uint32_t pos = run->alls[frame->alt].positions[frame->index];
    if (!dray_run_step(run))
        return DRAY_END_STOPPED;
    int taken = dray_run_take(run, alt, pos, true);
    if (taken <= 0)
        return taken < 0 ? DRAY_END_STOPPED : DRAY_END_FAILED;
    *ret_at = after(frame, pos);
    return DRAY_END_FOUND;
}

/* Others of the request may lie before it. */
static dray_end next_wanted(dray_run *run, dray_frame *frame, point *ret_at) {
    if (frame->next == UINT32_MAX)
        return DRAY_END_FAILED;
    frame->next = UINT32_MAX;
    const dray_alt *alt = &run->job->alts.v[frame->alt];
    uint32_t pos = run->wanted[frame->alt].positions[frame->index];
    if (!dray_run_step(run))
        return DRAY_END_STOPPED;
    int taken = dray_run_ask(run, alt->kind, pos) > 0 ? dray_run_take(run, alt, pos, false) : 0;
    if (taken <= 0)
        return taken < 0 ? DRAY_END_STOPPED : DRAY_END_FAILED;
    *ret_at = after(frame, pos);
    ret_at->start = 0;
    return DRAY_END_FOUND;
}

static dray_end next_choice(dray_run *run, dray_frame *frame, point *ret_at) {
    const dray_request_slot *request = &run->job->requests.v[frame->request];
    uint32_t fixed = run->wanted != NULL ? run->fixed[frame->request] : 0;
    if (fixed != 0)
        frame->next = frame->next < fixed ? fixed - 1 : request->n_alts;
    while (run->proof != NULL && frame->next < request->n_alts &&
           dray_proof_leaves_out(frame, frame->next)) {
        frame->next++;
        frame->all_exceeded = false;
    }
    if (frame->next == request->n_alts)
        return frame->all_exceeded ? DRAY_END_EXCEEDED : DRAY_END_FAILED;
    if (!dray_run_step(run))
        return DRAY_END_STOPPED;
    frame->alt = request->first_alt + frame->next++;
    dray_run_set4(run, &run->chosen[frame->request], frame->next - 1);
    *ret_at = (point){
        .place = frame->place, .claim = frame->claim, .request = frame->request, .alt = frame->alt};
    return DRAY_END_FOUND;
}

static dray_end next(dray_run *run, dray_frame *frame, point *ret_at) {
    switch (frame->kind) {
    case DRAY_FRAME_CHOICE:
        return next_choice(run, frame, ret_at);
    case DRAY_FRAME_FIXED:
        return next_fixed(run, frame, ret_at);
    case DRAY_FRAME_WANTED:
        return next_wanted(run, frame, ret_at);
    case DRAY_FRAME_DEVICE:
        break;
    }
    return next_device(run, frame, ret_at);
}

/* Back to the frame that has something left to try, after a part below it has ended so. */
static dray_end back(dray_run *run, size_t floor, dray_end end, uint32_t claim) {
    while (run->n_frames > floor) {
        dray_frame *frame = &run->frames[run->n_frames - 1];
        /* The limit is a claim's own: to an earlier claim it is a plain failure. */
        if (frame->claim != claim)
            end = DRAY_END_FAILED;
        claim = frame->claim;
        dray_run_undo(run, frame->mark);
        if (run->proof != NULL && end == DRAY_END_FAILED)
            dray_proof_failed(run->proof, frame);
        if (frame->kind == DRAY_FRAME_CHOICE) {
            frame->all_exceeded &= end == DRAY_END_EXCEEDED;
            return DRAY_END_FAILED;
        }
        if (end == DRAY_END_FAILED)
            return end;
        run->n_frames--;
    }
    return end;
}

/* Time to look closer: a proof beside the walk, and then questions. */
static bool looks_hopeless(dray_run *run) {
    if (run->wanted != NULL)
        return false;
    if (run->proof == NULL)
        return ++run->failures > PLAIN_FAILURES || (run->failures > 2 && run->steps > PLAIN_STEPS);
    if (run->proof->asking == NULL)
        return run->proof->failures > PROVED_FAILURES;
    return !run->asking && dray_ask_is_due(run->proof);
}

static dray_end walk(dray_run *run, point at, size_t floor) {
    bool open;
    dray_end end = descend(run, &at, &open);
    for (;;) {
        uint32_t claim = at.claim;
        bool dead_end = true;
        if (open) {
            dray_frame *frame = &run->frames[run->n_frames - 1];
            /* What has no choice is no dead end of its own when something after it is one. */
            dead_end = frame->kind != DRAY_FRAME_FIXED || frame->next != UINT32_MAX;
            end = next(run, frame, &at);
            if (end == DRAY_END_FOUND) {
                end = descend(run, &at, &open);
                continue;
            }
            if (end == DRAY_END_STOPPED)
                return end;
            if (run->proof != NULL && end == DRAY_END_FAILED)
                dray_proof_exhausted(run->proof, frame);
            claim = frame->claim;
            run->n_frames--;
        }
        if (end == DRAY_END_FOUND || end == DRAY_END_STOPPED)
            return end;
        if (dead_end && looks_hopeless(run))
            return DRAY_END_PROVE;
        if (run->failures == GLANCE_FAILURES && dead_end && run->n_frames > floor &&
            run->proof == NULL && run->wanted == NULL && dray_run_too_few(run))
            return DRAY_END_FAILED;
        end = back(run, floor, end, claim);
        if (run->n_frames == floor)
            return end;
        open = true;
    }
}

dray_end dray_run_search_from(dray_run *run, const dray_frame *from, uint64_t step_limit) {
    uint64_t limit = run->step_limit;
    size_t floor = run->n_frames, mark = run->n_log;
    run->step_limit = run->steps + step_limit;
    if (limit != 0 && limit < run->step_limit)
        run->step_limit = limit;
    run->next_look = run->steps;
    bool begun = from->kind != DRAY_FRAME_CHOICE &&
                 (from->index > 0 || run->job->requests.v[from->request].prioritized);
    point at = {.claim = from->claim, .request = from->request, .alt = -1};
    if (begun) {
        at.alt = from->alt;
        at.index = from->index;
        at.start = from->start;
    }
    dray_end end = walk(run, at, floor);
    if (end == DRAY_END_FOUND)
        dray_ask_found(run->proof);
    run->n_frames = floor;
    dray_run_undo(run, mark);
    run->step_limit = limit;
    run->next_look = run->steps;
    if (run->gave_up && (limit == 0 || run->steps <= limit))
        run->gave_up = false;
    /* Whoever asked will see by himself that time is up. */
    run->timed_out = false;
    run->error = DRAY_STR_NONE;
    return end;
}

dray_end dray_run_search_until(dray_run *run, uint32_t end) {
    run->end = end;
    run->failures = 0;
    run->step_limit = run->steps + GLANCE_STEPS;
    dray_end found = walk(run, (point){.alt = -1}, 0);
    run->end = (uint32_t)run->job->requests.n;
    run->n_frames = 0;
    dray_run_undo(run, 0);
    run->error = DRAY_STR_NONE;
    run->gave_up = run->timed_out = false;
    return found;
}

void dray_run_make_wishes(dray_run *run) {
    run->wanted = DRAY_NEW_N(run->scratch, dray_wanted, run->job->alts.n + 1);
    run->fixed = DRAY_NEW_N(run->scratch, uint32_t, run->job->requests.n + 1);
    run->reserved = DRAY_NEW_N(run->scratch, uint64_t, run->view->n_words + 1);
}

/* NULL: there is no such pick. */
static dray_wanted *wanted_of(dray_run *run, uint32_t first, const dray_alloc_pick *pick) {
    const dray_alloc_job *job = run->job;
    uint32_t request = first + pick->request;
    if (request >= job->requests.n || pick->position >= run->view->n_words * 64)
        return NULL;
    const dray_request_slot *slot = &job->requests.v[request];
    return pick->alternative < slot->n_alts ? &run->wanted[slot->first_alt + pick->alternative]
                                            : NULL;
}

void dray_run_want(dray_run *run, uint32_t first, const dray_alloc_pick *picks, size_t n,
                   uint32_t *positions) {
    for (size_t i = 0; i < n; i++) {
        uint32_t pos = positions[i] = picks[i].position;
        dray_wanted *w = wanted_of(run, first, &picks[i]);
        if (w == NULL)
            continue;
        run->fixed[first + picks[i].request] = picks[i].alternative + 1;
        if (w->n++ == 0)
            w->positions = &positions[i];
        if (!dray_run_is_multi(run, pos))
            run->reserved[pos / 64] |= (uint64_t)1 << pos % 64;
    }
}

void dray_run_want_no_more(dray_run *run, uint32_t first, const dray_alloc_pick *picks, size_t n) {
    for (size_t i = 0; i < n; i++) {
        dray_wanted *w = wanted_of(run, first, &picks[i]);
        if (w == NULL)
            continue;
        w->n = 0;
        run->fixed[first + picks[i].request] = 0;
        run->reserved[picks[i].position / 64] &= ~((uint64_t)1 << picks[i].position % 64);
    }
}

dray_end dray_run_search_between(dray_run *run, uint32_t first, uint32_t end, uint64_t step_limit) {
    size_t floor = run->n_frames;
    run->end = end;
    run->step_limit = run->steps + step_limit;
    run->next_look = run->steps;
    dray_end found = walk(run, (point){.place = first, .alt = -1}, floor);
    run->n_frames = floor;
    run->error = DRAY_STR_NONE;
    run->gave_up = run->timed_out = false;
    return found;
}

static dray_end search(dray_run *run) {
    const point begin = {.alt = -1};
    dray_end end = walk(run, begin, 0);
    if (end != DRAY_END_PROVE)
        return end;
    run->n_frames = 0;
    dray_run_undo(run, 0);
    run->proof = dray_proof_new(run);
    /* A part of the job may be tried on top of the whole. */
    dray_run_make_frames(run, 2 * run->job->n_decisions + 3);
    end = walk(run, begin, 0);
    if (end != DRAY_END_PROVE)
        return end;
    run->n_frames = 0;
    dray_run_undo(run, 0);
    dray_ask_begin(run->proof);
    while ((end = walk(run, begin, 0)) == DRAY_END_PROVE) {
        run->n_frames = 0;
        dray_run_undo(run, 0);
    }
    return end;
}

dray_end dray_run_search(dray_run *run) {
    const dray_alloc_job *job = run->job;
    run->end = (uint32_t)job->requests.n;
    run->step_limit = job->options.step_budget;
    if (run->wanted != NULL && run->step_limit == 0)
        run->step_limit = WANTED_STEPS;
    return search(run);
}
