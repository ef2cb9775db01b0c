/* From text to a checked tree. */
#include "cel/cel.h"

#include "base/utf8.h"
#include "cel/check_int.h"
#include "cel/parse_int.h"

static dray_code fail(dray_cel_issues *issues, const dray_cel_source *source, dray_code code,
                      dray_err *err) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_cel_issues_print(issues, source, &text);
    return dray_err_set(err, code, "%s", dray_buf_cstr(&text));
}

/* A copy in which every byte that is no UTF-8 has become U+FFFD. */
static dray_str copy_text(dray_arena *arena, dray_str text) {
    if (dray_utf8_invalid(text) == SIZE_MAX)
        return dray_str_dup(arena, text);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < text.n;) {
        size_t from = i;
        if (dray_utf8_next(text, &i) >= 0)
            dray_buf_add(&out, text.p + from, i - from);
        else
            dray_buf_puts(&out, "\uFFFD");
    }
    return dray_str_dup(arena, dray_buf_str(&out));
}

static dray_cel_ast *parse(const dray_cel_env *env, const dray_cel_source *source,
                           dray_arena *arena, dray_cel_issues *issues) {
    if (source->n_points > DRAY_CEL_SOURCE_LIMIT) {
        dray_cel_issue_add(issues, DRAY_CEL_NOWHERE,
                           "expression code point size exceeds limit: size: %u, limit %d",
                           source->n_points, DRAY_CEL_SOURCE_LIMIT);
        return NULL;
    }
    dray_cel_parser p = {.options = dray_cel_env_options(env),
                         .macros = dray_cel_env_macros(env),
                         .arena = arena,
                         .source = source,
                         .issues = issues,
                         .tokens = dray_cel_lex(source, arena, issues)};
    dray_cel_expr *root = dray_cel_parse(&p);
    if (root == NULL)
        return NULL;
    dray_cel_ast *ast = DRAY_NEW(arena, dray_cel_ast);
    ast->root = root;
    ast->env = env;
    ast->text = source->text;
    ast->n_ids = (uint32_t)p.offsets.n - 1;
    ast->offsets = p.offsets.v;
    ast->macro_calls = p.calls.v;
    ast->n_macro_calls = (uint32_t)p.calls.n;
    return ast;
}

dray_code dray_cel_compile(const dray_cel_env *env, dray_str text, uint32_t flags,
                           dray_arena *arena, dray_cel_ast **ast, dray_err *err) {
    dray_cel_issues issues = {.arena = arena};
    if (text.n > DRAY_CEL_SOURCE_BYTES)
        return dray_err_set(err, DRAY_E_LIMIT, "expression of %zu bytes exceeds limit: %d", text.n,
                            DRAY_CEL_SOURCE_BYTES);
    dray_cel_source source;
    dray_cel_source_init(&source, arena, copy_text(arena, text));
    dray_cel_ast *made = parse(env, &source, arena, &issues);
    if (issues.count == 0 && (flags & DRAY_CEL_PARSE_ONLY) == 0)
        dray_cel_check(made, arena, &issues);
    if (issues.count == 0 && made->checked && (env->options.validators || env->some_always_ok))
        dray_cel_validate(made, &issues);
    if (dray_arena_spent(arena))
        return fail(&issues, &source, DRAY_E_LIMIT, err);
    if (issues.count != 0)
        return fail(&issues, &source, DRAY_E_INVALID, err);
    *ast = made;
    return DRAY_OK;
}
