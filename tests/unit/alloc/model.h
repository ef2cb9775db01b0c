/* Small random allocation problems, as a model and as the objects that the allocator takes. */
#ifndef DRAY_TESTS_ALLOC_MODEL_H
#define DRAY_TESTS_ALLOC_MODEL_H

#include "alloc/alloc.h"
#include "objects.h"
#include "tap.h"

enum { DEVICES = 9, CLAIMS = 3, REQUESTS = 4, ALTS = 3, COUNTERS = 3, CONSTRAINTS = 2, TAGS = 4 };

typedef struct model_device {
    int x, numa;
    int tags;            /* a list of up to TAGS values, as bits */
    int draws[COUNTERS]; /* of s/u, s/v, t/u */
    int groups;          /* compatibility groups on set s, as bits; 0: none */
    int capacity;        /* > 0: may be shared */
    int bandwidth;       /* of what may be shared */
    bool held, tainted;
} model_device;

typedef struct model_alt {
    int x; /* wanted; -1: any */
    int count;
    int capacity, bandwidth; /* 0: none asked for */
    bool all, tolerates;
} model_alt;

typedef struct model_constraint {
    bool distinct; /* else match */
    bool tags;     /* of tags, else of numa */
    int scope;     /* requests, as bits */
} model_constraint;

typedef struct model_claim {
    int n_requests;
    int n_alts[REQUESTS]; /* 1: exactly */
    model_alt alts[REQUESTS][ALTS];
    int n_constraints;
    model_constraint constraints[CONSTRAINTS];
} model_claim;

typedef struct model {
    int n_devices, n_claims, units[COUNTERS];
    bool lists, groups, wide; /* wide: two capacities */
    model_device devices[DEVICES];
    model_claim claims[CLAIMS];
} model;

typedef struct model_pick {
    int claim, request, alt, device;
} model_pick;

static uint64_t model_seed;
static int random_below(int n) {
    model_seed = model_seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((model_seed >> 33) % (uint64_t)n);
}

static model_alt random_alt(bool all_too, bool wide) {
    model_alt a = {.x = random_below(4) - 1, .count = 1 + random_below(3)};
    a.capacity = random_below(3) == 0 ? 1 + random_below(3) : 0;
    a.bandwidth = wide && random_below(2) == 0 ? 1 + random_below(3) : 0;
    a.all = all_too && random_below(6) == 0;
    a.tolerates = random_below(2) == 0;
    return a;
}

static void random_constraints(const model *m, model_claim *claim) {
    static const int numbers[] = {0, 0, 1, 1, 2};
    claim->n_constraints = numbers[random_below(5)];
    for (int i = 0; i < claim->n_constraints; i++) {
        model_constraint *c = &claim->constraints[i];
        c->distinct = random_below(3) == 0;
        c->tags = m->lists && random_below(2) == 0;
        c->scope = random_below(2) == 0 ? (1 << claim->n_requests) - 1
                                        : 1 + random_below((1 << claim->n_requests) - 1);
    }
}

static void random_claim(const model *m, model_claim *claim, int requests, bool single) {
    claim->n_requests = 1 + random_below(requests);
    random_constraints(m, claim);
    for (int r = 0; r < claim->n_requests; r++) {
        claim->n_alts[r] = random_below(3) == 0 ? 2 + random_below(ALTS - 1) : 1;
        for (int a = 0; a < claim->n_alts[r]; a++) {
            /* A constraint beside mode All is an error of its own: not modelled. */
            claim->alts[r][a] = random_alt(claim->n_constraints == 0, m->wide);
            claim->alts[r][a].count = single ? 1 : claim->alts[r][a].count;
        }
    }
}

static model_device random_device(const model *m, bool counters, bool sharing, bool taints) {
    model_device d = {.x = random_below(3),
                      .numa = random_below(3),
                      .tags = 1 + random_below((1 << TAGS) - 1),
                      .groups = m->groups ? random_below(4) : 0,
                      .capacity = sharing && random_below(2) ? 4 : 0,
                      .bandwidth = 2 + random_below(3),
                      .held = random_below(8) == 0,
                      .tainted = taints && random_below(3) == 0};
    for (int k = 0; k < COUNTERS && counters; k++)
        d.draws[k] = k == 0 || random_below(2) == 0 ? random_below(3) : 0;
    return d;
}

/* Many devices and requests for one, or few and requests for several: the twin tries them all. */
static void random_model(uint64_t seed, model *m) {
    model_seed = seed * 0x9e3779b97f4a7c15u + 1;
    bool single = random_below(2) == 0;
    *m = (model){.n_devices = 2 + random_below(single ? DEVICES - 1 : 6),
                 .n_claims = 1 + random_below(single ? CLAIMS : 2),
                 .lists = random_below(3) == 0,
                 .groups = random_below(4) == 0,
                 .wide = random_below(3) == 0};
    for (int k = 0; k < COUNTERS; k++)
        m->units[k] = 1 + random_below(5);
    bool sharing = random_below(2) == 0, counters = random_below(2) == 0;
    bool taints = random_below(3) == 0;
    for (int i = 0; i < m->n_devices; i++)
        m->devices[i] = random_device(m, counters, sharing, taints);
    for (int c = 0; c < m->n_claims; c++)
        random_claim(m, &m->claims[c], single && m->n_claims < 3 ? REQUESTS : 2, single);
}

