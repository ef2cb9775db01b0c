/* Fixes on the devices' side: slices, pools, taints, more devices, devices set free. */
#include "explain/selector_int.h"
#include "explain/survey_int.h"

#include "api/engine.h"

enum { NODES_TRIED = 8, CLAIMS_MAX = 16, NEW_DEVICES_MAX = 32 };

static dray_resource_slice *edit_slice(dray_trial *t, dray_state *state, dray_str name) {
    return dray_state_edit(t->q, state, &dray_type_resource_slice, DRAY_STR(""), name);
}

static bool in_pool(const dray_resource_slice *slice, const dray_finding *f) {
    return dray_str_eq(slice->spec->driver, f->driver) &&
           dray_str_eq(slice->spec->pool->name, f->pool);
}

typedef struct pool {
    const dray_resource_slice *v[64];
    size_t n;
    int64_t generation, count; /* the newest, and what it says of how many there are */
} pool;

static pool pool_of(const dray_trial *t, const dray_finding *f) {
    pool p = {.generation = INT64_MIN};
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        if (in_pool(slice, f) && slice->spec->pool->generation > p.generation)
            p.generation = slice->spec->pool->generation;
    }
    for (size_t i = 0; i < slices.n && p.n < DRAY_COUNT(p.v); i++) {
        const dray_resource_slice *slice = slices.v[i];
        if (!in_pool(slice, f) || slice->spec->pool->generation != p.generation)
            continue;
        p.v[p.n++] = slice;
        if (slice->spec->pool->resource_slice_count > p.count)
            p.count = slice->spec->pool->resource_slice_count;
    }
    return p;
}

void dray_fix_make_COMPLETE_POOL(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    pool p = pool_of(t, f);
    if (p.n == 0 || p.count <= (int64_t)p.n || p.count - (int64_t)p.n > NEW_DEVICES_MAX)
        return;
    dray_state *state = dray_offer_new(t, ret, 1);
    for (int64_t i = (int64_t)p.n; i < p.count; i++) {
        dray_str name = dray_strf(t->q->arena, DRAY_FMT "-missing-%d",
                                  DRAY_ARG(p.v[0]->metadata->name), (int)i);
        dray_resource_slice *slice =
            dray_state_add(t->q, state, &dray_type_resource_slice, DRAY_STR(""), name);
        dray_api_copy_into(&dray_type_resource_slice_spec, slice->spec, p.v[0]->spec, t->q->arena);
        slice->spec->devices.n = 0;
        slice->spec->devices.v = NULL;
        slice->spec->shared_counters.n = 0;
        slice->spec->shared_counters.v = NULL;
    }
}

/* Takes devices out that an earlier slice of the pool has too. */
static void offer_without_doubles(dray_trial *t, const pool *p, dray_offers *ret) {
    dray_state *state = dray_offer_new(t, ret, 1);
    dray_map seen = dray_map_new(t->q->arena);
    bool any = false;
    for (size_t i = 0; i < p->n; i++) {
        dray_resource_slice *own = NULL;
        for (size_t k = p->v[i]->spec->devices.n; k-- > 0;) {
            dray_str name = p->v[i]->spec->devices.v[k].name;
            if (dray_map_put(&seen, name, t) == NULL)
                continue;
            if (own == NULL)
                own = edit_slice(t, state, p->v[i]->metadata->name);
            memmove(&own->spec->devices.v[k], &own->spec->devices.v[k + 1],
                    (own->spec->devices.n - k - 1) * sizeof *own->spec->devices.v);
            own->spec->devices.n--;
            any = true;
        }
    }
    if (!any)
        ret->list.n--;
}

static void offer_count(dray_trial *t, const pool *p, dray_offers *ret) {
    dray_state *state = dray_offer_new(t, ret, 1);
    for (size_t i = 0; i < p->n; i++)
        edit_slice(t, state, p->v[i]->metadata->name)->spec->pool->resource_slice_count =
            (int64_t)p->n;
}

