/* Proofs: which branches of the search are empty, without walking them.
 *
 * Four things are tried. Bounds (bounds.c): the open requests, taken together, want more devices,
 * values, counters or capacity than there are. Memory: the same state, up to swapping devices that
 * are alike, has failed before. Twins: a candidate that differs from a failed one in its place only
 * must fail too; that a lower place is not open to it any more takes nothing away, since whatever
 * uses a lower place was tried before. Questions (ask.c): a walk in the order that is quickest
 * finds that nothing completes the state; asked from the first place on, that is how the search
 * comes back to the decision that is to blame, over all those between that are not.
 *
 * An error of Kubernetes' walk may not be passed by. A request is clean when no device that is not
 * taken can fail in it. Bounds look no further than the first request that is not clean: if what
 * stands before it can't be met, the walk never gets there. Memory, twins and questions are used
 * where everything that follows is clean: where it isn't, which of two like devices comes first can
 * decide whether an error is met.
 */
#include "alloc/prove_int.h"

enum { MEMORY_FIRST = 32, MEMORY_MAX = 1 << 22 };

static bool ledger_has(const dray_run *run, uint32_t pos) {
    const dray_view_word *w = dray_run_word(run, pos);
    return dray_bit(w->slice->in_use, w->word * 64 + pos % 64);
}

/* Devices that any request could have, or that could fail in one. */
static void number_devices(dray_proof *proof) {
    dray_run *run = proof->run;
    const dray_alloc_job *job = run->job;
    size_t n = run->view->n_words;
    proof->compact = DRAY_NEW_N(proof->arena, uint32_t, n * 64 + 1);
    proof->pos = DRAY_NEW_N(proof->arena, uint32_t, n * 64 + 1);
    for (uint32_t w = 0; w < n; w++) {
        uint64_t wanted = 0;
        for (size_t k = 0; k < job->kinds.n; k++) {
            dray_run_ask_word(run, job->kinds.v[k], w);
            const dray_findings *f = &run->findings[k];
            const dray_view_word *word = &run->view->words[w];
            uint64_t free =
                job->kinds.v[k]->admin ? ~(uint64_t)0 : ~word->slice->in_use[word->word];
            wanted |= (f->usable[w] | f->failing[w]) & free;
        }
        for (; wanted != 0; wanted &= wanted - 1) {
            uint32_t pos = w * 64 + (uint32_t)__builtin_ctzll(wanted);
            proof->pos[proof->m++] = pos;
            proof->compact[pos] = proof->m;
        }
    }
    proof->words = dray_bits_words(proof->m) + 1;
}

static uint64_t *bitmap(dray_proof *proof) {
    return DRAY_NEW_N(proof->arena, uint64_t, proof->words);
}

