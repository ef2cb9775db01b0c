/* Who is meant: label selectors, node selectors, tolerations, as kube-scheduler reads them.
 *
 *     dray_plan_selector s = dray_plan_selector_of(term->label_selector, arena);
 *     if (dray_plan_selector_match(&s, pod->metadata->labels)) …
 *
 * Values borrow from the objects they were made of. Pure; any thread.
 * Node selectors themselves are cluster/node_selector.h's. Source: apimachinery's labels,
 * component-helpers' nodeaffinity, core/v1 Toleration.
 */
#ifndef DRAY_PLAN_SELECT_H
#define DRAY_PLAN_SELECT_H

#include "api/types.h"
#include "base/vec.h"

typedef enum dray_plan_op {
    DRAY_PLAN_OP_IN,
    DRAY_PLAN_OP_NOT_IN,
    DRAY_PLAN_OP_EXISTS,
    DRAY_PLAN_OP_NOT_EXISTS,
    DRAY_PLAN_OP_NONE, /* no operator of that name */
} dray_plan_op;

typedef struct dray_plan_requirement {
    dray_str key;
    dray_plan_op op;
    dray_strings values;
} dray_plan_requirement;

/* n == 0 selects everything, unless `nothing`. */
typedef struct dray_plan_selector {
    DRAY_VEC(dray_plan_requirement) all;
    bool nothing;
} dray_plan_selector;

/* An absent selector selects nothing, an empty one everything. */
dray_plan_selector dray_plan_selector_of(const dray_meta_label_selector *selector,
                                         dray_arena *arena);
void dray_plan_selector_add(dray_plan_selector *selector, dray_arena *arena, dray_str key,
                            dray_str value);
void dray_plan_selector_add_map(dray_plan_selector *selector, dray_arena *arena,
                                dray_string_map map);
bool dray_plan_selector_match(const dray_plan_selector *selector, dray_string_map labels);
static inline bool dray_plan_selector_empty(const dray_plan_selector *selector) {
    return !selector->nothing && selector->all.n == 0;
}

/* Whether labels has key. */
bool dray_plan_has_label(dray_string_map labels, dray_str key);
/* spec.nodeSelector and the required node affinity together. */
bool dray_plan_required_affinity_match(const dray_core_pod_spec *spec, const dray_core_node *node);

/* numeric: whether the operators Lt and Gt count (TaintTolerationComparisonOperators). */
bool dray_plan_tolerates(const dray_core_toleration *toleration, const dray_core_taint *taint,
                         bool numeric);
/* Whether any of the spec's tolerations does. */
bool dray_plan_spec_tolerates(const dray_core_pod_spec *spec, const dray_core_taint *taint,
                              bool numeric);
/* The first NoSchedule or NoExecute taint of the node that spec does not tolerate, or NULL. */
const dray_core_taint *dray_plan_untolerated(const dray_core_pod_spec *spec,
                                             const dray_core_node *node, bool numeric);

/* The spec of a Pod's controlling owner reference, or NULL. */
const dray_meta_owner_reference *dray_plan_controller_of(const dray_meta_object_meta *meta);
/* spec.priority, 0 when absent. */
static inline int32_t dray_plan_priority(const dray_core_pod *pod) {
    return pod->spec->priority.set ? pod->spec->priority.v : 0;
}

#endif
