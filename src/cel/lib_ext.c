/* The extension libraries. */
#include "cel/libs.h"

#include "base/ip.h"
#include "base/vec.h"
/* clang-format off */
static const dray_cel_row optional_rows[] = {
    {"_?._", "select_optional_field", "(dyn, string) -> optional_type(V)"},
    {"_[?_]", "list_optindex_optional_int", "(list(V), int) -> optional_type(V)"},
    {"_[?_]", "optional_list_optindex_optional_int", "(optional_type(list(V)), int) -> optional_type(V)"},
    {"_[?_]", "map_optindex_optional_value", "(map(K, V), K) -> optional_type(V)"},
    {"_[?_]", "optional_map_optindex_optional_value", "(optional_type(map(K, V)), K) -> optional_type(V)"},
    {"_[_]", "optional_list_index_int", "(optional_type(list(V)), int) -> optional_type(V)"},
    {"_[_]", "optional_map_index_value", "(optional_type(map(K, V)), K) -> optional_type(V)"},
    {"first", "list_first", "list(V).() -> optional_type(V)"},
    {"hasValue", "optional_hasValue", "optional_type(V).() -> bool"},
    {"last", "list_last", "list(V).() -> optional_type(V)"},
    {"optional.none", "optional_none", "() -> optional_type(V)"},
    {"optional.of", "optional_of", "(V) -> optional_type(V)"},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V) -> optional_type(V)"},
    {"optional.unwrap", "optional_unwrap", "(list(optional_type(V))) -> list(V)"},
    {"or", "optional_or_optional", "optional_type(V).(optional_type(V)) -> optional_type(V)"},
    {"orValue", "optional_orValue_value", "optional_type(V).(V) -> V"},
    {"unwrapOpt", "optional_unwrapOpt", "list(optional_type(V)).() -> list(V)"},
    {"value", "optional_value", "optional_type(V).() -> V"},
};

static const dray_cel_row strings_v0_rows[] = {
    {"charAt", "string_char_at_int", "string.(int) -> string"},
    {"indexOf", "string_index_of_string", "string.(string) -> int"},
    {"indexOf", "string_index_of_string_int", "string.(string, int) -> int"},
    {"join", "list_join", "list(string).() -> string"},
    {"join", "list_join_string", "list(string).(string) -> string"},
    {"lastIndexOf", "string_last_index_of_string", "string.(string) -> int"},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) -> int"},
    {"lowerAscii", "string_lower_ascii", "string.() -> string"},
    {"replace", "string_replace_string_string", "string.(string, string) -> string"},
    {"replace", "string_replace_string_string_int", "string.(string, string, int) -> string"},
    {"split", "string_split_string", "string.(string) -> list(string)"},
    {"split", "string_split_string_int", "string.(string, int) -> list(string)"},
    {"substring", "string_substring_int", "string.(int) -> string"},
    {"substring", "string_substring_int_int", "string.(int, int) -> string"},
    {"trim", "string_trim", "string.() -> string"},
    {"upperAscii", "string_upper_ascii", "string.() -> string"},
};

static const dray_cel_row strings_v2_rows[] = {
    {"charAt", "string_char_at_int", "string.(int) -> string"},
    {"format", "string_format", "string.(list(dyn)) -> string"},
    {"indexOf", "string_index_of_string", "string.(string) -> int"},
    {"indexOf", "string_index_of_string_int", "string.(string, int) -> int"},
    {"join", "list_join", "list(string).() -> string"},
    {"join", "list_join_string", "list(string).(string) -> string"},
    {"lastIndexOf", "string_last_index_of_string", "string.(string) -> int"},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) -> int"},
    {"lowerAscii", "string_lower_ascii", "string.() -> string"},
    {"replace", "string_replace_string_string", "string.(string, string) -> string"},
    {"replace", "string_replace_string_string_int", "string.(string, string, int) -> string"},
    {"split", "string_split_string", "string.(string) -> list(string)"},
    {"split", "string_split_string_int", "string.(string, int) -> list(string)"},
    {"strings.quote", "strings_quote", "(string) -> string"},
    {"substring", "string_substring_int", "string.(int) -> string"},
    {"substring", "string_substring_int_int", "string.(int, int) -> string"},
    {"trim", "string_trim", "string.() -> string"},
    {"upperAscii", "string_upper_ascii", "string.() -> string"},
};

