/* Strategies of resource.k8s.io: what create, update and status update prepare, check and warn of.
 * Source: pkg/registry/resource/…/strategy.go, pkg/api/resourceclaimspec. */
#include "api/validate/resource_int.h"

#include "api/request.h"
#include "base/map.h"

#define ADMIN_LABEL "resource.kubernetes.io/admin-access"

/* What each part of the API has behind gates. */

static const dray_gate claim_spec_gates[] = {
    DRAY_GATE_DRAPrioritizedList,    DRAY_GATE_DRADeviceTaints,      DRAY_GATE_DRAAdminAccess,
    DRAY_GATE_DRAConsumableCapacity, DRAY_GATE_DRADerivedAttributes,
};
static const dray_gate claim_status_gates[] = {
    DRAY_GATE_DRAResourceClaimDeviceStatus, DRAY_GATE_DRAAdminAccess,
    DRAY_GATE_DRAConsumableCapacity,        DRAY_GATE_DRADeviceBindingConditions,
    DRAY_GATE_DRAOptionalNodeOperations,
};
static const dray_gate slice_gates[] = {
    DRAY_GATE_DRADeviceTaints,
    DRAY_GATE_DRAPartitionableDevices,
    DRAY_GATE_DRADeviceBindingConditions,
    DRAY_GATE_DRAResourceClaimDeviceStatus,
    DRAY_GATE_DRAConsumableCapacity,
    DRAY_GATE_DRADeviceCompatibilityGroups,
    DRAY_GATE_DRANodeAllocatableResources,
    DRAY_GATE_DRAListTypeAttributes,
    DRAY_GATE_DRAPartitionableDevicesType,
    DRAY_GATE_DRAOptionalNodeOperations,
};
static const dray_gate class_gates[] = {DRAY_GATE_DRAExtendedResource};
static const dray_gate pool_request_gates[] = {DRAY_GATE_DRAPartitionableDevicesType};

static dray_path metadata_path(void) {
    return dray_path_child(NULL, "metadata");
}

static dray_path spec_path(void) {
    return dray_path_child(NULL, "spec");
}

static void check_subdomain_name(dray_request *rq, dray_str name, const dray_path *path) {
    fail_texts(rq, path, name, dray_check_dns1123_subdomain);
}

/* A status update changes nothing of metadata but managedFields. */
static void keep_metadata(dray_meta_object_meta *meta, const dray_meta_object_meta *old) {
    meta->deletion_timestamp = old->deletion_timestamp;
    meta->generation = old->generation;
    meta->self_link = old->self_link;
    meta->labels = old->labels;
    meta->annotations = old->annotations;
    meta->finalizers = old->finalizers;
    meta->owner_references = old->owner_references;
}

/* Admin access. */

static void check_admin_label(dray_request *rq, const dray_path *path) {
    dray_str value = dray_string_map_find(rq->namespace_labels, DRAY_STR(ADMIN_LABEL));
    if (!dray_str_is(value, "true"))
        fail_forbidden(rq, path,
                       DRAY_STR("admin access to devices requires the `" ADMIN_LABEL
                                ": true` label on the containing namespace"));
}

/* The first request that asks for it. The path is a claim's, of templates too. */
static void check_admin_requests(dray_request *rq, const dray_resource_device_claim *claim) {
    dray_path requests = dray_path_child(NULL, "spec.devices.requests");
    for (size_t i = 0; i < claim->requests.n; i++) {
        const dray_resource_exact_device_request *exactly = claim->requests.v[i].exactly;
        if (exactly == NULL || !exactly->admin_access.set || !exactly->admin_access.v)
            continue;
        dray_path item = dray_path_index(&requests, i);
        check_admin_label(rq, DRAY_AT(&item, "adminAccess"));
        return;
    }
}

