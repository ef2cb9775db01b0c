/* Packing on small random clusters with everything in them: what is given is looked at anew, from
 * the definition, and who stays pending must have no node. */
#include "celk8s/celk8s.h"
#include "plan/plan_int.h"
#include "unit/plan/picture.h"

enum { CLUSTERS = 600, NODES = 3, DEVICES = 7, CAPACITIES = 2, SETS = 2, COUNTERS = 2 };
enum { SIMPLE_CLUSTERS = 200 };
enum { PODS = 9, CLAIMS = 2, REQUESTS = 2, ALTS = 2, SHARED_NODE = NODES };

typedef struct device {
    int x, numa;
    int capacity[CAPACITIES]; /* [0] > 0: it may be shared; [1] 0: has no second one */
    int set;                  /* counter set that it draws on; -1: none */
    int draws[COUNTERS];
    bool tainted;
    char group; /* of compatibility; 0: none */
} device;

typedef struct alt {
    int x, count, capacity[CAPACITIES]; /* x -1: any; capacity 0: not asked for */
    bool all, tolerates;
} alt;

typedef struct claim {
    int n_requests, n_alts[REQUESTS];
    alt alts[REQUESTS][ALTS];
    bool match, distinct;
} claim;

typedef struct pod {
    int cpu, n_claims, extended; /* extended: devices by resource */
    claim claims[CLAIMS];
} pod;

/* Devices of each node, then those that all nodes reach. */
typedef struct model {
    int n_nodes, n_pods, cpu;
    int gang; /* the first so many Pods go together, or none of them */
    int n_devices[NODES + 1];
    device devices[NODES + 1][DEVICES];
    int counters[NODES + 1][SETS][COUNTERS];
    pod pods[PODS];
} model;

/* --- making one up --- */

static uint64_t state;
static int below(int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}
static bool one_in(int n) {
    return below(n) == 0;
}

typedef struct taste {
    bool shares, sets, taints, constraints, alls, alternatives, groups, simple;
} taste;

static device random_device(const taste *t) {
    device d = {.x = below(3), .numa = below(2), .set = -1};
    if (t->shares && one_in(2)) {
        d.capacity[0] = 4;
        d.capacity[1] = !t->simple && one_in(2) ? 6 : 0;
    }
    if (t->sets && !one_in(4)) {
        d.set = below(SETS);
        d.draws[0] = 1 + below(3);
        d.draws[1] = below(3);
        d.group = t->groups && one_in(2) ? (char)('a' + below(2)) : 0;
    }
    d.tainted = t->taints && one_in(4);
    return d;
}

static alt random_alt(const taste *t, const claim *c) {
    alt a = {.x = below(5) - 2, .count = 1 + (one_in(3) ? 1 + below(2) : 0)};
    a.x = a.x < 0 ? -1 : a.x;
    a.all = t->alls && !c->match && !c->distinct && one_in(5);
    a.tolerates = one_in(2);
    if (t->shares && !a.all && one_in(2)) {
        a.capacity[0] = 1 + below(3);
        a.capacity[1] = !t->simple && one_in(3) ? 1 + below(3) : 0;
    }
    return a;
}

static pod random_pod(const taste *t) {
    pod p = {.cpu = 1 + below(3)};
    if (one_in(6)) {
        p.extended = 1 + below(2);
        return p;
    }
    p.n_claims = one_in(8) ? 0 : 1 + (!t->simple && one_in(4));
    for (int c = 0; c < p.n_claims; c++) {
        claim *k = &p.claims[c];
        k->n_requests = 1 + (!t->simple && one_in(3));
        k->match = t->constraints && one_in(3);
        k->distinct = t->constraints && !k->match && one_in(4);
        for (int r = 0; r < k->n_requests; r++) {
            k->n_alts[r] = t->alternatives && one_in(3) ? 2 : 1;
            for (int a = 0; a < k->n_alts[r]; a++)
                k->alts[r][a] = random_alt(t, k);
        }
    }
    return p;
}

