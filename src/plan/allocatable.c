/* DRANodeAllocatableResources: what devices take of their node. */
#include "plan/allocatable.h"

#include "cluster/node_selector.h"

typedef dray_core_node_allocatable_resource_claim_status claim_status;

/* 1.36 has another form, and its scheduler other rules. */
enum { OLD_RELEASE = 36 };

static bool is_old(const dray_resource_device *device) {
    return device->node_allocatable_resource_mappings.n != 0;
}

static bool goes_by_old(const dray_plan_cycle *cycle) {
    return cycle->world->gates.release == OLD_RELEASE;
}

bool dray_plan_maps_allocatable(const dray_plan *plan) {
    if (!dray_gates_on(&plan->world.gates, DRAY_GATE_DRANodeAllocatableResources))
        return false;
    dray_cluster_list slices = dray_cluster_all(plan->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        for (size_t k = 0; k < slice->spec->devices.n; k++)
            if (slice->spec->devices.v[k].node_allocatable_resources.n != 0 ||
                is_old(&slice->spec->devices.v[k]))
                return true;
    }
    return false;
}

static bool reaches(const dray_resource_slice_spec *spec, const dray_plan_node *node) {
    if (spec->node_name.n != 0 && dray_str_eq(spec->node_name, node->name))
        return true;
    if ((spec->all_nodes.set && spec->all_nodes.v) ||
        (spec->per_device_node_selection.set && spec->per_device_node_selection.v))
        return true;
    return spec->node_selector != NULL && dray_node_selector_match(spec->node_selector, node->node);
}

static bool device_reaches(const dray_resource_device *device, const dray_plan_node *node) {
    return (device->node_name.n != 0 && dray_str_eq(device->node_name, node->name)) ||
           (device->all_nodes.set && device->all_nodes.v) ||
           (device->node_selector != NULL &&
            dray_node_selector_match(device->node_selector, node->node));
}

/* NULL, with the text why, when there is no such device. node NULL: on any node. */
static const dray_resource_device *
find_device(const dray_plan_cycle *cycle, const dray_plan_node *node,
            const dray_resource_device_request_allocation_result *r, dray_str *ret_why) {
    const dray_pool *pool = dray_cluster_pool_find(cycle->plan->cluster, r->driver, r->pool);
    for (size_t i = 0; pool != NULL && i < pool->n_slices; i++) {
        const dray_resource_slice_spec *spec = pool->slices[i]->body->spec;
        if (node != NULL && !reaches(spec, node))
            continue;
        for (size_t k = 0; k < spec->devices.n; k++) {
            const dray_resource_device *device = &spec->devices.v[k];
            if (!dray_str_eq(device->name, r->device))
                continue;
            if (node == NULL || !spec->per_device_node_selection.set ||
                !spec->per_device_node_selection.v || device_reaches(device, node))
                return device;
            *ret_why = dray_strf(cycle->arena, "device " DRAY_FMT " does not match node",
                                 DRAY_ARG(r->device));
            return NULL;
        }
    }
    *ret_why = dray_strf(cycle->arena,
                         "device " DRAY_FMT " not found in pool " DRAY_FMT " for driver " DRAY_FMT,
                         DRAY_ARG(r->device), DRAY_ARG(r->pool), DRAY_ARG(r->driver));
    return NULL;
}

/* --- sharing --- */

static bool is_mapped(const dray_plan_cycle *cycle, const dray_resource_allocation_result *a) {
    for (size_t i = 0; i < a->devices->results.n; i++) {
        dray_str why;
        const dray_resource_device *device =
            find_device(cycle, NULL, &a->devices->results.v[i], &why);
        for (size_t k = 0; device != NULL && k < device->node_allocatable_resources.n; k++)
            if (device->node_allocatable_resources.v[k].mapping != NULL)
                return true;
    }
    return false;
}

