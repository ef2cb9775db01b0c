/* Quantities: reading and writing their text. */
#include "base/vec.h"
#include "obj/big.h"
#include "obj/quantity.h"
#include "obj/quantity_int.h"

#include <inttypes.h>

enum {
    SMALL_DIGITS = 18, /* so many always fit an int64 */
    NANO = -9,
};

#define ERR_FORMAT                                  \
    "quantities must match the regular expression " \
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#define ERR_NUMBER "unable to parse numeric part of quantity"
#define ERR_SUFFIX "unable to parse quantity's suffix"

typedef struct suffix {
    dray_str text;
    int32_t base, exponent;
    dray_quantity_form form;
} suffix;

static const suffix suffixes[] = {
#define X(text, base, exponent, form) {DRAY_STR_INIT(text), base, exponent, DRAY_QUANTITY_##form},
#include "obj/quantity_suffixes.def"
#undef X
};

/* The parts of a quantity's text: 12.50Ki is whole 12, fraction 50, suffix Ki. */
typedef struct parts {
    bool negative;
    bool has_digits;
    dray_str whole;    /* without leading zeros */
    dray_str fraction; /* as written */
    dray_str suffix;
} parts;

static dray_str take_digits(dray_str text, size_t *at) {
    size_t from = *at;
    while (*at < text.n && text.p[*at] >= '0' && text.p[*at] <= '9')
        ++*at;
    return dray_str_slice(text, from, *at);
}

static void skip_sign(dray_str text, size_t *at) {
    *at += *at < text.n && (text.p[*at] == '-' || text.p[*at] == '+');
}

/* quantity = [sign] digits ["." digits] suffix
 * suffix   = letters [sign] digits
 * Everything may be empty: "+" and "." are zero, as upstream has it. */
static bool split(dray_str text, parts *ret) {
    size_t at = 0;
    *ret = (parts){.negative = text.p[0] == '-'};
    skip_sign(text, &at);
    dray_str whole = take_digits(text, &at);
    ret->has_digits = whole.n != 0;
    while (whole.n != 0 && whole.p[0] == '0')
        whole = dray_str_slice(whole, 1, whole.n);
    ret->whole = whole;
    if (at < text.n && text.p[at] == '.') {
        at++;
        ret->fraction = take_digits(text, &at);
        ret->has_digits = ret->has_digits || ret->fraction.n != 0;
    }
    size_t from = at;
    while (at < text.n && text.p[at] != '\0' && strchr("eEinumkKMGTP", text.p[at]) != NULL)
        at++;
    skip_sign(text, &at);
    take_digits(text, &at);
    ret->suffix = dray_str_slice(text, from, at);
    return at == text.n;
}

/* The number after the e, which upstream reads as an int64 and cuts to 32 bits. */
static bool read_exponent(dray_str text, int32_t *ret) {
    size_t at = 0;
    skip_sign(text, &at);
    bool negative = text.n != 0 && text.p[0] == '-';
    bool any = at < text.n;
    int64_t value = 0;
    for (; at < text.n; at++) {
        int digit = text.p[at] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return false;
    }
    *ret = (int32_t)value;
    return any;
}

static bool interpret_suffix(dray_str text, suffix *ret) {
    for (size_t i = 0; i < DRAY_COUNT(suffixes); i++)
        if (dray_str_eq(suffixes[i].text, text)) {
            *ret = suffixes[i];
            return true;
        }
    *ret = (suffix){.text = text, .base = 10, .form = DRAY_QUANTITY_EXPONENT};
    return text.n > 1 && (text.p[0] == 'e' || text.p[0] == 'E') &&
           read_exponent(dray_str_slice(text, 1, text.n), &ret->exponent);
}

static int64_t small_number(const parts *p) {
    int64_t value = 0;
    for (size_t i = 0; i < p->whole.n; i++)
        value = value * 10 + (p->whole.p[i] - '0');
    for (size_t i = 0; i < p->fraction.n; i++)
        value = value * 10 + (p->fraction.p[i] - '0');
    return value;
}

/* How many decimal digits the small way has to spare; negative where it can't be taken. A binary
 * exponent takes about three digits for each ten. */
static int64_t spare_digits(const parts *p, const suffix *s) {
    int64_t whole = p->whole.n != 0 ? (int64_t)p->whole.n : 1;
    if (s->base == 10)
        return SMALL_DIGITS - whole - (int64_t)p->fraction.n;
    return p->fraction.n == 0 ? 15 - whole - s->exponent * 3 / 10 - 1 : -1;
}

