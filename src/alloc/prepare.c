/* Claims into a job: what is wrong with them, and requests with everything that decides. */
#include "alloc/alloc_int.h"
#include "base/map.h"

#include <inttypes.h>

/* "a/b" */
static dray_str joined(dray_str a, dray_str b, dray_arena *arena) {
    char *text = dray_arena_bytes(arena, a.n + b.n + 2);
    memcpy(text, a.p, a.n);
    text[a.n] = '/';
    memcpy(text + a.n + 1, b.p != NULL ? b.p : "", b.n);
    text[a.n + 1 + b.n] = '\0';
    return (dray_str){text, a.n + 1 + b.n};
}

dray_str dray_claim_name(const dray_claim_slot *claim, dray_arena *arena) {
    const dray_meta_object_meta *meta = claim->body->metadata;
    return meta->namespace.n != 0 ? joined(meta->namespace, meta->name, arena) : meta->name;
}

/* A request or a subrequest, seen alike. */
typedef struct wish {
    dray_str name, class_name, mode;
    const dray_resource_device_selector *selectors;
    size_t n_selectors;
    int64_t count;
    bool admin, has_admin;
    const dray_resource_device_toleration *tolerations;
    size_t n_tolerations;
    const dray_resource_capacity_requirements *capacity;
    const dray_resource_device_derived_attribute *derived;
    size_t n_derived;
} wish;

static wish wish_of(const dray_resource_device_request *request) {
    const dray_resource_exact_device_request *e = request->exactly;
    if (e == NULL)
        return (wish){.name = request->name};
    return (wish){request->name,          e->device_class_name, e->allocation_mode,
                  e->selectors.v,         e->selectors.n,       e->count,
                  e->admin_access.v,      e->admin_access.set,  e->tolerations.v,
                  e->tolerations.n,       e->capacity,          e->derived_attributes.v,
                  e->derived_attributes.n};
}

static wish wish_of_sub(const dray_resource_device_sub_request *s) {
    return (wish){s->name,
                  s->device_class_name,
                  s->allocation_mode,
                  s->selectors.v,
                  s->selectors.n,
                  s->count,
                  false,
                  false,
                  s->tolerations.v,
                  s->tolerations.n,
                  s->capacity,
                  s->derived_attributes.v,
                  s->derived_attributes.n};
}

static bool same_tolerations(const dray_kindred *kind, const wish *w) {
    bool same = kind->n_tolerations == w->n_tolerations;
    for (size_t i = 0; same && i < w->n_tolerations; i++) {
        const dray_resource_device_toleration *a = &kind->tolerations[i], *b = &w->tolerations[i];
        same = dray_str_eq(a->key, b->key) && dray_str_eq(a->operator, b->operator) &&
               dray_str_eq(a->value, b->value) && dray_str_eq(a->effect, b->effect);
    }
    return same;
}

static bool same_capacity(const dray_resource_capacity_requirements *a,
                          const dray_resource_capacity_requirements *b) {
    size_t n = a != NULL ? a->requests.n : 0;
    bool same = n == (b != NULL ? b->requests.n : 0);
    for (size_t i = 0; same && i < n; i++)
        same = dray_str_eq(a->requests.k[i], b->requests.k[i]) &&
               dray_quantity_cmp(a->requests.v[i], b->requests.v[i]) == 0;
    return same;
}

/* The class and the list of its selectors; NULL: there is none. A few are asked for again and
 * again. */
