/* One picture for all trials: what a state changes is laid over it and taken back. */
#include "explain/explain_int.h"

dray_picture *dray_picture_new(dray_inquiry *q, const dray_state *state) {
    dray_picture *p = DRAY_NEW(q->arena, dray_picture);
    *p = (dray_picture){.q = q, .gates = state->gates, .cluster = dray_cluster_new(&state->gates)};
    for (size_t i = 0; i < state->base->n; i++)
        dray_cluster_add(p->cluster, state->base->v[i]);
    return p;
}

void dray_picture_free(dray_picture *p) {
    if (p == NULL)
        return;
    dray_plan_free(p->plan);
    dray_cluster_free(p->cluster);
}

/* The plan learns of the change, or is made anew when it is next asked. */
static void tell_plan(dray_picture *p, const dray_type *type, const void *before,
                      const void *after) {
    if (p->plan == NULL || dray_plan_follow(p->plan, type, before, after))
        return;
    dray_plan_free(p->plan);
    p->plan = NULL;
}

/* Returns what was there. */
static const void *put(dray_picture *p, dray_object object) {
    const void *before = dray_cluster_add(p->cluster, object);
    if (before != object.body)
        tell_plan(p, object.kind->type, before, object.body);
    return before;
}

static void take(dray_picture *p, dray_object object) {
    const dray_meta_object_meta *meta = dray_object_meta(object);
    dray_str ns = object.kind->namespaced ? meta->namespace : DRAY_STR("");
    const void *before = dray_cluster_remove(p->cluster, object.kind->type, ns, meta->name);
    if (before != NULL)
        tell_plan(p, object.kind->type, before, NULL);
}

static bool has_change(const dray_state *state, const dray_state_change *c) {
    for (size_t i = 0; i < state->changes.n; i++)
        if (state->changes.v[i].place == c->place)
            return state->changes.v[i].object.body == c->object.body;
    return false;
}

static void revert(dray_picture *p, const dray_state_change *c) {
    const dray_base *base = p->shown->base;
    if (c->place < base->n)
        put(p, base->v[c->place]);
    else
        take(p, c->object);
}

static void apply(dray_picture *p, const dray_state *state, const dray_state_change *c) {
    if (c->object.body != NULL)
        put(p, c->object);
    else
        take(p, state->base->v[c->place]);
}

void dray_picture_show(dray_picture *p, const dray_state *state) {
    for (size_t i = 0; p->shown != NULL && i < p->shown->changes.n; i++)
        if (!has_change(state, &p->shown->changes.v[i]))
            revert(p, &p->shown->changes.v[i]);
    for (size_t i = 0; i < state->changes.n; i++)
        if (p->shown == NULL || !has_change(p->shown, &state->changes.v[i]))
            apply(p, state, &state->changes.v[i]);
    p->shown = state;
}

void dray_picture_lay(dray_picture *p, dray_laid *laid) {
    laid->before = put(p, laid->object);
}

void dray_picture_lift(dray_picture *p, const dray_laid *laid) {
    if (laid->before != NULL)
        put(p, (dray_object){laid->object.kind, (void *)(uintptr_t)laid->before});
    else
        take(p, laid->object);
}

dray_plan *dray_picture_plan(dray_picture *p) {
    if (p->plan != NULL)
        return p->plan;
    p->plan = dray_plan_new(p->cluster, p->q->input->now);
    dray_plan_share(p->plan, p->q->celk8s);
    dray_plan_set_strict(p->plan, p->q->input->strict);
    return p->plan;
}
