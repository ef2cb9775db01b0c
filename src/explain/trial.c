/* Trials: a picture of a state, the claims that its templates make, and the planner's answer. */
#include "explain/explain_int.h"

#include "api/engine.h"
#include "api/rules/template_claim.h"
#include "plan/resources.h"

#include <stdlib.h>

/* How many devices an allocation "All" is charged for, and the most of a claim. */
enum { RESULTS_MAX = 32 };
/* Users of a claim (API limit). */
enum { USERS_MAX = 256 };

#define QUOTA_OF_CLAIMS "count/resourceclaims.resource.k8s.io"
#define QUOTA_OF_CLASS ".deviceclass.resource.k8s.io/devices"
#define ADMIN_ACCESS_LABEL "resource.kubernetes.io/admin-access"

/* Devices of the class that the spec may take: of alternatives the largest, "All" counts 32.
 * Source: KEP-4840, pkg/quota/v1/evaluator/core/resource_claims.go. */
static int64_t charge(const dray_resource_claim_spec *spec, dray_str class_name) {
    int64_t sum = 0;
    for (size_t i = 0; i < spec->devices->requests.n; i++) {
        const dray_resource_device_request *r = &spec->devices->requests.v[i];
        int64_t most = 0;
        if (r->exactly != NULL && dray_str_eq(r->exactly->device_class_name, class_name))
            most =
                dray_str_is(r->exactly->allocation_mode, "All") ? RESULTS_MAX : r->exactly->count;
        for (size_t k = 0; k < r->first_available.n; k++) {
            const dray_resource_device_sub_request *s = &r->first_available.v[k];
            int64_t n = dray_str_is(s->allocation_mode, "All") ? RESULTS_MAX : s->count;
            if (dray_str_eq(s->device_class_name, class_name) && n > most)
                most = n;
        }
        sum += most;
    }
    return sum;
}

/* What the spec adds to a quota's key. */
static int64_t charge_of_key(const dray_resource_claim_spec *spec, dray_str key) {
    dray_str suffix = DRAY_STR(QUOTA_OF_CLASS);
    if (dray_str_is(key, QUOTA_OF_CLAIMS))
        return 1;
    if (dray_str_ends(key, suffix))
        return charge(spec, dray_str_slice(key, 0, key.n - suffix.n));
    return 0;
}

static int64_t used_of_key(const dray_trial *t, dray_str ns, dray_str key) {
    dray_cluster_list claims = dray_cluster_all(t->cluster, &dray_type_resource_claim);
    int64_t sum = 0;
    for (size_t i = 0; i < claims.n; i++) {
        const dray_resource_claim *claim = claims.v[i];
        if (dray_str_eq(claim->metadata->namespace, ns))
            sum += charge_of_key(claim->spec, key);
    }
    return sum;
}

/* What each key of the quota would have to be for the claim; false: it allows it. */
static bool exceeds(dray_trial *t, const dray_core_resource_quota *quota,
                    const dray_resource_claim *claim, int64_t *ret_wanted) {
    bool any = false;
    for (size_t k = 0; k < quota->spec->hard.n; k++) {
        dray_str key = quota->spec->hard.k[k];
        int64_t more = charge_of_key(claim->spec, key);
        int64_t wanted = used_of_key(t, claim->metadata->namespace, key) + more;
        if (more <= 0 || wanted <= dray_quantity_value(quota->spec->hard.v[k], NULL))
            continue;
        ret_wanted[k] = wanted;
        any = true;
    }
    return any;
}

static bool quota_refuses(dray_trial *t, const dray_resource_claim *claim, dray_refused *ret) {
    dray_cluster_list quotas = dray_cluster_all(t->cluster, &dray_type_core_resource_quota);
    for (size_t i = 0; i < quotas.n; i++) {
        const dray_core_resource_quota *quota = quotas.v[i];
        int64_t *wanted = DRAY_NEW_N(t->q->arena, int64_t, quota->spec->hard.n + 1);
        if (!dray_str_eq(quota->metadata->namespace, claim->metadata->namespace) ||
            !exceeds(t, quota, claim, wanted))
            continue;
        ret->quota = quota;
        ret->wanted = wanted;
        return true;
    }
    return false;
}

