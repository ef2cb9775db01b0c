/* ResourceClaim status: who reserves it, what is allocated, what drivers report of the devices. */
#include "api/validate/resource_int.h"

#include "base/map.h"

enum {
    MAX_RESERVED_FOR = 256,
    MAX_CONDITIONS = 8,
    MAX_DATA_BYTES = 10 * 1024,
    MAX_INTERFACE_NAME = 256,
    MAX_HARDWARE_ADDRESS = 128,
    MAX_IPS = 16,
    MAX_ALLOCATION_CONFIG = 64, /* of class and claim */
};

/* A device with its share, as one string. */
static dray_str device_key(dray_request *rq, dray_str driver, dray_str pool, dray_str device,
                           dray_str share) {
    return DETAIL(rq, "%zu:" DRAY_FMT "%zu:" DRAY_FMT "%zu:" DRAY_FMT DRAY_FMT, driver.n,
                  DRAY_ARG(driver), pool.n, DRAY_ARG(pool), device.n, DRAY_ARG(device),
                  DRAY_ARG(share));
}

static dray_str key_of_status(dray_request *rq, const dray_resource_allocated_device_status *d) {
    return device_key(rq, d->driver, d->pool, d->device, d->share_id);
}

/* As Go prints a SharedDeviceID. */
static dray_str device_text(dray_request *rq, const dray_resource_allocated_device_status *d) {
    return DETAIL(rq,
                  "{\"Driver\":" DRAY_FMT ",\"Pool\":" DRAY_FMT ",\"Device\":" DRAY_FMT
                  ",\"ShareID\":" DRAY_FMT "}",
                  DRAY_ARG(dray_value_json_string(rq->arena, d->driver)),
                  DRAY_ARG(dray_value_json_string(rq->arena, d->pool)),
                  DRAY_ARG(dray_value_json_string(rq->arena, d->device)),
                  DRAY_ARG(dray_value_json_string(rq->arena, d->share_id)));
}

static dray_map allocated_devices(dray_request *rq, const dray_resource_claim_status *status) {
    dray_map map = dray_map_new(rq->arena);
    if (status->allocation == NULL)
        return map;
    for (size_t i = 0; i < status->allocation->devices->results.n; i++) {
        const dray_resource_device_request_allocation_result *r =
            &status->allocation->devices->results.v[i];
        dray_map_put(&map, device_key(rq, r->driver, r->pool, r->device, r->share_id), rq);
    }
    return map;
}

/* Reservations. */

static void check_consumer(dray_request *rq, const dray_resource_claim_consumer_reference *c,
                           const dray_path *path) {
    if (c->resource.n == 0)
        fail_required(rq, DRAY_AT(path, "resource"), DRAY_STR(""));
    if (c->name.n == 0)
        fail_required(rq, DRAY_AT(path, "name"), DRAY_STR(""));
    if (c->uid.n == 0)
        fail_required(rq, DRAY_AT(path, "uid"), DRAY_STR(""));
}

static void check_consumers(dray_request *rq, const dray_resource_claim_status *status,
                            const dray_path *path) {
    size_t n = status->reserved_for.n;
    if (dray_resource_too_many(rq, n, MAX_RESERVED_FOR, true, path))
        return;
    dray_str *uids = DRAY_NEW_N(rq->arena, dray_str, n + 1);
    for (size_t i = 0; i < n; i++) {
        uids[i] = status->reserved_for.v[i].uid;
        check_consumer(rq, &status->reserved_for.v[i], DRAY_AT_INDEX(path, i));
    }
    dray_resource_unique(rq, uids, n, true, path);
}

static bool was_reserved(const dray_resource_claim_status *old,
                         const dray_resource_claim_consumer_reference *consumer) {
    for (size_t i = 0; i < old->reserved_for.n; i++)
        if (dray_api_equal(&dray_type_resource_claim_consumer_reference, consumer,
                           &old->reserved_for.v[i]))
            return true;
    return false;
}

