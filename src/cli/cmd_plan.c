/* `dray plan`: where does every pending Pod go, and which devices does it get? */
#include "base/map.h"
#include "cli/objects.h"
#include "cli/printer.h"

#include "cli/table.h"
#include "cli/whatif.h"
#include "explain/free.h"
#include "plan/plan.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { SUFFIX_LENGTH = 5 };

/* Five characters as Kubernetes puts them behind generateName. The order is fixed, so that equal
 * input gives equal names. */
typedef struct name_source {
    uint64_t state;
} name_source;

static dray_str next_suffix(void *context, dray_arena *arena) {
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    name_source *names = context;
    char *text = dray_arena_bytes(arena, SUFFIX_LENGTH);
    names->state = names->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t rest = names->state >> 24;
    for (size_t i = 0; i < SUFFIX_LENGTH; i++) {
        text[i] = letters[rest % (sizeof letters - 1)];
        rest /= sizeof letters - 1;
    }
    return dray_str_n(text, SUFFIX_LENGTH);
}

static dray_str pod_name(const dray_core_pod *pod, dray_arena *arena) {
    return dray_strf(arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(pod->metadata->namespace),
                     DRAY_ARG(pod->metadata->name));
}

/* "gpu=gpu-0,gpu-1 nic=eth0": by request; wide: with driver and pool, and the claim before. */
static dray_str devices_text(const dray_plan_placed *placed, bool wide, dray_arena *arena) {
    dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < placed->n_claims; i++) {
        const dray_resource_claim *claim = placed->claims[i];
        const dray_resource_allocation_result *a = claim->status->allocation;
        dray_str last = DRAY_STR_NONE;
        for (size_t k = 0; a != NULL && k < a->devices->results.n; k++) {
            const dray_resource_device_request_allocation_result *r = &a->devices->results.v[k];
            bool same = last.p != NULL && dray_str_eq(last, r->request);
            if (!same && out.n != 0)
                dray_buf_putc(&out, ' ');
            if (!same && wide)
                dray_buf_addf(&out, DRAY_FMT ":", DRAY_ARG(claim->metadata->name));
            if (same)
                dray_buf_putc(&out, ',');
            else
                dray_buf_addf(&out, DRAY_FMT "=", DRAY_ARG(r->request));
            if (wide)
                dray_buf_addf(&out, DRAY_FMT "/" DRAY_FMT "/", DRAY_ARG(r->driver),
                              DRAY_ARG(r->pool));
            dray_buf_str_add(&out, r->device);
            last = r->request;
        }
    }
    dray_str text = dray_str_dup(arena, out.n != 0 ? dray_buf_str(&out) : DRAY_STR("-"));
    dray_buf_done(&out);
    return text;
}

/* Whole devices, and what is left of those that are shared: "2 + 0.38 of 1 shared". */
static dray_str left_text(const dray_free_class *c, dray_arena *arena) {
    uintmax_t whole = (uintmax_t)(c->free - c->shared);
    if (c->shared == 0)
        return dray_strf(arena, "%ju", whole);
    return dray_strf(arena, "%ju + %.2f of %ju shared", whole, c->left, (uintmax_t)c->shared);
}

static void print_left(const dray_free_list *list, dray_arena *arena) {
    if (list->n == 0)
        return;
    printf("\n");
    dray_table *table = dray_table_new(arena, 3);
    dray_table_add(table, (dray_str[]){DRAY_STR("CLASS"), DRAY_STR("LEFT"), DRAY_STR("OF")});
    for (size_t i = 0; i < list->n; i++) {
        const dray_free_class *c = &list->v[i];
        dray_str of = c->error.p != NULL ? dray_strf(arena, "? (" DRAY_FMT ")", DRAY_ARG(c->error))
                                         : dray_strf(arena, "%ju", (uintmax_t)c->total);
        dray_table_add(table, (dray_str[]){c->name, left_text(c, arena), of});
    }
    dray_table_print(table, stdout);
}

static void print_table(const dray_args *args, const dray_plan_result *result, dray_arena *arena) {
    bool wide = strcmp(dray_args_get(args, "output"), "wide") == 0;
    dray_table *table = dray_table_new(arena, 3);
    if (!dray_args_has(args, "no-headers"))
        dray_table_add(table, (dray_str[]){DRAY_STR("POD"), DRAY_STR("NODE"), DRAY_STR("DEVICES")});
    for (size_t i = 0; i < result->n_pods; i++) {
        const dray_plan_placed *placed = &result->pods[i];
        bool ok = placed->node.p != NULL;
        dray_table_add(table,
                       (dray_str[]){pod_name(placed->pod, arena),
                                    ok ? placed->node : DRAY_STR("<none>"),
                                    ok ? devices_text(placed, wide, arena) : placed->message});
    }
    dray_table_print(table, stdout);
}

