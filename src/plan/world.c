/* Nodes and Pods with their sums: filling the world and changing it. */
#include "plan/world_int.h"

/* kube-scheduler's floor for a container that names no cpu or memory (util.DefaultMilliCPURequest,
 * DefaultMemoryRequest). */
enum { FLOOR_MILLI_CPU = 100, FLOOR_MEMORY = 200 << 20 };

bool dray_plan_term_match(const dray_plan_term *term, const dray_core_pod *pod,
                          dray_string_map namespace_labels) {
    bool in = false;
    for (size_t i = 0; i < term->namespaces.n && !in; i++)
        in = dray_str_eq(term->namespaces.v[i], pod->metadata->namespace);
    if (!in && !dray_plan_selector_match(&term->namespace_selector, namespace_labels))
        return false;
    return dray_plan_selector_match(&term->selector, pod->metadata->labels);
}

static dray_plan_term term_of(const dray_core_pod *pod, const dray_core_pod_affinity_term *t,
                              int32_t weight, dray_arena *arena) {
    dray_plan_term term = {
        .namespaces = t->namespaces,
        .selector = dray_plan_selector_of(t->label_selector, arena),
        .namespace_selector = dray_plan_selector_of(t->namespace_selector, arena),
        .topology_key = t->topology_key,
        .weight = weight,
    };
    if (t->namespaces.n == 0 && t->namespace_selector == NULL) {
        term.namespaces.v = DRAY_NEW(arena, dray_str);
        term.namespaces.v[0] = pod->metadata->namespace;
        term.namespaces.n = 1;
    }
    return term;
}

#define REQUIRED(pod, from, arena)                                                             \
    terms_required(                                                                            \
        (pod),                                                                                 \
        (from) != NULL ? (from)->required_during_scheduling_ignored_during_execution.v : NULL, \
        (from) != NULL ? (from)->required_during_scheduling_ignored_during_execution.n : 0,    \
        (arena))
#define PREFERRED(pod, from, arena)                                                             \
    terms_preferred(                                                                            \
        (pod),                                                                                  \
        (from) != NULL ? (from)->preferred_during_scheduling_ignored_during_execution.v : NULL, \
        (from) != NULL ? (from)->preferred_during_scheduling_ignored_during_execution.n : 0,    \
        (arena))

static dray_plan_terms terms_required(const dray_core_pod *pod,
                                      const dray_core_pod_affinity_term *v, size_t n,
                                      dray_arena *arena) {
    dray_plan_terms terms = {n != 0 ? DRAY_NEW_N(arena, dray_plan_term, n) : NULL, n};
    for (size_t i = 0; i < n; i++)
        terms.v[i] = term_of(pod, &v[i], 0, arena);
    return terms;
}

static dray_plan_terms terms_preferred(const dray_core_pod *pod,
                                       const dray_core_weighted_pod_affinity_term *v, size_t n,
                                       dray_arena *arena) {
    dray_plan_terms terms = {n != 0 ? DRAY_NEW_N(arena, dray_plan_term, n) : NULL, n};
    for (size_t i = 0; i < n; i++)
        terms.v[i] = term_of(pod, v[i].pod_affinity_term, v[i].weight, arena);
    return terms;
}

dray_plan_terms dray_plan_terms_resolve(const dray_plan_world *world, dray_plan_terms terms,
                                        dray_arena *arena) {
    dray_plan_terms made = {terms.n != 0 ? DRAY_NEW_N(arena, dray_plan_term, terms.n) : NULL,
                            terms.n};
    for (size_t i = 0; i < terms.n; i++) {
        dray_plan_term *t = &made.v[i];
        *t = terms.v[i];
        if (dray_plan_selector_empty(&t->namespace_selector) || t->namespace_selector.nothing)
            continue;
        DRAY_VEC(dray_str) names = {0};
        for (size_t k = 0; k < t->namespaces.n; k++)
            DRAY_PUSH(arena, &names, t->namespaces.v[k]);
        for (uint32_t k = 0; k < world->namespaces.n; k++) {
            const dray_core_namespace *ns = world->namespaces.entries[k].value;
            if (dray_plan_selector_match(&t->namespace_selector, ns->metadata->labels))
                DRAY_PUSH(arena, &names, ns->metadata->name);
        }
        t->namespaces = (dray_strings){names.v, names.n};
        t->namespace_selector = (dray_plan_selector){.nothing = true};
    }
    return made;
}

