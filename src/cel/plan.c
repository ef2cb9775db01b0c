/* From a checked (or only parsed) tree to a program: names become slots, constants are folded,
 * overloads are bound to code. Follows cel-go's planner and its OptOptimize: literal lists and
 * maps of constants, conversions of constants and `in` over constant lists are computed here. */
#include "cel/eval_int.h"

#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>

enum {
    FOLD_LIMIT = 10000, /* most cost of a call that is computed beforehand */
    FOLD_BYTES = 1024,  /* and the largest string kept of one */
};

typedef struct local {
    dray_str name;
    uint32_t slot;
    bool visible;
} local;

typedef struct planner {
    const dray_cel_runtime *rt;
    const dray_cel_ast *ast;
    dray_arena *arena;
    dray_cel_program *program;
    DRAY_VEC(local) scope;
    DRAY_VEC(dray_cel_node *) inits;
    dray_err *err;
    bool failed;
} planner;

static dray_cel_node *plan(planner *p, const dray_cel_expr *expr);

/* --- code for functions --- */

static const dray_cel_impl_table *const tables[] = {
    &dray_cel_impls_std,      &dray_cel_impls_convert, &dray_cel_impls_time,
    &dray_cel_impls_strings,  &dray_cel_impls_format,  &dray_cel_impls_lists,
    &dray_cel_impls_optional, &dray_cel_impls_math,    &dray_cel_impls_encoders,
    &dray_cel_impls_network,
};

static void fill(dray_map *functions, dray_map *overloads) {
    for (size_t t = 0; t < DRAY_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t]->n_functions; i++)
            dray_map_put(functions, dray_str_of(tables[t]->functions[i].key),
                         (void *)&tables[t]->functions[i]);
        for (size_t i = 0; i < tables[t]->n_overloads; i++)
            dray_map_put(overloads, dray_str_of(tables[t]->overloads[i].key),
                         (void *)&tables[t]->overloads[i]);
    }
}

static dray_cel_track *track_of(const dray_cel_runtime *rt, dray_str function, dray_str id) {
    for (size_t i = 0; i < rt->n_tracks; i++) {
        const dray_cel_track_row *row = &rt->tracks[i];
        if (dray_str_is(function, row->function) && (row->id == NULL || dray_str_is(id, row->id)))
            return row->track;
    }
    return NULL;
}

static dray_cel_bound bind_overload(const dray_cel_runtime *rt, const dray_cel_overload *o,
                                    const dray_map *overloads) {
    const dray_cel_impl_row *row = dray_map_find(overloads, o->id);
    dray_cel_bound b = {.overload = o};
    if (row != NULL)
        b = (dray_cel_bound){row->impl, row->track, row->flags, row->mask, o};
    if (o->row->impl != NULL) {
        b.impl = o->row->impl;
        b.flags = o->row->flags;
    }
    dray_cel_track *named = track_of(rt, o->function->name, o->id);
    if (o->row->track != NULL)
        b.track = o->row->track;
    else if (named != NULL && !(b.flags & DRAY_CEL_I_TRACK_FIRST))
        b.track = named;
    return b;
}

dray_cel_runtime *dray_cel_runtime_new(dray_arena *arena, const dray_cel_env *env,
                                       const dray_cel_track_row *tracks, size_t n_tracks) {
    dray_cel_runtime *rt = DRAY_NEW(arena, dray_cel_runtime);
    rt->env = env;
    rt->tracks = tracks;
    rt->n_tracks = n_tracks;
    rt->spec = dray_cel_env_overload(env, DRAY_STR("string_reverse")) != NULL;
    rt->overloads = DRAY_NEW_N(arena, dray_cel_bound, dray_cel_env_n_overloads(env) + 1);
    rt->functions = DRAY_NEW_N(arena, dray_cel_bound, dray_cel_env_n_functions(env) + 1);
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    dray_map functions = dray_map_new(scratch), overloads = dray_map_new(scratch);
    fill(&functions, &overloads);
    for (uint32_t i = 0; i < dray_cel_env_n_functions(env); i++) {
        const dray_cel_function *f = dray_cel_env_function_at(env, i);
        const dray_cel_impl_row *row = dray_map_find(&functions, f->name);
        if (row != NULL)
            rt->functions[i] = (dray_cel_bound){row->impl, row->track, row->flags, row->mask, NULL};
        for (uint32_t j = 0; j < f->n_overloads; j++)
            rt->overloads[f->overloads[j].index] = bind_overload(rt, &f->overloads[j], &overloads);
    }
    return rt;
}

