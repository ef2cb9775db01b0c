/* Calls: operators that have nodes of their own, functions bound to their code, and what of them
 * can be computed beforehand. */
#include "cel/plan_int.h"

#include <stdlib.h>

enum {
    FOLD_LIMIT = 10000, /* most cost of a call that is computed beforehand */
    FOLD_BYTES = 1024,  /* and the largest string kept of one */
};

/* --- calls --- */

/* a && b && c, however it was nested, as one node: the terms keep their order. */
static void collect_terms(dray_cel_planner *p, const dray_cel_expr *expr, dray_str function,
                          dray_cel_terms *to, uint32_t *room) {
    if (expr->kind == DRAY_CEL_CALL && dray_str_eq(expr->call.function, function) &&
        expr->call.n_args == 2 && expr->call.target == NULL) {
        collect_terms(p, expr->call.args[0], function, to, room);
        collect_terms(p, expr->call.args[1], function, to, room);
        return;
    }
    if (to->n == *room) {
        uint32_t more = *room == 0 ? 4 : *room * 2;
        to->v = dray_arena_grow(p->arena, to->v, *room * sizeof *to->v, more * sizeof *to->v);
        *room = more;
    }
    dray_cel_node *term = dray_cel_plan(p, expr);
    to->v[to->n++] = term;
}

static dray_cel_node *plan_terms(dray_cel_planner *p, const dray_cel_expr *expr,
                                 dray_cel_node_eval *eval) {
    dray_cel_terms *n = NEW_NODE(p, dray_cel_terms, eval, DRAY_CEL_N_OTHER);
    uint32_t room = 0;
    collect_terms(p, expr, expr->call.function, n, &room);
    return &n->node;
}

static dray_cel_node *plan_pair(dray_cel_planner *p, const dray_cel_expr *expr,
                                dray_cel_node_eval *eval) {
    dray_cel_binary *n = NEW_NODE(p, dray_cel_binary, eval, DRAY_CEL_N_OTHER);
    const dray_cel_expr *first = expr->call.target != NULL ? expr->call.target : expr->call.args[0];
    n->a = dray_cel_plan(p, first);
    n->b = expr->call.n_args + (expr->call.target != NULL) < 2
               ? NULL
               : dray_cel_plan(p, expr->call.args[expr->call.target != NULL ? 0 : 1]);
    return &n->node;
}

/* == and !=, with a constant on the right by its own node. */
static dray_cel_node *plan_equal(dray_cel_planner *p, const dray_cel_expr *expr, bool negate) {
    dray_cel_node *pair =
        plan_pair(p, expr, negate ? dray_cel_eval_not_equal : dray_cel_eval_equal);
    const dray_cel_binary *n = (const dray_cel_binary *)pair;
    if (!dray_cel_is_const(n->b))
        return pair;
    dray_cel_value value = dray_cel_const_value(n->b);
    if (value.kind != DRAY_CEL_STRING && value.kind != DRAY_CEL_INT && value.kind != DRAY_CEL_BOOL)
        return pair;
    dray_cel_equal_const *e =
        NEW_NODE(p, dray_cel_equal_const, dray_cel_eval_equal_known, DRAY_CEL_N_OTHER);
    e->a = n->a;
    e->value = value;
    e->size = dray_cel_size_of(value);
    e->negate = negate;
    return &e->node;
}

/* The dotted name of a chain of identifiers; absent where it is something else. */
static dray_str qualified_name(dray_cel_planner *p, const dray_cel_expr *expr) {
    if (expr->kind == DRAY_CEL_IDENT && expr->ident.variable == NULL)
        return expr->ident.global ? dray_strf(p->arena, "." DRAY_FMT, DRAY_ARG(expr->ident.name))
                                  : expr->ident.name;
    if (expr->kind != DRAY_CEL_SELECT || expr->select.test_only)
        return DRAY_STR_NONE;
    dray_str of = qualified_name(p, expr->select.operand);
    return of.p == NULL ? of
                        : dray_strf(p->arena, DRAY_FMT "." DRAY_FMT, DRAY_ARG(of),
                                    DRAY_ARG(expr->select.field));
}

static const dray_cel_function *find_candidate(dray_cel_planner *p, dray_str name) {
    dray_str names[DRAY_CEL_CANDIDATES];
    size_t n = dray_cel_env_candidates(p->rt->env, p->arena, name, names);
    for (size_t i = 0; i < n; i++) {
        const dray_cel_function *f = dray_cel_env_function(p->rt->env, names[i]);
        if (f != NULL)
            return f;
    }
    return NULL;
}