/* Host ports of containers and restartable init containers. Source: scheduler/util.GetHostPorts. */
static void collect_ports(dray_plan_pod *p, dray_arena *arena) {
    DRAY_VEC(dray_plan_port) ports = {0};
    const dray_core_pod_spec *spec = p->pod->spec;
    for (size_t k = 0; k < spec->containers.n + spec->init_containers.n; k++) {
        bool init = k < spec->init_containers.n;
        const dray_core_container *c =
            init ? &spec->init_containers.v[k] : &spec->containers.v[k - spec->init_containers.n];
        if (init && !dray_str_is(c->restart_policy, "Always"))
            continue;
        for (size_t i = 0; i < c->ports.n; i++) {
            const dray_core_container_port *port = &c->ports.v[i];
            if (port->host_port <= 0)
                continue;
            DRAY_PUSH(arena, &ports,
                      (dray_plan_port){
                          port->host_ip.n != 0 ? port->host_ip : DRAY_STR("0.0.0.0"),
                          port->protocol.n != 0 ? port->protocol : DRAY_STR("TCP"),
                          port->host_port,
                      });
        }
    }
    p->ports = ports.v;
    p->n_ports = ports.n;
}

/* What the Pod takes from the node it runs on. Source: framework.PodInfo.CalculateResource. */
void dray_plan_pod_sum(dray_plan_world *world, dray_plan_pod *p) {
    dray_arena *arena = world->arena;
    dray_pod_request_options options = dray_pod_request_options_of(&world->gates);
    dray_resource_list sum = dray_pod_requests(p->pod, &options, arena);
    p->request = (dray_plan_res){0};
    dray_plan_res_add(&p->request, &world->resources, arena, sum);

    const dray_core_resource_requirements *level = p->pod->spec->resources;
    bool by_level = false;
    for (size_t i = 0; !options.skip_pod_level && level != NULL && i < level->requests.n; i++)
        by_level |= dray_pod_level_resource(level->requests.k[i]);
    dray_str names[] = {DRAY_STR("cpu"), DRAY_STR("memory")};
    dray_quantity floors[] = {
        dray_quantity_from_milli(FLOOR_MILLI_CPU, DRAY_QUANTITY_DECIMAL_SI),
        dray_quantity_from_int(FLOOR_MEMORY, DRAY_QUANTITY_DECIMAL_SI),
    };
    dray_str k[2];
    dray_quantity v[2];
    size_t n = 0;
    for (size_t i = 0; i < 2; i++)
        if (!by_level || dray_resource_list_find(sum, names[i]) == NULL) {
            k[n] = names[i];
            v[n++] = floors[i];
        }
    options.non_missing = (dray_resource_list){k, v, n};
    if (n != 0)
        sum = dray_pod_requests(p->pod, &options, arena);
    bool fits;
    const dray_quantity *cpu = dray_resource_list_find(sum, names[0]);
    const dray_quantity *memory = dray_resource_list_find(sum, names[1]);
    p->floor_cpu = cpu != NULL ? dray_quantity_milli(*cpu, &fits) : 0;
    p->floor_memory = memory != NULL ? dray_quantity_value(*memory, &fits) : 0;
}

static dray_plan_pod *add_pod(dray_plan_world *world, const dray_core_pod *pod) {
    dray_arena *arena = world->arena;
    dray_plan_pod *p = DRAY_NEW(arena, dray_plan_pod);
    p->pod = p->given = pod;
    p->key = dray_strf(arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(pod->metadata->namespace),
                       DRAY_ARG(pod->metadata->name));
    p->index = (uint32_t)world->pods.n;
    p->priority = dray_plan_priority(pod);
    collect_ports(p, arena);
    dray_plan_pod_sum(world, p);
    const dray_core_affinity *a = pod->spec->affinity;
    if (a != NULL) {
        p->need = REQUIRED(pod, a->pod_affinity, arena);
        p->avoid = REQUIRED(pod, a->pod_anti_affinity, arena);
        p->prefer = PREFERRED(pod, a->pod_affinity, arena);
        p->dislike = PREFERRED(pod, a->pod_anti_affinity, arena);
    }
    DRAY_PUSH(arena, &world->pods, p);
    return p;
}

dray_plan_node *dray_plan_node_find(const dray_plan_world *world, dray_str name) {
    return dray_map_find(&world->node_of, name);
}

