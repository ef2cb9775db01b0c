/* What keeps a Pod from the devices of a node: taken, tainted, too few, constraints. */
#include "cluster/node_selector.h"
#include "explain/survey_int.h"

enum { HOLDERS_MAX = 64, SUFFICIENT_TRIED = 8 };

/* How far from fitting the causes leave a node, where it isn't 1. New hardware is far. */
enum { FAR_FALSE = 20, FAR_DEVICE = 50, FAR_CLAIM = 2 };

static bool consumer_exists(const dray_trial *t, const dray_resource_claim *claim,
                            const dray_resource_claim_consumer_reference *user) {
    if (!dray_str_is(user->resource, "pods"))
        return true;
    const dray_core_pod *pod =
        dray_cluster_find(t->cluster, &dray_type_core_pod, claim->metadata->namespace, user->name);
    return pod != NULL && (user->uid.n == 0 || dray_str_eq(pod->metadata->uid, user->uid));
}

/* A Pod that uses the claim; absent when none does. */
static dray_str user_of(const dray_trial *t, const dray_resource_claim *claim) {
    for (size_t i = 0; i < claim->status->reserved_for.n; i++)
        if (consumer_exists(t, claim, &claim->status->reserved_for.v[i]))
            return claim->status->reserved_for.v[i].name;
    return DRAY_STR_NONE;
}

size_t dray_claim_users(const dray_trial *t, const dray_resource_claim *claim) {
    size_t n = 0;
    for (size_t i = 0; i < claim->status->reserved_for.n; i++)
        n += consumer_exists(t, claim, &claim->status->reserved_for.v[i]);
    return n;
}

typedef struct holding {
    const dray_resource_claim *claim;
    size_t devices, users;
} holding;

static int by_gain(const void *a, const void *b, void *context) {
    const holding *x = a, *y = b;
    size_t per_x = x->devices * (y->users + 1), per_y = y->devices * (x->users + 1);
    if (per_x != per_y)
        return per_x > per_y ? -1 : 1;
    return dray_str_cmp(x->claim->metadata->name, y->claim->metadata->name);
}

/* Claims that hold matching devices of the node, those first that free most per Pod ended. */
static size_t holdings(dray_trial *t, const dray_survey *survey, holding *ret) {
    size_t n = 0;
    for (size_t i = 0; i < survey->n; i++) {
        const dray_surveyed *d = &survey->v[i];
        const dray_resource_claim *claims[HOLDERS_MAX];
        size_t m = d->matches && d->stage >= DRAY_STAGE_IN_USE
                       ? dray_survey_holders(t, d, claims, HOLDERS_MAX)
                       : 0;
        for (size_t k = 0; k < m; k++) {
            size_t at = 0;
            while (at < n && ret[at].claim != claims[k])
                at++;
            if (at == HOLDERS_MAX)
                break;
            if (at == n)
                ret[n++] = (holding){claims[k], 0, dray_claim_users(t, claims[k])};
            ret[at].devices++;
        }
    }
    dray_sort(ret, n, sizeof *ret, by_gain, NULL);
    return n;
}

static void name_holder(dray_trial *t, const dray_resource_claim *claim, dray_finding *ret) {
    dray_str user = user_of(t, claim);
    const dray_meta_object_meta *meta = claim->metadata;
    ret->cause = user.p != NULL ? DRAY_CAUSE_IN_USE : DRAY_CAUSE_IN_USE_LEAKED;
    ret->subject = dray_words_key(meta->namespace, user.p != NULL ? user : meta->name, t->q->arena);
}

