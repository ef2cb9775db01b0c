/* Values as Go prints them in errors: JSON of structs, lists and maps, in order of declaration.
 *
 *     dray_value_internal(arena, &dray_type_core_toleration, body, 37)   {"Key":"a","Operator":…
 *
 * Texts live in arena.
 */
#ifndef DRAY_API_VALIDATE_VALUE_H
#define DRAY_API_VALIDATE_VALUE_H

#include "api/types.h"

typedef enum dray_value_style {
    DRAY_VALUE_DECLARED, /* a versioned type: JSON names, what omitempty leaves out left out */
    DRAY_VALUE_INTERNAL, /* an internal type: Go's field names, nothing left out */
} dray_value_style;

dray_str dray_value_declared(dray_arena *arena, const dray_type *type, const void *body);
/* Members that the release lacks are not there. */
dray_str dray_value_internal(dray_arena *arena, const dray_type *type, const void *body,
                             int release);
/* The member at `offset` of body. */
dray_str dray_value_member(dray_arena *arena, const dray_type *type, const void *body,
                           uint32_t offset, dray_value_style style, int release);

#endif
