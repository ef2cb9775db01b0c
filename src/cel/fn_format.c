/* string.format(list): %s %d %f %e %b %o %x %X, in two editions. The older one, of the strings
 * library up to version 3, writes %f and %e as the locale en_US does. */
#include "cel/eval_int.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "cel/number.h"

#include <math.h>

enum {
    DEFAULT_PRECISION = 6,
    MAX_PRECISION = 100, /* upstream's older edition has no limit: see README */
    MAX_DEPTH = 1000,
    PRINT_WORK = 8,    /* of a value that is printed */
    DOUBLE_WORK = 128, /* of a number with a fraction */
    DIGIT_WORK = 8,    /* of each digit that it is written with, where those are many */
};

typedef struct formatter {
    dray_cel_eval *e;
    dray_buf out;
    bool new_edition;
    dray_str error; /* p == NULL: none */
} formatter;

static bool failed(formatter *f, dray_str text) {
    if (f->error.p == NULL)
        f->error = text;
    return false;
}

/* Room for n bytes more; false: the evaluation has ended. */
static bool takes(formatter *f, size_t n) {
    return !dray_cel_eval_fits(f->e, f->out.n + n) ? failed(f, DRAY_STR("")) : true;
}

/* Time for printing; likewise. */
static bool works(formatter *f, uint64_t n) {
    return !dray_cel_eval_work(f->e, n) ? failed(f, DRAY_STR("")) : true;
}

static bool wrong_type(formatter *f, const char *rule, dray_cel_value v) {
    return failed(f, dray_strf(f->e->arena, "error during formatting: %s, was given " DRAY_FMT,
                               rule, DRAY_ARG(dray_cel_type_name(v))));
}

static const char STRING_RULE[] = "string clause can only be used on strings, bools, bytes, ints, "
                                  "doubles, maps, lists, types, durations, and timestamps";

/* --- %s --- */

static bool put_element(formatter *f, dray_cel_value v, int depth);

static bool put_list(formatter *f, dray_cel_value v, int depth) {
    dray_buf_putc(&f->out, '[');
    dray_cel_walk walk = dray_cel_walk_of(v.list);
    const dray_cel_value *item;
    for (bool first = true; (item = dray_cel_walk_next(&walk)) != NULL; first = false) {
        dray_buf_puts(&f->out, first ? "" : ", ");
        if (!put_element(f, *item, depth))
            return false;
    }
    dray_buf_putc(&f->out, ']');
    return true;
}

typedef struct entry {
    dray_str key, value;
} entry;

static int by_key(const void *a, const void *b, void *context) {
    return dray_str_cmp(((const entry *)a)->key, ((const entry *)b)->key);
}

/* The text that `put` makes of v, apart from the rest. */
static bool apart(formatter *f, dray_cel_value v, int depth, dray_str *ret) {
    dray_buf whole = f->out;
    f->out = DRAY_BUF_INIT;
    bool ok = put_element(f, v, depth) && takes(f, 0) && works(f, PRINT_WORK + f->out.n / 16);
    *ret = dray_str_dup(f->e->arena, dray_buf_str(&f->out));
    dray_buf_done(&f->out);
    f->out = whole;
    return ok;
}

static bool key_is_allowed(const formatter *f, uint8_t kind) {
    return f->new_edition || kind == DRAY_CEL_STRING || kind == DRAY_CEL_BOOL ||
           kind == DRAY_CEL_INT || kind == DRAY_CEL_UINT;
}

static bool put_map(formatter *f, dray_cel_value v, int depth) {
    size_t n = v.map->n;
    entry *entries = DRAY_NEW_N(f->e->arena, entry, n + 1);
    for (size_t i = 0; i < n; i++) {
        dray_cel_value key = v.map->v[i].key;
        if (!key_is_allowed(f, key.kind))
            return failed(f, dray_strf(f->e->arena,
                                       "error during formatting: no formatting function for map "
                                       "key of type " DRAY_FMT,
                                       DRAY_ARG(dray_cel_type_name(key))));
        if (!apart(f, key, depth, &entries[i].key) ||
            !apart(f, v.map->v[i].value, depth, &entries[i].value))
            return false;
    }
    dray_sort(entries, n, sizeof *entries, by_key, NULL);
    dray_buf_putc(&f->out, '{');
    for (size_t i = 0; i < n; i++) {
        dray_buf_puts(&f->out, i > 0 ? ", " : "");
        dray_buf_str_add(&f->out, entries[i].key);
        dray_buf_puts(&f->out, f->new_edition ? ": " : ":");
        dray_buf_str_add(&f->out, entries[i].value);
    }
    dray_buf_putc(&f->out, '}');
    return true;
}

