/* What a Pod gets on the node that was chosen. */
#include "plan/allocatable.h"

static dray_code grant(dray_plan_cycle *cycle, dray_plan_dynamic *state, dray_plan_variant *variant,
                       dray_plan_node *node, dray_plan_picks wanted, dray_plan_granted *ret,
                       dray_err *err) {
    dray_alloc_job *job = dray_alloc_begin(
        cycle->plan->alloc, variant->claims, variant->n,
        &(dray_alloc_options){.results = true, .picks = wanted.v, .n_picks = wanted.n},
        cycle->arena);
    dray_alloc_outcome out;
    dray_alloc_run(job, node->seen, cycle->arena, &out);
    if (out.kind != DRAY_ALLOC_FITS)
        return dray_err_set(err, DRAY_E_CONFLICT, "claim allocation not found for node");
    ret->n = variant->n;
    ret->claims = variant->claims;
    ret->allocations = out.allocations;
    ret->extended = variant->extended;
    ret->mappings = variant->mappings;
    ret->n_mappings = variant->n_mappings;
    return DRAY_OK;
}

/* Whether the node has what the devices take of its own resources. */
static bool is_spared(dray_plan_cycle *cycle, dray_plan_dynamic *state, dray_plan_node *node,
                      const dray_plan_granted *granted) {
    dray_plan_holding holding = {granted->claims, granted->allocations, granted->n};
    const dray_core_pod *pod;
    return !cycle->plan->maps_allocatable ||
           dray_plan_check_allocatable(cycle, state, node, &holding, &pod).code == DRAY_PLAN_OK;
}

/* The devices that packing prefers, where they may be had; else what Kubernetes would give. */
static dray_code grant_wanted(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                              dray_plan_variant *variant, dray_plan_node *node,
                              dray_plan_granted *ret, dray_err *err) {
    if (cycle->wanted.n != 0 &&
        grant(cycle, state, variant, node, cycle->wanted, ret, NULL) == DRAY_OK &&
        is_spared(cycle, state, node, ret))
        return DRAY_OK;
    return grant(cycle, state, variant, node, (dray_plan_picks){0}, ret, err);
}

dray_code dray_plan_grant(dray_plan_cycle *cycle, dray_plan_node *node, dray_plan_granted *ret,
                          dray_err *err) {
    dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    dray_plan_granted made = {0};
    if (state == NULL || state->n == 0) {
        *ret = made;
        return DRAY_OK;
    }
    const dray_resource_claim **used =
        DRAY_NEW_N(cycle->arena, const dray_resource_claim *, state->n_user);
    for (size_t i = 0; i < state->n_user; i++)
        used[i] = state->claims[i].claim;
    made.used = used;
    made.n_used = state->n_user;
    const char *rejected = NULL;
    dray_plan_variant *variant = dray_plan_variant_of(cycle, state, node, &rejected);
    if (rejected != NULL)
        return dray_err_set(err, DRAY_E_CONFLICT, "%s", rejected);
    dray_code code = DRAY_OK;
    if (variant != NULL && state->n_to_allocate != 0)
        code = grant_wanted(cycle, state, variant, node, &made, err);
    if (code == DRAY_OK && cycle->plan->maps_allocatable) {
        dray_plan_holding holding = {made.claims, made.allocations, made.n};
        dray_plan_check_allocatable(cycle, state, node, &holding, &made.with_status);
    }
    if (code == DRAY_OK)
        *ret = made;
    return code;
}