static void random_model(uint64_t seed, bool simple, model *m) {
    state = seed * 0x9e3779b97f4a7c15u + 1;
    *m = (model){.n_nodes = 1 + below(NODES), .n_pods = 3 + below(PODS - 2), .cpu = 3 + below(8)};
    m->gang = one_in(4) ? 2 : 0;
    taste t = {one_in(2), one_in(2), one_in(3), one_in(2), one_in(3), one_in(2), seed % 2 != 0};
    if (simple)
        t = (taste){.shares = t.shares, .taints = t.taints, .simple = true};
    for (int n = 0; n <= NODES; n++) {
        if (n == SHARED_NODE ? one_in(3) : n < m->n_nodes)
            m->n_devices[n] = 1 + below(n == SHARED_NODE ? 3 : DEVICES);
        for (int i = 0; i < m->n_devices[n]; i++)
            m->devices[n][i] = random_device(&t);
        for (int s = 0; s < SETS; s++)
            for (int k = 0; k < COUNTERS; k++)
                m->counters[n][s][k] = 3 + below(4);
    }
    for (int i = 0; i < m->n_pods; i++)
        m->pods[i] = random_pod(&t);
}

/* --- as objects --- */

static void write_device(dray_buf *out, const device *d, int i) {
    dray_buf_addf(out, "%s{name: d%d, attributes: {x: {int: %d}, numa: {int: %d}}",
                  i != 0 ? ", " : "", i, d->x, d->numa);
    if (d->capacity[0] != 0)
        dray_buf_addf(out,
                      ", allowMultipleAllocations: true, capacity: {m: {value: '%d', "
                      "requestPolicy: {default: '1'}}",
                      d->capacity[0]);
    if (d->capacity[1] != 0)
        dray_buf_addf(out, ", k: {value: '%d', requestPolicy: {default: '1'}}", d->capacity[1]);
    if (d->capacity[0] != 0)
        dray_buf_putc(out, '}');
    if (d->set >= 0) {
        dray_buf_addf(out,
                      ", consumesCounters: [{counterSet: s%d, counters: {u: {value: '%d'}, v: "
                      "{value: '%d'}}",
                      d->set, d->draws[0], d->draws[1]);
        if (d->group != 0)
            dray_buf_addf(out, ", compatibilityGroups: [%c]", d->group);
        dray_buf_puts(out, "}]");
    }
    if (d->tainted)
        dray_buf_puts(out, ", taints: [{key: k, effect: NoSchedule}]");
    dray_buf_putc(out, '}');
}

static void write_slices(dray_buf *out, const model *m, int n) {
    char place[32] = "allNodes: true";
    if (n != SHARED_NODE)
        snprintf(place, sizeof place, "nodeName: n%d", n);
    for (int counters = 0; counters <= 1; counters++) {
        dray_buf_addf(out,
                      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: "
                      "s%d-%d}\nspec: {driver: drv, %s, pool: {name: p%d, generation: 1, "
                      "resourceSliceCount: 2}, ",
                      n, counters, place, n);
        dray_buf_puts(out, counters ? "sharedCounters: [" : "devices: [");
        for (int s = 0; s < SETS && counters; s++)
            dray_buf_addf(out, "%s{name: s%d, counters: {u: {value: '%d'}, v: {value: '%d'}}}",
                          s != 0 ? ", " : "", s, m->counters[n][s][0], m->counters[n][s][1]);
        for (int i = 0; i < m->n_devices[n] && !counters; i++)
            write_device(out, &m->devices[n][i], i);
        dray_buf_puts(out, "]}\n");
    }
}

static void write_alt(dray_buf *out, const alt *a) {
    dray_buf_puts(out, "deviceClassName: c");
    if (a->x >= 0)
        dray_buf_addf(
            out, ", selectors: [{cel: {expression: \"device.attributes['drv'].x == %d\"}}]", a->x);
    if (a->all)
        dray_buf_puts(out, ", allocationMode: All");
    else
        dray_buf_addf(out, ", allocationMode: ExactCount, count: %d", a->count);
    if (a->capacity[0] != 0)
        dray_buf_addf(out, ", capacity: {requests: {m: '%d'", a->capacity[0]);
    if (a->capacity[1] != 0)
        dray_buf_addf(out, ", k: '%d'", a->capacity[1]);
    if (a->capacity[0] != 0)
        dray_buf_puts(out, "}}");
    if (a->tolerates)
        dray_buf_puts(out, ", tolerations: [{operator: Exists}]");
}

