/* Equal Pods that share verdicts go where they would go each by itself: random clusters, placed
 * with shapes and without. */
#include "unit/plan/picture.h"

#include "plan/plan_int.h"

enum { CLUSTERS = 120, NODES = 6, PODS = 14 };

static uint32_t random_state;

static uint32_t below(uint32_t n) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void add_nodes(dray_buf *out) {
    static const char *const models[] = {"a", "b"};
    for (int i = 0; i < NODES; i++) {
        dray_buf_addf(out,
                      "---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d, labels: "
                      "{kubernetes.io/hostname: n%d, zone: z%u}}\nspec: {taints: [%s]}\nstatus: "
                      "{allocatable: {cpu: '%u', memory: 8Gi, pods: '%u'}}\n",
                      i, i, below(3), below(3) == 0 ? "{key: k, effect: PreferNoSchedule}" : "",
                      2 + below(4), 2 + below(4));
        dray_buf_addf(out,
                      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: "
                      "s%d}\nspec: {driver: d, nodeName: n%d, pool: {name: n%d, generation: 1, "
                      "resourceSliceCount: 1}, devices: [",
                      i, i, i);
        for (uint32_t k = 0, n = below(4); k < n; k++)
            dray_buf_addf(out, "%s{name: d%u, attributes: {m: {string: %s}}}", k != 0 ? ", " : "",
                          k, models[below(2)]);
        dray_buf_puts(out, "]}\n");
    }
    if (below(3) == 0)
        dray_buf_puts(out, "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: "
                           "{name: net}\nspec: {driver: d, allNodes: true, pool: {name: net, "
                           "generation: 1, resourceSliceCount: 1}, devices: [{name: x, attributes: "
                           "{m: {string: a}}}]}\n");
}

static void add_objects(dray_buf *out) {
    dray_buf_puts(out, "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: "
                       "g}\nspec: {}\n---\napiVersion: resource.k8s.io/v1\nkind: "
                       "ResourceClaimTemplate\nmetadata: {name: t0}\nspec: {spec: {devices: "
                       "{requests: [{name: r, exactly: {deviceClassName: g}}]}}}\n---\napiVersion: "
                       "resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: "
                       "t1}\nspec: {spec: {devices: {requests: [{name: r, firstAvailable: [{name: "
                       "p, deviceClassName: g, count: 2}, {name: q, deviceClassName: g}]}]}}}\n"
                       "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: "
                       "c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: "
                       "g}}]}}\n");
}

static void add_pods(dray_buf *out) {
    static const char *const wishes[] = {
        "",
        "  resourceClaims: [{name: x, resourceClaimTemplateName: t0}]\n",
        "  resourceClaims: [{name: x, resourceClaimTemplateName: t1}]\n",
        "  resourceClaims: [{name: x, resourceClaimName: c}]\n",
        "  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, "
        "preference: {matchExpressions: [{key: zone, operator: In, values: [z1]}]}}]}}\n",
        "  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: zone, labelSelector: {matchLabels: {app: a1}}}]}}\n",
        "  topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {matchLabels: {app: a0}}}]\n",
    };
    for (int i = 0; i < PODS; i++)
        dray_buf_addf(out,
                      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d, labels: {app: "
                      "a%u}}\nspec:\n  priority: %u\n  schedulerName: default-scheduler\n  "
                      "containers: [{name: c, image: i, resources: {requests: {cpu: '%u'}}}]\n%s",
                      i, below(2), below(2), below(2),
                      wishes[below(sizeof wishes / sizeof *wishes)]);
}

static dray_str place(const char *yaml, bool without, picture *p) {
    *p = picture_new(yaml);
    p->plan->without_shapes = without;
    dray_plan_result result;
    dray_plan_run(p->plan, &(dray_plan_run_options){.messages = true}, p->arena, &result);
    dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < result.n_pods; i++) {
        const dray_plan_placed *placed = &result.pods[i];
        dray_buf_addf(&out, DRAY_FMT " " DRAY_FMT DRAY_FMT, DRAY_ARG(placed->pod->metadata->name),
                      DRAY_ARG(placed->node), DRAY_ARG(placed->message));
        for (size_t k = 0; k < placed->n_claims; k++) {
            const dray_resource_allocation_result *a = placed->claims[k]->status->allocation;
            for (size_t d = 0; a != NULL && d < a->devices->results.n; d++)
                dray_buf_addf(&out, " " DRAY_FMT "/" DRAY_FMT,
                              DRAY_ARG(a->devices->results.v[d].pool),
                              DRAY_ARG(a->devices->results.v[d].device));
        }
        dray_buf_puts(&out, "; ");
    }
    dray_str text = dray_str_dup(p->arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

int main(void) {
    for (uint32_t seed = 0; seed < CLUSTERS; seed++) {
        random_state = seed * 7919 + 1;
        dray_buf yaml = DRAY_BUF_INIT;
        add_nodes(&yaml);
        add_objects(&yaml);
        add_pods(&yaml);
        picture with, without;
        dray_str a = place(dray_buf_cstr(&yaml), false, &with);
        dray_str b = place(dray_buf_cstr(&yaml), true, &without);
        tap_check_str(a, b, "equal Pods are placed as if each were alone", __FILE__, __LINE__);
        picture_done(&with);
        picture_done(&without);
        dray_buf_done(&yaml);
    }
    return tap_end();
}