/* --- making nodes --- */

static void *new_node(planner *p, size_t bytes, dray_cel_node_eval *eval, uint8_t kind) {
    dray_cel_node *node = dray_arena_alloc(p->arena, bytes);
    node->eval = eval;
    node->kind = kind;
    return node;
}
#define NEW_NODE(p, type, eval, kind) ((type *)new_node((p), sizeof(type), (eval), (kind)))

static dray_cel_node *const_node(planner *p, dray_cel_value v) {
    dray_cel_const_node *n =
        NEW_NODE(p, dray_cel_const_node, dray_cel_eval_const, DRAY_CEL_N_CONST);
    n->value = v;
    return &n->node;
}

static dray_cel_node *fail_plan(planner *p, const char *text) {
    if (!p->failed)
        dray_err_set(p->err, DRAY_E_INVALID, "%s", text);
    p->failed = true;
    return const_node(p, dray_cel_no_overload);
}

/* Computes a node without variables. An error is the program's. */
static dray_cel_node *fold_now(planner *p, dray_cel_node *node) {
    dray_cel_eval e = {.arena = p->arena};
    dray_cel_program alone = {.runtime = p->rt, .root = node, .profile = p->program->profile};
    dray_cel_value v = dray_cel_run(&alone, &e);
    if (v.kind != DRAY_CEL_ERROR)
        return const_node(p, v);
    if (e.stopped || p->rt->spec)
        return node; /* stays an error of the evaluation */
    return fail_plan(p, dray_cel_failure_text(p->arena, v.failure).p);
}

static bool is_const(const dray_cel_node *node) {
    return node->kind == DRAY_CEL_N_CONST;
}
static dray_cel_value const_value(const dray_cel_node *node) {
    return ((const dray_cel_const_node *)node)->value;
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

static dray_cel_attr *new_attr(planner *p, dray_cel_root root) {
    dray_cel_attr *a = NEW_NODE(p, dray_cel_attr, dray_cel_eval_attr, DRAY_CEL_N_ATTR);
    a->root = root;
    return a;
}

/* The node as an attribute to add steps to. */
static dray_cel_attr *attr_of(planner *p, dray_cel_node *node) {
    if (node->kind == DRAY_CEL_N_ATTR) {
        node->eval = dray_cel_eval_attr;
        return (dray_cel_attr *)node;
    }
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_NODE);
    a->operand = node;
    return a;
}

static const local *find_local(const planner *p, dray_str name) {
    for (size_t i = p->scope.n; i-- > 0;)
        if (p->scope.v[i].visible && dray_str_eq(p->scope.v[i].name, name))
            return &p->scope.v[i];
    return NULL;
}

static dray_str joined_names(planner *p, const dray_str *names, size_t n) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        dray_buf_puts(&text, i > 0 ? ", " : "");
        dray_buf_str_add(&text, names[i]);
    }
    return dray_str_dup(p->arena, dray_buf_str(&text));
}

/* A name that the environment knows: a type's name or a variable. */
static dray_cel_node *variable_node(planner *p, const dray_cel_variable *variable) {
    if (variable->type->kind == DRAY_CEL_TYPE) {
        const dray_cel_type *of =
            variable->type->n_params > 0 ? variable->type->params[0] : variable->type;
        return const_node(p, dray_cel_of_type(of->name));
    }
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_VARIABLE);
    a->slot = variable->index;
    a->names = variable->name;
    return &a->node;
}

