/* Fixes that change the Pod itself, or end others. */
#include "explain/explain_int.h"

#include "api/rules/pod_request.h"
#include "plan/resources.h"
#include "plan/select.h"

enum { OTHERS_MAX = 8, PORTS_TRIED = 1000 };

void dray_fix_make_CHANGE_SCHEDULER(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec->scheduler_name =
        DRAY_STR(DRAY_PLAN_SCHEDULER);
}

void dray_fix_make_UNSET_NODE_NAME(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec->node_name = DRAY_STR_NONE;
}

void dray_fix_make_REMOVE_SCHEDULING_GATE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec->scheduling_gates.n = 0;
}

void dray_fix_make_RELAX_NODE_SELECTOR(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    for (size_t i = 0; i < t->pod->spec->node_selector.n; i++) {
        if (f->cause == DRAY_CAUSE_NODE_SELECTOR &&
            !dray_str_eq(t->pod->spec->node_selector.k[i], f->subject))
            continue;
        dray_string_map *map = &dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec->node_selector;
        memmove(&map->k[i], &map->k[i + 1], (map->n - i - 1) * sizeof *map->k);
        memmove(&map->v[i], &map->v[i + 1], (map->n - i - 1) * sizeof *map->v);
        map->n--;
    }
    if (t->pod->spec->node_selector.n > 1)
        dray_offer_pod(t, dray_offer_new(t, ret, 2))->spec->node_selector.n = 0;
}

void dray_fix_make_RELAX_NODE_AFFINITY(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_core_affinity *a = t->pod->spec->affinity;
    if (a == NULL || a->node_affinity == NULL ||
        a->node_affinity->required_during_scheduling_ignored_during_execution == NULL)
        return;
    const dray_core_node_selector *terms =
        a->node_affinity->required_during_scheduling_ignored_during_execution;
    for (size_t i = 0; i < terms->node_selector_terms.n; i++)
        for (size_t k = 0; k < terms->node_selector_terms.v[i].match_expressions.n; k++) {
            if (terms->node_selector_terms.v[i].match_expressions.n < 2 ||
                !dray_str_eq(terms->node_selector_terms.v[i].match_expressions.v[k].key,
                             f->subject))
                continue;
            dray_core_pod *pod = dray_offer_pod(t, dray_offer_new(t, ret, 1));
            dray_core_node_selector_term *term =
                &pod->spec->affinity->node_affinity
                     ->required_during_scheduling_ignored_during_execution->node_selector_terms
                     .v[i];
            memmove(&term->match_expressions.v[k], &term->match_expressions.v[k + 1],
                    (term->match_expressions.n - k - 1) * sizeof *term->match_expressions.v);
            term->match_expressions.n--;
        }
    dray_core_pod *pod = dray_offer_pod(t, dray_offer_new(t, ret, 1));
    pod->spec->affinity->node_affinity->required_during_scheduling_ignored_during_execution = NULL;
}

/* --- resources --- */

static dray_quantity *find_quantity(dray_core_resource_requirements *r, dray_str name,
                                    bool limits) {
    size_t n = r == NULL ? 0 : limits ? r->limits.n : r->requests.n;
    for (size_t i = 0; i < n; i++)
        if (dray_str_eq(limits ? r->limits.k[i] : r->requests.k[i], name))
            return limits ? &r->limits.v[i] : &r->requests.v[i];
    return NULL;
}

static dray_quantity requested(const dray_trial *t, const dray_core_pod *pod, dray_str name) {
    dray_pod_request_options options = dray_pod_request_options_of(&t->state->gates);
    const dray_quantity *q =
        dray_resource_list_find(dray_pod_requests(pod, &options, t->q->arena), name);
    return q != NULL ? *q : (dray_quantity){0};
}

/* What the Pod asks for beyond what the node has left. */
static bool excess(dray_trial *t, dray_str node, dray_str name, dray_quantity *ret) {
    dray_cluster_node *n = dray_cluster_node_find(t->cluster, node);
    if (n == NULL || n->body == NULL)
        return false;
    dray_quantity sum = requested(t, t->pod, name);
    dray_pods pods = dray_pods_counted(t, n);
    for (size_t p = 0; p < pods.list.n; p++)
        sum = dray_quantity_add(sum, requested(t, pods.list.v[p], name), t->q->arena);
    for (size_t i = 0; i < n->body->status->allocatable.n; i++)
        if (dray_str_eq(n->body->status->allocatable.k[i], name))
            sum = dray_quantity_sub(sum, n->body->status->allocatable.v[i], t->q->arena);
    *ret = sum;
    return dray_quantity_sign(sum) > 0;
}

