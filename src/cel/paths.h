/* What a program reads of its variables: device.driver, device.attributes["d"].x
 *
 *     dray_cel_paths paths;
 *     if (dray_cel_program_paths(program, arena, &paths))
 *         … the result depends on paths.v[0 … n) alone
 *
 * Two activations that agree on all paths give the same result, the same error and the same cost.
 * Thread rule: pure.
 */
#ifndef DRAY_CEL_PATHS_H
#define DRAY_CEL_PATHS_H

#include "cel/eval.h"

enum { DRAY_CEL_PATHS = 32 }; /* most paths; a program with more counts as reading everything */

typedef struct dray_cel_path {
    uint32_t variable; /* index */
    uint32_t n;
    const dray_str *names; /* constant keys, one after another */
} dray_cel_path;

typedef struct dray_cel_paths {
    dray_cel_path *v;
    size_t n;
} dray_cel_paths;

/* False: it reads some variable in a way that has no constant path of names, e.g. whole. Each path
 * is the longest known one; a value that is no map may be met before its end. In arena. */
bool dray_cel_program_paths(const dray_cel_program *program, dray_arena *arena,
                            dray_cel_paths *ret);

#endif
