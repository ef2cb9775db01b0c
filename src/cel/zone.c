/* Time zones from TZif files (RFC 9636): transitions, and the POSIX rule for what comes after. */
#include "cel/clock.h"

enum { MAX_TRANSITIONS = 100000 };

static uint32_t be32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static int64_t be64(const unsigned char *p) {
    return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

/* The second block of a file of version 2 or later. */
typedef struct tzif {
    const unsigned char *times, *indices, *types;
    uint32_t n_times, n_types;
    dray_str rule; /* a TZ string as in POSIX; may be empty */
} tzif;

typedef struct header {
    uint32_t utc, std, leap, times, types, chars;
} header;

static bool read_header(dray_str file, size_t at, header *ret) {
    if (file.n < at + 44 || memcmp(file.p + at, "TZif", 4) != 0)
        return false;
    const unsigned char *p = (const unsigned char *)file.p + at + 20;
    *ret = (header){be32(p), be32(p + 4), be32(p + 8), be32(p + 12), be32(p + 16), be32(p + 20)};
    return ret->times <= MAX_TRANSITIONS && ret->types > 0 && ret->types <= 256 &&
           ret->chars <= 65536 && ret->leap <= 65536 && ret->utc <= 256 && ret->std <= 256;
}

static size_t body_bytes(const header *h, size_t time_bytes) {
    return h->times * (time_bytes + 1) + h->types * 6 + h->chars + h->leap * (time_bytes + 4) +
           h->std + h->utc;
}

static bool read_file(dray_str file, tzif *ret) {
    header h;
    if (!read_header(file, 0, &h) || file.p[4] < '2')
        return false;
    size_t at = 44 + body_bytes(&h, 4);
    if (!read_header(file, at, &h))
        return false;
    at += 44;
    size_t end = at + body_bytes(&h, 8);
    if (file.n < end)
        return false;
    const unsigned char *p = (const unsigned char *)file.p + at;
    *ret = (tzif){.times = p,
                  .indices = p + (size_t)h.times * 8,
                  .types = p + (size_t)h.times * 9,
                  .n_times = h.times,
                  .n_types = h.types};
    for (uint32_t i = 0; i < h.times; i++)
        if (ret->indices[i] >= h.types)
            return false;
    dray_str footer = dray_str_slice(file, end + 1, file.n);
    size_t newline = dray_str_chr(footer, '\n');
    if (newline != SIZE_MAX)
        ret->rule = dray_str_slice(footer, 0, newline);
    return true;
}

/* --- POSIX rules: "CET-1CEST,M3.5.0,M10.5.0/3" --- */

typedef struct reader {
    const char *p, *end;
    bool ok;
} reader;

static void skip_name(reader *r) {
    if (r->p < r->end && *r->p == '<') {
        while (r->p < r->end && *r->p != '>')
            r->p++;
        r->p += r->p < r->end;
        return;
    }
    while (r->p < r->end && ((*r->p | 32) >= 'a' && (*r->p | 32) <= 'z'))
        r->p++;
}

static int read_number(reader *r) {
    int value = 0;
    bool any = false;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9' && value < 100000; r->p++) {
        value = value * 10 + (*r->p - '0');
        any = true;
    }
    r->ok = r->ok && any;
    return value;
}

/* [+-]hh[:mm[:ss]] in seconds */
static int read_clock(reader *r) {
    int sign = 1;
    if (r->p < r->end && (*r->p == '-' || *r->p == '+'))
        sign = *r->p++ == '-' ? -1 : 1;
    int seconds = read_number(r) * 3600;
    for (int unit = 60; unit > 0 && r->p < r->end && *r->p == ':'; unit /= 60) {
        r->p++;
        seconds += read_number(r) * unit;
    }
    return sign * seconds;
}

static bool is_leap(int64_t y) {
    return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
}

/* ,M3.5.0/2 ,J60 ,59: seconds after the start of the year, by the clock before the change. */
static int64_t read_change(reader *r, int64_t year, int64_t year_start) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    int64_t day = 0;
    if (r->p < r->end && *r->p == ',')
        r->p++;
    if (r->p < r->end && *r->p == 'M') {
        r->p++;
        int month = read_number(r);
        r->p += r->p < r->end;
        int week = read_number(r);
        r->p += r->p < r->end;
        int weekday = read_number(r);
        if (!r->ok || month < 1 || month > 12 || week < 1 || week > 5 || weekday > 6) {
            r->ok = false;
            return 0;
        }
        int64_t first = before[month - 1] + (month > 2 && is_leap(year));
        int length = before[month] - before[month - 1] + (month == 2 && is_leap(year));
        int of_first = dray_cel_civil_of(year_start + first * 86400).weekday;
        int of_month = (weekday - of_first + 7) % 7 + (week - 1) * 7;
        day = first + (of_month >= length ? of_month - 7 : of_month);
    } else if (r->p < r->end && *r->p == 'J') {
        r->p++;
        int n = read_number(r);
        day = n - 1 + (is_leap(year) && n >= 60);
    } else {
        day = read_number(r);
    }
    int64_t clock = 2 * 3600;
    if (r->p < r->end && *r->p == '/') {
        r->p++;
        clock = read_clock(r);
    }
    return day * 86400 + clock;
}

static bool rule_offset(dray_str rule, int64_t sec, int32_t *ret) {
    reader r = {rule.p, rule.p + rule.n, rule.n > 0};
    skip_name(&r);
    int standard = -read_clock(&r);
    if (!r.ok)
        return false;
    *ret = standard;
    if (r.p == r.end)
        return true;
    skip_name(&r);
    int summer = standard + 3600;
    if (r.p < r.end && *r.p != ',')
        summer = -read_clock(&r);
    dray_cel_civil now = dray_cel_civil_of(sec + standard);
    int64_t year_start = sec + standard - (int64_t)now.year_day * 86400 - now.hour * 3600 -
                         now.minute * 60 - now.second;
    int64_t start = read_change(&r, now.year, year_start) - standard;
    int64_t end = read_change(&r, now.year, year_start) - summer;
    if (!r.ok)
        return false;
    int64_t at = sec - year_start;
    bool in_summer = start < end ? at >= start && at < end : at >= start || at < end;
    *ret = in_summer ? summer : standard;
    return true;
}

/* --- looking up --- */

/* What holds before the first transition, as Go's lookupFirstZone chooses. */
static uint32_t first_type(const tzif *z) {
    bool used = false;
    for (uint32_t i = 0; i < z->n_times; i++)
        used = used || z->indices[i] == 0;
    if (!used)
        return 0;
    if (z->n_times > 0 && z->types[(size_t)z->indices[0] * 6 + 4] != 0)
        for (uint32_t t = z->indices[0]; t-- > 0;)
            if (z->types[(size_t)t * 6 + 4] == 0)
                return t;
    for (uint32_t t = 0; t < z->n_types; t++)
        if (z->types[(size_t)t * 6 + 4] == 0)
            return t;
    return 0;
}

bool dray_cel_zone_offset(dray_str file, int64_t sec, int32_t *ret_seconds) {
    tzif z;
    if (!read_file(file, &z))
        return false;
    uint32_t low = 0, high = z.n_times; /* the first transition after sec */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (be64(z.times + (size_t)middle * 8) <= sec)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == z.n_times && rule_offset(z.rule, sec, ret_seconds))
        return true;
    uint32_t type = low == 0 ? first_type(&z) : z.indices[low - 1];
    *ret_seconds = (int32_t)be32(z.types + (size_t)type * 6);
    return true;
}
