/* Points in time: RFC 3339 as Go reads and writes it. */
#include "obj/time.h"

#include "base/vec.h"

#include <inttypes.h>

#define ZERO_TIME INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */

enum {
    DAY_SECONDS = 86400,
    MICRO_DIGITS = 6,
};

typedef struct reader {
    dray_str text;
    dray_str rest;
    const char *layout;
    dray_err *err;
} reader;

/* A number of the layout, and what to say when it is out of range. */
typedef struct element {
    const char *before; /* what the layout has in front of it */
    const char *layout;
    const char *name;
    int least, most;
    bool short_too; /* one digit will do */
} element;

enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND };

static const element elements[] = {
    [YEAR] = {"", "2006", "year", 0, 9999, false},  [MONTH] = {"-", "01", "month", 1, 12, false},
    [DAY] = {"-", "02", "day", 0, 99, false}, /* judged at the end, with its month */
    [HOUR] = {"T", "15", "hour", 0, 23, true},      [MINUTE] = {":", "04", "minute", 0, 59, false},
    [SECOND] = {":", "05", "second", 0, 59, false},
};

/* Go's time package quotes for itself: every byte that isn't printable ASCII as \xNN. */
static void quote(dray_buf *buf, dray_str text) {
    dray_buf_putc(buf, '"');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < ' ' || c >= 0x80)
            dray_buf_addf(buf, "\\x%02x", c);
        else
            dray_buf_addf(buf, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    }
    dray_buf_putc(buf, '"');
}

/* parsing time "…" as "…": cannot parse "…" as "…" */
static dray_code fail_parse(reader *r, dray_str at, const char *as) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_buf_puts(&buf, "parsing time ");
    quote(&buf, r->text);
    dray_buf_addf(&buf, " as \"%s\": cannot parse ", r->layout);
    quote(&buf, at);
    dray_buf_addf(&buf, " as \"%s\"", as);
    return dray_err_set(r->err, DRAY_E_INVALID, "%s", dray_buf_cstr(&buf));
}

/* parsing time "…": month out of range */
static dray_code fail_range(reader *r, const char *what) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_buf_puts(&buf, "parsing time ");
    quote(&buf, r->text);
    return dray_err_set(r->err, DRAY_E_INVALID, "%s: %s out of range", dray_buf_cstr(&buf), what);
}

static dray_code fail_extra(reader *r) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_buf_puts(&buf, "parsing time ");
    quote(&buf, r->text);
    dray_buf_puts(&buf, ": extra text: ");
    quote(&buf, r->rest);
    return dray_err_set(r->err, DRAY_E_INVALID, "%s", dray_buf_cstr(&buf));
}

static bool is_digit(dray_str s, size_t i) {
    return i < s.n && s.p[i] >= '0' && s.p[i] <= '9';
}

static dray_str skip(dray_str s, size_t n) {
    return dray_str_slice(s, n, s.n);
}

static int number(dray_str digits) {
    int value = 0;
    for (size_t i = 0; i < digits.n; i++)
        value = value * 10 + (digits.p[i] - '0');
    return value;
}

static dray_code read_element(reader *r, const element *e, int *ret) {
    dray_str before = dray_str_of(e->before);
    if (!dray_str_starts(r->rest, before))
        return fail_parse(r, r->rest, e->before);
    r->rest = skip(r->rest, before.n);
    size_t digits = strlen(e->layout);
    if (e->short_too && is_digit(r->rest, 0) && !is_digit(r->rest, 1))
        digits = 1;
    for (size_t i = 0; i < digits; i++)
        if (!is_digit(r->rest, i))
            return fail_parse(r, r->rest, e->layout);
    *ret = number(dray_str_slice(r->rest, 0, digits));
    r->rest = skip(r->rest, digits);
    return *ret < e->least || *ret > e->most ? fail_range(r, e->name) : DRAY_OK;
}

static bool is_point(dray_str s) {
    return s.n != 0 && (s.p[0] == '.' || s.p[0] == ',');
}

/* Digits after the point, of which nine count. */
static int32_t nanoseconds(dray_str digits) {
    int32_t nsec = 0;
    for (size_t i = 0; i < 9; i++)
        nsec = nsec * 10 + (i < digits.n ? digits.p[i] - '0' : 0);
    return nsec;
}

static void read_fraction(reader *r, int32_t *ret_nsec) {
    if (!is_point(r->rest) || !is_digit(r->rest, 1))
        return;
    size_t n = 1;
    while (is_digit(r->rest, n))
        n++;
    *ret_nsec = nanoseconds(dray_str_slice(r->rest, 1, n));
    r->rest = skip(r->rest, n);
}

