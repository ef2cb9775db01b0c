/* Bounds: the open requests as demands, each with its candidates, and the tests they must pass. */
#include "alloc/bounds_int.h"

/* Groups of supply: no more than devices, or values that devices are told apart by. */
static void make_groups(dray_bound *b) {
    const dray_proof *proof = b->proof;
    size_t most = proof->m;
    for (size_t c = 0; c < proof->run->job->constraints.n; c++)
        most = proof->values[c].n > most ? proof->values[c].n : most;
    b->groups_room = most < DRAY_FLOW_GROUPS ? most : DRAY_FLOW_GROUPS;
    b->n_slots = 4;
    while (b->n_slots < 2 * b->groups_room)
        b->n_slots *= 2;
    b->groups = DRAY_NEW_N(proof->arena, struct dray_group, b->groups_room + 1);
    b->slots = DRAY_NEW_N(proof->arena, uint32_t, b->n_slots);
}

/* All of it is as large as the job and its devices, not as the limits: most proofs are short. */
static dray_bound *bound_of(dray_proof *proof) {
    if (proof->bound != NULL)
        return proof->bound;
    dray_bound *b = proof->bound = DRAY_NEW(proof->arena, dray_bound);
    const dray_alloc_job *job = proof->run->job;
    b->proof = proof;
    b->words = proof->words;
    size_t constraints = job->constraints.n, levels = 1;
    for (size_t c = 0; c < constraints; c++)
        levels += !job->constraints.v[c].distinct;
    b->room = job->requests.n < DRAY_PROOF_DEMANDS ? (uint32_t)job->requests.n : DRAY_PROOF_DEMANDS;
    b->demands = DRAY_NEW_N(proof->arena, dray_demand, b->room);
    for (uint32_t level = 0; level <= levels && level <= DRAY_BOUND_LEVELS; level++)
        b->rows[level] = DRAY_NEW_N(proof->arena, uint64_t, b->room * b->words);
    b->free = DRAY_NEW_N(proof->arena, uint64_t, (4 + constraints) * b->words);
    b->reserved = b->free + b->words;
    b->any = b->reserved + b->words;
    b->keep = b->any + b->words;
    size_t values = 0;
    for (size_t c = 0; c < constraints; c++)
        values = proof->values[c].n > values ? proof->values[c].n : values;
    b->scopes = DRAY_NEW_N(proof->arena, uint64_t, constraints + 1);
    b->counted_row = DRAY_NEW_N(proof->arena, uint64_t, b->words);
    b->counts = DRAY_NEW_N(proof->arena, int64_t, 2 * values + 1);
    b->out = DRAY_NEW_N(proof->arena, bool, values + 1);
    b->claim_needs = DRAY_NEW_N(proof->arena, int64_t, job->n_claims + 1);
    b->allowed = DRAY_NEW_N(proof->arena, uint64_t *, constraints + 1);
    b->allowed_ready = DRAY_NEW_N(proof->arena, bool, constraints + 1);
    for (size_t c = 0; c < constraints; c++)
        b->allowed[c] = b->keep + (c + 1) * b->words;
    b->kind_ready = DRAY_NEW_N(proof->arena, bool, job->kinds.n + 1);
    b->kind_rows = DRAY_NEW_N(proof->arena, uint64_t *, job->kinds.n + 1);
    uint64_t *rows = DRAY_NEW_N(proof->arena, uint64_t, job->kinds.n * b->words + 1);
    for (size_t k = 0; k < job->kinds.n; k++)
        b->kind_rows[k] = rows + k * b->words;
    b->masks = DRAY_NEW_N(proof->arena, uint64_t, b->words * 64);
    make_groups(b);
    return b;
}

