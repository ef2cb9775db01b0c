/* Quantities: values and arithmetic. Text is in quantity_text.c. */
#include "obj/quantity.h"

#include "obj/big.h"
#include "obj/quantity_int.h"

#include <math.h>

enum { INT64_DIGITS = 19 };

const dray_big *dray_quantity_digits(dray_quantity q, dray_arena *arena) {
    return q.big != NULL ? q.big : dray_big_from_int(q.value, arena);
}

bool dray_int_scale_up(int64_t value, int64_t places, int64_t *ret) {
    /* Upstream multiplies by these at once and hands out the wrapped product; by any other power
     * step by step, and gives up with 0. */
    bool at_once = places <= 3 || places == 6 || places == 9;
    int64_t product = value;
    bool fits = true;
    for (int64_t i = 0; i < places && product != 0 && (fits || at_once); i++)
        fits = !__builtin_mul_overflow(product, 10, &product) && fits;
    if (!fits && (!at_once || value == INT64_MIN))
        product = 0;
    *ret = product;
    return fits;
}

int64_t dray_int_scale_down(int64_t value, int64_t places, bool *ret_exact) {
    int64_t quotient = value;
    bool exact = true;
    for (int64_t i = 0; i < places && quotient != 0; i++) {
        exact = exact && quotient % 10 == 0;
        quotient /= 10;
    }
    *ret_exact = exact;
    return exact ? quotient : quotient + (value > 0 ? 1 : -1);
}

dray_quantity dray_quantity_from_int(int64_t value, dray_quantity_form form) {
    return (dray_quantity){.value = value, .form = form};
}

dray_quantity dray_quantity_from_milli(int64_t milli, dray_quantity_form form) {
    return (dray_quantity){.value = milli, .scale = -3, .form = form};
}

int dray_quantity_sign(dray_quantity q) {
    return q.big != NULL ? dray_big_sign(q.big) : (q.value > 0) - (q.value < 0);
}

bool dray_quantity_is_zero(dray_quantity q) {
    return dray_quantity_sign(q) == 0;
}

/* Both small, neither zero, of one sign; a has the larger scale. */
static int compare_small(dray_quantity a, dray_quantity b) {
    int64_t places = (int64_t)a.scale - b.scale;
    if (places >= INT64_DIGITS)
        return a.value > 0 ? 1 : -1;
    __int128 left = a.value;
    for (int64_t i = 0; i < places; i++)
        left *= 10;
    return (left > b.value) - (left < b.value);
}

/* One of them big, neither zero, of one sign. */
static int compare_big(dray_quantity a, dray_quantity b) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    const dray_big *left = dray_quantity_digits(a, arena);
    const dray_big *right = dray_quantity_digits(b, arena);
    /* Where the first digit stands; only if in one place the shift below is short. */
    int64_t left_top = (int64_t)dray_big_digits(left) + a.scale;
    int64_t right_top = (int64_t)dray_big_digits(right) + b.scale;
    if (left_top != right_top)
        return (left_top > right_top) == (dray_big_sign(left) > 0) ? 1 : -1;
    if (a.scale > b.scale)
        left = dray_big_scale_up(left, (uint32_t)((int64_t)a.scale - b.scale), arena);
    else
        right = dray_big_scale_up(right, (uint32_t)((int64_t)b.scale - a.scale), arena);
    return dray_big_cmp(left, right);
}

int dray_quantity_cmp(dray_quantity a, dray_quantity b) {
    if (a.big == NULL && b.big == NULL && a.scale == b.scale)
        return (a.value > b.value) - (a.value < b.value);
    int left = dray_quantity_sign(a), right = dray_quantity_sign(b);
    if (left != right || left == 0)
        return (left > right) - (left < right);
    if (a.big != NULL || b.big != NULL)
        return compare_big(a, b);
    return a.scale >= b.scale ? compare_small(a, b) : -compare_small(b, a);
}

/* a.value += b.value where int64 holds every step. */
static bool add_small(dray_quantity *a, dray_quantity b) {
    if (b.value == 0)
        return true;
    if (a->value == 0) {
        a->value = b.value;
        a->scale = b.scale;
        return true;
    }
    int32_t scale = a->scale < b.scale ? a->scale : b.scale;
    int64_t left, right, sum;
    if (!dray_int_scale_up(a->value, (int64_t)a->scale - scale, &left) ||
        !dray_int_scale_up(b.value, (int64_t)b.scale - scale, &right) ||
        __builtin_add_overflow(left, right, &sum))
        return false;
    a->value = sum;
    a->scale = scale;
    return true;
}

static dray_quantity add_big(dray_quantity a, dray_quantity b, dray_arena *arena) {
    const dray_big *left = dray_quantity_digits(a, arena);
    const dray_big *right = dray_quantity_digits(b, arena);
    bool a_is_coarse = a.scale >= b.scale;
    dray_quantity coarse = a_is_coarse ? a : b;
    int64_t places = (int64_t)coarse.scale - (a_is_coarse ? b.scale : a.scale);
    const dray_big **shifted = a_is_coarse ? &left : &right;
    if ((int64_t)dray_big_digits(*shifted) + places > DRAY_QUANTITY_MAX_DIGITS) {
        coarse.form = a.form;
        return coarse;
    }
    *shifted = dray_big_scale_up(*shifted, (uint32_t)places, arena);
    return (dray_quantity){.big = dray_big_add(left, right, arena),
                           .scale = a_is_coarse ? b.scale : a.scale,
                           .form = a.form};
}

