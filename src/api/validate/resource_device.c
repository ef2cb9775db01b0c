/* The devices of a ResourceSlice: attributes, counters, taints, where they are, how they bind. */
#include "api/engine_int.h"
#include "api/validate/resource_int.h"

#include <ctype.h>

enum {
    MAX_ENTRIES = 32, /* attributes and capacities */
    MAX_VALUES = 48,  /* of attributes, list items counted */
    MAX_KEY = 63 + 1 + 32,
    MAX_TAINTS = 16,
    MAX_TAINTS_1_34 = 4,
    MAX_CONSUMPTIONS = 2,
    MAX_COUNTERS = 32,
    MAX_BINDING = 4,
};

typedef struct texts_value {
    const char *json; /* the member of the attribute */
    bool set;
    size_t n;
} texts_value;

static void check_string_value(dray_request *rq, dray_str s, const dray_path *path) {
    if (s.n > DRAY_RESOURCE_MAX_STRING_BYTES)
        fail_too_long(rq, path, DRAY_RESOURCE_MAX_STRING_BYTES);
}

static void check_version_value(dray_request *rq, dray_str s, const dray_path *path) {
    if (!dray_is_strict_semver(s))
        fail_invalid(rq, path, s,
                     DRAY_STR("must be a string compatible with semver.org spec 2.0.0"));
    check_string_value(rq, s, path);
}

static void check_list_values(dray_request *rq, const dray_resource_device_attribute *a,
                              const dray_path *path) {
    const texts_value lists[] = {
        {"bools", a->bools.v != NULL, a->bools.n},
        {"ints", a->ints.v != NULL, a->ints.n},
        {"strings", a->strings.v != NULL, a->strings.n},
        {"versions", a->versions.v != NULL, a->versions.n},
    };
    for (size_t i = 0; i < DRAY_COUNT(lists); i++)
        if (lists[i].set && lists[i].n == 0)
            fail_invalid_text(rq, DRAY_AT(path, lists[i].json), DRAY_STR("[]"),
                              DRAY_STR("must not be empty if specified"));
    dray_path strings = dray_path_child(path, "strings");
    size_t from = errors_now(rq);
    for (size_t i = 0; i < a->strings.n; i++)
        check_string_value(rq, a->strings.v[i], DRAY_AT_INDEX(&strings, i));
    mark(rq, from, "maxBytes", true);
    dray_path versions = dray_path_child(path, "versions");
    for (size_t i = 0; i < a->versions.n; i++)
        check_version_value(rq, a->versions.v[i], DRAY_AT_INDEX(&versions, i));
}

static void check_attribute(dray_request *rq, const dray_resource_device_attribute *a,
                            const dray_path *path) {
    if (a->string.p != NULL)
        check_string_value(rq, a->string, DRAY_AT(path, "string"));
    if (a->version.p != NULL)
        check_version_value(rq, a->version, DRAY_AT(path, "version"));
    check_list_values(rq, a, path);
    size_t n = (size_t)a->bool_.set + a->int_.set + (a->string.p != NULL) + (a->version.p != NULL) +
               (a->bools.v != NULL) + (a->ints.v != NULL) + (a->strings.v != NULL) +
               (a->versions.v != NULL);
    if (n == 1)
        return;
    size_t from = errors_now(rq);
    dray_str value = DRAY_STR("\"\"");
    if (n > 1)
        value =
            dray_value_internal(rq->arena, &dray_type_resource_device_attribute, a, release_of(rq));
    fail_invalid_text(rq, path, value, DRAY_STR("exactly one value must be specified"));
    mark(rq, from, "union", true);
}

static size_t count_values(const dray_resource_device *device) {
    size_t n = 0;
    for (size_t i = 0; i < device->attributes.n; i++) {
        const dray_resource_device_attribute *a = &device->attributes.v[i];
        size_t listed = a->bools.n + a->ints.n + a->strings.n + a->versions.n;
        n += listed > 0 ? listed : 1;
    }
    return n;
}

static void check_attributes(dray_request *rq, const dray_resource_device *device,
                             const dray_path *path) {
    size_t entries = device->attributes.n + device->capacity.n, values = count_values(device);
    if (entries > MAX_ENTRIES)
        fail_invalid_int(rq, path, (int64_t)entries,
                         DETAIL(rq,
                                "the total number of attributes and capacities must not exceed "
                                "%d",
                                MAX_ENTRIES));
    if (values > MAX_VALUES)
        fail_invalid_int(
            rq, path, (int64_t)values,
            DETAIL(rq, "the total number of attribute values must not exceed %d", MAX_VALUES));
    dray_path attributes = dray_path_child(path, "attributes");
    for (size_t i = 0; i < device->attributes.n; i++) {
        dray_str key = device->attributes.k[i];
        dray_resource_qualified_name(rq, key, &attributes);
        check_attribute(rq, &device->attributes.v[i],
                        DRAY_AT_KEY(&attributes, dray_resource_short_key(rq, key, MAX_KEY)));
    }
}

