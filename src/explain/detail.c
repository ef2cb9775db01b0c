/* What is said beside a cause: numbers, the values that there are, who is in the way. */
#include "explain/selector_int.h"
#include "explain/survey_int.h"

#include "api/rules/pod_request.h"

enum { NAMES_MAX = 5, HOLDERS_MAX = 4, LOOKUPS_MAX = 2 };

/* --- lists of different values, with how often each comes --- */

typedef struct value {
    dray_str text;
    size_t n;
} value;

typedef struct values {
    value v[NAMES_MAX];
    size_t n, others;
} values;

static void add_value(values *all, dray_str text) {
    size_t at = 0;
    while (at < all->n && !dray_str_eq(all->v[at].text, text))
        at++;
    if (at == NAMES_MAX) {
        all->others++;
        return;
    }
    if (at == all->n)
        all->v[all->n++] = (value){text, 0};
    all->v[at].n++;
}

static void put_values(dray_buf *out, const values *all, bool counted) {
    for (size_t i = 0; i < all->n; i++) {
        dray_buf_addf(out, "%s" DRAY_FMT, i != 0 ? ", " : "", DRAY_ARG(all->v[i].text));
        if (counted)
            dray_buf_addf(out, " ×%zu", all->v[i].n);
    }
    dray_buf_puts(out, all->others != 0 ? ", …" : "");
}

static void put_or(dray_buf *out, const char *before, const values *all, const char *none) {
    dray_buf_puts(out, all->n != 0 ? before : none);
    put_values(out, all, false);
}

/* --- nodes --- */

static dray_quantity asked_of(dray_trial *t, const dray_core_pod *pod, dray_str name) {
    dray_pod_request_options options = dray_pod_request_options_of(&t->state->gates);
    const dray_quantity *q =
        dray_resource_list_find(dray_pod_requests(pod, &options, t->q->arena), name);
    return q != NULL ? *q : (dray_quantity){0};
}

static void tell_resources(dray_trial *t, const dray_finding *f, dray_buf *out) {
    const dray_cluster_node *node = dray_cluster_node_find(t->cluster, f->node);
    if (node == NULL || node->body == NULL || dray_str_is(f->subject, "pods"))
        return;
    dray_quantity has = {0}, asked = asked_of(t, t->pod, f->subject);
    const dray_core_node_status *status = node->body->status;
    for (size_t i = 0; i < status->allocatable.n; i++)
        if (dray_str_eq(status->allocatable.k[i], f->subject))
            has = status->allocatable.v[i];
    dray_quantity left = has;
    dray_pods pods = dray_pods_counted(t, node);
    for (size_t p = 0; p < pods.list.n; p++)
        left = dray_quantity_sub(left, asked_of(t, pods.list.v[p], f->subject), t->q->arena);
    asked.text = left.text = DRAY_STR_NONE;
    dray_buf_addf(out, DRAY_FMT " asked, " DRAY_FMT " of " DRAY_FMT " left",
                  DRAY_ARG(dray_quantity_format(asked, t->q->arena)),
                  DRAY_ARG(dray_quantity_format(left, t->q->arena)),
                  DRAY_ARG(dray_quantity_format(has, t->q->arena)));
}

static void tell_labels(dray_trial *t, const dray_finding *f, dray_buf *out) {
    values all = {.n = 0};
    dray_cluster_list nodes = dray_cluster_all(t->cluster, &dray_type_core_node);
    for (size_t i = 0; i < nodes.n; i++) {
        const dray_core_node *node = nodes.v[i];
        dray_str label = dray_string_map_find(node->metadata->labels, f->subject);
        if (label.p != NULL)
            add_value(&all, label);
    }
    put_or(out, "the nodes have ", &all, "no node has that label");
}

/* --- claims, classes, quota --- */

static void tell_quota(dray_trial *t, const dray_finding *f, dray_buf *out) {
    const dray_core_resource_quota *quota = f->refused->quota;
    for (size_t k = 0; k < quota->spec->hard.n; k++)
        if (f->refused->wanted[k] != 0)
            dray_buf_addf(out, "%s" DRAY_FMT " would be %lld of " DRAY_FMT, out->n != 0 ? ", " : "",
                          DRAY_ARG(quota->spec->hard.k[k]), (long long)f->refused->wanted[k],
                          DRAY_ARG(dray_quantity_format(quota->spec->hard.v[k], t->q->arena)));
}

