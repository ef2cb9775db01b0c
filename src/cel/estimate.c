/* What evaluating a tree can cost: a walk that adds ranges, with sizes of values on the side. */
#include "cel/estimate.h"

#include "base/vec.h"
#include "cel/cost_int.h"

#define FIXED(n) ((dray_cel_range){(n), (n)})
#define UNKNOWN ((dray_cel_range){0, UINT64_MAX})
#define NOTHING ((dray_cel_range){UINT64_MAX, 0}) /* the neutral element of a union */

enum { COST_NAME = 1, COST_LIST = 10, COST_MAP = 30, COST_STRUCT = 40 };

/* The sizes of the keys (or indices) and values of a container. */
typedef struct entries {
    bool known;
    bool is_list;
    dray_cel_range key, value;
} entries;

/* What has been found out about a node. */
typedef struct facts {
    bool has_size;
    dray_cel_range size;
    entries entries;
    const dray_cel_bounds *bounds;
} facts;

typedef struct local {
    dray_str name;
    bool has_size;
    dray_cel_range size;
    entries entries;
    const dray_cel_bounds *bounds;
} local;

typedef struct estimator {
    const dray_cel_options *options;
    dray_arena *arena;
    facts *facts;          /* by id */
    dray_cel_range *nodes; /* by id: what is asked for by node; NULL: only the sum is */
    DRAY_VEC(local) locals;
} estimator;

static dray_cel_range cost(estimator *x, const dray_cel_expr *e);

static const local *find_local(const estimator *x, const dray_cel_expr *e) {
    if (e->kind != DRAY_CEL_IDENT || e->ident.variable != NULL)
        return NULL;
    for (size_t i = x->locals.n; i-- > 0;)
        if (dray_str_eq(x->locals.v[i].name, e->ident.name))
            return &x->locals.v[i];
    return NULL;
}

static const dray_cel_bounds *bounds_of(const estimator *x, const dray_cel_expr *e) {
    const local *own = find_local(x, e);
    return own != NULL ? own->bounds : x->facts[e->id].bounds;
}

static bool is_scalar(const dray_cel_type *type) {
    const dray_cel_type *inner;
    while (dray_cel_type_is_optional(type, &inner))
        type = inner;
    return type->kind == DRAY_CEL_BOOL || type->kind == DRAY_CEL_DOUBLE ||
           type->kind == DRAY_CEL_DURATION || type->kind == DRAY_CEL_INT ||
           type->kind == DRAY_CEL_TIMESTAMP || type->kind == DRAY_CEL_UINT;
}

static uint64_t count_points(dray_str s) {
    uint64_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return n;
}

/* The size that can be read off a node itself. */
static bool written_size(const dray_cel_expr *e, dray_cel_range *size) {
    if (e->kind == DRAY_CEL_LIST_EXPR)
        *size = FIXED(e->list.n);
    else if (e->kind == DRAY_CEL_MAP_EXPR)
        *size = FIXED(e->map.n);
    else if (e->kind != DRAY_CEL_LITERAL)
        return false;
    else if (e->literal.kind == DRAY_CEL_STRING)
        *size = FIXED(count_points(e->literal.s));
    else if (e->literal.kind == DRAY_CEL_BYTES)
        *size = FIXED(e->literal.s.n);
    else
        *size = FIXED(1);
    return true;
}

static void set_size(estimator *x, const dray_cel_expr *e, bool known, dray_cel_range size) {
    if (!known)
        return;
    x->facts[e->id].has_size = true;
    x->facts[e->id].size = size;
}

static bool size_of(estimator *x, const dray_cel_expr *e, dray_cel_range *size) {
    facts *known = &x->facts[e->id];
    if (known->has_size) {
        *size = known->size;
        return true;
    }
    if (written_size(e, size))
        return true;
    const dray_cel_bounds *bounds = bounds_of(x, e);
    if (bounds != NULL) {
        *size = dray_cel_bounds_size(bounds);
        set_size(x, e, true, *size);
        return true;
    }
    if (is_scalar(e->type)) {
        *size = FIXED(1);
        return true;
    }
    const local *own = find_local(x, e);
    if (own == NULL || !own->has_size)
        return false;
    *size = own->size;
    return true;
}

static dray_cel_range size_or_unknown(estimator *x, const dray_cel_expr *e) {
    dray_cel_range size;
    return size_of(x, e, &size) ? size : UNKNOWN;
}

static entries entries_of(const estimator *x, const dray_cel_expr *e) {
    if (x->facts[e->id].entries.known)
        return x->facts[e->id].entries;
    const local *own = find_local(x, e);
    return own != NULL ? own->entries : (entries){0};
}

