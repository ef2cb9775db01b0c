/* The makers of nodes, used by the parser and by macros. */
#include "cel/parse_int.h"

uint32_t dray_cel_new_id(dray_cel_parser *p, uint32_t offset) {
    if (p->offsets.n == 0)
        DRAY_PUSH(p->arena, &p->offsets, DRAY_CEL_NOWHERE);
    if (p->offsets.n > DRAY_CEL_NODES || dray_arena_spent(p->arena))
        p->too_many = true;
    DRAY_PUSH(p->arena, &p->offsets, offset);
    return (uint32_t)p->offsets.n - 1;
}

static dray_cel_expr *make(dray_cel_parser *p, uint32_t offset, int kind) {
    dray_cel_expr *e = DRAY_NEW(p->arena, dray_cel_expr);
    e->kind = (uint8_t)kind;
    e->id = dray_cel_new_id(p, offset);
    e->depth = 1;
    return e;
}

static void above(dray_cel_parser *p, dray_cel_expr *e, const dray_cel_expr *child) {
    if (child == NULL || child->depth < e->depth)
        return;
    e->depth = child->depth + 1;
    if (e->depth > DRAY_CEL_TREE_DEPTH) {
        p->too_many = true;
        e->depth = DRAY_CEL_TREE_DEPTH;
    }
}

dray_cel_expr *dray_cel_make_none(dray_cel_parser *p, uint32_t offset) {
    return make(p, offset, 0);
}

dray_cel_expr *dray_cel_make_literal(dray_cel_parser *p, uint32_t offset, dray_cel_const value) {
    dray_cel_expr *e = make(p, offset, DRAY_CEL_LITERAL);
    e->literal = value;
    return e;
}

dray_cel_expr *dray_cel_make_ident(dray_cel_parser *p, uint32_t offset, dray_str name) {
    dray_cel_expr *e = make(p, offset, DRAY_CEL_IDENT);
    e->ident.global = name.n != 0 && name.p[0] == '.';
    e->ident.name = e->ident.global ? dray_str_slice(name, 1, name.n) : name;
    return e;
}

dray_cel_expr *dray_cel_make_select(dray_cel_parser *p, uint32_t offset, dray_cel_expr *operand,
                                    dray_str field, bool test_only) {
    dray_cel_expr *e = make(p, offset, DRAY_CEL_SELECT);
    e->select.operand = operand;
    e->select.field = field;
    e->select.test_only = test_only;
    above(p, e, operand);
    return e;
}

dray_cel_expr *dray_cel_make_call(dray_cel_parser *p, uint32_t offset, dray_str function,
                                  dray_cel_expr *target, dray_cel_expr *const *args, size_t n) {
    dray_cel_expr *e = make(p, offset, DRAY_CEL_CALL);
    e->call.function = function;
    e->call.target = target;
    e->call.n_args = (uint32_t)n;
    e->call.args = DRAY_NEW_N(p->arena, dray_cel_expr *, n);
    above(p, e, target);
    for (size_t i = 0; i < n; i++) {
        e->call.args[i] = args[i];
        above(p, e, args[i]);
    }
    return e;
}

dray_cel_expr *dray_cel_make_list(dray_cel_parser *p, uint32_t offset, dray_cel_expr **items,
                                  size_t n) {
    dray_cel_expr *e = make(p, offset, DRAY_CEL_LIST_EXPR);
    e->list.items = items;
    e->list.n = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        above(p, e, items[i]);
    return e;
}

dray_cel_expr *dray_cel_make_entries(dray_cel_parser *p, uint32_t offset, dray_cel_expr_kind kind,
                                     dray_str name, dray_cel_entry *entries, size_t n) {
    dray_cel_expr *e = make(p, offset, kind);
    e->map.name = name;
    e->map.entries = entries;
    e->map.n = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        above(p, e, entries[i].key);
        above(p, e, entries[i].value);
    }
    return e;
}

