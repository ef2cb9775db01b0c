/* A plan that follows its picture: objects that change between two questions. */
#include "plan/allocatable.h"
#include "plan/gang.h"
#include "plan/plan_int.h"

#include "api/engine.h"
#include "api/rules/template_claim.h"

static dray_plan_pod *pod_of(const dray_plan *plan, const dray_core_pod *pod) {
    for (size_t i = 0; i < plan->world.pods.n; i++)
        if (plan->world.pods.v[i]->given == pod)
            return plan->world.pods.v[i];
    return NULL;
}

/* A Pod that counts for more than its node: others would have to be looked at with it. */
static bool is_entangled(const dray_core_pod *pod) {
    return pod != NULL &&
           (pod->spec->scheduling_group != NULL || pod->status->nominated_node_name.n != 0);
}

static bool pod_changed(dray_plan *plan, const void *before, const void *after) {
    if (is_entangled(before) || is_entangled(after))
        return false;
    dray_plan_pod *old = before != NULL ? pod_of(plan, before) : NULL;
    if (old != NULL)
        dray_plan_world_forget(&plan->world, old);
    if (after != NULL)
        dray_plan_world_admit(&plan->world, after);
    plan->pod_of_uid.arena = NULL;
    return true;
}

static bool same_images(const dray_core_node *a, const dray_core_node *b) {
    return a->status->images.n == 0 && b->status->images.n == 0;
}

static bool node_changed(dray_plan *plan, const void *before, const void *after) {
    if (before == NULL || after == NULL || !same_images(before, after))
        return false;
    const dray_core_node *body = after;
    dray_plan_node *node = dray_plan_node_find(&plan->world, body->metadata->name);
    if (node == NULL)
        return false;
    dray_plan_world_renew(&plan->world, node, body);
    return true;
}

static bool is_leftover(const dray_resource_claim *claim) {
    return claim != NULL && dray_string_map_find(claim->metadata->annotations,
                                                 DRAY_STR(DRAY_EXTENDED_CLAIM_ANNOTATION))
                                    .p != NULL;
}

static bool claim_changed(dray_plan *plan, const void *before, const void *after) {
    return !is_leftover(before) && !is_leftover(after);
}

static bool class_changed(dray_plan *plan, const void *before, const void *after) {
    dray_plan_map_classes(plan);
    return true;
}

static bool slice_changed(dray_plan *plan, const void *before, const void *after) {
    return !dray_plan_maps_allocatable(plan);
}

static bool unseen(dray_plan *plan, const void *before, const void *after) {
    return true;
}

static const struct {
    const dray_type *type;
    bool (*changed)(dray_plan *plan, const void *before, const void *after);
} rows[] = {
    {&dray_type_core_pod, pod_changed},           {&dray_type_core_node, node_changed},
    {&dray_type_resource_claim, claim_changed},   {&dray_type_resource_device_class, class_changed},
    {&dray_type_resource_slice, slice_changed},   {&dray_type_resource_device_taint_rule, unseen},
    {&dray_type_resource_claim_template, unseen}, {&dray_type_core_resource_quota, unseen},
};

bool dray_plan_follow(dray_plan *plan, const dray_type *type, const void *before,
                      const void *after) {
    if (plan->maps_allocatable || plan->keeps || plan->n_shapes != 0)
        return false;
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        if (rows[i].type == type)
            return rows[i].changed(plan, before, after);
    return false;
}
