/* openb: how much of a real cluster's GPUs each packing gives away.
 *
 *     openb DIRECTORY [TRACE|all [PACKING|all [SEEDS]]]
 *
 * DIRECTORY has openb_node_list_gpu_node.csv and openb_pod_list_TRACE.csv. Each seed shuffles the
 * Pods, then draws more with replacement until 130 % of the GPUs are asked for; what doesn't fit is
 * skipped. Prints the mean share of GPUs that is allocated, in per cent, beside what the FGD
 * simulator's BestFit and FGD reach, and the CPU seconds of the longest run, reading objects
 * included. A part of a GPU is a request for one device with so much of its capacity "milli"; whole
 * GPUs are a count of devices with all of it; GPU models are a selector.
 */
#include "api/request.h"
#include "base/map.h"
#include "data/json.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_MAX_BYTES = 512, COLUMNS_MAX = 12, NODES_MAX = 2000, PODS_MAX = 20000 };

static const struct {
    const char *name;
    double best_fit, fgd; /* means of the published results at 130 % */
} traces[] = {
    {"default", 93.08, 95.39},    {"multigpu20", 93.93, 95.65},  {"multigpu50", 95.74, 97.18},
    {"gpushare40", 91.69, 94.15}, {"gpushare100", 85.01, 86.90}, {"gpuspec10", 93.30, 94.95},
    {"gpuspec33", 93.09, 94.55},
};
static const struct {
    const char *name;
    dray_packing packing;
} packings[] = {
    {"first", DRAY_PACKING_FIRST},
    {"pack", DRAY_PACKING_PACK},
    {"spread", DRAY_PACKING_SPREAD},
    {"frag", DRAY_PACKING_FRAG},
};

typedef struct row {
    char *columns[COLUMNS_MAX];
} row;

typedef struct table {
    row *rows;
    size_t n;
} table;

static table nodes, pods;
static double gpus; /* of all nodes */

/* --- input --- */

static void stop(const char *what) {
    fprintf(stderr, "openb: %s\n", what);
    exit(2);
}

static table read_table(const char *directory, const char *name, size_t most) {
    char path[4096], line[LINE_MAX_BYTES];
    snprintf(path, sizeof path, "%s/openb_%s.csv", directory, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        stop(path);
    table t = {.rows = calloc(most, sizeof(row))};
    bool first = true;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        if (!first && t.n == most)
            stop("too many rows");
        char *rest = line, *field;
        for (size_t i = 0; !first && i < COLUMNS_MAX && (field = strsep(&rest, ",")) != NULL; i++)
            t.rows[t.n].columns[i] = strdup(field);
        t.n += !first;
        first = false;
    }
    fclose(file);
    return t;
}

static double number(const char *text) {
    return strtod(text, NULL);
}

static double gpus_of(const row *pod) {
    return number(pod->columns[3]) * number(pod->columns[4]) / 1000;
}

/* --- objects --- */

typedef struct scene {
    dray_arena *arena;
    dray_gates gates;
    dray_cluster *cluster;
    dray_buf text;
    dray_map templates;
} scene;

static void add(scene *s) {
    dray_err err = DRAY_ERR_INIT;
    dray_node *root;
    dray_sent sent;
    dray_request_source source = {s->arena, &s->gates, {.sec = 1800000000, .set = true}};
    dray_decode_report report = {.arena = s->arena};
    if (dray_json_parse(dray_str_dup(s->arena, dray_buf_str(&s->text)), s->arena, &root, &err) !=
            DRAY_OK ||
        dray_request_read(&source, root, &report, &sent, &err) != DRAY_OK || report.strict.n != 0) {
        fprintf(stderr, "%s\n" DRAY_FMT "\n", dray_err_text(&err),
                DRAY_ARG(dray_buf_str(&s->text)));
        exit(2);
    }
    dray_meta_object_meta *meta = dray_object_meta(sent.object);
    if (sent.object.kind->namespaced)
        meta->namespace = DRAY_STR("default");
    meta->uid = dray_strf(s->arena, "uid-" DRAY_FMT, DRAY_ARG(meta->name));
    dray_cluster_add(s->cluster, sent.object);
    dray_buf_clear(&s->text);
}

