/* `dray debug explain`: why a Pod is pending, and what would let it run. */
#include "cli/debug.h"
#include "cli/explain_json.h"

enum { ANSWER_BYTES = 1 << 30 };

static void *start(void) {
    return dray_celk8s_new(NULL);
}

static void stop(void *state) {
    dray_celk8s_free(state);
}

static void answer_explain(void *state, dray_debug_line *line) {
    dray_err err = DRAY_ERR_INIT;
    dray_gates gates;
    dray_object *objects = NULL;
    size_t n = 0;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ANSWER_BYTES);
    dray_explain_input input = {.gates = &gates, .now = dray_debug_now(), .strict = true};
    dray_explain_answer answer;
    dray_code code = dray_debug_gates(line, &gates, &err);
    if (code == DRAY_OK)
        code = dray_debug_objects(line, &gates, &objects, &n, &err);
    if (code == DRAY_OK &&
        !dray_str_cut(dray_debug_get_string(line, "pod"), '/', &input.ns, &input.pod))
        code = dray_err_set(&err, DRAY_E_INVALID, "\"pod\" is not of the form ns/name");
    input.objects = objects;
    input.n = n;
    if (code == DRAY_OK)
        code = dray_explain_ask(state, &input, arena, &answer, &err);
    if (code == DRAY_OK)
        dray_explain_json(line->out, &answer, gates.release);
    else
        dray_debug_error(line, dray_err_text(&err));
    dray_err_done(&err);
}

const dray_debug_kind dray_debug_explain = {
    .name = "explain",
    .summary = "why a Pod is pending, and the smallest changes that let it run",
    .start = start,
    .stop = stop,
    .answer = answer_explain,
};
