/* Amounts of one thing as items: how much of a whole they can use up. */
#include "alloc/bounds_int.h"

/* A proof looks at no more than 4096 shares together: what is left of a device may be cut to so
 * many of the largest, and no sum comes near overflow. */
#define SHARE_MAX ((int64_t)1 << 36)
#define LEFT_MAX (SHARE_MAX * 4096)

void dray_items_add(dray_items *items, int64_t amount, int64_t n) {
    if (amount <= 0 || n <= 0)
        return;
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->v[i] == amount) {
            items->counts[i] += n;
            return;
        }
    }
    if (items->n == DRAY_BOUND_ITEMS) {
        items->many = true;
        return;
    }
    items->v[items->n] = amount;
    items->counts[items->n++] = n;
}

void dray_items_put(dray_items *items, int64_t amount, int64_t n) {
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->v[i] == amount)
            return;
    }
    dray_items_add(items, amount, n);
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Sums that become reachable with one more item. */
static void shift_in(uint64_t *reach, size_t words, size_t by) {
    size_t far = by / 64, near = by % 64;
    for (size_t w = words; w-- > far;) {
        uint64_t moved = reach[w - far] << near;
        if (near != 0 && w > far)
            moved |= reach[w - far - 1] >> (64 - near);
        reach[w] |= moved;
    }
}

/* Units, and the sum of nothing; the words of sums. */
static size_t begin_reach(dray_reach *reach, const dray_items *items, int64_t most) {
    reach->known = !items->many;
    reach->unit = 0;
    reach->units = 0;
    for (uint32_t i = 0; i < items->n && reach->known; i++)
        reach->unit = gcd(reach->unit, items->v[i]);
    if (reach->unit == 0 || most <= 0)
        return 0;
    int64_t units = most / reach->unit;
    reach->units = units < DRAY_BOUND_UNITS ? (uint32_t)units : DRAY_BOUND_UNITS;
    size_t words = reach->units / 64 + 1;
    memset(reach->sums, 0, words * sizeof *reach->sums);
    reach->sums[0] = 1;
    return words;
}

void dray_reach_make(dray_reach *reach, const dray_items *items, int64_t most) {
    size_t words = begin_reach(reach, items, most);
    if (words == 0)
        return;
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->v[i] / reach->unit > (int64_t)reach->units)
            continue;
        size_t one = (size_t)(items->v[i] / reach->unit);
        int64_t n = items->counts[i];
        /* 1, 2, 4, … of them and the rest: every number up to n. */
        for (int64_t k = 1; n > 0; n -= k, k *= 2) {
            size_t times = (size_t)(k < n ? k : n);
            times = times < reach->units / one ? times : reach->units / one;
            shift_in(reach->sums, words, times * one);
        }
    }
}

/* to |= from + by */
static void add_shifted(uint64_t *to, const uint64_t *from, size_t words, size_t by) {
    size_t far = by / 64, near = by % 64;
    for (size_t w = words; w-- > far;) {
        to[w] |= from[w - far] << near;
        if (near != 0 && w > far)
            to[w] |= from[w - far - 1] >> (64 - near);
    }
}

void dray_reach_few(dray_reach *reach, uint32_t n, const dray_items *items, int64_t most) {
    size_t words = begin_reach(&reach[0], items, most);
    for (uint32_t k = 1; k < n; k++) {
        reach[k].known = reach[0].known;
        reach[k].unit = reach[0].unit;
        reach[k].units = reach[0].units;
        memcpy(reach[k].sums, reach[0].sums, words * sizeof *reach[0].sums);
    }
    for (uint32_t i = 0; i < items->n && words > 0; i++) {
        if (items->v[i] / reach[0].unit > (int64_t)reach[0].units)
            continue;
        size_t one = (size_t)(items->v[i] / reach[0].unit);
        for (int64_t again = 0; again < items->counts[i] && again < (int64_t)n; again++) {
            for (uint32_t k = n; k-- > 1;)
                add_shifted(reach[k].sums, reach[k - 1].sums, words, one);
            reach[0].sums[one / 64] |= (uint64_t)1 << one % 64;
        }
    }
}

int64_t dray_reach_of(const dray_reach *reach, int64_t left) {
    if (left <= 0)
        return 0;
    if (!reach->known)
        return left;
    if (reach->unit == 0)
        return 0;
    int64_t units = reach->unit == 1 ? left : left / reach->unit;
    if (units > (int64_t)reach->units)
        return left;
    size_t at = (size_t)units, w = at / 64;
    uint64_t word = reach->sums[w] & (~(uint64_t)0 >> (63 - at % 64));
    while (word == 0)
        word = reach->sums[--w];
    return reach->unit * (int64_t)(w * 64 + 63 - (size_t)__builtin_clzll(word));
}

void dray_unit_of(dray_amount *unit, dray_amount amount) {
    while (amount > 0) {
        dray_amount rest = *unit % amount;
        *unit = amount;
        amount = rest;
    }
}

bool dray_in_units(dray_amount amount, dray_amount unit, int64_t *ret) {
    if (amount <= 0 || unit == 0) {
        *ret = 0;
        return true;
    }
    if (amount <= INT64_MAX && unit <= INT64_MAX)
        amount = (int64_t)amount / (int64_t)unit;
    else
        amount /= unit;
    *ret = amount < LEFT_MAX ? (int64_t)amount : LEFT_MAX;
    return amount < SHARE_MAX;
}
