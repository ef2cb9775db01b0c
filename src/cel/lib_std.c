/* The standard library: functions and the names of types. */
#include "cel/libs.h"

#include "base/vec.h"
#include "cel/clock.h"
#include "cel/regex.h"

#include <stdlib.h>

/* Literals that can never be accepted are compile errors. */
static bool duration_ok(const dray_cel_const *c) {
    int64_t ns;
    return c->kind == DRAY_CEL_STRING && dray_cel_read_duration(c->s, &ns);
}

static bool timestamp_ok(const dray_cel_const *c) {
    dray_cel_value time = {.i = c->i};
    if (c->kind == DRAY_CEL_STRING && !dray_cel_read_time(c->s, &time))
        return false;
    return (c->kind != DRAY_CEL_STRING && c->kind != DRAY_CEL_INT) ||
           (time.i >= DRAY_CEL_TIME_MIN && time.i <= DRAY_CEL_TIME_MAX);
}

static bool pattern_ok(const dray_cel_const *c) {
    dray_cel_regex *re;
    char *why;
    if (c->kind != DRAY_CEL_STRING)
        return true;
    if (dray_cel_regex_new(c->s.p, c->s.n, &re, &why)) {
        dray_cel_regex_free(re);
        return true;
    }
    free(why);
    return false;
}

/* 0.26 declares duration(int), which always fails. */
static bool never_ok(const dray_cel_const *c) {
    return false;
}

