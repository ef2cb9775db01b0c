/* `dray explain`: why is a Pod or a claim pending, or why did it get these devices? */
#include "cli/explain_json.h"
#include "cli/explain_steps.h"
#include "cli/objects.h"
#include "cli/table.h"

#include <stdio.h>

enum { ANSWER_BYTES = 1 << 30, NAMES_SHOWN = 8 };

typedef struct question {
    dray_args *args;
    dray_objects objects;
    dray_cluster *cluster;
    dray_str ns, name;
    bool json;
} question;

static dray_str key_of(const dray_meta_object_meta *meta, dray_arena *arena) {
    return dray_strf(arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(meta->namespace), DRAY_ARG(meta->name));
}

/* --- a Pod that waits --- */

static void print_nodes(const dray_explain_answer *answer) {
    for (size_t i = 0; i < answer->n_reasons; i++) {
        const dray_explain_nodes *g = &answer->nodes[i];
        printf("%s", i == 0 ? "\n" : "");
        for (size_t k = 0; k < g->n && k < NAMES_SHOWN; k++)
            printf("%s" DRAY_FMT, k != 0 ? ", " : "", DRAY_ARG(g->names[k]));
        if (g->n > NAMES_SHOWN)
            printf(" and %zu more", g->n - NAMES_SHOWN);
        printf(": " DRAY_FMT "\n", DRAY_ARG(g->reason));
    }
}

/* "selector-false" → "selector false" */
static void print_id(const char *id) {
    for (; *id != '\0'; id++)
        putchar(*id == '-' ? ' ' : *id);
}

static void print_requests(const dray_explain_answer *answer) {
    dray_str claim = DRAY_STR_NONE;
    for (size_t i = 0; i < answer->n_requests; i++) {
        const dray_explain_request *r = &answer->requests[i];
        if (i == 0 || !dray_str_eq(claim, r->claim))
            printf("\nclaim " DRAY_FMT "\n",
                   DRAY_ARG(r->claim.n != 0 ? r->claim : DRAY_STR("for extended resources")));
        claim = r->claim;
        printf("  request " DRAY_FMT ": %u device%s looked at", DRAY_ARG(r->request), r->looked_at,
               r->looked_at == 1 ? "" : "s");
        for (size_t k = 0; k < r->n_tallies; k++) {
            const dray_explain_tally *tally = &r->tallies[k];
            printf("%s%u ", k == 0 ? ": " : ",\n    ", tally->count);
            print_id(tally->cause != NULL ? tally->cause : "usable");
            if (tally->about.n != 0)
                printf(" (" DRAY_FMT ")", DRAY_ARG(tally->about));
        }
        printf("\n");
    }
}

static void print_causes(const dray_explain_answer *answer) {
    if (answer->n_causes == 0)
        return;
    printf("\nWhy:\n");
    for (size_t i = 0; i < answer->n_causes; i++)
        printf("  " DRAY_FMT "\n", DRAY_ARG(answer->causes[i].sentence));
}

static void print_fixes(const question *q, dray_str pod, const dray_explain_answer *answer) {
    if (answer->n_fixes == 0) {
        printf("\nNo small change was found that would let it run.\n");
        return;
    }
    printf("\nAny of these would let it run:\n");
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ANSWER_BYTES);
    for (size_t i = 0; i < answer->n_fixes; i++) {
        DRAY_CLEANUP_BUF dray_buf steps = DRAY_BUF_INIT;
        dray_explain_steps(&steps, &answer->fixes[i], q->cluster, pod, q->objects.gates.release,
                           arena);
        printf("  - " DRAY_FMT "\n" DRAY_FMT, DRAY_ARG(answer->fixes[i].sentence),
               DRAY_ARG(dray_buf_str(&steps)));
    }
}

static void print_verdict(const dray_explain_answer *answer, dray_str pod) {
    printf("Pod " DRAY_FMT " ", DRAY_ARG(pod));
    if (answer->runs && answer->node.n != 0)
        printf("has a node: " DRAY_FMT "\n", DRAY_ARG(answer->node));
    else if (answer->runs)
        printf("has ended\n");
    else if (!answer->pending)
        printf("is pending and would go to " DRAY_FMT " (%zu of %zu nodes can take it)\n",
               DRAY_ARG(answer->node), answer->n_feasible, answer->n_nodes);
    else if (answer->text.n != 0)
        printf("is pending: " DRAY_FMT "\n", DRAY_ARG(answer->text));
    else if (answer->n_nodes != 0 && answer->n_feasible == 0)
        printf("is pending: no node can take it\n");
    else if (answer->n_causes != 0)
        printf("is pending: " DRAY_FMT "\n", DRAY_ARG(answer->causes[0].sentence));
    else
        printf("is pending\n");
}

