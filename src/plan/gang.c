/* GangScheduling: which Pods and groups belong together, and who waits for the others. */
#include "plan/gang.h"

/* Source: WorkloadMaxTreeDepth; a deeper tree, or one that bites its tail, is cut there. */
static size_t depth_of(const dray_plan_gang *gang) {
    size_t depth = 1;
    for (; gang->parent != NULL && depth <= DRAY_PLAN_GANG_DEPTH_MAX; gang = gang->parent)
        depth++;
    return depth;
}

typedef struct forest {
    dray_plan_world *world;
    dray_cluster *cluster;
    dray_map gangs; /* "g" or "c", namespace/name → dray_plan_gang */
    bool composites;
} forest;

static dray_plan_gang *gang_of(forest *f, bool composite, dray_str ns, dray_str name) {
    dray_str key = dray_strf(f->world->arena, "%c" DRAY_FMT "/" DRAY_FMT, composite ? 'c' : 'g',
                             DRAY_ARG(ns), DRAY_ARG(name));
    dray_map_entry *entry = dray_map_entry_of(&f->gangs, key);
    if (entry->value != NULL)
        return entry->value;
    dray_plan_gang *gang = DRAY_NEW(f->world->arena, dray_plan_gang);
    entry->value = gang;
    gang->ns = ns;
    gang->name = name;
    gang->holds_groups = composite;
    dray_str parent = DRAY_STR_NONE;
    if (composite) {
        gang->composite = dray_cluster_find(
            f->cluster, &dray_type_scheduling_v1alpha3_composite_pod_group, ns, name);
        if (gang->composite != NULL)
            parent = gang->composite->spec->parent_composite_pod_group_name;
    } else {
        gang->group =
            dray_cluster_find(f->cluster, &dray_type_scheduling_v1beta1_pod_group, ns, name);
        if (gang->group != NULL) {
            gang->claims =
                DRAY_NEW_N(f->world->arena, dray_str, gang->group->spec->resource_claims.n);
            parent = gang->group->spec->parent_composite_pod_group_name;
        }
    }
    if (f->composites && parent.p != NULL) {
        gang->parent = gang_of(f, true, ns, parent);
        if (depth_of(gang) > DRAY_PLAN_GANG_DEPTH_MAX)
            gang->parent = NULL;
        else
            DRAY_PUSH(f->world->arena, &gang->parent->children, gang);
    }
    return gang;
}

void dray_plan_gangs_init(dray_plan_world *world, dray_cluster *cluster) {
    if (!dray_gates_on(&world->gates, DRAY_GATE_GenericWorkload))
        return;
    forest f = {
        .world = world,
        .cluster = cluster,
        .gangs = dray_map_new(world->arena),
        .composites = dray_gates_on(&world->gates, DRAY_GATE_CompositePodGroup),
    };
    /* Groups without Pods count among those that a group holds. */
    dray_cluster_list groups = dray_cluster_all(cluster, &dray_type_scheduling_v1beta1_pod_group);
    for (size_t i = 0; f.composites && i < groups.n; i++) {
        const dray_scheduling_v1beta1_pod_group *group = groups.v[i];
        gang_of(&f, false, group->metadata->namespace, group->metadata->name);
    }
    for (size_t i = 0; i < world->pods.n; i++) {
        dray_plan_pod *pod = world->pods.v[i];
        const dray_core_pod_scheduling_group *of = pod->pod->spec->scheduling_group;
        if (of == NULL || of->pod_group_name.n == 0)
            continue;
        pod->gang = gang_of(&f, false, pod->pod->metadata->namespace, of->pod_group_name);
        DRAY_PUSH(world->arena, &pod->gang->pods, pod);
    }
}

dray_plan_gang *dray_plan_gang_root(dray_plan_gang *gang) {
    while (gang->parent != NULL)
        gang = gang->parent;
    return gang;
}

