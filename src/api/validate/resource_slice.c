/* ResourceSlice: its pool, the nodes that reach it, its devices and counters as a whole. */
#include "api/validate/resource_int.h"

#include "base/map.h"

enum {
    MAX_DEVICES = 128,
    MAX_ADVANCED_DEVICES = 64, /* with taints, counters or lists of values; since 1.35 */
    MAX_COUNTER_SETS = 8,
    MAX_COUNTERS_1_34 = 32,
    MAX_DEVICE_COUNTERS_1_34 = 1024,
};

static bool uses_counters(const dray_resource_slice_spec *spec) {
    for (size_t i = 0; i < spec->devices.n; i++)
        if (spec->devices.v[i].consumes_counters.n > 0)
            return true;
    return false;
}

static bool has_lists(const dray_resource_device *device) {
    for (size_t i = 0; i < device->attributes.n; i++) {
        const dray_resource_device_attribute *a = &device->attributes.v[i];
        if (a->bools.v != NULL || a->ints.v != NULL || a->strings.v != NULL ||
            a->versions.v != NULL)
            return true;
    }
    return false;
}

static size_t most_devices(dray_request *rq, const dray_resource_slice_spec *spec) {
    for (size_t i = 0; i < spec->devices.n && release_of(rq) >= 35; i++) {
        const dray_resource_device *device = &spec->devices.v[i];
        if (device->taints.n > 0 || device->consumes_counters.n > 0 || has_lists(device))
            return MAX_ADVANCED_DEVICES;
    }
    return MAX_DEVICES;
}

static void check_pool(dray_request *rq, const dray_resource_pool *pool, const dray_path *path) {
    dray_resource_pool_name(rq, pool->name, DRAY_AT(path, "name"));
    if (pool->resource_slice_count <= 0)
        fail_invalid_int(rq, DRAY_AT(path, "resourceSliceCount"), pool->resource_slice_count,
                         DRAY_STR("must be greater than zero"));
    if (pool->generation < 0)
        fail_invalid_int(rq, DRAY_AT(path, "generation"), pool->generation,
                         DRAY_STR("must be greater than or equal to zero"));
}

static void check_immutable(dray_request *rq, const dray_resource_slice_spec *spec,
                            const dray_resource_slice_spec *old, const dray_path *path) {
    const dray_str text = DRAY_STR("field is immutable");
    if (!dray_str_eq(spec->pool->name, old->pool->name))
        fail_invalid(rq, DRAY_AT(path, "pool.name"), spec->pool->name, text);
    if (!dray_str_eq(spec->driver, old->driver))
        fail_invalid(rq, DRAY_AT(path, "driver"), spec->driver, text);
    if ((spec->node_name.p == NULL) != (old->node_name.p == NULL) ||
        !dray_str_eq(spec->node_name, old->node_name))
        fail_invalid_text(rq, DRAY_AT(path, "nodeName"),
                          spec->node_name.p == NULL
                              ? DRAY_STR("null")
                              : dray_value_json_string(rq->arena, spec->node_name),
                          text);
}