/* Every other device gets the attribute with a value that one has. */
static void offer_attribute(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    const dray_resource_device_attribute *value = NULL;
    dray_str wanted_domain, wanted_id, domain, id;
    if (!dray_str_cut(f->subject, '/', &wanted_domain, &wanted_id))
        return;
    for (int round = 0; round < 2; round++) {
        dray_state *state = round == 1 && value != NULL ? dray_offer_new(t, ret, 2) : NULL;
        for (size_t i = 0; i < slices.n; i++) {
            const dray_resource_slice *slice = slices.v[i];
            dray_resource_slice *own = NULL;
            for (size_t d = 0; d < slice->spec->devices.n; d++) {
                const dray_resource_device *device = &slice->spec->devices.v[d];
                bool has = false;
                for (size_t a = 0; a < device->attributes.n; a++) {
                    dray_celk8s_split_name(device->attributes.k[a], slice->spec->driver, &domain,
                                           &id);
                    if (!dray_str_eq(domain, wanted_domain) || !dray_str_eq(id, wanted_id))
                        continue;
                    has = true;
                    value = value == NULL ? &device->attributes.v[a] : value;
                }
                if (has || state == NULL || !dray_str_eq(slice->spec->driver, wanted_domain))
                    continue;
                own = own == NULL ? edit_slice(t, state, slice->metadata->name) : own;
                dray_selector_set_attribute(t->q, &own->spec->devices.v[d], wanted_id, value);
            }
        }
    }
}

/* The slice's devices on a node that there is. */
static void offer_node_of_slice(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    for (size_t i = 0; i < t->answer.n_nodes && i < NODES_TRIED; i++) {
        dray_resource_slice *own =
            edit_slice(t, dray_offer_new(t, ret, 1), f->slice->metadata->name);
        own->spec->node_name = dray_str_dup(t->q->arena, t->answer.nodes[i].name);
        own->spec->node_selector = NULL;
        own->spec->all_nodes = (dray_opt_bool){0};
        own->spec->per_device_node_selection = (dray_opt_bool){0};
    }
}

void dray_fix_make_CORRECT_SLICE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->cause == DRAY_CAUSE_ATTRIBUTE_PARTIAL) {
        offer_attribute(t, f, ret);
        return;
    }
    if (f->cause == DRAY_CAUSE_DEVICES_REACH_NO_NODE) {
        offer_node_of_slice(t, f, ret);
        return;
    }
    pool p = pool_of(t, f);
    if (f->cause == DRAY_CAUSE_POOL_INVALID)
        offer_without_doubles(t, &p, ret);
    offer_count(t, &p, ret);
}

/* --- more devices --- */

/* A device that the want matches, wherever it is; NULL when there is none. */
static const dray_resource_device *model_of(dray_trial *t, const dray_want *want,
                                            dray_str *ret_driver) {
    for (size_t i = 0; i < t->answer.n_nodes; i++) {
        dray_survey survey;
        dray_survey_node(t, t->answer.nodes[i].name, want, &survey);
        for (size_t d = 0; d < survey.n; d++)
            if (survey.v[d].matches) {
                *ret_driver = survey.v[d].slice->body->spec->driver;
                return survey.v[d].device;
            }
    }
    return NULL;
}

/* Copies a published device of the driver that the class is true for. */
static void start_from_published(dray_trial *t, const dray_want *want, dray_str driver,
                                 dray_resource_device *device) {
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    const dray_resource_device_class_spec *class = want->class->spec;
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        if (!dray_str_eq(slice->spec->driver, driver) || slice->spec->devices.n == 0)
            continue;
        const dray_resource_device *one = &slice->spec->devices.v[0];
        bool is_of_class = true;
        for (size_t k = 0; k < class->selectors.n && is_of_class; k++)
            is_of_class = class->selectors.v[k].cel == NULL ||
                          dray_selector_match(t->q, class->selectors.v[k].cel->expression, driver,
                                              one, NULL) == DRAY_CELK8S_TRUE;
        if (!is_of_class)
            continue;
        dray_api_copy_into(&dray_type_resource_device, device, one, t->q->arena);
        return;
    }
}

/* A device made up so that the want's selectors are true. */
static const dray_resource_device *invent(dray_trial *t, const dray_want *want,
                                          dray_str *ret_driver) {
    dray_resource_device *device = dray_api_new(&dray_type_resource_device, t->q->arena);
    const dray_resource_device_class_spec *class = want->class->spec;
    *ret_driver = DRAY_STR_NONE;
    for (size_t i = 0; i < class->selectors.n + want->n_selectors; i++) {
        const dray_resource_device_selector *s = i < class->selectors.n
                                                     ? &class->selectors.v[i]
                                                     : &want->selectors[i - class->selectors.n];
        dray_str driver =
            s->cel != NULL ? dray_selector_driver(t->q, s->cel->expression) : DRAY_STR_NONE;
        if (driver.n != 0)
            *ret_driver = driver;
    }
    if (ret_driver->n == 0)
        *ret_driver = want->class_name;
    start_from_published(t, want, *ret_driver, device);
    for (size_t i = 0; i < class->selectors.n; i++)
        if (class->selectors.v[i].cel != NULL)
            dray_selector_satisfy(t->q, class->selectors.v[i].cel->expression, *ret_driver, device);
    for (size_t i = 0; i < want->n_selectors; i++)
        if (want->selectors[i].cel != NULL)
            dray_selector_satisfy(t->q, want->selectors[i].cel->expression, *ret_driver, device);
    return device;
}