int32_t dray_plan_gang_min(const dray_plan_gang *gang) {
    if (gang->holds_groups)
        return gang->composite->spec->scheduling_policy->gang != NULL
                   ? gang->composite->spec->scheduling_policy->gang->min_group_count
                   : 1;
    const dray_scheduling_v1beta1_gang_scheduling_policy *policy =
        gang->group->spec->scheduling_policy->gang;
    return policy != NULL ? policy->min_count : 1;
}

int32_t dray_plan_gang_priority(const dray_plan_gang *gang) {
    dray_opt_int32 priority =
        gang->holds_groups ? gang->composite->spec->priority : gang->group->spec->priority;
    return priority.set ? priority.v : 0;
}

dray_str dray_plan_gang_topology(const dray_plan_world *world, const dray_plan_gang *gang) {
    if (!dray_gates_on(&world->gates, DRAY_GATE_TopologyAwareWorkloadScheduling))
        return DRAY_STR_NONE;
    if (gang->holds_groups) {
        const dray_scheduling_v1alpha3_composite_pod_group_scheduling_constraints *c =
            gang->composite->spec->scheduling_constraints;
        return c != NULL && c->topology.n != 0 ? c->topology.v[0].key : DRAY_STR_NONE;
    }
    const dray_scheduling_v1beta1_pod_group_scheduling_constraints *c =
        gang->group->spec->scheduling_constraints;
    return c != NULL && c->topology.n != 0 ? c->topology.v[0].key : DRAY_STR_NONE;
}

bool dray_plan_gang_goes_whole(const dray_plan_gang *gang) {
    if (gang->holds_groups)
        return gang->composite != NULL && gang->composite->spec->disruption_mode != NULL &&
               gang->composite->spec->disruption_mode->all != NULL;
    return gang->group != NULL && gang->group->spec->disruption_mode != NULL &&
           gang->group->spec->disruption_mode->all != NULL;
}

void dray_plan_gang_each(dray_plan_gang *gang, void (*each)(void *context, dray_plan_pod *pod),
                         void *context) {
    for (size_t i = 0; i < gang->pods.n; i++)
        each(context, gang->pods.v[i]);
    for (size_t i = 0; i < gang->children.n; i++)
        dray_plan_gang_each(gang->children.v[i], each, context);
}

size_t dray_plan_gang_placed(const dray_plan_gang *gang) {
    size_t n = 0;
    for (size_t i = 0; i < gang->pods.n; i++)
        n += gang->pods.v[i]->node != NULL;
    for (size_t i = 0; i < gang->children.n; i++)
        n += dray_plan_gang_placed(gang->children.v[i]);
    return n;
}

static dray_str policy_or(dray_str policy) {
    return policy.n != 0 ? policy : DRAY_STR("PreemptLowerPriority");
}

static dray_str group_policy(const dray_plan_gang *root) {
    return policy_or(root->holds_groups ? root->composite->spec->preemption_policy
                                        : root->group->spec->preemption_policy);
}

static bool is_never(const dray_plan_gang *gang) {
    for (size_t i = 0; i < gang->members.n; i++)
        if (dray_str_is(gang->members.v[i]->pod->spec->preemption_policy, "Never"))
            return true;
    for (size_t i = 0; i < gang->children.n; i++)
        if (is_never(gang->children.v[i]))
            return true;
    return false;
}

bool dray_plan_gang_preempts(const dray_plan_world *world, const dray_plan_gang *root) {
    if (dray_gates_on(&world->gates, DRAY_GATE_PodGroupPreemptionPolicy))
        return !dray_str_is(group_policy(root), "Never");
    return !is_never(root);
}

typedef struct validation {
    dray_arena *arena;
    int32_t priority;
    dray_str scheduler, policy; /* absent: the first Pod's */
    bool by_group;              /* policy is the group's */
    dray_str why;
} validation;