/* A stored capacity is not looked at again; before 1.37 it was. */
static void check_capacity(dray_request *rq, const dray_resource_device *device,
                           const dray_resource_device *old, const dray_path *path) {
    if (release_of(rq) >= 37 &&
        dray_api_same_member(&dray_type_resource_device, offsetof(dray_resource_device, capacity),
                             device, old))
        return;
    bool shared = device->allow_multiple_allocations.set && device->allow_multiple_allocations.v;
    for (size_t i = 0; i < device->capacity.n; i++) {
        dray_str key = device->capacity.k[i];
        const dray_resource_device_capacity *capacity = &device->capacity.v[i];
        dray_path item = dray_path_key(path, dray_resource_short_key(rq, key, MAX_KEY));
        dray_resource_qualified_name(rq, key, path);
        if (capacity->request_policy == NULL)
            continue;
        dray_path policy = dray_path_child(&item, "requestPolicy");
        if (shared)
            dray_resource_request_policy(rq, capacity->value, capacity->request_policy, &policy);
        else
            fail_forbidden(rq, &policy, DRAY_STR("allowMultipleAllocations must be true"));
    }
}

static void check_taints(dray_request *rq, const dray_resource_device *device,
                         const dray_resource_device *old, const dray_path *path) {
    if (release_of(rq) >= 35 &&
        dray_api_same_member(&dray_type_resource_device, offsetof(dray_resource_device, taints),
                             device, old))
        return;
    size_t limit = release_of(rq) >= 35 ? MAX_TAINTS : MAX_TAINTS_1_34;
    if (dray_resource_too_many(rq, device->taints.n, limit, false, path))
        return;
    for (size_t i = 0; i < device->taints.n; i++)
        dray_resource_taint(rq, &device->taints.v[i], NULL, DRAY_AT_INDEX(path, i));
}

/* The names of a set's counters, or of those that a device uses. */
void dray_resource_counters_check(dray_request *rq, size_t n, const dray_str *names,
                                  const dray_path *path) {
    size_t from = errors_now(rq);
    if (n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        cover(rq, from);
        return;
    }
    if (n > MAX_COUNTERS) {
        fail_too_many(rq, path, n, MAX_COUNTERS);
        return;
    }
    for (size_t i = 0; i < n; i++)
        dray_resource_label(rq, names[i], path);
    cover(rq, from);
}

static void check_consumption(dray_request *rq,
                              const dray_resource_device_counter_consumption *consumption,
                              const dray_path *path) {
    size_t from = errors_now(rq);
    if (consumption->counter_set.n == 0)
        fail_required(rq, DRAY_AT(path, "counterSet"), DRAY_STR(""));
    else
        dray_resource_label(rq, consumption->counter_set, DRAY_AT(path, "counterSet"));
    cover(rq, from);
    dray_resource_counters_check(rq, consumption->counters.n, consumption->counters.k,
                                 DRAY_AT(path, "counters"));
}

static void check_consumptions(dray_request *rq, const dray_resource_device *device,
                               const dray_path *path) {
    size_t n = device->consumes_counters.n;
    if (release_of(rq) >= 35 && dray_resource_too_many(rq, n, MAX_CONSUMPTIONS, true, path))
        return;
    dray_str *names = DRAY_NEW_N(rq->arena, dray_str, n + 1);
    for (size_t i = 0; i < n; i++) {
        names[i] = device->consumes_counters.v[i].counter_set;
        check_consumption(rq, &device->consumes_counters.v[i], DRAY_AT_INDEX(path, i));
    }
    dray_resource_unique(rq, names, n, true, path);
}

size_t dray_resource_node_choice(dray_request *rq, const dray_node_choice *choice, dray_buf *set,
                                 const dray_path *path) {
    const dray_str unset_or_true = DRAY_STR("must be either unset or set to true");
    size_t n = 0;
    if (choice->node_name.p != NULL && choice->node_name.n == 0) {
        fail_invalid(rq, DRAY_AT(path, "nodeName"), choice->node_name,
                     dray_str_of(choice->empty_name));
    } else if (choice->node_name.p != NULL) {
        dray_buf_puts(set, "`nodeName`");
        n++;
        dray_resource_node_name(rq, choice->node_name, DRAY_AT(path, "nodeName"));
    }
    if (choice->node_selector != NULL) {
        dray_buf_addf(set, "%s`nodeSelector`", n++ > 0 ? ", " : "");
        dray_validate_node_selector(rq, choice->node_selector, DRAY_AT(path, "nodeSelector"));
    }
    if (choice->all_nodes.set && choice->all_nodes.v)
        dray_buf_addf(set, "%s`allNodes`", n++ > 0 ? ", " : "");
    else if (choice->all_nodes.set)
        fail_invalid_bool(rq, DRAY_AT(path, "allNodes"), false, unset_or_true);
    if (choice->per_device.set && choice->per_device.v)
        dray_buf_addf(set, "%s`perDeviceNodeSelection`", n++ > 0 ? ", " : "");
    else if (choice->per_device.set)
        fail_invalid_bool(rq, DRAY_AT(path, "perDeviceNodeSelection"), false, unset_or_true);
    return n;
}

