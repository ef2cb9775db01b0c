/* `dray explain`: why is a Pod or a claim pending, or why did it get these devices? */
#include "cli/objects.h"
#include "cli/table.h"
#include "explain/free.h"
#include "explain/why.h"

#include <stdio.h>

typedef struct question {
    dray_args *args;
    dray_objects objects;
    dray_cluster *cluster;
    dray_plan *plan;
    dray_str ns, name;
} question;

static dray_str number(uint32_t n, dray_arena *arena) {
    return dray_strf(arena, "%u", n);
}

static void print_nodes(const dray_why *why, dray_arena *arena) {
    if (why->n_reasons == 0)
        return;
    dray_table *table = dray_table_new(arena, 3);
    dray_table_add(table, (dray_str[]){DRAY_STR("NODES"), DRAY_STR("REASON"), DRAY_STR("SUCH AS")});
    for (size_t i = 0; i < why->n_reasons; i++)
        dray_table_add(table, (dray_str[]){number(why->nodes[i].count, arena), why->nodes[i].reason,
                                           why->nodes[i].example});
    printf("\n");
    dray_table_print(table, stdout);
}

static dray_str claim_name(const dray_resource_claim *claim, dray_arena *arena) {
    return dray_strf(arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(claim->metadata->namespace),
                     DRAY_ARG(claim->metadata->name));
}

/* "gpu.example.com/n1/gpu-0, held by ml/c0 for Pod p0" */
static dray_str example_text(const dray_why_devices *row, dray_arena *arena) {
    if (row->holder == NULL)
        return row->example.p != NULL ? row->example : DRAY_STR("-");
    dray_str users = DRAY_STR("nobody");
    const dray_resource_claim_status *status = row->holder->status;
    for (size_t i = 0; i < status->reserved_for.n && i < 1; i++)
        users = dray_strf(arena, DRAY_FMT "%s", DRAY_ARG(status->reserved_for.v[i].name),
                          status->reserved_for.n > 1 ? " and others" : "");
    return dray_strf(arena, DRAY_FMT ", held by " DRAY_FMT " for " DRAY_FMT, DRAY_ARG(row->example),
                     DRAY_ARG(claim_name(row->holder, arena)), DRAY_ARG(users));
}

static void print_devices(const dray_why *why, dray_arena *arena) {
    if (why->n_devices == 0)
        return;
    dray_table *table = dray_table_new(arena, 6);
    dray_table_add(table, (dray_str[]){DRAY_STR("CLAIM"), DRAY_STR("REQUEST"), DRAY_STR("DEVICES"),
                                       DRAY_STR("NODES"), DRAY_STR("REASON"), DRAY_STR("SUCH AS")});
    for (size_t i = 0; i < why->n_devices; i++) {
        const dray_why_devices *row = &why->devices[i];
        dray_table_add(table, (dray_str[]){claim_name(row->claim, arena), row->request,
                                           number(row->devices, arena), number(row->nodes, arena),
                                           dray_str_of(row->cause), example_text(row, arena)});
    }
    printf("\n");
    dray_table_print(table, stdout);
}

static void print_allocation(const dray_resource_claim *claim, dray_arena *arena) {
    const dray_resource_allocation_result *a = claim->status->allocation;
    if (a == NULL)
        return;
    dray_table *table = dray_table_new(arena, 5);
    dray_table_add(table, (dray_str[]){DRAY_STR("CLAIM"), DRAY_STR("REQUEST"), DRAY_STR("DRIVER"),
                                       DRAY_STR("POOL"), DRAY_STR("DEVICE")});
    for (size_t i = 0; i < a->devices->results.n; i++) {
        const dray_resource_device_request_allocation_result *r = &a->devices->results.v[i];
        dray_table_add(table, (dray_str[]){claim_name(claim, arena), r->request, r->driver, r->pool,
                                           r->device});
    }
    dray_table_print(table, stdout);
}

static void print_claims_of(const question *q, const dray_core_pod *pod) {
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++) {
        const dray_core_pod_resource_claim *entry = &pod->spec->resource_claims.v[i];
        dray_str name = entry->resource_claim_name;
        for (size_t k = 0; k < pod->status->resource_claim_statuses.n; k++)
            if (dray_str_eq(pod->status->resource_claim_statuses.v[k].name, entry->name))
                name = pod->status->resource_claim_statuses.v[k].resource_claim_name;
        const dray_resource_claim *claim = dray_cluster_find(q->cluster, &dray_type_resource_claim,
                                                             pod->metadata->namespace, name);
        if (claim != NULL)
            print_allocation(claim, q->args->arena);
    }
}

