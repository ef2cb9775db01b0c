/* Macros: what has(), all(), map(), cel.bind() … become. */
#include "cel/parse_int.h"

#define ACCU DRAY_STR("@result")
#define OLD_ACCU "__result__"
#define UNUSED DRAY_STR("#unused")

/* One expansion in progress. */
typedef struct expansion {
    dray_cel_parser *p;
    uint32_t offset; /* of the call: all nodes that the macro adds stand there */
    dray_str name;
    dray_cel_expr *target;
    dray_cel_expr *const *args;
    size_t n;
    uint32_t wrong_at;
    const char *wrong; /* set: the arguments are no good */
    bool cut_off;      /* … because a syntax error ended the one in question */
} expansion;

typedef dray_cel_expr *expander(expansion *x);

static dray_cel_expr *fail(expansion *x, const dray_cel_expr *at, const char *text) {
    x->wrong = text;
    x->wrong_at = dray_cel_offset(x->p, at);
    x->cut_off = x->p->failed && at->kind == 0;
    return NULL;
}

static dray_cel_expr *boolean(expansion *x, bool b) {
    return dray_cel_make_literal(x->p, x->offset, (dray_cel_const){DRAY_CEL_BOOL, {.b = b}});
}

static dray_cel_expr *integer(expansion *x, int64_t i) {
    return dray_cel_make_literal(x->p, x->offset, (dray_cel_const){DRAY_CEL_INT, {.i = i}});
}

static dray_cel_expr *ident(expansion *x, dray_str name) {
    return dray_cel_make_ident(x->p, x->offset, name);
}

static dray_cel_expr *accu(expansion *x) {
    return ident(x, ACCU);
}

static dray_cel_expr *call(expansion *x, const char *function, size_t n, dray_cel_expr *a,
                           dray_cel_expr *b, dray_cel_expr *c) {
    dray_cel_expr *args[] = {a, b, c};
    return dray_cel_make_call(x->p, x->offset, dray_str_of(function), NULL, args, n);
}

static dray_cel_expr *member(expansion *x, const char *function, dray_cel_expr *target,
                             dray_cel_expr *arg) {
    return dray_cel_make_call(x->p, x->offset, dray_str_of(function), target, &arg, arg != NULL);
}

static dray_cel_expr *list(expansion *x, dray_cel_expr *item) {
    dray_cel_expr **items = DRAY_NEW(x->p->arena, dray_cel_expr *);
    *items = item;
    return dray_cel_make_list(x->p, x->offset, items, item != NULL);
}

static dray_cel_expr *empty_map(expansion *x) {
    return dray_cel_make_entries(x->p, x->offset, DRAY_CEL_MAP_EXPR, DRAY_STR_NONE, NULL, 0);
}

static dray_cel_expr *fold(expansion *x, struct dray_cel_fold parts) {
    return dray_cel_make_fold(x->p, x->offset, parts);
}

/* fold([], #unused, accu = name, init, false, name, result): name is bound to init, lazily. */
static dray_cel_expr *bind(expansion *x, dray_str name, dray_cel_expr *init,
                           dray_cel_expr *result) {
    return fold(x, (struct dray_cel_fold){.range = list(x, NULL),
                                          .iter = UNUSED,
                                          .accu = name,
                                          .init = init,
                                          .cond = boolean(x, false),
                                          .step = ident(x, name),
                                          .result = result});
}

/* The name of a variable that argument i declares; false: it is none and x->wrong says why. */
static bool variable(expansion *x, size_t i, const char *not_a_name, dray_str *name) {
    const dray_cel_expr *arg = x->args[i];
    if (arg->kind != DRAY_CEL_IDENT) {
        fail(x, arg, not_a_name);
        return false;
    }
    *name = arg->ident.name;
    if (arg->ident.global)
        *name = dray_strf(x->p->arena, "." DRAY_FMT, DRAY_ARG(arg->ident.name));
    return true;
}

static bool not_the_accumulator(expansion *x, size_t i, dray_str name) {
    if (!dray_str_is(name, OLD_ACCU))
        return true;
    fail(x, x->args[i], "iteration variable overwrites accumulator variable");
    return false;
}

/* The iteration variables, one or two, into `parts`. */
static bool variables(expansion *x, size_t n, const char *not_a_name, struct dray_cel_fold *parts) {
    if (!variable(x, 0, not_a_name, &parts->iter))
        return false;
    if (n == 1)
        return not_the_accumulator(x, 0, parts->iter);
    if (!variable(x, 1, not_a_name, &parts->iter2))
        return false;
    if (dray_str_eq(parts->iter, parts->iter2)) {
        fail(x, x->args[1],
             dray_strf(x->p->arena, "duplicate variable name: " DRAY_FMT, DRAY_ARG(parts->iter)).p);
        return false;
    }
    return not_the_accumulator(x, 0, parts->iter) && not_the_accumulator(x, 1, parts->iter2);
}

