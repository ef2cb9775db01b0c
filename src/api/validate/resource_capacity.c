/* Request policies of shareable capacity, and node-allocatable resources of a device. */
#include "api/validate/resource_int.h"

#include <inttypes.h>

enum { MAX_VALID_VALUES = 10 };

static dray_str text_of(dray_request *rq, dray_quantity q) {
    return dray_quantity_format(q, rq->arena);
}

static void fail_quantity(dray_request *rq, const dray_path *path, dray_quantity q,
                          dray_str detail) {
    fail_invalid(rq, path, text_of(rq, q), detail);
}

/* What the quantity's canonical text ends with tells: n, u, m, or a negative exponent. */
static bool is_fractional(dray_request *rq, dray_quantity q) {
    dray_str text = text_of(rq, q);
    return text.n > 0 && (strchr("num", text.p[text.n - 1]) != NULL ||
                          dray_str_find(text, DRAY_STR("e-")) != SIZE_MAX);
}

/* Valid values. */

/* The whole number it is rounded to or, with fractional ranges, the exact decimal with its digits
 * after the point: 1 and 1.0 differ, as upstream. */
static dray_str value_key(dray_request *rq, dray_quantity q) {
    bool fits;
    if (!dray_request_gate(rq, DRAY_GATE_DRAFractionalCapacityRange))
        return DETAIL(rq, "%" PRId64, dray_quantity_value(q, &fits));
    if (q.big != NULL)
        return text_of(rq, q);
    int decimals = q.scale < 0 ? -q.scale : 0;
    dray_str digits = DETAIL(rq, "%s%" PRIu64, q.value < 0 ? "-" : "",
                             q.value < 0 ? 0 - (uint64_t)q.value : (uint64_t)q.value);
    size_t sign = q.value < 0;
    while (digits.n - sign <= (size_t)decimals)
        digits = DETAIL(rq, "%s0" DRAY_FMT, sign ? "-" : "",
                        DRAY_ARG(dray_str_slice(digits, sign, digits.n)));
    for (int i = 0; i < q.scale && q.value != 0; i++)
        digits = DETAIL(rq, DRAY_FMT "0", DRAY_ARG(digits));
    if (decimals == 0)
        return digits;
    size_t whole = digits.n - (size_t)decimals;
    return DETAIL(rq, DRAY_FMT "." DRAY_FMT, DRAY_ARG(dray_str_slice(digits, 0, whole)),
                  DRAY_ARG(dray_str_slice(digits, whole, digits.n)));
}

static void check_valid_values(dray_request *rq, dray_quantity capacity,
                               const dray_resource_capacity_request_policy *policy,
                               const dray_path *path) {
    size_t n = policy->valid_values.n;
    const dray_quantity *values = policy->valid_values.v;
    for (size_t i = 1; i < n; i++)
        if (dray_quantity_cmp(values[i - 1], values[i]) > 0)
            fail_quantity(rq, DRAY_AT_INDEX(path, i), values[i],
                          DRAY_STR("values must be sorted in ascending order"));
    bool found = false;
    if (!dray_resource_too_many(rq, n, MAX_VALID_VALUES, false, path)) {
        dray_str keys[MAX_VALID_VALUES];
        for (size_t i = 0; i < n; i++) {
            if (dray_quantity_cmp(values[i], capacity) > 0)
                fail_quantity(rq, DRAY_AT_INDEX(path, i), values[i],
                              DETAIL(rq, "option is larger than capacity value: " DRAY_FMT,
                                     DRAY_ARG(text_of(rq, capacity))));
            found = found || dray_quantity_cmp(values[i], *policy->default_) == 0;
            keys[i] = value_key(rq, values[i]);
        }
        dray_resource_unique(rq, keys, n, false, path);
    }
    if (!found)
        fail_quantity(rq, path, *policy->default_,
                      DRAY_STR("default value is not valid according to the requestPolicy"));
}

/* Ranges. */

typedef struct bound {
    const char *json;
    const dray_quantity *q; /* NULL: not given */
} bound;

enum { BOUNDS = 4 };

