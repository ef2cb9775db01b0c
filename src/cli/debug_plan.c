/* `dray debug plan`. */
#include "cli/debug.h"

static void answer(void *state, dray_debug_line *line) {
    (void)state;
    dray_debug_error(line, "not there yet");
}

const dray_debug_kind dray_debug_plan = {.name = "plan", .summary = "", .answer = answer};
const dray_debug_kind dray_debug_plan_run = {.name = "plan-run", .summary = "", .answer = answer};