static bool admin_access_refused(const dray_trial *t, const dray_resource_claim *claim) {
    bool asked = false;
    for (size_t i = 0; i < claim->spec->devices->requests.n; i++) {
        const dray_resource_exact_device_request *e = claim->spec->devices->requests.v[i].exactly;
        asked |= e != NULL && e->admin_access.set && e->admin_access.v;
    }
    if (!asked || !dray_gates_on(&t->state->gates, DRAY_GATE_DRAAdminAccess))
        return false;
    const dray_core_namespace *ns = dray_cluster_find(t->cluster, &dray_type_core_namespace,
                                                      DRAY_STR(""), claim->metadata->namespace);
    return ns == NULL ||
           !dray_str_is(dray_string_map_find(ns->metadata->labels, DRAY_STR(ADMIN_ACCESS_LABEL)),
                        "true");
}

static bool has_status(const dray_core_pod *pod, dray_str entry) {
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].name, entry))
            return true;
    return false;
}

static void add_status(dray_core_pod *pod, dray_str entry, dray_str claim, dray_arena *arena) {
    size_t n = pod->status->resource_claim_statuses.n;
    dray_core_pod_resource_claim_status *v =
        DRAY_NEW_N(arena, dray_core_pod_resource_claim_status, n + 1);
    if (n != 0)
        memcpy(v, pod->status->resource_claim_statuses.v, n * sizeof *v);
    v[n] = (dray_core_pod_resource_claim_status){.name = entry, .resource_claim_name = claim};
    pod->status->resource_claim_statuses.v = v;
    pod->status->resource_claim_statuses.n = n + 1;
}

static bool is_asked_about(const dray_inquiry *q, const dray_core_pod *pod) {
    return dray_str_eq(pod->metadata->name, q->input->pod) &&
           dray_str_eq(pod->metadata->namespace, q->input->ns);
}

/* The claim of one entry; NULL where none can be made. */
static dray_resource_claim *make_claim(dray_trial *t, const dray_core_pod *pod,
                                       const dray_core_pod_resource_claim *entry) {
    const dray_meta_object_meta *meta = pod->metadata;
    const dray_resource_claim_template *template =
        dray_cluster_find(t->cluster, &dray_type_resource_claim_template, meta->namespace,
                          entry->resource_claim_template_name);
    if (template == NULL)
        return NULL;
    dray_claim_owner owner = dray_claim_owner_of_pod(pod);
    dray_resource_claim *claim = dray_template_claim(template, &owner, entry->name, t->q->arena);
    claim->metadata->namespace = meta->namespace;
    claim->metadata->name =
        dray_strf(t->q->arena, DRAY_FMT "zzzzz", DRAY_ARG(claim->metadata->generate_name));
    claim->metadata->uid = dray_strf(t->q->arena, "uid-ResourceClaim-" DRAY_FMT "-" DRAY_FMT,
                                     DRAY_ARG(meta->namespace), DRAY_ARG(claim->metadata->name));
    dray_refused refused = {.entry = entry->name, .template = template};
    if (!admin_access_refused(t, claim) && !quota_refuses(t, claim, &refused))
        return claim;
    if (is_asked_about(t->q, pod))
        DRAY_PUSH(t->q->arena, &t->refused, refused);
    return NULL;
}

static void lay(dray_trial *t, dray_object object) {
    DRAY_PUSH(t->q->arena, &t->laid, (dray_laid){.object = object});
    dray_picture_lay(t->picture, &t->laid.v[t->laid.n - 1]);
}

/* What the claim controller does for a Pod that is in the picture. */
static void make_claims(dray_trial *t, const dray_core_pod *pod) {
    dray_core_pod *changed = NULL;
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++) {
        const dray_core_pod_resource_claim *entry = &pod->spec->resource_claims.v[i];
        if (entry->resource_claim_template_name.n == 0 || has_status(pod, entry->name))
            continue;
        dray_resource_claim *claim = make_claim(t, pod, entry);
        if (claim == NULL)
            continue;
        lay(t, (dray_object){dray_state_kind(&dray_type_resource_claim), claim});
        if (changed == NULL) {
            changed = DRAY_NEW(t->q->arena, dray_core_pod);
            *changed = *pod;
            changed->status = DRAY_NEW(t->q->arena, dray_core_pod_status);
            *changed->status = *pod->status;
        }
        add_status(changed, entry->name, claim->metadata->name, t->q->arena);
    }
    if (changed != NULL)
        lay(t, (dray_object){dray_state_kind(&dray_type_core_pod), changed});
}

