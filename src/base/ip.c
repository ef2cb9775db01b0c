/* IP addresses and networks. Source: Go's net/netip, to the text of its errors. */
#include "base/ip.h"

#include "base/utf8.h"

enum { LONGEST = sizeof "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255" };

/* Reading: what is left, and the first thing that is wrong. */
typedef struct reader {
    dray_str in;
    dray_arena *arena;
    dray_str *why;
} reader;

static bool wrong(reader *r, const char *message, dray_str at) {
    if (r->why == NULL)
        return false;
    dray_str in = dray_utf8_quote(r->in, r->arena);
    *r->why = at.p == NULL
                  ? dray_strf(r->arena, "ParseAddr(" DRAY_FMT "): %s", DRAY_ARG(in), message)
                  : dray_strf(r->arena, "ParseAddr(" DRAY_FMT "): %s (at " DRAY_FMT ")",
                              DRAY_ARG(in), message, DRAY_ARG(dray_utf8_quote(at, r->arena)));
    return false;
}

static bool read_v4(reader *r, dray_str s, uint8_t out[4]) {
    int value = 0, at = 0, digits = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c >= '0' && c <= '9') {
            if (digits == 1 && value == 0)
                return wrong(r, "IPv4 field has octet with leading zero", DRAY_STR_NONE);
            value = value * 10 + (c - '0');
            digits++;
            if (value > 255)
                return wrong(r, "IPv4 field has value >255", DRAY_STR_NONE);
        } else if (c == '.') {
            if (i == 0 || i == s.n - 1 || s.p[i - 1] == '.')
                return wrong(r, "IPv4 field must have at least one digit",
                             dray_str_slice(s, i, s.n));
            if (at == 3)
                return wrong(r, "IPv4 address too long", DRAY_STR_NONE);
            out[at++] = (uint8_t)value;
            value = digits = 0;
        } else {
            return wrong(r, "unexpected character", dray_str_slice(s, i, s.n));
        }
    }
    if (at < 3)
        return wrong(r, "IPv4 address too short", DRAY_STR_NONE);
    out[3] = (uint8_t)value;
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The digits of one group; *n of them. */
static bool read_group(reader *r, dray_str s, size_t *n, uint32_t *ret) {
    uint32_t value = 0;
    size_t i = 0;
    for (; i < s.n && hex_digit(s.p[i]) >= 0; i++) {
        value = value << 4 | (uint32_t)hex_digit(s.p[i]);
        if (i > 3)
            return wrong(r, "each group must have 4 or less digits", s);
        if (value > UINT16_MAX)
            return wrong(r, "IPv6 field has value >=2^16", s);
    }
    if (i == 0)
        return wrong(r, "each colon-separated field must have at least one digit", s);
    *n = i;
    *ret = value;
    return true;
}

/* What follows a group: nothing, or a colon and more; `gap` where "::" stood. */
static bool read_colon(reader *r, dray_str *s, int at, int *gap, bool *end) {
    *end = s->n == 0;
    if (*end)
        return true;
    if (s->p[0] != ':')
        return wrong(r, "unexpected character, want colon", *s);
    if (s->n == 1)
        return wrong(r, "colon must be followed by more characters", *s);
    *s = dray_str_slice(*s, 1, s->n);
    if (s->p[0] != ':')
        return true;
    if (*gap >= 0)
        return wrong(r, "multiple :: in address", *s);
    *gap = at;
    *s = dray_str_slice(*s, 1, s->n);
    *end = s->n == 0;
    return true;
}

static bool read_tail_v4(reader *r, dray_str s, int *at, int gap, uint8_t out[16]) {
    if (gap < 0 && *at != 12)
        return wrong(r, "embedded IPv4 address must replace the final 2 fields of the address", s);
    if (*at + 4 > 16)
        return wrong(r, "too many hex fields to fit an embedded IPv4 at the end of the address", s);
    *at += 4;
    return read_v4(r, s, out + *at - 4);
}

static bool close_gap(reader *r, int at, int gap, uint8_t out[16]) {
    if (at == 16)
        return gap < 0 ||
               wrong(r, "the :: must expand to at least one field of zeros", DRAY_STR_NONE);
    if (gap < 0)
        return wrong(r, "address string too short", DRAY_STR_NONE);
    memmove(out + 16 - (at - gap), out + gap, (size_t)(at - gap));
    memset(out + gap, 0, (size_t)(16 - at));
    return true;
}