static bool is_ours(const dray_plan_cycle *cycle, const dray_resource_claim *claim) {
    const dray_plan_gang *gang = cycle->pod->gang;
    for (size_t i = 0; i < claim->status->reserved_for.n; i++) {
        const dray_resource_claim_consumer_reference *user = &claim->status->reserved_for.v[i];
        if (dray_str_eq(user->uid, cycle->pod->pod->metadata->uid))
            return true;
        if (gang != NULL && dray_str_is(user->resource, "podgroups") &&
            dray_str_eq(user->name, cycle->pod->pod->spec->scheduling_group->pod_group_name))
            return true;
    }
    return false;
}

/* Whether the group's attempt that is under way gave the claim its devices: to another member. */
static bool is_just_given(const dray_plan *plan, const dray_resource_claim *claim) {
    const dray_plan_undo *undo = plan->undo;
    for (size_t i = 0; undo != NULL && i < undo->steps.n; i++) {
        const dray_plan_undo_step *step = &undo->steps.v[i];
        if (step->pod == NULL && step->claim_before != NULL &&
            dray_str_eq(step->claim, claim->metadata->name) &&
            dray_str_eq(step->ns, claim->metadata->namespace))
            return step->claim_before->status->allocation == NULL;
    }
    return false;
}

/* 1.36 goes by the Pods on the node whose status names the claim. */
static dray_plan_status check_old_sharing(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                                          const dray_plan_node *node) {
    for (size_t i = 0; i < state->n; i++) {
        dray_str name = state->claims[i].claim->metadata->name;
        size_t users = 0, others = 0;
        for (size_t k = 0; k < node->pods.n; k++) {
            const dray_core_pod *pod = node->pods.v[k]->pod;
            bool uses = false;
            for (size_t s = 0; s < pod->status->node_allocatable_resource_claim_statuses.n; s++)
                uses |= dray_str_eq(
                    pod->status->node_allocatable_resource_claim_statuses.v[s].resource_claim_name,
                    name);
            uses =
                uses && dray_str_eq(pod->metadata->namespace, cycle->pod->pod->metadata->namespace);
            users += uses;
            others += uses && node->pods.v[k] != cycle->pod;
        }
        if (users > 1 || others == 1)
            return dray_plan_status_of(
                cycle->plan, DRAY_PLAN_UNRESOLVABLE,
                dray_strf(
                    cycle->arena, "node allocatable resource claim " DRAY_FMT " %s", DRAY_ARG(name),
                    users > 1 ? "shared by multiple pods" : "is already used by another pod"));
    }
    return DRAY_PLAN_STATUS_OK;
}

dray_plan_status dray_plan_check_sharing(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                                         const dray_plan_node *node) {
    if (goes_by_old(cycle))
        return check_old_sharing(cycle, state, node);
    for (size_t i = 0; i < state->n; i++) {
        const dray_resource_claim *claim = state->claims[i].claim;
        const dray_resource_allocation_result *a = state->claims[i].allocation;
        if (a == NULL ||
            (a->node_selector != NULL && !dray_node_selector_match(a->node_selector, node->node)))
            continue;
        bool others = claim->status->reserved_for.n != 0 && !is_ours(cycle, claim);
        if ((!others && !is_just_given(cycle->plan, claim)) || !is_mapped(cycle, a))
            continue;
        return dray_plan_status_of(
            cycle->plan, DRAY_PLAN_UNRESOLVABLE,
            dray_strf(cycle->arena,
                      "node allocatable resource claim " DRAY_FMT
                      " has a mapped device and cannot be shared across pods",
                      DRAY_ARG(claim->metadata->name)));
    }
    return DRAY_PLAN_STATUS_OK;
}

/* --- sums --- */

/* a × b. Numbers beyond int64 lose all but the integer part of b. */
static dray_quantity product(dray_quantity a, dray_quantity b, dray_arena *arena) {
    int64_t value, scale = (int64_t)a.scale + b.scale;
    if (a.big == NULL && b.big == NULL && !__builtin_mul_overflow(a.value, b.value, &value))
        return (dray_quantity){.value = value, .scale = (int32_t)scale, .form = a.form};
    return dray_quantity_mul_int(a, dray_quantity_value(b, NULL), arena);
}

