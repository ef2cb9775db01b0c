/* Rules on checked trees: literal arguments that can't be right, literals of mixed types. */
#include "cel/check_int.h"

typedef struct validator {
    const dray_cel_ast *ast;
    const dray_cel_env *env;
    dray_cel_issues *issues;
    dray_buf left, right;
} validator;

static void walk(validator *v, const dray_cel_expr *e, bool in_format);

static void mismatch(validator *v, const dray_cel_expr *e, const dray_cel_type *expected,
                     const dray_cel_type *found) {
    dray_buf_clear(&v->left);
    dray_buf_clear(&v->right);
    dray_cel_type_error_text(&v->left, expected);
    dray_cel_type_error_text(&v->right, found);
    dray_cel_issue_add(v->issues, v->ast->offsets[e->id], "expected type '%s' but found '%s'",
                       dray_buf_cstr(&v->left), dray_buf_cstr(&v->right));
}

/* The type that an element adds to its literal; one marked optional adds what it holds. */
static const dray_cel_type *element_type(const dray_cel_expr *e, bool optional) {
    return optional && e->type->n_params != 0 ? e->type->params[0] : e->type;
}

static void validate_list(validator *v, const dray_cel_expr *e) {
    const dray_cel_type *first = NULL;
    uint32_t optional = 0;
    for (uint32_t i = 0; i < e->list.n; i++) {
        bool is_optional = optional < e->list.n_optional && e->list.optional[optional] == i;
        optional += is_optional;
        const dray_cel_type *type = element_type(e->list.items[i], is_optional);
        if (first == NULL)
            first = type;
        if (!dray_cel_type_same(first, type)) {
            mismatch(v, e->list.items[i], first, type);
            return;
        }
    }
}

static void validate_map(validator *v, const dray_cel_expr *e) {
    const dray_cel_type *first_key = NULL, *first_value = NULL;
    for (uint32_t i = 0; i < e->map.n; i++) {
        const dray_cel_entry *entry = &e->map.entries[i];
        const dray_cel_type *key = entry->key->type;
        const dray_cel_type *value = element_type(entry->value, entry->optional);
        if (i == 0) {
            first_key = key;
            first_value = value;
        }
        if (!dray_cel_type_same(first_key, key))
            mismatch(v, entry->key, first_key, key);
        if (!dray_cel_type_same(first_value, value))
            mismatch(v, entry->value, first_value, value);
    }
}

/* The rule for the first argument of the function, whichever overload is meant. */
static dray_cel_literal_ok *literal_rule(const validator *v, dray_str name) {
    const dray_cel_function *function = dray_cel_env_function(v->env, name);
    for (uint32_t i = 0; function != NULL && i < function->n_overloads; i++)
        if (function->overloads[i].row->literal_ok != NULL &&
            (v->env->options.validators || function->overloads[i].always_ok))
            return function->overloads[i].row->literal_ok;
    return NULL;
}

static void validate_call(validator *v, const dray_cel_expr *e) {
    if (v->env->validate_format && v->env->options.validators && e->call.target != NULL &&
        dray_str_is(e->call.function, "format"))
        dray_cel_validate_format(v->ast, e, v->issues);
    if (e->call.n_args == 0 || e->call.args[0]->kind != DRAY_CEL_LITERAL)
        return;
    dray_cel_literal_ok *ok = literal_rule(v, e->call.function);
    if (ok != NULL && !ok(&e->call.args[0]->literal))
        dray_cel_issue_add(v->issues, v->ast->offsets[e->call.args[0]->id],
                           "invalid " DRAY_FMT " argument", DRAY_ARG(e->call.function));
}

static void walk_call(validator *v, const dray_cel_expr *e, bool in_format) {
    validate_call(v, e);
    bool inside = in_format || (v->env->validate_format && dray_str_is(e->call.function, "format"));
    if (e->call.target != NULL)
        walk(v, e->call.target, inside);
    for (uint32_t i = 0; i < e->call.n_args; i++)
        walk(v, e->call.args[i], inside);
}

static void walk_entries(validator *v, const dray_cel_expr *e, bool in_format) {
    for (uint32_t i = 0; i < e->map.n; i++) {
        if (e->map.entries[i].key != NULL)
            walk(v, e->map.entries[i].key, in_format);
        walk(v, e->map.entries[i].value, in_format);
    }
}

/* in_format: below a call of format(), whose arguments may be mixed. */
static void walk(validator *v, const dray_cel_expr *e, bool in_format) {
    switch ((dray_cel_expr_kind)e->kind) {
    case DRAY_CEL_LITERAL:
    case DRAY_CEL_IDENT:
        return;
    case DRAY_CEL_SELECT:
        walk(v, e->select.operand, in_format);
        return;
    case DRAY_CEL_CALL:
        walk_call(v, e, in_format);
        return;
    case DRAY_CEL_LIST_EXPR:
        if (!in_format && v->env->options.validators)
            validate_list(v, e);
        for (uint32_t i = 0; i < e->list.n; i++)
            walk(v, e->list.items[i], in_format);
        return;
    case DRAY_CEL_MAP_EXPR:
        if (!in_format && v->env->options.validators)
            validate_map(v, e);
        walk_entries(v, e, in_format);
        return;
    case DRAY_CEL_STRUCT_EXPR:
        walk_entries(v, e, in_format);
        return;
    case DRAY_CEL_FOLD:
        walk(v, e->fold->range, in_format);
        walk(v, e->fold->init, in_format);
        walk(v, e->fold->cond, in_format);
        walk(v, e->fold->step, in_format);
        walk(v, e->fold->result, in_format);
        return;
    }
}

void dray_cel_validate(const dray_cel_ast *ast, dray_cel_issues *issues) {
    validator v = {.ast = ast, .env = ast->env, .issues = issues};
    walk(&v, ast->root, false);
    dray_buf_done(&v.left);
    dray_buf_done(&v.right);
}
