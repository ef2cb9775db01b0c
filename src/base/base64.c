/* Base64: reading and writing. */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The next byte that counts: line ends are skipped. n when there is none. */
static size_t skip_line_ends(dray_str s, size_t at) {
    while (at < s.n && (s.p[at] == '\n' || s.p[at] == '\r'))
        at++;
    return at;
}

/* What follows the first `=` of a group with `have` digits: returns the offset of the error, or
 * SIZE_MAX when the text ends well. */
static size_t check_padding(dray_str s, size_t at, int have) {
    if (have < 2)
        return at;
    size_t next = skip_line_ends(s, at + 1);
    if (have == 2) {
        if (next == s.n)
            return s.n;
        if (s.p[next] != '=')
            return next - 1;
        next = skip_line_ends(s, next + 1);
    }
    return next < s.n ? next : SIZE_MAX;
}

/* Up to four digits from *at on. Returns how many; *ret_bad tells where the input is corrupt. */
static int take_group(dray_str s, size_t *at, uint32_t *ret_group, bool *ret_last,
                      size_t *ret_bad) {
    *ret_group = 0;
    for (int have = 0; have < 4; have++) {
        *at = skip_line_ends(s, *at);
        if (*at == s.n) {
            *ret_last = true;
            *ret_bad = have != 0 ? s.n - (size_t)have : SIZE_MAX;
            return have;
        }
        int digit = digit_of(s.p[*at]);
        if (digit < 0) {
            *ret_last = true;
            *ret_bad = s.p[*at] == '=' ? check_padding(s, *at, have) : *at;
            return have;
        }
        *ret_group |= (uint32_t)digit << (18 - 6 * have);
        ++*at;
    }
    return 4;
}

size_t dray_base64_read(dray_str text, char *to, size_t *ret_n) {
    size_t n = 0, at = 0, bad = SIZE_MAX;
    for (bool last = false; !last;) {
        uint32_t group;
        int have = take_group(text, &at, &group, &last, &bad);
        if (bad != SIZE_MAX)
            return bad;
        for (int i = 0; i < have - 1; i++)
            to[n++] = (char)(group >> (16 - 8 * i));
    }
    *ret_n = n;
    return SIZE_MAX;
}

void dray_base64_write(dray_buf *out, dray_str bytes) {
    const unsigned char *p = (const unsigned char *)bytes.p;
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t have = bytes.n - i < 3 ? bytes.n - i : 3;
        uint32_t group = (uint32_t)p[i] << 16 | (have > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
                         (have > 2 ? p[i + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        have > 1 ? digits[group >> 6 & 63] : '=',
                        have > 2 ? digits[group & 63] : '='};
        dray_buf_add(out, text, sizeof text);
    }
}
