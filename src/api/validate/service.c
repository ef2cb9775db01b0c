/* Services, without what the allocator of addresses and ports adds. */
#include "api/validate/workload_int.h"

enum { AFFINITY_SECONDS_LIMIT = 86400 };

static bool is_type(const dray_core_service *s, const char *type) {
    return dray_str_is(s->spec->type, type);
}

static bool is_headless(const dray_core_service *s) {
    return s->spec->cluster_ips.n == 1 && dray_str_is(s->spec->cluster_ips.v[0], "None");
}

static bool is_external(const dray_core_service *s) {
    return is_type(s, "LoadBalancer") || is_type(s, "NodePort") ||
           (is_type(s, "ClusterIP") && s->spec->external_ips.n > 0);
}

static bool needs_health_check(const dray_core_service *s) {
    return is_type(s, "LoadBalancer") && dray_str_is(s->spec->external_traffic_policy, "Local");
}

static void validate_type(dray_request *rq, const dray_core_service *s, const dray_path *path) {
    const dray_core_service_spec *spec = s->spec;
    dray_path first = dray_path_index(DRAY_AT(path, "clusterIPs"), 0);
    dray_str why = DRAY_STR("may not be set for ExternalName services");
    if (is_headless(s) && (is_type(s, "LoadBalancer") || is_type(s, "NodePort")))
        fail_invalid(
            rq, &first, spec->cluster_ips.v[0],
            DETAIL(rq, "may not be set to 'None' for " DRAY_FMT " services", DRAY_ARG(spec->type)));
    if (!is_type(s, "ExternalName"))
        return;
    if (spec->cluster_ips.n > 0)
        fail_forbidden(rq, DRAY_AT(path, "clusterIPs"), why);
    if (spec->ip_families.n > 0)
        fail_forbidden(rq, DRAY_AT(path, "ipFamilies"), why);
    if (spec->ip_family_policy.p != NULL)
        fail_forbidden(rq, DRAY_AT(path, "ipFamilyPolicy"), why);
    dray_str name = spec->external_name;
    if (dray_str_ends(name, DRAY_STR(".")))
        name.n--;
    if (name.n > 0)
        fail_texts(rq, DRAY_AT(path, "externalName"), name, dray_check_dns1123_subdomain);
    else
        fail_required(rq, DRAY_AT(path, "externalName"), DRAY_STR(""));
}

static void validate_port(dray_request *rq, const dray_core_service *s, size_t i,
                          const dray_path *path) {
    const dray_core_service_port *port = &s->spec->ports.v[i];
    if (port->name.n > 0) {
        fail_texts(rq, DRAY_AT(path, "name"), port->name, dray_check_dns1123_label);
        for (size_t j = 0; j < i; j++)
            if (dray_str_eq(s->spec->ports.v[j].name, port->name)) {
                fail_duplicate(rq, DRAY_AT(path, "name"), port->name);
                break;
            }
    } else if (s->spec->ports.n > 1) {
        fail_required(rq, DRAY_AT(path, "name"), DRAY_STR(""));
    }
    dray_validate_port_number(rq, port->port, DRAY_AT(path, "port"));
    if (port->protocol.n == 0)
        fail_required(rq, DRAY_AT(path, "protocol"), DRAY_STR(""));
    else if (!IS_ONE_OF(port->protocol, "SCTP", "TCP", "UDP"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "protocol"), port->protocol, "SCTP", "TCP", "UDP");
    dray_validate_port(rq, port->target_port, DRAY_AT(path, "targetPort"));
    if (port->app_protocol.p != NULL)
        fail_texts(rq, DRAY_AT(path, "appProtocol"), port->app_protocol, dray_check_label_key);
}

