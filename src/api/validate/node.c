/* Nodes: taints, capacities, Pod CIDRs, declared features. */
#include "api/validate/workload_int.h"

enum { FEATURE_NAME_LIMIT = 253 };

static void validate_taints(dray_request *rq, const dray_core_node_spec *spec,
                            const dray_path *path) {
    for (size_t i = 0; i < spec->taints.n; i++) {
        const dray_core_taint *taint = &spec->taints.v[i];
        dray_path item = dray_path_index(path, i);
        dray_str texts[DRAY_NAME_TEXTS];
        fail_texts(rq, DRAY_AT(&item, "key"), taint->key, dray_check_label_key);
        size_t n = dray_check_label_value(taint->value, texts, rq->arena);
        dray_str all = n > 0 ? texts[0] : DRAY_STR("");
        for (size_t j = 1; j < n; j++)
            all = DETAIL(rq, DRAY_FMT ";" DRAY_FMT, DRAY_ARG(all), DRAY_ARG(texts[j]));
        if (n > 0)
            fail_invalid(rq, DRAY_AT(&item, "value"), taint->value, all);
        dray_validate_taint_effect(rq, taint->effect, false, DRAY_AT(&item, "effect"));
        for (size_t j = 0; j < i; j++) {
            if (!dray_str_eq(spec->taints.v[j].key, taint->key) ||
                !dray_str_eq(spec->taints.v[j].effect, taint->effect))
                continue;
            fail(rq, DRAY_FIELD_DUPLICATE, &item,
                 dray_value_internal(rq->arena, &dray_type_core_taint, taint, rq->gates->release),
                 DRAY_STR("taints must be unique by key and effect pair"));
            break;
        }
    }
}

static void validate_resources(dray_request *rq, const dray_core_node_status *status) {
    const dray_resource_list lists[] = {DRAY_RESOURCES(status->capacity),
                                        DRAY_RESOURCES(status->allocatable)};
    const char *const names[] = {"capacity", "allocatable"};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < lists[i].n; j++) {
            dray_path list = dray_path_child(DRAY_AT(NULL, "status"), names[i]);
            dray_validate_quantity(rq, lists[i].k[j], lists[i].v[j],
                                   DRAY_AT(&list, dray_str_dup(rq->arena, lists[i].k[j]).p));
        }
}

/* MyFeature or MyFeature/mySubFeature. */
static bool is_feature_name(dray_str s) {
    bool start = true, first = true;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool upper = c >= 'A' && c <= 'Z', letter = upper || (c >= 'a' && c <= 'z');
        if (c == '/') {
            if (start || i + 1 == s.n)
                return false;
            start = true;
            continue;
        }
        if (start && !(first ? upper : letter))
            return false;
        if (!letter && !(c >= '0' && c <= '9'))
            return false;
        start = false;
        first = false;
    }
    return s.n > 0;
}

static void validate_features(dray_request *rq, dray_strings features) {
    dray_path path = dray_path_child(DRAY_AT(NULL, "status"), "declaredFeatures");
    for (size_t i = 0; i < features.n; i++) {
        dray_str name = features.v[i];
        dray_str quoted = dray_value_quote(rq->arena, name);
        if (name.n > FEATURE_NAME_LIMIT)
            fail_invalid(
                rq, DRAY_AT_INDEX(&path, i), name,
                DETAIL(rq, "invalid feature name " DRAY_FMT ": must be no more than 253 characters",
                       DRAY_ARG(quoted)));
        else if (!is_feature_name(name))
            fail_invalid(rq, DRAY_AT_INDEX(&path, i), name,
                         DETAIL(rq,
                                "invalid feature name " DRAY_FMT
                                ": must start with an UpperCamelCase segment, with subsequent "
                                "segments separated by '/' (e.g., MyFeature or "
                                "MyFeature/mySubFeature), and contain only alphanumeric "
                                "characters and slashes",
                                DRAY_ARG(quoted)));
        if (i + 1 == features.n)
            continue;
        int order = dray_str_cmp(name, features.v[i + 1]);
        if (order == 0)
            fail_duplicate(rq, DRAY_AT_INDEX(&path, i + 1), features.v[i + 1]);
        else if (order > 0)
            fail_invalid(rq, DRAY_AT_INDEX(&path, i + 1), features.v[i + 1],
                         DRAY_STR("list must be sorted alphabetically"));
    }
}