static void tell_classes(dray_trial *t, const dray_finding *f, dray_buf *out) {
    values all = {.n = 0};
    dray_cluster_list classes = dray_cluster_all(t->cluster, &dray_type_resource_device_class);
    for (size_t i = 0; i < classes.n; i++)
        add_value(&all, ((const dray_resource_device_class *)classes.v[i])->metadata->name);
    put_or(out, "those that exist are ", &all, "there is none at all");
}

static void tell_drivers(dray_trial *t, const dray_finding *f, dray_buf *out) {
    values all = {.n = 0};
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++)
        add_value(&all, ((const dray_resource_slice *)slices.v[i])->spec->driver);
    put_or(out, "those that do are ", &all, "no driver does");
}

/* --- devices --- */

static void tell_count(dray_trial *t, const dray_finding *f, dray_buf *out) {
    if (f->want != NULL && !f->want->all)
        dray_buf_addf(out, "%lld asked, %u there", (long long)f->want->count, f->count);
}

/* How much of the capacity is asked for, and the most that one device of the node can give. */
static void tell_capacity(dray_trial *t, const dray_finding *f, dray_buf *out) {
    const dray_resource_capacity_requirements *c = f->want != NULL ? f->want->capacity : NULL;
    dray_survey survey;
    bool any = false;
    dray_quantity most = {0};
    dray_survey_node(t, f->node, f->want, &survey);
    for (size_t d = 0; d < survey.n; d++) {
        dray_quantity left;
        if (!survey.v[d].matches || !dray_capacity_left(t, &survey.v[d], f->subject, &left) ||
            (any && dray_quantity_cmp(left, most) <= 0))
            continue;
        most = left;
        any = true;
    }
    for (size_t i = 0; c != NULL && i < c->requests.n; i++)
        if (dray_str_eq(c->requests.k[i], f->subject))
            dray_buf_addf(out, DRAY_FMT " asked, ",
                          DRAY_ARG(dray_quantity_format(c->requests.v[i], t->q->arena)));
    if (any)
        dray_buf_addf(out, DRAY_FMT " is the most that can be had",
                      DRAY_ARG(dray_quantity_format(most, t->q->arena)));
    else
        dray_buf_puts(out, "none can be had");
}

static void tell_holders(dray_trial *t, const dray_finding *f, dray_buf *out) {
    const dray_resource_claim *claims[HOLDERS_MAX];
    size_t n = dray_claims_in_the_way(t, f->node, f->want, claims, HOLDERS_MAX);
    for (size_t i = 0; i < n; i++) {
        const dray_meta_object_meta *meta = claims[i]->metadata;
        const dray_resource_claim_status *status = claims[i]->status;
        dray_buf_addf(
            out, "%s" DRAY_FMT "/" DRAY_FMT, i != 0 ? ", " : "in use by ",
            DRAY_ARG(meta->namespace),
            DRAY_ARG(status->reserved_for.n != 0 ? status->reserved_for.v[0].name : meta->name));
    }
}

static dray_str text_of(const dray_resource_device_attribute *a, dray_arena *arena) {
    if (a->int_.set)
        return dray_strf(arena, "%lld", (long long)a->int_.v);
    if (a->bool_.set)
        return a->bool_.v ? DRAY_STR("true") : DRAY_STR("false");
    if (a->version.n != 0)
        return dray_strf(arena, "version " DRAY_FMT, DRAY_ARG(a->version));
    return a->string.p != NULL ? a->string : DRAY_STR("a list");
}

/* The device's value of domain/id, in words; absent: it has none. */
static dray_str seen(dray_trial *t, const dray_surveyed *d, bool capacity, dray_str domain,
                     dray_str id) {
    size_t n = capacity ? d->device->capacity.n : d->device->attributes.n;
    const dray_str *keys = capacity ? d->device->capacity.k : d->device->attributes.k;
    for (size_t i = 0; i < n; i++) {
        dray_str own_domain, own_id;
        dray_celk8s_split_name(keys[i], d->pool->driver, &own_domain, &own_id);
        if (!dray_str_eq(own_domain, domain) || !dray_str_eq(own_id, id))
            continue;
        return capacity ? dray_quantity_format(d->device->capacity.v[i].value, t->q->arena)
                        : text_of(&d->device->attributes.v[i], t->q->arena);
    }
    return DRAY_STR_NONE;
}

