/* The tables of types and kinds, made from tables/NAME.def. */
#include "api/types.h"

/* clang-format off */
#define ROW(type_, m, name_, num_, shape_, container_, ...)                                      \
    {.json = name_,                                                                              \
     .member = #m,                                                                               \
     .offset = offsetof(dray_##type_, m),                                                        \
     .json_n = sizeof(name_) - 1,                                                                \
     .proto = num_,                                                                              \
     .shape = DRAY_SHAPE_##shape_,                                                               \
     .container = container_,                                                                    \
     __VA_ARGS__},
#define TYPE(type_, name_) static const dray_field fields_##type_[] = {
#define END(type_) \
    }             \
    ;
#define STRING(t, m, n, p, ...) ROW(t, m, n, p, STRING, DRAY_ONE, __VA_ARGS__)
#define OPT_STRING(t, m, n, p, ...) ROW(t, m, n, p, STRING, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_STRING(t, m, n, p, ...) ROW(t, m, n, p, STRING, DRAY_LIST, __VA_ARGS__)
#define MAP_STRING(t, m, n, p, ...) ROW(t, m, n, p, STRING, DRAY_MAP, __VA_ARGS__)
#define INT32(t, m, n, p, ...) ROW(t, m, n, p, INT32, DRAY_ONE, __VA_ARGS__)
#define OPT_INT32(t, m, n, p, ...) ROW(t, m, n, p, INT32, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_INT32(t, m, n, p, ...) ROW(t, m, n, p, INT32, DRAY_LIST, __VA_ARGS__)
#define MAP_INT32(t, m, n, p, ...) ROW(t, m, n, p, INT32, DRAY_MAP, __VA_ARGS__)
#define INT64(t, m, n, p, ...) ROW(t, m, n, p, INT64, DRAY_ONE, __VA_ARGS__)
#define OPT_INT64(t, m, n, p, ...) ROW(t, m, n, p, INT64, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_INT64(t, m, n, p, ...) ROW(t, m, n, p, INT64, DRAY_LIST, __VA_ARGS__)
#define MAP_INT64(t, m, n, p, ...) ROW(t, m, n, p, INT64, DRAY_MAP, __VA_ARGS__)
#define BOOL(t, m, n, p, ...) ROW(t, m, n, p, BOOL, DRAY_ONE, __VA_ARGS__)
#define OPT_BOOL(t, m, n, p, ...) ROW(t, m, n, p, BOOL, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_BOOL(t, m, n, p, ...) ROW(t, m, n, p, BOOL, DRAY_LIST, __VA_ARGS__)
#define MAP_BOOL(t, m, n, p, ...) ROW(t, m, n, p, BOOL, DRAY_MAP, __VA_ARGS__)
#define QUANTITY(t, m, n, p, ...) ROW(t, m, n, p, QUANTITY, DRAY_ONE, __VA_ARGS__)
#define OPT_QUANTITY(t, m, n, p, ...) ROW(t, m, n, p, QUANTITY, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_QUANTITY(t, m, n, p, ...) ROW(t, m, n, p, QUANTITY, DRAY_LIST, __VA_ARGS__)
#define MAP_QUANTITY(t, m, n, p, ...) ROW(t, m, n, p, QUANTITY, DRAY_MAP, __VA_ARGS__)
#define TIME(t, m, n, p, ...) ROW(t, m, n, p, TIME, DRAY_ONE, __VA_ARGS__)
#define OPT_TIME(t, m, n, p, ...) ROW(t, m, n, p, TIME, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_TIME(t, m, n, p, ...) ROW(t, m, n, p, TIME, DRAY_LIST, __VA_ARGS__)
#define MAP_TIME(t, m, n, p, ...) ROW(t, m, n, p, TIME, DRAY_MAP, __VA_ARGS__)
#define MICRO_TIME(t, m, n, p, ...) ROW(t, m, n, p, MICRO_TIME, DRAY_ONE, __VA_ARGS__)
#define OPT_MICRO_TIME(t, m, n, p, ...) ROW(t, m, n, p, MICRO_TIME, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_MICRO_TIME(t, m, n, p, ...) ROW(t, m, n, p, MICRO_TIME, DRAY_LIST, __VA_ARGS__)
#define MAP_MICRO_TIME(t, m, n, p, ...) ROW(t, m, n, p, MICRO_TIME, DRAY_MAP, __VA_ARGS__)
#define INT_OR_STRING(t, m, n, p, ...) ROW(t, m, n, p, INT_OR_STRING, DRAY_ONE, __VA_ARGS__)
#define OPT_INT_OR_STRING(t, m, n, p, ...) ROW(t, m, n, p, INT_OR_STRING, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_INT_OR_STRING(t, m, n, p, ...) ROW(t, m, n, p, INT_OR_STRING, DRAY_LIST, __VA_ARGS__)
#define MAP_INT_OR_STRING(t, m, n, p, ...) ROW(t, m, n, p, INT_OR_STRING, DRAY_MAP, __VA_ARGS__)
#define ANY(t, m, n, p, ...) ROW(t, m, n, p, ANY, DRAY_ONE, __VA_ARGS__)
#define OPT_ANY(t, m, n, p, ...) ROW(t, m, n, p, ANY, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_ANY(t, m, n, p, ...) ROW(t, m, n, p, ANY, DRAY_LIST, __VA_ARGS__)
#define MAP_ANY(t, m, n, p, ...) ROW(t, m, n, p, ANY, DRAY_MAP, __VA_ARGS__)
#define BYTES(t, m, n, p, ...) ROW(t, m, n, p, BYTES, DRAY_ONE, __VA_ARGS__)
#define OPT_BYTES(t, m, n, p, ...) ROW(t, m, n, p, BYTES, DRAY_ONE, .pointer = true, ##__VA_ARGS__)
#define LIST_BYTES(t, m, n, p, ...) ROW(t, m, n, p, BYTES, DRAY_LIST, __VA_ARGS__)
#define MAP_BYTES(t, m, n, p, ...) ROW(t, m, n, p, BYTES, DRAY_MAP, __VA_ARGS__)
#define MAP_STRINGS(t, m, n, p, ...) ROW(t, m, n, p, STRINGS, DRAY_MAP, __VA_ARGS__)
#define OBJECT(t, m, r, n, p, ...) ROW(t, m, n, p, OBJECT, DRAY_ONE, .ref = &dray_type_##r, ##__VA_ARGS__)
#define OPT_OBJECT(t, m, r, n, p, ...) ROW(t, m, n, p, OBJECT, DRAY_ONE, .pointer = true, .ref = &dray_type_##r, ##__VA_ARGS__)
#define LIST_OBJECT(t, m, r, n, p, ...) ROW(t, m, n, p, OBJECT, DRAY_LIST, .ref = &dray_type_##r, ##__VA_ARGS__)
#define MAP_OBJECT(t, m, r, n, p, ...) ROW(t, m, n, p, OBJECT, DRAY_MAP, .ref = &dray_type_##r, ##__VA_ARGS__)
#include "api/tables/all.def"
#include "api/tables/undef.def"