static void check_reservation(dray_request *rq, const dray_resource_claim *claim,
                              const dray_resource_claim *old, const dray_path *path) {
    const dray_resource_claim_status *status = claim->status;
    if (status->reserved_for.n == 0)
        return;
    if (status->allocation == NULL) {
        fail_forbidden(rq, path, DRAY_STR("may not be specified when `allocated` is not set"));
        return;
    }
    bool added = false;
    for (size_t i = 0; i < status->reserved_for.n && !added; i++)
        added = !was_reserved(old->status, &status->reserved_for.v[i]);
    if (claim->metadata->deletion_timestamp.set && added)
        fail_forbidden(rq, path,
                       DRAY_STR("new entries may not be added while `deallocationRequested` or "
                                "`deletionTimestamp` are set"));
}

/* What drivers report. */

static void check_network(dray_request *rq, const dray_resource_network_device_data *data,
                          const dray_path *path) {
    size_t from = errors_now(rq);
    if (data->interface_name.n > MAX_INTERFACE_NAME)
        fail_too_long(rq, DRAY_AT(path, "interfaceName"), MAX_INTERFACE_NAME);
    if (data->hardware_address.n > MAX_HARDWARE_ADDRESS)
        fail_too_long(rq, DRAY_AT(path, "hardwareAddress"), MAX_HARDWARE_ADDRESS);
    mark(rq, from, "maxBytes", true);
    dray_path ips = dray_path_child(path, "ips");
    if (dray_resource_too_many(rq, data->ips.n, MAX_IPS, true, &ips))
        return;
    for (size_t i = 0; i < data->ips.n; i++)
        dray_resource_interface_address(rq, data->ips.v[i], DRAY_AT_INDEX(&ips, i));
    dray_resource_unique(rq, data->ips.v, data->ips.n, true, &ips);
}

static void check_device_status(dray_request *rq, const dray_resource_allocated_device_status *d,
                                const dray_map *allocated, const dray_path *path) {
    dray_resource_driver(rq, d->driver, false, DRAY_AT(path, "driver"));
    dray_resource_pool_name(rq, d->pool, DRAY_AT(path, "pool"));
    dray_resource_label(rq, d->device, DRAY_AT(path, "device"));
    size_t from = errors_now(rq);
    if (d->share_id.p != NULL)
        dray_resource_uid(rq, d->share_id, DRAY_AT(path, "shareID"));
    cover(rq, from);
    if (dray_map_find(allocated, key_of_status(rq, d)) == NULL)
        fail_invalid_text(rq, path, device_text(rq, d),
                          DRAY_STR("must be an allocated device in the claim"));
    dray_path conditions = dray_path_child(path, "conditions");
    if (d->conditions.n > MAX_CONDITIONS)
        fail_too_many(rq, &conditions, d->conditions.n, MAX_CONDITIONS);
    dray_validate_conditions(rq, d->conditions.v, d->conditions.n, &conditions);
    if (d->data.n > 0)
        dray_resource_raw_object(rq, d->data, false, MAX_DATA_BYTES, DRAY_AT(path, "data"));
    if (d->network_data != NULL)
        check_network(rq, d->network_data, DRAY_AT(path, "networkData"));
}

static void check_devices(dray_request *rq, const dray_resource_claim_status *status,
                          const dray_path *path) {
    dray_map allocated = allocated_devices(rq, status);
    dray_map seen = dray_map_new(rq->arena);
    for (size_t i = 0; i < status->devices.n; i++) {
        const dray_resource_allocated_device_status *d = &status->devices.v[i];
        dray_path item = dray_path_index(path, i);
        check_device_status(rq, d, &allocated, &item);
        dray_map_entry *entry = dray_map_entry_of(&seen, key_of_status(rq, d));
        if (entry->value != NULL) {
            size_t from = errors_now(rq);
            fail(rq, DRAY_FIELD_DUPLICATE, &item, device_text(rq, d), DRAY_STR(""));
            cover(rq, from);
        }
        entry->value = rq;
    }
}

/* A new allocation. */

