/* `dray debug quantity`. */
#include "cli/debug.h"

#include "obj/quantity.h"

#include <inttypes.h>

static void answer(void *state, dray_debug_line *line) {
    dray_err err = DRAY_ERR_INIT;
    dray_quantity q;
    dray_str canonical = DRAY_STR_NONE, milli = DRAY_STR_NONE, value = DRAY_STR_NONE;
    dray_str text = dray_debug_get_string(line, "q");
    if (dray_quantity_parse(text, line->arena, &q, &err) == DRAY_OK) {
        canonical = dray_quantity_format(q, line->arena);
        milli = dray_strf(line->arena, "%" PRId64, dray_quantity_milli(q, NULL));
        value = dray_strf(line->arena, "%" PRId64, dray_quantity_value(q, NULL));
    }
    dray_debug_string(line, "canonical", canonical);
    dray_debug_string(line, "milli", milli);
    dray_debug_string(line, "value", value);
    dray_debug_string(line, "error",
                      canonical.p != NULL ? DRAY_STR_NONE : dray_str_of(dray_err_text(&err)));
    dray_err_done(&err);
}

const dray_debug_kind dray_debug_quantity = {
    .name = "quantity",
    .summary = "a quantity's canonical text, value and thousandths",
    .answer = answer,
};
