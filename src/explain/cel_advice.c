/* The engine over the table of mistakes: rewrite, print, compile, try on devices, again. */
#include "explain/cel_advice_int.h"

#include "cel/eval.h"

#include <stdarg.h>
#include <stdio.h>

typedef enum where { TEXT, ROOT, IDENT, PATH, CALL, RUN, EMPTY } where;

static const struct row {
    const char *name;
    dray_cel_mistake *fix;
    where where;
} rows[] = {
#define MISTAKE(name_, function_, where_) {name_, dray_cel_mistake_##function_, where_},
#include "explain/cel_advice.def"
#undef MISTAKE
};

void dray_cel_note_add(dray_cel_adviser *a, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t i = 0; i < a->notes.n; i++)
        if (dray_str_is(a->notes.v[i].text, text))
            return;
    DRAY_PUSH(a->arena, &a->notes,
              (dray_cel_note){a->mistake, dray_str_dup(a->arena, dray_str_of(text))});
}

bool dray_cel_advice_parses(dray_cel_adviser *a, dray_str text, dray_cel_ast **ret) {
    dray_err err = DRAY_ERR_INIT;
    bool ok = dray_cel_compile(a->env, text, DRAY_CEL_PARSE_ONLY, a->arena, ret, &err) == DRAY_OK;
    dray_err_done(&err);
    return ok;
}

bool dray_cel_advice_compiles(dray_cel_adviser *a, dray_str text) {
    const dray_celk8s_program *program;
    return dray_celk8s_compile(a->q.celk8s, text, DRAY_CELK8S_SELECTOR, a->q.new_expression,
                               a->q.gates, &program, NULL) == DRAY_OK;
}

/* --- places --- */

/* Macros name variables: x.all(v, …), cel.bind(v, …), x.map(k, v, …). */
static void note_locals(dray_cel_adviser *a, const dray_cel_expr *e) {
    for (uint32_t i = 0; e->call.target != NULL && i + 1 < e->call.n_args && i < 2; i++)
        if (e->call.args[i]->kind == DRAY_CEL_IDENT)
            dray_map_put(&a->locals, e->call.args[i]->ident.name, a);
}

static void walk(dray_cel_adviser *a, dray_cel_expr *e, dray_cel_expr *condition, bool tested,
                 unsigned depth);

static void walk_call(dray_cel_adviser *a, dray_cel_expr *e, dray_cel_expr *condition,
                      unsigned depth) {
    dray_str f = e->call.function;
    bool logic = dray_str_is(f, "_&&_") || dray_str_is(f, "_||_") || dray_str_is(f, "!_");
    bool has = dray_str_is(f, "has") && e->call.target == NULL;
    if (e->call.target != NULL)
        walk(a, e->call.target, condition, false, depth + 1);
    for (uint32_t i = 0; i < e->call.n_args; i++) {
        bool is_condition = logic || (i == 0 && dray_str_is(f, "_?_:_"));
        walk(a, e->call.args[i], is_condition ? e->call.args[i] : condition, has, depth + 1);
    }
}

static void walk(dray_cel_adviser *a, dray_cel_expr *e, dray_cel_expr *condition, bool tested,
                 unsigned depth) {
    if (depth > DRAY_CEL_PLACE_DEPTH || a->spots.n >= DRAY_CEL_PLACES)
        return;
    dray_cel_spot spot = {.e = e, .condition = condition, .tested = tested};
    spot.is_chain = dray_cel_read_chain(e, &spot.chain);
    DRAY_PUSH(a->arena, &a->spots, spot);
    if (spot.is_chain)
        return;
    if (e->kind == DRAY_CEL_SELECT)
        walk(a, e->select.operand, condition, false, depth + 1);
    else if (e->kind == DRAY_CEL_CALL)
        walk_call(a, e, condition, depth);
    for (uint32_t i = 0; e->kind == DRAY_CEL_LIST_EXPR && i < e->list.n; i++)
        walk(a, e->list.items[i], NULL, false, depth + 1);
}

static void find_locals(dray_cel_adviser *a) {
    a->locals = dray_map_new(a->arena);
    for (size_t i = 0; i < a->spots.n; i++)
        if (a->spots.v[i].e->kind == DRAY_CEL_CALL)
            note_locals(a, a->spots.v[i].e);
}

/* The domain that is spoken of: a driver compared with, a known index, one with a dot. */
static void find_domain(dray_cel_adviser *a) {
    a->domain = DRAY_STR_NONE;
    for (size_t i = 0; i < a->spots.n; i++) {
        const dray_cel_spot *s = &a->spots.v[i];
        dray_str found = DRAY_STR_NONE;
        if (s->is_chain && s->chain.n >= 2)
            found = s->chain.steps[1].name;
        else if (s->e->kind == DRAY_CEL_LITERAL && s->e->literal.kind == DRAY_CEL_STRING)
            found = s->e->literal.s;
        if (found.p == NULL || dray_map_find(&a->domains, found) == NULL)
            continue;
        a->domain = found;
        return;
    }
}

