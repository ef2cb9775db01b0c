/* Quantities: Kubernetes' exact decimals with a suffix, such as 40Gi, 250m, 1e3.
 *
 *     dray_quantity q;
 *     if (dray_quantity_parse(DRAY_STR("1.5Gi"), arena, &q, err) == DRAY_OK) {
 *         dray_str text = dray_quantity_format(q, arena);       "1536Mi"
 *         int order = dray_quantity_cmp(q, other);              exact, whatever the formats
 *     }
 *
 * Source: apimachinery's resource.Quantity. A value is small (value × 10^scale in an int64) or
 * big (decimal digits in an arena: the quantity borrows them for the arena's life). At most nano
 * precision: finer input is rounded up, away from zero. Values are immutable; copies are cheap.
 */
#ifndef DRAY_OBJ_QUANTITY_H
#define DRAY_OBJ_QUANTITY_H

#include "base/err.h"
#include "base/str.h"

typedef enum dray_quantity_form {
    DRAY_QUANTITY_DECIMAL_SI = 0, /* 1k, 5M, 250m */
    DRAY_QUANTITY_BINARY_SI,      /* 1Ki, 5Mi */
    DRAY_QUANTITY_EXPONENT,       /* 1e3 */
} dray_quantity_form;

typedef struct dray_big dray_big; /* obj/big.h: arbitrary-precision integer */

/* value × 10^scale, or big × 10^scale where big is not NULL. All zero is the zero quantity. */
typedef struct dray_quantity {
    int64_t value;
    const dray_big *big;
    int32_t scale;
    dray_quantity_form form;
} dray_quantity;

/* DRAY_E_INVALID with Kubernetes' own text for what is no quantity. Big digits go to arena. */
dray_code dray_quantity_parse(dray_str text, dray_arena *arena, dray_quantity *ret, dray_err *err);
dray_quantity dray_quantity_from_int(int64_t value, dray_quantity_form form);
dray_quantity dray_quantity_from_milli(int64_t milli, dray_quantity_form form);

/* The canonical string, in arena. */
dray_str dray_quantity_format(dray_quantity q, dray_arena *arena);

int dray_quantity_cmp(dray_quantity a, dray_quantity b);
bool dray_quantity_is_zero(dray_quantity q);
/* -1, 0, 1 */
int dray_quantity_sign(dray_quantity q);

/* a + b and a − b; the form is a's, or b's where a is zero (as upstream). */
dray_quantity dray_quantity_add(dray_quantity a, dray_quantity b, dray_arena *arena);
dray_quantity dray_quantity_sub(dray_quantity a, dray_quantity b, dray_arena *arena);
dray_quantity dray_quantity_neg(dray_quantity q, dray_arena *arena);
dray_quantity dray_quantity_mul_int(dray_quantity q, int64_t by, dray_arena *arena);

/* Value and MilliValue as upstream: rounded up; false in *ret_fits where int64 can't hold it (the
 * value returned is then upstream's wrapped one for Value, INT64_MAX for MilliValue). */
int64_t dray_quantity_value(dray_quantity q, bool *ret_fits);
int64_t dray_quantity_milli(dray_quantity q, bool *ret_fits);
/* True, with *ret, where q is a whole number that int64 holds (upstream's AsInt64). */
bool dray_quantity_as_int(dray_quantity q, int64_t *ret);
/* True, with *ret, where q × 1000 is whole and fits. */
bool dray_quantity_as_milli(dray_quantity q, int64_t *ret);
/* The nearest double (upstream's AsApproximateFloat64). */
double dray_quantity_as_double(dray_quantity q);

/* A copy whose digits live in arena. */
dray_quantity dray_quantity_copy(dray_quantity q, dray_arena *arena);

#endif