static int explain_pod(question *q, const dray_core_pod *pod) {
    static const char *const states[] = {
        [DRAY_WHY_RUNS] = "has a node",
        [DRAY_WHY_FITS] = "is pending, but can run",
        [DRAY_WHY_HELD] = "is pending and not tried",
        [DRAY_WHY_REJECTED] = "is pending: no node is looked at",
        [DRAY_WHY_ERROR] = "is pending: the attempt ends with an error",
        [DRAY_WHY_NO_NODE] = "is pending: no node fits",
    };
    dray_arena *arena = q->args->arena;
    dray_why why;
    dray_explain_pod(q->plan, q->cluster, pod, arena, &why);
    printf("Pod " DRAY_FMT "/" DRAY_FMT " %s", DRAY_ARG(pod->metadata->namespace),
           DRAY_ARG(pod->metadata->name), states[why.state]);
    if (why.state == DRAY_WHY_RUNS) {
        printf(": " DRAY_FMT "\n\n", DRAY_ARG(pod->spec->node_name));
        print_claims_of(q, pod);
        return DRAY_EXIT_OK;
    }
    printf(".\n");
    print_nodes(&why, arena);
    print_devices(&why, arena);
    if (why.sentence.n != 0)
        printf("\n" DRAY_FMT ".\n", DRAY_ARG(why.sentence));
    if (why.message.n != 0)
        printf("\nThe event would read: " DRAY_FMT "\n", DRAY_ARG(why.message));
    return why.state == DRAY_WHY_FITS ? DRAY_EXIT_OK : DRAY_EXIT_NO;
}

static bool uses(const dray_core_pod *pod, dray_str claim) {
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++)
        if (dray_str_eq(pod->spec->resource_claims.v[i].resource_claim_name, claim))
            return true;
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].resource_claim_name, claim))
            return true;
    return false;
}

static int explain_claim(question *q, const dray_resource_claim *claim) {
    dray_arena *arena = q->args->arena;
    dray_str name = claim_name(claim, arena);
    if (claim->status->allocation != NULL) {
        printf("Claim " DRAY_FMT " is allocated", DRAY_ARG(name));
        for (size_t i = 0; i < claim->status->reserved_for.n; i++)
            printf("%s" DRAY_FMT, i == 0 ? " and reserved for " : ", ",
                   DRAY_ARG(claim->status->reserved_for.v[i].name));
        printf("%s.\n\n", claim->status->reserved_for.n == 0 ? " and used by nobody" : "");
        print_allocation(claim, arena);
        return DRAY_EXIT_OK;
    }
    dray_cluster_list pods = dray_cluster_all(q->cluster, &dray_type_core_pod);
    for (size_t i = 0; i < pods.n; i++) {
        const dray_core_pod *pod = pods.v[i];
        if (!dray_str_eq(pod->metadata->namespace, claim->metadata->namespace) ||
            !uses(pod, claim->metadata->name))
            continue;
        printf("Claim " DRAY_FMT " is not allocated; it is, once its Pod finds a node.\n\n",
               DRAY_ARG(name));
        return explain_pod(q, pod);
    }
    printf("Claim " DRAY_FMT " is not allocated: no Pod uses it. Devices are chosen together with "
           "the node of the first Pod that names it.\n",
           DRAY_ARG(name));
    return DRAY_EXIT_NO;
}

static const char *const forms = "pod/NAME or claim/NAME";

/* pod/NAME, pods/NAME, po/NAME, claim/NAME, resourceclaim/NAME, resourceclaims/NAME. */
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
        fprintf(stderr, "dray explain: \"%s\" is not %s\nusage: dray explain %s\n",
                args->words.v[0], forms, args->command->usage);
        return DRAY_EXIT_USAGE;
    }
    int status = dray_objects_init(&q.objects, args, dray_objects_for_plan);
    if (status == DRAY_EXIT_OK) {
        dray_objects_expand(&q.objects);
        q.cluster = dray_objects_cluster(&q.objects);
        q.plan = dray_plan_new(q.cluster, q.objects.now);
        dray_plan_make_all_claims(q.plan);
        status = ask(&q, pod);
        fflush(stdout);
        dray_input_close(q.objects.input);
        if (q.objects.input->errors != 0)
            status = DRAY_EXIT_ERROR;
        dray_plan_free(q.plan);
        dray_cluster_free(q.cluster);
    }
    dray_objects_done(&q.objects);
    return status;
}

static const dray_flag flags[] = {DRAY_FLAGS_INPUT};

const dray_command dray_cmd_explain = {
    .name = "explain",
    .usage = "pod/NAME|claim/NAME -f FILE|DIR|- [-f …] [-R] [-n NAMESPACE] [flags]",
    .summary = "why is it pending, or why did it get these devices?",
    .detail = "For each node the reason that kube-scheduler gives; for each request how many\n"
              "devices were refused for which cause, the nearest to fitting first; then in one\n"
              "sentence what it comes down to.",
    .example = "  dray explain pod/trainer-0 -n ml -f dump.yaml",
    .flags = flags,
    .n_flags = DRAY_COUNT(flags),
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
