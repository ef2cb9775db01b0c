/* `dray debug proto`: an object as Kubernetes' protobuf, and back. */
#include "api/engine.h"
#include "base/base64.h"
#include "cli/debug.h"

static void answer_object(dray_debug_line *line, dray_str base64, int release, dray_err *err) {
    char *bytes = dray_arena_bytes(line->arena, dray_base64_room(base64));
    size_t n = 0, bad = dray_base64_read(base64, bytes, &n);
    dray_object object;
    dray_code code = DRAY_OK;
    if (bad != SIZE_MAX)
        code = dray_err_set(err, DRAY_E_INVALID, "illegal base64 data at input byte %zu", bad);
    if (code == DRAY_OK)
        code = dray_api_decode_proto(dray_str_n(bytes, n), release, line->arena, &object, err);
    if (code != DRAY_OK)
        return;
    dray_debug_key(line, "object");
    dray_api_encode(line->out, object);
}

static void answer_base64(dray_debug_line *line, const dray_node *node, int release,
                          dray_err *err) {
    dray_object object;
    if (dray_api_decode(node, release, line->arena, NULL, &object, err) != DRAY_OK)
        return;
    DRAY_CLEANUP_BUF dray_buf bytes = DRAY_BUF_INIT;
    dray_api_encode_proto(&bytes, object, line->arena);
    dray_debug_key(line, "base64");
    dray_buf_putc(line->out, '"');
    dray_base64_write(line->out, dray_buf_str(&bytes));
    dray_buf_putc(line->out, '"');
}

static void answer(void *state, dray_debug_line *line) {
    (void)state;
    dray_err err = DRAY_ERR_INIT;
    dray_gates gates;
    const dray_node *object = dray_node_find(line->in, DRAY_STR("object"));
    dray_str base64 = dray_debug_get_string(line, "base64");
    if (dray_debug_gates(line, &gates, &err) == DRAY_OK) {
        if (object != NULL)
            answer_base64(line, object, gates.release, &err);
        else
            answer_object(line, base64, gates.release, &err);
    }
    if (err.code != DRAY_OK)
        dray_debug_error(line, dray_err_text(&err));
    dray_err_done(&err);
}

const dray_debug_kind dray_debug_proto = {
    .name = "proto",
    .summary = "an object as Kubernetes' protobuf, and back",
    .answer = answer,
};