/* At least as much of each capacity as the want asks for. */
static void enlarge(dray_trial *t, const dray_want *want, dray_resource_device *device) {
    for (size_t i = 0; want->capacity != NULL && i < want->capacity->requests.n; i++) {
        dray_str name = want->capacity->requests.k[i];
        dray_quantity value = want->capacity->requests.v[i];
        dray_resource_device_capacity *c = NULL;
        for (size_t k = 0; k < device->capacity.n && c == NULL; k++)
            if (dray_str_eq(device->capacity.k[k], name))
                c = &device->capacity.v[k];
        if (c == NULL) {
            dray_selector_set_capacity(t->q, device, name, value);
        } else if (dray_quantity_cmp(c->value, value) < 0) {
            c->value = value;
            c->request_policy = NULL;
        }
    }
}

static void add_slice(dray_trial *t, dray_state *state, dray_str node, dray_str driver,
                      const dray_resource_device *model, const dray_want *want, size_t n) {
    node = dray_str_dup(t->q->arena, node);
    dray_str name =
        dray_strf(t->q->arena, DRAY_FMT "-" DRAY_FMT "-added", DRAY_ARG(node), DRAY_ARG(driver));
    dray_str pool_name = dray_strf(t->q->arena, DRAY_FMT "-added", DRAY_ARG(node));
    while (dray_state_find(state, &dray_type_resource_slice, DRAY_STR(""), name) != NULL) {
        name = dray_strf(t->q->arena, DRAY_FMT "-more", DRAY_ARG(name));
        pool_name = dray_strf(t->q->arena, DRAY_FMT "-more", DRAY_ARG(pool_name));
    }
    dray_resource_slice *slice =
        dray_state_add(t->q, state, &dray_type_resource_slice, DRAY_STR(""), name);
    slice->spec->driver = driver;
    slice->spec->node_name = node;
    slice->spec->pool->name = pool_name;
    slice->spec->pool->generation = 1;
    slice->spec->pool->resource_slice_count = 1;
    slice->spec->devices.v = DRAY_NEW_N(t->q->arena, dray_resource_device, n);
    slice->spec->devices.n = n;
    for (size_t i = 0; i < n; i++) {
        dray_resource_device *d = &slice->spec->devices.v[i];
        dray_api_copy_into(&dray_type_resource_device, d, model, t->q->arena);
        d->name = dray_strf(t->q->arena, "added-%zu", i);
        d->consumes_counters.n = 0;
        d->taints.n = 0;
        d->node_name = DRAY_STR_NONE;
        d->node_selector = NULL;
        d->all_nodes = (dray_opt_bool){0};
        enlarge(t, want, d);
    }
}

/* A node where only devices are missing; all nodes where there is none. Where something else of a
 * node is short, the device goes elsewhere. */
static bool is_worth_it(const dray_trial *t, const dray_plan_node_answer *node,
                        const dray_finding *f) {
    if (f->node.n != 0 && f->cause != DRAY_CAUSE_NODE_RESOURCES)
        return dray_str_eq(node->name, f->node);
    bool any = false;
    for (size_t i = 0; i < t->answer.n_nodes; i++)
        any |= strcmp(t->answer.nodes[i].plugin != NULL ? t->answer.nodes[i].plugin
                                                        : "DynamicResources",
                      "DynamicResources") == 0;
    return !any || node->plugin == NULL || strcmp(node->plugin, "DynamicResources") == 0;
}

static bool publishes(const dray_trial *t, dray_str node, dray_str driver) {
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        if (dray_str_eq(slice->spec->node_name, node) && dray_str_eq(slice->spec->driver, driver))
            return true;
    }
    return false;
}

/* A device like those that the want is true for, published or made up. */
static const dray_resource_device *model_for(dray_trial *t, const dray_want *want,
                                             dray_str *ret_driver) {
    const dray_resource_device *model = model_of(t, want, ret_driver);
    return model != NULL ? model : invent(t, want, ret_driver);
}

static size_t asked_by(const dray_want *want) {
    return want->all || want->count <= 0 ? 1 : (size_t)want->count;
}

