/* Consumable capacity: what a request consumes of a device, rounded as the device's policy says.
 * Source: KEP-5075; the structured allocator of 1.37.2, whose odd corners are kept. */
#include "alloc/alloc_int.h"

enum { FEW = 4 /* capacities of a device, usually */ };

static const char not_representable[] =
    "capacity request cannot be represented in the device's range arithmetic";

static const dray_quantity *find(const dray_resource_capacity_requirements *want, dray_str name) {
    for (size_t i = 0; want != NULL && i < want->requests.n; i++) {
        if (dray_str_eq(want->requests.k[i], name))
            return &want->requests.v[i];
    }
    return NULL;
}

/* As dray_quantity_cmp, which most pairs are too simple for. */
static inline int cmp(const dray_quantity *a, const dray_quantity *b) {
    if (a->big == NULL && b->big == NULL && a->scale == b->scale)
        return (a->value > b->value) - (a->value < b->value);
    return dray_quantity_cmp(*a, *b);
}

/* Whether q is a whole number of 10⁻³ that int64 holds. */
static bool milli_of(const dray_quantity *q, int64_t *ret) {
    return dray_quantity_as_milli(*q, ret);
}

static bool in_milli(const dray_resource_capacity_request_policy_range *range, bool fractional) {
    int64_t milli;
    if (!fractional || (range->min != NULL && !milli_of(range->min, &milli)) ||
        (range->max != NULL && !milli_of(range->max, &milli)))
        return false;
    return range->step == NULL || (milli_of(range->step, &milli) && milli >= 1);
}

static int64_t value_of(const dray_quantity *q) {
    bool fits;
    return q != NULL ? dray_quantity_value(*q, &fits) : 0;
}

static dray_str refuse(dray_arena *arena, const dray_quantity *wanted, const char *format) {
    dray_str text = dray_quantity_format(*wanted, arena);
    dray_str why = dray_strf(arena, format, DRAY_ARG(text));
    return dray_strf(arena, "%s: " DRAY_FMT, not_representable, DRAY_ARG(why));
}

/* min + step × n for the smallest n that reaches wanted; false where int64 can't hold it. */
static bool round_up(int64_t wanted, int64_t min, int64_t step, bool *ret_zero_step, int64_t *ret) {
    *ret_zero_step = step == 0;
    if (step == 0)
        return false;
    int64_t added = (int64_t)((uint64_t)wanted - (uint64_t)min);
    int64_t n = step == -1 ? -added : added / step;
    if (step != -1 && added % step != 0)
        n++;
    if (min >= 0 && step > 0 && n > (INT64_MAX - min) / step)
        return false;
    *ret = (int64_t)((uint64_t)min + (uint64_t)step * (uint64_t)n);
    return true;
}

static bool round_up_range(const dray_quantity *wanted,
                           const dray_resource_capacity_request_policy_range *range,
                           bool fractional, dray_arena *arena, dray_quantity *ret,
                           dray_str *error) {
    if (cmp(wanted, range->min) < 0) {
        *ret = *range->min;
        return true;
    }
    *ret = *wanted;
    if (range->step == NULL)
        return true;
    bool zero_step;
    int64_t milli, min = 0, step = 0, rounded;
    if (in_milli(range, fractional)) {
        (void)milli_of(range->min, &min);
        (void)milli_of(range->step, &step);
        if (!milli_of(wanted, &milli)) {
            *error =
                refuse(arena, wanted, "request " DRAY_FMT " is not a representable milli value");
            return false;
        }
        if (!round_up(milli, min, step, &zero_step, &rounded)) {
            *error = refuse(arena, wanted,
                            "rounding request " DRAY_FMT
                            " up to the next step passes the milli-value range");
            return false;
        }
        *ret = rounded % 1000 == 0 ? dray_quantity_from_int(rounded / 1000, range->step->form)
                                   : dray_quantity_from_milli(rounded, range->step->form);
        return true;
    }
    if (dray_quantity_cmp(*wanted, dray_quantity_from_int(INT64_MAX, DRAY_QUANTITY_DECIMAL_SI)) >
        0) {
        *error = refuse(arena, wanted, "request " DRAY_FMT " exceeds MaxInt64");
        return false;
    }
    if (!round_up(value_of(wanted), value_of(range->min), value_of(range->step), &zero_step,
                  &rounded)) {
        *error = refuse(arena, wanted,
                        "rounding request " DRAY_FMT " up to the next step passes MaxInt64");
        return zero_step;
    }
    *ret = dray_quantity_from_int(rounded, range->step->form);
    return true;
}

