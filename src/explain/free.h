/* What is free: for each class its devices, and how many of them nobody holds.
 *
 *     dray_free_list list = dray_explain_free(cluster, celk8s, arena);
 *     for (size_t i = 0; i < list.n; i++) … list.v[i].name, .free, .total
 *
 * Only devices of a pool's newest generation count; a device that may be shared is free while
 * nobody has it to himself, a partition while others leave enough of what it draws on. Pure; the
 * picture's thread.
 */
#ifndef DRAY_EXPLAIN_FREE_H
#define DRAY_EXPLAIN_FREE_H

#include "celk8s/celk8s.h"
#include "cluster/cluster.h"

typedef struct dray_free_class {
    dray_str name;
    uint64_t total, free, shared; /* shared: free, but in part taken */
    /* What is left of the shared ones together, in devices: of each, the least of any capacity that
     * its shares draw on. */
    double left;
    dray_str error; /* a selector can't be compiled or failed; counts leave those out */
} dray_free_class;
typedef struct dray_free_list {
    dray_free_class *v; /* by name */
    size_t n;
} dray_free_list;

dray_free_list dray_explain_free(dray_cluster *cluster, dray_celk8s *celk8s, dray_arena *arena);

#endif