static void make_claims_of(dray_trial *t, dray_object object) {
    const dray_core_pod *pod = object.body;
    if (pod != NULL && object.kind->type == &dray_type_core_pod && pod->spec->node_name.n == 0 &&
        pod->spec->resource_claims.n != 0)
        make_claims(t, pod);
}

static void make_all_claims(dray_trial *t) {
    const dray_base *base = t->state->base;
    for (size_t i = 0; i < base->waiting.n; i++)
        make_claims_of(t, dray_state_at(t->state, base->waiting.v[i]));
    /* Pods that wait only in this state. */
    for (size_t i = 0; i < t->state->changes.n; i++) {
        size_t place = t->state->changes.v[i].place, k = 0;
        while (k < base->waiting.n && base->waiting.v[k] != place)
            k++;
        if (k == base->waiting.n)
            make_claims_of(t, t->state->changes.v[i].object);
    }
}

static void add_want(dray_trial *t, dray_want want) {
    want.class = dray_cluster_find(t->cluster, &dray_type_resource_device_class, DRAY_STR(""),
                                   want.class_name);
    DRAY_PUSH(t->q->arena, &t->wants, want);
}

static void add_exact(dray_trial *t, dray_want want, const dray_resource_exact_device_request *e) {
    want.sub = SIZE_MAX;
    want.class_name = e->device_class_name;
    want.selectors = e->selectors.v;
    want.n_selectors = e->selectors.n;
    want.tolerations = e->tolerations.v;
    want.n_tolerations = e->tolerations.n;
    want.capacity = e->capacity;
    want.derived = e->derived_attributes.v;
    want.n_derived = e->derived_attributes.n;
    want.all = dray_str_is(e->allocation_mode, "All");
    want.admin = e->admin_access.set && e->admin_access.v;
    want.count = want.all ? 0 : e->count;
    add_want(t, want);
}

static void add_sub(dray_trial *t, dray_want want, dray_str request,
                    const dray_resource_device_sub_request *s) {
    want.name = dray_strf(t->q->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(request), DRAY_ARG(s->name));
    want.class_name = s->device_class_name;
    want.selectors = s->selectors.v;
    want.n_selectors = s->selectors.n;
    want.tolerations = s->tolerations.v;
    want.n_tolerations = s->tolerations.n;
    want.capacity = s->capacity;
    want.derived = s->derived_attributes.v;
    want.n_derived = s->derived_attributes.n;
    want.all = dray_str_is(s->allocation_mode, "All");
    want.count = want.all ? 0 : s->count;
    add_want(t, want);
}

static void add_wants(dray_trial *t, const dray_resource_claim *claim) {
    dray_want want = {.claim = claim};
    want.claim_name =
        dray_words_key(claim->metadata->namespace, claim->metadata->name, t->q->arena);
    for (size_t i = 0; i < claim->spec->devices->requests.n; i++) {
        const dray_resource_device_request *r = &claim->spec->devices->requests.v[i];
        want.request = i;
        want.name = r->name;
        if (r->exactly != NULL)
            add_exact(t, want, r->exactly);
        for (size_t k = 0; k < r->first_available.n; k++) {
            want.sub = k;
            add_sub(t, want, r->name, &r->first_available.v[k]);
        }
    }
}

static bool is_later(const dray_resource_device_class *a, const dray_resource_device_class *b) {
    int order = dray_time_cmp(a->metadata->creation_timestamp, b->metadata->creation_timestamp);
    return order != 0 ? order > 0 : dray_str_cmp(a->metadata->name, b->metadata->name) < 0;
}

