/* Doubles as text: as few digits as read back as the same number. */
#include "data/yaml_int.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_DIGITS = 17, /* that many always read back */
    TEXT_BYTES = 64,
};

/* value = 0.DIGITS × 10^point */
typedef struct decimal {
    bool negative;
    char digits[MOST_DIGITS + 1];
    int n, point;
} decimal;

static bool reads_back(const char *text, double value, bool single) {
    return single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

static decimal shortest(double value, bool single) {
    char text[TEXT_BYTES];
    int n = 1;
    do {
        snprintf(text, sizeof text, "%.*e", n - 1, value);
    } while (!reads_back(text, value, single) && n++ < MOST_DIGITS);
    decimal d = {.negative = __builtin_signbit(value) != 0};
    const char *s = text + d.negative;
    for (; *s != 'e'; s++)
        if (*s != '.')
            d.digits[d.n++] = *s;
    d.point = value == 0 ? 1 : (int)strtol(s + 1, NULL, 10) + 1;
    while (d.n > 1 && d.digits[d.n - 1] == '0')
        d.n--;
    return d;
}

/* 1.25e+07; JSON's exponents have no padding. */
static dray_str write_exponent(const decimal *d, dray_double_form form, dray_arena *arena) {
    int exponent = d->point - 1;
    bool padded = form == DRAY_DOUBLE_G || exponent > 0;
    return dray_strf(arena, padded ? "%s%c%s%.*se%c%02d" : "%s%c%s%.*se%c%d",
                     d->negative ? "-" : "", d->digits[0], d->n > 1 ? "." : "", d->n - 1,
                     d->digits + 1, exponent < 0 ? '-' : '+', abs(exponent));
}

static dray_str write_plain(const decimal *d, dray_arena *arena) {
    const char *sign = d->negative ? "-" : "";
    if (d->point <= 0)
        return dray_strf(arena, "%s0.%.*d%.*s", sign, -d->point, 0, d->n, d->digits);
    if (d->point >= d->n)
        return dray_strf(arena, "%s%.*s%.*d", sign, d->n, d->digits, d->point - d->n, 0);
    return dray_strf(arena, "%s%.*s.%.*s", sign, d->point, d->digits, d->n - d->point,
                     d->digits + d->point);
}

dray_str dray_double_format(double value, bool single, dray_double_form form, dray_arena *arena) {
    decimal d = shortest(value, single);
    int least = form == DRAY_DOUBLE_JSON ? -5 : -3, most = form == DRAY_DOUBLE_JSON ? 21 : 6;
    if (value != 0 && (d.point < least || d.point > most))
        return write_exponent(&d, form, arena);
    return write_plain(&d, arena);
}
