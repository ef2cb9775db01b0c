/* Budgets: what candidates draw under one name, counters or the values that a distinctAttribute
 * uses up, against what is there. Counters that hang together by devices that draw several of them
 * are one part; of a part only what sums of draws can reach is of use, and what no candidate draws
 * is of none. A candidate that costs more than the cheapest by more than is to spare is none. */
#include "alloc/bounds_int.h"

enum { ROUNDS = 4, PART_COSTS = 8 };

/* What one device draws of one resource. */
typedef struct draw {
    uint32_t device, resource;
    int64_t amount;
} draw;

typedef struct budget {
    draw *v; /* device by device */
    size_t n;
    uint64_t *drawers;  /* devices that draw at all */
    int64_t constraint; /* the distinctAttribute that it is of; -1: counters */
    dray_amount unit;   /* of amounts */
} budget;

typedef struct part {
    int64_t left;
    int64_t costs[PART_COSTS]; /* of devices that draw from it */
    int64_t counts[PART_COSTS];
    uint32_t n;
    bool many; /* more costs than there is place for */
} part;

struct dray_budgets {
    budget *v;
    size_t n;
    dray_amount **left; /* of counters, by resource; of values 1 is left */
    /* For one budget at a time; by resource, by device. */
    uint32_t *parent, *part_of;
    int64_t *drawn, *cost;
    part *parts;
    uint32_t n_parts;
};

static void add_draw(budget *to, uint32_t device, uint32_t resource, int64_t amount) {
    to->v[to->n++] = (draw){device, resource, amount};
    to->drawers[device / 64] |= (uint64_t)1 << device % 64;
}

static budget new_budget(const dray_bound *bound, size_t room, int64_t constraint) {
    dray_arena *arena = bound->proof->arena;
    return (budget){.v = DRAY_NEW_N(arena, draw, room + 1),
                    .drawers = DRAY_NEW_N(arena, uint64_t, bound->words),
                    .constraint = constraint};
}

/* Counters are looked at by name, then by family of names: numbers past the names'. */
static bool counts_as(const dray_proof *proof, uint32_t pool, uint32_t counter, uint32_t name) {
    uint32_t own = proof->counter_name_of[pool][counter];
    if (name < proof->n_counter_names)
        return own == name;
    return proof->counter_family[own] == (int32_t)(name - proof->n_counter_names);
}

/* Amounts that can't be counted in units leave the budget empty. */
static void fill_counters(const dray_bound *bound, budget *to, uint32_t name,
                          const uint32_t *first) {
    const dray_proof *proof = bound->proof;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < proof->m; i++) {
            uint32_t pool = dray_run_word(proof->run, proof->pos[i])->pool;
            dray_draws draws =
                dray_bit(proof->draws, i) ? dray_proof_draws(proof, i) : (dray_draws){0};
            for (size_t k = 0; k < draws.n; k++) {
                int64_t units;
                if (draws.v[k].amount <= 0 || !counts_as(proof, pool, draws.v[k].counter, name))
                    continue;
                if (pass == 0) {
                    dray_unit_of(&to->unit, draws.v[k].amount);
                    continue;
                }
                if (!dray_in_units(draws.v[k].amount, to->unit, &units)) {
                    to->n = 0;
                    memset(to->drawers, 0, bound->words * sizeof *to->drawers);
                    return;
                }
                add_draw(to, i, first[pool] + draws.v[k].counter, units);
            }
        }
    }
}

static void fill_values(const dray_bound *bound, budget *to, uint32_t constraint) {
    const dray_constraint_values *values = &bound->proof->values[constraint];
    for (uint32_t i = 0; i < bound->proof->m; i++) {
        for (uint32_t k = 0; k < values->of[i].n; k++)
            add_draw(to, i, (uint32_t)dray_value_index(values, values->of[i].v[k]), 1);
    }
}

static size_t count_draws(const dray_proof *proof) {
    size_t n = 0;
    for (uint32_t i = 0; i < proof->m; i++)
        n += dray_bit(proof->draws, i) ? dray_proof_draws(proof, i).n : 0;
    return n;
}

