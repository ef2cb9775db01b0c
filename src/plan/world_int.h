/* What a scheduler keeps of nodes and Pods beside their objects: sums of requests, ports, terms of
 * affinity, values of topology keys. Private to the room.
 *
 * A world is filled once from objects (world.c) and then changed only by dray_plan_node_add and
 * _remove. Nodes are sorted by name, so that "the first of the best" is "the best by name".
 */
#ifndef DRAY_PLAN_WORLD_INT_H
#define DRAY_PLAN_WORLD_INT_H

#include "base/map.h"
#include "cluster/cluster.h"
#include "obj/gates.h"
#include "plan/resources.h"
#include "plan/select.h"

typedef struct dray_plan_node dray_plan_node;
typedef struct dray_plan_gang dray_plan_gang; /* gang.h */

/* A term of (anti-)affinity with its namespaces. */
typedef struct dray_plan_term {
    dray_strings namespaces;
    dray_plan_selector selector, namespace_selector;
    dray_str topology_key;
    int32_t weight; /* of preferred ones */
} dray_plan_term;
typedef struct dray_plan_terms {
    dray_plan_term *v;
    size_t n;
} dray_plan_terms;

typedef struct dray_plan_port {
    dray_str ip, protocol;
    int32_t port;
} dray_plan_port;

typedef struct dray_plan_pod {
    const dray_core_pod *pod;
    const dray_core_pod *given; /* as it stands in the picture */
    dray_str key;               /* namespace/name */
    uint32_t index;
    size_t slot;          /* in the result of a run */
    dray_plan_node *node; /* where it runs; NULL while it is pending */
    bool evicted;         /* for trial or for good */
    uint32_t remade;      /* how often its controller made it anew in a run */
    dray_plan_gang *gang; /* NULL: it is in no group */
    int32_t priority;
    dray_plan_res request;           /* what it takes from a node */
    int64_t floor_cpu, floor_memory; /* the same with kube-scheduler's floor for what is not said */
    dray_plan_port *ports;
    size_t n_ports;
    dray_plan_terms need, avoid;     /* required affinity, anti-affinity */
    dray_plan_terms prefer, dislike; /* preferred ones */
} dray_plan_pod;

struct dray_plan_node {
    const dray_core_node *node;
    dray_cluster_node *seen; /* the same in the picture */
    dray_str name;
    uint32_t index;
    dray_plan_res allocatable, requested;
    int64_t floor_cpu, floor_memory;
    int64_t allowed_pods;
    DRAY_VEC(dray_plan_pod *) pods;
    uint32_t with_affinity, with_avoid; /* Pods that have any terms, required anti-affinity */
};

/* The values that a topology key has on the nodes, numbered. */
typedef struct dray_plan_topology {
    dray_str key;
    uint32_t *of_node; /* DRAY_PLAN_NO_VALUE where the node has no such label */
    uint32_t n_values;
} dray_plan_topology;
enum { DRAY_PLAN_NO_VALUE = UINT32_MAX };

typedef struct dray_plan_world {
    dray_arena *arena;
    dray_gates gates;
    dray_plan_node *nodes;
    size_t n_nodes;
    dray_map node_of;    /* name → dray_plan_node */
    dray_map namespaces; /* name → dray_core_namespace */
    dray_map topologies; /* key → dray_plan_topology */
    dray_map images;     /* normalised name → dray_plan_image */
    dray_plan_names resources;
    DRAY_VEC(dray_plan_pod *) pods;      /* all, in input order */
    DRAY_VEC(dray_plan_pod *) nominated; /* pending ones with status.nominatedNodeName */
    DRAY_VEC(const dray_core_service *) services;
    DRAY_VEC(const dray_core_replication_controller *) replication_controllers;
    DRAY_VEC(const dray_apps_replica_set *) replica_sets;
    DRAY_VEC(const dray_apps_stateful_set *) stateful_sets;
    DRAY_VEC(const dray_policy_pod_disruption_budget *) budgets;
    uint32_t with_affinity, with_avoid; /* nodes that have such Pods */
} dray_plan_world;

/* An image, and the nodes that have it. */
typedef struct dray_plan_image {
    int64_t size; /* bytes */
    dray_bits nodes;
    size_t n_nodes;
} dray_plan_image;

/* Takes what the plan needs of the picture, whose objects must outlive the world. */
void dray_plan_world_init(dray_plan_world *world, dray_cluster *cluster, dray_arena *arena);

/* Sums up anew what the Pod takes, after its status changed. Not while it is on a node. */
void dray_plan_pod_sum(dray_plan_world *world, dray_plan_pod *pod);
void dray_plan_node_add(dray_plan_world *world, dray_plan_node *node, dray_plan_pod *pod);
void dray_plan_node_remove(dray_plan_world *world, dray_plan_node *node, dray_plan_pod *pod);
/* One Pod more, fewer, and another body of a node that has the same images. */
void dray_plan_world_admit(dray_plan_world *world, const dray_core_pod *pod);
void dray_plan_world_forget(dray_plan_world *world, dray_plan_pod *pod);
void dray_plan_world_renew(dray_plan_world *world, dray_plan_node *node,
                           const dray_core_node *body);
dray_plan_node *dray_plan_node_find(const dray_plan_world *world, dray_str name);

const dray_plan_topology *dray_plan_topology_of(dray_plan_world *world, dray_str key);
dray_string_map dray_plan_namespace_labels(const dray_plan_world *world, dray_str name);
/* Whether pod, whose namespace has the labels given, is one that the term means. */
bool dray_plan_term_match(const dray_plan_term *term, const dray_core_pod *pod,
                          dray_string_map namespace_labels);
/* Writes the namespaces that the term's selector means today into a copy of the terms. */
dray_plan_terms dray_plan_terms_resolve(const dray_plan_world *world, dray_plan_terms terms,
                                        dray_arena *arena);

/* name, with :latest where it has no tag. */
dray_str dray_plan_image_name(dray_str name, dray_arena *arena);

static inline bool dray_plan_pod_has_terms(const dray_plan_pod *pod) {
    return pod->need.n + pod->avoid.n + pod->prefer.n + pod->dislike.n != 0;
}

#endif
