/* IP addresses and CIDRs as old fields take them: leniently, with warnings for odd spellings. */
#include "api/validate/core_int.h"

typedef struct address {
    uint8_t bytes[16]; /* of IPv4 the first four count */
    bool v6;           /* written with colons */
    bool strict;       /* would pass without leniency: no leading zeros, short groups */
    bool mapped;       /* ::ffff:a.b.c.d */
} address;

static bool decimal(dray_str s, uint32_t limit, uint32_t *ret, bool *strict) {
    uint32_t n = 0;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        n = n * 10 + (uint32_t)(s.p[i] - '0');
        if (n > limit)
            return false;
    }
    if (s.n > 1 && s.p[0] == '0')
        *strict = false;
    *ret = n;
    return true;
}

static bool parse_v4(dray_str s, uint8_t out[4], bool *strict) {
    for (int i = 0; i < 4; i++) {
        dray_str part, rest = DRAY_STR_NONE;
        bool cut = dray_str_cut(s, '.', &part, &rest);
        uint32_t n;
        if (cut != (i < 3) || !decimal(part, 255, &n, strict))
            return false;
        out[i] = (uint8_t)n;
        s = rest;
    }
    return true;
}

static bool hex_group(dray_str s, uint16_t *ret, bool *strict) {
    uint32_t n = 0;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        n = n * 16 + digit;
        if (digit == 16 || n > 0xffff)
            return false;
    }
    if (s.n > 4)
        *strict = false;
    *ret = (uint16_t)n;
    return true;
}

/* Moves what stands behind "::" to the end. */
static bool expand(address *a, size_t n, size_t ellipsis) {
    if (ellipsis == SIZE_MAX)
        return n == 16;
    if (n == 16)
        return false;
    size_t moved = n - ellipsis;
    memmove(a->bytes + 16 - moved, a->bytes + ellipsis, moved);
    memset(a->bytes + ellipsis, 0, 16 - n);
    return true;
}

static bool parse_v6(dray_str s, address *a) {
    size_t n = 0, ellipsis = SIZE_MAX;
    a->v6 = true;
    if (dray_str_starts(s, DRAY_STR("::"))) {
        ellipsis = 0;
        s = dray_str_slice(s, 2, s.n);
    }
    while (s.n > 0) {
        size_t end = dray_str_chr(s, ':');
        dray_str part = end == SIZE_MAX ? s : dray_str_slice(s, 0, end);
        uint16_t group;
        if (end == SIZE_MAX && dray_str_chr(part, '.') != SIZE_MAX) {
            if (n > 12 || !parse_v4(part, a->bytes + n, &a->strict))
                return false;
            n += 4;
            break;
        }
        if (n > 14 || !hex_group(part, &group, &a->strict))
            return false;
        a->bytes[n++] = (uint8_t)(group >> 8);
        a->bytes[n++] = (uint8_t)group;
        if (end == SIZE_MAX)
            break;
        s = dray_str_slice(s, end + 1, s.n);
        if (s.n == 0)
            return false;
        if (s.p[0] == ':') {
            if (ellipsis != SIZE_MAX)
                return false;
            ellipsis = n;
            s = dray_str_slice(s, 1, s.n);
        }
    }
    return expand(a, n, ellipsis);
}

static bool parse_ip(dray_str s, address *ret) {
    address a = {.strict = true};
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    bool good =
        dray_str_chr(s, ':') != SIZE_MAX ? parse_v6(s, &a) : parse_v4(s, a.bytes, &a.strict);
    a.mapped = good && a.v6 && memcmp(a.bytes, prefix, sizeof prefix) == 0;
    *ret = a;
    return good;
}

static bool parse_cidr(dray_str s, address *ret, uint32_t *ret_bits) {
    dray_str ip, bits;
    bool strict = true;
    if (!dray_str_cut(s, '/', &ip, &bits) || !parse_ip(ip, ret))
        return false;
    if (!decimal(bits, ret->v6 ? 128 : 32, ret_bits, &strict))
        return false;
    ret->strict = ret->strict && strict;
    return true;
}

static bool has_host_bits(const address *a, uint32_t bits) {
    for (uint32_t i = bits; i < (a->v6 ? 128u : 32u); i++)
        if ((a->bytes[i / 8] >> (7 - i % 8)) & 1)
            return true;
    return false;
}

