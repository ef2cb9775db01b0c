/* What keeps a Pod off a node by the node's labels, taints, resources, ports and neighbours. */
#include "explain/explain_int.h"

#include "api/rules/pod_request.h"
#include "cluster/node_selector.h"
#include "plan/select.h"

typedef struct look {
    dray_trial *t;
    const dray_plan_node_answer *answer;
    const dray_core_node *node;
    dray_finding *ret;
} look;
typedef void find(look *l);

static void find_unschedulable(look *l) {
    l->ret->cause = DRAY_CAUSE_NODE_UNSCHEDULABLE;
    l->ret->subject = l->answer->name;
}

static void find_taint(look *l) {
    bool numeric = dray_gates_on(&l->t->state->gates, DRAY_GATE_TaintTolerationComparisonOperators);
    const dray_core_taint *taint = dray_plan_untolerated(l->t->pod->spec, l->node, numeric);
    l->ret->cause = DRAY_CAUSE_NODE_TAINT;
    l->ret->subject = taint != NULL ? taint->key : l->answer->name;
    if (taint != NULL && dray_str_is(taint->key, "node.kubernetes.io/unschedulable"))
        find_unschedulable(l);
}

static void find_affinity(look *l) {
    const dray_core_pod_spec *spec = l->t->pod->spec;
    dray_string_map labels = l->node->metadata->labels;
    for (size_t i = 0; i < spec->node_selector.n; i++) {
        dray_str value = dray_string_map_find(labels, spec->node_selector.k[i]);
        if (value.p != NULL && dray_str_eq(value, spec->node_selector.v[i]))
            continue;
        l->ret->cause = DRAY_CAUSE_NODE_SELECTOR;
        l->ret->subject = spec->node_selector.k[i];
        l->ret->index = i;
        return;
    }
    l->ret->cause = DRAY_CAUSE_NODE_AFFINITY;
    const dray_core_node_affinity *affinity =
        spec->affinity != NULL ? spec->affinity->node_affinity : NULL;
    const dray_core_node_selector *terms =
        affinity != NULL ? affinity->required_during_scheduling_ignored_during_execution : NULL;
    for (size_t i = 0; terms != NULL && i < terms->node_selector_terms.n; i++) {
        const dray_core_node_selector_term *term = &terms->node_selector_terms.v[i];
        l->ret->index = i;
        for (size_t k = 0; k < term->match_expressions.n; k++)
            if (!dray_node_requirement_match(&term->match_expressions.v[k], labels)) {
                l->ret->subject = term->match_expressions.v[k].key;
                return;
            }
        if (term->match_fields.n != 0 && l->ret->subject.p == NULL)
            l->ret->subject = term->match_fields.v[0].key;
    }
}

static dray_str port_text(const dray_core_container_port *port, dray_arena *arena) {
    return dray_strf(arena, "%d/" DRAY_FMT, (int)port->host_port,
                     DRAY_ARG(port->protocol.n != 0 ? port->protocol : DRAY_STR("TCP")));
}

static bool same_port(const dray_core_container_port *a, const dray_core_container_port *b) {
    dray_str x = a->protocol.n != 0 ? a->protocol : DRAY_STR("TCP");
    dray_str y = b->protocol.n != 0 ? b->protocol : DRAY_STR("TCP");
    return a->host_port != 0 && a->host_port == b->host_port && dray_str_eq(x, y);
}

static bool uses_port(const dray_core_pod *pod, const dray_core_container_port *port) {
    for (size_t c = 0; c < pod->spec->containers.n; c++)
        for (size_t i = 0; i < pod->spec->containers.v[c].ports.n; i++)
            if (same_port(&pod->spec->containers.v[c].ports.v[i], port))
                return true;
    return false;
}

static void find_ports(look *l) {
    const dray_core_pod_spec *spec = l->t->pod->spec;
    dray_cluster_node *node = dray_cluster_node_find(l->t->cluster, l->answer->name);
    l->ret->cause = DRAY_CAUSE_NODE_PORTS;
    for (size_t c = 0; c < spec->containers.n; c++)
        for (size_t i = 0; i < spec->containers.v[c].ports.n; i++)
            for (uint32_t p = 0; p < node->n_pods; p++)
                if (uses_port(node->pods[p], &spec->containers.v[c].ports.v[i])) {
                    l->ret->subject = port_text(&spec->containers.v[c].ports.v[i], l->t->q->arena);
                    return;
                }
}

static bool is_nominated(const dray_trial *t, const dray_core_pod *pod, dray_str node) {
    int32_t own = t->pod->spec->priority.set ? t->pod->spec->priority.v : 0;
    int32_t theirs = pod->spec->priority.set ? pod->spec->priority.v : 0;
    return pod != t->pod && pod->spec->node_name.n == 0 && theirs >= own &&
           dray_str_eq(pod->status->nominated_node_name, node);
}

