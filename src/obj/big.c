/* Integers of any size, as much of them as exact decimals need. */
#include "obj/big.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BASE = 1000000000,
    LIMB_DIGITS = 9,
};

static const uint32_t powers[] = {1,      10,      100,      1000,      10000,
                                  100000, 1000000, 10000000, 100000000, 1000000000};

static dray_big *new_big(uint32_t n, bool negative, dray_arena *arena) {
    dray_big *a = dray_arena_alloc(arena, sizeof *a + (size_t)n * sizeof a->limbs[0]);
    a->n = n;
    a->negative = negative;
    return a;
}

/* Drops leading zeros. */
static const dray_big *trim(dray_big *a) {
    while (a->n != 0 && a->limbs[a->n - 1] == 0)
        a->n--;
    a->negative = a->negative && a->n != 0;
    return a;
}

const dray_big *dray_big_parse(dray_str digits, bool negative, dray_arena *arena) {
    uint32_t n = (uint32_t)((digits.n + LIMB_DIGITS - 1) / LIMB_DIGITS);
    dray_big *a = new_big(n, negative, arena);
    for (size_t i = 0; i < digits.n; i++) {
        size_t limb = (digits.n - 1 - i) / LIMB_DIGITS;
        a->limbs[limb] = a->limbs[limb] * 10 + (uint32_t)(digits.p[i] - '0');
    }
    return trim(a);
}

const dray_big *dray_big_from_int(int64_t value, dray_arena *arena) {
    dray_big *a = new_big(3, value < 0, arena);
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    for (size_t i = 0; i < 3; i++) {
        a->limbs[i] = (uint32_t)(rest % BASE);
        rest /= BASE;
    }
    return trim(a);
}

static dray_big *copy(const dray_big *a, uint32_t room, dray_arena *arena) {
    dray_big *b = new_big(room, a->negative, arena);
    memcpy(b->limbs, a->limbs, (size_t)a->n * sizeof a->limbs[0]);
    return b;
}

const dray_big *dray_big_neg(const dray_big *a, dray_arena *arena) {
    dray_big *b = copy(a, a->n, arena);
    b->negative = !a->negative && a->n != 0;
    return b;
}

static int compare_sizes(const dray_big *a, const dray_big *b) {
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (uint32_t i = a->n; i > 0; i--)
        if (a->limbs[i - 1] != b->limbs[i - 1])
            return a->limbs[i - 1] < b->limbs[i - 1] ? -1 : 1;
    return 0;
}

int dray_big_cmp(const dray_big *a, const dray_big *b) {
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    int order = compare_sizes(a, b);
    return a->negative ? -order : order;
}

int dray_big_sign(const dray_big *a) {
    return a->n == 0 ? 0 : a->negative ? -1 : 1;
}

/* |large| + |small|, or |large| − |small|, with large's sign. */
static const dray_big *combine(const dray_big *large, const dray_big *small, bool subtract,
                               dray_arena *arena) {
    dray_big *sum = copy(large, large->n + 1, arena);
    int64_t carry = 0;
    for (uint32_t i = 0; i < sum->n; i++) {
        int64_t other = i < small->n ? small->limbs[i] : 0;
        int64_t limb = sum->limbs[i] + carry + (subtract ? -other : other);
        carry = limb < 0 ? -1 : limb >= BASE;
        sum->limbs[i] = (uint32_t)(limb - carry * BASE);
    }
    return trim(sum);
}

const dray_big *dray_big_add(const dray_big *a, const dray_big *b, dray_arena *arena) {
    bool a_is_large = compare_sizes(a, b) >= 0;
    return combine(a_is_large ? a : b, a_is_large ? b : a, a->negative != b->negative, arena);
}

/* a += limb × by × BASE^at */
static void add_product(dray_big *a, const dray_big *b, uint32_t by, uint32_t at) {
    uint64_t carry = 0;
    for (uint32_t i = 0; at + i < a->n; i++) {
        uint64_t limb = a->limbs[at + i] + carry + (uint64_t)by * (i < b->n ? b->limbs[i] : 0);
        a->limbs[at + i] = (uint32_t)(limb % BASE);
        carry = limb / BASE;
    }
}