static void validate_ports(dray_request *rq, const dray_core_service *s, const dray_path *path) {
    const dray_core_service_spec *spec = s->spec;
    for (size_t i = 0; i < spec->ports.n; i++) {
        const dray_core_service_port *port = &spec->ports.v[i];
        dray_path item = dray_path_index(path, i);
        validate_port(rq, s, i, &item);
        if (is_type(s, "ClusterIP") && port->node_port != 0)
            fail_forbidden(rq, DRAY_AT(&item, "nodePort"),
                           DRAY_STR("may not be used when `type` is 'ClusterIP'"));
        bool same_node = false, same_port = false;
        for (size_t j = 0; j < i; j++) {
            const dray_core_service_port *other = &spec->ports.v[j];
            bool protocol = dray_str_eq(other->protocol, port->protocol);
            same_node = same_node ||
                        (protocol && port->node_port != 0 && other->node_port == port->node_port);
            same_port = same_port || (protocol && other->port == port->port);
        }
        if (same_node)
            fail(rq, DRAY_FIELD_DUPLICATE, DRAY_AT(&item, "nodePort"),
                 dray_value_int(rq->arena, port->node_port), DRAY_STR(""));
        dray_core_service_port key = {.protocol = port->protocol, .port = port->port};
        if (same_port)
            fail(rq, DRAY_FIELD_DUPLICATE, &item,
                 dray_value_internal(rq->arena, &dray_type_core_service_port, &key,
                                     rq->gates->release),
                 DRAY_STR(""));
    }
}

static void validate_affinity(dray_request *rq, const dray_core_service_spec *spec,
                              const dray_path *path) {
    dray_path config = dray_path_child(path, "sessionAffinityConfig");
    const dray_core_session_affinity_config *c = spec->session_affinity_config;
    dray_str why = DRAY_STR("when session affinity type is ClientIP");
    if (spec->session_affinity.n == 0)
        fail_required(rq, DRAY_AT(path, "sessionAffinity"), DRAY_STR(""));
    else if (!IS_ONE_OF(spec->session_affinity, "ClientIP", "None"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "sessionAffinity"), spec->session_affinity, "ClientIP",
                         "None");
    if (dray_str_is(spec->session_affinity, "None") && c != NULL)
        fail_forbidden(rq, &config, DRAY_STR("must not be set when session affinity is None"));
    if (!dray_str_is(spec->session_affinity, "ClientIP"))
        return;
    dray_path client = dray_path_child(&config, "clientIP");
    dray_path timeout = dray_path_child(&client, "timeoutSeconds");
    if (c == NULL)
        fail_required(rq, &config, why);
    else if (c->client_ip == NULL)
        fail_required(rq, &client, why);
    else if (!c->client_ip->timeout_seconds.set)
        fail_required(rq, &timeout, why);
    else if (c->client_ip->timeout_seconds.v <= 0 ||
             c->client_ip->timeout_seconds.v > AFFINITY_SECONDS_LIMIT)
        fail_invalid_int(rq, &timeout, c->client_ip->timeout_seconds.v,
                         DRAY_STR("must be greater than 0 and less than 86400"));
}

static void validate_families(dray_request *rq, const dray_core_service_spec *spec,
                              const dray_path *path) {
    for (size_t i = 0; i < spec->ip_families.n; i++) {
        dray_str family = spec->ip_families.v[i];
        dray_path item = dray_path_index(DRAY_AT(path, "ipFamilies"), i);
        if (!IS_ONE_OF(family, "IPv4", "IPv6"))
            FAIL_UNSUPPORTED(rq, &item, family, "IPv4", "IPv6");
        if (strings_have((dray_strings){spec->ip_families.v, i}, family))
            fail(rq, DRAY_FIELD_DUPLICATE, &item, dray_value_json_string(rq->arena, family),
                 DRAY_STR(""));
    }
    dray_str policy = spec->ip_family_policy;
    if (policy.p != NULL &&
        !IS_ONE_OF(policy, "PreferDualStack", "RequireDualStack", "SingleStack"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "ipFamilyPolicy"), policy, "PreferDualStack",
                         "RequireDualStack", "SingleStack");
}

