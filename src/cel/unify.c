/* Assignability of types with free variables: binding, occurs check, undoing. */
#include "cel/unify_int.h"

#define NAMED 0x80000000u

static bool spend(dray_cel_unifier *u) {
    if (++u->steps > DRAY_CEL_UNIFY_STEPS)
        u->exhausted = true;
    return !u->exhausted;
}

static const dray_cel_type **slot_of(dray_cel_unifier *u, const dray_cel_type *var,
                                     uint32_t *slot) {
    if (var->var != 0) {
        *slot = var->var - 1;
        return &u->bound.v[*slot];
    }
    for (size_t i = 0; i < u->named.n; i++) {
        *slot = (uint32_t)i | NAMED;
        if (dray_str_eq(u->named.v[i].name, var->name))
            return &u->named.v[i].bound;
    }
    dray_cel_named_var added = {var->name, NULL};
    DRAY_PUSH(u->arena, &u->named, added);
    *slot = (uint32_t)(u->named.n - 1) | NAMED;
    return &u->named.v[u->named.n - 1].bound;
}

/* What a variable is bound to; NULL for a free one and for any other type. */
static const dray_cel_type *binding(dray_cel_unifier *u, const dray_cel_type *type) {
    uint32_t slot;
    return type->kind == DRAY_CEL_PARAM ? *slot_of(u, type, &slot) : NULL;
}

static void bind(dray_cel_unifier *u, const dray_cel_type *var, const dray_cel_type *to) {
    struct dray_cel_undo undo;
    const dray_cel_type **bound = slot_of(u, var, &undo.slot);
    undo.old = *bound;
    *bound = to;
    DRAY_PUSH(u->arena, &u->trail, undo);
}

static void undo_to(dray_cel_unifier *u, size_t mark) {
    while (u->trail.n > mark) {
        struct dray_cel_undo undo = u->trail.v[--u->trail.n];
        if ((undo.slot & NAMED) != 0)
            u->named.v[undo.slot & ~NAMED].bound = undo.old;
        else
            u->bound.v[undo.slot] = undo.old;
    }
}

static bool is_any(const dray_cel_type *type) {
    return type->kind == DRAY_CEL_DYN || type->kind == DRAY_CEL_ANY;
}

static bool not_inside(dray_cel_unifier *u, const dray_cel_type *var, const dray_cel_type *in) {
    if (in->closed)
        return true;
    if (!spend(u) || dray_cel_type_same(var, in))
        return false;
    if (in->kind == DRAY_CEL_PARAM) {
        const dray_cel_type *bound = binding(u, in);
        return bound == NULL || not_inside(u, var, bound);
    }
    for (size_t i = 0; i < in->n_params; i++)
        if (!not_inside(u, var, in->params[i]))
            return false;
    return true;
}

static bool takes_null(const dray_cel_type *type) {
    return type->kind == DRAY_CEL_OPAQUE || type->kind == DRAY_CEL_STRUCT ||
           type->kind == DRAY_CEL_DURATION || type->kind == DRAY_CEL_TIMESTAMP ||
           type->kind == DRAY_CEL_NULL || type->nullable;
}

static bool assignable(dray_cel_unifier *u, const dray_cel_type *a, const dray_cel_type *b);

/* Can `type` be what `var` stands for? *was_bound: var stands for something already. */
static bool substitutes(dray_cel_unifier *u, const dray_cel_type *type, const dray_cel_type *var,
                        bool *was_bound) {
    *was_bound = true;
    if (dray_cel_type_same(type, var))
        return true;
    const dray_cel_type *bound = binding(u, var);
    if (bound == NULL) {
        *was_bound = false;
        if (!not_inside(u, var, type))
            return false;
        bind(u, var, type);
        return true;
    }
    if (dray_cel_type_same(type, bound))
        return true;
    if (!assignable(u, type, bound))
        return false;
    const dray_cel_type *general = dray_cel_unify_general(type, bound);
    if (general != bound && not_inside(u, var, general))
        bind(u, var, general);
    return true;
}

