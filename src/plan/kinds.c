/* Kinds of claims, and what the allocator said of them. */
#include "plan/kinds.h"

#include "api/engine.h"

typedef struct dray_plan_kept {
    uint64_t shared_changes; /* of the plan, then, + 1; 0: nothing is kept */
    size_t changed_at;       /* of the node */
    dray_plan_verdict verdict;
} kept;

static dray_plan_kind *new_kind(dray_plan *plan, const dray_resource_claim *const *claims,
                                size_t n) {
    dray_plan_kind *kind = DRAY_NEW(plan->arena, dray_plan_kind);
    kind->number = plan->kinds.n;
    kind->n = n;
    kind->claims = DRAY_NEW_N(plan->arena, const dray_resource_claim *, n + 1);
    for (size_t i = 0; i < n; i++)
        kind->claims[i] = dray_api_copy(&dray_type_resource_claim, claims[i], plan->arena);
    return kind;
}

dray_plan_kind *dray_plan_kind_of(dray_plan *plan, const dray_resource_claim *const *claims,
                                  size_t n) {
    dray_buf key = DRAY_BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        dray_api_encode_type(&key, &dray_type_resource_claim_spec, claims[i]->spec);
        dray_buf_putc(&key, '\n');
    }
    dray_plan_kind *kind = dray_map_find(&plan->kinds, dray_buf_str(&key));
    if (kind == NULL && plan->kinds.n < DRAY_PLAN_KINDS_MAX) {
        kind = new_kind(plan, claims, n);
        dray_map_put(&plan->kinds, dray_str_dup(plan->arena, dray_buf_str(&key)), kind);
    }
    dray_buf_done(&key);
    return kind;
}

bool dray_plan_kind_find(const dray_plan *plan, const dray_plan_kind *kind,
                         const dray_plan_node *node, dray_plan_verdict *ret) {
    const kept *k = kind->kept != NULL ? &kind->kept[node->index] : NULL;
    if (k == NULL || k->shared_changes != plan->shared_changes + 1 ||
        k->changed_at != plan->changed_at[node->index])
        return false;
    *ret = k->verdict;
    return true;
}

void dray_plan_kind_keep(dray_plan *plan, dray_plan_kind *kind, const dray_plan_node *node,
                         dray_plan_verdict verdict) {
    size_t n = plan->world.n_nodes;
    if (kind->kept == NULL && plan->n_kept + n <= DRAY_PLAN_KIND_CELLS_MAX) {
        kind->kept = DRAY_NEW_N(plan->arena, kept, n);
        plan->n_kept += n;
    }
    if (kind->kept != NULL)
        kind->kept[node->index] =
            (kept){plan->shared_changes + 1, plan->changed_at[node->index], verdict};
}
