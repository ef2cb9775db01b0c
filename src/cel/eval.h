/* Evaluating compiled CEL.
 *
 *     dray_cel_runtime *runtime = dray_cel_runtime_new(arena, env, NULL, 0);
 *     dray_cel_program *program;
 *     code = dray_cel_program_new(runtime, ast, arena, &program, &err);
 *     dray_cel_eval eval = {.arena = scratch, .variables = values, .limit = 1000000};
 *     dray_cel_value v = dray_cel_run(program, &eval);        an error is a value; eval.cost
 *     dray_cel_program_done(program);
 *
 * Costs and errors are those of cel-go's interpreter with constant folding and cost tracking.
 * Thread rule: runtime and program are read-only once made; an eval has one owner.
 */
#ifndef DRAY_CEL_EVAL_H
#define DRAY_CEL_EVAL_H

#include "cel/clock.h"
#include "cel/env.h"
#include "cel/value.h"

enum { DRAY_CEL_EVAL_WORK = 50000000 };  /* values that comparisons of one evaluation may meet */
enum { DRAY_CEL_EVAL_BYTES = 64 << 20 }; /* a good limit for the arena of an evaluation */
#define DRAY_CEL_TRACK_NONE UINT64_MAX   /* a tracker that has no opinion */

/* A value that no variable has: it reads as an undeclared attribute. */
enum { DRAY_CEL_UNSET = 255 };

/* Cost of calls by the function's name (and overload id where given), before the defaults. */
typedef struct dray_cel_track_row {
    const char *function;
    const char *id; /* NULL: any overload */
    dray_cel_track *track;
} dray_cel_track_row;

typedef struct dray_cel_runtime dray_cel_runtime;
typedef struct dray_cel_program dray_cel_program;
struct dray_cel_regex;

/* The environment's functions bound to their code. Lives in arena; env and tracks must outlive it.
 */
dray_cel_runtime *dray_cel_runtime_new(dray_arena *arena, const dray_cel_env *env,
                                       const dray_cel_track_row *tracks, size_t n_tracks);

/* DRAY_E_INVALID: a constant part can't be computed (a bad pattern, int("x")); the bare text.
 * The program lives in arena and borrows from ast; _done frees what is not in the arena. */
dray_code dray_cel_program_new(const dray_cel_runtime *runtime, const dray_cel_ast *ast,
                               dray_arena *arena, dray_cel_program **ret, dray_err *err);
void dray_cel_program_done(dray_cel_program *program);

typedef struct dray_cel_eval {
    dray_arena *arena;               /* results and scratch; the caller empties it between runs */
    const dray_cel_value *variables; /* by dray_cel_variable.index */
    uint64_t limit;                  /* most cost; 0: none */
    const dray_cel_zones *zones;     /* NULL: only UTC and fixed offsets are known */
    uint64_t cost;                   /* out: what has been spent */

    /* The evaluator's own. */
    bool stopped; /* over the limit, or stop_text */
    const char *stop_text;
    uint64_t work; /* values that comparing may still look at */
    const dray_cel_program *program;
    dray_cel_profile profile;
    const struct dray_cel_node *site; /* the call under way */
    dray_cel_value *locals;
    struct dray_cel_regex *last_regex;
    dray_str last_pattern;
} dray_cel_eval;

/* The result, in eval->arena or borrowed from variables and program; an error has kind ERROR and
 * dray_cel_failure_text gives its text. */
dray_cel_value dray_cel_run(const dray_cel_program *program, dray_cel_eval *eval);

/* For functions. */
/* The compiled pattern: the call's constant one, or made now. NULL with *ret_failure. */
const struct dray_cel_regex *dray_cel_eval_regex(dray_cel_eval *eval, dray_cel_value pattern,
                                                 const char **ret_why);
/* The name of the function that the call under way was written with. */
dray_str dray_cel_eval_function(const dray_cel_eval *eval);
/* Stops everything: no operator absorbs it. text is static. */
dray_cel_value dray_cel_eval_stop(dray_cel_eval *eval, const char *text);
/* Ends the evaluation as Go's panic on a key that has no hash does. */
dray_cel_value dray_cel_eval_no_hash(dray_cel_eval *eval, dray_cel_value key);
/* ⌈factor × n⌉ in double precision, as upstream rounds. */
uint64_t dray_cel_scaled(uint64_t n, double factor);
/* == with what it takes counted against the evaluation's budget, which ends it. */
dray_cel_value dray_cel_eval_compare(dray_cel_eval *eval, dray_cel_value a, dray_cel_value b);
static inline bool dray_cel_eval_same(dray_cel_eval *eval, dray_cel_value a, dray_cel_value b) {
    return dray_cel_is_true(dray_cel_eval_compare(eval, a, b));
}
/* Charges cost now; true when that passes the limit, so that work need not begin. */
bool dray_cel_eval_over(dray_cel_eval *eval, uint64_t cost);
/* Would the arena or the cost limit not bear n more values? Then the error to return. */
/* a + b as the operator. */
dray_cel_value dray_cel_add(dray_cel_eval *eval, dray_cel_value a, dray_cel_value b);
bool dray_cel_eval_too_big(dray_cel_eval *eval, uint64_t n, dray_cel_value *ret);

#endif
