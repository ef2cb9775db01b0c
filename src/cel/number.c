/* Numbers as text, as Go's strconv reads and writes them. */
#include "cel/number.h"

#include "cel/shortest_int.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
    MAX_DIGITS = 1100, /* more are never significant in a double */
    MAX_TEXT = 4096,   /* the longest text that is read as a double */
    MAX_PRECISION = 1000,
};

/* The digits of |d| without a point, and where the point stands: 0.DIGITS × 10^point. */
typedef struct decimal {
    char digits[MAX_DIGITS];
    int n;
    int point;
} decimal;

static void split(decimal *out, const char *text) {
    out->n = 0;
    const char *p = text;
    for (; *p != '\0' && *p != 'e'; p++)
        if (*p >= '0' && *p <= '9' && out->n < MAX_DIGITS)
            out->digits[out->n++] = *p;
    int exponent = 0;
    bool negative = *p == 'e' && p[1] == '-';
    for (p += *p == 'e' ? 2 : 0; *p >= '0' && *p <= '9'; p++)
        exponent = exponent * 10 + (*p - '0');
    out->point = (negative ? -exponent : exponent) + 1;
}

static void shortest(decimal *out, double d) {
    char text[64];
    text[dray_cel_shortest(d, text, sizeof text - 1)] = '\0';
    split(out, text);
    while (out->n > 1 && out->digits[out->n - 1] == '0')
        out->n--;
    if (d == 0)
        out->point = 1;
}

static void put_exponent(dray_buf *out, const decimal *x, int fraction) {
    dray_buf_putc(out, x->digits[0]);
    if (fraction > 0) {
        dray_buf_putc(out, '.');
        for (int i = 1; i <= fraction; i++)
            dray_buf_putc(out, i < x->n ? x->digits[i] : '0');
    }
    int exponent = x->point - 1;
    dray_buf_addf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

/* The digits from..to, zeros where there are none. */
static void put_digits(dray_buf *out, const decimal *x, int from, int to) {
    for (; from < to && from < 0; from++)
        dray_buf_putc(out, '0');
    int end = to < x->n ? to : x->n;
    if (from < end)
        dray_buf_add(out, x->digits + from, (size_t)(end - from));
    for (from = from < end ? end : from; from < to; from++)
        dray_buf_putc(out, '0');
}

static void put_fixed(dray_buf *out, const decimal *x, int fraction) {
    if (x->point <= 0)
        dray_buf_putc(out, '0');
    put_digits(out, x, 0, x->point);
    if (fraction <= 0)
        return;
    dray_buf_putc(out, '.');
    put_digits(out, x, x->point, x->point + fraction);
}

void dray_cel_print_int(dray_buf *out, bool negative, uint64_t value) {
    char text[24];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (negative)
        text[--at] = '-';
    dray_buf_add(out, text + at, sizeof text - at);
}

void dray_cel_print_digits(dray_buf *out, uint64_t value, int width) {
    char text[24];
    for (int i = width; i-- > 0; value /= 10)
        text[i] = (char)('0' + value % 10);
    dray_buf_add(out, text, (size_t)width);
}

void dray_cel_print_double(dray_buf *out, double d, char style, int precision) {
    if (isnan(d)) {
        dray_buf_puts(out, "NaN");
        return;
    }
    if (isinf(d)) {
        dray_buf_puts(out, d < 0 ? "-Inf" : "+Inf");
        return;
    }
    if (signbit(d))
        dray_buf_putc(out, '-');
    if (precision >= 0) {
        if (precision > MAX_PRECISION)
            precision = MAX_PRECISION;
        dray_buf_addf(out, style == 'e' ? "%.*e" : "%.*f", precision, fabs(d));
        return;
    }
    decimal x;
    shortest(&x, fabs(d));
    int exponent = x.point - 1;
    /* strconv.FormatFloat(d, 'g', -1, 64): an exponent below −4 or of 6 and more. */
    if (style == 'g' && (exponent < -4 || exponent >= 6))
        style = 'e';
    if (style == 'e')
        put_exponent(out, &x, x.n - 1);
    else
        put_fixed(out, &x, x.n > x.point ? x.n - x.point : 0);
}

bool dray_cel_read_uint(dray_str text, uint64_t *ret) {
    if (text.n == 0)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned digit = (unsigned)(text.p[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

bool dray_cel_read_int(dray_str text, int64_t *ret) {
    bool negative = text.n > 0 && text.p[0] == '-';
    if (negative || (text.n > 0 && text.p[0] == '+'))
        text = dray_str_slice(text, 1, text.n);
    uint64_t value;
    if (!dray_cel_read_uint(text, &value) || value > (uint64_t)INT64_MAX + negative)
        return false;
    *ret = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

/* Go's grammar: no space, no "0x1.8" without its p exponent, no nan(…). */
static bool is_float(const char *p) {
    if (*p == '+' || *p == '-')
        p++;
    if (strcasecmp(p, "inf") == 0 || strcasecmp(p, "infinity") == 0)
        return true;
    bool hex = p[0] == '0' && (p[1] | 32) == 'x';
    if (hex)
        p += 2;
    size_t digits = 0;
    bool point = false;
    for (;; p++) {
        if (hex ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p))
            digits++;
        else if (*p == '.' && !point)
            point = true;
        else
            break;
    }
    if (digits == 0)
        return false;
    if ((*p | 32) != (hex ? 'p' : 'e'))
        return *p == '\0' && !hex;
    p++;
    if (*p == '+' || *p == '-')
        p++;
    if (!isdigit((unsigned char)*p))
        return false;
    while (isdigit((unsigned char)*p))
        p++;
    return *p == '\0';
}

/* Underscores may separate digits: strconv's underscoreOK. */
static bool underscores_ok(const char *p) {
    char before = '^'; /* the kind of the last character: digit, underscore, other */
    if (*p == '+' || *p == '-')
        p++;
    bool hex = p[0] == '0' && (p[1] | 32) == 'x';
    if (hex) {
        before = '0';
        p += 2;
    }
    for (; *p != '\0'; p++) {
        if (isdigit((unsigned char)*p) || (hex && isxdigit((unsigned char)*p))) {
            before = '0';
        } else if (*p == '_') {
            if (before != '0')
                return false;
            before = '_';
        } else {
            if (before == '_')
                return false;
            before = '!';
        }
    }
    return before != '_';
}

bool dray_cel_read_double(dray_str text, double *ret) {
    char copy[MAX_TEXT];
    if (text.n == 0 || text.n >= sizeof copy || memchr(text.p, '\0', text.n) != NULL)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    if (strchr(copy, '_') != NULL) {
        if (!underscores_ok(copy))
            return false;
        char *to = copy;
        for (const char *p = copy; *p != '\0'; p++)
            if (*p != '_')
                *to++ = *p;
        *to = '\0';
        if (strpbrk(copy, "nN") != NULL)
            return false;
    }
    if (strcasecmp(copy, "nan") == 0) {
        *ret = NAN;
        return true;
    }
    if (!is_float(copy))
        return false;
    double d = strtod(copy, NULL);
    bool inf = strpbrk(copy, "nN") != NULL; /* "inf" was written */
    if (isinf(d) && !inf)
        return false;
    *ret = d;
    return true;
}

bool dray_cel_read_bool(dray_str text, bool *ret) {
    static const char *const words[] = {"1", "t", "T", "TRUE",  "true",  "True",
                                        "0", "f", "F", "FALSE", "false", "False"};
    for (int i = 0; i < 12; i++) {
        if (dray_str_is(text, words[i])) {
            *ret = i < 6;
            return true;
        }
    }
    return false;
}
