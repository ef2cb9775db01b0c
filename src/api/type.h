/* Types as tables: what every engine of this room (decode, encode, default, convert, protobuf,
 * compare, OpenAPI) reads. One dray_type per API type, one dray_field per field; the rows stand in
 * tables/NAME.def and are expanded twice, into the structs of types.h and into these tables.
 *
 * How a field lies in memory, by shape:
 *     STRING          dray_str; p == NULL: absent (Go's "" or nil); a pointer field may be empty
 *     INT32 INT64 BOOL  int32_t, int64_t, bool; as OPT_… a dray_opt_… with `set`
 *     QUANTITY        dray_quantity; as OPT_QUANTITY a pointer, NULL: absent
 *     TIME MICRO_TIME dray_time with `set`
 *     INT_OR_STRING   dray_int_or_string; kind 0: absent
 *     ANY             dray_str with the raw JSON as it was sent; p == NULL: absent
 *     BYTES           dray_str, decoded
 *     OBJECT          pointer that is never NULL in a decoded object (dray_api_new makes it)
 *     OPT_OBJECT      pointer, NULL: absent
 *     LIST_X          struct { X *v; size_t n; }: objects lie in it by value; v == NULL: nil,
 *                     v != NULL with n == 0: present and empty
 *     MAP_X           struct { dray_str *k; X *v; size_t n; }: sorted by key; k == NULL: nil
 */
#ifndef DRAY_API_TYPE_H
#define DRAY_API_TYPE_H

#include "base/str.h"
#include "obj/quantity.h"
#include "obj/time.h"

#include <stddef.h>

typedef enum dray_shape {
    DRAY_SHAPE_STRING,
    DRAY_SHAPE_INT32,
    DRAY_SHAPE_INT64,
    DRAY_SHAPE_BOOL,
    DRAY_SHAPE_QUANTITY,
    DRAY_SHAPE_TIME,
    DRAY_SHAPE_MICRO_TIME,
    DRAY_SHAPE_INT_OR_STRING,
    DRAY_SHAPE_ANY,
    DRAY_SHAPE_BYTES,
    DRAY_SHAPE_OBJECT,
    DRAY_SHAPE_STRINGS, /* only as the value of a map: a list of strings */
} dray_shape;

typedef enum dray_container { DRAY_ONE, DRAY_LIST, DRAY_MAP } dray_container;

typedef enum dray_list_type {
    DRAY_LIST_UNSET,
    DRAY_LIST_ATOMIC,
    DRAY_LIST_SET,
    DRAY_LIST_MAP,
} dray_list_type;

typedef struct dray_opt_int32 {
    bool set;
    int32_t v;
} dray_opt_int32;
typedef struct dray_opt_int64 {
    bool set;
    int64_t v;
} dray_opt_int64;
typedef struct dray_opt_bool {
    bool set;
    bool v;
} dray_opt_bool;
typedef struct dray_int_or_string {
    enum { DRAY_IOS_ABSENT, DRAY_IOS_INT, DRAY_IOS_STRING } kind;
    int32_t i;
    dray_str s;
} dray_int_or_string;

typedef struct dray_strings {
    dray_str *v;
    size_t n;
} dray_strings;

/* The shapes without their field: how the engines see a list or a map. */
typedef struct dray_any_list {
    void *v;
    size_t n;
} dray_any_list;
typedef struct dray_any_map {
    dray_str *k;
    void *v;
    size_t n;
} dray_any_map;

typedef struct dray_type dray_type;

typedef struct dray_field {
    const char *json;   /* "" for an inlined object: its members stand in the parent's JSON */
    const char *member; /* name in C */
    uint32_t offset;
    uint16_t json_n; /* bytes of json */
    uint16_t proto;  /* field number */
    uint8_t shape;   /* dray_shape of the value or element */
    uint8_t container;
    bool pointer;   /* a Go pointer: absent differs from zero */
    bool optional;  /* marked +optional in the API */
    bool omitempty; /* not written to JSON when empty */
    bool omitzero;  /* a plain struct that is not written when it is zero */
    bool inlined;
    bool atomic_map;
    uint8_t list_type;
    uint8_t since, until;       /* minor releases that have it; 0: no bound */
    uint8_t omit_since;         /* the first release in which omitempty holds; 0: every one */
    const char *keys;           /* of a list of type map, comma-separated */
    const char *one_of;         /* the union that it is a member of */
    const char *enums;          /* allowed words, |-separated */
    const char *schema_default; /* applied on decode, as JSON text or a bare word */
    const char *defaulting;     /* what a defaulting function does, in words */
    const char *gates;          /* feature gates, comma-separated */
    const char *go_type;  /* as Go's errors name it, where shape and ref do not tell; a type of
                             the field's own package begins with a dot */
    const char *doc;      /* one sentence */
    const dray_type *ref; /* of objects */
} dray_field;

struct dray_type {
    const char *name; /* "resource.v1.DeviceRequest" */
    uint32_t size;
    uint32_t n_fields;
    const dray_field *fields;
};

/* One table per type: dray_type_NAME, e.g. dray_type_core_pod. */
/* clang-format off */
#define TYPE(type_, name_) extern const dray_type dray_type_##type_;
#include "api/tables/none.def"
#include "api/tables/all.def"
#include "api/tables/undef.def"
/* clang-format on */

/* By the name of the row ("core.v1.Pod"); NULL when there is none. Types that a beta version shares
 * with v1 are found under v1's name only. */
const dray_type *dray_type_find(dray_str name);
/* Bytes of one element of the field's shape. */
size_t dray_field_element_size(const dray_field *field);

typedef struct dray_kind {
    const char *group;   /* "" for core */
    const char *version; /* "v1" */
    const char *kind;
    const char *plural;
    bool namespaced;
    const dray_type *type;
    uint8_t since, deprecated, removed; /* minor releases; 0: never */
} dray_kind;

extern const dray_kind dray_kinds[];
extern const size_t dray_n_kinds;

/* The kind that `api_version` ("v1", "apps/v1") and `kind` name; NULL when there is none in any
 * release. */
const dray_kind *dray_kind_find(dray_str api_version, dray_str kind);
bool dray_kind_served(const dray_kind *kind, int release);
/* The same kind in the version whose type is the hub (v1 where there is one). */
const dray_kind *dray_kind_hub(const dray_kind *kind);
/* "resource.k8s.io/v1", in arena. */
dray_str dray_kind_api_version(const dray_kind *kind, dray_arena *arena);

/* A decoded object: `body` is the struct of kind->type. Frozen after decoding and defaulting; what
 * it points to lives in the arena it was decoded into, or in the input where decode says so. */
typedef struct dray_object {
    const dray_kind *kind;
    void *body;
} dray_object;

#endif