/* The index of the first result with admin access, or -1. */
static int64_t admin_result(const dray_resource_claim *claim) {
    const dray_resource_allocation_result *allocation = claim->status->allocation;
    for (size_t i = 0; allocation != NULL && i < allocation->devices->results.n; i++)
        if (allocation->devices->results.v[i].admin_access.set &&
            allocation->devices->results.v[i].admin_access.v)
            return (int64_t)i;
    return -1;
}

/* ResourceClaim. */

static void drop_claim_spec(dray_request *rq, dray_resource_claim_spec *spec,
                            const dray_resource_claim_spec *old) {
    dray_gate gates[DRAY_COUNT(claim_spec_gates)];
    size_t n = 0, n_constraints = spec->devices->constraints.n;
    bool keeps = release_of(rq) < 35; /* 1.34 forgot tolerations and distinctAttribute */
    for (size_t i = 0; i < DRAY_COUNT(claim_spec_gates); i++)
        if (claim_spec_gates[i] != DRAY_GATE_DRADeviceTaints || !keeps)
            gates[n++] = claim_spec_gates[i];
    dray_str *distinct = DRAY_NEW_N(rq->arena, dray_str, n_constraints + 1);
    for (size_t i = 0; i < n_constraints; i++)
        distinct[i] = spec->devices->constraints.v[i].distinct_attribute;
    dray_resource_drop(rq, &dray_type_resource_claim_spec, spec, &dray_type_resource_claim_spec,
                       old, gates, n, true);
    for (size_t i = 0; i < n_constraints && keeps; i++)
        spec->devices->constraints.v[i].distinct_attribute = distinct[i];
}

static void claim_prepare_create(dray_request *rq, void *body) {
    dray_resource_claim *claim = body;
    claim->status = dray_api_new(&dray_type_resource_claim_status, rq->arena);
    drop_claim_spec(rq, claim->spec, NULL);
}

static void claim_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_resource_claim *claim = body;
    const dray_resource_claim *old = old_body;
    claim->status = old->status;
    drop_claim_spec(rq, claim->spec, old->spec);
}

static dray_str device_key(dray_request *rq, dray_str driver, dray_str pool, dray_str device,
                           dray_str share) {
    return DETAIL(rq, "%zu:" DRAY_FMT "%zu:" DRAY_FMT "%zu:" DRAY_FMT DRAY_FMT, driver.n,
                  DRAY_ARG(driver), pool.n, DRAY_ARG(pool), device.n, DRAY_ARG(device),
                  DRAY_ARG(share));
}

static void note_results(dray_request *rq, dray_map *map, const dray_resource_claim_status *status,
                         void *value) {
    for (size_t i = 0; status->allocation != NULL && i < status->allocation->devices->results.n;
         i++) {
        const dray_resource_device_request_allocation_result *r =
            &status->allocation->devices->results.v[i];
        dray_map_put(map, device_key(rq, r->driver, r->pool, r->device, r->share_id), value);
    }
}

/* What drivers said of devices that were allocated and no longer are goes with them. */
static void drop_deallocated(dray_request *rq, dray_resource_claim_status *status,
                             const dray_resource_claim_status *old) {
    if (!dray_request_gate(rq, DRAY_GATE_DRAResourceClaimDeviceStatus) && old->devices.n == 0)
        return;
    dray_map gone = dray_map_new(rq->arena);
    note_results(rq, &gone, old, rq);
    note_results(rq, &gone, status, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < status->devices.n; i++) {
        dray_resource_allocated_device_status d = status->devices.v[i];
        if (dray_map_find(&gone, device_key(rq, d.driver, d.pool, d.device, d.share_id)) == NULL)
            status->devices.v[kept++] = d;
    }
    status->devices.n = kept;
    if (kept == 0)
        status->devices.v = NULL;
}

