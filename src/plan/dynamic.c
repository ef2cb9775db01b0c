/* DynamicResources: a Pod goes where all of its claims can be had. */
#include "plan/allocatable.h"
#include "plan/kinds.h"

#include "cluster/node_selector.h"

/* FirstAvailableDeviceRequestMaxSize of the API. */
enum { ALTERNATIVES_MAX = 8 };
#define OPTIONAL_OPERATIONS "DRAOptionalNodeOperations"

static bool on(const dray_plan_cycle *cycle, dray_gate gate) {
    return dray_gates_on(&cycle->world->gates, gate);
}

int dray_plan_dynamic_slot(void) {
    int slot = 0;
    while (dray_plan_plugins[slot] != &dray_plan_dynamic_resources)
        slot++;
    return slot;
}

static dray_plan_status pre_enqueue(dray_plan_cycle *cycle, int slot) {
    const dray_resource_claim **claims;
    size_t n;
    dray_str why;
    if (dray_plan_pod_claims(cycle->plan, cycle->pod->pod, cycle->arena, &claims, &n, &why))
        return DRAY_PLAN_STATUS_OK;
    return dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE, why);
}

static const dray_meta_condition *condition_of(const dray_resource_allocated_device_status *device,
                                               dray_str type) {
    for (size_t i = 0; i < device->conditions.n; i++)
        if (dray_str_eq(device->conditions.v[i].type, type))
            return &device->conditions.v[i];
    return NULL;
}

static bool is_true(const dray_resource_allocated_device_status *device, dray_str type) {
    const dray_meta_condition *c = condition_of(device, type);
    return c != NULL && dray_str_is(c->status, "True");
}

static const dray_resource_allocated_device_status *
status_of(const dray_resource_claim *claim,
          const dray_resource_device_request_allocation_result *result) {
    for (size_t i = 0; i < claim->status->devices.n; i++) {
        const dray_resource_allocated_device_status *d = &claim->status->devices.v[i];
        if (dray_str_eq(d->driver, result->driver) && dray_str_eq(d->pool, result->pool) &&
            dray_str_eq(d->device, result->device))
            return d;
    }
    return NULL;
}

typedef enum readiness { READY, NOT_YET, FAILED } readiness;

/* Whether the devices of an allocated claim are ready to bind (KEP-5007). */
static readiness ready(const dray_resource_claim *claim,
                       const dray_resource_allocation_result *allocation) {
    for (size_t i = 0; i < allocation->devices->results.n; i++) {
        const dray_resource_device_request_allocation_result *r =
            &allocation->devices->results.v[i];
        if (r->binding_conditions.n == 0)
            continue;
        const dray_resource_allocated_device_status *device = status_of(claim, r);
        if (device == NULL)
            return NOT_YET;
        for (size_t k = 0; k < r->binding_failure_conditions.n; k++)
            if (is_true(device, r->binding_failure_conditions.v[k]))
                return FAILED;
        for (size_t k = 0; k < r->binding_conditions.n; k++)
            if (!is_true(device, r->binding_conditions.v[k]))
                return NOT_YET;
    }
    return READY;
}

static bool timed_out(const dray_plan_cycle *cycle,
                      const dray_resource_allocation_result *allocation) {
    if (!allocation->allocation_timestamp.set)
        return false;
    dray_time limit = allocation->allocation_timestamp;
    limit.sec += DRAY_PLAN_BINDING_TIMEOUT_SEC;
    for (size_t i = 0; i < allocation->devices->results.n; i++)
        if (allocation->devices->results.v[i].binding_conditions.v != NULL)
            return dray_time_cmp(limit, cycle->plan->now) < 0;
    return false;
}

static dray_plan_status describe(dray_plan_cycle *cycle, dray_plan_claim *c) {
    c->allocation = c->claim->status->allocation;
    if (c->allocation == NULL)
        return DRAY_PLAN_STATUS_OK;
    dray_err err = DRAY_ERR_INIT;
    if (c->allocation->node_selector != NULL &&
        dray_node_selector_check(c->allocation->node_selector, DRAY_STR(""), &err) != DRAY_OK) {
        dray_plan_status status =
            dray_plan_status_of(cycle->plan, DRAY_PLAN_ERROR, dray_str_of(dray_err_text(&err)));
        dray_err_done(&err);
        return status;
    }
    for (size_t i = 0; i < c->allocation->devices->results.n; i++)
        c->needs_feature |= c->allocation->devices->results.v[i].skip_node_operations.n != 0;
    if (on(cycle, DRAY_GATE_DRADeviceBindingConditions) &&
        on(cycle, DRAY_GATE_DRAResourceClaimDeviceStatus)) {
        readiness r = ready(c->claim, c->allocation);
        c->blocked = r == FAILED || (r == NOT_YET && timed_out(cycle, c->allocation));
    }
    return DRAY_PLAN_STATUS_OK;
}

