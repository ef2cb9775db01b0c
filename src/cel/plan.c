/* From a checked (or only parsed) tree to a program: names become slots, constants are folded,
 * overloads are bound to code. Follows cel-go's planner and its OptOptimize: literal lists and
 * maps of constants, conversions of constants and `in` over constant lists are computed here. */
#include "cel/plan_int.h"

/* --- making nodes --- */

void *dray_cel_plan_node(dray_cel_planner *p, size_t bytes, dray_cel_node_eval *eval,
                         uint8_t kind) {
    dray_cel_node *node = dray_arena_alloc(p->arena, bytes);
    node->eval = eval;
    node->kind = kind;
    return node;
}

dray_cel_node *dray_cel_plan_const(dray_cel_planner *p, dray_cel_value v) {
    dray_cel_const_node *n =
        NEW_NODE(p, dray_cel_const_node, dray_cel_eval_const, DRAY_CEL_N_CONST);
    n->value = v;
    return &n->node;
}

dray_cel_node *dray_cel_plan_fail(dray_cel_planner *p, const char *text) {
    if (!p->failed)
        dray_err_set(p->err, DRAY_E_INVALID, "%s", text);
    p->failed = true;
    return dray_cel_plan_const(p, dray_cel_no_overload);
}

dray_cel_node *dray_cel_plan_fold_now(dray_cel_planner *p, dray_cel_node *node) {
    dray_cel_eval e = {.arena = p->arena};
    dray_cel_program alone = {.runtime = p->rt, .root = node, .profile = p->program->profile};
    dray_cel_value v = dray_cel_run(&alone, &e);
    if (v.kind != DRAY_CEL_ERROR)
        return dray_cel_plan_const(p, v);
    if (e.stopped || p->rt->spec)
        return node; /* stays an error of the evaluation */
    return dray_cel_plan_fail(p, dray_cel_failure_text(p->arena, v.failure).p);
}

static dray_cel_value literal_value(const dray_cel_const *c) {
    switch (c->kind) {
    case DRAY_CEL_BOOL:
        return dray_cel_of_bool(c->b);
    case DRAY_CEL_INT:
        return dray_cel_of_int(c->i);
    case DRAY_CEL_UINT:
        return dray_cel_of_uint(c->u);
    case DRAY_CEL_DOUBLE:
        return dray_cel_of_double(c->d);
    case DRAY_CEL_STRING:
        return dray_cel_of_str(c->s);
    case DRAY_CEL_BYTES:
        return dray_cel_of_bytes(c->s);
    default:
        return dray_cel_null_value;
    }
}

/* --- attributes --- */

static dray_cel_attr *new_attr(dray_cel_planner *p, dray_cel_root root) {
    dray_cel_attr *a = NEW_NODE(p, dray_cel_attr, dray_cel_eval_attr, DRAY_CEL_N_ATTR);
    a->root = root;
    return a;
}

/* The node as an attribute to add steps to. */
dray_cel_attr *dray_cel_plan_attr_of(dray_cel_planner *p, dray_cel_node *node) {
    if (node->kind == DRAY_CEL_N_ATTR) {
        node->eval = dray_cel_eval_attr;
        return (dray_cel_attr *)node;
    }
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_NODE);
    a->operand = node;
    return a;
}

static const dray_cel_plan_local *find_local(const dray_cel_planner *p, dray_str name) {
    for (size_t i = p->scope.n; i-- > 0;)
        if (p->scope.v[i].visible && dray_str_eq(p->scope.v[i].name, name))
            return &p->scope.v[i];
    return NULL;
}

static dray_str joined_names(dray_cel_planner *p, const dray_str *names, size_t n) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        dray_buf_puts(&text, i > 0 ? ", " : "");
        dray_buf_str_add(&text, names[i]);
    }
    return dray_str_dup(p->arena, dray_buf_str(&text));
}

/* A name that the environment knows: a type's name or a variable. */
static dray_cel_node *variable_node(dray_cel_planner *p, const dray_cel_variable *variable) {
    if (variable->type->kind == DRAY_CEL_TYPE) {
        const dray_cel_type *of =
            variable->type->n_params > 0 ? variable->type->params[0] : variable->type;
        return dray_cel_plan_const(p, dray_cel_of_type(of->name));
    }
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_VARIABLE);
    a->slot = variable->index;
    a->names = variable->name;
    return &a->node;
}