const dray_big *dray_big_mul_int(const dray_big *a, int64_t by, dray_arena *arena) {
    dray_big *product = new_big(a->n + 3, a->negative != (by < 0), arena);
    uint64_t rest = by < 0 ? -(uint64_t)by : (uint64_t)by;
    for (uint32_t at = 0; rest != 0; at++) {
        add_product(product, a, (uint32_t)(rest % BASE), at);
        rest /= BASE;
    }
    return trim(product);
}

const dray_big *dray_big_scale_up(const dray_big *a, uint32_t places, dray_arena *arena) {
    dray_big *b = new_big(a->n != 0 ? a->n + places / LIMB_DIGITS + 1 : 0, a->negative, arena);
    if (a->n != 0)
        add_product(b, a, powers[places % LIMB_DIGITS], places / LIMB_DIGITS);
    return trim(b);
}

const dray_big *dray_big_div(const dray_big *a, uint32_t by, dray_arena *arena,
                             uint32_t *ret_rest) {
    dray_big *b = new_big(a->n, a->negative, arena);
    uint64_t rest = 0;
    for (uint32_t i = a->n; i > 0; i--) {
        uint64_t part = rest * BASE + a->limbs[i - 1];
        b->limbs[i - 1] = (uint32_t)(part / by);
        rest = part % by;
    }
    *ret_rest = (uint32_t)rest;
    return trim(b);
}

const dray_big *dray_big_scale_down(const dray_big *a, uint32_t places, dray_arena *arena,
                                    bool *ret_exact) {
    uint32_t drop = places / LIMB_DIGITS < a->n ? places / LIMB_DIGITS : a->n;
    bool exact = true;
    for (uint32_t i = 0; i < drop; i++)
        exact = exact && a->limbs[i] == 0;
    dray_big *kept = new_big(a->n - drop, a->negative, arena);
    memcpy(kept->limbs, a->limbs + drop, (size_t)kept->n * sizeof a->limbs[0]);
    uint32_t rest;
    const dray_big *result = dray_big_div(kept, powers[places % LIMB_DIGITS], arena, &rest);
    *ret_exact = exact && rest == 0;
    return result;
}

size_t dray_big_digits(const dray_big *a) {
    if (a->n == 0)
        return 0;
    size_t digits = 1;
    while (digits < LIMB_DIGITS && a->limbs[a->n - 1] >= powers[digits])
        digits++;
    return (size_t)(a->n - 1) * LIMB_DIGITS + digits;
}

int64_t dray_big_int(const dray_big *a, bool *ret_fits) {
    uint64_t low = 0;
    bool fits = a->n <= 3;
    for (uint32_t i = a->n; i > 0; i--) {
        unsigned __int128 wide = (unsigned __int128)low * BASE + a->limbs[i - 1];
        fits = fits && wide >> 64 == 0;
        low = (uint64_t)wide;
    }
    if (ret_fits != NULL)
        *ret_fits = fits && low <= (uint64_t)INT64_MAX + a->negative;
    return (int64_t)(a->negative ? -low : low);
}

double dray_big_double(const dray_big *a) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    return strtod(dray_big_format(a, arena).p, NULL);
}

dray_str dray_big_format(const dray_big *a, dray_arena *arena) {
    if (a->n == 0)
        return DRAY_STR("0");
    size_t room = (size_t)a->n * LIMB_DIGITS + 2;
    char *text = dray_arena_bytes(arena, room);
    int n = snprintf(text, room, "%s%" PRIu32, a->negative ? "-" : "", a->limbs[a->n - 1]);
    for (uint32_t i = a->n - 1; i > 0; i--)
        n += snprintf(text + n, room - (size_t)n, "%09" PRIu32, a->limbs[i - 1]);
    return dray_str_n(text, (size_t)n);
}