static void write_list(dray_buf *out, const char *names, int bits) {
    const char *comma = "";
    for (int i = 0; names[i] != '\0'; i++) {
        if (!(bits >> i & 1))
            continue;
        dray_buf_addf(out, "%s\"%c\"", comma, names[i]);
        comma = ",";
    }
}

static void write_draws(dray_buf *out, const model_device *d) {
    if (d->draws[0] + d->draws[1] + d->draws[2] == 0)
        return;
    dray_buf_puts(out, ",\"consumesCounters\":[");
    if (d->draws[0] + d->draws[1] > 0) {
        dray_buf_addf(out,
                      "{\"counterSet\":\"s\",\"counters\":{\"u\":{\"value\":\"%d\"},"
                      "\"v\":{\"value\":\"%d\"}}",
                      d->draws[0], d->draws[1]);
        if (d->groups != 0) {
            dray_buf_puts(out, ",\"compatibilityGroups\":[");
            write_list(out, "gh", d->groups);
            dray_buf_puts(out, "]");
        }
        dray_buf_puts(out, "}");
    }
    if (d->draws[2] > 0)
        dray_buf_addf(out, "%s{\"counterSet\":\"t\",\"counters\":{\"u\":{\"value\":\"%d\"}}}",
                      d->draws[0] + d->draws[1] > 0 ? "," : "", d->draws[2]);
    dray_buf_puts(out, "]");
}

static void write_device(dray_buf *out, const model *m, int i) {
    const model_device *d = &m->devices[i];
    dray_buf_addf(out,
                  "%s{\"name\":\"d%d\",\"attributes\":{\"x\":{\"int\":%d},\"numa\":{\"int\":%d}",
                  i > 0 ? "," : "", i, d->x, d->numa);
    if (m->lists) {
        dray_buf_puts(out, ",\"tags\":{\"strings\":[");
        write_list(out, "abcd", d->tags);
        dray_buf_puts(out, "]}");
    }
    dray_buf_putc(out, '}');
    write_draws(out, d);
    if (d->capacity > 0) {
        dray_buf_addf(out,
                      ",\"allowMultipleAllocations\":true,\"capacity\":{\"m\":{\"value\":\"%d\","
                      "\"requestPolicy\":{\"default\":\"1\"}}",
                      d->capacity);
        if (m->wide)
            dray_buf_addf(out, ",\"w\":{\"value\":\"%d\",\"requestPolicy\":{\"default\":\"1\"}}",
                          d->bandwidth);
        dray_buf_putc(out, '}');
    }
    if (d->tainted)
        dray_buf_puts(out, ",\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]");
    dray_buf_putc(out, '}');
}

static void write_alt(dray_buf *out, const model_alt *a) {
    dray_buf_puts(out, "\"deviceClassName\":\"c\"");
    if (a->x >= 0)
        dray_buf_addf(out,
                      ",\"selectors\":[{\"cel\":{\"expression\":"
                      "\"device.attributes['drv'].x == %d\"}}]",
                      a->x);
    if (a->all)
        dray_buf_puts(out, ",\"allocationMode\":\"All\"");
    else
        dray_buf_addf(out, ",\"allocationMode\":\"ExactCount\",\"count\":%d", a->count);
    if (a->capacity + a->bandwidth > 0) {
        dray_buf_puts(out, ",\"capacity\":{\"requests\":{");
        if (a->capacity > 0)
            dray_buf_addf(out, "\"m\":\"%d\"", a->capacity);
        if (a->bandwidth > 0)
            dray_buf_addf(out, "%s\"w\":\"%d\"", a->capacity > 0 ? "," : "", a->bandwidth);
        dray_buf_puts(out, "}}");
    }
    if (a->tolerates)
        dray_buf_puts(out, ",\"tolerations\":[{\"operator\":\"Exists\"}]");
}

static void write_constraint(dray_buf *out, const model_claim *claim, int i) {
    const model_constraint *c = &claim->constraints[i];
    dray_buf_addf(out, "%s{\"%s\":\"drv/%s\",\"requests\":[", i > 0 ? "," : ",\"constraints\":[",
                  c->distinct ? "distinctAttribute" : "matchAttribute", c->tags ? "tags" : "numa");
    const char *comma = "";
    for (int r = 0; r < claim->n_requests; r++) {
        if (!(c->scope >> r & 1))
            continue;
        dray_buf_addf(out, "%s\"r%d\"", comma, r);
        comma = ",";
    }
    dray_buf_puts(out, "]}");
}