/* Devices for all requests at once, of alternatives for the first: where several are short. */
static void offer_for_all(dray_trial *t, dray_str node, dray_offers *ret) {
    dray_state *state = dray_offer_new(t, ret, 2 + (uint32_t)t->wants.n);
    for (size_t i = 0; i < t->wants.n; i++) {
        const dray_want *want = &t->wants.v[i];
        bool later = i > 0 && want->sub != SIZE_MAX && want->claim == t->wants.v[i - 1].claim &&
                     want->request == t->wants.v[i - 1].request;
        if (later || want->class == NULL || asked_by(want) > NEW_DEVICES_MAX)
            continue;
        dray_str driver;
        const dray_resource_device *model = model_for(t, want, &driver);
        add_slice(t, state, node, driver, model, want, asked_by(want));
    }
}

void dray_fix_make_ADD_DEVICE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_want *want = f->want;
    if (f->cause == DRAY_CAUSE_NODE_RESOURCES && dray_str_chr(f->subject, '/') != SIZE_MAX)
        dray_offer_more_of_node(t, f, ret);
    for (size_t i = 0; i < t->wants.n && want == NULL; i++)
        want = &t->wants.v[i];
    if (want == NULL || want->class == NULL || asked_by(want) > NEW_DEVICES_MAX)
        return;
    dray_str driver;
    const dray_resource_device *model = model_for(t, want, &driver);
    for (size_t k = 0, tried = 0; k < 2 * t->answer.n_nodes && tried < NODES_TRIED; k++) {
        size_t i = k % t->answer.n_nodes;
        if (!is_worth_it(t, &t->answer.nodes[i], f) ||
            publishes(t, t->answer.nodes[i].name, driver) != (k < t->answer.n_nodes))
            continue;
        add_slice(t, dray_offer_new(t, ret, 2), t->answer.nodes[i].name, driver, model, want,
                  asked_by(want));
        tried++;
    }
    for (size_t i = 0, tried = 0;
         t->wants.n > 1 && i < t->answer.n_nodes && tried < NODES_TRIED / 2; i++)
        if (is_worth_it(t, &t->answer.nodes[i], f)) {
            offer_for_all(t, t->answer.nodes[i].name, ret);
            tried++;
        }
}

/* --- devices set free --- */

void dray_fix_make_FREE_DEVICE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->want == NULL)
        return;
    const dray_resource_claim *claims[CLAIMS_MAX];
    size_t n = dray_claims_in_the_way(t, f->node, f->want, claims, CLAIMS_MAX);
    for (size_t i = 0; i < n; i++)
        dray_offer_free_claim(t, dray_offer_new(t, ret, 1), claims[i]);
    for (size_t many = 2; many <= n; many++) {
        dray_state *state = dray_offer_new(t, ret, 1);
        for (size_t i = 0; i < many; i++)
            dray_offer_free_claim(t, state, claims[i]);
    }
}

/* --- taints --- */

static size_t without_taint(dray_resource_slice *slice, dray_str key) {
    size_t removed = 0;
    for (size_t d = 0; d < slice->spec->devices.n; d++) {
        dray_resource_device *device = &slice->spec->devices.v[d];
        size_t n = 0;
        for (size_t i = 0; i < device->taints.n; i++)
            if (!dray_str_eq(device->taints.v[i].key, key))
                device->taints.v[n++] = device->taints.v[i];
        removed += device->taints.n - n;
        device->taints.n = n;
    }
    return removed;
}

static bool has_taint(const dray_resource_slice *slice, dray_str key) {
    for (size_t d = 0; d < slice->spec->devices.n; d++)
        for (size_t i = 0; i < slice->spec->devices.v[d].taints.n; i++)
            if (dray_str_eq(slice->spec->devices.v[d].taints.v[i].key, key))
                return true;
    return false;
}

void dray_fix_make_UNTAINT_DEVICE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_cluster_list rules = dray_cluster_all(t->cluster, &dray_type_resource_device_taint_rule);
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (int all = 0; all < 2; all++) {
        dray_state *state = dray_offer_new(t, ret, 1 + (uint32_t)all);
        for (size_t i = 0; i < slices.n; i++) {
            const dray_resource_slice *slice = slices.v[i];
            if ((all == 0 && !in_pool(slice, f)) || !has_taint(slice, f->subject))
                continue;
            (void)without_taint(edit_slice(t, state, slice->metadata->name), f->subject);
        }
        for (size_t i = 0; i < rules.n; i++) {
            const dray_resource_device_taint_rule *rule = rules.v[i];
            if (rule->spec->taint != NULL && dray_str_eq(rule->spec->taint->key, f->subject))
                dray_state_remove(t->q, state, &dray_type_resource_device_taint_rule, DRAY_STR(""),
                                  rule->metadata->name);
        }
    }
}
