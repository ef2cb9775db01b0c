/* Quantities: Kubernetes' exact decimals with a suffix, such as 40Gi, 250m, 1e3.
 *
 *     dray_quantity q;
 *     if (dray_quantity_parse(DRAY_STR("1.5Gi"), arena, &q, err) == DRAY_OK) {
 *         dray_str text = dray_quantity_format(q, arena);       "1536Mi"
 *         int order = dray_quantity_cmp(q, other);              exact, whatever the forms
 *     }
 *
 * A quantity is *small*, value × 10^scale in an int64, or *big*, with decimal digits in an arena,
 * which it borrows for that arena's life. Precision ends at nano: finer input is rounded away from
 * zero. Values are immutable and cheap to copy; a result may share the digits of an operand. Any
 * thread may read.
 *
 * Source: apimachinery's resource.Quantity. Which of the two kinds a value is decides what some
 * functions answer; where upstream's answer is odd (a wrapped int64, a suffix that is lost) it is
 * kept, since it is what the API server stores and the scheduler compares.
 */
#ifndef DRAY_OBJ_QUANTITY_H
#define DRAY_OBJ_QUANTITY_H

#include "base/err.h"
#include "base/str.h"

/* Decimal digits of a big quantity's number; past it parsing is DRAY_E_LIMIT. */
enum { DRAY_QUANTITY_MAX_DIGITS = 100000 };

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
    dray_str text; /* as it was written, where upstream keeps that; absent after arithmetic */
} dray_quantity;

/* DRAY_E_INVALID with Kubernetes' own text for what is no quantity; DRAY_E_LIMIT past
 * DRAY_QUANTITY_MAX_DIGITS. Text and big digits are copied to arena. */
dray_code dray_quantity_parse(dray_str text, dray_arena *arena, dray_quantity *ret, dray_err *err);
dray_quantity dray_quantity_from_int(int64_t value, dray_quantity_form form);
dray_quantity dray_quantity_from_milli(int64_t milli, dray_quantity_form form);

/* The canonical string, in arena; q.text where there is one. */
dray_str dray_quantity_format(dray_quantity q, dray_arena *arena);

/* Exact, by value alone: 1Ki equals 1024. */
int dray_quantity_cmp(dray_quantity a, dray_quantity b);
bool dray_quantity_is_zero(dray_quantity q);
/* -1, 0, 1 */
int dray_quantity_sign(dray_quantity q);

/* a + b and a − b; the form is a's, or b's where a is zero. Where the exact result would pass
 * DRAY_QUANTITY_MAX_DIGITS, it is the operand with the larger scale. */
dray_quantity dray_quantity_add(dray_quantity a, dray_quantity b, dray_arena *arena);
dray_quantity dray_quantity_sub(dray_quantity a, dray_quantity b, dray_arena *arena);
dray_quantity dray_quantity_neg(dray_quantity q, dray_arena *arena);
dray_quantity dray_quantity_mul_int(dray_quantity q, int64_t by, dray_arena *arena);

/* Upstream's Value and MilliValue, rounded up. Where int64 can't hold it *ret_fits (may be NULL) is
 * false and upstream's wrapped number is returned. */
int64_t dray_quantity_value(dray_quantity q, bool *ret_fits);
int64_t dray_quantity_milli(dray_quantity q, bool *ret_fits);
/* Upstream's AsInt64: true, with *ret, for a small quantity without decimal places that int64
 * holds. Large whole numbers of many digits, or 1Pi, are big and give false. */
bool dray_quantity_as_int(dray_quantity q, int64_t *ret);
/* True, with *ret, where q × 1000 is whole and fits. */
bool dray_quantity_as_milli(dray_quantity q, int64_t *ret);
/* Upstream's AsApproximateFloat64, to the last bit. */
double dray_quantity_as_double(dray_quantity q);

/* A copy whose text and digits live in arena. */
dray_quantity dray_quantity_copy(dray_quantity q, dray_arena *arena);

#endif