static void put_double(formatter *f, double d) {
    if (isnan(d))
        dray_buf_puts(&f->out, "NaN");
    else if (isinf(d))
        dray_buf_puts(&f->out, d < 0 ? "-Infinity" : "Infinity");
    else
        dray_cel_print_double(&f->out, d, 'f', -1);
}

static bool put_plain(formatter *f, dray_cel_value v, int depth) {
    if (depth > MAX_DEPTH)
        return failed(f, DRAY_STR("error during formatting: value is too large"));
    if (v.kind == DRAY_CEL_STRING || v.kind == DRAY_CEL_BYTES ? !takes(f, v.n)
                                                              : !works(f, PRINT_WORK))
        return false;
    switch (v.kind) {
    case DRAY_CEL_LIST:
        return put_list(f, v, depth + 1);
    case DRAY_CEL_MAP:
        return put_map(f, v, depth + 1);
    case DRAY_CEL_NULL:
        dray_buf_puts(&f->out, "null");
        return true;
    case DRAY_CEL_DOUBLE:
        if (f->new_edition)
            put_double(f, v.d);
        else
            dray_cel_print_value(&f->out, v);
        return true;
    case DRAY_CEL_BYTES:
        if (!f->new_edition && dray_utf8_invalid(dray_cel_str(v)) != SIZE_MAX)
            return failed(f, DRAY_STR("error during formatting: could not convert argument "
                                      "\"invalid UTF-8 in bytes, cannot convert to string\" to "
                                      "string"));
        dray_buf_add(&f->out, v.s, v.n);
        return true;
    case DRAY_CEL_TIMESTAMP:
        dray_cel_print_time(&f->out, v, f->new_edition);
        return true;
    case DRAY_CEL_DURATION:
        dray_cel_print_duration(&f->out, v.i);
        return true;
    case DRAY_CEL_OPTIONAL:
    case DRAY_CEL_OPAQUE:
    case DRAY_CEL_ERROR:
        return wrong_type(f, STRING_RULE, v);
    default:
        dray_cel_print_value(&f->out, v);
        return true;
    }
}

/* What stands inside a list or map: the older edition writes CEL literals. */
static bool put_element(formatter *f, dray_cel_value v, int depth) {
    if (f->new_edition)
        return put_plain(f, v, depth);
    dray_str text;
    switch (v.kind) {
    case DRAY_CEL_STRING:
    case DRAY_CEL_BYTES:
        if (!takes(f, 4 * (size_t)v.n) || !works(f, v.n / 8))
            return false;
        if (v.kind == DRAY_CEL_BYTES)
            dray_buf_putc(&f->out, 'b');
        dray_buf_str_add(&f->out, dray_utf8_quote(dray_cel_str(v), f->e->arena));
        return true;
    case DRAY_CEL_TIMESTAMP:
    case DRAY_CEL_DURATION:
        dray_buf_puts(&f->out, v.kind == DRAY_CEL_DURATION ? "duration(\"" : "timestamp(\"");
        put_plain(f, v, depth);
        dray_buf_puts(&f->out, "\")");
        return true;
    case DRAY_CEL_DOUBLE:
        if (isfinite(v.d))
            dray_cel_print_double(&f->out, v.d, 'f', DEFAULT_PRECISION);
        else
            dray_buf_puts(&f->out, isnan(v.d) ? "\"NaN\"" : v.d < 0 ? "\"-Inf\"" : "\"+Inf\"");
        return true;
    case DRAY_CEL_OPTIONAL:
    case DRAY_CEL_OPAQUE:
    case DRAY_CEL_ERROR:
        text = dray_cel_type_name(v);
        return failed(f, dray_strf(f->e->arena,
                                   "error during formatting: no formatting function for " DRAY_FMT,
                                   DRAY_ARG(text)));
    default:
        return put_plain(f, v, depth);
    }
}

/* --- numbers --- */

/* Digits in groups of three before the point. */
static void put_grouped(dray_buf *out, dray_str number) {
    size_t start = number.n > 0 && number.p[0] == '-';
    size_t point = dray_str_chr(number, '.');
    size_t whole = (point == SIZE_MAX ? number.n : point) - start;
    dray_buf_add(out, number.p, start);
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            dray_buf_putc(out, ',');
        dray_buf_putc(out, number.p[start + i]);
    }
    dray_buf_add(out, number.p + start + whole, number.n - start - whole);
}

/* 1.5e+06 as 1.500000×10⁰⁶ */
static void put_powers(dray_buf *out, dray_str number) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t e = dray_str_chr(number, 'e');
    dray_buf_add(out, number.p, e);
    dray_buf_puts(out, "×10");
    for (size_t i = e + 1; i < number.n; i++) {
        if (number.p[i] == '-')
            dray_buf_puts(out, "⁻");
        else if (number.p[i] != '+')
            dray_buf_puts(out, raised[number.p[i] - '0']);
    }
}