static void set_entries(estimator *x, const dray_cel_expr *e, entries value) {
    if (value.known)
        x->facts[e->id].entries = value;
}

static entries union_entries(entries a, entries b) {
    if (!a.known || !b.known)
        return (entries){0};
    a.key = dray_cel_range_union(a.key, b.key);
    a.value = dray_cel_range_union(a.value, b.value);
    return a;
}

/* Local variables. */

static void push_binding(estimator *x, dray_str name, const dray_cel_expr *init) {
    local added = {.name = name, .bounds = bounds_of(x, init), .entries = entries_of(x, init)};
    added.has_size = size_of(x, init, &added.size);
    DRAY_PUSH(x->arena, &x->locals, added);
}

static bool is_list(const dray_cel_expr *range, entries known) {
    return known.known ? known.is_list : range->type->kind == DRAY_CEL_LIST;
}

static void push_part(estimator *x, dray_str name, const dray_cel_expr *range, bool key) {
    entries known = entries_of(x, range);
    const dray_cel_bounds *whole = bounds_of(x, range);
    local added = {.name = name, .has_size = known.known, .size = key ? known.key : known.value};
    if (!key)
        added.bounds = dray_cel_bounds_values(whole);
    else if (!is_list(range, known))
        added.bounds = dray_cel_bounds_keys(whole);
    DRAY_PUSH(x->arena, &x->locals, added);
}

/* Calls. */

static bool rule_cost(const dray_cel_cost_rule *rule, const dray_cel_cost_call *call,
                      dray_cel_call_cost *out) {
    *out = (dray_cel_call_cost){0};
    return rule != NULL && rule->estimate(call, out);
}

/* && and || may stop after the left side; ?: takes one branch. False for any other call. */
static bool lazy_cost(estimator *x, const dray_cel_expr *e, const dray_cel_overload *overload,
                      const dray_cel_range *args, dray_cel_call_cost *out) {
    dray_cel_expr *const *operands = e->call.args;
    if (dray_str_is(overload->id, "logical_and") || dray_str_is(overload->id, "logical_or")) {
        *out =
            (dray_cel_call_cost){.cost = {args[0].min, dray_cel_range_add(args[0], args[1]).max}};
        return true;
    }
    if (!dray_str_is(overload->id, "conditional"))
        return false;
    out->cost = dray_cel_range_add(args[0], dray_cel_range_union(args[1], args[2]));
    out->has_size = true;
    out->size =
        dray_cel_range_union(size_or_unknown(x, operands[1]), size_or_unknown(x, operands[2]));
    set_entries(x, e, union_entries(entries_of(x, operands[1]), entries_of(x, operands[2])));
    return true;
}

/* The cost of one overload with its arguments. */
static dray_cel_call_cost overload_cost(estimator *x, const dray_cel_expr *e,
                                        const dray_cel_cost_call *call,
                                        const dray_cel_range *args) {
    dray_cel_call_cost out = {0};
    const dray_cel_overload *overload = call->overload;
    if (!rule_cost(overload->cost_rule, call, &out)) {
        if (lazy_cost(x, e, overload, args, &out))
            return out;
        if (!rule_cost(overload->base_rule, call, &out))
            out = (dray_cel_call_cost){.cost = FIXED(1)};
        if (dray_cel_cost_is_concat(overload) && call->n_args == 2)
            set_entries(
                x, e,
                union_entries(entries_of(x, e->call.args[0]), entries_of(x, e->call.args[1])));
    }
    for (uint32_t i = 0; i < call->n_args; i++)
        out.cost = dray_cel_range_add(out.cost, args[i]);
    return out;
}

static dray_cel_operand operand_of(estimator *x, const dray_cel_expr *e) {
    dray_cel_operand operand = {.e = e, .type = e->type, .bounds = bounds_of(x, e)};
    operand.has_size = size_of(x, e, &operand.size);
    if (!operand.has_size)
        operand.size = UNKNOWN;
    return operand;
}

/* Indexing leads into the container: to the size of its values and to their bounds. */
static void follow_index(estimator *x, const dray_cel_expr *e, dray_cel_call_cost *result) {
    entries known = entries_of(x, e->call.args[0]);
    result->has_size = known.known;
    result->size = known.value;
    x->facts[e->id].bounds = dray_cel_bounds_values(bounds_of(x, e->call.args[0]));
}