static const char *const simple_name = "argument must be a simple name";

static dray_cel_expr *quantifier(expansion *x, size_t vars) {
    struct dray_cel_fold parts = {.range = x->target, .accu = ACCU};
    if (!variables(x, vars, simple_name, &parts))
        return NULL;
    dray_cel_expr *test = x->args[vars];
    if (dray_str_is(x->name, "all")) {
        parts.init = boolean(x, true);
        parts.cond = call(x, "@not_strictly_false", 1, accu(x), NULL, NULL);
        parts.step = call(x, "_&&_", 2, accu(x), test, NULL);
        parts.result = accu(x);
    } else if (dray_str_is(x->name, "exists")) {
        parts.init = boolean(x, false);
        parts.cond =
            call(x, "@not_strictly_false", 1, call(x, "!_", 1, accu(x), NULL, NULL), NULL, NULL);
        parts.step = call(x, "_||_", 2, accu(x), test, NULL);
        parts.result = accu(x);
    } else {
        parts.init = integer(x, 0);
        parts.cond = boolean(x, true);
        parts.step =
            call(x, "_?_:_", 3, test, call(x, "_+_", 2, accu(x), integer(x, 1), NULL), accu(x));
        parts.result = call(x, "_==_", 2, accu(x), integer(x, 1), NULL);
    }
    return fold(x, parts);
}

static dray_cel_expr *expand_quantifier(expansion *x) {
    return quantifier(x, 1);
}

static dray_cel_expr *expand_quantifier2(expansion *x) {
    return quantifier(x, 2);
}

/* step, or where there is a filter: filter ? step : accu. */
static dray_cel_expr *filtered(expansion *x, dray_cel_expr *filter, dray_cel_expr *step) {
    return filter == NULL ? step : call(x, "_?_:_", 3, filter, step, accu(x));
}

/* [] + [t] + [t] … over x->target. */
static dray_cel_expr *make_list_fold(expansion *x, struct dray_cel_fold parts,
                                     dray_cel_expr *filter, dray_cel_expr *item) {
    parts.accu = ACCU;
    parts.init = list(x, NULL);
    parts.cond = boolean(x, true);
    parts.step = filtered(x, filter, call(x, "_+_", 2, accu(x), list(x, item), NULL));
    parts.result = accu(x);
    return fold(x, parts);
}

static dray_cel_expr *map_over(expansion *x, dray_cel_expr *range) {
    struct dray_cel_fold parts = {.range = range};
    if (!variables(x, 1, "argument is not an identifier", &parts))
        return NULL;
    dray_cel_expr *filter = x->n == 3 ? x->args[1] : NULL;
    return make_list_fold(x, parts, filter, x->args[x->n - 1]);
}

static dray_cel_expr *expand_map(expansion *x) {
    return map_over(x, x->target);
}

static dray_cel_expr *expand_filter(expansion *x) {
    struct dray_cel_fold parts = {.range = x->target};
    if (!variables(x, 1, "argument is not an identifier", &parts))
        return NULL;
    return make_list_fold(x, parts, x->args[1], x->args[0]);
}

static dray_cel_expr *expand_has(expansion *x) {
    const dray_cel_expr *arg = x->args[0];
    if (arg->kind != DRAY_CEL_SELECT)
        return fail(x, arg, "invalid argument to has() macro");
    return dray_cel_make_select(x->p, x->offset, arg->select.operand, arg->select.field, true);
}

static dray_cel_expr *expand_transform_list(expansion *x) {
    struct dray_cel_fold parts = {.range = x->target};
    if (!variables(x, 2, simple_name, &parts))
        return NULL;
    dray_cel_expr *filter = x->n == 4 ? x->args[2] : NULL;
    return make_list_fold(x, parts, filter, x->args[x->n - 1]);
}

/* transformMap and, with entries for values, transformMapEntry. */
static dray_cel_expr *make_map_fold(expansion *x, bool entries) {
    struct dray_cel_fold parts = {.range = x->target, .accu = ACCU};
    if (!variables(x, 2, simple_name, &parts))
        return NULL;
    dray_cel_expr *filter = x->n == 4 ? x->args[2] : NULL;
    dray_cel_expr *value = x->args[x->n - 1];
    dray_cel_expr *step = entries
                              ? call(x, "cel.@mapInsert", 2, accu(x), value, NULL)
                              : call(x, "cel.@mapInsert", 3, accu(x), ident(x, parts.iter), value);
    parts.init = empty_map(x);
    parts.cond = boolean(x, true);
    parts.step = filtered(x, filter, step);
    parts.result = accu(x);
    return fold(x, parts);
}

