/* Fixes that change which claim the Pod has: templates, names, quota, claims of its own. */
#include "explain/survey_int.h"

#include "api/engine.h"

enum { NAMES_MAX = 8, CLASSES_TRIED = 8 };

/* --- names --- */

typedef struct candidate {
    dray_str name;
    size_t closeness;
} candidate;

static int by_closeness(const void *a, const void *b, void *context) {
    const candidate *x = a, *y = b;
    if (x->closeness != y->closeness)
        return x->closeness < y->closeness ? -1 : 1;
    return dray_str_cmp(x->name, y->name);
}

static size_t alike(dray_trial *t, const dray_type *type, dray_str written, candidate *ret) {
    size_t n = 0;
    dray_state_walk walk = {0};
    dray_object object;
    while (n < NAMES_MAX && dray_state_next(t->state, &walk, &object)) {
        if (object.kind->type != type)
            continue;
        const dray_meta_object_meta *meta = dray_object_meta(object);
        size_t closeness = dray_words_closeness(written, meta->name);
        if ((object.kind->namespaced && !dray_str_eq(meta->namespace, t->q->input->ns)) ||
            closeness == SIZE_MAX || dray_str_eq(meta->name, written))
            continue;
        ret[n++] = (candidate){meta->name, closeness};
    }
    dray_sort(ret, n, sizeof *ret, by_closeness, NULL);
    return n;
}

static dray_core_pod_resource_claim *entry_of(dray_core_pod *pod, const dray_finding *f) {
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++)
        if (dray_str_eq(pod->spec->resource_claims.v[i].name, f->pod_claim->entry->name))
            return &pod->spec->resource_claims.v[i];
    return NULL;
}

/* The Pod knows of no claim for the entry any more. */
static void drop_status(dray_core_pod *pod, dray_str entry) {
    size_t n = 0;
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (!dray_str_eq(pod->status->resource_claim_statuses.v[i].name, entry))
            pod->status->resource_claim_statuses.v[n++] = pod->status->resource_claim_statuses.v[i];
    pod->status->resource_claim_statuses.n = n;
}

void dray_fix_make_CORRECT_TEMPLATE_NAME(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    candidate names[NAMES_MAX];
    size_t n = alike(t, &dray_type_resource_claim_template,
                     f->pod_claim->entry->resource_claim_template_name, names);
    for (size_t i = 0; i < n; i++)
        entry_of(dray_offer_pod(t, dray_offer_new(t, ret, 1)), f)->resource_claim_template_name =
            names[i].name;
}

void dray_fix_make_CORRECT_CLAIM_NAME(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    candidate names[NAMES_MAX];
    if (f->pod_claim->entry->resource_claim_name.n == 0)
        return;
    size_t n = alike(t, &dray_type_resource_claim, f->pod_claim->entry->resource_claim_name, names);
    for (size_t i = 0; i < n; i++)
        entry_of(dray_offer_pod(t, dray_offer_new(t, ret, 1)), f)->resource_claim_name =
            names[i].name;
}

/* --- making what is missing --- */

/* The request that containers name for the entry, or "device". */
static dray_str request_name(const dray_core_pod *pod, dray_str entry) {
    for (size_t c = 0; c < pod->spec->containers.n; c++) {
        const dray_core_resource_requirements *r = pod->spec->containers.v[c].resources;
        for (size_t i = 0; r != NULL && i < r->claims.n; i++)
            if (dray_str_eq(r->claims.v[i].name, entry) && r->claims.v[i].request.n != 0)
                return r->claims.v[i].request;
    }
    return DRAY_STR("device");
}

static void fill_spec(dray_trial *t, dray_resource_claim_spec *spec, dray_str request,
                      dray_str class_name) {
    dray_resource_device_request *r = DRAY_NEW(t->q->arena, dray_resource_device_request);
    r->name = request;
    r->exactly = dray_api_new(&dray_type_resource_exact_device_request, t->q->arena);
    r->exactly->device_class_name = class_name;
    r->exactly->allocation_mode = DRAY_STR("ExactCount");
    r->exactly->count = 1;
    spec->devices->requests.v = r;
    spec->devices->requests.n = 1;
}

