/* Filters: one row a rule, nodes and a Pod in, the scheduler's verdicts out. */
#include "unit/plan/picture.h"

static const struct {
    const char *label, *yaml, *want;
} rows[] = {
    {"a Pod without wishes fits", PICTURE_NODE("a", PICTURE_ROOM) PICTURE_POD("p", ""), "a ok"},
    {"a cordoned node is out",
     PICTURE_NODE("a", "spec: {unschedulable: true}\n" PICTURE_ROOM) PICTURE_POD("p", ""),
     "a! node(s) were unschedulable"},
    {"a toleration of the cordon's taint helps",
     PICTURE_NODE("a", "spec: {unschedulable: true}\n" PICTURE_ROOM)
         PICTURE_POD("p", "  tolerations: [{key: node.kubernetes.io/unschedulable, operator: "
                          "Exists}]\n"),
     "a ok"},
    {"a taint keeps away who doesn't tolerate it",
     PICTURE_NODE("a", "spec: {taints: [{key: k, value: v, effect: NoExecute}]}\n" PICTURE_ROOM)
         PICTURE_POD("p", "  tolerations: [{key: k, operator: Equal, value: w}]\n"),
     "a! node(s) had untolerated taint(s)"},
    {"Lt and Gt don't count while their gate is off",
     PICTURE_NODE("a", "spec: {taints: [{key: k, value: '5', effect: NoSchedule}]}\n" PICTURE_ROOM)
         PICTURE_POD("p", "  tolerations: [{key: k, operator: Lt, value: '9'}]\n"),
     "a! node(s) had untolerated taint(s)"},
    {"nodeSelector asks for every label",
     PICTURE_NODE("a", PICTURE_ROOM) PICTURE_NODE("b", PICTURE_ROOM)
         PICTURE_POD("p", "  nodeSelector: {zone: z-b}\n"),
     "a! node(s) didn't match Pod's node affinity/selector; b ok"},
    {"matchFields narrow the search and say so",
     PICTURE_NODE("a", PICTURE_ROOM) PICTURE_NODE("b", PICTURE_ROOM) PICTURE_POD(
         "p", "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
              "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: "
              "[a]}]}]}}}\n"),
     "a ok; b! node(s) didn't satisfy plugin(s) [NodeAffinity]"},
    {"terms that exclude each other reject everywhere",
     PICTURE_NODE("a", PICTURE_ROOM) PICTURE_POD(
         "p", "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
              "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: "
              "[a]}, {key: metadata.name, operator: In, values: [b]}]}]}}}\n"),
     "all: pod affinity terms conflict"},
    {"scheduling gates are told in their order",
     PICTURE_NODE("a", PICTURE_ROOM)
         PICTURE_POD("p", "  schedulingGates: [{name: w}, {name: v}]\n"),
     "gated: waiting for scheduling gates: [w v]"},
    {"every shortage is told, and one that no eviction cures makes it final",
     PICTURE_NODE(
         "a",
         "status: {allocatable: {cpu: '1', memory: 1Gi, pods: '0'}}\n") "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  schedulerName: "
                                                                        "default-scheduler\n  containers: [{name: c, image: i, resources: {requests: {cpu: '2', "
                                                                        "memory: 2Gi, example.com/x: '1'}}}]\n",
     "a! Too many pods, Insufficient cpu, Insufficient memory, Insufficient example.com/x"},
    {"a host port is taken once",
     PICTURE_NODE(
         "a",
         PICTURE_ROOM) "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {nodeName: a, containers: "
                       "[{name: c, image: i, ports: [{containerPort: 80, hostPort: 80, protocol: TCP}]}]}\n"
                       "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {schedulerName: "
                       "default-scheduler, containers: [{name: c, image: i, ports: [{containerPort: 80, "
                       "hostPort: 80, hostIP: 10.0.0.1, protocol: TCP}]}]}\n",
     "a: node(s) didn't have free ports for the requested pod ports"},
    {"a Pod that needs its own kind may be the first",
     PICTURE_NODE("a", PICTURE_ROOM) PICTURE_POD(
         "p", "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
              "[{topologyKey: zone, labelSelector: {matchLabels: {app: a}}}]}}\n"),
     "a ok"},
    {"existing Pods may avoid the new one",
     PICTURE_NODE(
         "a",
         PICTURE_ROOM) "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {nodeName: a, containers: "
                       "[{name: c, image: i}], affinity: {podAntiAffinity: "
                       "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
                       "{matchLabels: {app: a}}}]}}}\n" PICTURE_POD("p", ""),
     "a: node(s) didn't satisfy existing pods anti-affinity rules"},
    {"a node without the topology key can't be spread over",
     PICTURE_NODE("a", PICTURE_ROOM)
         PICTURE_POD("p", "  topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, "
                          "whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]\n"),
     "a! node(s) didn't match pod topology spread constraints (missing required label)"},
    {"a class that isn't there rejects everywhere",
     PICTURE_NODE(
         "a",
         PICTURE_ROOM) "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: "
                       "{devices: {requests: [{name: r, exactly: {deviceClassName: gone}}]}}\n" PICTURE_POD(
                           "p", "  resourceClaims: [{name: x, resourceClaimName: c}]\n"),
     "all: request r: device class gone does not exist"},
    {"a claim that isn't there keeps the Pod out of the queue",
     PICTURE_NODE("a", PICTURE_ROOM)
         PICTURE_POD("p", "  resourceClaims: [{name: x, resourceClaimName: c}]\n"),
     "gated: could not find ResourceClaim \"default/c\""},
    {"a claim held elsewhere binds the Pod to that node",
     PICTURE_NODE("a", PICTURE_ROOM) PICTURE_NODE(
         "b",
         PICTURE_ROOM) "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: "
                       "{devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}\nstatus: {allocation: "
                       "{devices: {results: [{request: r, driver: d, pool: b, device: x}]}, nodeSelector: "
                       "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: "
                       "[b]}]}]}}}\n" PICTURE_POD(
                           "p", "  resourceClaims: [{name: x, resourceClaimName: c}]\n"),
     "a! resourceclaim not available on the node; b ok"},
    {"without nodes there is nothing to look at", PICTURE_POD("p", ""),
     "error: no nodes available to schedule pods"},
};

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        picture p = picture_new(rows[i].yaml);
        CHECK_STR(rows[i].label, picture_text(&p), rows[i].want);
        picture_done(&p);
    }
    return tap_end();
}