dray_pods dray_pods_counted(dray_trial *t, const dray_cluster_node *node) {
    dray_pods all = {0};
    for (uint32_t p = 0; p < node->n_pods; p++)
        if (!dray_str_is(node->pods[p]->status->phase, "Succeeded") &&
            !dray_str_is(node->pods[p]->status->phase, "Failed"))
            DRAY_PUSH(t->q->arena, &all.list, node->pods[p]);
    dray_cluster_list pods = dray_cluster_all(t->cluster, &dray_type_core_pod);
    for (size_t i = 0; i < pods.n; i++)
        if (is_nominated(t, pods.v[i], node->name))
            DRAY_PUSH(t->q->arena, &all.list, (const dray_core_pod *)pods.v[i]);
    return all;
}

/* What is missing of the resource, as a part of what the node has; at most 1. */
static double shortage(look *l, dray_str name) {
    dray_arena *arena = l->t->q->arena;
    dray_pod_request_options options = dray_pod_request_options_of(&l->t->state->gates);
    const dray_quantity *q =
        dray_resource_list_find(dray_pod_requests(l->t->pod, &options, arena), name);
    double wanted = q != NULL ? dray_quantity_as_double(*q) : 0, has = 0, used = 0;
    for (size_t i = 0; i < l->node->status->allocatable.n; i++)
        if (dray_str_eq(l->node->status->allocatable.k[i], name))
            has = dray_quantity_as_double(l->node->status->allocatable.v[i]);
    dray_cluster_node *node = dray_cluster_node_find(l->t->cluster, l->answer->name);
    dray_pods pods = dray_pods_counted(l->t, node);
    for (size_t p = 0; p < pods.list.n; p++) {
        q = dray_resource_list_find(dray_pod_requests(pods.list.v[p], &options, arena), name);
        used += q != NULL ? dray_quantity_as_double(*q) : 0;
    }
    if (has <= 0)
        return 1;
    double part = (wanted - (has - used)) / has;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void find_resources(look *l) {
    dray_str prefix = DRAY_STR("Insufficient ");
    l->ret->cause = DRAY_CAUSE_NODE_RESOURCES;
    l->ret->subject = DRAY_STR("pods");
    l->ret->weight = 1.25;
    for (size_t i = 0; i < l->answer->n_reasons; i++) {
        dray_str reason = l->answer->reasons[i];
        if (!dray_str_starts(reason, prefix))
            continue;
        l->ret->subject = dray_str_dup(l->t->q->arena, dray_str_slice(reason, prefix.n, reason.n));
        l->ret->weight = 1 + shortage(l, l->ret->subject) / 2;
        return;
    }
}

static void find_spread(look *l) {
    const dray_core_pod_spec *spec = l->t->pod->spec;
    l->ret->cause = DRAY_CAUSE_TOPOLOGY_SPREAD;
    for (size_t i = spec->topology_spread_constraints.n; i-- > 0;) {
        const dray_core_topology_spread_constraint *c = &spec->topology_spread_constraints.v[i];
        if (!dray_str_is(c->when_unsatisfiable, "DoNotSchedule"))
            continue;
        bool missing = !dray_plan_has_label(l->node->metadata->labels, c->topology_key);
        if (l->ret->subject.p != NULL && !missing && l->ret->existing)
            continue;
        l->ret->subject = c->topology_key;
        l->ret->index = i;
        l->ret->existing = missing;
    }
    l->ret->existing = false;
}

static bool same_domain(const look *l, dray_str node, dray_str key) {
    const dray_cluster_node *other = dray_cluster_node_find(l->t->cluster, node);
    if (other == NULL || other->body == NULL)
        return false;
    dray_str value = dray_string_map_find(other->body->metadata->labels, key);
    return value.p != NULL &&
           dray_str_eq(value, dray_string_map_find(l->node->metadata->labels, key));
}

/* The topology key of a running Pod's anti-affinity that means this Pod. */
static dray_str key_of_existing(look *l) {
    dray_cluster_list pods = dray_cluster_all(l->t->cluster, &dray_type_core_pod);
    for (size_t i = 0; i < pods.n; i++) {
        const dray_core_pod *pod = pods.v[i];
        const dray_core_affinity *a = pod->spec->affinity;
        if (pod->spec->node_name.n == 0 || a == NULL || a->pod_anti_affinity == NULL)
            continue;
        const dray_core_pod_anti_affinity *anti = a->pod_anti_affinity;
        for (size_t k = 0; k < anti->required_during_scheduling_ignored_during_execution.n; k++) {
            const dray_core_pod_affinity_term *term =
                &anti->required_during_scheduling_ignored_during_execution.v[k];
            dray_plan_selector s = dray_plan_selector_of(term->label_selector, l->t->q->arena);
            if (dray_plan_selector_match(&s, l->t->pod->metadata->labels) &&
                same_domain(l, pod->spec->node_name, term->topology_key))
                return term->topology_key;
        }
    }
    return DRAY_STR_NONE;
}

static bool is_meant(const look *l, const dray_core_pod_affinity_term *term,
                     const dray_core_pod *pod) {
    bool in = term->namespaces.n == 0 && term->namespace_selector == NULL &&
              dray_str_eq(pod->metadata->namespace, l->t->pod->metadata->namespace);
    for (size_t i = 0; i < term->namespaces.n && !in; i++)
        in = dray_str_eq(pod->metadata->namespace, term->namespaces.v[i]);
    dray_plan_selector s = dray_plan_selector_of(term->label_selector, l->t->q->arena);
    /* Whom a selector of namespaces means doesn't matter for which term it is. */
    return (in || term->namespace_selector != NULL) &&
           dray_plan_selector_match(&s, pod->metadata->labels);
}

/* Whether a Pod that the term means runs in the node's domain. */
static bool has_neighbour(const look *l, const dray_core_pod_affinity_term *term) {
    dray_str here = dray_string_map_find(l->node->metadata->labels, term->topology_key);
    size_t n;
    dray_cluster_node *const *nodes = dray_cluster_nodes(l->t->cluster, &n);
    for (size_t i = 0; i < n && here.p != NULL; i++) {
        dray_str there = DRAY_STR_NONE;
        if (nodes[i]->body != NULL)
            there = dray_string_map_find(nodes[i]->body->metadata->labels, term->topology_key);
        for (uint32_t p = 0; there.p != NULL && dray_str_eq(there, here) && p < nodes[i]->n_pods;
             p++)
            if (is_meant(l, term, nodes[i]->pods[p]))
                return true;
    }
    return false;
}

/* The term that isn't met; the first where all seem to be. */
static void find_term(look *l, const dray_core_pod_affinity_term *v, size_t n, bool anti) {
    for (size_t i = 0; i < n; i++)
        if (has_neighbour(l, &v[i]) == anti) {
            l->ret->subject = v[i].topology_key;
            l->ret->index = i;
            return;
        }
    if (n != 0)
        l->ret->subject = v[0].topology_key;
}

static void find_neighbours(look *l) {
    const dray_core_affinity *a = l->t->pod->spec->affinity;
    dray_str reason = l->answer->n_reasons != 0 ? l->answer->reasons[0] : DRAY_STR_NONE;
    l->ret->cause = DRAY_CAUSE_POD_ANTI_AFFINITY;
    if (dray_str_find(reason, DRAY_STR("existing pods")) != SIZE_MAX) {
        l->ret->existing = true;
        l->ret->subject = key_of_existing(l);
        return;
    }
    bool anti = dray_str_find(reason, DRAY_STR("anti-affinity")) != SIZE_MAX;
    if (!anti)
        l->ret->cause = DRAY_CAUSE_POD_AFFINITY;
    if (anti && a != NULL && a->pod_anti_affinity != NULL)
        find_term(l, a->pod_anti_affinity->required_during_scheduling_ignored_during_execution.v,
                  a->pod_anti_affinity->required_during_scheduling_ignored_during_execution.n,
                  true);
    if (!anti && a != NULL && a->pod_affinity != NULL)
        find_term(l, a->pod_affinity->required_during_scheduling_ignored_during_execution.v,
                  a->pod_affinity->required_during_scheduling_ignored_during_execution.n, false);
}

static const struct {
    const char *plugin;
    find *find;
} rows[] = {
    {"NodeUnschedulable", find_unschedulable}, {"TaintToleration", find_taint},
    {"NodeAffinity", find_affinity},           {"NodePorts", find_ports},
    {"NodeResourcesFit", find_resources},      {"PodTopologySpread", find_spread},
    {"InterPodAffinity", find_neighbours},
};

static uint32_t count_alike(const dray_trial *t, const dray_plan_node_answer *answer) {
    uint32_t n = 0;
    for (size_t i = 0; i < t->answer.n_nodes; i++)
        n += t->answer.nodes[i].plugin != NULL &&
             strcmp(t->answer.nodes[i].plugin, answer->plugin) == 0;
    return n;
}

bool dray_find_on_node(dray_trial *t, size_t node, dray_finding *ret) {
    const dray_plan_node_answer *answer = &t->answer.nodes[node];
    if (answer->feasible || answer->plugin == NULL)
        return false;
    if (strcmp(answer->plugin, "DynamicResources") == 0)
        return dray_find_devices(t, node, ret);
    *ret = (dray_finding){.cause = DRAY_CAUSE_OTHER,
                          .node = answer->name,
                          .count = count_alike(t, answer),
                          .of = (uint32_t)t->answer.n_nodes};
    ret->subject = answer->n_reasons != 0 ? answer->reasons[0] : dray_str_of(answer->plugin);
    look l = {t, answer,
              dray_cluster_find(t->cluster, &dray_type_core_node, DRAY_STR(""), answer->name), ret};
    for (size_t i = 0; l.node != NULL && i < DRAY_COUNT(rows); i++)
        if (strcmp(rows[i].plugin, answer->plugin) == 0) {
            dray_str text = ret->subject;
            ret->subject = DRAY_STR_NONE;
            rows[i].find(&l);
            if (ret->subject.p == NULL)
                ret->subject = text;
            break;
        }
    return true;
}
