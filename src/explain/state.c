/* Hypothetical states: the input's objects with some changed, added or gone. */
#include "explain/explain_int.h"

#include "api/engine.h"

const dray_kind *dray_state_kind(const dray_type *type) {
    for (size_t i = 0; i < dray_n_kinds; i++)
        if (dray_kinds[i].type == type && dray_kind_hub(&dray_kinds[i]) == &dray_kinds[i])
            return &dray_kinds[i];
    return NULL;
}

/* --- the objects as they are --- */

static dray_str key_of(const dray_kind *kind, dray_str ns, dray_str name, dray_arena *arena) {
    return dray_words_path(dray_str_of(kind->kind), kind->namespaced ? ns : DRAY_STR(""), name,
                           arena);
}

const dray_base *dray_base_new(const dray_explain_input *input, dray_arena *arena) {
    dray_base *base = DRAY_NEW(arena, dray_base);
    base->v = DRAY_NEW_N(arena, dray_object, input->n + 1);
    base->places = dray_map_new(arena);
    for (size_t i = 0; i < input->n; i++) {
        dray_object object = input->objects[i];
        const dray_meta_object_meta *meta = dray_object_meta(object);
        dray_map_entry *e = dray_map_entry_of(
            &base->places, key_of(object.kind, meta->namespace, meta->name, arena));
        if (e->value == NULL)
            e->value = (void *)(uintptr_t)++base->n;
        base->v[(uintptr_t)e->value - 1] = object;
    }
    base->claims = dray_map_new(arena);
    for (size_t i = 0; i < base->n; i++) {
        const dray_core_pod *pod = base->v[i].body;
        if (base->v[i].kind->type == &dray_type_resource_claim) {
            dray_map_entry *e =
                dray_map_entry_of(&base->claims, dray_object_meta(base->v[i])->namespace);
            if (e->value == NULL)
                e->value = DRAY_NEW(arena, dray_places);
            DRAY_PUSH(arena, &((dray_places *)e->value)->list, i);
        }
        if (base->v[i].kind->type == &dray_type_core_pod && pod->spec->node_name.n == 0 &&
            pod->spec->resource_claims.n != 0)
            DRAY_PUSH(arena, &base->waiting, i);
    }
    return base;
}

/* The index of the object in base; SIZE_MAX: it isn't there. */
static size_t place_of(const dray_state *state, const dray_type *type, dray_str ns, dray_str name) {
    const dray_kind *kind = dray_state_kind(type);
    char text[1024];
    dray_str of = dray_str_of(kind->kind);
    if (!kind->namespaced)
        ns = DRAY_STR("");
    if (of.n + ns.n + name.n + 2 > sizeof text)
        return SIZE_MAX;
    dray_str key = dray_words_path_into(text, of, ns, name);
    return (size_t)(uintptr_t)dray_map_find(&state->base->places, key) - 1;
}

/* --- what differs from them --- */

/* Where the change of the place stands, or would stand. */
static size_t change_at(const dray_state *state, size_t place) {
    size_t i = state->changes.n;
    while (i > 0 && state->changes.v[i - 1].place >= place)
        i--;
    return i;
}

static dray_state_change *change_of(const dray_state *state, size_t place) {
    size_t at = change_at(state, place);
    return at < state->changes.n && state->changes.v[at].place == place ? &state->changes.v[at]
                                                                        : NULL;
}

/* An added object of that name. */
static dray_state_change *added(const dray_state *state, const dray_type *type, dray_str ns,
                                dray_str name) {
    for (size_t i = state->changes.n; i-- > 0 && state->changes.v[i].place >= state->base->n;) {
        dray_object object = state->changes.v[i].object;
        const dray_meta_object_meta *meta = dray_object_meta(object);
        if (object.kind->type == type && dray_str_eq(meta->name, name) &&
            (!object.kind->namespaced || dray_str_eq(meta->namespace, ns)))
            return &state->changes.v[i];
    }
    return NULL;
}

static void set(dray_inquiry *q, dray_state *state, size_t place, dray_object object) {
    size_t at = change_at(state, place);
    dray_state_change change = {place, object};
    if (at < state->changes.n && state->changes.v[at].place == place) {
        state->changes.v[at] = change;
        return;
    }
    DRAY_PUSH(q->arena, &state->changes, change);
    memmove(&state->changes.v[at + 1], &state->changes.v[at],
            (state->changes.n - 1 - at) * sizeof change);
    state->changes.v[at] = change;
}

