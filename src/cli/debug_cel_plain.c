/* `dray debug cel` with "env":"cel": plain CEL in the profile of the specification's own tests. */
#include "cli/debug_cel_int.h"

#include "base/vec.h"
#include "cel/cel.h"
#include "cel/eval.h"
#include "cel/libs.h"

enum { MAX_DECLARATIONS = 1000 };

static const dray_cel_library *const libraries[] = {
    &dray_cel_lib_std,     &dray_cel_lib_optional, &dray_cel_lib_bindings, &dray_cel_lib_two_var,
    &dray_cel_lib_strings, &dray_cel_lib_math,     &dray_cel_lib_encoders, &dray_cel_lib_network,
};

static void fail(dray_debug_line *line, const char *key, const char *text) {
    static const char *const keys[] = {"compileError", "type", "evalError", "value"};
    for (size_t i = 0; i < DRAY_COUNT(keys); i++)
        dray_debug_string(line, keys[i],
                          strcmp(keys[i], key) == 0 ? dray_str_of(text) : DRAY_STR_NONE);
}

/* "(A, B) -> R" or "T.(A) -> R" of a declared overload. */
static const char *signature(const dray_node *overload, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    const dray_node *params = dray_node_find(overload, DRAY_STR("params"));
    const dray_node *receiver = dray_node_find(overload, DRAY_STR("receiver"));
    size_t n = params != NULL && params->kind == DRAY_NODE_LIST ? params->list.n : 0;
    bool member = receiver != NULL && receiver->kind == DRAY_NODE_BOOL && receiver->truth && n > 0;
    if (member)
        dray_buf_addf(&out, DRAY_FMT ".", DRAY_ARG(dray_node_string(&params->list.items[0])));
    dray_buf_putc(&out, '(');
    for (size_t i = member; i < n; i++)
        dray_buf_addf(&out, "%s" DRAY_FMT, i > (size_t)member ? ", " : "",
                      DRAY_ARG(dray_node_string(&params->list.items[i])));
    dray_str result = dray_node_string(dray_node_find(overload, DRAY_STR("result")));
    dray_buf_addf(&out, ") -> " DRAY_FMT, DRAY_ARG(result));
    return dray_str_dup(arena, dray_buf_str(&out)).p;
}

typedef struct declarations {
    DRAY_VEC(dray_cel_row) rows;
    DRAY_VEC(dray_cel_variable_row) variables;
} declarations;

static const char *text_of(const dray_node *map, const char *key, dray_arena *arena) {
    return dray_str_dup(arena, dray_node_string(dray_node_find(map, dray_str_of(key)))).p;
}

static void add_declaration(declarations *d, const dray_node *node, dray_arena *arena) {
    const char *name = text_of(node, "name", arena);
    const dray_node *overloads = dray_node_find(node, DRAY_STR("overloads"));
    if (overloads == NULL || overloads->kind != DRAY_NODE_LIST) {
        dray_cel_variable_row row = {.name = name, .type = text_of(node, "type", arena)};
        DRAY_PUSH(arena, &d->variables, row);
        return;
    }
    for (size_t i = 0; i < overloads->list.n; i++) {
        const dray_node *o = &overloads->list.items[i];
        dray_cel_row row = {
            .function = name, .id = text_of(o, "id", arena), .signature = signature(o, arena)};
        DRAY_PUSH(arena, &d->rows, row);
    }
}

static bool is_declared(const declarations *d, dray_str name) {
    for (size_t i = 0; i < d->variables.n; i++)
        if (dray_str_is(name, d->variables.v[i].name))
            return true;
    return false;
}

/* Declared names, and without checking those of the bindings too. */
static dray_cel_library *declared(dray_debug_line *line, bool check) {
    declarations d = {0};
    const dray_node *list = dray_node_find(line->in, DRAY_STR("declare"));
    if (list != NULL && list->kind == DRAY_NODE_LIST)
        for (size_t i = 0; i < list->list.n && i < MAX_DECLARATIONS; i++)
            add_declaration(&d, &list->list.items[i], line->arena);
    const dray_node *bindings = dray_node_find(line->in, DRAY_STR("bindings"));
    for (size_t i = 0;
         !check && bindings != NULL && bindings->kind == DRAY_NODE_MAP && i < bindings->map.n;
         i++) {
        dray_str name = bindings->map.members[i].key;
        dray_cel_variable_row row = {.name = dray_str_dup(line->arena, name).p, .type = "dyn"};
        if (!is_declared(&d, name))
            DRAY_PUSH(line->arena, &d.variables, row);
    }
    dray_cel_library *library = DRAY_NEW(line->arena, dray_cel_library);
    *library = (dray_cel_library){.name = "declared",
                                  .rows = d.rows.v,
                                  .n_rows = d.rows.n,
                                  .variables = d.variables.v,
                                  .n_variables = d.variables.n};
    return library;
}

