/* The devices of a node as a request sees them: what stands between each and its use. */
#include "alloc/capacity.h"
#include "explain/survey_int.h"

static bool bit(const uint64_t *bits, size_t i) {
    return bits[i / 64] >> (i % 64) & 1;
}

static bool selected(dray_trial *t, const dray_resource_device_selector *selectors, size_t n,
                     dray_surveyed *d) {
    for (size_t i = 0; i < n; i++) {
        if (selectors[i].cel == NULL)
            continue;
        dray_str expression = selectors[i].cel->expression;
        dray_celk8s_answer answer =
            dray_selector_published(t->q, expression, d->pool->driver, d->device);
        if (answer == DRAY_CELK8S_TRUE)
            continue;
        d->about = expression;
        d->failed = answer == DRAY_CELK8S_ERROR;
        return false;
    }
    return true;
}

static bool tolerates(const dray_want *want, const dray_resource_device_taint *taint) {
    for (size_t i = 0; i < want->n_tolerations; i++) {
        const dray_resource_device_toleration *t = &want->tolerations[i];
        if ((t->effect.n != 0 && !dray_str_eq(t->effect, taint->effect)) ||
            (t->key.n != 0 && !dray_str_eq(t->key, taint->key)))
            continue;
        if (dray_str_is(t->operator, "Exists") || dray_str_eq(t->value, taint->value))
            return true;
    }
    return dray_str_is(taint->effect, "None");
}

static void hinder(dray_surveyed *d, dray_stage stage, dray_str about) {
    if (d->obstacles++ == 0) {
        d->stage = stage;
        d->about = about;
    }
}

static void look_at_taints(dray_trial *t, const dray_want *want, size_t i, dray_surveyed *d) {
    if (!dray_gates_on(&t->state->gates, DRAY_GATE_DRADeviceTaints) || !bit(d->slice->tainted, i))
        return;
    for (size_t k = 0; k < d->slice->taints[i].n; k++)
        if (!tolerates(want, d->slice->taints[i].v[k])) {
            hinder(d, DRAY_STAGE_TAINT, d->slice->taints[i].v[k]->key);
            return;
        }
}

static dray_amount consumed_of(const dray_held *held, dray_str name) {
    for (uint32_t i = 0; i < held->n_consumed; i++)
        if (dray_str_eq(held->consumed[i].name, name))
            return held->consumed[i].amount;
    return 0;
}

/* The requested capacity that the device hasn't, and why. */
static void look_at_capacity(dray_trial *t, const dray_want *want, size_t i, dray_surveyed *d) {
    const dray_resource_device *device = d->device;
    bool fractional = dray_gates_on(&t->state->gates, DRAY_GATE_DRAFractionalCapacityRange);
    if (!dray_gates_on(&t->state->gates, DRAY_GATE_DRAConsumableCapacity))
        return;
    dray_amount *amounts = NULL;
    dray_str about = want->capacity != NULL && want->capacity->requests.n != 0
                         ? want->capacity->requests.k[0]
                         : DRAY_STR_NONE;
    dray_room room =
        dray_capacity_check(want->capacity, device, fractional, t->q->arena, &amounts, NULL);
    if (room != DRAY_ROOM_YES) {
        d->policy = room == DRAY_ROOM_POLICY;
        hinder(d, DRAY_STAGE_CAPACITY, about);
        return;
    }
    if (amounts == NULL || !bit(d->slice->multi, i))
        return;
    for (size_t k = 0; k < device->capacity.n; k++) {
        dray_amount left = dray_amount_of(device->capacity.v[k].value) -
                           consumed_of(d->slice->held[i], device->capacity.k[k]);
        if (amounts[k] > left) {
            hinder(d, DRAY_STAGE_EXHAUSTED, device->capacity.k[k]);
            return;
        }
    }
}

