/* A small library to compile against: declarations only, nothing can be evaluated. */
#ifndef DRAY_TESTS_CEL_ROWS_H
#define DRAY_TESTS_CEL_ROWS_H

#include "base/vec.h"
#include "cel/cel.h"

static const dray_cel_row test_rows[] = {
    {.function = "_&&_", .id = "logical_and", .signature = "(bool, bool) -> bool"},
    {.function = "_||_", .id = "logical_or", .signature = "(bool, bool) -> bool"},
    {.function = "!_", .id = "logical_not", .signature = "(bool) -> bool"},
    {.function = "-_", .id = "negate_int64", .signature = "(int) -> int"},
    {.function = "-_", .id = "negate_double", .signature = "(double) -> double"},
    {.function = "_?_:_", .id = "conditional", .signature = "(bool, A, A) -> A"},
    {.function = "_==_", .id = "equals", .signature = "(A, A) -> bool"},
    {.function = "_!=_", .id = "not_equals", .signature = "(A, A) -> bool"},
    {.function = "_<_", .id = "less_int64", .signature = "(int, int) -> bool"},
    {.function = "_>_", .id = "greater_int64", .signature = "(int, int) -> bool"},
    {.function = "_+_", .id = "add_int64", .signature = "(int, int) -> int"},
    {.function = "_+_", .id = "add_string", .signature = "(string, string) -> string"},
    {.function = "_+_", .id = "add_list", .signature = "(list(A), list(A)) -> list(A)"},
    {.function = "_-_", .id = "subtract_int64", .signature = "(int, int) -> int"},
    {.function = "_*_", .id = "multiply_int64", .signature = "(int, int) -> int"},
    {.function = "@in", .id = "in_list", .signature = "(A, list(A)) -> bool"},
    {.function = "@in", .id = "in_map", .signature = "(A, map(A, B)) -> bool"},
    {.function = "_[_]", .id = "index_list", .signature = "(list(A), int) -> A"},
    {.function = "_[_]", .id = "index_map", .signature = "(map(A, B), A) -> B"},
    {.function = "_[?_]",
     .id = "list_optindex_optional_int",
     .signature = "(list(A), int) -> optional_type(A)"},
    {.function = "_?._",
     .id = "select_optional_field",
     .signature = "(dyn, string) -> optional_type(A)"},
    {.function = "@not_strictly_false", .id = "not_strictly_false", .signature = "(bool) -> bool"},
    {.function = "size", .id = "size_string", .signature = "(string) -> int"},
    {.function = "size", .id = "size_list", .signature = "(list(A)) -> int"},
    {.function = "size", .id = "string_size", .signature = "string.() -> int"},
    {.function = "size", .id = "list_size", .signature = "list(A).() -> int"},
    {.function = "contains", .id = "contains_string", .signature = "string.(string) -> bool"},
    {.function = "dyn", .id = "to_dyn", .signature = "(A) -> dyn"},
    {.function = "optional.of", .id = "optional_of", .signature = "(A) -> optional_type(A)"},
    {.function = "optional.none", .id = "optional_none", .signature = "() -> optional_type(A)"},
    {.function = "hasValue", .id = "optional_hasValue", .signature = "optional_type(A).() -> bool"},
    {.function = "value", .id = "optional_value", .signature = "optional_type(A).() -> A"},
    {.function = "format", .id = "string_format", .signature = "string.(list(dyn)) -> string"},
};

static const struct dray_cel_field_row test_fields[] = {{"name", "string"},
                                                        {"tags", "map(string, list(string))"}};
static const dray_cel_type_row test_types[] = {{"test.Thing", false, test_fields, 2}};

static const dray_cel_bounds tag = {.max = 20}, tag_list = {.max = 8, .values = &tag},
                             tag_map = {.max = 4, .keys = &tag, .values = &tag_list},
                             name_bounds = {.max = 63};
static const struct dray_cel_bounds_field thing_parts[] = {{"name", &name_bounds},
                                                           {"tags", &tag_map}};
static const dray_cel_bounds thing_bounds = {.fields = thing_parts, .n_fields = 2};

static const dray_cel_variable_row test_variables[] = {
    {"thing", "test.Thing", &thing_bounds},
    {"x", "int", NULL},
    {"any", "dyn", NULL},
    {"int", "type(int)", NULL},
};

static const dray_cel_library test_library = {
    .name = "test",
    .rows = test_rows,
    .n_rows = DRAY_COUNT(test_rows),
    .variables = test_variables,
    .n_variables = DRAY_COUNT(test_variables),
    .types = test_types,
    .n_types = DRAY_COUNT(test_types),
    .macros = DRAY_CEL_MACROS_STD | DRAY_CEL_MACROS_OPTIONAL | DRAY_CEL_MACROS_BIND |
              DRAY_CEL_MACROS_TWO_VAR,
    .validate_format = true,
};

#endif