/* Values of which a device may have several: with one each, dealing them out says all. */
static bool has_lists(const dray_proof *proof, uint32_t constraint) {
    const dray_constraint_values *values = &proof->values[constraint];
    bool lists = false;
    for (uint32_t i = 0; i < proof->m && !lists; i++)
        lists = values->of[i].n > 1;
    return lists;
}

static struct dray_budgets *make_budgets(dray_bound *bound) {
    const dray_proof *proof = bound->proof;
    dray_run *run = proof->run;
    size_t names = proof->n_counter_names + proof->n_counter_families, resources = 1;
    struct dray_budgets *all = DRAY_NEW(proof->arena, struct dray_budgets);
    names = names < DRAY_BOUND_NAMES ? names : DRAY_BOUND_NAMES;
    all->v = DRAY_NEW_N(proof->arena, budget, names + run->job->constraints.n + 1);
    uint32_t *first = DRAY_NEW_N(proof->arena, uint32_t, run->view->n_pools + 1);
    for (uint32_t p = 0; p < run->view->n_pools; p++) {
        first[p] = (uint32_t)resources;
        resources += run->view->pools[p]->n_counters;
    }
    all->left = DRAY_NEW_N(proof->arena, dray_amount *, resources);
    for (uint32_t p = 0; names > 0 && p < run->view->n_pools; p++) {
        for (uint32_t k = 0; k < run->view->pools[p]->n_counters; k++)
            all->left[first[p] + k] = &dray_run_pool(run, p)->left[k];
    }
    size_t draws = names > 0 ? count_draws(proof) : 0;
    for (uint32_t name = 0; name < names; name++) {
        all->v[all->n] = new_budget(bound, draws, -1);
        fill_counters(bound, &all->v[all->n++], name, first);
    }
    for (uint32_t c = 0; c < run->job->constraints.n; c++) {
        const dray_constraint_values *values = &proof->values[c];
        if (!run->job->constraints.v[c].distinct || !values->usable || !has_lists(proof, c))
            continue;
        size_t n = 0;
        for (uint32_t i = 0; i < proof->m; i++)
            n += values->of[i].n;
        all->v[all->n] = new_budget(bound, n, c);
        fill_values(bound, &all->v[all->n++], c);
        resources = values->n > resources ? values->n : resources;
    }
    all->parent = DRAY_NEW_N(proof->arena, uint32_t, 2 * resources);
    all->part_of = all->parent + resources;
    all->drawn = DRAY_NEW_N(proof->arena, int64_t, resources + proof->m + 1);
    all->cost = all->drawn + resources;
    all->parts = DRAY_NEW_N(proof->arena, part, resources);
    return all;
}

static uint32_t root_of(struct dray_budgets *all, uint32_t resource) {
    while (all->parent[resource] != resource)
        resource = all->parent[resource] = all->parent[all->parent[resource]];
    return resource;
}

/* Sums the draws of the devices in any, and joins what hangs together. */
static void sum_draws(dray_bound *bound, const budget *of, const uint64_t *any) {
    struct dray_budgets *all = bound->budgets;
    for (size_t k = 0; k < of->n; k++) {
        const draw *d = &of->v[k];
        all->parent[d->resource] = d->resource;
        all->part_of[d->resource] = 0;
        all->drawn[d->resource] = 0;
        all->cost[d->device] = 0;
    }
    for (size_t k = 0; k < of->n; k++) {
        const draw *d = &of->v[k];
        if (!dray_bit(any, d->device) ||
            (of->constraint < 0 && dray_proof_drawn(bound->proof, d->device)))
            continue;
        all->cost[d->device] += d->amount;
        all->drawn[d->resource] += d->amount;
        if (k > 0 && d[-1].device == d->device)
            all->parent[root_of(all, d->resource)] = root_of(all, d[-1].resource);
    }
}

static part *part_of(struct dray_budgets *all, uint32_t resource) {
    uint32_t root = root_of(all, resource);
    if (all->part_of[root] == 0) {
        all->parts[all->n_parts].left = 0;
        all->parts[all->n_parts].n = 0;
        all->parts[all->n_parts].many = false;
        all->part_of[root] = ++all->n_parts;
    }
    return &all->parts[all->part_of[root] - 1];
}