static dray_quantity *sum_of(const dray_quantity *old, dray_quantity more, dray_arena *arena) {
    dray_quantity *sum = DRAY_NEW(arena, dray_quantity);
    *sum = old != NULL ? dray_quantity_add(*old, more, arena)
                       : dray_quantity_add((dray_quantity){0}, more, arena);
    return sum;
}

/* One claim's status in the making; lists grow by name. */
typedef struct making {
    dray_arena *arena;
    DRAY_VEC(dray_core_node_allocatable_mapped_resources) mapping;
    DRAY_VEC(dray_core_node_allocatable_overhead_resources) overhead;
    dray_resource_list old; /* of 1.36: without overheads */
} making;

static void add_mapped(making *m, dray_str name, dray_quantity more) {
    size_t i = 0;
    while (i < m->mapping.n && !dray_str_eq(m->mapping.v[i].name, name))
        i++;
    if (i == m->mapping.n)
        DRAY_PUSH(m->arena, &m->mapping,
                  (dray_core_node_allocatable_mapped_resources){.name = name});
    m->mapping.v[i].quantity = sum_of(m->mapping.v[i].quantity, more, m->arena);
}

static void add_overhead(making *m, dray_str name,
                         const dray_resource_node_allocatable_overhead *o) {
    if (o->per_pod == NULL && o->per_container == NULL)
        return;
    size_t i = 0;
    while (i < m->overhead.n && !dray_str_eq(m->overhead.v[i].name, name))
        i++;
    if (i == m->overhead.n)
        DRAY_PUSH(m->arena, &m->overhead,
                  (dray_core_node_allocatable_overhead_resources){.name = name});
    dray_core_node_allocatable_overhead_resources *to = &m->overhead.v[i];
    if (o->per_pod != NULL)
        to->per_pod = sum_of(to->per_pod, *o->per_pod, m->arena);
    if (o->per_container != NULL)
        to->per_container = sum_of(to->per_container, *o->per_container, m->arena);
}

/* What the claim draws of a capacity, times the multiplier; *ret is NULL where it draws nothing.
 * Absent, or why that can't be said. */
static dray_str drawn(making *m, const dray_resource_claim *claim, dray_str name, dray_str key,
                      const dray_quantity *multiplier, const char *member,
                      const dray_resource_device_request_allocation_result *r,
                      const dray_quantity **ret) {
    *ret = NULL;
    if (r->consumed_capacity.n == 0)
        return dray_strf(m->arena,
                         "claim " DRAY_FMT "/" DRAY_FMT ", device " DRAY_FMT
                         ": ConsumedCapacity is nil, but Capacity key '" DRAY_FMT
                         "' is set in %s for resource " DRAY_FMT,
                         DRAY_ARG(claim->metadata->namespace), DRAY_ARG(claim->metadata->name),
                         DRAY_ARG(r->device), DRAY_ARG(key), member, DRAY_ARG(name));
    const dray_quantity *used = dray_resource_list_find(DRAY_RESOURCES(r->consumed_capacity), key);
    *ret = used;
    if (used != NULL && multiplier != NULL) {
        dray_quantity *amount = DRAY_NEW(m->arena, dray_quantity);
        *amount = product(*used, *multiplier, m->arena);
        *ret = amount;
    }
    return DRAY_STR_NONE;
}

/* Absent, or why the mapping can't be used. */
static dray_str map_device(making *m, const dray_resource_claim *claim, dray_str name,
                           const dray_resource_node_allocatable_mapping *map,
                           const dray_resource_device_request_allocation_result *r) {
    const dray_quantity *amount = map->device_multiplier;
    dray_str why = DRAY_STR_NONE;
    if (map->capacity_key.n != 0)
        why = drawn(m, claim, name, map->capacity_key, map->capacity_multiplier,
                    "NodeAllocatableResources", r, &amount);
    if (amount != NULL)
        add_mapped(m, name, *amount);
    return why;
}