/* The class that stands for the resource, by its own word or by its name; NULL: none does. */
static const dray_resource_device_class *class_for(const dray_trial *t, dray_str resource) {
    dray_cluster_list classes = dray_cluster_all(t->cluster, &dray_type_resource_device_class);
    const dray_resource_device_class *best = NULL;
    if (dray_str_starts(resource, DRAY_STR(DRAY_PLAN_CLASS_PREFIX)))
        return dray_cluster_find(
            t->cluster, &dray_type_resource_device_class, DRAY_STR(""),
            dray_str_slice(resource, sizeof DRAY_PLAN_CLASS_PREFIX - 1, resource.n));
    for (size_t k = 0; k < classes.n; k++) {
        const dray_resource_device_class *class = classes.v[k];
        if (class->spec->extended_resource_name.n != 0 &&
            dray_str_eq(class->spec->extended_resource_name, resource) &&
            (best == NULL || is_later(class, best)))
            best = class;
    }
    return best;
}

static int64_t asked_of(const dray_core_container *container, dray_str resource) {
    const dray_core_resource_requirements *r = container->resources;
    for (size_t i = 0; r != NULL && i < r->requests.n; i++)
        if (dray_str_eq(r->requests.k[i], resource))
            return dray_quantity_value(r->requests.v[i], NULL);
    return 0;
}

/* What an init container that ends may take over from those that come later and go on. */
static int64_t lent(const dray_core_pod_spec *spec, size_t init, dray_str resource) {
    int64_t sum = 0;
    for (size_t i = init; i < spec->init_containers.n; i++)
        if (dray_str_is(spec->init_containers.v[i].restart_policy, "Always"))
            sum += asked_of(&spec->init_containers.v[i], resource);
    for (size_t i = 0; i < spec->containers.n; i++)
        sum += asked_of(&spec->containers.v[i], resource);
    return sum;
}

/* Requests for the extended resources that a class stands for, named as the scheduler does: init
 * containers, then the others. */
static void add_extended(dray_trial *t) {
    const dray_core_pod_spec *spec = t->pod->spec;
    size_t n_init = spec->init_containers.n;
    for (size_t c = 0; c < n_init + spec->containers.n; c++) {
        const dray_core_container *container =
            c < n_init ? &spec->init_containers.v[c] : &spec->containers.v[c - n_init];
        const dray_core_resource_requirements *r = container->resources;
        bool ends = c < n_init && !dray_str_is(container->restart_policy, "Always");
        for (size_t i = 0; r != NULL && i < r->requests.n; i++) {
            const dray_resource_device_class *class = class_for(t, r->requests.k[i]);
            int64_t count = dray_quantity_value(r->requests.v[i], NULL);
            count -= ends ? lent(spec, c, r->requests.k[i]) : 0;
            if (class == NULL || count <= 0)
                continue;
            dray_want want = {.name = dray_strf(t->q->arena, "container-%zu-request-%zu", c, i),
                              .sub = SIZE_MAX,
                              .container = c,
                              .resource = r->requests.k[i],
                              .class_name = class->metadata->name,
                              .count = count};
            add_want(t, want);
        }
    }
}

static dray_str claim_of_entry(const dray_core_pod *pod,
                               const dray_core_pod_resource_claim *entry) {
    if (entry->resource_claim_name.n != 0)
        return entry->resource_claim_name;
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].name, entry->name))
            return pod->status->resource_claim_statuses.v[i].resource_claim_name;
    return DRAY_STR_NONE;
}

static void gather(dray_trial *t) {
    for (size_t i = 0; i < t->pod->spec->resource_claims.n; i++) {
        dray_pod_claim c = {.entry = &t->pod->spec->resource_claims.v[i]};
        c.name = claim_of_entry(t->pod, c.entry);
        if (c.name.n != 0) {
            c.claim =
                dray_cluster_find(t->cluster, &dray_type_resource_claim, t->q->input->ns, c.name);
            c.made = dray_state_find(t->state, &dray_type_resource_claim, t->q->input->ns,
                                     c.name) == NULL;
        }
        DRAY_PUSH(t->q->arena, &t->claims, c);
        if (c.claim != NULL && c.claim->status->allocation == NULL)
            add_wants(t, c.claim);
    }
    add_extended(t);
}

/* A claim that can't take one more user: filters don't look, reserving fails. */
static bool any_full(const dray_trial *t) {
    for (size_t i = 0; i < t->claims.n; i++) {
        const dray_resource_claim *claim = t->claims.v[i].claim;
        if (claim == NULL || claim->status->reserved_for.n < USERS_MAX)
            continue;
        bool user = false;
        for (size_t k = 0; k < claim->status->reserved_for.n && !user; k++)
            user = dray_str_eq(claim->status->reserved_for.v[k].uid, t->pod->metadata->uid);
        if (!user)
            return true;
    }
    return false;
}

