/* Documents as objects of the API: decoded, defaulted, checked, and what a cluster would make of
 * them: priorities by class, the Pods of workloads.
 *
 *     dray_objects objects;
 *     int status = dray_objects_init(&objects, args, wanted);      reads gates and files
 *     if (status == DRAY_EXIT_OK) {
 *         dray_objects_expand(&objects);
 *         dray_cluster *cluster = dray_objects_cluster(&objects);  …
 *         dray_cluster_free(cluster);
 *     }
 *     dray_objects_done(&objects);
 */
#ifndef DRAY_CLI_OBJECTS_H
#define DRAY_CLI_OBJECTS_H

#include "api/types.h"
#include "base/map.h"
#include "celk8s/celk8s.h"
#include "cli/input.h"
#include "cluster/cluster.h"

typedef bool dray_kind_test(const dray_kind *kind);

typedef struct dray_loaded {
    dray_object object; /* of the hub's version */
    const char *file;   /* NULL: made from a workload */
    uint32_t line;
    const dray_node *root;
    const dray_kind *sent; /* the version that it came in */
} dray_loaded;

typedef struct dray_objects {
    dray_input *input;
    dray_arena *arena;
    dray_gates gates;
    dray_time now;
    dray_str ns; /* of objects that name none */
    dray_kind_test *wanted;
    DRAY_VEC(dray_loaded) list;
    DRAY_VEC(dray_loaded) refused; /* decoded, but validation found errors */
    DRAY_VEC(const dray_core_namespace *) namespaces;
    DRAY_VEC(dray_str) added; /* names of nodes that --add-nodes made */
    dray_map told;            /* kinds that were warned about */
    dray_cel_zones *zones;
    dray_celk8s *celk8s;
    dray_cel_functions cel;
} dray_objects;

/* The kinds that a placement depends on. */
bool dray_objects_for_plan(const dray_kind *kind);

/* Gates by the flags kubernetes-version and feature-gates. DRAY_EXIT_USAGE (told) for bad ones. */
int dray_objects_gates(const dray_args *args, dray_gates *ret);
/* Reads what -f names; kinds that are not wanted are passed over. DRAY_EXIT_OK, or DRAY_EXIT_USAGE
 * (told). What was wrong with single documents is in input->errors. */
int dray_objects_init(dray_objects *objects, const dray_args *args, dray_kind_test *wanted);
/* The same, with messages going to `tell`. */
int dray_objects_init_telling(dray_objects *objects, const dray_args *args, dray_kind_test *wanted,
                              dray_input_tell *tell, void *teller);
void dray_objects_done(dray_objects *objects);

/* Reads one more file, whose objects come last in the list; path must live as long as they. */
void dray_objects_read(dray_objects *objects, const char *path);
/* An object that the input did not hold: it gets a uid. */
void dray_objects_add(dray_objects *objects, dray_object object);

/* Adds the Pods of workloads that have none in the input, and fills priorities. */
void dray_objects_expand(dray_objects *objects);

/* A picture of them all; freed by dray_cluster_free before the objects. */
dray_cluster *dray_objects_cluster(const dray_objects *objects);

#endif