/* The spec of an object of that name in another namespace: what was meant, most likely. */
static const dray_resource_claim_spec *spec_elsewhere(const dray_trial *t, dray_str name) {
    dray_state_walk walk = {0};
    dray_object object;
    while (dray_state_next(t->state, &walk, &object)) {
        if (!dray_str_eq(dray_object_meta(object)->name, name))
            continue;
        if (object.kind->type == &dray_type_resource_claim)
            return ((const dray_resource_claim *)object.body)->spec;
        if (object.kind->type == &dray_type_resource_claim_template)
            return ((const dray_resource_claim_template *)object.body)->spec->spec;
    }
    return NULL;
}

/* A claim or template of the name for every class, those first whose names are close. */
static void make(dray_trial *t, const dray_finding *f, const dray_type *type, dray_str name,
                 dray_offers *ret) {
    const dray_resource_claim_spec *known = spec_elsewhere(t, name);
    dray_cluster_list classes = dray_cluster_all(t->cluster, &dray_type_resource_device_class);
    candidate sorted[CLASSES_TRIED];
    size_t n = 0;
    for (size_t i = 0; i < classes.n && n < CLASSES_TRIED; i++) {
        const dray_resource_device_class *class = classes.v[i];
        size_t closeness = dray_words_closeness(name, class->metadata->name);
        size_t by_entry = dray_words_closeness(f->pod_claim->entry->name, class->metadata->name);
        sorted[n++] =
            (candidate){class->metadata->name, by_entry < closeness ? by_entry : closeness};
    }
    dray_sort(sorted, n, sizeof *sorted, by_closeness, NULL);
    for (size_t i = known != NULL ? 0 : 1; i <= n; i++) {
        dray_state *state = dray_offer_new(t, ret, 1);
        void *body = dray_state_add(t->q, state, type, t->q->input->ns, name);
        dray_resource_claim_spec *spec = type == &dray_type_resource_claim
                                             ? ((dray_resource_claim *)body)->spec
                                             : ((dray_resource_claim_template *)body)->spec->spec;
        if (i == 0)
            dray_api_copy_into(&dray_type_resource_claim_spec, spec, known, t->q->arena);
        else
            fill_spec(t, spec, request_name(t->pod, f->pod_claim->entry->name), sorted[i - 1].name);
    }
}

void dray_fix_make_CREATE_TEMPLATE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    make(t, f, &dray_type_resource_claim_template,
         f->pod_claim->entry->resource_claim_template_name, ret);
}

void dray_fix_make_CREATE_CLAIM(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->pod_claim->entry->resource_claim_name.n != 0)
        make(t, f, &dray_type_resource_claim, f->pod_claim->entry->resource_claim_name, ret);
}

/* --- quota and labels --- */

void dray_fix_make_RAISE_QUOTA(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_refused *r = f->refused;
    dray_core_resource_quota *quota =
        dray_state_edit(t->q, dray_offer_new(t, ret, 1), &dray_type_core_resource_quota,
                        t->q->input->ns, r->quota->metadata->name);
    for (size_t i = 0; quota != NULL && i < quota->spec->hard.n; i++) {
        if (r->wanted[i] == 0)
            continue;
        quota->spec->hard.v[i] = dray_quantity_from_int(r->wanted[i], DRAY_QUANTITY_DECIMAL_SI);
        dray_offer_say(t, ret, DRAY_FMT ": %lld", DRAY_ARG(quota->spec->hard.k[i]),
                       (long long)r->wanted[i]);
    }
}

#define ADMIN_ACCESS_LABEL "resource.kubernetes.io/admin-access"

void dray_fix_make_LABEL_NAMESPACE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_state *state = dray_offer_new(t, ret, 1);
    dray_core_namespace *ns =
        dray_state_edit(t->q, state, &dray_type_core_namespace, DRAY_STR(""), f->subject);
    if (ns == NULL)
        ns = dray_state_add(t->q, state, &dray_type_core_namespace, DRAY_STR(""), f->subject);
    dray_string_map *labels = &ns->metadata->labels;
    dray_string_map larger = {DRAY_NEW_N(t->q->arena, dray_str, labels->n + 1),
                              DRAY_NEW_N(t->q->arena, dray_str, labels->n + 1), 0};
    dray_str key = DRAY_STR(ADMIN_ACCESS_LABEL);
    bool placed = false;
    for (size_t i = 0; i <= labels->n; i++) {
        if (!placed && (i == labels->n || dray_str_cmp(labels->k[i], key) >= 0)) {
            larger.k[larger.n] = key;
            larger.v[larger.n++] = DRAY_STR("true");
            placed = true;
        }
        if (i == labels->n || dray_str_eq(labels->k[i], key))
            continue;
        larger.k[larger.n] = labels->k[i];
        larger.v[larger.n++] = labels->v[i];
    }
    *labels = larger;
}

