/* Showing a CEL expression: values, errors with their caret, advice, what its parts are.
 *
 *     dray_cel_show_value(&out, value);                      "580.65.6", [1, 2], {"a": true}
 *     dray_cel_show_advice(stdout, &advice);
 */
#ifndef DRAY_CLI_CEL_SHOW_H
#define DRAY_CLI_CEL_SHOW_H

#include "cel/cel.h"
#include "cel/value.h"
#include "explain/cel_advice.h"

#include <stdio.h>

enum { DRAY_CEL_SHOW_DEPTH = 16, DRAY_CEL_SHOW_ITEMS = 64 };

/* As it would be written in CEL, where that is possible; long ones are cut. */
void dray_cel_show_value(dray_buf *out, dray_cel_value value);
/* "12", "1..12", "without bound". */
dray_str dray_cel_show_range(dray_arena *arena, dray_cel_range range);
/* The notes and the corrected expression, indented; nothing when there is none. */
void dray_cel_show_advice(FILE *out, const dray_cel_advice *advice);

/* What --dump prints; each ends with an empty line. */
typedef struct dray_cel_dump {
    dray_arena *arena;
    dray_celk8s *celk8s;
    const dray_gates *gates;
    bool new_expression;
    dray_str text;
    const dray_cel_ast *ast;          /* NULL: it does not compile, only tokens can be shown */
    const dray_celk8s_device *device; /* of a trace; NULL: there is none */
    dray_str device_name;
} dray_cel_dump;
void dray_cel_dump_tokens(const dray_cel_dump *dump);
void dray_cel_dump_ast(const dray_cel_dump *dump);
void dray_cel_dump_types(const dray_cel_dump *dump);
void dray_cel_dump_cost(const dray_cel_dump *dump);
void dray_cel_dump_trace(const dray_cel_dump *dump);

#endif
