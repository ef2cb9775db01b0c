/* What to do for a change that an explanation offers.
 *
 *     dray_explain_steps(&out, &answer.fixes[0], cluster, DRAY_STR("app"), release, arena);
 */
#ifndef DRAY_CLI_EXPLAIN_STEPS_H
#define DRAY_CLI_EXPLAIN_STEPS_H

#include "cluster/cluster.h"
#include "explain/explain.h"

/* Lines with kubectl's commands, fields that change and manifests to apply; before is the picture
 * without the change, pod the name of the Pod that waits. */
void dray_explain_steps(dray_buf *out, const dray_explain_fix *fix, const dray_cluster *before,
                        dray_str pod, int release, dray_arena *arena);

#endif