static dray_plan_status check_class(dray_plan_cycle *cycle, dray_str class, dray_str request) {
    dray_arena *arena = cycle->arena;
    if (class.n == 0)
        return dray_plan_status_of(
            cycle->plan, DRAY_PLAN_ERROR,
            dray_strf(arena, "request " DRAY_FMT ": unsupported request type", DRAY_ARG(request)));
    if (dray_cluster_find(cycle->plan->cluster, &dray_type_resource_device_class, DRAY_STR(""),
                          class) != NULL)
        return DRAY_PLAN_STATUS_OK;
    return dray_plan_status_of(
        cycle->plan, DRAY_PLAN_UNRESOLVABLE,
        dray_strf(arena, "request " DRAY_FMT ": device class " DRAY_FMT " does not exist",
                  DRAY_ARG(request), DRAY_ARG(class)));
}

static dray_plan_status check_request(dray_plan_cycle *cycle, const dray_resource_claim *claim,
                                      const dray_resource_device_request *request) {
    const dray_meta_object_meta *meta = claim->metadata;
    const char *why = "unknown request type";
    if (request->exactly != NULL)
        return check_class(cycle, request->exactly->device_class_name, request->name);
    if (request->first_available.n != 0 && on(cycle, DRAY_GATE_DRAPrioritizedList)) {
        for (size_t i = 0; i < request->first_available.n; i++) {
            const dray_resource_device_sub_request *sub = &request->first_available.v[i];
            dray_str name = dray_strf(cycle->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(request->name),
                                      DRAY_ARG(sub->name));
            dray_plan_status status = check_class(cycle, sub->device_class_name, name);
            if (status.code != DRAY_PLAN_OK)
                return status;
        }
        return DRAY_PLAN_STATUS_OK;
    }
    if (request->first_available.n != 0)
        why = "has subrequests, but the DRAPrioritizedList feature is disabled";
    return dray_plan_status_of(
        cycle->plan, DRAY_PLAN_UNRESOLVABLE,
        dray_strf(cycle->arena,
                  "resource claim " DRAY_FMT "/" DRAY_FMT ", request " DRAY_FMT ": %s",
                  DRAY_ARG(meta->namespace), DRAY_ARG(meta->name), DRAY_ARG(request->name), why));
}

static dray_plan_status check_claims(dray_plan_cycle *cycle, dray_plan_dynamic *state) {
    bool alternatives = false;
    for (size_t i = 0; i < state->n; i++) {
        dray_plan_claim *c = &state->claims[i];
        dray_plan_status status = describe(cycle, c);
        const dray_resource_device_claim *devices = c->claim->spec->devices;
        bool special = c->claim == state->extended;
        state->n_to_allocate += c->allocation == NULL;
        for (size_t k = 0; status.code == DRAY_PLAN_OK && k < devices->requests.n; k++) {
            alternatives |= devices->requests.v[k].first_available.n != 0;
            if (c->allocation == NULL && !special)
                status = check_request(cycle, c->claim, &devices->requests.v[k]);
        }
        if (status.code != DRAY_PLAN_OK)
            return status;
    }
    if (alternatives && on(cycle, DRAY_GATE_DRAPrioritizedList))
        state->points = DRAY_NEW_N(cycle->arena, int64_t, cycle->world->n_nodes);
    return DRAY_PLAN_STATUS_OK;
}

static dray_plan_status prefilter(dray_plan_cycle *cycle, int slot) {
    if (!on(cycle, DRAY_GATE_DynamicResourceAllocation))
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    dray_plan_dynamic *state = DRAY_NEW(cycle->arena, dray_plan_dynamic);
    cycle->state[slot] = state;
    const dray_resource_claim **user;
    dray_str why;
    if (!dray_plan_pod_claims(cycle->plan, cycle->pod->pod, cycle->arena, &user, &state->n_user,
                              &why))
        return dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE, why);
    dray_plan_find_extended(cycle, state);
    size_t n = state->n_user + (state->extended != NULL);
    if (n == 0)
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    state->claims = DRAY_NEW_N(cycle->arena, dray_plan_claim, n);
    for (size_t i = 0; i < n; i++)
        state->claims[i].claim = i < state->n_user ? user[i] : state->extended;
    state->n = n;
    dray_plan_status status = check_claims(cycle, state);
    if (status.code != DRAY_PLAN_OK)
        state->n = 0; /* as upstream: a rejected Pod has no claims to free afterwards */
    return status;
}

