/* The values of string and bytes literals. */
#include "base/utf8.h"
#include "cel/lex_int.h"

static const char *const cannot = "unable to unescape string";

static int hex_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool valid_point(uint32_t point) {
    return point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
}

static void put_point(dray_buf *out, uint32_t point) {
    char encoded[4];
    dray_buf_add(out, encoded, dray_utf8_put(encoded, point));
}

/* An escape of hexadecimal digits, `s` past its letter; *used bytes of s are its. */
static const char *hex_escape(dray_buf *out, dray_str s, char letter, bool bytes, size_t *used) {
    size_t n = letter == 'u' ? 4 : letter == 'U' ? 8 : 2;
    if ((bytes && n != 2) || s.n < n)
        return cannot;
    uint32_t value = 0;
    for (size_t i = 0; i < n; i++) {
        int digit = hex_value(s.p[i]);
        if (digit < 0)
            return cannot;
        value = value << 4 | (uint32_t)digit;
    }
    *used = n;
    if (bytes)
        dray_buf_putc(out, (char)value);
    else if (!valid_point(value))
        return "invalid unicode code point";
    else
        put_point(out, value);
    return NULL;
}

static const char *octal_escape(dray_buf *out, dray_str s, bool bytes) {
    static const char *const bad = "unable to unescape octal sequence in string";
    if (s.n < 3)
        return bad;
    uint32_t value = 0;
    for (size_t i = 0; i < 3; i++) {
        if (s.p[i] < '0' || s.p[i] > '7')
            return bad;
        value = value * 8 + (uint32_t)(s.p[i] - '0');
    }
    if (bytes)
        dray_buf_putc(out, (char)value);
    else
        put_point(out, value);
    return NULL;
}

/* s starts past a backslash; *used bytes of it belong to the escape. */
static const char *escape(dray_buf *out, dray_str s, bool bytes, size_t *used) {
    static const char letters[] = "abfnrtv\\'\"`?";
    static const char values[] = "\a\b\f\n\r\t\v\\'\"`?";
    if (s.n == 0)
        return "unable to unescape string, found '\\' as last character";
    char c = s.p[0];
    const char *simple = c != '\0' ? strchr(letters, c) : NULL;
    *used = 1;
    if (simple != NULL) {
        dray_buf_putc(out, values[simple - letters]);
        return NULL;
    }
    if (c == 'x' || c == 'X' || c == 'u' || c == 'U') {
        const char *wrong = hex_escape(out, dray_str_slice(s, 1, s.n), c, bytes, used);
        ++*used;
        return wrong;
    }
    if (c >= '0' && c <= '3') {
        *used = 3;
        return octal_escape(out, s, bytes);
    }
    return cannot;
}

static dray_str strip_quotes(dray_str s) {
    bool triple = s.n >= 6 && s.p[1] == s.p[0] && s.p[2] == s.p[0];
    size_t n = triple ? 3 : 1;
    return dray_str_slice(s, n, s.n - n);
}

const char *dray_cel_unescape(dray_arena *arena, dray_str token, bool bytes, dray_str *value) {
    dray_str s = token;
    if (bytes)
        s = dray_str_slice(s, 1, s.n);
    bool raw = s.p[0] == 'r' || s.p[0] == 'R';
    if (raw)
        s = dray_str_slice(s, 1, s.n);
    s = strip_quotes(s);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; i < s.n;) {
        char c = s.p[i++];
        if (c == '\r') {
            dray_buf_putc(&out, '\n');
            i += i < s.n && s.p[i] == '\n';
        } else if (c != '\\' || raw) {
            dray_buf_putc(&out, c);
        } else {
            size_t used = 0;
            const char *wrong = escape(&out, dray_str_slice(s, i, s.n), bytes, &used);
            if (wrong != NULL)
                return wrong;
            i += used;
        }
    }
    *value = dray_str_dup(arena, dray_buf_str(&out));
    return NULL;
}