dray_cel_expr *dray_cel_make_fold(dray_cel_parser *p, uint32_t offset, struct dray_cel_fold fold) {
    dray_cel_expr *e = make(p, offset, DRAY_CEL_FOLD);
    e->fold = DRAY_NEW(p->arena, struct dray_cel_fold);
    *e->fold = fold;
    dray_cel_expr *const parts[] = {fold.range, fold.init, fold.cond, fold.step, fold.result};
    for (size_t i = 0; i < DRAY_COUNT(parts); i++)
        above(p, e, parts[i]);
    return e;
}

static dray_cel_expr **copy_all(dray_cel_parser *p, dray_cel_expr *const *from, size_t n) {
    dray_cel_expr **to = DRAY_NEW_N(p->arena, dray_cel_expr *, n);
    for (size_t i = 0; i < n; i++)
        to[i] = dray_cel_copy(p, from[i]);
    return to;
}

static dray_cel_entry *copy_entries(dray_cel_parser *p, const dray_cel_entry *from, size_t n) {
    dray_cel_entry *to = DRAY_NEW_N(p->arena, dray_cel_entry, n);
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
        to[i].id = dray_cel_new_id(p, p->offsets.v[from[i].id]);
        to[i].key = from[i].key != NULL ? dray_cel_copy(p, from[i].key) : NULL;
        to[i].value = dray_cel_copy(p, from[i].value);
    }
    return to;
}

/* The printed form of a macro is shared by the copy, which has an id of its own. */
static void copy_macro_call(dray_cel_parser *p, uint32_t from, uint32_t to) {
    size_t low = 0, high = p->calls.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->calls.v[middle].id < from)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < p->calls.n && p->calls.v[low].id == from) {
        dray_cel_macro_call call = {to, p->calls.v[low].call};
        DRAY_PUSH(p->arena, &p->calls, call);
    }
}

/* One node more that is copied: each such macro doubles what stands before it. */
static bool may_copy(dray_cel_parser *p) {
    uint32_t by_text = p->source->n_points / 2;
    if (++p->copied > (by_text > DRAY_CEL_COPIES ? by_text : DRAY_CEL_COPIES))
        p->too_many = true;
    return !p->too_many;
}

dray_cel_expr *dray_cel_copy(dray_cel_parser *p, const dray_cel_expr *from) {
    if (!may_copy(p))
        return dray_cel_make_none(p, dray_cel_offset(p, from));
    dray_cel_expr *e = make(p, dray_cel_offset(p, from), from->kind);
    uint32_t id = e->id;
    *e = *from;
    e->id = id;
    copy_macro_call(p, from->id, id);
    switch (e->kind) {
    case DRAY_CEL_LITERAL:
    case DRAY_CEL_IDENT:
        break;
    case DRAY_CEL_SELECT:
        e->select.operand = dray_cel_copy(p, from->select.operand);
        break;
    case DRAY_CEL_CALL:
        e->call.args = copy_all(p, from->call.args, from->call.n_args);
        if (from->call.target != NULL)
            e->call.target = dray_cel_copy(p, from->call.target);
        break;
    case DRAY_CEL_LIST_EXPR:
        e->list.items = copy_all(p, from->list.items, from->list.n);
        break;
    case DRAY_CEL_MAP_EXPR:
    case DRAY_CEL_STRUCT_EXPR:
        e->map.entries = copy_entries(p, from->map.entries, from->map.n);
        break;
    case DRAY_CEL_FOLD:
        e->fold = DRAY_NEW(p->arena, struct dray_cel_fold);
        *e->fold = *from->fold;
        e->fold->range = dray_cel_copy(p, from->fold->range);
        e->fold->init = dray_cel_copy(p, from->fold->init);
        e->fold->cond = dray_cel_copy(p, from->fold->cond);
        e->fold->step = dray_cel_copy(p, from->fold->step);
        e->fold->result = dray_cel_copy(p, from->fold->result);
        break;
    default:
        break;
    }
    return e;
}