static dray_cel_options options_of(dray_debug_line *line) {
    dray_str container = dray_debug_get_string(line, "container");
    return (dray_cel_options){
        .profile = DRAY_CEL_029,
        .container = container.p != NULL ? dray_str_dup(line->arena, container).p : NULL,
        .no_macros = dray_debug_get_bool(line, "disableMacros", false),
        .optional_syntax = true,
        .escaped_identifiers = true,
        .same_type_order = true,
        .null_keeps_type = true,
        .presence_error = true,
    };
}

static dray_code new_env(dray_debug_cel_state *s, dray_debug_line *line, bool check,
                         dray_cel_env **ret, dray_err *err) {
    dray_cel_options options = options_of(line);
    if (s->plain_env == NULL) {
        dray_cel_options base = {.profile = DRAY_CEL_029, .optional_syntax = true};
        s->plain = dray_arena_new(0);
        dray_code code = dray_cel_env_new(s->plain, NULL, &base, libraries, DRAY_COUNT(libraries),
                                          &s->plain_env, err);
        if (code != DRAY_OK)
            return code;
    }
    const dray_cel_library *own[] = {declared(line, check)};
    return dray_cel_env_new(line->arena, s->plain_env, &options, own, 1, ret, err);
}

/* Values by slot; false with an answer written. */
static bool bind(dray_debug_line *line, const dray_cel_env *env, dray_cel_value **ret) {
    uint32_t n = dray_cel_env_n_variables(env);
    dray_cel_value *values = DRAY_NEW_N(line->arena, dray_cel_value, n + 1);
    for (uint32_t i = 0; i < n; i++)
        values[i].kind = DRAY_CEL_UNSET;
    const dray_node *bindings = dray_node_find(line->in, DRAY_STR("bindings"));
    size_t count = bindings != NULL && bindings->kind == DRAY_NODE_MAP ? bindings->map.n : 0;
    for (size_t i = 0; i < count; i++) {
        const dray_member *m = &bindings->map.members[i];
        const dray_cel_variable *variable = dray_cel_env_variable(env, m->key);
        const char *why;
        dray_cel_value v;
        if (!dray_debug_cel_read(&m->value, line->arena, &v, &why)) {
            fail(line, "evalError", why);
            return false;
        }
        if (variable != NULL)
            values[variable->index] = v;
    }
    *ret = values;
    return true;
}

static void evaluate(dray_debug_cel_state *s, dray_debug_line *line, const dray_cel_env *env,
                     const dray_cel_ast *ast, dray_str type) {
    dray_err err = DRAY_ERR_INIT;
    dray_cel_program *program;
    dray_cel_value *values;
    dray_cel_runtime *runtime = dray_cel_runtime_new(line->arena, env, NULL, 0);
    if (!bind(line, env, &values))
        return;
    if (dray_cel_program_new(runtime, ast, line->arena, &program, &err) != DRAY_OK) {
        fail(line, "compileError", dray_err_text(&err));
        dray_err_done(&err);
        return;
    }
    dray_arena_reset(s->scratch);
    dray_cel_eval eval = {.arena = s->scratch, .variables = values, .zones = s->zones};
    dray_cel_value v = dray_cel_run(program, &eval);
    bool error = v.kind == DRAY_CEL_ERROR;
    dray_debug_string(line, "compileError", DRAY_STR_NONE);
    dray_debug_string(line, "type", type);
    dray_debug_string(line, "evalError",
                      error ? dray_cel_failure_text(s->scratch, v.failure) : DRAY_STR_NONE);
    dray_debug_key(line, "value");
    if (error)
        dray_buf_puts(line->out, "null");
    else
        dray_debug_cel_write(line->out, v, line->arena);
    dray_cel_program_done(program);
}

void dray_debug_cel_plain(dray_debug_cel_state *s, dray_debug_line *line) {
    dray_err err = DRAY_ERR_INIT;
    dray_cel_env *env;
    dray_cel_ast *ast;
    bool check = !dray_debug_get_bool(line, "disableCheck", false);
    dray_str text = dray_debug_get_string(line, "expr");
    if (text.p == NULL) {
        dray_debug_error(line, "expr is missing");
        return;
    }
    if (new_env(s, line, check, &env, &err) != DRAY_OK ||
        dray_cel_compile(env, text, check ? 0 : DRAY_CEL_PARSE_ONLY, line->arena, &ast, &err) !=
            DRAY_OK) {
        fail(line, "compileError", dray_err_text(&err));
        dray_err_done(&err);
        return;
    }
    dray_str type = check ? dray_cel_type_text(line->arena, ast->root->type) : DRAY_STR_NONE;
    if (!dray_debug_get_bool(line, "checkOnly", false)) {
        evaluate(s, line, env, ast, type);
        return;
    }
    dray_debug_string(line, "compileError", DRAY_STR_NONE);
    dray_debug_string(line, "type", type);
    dray_debug_string(line, "evalError", DRAY_STR_NONE);
    dray_debug_string(line, "value", DRAY_STR_NONE);
}
