/* A picture from compact YAML, for the tests of plan and explain. */
#ifndef DRAY_TESTS_PLAN_PICTURE_H
#define DRAY_TESTS_PLAN_PICTURE_H

#include "api/request.h"
#include "data/yaml.h"
#include "plan/plan.h"
#include "tap.h"

#include <stdlib.h>

typedef struct picture {
    dray_arena *arena;
    dray_cluster *cluster;
    dray_plan *plan;
} picture;

/* Puts the documents into the picture, in the place of what they name. */
__attribute__((unused)) static void picture_add(picture *p, const char *yaml) {
    dray_time now = {.sec = 1800000000, .set = true};
    dray_request_source source = {p->arena, dray_cluster_gates(p->cluster), now};
    dray_yaml_docs docs = dray_yaml_split(dray_str_of(yaml));
    dray_str one;
    uint32_t line;
    while (dray_yaml_next(&docs, &one, &line)) {
        dray_err err = DRAY_ERR_INIT;
        dray_decode_report report = {.arena = p->arena};
        dray_node *root = NULL;
        dray_sent sent;
        if (dray_yaml_parse(one, line, p->arena, &root, &err) != DRAY_OK || root == NULL ||
            dray_request_read(&source, root, &report, &sent, &err) != DRAY_OK ||
            report.strict.n != 0) {
            fprintf(stderr, "bad test document at line %u: %s\n", line, dray_err_text(&err));
            exit(1);
        }
        dray_meta_object_meta *meta = dray_object_meta(sent.object);
        if (sent.object.kind->namespaced && meta->namespace.n == 0)
            meta->namespace = DRAY_STR("default");
        if (meta->uid.n == 0)
            meta->uid = dray_strf(p->arena, "uid-" DRAY_FMT, DRAY_ARG(meta->name));
        dray_cluster_add(p->cluster, sent.object);
    }
}

/* Looks at the picture anew, after it was changed. */
__attribute__((unused)) static void picture_look(picture *p) {
    dray_plan_free(p->plan);
    p->plan = dray_plan_new(p->cluster, (dray_time){.sec = 1800000000, .set = true});
}

__attribute__((unused)) static picture picture_of(const char *yaml, const dray_gates *gates) {
    picture p = {.arena = dray_arena_new(0), .cluster = dray_cluster_new(gates)};
    picture_add(&p, yaml);
    picture_look(&p);
    return p;
}

__attribute__((unused)) static picture picture_new(const char *yaml) {
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    return picture_of(yaml, &gates);
}

__attribute__((unused)) static void picture_done(picture *p) {
    dray_plan_free(p->plan);
    dray_cluster_free(p->cluster);
    dray_arena_free(p->arena);
}

/* The first pending Pod, asked with everything. */
__attribute__((unused)) static dray_plan_answer picture_ask(picture *p) {
    dray_plan_ask_options options = {.scores = true, .messages = true, .refusals = true};
    dray_plan_answer answer;
    dray_plan_pods pods = dray_plan_pending(p->plan, p->arena);
    dray_plan_ask(p->plan, pods.v[0], &options, p->arena, &answer);
    return answer;
}

/* "n1: text, text; n2 ok" for the whole answer. */
__attribute__((unused)) static dray_str picture_text(picture *p) {
    dray_plan_answer answer = picture_ask(p);
    dray_buf out = DRAY_BUF_INIT;
    if (answer.gated.p != NULL)
        dray_buf_addf(&out, "gated: " DRAY_FMT, DRAY_ARG(answer.gated));
    if (answer.prefilter.p != NULL)
        dray_buf_addf(&out, "all: " DRAY_FMT, DRAY_ARG(answer.prefilter));
    if (answer.error.p != NULL)
        dray_buf_addf(&out, "error: " DRAY_FMT, DRAY_ARG(answer.error));
    for (size_t i = 0; i < answer.n_nodes; i++) {
        dray_plan_node_answer *node = &answer.nodes[i];
        dray_buf_addf(&out, "%s" DRAY_FMT "%s", i != 0 ? "; " : "", DRAY_ARG(node->name),
                      node->feasible       ? " ok"
                      : node->unresolvable ? "! "
                                           : ": ");
        for (size_t k = 0; k < node->n_reasons; k++)
            dray_buf_addf(&out, "%s" DRAY_FMT, k != 0 ? ", " : "", DRAY_ARG(node->reasons[k]));
    }
    dray_str text = dray_str_dup(p->arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

/* "p a:d0; q -": each Pod with its node and devices. */
__attribute__((unused)) static dray_str picture_placed(picture *p, const dray_plan_result *result) {
    dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < result->n_pods; i++) {
        const dray_plan_placed *placed = &result->pods[i];
        dray_buf_addf(&out, "%s" DRAY_FMT " ", i != 0 ? "; " : "",
                      DRAY_ARG(placed->pod->metadata->name));
        if (placed->node.p == NULL)
            dray_buf_putc(&out, '-');
        dray_buf_str_add(&out, placed->node);
        for (size_t k = 0; k < placed->n_claims; k++) {
            const dray_resource_allocation_result *a = placed->claims[k]->status->allocation;
            for (size_t d = 0; a != NULL && d < a->devices->results.n; d++)
                dray_buf_addf(&out, ":" DRAY_FMT, DRAY_ARG(a->devices->results.v[d].device));
        }
    }
    dray_str text = dray_str_dup(p->arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

#define PICTURE_NODE(name, more)                              \
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name \
    ", labels: {kubernetes.io/hostname: " name ", zone: z-" name "}}\n" more
#define PICTURE_ROOM "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n"
#define PICTURE_POD(name, more)                              \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name \
    ", labels: {app: a}}\nspec:\n  schedulerName: default-scheduler\n  containers: [{name: c, image: i}]\n" more

#endif
