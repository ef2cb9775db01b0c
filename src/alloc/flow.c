/* Dealing out supply to demands: a maximum flow over groups of devices that the same demands want.
 */
#include "alloc/bounds_int.h"

enum { FREE_SLOT = 0 };

static bool add_group(dray_bound *bound, uint64_t mask, int64_t supply) {
    size_t last = bound->n_slots - 1;
    size_t i = (mask * 0x9e3779b97f4a7c15u) >> 40 & last;
    while (bound->slots[i] != FREE_SLOT && bound->groups[bound->slots[i] - 1].mask != mask)
        i = (i + 1) & last;
    if (bound->slots[i] == FREE_SLOT) {
        if (bound->n_groups == bound->groups_room)
            return false;
        bound->groups[bound->n_groups] = (struct dray_group){mask, 0, (uint32_t)i};
        bound->slots[i] = (uint32_t)++bound->n_groups;
    }
    bound->groups[bound->slots[i] - 1].supply += supply;
    return true;
}

static void clear_groups(dray_bound *bound) {
    while (bound->n_groups > 0)
        bound->slots[bound->groups[--bound->n_groups].slot] = FREE_SLOT;
}

/* One more unit for demand g, moving others about: a shortest augmenting path. */
static bool augment(dray_bound *bound, uint32_t g) {
    size_t n = bound->n_groups;
    uint32_t queue[DRAY_PROOF_DEMANDS], head = 0, tail = 0;
    int32_t from_group[DRAY_PROOF_DEMANDS]; /* the group over which a demand was reached */
    int32_t from_demand[DRAY_FLOW_GROUPS];
    uint64_t seen = (uint64_t)1 << g;
    for (size_t k = 0; k < n; k++)
        from_demand[k] = -1;
    queue[tail++] = g;
    while (head < tail) {
        uint32_t at = queue[head++];
        for (size_t k = 0; k < n; k++) {
            if (from_demand[k] >= 0 || !(bound->groups[k].mask >> at & 1))
                continue;
            from_demand[k] = (int32_t)at;
            if (bound->groups[k].supply > 0) {
                bound->groups[k].supply--;
                for (size_t group = k;;) {
                    uint32_t to = (uint32_t)from_demand[group];
                    bound->flow[to * n + group]++;
                    if (to == g)
                        return true;
                    group = (size_t)from_group[to];
                    bound->flow[to * n + group]--;
                }
            }
            for (uint32_t other = 0; other < bound->n; other++) {
                if ((seen >> other & 1) || bound->flow[other * n + k] == 0)
                    continue;
                seen |= (uint64_t)1 << other;
                from_group[other] = (int32_t)k;
                queue[tail++] = other;
            }
        }
    }
    return false;
}

static bool deal(dray_bound *bound, const int64_t *needs) {
    size_t n = bound->n_groups, cells = bound->n * n;
    if (cells > bound->flow_room) {
        bound->flow_room = 2 * cells;
        bound->flow = DRAY_NEW_N(bound->proof->arena, int64_t, bound->flow_room);
    }
    memset(bound->flow, 0, cells * sizeof *bound->flow);
    for (uint32_t g = 0; g < bound->n; g++) {
        int64_t need = needs[g];
        for (size_t k = 0; k < n && need > 0; k++) {
            if (!(bound->groups[k].mask >> g & 1))
                continue;
            int64_t take = bound->groups[k].supply < need ? bound->groups[k].supply : need;
            bound->groups[k].supply -= take;
            bound->flow[g * n + k] += take;
            need -= take;
        }
        for (; need > 0; need--) {
            if (!augment(bound, g))
                return false;
        }
    }
    return true;
}

static int64_t count(const uint64_t *bits, size_t words) {
    int64_t n = 0;
    for (size_t w = 0; w < words; w++)
        n += __builtin_popcountll(bits[w]);
    return n;
}

static int64_t count_both(const uint64_t *a, const uint64_t *b, size_t words) {
    int64_t n = 0;
    for (size_t w = 0; w < words; w++)
        n += __builtin_popcountll(a[w] & b[w]);
    return n;
}

bool dray_flow_refutes(dray_bound *bound, uint32_t level) {
    const dray_proof *proof = bound->proof;
    int64_t needs[DRAY_PROOF_DEMANDS];
    uint32_t wanting = 0;
    memset(bound->any, 0, bound->words * sizeof *bound->any);
    for (uint32_t g = 0; g < bound->n; g++) {
        const dray_demand *d = &bound->demands[g];
        const uint64_t *row = dray_bound_row(bound, level, g);
        int64_t all = count(row, bound->words);
        int64_t shared = count_both(row, proof->multi, bound->words);
        if (d->single > all || d->need > all - shared + shared * d->merged)
            return true;
        /* Shared devices may serve each request once; whether they have room is asked elsewhere. */
        needs[g] = d->admin ? 0 : d->need - shared * d->merged;
        wanting += needs[g] > 0;
        for (size_t w = 0; w < bound->words && needs[g] > 0; w++) {
            uint64_t bits = row[w] & ~proof->multi[w];
            for (uint64_t fresh = bits & ~bound->any[w]; fresh != 0; fresh &= fresh - 1)
                bound->masks[w * 64 + (size_t)__builtin_ctzll(fresh)] = 0;
            bound->any[w] |= bits;
            for (; bits != 0; bits &= bits - 1)
                bound->masks[w * 64 + (size_t)__builtin_ctzll(bits)] |= (uint64_t)1 << g;
        }
    }
    if (wanting < 2)
        return false;
    clear_groups(bound);
    for (size_t w = 0; w < bound->words; w++) {
        for (uint64_t bits = bound->any[w]; bits != 0; bits &= bits - 1) {
            if (!add_group(bound, bound->masks[w * 64 + (size_t)__builtin_ctzll(bits)], 1))
                return false;
        }
    }
    return !deal(bound, needs);
}

bool dray_distinct_refutes(dray_bound *bound, uint32_t level, uint32_t constraint) {
    const dray_constraint_values *values = &bound->proof->values[constraint];
    int64_t needs[DRAY_PROOF_DEMANDS], total = 0;
    uint64_t scope = 0;
    for (uint32_t g = 0; g < bound->n; g++) {
        bool inside = bound->scopes[constraint] >> g & 1;
        needs[g] = inside ? bound->demands[g].need : 0;
        total += needs[g];
        scope |= (uint64_t)inside << g;
    }
    if (total < 2)
        return false;
    clear_groups(bound);
    for (size_t v = 0; v < values->n; v++) {
        uint64_t mask = 0;
        for (uint32_t g = 0; g < bound->n; g++) {
            const uint64_t *row = dray_bound_row(bound, level, g);
            bool has = false;
            for (uint32_t i = values->first[v]; (scope >> g & 1) && i < values->first[v + 1]; i++)
                has |= dray_bit(row, values->devices[i]);
            mask |= (uint64_t)has << g;
        }
        if (mask != 0 && !add_group(bound, mask, 1))
            return false;
    }
    return !deal(bound, needs);
}
