/* Which nodes a selector means: core/v1 NodeSelector over a node's labels and name.
 *
 *     dray_err err = DRAY_ERR_INIT;
 *     if (dray_node_selector_check(selector, DRAY_STR(""), &err) == DRAY_OK)
 *         on = dray_node_selector_match(selector, node);
 *
 * Terms are OR-ed, what stands in a term is AND-ed, an empty term matches nothing. Source:
 * component-helpers' nodeaffinity. Pure; any thread.
 */
#ifndef DRAY_CLUSTER_NODE_SELECTOR_H
#define DRAY_CLUSTER_NODE_SELECTOR_H

#include "api/types.h"
#include "base/err.h"

/* DRAY_E_INVALID for a term that cannot be read (an operator or values that don't go together);
 * path ("spec.nodeSelector" or "") stands before the place in the text. */
dray_code dray_node_selector_check(const dray_core_node_selector *selector, dray_str path,
                                   dray_err *err);
/* False too where no term can be read: a term that can't is passed over. node may be NULL. */
bool dray_node_selector_match(const dray_core_node_selector *selector, const dray_core_node *node);
/* As the scheduler asks it: DRAY_E_INVALID where no term matches and one could not be read. */
dray_code dray_node_selector_match_strictly(const dray_core_node_selector *selector,
                                            const dray_core_node *node, bool *ret_match,
                                            dray_err *err);
/* One term, for preferences: an empty one or one that can't be read matches nothing. */
bool dray_node_selector_term_match(const dray_core_node_selector_term *term,
                                   const dray_core_node *node);
/* As Kubernetes' errors show a selector; in arena. */
dray_str dray_node_selector_text(const dray_core_node_selector *selector, dray_arena *arena);
/* One requirement over labels: In, NotIn, Exists, DoesNotExist, Gt, Lt. */
bool dray_node_requirement_match(const dray_core_node_selector_requirement *requirement,
                                 dray_string_map labels);

#endif