static bool assignable_all(dray_cel_unifier *u, const dray_cel_type *const *a,
                           const dray_cel_type *const *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!assignable(u, a[i], b[i]))
            return false;
    return true;
}

static bool assignable(dray_cel_unifier *u, const dray_cel_type *a, const dray_cel_type *b) {
    if (!spend(u))
        return false;
    bool was_bound;
    if (b->kind == DRAY_CEL_PARAM) {
        if (substitutes(u, a, b, &was_bound))
            return true;
        if (was_bound)
            return false;
    }
    if (a->kind == DRAY_CEL_PARAM)
        return substitutes(u, b, a, &was_bound);
    if (is_any(a) || is_any(b) || a->kind == DRAY_CEL_ERROR || b->kind == DRAY_CEL_ERROR)
        return true;
    if (a->kind == DRAY_CEL_NULL)
        return takes_null(b);
    if (b->kind == DRAY_CEL_NULL)
        return takes_null(a);
    if (a->kind != b->kind)
        return false;
    if (a->kind == DRAY_CEL_TYPE)
        return true;
    if (a->kind == DRAY_CEL_STRUCT)
        return dray_str_eq(a->name, b->name);
    return a->n_params == b->n_params && dray_str_eq(a->name, b->name) &&
           assignable_all(u, a->params, b->params, a->n_params);
}

static bool less_specific(const dray_cel_type *a, const dray_cel_type *b) {
    if (is_any(a) || a->kind == DRAY_CEL_PARAM)
        return true;
    if (is_any(b) || b->kind == DRAY_CEL_PARAM || a->kind != b->kind)
        return false;
    if (a->kind == DRAY_CEL_TYPE)
        return true;
    if (a->kind != DRAY_CEL_OPAQUE && a->kind != DRAY_CEL_LIST && a->kind != DRAY_CEL_MAP)
        return dray_cel_type_same(a, b);
    if (!dray_str_eq(a->name, b->name) || a->n_params != b->n_params)
        return false;
    for (size_t i = 0; i < a->n_params; i++)
        if (!less_specific(a->params[i], b->params[i]))
            return false;
    return true;
}

uint32_t dray_cel_unify_fresh(dray_cel_unifier *u, uint32_t n) {
    uint32_t base = (uint32_t)u->bound.n;
    for (uint32_t i = 0; i < n; i++)
        DRAY_PUSH(u->arena, &u->bound, NULL);
    return base;
}

const dray_cel_type *dray_cel_unify_var(dray_cel_unifier *u) {
    dray_cel_type *type = DRAY_NEW(u->arena, dray_cel_type);
    type->kind = DRAY_CEL_PARAM;
    type->size = 1;
    type->var = dray_cel_unify_fresh(u, 1) + 1;
    return type;
}

/* A copy of type with other parameters, or type itself when they are the same ones. */
static const dray_cel_type *with_params(dray_arena *arena, const dray_cel_type *type,
                                        const dray_cel_type *const *params) {
    if (memcmp(params, type->params, type->n_params * sizeof *params) == 0)
        return type;
    dray_cel_type *copy = DRAY_NEW(arena, dray_cel_type);
    *copy = *type;
    copy->size = 1;
    copy->closed = true;
    const dray_cel_type **own = DRAY_NEW_N(arena, const dray_cel_type *, type->n_params);
    for (size_t i = 0; i < type->n_params; i++) {
        own[i] = params[i];
        copy->closed = copy->closed && params[i]->closed;
        if (__builtin_add_overflow(copy->size, params[i]->size, &copy->size))
            copy->size = UINT32_MAX;
    }
    copy->params = own;
    return copy;
}

