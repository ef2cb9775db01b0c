/* Amounts from quantities. */
#include "cluster/amount.h"

enum { NANO = 9, POWERS = 37, AT_ONCE = 9 };

static const int64_t powers[AT_ONCE + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
};

static dray_amount times_power(dray_amount value, int32_t power) {
    bool negative = value < 0;
    dray_amount size = negative ? -value : value;
    if (power >= AT_ONCE && size < DRAY_AMOUNT_MAX >> 32) {
        size *= powers[AT_ONCE];
        power -= AT_ONCE;
    } else if (power > 0 && power < AT_ONCE && size < DRAY_AMOUNT_MAX >> 32) {
        size *= powers[power];
        power = 0;
    }
    for (; power > 0 && size != 0 && size < DRAY_AMOUNT_MAX; power--)
        size *= 10;
    if (size > DRAY_AMOUNT_MAX)
        size = DRAY_AMOUNT_MAX;
    return negative ? -size : size;
}

/* Digit by digit from the whole part, since a quantity of many digits has no other way out. */
static dray_amount of_big(dray_quantity quantity) {
    double size = dray_quantity_as_double(quantity);
    if (size > 1.3e27 || size < -1.3e27)
        return size > 0 ? DRAY_AMOUNT_MAX : -DRAY_AMOUNT_MAX;
    dray_arena *arena = dray_arena_new(0);
    dray_amount sum = 0;
    bool negative = dray_quantity_sign(quantity) < 0;
    dray_quantity rest = negative ? dray_quantity_neg(quantity, arena) : quantity;
    for (int32_t power = POWERS - 1; power >= 0; power--) {
        dray_quantity unit = {.value = 1, .scale = power - NANO};
        for (; dray_quantity_cmp(rest, unit) >= 0; rest = dray_quantity_sub(rest, unit, arena))
            sum += times_power(1, power);
    }
    dray_arena_free(arena);
    return negative ? -sum : sum;
}

dray_amount dray_amount_of(dray_quantity quantity) {
    if (quantity.big != NULL)
        return of_big(quantity);
    if (quantity.scale == 0)
        return (dray_amount)quantity.value * powers[NANO];
    return times_power(quantity.value, quantity.scale + NANO);
}
