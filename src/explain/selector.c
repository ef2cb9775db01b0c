/* Selectors taken apart, matched and put together again. */
#include "explain/selector_int.h"

static const dray_cel_env *env_of(dray_inquiry *q) {
    if (q->env == NULL)
        q->env = dray_celk8s_env(q->celk8s, q->input->gates);
    return q->env;
}

static bool is_call(const dray_cel_expr *e, const char *function, uint32_t n_args) {
    return e->kind == DRAY_CEL_CALL && e->call.target == NULL && e->call.n_args == n_args &&
           dray_str_is(e->call.function, function);
}

static void split(dray_selector *s, dray_cel_expr *e, unsigned depth) {
    if (is_call(e, "_&&_", 2) && depth < DRAY_SELECTOR_DEPTH &&
        s->n + 2 < DRAY_SELECTOR_CONDITIONS) {
        split(s, e->call.args[0], depth + 1);
        split(s, e->call.args[1], depth + 1);
    } else if (s->n < DRAY_SELECTOR_CONDITIONS) {
        s->conditions[s->n++] = e;
    }
}

dray_selector *dray_selector_read(dray_inquiry *q, dray_str text) {
    const dray_cel_env *env = env_of(q);
    dray_err err = DRAY_ERR_INIT;
    dray_selector *s = DRAY_NEW(q->arena, dray_selector);
    s->q = q;
    dray_code code = env != NULL
                         ? dray_cel_compile(env, text, DRAY_CEL_PARSE_ONLY, q->arena, &s->ast, &err)
                         : DRAY_E_INTERNAL;
    dray_err_done(&err);
    if (code != DRAY_OK)
        return NULL;
    split(s, s->ast->root, 0);
    return s->n + 2 < DRAY_SELECTOR_CONDITIONS ? s : NULL;
}

