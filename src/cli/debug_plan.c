/* `dray debug plan` and `dray debug plan-run`: where Pods could go, and where all of them go. */
#include "cli/debug.h"

#include "base/vec.h"
#include "data/json.h"
#include "plan/plan.h"

/* The picture of the line's objects; NULL, with the error answered, where there is none. */
static dray_cluster *read_cluster(dray_debug_line *line) {
    dray_err err = DRAY_ERR_INIT;
    dray_gates gates;
    dray_cluster *cluster = NULL;
    dray_code code = dray_debug_gates(line, &gates, &err);
    if (code == DRAY_OK) {
        dray_object *objects;
        size_t n = 0;
        cluster = dray_cluster_new(&gates);
        code = dray_debug_objects(line, &gates, &objects, &n, &err);
        for (size_t i = 0; i < n; i++)
            dray_cluster_add(cluster, objects[i]);
    }
    if (code == DRAY_OK)
        return cluster;
    dray_debug_error(line, dray_err_text(&err));
    dray_err_done(&err);
    dray_cluster_free(cluster);
    return NULL;
}

static void put_string(dray_buf *out, dray_str text) {
    dray_json_write_string(out, text, false);
}

static void put_member(dray_buf *out, const char *key, dray_str text) {
    if (text.p == NULL)
        return;
    dray_buf_addf(out, ",\"%s\":", key);
    put_string(out, text);
}

static void put_name(dray_buf *out, const dray_core_pod *pod) {
    dray_buf_puts(out, "{\"namespace\":");
    put_string(out, pod->metadata->namespace);
    put_member(out, "name", pod->metadata->name);
}

typedef bool node_test(const dray_plan_node_answer *node);

static bool is_feasible(const dray_plan_node_answer *node) {
    return node->feasible;
}

static bool is_unresolvable(const dray_plan_node_answer *node) {
    return node->unresolvable;
}

static void put_nodes(dray_buf *out, const char *key, const dray_plan_answer *answer,
                      node_test *test) {
    dray_buf_addf(out, ",\"%s\":[", key);
    bool first = true;
    for (size_t i = 0; i < answer->n_nodes; i++)
        if (test(&answer->nodes[i])) {
            dray_buf_puts(out, first ? "" : ",");
            put_string(out, answer->nodes[i].name);
            first = false;
        }
    dray_buf_putc(out, ']');
}

static int by_text(const void *a, const void *b, void *context) {
    return dray_str_cmp(*(const dray_str *)a, *(const dray_str *)b);
}

static void put_reasons(dray_buf *out, const dray_plan_answer *answer, dray_arena *arena) {
    dray_buf_puts(out, ",\"unschedulableReasons\":{");
    bool first = true;
    for (size_t i = 0; i < answer->n_nodes; i++) {
        const dray_plan_node_answer *node = &answer->nodes[i];
        if (node->feasible)
            continue;
        dray_buf_puts(out, first ? "" : ",");
        put_string(out, node->name);
        dray_buf_puts(out, ":[");
        dray_str *sorted = DRAY_NEW_N(arena, dray_str, node->n_reasons);
        memcpy(sorted, node->reasons, node->n_reasons * sizeof *sorted);
        dray_sort(sorted, node->n_reasons, sizeof *sorted, by_text, NULL);
        for (size_t k = 0; k < node->n_reasons; k++) {
            dray_buf_puts(out, k != 0 ? "," : "");
            put_string(out, sorted[k]);
        }
        dray_buf_putc(out, ']');
        first = false;
    }
    dray_buf_putc(out, '}');
}

static void put_scores(dray_buf *out, const dray_plan_answer *answer) {
    int64_t best = INT64_MIN;
    bool first = true;
    dray_buf_puts(out, ",\"scores\":{");
    for (size_t i = 0; i < answer->n_nodes; i++) {
        const dray_plan_node_answer *node = &answer->nodes[i];
        if (!node->feasible)
            continue;
        dray_buf_puts(out, first ? "" : ",");
        put_string(out, node->name);
        dray_buf_addf(out, ":%jd", (intmax_t)node->score);
        best = node->score > best ? node->score : best;
        first = false;
    }
    dray_buf_puts(out, "},\"best\":[");
    first = true;
    for (size_t i = 0; i < answer->n_nodes; i++)
        if (answer->nodes[i].feasible && answer->nodes[i].score == best) {
            dray_buf_puts(out, first ? "" : ",");
            put_string(out, answer->nodes[i].name);
            first = false;
        }
    dray_buf_putc(out, ']');
}

static void put_answer(dray_debug_line *line, const dray_core_pod *pod,
                       const dray_plan_answer *answer, const dray_plan_ask_options *options) {
    dray_buf *out = line->out;
    put_name(out, pod);
    put_member(out, "gated", answer->gated);
    put_member(out, "preFilter", answer->prefilter);
    put_member(out, "error", answer->error);
    put_nodes(out, "feasible", answer, is_feasible);
    put_reasons(out, answer, line->arena);
    put_nodes(out, "unresolvable", answer, is_unresolvable);
    if (answer->scored)
        put_scores(out, answer);
    if (options->messages)
        put_member(out, "message", answer->message);
    dray_buf_putc(out, '}');
}