static const dray_cel_row strings_rows[] = {
    {"charAt", "string_char_at_int", "string.(int) -> string"},
    {"format", "string_format", "string.(list(dyn)) -> string"},
    {"indexOf", "string_index_of_string", "string.(string) -> int"},
    {"indexOf", "string_index_of_string_int", "string.(string, int) -> int"},
    {"join", "list_join", "list(string).() -> string"},
    {"join", "list_join_string", "list(string).(string) -> string"},
    {"lastIndexOf", "string_last_index_of_string", "string.(string) -> int"},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) -> int"},
    {"lowerAscii", "string_lower_ascii", "string.() -> string"},
    {"replace", "string_replace_string_string", "string.(string, string) -> string"},
    {"replace", "string_replace_string_string_int", "string.(string, string, int) -> string"},
    {"reverse", "string_reverse", "string.() -> string"},
    {"split", "string_split_string", "string.(string) -> list(string)"},
    {"split", "string_split_string_int", "string.(string, int) -> list(string)"},
    {"strings.quote", "strings_quote", "(string) -> string"},
    {"substring", "string_substring_int", "string.(int) -> string"},
    {"substring", "string_substring_int_int", "string.(int, int) -> string"},
    {"trim", "string_trim", "string.() -> string"},
    {"upperAscii", "string_upper_ascii", "string.() -> string"},
};

static const dray_cel_row lists_rows[] = {
    {"@sortByAssociatedKeys", "list_int_sortByAssociatedKeys", "list(T).(list(int)) -> list(T)"},
    {"@sortByAssociatedKeys", "list_uint_sortByAssociatedKeys", "list(T).(list(uint)) -> list(T)"},
    {"@sortByAssociatedKeys", "list_double_sortByAssociatedKeys", "list(T).(list(double)) -> list(T)"},
    {"@sortByAssociatedKeys", "list_bool_sortByAssociatedKeys", "list(T).(list(bool)) -> list(T)"},
    {"@sortByAssociatedKeys", "list_google.protobuf.Duration_sortByAssociatedKeys", "list(T).(list(google.protobuf.Duration)) -> list(T)"},
    {"@sortByAssociatedKeys", "list_google.protobuf.Timestamp_sortByAssociatedKeys", "list(T).(list(google.protobuf.Timestamp)) -> list(T)"},
    {"@sortByAssociatedKeys", "list_string_sortByAssociatedKeys", "list(T).(list(string)) -> list(T)"},
    {"@sortByAssociatedKeys", "list_bytes_sortByAssociatedKeys", "list(T).(list(bytes)) -> list(T)"},
    {"distinct", "list_distinct", "list(T).() -> list(T)"},
    {"flatten", "list_flatten", "list(list(T)).() -> list(T)"},
    {"flatten", "list_flatten_int", "list(dyn).(int) -> list(dyn)"},
    {"lists.range", "lists_range", "(int) -> list(int)"},
    {"reverse", "list_reverse", "list(T).() -> list(T)"},
    {"slice", "list_slice", "list(T).(int, int) -> list(T)"},
    {"sort", "list_int_sort", "list(int).() -> list(int)"},
    {"sort", "list_uint_sort", "list(uint).() -> list(uint)"},
    {"sort", "list_double_sort", "list(double).() -> list(double)"},
    {"sort", "list_bool_sort", "list(bool).() -> list(bool)"},
    {"sort", "list_google.protobuf.Duration_sort", "list(google.protobuf.Duration).() -> list(google.protobuf.Duration)"},
    {"sort", "list_google.protobuf.Timestamp_sort", "list(google.protobuf.Timestamp).() -> list(google.protobuf.Timestamp)"},
    {"sort", "list_string_sort", "list(string).() -> list(string)"},
    {"sort", "list_bytes_sort", "list(bytes).() -> list(bytes)"},
};