static void add_to_part(part *to, int64_t cost) {
    uint32_t i = 0;
    while (i < to->n && to->costs[i] != cost)
        i++;
    if (i == PART_COSTS) {
        to->many = true;
        return;
    }
    if (i == to->n) {
        to->costs[to->n++] = cost;
        to->counts[i] = 0;
    }
    to->counts[i]++;
}

static int64_t usable(const part *of) {
    dray_items items;
    dray_reach reach;
    items.n = 0;
    items.many = of->many;
    for (uint32_t i = 0; i < of->n; i++)
        dray_items_add(&items, of->costs[i], of->counts[i]);
    dray_reach_make(&reach, &items, of->left);
    return dray_reach_of(&reach, of->left);
}

/* What can be drawn, part by part. */
static int64_t supply_of(struct dray_budgets *all, const budget *of) {
    all->n_parts = 0;
    for (size_t k = 0; k < of->n; k++) {
        const draw *d = &of->v[k];
        if (all->cost[d->device] > 0 && (k == 0 || d[-1].device != d->device))
            add_to_part(part_of(all, d->resource), all->cost[d->device]);
        if (all->drawn[d->resource] <= 0)
            continue;
        int64_t left = 1;
        if (of->constraint < 0)
            (void)dray_in_units(*all->left[d->resource], of->unit, &left);
        left = left < all->drawn[d->resource] ? left : all->drawn[d->resource];
        if (left > 0)
            part_of(all, d->resource)->left += left;
        all->drawn[d->resource] = 0;
    }
    int64_t supply = 0;
    for (uint32_t i = 0; i < all->n_parts; i++)
        supply += supply < INT64_MAX / 4 ? usable(&all->parts[i]) : 0;
    return supply;
}

/* Costs of a demand's candidates, cheapest first. */
typedef struct costs {
    struct {
        int64_t cost;
        int64_t n;
    } v[DRAY_BOUND_ITEMS];
    uint32_t n;
    int64_t beyond; /* the least of those for which there was no place */
} costs;

static void add_cost(costs *c, int64_t cost, int64_t n) {
    uint32_t at = 0;
    while (at < c->n && c->v[at].cost < cost)
        at++;
    if (at < c->n && c->v[at].cost == cost) {
        c->v[at].n += n;
        return;
    }
    if (c->n == DRAY_BOUND_ITEMS) {
        /* The dearest moves out of sight and counts as no dearer than what stays behind it. */
        int64_t out = at < c->n ? c->v[c->n - 1].cost : cost;
        c->beyond = c->beyond == 0 || out < c->beyond ? out : c->beyond;
        if (at == c->n)
            return;
        c->n--;
    }
    memmove(&c->v[at + 1], &c->v[at], (c->n - at) * sizeof c->v[0]);
    c->v[at].cost = cost;
    c->v[at].n = n;
    c->n++;
}

/* The least that `need` candidates cost; the dearest of them. */
static int64_t least_cost(const costs *c, int64_t need, int64_t *ret_last) {
    int64_t sum = 0;
    *ret_last = 0;
    for (uint32_t i = 0; i < c->n && need > 0; i++) {
        if (c->beyond != 0 && c->v[i].cost >= c->beyond)
            break;
        int64_t n = c->v[i].n < need ? c->v[i].n : need;
        sum += c->v[i].cost * n;
        *ret_last = c->v[i].cost;
        need -= n;
    }
    if (need > 0 && c->beyond > *ret_last)
        *ret_last = c->beyond;
    return need > 0 ? sum + c->beyond * need : sum;
}

