/* Private to cel: checking and validating a parsed tree. */
#ifndef DRAY_CEL_CHECK_INT_H
#define DRAY_CEL_CHECK_INT_H

#include "cel/env_int.h"
#include "cel/source_int.h"

/* Gives every node of the tree its type, resolves names and calls (in place), and adds what is
 * wrong to issues. */
void dray_cel_check(dray_cel_ast *ast, dray_arena *arena, dray_cel_issues *issues);

/* The rules that look at the checked tree: literal arguments, literals of mixed types, templates.
 */
void dray_cel_validate(const dray_cel_ast *ast, dray_cel_issues *issues);

/* The literal template of a call of format() against its arguments. */
void dray_cel_validate_format(const dray_cel_ast *ast, const dray_cel_expr *call,
                              dray_cel_issues *issues);

/* "a.b.c" when e is a chain of selections that starts at a name; false when it isn't. */
bool dray_cel_qualified_name(const dray_cel_expr *e, dray_arena *arena, dray_str *name);

#endif
