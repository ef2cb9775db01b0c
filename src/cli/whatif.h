/* What --add-nodes and --remove-nodes say: done, and where they say `auto`, found out by placing.
 *
 *     dray_whatif what;
 *     int status = dray_whatif_read(&what, args, &objects);
 *     if (status == DRAY_EXIT_OK)
 *         status = dray_whatif_settle(&what, place, context);     objects are changed now
 *     … the plan …
 *     dray_whatif_print(&what, stdout);
 *
 * Numbers are the smallest with which as many of the pending Pods as any number helps are placed:
 * with one node fewer of any kind another Pod stays pending. Nodes go one beside another, the
 * emptiest first, as long as no Pod stays pending that is not pending anyway.
 */
#ifndef DRAY_CLI_WHATIF_H
#define DRAY_CLI_WHATIF_H

#include "cli/nodes.h"

enum { DRAY_WHATIF_PATTERNS_MAX = 16, DRAY_WHATIF_TRIALS_MAX = 1000 };

typedef struct dray_whatif_placed {
    dray_strings pending; /* Pods that stay so, namespace/name */
    size_t n_pods;        /* that there were to place */
} dray_whatif_placed;

/* Expands objects and places all; what it returns lives in arena. */
typedef dray_whatif_placed dray_whatif_place(void *context, dray_objects *objects,
                                             dray_arena *arena);

typedef struct dray_whatif_node {
    dray_str name;
    size_t moving;  /* Pods that become pending with it */
    uint64_t shape; /* equal for empty nodes that differ in their names alone; 0: it isn't empty */
    dray_str why;   /* it stays; absent: it goes */
} dray_whatif_node;

typedef struct dray_whatif {
    const dray_args *args;
    dray_objects *objects;
    dray_arena *arena; /* of what is told */
    dray_node_pattern patterns[DRAY_WHATIF_PATTERNS_MAX];
    size_t n_patterns;
    dray_map removed; /* names that were given */
    bool remove;      /* as many as can go */
    DRAY_VEC(dray_whatif_node) nodes;
    dray_whatif_placed before; /* without any change */
    dray_str last;             /* the Pod for which the last node is needed */
    size_t trials;
    bool progress; /* tell how many */
    dray_whatif_place *place;
    void *context;
} dray_whatif;

/* DRAY_EXIT_OK, or DRAY_EXIT_USAGE (told). */
int dray_whatif_read(dray_whatif *what, const dray_args *args, dray_objects *objects);
int dray_whatif_settle(dray_whatif *what, dray_whatif_place *place, void *context);
/* What was found out; wide: also why nodes stay. */
void dray_whatif_print(const dray_whatif *what, bool wide, FILE *to);

#endif