static dray_core_container *container_at(const dray_core_pod_spec *spec, size_t i) {
    return i < spec->containers.n ? &spec->containers.v[i]
                                  : &spec->init_containers.v[i - spec->containers.n];
}

/* The container, of init containers too, that asks for most; SIZE_MAX: none asks. */
static size_t greediest(const dray_core_pod_spec *spec, dray_str name) {
    size_t best = SIZE_MAX;
    const dray_quantity *most = NULL;
    for (size_t c = 0; c < spec->containers.n + spec->init_containers.n; c++) {
        const dray_quantity *q = find_quantity(container_at(spec, c)->resources, name, false);
        if (q != NULL && (most == NULL || dray_quantity_cmp(*q, *most) > 0)) {
            most = q;
            best = c;
        }
    }
    return best;
}

/* Takes `over` off; a limit that must be the same, or may not be less than the request, follows. */
static void take_off(dray_trial *t, dray_core_resource_requirements *r, dray_str name,
                     dray_quantity over, dray_str whose, dray_offers *ret) {
    dray_quantity *q = find_quantity(r, name, false), *limit = find_quantity(r, name, true);
    *q = dray_quantity_sub(*q, over, t->q->arena);
    q->text = DRAY_STR_NONE;
    /* Devices and the like want request and limit to be the same. */
    if (limit != NULL && dray_str_chr(name, '/') != SIZE_MAX)
        *limit = *q;
    dray_offer_say(t, ret, DRAY_FMT ", " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(whose), DRAY_ARG(name),
                   DRAY_ARG(dray_quantity_format(*q, t->q->arena)));
}

/* Each container may have the same part of what is left: for where no single one asks for so much
 * that taking it off there would do. */
static void share_what_is_left(dray_trial *t, const dray_finding *f, dray_quantity over,
                               dray_offers *ret) {
    const dray_core_pod_spec *spec = t->pod->spec;
    size_t n = 0;
    dray_quantity left = {0};
    for (size_t c = 0; c < spec->containers.n; c++) {
        const dray_quantity *q = find_quantity(spec->containers.v[c].resources, f->subject, false);
        if (q == NULL)
            continue;
        left = dray_quantity_add(left, *q, t->q->arena);
        n++;
    }
    left = dray_quantity_sub(left, over, t->q->arena);
    bool fits = true, whole = dray_str_chr(f->subject, '/') != SIZE_MAX;
    int64_t each = n != 0 ? dray_quantity_milli(left, &fits) / (int64_t)n : 0;
    if (n < 2 || !fits || each <= 0 || (whole && each < 1000))
        return;
    dray_core_pod *pod = dray_offer_pod(t, dray_offer_new(t, ret, 1));
    for (size_t c = 0; c < pod->spec->containers.n; c++) {
        dray_core_container *container = &pod->spec->containers.v[c];
        dray_quantity *q = find_quantity(container->resources, f->subject, false);
        dray_quantity most = whole || each >= 1000
                                 ? dray_quantity_from_int(each / 1000, DRAY_QUANTITY_DECIMAL_SI)
                                 : dray_quantity_from_milli(each, DRAY_QUANTITY_DECIMAL_SI);
        if (q != NULL && dray_quantity_cmp(*q, most) > 0)
            take_off(t, container->resources, f->subject, dray_quantity_sub(*q, most, t->q->arena),
                     dray_strf(t->q->arena, "container " DRAY_FMT, DRAY_ARG(container->name)), ret);
    }
}

void dray_fix_make_LOWER_REQUESTS(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_quantity over;
    const dray_core_pod_spec *spec = t->pod->spec;
    if (!excess(t, f->node, f->subject, &over))
        return;
    const dray_quantity *level = find_quantity(spec->resources, f->subject, false);
    if (level != NULL && dray_quantity_cmp(*level, over) > 0) {
        dray_core_pod *pod = dray_offer_pod(t, dray_offer_new(t, ret, 1));
        take_off(t, pod->spec->resources, f->subject, over, DRAY_STR("the Pod"), ret);
    }
    size_t at = greediest(spec, f->subject);
    if (at == SIZE_MAX)
        return;
    if (dray_quantity_cmp(*find_quantity(container_at(spec, at)->resources, f->subject, false),
                          over) <= 0) {
        share_what_is_left(t, f, over, ret);
        return;
    }
    dray_core_container *own = container_at(dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec, at);
    take_off(t, own->resources, f->subject, over,
             dray_strf(t->q->arena, "container " DRAY_FMT, DRAY_ARG(own->name)), ret);
}

