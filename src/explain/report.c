/* What is said of each node and of the devices for each request. */
#include "explain/survey_int.h"

enum { TALLIES_MAX = 64, HOLDERS_MAX = 8, NAMES_BYTES = 100 };

static dray_str joined(const dray_plan_node_answer *node, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < node->n_reasons; i++) {
        dray_buf_puts(&out, i != 0 ? ", " : "");
        dray_buf_str_add(&out, node->reasons[i]);
    }
    return dray_str_dup(arena, dray_buf_str(&out));
}

static void tell_nodes(dray_trial *t, dray_explain_answer *ret) {
    dray_arena *arena = t->q->arena;
    size_t n = t->answer.n_nodes;
    dray_explain_nodes *groups = DRAY_NEW_N(arena, dray_explain_nodes, n + 1);
    uint32_t *group_of = DRAY_NEW_N(arena, uint32_t, n + 1);
    dray_map by_reason = dray_map_new(arena);
    for (size_t i = 0; i < n; i++) {
        const dray_plan_node_answer *node = &t->answer.nodes[i];
        if (node->feasible)
            continue;
        dray_str reason = joined(node, arena);
        dray_map_entry *entry = dray_map_entry_of(
            &by_reason, dray_strf(arena, "%s\n" DRAY_FMT, node->plugin != NULL ? node->plugin : "",
                                  DRAY_ARG(reason)));
        if (entry->value == NULL) {
            dray_explain_nodes *g = &groups[by_reason.n - 1];
            g->plugin = node->plugin;
            g->reason = reason;
            entry->value = g;
        }
        dray_explain_nodes *g = entry->value;
        group_of[i] = (uint32_t)(g - groups) + 1;
        g->n++;
    }
    for (uint32_t g = 0; g < by_reason.n; g++) {
        dray_str *names = DRAY_NEW_N(arena, dray_str, groups[g].n);
        size_t at = 0;
        for (size_t i = 0; i < n; i++)
            if (group_of[i] == g + 1)
                names[at++] = dray_str_dup(arena, t->answer.nodes[i].name);
        groups[g].names = names;
    }
    ret->nodes = groups;
    ret->n_reasons = by_reason.n;
}

static const char *cause_of(const dray_surveyed *d) {
    static const dray_cause causes[] = {
        [DRAY_STAGE_POOL] = DRAY_CAUSE_POOL_INCOMPLETE,
        [DRAY_STAGE_GATE] = DRAY_CAUSE_GATE_OFF,
        [DRAY_STAGE_CLASS] = DRAY_CAUSE_SELECTOR_FALSE,
        [DRAY_STAGE_REQUEST] = DRAY_CAUSE_SELECTOR_FALSE,
        [DRAY_STAGE_REACH] = DRAY_CAUSE_DEVICES_REACH_NO_NODE,
        [DRAY_STAGE_CAPACITY] = DRAY_CAUSE_CAPACITY_TOO_LARGE,
        [DRAY_STAGE_TAINT] = DRAY_CAUSE_DEVICE_TAINT,
        [DRAY_STAGE_IN_USE] = DRAY_CAUSE_IN_USE,
        [DRAY_STAGE_EXHAUSTED] = DRAY_CAUSE_CAPACITY_EXHAUSTED,
        [DRAY_STAGE_COUNTERS] = DRAY_CAUSE_COUNTERS_EXHAUSTED,
    };
    if (d->stage == DRAY_STAGE_USABLE)
        return NULL;
    dray_cause cause = causes[d->stage];
    if (d->failed)
        cause = DRAY_CAUSE_SELECTOR_ERROR;
    if (d->stage == DRAY_STAGE_POOL &&
        (d->pool->state == DRAY_POOL_INVALID || dray_pool_contradicts(d->pool->pool)))
        cause = DRAY_CAUSE_POOL_INVALID;
    if (d->stage == DRAY_STAGE_CAPACITY && d->policy)
        cause = DRAY_CAUSE_POLICY_REJECTS;
    return dray_cause_row_of(cause).id;
}