static void validate_cluster_ips(dray_request *rq, const dray_core_service *s,
                                 const dray_core_service *old, const dray_path *path) {
    const dray_core_service_spec *spec = s->spec;
    dray_path ips = dray_path_child(path, "clusterIPs");
    dray_str text = dray_value_strings(rq->arena, spec->cluster_ips);
    dray_strings known = old != NULL ? old->spec->cluster_ips : (dray_strings){0};
    if (is_type(s, "ExternalName"))
        return;
    if (spec->cluster_ip.n > 0 && spec->cluster_ips.n == 0)
        fail_required(rq, &ips, DRAY_STR(""));
    else if (spec->cluster_ip.n > 0 && !dray_str_eq(spec->cluster_ips.v[0], spec->cluster_ip))
        fail_invalid_text(rq, &ips, text, DRAY_STR("first value must match `clusterIP`"));
    else if (spec->cluster_ip.n == 0 && spec->cluster_ips.n > 0)
        fail_invalid_text(rq, &ips, text,
                          DRAY_STR("must be empty when `clusterIP` is not specified"));
    validate_families(rq, spec, path);
    size_t before = rq->errors->list.n;
    for (size_t i = 0; i < spec->cluster_ips.n; i++) {
        if (i > 0 || !dray_str_is(spec->cluster_ips.v[i], "None"))
            dray_validate_ip(rq, spec->cluster_ips.v[i], known, DRAY_AT_INDEX(&ips, i));
        else if (spec->cluster_ips.n > 1)
            fail_invalid_text(rq, &ips, text, DRAY_STR("'None' must be the first and only value"));
    }
    bool bad = rq->errors->list.n > before;
    if (spec->cluster_ips.n > 2)
        fail_invalid_text(rq, &ips, text, DRAY_STR("may only hold up to 2 values"));
    if (bad || is_headless(s))
        return;
    bool v4 = false, v6 = false;
    for (size_t i = 0; i < spec->cluster_ips.n; i++) {
        v4 = v4 || dray_ip_family(spec->cluster_ips.v[i]) == 4;
        v6 = v6 || dray_ip_family(spec->cluster_ips.v[i]) == 6;
    }
    if (spec->cluster_ips.n > 1 && !(v4 && v6))
        fail_invalid_text(rq, &ips, text,
                          DRAY_STR("may specify no more than one IP for each IP family"));
    for (size_t i = 0; i < spec->cluster_ips.n && i < spec->ip_families.n; i++) {
        int family = dray_str_is(spec->ip_families.v[i], "IPv6") ? 6 : 4;
        if (dray_ip_family(spec->cluster_ips.v[i]) != family)
            fail_invalid(
                rq, DRAY_AT_INDEX(&ips, i), spec->cluster_ips.v[i],
                DETAIL(rq, "expected an IPv%d value as indicated by `ipFamilies[%zu]`", family, i));
    }
}

#define RANGES_ANNOTATION "service.beta.kubernetes.io/load-balancer-source-ranges"

/* Which addresses may come in: a field, or the annotation that it had been. */
static void validate_source_ranges(dray_request *rq, const dray_core_service *s,
                                   const dray_core_service *old, const dray_path *path) {
    dray_strings now = s->spec->load_balancer_source_ranges, was = {0};
    dray_str only = DRAY_STR("may only be used when `type` is 'LoadBalancer'"), text, before;
    dray_path ranges = dray_path_child(path, "LoadBalancerSourceRanges");
    dray_path notes = dray_path_child(DRAY_AT(NULL, "metadata"), "annotations");
    dray_path note = dray_path_key(&notes, DRAY_STR(RANGES_ANNOTATION));
    if (now.n > 0 && !is_type(s, "LoadBalancer"))
        fail_forbidden(rq, &ranges, only);
    if (old != NULL) {
        dray_strings kept = old->spec->load_balancer_source_ranges;
        was = (dray_strings){DRAY_NEW_N(rq->arena, dray_str, kept.n + 1), kept.n};
        for (size_t i = 0; i < kept.n; i++)
            was.v[i] = dray_trimmed(kept.v[i]);
    }
    for (size_t i = 0; i < now.n; i++)
        dray_validate_cidr(rq, dray_trimmed(now.v[i]), was, DRAY_AT_INDEX(&ranges, i));
    if (now.n > 0 || !map_find(s->metadata->annotations, DRAY_STR(RANGES_ANNOTATION), &text))
        return;
    if (!is_type(s, "LoadBalancer"))
        fail_forbidden(rq, &note, only);
    if (old != NULL && map_find(old->metadata->annotations, DRAY_STR(RANGES_ANNOTATION), &before) &&
        dray_str_eq(before, text))
        return;
    text = dray_trimmed(text);
    dray_str head, tail = text;
    for (bool more = text.n > 0; more;) {
        more = dray_str_cut(tail, ',', &head, &tail);
        dray_validate_cidr(rq, dray_trimmed(head), (dray_strings){0}, &note);
    }
}