/* Since 1.35 no gate counts allocationTimestamp: neither as in use nor as to be dropped. */
static const dray_resource_claim *without_timestamp(dray_request *rq,
                                                    const dray_resource_claim *claim) {
    if (claim->status->allocation == NULL)
        return claim;
    dray_resource_claim *copy = DRAY_NEW(rq->arena, dray_resource_claim);
    *copy = *claim;
    copy->status = DRAY_NEW(rq->arena, dray_resource_claim_status);
    *copy->status = *claim->status;
    copy->status->allocation = DRAY_NEW(rq->arena, dray_resource_allocation_result);
    *copy->status->allocation = *claim->status->allocation;
    copy->status->allocation->allocation_timestamp = (dray_time){0};
    return copy;
}

static void claim_prepare_status(dray_request *rq, void *body, const void *old_body) {
    dray_resource_claim *claim = body;
    const dray_resource_claim *old = old_body;
    claim->spec = old->spec;
    keep_metadata(claim->metadata, old->metadata);
    bool stays = release_of(rq) >= 35;
    dray_resource_allocation_result *allocation = claim->status->allocation;
    dray_time stamp = allocation != NULL ? allocation->allocation_timestamp : (dray_time){0};
    dray_resource_drop(rq, &dray_type_resource_claim_status, claim->status,
                       &dray_type_resource_claim, stays ? without_timestamp(rq, old) : old,
                       claim_status_gates, DRAY_COUNT(claim_status_gates), true);
    if (allocation != NULL && stays)
        allocation->allocation_timestamp = stamp;
    drop_deallocated(rq, claim->status, old->status);
}

static const dray_strategy *strategy_of(const dray_request *rq) {
    return dray_strategy_find(rq->kind);
}

static void claim_validate(dray_request *rq, const void *body) {
    const dray_resource_claim *claim = body;
    dray_path metadata = metadata_path(), spec = spec_path();
    check_admin_requests(rq, claim->spec->devices);
    dray_validate_meta(rq, strategy_of(rq), claim->metadata, true, &metadata);
    dray_validate_claim_spec(rq, claim->spec, false, &spec);
}

static void claim_validate_update(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_claim *claim = body, *old = old_body;
    dray_path metadata = metadata_path(), spec = spec_path();
    dray_validate_meta(rq, strategy_of(rq), claim->metadata, true, &metadata);
    dray_validate_meta_update(rq, claim->metadata, old->metadata, &metadata);
    size_t from = errors_now(rq);
    dray_resource_immutable(rq, &dray_type_resource_claim_spec, claim->spec, old->spec, &spec);
    mark(rq, from, "immutable", true);
    if (release_of(rq) < 35)
        dray_validate_claim_spec(rq, claim->spec, true, &spec);
}

static void claim_validate_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_claim *claim = body, *old = old_body;
    dray_path metadata = metadata_path();
    dray_path results = dray_path_child(NULL, "status.allocation.devices.results");
    int64_t admin = admin_result(claim);
    if (admin >= 0 && admin_result(old) < 0) {
        dray_path item = dray_path_index(&results, (size_t)admin);
        check_admin_label(rq, DRAY_AT(&item, "adminAccess"));
    }
    dray_validate_meta_update(rq, claim->metadata, old->metadata, &metadata);
    dray_validate_claim_status(rq, claim, old);
}

/* ResourceClaimTemplate. */

static void template_prepare_create(dray_request *rq, void *body) {
    dray_resource_claim_template *template = body;
    drop_claim_spec(rq, template->spec->spec, NULL);
}

static void template_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_resource_claim_template *template = body;
    const dray_resource_claim_template *old = old_body;
    drop_claim_spec(rq, template->spec->spec, old->spec->spec);
}

static void check_template(dray_request *rq, const dray_resource_claim_template *template) {
    dray_path metadata = metadata_path(), spec = spec_path();
    dray_validate_meta(rq, strategy_of(rq), template->metadata, true, &metadata);
    dray_validate_template_meta(rq, template->spec->metadata, DRAY_AT(&spec, "metadata"));
    dray_validate_claim_spec(rq, template->spec->spec, false, DRAY_AT(&spec, "spec"));
}

static void template_validate(dray_request *rq, const void *body) {
    const dray_resource_claim_template *template = body;
    check_admin_requests(rq, template->spec->spec->devices);
    check_template(rq, template);
}