static void validate_cidrs(dray_request *rq, dray_strings cidrs) {
    dray_path path = dray_path_child(DRAY_AT(NULL, "spec"), "podCIDRs");
    for (size_t i = 0; i < cidrs.n; i++)
        dray_validate_cidr(rq, cidrs.v[i], (dray_strings){0}, DRAY_AT_INDEX(&path, i));
    if (cidrs.n <= 1)
        return;
    bool v4 = false, v6 = false;
    for (size_t i = 0; i < cidrs.n; i++) {
        int family = dray_cidr_family(cidrs.v[i]);
        v4 = v4 || family == 4;
        v6 = v6 || family == 6;
        if (family == 0) {
            fail(rq, DRAY_FIELD_INTERNAL, &path, DRAY_STR_NONE,
                 DETAIL(rq,
                        "invalid PodCIDRs. failed to check with dual stack with error:invalid "
                        "CIDR[%zu]: <nil> (invalid CIDR address: " DRAY_FMT ")",
                        i, DRAY_ARG(cidrs.v[i])));
            v4 = false;
            break;
        }
    }
    if (!v4 || !v6 || cidrs.n > 2)
        fail_invalid_text(rq, &path, dray_value_strings(rq->arena, cidrs),
                          DRAY_STR("may specify no more than one CIDR for each IP family"));
}

static void validate_new(dray_request *rq, const dray_core_node *node) {
    dray_path meta = dray_path_child(NULL, "metadata");
    dray_validate_meta(rq, dray_strategy_find(rq->kind), node->metadata, false, &meta);
    validate_taints(rq, node->spec, DRAY_AT(&meta, "taints"));
    validate_resources(rq, node->status);
    const dray_core_node_swap_status *swap = node->status->node_info->swap;
    if (swap != NULL && swap->capacity.set && swap->capacity.v <= 0)
        fail_invalid_int(rq, DRAY_AT(DRAY_AT(&meta, "nodeSwapStatus"), "capacity"),
                         swap->capacity.v, DRAY_STR("must be greater than zero"));
    if (rq->gates->release >= 35)
        validate_features(rq, node->status->declared_features);
    validate_cidrs(rq, node->spec->pod_cidrs);
}

static void validate_addresses(dray_request *rq, const dray_core_node_status *status) {
    dray_path path = dray_path_child(DRAY_AT(NULL, "status"), "addresses");
    for (size_t i = 0; i < status->addresses.n; i++)
        for (size_t j = 0; j < i; j++) {
            const dray_core_node_address *a = &status->addresses.v[i];
            if (!dray_str_eq(a->type, status->addresses.v[j].type) ||
                !dray_str_eq(a->address, status->addresses.v[j].address))
                continue;
            fail(
                rq, DRAY_FIELD_DUPLICATE, DRAY_AT_INDEX(&path, i),
                dray_value_internal(rq->arena, &dray_type_core_node_address, a, rq->gates->release),
                DRAY_STR(""));
            break;
        }
}