static const dray_cel_row sets_rows[] = {
    {"sets.contains", "list_sets_contains_list", "(list(T), list(T)) -> bool"},
    {"sets.equivalent", "list_sets_equivalent_list", "(list(T), list(T)) -> bool"},
    {"sets.intersects", "list_sets_intersects_list", "(list(T), list(T)) -> bool"},
};

static const dray_cel_row math_rows[] = {
    {"math.@max", "math_@max_double", "(double) -> double"},
    {"math.@max", "math_@max_int", "(int) -> int"},
    {"math.@max", "math_@max_uint", "(uint) -> uint"},
    {"math.@max", "math_@max_double_double", "(double, double) -> double"},
    {"math.@max", "math_@max_int_int", "(int, int) -> int"},
    {"math.@max", "math_@max_uint_uint", "(uint, uint) -> uint"},
    {"math.@max", "math_@max_int_uint", "(int, uint) -> dyn"},
    {"math.@max", "math_@max_int_double", "(int, double) -> dyn"},
    {"math.@max", "math_@max_double_int", "(double, int) -> dyn"},
    {"math.@max", "math_@max_double_uint", "(double, uint) -> dyn"},
    {"math.@max", "math_@max_uint_int", "(uint, int) -> dyn"},
    {"math.@max", "math_@max_uint_double", "(uint, double) -> dyn"},
    {"math.@max", "math_@max_list_double", "(list(double)) -> double"},
    {"math.@max", "math_@max_list_int", "(list(int)) -> int"},
    {"math.@max", "math_@max_list_uint", "(list(uint)) -> uint"},
    {"math.@min", "math_@min_double", "(double) -> double"},
    {"math.@min", "math_@min_int", "(int) -> int"},
    {"math.@min", "math_@min_uint", "(uint) -> uint"},
    {"math.@min", "math_@min_double_double", "(double, double) -> double"},
    {"math.@min", "math_@min_int_int", "(int, int) -> int"},
    {"math.@min", "math_@min_uint_uint", "(uint, uint) -> uint"},
    {"math.@min", "math_@min_int_uint", "(int, uint) -> dyn"},
    {"math.@min", "math_@min_int_double", "(int, double) -> dyn"},
    {"math.@min", "math_@min_double_int", "(double, int) -> dyn"},
    {"math.@min", "math_@min_double_uint", "(double, uint) -> dyn"},
    {"math.@min", "math_@min_uint_int", "(uint, int) -> dyn"},
    {"math.@min", "math_@min_uint_double", "(uint, double) -> dyn"},
    {"math.@min", "math_@min_list_double", "(list(double)) -> double"},
    {"math.@min", "math_@min_list_int", "(list(int)) -> int"},
    {"math.@min", "math_@min_list_uint", "(list(uint)) -> uint"},
    {"math.abs", "math_abs_double", "(double) -> double"},
    {"math.abs", "math_abs_int", "(int) -> int"},
    {"math.abs", "math_abs_uint", "(uint) -> uint"},
    {"math.bitAnd", "math_bitAnd_int_int", "(int, int) -> int"},
    {"math.bitAnd", "math_bitAnd_uint_uint", "(uint, uint) -> uint"},
    {"math.bitNot", "math_bitNot_int_int", "(int) -> int"},
    {"math.bitNot", "math_bitNot_uint_uint", "(uint) -> uint"},
    {"math.bitOr", "math_bitOr_int_int", "(int, int) -> int"},
    {"math.bitOr", "math_bitOr_uint_uint", "(uint, uint) -> uint"},
    {"math.bitShiftLeft", "math_bitShiftLeft_int_int", "(int, int) -> int"},
    {"math.bitShiftLeft", "math_bitShiftLeft_uint_int", "(uint, int) -> uint"},
    {"math.bitShiftRight", "math_bitShiftRight_int_int", "(int, int) -> int"},
    {"math.bitShiftRight", "math_bitShiftRight_uint_int", "(uint, int) -> uint"},
    {"math.bitXor", "math_bitXor_int_int", "(int, int) -> int"},
    {"math.bitXor", "math_bitXor_uint_uint", "(uint, uint) -> uint"},
    {"math.ceil", "math_ceil_double", "(double) -> double"},
    {"math.floor", "math_floor_double", "(double) -> double"},
    {"math.isFinite", "math_isFinite_double", "(double) -> bool"},
    {"math.isInf", "math_isInf_double", "(double) -> bool"},
    {"math.isNaN", "math_isNaN_double", "(double) -> bool"},
    {"math.round", "math_round_double", "(double) -> double"},
    {"math.sign", "math_sign_double", "(double) -> double"},
    {"math.sign", "math_sign_int", "(int) -> int"},
    {"math.sign", "math_sign_uint", "(uint) -> uint"},
    {"math.sqrt", "math_sqrt_double", "(double) -> double"},
    {"math.sqrt", "math_sqrt_int", "(int) -> double"},
    {"math.sqrt", "math_sqrt_uint", "(uint) -> double"},
    {"math.trunc", "math_trunc_double", "(double) -> double"},
};

