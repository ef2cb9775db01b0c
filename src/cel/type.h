/* CEL types: immutable trees that live in an arena or are static.
 *
 *     const dray_cel_type *t = dray_cel_type_list(arena, &dray_cel_int);
 *     dray_cel_type_text(arena, t)              "list(int)"
 *     dray_cel_type_same(t, other)              equal, type parameters by name
 *
 * Parameter-free types of the language are static objects, but two equal types need not be the
 * same pointer: compare with dray_cel_type_same. Thread rule: values, shared freely.
 */
#ifndef DRAY_CEL_TYPE_H
#define DRAY_CEL_TYPE_H

#include "base/err.h"
#include "base/str.h"

typedef enum dray_cel_kind {
    DRAY_CEL_ERROR, /* of an expression that did not check; takes part in everything */
    DRAY_CEL_DYN,
    DRAY_CEL_ANY,
    DRAY_CEL_NULL,
    DRAY_CEL_BOOL,
    DRAY_CEL_INT,
    DRAY_CEL_UINT,
    DRAY_CEL_DOUBLE,
    DRAY_CEL_STRING,
    DRAY_CEL_BYTES,
    DRAY_CEL_TIMESTAMP,
    DRAY_CEL_DURATION,
    DRAY_CEL_LIST,   /* params: element */
    DRAY_CEL_MAP,    /* params: key, value */
    DRAY_CEL_TYPE,   /* params: the type whose name it is, or none */
    DRAY_CEL_OPAQUE, /* name, params: optional_type(T), net.IP */
    DRAY_CEL_STRUCT, /* name; its fields stand in the environment */
    DRAY_CEL_PARAM,  /* name: A in an overload, _var3 while checking */
} dray_cel_kind;

typedef struct dray_cel_type {
    uint8_t kind;
    uint8_t n_params; /* ≤ DRAY_CEL_TYPE_PARAMS */
    bool nullable;    /* a protobuf wrapper: bool, int, uint, double, string or bytes, or null */
    bool closed;      /* no DRAY_CEL_PARAM anywhere inside */
    uint32_t var;     /* DRAY_CEL_PARAM: the checker's number of a free variable, +1; 0 = by name */
    uint32_t size;    /* nodes of this tree, saturating: shared parts count again */
    dray_str name; /* the run-time name, without parameters: "list", "google.protobuf.Duration" */
    const struct dray_cel_type *const *params;
} dray_cel_type;

#define DRAY_CEL_TYPE_PARAMS 8   /* most parameters of one type */
#define DRAY_CEL_TYPE_SIZE 10000 /* larger types are refused by the checker, not printed */
#define DRAY_CEL_TYPE_DEPTH 32   /* deepest nesting that dray_cel_type_parse reads */

extern const dray_cel_type dray_cel_error, dray_cel_dyn, dray_cel_any, dray_cel_null, dray_cel_bool,
    dray_cel_int, dray_cel_uint, dray_cel_double, dray_cel_string, dray_cel_bytes,
    dray_cel_timestamp, dray_cel_duration, dray_cel_type_type, dray_cel_list_dyn, dray_cel_map_dyn,
    dray_cel_map_string_dyn;

/* New types in the arena; parameters and name are borrowed for as long. */
const dray_cel_type *dray_cel_type_list(dray_arena *arena, const dray_cel_type *element);
const dray_cel_type *dray_cel_type_map(dray_arena *arena, const dray_cel_type *key,
                                       const dray_cel_type *value);
const dray_cel_type *dray_cel_type_of(dray_arena *arena, const dray_cel_type *named);
const dray_cel_type *dray_cel_type_optional(dray_arena *arena, const dray_cel_type *inner);
const dray_cel_type *dray_cel_type_opaque(dray_arena *arena, dray_str name,
                                          const dray_cel_type *const *params, size_t n);
const dray_cel_type *dray_cel_type_struct(dray_arena *arena, dray_str name);
const dray_cel_type *dray_cel_type_param(dray_arena *arena, dray_str name);

/* The wrapper of a scalar type ("wrapper(int)"); NULL where there is none. Static. */
const dray_cel_type *dray_cel_type_wrapper(dray_cel_kind kind);

/* What a protobuf message that the language knows stands for: "google.protobuf.Int64Value" is
 * wrapper(int), "google.protobuf.Struct" map(string, dyn). NULL for any other name. Static. */
const dray_cel_type *dray_cel_type_well_known(dray_str name);

/* optional_type(T)? Gives T. */
bool dray_cel_type_is_optional(const dray_cel_type *type, const dray_cel_type **inner);
/* Exactly the same type, type parameters compared by name. */
bool dray_cel_type_same(const dray_cel_type *a, const dray_cel_type *b);
/* dyn, any, or a type parameter. */
bool dray_cel_type_is_dyn(const dray_cel_type *type);

/* As a result type is printed: "map(string, dyn)", "google.protobuf.Timestamp", "null_type". */
dray_str dray_cel_type_text(dray_arena *arena, const dray_cel_type *type);
/* As error texts spell it: "timestamp", "null", "type(int)". */
void dray_cel_type_error_text(dray_buf *out, const dray_cel_type *type);

/* Reads the form that dray_cel_type_text prints, from *at on, and moves *at past it. A single
 * capital letter is a type parameter; "timestamp", "duration", "null", "optional(T)" are short
 * for their long names; an unknown bare name is a struct type, or opaque when `is_opaque` says so
 * (may be NULL); one with parameters is opaque. DRAY_E_INVALID with what is wrong. */
dray_code dray_cel_type_parse(dray_arena *arena, dray_str text, size_t *at,
                              bool (*is_opaque)(void *context, dray_str name), void *context,
                              const dray_cel_type **type, dray_err *err);

#endif