static void validate_change(dray_request *rq, const dray_core_node *node,
                            const dray_core_node *old) {
    dray_path meta = dray_path_child(NULL, "metadata"), spec = dray_path_child(NULL, "spec");
    dray_str cidrs_fixed =
        DRAY_STR("node updates may not change podCIDR except from \"\" to valid");
    dray_validate_meta_update(rq, node->metadata, old->metadata, &meta);
    validate_resources(rq, node->status);
    if (rq->gates->release >= 35)
        validate_features(rq, node->status->declared_features);
    validate_addresses(rq, node->status);
    dray_strings now = node->spec->pod_cidrs, was = old->spec->pod_cidrs;
    if (was.n > 0 && was.n != now.n)
        fail_forbidden(rq, DRAY_AT(&spec, "podCIDRs"), cidrs_fixed);
    for (size_t i = 0; was.n == now.n && i < was.n; i++)
        if (!dray_str_eq(now.v[i], was.v[i]))
            fail_forbidden(rq, DRAY_AT(&spec, "podCIDRs"), cidrs_fixed);
    dray_str id = node->spec->provider_id, old_id = old->spec->provider_id;
    if (old_id.n > 0 && id.n > 0 && !dray_str_eq(id, old_id)) {
        if (rq->gates->release >= 36)
            fail_invalid_text(rq, DRAY_AT(&spec, "providerID"), DRAY_STR("null"),
                              DRAY_STR("field cannot be modified once set"));
        else
            fail_forbidden(rq, DRAY_AT(&spec, "providerID"),
                           DRAY_STR("node updates may not change providerID except from \"\" to "
                                    "valid"));
    }
    if (rq->gates->release >= 37 && old_id.n > 0 && id.n == 0)
        fail_invalid_text(rq, DRAY_AT(&spec, "providerID"), DRAY_STR("null"),
                          DRAY_STR("field cannot be cleared once set"));
    validate_taints(rq, node->spec, DRAY_AT(&meta, "taints"));
    if (!dray_str_eq(node->spec->external_id, old->spec->external_id))
        fail_forbidden(rq, DRAY_AT(&spec, "externalID"), DRAY_STR("may not be updated"));
}

/* Where the kubelet once took its configuration from: a ConfigMap. */
static void validate_config_source(dray_request *rq, const dray_core_node_config_source *source,
                                   bool status, const dray_path *path) {
    if (source == NULL)
        return;
    if (source->config_map == NULL) {
        fail_invalid_text(rq, path,
                          dray_value_internal(rq->arena, &dray_type_core_node_config_source, source,
                                              rq->gates->release),
                          DRAY_STR("exactly one reference subfield must be non-nil"));
        return;
    }
    const dray_core_config_map_node_config_source *map = source->config_map;
    dray_path at = dray_path_child(path, "configMap");
    const struct {
        const char *name;
        dray_str value;
        dray_name_check *check; /* NULL: of the stored state only */
    } members[] = {
        {"uid", map->uid, NULL},
        {"resourceVersion", map->resource_version, NULL},
        {"namespace", map->namespace, dray_check_dns1123_label},
        {"name", map->name, dray_check_dns1123_subdomain},
        {"kubeletConfigKey", map->kubelet_config_key, dray_check_config_map_key},
    };
    for (size_t i = 0; i < DRAY_COUNT(members); i++) {
        dray_path member = dray_path_child(&at, members[i].name);
        if (members[i].check == NULL && !status && members[i].value.n > 0)
            fail_forbidden(rq, &member, DETAIL(rq, "%s must not be set in spec", members[i].name));
        else if (members[i].value.n == 0 && (members[i].check != NULL || status))
            fail_required(rq, &member, DRAY_STR(""));
        else if (members[i].check != NULL)
            fail_texts(rq, &member, members[i].value, members[i].check);
    }
}

static void validate_config(dray_request *rq, const dray_core_node *node) {
    const dray_core_node_config_status *config = node->status->config;
    dray_path path = dray_path_child(DRAY_AT(NULL, "status"), "config");
    validate_config_source(rq, node->spec->config_source, false,
                           DRAY_AT(DRAY_AT(NULL, "spec"), "configSource"));
    if (config == NULL)
        return;
    validate_config_source(rq, config->assigned, true, DRAY_AT(&path, "assigned"));
    validate_config_source(rq, config->active, true, DRAY_AT(&path, "active"));
    validate_config_source(rq, config->last_known_good, true, DRAY_AT(&path, "lastKnownGood"));
}

void dray_validate_node_status(dray_request *rq, const void *body, const void *old) {
    validate_change(rq, body, old);
    validate_config(rq, body);
}

void dray_validate_node(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_node *node = body, *old = old_body;
    validate_new(rq, node);
    if (old != NULL)
        dray_validate_node_status(rq, node, old);
}
