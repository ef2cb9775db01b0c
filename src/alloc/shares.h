/* Devices as parts of wholes, for those who weigh them: how much of each a request would take, and
 * how much of each is left. For devices that stand alone: others need trials (trial.h).
 *
 *     uint16_t *shares = dray_alloc_shares(job, node, arena, &n);
 *     if (shares != NULL && shares[pos] != 0)
 *         what the job's first request takes of the device at pos, in thousandths
 *
 * A position is that of the node's view (cluster/inventory.h); n is 64 × its words. NULL where the
 * devices or the claim can't be read; the job's run tells why. Thread rule: the picture's.
 */
#ifndef DRAY_ALLOC_SHARES_H
#define DRAY_ALLOC_SHARES_H

#include "alloc/trial.h"

/* Whether no device of the node draws on anything that others draw on, and none that may be shared
 * has more than one capacity. */
bool dray_alloc_stands_alone(dray_alloc *alloc, dray_cluster_node *node);
/* 0: the device will not do, whatever is free. A device that isn't shared is taken whole. Lives in
 * arena, as what follows. */
uint16_t *dray_alloc_shares(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                            size_t *ret_n);
/* 0: somebody has it. */
uint16_t *dray_alloc_left(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                          size_t *ret_n);

#endif