static void write_claim(dray_buf *out, const claim *c, int p, int number) {
    dray_buf_addf(out,
                  "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: "
                  "{name: t%d-%d}\nspec: {spec: {devices: {requests: [",
                  p, number);
    for (int r = 0; r < c->n_requests; r++) {
        dray_buf_addf(out, "%s{name: r%d, %s", r != 0 ? ", " : "", r,
                      c->n_alts[r] > 1 ? "firstAvailable: [" : "exactly: ");
        for (int a = 0; a < c->n_alts[r]; a++) {
            dray_buf_puts(out, a != 0 ? ", {" : "{");
            if (c->n_alts[r] > 1)
                dray_buf_addf(out, "name: a%d, ", a);
            write_alt(out, &c->alts[r][a]);
            dray_buf_putc(out, '}');
        }
        dray_buf_puts(out, c->n_alts[r] > 1 ? "]}" : "}");
    }
    dray_buf_putc(out, ']');
    if (c->match || c->distinct)
        dray_buf_addf(out, ", constraints: [{%s: drv/numa}]",
                      c->match ? "matchAttribute" : "distinctAttribute");
    dray_buf_puts(out, "}}}\n");
}

static void write_pod(dray_buf *out, const pod *p, int number, bool gang) {
    for (int c = 0; c < p->n_claims; c++)
        write_claim(out, &p->claims[c], number, c);
    dray_buf_addf(out,
                  "---\napiVersion: v1\nkind: Pod\nmetadata: {name: pod%d}\nspec:\n  "
                  "schedulerName: default-scheduler\n  containers: [{name: c, image: i, resources: "
                  "{requests: {cpu: '%d'",
                  number, p->cpu);
    if (p->extended != 0)
        dray_buf_addf(out, ", example.com/dev: '%d'}, limits: {example.com/dev: '%d'", p->extended,
                      p->extended);
    dray_buf_puts(out, "}}}]\n");
    if (gang)
        dray_buf_puts(out, "  schedulingGroup: {podGroupName: together}\n");
    dray_buf_puts(out, "  resourceClaims: [");
    for (int c = 0; c < p->n_claims; c++)
        dray_buf_addf(out, "%s{name: c%d, resourceClaimTemplateName: t%d-%d}", c != 0 ? ", " : "",
                      c, number, c);
    dray_buf_puts(out, "]\n");
}

static void write_model(dray_buf *out, const model *m) {
    dray_buf_puts(out, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\n"
                       "spec: {extendedResourceName: example.com/dev}\n");
    for (int n = 0; n < m->n_nodes; n++)
        dray_buf_addf(out,
                      "---\napiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nstatus: "
                      "{allocatable: {cpu: '%d', memory: 8Gi, pods: '20'}}\n",
                      n, m->cpu);
    for (int n = 0; n <= NODES; n++)
        if (m->n_devices[n] != 0)
            write_slices(out, m, n);
    for (int i = 0; i < m->n_pods; i++)
        write_pod(out, &m->pods[i], i, i < m->gang);
    if (m->gang != 0)
        dray_buf_addf(
            out,
            "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: "
            "together}\nspec: {schedulingPolicy: {gang: {minCount: %d}}}\n",
            m->gang);
}

/* --- whether an answer is allowed --- */

typedef dray_resource_device_request_allocation_result result;

/* What all Pods together hold. */
typedef struct holding {
    int cpu[NODES];
    int used[NODES + 1][DEVICES]; /* times */
    int consumed[NODES + 1][DEVICES][CAPACITIES];
} holding;

static const char *problem;
static bool wrong(const char *what) {
    problem = what;
    return false;
}

static int number_at(dray_str text, size_t at) {
    return text.n > at ? text.p[at] - '0' : -1;
}

static bool matches(const device *d, const alt *a) {
    return a->x < 0 || d->x == a->x;
}

static int asked(const device *d, const alt *a, int k) {
    return d->capacity[k] == 0 ? 0 : a->capacity[k] != 0 ? a->capacity[k] : 1;
}