/* Attributes of all candidates: the unchecked meaning of a name. */
static dray_cel_attr *candidates_attr(dray_cel_planner *p, const dray_str *names, size_t n) {
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_UNKNOWN);
    a->names = joined_names(p, names, n);
    for (size_t i = 0; i < n; i++) {
        const dray_cel_variable *variable = dray_cel_env_variable(p->rt->env, names[i]);
        if (variable == NULL)
            continue;
        dray_cel_node *found = variable_node(p, variable);
        if (dray_cel_is_const(found)) {
            a->root = DRAY_CEL_ROOT_NODE;
            a->operand = found;
        } else {
            a->root = DRAY_CEL_ROOT_VARIABLE;
            a->slot = variable->index;
        }
        break;
    }
    a->candidates = DRAY_NEW_N(p->arena, dray_str, n);
    memcpy(a->candidates, names, n * sizeof *names);
    a->n_candidates = (uint32_t)n;
    return a;
}

static dray_cel_node *maybe_node(dray_cel_planner *p, dray_str name) {
    dray_str names[DRAY_CEL_CANDIDATES];
    size_t n = dray_cel_env_candidates(p->rt->env, p->arena, name, names);
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_MAYBE);
    a->maybe = DRAY_NEW_N(p->arena, dray_cel_attr *, DRAY_CEL_DEPTH + 2);
    a->maybe[0] = candidates_attr(p, names, n);
    a->n_maybe = 1;
    return &a->node;
}

/* cel-go takes whatever has the type of a type for the name of one and looks that up. */
static dray_cel_node *undefined_type(dray_cel_planner *p, dray_str name) {
    return dray_cel_plan_fail(
        p, dray_strf(p->arena, "reference to undefined type: " DRAY_FMT, DRAY_ARG(name)).p);
}

/* Types are found by the names that they bear: not by `duration`, nor messages that stand for
 * other types, as google.protobuf.Any and wrappers. */
static bool is_registered(const dray_cel_variable *variable) {
    const dray_cel_type *type = variable->type;
    if (type->kind != DRAY_CEL_TYPE)
        return true;
    const dray_cel_type *of = type->n_params > 0 ? type->params[0] : type;
    return of->kind != DRAY_CEL_ANY && dray_str_eq(of->name, variable->name);
}

static dray_cel_node *plan_ident(dray_cel_planner *p, const dray_cel_expr *expr) {
    if (!expr->ident.global && expr->ident.variable == NULL) {
        const dray_cel_plan_local *l = find_local(p, expr->ident.name);
        if (l != NULL && expr->type != NULL && expr->type->kind == DRAY_CEL_TYPE)
            return undefined_type(p, expr->ident.name);
        if (l != NULL) {
            dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_LOCAL);
            a->slot = l->slot;
            a->node.eval = dray_cel_eval_local;
            return &a->node;
        }
    }
    const dray_cel_variable *variable = expr->ident.variable;
    if (variable != NULL && !is_registered(variable))
        return undefined_type(p, variable->name);
    if (variable != NULL)
        return variable_node(p, variable);
    return maybe_node(p, expr->ident.global
                             ? dray_strf(p->arena, "." DRAY_FMT, DRAY_ARG(expr->ident.name))
                             : expr->ident.name);
}

static void push_qual(dray_cel_planner *p, dray_cel_attr *a, dray_cel_qual q) {
    if (q.attr == NULL && q.key.kind == DRAY_CEL_STRING)
        q.hash = dray_str_hash(dray_cel_str(q.key));
    if (a->n == a->room) {
        uint32_t room = a->room == 0 ? 4 : a->room * 2;
        a->quals = dray_arena_grow(p->arena, a->quals, a->room * sizeof q, room * sizeof q);
        a->room = room;
    }
    a->quals[a->n++] = q;
}

