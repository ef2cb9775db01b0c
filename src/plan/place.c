/* Writing a decision down. */
#include "plan/place.h"

#include "api/engine.h"
#include "api/rules/template_claim.h"
#include "cluster/inventory.h"
#include "plan/dynamic.h"
#include "plan/gang.h"

#define FINALIZER "resource.kubernetes.io/delete-protection"
enum { RESERVED_MAX = 256, SUFFIX_LENGTH = 5 };

/* A copy in the plan's arena: what is not changed is shared. */
static void *copy_of(dray_plan *plan, const void *from, size_t bytes) {
    return memcpy(dray_arena_alloc(plan->arena, bytes), from, bytes);
}
#define COPY(plan, from) copy_of((plan), (from), sizeof *(from))

/* A longer copy of a list, with one more element that the caller sets. */
#define LONGER(plan, list)                                                             \
    do {                                                                               \
        __auto_type list_ = (list);                                                    \
        __auto_type old_ = list_->v;                                                   \
        list_->v = dray_arena_alloc((plan)->arena, (list_->n + 1) * sizeof *list_->v); \
        if (list_->n != 0)                                                             \
            memcpy(list_->v, old_, list_->n * sizeof *list_->v);                       \
        list_->n++;                                                                    \
    } while (0)

static dray_str suffix(dray_plan *plan, const dray_plan_run_options *options, uint64_t *serial) {
    if (options->suffix != NULL)
        return options->suffix(options->suffix_context, plan->arena);
    return dray_strf(plan->arena, "%0*ju", SUFFIX_LENGTH, (uintmax_t)(*serial)++);
}

static dray_str made_name(dray_plan *plan, dray_str generate_name,
                          const dray_plan_run_options *options, uint64_t *serial) {
    return dray_strf(plan->arena, DRAY_FMT DRAY_FMT, DRAY_ARG(generate_name),
                     DRAY_ARG(suffix(plan, options, serial)));
}

static void put_claim(dray_plan *plan, const dray_resource_claim *claim) {
    static const dray_kind *kind;
    if (kind == NULL)
        kind = dray_kind_find(DRAY_STR("resource.k8s.io/v1"), DRAY_STR("ResourceClaim"));
    const dray_resource_claim *before =
        dray_cluster_add(plan->cluster, (dray_object){kind, (void *)(uintptr_t)claim});
    if (plan->undo != NULL)
        DRAY_PUSH(plan->undo->arena, &plan->undo->steps,
                  (dray_plan_undo_step){.ns = claim->metadata->namespace,
                                        .claim = claim->metadata->name,
                                        .claim_before = before});
}

void dray_plan_roll_back(dray_plan *plan, size_t mark) {
    dray_plan_undo *undo = plan->undo;
    bool any = undo->steps.n > mark;
    plan->undo = NULL;
    for (size_t i = undo->steps.n; i-- > mark;) {
        const dray_plan_undo_step *step = &undo->steps.v[i];
        if (step->pod != NULL) {
            dray_plan_node_remove(&plan->world, step->pod->node, step->pod);
            dray_plan_note_change(plan, step->pod->node);
            step->pod->node = NULL;
            step->pod->pod = step->pod_before;
            if (plan->maps_allocatable)
                dray_plan_pod_sum(&plan->world, step->pod);
        } else if (step->claim_before != NULL) {
            put_claim(plan, step->claim_before);
        } else {
            dray_cluster_remove(plan->cluster, &dray_type_resource_claim, step->ns, step->claim);
        }
    }
    undo->steps.n = mark;
    plan->undo = undo;
    plan->shared_changes += any;
}

/* The Pod's own copies of its object and status, so that they can be changed. */
static dray_core_pod *own_pod(dray_plan *plan, dray_plan_pod *pod) {
    dray_core_pod *copy = COPY(plan, pod->pod);
    copy->spec = COPY(plan, pod->pod->spec);
    copy->status = COPY(plan, pod->pod->status);
    pod->pod = copy;
    return copy;
}

static bool has_status(const dray_core_pod *pod, dray_str name) {
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].name, name))
            return true;
    return false;
}