dray_str dray_selector_print(const dray_selector *s, dray_cel_expr *expr) {
    dray_cel_ast part = *s->ast;
    part.root = expr;
    dray_buf out = DRAY_BUF_INIT;
    dray_cel_print(&out, &part);
    dray_str text = dray_str_dup(s->q->arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

dray_str dray_selector_join(const dray_selector *s, uint64_t without, size_t other, dray_str text) {
    dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < s->n; i++) {
        if (without >> i & 1)
            continue;
        dray_cel_expr *e = s->conditions[i];
        bool loose = is_call(e, "_||_", 2) || is_call(e, "_?_:_", 3);
        dray_str part = i == other ? text : dray_selector_print(s, e);
        loose = loose && i != other && s->n > 1;
        dray_buf_addf(&out, "%s%s" DRAY_FMT "%s", out.n != 0 ? " && " : "", loose ? "(" : "",
                      DRAY_ARG(part), loose ? ")" : "");
    }
    dray_str joined = out.n != 0 ? dray_str_dup(s->q->arena, dray_buf_str(&out)) : DRAY_STR_NONE;
    dray_buf_done(&out);
    return joined;
}

static bool is_string(const dray_cel_expr *e) {
    return e->kind == DRAY_CEL_LITERAL && e->literal.kind == DRAY_CEL_STRING;
}

static bool is_index(const dray_cel_expr *e) {
    return is_call(e, "_[_]", 2) || is_call(e, "_[?_]", 2);
}

/* device.attributes["domain"] */
static bool read_domain(dray_cel_expr *e, dray_lookup *ret) {
    if (!is_index(e) || !is_string(e->call.args[1]))
        return false;
    dray_cel_expr *map = e->call.args[0];
    if (map->kind != DRAY_CEL_SELECT || map->select.operand->kind != DRAY_CEL_IDENT ||
        !dray_str_is(map->select.operand->ident.name, "device"))
        return false;
    ret->capacity = dray_str_is(map->select.field, "capacity");
    if (!ret->capacity && !dray_str_is(map->select.field, "attributes"))
        return false;
    ret->map = &map->select.field;
    ret->domain = &e->call.args[1]->literal.s;
    ret->tests = is_call(e, "_[?_]", 2);
    return true;
}

static bool read_lookup(dray_cel_expr *e, dray_lookup *ret) {
    *ret = (dray_lookup){.expr = e};
    if (e->kind == DRAY_CEL_SELECT && read_domain(e->select.operand, ret)) {
        ret->id = &e->select.field;
        ret->tests |= e->select.test_only;
        return true;
    }
    bool optional = is_call(e, "_?._", 2) || is_call(e, "_[?_]", 2);
    if ((optional || is_index(e)) && is_string(e->call.args[1]) &&
        read_domain(e->call.args[0], ret)) {
        ret->id = &e->call.args[1]->literal.s;
        ret->tests |= optional;
        return true;
    }
    if (is_call(e, "@in", 2) && is_string(e->call.args[0]) && read_domain(e->call.args[1], ret)) {
        ret->id = &e->call.args[0]->literal.s;
        ret->tests = true;
        return true;
    }
    return false;
}

/* The parts of a node: NULL-ended in v; returns how many. */
static size_t parts_of(const dray_cel_expr *e, dray_cel_expr **v, size_t max) {
    size_t n = 0;
    if (e->kind == DRAY_CEL_SELECT) {
        v[n++] = e->select.operand;
    } else if (e->kind == DRAY_CEL_CALL) {
        if (e->call.target != NULL)
            v[n++] = e->call.target;
        for (uint32_t i = 0; i < e->call.n_args && n < max; i++)
            v[n++] = e->call.args[i];
    } else if (e->kind == DRAY_CEL_LIST_EXPR) {
        for (uint32_t i = 0; i < e->list.n && n < max; i++)
            v[n++] = e->list.items[i];
    } else if (e->kind == DRAY_CEL_FOLD) {
        dray_cel_expr *all[] = {e->fold->range, e->fold->init, e->fold->cond, e->fold->step,
                                e->fold->result};
        for (size_t i = 0; i < DRAY_COUNT(all) && n < max; i++)
            v[n++] = all[i];
    }
    return n;
}

enum { PARTS_MAX = 64 };

static void collect(dray_inquiry *q, dray_cel_expr *e, unsigned depth, dray_lookups *ret) {
    dray_lookup found;
    if (read_lookup(e, &found)) {
        DRAY_PUSH(q->arena, &ret->list, found);
        return;
    }
    dray_cel_expr *parts[PARTS_MAX];
    size_t n = depth < DRAY_SELECTOR_DEPTH ? parts_of(e, parts, PARTS_MAX) : 0;
    for (size_t i = 0; i < n; i++)
        collect(q, parts[i], depth + 1, ret);
}

dray_lookups dray_selector_lookups(dray_inquiry *q, dray_cel_expr *expr) {
    dray_lookups found = {0};
    collect(q, expr, 0, &found);
    return found;
}

static bool is_device(const dray_cel_expr *e) {
    return e->kind == DRAY_CEL_IDENT && dray_str_is(e->ident.name, "device");
}

static bool only_looks_up(dray_cel_expr *e, unsigned depth) {
    dray_lookup found;
    if (read_lookup(e, &found) || (e->kind == DRAY_CEL_SELECT && is_device(e->select.operand) &&
                                   dray_str_is(e->select.field, "driver")))
        return true;
    dray_cel_expr *parts[PARTS_MAX];
    size_t n = depth < DRAY_SELECTOR_DEPTH ? parts_of(e, parts, PARTS_MAX) : 0;
    bool known = e->kind == DRAY_CEL_LITERAL || e->kind == DRAY_CEL_IDENT || n != 0;
    for (size_t i = 0; i < n && known; i++)
        known = only_looks_up(parts[i], depth + 1);
    return known && !is_device(e) && n < PARTS_MAX;
}

bool dray_selector_only_looks_up(dray_cel_expr *expr) {
    return only_looks_up(expr, 0);
}

static bool read_comparison(dray_cel_expr *e, dray_comparison *ret) {
    static const char *const signs[][2] = {{"_<_", "<"},   {"_<=_", "<="}, {"_>_", ">"},
                                           {"_>=_", ">="}, {"_==_", "=="}, {"_!=_", "!="}};
    for (size_t i = 0; i < DRAY_COUNT(signs); i++) {
        if (!is_call(e, signs[i][0], 2))
            continue;
        bool left = e->call.args[0]->kind == DRAY_CEL_LITERAL;
        bool right = e->call.args[1]->kind == DRAY_CEL_LITERAL;
        if (left == right)
            return false;
        *ret = (dray_comparison){.expr = e,
                                 .value = &e->call.args[left ? 1 : 0],
                                 .literal = e->call.args[left ? 0 : 1],
                                 .sign = signs[i][1],
                                 .swapped = left};
        return true;
    }
    return false;
}

static bool nth_comparison(dray_cel_expr *e, unsigned depth, size_t *index, dray_comparison *ret) {
    if (read_comparison(e, ret) && (*index)-- == 0)
        return true;
    dray_cel_expr *parts[PARTS_MAX];
    size_t n = depth < DRAY_SELECTOR_DEPTH ? parts_of(e, parts, PARTS_MAX) : 0;
    for (size_t i = 0; i < n; i++)
        if (nth_comparison(parts[i], depth + 1, index, ret))
            return true;
    return false;
}

bool dray_selector_comparison(dray_cel_expr *expr, size_t index, dray_comparison *ret) {
    return nth_comparison(expr, 0, &index, ret);
}

static dray_cel_expr *nth_literal(dray_cel_expr *e, unsigned depth, size_t *index) {
    if (e->kind == DRAY_CEL_LITERAL)
        return (*index)-- == 0 ? e : NULL;
    dray_lookup found;
    if (read_lookup(e, &found))
        return NULL;
    dray_cel_expr *parts[PARTS_MAX], *literal = NULL;
    size_t n = depth < DRAY_SELECTOR_DEPTH ? parts_of(e, parts, PARTS_MAX) : 0;
    for (size_t i = 0; i < n && literal == NULL; i++)
        literal = nth_literal(parts[i], depth + 1, index);
    return literal;
}

dray_cel_expr *dray_selector_literal(dray_cel_expr *expr, size_t index) {
    return nth_literal(expr, 0, &index);
}

/* The program of an expression; NULL where it can't be compiled. */
static const dray_celk8s_program *program_of(dray_inquiry *q, dray_str expression,
                                             dray_str *ret_error) {
    if (q->last_program != NULL && q->last_text.p == expression.p && q->last_text.n == expression.n)
        return q->last_program;
    const dray_celk8s_program *program;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_celk8s_compile(q->celk8s, expression, DRAY_CELK8S_SELECTOR, false,
                                         q->input->gates, &program, &err);
    if (code != DRAY_OK && ret_error != NULL)
        *ret_error = dray_str_dup(q->arena, dray_str_of(dray_err_text(&err)));
    dray_err_done(&err);
    if (code != DRAY_OK)
        return NULL;
    q->last_text = expression;
    q->last_program = program;
    return program;
}

static dray_celk8s_answer evaluate(dray_inquiry *q, const dray_celk8s_program *program,
                                   dray_str driver, const dray_resource_device *device,
                                   dray_str *ret_error) {
    dray_arena_mark mark = dray_arena_save(q->arena);
    dray_celk8s_device *variable =
        dray_celk8s_device_new_for(q->arena, driver, device, &program, 1);
    dray_celk8s_result result;
    dray_celk8s_answer answer = dray_celk8s_match(program, variable, q->eval, &result);
    dray_arena_release(q->arena, mark);
    if (answer == DRAY_CELK8S_ERROR && ret_error != NULL)
        *ret_error = dray_str_dup(q->arena, result.error);
    return answer;
}

dray_celk8s_answer dray_selector_match(dray_inquiry *q, dray_str expression, dray_str driver,
                                       const dray_resource_device *device, dray_str *ret_error) {
    const dray_celk8s_program *program = program_of(q, expression, ret_error);
    return program != NULL ? evaluate(q, program, driver, device, ret_error) : DRAY_CELK8S_ERROR;
}

dray_celk8s_answer dray_selector_published(dray_inquiry *q, dray_str expression, dray_str driver,
                                           const dray_resource_device *device) {
    const dray_celk8s_program *program = program_of(q, expression, NULL);
    if (program == NULL)
        return DRAY_CELK8S_ERROR;
    if (q->said.arena == NULL)
        q->said = dray_map_new(q->arena);
    const void *both[] = {program, device};
    dray_str key = {(const char *)both, sizeof both};
    int64_t at = dray_map_index(&q->said, key);
    if (at >= 0)
        return (dray_celk8s_answer)((uintptr_t)q->said.entries[at].value - 1);
    dray_celk8s_answer answer = evaluate(q, program, driver, device, NULL);
    dray_map_put(&q->said, dray_str_dup(q->arena, key), (void *)((uintptr_t)answer + 1));
    return answer;
}

dray_str dray_selector_driver(dray_inquiry *q, dray_str expression) {
    dray_selector *s = dray_selector_read(q, expression);
    for (size_t i = 0; s != NULL && i < s->n; i++) {
        dray_comparison c;
        if (!read_comparison(s->conditions[i], &c) || strcmp(c.sign, "==") != 0 ||
            !is_string(c.literal))
            continue;
        const dray_cel_expr *value = *c.value;
        if (value->kind == DRAY_CEL_SELECT && value->select.operand->kind == DRAY_CEL_IDENT &&
            dray_str_is(value->select.operand->ident.name, "device") &&
            dray_str_is(value->select.field, "driver"))
            return c.literal->literal.s;
    }
    return DRAY_STR_NONE;
}
