/* Between versions: fields of the same name, then what convert_hooks.c adds. Source: the generated
 * and written conversions of pkg/apis/…/v1beta1. */
#include "api/convert_int.h"

static void convert_body(const dray_type *from_type, const void *from, const dray_type *to_type,
                         void *to, dray_arena *arena);

static const dray_field *find_member(const dray_type *type, const char *member, uint32_t *hint) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        uint32_t at = *hint + i < type->n_fields ? *hint + i : *hint + i - type->n_fields;
        if (strcmp(type->fields[at].member, member) == 0) {
            *hint = at + 1 < type->n_fields ? at + 1 : 0;
            return &type->fields[at];
        }
    }
    return NULL;
}

/* A pointer from or into a plain value: what is empty is absent. */
static void convert_pointer(const dray_field *ff, const void *from, const dray_field *tf,
                            void *to) {
    if (ff->shape == DRAY_SHAPE_STRING) {
        const dray_str *s = from;
        *(dray_str *)to = s->n != 0 ? *s : DRAY_STR_NONE;
    } else if (ff->shape == DRAY_SHAPE_BOOL) {
        bool truth = ff->pointer ? ((const dray_opt_bool *)from)->v : *(const bool *)from;
        if (tf->pointer)
            *(dray_opt_bool *)to = (dray_opt_bool){truth, truth};
        else
            *(bool *)to = truth;
    }
}

static void *convert_items(const dray_field *ff, const void *items, size_t n, const dray_field *tf,
                           dray_arena *arena) {
    void *to = dray_arena_alloc(arena, dray_size_mul(n, tf->ref->size) + 1);
    for (size_t i = 0; i < n; i++) {
        void *item = item_at(to, i, tf->ref->size);
        dray_api_make_members(tf->ref, item, arena);
        convert_body(ff->ref, item_in(items, i, ff->ref->size), tf->ref, item, arena);
    }
    return to;
}

/* Objects of different types, one or many. */
static void convert_objects(const dray_field *ff, const void *from, const dray_field *tf, void *to,
                            dray_arena *arena) {
    if (ff->container == DRAY_LIST) {
        const dray_any_list *list = from;
        *(dray_any_list *)to = *list;
        if (list->v != NULL)
            ((dray_any_list *)to)->v = convert_items(ff, list->v, list->n, tf, arena);
    } else if (ff->container == DRAY_MAP) {
        const dray_any_map *map = from;
        *(dray_any_map *)to = *map;
        if (map->k != NULL)
            ((dray_any_map *)to)->v = convert_items(ff, map->v, map->n, tf, arena);
    } else if (*(void *const *)from != NULL) {
        *(void **)to = convert_items(ff, *(void *const *)from, 1, tf, arena);
    }
}

static void convert_field(const dray_field *ff, const void *from, const dray_field *tf, void *to,
                          dray_arena *arena) {
    if (ff->ref != tf->ref)
        convert_objects(ff, from, tf, to, arena);
    else if (ff->container == DRAY_ONE && ff->pointer != tf->pointer)
        convert_pointer(ff, from, tf, to);
    else if (ff->container == DRAY_LIST)
        *(dray_any_list *)to = *(const dray_any_list *)from;
    else if (ff->container == DRAY_MAP)
        *(dray_any_map *)to = *(const dray_any_map *)from;
    else
        memcpy(to, from, dray_field_element_size(tf));
}

void dray_api_convert_fields(const dray_type *from_type, const void *from, const dray_type *to_type,
                             void *to, dray_arena *arena) {
    uint32_t hint = 0;
    for (uint32_t i = 0; i < to_type->n_fields; i++) {
        const dray_field *tf = &to_type->fields[i];
        const dray_field *ff = find_member(from_type, tf->member, &hint);
        if (ff != NULL && ff->shape == tf->shape && ff->container == tf->container)
            convert_field(ff, field_in(ff, from), tf, field_at(tf, to), arena);
    }
}

static void convert_body(const dray_type *from_type, const void *from, const dray_type *to_type,
                         void *to, dray_arena *arena) {
    if (from_type == to_type) {
        memcpy(to, from, to_type->size);
        return;
    }
    dray_api_convert_fields(from_type, from, to_type, to, arena);
    for (size_t i = 0; i < dray_n_convert_hooks; i++)
        if (dray_convert_hooks[i].from == from_type && dray_convert_hooks[i].to == to_type)
            dray_convert_hooks[i].apply(from, to, arena);
}

dray_code dray_api_convert(dray_object object, const dray_kind *to, dray_arena *arena,
                           dray_object *ret, dray_err *err) {
    const dray_kind *from = object.kind;
    if (strcmp(from->group, to->group) != 0 || strcmp(from->kind, to->kind) != 0)
        return dray_err_set(err, DRAY_E_CONFLICT, "a %s cannot be converted to a %s", from->kind,
                            to->kind);
    void *body = object.body;
    if (from->type != to->type) {
        body = dray_api_new(to->type, arena);
        convert_body(from->type, object.body, to->type, body, arena);
    }
    dray_code code =
        to == dray_kind_hub(to) ? dray_api_pass_hub(to->type, body, arena, err) : DRAY_OK;
    if (code == DRAY_OK)
        *ret = (dray_object){to, body};
    return code;
}