static void add_old(making *m, dray_str name, dray_quantity more) {
    for (size_t i = 0; i < m->old.n; i++)
        if (dray_str_eq(m->old.k[i], name)) {
            m->old.v[i] = dray_quantity_add(m->old.v[i], more, m->arena);
            return;
        }
    dray_resource_list grown = {DRAY_NEW_N(m->arena, dray_str, m->old.n + 1),
                                DRAY_NEW_N(m->arena, dray_quantity, m->old.n + 1), 0};
    while (grown.n < m->old.n && dray_str_cmp(m->old.k[grown.n], name) < 0) {
        grown.k[grown.n] = m->old.k[grown.n];
        grown.v[grown.n] = m->old.v[grown.n];
        grown.n++;
    }
    size_t at = grown.n;
    grown.k[at] = name;
    grown.v[at] = more;
    for (; grown.n < m->old.n; grown.n++) {
        grown.k[grown.n + 1] = m->old.k[grown.n];
        grown.v[grown.n + 1] = m->old.v[grown.n];
    }
    grown.n++;
    m->old = grown;
}

/* Absent, or why the mapping of 1.36 can't be used. */
static dray_str map_old(making *m, const dray_resource_claim *claim, dray_str name,
                        const dray_resource_node_allocatable_resource_mapping *map,
                        const dray_resource_device_request_allocation_result *r) {
    const dray_quantity *amount = map->allocation_multiplier;
    dray_str why = DRAY_STR_NONE;
    if (map->capacity_key.n != 0)
        why = drawn(m, claim, name, map->capacity_key, map->allocation_multiplier,
                    "NodeAllocatableResourceMappings", r, &amount);
    if (amount != NULL)
        add_old(m, name, *amount);
    return why;
}

static int by_mapped_name(const void *a, const void *b, void *context) {
    return dray_str_cmp(((const dray_core_node_allocatable_mapped_resources *)a)->name,
                        ((const dray_core_node_allocatable_mapped_resources *)b)->name);
}

static int by_overhead_name(const void *a, const void *b, void *context) {
    return dray_str_cmp(((const dray_core_node_allocatable_overhead_resources *)a)->name,
                        ((const dray_core_node_allocatable_overhead_resources *)b)->name);
}

static int by_claim_name(const void *a, const void *b, void *context) {
    return dray_str_cmp(((const claim_status *)a)->resource_claim_name,
                        ((const claim_status *)b)->resource_claim_name);
}

static dray_str sum_claim(dray_plan_cycle *cycle, const dray_plan_node *node,
                          const dray_resource_claim *claim,
                          const dray_resource_allocation_result *a, making *m) {
    for (size_t i = 0; i < a->devices->results.n; i++) {
        const dray_resource_device_request_allocation_result *r = &a->devices->results.v[i];
        dray_str why = DRAY_STR_NONE;
        const dray_resource_device *device = find_device(cycle, node, r, &why);
        if (device == NULL)
            return dray_strf(cycle->arena,
                             "claim " DRAY_FMT "/" DRAY_FMT ", device " DRAY_FMT
                             ", driver " DRAY_FMT ": " DRAY_FMT,
                             DRAY_ARG(claim->metadata->namespace), DRAY_ARG(claim->metadata->name),
                             DRAY_ARG(r->device), DRAY_ARG(r->driver), DRAY_ARG(why));
        for (size_t k = 0; k < device->node_allocatable_resource_mappings.n && why.p == NULL; k++)
            why = map_old(m, claim, device->node_allocatable_resource_mappings.k[k],
                          &device->node_allocatable_resource_mappings.v[k], r);
        if (why.p != NULL)
            return why;
        for (size_t k = 0; k < device->node_allocatable_resources.n; k++) {
            dray_str name = device->node_allocatable_resources.k[k];
            const dray_resource_node_allocatable_resource *res =
                &device->node_allocatable_resources.v[k];
            if (res->mapping != NULL)
                why = map_device(m, claim, name, res->mapping, r);
            if (why.p != NULL)
                return why;
            if (res->overhead != NULL)
                add_overhead(m, name, res->overhead);
        }
    }
    dray_sort(m->mapping.v, m->mapping.n, sizeof *m->mapping.v, by_mapped_name, NULL);
    dray_sort(m->overhead.v, m->overhead.n, sizeof *m->overhead.v, by_overhead_name, NULL);
    return DRAY_STR_NONE;
}

