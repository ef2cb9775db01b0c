/* UTF-8: decoding, checking, counting. */
#include "base/utf8.h"

static int32_t tail(dray_str s, size_t *at, unsigned lead, size_t more, uint32_t least) {
    if (s.n - *at <= more) {
        (*at)++;
        return -1;
    }
    uint32_t c = lead;
    for (size_t i = 1; i <= more; i++) {
        unsigned char b = (unsigned char)s.p[*at + i];
        if ((b & 0xc0) != 0x80) {
            (*at)++;
            return -1;
        }
        c = c << 6 | (b & 0x3f);
    }
    if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        (*at)++;
        return -1;
    }
    *at += more + 1;
    return (int32_t)c;
}

int32_t dray_utf8_next(dray_str s, size_t *at) {
    unsigned char b = (unsigned char)s.p[*at];
    if (b < 0x80) {
        (*at)++;
        return b;
    }
    if (b >= 0xc2 && b < 0xe0)
        return tail(s, at, b & 0x1f, 1, 0x80);
    if (b >= 0xe0 && b < 0xf0)
        return tail(s, at, b & 0x0f, 2, 0x800);
    if (b >= 0xf0 && b < 0xf5)
        return tail(s, at, b & 0x07, 3, 0x10000);
    (*at)++;
    return -1;
}

/* Where the ASCII bytes from `at` on end, eight at a time. */
static size_t skip_ascii(dray_str s, size_t at) {
    uint64_t eight;
    for (; s.n - at >= sizeof eight; at += sizeof eight) {
        memcpy(&eight, s.p + at, sizeof eight);
        if ((eight & 0x8080808080808080u) != 0)
            break;
    }
    return at;
}

size_t dray_utf8_invalid(dray_str s) {
    size_t at = 0;
    while ((at = skip_ascii(s, at)) < s.n) {
        size_t before = at;
        if (dray_utf8_next(s, &at) < 0)
            return before;
    }
    return SIZE_MAX;
}

size_t dray_utf8_count(dray_str s) {
    size_t count = 0;
    for (size_t at = 0; at < s.n; count++)
        dray_utf8_next(s, &at);
    return count;
}

size_t dray_utf8_put(char to[4], uint32_t c) {
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}
