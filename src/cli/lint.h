/* `dray lint`: findings, and the checks that make them.
 *
 *     dray_lint_add(lint, &(dray_finding){.check = "cel-cost", .level = DRAY_LINT_ERROR, …});
 *
 * A group of checks is a function in cmd_lint.c's table; what it finds is named by a row of
 * lint.def, from which help and SARIF's rules are made.
 */
#ifndef DRAY_CLI_LINT_H
#define DRAY_CLI_LINT_H

#include "cli/objects.h"

#include <stdio.h>

enum { DRAY_LINT_FINDINGS = 10000 }; /* most that are kept; the others are only counted */

typedef enum dray_lint_level { DRAY_LINT_ERROR, DRAY_LINT_WARNING } dray_lint_level;

/* What a finding may be called. */
typedef struct dray_lint_rule {
    const char *name, *summary;
    dray_lint_level level;
} dray_lint_rule;
extern const dray_lint_rule dray_lint_rules[];
extern const size_t dray_lint_n_rules;

typedef struct dray_finding {
    const char *check; /* a rule's name; static */
    dray_lint_level level;
    const char *file;
    uint32_t line, column; /* 0: unknown */
    dray_str text;         /* one line */
    dray_str detail;       /* more lines; may be empty */
    dray_str corrected;    /* what to write instead; absent: no idea */
} dray_finding;

typedef struct dray_lint {
    dray_objects objects;
    dray_arena *arena; /* of findings */
    DRAY_VEC(dray_finding) findings;
    size_t n[2]; /* by level */
} dray_lint;

void dray_lint_add(dray_lint *lint, const dray_finding *finding);
/* CEL selectors of classes, claims and templates, against the devices of the input. */
void dray_lint_cel(dray_lint *lint);
/* format: "text", "json", "sarif", "github". */
void dray_lint_print(const dray_lint *lint, const char *format, FILE *out);

#endif