/* Those that must go for `need` devices; sets the holder that is named and the weight. */
static void blame_holders(dray_trial *t, const dray_survey *survey, size_t need,
                          dray_finding *ret) {
    holding all[HOLDERS_MAX];
    size_t n = holdings(t, survey, all), freed = 0;
    double weight = 0;
    /* One that alone is enough is better than several. */
    size_t best = 0;
    for (size_t i = 0; i < n; i++)
        if (all[i].devices >= need && (all[best].devices < need || all[i].users < all[best].users))
            best = i;
    if (n != 0 && all[best].devices >= need) {
        holding first = all[0];
        all[0] = all[best];
        all[best] = first;
    }
    for (size_t i = 0; i < n && freed < need; i++) {
        freed += all[i].devices;
        weight += all[i].users != 0 ? (double)all[i].users : 0.5;
        if (i == 0)
            name_holder(t, all[0].claim, ret);
    }
    ret->weight = weight;
}

size_t dray_claims_in_the_way(dray_trial *t, dray_str node, const dray_want *want,
                              const dray_resource_claim **ret, size_t max) {
    dray_survey survey;
    dray_survey_node(t, node, want, &survey);
    holding all[HOLDERS_MAX];
    size_t n = holdings(t, &survey, all), m = 0;
    for (size_t i = 0; i < n && m < max; i++)
        ret[m++] = all[i].claim;
    /* Others that draw on the same counters. */
    dray_cluster_list claims = dray_cluster_all(t->cluster, &dray_type_resource_claim);
    for (size_t i = 0; i < claims.n && m < max; i++) {
        const dray_resource_claim *claim = claims.v[i];
        const dray_resource_allocation_result *a = claim->status->allocation;
        bool known = a == NULL, shares_pool = false;
        for (size_t k = 0; k < m && !known; k++)
            known = ret[k] == claim;
        for (size_t r = 0; !known && r < a->devices->results.n; r++)
            for (size_t d = 0; d < survey.n && !shares_pool; d++)
                shares_pool =
                    survey.v[d].stage == DRAY_STAGE_COUNTERS &&
                    dray_str_eq(survey.v[d].pool->name, a->devices->results.v[r].pool) &&
                    dray_str_eq(survey.v[d].pool->driver, a->devices->results.v[r].driver);
        if (!known && shares_pool)
            ret[m++] = claim;
    }
    return m;
}

static const dray_surveyed *nearest(const dray_survey *survey, size_t nth) {
    /* Fewest obstacles first, then the latest stage. */
    for (uint32_t obstacles = 1; obstacles <= DRAY_STAGE_USABLE; obstacles++)
        for (int stage = DRAY_STAGE_COUNTERS; stage >= 0; stage--)
            for (size_t i = 0; i < survey->n; i++) {
                const dray_surveyed *d = &survey->v[i];
                if (d->matches && d->obstacles == obstacles && (int)d->stage == stage && nth-- == 0)
                    return d;
            }
    return NULL;
}

static const dray_cause cause_of_stage[] = {
    [DRAY_STAGE_POOL] = DRAY_CAUSE_POOL_INCOMPLETE,
    [DRAY_STAGE_GATE] = DRAY_CAUSE_GATE_OFF,
    [DRAY_STAGE_CLASS] = DRAY_CAUSE_SELECTOR_FALSE,
    [DRAY_STAGE_REQUEST] = DRAY_CAUSE_SELECTOR_FALSE,
    [DRAY_STAGE_REACH] = DRAY_CAUSE_DEVICES_REACH_NO_NODE,
    [DRAY_STAGE_CAPACITY] = DRAY_CAUSE_CAPACITY_TOO_LARGE,
    [DRAY_STAGE_TAINT] = DRAY_CAUSE_DEVICE_TAINT,
    [DRAY_STAGE_IN_USE] = DRAY_CAUSE_IN_USE,
    [DRAY_STAGE_EXHAUSTED] = DRAY_CAUSE_CAPACITY_EXHAUSTED,
    [DRAY_STAGE_COUNTERS] = DRAY_CAUSE_COUNTERS_EXHAUSTED,
    [DRAY_STAGE_USABLE] = DRAY_CAUSE_TOO_FEW_DEVICES,
};

