/* The protobuf messages that every environment knows: their names and fields. */
#include "cel/wellknown_int.h"

#include "base/vec.h"

#define PACKAGE "google.protobuf."

static const struct dray_cel_field_row any_fields[] = {{"type_url", "string"}, {"value", "bytes"}};
static const struct dray_cel_field_row time_fields[] = {{"seconds", "int"}, {"nanos", "int"}};
static const struct dray_cel_field_row struct_fields[] = {{"fields", "map(string, dyn)"}};
static const struct dray_cel_field_row list_fields[] = {{"values", "list(dyn)"}};
static const struct dray_cel_field_row value_fields[] = {
    {"null_value", "int"},  {"number_value", "double"},           {"string_value", "string"},
    {"bool_value", "bool"}, {"struct_value", "map(string, dyn)"}, {"list_value", "list(dyn)"},
};
static const struct dray_cel_field_row bool_fields[] = {{"value", "bool"}};
static const struct dray_cel_field_row int_fields[] = {{"value", "int"}};
static const struct dray_cel_field_row uint_fields[] = {{"value", "uint"}};
static const struct dray_cel_field_row double_fields[] = {{"value", "double"}};
static const struct dray_cel_field_row string_fields[] = {{"value", "string"}};
static const struct dray_cel_field_row bytes_fields[] = {{"value", "bytes"}};

#define MESSAGE(name, list) {PACKAGE name, false, list, DRAY_COUNT(list)}

static const dray_cel_type_row types[] = {
    MESSAGE("Any", any_fields),
    MESSAGE("Timestamp", time_fields),
    MESSAGE("Duration", time_fields),
    MESSAGE("Struct", struct_fields),
    MESSAGE("ListValue", list_fields),
    MESSAGE("Value", value_fields),
    MESSAGE("BoolValue", bool_fields),
    MESSAGE("Int32Value", int_fields),
    MESSAGE("Int64Value", int_fields),
    MESSAGE("UInt32Value", uint_fields),
    MESSAGE("UInt64Value", uint_fields),
    MESSAGE("FloatValue", double_fields),
    MESSAGE("DoubleValue", double_fields),
    MESSAGE("StringValue", string_fields),
    MESSAGE("BytesValue", bytes_fields),
    {PACKAGE "Empty", false, NULL, 0},
};

const dray_cel_library dray_cel_lib_well_known = {
    .name = "well-known messages",
    .types = types,
    .n_types = DRAY_COUNT(types),
};