static const dray_resource_device_class *class_of(const dray_alloc_job *job, dray_str name,
                                                  dray_select_list **ret_list) {
    dray_alloc *alloc = job->alloc;
    uint64_t changes = dray_cluster_changes(alloc->cluster);
    for (size_t i = 0; i < DRAY_COUNT(alloc->recent); i++) {
        const struct dray_recent_class *r = &alloc->recent[i];
        if (r->class == NULL || r->changes != changes ||
            !dray_str_eq(r->class->metadata->name, name))
            continue;
        *ret_list = r->list;
        return r->class;
    }
    const dray_resource_device_class *class =
        dray_cluster_find(alloc->cluster, &dray_type_resource_device_class, DRAY_STR(""), name);
    if (class == NULL)
        return NULL;
    *ret_list = class->spec->selectors.n == 0
                    ? NULL
                    : dray_select_list_of(alloc->selects, class->spec->selectors.v,
                                          class->spec->selectors.n, true,
                                          job->features.variant == DRAY_STABLE);
    alloc->recent[alloc->next_recent++ % DRAY_COUNT(alloc->recent)] =
        (struct dray_recent_class){class, *ret_list, changes};
    return class;
}

static dray_kindred *kind_of(dray_alloc_job *job, const wish *w,
                             const dray_resource_device_class *class,
                             dray_select_list *class_list) {
    dray_select_list *request_list = NULL;
    if (w->n_selectors > 0)
        request_list = dray_select_list_of(job->alloc->selects, w->selectors, w->n_selectors, false,
                                           job->features.variant == DRAY_STABLE);
    for (size_t i = 0; i < job->kinds.n; i++) {
        dray_kindred *k = job->kinds.v[i];
        if (k->class == class && k->request_list == request_list && k->admin == w->admin &&
            same_capacity(k->capacity, w->capacity) && same_tolerations(k, w))
            return k;
    }
    dray_kindred *kind = job->kinds.n == 0 ? &job->first_kind : DRAY_NEW(job->arena, dray_kindred);
    *kind = (dray_kindred){
        class,       class_list, request_list,          w->tolerations, w->n_tolerations,
        w->capacity, w->admin,   (uint32_t)job->kinds.n};
    job->kinds.v[job->kinds.n++] = kind; /* there is room */
    return kind;
}

/* "claim C, request R: " and what is wrong. */
static dray_str wrong(const dray_alloc_job *job, uint32_t claim, dray_str request,
                      const char *what) {
    dray_str name = dray_claim_name(&job->claims[claim], job->arena);
    return dray_strf(job->arena, "claim " DRAY_FMT ", request " DRAY_FMT "%s", DRAY_ARG(name),
                     DRAY_ARG(request), what);
}

static dray_str check_selectors(const dray_alloc_job *job, uint32_t claim, const wish *w) {
    for (size_t i = 0; i < w->n_selectors; i++) {
        if (w->selectors[i].cel != NULL)
            continue;
        dray_str what = dray_strf(
            job->arena, ", selector #%zu: CEL expression empty (unsupported selector type?)", i);
        return wrong(job, claim, w->name, what.p);
    }
    return DRAY_STR_NONE;
}

/* What is wrong with a request whatever the devices, in Kubernetes' order; its kindred if nothing.
 */
static dray_str check(dray_alloc_job *job, uint32_t claim, const wish *w, dray_kindred **ret) {
    if (w->n_derived > 0 && !job->features.derived)
        return wrong(job, claim, w->name,
                     ": cannot handle request with derived attributes, the feature is disabled");
    dray_str error = check_selectors(job, claim, w);
    if (error.p != NULL)
        return error;
    if (w->has_admin && !job->features.admin)
        return wrong(job, claim, w->name,
                     ": admin access is requested, but the feature is disabled");
    if (w->class_name.n == 0)
        return wrong(job, claim, w->name,
                     ": missing device class name (unsupported request type?)");
    dray_select_list *class_list = NULL;
    const dray_resource_device_class *class = class_of(job, w->class_name, &class_list);
    if (class == NULL) {
        dray_str what = dray_strf(job->arena,
                                  ": could not retrieve device class " DRAY_FMT
                                  ": deviceclass.resource.k8s.io \"" DRAY_FMT "\" not found",
                                  DRAY_ARG(w->class_name), DRAY_ARG(w->class_name));
        return wrong(job, claim, w->name, what.p);
    }
    if (!dray_str_is(w->mode, "ExactCount") && !dray_str_is(w->mode, "All")) {
        dray_str what =
            dray_strf(job->arena, ": unsupported count mode " DRAY_FMT, DRAY_ARG(w->mode));
        return wrong(job, claim, w->name, what.p);
    }
    *ret = kind_of(job, w, class, class_list);
    return DRAY_STR_NONE;
}