static const dray_cel_row encoders_rows[] = {
    {"base64.decode", "base64_decode_string", "(string) -> bytes"},
    {"base64.encode", "base64_encode_bytes", "(bytes) -> string"},
    {"json.encode", "json_encode_dyn", "(dyn) -> string"},
};

/* An IPv4 address inside an IPv6 one, written with dots. */
static bool is_mixed(const dray_ip *addr, dray_str text) {
    return dray_ip_is_mapped(addr) && dray_str_chr(text, '.') != SIZE_MAX;
}

static bool address_ok(const dray_cel_const *c) {
    if (c->kind != DRAY_CEL_STRING)
        return true;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_ip addr;
    dray_str why;
    return dray_ip_read(c->s, arena, &addr, &why) && !addr.zone &&
           !is_mixed(&addr, c->s);
}

static bool prefix_ok(const dray_cel_const *c) {
    if (c->kind != DRAY_CEL_STRING)
        return true;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_ip_prefix prefix;
    dray_str why;
    return dray_ip_prefix_read(c->s, arena, &prefix, &why) &&
           !is_mixed(&prefix.addr, c->s);
}

static const dray_cel_row network_rows[] = {
    {"cidr", "string_to_cidr", "(string) -> net.CIDR", .literal_ok = prefix_ok},
    {"containsCIDR", "cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool"},
    {"containsCIDR", "cidr_contains_cidr_string", "net.CIDR.(string) -> bool"},
    {"containsIP", "cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool"},
    {"containsIP", "cidr_contains_ip_string", "net.CIDR.(string) -> bool"},
    {"family", "ip_family", "net.IP.() -> int"},
    {"ip", "string_to_ip", "(string) -> net.IP", .literal_ok = address_ok},
    {"ip", "cidr_ip", "net.CIDR.() -> net.IP"},
    {"ip.isCanonical", "ip_is_canonical", "(string) -> bool"},
    {"isCIDR", "is_cidr", "(string) -> bool"},
    {"isGlobalUnicast", "ip_is_global_unicast", "net.IP.() -> bool"},
    {"isIP", "is_ip", "(string) -> bool"},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", "net.IP.() -> bool"},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", "net.IP.() -> bool"},
    {"isLoopback", "ip_is_loopback", "net.IP.() -> bool"},
    {"isMask", "cidr_is_mask", "net.CIDR.() -> bool"},
    {"isUnspecified", "ip_is_unspecified", "net.IP.() -> bool"},
    {"masked", "cidr_masked", "net.CIDR.() -> net.CIDR"},
    {"prefixLength", "cidr_prefix_length", "net.CIDR.() -> int"},
    {"string", "cidr_to_string", "(net.CIDR) -> string"},
    {"string", "ip_to_string", "(net.IP) -> string"},
};

