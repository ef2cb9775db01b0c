/* Amounts of one thing as items: how much of a whole they can use up. */
#include "alloc/bounds_int.h"

enum { UNITS_MAX = 4096 }; /* of a whole, for working out what can be used of it */

void dray_items_add(dray_items *items, dray_amount amount, int64_t n) {
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

static dray_amount gcd(dray_amount a, dray_amount b) {
    while (b != 0) {
        dray_amount rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void dray_items_close(dray_items *items) {
    items->unit = 0;
    items->least = items->n > 0 ? items->v[0] : 0;
    for (uint32_t i = 0; i < items->n && !items->many; i++) {
        items->unit = gcd(items->unit, items->v[i]);
        items->least = items->v[i] < items->least ? items->v[i] : items->least;
    }
    for (uint32_t i = 0; i < items->n && !items->many; i++)
        items->units[i] = items->v[i] / items->unit > UNITS_MAX
                              ? UNITS_MAX + 1
                              : (uint32_t)(items->v[i] / items->unit);
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

dray_amount dray_items_usable(const dray_items *items, dray_amount left) {
    if (left <= 0 || items->n == 0)
        return 0;
    if (items->many)
        return left;
    if (left < items->least)
        return 0;
    dray_amount all = left / items->unit;
    if (all > UNITS_MAX)
        return left;
    size_t units = (size_t)all, words = units / 64 + 1;
    uint64_t reach[UNITS_MAX / 64 + 1];
    memset(reach, 0, words * sizeof *reach);
    reach[0] = 1;
    for (uint32_t i = 0; i < items->n; i++) {
        size_t one = items->units[i];
        int64_t n = items->counts[i];
        /* 1, 2, 4, … of them and the rest: every number up to n. */
        for (int64_t k = 1; n > 0 && one <= units; n -= k, k *= 2) {
            size_t times = (size_t)(k < n ? k : n);
            if (times > units / one)
                times = units / one;
            shift_in(reach, words, times * one);
        }
    }
    for (size_t at = units + 1; at-- > 0;) {
        if (reach[at / 64] >> at % 64 & 1)
            return items->unit * (dray_amount)at;
    }
    return 0;
}