static bool names(const dray_strings *list, dray_str name) {
    for (size_t i = 0; i < list->n; i++) {
        if (dray_str_eq(list->v[i], name))
            return true;
    }
    return false;
}

static void find_constraints(dray_alloc_job *job, const dray_claim_slot *claim, dray_alt *alt) {
    dray_str request = job->requests.v[alt->request].name;
    alt->constraints = DRAY_NEW_N(job->arena, dray_constraint *, claim->n_constraints + 1);
    for (uint32_t i = 0; i < claim->n_constraints; i++) {
        dray_constraint *c = &job->constraints.v[claim->first_constraint + i];
        if (c->requests.n == 0 || names(&c->requests, request) ||
            names(&c->requests, alt->full_name))
            alt->constraints[alt->n_constraints++] = c;
    }
}

/* Usually a claim's constraints are for all of its requests, and one list will do. */
static void give_constraints(dray_alloc_job *job, const dray_claim_slot *claim) {
    if (claim->n_constraints == 0 || claim->n_requests == 0)
        return;
    bool for_all = true;
    for (uint32_t i = 0; i < claim->n_constraints; i++)
        for_all &= job->constraints.v[claim->first_constraint + i].requests.n == 0;
    const dray_request_slot *r = &job->requests.v[claim->first_request];
    const dray_alt *first = &job->alts.v[r->first_alt];
    for (uint32_t i = 0; i < claim->n_requests; i++, r++) {
        for (uint32_t a = r->first_alt; a < r->first_alt + r->n_alts; a++) {
            dray_alt *alt = &job->alts.v[a];
            if (!for_all || alt == first) {
                find_constraints(job, claim, alt);
            } else {
                alt->constraints = first->constraints;
                alt->n_constraints = first->n_constraints;
            }
        }
    }
}

static void add_alt(dray_alloc_job *job, uint32_t claim, const wish *w, dray_str full_name,
                    uint32_t index) {
    /* There is room, and it is zero. */
    dray_alt *alt = &job->alts.v[job->alts.n];
    alt->claim = claim;
    alt->request = (uint32_t)job->requests.n;
    alt->index = index;
    alt->all = dray_str_is(w->mode, "All");
    alt->count = w->count;
    alt->name = w->name;
    alt->full_name = full_name;
    alt->derived = w->derived;
    alt->n_derived = w->n_derived;
    alt->number = (uint32_t)job->alts.n;
    alt->error = check(job, claim, w, &alt->kind);
    job->has_all |= alt->all;
    job->has_admin |= w->admin;
    job->alts.n++;
}

static dray_str wrong_sub(const dray_alloc_job *job, uint32_t claim, dray_str name) {
    dray_str claim_name = dray_claim_name(&job->claims[claim], job->arena);
    return dray_strf(job->arena,
                     "claim " DRAY_FMT ", subrequest " DRAY_FMT
                     ": has capacity requests, but the DRAConsumableCapacity feature is disabled",
                     DRAY_ARG(claim_name), DRAY_ARG(name));
}

static dray_str check_gates(const dray_alloc_job *job, uint32_t claim,
                            const dray_resource_device_request *r) {
    bool prioritized = r->first_available.n > 0;
    if (prioritized && !job->features.prioritized)
        return wrong(job, claim, r->name,
                     ": has subrequests, but the DRAPrioritizedList feature is disabled");
    /* Upstream's stable implementation knows nothing of capacity and does not look for it. */
    if (job->features.consumable || job->features.variant == DRAY_STABLE)
        return DRAY_STR_NONE;
    if (r->exactly != NULL && r->exactly->capacity != NULL)
        return wrong(job, claim, r->name,
                     ": has capacity requests, but the DRAConsumableCapacity feature is disabled");
    for (size_t i = 0; i < r->first_available.n; i++) {
        const dray_resource_device_sub_request *s = &r->first_available.v[i];
        if (s->capacity != NULL)
            return wrong_sub(job, claim, s->name);
    }
    return DRAY_STR_NONE;
}

