/* Groups placed all or none, and Pods evicted for others: nothing is left behind by a trial. */
#include "unit/plan/picture.h"

#define CLASS \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: {}\n"
#define SLICE(devices)                                                                       \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n"        \
    "spec: {driver: d, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, " \
    "devices: [" devices "]}\n"
#define TEMPLATE                                                                              \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n" \
    "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}}\n"
#define GROUP(min, more)                                                                   \
    "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: ring}\n" \
    "spec: {schedulingPolicy: {gang: {minCount: " min "}}" more "}\n"
/* Rooms for the tests of evicting and of topology: 4 cpu a node. */
#define CPU(name, amount, more)                                                                 \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name                                    \
    ", labels: {app: a}}\nspec:\n  schedulerName: default-scheduler\n  containers: [{name: c, " \
    "image: i, resources: {requests: {cpu: '" amount "'}}}]\n" more
#define IN(group, name, amount) \
    CPU(name, amount, "  priority: 5\n  schedulingGroup: {podGroupName: " group "}\n")
#define RUNS(name, amount, node, priority) \
    CPU(name, amount, "  nodeName: " node "\n  priority: " priority "\n")
#define OWNED(kind, name, amount, node, more)                                             \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name                              \
    ", labels: {app: a}, ownerReferences: [{apiVersion: apps/v1, kind: " kind             \
    ", name: o, uid: o, controller: true}]}\nspec:\n  schedulerName: default-scheduler\n" \
    "  containers: [{name: c, image: i, resources: {requests: {cpu: '" amount             \
    "'}}}]\n  nodeName: " node "\n  priority: 1\n" more
#define GENERATED(claim, pod, device)                                                            \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " claim          \
    ", ownerReferences: [{apiVersion: v1, kind: Pod, name: " pod ", uid: uid-" pod               \
    ", controller: true}]}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: "   \
    "g}}]}}\nstatus: {reservedFor: [{resource: pods, name: " pod ", uid: uid-" pod               \
    "}], allocation: {devices: {results: [{request: r, driver: d, pool: a, device: " device      \
    "}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, " \
    "values: [a]}]}]}}}\n"
#define RUNS_IN(group, name, amount, node) \
    CPU(name, amount, "  nodeName: " node "\n  schedulingGroup: {podGroupName: " group "}\n")
#define OF(name, policy, more)                                                           \
    "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: " name \
    "}\nspec: {schedulingPolicy: " policy more "}\n"
#define GANG(min) "{gang: {minCount: " min "}}, priority: 5"
#define OVER(name, min)                                                                            \
    "---\napiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\nmetadata: {name: " name \
    "}\nspec: {schedulingPolicy: {gang: {minGroupCount: " min "}}, priority: 5, "                  \
    "workloadRef: {workloadName: w, templateName: t}}\n"
#define BY_ZONE ", schedulingConstraints: {topology: [{key: zone}]}"
#define TWO PICTURE_NODE("a", PICTURE_ROOM) PICTURE_NODE("b", PICTURE_ROOM)

#define CLAIMS "  resourceClaims: [{name: x, resourceClaimTemplateName: t}]\n"
#define MEMBER(name) PICTURE_POD(name, "  schedulingGroup: {podGroupName: ring}\n" CLAIMS)
#define HOLDER(name, priority, device, claim)                                              \
    PICTURE_POD(name, "  nodeName: a\n  priority: " priority                               \
                      "\n  resourceClaims: [{name: x, resourceClaimName: " claim "}]\n")   \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " claim    \
    "}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}}]}}\nstatus: " \
    "{reservedFor: [{resource: pods, name: " name ", uid: uid-" name "}], allocation: "    \
    "{devices: {results: [{request: r, driver: d, pool: a, device: " device "}]}}}\n"
#define BASE CLASS TEMPLATE PICTURE_NODE("a", PICTURE_ROOM)
#define URGENT PICTURE_POD("u", "  priority: 9\n" CLAIMS)