/* Go reads the six digits as a signed number: + is let through, − is out of range. */
static dray_code read_micros(reader *r, int32_t *ret_nsec) {
    bool has_sign = r->rest.n > 1 && (r->rest.p[1] == '+' || r->rest.p[1] == '-');
    for (size_t i = 1 + has_sign; i <= MICRO_DIGITS; i++)
        if (!is_point(r->rest) || !is_digit(r->rest, i))
            return fail_parse(r, r->rest, ".000000");
    dray_str digits = dray_str_slice(r->rest, 1 + has_sign, 1 + MICRO_DIGITS);
    if (has_sign && r->rest.p[1] == '-' && number(digits) != 0)
        return fail_range(r, "fractional second");
    *ret_nsec = number(digits) * 1000;
    r->rest = skip(r->rest, 1 + MICRO_DIGITS);
    return DRAY_OK;
}

/* zone = "Z" / ( "+" / "-" ) 2digit ":" 2digit */
static dray_code read_zone(reader *r, int64_t *ret_offset) {
    dray_str s = r->rest;
    if (s.n != 0 && s.p[0] == 'Z') {
        r->rest = skip(s, 1);
        *ret_offset = 0;
        return DRAY_OK;
    }
    if (s.n < 6 || s.p[3] != ':')
        return fail_parse(r, s, "Z07:00");
    bool digits = is_digit(s, 1) && is_digit(s, 2) && is_digit(s, 4) && is_digit(s, 5);
    int hours = is_digit(s, 1) && is_digit(s, 2) ? number(dray_str_slice(s, 1, 3)) : 0;
    int minutes = digits ? number(dray_str_slice(s, 4, 6)) : 0;
    r->rest = skip(s, 6);
    if (minutes > 60)
        return fail_range(r, "time zone offset minute");
    if (hours > 24)
        return fail_range(r, "time zone offset hour");
    if (!digits || (s.p[0] != '+' && s.p[0] != '-'))
        return fail_parse(r, s, "Z07:00");
    *ret_offset = (s.p[0] == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
    return DRAY_OK;
}

static int days_in(int year, int month) {
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01. The year is taken to begin in March, so that the leap day comes last and
 * 153 days are five months. */
static int64_t days_from_date(int year, int month, int day) {
    int64_t y = year - (month <= 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_from_days(int64_t days, int64_t *ret_year, int *ret_month, int *ret_day) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t march = (5 * of_year + 2) / 153;
    *ret_day = (int)(of_year - (153 * march + 2) / 5 + 1);
    *ret_month = (int)(march < 10 ? march + 3 : march - 9);
    *ret_year = year + era * 400 + (*ret_month <= 2);
}

static dray_code parse(reader *r, bool micros, dray_time *ret) {
    int parts[DRAY_COUNT(elements)];
    int32_t nsec = 0;
    int64_t offset = 0;
    dray_code code = DRAY_OK;
    for (size_t i = 0; i < DRAY_COUNT(elements) && code == DRAY_OK; i++)
        code = read_element(r, &elements[i], &parts[i]);
    if (code == DRAY_OK && micros)
        code = read_micros(r, &nsec);
    else if (code == DRAY_OK)
        read_fraction(r, &nsec);
    if (code == DRAY_OK)
        code = read_zone(r, &offset);
    if (code != DRAY_OK)
        return code;
    if (r->rest.n != 0)
        return fail_extra(r);
    if (parts[DAY] < 1 || parts[DAY] > days_in(parts[YEAR], parts[MONTH]))
        return fail_range(r, "day");
    int64_t days = days_from_date(parts[YEAR], parts[MONTH], parts[DAY]);
    int64_t of_day = (parts[HOUR] * 60 + parts[MINUTE]) * 60 + parts[SECOND];
    *ret = (dray_time){.sec = days * DAY_SECONDS + of_day - offset, .nsec = nsec};
    ret->set = ret->sec != ZERO_TIME || nsec != 0;
    if (!ret->set)
        ret->sec = 0;
    return DRAY_OK;
}

dray_code dray_time_parse(dray_str text, dray_time *ret, dray_err *err) {
    reader r = {text, text, "2006-01-02T15:04:05Z07:00", err};
    return parse(&r, false, ret);
}

dray_code dray_time_parse_micro(dray_str text, dray_time *ret, dray_err *err) {
    reader r = {text, text, "2006-01-02T15:04:05.000000Z07:00", err};
    return parse(&r, true, ret);
}

static int64_t seconds(dray_time t) {
    return t.set ? t.sec : ZERO_TIME;
}

dray_str dray_time_format(dray_time t, bool micros, dray_arena *arena) {
    int64_t year, sec = seconds(t);
    int month, day;
    int64_t of_day = (sec % DAY_SECONDS + DAY_SECONDS) % DAY_SECONDS;
    date_from_days((sec - of_day) / DAY_SECONDS, &year, &month, &day);
    int h = (int)(of_day / 3600), m = (int)(of_day / 60 % 60), s = (int)(of_day % 60);
    if (!micros)
        return dray_strf(arena, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02dZ", year, month, day, h, m,
                         s);
    return dray_strf(arena, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%06dZ", year, month, day, h, m,
                     s, (int)(t.nsec / 1000));
}

int dray_time_cmp(dray_time a, dray_time b) {
    int64_t left = seconds(a), right = seconds(b);
    if (left != right)
        return left < right ? -1 : 1;
    return (a.nsec > b.nsec) - (a.nsec < b.nsec);
}