static void add_request(dray_alloc_job *job, uint32_t claim,
                        const dray_resource_device_request *r) {
    dray_request_slot *slot = &job->requests.v[job->requests.n]; /* there is room, and it is zero */
    slot->claim = claim;
    slot->first_alt = (uint32_t)job->alts.n;
    slot->prioritized = r->first_available.n > 0;
    slot->name = r->name;
    slot->error = check_gates(job, claim, r);
    for (size_t i = 0; i < r->first_available.n; i++) {
        wish w = wish_of_sub(&r->first_available.v[i]);
        add_alt(job, claim, &w, joined(r->name, w.name, job->arena), (uint32_t)i);
    }
    if (!slot->prioritized) {
        wish w = wish_of(r);
        add_alt(job, claim, &w, r->name, 0);
    }
    slot->n_alts = (uint32_t)job->alts.n - slot->first_alt;
    job->requests.n++;
    int64_t most = 0, least = INT64_MAX;
    bool wrong = slot->error.p != NULL;
    for (const dray_alt *alt = &job->alts.v[slot->first_alt]; alt < job->alts.v + job->alts.n;
         alt++) {
        int64_t need = alt->all ? DRAY_ALLOC_RESULTS_MAX : alt->count;
        most = need > most ? need : most;
        least = need < least ? need : least;
        wrong |= alt->error.p != NULL;
    }
    wrong |= least < 0 || least > DRAY_ALLOC_RESULTS_MAX - job->claims[claim].least;
    job->claims[claim].least += wrong ? 0 : least;
    job->is_wrong |= wrong;
    job->n_decisions += 1 + (size_t)(most < DRAY_ALLOC_RESULTS_MAX ? most : DRAY_ALLOC_RESULTS_MAX);
}

static dray_str wrong_constraint(const dray_alloc_job *job, const dray_claim_slot *claim,
                                 size_t number) {
    dray_str name = dray_claim_name(claim, job->arena);
    return dray_strf(job->arena,
                     "claim " DRAY_FMT
                     ", constraint #%zu: empty constraint (unsupported constraint type?)",
                     DRAY_ARG(name), number);
}

static void add_constraints(dray_alloc_job *job, dray_claim_slot *claim) {
    claim->first_constraint = (uint32_t)job->constraints.n;
    for (size_t i = 0; i < claim->body->spec->devices->constraints.n; i++) {
        const dray_resource_device_constraint *c = &claim->body->spec->devices->constraints.v[i];
        bool match = c->match_attribute.p != NULL;
        bool distinct =
            !match && c->distinct_attribute.p != NULL && job->features.variant != DRAY_STABLE;
        if (!match && !distinct) {
            if (claim->constraint_error.p == NULL)
                claim->constraint_error = wrong_constraint(job, claim, i);
            job->is_wrong = true;
            continue;
        }
        dray_constraint *made = &job->constraints.v[job->constraints.n]; /* there is room */
        made->distinct = distinct;
        made->attribute = match ? c->match_attribute : c->distinct_attribute;
        made->requests = c->requests;
        made->number = (uint32_t)job->constraints.n++;
        size_t slash = dray_str_chr(made->attribute, '/');
        if (slash != SIZE_MAX) {
            made->domain = dray_str_slice(made->attribute, 0, slash);
            made->id = dray_str_slice(made->attribute, slash + 1, made->attribute.n);
        }
    }
    claim->n_constraints = (uint32_t)job->constraints.n - claim->first_constraint;
}