/* Who had to go: below a table; beside other forms, on standard error. */
static void print_victims(const dray_plan_result *result, FILE *to) {
    for (size_t i = 0; i < result->n_pods; i++) {
        const dray_plan_placed *placed = &result->pods[i];
        for (size_t k = 0; k < placed->n_victims; k++) {
            const dray_core_pod *pod = placed->victims[k];
            fprintf(
                to, DRAY_FMT "/" DRAY_FMT " preempts " DRAY_FMT "/" DRAY_FMT " on " DRAY_FMT "%s\n",
                DRAY_ARG(placed->pod->metadata->namespace), DRAY_ARG(placed->pod->metadata->name),
                DRAY_ARG(pod->metadata->namespace), DRAY_ARG(pod->metadata->name),
                DRAY_ARG(pod->spec->node_name.n != 0 ? pod->spec->node_name : DRAY_STR("its node")),
                dray_plan_comes_back(pod) ? "" : ": no controller makes it anew");
        }
    }
}

/* Where kube-scheduler would not have got so far. */
static void print_passed(const dray_plan_result *result) {
    for (size_t i = 0; i < result->n_pods; i++) {
        const dray_plan_placed *placed = &result->pods[i];
        if (placed->node.p != NULL && placed->passed_node.p != NULL)
            fprintf(stderr,
                    "dray plan: warning: Pod " DRAY_FMT "/" DRAY_FMT
                    ": kube-scheduler ends its attempt at " DRAY_FMT
                    ", as --strict-upstream does: " DRAY_FMT "\n",
                    DRAY_ARG(placed->pod->metadata->namespace),
                    DRAY_ARG(placed->pod->metadata->name), DRAY_ARG(placed->passed_node),
                    DRAY_ARG(placed->passed_error));
    }
}

static void print_names(const dray_plan_result *result) {
    for (size_t i = 0; i < result->n_pods; i++)
        if (result->pods[i].node.p != NULL)
            printf("pod/" DRAY_FMT "\n", DRAY_ARG(result->pods[i].pod->metadata->name));
}

/* Pods, then their claims, each once. */
static void print_objects(const dray_plan_result *result, const char *form, dray_arena *arena) {
    const dray_kind *pod = dray_kind_find(DRAY_STR("v1"), DRAY_STR("Pod"));
    const dray_kind *claim =
        dray_kind_find(DRAY_STR("resource.k8s.io/v1"), DRAY_STR("ResourceClaim"));
    dray_printer printer;
    dray_printer_init(&printer, stdout, form);
    dray_map seen = dray_map_new(arena);
    for (size_t i = 0; i < result->n_pods; i++)
        dray_printer_add(&printer, (dray_object){pod, (void *)(uintptr_t)result->pods[i].after});
    for (size_t i = 0; i < result->n_pods; i++)
        for (size_t k = 0; k < result->pods[i].n_claims; k++) {
            const dray_resource_claim *c = result->pods[i].claims[k];
            dray_str key = dray_strf(arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(c->metadata->namespace),
                                     DRAY_ARG(c->metadata->name));
            if (dray_map_put(&seen, key, &printer) == NULL)
                dray_printer_add(&printer, (dray_object){claim, (void *)(uintptr_t)c});
        }
    dray_printer_done(&printer);
}

static int print_result(dray_args *args, const dray_objects *objects, dray_cluster *cluster,
                        const dray_plan_result *result) {
    const char *form = dray_args_get(args, "output");
    if (objects->input->errors != 0 && objects->list.n == 0) {
        dray_input_close(objects->input);
        return DRAY_EXIT_ERROR; /* nothing could be read, so there is nothing to say */
    }
    if (strcmp(form, "json") == 0 || strcmp(form, "yaml") == 0) {
        print_objects(result, form, args->arena);
        print_victims(result, stderr);
    } else if (strcmp(form, "name") == 0) {
        print_names(result);
        print_victims(result, stderr);
    } else {
        print_table(args, result, args->arena);
        print_victims(result, stdout);
        dray_free_list left = dray_explain_free(cluster, objects->celk8s, args->arena);
        print_left(&left, args->arena);
        fflush(stdout);
        if (result->n_placed < result->n_pods)
            fprintf(stderr,
                    "dray: %zu of %zu Pods stay pending; `dray explain pod/NAME` tells why\n",
                    result->n_pods - result->n_placed, result->n_pods);
    }
    print_passed(result);
    dray_input_close(objects->input);
    if (objects->input->errors != 0)
        return DRAY_EXIT_ERROR;
    return result->n_placed < result->n_pods ? DRAY_EXIT_NO : DRAY_EXIT_OK;
}

