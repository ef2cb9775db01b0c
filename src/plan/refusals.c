/* Why a node has not the devices that a Pod's claims ask for. */
#include "plan/dynamic.h"

void dray_plan_refusals(dray_plan_cycle *cycle, dray_plan_node *node, const dray_plan_refusal **ret,
                        size_t *ret_n) {
    dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    const char *rejected = NULL;
    *ret = NULL;
    *ret_n = 0;
    if (state == NULL || state->n_to_allocate == 0)
        return;
    dray_plan_variant *variant = dray_plan_variant_of(cycle, state, node, &rejected);
    if (variant == NULL)
        return;
    dray_alloc_options options = {.reasons = true};
    dray_alloc_job *job =
        dray_alloc_begin(cycle->plan->alloc, variant->claims, variant->n, &options, cycle->arena);
    dray_alloc_outcome out;
    dray_alloc_run(job, node->seen, cycle->arena, &out);
    dray_plan_refusal *refusals = DRAY_NEW_N(cycle->arena, dray_plan_refusal, out.n_reasons);
    for (size_t i = 0; i < out.n_reasons; i++)
        refusals[i] = (dray_plan_refusal){
            .claim = variant->claims[out.reasons[i].claim],
            .request = out.reasons[i].request,
            .cause = dray_alloc_cause_id(out.reasons[i].cause),
            .order = (int)out.reasons[i].cause,
            .count = out.reasons[i].count,
            .example = out.reasons[i].example,
        };
    *ret = refusals;
    *ret_n = out.n_reasons;
}
