/* Fixes that change what a request asks for: class, selectors, count, capacity, constraints. */
#include "explain/selector_int.h"
#include "explain/survey_int.h"

#include "api/engine.h"

enum { CLASSES_MAX = 8, DRIVERS_MAX = 8, NAMES_MAX = 6, VALUES_MAX = 16, NODES_MAX = 16 };
enum { CLAIM_RESULTS_MAX = 32 };

/* --- editing one request wherever it is written --- */

typedef struct edits {
    dray_want_edit v[2];
    size_t n;
} edits;

/* A new offer with the want open for changes; its claim must be known. */
static edits open_want(dray_trial *t, const dray_want *want, uint32_t size, dray_offers *ret) {
    edits e = {.n = 0};
    dray_resource_device_claim *devices[2];
    size_t n = dray_offer_claim(t, dray_offer_new(t, ret, size), want->claim, devices);
    for (size_t i = 0; i < n; i++)
        e.n += dray_offer_want(devices[i], want, &e.v[e.n]);
    return e;
}

/* --- classes --- */

typedef struct candidate {
    dray_str name;
    size_t closeness;
} candidate;

static int by_closeness(const void *a, const void *b, void *context) {
    const candidate *x = a, *y = b;
    if (x->closeness != y->closeness)
        return x->closeness < y->closeness ? -1 : 1;
    return dray_str_cmp(x->name, y->name);
}

void dray_fix_make_CORRECT_CLASS_NAME(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->want == NULL || f->want->claim == NULL)
        return;
    dray_cluster_list classes = dray_cluster_all(t->cluster, &dray_type_resource_device_class);
    candidate names[CLASSES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < classes.n && n < CLASSES_MAX; i++) {
        const dray_resource_device_class *class = classes.v[i];
        size_t closeness = dray_words_closeness(f->want->class_name, class->metadata->name);
        if (closeness != SIZE_MAX && !dray_str_eq(class->metadata->name, f->want->class_name))
            names[n++] = (candidate){class->metadata->name, closeness};
    }
    dray_sort(names, n, sizeof *names, by_closeness, NULL);
    for (size_t i = 0; i < n; i++) {
        edits e = open_want(t, f->want, 1, ret);
        for (size_t k = 0; k < e.n; k++)
            *e.v[k].class_name = names[i].name;
        dray_offer_say(t, ret, DRAY_FMT, DRAY_ARG(names[i].name));
    }
}

enum { UNLIKE = 1000, TAKEN = 10000 };

/* Drivers that publish devices, those first that no class of the Pod means, then by name. */
static size_t drivers(const dray_trial *t, dray_str like, candidate *ret) {
    size_t n = 0;
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n && n < DRIVERS_MAX; i++) {
        dray_str driver = ((const dray_resource_slice *)slices.v[i])->spec->driver;
        size_t at = 0;
        while (at < n && !dray_str_eq(ret[at].name, driver))
            at++;
        if (at < n)
            continue;
        size_t closeness = dray_words_closeness(like, driver);
        ret[n++] = (candidate){driver, closeness == SIZE_MAX ? UNLIKE : closeness};
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < t->wants.n; k++) {
            const dray_resource_device_class *class = t->wants.v[k].class;
            for (size_t s = 0; class != NULL && s < class->spec->selectors.n; s++)
                if (class->spec->selectors.v[s].cel != NULL &&
                    dray_str_find(class->spec->selectors.v[s].cel->expression, ret[i].name) !=
                        SIZE_MAX)
                    ret[i].closeness += TAKEN;
        }
    dray_sort(ret, n, sizeof *ret, by_closeness, NULL);
    return n;
}

static dray_resource_device_class *make_class(dray_trial *t, dray_str name, dray_str driver,
                                              dray_offers *ret) {
    dray_state *state = dray_offer_new(t, ret, 1);
    dray_resource_device_class *class =
        dray_state_add(t->q, state, &dray_type_resource_device_class, DRAY_STR(""), name);
    dray_resource_device_selector *s = DRAY_NEW(t->q->arena, dray_resource_device_selector);
    s->cel = DRAY_NEW(t->q->arena, dray_resource_cel_device_selector);
    s->cel->expression =
        dray_strf(t->q->arena, "device.driver == \"" DRAY_FMT "\"", DRAY_ARG(driver));
    class->spec->selectors.v = s;
    class->spec->selectors.n = 1;
    dray_offer_say(t, ret, DRAY_FMT, DRAY_ARG(s->cel->expression));
    return class;
}

