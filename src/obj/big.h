/* Integers of any size, as much of them as exact decimals need.
 *
 *     const dray_big *a = dray_big_parse(DRAY_STR("123456789012345678901"), false, arena);
 *     const dray_big *b = dray_big_scale_up(a, 9, arena);        a × 10⁹
 *     dray_str text = dray_big_format(b, arena);
 *
 * Values are immutable and live in the arena of the call that made them. They are kept in base 10⁹,
 * so that shifting by decimal places, the one thing that quantities do all the time, is cheap.
 * The caller bounds the digits: nothing here fails. Any thread may read.
 */
#ifndef DRAY_OBJ_BIG_H
#define DRAY_OBJ_BIG_H

#include "base/str.h"

/* limbs[0] is the least significant; the last one is never zero; zero has none and no sign. */
typedef struct dray_big {
    bool negative;
    uint32_t n;
    uint32_t limbs[];
} dray_big;

/* digits: any number of 0–9, none for zero. */
const dray_big *dray_big_parse(dray_str digits, bool negative, dray_arena *arena);
const dray_big *dray_big_from_int(int64_t value, dray_arena *arena);

const dray_big *dray_big_neg(const dray_big *a, dray_arena *arena);
const dray_big *dray_big_add(const dray_big *a, const dray_big *b, dray_arena *arena);
const dray_big *dray_big_mul_int(const dray_big *a, int64_t by, dray_arena *arena);
/* a × 10^places */
const dray_big *dray_big_scale_up(const dray_big *a, uint32_t places, dray_arena *arena);
/* a ÷ 10^places cut towards zero; *ret_exact tells whether nothing was cut. */
const dray_big *dray_big_scale_down(const dray_big *a, uint32_t places, dray_arena *arena,
                                    bool *ret_exact);
/* a ÷ by cut towards zero, by in [1, 10⁹); *ret_rest is what is left of |a|. */
const dray_big *dray_big_div(const dray_big *a, uint32_t by, dray_arena *arena, uint32_t *ret_rest);

int dray_big_cmp(const dray_big *a, const dray_big *b);
/* -1, 0, 1 */
int dray_big_sign(const dray_big *a);
/* Decimal digits; 0 for zero. */
size_t dray_big_digits(const dray_big *a);

/* The low 64 bits in two's complement; *ret_fits (may be NULL) is false where that isn't a. */
int64_t dray_big_int(const dray_big *a, bool *ret_fits);
/* The nearest double, infinite where a is too large. */
double dray_big_double(const dray_big *a);
dray_str dray_big_format(const dray_big *a, dray_arena *arena);

#endif
