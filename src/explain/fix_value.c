/* Fixes that put another value into a selector: what is free, or what is few enough. */
#include "explain/selector_int.h"
#include "explain/survey_int.h"

enum { VALUES_MAX = 6, OFFERS_MAX = 8, RESULTS_MAX = 32 };

/* An attribute's value in CEL's words; absent: it is none that is compared with ==. */
static dray_str literal_of(const dray_resource_device_attribute *a, dray_arena *arena) {
    if (a->int_.set)
        return dray_strf(arena, "%lld", (long long)a->int_.v);
    if (a->bool_.set)
        return a->bool_.v ? DRAY_STR("true") : DRAY_STR("false");
    if (a->string.p == NULL || dray_str_chr(a->string, '"') != SIZE_MAX ||
        dray_str_chr(a->string, '\\') != SIZE_MAX)
        return DRAY_STR_NONE;
    return dray_strf(arena, "\"" DRAY_FMT "\"", DRAY_ARG(a->string));
}

static const dray_resource_device_attribute *attribute_of(const dray_surveyed *d, dray_str domain,
                                                          dray_str id) {
    for (size_t i = 0; i < d->device->attributes.n; i++) {
        dray_str own_domain, own_id;
        dray_celk8s_split_name(d->device->attributes.k[i], d->pool->driver, &own_domain, &own_id);
        if (dray_str_eq(own_domain, domain) && dray_str_eq(own_id, id))
            return &d->device->attributes.v[i];
    }
    return NULL;
}

static bool is_listed(const dray_str *v, size_t n, dray_str text) {
    for (size_t i = 0; i < n; i++)
        if (dray_str_eq(v[i], text))
            return true;
    return false;
}

/* `lookup == value` with each other value that a device of the node has. */
static void offer_values(dray_trial *t, const dray_finding *f, const dray_survey *survey,
                         size_t index, dray_offers *ret) {
    const dray_resource_device_selector *selector = &f->want->selectors[index];
    dray_selector *s =
        selector->cel != NULL ? dray_selector_read(t->q, selector->cel->expression) : NULL;
    for (size_t c = 0; s != NULL && c < s->n; c++) {
        dray_comparison compared;
        dray_lookups found = dray_selector_lookups(t->q, s->conditions[c]);
        if (found.list.n != 1 || found.list.v[0].capacity ||
            !dray_selector_comparison(s->conditions[c], 0, &compared) ||
            compared.expr != s->conditions[c] || strcmp(compared.sign, "==") != 0)
            continue;
        dray_str tried[VALUES_MAX];
        size_t n = 0;
        for (size_t d = 0; d < survey->n && n < VALUES_MAX && ret->list.n < OFFERS_MAX; d++) {
            const dray_resource_device_attribute *a =
                attribute_of(&survey->v[d], *found.list.v[0].domain, *found.list.v[0].id);
            dray_str value = a != NULL ? literal_of(a, t->q->arena) : DRAY_STR_NONE;
            if (value.p == NULL || survey->v[d].matches || is_listed(tried, n, value))
                continue;
            tried[n++] = value;
            dray_str text =
                dray_strf(t->q->arena, DRAY_FMT " == " DRAY_FMT,
                          DRAY_ARG(dray_selector_print(s, *compared.value)), DRAY_ARG(value));
            dray_offer_selector(t, f->want, false, index, dray_selector_join(s, 0, c, text), 1,
                                ret);
        }
    }
}

void dray_offer_other_values(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_survey survey;
    dray_survey_node(t, f->node, f->want, &survey);
    for (size_t i = 0; i < f->want->n_selectors; i++)
        offer_values(t, f, &survey, i, ret);
}

/* How many matching devices have the value; SIZE_MAX: an earlier device had it already. */
static size_t count_of(dray_trial *t, const dray_survey *survey, size_t first, dray_str domain,
                       dray_str id, dray_str value) {
    size_t n = 0;
    for (size_t d = 0; d < survey->n; d++) {
        const dray_resource_device_attribute *a =
            survey->v[d].matches ? attribute_of(&survey->v[d], domain, id) : NULL;
        if (a == NULL || !dray_str_eq(literal_of(a, t->q->arena), value))
            continue;
        if (d < first)
            return SIZE_MAX;
        n++;
    }
    return n;
}

typedef struct narrowing {
    dray_str text;
    size_t n;
} narrowing;

static int by_number(const void *a, const void *b, void *context) {
    const narrowing *x = a, *y = b;
    return x->n > y->n ? -1 : x->n < y->n;
}

/* One condition more, that leaves no more devices than a claim may hold, and as many as can be. */
void dray_offer_narrower(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    narrowing found[OFFERS_MAX];
    size_t n = 0, n_nodes;
    dray_survey survey = {0};
    dray_cluster_node *const *nodes = dray_cluster_nodes(t->cluster, &n_nodes);
    for (size_t i = 0; i < n_nodes && survey.matching == 0; i++)
        dray_survey_node(t, nodes[i]->name, f->want, &survey);
    for (size_t d = 0; d < survey.n && n < OFFERS_MAX; d++) {
        const dray_resource_device *device = survey.v[d].device;
        for (size_t i = 0; survey.v[d].matches && i < device->attributes.n && n < OFFERS_MAX; i++) {
            dray_str domain, id, value = literal_of(&device->attributes.v[i], t->q->arena);
            dray_celk8s_split_name(device->attributes.k[i], survey.v[d].pool->driver, &domain, &id);
            size_t many = value.p != NULL ? count_of(t, &survey, d, domain, id, value) : SIZE_MAX;
            if (many < 2 || many > RESULTS_MAX)
                continue;
            found[n++] = (narrowing){dray_strf(t->q->arena,
                                               "device.attributes[\"" DRAY_FMT "\"][\"" DRAY_FMT
                                               "\"] == " DRAY_FMT,
                                               DRAY_ARG(domain), DRAY_ARG(id), DRAY_ARG(value)),
                                     many};
        }
    }
    dray_sort(found, n, sizeof *found, by_number, NULL);
    for (size_t i = 0; i < n; i++)
        dray_offer_one_more(t, f->want, found[i].text, ret);
}
