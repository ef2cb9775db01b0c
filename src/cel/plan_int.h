/* Private to cel: the planner, in two files: plan.c (names, literals, loops), plan_call.c (calls).
 */
#ifndef DRAY_CEL_PLAN_INT_H
#define DRAY_CEL_PLAN_INT_H

#include "base/vec.h"
#include "cel/eval_int.h"

typedef struct dray_cel_plan_local {
    dray_str name;
    uint32_t slot;
    bool visible;
} dray_cel_plan_local;

typedef struct dray_cel_planner {
    const dray_cel_runtime *rt;
    const dray_cel_ast *ast;
    dray_arena *arena;
    dray_cel_program *program;
    DRAY_VEC(dray_cel_plan_local) scope;
    DRAY_VEC(dray_cel_node *) inits;
    dray_err *err;
    bool failed;
} dray_cel_planner;

#define NEW_NODE(p, type, eval, kind) \
    ((type *)dray_cel_plan_node((p), sizeof(type), (eval), (kind)))

static inline bool dray_cel_is_const(const dray_cel_node *node) {
    return node->kind == DRAY_CEL_N_CONST;
}
static inline dray_cel_value dray_cel_const_value(const dray_cel_node *node) {
    return ((const dray_cel_const_node *)node)->value;
}

static inline bool dray_cel_is_function(const dray_cel_expr *expr, const char *name) {
    return dray_str_is(expr->call.function, name);
}

/* A zeroed node of that size. */
void *dray_cel_plan_node(dray_cel_planner *p, size_t bytes, dray_cel_node_eval *eval, uint8_t kind);
dray_cel_node *dray_cel_plan(dray_cel_planner *p, const dray_cel_expr *expr);
dray_cel_node *dray_cel_plan_const(dray_cel_planner *p, dray_cel_value v);
/* The program can't be made: keeps the first text. */
dray_cel_node *dray_cel_plan_fail(dray_cel_planner *p, const char *text);
/* Computes a node without variables. An error is the program's. */
dray_cel_node *dray_cel_plan_fold_now(dray_cel_planner *p, dray_cel_node *node);
/* The node as an attribute to add steps to. */
dray_cel_attr *dray_cel_plan_attr_of(dray_cel_planner *p, dray_cel_node *node);
dray_cel_node *dray_cel_plan_index(dray_cel_planner *p, const dray_cel_expr *expr, bool optional);
dray_cel_node *dray_cel_plan_if(dray_cel_planner *p, const dray_cel_expr *expr);
dray_cel_node *dray_cel_plan_call(dray_cel_planner *p, const dray_cel_expr *expr);
/* A global call of that function with n arguments? */
bool dray_cel_plan_is_call(const dray_cel_expr *e, const char *function, uint32_t n);

#endif