/* Which function an unchecked call means, and whether its target is only a namespace. */
static const dray_cel_function *unchecked_function(dray_cel_planner *p, const dray_cel_expr *expr,
                                                   bool *ret_global) {
    dray_str name = expr->call.function;
    *ret_global = expr->call.target == NULL;
    if (expr->call.target == NULL)
        return find_candidate(p, name);
    dray_str prefix = qualified_name(p, expr->call.target);
    if (prefix.p != NULL) {
        const dray_cel_function *f = find_candidate(
            p, dray_strf(p->arena, DRAY_FMT "." DRAY_FMT, DRAY_ARG(prefix), DRAY_ARG(name)));
        if (f != NULL) {
            *ret_global = true;
            return f;
        }
    }
    return dray_cel_env_function(p->rt->env, name);
}

static size_t n_bound(const dray_cel_runtime *rt, const dray_cel_function *f,
                      const dray_cel_overload **last) {
    size_t n = 0;
    for (uint32_t i = 0; f != NULL && i < f->n_overloads; i++) {
        if (rt->overloads[f->overloads[i].index].impl != NULL) {
            *last = &f->overloads[i];
            n++;
        }
    }
    return n;
}

static bool needs_guard(const dray_cel_bound *bound) {
    if (bound->overload == NULL || (bound->flags & DRAY_CEL_I_NO_GUARD))
        return false;
    for (uint32_t i = 0; i < bound->overload->n_params; i++)
        if (!dray_cel_type_is_dyn(bound->overload->params[i]))
            return true;
    return false;
}

static void use_bound(dray_cel_call_node *call, const dray_cel_bound *bound) {
    call->impl = bound->impl;
    call->flags = bound->flags;
    call->mask = bound->mask;
    call->overload = bound->overload;
    call->guarded = needs_guard(bound);
    call->array = call->n > 2 || (bound->flags & DRAY_CEL_I_ARRAY);
}

/* Binds the code: of the one overload, of the function, or a choice at run time. */
static void bind_call(dray_cel_planner *p, dray_cel_call_node *call, const dray_cel_expr *expr,
                      const dray_cel_function *f) {
    const dray_cel_runtime *rt = p->rt;
    const dray_cel_overload *only = expr->call.n_overloads == 1 ? expr->call.overloads[0] : NULL;
    const dray_cel_bound *bound = only != NULL ? &rt->overloads[only->index] : NULL;
    call->runtime = rt;
    if (only != NULL) {
        call->track = bound->track;
        if (bound->track == NULL && bound->impl == NULL && f != NULL)
            call->track = rt->functions[f->index].track;
    } else {
        call->track = dray_cel_runtime_track(rt, call->function, DRAY_STR(""));
    }
    if (bound != NULL && bound->impl != NULL) {
        use_bound(call, bound);
        return;
    }
    const dray_cel_overload *last = NULL;
    size_t n = n_bound(rt, f, &last);
    call->array = call->n > 2;
    if (f != NULL && rt->functions[f->index].impl != NULL) {
        use_bound(call, &rt->functions[f->index]);
    } else if (n == 1) {
        use_bound(call, &rt->overloads[last->index]);
    } else if (n > 1) {
        call->dispatch = f;
        call->array = true;
    }
}

static bool is_conversion(dray_str function) {
    static const char *const names[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                        "int",  "string", "timestamp", "type",     "uint"};
    for (size_t i = 0; i < DRAY_COUNT(names); i++)
        if (dray_str_is(function, names[i]))
            return true;
    return false;
}

static void keep_regex(dray_cel_planner *p, dray_cel_regex *re) {
    dray_cel_program *program = p->program;
    if (program->n_regexes == program->room_regexes) {
        size_t room = program->room_regexes == 0 ? 4 : program->room_regexes * 2;
        program->regexes = dray_arena_grow(p->arena, program->regexes,
                                           program->room_regexes * sizeof *program->regexes,
                                           room * sizeof *program->regexes);
        program->room_regexes = room;
    }
    program->regexes[program->n_regexes++] = re;
}

/* matches, find and findAll with a constant pattern: compiled once; a bad one fails the program. */
static void precompile(dray_cel_planner *p, dray_cel_call_node *call) {
    bool takes = dray_str_is(call->function, "matches") || dray_str_is(call->function, "find") ||
                 dray_str_is(call->function, "findAll");
    if (!takes || call->n < 2 || !dray_cel_is_const(call->args[1]) ||
        dray_cel_const_value(call->args[1]).kind != DRAY_CEL_STRING)
        return;
    dray_cel_value pattern = dray_cel_const_value(call->args[1]);
    char *why = NULL;
    if (!dray_cel_regex_new(pattern.s, pattern.n, &call->regex, &why)) {
        call->regex = NULL;
        if (!p->rt->spec)
            dray_cel_plan_fail(p, why);
        free(why);
        return;
    }
    keep_regex(p, call->regex);
    call->array = true;
}