static void check_result(dray_request *rq, const dray_resource_device_claim *claim,
                         const dray_resource_device_request_allocation_result *r,
                         const dray_path *path) {
    dray_resource_request_ref(rq, claim, r->request, DRAY_AT(path, "request"));
    dray_resource_driver(rq, r->driver, true, DRAY_AT(path, "driver"));
    size_t from = errors_now(rq);
    dray_resource_pool_name(rq, r->pool, DRAY_AT(path, "pool"));
    cover(rq, from);
    dray_resource_label(rq, r->device, DRAY_AT(path, "device"));
    dray_resource_binding(rq, r->binding_conditions, r->binding_failure_conditions, path);
    dray_path tolerations = dray_path_child(path, "tolerations");
    for (size_t i = 0; i < r->tolerations.n && release_of(rq) >= 37; i++)
        dray_resource_toleration(rq, &r->tolerations.v[i], DRAY_AT_INDEX(&tolerations, i));
    from = errors_now(rq);
    if (r->share_id.p != NULL)
        dray_resource_uid(rq, r->share_id, DRAY_AT(path, "shareID"));
    cover(rq, from);
    dray_resource_skip_operations(rq, r->skip_node_operations, DRAY_AT(path, "skipNodeOperations"));
}

static void check_allocation_config(dray_request *rq, const dray_resource_device_claim *claim,
                                    const dray_resource_device_allocation_configuration *config,
                                    const dray_path *path) {
    size_t from = errors_now(rq);
    if (config->source.n == 0)
        fail_required(rq, DRAY_AT(path, "source"), DRAY_STR(""));
    else if (!IS_ONE_OF(config->source, "FromClaim", "FromClass"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "source"), config->source, "FromClaim", "FromClass");
    cover(rq, from);
    dray_resource_request_refs(rq, claim, config->requests, DRAY_AT(path, "requests"));
    dray_resource_configuration(rq, config->device_configuration, false, path);
}

static void check_allocation(dray_request *rq, const dray_resource_device_claim *claim,
                             const dray_resource_allocation_result *allocation,
                             const dray_path *path) {
    const dray_resource_device_allocation_result *devices = allocation->devices;
    dray_path at = dray_path_child(path, "devices");
    dray_path results = dray_path_child(&at, "results");
    if (!dray_resource_too_many(rq, devices->results.n, DRAY_RESOURCE_MAX_RESULTS, true, &results))
        for (size_t i = 0; i < devices->results.n; i++)
            check_result(rq, claim, &devices->results.v[i], DRAY_AT_INDEX(&results, i));
    dray_path config = dray_path_child(&at, "config");
    if (!dray_resource_too_many(rq, devices->config.n, MAX_ALLOCATION_CONFIG, true, &config))
        for (size_t i = 0; i < devices->config.n; i++)
            check_allocation_config(rq, claim, &devices->config.v[i], DRAY_AT_INDEX(&config, i));
    if (allocation->node_selector != NULL)
        dray_validate_node_selector(rq, allocation->node_selector, DRAY_AT(path, "nodeSelector"));
}

void dray_validate_claim_status(dray_request *rq, const dray_resource_claim *claim,
                                const dray_resource_claim *old) {
    const dray_resource_claim_status *status = claim->status;
    dray_path path = dray_path_child(NULL, "status");
    dray_path reserved = dray_path_child(&path, "reservedFor");
    dray_path allocation = dray_path_child(&path, "allocation");
    check_consumers(rq, status, &reserved);
    check_devices(rq, status, DRAY_AT(&path, "devices"));
    check_reservation(rq, claim, old, &reserved);
    if (status->allocation == NULL)
        return;
    if (old->status->allocation == NULL) {
        check_allocation(rq, claim->spec->devices, status->allocation, &allocation);
        return;
    }
    size_t from = errors_now(rq);
    dray_resource_immutable(rq, &dray_type_resource_allocation_result, status->allocation,
                            old->status->allocation, &allocation);
    mark(rq, from, "update", true);
}