static int print_json(const question *q, const dray_explain_answer *answer) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_buf_puts(&out, "{");
    dray_explain_json(&out, answer, q->objects.gates.release);
    dray_buf_puts(&out, "}\n");
    fwrite(out.p, 1, out.n, stdout);
    return answer->pending ? DRAY_EXIT_NO : DRAY_EXIT_OK;
}

/* --- devices that were given --- */

static void print_allocation(const dray_resource_claim *claim, dray_arena *arena) {
    const dray_resource_allocation_result *a = claim->status->allocation;
    if (a == NULL)
        return;
    dray_table *table = dray_table_new(arena, 5);
    dray_table_add(table, (dray_str[]){DRAY_STR("CLAIM"), DRAY_STR("REQUEST"), DRAY_STR("DRIVER"),
                                       DRAY_STR("POOL"), DRAY_STR("DEVICE")});
    for (size_t i = 0; i < a->devices->results.n; i++) {
        const dray_resource_device_request_allocation_result *r = &a->devices->results.v[i];
        dray_table_add(table, (dray_str[]){key_of(claim->metadata, arena), r->request, r->driver,
                                           r->pool, r->device});
    }
    printf("\n");
    dray_table_print(table, stdout);
}

static void print_order(void) {
    printf("\nThey are the first that met every selector, taint, count and constraint, in the\n"
           "allocator's order: pools without binding conditions first, pools by driver and name,\n"
           "slices by name, devices as their slice lists them.\n");
}

static dray_str claim_of_entry(const dray_core_pod *pod,
                               const dray_core_pod_resource_claim *entry) {
    dray_str name = entry->resource_claim_name;
    for (size_t k = 0; k < pod->status->resource_claim_statuses.n; k++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[k].name, entry->name))
            name = pod->status->resource_claim_statuses.v[k].resource_claim_name;
    return name;
}

static void print_claims_of(const question *q, const dray_core_pod *pod) {
    bool any = false;
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++) {
        dray_str name = claim_of_entry(pod, &pod->spec->resource_claims.v[i]);
        const dray_resource_claim *claim = dray_cluster_find(q->cluster, &dray_type_resource_claim,
                                                             pod->metadata->namespace, name);
        if (claim == NULL || claim->status->allocation == NULL)
            continue;
        print_allocation(claim, q->args->arena);
        any = true;
    }
    if (any)
        print_order();
}

/* --- the two questions --- */

static int explain_pod(question *q, const dray_core_pod *pod) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ANSWER_BYTES);
    dray_object *objects = DRAY_NEW_N(arena, dray_object, q->objects.list.n + 1);
    for (size_t i = 0; i < q->objects.list.n; i++)
        objects[i] = q->objects.list.v[i].object;
    dray_explain_input input = {.objects = objects,
                                .n = q->objects.list.n,
                                .gates = &q->objects.gates,
                                .now = q->objects.now,
                                .report = !q->json,
                                .strict = true,
                                .ns = pod->metadata->namespace,
                                .pod = pod->metadata->name};
    dray_explain_answer answer;
    dray_err err = DRAY_ERR_INIT;
    if (dray_explain_ask(q->objects.celk8s, &input, arena, &answer, &err) != DRAY_OK) {
        fprintf(stderr, "dray explain: %s\n", dray_err_text(&err));
        dray_err_done(&err);
        return DRAY_EXIT_ERROR;
    }
    if (q->json)
        return print_json(q, &answer);
    print_verdict(&answer, key_of(pod->metadata, arena));
    if (answer.runs)
        print_claims_of(q, pod);
    if (!answer.pending)
        return DRAY_EXIT_OK;
    print_nodes(&answer);
    print_requests(&answer);
    print_causes(&answer);
    print_fixes(q, pod->metadata->name, &answer);
    return DRAY_EXIT_NO;
}

static bool uses(const dray_core_pod *pod, dray_str claim) {
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++)
        if (dray_str_eq(claim_of_entry(pod, &pod->spec->resource_claims.v[i]), claim))
            return true;
    return false;
}