void dray_fix_make_CREATE_CLASS(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    candidate names[DRIVERS_MAX];
    size_t n = drivers(t, f->subject, names);
    bool extended = f->cause == DRAY_CAUSE_EXTENDED_RESOURCE_UNKNOWN;
    /* Where a driver has a name like that of the class, no other is meant. */
    bool alike = n != 0 && names[0].closeness < UNLIKE;
    if (n == 0 && !extended)
        make_class(t, f->subject, f->subject, ret);
    for (size_t i = 0; i < n && (!alike || names[i].closeness < UNLIKE); i++) {
        if (!extended) {
            make_class(t, f->subject, names[i].name, ret);
            continue;
        }
        dray_str name = dray_cluster_find(t->cluster, &dray_type_resource_device_class,
                                          DRAY_STR(""), names[i].name) == NULL
                            ? names[i].name
                            : dray_strf(t->q->arena, "extended." DRAY_FMT, DRAY_ARG(names[i].name));
        make_class(t, name, names[i].name, ret)->spec->extended_resource_name = f->subject;
    }
}

void dray_fix_make_MAP_EXTENDED_RESOURCE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_cluster_list classes = dray_cluster_all(t->cluster, &dray_type_resource_device_class);
    candidate names[CLASSES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < classes.n && n < CLASSES_MAX; i++) {
        const dray_resource_device_class *class = classes.v[i];
        if (class->spec->extended_resource_name.n == 0)
            names[n++] = (candidate){class->metadata->name,
                                     dray_words_closeness(f->subject, class->metadata->name)};
    }
    dray_sort(names, n, sizeof *names, by_closeness, NULL);
    for (size_t i = 0; i < n; i++) {
        dray_resource_device_class *class =
            dray_state_edit(t->q, dray_offer_new(t, ret, 1), &dray_type_resource_device_class,
                            DRAY_STR(""), names[i].name);
        class->spec->extended_resource_name = f->subject;
    }
}

void dray_fix_make_ENABLE_GATE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_state_gate(dray_offer_new(t, ret, 1), f->gate, true);
}

/* --- selectors --- */

/* Replaces the index-th selector's text, or takes it out where text is absent. */
static void set_selector(dray_resource_device_selector *v, size_t *n, size_t index, dray_str text) {
    if (index >= *n)
        return;
    if (text.p != NULL) {
        v[index].cel->expression = text;
        return;
    }
    memmove(&v[index], &v[index + 1], (*n - index - 1) * sizeof *v);
    --*n;
}

static void say_selector(dray_trial *t, dray_str text, dray_offers *ret) {
    if (text.p != NULL)
        dray_offer_say(t, ret, DRAY_FMT, DRAY_ARG(text));
    else
        dray_offer_say(t, ret, "the whole selector goes");
}

void dray_offer_selector(dray_trial *t, const dray_want *want, bool in_class, size_t index,
                         dray_str text, uint32_t size, dray_offers *ret) {
    if (in_class) {
        dray_resource_device_class *class =
            dray_state_edit(t->q, dray_offer_new(t, ret, size), &dray_type_resource_device_class,
                            DRAY_STR(""), want->class_name);
        if (class != NULL)
            set_selector(class->spec->selectors.v, &class->spec->selectors.n, index, text);
        say_selector(t, text, ret);
        return;
    }
    if (want->claim == NULL)
        return;
    edits e = open_want(t, want, size, ret);
    for (size_t k = 0; k < e.n; k++)
        set_selector(*e.v[k].selectors, e.v[k].n_selectors, index, text);
    say_selector(t, text, ret);
}

void dray_offer_one_more(dray_trial *t, const dray_want *want, dray_str text, dray_offers *ret) {
    if (want->claim == NULL)
        return;
    edits e = open_want(t, want, 1, ret);
    for (size_t k = 0; k < e.n; k++) {
        size_t n = *e.v[k].n_selectors;
        dray_resource_device_selector *v =
            DRAY_NEW_N(t->q->arena, dray_resource_device_selector, n + 1);
        if (n != 0)
            memcpy(v, *e.v[k].selectors, n * sizeof *v);
        v[n].cel = DRAY_NEW(t->q->arena, dray_resource_cel_device_selector);
        v[n].cel->expression = text;
        *e.v[k].selectors = v;
        *e.v[k].n_selectors = n + 1;
    }
    say_selector(t, text, ret);
}

