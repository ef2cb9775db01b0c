/* A planned program: a tree of nodes, each with the function that evaluates it. */
#ifndef DRAY_CEL_EVAL_INT_H
#define DRAY_CEL_EVAL_INT_H

#include "cel/eval.h"
#include "cel/regex.h"

enum { DRAY_CEL_MAX_ARGS = 16 }; /* of one call at run time */
enum { DRAY_CEL_LAZY = 254 };    /* the kind of a local that has not been read yet */

typedef struct dray_cel_node dray_cel_node;
typedef dray_cel_value dray_cel_node_eval(const dray_cel_node *node, dray_cel_eval *e);

typedef enum dray_cel_node_kind {
    DRAY_CEL_N_CONST,
    DRAY_CEL_N_ATTR,
    DRAY_CEL_N_CALL,
    DRAY_CEL_N_LIST,
    DRAY_CEL_N_MAP,
    DRAY_CEL_N_FOLD,
    DRAY_CEL_N_OTHER,
} dray_cel_node_kind;

struct dray_cel_node {
    dray_cel_node_eval *eval;
    uint8_t kind;
};

typedef struct dray_cel_const_node {
    dray_cel_node node;
    dray_cel_value value;
    uint64_t cost; /* of a call that was computed beforehand but is charged as if it were not */
} dray_cel_const_node;

typedef struct dray_cel_attr dray_cel_attr;

/* One step of an attribute: .name, [constant] or [expression]. */
typedef struct dray_cel_qual {
    dray_cel_value key;  /* constant, where attr == NULL */
    dray_cel_attr *attr; /* the index is computed */
    uint64_t hash;       /* of a STRING key */
    bool optional, test_only;
} dray_cel_qual;

typedef enum dray_cel_root {
    DRAY_CEL_ROOT_VARIABLE,
    DRAY_CEL_ROOT_LOCAL,
    DRAY_CEL_ROOT_NODE, /* a computed value */
    DRAY_CEL_ROOT_IF,
    DRAY_CEL_ROOT_MAYBE, /* unchecked: names that may be namespaces */
    DRAY_CEL_ROOT_UNKNOWN,
} dray_cel_root;

/* A variable or value and the steps into it. */
struct dray_cel_attr {
    dray_cel_node node;
    uint8_t root;
    bool test_only; /* has() */
    bool optional;  /* as a step: a[?x] */
    uint32_t slot;
    dray_cel_node *operand; /* NODE; IF: the condition */
    dray_cel_attr *yes, *no;
    dray_cel_qual *quals;
    uint32_t n, room;
    /* MAYBE: candidates, best first, each an attribute of its own. UNKNOWN: the names tried. */
    dray_cel_attr **maybe;
    uint32_t n_maybe;
    dray_str names;
    dray_str *candidates;
    uint32_t n_candidates;
};

typedef struct dray_cel_binary {
    dray_cel_node node;
    dray_cel_node *a, *b;
} dray_cel_binary;

/* && and || of n terms. */
typedef struct dray_cel_terms {
    dray_cel_node node;
    dray_cel_node **v;
    uint32_t n;
} dray_cel_terms;

typedef enum dray_cel_impl_flags {
    DRAY_CEL_I_ARRAY = 1, /* bound as a function of an argument array: stops at the first error */
    DRAY_CEL_I_NO_GUARD = 2,    /* arguments are not compared with the declaration */
    DRAY_CEL_I_NONSTRICT = 4,   /* gets errors too */
    DRAY_CEL_I_TRACK_FIRST = 8, /* its tracker goes before those by function name */
    DRAY_CEL_I_UNREAD = 16,     /* of a text it wants the size at most, not the bytes */
} dray_cel_impl_flags;

/* They have code of their own for ints. */
typedef enum dray_cel_operator {
    DRAY_CEL_O_NONE,
    DRAY_CEL_O_ADD,
    DRAY_CEL_O_SUBTRACT,
    DRAY_CEL_O_MULTIPLY,
    DRAY_CEL_O_LESS,
    DRAY_CEL_O_LESS_EQUAL,
    DRAY_CEL_O_GREATER,
    DRAY_CEL_O_GREATER_EQUAL
} dray_cel_operator;

/* Code for an overload id, or for all overloads of a function. */
typedef struct dray_cel_impl_row {
    const char *key;
    dray_cel_impl *impl;
    dray_cel_track *track;
    uint32_t flags;
    uint32_t mask; /* kinds that the first argument must have (1 << kind); 0: any */
} dray_cel_impl_row;
typedef struct dray_cel_impl_table {
    const dray_cel_impl_row *functions;
    size_t n_functions;
    const dray_cel_impl_row *overloads;
    size_t n_overloads;
} dray_cel_impl_table;

extern const dray_cel_impl_table dray_cel_impls_std, dray_cel_impls_convert, dray_cel_impls_time,
    dray_cel_impls_strings, dray_cel_impls_format, dray_cel_impls_lists, dray_cel_impls_optional,
    dray_cel_impls_math, dray_cel_impls_encoders, dray_cel_impls_network;

