/* The API's types as C structs: dray_core_pod, dray_resource_claim, … made from the rows of
 * tables/NAME.def. How a field lies in memory is told in type.h. */
#ifndef DRAY_API_TYPES_H
#define DRAY_API_TYPES_H

#include "api/type.h"

/* A map from strings to strings: labels, annotations, nodeSelector. */
typedef struct dray_string_map {
    dray_str *k;
    dray_str *v;
    size_t n;
} dray_string_map;
/* The value of key, or an absent string. The map is in order of its keys, as decoding leaves it. */
dray_str dray_string_map_find(dray_string_map map, dray_str key);
/* Sets a key in a new map in arena, so that others who share the old one keep it. */
void dray_string_map_put(dray_string_map *map, dray_str key, dray_str value, dray_arena *arena);
/* Whether both hold the same. */
bool dray_string_map_same(dray_string_map a, dray_string_map b);

/* clang-format off */
#define TYPE(type_, name_) typedef struct dray_##type_ dray_##type_;
#include "api/tables/none.def"
#include "api/tables/all.def"
#include "api/tables/undef.def"

#define TYPE(type_, name_) struct dray_##type_ {
#define END(type_) \
    }             \
    ;
#define STRING(type_, m, ...) dray_str m;
#define OPT_STRING(type_, m, ...) dray_str m;
#define LIST_STRING(type_, m, ...) dray_strings m;
#define MAP_STRING(type_, m, ...) dray_string_map m;
#define INT32(type_, m, ...) int32_t m;
#define OPT_INT32(type_, m, ...) dray_opt_int32 m;
#define LIST_INT32(type_, m, ...) struct { int32_t *v; size_t n; } m;
#define MAP_INT32(type_, m, ...) struct { dray_str *k; int32_t *v; size_t n; } m;
#define INT64(type_, m, ...) int64_t m;
#define OPT_INT64(type_, m, ...) dray_opt_int64 m;
#define LIST_INT64(type_, m, ...) struct { int64_t *v; size_t n; } m;
#define MAP_INT64(type_, m, ...) struct { dray_str *k; int64_t *v; size_t n; } m;
#define BOOL(type_, m, ...) bool m;
#define OPT_BOOL(type_, m, ...) dray_opt_bool m;
#define LIST_BOOL(type_, m, ...) struct { bool *v; size_t n; } m;
#define MAP_BOOL(type_, m, ...) struct { dray_str *k; bool *v; size_t n; } m;
#define QUANTITY(type_, m, ...) dray_quantity m;
#define OPT_QUANTITY(type_, m, ...) dray_quantity *m;
#define LIST_QUANTITY(type_, m, ...) struct { dray_quantity *v; size_t n; } m;
#define MAP_QUANTITY(type_, m, ...) struct { dray_str *k; dray_quantity *v; size_t n; } m;
#define TIME(type_, m, ...) dray_time m;
#define OPT_TIME(type_, m, ...) dray_time m;
#define LIST_TIME(type_, m, ...) struct { dray_time *v; size_t n; } m;
#define MAP_TIME(type_, m, ...) struct { dray_str *k; dray_time *v; size_t n; } m;
#define MICRO_TIME(type_, m, ...) dray_time m;
#define OPT_MICRO_TIME(type_, m, ...) dray_time m;
#define LIST_MICRO_TIME(type_, m, ...) struct { dray_time *v; size_t n; } m;
#define MAP_MICRO_TIME(type_, m, ...) struct { dray_str *k; dray_time *v; size_t n; } m;
#define INT_OR_STRING(type_, m, ...) dray_int_or_string m;
#define OPT_INT_OR_STRING(type_, m, ...) dray_int_or_string m;
#define LIST_INT_OR_STRING(type_, m, ...) struct { dray_int_or_string *v; size_t n; } m;
#define MAP_INT_OR_STRING(type_, m, ...) struct { dray_str *k; dray_int_or_string *v; size_t n; } m;
#define ANY(type_, m, ...) dray_str m;
#define OPT_ANY(type_, m, ...) dray_str m;
#define LIST_ANY(type_, m, ...) struct { dray_str *v; size_t n; } m;
#define MAP_ANY(type_, m, ...) struct { dray_str *k; dray_str *v; size_t n; } m;
#define BYTES(type_, m, ...) dray_str m;
#define OPT_BYTES(type_, m, ...) dray_str m;
#define LIST_BYTES(type_, m, ...) struct { dray_str *v; size_t n; } m;
#define MAP_BYTES(type_, m, ...) struct { dray_str *k; dray_str *v; size_t n; } m;
#define MAP_STRINGS(type_, m, ...) struct { dray_str *k; dray_strings *v; size_t n; } m;
#define OBJECT(type_, m, ref_, ...) dray_##ref_ *m;
#define OPT_OBJECT(type_, m, ref_, ...) dray_##ref_ *m;
#define LIST_OBJECT(type_, m, ref_, ...) struct { dray_##ref_ *v; size_t n; } m;
#define MAP_OBJECT(type_, m, ref_, ...) struct { dray_str *k; dray_##ref_ *v; size_t n; } m;
#include "api/tables/all.def"
#include "api/tables/undef.def"
/* clang-format on */

/* Every kind's struct begins with its metadata, if it has any: the field that all kinds share. */
dray_meta_object_meta *dray_object_meta(dray_object object);

#endif
