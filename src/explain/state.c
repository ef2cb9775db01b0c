/* Hypothetical states: the input's objects with some changed, added or gone. */
#include "explain/explain_int.h"

#include "api/engine.h"

const dray_kind *dray_state_kind(const dray_type *type) {
    for (size_t i = 0; i < dray_n_kinds; i++)
        if (dray_kinds[i].type == type && dray_kind_hub(&dray_kinds[i]) == &dray_kinds[i])
            return &dray_kinds[i];
    return NULL;
}

dray_state *dray_state_copy(dray_inquiry *q, const dray_state *state) {
    dray_state *copy = DRAY_NEW(q->arena, dray_state);
    *copy = *state;
    copy->list.v = DRAY_NEW_N(q->arena, dray_state_entry, state->list.n + 4);
    copy->list.room = state->list.n + 4;
    memcpy(copy->list.v, state->list.v, state->list.n * sizeof *copy->list.v);
    copy->gone.v = DRAY_NEW_N(q->arena, dray_explain_gone, state->gone.n + 2);
    copy->gone.room = state->gone.n + 2;
    if (state->gone.n != 0)
        memcpy(copy->gone.v, state->gone.v, state->gone.n * sizeof *copy->gone.v);
    return copy;
}

static dray_state_entry *entry_of(const dray_state *state, const dray_type *type, dray_str ns,
                                  dray_str name) {
    for (size_t i = 0; i < state->list.n; i++) {
        dray_state_entry *e = &state->list.v[i];
        if (e->object.kind->type != type)
            continue;
        const dray_meta_object_meta *meta = dray_object_meta(e->object);
        if (dray_str_eq(meta->name, name) &&
            (!e->object.kind->namespaced || dray_str_eq(meta->namespace, ns)))
            return e;
    }
    return NULL;
}

const void *dray_state_find(const dray_state *state, const dray_type *type, dray_str ns,
                            dray_str name) {
    const dray_state_entry *e = entry_of(state, type, ns, name);
    return e != NULL ? e->object.body : NULL;
}

void *dray_state_edit(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                      dray_str name) {
    dray_state_entry *e = entry_of(state, type, ns, name);
    if (e == NULL)
        return NULL;
    e->object.body = dray_api_copy(type, e->object.body, q->arena);
    e->changed = true;
    return e->object.body;
}

void *dray_state_add(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                     dray_str name) {
    dray_object object = {.kind = dray_state_kind(type), .body = dray_api_new(type, q->arena)};
    dray_meta_object_meta *meta = dray_object_meta(object);
    meta->name = name;
    meta->uid = dray_strf(q->arena, "uid-%s-" DRAY_FMT "-" DRAY_FMT, object.kind->kind,
                          DRAY_ARG(ns), DRAY_ARG(name));
    if (object.kind->namespaced)
        meta->namespace = ns;
    DRAY_PUSH(q->arena, &state->list, (dray_state_entry){object, true});
    return object.body;
}

void dray_state_remove(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                       dray_str name) {
    dray_state_entry *e = entry_of(state, type, ns, name);
    if (e == NULL)
        return;
    dray_explain_gone gone = {e->object.kind, e->object.kind->namespaced ? ns : DRAY_STR_NONE,
                              name};
    DRAY_PUSH(q->arena, &state->gone, gone);
    size_t at = (size_t)(e - state->list.v);
    memmove(e, e + 1, (state->list.n - at - 1) * sizeof *e);
    state->list.n--;
}

void dray_state_gate(dray_state *state, dray_gate gate, bool on) {
    state->gates.on[gate] = on;
    state->gate_changed[gate] = true;
}