static dray_cel_range cost_overloads(estimator *x, const dray_cel_expr *e, dray_cel_cost_call *call,
                                     const dray_cel_range *args) {
    dray_cel_range sum = NOTHING;
    dray_cel_call_cost result = {0};
    for (uint32_t i = 0; i < e->call.n_overloads; i++) {
        call->overload = e->call.overloads[i];
        dray_cel_call_cost one = overload_cost(x, e, call, args);
        sum = dray_cel_range_union(sum, one.cost);
        if (one.has_size)
            result.size = result.has_size ? dray_cel_range_union(result.size, one.size) : one.size;
        result.has_size |= one.has_size;
        bool index = dray_str_is(call->overload->id, "index_list") ||
                     dray_str_is(call->overload->id, "index_map");
        if (index && e->call.n_args != 0)
            follow_index(x, e, &result);
        if (!result.has_size)
            result.has_size = size_of(x, e, &result.size);
    }
    set_size(x, e, result.has_size, result.size);
    return sum;
}

static dray_cel_range cost_call(estimator *x, const dray_cel_expr *e) {
    uint32_t n = e->call.n_args;
    if (n == 1 && dray_str_is(e->call.function, "dyn")) {
        dray_cel_range inner = cost(x, e->call.args[0]);
        dray_cel_range size;
        set_size(x, e, size_of(x, e->call.args[0], &size), size);
        set_entries(x, e, entries_of(x, e->call.args[0]));
        return dray_cel_range_add(FIXED(1), inner);
    }
    dray_cel_range *costs = DRAY_NEW_N(x->arena, dray_cel_range, n);
    dray_cel_operand *operands = DRAY_NEW_N(x->arena, dray_cel_operand, n);
    for (uint32_t i = 0; i < n; i++) {
        costs[i] = cost(x, e->call.args[i]);
        operands[i] = operand_of(x, e->call.args[i]);
    }
    if (e->call.n_overloads == 0)
        return FIXED(0);
    dray_cel_cost_call call = {.profile = x->options->profile, .args = operands, .n_args = n};
    dray_cel_range sum = FIXED(0);
    dray_cel_operand target;
    if (e->call.target != NULL) {
        sum = cost(x, e->call.target);
        target = operand_of(x, e->call.target);
        call.target = &target;
    }
    return dray_cel_range_add(sum, cost_overloads(x, e, &call, costs));
}

/* Other nodes. */

static dray_cel_range cost_ident(estimator *x, const dray_cel_expr *e) {
    const local *own = find_local(x, e);
    const dray_cel_variable *variable = e->ident.variable;
    x->facts[e->id].bounds = own != NULL ? own->bounds : variable != NULL ? variable->bounds : NULL;
    return FIXED(COST_NAME);
}

static dray_cel_range cost_select(estimator *x, const dray_cel_expr *e) {
    const dray_cel_expr *operand = e->select.operand;
    dray_cel_range sum = cost(x, operand);
    if (e->select.test_only)
        return dray_cel_range_add(sum, FIXED(x->options->presence_has_cost ? COST_NAME : 0));
    x->facts[e->id].bounds = dray_cel_bounds_field(bounds_of(x, operand), e->select.field);
    bool counts = operand->type->kind == DRAY_CEL_MAP || operand->type->kind == DRAY_CEL_STRUCT ||
                  operand->type->kind == DRAY_CEL_PARAM;
    return counts ? dray_cel_range_add(sum, FIXED(COST_NAME)) : sum;
}

static dray_cel_range cost_list(estimator *x, const dray_cel_expr *e) {
    dray_cel_range sum = FIXED(COST_LIST);
    entries made = {.known = true, .is_list = true, .key = FIXED(1), .value = NOTHING};
    if (e->list.n == 0)
        made.value.min = 0;
    for (uint32_t i = 0; i < e->list.n; i++) {
        sum = dray_cel_range_add(sum, cost(x, e->list.items[i]));
        made.value = dray_cel_range_union(made.value, size_or_unknown(x, e->list.items[i]));
    }
    set_entries(x, e, made);
    return sum;
}

static dray_cel_range cost_map(estimator *x, const dray_cel_expr *e) {
    dray_cel_range sum = FIXED(COST_MAP);
    entries made = {.known = true, .key = NOTHING, .value = NOTHING};
    if (e->map.n == 0)
        made.key.min = made.value.min = 0;
    for (uint32_t i = 0; i < e->map.n; i++) {
        const dray_cel_entry *entry = &e->map.entries[i];
        sum = dray_cel_range_add(sum, cost(x, entry->key));
        sum = dray_cel_range_add(sum, cost(x, entry->value));
        made.key = dray_cel_range_union(made.key, size_or_unknown(x, entry->key));
        made.value = dray_cel_range_union(made.value, size_or_unknown(x, entry->value));
    }
    set_entries(x, e, made);
    return sum;
}

static dray_cel_range cost_struct(estimator *x, const dray_cel_expr *e) {
    dray_cel_range sum = FIXED(COST_STRUCT);
    for (uint32_t i = 0; i < e->map.n; i++)
        sum = dray_cel_range_add(sum, cost(x, e->map.entries[i].value));
    return sum;
}

