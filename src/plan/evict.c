/* Evicting Pods: their room, their terms, and the devices that nobody else uses. */
#include "plan/evict.h"

#include "api/engine.h"

static void put(dray_plan *plan, const dray_resource_claim *claim) {
    const dray_kind *kind =
        dray_kind_find(DRAY_STR("resource.k8s.io/v1"), DRAY_STR("ResourceClaim"));
    dray_cluster_add(plan->cluster, (dray_object){kind, (void *)(uintptr_t)claim});
}

/* With a status of its own. */
static dray_resource_claim *copy_of(const dray_resource_claim *claim, dray_arena *arena) {
    dray_resource_claim *copy = DRAY_NEW(arena, dray_resource_claim);
    *copy = *claim;
    copy->status = DRAY_NEW(arena, dray_resource_claim_status);
    *copy->status = *claim->status;
    return copy;
}

static const dray_resource_claim *find_claim(const dray_plan *plan, const dray_core_pod *pod,
                                             dray_str name) {
    return name.n == 0 ? NULL
                       : dray_cluster_find(plan->cluster, &dray_type_resource_claim,
                                           pod->metadata->namespace, name);
}

static dray_str status_name(const dray_core_pod *pod, dray_str entry) {
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].name, entry))
            return pod->status->resource_claim_statuses.v[i].resource_claim_name;
    return DRAY_STR_NONE;
}

/* The i-th claim of the Pod; NULL when it is not there. The last is that for extended resources. */
static const dray_resource_claim *claim_at(const dray_plan *plan, const dray_core_pod *pod,
                                           size_t i) {
    if (i == pod->spec->resource_claims.n) {
        const dray_core_pod_extended_resource_claim_status *s =
            pod->status->extended_resource_claim_status;
        return s != NULL ? find_claim(plan, pod, s->resource_claim_name) : NULL;
    }
    const dray_core_pod_resource_claim *entry = &pod->spec->resource_claims.v[i];
    return find_claim(plan, pod,
                      entry->resource_claim_name.p != NULL ? entry->resource_claim_name
                                                           : status_name(pod, entry->name));
}

static const dray_plan_pod *pod_of(dray_plan *plan, dray_str uid) {
    if (plan->pod_of_uid.arena == NULL) {
        plan->pod_of_uid = dray_map_new(plan->arena);
        for (size_t i = 0; i < plan->world.pods.n; i++)
            dray_map_put(&plan->pod_of_uid, plan->world.pods.v[i]->pod->metadata->uid,
                         plan->world.pods.v[i]);
    }
    return dray_map_find(&plan->pod_of_uid, uid);
}

/* Whether all who use the claim are evicted. Source: KEP-5690, RemovePod. */
static bool is_free(dray_plan *plan, const dray_resource_claim *claim) {
    for (size_t i = 0; i < claim->status->reserved_for.n; i++) {
        const dray_resource_claim_consumer_reference *user = &claim->status->reserved_for.v[i];
        const dray_plan_pod *pod = pod_of(plan, user->uid);
        if (user->api_group.n != 0 || !dray_str_is(user->resource, "pods") || pod == NULL ||
            !pod->evicted)
            return false;
    }
    return true;
}

static dray_map_entry *released_of(dray_plan *plan, const dray_resource_claim *claim) {
    dray_arena_mark mark = dray_arena_save(plan->arena);
    dray_str key = dray_strf(plan->arena, DRAY_FMT "/" DRAY_FMT,
                             DRAY_ARG(claim->metadata->namespace), DRAY_ARG(claim->metadata->name));
    int64_t at = dray_map_index(&plan->released, key);
    if (at < 0)
        return dray_map_entry_of(&plan->released, key);
    dray_arena_release(plan->arena, mark);
    return &plan->released.entries[at];
}

static void release_devices(dray_plan *plan, dray_plan_pod *pod, dray_arena *arena) {
    for (size_t i = 0; i <= pod->pod->spec->resource_claims.n; i++) {
        const dray_resource_claim *claim = claim_at(plan, pod->pod, i);
        if (claim == NULL || claim->status->allocation == NULL || !is_free(plan, claim))
            continue;
        dray_map_entry *entry = released_of(plan, claim);
        entry->value = (void *)(uintptr_t)claim;
        dray_resource_claim *copy = copy_of(claim, arena);
        copy->status->allocation = NULL;
        put(plan, copy);
    }
}