static void find_free(dray_bound *b) {
    const dray_proof *proof = b->proof;
    const dray_run *run = proof->run;
    memset(b->free, 0xff, b->words * sizeof *b->free);
    memset(b->reserved, 0, b->words * sizeof *b->reserved);
    for (uint32_t p = 0; p < run->n_picks; p++) {
        uint32_t pos = run->picks[p].pos, i = proof->compact[pos] - 1;
        if (proof->compact[pos] != 0 && dray_bit(run->taken, pos))
            b->free[i / 64] &= ~((uint64_t)1 << i % 64);
    }
    for (size_t w = 0; w < b->words; w++) {
        for (uint64_t bits = proof->draws[w] & b->free[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            if (!dray_proof_can_draw(proof, i))
                b->free[w] &= ~(bits & -bits);
        }
    }
}

static void mark_values(uint64_t *bits, const dray_constraint_values *values, dray_value_set set) {
    for (uint32_t k = 0; k < set.n; k++) {
        size_t at = dray_value_index(values, set.v[k]);
        for (uint32_t i = values->first[at]; at < values->n && i < values->first[at + 1]; i++)
            bits[values->devices[i] / 64] |= (uint64_t)1 << values->devices[i] % 64;
    }
}

/* The devices that a constraint, as far as it is decided, lets through. */
static const uint64_t *allowed(dray_bound *b, uint32_t c) {
    if (b->allowed_ready[c])
        return b->allowed[c];
    b->allowed_ready[c] = true;
    dray_run *run = b->proof->run;
    const dray_constraint_values *values = &b->proof->values[c];
    const dray_constraint_state *state = &run->constraints[c];
    bool distinct = run->job->constraints.v[c].distinct;
    uint64_t *bits = b->allowed[c];
    memset(bits, 0, b->words * sizeof *bits);
    if (!values->usable) {
        memset(bits, 0xff, b->words * sizeof *bits);
        return bits;
    }
    for (uint32_t i = 0; distinct && i < state->n; i++)
        mark_values(bits, values, dray_run_values(run, state->attributes[i]));
    if (!distinct && state->n > 0)
        mark_values(bits, values,
                    run->f.lists ? state->sets[state->n - 1]
                                 : dray_run_values(run, state->attributes[0]));
    for (size_t w = 0; w < b->words && (distinct || state->n == 0); w++)
        bits[w] = values->have[w] & ~bits[w];
    return bits;
}

static int64_t need_of(const dray_run *run, const dray_alt *alt) {
    return alt->all ? (int64_t)run->alls[alt->number].n : alt->count;
}

/* What the kindred may have as things stand; with admin access, whatever is taken. */
static const uint64_t *kind_row(dray_bound *b, dray_kindred *kind) {
    const dray_proof *proof = b->proof;
    dray_run *run = proof->run;
    const uint64_t *bits = proof->kind_bits[kind->number];
    if (kind->admin)
        return bits;
    uint64_t *row = b->kind_rows[kind->number];
    if (b->kind_ready[kind->number])
        return row;
    b->kind_ready[kind->number] = true;
    for (size_t w = 0; w < b->words; w++)
        row[w] = bits[w] & b->free[w];
    for (uint32_t p = 0; p < run->n_picks; p++) {
        uint32_t pos = run->picks[p].pos, i = proof->compact[pos] - 1;
        if (proof->compact[pos] != 0 && dray_bit(proof->multi, i) && dray_bit(row, i) &&
            !dray_sharing_fits(dray_run_sharing(run, pos), dray_run_amounts(run, kind, pos),
                               dray_view_device(run->view, pos)->capacity.n))
            row[i / 64] &= ~((uint64_t)1 << i % 64);
    }
    return row;
}

/* The candidates of an alternative; false where there are too few. */
static bool candidates(dray_bound *b, const dray_alt *alt, int64_t need, uint64_t *ret) {
    const dray_proof *proof = b->proof;
    const dray_run *run = proof->run;
    memcpy(ret, kind_row(b, alt->kind), b->words * sizeof *ret);
    for (uint32_t c = 0; c < alt->n_constraints; c++) {
        const uint64_t *bits = allowed(b, alt->constraints[c]->number);
        for (size_t w = 0; w < b->words; w++)
            ret[w] &= bits[w];
    }
    for (uint32_t p = 0; alt->kind->admin && p < run->n_picks; p++) {
        uint32_t pos = run->picks[p].pos, i = proof->compact[pos] - 1;
        if (proof->compact[pos] != 0 && dray_bit(run->taken_admin[alt->claim], pos))
            ret[i / 64] &= ~((uint64_t)1 << i % 64);
    }
    return (int64_t)dray_bound_count(ret, b->words) >= need;
}

/* Mode All wants its very devices. */
static bool all_of_list(dray_bound *b, const dray_alt *alt, uint32_t index, uint64_t *row,
                        bool reserve) {
    const dray_proof *proof = b->proof;
    const dray_all_list *list = &proof->run->alls[alt->number];
    uint64_t *may = b->any; /* what candidates() found */
    memcpy(may, row, b->words * sizeof *may);
    memset(row, 0, b->words * sizeof *row);
    for (size_t k = index; k < list->n; k++) {
        uint32_t at = proof->compact[list->positions[k]];
        if (at == 0 || !dray_bit(may, at - 1))
            return false;
        row[(at - 1) / 64] |= (uint64_t)1 << (at - 1) % 64;
        if (!reserve || dray_bit(proof->multi, at - 1) || alt->kind->admin)
            continue;
        if (dray_bit(b->reserved, at - 1))
            return false;
        b->reserved[(at - 1) / 64] |= (uint64_t)1 << (at - 1) % 64;
    }
    return list->n > 0;
}

static void keep_from(uint64_t *row, const dray_proof *proof, uint32_t start, size_t words) {
    for (size_t w = 0; w < words; w++) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            if (proof->pos[i] >= start)
                return;
            row[w] &= ~((uint64_t)1 << i % 64);
        }
    }
}

