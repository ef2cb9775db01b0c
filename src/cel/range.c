/* Saturating arithmetic on ranges of costs and sizes, and the bounds of variables. */
#include "cel/estimate.h"

#include <math.h>

static uint64_t add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t mul(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t scale(uint64_t n, double factor) {
    double up = ceil((double)n * factor);
    return up >= 0x1p64 ? UINT64_MAX : (uint64_t)up;
}

dray_cel_range dray_cel_range_add(dray_cel_range a, dray_cel_range b) {
    return (dray_cel_range){add(a.min, b.min), add(a.max, b.max)};
}

dray_cel_range dray_cel_range_mul(dray_cel_range a, dray_cel_range b) {
    return (dray_cel_range){mul(a.min, b.min), mul(a.max, b.max)};
}

dray_cel_range dray_cel_range_union(dray_cel_range a, dray_cel_range b) {
    return (dray_cel_range){a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
}

dray_cel_range dray_cel_range_scale(dray_cel_range a, double factor) {
    return (dray_cel_range){scale(a.min, factor), scale(a.max, factor)};
}

const dray_cel_bounds *dray_cel_bounds_values(const dray_cel_bounds *bounds) {
    return bounds != NULL ? bounds->values : NULL;
}

const dray_cel_bounds *dray_cel_bounds_keys(const dray_cel_bounds *bounds) {
    return bounds != NULL ? bounds->keys : NULL;
}

const dray_cel_bounds *dray_cel_bounds_field(const dray_cel_bounds *bounds, dray_str name) {
    if (bounds == NULL)
        return NULL;
    for (size_t i = 0; i < bounds->n_fields; i++)
        if (dray_str_is(name, bounds->fields[i].name))
            return bounds->fields[i].bounds;
    return bounds->select_values ? bounds->values : NULL;
}

dray_cel_range dray_cel_bounds_size(const dray_cel_bounds *bounds) {
    return (dray_cel_range){0, bounds != NULL ? bounds->max : UINT64_MAX};
}