static void blame_device(dray_trial *t, const dray_survey *survey, const dray_surveyed *d,
                         size_t need, dray_finding *ret) {
    ret->cause = cause_of_stage[d->stage];
    ret->subject = d->about;
    ret->count = (uint32_t)survey->by_stage[d->stage];
    ret->weight = d->obstacles;
    ret->slice = d->slice->body;
    ret->driver = d->pool->driver;
    ret->pool = d->pool->name;
    if (d->stage == DRAY_STAGE_POOL) {
        if (d->pool->state == DRAY_POOL_INVALID || dray_pool_contradicts(d->pool->pool))
            ret->cause = DRAY_CAUSE_POOL_INVALID;
        ret->subject = dray_words_key(d->pool->driver, d->pool->name, t->q->arena);
    } else if (d->stage == DRAY_STAGE_GATE) {
        ret->gate = (dray_gate)dray_gate_find(d->about);
    } else if (d->stage == DRAY_STAGE_CAPACITY && d->policy) {
        ret->cause = DRAY_CAUSE_POLICY_REJECTS;
    } else if (d->stage == DRAY_STAGE_IN_USE) {
        blame_holders(t, survey, need, ret);
        ret->weight += d->obstacles - 1;
    }
}

/* The selector that refuses the node's devices; its last one that any reaches. */
static void blame_selector(dray_trial *t, const dray_survey *survey, dray_finding *ret) {
    const dray_want *want = ret->want;
    ret->cause = DRAY_CAUSE_SELECTOR_FALSE;
    ret->weight = FAR_FALSE;
    for (size_t i = 0; i < want->n_selectors; i++) {
        size_t left = 0;
        for (size_t d = 0; d < survey->n; d++)
            left += survey->v[d].stage == DRAY_STAGE_REQUEST && want->selectors[i].cel != NULL &&
                    dray_selector_published(t->q, want->selectors[i].cel->expression,
                                            survey->v[d].pool->driver,
                                            survey->v[d].device) == DRAY_CELK8S_TRUE;
        ret->selector = i;
        if (left == 0)
            break;
    }
    ret->count = (uint32_t)survey->by_stage[DRAY_STAGE_REQUEST];
    ret->subject =
        dray_strf(t->q->arena, "request/" DRAY_FMT "#%zu", DRAY_ARG(want->name), ret->selector);
}

/* A device of an unfinished pool on which a selector fails: once the pool is whole, that ends the
 * attempt. */
static const dray_surveyed *failing_unready(dray_survey *survey) {
    for (size_t i = 0; i < survey->n; i++) {
        dray_surveyed *d = &survey->v[i];
        if (!d->failed || d->pool->state == DRAY_POOL_READY)
            continue;
        d->stage = DRAY_STAGE_POOL;
        d->obstacles = 1;
        return d;
    }
    return NULL;
}

/* Whether the request can't be served on the node by itself, and why. */
static bool blame_want(dray_trial *t, dray_str node, const dray_want *want, dray_finding *ret) {
    dray_survey survey;
    dray_survey_node(t, node, want, &survey);
    size_t usable = survey.by_stage[DRAY_STAGE_USABLE];
    size_t count = want->all ? survey.matching : (size_t)want->count;
    if (usable >= count && survey.matching != 0)
        return false;
    const dray_surveyed *unready = survey.matching < count ? failing_unready(&survey) : NULL;
    *ret = (dray_finding){.cause = DRAY_CAUSE_TOO_FEW_DEVICES,
                          .claim = want->claim_name,
                          .request = want->name,
                          .subject = want->name,
                          .count = (uint32_t)survey.matching,
                          .of = (uint32_t)survey.n,
                          .weight = FAR_DEVICE,
                          .node = node,
                          .want = want};
    if (unready != NULL) {
        blame_device(t, &survey, unready, count, ret);
    } else if (survey.matching >= count && survey.matching != 0) {
        const dray_surveyed *d = nearest(&survey, 0);
        const dray_surveyed *last = nearest(&survey, count - usable - 1);
        if (last != NULL && last->stage != d->stage)
            d = last;
        blame_device(t, &survey, d, count - usable, ret);
    } else if (survey.matching == 0 && survey.by_stage[DRAY_STAGE_REQUEST] != 0) {
        blame_selector(t, &survey, ret);
    } else if (survey.matching != 0) {
        ret->weight = usable != 0 ? FAR_CLAIM : 2 * FAR_CLAIM;
    }
    return true;
}

