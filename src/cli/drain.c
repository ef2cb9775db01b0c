/* Whether nodes could be drained: Pods that nobody makes anew, and budgets that allow nothing. */
#include "cli/drain.h"

#include "cli/nodes.h"
#include "plan/plan.h"

#define CONTROL_PLANE_LABEL "node-role.kubernetes.io/control-plane"
#define SAFE_TO_EVICT "cluster-autoscaler.kubernetes.io/safe-to-evict"

typedef struct dray_drain_budget budget;

static bool guards(const budget *b, const dray_core_pod *pod) {
    return dray_str_eq(b->is->metadata->namespace, pod->metadata->namespace) &&
           dray_plan_selector_match(&b->selector, pod->metadata->labels);
}

/* "30%" of n, rounded up, or the number; -1: nothing is said. */
static int64_t amount_of(dray_int_or_string said, int64_t n) {
    int64_t percent = 0;
    if (said.kind == DRAY_IOS_INT)
        return said.i;
    if (said.kind == DRAY_IOS_ABSENT)
        return -1;
    for (size_t i = 0; i < said.s.n && said.s.p[i] >= '0' && said.s.p[i] <= '9'; i++)
        percent = percent < 1000 ? percent * 10 + (said.s.p[i] - '0') : percent;
    return (n * percent + 99) / 100;
}

/* As the controller wrote it down; worked out where it has not come by. Source: policy/v1
 * PodDisruptionBudget. */
static bool allows_one(const dray_objects *objects, const budget *b) {
    const dray_policy_pod_disruption_budget *is = b->is;
    if (is->status->observed_generation != 0 || is->status->expected_pods != 0)
        return is->status->disruptions_allowed > 0;
    int64_t n = 0;
    for (size_t i = 0; i < objects->list.n; i++) {
        const dray_loaded *loaded = &objects->list.v[i];
        const dray_core_pod *pod =
            loaded->object.kind->type == &dray_type_core_pod ? loaded->object.body : NULL;
        n += pod != NULL && pod->spec->node_name.n != 0 && dray_nodes_is_running(pod) &&
             guards(b, pod);
    }
    int64_t least = amount_of(is->spec->min_available, n);
    int64_t most = amount_of(is->spec->max_unavailable, n);
    return least >= 0 ? n > least : most != 0;
}

void dray_drain_init(dray_drain *drain, const dray_objects *objects, dray_arena *arena) {
    *drain = (dray_drain){.arena = arena};
    for (size_t i = 0; i < objects->list.n; i++) {
        const dray_loaded *loaded = &objects->list.v[i];
        if (loaded->object.kind->type != &dray_type_policy_pod_disruption_budget)
            continue;
        budget made = {.is = loaded->object.body};
        made.selector = dray_plan_selector_of(made.is->spec->selector, arena);
        made.allows_one = allows_one(objects, &made);
        DRAY_PUSH(arena, &drain->budgets, made);
    }
}

bool dray_drain_moves(const dray_core_pod *pod) {
    return pod->spec->node_name.n != 0 && dray_nodes_is_running(pod) &&
           (dray_nodes_controller(pod) != NULL || pod->metadata->owner_references.n == 0);
}

static dray_str budget_obstacle(const dray_drain *drain, const dray_core_pod *pod) {
    const dray_meta_object_meta *meta = pod->metadata;
    size_t n = 0;
    for (size_t i = 0; i < drain->budgets.n; i++) {
        const budget *b = &drain->budgets.v[i];
        if (!guards(b, pod))
            continue;
        if (++n > 1)
            return dray_strf(drain->arena,
                             "Pod " DRAY_FMT "/" DRAY_FMT
                             " has more than one PodDisruptionBudget: it can't be evicted",
                             DRAY_ARG(meta->namespace), DRAY_ARG(meta->name));
        if (!b->allows_one)
            return dray_strf(drain->arena,
                             "PodDisruptionBudget " DRAY_FMT "/" DRAY_FMT
                             " allows no disruption of Pod " DRAY_FMT,
                             DRAY_ARG(meta->namespace), DRAY_ARG(b->is->metadata->name),
                             DRAY_ARG(meta->name));
    }
    return DRAY_STR_NONE;
}

dray_str dray_drain_obstacle(const dray_drain *drain, const dray_core_pod *pod) {
    const dray_meta_object_meta *meta = pod->metadata;
    dray_str scheduler = pod->spec->scheduler_name;
    const char *why = NULL;
    if (dray_nodes_controller(pod) == NULL)
        why = "would be lost: no controller makes it anew";
    else if (dray_str_is(dray_string_map_find(meta->annotations, DRAY_STR(SAFE_TO_EVICT)), "false"))
        why = "is not safe to evict, as its annotation says";
    else if (scheduler.n != 0 && !dray_str_is(scheduler, DRAY_PLAN_SCHEDULER))
        why = "is placed by another scheduler";
    if (why == NULL)
        return budget_obstacle(drain, pod);
    return dray_strf(drain->arena, "Pod " DRAY_FMT "/" DRAY_FMT " %s", DRAY_ARG(meta->namespace),
                     DRAY_ARG(meta->name), why);
}

dray_str dray_drain_node_obstacle(const dray_core_node *node) {
    return dray_plan_has_label(node->metadata->labels, DRAY_STR(CONTROL_PLANE_LABEL))
               ? DRAY_STR("it is of the control plane")
               : DRAY_STR_NONE;
}