static void list_bounds(bound out[BOUNDS], const dray_quantity *default_,
                        const dray_resource_capacity_request_policy_range *range) {
    out[0] = (bound){"default", default_};
    out[1] = (bound){"min", range->min};
    out[2] = (bound){"max", range->max};
    out[3] = (bound){"step", range->step};
}

static void fail_compare(dray_request *rq, const dray_path *path, const char *member,
                         dray_quantity value, const char *words, dray_quantity other) {
    fail_quantity(rq, DRAY_AT(path, member), value,
                  DETAIL(rq, "%s: " DRAY_FMT, words, DRAY_ARG(text_of(rq, other))));
}

static void check_order(dray_request *rq, dray_quantity capacity, dray_quantity default_,
                        const dray_resource_capacity_request_policy_range *range,
                        const dray_path *path) {
    dray_quantity min = *range->min;
    if (dray_quantity_cmp(min, capacity) > 0)
        fail_compare(rq, path, "min", min, "min is larger than capacity value", capacity);
    if (dray_quantity_cmp(default_, min) < 0)
        fail_compare(rq, path, "default", default_, "default is less than min", min);
    if (range->max == NULL)
        return;
    dray_quantity max = *range->max;
    if (dray_quantity_cmp(min, max) > 0)
        fail_compare(rq, path, "max", min, "min is larger than max", max);
    if (dray_quantity_cmp(max, capacity) > 0)
        fail_compare(rq, path, "max", max, "max is larger than capacity value", capacity);
    if (dray_quantity_cmp(default_, max) > 0)
        fail_compare(rq, path, "default", default_, "default is more than max", max);
}

/* Whether every bound is a whole number of thousandths that int64 holds. */
static bool check_milli(dray_request *rq, const bound bounds[BOUNDS], const dray_path *path) {
    size_t from = errors_now(rq);
    for (size_t i = 0; i < BOUNDS; i++) {
        if (bounds[i].q == NULL)
            continue;
        bool fits;
        int64_t milli = dray_quantity_milli(*bounds[i].q, &fits);
        if (dray_quantity_cmp(*bounds[i].q, dray_quantity_from_milli(milli, bounds[i].q->form)) !=
            0)
            fail_quantity(rq, DRAY_AT(path, bounds[i].json), *bounds[i].q,
                          DRAY_STR("value cannot be represented as a milli value"));
    }
    return errors_now(rq) == from;
}

/* Whether every bound lies in [0, 2^63): outside, whole numbers can't be told. Older releases don't
 * look. */
static bool check_int64(dray_request *rq, const bound bounds[BOUNDS], const dray_path *path) {
    size_t from = errors_now(rq);
    dray_quantity most = dray_quantity_from_int(INT64_MAX, DRAY_QUANTITY_DECIMAL_SI);
    for (size_t i = 0; i < BOUNDS && release_of(rq) >= 37; i++) {
        if (bounds[i].q == NULL)
            continue;
        if (dray_quantity_sign(*bounds[i].q) < 0)
            fail_quantity(rq, DRAY_AT(path, bounds[i].json), *bounds[i].q,
                          DRAY_STR("must be greater than or equal to 0"));
        else if (dray_quantity_cmp(*bounds[i].q, most) > 0)
            fail_quantity(rq, DRAY_AT(path, bounds[i].json), *bounds[i].q,
                          DRAY_STR("must not be larger than 9223372036854775807"));
    }
    return errors_now(rq) == from;
}

static void check_multiple(dray_request *rq, dray_quantity value,
                           const dray_resource_capacity_request_policy_range *range, bool milli,
                           const dray_path *path) {
    bool fits;
    int64_t (*number)(dray_quantity q, bool *ret_fits) =
        milli ? dray_quantity_milli : dray_quantity_value;
    int64_t step = number(*range->step, &fits);
    uint64_t distance =
        (uint64_t)number(value, &fits) - (uint64_t)number(*range->min, &fits); /* wraps as Go's */
    if (step == 0 || step == -1 || (int64_t)distance % step == 0)
        return;
    fail_quantity(
        rq, path, value,
        DETAIL(rq, "value is not a multiple of a given step (" DRAY_FMT ") from (" DRAY_FMT ")",
               DRAY_ARG(text_of(rq, *range->step)), DRAY_ARG(text_of(rq, *range->min))));
}