dray_quantity dray_quantity_add(dray_quantity a, dray_quantity b, dray_arena *arena) {
    a.text = b.text = DRAY_STR_NONE;
    if (dray_quantity_is_zero(a))
        a.form = b.form;
    if (a.big == NULL && b.big == NULL && add_small(&a, b))
        return a;
    return add_big(a, b, arena);
}

dray_quantity dray_quantity_neg(dray_quantity q, dray_arena *arena) {
    q.text = DRAY_STR_NONE;
    if (q.big != NULL)
        q.big = dray_big_neg(q.big, arena);
    else
        q.value = (int64_t)-(uint64_t)q.value;
    return q;
}

dray_quantity dray_quantity_sub(dray_quantity a, dray_quantity b, dray_arena *arena) {
    return dray_quantity_add(a, dray_quantity_neg(b, arena), arena);
}

/* The product must also fit once its scale is applied, or upstream goes on with a big one. */
static bool mul_small(dray_quantity *q, int64_t by) {
    int64_t product, ignored;
    bool exact;
    if (q->value == 0)
        return true;
    if (by == 0) {
        q->value = 0;
        q->scale = 0;
        return true;
    }
    if (__builtin_mul_overflow(q->value, by, &product))
        return false;
    if (q->scale > 0 && !dray_int_scale_up(product, q->scale, &ignored))
        return false;
    if (q->scale < 0 && (dray_int_scale_down(product, -(int64_t)q->scale, &exact), !exact))
        return false;
    q->value = product;
    return true;
}

dray_quantity dray_quantity_mul_int(dray_quantity q, int64_t by, dray_arena *arena) {
    q.text = DRAY_STR_NONE;
    if (q.big != NULL || !mul_small(&q, by))
        q = (dray_quantity){.big = dray_big_mul_int(dray_quantity_digits(q, arena), by, arena),
                            .scale = q.scale,
                            .form = q.form};
    return q;
}

/* 10^places as upstream gets it from a double, which holds no more than 10^18 as an int64. */
static int64_t int_power(int64_t places) {
    int64_t power;
    return dray_int_scale_up(1, places, &power) ? power : INT64_MIN;
}

/* big × 10^(scale − to), rounded as upstream's scaledValue. */
static int64_t scale_big(dray_quantity q, int32_t to, bool *ret_fits) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    int64_t places = (int64_t)to - q.scale;
    bool fits;
    int64_t low = dray_big_int(q.big, &fits);
    if (places <= 0) {
        int64_t product, power = int_power(-places);
        *ret_fits = !__builtin_mul_overflow(low, power, &product) && fits && power > 0;
        return product;
    }
    bool exact;
    int64_t result;
    if ((fits ? low < INT64_MAX : dray_big_sign(q.big) < 0) && places < INT64_DIGITS) {
        int64_t power = int_power(places);
        *ret_fits = fits;
        result = low / power;
        exact = low % power == 0;
    } else {
        result =
            dray_big_int(dray_big_scale_down(q.big, (uint32_t)places, arena, &exact), ret_fits);
        exact = exact || dray_big_sign(q.big) < 0;
    }
    return exact ? result : (int64_t)((uint64_t)result + 1);
}

static int64_t scaled(dray_quantity q, int32_t to, bool *ret_fits) {
    bool ignored;
    bool *fits = ret_fits != NULL ? ret_fits : &ignored;
    if (q.big != NULL)
        return scale_big(q, to, fits);
    *fits = true;
    if (q.scale < to)
        return dray_int_scale_down(q.value, (int64_t)to - q.scale, &ignored);
    int64_t result;
    *fits = dray_int_scale_up(q.value, (int64_t)q.scale - to, &result);
    return result;
}

int64_t dray_quantity_value(dray_quantity q, bool *ret_fits) {
    return scaled(q, 0, ret_fits);
}

int64_t dray_quantity_milli(dray_quantity q, bool *ret_fits) {
    return scaled(q, -3, ret_fits);
}

bool dray_quantity_as_int(dray_quantity q, int64_t *ret) {
    int64_t value;
    if (q.big != NULL || q.scale < 0 || !dray_int_scale_up(q.value, q.scale, &value))
        return false;
    *ret = value;
    return true;
}

bool dray_quantity_as_milli(dray_quantity q, int64_t *ret) {
    bool fits;
    int64_t milli = dray_quantity_milli(q, &fits);
    if (!fits || dray_quantity_cmp(q, dray_quantity_from_milli(milli, q.form)) != 0)
        return false;
    *ret = milli;
    return true;
}

/* 10^n as Go's math.Pow10: the product of two table entries, so that results agree to the bit. */
static double power_of_10(int64_t n) {
    static const double tens[] = {1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07, 1e08, 1e09, 1e10,
                                  1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                                  1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
    static const double up[] = {1e00, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
    static const double down[] = {1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                  1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
    if (n < -323)
        return 0;
    if (n > 308)
        return HUGE_VAL;
    return n >= 0 ? up[n / 32] * tens[n % 32] : down[-n / 32] / tens[-n % 32];
}

double dray_quantity_as_double(dray_quantity q) {
    double number = q.big != NULL ? dray_big_double(q.big) : (double)q.value;
    return q.scale == 0 ? number : number * power_of_10(q.scale);
}

dray_quantity dray_quantity_copy(dray_quantity q, dray_arena *arena) {
    if (q.text.p != NULL)
        q.text = dray_str_dup(arena, q.text);
    if (q.big != NULL)
        q.big = dray_big_neg(dray_big_neg(q.big, arena), arena);
    return q;
}
