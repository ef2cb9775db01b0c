/* Offers: changed states, and the edits that several fixes make. */
#include "explain/explain_int.h"

#include <stdarg.h>
#include <stdio.h>

dray_state *dray_offer_new(dray_trial *trial, dray_offers *offers, uint32_t size) {
    dray_state *state = dray_state_copy(trial->q, trial->state);
    state->size += size;
    DRAY_PUSH(trial->q->arena, &offers->list, state);
    return state;
}

void dray_offer_say(dray_trial *trial, dray_offers *offers, const char *format, ...) {
    char text[1024];
    if (offers->list.n == 0)
        return;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dray_state *state = offers->list.v[offers->list.n - 1];
    const char *ends = n >= (int)sizeof text ? "…" : "";
    state->said = state->said.n != 0 ? dray_strf(trial->q->arena, DRAY_FMT "; %s%s",
                                                 DRAY_ARG(state->said), text, ends)
                                     : dray_strf(trial->q->arena, "%s%s", text, ends);
}

dray_core_pod *dray_offer_pod(dray_trial *trial, dray_state *state) {
    return dray_state_edit(trial->q, state, &dray_type_core_pod, trial->q->input->ns,
                           trial->q->input->pod);
}

static void clear_status(dray_resource_claim *claim) {
    claim->status->allocation = NULL;
    claim->status->reserved_for.v = NULL;
    claim->status->reserved_for.n = 0;
    claim->status->devices.v = NULL;
    claim->status->devices.n = 0;
}

size_t dray_offer_claim(dray_trial *trial, dray_state *state, const dray_resource_claim *claim,
                        dray_resource_device_claim *ret[2]) {
    size_t n = 0;
    if (claim == NULL)
        return 0;
    dray_resource_claim *own = dray_state_edit(trial->q, state, &dray_type_resource_claim,
                                               claim->metadata->namespace, claim->metadata->name);
    if (own != NULL) {
        clear_status(own);
        ret[n++] = own->spec->devices;
    }
    for (size_t i = 0; i < trial->claims.n && n < 2; i++) {
        const dray_pod_claim *c = &trial->claims.v[i];
        if (c->claim != claim || c->entry->resource_claim_template_name.n == 0)
            continue;
        dray_resource_claim_template *template =
            dray_state_edit(trial->q, state, &dray_type_resource_claim_template,
                            claim->metadata->namespace, c->entry->resource_claim_template_name);
        if (template != NULL)
            ret[n++] = template->spec->spec->devices;
    }
    return n;
}

bool dray_offer_want(dray_resource_device_claim *devices, const dray_want *want,
                     dray_want_edit *ret) {
    if (want->request >= devices->requests.n)
        return false;
    dray_resource_device_request *r = &devices->requests.v[want->request];
    if (want->sub == SIZE_MAX) {
        dray_resource_exact_device_request *e = r->exactly;
        if (e == NULL)
            return false;
        *ret = (dray_want_edit){&e->device_class_name, &e->allocation_mode, &e->count,
                                &e->selectors.v,       &e->selectors.n,     &e->tolerations.v,
                                &e->tolerations.n,     &e->capacity};
        return true;
    }
    if (want->sub >= r->first_available.n)
        return false;
    dray_resource_device_sub_request *s = &r->first_available.v[want->sub];
    *ret = (dray_want_edit){&s->device_class_name, &s->allocation_mode, &s->count,
                            &s->selectors.v,       &s->selectors.n,     &s->tolerations.v,
                            &s->tolerations.n,     &s->capacity};
    return true;
}

bool dray_offer_fits(dray_trial *trial, const dray_state *state) {
    dray_trial other;
    dray_trial_open(trial->q, state, &other);
    bool fits = other.fits;
    dray_trial_close(&other);
    return fits;
}

static bool is_generated_for(const dray_resource_claim *claim, const dray_core_pod *pod) {
    for (size_t i = 0; i < claim->metadata->owner_references.n; i++) {
        const dray_meta_owner_reference *o = &claim->metadata->owner_references.v[i];
        if (dray_str_is(o->kind, "Pod") && dray_str_eq(o->name, pod->metadata->name) &&
            (o->uid.n == 0 || dray_str_eq(o->uid, pod->metadata->uid)))
            return true;
    }
    return false;
}

static bool only_user(const dray_resource_claim *claim, const dray_core_pod *pod) {
    bool user = false;
    for (size_t i = 0; i < claim->status->reserved_for.n; i++) {
        if (!dray_str_eq(claim->status->reserved_for.v[i].uid, pod->metadata->uid))
            return false;
        user = true;
    }
    return user;
}

static void forget_user(dray_resource_claim *claim, const dray_core_pod *pod) {
    size_t n = 0;
    for (size_t i = 0; i < claim->status->reserved_for.n; i++)
        if (!dray_str_eq(claim->status->reserved_for.v[i].uid, pod->metadata->uid))
            claim->status->reserved_for.v[n++] = claim->status->reserved_for.v[i];
    claim->status->reserved_for.n = n;
}

static bool is_user(const dray_resource_claim *claim, const dray_core_pod *pod) {
    for (size_t i = 0; i < claim->status->reserved_for.n; i++)
        if (dray_str_eq(claim->status->reserved_for.v[i].uid, pod->metadata->uid))
            return true;
    return false;
}

void dray_offer_end_pod(dray_trial *trial, dray_state *state, dray_str ns, dray_str name) {
    const dray_core_pod *pod = dray_state_find(state, &dray_type_core_pod, ns, name);
    if (pod == NULL)
        return;
    dray_state_remove(trial->q, state, &dray_type_core_pod, ns, name);
    dray_claims claims = dray_state_claims(state, ns, trial->q->arena);
    for (size_t i = 0; i < claims.list.n; i++) {
        const dray_resource_claim *claim = claims.list.v[i];
        dray_str claim_name = claim->metadata->name;
        if (is_generated_for(claim, pod)) {
            dray_state_remove(trial->q, state, &dray_type_resource_claim, ns, claim_name);
        } else if (is_user(claim, pod)) {
            bool last = only_user(claim, pod);
            dray_resource_claim *own =
                dray_state_edit(trial->q, state, &dray_type_resource_claim, ns, claim_name);
            if (last)
                clear_status(own);
            else
                forget_user(own, pod);
        }
    }
}

void dray_offer_free_claim(dray_trial *trial, dray_state *state, const dray_resource_claim *claim) {
    dray_str ns = claim->metadata->namespace, name = claim->metadata->name;
    for (size_t i = 0; i < claim->status->reserved_for.n; i++) {
        const dray_resource_claim_consumer_reference *user = &claim->status->reserved_for.v[i];
        const dray_core_pod *pod = dray_state_find(state, &dray_type_core_pod, ns, user->name);
        if (pod == NULL || (user->uid.n != 0 && !dray_str_eq(user->uid, pod->metadata->uid)))
            continue;
        dray_offer_end_pod(trial, state, ns, user->name);
        state->size++;
    }
    const dray_resource_claim *left = dray_state_find(state, &dray_type_resource_claim, ns, name);
    if (left == NULL || left->status->allocation == NULL)
        return;
    /* One that stands for itself goes on to be there, without devices. */
    if (left->metadata->owner_references.n != 0 || left->status->reserved_for.n != 0)
        dray_state_remove(trial->q, state, &dray_type_resource_claim, ns, name);
    else
        clear_status(dray_state_edit(trial->q, state, &dray_type_resource_claim, ns, name));
}