/* Upstream's short cut: what the writer could write stays as it was written. */
static bool keeps_text(const parts *p, const suffix *s, int64_t number, int64_t scale) {
    if (s->form == DRAY_QUANTITY_BINARY_SI)
        return (number & 7) != 0;
    bool ends_in_000 = number % 1000 == 0 && p->whole.n + p->fraction.n >= 3;
    return scale % 3 == 0 && p->whole.n != 0 && !ends_in_000;
}

/* False where the number doesn't fit an int64 with a scale of nano or more. */
static bool parse_small(const parts *p, const suffix *s, bool *ret_keeps_text, dray_quantity *ret) {
    int64_t scale = (s->base == 10 ? s->exponent : 0) - (int64_t)p->fraction.n;
    if (spare_digits(p, s) < 0 || scale < NANO)
        return false;
    int64_t number = small_number(p), value;
    int64_t factor = s->base == 2 ? (int64_t)1 << s->exponent : 1;
    if (__builtin_mul_overflow(number, factor, &value))
        return false;
    *ret = (dray_quantity){
        .value = p->negative ? -value : value, .scale = (int32_t)scale, .form = s->form};
    *ret_keeps_text = keeps_text(p, s, number, scale);
    return true;
}

static const dray_big *all_digits(const parts *p, dray_arena *arena) {
    size_t n = p->whole.n + p->fraction.n;
    char *digits = dray_arena_bytes(arena, n);
    memcpy(digits, p->whole.p, p->whole.n);
    if (p->fraction.n != 0)
        memcpy(digits + p->whole.n, p->fraction.p, p->fraction.n);
    return dray_big_parse(dray_str_n(digits, n), false, arena);
}

/* |big| × 10^scale with scale nano, rounded up. */
static const dray_big *round_to_nano(const dray_big *big, int64_t scale, dray_arena *arena) {
    if (scale >= NANO)
        return dray_big_scale_up(big, (uint32_t)(scale - NANO), arena);
    bool exact;
    uint32_t places = (uint32_t)(NANO - scale);
    const dray_big *cut = dray_big_scale_down(big, places, arena, &exact);
    return exact ? cut : dray_big_add(cut, dray_big_from_int(1, arena), arena);
}

static int compare_to_int(const dray_big *nanos, int64_t value, dray_arena *arena) {
    return dray_big_cmp(nanos, dray_big_scale_up(dray_big_from_int(value, arena), -NANO, arena));
}

static dray_code parse_big(const parts *p, const suffix *s, dray_arena *arena, dray_quantity *ret,
                           dray_err *err) {
    int64_t scale = (s->base == 10 ? s->exponent : 0) - (int64_t)p->fraction.n;
    int64_t digits = (int64_t)(p->whole.n + p->fraction.n);
    if (digits > DRAY_QUANTITY_MAX_DIGITS || digits + scale > DRAY_QUANTITY_MAX_DIGITS)
        return dray_err_set(err, DRAY_E_LIMIT, "a quantity may have at most %d digits",
                            DRAY_QUANTITY_MAX_DIGITS);
    const dray_big *big = all_digits(p, arena);
    *ret = (dray_quantity){.big = big, .scale = NANO, .form = s->form};
    if (dray_big_sign(big) == 0)
        return DRAY_OK;
    if (s->base == 2)
        big = dray_big_mul_int(big, (int64_t)1 << s->exponent, arena);
    big = round_to_nano(big, scale, arena);
    if (s->form == DRAY_QUANTITY_BINARY_SI && compare_to_int(big, INT64_MAX, arena) > 0) {
        big = dray_big_from_int(INT64_MAX, arena);
        ret->scale = 0;
    } else if (s->form == DRAY_QUANTITY_BINARY_SI && compare_to_int(big, 1, arena) < 0) {
        ret->form = DRAY_QUANTITY_DECIMAL_SI;
    }
    ret->big = p->negative ? dray_big_neg(big, arena) : big;
    return DRAY_OK;
}

dray_code dray_quantity_parse(dray_str text, dray_arena *arena, dray_quantity *ret, dray_err *err) {
    parts p;
    suffix s;
    bool keeps = false;
    dray_quantity q;
    if (text.n == 0 || !split(text, &p))
        return dray_err_set(err, DRAY_E_INVALID, "%s", ERR_FORMAT);
    if (!interpret_suffix(p.suffix, &s))
        return dray_err_set(err, DRAY_E_INVALID, "%s", ERR_SUFFIX);
    if (!parse_small(&p, &s, &keeps, &q)) {
        if (!p.has_digits)
            return dray_err_set(err, DRAY_E_INVALID, "%s", ERR_NUMBER);
        dray_code code = parse_big(&p, &s, arena, &q, err);
        if (code != DRAY_OK)
            return code;
    }
    if (keeps || dray_str_is(text, "0"))
        q.text = dray_str_dup(arena, text);
    *ret = q;
    return DRAY_OK;
}

