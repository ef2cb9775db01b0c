/* `dray debug KIND`: one JSON object a line in, one out. A kind is one row and one file,
 * debug_KIND.c. The lines are told in the manual page and in docs/debug.md.
 */
#ifndef DRAY_CLI_DEBUG_H
#define DRAY_CLI_DEBUG_H

#include "api/types.h"
#include "data/tree.h"
#include "obj/gates.h"

/* Lives as long as one line: what a kind needs to answer it. */
typedef struct dray_debug_line {
    dray_arena *arena;   /* emptied after the line */
    const dray_node *in; /* a MAP */
    dray_buf *out;       /* members go here, each preceded by a comma: ,"key":value */
} dray_debug_line;

typedef struct dray_debug_kind {
    const char *name;
    const char *summary;
    /* Called once before the first line and after the last; may be NULL. */
    void *(*start)(void);
    void (*stop)(void *state);
    /* Adds the answer's members after `"id":…`, which is written already. */
    void (*answer)(void *state, dray_debug_line *line);
} dray_debug_kind;

extern const dray_debug_kind dray_debug_alloc, dray_debug_cel, dray_debug_convert,
    dray_debug_decode, dray_debug_explain, dray_debug_plan, dray_debug_plan_run, dray_debug_proto,
    dray_debug_quantity, dray_debug_semver;

/* Reads fd in until its end. Exit status of the command. */
int dray_debug_main(int argc, char **argv);

/* Helpers for the kinds. */
/* ,"key": */
void dray_debug_key(dray_debug_line *line, const char *key);
/* ,"key":"text", or null where text is absent (p == NULL) */
void dray_debug_string(dray_debug_line *line, const char *key, dray_str text);
void dray_debug_bool(dray_debug_line *line, const char *key, bool value);
/* ,"error":"text" */
void dray_debug_error(dray_debug_line *line, const char *text);
/* The gates that "version" and "gates" of the line ask for. */
dray_code dray_debug_gates(const dray_debug_line *line, dray_gates *ret, dray_err *err);
/* The member `objects`, decoded, defaulted, of the hub's versions, with uids and namespaces.
 * Strings borrow from the line. */
dray_code dray_debug_objects(const dray_debug_line *line, const dray_gates *gates,
                             dray_object **ret, size_t *ret_n, dray_err *err);
dray_time dray_debug_now(void);
/* A member that is a string, a bool, a number; the fallback when it is absent. */
dray_str dray_debug_get_string(const dray_debug_line *line, const char *key);
bool dray_debug_get_bool(const dray_debug_line *line, const char *key, bool fallback);
int64_t dray_debug_get_int(const dray_debug_line *line, const char *key, int64_t fallback);

#endif