/* One device of an answer; adds it to what is held. */
static bool check_device(const model *m, holding *h, int node, const alt *a, const result *r) {
    int n = number_at(r->pool, 1), i = number_at(r->device, 1);
    if ((n != node && n != SHARED_NODE) || i < 0 || i >= m->n_devices[n])
        return wrong("a device that the node doesn't reach");
    const device *d = &m->devices[n][i];
    if (!matches(d, a) || (d->tainted && !a->tolerates))
        return wrong("a device that will not do");
    for (int k = 0; k < CAPACITIES; k++)
        if (a->capacity[k] > d->capacity[k])
            return wrong("a device without that capacity");
    h->used[n][i]++;
    if ((d->capacity[0] != 0) != (r->share_id.n != 0))
        return wrong("a share where there is none, or none where there is one");
    for (int k = 0; k < CAPACITIES; k++) {
        h->consumed[n][i][k] += asked(d, a, k);
        for (size_t c = 0; c < r->consumed_capacity.n; c++) {
            bool fits;
            if (dray_str_is(r->consumed_capacity.k[c], k == 0 ? "m" : "k") &&
                dray_quantity_value(r->consumed_capacity.v[c], &fits) != asked(d, a, k))
                return wrong("it consumes another amount");
        }
    }
    return true;
}

/* The alternative that the results of a request are for; -1: none, or several. */
static int alternative_of(const claim *c, int r, const result *v, size_t n) {
    int found = -1;
    for (size_t i = 0; i < n; i++) {
        if (number_at(v[i].request, 1) != r)
            continue;
        int a = c->n_alts[r] > 1 ? number_at(v[i].request, 4) : 0;
        if (found >= 0 && found != a)
            return -1;
        found = a;
    }
    return found;
}

static int all_of(const model *m, int node, const alt *a) {
    int n = 0;
    for (int p = 0; p <= NODES; p++)
        for (int i = 0; i < m->n_devices[p] && (p == node || p == SHARED_NODE); i++)
            n += matches(&m->devices[p][i], a);
    return n;
}

static bool check_request(const model *m, holding *h, int node, const claim *c, int r,
                          const result *v, size_t n) {
    int a = alternative_of(c, r, v, n), count = 0;
    if (a < 0 || a >= c->n_alts[r])
        return wrong("no alternative, or more than one");
    const alt *chosen = &c->alts[r][a];
    for (size_t i = 0; i < n; i++) {
        if (number_at(v[i].request, 1) != r)
            continue;
        count++;
        for (size_t k = 0; k < i; k++)
            if (number_at(v[k].request, 1) == r && dray_str_eq(v[k].device, v[i].device) &&
                dray_str_eq(v[k].pool, v[i].pool))
                return wrong("a device twice for one request");
        if (!check_device(m, h, node, chosen, &v[i]))
            return false;
    }
    if (count != (chosen->all ? all_of(m, node, chosen) : chosen->count))
        return wrong("another number of devices");
    return true;
}

static int numa_of(const model *m, const result *r) {
    return m->devices[number_at(r->pool, 1)][number_at(r->device, 1)].numa;
}

static bool check_claim(const model *m, holding *h, int node, const claim *c,
                        const dray_resource_claim *object) {
    const dray_resource_allocation_result *a = object->status->allocation;
    if (a == NULL || object->status->reserved_for.n != 1)
        return wrong("a claim without devices");
    const result *v = a->devices->results.v;
    size_t n = a->devices->results.n;
    for (int r = 0; r < c->n_requests; r++)
        if (!check_request(m, h, node, c, r, v, n))
            return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            bool same = numa_of(m, &v[i]) == numa_of(m, &v[k]);
            if ((c->match && !same) || (c->distinct && same))
                return wrong("a constraint is broken");
            if (number_at(v[k].request, 1) > number_at(v[i].request, 1))
                return wrong("requests are out of order");
        }
    return true;
}

static claim extended_claim(int count) {
    return (claim){.n_requests = 1, .n_alts = {1}, .alts = {{{.x = -1, .count = count}}}};
}

/* "container-0-request-0" is request 0 of a claim of one. */
static dray_resource_claim *renamed(const dray_resource_claim *object, dray_arena *arena) {
    dray_resource_claim *copy = dray_api_copy(&dray_type_resource_claim, object, arena);
    for (size_t i = 0;
         copy->status->allocation != NULL && i < copy->status->allocation->devices->results.n; i++)
        copy->status->allocation->devices->results.v[i].request = DRAY_STR("r0");
    return copy;
}

