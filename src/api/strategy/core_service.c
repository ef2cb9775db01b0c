/* What a Service's type makes of its fields when the type changes. */
#include "api/strategy/core_int.h"

static bool is_type(const dray_core_service *s, const char *type) {
    return dray_str_is(s->spec->type, type);
}

static bool same_strings(dray_strings a, dray_strings b) {
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (!dray_str_eq(a.v[i], b.v[i]))
            return false;
    return true;
}

static bool same_optional(dray_str a, dray_str b) {
    return (a.p == NULL) == (b.p == NULL) && dray_str_eq(a, b);
}

static bool needs_node_ports(const dray_core_service *s) {
    return is_type(s, "NodePort") || is_type(s, "LoadBalancer");
}

static bool needs_health_check(const dray_core_service *s) {
    return is_type(s, "LoadBalancer") && dray_str_is(s->spec->external_traffic_policy, "Local");
}

static bool is_reached_from_outside(const dray_core_service *s) {
    return needs_node_ports(s) || (is_type(s, "ClusterIP") && s->spec->external_ips.n > 0);
}

static void drop_addresses(dray_core_service_spec *spec, const dray_core_service_spec *was) {
    if (dray_str_eq(spec->cluster_ip, was->cluster_ip) &&
        same_strings(spec->cluster_ips, was->cluster_ips)) {
        spec->cluster_ip = DRAY_STR_NONE;
        spec->cluster_ips = (dray_strings){0};
    }
    if (same_strings(spec->ip_families, was->ip_families))
        spec->ip_families = (dray_strings){0};
    if (dray_str_eq(spec->ip_family_policy, was->ip_family_policy))
        spec->ip_family_policy = DRAY_STR_NONE;
}

/* Ports may have been added, removed or changed, but none that the old ones lack may be new. */
static void drop_node_ports(dray_core_service_spec *spec, const dray_core_service_spec *was) {
    for (size_t i = 0; i < spec->ports.n; i++) {
        bool known = spec->ports.v[i].node_port == 0;
        for (size_t j = 0; j < was->ports.n && !known; j++)
            known = was->ports.v[j].node_port == spec->ports.v[i].node_port;
        if (!known)
            return;
    }
    for (size_t i = 0; i < spec->ports.n; i++)
        spec->ports.v[i].node_port = 0;
}

void dray_service_drop_by_type(dray_core_service *service, const dray_core_service *old) {
    dray_core_service_spec *spec = service->spec;
    const dray_core_service_spec *was = old->spec;
    if (!is_type(old, "ExternalName") && is_type(service, "ExternalName"))
        drop_addresses(spec, was);
    if (needs_node_ports(old) && !needs_node_ports(service))
        drop_node_ports(spec, was);
    if (needs_health_check(old) && !needs_health_check(service) &&
        spec->health_check_node_port == was->health_check_node_port)
        spec->health_check_node_port = 0;
    if (is_type(old, "LoadBalancer") && !is_type(service, "LoadBalancer")) {
        dray_opt_bool allocate = spec->allocate_load_balancer_node_ports;
        if (allocate.set && was->allocate_load_balancer_node_ports.set &&
            allocate.v == was->allocate_load_balancer_node_ports.v)
            spec->allocate_load_balancer_node_ports = (dray_opt_bool){0};
        if (same_optional(spec->load_balancer_class, was->load_balancer_class))
            spec->load_balancer_class = DRAY_STR_NONE;
    }
    if (is_reached_from_outside(old) && !is_reached_from_outside(service) &&
        dray_str_eq(spec->external_traffic_policy, was->external_traffic_policy))
        spec->external_traffic_policy = DRAY_STR_NONE;
}
