/* Shared capacity, summed by name over the devices, against the least that the demands take. */
#include "alloc/bounds_int.h"

static uint32_t capacity_name(dray_bound *bound, dray_str name) {
    if (bound->capacity_names == NULL)
        bound->capacity_names = DRAY_NEW_N(bound->proof->arena, dray_str, DRAY_BOUND_NAMES);
    uint32_t i = 0;
    while (i < bound->n_capacity_names && !dray_str_eq(bound->capacity_names[i], name))
        i++;
    if (i == bound->n_capacity_names && i < DRAY_BOUND_NAMES)
        bound->capacity_names[bound->n_capacity_names++] = name;
    return i;
}

/* The least that the demand takes of the capacity on any of its candidates; 0 where one of them is
 * not shared, or has none. Each amount that it may take is an item, for each of its requests. */
static dray_amount least_share(dray_bound *bound, uint32_t level, uint32_t g, uint32_t name,
                               dray_items *items) {
    const dray_proof *proof = bound->proof;
    dray_run *run = proof->run;
    const uint64_t *row = dray_bound_row(bound, level, g);
    const dray_demand *d = &bound->demands[g];
    dray_items mine = {.n = 0};
    dray_amount least = DRAY_AMOUNT_MAX;
    for (size_t w = 0; w < bound->words; w++) {
        if ((row[w] & ~proof->multi[w]) != 0)
            return 0;
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            int32_t c = bound->capacity_at[name * proof->m + i];
            if (c < 0)
                return 0;
            for (uint32_t a = d->first_alt; a < d->first_alt + d->n_alts; a++) {
                dray_kindred *kind = run->job->alts.v[a].kind;
                if (!dray_bit(proof->kind_bits[kind->number], i))
                    continue;
                dray_amount amount = dray_run_amounts(run, kind, proof->pos[i])[c];
                dray_items_add(&mine, amount, 1);
                least = amount < least ? amount : least;
            }
        }
    }
    for (uint32_t i = 0; i < mine.n; i++)
        dray_items_add(items, mine.v[i], d->merged);
    items->many |= mine.many;
    return least == DRAY_AMOUNT_MAX ? 0 : least;
}

static dray_amount left_of(const dray_bound *bound, uint32_t name, uint32_t i) {
    int32_t c = bound->capacity_at[name * bound->proof->m + i];
    return c < 0 ? 0 : dray_run_sharing(bound->proof->run, bound->proof->pos[i])->left[c];
}

/* Whether shares of one size or more are too many for the devices: of each device only so many
 * fit. */
static bool too_many(const dray_bound *bound, uint32_t name, const dray_amount *least) {
    for (uint32_t k = 0; k < bound->n; k++) {
        int64_t want = 0, room = 0;
        for (uint32_t g = 0; g < bound->n && least[k] > 0; g++)
            want += least[g] >= least[k] ? bound->demands[g].need : 0;
        for (size_t w = 0; w < bound->words && room < want; w++) {
            for (uint64_t bits = bound->any[w]; bits != 0 && room < want; bits &= bits - 1) {
                uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
                dray_amount left = left_of(bound, name, i);
                dray_amount fit = left > 0 ? left / least[k] : 0;
                room += fit < want ? (int64_t)fit : want;
            }
        }
        if (room < want)
            return true;
    }
    return false;
}

/* What is wasted of a device at least when so much is left of it. */
static dray_amount waste(const dray_reach *reach, dray_amount left) {
    return left > 0 ? left - dray_reach_of(reach, left) : 0;
}

/* The least that is wasted of a device once the demand has taken its share. */
static dray_amount waste_after(const dray_bound *bound, uint32_t name, const dray_demand *d,
                               uint32_t i, const dray_reach *reach) {
    const dray_proof *proof = bound->proof;
    dray_run *run = proof->run;
    dray_amount left = left_of(bound, name, i), least = left;
    for (uint32_t a = d->first_alt; a < d->first_alt + d->n_alts; a++) {
        dray_kindred *kind = run->job->alts.v[a].kind;
        if (!dray_bit(proof->kind_bits[kind->number], i))
            continue;
        int32_t c = bound->capacity_at[name * proof->m + i];
        dray_amount after = left - dray_run_amounts(run, kind, proof->pos[i])[c];
        dray_amount one = after < 0 ? left : waste(reach, after);
        least = one < least ? one : least;
    }
    return least;
}

