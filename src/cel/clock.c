/* Points in time and durations: civil dates, reading, printing. Source: Go's time package. */
#include "cel/clock.h"

#include "base/vec.h"
#include "cel/number.h"

#include <stdio.h>
#include <stdlib.h>

enum { DAY = 86400 };

/* Days since 1970 of a civil date, after Howard Hinnant's days_from_civil. */
static int64_t days_of(int64_t year, int month, int day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

dray_cel_civil dray_cel_civil_of(int64_t sec) {
    int64_t days = sec / DAY, rest = sec % DAY;
    if (rest < 0) {
        rest += DAY;
        days--;
    }
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t of_era = z - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    dray_cel_civil c = {.day = (int)(of_year - (153 * month + 2) / 5 + 1),
                        .month = (int)(month < 10 ? month + 3 : month - 9)};
    c.year = year + era * 400 + (c.month <= 2);
    c.hour = (int)(rest / 3600);
    c.minute = (int)(rest / 60 % 60);
    c.second = (int)(rest % 60);
    c.weekday = (int)(((days + 4) % 7 + 7) % 7);
    c.year_day = (int)(days - days_of(c.year, 1, 1));
    return c;
}

/* --- reading timestamps --- */

typedef struct reader {
    const char *p, *end;
    bool ok;
} reader;

static bool is_digit(const reader *r, size_t at) {
    return (size_t)(r->end - r->p) > at && r->p[at] >= '0' && r->p[at] <= '9';
}

/* Exactly n digits, or with n == 0 one or two. */
static int read_digits(reader *r, int n) {
    int want = n != 0 ? n : is_digit(r, 1) ? 2 : 1;
    int value = 0;
    for (int i = 0; i < want; i++) {
        if (!is_digit(r, 0)) {
            r->ok = false;
            return 0;
        }
        value = value * 10 + (*r->p++ - '0');
    }
    return value;
}

static void expect(reader *r, char c) {
    if (r->p < r->end && *r->p == c)
        r->p++;
    else
        r->ok = false;
}

static uint32_t read_fraction(reader *r) {
    if (r->end - r->p < 2 || (*r->p != '.' && *r->p != ',') || !is_digit(r, 1))
        return 0;
    r->p++;
    uint32_t nanos = 0;
    int digits = 0;
    for (; is_digit(r, 0); r->p++) {
        if (digits < 9) {
            nanos = nanos * 10 + (uint32_t)(*r->p - '0');
            digits++;
        }
    }
    for (; digits < 9; digits++)
        nanos *= 10;
    return nanos;
}

static int read_offset(reader *r) {
    if (r->p < r->end && *r->p == 'Z') {
        r->p++;
        return 0;
    }
    int sign = r->p < r->end && *r->p == '-' ? -1 : 1;
    if (r->p == r->end || (*r->p != '-' && *r->p != '+')) {
        r->ok = false;
        return 0;
    }
    r->p++;
    int hours = read_digits(r, 2);
    expect(r, ':');
    int minutes = read_digits(r, 2);
    if (hours > 24 || minutes > 60)
        r->ok = false;
    return sign * (hours * 60 + minutes);
}

static int days_in(int64_t year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

bool dray_cel_read_time(dray_str text, dray_cel_value *ret) {
    reader r = {text.p, text.p + text.n, true};
    int year = read_digits(&r, 4);
    expect(&r, '-');
    int month = read_digits(&r, 2);
    expect(&r, '-');
    int day = read_digits(&r, 2);
    expect(&r, 'T');
    int hour = read_digits(&r, 0);
    expect(&r, ':');
    int minute = read_digits(&r, 2);
    expect(&r, ':');
    int second = read_digits(&r, 2);
    uint32_t nanos = read_fraction(&r);
    int offset = read_offset(&r);
    if (!r.ok || r.p != r.end || month < 1 || month > 12 || day < 1 || day > days_in(year, month) ||
        hour > 23 || minute > 59 || second > 59)
        return false;
    *ret = (dray_cel_value){.kind = DRAY_CEL_TIMESTAMP, .zone = (int16_t)offset, .n = nanos};
    ret->i =
        days_of(year, month, day) * DAY + hour * 3600 + minute * 60 + second - (int64_t)offset * 60;
    return true;
}

/* --- reading durations --- */

static const uint64_t HALF = (uint64_t)1 << 63;

static bool read_whole(reader *r, uint64_t *ret) {
    uint64_t x = 0;
    for (; is_digit(r, 0); r->p++) {
        if (x > HALF / 10)
            return false;
        x = x * 10 + (uint64_t)(*r->p - '0');
        if (x > HALF)
            return false;
    }
    *ret = x;
    return true;
}

static uint64_t read_part(reader *r, double *scale) {
    uint64_t x = 0;
    bool full = false;
    for (; is_digit(r, 0); r->p++) {
        if (full || x > (HALF - 1) / 10 || x * 10 + (uint64_t)(*r->p - '0') > HALF) {
            full = true; /* further digits change nothing */
            continue;
        }
        x = x * 10 + (uint64_t)(*r->p - '0');
        *scale *= 10;
    }
    return x;
}

static uint64_t read_unit(reader *r) {
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1},       {"us", 1000},      {"µs", 1000},       {"μs", 1000},
                 {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}};
    const char *start = r->p;
    while (r->p < r->end && *r->p != '.' && !is_digit(r, 0))
        r->p++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (dray_str_is((dray_str){start, (size_t)(r->p - start)}, units[i].name))
            return units[i].ns;
    return 0;
}

