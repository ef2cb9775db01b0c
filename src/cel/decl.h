/* Declarations: what a library offers, as rows; an environment resolves them into functions.
 *
 *     static const dray_cel_row rows[] = {
 *         {"size", "size_string", "(string) -> int", dray_cel_size_string},
 *         {"size", "string_size", "string.() -> int", dray_cel_size_string},
 *         {"_[_]", "index_list", "(list(A), int) -> A", dray_cel_index_list},
 *         {"optional.of", "optional_of", "(A) -> optional_type(A)", dray_cel_optional_of},
 *     };
 *     const dray_cel_library dray_cel_lib_std = {.name = "std", .rows = rows, .n_rows = …};
 *
 * A signature is "(PARAMS) -> RESULT", or "TARGET.(PARAMS) -> RESULT" for the receiver style; types
 * are spelt as in type.h, a single capital letter is a type parameter. Rows are static; rows of one
 * function may stand in several libraries. What an overload costs by estimate is no member of the
 * row: estimate.h maps overload ids and function names to rules.
 */
#ifndef DRAY_CEL_DECL_H
#define DRAY_CEL_DECL_H

#include "cel/ast.h"

struct dray_cel_value;     /* value.h */
struct dray_cel_eval;      /* eval.h: one evaluation: arena, cost, limits */
struct dray_cel_cost_rule; /* estimate.h */

/* Computes a call. args holds the target first, if any. Errors are values. */
typedef struct dray_cel_value dray_cel_impl(struct dray_cel_eval *eval,
                                            const struct dray_cel_value *args, uint32_t n);
/* What the call costs beyond its arguments, by its real sizes. It is asked before the call, with
 * result NULL; when it says DRAY_CEL_TRACK_LATER, after it, with the result. */
typedef uint64_t dray_cel_track(struct dray_cel_eval *eval, const struct dray_cel_value *args,
                                uint32_t n, const struct dray_cel_value *result);
/* Whether a literal first argument can be accepted at all: "1h" of duration(), a pattern of
 * matches(). False makes the compile error "invalid FUNCTION argument". */
typedef bool dray_cel_literal_ok(const dray_cel_const *literal);

typedef struct dray_cel_row {
    const char *function;
    const char *id;        /* unique: "add_int64" */
    const char *signature; /* "(int, int) -> int" */
    dray_cel_impl *impl;   /* NULL: the evaluator knows it itself (&&, ?:, @in…) or it fails */
    dray_cel_track *track; /* NULL: costs 1 */
    dray_cel_literal_ok *literal_ok; /* NULL: not looked at */
    uint32_t flags;                  /* the evaluator's own use */
} dray_cel_row;

/* How large a value of a variable can be, as a tree over its type. */
typedef struct dray_cel_bounds {
    uint64_t max; /* most elements, code points, bytes; 0 also where nothing was declared */
    const struct dray_cel_bounds *keys;   /* of a map; NULL: unknown */
    const struct dray_cel_bounds *values; /* of a list or map; NULL: unknown */
    bool select_values;                   /* a map on which .name leads to `values` as well */
    const struct dray_cel_bounds_field {
        const char *name;
        const struct dray_cel_bounds *bounds;
    } *fields;
    size_t n_fields;
} dray_cel_bounds;

typedef struct dray_cel_variable_row {
    const char *name;              /* may be dotted: "google.protobuf.Timestamp" */
    const char *type;              /* "type(int)" declares a type's name */
    const dray_cel_bounds *bounds; /* NULL: nothing known */
} dray_cel_variable_row;

/* A type that select, struct literals or type() may meet. */
typedef struct dray_cel_type_row {
    const char *name;
    bool opaque; /* not a struct: has no fields at all */
    const struct dray_cel_field_row {
        const char *name;
        const char *type;
    } *fields;
    size_t n_fields;
} dray_cel_type_row;

typedef enum dray_cel_macros {
    DRAY_CEL_MACROS_STD = 1,      /* has all exists exists_one map filter */
    DRAY_CEL_MACROS_OPTIONAL = 2, /* optMap optFlatMap */
    DRAY_CEL_MACROS_BIND = 4,     /* cel.bind */
    DRAY_CEL_MACROS_TWO_VAR = 8,  /* two-variable all … transformMapEntry */
    DRAY_CEL_MACROS_SORT_BY = 16, /* sortBy */
    DRAY_CEL_MACROS_MATH = 32,    /* math.greatest math.least */
} dray_cel_macros;

typedef struct dray_cel_library {
    const char *name;
    const dray_cel_row *rows;
    size_t n_rows;
    const dray_cel_variable_row *variables;
    size_t n_variables;
    const dray_cel_type_row *types;
    size_t n_types;
    const struct dray_cel_cost_rule *cost_rules; /* estimate.h; later libraries win */
    size_t n_cost_rules;
    uint32_t macros;      /* dray_cel_macros */
    bool validate_format; /* literal templates of string.format() are compared with the arguments */
    bool always_ok;       /* literal_ok holds here even in environments without validators */
} dray_cel_library;

/* Resolved, in the environment's arena. */
typedef struct dray_cel_overload {
    const dray_cel_row *row;
    dray_str id;
    const dray_cel_type *const *params; /* the target first when `receiver` */
    const dray_cel_type *result;
    uint8_t n_params;
    bool receiver;
    bool always_ok; /* its row's literal_ok holds without validators, too */
    bool across;    /* orders an int, uint or double against another of them */
    bool generic;   /* mentions type parameters */
    uint8_t n_vars; /* how many different ones; their .var are 1 … n_vars */
    uint32_t index; /* dense over the environment */
    const struct dray_cel_function *function;
    const struct dray_cel_cost_rule *cost_rule; /* of a library; NULL: none */
    const struct dray_cel_cost_rule *base_rule; /* of the language; NULL: costs 1 */
} dray_cel_overload;

typedef struct dray_cel_function {
    dray_str name;
    const dray_cel_overload *overloads; /* in order of declaration */
    uint32_t n_overloads;
    uint32_t index; /* dense over the environment */
} dray_cel_function;

typedef struct dray_cel_variable {
    dray_str name;
    const dray_cel_type *type;
    const dray_cel_bounds *bounds;
    uint32_t index; /* dense over the environment, type names included: a slot of an activation */
} dray_cel_variable;

typedef struct dray_cel_field {
    dray_str name;
    const dray_cel_type *type;
} dray_cel_field;

#endif