/* --- what keeps requests from being served together --- */

static bool has_attribute(const dray_surveyed *d, dray_str name) {
    for (size_t i = 0; i < d->device->attributes.n; i++) {
        dray_str domain, id, wanted_domain, wanted_id;
        dray_celk8s_split_name(d->device->attributes.k[i], d->pool->driver, &domain, &id);
        dray_celk8s_split_name(name, d->pool->driver, &wanted_domain, &wanted_id);
        if (dray_str_eq(domain, wanted_domain) && dray_str_eq(id, wanted_id))
            return true;
    }
    return false;
}

static bool is_constrained(const dray_resource_device_constraint *c, const dray_want *want) {
    bool named = c->requests.n == 0;
    for (size_t i = 0; i < c->requests.n && !named; i++) {
        dray_str r = c->requests.v[i];
        named = dray_str_eq(r, want->name) ||
                (want->name.n > r.n && dray_str_starts(want->name, r) && want->name.p[r.n] == '/');
    }
    return named;
}

/* Whether the request itself says how the attribute is derived. */
static bool derives(const dray_want *want, dray_str name) {
    for (size_t i = 0; i < want->n_derived; i++)
        if (dray_str_eq(want->derived[i].name, name))
            return true;
    return false;
}

/* A request whose usable devices have not the attribute of the constraint. */
static const dray_want *lacks_attribute(dray_trial *t, dray_str node,
                                        const dray_resource_claim *claim,
                                        const dray_resource_device_constraint *c, dray_str name) {
    for (size_t i = 0; i < t->wants.n; i++) {
        const dray_want *want = &t->wants.v[i];
        if (want->claim != claim || want->class == NULL || !is_constrained(c, want) ||
            derives(want, name))
            continue;
        dray_survey survey;
        dray_survey_node(t, node, want, &survey);
        size_t having = 0;
        for (size_t d = 0; d < survey.n; d++)
            having += survey.v[d].matches && has_attribute(&survey.v[d], name);
        if (having == 0 && survey.matching != 0)
            return want;
    }
    return NULL;
}

/* Whether the state lets the node have the devices: what else is in the way doesn't count. */
static bool has_devices(dray_trial *t, const dray_state *state, dray_str node) {
    dray_trial other;
    dray_trial_open(t->q, state, &other);
    int64_t at = dray_trial_node(&other, node);
    bool has = at >= 0 && other.answer.error.p == NULL &&
               (other.answer.nodes[at].feasible ||
                (other.answer.nodes[at].plugin != NULL &&
                 strcmp(other.answer.nodes[at].plugin, "DynamicResources") != 0));
    dray_trial_close(&other);
    return has;
}

static bool without_constraint_fits(dray_trial *t, dray_str node, const dray_resource_claim *claim,
                                    size_t index) {
    dray_offers offers = {0};
    dray_state *state = dray_offer_new(t, &offers, 1);
    dray_resource_device_claim *devices[2];
    size_t n = dray_offer_claim(t, state, claim, devices);
    for (size_t i = 0; i < n; i++) {
        if (index == SIZE_MAX) {
            devices[i]->constraints.n = 0;
            continue;
        }
        if (index >= devices[i]->constraints.n)
            continue;
        memmove(&devices[i]->constraints.v[index], &devices[i]->constraints.v[index + 1],
                (devices[i]->constraints.n - index - 1) * sizeof *devices[i]->constraints.v);
        devices[i]->constraints.n--;
    }
    return has_devices(t, state, node);
}