static void write_claim(dray_buf *out, const model_claim *claim, int c) {
    dray_buf_addf(out, "{\"metadata\":{\"name\":\"c%d\"},\"spec\":{\"devices\":{\"requests\":[", c);
    for (int r = 0; r < claim->n_requests; r++) {
        dray_buf_addf(out, "%s{\"name\":\"r%d\",", r > 0 ? "," : "", r);
        dray_buf_puts(out, claim->n_alts[r] > 1 ? "\"firstAvailable\":[" : "\"exactly\":");
        for (int a = 0; a < claim->n_alts[r]; a++) {
            dray_buf_puts(out, a > 0 ? ",{" : "{");
            if (claim->n_alts[r] > 1)
                dray_buf_addf(out, "\"name\":\"s%d\",", a);
            write_alt(out, &claim->alts[r][a]);
            dray_buf_putc(out, '}');
        }
        dray_buf_puts(out, claim->n_alts[r] > 1 ? "]}" : "}");
    }
    dray_buf_puts(out, "]");
    for (int i = 0; i < claim->n_constraints; i++)
        write_constraint(out, claim, i);
    if (claim->n_constraints > 0)
        dray_buf_putc(out, ']');
    dray_buf_puts(out, "}}}");
}

static dray_object decoded(const char *kind, dray_buf *text, dray_arena *arena) {
    dray_object object = object_of(kind, dray_buf_cstr(text), arena);
    dray_buf_clear(text);
    return object;
}

typedef struct world {
    dray_arena *arena;
    dray_cluster *cluster;
    dray_alloc *alloc;
    dray_cluster_node *node;
    const dray_resource_claim *claims[CLAIMS];
} world;

static void write_slices(world *w, const model *m, dray_buf *text) {
    dray_buf_addf(
        text,
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"driver\":\"drv\",\"nodeName\":\"n\","
        "\"pool\":{\"name\":\"p\",\"generation\":1,\"resourceSliceCount\":2},"
        "\"sharedCounters\":[{\"name\":\"s\",\"counters\":{\"u\":{\"value\":\"%d\"},"
        "\"v\":{\"value\":\"%d\"}}},{\"name\":\"t\",\"counters\":{\"u\":{\"value\":\"%d\"}}}]}}",
        m->units[0], m->units[1], m->units[2]);
    dray_cluster_add(w->cluster, decoded("ResourceSlice", text, w->arena));
    dray_buf_puts(text, "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"driver\":\"drv\",\"nodeName\":"
                        "\"n\",\"pool\":{\"name\":\"p\",\"generation\":1,"
                        "\"resourceSliceCount\":2},\"devices\":[");
    for (int i = 0; i < m->n_devices; i++)
        write_device(text, m, i);
    dray_buf_puts(text, "]}}");
    dray_cluster_add(w->cluster, decoded("ResourceSlice", text, w->arena));
}

/* One handle compiles for all worlds: what they are about is devices, not CEL. */
static dray_celk8s *compiler;

static world make_world(const model *m) {
    world w = {.arena = dray_arena_new(0)};
    dray_gates gates;
    dray_gates_init(&gates, 37);
    gates.on[DRAY_GATE_DRAListTypeAttributes] = m->lists;
    gates.on[DRAY_GATE_DRADeviceCompatibilityGroups] = m->groups;
    w.cluster = dray_cluster_new(&gates);
    dray_buf text = DRAY_BUF_INIT;
    dray_buf_puts(&text, "{\"metadata\":{\"name\":\"n\"}}");
    dray_cluster_add(w.cluster, decoded("Node", &text, w.arena));
    dray_buf_puts(&text, "{\"metadata\":{\"name\":\"c\"},\"spec\":{}}");
    dray_cluster_add(w.cluster, decoded("DeviceClass", &text, w.arena));
    write_slices(&w, m, &text);
    for (int i = 0; i < m->n_devices; i++) {
        if (!m->devices[i].held)
            continue;
        dray_buf_addf(&text,
                      "{\"metadata\":{\"name\":\"h%d\"},\"spec\":{},\"status\":{\"allocation\":{"
                      "\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"drv\","
                      "\"pool\":\"p\",\"device\":\"d%d\"}]}}}}",
                      i, i);
        dray_cluster_add(w.cluster, decoded("ResourceClaim", &text, w.arena));
    }
    for (int c = 0; c < m->n_claims; c++) {
        write_claim(&text, &m->claims[c], c);
        w.claims[c] = decoded("ResourceClaim", &text, w.arena).body;
    }
    dray_buf_done(&text);
    if (compiler == NULL)
        compiler = dray_celk8s_new(NULL);
    w.alloc = dray_alloc_new(w.cluster);
    dray_alloc_share(w.alloc, compiler);
    w.node = dray_cluster_node_find(w.cluster, DRAY_STR("n"));
    return w;
}

static void end_world(world *w) {
    dray_alloc_free(w->alloc);
    dray_cluster_free(w->cluster);
    dray_arena_free(w->arena);
}

#endif
