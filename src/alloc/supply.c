/* Amounts: counters and capacities, summed by name, against the least that the demands draw. */
#include "alloc/bounds_int.h"

enum { UNITS_MAX = 4096 }; /* of the largest amount, for working out what can be used of it */

static void add_item(dray_items *items, dray_amount amount) {
    if (amount <= 0)
        return;
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->v[i] == amount)
            return;
    }
    if (items->n == DRAY_BOUND_ITEMS)
        items->many = true;
    else
        items->v[items->n++] = amount;
}

static dray_amount gcd(dray_amount a, dray_amount b) {
    while (b != 0) {
        dray_amount rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The most of `left` that amounts like these can use up: the rest is lost. */
static dray_amount usable(const dray_items *items, dray_amount left) {
    if (left <= 0 || items->n == 0)
        return 0;
    if (items->many)
        return left;
    dray_amount unit = 0, least = items->v[0];
    for (uint32_t i = 0; i < items->n; i++) {
        unit = gcd(unit, items->v[i]);
        least = items->v[i] < least ? items->v[i] : least;
    }
    if (left < least)
        return 0;
    if (left / unit > UNITS_MAX)
        return left;
    size_t units = (size_t)(left / unit), best = 0;
    uint64_t reach[UNITS_MAX / 64 + 1] = {1};
    for (size_t at = 0; at <= units; at++) {
        if (!(reach[at / 64] >> at % 64 & 1))
            continue;
        best = at;
        for (uint32_t i = 0; i < items->n; i++) {
            size_t to = at + (size_t)(items->v[i] / unit);
            if (to <= units)
                reach[to / 64] |= (uint64_t)1 << to % 64;
        }
    }
    return unit * (dray_amount)best;
}

/* Costs of a demand's candidates for one name, cheapest first. */
typedef struct costs {
    struct {
        dray_amount cost;
        int64_t n;
    } v[DRAY_BOUND_ITEMS];
    uint32_t n;
    int64_t counted;
    dray_amount beyond; /* the least of those for which there was no place */
} costs;

static void add_cost(costs *c, dray_amount cost) {
    uint32_t at = 0;
    c->counted++;
    while (at < c->n && c->v[at].cost < cost)
        at++;
    if (at < c->n && c->v[at].cost == cost) {
        c->v[at].n++;
        return;
    }
    if (c->n == DRAY_BOUND_ITEMS) {
        /* The dearest moves out of sight and counts as no dearer than what stays behind it. */
        dray_amount out = at < c->n ? c->v[c->n - 1].cost : cost;
        c->beyond = c->beyond == 0 || out < c->beyond ? out : c->beyond;
        if (at == c->n)
            return;
        c->n--;
    }
    memmove(&c->v[at + 1], &c->v[at], (c->n - at) * sizeof c->v[0]);
    c->v[at].cost = cost;
    c->v[at].n = 1;
    c->n++;
}

/* The least that `need` candidates cost, of which `gratis` cost nothing. */
static dray_amount least_cost(const costs *c, int64_t need, int64_t gratis) {
    dray_amount sum = 0;
    need -= gratis;
    for (uint32_t i = 0; i < c->n && need > 0; i++) {
        if (c->beyond != 0 && c->v[i].cost >= c->beyond)
            break;
        int64_t n = c->v[i].n < need ? c->v[i].n : need;
        sum += c->v[i].cost * n;
        need -= n;
    }
    return need > 0 ? sum + c->beyond * need : sum;
}

/* Counters are looked at by name, then by family of names: numbers past the names'. */
static bool counts_as(const dray_proof *proof, uint32_t pool, uint32_t counter, uint32_t name) {
    uint32_t own = proof->counter_name_of[pool][counter];
    if (name < proof->n_counter_names)
        return own == name;
    return proof->counter_family[own] == (int32_t)(name - proof->n_counter_names);
}

static dray_amount draw_of(const dray_proof *proof, uint32_t device, uint32_t name) {
    uint32_t pool = dray_run_word(proof->run, proof->pos[device])->pool;
    dray_draws draws = dray_proof_draws(proof, device);
    dray_amount sum = 0;
    for (size_t k = 0; k < draws.n; k++) {
        if (counts_as(proof, pool, draws.v[k].counter, name))
            sum += draws.v[k].amount;
    }
    return sum;
}

/* Notes what is drawn from one set at once. */
static void note_draw(const dray_proof *proof, uint32_t device, dray_amount draw,
                      dray_items *items) {
    items->many |= proof->pool_is_mixed[dray_run_word(proof->run, proof->pos[device])->pool];
    add_item(items, draw);
}

static dray_amount demand_cost(dray_bound *bound, uint32_t level, uint32_t g, uint32_t name,
                               dray_items *items) {
    const dray_proof *proof = bound->proof;
    const dray_demand *d = &bound->demands[g];
    const uint64_t *row = dray_bound_row(bound, level, g);
    const uint64_t *drawers = &bound->drawers[name * bound->words];
    costs c; /* cheaper than to clear it all */
    c.n = 0;
    c.counted = 0;
    c.beyond = 0;
    int64_t gratis = 0;
    for (size_t w = 0; w < bound->words; w++) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            dray_amount cost = dray_bit(drawers, i) ? draw_of(proof, i, name) : 0;
            if (cost > 0)
                note_draw(proof, i, cost, items);
            if (dray_bit(proof->multi, i))
                gratis += d->merged;
            else if (cost <= 0)
                gratis++;
            else
                add_cost(&c, cost);
        }
    }
    return least_cost(&c, d->need, gratis);
}