static void template_validate_update(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_claim_template *template = body, *old = old_body;
    dray_path metadata = metadata_path(), spec = spec_path();
    check_template(rq, template);
    dray_validate_meta_update(rq, template->metadata, old->metadata, &metadata);
    dray_resource_immutable(rq, &dray_type_resource_claim_template_spec, template->spec, old->spec,
                            &spec);
}

/* ResourceSlice. */

static void drop_slice(dray_request *rq, dray_resource_slice *slice,
                       const dray_resource_slice *old) {
    dray_resource_drop(rq, &dray_type_resource_slice, slice, &dray_type_resource_slice, old,
                       slice_gates, DRAY_COUNT(slice_gates), false);
}

static void slice_prepare_create(dray_request *rq, void *body) {
    dray_resource_slice *slice = body;
    slice->metadata->generation = 1;
    drop_slice(rq, slice, NULL);
}

/* The generation grows before fields are dropped. */
static void slice_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_resource_slice *slice = body;
    const dray_resource_slice *old = old_body;
    if (!dray_api_equal(&dray_type_resource_slice_spec, slice->spec, old->spec))
        slice->metadata->generation = old->metadata->generation + 1;
    drop_slice(rq, slice, old);
}

static void slice_validate(dray_request *rq, const void *body) {
    const dray_resource_slice *slice = body;
    dray_path metadata = metadata_path(), spec = spec_path();
    dray_validate_meta(rq, strategy_of(rq), slice->metadata, false, &metadata);
    dray_validate_slice_spec(rq, slice->spec, NULL, &spec);
}

static void slice_validate_update(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_slice *slice = body, *old = old_body;
    dray_path metadata = metadata_path(), spec = spec_path();
    dray_validate_meta_update(rq, slice->metadata, old->metadata, &metadata);
    dray_validate_slice_spec(rq, slice->spec, old->spec, &spec);
}

static void slice_warn(dray_request *rq, const void *body, const void *old) {
    const dray_resource_slice *slice = body;
    (void)old;
    dray_str driver = slice->spec->driver;
    bool upper = !dray_str_eq(driver, dray_lower_name(driver, rq->arena));
    if (upper && release_of(rq) >= 35)
        dray_request_warn(rq, DETAIL(rq,
                                     "spec.driver: driver names should be lowercase; " DRAY_FMT
                                     " contains uppercase characters",
                                     DRAY_ARG(dray_value_quote(rq->arena, driver))));
}

/* DeviceClass. */

/* The declared rule checks the same, and generateName is checked as the name that it gave. */
static void check_class_name(dray_request *rq, dray_str name, const dray_path *path) {
    if (strcmp(path->name, "generateName") == 0)
        return;
    size_t from = errors_now(rq);
    fail_texts(rq, path, name, dray_check_long_name);
    mark(rq, from, "format=k8s-long-name", true);
}

static void check_class_metadata(dray_request *rq, const dray_meta_object_meta *meta) {
    dray_path metadata = metadata_path();
    if (meta->name.n == 0 && meta->generate_name.n > 0)
        fail(rq, DRAY_FIELD_INTERNAL, DRAY_AT(&metadata, "name"), DRAY_STR_NONE,
             DETAIL(rq, "generateName was specified (" DRAY_FMT "), but no name was generated",
                    DRAY_ARG(dray_value_quote(rq->arena, meta->generate_name))));
    dray_validate_meta(rq, strategy_of(rq), meta, false, &metadata);
}

static void class_prepare_create(dray_request *rq, void *body) {
    dray_resource_drop(rq, &dray_type_resource_device_class, body, &dray_type_resource_device_class,
                       NULL, class_gates, DRAY_COUNT(class_gates), true);
}

static void class_prepare_update(dray_request *rq, void *body, const void *old) {
    dray_resource_drop(rq, &dray_type_resource_device_class, body, &dray_type_resource_device_class,
                       old, class_gates, DRAY_COUNT(class_gates), true);
}