/* A job in one piece, its lists empty, with all the room that the claims need. */
static dray_alloc_job *make_room(const dray_resource_claim *const *claims, size_t n, size_t slots,
                                 dray_arena *arena) {
    size_t requests = 0, alts = 0, constraints = 0;
    for (size_t c = 0; c < n; c++) {
        const dray_resource_device_claim *devices = claims[c]->spec->devices;
        requests += devices->requests.n;
        constraints += devices->constraints.n;
        for (size_t i = 0; i < devices->requests.n; i++) {
            size_t subs = devices->requests.v[i].first_available.n;
            alts += subs > 0 ? subs : 1;
        }
    }
    /* Each stands for something larger that is there already: no sum of them is too large. */
    dray_alloc_job *job = dray_arena_alloc(
        arena, sizeof *job + slots * sizeof *job->claims + requests * sizeof *job->requests.v +
                   alts * (sizeof *job->alts.v + sizeof *job->kinds.v) +
                   constraints * sizeof *job->constraints.v);
    job->claims = (dray_claim_slot *)(job + 1);
    job->requests.v = (dray_request_slot *)(job->claims + slots);
    job->alts.v = (dray_alt *)(job->requests.v + requests);
    job->constraints.v = (dray_constraint *)(job->alts.v + alts);
    job->kinds.v = (dray_kindred **)(job->constraints.v + constraints);
    job->requests.room = requests;
    job->alts.room = job->kinds.room = alts;
    job->constraints.room = constraints;
    return job;
}

static dray_str all_refused(dray_run *run, const dray_alt *alt, const dray_pool_view *pool,
                            const char *why) {
    /* Of this node alone: others may be tried (kubernetes/kubernetes#141829). */
    run->node_local = true;
    dray_str name = dray_claim_name(&run->job->claims[alt->claim], run->scratch);
    return dray_strf(
        run->arena,
        "claim " DRAY_FMT ", request " DRAY_FMT
        ": asks for all devices, but resource pool " DRAY_FMT "/" DRAY_FMT " is currently %s",
        DRAY_ARG(name), DRAY_ARG(alt->name), DRAY_ARG(pool->driver), DRAY_ARG(pool->name), why);
}

/* The devices of mode All, in order; false: run->error. */
static bool list_all(dray_run *run, const dray_alt *alt) {
    const dray_view *view = run->view;
    DRAY_VEC(uint32_t) found = {0};
    uint32_t word = 0;
    for (uint32_t p = 0; p < view->n_pools; p++) {
        const dray_pool_view *pool = view->pools[p];
        if (pool->state != DRAY_POOL_READY) {
            run->error = all_refused(
                run, alt, pool, pool->state == DRAY_POOL_INVALID ? "invalid" : "being updated");
            return false;
        }
        for (; word < view->n_words && view->words[word].pool == p; word++) {
            const dray_view_word *w = &view->words[word];
            uint32_t failing;
            uint64_t meant = dray_run_select_word(run, alt->kind, word, &failing);
            if (failing < 64) {
                dray_run_tell(run, alt, word * 64 + failing, true);
                return false;
            }
            /* What can't be had while its gate is off is not meant (k/k#141091). */
            if (!run->f.partitionable)
                meant &= ~w->slice->counters[w->word];
            for (; meant != 0; meant &= meant - 1)
                DRAY_PUSH(run->scratch, &found, word * 64 + (uint32_t)__builtin_ctzll(meant));
        }
    }
    run->alls[alt->number] = (dray_all_list){found.v, found.n};
    for (size_t i = 0; i < found.n; i++)
        (void)dray_run_ask(run, alt->kind, found.v[i]);
    return true;
}

static dray_str too_many(const dray_alloc_job *job, const dray_request_slot *request, int64_t more,
                         int64_t total, dray_arena *arena) {
    dray_str name = dray_claim_name(&job->claims[request->claim], arena);
    return dray_strf(arena,
                     "claim " DRAY_FMT ", request " DRAY_FMT ": adding %" PRId64
                     " devices exceeds the claim limit of %d, with %" PRId64
                     " already accounted for",
                     DRAY_ARG(name), DRAY_ARG(request->name), more, DRAY_ALLOC_RESULTS_MAX, total);
}

