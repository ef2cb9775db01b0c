/* Rules for what a call can cost and how large its result can be, before anything is known of its
 * arguments but their types and bounds.
 *
 *     static const dray_cel_cost_rule rules[] = {
 *         {.name = "quantity", .estimate = parse_first_argument},
 *         {.name = "string_contains", .estimate = product_of_sizes},
 *     };
 *
 * A library hands in its rules; the last one that names an overload's id, else its function,
 * counts; without a rule a call costs 1. The numbers are part of the API: they decide whether an
 * expression is accepted.
 */
#ifndef DRAY_CEL_ESTIMATE_H
#define DRAY_CEL_ESTIMATE_H

#include "cel/cel.h"

/* An operand: the target or an argument. */
typedef struct dray_cel_operand {
    const dray_cel_expr *e;
    const dray_cel_type *type;
    bool has_size;
    dray_cel_range size;           /* {0, UINT64_MAX} unless has_size */
    const dray_cel_bounds *bounds; /* of the variable it is part of; NULL: unknown */
} dray_cel_operand;

typedef struct dray_cel_cost_call {
    dray_cel_profile profile;
    const dray_cel_overload *overload;
    const dray_cel_operand *target; /* NULL when there is none */
    const dray_cel_operand *args;
    uint32_t n_args;
} dray_cel_cost_call;

typedef struct dray_cel_call_cost {
    dray_cel_range cost; /* without that of the operands */
    bool has_size;
    dray_cel_range size; /* of the result */
} dray_cel_call_cost;

/* False: the rule has nothing to say, the call costs what it would without it. */
typedef bool dray_cel_estimator(const dray_cel_cost_call *call, dray_cel_call_cost *out);

typedef struct dray_cel_cost_rule {
    const char *name; /* an overload's id or a function's name */
    dray_cel_estimator *estimate;
} dray_cel_cost_rule;

/* Saturating arithmetic on ranges. */
dray_cel_range dray_cel_range_add(dray_cel_range a, dray_cel_range b);
dray_cel_range dray_cel_range_mul(dray_cel_range a, dray_cel_range b);
dray_cel_range dray_cel_range_union(dray_cel_range a, dray_cel_range b);
/* Each end times factor, rounded up. */
dray_cel_range dray_cel_range_scale(dray_cel_range a, double factor);

/* The bounds of a list's elements or a map's values, of a map's keys, of a member; NULL: unknown.
 */
const dray_cel_bounds *dray_cel_bounds_values(const dray_cel_bounds *bounds);
const dray_cel_bounds *dray_cel_bounds_keys(const dray_cel_bounds *bounds);
const dray_cel_bounds *dray_cel_bounds_field(const dray_cel_bounds *bounds, dray_str name);
/* {0, max}, or {0, UINT64_MAX} where nothing is known. */
dray_cel_range dray_cel_bounds_size(const dray_cel_bounds *bounds);

#define DRAY_CEL_COST_STRING 0.1 /* for each code point or byte that is walked over */
#define DRAY_CEL_COST_REGEX 0.25 /* for each code point of a pattern */

#endif
