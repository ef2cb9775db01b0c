/* Compiling CEL: text to a checked tree, or the error text that the reference implementation
 * prints.
 *
 *     dray_cel_ast *ast;
 *     if (dray_cel_compile(env, text, 0, arena, &ast, &err) != DRAY_OK)
 *         … dray_err_text(&err) is "ERROR: <input>:1:5: undeclared reference to 'x' …"
 *     ast->root->type                           the result's type
 *     dray_cel_range cost = dray_cel_estimate(ast, arena);
 *
 * The tree lives in `arena`, which should be bounded; scratch is taken from it as well. Evaluation
 * is in eval.h. Thread rule: pure; an arena has one owner.
 */
#ifndef DRAY_CEL_CEL_H
#define DRAY_CEL_CEL_H

#include "cel/env.h"

/* From the least to the most, of cost units or of sizes; UINT64_MAX means without bound. */
typedef struct dray_cel_range {
    uint64_t min, max;
} dray_cel_range;

typedef enum dray_cel_compile_flags {
    DRAY_CEL_PARSE_ONLY = 1, /* no types: every name and call is resolved when it is evaluated */
} dray_cel_compile_flags;

/* DRAY_E_INVALID: the expression has errors; err holds all their texts, one after another, each
 * with its source line and a caret. DRAY_E_LIMIT: too long, too many nodes, or arena spent; the
 * text has the same form. The text given is copied into the arena. */
dray_code dray_cel_compile(const dray_cel_env *env, dray_str text, uint32_t flags,
                           dray_arena *arena, dray_cel_ast **ast, dray_err *err);

/* What evaluating a checked tree can cost, by the environment's profile. Scratch from arena. */
dray_cel_range dray_cel_estimate(const dray_cel_ast *ast, dray_arena *arena);

/* The same for each node with what is below it, by id (n_ids + 1 of them), in arena. */
const dray_cel_range *dray_cel_estimate_nodes(const dray_cel_ast *ast, dray_arena *arena);

/* One token: its kind ("identifier", "string", "&&"), its text, where it starts (from 1, columns in
 * code points). What is no token at all is left out: compiling tells about it. */
typedef struct dray_cel_token_text {
    const char *kind;
    dray_str text;
    uint32_t line, column;
} dray_cel_token_text;
/* In arena; text is borrowed. *ret_n how many. */
const dray_cel_token_text *dray_cel_token_texts(dray_str text, dray_arena *arena, size_t *ret_n);

/* The expression as text again, macros as they were written. */
void dray_cel_print(dray_buf *out, const dray_cel_ast *ast);

#endif
