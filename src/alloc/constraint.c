/* Constraints: which devices go together. Source: KEPs 4381, 5075 (distinctAttribute), 5491
 * (lists). Each state is a stack: only its height is logged, what lies above is rubbish. */
#include "alloc/alloc_int.h"

typedef const dray_resource_device_attribute attribute;

/* The member that the later device has decides; 1 and 0: equal or not, -1: no scalar member. */
static int same_scalar(attribute *first, attribute *later) {
    if (later->string.p != NULL)
        return first->string.p != NULL && dray_str_eq(first->string, later->string);
    if (later->int_.set)
        return first->int_.set && first->int_.v == later->int_.v;
    if (later->bool_.set)
        return first->bool_.set && first->bool_.v == later->bool_.v;
    if (later->version.p != NULL)
        return first->version.p != NULL && dray_str_eq(first->version, later->version);
    return -1;
}

static uint32_t *room_for(dray_run *run, dray_constraint_state *state, uint32_t at, uint32_t n) {
    if (state->rooms[at] < n) {
        state->sets[at].v = DRAY_NEW_N(run->scratch, uint32_t, n);
        state->rooms[at] = n;
    }
    return (uint32_t *)state->sets[at].v;
}

static bool match_lists(dray_run *run, dray_constraint_state *state, dray_value_set values) {
    if (state->n == 0) {
        uint32_t *to = room_for(run, state, 0, values.n);
        memcpy(to, values.v, values.n * sizeof *to);
        state->sets[0].n = values.n;
        return true;
    }
    dray_value_set current = state->sets[state->n - 1];
    uint32_t *to = room_for(run, state, state->n, current.n), n = 0;
    for (uint32_t i = 0, k = 0; i < current.n && k < values.n;) {
        if (current.v[i] == values.v[k]) {
            to[n++] = current.v[i++];
            k++;
        } else if (current.v[i] < values.v[k]) {
            i++;
        } else {
            k++;
        }
    }
    state->sets[state->n].n = n;
    return n > 0;
}

static bool distinct_lists(dray_constraint_state *state, dray_value_set values) {
    for (uint32_t i = 0; i < state->n; i++) {
        if (dray_values_common(state->sets[i], values))
            return false;
    }
    return true;
}

static bool fits_lists(dray_run *run, const dray_constraint *constraint,
                       dray_constraint_state *state, attribute *found) {
    dray_value_set values = dray_run_values(run, found);
    if (values.n == 0)
        return false;
    if (!constraint->distinct)
        return match_lists(run, state, values);
    if (!distinct_lists(state, values))
        return false;
    uint32_t *to = room_for(run, state, state->n, values.n);
    memcpy(to, values.v, values.n * sizeof *to);
    state->sets[state->n].n = values.n;
    return true;
}

static bool fits_scalars(const dray_constraint *constraint, const dray_constraint_state *state,
                         attribute *found) {
    if (!constraint->distinct)
        return state->n == 0 || same_scalar(state->attributes[0], found) == 1;
    for (uint32_t i = 0; i < state->n; i++) {
        if (same_scalar(state->attributes[i], found) != 0)
            return false;
    }
    return true;
}

/* Devices of a kind list their attributes alike: where the last one had it, the next one has. */
static attribute *at_hint(const dray_run *run, const dray_constraint *constraint,
                          const dray_constraint_state *state, uint32_t pos) {
    const dray_resource_device *d = dray_view_device(run->view, pos);
    bool there = state->hint < d->attributes.n &&
                 dray_str_eq(d->attributes.k[state->hint], constraint->attribute);
    return there ? &d->attributes.v[state->hint] : NULL;
}

static bool look_up(dray_run *run, const dray_constraint *constraint, dray_constraint_state *state,
                    const dray_alt *alt, uint32_t pos, attribute **ret) {
    if (!dray_run_attribute(run, alt, pos, constraint, ret))
        return false;
    const dray_resource_device *d = dray_view_device(run->view, pos);
    if (*ret != NULL && alt->n_derived == 0)
        state->hint = (uint32_t)(*ret - d->attributes.v);
    return true;
}

int dray_constraint_add(dray_run *run, const dray_constraint *constraint, const dray_alt *alt,
                        uint32_t pos) {
    dray_constraint_state *state = &run->constraints[constraint->number];
    attribute *found = alt->n_derived == 0 ? at_hint(run, constraint, state, pos) : NULL;
    if (found == NULL && !look_up(run, constraint, state, alt, pos, &found))
        return -1;
    if (found == NULL)
        return 0;
    bool fits = run->f.lists ? fits_lists(run, constraint, state, found)
                             : fits_scalars(constraint, state, found);
    if (!fits)
        return 0;
    state->attributes[state->n] = found;
    dray_run_set4(run, &state->n, state->n + 1);
    return 1;
}

/* The devices of a word that may have the value that a match constraint has come to; the last word
 * is remembered, since requests that stand together ask of the same. */
static uint64_t same_at_sight(dray_run *run, const dray_constraint *constraint,
                              dray_constraint_state *state, uint32_t word) {
    attribute *first = state->attributes[0];
    if (state->sifted_for == first && state->sifted_word == word)
        return state->sifted;
    const dray_view_word *w = &run->view->words[word];
    if (state->sifted_for != first)
        state->hash = dray_attribute_is_plain(first) ? dray_attribute_hash(first) : 0;
    state->sifted_for = first;
    state->sifted_word = word;
    state->sifted = ~(uint64_t)0;
    const uint64_t *column =
        state->hash != 0 ? dray_slice_column(w->slice, constraint->attribute) : NULL;
    if (column == NULL)
        return state->sifted;
    size_t from = (size_t)w->word * 64, n = w->slice->n_devices - from;
    uint64_t same = 0;
    for (size_t i = 0; i < n && i < 64; i++)
        same |= (uint64_t)(column[from + i] == state->hash) << i;
    return state->sifted = same;
}

uint64_t dray_constraints_sift(dray_run *run, const dray_alt *alt, uint32_t word, uint64_t mask) {
    for (uint32_t i = 0; i < alt->n_constraints; i++) {
        const dray_constraint *constraint = alt->constraints[i];
        dray_constraint_state *state = &run->constraints[constraint->number];
        if (!constraint->distinct && state->n > 0)
            mask &= same_at_sight(run, constraint, state, word);
    }
    return mask;
}