/* Names of the containers that use the claim, once for each mention. */
static void add_users(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                      const dray_resource_claim *claim, claim_status *status) {
    const dray_core_pod_spec *spec = cycle->pod->pod->spec;
    DRAY_VEC(dray_str) names = {0};
    for (size_t c = 0; c < spec->init_containers.n + spec->containers.n; c++) {
        const dray_core_container *container =
            c < spec->init_containers.n ? &spec->init_containers.v[c]
                                        : &spec->containers.v[c - spec->init_containers.n];
        for (size_t i = 0; container->resources != NULL && i < container->resources->claims.n; i++)
            for (size_t k = 0; k < state->n_user; k++)
                if (state->claims[k].claim == claim &&
                    dray_str_eq(spec->resource_claims.v[k].name,
                                container->resources->claims.v[i].name))
                    DRAY_PUSH(cycle->arena, &names, container->name);
    }
    status->containers.v = names.v;
    status->containers.n = names.n;
}

static const dray_resource_allocation_result *allocation_of(const dray_plan_cycle *cycle,
                                                            const dray_plan_claim *c,
                                                            const dray_plan_holding *holding) {
    for (size_t i = 0; i < holding->n; i++)
        if (holding->claims[i] == c->claim ||
            dray_str_eq(holding->claims[i]->metadata->uid, c->claim->metadata->uid))
            return &holding->allocations[i];
    return goes_by_old(cycle) ? NULL : c->allocation;
}

static bool takes(dray_plan_cycle *cycle, const dray_plan_node *node,
                  const dray_resource_allocation_result *a) {
    for (size_t i = 0; a != NULL && i < a->devices->results.n; i++) {
        dray_str why;
        const dray_resource_device *device =
            find_device(cycle, node, &a->devices->results.v[i], &why);
        if (device != NULL && (device->node_allocatable_resources.n != 0 || is_old(device)))
            return true;
    }
    return false;
}

static bool is_repeated(const dray_plan_dynamic *state, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (state->claims[i].claim == state->claims[at].claim)
            return true;
    return false;
}

/* --- the node --- */

typedef struct shortage {
    dray_str texts[8];
    size_t n;
    bool unresolvable;
} shortage;

static void compare(shortage *s, int64_t wanted, int64_t used, int64_t has, dray_str text) {
    if (wanted <= 0 || wanted <= has - used || s->n == DRAY_COUNT(s->texts))
        return;
    s->texts[s->n++] = text;
    s->unresolvable |= wanted > has;
}

static dray_plan_status fits(dray_plan_cycle *cycle, const dray_plan_node *node,
                             const dray_plan_res *wanted) {
    const dray_plan_res *used = &node->requested, *has = &node->allocatable;
    shortage s = {.n = 0};
    compare(&s, wanted->cpu, used->cpu, has->cpu, DRAY_STR("Insufficient cpu"));
    compare(&s, wanted->memory, used->memory, has->memory, DRAY_STR("Insufficient memory"));
    compare(&s, wanted->ephemeral, used->ephemeral, has->ephemeral,
            DRAY_STR("Insufficient ephemeral-storage"));
    for (size_t i = 0; i < wanted->scalars.n; i++) {
        uint32_t id = wanted->scalars.v[i].id;
        dray_str name = cycle->world->resources.list.v[id];
        if (dray_str_starts(name, DRAY_STR("hugepages-")))
            compare(&s, wanted->scalars.v[i].value, dray_plan_res_scalar(used, id),
                    dray_plan_res_scalar(has, id),
                    dray_strf(cycle->arena, "Insufficient " DRAY_FMT, DRAY_ARG(name)));
    }
    if (s.n == 0)
        return DRAY_PLAN_STATUS_OK;
    return (dray_plan_status){
        .code = s.unresolvable ? DRAY_PLAN_UNRESOLVABLE : DRAY_PLAN_UNSCHEDULABLE,
        .reasons = dray_plan_reasons(cycle->plan, s.texts, s.n),
    };
}