static const dray_cel_row two_var_rows[] = {
    {"cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V) -> map(K, V)"},
    {"cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)) -> map(K, V)"},
};

/* clang-format on */

static const dray_cel_type_row optional_types[] = {{.name = "optional_type", .opaque = true}};
static const dray_cel_variable_row optional_variables[] = {
    {"optional_type", "type(optional_type(dyn))"},
};

const dray_cel_library dray_cel_lib_optional = {.name = "optional",
                                                .rows = optional_rows,
                                                .n_rows = DRAY_COUNT(optional_rows),
                                                .types = optional_types,
                                                .n_types = DRAY_COUNT(optional_types),
                                                .variables = optional_variables,
                                                .n_variables = DRAY_COUNT(optional_variables),
                                                .macros = DRAY_CEL_MACROS_OPTIONAL};

const dray_cel_library dray_cel_lib_bindings = {.name = "bindings", .macros = DRAY_CEL_MACROS_BIND};

const dray_cel_library dray_cel_lib_two_var = {.name = "two_var",
                                               .rows = two_var_rows,
                                               .n_rows = DRAY_COUNT(two_var_rows),
                                               .macros = DRAY_CEL_MACROS_TWO_VAR};

const dray_cel_library dray_cel_lib_strings_v0 = {
    .name = "strings_v0", .rows = strings_v0_rows, .n_rows = DRAY_COUNT(strings_v0_rows)};

const dray_cel_library dray_cel_lib_strings_v2 = {.name = "strings_v2",
                                                  .rows = strings_v2_rows,
                                                  .n_rows = DRAY_COUNT(strings_v2_rows),
                                                  .validate_format = true};

const dray_cel_library dray_cel_lib_strings = {.name = "strings",
                                               .rows = strings_rows,
                                               .n_rows = DRAY_COUNT(strings_rows),
                                               .validate_format = true};

const dray_cel_library dray_cel_lib_lists = {.name = "lists",
                                             .rows = lists_rows,
                                             .n_rows = DRAY_COUNT(lists_rows),
                                             .macros = DRAY_CEL_MACROS_SORT_BY};

const dray_cel_library dray_cel_lib_sets = {
    .name = "sets", .rows = sets_rows, .n_rows = DRAY_COUNT(sets_rows)};

const dray_cel_library dray_cel_lib_math = {
    .name = "math",
    .rows = math_rows,
    .n_rows = DRAY_COUNT(math_rows),
    .macros = DRAY_CEL_MACROS_MATH,
};

const dray_cel_library dray_cel_lib_encoders = {
    .name = "encoders", .rows = encoders_rows, .n_rows = DRAY_COUNT(encoders_rows)};

static const dray_cel_type_row network_types[] = {{.name = "net.IP", .opaque = true},
                                                  {.name = "net.CIDR", .opaque = true}};
static const dray_cel_variable_row network_variables[] = {
    {"net.IP", "type(net.IP)"},
    {"net.CIDR", "type(net.CIDR)"},
};

const dray_cel_library dray_cel_lib_network = {.name = "network",
                                               .rows = network_rows,
                                               .n_rows = DRAY_COUNT(network_rows),
                                               .types = network_types,
                                               .n_types = DRAY_COUNT(network_types),
                                               .variables = network_variables,
                                               .n_variables = DRAY_COUNT(network_variables),
                                               .always_ok = true};