/* clang-format off */
static const dray_cel_row std_rows[] = {
    {"!_", "logical_not", "(bool) -> bool"},
    {"-_", "negate_double", "(double) -> double"},
    {"-_", "negate_int64", "(int) -> int"},
    {"@in", "in_list", "(A, list(A)) -> bool"},
    {"@in", "in_map", "(A, map(A, B)) -> bool"},
    {"@not_strictly_false", "not_strictly_false", "(bool) -> bool"},
    {"_!=_", "not_equals", "(A, A) -> bool"},
    {"_%_", "modulo_int64", "(int, int) -> int"},
    {"_%_", "modulo_uint64", "(uint, uint) -> uint"},
    {"_&&_", "logical_and", "(bool, bool) -> bool"},
    {"_*_", "multiply_double", "(double, double) -> double"},
    {"_*_", "multiply_int64", "(int, int) -> int"},
    {"_*_", "multiply_uint64", "(uint, uint) -> uint"},
    {"_+_", "add_bytes", "(bytes, bytes) -> bytes"},
    {"_+_", "add_double", "(double, double) -> double"},
    {"_+_", "add_duration_duration", "(google.protobuf.Duration, google.protobuf.Duration) -> google.protobuf.Duration"},
    {"_+_", "add_duration_timestamp", "(google.protobuf.Duration, google.protobuf.Timestamp) -> google.protobuf.Timestamp"},
    {"_+_", "add_timestamp_duration", "(google.protobuf.Timestamp, google.protobuf.Duration) -> google.protobuf.Timestamp"},
    {"_+_", "add_int64", "(int, int) -> int"},
    {"_+_", "add_list", "(list(A), list(A)) -> list(A)"},
    {"_+_", "add_string", "(string, string) -> string"},
    {"_+_", "add_uint64", "(uint, uint) -> uint"},
    {"_-_", "subtract_double", "(double, double) -> double"},
    {"_-_", "subtract_duration_duration", "(google.protobuf.Duration, google.protobuf.Duration) -> google.protobuf.Duration"},
    {"_-_", "subtract_int64", "(int, int) -> int"},
    {"_-_", "subtract_timestamp_duration", "(google.protobuf.Timestamp, google.protobuf.Duration) -> google.protobuf.Timestamp"},
    {"_-_", "subtract_timestamp_timestamp", "(google.protobuf.Timestamp, google.protobuf.Timestamp) -> google.protobuf.Duration"},
    {"_-_", "subtract_uint64", "(uint, uint) -> uint"},
    {"_/_", "divide_double", "(double, double) -> double"},
    {"_/_", "divide_int64", "(int, int) -> int"},
    {"_/_", "divide_uint64", "(uint, uint) -> uint"},
    {"_<=_", "less_equals_bool", "(bool, bool) -> bool"},
    {"_<=_", "less_equals_int64", "(int, int) -> bool"},
    {"_<=_", "less_equals_int64_double", "(int, double) -> bool"},
    {"_<=_", "less_equals_int64_uint64", "(int, uint) -> bool"},
    {"_<=_", "less_equals_uint64", "(uint, uint) -> bool"},
    {"_<=_", "less_equals_uint64_double", "(uint, double) -> bool"},
    {"_<=_", "less_equals_uint64_int64", "(uint, int) -> bool"},
    {"_<=_", "less_equals_double", "(double, double) -> bool"},
    {"_<=_", "less_equals_double_int64", "(double, int) -> bool"},
    {"_<=_", "less_equals_double_uint64", "(double, uint) -> bool"},
    {"_<=_", "less_equals_string", "(string, string) -> bool"},
    {"_<=_", "less_equals_bytes", "(bytes, bytes) -> bool"},
    {"_<=_", "less_equals_timestamp", "(google.protobuf.Timestamp, google.protobuf.Timestamp) -> bool"},
    {"_<=_", "less_equals_duration", "(google.protobuf.Duration, google.protobuf.Duration) -> bool"},
    {"_<_", "less_bool", "(bool, bool) -> bool"},
    {"_<_", "less_int64", "(int, int) -> bool"},
    {"_<_", "less_int64_double", "(int, double) -> bool"},
    {"_<_", "less_int64_uint64", "(int, uint) -> bool"},
    {"_<_", "less_uint64", "(uint, uint) -> bool"},
    {"_<_", "less_uint64_double", "(uint, double) -> bool"},
    {"_<_", "less_uint64_int64", "(uint, int) -> bool"},
    {"_<_", "less_double", "(double, double) -> bool"},
    {"_<_", "less_double_int64", "(double, int) -> bool"},
    {"_<_", "less_double_uint64", "(double, uint) -> bool"},
    {"_<_", "less_string", "(string, string) -> bool"},
    {"_<_", "less_bytes", "(bytes, bytes) -> bool"},
    {"_<_", "less_timestamp", "(google.protobuf.Timestamp, google.protobuf.Timestamp) -> bool"},
    {"_<_", "less_duration", "(google.protobuf.Duration, google.protobuf.Duration) -> bool"},
    {"_==_", "equals", "(A, A) -> bool"},
    {"_>=_", "greater_equals_bool", "(bool, bool) -> bool"},
    {"_>=_", "greater_equals_int64", "(int, int) -> bool"},
    {"_>=_", "greater_equals_int64_double", "(int, double) -> bool"},
    {"_>=_", "greater_equals_int64_uint64", "(int, uint) -> bool"},
    {"_>=_", "greater_equals_uint64", "(uint, uint) -> bool"},
    {"_>=_", "greater_equals_uint64_double", "(uint, double) -> bool"},
    {"_>=_", "greater_equals_uint64_int64", "(uint, int) -> bool"},
    {"_>=_", "greater_equals_double", "(double, double) -> bool"},
    {"_>=_", "greater_equals_double_int64", "(double, int) -> bool"},
    {"_>=_", "greater_equals_double_uint64", "(double, uint) -> bool"},
    {"_>=_", "greater_equals_string", "(string, string) -> bool"},
    {"_>=_", "greater_equals_bytes", "(bytes, bytes) -> bool"},
    {"_>=_", "greater_equals_timestamp", "(google.protobuf.Timestamp, google.protobuf.Timestamp) -> bool"},
    {"_>=_", "greater_equals_duration", "(google.protobuf.Duration, google.protobuf.Duration) -> bool"},
    {"_>_", "greater_bool", "(bool, bool) -> bool"},
    {"_>_", "greater_int64", "(int, int) -> bool"},
    {"_>_", "greater_int64_double", "(int, double) -> bool"},
    {"_>_", "greater_int64_uint64", "(int, uint) -> bool"},
    {"_>_", "greater_uint64", "(uint, uint) -> bool"},
    {"_>_", "greater_uint64_double", "(uint, double) -> bool"},
    {"_>_", "greater_uint64_int64", "(uint, int) -> bool"},
    {"_>_", "greater_double", "(double, double) -> bool"},
    {"_>_", "greater_double_int64", "(double, int) -> bool"},
    {"_>_", "greater_double_uint64", "(double, uint) -> bool"},
    {"_>_", "greater_string", "(string, string) -> bool"},
    {"_>_", "greater_bytes", "(bytes, bytes) -> bool"},
    {"_>_", "greater_timestamp", "(google.protobuf.Timestamp, google.protobuf.Timestamp) -> bool"},
    {"_>_", "greater_duration", "(google.protobuf.Duration, google.protobuf.Duration) -> bool"},
    {"_?_:_", "conditional", "(bool, A, A) -> A"},
    {"_[_]", "index_list", "(list(A), int) -> A"},
    {"_[_]", "index_map", "(map(A, B), A) -> B"},
    {"__not_strictly_false__", "__not_strictly_false__", "(bool) -> bool"},
    {"_in_", "in_list", "(A, list(A)) -> bool"},
    {"_in_", "in_map", "(A, map(A, B)) -> bool"},
    {"_||_", "logical_or", "(bool, bool) -> bool"},
    {"bool", "bool_to_bool", "(bool) -> bool"},
    {"bool", "string_to_bool", "(string) -> bool"},
    {"bytes", "bytes_to_bytes", "(bytes) -> bytes"},
    {"bytes", "string_to_bytes", "(string) -> bytes"},
    {"contains", "contains_string", "string.(string) -> bool"},
    {"double", "double_to_double", "(double) -> double"},
    {"double", "int64_to_double", "(int) -> double"},
    {"double", "string_to_double", "(string) -> double"},
    {"double", "uint64_to_double", "(uint) -> double"},
    {"duration", "duration_to_duration", "(google.protobuf.Duration) -> google.protobuf.Duration"},
    {"duration", "string_to_duration", "(string) -> google.protobuf.Duration", .literal_ok = duration_ok},
    {"dyn", "to_dyn", "(A) -> dyn"},
    {"endsWith", "ends_with_string", "string.(string) -> bool"},
    {"getDate", "timestamp_to_day_of_month_1_based", "google.protobuf.Timestamp.() -> int"},
    {"getDate", "timestamp_to_day_of_month_1_based_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getDayOfMonth", "timestamp_to_day_of_month", "google.protobuf.Timestamp.() -> int"},
    {"getDayOfMonth", "timestamp_to_day_of_month_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getDayOfWeek", "timestamp_to_day_of_week", "google.protobuf.Timestamp.() -> int"},
    {"getDayOfWeek", "timestamp_to_day_of_week_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getDayOfYear", "timestamp_to_day_of_year", "google.protobuf.Timestamp.() -> int"},
    {"getDayOfYear", "timestamp_to_day_of_year_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getFullYear", "timestamp_to_year", "google.protobuf.Timestamp.() -> int"},
    {"getFullYear", "timestamp_to_year_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getHours", "timestamp_to_hours", "google.protobuf.Timestamp.() -> int"},
    {"getHours", "timestamp_to_hours_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getHours", "duration_to_hours", "google.protobuf.Duration.() -> int"},
    {"getMilliseconds", "timestamp_to_milliseconds", "google.protobuf.Timestamp.() -> int"},
    {"getMilliseconds", "timestamp_to_milliseconds_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getMilliseconds", "duration_to_milliseconds", "google.protobuf.Duration.() -> int"},
    {"getMinutes", "timestamp_to_minutes", "google.protobuf.Timestamp.() -> int"},
    {"getMinutes", "timestamp_to_minutes_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getMinutes", "duration_to_minutes", "google.protobuf.Duration.() -> int"},
    {"getMonth", "timestamp_to_month", "google.protobuf.Timestamp.() -> int"},
    {"getMonth", "timestamp_to_month_with_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getSeconds", "timestamp_to_seconds", "google.protobuf.Timestamp.() -> int"},
    {"getSeconds", "timestamp_to_seconds_tz", "google.protobuf.Timestamp.(string) -> int"},
    {"getSeconds", "duration_to_seconds", "google.protobuf.Duration.() -> int"},
    {"in", "in_list", "(A, list(A)) -> bool"},
    {"in", "in_map", "(A, map(A, B)) -> bool"},
    {"int", "int64_to_int64", "(int) -> int"},
    {"int", "double_to_int64", "(double) -> int"},
    {"int", "duration_to_int64", "(google.protobuf.Duration) -> int"},
    {"int", "string_to_int64", "(string) -> int"},
    {"int", "timestamp_to_int64", "(google.protobuf.Timestamp) -> int"},
    {"int", "uint64_to_int64", "(uint) -> int"},
    {"matches", "matches", "(string, string) -> bool", .literal_ok = pattern_ok},
    {"matches", "matches_string", "string.(string) -> bool", .literal_ok = pattern_ok},
    {"size", "size_bytes", "(bytes) -> int"},
    {"size", "bytes_size", "bytes.() -> int"},
    {"size", "size_list", "(list(A)) -> int"},
    {"size", "list_size", "list(A).() -> int"},
    {"size", "size_map", "(map(A, B)) -> int"},
    {"size", "map_size", "map(A, B).() -> int"},
    {"size", "size_string", "(string) -> int"},
    {"size", "string_size", "string.() -> int"},
    {"startsWith", "starts_with_string", "string.(string) -> bool"},
    {"string", "string_to_string", "(string) -> string"},
    {"string", "bool_to_string", "(bool) -> string"},
    {"string", "bytes_to_string", "(bytes) -> string"},
    {"string", "double_to_string", "(double) -> string"},
    {"string", "duration_to_string", "(google.protobuf.Duration) -> string"},
    {"string", "int64_to_string", "(int) -> string"},
    {"string", "timestamp_to_string", "(google.protobuf.Timestamp) -> string"},
    {"string", "uint64_to_string", "(uint) -> string"},
    {"timestamp", "timestamp_to_timestamp", "(google.protobuf.Timestamp) -> google.protobuf.Timestamp"},
    {"timestamp", "int64_to_timestamp", "(int) -> google.protobuf.Timestamp", .literal_ok = timestamp_ok},
    {"timestamp", "string_to_timestamp", "(string) -> google.protobuf.Timestamp", .literal_ok = timestamp_ok},
    {"type", "type", "(A) -> type(A)"},
    {"uint", "uint64_to_uint64", "(uint) -> uint"},
    {"uint", "double_to_uint64", "(double) -> uint"},
    {"uint", "int64_to_uint64", "(int) -> uint"},
    {"uint", "string_to_uint64", "(string) -> uint"},
};
/* clang-format on */

