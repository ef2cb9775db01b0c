/* Validation errors as an API server reports them: a type, a field path, a value, a detail.
 *
 *     dray_path spec = dray_path_child(NULL, "spec");
 *     dray_path item = dray_path_index(&requests, i);
 *     dray_errors_add(errors, DRAY_FIELD_INVALID, &item, value_text, detail);
 *
 * A path is a chain of nodes on the callers' stacks; it is only written out when an error is added.
 * Source: apimachinery's util/validation/field.
 */
#ifndef DRAY_API_ERRORS_H
#define DRAY_API_ERRORS_H

#include "base/str.h"
#include "base/vec.h"

typedef struct dray_path {
    const struct dray_path *parent;
    const char *name; /* child */
    dray_str key;     /* [key], when name is NULL and index < 0 */
    int64_t index;    /* [index], when >= 0 */
} dray_path;

/* name is borrowed; it may hold dots ("exactly.count"). A NULL parent is the root. */
static inline dray_path dray_path_child(const dray_path *parent, const char *name) {
    return (dray_path){.parent = parent, .name = name, .index = -1};
}
static inline dray_path dray_path_index(const dray_path *parent, size_t index) {
    return (dray_path){.parent = parent, .index = (int64_t)index};
}
static inline dray_path dray_path_key(const dray_path *parent, dray_str key) {
    return (dray_path){.parent = parent, .key = key, .index = -1};
}
/* "spec.devices.requests[0].name", in arena; a NULL path is "<nil>" as upstream. */
dray_str dray_path_text(const dray_path *path, dray_arena *arena);

/* The words are Status.details.causes[].reason. */
typedef enum dray_field_error_type {
    DRAY_FIELD_NOT_FOUND,     /* FieldValueNotFound */
    DRAY_FIELD_REQUIRED,      /* FieldValueRequired */
    DRAY_FIELD_DUPLICATE,     /* FieldValueDuplicate */
    DRAY_FIELD_INVALID,       /* FieldValueInvalid */
    DRAY_FIELD_NOT_SUPPORTED, /* FieldValueNotSupported */
    DRAY_FIELD_FORBIDDEN,     /* FieldValueForbidden */
    DRAY_FIELD_TOO_LONG,      /* FieldValueTooLong */
    DRAY_FIELD_TOO_MANY,      /* FieldValueTooMany */
    DRAY_FIELD_INTERNAL,      /* InternalError */
    DRAY_FIELD_TYPE_INVALID,  /* FieldValueTypeInvalid */
    DRAY_FIELD_TOO_SHORT,     /* FieldValueTooShort */
    DRAY_FIELD_TOO_FEW,       /* FieldValueTooFew */
} dray_field_error_type;

typedef struct dray_field_error {
    dray_field_error_type type;
    dray_str field;
    dray_str
        value; /* as it stands in the message: quoted string, number, JSON, null; may be absent */
    dray_str detail;
    const char *origin; /* which rule found it ("maxItems", "format=k8s-uuid"); NULL: not told */
    bool covered; /* gives way to a declared rule's error of the same type, field and origin */
} dray_field_error;

typedef struct dray_errors {
    dray_arena *arena;
    DRAY_VEC(dray_field_error) list;
} dray_errors;

/* value and detail are borrowed for the life of the arena (make them in it, or literals). */
void dray_errors_add(dray_errors *errors, dray_field_error_type type, const dray_path *path,
                     dray_str value, dray_str detail);
/* Marks the errors from index `from` on: their origin, unless NULL, and that a declared rule covers
 * them. */
void dray_errors_mark(dray_errors *errors, size_t from, const char *origin, bool covered);
/* "FieldValueRequired", … Static. */
const char *dray_field_error_word(dray_field_error_type type);
/* "Invalid value: \"x\": must be …": the error without its path, in arena. */
dray_str dray_field_error_text(const dray_field_error *error, dray_arena *arena);
/* By field, type word, detail, value. */
void dray_errors_sort(dray_errors *errors);

/* Value texts: a Go-quoted string (%q), a string of a named Go type (JSON, <>& escaped), a decimal.
 */
dray_str dray_value_quote(dray_arena *arena, dray_str text);
dray_str dray_value_json_string(dray_arena *arena, dray_str text);
dray_str dray_value_int(dray_arena *arena, int64_t value);
/* `supported values: "a", "b"`: the detail of NotSupported, values sorted as given. */
dray_str dray_detail_supported(dray_arena *arena, const char *const *values, size_t n);

#endif