#define HUGE DRAY_STR("hugepages-")

/* What the container's claims take of a resource. Source: GetContainerDRAAllocations. */
static dray_quantity taken_for(const dray_core_pod *pod, dray_str container, dray_str name,
                               dray_arena *arena) {
    dray_quantity sum = {0};
    for (size_t i = 0; i < pod->status->node_allocatable_resource_claim_statuses.n; i++) {
        const claim_status *s = &pod->status->node_allocatable_resource_claim_statuses.v[i];
        bool uses = false;
        for (size_t k = 0; k < s->containers.n && !uses; k++)
            uses = dray_str_eq(s->containers.v[k], container);
        for (size_t k = 0; uses && k < s->mapping.n; k++)
            if (dray_str_eq(s->mapping.v[k].name, name) && s->mapping.v[k].quantity != NULL)
                sum = dray_quantity_add(sum, *s->mapping.v[k].quantity, arena);
        for (size_t k = 0; uses && k < s->overhead.n; k++) {
            const dray_core_node_allocatable_overhead_resources *o = &s->overhead.v[k];
            if (dray_str_eq(o->name, name) && o->per_pod != NULL)
                sum = dray_quantity_add(sum, *o->per_pod, arena);
            if (dray_str_eq(o->name, name) && o->per_container != NULL)
                sum = dray_quantity_add(sum, *o->per_container, arena);
        }
    }
    return sum;
}

static dray_plan_status not_covered(dray_plan_cycle *cycle, dray_str resource, dray_str rest) {
    return dray_plan_status_of(cycle->plan, DRAY_PLAN_UNRESOLVABLE,
                               dray_strf(cycle->arena,
                                         "pod level limit for " DRAY_FMT
                                         " is insufficient to cover the " DRAY_FMT,
                                         DRAY_ARG(resource), DRAY_ARG(rest)));
}

/* The Pod's limits cover the huge pages of all, and each container's limit with its devices. */
static dray_plan_status limits_covered(dray_plan_cycle *cycle, const dray_core_pod *pod,
                                       const dray_pod_request_options *options) {
    const dray_core_resource_requirements *level = pod->spec->resources;
    dray_resource_list own = DRAY_RESOURCES(level->limits);
    dray_resource_list sum = dray_pod_limits(pod, options, cycle->arena);
    for (size_t i = 0; i < sum.n; i++) {
        const dray_quantity *limit = dray_resource_list_find(own, sum.k[i]);
        if (dray_str_starts(sum.k[i], HUGE) && limit != NULL &&
            dray_quantity_cmp(sum.v[i], *limit) > 0)
            return not_covered(cycle, sum.k[i],
                               DRAY_STR("aggregated container and node-allocatable DRA limits"));
    }
    for (size_t c = 0; c < pod->spec->containers.n; c++) {
        const dray_core_container *container = &pod->spec->containers.v[c];
        for (size_t i = 0; container->resources != NULL && i < container->resources->limits.n;
             i++) {
            dray_str name = container->resources->limits.k[i];
            const dray_quantity *limit = dray_resource_list_find(own, name);
            if (dray_str_starts(name, HUGE) || limit == NULL)
                continue;
            dray_quantity all = dray_quantity_add(
                container->resources->limits.v[i],
                taken_for(pod, container->name, name, cycle->arena), cycle->arena);
            if (dray_quantity_cmp(all, *limit) > 0)
                return not_covered(cycle, name,
                                   dray_strf(cycle->arena,
                                             "limit and DRA overhead for container " DRAY_FMT,
                                             DRAY_ARG(container->name)));
        }
    }
    return DRAY_PLAN_STATUS_OK;
}

/* What a Pod asks for as a whole must cover its containers and what its devices take. Source:
 * validatePodLevelResources. */
