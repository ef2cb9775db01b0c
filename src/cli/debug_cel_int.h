/* Private to `dray debug cel`: the state of its two halves. */
#ifndef DRAY_CLI_DEBUG_CEL_INT_H
#define DRAY_CLI_DEBUG_CEL_INT_H

#include "cel/env.h"
#include "celk8s/celk8s.h"
#include "cli/debug.h"
#include "cli/zones.h"

typedef struct dray_debug_cel_state {
    dray_cel_zones *zones;
    dray_celk8s *k8s;
    dray_arena *scratch;
    dray_arena *plain; /* of the plain environment */
    dray_cel_env *plain_env;
} dray_debug_cel_state;

/* `"env":"cel"`: plain CEL with bindings. */
void dray_debug_cel_plain(dray_debug_cel_state *state, dray_debug_line *line);

/* CEL's JSON form of a Value. False with a text in *ret_why. */
bool dray_debug_cel_read(const dray_node *node, dray_arena *arena, dray_cel_value *ret,
                         const char **ret_why);
void dray_debug_cel_write(dray_buf *out, dray_cel_value v, dray_arena *arena);

#endif
