/* `dray debug proto`. */
#include "cli/debug.h"

static void answer(void *state, dray_debug_line *line) {
    (void)state;
    dray_debug_error(line, "not there yet");
}

const dray_debug_kind dray_debug_proto = {.name = "proto", .summary = "", .answer = answer};
