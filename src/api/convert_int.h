/* Conversions that equal names do not tell: a row a pair of types.
 *
 * convert.c first copies every field that both types have under the same C name (pointers and plain
 * values into each other: absent is empty), then runs the pair's row.
 */
#ifndef DRAY_API_CONVERT_INT_H
#define DRAY_API_CONVERT_INT_H

#include "api/engine_int.h"

typedef struct dray_convert_hook {
    const dray_type *from, *to;
    void (*apply)(const void *from, void *to, dray_arena *arena);
} dray_convert_hook;

/* convert_hooks.c */
extern const dray_convert_hook dray_convert_hooks[];
extern const size_t dray_n_convert_hooks;

/* The fields that both types share by name, converted from one struct into the other. */
void dray_api_convert_fields(const dray_type *from_type, const void *from, const dray_type *to_type,
                             void *to, dray_arena *arena);

/* Brings a body of a hub's type into the form that passing through the hub gives it: hub.c. */
dray_code dray_api_pass_hub(const dray_type *type, void *body, dray_arena *arena, dray_err *err);

#endif