/* One "1.5h" of a duration, added to *sum. */
static bool read_term(reader *r, uint64_t *sum) {
    const char *start = r->p;
    uint64_t whole, part = 0;
    double scale = 1;
    if (!read_whole(r, &whole))
        return false;
    bool digits = r->p != start;
    if (r->p < r->end && *r->p == '.') {
        const char *point = ++r->p;
        part = read_part(r, &scale);
        digits = digits || r->p != point;
    }
    uint64_t unit = read_unit(r);
    if (!digits || unit == 0 || whole > HALF / unit)
        return false;
    whole *= unit;
    if (part > 0)
        whole += (uint64_t)((double)part * ((double)unit / scale));
    if (whole > HALF)
        return false;
    *sum += whole;
    return *sum <= HALF;
}

bool dray_cel_read_duration(dray_str text, int64_t *ret) {
    reader r = {text.p, text.p + text.n, true};
    bool negative = text.n > 0 && *r.p == '-';
    if (text.n > 0 && (*r.p == '-' || *r.p == '+'))
        r.p++;
    if (r.end - r.p == 1 && *r.p == '0') {
        *ret = 0;
        return true;
    }
    if (r.p == r.end)
        return false;
    uint64_t sum = 0;
    while (r.p < r.end)
        if (!read_term(&r, &sum))
            return false;
    if (!negative && sum > HALF - 1)
        return false;
    *ret = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

/* --- printing --- */

static void print_nanos(dray_buf *out, uint32_t nanos) {
    if (nanos == 0)
        return;
    int width = 9;
    for (; nanos % 10 == 0; nanos /= 10)
        width--;
    dray_buf_putc(out, '.');
    dray_cel_print_digits(out, nanos, width);
}

/* 2024-02-29T12:30:45, with another letter in the middle. */
static void print_civil(dray_buf *out, const dray_cel_civil *c, char between) {
    const int parts[] = {c->month, c->day, c->hour, c->minute, c->second};
    const char before[] = {'-', '-', between, ':', ':'};
    char text[3 * DRAY_COUNT(parts)];
    if (c->year >= 0 && c->year <= 9999)
        dray_cel_print_digits(out, (uint64_t)c->year, 4);
    else
        dray_buf_addf(out, "%04lld", (long long)c->year);
    for (size_t i = 0; i < DRAY_COUNT(parts); i++) {
        text[3 * i] = before[i];
        text[3 * i + 1] = (char)('0' + parts[i] / 10);
        text[3 * i + 2] = (char)('0' + parts[i] % 10);
    }
    dray_buf_add(out, text, sizeof text);
}

void dray_cel_print_time(dray_buf *out, dray_cel_value time, bool utc) {
    int zone = utc ? 0 : time.zone;
    dray_cel_civil c = dray_cel_civil_of(time.i + (int64_t)zone * 60);
    print_civil(out, &c, 'T');
    print_nanos(out, time.n);
    if (zone == 0)
        dray_buf_putc(out, 'Z');
    else
        dray_buf_addf(out, "%c%02d:%02d", zone < 0 ? '-' : '+', abs(zone) / 60, abs(zone) % 60);
}

void dray_cel_print_go_time(dray_buf *out, dray_cel_value time) {
    dray_cel_civil c = dray_cel_civil_of(time.i + (int64_t)time.zone * 60);
    print_civil(out, &c, ' ');
    print_nanos(out, time.n);
    char offset[16];
    int zone = time.zone;
    snprintf(offset, sizeof offset, "%c%02d%02d", zone < 0 ? '-' : '+', abs(zone) / 60 % 100,
             abs(zone) % 60);
    dray_buf_addf(out, " %s %s", offset, zone == 0 ? "UTC" : offset);
}

void dray_cel_print_duration(dray_buf *out, int64_t ns) {
    double seconds = (double)(ns / 1000000000) + (double)(ns % 1000000000) / 1e9;
    dray_cel_print_double(out, seconds, 'f', -1);
    dray_buf_putc(out, 's');
}

/* A whole number and up to `digits` digits of fraction, without trailing zeros. */
static void print_scaled(dray_buf *out, uint64_t value, int digits, const char *unit) {
    uint64_t base = 1;
    for (int i = 0; i < digits; i++)
        base *= 10;
    dray_buf_addf(out, "%llu", (unsigned long long)(value / base));
    uint64_t rest = value % base;
    if (rest != 0) {
        char text[32];
        int n = snprintf(text, sizeof text, "%0*llu", digits, (unsigned long long)rest);
        while (n > 0 && text[n - 1] == '0')
            n--;
        dray_buf_putc(out, '.');
        dray_buf_add(out, text, (size_t)n);
    }
    dray_buf_puts(out, unit);
}

void dray_cel_print_go_duration(dray_buf *out, int64_t ns) {
    uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        dray_buf_putc(out, '-');
    if (u == 0) {
        dray_buf_puts(out, "0s");
    } else if (u < 1000) {
        print_scaled(out, u, 0, "ns");
    } else if (u < 1000000) {
        print_scaled(out, u, 3, "µs");
    } else if (u < 1000000000) {
        print_scaled(out, u, 6, "ms");
    } else {
        uint64_t minutes = u / 60000000000;
        if (minutes >= 60)
            dray_buf_addf(out, "%lluh", (unsigned long long)(minutes / 60));
        if (minutes > 0)
            dray_buf_addf(out, "%llum", (unsigned long long)(minutes % 60));
        print_scaled(out, u % 60000000000, 9, "s");
    }
}