/* %f and %e of the older edition: en_US, and the precision of %e is its least width. */
static void put_locale(formatter *f, double d, char style, int precision) {
    DRAY_CLEANUP_BUF dray_buf number = DRAY_BUF_INIT, text = DRAY_BUF_INIT;
    if (isnan(d)) {
        dray_buf_puts(&text, "NaN");
    } else if (isinf(d)) {
        dray_buf_puts(&text, d < 0 ? "-∞" : "∞");
    } else if (style == 'f') {
        dray_cel_print_double(&number, d == 0 ? 0.0 : d, 'f', precision);
        put_grouped(&text, dray_buf_str(&number));
    } else {
        dray_cel_print_double(&number, d == 0 ? 0.0 : d, 'e', DEFAULT_PRECISION);
        put_powers(&text, dray_buf_str(&number));
    }
    if (style == 'e')
        for (size_t w = dray_utf8_count(dray_buf_str(&text)); w < (size_t)precision; w++)
            dray_buf_putc(&f->out, ' ');
    dray_buf_str_add(&f->out, dray_buf_str(&text));
}

static bool is_special(dray_cel_value v) {
    return v.kind == DRAY_CEL_STRING &&
           (dray_str_is(dray_cel_str(v), "NaN") || dray_str_is(dray_cel_str(v), "Infinity") ||
            dray_str_is(dray_cel_str(v), "-Infinity"));
}

static bool put_float(formatter *f, dray_cel_value v, char style, int precision) {
    static const char *const rules[2][2] = {
        {"fixed-point clause can only be used on doubles",
         "scientific clause can only be used on doubles"},
        {"fixed-point clause can only be used on ints, uints, and doubles",
         "scientific clause can only be used on ints, uints, and doubles"}};
    double d = v.d;
    if (f->new_edition && (v.kind == DRAY_CEL_INT || v.kind == DRAY_CEL_UINT))
        d = v.kind == DRAY_CEL_INT ? (double)v.i : (double)v.u;
    else if (!f->new_edition && is_special(v))
        dray_cel_read_double(dray_cel_str(v), &d);
    else if (v.kind != DRAY_CEL_DOUBLE)
        return wrong_type(f, rules[f->new_edition][style == 'e'], v);
    int exponent = 0;
    frexp(d, &exponent);
    if (!works(f, DIGIT_WORK * (uint64_t)(precision + (exponent > 0 ? exponent / 3 : 0))))
        return false;
    if (!f->new_edition)
        put_locale(f, d, style, precision);
    else if (isfinite(d))
        dray_cel_print_double(&f->out, d, style, precision);
    else
        put_double(f, d);
    return true;
}

static void put_base(dray_buf *out, dray_cel_value v, unsigned base, const char *digits) {
    char text[72];
    size_t at = sizeof text;
    uint64_t u = v.u;
    if (v.kind == DRAY_CEL_INT && v.i < 0) {
        dray_buf_putc(out, '-');
        u = 0 - u;
    }
    do {
        text[--at] = digits[u % base];
        u /= base;
    } while (u != 0);
    dray_buf_add(out, text + at, sizeof text - at);
}

static bool is_integer(dray_cel_value v) {
    return v.kind == DRAY_CEL_INT || v.kind == DRAY_CEL_UINT;
}

static bool put_hex(formatter *f, dray_cel_value v, bool upper) {
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    if (is_integer(v)) {
        put_base(&f->out, v, 16, digits);
        return true;
    }
    if (v.kind != DRAY_CEL_STRING && v.kind != DRAY_CEL_BYTES)
        return wrong_type(f,
                          f->new_edition
                              ? "only ints, uints, bytes, and strings can be formatted as hex"
                              : "only integers, byte buffers, and strings can be formatted as hex",
                          v);
    if (!takes(f, 2 * (size_t)v.n) || !works(f, v.n / 4))
        return false;
    for (uint32_t i = 0; i < v.n; i++) {
        dray_buf_putc(&f->out, digits[(unsigned char)v.s[i] >> 4]);
        dray_buf_putc(&f->out, digits[v.s[i] & 15]);
    }
    return true;
}

static bool put_decimal(formatter *f, dray_cel_value v) {
    if (is_integer(v)) {
        put_base(&f->out, v, 10, "0123456789");
        return true;
    }
    if (f->new_edition && v.kind == DRAY_CEL_DOUBLE) {
        put_double(f, v.d);
        return true;
    }
    return wrong_type(f,
                      f->new_edition ? "decimal clause can only be used on ints, uints, and doubles"
                                     : "decimal clause can only be used on integers",
                      v);
}

static bool put_binary(formatter *f, dray_cel_value v) {
    if (v.kind == DRAY_CEL_BOOL)
        dray_buf_putc(&f->out, v.b ? '1' : '0');
    else if (is_integer(v))
        put_base(&f->out, v, 2, "01");
    else
        return wrong_type(f,
                          f->new_edition ? "only ints, uints, and bools can be formatted as binary"
                                         : "only integers and bools can be formatted as binary",
                          v);
    return true;
}