static bool read_v6(reader *r, dray_ip *ret) {
    dray_str s = r->in, zone;
    if (dray_str_cut(r->in, '%', &s, &zone)) {
        if (zone.n == 0)
            return wrong(r, "zone must be a non-empty string", DRAY_STR_NONE);
        ret->zone = true;
    }
    ret->v6 = true;
    int at = 0, gap = -1;
    if (dray_str_starts(s, DRAY_STR("::"))) {
        gap = 0;
        s = dray_str_slice(s, 2, s.n);
        if (s.n == 0)
            return true;
    }
    bool end = false;
    while (at < 16 && !end) {
        size_t n = 0;
        uint32_t value = 0;
        if (!read_group(r, s, &n, &value))
            return false;
        if (n < s.n && s.p[n] == '.') {
            if (!read_tail_v4(r, s, &at, gap, ret->bytes))
                return false;
            s.n = 0;
            break;
        }
        ret->bytes[at++] = (uint8_t)(value >> 8);
        ret->bytes[at++] = (uint8_t)value;
        s = dray_str_slice(s, n, s.n);
        if (!read_colon(r, &s, at, &gap, &end))
            return false;
    }
    if (s.n != 0)
        return wrong(r, "trailing garbage after address", s);
    return close_gap(r, at, gap, ret->bytes);
}

bool dray_ip_read(dray_str text, dray_arena *arena, dray_ip *ret, dray_str *ret_why) {
    reader r = {text, arena, ret_why};
    dray_ip addr = {0};
    for (size_t i = 0; i < text.n; i++) {
        bool ok;
        if (text.p[i] == '.')
            ok = read_v4(&r, text, addr.bytes);
        else if (text.p[i] == ':')
            ok = read_v6(&r, &addr);
        else if (text.p[i] == '%')
            ok = wrong(&r, "missing IPv6 address", DRAY_STR_NONE);
        else
            continue;
        if (ok)
            *ret = addr;
        return ok;
    }
    return wrong(&r, "unable to parse IP", DRAY_STR_NONE);
}

static bool wrong_prefix(dray_arena *arena, dray_str text, dray_str message, dray_str *why) {
    *why = dray_strf(arena, "netip.ParsePrefix(" DRAY_FMT "): " DRAY_FMT,
                     DRAY_ARG(dray_utf8_quote(text, arena)), DRAY_ARG(message));
    return false;
}

bool dray_ip_prefix_read(dray_str text, dray_arena *arena, dray_ip_prefix *ret, dray_str *ret_why) {
    dray_ip_prefix p = {0};
    dray_str why;
    size_t slash = dray_str_rchr(text, '/');
    if (slash == SIZE_MAX)
        return wrong_prefix(arena, text, DRAY_STR("no '/'"), ret_why);
    if (!dray_ip_read(dray_str_slice(text, 0, slash), arena, &p.addr, &why))
        return wrong_prefix(arena, text, why, ret_why);
    if (p.addr.zone)
        return wrong_prefix(arena, text, DRAY_STR("IPv6 zones cannot be present in a prefix"),
                            ret_why);
    dray_str bits = dray_str_slice(text, slash + 1, text.n);
    bool digits = bits.n > 0 && !(bits.n > 1 && bits.p[0] == '0');
    for (size_t i = 0; i < bits.n; i++) {
        digits = digits && bits.p[i] >= '0' && bits.p[i] <= '9';
        if (digits && p.bits <= 1000)
            p.bits = p.bits * 10 + (bits.p[i] - '0');
    }
    if (!digits || bits.n > 19)
        return wrong_prefix(arena, text,
                            dray_strf(arena, "bad bits after slash: " DRAY_FMT,
                                      DRAY_ARG(dray_utf8_quote(bits, arena))),
                            ret_why);
    if (p.bits > (p.addr.v6 ? 128 : 32))
        return wrong_prefix(arena, text, DRAY_STR("prefix length out of range"), ret_why);
    *ret = p;
    return true;
}

/* Numbers without the zeros that they begin with, into a buffer; 0 where no address is as long. */
static size_t drop_zeros(dray_str text, char out[LONGEST]) {
    size_t n = 0;
    bool inside = false; /* a number, past its zeros */
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool digit = hex_digit(c) >= 0;
        if (c == '0' && !inside && i + 1 < text.n && hex_digit(text.p[i + 1]) >= 0)
            continue;
        inside = digit;
        if (n == LONGEST)
            return 0;
        out[n++] = c;
    }
    return n;
}

