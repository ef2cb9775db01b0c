/* Kubernetes' ip and cidr libraries, and the authorizer's names: rows alone. The code of ip and
 * cidr is cel's; the authorizer has none here, since no `authorizer` variable exists. */
#include "celk8s/libs_int.h"

#include "base/vec.h"

/* Only reached by values of the authorizer's types, and there are none. */
static dray_cel_value refuse(dray_cel_eval *e, const dray_cel_value *args, uint32_t n) {
    return dray_cel_no_overload;
}

/* clang-format off */
static const dray_cel_row ip_rows[] = {
    {"family", "ip_family", "net.IP.() -> int"},
    {"ip", "string_to_ip", "(string) -> net.IP"},
    {"ip.isCanonical", "ip_is_canonical", "(string) -> bool"},
    {"isGlobalUnicast", "ip_is_global_unicast", "net.IP.() -> bool"},
    {"isIP", "is_ip", "(string) -> bool"},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", "net.IP.() -> bool"},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", "net.IP.() -> bool"},
    {"isLoopback", "ip_is_loopback", "net.IP.() -> bool"},
    {"isUnspecified", "ip_is_unspecified", "net.IP.() -> bool"},
    {"string", "ip_to_string", "(net.IP) -> string"},
};

static const dray_cel_row cidr_rows[] = {
    {"cidr", "string_to_cidr", "(string) -> net.CIDR"},
    {"containsCIDR", "cidr_contains_cidr_string", "net.CIDR.(string) -> bool"},
    {"containsCIDR", "cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool"},
    {"containsIP", "cidr_contains_ip_string", "net.CIDR.(string) -> bool"},
    {"containsIP", "cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool"},
    {"ip", "cidr_ip", "net.CIDR.() -> net.IP"},
    {"isCIDR", "is_cidr", "(string) -> bool"},
    {"masked", "cidr_masked", "net.CIDR.() -> net.CIDR"},
    {"prefixLength", "cidr_prefix_length", "net.CIDR.() -> int"},
    {"string", "cidr_to_string", "(net.CIDR) -> string"},
};

static const dray_cel_row authz_rows[] = {
    {"allowed", "decision_allowed", "kubernetes.authorization.Decision.() -> bool", refuse},
    {"check", "pathcheck_check", "kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision", refuse},
    {"check", "resourcecheck_check", "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision", refuse},
    {"error", "decision_error", "kubernetes.authorization.Decision.() -> string", refuse},
    {"errored", "decision_errored", "kubernetes.authorization.Decision.() -> bool", refuse},
    {"group", "authorizer_group", "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck", refuse},
    {"name", "resourcecheck_name", "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck", refuse},
    {"namespace", "resourcecheck_namespace", "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck", refuse},
    {"path", "authorizer_path", "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck", refuse},
    {"reason", "decision_reason", "kubernetes.authorization.Decision.() -> string", refuse},
    {"resource", "groupcheck_resource", "kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck", refuse},
    {"serviceAccount", "authorizer_serviceaccount", "kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer", refuse},
    {"subresource", "resourcecheck_subresource", "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck", refuse},
};

static const dray_cel_row authz_selector_rows[] = {
    {"fieldSelector", "authorizer_fieldselector", "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck", refuse},
    {"labelSelector", "authorizer_labelselector", "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck", refuse},
};
/* clang-format on */

static const dray_cel_type_row net_types[] = {{.name = "net.IP", .opaque = true},
                                              {.name = "net.CIDR", .opaque = true}};
static const dray_cel_variable_row net_variables[] = {
    {"net.IP", "type(net.IP)"},
    {"net.CIDR", "type(net.CIDR)"},
};

const dray_cel_library dray_celk8s_lib_ip = {.name = "kubernetes.net.ip",
                                             .rows = ip_rows,
                                             .n_rows = DRAY_COUNT(ip_rows),
                                             .types = net_types,
                                             .n_types = DRAY_COUNT(net_types),
                                             .variables = net_variables,
                                             .n_variables = DRAY_COUNT(net_variables)};
const dray_cel_library dray_celk8s_lib_cidr = {
    .name = "kubernetes.net.cidr", .rows = cidr_rows, .n_rows = DRAY_COUNT(cidr_rows)};
const dray_cel_library dray_celk8s_lib_authz = {
    .name = "kubernetes.authz", .rows = authz_rows, .n_rows = DRAY_COUNT(authz_rows)};
const dray_cel_library dray_celk8s_lib_authz_selectors = {.name = "kubernetes.authzSelectors",
                                                          .rows = authz_selector_rows,
                                                          .n_rows =
                                                              DRAY_COUNT(authz_selector_rows)};
