/* Selectors that fail or are true on no device, drivers without devices, devices without a node. */
#include "cluster/node_selector.h"
#include "explain/explain_int.h"

static int64_t newest(const dray_trial *t, const dray_resource_slice *slice) {
    dray_pool *pool =
        dray_cluster_pool_find(t->cluster, slice->spec->driver, slice->spec->pool->name);
    int64_t generation = slice->spec->pool->generation;
    for (size_t i = 0; pool != NULL && i < pool->n_slices; i++) {
        int64_t g = pool->slices[i]->body->spec->pool->generation;
        generation = g > generation ? g : generation;
    }
    return generation;
}

typedef struct dray_published {
    const dray_picture *picture;
    uint64_t changes; /* of it */
    dray_device_refs all;
} dray_published;

/* The devices that are published. */
static dray_device_refs published(dray_trial *t) {
    dray_inquiry *q = t->q;
    uint64_t changes = dray_cluster_changes(t->cluster);
    if (q->published == NULL)
        q->published = DRAY_NEW(q->arena, dray_published);
    dray_published *p = q->published;
    if (p->picture == t->picture && p->changes == changes)
        return p->all;
    *p = (dray_published){.picture = t->picture, .changes = changes};
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        if (slice->spec->pool->generation < newest(t, slice))
            continue;
        for (size_t k = 0; k < slice->spec->devices.n; k++) {
            dray_device_ref ref = {slice->spec->driver, &slice->spec->devices.v[k]};
            DRAY_PUSH(q->arena, &p->all, ref);
        }
    }
    return p->all;
}

static bool publishes(dray_trial *t, dray_str driver) {
    dray_device_refs all = published(t);
    for (size_t i = 0; i < all.n; i++)
        if (dray_str_eq(all.v[i].driver, driver))
            return true;
    return false;
}

/* Narrows `devices` to those on which the selector is true; returns how many fail. */
static size_t narrow(dray_trial *t, dray_str expression, dray_device_refs *devices) {
    dray_device_refs left = {0};
    size_t failed = 0;
    for (size_t i = 0; i < devices->n; i++) {
        dray_celk8s_answer answer =
            dray_selector_published(t->q, expression, devices->v[i].driver, devices->v[i].device);
        failed += answer == DRAY_CELK8S_ERROR;
        if (answer == DRAY_CELK8S_TRUE)
            DRAY_PUSH(t->q->arena, &left, devices->v[i]);
    }
    *devices = left;
    return failed;
}

typedef struct look {
    dray_trial *t;
    const dray_want *want;
    dray_device_refs devices; /* that all selectors so far are true on */
    dray_finding *ret;
    bool fatal; /* an error of it ended the attempt */
} look;

static void tell(look *l, const dray_device_refs *asked, dray_str expression, size_t index,
                 bool in_class, bool fatal) {
    dray_flaw *flaw = DRAY_NEW(l->t->q->arena, dray_flaw);
    dray_flaw_find(l->t->q, expression, asked, fatal, flaw);
    dray_finding *f = l->ret;
    f->cause = flaw->cause;
    f->count = flaw->count;
    f->of = flaw->of;
    f->subject = flaw->subject;
    f->selector = index;
    f->in_class = in_class;
    f->flaw = flaw;
    if (f->subject.p == NULL)
        f->subject =
            dray_strf(l->t->q->arena, "%s/" DRAY_FMT "#%zu", in_class ? "class" : "request",
                      DRAY_ARG(in_class ? l->want->class_name : l->want->name), index);
}

