/* Shared capacity, summed by name over the devices, against the least that the demands take. Of a
 * device only sums of shares are of use; what no sum reaches is wasted. */
#include "alloc/bounds_int.h"

enum { FEW = 4 }; /* numbers of shares that sums are told apart by; more: any number */

/* Sums of at most 1, 2, … FEW shares, and of any number. */
typedef struct sums {
    dray_reach of[FEW + 1];
} sums;

struct dray_supply {
    dray_str names[DRAY_BOUND_NAMES];
    uint32_t n;
    int32_t *at; /* [name][device]: where the capacity stands; -1: there is none */
    dray_amount units[DRAY_BOUND_NAMES]; /* of which all shares are multiples */
    int64_t **shares; /* [name][kindred], by device: what is taken; -1: it can't have the device */
    /* For one call and level. */
    int64_t *left;   /* [name][device] */
    int64_t *least;  /* [name][demand]: 0: nothing for sure */
    uint32_t *fit;   /* by device, for one name: shares that the other names leave room for */
    int64_t *wasted; /* by device, for one name */
    sums sums;
};

static void add_name(struct dray_supply *s, dray_str name) {
    uint32_t i = 0;
    while (i < s->n && !dray_str_eq(s->names[i], name))
        i++;
    if (i == s->n && i < DRAY_BOUND_NAMES)
        s->names[s->n++] = name;
}

static int32_t place_of(const dray_resource_device *body, dray_str name) {
    for (size_t c = 0; c < body->capacity.n; c++) {
        if (dray_str_eq(body->capacity.k[c], name))
            return (int32_t)c;
    }
    return -1;
}

static const dray_amount *amounts_of(const dray_bound *bound, dray_kindred *kind, uint32_t i) {
    const dray_proof *proof = bound->proof;
    return dray_bit(proof->multi, i) && dray_bit(proof->kind_bits[kind->number], i)
               ? dray_run_amounts(proof->run, kind, proof->pos[i])
               : NULL;
}

/* What each kindred takes of the capacity, in units. False: amounts are too different for that. */
static bool count_shares(const dray_bound *bound, struct dray_supply *s, uint32_t name) {
    const dray_proof *proof = bound->proof;
    const dray_alloc_job *job = proof->run->job;
    const int32_t *at = &s->at[name * proof->m];
    for (size_t k = 0; k < job->kinds.n; k++) {
        for (uint32_t i = 0; i < proof->m; i++) {
            const dray_amount *amounts = at[i] >= 0 ? amounts_of(bound, job->kinds.v[k], i) : NULL;
            if (amounts != NULL)
                dray_unit_of(&s->units[name], amounts[at[i]]);
        }
    }
    bool counted = true;
    for (size_t k = 0; k < job->kinds.n; k++) {
        int64_t *shares = DRAY_NEW_N(proof->arena, int64_t, proof->m + 1);
        s->shares[name * job->kinds.n + k] = shares;
        for (uint32_t i = 0; i < proof->m; i++) {
            const dray_amount *amounts = at[i] >= 0 ? amounts_of(bound, job->kinds.v[k], i) : NULL;
            shares[i] = -1;
            if (amounts != NULL)
                counted &= dray_in_units(amounts[at[i]], s->units[name], &shares[i]);
        }
    }
    return counted;
}

static struct dray_supply *make_supply(const dray_bound *bound) {
    const dray_proof *proof = bound->proof;
    struct dray_supply *s = DRAY_NEW(proof->arena, struct dray_supply);
    for (uint32_t i = 0; i < proof->m; i++) {
        const dray_resource_device *body = dray_view_device(proof->run->view, proof->pos[i]);
        for (size_t c = 0; c < body->capacity.n && dray_bit(proof->multi, i); c++)
            add_name(s, body->capacity.k[c]);
    }
    size_t cells = (size_t)s->n * proof->m, kinds = proof->run->job->kinds.n;
    s->at = DRAY_NEW_N(proof->arena, int32_t, cells + 1);
    s->left = DRAY_NEW_N(proof->arena, int64_t, cells + 1);
    s->least = DRAY_NEW_N(proof->arena, int64_t, s->n *DRAY_PROOF_DEMANDS + 1);
    s->wasted = DRAY_NEW_N(proof->arena, int64_t, proof->m + 1);
    s->fit = DRAY_NEW_N(proof->arena, uint32_t, proof->m + 1);
    s->shares = DRAY_NEW_N(proof->arena, int64_t *, s->n *kinds + 1);
    for (size_t cell = 0; cell < cells; cell++) {
        uint32_t i = (uint32_t)(cell % proof->m);
        s->at[cell] = dray_bit(proof->multi, i)
                          ? place_of(dray_view_device(proof->run->view, proof->pos[i]),
                                     s->names[cell / proof->m])
                          : -1;
    }
    for (uint32_t name = 0; name < s->n; name++) {
        /* What can't be counted counts for nothing: as if no device had it. */
        if (!count_shares(bound, s, name))
            memset(&s->at[name * proof->m], 0xff, proof->m * sizeof *s->at);
    }
    return s;
}

