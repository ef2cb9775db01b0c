/* Devices as parts of wholes, for those who weigh them: how much of each a request would take, and
 * how much of each is left.
 *
 *     uint16_t *shares = dray_alloc_shares(job, node, arena, &n);
 *     if (shares != NULL && shares[pos] != 0)
 *         what the job's first request takes of the device at pos, in thousandths
 *
 * Of several capacities the scarcest one counts. A position is that of the node's view
 * (cluster/inventory.h); n is 64 × its words. NULL where the devices or the claim can't be read;
 * the job's run tells why. Thread rule: the picture's.
 */
#ifndef DRAY_ALLOC_SHARES_H
#define DRAY_ALLOC_SHARES_H

#include "alloc/alloc.h"

enum { DRAY_ALLOC_WHOLE = 1000 }; /* thousandths */

/* 0: the device will not do, whatever is free. A device that isn't shared is taken whole. Lives in
 * arena, as what follows. */
uint16_t *dray_alloc_shares(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                            size_t *ret_n);
/* 0: somebody has it, or counters that it draws on are used up. */
uint16_t *dray_alloc_left(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                          size_t *ret_n);

#endif
