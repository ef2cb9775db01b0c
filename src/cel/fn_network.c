/* ip() and cidr(): the network library, the same code for CEL's own and for Kubernetes'. */
#include "cel/eval_int.h"

#include "base/ip.h"
#include "base/utf8.h"
#include "base/vec.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

typedef struct ip_object {
    dray_cel_opaque opaque;
    dray_ip addr;
} ip_object;

typedef struct cidr_object {
    dray_cel_opaque opaque;
    dray_ip_prefix prefix;
} cidr_object;

static const dray_ip *addr_of(dray_cel_value v) {
    return &((const ip_object *)v.opaque)->addr;
}
static const dray_ip_prefix *prefix_of(dray_cel_value v) {
    return &((const cidr_object *)v.opaque)->prefix;
}

static bool equal_ips(const dray_cel_opaque *a, const dray_cel_opaque *b) {
    return dray_ip_same(&((const ip_object *)a)->addr, &((const ip_object *)b)->addr);
}
static bool equal_cidrs(const dray_cel_opaque *a, const dray_cel_opaque *b) {
    const dray_ip_prefix *p = &((const cidr_object *)a)->prefix;
    const dray_ip_prefix *q = &((const cidr_object *)b)->prefix;
    return p->bits == q->bits && dray_ip_same(&p->addr, &q->addr);
}
static uint64_t ip_size(const dray_cel_opaque *a) {
    return ((const ip_object *)a)->addr.v6 ? 16 : 4;
}
static uint64_t cidr_size(const dray_cel_opaque *a) {
    return (uint64_t)(((const cidr_object *)a)->prefix.bits + 7) / 8;
}
static void print_ip(dray_buf *out, const dray_cel_opaque *a) {
    dray_ip_print(out, &((const ip_object *)a)->addr);
}
static void print_cidr(dray_buf *out, const dray_cel_opaque *a) {
    const dray_ip_prefix *p = &((const cidr_object *)a)->prefix;
    dray_ip_print(out, &p->addr);
    dray_buf_addf(out, "/%d", p->bits);
}

/* Kubernetes' refuse to be compared with other types, CEL's own do not. */
static const dray_cel_opaque_type ip_types[2] = {
    {DRAY_STR_INIT("net.IP"), "cel.IP", equal_ips, ip_size, print_ip, NULL, false,
     DRAY_CEL_KEY_EQUAL, .native = "netip.Addr"},
    {DRAY_STR_INIT("net.IP"), "ext.IP", equal_ips, NULL, print_ip, NULL, true, DRAY_CEL_KEY_EQUAL}};
static const dray_cel_opaque_type cidr_types[2] = {
    {DRAY_STR_INIT("net.CIDR"), "cel.CIDR", equal_cidrs, cidr_size, print_cidr, NULL, false,
     DRAY_CEL_KEY_EQUAL, .native = "netip.Prefix"},
    {DRAY_STR_INIT("net.CIDR"), "ext.CIDR", equal_cidrs, NULL, print_cidr, NULL, true,
     DRAY_CEL_KEY_EQUAL}};

static dray_cel_value new_ip(dray_cel_eval *e, dray_ip addr) {
    ip_object *o = DRAY_NEW(e->arena, ip_object);
    o->opaque.type = &ip_types[e->program->runtime->spec];
    o->addr = addr;
    return dray_cel_of_opaque(&o->opaque);
}

static dray_cel_value new_cidr(dray_cel_eval *e, dray_ip_prefix prefix) {
    cidr_object *o = DRAY_NEW(e->arena, cidr_object);
    o->opaque.type = &cidr_types[e->program->runtime->spec];
    o->prefix = prefix;
    return dray_cel_of_opaque(&o->opaque);
}

static bool read_ip(dray_cel_eval *e, dray_cel_value text, dray_ip *ret, dray_str *why) {
    dray_str s = dray_cel_str(text), reason;
    if (!dray_ip_read(s, e->arena, ret, &reason))
        *why = dray_strf(e->arena,
                         "IP Address " DRAY_FMT
                         " parse error during conversion from string: " DRAY_FMT,
                         DRAY_ARG(dray_utf8_quote(s, e->arena)), DRAY_ARG(reason));
    else if (ret->zone)
        *why = dray_strf(e->arena, "IP address " DRAY_FMT " with zone value is not allowed",
                         DRAY_ARG(dray_utf8_quote(s, e->arena)));
    else if (dray_ip_is_mapped(ret) && e->program->runtime->spec &&
             dray_str_chr(s, '.') == SIZE_MAX) {
        /* CEL's own library takes it for the IPv4 address when it is written in hexadecimal. */
        memmove(ret->bytes, ret->bytes + 12, 4);
        memset(ret->bytes + 4, 0, 12);
        ret->v6 = false;
        return true;
    } else if (dray_ip_is_mapped(ret))
        *why = dray_strf(e->arena, "IPv4-mapped IPv6 address " DRAY_FMT " is not allowed",
                         DRAY_ARG(dray_utf8_quote(s, e->arena)));
    else
        return true;
    return false;
}

static bool read_cidr(dray_cel_eval *e, dray_cel_value text, dray_ip_prefix *ret, dray_str *why) {
    static const char prefix[] = "network address parse error during conversion from string";
    dray_str s = dray_cel_str(text), reason;
    if (!dray_ip_prefix_read(s, e->arena, ret, &reason))
        *why = dray_strf(e->arena, "%s: %s: " DRAY_FMT, prefix, prefix, DRAY_ARG(reason));
    else if (dray_ip_is_mapped(&ret->addr))
        *why = dray_strf(e->arena, "%s: IPv4-mapped IPv6 address " DRAY_FMT " is not allowed",
                         prefix, DRAY_ARG(dray_utf8_quote(s, e->arena)));
    else
        return true;
    return false;
}