static void class_validate(dray_request *rq, const void *body) {
    const dray_resource_device_class *class = body;
    dray_path spec = spec_path();
    check_class_metadata(rq, class->metadata);
    dray_validate_class_spec(rq, class->spec, NULL, &spec);
}

static void class_validate_update(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_device_class *class = body, *old = old_body;
    dray_path metadata = metadata_path(), spec = spec_path();
    check_class_metadata(rq, class->metadata);
    dray_validate_meta_update(rq, class->metadata, old->metadata, &metadata);
    dray_validate_class_spec(rq, class->spec, old->spec, &spec);
}

/* DeviceTaintRule. */

static bool rule_needs_version(const dray_request *rq) {
    return strcmp(rq->kind->version, "v1") == 0;
}

static void rule_prepare_create(dray_request *rq, void *body) {
    dray_resource_device_taint_rule *rule = body;
    rule->status = dray_api_new(&dray_type_resource_device_taint_rule_status, rq->arena);
}

/* A new effect counts from now on, unless a time came with it. */
static void rule_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_resource_device_taint_rule *rule = body;
    const dray_resource_device_taint_rule *old = old_body;
    dray_resource_device_taint *taint = rule->spec->taint;
    const dray_resource_device_taint *before = old->spec->taint;
    rule->status = old->status;
    bool same_time =
        taint->time_added.set == before->time_added.set &&
        (!taint->time_added.set || dray_time_cmp(taint->time_added, before->time_added) == 0);
    if (release_of(rq) >= 36 && same_time && !dray_str_eq(taint->effect, before->effect))
        taint->time_added = (dray_time){.sec = rq->now.sec, .set = true};
}

static void rule_prepare_status(dray_request *rq, void *body, const void *old_body) {
    dray_resource_device_taint_rule *rule = body;
    const dray_resource_device_taint_rule *old = old_body;
    (void)rq;
    rule->spec = old->spec;
    keep_metadata(rule->metadata, old->metadata);
}

static void rule_validate(dray_request *rq, const void *body) {
    const dray_resource_device_taint_rule *rule = body;
    dray_path metadata = metadata_path(), spec = spec_path();
    dray_validate_meta(rq, strategy_of(rq), rule->metadata, false, &metadata);
    dray_validate_taint_rule(rq, rule->spec, NULL, &spec);
}

static void rule_validate_update(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_device_taint_rule *rule = body, *old = old_body;
    dray_path metadata = metadata_path(), spec = spec_path();
    dray_validate_meta_update(rq, rule->metadata, old->metadata, &metadata);
    dray_validate_taint_rule(rq, rule->spec, old->spec, &spec);
}

static void rule_validate_status(dray_request *rq, const void *body, const void *old_body) {
    enum { MAX_CONDITIONS = 8 };
    const dray_resource_device_taint_rule *rule = body, *old = old_body;
    dray_path metadata = metadata_path();
    dray_path conditions = dray_path_child(NULL, "status.conditions");
    size_t n = rule->status->conditions.n;
    dray_validate_meta_update(rq, rule->metadata, old->metadata, &metadata);
    dray_validate_conditions(rq, rule->status->conditions.v, n, &conditions);
    if (n > MAX_CONDITIONS)
        fail_too_many(rq, &conditions, n, MAX_CONDITIONS);
}

/* ResourcePoolStatusRequest. */

static bool always_needs_version(const dray_request *rq) {
    (void)rq;
    return true;
}

static void drop_pool_request(dray_request *rq, void *body, const void *old) {
    const dray_type *type = &dray_type_resource_pool_status_request;
    dray_resource_drop(rq, type, body, type, old, pool_request_gates,
                       DRAY_COUNT(pool_request_gates), true);
}

static void pool_prepare_create(dray_request *rq, void *body) {
    dray_resource_pool_status_request *request = body;
    request->status = NULL;
    drop_pool_request(rq, body, NULL);
}