/* True: the selector is to blame. */
static bool examine(look *l, const dray_resource_device_selector *selector, size_t index,
                    bool in_class) {
    if (selector->cel == NULL)
        return false;
    dray_str expression = selector->cel->expression;
    dray_device_refs asked = l->devices;
    dray_str driver = dray_selector_driver(l->t->q, expression);
    if (driver.n != 0 && !publishes(l->t, driver)) {
        l->ret->cause = DRAY_CAUSE_NO_SLICES_FOR_DRIVER;
        l->ret->subject = driver;
        l->ret->selector = index;
        l->ret->in_class = in_class;
        return true;
    }
    size_t failed = narrow(l->t, expression, &l->devices);
    bool fatal = failed != 0 && l->t->answer.error.p != NULL;
    l->fatal = fatal;
    if (!fatal && (l->devices.n != 0 || asked.n == 0))
        return false;
    if (driver.n != 0) {
        dray_device_refs own = {0};
        for (size_t i = 0; i < asked.n; i++)
            if (dray_str_eq(asked.v[i].driver, driver))
                DRAY_PUSH(l->t->q->arena, &own, asked.v[i]);
        asked = own;
    }
    tell(l, &asked, expression, index, in_class, fatal);
    return true;
}

/* 2: an error of it ends the attempt; 1: it is true on no device; 0: fine. */
static int examine_want(dray_trial *t, const dray_want *want, dray_finding *ret) {
    *ret = (dray_finding){.claim = want->claim_name, .request = want->name, .want = want};
    look l = {.t = t, .want = want, .devices = published(t), .ret = ret};
    const dray_resource_device_class_spec *class = want->class->spec;
    bool blamed = false;
    for (size_t i = 0; i < class->selectors.n && !blamed; i++)
        blamed = examine(&l, &class->selectors.v[i], i, true);
    for (size_t i = 0; i < want->n_selectors && !blamed; i++)
        blamed = examine(&l, &want->selectors[i], i, false);
    if (!blamed)
        return 0;
    return l.fatal ? 2 : 1;
}

static bool same_request(const dray_want *a, const dray_want *b) {
    return a->claim == b->claim && a->request == b->request && a->sub != SIZE_MAX &&
           b->sub != SIZE_MAX;
}

static size_t end_of_request(const dray_trial *t, size_t from) {
    size_t to = from + 1;
    while (to < t->wants.n && same_request(&t->wants.v[to], &t->wants.v[from]))
        to++;
    return to;
}

/* Of alternatives that are all out of the question the one is named that was most surely meant
 * otherwise: the smaller, the surer. */
static int doubt(dray_trial *t, const dray_finding *f) {
    dray_device_refs all = published(t);
    for (size_t i = 0; f->flaw == NULL && i < all.n; i++)
        if ((i == 0 || !dray_str_eq(all.v[i].driver, all.v[i - 1].driver)) &&
            dray_words_slip(f->subject, all.v[i].driver))
            return 1;
    if (f->flaw == NULL)
        return 5; /* a driver that publishes nothing */
    if (f->cause == DRAY_CAUSE_SELECTOR_FALSE)
        return f->in_class ? 4 : 3;
    return f->flaw->corrected.p != NULL ? 1 : 2;
}

/* Whether the one alternative would do, if only its selector were right. */
static bool would_do(dray_trial *t, const dray_finding *f) {
    if (doubt(t, f) != 1)
        return false;
    dray_offers offers = {0};
    dray_fix_make_CORRECT_SELECTOR(t, f, &offers);
    return offers.list.n != 0 && dray_offer_fits(t, offers.list.v[0]);
}

/* The alternatives of one request, or a request without: wants[from … to). 2: an error ends the
 * attempt; 1: none can be served; 0: fine. */
static int examine_request(dray_trial *t, size_t from, size_t to, dray_finding *ret) {
    size_t n_blamed = 0;
    dray_finding found;
    for (size_t i = from; i < to; i++) {
        int blamed = t->wants.v[i].class != NULL ? examine_want(t, &t->wants.v[i], &found) : 0;
        if (blamed == 2) {
            *ret = found;
            return 2;
        }
        if (blamed != 0 && (n_blamed++ == 0 || doubt(t, &found) < doubt(t, ret)))
            *ret = found;
    }
    return n_blamed == to - from || (n_blamed != 0 && would_do(t, ret));
}