static values seen_on(dray_trial *t, dray_str node, const dray_want *want, bool matching,
                      bool capacity, dray_str domain, dray_str id) {
    values all = {.n = 0};
    dray_survey survey;
    dray_survey_node(t, node, want, &survey);
    for (size_t d = 0; d < survey.n; d++) {
        if (matching && !survey.v[d].matches)
            continue;
        dray_str text = seen(t, &survey.v[d], capacity, domain, id);
        if (text.p != NULL)
            add_value(&all, text);
    }
    return all;
}

/* What each request's devices have of the attribute that the constraint compares. */
static void tell_constraint(dray_trial *t, const dray_finding *f, dray_buf *out) {
    dray_str domain, id;
    if (f->want == NULL || !dray_str_cut(f->subject, '/', &domain, &id))
        return;
    for (size_t i = 0; i < t->wants.n; i++) {
        const dray_want *want = &t->wants.v[i];
        if (want->claim != f->want->claim || want->class == NULL)
            continue;
        values all = seen_on(t, f->node, want, true, false, domain, id);
        dray_buf_addf(out, "%s" DRAY_FMT " has ", out->n != 0 ? "; " : "", DRAY_ARG(want->name));
        put_values(out, &all, true);
    }
}

/* What the devices have of what the selector looks up. */
static void tell_values(dray_trial *t, const dray_finding *f, dray_buf *out) {
    const dray_resource_device_selector *v =
        f->in_class ? f->want->class->spec->selectors.v : f->want->selectors;
    dray_selector *s = v[f->selector].cel != NULL
                           ? dray_selector_read(t->q, v[f->selector].cel->expression)
                           : NULL;
    for (size_t c = 0, told = 0; s != NULL && c < s->n && told < LOOKUPS_MAX; c++) {
        dray_lookups found = dray_selector_lookups(t->q, s->conditions[c]);
        if (found.list.n == 0)
            continue;
        const dray_lookup *l = &found.list.v[0];
        values all = {.n = 0};
        for (size_t i = 0; i < t->answer.n_nodes && all.n < NAMES_MAX; i++) {
            values here = seen_on(t, t->answer.nodes[i].name, f->want, false, l->capacity,
                                  *l->domain, *l->id);
            for (size_t k = 0; k < here.n; k++)
                add_value(&all, here.v[k].text);
        }
        if (all.n == 0)
            continue;
        dray_buf_addf(out, "%s" DRAY_FMT " is ", told++ != 0 ? "; " : "", DRAY_ARG(*l->id));
        put_values(out, &all, false);
    }
}

static const struct {
    dray_cause cause;
    void (*tell)(dray_trial *t, const dray_finding *f, dray_buf *out);
} rows[] = {
    {DRAY_CAUSE_NODE_RESOURCES, tell_resources},
    {DRAY_CAUSE_NODE_SELECTOR, tell_labels},
    {DRAY_CAUSE_NODE_AFFINITY, tell_labels},
    {DRAY_CAUSE_QUOTA, tell_quota},
    {DRAY_CAUSE_CLASS_MISSING, tell_classes},
    {DRAY_CAUSE_NO_SLICES_FOR_DRIVER, tell_drivers},
    {DRAY_CAUSE_TOO_FEW_DEVICES, tell_count},
    {DRAY_CAUSE_CAPACITY_TOO_LARGE, tell_capacity},
    {DRAY_CAUSE_CAPACITY_EXHAUSTED, tell_capacity},
    {DRAY_CAUSE_POLICY_REJECTS, tell_capacity},
    {DRAY_CAUSE_COUNTERS_EXHAUSTED, tell_holders},
    {DRAY_CAUSE_CONSTRAINT_UNSATISFIED, tell_constraint},
    {DRAY_CAUSE_SELECTOR_FALSE, tell_values},
    {DRAY_CAUSE_ATTRIBUTE_OTHER_TYPE, tell_values},
    {DRAY_CAUSE_VERSION_COMPARED_AS_STRING, tell_values},
    {DRAY_CAUSE_QUANTITY_COMPARED_WRONGLY, tell_values},
};

dray_str dray_detail_of(dray_trial *trial, const dray_finding *finding) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        if (rows[i].cause == finding->cause)
            rows[i].tell(trial, finding, &out);
    return out.n != 0 ? dray_str_dup(trial->q->arena, dray_buf_str(&out)) : DRAY_STR_NONE;
}