typedef struct dray_cel_bound {
    dray_cel_impl *impl;
    dray_cel_track *track; /* NULL: 1 */
    uint32_t flags, mask;
    const dray_cel_overload *overload; /* for the guards; NULL: the function's own code */
} dray_cel_bound;

struct dray_cel_runtime {
    const dray_cel_env *env;
    dray_cel_bound *overloads; /* by index */
    dray_cel_bound *functions; /* by index: singletons */
    const dray_cel_track_row *tracks;
    size_t n_tracks;
    bool spec; /* the language as its specification has it, not as Kubernetes configures cel-go */
};

/* The tracker of a function's name, and of an overload where a row names one; NULL: none. */
dray_cel_track *dray_cel_runtime_track(const dray_cel_runtime *rt, dray_str function, dray_str id);

typedef struct dray_cel_call_node {
    dray_cel_node node;
    dray_cel_impl *impl;
    dray_cel_track *track;
    dray_str function;
    uint32_t n, flags, mask;
    bool plain; /* one piece of code, without guards or a constant pattern */
    uint8_t operator;
    bool array;   /* evaluation of arguments ends with the first error */
    bool guarded; /* some parameter of `overload` must be compared at run time */
    const dray_cel_overload *overload;
    const dray_cel_function *dispatch; /* several overloads: the first that fits */
    const dray_cel_runtime *runtime;
    dray_cel_regex *regex; /* of a constant pattern */
    dray_cel_node *args[];
} dray_cel_call_node;

typedef struct dray_cel_list_node {
    dray_cel_node node;
    dray_cel_node **v;
    bool *optional; /* NULL: none is */
    uint32_t n;
} dray_cel_list_node;

typedef struct dray_cel_map_node {
    dray_cel_node node;
    dray_cel_node **keys, **values;
    bool *optional;
    dray_str *fields; /* of a struct */
    dray_str name;
    uint32_t n;
} dray_cel_map_node;

typedef struct dray_cel_fold_node {
    dray_cel_node node;
    uint32_t iter, iter2, accu; /* slots of locals; UINT32_MAX: none */
    dray_cel_node *range, *init, *cond, *step, *result;
} dray_cel_fold_node;

struct dray_cel_program {
    const dray_cel_runtime *runtime;
    dray_cel_node *root;
    uint32_t n_locals;
    dray_cel_node **inits; /* by local: how a lazy accumulator starts; NULL for others */
    dray_cel_regex **regexes;
    size_t n_regexes, room_regexes;
    bool presence_error;
    dray_cel_profile profile;
};

/* x == constant, the constant a string, bool or int. */
typedef struct dray_cel_equal_const {
    dray_cel_node node;
    dray_cel_node *a;
    dray_cel_value value;
    uint64_t size; /* of the constant */
    bool negate;
} dray_cel_equal_const;

/* all() and exists() over one variable: the loop is known, only the predicate is evaluated. */
typedef struct dray_cel_quantifier {
    dray_cel_node node;
    uint32_t iter;
    bool exists;
    bool makes; /* the predicate may make values in the arena */
    dray_cel_node *range, *predicate;
    const dray_cel_fold_node *fold; /* the same, step by step: for other ranges */
} dray_cel_quantifier;

/* A call whose arguments have been evaluated. */
dray_cel_value dray_cel_eval_called(const dray_cel_call_node *call, dray_cel_eval *e,
                                    dray_cel_value *args);

extern dray_cel_node_eval dray_cel_eval_ints, dray_cel_eval_push, dray_cel_eval_path,
    dray_cel_eval_equal_known, dray_cel_eval_quantifier;
extern dray_cel_node_eval dray_cel_eval_const, dray_cel_eval_const_cost, dray_cel_eval_attr,
    dray_cel_eval_local, dray_cel_eval_and, dray_cel_eval_or, dray_cel_eval_not,
    dray_cel_eval_equal, dray_cel_eval_not_equal, dray_cel_eval_call, dray_cel_eval_list,
    dray_cel_eval_map, dray_cel_eval_struct, dray_cel_eval_fold, dray_cel_eval_in_set,
    dray_cel_eval_opt_or, dray_cel_eval_opt_or_value;

dray_cel_value dray_cel_eval_written(dray_cel_eval *e, dray_cel_value v);
static inline bool dray_cel_is_unwritten(dray_cel_value v) {
    return __builtin_expect(v.flags & DRAY_CEL_UNWRITTEN, 0);
}

/* The value of an attribute without the charge for its root. */
dray_cel_value dray_cel_resolve(const dray_cel_attr *attr, dray_cel_eval *e);
static inline void dray_cel_charge(dray_cel_eval *e, uint64_t cost) {
    if (__builtin_expect(e->stopped, 0))
        return;
    e->cost += cost;
    if (__builtin_expect(e->cost > e->limit, 0))
        e->stopped = true;
}

/* n charges of one each. */
static inline void dray_cel_charge_units(dray_cel_eval *e, uint64_t n) {
    if (__builtin_expect(e->stopped, 0))
        return;
    e->cost += n;
    if (__builtin_expect(e->cost > e->limit, 0)) {
        e->cost = e->limit + 1;
        e->stopped = true;
    }
}

#endif
