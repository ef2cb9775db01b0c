/* What defaulting functions do to types of resource.k8s.io, in every version.
 * Source: pkg/apis/resource/{v1,v1beta1,v1beta2,v1alpha3}/defaults.go. */
#include "api/default_int.h"

#include "base/vec.h"

static void default_mode(dray_str *mode, int64_t *count) {
    if (mode->n == 0)
        *mode = DRAY_STR("ExactCount");
    if (dray_str_is(*mode, "ExactCount") && *count == 0)
        *count = 1;
}

static void default_exact_request(void *body, const dray_defaults *d) {
    (void)d;
    dray_resource_exact_device_request *r = body;
    default_mode(&r->allocation_mode, &r->count);
}

static void default_sub_request(void *body, const dray_defaults *d) {
    (void)d;
    dray_resource_device_sub_request *r = body;
    default_mode(&r->allocation_mode, &r->count);
}

static void default_v1beta1_sub_request(void *body, const dray_defaults *d) {
    (void)d;
    dray_resource_v1beta1_device_sub_request *r = body;
    default_mode(&r->allocation_mode, &r->count);
}

/* A request without a class has alternatives, and those have the mode. */
static void default_v1beta1_request(void *body, const dray_defaults *d) {
    (void)d;
    dray_resource_v1beta1_device_request *r = body;
    if (r->device_class_name.n != 0)
        default_mode(&r->allocation_mode, &r->count);
}

static void default_taint(void *body, const dray_defaults *d) {
    dray_resource_device_taint *taint = body;
    if (!taint->time_added.set)
        taint->time_added = (dray_time){.sec = d->now.sec, .set = true};
}

/* 1.36 only; the field is unknown to the others. */
static void default_mapping(void *body, const dray_defaults *d) {
    dray_resource_node_allocatable_resource_mapping *mapping = body;
    if (mapping->allocation_multiplier != NULL)
        return;
    mapping->allocation_multiplier = DRAY_NEW(d->arena, dray_quantity);
    *mapping->allocation_multiplier = dray_quantity_from_int(1, DRAY_QUANTITY_DECIMAL_SI);
}

const dray_default_hook dray_default_hooks_resource[] = {
    {&dray_type_resource_exact_device_request, default_exact_request},
    {&dray_type_resource_device_sub_request, default_sub_request},
    {&dray_type_resource_v1beta1_device_sub_request, default_v1beta1_sub_request},
    {&dray_type_resource_v1beta1_device_request, default_v1beta1_request},
    {&dray_type_resource_device_taint, default_taint},
    {&dray_type_resource_node_allocatable_resource_mapping, default_mapping},
};
const size_t dray_n_default_hooks_resource = DRAY_COUNT(dray_default_hooks_resource);