static void answer_plan(void *state, dray_debug_line *line) {
    dray_cluster *cluster = read_cluster(line);
    if (cluster == NULL)
        return;
    dray_plan_ask_options options = {
        .scores = dray_debug_get_bool(line, "scores", false),
        .messages = dray_debug_get_bool(line, "messages", false),
    };
    dray_plan *plan = dray_plan_new(cluster, dray_debug_now());
    dray_plan_set_strict(plan, true);
    dray_plan_pods pods = dray_plan_pending(plan, line->arena);
    dray_buf_puts(line->out, ",\"pods\":[");
    for (size_t i = 0; i < pods.n; i++) {
        dray_plan_answer answer;
        dray_plan_ask(plan, pods.v[i], &options, line->arena, &answer);
        dray_buf_puts(line->out, i != 0 ? "," : "");
        put_answer(line, pods.v[i], &answer, &options);
    }
    dray_buf_putc(line->out, ']');
    dray_plan_free(plan);
    dray_cluster_free(cluster);
}

const dray_debug_kind dray_debug_plan = {
    .name = "plan",
    .summary = "where each pending Pod could go, and why not elsewhere",
    .answer = answer_plan,
};

static void put_devices(dray_buf *out, const dray_plan_placed *placed) {
    bool first = true;
    dray_buf_puts(out, ",\"devices\":[");
    for (size_t i = 0; i < placed->n_claims; i++) {
        const dray_resource_claim *claim = placed->claims[i];
        const dray_resource_allocation_result *a = claim->status->allocation;
        for (size_t k = 0; a != NULL && k < a->devices->results.n; k++) {
            const dray_resource_device_request_allocation_result *r = &a->devices->results.v[k];
            dray_buf_puts(out, first ? "{\"claim\":" : ",{\"claim\":");
            put_string(out, claim->metadata->name);
            put_member(out, "request", r->request);
            put_member(out, "driver", r->driver);
            put_member(out, "pool", r->pool);
            put_member(out, "device", r->device);
            dray_buf_putc(out, '}');
            first = false;
        }
    }
    dray_buf_putc(out, ']');
}

static void put_placed(dray_buf *out, const dray_plan_placed *placed) {
    put_name(out, placed->pod);
    if (placed->node.p != NULL)
        put_member(out, "node", placed->node);
    else
        dray_buf_puts(out, ",\"node\":null");
    if (placed->node.p != NULL)
        put_devices(out, placed);
    put_member(out, "message", placed->message);
    dray_buf_putc(out, '}');
}

static void put_victims(dray_debug_line *line, const dray_plan_result *result) {
    DRAY_VEC(dray_str) names = {0};
    for (size_t i = 0; i < result->n_pods; i++)
        for (size_t k = 0; k < result->pods[i].n_victims; k++) {
            const dray_meta_object_meta *meta = result->pods[i].victims[k]->metadata;
            DRAY_PUSH(line->arena, &names,
                      dray_strf(line->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(meta->namespace),
                                DRAY_ARG(meta->name)));
        }
    dray_sort(names.v, names.n, sizeof *names.v, by_text, NULL);
    dray_buf_puts(line->out, ",\"victims\":[");
    for (size_t i = 0; i < names.n; i++) {
        dray_buf_puts(line->out, i != 0 ? "," : "");
        put_string(line->out, names.v[i]);
    }
    dray_buf_putc(line->out, ']');
}

static void answer_run(void *state, dray_debug_line *line) {
    dray_cluster *cluster = read_cluster(line);
    if (cluster == NULL)
        return;
    dray_plan *plan = dray_plan_new(cluster, dray_debug_now());
    dray_plan_set_strict(plan, true);
    dray_plan_result result;
    dray_plan_run_options options = {
        .messages = true,
        .once = dray_debug_get_bool(line, "once", false),
        .preemption = dray_debug_get_bool(line, "preemption", false),
    };
    dray_plan_run(plan, &options, line->arena, &result);
    dray_buf_addf(line->out, ",\"scheduled\":%zu,\"unschedulable\":%zu,\"pods\":[", result.n_placed,
                  result.n_pods - result.n_placed);
    for (size_t i = 0; i < result.n_pods; i++) {
        dray_buf_puts(line->out, i != 0 ? "," : "");
        put_placed(line->out, &result.pods[i]);
    }
    dray_buf_putc(line->out, ']');
    if (options.once || options.preemption)
        put_victims(line, &result);
    dray_plan_free(plan);
    dray_cluster_free(cluster);
}

const dray_debug_kind dray_debug_plan_run = {
    .name = "plan-run",
    .summary = "places all pending Pods and counts them",
    .answer = answer_run,
};
