/* DeviceClass: selectors, configuration, the extended resource it stands for. */
#include "api/engine_int.h"
#include "api/validate/resource_int.h"

void dray_validate_class_spec(dray_request *rq, const dray_resource_device_class_spec *spec,
                              const dray_resource_device_class_spec *old, const dray_path *path) {
    const dray_type *type = &dray_type_resource_device_class_spec;
    dray_claim_check c = {.rq = rq};
    c.stored =
        old != NULL &&
        dray_api_same_member(type, offsetof(dray_resource_device_class_spec, selectors), spec, old);
    dray_resource_selectors(&c, spec->selectors.v, spec->selectors.n, DRAY_AT(path, "selectors"));

    bool stored =
        old != NULL && release_of(rq) >= 35 &&
        dray_api_same_member(type, offsetof(dray_resource_device_class_spec, config), spec, old);
    dray_path config = dray_path_child(path, "config");
    if (!dray_resource_too_many(rq, spec->config.n, DRAY_RESOURCE_MAX_CONFIG, true, &config))
        for (size_t i = 0; i < spec->config.n; i++)
            dray_resource_configuration(rq, spec->config.v[i].device_configuration, stored,
                                        DRAY_AT_INDEX(&config, i));

    size_t from = errors_now(rq);
    if (spec->extended_resource_name.p != NULL &&
        !dray_is_extended_resource(spec->extended_resource_name))
        fail_invalid(rq, DRAY_AT(path, "extendedResourceName"), spec->extended_resource_name,
                     DRAY_STR("must be a valid extended resource name"));
    mark(rq, from, "format=k8s-extended-resource-name", true);
}