/* For a driver that publishes nothing: a published one of like name in its place. */
static void offer_driver(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    candidate names[DRIVERS_MAX];
    size_t n = drivers(t, f->subject, names);
    const dray_resource_device_selector *s = f->in_class
                                                 ? &f->want->class->spec->selectors.v[f->selector]
                                                 : &f->want->selectors[f->selector];
    dray_str text = s->cel->expression;
    for (size_t i = 0; i < n; i++) {
        size_t at = dray_str_find(text, f->subject);
        if (at == SIZE_MAX || !dray_words_slip(f->subject, names[i].name))
            continue;
        DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
        size_t from = 0;
        for (size_t next;
             (next = dray_str_find(dray_str_slice(text, from, text.n), f->subject)) != SIZE_MAX;) {
            dray_buf_str_add(&out, dray_str_slice(text, from, from + next));
            dray_buf_str_add(&out, names[i].name);
            from += next + f->subject.n;
        }
        dray_buf_str_add(&out, dray_str_slice(text, from, text.n));
        dray_offer_selector(t, f->want, f->in_class, f->selector,
                            dray_str_dup(t->q->arena, dray_buf_str(&out)), 1, ret);
    }
}

void dray_fix_make_CORRECT_SELECTOR(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->cause == DRAY_CAUSE_NO_SLICES_FOR_DRIVER)
        offer_driver(t, f, ret);
    else if (f->cause == DRAY_CAUSE_COUNTERS_EXHAUSTED && f->want != NULL)
        dray_offer_other_values(t, f, ret);
    else if (f->cause == DRAY_CAUSE_LIMIT_EXCEEDED && f->want != NULL && f->want->all)
        dray_offer_narrower(t, f, ret);
    else if (f->flaw != NULL && f->flaw->corrected.p != NULL)
        dray_offer_selector(t, f->want, f->in_class, f->selector, f->flaw->corrected, 1, ret);
}

/* Leaves out one condition of one selector after the other, then whole selectors. */
static void relax_each(dray_trial *t, const dray_want *want, size_t from, size_t to,
                       dray_offers *ret) {
    for (size_t i = from; i < to; i++) {
        if (want->selectors[i].cel == NULL)
            continue;
        dray_selector *s = dray_selector_read(t->q, want->selectors[i].cel->expression);
        for (size_t c = 0; s != NULL && s->n > 1 && c < s->n; c++)
            dray_offer_selector(t, want, false, i,
                                dray_selector_join(s, (uint64_t)1 << c, SIZE_MAX, DRAY_STR_NONE), 1,
                                ret);
    }
    for (size_t i = from; i < to; i++)
        dray_offer_selector(t, want, false, i, DRAY_STR_NONE, 1, ret);
}

void dray_fix_make_RELAX_SELECTOR(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->want == NULL)
        return;
    if (f->flaw != NULL)
        dray_offer_selector(t, f->want, f->in_class, f->selector, f->flaw->relaxed, 1, ret);

    else if (f->cause == DRAY_CAUSE_SELECTOR_FALSE)
        relax_each(t, f->want, f->selector, f->selector + 1, ret);
    else if (f->cause == DRAY_CAUSE_IN_USE || f->cause == DRAY_CAUSE_COUNTERS_EXHAUSTED)
        relax_each(t, f->want, 0, f->want->n_selectors, ret);
}

/* --- counts and capacity --- */

static size_t most_matching(dray_trial *t, const dray_want *want) {
    size_t most = 0;
    for (size_t i = 0; i < t->answer.n_nodes && i < NODES_MAX; i++) {
        dray_survey survey;
        dray_survey_node(t, t->answer.nodes[i].name, want, &survey);
        most = survey.matching > most ? survey.matching : most;
    }
    return most;
}

