/* Private to cel: what an environment holds. */
#ifndef DRAY_CEL_ENV_INT_H
#define DRAY_CEL_ENV_INT_H

#include "base/vec.h"
#include "cel/env.h"

typedef struct dray_cel_struct {
    dray_str name;
    bool opaque;
    const dray_cel_field *fields;
    size_t n_fields;
} dray_cel_struct;

typedef struct dray_cel_rule_set {
    const struct dray_cel_cost_rule *rules;
    size_t n;
} dray_cel_rule_set;

struct dray_cel_env {
    dray_cel_options options;
    dray_str container;
    uint32_t macros;
    bool validate_format;
    bool some_always_ok; /* some literal rule holds without validators */
    dray_map functions;  /* name → dray_cel_function */
    dray_map overloads;  /* id → dray_cel_overload */
    dray_map variables;  /* name → dray_cel_variable */
    dray_map types;      /* name → dray_cel_struct */
    dray_map dotted;     /* first parts of dotted variables' and functions' names */
    DRAY_VEC(dray_cel_rule_set) rule_sets;
    uint32_t n_functions, n_overloads, n_variables;
};

#endif