static void add_node(scene *s, const row *node) {
    const char *name = node->columns[0];
    dray_buf_addf(&s->text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"},"
                  "\"status\":{\"allocatable\":{\"cpu\":\"%sm\",\"memory\":\"%sMi\",\"pods\":"
                  "\"1000\"}}}",
                  name, node->columns[1], node->columns[2]);
    add(s);
    dray_buf_addf(&s->text,
                  "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceSlice\",\"metadata\":"
                  "{\"name\":\"s-%s\"},\"spec\":{\"driver\":\"gpu.example.com\",\"nodeName\":"
                  "\"%s\",\"pool\":{\"name\":\"%s\",\"generation\":1,\"resourceSliceCount\":1},"
                  "\"devices\":[",
                  name, name, name);
    for (int i = 0; i < (int)number(node->columns[3]); i++)
        dray_buf_addf(&s->text,
                      "%s{\"name\":\"gpu-%d\",\"allowMultipleAllocations\":true,\"attributes\":"
                      "{\"model\":{\"string\":\"%s\"}},\"capacity\":{\"milli\":{\"value\":"
                      "\"1000\"}}}",
                      i != 0 ? "," : "", i, node->columns[4]);
    dray_buf_puts(&s->text, "]}}");
    add(s);
}

/* The template for a Pod's GPUs; "" without any. */
static const char *template_of(scene *s, const row *pod) {
    if (number(pod->columns[3]) == 0)
        return "";
    const char *spec = pod->columns[5] != NULL ? pod->columns[5] : "";
    dray_str key = dray_strf(s->arena, "%s %s %s", pod->columns[3], pod->columns[4], spec);
    dray_map_entry *entry = dray_map_entry_of(&s->templates, key);
    if (entry->value != NULL)
        return entry->value;
    char *name = dray_arena_bytes(s->arena, 16);
    snprintf(name, 16, "t%u", s->templates.n);
    entry->value = name;
    dray_buf_addf(&s->text,
                  "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaimTemplate\","
                  "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"spec\":{\"devices\":{\"requests\":"
                  "[{\"name\":\"gpu\",\"exactly\":{\"deviceClassName\":\"gpu\",\"count\":%s,"
                  "\"capacity\":{\"requests\":{\"milli\":\"%s\"}}",
                  name, pod->columns[3], pod->columns[4]);
    if (*spec != 0) {
        dray_buf_puts(&s->text, ",\"selectors\":[{\"cel\":{\"expression\":\"device.attributes["
                                "'gpu.example.com'].model in ['");
        for (const char *c = spec; *c != 0; c++)
            if (*c == '|')
                dray_buf_puts(&s->text, "','");
            else
                dray_buf_putc(&s->text, *c);
        dray_buf_puts(&s->text, "']\"}}]");
    }
    dray_buf_puts(&s->text, "}}]}}}}");
    add(s);
    return name;
}

static void add_pod(scene *s, const row *pod, size_t number) {
    const char *template = template_of(s, pod);
    dray_buf_addf(&s->text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%zu\"},"
                  "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":"
                  "{\"requests\":{\"cpu\":\"%sm\",\"memory\":\"%sMi\"}}}]",
                  number, pod->columns[1], pod->columns[2]);
    if (*template != 0)
        dray_buf_addf(&s->text,
                      ",\"resourceClaims\":[{\"name\":\"gpu\",\"resourceClaimTemplateName\":\"%s\"}"
                      "]",
                      template);
    dray_buf_puts(&s->text, "}}");
    add(s);
}

static scene new_scene(void) {
    scene s = {.arena = dray_arena_new(0)};
    dray_gates_init(&s.gates, DRAY_RELEASE_NEWEST);
    s.cluster = dray_cluster_new(&s.gates);
    s.templates = dray_map_new(s.arena);
    dray_buf_puts(&s.text, "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"DeviceClass\","
                           "\"metadata\":{\"name\":\"gpu\"},\"spec\":{}}");
    add(&s);
    for (size_t i = 0; i < nodes.n; i++)
        add_node(&s, &nodes.rows[i]);
    return s;
}