static bool same_constraints(const dray_alt *a, const dray_alt *b) {
    size_t bytes = a->n_constraints * sizeof(dray_constraint *);
    return a->n_constraints == b->n_constraints &&
           (bytes == 0 || memcmp(a->constraints, b->constraints, bytes) == 0);
}

static bool same_alternatives(const dray_alloc_job *job, const dray_demand *a,
                              const dray_demand *b) {
    if (a->n_alts != b->n_alts || a->claim != b->claim || a->is_current || b->is_current)
        return false;
    for (uint32_t i = 0; i < a->n_alts; i++) {
        const dray_alt *x = &job->alts.v[a->first_alt + i], *y = &job->alts.v[b->first_alt + i];
        if (x->kind != y->kind || x->all || y->all || x->n_derived > 0 || y->n_derived > 0 ||
            (x->count != y->count && a->n_alts > 1) || !same_constraints(x, y))
            return false;
    }
    return true;
}

/* Requests that want the same are one demand. */
static dray_demand *find_alike(dray_bound *b, const dray_demand *d) {
    for (uint32_t g = 0; g < b->n; g++) {
        if (same_alternatives(b->proof->run->job, d, &b->demands[g]))
            return &b->demands[g];
    }
    return NULL;
}

/* Whether the claim may still become so large. */
static bool add_to_claim(dray_bound *b, uint32_t claim, int64_t need) {
    b->claim_needs[claim] += need;
    return b->claim_needs[claim] <=
           DRAY_ALLOC_RESULTS_MAX - (int64_t)b->proof->run->claim_picks[claim];
}

