/* Small random allocation problems, as a model and as the objects that the allocator takes. */
#ifndef DRAY_TESTS_ALLOC_MODEL_H
#define DRAY_TESTS_ALLOC_MODEL_H

#include "alloc/alloc.h"
#include "objects.h"
#include "tap.h"

enum { DEVICES = 7, CLAIMS = 2, REQUESTS = 3, ALTS = 2 };

typedef struct model_device {
    int x, numa;
    int draws;    /* units of the one counter */
    int capacity; /* > 0: may be shared */
    bool held, tainted;
} model_device;

typedef struct model_alt {
    int x; /* wanted; -1: any */
    int count;
    int capacity; /* 0: none asked for */
    bool all, tolerates;
} model_alt;

typedef struct model_claim {
    int n_requests;
    int n_alts[REQUESTS]; /* 1: exactly */
    model_alt alts[REQUESTS][ALTS];
    bool match, distinct; /* of numa, over all requests */
} model_claim;

typedef struct model {
    int n_devices, n_claims, units;
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

static model_alt random_alt(bool all_too) {
    model_alt a = {.x = random_below(4) - 1, .count = 1 + random_below(3)};
    a.capacity = random_below(3) == 0 ? 1 + random_below(3) : 0;
    a.all = all_too && random_below(6) == 0;
    a.tolerates = random_below(2) == 0;
    return a;
}

static void random_model(uint64_t seed, model *m) {
    model_seed = seed * 0x9e3779b97f4a7c15u + 1;
    *m = (model){.n_devices = 2 + random_below(DEVICES - 1), .n_claims = 1 + random_below(CLAIMS)};
    m->units = 1 + random_below(5);
    bool sharing = random_below(2) == 0, counters = random_below(2) == 0;
    bool taints = random_below(3) == 0;
    for (int i = 0; i < m->n_devices; i++)
        m->devices[i] = (model_device){.x = random_below(3),
                                       .numa = random_below(3),
                                       .draws = counters ? random_below(3) : 0,
                                       .capacity = sharing && random_below(2) ? 4 : 0,
                                       .held = random_below(8) == 0,
                                       .tainted = taints && random_below(3) == 0};
    for (int c = 0; c < m->n_claims; c++) {
        model_claim *claim = &m->claims[c];
        claim->n_requests = 1 + random_below(REQUESTS);
        claim->match = random_below(3) == 0;
        claim->distinct = !claim->match && random_below(3) == 0;
        for (int r = 0; r < claim->n_requests; r++) {
            claim->n_alts[r] = random_below(3) == 0 ? 2 : 1;
            for (int a = 0; a < claim->n_alts[r]; a++)
                /* A constraint beside mode All is an error of its own: not modelled. */
                claim->alts[r][a] = random_alt(!claim->match && !claim->distinct);
        }
    }
}

static void write_device(dray_buf *out, const model_device *d, int i) {
    dray_buf_addf(out,
                  "%s{\"name\":\"d%d\",\"attributes\":{\"x\":{\"int\":%d},\"numa\":{\"int\":%d}}",
                  i > 0 ? "," : "", i, d->x, d->numa);
    if (d->draws > 0)
        dray_buf_addf(out,
                      ",\"consumesCounters\":[{\"counterSet\":\"s\",\"counters\":{\"u\":{"
                      "\"value\":\"%d\"}}}]",
                      d->draws);
    if (d->capacity > 0)
        dray_buf_addf(out,
                      ",\"allowMultipleAllocations\":true,\"capacity\":{\"m\":{\"value\":\"%d\","
                      "\"requestPolicy\":{\"default\":\"1\"}}}",
                      d->capacity);
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
    if (a->capacity > 0)
        dray_buf_addf(out, ",\"capacity\":{\"requests\":{\"m\":\"%d\"}}", a->capacity);
    if (a->tolerates)
        dray_buf_puts(out, ",\"tolerations\":[{\"operator\":\"Exists\"}]");
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
    if (claim->match || claim->distinct)
        dray_buf_addf(out, ",\"constraints\":[{\"%s\":\"drv/numa\"}]",
                      claim->match ? "matchAttribute" : "distinctAttribute");
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
    dray_buf_addf(text,
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"driver\":\"drv\",\"nodeName\":\"n\","
                  "\"pool\":{\"name\":\"p\",\"generation\":1,\"resourceSliceCount\":2},"
                  "\"sharedCounters\":[{\"name\":\"s\",\"counters\":{\"u\":{\"value\":\"%d\"}}}]}}",
                  m->units);
    dray_cluster_add(w->cluster, decoded("ResourceSlice", text, w->arena));
    dray_buf_puts(text, "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"driver\":\"drv\",\"nodeName\":"
                        "\"n\",\"pool\":{\"name\":\"p\",\"generation\":1,"
                        "\"resourceSliceCount\":2},\"devices\":[");
    for (int i = 0; i < m->n_devices; i++)
        write_device(text, &m->devices[i], i);
    dray_buf_puts(text, "]}}");
    dray_cluster_add(w->cluster, decoded("ResourceSlice", text, w->arena));
}

/* One handle compiles for all worlds: what they are about is devices, not CEL. */
static dray_celk8s *compiler;

static world make_world(const model *m) {
    world w = {.arena = dray_arena_new(0)};
    dray_gates gates;
    dray_gates_init(&gates, 37);
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