static void check_nodes(dray_request *rq, const dray_resource_slice_spec *spec,
                        const dray_path *path) {
    dray_node_choice choice = {
        .node_name = spec->node_name,
        .node_selector = spec->node_selector,
        .all_nodes = spec->all_nodes,
        .per_device = spec->per_device_node_selection,
        .empty_name = "must be either unset or set to a non-empty string",
    };
    DRAY_CLEANUP_BUF dray_buf set = DRAY_BUF_INIT;
    size_t n = dray_resource_node_choice(rq, &choice, &set, path);
    if (spec->node_selector != NULL && spec->node_selector->node_selector_terms.n != 1)
        fail_invalid_text(rq, DRAY_AT(path, "nodeSelector.nodeSelectorTerms"),
                          dray_value_member(rq->arena, &dray_type_core_node_selector,
                                            spec->node_selector,
                                            offsetof(dray_core_node_selector, node_selector_terms),
                                            DRAY_VALUE_INTERNAL, release_of(rq)),
                          DRAY_STR("must have exactly one node selector term"));
    if (n == 0)
        fail_required(rq, path,
                      DRAY_STR("exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                               "`perDeviceNodeSelection` is required"));
    else if (n > 1)
        fail_invalid(rq, path, DETAIL(rq, "{%s}", dray_buf_cstr(&set)),
                     DRAY_STR("exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                              "`perDeviceNodeSelection` is required, but multiple fields are "
                              "set"));
}

/* Devices. */

static dray_map devices_by_name(dray_request *rq, const dray_resource_slice_spec *spec) {
    dray_map map = dray_map_new(rq->arena);
    for (size_t i = 0; spec != NULL && i < spec->devices.n; i++) {
        dray_map_entry *entry = dray_map_entry_of(&map, spec->devices.v[i].name);
        if (entry->value == NULL) /* of several the first counts */
            entry->value = &spec->devices.v[i];
    }
    return map;
}

static void check_devices(dray_request *rq, const dray_resource_slice_spec *spec,
                          const dray_resource_slice_spec *old, const dray_path *path) {
    size_t n = spec->devices.n;
    if (dray_resource_too_many(rq, n, most_devices(rq, spec), false, path))
        return;
    dray_map before = devices_by_name(rq, old);
    dray_str *names = DRAY_NEW_N(rq->arena, dray_str, n + 1);
    for (size_t i = 0; i < n; i++) {
        const dray_resource_device *device = &spec->devices.v[i];
        names[i] = device->name;
        dray_resource_device_check(rq, spec, device, dray_map_find(&before, device->name),
                                   DRAY_AT_INDEX(path, i));
    }
    dray_resource_unique(rq, names, n, false, path);
}

/* Counters. */

static void check_counter_set(dray_request *rq, const dray_resource_counter_set *set,
                              const dray_path *path) {
    size_t from = errors_now(rq);
    if (set->name.n == 0)
        fail_required(rq, DRAY_AT(path, "name"), DRAY_STR(""));
    else
        dray_resource_label(rq, set->name, DRAY_AT(path, "name"));
    cover(rq, from);
    dray_resource_counters_check(rq, set->counters.n, set->counters.k, DRAY_AT(path, "counters"));
}

static void check_counter_sets(dray_request *rq, const dray_resource_slice_spec *spec,
                               const dray_path *path) {
    size_t n = spec->shared_counters.n;
    if (release_of(rq) >= 35 && dray_resource_too_many(rq, n, MAX_COUNTER_SETS, true, path))
        return;
    dray_str *names = DRAY_NEW_N(rq->arena, dray_str, n + 1);
    for (size_t i = 0; i < n; i++) {
        names[i] = spec->shared_counters.v[i].name;
        check_counter_set(rq, &spec->shared_counters.v[i], DRAY_AT_INDEX(path, i));
    }
    dray_resource_unique(rq, names, n, true, path);
}

/* 1.34: limits are sums over the slice, and a device uses counters of its own slice. */

static const dray_resource_counter_set *find_set(const dray_resource_slice_spec *spec,
                                                 dray_str name) {
    for (size_t i = 0; i < spec->shared_counters.n; i++)
        if (dray_str_eq(spec->shared_counters.v[i].name, name))
            return &spec->shared_counters.v[i];
    return NULL;
}

static bool has_counter(const dray_resource_counter_set *set, dray_str name) {
    for (size_t i = 0; i < set->counters.n; i++)
        if (dray_str_eq(set->counters.k[i], name))
            return true;
    return false;
}

static size_t check_own_counters(dray_request *rq, const dray_resource_slice_spec *spec,
                                 const dray_resource_device *device, const dray_path *path) {
    const dray_str unknown = DRAY_STR("must reference a counterSet defined in the ResourceSlice "
                                      "sharedCounters");
    dray_path list = dray_path_child(path, "consumesCounters");
    size_t n = 0;
    for (size_t i = 0; i < device->consumes_counters.n; i++) {
        const dray_resource_device_counter_consumption *c = &device->consumes_counters.v[i];
        const dray_resource_counter_set *set = find_set(spec, c->counter_set);
        dray_path item = dray_path_index(&list, i);
        n += c->counters.n;
        if (c->counter_set.n > 0 && set == NULL)
            fail_invalid(rq, DRAY_AT(&item, "counterSet"), c->counter_set, unknown);
        for (size_t j = 0; set != NULL && j < c->counters.n; j++)
            if (!has_counter(set, c->counters.k[j]))
                fail_invalid(rq, DRAY_AT(&item, "counters"), c->counters.k[j], unknown);
    }
    return n;
}

static void check_counter_sums(dray_request *rq, const dray_resource_slice_spec *spec,
                               const dray_path *path) {
    size_t shared = 0, used = 0;
    for (size_t i = 0; i < spec->shared_counters.n; i++)
        shared += spec->shared_counters.v[i].counters.n;
    dray_path devices = dray_path_child(path, "devices");
    for (size_t i = 0; i < spec->devices.n; i++) {
        dray_path item = dray_path_index(&devices, i);
        size_t n = check_own_counters(rq, spec, &spec->devices.v[i], &item);
        used += n;
        if (n > MAX_COUNTERS_1_34)
            fail_invalid_int(
                rq, &item, (int64_t)n,
                DETAIL(rq, "the total number of counters must not exceed %d", MAX_COUNTERS_1_34));
    }
    if (shared > MAX_COUNTERS_1_34)
        fail_invalid_int(rq, DRAY_AT(path, "sharedCounters"), (int64_t)shared,
                         DETAIL(rq, "the total number of shared counters must not exceed %d",
                                MAX_COUNTERS_1_34));
    if (used > MAX_DEVICE_COUNTERS_1_34)
        fail_invalid_int(rq, &devices, (int64_t)used,
                         DETAIL(rq, "the total number of counters in devices must not exceed %d",
                                MAX_DEVICE_COUNTERS_1_34));
}

/* Partition types. */

static const dray_resource_device_attribute *find_attribute(const dray_resource_device *device,
                                                            dray_str name) {
    for (size_t i = 0; i < device->attributes.n; i++)
        if (dray_str_eq(device->attributes.k[i], name))
            return &device->attributes.v[i];
    return NULL;
}

static bool is_fully_qualified(dray_request *rq, dray_str name) {
    size_t from = errors_now(rq);
    dray_path path = dray_path_child(NULL, "");
    dray_resource_fully_qualified_name(rq, name, &path);
    bool good = errors_now(rq) == from;
    rq->errors->list.n = from;
    return good;
}

static void check_partition_type(dray_request *rq, const dray_resource_slice_spec *spec,
                                 const dray_path *path) {
    dray_str name = spec->partition_type_attribute, bare = name;
    if (!uses_counters(spec)) {
        fail_invalid(rq, DRAY_AT(path, "partitionTypeAttribute"), name,
                     DRAY_STR("may only be set on a slice which declares devices that consume "
                              "counters"));
        return;
    }
    if (!is_fully_qualified(rq, name)) /* the declared rule reports it */
        return;
    if (dray_str_starts(name, spec->driver) && name.n > spec->driver.n &&
        name.p[spec->driver.n] == '/')
        bare = dray_str_slice(name, spec->driver.n + 1, name.n);
    dray_path devices = dray_path_child(path, "devices");
    for (size_t i = 0; i < spec->devices.n; i++) {
        const dray_resource_device *device = &spec->devices.v[i];
        if (device->consumes_counters.n == 0)
            continue;
        const dray_resource_device_attribute *attribute = find_attribute(device, name);
        if (attribute == NULL)
            attribute = find_attribute(device, bare);
        dray_path item = dray_path_index(&devices, i);
        dray_path attributes = dray_path_child(&item, "attributes");
        dray_path at = dray_path_key(&attributes, name);
        if (attribute == NULL)
            fail_required(rq, &at,
                          DRAY_STR("device consumes counters and `partitionTypeAttribute` names "
                                   "this attribute, so it must be set"));
        else if (attribute->string.p == NULL)
            fail_invalid_text(
                rq, &at,
                dray_value_internal(rq->arena, &dray_type_resource_device_attribute, attribute,
                                    release_of(rq)),
                DRAY_STR("must be a string value because `partitionTypeAttribute` names this "
                         "attribute"));
    }
}

void dray_validate_slice_spec(dray_request *rq, const dray_resource_slice_spec *spec,
                              const dray_resource_slice_spec *old, const dray_path *path) {
    dray_resource_driver(rq, spec->driver, false, DRAY_AT(path, "driver"));
    check_pool(rq, spec->pool, DRAY_AT(path, "pool"));
    if (old != NULL)
        check_immutable(rq, spec, old, path);
    check_nodes(rq, spec, path);
    if (spec->shared_counters.v != NULL && spec->devices.v != NULL && release_of(rq) >= 35)
        fail_invalid(rq, path, DRAY_STR(""),
                     DRAY_STR("only one of `sharedCounters` or `devices` is allowed"));
    check_devices(rq, spec, old, DRAY_AT(path, "devices"));
    check_counter_sets(rq, spec, DRAY_AT(path, "sharedCounters"));
    if (release_of(rq) < 35)
        check_counter_sums(rq, spec, path);
    if (spec->partition_type_attribute.p != NULL)
        check_partition_type(rq, spec, path);
    dray_resource_skip_operations(rq, spec->skip_node_operations,
                                  DRAY_AT(path, "skipNodeOperations"));
}