/* x in [constants]; NULL: not of that form. */
static dray_cel_node *plan_in_set(dray_cel_planner *p, const dray_cel_call_node *call) {
    if (!dray_cel_is_const(call->args[1]) ||
        dray_cel_const_value(call->args[1]).kind != DRAY_CEL_LIST)
        return NULL;
    const dray_cel_list *list = dray_cel_const_value(call->args[1]).list;
    if (list->n == 0)
        return dray_cel_plan_const(p, dray_cel_false);
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].kind != DRAY_CEL_STRING && list->v[i].kind != DRAY_CEL_BOOL &&
            !dray_cel_is_number(list->v[i]))
            return NULL; /* a literal is a run of values */
    dray_cel_binary *n = NEW_NODE(p, dray_cel_binary, dray_cel_eval_in_set, DRAY_CEL_N_OTHER);
    n->a = call->args[0];
    n->b = call->args[1];
    return &n->node;
}

static bool is_known(const dray_cel_node *node) {
    return node->eval == dray_cel_eval_const || node->eval == dray_cel_eval_const_cost;
}

/* quantity("1Gi"), semver("1.0.0"): computed here, charged each time. Errors and what is large stay
 * to be computed. */
static dray_cel_node *fold_charged(dray_cel_planner *p, dray_cel_call_node *call) {
    for (uint32_t i = 0; i < call->n; i++)
        if (!is_known(call->args[i]))
            return &call->node;
    dray_cel_eval e = {.arena = p->arena, .limit = FOLD_LIMIT};
    dray_cel_program alone = {
        .runtime = p->rt, .root = &call->node, .profile = p->program->profile};
    dray_cel_value v = dray_cel_run(&alone, &e);
    bool small = v.kind != DRAY_CEL_ERROR && v.kind != DRAY_CEL_LIST && v.kind != DRAY_CEL_MAP &&
                 v.kind != DRAY_CEL_OPTIONAL && (v.kind != DRAY_CEL_STRING || v.n < FOLD_BYTES);
    if (!small || e.stopped)
        return &call->node;
    dray_cel_const_node *n =
        NEW_NODE(p, dray_cel_const_node, dray_cel_eval_const_cost, DRAY_CEL_N_OTHER);
    n->value = v;
    n->cost = e.cost;
    return &n->node;
}

/* Is the type that the checker found surely that of the value? Not where dyn has been let in. */
static bool is_trusted(const dray_cel_expr *expr) {
    if (expr->type == NULL || dray_cel_type_is_dyn(expr->type))
        return false;
    switch (expr->kind) {
    case DRAY_CEL_LITERAL: /* null checks as a quantity */
        return expr->literal.kind != DRAY_CEL_NULL;
    case DRAY_CEL_IDENT:
        return expr->ident.variable != NULL;
    case DRAY_CEL_SELECT:
        return is_trusted(expr->select.operand);
    case DRAY_CEL_CALL:
        if (dray_cel_is_function(expr, "_[_]"))
            return is_trusted(expr->call.args[0]);
        return expr->call.n_overloads == 1 && !expr->call.overloads[0]->generic;
    default:
        return false;
    }
}

/* Without guards where all argument types are certain. */
static void drop_guards(dray_cel_call_node *call, const dray_cel_expr *expr) {
    if (!call->guarded || expr->call.n_overloads != 1)
        return;
    if (expr->call.target != NULL && !is_trusted(expr->call.target))
        return;
    for (uint32_t i = 0; i < expr->call.n_args; i++)
        if (!is_trusted(expr->call.args[i]))
            return;
    call->guarded = false;
}