/* The claim that the Pod's group has for the entry: made by the first member that asks. */
static dray_str group_claim(dray_plan *plan, const dray_plan_gang *gang, size_t at,
                            const dray_resource_claim_template *template,
                            const dray_plan_run_options *options, uint64_t *serial) {
    const dray_scheduling_v1beta1_pod_group *group = gang->group;
    dray_str entry = group->spec->resource_claims.v[at].name;
    for (size_t i = 0; gang->claims[at].p == NULL && i < group->status->resource_claim_statuses.n;
         i++)
        if (dray_str_eq(group->status->resource_claim_statuses.v[i].name, entry))
            gang->claims[at] = group->status->resource_claim_statuses.v[i].resource_claim_name;
    if (gang->claims[at].p == NULL && template != NULL) {
        dray_claim_owner owner = dray_claim_owner_of_pod_group(group->metadata);
        dray_resource_claim *claim = dray_template_claim(template, &owner, entry, plan->arena);
        claim->metadata = COPY(plan, claim->metadata);
        claim->metadata->name = made_name(plan, claim->metadata->generate_name, options, serial);
        put_claim(plan, claim);
        gang->claims[at] = claim->metadata->name;
    }
    return gang->claims[at];
}

static void note_claim(dray_plan *plan, dray_plan_pod *pod, dray_str entry, dray_str claim) {
    dray_core_pod *own = own_pod(plan, pod);
    LONGER(plan, &own->status->resource_claim_statuses);
    own->status->resource_claim_statuses.v[own->status->resource_claim_statuses.n - 1] =
        (dray_core_pod_resource_claim_status){.name = entry, .resource_claim_name = claim};
}

static void make_claim(dray_plan *plan, dray_plan_pod *pod,
                       const dray_core_pod_resource_claim *entry,
                       const dray_resource_claim_template *template,
                       const dray_plan_run_options *options, uint64_t *serial) {
    dray_claim_owner owner = dray_claim_owner_of_pod(pod->pod);
    dray_resource_claim *claim = dray_template_claim(template, &owner, entry->name, plan->arena);
    claim->metadata = COPY(plan, claim->metadata);
    claim->metadata->name = made_name(plan, claim->metadata->generate_name, options, serial);
    put_claim(plan, claim);
    note_claim(plan, pod, entry->name, claim->metadata->name);
}

void dray_plan_make_claims(dray_plan *plan, dray_plan_pod *pod,
                           const dray_plan_run_options *options, uint64_t *serial) {
    const dray_core_pod_spec *spec = pod->pod->spec;
    for (size_t i = 0; i < spec->resource_claims.n; i++) {
        const dray_core_pod_resource_claim *entry = &spec->resource_claims.v[i];
        if (entry->resource_claim_template_name.p == NULL || has_status(pod->pod, entry->name))
            continue;
        const dray_resource_claim_template *template =
            dray_cluster_find(plan->cluster, &dray_type_resource_claim_template,
                              pod->pod->metadata->namespace, entry->resource_claim_template_name);
        size_t shared = dray_plan_gang_entry(plan, pod, entry);
        if (shared != SIZE_MAX) {
            dray_str name = group_claim(plan, pod->gang, shared, template, options, serial);
            if (name.p != NULL)
                note_claim(plan, pod, entry->name, name);
        } else if (template != NULL) {
            make_claim(plan, pod, entry, template, options, serial);
        }
    }
}

/* Who uses the claim when the Pod does: the Pod, or its group. */
static dray_resource_claim_consumer_reference
user_of(const dray_plan *plan, const dray_plan_pod *pod, const dray_resource_claim *claim) {
    if (dray_plan_gang_shares(plan, pod, claim->metadata->name))
        return (dray_resource_claim_consumer_reference){
            .api_group = DRAY_STR("scheduling.k8s.io"),
            .resource = DRAY_STR("podgroups"),
            .name = pod->gang->name,
            .uid = pod->gang->group->metadata->uid,
        };
    return (dray_resource_claim_consumer_reference){
        .resource = DRAY_STR("pods"),
        .name = pod->pod->metadata->name,
        .uid = pod->pod->metadata->uid,
    };
}

static bool is_reserved(const dray_plan *plan, const dray_resource_claim *claim,
                        const dray_plan_pod *pod) {
    dray_str uid = user_of(plan, pod, claim).uid;
    for (size_t i = 0; i < claim->status->reserved_for.n; i++)
        if (dray_str_eq(claim->status->reserved_for.v[i].uid, uid))
            return true;
    return false;
}

