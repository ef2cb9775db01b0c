/* Points in time as Kubernetes writes them: RFC 3339, seconds (Time) or microseconds (MicroTime).
 * sec counts from 1970-01-01T00:00:00Z; nsec is in [0, 1e9). set is false for absent (Go's zero
 * time), which JSON shows as null. Source: apimachinery's metav1.Time. */
#ifndef DRAY_OBJ_TIME_H
#define DRAY_OBJ_TIME_H

#include "base/err.h"
#include "base/str.h"

typedef struct dray_time {
    int64_t sec;
    int32_t nsec;
    bool set;
} dray_time;

/* RFC 3339 as Go's time.Parse(time.RFC3339) takes it; DRAY_E_INVALID with Go's text. */
dray_code dray_time_parse(dray_str text, dray_time *ret, dray_err *err);
/* "2026-01-01T00:00:00Z"; with micros six digits of fraction. */
dray_str dray_time_format(dray_time t, bool micros, dray_arena *arena);
int dray_time_cmp(dray_time a, dray_time b);

#endif
