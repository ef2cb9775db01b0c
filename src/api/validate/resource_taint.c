/* Device taints and tolerations, and DeviceTaintRule's spec. */
#include "api/validate/resource_int.h"

/* The effect None came with 1.35. */
static bool is_effect(const dray_request *rq, dray_str effect) {
    return IS_ONE_OF(effect, "NoExecute", "NoSchedule") ||
           (dray_str_is(effect, "None") && release_of(rq) >= 35);
}

static void fail_effect(dray_request *rq, dray_str effect, const dray_path *path) {
    if (release_of(rq) >= 35)
        FAIL_UNSUPPORTED(rq, path, effect, "NoExecute", "NoSchedule", "None");
    else
        FAIL_UNSUPPORTED(rq, path, effect, "NoExecute", "NoSchedule");
}

void dray_resource_taint(dray_request *rq, const dray_resource_device_taint *taint,
                         const dray_resource_device_taint *old, const dray_path *path) {
    dray_resource_label_name(rq, taint->key, DRAY_AT(path, "key"));
    if (taint->value.n > 0)
        dray_resource_label_value(rq, taint->value, DRAY_AT(path, "value"));
    if (old != NULL && dray_str_eq(old->effect, taint->effect) && release_of(rq) >= 35)
        return;
    size_t from = errors_now(rq);
    if (taint->effect.n == 0)
        fail_required(rq, DRAY_AT(path, "effect"), DRAY_STR(""));
    else if (!is_effect(rq, taint->effect))
        fail_effect(rq, taint->effect, DRAY_AT(path, "effect"));
    cover(rq, from);
}

void dray_resource_toleration(dray_request *rq, const dray_resource_device_toleration *toleration,
                              const dray_path *path) {
    size_t from = errors_now(rq);
    if (toleration->key.n > 0)
        dray_resource_label_name(rq, toleration->key, DRAY_AT(path, "key"));
    cover(rq, from);
    if (dray_str_is(toleration->operator, "Exists")) {
        if (toleration->value.n > 0)
            fail_invalid(rq, DRAY_AT(path, "value"), toleration->value,
                         DRAY_STR("must be empty for operator `Exists`"));
    } else if (dray_str_is(toleration->operator, "Equal")) {
        dray_resource_label_value(rq, toleration->value, DRAY_AT(path, "value"));
    } else {
        from = errors_now(rq);
        if (toleration->operator.n == 0)
            fail_required(rq, DRAY_AT(path, "operator"), DRAY_STR(""));
        else
            FAIL_UNSUPPORTED(rq, DRAY_AT(path, "operator"), toleration->operator, "Equal",
                             "Exists");
        cover(rq, from);
    }
    from = errors_now(rq);
    if (toleration->effect.n > 0 && !is_effect(rq, toleration->effect))
        fail_effect(rq, toleration->effect, DRAY_AT(path, "effect"));
    cover(rq, from);
}

/* 1.34: a rule may select by class and by CEL. */
static void check_old_selector(dray_request *rq,
                               const dray_resource_device_taint_selector *selector,
                               const dray_path *path) {
    dray_path class_name = dray_path_child(path, "deviceClassName");
    if (selector->device_class_name.p != NULL && selector->device_class_name.n == 0)
        fail_required(rq, &class_name, DRAY_STR(""));
    else if (selector->device_class_name.p != NULL)
        dray_resource_subdomain(rq, selector->device_class_name, &class_name);
    dray_claim_check c = {.rq = rq};
    dray_resource_selectors(&c, selector->selectors.v, selector->selectors.n,
                            DRAY_AT(path, "selectors"));
}

void dray_validate_taint_rule(dray_request *rq, const dray_resource_device_taint_rule_spec *spec,
                              const dray_resource_device_taint_rule_spec *old,
                              const dray_path *path) {
    const dray_resource_device_taint_selector *selector = spec->device_selector;
    dray_path at = dray_path_child(path, "deviceSelector");
    if (selector != NULL && selector->driver.p != NULL)
        dray_resource_driver(rq, selector->driver, false, DRAY_AT(&at, "driver"));
    if (selector != NULL && selector->pool.p != NULL)
        dray_resource_pool_name(rq, selector->pool, DRAY_AT(&at, "pool"));
    if (selector != NULL && selector->device.p != NULL)
        dray_resource_label(rq, selector->device, DRAY_AT(&at, "device"));
    if (selector != NULL)
        check_old_selector(rq, selector, &at);
    dray_resource_taint(rq, spec->taint, old != NULL ? old->taint : NULL, DRAY_AT(path, "taint"));
}