static dray_cel_expr *expand_transform_map(expansion *x) {
    return make_map_fold(x, false);
}

static dray_cel_expr *expand_transform_entry(expansion *x) {
    return make_map_fold(x, true);
}

static bool target_is(const expansion *x, const char *name) {
    return x->target->kind == DRAY_CEL_IDENT && !x->target->ident.global &&
           dray_str_is(x->target->ident.name, name);
}

static dray_cel_expr *expand_bind(expansion *x) {
    if (!target_is(x, "cel"))
        return NULL;
    dray_str name;
    if (!variable(x, 0, "cel.bind() variable names must be simple identifiers", &name))
        return NULL;
    return bind(x, name, x->args[1], x->args[2]);
}

/* o.hasValue() ? f(bind(v, o.value(), e)) : optional.none() */
static dray_cel_expr *optional_fold(expansion *x, const char *not_a_name, bool flat) {
    dray_str name;
    if (!variable(x, 0, not_a_name, &name))
        return NULL;
    dray_cel_expr *value = member(x, "value", dray_cel_copy(x->p, x->target), NULL);
    dray_cel_expr *mapped = bind(x, name, value, x->args[1]);
    if (!flat)
        mapped = call(x, "optional.of", 1, mapped, NULL, NULL);
    return call(x, "_?_:_", 3, member(x, "hasValue", x->target, NULL), mapped,
                call(x, "optional.none", 0, NULL, NULL, NULL));
}

static dray_cel_expr *expand_opt_map(expansion *x) {
    return optional_fold(x, "optMap() variable name must be a simple identifier", false);
}

static dray_cel_expr *expand_opt_flat_map(expansion *x) {
    return optional_fold(x, "optFlatMap() variable name must be a simple identifier", true);
}

static dray_cel_expr *expand_sort_by(expansion *x) {
    const dray_cel_expr *target = x->target;
    if (target->kind != DRAY_CEL_LIST_EXPR && target->kind != DRAY_CEL_SELECT &&
        target->kind != DRAY_CEL_IDENT && target->kind != DRAY_CEL_FOLD &&
        target->kind != DRAY_CEL_CALL)
        return fail(x, target,
                    "sortBy can only be applied to a list, identifier, comprehension, call or "
                    "select expression");
    dray_str input = DRAY_STR("@__sortBy_input__");
    dray_cel_expr *keys = map_over(x, ident(x, input));
    if (keys == NULL)
        return NULL;
    dray_cel_expr *sorted = member(x, "@sortByAssociatedKeys", ident(x, input), keys);
    return bind(x, input, x->target, sorted);
}

static bool may_be_number(const dray_cel_expr *e) {
    if (e->kind == DRAY_CEL_LITERAL)
        return e->literal.kind == DRAY_CEL_INT || e->literal.kind == DRAY_CEL_UINT ||
               e->literal.kind == DRAY_CEL_DOUBLE;
    return e->kind != DRAY_CEL_LIST_EXPR && e->kind != DRAY_CEL_MAP_EXPR &&
           e->kind != DRAY_CEL_STRUCT_EXPR;
}

static bool may_be_numbers(const dray_cel_expr *e) {
    if (e->kind != DRAY_CEL_LIST_EXPR)
        return may_be_number(e);
    bool all = e->list.n != 0;
    for (uint32_t i = 0; i < e->list.n; i++)
        all = all && may_be_number(e->list.items[i]);
    return all;
}

static dray_cel_expr *fail_math(expansion *x, const dray_cel_expr *at, const char *what) {
    return fail(x, at, dray_strf(x->p->arena, "math." DRAY_FMT "() %s", DRAY_ARG(x->name), what).p);
}

/* One argument or two are compared as they are, more as a list. */
static dray_cel_expr *expand_extreme(expansion *x) {
    if (!target_is(x, "math"))
        return NULL;
    if (x->n == 0)
        return fail_math(x, x->target, "requires at least one argument");
    if (x->n == 1 && !may_be_numbers(x->args[0]))
        return fail_math(x, x->args[0], "invalid single argument value");
    for (size_t i = 0; i < x->n && x->n > 1; i++)
        if (!may_be_number(x->args[i]))
            return fail_math(x, x->args[i], "simple literal arguments must be numeric");
    const char *function = dray_str_is(x->name, "least") ? "math.@min" : "math.@max";
    if (x->n <= 2)
        return call(x, function, x->n, x->args[0], x->n == 2 ? x->args[1] : NULL, NULL);
    dray_cel_expr **items = DRAY_NEW_N(x->p->arena, dray_cel_expr *, x->n);
    for (size_t i = 0; i < x->n; i++)
        items[i] = x->args[i];
    return call(x, function, 1, dray_cel_make_list(x->p, x->offset, items, x->n), NULL, NULL);
}

