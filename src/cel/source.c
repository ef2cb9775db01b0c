/* The source text with its lines, and the printing of errors with a caret under their place. */
#include "cel/source_int.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct place {
    int64_t line;   /* from 1 */
    int64_t column; /* from 0 */
} place;

static place place_of(const dray_cel_source *source, uint32_t offset) {
    if (offset == DRAY_CEL_NOWHERE)
        return (place){-1, -1};
    if (offset == DRAY_CEL_EMPTY)
        return (place){1, -1};
    uint32_t low = 0, high = source->n_lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_points[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (place){low + 1, offset - source->line_points[low]};
}

static dray_str line_text(const dray_cel_source *source, int64_t line) {
    if (line < 1)
        return DRAY_STR_NONE;
    size_t from = source->line_bytes[line - 1];
    size_t to = line < source->n_lines ? source->line_bytes[line] - 1 : source->text.n;
    return dray_str_slice(source->text, from, to);
}

static void print_snippet(dray_buf *out, dray_str line, int64_t column) {
    dray_buf_puts(out, "\n | ");
    for (size_t i = 0; i < line.n; i++)
        dray_buf_putc(out, (char)(line.p[i] == '\t' || line.p[i] == '\0' ? ' ' : line.p[i]));
    dray_buf_puts(out, "\n | ");
    size_t at = 0;
    for (int64_t i = 0; i < column && at < line.n; i++) {
        size_t before = at;
        dray_utf8_next(line, &at);
        dray_buf_puts(out, at - before > 1 ? "\uff0e" : ".");
    }
    size_t before = at;
    if (at < line.n)
        dray_utf8_next(line, &at);
    dray_buf_puts(out, at - before > 1 ? "\uff3e" : "^");
}

static int by_place(const void *a, const void *b, void *context) {
    (void)context;
    /* "Nowhere" stands before the first line. */
    uint32_t left = ((const dray_cel_issue *)a)->offset + 1;
    uint32_t right = ((const dray_cel_issue *)b)->offset + 1;
    return left < right ? -1 : left > right;
}

void dray_cel_source_init(dray_cel_source *source, dray_arena *arena, dray_str text) {
    DRAY_VEC(uint32_t) points = {0}, bytes = {0};
    DRAY_PUSH(arena, &points, 0);
    DRAY_PUSH(arena, &bytes, 0);
    uint32_t point = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c & 0xC0) == 0x80)
            continue;
        point++;
        if (c != '\n')
            continue;
        DRAY_PUSH(arena, &points, point);
        DRAY_PUSH(arena, &bytes, (uint32_t)i + 1);
    }
    *source = (dray_cel_source){.text = text,
                                .ascii = point == text.n,
                                .n_points = point,
                                .n_lines = (uint32_t)points.n,
                                .line_points = points.v,
                                .line_bytes = bytes.v};
}

void dray_cel_issue_add(dray_cel_issues *issues, uint32_t offset, const char *format, ...) {
    if (++issues->count > DRAY_CEL_ERRORS)
        return;
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int n = vasprintf(&text, format, args);
    va_end(args);
    dray_cel_issue issue = {.offset = offset};
    if (n >= 0)
        issue.text = dray_str_dup(issues->arena, dray_str_n(text, (size_t)n));
    if (n >= 0)
        free(text);
    DRAY_PUSH(issues->arena, &issues->list, issue);
}

void dray_cel_issues_print(dray_cel_issues *issues, const dray_cel_source *source, dray_buf *out) {
    dray_sort(issues->list.v, issues->list.n, sizeof *issues->list.v, by_place, NULL);
    for (size_t i = 0; i < issues->list.n; i++) {
        const dray_cel_issue *issue = &issues->list.v[i];
        place at = place_of(source, issue->offset);
        dray_buf_addf(out, "%sERROR: <input>:%lld:%lld: ", i == 0 ? "" : "\n", (long long)at.line,
                      (long long)at.column + 1);
        dray_buf_str_add(out, issue->text);
        dray_str line = line_text(source, at.line);
        if (at.line >= 1 && source->text.n != 0 && line.n <= DRAY_CEL_SNIPPET)
            print_snippet(out, line, at.column);
    }
    if (issues->count > DRAY_CEL_ERRORS)
        dray_buf_addf(out, "\n%u more errors were truncated", issues->count - DRAY_CEL_ERRORS);
}
