/* Proofs: which branches of the search are empty, without walking them.
 *
 * Four things are tried. Bounds (bounds.c): the open requests, taken together, want more devices,
 * values, counters or capacity than there are. Memory: the same state, up to swapping devices that
 * are alike, has failed before. Twins: a candidate that differs from a failed one in its place only
 * must fail too; that a lower place is not open to it any more takes nothing away, since whatever
 * uses a lower place was tried before. Parts: the end of the job by itself, on the empty state,
 * can't be met, and what comes before it only takes devices away.
 *
 * An error of Kubernetes' walk may not be passed by. A request is clean when no device can fail in
 * it. Bounds look no further than the first request that is not clean: if what stands before it
 * can't be met, the walk never gets there. Memory, twins and parts are used where everything that
 * follows is clean: where it isn't, which of two like devices comes first can decide whether an
 * error is met.
 */
#include "alloc/prove_int.h"

enum { MEMORY_FIRST = 32, MEMORY_MAX = 1 << 22, PART_STEPS = 20000 };

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
    for (size_t k = 0; k < job->kinds.n; k++)
        proof->kind_bits[k] = bitmap(proof);
    for (uint32_t i = 0; i < proof->m; i++) {
        uint32_t pos = proof->pos[i];
        const dray_view_word *w = dray_run_word(run, pos);
        if (dray_run_is_multi(run, pos))
            set(proof->multi, i);
        if (dray_bit(w->slice->counters, dray_run_device(run, pos)))
            set(proof->draws, i);
        if (!dray_proof_can_draw(proof, i))
            continue;
        for (size_t k = 0; k < job->kinds.n; k++) {
            dray_kindred *kind = job->kinds.v[k];
            if (!dray_bit(run->findings[k].usable, pos) || (!kind->admin && ledger_has(run, pos)))
                continue;
            if (dray_bit(proof->multi, i) &&
                !dray_sharing_fits(dray_run_sharing(run, pos), dray_run_amounts(run, kind, pos),
                                   dray_view_device(run->view, pos)->capacity.n))
                continue;
            set(proof->kind_bits[k], i);
        }
    }
}

static bool kind_fails(const dray_proof *proof, const dray_kindred *kind) {
    const dray_run *run = proof->run;
    const dray_findings *f = &run->findings[kind->number];
    for (uint32_t w = 0; w < run->view->n_words; w++) {
        const dray_view_word *word = &run->view->words[w];
        uint64_t free = kind->admin ? ~(uint64_t)0 : ~word->slice->in_use[word->word];
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
static bool may_exceed(const dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    for (size_t c = 0; c < job->n_claims; c++) {
        int64_t most = 0;
        for (uint32_t i = 0; i < job->claims[c].n_requests; i++) {
            const dray_request_slot *r = &job->requests.v[job->claims[c].first_request + i];
            int64_t largest = 0;
            for (uint32_t a = r->first_alt; a < r->first_alt + r->n_alts; a++) {
                const dray_alt *alt = &job->alts.v[a];
                int64_t need = alt->all ? (int64_t)proof->run->alls[a].n : alt->count;
                largest = need > largest ? need : largest;
            }
            if (largest > DRAY_ALLOC_RESULTS_MAX - most)
                return true;
            most += largest;
        }
    }
    return false;
}

static void find_horizons(dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    uint32_t n = (uint32_t)job->requests.n;
    bool any_unclean = false;
    proof->alt_clean = DRAY_NEW_N(proof->arena, bool, job->alts.n + 1);
    for (size_t a = 0; a < job->alts.n; a++) {
        const dray_alt *alt = &job->alts.v[a];
        proof->alt_clean[a] = alt->all
                                  ? alt->n_constraints == 0
                                  : !kind_fails(proof, alt->kind) && !derivation_fails(proof, alt);
        any_unclean |= !proof->alt_clean[a];
    }
    proof->horizon = DRAY_NEW_N(proof->arena, uint32_t, n + 1);
    proof->horizon[n] = n;
    bool blind = any_unclean && may_exceed(proof);
    for (uint32_t r = n; r-- > 0;) {
        const dray_request_slot *slot = &job->requests.v[r];
        bool clean = !blind;
        for (uint32_t a = 0; a < slot->n_alts; a++)
            clean &= proof->alt_clean[slot->first_alt + a];
        proof->horizon[r] = clean ? proof->horizon[r + 1] : r;
    }
}

dray_proof *dray_proof_new(dray_run *run) {
    dray_proof *proof = DRAY_NEW(run->scratch, dray_proof);
    proof->run = run;
    proof->arena = run->scratch;
    number_devices(proof);
    fill_bits(proof);
    find_horizons(proof);
    dray_proof_classify(proof);
    proof->memory_room = MEMORY_FIRST;
    proof->memory = DRAY_NEW_N(proof->arena, dray_key, MEMORY_FIRST);
    return proof;
}

static bool is_clean_from(const dray_proof *proof, uint32_t request) {
    return proof->horizon[request] == proof->run->job->requests.n;
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

static bool is_memorable(const dray_proof *proof, const dray_frame *frame) {
    return is_clean_from(proof, frame->request) &&
           (frame->kind == DRAY_FRAME_CHOICE || (frame->index == 0 && frame->start == 0));
}

bool dray_proof_is_empty(dray_proof *proof, dray_frame *frame) {
    if (frame->twins == NULL)
        frame->twins = DRAY_NEW(proof->arena, dray_twins);
    frame->twins->n = 0;
    frame->twins->has_pending = false;
    if (is_memorable(proof, frame)) {
        uint64_t salt = frame->kind == DRAY_FRAME_CHOICE ? 0 : frame->alt + (uint64_t)1;
        dray_key key = dray_proof_state(proof, frame->request, salt);
        frame->state[0] = key.a;
        frame->state[1] = key.b;
        if (dray_key_equal(*memory_slot(proof, key), key))
            return true;
    }
    return proof->horizon[frame->request] > frame->request && dray_bounds_refute(proof, frame);
}

bool dray_proof_is_twin(dray_proof *proof, dray_frame *frame, uint32_t pos) {
    dray_twins *twins = frame->twins;
    twins->has_pending = false;
    if (proof->compact[pos] == 0 || !is_clean_from(proof, frame->request))
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
    if (is_memorable(proof, frame))
        remember(proof, (dray_key){frame->state[0], frame->state[1]});
}

bool dray_proof_of_parts(dray_proof *proof) {
    uint32_t n = (uint32_t)proof->run->job->requests.n;
    proof->parts_done = true;
    if (!is_clean_from(proof, 0))
        return false;
    for (uint32_t r = n; r-- > 1;) {
        dray_end end = dray_run_search_from(proof->run, r, PART_STEPS);
        if (end == DRAY_END_FAILED)
            return true;
        if (end == DRAY_END_STOPPED && (proof->run->error.p != NULL || proof->run->gave_up))
            return true;
    }
    return false;
}
