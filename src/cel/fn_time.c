/* Accessors of timestamps, in a zone, and of durations. */
#include "cel/eval_int.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "cel/number.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

enum { ZONE_WORK = 32 }; /* of looking up a named zone: see DRAY_CEL_EVAL_WORK */

/* strconv.Atoi of a part of an offset. */
static bool part_of_offset(dray_cel_eval *e, dray_str text, int64_t *ret, dray_cel_value *error) {
    if (dray_cel_read_int(text, ret))
        return true;
    dray_str quoted = dray_utf8_quote(text, e->arena);
    bool digits = text.n > 0;
    for (size_t i = text.p[0] == '-' || text.p[0] == '+'; i < text.n; i++)
        digits = digits && text.p[i] >= '0' && text.p[i] <= '9';
    *error = dray_cel_failf(e->arena, "strconv.Atoi: parsing " DRAY_FMT ": %s", DRAY_ARG(quoted),
                            digits && text.n > 1 ? "value out of range" : "invalid syntax");
    return false;
}

/* Seconds east of UTC of "±HH:MM" or a named zone. False with *error. */
static bool zone_offset(dray_cel_eval *e, dray_str zone, int64_t sec, int64_t *ret,
                        dray_cel_value *error) {
    size_t colon = dray_str_chr(zone, ':');
    int64_t hours, minutes;
    int32_t seconds = 0;
    if (colon == SIZE_MAX) {
        if (zone.n > 0 && !dray_str_is(zone, "UTC") && !dray_str_is(zone, "Local")) {
            if (dray_str_find(zone, DRAY_STR("..")) != SIZE_MAX || zone.p[0] == '/' ||
                zone.p[0] == '\\') {
                *error = dray_cel_fail(e->arena, "time: invalid location name");
                return false;
            }
            if (!dray_cel_eval_work(e, ZONE_WORK)) {
                *error = dray_cel_no_overload;
                return false;
            }
            if (e->zones == NULL || !e->zones->offset(e->zones->context, zone, sec, &seconds)) {
                *error = dray_cel_failf(e->arena, "unknown time zone " DRAY_FMT, DRAY_ARG(zone));
                return false;
            }
        }
        *ret = seconds;
        return true;
    }
    if (!part_of_offset(e, dray_str_slice(zone, 0, colon), &hours, error) ||
        !part_of_offset(e, dray_str_slice(zone, colon + 1, zone.n), &minutes, error))
        return false;
    /* Minutes are not checked; the multiplication wraps, as in Go. */
    uint64_t total =
        (uint64_t)hours * 60 + (zone.p[0] == '-' ? 0 - (uint64_t)minutes : (uint64_t)minutes);
    *ret = (int64_t)(total * 60000000000u) / 1000000000;
    return true;
}

typedef enum field {
    YEAR,
    MONTH,
    YEAR_DAY,
    MONTH_DAY,
    DATE,
    WEEKDAY,
    HOUR,
    MINUTE,
    SECOND,
    MILLI
} field;

static dray_cel_value get(dray_cel_eval *e, const dray_cel_value *args, uint32_t n, field f) {
    int64_t offset = 0;
    dray_cel_value error;
    if (n > 1 && !zone_offset(e, dray_cel_str(args[1]), args[0].i, &offset, &error))
        return error;
    if (f == MILLI)
        return dray_cel_of_int(args[0].n / 1000000);
    dray_cel_civil c = dray_cel_civil_of(args[0].i + offset);
    const int64_t values[] = {c.year,    c.month - 1, c.year_day, c.day - 1, c.day,
                              c.weekday, c.hour,      c.minute,   c.second};
    return dray_cel_of_int(values[f]);
}

#define GETTER(name, f)            \
    FN(name) {                     \
        return get(e, args, n, f); \
    }
GETTER(full_year, YEAR)
GETTER(month, MONTH)
GETTER(day_of_year, YEAR_DAY)
GETTER(day_of_month, MONTH_DAY)
GETTER(date, DATE)
GETTER(day_of_week, WEEKDAY)
GETTER(hours, HOUR)
GETTER(minutes, MINUTE)
GETTER(seconds, SECOND)
GETTER(millis, MILLI)

/* Totals, through a double as Go's Duration.Hours and its kin. */
static dray_cel_value total(dray_cel_value v, int64_t unit) {
    return dray_cel_of_int((int64_t)((double)(v.i / unit) + (double)(v.i % unit) / (double)unit));
}
FN(total_hours) {
    return total(args[0], 3600000000000);
}
FN(total_minutes) {
    return total(args[0], 60000000000);
}
FN(total_seconds) {
    return total(args[0], 1000000000);
}
FN(total_millis) {
    if (e->program->runtime->spec)
        return dray_cel_of_int(args[0].i % 1000000000 / 1000000);
    return dray_cel_of_int(args[0].i / 1000000);
}

static const dray_cel_impl_row overloads[] = {
    {"timestamp_to_year", full_year},
    {"timestamp_to_year_with_tz", full_year},
    {"timestamp_to_month", month},
    {"timestamp_to_month_with_tz", month},
    {"timestamp_to_day_of_year", day_of_year},
    {"timestamp_to_day_of_year_with_tz", day_of_year},
    {"timestamp_to_day_of_month", day_of_month},
    {"timestamp_to_day_of_month_with_tz", day_of_month},
    {"timestamp_to_day_of_month_1_based", date},
    {"timestamp_to_day_of_month_1_based_with_tz", date},
    {"timestamp_to_day_of_week", day_of_week},
    {"timestamp_to_day_of_week_with_tz", day_of_week},
    {"timestamp_to_hours", hours},
    {"timestamp_to_hours_with_tz", hours},
    {"timestamp_to_minutes", minutes},
    {"timestamp_to_minutes_with_tz", minutes},
    {"timestamp_to_seconds", seconds},
    {"timestamp_to_seconds_tz", seconds},
    {"timestamp_to_seconds_with_tz", seconds},
    {"timestamp_to_milliseconds", millis},
    {"timestamp_to_milliseconds_with_tz", millis},
    {"duration_to_hours", total_hours},
    {"duration_to_minutes", total_minutes},
    {"duration_to_seconds", total_seconds},
    {"duration_to_milliseconds", total_millis},
};

const dray_cel_impl_table dray_cel_impls_time = {NULL, 0, overloads, DRAY_COUNT(overloads)};