static bool put_octal(formatter *f, dray_cel_value v) {
    if (!is_integer(v))
        return wrong_type(f,
                          f->new_edition ? "octal clause can only be used on ints and uints"
                                         : "octal clause can only be used on integers",
                          v);
    put_base(&f->out, v, 8, "01234567");
    return true;
}

/* --- the template --- */

/* ".12" after a percent sign, at *at. */
static bool read_precision(formatter *f, dray_str t, size_t *at, int *ret) {
    static const char prefix[] = "could not parse formatting clause: error while parsing precision";
    if (t.p[*at] != '.')
        return true;
    size_t start = ++*at;
    while (*at < t.n && t.p[*at] >= '0' && t.p[*at] <= '9')
        ++*at;
    if (*at >= t.n)
        return failed(
            f, dray_strf(f->e->arena, "%s: could not find end of precision specifier", prefix));
    int64_t value;
    dray_str digits = dray_str_slice(t, start, *at);
    if (!dray_cel_read_int(digits, &value))
        return failed(f, dray_strf(f->e->arena,
                                   "%s: error while converting precision to integer: "
                                   "strconv.Atoi: parsing \"" DRAY_FMT "\": %s",
                                   prefix, DRAY_ARG(digits),
                                   digits.n == 0 ? "invalid syntax" : "value out of range"));
    if (value > MAX_PRECISION)
        return failed(f, dray_strf(f->e->arena,
                                   "%s: precision %lld exceeds maximum allowed precision %d",
                                   prefix, (long long)value, MAX_PRECISION));
    *ret = (int)value;
    return true;
}

/* One clause after its percent sign. */
static bool put_clause(formatter *f, dray_str t, size_t *at, dray_cel_value v) {
    int precision = DEFAULT_PRECISION;
    if (!works(f, v.kind == DRAY_CEL_DOUBLE ? DOUBLE_WORK : PRINT_WORK))
        return false;
    if (!read_precision(f, t, at, &precision))
        return false;
    unsigned char c = (unsigned char)t.p[(*at)++];
    switch (c) {
    case 's':
        return put_plain(f, v, 0);
    case 'd':
        return put_decimal(f, v);
    case 'f':
    case 'e':
        return put_float(f, v, (char)c, precision);
    case 'b':
        return put_binary(f, v);
    case 'x':
    case 'X':
        return put_hex(f, v, c == 'X');
    case 'o':
        return put_octal(f, v);
    default: {
        char utf8[4];
        size_t n = dray_utf8_put(utf8, c); /* Go reads one byte as a code point */
        return failed(f, dray_strf(f->e->arena,
                                   "could not parse formatting clause: unrecognized formatting "
                                   "clause \"" DRAY_FMT "\"",
                                   (int)n, utf8));
    }
    }
}

static bool put_template(formatter *f, dray_str t, const dray_cel_list *args) {
    size_t next = 0;
    for (size_t at = 0; at < t.n;) {
        if (t.p[at] != '%') {
            dray_buf_putc(&f->out, t.p[at++]);
            continue;
        }
        if (at + 1 < t.n && t.p[at + 1] == '%') {
            dray_buf_putc(&f->out, '%');
            at += 2;
            continue;
        }
        if (next >= args->n)
            return failed(f, dray_strf(f->e->arena, "index %zu out of range", next));
        if (++at >= t.n)
            return failed(f, DRAY_STR("unexpected end of string"));
        if (!put_clause(f, t, &at, dray_cel_list_at(args, next++)) || !takes(f, 0))
            return false;
    }
    return true;
}

static dray_cel_value format(dray_cel_eval *e, const dray_cel_value *args, uint32_t n) {
    formatter f = {.e = e, .new_edition = e->program->runtime->spec};
    put_template(&f, dray_cel_str(args[0]), args[1].list);
    dray_cel_value v = f.error.p != NULL
                           ? dray_cel_failf(e->arena, DRAY_FMT, DRAY_ARG(f.error))
                           : dray_cel_of_str(dray_str_dup(e->arena, dray_buf_str(&f.out)));
    dray_buf_done(&f.out);
    return v;
}

static uint64_t tenth(dray_cel_eval *e, const dray_cel_value *args, uint32_t n,
                      const dray_cel_value *result) {
    return dray_cel_scaled(dray_cel_eval_size(e, args[0]), 0.1);
}

static const dray_cel_impl_row overloads[] = {
    {"string_format", format, tenth, DRAY_CEL_I_ARRAY},
};

const dray_cel_impl_table dray_cel_impls_format = {NULL, 0, overloads, DRAY_COUNT(overloads)};
