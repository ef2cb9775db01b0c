/* `dray debug explain`: why a Pod is pending, and what would let it run. */
#include "cli/debug.h"

#include "api/engine.h"
#include "data/json.h"
#include "explain/explain.h"

enum { ANSWER_BYTES = 1 << 30 };

static void put_member(dray_buf *out, const char *key, dray_str text) {
    if (text.n == 0)
        return;
    dray_buf_addf(out, ",\"%s\":", key);
    dray_json_write_string(out, text, false);
}

static void put_cause(dray_buf *out, const dray_explain_cause *c) {
    dray_buf_addf(out, "{\"cause\":\"%s\"", c->cause);
    put_member(out, "claim", c->claim);
    put_member(out, "request", c->request);
    put_member(out, "subject", c->subject);
    put_member(out, "node", c->node);
    if (c->of != 0)
        dray_buf_addf(out, ",\"count\":%u,\"of\":%u", c->count, c->of);
    dray_buf_putc(out, '}');
}

static void put_gone(dray_buf *out, const dray_explain_gone *gone) {
    dray_buf_addf(out, "{\"kind\":\"%s\"", gone->kind->kind);
    put_member(out, "namespace", gone->ns);
    put_member(out, "name", gone->name);
    dray_buf_putc(out, '}');
}

static void put_fix(dray_buf *out, const dray_explain_fix *fix, int release) {
    dray_buf_addf(out, "{\"fix\":\"%s\",\"objects\":[", fix->fix);
    for (size_t i = 0; i < fix->n_objects; i++) {
        dray_buf_puts(out, i != 0 ? "," : "");
        dray_api_encode_at(out, fix->objects[i], release);
    }
    dray_buf_puts(out, "],\"delete\":[");
    for (size_t i = 0; i < fix->n_gone; i++) {
        dray_buf_puts(out, i != 0 ? "," : "");
        put_gone(out, &fix->gone[i]);
    }
    dray_buf_puts(out, "]");
    for (size_t i = 0; i < fix->n_gates; i++)
        dray_buf_addf(out, "%s\"%s\":%s", i != 0 ? "," : ",\"gates\":{", fix->gates[i].gate,
                      fix->gates[i].on ? "true" : "false");
    dray_buf_puts(out, fix->n_gates != 0 ? "}}" : "}");
}

static void put_answer(dray_buf *out, const dray_explain_answer *answer, int release) {
    dray_buf_addf(out, ",\"pending\":%s,\"causes\":[", answer->pending ? "true" : "false");
    for (size_t i = 0; i < answer->n_causes; i++) {
        dray_buf_puts(out, i != 0 ? "," : "");
        put_cause(out, &answer->causes[i]);
    }
    dray_buf_puts(out, "],\"fixes\":[");
    for (size_t i = 0; i < answer->n_fixes; i++) {
        dray_buf_puts(out, i != 0 ? "," : "");
        put_fix(out, &answer->fixes[i], release);
    }
    dray_buf_putc(out, ']');
}

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
        put_answer(line->out, &answer, gates.release);
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
