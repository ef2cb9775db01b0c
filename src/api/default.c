/* Defaults over the field tables: the rows of types, and the schema defaults of fields. */
#include "api/default_int.h"

#include "api/engine_int.h"

#include <stdlib.h>

/* The rows of one type; they stand next to each other in their table. */
typedef struct type_hooks {
    const dray_default_hook *first;
    size_t n;
} type_hooks;

static void default_body(const dray_type *type, const type_hooks *hooks, void *body,
                         const dray_defaults *d);

static type_hooks find_hooks_in(const dray_default_hook *table, size_t n, const dray_type *type) {
    for (size_t i = 0; i < n; i++) {
        if (table[i].type != type)
            continue;
        type_hooks found = {&table[i], 1};
        while (i + found.n < n && table[i + found.n].type == type)
            found.n++;
        return found;
    }
    return (type_hooks){0};
}

static type_hooks find_hooks(const dray_type *type) {
    type_hooks found =
        find_hooks_in(dray_default_hooks_resource, dray_n_default_hooks_resource, type);
    if (found.n == 0)
        found = find_hooks_in(dray_default_hooks_core, dray_n_default_hooks_core, type);
    return found;
}

static void set_schema_default(const dray_field *f, void *at) {
    if (f->container != DRAY_ONE || !dray_api_is_empty(f, at))
        return;
    if (f->shape == DRAY_SHAPE_STRING) {
        *(dray_str *)at = dray_str_of(f->schema_default);
        return;
    }
    int64_t value = strtoll(f->schema_default, NULL, 10);
    bool truth = strcmp(f->schema_default, "true") == 0;
    if (f->shape == DRAY_SHAPE_INT32 && f->pointer)
        *(dray_opt_int32 *)at = (dray_opt_int32){true, (int32_t)value};
    else if (f->shape == DRAY_SHAPE_INT32)
        *(int32_t *)at = (int32_t)value;
    else if (f->shape == DRAY_SHAPE_INT64 && f->pointer)
        *(dray_opt_int64 *)at = (dray_opt_int64){true, value};
    else if (f->shape == DRAY_SHAPE_INT64)
        *(int64_t *)at = value;
    else if (f->shape == DRAY_SHAPE_BOOL && f->pointer)
        *(dray_opt_bool *)at = (dray_opt_bool){true, truth};
    else if (f->shape == DRAY_SHAPE_BOOL)
        *(bool *)at = truth;
}

static void default_items(const dray_field *f, void *items, size_t n, const dray_defaults *d) {
    if (n == 0)
        return;
    type_hooks hooks = find_hooks(f->ref);
    for (size_t i = 0; i < n; i++)
        default_body(f->ref, &hooks, item_at(items, i, f->ref->size), d);
}

static void default_below(const dray_field *f, void *at, const dray_defaults *d) {
    if (f->container == DRAY_LIST)
        default_items(f, ((dray_any_list *)at)->v, ((dray_any_list *)at)->n, d);
    else if (f->container == DRAY_MAP)
        default_items(f, ((dray_any_map *)at)->v, ((dray_any_map *)at)->n, d);
    else if (*(void **)at != NULL)
        default_items(f, *(void **)at, 1, d);
}

static void default_body(const dray_type *type, const type_hooks *hooks, void *body,
                         const dray_defaults *d) {
    for (size_t i = 0; i < hooks->n; i++)
        hooks->first[i].apply(body, d);
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *f = &type->fields[i];
        void *at = field_at(f, body);
        if (f->schema_default != NULL)
            set_schema_default(f, at);
        if (f->shape == DRAY_SHAPE_OBJECT)
            default_below(f, at, d);
    }
}

void dray_api_default(dray_object object, const dray_defaults *defaults) {
    type_hooks hooks = find_hooks(object.kind->type);
    default_body(object.kind->type, &hooks, object.body, defaults);
}
