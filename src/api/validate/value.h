/* Values as Go prints them in messages: JSON of structs, lists and maps, in order of declaration.
 *
 *     dray_value_internal(arena, &dray_type_core_toleration, body, 37)   {"Key":"a","Operator":…
 *
 * Texts live in arena; a body that is NULL prints as null, and so does what lies deeper than 40
 * groups. Nothing here fails. Members that the release lacks are not there.
 * Internal forms follow from the types' tables: JSON names with a capital, but for those that
 * Go spells otherwise. Source: pkg/apis, encoding/json.
 */
#ifndef DRAY_API_VALIDATE_VALUE_H
#define DRAY_API_VALIDATE_VALUE_H

#include "api/types.h"

typedef enum dray_value_style {
    DRAY_VALUE_DECLARED, /* a versioned type: JSON names, what omitempty leaves out left out */
    DRAY_VALUE_INTERNAL, /* an internal type: Go's field names, nothing left out; meta/v1 has none
                          */
} dray_value_style;

dray_str dray_value_declared(dray_arena *arena, const dray_type *type, const void *body);
dray_str dray_value_internal(dray_arena *arena, const dray_type *type, const void *body,
                             int release);
/* The internal form with a line per member, one space deeper per group: what diffs compare. */
dray_str dray_value_indented(dray_arena *arena, const dray_type *type, const void *body,
                             int release);
/* Both values indented and compared line by line: a unified diff with three lines of context
 * (validate/diff.c). */
dray_str dray_value_diff(dray_arena *arena, const dray_type *type, const void *a, const void *b,
                         int release);
/* The member at `offset` of body. */
dray_str dray_value_member(dray_arena *arena, const dray_type *type, const void *body,
                           uint32_t offset, dray_value_style style, int release);
dray_str dray_value_strings(dray_arena *arena, dray_strings list);
dray_str dray_value_string_map(dray_arena *arena, dray_string_map map);

#endif