/* A number and the exponent of its suffix, on the way to text. */
typedef struct written {
    dray_str number;
    int64_t exponent;
} written;

static written write_decimal_big(const dray_big *big, int64_t exponent, dray_arena *arena) {
    dray_str number = dray_big_format(big, arena);
    while (number.p[number.n - 1] == '0') {
        number.n--;
        exponent++;
    }
    int places = (int)((exponent % 3 + 3) % 3);
    return (written){dray_strf(arena, DRAY_FMT "%.*s", DRAY_ARG(number), places, "00"),
                     exponent - places};
}

/* The shortest number with an exponent that is a multiple of three. */
static written write_decimal(dray_quantity q, dray_arena *arena) {
    if (q.big != NULL)
        return write_decimal_big(q.big, q.scale, arena);
    int64_t value = q.value, exponent = q.scale;
    while (value % 10 == 0) {
        value /= 10;
        exponent++;
    }
    int64_t places = (exponent % 3 + 3) % 3;
    if (!dray_int_scale_up(value, places, &value))
        return write_decimal_big(dray_quantity_digits(q, arena), q.scale, arena);
    return (written){dray_strf(arena, "%" PRId64, value), exponent - places};
}

static written write_binary_big(const dray_big *big, dray_arena *arena) {
    int64_t exponent = 0;
    uint32_t rest;
    const dray_big *shorter = dray_big_div(big, 1024, arena, &rest);
    while (rest == 0) {
        big = shorter;
        exponent += 10;
        shorter = dray_big_div(big, 1024, arena, &rest);
    }
    return (written){dray_big_format(big, arena), exponent};
}

/* A whole number as a multiple of the largest power of 1024. */
static written write_binary(dray_quantity q, dray_arena *arena) {
    int64_t value;
    if (q.big != NULL || !dray_int_scale_up(q.value, q.scale, &value)) {
        bool exact;
        const dray_big *big = dray_quantity_digits(q, arena);
        big = q.scale >= 0 ? dray_big_scale_up(big, (uint32_t)q.scale, arena)
                           : dray_big_scale_down(big, (uint32_t)-q.scale, arena, &exact);
        return write_binary_big(big, arena);
    }
    int64_t exponent = 0;
    /* The smallest int64 has no positive twin: upstream leaves it whole. */
    while (value != INT64_MIN && value % 1024 == 0) {
        value /= 1024;
        exponent += 10;
    }
    return (written){dray_strf(arena, "%" PRId64, value), exponent};
}

static bool is_whole(dray_quantity q) {
    bool exact = true;
    if (q.scale >= 0)
        return true;
    if (q.big == NULL) {
        dray_int_scale_down(q.value, -(int64_t)q.scale, &exact);
        return exact;
    }
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_big_scale_down(q.big, (uint32_t)-q.scale, arena, &exact);
    return exact;
}

/* Small and broken numbers are written in decimal even where binary is asked for. */
static bool is_written_binary(dray_quantity q) {
    dray_quantity kibi = dray_quantity_from_int(1024, q.form);
    dray_quantity minus_kibi = dray_quantity_from_int(-1024, q.form);
    return q.form == DRAY_QUANTITY_BINARY_SI && is_whole(q) &&
           (dray_quantity_cmp(q, kibi) >= 0 || dray_quantity_cmp(q, minus_kibi) <= 0);
}

/* A power that has no suffix is written without: upstream loses it. */
static dray_str find_suffix(int32_t base, int64_t exponent) {
    for (size_t i = 0; i < DRAY_COUNT(suffixes); i++)
        if (suffixes[i].base == base && suffixes[i].exponent == exponent)
            return suffixes[i].text;
    return DRAY_STR("");
}

dray_str dray_quantity_format(dray_quantity q, dray_arena *arena) {
    if (q.text.p != NULL)
        return q.text;
    if (dray_quantity_is_zero(q))
        return DRAY_STR("0");
    bool binary = is_written_binary(q);
    written w = binary ? write_binary(q, arena) : write_decimal(q, arena);
    if (q.form == DRAY_QUANTITY_EXPONENT && w.exponent != 0)
        return dray_strf(arena, DRAY_FMT "e%" PRId64, DRAY_ARG(w.number), w.exponent);
    dray_str letters = find_suffix(binary ? 2 : 10, w.exponent);
    return dray_strf(arena, DRAY_FMT DRAY_FMT, DRAY_ARG(w.number), DRAY_ARG(letters));
}