/* A device plugin's resource: the node has as much more of it as is missing. */
void dray_offer_more_of_node(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_quantity over;
    if (!excess(t, f->node, f->subject, &over))
        return;
    dray_core_node *node = dray_state_edit(t->q, dray_offer_new(t, ret, 2), &dray_type_core_node,
                                           DRAY_STR(""), f->node);
    if (node == NULL)
        return;
    size_t n = node->status->allocatable.n, at = 0;
    dray_str *k = DRAY_NEW_N(t->q->arena, dray_str, n + 1);
    dray_quantity *v = DRAY_NEW_N(t->q->arena, dray_quantity, n + 1);
    for (size_t i = 0; i < n; i++) {
        at += dray_str_cmp(node->status->allocatable.k[i], f->subject) < 0;
        k[i] = node->status->allocatable.k[i];
        v[i] = node->status->allocatable.v[i];
    }
    if (at == n || !dray_str_eq(k[at], f->subject)) {
        memmove(&k[at + 1], &k[at], (n - at) * sizeof *k);
        memmove(&v[at + 1], &v[at], (n - at) * sizeof *v);
        k[at] = f->subject;
        v[at] = (dray_quantity){0};
        n++;
    }
    v[at] = dray_quantity_add(v[at], over, t->q->arena);
    v[at].text = DRAY_STR_NONE;
    node->status->allocatable.k = k;
    node->status->allocatable.v = v;
    node->status->allocatable.n = n;
    dray_offer_say(t, ret, "node " DRAY_FMT ", " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(f->node),
                   DRAY_ARG(f->subject), DRAY_ARG(dray_quantity_format(v[at], t->q->arena)));
}

/* --- ports --- */

static bool port_taken(const dray_trial *t, int32_t port) {
    dray_cluster_list pods = dray_cluster_all(t->cluster, &dray_type_core_pod);
    for (size_t i = 0; i < pods.n; i++) {
        const dray_core_pod *pod = pods.v[i];
        for (size_t c = 0; c < pod->spec->containers.n; c++)
            for (size_t k = 0; k < pod->spec->containers.v[c].ports.n; k++)
                if (pod->spec->containers.v[c].ports.v[k].host_port == port)
                    return true;
    }
    return false;
}

static int32_t free_port(const dray_trial *t, int32_t from) {
    for (int32_t port = from + 1; port < from + PORTS_TRIED && port < 65536; port++)
        if (!port_taken(t, port))
            return port;
    return from;
}

void dray_fix_make_CHANGE_PORT(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_core_pod *pod = dray_offer_pod(t, dray_offer_new(t, ret, 1));
    for (size_t c = 0; c < pod->spec->containers.n; c++)
        for (size_t i = 0; i < pod->spec->containers.v[c].ports.n; i++) {
            dray_core_container_port *port = &pod->spec->containers.v[c].ports.v[i];
            dray_str text = dray_strf(t->q->arena, "%d/", (int)port->host_port);
            if (port->host_port == 0 || !dray_str_starts(f->subject, text))
                continue;
            bool same = port->container_port == port->host_port;
            port->host_port = free_port(t, port->host_port);
            if (same || pod->spec->host_network)
                port->container_port = port->host_port;
        }
}

/* --- neighbours --- */

