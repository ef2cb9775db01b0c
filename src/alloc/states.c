/* What of a state matters to the requests that follow, as hashes that don't change when like
 * devices, or whole cards with their partitions, are swapped. */
#include "alloc/prove_int.h"

#include <stdlib.h>

/* Whether it is met for the first time since the stamp was renewed. */
static bool first_met(dray_proof *proof, size_t at) {
    if (proof->stamps[at] == proof->stamp)
        return false;
    proof->stamps[at] = proof->stamp;
    return true;
}

/* Stamps of devices come first, then those of components, pools, constraints, claims. */
static size_t stamp_of_component(const dray_proof *proof, uint32_t component) {
    return proof->m + (size_t)component;
}
static size_t stamp_of_pool(const dray_proof *proof, uint32_t pool) {
    return proof->m + proof->n_components + pool;
}
static size_t stamp_of_constraint(const dray_proof *proof, uint32_t constraint) {
    return stamp_of_pool(proof, proof->run->view->n_pools) + constraint;
}
static size_t stamp_of_claim(const dray_proof *proof, uint32_t claim) {
    return stamp_of_constraint(proof, (uint32_t)proof->run->job->constraints.n) + claim;
}

static dray_rest *new_rest(dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    dray_rest *rest = DRAY_NEW(proof->arena, dray_rest);
    rest->wanted = DRAY_NEW_N(proof->arena, uint64_t, proof->words);
    rest->constraints = DRAY_NEW_N(proof->arena, uint32_t, job->constraints.n + 1);
    rest->claims = DRAY_NEW_N(proof->arena, uint32_t, job->n_claims + 1);
    return rest;
}

