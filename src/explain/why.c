/* Why a Pod is pending. */
#include "explain/why.h"

#include "base/map.h"
#include "explain/free.h"

/* Causes in words: %u is the number of devices, the second text is for one of them. */
static const struct {
    const char *cause, *many, *one;
} words[] = {
    {"class-missing", "%u devices have no class to belong to", "the class does not exist"},
    {"pool-incomplete", "%u devices lie in pools whose slices are not all there",
     "%u device lies in a pool whose slices are not all there"},
    {"pool-invalid", "%u devices lie in pools that contradict themselves",
     "%u device lies in a pool that contradicts itself"},
    {"gate-off", "%u devices need a feature that is off", "%u device needs a feature that is off"},
    {"selector-error", "on %u devices a selector fails", "on %u device a selector fails"},
    {"selector-false", "%u devices don't match the selectors",
     "%u device doesn't match the selectors"},
    {"devices-reach-no-node", "%u devices reach other nodes only",
     "%u device reaches other nodes only"},
    {"capacity-too-large", "%u devices never have that much capacity",
     "%u device never has that much capacity"},
    {"policy-rejects", "%u devices don't hand out capacity in that amount",
     "%u device doesn't hand out capacity in that amount"},
    {"device-taint", "%u devices have a taint that the request doesn't tolerate",
     "%u device has a taint that the request doesn't tolerate"},
    {"in-use", "%u devices are in use", "%u device is in use"},
    {"capacity-exhausted", "%u devices have too little capacity left",
     "%u device has too little capacity left"},
    {"counters-exhausted", "%u devices draw on counters that are used up",
     "%u device draws on counters that are used up"},
    {"constraint-attribute-absent", "%u devices lack an attribute that a constraint compares",
     "%u device lacks an attribute that a constraint compares"},
    {"constraint-unsatisfied", "%u devices break a constraint with those taken before",
     "%u device breaks a constraint with those taken before"},
    {"limit-exceeded", "more than 32 devices would be needed",
     "more than 32 devices would be needed"},
    {"too-few-devices", "%u devices would do, which are too few",
     "%u device would do, which is too few"},
    {"gave-up", "the search was given up", "the search was given up"},
};

dray_str dray_explain_cause(const char *cause, uint32_t devices, dray_arena *arena) {
    if (devices == 0 && strcmp(cause, "too-few-devices") == 0)
        return DRAY_STR("no device is left that would do");
    for (size_t i = 0; i < DRAY_COUNT(words); i++)
        if (strcmp(words[i].cause, cause) == 0)
            return dray_strf(arena, devices == 1 ? words[i].one : words[i].many, devices);
    return dray_strf(arena, "%u devices: %s", devices, cause);
}

static void add_reason(dray_map *reasons, const dray_plan_node_answer *node, dray_arena *arena) {
    for (size_t i = 0; i < node->n_reasons; i++) {
        dray_map_entry *entry = dray_map_entry_of(reasons, node->reasons[i]);
        if (entry->value == NULL) {
            dray_why_nodes *made = DRAY_NEW(arena, dray_why_nodes);
            made->reason = node->reasons[i];
            made->plugin = node->plugin;
            made->example = node->name;
            entry->value = made;
        }
        ((dray_why_nodes *)entry->value)->count++;
    }
}

static void add_refusals(dray_map *rows, const dray_plan_node_answer *node, dray_arena *arena) {
    for (size_t i = 0; i < node->n_refusals; i++) {
        const dray_plan_refusal *r = &node->refusals[i];
        dray_str key =
            dray_strf(arena, DRAY_FMT "/" DRAY_FMT "/%s", DRAY_ARG(r->claim->metadata->name),
                      DRAY_ARG(r->request), r->cause);
        dray_map_entry *entry = dray_map_entry_of(rows, key);
        if (entry->value == NULL) {
            dray_why_devices *made = DRAY_NEW(arena, dray_why_devices);
            made->claim = r->claim;
            made->request = r->request;
            made->cause = r->cause;
            made->order = r->order;
            made->example = r->example;
            entry->value = made;
        }
        dray_why_devices *row = entry->value;
        row->devices += r->count;
        row->nodes++;
    }
}

static int by_count(const void *a, const void *b, void *context) {
    const dray_why_nodes *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1)
                                : dray_str_cmp(x->reason, y->reason);
}

static int by_nearness(const void *a, const void *b, void *context) {
    const dray_why_devices *x = a, *y = b;
    int order = dray_str_cmp(x->claim->metadata->name, y->claim->metadata->name);
    if (order == 0)
        order = dray_str_cmp(x->request, y->request);
    return order != 0 ? order : y->order - x->order;
}

static void collect(const dray_cluster *cluster, const dray_plan_answer *answer, dray_arena *arena,
                    dray_why *ret) {
    dray_map reasons = dray_map_new(arena), refusals = dray_map_new(arena);
    for (size_t i = 0; i < answer->n_nodes; i++) {
        const dray_plan_node_answer *node = &answer->nodes[i];
        if (node->feasible && ret->first_feasible.p == NULL)
            ret->first_feasible = node->name;
        add_reason(&reasons, node, arena);
        add_refusals(&refusals, node, arena);
    }
    ret->n_reasons = reasons.n;
    ret->nodes = DRAY_NEW_N(arena, dray_why_nodes, reasons.n);
    for (uint32_t i = 0; i < reasons.n; i++)
        ret->nodes[i] = *(dray_why_nodes *)reasons.entries[i].value;
    dray_sort(ret->nodes, ret->n_reasons, sizeof *ret->nodes, by_count, NULL);
    ret->n_devices = refusals.n;
    ret->devices = DRAY_NEW_N(arena, dray_why_devices, refusals.n);
    for (uint32_t i = 0; i < refusals.n; i++) {
        ret->devices[i] = *(dray_why_devices *)refusals.entries[i].value;
        if (strcmp(ret->devices[i].cause, "in-use") == 0)
            ret->devices[i].holder = dray_explain_holder(cluster, ret->devices[i].example);
    }
    dray_sort(ret->devices, ret->n_devices, sizeof *ret->devices, by_nearness, NULL);
}