/* Takes out candidates that would waste more than is to spare. */
static void drop_wasteful(dray_bound *bound, uint32_t level, uint32_t name,
                          const dray_amount *least, const dray_reach *reach, dray_amount spare) {
    for (uint32_t g = 0; g < bound->n; g++) {
        uint64_t *row = dray_bound_row(bound, level, g);
        for (size_t w = 0; w < bound->words && least[g] > 0; w++) {
            for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
                uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
                dray_amount more = waste_after(bound, name, &bound->demands[g], i, reach) -
                                   waste(reach, left_of(bound, name, i));
                if (more > spare)
                    row[w] &= ~(bits & -bits);
            }
        }
    }
}

/* True: the demands want more than the devices have, when what can't be used is left out. */
static bool overspent(dray_bound *bound, uint32_t level, uint32_t name, const dray_items *items,
                      const dray_amount *least, dray_amount want) {
    dray_amount supply = 0, most = 0;
    for (int pass = 0; pass < 2; pass++) {
        dray_reach reach;
        if (pass == 1)
            dray_reach_make(&reach, items, most);
        for (size_t w = 0; w < bound->words; w++) {
            for (uint64_t bits = bound->any[w]; bits != 0; bits &= bits - 1) {
                dray_amount left =
                    left_of(bound, name, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits));
                most = left > most ? left : most;
                supply += pass == 1 ? dray_reach_of(&reach, left) : 0;
            }
        }
        if (pass == 1 && want <= supply)
            drop_wasteful(bound, level, name, least, &reach, supply - want);
    }
    return want > supply;
}

static void list_capacity_names(dray_bound *bound) {
    const dray_proof *proof = bound->proof;
    bound->capacity_listed = true;
    for (size_t w = 0; w < bound->words; w++) {
        for (uint64_t bits = proof->multi[w]; bits != 0; bits &= bits - 1) {
            uint32_t pos = proof->pos[w * 64 + (size_t)__builtin_ctzll(bits)];
            const dray_resource_device *body = dray_view_device(proof->run->view, pos);
            for (size_t c = 0; c < body->capacity.n; c++)
                (void)capacity_name(bound, body->capacity.k[c]);
        }
    }
}

/* Where the capacity stands on each device; -1: it has none of that name. */
static void place_capacities(dray_bound *bound) {
    const dray_proof *proof = bound->proof;
    bound->capacity_at = DRAY_NEW_N(proof->arena, int32_t, bound->n_capacity_names * proof->m + 1);
    for (uint32_t name = 0; name < bound->n_capacity_names; name++) {
        for (uint32_t i = 0; i < proof->m; i++) {
            const dray_resource_device *body = dray_view_device(proof->run->view, proof->pos[i]);
            int32_t *at = &bound->capacity_at[name * proof->m + i];
            *at = -1;
            for (size_t c = 0; c < body->capacity.n && dray_bit(proof->multi, i); c++) {
                if (dray_str_eq(body->capacity.k[c], bound->capacity_names[name]))
                    *at = (int32_t)c;
            }
        }
    }
}

bool dray_capacity_refutes(dray_bound *bound, uint32_t level) {
    if (!bound->capacity_listed) {
        list_capacity_names(bound);
        place_capacities(bound);
    }
    for (uint32_t name = 0; name < bound->n_capacity_names; name++) {
        dray_items items = {.n = 0};
        dray_amount want = 0, least[DRAY_PROOF_DEMANDS];
        memset(bound->any, 0, bound->words * sizeof *bound->any);
        for (uint32_t g = 0; g < bound->n; g++) {
            least[g] = least_share(bound, level, g, name, &items);
            if (least[g] == 0)
                continue;
            want += least[g] * bound->demands[g].need;
            const uint64_t *row = dray_bound_row(bound, level, g);
            for (size_t w = 0; w < bound->words; w++)
                bound->any[w] |= row[w];
        }
        if (want <= 0)
            continue;
        if (overspent(bound, level, name, &items, least, want) || too_many(bound, name, least))
            return true;
    }
    return false;
}
