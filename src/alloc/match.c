/* matchAttribute: which values its constraints may still come to. A value is out where too few of
 * its devices are left for the requests in scope; devices whose values are all out are no
 * candidates. Constraints that have requests in common are tried value by value; constraints that
 * have not are items to be packed into the values. */
#include "alloc/bounds_int.h"

enum { ROUNDS = 3 };

/* Whether its value is not decided yet. */
static bool is_open(const dray_bound *b, uint32_t c) {
    const dray_run *run = b->proof->run;
    const dray_constraint_state *state = &run->constraints[c];
    return !run->job->constraints.v[c].distinct && b->proof->values[c].usable &&
           (state->n == 0 || (run->f.lists && state->sets[state->n - 1].n > 1));
}

/* The values that an open constraint may still come to, in order. */
static dray_value_set open_values(const dray_bound *b, uint32_t c) {
    const dray_constraint_state *state = &b->proof->run->constraints[c];
    const dray_constraint_values *values = &b->proof->values[c];
    return state->n > 0 ? state->sets[state->n - 1]
                        : (dray_value_set){values->numbers, (uint32_t)values->n};
}

/* Candidates in the row, by value; the same row is often asked about again. */
static void count_values(dray_bound *b, const dray_constraint_values *values, const uint64_t *row) {
    if (b->counted == values->numbers && memcmp(b->counted_row, row, b->words * sizeof *row) == 0)
        return;
    b->counted = values->numbers;
    memcpy(b->counted_row, row, b->words * sizeof *row);
    memset(b->counts, 0, 2 * values->n * sizeof *b->counts);
    for (size_t w = 0; w < b->words; w++) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            bool multi = dray_bit(b->proof->multi, i);
            for (uint32_t k = 0; k < values->of[i].n; k++) {
                size_t at = dray_value_index(values, values->of[i].v[k]);
                b->counts[2 * at]++;
                b->counts[2 * at + 1] += multi;
            }
        }
    }
}

/* Whether the row has candidates enough with the value, of those that were counted. */
static bool will_do(const dray_bound *b, const dray_demand *d, size_t value) {
    int64_t n = b->counts[2 * value], shared = b->counts[2 * value + 1];
    return n >= d->single && n - shared + shared * d->merged >= d->need;
}

/* Takes out the devices without a value that will do. True: there is no value. */
static bool filter(dray_bound *b, uint32_t c, uint64_t scope, bool *ret_changed) {
    const dray_constraint_values *values = &b->proof->values[c];
    dray_value_set open = open_values(b, c);
    bool possible = false;
    memset(b->keep, 0, b->words * sizeof *b->keep);
    memset(b->out, 0, values->n * sizeof *b->out);
    for (uint64_t bits = scope; bits != 0; bits &= bits - 1) {
        const dray_demand *d = &b->demands[__builtin_ctzll(bits)];
        count_values(b, values, dray_bound_row(b, 0, (uint32_t)__builtin_ctzll(bits)));
        for (size_t v = 0; v < values->n; v++)
            b->out[v] |= !will_do(b, d, v);
    }
    for (uint32_t v = 0; v < open.n; v++) {
        size_t at = dray_value_index(values, open.v[v]);
        if (at == values->n || b->out[at])
            continue;
        possible = true;
        for (uint32_t i = values->first[at]; i < values->first[at + 1]; i++)
            b->keep[values->devices[i] / 64] |= (uint64_t)1 << values->devices[i] % 64;
    }
    for (; scope != 0; scope &= scope - 1) {
        uint64_t *row = dray_bound_row(b, 0, (uint32_t)__builtin_ctzll(scope));
        for (size_t w = 0; w < b->words; w++) {
            *ret_changed |= (row[w] & ~b->keep[w]) != 0;
            row[w] &= b->keep[w];
        }
    }
    return !possible;
}