static dray_code check_room(const dray_plan *plan, const dray_resource_claim *claim,
                            const dray_plan_pod *pod, dray_err *err) {
    if (is_reserved(plan, claim, pod) || claim->status->reserved_for.n < RESERVED_MAX)
        return DRAY_OK;
    const dray_meta_object_meta *meta = claim->metadata;
    return dray_err_set(
        err, DRAY_E_LIMIT,
        "running PreBind plugin \"DynamicResources\": add reservation to claim " DRAY_FMT
        "/" DRAY_FMT ": ResourceClaim.resource.k8s.io \"" DRAY_FMT
        "\" is invalid: status.reservedFor: Too many: %d: must have at most %d items",
        DRAY_ARG(meta->namespace), DRAY_ARG(meta->name), DRAY_ARG(meta->name), RESERVED_MAX + 1,
        RESERVED_MAX);
}

static void add_finalizer(dray_plan *plan, dray_resource_claim *claim) {
    for (size_t i = 0; i < claim->metadata->finalizers.n; i++)
        if (dray_str_is(claim->metadata->finalizers.v[i], FINALIZER))
            return;
    claim->metadata = COPY(plan, claim->metadata);
    LONGER(plan, &claim->metadata->finalizers);
    claim->metadata->finalizers.v[claim->metadata->finalizers.n - 1] = DRAY_STR(FINALIZER);
}

/* The claim as PreBind leaves it. */
static void bind_claim(dray_plan *plan, const dray_resource_claim *old, const dray_plan_pod *pod,
                       const dray_resource_allocation_result *allocation) {
    const dray_gates *gates = &plan->world.gates;
    dray_resource_claim *claim = COPY(plan, old);
    claim->status = COPY(plan, old->status);
    if (allocation != NULL) {
        add_finalizer(plan, claim);
        claim->status->allocation =
            dray_api_copy(&dray_type_resource_allocation_result, allocation, plan->arena);
    }
    if (!is_reserved(plan, old, pod)) {
        LONGER(plan, &claim->status->reserved_for);
        claim->status->reserved_for.v[claim->status->reserved_for.n - 1] = user_of(plan, pod, old);
    }
    if (dray_gates_on(gates, DRAY_GATE_DRADeviceBindingConditions) &&
        dray_gates_on(gates, DRAY_GATE_DRAResourceClaimDeviceStatus) &&
        !claim->status->allocation->allocation_timestamp.set) {
        claim->status->allocation = COPY(plan, claim->status->allocation);
        claim->status->allocation->allocation_timestamp =
            (dray_time){.sec = plan->now.sec, .set = plan->now.set};
    }
    put_claim(plan, claim);
}

/* Whether other nodes may reach the device too, or share something in its pool. */
static bool is_shared(const dray_plan *plan,
                      const dray_resource_device_request_allocation_result *result) {
    const dray_pool *pool = dray_cluster_pool_find(plan->cluster, result->driver, result->pool);
    for (size_t i = 0; pool != NULL && i < pool->n_slices; i++) {
        dray_str node = pool->slices[i]->body->spec->node_name;
        if (node.n == 0 || !dray_str_eq(node, pool->slices[0]->body->spec->node_name))
            return true;
    }
    return pool == NULL;
}

static void note_shared(dray_plan *plan, const dray_resource_allocation_result *allocation) {
    for (size_t i = 0; i < allocation->devices->results.n; i++)
        if (is_shared(plan, &allocation->devices->results.v[i])) {
            plan->shared_changes++;
            return;
        }
}

static void bind_extended(dray_plan_cycle *cycle, const dray_plan_granted *granted,
                          dray_core_pod *pod, const dray_resource_allocation_result *allocation,
                          const dray_plan_run_options *options, uint64_t *serial) {
    dray_plan *plan = cycle->plan;
    dray_resource_claim *claim =
        dray_api_copy(&dray_type_resource_claim, granted->extended, plan->arena);
    claim->metadata->name = made_name(plan, claim->metadata->generate_name, options, serial);
    bind_claim(plan, claim, cycle->pod, allocation);
    dray_core_pod_extended_resource_claim_status *status =
        DRAY_NEW(plan->arena, dray_core_pod_extended_resource_claim_status);
    status->resource_claim_name = claim->metadata->name;
    for (size_t i = 0; i < granted->n_mappings; i++) {
        LONGER(plan, &status->request_mappings);
        dray_core_container_extended_resource_request *m = &status->request_mappings.v[i];
        *m = granted->mappings[i];
        m->request_name = dray_str_dup(plan->arena, m->request_name);
    }
    pod->status->extended_resource_claim_status = status;
}

