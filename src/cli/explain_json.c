/* An explanation as JSON. */
#include "cli/explain_json.h"

#include "api/engine.h"
#include "data/json.h"

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

void dray_explain_json(dray_buf *out, const dray_explain_answer *answer, int release) {
    const char *comma = out->n != 0 && out->p[out->n - 1] != '{' ? "," : "";
    dray_buf_addf(out, "%s\"pending\":%s,\"causes\":[", comma, answer->pending ? "true" : "false");
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
