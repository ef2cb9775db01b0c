/* What a Pod asks for itself where only its containers say so. */
#include "api/default/pod_level_int.h"

static bool is_huge(dray_str name) {
    return dray_str_starts(name, DRAY_STR("hugepages-"));
}

/* Those of `from` that a Pod may name itself: huge pages, the others, or both. */
static dray_resource_list pod_level(dray_resource_list from, bool huge, bool plain,
                                    dray_resource_list except, dray_arena *arena) {
    dray_resource_list list = {DRAY_NEW_N(arena, dray_str, from.n + 1),
                               DRAY_NEW_N(arena, dray_quantity, from.n + 1), 0};
    for (size_t i = 0; i < from.n; i++) {
        bool wanted = is_huge(from.k[i]) ? huge : plain;
        if (!wanted || !dray_pod_level_resource(from.k[i]) ||
            dray_resource_list_find(except, from.k[i]) != NULL)
            continue;
        list.k[list.n] = from.k[i];
        list.v[list.n++] = from.v[i];
    }
    return list;
}

static bool limited(const dray_core_resource_requirements *resources, dray_str name) {
    return dray_resource_list_find(DRAY_RESOURCES(resources->limits), name) != NULL;
}

static bool all_limited(const dray_core_pod_spec *spec, dray_str name) {
    for (size_t i = 0; i < spec->containers.n; i++)
        if (!limited(spec->containers.v[i].resources, name))
            return false;
    for (size_t i = 0; i < spec->init_containers.n; i++)
        if (!limited(spec->init_containers.v[i].resources, name))
            return false;
    for (size_t i = 0; i < spec->ephemeral_containers.n; i++)
        if (!limited(spec->ephemeral_containers.v[i].ephemeral_container_common->resources, name))
            return false;
    return true;
}

/* A resource that every container limits is limited for the Pod, to no less than it requests. */
static void default_limits(dray_core_pod_spec *spec, dray_resource_list sum, dray_arena *arena) {
    dray_core_resource_requirements *own = spec->resources;
    dray_resource_list requests = DRAY_RESOURCES(own->requests);
    for (size_t i = 0; i < requests.n; i++) {
        const dray_quantity *limit = dray_resource_list_find(sum, requests.k[i]);
        if (!dray_pod_level_resource(requests.k[i]) || limited(own, requests.k[i]) ||
            limit == NULL || !all_limited(spec, requests.k[i]))
            continue;
        dray_quantity value = dray_quantity_cmp(requests.v[i], *limit) > 0 ? requests.v[i] : *limit;
        dray_resource_list one = {&requests.k[i], &value, 1};
        MERGE(own->limits, one, arena);
    }
}

dray_resource_list dray_resources_merge(dray_resource_list to, dray_resource_list from,
                                        dray_arena *arena) {
    dray_resource_list all = {DRAY_NEW_N(arena, dray_str, to.n + from.n + 1),
                              DRAY_NEW_N(arena, dray_quantity, to.n + from.n + 1), 0};
    size_t i = 0, j = 0;
    while (i < to.n || j < from.n) {
        int order = i == to.n ? 1 : j == from.n ? -1 : dray_str_cmp(to.k[i], from.k[j]);
        all.k[all.n] = order <= 0 ? to.k[i] : from.k[j];
        all.v[all.n++] = order <= 0 ? to.v[i] : from.v[j];
        i += order <= 0;
        j += order >= 0;
    }
    return all;
}

void dray_default_pod_level(dray_core_pod_spec *spec, bool limits, dray_arena *arena) {
    dray_core_resource_requirements *own = spec->resources;
    dray_core_pod pod = {.spec = spec};
    dray_pod_request_options plain = {.skip_pod_level = true, .skip_overhead = true};
    dray_resource_list none = {0};
    if (own == NULL || own->limits.n + own->requests.n == 0)
        return;
    dray_resource_list all_limits = dray_pod_limits(&pod, &plain, arena);
    dray_resource_list huge =
        pod_level(all_limits, true, false, DRAY_RESOURCES(own->requests), arena);
    if (huge.n > 0)
        MERGE(own->limits, huge, arena);
    if (!limits && own->limits.n == 0)
        return;
    dray_resource_list sum =
        pod_level(dray_pod_requests(&pod, &plain, arena), false, true, none, arena);
    if (sum.n > 0)
        MERGE(own->requests, sum, arena);
    dray_resource_list from_limits =
        pod_level(DRAY_RESOURCES(own->limits), true, true, none, arena);
    if (from_limits.n > 0)
        MERGE(own->requests, from_limits, arena);
    if (limits)
        default_limits(spec, all_limits, arena);
}
