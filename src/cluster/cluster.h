/* The picture: a cluster's objects by key and by relation, with its devices and who holds them.
 *
 *     dray_cluster *cluster = dray_cluster_new(&gates);
 *     for (…) dray_cluster_add(cluster, object);          hub types, after defaulting
 *     dray_cluster_node *node = dray_cluster_node_find(cluster, DRAY_STR("n1"));
 *     for (size_t i = 0; i < node->n_pods; i++) use(node->pods[i]);
 *     const dray_resource_device_class *class =
 *         dray_cluster_find(cluster, &dray_type_resource_device_class, DRAY_STR(""), name);
 *     dray_cluster_assume(cluster, ns, claim, allocation);   until the watch shows it
 *
 * Objects are borrowed: what is added must live until it is replaced, removed, or the picture is
 * freed. Objects must have the kind's hub type (dray_kind_hub); other versions share it or are
 * converted first. Thread rule: one owner; readers too, since indexes are brought up to date
 * lazily.
 */
#ifndef DRAY_CLUSTER_CLUSTER_H
#define DRAY_CLUSTER_CLUSTER_H

#include "api/types.h"
#include "obj/gates.h"

typedef struct dray_cluster dray_cluster;

/* gates are copied. */
dray_cluster *dray_cluster_new(const dray_gates *gates);
void dray_cluster_free(dray_cluster *cluster);
const dray_gates *dray_cluster_gates(const dray_cluster *cluster);

/* Adds object, or puts it in the place of the one with the same kind, namespace and name, whose
 * body is returned (NULL when there was none): nothing points to it any more and its memory may
 * go. A namespaced object without namespace is in "default". */
void *dray_cluster_add(dray_cluster *cluster, dray_object object);
/* The body that was removed; NULL when there was none. type is that of the hub. */
void *dray_cluster_remove(dray_cluster *cluster, const dray_type *type, dray_str ns, dray_str name);
/* NULL when absent. ns is "" for what has no namespace. */
const void *dray_cluster_find(const dray_cluster *cluster, const dray_type *type, dray_str ns,
                              dray_str name);

/* The objects of a type in the order in which they first came. Borrowed until the next change of
 * that type. Each element is a body: const dray_core_pod *pod = list.v[i]; */
typedef struct dray_cluster_list {
    const void *const *v;
    size_t n;
} dray_cluster_list;
dray_cluster_list dray_cluster_all(const dray_cluster *cluster, const dray_type *type);

/* A node, or the name of one that pods or slices mention (body is NULL then). Read only; lives as
 * long as the picture. */
typedef struct dray_cluster_node {
    dray_str name;
    const dray_core_node *body;
    uint32_t number; /* dense, from 0, in order of appearance */
    uint32_t n_pods;
    const dray_core_pod **pods; /* with spec.nodeName of this node, in no fixed order */
    uint64_t changes;           /* grows with each change of body or pods */
    struct dray_view *view;     /* inventory.c */
} dray_cluster_node;

dray_cluster_node *dray_cluster_node_find(const dray_cluster *cluster, dray_str name);
/* All of them, those without body too; the index is the number. */
dray_cluster_node *const *dray_cluster_nodes(const dray_cluster *cluster, size_t *ret_n);

/* Grows with each change of anything but pods, nodes and claims: what a cache may compare. */
uint64_t dray_cluster_changes(const dray_cluster *cluster);

/* The ledger. A claim holds what its status.allocation says; an assumed allocation counts while
 * the claim has none of its own, whether or not the claim is in the picture. allocation is borrowed
 * until it is forgotten or assumed anew. */
void dray_cluster_assume(dray_cluster *cluster, dray_str ns, dray_str claim,
                         const dray_resource_allocation_result *allocation);
void dray_cluster_forget(dray_cluster *cluster, dray_str ns, dray_str claim);
/* What the claim holds, by status or assumption; NULL when nothing. */
const dray_resource_allocation_result *dray_cluster_allocation(const dray_cluster *cluster,
                                                               dray_str ns, dray_str claim);

#endif
