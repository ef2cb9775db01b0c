/* IP addresses and CIDRs as old fields take them: leniently, with warnings for odd spellings. */
#include "api/validate/core_int.h"

#include "base/ip.h"

static bool has_host_bits(const dray_ip_prefix *p) {
    dray_ip masked = dray_ip_masked(&p->addr, p->bits);
    return !dray_ip_same(&masked, &p->addr);
}

/* As Go prints an address of either form: a mapped one as IPv4. */
static dray_str format_ip(dray_ip ip, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    ip = dray_ip_unmapped(ip);
    dray_ip_print(&out, &ip);
    return dray_str_dup(arena, dray_buf_str(&out));
}

static dray_str format_network(const dray_ip_prefix *p, dray_arena *arena) {
    dray_ip masked = dray_ip_masked(&p->addr, p->bits);
    int bits = dray_ip_is_mapped(&masked) ? p->bits - 96 : p->bits;
    return dray_strf(arena, DRAY_FMT "/%d", DRAY_ARG(format_ip(masked, arena)), bits);
}

static int family_of(dray_ip ip) {
    return dray_ip_unmapped(ip).v6 ? 6 : 4;
}

void dray_validate_ip(dray_request *rq, dray_str ip, dray_strings old, const dray_path *path) {
    dray_ip a;
    bool strict;
    if (strings_have(old, ip))
        return;
    if (!dray_ip_read_lenient(ip, &a, &strict)) {
        fail_invalid(rq, path, ip,
                     DRAY_STR("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
        return;
    }
    if (!dray_request_gate(rq, DRAY_GATE_StrictIPCIDRValidation))
        return;
    if (!strict)
        fail_invalid(rq, path, ip, DRAY_STR("must not have leading 0s"));
    else if (dray_ip_is_mapped(&a))
        fail_invalid(rq, path, ip, DRAY_STR("must not be an IPv4-mapped IPv6 address"));
}

/* Where nothing outside can be reached. */
void dray_validate_endpoint_ip(dray_request *rq, dray_str ip, const dray_path *path) {
    dray_ip a;
    bool strict;
    if (!dray_ip_read_lenient(ip, &a, &strict)) {
        fail_invalid(rq, path, ip, DRAY_STR("must be a valid IP address"));
        return;
    }
    a = dray_ip_unmapped(a);
    if (dray_ip_is_unspecified(&a))
        fail_invalid(rq, path, ip,
                     DETAIL(rq, "may not be unspecified (" DRAY_FMT ")", DRAY_ARG(ip)));
    if (dray_ip_is_loopback(&a))
        fail_invalid(rq, path, ip,
                     DRAY_STR("may not be in the loopback range (127.0.0.0/8, ::1/128)"));
    if (dray_ip_is_link_local_unicast(&a))
        fail_invalid(rq, path, ip,
                     DRAY_STR("may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
    if (dray_ip_is_link_local_multicast(&a))
        fail_invalid(
            rq, path, ip,
            DRAY_STR("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
}

void dray_validate_cidr(dray_request *rq, dray_str cidr, dray_strings old, const dray_path *path) {
    dray_ip_prefix p;
    bool strict;
    if (strings_have(old, cidr))
        return;
    if (!dray_ip_prefix_read_lenient(cidr, &p, &strict)) {
        fail_invalid(rq, path, cidr,
                     DRAY_STR("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
        return;
    }
    if (!dray_request_gate(rq, DRAY_GATE_StrictIPCIDRValidation))
        return;
    if (!strict)
        fail_invalid(rq, path, cidr, DRAY_STR("must not have leading 0s in IP or prefix length"));
    else if (dray_ip_is_mapped(&p.addr))
        fail_invalid(rq, path, cidr, DRAY_STR("must not have an IPv4-mapped IPv6 address"));
    else if (has_host_bits(&p))
        fail_invalid(rq, path, cidr, DRAY_STR("must not have bits set beyond the prefix length"));
}

void dray_warn_ip(dray_request *rq, dray_str ip, const dray_path *path) {
    dray_ip a;
    bool strict;
    if (!dray_ip_read_lenient(ip, &a, &strict))
        return;
    dray_str canonical = format_ip(a, rq->arena);
    dray_str quoted = dray_value_quote(rq->arena, ip);
    if (!strict || dray_ip_is_mapped(&a))
        dray_warn(rq, path,
                  DETAIL(rq,
                         "non-standard IP address " DRAY_FMT " is invalid: use \"" DRAY_FMT "\"",
                         DRAY_ARG(quoted), DRAY_ARG(canonical)));
    else if (a.v6 && !dray_str_eq(canonical, ip))
        dray_warn(rq, path,
                  DETAIL(rq,
                         "IPv6 address " DRAY_FMT
                         " should be in RFC 5952 canonical format (\"" DRAY_FMT "\")",
                         DRAY_ARG(quoted), DRAY_ARG(canonical)));
}

void dray_warn_cidr(dray_request *rq, dray_str cidr, const dray_path *path) {
    dray_ip_prefix p;
    bool strict;
    if (!dray_ip_prefix_read_lenient(cidr, &p, &strict))
        return;
    dray_str network = format_network(&p, rq->arena);
    dray_str quoted = dray_value_quote(rq->arena, cidr);
    size_t before = rq->warnings.n;
    if (has_host_bits(&p))
        dray_warn(rq, path,
                  DETAIL(rq,
                         "CIDR value " DRAY_FMT
                         " is ambiguous in this context (should be \"" DRAY_FMT "\" or \"" DRAY_FMT
                         "/%d\"?)",
                         DRAY_ARG(quoted), DRAY_ARG(network),
                         DRAY_ARG(format_ip(p.addr, rq->arena)), p.addr.v6 ? 128 : 32));
    if (!strict || dray_ip_is_mapped(&p.addr))
        dray_warn(rq, path,
                  DETAIL(rq,
                         "non-standard CIDR value " DRAY_FMT " is invalid: use \"" DRAY_FMT "\"",
                         DRAY_ARG(quoted), DRAY_ARG(network)));
    if (rq->warnings.n == before && p.addr.v6 && !dray_str_eq(network, cidr))
        dray_warn(rq, path,
                  DETAIL(rq,
                         "IPv6 CIDR value " DRAY_FMT
                         " should be in RFC 5952 canonical format (\"" DRAY_FMT "\")",
                         DRAY_ARG(quoted), DRAY_ARG(network)));
}

int dray_ip_family(dray_str ip) {
    dray_ip a;
    bool strict;
    if (!dray_ip_read_lenient(ip, &a, &strict))
        return 0;
    return family_of(a);
}

int dray_cidr_family(dray_str cidr) {
    dray_ip_prefix p;
    bool strict;
    if (!dray_ip_prefix_read_lenient(cidr, &p, &strict))
        return 0;
    return family_of(p.addr);
}