#define ANY_NUMBER 255 /* of arguments */

static const struct macro {
    const char *name;
    uint8_t n_args;
    bool receiver;
    uint32_t group; /* dray_cel_macros */
    expander *expand;
} macros[] = {
    {"has", 1, false, DRAY_CEL_MACROS_STD, expand_has},
    {"all", 2, true, DRAY_CEL_MACROS_STD, expand_quantifier},
    {"exists", 2, true, DRAY_CEL_MACROS_STD, expand_quantifier},
    {"exists_one", 2, true, DRAY_CEL_MACROS_STD, expand_quantifier},
    {"map", 2, true, DRAY_CEL_MACROS_STD, expand_map},
    {"map", 3, true, DRAY_CEL_MACROS_STD, expand_map},
    {"filter", 2, true, DRAY_CEL_MACROS_STD, expand_filter},
    {"optMap", 2, true, DRAY_CEL_MACROS_OPTIONAL, expand_opt_map},
    {"optFlatMap", 2, true, DRAY_CEL_MACROS_OPTIONAL, expand_opt_flat_map},
    {"bind", 3, true, DRAY_CEL_MACROS_BIND, expand_bind},
    {"all", 3, true, DRAY_CEL_MACROS_TWO_VAR, expand_quantifier2},
    {"exists", 3, true, DRAY_CEL_MACROS_TWO_VAR, expand_quantifier2},
    {"exists_one", 3, true, DRAY_CEL_MACROS_TWO_VAR, expand_quantifier2},
    {"existsOne", 3, true, DRAY_CEL_MACROS_TWO_VAR, expand_quantifier2},
    {"transformList", 3, true, DRAY_CEL_MACROS_TWO_VAR, expand_transform_list},
    {"transformList", 4, true, DRAY_CEL_MACROS_TWO_VAR, expand_transform_list},
    {"transformMap", 3, true, DRAY_CEL_MACROS_TWO_VAR, expand_transform_map},
    {"transformMap", 4, true, DRAY_CEL_MACROS_TWO_VAR, expand_transform_map},
    {"transformMapEntry", 3, true, DRAY_CEL_MACROS_TWO_VAR, expand_transform_entry},
    {"transformMapEntry", 4, true, DRAY_CEL_MACROS_TWO_VAR, expand_transform_entry},
    {"sortBy", 2, true, DRAY_CEL_MACROS_SORT_BY, expand_sort_by},
    {"greatest", ANY_NUMBER, true, DRAY_CEL_MACROS_MATH, expand_extreme},
    {"least", ANY_NUMBER, true, DRAY_CEL_MACROS_MATH, expand_extreme},
};

static const struct macro *find_macro(uint32_t groups, dray_str name, bool receiver, size_t n) {
    for (size_t i = 0; i < DRAY_COUNT(macros); i++)
        if ((macros[i].n_args == n || macros[i].n_args == ANY_NUMBER) &&
            macros[i].receiver == receiver && (macros[i].group & groups) != 0 &&
            dray_str_is(name, macros[i].name))
            return &macros[i];
    return NULL;
}

dray_cel_expr *dray_cel_expand(dray_cel_parser *p, uint32_t offset, dray_str function,
                               dray_cel_expr *target, dray_cel_expr *const *args, size_t n) {
    const struct macro *macro = find_macro(p->macros, function, target != NULL, n);
    if (macro == NULL)
        return NULL;
    expansion x = {
        .p = p, .offset = offset, .name = function, .target = target, .args = args, .n = n};
    dray_cel_expr *made = macro->expand(&x);
    if (x.wrong != NULL) {
        if (!x.cut_off)
            dray_cel_parse_error(p, x.wrong_at, x.wrong);
        return dray_cel_make_none(p, x.wrong_at);
    }
    if (made == NULL || made->kind == DRAY_CEL_SELECT)
        return made; /* has() prints itself */
    dray_cel_macro_call written = {made->id, NULL};
    dray_cel_expr *shown = dray_cel_make_call(p, offset, function, target, args, n);
    written.call = shown;
    DRAY_PUSH(p->arena, &p->calls, written);
    return made;
}