static void check_step(dray_request *rq, dray_quantity capacity, dray_quantity default_,
                       const dray_resource_capacity_request_policy_range *range, bool milli,
                       const dray_path *path) {
    dray_path at = dray_path_child(path, "step");
    int sign = dray_quantity_sign(*range->step);
    if (sign == 0 || (sign < 0 && release_of(rq) >= 37)) {
        fail_quantity(rq, &at, *range->step, DRAY_STR("must be greater than zero"));
        return;
    }
    dray_quantity one = dray_quantity_add(*range->min, *range->step, rq->arena);
    if (dray_quantity_cmp(one, capacity) > 0)
        fail_quantity(rq, &at, *range->step,
                      DETAIL(rq, "one step " DRAY_FMT " is larger than capacity value: " DRAY_FMT,
                             DRAY_ARG(text_of(rq, one)), DRAY_ARG(text_of(rq, capacity))));
    bound bounds[BOUNDS];
    list_bounds(bounds, &default_, range);
    if (!milli && !check_int64(rq, bounds, path))
        return;
    check_multiple(rq, default_, range, milli, &at);
    if (range->max != NULL)
        check_multiple(rq, *range->max, range, milli, &at);
}

static void check_range(dray_request *rq, dray_quantity capacity, dray_quantity default_,
                        const dray_resource_capacity_request_policy_range *range,
                        const dray_path *path) {
    if (range->min == NULL) {
        fail_required(rq, DRAY_AT(path, "min"), DRAY_STR("required when validRange is defined"));
        return;
    }
    check_order(rq, capacity, default_, range, path);
    bound bounds[BOUNDS];
    list_bounds(bounds, &default_, range);
    bool milli = false;
    if (dray_request_gate(rq, DRAY_GATE_DRAFractionalCapacityRange))
        for (size_t i = 0; i < BOUNDS; i++)
            milli = milli || (bounds[i].q != NULL && is_fractional(rq, *bounds[i].q));
    if (milli && !check_milli(rq, bounds, path))
        return;
    if (range->step != NULL)
        check_step(rq, capacity, default_, range, milli, path);
}

void dray_resource_request_policy(dray_request *rq, dray_quantity capacity,
                                  const dray_resource_capacity_request_policy *policy,
                                  const dray_path *path) {
    bool values = policy->valid_values.n > 0;
    if (values && policy->valid_range != NULL)
        fail_forbidden(rq, path,
                       DRAY_STR("exactly one policy can be specified, cannot specify "
                                "\"validValues\" and \"validRange\" at the same time"));
    else if (values && policy->default_ == NULL)
        fail_required(rq, DRAY_AT(path, "default"),
                      DRAY_STR("required when validValues is defined"));
    else if (values)
        check_valid_values(rq, capacity, policy, DRAY_AT(path, "validValues"));
    else if (policy->valid_range != NULL && policy->default_ == NULL)
        fail_required(rq, DRAY_AT(path, "default"),
                      DRAY_STR("required when validRange is defined"));
    else if (policy->valid_range != NULL)
        check_range(rq, capacity, *policy->default_, policy->valid_range,
                    DRAY_AT(path, "validRange"));
}

/* Node-allocatable resources. */

static bool has_capacity(const dray_resource_device *device, dray_str key) {
    for (size_t i = 0; i < device->capacity.n; i++)
        if (dray_str_eq(device->capacity.k[i], key))
            return true;
    return false;
}