static void look_at_counters(const dray_pool_view *pool, size_t slice, size_t i, dray_surveyed *d) {
    if (pool->draws == NULL || pool->available == NULL || bit(d->slice->in_use, i))
        return;
    dray_draws draws = pool->draws[slice][i];
    for (size_t k = 0; k < draws.n; k++)
        if (draws.v[k].amount > pool->available[draws.v[k].counter]) {
            hinder(d, DRAY_STAGE_COUNTERS, pool->counters[draws.v[k].counter].set);
            return;
        }
}

typedef dray_resource_device_counter_consumption consumption;

/* Whether two that draw on one counter set may be in use together: both name no groups, or they
 * have one in common. */
static bool go_together(const consumption *a, const consumption *b) {
    if (a->compatibility_groups.n == 0 || b->compatibility_groups.n == 0)
        return a->compatibility_groups.n == b->compatibility_groups.n;
    for (size_t i = 0; i < a->compatibility_groups.n; i++)
        for (size_t k = 0; k < b->compatibility_groups.n; k++)
            if (dray_str_eq(a->compatibility_groups.v[i], b->compatibility_groups.v[k]))
                return true;
    return false;
}

static bool clashes(const dray_pool_view *pool, const consumption *c) {
    for (size_t s = 0; s < pool->n_slices; s++)
        for (size_t i = 0; i < pool->slices[s]->n_devices; i++) {
            const dray_held *held = pool->slices[s]->held[i];
            const dray_resource_device *other = &pool->slices[s]->body->spec->devices.v[i];
            for (size_t k = 0;
                 (held->exclusive | held->shares) != 0 && k < other->consumes_counters.n; k++)
                if (dray_str_eq(other->consumes_counters.v[k].counter_set, c->counter_set) &&
                    !go_together(&other->consumes_counters.v[k], c))
                    return true;
        }
    return false;
}

static void look_at_groups(dray_trial *t, const dray_pool_view *pool, dray_surveyed *d, size_t i) {
    if (!dray_gates_on(&t->state->gates, DRAY_GATE_DRADeviceCompatibilityGroups) ||
        bit(d->slice->in_use, i))
        return;
    for (size_t k = 0; k < d->device->consumes_counters.n; k++)
        if (clashes(pool, &d->device->consumes_counters.v[k])) {
            hinder(d, DRAY_STAGE_COUNTERS, d->device->consumes_counters.v[k].counter_set);
            return;
        }
}

static void look(dray_trial *t, const dray_want *want, const dray_pool_view *pool, size_t s,
                 size_t i, dray_surveyed *d) {
    const dray_resource_device_class_spec *class = want->class != NULL ? want->class->spec : NULL;
    d->stage = DRAY_STAGE_CLASS;
    if (class == NULL || !selected(t, class->selectors.v, class->selectors.n, d))
        return;
    d->stage = DRAY_STAGE_REQUEST;
    if (!selected(t, want->selectors, want->n_selectors, d))
        return;
    d->stage = DRAY_STAGE_USABLE;
    d->matches = true;
    if (pool->state != DRAY_POOL_READY) {
        hinder(d, DRAY_STAGE_POOL, DRAY_STR_NONE);
        return;
    }
    if (!dray_gates_on(&t->state->gates, DRAY_GATE_DRAPartitionableDevices) &&
        bit(d->slice->counters, i))
        hinder(d, DRAY_STAGE_GATE, DRAY_STR("DRAPartitionableDevices"));
    if (bit(d->slice->binding, i) &&
        !dray_gates_on(&t->state->gates, DRAY_GATE_DRADeviceBindingConditions))
        hinder(d, DRAY_STAGE_GATE, DRAY_STR("DRADeviceBindingConditions"));
    look_at_taints(t, want, i, d);
    if (want->admin)
        return;
    bool multi = bit(d->slice->multi, i);
    if (bit(d->slice->in_use, i) || (!multi && bit(d->slice->shared, i)))
        hinder(d, DRAY_STAGE_IN_USE, DRAY_STR_NONE);
    look_at_capacity(t, want, i, d);
    look_at_counters(pool, s, i, d);
    look_at_groups(t, pool, d, i);
}

