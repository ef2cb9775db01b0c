/* Comparing objects over the field tables: by meaning, and to the letter.
 * Source: apimachinery's equality.Semantic; Go's reflect.DeepEqual. */
#include "api/engine_int.h"

/* Whether nil and empty differ; whether 1000m and 1 do. */
typedef enum closeness { BY_MEANING, TO_THE_LETTER } closeness;

static bool equal_body(const dray_type *type, const void *a, const void *b, closeness how);

static bool equal_strings(const dray_strings *a, const dray_strings *b, closeness how) {
    if (a->n != b->n || (how == TO_THE_LETTER && (a->v == NULL) != (b->v == NULL)))
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!dray_str_eq(a->v[i], b->v[i]))
            return false;
    return true;
}

static bool equal_quantity(const dray_quantity *a, const dray_quantity *b, closeness how) {
    if (a == NULL || b == NULL)
        return a == b;
    return dray_quantity_cmp(*a, *b) == 0 &&
           (how == BY_MEANING || (a->form == b->form && a->scale == b->scale));
}

static bool equal_int_or_string(const dray_int_or_string *a, const dray_int_or_string *b,
                                bool pointer) {
    int absent = pointer ? DRAY_IOS_ABSENT : DRAY_IOS_INT; /* Go's zero value is the number 0 */
    int ka = a->kind != DRAY_IOS_ABSENT ? (int)a->kind : absent;
    int kb = b->kind != DRAY_IOS_ABSENT ? (int)b->kind : absent;
    if (ka != kb)
        return false;
    return ka == DRAY_IOS_STRING ? dray_str_eq(a->s, b->s) : a->i == b->i;
}

static bool equal_time(const dray_time *a, const dray_time *b) {
    return a->set == b->set && (!a->set || dray_time_cmp(*a, *b) == 0);
}

static bool equal_number(const dray_field *f, const void *a, const void *b) {
    bool own = field_is_pointer(f);
    if (own && dray_api_is_empty(f, a) != dray_api_is_empty(f, b))
        return false;
    if (own && dray_api_is_empty(f, a))
        return true;
    if (f->shape == DRAY_SHAPE_INT32)
        return own ? ((const dray_opt_int32 *)a)->v == ((const dray_opt_int32 *)b)->v
                   : *(const int32_t *)a == *(const int32_t *)b;
    if (f->shape == DRAY_SHAPE_INT64)
        return own ? ((const dray_opt_int64 *)a)->v == ((const dray_opt_int64 *)b)->v
                   : *(const int64_t *)a == *(const int64_t *)b;
    return own ? ((const dray_opt_bool *)a)->v == ((const dray_opt_bool *)b)->v
               : *(const bool *)a == *(const bool *)b;
}

static bool equal_object(const dray_field *f, const void *a, const void *b, closeness how) {
    if (f->container != DRAY_ONE)
        return equal_body(f->ref, a, b, how);
    const void *pa = *(void *const *)a, *pb = *(void *const *)b;
    if (pa == NULL || pb == NULL)
        return pa == pb;
    return equal_body(f->ref, pa, pb, how);
}

static bool equal_str(const dray_field *f, const dray_str *a, const dray_str *b) {
    return dray_str_eq(*a, *b) && (!field_is_pointer(f) || (a->p == NULL) == (b->p == NULL));
}

static bool equal_one(const dray_field *f, const void *a, const void *b, closeness how) {
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_BYTES:
        if (how == TO_THE_LETTER &&
            (((const dray_str *)a)->p == NULL) != (((const dray_str *)b)->p == NULL))
            return false;
        return equal_str(f, a, b);
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_ANY:
        return equal_str(f, a, b);
    case DRAY_SHAPE_INT32:
    case DRAY_SHAPE_INT64:
    case DRAY_SHAPE_BOOL:
        return equal_number(f, a, b);
    case DRAY_SHAPE_QUANTITY:
        if (field_is_pointer(f))
            return equal_quantity(*(dray_quantity *const *)a, *(dray_quantity *const *)b, how);
        return equal_quantity(a, b, how);
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        return equal_time(a, b);
    case DRAY_SHAPE_INT_OR_STRING:
        return equal_int_or_string(a, b, field_is_pointer(f));
    case DRAY_SHAPE_OBJECT:
        return equal_object(f, a, b, how);
    case DRAY_SHAPE_STRINGS:
        return equal_strings(a, b, how);
    }
    return false;
}

static bool equal_items(const dray_field *f, const void *a, const void *b, size_t n,
                        closeness how) {
    size_t bytes = dray_field_element_size(f);
    for (size_t i = 0; i < n; i++)
        if (!equal_one(f, item_in(a, i, bytes), item_in(b, i, bytes), how))
            return false;
    return true;
}

static bool equal_field(const dray_field *f, const void *a, const void *b, closeness how) {
    if (f->container == DRAY_ONE)
        return equal_one(f, a, b, how);
    if (f->container == DRAY_LIST) {
        const dray_any_list *la = a, *lb = b;
        if (how == TO_THE_LETTER && (la->v == NULL) != (lb->v == NULL))
            return false;
        return la->n == lb->n && equal_items(f, la->v, lb->v, la->n, how);
    }
    const dray_any_map *ma = a, *mb = b;
    dray_strings ka = {ma->k, ma->n}, kb = {mb->k, mb->n};
    return equal_strings(&ka, &kb, how) && equal_items(f, ma->v, mb->v, ma->n, how);
}

static bool equal_body(const dray_type *type, const void *a, const void *b, closeness how) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *f = &type->fields[i];
        if (!equal_field(f, field_in(f, a), field_in(f, b), how))
            return false;
    }
    return true;
}

bool dray_api_equal(const dray_type *type, const void *a, const void *b) {
    if (a == NULL || b == NULL)
        return a == b;
    return a == b || equal_body(type, a, b, BY_MEANING);
}

bool dray_api_same(const dray_type *type, const void *a, const void *b) {
    if (a == NULL || b == NULL)
        return a == b;
    return a == b || equal_body(type, a, b, TO_THE_LETTER);
}

bool dray_api_same_member(const dray_type *type, uint32_t offset, const void *a, const void *b) {
    const dray_field *field = field_by_offset(type, offset);
    dray_type alone = {type->name, type->size, 1, field};
    return a != NULL && b != NULL && dray_api_equal(&alone, a, b);
}