/* --- claims anew --- */

/* The claim as it would be if it had just been made. */
static void make_fresh(dray_trial *t, dray_state *state, const dray_resource_claim *claim) {
    dray_resource_claim *own = dray_state_edit(t->q, state, &dray_type_resource_claim,
                                               claim->metadata->namespace, claim->metadata->name);
    if (own == NULL)
        return;
    own->metadata->deletion_timestamp = (dray_time){0};
    own->metadata->deletion_grace_period_seconds = (dray_opt_int64){0};
    own->metadata->finalizers = (dray_strings){0};
    own->metadata->uid = dray_strf(t->q->arena, DRAY_FMT "-again", DRAY_ARG(own->metadata->uid));
    own->status = dray_api_new(&dray_type_resource_claim_status, t->q->arena);
}

void dray_fix_make_RECREATE_CLAIM(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_pod_claim *c = f->pod_claim;
    dray_state *state = dray_offer_new(t, ret, 1);
    if (c->entry->resource_claim_template_name.n != 0) {
        /* The controller makes a new one once the Pod's status names none. */
        drop_status(dray_offer_pod(t, state), c->entry->name);
        if (f->cause == DRAY_CAUSE_CLAIM_DELETING)
            dray_state_remove(t->q, state, &dray_type_resource_claim, t->q->input->ns, c->name);
        return;
    }
    if (c->claim == NULL)
        return;
    dray_offer_free_claim(t, state, c->claim);
    make_fresh(t, state, c->claim);
}

void dray_fix_make_OWN_CLAIM(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_pod_claim *c = f->pod_claim;
    if (c->claim == NULL || c->entry->resource_claim_name.n == 0)
        return;
    dray_state *state = dray_offer_new(t, ret, 2);
    dray_str name = dray_strf(t->q->arena, DRAY_FMT "-" DRAY_FMT, DRAY_ARG(t->q->input->pod),
                              DRAY_ARG(c->entry->name));
    while (dray_state_find(state, &dray_type_resource_claim, t->q->input->ns, name) != NULL)
        name = dray_strf(t->q->arena, DRAY_FMT "-own", DRAY_ARG(name));
    dray_resource_claim *claim =
        dray_state_add(t->q, state, &dray_type_resource_claim, t->q->input->ns, name);
    dray_api_copy_into(&dray_type_resource_claim_spec, claim->spec, c->claim->spec, t->q->arena);
    entry_of(dray_offer_pod(t, state), f)->resource_claim_name = name;
}

void dray_fix_make_END_CONSUMER(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_resource_claim *claim = f->pod_claim->claim;
    if (claim == NULL || claim->status->reserved_for.n == 0)
        return;
    dray_state *state = dray_offer_new(t, ret, 2);
    const dray_resource_claim_consumer_reference *last =
        &claim->status->reserved_for.v[claim->status->reserved_for.n - 1];
    dray_offer_end_pod(t, state, claim->metadata->namespace, last->name);
    /* A user that is no Pod of the input is only taken off the list. */
    dray_resource_claim *own = dray_state_edit(t->q, state, &dray_type_resource_claim,
                                               claim->metadata->namespace, claim->metadata->name);
    if (own != NULL && own->status->reserved_for.n == claim->status->reserved_for.n)
        own->status->reserved_for.n--;
}

void dray_fix_make_REALLOCATE_CLAIM(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_resource_claim *claim = f->pod_claim->claim;
    if (claim == NULL || dray_claim_users(t, claim) != 0)
        return;
    dray_state *state = dray_offer_new(t, ret, 1);
    dray_resource_claim *own = dray_state_edit(t->q, state, &dray_type_resource_claim,
                                               claim->metadata->namespace, claim->metadata->name);
    if (own != NULL)
        own->status = dray_api_new(&dray_type_resource_claim_status, t->q->arena);
}