static const int64_t *shares_of(const dray_bound *bound, uint32_t name, const dray_kindred *kind) {
    return bound->supply->shares[name * bound->proof->run->job->kinds.n + kind->number];
}

static dray_kindred *kind_of(const dray_bound *bound, uint32_t alt) {
    return bound->proof->run->job->alts.v[alt].kind;
}

/* The least that the demand takes of the capacity on any of its candidates; 0 where one of them is
 * not shared, or has none. Each amount that it may take is an item, for each of its requests. */
static int64_t least_share(const dray_bound *bound, uint32_t level, uint32_t g, uint32_t name,
                           dray_items *items) {
    const dray_proof *proof = bound->proof;
    const uint64_t *row = dray_bound_row(bound, level, g);
    const dray_demand *d = &bound->demands[g];
    int64_t least = INT64_MAX, known = 0;
    for (size_t w = 0; w < bound->words; w++) {
        if ((row[w] & ~proof->multi[w]) != 0)
            return 0;
    }
    for (uint32_t a = d->first_alt; a < d->first_alt + d->n_alts; a++) {
        const int64_t *shares = shares_of(bound, name, kind_of(bound, a));
        for (size_t w = 0; w < bound->words; w++) {
            for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
                uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
                if (bound->supply->at[name * proof->m + i] < 0)
                    return 0;
                if (shares[i] < 0)
                    continue;
                least = shares[i] < least ? shares[i] : least;
                if (shares[i] != known)
                    dray_items_put(items, shares[i], d->merged);
                known = shares[i];
            }
        }
    }
    return least == INT64_MAX ? 0 : least;
}

static void find_left(dray_bound *bound) {
    const dray_proof *proof = bound->proof;
    struct dray_supply *s = bound->supply;
    for (size_t cell = 0; cell < (size_t)s->n * proof->m; cell++) {
        uint32_t i = (uint32_t)(cell % proof->m);
        s->left[cell] = 0;
        if (s->at[cell] >= 0)
            (void)dray_in_units(dray_run_sharing(proof->run, proof->pos[i])->left[s->at[cell]],
                                s->units[cell / proof->m], &s->left[cell]);
    }
}

/* How many of the name's shares the other capacities of a device leave room for. */
static void find_fit(dray_bound *bound, uint32_t name) {
    struct dray_supply *s = bound->supply;
    uint32_t m = bound->proof->m;
    for (uint32_t i = 0; i < m; i++)
        s->fit[i] = UINT32_MAX;
    for (uint32_t other = 0; other < s->n; other++) {
        int64_t least = 0;
        bool all = other != name;
        for (uint32_t g = 0; g < bound->n && all; g++) {
            int64_t one = s->least[other * DRAY_PROOF_DEMANDS + g];
            if (s->least[name * DRAY_PROOF_DEMANDS + g] == 0)
                continue;
            all = one > 0;
            least = least == 0 || one < least ? one : least;
        }
        for (uint32_t i = 0; all && least > 0 && i < m; i++) {
            int64_t left = s->left[other * m + i], n = left > 0 ? left / least : 0;
            if (n < (int64_t)s->fit[i])
                s->fit[i] = (uint32_t)n;
        }
    }
}

/* The most of what is left of a device that no more shares than fit can use. */
static int64_t usable(const struct dray_supply *s, uint32_t fit, int64_t left) {
    if (fit == 0)
        return 0;
    return dray_reach_of(&s->sums.of[fit > FEW ? FEW : fit - 1], left);
}

static int64_t waste(const struct dray_supply *s, uint32_t fit, int64_t left) {
    return left > 0 ? left - usable(s, fit, left) : 0;
}

/* The least that is wasted of a device once the demand has taken its share. */
static int64_t waste_after(const dray_bound *bound, uint32_t name, const dray_demand *d,
                           uint32_t i) {
    const struct dray_supply *s = bound->supply;
    int64_t left = s->left[name * bound->proof->m + i], least = left;
    uint32_t fit = s->fit[i] == UINT32_MAX ? UINT32_MAX : s->fit[i] - (s->fit[i] > 0);
    for (uint32_t a = d->first_alt; a < d->first_alt + d->n_alts; a++) {
        int64_t share = shares_of(bound, name, kind_of(bound, a))[i];
        if (share < 0 || share > left)
            continue;
        int64_t one = waste(s, fit, left - share);
        least = one < least ? one : least;
    }
    return least;
}