dray_object dray_state_at(const dray_state *state, size_t place) {
    const dray_state_change *c = change_of(state, place);
    return c != NULL ? c->object : state->base->v[place];
}

bool dray_state_next(const dray_state *state, dray_state_walk *walk, dray_object *ret) {
    for (;;) {
        bool in_base = walk->place < state->base->n, changed = walk->change < state->changes.n;
        if (changed && state->changes.v[walk->change].place <= walk->place)
            *ret = state->changes.v[walk->change++].object;
        else if (in_base)
            *ret = state->base->v[walk->place];
        else if (changed)
            *ret = state->changes.v[walk->change++].object;
        else
            return false;
        walk->place += in_base;
        if (ret->body != NULL)
            return true;
    }
}

dray_claims dray_state_claims(const dray_state *state, dray_str ns, dray_arena *arena) {
    dray_claims all = {0};
    const dray_places *places = dray_map_find(&state->base->claims, ns);
    for (size_t i = 0; places != NULL && i < places->list.n; i++) {
        const dray_resource_claim *claim = dray_state_at(state, places->list.v[i]).body;
        if (claim != NULL)
            DRAY_PUSH(arena, &all.list, claim);
    }
    for (size_t i = 0; i < state->changes.n; i++) {
        dray_object object = state->changes.v[i].object;
        if (state->changes.v[i].place >= state->base->n &&
            object.kind->type == &dray_type_resource_claim &&
            dray_str_eq(dray_object_meta(object)->namespace, ns))
            DRAY_PUSH(arena, &all.list, (const dray_resource_claim *)object.body);
    }
    return all;
}

dray_state *dray_state_copy(dray_inquiry *q, const dray_state *state) {
    dray_state *copy = DRAY_NEW(q->arena, dray_state);
    *copy = *state;
    copy->changes.room = copy->changes.n = copy->gone.room = copy->gone.n = 0;
    copy->changes.v = NULL;
    copy->gone.v = NULL;
    for (size_t i = 0; i < state->changes.n; i++)
        DRAY_PUSH(q->arena, &copy->changes, state->changes.v[i]);
    for (size_t i = 0; i < state->gone.n; i++)
        DRAY_PUSH(q->arena, &copy->gone, state->gone.v[i]);
    return copy;
}

/* Where the object is in the state: a place of base, or an added one; false: absent. */
static bool locate(const dray_state *state, const dray_type *type, dray_str ns, dray_str name,
                   size_t *ret_place, dray_object *ret) {
    size_t place = place_of(state, type, ns, name);
    if (place != SIZE_MAX) {
        *ret_place = place;
        *ret = dray_state_at(state, place);
        return ret->body != NULL;
    }
    const dray_state_change *c = added(state, type, ns, name);
    if (c == NULL)
        return false;
    *ret_place = c->place;
    *ret = c->object;
    return true;
}

const void *dray_state_find(const dray_state *state, const dray_type *type, dray_str ns,
                            dray_str name) {
    size_t place;
    dray_object object;
    return locate(state, type, ns, name, &place, &object) ? object.body : NULL;
}

void *dray_state_edit(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                      dray_str name) {
    size_t place;
    dray_object object;
    if (!locate(state, type, ns, name, &place, &object))
        return NULL;
    object.body = dray_api_copy(type, object.body, q->arena);
    set(q, state, place, object);
    return object.body;
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
    size_t place = place_of(state, type, ns, name), n = state->changes.n;
    if (place == SIZE_MAX) {
        place = state->base->n;
        if (n != 0 && state->changes.v[n - 1].place >= place)
            place = state->changes.v[n - 1].place + 1;
    }
    set(q, state, place, object);
    return object.body;
}

void dray_state_remove(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                       dray_str name) {
    size_t place;
    dray_object object;
    if (!locate(state, type, ns, name, &place, &object))
        return;
    if (place >= state->base->n) {
        dray_state_change *c = change_of(state, place);
        memmove(c, c + 1, (size_t)(state->changes.v + state->changes.n - c - 1) * sizeof *c);
        state->changes.n--;
        return;
    }
    dray_explain_gone gone = {object.kind, object.kind->namespaced ? ns : DRAY_STR_NONE, name};
    DRAY_PUSH(q->arena, &state->gone, gone);
    set(q, state, place, (dray_object){.kind = object.kind});
}

void dray_state_gate(dray_state *state, dray_gate gate, bool on) {
    state->gates.on[gate] = on;
    state->gate_changed[gate] = true;
}