static bool check_pod(const model *m, holding *h, const dray_plan_placed *placed,
                      dray_arena *arena) {
    const pod *p = &m->pods[number_at(placed->pod->metadata->name, 3)];
    int node = number_at(placed->node, 1);
    h->cpu[node] += p->cpu;
    if (placed->n_claims != (size_t)p->n_claims + (p->extended != 0))
        return wrong("a claim is missing");
    for (int c = 0; c < p->n_claims; c++)
        if (!check_claim(m, h, node, &p->claims[c], placed->claims[c]))
            return false;
    if (p->extended == 0)
        return true;
    claim wish = extended_claim(p->extended);
    return check_claim(m, h, node, &wish, renamed(placed->claims[0], arena));
}

static bool check_counters(const model *m, const holding *h, int n, int s) {
    int sum[COUNTERS] = {0};
    char group = 0, any = 0;
    for (int i = 0; i < m->n_devices[n]; i++) {
        const device *d = &m->devices[n][i];
        if (d->set != s || h->used[n][i] == 0)
            continue;
        for (int k = 0; k < COUNTERS; k++)
            sum[k] += d->draws[k];
        if (any && group != d->group)
            return wrong("groups on one set that don't go together");
        group = d->group;
        any = 1;
    }
    for (int k = 0; k < COUNTERS; k++)
        if (sum[k] > m->counters[n][s][k])
            return wrong("a counter is overdrawn");
    return true;
}

static bool check_holding(const model *m, const holding *h) {
    for (int n = 0; n < m->n_nodes; n++)
        if (h->cpu[n] > m->cpu)
            return wrong("a node without the processors");
    for (int n = 0; n <= NODES; n++) {
        for (int i = 0; i < m->n_devices[n]; i++) {
            const device *d = &m->devices[n][i];
            if (h->used[n][i] > 1 && d->capacity[0] == 0)
                return wrong("a device twice");
            for (int k = 0; k < CAPACITIES; k++)
                if (h->consumed[n][i][k] > d->capacity[k])
                    return wrong("a capacity is overdrawn");
        }
        for (int s = 0; s < SETS; s++)
            if (!check_counters(m, h, n, s))
                return false;
    }
    return true;
}

/* --- runs --- */

static dray_celk8s *compiler;
static size_t placed_by[DRAY_PACKING_FRAG + 1], n_pods, n_devices, n_pending, n_gangs;

static bool check_run(const model *m, picture *p, dray_packing packing) {
    dray_plan_result r;
    holding h = {0};
    dray_plan_share(p->plan, compiler);
    dray_plan_run(p->plan, &(dray_plan_run_options){.packing = packing}, p->arena, &r);
    placed_by[packing] += r.n_placed;
    for (size_t i = 0; i < r.n_pods; i++)
        if (r.pods[i].node.p != NULL && !check_pod(m, &h, &r.pods[i], p->arena))
            return false;
    if (!check_holding(m, &h))
        return false;
    if (m->gang != 0 && (r.pods[0].node.p != NULL) != (r.pods[1].node.p != NULL))
        return wrong("half of a group");
    n_gangs += m->gang != 0 && r.pods[0].node.p != NULL;
    for (size_t i = 0; i < r.n_pods; i++) {
        dray_plan_answer answer;
        if (r.pods[i].node.p != NULL || (int)i < m->gang)
            continue;
        dray_plan_ask(p->plan, r.pods[i].pod, &(dray_plan_ask_options){0}, p->arena, &answer);
        n_pending++;
        if (answer.n_feasible != 0)
            return wrong("a Pod is pending that has a node");
    }
    n_pods += packing == DRAY_PACKING_FIRST ? r.n_pods : 0;
    for (int n = 0; n <= NODES; n++)
        for (int i = 0; i < DEVICES; i++)
            n_devices += (size_t)h.used[n][i];
    return true;
}

