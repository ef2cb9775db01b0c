/* CEL: what parses can be printed, and what was printed parses into what prints the same. */
#include "cel/cel.h"
#include "cel/libs.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20 };

static const dray_cel_env *environment(void) {
    static dray_cel_env *env;
    const dray_cel_library *libs[] = {&dray_cel_lib_std, &dray_cel_lib_optional,
                                      &dray_cel_lib_bindings, &dray_cel_lib_two_var,
                                      &dray_cel_lib_lists};
    dray_cel_options options = {
        .profile = DRAY_CEL_029, .optional_syntax = true, .escaped_identifiers = true};
    dray_err err = DRAY_ERR_INIT;
    if (env == NULL && dray_cel_env_new(dray_arena_new(0), NULL, &options, libs,
                                        sizeof libs / sizeof *libs, &env, &err) != DRAY_OK)
        abort();
    return env;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_BYTES);
    dray_cel_ast *first, *second;
    dray_err err = DRAY_ERR_INIT;
    dray_str text = dray_str_n((const char *)data, size);
    if (dray_cel_compile(environment(), text, DRAY_CEL_PARSE_ONLY, arena, &first, &err) !=
        DRAY_OK) {
        dray_err_done(&err);
        return 0;
    }
    DRAY_CLEANUP_BUF dray_buf once = DRAY_BUF_INIT, twice = DRAY_BUF_INIT;
    dray_cel_print(&once, first);
    if (dray_cel_compile(environment(), dray_buf_str(&once), DRAY_CEL_PARSE_ONLY, arena, &second,
                         &err) == DRAY_OK) {
        dray_cel_print(&twice, second);
        if (!dray_str_eq(dray_buf_str(&once), dray_buf_str(&twice)))
            abort();
    } else if (strstr(dray_err_text(&err), "<input>:-1:0:") == NULL && err.code != DRAY_E_LIMIT) {
        abort(); /* only limits may stop it: printing can add brackets and escapes */
    }
    dray_err_done(&err);
    return 0;
}