/* A step of a name that may be a namespace: a.b is tried as one name before b is taken of a. */
static void add_maybe(dray_cel_planner *p, dray_cel_attr *a, dray_cel_qual q) {
    dray_cel_attr *longer = NULL;
    for (uint32_t i = 0; i < a->n_maybe; i++) {
        dray_cel_attr *m = a->maybe[i];
        if (q.attr == NULL && q.key.kind == DRAY_CEL_STRING && m->n == 0) {
            dray_str names[DRAY_CEL_CANDIDATES];
            for (uint32_t j = 0; j < m->n_candidates; j++)
                names[j] = dray_strf(p->arena, DRAY_FMT "." DRAY_FMT, DRAY_ARG(m->candidates[j]),
                                     DRAY_ARG(dray_cel_str(q.key)));
            longer = candidates_attr(p, names, m->n_candidates);
        }
        push_qual(p, m, q);
    }
    if (longer == NULL || a->n_maybe >= DRAY_CEL_DEPTH)
        return;
    memmove(a->maybe + 1, a->maybe, a->n_maybe * sizeof *a->maybe);
    a->maybe[0] = longer;
    a->n_maybe++;
}

static void add_qual(dray_cel_planner *p, dray_cel_attr *a, dray_cel_qual q) {
    if (a->root == DRAY_CEL_ROOT_IF) {
        add_qual(p, a->yes, q);
        add_qual(p, a->no, q);
    } else if (a->root == DRAY_CEL_ROOT_MAYBE) {
        add_maybe(p, a, q);
    } else {
        push_qual(p, a, q);
    }
}

/* A variable and nothing but names: the short way. */
static void choose_path(dray_cel_attr *a) {
    bool names = a->root == DRAY_CEL_ROOT_VARIABLE && !a->test_only;
    for (uint32_t i = 0; names && i < a->n; i++)
        names = a->quals[i].attr == NULL && a->quals[i].key.kind == DRAY_CEL_STRING &&
                !a->quals[i].optional && !a->quals[i].test_only;
    if (names && a->n > 0)
        a->node.eval = dray_cel_eval_path;
}

static dray_cel_node *plan_select(dray_cel_planner *p, const dray_cel_expr *expr) {
    dray_cel_node *operand = dray_cel_plan(p, expr->select.operand);
    dray_cel_attr *a = dray_cel_plan_attr_of(p, operand);
    dray_cel_qual q = {.key = dray_cel_of_str(expr->select.field),
                       .test_only = expr->select.test_only};
    add_qual(p, a, q);
    if (expr->select.test_only)
        a->test_only = true;
    choose_path(a);
    return &a->node;
}

dray_cel_node *dray_cel_plan_index(dray_cel_planner *p, const dray_cel_expr *expr, bool optional) {
    dray_cel_node *operand = dray_cel_plan(p, expr->call.args[0]);
    dray_cel_node *index = dray_cel_plan(p, expr->call.args[1]);
    dray_cel_attr *a = dray_cel_plan_attr_of(p, operand);
    dray_cel_qual q = {.optional = optional};
    if (dray_cel_is_const(index) &&
        !(p->rt->spec && dray_cel_const_value(index).kind == DRAY_CEL_BYTES)) {
        q.key = dray_cel_const_value(index);
        if (q.key.kind != DRAY_CEL_STRING && q.key.kind != DRAY_CEL_INT &&
            q.key.kind != DRAY_CEL_UINT && q.key.kind != DRAY_CEL_BOOL &&
            q.key.kind != DRAY_CEL_DOUBLE)
            return dray_cel_plan_fail(
                p, dray_strf(p->arena, "invalid qualifier type: %s", dray_cel_go_type(q.key)).p);
    } else {
        q.attr = dray_cel_plan_attr_of(p, index);
    }
    add_qual(p, a, q);
    choose_path(a);
    return &a->node;
}

dray_cel_node *dray_cel_plan_if(dray_cel_planner *p, const dray_cel_expr *expr) {
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_IF);
    a->operand = dray_cel_plan(p, expr->call.args[0]);
    a->yes = dray_cel_plan_attr_of(p, dray_cel_plan(p, expr->call.args[1]));
    a->no = dray_cel_plan_attr_of(p, dray_cel_plan(p, expr->call.args[2]));
    return &a->node;
}

/* --- literals and comprehensions --- */

