/* Interface addresses in CIDR form, as Go reads them leniently and prints them canonically. */
#include "api/validate/resource_int.h"

enum { V4_BYTES = 4, V6_BYTES = 16, TOO_BIG = 0xffffff };

/* Digits from s[*at] on; false where there are none or too many. */
static bool read_number(dray_str s, size_t *at, int base, uint32_t *ret) {
    size_t start = *at;
    uint32_t n = 0;
    for (; *at < s.n; ++*at) {
        char c = s.p[*at];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : 99;
        if (digit >= base)
            break;
        n = n * (uint32_t)base + (uint32_t)digit;
        if (n >= TOO_BIG)
            return false;
    }
    *ret = n;
    return *at > start;
}

static bool read_v4(dray_str s, uint8_t out[V4_BYTES]) {
    size_t at = 0;
    for (int i = 0; i < V4_BYTES; i++) {
        uint32_t n;
        if (i > 0 && (at >= s.n || s.p[at++] != '.'))
            return false;
        if (!read_number(s, &at, 10, &n) || n > 255)
            return false;
        out[i] = (uint8_t)n;
    }
    return at == s.n;
}

/* Groups of up to 16 bits from s[at] on; :: at most once. */
static bool read_v6_groups(dray_str s, size_t at, uint8_t out[V6_BYTES], size_t *ret_n,
                           int *ellipsis) {
    size_t n = 0;
    while (n < V6_BYTES) {
        uint32_t group;
        size_t start = at;
        if (!read_number(s, &at, 16, &group) || group > 0xffff)
            return false;
        if (at < s.n && s.p[at] == '.') {
            if ((*ellipsis < 0 && n != V6_BYTES - V4_BYTES) || n + V4_BYTES > V6_BYTES ||
                !read_v4(dray_str_slice(s, start, s.n), out + n))
                return false;
            *ret_n = n + V4_BYTES;
            return true;
        }
        out[n++] = (uint8_t)(group >> 8);
        out[n++] = (uint8_t)group;
        if (at == s.n)
            break;
        if (s.p[at] != ':' || at + 1 == s.n)
            return false;
        if (s.p[++at] != ':')
            continue;
        if (*ellipsis >= 0)
            return false;
        *ellipsis = (int)n;
        if (++at == s.n)
            break;
    }
    *ret_n = n;
    return at == s.n;
}

static bool read_v6(dray_str s, uint8_t out[V6_BYTES]) {
    int ellipsis = -1;
    size_t at = 0, n = 0;
    memset(out, 0, V6_BYTES);
    if (dray_str_starts(s, DRAY_STR("::"))) {
        ellipsis = 0;
        at = 2;
        if (s.n == 2)
            return true;
    }
    if (!read_v6_groups(s, at, out, &n, &ellipsis))
        return false;
    if (n == V6_BYTES)
        return ellipsis < 0;
    if (ellipsis < 0)
        return false;
    size_t tail = n - (size_t)ellipsis;
    memmove(out + V6_BYTES - tail, out + ellipsis, tail);
    memset(out + ellipsis, 0, V6_BYTES - n);
    return true;
}

/* The longest run of two or more zero groups is written ::, the first of equals. */
static dray_str print_v6(dray_request *rq, const uint8_t ip[V6_BYTES]) {
    int best = -1, best_n = 1;
    for (int i = 0; i < 8; i++) {
        int n = 0;
        while (i + n < 8 && ip[2 * (i + n)] == 0 && ip[2 * (i + n) + 1] == 0)
            n++;
        if (n > best_n) {
            best = i;
            best_n = n;
        }
    }
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            dray_buf_puts(&out, "::");
            i += best_n - 1;
            continue;
        }
        bool after_gap = best >= 0 && i == best + best_n;
        dray_buf_addf(&out, "%s%x", i > 0 && !after_gap ? ":" : "",
                      (unsigned)ip[2 * i] << 8 | ip[2 * i + 1]);
    }
    return dray_str_dup(rq->arena, dray_buf_str(&out));
}

static dray_str print_v4(dray_request *rq, const uint8_t ip[V4_BYTES]) {
    return DETAIL(rq, "%d.%d.%d.%d", ip[0], ip[1], ip[2], ip[3]);
}

/* The canonical form, or an absent string for what is no address with a length. */
static dray_str canonical(dray_request *rq, dray_str value) {
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    dray_str address, length;
    uint8_t v6[V6_BYTES], v4[V4_BYTES];
    uint32_t bits;
    size_t at = 0;
    if (!dray_str_cut(value, '/', &address, &length) || !read_number(length, &at, 10, &bits) ||
        at != length.n)
        return DRAY_STR_NONE;
    if (read_v4(address, v4))
        return bits > 32 ? DRAY_STR_NONE
                         : DETAIL(rq, DRAY_FMT "/%u", DRAY_ARG(print_v4(rq, v4)), bits);
    if (!read_v6(address, v6) || bits > 128)
        return DRAY_STR_NONE;
    if (memcmp(v6, mapped, sizeof mapped) == 0)
        return DETAIL(rq, DRAY_FMT "/%u", DRAY_ARG(print_v4(rq, v6 + 12)),
                      bits > 32 ? bits - 96 : bits);
    return DETAIL(rq, DRAY_FMT "/%u", DRAY_ARG(print_v6(rq, v6)), bits);
}

void dray_resource_interface_address(dray_request *rq, dray_str value, const dray_path *path) {
    dray_str good = canonical(rq, value);
    if (good.p == NULL)
        fail_invalid(rq, path, value,
                     DRAY_STR("must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or "
                              "2001:db8::1/64)"));
    else if (!dray_str_eq(good, value))
        fail_invalid(rq, path, value,
                     DETAIL(rq, "must be in canonical form (\"" DRAY_FMT "\")", DRAY_ARG(good)));
}