static void validate_load_balancer(dray_request *rq, const dray_core_service *s,
                                   const dray_core_service *old, const dray_path *path) {
    const dray_core_service_spec *spec = s->spec;
    bool balanced = is_type(s, "LoadBalancer");
    dray_str only = DRAY_STR("may only be used when `type` is 'LoadBalancer'");
    validate_source_ranges(rq, s, old, path);
    if (spec->allocate_load_balancer_node_ports.set && !balanced)
        fail_forbidden(rq, DRAY_AT(path, "allocateLoadBalancerNodePorts"), only);
    if (balanced && !spec->allocate_load_balancer_node_ports.set)
        fail_required(rq, DRAY_AT(NULL, "allocateLoadBalancerNodePorts"), DRAY_STR(""));
    if (old != NULL && balanced && is_type(old, "LoadBalancer") &&
        ((old->spec->load_balancer_class.p == NULL) != (spec->load_balancer_class.p == NULL) ||
         !dray_str_eq(old->spec->load_balancer_class, spec->load_balancer_class)))
        fail_invalid(rq, DRAY_AT(path, "loadBalancerClass"), spec->load_balancer_class,
                     DRAY_STR("may not change once set"));
    if (spec->load_balancer_class.p != NULL && balanced)
        fail_texts(rq, DRAY_AT(path, "loadBalancerClass"), spec->load_balancer_class,
                   dray_check_label_key);
    else if (spec->load_balancer_class.p != NULL)
        fail_forbidden(rq, DRAY_AT(path, "loadBalancerClass"), only);
}

static void validate_traffic(dray_request *rq, const dray_core_service *s, const dray_path *path) {
    const dray_core_service_spec *spec = s->spec;
    dray_path external = dray_path_child(path, "externalTrafficPolicy");
    dray_path internal = dray_path_child(path, "internalTrafficPolicy");
    dray_path health = dray_path_child(path, "healthCheckNodePort");
    dray_str policy = spec->external_traffic_policy;
    if (!is_external(s) && policy.n > 0)
        fail_invalid_word(rq, &external, policy,
                          DRAY_STR("may only be set for externally-accessible services"));
    else if (is_external(s) && policy.n == 0)
        fail_required(rq, &external, DRAY_STR(""));
    else if (is_external(s) && !IS_ONE_OF(policy, "Cluster", "Local"))
        FAIL_UNSUPPORTED(rq, &external, policy, "Cluster", "Local");
    if (!needs_health_check(s) && spec->health_check_node_port != 0)
        fail_invalid_int(rq, &health, spec->health_check_node_port,
                         DRAY_STR("may only be set when `type` is 'LoadBalancer' and "
                                  "`externalTrafficPolicy` is 'Local'"));
    policy = spec->internal_traffic_policy;
    if (policy.p == NULL && !is_type(s, "ExternalName") &&
        IS_ONE_OF(spec->type, "NodePort", "LoadBalancer", "ClusterIP"))
        fail_required(rq, &internal, DRAY_STR(""));
    if (policy.p != NULL && !IS_ONE_OF(policy, "Cluster", "Local"))
        FAIL_UNSUPPORTED(rq, &internal, policy, "Cluster", "Local");
    dray_str distribution = spec->traffic_distribution;
    dray_path at = dray_path_child(path, "trafficDistribution");
    bool same = dray_request_gate(rq, DRAY_GATE_PreferSameTrafficDistribution);
    if (distribution.p == NULL || dray_str_is(distribution, "PreferClose"))
        return;
    if (!same)
        FAIL_UNSUPPORTED(rq, &at, distribution, "PreferClose");
    else if (!IS_ONE_OF(distribution, "PreferSameZone", "PreferSameNode"))
        FAIL_UNSUPPORTED(rq, &at, distribution, "PreferClose", "PreferSameZone", "PreferSameNode");
}

