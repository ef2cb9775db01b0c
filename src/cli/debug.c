/* `dray debug KIND`: the loop over lines, and what the kinds share. */
#include "cli/debug.h"

#include "base/vec.h"
#include "data/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LINE_MAX_BYTES = 16 << 20,
    READ_BYTES = 1 << 16,
};

static const dray_debug_kind *const kinds[] = {
    &dray_debug_alloc,    &dray_debug_cel,    &dray_debug_convert,  &dray_debug_decode,
    &dray_debug_explain,  &dray_debug_plan,   &dray_debug_plan_run, &dray_debug_proto,
    &dray_debug_quantity, &dray_debug_semver,
};

void dray_debug_key(dray_debug_line *line, const char *key) {
    dray_buf_addf(line->out, ",\"%s\":", key);
}

void dray_debug_string(dray_debug_line *line, const char *key, dray_str text) {
    dray_debug_key(line, key);
    if (text.p == NULL)
        dray_buf_puts(line->out, "null");
    else
        dray_json_write_string(line->out, text, false);
}

void dray_debug_bool(dray_debug_line *line, const char *key, bool value) {
    dray_debug_key(line, key);
    dray_buf_puts(line->out, value ? "true" : "false");
}

void dray_debug_error(dray_debug_line *line, const char *text) {
    dray_debug_string(line, "error", dray_str_of(text));
}

dray_str dray_debug_get_string(const dray_debug_line *line, const char *key) {
    return dray_node_string(dray_node_find(line->in, dray_str_of(key)));
}

bool dray_debug_get_bool(const dray_debug_line *line, const char *key, bool fallback) {
    const dray_node *node = dray_node_find(line->in, dray_str_of(key));
    return node != NULL && node->kind == DRAY_NODE_BOOL ? node->truth : fallback;
}

int64_t dray_debug_get_int(const dray_debug_line *line, const char *key, int64_t fallback) {
    const dray_node *node = dray_node_find(line->in, dray_str_of(key));
    if (node == NULL || node->kind != DRAY_NODE_NUMBER)
        return fallback;
    return strtoll(dray_str_dup(line->arena, node->text).p, NULL, 10);
}

dray_code dray_debug_gates(const dray_debug_line *line, dray_gates *ret, dray_err *err) {
    int release = DRAY_RELEASE_NEWEST;
    dray_str version = dray_debug_get_string(line, "version");
    dray_code code = version.n != 0 ? dray_release_parse(version, &release, err) : DRAY_OK;
    if (code != DRAY_OK)
        return code;
    dray_gates gates;
    dray_gates_init(&gates, release);
    const dray_node *wanted = dray_node_find(line->in, DRAY_STR("gates"));
    size_t n = wanted != NULL && wanted->kind == DRAY_NODE_MAP ? wanted->map.n : 0;
    for (size_t i = 0; i < n && code == DRAY_OK; i++) {
        const dray_member *m = &wanted->map.members[i];
        code = dray_gates_set(&gates, m->key, m->value.truth, err);
    }
    if (code == DRAY_OK)
        code = dray_gates_finish(&gates, err);
    if (code == DRAY_OK)
        *ret = gates;
    return code;
}

static void write_id(dray_buf *out, const dray_node *in) {
    const dray_node *id = dray_node_find(in, DRAY_STR("id"));
    dray_buf_puts(out, "{\"id\":");
    if (id != NULL)
        dray_json_write(out, id, false);
    else
        dray_buf_puts(out, "null");
}

static void refuse_line(dray_buf *out, const char *why) {
    dray_buf_puts(out, "{\"id\":null,\"error\":");
    dray_json_write_string(out, dray_str_of(why), false);
    dray_buf_puts(out, "}\n");
}

static void answer_line(const dray_debug_kind *kind, void *state, dray_arena *arena, dray_str text,
                        dray_buf *out) {
    dray_err err = DRAY_ERR_INIT;
    dray_node *in;
    if (dray_json_parse(text, arena, &in, &err) != DRAY_OK) {
        refuse_line(out, dray_err_text(&err));
    } else if (in->kind != DRAY_NODE_MAP) {
        refuse_line(out, "the line is not a JSON object");
    } else {
        dray_debug_line line = {.arena = arena, .in = in, .out = out};
        write_id(out, in);
        kind->answer(state, &line);
        dray_buf_puts(out, "}\n");
    }
    dray_err_done(&err);
}

static bool flush(dray_buf *out) {
    size_t done = 0;
    while (done < out->n) {
        ssize_t n = write(STDOUT_FILENO, out->p + done, out->n - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    dray_buf_clear(out);
    return true;
}

typedef struct input {
    dray_buf bytes;
    size_t at;     /* where the next line starts */
    bool skipping; /* inside a line that is too long */
    bool ended;
} input;

/* Drops what has been answered and reads more. */
static void read_more(input *in) {
    if (in->at != 0)
        memmove(in->bytes.p, in->bytes.p + in->at, in->bytes.n - in->at);
    in->bytes.n -= in->at;
    in->at = 0;
    ssize_t n = read(STDIN_FILENO, dray_buf_reserve(&in->bytes, READ_BYTES), READ_BYTES);
    if (n > 0)
        in->bytes.n += (size_t)n;
    else if (n == 0 || errno != EINTR)
        in->ended = true;
}

/* The next whole line, without its newline; false when more must be read first. */
static bool take_line(input *in, dray_str *ret) {
    dray_str rest = dray_str_slice(dray_buf_str(&in->bytes), in->at, in->bytes.n);
    size_t end = dray_str_chr(rest, '\n');
    if (end == SIZE_MAX && !(in->ended && rest.n != 0))
        return false;
    *ret = dray_str_slice(rest, 0, end);
    in->at += end == SIZE_MAX ? rest.n : end + 1;
    return true;
}

static int run(const dray_debug_kind *kind) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    void *state = kind->start != NULL ? kind->start() : NULL;
    input in = {.bytes = DRAY_BUF_INIT};
    dray_buf out = DRAY_BUF_INIT;
    bool written = true;
    while (written) {
        dray_str line;
        if (take_line(&in, &line)) {
            if (!in.skipping && line.n != 0)
                answer_line(kind, state, arena, line, &out);
            in.skipping = false;
            dray_arena_reset(arena);
            continue;
        }
        if (in.bytes.n - in.at > LINE_MAX_BYTES) {
            if (!in.skipping)
                refuse_line(&out, "the line is longer than 16 MiB");
            in.skipping = true;
            in.at = in.bytes.n;
        }
        written = flush(&out);
        if (in.ended)
            break;
        read_more(&in);
    }
    if (kind->stop != NULL)
        kind->stop(state);
    dray_buf_done(&in.bytes);
    dray_buf_done(&out);
    return written ? 0 : 1;
}

int dray_debug_main(int argc, char **argv) {
    for (size_t i = 0; argc == 1 && i < DRAY_COUNT(kinds); i++)
        if (strcmp(argv[0], kinds[i]->name) == 0)
            return run(kinds[i]);
    fprintf(stderr, "usage: dray debug KIND, where KIND is one of:\n");
    for (size_t i = 0; i < DRAY_COUNT(kinds); i++)
        fprintf(stderr, "  %-10s %s\n", kinds[i]->name, kinds[i]->summary);
    return 2;
}