static bool filter_all(dray_bound *b) {
    bool changed = true;
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = false;
        for (uint32_t c = 0; c < b->proof->run->job->constraints.n; c++) {
            uint64_t scope = is_open(b, c) ? b->scopes[c] : 0;
            if (scope != 0 && filter(b, c, scope, &changed))
                return true;
        }
    }
    return false;
}

/* The first open constraint that several demands are in, and those that share demands with it. */
static void find_open(dray_bound *b) {
    uint64_t joined = 0;
    b->n_open = 0;
    for (uint32_t c = 0; c < b->proof->run->job->constraints.n && b->n_open < DRAY_BOUND_LEVELS;
         c++) {
        uint64_t scope = is_open(b, c) ? b->scopes[c] : 0;
        if (scope == 0 || (b->n_open > 0 && (scope & joined) == 0))
            continue;
        joined |= scope;
        b->open[b->n_open++] = c;
    }
    if (b->n_open == 1 && (joined & (joined - 1)) == 0)
        b->n_open = 0; /* one demand: its values have been looked at */
}

/* Rows of the next level, where the constraint has the value; false where it can't. */
static bool restrict_rows(dray_bound *b, uint32_t level, uint32_t c, size_t value) {
    const dray_constraint_values *values = &b->proof->values[c];
    uint64_t scope = b->scopes[c];
    for (uint64_t bits = scope; bits != 0; bits &= bits - 1) {
        uint32_t g = (uint32_t)__builtin_ctzll(bits);
        count_values(b, values, dray_bound_row(b, level, g));
        if (!will_do(b, &b->demands[g], value))
            return false;
    }
    for (uint32_t g = 0; g < b->n; g++) {
        const uint64_t *from = dray_bound_row(b, level, g);
        uint64_t *to = dray_bound_row(b, level + 1, g);
        if (!(scope >> g & 1)) {
            memcpy(to, from, b->words * sizeof *to);
            continue;
        }
        memset(to, 0, b->words * sizeof *to);
        for (uint32_t i = values->first[value]; i < values->first[value + 1]; i++) {
            uint32_t device = values->devices[i];
            to[device / 64] |= from[device / 64] & (uint64_t)1 << device % 64;
        }
    }
    return true;
}

/* Keeps to the devices that have the value or a later one: those before it are refuted. */
static void keep_later(dray_bound *b, uint32_t c, dray_value_set open, uint32_t from) {
    const dray_constraint_values *values = &b->proof->values[c];
    memset(b->keep, 0, b->words * sizeof *b->keep);
    for (uint32_t v = from; v < open.n; v++) {
        size_t at = dray_value_index(values, open.v[v]);
        for (uint32_t i = values->first[at]; at < values->n && i < values->first[at + 1]; i++)
            b->keep[values->devices[i] / 64] |= (uint64_t)1 << values->devices[i] % 64;
    }
    for (uint64_t scope = b->scopes[c]; scope != 0; scope &= scope - 1) {
        uint64_t *row = dray_bound_row(b, 0, (uint32_t)__builtin_ctzll(scope));
        for (size_t w = 0; w < b->words; w++)
            row[w] &= b->keep[w];
    }
}

/* Whether no choice of values for the open constraints passes. */
static bool refuted_for_all_values(dray_bound *b, uint32_t level) {
    if (level == b->n_open)
        return dray_bound_refuted(b, level);
    uint32_t c = b->open[level];
    const dray_constraint_values *values = &b->proof->values[c];
    dray_value_set open = open_values(b, c);
    for (uint32_t v = 0; v < open.n; v++) {
        size_t at = dray_value_index(values, open.v[v]);
        if (at == values->n || !restrict_rows(b, level, c, at))
            continue;
        if (b->checks <= DRAY_BOUND_CHECKS && refuted_for_all_values(b, level + 1))
            continue;
        if (level == 0 && v > 0)
            keep_later(b, c, open, v);
        return false;
    }
    return true;
}

/* Constraints of one attribute that want devices to themselves. */
typedef struct packing {
    int64_t sizes[DRAY_PROOF_DEMANDS];
    uint32_t n;
    uint64_t demands; /* of all of them */
} packing;