static void count(dray_plan_world *world, dray_plan_node *node, const dray_plan_pod *pod,
                  int32_t by) {
    uint32_t had = node->with_affinity != 0, avoided = node->with_avoid != 0;
    node->with_affinity += dray_plan_pod_has_terms(pod) ? (uint32_t)by : 0;
    node->with_avoid += pod->avoid.n != 0 ? (uint32_t)by : 0;
    world->with_affinity += (uint32_t)(node->with_affinity != 0) - had;
    world->with_avoid += (uint32_t)(node->with_avoid != 0) - avoided;
}

void dray_plan_node_add(dray_plan_world *world, dray_plan_node *node, dray_plan_pod *pod) {
    DRAY_PUSH(world->arena, &node->pods, pod);
    dray_plan_res_sum(&node->requested, world->arena, &pod->request, 1);
    node->floor_cpu += pod->floor_cpu;
    node->floor_memory += pod->floor_memory;
    count(world, node, pod, 1);
}

void dray_plan_node_remove(dray_plan_world *world, dray_plan_node *node, dray_plan_pod *pod) {
    size_t at = 0;
    while (at < node->pods.n && node->pods.v[at] != pod)
        at++;
    if (at == node->pods.n)
        return;
    node->pods.n--;
    memmove(&node->pods.v[at], &node->pods.v[at + 1], (node->pods.n - at) * sizeof *node->pods.v);
    dray_plan_res_sum(&node->requested, world->arena, &pod->request, -1);
    node->floor_cpu -= pod->floor_cpu;
    node->floor_memory -= pod->floor_memory;
    count(world, node, pod, -1);
}

const dray_plan_topology *dray_plan_topology_of(dray_plan_world *world, dray_str key) {
    dray_map_entry *entry = dray_map_entry_of(&world->topologies, key);
    if (entry->value != NULL)
        return entry->value;
    dray_plan_topology *t = DRAY_NEW(world->arena, dray_plan_topology);
    t->key = key;
    t->of_node = DRAY_NEW_N(world->arena, uint32_t, world->n_nodes);
    dray_map values = dray_map_new(world->arena);
    for (size_t i = 0; i < world->n_nodes; i++) {
        dray_string_map labels = world->nodes[i].node->metadata->labels;
        t->of_node[i] = DRAY_PLAN_NO_VALUE;
        if (!dray_plan_has_label(labels, key))
            continue;
        dray_map_entry *value = dray_map_entry_of(&values, dray_string_map_find(labels, key));
        if (value->value == NULL)
            value->value = (void *)(uintptr_t)values.n;
        t->of_node[i] = (uint32_t)((uintptr_t)value->value - 1);
    }
    t->n_values = values.n;
    entry->value = t;
    return t;
}

dray_string_map dray_plan_namespace_labels(const dray_plan_world *world, dray_str name) {
    const dray_core_namespace *ns = dray_map_find(&world->namespaces, name);
    return ns != NULL ? ns->metadata->labels : (dray_string_map){0};
}

dray_str dray_plan_image_name(dray_str name, dray_arena *arena) {
    size_t colon = dray_str_rchr(name, ':'), slash = dray_str_rchr(name, '/');
    bool tagged = colon != SIZE_MAX && (slash == SIZE_MAX || colon > slash);
    return tagged ? name : dray_strf(arena, DRAY_FMT ":latest", DRAY_ARG(name));
}

/* An image is as large as the first node by name that has it says. */
static void add_images(dray_plan_world *world, const dray_plan_node *node) {
    for (size_t i = 0; i < node->node->status->images.n; i++) {
        const dray_core_container_image *image = &node->node->status->images.v[i];
        for (size_t k = 0; k < image->names.n; k++) {
            dray_map_entry *entry = dray_map_entry_of(&world->images, image->names.v[k]);
            if (entry->value == NULL) {
                dray_plan_image *made = DRAY_NEW(world->arena, dray_plan_image);
                made->size = image->size_bytes;
                made->nodes = dray_bits_new(world->arena, world->n_nodes);
                entry->value = made;
            }
            dray_plan_image *at = entry->value;
            at->n_nodes += !dray_bits_get(at->nodes, node->index);
            dray_bits_set(at->nodes, node->index);
        }
    }
}

static int by_name(const void *a, const void *b, void *context) {
    return dray_str_cmp(((const dray_plan_node *)a)->name, ((const dray_plan_node *)b)->name);
}

static void init_nodes(dray_plan_world *world) {
    dray_sort(world->nodes, world->n_nodes, sizeof *world->nodes, by_name, NULL);
    for (size_t i = 0; i < world->n_nodes; i++) {
        dray_plan_node *node = &world->nodes[i];
        node->index = (uint32_t)i;
        dray_map_put(&world->node_of, node->name, node);
        dray_plan_res_add(&node->allocatable, &world->resources, world->arena,
                          DRAY_RESOURCES(node->node->status->allocatable));
        node->allowed_pods = node->allocatable.pods;
        add_images(world, node);
    }
}

