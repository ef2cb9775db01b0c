/* The pairs of types that differ in more than names. Source:
 * pkg/apis/resource/v1beta1/conversion.go.
 */
#include "api/convert_int.h"

typedef dray_resource_v1beta1_device_request old_request;
typedef dray_resource_v1beta1_device old_device;

/* Lists and maps that the written conversions build only from their elements: empty becomes nil. */
#define DROP_EMPTY_LIST(list) \
    do {                      \
        if ((list).n == 0)    \
            (list).v = NULL;  \
    } while (0)
#define DROP_EMPTY_MAP(map)                 \
    do {                                    \
        if ((map).n == 0)                   \
            (map).k = NULL, (map).v = NULL; \
    } while (0)

static bool has_main_request(const old_request *r) {
    return r->device_class_name.n != 0 || r->selectors.v != NULL || r->allocation_mode.n != 0 ||
           r->count != 0 || r->admin_access.set || r->tolerations.v != NULL ||
           r->capacity != NULL || r->derived_attributes.v != NULL;
}

/* v1 keeps in `exactly` what v1beta1 has on the request itself. */
static void request_to_hub(const void *from, void *to, dray_arena *arena) {
    const old_request *in = from;
    dray_resource_device_request *out = to;
    if (!has_main_request(in))
        return;
    out->exactly = dray_api_new(&dray_type_resource_exact_device_request, arena);
    dray_api_convert_fields(&dray_type_resource_v1beta1_device_request, in,
                            &dray_type_resource_exact_device_request, out->exactly, arena);
    DROP_EMPTY_LIST(out->exactly->tolerations);
}

static void request_from_hub(const void *from, void *to, dray_arena *arena) {
    const dray_resource_device_request *in = from;
    old_request *out = to;
    dray_str name = out->name;
    if (in->exactly == NULL)
        return;
    dray_api_convert_fields(&dray_type_resource_exact_device_request, in->exactly,
                            &dray_type_resource_v1beta1_device_request, out, arena);
    out->name = name;
    DROP_EMPTY_LIST(out->tolerations);
}

/* v1 has on the device what v1beta1 keeps in `basic`. */
static void device_to_hub(const void *from, void *to, dray_arena *arena) {
    const old_device *in = from;
    dray_resource_device *out = to;
    if (in->basic == NULL)
        return;
    dray_api_convert_fields(&dray_type_resource_v1beta1_basic_device, in->basic,
                            &dray_type_resource_device, out, arena);
    out->name = in->name;
    DROP_EMPTY_MAP(out->attributes);
    DROP_EMPTY_MAP(out->capacity);
    DROP_EMPTY_LIST(out->consumes_counters);
    DROP_EMPTY_LIST(out->taints);
}

static void device_from_hub(const void *from, void *to, dray_arena *arena) {
    const dray_resource_device *in = from;
    old_device *out = to;
    out->basic = dray_api_new(&dray_type_resource_v1beta1_basic_device, arena);
    dray_api_convert_fields(&dray_type_resource_device, in,
                            &dray_type_resource_v1beta1_basic_device, out->basic, arena);
    DROP_EMPTY_MAP(out->basic->attributes);
    DROP_EMPTY_MAP(out->basic->capacity);
    DROP_EMPTY_LIST(out->basic->consumes_counters);
    DROP_EMPTY_LIST(out->basic->taints);
}

const dray_convert_hook dray_convert_hooks[] = {
    {&dray_type_resource_v1beta1_device_request, &dray_type_resource_device_request,
     request_to_hub},
    {&dray_type_resource_device_request, &dray_type_resource_v1beta1_device_request,
     request_from_hub},
    {&dray_type_resource_v1beta1_device, &dray_type_resource_device, device_to_hub},
    {&dray_type_resource_device, &dray_type_resource_v1beta1_device, device_from_hub},
};
const size_t dray_n_convert_hooks = sizeof dray_convert_hooks / sizeof *dray_convert_hooks;