/* By name: the devices that draw it. */
static void find_drawers(dray_bound *bound, size_t n) {
    const dray_proof *proof = bound->proof;
    bound->drawers = DRAY_NEW_N(proof->arena, uint64_t, n * bound->words + 1);
    for (size_t w = 0; w < bound->words; w++) {
        for (uint64_t bits = proof->draws[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            for (uint32_t name = 0; name < n; name++) {
                if (draw_of(proof, i, name) > 0)
                    bound->drawers[name * bound->words + w] |= bits & -bits;
            }
        }
    }
}

/* Whether some demand can't do without a device that draws the name. */
static bool is_drawn(const dray_bound *bound, uint32_t level, uint32_t name) {
    const uint64_t *drawers = &bound->drawers[name * bound->words];
    for (uint32_t g = 0; g < bound->n; g++) {
        const uint64_t *row = dray_bound_row(bound, level, g);
        const dray_demand *d = &bound->demands[g];
        int64_t gratis = 0;
        for (size_t w = 0; w < bound->words && gratis < d->need; w++) {
            uint64_t multi = row[w] & bound->proof->multi[w];
            gratis += d->merged * __builtin_popcountll(multi) +
                      __builtin_popcountll(row[w] & ~multi & ~drawers[w]);
        }
        if (gratis < d->need)
            return true;
    }
    return false;
}

/* What can be drawn under the name, set by set: a pool's counters stand set by set. */
static dray_amount counter_supply(const dray_bound *bound, uint32_t name, const dray_items *items) {
    const dray_proof *proof = bound->proof;
    dray_amount supply = 0;
    for (uint32_t p = 0; p < proof->run->view->n_pools; p++) {
        const dray_pool_view *pool = proof->run->view->pools[p];
        if (pool->n_counters == 0)
            continue;
        const dray_pool_state_of_run *state = dray_run_pool(proof->run, p);
        dray_amount left = 0;
        for (uint32_t k = 0; k < pool->n_counters; k++) {
            if (counts_as(proof, p, k, name))
                left += state->left[k];
            if (!proof->ends_set[p][k])
                continue;
            supply += usable(items, left);
            left = 0;
        }
    }
    return supply;
}

bool dray_counters_refute(dray_bound *bound, uint32_t level) {
    size_t n = bound->proof->n_counter_names + bound->proof->n_counter_families;
    n = n < DRAY_BOUND_NAMES ? n : DRAY_BOUND_NAMES;
    if (bound->drawers == NULL)
        find_drawers(bound, n);
    for (uint32_t name = 0; name < n; name++) {
        if (!is_drawn(bound, level, name))
            continue;
        dray_items items = {.n = 0};
        dray_amount want = 0;
        for (uint32_t g = 0; g < bound->n; g++)
            want += demand_cost(bound, level, g, name, &items);
        if (want > 0 && want > counter_supply(bound, name, &items))
            return true;
    }
    return false;
}

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
 * not shared, or has none. */
static dray_amount least_share(dray_bound *bound, uint32_t level, uint32_t g, uint32_t name,
                               dray_items *items) {
    const dray_proof *proof = bound->proof;
    dray_run *run = proof->run;
    const uint64_t *row = dray_bound_row(bound, level, g);
    const dray_demand *d = &bound->demands[g];
    dray_amount least = DRAY_AMOUNT_MAX;
    for (size_t w = 0; w < bound->words; w++) {
        for (uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            const dray_resource_device *body = dray_view_device(run->view, proof->pos[i]);
            bool has = false;
            for (size_t c = 0; c < body->capacity.n && dray_bit(proof->multi, i); c++) {
                if (!dray_str_eq(body->capacity.k[c], bound->capacity_names[name]))
                    continue;
                has = true;
                for (uint32_t a = d->first_alt; a < d->first_alt + d->n_alts; a++) {
                    dray_kindred *kind = run->job->alts.v[a].kind;
                    if (!dray_bit(proof->kind_bits[kind->number], i))
                        continue;
                    dray_amount amount = dray_run_amounts(run, kind, proof->pos[i])[c];
                    add_item(items, amount);
                    least = amount < least ? amount : least;
                }
            }
            if (!has)
                return 0;
        }
    }
    return least == DRAY_AMOUNT_MAX ? 0 : least;
}

static dray_amount capacity_supply(dray_bound *bound, uint32_t name, const dray_items *items) {
    const dray_proof *proof = bound->proof;
    dray_run *run = proof->run;
    dray_amount supply = 0;
    for (size_t w = 0; w < bound->words; w++) {
        for (uint64_t bits = bound->any[w]; bits != 0; bits &= bits - 1) {
            uint32_t pos = proof->pos[w * 64 + (size_t)__builtin_ctzll(bits)];
            const dray_resource_device *body = dray_view_device(run->view, pos);
            for (size_t c = 0; c < body->capacity.n; c++) {
                if (dray_str_eq(body->capacity.k[c], bound->capacity_names[name]))
                    supply += usable(items, dray_run_sharing(run, pos)->left[c]);
            }
        }
    }
    return supply;
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

bool dray_capacity_refutes(dray_bound *bound, uint32_t level) {
    if (!bound->capacity_listed)
        list_capacity_names(bound);
    for (uint32_t name = 0; name < bound->n_capacity_names; name++) {
        dray_items items = {.n = 0};
        dray_amount want = 0;
        memset(bound->any, 0, bound->words * sizeof *bound->any);
        for (uint32_t g = 0; g < bound->n; g++) {
            dray_items mine = items;
            dray_amount least = least_share(bound, level, g, name, &mine);
            if (least == 0)
                continue;
            items = mine;
            want += least * bound->demands[g].need;
            const uint64_t *row = dray_bound_row(bound, level, g);
            for (size_t w = 0; w < bound->words; w++)
                bound->any[w] |= row[w];
        }
        if (want > 0 && want > capacity_supply(bound, name, &items))
            return true;
    }
    return false;
}