static void validate_change(dray_request *rq, const dray_core_service *s,
                            const dray_core_service *old, const dray_path *path) {
    const dray_core_service_spec *spec = s->spec, *was = old->spec;
    dray_path ips = dray_path_child(path, "clusterIPs");
    dray_str text = dray_value_strings(rq->arena, spec->cluster_ips);
    if (is_type(s, "ExternalName") || is_type(old, "ExternalName") ||
        (is_headless(s) && is_headless(old)))
        return;
    if (was->cluster_ips.n == spec->cluster_ips.n) {
        for (size_t i = 0; i < was->cluster_ips.n; i++)
            if (!dray_str_eq(was->cluster_ips.v[i], spec->cluster_ips.v[i]))
                fail_invalid_text(rq, DRAY_AT_INDEX(&ips, i), text,
                                  DRAY_STR("may not change once set"));
    } else if (was->cluster_ips.n > 0 && spec->cluster_ips.n == 0) {
        fail_invalid_text(rq, DRAY_AT_INDEX(&ips, 0), text,
                          DRAY_STR("primary clusterIP can not be unset"));
    } else if (was->cluster_ips.n > 0 &&
               !dray_str_eq(was->cluster_ips.v[0], spec->cluster_ips.v[0])) {
        fail_invalid_text(rq, DRAY_AT_INDEX(&ips, 0), text, DRAY_STR("may not change once set"));
    }
}

static void validate_spec(dray_request *rq, const dray_core_service *s,
                          const dray_core_service *old, const dray_path *path) {
    const dray_core_service_spec *spec = s->spec;
    if (spec->ports.n == 0 && !is_headless(s) && !is_type(s, "ExternalName"))
        fail_required(rq, DRAY_AT(path, "ports"), DRAY_STR(""));
    validate_type(rq, s, path);
    validate_ports(rq, s, DRAY_AT(path, "ports"));
    dray_validate_labels(rq, spec->selector, DRAY_AT(path, "selector"));
    validate_affinity(rq, spec, path);
    validate_cluster_ips(rq, s, old, path);
    for (size_t i = 0; i < spec->external_ips.n; i++) {
        dray_path item = dray_path_index(DRAY_AT(path, "externalIPs"), i);
        size_t before = rq->errors->list.n;
        dray_validate_ip(rq, spec->external_ips.v[i],
                         old != NULL ? old->spec->external_ips : (dray_strings){0}, &item);
        if (rq->errors->list.n == before)
            dray_validate_endpoint_ip(rq, spec->external_ips.v[i], &item);
    }
    if (spec->type.n == 0)
        fail_required(rq, DRAY_AT(path, "type"), DRAY_STR(""));
    else if (!IS_ONE_OF(spec->type, "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "type"), spec->type, "ClusterIP", "ExternalName",
                         "LoadBalancer", "NodePort");
    validate_load_balancer(rq, s, old, path);
    validate_traffic(rq, s, path);
}

void dray_validate_service(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_service *s = body, *old = old_body;
    dray_path path = dray_path_child(NULL, "spec");
    dray_validate_object_meta(rq, s->metadata, old != NULL ? old->metadata : NULL, false);
    if (old != NULL)
        validate_change(rq, s, old, &path);
    validate_spec(rq, s, old, &path);
}

void dray_validate_service_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_service *s = body, *old = old_body;
    dray_validate_object_meta(rq, s->metadata, old->metadata, false);
}