static bool declares(const dray_plan_node *node) {
    for (size_t i = 0; i < node->node->status->declared_features.n; i++)
        if (dray_str_is(node->node->status->declared_features.v[i], OPTIONAL_OPERATIONS))
            return true;
    return false;
}

static bool is_available(const dray_plan_claim *c, const dray_plan_node *node) {
    if (c->allocation == NULL)
        return true;
    if (c->allocation->node_selector != NULL &&
        !dray_node_selector_match(c->allocation->node_selector, node->node))
        return false;
    return !(c->needs_feature && !declares(node)) && !c->blocked;
}

/* The score of what claim got: 8 points for a first alternative, one less for each after it. */
static int64_t points_of(const dray_resource_claim *claim,
                         const dray_resource_allocation_result *allocation,
                         const uint32_t **chosen) {
    int64_t sum = 0;
    const dray_resource_device_claim *devices = claim->spec->devices;
    for (size_t i = 0; i < devices->requests.n; i++) {
        const dray_resource_device_request *request = &devices->requests.v[i];
        uint32_t taken = allocation == NULL ? *(*chosen)++ : UINT32_MAX;
        if (request->exactly != NULL || request->first_available.n == 0)
            continue;
        if (allocation == NULL) {
            sum += ALTERNATIVES_MAX - (int64_t)taken;
            continue;
        }
        for (size_t k = 0; k < request->first_available.n; k++) {
            dray_str sub = request->first_available.v[k].name;
            bool found = false;
            for (size_t r = 0; r < allocation->devices->results.n && !found; r++) {
                dray_str head, tail;
                dray_str_cut(allocation->devices->results.v[r].request, '/', &head, &tail);
                found =
                    tail.p != NULL && dray_str_eq(head, request->name) && dray_str_eq(tail, sub);
            }
            sum += found ? ALTERNATIVES_MAX - (int64_t)k : 0;
        }
    }
    return sum;
}

static void keep_points(dray_plan_dynamic *state, const dray_plan_node *node,
                        const uint32_t *chosen) {
    if (state->points == NULL)
        return;
    int64_t sum = 0;
    for (size_t i = 0; i < state->n; i++)
        if (state->claims[i].claim != state->extended)
            sum += points_of(state->claims[i].claim, state->claims[i].allocation, &chosen);
    state->points[node->index] = sum;
}

/* What the allocator's error costs: this node, or the attempt. Upstream knows one text of the
 * first kind. */
static dray_plan_status failed(dray_plan *plan, const dray_alloc_outcome *out) {
    bool local =
        out->node_local && dray_str_is(out->error, "invalid resource pools were encountered");
    bool ends = !local && !plan->strict && (out->node_local || out->of_device);
    dray_plan_status status = dray_plan_status_of(
        plan, local || ends ? DRAY_PLAN_UNRESOLVABLE : DRAY_PLAN_ERROR, out->error);
    status.ends = ends;
    return status;
}

static dray_plan_status does_not_fit(dray_plan *plan) {
    return dray_plan_status_of(
        plan, plan->preempt_devices ? DRAY_PLAN_UNSCHEDULABLE : DRAY_PLAN_UNRESOLVABLE,
        DRAY_STR("cannot allocate all claims"));
}

static dray_plan_status run_job(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                                dray_plan_variant *variant, dray_plan_node *node,
                                dray_alloc_kind *ret_kind) {
    if (variant->job == NULL)
        variant->job = dray_alloc_begin(cycle->plan->alloc, variant->claims, variant->n,
                                        &cycle->plan->limits, cycle->arena);
    dray_arena *scratch = cycle->plan->scratch;
    dray_alloc_outcome out;
    dray_alloc_run(variant->job, node->seen, scratch, &out);
    *ret_kind = out.kind;
    dray_plan_status status = DRAY_PLAN_STATUS_OK;
    if (out.kind == DRAY_ALLOC_FITS)
        keep_points(state, node, out.chosen);
    else if (out.kind == DRAY_ALLOC_DOES_NOT_FIT)
        status = does_not_fit(cycle->plan);
    else if (out.kind == DRAY_ALLOC_GAVE_UP || out.timed_out)
        status = dray_plan_status_of(
            cycle->plan, DRAY_PLAN_ERROR,
            dray_strf(scratch, "node " DRAY_FMT ": timed out trying to allocate devices",
                      DRAY_ARG(node->name)));
    else
        status = failed(cycle->plan, &out);
    dray_arena_reset(scratch);
    return status;
}