/* Adds a request's demand; false where no alternative of it can be met. */
static bool add_demand(dray_bound *b, const dray_frame *frame, uint32_t request) {
    const dray_proof *proof = b->proof;
    const dray_run *run = proof->run;
    const dray_alloc_job *job = run->job;
    const dray_request_slot *slot = &job->requests.v[request];
    bool current = request == frame->request && frame->kind != DRAY_FRAME_CHOICE;
    dray_demand d = {.request = request,
                     .first_alt = current ? frame->alt : slot->first_alt,
                     .n_alts = current ? 1 : slot->n_alts,
                     .claim = slot->claim,
                     .need = INT64_MAX,
                     .merged = 1,
                     .is_current = current};
    uint64_t *row = dray_bound_row(b, 0, b->n), *one = dray_bound_row(b, 1, 0);
    dray_demand *alike = find_alike(b, &d);
    if (alike != NULL) {
        int64_t need = d.n_alts == 1 ? job->alts.v[d.first_alt].count : alike->need / alike->merged;
        alike->need += need;
        alike->single = alike->single > need ? alike->single : need;
        alike->merged++;
        return add_to_claim(b, d.claim, need);
    }
    bool possible = false;
    memset(row, 0, b->words * sizeof *row);
    for (uint32_t a = d.first_alt; a < d.first_alt + d.n_alts; a++) {
        const dray_alt *alt = &job->alts.v[a];
        uint32_t index = current ? frame->index : 0;
        int64_t need = need_of(run, alt) - index;
        bool fits = candidates(b, alt, need, one);
        if (current && !alt->all)
            keep_from(one, proof, frame->start, b->words);
        if (alt->all)
            fits = all_of_list(b, alt, index, one, d.n_alts == 1);
        if (!fits)
            continue;
        possible = true;
        d.need = need < d.need ? need : d.need;
        d.admin |= alt->kind->admin;
        for (size_t w = 0; w < b->words; w++)
            row[w] |= one[w];
    }
    if (!possible)
        return false;
    d.single = d.need;
    if (d.need > 0)
        b->demands[b->n++] = d;
    return add_to_claim(b, d.claim, d.need);
}

static bool is_all(const dray_bound *b, const dray_demand *d) {
    return d->n_alts == 1 && b->proof->run->job->alts.v[d->first_alt].all;
}

/* What mode All will take is nobody else's. */
static void hold_back_reserved(dray_bound *b) {
    for (uint32_t g = 0; g < b->n; g++) {
        const dray_demand *d = &b->demands[g];
        if (d->admin || is_all(b, d))
            continue;
        uint64_t *row = dray_bound_row(b, 0, g);
        for (size_t w = 0; w < b->words; w++)
            row[w] &= ~b->reserved[w];
    }
}

bool dray_bound_refuted(dray_bound *b, uint32_t level) {
    const dray_alloc_job *job = b->proof->run->job;
    b->checks++;
    if (dray_flow_refutes(b, level))
        return true;
    for (uint32_t c = 0; c < job->constraints.n; c++) {
        if (job->constraints.v[c].distinct && b->proof->values[c].usable &&
            dray_distinct_refutes(b, level, c))
            return true;
    }
    bool changed = false;
    return dray_budgets_refute(b, level, &changed) || (changed && dray_flow_refutes(b, level)) ||
           dray_capacity_refutes(b, level);
}

/* Demands all of whose alternatives a constraint is about. */
static void find_scopes(dray_bound *b) {
    const dray_alloc_job *job = b->proof->run->job;
    memset(b->scopes, 0, job->constraints.n * sizeof *b->scopes);
    for (uint32_t g = 0; g < b->n; g++) {
        const dray_demand *d = &b->demands[g];
        const dray_alt *first = &job->alts.v[d->first_alt];
        for (uint32_t c = 0; c < first->n_constraints; c++) {
            bool all = true;
            for (uint32_t a = 1; a < d->n_alts && all; a++) {
                uint32_t i = 0;
                while (i < first[a].n_constraints &&
                       first[a].constraints[i] != first->constraints[c])
                    i++;
                all = i < first[a].n_constraints;
            }
            if (all)
                b->scopes[first->constraints[c]->number] |= (uint64_t)1 << g;
        }
    }
}

/* Devices that one of the demands could have. */
static uint64_t count_candidates(const dray_bound *b) {
    uint64_t n = 0;
    for (size_t w = 0; w < b->words; w++) {
        uint64_t any = 0;
        for (uint32_t g = 0; g < b->n; g++)
            any |= dray_bound_row(b, 0, g)[w];
        n += (uint64_t)__builtin_popcountll(any);
    }
    return n;
}