/* Lists of reasons belong to the plan, which may go while the trial is open. */
static void keep_reasons(dray_trial *t) {
    const dray_str *last = NULL, *kept = NULL;
    for (size_t i = 0; i < t->answer.n_nodes; i++) {
        dray_plan_node_answer *node = &t->answer.nodes[i];
        if (node->n_reasons == 0)
            continue;
        if (node->reasons != last) {
            dray_str *copy = DRAY_NEW_N(t->q->arena, dray_str, node->n_reasons);
            for (size_t k = 0; k < node->n_reasons; k++)
                copy[k] = dray_str_dup(t->q->arena, node->reasons[k]);
            last = node->reasons;
            kept = copy;
        }
        node->reasons = kept;
    }
    dray_str *texts[] = {&t->answer.gated, &t->answer.prefilter, &t->answer.error};
    for (size_t i = 0; i < DRAY_COUNT(texts); i++)
        if (texts[i]->p != NULL)
            *texts[i] = dray_str_dup(t->q->arena, *texts[i]);
}

static void ask(dray_trial *t) {
    dray_plan *plan = dray_picture_plan(t->picture);
    dray_plan_pods pending = dray_plan_pending(plan, t->q->arena);
    for (size_t i = 0; i < pending.n && !t->asked; i++)
        t->asked = pending.v[i] == t->pod;
    if (!t->asked)
        return;
    dray_plan_ask_options options = {0};
    dray_plan_ask(plan, t->pod, &options, t->q->arena, &t->answer);
    keep_reasons(t);
    t->fits = t->answer.n_feasible != 0 && t->answer.error.p == NULL && !any_full(t);
}

static void lift_all(dray_trial *t) {
    for (size_t i = t->laid.n; i-- > 0;)
        dray_picture_lift(t->picture, &t->laid.v[i]);
}

static bool same_gates(const dray_gates *a, const dray_gates *b) {
    for (int g = 0; g < DRAY_GATE_COUNT; g++)
        if (a->on[g] != b->on[g])
            return false;
    return true;
}

/* The picture that can show the state: gates are a picture's for good. */
static dray_picture *picture_for(dray_inquiry *q, const dray_state *state) {
    if (q->picture != NULL && same_gates(&q->picture->gates, &state->gates))
        return q->picture;
    return dray_picture_new(q, state);
}

void dray_trial_open(dray_inquiry *q, const dray_state *state, dray_trial *ret) {
    dray_picture *picture = picture_for(q, state);
    *ret = (dray_trial){.q = q, .around = q->trial, .state = state, .picture = picture};
    q->n_trials++;
    if (q->trial != NULL && q->trial->picture == picture)
        lift_all(q->trial);
    if (q->trial == NULL && picture != q->picture)
        dray_picture_free(q->picture);
    q->trial = ret;
    q->picture = picture;
    ret->cluster = picture->cluster;
    dray_picture_show(picture, state);
    make_all_claims(ret);
    ret->pod = dray_cluster_find(ret->cluster, &dray_type_core_pod, q->input->ns, q->input->pod);
    if (ret->pod == NULL)
        return;
    gather(ret);
    ask(ret);
}

void dray_trial_close(dray_trial *trial) {
    dray_inquiry *q = trial->q;
    dray_trial *around = trial->around;
    lift_all(trial);
    q->trial = around;
    if (around == NULL)
        return;
    if (around->picture != trial->picture) {
        dray_picture_free(trial->picture);
        q->picture = around->picture;
        return;
    }
    dray_picture_show(around->picture, around->state);
    for (size_t i = 0; i < around->laid.n; i++)
        dray_picture_lay(around->picture, &around->laid.v[i]);
}

int64_t dray_trial_node(const dray_trial *trial, dray_str name) {
    for (size_t i = 0; i < trial->answer.n_nodes; i++)
        if (dray_str_eq(trial->answer.nodes[i].name, name))
            return (int64_t)i;
    return -1;
}