static void lower_key(dray_str *k, dray_quantity *v, size_t n, dray_str key, int64_t to) {
    for (size_t i = 0; i < n; i++)
        if (dray_str_eq(k[i], key))
            v[i] = dray_quantity_from_int(to, DRAY_QUANTITY_DECIMAL_SI);
}

/* An extended resource is counted in the Pod. */
static void lower_resource(dray_trial *t, const dray_want *want, dray_offers *ret) {
    for (int64_t count = want->count - 1; count > 0 && want->count <= CLAIM_RESULTS_MAX; count--) {
        dray_core_pod_spec *spec = dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec;
        size_t n_init = spec->init_containers.n, c = want->container;
        dray_core_resource_requirements *r = c < n_init ? spec->init_containers.v[c].resources
                                                        : spec->containers.v[c - n_init].resources;
        lower_key(r->requests.k, r->requests.v, r->requests.n, want->resource, count);
        lower_key(r->limits.k, r->limits.v, r->limits.n, want->resource, count);
        dray_offer_say(t, ret, DRAY_FMT ": %lld", DRAY_ARG(want->resource), (long long)count);
    }
}

void dray_fix_make_LOWER_COUNT(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    for (size_t w = 0; w < t->wants.n; w++) {
        const dray_want *want = &t->wants.v[w];
        if (f->want != NULL && f->want != want)
            continue;
        if (want->claim == NULL) {
            lower_resource(t, want, ret);
            continue;
        }
        size_t matching = t->answer.n_nodes != 0 ? most_matching(t, want) : CLAIM_RESULTS_MAX;
        int64_t from = want->all ? (int64_t)matching : want->count - 1;
        from = from > CLAIM_RESULTS_MAX ? CLAIM_RESULTS_MAX : from;
        from = from > (int64_t)matching ? (int64_t)matching : from;
        for (int64_t count = from; count > 0; count--) {
            edits e = open_want(t, want, 1, ret);
            for (size_t k = 0; k < e.n; k++) {
                *e.v[k].count = count;
                *e.v[k].mode = DRAY_STR("ExactCount");
            }
            dray_offer_say(t, ret, "request " DRAY_FMT ", count: %lld", DRAY_ARG(want->name),
                           (long long)count);
        }
    }
    if (f->refused == NULL)
        return;
    /* The claim isn't made yet: its template says how many. */
    dray_str ns = t->q->input->ns, name = f->refused->template->metadata->name;
    const dray_resource_device_claim *spec = f->refused->template->spec->spec->devices;
    for (size_t r = 0; r < spec->requests.n; r++) {
        const dray_resource_exact_device_request *e = spec->requests.v[r].exactly;
        int64_t from = e == NULL ? 0 : e->count > 0 ? e->count - 1 : CLAIM_RESULTS_MAX;
        for (int64_t count = from; count > 0; count--) {
            dray_resource_claim_template *own = dray_state_edit(
                t->q, dray_offer_new(t, ret, 1), &dray_type_resource_claim_template, ns, name);
            own->spec->spec->devices->requests.v[r].exactly->count = count;
            own->spec->spec->devices->requests.v[r].exactly->allocation_mode =
                DRAY_STR("ExactCount");
        }
    }
}

static int larger_first(const void *a, const void *b, void *context) {
    return dray_quantity_cmp(*(const dray_quantity *)b, *(const dray_quantity *)a);
}

void dray_fix_make_LOWER_CAPACITY(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->want == NULL || f->want->claim == NULL || f->want->capacity == NULL)
        return;
    size_t at = 0;
    while (at < f->want->capacity->requests.n &&
           !dray_str_eq(f->want->capacity->requests.k[at], f->subject))
        at++;
    if (at == f->want->capacity->requests.n)
        return;
    dray_quantity wanted = f->want->capacity->requests.v[at], values[VALUES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < t->answer.n_nodes && i < NODES_MAX; i++) {
        dray_survey survey;
        dray_survey_node(t, t->answer.nodes[i].name, f->want, &survey);
        for (size_t d = 0; d < survey.n && n < VALUES_MAX; d++) {
            dray_quantity left;
            bool known = !survey.v[d].matches ||
                         !dray_capacity_left(t, &survey.v[d], f->subject, &left) ||
                         dray_quantity_cmp(left, wanted) >= 0;
            for (size_t k = 0; k < n && !known; k++)
                known = dray_quantity_cmp(values[k], left) == 0;
            if (!known)
                values[n++] = left;
        }
    }
    dray_sort(values, n, sizeof *values, larger_first, NULL);
    for (size_t i = 0; i < n; i++) {
        edits e = open_want(t, f->want, 1, ret);
        for (size_t k = 0; k < e.n; k++)
            if (*e.v[k].capacity != NULL && at < (*e.v[k].capacity)->requests.n)
                (*e.v[k].capacity)->requests.v[at] = values[i];
        dray_offer_say(t, ret, DRAY_FMT ": " DRAY_FMT, DRAY_ARG(f->subject),
                       DRAY_ARG(dray_quantity_format(values[i], t->q->arena)));
    }
}

