/* What the files of quantities share. */
#ifndef DRAY_OBJ_QUANTITY_INT_H
#define DRAY_OBJ_QUANTITY_INT_H

#include "obj/quantity.h"

/* The number without its scale; made in arena where q is small. */
const dray_big *dray_quantity_digits(dray_quantity q, dray_arena *arena);

/* value × 10^places. False where int64 can't hold it; *ret is then upstream's leftover. */
bool dray_int_scale_up(int64_t value, int64_t places, int64_t *ret);
/* value ÷ 10^places, rounded away from zero. */
int64_t dray_int_scale_down(int64_t value, int64_t places, bool *ret_exact);

#endif