static void survey_slice(dray_trial *t, const dray_want *want, const dray_pool_view *pool, size_t s,
                         dray_slice *slice, const uint64_t *reach, dray_survey *ret) {
    dray_cluster_refresh(t->cluster, slice);
    for (size_t i = 0; i < slice->n_devices; i++) {
        if (reach != NULL && (reach[i / 64] >> (i % 64) & 1) == 0)
            continue;
        dray_surveyed *d = &ret->v[ret->n++];
        *d = (dray_surveyed){
            .slice = slice, .pool = pool, .device = &slice->body->spec->devices.v[i]};
        look(t, want, pool, s, i, d);
        ret->by_stage[d->stage]++;
        ret->matching += d->matches;
    }
}

static size_t count_devices(const dray_view *view) {
    size_t n = 0;
    for (size_t p = 0; p < view->n_pools; p++)
        for (size_t s = 0; s < view->pools[p]->n_mine; s++)
            n += view->pools[p]->mine[s]->n_devices;
    return n;
}

void dray_survey_node(dray_trial *trial, dray_str node, const dray_want *want, dray_survey *ret) {
    *ret = (dray_survey){0};
    dray_cluster_node *n = dray_cluster_node_find(trial->cluster, node);
    dray_view *view;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = n != NULL && n->body != NULL
                         ? dray_cluster_view(trial->cluster, n, &view, &err)
                         : DRAY_E_NOT_FOUND;
    dray_err_done(&err);
    if (code != DRAY_OK)
        return;
    ret->v = DRAY_NEW_N(trial->q->arena, dray_surveyed, count_devices(view) + 1);
    for (size_t w = 0; w < view->n_words; w += view->words[w].slice->n_words) {
        const dray_view_word *word = &view->words[w];
        const dray_pool_view *pool = view->pools[word->pool];
        if (pool->state == DRAY_POOL_READY)
            survey_slice(trial, want, pool, word->index, word->slice, &view->reach[w], ret);
    }
    for (size_t p = 0; p < view->n_pools; p++)
        for (size_t s = 0; view->pools[p]->state != DRAY_POOL_READY && s < view->pools[p]->n_mine;
             s++)
            survey_slice(trial, want, view->pools[p], s, view->pools[p]->mine[s], NULL, ret);
}

bool dray_pool_contradicts(const dray_pool *pool) {
    int64_t newest = INT64_MIN, count = 0, n = 0;
    bool differ = false;
    for (size_t i = 0; i < pool->n_slices; i++) {
        const dray_resource_pool *p = pool->slices[i]->body->spec->pool;
        if (p->generation > newest) {
            newest = p->generation;
            count = p->resource_slice_count;
            n = 0;
            differ = false;
        }
        n += p->generation == newest;
        differ |= p->generation == newest && p->resource_slice_count != count;
    }
    return differ || n > count;
}

typedef struct holders {
    DRAY_VEC(const dray_resource_claim *) list;
} holders;

static bool holds(const dray_resource_device_request_allocation_result *r) {
    return !r->admin_access.set || !r->admin_access.v;
}

/* Who holds what of base, by device; made when it is first asked for. */
static void index_holders(dray_inquiry *q) {
    dray_arena *arena = q->arena;
    q->holders = dray_map_new(arena);
    for (size_t i = 0; i < q->base->n; i++) {
        const dray_resource_claim *claim = q->base->v[i].body;
        if (q->base->v[i].kind->type != &dray_type_resource_claim)
            continue;
        const dray_resource_allocation_result *a = claim->status->allocation;
        for (size_t k = 0; a != NULL && k < a->devices->results.n; k++) {
            const dray_resource_device_request_allocation_result *r = &a->devices->results.v[k];
            if (!holds(r))
                continue;
            dray_map_entry *e = dray_map_entry_of(
                &q->holders, dray_words_path(r->driver, r->pool, r->device, arena));
            if (e->value == NULL)
                e->value = DRAY_NEW(arena, holders);
            holders *h = e->value;
            if (h->list.n == 0 || h->list.v[h->list.n - 1] != claim)
                DRAY_PUSH(arena, &h->list, claim);
        }
    }
}