static const dray_resource_allocation_result *granted_to(const dray_plan_granted *granted,
                                                         const dray_resource_claim *claim) {
    for (size_t i = 0; i < granted->n; i++)
        if (granted->claims[i] == claim)
            return &granted->allocations[i];
    return NULL;
}

dray_code dray_plan_place(dray_plan_cycle *cycle, dray_plan_node *node,
                          const dray_plan_run_options *options, uint64_t *serial, dray_err *err) {
    dray_plan *plan = cycle->plan;
    dray_plan_granted granted;
    dray_code code = dray_plan_grant(cycle, node, &granted, err);
    for (size_t i = 0; code == DRAY_OK && i < granted.n_used; i++)
        code = check_room(plan, granted.used[i], cycle->pod, err);
    if (code != DRAY_OK)
        return code;
    if (plan->undo != NULL)
        DRAY_PUSH(plan->undo->arena, &plan->undo->steps,
                  (dray_plan_undo_step){.pod = cycle->pod, .pod_before = cycle->pod->pod});
    dray_core_pod *pod = own_pod(plan, cycle->pod);
    for (size_t i = 0; i < granted.n; i++)
        note_shared(plan, &granted.allocations[i]);
    for (size_t i = 0; i < granted.n_used; i++)
        if (!is_reserved(plan, granted.used[i], cycle->pod) ||
            granted.used[i]->status->allocation == NULL)
            bind_claim(plan, granted.used[i], cycle->pod, granted_to(&granted, granted.used[i]));
    if (granted.extended != NULL && granted.n != 0 && granted.n_mappings != 0)
        bind_extended(cycle, &granted, pod, &granted.allocations[granted.n - 1], options, serial);
    if (granted.with_status != NULL) {
        const dray_core_pod_status *status =
            dray_api_copy(&dray_type_core_pod_status, granted.with_status->status, plan->arena);
        pod->status->node_allocatable_resource_claim_statuses =
            status->node_allocatable_resource_claim_statuses;
        if (!plan->without_shares)
            dray_plan_pod_sum(cycle->world, cycle->pod);
    }
    pod->spec->node_name = node->name;
    cycle->pod->node = node;
    dray_plan_node_add(cycle->world, node, cycle->pod);
    dray_plan_note_change(plan, node);
    return DRAY_OK;
}

void dray_plan_free_claim(dray_plan *plan, const dray_resource_claim *old) {
    dray_resource_claim *claim = COPY(plan, old);
    claim->status = dray_api_new(&dray_type_resource_claim_status, plan->arena);
    put_claim(plan, claim);
    plan->shared_changes++;
}

void dray_plan_unreserve_claim(dray_plan *plan, const dray_resource_claim *old, dray_str uid) {
    dray_resource_claim *claim = COPY(plan, old);
    size_t n = 0;
    claim->status = COPY(plan, old->status);
    claim->status->reserved_for.v = DRAY_NEW_N(plan->arena, dray_resource_claim_consumer_reference,
                                               old->status->reserved_for.n);
    for (size_t i = 0; i < old->status->reserved_for.n; i++)
        if (!dray_str_eq(old->status->reserved_for.v[i].uid, uid))
            claim->status->reserved_for.v[n++] = old->status->reserved_for.v[i];
    claim->status->reserved_for.n = n;
    put_claim(plan, claim);
}

bool dray_plan_deallocate(dray_plan_cycle *cycle) {
    const dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    dray_plan *plan = cycle->plan;
    for (size_t i = 0; state != NULL && i < state->n; i++) {
        const dray_plan_claim *c = &state->claims[i];
        const dray_resource_claim_status *s = c->claim->status;
        if (!c->unavailable || c->claim == state->extended || s->reserved_for.n > 1 ||
            (s->reserved_for.n == 1 && !is_reserved(plan, c->claim, cycle->pod)))
            continue;
        dray_plan_free_claim(plan, c->claim);
        return true;
    }
    return false;
}