static dray_plan_status covered(dray_plan_cycle *cycle, const dray_core_pod *pod) {
    const dray_core_resource_requirements *level = pod->spec->resources;
    if (!dray_gates_on(&cycle->world->gates, DRAY_GATE_PodLevelResources) || level == NULL)
        return DRAY_PLAN_STATUS_OK;
    dray_pod_request_options options = {
        .skip_pod_level = true, .skip_overhead = true, .claim_status = true};
    dray_resource_list sum = dray_pod_requests(pod, &options, cycle->arena);
    const char *what = "pod level request for " DRAY_FMT
                       " is insufficient to cover the aggregated container and node-allocatable "
                       "DRA requests";
    for (size_t i = 0; i < level->requests.n; i++) {
        const dray_quantity *all = dray_resource_list_find(sum, level->requests.k[i]);
        if (dray_pod_level_resource(level->requests.k[i]) && all != NULL &&
            dray_quantity_cmp(*all, level->requests.v[i]) > 0)
            return dray_plan_status_of(
                cycle->plan, DRAY_PLAN_UNRESOLVABLE,
                dray_strf(cycle->arena, what, DRAY_ARG(level->requests.k[i])));
    }
    return goes_by_old(cycle) ? DRAY_PLAN_STATUS_OK : limits_covered(cycle, pod, &options);
}

dray_plan_status dray_plan_check_allocatable(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                                             const dray_plan_node *node,
                                             const dray_plan_holding *holding,
                                             const dray_core_pod **ret) {
    DRAY_VEC(claim_status) statuses = {0};
    bool any = false;
    for (size_t i = 0; i < state->n; i++) {
        const dray_resource_allocation_result *a = allocation_of(cycle, &state->claims[i], holding);
        if (is_repeated(state, i) || !takes(cycle, node, a))
            continue;
        any = true;
        making m = {.arena = cycle->arena};
        dray_str why = sum_claim(cycle, node, state->claims[i].claim, a, &m);
        if (why.p != NULL)
            return dray_plan_status_of(cycle->plan, DRAY_PLAN_ERROR, why);
        if (m.mapping.n + m.overhead.n + m.old.n == 0)
            continue;
        claim_status status = {.resource_claim_name = state->claims[i].claim->metadata->name};
        status.mapping.v = m.mapping.v;
        status.mapping.n = m.mapping.n;
        status.overhead.v = m.overhead.v;
        status.overhead.n = m.overhead.n;
        status.resources.k = m.old.k;
        status.resources.v = m.old.v;
        status.resources.n = m.old.n;
        add_users(cycle, state, state->claims[i].claim, &status);
        if (m.old.n != 0 && status.containers.n == 0)
            return dray_plan_status_of(
                cycle->plan, DRAY_PLAN_UNRESOLVABLE,
                dray_strf(cycle->arena,
                          "claim " DRAY_FMT
                          ": node-allocatable resource claim not referenced by any container "
                          "within the pod",
                          DRAY_ARG(status.resource_claim_name)));
        DRAY_PUSH(cycle->arena, &statuses, status);
    }
    *ret = NULL;
    if (!any)
        return DRAY_PLAN_STATUS_OK;
    dray_sort(statuses.v, statuses.n, sizeof *statuses.v, by_claim_name, NULL);
    dray_core_pod *pod = DRAY_NEW(cycle->arena, dray_core_pod);
    *pod = *cycle->pod->pod;
    pod->status = DRAY_NEW(cycle->arena, dray_core_pod_status);
    *pod->status = *cycle->pod->pod->status;
    pod->status->node_allocatable_resource_claim_statuses.v = statuses.v;
    pod->status->node_allocatable_resource_claim_statuses.n = statuses.n;
    dray_plan_status status = covered(cycle, pod);
    if (status.code != DRAY_PLAN_OK)
        return status;
    dray_pod_request_options options = {
        .skip_pod_level = !dray_gates_on(&cycle->world->gates, DRAY_GATE_PodLevelResources),
        .claim_status = true,
    };
    dray_plan_res wanted = {0};
    dray_plan_res_add(&wanted, &cycle->world->resources, cycle->world->arena,
                      dray_pod_requests(pod, &options, cycle->arena));
    status = fits(cycle, node, &wanted);
    if (status.code == DRAY_PLAN_OK)
        *ret = pod;
    return status;
}