/* What the request consumes of one capacity; false: *error. */
static bool consumed(const dray_quantity *wanted, const dray_resource_device_capacity *capacity,
                     bool fractional, dray_arena *arena, dray_quantity *ret, dray_str *error) {
    const dray_resource_capacity_request_policy *policy = capacity->request_policy;
    if (wanted == NULL) {
        *ret = policy != NULL && policy->default_ != NULL ? *policy->default_ : capacity->value;
        return true;
    }
    *ret = *wanted;
    if (policy == NULL)
        return true;
    if (policy->valid_range != NULL && policy->valid_range->min != NULL)
        return round_up_range(wanted, policy->valid_range, fractional, arena, ret, error);
    for (size_t i = 0; i < policy->valid_values.n; i++) {
        if (cmp(wanted, &policy->valid_values.v[i]) <= 0) {
            *ret = policy->valid_values.v[i];
            break;
        }
    }
    return true;
}

static bool violates_range(const dray_quantity *amount,
                           const dray_resource_capacity_request_policy_range *range,
                           bool fractional) {
    if (range->max != NULL && cmp(amount, range->max) > 0)
        return true;
    if (range->step == NULL)
        return false;
    int64_t milli, min = 0, step = 0;
    if (in_milli(range, fractional)) {
        if (!milli_of(amount, &milli))
            return true;
        if (range->min != NULL)
            (void)milli_of(range->min, &min);
        (void)milli_of(range->step, &step);
        return (milli - min) % step != 0;
    }
    min = value_of(range->min);
    step = value_of(range->step);
    if (step == 0)
        return true;
    return step != -1 && (int64_t)((uint64_t)value_of(amount) - (uint64_t)min) % step != 0;
}

static bool violates(const dray_quantity *amount,
                     const dray_resource_capacity_request_policy *policy, bool fractional) {
    if (policy == NULL)
        return false;
    if (policy->default_ != NULL && cmp(amount, policy->default_) == 0)
        return false;
    if (policy->valid_range != NULL)
        return violates_range(amount, policy->valid_range, fractional);
    for (size_t i = 0; i < policy->valid_values.n; i++) {
        if (cmp(amount, &policy->valid_values.v[i]) == 0)
            return false;
    }
    return policy->valid_values.n > 0;
}

dray_quantity dray_capacity_amount(const dray_resource_capacity_requirements *want,
                                   const dray_resource_device *device, size_t i, bool fractional,
                                   dray_arena *arena) {
    dray_quantity amount = {0};
    dray_str error;
    (void)consumed(find(want, device->capacity.k[i]), &device->capacity.v[i], fractional, arena,
                   &amount, &error);
    return amount;
}

/* Each requested name is one that the device has. Keys are compared literally. */
static bool has_names(const dray_resource_capacity_requirements *want,
                      const dray_resource_device *device) {
    for (size_t i = 0; want != NULL && i < want->requests.n; i++) {
        size_t k = 0;
        while (k < device->capacity.n && !dray_str_eq(device->capacity.k[k], want->requests.k[i]))
            k++;
        if (k == device->capacity.n)
            return false;
    }
    return true;
}

/* All amounts first: an error wins over a refusal whatever the order of names. */
static bool amounts_of(const dray_resource_capacity_requirements *want,
                       const dray_resource_device *device, bool fractional, dray_arena *arena,
                       dray_quantity *ret, dray_str *error) {
    for (size_t i = 0; i < device->capacity.n; i++) {
        dray_str name = device->capacity.k[i], why = DRAY_STR_NONE;
        if (consumed(find(want, name), &device->capacity.v[i], fractional, arena, &ret[i], &why) &&
            (ret[i].big == NULL ? ret[i].value >= 0 : dray_quantity_sign(ret[i]) >= 0))
            continue;
        if (why.p == NULL)
            why = DRAY_STR("capacity value is negative");
        if (error != NULL)
            *error = dray_strf(arena, "capacity \"" DRAY_FMT "\": " DRAY_FMT, DRAY_ARG(name),
                               DRAY_ARG(why));
        return false;
    }
    return true;
}

dray_room dray_capacity_check(const dray_resource_capacity_requirements *want,
                              const dray_resource_device *device, bool fractional,
                              dray_arena *arena, dray_amount **ret_amounts, dray_str *error) {
    if (!has_names(want, device))
        return DRAY_ROOM_NO_NAME;
    size_t n = device->capacity.n;
    if (n == 0)
        return DRAY_ROOM_YES;
    dray_quantity few[FEW];
    dray_quantity *amounts = n <= FEW ? few : DRAY_NEW_N(arena, dray_quantity, n);
    if (!amounts_of(want, device, fractional, arena, amounts, error))
        return DRAY_ROOM_ERROR;
    dray_room room = DRAY_ROOM_YES;
    for (size_t i = 0; i < n && room != DRAY_ROOM_POLICY; i++) {
        const dray_resource_device_capacity *capacity = &device->capacity.v[i];
        if (violates(&amounts[i], capacity->request_policy, fractional))
            room = DRAY_ROOM_POLICY;
        else if (cmp(&amounts[i], &capacity->value) > 0)
            room = DRAY_ROOM_TOO_MUCH;
    }
    if (ret_amounts != NULL) {
        *ret_amounts = DRAY_NEW_N(arena, dray_amount, n);
        for (size_t i = 0; i < n; i++)
            (*ret_amounts)[i] = dray_amount_of(amounts[i]);
    }
    return room;
}