static bool has_device(const dray_resource_claim *claim, const dray_surveyed *d) {
    const dray_resource_allocation_result *a = claim->status->allocation;
    for (size_t k = 0; a != NULL && k < a->devices->results.n; k++) {
        const dray_resource_device_request_allocation_result *r = &a->devices->results.v[k];
        if (holds(r) && dray_str_eq(r->device, d->device->name) &&
            dray_str_eq(r->pool, d->pool->name) && dray_str_eq(r->driver, d->pool->driver))
            return true;
    }
    return false;
}

size_t dray_survey_holders(dray_trial *trial, const dray_surveyed *device,
                           const dray_resource_claim **ret, size_t max) {
    dray_inquiry *q = trial->q;
    if (q->holders.arena == NULL)
        index_holders(q);
    dray_arena_mark mark = dray_arena_save(q->arena);
    const holders *h =
        dray_map_find(&q->holders, dray_words_path(device->pool->driver, device->pool->name,
                                                   device->device->name, q->arena));
    dray_arena_release(q->arena, mark);
    size_t n = 0;
    for (size_t i = 0; h != NULL && i < h->list.n && n < max; i++) {
        const dray_meta_object_meta *meta = h->list.v[i]->metadata;
        if (dray_cluster_find(trial->cluster, &dray_type_resource_claim, meta->namespace,
                              meta->name) == h->list.v[i])
            ret[n++] = h->list.v[i];
    }
    for (size_t i = 0; i < trial->state->changes.n && n < max; i++) {
        dray_object object = trial->state->changes.v[i].object;
        if (object.kind->type == &dray_type_resource_claim && object.body != NULL &&
            has_device(object.body, device))
            ret[n++] = object.body;
    }
    return n;
}

/* A quantity of so many 10⁻⁹, in the form of like. */
static dray_quantity quantity_of(dray_amount amount, dray_quantity like) {
    dray_amount whole = amount / 1000000000;
    if (amount % 1000000000 != 0)
        return dray_quantity_from_milli((int64_t)(amount / 1000000), like.form);
    return dray_quantity_from_int((int64_t)whole, like.form);
}

bool dray_capacity_left(dray_trial *trial, const dray_surveyed *device, dray_str name,
                        dray_quantity *ret_left) {
    for (size_t k = 0; k < device->device->capacity.n; k++) {
        if (!dray_str_eq(device->device->capacity.k[k], name))
            continue;
        size_t i = (size_t)(device->device - device->slice->body->spec->devices.v);
        const dray_resource_device_capacity *c = &device->device->capacity.v[k];
        dray_amount used = consumed_of(device->slice->held[i], name);
        dray_amount left = dray_amount_of(c->value) - used;
        const dray_resource_capacity_request_policy *p = c->request_policy;
        *ret_left = used == 0 ? c->value : quantity_of(left, c->value);
        if (p == NULL)
            return left > 0;
        if (p->valid_range != NULL) {
            dray_amount min =
                p->valid_range->min != NULL ? dray_amount_of(*p->valid_range->min) : 0;
            dray_amount max =
                p->valid_range->max != NULL ? dray_amount_of(*p->valid_range->max) : left;
            dray_amount step =
                p->valid_range->step != NULL ? dray_amount_of(*p->valid_range->step) : 0;
            left = max < left ? max : left;
            if (left < min)
                return false;
            if (step > 0)
                left = min + (left - min) / step * step;
            *ret_left = quantity_of(left, c->value);
            return true;
        }
        bool any = p->valid_values.n == 0;
        for (size_t v = 0; v < p->valid_values.n; v++)
            if (dray_amount_of(p->valid_values.v[v]) <= left) {
                *ret_left = p->valid_values.v[v];
                any = true;
            }
        return any;
    }
    (void)trial;
    return false;
}