static void set(uint64_t *bits, uint32_t i) {
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void fill_bits(dray_proof *proof) {
    dray_run *run = proof->run;
    const dray_alloc_job *job = run->job;
    proof->multi = bitmap(proof);
    proof->draws = bitmap(proof);
    proof->kind_bits = DRAY_NEW_N(proof->arena, uint64_t *, job->kinds.n + 1);
    proof->want_bits = DRAY_NEW_N(proof->arena, uint64_t *, job->kinds.n + 1);
    for (size_t k = 0; k < job->kinds.n; k++) {
        proof->kind_bits[k] = bitmap(proof);
        proof->want_bits[k] = bitmap(proof);
    }
    for (uint32_t i = 0; i < proof->m; i++) {
        uint32_t pos = proof->pos[i];
        const dray_view_word *w = dray_run_word(run, pos);
        if (dray_run_is_multi(run, pos))
            set(proof->multi, i);
        if (dray_bit(w->slice->counters, dray_run_device(run, pos)))
            set(proof->draws, i);
        bool can_draw = dray_proof_can_draw(proof, i);
        for (size_t k = 0; k < job->kinds.n; k++) {
            if (dray_bit(run->findings[k].failing, pos))
                set(proof->want_bits[k], i);
            dray_kindred *kind = job->kinds.v[k];
            if (!can_draw || !dray_bit(run->findings[k].usable, pos) ||
                (!kind->admin && ledger_has(run, pos)))
                continue;
            if (dray_bit(proof->multi, i) &&
                !dray_sharing_fits(dray_run_sharing(run, pos), dray_run_amounts(run, kind, pos),
                                   dray_view_device(run->view, pos)->capacity.n))
                continue;
            set(proof->kind_bits[k], i);
            set(proof->want_bits[k], i);
        }
    }
}

/* now: as long as what is taken now is taken. */
static bool kind_fails(const dray_proof *proof, const dray_kindred *kind, bool now) {
    const dray_run *run = proof->run;
    const dray_findings *f = &run->findings[kind->number];
    for (uint32_t w = 0; w < run->view->n_words; w++) {
        const dray_view_word *word = &run->view->words[w];
        uint64_t free = kind->admin ? ~(uint64_t)0 : ~word->slice->in_use[word->word];
        if (now)
            free &= ~run->taken[w];
        if ((f->failing[w] & free) != 0)
            return true;
    }
    return false;
}

/* A derived attribute that a constraint asks for is worked out on each device beforehand. */
static bool derivation_fails(dray_proof *proof, const dray_alt *alt) {
    dray_run *run = proof->run;
    bool fails = false;
    for (uint32_t c = 0; c < alt->n_constraints && alt->n_derived > 0; c++) {
        for (uint32_t i = 0; i < proof->m && !fails; i++) {
            const dray_resource_device_attribute *found;
            if (dray_bit(proof->kind_bits[alt->kind->number], i))
                fails = !dray_run_attribute(run, alt, proof->pos[i], alt->constraints[c], &found);
        }
    }
    run->error = DRAY_STR_NONE;
    return fails;
}

/* Whether a claim could pass its limit: then refusals pass by candidates that could fail. */
static bool claim_may_exceed(const dray_run *run, const dray_claim_slot *claim) {
    const dray_alloc_job *job = run->job;
    int64_t most = 0;
    for (uint32_t i = 0; i < claim->n_requests; i++) {
        const dray_request_slot *r = &job->requests.v[claim->first_request + i];
        int64_t largest = 0;
        for (uint32_t a = r->first_alt; a < r->first_alt + r->n_alts; a++) {
            const dray_alt *alt = &job->alts.v[a];
            int64_t need = alt->all ? (int64_t)run->alls[a].n : alt->count;
            largest = need > largest ? need : largest;
        }
        if (largest > DRAY_ALLOC_RESULTS_MAX - most)
            return true;
        most += largest;
    }
    return false;
}

static void find_what_can_fail(dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    proof->alt_clean = DRAY_NEW_N(proof->arena, dray_cleanness, job->alts.n + 1);
    proof->may_exceed = DRAY_NEW_N(proof->arena, bool, job->n_claims + 1);
    for (size_t a = 0; a < job->alts.n; a++) {
        const dray_alt *alt = &job->alts.v[a];
        if (alt->all)
            proof->alt_clean[a] = alt->n_constraints == 0 ? DRAY_CLEAN : DRAY_UNCLEAN;
        else if (derivation_fails(proof, alt))
            proof->alt_clean[a] = DRAY_UNCLEAN;
        else if (kind_fails(proof, alt->kind, false))
            proof->alt_clean[a] = alt->kind->admin ? DRAY_UNCLEAN : DRAY_MAYBE_CLEAN;
        proof->any_unclean |= proof->alt_clean[a] != DRAY_CLEAN;
    }
    for (size_t c = 0; c < job->n_claims; c++) {
        proof->may_exceed[c] = claim_may_exceed(proof->run, &job->claims[c]);
        proof->blind |= proof->any_unclean && proof->may_exceed[c];
    }
}

uint32_t dray_proof_horizon(const dray_proof *proof, uint32_t place) {
    const dray_run *run = proof->run;
    const dray_alloc_job *job = run->job;
    if (!proof->any_unclean)
        return run->end;
    for (uint32_t p = place; p < run->end; p++) {
        const dray_request_slot *slot = &job->requests.v[dray_run_request(run, p)];
        for (uint32_t a = slot->first_alt; a < slot->first_alt + slot->n_alts; a++) {
            if (proof->alt_clean[a] == DRAY_UNCLEAN ||
                (proof->alt_clean[a] == DRAY_MAYBE_CLEAN &&
                 kind_fails(proof, job->alts.v[a].kind, true)))
                return proof->blind ? place : p;
        }
    }
    return run->end;
}

dray_proof *dray_proof_new(dray_run *run) {
    dray_proof *proof = DRAY_NEW(run->scratch, dray_proof);
    proof->run = run;
    proof->arena = run->scratch;
    number_devices(proof);
    fill_bits(proof);
    find_what_can_fail(proof);
    dray_proof_classify(proof);
    dray_proof_make_stamps(proof);
    proof->memory_room = MEMORY_FIRST;
    proof->memory = DRAY_NEW_N(proof->arena, dray_key, MEMORY_FIRST);
    return proof;
}

static dray_key *memory_slot(dray_proof *proof, dray_key key) {
    size_t mask = proof->memory_room - 1, i = key.a & mask;
    while ((proof->memory[i].a | proof->memory[i].b) != 0 && !dray_key_equal(proof->memory[i], key))
        i = (i + 1) & mask;
    return &proof->memory[i];
}

static void remember(dray_proof *proof, dray_key key) {
    if (proof->n_memory * 2 > proof->memory_room) {
        if (proof->n_memory >= MEMORY_MAX)
            return;
        dray_key *old = proof->memory;
        size_t n_old = proof->memory_room;
        proof->memory_room *= 4;
        proof->memory = DRAY_NEW_N(proof->arena, dray_key, proof->memory_room);
        for (size_t i = 0; i < n_old; i++) {
            if ((old[i].a | old[i].b) != 0)
                *memory_slot(proof, old[i]) = old[i];
        }
    }
    dray_key *slot = memory_slot(proof, key);
    proof->n_memory += (slot->a | slot->b) == 0;
    *slot = key;
}

/* Of a request that is begun, which devices are left depends on how far it has come. */
static bool is_memorable(const dray_frame *frame) {
    return frame->twins->clean &&
           (frame->kind == DRAY_FRAME_CHOICE || (frame->index == 0 && frame->start == 0));
}

bool dray_proof_remembers(dray_proof *proof, dray_frame *frame) {
    if (frame->twins == NULL)
        frame->twins = DRAY_NEW(proof->arena, dray_twins);
    frame->twins->n = 0;
    frame->twins->has_pending = frame->twins->has_row = false;
    frame->twins->alts = 0;
    frame->twins->clean = dray_proof_horizon(proof, frame->place) == proof->run->end;
    if (!is_memorable(frame))
        return false;
    bool chosen =
        frame->kind != DRAY_FRAME_CHOICE && proof->run->job->requests.v[frame->request].prioritized;
    uint64_t salt = chosen ? frame->alt + (uint64_t)1 : 0;
    dray_key key = dray_proof_state(proof, frame->place, salt);
    frame->state[0] = key.a;
    frame->state[1] = key.b;
    return dray_key_equal(*memory_slot(proof, key), key);
}

void dray_proof_remember(dray_proof *proof, const dray_frame *frame) {
    if (is_memorable(frame))
        remember(proof, (dray_key){frame->state[0], frame->state[1]});
}

bool dray_proof_is_empty(dray_proof *proof, dray_frame *frame) {
    if (dray_proof_remembers(proof, frame))
        return true;
    /* The devices of a plain request follow from the first; what comes next will look. */
    if (proof->run->asking && proof->is_plain && frame->index > 0)
        return false;
    if (dray_bounds_refute(proof, frame))
        return true;
    dray_bounds_keep(proof, frame);
    if (proof->asking == NULL || proof->run->asking || !frame->twins->clean ||
        !dray_ask_is_empty(proof, frame))
        return false;
    dray_proof_remember(proof, frame);
    return true;
}

uint64_t dray_proof_left_out(const dray_frame *frame, uint32_t word) {
    return frame->twins->has_row ? ~frame->twins->row[word] : 0;
}

bool dray_proof_leaves_out(const dray_frame *frame, uint32_t alternative) {
    return alternative < 64 && (frame->twins->alts >> alternative & 1);
}

bool dray_proof_is_twin(dray_proof *proof, dray_frame *frame, uint32_t pos) {
    dray_twins *twins = frame->twins;
    twins->has_pending = false;
    if (proof->compact[pos] == 0 || !twins->clean)
        return false;
    dray_key key = dray_proof_candidate(proof, frame, proof->compact[pos] - 1);
    for (size_t i = 0; i < twins->n; i++) {
        if (dray_key_equal(twins->v[i], key))
            return true;
    }
    twins->pending = key;
    twins->has_pending = true;
    return false;
}

void dray_proof_failed(dray_proof *proof, dray_frame *frame) {
    dray_twins *twins = frame->twins;
    proof->failures++;
    if (frame->kind != DRAY_FRAME_DEVICE || !twins->has_pending)
        return;
    if (twins->n == twins->room) {
        size_t room = twins->room != 0 ? twins->room * 2 : 16;
        twins->v = dray_arena_grow(proof->arena, twins->v, twins->room * sizeof *twins->v,
                                   room * sizeof *twins->v);
        twins->room = room;
    }
    twins->v[twins->n++] = twins->pending;
    twins->has_pending = false;
}

void dray_proof_exhausted(dray_proof *proof, dray_frame *frame) {
    dray_proof_remember(proof, frame);
    if (proof->run->asking)
        dray_ask_failed(proof, frame);
}