/* --- progress --- */

enum { PROGRESS_EVERY_MS = 100 };

/* Coarse: a few milliseconds, and cheap enough to be asked for each node of each Pod. */
static uint64_t monotonic_ns(void *context) {
    (void)context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

typedef struct progress {
    int64_t next_ms;
    size_t pods; /* that are pending at first */
    bool shown;
} progress;

static void show_progress(void *context, size_t tried, size_t placed) {
    progress *p = context;
    int64_t ms = (int64_t)(monotonic_ns(NULL) / 1000000u);
    if (ms < p->next_ms)
        return;
    p->next_ms = ms + PROGRESS_EVERY_MS;
    p->shown = true;
    /* Who was passed over is tried again later on. */
    fprintf(stderr, "\r\033[Kdray plan: %zu of %zu Pods tried, %zu placed",
            tried < p->pods ? tried : p->pods, p->pods, placed);
    fflush(stderr);
}

static dray_packing packing_of(const char *word) {
    static const char *const words[] = {
        [DRAY_PACKING_FIRST] = "first",
        [DRAY_PACKING_PACK] = "pack",
        [DRAY_PACKING_SPREAD] = "spread",
        [DRAY_PACKING_FRAG] = "frag",
    };
    size_t i = 0;
    while (i + 1 < DRAY_COUNT(words) && strcmp(words[i], word) != 0)
        i++;
    return (dray_packing)i;
}

/* How much of what is left an average Pod of the input could not use. */
static void print_fragments(dray_plan *plan) {
    dray_plan_fragments f = dray_plan_count_fragments(plan);
    if (f.free > 0)
        printf("\nfragments: %.2f of %.2f free devices (%.1f %%) are of no use to the average Pod "
               "with a claim\n",
               f.useless, f.free, f.useless / f.free * 100);
}

/* --- placing --- */

typedef struct planner {
    const dray_args *args;
    bool progress;
} planner;

typedef struct placement {
    dray_cluster *cluster;
    dray_plan *plan;
    dray_plan_result result;
} placement;

/* The workloads' Pods are made, and all that are pending are placed. */
static void place(const planner *p, dray_objects *objects, bool trial, dray_arena *arena,
                  placement *ret) {
    const dray_args *args = p->args;
    dray_objects_expand(objects);
    ret->cluster = dray_objects_cluster(objects);
    ret->plan = dray_plan_new(ret->cluster, objects->now);
    dray_plan_share(ret->plan, objects->celk8s);
    dray_plan_set_strict(ret->plan, dray_args_has(args, "strict-upstream"));
    dray_plan_set_clock(ret->plan, monotonic_ns, NULL, DRAY_PLAN_FILTER_TIMEOUT_NS);
    name_source names = {.state = 1};
    dray_plan_run_options options = {
        .suffix = next_suffix,
        .suffix_context = &names,
        .messages = !trial,
        .preemption = dray_args_has(args, "preemption") || dray_args_has(args, "preempt-devices"),
        .preempt_devices = dray_args_has(args, "preempt-devices"),
        .packing = packing_of(dray_args_get(args, "packing")),
    };
    progress shown = {.pods = dray_plan_pending(ret->plan, arena).n};
    if (p->progress && !trial) {
        options.progress = show_progress;
        options.progress_context = &shown;
    }
    dray_plan_run(ret->plan, &options, arena, &ret->result);
    if (shown.shown)
        fputs("\r\033[K", stderr);
}

static void end_placement(placement *placed) {
    dray_plan_free(placed->plan);
    dray_cluster_free(placed->cluster);
}

/* For trials: who stays pending. */
static dray_whatif_placed place_for_trial(void *context, dray_objects *objects, dray_arena *arena) {
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    placement placed;
    DRAY_VEC(dray_str) names = {0};
    place(context, objects, true, scratch, &placed);
    for (size_t i = 0; i < placed.result.n_pods; i++)
        if (placed.result.pods[i].node.p == NULL)
            DRAY_PUSH(arena, &names, pod_name(placed.result.pods[i].pod, arena));
    size_t n = placed.result.n_pods;
    end_placement(&placed);
    return (dray_whatif_placed){.pending = {names.v, names.n}, .n_pods = n};
}

static int place_and_print(const planner *p, dray_args *args, dray_objects *objects,
                           const dray_whatif *what) {
    const char *form = dray_args_get(args, "output");
    bool wide = strcmp(form, "wide") == 0;
    placement placed;
    place(p, objects, false, args->arena, &placed);
    if (placed.result.n_pods == 0 && objects->input->errors == 0)
        fprintf(stderr, "dray plan: there is no pending Pod in the input\n");
    int status = print_result(args, objects, placed.cluster, &placed.result);
    dray_whatif_print(what, wide, wide || strcmp(form, "table") == 0 ? stdout : stderr);
    if (wide)
        print_fragments(placed.plan);
    end_placement(&placed);
    return status;
}

static int run(dray_args *args) {
    dray_objects objects;
    dray_whatif what;
    planner p = {.args = args,
                 .progress = dray_args_has(args, "progress") && isatty(STDERR_FILENO)};
    int status = dray_objects_init(&objects, args, dray_objects_for_plan);
    if (status == DRAY_EXIT_OK)
        status = dray_whatif_read(&what, args, &objects);
    if (status == DRAY_EXIT_OK) {
        what.progress = p.progress;
        status = dray_whatif_settle(&what, place_for_trial, &p);
    }
    if (status == DRAY_EXIT_OK)
        status = place_and_print(&p, args, &objects, &what);
    dray_objects_done(&objects);
    return status;
}

static const dray_flag flags[] = {
    DRAY_FLAGS_INPUT,
    {.name = "output",
     .letter = 'o',
     .value = "FORM",
     .help = "the form of the answer",
     .fallback = "table",
     .words = "table|wide|json|yaml|name"},
    {.name = "add-nodes",
     .value = "N=FILE",
     .help = "N copies of the Node in FILE (or node/NAME of the input) with its ResourceSlices, "
             "NODE-1 and so on; auto=FILE: as few as are needed",
     .many = true},
    {.name = "remove-nodes",
     .value = "NAME,…",
     .help = "nodes that are gone; Pods there that a controller made become pending; auto: all "
             "that can be done without",
     .many = true},
    {.name = "preemption",
     .help = "evict Pods of lower priority where kube-scheduler would; controllers make them anew"},
    {.name = "preempt-devices",
     .help = "the same, also for devices, which evicted Pods then set free"},
    {.name = "packing",
     .value = "HOW",
     .help =
         "choose nodes and devices as Kubernetes does, fullest, emptiest, fewest fragments first",
     .fallback = "first",
     .words = "first|pack|spread|frag"},
    {.name = "progress", .help = "tell how far it is, where standard error is a terminal"},
    {.name = "no-headers", .help = "no line of column names"},
    {.name = "strict-upstream", .help = "repeat known mistakes of kube-scheduler too"},
};

const dray_command dray_cmd_plan = {
    .name = "plan",
    .usage = "-f FILE|DIR|- [-f …] [-R] [-o table|wide|json|yaml|name] [flags]",
    .summary = "where does every pending Pod go, and which devices does it get?",
    .detail =
        "Places the pending Pods of the input on its nodes as kube-scheduler would, one after\n"
        "another: by priority, then creationTimestamp, then order. Claims of templates are made,\n"
        "and the Pods of Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs\n"
        "that have none in the input. Of nodes with equal scores the first by name is taken.\n"
        "--packing=frag chooses among nodes and devices so that what is left is of most use to Pods\n"
        "like those of the input. -o wide tells how much of it is of none.\n"
        "--add-nodes=auto=FILE tells how many more nodes what stays pending needs, and\n"
        "--remove-nodes=auto which nodes could go: the emptiest first, as long as every Pod there\n"
        "finds another node, has a controller, and PodDisruptionBudgets allow it to be evicted.\n"
        "-o json and yaml print the Pods and their claims as Kubernetes would write them.",
    .example = "  kubectl get nodes,resourceslices,deviceclasses -o yaml > cluster.yaml\n"
               "  dray plan -f cluster.yaml -f my-app/",
    .flags = flags,
    .n_flags = DRAY_COUNT(flags),
    .run = run,
};
