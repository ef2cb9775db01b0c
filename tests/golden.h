/* Golden files: cases that anyone can add without writing C.
 *
 *     1.5Gi                                      the input, one line
 *     1536Mi value=1610612736 …                  the answer, one line or more
 *                                                an empty line
 *
 * Lines with # in front are comments. A test replays a file of tests/data through a function:
 *
 *     golden_replay("quantity.txt", answer);
 *
 * With GOLDEN_WRITE=1 in the environment it writes this build's answers into the file instead.
 */
#ifndef DRAY_TESTS_GOLDEN_H
#define DRAY_TESTS_GOLDEN_H

#include "tap.h"

#include <stdlib.h>

/* Adds the answer to input to out, without a newline at the end. */
typedef void golden_answer(dray_str input, dray_arena *arena, dray_buf *out);

__attribute__((unused)) static bool golden_read(const char *path, dray_buf *ret) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    size_t n;
    while ((n = fread(dray_buf_reserve(ret, 4096), 1, 4096, file)) > 0)
        ret->n += n;
    fclose(file);
    return true;
}

static dray_str golden_line(dray_str *rest) {
    dray_str line, tail;
    if (!dray_str_cut(*rest, '\n', &line, &tail))
        tail = DRAY_STR("");
    *rest = tail;
    return line;
}

/* The lines up to an empty one, which is dropped. */
static dray_str golden_block(dray_str *rest) {
    const char *from = rest->p;
    size_t n = 0;
    while (rest->n != 0 && rest->p[0] != '\n') {
        dray_str line = golden_line(rest);
        n = (size_t)(line.p + line.n - from);
    }
    if (rest->n != 0)
        golden_line(rest);
    return dray_str_n(from, n);
}

static void golden_case(dray_str *rest, golden_answer *answer, dray_buf *anew) {
    dray_str input = golden_line(rest);
    dray_buf_str_add(anew, input);
    dray_buf_putc(anew, '\n');
    if (input.n == 0 || input.p[0] == '#')
        return;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    DRAY_CLEANUP_BUF dray_buf got = DRAY_BUF_INIT;
    dray_str want = golden_block(rest);
    answer(input, arena, &got);
    if (getenv("GOLDEN_WRITE") == NULL)
        tap_check_str(dray_buf_str(&got), want, dray_str_dup(arena, input).p, __FILE__, __LINE__);
    dray_buf_str_add(anew, dray_buf_str(&got));
    dray_buf_puts(anew, "\n\n");
}

__attribute__((unused)) static void golden_replay(const char *name, golden_answer *answer) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT, anew = DRAY_BUF_INIT, path = DRAY_BUF_INIT;
    dray_buf_addf(&path, "%s/%s", DRAY_TEST_DATA, name);
    if (!CHECK(name, golden_read(dray_buf_cstr(&path), &text)))
        return;
    dray_str rest = dray_buf_str(&text);
    while (rest.n != 0)
        golden_case(&rest, answer, &anew);
    FILE *file = getenv("GOLDEN_WRITE") != NULL ? fopen(dray_buf_cstr(&path), "wb") : NULL;
    if (file == NULL)
        return;
    fwrite(anew.p, 1, anew.n, file);
    fclose(file);
}

#endif