static dray_plan_seen_view *find_seen(dray_plan_variant *variant, const dray_view *view,
                                      bool operations) {
    for (size_t i = 0; i < variant->n_seen; i++) {
        dray_plan_seen_view *seen = &variant->seen[i];
        if (seen->n_pools == view->n_pools && seen->optional_operations == operations &&
            (view->n_pools == 0 ||
             memcmp(seen->pools, view->pools, view->n_pools * sizeof *view->pools) == 0))
            return seen;
    }
    return NULL;
}

/* The kind of the variant's claims; NULL: nothing is kept for them. Points are those of the claims
 * to allocate only where there are no others. */
static dray_plan_kind *kind_of(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                               dray_plan_variant *variant) {
    if (!cycle->plan->keeps || (state->points != NULL && state->n_to_allocate != state->n))
        return NULL;
    if (!variant->has_kind)
        variant->kind = dray_plan_kind_of(cycle->plan, variant->claims, variant->n);
    variant->has_kind = true;
    return variant->kind;
}

/* run_job, and what it says is kept. */
static dray_plan_status ask(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                            dray_plan_variant *variant, dray_plan_node *node,
                            dray_plan_kind *claims) {
    dray_alloc_kind kind;
    dray_plan_status status = run_job(cycle, state, variant, node, &kind);
    dray_plan_verdict verdict = {
        .fits = kind == DRAY_ALLOC_FITS,
        .points = state->points != NULL ? (int32_t)state->points[node->index] : 0,
    };
    if (claims != NULL && (verdict.fits || kind == DRAY_ALLOC_DOES_NOT_FIT))
        dray_plan_kind_keep(cycle->plan, claims, node, verdict);
    return status;
}

/* By what was found for other claims of that kind since the node changed, or on another node that
 * sees the same. */
static dray_plan_status allocate(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                                 dray_plan_variant *variant, dray_plan_node *node) {
    dray_view *view;
    dray_plan_verdict verdict;
    dray_plan_kind *kind = kind_of(cycle, state, variant);
    if (kind != NULL && dray_plan_kind_find(cycle->plan, kind, node, &verdict)) {
        if (state->points != NULL)
            state->points[node->index] = verdict.points;
        return verdict.fits ? DRAY_PLAN_STATUS_OK : does_not_fit(cycle->plan);
    }
    if (dray_cluster_view(cycle->plan->cluster, node->seen, &view, NULL) != DRAY_OK)
        return ask(cycle, state, variant, node, kind);
    bool operations = declares(node);
    dray_plan_seen_view *seen = find_seen(variant, view, operations);
    if (seen != NULL) {
        if (state->points != NULL)
            state->points[node->index] = seen->points;
        return seen->status;
    }
    dray_plan_status status = ask(cycle, state, variant, node, kind);
    if (variant->n_seen < DRAY_PLAN_VIEWS_MAX && status.code != DRAY_PLAN_ERROR)
        variant->seen[variant->n_seen++] = (dray_plan_seen_view){
            .pools = view->pools,
            .n_pools = view->n_pools,
            .optional_operations = operations,
            .status = status,
            .points = state->points != NULL ? state->points[node->index] : 0,
        };
    return status;
}

/* Whether the node can spare what the devices that it would give take of it. */
static dray_plan_status spare(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                              const dray_plan_variant *variant, dray_plan_node *node) {
    dray_plan_holding holding = {0};
    dray_alloc_outcome out;
    if (state->n_to_allocate != 0) {
        dray_alloc_job *job =
            dray_alloc_begin(cycle->plan->alloc, variant->claims, variant->n,
                             &(dray_alloc_options){.results = true}, cycle->arena);
        dray_alloc_run(job, node->seen, cycle->arena, &out);
        if (out.kind == DRAY_ALLOC_FITS)
            holding = (dray_plan_holding){variant->claims, out.allocations, variant->n};
    }
    const dray_core_pod *pod;
    return dray_plan_check_allocatable(cycle, state, node, &holding, &pod);
}