/* Attributes of all candidates: the unchecked meaning of a name. */
static dray_cel_attr *candidates_attr(planner *p, const dray_str *names, size_t n) {
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_UNKNOWN);
    a->names = joined_names(p, names, n);
    for (size_t i = 0; i < n; i++) {
        const dray_cel_variable *variable = dray_cel_env_variable(p->rt->env, names[i]);
        if (variable == NULL)
            continue;
        dray_cel_node *found = variable_node(p, variable);
        if (is_const(found)) {
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

static dray_cel_node *maybe_node(planner *p, dray_str name) {
    dray_str names[DRAY_CEL_CANDIDATES];
    size_t n = dray_cel_env_candidates(p->rt->env, p->arena, name, names);
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_MAYBE);
    a->maybe = DRAY_NEW_N(p->arena, dray_cel_attr *, DRAY_CEL_DEPTH + 2);
    a->maybe[0] = candidates_attr(p, names, n);
    a->n_maybe = 1;
    return &a->node;
}

static dray_cel_node *plan_ident(planner *p, const dray_cel_expr *expr) {
    if (!expr->ident.global && expr->ident.variable == NULL) {
        const local *l = find_local(p, expr->ident.name);
        if (l != NULL) {
            dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_LOCAL);
            a->slot = l->slot;
            a->node.eval = dray_cel_eval_local;
            return &a->node;
        }
    }
    if (expr->ident.variable != NULL)
        return variable_node(p, expr->ident.variable);
    return maybe_node(p, expr->ident.global
                             ? dray_strf(p->arena, "." DRAY_FMT, DRAY_ARG(expr->ident.name))
                             : expr->ident.name);
}

