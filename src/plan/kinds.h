/* Kinds of claims: lists of claims that ask for the same, whatever their names are, and what was
 * found out for them on each node. Private to the room.
 *
 *     dray_plan_kind *kind = dray_plan_kind_of(plan, claims, n);
 *     if (kind == NULL || !dray_plan_kind_find(plan, kind, node, &verdict))
 *         ask the allocator, then dray_plan_kind_keep(plan, kind, node, verdict)
 *
 * What is kept holds until the node changes (dray_plan_note_change), or anything that nodes share.
 */
#ifndef DRAY_PLAN_KINDS_H
#define DRAY_PLAN_KINDS_H

#include "plan/plan_int.h"

enum {
    DRAY_PLAN_KINDS_MAX = 4096,
    DRAY_PLAN_KIND_CELLS_MAX = 4 << 20, /* verdicts of all kinds together */
};

/* What the allocator says of a node. */
typedef struct dray_plan_verdict {
    bool fits;
    int32_t points; /* for alternatives */
} dray_plan_verdict;

typedef struct dray_plan_kind {
    uint32_t number;
    const dray_resource_claim **claims; /* the first ones that asked so; the plan's own copies */
    size_t n;
    struct dray_plan_kept *kept; /* by node; NULL: none yet */
} dray_plan_kind;

/* NULL: there are too many. Lives as long as the plan. */
dray_plan_kind *dray_plan_kind_of(dray_plan *plan, const dray_resource_claim *const *claims,
                                  size_t n);

/* False: it isn't known. */
bool dray_plan_kind_find(const dray_plan *plan, const dray_plan_kind *kind,
                         const dray_plan_node *node, dray_plan_verdict *ret);
void dray_plan_kind_keep(dray_plan *plan, dray_plan_kind *kind, const dray_plan_node *node,
                         dray_plan_verdict verdict);

#endif