/* "p a:d0; q -": Pods, their nodes and devices; "!v" for each victim. */
static dray_str text_of(picture *p, const dray_plan_result *result) {
    dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < result->n_pods; i++) {
        const dray_plan_placed *placed = &result->pods[i];
        dray_buf_addf(&out, "%s" DRAY_FMT " " DRAY_FMT "%s", i != 0 ? "; " : "",
                      DRAY_ARG(placed->pod->metadata->name), DRAY_ARG(placed->node),
                      placed->node.p == NULL ? "-" : "");
        for (size_t k = 0; k < placed->n_claims; k++) {
            const dray_resource_allocation_result *a = placed->claims[k]->status->allocation;
            for (size_t d = 0; a != NULL && d < a->devices->results.n; d++)
                dray_buf_addf(&out, ":" DRAY_FMT, DRAY_ARG(a->devices->results.v[d].device));
        }
        for (size_t k = 0; k < placed->n_victims; k++)
            dray_buf_addf(&out, " !" DRAY_FMT, DRAY_ARG(placed->victims[k]->metadata->name));
    }
    dray_str text = dray_str_dup(p->arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

static const struct {
    const char *label, *yaml, *want;
    bool preemption, devices;
} rows[] = {
    {"a group too large gives back what it took, and the next Pod gets it",
     BASE SLICE("{name: d0}, {name: d1}") GROUP("3", "") MEMBER("p") MEMBER("q") MEMBER("r")
         PICTURE_POD("z", CLAIMS),
     "p -; q -; r -; z a:d0", false, false},
    {"above minCount a group is placed as far as it goes",
     BASE SLICE("{name: d0}, {name: d1}") GROUP("2", "") MEMBER("p") MEMBER("q") MEMBER("r"),
     "p a:d0; q a:d1; r -", false, false},
    {"a group without its PodGroup waits", BASE SLICE("{name: d0}") MEMBER("p"), "p -", false,
     false},
    {"a claim of the group is shared",
     BASE SLICE("{name: d0}")
         GROUP("2", ", resourceClaims: [{name: x, resourceClaimTemplateName: t}]") MEMBER("p")
             MEMBER("q"),
     "p a:d0; q a:d0", false, false},
    {"nobody is evicted for a device unless that is asked for",
     BASE SLICE("{name: d0}, {name: d1}") HOLDER("v", "1", "d0", "c0") HOLDER("w", "2", "d1", "c1")
         URGENT,
     "u -", true, false},
    {"the Pod of the lowest priority goes for its device",
     BASE SLICE("{name: d0}, {name: d1}") HOLDER("w", "2", "d0", "c0") HOLDER("v", "1", "d1", "c1")
         URGENT,
     "u a:d1 !v", true, true},
    {"nobody of the same priority goes",
     BASE SLICE("{name: d0}") HOLDER("v", "9", "d0", "c0") URGENT, "u -", true, true},
    {"a group evicts as few as make room for all of it",
     TWO RUNS("v", "2", "a", "1") RUNS("w", "1", "b", "1") RUNS("x", "4", "b", "9")
         OF("g", GANG("2"), "") IN("g", "p", "2") IN("g", "q", "2"),
     "p a !v; q a", true, false},
    {"nobody goes when that makes no room for all of it",
     TWO RUNS("v", "2", "a", "1") RUNS("x", "4", "b", "9") OF("g", GANG("3"), "") IN("g", "p", "2")
         IN("g", "q", "2") IN("g", "r", "2"),
     "p -; q -; r -", true, false},
    {"a running group of lower priority goes whole where it says so",
     TWO OF("old", "{basic: {}}", ", disruptionMode: {all: {}}") RUNS_IN("old", "v", "4", "a")
         RUNS_IN("old", "w", "1", "b") OF("g", GANG("1"), "") IN("g", "p", "4"),
     "p a !v !w", true, false},
    {"and Pod by Pod otherwise",
     TWO OF("old", "{basic: {}}", "") RUNS_IN("old", "v", "4", "a") RUNS_IN("old", "w", "1", "b")
         OF("g", GANG("1"), "") IN("g", "p", "4"),
     "p a !v", true, false},
    {"also for a Pod that is in no group",
     TWO OF("old", "{basic: {}}", ", disruptionMode: {all: {}}") RUNS_IN("old", "v", "4", "a")
         RUNS_IN("old", "w", "1", "b") RUNS("x", "4", "b", "9") CPU("p", "4", "  priority: 5\n"),
     "p a !v !w", true, false},
    {"a Pod counts with the priority of its group",
     TWO OF("old", GANG("1"), "") RUNS_IN("old", "v", "4", "a") RUNS("x", "4", "b", "9")
         CPU("p", "4", "  priority: 5\n"),
     "p -", true, false},
    {"a group bound to a zone is placed in the one that has room for all of it",
     TWO RUNS("x", "2", "a", "9") OF("g", GANG("2"), BY_ZONE) IN("g", "p", "2") IN("g", "q", "2"),
     "p b; q b", false, false},
    {"it goes on where it began",
     TWO OF("g", GANG("2"), BY_ZONE)
         CPU("o", "1", "  nodeName: b\n  priority: 5\n  schedulingGroup: {podGroupName: g}\n")
             IN("g", "p", "1"),
     "p b", false, false},
    {"groups are placed together or not at all",
     TWO OVER("top", "2") OF("g", GANG("1"), ", parentCompositePodGroupName: top") OF(
         "h", GANG("1"), ", parentCompositePodGroupName: top") IN("g", "p", "4") IN("h", "q", "5"),
     "p -; q -", false, false},
    {"and when enough of them can be",
     TWO OVER("top", "1") OF("g", GANG("1"), ", parentCompositePodGroupName: top") OF(
         "h", GANG("1"), ", parentCompositePodGroupName: top") IN("g", "p", "4") IN("h", "q", "5"),
     "p a; q -", false, false},
    {"a Pod that a controller made comes back and goes elsewhere",
     TWO OWNED("ReplicaSet", "v", "3", "a", "") RUNS("x", "1", "b", "9")
         CPU("p", "4", "  priority: 5\n"),
     "p a !v; v b", true, false},
    {"or stays pending, which counts",
     TWO OWNED("StatefulSet", "v", "3", "a", "") RUNS("x", "2", "b", "9")
         CPU("p", "4", "  priority: 5\n"),
     "p a !v; v -", true, false},
    {"it is told when it is evicted a second time",
     TWO OWNED("Job", "v", "3", "a", "") CPU("q", "4", "  priority: 4\n")
         CPU("p", "4", "  priority: 5\n"),
     "q a !v; p b; v -", true, false},
    {"a static Pod's node does not make it anew",
     TWO OWNED("Node", "v", "3", "a", "") RUNS("x", "1", "b", "9") CPU("p", "4", "  priority: 5\n"),
     "p a !v", true, false},
    {"its generated claim goes with it, and another is made",
     BASE PICTURE_NODE("b", PICTURE_ROOM) SLICE("{name: d0}")
         OWNED("ReplicaSet", "v", "3", "a",
               CLAIMS "status: {resourceClaimStatuses: [{name: x, resourceClaimName: v-x}]}\n")
             GENERATED("v-x", "v", "d0") RUNS("x", "4", "b", "9")
                 CPU("p", "4", "  priority: 5\n" CLAIMS),
     "p a:d0 !v; v -", true, true},
    {"what it held is free for whoever comes next",
     BASE PICTURE_NODE("b", PICTURE_ROOM) SLICE("{name: d0}")
         OWNED("ReplicaSet", "v", "3", "a",
               CLAIMS "status: {resourceClaimStatuses: [{name: x, resourceClaimName: v-x}]}\n")
             GENERATED("v-x", "v", "d0") RUNS("x", "4", "b", "9") CPU("p", "3", "  priority: 5\n")
                 CPU("q", "1", CLAIMS),
     "p a !v; q a:d0; v -", true, false},
    {"those left over after a group was placed make room for themselves",
     TWO RUNS("v", "4", "a", "1") OF("g", GANG("1"), "") IN("g", "p", "4") IN("g", "q", "4"),
     "p b; q a !v", true, false},
    {"a device that another Pod uses too is not free",
     BASE SLICE("{name: d0}") HOLDER("w", "9", "d0", "c0")
         PICTURE_POD("v", "  nodeName: a\n  priority: 1\n  resourceClaims: [{name: x, "
                          "resourceClaimName: c0}]\n") URGENT,
     "u -", true, true},
};

/* Texts of the members, one a line. */
static const struct {
    const char *label, *yaml, *want;
} texts[] = {
    {"members are told why the group stays, and whom it could evict",
     TWO RUNS("v", "2", "a", "1") RUNS("x", "4", "b", "9") OF("g", GANG("2"), "") IN("g", "p", "2")
         IN("g", "q", "2"),
     "pod group is unschedulable, 0/1 placements are available, first placement status: minCount (2) "
     "cannot be satisfied: 1 scheduled, 0 remaining, pod group preemption: found a placement for "
     "podgroup, preempting 1 victims\n"
     "0/2 nodes are available: 2 Insufficient cpu.\n"},
    {"and that nobody could go",
     TWO RUNS("v", "4", "a", "9") RUNS("x", "4", "b", "9") OF("g", GANG("2"), "") IN("g", "p", "2")
         IN("g", "q", "2"),
     "0/2 nodes are available: 2 Insufficient cpu.\n"
     "pod group is unschedulable, 0/1 placements are available, first placement status: minCount (2) "
     "cannot be satisfied: 0 scheduled, 1 remaining\n"},
    {"a member of another priority is no member",
     TWO OF("g", GANG("1"), "") IN("g", "p", "2")
         CPU("q", "2", "  schedulingGroup: {podGroupName: g}\n"),
     "all pods in a single pod group should have the same priority as the pod group's priority, "
     "got 0 and 5\n"
     "all pods in a single pod group should have the same priority as the pod group's priority, "
     "got 0 and 5\n"},
    {"a group that waits for another to come is told which",
     OVER("top", "2") TWO OF("g", GANG("1"), ", parentCompositePodGroupName: top")
         IN("g", "p", "1"),
     "waiting for composite pod group \"top\" tree to meet quorum\n"},
};

static void test_texts(const dray_gates *gates) {
    for (size_t i = 0; i < DRAY_COUNT(texts); i++) {
        picture p = picture_of(texts[i].yaml, gates);
        dray_plan_result result;
        dray_plan_run(p.plan, &(dray_plan_run_options){.messages = true}, p.arena, &result);
        dray_buf out = DRAY_BUF_INIT;
        for (size_t k = 0; k < result.n_pods; k++)
            dray_buf_addf(&out, DRAY_FMT "\n", DRAY_ARG(result.pods[k].message));
        CHECK_STR(texts[i].label, dray_buf_str(&out), texts[i].want);
        dray_buf_done(&out);
        picture_done(&p);
    }
}

int main(void) {
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_err err = DRAY_ERR_INIT;
    dray_gates_set(&gates, DRAY_STR("GenericWorkload"), true, &err);
    dray_gates_set(&gates, DRAY_STR("DRAWorkloadResourceClaims"), true, &err);
    dray_gates_set(&gates, DRAY_STR("TopologyAwareWorkloadScheduling"), true, &err);
    dray_gates_set(&gates, DRAY_STR("CompositePodGroup"), true, &err);
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        picture p = picture_of(rows[i].yaml, &gates);
        dray_plan_run_options options = {
            .messages = true,
            .preemption = rows[i].preemption,
            .preempt_devices = rows[i].devices,
        };
        dray_plan_result result;
        dray_plan_run(p.plan, &options, p.arena, &result);
        CHECK_STR(rows[i].label, text_of(&p, &result), rows[i].want);
        picture_done(&p);
    }
    test_texts(&gates);
    dray_err_done(&err);
    return tap_end();
}
