/* Semantic versions, such as 1.2.3-rc.1+build5.
 *
 *     dray_semver v, w;
 *     if (dray_semver_parse(DRAY_STR("v1.20"), true, arena, &v, err) == DRAY_OK)
 *         dray_semver_format(v, arena);          "1.20.0"
 *     if (dray_semver_cmp(v, w) < 0) …
 *
 * Source: semver.org 2.0.0 as blang/semver v4 reads it (all numbers fit 64 bits), and the
 * normalization of Kubernetes' CEL library. Plain values that borrow from the parsed text or, when
 * normalized, from the arena. Any thread.
 */
#ifndef DRAY_OBJ_SEMVER_H
#define DRAY_OBJ_SEMVER_H

#include "base/err.h"
#include "base/str.h"

typedef struct dray_semver {
    uint64_t major, minor, patch;
    dray_str pre;   /* "rc.1", valid; empty for a release */
    dray_str build; /* "build5", valid; says nothing about order */
} dray_semver;

/* With normalize one leading v is dropped, leading zeros too, and missing parts are 0.
 * DRAY_E_INVALID with blang's text. */
dray_code dray_semver_parse(dray_str text, bool normalize, dray_arena *arena, dray_semver *ret,
                            dray_err *err);
dray_str dray_semver_format(dray_semver v, dray_arena *arena);
/* Precedence: <0, 0, >0. Build metadata doesn't count, so versions that differ can be equal. */
int dray_semver_cmp(dray_semver a, dray_semver b);

#endif