static void add_alternative(dray_proof *proof, dray_rest *rest, const dray_alt *alt) {
    const uint64_t *bits = proof->want_bits[alt->kind->number];
    for (size_t w = 0; w < proof->words; w++)
        rest->wanted[w] |= bits[w];
    for (uint32_t c = 0; c < alt->n_constraints; c++) {
        uint32_t number = alt->constraints[c]->number;
        if (first_met(proof, stamp_of_constraint(proof, number)))
            rest->constraints[rest->n_constraints++] = number;
    }
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void fill_rest(dray_proof *proof, dray_rest *rest, uint32_t place) {
    const dray_run *run = proof->run;
    const dray_alloc_job *job = run->job;
    rest->key = (dray_key){0, 0};
    rest->n_constraints = rest->n_claims = 0;
    memset(rest->wanted, 0, proof->words * sizeof *rest->wanted);
    proof->stamp++;
    for (uint32_t p = place; p < run->end; p++) {
        uint32_t request = dray_run_request(run, p);
        const dray_request_slot *slot = &job->requests.v[request];
        rest->key = dray_key_add(rest->key, dray_key_mix((dray_key){11, 12}, request));
        for (uint32_t a = slot->first_alt; a < slot->first_alt + slot->n_alts; a++)
            add_alternative(proof, rest, &job->alts.v[a]);
        if ((proof->may_exceed[slot->claim] || job->has_admin) &&
            first_met(proof, stamp_of_claim(proof, slot->claim)))
            rest->claims[rest->n_claims++] = slot->claim;
    }
    qsort(rest->constraints, rest->n_constraints, sizeof *rest->constraints, by_number);
    qsort(rest->claims, rest->n_claims, sizeof *rest->claims, by_number);
}

void dray_proof_renew_rest(dray_proof *proof, uint32_t place) {
    if (proof->asked[place] == NULL)
        proof->asked[place] = new_rest(proof);
    fill_rest(proof, proof->asked[place], place);
}

void dray_proof_make_stamps(dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    size_t n = stamp_of_claim(proof, (uint32_t)job->n_claims);
    proof->stamps = DRAY_NEW_N(proof->arena, uint32_t, n + 1);
    proof->rests = DRAY_NEW_N(proof->arena, dray_rest *, job->requests.n + 1);
}

const dray_rest *dray_proof_rest(dray_proof *proof, uint32_t place) {
    const dray_run *run = proof->run;
    dray_rest **rests = run->order != NULL ? proof->asked : proof->rests;
    if (rests[place] == NULL) {
        rests[place] = new_rest(proof);
        fill_rest(proof, rests[place], place);
    }
    return rests[place];
}

/* A shared device as it is now. */
static dray_key of_sharing(const dray_proof *proof, dray_key key, uint32_t i) {
    dray_run *run = proof->run;
    const dray_sharing *sharing = dray_run_sharing(run, proof->pos[i]);
    size_t n = dray_view_device(run->view, proof->pos[i])->capacity.n;
    key = dray_key_mix(key, sharing->shares > 0);
    for (size_t c = 0; c < n; c++)
        key = dray_key_amount(key, sharing->left[c]);
    return key;
}

/* Whether the device is taken, and by which of the claims that follow with admin access. */
static dray_key of_taken(const dray_proof *proof, dray_key key, uint32_t i, const dray_rest *rest) {
    const dray_run *run = proof->run;
    for (uint32_t c = 0; run->taken_admin != NULL && c < rest->n_claims; c++) {
        if (dray_bit(run->taken_admin[rest->claims[c]], proof->pos[i]))
            key = dray_key_mix(key, rest->claims[c] + (uint64_t)2);
    }
    return dray_key_mix(key, dray_bit(run->taken, proof->pos[i]));
}

static dray_key of_group_state(const dray_run *run, dray_key key, uint32_t pool) {
    const dray_pool_state_of_run *state = &run->pools[pool];
    for (size_t s = 0; state->groups_ready && s < state->sets.n; s++) {
        key = dray_key_mix(key, state->groups[s].members);
        for (size_t w = 0; w < dray_bits_words(state->group_names.n); w++)
            key = dray_key_mix(key, state->groups[s].mask[w]);
    }
    return key;
}

/* Which constraints that go on have come upon the component's value. */
static dray_key of_marks(const dray_proof *proof, dray_key key, const dray_component *c,
                         const dray_rest *rest) {
    dray_run *run = proof->run;
    for (uint32_t k = 0; k < rest->n_constraints; k++) {
        const dray_constraint_state *state = &run->constraints[rest->constraints[k]];
        bool met = false;
        for (uint32_t i = 0; i < state->n && !met; i++) {
            dray_value_set set = dray_run_values(run, state->attributes[i]);
            met = set.n > 0 && set.v[0] == c->value;
        }
        if (met)
            key = dray_key_mix(key, rest->constraints[k]);
    }
    return key;
}

/* What is left of a component, and which of its devices may still be had. */
static dray_key of_component(const dray_proof *proof, const dray_component *c,
                             const dray_rest *rest) {
    dray_key key = dray_key_mix(dray_key_mix((dray_key){5, 6}, c->type.a), c->type.b);
    dray_key sum = {0, 0};
    bool alive = false;
    for (size_t k = 0; k < c->n_devices; k++) {
        uint32_t i = c->devices[k];
        if (!dray_bit(rest->wanted, i))
            continue;
        dray_key one = of_taken(proof, proof->class_of[i], i, rest);
        if (dray_bit(proof->multi, i))
            one = of_sharing(proof, one, i);
        else if (!proof->run->job->has_admin && dray_bit(proof->run->taken, proof->pos[i]))
            continue;
        if (!dray_proof_can_draw(proof, i))
            continue;
        alive = true;
        sum = dray_key_add(sum, one);
    }
    key = dray_key_mix(dray_key_mix(key, sum.a), sum.b);
    if (c->of_value)
        return of_marks(proof, key, c, rest);
    for (size_t k = 0; alive && k < c->n_counters; k++)
        key = dray_key_amount(key, dray_run_pool(proof->run, c->pool)->left[c->counters[k]]);
    return proof->run->f.groups ? of_group_state(proof->run, key, c->pool) : key;
}

static dray_key of_pool(const dray_proof *proof, uint32_t pool) {
    const dray_pool_state_of_run *state = dray_run_pool(proof->run, pool);
    dray_key key = dray_key_mix((dray_key){7, 8}, pool);
    for (size_t k = 0; k < proof->run->view->pools[pool]->n_counters; k++)
        key = dray_key_amount(key, state->left[k]);
    return of_group_state(proof->run, key, pool);
}

static dray_key of_constraint(const dray_proof *proof, dray_key key, uint32_t number) {
    dray_run *run = proof->run;
    const dray_constraint_state *state = &run->constraints[number];
    bool distinct = run->job->constraints.v[number].distinct;
    key = dray_key_mix(key, number * (uint64_t)2 + (state->n > 0));
    if (state->n == 0 || proof->by_value)
        return key;
    if (!proof->values[number].usable) {
        for (uint32_t i = 0; i < state->n; i++)
            key = dray_key_mix(key, (uint64_t)(uintptr_t)state->attributes[i]);
        return key;
    }
    if (!distinct)
        return dray_key_values(key, run->f.lists ? state->sets[state->n - 1]
                                                 : dray_run_values(run, state->attributes[0]));
    dray_key sum = {0, 0};
    for (uint32_t i = 0; i < state->n; i++)
        sum = dray_key_add(
            sum, dray_key_values((dray_key){9, 1}, dray_run_values(run, state->attributes[i])));
    return dray_key_mix(dray_key_mix(key, sum.a), sum.b);
}

/* A device that was picked, and what it belongs to, once each. */
static dray_key of_pick(dray_proof *proof, dray_key sum, uint32_t i, const dray_rest *rest) {
    int32_t component = proof->component_of[i];
    uint32_t pool = dray_run_word(proof->run, proof->pos[i])->pool;
    if (component >= 0) {
        if (first_met(proof, stamp_of_component(proof, (uint32_t)component)))
            sum = dray_key_add(sum, of_component(proof, &proof->components[component], rest));
        return sum;
    }
    if (dray_bit(proof->draws, i) && first_met(proof, stamp_of_pool(proof, pool)))
        sum = dray_key_add(sum, of_pool(proof, pool));
    if (!dray_bit(rest->wanted, i) || !first_met(proof, i))
        return sum;
    dray_key one = of_taken(proof, proof->class_of[i], i, rest);
    return dray_key_add(sum, dray_bit(proof->multi, i) ? of_sharing(proof, one, i) : one);
}

dray_key dray_proof_state(dray_proof *proof, uint32_t place, uint64_t salt) {
    dray_run *run = proof->run;
    const dray_rest *rest = dray_proof_rest(proof, place);
    dray_key key = dray_key_mix(rest->key, salt), sum = {0, 0};
    for (uint32_t c = 0; c < rest->n_claims; c++)
        key = dray_key_mix(key, run->claim_picks[rest->claims[c]]);
    for (uint32_t c = 0; c < rest->n_constraints; c++)
        key = of_constraint(proof, key, rest->constraints[c]);
    proof->stamp++;
    for (uint32_t p = 0; p < run->n_picks; p++) {
        if (proof->compact[run->picks[p].pos] != 0)
            sum = of_pick(proof, sum, proof->compact[run->picks[p].pos] - 1, rest);
    }
    return dray_key_mix(dray_key_mix(key, sum.a), sum.b);
}

dray_key dray_proof_candidate(dray_proof *proof, const dray_frame *frame, uint32_t device) {
    const dray_rest *rest = dray_proof_rest(proof, frame->place);
    dray_key key = of_taken(proof, proof->class_of[device], device, rest);
    if (dray_bit(proof->multi, device))
        key = of_sharing(proof, key, device);
    if (proof->component_of[device] >= 0) {
        dray_key state = of_component(proof, &proof->components[proof->component_of[device]], rest);
        key = dray_key_mix(dray_key_mix(key, state.a), state.b);
    }
    return key;
}
