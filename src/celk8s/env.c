/* Kubernetes' environments as data: which library came with which release. Source: apiserver
 * pkg/cel/environment/base.go, dynamic-resource-allocation/cel/compile.go. */
#include "celk8s/env_int.h"

#include "base/vec.h"
#include "cel/cost_rules.h"
#include "cel/libs.h"
#include "celk8s/cost_rules.h"

/* --- the variable `device` --- */

static const dray_cel_bounds domain_bounds = {.max = 63};
static const dray_cel_bounds id_bounds = {.max = 32};
static const dray_cel_bounds attribute_bounds = {.max = 64};
static const dray_cel_bounds quantity_bounds = {.max = 0};
static const dray_cel_bounds bool_bounds = {.max = 1};
static const dray_cel_bounds attributes_of_domain = {
    .max = 32, .keys = &id_bounds, .values = &attribute_bounds, .select_values = true};
static const dray_cel_bounds capacity_of_domain = {
    .max = 32, .keys = &id_bounds, .values = &quantity_bounds};
static const dray_cel_bounds all_attributes = {
    .max = 32, .keys = &domain_bounds, .values = &attributes_of_domain};
static const dray_cel_bounds all_capacity = {
    .max = 32, .keys = &domain_bounds, .values = &capacity_of_domain};
static const struct dray_cel_bounds_field device_fields[] = {
    {"driver", &domain_bounds},
    {"attributes", &all_attributes},
    {"capacity", &all_capacity},
    {"allowMultipleAllocations", &bool_bounds},
};
static const dray_cel_bounds device_bounds = {.fields = device_fields,
                                              .n_fields = DRAY_COUNT(device_fields)};
static const dray_cel_bounds device_bounds_old = {.fields = device_fields,
                                                  .n_fields = DRAY_COUNT(device_fields) - 1};

#define CAPACITY "map(string, map(string, kubernetes.Quantity))"
static const struct dray_cel_field_row any_fields[] = {
    {"driver", "string"},
    {"attributes", "map(string, map(string, any))"},
    {"capacity", CAPACITY},
    {"allowMultipleAllocations", "bool"},
};
static const struct dray_cel_field_row dyn_fields[] = {
    {"driver", "string"},
    {"attributes", "map(string, map(string, dyn))"},
    {"capacity", CAPACITY},
    {"allowMultipleAllocations", "bool"},
};

#define DEVICE "kubernetes.DRADevice"
static const dray_cel_variable_row device_row[] = {{"device", DEVICE, &device_bounds}};
static const dray_cel_variable_row device_row_old[] = {{"device", DEVICE, &device_bounds_old}};
static const dray_cel_type_row any_type[] = {{DEVICE, false, any_fields, 4}};
static const dray_cel_type_row dyn_type[] = {{DEVICE, false, dyn_fields, 4}};
static const dray_cel_type_row any_type_old[] = {{DEVICE, false, any_fields, 3}};
static const dray_cel_type_row dyn_type_old[] = {{DEVICE, false, dyn_fields, 3}};

/* [attributes are dyn][allowMultipleAllocations is there] */
static const dray_cel_library devices[2][2] = {
    {{"device", .variables = device_row_old, .n_variables = 1, .types = any_type_old, .n_types = 1},
     {"device", .variables = device_row, .n_variables = 1, .types = any_type, .n_types = 1}},
    {{"device", .variables = device_row_old, .n_variables = 1, .types = dyn_type_old, .n_types = 1},
     {"device", .variables = device_row, .n_variables = 1, .types = dyn_type, .n_types = 1}},
};

/* Kubernetes' own names for two types, besides those of the language. */
static const dray_cel_variable_row type_names[] = {
    {"duration", "type(duration)", NULL},
    {"timestamp", "type(timestamp)", NULL},
};
static const dray_cel_library names = {"names of types", .variables = type_names,
                                       .n_variables = DRAY_COUNT(type_names)};

