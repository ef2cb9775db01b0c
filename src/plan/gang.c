/* GangScheduling: which Pods belong together, and who waits for the others. */
#include "plan/gang.h"

void dray_plan_gangs_init(dray_plan_world *world, dray_cluster *cluster) {
    if (!dray_gates_on(&world->gates, DRAY_GATE_GenericWorkload))
        return;
    dray_map gangs = dray_map_new(world->arena);
    for (size_t i = 0; i < world->pods.n; i++) {
        dray_plan_pod *pod = world->pods.v[i];
        const dray_core_pod_scheduling_group *of = pod->pod->spec->scheduling_group;
        if (of == NULL || of->pod_group_name.n == 0)
            continue;
        dray_str ns = pod->pod->metadata->namespace;
        dray_str key = dray_strf(world->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(ns),
                                 DRAY_ARG(of->pod_group_name));
        dray_map_entry *entry = dray_map_entry_of(&gangs, key);
        if (entry->value == NULL) {
            dray_plan_gang *gang = DRAY_NEW(world->arena, dray_plan_gang);
            gang->ns = ns;
            gang->name = of->pod_group_name;
            gang->group =
                dray_cluster_find(cluster, &dray_type_scheduling_v1beta1_pod_group, ns, gang->name);
            if (gang->group != NULL)
                gang->claims =
                    DRAY_NEW_N(world->arena, dray_str, gang->group->spec->resource_claims.n);
            entry->value = gang;
        }
        pod->gang = entry->value;
        DRAY_PUSH(world->arena, &pod->gang->pods, pod);
    }
}

int32_t dray_plan_gang_min(const dray_plan_gang *gang) {
    const dray_scheduling_v1beta1_gang_scheduling_policy *policy =
        gang->group->spec->scheduling_policy->gang;
    return policy != NULL ? policy->min_count : 1;
}

size_t dray_plan_gang_placed(const dray_plan_gang *gang) {
    size_t n = 0;
    for (size_t i = 0; i < gang->pods.n; i++)
        n += gang->pods.v[i]->node != NULL;
    return n;
}

static dray_str policy_of(const dray_core_pod *pod) {
    dray_str policy = pod->spec->preemption_policy;
    return policy.n != 0 ? policy : DRAY_STR("PreemptLowerPriority");
}

dray_str dray_plan_gang_invalid(const dray_plan_gang *gang, dray_arena *arena) {
    const dray_scheduling_v1beta1_pod_group_spec *group = gang->group->spec;
    int32_t priority = group->priority.set ? group->priority.v : 0;
    const dray_core_pod *first = gang->queue.n != 0 ? gang->queue.v[0]->pod : NULL;
    for (size_t i = 0; i < gang->queue.n; i++) {
        const dray_plan_pod *pod = gang->queue.v[i];
        if (pod->priority != priority)
            return dray_strf(arena,
                             "all pods in a single pod group should have the same priority as the "
                             "pod group's priority, got %d and %d",
                             pod->priority, priority);
        if (!dray_str_eq(policy_of(pod->pod), policy_of(first)))
            return dray_strf(arena,
                             "all pods in a single pod group should have the same preemption "
                             "policy, got " DRAY_FMT " and " DRAY_FMT,
                             DRAY_ARG(policy_of(pod->pod)), DRAY_ARG(policy_of(first)));
    }
    return DRAY_STR_NONE;
}

static bool same(dray_str a, dray_str b) {
    return (a.p == NULL) == (b.p == NULL) && dray_str_eq(a, b);
}

size_t dray_plan_gang_entry(const dray_plan *plan, const dray_plan_pod *pod,
                            const dray_core_pod_resource_claim *entry) {
    if (pod->gang == NULL || pod->gang->group == NULL ||
        !dray_gates_on(&plan->world.gates, DRAY_GATE_DRAWorkloadResourceClaims))
        return SIZE_MAX;
    const dray_scheduling_v1beta1_pod_group_spec *group = pod->gang->group->spec;
    for (size_t i = 0; i < group->resource_claims.n; i++) {
        const dray_scheduling_v1beta1_pod_group_resource_claim *c = &group->resource_claims.v[i];
        if (dray_str_eq(c->name, entry->name) &&
            same(c->resource_claim_name, entry->resource_claim_name) &&
            same(c->resource_claim_template_name, entry->resource_claim_template_name))
            return i;
    }
    return SIZE_MAX;
}

/* The name of the claim that stands for the Pod's entry; absent when there is none yet. */
static dray_str claim_of(const dray_core_pod *pod, const dray_core_pod_resource_claim *entry) {
    if (entry->resource_claim_name.p != NULL)
        return entry->resource_claim_name;
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].name, entry->name))
            return pod->status->resource_claim_statuses.v[i].resource_claim_name;
    return DRAY_STR_NONE;
}

bool dray_plan_gang_shares(const dray_plan *plan, const dray_plan_pod *pod, dray_str claim) {
    for (size_t i = 0; pod->gang != NULL && i < pod->pod->spec->resource_claims.n; i++) {
        const dray_core_pod_resource_claim *entry = &pod->pod->spec->resource_claims.v[i];
        if (dray_str_eq(claim_of(pod->pod, entry), claim))
            return dray_plan_gang_entry(plan, pod, entry) != SIZE_MAX;
    }
    return false;
}

static dray_plan_status pre_enqueue(dray_plan_cycle *cycle, int slot) {
    const dray_plan_gang *gang = cycle->pod->gang;
    if (gang == NULL)
        return DRAY_PLAN_STATUS_OK;
    if (gang->group == NULL)
        return dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE,
                                   dray_strf(cycle->arena,
                                             "waiting for pods's pod group \"" DRAY_FMT
                                             "\" to appear in scheduling queue",
                                             DRAY_ARG(gang->name)));
    if (gang->group->spec->scheduling_policy->gang != NULL &&
        (int64_t)gang->pods.n < dray_plan_gang_min(gang))
        return dray_plan_unresolvable(
            cycle, "waiting for minCount pods from a gang to appear in scheduling queue");
    return DRAY_PLAN_STATUS_OK;
}

const dray_plan_plugin dray_plan_gang_scheduling = {
    .name = "GangScheduling",
    .pre_enqueue = pre_enqueue,
};