/* What the tally is about; of a device in use the Pod, or else the claim, that has it. */
static dray_str about(dray_trial *t, const dray_surveyed *d) {
    const dray_resource_claim *holders[HOLDERS_MAX];
    if (d->stage == DRAY_STAGE_POOL)
        return dray_words_key(d->pool->driver, d->pool->name, t->q->arena);
    if (d->stage != DRAY_STAGE_IN_USE || dray_survey_holders(t, d, holders, HOLDERS_MAX) == 0)
        return d->about;
    const dray_resource_claim_status *status = holders[0]->status;
    dray_str name =
        status->reserved_for.n != 0 ? status->reserved_for.v[0].name : holders[0]->metadata->name;
    return dray_words_key(holders[0]->metadata->namespace, name, t->q->arena);
}

static void add_tally(dray_trial *t, const dray_surveyed *d, dray_explain_tally *v, size_t *n) {
    const char *cause = cause_of(d);
    bool held = d->stage == DRAY_STAGE_IN_USE; /* one row, with the first of their names */
    size_t at = 0;
    while (held && at < *n && v[at].cause != cause)
        at++;
    if (held && at < *n && v[at].about.n >= NAMES_BYTES) {
        v[at].count++;
        return;
    }
    dray_str text = cause != NULL ? about(t, d) : DRAY_STR_NONE;
    at = 0;
    while (at < *n && !(v[at].cause == cause && (held || dray_str_eq(v[at].about, text))))
        at++;
    if (at == TALLIES_MAX) {
        v[at - 1].count++;
        return;
    }
    if (at == *n)
        v[(*n)++] = (dray_explain_tally){
            .cause = cause, .order = (int)d->stage, .about = dray_str_dup(t->q->arena, text)};
    else if (held && v[at].about.n < NAMES_BYTES && dray_str_find(v[at].about, text) == SIZE_MAX)
        v[at].about =
            dray_strf(t->q->arena, DRAY_FMT ", " DRAY_FMT, DRAY_ARG(v[at].about), DRAY_ARG(text));
    v[at].count++;
}

static int by_nearness(const void *a, const void *b, void *context) {
    const dray_explain_tally *x = a, *y = b;
    if (x->order != y->order)
        return x->order > y->order ? -1 : 1;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : 0;
}

static void tell_request(dray_trial *t, const dray_want *want, dray_explain_request *ret) {
    dray_explain_tally *v = DRAY_NEW_N(t->q->arena, dray_explain_tally, TALLIES_MAX);
    dray_map seen = dray_map_new(t->q->arena);
    size_t n_nodes;
    dray_cluster_node *const *nodes = dray_cluster_nodes(t->cluster, &n_nodes);
    *ret = (dray_explain_request){.claim = want->claim_name, .request = want->name, .tallies = v};
    for (size_t i = 0; i < n_nodes && !dray_arena_spent(t->q->arena); i++) {
        dray_survey survey;
        dray_survey_node(t, nodes[i]->name, want, &survey);
        for (size_t d = 0; d < survey.n; d++) {
            /* A device of the network reaches several nodes and is one. */
            dray_str key = dray_strf(
                t->q->arena, DRAY_FMT "/" DRAY_FMT "/" DRAY_FMT, DRAY_ARG(survey.v[d].pool->driver),
                DRAY_ARG(survey.v[d].pool->name), DRAY_ARG(survey.v[d].device->name));
            if (dray_map_put(&seen, key, v) != NULL)
                continue;
            ret->looked_at++;
            add_tally(t, &survey.v[d], v, &ret->n_tallies);
        }
    }
    dray_sort(v, ret->n_tallies, sizeof *v, by_nearness, NULL);
}

void dray_report_fill(dray_trial *trial, dray_explain_answer *ret) {
    const dray_plan_answer *answer = &trial->answer;
    dray_str texts[] = {answer->gated, answer->prefilter, answer->error};
    for (size_t i = 0; i < DRAY_COUNT(texts); i++)
        if (texts[i].p != NULL)
            ret->text = dray_str_dup(trial->q->arena, texts[i]);
    ret->n_nodes = answer->n_nodes;
    ret->n_feasible = answer->n_feasible;
    tell_nodes(trial, ret);
    dray_explain_request *v = DRAY_NEW_N(trial->q->arena, dray_explain_request, trial->wants.n + 1);
    for (size_t i = 0; i < trial->wants.n; i++)
        if (trial->wants.v[i].class != NULL)
            tell_request(trial, &trial->wants.v[i], &v[ret->n_requests++]);
    ret->requests = v;
}
