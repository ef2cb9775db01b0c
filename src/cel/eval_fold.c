/* Comprehensions, which all macros over lists and maps become. */
#include "cel/eval_int.h"

/* One turn; false: the condition says stop. An error in the condition does not stop. */
static inline bool fold_turn(const dray_cel_fold_node *n, dray_cel_eval *e) {
    dray_cel_value go = n->cond->eval(n->cond, e);
    if ((go.kind == DRAY_CEL_BOOL && !go.b) || __builtin_expect(e->stopped, 0))
        return false;
    dray_cel_value v = n->step->eval(n->step, e);
    e->locals[n->accu] = v;
    if (__builtin_expect(dray_arena_spent(e->arena), 0))
        dray_cel_eval_stop(e, "evaluation needs too much memory");
    return true;
}

static void fold_list(const dray_cel_fold_node *n, dray_cel_eval *e, const dray_cel_list *list) {
    int64_t i = 0;
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *v; (v = dray_cel_walk_next(&walk)) != NULL; i++) {
        if (n->iter2 != UINT32_MAX) {
            e->locals[n->iter] = dray_cel_of_int(i);
            e->locals[n->iter2] = *v;
        } else {
            e->locals[n->iter] = *v;
        }
        if (!fold_turn(n, e))
            return;
    }
}

static void fold_map(const dray_cel_fold_node *n, dray_cel_eval *e, const dray_cel_map *map) {
    for (size_t i = 0; i < map->n; i++) {
        e->locals[n->iter] = map->v[i].key;
        if (n->iter2 != UINT32_MAX)
            e->locals[n->iter2] = map->v[i].value;
        if (!fold_turn(n, e))
            return;
    }
}

static dray_cel_value fold_over(const dray_cel_fold_node *n, dray_cel_eval *e,
                                dray_cel_value range) {
    e->locals[n->accu] = (dray_cel_value){.kind = DRAY_CEL_LAZY};
    if (range.kind == DRAY_CEL_LIST)
        fold_list(n, e, range.list);
    else if (range.kind == DRAY_CEL_MAP)
        fold_map(n, e, range.map);
    else if (n->iter2 != UINT32_MAX)
        return dray_cel_failf(e->arena, "unsupported comprehension range type: %s",
                              dray_cel_go_type(range));
    else
        return dray_cel_failf(e->arena, "got '%s', expected iterable type",
                              dray_cel_go_type(range));
    if (__builtin_expect(e->stopped, 0))
        return dray_cel_no_overload;
    return n->result->eval(n->result, e);
}

dray_cel_value dray_cel_eval_fold(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_fold_node *n = (const dray_cel_fold_node *)node;
    dray_cel_value range = n->range->eval(n->range, e);
    if (range.kind == DRAY_CEL_ERROR || e->stopped)
        return dray_cel_maybe_overload(range);
    return fold_over(n, e, range);
}

/* The predicate's value. When it is a bool nothing that it has made in the arena is needed, unless
 * it was the first to read a variable from outside. */
static inline dray_cel_value test(const dray_cel_quantifier *n, dray_cel_eval *e) {
    uint32_t first_kept = e->first_kept;
    dray_arena_mark mark = dray_arena_save(e->arena);
    e->first_kept = UINT32_MAX;
    dray_cel_value v = n->predicate->eval(n->predicate, e);
    if (v.kind == DRAY_CEL_BOOL && e->first_kept >= n->iter &&
        dray_arena_used(e->arena) != mark.used)
        dray_arena_release(e->arena, mark);
    if (first_kept < e->first_kept)
        e->first_kept = first_kept;
    return v;
}

/* One turn of all() or exists(); false: no more are needed. Their loop costs, besides the
 * predicate, reading the accumulator in the condition and in the step, negating it, and
 * @not_strictly_false. */
static inline bool quantify(const dray_cel_quantifier *n, dray_cel_eval *e, dray_cel_value item,
                            dray_cel_value *sum) {
    e->locals[n->iter] = item;
    dray_cel_charge_units(e, n->exists ? 3 : 2);
    if (sum->kind == DRAY_CEL_BOOL && sum->b == n->exists)
        return false;
    dray_cel_charge_units(e, 1);
    dray_cel_value v = n->makes ? test(n, e) : n->predicate->eval(n->predicate, e);
    if (__builtin_expect(e->stopped, 0))
        return false;
    if (v.kind == DRAY_CEL_BOOL && v.b == n->exists)
        *sum = v;
    else if (v.kind != DRAY_CEL_BOOL && sum->kind == DRAY_CEL_BOOL)
        *sum = dray_cel_maybe_overload(v);
    return true;
}

dray_cel_value dray_cel_eval_quantifier(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_quantifier *n = (const dray_cel_quantifier *)node;
    dray_cel_value range = n->range->eval(n->range, e);
    if (range.kind == DRAY_CEL_ERROR || e->stopped)
        return dray_cel_maybe_overload(range);
    dray_cel_value sum = dray_cel_of_bool(!n->exists);
    if (range.kind == DRAY_CEL_LIST && range.list->v != NULL) {
        for (size_t i = 0; i < range.list->n && quantify(n, e, range.list->v[i], &sum); i++)
            continue;
    } else if (range.kind == DRAY_CEL_LIST) {
        dray_cel_walk walk = dray_cel_walk_of(range.list);
        const dray_cel_value *item;
        while ((item = dray_cel_walk_next(&walk)) != NULL && quantify(n, e, *item, &sum))
            continue;
    } else if (range.kind == DRAY_CEL_MAP) {
        for (size_t i = 0; i < range.map->n && quantify(n, e, range.map->v[i].key, &sum); i++)
            continue;
    } else {
        return fold_over(n->fold, e, range);
    }
    dray_cel_charge_units(e, 1);
    return __builtin_expect(e->stopped, 0) ? dray_cel_no_overload : sum;
}