bool dray_find_selector(dray_trial *t, dray_finding *ret) {
    dray_finding found;
    bool any = false;
    for (size_t from = 0, to; from < t->wants.n; from = to) {
        to = end_of_request(t, from);
        int blamed = examine_request(t, from, to, &found);
        if (blamed == 2 || (blamed == 1 && !any))
            *ret = found;
        if (blamed == 2)
            return true;
        any |= blamed == 1;
    }
    return any;
}

/* --- devices that reach no node --- */

static bool any_node(const dray_trial *t, dray_str name, const dray_core_node_selector *selector,
                     bool all) {
    dray_cluster_list nodes = dray_cluster_all(t->cluster, &dray_type_core_node);
    for (size_t i = 0; i < nodes.n; i++) {
        const dray_core_node *node = nodes.v[i];
        if (all || (name.n != 0 && dray_str_eq(node->metadata->name, name)) ||
            (selector != NULL && dray_node_selector_match(selector, node)))
            return true;
    }
    return false;
}

static bool device_reaches(const dray_trial *t, const dray_resource_slice *slice, size_t i) {
    const dray_resource_slice_spec *s = slice->spec;
    if (!s->per_device_node_selection.set || !s->per_device_node_selection.v)
        return any_node(t, s->node_name, s->node_selector, s->all_nodes.set && s->all_nodes.v);
    const dray_resource_device *d = &s->devices.v[i];
    return any_node(t, d->node_name, d->node_selector, d->all_nodes.set && d->all_nodes.v);
}

static bool matches(dray_trial *t, const dray_want *want, const dray_resource_slice *slice,
                    size_t i) {
    const dray_resource_device_class_spec *class = want->class->spec;
    dray_str driver = slice->spec->driver;
    const dray_resource_device *device = &slice->spec->devices.v[i];
    for (size_t k = 0; k < class->selectors.n; k++)
        if (class->selectors.v[k].cel != NULL &&
            dray_selector_published(t->q, class->selectors.v[k].cel->expression, driver, device) !=
                DRAY_CELK8S_TRUE)
            return false;
    for (size_t k = 0; k < want->n_selectors; k++)
        if (want->selectors[k].cel != NULL &&
            dray_selector_published(t->q, want->selectors[k].cel->expression, driver, device) !=
                DRAY_CELK8S_TRUE)
            return false;
    return true;
}

/* The slice of the first matching device; NULL when none matches or one reaches a node. */
static const dray_resource_slice *stranded(dray_trial *t, const dray_want *want,
                                           uint32_t *ret_count, bool *ret_reaches) {
    const dray_resource_slice *found = NULL;
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    *ret_count = 0;
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        for (size_t k = 0; k < slice->spec->devices.n; k++) {
            if (!matches(t, want, slice, k))
                continue;
            *ret_reaches = device_reaches(t, slice, k);
            if (*ret_reaches)
                return NULL;
            found = found == NULL ? slice : found;
            ++*ret_count;
        }
    }
    return found;
}

/* wants[from … to): the devices of the first alternative that has any, none of which reach a node;
 * false where one does. */
static bool all_stranded(dray_trial *t, size_t from, size_t to, dray_finding *ret) {
    bool any = false, reaches = false;
    for (size_t i = from; i < to && !reaches; i++) {
        const dray_want *want = &t->wants.v[i];
        uint32_t n = 0;
        const dray_resource_slice *slice =
            want->class != NULL ? stranded(t, want, &n, &reaches) : NULL;
        if (slice == NULL || any)
            continue;
        any = true;
        *ret = (dray_finding){.cause = DRAY_CAUSE_DEVICES_REACH_NO_NODE,
                              .claim = want->claim_name,
                              .request = want->name,
                              .subject = slice->metadata->name,
                              .count = n,
                              .of = n,
                              .want = want,
                              .slice = slice};
    }
    return any && !reaches;
}

bool dray_find_unreachable(dray_trial *t, dray_finding *ret) {
    for (size_t from = 0, to; from < t->wants.n; from = to) {
        to = end_of_request(t, from);
        if (all_stranded(t, from, to, ret))
            return true;
    }
    return false;
}
