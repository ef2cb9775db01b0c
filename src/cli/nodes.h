/* Nodes that come and go: what --add-nodes and --remove-nodes say.
 *
 *     dray_node_pattern pattern;
 *     int status = dray_nodes_read_pattern(objects, "3=big.yaml", &pattern);
 *     status = dray_nodes_add(objects, &pattern, pattern.n);
 *     dray_nodes_remove(objects, &names, true);
 *
 * Objects are changed by putting copies in their place, so that a caller who keeps objects->list
 * and objects->added can go back to them. Before dray_objects_expand.
 */
#ifndef DRAY_CLI_NODES_H
#define DRAY_CLI_NODES_H

#include "cli/command.h"
#include "cli/objects.h"

enum { DRAY_NODES_ADDED_MAX = 10000 };

/* A Node with its ResourceSlices, to be copied. */
typedef struct dray_node_pattern {
    const char *text; /* of the flag */
    bool automatic;   /* as many as are needed */
    size_t n;         /* else so many */
    const dray_loaded *loaded;
    size_t n_loaded;
    dray_str node; /* the name of the node there */
} dray_node_pattern;

/* "N=FILE", "auto=FILE", "N=node/NAME" (of the input). DRAY_EXIT_OK, or DRAY_EXIT_USAGE (told). */
int dray_nodes_read_pattern(dray_objects *objects, const char *text, dray_node_pattern *ret);
/* n copies, NODE-1 and so on; status as before. */
int dray_nodes_add(dray_objects *objects, const dray_node_pattern *pattern, size_t n);

/* Puts the names of "NAME,…" into ret. DRAY_EXIT_USAGE (told) where there is no such Node. */
int dray_nodes_read_names(const dray_objects *objects, const char *text, dray_map *ret);
/* The nodes go with their slices, and with the Pods there; those that a controller makes anew
 * become pending. tell: on standard error, which Pods are lost. */
void dray_nodes_remove(dray_objects *objects, const dray_map *names, bool tell);

/* The owner that makes the Pod anew elsewhere; NULL: none, or one whose Pods are their nodes' own
 * (DaemonSet, Node). */
const dray_meta_owner_reference *dray_nodes_controller(const dray_core_pod *pod);
/* Whether it still runs, as far as the input tells. */
bool dray_nodes_is_running(const dray_core_pod *pod);

#endif