static bool wants_whole(const dray_bound *b, uint64_t scope) {
    for (; scope != 0; scope &= scope - 1) {
        uint32_t g = (uint32_t)__builtin_ctzll(scope);
        const uint64_t *row = dray_bound_row(b, 0, g);
        bool shared = b->demands[g].admin;
        for (size_t w = 0; w < b->words && !shared; w++)
            shared = (row[w] & b->proof->multi[w]) != 0;
        if (shared)
            return false;
    }
    return true;
}

static void find_packing(const dray_bound *b, uint32_t first, packing *ret) {
    *ret = (packing){.n = 0};
    const uint32_t *numbers = b->proof->values[first].numbers;
    for (uint32_t c = first; c < b->proof->run->job->constraints.n; c++) {
        if (b->proof->values[c].numbers != numbers || !is_open(b, c) ||
            ret->n == DRAY_PROOF_DEMANDS)
            continue;
        uint64_t scope = b->scopes[c] & ~ret->demands;
        if (scope == 0 || !wants_whole(b, scope))
            continue;
        int64_t size = 0;
        ret->demands |= scope;
        for (uint64_t bits = scope; bits != 0; bits &= bits - 1)
            size += b->demands[__builtin_ctzll(bits)].need;
        ret->sizes[ret->n++] = size;
    }
}

/* Devices of a value that one of the packing's demands could have. */
static int64_t room_of(const dray_bound *b, const dray_constraint_values *values, size_t value) {
    int64_t n = 0;
    for (uint32_t i = values->first[value]; i < values->first[value + 1]; i++)
        n += dray_bit(b->any, values->devices[i]);
    return n;
}

static bool packing_refutes(dray_bound *b, uint32_t first) {
    packing p;
    const dray_constraint_values *values = &b->proof->values[first];
    find_packing(b, first, &p);
    if (p.n < 2)
        return false;
    memset(b->any, 0, b->words * sizeof *b->any);
    for (uint64_t bits = p.demands; bits != 0; bits &= bits - 1) {
        const uint64_t *row = dray_bound_row(b, 0, (uint32_t)__builtin_ctzll(bits));
        for (size_t w = 0; w < b->words; w++)
            b->any[w] |= row[w];
    }
    dray_items items = {.n = 0};
    int64_t want = 0, fit[DRAY_PROOF_DEMANDS] = {0};
    for (uint32_t k = 0; k < p.n; k++) {
        dray_items_add(&items, p.sizes[k], 1);
        want += p.sizes[k];
    }
    dray_reach reach;
    dray_reach_make(&reach, &items, b->proof->m);
    int64_t supply = 0;
    for (size_t v = 0; v < values->n; v++) {
        int64_t room = room_of(b, values, v);
        supply += dray_reach_of(&reach, room);
        for (uint32_t k = 0; k < p.n; k++)
            fit[k] += room / p.sizes[k];
    }
    for (uint32_t k = 0; k < p.n; k++) {
        int64_t as_large = 0;
        for (uint32_t i = 0; i < p.n; i++)
            as_large += p.sizes[i] >= p.sizes[k];
        if (as_large > fit[k])
            return true;
    }
    return want > supply;
}

/* One packing for each attribute. */
static bool packings_refute(dray_bound *b) {
    const dray_constraint_values *values = b->proof->values;
    for (uint32_t c = 0; c < b->proof->run->job->constraints.n; c++) {
        bool again = false;
        for (uint32_t k = 0; k < c && !again; k++)
            again = values[k].numbers == values[c].numbers && is_open(b, k);
        if (!again && is_open(b, c) && values[c].single && packing_refutes(b, c))
            return true;
    }
    return false;
}

bool dray_match_refutes(dray_bound *b) {
    if (filter_all(b) || dray_bound_refuted(b, 0) || packings_refute(b))
        return true;
    find_open(b);
    return b->n_open > 0 && refuted_for_all_values(b, 0);
}