bool dray_bounds_refute(dray_proof *proof, const dray_frame *frame) {
    dray_bound *b = bound_of(proof);
    b->n = 0;
    b->checks = 0;
    uint32_t horizon = dray_proof_horizon(proof, frame->place);
    memset(b->allowed_ready, 0, proof->run->job->constraints.n * sizeof *b->allowed_ready);
    memset(b->claim_needs, 0, proof->run->job->n_claims * sizeof *b->claim_needs);
    if (horizon == frame->place || b->room == 0)
        return false;
    memset(b->kind_ready, 0, proof->run->job->kinds.n * sizeof *b->kind_ready);
    find_free(b);
    for (uint32_t p = frame->place; p < horizon && b->n < b->room; p++) {
        proof->run->steps++;
        if (!add_demand(b, frame, dray_run_request(proof->run, p)))
            return true;
    }
    if (b->n == 0)
        return false;
    hold_back_reserved(b);
    find_scopes(b);
    b->counted = NULL;
    proof->run->steps += b->words + count_candidates(b);
    return dray_match_refutes(b);
}

static void keep_row(const dray_proof *proof, dray_twins *twins, const uint64_t *row) {
    size_t n = proof->run->view->n_words;
    if (twins->row == NULL)
        twins->row = DRAY_NEW_N(proof->arena, uint64_t, n);
    memset(twins->row, 0, n * sizeof *twins->row);
    for (size_t w = 0; w < proof->bound->words; w++) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint32_t pos = proof->pos[w * 64 + (size_t)__builtin_ctzll(bits)];
            twins->row[pos / 64] |= (uint64_t)1 << pos % 64;
        }
    }
    twins->has_row = true;
}

/* Alternatives that have too few candidates left, or would make the claim too large. */
static uint64_t alternatives_out(dray_bound *b, const dray_demand *d, const uint64_t *row) {
    const dray_run *run = b->proof->run;
    uint64_t out = 0, *one = dray_bound_row(b, 1, 0);
    for (uint32_t i = 0; i < d->n_alts && i < 64; i++) {
        const dray_alt *alt = &run->job->alts.v[d->first_alt + i];
        int64_t need = need_of(run, alt);
        bool fits = candidates(b, alt, need, one);
        for (size_t w = 0; w < b->words; w++)
            one[w] &= row[w];
        fits = fits && (int64_t)dray_bound_count(one, b->words) >= need;
        out |= (uint64_t)!fits << i;
    }
    /* The others want what they want at least; this one was counted with its least. */
    int64_t others = b->claim_needs[d->claim] - d->need / d->merged;
    for (uint32_t i = 0; i < d->n_alts && i < 64; i++) {
        int64_t need = need_of(run, &run->job->alts.v[d->first_alt + i]);
        bool exceeds = need + others > DRAY_ALLOC_RESULTS_MAX - (int64_t)run->claim_picks[d->claim];
        out |= (uint64_t)exceeds << i;
    }
    return out;
}

void dray_bounds_keep(const dray_proof *proof, dray_frame *frame) {
    dray_bound *b = proof->bound;
    for (uint32_t g = 0; g < b->n; g++) {
        if (b->demands[g].request != frame->request)
            continue;
        if (frame->kind == DRAY_FRAME_DEVICE)
            keep_row(proof, frame->twins, dray_bound_row(b, 0, g));
        if (frame->kind == DRAY_FRAME_CHOICE)
            frame->twins->alts = alternatives_out(b, &b->demands[g], dray_bound_row(b, 0, g));
        return;
    }
}

uint32_t dray_bounds_hardest(const dray_proof *proof, uint32_t place, const uint32_t *weights) {
    const dray_bound *b = proof->bound;
    const dray_run *run = proof->run;
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t g = 0; g < b->n; g++) {
        const dray_demand *d = &b->demands[g];
        uint64_t choice = dray_bound_count(dray_bound_row(b, 0, g), b->words);
        uint64_t rank = (choice << 20) / (uint64_t)d->single / (1 + weights[d->request]);
        if (rank < least) {
            least = rank;
            best = d->request;
        }
    }
    while (place < run->end && b->n > 0 && run->order[place] != best)
        place++;
    return place;
}