static bool is_same_request(const dray_why_devices *a, const dray_why_devices *b) {
    return a->claim == b->claim && dray_str_eq(a->request, b->request);
}

/* The request that is told about: the one that most devices were refused for; of equals the one
 * whose devices came least far. Rows of a request stand together. */
static const dray_why_devices *decisive(const dray_why *why) {
    const dray_why_devices *best = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < why->n_devices;) {
        const dray_why_devices *row = &why->devices[i];
        uint64_t refused = 0;
        for (; i < why->n_devices && is_same_request(&why->devices[i], row); i++)
            refused += why->devices[i].devices;
        if (best == NULL || refused > most || (refused == most && row->order < best->order)) {
            best = row;
            most = refused;
        }
    }
    return best;
}

static void say_devices(const dray_why *why, const dray_why_devices *row, dray_buf *out,
                        dray_arena *arena) {
    const dray_meta_object_meta *meta = row->claim->metadata;
    dray_buf_addf(out, "claim " DRAY_FMT "/" DRAY_FMT ", request " DRAY_FMT ": ",
                  DRAY_ARG(meta->namespace), DRAY_ARG(meta->name), DRAY_ARG(row->request));
    for (size_t i = 0; row + i < why->devices + why->n_devices; i++) {
        if (!is_same_request(&row[i], row))
            break;
        dray_buf_puts(out, i != 0 ? "; " : "");
        dray_buf_str_add(out, dray_explain_cause(row[i].cause, row[i].devices, arena));
        if (row[i].holder != NULL)
            dray_buf_addf(out, " (" DRAY_FMT " by claim " DRAY_FMT "/" DRAY_FMT ")",
                          DRAY_ARG(row[i].example), DRAY_ARG(row[i].holder->metadata->namespace),
                          DRAY_ARG(row[i].holder->metadata->name));
        else if (row[i].example.n != 0 && row[i].devices == 1)
            dray_buf_addf(out, " (" DRAY_FMT ")", DRAY_ARG(row[i].example));
    }
}

static dray_str say(const dray_why *why, dray_arena *arena) {
    dray_buf out = DRAY_BUF_INIT;
    const dray_why_devices *row = decisive(why);
    bool by_devices =
        why->n_reasons != 0 && row != NULL && strcmp(why->nodes[0].plugin, "DynamicResources") == 0;
    if (why->state == DRAY_WHY_FITS)
        dray_buf_addf(&out, "%u of %u nodes would do, the first is " DRAY_FMT, why->n_feasible,
                      why->n_nodes, DRAY_ARG(why->first_feasible));
    else if (why->text.p != NULL)
        dray_buf_str_add(&out, why->text);
    else if (by_devices)
        say_devices(why, row, &out, arena);
    else if (why->n_reasons != 0)
        dray_buf_addf(&out, "%u of %u nodes: " DRAY_FMT " (such as " DRAY_FMT ")",
                      why->nodes[0].count, why->n_nodes, DRAY_ARG(why->nodes[0].reason),
                      DRAY_ARG(why->nodes[0].example));
    dray_str text = dray_str_dup(arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

static bool is_pending(const dray_plan *plan, const dray_core_pod *pod, dray_arena *arena) {
    dray_plan_pods pods = dray_plan_pending(plan, arena);
    for (size_t i = 0; i < pods.n; i++)
        if (pods.v[i] == pod)
            return true;
    return false;
}

void dray_explain_pod(dray_plan *plan, const dray_cluster *cluster, const dray_core_pod *pod,
                      dray_arena *arena, dray_why *ret) {
    *ret = (dray_why){.state = DRAY_WHY_RUNS};
    if (pod->spec->node_name.n != 0)
        return;
    if (!is_pending(plan, pod, arena)) {
        ret->state = DRAY_WHY_HELD;
        ret->text = pod->metadata->deletion_timestamp.set
                        ? DRAY_STR("it is being deleted")
                        : dray_strf(arena, "it belongs to the scheduler \"" DRAY_FMT "\"",
                                    DRAY_ARG(pod->spec->scheduler_name));
        ret->sentence = ret->text;
        return;
    }
    dray_plan_ask_options options = {.messages = true, .refusals = true};
    dray_plan_answer answer;
    dray_plan_ask(plan, pod, &options, arena, &answer);
    ret->n_nodes = (uint32_t)answer.n_nodes;
    ret->n_feasible = (uint32_t)answer.n_feasible;
    ret->message = answer.message;
    ret->state = answer.n_feasible != 0 ? DRAY_WHY_FITS : DRAY_WHY_NO_NODE;
    const struct {
        dray_str text;
        dray_why_state state;
    } whole[] = {
        {answer.gated, DRAY_WHY_HELD},
        {answer.prefilter, DRAY_WHY_REJECTED},
        {answer.error, DRAY_WHY_ERROR},
    };
    for (size_t i = 0; i < DRAY_COUNT(whole); i++)
        if (whole[i].text.p != NULL) {
            ret->text = whole[i].text;
            ret->state = whole[i].state;
        }
    collect(cluster, &answer, arena, ret);
    ret->sentence = say(ret, arena);
}