static void pool_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_resource_pool_status_request *request = body;
    const dray_resource_pool_status_request *old = old_body;
    request->status = old->status;
    drop_pool_request(rq, body, old);
}

static void pool_prepare_status(dray_request *rq, void *body, const void *old_body) {
    dray_resource_pool_status_request *request = body;
    const dray_resource_pool_status_request *old = old_body;
    (void)rq;
    request->spec = old->spec;
    keep_metadata(request->metadata, old->metadata);
}

static void pool_validate(dray_request *rq, const void *body) {
    const dray_resource_pool_status_request *request = body;
    dray_path metadata = metadata_path();
    dray_validate_meta(rq, strategy_of(rq), request->metadata, false, &metadata);
}

static void pool_validate_update(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_pool_status_request *request = body, *old = old_body;
    dray_path metadata = metadata_path();
    dray_validate_meta_update(rq, request->metadata, old->metadata, &metadata);
}

/* The status is written once. */
static void pool_validate_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_resource_pool_status_request *request = body, *old = old_body;
    const dray_type *type = &dray_type_resource_pool_status_request_status;
    dray_path path = dray_path_child(NULL, "status");
    pool_validate_update(rq, body, old_body);
    if (old->status != NULL && request->status == NULL)
        fail_invalid_text(rq, &path, DRAY_STR("null"), DRAY_STR("field is immutable"));
    else if (old->status != NULL)
        dray_resource_immutable(rq, type, request->status, old->status, &path);
    else if (request->status != NULL)
        dray_validate_conditions(rq, request->status->conditions.v, request->status->conditions.n,
                                 DRAY_AT(&path, "conditions"));
}

const dray_strategy dray_strategies_resource[] = {
    {.group = "resource.k8s.io",
     .kind = "ResourceClaim",
     .check_name = check_subdomain_name,
     .has_status = true,
     .prepare_create = claim_prepare_create,
     .prepare_update = claim_prepare_update,
     .prepare_status = claim_prepare_status,
     .validate = claim_validate,
     .validate_update = claim_validate_update,
     .validate_status = claim_validate_status},
    {.group = "resource.k8s.io",
     .kind = "ResourceClaimTemplate",
     .check_name = check_subdomain_name,
     .prepare_create = template_prepare_create,
     .prepare_update = template_prepare_update,
     .validate = template_validate,
     .validate_update = template_validate_update},
    {.group = "resource.k8s.io",
     .kind = "ResourceSlice",
     .check_name = check_subdomain_name,
     .prepare_create = slice_prepare_create,
     .prepare_update = slice_prepare_update,
     .validate = slice_validate,
     .validate_update = slice_validate_update,
     .warn = slice_warn},
    {.group = "resource.k8s.io",
     .kind = "DeviceClass",
     .check_name = check_class_name,
     .has_generation = true,
     .prepare_create = class_prepare_create,
     .prepare_update = class_prepare_update,
     .validate = class_validate,
     .validate_update = class_validate_update},
    {.group = "resource.k8s.io",
     .kind = "DeviceTaintRule",
     .check_name = check_subdomain_name,
     .has_status = true,
     .status_since = 35,
     .has_generation = true,
     .needs_version = rule_needs_version,
     .prepare_create = rule_prepare_create,
     .prepare_update = rule_prepare_update,
     .prepare_status = rule_prepare_status,
     .validate = rule_validate,
     .validate_update = rule_validate_update,
     .validate_status = rule_validate_status},
    {.group = "resource.k8s.io",
     .kind = "ResourcePoolStatusRequest",
     .check_name = check_subdomain_name,
     .has_status = true,
     .needs_version = always_needs_version,
     .prepare_create = pool_prepare_create,
     .prepare_update = pool_prepare_update,
     .prepare_status = pool_prepare_status,
     .validate = pool_validate,
     .validate_update = pool_validate_update,
     .validate_status = pool_validate_status},
};
const size_t dray_n_strategies_resource = DRAY_COUNT(dray_strategies_resource);
