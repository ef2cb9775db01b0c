/* An environment: libraries, variables and switches, resolved once and then only read.
 *
 *     const dray_cel_library *libs[] = {&dray_cel_lib_std, &dray_cel_lib_optional};
 *     dray_cel_env *env;
 *     if (dray_cel_env_new(arena, NULL, &options, libs, 2, &env, &err) != DRAY_OK) …
 *
 * It lives in the arena it was made in. Thread rule: read-only once made, shared freely.
 */
#ifndef DRAY_CEL_ENV_H
#define DRAY_CEL_ENV_H

#include "base/map.h"
#include "cel/decl.h"

/* Which release of cel-go is followed. */
typedef enum dray_cel_profile {
    DRAY_CEL_026 = 26, /* Kubernetes 1.34 to 1.36 */
    DRAY_CEL_029 = 29, /* Kubernetes 1.37 */
} dray_cel_profile;

typedef struct dray_cel_options {
    dray_cel_profile profile;
    const char *container;    /* namespace in which names are looked up first; NULL: none */
    bool no_macros;           /* has(), all() … are ordinary calls */
    bool optional_syntax;     /* a.?b, a[?b], [?x], {?k: v} */
    bool escaped_identifiers; /* a.`b-c` */
    bool homogeneous;         /* elements of a literal must have one type */
    bool same_type_order;     /* 1 < 1.5 does not check: < <= > >= want one type of number */
    bool validators;          /* literals of duration(), timestamp(), matches(), format() */
    bool null_keeps_type;     /* [optional.of(1), null] is list(optional_type(int)), not of null */
    bool presence_has_cost;   /* has() costs 1 */
    bool presence_error;      /* has(1.x) is an error, not false: for the evaluator */
} dray_cel_options;

typedef struct dray_cel_env dray_cel_env;

#define DRAY_CEL_ENV_OVERLOADS 4096 /* most overloads of one environment */

/* parent, when not NULL, contributes everything it has (and must outlive the new one); of two
 * variables or types of one name the later counts; overloads of one function are joined, an id that
 * is there already is replaced. DRAY_E_INVALID: a signature or type that can't be read, named in
 * the text. DRAY_E_LIMIT: too many overloads. */
dray_code dray_cel_env_new(dray_arena *arena, const dray_cel_env *parent,
                           const dray_cel_options *options,
                           const dray_cel_library *const *libraries, size_t n_libraries,
                           dray_cel_env **env, dray_err *err);

const dray_cel_options *dray_cel_env_options(const dray_cel_env *env);
uint32_t dray_cel_env_macros(const dray_cel_env *env);

/* By full name; NULL: not declared. */
const dray_cel_function *dray_cel_env_function(const dray_cel_env *env, dray_str name);
const dray_cel_variable *dray_cel_env_variable(const dray_cel_env *env, dray_str name);
const dray_cel_overload *dray_cel_env_overload(const dray_cel_env *env, dray_str id);
/* How many variables (with type names), overloads and functions: one past the largest index. */
uint32_t dray_cel_env_n_variables(const dray_cel_env *env);
uint32_t dray_cel_env_n_overloads(const dray_cel_env *env);
uint32_t dray_cel_env_n_functions(const dray_cel_env *env);
/* Any one of them: index < n_functions. */
const dray_cel_function *dray_cel_env_function_at(const dray_cel_env *env, uint32_t index);

/* Is `name` the name of a struct type (with fields or not)? */
bool dray_cel_env_has_struct(const dray_cel_env *env, dray_str name);
/* NULL: the struct type is unknown or has no such field. */
const dray_cel_field *dray_cel_env_field(const dray_cel_env *env, dray_str type, dray_str field);

/* The names to try for `name` in the container, best first, in the order a.b.name, a.name, name;
 * a leading dot leaves just the rest. Returns how many; at most DRAY_CEL_CANDIDATES. */
#define DRAY_CEL_CANDIDATES 16
size_t dray_cel_env_candidates(const dray_cel_env *env, dray_arena *arena, dray_str name,
                               dray_str out[DRAY_CEL_CANDIDATES]);

#endif