static int explain_claim(question *q, const dray_resource_claim *claim) {
    dray_arena *arena = q->args->arena;
    dray_str name = key_of(claim->metadata, arena);
    if (claim->status->allocation != NULL) {
        printf("Claim " DRAY_FMT " is allocated", DRAY_ARG(name));
        for (size_t i = 0; i < claim->status->reserved_for.n; i++)
            printf("%s" DRAY_FMT, i == 0 ? " and reserved for " : ", ",
                   DRAY_ARG(claim->status->reserved_for.v[i].name));
        printf("%s\n", claim->status->reserved_for.n == 0 ? " and used by nobody" : "");
        print_allocation(claim, arena);
        print_order();
        return DRAY_EXIT_OK;
    }
    dray_cluster_list pods = dray_cluster_all(q->cluster, &dray_type_core_pod);
    for (size_t i = 0; i < pods.n; i++) {
        const dray_core_pod *pod = pods.v[i];
        if (!dray_str_eq(pod->metadata->namespace, claim->metadata->namespace) ||
            !uses(pod, claim->metadata->name))
            continue;
        if (!q->json)
            printf("Claim " DRAY_FMT " is not allocated: it waits for its Pod to get a node\n",
                   DRAY_ARG(name));
        return explain_pod(q, pod);
    }
    printf("Claim " DRAY_FMT " is not allocated: no Pod uses it. Devices are chosen together with "
           "the node of the first Pod that names it\n",
           DRAY_ARG(name));
    return DRAY_EXIT_NO;
}

static bool is_one_of(dray_str word, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (dray_str_is(word, names[i]))
            return true;
    return false;
}

static int ask(question *q, bool pod) {
    const dray_type *type = pod ? &dray_type_core_pod : &dray_type_resource_claim;
    const void *body = dray_cluster_find(q->cluster, type, q->ns, q->name);
    if (body == NULL) {
        fprintf(stderr, "dray explain: there is no %s " DRAY_FMT "/" DRAY_FMT " in the input\n",
                pod ? "Pod" : "ResourceClaim", DRAY_ARG(q->ns), DRAY_ARG(q->name));
        return DRAY_EXIT_ERROR;
    }
    return pod ? explain_pod(q, body) : explain_claim(q, body);
}

/* What a placement depends on, and what may keep a claim from being made. */
static bool is_wanted(const dray_kind *kind) {
    return dray_objects_for_plan(kind) ||
           dray_kind_hub(kind)->type == &dray_type_core_resource_quota;
}

static int run(dray_args *args) {
    static const char *const pod_words[] = {"pod", "pods", "po"};
    static const char *const claim_words[] = {"claim", "claims", "resourceclaim", "resourceclaims"};
    question q = {.args = args, .ns = dray_str_of(dray_args_get(args, "namespace"))};
    dray_str kind;
    bool pod = false, claim = false;
    if (dray_str_cut(dray_str_of(args->words.v[0]), '/', &kind, &q.name)) {
        pod = is_one_of(kind, pod_words, DRAY_COUNT(pod_words));
        claim = is_one_of(kind, claim_words, DRAY_COUNT(claim_words));
    }
    if (!pod && !claim) {
        fprintf(stderr,
                "dray explain: \"%s\" is not pod/NAME or claim/NAME\n"
                "usage: dray explain %s\n",
                args->words.v[0], args->command->usage);
        return DRAY_EXIT_USAGE;
    }
    q.json = dray_str_is(dray_str_of(dray_args_get(args, "output")), "json");
    int status = dray_objects_init(&q.objects, args, is_wanted);
    if (status == DRAY_EXIT_OK) {
        dray_objects_expand(&q.objects);
        q.cluster = dray_objects_cluster(&q.objects);
        status = ask(&q, pod);
        fflush(stdout);
        dray_input_close(q.objects.input);
        if (q.objects.input->errors != 0)
            status = DRAY_EXIT_ERROR;
        dray_cluster_free(q.cluster);
    }
    dray_objects_done(&q.objects);
    return status;
}

static const dray_flag flags[] = {
    DRAY_FLAGS_INPUT,
    {.name = "output",
     .letter = 'o',
     .value = "FORM",
     .help = "text, or json: causes and fixes as dray debug explain gives them",
     .fallback = "text",
     .words = "text|json"},
};

const dray_command dray_cmd_explain = {
    .name = "explain",
    .usage = "pod/NAME|claim/NAME -f FILE|DIR|- [-f …] [-R] [-n NAMESPACE] [flags]",
    .summary = "why is it pending, or why did it get these devices?",
    .detail = "For each node the reason that kube-scheduler gives; for each request how many\n"
              "devices were refused for which cause; then the causes, the most decisive first,\n"
              "and the smallest changes that would let the Pod run, each of them tried.",
    .example = "  dray explain pod/trainer-0 -n ml -f dump.yaml",
    .flags = flags,
    .n_flags = DRAY_COUNT(flags),
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
