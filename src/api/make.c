/* Making, testing and copying objects over the field tables. */
#include "api/engine_int.h"

void dray_api_make_members(const dray_type *type, void *body, dray_arena *arena) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *f = &type->fields[i];
        if (f->shape == DRAY_SHAPE_OBJECT && f->container == DRAY_ONE && !f->pointer)
            *(void **)field_at(f, body) = dray_api_new(f->ref, arena);
    }
}

void *dray_api_new(const dray_type *type, dray_arena *arena) {
    void *body = dray_arena_alloc(arena, type->size);
    dray_api_make_members(type, body, arena);
    return body;
}

const dray_kind *dray_api_kind_of(const dray_type *type) {
    /* Only kinds and templates begin with metadata, so nothing else is looked up. */
    if (type->n_fields == 0 || type->fields[0].ref != &dray_type_meta_object_meta)
        return NULL;
    for (size_t i = 0; i < dray_n_kinds; i++)
        if (dray_kinds[i].type == type)
            return &dray_kinds[i];
    return NULL;
}

bool dray_api_is_empty(const dray_field *f, const void *at) {
    if (f->container == DRAY_LIST)
        return ((const dray_any_list *)at)->n == 0;
    if (f->container == DRAY_MAP)
        return ((const dray_any_map *)at)->n == 0;
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_STRING:
        return f->pointer ? ((const dray_str *)at)->p == NULL : ((const dray_str *)at)->n == 0;
    case DRAY_SHAPE_INT32:
        return f->pointer ? !((const dray_opt_int32 *)at)->set : *(const int32_t *)at == 0;
    case DRAY_SHAPE_INT64:
        return f->pointer ? !((const dray_opt_int64 *)at)->set : *(const int64_t *)at == 0;
    case DRAY_SHAPE_BOOL:
        return f->pointer ? !((const dray_opt_bool *)at)->set : !*(const bool *)at;
    case DRAY_SHAPE_BYTES:
        return ((const dray_str *)at)->n == 0;
    case DRAY_SHAPE_STRINGS:
        return ((const dray_strings *)at)->n == 0;
    /* Structs are never empty to Go; only their pointers are. */
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        return f->pointer && !((const dray_time *)at)->set;
    case DRAY_SHAPE_QUANTITY:
        return f->pointer && *(dray_quantity *const *)at == NULL;
    case DRAY_SHAPE_OBJECT:
        return f->pointer && *(void *const *)at == NULL;
    case DRAY_SHAPE_INT_OR_STRING:
        return f->pointer && ((const dray_int_or_string *)at)->kind == DRAY_IOS_ABSENT;
    case DRAY_SHAPE_ANY:
        return f->pointer && ((const dray_str *)at)->p == NULL;
    }
    return false;
}

bool dray_api_is_zero(const dray_field *f, const void *at) {
    if (f->container == DRAY_ONE && !f->pointer) {
        if (f->shape == DRAY_SHAPE_TIME || f->shape == DRAY_SHAPE_MICRO_TIME)
            return !((const dray_time *)at)->set;
        if (f->shape == DRAY_SHAPE_INT_OR_STRING)
            return ((const dray_int_or_string *)at)->kind == DRAY_IOS_ABSENT;
        if (f->shape == DRAY_SHAPE_ANY)
            return ((const dray_str *)at)->n == 0;
    }
    return dray_api_is_empty(f, at);
}

static dray_str copy_str(dray_str s, dray_arena *arena) {
    return s.p != NULL ? dray_str_dup(arena, s) : s;
}

static dray_strings copy_strings(dray_strings from, dray_arena *arena) {
    if (from.v == NULL)
        return from;
    dray_strings to = {DRAY_NEW_N(arena, dray_str, from.n + 1), from.n};
    for (size_t i = 0; i < from.n; i++)
        to.v[i] = copy_str(from.v[i], arena);
    return to;
}

/* The value has been copied bit by bit; what it points to follows. */
static void copy_one(const dray_field *f, void *at, dray_arena *arena) {
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_ANY:
    case DRAY_SHAPE_BYTES:
        *(dray_str *)at = copy_str(*(dray_str *)at, arena);
        return;
    case DRAY_SHAPE_STRINGS:
        *(dray_strings *)at = copy_strings(*(dray_strings *)at, arena);
        return;
    case DRAY_SHAPE_INT_OR_STRING:
        ((dray_int_or_string *)at)->s = copy_str(((dray_int_or_string *)at)->s, arena);
        return;
    case DRAY_SHAPE_QUANTITY:
        if (!field_is_pointer(f)) {
            *(dray_quantity *)at = dray_quantity_copy(*(dray_quantity *)at, arena);
        } else if (*(dray_quantity **)at != NULL) {
            dray_quantity *q = DRAY_NEW(arena, dray_quantity);
            *q = dray_quantity_copy(**(dray_quantity **)at, arena);
            *(dray_quantity **)at = q;
        }
        return;
    case DRAY_SHAPE_OBJECT:
        if (f->container != DRAY_ONE)
            dray_api_copy_into(f->ref, at, at, arena);
        else if (*(void **)at != NULL)
            *(void **)at = dray_api_copy(f->ref, *(void **)at, arena);
        return;
    case DRAY_SHAPE_INT32:
    case DRAY_SHAPE_INT64:
    case DRAY_SHAPE_BOOL:
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        return;
    }
}

static void *copy_items(const dray_field *f, const void *items, size_t n, dray_arena *arena) {
    size_t bytes = dray_field_element_size(f);
    void *to = dray_arena_alloc(arena, dray_size_mul(n, bytes) + 1);
    if (n != 0)
        memcpy(to, items, n * bytes);
    for (size_t i = 0; i < n; i++)
        copy_one(f, item_at(to, i, bytes), arena);
    return to;
}

static void copy_field(const dray_field *f, void *at, dray_arena *arena) {
    if (f->container == DRAY_ONE) {
        copy_one(f, at, arena);
    } else if (f->container == DRAY_LIST) {
        dray_any_list *list = at;
        if (list->v != NULL)
            list->v = copy_items(f, list->v, list->n, arena);
    } else {
        dray_any_map *map = at;
        if (map->k == NULL)
            return;
        map->v = copy_items(f, map->v, map->n, arena);
        map->k = copy_strings((dray_strings){map->k, map->n}, arena).v;
    }
}

void dray_api_copy_into(const dray_type *type, void *to, const void *from, dray_arena *arena) {
    if (to != from)
        memcpy(to, from, type->size);
    for (uint32_t i = 0; i < type->n_fields; i++)
        copy_field(&type->fields[i], field_at(&type->fields[i], to), arena);
}

void *dray_api_copy(const dray_type *type, const void *body, dray_arena *arena) {
    void *to = dray_arena_alloc(arena, type->size);
    dray_api_copy_into(type, to, body, arena);
    return to;
}