/* --- printing --- */

enum { TERMS = 128 };

static bool is_logic(const dray_cel_expr *e, dray_str function) {
    return e->kind == DRAY_CEL_CALL && e->call.target == NULL && e->call.n_args == 2 &&
           dray_str_eq(e->call.function, function);
}

static bool terms_of(dray_cel_expr *e, dray_str function, dray_cel_expr **v, size_t *n) {
    if (is_logic(e, function))
        return terms_of(e->call.args[0], function, v, n) &&
               terms_of(e->call.args[1], function, v, n);
    if (*n == TERMS)
        return false;
    v[(*n)++] = e;
    return true;
}

static dray_cel_expr *join_terms(dray_cel_adviser *a, const char *function, dray_cel_expr **v,
                                 size_t n) {
    size_t left = (n + 1) / 2;
    if (n == 1)
        return v[0];
    return dray_cel_node_call(a, function, NULL, join_terms(a, function, v, left),
                              join_terms(a, function, v + left, n - left));
}

static bool is_true(const dray_cel_expr *e) {
    return e->kind == DRAY_CEL_LITERAL && e->literal.kind == DRAY_CEL_BOOL && e->literal.b;
}

/* Chains of && and || as the parser builds them, which print without brackets; without `true` in a
 * chain of &&. */
static dray_cel_expr *balance(dray_cel_adviser *a, dray_cel_expr *e, unsigned depth) {
    static const char *const operators[] = {"_&&_", "_||_"};
    if (e->kind != DRAY_CEL_CALL || depth > DRAY_CEL_PLACE_DEPTH)
        return e;
    for (size_t i = 0; i < DRAY_COUNT(operators); i++) {
        dray_cel_expr *v[TERMS];
        size_t n = 0, kept = 0;
        if (!is_logic(e, dray_str_of(operators[i])) || !terms_of(e, e->call.function, v, &n))
            continue;
        for (size_t k = 0; k < n; k++)
            if (i == 1 || n == 1 || !is_true(v[k]))
                v[kept++] = balance(a, v[k], depth + 1);
        return kept != 0 ? join_terms(a, operators[i], v, kept) : v[0];
    }
    for (uint32_t i = 0; i < e->call.n_args; i++)
        e->call.args[i] = balance(a, e->call.args[i], depth + 1);
    return e;
}

/* "text" as 'text', where the expression was written so. */
static dray_str quote_singly(dray_cel_adviser *a, dray_str text) {
    char *copy = (char *)dray_str_dup(a->arena, text).p;
    for (size_t i = 0; i < text.n; i++) {
        if (copy[i] != '"')
            continue;
        size_t end = i + 1;
        bool simple = true;
        for (; end < text.n && copy[end] != '"'; end++) {
            simple &= copy[end] != '\\' && copy[end] != '\'';
            if (copy[end] == '\\')
                end++;
        }
        if (simple && end < text.n)
            copy[i] = copy[end] = '\'';
        i = end;
    }
    return dray_str_n(copy, text.n);
}

static void print(dray_cel_adviser *a) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    a->ast->root = balance(a, a->ast->root, 0);
    dray_cel_print(&out, a->ast);
    a->text = dray_str_dup(a->arena, dray_buf_str(&out));
    if (a->single_quotes)
        a->text = quote_singly(a, a->text);
}

/* --- trying --- */

static const dray_celk8s_program *compile(dray_cel_adviser *a) {
    dray_err err = DRAY_ERR_INIT;
    const dray_celk8s_program *program = NULL;
    a->error = DRAY_STR_NONE;
    if (dray_celk8s_compile(a->q.celk8s, a->text, DRAY_CELK8S_SELECTOR, a->q.new_expression,
                            a->q.gates, &program, &err) != DRAY_OK)
        a->error = dray_str_dup(a->arena, dray_str_of(dray_err_text(&err)));
    dray_err_done(&err);
    return program;
}

