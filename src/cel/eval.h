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
#include "cel/list.h"

/* What one evaluation may do that costs nothing by cel-go's account: values compared and walked
 * over, texts by 64 bytes, and so on; each takes some nanoseconds. */
enum { DRAY_CEL_EVAL_WORK = 250000 };
enum { DRAY_CEL_EVAL_BYTES = 12 << 20 };      /* the limit of dray_cel_scratch_new */
#define DRAY_CEL_TRACK_NONE UINT64_MAX        /* a tracker that has no opinion */
#define DRAY_CEL_TRACK_LATER (UINT64_MAX - 2) /* a tracker that needs the result */

enum { DRAY_CEL_LIST_COST = 10 }; /* of a list literal */

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
    bool stopped;   /* over the limit, or stop_text */
    bool unwritten; /* there are texts that have not been written */
    uint32_t
        first_kept; /* the first local that a turn of a loop has set; 0: something else stays */
    const char *stop_text;
    uint64_t work;                /* how much of DRAY_CEL_EVAL_WORK is left */
    struct dray_cel_sizes *sizes; /* of long texts that are not ASCII; NULL: of none yet */
    const dray_cel_program *program;
    dray_cel_profile profile;
    const struct dray_cel_node *site; /* the call under way */
    dray_cel_value *locals;
    struct dray_cel_regex *last_regex;
    dray_str last_pattern;
} dray_cel_eval;

/* An arena for evaluations: with a limit, and keeping its memory from one to the next. */
dray_arena *dray_cel_scratch_new(void);

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
/* dray_cel_size_of, where the size of a long text is asked for again and again. */
uint64_t dray_cel_eval_count(dray_cel_eval *eval, dray_cel_value text);
static inline uint64_t dray_cel_eval_size(dray_cel_eval *eval, dray_cel_value v) {
    enum { LONG = 64 };
    if (v.kind == DRAY_CEL_STRING && v.flags == 0 && v.n > LONG)
        return dray_cel_eval_count(eval, v);
    return dray_cel_size_of(v);
}
/* Does the list have a value that is == v? Counted likewise. */
bool dray_cel_eval_holds(dray_cel_eval *eval, const dray_cel_list *list, dray_cel_value v);
/* Takes n from what work is left; false when that is not enough, and the evaluation has ended. */
bool dray_cel_eval_tired(dray_cel_eval *eval);
static inline bool dray_cel_eval_work(dray_cel_eval *eval, uint64_t n) {
    if (__builtin_expect(n > eval->work, 0))
        return dray_cel_eval_tired(eval);
    eval->work -= n;
    return true;
}
/* Would cost pass the limit? Then it is charged, and the evaluation has ended: work that costs so
 * much need not begin. */
bool dray_cel_eval_over(dray_cel_eval *eval, uint64_t cost);
/* Has the arena room for so many bytes? The evaluation has ended where it has not. */
bool dray_cel_eval_fits(dray_cel_eval *eval, uint64_t bytes);
/* Would this call cost too much with such a result? Then the evaluation has ended. */
bool dray_cel_eval_result_over(dray_cel_eval *eval, const dray_cel_value *args, uint32_t n,
                               dray_cel_value result);
/* Ends the evaluation for want of memory. */
dray_cel_value dray_cel_eval_full(dray_cel_eval *eval);
/* a + b as the operator. */
dray_cel_value dray_cel_add(dray_cel_eval *eval, dray_cel_value a, dray_cel_value b);

#endif