#define TYPE(type_, name_)                                                \
    const dray_type dray_type_##type_ = {                                 \
        name_, sizeof(dray_##type_),                                      \
        sizeof fields_##type_ / sizeof *fields_##type_, fields_##type_};
#include "api/tables/none.def"
#include "api/tables/all.def"
#include "api/tables/undef.def"

#define TYPE(type_, name_) &dray_type_##type_,
static const dray_type *const all_types[] = {
#include "api/tables/none.def"
#include "api/tables/all.def"
#include "api/tables/undef.def"
};

const dray_kind dray_kinds[] = {
#define KIND(group_, version_, kind_, plural_, namespaced_, type_, since_, deprecated_, removed_) \
    {group_, version_,    #kind_,       plural_, namespaced_, &dray_type_##type_,                \
     since_, deprecated_, removed_},
#include "api/tables/kinds.def"
#undef KIND
};
/* clang-format on */
const size_t dray_n_kinds = sizeof dray_kinds / sizeof *dray_kinds;

const dray_type *dray_type_find(dray_str name) {
    for (size_t i = 0; i < sizeof all_types / sizeof *all_types; i++)
        if (dray_str_is(name, all_types[i]->name))
            return all_types[i];
    return NULL;
}

size_t dray_field_element_size(const dray_field *field) {
    bool own = field->pointer && field->container == DRAY_ONE;
    switch ((dray_shape)field->shape) {
    case DRAY_SHAPE_INT32:
        return own ? sizeof(dray_opt_int32) : sizeof(int32_t);
    case DRAY_SHAPE_INT64:
        return own ? sizeof(dray_opt_int64) : sizeof(int64_t);
    case DRAY_SHAPE_BOOL:
        return own ? sizeof(dray_opt_bool) : sizeof(bool);
    case DRAY_SHAPE_QUANTITY:
        return own ? sizeof(dray_quantity *) : sizeof(dray_quantity);
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        return sizeof(dray_time);
    case DRAY_SHAPE_INT_OR_STRING:
        return sizeof(dray_int_or_string);
    case DRAY_SHAPE_STRINGS:
        return sizeof(dray_strings);
    case DRAY_SHAPE_OBJECT:
        return field->container == DRAY_ONE ? sizeof(void *) : field->ref->size;
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_ANY:
    case DRAY_SHAPE_BYTES:
        return sizeof(dray_str);
    }
    return 0;
}

/* Whether api_version is the one of kind: "GROUP/VERSION", or "VERSION" in the core group. */
static bool is_api_version(const dray_kind *kind, dray_str api_version) {
    dray_str group, version;
    if (!dray_str_cut(api_version, '/', &group, &version)) {
        version = group;
        group = DRAY_STR("");
    }
    return dray_str_is(group, kind->group) && dray_str_is(version, kind->version);
}

const dray_kind *dray_kind_find(dray_str api_version, dray_str kind) {
    for (size_t i = 0; i < dray_n_kinds; i++)
        if (dray_str_is(kind, dray_kinds[i].kind) && is_api_version(&dray_kinds[i], api_version))
            return &dray_kinds[i];
    return NULL;
}

bool dray_kind_served(const dray_kind *kind, int release) {
    return release >= kind->since && (kind->removed == 0 || release < kind->removed);
}

const dray_kind *dray_kind_hub(const dray_kind *kind) {
    for (size_t i = 0; i < dray_n_kinds; i++)
        if (strcmp(dray_kinds[i].group, kind->group) == 0 &&
            strcmp(dray_kinds[i].kind, kind->kind) == 0)
            return &dray_kinds[i]; /* the rows of a kind begin with its newest version */
    return kind;
}

dray_str dray_kind_api_version(const dray_kind *kind, dray_arena *arena) {
    if (kind->group[0] == '\0')
        return dray_str_dup(arena, dray_str_of(kind->version));
    return dray_strf(arena, "%s/%s", kind->group, kind->version);
}

dray_meta_object_meta *dray_object_meta(dray_object object) {
    const dray_field *first = object.kind->type->fields;
    if (first->ref != &dray_type_meta_object_meta || first->container != DRAY_ONE)
        return NULL;
    return *(dray_meta_object_meta **)((char *)object.body + first->offset);
}
