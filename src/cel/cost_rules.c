/* Cost rules of the standard library, of sets and of lists. */
#include "cel/cost_rules.h"

#include "base/vec.h"
#include "cel/cost_int.h"

#define FIXED(n) ((dray_cel_range){(n), (n)})

static bool scan(dray_cel_range size, double factor, dray_cel_call_cost *out) {
    out->cost = dray_cel_range_scale(size, factor);
    return true;
}

static bool scan_target(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->target != NULL && scan(call->target->size, DRAY_CEL_COST_STRING, out);
}

static bool scan_argument(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->n_args == 1 && scan(call->args[0].size, DRAY_CEL_COST_STRING, out);
}

static bool string_to_bytes(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (!scan_argument(call, out))
        return false;
    out->has_size = true;
    /* Wraps around as upstream's does. */
    out->size = (dray_cel_range){call->args[0].size.min, call->args[0].size.max * 4};
    return true;
}

static bool bytes_to_string(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (!scan_argument(call, out))
        return false;
    out->has_size = true;
    out->size = (dray_cel_range){call->args[0].size.min / 4, call->args[0].size.max};
    return true;
}

static bool quote(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (!scan_argument(call, out))
        return false;
    out->has_size = true;
    out->size = (dray_cel_range){call->args[0].size.min + 2, call->args[0].size.max * 2 + 2};
    return true;
}

static bool in_list(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->n_args == 2 && scan(call->args[1].size, 1, out);
}

static bool matches(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->n_args + (call->target != NULL) != 2)
        return false;
    dray_cel_range text = call->target != NULL ? call->target->size : call->args[0].size;
    dray_cel_range pattern = call->args[call->n_args - 1].size;
    text = dray_cel_range_scale(dray_cel_range_add(text, FIXED(1)), DRAY_CEL_COST_STRING);
    pattern = dray_cel_range_scale(pattern, DRAY_CEL_COST_REGEX);
    out->cost = dray_cel_range_mul(text, pattern);
    return true;
}

/* Up to 0.26 only the receiver style had a rule. */
static bool global_matches(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->profile >= DRAY_CEL_029 && matches(call, out);
}

static bool contains(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL || call->n_args != 1)
        return false;
    out->cost = dray_cel_range_mul(dray_cel_range_scale(call->target->size, DRAY_CEL_COST_STRING),
                                   dray_cel_range_scale(call->args[0].size, DRAY_CEL_COST_STRING));
    return true;
}

static bool concat(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->n_args != 2)
        return false;
    out->has_size = true;
    out->size = dray_cel_range_add(call->args[0].size, call->args[1].size);
    return scan(out->size, DRAY_CEL_COST_STRING, out);
}

static bool concat_list(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (!concat(call, out))
        return false;
    out->cost = FIXED(1);
    return true;
}

/* As much as the shorter side can be. */
static bool compare(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->n_args != 2)
        return false;
    uint64_t left = call->args[0].size.max, right = call->args[1].size.max;
    uint64_t most = left < right ? left : right;
    return scan((dray_cel_range){most > 0, most}, DRAY_CEL_COST_STRING, out);
}

static const dray_cel_cost_rule base_rules[] = {
    {"string_format", scan_target},
    {"string_to_bytes", string_to_bytes},
    {"bytes_to_string", bytes_to_string},
    {"strings_quote", quote},
    {"starts_with_string", scan_argument},
    {"ends_with_string", scan_argument},
    {"in_list", in_list},
    {"matches", global_matches},
    {"matches_string", matches},
    {"contains_string", contains},
    {"add_string", concat},
    {"add_bytes", concat},
    {"add_list", concat_list},
    {"less_string", compare},
    {"greater_string", compare},
    {"less_equals_string", compare},
    {"greater_equals_string", compare},
    {"less_bytes", compare},
    {"greater_bytes", compare},
    {"less_equals_bytes", compare},
    {"greater_equals_bytes", compare},
    {"equals", compare},
    {"not_equals", compare},
};

/* Lists and sets. */

