/* `dray debug semver`. */
#include "cli/debug.h"

#include "obj/semver.h"

#include <inttypes.h>

static void answer(void *state, dray_debug_line *line) {
    static const char *const keys[] = {"major", "minor", "patch"};
    dray_err err = DRAY_ERR_INIT;
    dray_semver v = {0};
    bool valid = dray_semver_parse(dray_debug_get_string(line, "v"),
                                   dray_debug_get_bool(line, "normalize", false), line->arena, &v,
                                   &err) == DRAY_OK;
    const uint64_t numbers[] = {v.major, v.minor, v.patch};
    dray_debug_bool(line, "valid", valid);
    dray_debug_string(line, "canonical",
                      valid ? dray_semver_format(v, line->arena) : DRAY_STR_NONE);
    for (size_t i = 0; i < 3; i++) {
        dray_debug_key(line, keys[i]);
        if (valid)
            dray_buf_addf(line->out, "%" PRIu64, numbers[i]);
        else
            dray_buf_puts(line->out, "null");
    }
    dray_debug_string(line, "error", valid ? DRAY_STR_NONE : dray_str_of(dray_err_text(&err)));
    dray_err_done(&err);
}

const dray_debug_kind dray_debug_semver = {
    .name = "semver",
    .summary = "a semantic version's parts",
    .answer = answer,
};