static bool check_seed(uint64_t seed) {
    static const char *const names[] = {"first", "pack", "spread", "frag"};
    model m;
    dray_gates gates;
    bool ok = true;
    random_model(seed, false, &m);
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_gates_set(&gates, DRAY_STR("GenericWorkload"), true, NULL);
    if (seed % 2 != 0)
        dray_gates_set(&gates, DRAY_STR("DRADeviceCompatibilityGroups"), true, NULL);
    dray_buf yaml = DRAY_BUF_INIT;
    write_model(&yaml, &m);
    for (int packing = DRAY_PACKING_FIRST; packing <= DRAY_PACKING_FRAG; packing++) {
        picture p = picture_of(dray_buf_cstr(&yaml), &gates);
        if (!check_run(&m, &p, (dray_packing)packing)) {
            printf("# cluster %d, %s: %s\n", (int)seed, names[packing], problem);
            ok = false;
        }
        picture_done(&p);
    }
    dray_buf_done(&yaml);
    return ok;
}

/* What everybody got, as text. */
static void write_result(dray_buf *out, const dray_plan_result *r) {
    for (size_t i = 0; i < r->n_pods; i++) {
        dray_buf_addf(out, " " DRAY_FMT, DRAY_ARG(r->pods[i].node));
        for (size_t c = 0; c < r->pods[i].n_claims; c++) {
            const dray_resource_allocation_result *a = r->pods[i].claims[c]->status->allocation;
            for (size_t d = 0; a != NULL && d < a->devices->results.n; d++)
                dray_buf_addf(out, ":" DRAY_FMT "/" DRAY_FMT,
                              DRAY_ARG(a->devices->results.v[d].pool),
                              DRAY_ARG(a->devices->results.v[d].device));
        }
    }
}

/* Where plain values do, trials must say the same. */
static bool check_simple(uint64_t seed) {
    model m;
    bool same = true;
    random_model(seed, true, &m);
    dray_buf yaml = DRAY_BUF_INIT;
    write_model(&yaml, &m);
    for (int packing = DRAY_PACKING_PACK; packing <= DRAY_PACKING_FRAG && same; packing++) {
        dray_buf texts[2] = {DRAY_BUF_INIT, DRAY_BUF_INIT};
        for (int by_trials = 0; by_trials <= 1; by_trials++) {
            picture p = picture_new(dray_buf_cstr(&yaml));
            dray_plan_result r;
            dray_plan_share(p.plan, compiler);
            p.plan->by_trials = by_trials != 0;
            dray_plan_run(p.plan, &(dray_plan_run_options){.packing = (dray_packing)packing},
                          p.arena, &r);
            write_result(&texts[by_trials], &r);
            picture_done(&p);
        }
        same = dray_str_eq(dray_buf_str(&texts[0]), dray_buf_str(&texts[1]));
        if (!same)
            printf("# cluster %d, packing %d:%s\n# by trials:%s\n", (int)seed, packing,
                   dray_buf_cstr(&texts[0]), dray_buf_cstr(&texts[1]));
        dray_buf_done(&texts[0]);
        dray_buf_done(&texts[1]);
    }
    dray_buf_done(&yaml);
    return same;
}

/* DRAY_TWIN=N: that many clusters instead. */
int main(void) {
    const char *more = getenv("DRAY_TWIN");
    uint64_t n = more != NULL ? strtoull(more, NULL, 10) : CLUSTERS;
    int bad = 0;
    compiler = dray_celk8s_new(NULL);
    for (uint64_t seed = 1; seed <= n && bad < 5; seed++)
        bad += !check_seed(seed);
    printf("# of %zu Pods first placed %zu, pack %zu, spread %zu, frag %zu; %zu devices, %zu "
           "pending\n",
           n_pods, placed_by[0], placed_by[1], placed_by[2], placed_by[3], n_devices, n_pending);
    CHECK("every packing gives only what may be given, and leaves nobody who has a node", bad == 0);
    CHECK("there was something to give, and to refuse",
          n_devices > n && n_pending > n && n_gangs > n / 20);
    bad = 0;
    for (uint64_t seed = 1; seed <= SIMPLE_CLUSTERS && bad < 5; seed++)
        bad += !check_simple(seed);
    CHECK("plain values and trials agree where both can tell", bad == 0);
    dray_celk8s_free(compiler);
    return tap_end();
}
