/* Expressions that ask for far too much: each is refused by the compiler, or its evaluation ends
 * within what it may take: the cost limit, 12 MiB, and the work that costs nothing by cel-go's
 * account. Together those are the ten milliseconds that a device's evaluation may last; time itself
 * is not measured here. */
#include "cel/eval.h"
#include "celk8s/celk8s.h"

#include "api/types.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_BYTES = 1 << 20, ATTRIBUTES = 32, SLACK_BYTES = 1 << 20 };

static dray_celk8s_device *full_device(dray_arena *arena) {
    dray_resource_device *device = DRAY_NEW(arena, dray_resource_device);
    device->name = DRAY_STR("full");
    device->attributes.k = DRAY_NEW_N(arena, dray_str, ATTRIBUTES);
    device->attributes.v = DRAY_NEW_N(arena, dray_resource_device_attribute, ATTRIBUTES);
    device->attributes.n = ATTRIBUTES;
    for (int i = 0; i < ATTRIBUTES; i++) {
        device->attributes.k[i] = dray_strf(arena, "domain-%d.example.com/name%d", i, i);
        device->attributes.v[i].string =
            DRAY_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    }
    return dray_celk8s_device_new(arena, DRAY_STR("gpu.example.com"), device);
}

/* What a stored expression, which no estimate refuses, comes to on a device. */
static bool is_stopped(dray_celk8s *k, const dray_gates *gates, dray_str text,
                       const dray_celk8s_device *device, dray_arena *scratch) {
    dray_err err = DRAY_ERR_INIT;
    const dray_celk8s_program *program;
    dray_code code =
        dray_celk8s_compile(k, text, DRAY_CELK8S_SELECTOR, false, gates, &program, &err);
    dray_err_done(&err);
    if (code != DRAY_OK)
        return true;
    dray_celk8s_result result;
    dray_celk8s_answer answer = dray_celk8s_match(program, device, scratch, &result);
    /* What is allocated at once is asked for before; the rest is seen in each turn of a loop. */
    bool bounded = dray_arena_used(scratch) <= (size_t)DRAY_CEL_EVAL_BYTES + SLACK_BYTES &&
                   result.work <= DRAY_CEL_EVAL_WORK;
    if (answer == DRAY_CELK8S_ERROR)
        return bounded && result.error.n != 0;
    return bounded && result.cost <= DRAY_CEL_COST_LIMIT;
}

int main(void) {
    FILE *file = fopen(DRAY_TEST_DATA "/cel_bombs.txt", "r");
    if (file == NULL)
        return 1;
    dray_arena *arena = dray_arena_new(0), *scratch = dray_cel_scratch_new();
    dray_celk8s *k = dray_celk8s_new(NULL);
    dray_celk8s_device *device = full_device(arena);
    dray_gates gates[2];
    dray_gates_init(&gates[0], 34);
    dray_gates_init(&gates[1], DRAY_RELEASE_NEWEST);
    char *line = dray_malloc(LINE_BYTES);
    int n = 0;
    while (fgets(line, LINE_BYTES, file) != NULL) {
        dray_str label, text;
        dray_str row = dray_str_of(line);
        if (row.n == 0 || row.p[0] == '#' ||
            !dray_str_cut(dray_str_slice(row, 0, row.n - 1), '\t', &label, &text))
            continue;
        n++;
        bool ok = true;
        for (int i = 0; i < 2; i++)
            ok = is_stopped(k, &gates[i], text, device, scratch) && ok;
        CHECK(dray_str_dup(arena, label).p, ok);
    }
    CHECK("there are a hundred and fifty bombs and more", n >= 150);
    free(line);
    fclose(file);
    dray_celk8s_free(k);
    dray_arena_free(scratch);
    dray_arena_free(arena);
    return tap_end();
}
