/* What a round trip through protobuf does to an object: lists and maps that are empty become nil,
 * bytes in a map that are nil become empty, times lose what the wire does not carry. */
#include "api/engine_int.h"

static void normalize_one(const dray_field *f, void *at) {
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_TIME:
        ((dray_time *)at)->nsec = 0;
        return;
    case DRAY_SHAPE_MICRO_TIME:
        ((dray_time *)at)->nsec = ((dray_time *)at)->nsec / 1000 * 1000;
        return;
    case DRAY_SHAPE_STRINGS:
        if (((dray_strings *)at)->n == 0)
            ((dray_strings *)at)->v = NULL;
        return;
    case DRAY_SHAPE_OBJECT:
        if (f->container != DRAY_ONE)
            dray_api_normalize(f->ref, at);
        else if (*(void **)at != NULL)
            dray_api_normalize(f->ref, *(void **)at);
        return;
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_INT32:
    case DRAY_SHAPE_INT64:
    case DRAY_SHAPE_BOOL:
    case DRAY_SHAPE_QUANTITY:
    case DRAY_SHAPE_INT_OR_STRING:
    case DRAY_SHAPE_ANY:
        return;
    case DRAY_SHAPE_BYTES:
        if (f->container == DRAY_MAP && ((dray_str *)at)->p == NULL)
            *(dray_str *)at = DRAY_STR("");
        return;
    }
}

static void normalize_items(const dray_field *f, void *items, size_t n) {
    size_t bytes = dray_field_element_size(f);
    for (size_t i = 0; i < n; i++)
        normalize_one(f, item_at(items, i, bytes));
}

static void normalize_field(const dray_field *f, void *at) {
    if (f->container == DRAY_ONE) {
        normalize_one(f, at);
    } else if (f->container == DRAY_LIST) {
        dray_any_list *list = at;
        if (list->n == 0)
            list->v = NULL;
        normalize_items(f, list->v, list->n);
    } else {
        dray_any_map *map = at;
        if (map->n == 0)
            *map = (dray_any_map){0};
        normalize_items(f, map->v, map->n);
    }
}

void dray_api_normalize(const dray_type *type, void *body) {
    for (uint32_t i = 0; i < type->n_fields; i++)
        normalize_field(&type->fields[i], field_at(&type->fields[i], body));
}