static void check_nodes(dray_request *rq, const dray_resource_slice_spec *spec,
                        const dray_resource_device *device, const dray_path *path) {
    const dray_str one = DRAY_STR("exactly one of `nodeName`, `nodeSelector`, or `allNodes` is "
                                  "required when `perDeviceNodeSelection` is set to true in the "
                                  "ResourceSlice spec");
    if (!spec->per_device_node_selection.set || !spec->per_device_node_selection.v) {
        if (device->node_name.p != NULL || device->node_selector != NULL || device->all_nodes.set)
            fail_invalid_text(rq, path, DRAY_STR("null"),
                              DRAY_STR("`nodeName`, `nodeSelector` and `allNodes` can only be set "
                                       "if `perDeviceNodeSelection` is set to true in the "
                                       "ResourceSlice spec"));
        return;
    }
    dray_node_choice choice = {
        .node_name = device->node_name,
        .node_selector = device->node_selector,
        .all_nodes = device->all_nodes,
        .empty_name = "must not be empty",
    };
    DRAY_CLEANUP_BUF dray_buf set = DRAY_BUF_INIT;
    size_t n = dray_resource_node_choice(rq, &choice, &set, path);
    if (n == 0)
        fail_required(rq, path, one);
    else if (n > 1)
        fail_invalid(rq, path, DETAIL(rq, "{%s}", dray_buf_cstr(&set)), one);
}

static void check_binding_list(dray_request *rq, dray_strings list, const dray_path *path) {
    if (dray_resource_too_many(rq, list.n, MAX_BINDING, true, path))
        return;
    for (size_t i = 0; i < list.n; i++)
        dray_resource_label_name(rq, list.v[i], DRAY_AT_INDEX(path, i));
}

static void fail_needs_other(dray_request *rq, dray_strings empty, const dray_path *path,
                             const char *detail) {
    fail_invalid_text(rq, path, empty.v != NULL ? DRAY_STR("[]") : DRAY_STR("null"),
                      dray_str_of(detail));
}

void dray_resource_binding(dray_request *rq, dray_strings conditions, dray_strings failures,
                           const dray_path *path) {
    dray_path good = dray_path_child(path, "bindingConditions");
    dray_path bad = dray_path_child(path, "bindingFailureConditions");
    check_binding_list(rq, conditions, &good);
    check_binding_list(rq, failures, &bad);
    dray_resource_unique(rq, conditions.v, conditions.n, false, &good);
    dray_resource_unique(rq, failures.v, failures.n, false, &bad);
    for (size_t i = 0; i < failures.n; i++)
        if (strings_have(conditions, failures.v[i]))
            fail_invalid(rq, DRAY_AT_INDEX(&bad, i), failures.v[i],
                         DRAY_STR("bindingFailureConditions must not overlap with "
                                  "bindingConditions"));
    if (conditions.n == 0 && failures.n > 0)
        fail_needs_other(rq, conditions, &good,
                         "bindingConditions are required to use bindingFailureConditions");
    if (failures.n == 0 && conditions.n > 0)
        fail_needs_other(rq, failures, &bad,
                         "bindingFailureConditions are required to use bindingConditions");
}

void dray_resource_skip_operations(dray_request *rq, dray_strings operations,
                                   const dray_path *path) {
    if (strings_have(operations, DRAY_STR("NodePrepareResources")) &&
        !strings_have(operations, DRAY_STR("NodeUnprepareResources")) &&
        !strings_have(operations, DRAY_STR("*")))
        fail_invalid_text(rq, path, dray_value_strings(rq->arena, operations),
                          DRAY_STR("NodePrepareResources cannot be skipped unless "
                                   "NodeUnprepareResources is also skipped"));
}

void dray_resource_device_check(dray_request *rq, const dray_resource_slice_spec *spec,
                                const dray_resource_device *device, const dray_resource_device *old,
                                const dray_path *path) {
    dray_resource_label(rq, device->name, DRAY_AT(path, "name"));
    check_attributes(rq, device, path);
    check_capacity(rq, device, old, DRAY_AT(path, "capacity"));
    check_taints(rq, device, old, DRAY_AT(path, "taints"));
    check_consumptions(rq, device, DRAY_AT(path, "consumesCounters"));
    check_nodes(rq, spec, device, path);
    dray_resource_binding(rq, device->binding_conditions, device->binding_failure_conditions, path);
    dray_resource_node_allocatable(rq, device, path);
}