static void validate(validation *v, const dray_plan_pod *pod) {
    dray_str scheduler = pod->pod->spec->scheduler_name;
    dray_str policy = policy_or(pod->pod->spec->preemption_policy);
    if (v->scheduler.p == NULL)
        v->scheduler = scheduler;
    if (v->policy.p == NULL)
        v->policy = policy;
    if (!dray_str_eq(scheduler, v->scheduler))
        v->why = dray_strf(v->arena,
                           "all pods in a single pod group should have the same "
                           ".spec.schedulerName set, got: \"" DRAY_FMT "\" and \"" DRAY_FMT "\"",
                           DRAY_ARG(scheduler), DRAY_ARG(v->scheduler));
    else if (pod->priority != v->priority)
        v->why = dray_strf(v->arena,
                           "all pods in a single pod group should have the same priority as the "
                           "pod group's priority, got %d and %d",
                           pod->priority, v->priority);
    else if (!dray_str_eq(policy, v->policy))
        v->why = dray_strf(v->arena,
                           "all pods in a single pod group should have the same preemption "
                           "policy%s, got " DRAY_FMT " and " DRAY_FMT,
                           v->by_group ? " as the pod group's preemption policy" : "",
                           DRAY_ARG(policy), DRAY_ARG(v->policy));
}

static void validate_all(validation *v, const dray_plan_gang *gang, bool placed) {
    for (size_t i = 0; !placed && i < gang->members.n && v->why.p == NULL; i++)
        validate(v, gang->members.v[i]);
    for (size_t i = 0; placed && i < gang->pods.n && v->why.p == NULL; i++)
        if (gang->pods.v[i]->node != NULL)
            validate(v, gang->pods.v[i]);
    for (size_t i = 0; i < gang->children.n && v->why.p == NULL; i++)
        validate_all(v, gang->children.v[i], placed);
}

dray_str dray_plan_gang_invalid(const dray_plan_world *world, const dray_plan_gang *root,
                                dray_arena *arena) {
    validation v = {
        .arena = arena,
        .priority = dray_plan_gang_priority(root),
        .by_group = dray_gates_on(&world->gates, DRAY_GATE_PodGroupPreemptionPolicy),
    };
    if (v.by_group)
        v.policy = group_policy(root);
    validate_all(&v, root, false);
    validate_all(&v, root, true);
    return v.why;
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

/* Whether enough Pods are there for the group to be tried. */
static bool is_ready(const dray_plan_gang *gang) {
    if (!gang->holds_groups)
        return gang->group != NULL && (int64_t)gang->pods.n >= dray_plan_gang_min(gang);
    int64_t ready = 0;
    for (size_t i = 0; i < gang->children.n; i++)
        ready += is_ready(gang->children.v[i]);
    return gang->composite != NULL && ready >= dray_plan_gang_min(gang);
}

static dray_plan_status wait_for(dray_plan_cycle *cycle, const char *format, dray_str name) {
    return dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE,
                               dray_strf(cycle->arena, format, DRAY_ARG(name)));
}

static dray_plan_status wait_for_tree(dray_plan_cycle *cycle, const dray_plan_gang *gang) {
    for (const dray_plan_gang *g = gang->parent; g != NULL; g = g->parent)
        if (g->composite == NULL)
            return dray_plan_status_of(
                cycle->plan, DRAY_PLAN_UNRESOLVABLE,
                dray_strf(cycle->arena,
                          "failed to build hierarchy snapshot: composite pod group object not "
                          "found in state for compositepodgroup/" DRAY_FMT "/" DRAY_FMT,
                          DRAY_ARG(g->ns), DRAY_ARG(g->name)));
    const dray_plan_gang *root = dray_plan_gang_root((dray_plan_gang *)(uintptr_t)gang);
    if (is_ready(root))
        return DRAY_PLAN_STATUS_OK;
    return wait_for(cycle, "waiting for composite pod group \"" DRAY_FMT "\" tree to meet quorum",
                    root->name);
}

static dray_plan_status pre_enqueue(dray_plan_cycle *cycle, int slot) {
    const dray_plan_gang *gang = cycle->pod->gang;
    if (gang == NULL)
        return DRAY_PLAN_STATUS_OK;
    if (gang->group == NULL)
        return wait_for(
            cycle, "waiting for pods's pod group \"" DRAY_FMT "\" to appear in scheduling queue",
            gang->name);
    if (gang->parent != NULL)
        return wait_for_tree(cycle, gang);
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
