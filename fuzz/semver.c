/* Semantic versions: the canonical text reads back as an equal version and stays as it is. */
#include "obj/semver.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds) {
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_str text = dray_str_n((const char *)data, size);
    dray_semver v, again;
    if (dray_semver_parse(text, true, arena, &v, NULL) != DRAY_OK) {
        check(dray_semver_parse(text, false, arena, &v, NULL) != DRAY_OK);
        return 0;
    }
    dray_str canonical = dray_semver_format(v, arena);
    check(dray_semver_parse(canonical, false, arena, &again, NULL) == DRAY_OK);
    check(dray_semver_cmp(v, again) == 0);
    check(dray_str_eq(canonical, dray_semver_format(again, arena)));
    return 0;
}
