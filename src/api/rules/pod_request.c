/* What a Pod asks of a node, from its containers, its own resources, status and overhead. */
#include "api/rules/pod_request.h"

#include "base/vec.h"

/* Which of a container's lists is summed. */
typedef enum view {
    SPEC_REQUESTS,
    ALLOCATED_REQUESTS,
    ACTUATED_REQUESTS,
    SPEC_LIMITS,
    ACTUATED_LIMITS,
} view;

typedef struct asking {
    const dray_core_pod *pod;
    const dray_pod_request_options *options;
    dray_arena *arena;
    bool infeasible; /* the resize that spec asks for can't happen */
} asking;

static size_t place_of(dray_resource_list list, dray_str name) {
    size_t low = 0, high = list.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dray_str_cmp(list.k[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The quantity of name, added as zero (and *ret_new) where it was absent. */
static dray_quantity *quantity_of(dray_resource_list *list, dray_str name, dray_arena *arena,
                                  bool *ret_new) {
    size_t at = place_of(*list, name);
    *ret_new = at == list->n || !dray_str_eq(list->k[at], name);
    if (*ret_new) {
        dray_str *k = DRAY_NEW_N(arena, dray_str, list->n + 1);
        dray_quantity *v = DRAY_NEW_N(arena, dray_quantity, list->n + 1);
        for (size_t i = 0; i < list->n; i++) {
            k[i + (i >= at)] = list->k[i];
            v[i + (i >= at)] = list->v[i];
        }
        k[at] = name;
        *list = (dray_resource_list){k, v, list->n + 1};
    }
    return &list->v[at];
}

static void add_one(dray_resource_list *list, dray_str name, dray_quantity more,
                    dray_arena *arena) {
    bool is_new;
    dray_quantity *sum = quantity_of(list, name, arena, &is_new);
    *sum = is_new ? more : dray_quantity_add(*sum, more, arena);
}

static void add_list(dray_resource_list *list, dray_resource_list more, dray_arena *arena) {
    for (size_t i = 0; i < more.n; i++)
        add_one(list, more.k[i], more.v[i], arena);
}

static void max_list(dray_resource_list *list, dray_resource_list other, dray_arena *arena) {
    for (size_t i = 0; i < other.n; i++) {
        bool is_new;
        dray_quantity *most = quantity_of(list, other.k[i], arena, &is_new);
        if (is_new || dray_quantity_cmp(other.v[i], *most) > 0)
            *most = other.v[i];
    }
}

static const dray_core_container_status *status_of(const dray_core_pod *pod, dray_str name) {
    const dray_core_pod_status *status = pod->status;
    if (status == NULL)
        return NULL;
    for (size_t i = 0; i < status->container_statuses.n; i++)
        if (dray_str_eq(status->container_statuses.v[i].name, name))
            return &status->container_statuses.v[i];
    for (size_t i = 0; i < status->init_container_statuses.n; i++)
        if (dray_str_eq(status->init_container_statuses.v[i].name, name))
            return &status->init_container_statuses.v[i];
    return NULL;
}

static dray_resource_list container_list(const asking *a, const dray_core_container *container,
                                         view which) {
    const dray_core_container_status *status =
        a->options->use_status ? status_of(a->pod, container->name) : NULL;
    const dray_core_resource_requirements *actual = status != NULL ? status->resources : NULL;
    bool limits = which == SPEC_LIMITS || which == ACTUATED_LIMITS;
    if (which == ACTUATED_REQUESTS && actual != NULL && actual->requests.k != NULL)
        return DRAY_RESOURCES(actual->requests);
    if (which == ACTUATED_LIMITS && actual != NULL && actual->limits.k != NULL)
        return DRAY_RESOURCES(actual->limits);
    if ((which == ALLOCATED_REQUESTS || which == ACTUATED_REQUESTS) && status != NULL &&
        status->allocated_resources.k != NULL)
        return DRAY_RESOURCES(status->allocated_resources);
    if (a->infeasible && which != SPEC_REQUESTS && which != SPEC_LIMITS)
        return (dray_resource_list){0};
    return limits ? DRAY_RESOURCES(container->resources->limits)
                  : DRAY_RESOURCES(container->resources->requests);
}

static dray_resource_list with_missing(const asking *a, dray_resource_list list, view which) {
    dray_resource_list missing = a->options->non_missing;
    if (missing.n == 0 || which == SPEC_LIMITS || which == ACTUATED_LIMITS)
        return list;
    dray_resource_list all = {0};
    add_list(&all, list, a->arena);
    for (size_t i = 0; i < missing.n; i++)
        if (dray_resource_list_find(list, missing.k[i]) == NULL)
            add_one(&all, missing.k[i], missing.v[i], a->arena);
    return all;
}

/* Containers run side by side; an init container runs with the restartable ones before it. */
static dray_resource_list aggregate(const asking *a, view which) {
    const dray_core_pod_spec *spec = a->pod->spec;
    dray_resource_list sum = {0}, sidecars = {0}, init = {0};
    for (size_t i = 0; i < spec->containers.n; i++) {
        dray_resource_list one = container_list(a, &spec->containers.v[i], which);
        add_list(&sum, with_missing(a, one, which), a->arena);
    }
    for (size_t i = 0; i < spec->init_containers.n; i++) {
        const dray_core_container *container = &spec->init_containers.v[i];
        dray_resource_list one = with_missing(a, container_list(a, container, which), which);
        if (dray_str_is(container->restart_policy, "Always")) {
            add_list(&sum, one, a->arena);
            add_list(&sidecars, one, a->arena);
            max_list(&init, sidecars, a->arena);
        } else {
            dray_resource_list together = {0};
            add_list(&together, one, a->arena);
            add_list(&together, sidecars, a->arena);
            max_list(&init, together, a->arena);
        }
    }
    max_list(&sum, init, a->arena);
    return sum;
}

static void add_overhead(dray_resource_list *list,
                         const dray_core_node_allocatable_overhead_resources *overhead,
                         size_t n_containers, dray_arena *arena) {
    dray_quantity more = {0};
    if (overhead->per_pod != NULL)
        more = dray_quantity_add(more, *overhead->per_pod, arena);
    if (overhead->per_container != NULL && n_containers > 0)
        more = dray_quantity_add(
            more, dray_quantity_mul_int(*overhead->per_container, (int64_t)n_containers, arena),
            arena);
    add_one(list, overhead->name, more, arena);
}

/* What the Pod's claims take of the node's own resources. */
static void add_claims(dray_resource_list *list, const asking *a) {
    if (!a->options->claim_status || a->pod->status == NULL)
        return;
    const dray_core_pod_status *status = a->pod->status;
    for (size_t i = 0; i < status->node_allocatable_resource_claim_statuses.n; i++) {
        const dray_core_node_allocatable_resource_claim_status *claim =
            &status->node_allocatable_resource_claim_statuses.v[i];
        add_list(list, DRAY_RESOURCES(claim->resources), a->arena); /* the form of 1.36 */
        for (size_t j = 0; j < claim->mapping.n; j++)
            if (claim->mapping.v[j].quantity != NULL)
                add_one(list, claim->mapping.v[j].name, *claim->mapping.v[j].quantity, a->arena);
        for (size_t j = 0; j < claim->overhead.n; j++)
            add_overhead(list, &claim->overhead.v[j], claim->containers.n, a->arena);
    }
}

/* Limits grow by what claims take only where they are declared; huge pages can't be overcommitted,
 * so theirs always do. */
static void add_claims_to_limits(dray_resource_list *limits, const asking *a) {
    dray_resource_list claims = {0};
    add_claims(&claims, a);
    for (size_t i = 0; i < claims.n; i++)
        if (dray_resource_list_find(*limits, claims.k[i]) != NULL ||
            dray_str_starts(claims.k[i], DRAY_STR("hugepages-")))
            add_one(limits, claims.k[i], claims.v[i], a->arena);
}

static bool resize_infeasible(const dray_core_pod *pod) {
    if (pod->status == NULL)
        return false;
    for (size_t i = 0; i < pod->status->conditions.n; i++)
        if (dray_str_is(pod->status->conditions.v[i].type, "PodResizePending"))
            return dray_str_is(pod->status->conditions.v[i].reason, "Infeasible");
    return false;
}

static asking asking_of(const dray_core_pod *pod, const dray_pod_request_options *options,
                        dray_arena *arena) {
    return (asking){pod, options, arena, options->use_status && resize_infeasible(pod)};
}

static dray_resource_list container_requests(const asking *a) {
    const dray_core_pod_status *status = a->pod->status;
    dray_resource_list spec = aggregate(a, SPEC_REQUESTS);
    add_claims(&spec, a);
    if (!a->options->use_status)
        return spec;
    dray_resource_list sum = {0}, allocated, actuated;
    if (a->options->pod_level_status && status != NULL && status->allocated_resources.k != NULL &&
        status->resources != NULL && status->resources->requests.k != NULL) {
        allocated = DRAY_RESOURCES(status->allocated_resources);
        actuated = DRAY_RESOURCES(status->resources->requests);
    } else {
        allocated = aggregate(a, ALLOCATED_REQUESTS);
        add_claims(&allocated, a);
        actuated = aggregate(a, ACTUATED_REQUESTS);
    }
    if (!a->infeasible)
        max_list(&sum, spec, a->arena);
    max_list(&sum, actuated, a->arena);
    max_list(&sum, allocated, a->arena);
    return sum;
}

static dray_resource_list container_limits(const asking *a) {
    const dray_core_pod_status *status = a->pod->status;
    dray_resource_list spec = aggregate(a, SPEC_LIMITS);
    add_claims_to_limits(&spec, a);
    if (!a->options->use_status)
        return spec;
    dray_resource_list sum = {0}, actuated;
    if (a->options->pod_level_status && status != NULL && status->resources != NULL &&
        status->resources->limits.k != NULL)
        actuated = DRAY_RESOURCES(status->resources->limits);
    else
        actuated = aggregate(a, ACTUATED_LIMITS);
    if (!a->infeasible)
        max_list(&sum, spec, a->arena);
    max_list(&sum, actuated, a->arena);
    return sum;
}

static bool names_pod_level(dray_resource_list list) {
    for (size_t i = 0; i < list.n; i++)
        if (dray_pod_level_resource(list.k[i]))
            return true;
    return false;
}

/* Puts what the Pod itself asks for in the place of its containers' sum. */
static void apply_pod_level(const asking *a, dray_resource_list *list, dray_resource_list spec,
                            dray_resource_list first, dray_resource_list second) {
    const dray_core_pod_status *status = a->pod->status;
    dray_resource_list own = {0};
    if (a->options->pod_level_status && a->options->use_status && status != NULL &&
        status->resources != NULL) {
        if (!a->infeasible)
            max_list(&own, spec, a->arena);
        max_list(&own, first, a->arena);
        max_list(&own, second, a->arena);
    } else {
        own = spec;
    }
    for (size_t i = 0; i < own.n; i++) {
        bool is_new;
        if (dray_pod_level_resource(own.k[i]))
            *quantity_of(list, own.k[i], a->arena, &is_new) = own.v[i];
    }
}

const dray_quantity *dray_resource_list_find(dray_resource_list list, dray_str name) {
    size_t at = place_of(list, name);
    return at < list.n && dray_str_eq(list.k[at], name) ? &list.v[at] : NULL;
}

dray_pod_request_options dray_pod_request_options_of(const dray_gates *gates) {
    return (dray_pod_request_options){
        .use_status = dray_gates_on(gates, DRAY_GATE_InPlacePodVerticalScaling),
        .pod_level_status = dray_gates_on(gates, DRAY_GATE_InPlacePodLevelResourcesVerticalScaling),
        .skip_pod_level = !dray_gates_on(gates, DRAY_GATE_PodLevelResources),
        .claim_status = dray_gates_on(gates, DRAY_GATE_DRANodeAllocatableResources),
    };
}

dray_resource_list dray_pod_requests(const dray_core_pod *pod,
                                     const dray_pod_request_options *options, dray_arena *arena) {
    asking a = asking_of(pod, options, arena);
    dray_resource_list sum = container_requests(&a);
    const dray_core_resource_requirements *own = pod->spec->resources;
    if (!options->skip_pod_level && own != NULL && names_pod_level(DRAY_RESOURCES(own->requests))) {
        dray_resource_list actual = {0}, allocated = {0};
        if (pod->status != NULL) {
            allocated = DRAY_RESOURCES(pod->status->allocated_resources);
            if (pod->status->resources != NULL)
                actual = DRAY_RESOURCES(pod->status->resources->requests);
        }
        apply_pod_level(&a, &sum, DRAY_RESOURCES(own->requests), actual, allocated);
    }
    if (!options->skip_overhead)
        add_list(&sum, DRAY_RESOURCES(pod->spec->overhead), arena);
    return sum;
}

dray_resource_list dray_pod_limits(const dray_core_pod *pod,
                                   const dray_pod_request_options *options, dray_arena *arena) {
    asking a = asking_of(pod, options, arena);
    dray_resource_list sum = container_limits(&a);
    const dray_core_resource_requirements *own = pod->spec->resources;
    if (!options->skip_pod_level && own != NULL &&
        (names_pod_level(DRAY_RESOURCES(own->requests)) ||
         names_pod_level(DRAY_RESOURCES(own->limits)))) {
        dray_resource_list actual = {0};
        if (pod->status != NULL && pod->status->resources != NULL)
            actual = DRAY_RESOURCES(pod->status->resources->limits);
        apply_pod_level(&a, &sum, DRAY_RESOURCES(own->limits), actual, (dray_resource_list){0});
    }
    for (size_t i = 0; !options->skip_overhead && i < pod->spec->overhead.n; i++) {
        const dray_quantity *limit = dray_resource_list_find(sum, pod->spec->overhead.k[i]);
        if (limit != NULL && !dray_quantity_is_zero(*limit))
            add_one(&sum, pod->spec->overhead.k[i], pod->spec->overhead.v[i], arena);
    }
    return sum;
}

bool dray_pod_level_resource(dray_str name) {
    return dray_str_is(name, "cpu") || dray_str_is(name, "memory") ||
           dray_str_starts(name, DRAY_STR("hugepages-"));
}
