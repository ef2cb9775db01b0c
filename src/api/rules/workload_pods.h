/* The Pods that a workload makes: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob.
 *
 *     dray_workload_pods_options options = {.nodes = names, .limit = 10000};
 *     dray_pod_list pods;
 *     code = dray_workload_pods(object, &options, arena, &pods, err);
 *
 * Each Pod is what the kind's controller would send to the API server, but for random parts of
 * names: those are numbers here (web-0, web-1, …). All replicas of the newest template are made at
 * once, as at the first roll-out; a suspended Job counts as resumed and a CronJob makes one Job.
 * The Pods share what they don't change with the workload: read only, they live as long as both.
 * The object must be defaulted. Pure.
 * Source: pkg/controller/{replicaset,statefulset,daemon/util,job,cronjob}.
 */
#ifndef DRAY_API_RULES_WORKLOAD_PODS_H
#define DRAY_API_RULES_WORKLOAD_PODS_H

#include "api/types.h"

enum { DRAY_WORKLOAD_PODS_LIMIT = 100000 };

typedef struct dray_pod_list {
    dray_core_pod **v;
    size_t n;
} dray_pod_list;

typedef struct dray_workload_pods_options {
    dray_strings nodes; /* where a DaemonSet runs: one Pod each */
    size_t limit;       /* 0: DRAY_WORKLOAD_PODS_LIMIT */
} dray_workload_pods_options;

/* Whether the kind makes Pods. */
bool dray_workload_makes_pods(const dray_kind *kind);

/* The Pod template of such an object; NULL for other kinds. */
const dray_core_pod_template_spec *dray_workload_template(dray_object object);

/* DRAY_E_UNSUPPORTED for a kind that makes no Pods, DRAY_E_LIMIT for more than limit. */
dray_code dray_workload_pods(dray_object object, const dray_workload_pods_options *options,
                             dray_arena *arena, dray_pod_list *ret, dray_err *err);

#endif