/* Pods that have ended are not seen. */
static bool has_ended(const dray_core_pod *pod) {
    return dray_str_is(pod->status->phase, "Succeeded") ||
           dray_str_is(pod->status->phase, "Failed");
}

void dray_plan_world_admit(dray_plan_world *world, const dray_core_pod *pod) {
    if (has_ended(pod))
        return;
    dray_plan_pod *p = add_pod(world, pod);
    if (pod->spec->node_name.n != 0) {
        p->node = dray_plan_node_find(world, pod->spec->node_name);
        if (p->node != NULL)
            dray_plan_node_add(world, p->node, p);
    } else if (pod->status->nominated_node_name.n != 0) {
        DRAY_PUSH(world->arena, &world->nominated, p);
    }
}

void dray_plan_world_forget(dray_plan_world *world, dray_plan_pod *pod) {
    if (pod->node != NULL)
        dray_plan_node_remove(world, pod->node, pod);
    size_t at = 0;
    while (at < world->pods.n && world->pods.v[at] != pod)
        at++;
    if (at == world->pods.n)
        return;
    world->pods.n--;
    memmove(&world->pods.v[at], &world->pods.v[at + 1],
            (world->pods.n - at) * sizeof *world->pods.v);
    for (size_t i = at; i < world->pods.n; i++)
        world->pods.v[i]->index = (uint32_t)i;
}

void dray_plan_world_renew(dray_plan_world *world, dray_plan_node *node,
                           const dray_core_node *body) {
    node->node = body;
    node->name = body->metadata->name;
    node->allocatable = (dray_plan_res){0};
    dray_plan_res_add(&node->allocatable, &world->resources, world->arena,
                      DRAY_RESOURCES(body->status->allocatable));
    node->allowed_pods = node->allocatable.pods;
    world->topologies = dray_map_new(world->arena);
}

static void add_pods(dray_plan_world *world, const dray_cluster *cluster) {
    dray_cluster_list pods = dray_cluster_all(cluster, &dray_type_core_pod);
    for (size_t i = 0; i < pods.n; i++)
        dray_plan_world_admit(world, pods.v[i]);
}

#define TAKE_ALL(world, cluster, type_, into)                                             \
    do {                                                                                  \
        dray_cluster_list list_ = dray_cluster_all((cluster), &dray_type_##type_);        \
        for (size_t i_ = 0; i_ < list_.n; i_++)                                           \
            DRAY_PUSH((world)->arena, &(world)->into, (const dray_##type_ *)list_.v[i_]); \
    } while (0)

void dray_plan_world_init(dray_plan_world *world, dray_cluster *cluster, dray_arena *arena) {
    *world = (dray_plan_world){
        .arena = arena,
        .gates = *dray_cluster_gates(cluster),
        .node_of = dray_map_new(arena),
        .namespaces = dray_map_new(arena),
        .topologies = dray_map_new(arena),
        .images = dray_map_new(arena),
    };
    dray_cluster_list namespaces = dray_cluster_all(cluster, &dray_type_core_namespace);
    for (size_t i = 0; i < namespaces.n; i++) {
        const dray_core_namespace *ns = namespaces.v[i];
        dray_map_put(&world->namespaces, ns->metadata->name, (void *)(uintptr_t)ns);
    }
    TAKE_ALL(world, cluster, core_service, services);
    TAKE_ALL(world, cluster, core_replication_controller, replication_controllers);
    TAKE_ALL(world, cluster, apps_replica_set, replica_sets);
    TAKE_ALL(world, cluster, apps_stateful_set, stateful_sets);
    TAKE_ALL(world, cluster, policy_pod_disruption_budget, budgets);
    dray_cluster_list nodes = dray_cluster_all(cluster, &dray_type_core_node);
    world->nodes = DRAY_NEW_N(arena, dray_plan_node, nodes.n);
    for (size_t i = 0; i < nodes.n; i++) {
        const dray_core_node *node = nodes.v[i];
        world->nodes[world->n_nodes++] = (dray_plan_node){
            .node = node,
            .name = node->metadata->name,
            .seen = dray_cluster_node_find(cluster, node->metadata->name),
        };
    }
    init_nodes(world);
    add_pods(world, cluster);
}