void dray_fix_make_TOLERATE_DEVICE_TAINT(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->want == NULL || f->want->claim == NULL)
        return;
    edits e = open_want(t, f->want, 1, ret);
    for (size_t k = 0; k < e.n; k++) {
        size_t n = *e.v[k].n_tolerations;
        dray_resource_device_toleration *v =
            DRAY_NEW_N(t->q->arena, dray_resource_device_toleration, n + 1);
        if (n != 0)
            memcpy(v, *e.v[k].tolerations, n * sizeof *v);
        v[n] = (dray_resource_device_toleration){.key = f->subject, .operator= DRAY_STR("Exists")};
        *e.v[k].tolerations = v;
        *e.v[k].n_tolerations = n + 1;
    }
}

/* --- constraints --- */

static void remove_constraint(dray_resource_device_claim *devices, size_t index) {
    if (index >= devices->constraints.n)
        return;
    memmove(&devices->constraints.v[index], &devices->constraints.v[index + 1],
            (devices->constraints.n - index - 1) * sizeof *devices->constraints.v);
    devices->constraints.n--;
}

void dray_fix_make_DROP_CONSTRAINT(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->want == NULL || f->want->claim == NULL)
        return;
    const dray_resource_device_claim *devices = f->want->claim->spec->devices;
    for (int all = 0; all < (devices->constraints.n > 1 ? 2 : 1); all++) {
        dray_resource_device_claim *own[2];
        size_t n =
            dray_offer_claim(t, dray_offer_new(t, ret, 1 + (uint32_t)all), f->want->claim, own);
        for (size_t i = 0; i < n; i++) {
            if (all)
                own[i]->constraints.n = 0;
            else
                remove_constraint(own[i], f->index);
        }
    }
}

void dray_fix_make_CORRECT_CONSTRAINT(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->want == NULL || f->want->claim == NULL)
        return;
    dray_survey survey;
    dray_survey_node(t, f->node, f->want, &survey);
    dray_str driver, id;
    dray_celk8s_split_name(f->subject, DRAY_STR(""), &driver, &id);
    candidate names[NAMES_MAX];
    size_t n = 0;
    for (size_t d = 0; d < survey.n; d++)
        for (size_t i = 0; survey.v[d].matches && i < survey.v[d].device->attributes.n; i++) {
            dray_str domain, own;
            dray_celk8s_split_name(survey.v[d].device->attributes.k[i], survey.v[d].pool->driver,
                                   &domain, &own);
            size_t closeness = dray_words_closeness(id, own);
            dray_str name = dray_words_key(domain, own, t->q->arena);
            bool known = closeness >= DRAY_WORDS_SHARED || n == NAMES_MAX;
            for (size_t k = 0; k < n && !known; k++)
                known = dray_str_eq(names[k].name, name);
            if (!known)
                names[n++] = (candidate){name, closeness};
        }
    dray_sort(names, n, sizeof *names, by_closeness, NULL);
    for (size_t i = 0; i < n; i++) {
        dray_resource_device_claim *own[2];
        size_t m = dray_offer_claim(t, dray_offer_new(t, ret, 1), f->want->claim, own);
        for (size_t k = 0; k < m; k++) {
            dray_resource_device_constraint *c = &own[k]->constraints.v[f->index];
            if (c->match_attribute.n != 0)
                c->match_attribute = names[i].name;
            else
                c->distinct_attribute = names[i].name;
        }
        dray_offer_say(t, ret, DRAY_FMT, DRAY_ARG(names[i].name));
    }
}
