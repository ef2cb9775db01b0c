/* CEL: checking and estimating any text ends, within its arena, with a type or an error. */
#include "cel/cel.h"
#include "cel/libs.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20 };

static const dray_cel_env *environment(dray_cel_profile profile) {
    static dray_cel_env *envs[2];
    dray_cel_env **env = &envs[profile == DRAY_CEL_029];
    const dray_cel_library *libs[] = {&dray_cel_lib_std,        &dray_cel_lib_optional,
                                      &dray_cel_lib_bindings,   &dray_cel_lib_two_var,
                                      &dray_cel_lib_strings_v2, &dray_cel_lib_lists,
                                      &dray_cel_lib_sets,       &dray_cel_lib_math};
    dray_cel_options options = {.profile = profile,
                                .optional_syntax = true,
                                .homogeneous = true,
                                .validators = true,
                                .container = profile == DRAY_CEL_029 ? "a.b" : NULL};
    dray_err err = DRAY_ERR_INIT;
    if (*env == NULL && dray_cel_env_new(dray_arena_new(0), NULL, &options, libs,
                                         sizeof libs / sizeof *libs, env, &err) != DRAY_OK)
        abort();
    return *env;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    dray_str text = dray_str_n((const char *)data, size);
    for (int i = 0; i < 2; i++) {
        DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_BYTES);
        dray_cel_ast *ast = NULL;
        dray_err err = DRAY_ERR_INIT;
        dray_code code = dray_cel_compile(environment(i == 0 ? DRAY_CEL_026 : DRAY_CEL_029), text,
                                          0, arena, &ast, &err);
        if ((code == DRAY_OK) != (ast != NULL) || (code != DRAY_OK && err.text == NULL))
            abort();
        if (code == DRAY_OK &&
            (!ast->root->type->closed || dray_cel_estimate(ast, arena).min == UINT64_MAX))
            abort();
        dray_err_done(&err);
    }
    return 0;
}