/* --- runs --- */

static uint64_t random_state;

static uint32_t below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state * 0x2545F4914F6CDD1Du) >> 33) % n;
}

/* Which Pods come, in order; returns how many. */
static size_t draw(uint64_t seed, uint32_t *ret) {
    random_state = 0x9E3779B97F4A7C15u * seed;
    for (int i = 0; i < 20; i++)
        below(2);
    for (uint32_t i = 0; i < pods.n; i++)
        ret[i] = i;
    for (uint32_t i = (uint32_t)pods.n - 1; i > 0; i--) {
        uint32_t k = below(i + 1), other = ret[i];
        ret[i] = ret[k];
        ret[k] = other;
    }
    double asked = 0;
    size_t n = 0;
    for (; asked < 1.3 * gpus; n++) {
        if (n == PODS_MAX)
            stop("too many Pods");
        if (n >= pods.n)
            ret[n] = below((uint32_t)pods.n);
        asked += gpus_of(&pods.rows[ret[n]]);
    }
    return n;
}

/* Per cent of the GPUs. */
static double run(dray_packing packing, uint64_t seed) {
    static uint32_t order[PODS_MAX];
    scene s = new_scene();
    size_t n = draw(seed, order);
    for (size_t i = 0; i < n; i++)
        add_pod(&s, &pods.rows[order[i]], i);
    dray_plan *plan = dray_plan_new(s.cluster, (dray_time){.sec = 1800000000, .set = true});
    dray_plan_result result;
    dray_plan_run(plan, &(dray_plan_run_options){.packing = packing}, s.arena, &result);
    double given = 0;
    for (size_t i = 0; i < result.n_pods; i++)
        if (result.pods[i].node.p != NULL)
            given += gpus_of(&pods.rows[order[i]]);
    dray_plan_free(plan);
    dray_cluster_free(s.cluster);
    dray_buf_done(&s.text);
    dray_arena_free(s.arena);
    return given / gpus * 100;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print_mean(dray_packing packing, int seeds) {
    double sum = 0, longest = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        double begin = seconds();
        sum += run(packing, (uint64_t)seed);
        longest = seconds() - begin > longest ? seconds() - begin : longest;
    }
    printf(" %7.2f %5.1f s", sum / seeds, longest);
    fflush(stdout);
}

static bool is_wanted(const char *wanted, const char *name) {
    return strcmp(wanted, "all") == 0 || strcmp(wanted, name) == 0;
}

int main(int argc, char **argv) {
    if (argc < 2)
        stop("usage: openb DIRECTORY [TRACE|all [PACKING|all [SEEDS]]]");
    const char *trace = argc > 2 ? argv[2] : "all", *packing = argc > 3 ? argv[3] : "all";
    int seeds = argc > 4 ? (int)number(argv[4]) : 10;
    nodes = read_table(argv[1], "node_list_gpu_node", NODES_MAX);
    for (size_t i = 0; i < nodes.n; i++)
        gpus += number(nodes.rows[i].columns[3]);
    printf("%-12s", "trace");
    for (size_t k = 0; k < DRAY_COUNT(packings); k++)
        if (is_wanted(packing, packings[k].name))
            printf(" %7s %7s", packings[k].name, "longest");
    printf(" %7s %7s\n", "BestFit", "FGD");
    for (size_t i = 0; i < DRAY_COUNT(traces); i++) {
        if (!is_wanted(trace, traces[i].name))
            continue;
        char name[64];
        snprintf(name, sizeof name, "pod_list_%s", traces[i].name);
        pods = read_table(argv[1], name, PODS_MAX);
        printf("%-12s", traces[i].name);
        for (size_t k = 0; k < DRAY_COUNT(packings); k++)
            if (is_wanted(packing, packings[k].name))
                print_mean(packings[k].packing, seeds);
        printf(" %7.2f %7.2f\n", traces[i].best_fit, traces[i].fgd);
    }
    return 0;
}
