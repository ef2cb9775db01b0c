/* `dray debug quantity`. */
#include "cli/debug.h"

static void answer(void *state, dray_debug_line *line) {
    (void)state;
    dray_debug_error(line, "not there yet");
}

const dray_debug_kind dray_debug_quantity = {.name = "quantity", .summary = "", .answer = answer};