const dray_cel_type *dray_cel_unify_instance(dray_cel_unifier *u, const dray_cel_type *type,
                                             uint32_t base) {
    if (type->closed)
        return type;
    if (type->kind == DRAY_CEL_PARAM) {
        dray_cel_type *var = DRAY_NEW(u->arena, dray_cel_type);
        var->kind = DRAY_CEL_PARAM;
        var->size = 1;
        var->var = base + type->var;
        return var;
    }
    const dray_cel_type *params[DRAY_CEL_TYPE_PARAMS];
    for (size_t i = 0; i < type->n_params; i++)
        params[i] = dray_cel_unify_instance(u, type->params[i], base);
    return with_params(u->arena, type, params);
}

bool dray_cel_unify(dray_cel_unifier *u, const dray_cel_type *a, const dray_cel_type *b) {
    return dray_cel_unify_all(u, &a, &b, 1);
}

bool dray_cel_unify_all(dray_cel_unifier *u, const dray_cel_type *const *a,
                        const dray_cel_type *const *b, size_t n) {
    size_t mark = u->trail.n;
    if (assignable_all(u, a, b, n))
        return true;
    undo_to(u, mark);
    return false;
}

const dray_cel_type *dray_cel_unify_general(const dray_cel_type *a, const dray_cel_type *b) {
    return less_specific(a, b) ? a : b;
}

const dray_cel_type *dray_cel_unify_resolve(dray_cel_unifier *u, const dray_cel_type *type,
                                            bool to_dyn) {
    if (type->closed || !spend(u))
        return type;
    if (type->kind == DRAY_CEL_PARAM) {
        const dray_cel_type *bound = binding(u, type);
        if (bound != NULL)
            return dray_cel_unify_resolve(u, bound, to_dyn);
        return to_dyn ? &dray_cel_dyn : type;
    }
    const dray_cel_type *params[DRAY_CEL_TYPE_PARAMS];
    for (size_t i = 0; i < type->n_params; i++)
        params[i] = dray_cel_unify_resolve(u, type->params[i], to_dyn);
    const dray_cel_type *made = with_params(u->arena, type, params);
    if (made->size > DRAY_CEL_TYPE_SIZE)
        u->exhausted = true;
    return made;
}

static struct dray_cel_settled *settled_slot(const dray_cel_unifier *u, const dray_cel_type *type) {
    uint32_t mask = u->room_settled - 1;
    uint32_t i = (uint32_t)((uintptr_t)type >> 3) * 2654435761u & mask;
    while (u->settled[i].from != NULL && u->settled[i].from != type)
        i = (i + 1) & mask;
    return &u->settled[i];
}

static void remember(dray_cel_unifier *u, const dray_cel_type *from, const dray_cel_type *to) {
    if (u->n_settled * 2 >= u->room_settled) {
        dray_cel_unifier old = *u;
        u->room_settled = old.room_settled == 0 ? 64 : old.room_settled * 2;
        u->settled = DRAY_NEW_N(u->arena, struct dray_cel_settled, u->room_settled);
        for (uint32_t i = 0; i < old.room_settled; i++)
            if (old.settled[i].from != NULL)
                *settled_slot(u, old.settled[i].from) = old.settled[i];
    }
    *settled_slot(u, from) = (struct dray_cel_settled){from, to};
    u->n_settled++;
}

const dray_cel_type *dray_cel_unify_settle(dray_cel_unifier *u, const dray_cel_type *type) {
    if (type->closed || !spend(u))
        return type;
    if (type->kind == DRAY_CEL_PARAM) {
        const dray_cel_type *bound = binding(u, type);
        return bound != NULL ? dray_cel_unify_settle(u, bound) : &dray_cel_dyn;
    }
    if (u->room_settled != 0 && settled_slot(u, type)->from != NULL)
        return settled_slot(u, type)->to;
    const dray_cel_type *params[DRAY_CEL_TYPE_PARAMS];
    for (size_t i = 0; i < type->n_params; i++)
        params[i] = dray_cel_unify_settle(u, type->params[i]);
    const dray_cel_type *made = with_params(u->arena, type, params);
    if (made->size > DRAY_CEL_TYPE_SIZE)
        u->exhausted = true;
    remember(u, type, made);
    return made;
}