static void push_qual(planner *p, dray_cel_attr *a, dray_cel_qual q) {
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
static void add_maybe(planner *p, dray_cel_attr *a, dray_cel_qual q) {
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

static void add_qual(planner *p, dray_cel_attr *a, dray_cel_qual q) {
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

static dray_cel_node *plan_select(planner *p, const dray_cel_expr *expr) {
    dray_cel_node *operand = plan(p, expr->select.operand);
    dray_cel_attr *a = attr_of(p, operand);
    dray_cel_qual q = {.key = dray_cel_of_str(expr->select.field),
                       .test_only = expr->select.test_only};
    add_qual(p, a, q);
    if (expr->select.test_only)
        a->test_only = true;
    choose_path(a);
    return &a->node;
}

static dray_cel_node *plan_index(planner *p, const dray_cel_expr *expr, bool optional) {
    dray_cel_node *operand = plan(p, expr->call.args[0]);
    dray_cel_node *index = plan(p, expr->call.args[1]);
    dray_cel_attr *a = attr_of(p, operand);
    dray_cel_qual q = {.optional = optional};
    if (is_const(index) && !(p->rt->spec && const_value(index).kind == DRAY_CEL_BYTES)) {
        q.key = const_value(index);
        if (q.key.kind != DRAY_CEL_STRING && q.key.kind != DRAY_CEL_INT &&
            q.key.kind != DRAY_CEL_UINT && q.key.kind != DRAY_CEL_BOOL &&
            q.key.kind != DRAY_CEL_DOUBLE)
            return fail_plan(
                p, dray_strf(p->arena, "invalid qualifier type: %s", dray_cel_go_type(q.key)).p);
    } else {
        q.attr = attr_of(p, index);
    }
    add_qual(p, a, q);
    choose_path(a);
    return &a->node;
}

static dray_cel_node *plan_if(planner *p, const dray_cel_expr *expr) {
    dray_cel_attr *a = new_attr(p, DRAY_CEL_ROOT_IF);
    a->operand = plan(p, expr->call.args[0]);
    a->yes = attr_of(p, plan(p, expr->call.args[1]));
    a->no = attr_of(p, plan(p, expr->call.args[2]));
    return &a->node;
}

/* --- calls --- */

static bool is_function(const dray_cel_expr *expr, const char *name) {
    return dray_str_is(expr->call.function, name);
}

/* a && b && c, however it was nested, as one node: the terms keep their order. */
static void collect_terms(planner *p, const dray_cel_expr *expr, dray_str function,
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
    dray_cel_node *term = plan(p, expr);
    to->v[to->n++] = term;
}

static dray_cel_node *plan_terms(planner *p, const dray_cel_expr *expr, dray_cel_node_eval *eval) {
    dray_cel_terms *n = NEW_NODE(p, dray_cel_terms, eval, DRAY_CEL_N_OTHER);
    uint32_t room = 0;
    collect_terms(p, expr, expr->call.function, n, &room);
    return &n->node;
}

static dray_cel_node *plan_pair(planner *p, const dray_cel_expr *expr, dray_cel_node_eval *eval) {
    dray_cel_binary *n = NEW_NODE(p, dray_cel_binary, eval, DRAY_CEL_N_OTHER);
    const dray_cel_expr *first = expr->call.target != NULL ? expr->call.target : expr->call.args[0];
    n->a = plan(p, first);
    n->b = expr->call.n_args + (expr->call.target != NULL) < 2
               ? NULL
               : plan(p, expr->call.args[expr->call.target != NULL ? 0 : 1]);
    return &n->node;
}

/* == and !=, with a constant on the right by its own node. */
static dray_cel_node *plan_equal(planner *p, const dray_cel_expr *expr, bool negate) {
    dray_cel_node *pair =
        plan_pair(p, expr, negate ? dray_cel_eval_not_equal : dray_cel_eval_equal);
    const dray_cel_binary *n = (const dray_cel_binary *)pair;
    if (!is_const(n->b))
        return pair;
    dray_cel_value value = const_value(n->b);
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
static dray_str qualified_name(planner *p, const dray_cel_expr *expr) {
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

static const dray_cel_function *find_candidate(planner *p, dray_str name) {
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
static const dray_cel_function *unchecked_function(planner *p, const dray_cel_expr *expr,
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
static void bind_call(planner *p, dray_cel_call_node *call, const dray_cel_expr *expr,
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
        call->track = track_of(rt, call->function, DRAY_STR(""));
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

static void keep_regex(planner *p, dray_cel_regex *re) {
    dray_cel_program *program = p->program;
    if (program->n_regexes == program->room_regexes) {
        size_t room = program->room_regexes == 0 ? 4 : program->room_regexes * 2;
        program->regexes = dray_arena_grow(p->arena, program->regexes,
                                           program->room_regexes * sizeof re, room * sizeof re);
        program->room_regexes = room;
    }
    program->regexes[program->n_regexes++] = re;
}

/* matches, find and findAll with a constant pattern: compiled once; a bad one fails the program. */
static void precompile(planner *p, dray_cel_call_node *call) {
    bool takes = dray_str_is(call->function, "matches") || dray_str_is(call->function, "find") ||
                 dray_str_is(call->function, "findAll");
    if (!takes || call->n < 2 || !is_const(call->args[1]) ||
        const_value(call->args[1]).kind != DRAY_CEL_STRING)
        return;
    dray_cel_value pattern = const_value(call->args[1]);
    char *why = NULL;
    if (!dray_cel_regex_new(pattern.s, pattern.n, &call->regex, &why)) {
        call->regex = NULL;
        if (!p->rt->spec)
            fail_plan(p, why);
        free(why);
        return;
    }
    keep_regex(p, call->regex);
    call->array = true;
}

/* x in [constants]; NULL: not of that form. */
static dray_cel_node *plan_in_set(planner *p, const dray_cel_call_node *call) {
    if (!is_const(call->args[1]) || const_value(call->args[1]).kind != DRAY_CEL_LIST)
        return NULL;
    const dray_cel_list *list = const_value(call->args[1]).list;
    if (list->n == 0)
        return const_node(p, dray_cel_false);
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].kind != DRAY_CEL_STRING && list->v[i].kind != DRAY_CEL_BOOL &&
            !dray_cel_is_number(list->v[i]))
            return NULL;
    dray_cel_binary *n = NEW_NODE(p, dray_cel_binary, dray_cel_eval_in_set, DRAY_CEL_N_OTHER);
    n->a = call->args[0];
    n->b = call->args[1];
    return &n->node;
}

/* The network library refuses literals that are no addresses before evaluation. */
static void check_address(planner *p, dray_cel_call_node *call) {
    if (!dray_str_is(call->function, "ip") && !dray_str_is(call->function, "cidr"))
        return;
    dray_cel_eval e = {.arena = p->arena};
    dray_cel_program alone = {.runtime = p->rt, .root = &call->node};
    dray_cel_value v = dray_cel_run(&alone, &e);
    if (v.kind == DRAY_CEL_ERROR)
        fail_plan(p, dray_cel_failure_text(p->arena, v.failure).p);
}

static bool is_known(const dray_cel_node *node) {
    return node->eval == dray_cel_eval_const || node->eval == dray_cel_eval_const_cost;
}

/* quantity("1Gi"), semver("1.0.0"): computed here, charged each time. Errors and what is large stay
 * to be computed. */
static dray_cel_node *fold_charged(planner *p, dray_cel_call_node *call) {
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
    case DRAY_CEL_LITERAL:
        return true;
    case DRAY_CEL_IDENT:
        return expr->ident.variable != NULL;
    case DRAY_CEL_SELECT:
        return is_trusted(expr->select.operand);
    case DRAY_CEL_CALL:
        if (is_function(expr, "_[_]"))
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

static dray_cel_node *optimize_call(planner *p, dray_cel_call_node *call,
                                    const dray_cel_expr *expr) {
    if (expr->call.n_overloads == 1 && dray_str_is(expr->call.overloads[0]->id, "in_list")) {
        dray_cel_node *set = plan_in_set(p, call);
        if (set != NULL)
            return set;
    }
    if (call->n == 1 && is_const(call->args[0]) && is_conversion(call->function))
        return fold_now(p, &call->node);
    if (p->rt->spec && call->n == 1 && is_const(call->args[0]))
        check_address(p, call);
    drop_guards(call, expr);
    precompile(p, call);
    return fold_charged(p, call);
}

static dray_cel_node *plan_plain_call(planner *p, const dray_cel_expr *expr) {
    bool global = expr->call.target == NULL;
    const dray_cel_function *f = expr->call.n_overloads > 0 ? expr->call.overloads[0]->function
                                                            : unchecked_function(p, expr, &global);
    uint32_t n = expr->call.n_args + !global;
    if (n > DRAY_CEL_MAX_ARGS)
        return fail_plan(p, "no such overload: too many arguments");
    dray_cel_call_node *call = new_node(p, sizeof *call + n * sizeof(dray_cel_node *),
                                        dray_cel_eval_call, DRAY_CEL_N_CALL);
    call->n = n;
    call->function = f != NULL ? f->name : expr->call.function;
    uint32_t at = 0;
    if (!global)
        call->args[at++] = plan(p, expr->call.target);
    for (uint32_t i = 0; i < expr->call.n_args; i++)
        call->args[at++] = plan(p, expr->call.args[i]);
    bind_call(p, call, expr, f);
    if (n == 0 && call->impl == NULL)
        return fail_plan(
            p, dray_strf(p->arena, "no such overload: " DRAY_FMT "()", DRAY_ARG(call->function)).p);
    return optimize_call(p, call, expr);
}

static dray_cel_node *plan_call(planner *p, const dray_cel_expr *expr) {
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
        if (own[i].n == n && is_function(expr, own[i].function))
            return own[i].terms ? plan_terms(p, expr, own[i].eval)
                                : plan_pair(p, expr, own[i].eval);
    if (n == 2 && (is_function(expr, "_==_") || is_function(expr, "_!=_")))
        return plan_equal(p, expr, is_function(expr, "_!=_"));
    if (is_function(expr, "_[_]"))
        return plan_index(p, expr, false);
    if (is_function(expr, "_?._") || is_function(expr, "_[?_]"))
        return plan_index(p, expr, true);
    if (is_function(expr, "_?_:_"))
        return plan_if(p, expr);
    return plan_plain_call(p, expr);
}

/* --- literals and comprehensions --- */

static dray_cel_node *plan_list(planner *p, const dray_cel_expr *expr) {
    dray_cel_list_node *n = NEW_NODE(p, dray_cel_list_node, dray_cel_eval_list, DRAY_CEL_N_LIST);
    n->n = expr->list.n;
    n->v = DRAY_NEW_N(p->arena, dray_cel_node *, n->n + 1);
    bool all_const = true;
    for (uint32_t i = 0; i < n->n; i++) {
        n->v[i] = plan(p, expr->list.items[i]);
        all_const = all_const && is_const(n->v[i]);
    }
    if (expr->list.n_optional > 0) {
        n->optional = DRAY_NEW_N(p->arena, bool, n->n);
        for (uint32_t i = 0; i < expr->list.n_optional; i++)
            n->optional[expr->list.optional[i]] = true;
    }
    return all_const ? fold_now(p, &n->node) : &n->node;
}

static dray_cel_node *plan_map(planner *p, const dray_cel_expr *expr) {
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
            n->keys[i] = plan(p, entry->key);
        n->values[i] = plan(p, entry->value);
        all_const = all_const && is_const(n->keys[i]) && is_const(n->values[i]);
    }
    return all_const ? fold_now(p, &n->node) : &n->node;
}

static uint32_t push_local(planner *p, dray_str name, dray_cel_node *init) {
    uint32_t slot = p->program->n_locals++;
    DRAY_PUSH(p->arena, &p->inits, init);
    DRAY_PUSH(p->arena, &p->scope, (local){name, slot, true});
    return slot;
}

static bool is_accu(const dray_cel_expr *e, const struct dray_cel_fold *fold) {
    return e->kind == DRAY_CEL_IDENT && !e->ident.global && e->ident.variable == NULL &&
           dray_str_eq(e->ident.name, fold->accu);
}

static bool is_call(const dray_cel_expr *e, const char *function, uint32_t n) {
    return e->kind == DRAY_CEL_CALL && e->call.target == NULL && e->call.n_args == n &&
           is_function(e, function);
}

/* The macros all() and exists() over one variable, by what they have become. */
static bool is_quantifier(const struct dray_cel_fold *fold, bool exists) {
    if (fold->iter2.n > 0 || fold->init->kind != DRAY_CEL_LITERAL ||
        fold->init->literal.kind != DRAY_CEL_BOOL || fold->init->literal.b == exists ||
        !is_accu(fold->result, fold) || !is_call(fold->cond, "@not_strictly_false", 1) ||
        !is_call(fold->step, exists ? "_||_" : "_&&_", 2) ||
        !is_accu(fold->step->call.args[0], fold))
        return false;
    const dray_cel_expr *test = fold->cond->call.args[0];
    return exists ? is_call(test, "!_", 1) && is_accu(test->call.args[0], fold)
                  : is_accu(test, fold);
}

static dray_cel_node *maybe_quantifier(planner *p, const struct dray_cel_fold *fold,
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
    q->range = n->range;
    q->predicate = step->v[1];
    q->fold = n;
    return &q->node;
}

static dray_cel_node *plan_fold(planner *p, const dray_cel_expr *expr) {
    const struct dray_cel_fold *fold = expr->fold;
    dray_cel_fold_node *n = NEW_NODE(p, dray_cel_fold_node, dray_cel_eval_fold, DRAY_CEL_N_FOLD);
    n->init = plan(p, fold->init);
    n->range = plan(p, fold->range);
    size_t depth = p->scope.n;
    /* cel-go looks for the accumulator first, then the iteration variables. */
    n->iter2 = fold->iter2.n > 0 ? push_local(p, fold->iter2, NULL) : UINT32_MAX;
    n->iter = push_local(p, fold->iter, NULL);
    n->accu = push_local(p, fold->accu, n->init);
    n->cond = plan(p, fold->cond);
    n->step = plan(p, fold->step);
    for (size_t i = depth; i + 1 < p->scope.n; i++)
        p->scope.v[i].visible = false; /* the result sees the accumulator only */
    n->result = plan(p, fold->result);
    p->scope.n = depth;
    return maybe_quantifier(p, fold, n);
}

static dray_cel_node *plan(planner *p, const dray_cel_expr *expr) {
    switch (expr->kind) {
    case DRAY_CEL_LITERAL:
        return const_node(p, literal_value(&expr->literal));
    case DRAY_CEL_IDENT:
        return plan_ident(p, expr);
    case DRAY_CEL_SELECT:
        return plan_select(p, expr);
    case DRAY_CEL_CALL:
        return plan_call(p, expr);
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
    planner p = {.rt = runtime, .ast = ast, .arena = arena, .program = program, .err = err};
    program->root = plan(&p, ast->root);
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