/* A constraint of the claim: one whose attribute is not there, or (not absent) without which, or
 * without all of them, the devices would do. */
static bool blame_constraint(dray_trial *t, dray_str node, const dray_resource_claim *claim,
                             bool absent, dray_finding *ret) {
    size_t n = claim->spec->devices->constraints.n;
    for (size_t i = 0; i < (absent ? n : 2 * n); i++) {
        const dray_resource_device_constraint *c = &claim->spec->devices->constraints.v[i % n];
        dray_str name = c->match_attribute.n != 0 ? c->match_attribute : c->distinct_attribute;
        const dray_want *want = absent ? lacks_attribute(t, node, claim, c, name) : NULL;
        bool hit = want != NULL;
        if (!absent && (i < n || n > 1))
            hit = without_constraint_fits(t, node, claim, i < n ? i : SIZE_MAX);
        if (!hit)
            continue;
        for (size_t k = 0; k < t->wants.n && want == NULL; k++)
            if (t->wants.v[k].claim == claim && is_constrained(c, &t->wants.v[k]))
                want = &t->wants.v[k];
        *ret = (dray_finding){.cause = absent ? DRAY_CAUSE_CONSTRAINT_ATTRIBUTE_ABSENT
                                              : DRAY_CAUSE_CONSTRAINT_UNSATISFIED,
                              .subject = name,
                              .node = node,
                              .want = want,
                              .index = i % n};
        if (want != NULL) {
            ret->claim = want->claim_name;
            ret->request = want->name;
        }
        return true;
    }
    return false;
}

static bool blame_constraints(dray_trial *t, dray_str node, bool absent, dray_finding *ret) {
    const dray_resource_claim *last = NULL;
    for (size_t i = 0; i < t->wants.n; i++) {
        if (t->wants.v[i].claim == NULL || t->wants.v[i].claim == last)
            continue;
        last = t->wants.v[i].claim;
        if (blame_constraint(t, node, last, absent, ret))
            return true;
    }
    return false;
}

static bool has_devices_without(dray_trial *t, dray_str node,
                                const dray_resource_claim *const *claims, size_t n) {
    dray_offers offers = {0};
    dray_state *state = dray_offer_new(t, &offers, 1);
    for (size_t i = 0; i < n; i++)
        dray_offer_free_claim(t, state, claims[i]);
    return has_devices(t, state, node);
}

/* Others whose devices would do, together with those that are free. */
static bool blame_everyone(dray_trial *t, dray_str node, const dray_want *want, dray_finding *ret) {
    const dray_resource_claim *claims[HOLDERS_MAX];
    size_t n = dray_claims_in_the_way(t, node, want, claims, HOLDERS_MAX), first = 0;
    if (n == 0 || !has_devices_without(t, node, claims, n))
        return false;
    while (first < n && !has_devices_without(t, node, &claims[first], 1))
        first++;
    bool alone = first < n;
    const dray_resource_claim *holder = claims[alone ? first : 0];
    dray_survey survey;
    dray_survey_node(t, node, want, &survey);
    *ret = (dray_finding){.claim = want->claim_name,
                          .request = want->name,
                          .node = node,
                          .want = want,
                          .weight = alone ? (double)dray_claim_users(t, holder) : (double)n,
                          .count = (uint32_t)survey.by_stage[DRAY_STAGE_IN_USE],
                          .of = (uint32_t)survey.n};
    name_holder(t, holder, ret);
    return true;
}

