/* `dray debug alloc`: may these claims be allocated on this node, and how. */
#include "cli/debug.h"

#include "alloc/alloc.h"
#include "api/engine.h"
#include "api/request.h"
#include "base/map.h"
#include "base/vec.h"
#include "celk8s/celk8s.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum { DEADLINE_MS = 10000, REPEAT_MAX = 100000, REPEAT_LEAST = 3, REPEAT_NS = 1000000000 };

typedef DRAY_VEC(dray_object) objects;

typedef struct question {
    dray_debug_line *line;
    dray_gates gates;
    objects picture; /* classes, slices, rules, allocated claims, the node */
    objects claims;
    const dray_resource_claim **bodies; /* of the claims */
    dray_str node;
} question;

static const struct part {
    const char *member, *api_version, *kind;
} parts[] = {
    {"classes", "resource.k8s.io/v1", "DeviceClass"},
    {"slices", "resource.k8s.io/v1", "ResourceSlice"},
    {"rules", "resource.k8s.io/v1", "DeviceTaintRule"},
    {"allocated", "resource.k8s.io/v1", "ResourceClaim"},
};

static uint64_t monotonic_ns(void *context) {
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* For limits of seconds: a few milliseconds coarse, and a third of the price. */
static uint64_t coarse_ns(void *context) {
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Objects stand here without apiVersion and kind: the member says what they are. */
static dray_code decode(question *q, const dray_node *node, const char *api_version,
                        const char *kind, dray_object *ret, dray_err *err) {
    const dray_kind *k = dray_kind_find(dray_str_of(api_version), dray_str_of(kind));
    void *body;
    dray_code code =
        dray_api_decode_type(node, k->type, DRAY_RELEASE_NEWEST, q->line->arena, NULL, &body, err);
    if (code == DRAY_OK)
        *ret = (dray_object){k, body};
    return code;
}

static dray_code decode_list(question *q, const char *member, const char *api_version,
                             const char *kind, objects *to, dray_err *err) {
    const dray_node *list = dray_node_find(q->line->in, dray_str_of(member));
    size_t n = list != NULL && list->kind == DRAY_NODE_LIST ? list->list.n : 0;
    for (size_t i = 0; i < n; i++) {
        dray_object object;
        dray_code code = decode(q, &list->list.items[i], api_version, kind, &object, err);
        if (code != DRAY_OK)
            return dray_err_wrap(err, "%s[%zu]", member, i);
        DRAY_PUSH(q->line->arena, to, object);
    }
    return DRAY_OK;
}

/* What needs another gate is off without it, as a component would refuse to start otherwise. */
static const struct dependence {
    dray_gate gate, needs;
    int since;
} dependences[] = {
    {DRAY_GATE_DRAFractionalCapacityRange, DRAY_GATE_DRAConsumableCapacity, 0},
    {DRAY_GATE_DRADeviceTaintRules, DRAY_GATE_DRADeviceTaints, 35},
    {DRAY_GATE_DRADeviceCompatibilityGroups, DRAY_GATE_DRAPartitionableDevices, 0},
};

/* Any gate may be switched here, a locked one too; one that the release hasn't stays off. */
static dray_code read_gates(const dray_debug_line *line, dray_gates *ret, dray_err *err) {
    int release = DRAY_RELEASE_NEWEST;
    dray_str version = dray_debug_get_string(line, "version");
    if (version.n != 0 && dray_release_parse(version, &release, err) != DRAY_OK)
        return DRAY_E_INVALID;
    dray_gates_init(ret, release);
    /* On once no component is older than 1.37, which is what is asked about here. */
    ret->on[DRAY_GATE_DRAFractionalCapacityRange] =
        dray_gate_known(DRAY_GATE_DRAFractionalCapacityRange, release);
    const dray_node *wanted = dray_node_find(line->in, DRAY_STR("gates"));
    size_t n = wanted != NULL && wanted->kind == DRAY_NODE_MAP ? wanted->map.n : 0;
    for (size_t i = 0; i < n; i++) {
        int gate = dray_gate_find(wanted->map.members[i].key);
        if (gate >= 0 && dray_gate_known((dray_gate)gate, release))
            ret->on[gate] = wanted->map.members[i].value.truth;
    }
    for (size_t i = 0; i < DRAY_COUNT(dependences); i++) {
        const struct dependence *d = &dependences[i];
        if (release >= d->since)
            ret->on[d->gate] &= ret->on[d->needs];
    }
    ret->release = DRAY_RELEASE_NEWEST; /* CEL's environment: the release chooses gates alone */
    return DRAY_OK;
}

/* A picture has each name once, but the input is taken as it is: of two classes the first counts,
 * of anything else the second gets a name that sorts right behind. */
static void make_names_differ(question *q) {
    dray_map seen = dray_map_new(q->line->arena);
    size_t kept = 0;
    for (size_t i = 0; i < q->picture.n; i++) {
        dray_object o = q->picture.v[i];
        dray_meta_object_meta *meta = dray_object_meta(o);
        dray_str key = dray_strf(q->line->arena, "%s/" DRAY_FMT "/" DRAY_FMT, o.kind->kind,
                                 DRAY_ARG(meta->namespace), DRAY_ARG(meta->name));
        bool again = dray_map_put(&seen, key, o.body) != NULL;
        if (again && o.kind->type == &dray_type_resource_device_class)
            continue;
        if (again)
            meta->name = dray_strf(q->line->arena, DRAY_FMT "\x01%zu", DRAY_ARG(meta->name), i);
        q->picture.v[kept++] = o;
    }
    q->picture.n = kept;
}

static const dray_time fixed_now = {.sec = 1767225600, .set = true}; /* 2026-01-01T00:00:00Z */

/* As an API server would on create: defaults in place, then a copy is validated. */
static dray_code validate(question *q, const dray_cel_functions *cel, dray_object object,
                          dray_err *err) {
    dray_arena *arena = q->line->arena;
    dray_defaults defaults = {&q->gates, fixed_now, arena};
    dray_api_default(object, &defaults);
    dray_object copy = {object.kind, dray_api_copy(object.kind->type, object.body, arena)};
    dray_errors errors = {.arena = arena};
    dray_request rq = {.arena = arena,
                       .gates = &q->gates,
                       .cel = cel,
                       .kind = object.kind,
                       .now = fixed_now,
                       .errors = &errors};
    const dray_meta_object_meta *meta = dray_object_meta(copy);
    dray_new_ids ids = {DRAY_STR("00000000-0000-4000-8000-000000000000"), DRAY_STR("zzzzz"),
                        meta->namespace.n > 0 ? meta->namespace : DRAY_STR("default")};
    dray_code code = dray_request_create(&rq, &ids, copy, err);
    if (code == DRAY_OK && errors.list.n > 0)
        code = dray_err_set(err, DRAY_E_INVALID, DRAY_FMT ": " DRAY_FMT,
                            DRAY_ARG(errors.list.v[0].field), DRAY_ARG(errors.list.v[0].detail));
    if (code != DRAY_OK)
        dray_err_wrap(err, "%s " DRAY_FMT, object.kind->kind, DRAY_ARG(meta->name));
    return code;
}

static dray_code validate_all(question *q, dray_err *err) {
    dray_celk8s *k = dray_celk8s_new(NULL);
    dray_cel_functions cel = dray_celk8s_cel_functions(k);
    dray_code code = DRAY_OK;
    /* The node and what is allocated already were stored by others. */
    for (size_t i = 0; i < q->picture.n && code == DRAY_OK; i++) {
        const dray_type *type = q->picture.v[i].kind->type;
        if (type != &dray_type_core_node && type != &dray_type_resource_claim)
            code = validate(q, &cel, q->picture.v[i], err);
    }
    for (size_t i = 0; i < q->claims.n && code == DRAY_OK; i++)
        code = validate(q, &cel, q->claims.v[i], err);
    dray_celk8s_free(k);
    return code;
}

static dray_code read_question(question *q, dray_err *err) {
    dray_code code = read_gates(q->line, &q->gates, err);
    const dray_node *node = dray_node_find(q->line->in, DRAY_STR("node"));
    if (code == DRAY_OK && node == NULL)
        code = dray_err_set(err, DRAY_E_INVALID, "there is no node");
    dray_object object;
    if (code == DRAY_OK)
        code = decode(q, node, "v1", "Node", &object, err);
    if (code != DRAY_OK)
        return code;
    q->node = dray_object_meta(object)->name;
    DRAY_PUSH(q->line->arena, &q->picture, object);
    for (size_t i = 0; i < DRAY_COUNT(parts) && code == DRAY_OK; i++)
        code =
            decode_list(q, parts[i].member, parts[i].api_version, parts[i].kind, &q->picture, err);
    if (code == DRAY_OK)
        code = decode_list(q, "claims", "resource.k8s.io/v1", "ResourceClaim", &q->claims, err);
    q->bodies = DRAY_NEW_N(q->line->arena, const dray_resource_claim *, q->claims.n + 1);
    for (size_t i = 0; i < q->claims.n; i++)
        q->bodies[i] = q->claims.v[i].body;
    if (code == DRAY_OK && dray_debug_get_bool(q->line, "validate", false))
        code = validate_all(q, err);
    make_names_differ(q);
    return code;
}

static dray_cluster *make_picture(const question *q) {
    dray_cluster *cluster = dray_cluster_new(&q->gates);
    for (size_t i = 0; i < q->picture.n; i++)
        dray_cluster_add(cluster, q->picture.v[i]);
    return cluster;
}

static dray_alloc_options options_of(const question *q, bool reasons) {
    int64_t ms = dray_debug_get_int(q->line, "deadlineMs", DEADLINE_MS);
    return (dray_alloc_options){
        .results = true,
        .reasons = reasons,
        .clock = coarse_ns,
        .limit_ns = (uint64_t)(ms > 0 ? ms : DEADLINE_MS) * 1000000u,
    };
}

static void write_reasons(const question *q, const dray_alloc_outcome *out) {
    dray_debug_line *line = q->line;
    dray_debug_key(line, "reasons");
    dray_buf_putc(line->out, '[');
    for (size_t i = 0; i < out->n_reasons; i++) {
        const dray_alloc_reason *r = &out->reasons[i];
        dray_buf_puts(line->out, i > 0 ? ",{" : "{");
        dray_buf_addf(line->out, "\"count\":%" PRIu32, r->count);
        const dray_meta_object_meta *meta = q->bodies[r->claim]->metadata;
        dray_debug_string(line, "claim",
                          dray_strf(line->arena, DRAY_FMT "%s" DRAY_FMT, DRAY_ARG(meta->namespace),
                                    meta->namespace.n != 0 ? "/" : "", DRAY_ARG(meta->name)));
        dray_debug_string(line, "request", r->request);
        dray_debug_string(line, "cause", dray_str_of(dray_alloc_cause_id(r->cause)));
        dray_debug_string(line, "example", r->example);
        dray_buf_putc(line->out, '}');
    }
    dray_buf_putc(line->out, ']');
}

static void write_outcome(const question *q, const dray_alloc_outcome *out) {
    dray_debug_line *line = q->line;
    if (out->kind == DRAY_ALLOC_ERROR) {
        dray_debug_string(line, "error", out->error);
        dray_debug_bool(line, "nodeLocal", out->node_local);
        return;
    }
    if (out->kind == DRAY_ALLOC_GAVE_UP) {
        dray_debug_error(line, "gave up: the step budget is spent");
        return;
    }
    dray_debug_bool(line, "fits", out->kind == DRAY_ALLOC_FITS);
    if (out->kind == DRAY_ALLOC_DOES_NOT_FIT) {
        write_reasons(q, out);
        return;
    }
    dray_debug_key(line, "allocations");
    dray_buf_putc(line->out, '[');
    for (size_t i = 0; i < q->claims.n; i++) {
        if (i > 0)
            dray_buf_putc(line->out, ',');
        dray_api_encode_type(line->out, &dray_type_resource_allocation_result,
                             &out->allocations[i]);
    }
    dray_buf_putc(line->out, ']');
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The median of N timings of what `once` does, or of as many as a second allows. */
typedef struct timing {
    const question *q;
    dray_alloc *alloc;
    dray_cluster_node *node;
    dray_arena *arena;
    dray_alloc_options options;
} timing;

static void allocate_once(const timing *t) {
    dray_alloc_outcome out;
    dray_alloc_job *job =
        dray_alloc_begin(t->alloc, t->q->bodies, t->q->claims.n, &t->options, t->arena);
    dray_alloc_run(job, t->node, t->arena, &out);
    dray_arena_reset(t->arena);
}

static void prepare_once(const timing *t) {
    dray_cluster *cluster = make_picture(t->q);
    dray_cluster_free(cluster);
}

static uint64_t median_ns(const timing *t, size_t n, void (*once)(const timing *t)) {
    uint64_t *all = dray_malloc(dray_size_mul(n, sizeof *all));
    uint64_t start = monotonic_ns(NULL), end = start;
    size_t made = 0;
    while (made < n && (made < REPEAT_LEAST || end - start < REPEAT_NS)) {
        dray_alloc_forget(t->alloc);
        uint64_t begin = monotonic_ns(NULL);
        once(t);
        end = monotonic_ns(NULL);
        all[made++] = end - begin;
    }
    qsort(all, made, sizeof *all, by_size);
    uint64_t median = all[made / 2];
    free(all);
    return median;
}

static void answer_question(const question *q) {
    dray_debug_line *line = q->line;
    dray_cluster *cluster = make_picture(q);
    dray_alloc *alloc = dray_alloc_new(cluster);
    dray_cluster_node *node = dray_cluster_node_find(cluster, q->node);
    dray_alloc_options options = options_of(q, true);
    uint64_t begin = monotonic_ns(NULL);
    dray_alloc_job *job = dray_alloc_begin(alloc, q->bodies, q->claims.n, &options, line->arena);
    dray_alloc_outcome out;
    dray_alloc_run(job, node, line->arena, &out);
    uint64_t ns = monotonic_ns(NULL) - begin;
    write_outcome(q, &out);
    dray_buf_addf(line->out, ",\"steps\":%" PRIu64, out.steps);
    int64_t repeat = dray_debug_get_int(line, "repeat", 0);
    if (repeat > 0) {
        timing t = {q, alloc, node, dray_arena_new(0), options_of(q, false)};
        size_t n = repeat < REPEAT_MAX ? (size_t)repeat : REPEAT_MAX;
        ns = median_ns(&t, n, allocate_once);
        dray_buf_addf(line->out, ",\"prepareNs\":%" PRIu64, median_ns(&t, n, prepare_once));
        dray_arena_free(t.arena);
    }
    dray_buf_addf(line->out, ",\"ns\":%" PRIu64, ns);
    dray_alloc_free(alloc);
    dray_cluster_free(cluster);
}

static void answer(void *state, dray_debug_line *line) {
    (void)state;
    dray_err err = DRAY_ERR_INIT;
    question q = {.line = line};
    if (read_question(&q, &err) == DRAY_OK)
        answer_question(&q);
    else
        dray_debug_error(line, dray_err_text(&err));
    dray_err_done(&err);
}

const dray_debug_kind dray_debug_alloc = {
    .name = "alloc",
    .summary = "allocate claims on a node",
    .answer = answer,
};
