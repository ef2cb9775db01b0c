/* Quantities: the canonical text reads back as the same value and stays as it is; arithmetic agrees
 * with order. */
#include "obj/quantity.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
    if (!holds)
        abort();
}

/* Upstream loses the power of what no suffix can say, from 1000E on. */
static bool has_suffix(dray_quantity q, dray_arena *arena) {
    dray_quantity bound;
    dray_quantity_parse(DRAY_STR("1000E"), arena, &bound, NULL);
    dray_quantity below = dray_quantity_neg(bound, arena);
    return q.form != DRAY_QUANTITY_DECIMAL_SI ||
           (dray_quantity_cmp(q, bound) < 0 && dray_quantity_cmp(q, below) > 0);
}

static void check_canonical(dray_quantity q, dray_arena *arena) {
    dray_quantity again;
    q.text = DRAY_STR_NONE;
    dray_str text = dray_quantity_format(q, arena);
    check(dray_quantity_parse(text, arena, &again, NULL) == DRAY_OK);
    check(dray_quantity_cmp(q, again) == 0);
    again.text = DRAY_STR_NONE;
    check(dray_str_eq(text, dray_quantity_format(again, arena)));
}

static void check_arithmetic(dray_quantity q, dray_arena *arena) {
    dray_quantity one = dray_quantity_from_int(1, q.form);
    dray_quantity more = dray_quantity_add(q, one, arena);
    check(dray_quantity_cmp(dray_quantity_sub(more, one, arena), q) == 0);
    check(dray_quantity_cmp(q, more) == -dray_quantity_cmp(more, q));
    check(dray_quantity_is_zero(dray_quantity_sub(q, q, arena)));
    int64_t value;
    if (dray_quantity_as_int(q, &value))
        check(dray_quantity_cmp(q, dray_quantity_from_int(value, q.form)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_quantity q;
    dray_str text = dray_str_n((const char *)data, size);
    if (dray_quantity_parse(text, arena, &q, NULL) != DRAY_OK)
        return 0;
    /* Written out, a scale of millions would take all the fuzzer's time. */
    if (q.scale > 10000)
        return 0;
    if (has_suffix(q, arena))
        check_canonical(q, arena);
    check_arithmetic(q, arena);
    return 0;
}
