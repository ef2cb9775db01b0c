/* Optionals, and the map building of transformMap and transformMapEntry. */
#include "cel/eval_int.h"

#include "base/vec.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

FN(of) {
    return dray_cel_some(e->arena, args[0]);
}

FN(of_non_zero) {
    return dray_cel_is_zero(args[0]) ? dray_cel_none : dray_cel_some(e->arena, args[0]);
}

FN(none) {
    return dray_cel_none;
}

FN(value) {
    return args[0].inner != NULL ? *args[0].inner
                                 : dray_cel_fail(e->arena, "optional.none() dereference");
}

FN(has_value) {
    return dray_cel_of_bool(args[0].inner != NULL);
}

FN(first) {
    const dray_cel_list *list = args[0].list;
    return list->n == 0 ? dray_cel_none : dray_cel_some(e->arena, dray_cel_list_at(list, 0));
}

FN(last) {
    const dray_cel_list *list = args[0].list;
    return list->n == 0 ? dray_cel_none
                        : dray_cel_some(e->arena, dray_cel_list_at(list, list->n - 1));
}

FN(unwrap) {
    const dray_cel_list *list = args[0].list;
    if (!dray_cel_eval_work(e, list->n))
        return dray_cel_no_overload;
    dray_cel_value *v = dray_arena_room(e->arena, (list->n + 1) * sizeof *v);
    size_t count = 0;
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *item; (item = dray_cel_walk_next(&walk)) != NULL;) {
        if (item->kind != DRAY_CEL_OPTIONAL) {
            DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
            dray_cel_print_value(&text, *item);
            return dray_cel_failf(e->arena, "value " DRAY_FMT " is not optional",
                                  DRAY_ARG(dray_buf_str(&text)));
        }
        if (item->inner != NULL)
            v[count++] = *item->inner;
    }
    return dray_cel_of_list(e->arena, v, count);
}

/* Only macros call this, with the accumulator that they made: it may be changed in place. */
static dray_cel_value insert(dray_cel_eval *e, dray_cel_value map, dray_cel_value key,
                             dray_cel_value value) {
    enum { ENTRY_WORK = 8 };
    if (!dray_cel_can_hash(key))
        return dray_cel_eval_no_hash(e, key);
    if (!dray_cel_eval_work(e, ENTRY_WORK))
        return dray_cel_no_overload;
    if (!dray_cel_map_add(e->arena, (dray_cel_map *)map.map, key, value)) {
        DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
        dray_cel_print_value(&text, key);
        return dray_cel_failf(e->arena, "insert failed: key " DRAY_FMT " already exists",
                              DRAY_ARG(dray_buf_str(&text)));
    }
    return map;
}

FN(insert_pair) {
    return insert(e, args[0], args[1], args[2]);
}

FN(insert_map) {
    dray_cel_value map = args[0];
    for (size_t i = 0; i < args[1].map->n && map.kind != DRAY_CEL_ERROR; i++)
        map = insert(e, map, args[1].map->v[i].key, args[1].map->v[i].value);
    return map;
}

static const dray_cel_impl_row overloads[] = {
    {"optional_of", of},
    {"optional_ofNonZeroValue", of_non_zero},
    {"optional_none", none, NULL, DRAY_CEL_I_ARRAY},
    {"optional_value", value},
    {"optional_hasValue", has_value},
    {"list_first", first},
    {"list_last", last},
    {"optional_unwrap", unwrap},
    {"optional_unwrapOpt", unwrap},
    {"@mapInsert_map_key_value", insert_pair, NULL, DRAY_CEL_I_ARRAY | DRAY_CEL_I_NO_GUARD},
    {"@mapInsert_map_map", insert_map},
};

const dray_cel_impl_table dray_cel_impls_optional = {NULL, 0, overloads, DRAY_COUNT(overloads)};