/* Counts devices that match and that fail; which key was missing. */
static void evaluate(dray_cel_adviser *a, const dray_celk8s_program *program) {
    static const char missing[] = "no such key: ";
    a->matched = a->failed = 0;
    a->lacking = DRAY_STR_NONE;
    for (size_t i = 0; i < a->n_devices; i++) {
        dray_celk8s_result result;
        dray_celk8s_answer answer = dray_celk8s_match(program, a->devices[i], a->scratch, &result);
        a->matched += answer == DRAY_CELK8S_TRUE;
        a->failed += answer == DRAY_CELK8S_ERROR;
        if (answer == DRAY_CELK8S_ERROR && a->lacking.p == NULL &&
            dray_str_starts(result.error, dray_str_of(missing)))
            a->lacking = dray_str_dup(
                a->arena, dray_str_slice(result.error, strlen(missing), result.error.n));
    }
}

static bool fits(const dray_cel_adviser *a, const struct row *row, const dray_cel_spot *spot,
                 bool run) {
    switch (row->where) {
    case IDENT:
        return spot->is_chain && spot->chain.n == 0;
    case PATH:
        return spot->is_chain;
    case CALL:
        return spot->e->kind == DRAY_CEL_CALL && !spot->is_chain;
    case RUN:
        return run && spot->is_chain;
    case EMPTY:
        return run && a->matched + a->failed == 0 && spot->e->kind == DRAY_CEL_CALL &&
               !spot->is_chain;
    case TEXT:
    case ROOT:
        break;
    }
    return false;
}

/* Puts one mistake right; false: none is left. */
static bool step(dray_cel_adviser *a, bool run) {
    bool parses = dray_cel_advice_parses(a, a->text, &a->ast);
    for (size_t i = 0; i < DRAY_COUNT(rows) && !parses; i++) {
        a->mistake = rows[i].name;
        if (rows[i].where == TEXT && rows[i].fix(a, NULL))
            return true;
    }
    if (!parses)
        return false;
    a->spots.n = 0;
    walk(a, a->ast->root, a->ast->root, false, 0);
    find_locals(a);
    find_domain(a);
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        a->mistake = rows[i].name;
        bool changed = rows[i].where == ROOT && rows[i].fix(a, NULL);
        for (size_t k = 0; k < a->spots.n && !changed; k++)
            changed = fits(a, &rows[i], &a->spots.v[k], run) && rows[i].fix(a, &a->spots.v[k]);
        if (changed) {
            print(a);
            return true;
        }
    }
    return false;
}

static void start(dray_cel_adviser *a, dray_str expression, dray_arena *arena) {
    a->arena = arena;
    a->text = dray_str_dup(arena, expression);
    a->single_quotes = dray_str_chr(expression, '"') == SIZE_MAX;
    a->lacking = a->domain = DRAY_STR_NONE;
    a->spots.v = NULL;
    a->spots.n = a->spots.room = 0;
    a->notes.v = NULL;
    a->notes.n = a->notes.room = 0;
}

void dray_cel_advise(dray_cel_adviser *a, dray_str expression, dray_arena *arena,
                     dray_cel_advice *ret) {
    *ret = (dray_cel_advice){0};
    if (expression.n > DRAY_CEL_ADVICE_BYTES || a->env == NULL)
        return;
    bool changed = false, more = true;
    start(a, expression, arena);
    const dray_celk8s_program *program = NULL;
    for (int round = 0; round < DRAY_CEL_ADVICE_ROUNDS && more; round++) {
        program = compile(a);
        more = step(a, false);
        if (!more && program != NULL) {
            evaluate(a, program);
            bool empty = a->n_devices != 0 && a->matched + a->failed == 0;
            more = (a->lacking.p != NULL || empty) && step(a, true);
        }
        changed |= more;
    }
    ret->notes = a->notes.v;
    ret->n_notes = a->notes.n;
    bool useful = a->n_devices == 0 || a->failed < a->n_devices;
    if (changed && !more && program != NULL && useful) {
        ret->corrected = a->text;
        ret->tried = a->n_devices;
        ret->matched = a->matched;
        ret->failed = a->failed;
    }
}

dray_cel_adviser *dray_cel_adviser_new(dray_arena *arena, const dray_cel_question *question) {
    /* No macros: has() and all() stay calls, which print as they were written. */
    static const dray_cel_options options = {.profile = DRAY_CEL_029,
                                             .no_macros = true,
                                             .optional_syntax = true,
                                             .escaped_identifiers = true};
    dray_cel_adviser *a = DRAY_NEW(arena, dray_cel_adviser);
    dray_err err = DRAY_ERR_INIT;
    a->q = *question;
    a->home = arena;
    a->scratch = dray_cel_scratch_new();
    if (dray_cel_env_new(arena, NULL, &options, NULL, 0, &a->env, &err) != DRAY_OK)
        a->env = NULL;
    dray_err_done(&err);
    dray_cel_facts_collect(a);
    return a;
}

void dray_cel_adviser_free(dray_cel_adviser *a) {
    if (a != NULL)
        dray_arena_free(a->scratch);
}