/* What is wrong with a request; run: where mode All may be asked for, else NULL. */
static dray_str check_request(const dray_alloc_job *job, dray_run *run,
                              const dray_request_slot *request, int64_t *total) {
    int64_t least = INT64_MAX;
    if (request->error.p != NULL)
        return request->error;
    for (uint32_t i = 0; i < request->n_alts; i++) {
        const dray_alt *alt = &job->alts.v[request->first_alt + i];
        if (alt->error.p != NULL)
            return alt->error;
        if (alt->all && !list_all(run, alt))
            return run->error;
        int64_t need = alt->all ? (int64_t)run->alls[alt->number].n : alt->count;
        least = need < least ? need : least;
    }
    if (least > DRAY_ALLOC_RESULTS_MAX - *total)
        return too_many(job, request, least, *total, run != NULL ? run->arena : job->arena);
    *total += least;
    return DRAY_STR_NONE;
}

static dray_str check_claims(const dray_alloc_job *job, dray_run *run, size_t first, size_t end) {
    for (size_t c = first; c < end; c++) {
        const dray_claim_slot *claim = &job->claims[c];
        int64_t total = 0;
        for (uint32_t i = 0; i < claim->n_requests; i++) {
            dray_str error =
                check_request(job, run, &job->requests.v[claim->first_request + i], &total);
            if (error.p != NULL)
                return error;
        }
        if (claim->constraint_error.p != NULL)
            return claim->constraint_error;
    }
    return DRAY_STR_NONE;
}

bool dray_run_check(dray_run *run) {
    const dray_alloc_job *job = run->job;
    run->error = job->settled ? job->error : check_claims(job, run, 0, job->n_claims);
    return run->error.p == NULL;
}

bool dray_run_check_claims(dray_run *run, size_t first, size_t end) {
    const dray_alloc_job *job = run->job;
    bool all_read = job->n_claims == 0 || job->claims[job->n_claims - 1].body != NULL;
    run->error = all_read ? check_claims(job, run, first, end) : job->error;
    return run->error.p == NULL;
}

static void read_claims(dray_alloc_job *job, const dray_resource_claim *const *claims) {
    for (size_t c = 0; c < job->n_claims && job->error.p == NULL; c++) {
        dray_claim_slot *claim = &job->claims[c];
        const dray_resource_device_claim *devices = claims[c]->spec->devices;
        claim->body = claims[c];
        claim->first_request = (uint32_t)job->requests.n;
        for (size_t i = 0; i < devices->requests.n; i++)
            add_request(job, (uint32_t)c, &devices->requests.v[i]);
        claim->n_requests = (uint32_t)job->requests.n - claim->first_request;
        add_constraints(job, claim);
        give_constraints(job, claim);
        if (job->alts.n > DRAY_ALLOC_REQUESTS_MAX)
            job->error = dray_strf(job->arena, "more than %d requests and alternatives at once",
                                   DRAY_ALLOC_REQUESTS_MAX);
    }
}

dray_alloc_job *dray_job_new(dray_alloc *alloc, const dray_resource_claim *const *claims, size_t n,
                             dray_arena *arena) {
    bool many = n > DRAY_ALLOC_CLAIMS_MAX;
    dray_alloc_job *job = make_room(claims, many ? 0 : n, n, arena);
    job->alloc = alloc;
    job->arena = arena;
    job->features = alloc->features;
    job->n_claims = n;
    if (many)
        job->error = dray_strf(arena, "more than %d claims at once", DRAY_ALLOC_CLAIMS_MAX);
    else
        read_claims(job, claims);
    job->settled = job->error.p != NULL || !job->has_all;
    if (job->error.p == NULL && !job->has_all && job->is_wrong)
        job->error = check_claims(job, NULL, 0, n);
    return job;
}