static bool is_bind(const struct dray_cel_fold *fold) {
    return fold->range->kind == DRAY_CEL_LIST_EXPR && fold->range->list.n == 0 &&
           fold->cond->kind == DRAY_CEL_LITERAL && fold->cond->literal.kind == DRAY_CEL_BOOL &&
           !fold->cond->literal.b && !dray_str_is(fold->accu, "__result__");
}

static dray_cel_range cost_bind(estimator *x, const dray_cel_expr *e) {
    const struct dray_cel_fold *fold = e->fold;
    dray_cel_range sum = cost(x, fold->range);
    sum = dray_cel_range_add(sum, cost(x, fold->init));
    push_binding(x, fold->accu, fold->init);
    sum = dray_cel_range_add(sum, cost(x, fold->result));
    x->locals.n--;
    dray_cel_range size;
    set_size(x, e, size_of(x, fold->result, &size), size);
    set_entries(x, e, entries_of(x, fold->result));
    return sum;
}

static dray_cel_range cost_fold(estimator *x, const dray_cel_expr *e) {
    const struct dray_cel_fold *fold = e->fold;
    if (is_bind(fold))
        return cost_bind(x, e);
    dray_cel_range sum = cost(x, fold->range);
    sum = dray_cel_range_add(sum, cost(x, fold->init));
    size_t outside = x->locals.n;
    push_binding(x, fold->accu, fold->init);
    size_t with_accu = x->locals.n;
    if (fold->iter2.n != 0) {
        push_part(x, fold->iter, fold->range, true);
        push_part(x, fold->iter2, fold->range, false);
    } else {
        push_part(x, fold->iter, fold->range, !is_list(fold->range, entries_of(x, fold->range)));
    }
    dray_cel_range turn = cost(x, fold->cond);
    turn = dray_cel_range_add(turn, cost(x, fold->step));
    x->locals.n = with_accu;
    sum = dray_cel_range_add(sum, cost(x, fold->result));
    x->locals.n = outside;
    dray_cel_range turns = size_or_unknown(x, fold->range);
    sum = dray_cel_range_add(sum, dray_cel_range_mul(turns, turn));
    dray_cel_range size;
    if (fold->init->kind == DRAY_CEL_LITERAL) {
        set_size(x, e, size_of(x, fold->init, &size), size);
    } else if (fold->init->kind == DRAY_CEL_LIST_EXPR || fold->init->kind == DRAY_CEL_MAP_EXPR) {
        set_size(x, e, true, turns);
        set_entries(x, e, entries_of(x, fold->step));
    }
    return sum;
}

static dray_cel_range cost_of_kind(estimator *x, const dray_cel_expr *e) {
    switch ((dray_cel_expr_kind)e->kind) {
    case DRAY_CEL_LITERAL:
        return FIXED(0);
    case DRAY_CEL_IDENT:
        return cost_ident(x, e);
    case DRAY_CEL_SELECT:
        return cost_select(x, e);
    case DRAY_CEL_CALL:
        return cost_call(x, e);
    case DRAY_CEL_LIST_EXPR:
        return cost_list(x, e);
    case DRAY_CEL_MAP_EXPR:
        return cost_map(x, e);
    case DRAY_CEL_STRUCT_EXPR:
        return cost_struct(x, e);
    case DRAY_CEL_FOLD:
        return cost_fold(x, e);
    }
    return FIXED(0);
}

static dray_cel_range cost(estimator *x, const dray_cel_expr *e) {
    dray_cel_range sum = cost_of_kind(x, e);
    if (x->nodes != NULL)
        x->nodes[e->id] = sum;
    return sum;
}

const dray_cel_range *dray_cel_estimate_nodes(const dray_cel_ast *ast, dray_arena *arena) {
    estimator x = {.options = dray_cel_env_options(ast->env),
                   .arena = arena,
                   .facts = DRAY_NEW_N(arena, facts, (size_t)ast->n_ids + 1),
                   .nodes = DRAY_NEW_N(arena, dray_cel_range, (size_t)ast->n_ids + 1)};
    cost(&x, ast->root);
    return x.nodes;
}

dray_cel_range dray_cel_estimate(const dray_cel_ast *ast, dray_arena *arena) {
    dray_arena_mark mark = dray_arena_save(arena);
    estimator x = {.options = dray_cel_env_options(ast->env),
                   .arena = arena,
                   .facts = DRAY_NEW_N(arena, facts, (size_t)ast->n_ids + 1)};
    dray_cel_range total = cost(&x, ast->root);
    dray_arena_release(arena, mark);
    return total;
}