static dray_str format_v4(const uint8_t bytes[4], dray_arena *arena) {
    return dray_strf(arena, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* RFC 5952: the longest run of two zero groups or more is "::", letters are small. */
static dray_str format_ip(const address *a, dray_arena *arena) {
    if (!a->v6)
        return format_v4(a->bytes, arena);
    if (a->mapped)
        return format_v4(a->bytes + 12, arena);
    int start = -1, length = 1;
    for (int i = 0; i < 8; i++) {
        int n = 0;
        while (i + n < 8 && a->bytes[2 * (i + n)] == 0 && a->bytes[2 * (i + n) + 1] == 0)
            n++;
        if (n > length) {
            start = i;
            length = n;
        }
    }
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (int i = 0; i < 8; i++) {
        if (i == start) {
            dray_buf_puts(&out, "::");
            i += length - 1;
            continue;
        }
        if (i > 0 && i != start + length)
            dray_buf_putc(&out, ':');
        dray_buf_addf(&out, "%x", a->bytes[2 * i] << 8 | a->bytes[2 * i + 1]);
    }
    return dray_str_dup(arena, dray_buf_str(&out));
}

static dray_str format_network(address a, uint32_t bits, dray_arena *arena) {
    for (uint32_t i = bits; i < (a.v6 ? 128u : 32u); i++)
        a.bytes[i / 8] &= (uint8_t)~(1u << (7 - i % 8));
    return dray_strf(arena, DRAY_FMT "/%u", DRAY_ARG(format_ip(&a, arena)), bits);
}

void dray_validate_ip(dray_request *rq, dray_str ip, dray_strings old, const dray_path *path) {
    address a;
    if (strings_have(old, ip))
        return;
    if (!parse_ip(ip, &a)) {
        fail_invalid(rq, path, ip,
                     DRAY_STR("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
        return;
    }
    if (!dray_request_gate(rq, DRAY_GATE_StrictIPCIDRValidation))
        return;
    if (!a.strict)
        fail_invalid(rq, path, ip, DRAY_STR("must not have leading 0s"));
    else if (a.mapped)
        fail_invalid(rq, path, ip, DRAY_STR("must not be an IPv4-mapped IPv6 address"));
}

/* Where nothing outside can be reached. */
void dray_validate_endpoint_ip(dray_request *rq, dray_str ip, const dray_path *path) {
    static const uint8_t none[16], own[16] = {[15] = 1};
    address a;
    if (!parse_ip(ip, &a)) {
        fail_invalid(rq, path, ip, DRAY_STR("must be a valid IP address"));
        return;
    }
    const uint8_t *b = a.mapped ? a.bytes + 12 : a.bytes;
    bool v6 = a.v6 && !a.mapped;
    if (memcmp(b, none, v6 ? 16 : 4) == 0)
        fail_invalid(rq, path, ip,
                     DETAIL(rq, "may not be unspecified (" DRAY_FMT ")", DRAY_ARG(ip)));
    if (v6 ? memcmp(b, own, sizeof own) == 0 : b[0] == 127)
        fail_invalid(rq, path, ip,
                     DRAY_STR("may not be in the loopback range (127.0.0.0/8, ::1/128)"));
    if (v6 ? b[0] == 0xfe && (b[1] & 0xc0) == 0x80 : b[0] == 169 && b[1] == 254)
        fail_invalid(rq, path, ip,
                     DRAY_STR("may not be in the link-local range (169.254.0.0/16, fe80::/10)"));
    if (v6 ? b[0] == 0xff && (b[1] & 0x0f) == 2 : b[0] == 224 && b[1] == 0 && b[2] == 0)
        fail_invalid(
            rq, path, ip,
            DRAY_STR("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"));
}

void dray_validate_cidr(dray_request *rq, dray_str cidr, dray_strings old, const dray_path *path) {
    address a;
    uint32_t bits;
    if (strings_have(old, cidr))
        return;
    if (!parse_cidr(cidr, &a, &bits)) {
        fail_invalid(rq, path, cidr,
                     DRAY_STR("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
        return;
    }
    if (!dray_request_gate(rq, DRAY_GATE_StrictIPCIDRValidation))
        return;
    if (!a.strict)
        fail_invalid(rq, path, cidr, DRAY_STR("must not have leading 0s in IP or prefix length"));
    else if (a.mapped)
        fail_invalid(rq, path, cidr, DRAY_STR("must not have an IPv4-mapped IPv6 address"));
    else if (has_host_bits(&a, bits))
        fail_invalid(rq, path, cidr, DRAY_STR("must not have bits set beyond the prefix length"));
}

void dray_warn_ip(dray_request *rq, dray_str ip, const dray_path *path) {
    address a;
    if (!parse_ip(ip, &a))
        return;
    dray_str canonical = format_ip(&a, rq->arena);
    dray_str quoted = dray_value_quote(rq->arena, ip);
    if (!a.strict || a.mapped)
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
    address a;
    uint32_t bits;
    if (!parse_cidr(cidr, &a, &bits))
        return;
    dray_str network = format_network(a, bits, rq->arena);
    dray_str quoted = dray_value_quote(rq->arena, cidr);
    size_t before = rq->warnings.n;
    if (has_host_bits(&a, bits))
        dray_warn(rq, path,
                  DETAIL(rq,
                         "CIDR value " DRAY_FMT
                         " is ambiguous in this context (should be \"" DRAY_FMT "\" or \"" DRAY_FMT
                         "/%d\"?)",
                         DRAY_ARG(quoted), DRAY_ARG(network), DRAY_ARG(format_ip(&a, rq->arena)),
                         a.v6 ? 128 : 32));
    if (!a.strict || a.mapped)
        dray_warn(rq, path,
                  DETAIL(rq,
                         "non-standard CIDR value " DRAY_FMT " is invalid: use \"" DRAY_FMT "\"",
                         DRAY_ARG(quoted), DRAY_ARG(network)));
    if (rq->warnings.n == before && a.v6 && !dray_str_eq(network, cidr))
        dray_warn(rq, path,
                  DETAIL(rq,
                         "IPv6 CIDR value " DRAY_FMT
                         " should be in RFC 5952 canonical format (\"" DRAY_FMT "\")",
                         DRAY_ARG(quoted), DRAY_ARG(network)));
}

int dray_ip_family(dray_str ip) {
    address a;
    if (!parse_ip(ip, &a))
        return 0;
    return a.v6 && !a.mapped ? 6 : 4;
}

int dray_cidr_family(dray_str cidr) {
    address a;
    uint32_t bits;
    if (!parse_cidr(cidr, &a, &bits))
        return 0;
    return a.v6 && !a.mapped ? 6 : 4;
}