static int64_t demand_cost(const dray_bound *bound, uint32_t level, uint32_t g, const budget *of,
                           int64_t *ret_last) {
    const dray_demand *d = &bound->demands[g];
    const uint64_t *row = dray_bound_row(bound, level, g);
    costs c; /* cheaper than to clear it all */
    c.n = 0;
    c.beyond = 0;
    for (size_t w = 0; w < bound->words; w++) {
        /* A shared device draws counters once. */
        uint64_t multi = of->constraint < 0 ? row[w] & bound->proof->multi[w] : 0;
        uint64_t gratis = row[w] & ~of->drawers[w] & ~multi;
        int64_t n = __builtin_popcountll(gratis) + d->merged * __builtin_popcountll(multi);
        if (n > 0)
            add_cost(&c, 0, n);
        for (uint64_t bits = row[w] & of->drawers[w] & ~multi; bits != 0; bits &= bits - 1)
            add_cost(&c, bound->budgets->cost[w * 64 + (size_t)__builtin_ctzll(bits)], 1);
    }
    return least_cost(&c, d->need, ret_last);
}

/* Takes out candidates that cost too much; whether there were any. */
static bool drop_dear(dray_bound *bound, uint32_t level, uint32_t g, const budget *of,
                      int64_t most) {
    uint64_t *row = dray_bound_row(bound, level, g);
    bool dropped = false;
    for (size_t w = 0; w < bound->words; w++) {
        uint64_t multi = of->constraint < 0 ? bound->proof->multi[w] : 0;
        for (uint64_t bits = row[w] & of->drawers[w] & ~multi; bits != 0; bits &= bits - 1) {
            if (bound->budgets->cost[w * 64 + (size_t)__builtin_ctzll(bits)] <= most)
                continue;
            row[w] &= ~(bits & -bits);
            dropped = true;
        }
    }
    return dropped;
}

/* The demands that it is about: all, or those in a constraint's scope. */
static bool is_about(const dray_bound *bound, const budget *of, uint32_t g) {
    return of->constraint < 0 || (bound->scopes[of->constraint] >> g & 1);
}

static bool is_drawn(const dray_bound *bound, uint32_t level, const budget *of) {
    for (uint32_t g = 0; g < bound->n; g++) {
        const uint64_t *row = dray_bound_row(bound, level, g);
        const dray_demand *d = &bound->demands[g];
        int64_t gratis = 0;
        for (size_t w = 0; w < bound->words && gratis < d->need; w++) {
            uint64_t multi = of->constraint < 0 ? row[w] & bound->proof->multi[w] : 0;
            gratis += d->merged * __builtin_popcountll(multi) +
                      __builtin_popcountll(row[w] & ~multi & ~of->drawers[w]);
        }
        if (gratis < d->need && is_about(bound, of, g))
            return true;
    }
    return false;
}

/* True: refuted. *ret_changed: candidates were taken out. */
static bool spend(dray_bound *bound, uint32_t level, const budget *of, bool *ret_changed) {
    int64_t want = 0, last[DRAY_PROOF_DEMANDS];
    memset(bound->any, 0, bound->words * sizeof *bound->any);
    for (uint32_t g = 0; g < bound->n; g++) {
        const uint64_t *row = dray_bound_row(bound, level, g);
        for (size_t w = 0; w < bound->words && is_about(bound, of, g); w++)
            bound->any[w] |= row[w];
    }
    sum_draws(bound, of, bound->any);
    for (uint32_t g = 0; g < bound->n; g++) {
        if (is_about(bound, of, g))
            want += demand_cost(bound, level, g, of, &last[g]);
    }
    if (want <= 0)
        return false;
    int64_t supply = supply_of(bound->budgets, of);
    if (want > supply)
        return true;
    for (uint32_t g = 0; g < bound->n; g++) {
        if (is_about(bound, of, g))
            *ret_changed |= drop_dear(bound, level, g, of, last[g] + supply - want);
    }
    return false;
}

bool dray_budgets_refute(dray_bound *bound, uint32_t level, bool *ret_changed) {
    if (bound->budgets == NULL)
        bound->budgets = make_budgets(bound);
    for (size_t i = 0; i < bound->budgets->n; i++) {
        const budget *of = &bound->budgets->v[i];
        if (!is_drawn(bound, level, of))
            continue;
        bool changed = true;
        for (int round = 0; round < ROUNDS && changed; round++) {
            changed = false;
            if (spend(bound, level, of, &changed))
                return true;
            *ret_changed |= changed;
        }
    }
    return false;
}