bool dray_ip_read_lenient(dray_str text, dray_ip *ret, bool *ret_strict) {
    char plain[LONGEST];
    if (dray_str_chr(text, '%') != SIZE_MAX)
        return false;
    *ret_strict = dray_ip_read(text, NULL, ret, NULL);
    return *ret_strict || dray_ip_read((dray_str){plain, drop_zeros(text, plain)}, NULL, ret, NULL);
}

bool dray_ip_prefix_read_lenient(dray_str text, dray_ip_prefix *ret, bool *ret_strict) {
    dray_str address, bits;
    dray_ip_prefix p = {0};
    if (!dray_str_cut(text, '/', &address, &bits) || bits.n == 0 ||
        !dray_ip_read_lenient(address, &p.addr, ret_strict))
        return false;
    for (size_t i = 0; i < bits.n; i++) {
        if (bits.p[i] < '0' || bits.p[i] > '9')
            return false;
        p.bits = p.bits * 10 + (bits.p[i] - '0');
        if (p.bits > (p.addr.v6 ? 128 : 32))
            return false;
    }
    *ret_strict = *ret_strict && (bits.n == 1 || bits.p[0] != '0');
    *ret = p;
    return true;
}

void dray_ip_print(dray_buf *out, const dray_ip *a) {
    const uint8_t *b = a->bytes;
    if (!a->v6) {
        dray_buf_addf(out, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
        return;
    }
    int best = -1, best_n = 1; /* the longest run of two zero groups or more, the first of equals */
    for (int i = 0; i < 8; i++) {
        int n = 0;
        while (i + n < 8 && b[(i + n) * 2] == 0 && b[(i + n) * 2 + 1] == 0)
            n++;
        if (n > best_n) {
            best = i;
            best_n = n;
        }
    }
    for (int i = 0; i < 8; i++) {
        if (i == best) {
            dray_buf_puts(out, "::");
            i += best_n - 1;
            continue;
        }
        if (i > 0 && i != best + best_n)
            dray_buf_putc(out, ':');
        else if (i > 0 && best < 0)
            dray_buf_putc(out, ':');
        dray_buf_addf(out, "%x", (unsigned)b[i * 2] << 8 | b[i * 2 + 1]);
    }
}

static bool all_zero(const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

bool dray_ip_is_mapped(const dray_ip *a) {
    return a->v6 && all_zero(a->bytes, 10) && a->bytes[10] == 0xff && a->bytes[11] == 0xff;
}

bool dray_ip_is_unspecified(const dray_ip *a) {
    return all_zero(a->bytes, a->v6 ? 16 : 4);
}

bool dray_ip_is_loopback(const dray_ip *a) {
    return a->v6 ? all_zero(a->bytes, 15) && a->bytes[15] == 1 : a->bytes[0] == 127;
}

static bool is_multicast(const dray_ip *a) {
    return a->v6 ? a->bytes[0] == 0xff : (a->bytes[0] & 0xf0) == 0xe0;
}

bool dray_ip_is_link_local_multicast(const dray_ip *a) {
    if (a->v6)
        return a->bytes[0] == 0xff && (a->bytes[1] & 0x0f) == 2;
    return a->bytes[0] == 224 && a->bytes[1] == 0 && a->bytes[2] == 0;
}

bool dray_ip_is_link_local_unicast(const dray_ip *a) {
    if (a->v6)
        return a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
    return a->bytes[0] == 169 && a->bytes[1] == 254;
}

bool dray_ip_is_global_unicast(const dray_ip *a) {
    static const uint8_t broadcast[4] = {255, 255, 255, 255};
    if (!a->v6 && memcmp(a->bytes, broadcast, 4) == 0)
        return false;
    return !dray_ip_is_unspecified(a) && !dray_ip_is_loopback(a) && !is_multicast(a) &&
           !dray_ip_is_link_local_unicast(a);
}

bool dray_ip_same(const dray_ip *a, const dray_ip *b) {
    return a->v6 == b->v6 && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

dray_ip dray_ip_masked(const dray_ip *a, int bits) {
    dray_ip out = *a;
    for (int i = 0; i < 16; i++) {
        int keep = bits - i * 8;
        if (keep <= 0)
            out.bytes[i] = 0;
        else if (keep < 8)
            out.bytes[i] &= (uint8_t)(0xff << (8 - keep));
    }
    return out;
}

dray_ip dray_ip_unmapped(dray_ip a) {
    dray_ip v4 = {0};
    if (!dray_ip_is_mapped(&a))
        return a;
    memcpy(v4.bytes, a.bytes + 12, 4);
    return v4;
}
