/* Private to cel: the source text with its lines, and the errors found in it. */
#ifndef DRAY_CEL_SOURCE_INT_H
#define DRAY_CEL_SOURCE_INT_H

#include "base/vec.h"
#include "cel/ast.h"

#define DRAY_CEL_ERRORS 100             /* most errors that are reported */
#define DRAY_CEL_SNIPPET 16384          /* bytes of the longest source line shown under an error */
#define DRAY_CEL_EMPTY (UINT32_MAX - 1) /* the end of an empty expression: printed as 1:0 */
#define DRAY_CEL_NOWHERE UINT32_MAX     /* an error of the whole expression: printed as -1:0 */

typedef struct dray_cel_source {
    dray_str text;
    bool ascii;        /* byte offsets are code point offsets */
    uint32_t n_points; /* code points */
    uint32_t n_lines;
    const uint32_t *line_points; /* where each line starts, in code points */
    const uint32_t *line_bytes;  /* … and in bytes */
} dray_cel_source;

typedef struct dray_cel_issue {
    uint32_t offset; /* code points */
    dray_str text;
} dray_cel_issue;

typedef struct dray_cel_issues {
    dray_arena *arena;
    DRAY_VEC(dray_cel_issue) list;
    uint32_t count; /* with those past the limit */
} dray_cel_issues;

/* text is borrowed. */
void dray_cel_source_init(dray_cel_source *source, dray_arena *arena, dray_str text);

void dray_cel_issue_add(dray_cel_issues *issues, uint32_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Everything reported, in order of place, as users see it. */
void dray_cel_issues_print(dray_cel_issues *issues, const dray_cel_source *source, dray_buf *out);

#endif