/* --- libraries by release --- */

typedef enum gate_rule { ALWAYS, WITH_LISTS } gate_rule;

/* From `since` on, up to but without `until` (0: for ever). New expressions are one release behind,
 * but for what has a gate: that is usable as soon as its gate is on. `profile` limits a row to the
 * releases that follow that cel-go (0: all). */
static const struct {
    const dray_cel_library *library;
    uint8_t since, until;
    gate_rule gate;
    uint8_t first_release, last_release;
} libraries[] = {
    {&dray_cel_lib_std, 0},
    {&names, 0},
    {&dray_celk8s_lib_urls, 0},
    {&dray_celk8s_lib_regex, 0},
    {&dray_celk8s_lib_lists, 0, .last_release = 36},
    {&dray_celk8s_lib_lists, 0, 37, .first_release = 37},
    {&dray_celk8s_lib_authz, 27},
    {&dray_cel_lib_optional, 28},
    {&dray_celk8s_lib_quantity, 28},
    {&dray_cel_lib_strings_v2, 29},
    {&dray_cel_lib_sets, 29},
    {&dray_celk8s_lib_ip, 30},
    {&dray_celk8s_lib_cidr, 30},
    {&dray_celk8s_lib_format, 31},
    {&dray_celk8s_lib_format_134, 31, .last_release = 34},
    {&dray_celk8s_lib_authz_selectors, 31},
    {&dray_cel_lib_two_var, 32},
    {&dray_celk8s_lib_semver_v1, 33},
    {&dray_cel_lib_lists, 34},
    {&dray_celk8s_lib_lists, 37, .first_release = 37}, /* its overloads go after those of strings */
    {&dray_celk8s_lib_includes, 37, .first_release = 37},
    {&dray_cel_lib_bindings, 31},
    {&dray_celk8s_lib_includes_136, 36, .gate = WITH_LISTS, .first_release = 36,
     .last_release = 36},
    {&dray_celk8s_lib_includes, 36, .gate = WITH_LISTS, .first_release = 37},
    {&dray_cel_lib_std_026, 0, .last_release = 36},
    {&dray_cel_lib_extension_costs, 0},
    {&dray_celk8s_lib_costs, 0},
};

static bool is_in(size_t i, dray_celk8s_key key) {
    if (key.release < libraries[i].first_release ||
        (libraries[i].last_release != 0 && key.release > libraries[i].last_release))
        return false;
    if (!key.new_expression)
        return libraries[i].until == 0;
    if (libraries[i].gate == WITH_LISTS)
        return key.lists;
    uint8_t compatible = key.release - 1;
    return compatible >= libraries[i].since &&
           (libraries[i].until == 0 || compatible < libraries[i].until);
}

bool dray_celk8s_attribute_is_dyn(dray_celk8s_key key) {
    if (key.release < 36)
        return false;
    /* Stored expressions know lists whatever the gate says from 1.37 on. */
    return key.lists || (!key.new_expression && key.release >= 37);
}

dray_code dray_celk8s_env_new(dray_arena *arena, dray_celk8s_key key, dray_cel_env **ret,
                              dray_err *err) {
    const dray_cel_library *list[DRAY_COUNT(libraries) + 1];
    size_t n = 0;
    bool multiple = key.consumable || !key.new_expression;
    list[n++] = &devices[dray_celk8s_attribute_is_dyn(key)][multiple];
    for (size_t i = 0; i < DRAY_COUNT(libraries); i++)
        if (is_in(i, key))
            list[n++] = libraries[i].library;
    dray_cel_options options = {
        .profile = key.release >= 37 ? DRAY_CEL_029 : DRAY_CEL_026,
        .optional_syntax = true,
        .escaped_identifiers = key.release >= 37,
        .validators = true,
    };
    return dray_cel_env_new(arena, NULL, &options, list, n, ret, err);
}