void dray_fix_make_RELAX_POD_AFFINITY(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_core_affinity *a = t->pod->spec->affinity;
    bool anti = f->cause == DRAY_CAUSE_POD_ANTI_AFFINITY;
    if (a == NULL || f->existing || (anti ? a->pod_anti_affinity == NULL : a->pod_affinity == NULL))
        return;
    size_t n = anti ? a->pod_anti_affinity->required_during_scheduling_ignored_during_execution.n
                    : a->pod_affinity->required_during_scheduling_ignored_during_execution.n;
    for (size_t i = 0; i <= n && n != 0; i++) {
        if (i == n && n == 1)
            break;
        dray_core_affinity *own =
            dray_offer_pod(t, dray_offer_new(t, ret, i == n ? 2 : 1))->spec->affinity;
        dray_core_pod_affinity_term *v =
            anti ? own->pod_anti_affinity->required_during_scheduling_ignored_during_execution.v
                 : own->pod_affinity->required_during_scheduling_ignored_during_execution.v;
        size_t left = i == n ? 0 : n - 1;
        if (i < n)
            memmove(&v[i], &v[i + 1], (n - i - 1) * sizeof *v);
        if (anti)
            own->pod_anti_affinity->required_during_scheduling_ignored_during_execution.n = left;
        else
            own->pod_affinity->required_during_scheduling_ignored_during_execution.n = left;
    }
}

void dray_fix_make_RELAX_SPREAD(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_core_pod_spec *spec = dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec;
    size_t n = 0;
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++)
        if (i != f->index)
            spec->topology_spread_constraints.v[n++] = spec->topology_spread_constraints.v[i];
    spec->topology_spread_constraints.n = n;
}

void dray_fix_make_TOLERATE_NODE_TAINT(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_core_pod_spec *spec = dray_offer_pod(t, dray_offer_new(t, ret, 1))->spec;
    dray_core_toleration *v =
        DRAY_NEW_N(t->q->arena, dray_core_toleration, spec->tolerations.n + 1);
    if (spec->tolerations.n != 0)
        memcpy(v, spec->tolerations.v, spec->tolerations.n * sizeof *v);
    v[spec->tolerations.n] =
        (dray_core_toleration){.key = f->subject, .operator= DRAY_STR("Exists")};
    spec->tolerations.v = v;
    spec->tolerations.n++;
}

/* --- ending others --- */

/* Whether the node has the finding's value of the topology key. */
static bool in_domain(const dray_trial *t, const dray_finding *f, dray_str name) {
    const dray_cluster_node *here = dray_cluster_node_find(t->cluster, f->node);
    const dray_cluster_node *there = dray_cluster_node_find(t->cluster, name);
    if (here == NULL || there == NULL || here->body == NULL || there->body == NULL)
        return false;
    dray_str value = dray_string_map_find(here->body->metadata->labels, f->subject);
    return value.p != NULL &&
           dray_str_eq(value, dray_string_map_find(there->body->metadata->labels, f->subject));
}

/* Whether a required term of one's anti-affinity means the other. */
static bool avoids(const dray_trial *t, const dray_core_pod *one, const dray_core_pod *other) {
    const dray_core_affinity *a = one->spec->affinity;
    if (a == NULL || a->pod_anti_affinity == NULL)
        return false;
    const dray_core_pod_anti_affinity *anti = a->pod_anti_affinity;
    for (size_t i = 0; i < anti->required_during_scheduling_ignored_during_execution.n; i++) {
        dray_plan_selector s = dray_plan_selector_of(
            anti->required_during_scheduling_ignored_during_execution.v[i].label_selector,
            t->q->arena);
        if (dray_plan_selector_match(&s, other->metadata->labels))
            return true;
    }
    return false;
}

static bool ends_help(const dray_trial *t, const dray_finding *f, const dray_core_pod *pod) {
    if (f->cause == DRAY_CAUSE_QUOTA) {
        bool templates = false;
        for (size_t i = 0; i < pod->spec->resource_claims.n; i++)
            templates |= pod->spec->resource_claims.v[i].resource_claim_template_name.n != 0;
        return templates && dray_str_eq(pod->metadata->namespace, t->q->input->ns);
    }
    if (f->cause == DRAY_CAUSE_POD_ANTI_AFFINITY)
        return in_domain(t, f, pod->spec->node_name) &&
               (avoids(t, pod, t->pod) || avoids(t, t->pod, pod));
    return dray_str_eq(pod->spec->node_name, f->node) ||
           (pod->spec->node_name.n == 0 && dray_str_eq(pod->status->nominated_node_name, f->node));
}

/* What the Pod takes of the resource that is short: those first that take most. */
typedef struct taker {
    const dray_core_pod *pod;
    double takes;
} taker;

static int by_taken(const void *a, const void *b, void *context) {
    const taker *x = a, *y = b;
    return x->takes > y->takes ? -1 : x->takes < y->takes;
}

