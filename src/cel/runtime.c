/* The code of an environment's functions, found by overload id and by name. */
#include "cel/eval_int.h"

#include "base/map.h"
#include "base/vec.h"

static const dray_cel_impl_table *const tables[] = {
    &dray_cel_impls_std,      &dray_cel_impls_convert, &dray_cel_impls_time,
    &dray_cel_impls_strings,  &dray_cel_impls_format,  &dray_cel_impls_lists,
    &dray_cel_impls_optional, &dray_cel_impls_math,    &dray_cel_impls_encoders,
    &dray_cel_impls_network,
};

static void fill(dray_map *functions, dray_map *overloads) {
    for (size_t t = 0; t < DRAY_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t]->n_functions; i++)
            dray_map_put(functions, dray_str_of(tables[t]->functions[i].key),
                         (void *)&tables[t]->functions[i]);
        for (size_t i = 0; i < tables[t]->n_overloads; i++)
            dray_map_put(overloads, dray_str_of(tables[t]->overloads[i].key),
                         (void *)&tables[t]->overloads[i]);
    }
}

dray_cel_track *dray_cel_runtime_track(const dray_cel_runtime *rt, dray_str function, dray_str id) {
    for (size_t i = 0; i < rt->n_tracks; i++) {
        const dray_cel_track_row *row = &rt->tracks[i];
        if (dray_str_is(function, row->function) && (row->id == NULL || dray_str_is(id, row->id)))
            return row->track;
    }
    return NULL;
}

static dray_cel_bound bind_overload(const dray_cel_runtime *rt, const dray_cel_overload *o,
                                    const dray_map *overloads) {
    const dray_cel_impl_row *row = dray_map_find(overloads, o->id);
    dray_cel_bound b = {.overload = o};
    if (row != NULL)
        b = (dray_cel_bound){row->impl, row->track, row->flags, row->mask, o};
    if (o->row->impl != NULL) {
        b.impl = o->row->impl;
        b.flags = o->row->flags;
    }
    dray_cel_track *named = dray_cel_runtime_track(rt, o->function->name, o->id);
    if (o->row->track != NULL)
        b.track = o->row->track;
    else if (named != NULL && !(b.flags & DRAY_CEL_I_TRACK_FIRST))
        b.track = named;
    return b;
}

dray_cel_runtime *dray_cel_runtime_new(dray_arena *arena, const dray_cel_env *env,
                                       const dray_cel_track_row *tracks, size_t n_tracks) {
    dray_cel_runtime *rt = DRAY_NEW(arena, dray_cel_runtime);
    rt->env = env;
    rt->tracks = tracks;
    rt->n_tracks = n_tracks;
    rt->spec = dray_cel_env_overload(env, DRAY_STR("string_reverse")) != NULL;
    rt->overloads = DRAY_NEW_N(arena, dray_cel_bound, dray_cel_env_n_overloads(env) + 1);
    rt->functions = DRAY_NEW_N(arena, dray_cel_bound, dray_cel_env_n_functions(env) + 1);
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    dray_map functions = dray_map_new(scratch), overloads = dray_map_new(scratch);
    fill(&functions, &overloads);
    for (uint32_t i = 0; i < dray_cel_env_n_functions(env); i++) {
        const dray_cel_function *f = dray_cel_env_function_at(env, i);
        const dray_cel_impl_row *row = dray_map_find(&functions, f->name);
        if (row != NULL)
            rt->functions[i] = (dray_cel_bound){row->impl, row->track, row->flags, row->mask, NULL};
        for (uint32_t j = 0; j < f->n_overloads; j++)
            rt->overloads[f->overloads[j].index] = bind_overload(rt, &f->overloads[j], &overloads);
    }
    return rt;
}