static dray_plan_status filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    dray_plan_dynamic *state = cycle->state[slot];
    const char *rejected = NULL;
    dray_plan_variant *variant = dray_plan_variant_of(cycle, state, node, &rejected);
    if (rejected != NULL)
        return dray_plan_unresolvable(cycle, rejected);
    if (variant == NULL)
        return DRAY_PLAN_STATUS_OK;
    size_t unavailable = 0;
    for (size_t i = 0; i < state->n; i++)
        unavailable += !is_available(&state->claims[i], node);
    dray_plan_status status = DRAY_PLAN_STATUS_OK;
    if (cycle->plan->maps_allocatable)
        status = dray_plan_check_sharing(cycle, state, node);
    if (status.code == DRAY_PLAN_OK && state->n_to_allocate != 0)
        status = allocate(cycle, state, variant, node);
    if (status.code == DRAY_PLAN_OK && cycle->plan->maps_allocatable)
        status = spare(cycle, state, variant, node);
    if (status.code != DRAY_PLAN_OK)
        return status;
    if (unavailable == 0) {
        if (state->n_to_allocate == 0 && state->points != NULL)
            state->points[node->index] = 0; /* upstream scores only what it allocates itself */
        return DRAY_PLAN_STATUS_OK;
    }
    for (size_t i = 0; i < state->n; i++)
        state->claims[i].unavailable |= !is_available(&state->claims[i], node);
    return dray_plan_unresolvable(cycle, "resourceclaim not available on the node");
}

/* What was found out about nodes doesn't hold once other Pods' devices come or go. */
static void *clone(dray_plan_cycle *cycle, int slot) {
    if (!cycle->plan->preempt_devices)
        return cycle->state[slot];
    dray_plan_dynamic *copy = DRAY_NEW(cycle->arena, dray_plan_dynamic);
    *copy = *(const dray_plan_dynamic *)cycle->state[slot];
    memset(&copy->variants, 0, sizeof copy->variants);
    copy->points = NULL;
    return copy;
}

static void update(dray_plan_cycle *cycle, int slot, const dray_plan_pod *pod,
                   const dray_plan_node *node, int delta) {
    dray_plan_dynamic *state = cycle->state[slot];
    if (cycle->plan->preempt_devices && state != NULL)
        state->variants.n = 0;
}

static dray_plan_status prescore(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes) {
    const dray_plan_dynamic *state = cycle->state[slot];
    bool none = state == NULL || state->points == NULL;
    return (dray_plan_status){.code = none ? DRAY_PLAN_SKIP : DRAY_PLAN_OK};
}

static int64_t score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    return ((const dray_plan_dynamic *)cycle->state[slot])->points[node->index];
}

static void normalize(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes, int64_t *scores) {
    dray_plan_normalize(scores, nodes.n, false);
}

const dray_plan_plugin dray_plan_dynamic_resources = {
    .name = "DynamicResources",
    .scope = DRAY_PLAN_SCOPE_NODE,
    .weight = 2,
    .pre_enqueue = pre_enqueue,
    .prefilter = prefilter,
    .filter = filter,
    .clone = clone,
    .update = update,
    .prescore = prescore,
    .score = score,
    .normalize = normalize,
};

dray_plan_status dray_plan_dynamic_postfilter(dray_plan_cycle *cycle) {
    const dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    if (!on(cycle, DRAY_GATE_DynamicResourceAllocation))
        return (dray_plan_status){.code = DRAY_PLAN_UNSCHEDULABLE};
    if (state == NULL)
        return dray_plan_status_of(cycle->plan, DRAY_PLAN_ERROR, DRAY_STR("not found"));
    for (size_t i = 0; i < state->n; i++) {
        const dray_plan_claim *c = &state->claims[i];
        const dray_resource_claim_status *s = c->claim->status;
        bool only_us = s->reserved_for.n == 0 ||
                       (s->reserved_for.n == 1 &&
                        dray_str_eq(s->reserved_for.v[0].uid, cycle->pod->pod->metadata->uid));
        if (c->unavailable && c->claim != state->extended && only_us)
            return dray_plan_unschedulable(cycle, "deallocation of ResourceClaim completed");
    }
    if (state->n != 0 && state->leftover)
        return dray_plan_unschedulable(cycle, "deletion of ResourceClaim completed");
    return (dray_plan_status){.code = DRAY_PLAN_UNSCHEDULABLE};
}