/* A call that makes a list of `size` after looking factor times at each of its elements. */
static bool make_list(dray_cel_range size, double factor, dray_cel_call_cost *out) {
    out->has_size = true;
    out->size = size;
    out->cost = dray_cel_range_add(dray_cel_range_scale(size, factor), FIXED(11));
    return true;
}

/* The value of an int literal, negative ones as 0; `otherwise` for any other expression. */
static uint64_t literal_or(const dray_cel_operand *operand, uint64_t otherwise) {
    if (operand->e->kind != DRAY_CEL_LITERAL || operand->e->literal.kind != DRAY_CEL_INT)
        return otherwise;
    return operand->e->literal.i < 0 ? 0 : (uint64_t)operand->e->literal.i;
}

static bool slice(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL || call->n_args != 2)
        return false;
    uint64_t start = literal_or(&call->args[0], 0);
    uint64_t end = literal_or(&call->args[1], call->target->size.max);
    return make_list(FIXED(end - start), 1, out);
}

static bool range(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->n_args == 1 && make_list(FIXED(literal_or(&call->args[0], UINT64_MAX)), 1, out);
}

static bool reverse(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->target != NULL && make_list(call->target->size, 1, out);
}

static bool flatten(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL)
        return false;
    uint64_t depth = call->n_args == 0 ? 1 : literal_or(&call->args[0], UINT64_MAX);
    return make_list(call->target->size, (double)depth, out);
}

static bool square(dray_cel_range size, double factor, dray_cel_call_cost *out) {
    return make_list(dray_cel_range_mul(size, size), factor, out);
}

static bool distinct(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->target != NULL && square(call->target->size, 2, out);
}

/* Sorts by the list in parameter i. */
static bool sort_by(const dray_cel_cost_call *call, size_t i, dray_cel_range size,
                    dray_cel_call_cost *out) {
    const dray_cel_type *list = call->overload->params[i];
    const dray_cel_type *element = list->n_params != 0 ? list->params[0] : list;
    bool text = element->kind == DRAY_CEL_STRING || element->kind == DRAY_CEL_BYTES;
    return square(size, text ? 2 + DRAY_CEL_COST_STRING : 2, out);
}

static bool sort(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->target != NULL && call->n_args == 0 && sort_by(call, 0, call->target->size, out);
}

static bool sort_by_keys(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->target != NULL && call->n_args == 1 && sort_by(call, 1, call->args[0].size, out);
}

static bool compare_sets(const dray_cel_cost_call *call, double factor, dray_cel_call_cost *out) {
    if (call->n_args != 2)
        return false;
    dray_cel_range pairs = dray_cel_range_mul(call->args[0].size, call->args[1].size);
    out->cost = dray_cel_range_add(dray_cel_range_scale(pairs, factor), FIXED(1));
    return true;
}

static bool sets_once(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return compare_sets(call, 1, out);
}

static bool sets_twice(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return compare_sets(call, 2, out);
}

static const dray_cel_cost_rule extension_rules[] = {
    {"list_slice", slice},
    {"lists_range", range},
    {"list_reverse", reverse},
    {"list_flatten", flatten},
    {"list_flatten_int", flatten},
    {"list_distinct", distinct},
    {"sort", sort},
    {"@sortByAssociatedKeys", sort_by_keys},
    {"list_sets_contains_list", sets_once},
    {"list_sets_intersects_list", sets_once},
    {"list_sets_equivalent_list", sets_twice},
};

const dray_cel_library dray_cel_lib_extension_costs = {
    .name = "costs of lists and sets",
    .cost_rules = extension_rules,
    .n_cost_rules = DRAY_COUNT(extension_rules),
};

const dray_cel_cost_rule *dray_cel_cost_base_rule(dray_str overload_id) {
    for (size_t i = 0; i < DRAY_COUNT(base_rules); i++)
        if (dray_str_is(overload_id, base_rules[i].name))
            return &base_rules[i];
    return NULL;
}

bool dray_cel_cost_is_concat(const dray_cel_overload *overload) {
    return overload->base_rule != NULL && (overload->base_rule->estimate == concat ||
                                           overload->base_rule->estimate == concat_list);
}