/* Takes out candidates that would waste more than is to spare. */
static void drop_wasteful(dray_bound *bound, uint32_t level, uint32_t name, int64_t spare) {
    const struct dray_supply *s = bound->supply;
    for (uint32_t i = 0; i < bound->proof->m; i++)
        s->wasted[i] = waste(s, s->fit[i], s->left[name * bound->proof->m + i]);
    for (uint32_t g = 0; g < bound->n; g++) {
        uint64_t *row = dray_bound_row(bound, level, g);
        for (size_t w = 0; w < bound->words && s->least[name * DRAY_PROOF_DEMANDS + g] > 0; w++) {
            for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
                uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
                if (waste_after(bound, name, &bound->demands[g], i) - s->wasted[i] > spare)
                    row[w] &= ~(bits & -bits);
            }
        }
    }
}

/* Whether shares of one size or more are too many for the devices: of each only so many fit. */
static bool too_many(const dray_bound *bound, uint32_t name) {
    const struct dray_supply *s = bound->supply;
    const int64_t *least = &s->least[name * DRAY_PROOF_DEMANDS];
    for (uint32_t k = 0; k < bound->n; k++) {
        int64_t want = 0, room = 0;
        for (uint32_t g = 0; g < bound->n && least[k] > 0; g++)
            want += least[g] >= least[k] ? bound->demands[g].need : 0;
        for (size_t w = 0; w < bound->words && room < want; w++) {
            for (uint64_t bits = bound->any[w]; bits != 0 && room < want; bits &= bits - 1) {
                uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
                int64_t left = s->left[name * bound->proof->m + i];
                int64_t fit = left > 0 ? left / least[k] : 0;
                fit = fit < (int64_t)s->fit[i] ? fit : (int64_t)s->fit[i];
                room += fit < want ? (int64_t)fit : want;
            }
        }
        if (room < want)
            return true;
    }
    return false;
}

/* True: the demands want more of the name than the devices have, waste left out. */
static bool overspent(dray_bound *bound, uint32_t level, uint32_t name, const dray_items *items) {
    struct dray_supply *s = bound->supply;
    int64_t want = 0, supply = 0, most = 0;
    const int64_t *left = &s->left[name * bound->proof->m];
    memset(bound->any, 0, bound->words * sizeof *bound->any);
    for (uint32_t g = 0; g < bound->n; g++) {
        int64_t least = s->least[name * DRAY_PROOF_DEMANDS + g];
        const uint64_t *row = dray_bound_row(bound, level, g);
        want += least * bound->demands[g].need;
        for (size_t w = 0; w < bound->words && least > 0; w++)
            bound->any[w] |= row[w];
    }
    if (want == 0)
        return false;
    find_fit(bound, name);
    for (uint32_t i = 0; i < bound->proof->m; i++)
        most = dray_bit(bound->any, i) && left[i] > most ? left[i] : most;
    dray_reach_few(s->sums.of, FEW, items, most);
    dray_reach_make(&s->sums.of[FEW], items, most);
    for (uint32_t i = 0; i < bound->proof->m; i++)
        supply +=
            dray_bit(bound->any, i) && supply < INT64_MAX / 4 ? usable(s, s->fit[i], left[i]) : 0;
    if (want > supply || too_many(bound, name))
        return true;
    drop_wasteful(bound, level, name, supply - want);
    return false;
}

bool dray_capacity_refutes(dray_bound *bound, uint32_t level) {
    if (bound->supply == NULL)
        bound->supply = make_supply(bound);
    struct dray_supply *s = bound->supply;
    if (s->n == 0)
        return false;
    dray_items items[DRAY_BOUND_NAMES];
    find_left(bound);
    for (uint32_t name = 0; name < s->n; name++) {
        items[name].n = 0;
        items[name].many = false;
        for (uint32_t g = 0; g < bound->n; g++) {
            dray_items mine;
            mine.n = 0;
            mine.many = false;
            int64_t *least = &s->least[name * DRAY_PROOF_DEMANDS + g];
            *least = least_share(bound, level, g, name, &mine);
            for (uint32_t i = 0; i < mine.n && *least > 0; i++)
                dray_items_add(&items[name], mine.v[i], mine.counts[i]);
            items[name].many |= *least > 0 && mine.many;
        }
    }
    for (uint32_t name = 0; name < s->n; name++) {
        if (overspent(bound, level, name, &items[name]))
            return true;
    }
    return false;
}