static dray_cel_node *plan_list(dray_cel_planner *p, const dray_cel_expr *expr) {
    dray_cel_list_node *n = NEW_NODE(p, dray_cel_list_node, dray_cel_eval_list, DRAY_CEL_N_LIST);
    n->n = expr->list.n;
    n->v = DRAY_NEW_N(p->arena, dray_cel_node *, n->n + 1);
    bool all_const = true;
    for (uint32_t i = 0; i < n->n; i++) {
        n->v[i] = dray_cel_plan(p, expr->list.items[i]);
        all_const = all_const && dray_cel_is_const(n->v[i]);
    }
    if (expr->list.n_optional > 0) {
        n->optional = DRAY_NEW_N(p->arena, bool, n->n);
        for (uint32_t i = 0; i < expr->list.n_optional; i++)
            n->optional[expr->list.optional[i]] = true;
    }
    return all_const ? dray_cel_plan_fold_now(p, &n->node) : &n->node;
}

static dray_cel_node *plan_map(dray_cel_planner *p, const dray_cel_expr *expr) {
    bool is_struct = expr->kind == DRAY_CEL_STRUCT_EXPR;
    dray_cel_map_node *n = NEW_NODE(
        p, dray_cel_map_node, is_struct ? dray_cel_eval_struct : dray_cel_eval_map, DRAY_CEL_N_MAP);
    n->n = expr->map.n;
    n->name = expr->map.name;
    n->keys = DRAY_NEW_N(p->arena, dray_cel_node *, n->n + 1);
    n->values = DRAY_NEW_N(p->arena, dray_cel_node *, n->n + 1);
    n->optional = DRAY_NEW_N(p->arena, bool, n->n + 1);
    n->fields = DRAY_NEW_N(p->arena, dray_str, n->n + 1);
    bool all_const = !is_struct;
    for (uint32_t i = 0; i < n->n; i++) {
        const dray_cel_entry *entry = &expr->map.entries[i];
        n->optional[i] = entry->optional;
        n->fields[i] = entry->field;
        if (!is_struct)
            n->keys[i] = dray_cel_plan(p, entry->key);
        n->values[i] = dray_cel_plan(p, entry->value);
        all_const = all_const && dray_cel_is_const(n->keys[i]) && dray_cel_is_const(n->values[i]);
    }
    return all_const ? dray_cel_plan_fold_now(p, &n->node) : &n->node;
}

static uint32_t push_local(dray_cel_planner *p, dray_str name, dray_cel_node *init) {
    uint32_t slot = p->program->n_locals++;
    DRAY_PUSH(p->arena, &p->inits, init);
    DRAY_PUSH(p->arena, &p->scope, (dray_cel_plan_local){name, slot, true});
    return slot;
}

static bool is_accu(const dray_cel_expr *e, const struct dray_cel_fold *fold) {
    return e->kind == DRAY_CEL_IDENT && !e->ident.global && e->ident.variable == NULL &&
           dray_str_eq(e->ident.name, fold->accu);
}

bool dray_cel_plan_is_call(const dray_cel_expr *e, const char *function, uint32_t n) {
    return e->kind == DRAY_CEL_CALL && e->call.target == NULL && e->call.n_args == n &&
           dray_cel_is_function(e, function);
}

/* The macros all() and exists() over one variable, by what they have become. */
static bool is_quantifier(const struct dray_cel_fold *fold, bool exists) {
    if (fold->iter2.n > 0 || fold->init->kind != DRAY_CEL_LITERAL ||
        fold->init->literal.kind != DRAY_CEL_BOOL || fold->init->literal.b == exists ||
        !is_accu(fold->result, fold) ||
        !dray_cel_plan_is_call(fold->cond, "@not_strictly_false", 1) ||
        !dray_cel_plan_is_call(fold->step, exists ? "_||_" : "_&&_", 2) ||
        !is_accu(fold->step->call.args[0], fold))
        return false;
    const dray_cel_expr *test = fold->cond->call.args[0];
    return exists ? dray_cel_plan_is_call(test, "!_", 1) && is_accu(test->call.args[0], fold)
                  : is_accu(test, fold);
}

