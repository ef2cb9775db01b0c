/* `dray debug cel`: an expression in an environment of Kubernetes, on a device or on many. */
#include "cli/debug_cel_int.h"

#include "api/engine.h"
#include "base/vec.h"
#include "cel/eval.h"
#include "celk8s/columns.h"
#include "data/json.h"

#include <stdlib.h>
#include <time.h>

enum { LOOPS = 3, MAX_REPEAT = 100000000, MAX_COPIES = 100000 };

static void *start(void) {
    dray_debug_cel_state *s = dray_calloc(1, sizeof *s);
    s->zones = dray_zones_new();
    s->k8s = dray_celk8s_new(s->zones);
    s->scratch = dray_cel_scratch_new();
    return s;
}

static void stop(void *state) {
    dray_debug_cel_state *s = state;
    dray_celk8s_free(s->k8s);
    dray_zones_free(s->zones);
    dray_arena_free(s->scratch);
    dray_arena_free(s->plain);
    free(s);
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void put_null(dray_debug_line *line, const char *key) {
    dray_debug_key(line, key);
    dray_buf_puts(line->out, "null");
}

static void put_uint(dray_debug_line *line, const char *key, uint64_t value) {
    dray_debug_key(line, key);
    dray_buf_addf(line->out, "%llu", (unsigned long long)value);
}

static void put_answer(dray_buf *out, dray_celk8s_answer answer) {
    dray_buf_puts(out, answer == DRAY_CELK8S_ERROR  ? "null"
                       : answer == DRAY_CELK8S_TRUE ? "true"
                                                    : "false");
}

/* Gates that a release does not know are laid over it all the same: only two matter here. */
static bool read_gates(dray_debug_line *line, dray_gates *gates, dray_err *err) {
    static const struct {
        const char *name;
        dray_gate gate;
    } names[] = {{"DRAConsumableCapacity", DRAY_GATE_DRAConsumableCapacity},
                 {"DRAListTypeAttributes", DRAY_GATE_DRAListTypeAttributes}};
    dray_str version = dray_debug_get_string(line, "version");
    int release = DRAY_RELEASE_NEWEST;
    if (version.p != NULL && dray_release_parse(version, &release, err) != DRAY_OK)
        return false;
    dray_gates_init(gates, release);
    const dray_node *given = dray_node_find(line->in, DRAY_STR("gates"));
    for (size_t i = 0; i < DRAY_COUNT(names); i++) {
        const dray_node *on = dray_node_find(given, dray_str_of(names[i].name));
        if (on != NULL && on->kind == DRAY_NODE_BOOL)
            gates->on[names[i].gate] = on->truth;
    }
    return true;
}

static bool read_device(const dray_node *node, dray_arena *arena, dray_celk8s_device **ret,
                        dray_err *err) {
    void *body;
    dray_str driver = dray_node_string(dray_node_find(node, DRAY_STR("driver")));
    if (dray_api_decode_type(node, &dray_type_resource_device, DRAY_RELEASE_NEWEST, arena, NULL,
                             &body, err) != DRAY_OK)
        return false;
    *ret = dray_celk8s_device_new(arena, driver.p != NULL ? driver : DRAY_STR(""), body);
    return true;
}

/* --- one device --- */

static int64_t time_matches(const dray_celk8s_program *program, const dray_celk8s_device *device,
                            dray_arena *scratch, int64_t repeat) {
    int64_t best = INT64_MAX;
    for (int loop = 0; loop < LOOPS; loop++) {
        dray_celk8s_result result;
        int64_t begin = now_ns();
        for (int64_t i = 0; i < repeat; i++)
            dray_celk8s_match(program, device, scratch, &result);
        int64_t mean = (now_ns() - begin) / repeat;
        best = mean < best ? mean : best;
    }
    return best;
}

static void answer_one(dray_debug_cel_state *s, dray_debug_line *line,
                       const dray_celk8s_program *program, const dray_node *node) {
    dray_err err = DRAY_ERR_INIT;
    dray_celk8s_device *device;
    if (!read_device(node, line->arena, &device, &err)) {
        put_null(line, "result");
        dray_debug_string(line, "evalError", dray_str_of(dray_err_text(&err)));
        put_null(line, "cost");
        dray_err_done(&err);
        return;
    }
    dray_celk8s_result result;
    dray_celk8s_answer answer = dray_celk8s_match(program, device, s->scratch, &result);
    dray_debug_key(line, "result");
    put_answer(line->out, answer);
    dray_debug_string(line, "evalError",
                      answer == DRAY_CELK8S_ERROR ? result.error : DRAY_STR_NONE);
    if (result.began)
        put_uint(line, "cost", result.cost);
    else
        put_null(line, "cost");
    int64_t repeat = dray_debug_get_int(line, "repeat", 0);
    if (repeat > 0 && repeat <= MAX_REPEAT)
        put_uint(line, "ns", (uint64_t)time_matches(program, device, s->scratch, repeat));
}

/* --- many devices --- */

/* The columns are made by the first run, as those of a ready picture; the best of three counts. */
static int64_t time_columns(dray_debug_cel_state *s, const dray_celk8s_program *program,
                            dray_celk8s_columns *columns, dray_bits matched, dray_bits failed) {
    int64_t best = INT64_MAX;
    dray_celk8s_match_columns(program, columns, s->scratch, matched, failed);
    for (int loop = 0; loop < LOOPS; loop++) {
        int64_t begin = now_ns();
        dray_celk8s_match_columns(program, columns, s->scratch, matched, failed);
        int64_t ns = now_ns() - begin;
        best = ns < best ? ns : best;
    }
    return best;
}

static void put_results(dray_debug_line *line, dray_bits matched, dray_bits failed) {
    dray_debug_key(line, "results");
    dray_buf_putc(line->out, '[');
    for (size_t i = 0; i < matched.n; i++) {
        dray_buf_puts(line->out, i > 0 ? "," : "");
        put_answer(line->out, dray_bits_get(failed, i)    ? DRAY_CELK8S_ERROR
                              : dray_bits_get(matched, i) ? DRAY_CELK8S_TRUE
                                                          : DRAY_CELK8S_FALSE);
    }
    dray_buf_putc(line->out, ']');
}

static void answer_many(dray_debug_cel_state *s, dray_debug_line *line,
                        const dray_celk8s_program *program, const dray_node *list) {
    dray_err err = DRAY_ERR_INIT;
    size_t n = list->list.n;
    int64_t copies = dray_debug_get_int(line, "copies", 0);
    if (copies < 0 || copies > MAX_COPIES) {
        dray_debug_error(line, "copies must be between 0 and 100000");
        return;
    }
    size_t total = n * (size_t)(copies > 0 ? copies : 1);
    const dray_celk8s_device **devices =
        DRAY_NEW_N(line->arena, const dray_celk8s_device *, total + 1);
    for (size_t i = 0; i < n; i++) {
        dray_celk8s_device *device;
        if (!read_device(&list->list.items[i], line->arena, &device, &err)) {
            dray_debug_error(line, dray_err_text(&err));
            dray_err_done(&err);
            return;
        }
        devices[i] = device;
    }
    for (size_t i = n; i < total; i++)
        devices[i] = devices[i - n];
    dray_bits matched = dray_bits_new(line->arena, total);
    dray_bits failed = dray_bits_new(line->arena, total);
    dray_celk8s_columns *columns = dray_celk8s_columns_new(devices, total);
    int64_t ns = time_columns(s, program, columns, matched, failed);
    dray_celk8s_columns_free(columns);
    if (copies > 0) {
        put_uint(line, "matched", dray_bits_count(matched));
        put_uint(line, "failed", dray_bits_count(failed));
    } else {
        put_results(line, matched, failed);
    }
    put_uint(line, "ns", (uint64_t)ns);
}

/* --- compiling --- */

static void put_compile_error(dray_debug_line *line, const char *text) {
    static const char *const others[] = {"type", "maxCost", "result", "evalError", "cost"};
    dray_debug_string(line, "compileError", dray_str_of(text));
    for (size_t i = 0; i < DRAY_COUNT(others); i++)
        put_null(line, others[i]);
}

/* Compiling anew takes a handle whose environment is there but whose programs are not. */
static int64_t time_compile(dray_debug_cel_state *s, dray_str text, bool new_expression,
                            const dray_gates *gates, int64_t repeat) {
    int64_t best = INT64_MAX;
    for (int loop = 0; loop < LOOPS; loop++) {
        int64_t begin = now_ns();
        for (int64_t i = 0; i < repeat; i++) {
            const dray_celk8s_program *program;
            dray_celk8s_forget(s->k8s);
            if (dray_celk8s_compile(s->k8s, text, DRAY_CELK8S_SELECTOR, new_expression, gates,
                                    &program, NULL) == DRAY_OK)
                dray_celk8s_max_cost(program);
        }
        int64_t mean = (now_ns() - begin) / repeat;
        best = mean < best ? mean : best;
    }
    return best;
}

static void answer(void *state, dray_debug_line *line) {
    dray_debug_cel_state *s = state;
    dray_err err = DRAY_ERR_INIT;
    dray_str env = dray_debug_get_string(line, "env");
    dray_str text = dray_debug_get_string(line, "expr");
    if (dray_str_is(env, "cel")) {
        dray_debug_cel_plain(s, line);
        return;
    }
    dray_gates gates;
    const dray_celk8s_program *program;
    bool new_expression = dray_str_is(env, "new");
    if (text.p == NULL || !read_gates(line, &gates, &err)) {
        dray_debug_error(line, text.p == NULL ? "expr is missing" : dray_err_text(&err));
        dray_err_done(&err);
        return;
    }
    int64_t repeat = dray_debug_get_int(line, "repeat", 0);
    int64_t compile_ns = 0;
    if (repeat > 0 && repeat <= MAX_REPEAT)
        compile_ns = time_compile(s, text, new_expression, &gates, repeat < 200 ? repeat : 200);
    if (dray_celk8s_compile(s->k8s, text, DRAY_CELK8S_SELECTOR, new_expression, &gates, &program,
                            &err) != DRAY_OK) {
        put_compile_error(line, dray_err_text(&err));
        dray_err_done(&err);
        return;
    }
    put_null(line, "compileError");
    dray_debug_string(line, "type", dray_celk8s_type(program));
    put_uint(line, "maxCost", dray_celk8s_max_cost(program));
    if (repeat > 0)
        put_uint(line, "compileNs", (uint64_t)compile_ns);
    const dray_node *device = dray_node_find(line->in, DRAY_STR("device"));
    const dray_node *devices = dray_node_find(line->in, DRAY_STR("devices"));
    if (devices != NULL && devices->kind == DRAY_NODE_LIST) {
        answer_many(s, line, program, devices);
    } else if (device != NULL && device->kind == DRAY_NODE_MAP) {
        answer_one(s, line, program, device);
    } else {
        put_null(line, "result");
        put_null(line, "evalError");
        put_null(line, "cost");
    }
}

const dray_debug_kind dray_debug_cel = {.name = "cel",
                                        .summary = "compile and evaluate a CEL expression",
                                        .start = start,
                                        .stop = stop,
                                        .answer = answer};