static void check_mapping(dray_request *rq, const dray_resource_device *device,
                          const dray_resource_node_allocatable_mapping *mapping,
                          const dray_path *path) {
    const dray_str positive = DRAY_STR("must be positive");
    dray_path key = dray_path_child(path, "capacityKey");
    dray_path multiplier = dray_path_child(path, "capacityMultiplier");
    bool keyed = mapping->capacity_key.p != NULL;
    if (keyed && mapping->capacity_key.n == 0)
        fail_invalid(rq, &key, DRAY_STR(""), DRAY_STR("capacityKey must not be an empty string"));
    else if (keyed && !has_capacity(device, mapping->capacity_key))
        fail(rq, DRAY_FIELD_NOT_FOUND, &key,
             dray_value_json_string(rq->arena, mapping->capacity_key), DRAY_STR(""));
    if (keyed && mapping->capacity_multiplier == NULL)
        fail_required(rq, &multiplier,
                      DRAY_STR("capacityMultiplier is required when capacityKey is set"));
    else if (keyed && dray_quantity_sign(*mapping->capacity_multiplier) <= 0)
        fail_quantity(rq, &multiplier, *mapping->capacity_multiplier, positive);
    if (mapping->device_multiplier != NULL && dray_quantity_sign(*mapping->device_multiplier) <= 0)
        fail_quantity(rq, DRAY_AT(path, "deviceMultiplier"), *mapping->device_multiplier, positive);
    if (mapping->capacity_multiplier != NULL && !keyed)
        fail_required(rq, &key, DRAY_STR("capacityKey is required when capacityMultiplier is set"));
}

static void check_overhead(dray_request *rq,
                           const dray_resource_node_allocatable_overhead *overhead,
                           const dray_path *path) {
    const dray_str not_negative = DRAY_STR("must be non-negative");
    if (overhead->per_pod == NULL && overhead->per_container == NULL) {
        fail_invalid(rq, path, DRAY_STR(""),
                     DRAY_STR("at least one of perPod or perContainer must be set"));
        return;
    }
    if (overhead->per_pod != NULL && dray_quantity_sign(*overhead->per_pod) < 0)
        fail_quantity(rq, DRAY_AT(path, "perPod"), *overhead->per_pod, not_negative);
    if (overhead->per_container != NULL && dray_quantity_sign(*overhead->per_container) < 0)
        fail_quantity(rq, DRAY_AT(path, "perContainer"), *overhead->per_container, not_negative);
}

/* The shape that 1.36 had. */
static void check_old_mappings(dray_request *rq, const dray_resource_device *device,
                               const dray_path *parent) {
    dray_path path = dray_path_child(parent, "nodeAllocatableResourceMappings");
    for (size_t i = 0; i < device->node_allocatable_resource_mappings.n; i++) {
        dray_str name = device->node_allocatable_resource_mappings.k[i];
        const dray_resource_node_allocatable_resource_mapping *m =
            &device->node_allocatable_resource_mappings.v[i];
        dray_path item = dray_path_key(&path, name);
        if (dray_is_extended_resource(name))
            fail_invalid_word(rq, &item, name,
                              DRAY_STR("must be a node allocatable resource name"));
        if (m->capacity_key.p != NULL && !has_capacity(device, m->capacity_key))
            fail(rq, DRAY_FIELD_NOT_FOUND, DRAY_AT(&item, "capacityKey"),
                 dray_value_json_string(rq->arena, m->capacity_key), DRAY_STR(""));
        if (m->allocation_multiplier != NULL && dray_quantity_sign(*m->allocation_multiplier) <= 0)
            fail_quantity(rq, DRAY_AT(&item, "allocationMultiplier"), *m->allocation_multiplier,
                          DRAY_STR("must be positive"));
    }
}

void dray_resource_node_allocatable(dray_request *rq, const dray_resource_device *device,
                                    const dray_path *parent) {
    dray_path path = dray_path_child(parent, "nodeAllocatableResources");
    check_old_mappings(rq, device, parent);
    for (size_t i = 0; i < device->node_allocatable_resources.n; i++) {
        dray_str name = device->node_allocatable_resources.k[i];
        const dray_resource_node_allocatable_resource *r = &device->node_allocatable_resources.v[i];
        dray_path item = dray_path_key(&path, name);
        if (!IS_ONE_OF(name, "cpu", "memory") && !dray_str_starts(name, DRAY_STR("hugepages-")))
            fail_invalid_word(rq, &item, name,
                              DRAY_STR("must be a node allocatable resource name"));
        if (r->mapping == NULL && r->overhead == NULL)
            fail_required(rq, &item, DRAY_STR("at least one of mapping or overhead must be set"));
        if (r->mapping != NULL)
            check_mapping(rq, device, r->mapping, DRAY_AT(&item, "mapping"));
        if (r->overhead != NULL)
            check_overhead(rq, r->overhead, DRAY_AT(&item, "overhead"));
    }
}
