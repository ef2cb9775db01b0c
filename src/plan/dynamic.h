/* What the files of the DynamicResources plugin share. Private to the room. */
#ifndef DRAY_PLAN_DYNAMIC_H
#define DRAY_PLAN_DYNAMIC_H

#include "cluster/inventory.h"
#include "plan/plan_int.h"

/* One claim of the Pod. */
typedef struct dray_plan_claim {
    const dray_resource_claim *claim;
    const dray_resource_allocation_result *allocation; /* NULL: to be allocated */
    bool blocked;       /* its devices failed to get ready, or took too long */
    bool needs_feature; /* a device of it skips node operations */
    bool unavailable;   /* on some node that was asked */
} dray_plan_claim;

/* What was found for one view of the devices: nodes that see the same pools are told the same. */
enum { DRAY_PLAN_VIEWS_MAX = 16 };
typedef struct dray_plan_seen_view {
    dray_pool_view *const *pools;
    size_t n_pools;
    bool optional_operations; /* the node declares DRAOptionalNodeOperations */
    dray_plan_status status;
    int64_t points;
} dray_plan_seen_view;

/* The claims to allocate on nodes where devices serve the same extended resources. */
typedef struct dray_plan_variant {
    uint64_t served; /* bit i: extended.v[i] of the state */
    const dray_resource_claim **claims;
    size_t n;
    const dray_resource_claim *extended; /* the claim for extended resources, or NULL */
    const dray_core_container_extended_resource_request *mappings;
    size_t n_mappings;
    dray_alloc_job *job;
    struct dray_plan_kind *kind; /* of claims; NULL: not known, or none */
    bool has_kind;               /* it was looked for */
    dray_plan_seen_view seen[DRAY_PLAN_VIEWS_MAX];
    size_t n_seen;
} dray_plan_variant;

enum { DRAY_PLAN_EXTENDED_MAX = 64 }; /* extended resources of one Pod that matter */

typedef struct dray_plan_dynamic {
    dray_plan_claim *claims;
    size_t n, n_user, n_to_allocate;
    const dray_resource_claim *extended; /* the last of claims, or NULL */
    bool leftover;                       /* it stands in the picture */
    struct dray_plan_extended {          /* what the Pod asks for that devices might serve */
        dray_str name;
        uint32_t id;
        int64_t count;
        const dray_resource_device_class *class;
    } wanted[DRAY_PLAN_EXTENDED_MAX];
    size_t n_wanted;
    DRAY_VEC(dray_plan_variant) variants;
    int64_t *points; /* by node: the score; NULL where no claim has alternatives */
} dray_plan_dynamic;

/* Fills ret with the Pod's claims; false, with the text why not. */
bool dray_plan_pod_claims(const dray_plan *plan, const dray_core_pod *pod, dray_arena *arena,
                          const dray_resource_claim ***ret, size_t *ret_n, dray_str *ret_why);
/* Looks for extended resources that classes stand for; sets extended, leftover and wanted. */
void dray_plan_find_extended(dray_plan_cycle *cycle, dray_plan_dynamic *state);
/* The requests for the resources of `served`, and who gets them, written into a copy of the
 * special claim. */
void dray_plan_extended_requests(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                                 dray_plan_variant *variant);
/* The variant for the node; NULL when the Pod needs no devices there. rejected is the text that
 * refuses the node, when there is one. */
dray_plan_variant *dray_plan_variant_of(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                                        const dray_plan_node *node, const char **rejected);

/* The slot of the plugin. */
int dray_plan_dynamic_slot(void);

#endif
