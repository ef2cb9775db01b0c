/* What the engines of this room share: where a field's value lies, and how objects are made. */
#ifndef DRAY_API_ENGINE_INT_H
#define DRAY_API_ENGINE_INT_H

#include "api/engine.h"

static inline void *field_at(const dray_field *f, void *body) {
    return (char *)body + f->offset;
}
static inline const void *field_in(const dray_field *f, const void *body) {
    return (const char *)body + f->offset;
}
static inline void *item_at(void *items, size_t i, size_t bytes) {
    return (char *)items + i * bytes;
}
static inline const void *item_in(const void *items, size_t i, size_t bytes) {
    return (const char *)items + i * bytes;
}
/* The member at the offset; NULL where none begins. */
static inline const dray_field *field_by_offset(const dray_type *type, uint32_t offset) {
    for (uint32_t i = 0; i < type->n_fields; i++)
        if (type->fields[i].offset == offset)
            return &type->fields[i];
    return NULL;
}
/* Whether the release has the field; release 0 stands for the newest. */
static inline bool field_known(const dray_field *f, int release) {
    return release == 0 ||
           ((f->since == 0 || release >= f->since) && (f->until == 0 || release <= f->until));
}
/* Whether a scalar field is a Go pointer: an element of a list or map never is. */
static inline bool field_is_pointer(const dray_field *f) {
    return f->pointer && f->container == DRAY_ONE;
}

/* Makes the objects that are never NULL in a decoded body of the type. */
void dray_api_make_members(const dray_type *type, void *body, dray_arena *arena);
/* Whether the field holds what Go's omitempty leaves out. */
bool dray_api_is_empty(const dray_field *f, const void *at);
/* Whether the field is absent or Go's zero value: the same, and plain structs that are not set. */
bool dray_api_is_zero(const dray_field *f, const void *at);
/* Whether the member at the offset is the same in both bodies; false where either is NULL. */
bool dray_api_same_member(const dray_type *type, uint32_t offset, const void *a, const void *b);
/* The kind whose objects have this type, in its newest version; NULL for other types. */
const dray_kind *dray_api_kind_of(const dray_type *type);

#endif
