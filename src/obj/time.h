/* Points in time as Kubernetes writes them: RFC 3339 with seconds (Time) or microseconds
 * (MicroTime).
 *
 *     dray_time t;
 *     if (dray_time_parse(DRAY_STR("2026-01-01T02:00:00+02:00"), &t, err) == DRAY_OK)
 *         dray_time_format(t, false, arena);     "2026-01-01T00:00:00Z"
 *
 * Source: apimachinery's metav1.Time and metav1.MicroTime, which read with Go's time.Parse: it
 * takes an hour of one digit and a comma before the fraction. Plain values; any thread.
 */
#ifndef DRAY_OBJ_TIME_H
#define DRAY_OBJ_TIME_H

#include "base/err.h"
#include "base/str.h"

/* sec counts from 1970-01-01T00:00:00Z; nsec is in [0, 10⁹). set is false for absent, Go's zero
 * time 0001-01-01T00:00:00Z, which JSON shows as null. */
typedef struct dray_time {
    int64_t sec;
    int32_t nsec;
    bool set;
} dray_time;

/* A fraction of any length may follow the seconds. DRAY_E_INVALID with Go's text. */
dray_code dray_time_parse(dray_str text, dray_time *ret, dray_err *err);
/* The same for MicroTime: the fraction has exactly six digits. */
dray_code dray_time_parse_micro(dray_str text, dray_time *ret, dray_err *err);
/* In UTC: "2026-01-01T00:00:00Z"; with micros six digits of fraction. In arena. */
dray_str dray_time_format(dray_time t, bool micros, dray_arena *arena);
/* <0, 0, >0; absent is Go's zero time. */
int dray_time_cmp(dray_time a, dray_time b);

#endif