/* Does an operator on two ints, or the growing of a list, get a node of its own? */
static void quicken(dray_cel_call_node *call) {
    static const char *const operators[] = {
        [DRAY_CEL_O_ADD] = "_+_",
        [DRAY_CEL_O_SUBTRACT] = "_-_",
        [DRAY_CEL_O_MULTIPLY] = "_*_",
        [DRAY_CEL_O_LESS] = "_<_",
        [DRAY_CEL_O_LESS_EQUAL] = "_<=_",
        [DRAY_CEL_O_GREATER] = "_>_",
        [DRAY_CEL_O_GREATER_EQUAL] = "_>=_",
    };
    if (!call->plain || call->n != 2 || call->track != NULL || call->array)
        return;
    for (size_t i = DRAY_CEL_O_ADD; i < DRAY_COUNT(operators); i++)
        if (dray_str_is(call->function, operators[i]))
            call->operator= i;
    if (call->operator== DRAY_CEL_O_NONE)
        return;
    const dray_cel_list_node *list = (const dray_cel_list_node *)call->args[1];
    call->node.eval = dray_cel_eval_ints;
    if (call->operator== DRAY_CEL_O_ADD && list->node.eval == dray_cel_eval_list &&
        list->n == 1 && list->optional == NULL)
        call->node.eval = dray_cel_eval_push;
}

static dray_cel_node *optimize_call(dray_cel_planner *p, dray_cel_call_node *call,
                                    const dray_cel_expr *expr) {
    if (expr->call.n_overloads == 1 && dray_str_is(expr->call.overloads[0]->id, "in_list")) {
        dray_cel_node *set = plan_in_set(p, call);
        if (set != NULL)
            return set;
    }
    if (call->n == 1 && dray_cel_is_const(call->args[0]) && is_conversion(call->function))
        return dray_cel_plan_fold_now(p, &call->node);
    drop_guards(call, expr);
    precompile(p, call);
    call->plain = call->impl != NULL && call->dispatch == NULL && !call->guarded && call->n > 0 &&
                  (call->regex == NULL || call->mask == 1u << DRAY_CEL_STRING);
    dray_cel_node *known = fold_charged(p, call);
    if (known == &call->node)
        quicken(call);
    return known;
}

static dray_cel_node *plan_plain_call(dray_cel_planner *p, const dray_cel_expr *expr) {
    bool global = expr->call.target == NULL;
    const dray_cel_function *f = expr->call.n_overloads > 0 ? expr->call.overloads[0]->function
                                                            : unchecked_function(p, expr, &global);
    uint32_t n = expr->call.n_args + !global;
    if (n > DRAY_CEL_MAX_ARGS)
        return dray_cel_plan_fail(p, "no such overload: too many arguments");
    dray_cel_call_node *call = dray_cel_plan_node(p, sizeof *call + n * sizeof(dray_cel_node *),
                                                  dray_cel_eval_call, DRAY_CEL_N_CALL);
    call->n = n;
    call->function = f != NULL ? f->name : expr->call.function;
    uint32_t at = 0;
    if (!global)
        call->args[at++] = dray_cel_plan(p, expr->call.target);
    for (uint32_t i = 0; i < expr->call.n_args; i++)
        call->args[at++] = dray_cel_plan(p, expr->call.args[i]);
    bind_call(p, call, expr, f);
    if (n == 0 && call->impl == NULL)
        return dray_cel_plan_fail(
            p, dray_strf(p->arena, "no such overload: " DRAY_FMT "()", DRAY_ARG(call->function)).p);
    return optimize_call(p, call, expr);
}

dray_cel_node *dray_cel_plan_call(dray_cel_planner *p, const dray_cel_expr *expr) {
    static const struct {
        const char *function;
        dray_cel_node_eval *eval;
        uint32_t n;
        bool terms;
    } own[] = {
        {"_&&_", dray_cel_eval_and, 2, true},
        {"_||_", dray_cel_eval_or, 2, true},

        {"!_", dray_cel_eval_not, 1, false},
        {"or", dray_cel_eval_opt_or, 2, false},
        {"orValue", dray_cel_eval_opt_or_value, 2, false},
    };
    uint32_t n = expr->call.n_args + (expr->call.target != NULL);
    for (size_t i = 0; i < DRAY_COUNT(own); i++)
        if (own[i].n == n && dray_cel_is_function(expr, own[i].function))
            return own[i].terms ? plan_terms(p, expr, own[i].eval)
                                : plan_pair(p, expr, own[i].eval);
    if (n == 2 && (dray_cel_is_function(expr, "_==_") || dray_cel_is_function(expr, "_!=_")))
        return plan_equal(p, expr, dray_cel_is_function(expr, "_!=_"));
    if (dray_cel_is_function(expr, "_[_]"))
        return dray_cel_plan_index(p, expr, false);
    if (dray_cel_is_function(expr, "_?._") || dray_cel_is_function(expr, "_[?_]"))
        return dray_cel_plan_index(p, expr, true);
    if (dray_cel_is_function(expr, "_?_:_"))
        return dray_cel_plan_if(p, expr);
    return plan_plain_call(p, expr);
}