/* Where a constraint ties devices together, not any holder will do: one that alone is enough. */
static void prefer_sufficient(dray_trial *t, dray_finding *ret) {
    const dray_resource_claim *claims[HOLDERS_MAX];
    bool held = ret->cause == DRAY_CAUSE_IN_USE || ret->cause == DRAY_CAUSE_IN_USE_LEAKED;
    if (!held || ret->want->claim == NULL || ret->want->claim->spec->devices->constraints.n == 0)
        return;
    size_t n = dray_claims_in_the_way(t, ret->node, ret->want, claims, SUFFICIENT_TRIED);
    for (size_t i = 0; i < n; i++) {
        if (!has_devices_without(t, ret->node, &claims[i], 1))
            continue;
        name_holder(t, claims[i], ret);
        ret->weight = (double)dray_claim_users(t, claims[i]);
        return;
    }
}

static bool claim_elsewhere(dray_trial *t, dray_str node, dray_finding *ret) {
    const dray_core_node *body =
        dray_cluster_find(t->cluster, &dray_type_core_node, DRAY_STR(""), node);
    for (size_t i = 0; i < t->claims.n; i++) {
        const dray_pod_claim *c = &t->claims.v[i];
        const dray_resource_allocation_result *a =
            c->claim != NULL ? c->claim->status->allocation : NULL;
        if (a == NULL || a->node_selector == NULL ||
            dray_node_selector_match(a->node_selector, body))
            continue;
        *ret = (dray_finding){.cause = DRAY_CAUSE_CLAIM_ON_OTHER_NODE,
                              .node = node,
                              .weight = FAR_CLAIM,
                              .pod_claim = c};
        ret->claim = ret->subject = dray_words_key(t->q->input->ns, c->name, t->q->arena);
        return true;
    }
    return false;
}

static bool same_request(const dray_want *a, const dray_want *b) {
    return a->claim == b->claim && a->request == b->request && a->sub != SIZE_MAX &&
           b->sub != SIZE_MAX;
}

/* The request that is farthest from being served; of its alternatives the nearest. */
static bool blame_one(dray_trial *t, dray_str node, dray_finding *ret) {
    bool any = false;
    for (size_t i = 0; i < t->wants.n;) {
        dray_finding best = {0}, found;
        bool served = false, blamed = false;
        size_t k = i;
        do {
            if (t->wants.v[k].class == NULL || !blame_want(t, node, &t->wants.v[k], &found))
                served = true;
            else if (!blamed || found.weight < best.weight)
                best = found;
            blamed = true;
            k++;
        } while (k < t->wants.n && same_request(&t->wants.v[k], &t->wants.v[k - 1]));
        if (!served && (!any || best.weight > ret->weight)) {
            *ret = best;
            any = true;
        }
        i = k;
    }
    return any;
}

bool dray_find_devices(dray_trial *t, size_t node, dray_finding *ret) {
    dray_str name = t->answer.nodes[node].name;
    if (claim_elsewhere(t, name, ret))
        return true;
    if (blame_one(t, name, ret)) {
        prefer_sufficient(t, ret);
        return true;
    }
    if (blame_constraints(t, name, true, ret))
        return true;
    for (size_t i = 0; i < t->wants.n; i++)
        if (t->wants.v[i].class != NULL && blame_everyone(t, name, &t->wants.v[i], ret))
            return true;
    if (blame_constraints(t, name, false, ret))
        return true;
    *ret = (dray_finding){.cause = DRAY_CAUSE_TOO_FEW_DEVICES, .node = name, .weight = FAR_DEVICE};
    if (t->wants.n == 0) {
        ret->cause = DRAY_CAUSE_OTHER;
        ret->subject = t->answer.nodes[node].n_reasons != 0 ? t->answer.nodes[node].reasons[0]
                                                            : DRAY_STR("DynamicResources");
        return true;
    }
    const dray_want *want = &t->wants.v[t->wants.n - 1];
    ret->claim = want->claim_name;
    ret->request = ret->subject = want->name;
    /* Each can be served and all together not: less of any of them may do. */
    ret->want = t->wants.n == 1 ? want : NULL;
    ret->weight = t->wants.n == 1 ? FAR_DEVICE : 2 * FAR_CLAIM;
    return true;
}