void dray_plan_restore_devices(dray_plan *plan, dray_plan_pod *pod) {
    if (!pod->evicted)
        return;
    pod->evicted = false;
    for (size_t i = 0; plan->preempt_devices && i <= pod->pod->spec->resource_claims.n; i++) {
        const dray_resource_claim *claim = claim_at(plan, pod->pod, i);
        dray_map_entry *entry =
            claim != NULL && claim->status->allocation == NULL ? released_of(plan, claim) : NULL;
        if (entry == NULL || entry->value == NULL)
            continue;
        put(plan, entry->value);
        entry->value = NULL;
    }
}

void dray_plan_evict(dray_plan_cycle *trial, dray_plan_node *node, dray_plan_pod *pod) {
    if (pod->node == node)
        dray_plan_node_remove(trial->world, node, pod);
    pod->evicted = true;
    if (trial->plan->preempt_devices)
        release_devices(trial->plan, pod, trial->arena);
    dray_plan_cycle_update(trial, pod, pod->node, -1);
}

void dray_plan_restore(dray_plan_cycle *trial, dray_plan_node *node, dray_plan_pod *pod) {
    if (pod->node == node)
        dray_plan_node_add(trial->world, node, pod);
    dray_plan_restore_devices(trial->plan, pod);
    dray_plan_cycle_update(trial, pod, pod->node, 1);
}

void dray_plan_take_off(dray_plan *plan, dray_plan_pod *pod, dray_arena *arena) {
    dray_plan_node_remove(&plan->world, pod->node, pod);
    dray_plan_note_change(plan, pod->node);
    pod->evicted = true;
    plan->shared_changes++;
    if (plan->preempt_devices)
        release_devices(plan, pod, arena);
}

void dray_plan_put_back(dray_plan *plan, dray_plan_pod *pod) {
    dray_plan_node_add(&plan->world, pod->node, pod);
    dray_plan_note_change(plan, pod->node);
    plan->shared_changes++;
    dray_plan_restore_devices(plan, pod);
}

bool dray_plan_is_being_preempted(const dray_core_pod *pod) {
    if (!pod->metadata->deletion_timestamp.set)
        return false;
    for (size_t i = 0; i < pod->status->conditions.n; i++) {
        const dray_core_pod_condition *c = &pod->status->conditions.v[i];
        if (dray_str_is(c->type, "DisruptionTarget"))
            return dray_str_is(c->status, "True") &&
                   dray_str_is(c->reason, "PreemptionByScheduler");
    }
    return false;
}

/* What the claim controller and the garbage collector do when a Pod is gone. */
static void give_up(dray_plan *plan, const dray_core_pod *pod, const dray_resource_claim *claim) {
    const dray_meta_owner_reference *owner = dray_plan_controller_of(claim->metadata);
    if (owner != NULL && dray_str_eq(owner->uid, pod->metadata->uid)) {
        dray_cluster_remove(plan->cluster, &dray_type_resource_claim, claim->metadata->namespace,
                            claim->metadata->name);
        return;
    }
    size_t kept = 0, n = claim->status->reserved_for.n;
    dray_resource_claim *copy = copy_of(claim, plan->arena);
    copy->status->reserved_for.v =
        DRAY_NEW_N(plan->arena, dray_resource_claim_consumer_reference, n);
    for (size_t i = 0; i < n; i++)
        if (!dray_str_eq(claim->status->reserved_for.v[i].uid, pod->metadata->uid))
            copy->status->reserved_for.v[kept++] = claim->status->reserved_for.v[i];
    copy->status->reserved_for.n = kept;
    if (kept == n)
        return;
    if (kept == 0)
        copy->status = dray_api_new(&dray_type_resource_claim_status, plan->arena);
    put(plan, copy);
}

void dray_plan_evict_for_good(dray_plan *plan, dray_plan_pod *pod) {
    dray_plan_node_remove(&plan->world, pod->node, pod);
    dray_plan_note_change(plan, pod->node);
    pod->node = NULL;
    pod->evicted = true;
    for (size_t i = 0; i <= pod->pod->spec->resource_claims.n; i++) {
        const dray_resource_claim *claim = claim_at(plan, pod->pod, i);
        if (claim != NULL)
            give_up(plan, pod->pod, claim);
    }
    plan->released = dray_map_new(plan->arena);
    plan->shared_changes++;
}