static size_t takers(dray_trial *t, const dray_finding *f, taker *ret) {
    size_t n = 0;
    dray_cluster_list pods = dray_cluster_all(t->cluster, &dray_type_core_pod);
    for (size_t i = 0; i < pods.n; i++) {
        if (pods.v[i] == t->pod || !ends_help(t, f, pods.v[i]))
            continue;
        taker one = {pods.v[i], 0};
        if (f->cause == DRAY_CAUSE_NODE_RESOURCES)
            one.takes = dray_quantity_as_double(requested(t, pods.v[i], f->subject));
        if (n < OTHERS_MAX)
            ret[n++] = one;
        else if (one.takes > ret[n - 1].takes)
            ret[n - 1] = one;
        dray_sort(ret, n, sizeof *ret, by_taken, NULL);
    }
    return n;
}

void dray_fix_make_END_POD(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    taker found[OTHERS_MAX];
    size_t n = takers(t, f, found);
    for (size_t i = n; i-- > 0;)
        dray_offer_end_pod(t, dray_offer_new(t, ret, 1), found[i].pod->metadata->namespace,
                           found[i].pod->metadata->name);
    for (size_t many = 2; many <= n; many++) {
        dray_state *state = dray_offer_new(t, ret, (uint32_t)many);
        for (size_t i = 0; i < many; i++)
            dray_offer_end_pod(t, state, found[i].pod->metadata->namespace,
                               found[i].pod->metadata->name);
    }
}

/* --- names of resources --- */

static void rename_key(dray_str *k, dray_quantity *v, size_t n, dray_str from, dray_str to) {
    for (size_t i = 0; i < n; i++)
        if (dray_str_eq(k[i], from))
            k[i] = to;
    for (size_t i = 1; i < n; i++)
        for (size_t m = i; m > 0 && dray_str_cmp(k[m - 1], k[m]) > 0; m--) {
            dray_str key = k[m];
            dray_quantity value = v[m];
            k[m] = k[m - 1];
            v[m] = v[m - 1];
            k[m - 1] = key;
            v[m - 1] = value;
        }
}

static bool asks_for(const dray_core_pod *pod, dray_str name) {
    for (size_t c = 0; c < pod->spec->containers.n; c++)
        if (find_quantity(pod->spec->containers.v[c].resources, name, false) != NULL)
            return true;
    return false;
}

static void offer_resource(dray_trial *t, const dray_finding *f, dray_str name, dray_offers *ret) {
    if (dray_str_chr(name, '/') == SIZE_MAX || dray_str_eq(name, f->subject) ||
        dray_words_closeness(f->subject, name) == SIZE_MAX || asks_for(t->pod, name))
        return;
    dray_core_pod *pod = dray_offer_pod(t, dray_offer_new(t, ret, 1));
    for (size_t c = 0; c < pod->spec->containers.n; c++) {
        dray_core_resource_requirements *r = pod->spec->containers.v[c].resources;
        rename_key(r->requests.k, r->requests.v, r->requests.n, f->subject, name);
        rename_key(r->limits.k, r->limits.v, r->limits.n, f->subject, name);
    }
}

void dray_fix_make_CORRECT_RESOURCE_NAME(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_str prefix = DRAY_STR(DRAY_PLAN_CLASS_PREFIX);
    dray_cluster_list classes = dray_cluster_all(t->cluster, &dray_type_resource_device_class);
    for (size_t i = 0; i < classes.n && ret->list.n < OTHERS_MAX; i++) {
        const dray_resource_device_class *class = classes.v[i];
        offer_resource(t, f, class->spec->extended_resource_name, ret);
        if (dray_str_starts(f->subject, prefix))
            offer_resource(t, f,
                           dray_strf(t->q->arena, DRAY_FMT DRAY_FMT, DRAY_ARG(prefix),
                                     DRAY_ARG(class->metadata->name)),
                           ret);
    }
    dray_cluster_list nodes = dray_cluster_all(t->cluster, &dray_type_core_node);
    for (size_t i = 0; i < nodes.n && ret->list.n < OTHERS_MAX; i++) {
        const dray_core_node *node = nodes.v[i];
        for (size_t k = 0; k < node->status->allocatable.n; k++)
            offer_resource(t, f, node->status->allocatable.k[k], ret);
    }
}