static const dray_cel_row std_026_rows[] = {
    {"duration", "int64_to_duration", "(int) -> google.protobuf.Duration", .literal_ok = never_ok},
};

static const dray_cel_variable_row std_variables[] = {
    {"bool", "type(bool)"},
    {"bytes", "type(bytes)"},
    {"double", "type(double)"},
    {"int", "type(int)"},
    {"list", "type(list(dyn))"},
    {"map", "type(map(dyn, dyn))"},
    {"null_type", "type(null_type)"},
    {"string", "type(string)"},
    {"type", "type(type)"},
    {"uint", "type(uint)"},
    {"google.protobuf.Duration", "type(google.protobuf.Duration)"},
    {"google.protobuf.Timestamp", "type(google.protobuf.Timestamp)"},
};

const dray_cel_library dray_cel_lib_std = {.name = "std",
                                           .rows = std_rows,
                                           .n_rows = DRAY_COUNT(std_rows),
                                           .variables = std_variables,
                                           .n_variables = DRAY_COUNT(std_variables),
                                           .macros = DRAY_CEL_MACROS_STD};

static const dray_cel_variable_row std_026_variables[] = {
    {"list", "type(list(A))"},
    {"map", "type(map(A, B))"},
    {"optional_type", "type(optional_type)"},
};

static const dray_cel_type_row std_026_types[] = {{.name = "optional_type", .opaque = true}};

const dray_cel_library dray_cel_lib_std_026 = {
    .name = "std of 0.26",
    .types = std_026_types,
    .n_types = DRAY_COUNT(std_026_types),
    .rows = std_026_rows,
    .n_rows = DRAY_COUNT(std_026_rows),
    .variables = std_026_variables,
    .n_variables = DRAY_COUNT(std_026_variables),
};