static dray_cel_value failed(dray_cel_eval *e, dray_str why) {
    return dray_cel_failf(e->arena, DRAY_FMT, DRAY_ARG(why));
}

/* --- addresses --- */

FN(to_ip) {
    dray_ip addr;
    dray_str why;
    return read_ip(e, args[0], &addr, &why) ? new_ip(e, addr) : failed(e, why);
}

FN(is_ip) {
    dray_ip addr;
    dray_str why;
    return dray_cel_of_bool(read_ip(e, args[0], &addr, &why));
}

FN(is_canonical) {
    dray_ip addr;
    dray_str why;
    if (!read_ip(e, args[0], &addr, &why))
        return failed(e, why);
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_ip_print(&text, &addr);
    return dray_cel_of_bool(dray_str_eq(dray_buf_str(&text), dray_cel_str(args[0])));
}

FN(opaque_to_string) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_cel_print_value(&text, args[0]);
    return dray_cel_of_str(dray_str_dup(e->arena, dray_buf_str(&text)));
}

FN(family) {
    return dray_cel_of_int(addr_of(args[0])->v6 ? 6 : 4);
}

#define TEST(name, test)                                 \
    FN(name) {                                           \
        return dray_cel_of_bool(test(addr_of(args[0]))); \
    }
TEST(is_unspecified, dray_ip_is_unspecified)
TEST(is_loopback, dray_ip_is_loopback)
TEST(is_link_local_multicast, dray_ip_is_link_local_multicast)
TEST(is_link_local_unicast, dray_ip_is_link_local_unicast)
TEST(is_global_unicast, dray_ip_is_global_unicast)

/* --- networks --- */

FN(to_cidr) {
    dray_ip_prefix prefix;
    dray_str why;
    return read_cidr(e, args[0], &prefix, &why) ? new_cidr(e, prefix) : failed(e, why);
}

FN(is_cidr) {
    dray_ip_prefix prefix;
    dray_str why;
    return dray_cel_of_bool(read_cidr(e, args[0], &prefix, &why));
}

static bool contains_addr(const dray_ip_prefix *p, const dray_ip *addr) {
    if (p->addr.v6 != addr->v6)
        return false;
    dray_ip a = dray_ip_masked(&p->addr, p->bits);
    dray_ip b = dray_ip_masked(addr, p->bits);
    return dray_ip_same(&a, &b);
}

static bool contains_prefix(const dray_ip_prefix *p, const dray_ip_prefix *q) {
    return p->bits <= q->bits && contains_addr(p, &q->addr);
}

FN(contains_ip) {
    return dray_cel_of_bool(contains_addr(prefix_of(args[0]), addr_of(args[1])));
}

FN(contains_ip_text) {
    dray_ip addr;
    dray_str why;
    if (!read_ip(e, args[1], &addr, &why)) /* Kubernetes loses the reason on its way */
        return e->program->runtime->spec ? failed(e, why) : dray_cel_no_overload;
    return dray_cel_of_bool(contains_addr(prefix_of(args[0]), &addr));
}

FN(contains_cidr) {
    return dray_cel_of_bool(contains_prefix(prefix_of(args[0]), prefix_of(args[1])));
}

FN(contains_cidr_text) {
    dray_ip_prefix prefix;
    dray_str why;
    if (!read_cidr(e, args[1], &prefix, &why))
        return failed(e, why);
    return dray_cel_of_bool(contains_prefix(prefix_of(args[0]), &prefix));
}

FN(cidr_ip) {
    return new_ip(e, prefix_of(args[0])->addr);
}

FN(masked) {
    const dray_ip_prefix *p = prefix_of(args[0]);
    return new_cidr(e, (dray_ip_prefix){dray_ip_masked(&p->addr, p->bits), p->bits});
}

FN(is_mask) {
    const dray_ip_prefix *p = prefix_of(args[0]);
    dray_ip masked_addr = dray_ip_masked(&p->addr, p->bits);
    return dray_cel_of_bool(dray_ip_same(&masked_addr, &p->addr));
}

FN(prefix_length) {
    return dray_cel_of_int(prefix_of(args[0])->bits);
}

static const dray_cel_impl_row overloads[] = {
    {"string_to_ip", to_ip},
    {"is_ip", is_ip},
    {"ip_is_canonical", is_canonical},
    {"ip_to_string", opaque_to_string},
    {"cidr_to_string", opaque_to_string},
    {"ip_family", family},
    {"ip_is_unspecified", is_unspecified},
    {"ip_is_loopback", is_loopback},
    {"ip_is_link_local_multicast", is_link_local_multicast},
    {"ip_is_link_local_unicast", is_link_local_unicast},
    {"ip_is_global_unicast", is_global_unicast},
    {"string_to_cidr", to_cidr},
    {"is_cidr", is_cidr},
    {"cidr_contains_ip_ip", contains_ip},
    {"cidr_contains_ip_string", contains_ip_text},
    {"cidr_contains_cidr", contains_cidr},
    {"cidr_contains_cidr_string", contains_cidr_text},
    {"cidr_ip", cidr_ip},
    {"cidr_masked", masked},
    {"cidr_is_mask", is_mask},
    {"cidr_prefix_length", prefix_length},
};

const dray_cel_impl_table dray_cel_impls_network = {NULL, 0, overloads, DRAY_COUNT(overloads)};
