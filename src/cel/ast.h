/* The tree of a CEL expression: what the parser makes, the checker completes, the planner reads.
 *
 *     switch (e->kind) {
 *     case DRAY_CEL_CALL: for (i = 0; i < e->call.n_args; i++) visit(e->call.args[i]); …
 *
 * Everything lives in the arena that was given to the compiler; strings point into that arena or
 * into static text. Node ids are dense: 1 … ast->n_ids, so a side table is an array. No node has
 * two parents. Depth is at most a small multiple of DRAY_CEL_DEPTH, so recursion over a tree is
 * bounded by DRAY_CEL_TREE_DEPTH. Thread rule: read-only after compiling.
 */
#ifndef DRAY_CEL_AST_H
#define DRAY_CEL_AST_H

#include "cel/type.h"

struct dray_cel_overload;
struct dray_cel_variable;
struct dray_cel_env;

#define DRAY_CEL_DEPTH 250            /* nesting that the grammar accepts */
#define DRAY_CEL_TREE_DEPTH 8192      /* deepest tree after macros are expanded */
#define DRAY_CEL_SOURCE_LIMIT 100000  /* code points of an expression */
#define DRAY_CEL_SOURCE_BYTES 1000000 /* longer text is refused unread */
#define DRAY_CEL_NODES 1000000        /* most nodes of one tree */
/* Nodes that macros may copy, as optMap() copies its target; half the text's code points if those
 * are more. */
#define DRAY_CEL_COPIES 5000

typedef enum dray_cel_expr_kind {
    DRAY_CEL_LITERAL = 1,
    DRAY_CEL_IDENT,
    DRAY_CEL_SELECT,
    DRAY_CEL_CALL,
    DRAY_CEL_LIST_EXPR,
    DRAY_CEL_MAP_EXPR,
    DRAY_CEL_STRUCT_EXPR,
    DRAY_CEL_FOLD, /* a comprehension; cel.bind is one with an empty range */
} dray_cel_expr_kind;

/* A literal value. kind: NULL, BOOL, INT, UINT, DOUBLE, STRING or BYTES. */
typedef struct dray_cel_const {
    uint8_t kind; /* dray_cel_kind */
    union {
        bool b;
        int64_t i;
        uint64_t u;
        double d;
        dray_str s;
    };
} dray_cel_const;

typedef struct dray_cel_expr dray_cel_expr;

typedef struct dray_cel_entry {
    uint32_t id;
    bool optional;
    dray_cel_expr *key; /* of a map; NULL in a struct */
    dray_str field;     /* of a struct */
    dray_cel_expr *value;
} dray_cel_entry;

struct dray_cel_expr {
    uint8_t kind;              /* dray_cel_expr_kind */
    uint16_t depth;            /* of the tree below, itself included; ≤ DRAY_CEL_TREE_DEPTH */
    uint32_t id;               /* 1 … ast->n_ids */
    const dray_cel_type *type; /* after checking; NULL before. Free variables have become dyn */
    union {
        dray_cel_const literal;
        struct {
            dray_str name; /* resolved: fully qualified, without a leading dot */
            bool global;   /* it was written with a leading dot: no local variable is meant */
            /* After checking: the environment's variable or type name, NULL for a local one. */
            const struct dray_cel_variable *variable;
        } ident;
        struct {
            dray_cel_expr *operand;
            dray_str field;
            bool test_only; /* has(operand.field) */
        } select;
        struct {
            dray_str function; /* "_+_", "size", "optional.of"; "_?._" and "_[?_]" are calls too */
            dray_cel_expr *target; /* NULL when global */
            dray_cel_expr **args;
            uint32_t n_args;
            uint32_t n_overloads; /* after checking: those that the argument types admit */
            const struct dray_cel_overload *const *overloads;
        } call;
        struct {
            dray_cel_expr **items;
            uint32_t n;
            uint32_t n_optional;
            const uint32_t *optional; /* indices of items written with a '?' */
        } list;
        struct {
            dray_str name;           /* of a struct; empty for a map */
            dray_cel_entry *entries; /* both DRAY_CEL_MAP_EXPR and DRAY_CEL_STRUCT_EXPR */
            uint32_t n;
        } map;
        struct dray_cel_fold {
            dray_str iter;  /* element of a list, key of a map; with iter2: index or key */
            dray_str iter2; /* element or value; empty with one variable */
            dray_str accu;
            dray_cel_expr *range, *init, *cond, *step, *result;
        } *fold;
    };
};

/* What was written where a macro was expanded: for printing only. */
typedef struct dray_cel_macro_call {
    uint32_t id; /* of the node that the macro became */
    const dray_cel_expr
        *call; /* a call node (or DRAY_CEL_CALL inside it already expanded, by id) */
} dray_cel_macro_call;

typedef struct dray_cel_ast {
    dray_cel_expr *root;
    const struct dray_cel_env *env; /* that it was compiled for; must outlive the tree */
    dray_str text;                  /* the source */
    uint32_t n_ids;
    uint32_t n_macro_calls;
    const uint32_t *offsets; /* by id: place in code points from the start; UINT32_MAX: none */
    const dray_cel_macro_call *macro_calls; /* in order of id */
    bool checked;
} dray_cel_ast;

#endif