/* Operators on ints, names and constants make no values. */
static bool may_make(const dray_cel_node *node) {
    if (node->eval == dray_cel_eval_ints) {
        const dray_cel_call_node *call = (const dray_cel_call_node *)node;
        return may_make(call->args[0]) || may_make(call->args[1]);
    }
    return node->eval != dray_cel_eval_local && node->eval != dray_cel_eval_const &&
           node->eval != dray_cel_eval_equal_known;
}

static dray_cel_node *maybe_quantifier(dray_cel_planner *p, const struct dray_cel_fold *fold,
                                       dray_cel_fold_node *n) {
    bool exists = is_quantifier(fold, true);
    const dray_cel_terms *step = (const dray_cel_terms *)n->step;
    if ((!exists && !is_quantifier(fold, false)) || n->step->kind != DRAY_CEL_N_OTHER ||
        step->n != 2)
        return &n->node;
    dray_cel_quantifier *q =
        NEW_NODE(p, dray_cel_quantifier, dray_cel_eval_quantifier, DRAY_CEL_N_FOLD);
    q->iter = n->iter;
    q->exists = exists;
    q->makes = may_make(step->v[1]);
    q->range = n->range;
    q->predicate = step->v[1];
    q->fold = n;
    return &q->node;
}

static dray_cel_node *plan_fold(dray_cel_planner *p, const dray_cel_expr *expr) {
    const struct dray_cel_fold *fold = expr->fold;
    dray_cel_fold_node *n = NEW_NODE(p, dray_cel_fold_node, dray_cel_eval_fold, DRAY_CEL_N_FOLD);
    n->init = dray_cel_plan(p, fold->init);
    n->range = dray_cel_plan(p, fold->range);
    size_t depth = p->scope.n;
    /* cel-go looks for the accumulator first, then the iteration variables. */
    n->iter2 = fold->iter2.n > 0 ? push_local(p, fold->iter2, NULL) : UINT32_MAX;
    n->iter = push_local(p, fold->iter, NULL);
    n->accu = push_local(p, fold->accu, n->init);
    n->cond = dray_cel_plan(p, fold->cond);
    n->step = dray_cel_plan(p, fold->step);
    for (size_t i = depth; i + 1 < p->scope.n; i++)
        p->scope.v[i].visible = false; /* the result sees the accumulator only */
    n->result = dray_cel_plan(p, fold->result);
    p->scope.n = depth;
    return maybe_quantifier(p, fold, n);
}

dray_cel_node *dray_cel_plan(dray_cel_planner *p, const dray_cel_expr *expr) {
    switch (expr->kind) {
    case DRAY_CEL_LITERAL:
        return dray_cel_plan_const(p, literal_value(&expr->literal));
    case DRAY_CEL_IDENT:
        return plan_ident(p, expr);
    case DRAY_CEL_SELECT:
        return plan_select(p, expr);
    case DRAY_CEL_CALL:
        return dray_cel_plan_call(p, expr);
    case DRAY_CEL_LIST_EXPR:
        return plan_list(p, expr);
    case DRAY_CEL_MAP_EXPR:
    case DRAY_CEL_STRUCT_EXPR:
        return plan_map(p, expr);
    default:
        return plan_fold(p, expr);
    }
}

dray_code dray_cel_program_new(const dray_cel_runtime *runtime, const dray_cel_ast *ast,
                               dray_arena *arena, dray_cel_program **ret, dray_err *err) {
    const dray_cel_options *options = dray_cel_env_options(runtime->env);
    dray_cel_program *program = DRAY_NEW(arena, dray_cel_program);
    program->runtime = runtime;
    program->presence_error = options->presence_error;
    program->profile = options->profile;
    dray_cel_planner p = {
        .rt = runtime, .ast = ast, .arena = arena, .program = program, .err = err};
    program->root = dray_cel_plan(&p, ast->root);
    program->inits = p.inits.v;
    if (p.failed) {
        dray_cel_program_done(program);
        return DRAY_E_INVALID;
    }
    *ret = program;
    return DRAY_OK;
}

void dray_cel_program_done(dray_cel_program *program) {
    for (size_t i = 0; program != NULL && i < program->n_regexes; i++)
        dray_cel_regex_free(program->regexes[i]);
    if (program != NULL)
        program->n_regexes = 0;
}
