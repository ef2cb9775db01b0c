/* YAML: what a plain scalar means. Source: go-yaml v2's resolve, that is YAML 1.1 with Go's
 * numbers.
 */
#include "base/vec.h"
#include "data/yaml_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LONGEST_WORD = 5,
    NUMBER_MAX_BYTES = 512, /* a longer scalar is a string to us */
};

static const struct {
    const char *text;
    dray_scalar scalar;
} words[] = {
#define TRUE(text)              \
    {                           \
        text, {                 \
            DRAY_SCALAR_BOOL, { \
                .truth = true   \
            }                   \
        }                       \
    }
#define FALSE(text)             \
    {                           \
        text, {                 \
            DRAY_SCALAR_BOOL, { \
                .truth = false  \
            }                   \
        }                       \
    }
#define NULL_WORD(text)                \
    {                                  \
        text, {                        \
            DRAY_SCALAR_NULL, {.i = 0} \
        }                              \
    }
#define FLOAT(text, value)       \
    {                            \
        text, {                  \
            DRAY_SCALAR_FLOAT, { \
                .f = value       \
            }                    \
        }                        \
    }
    TRUE("y"),
    TRUE("Y"),
    TRUE("yes"),
    TRUE("Yes"),
    TRUE("YES"),
    TRUE("true"),
    TRUE("True"),
    TRUE("TRUE"),
    TRUE("on"),
    TRUE("On"),
    TRUE("ON"),
    FALSE("n"),
    FALSE("N"),
    FALSE("no"),
    FALSE("No"),
    FALSE("NO"),
    FALSE("false"),
    FALSE("False"),
    FALSE("FALSE"),
    FALSE("off"),
    FALSE("Off"),
    FALSE("OFF"),
    NULL_WORD(""),
    NULL_WORD("~"),
    NULL_WORD("null"),
    NULL_WORD("Null"),
    NULL_WORD("NULL"),
    FLOAT(".nan", __builtin_nan("")),
    FLOAT(".NaN", __builtin_nan("")),
    FLOAT(".NAN", __builtin_nan("")),
    FLOAT(".inf", __builtin_inf()),
    FLOAT(".Inf", __builtin_inf()),
    FLOAT(".INF", __builtin_inf()),
    FLOAT("+.inf", __builtin_inf()),
    FLOAT("+.Inf", __builtin_inf()),
    FLOAT("+.INF", __builtin_inf()),
    FLOAT("-.inf", -__builtin_inf()),
    FLOAT("-.Inf", -__builtin_inf()),
    FLOAT("-.INF", -__builtin_inf()),
#undef TRUE
#undef FALSE
#undef NULL_WORD
#undef FLOAT
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_sign(char c) {
    return c == '+' || c == '-';
}

static const dray_scalar *find_word(dray_str text) {
    bool may_be = text.n == 0 || (text.n <= LONGEST_WORD && strchr("yYnNtTfFoO~.+-", text.p[0]));
    for (size_t i = 0; may_be && i < DRAY_COUNT(words); i++)
        if (dray_str_is(text, words[i].text))
            return &words[i].scalar;
    return NULL;
}

static int digit_value(char c) {
    if (is_digit(c))
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/* Digits of that base alone, that fit 64 bits. */
static bool read_digits(const char *s, unsigned base, uint64_t *ret) {
    uint64_t value = 0;
    if (*s == '\0')
        return false;
    for (; *s != '\0'; s++) {
        int digit = digit_value(*s);
        if (digit >= (int)base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

/* Skips 0x, 0o, 0b or the 0 of an octal number, as Go's ParseInt with base 0. */
static const char *skip_prefix(const char *s, unsigned *ret_base) {
    *ret_base = 10;
    if (s[0] != '0' || s[1] == '\0')
        return s;
    char letter = (char)(s[1] | 0x20);
    *ret_base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 8;
    return letter == 'x' || letter == 'o' || letter == 'b' ? s + 2 : s + 1;
}

/* 0b and a signed number: what go-yaml falls back to where Go's own 0b gives up. */
static bool read_signed_binary(const char *s, dray_scalar *ret) {
    uint64_t value;
    if (s[0] != '0' || s[1] != 'b' || !is_sign(s[2]) || !read_digits(s + 3, 2, &value) ||
        value > INT64_MAX)
        return false;
    *ret = (dray_scalar){DRAY_SCALAR_INT, {.i = s[2] == '-' ? -(int64_t)value : (int64_t)value}};
    return true;
}

static bool read_int(const char *s, dray_scalar *ret) {
    bool negative = *s == '-', has_sign = is_sign(*s);
    unsigned base;
    uint64_t value;
    const char *digits = skip_prefix(s + has_sign, &base);
    if (!read_digits(digits, base, &value))
        return false;
    if (value <= (uint64_t)INT64_MAX + negative)
        *ret = (dray_scalar){DRAY_SCALAR_INT, {.i = (int64_t)(negative ? -value : value)}};
    else if (!has_sign)
        *ret = (dray_scalar){DRAY_SCALAR_UINT, {.u = value}};
    else
        return false;
    return true;
}

static const char *skip_digits(const char *s) {
    while (is_digit(*s))
        s++;
    return s;
}

/* float = [sign] ( "." 1*digit / 1*digit [ "." *digit ] ) [ ("e" / "E") [sign] 1*digit ] */
static bool is_float(const char *s) {
    s += is_sign(*s);
    const char *whole = s;
    s = skip_digits(s);
    bool any = s != whole;
    if (*s == '.') {
        const char *fraction = ++s;
        s = skip_digits(s);
        any = any || s != fraction;
    }
    if (any && (*s == 'e' || *s == 'E')) {
        s++;
        s += is_sign(*s);
        any = is_digit(*s);
        s = skip_digits(s);
    }
    return any && *s == '\0';
}

static bool read_float(const char *s, dray_scalar *ret) {
    if (!is_float(s))
        return false;
    double value = strtod(s, NULL);
    *ret = (dray_scalar){DRAY_SCALAR_FLOAT, {.f = value}};
    return __builtin_isfinite(value);
}

/* Without underscores; false where text is too long for a number. */
static bool strip(dray_str text, char to[NUMBER_MAX_BYTES]) {
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (n == NUMBER_MAX_BYTES - 1 || text.p[i] == '\0')
            return false;
        if (text.p[i] != '_')
            to[n++] = text.p[i];
    }
    to[n] = '\0';
    return true;
}

/* Each underscore stands between two digits. */
static bool separates_digits(dray_str text) {
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '_' &&
            (i == 0 || i + 1 == text.n || !is_digit(text.p[i - 1]) || !is_digit(text.p[i + 1])))
            return false;
    return true;
}

/* Takes one or two digits and what must follow them ('\0' for nothing in particular); false when
 * they aren't there or the number passes most. */
static bool take_part(const char **s, long most, char then) {
    char *end;
    if (!is_digit(**s))
        return false;
    long value = strtol(*s, &end, 10);
    if (end - *s > 2 || value > most || (then != '\0' && *end != then))
        return false;
    *s = end + (then != '\0');
    return true;
}

/* timestamp = 4digit "-" month "-" day [ ("T" / "t") time zone / " " time ]
 * time      = hour ":" minute ":" second [ "." 1*digit ]
 * zone      = "Z" / sign 2digit ":" 2digit */
static bool is_timestamp(const char *s) {
    if (skip_digits(s) != s + 4 || s[4] != '-')
        return false;
    s += 5;
    if (!take_part(&s, 12, '-') || !take_part(&s, 31, '\0'))
        return false;
    char separator = *s;
    if (separator == '\0')
        return true;
    s++;
    if (!take_part(&s, 23, ':') || !take_part(&s, 59, ':') || !take_part(&s, 59, '\0'))
        return false;
    if (*s == '.' && is_digit(s[1]))
        s = skip_digits(s + 1);
    if (separator == ' ')
        return *s == '\0';
    if (*s == 'Z')
        return s[1] == '\0' && (separator == 'T' || separator == 't');
    return (separator == 'T' || separator == 't') && is_sign(*s++) && take_part(&s, 24, ':') &&
           take_part(&s, 60, '\0') && *s == '\0';
}

dray_scalar dray_scalar_resolve(dray_str text) {
    dray_scalar scalar = {DRAY_SCALAR_STRING, {.i = 0}};
    char plain[NUMBER_MAX_BYTES];
    const dray_scalar *word = find_word(text);
    if (word != NULL)
        return *word;
    char first = text.p[0];
    if ((!is_digit(first) && !is_sign(first) && first != '.') || !strip(text, plain))
        return scalar;
    if (text.n == strlen(plain) && is_timestamp(plain))
        return (dray_scalar){DRAY_SCALAR_TIMESTAMP, {.i = 0}};
    if (first == '.' ? separates_digits(text) && read_float(plain, &scalar)
                     : read_int(plain, &scalar) || read_float(plain, &scalar) ||
                           read_signed_binary(plain, &scalar))
        return scalar;
    return (dray_scalar){DRAY_SCALAR_STRING, {.i = 0}};
}
