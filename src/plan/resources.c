/* Amounts of resources. */
#include "plan/resources.h"

#include "obj/names.h"

uint32_t dray_plan_name_id(dray_plan_names *names, dray_arena *arena, dray_str name) {
    if (names->ids.arena == NULL)
        names->ids = dray_map_new(arena);
    dray_map_entry *entry = dray_map_entry_of(&names->ids, name);
    if (entry->value == NULL) {
        DRAY_PUSH(arena, &names->list, name);
        entry->value = (void *)names->list.n;
    }
    return (uint32_t)((uintptr_t)entry->value - 1);
}

static void add_scalar(dray_plan_res *res, dray_arena *arena, uint32_t id, int64_t value) {
    for (size_t i = 0; i < res->scalars.n; i++)
        if (res->scalars.v[i].id == id) {
            res->scalars.v[i].value += value;
            return;
        }
    DRAY_PUSH(arena, &res->scalars, (dray_plan_scalar){id, value});
}

void dray_plan_res_add(dray_plan_res *res, dray_plan_names *names, dray_arena *arena,
                       dray_resource_list list) {
    bool fits;
    for (size_t i = 0; i < list.n; i++) {
        dray_str name = list.k[i];
        if (dray_str_is(name, "cpu"))
            res->cpu += dray_quantity_milli(list.v[i], &fits);
        else if (dray_str_is(name, "memory"))
            res->memory += dray_quantity_value(list.v[i], &fits);
        else if (dray_str_is(name, "ephemeral-storage"))
            res->ephemeral += dray_quantity_value(list.v[i], &fits);
        else if (dray_str_is(name, "pods"))
            res->pods += dray_quantity_value(list.v[i], &fits);
        else if (dray_plan_is_scalar(name))
            add_scalar(res, arena, dray_plan_name_id(names, arena, name),
                       dray_quantity_value(list.v[i], &fits));
    }
}

void dray_plan_res_sum(dray_plan_res *res, dray_arena *arena, const dray_plan_res *other,
                       int64_t sign) {
    res->cpu += sign * other->cpu;
    res->memory += sign * other->memory;
    res->ephemeral += sign * other->ephemeral;
    for (size_t i = 0; i < other->scalars.n; i++)
        add_scalar(res, arena, other->scalars.v[i].id, sign * other->scalars.v[i].value);
}

int64_t dray_plan_res_scalar(const dray_plan_res *res, uint32_t id) {
    for (size_t i = 0; i < res->scalars.n; i++)
        if (res->scalars.v[i].id == id)
            return res->scalars.v[i].value;
    return 0;
}

bool dray_plan_res_has_scalar(const dray_plan_res *res, uint32_t id) {
    for (size_t i = 0; i < res->scalars.n; i++)
        if (res->scalars.v[i].id == id)
            return true;
    return false;
}

static bool is_prefixed_native(dray_str name) {
    return dray_str_find(name, DRAY_STR("kubernetes.io/")) != SIZE_MAX;
}

bool dray_plan_is_extended(dray_str name) {
    return dray_is_extended_resource(name);
}

bool dray_plan_is_scalar(dray_str name) {
    return is_prefixed_native(name) || dray_str_starts(name, DRAY_STR("hugepages-")) ||
           dray_str_starts(name, DRAY_STR("attachable-volumes-")) || dray_plan_is_extended(name);
}

bool dray_plan_is_dra_extended(dray_str name) {
    return dray_str_starts(name, DRAY_STR(DRAY_PLAN_CLASS_PREFIX)) || dray_plan_is_extended(name);
}
