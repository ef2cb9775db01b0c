/* Points in time, durations and time zones as CEL has them.
 *
 * A timestamp is seconds since 1970 and nanoseconds, from the year 1 to 9999, and keeps the offset
 * that it was written with. A duration is nanoseconds in an int64. Text forms are those of Go's
 * time package. Zones come from outside: the caller hands in a function. Thread rule: pure.
 */
#ifndef DRAY_CEL_CLOCK_H
#define DRAY_CEL_CLOCK_H

#include "cel/value.h"

#define DRAY_CEL_TIME_MIN (-62135596800) /* 0001-01-01T00:00:00Z */
#define DRAY_CEL_TIME_MAX 253402300799   /* 9999-12-31T23:59:59Z */

typedef struct dray_cel_civil {
    int64_t year;
    int month, day; /* from 1 */
    int hour, minute, second;
    int weekday;  /* 0: Sunday */
    int year_day; /* from 0 */
} dray_cel_civil;

/* Where a named zone stands at a moment: true with seconds east of UTC, false: unknown zone. */
typedef struct dray_cel_zones {
    void *context;
    bool (*offset)(void *context, dray_str name, int64_t sec, int32_t *ret_seconds);
} dray_cel_zones;

dray_cel_civil dray_cel_civil_of(int64_t sec);
/* RFC 3339 as Go's time.Parse takes it; false where it does not. No range check. */
bool dray_cel_read_time(dray_str text, dray_cel_value *ret);
/* "1h30m", "-1.5s", "0" as Go's time.ParseDuration. */
bool dray_cel_read_duration(dray_str text, int64_t *ret);
/* RFC 3339 with the offset and without trailing zeros. */
void dray_cel_print_time(dray_buf *out, dray_cel_value time, bool utc);
/* "5400s", "0.1s": seconds through a double. */
void dray_cel_print_duration(dray_buf *out, int64_t ns);
/* As %v prints them: "2009-02-13 23:31:30 +0000 UTC", "1h30m0s". */
void dray_cel_print_go_time(dray_buf *out, dray_cel_value time);
void dray_cel_print_go_duration(dray_buf *out, int64_t ns);

/* The offset at a moment by a TZif file's bytes (RFC 9636); false: not a TZif file. */
bool dray_cel_zone_offset(dray_str tzif, int64_t sec, int32_t *ret_seconds);

#endif
