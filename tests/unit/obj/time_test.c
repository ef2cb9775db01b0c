/* Points in time: reading as Go does, writing in UTC. */
#include "obj/time.h"

#include "base/vec.h"
#include "tap.h"

#define AS " as \"2006-01-02T15:04:05Z07:00\": cannot parse "

static void reading(dray_arena *arena) {
    static const struct {
        const char *text;
        bool micros;
        const char *want; /* with microseconds, or the error */
    } rows[] = {
        {"2026-01-01T00:00:00Z", false, "2026-01-01T00:00:00.000000Z"},
        {"2026-01-01T02:30:00+02:30", false, "2026-01-01T00:00:00.000000Z"},
        {"2025-12-31T23:00:00-01:00", false, "2026-01-01T00:00:00.000000Z"},
        {"1969-12-31T23:59:59.5Z", false, "1969-12-31T23:59:59.500000Z"},
        {"2024-02-29T12:00:00.123456789Z", false, "2024-02-29T12:00:00.123456Z"},
        {"0000-03-01T00:00:00Z", false, "0000-03-01T00:00:00.000000Z"},
        {"9999-12-31T23:59:59Z", false, "9999-12-31T23:59:59.000000Z"},
        {"2026-01-01T0:00:00,5Z", false, "2026-01-01T00:00:00.500000Z"},
        {"2026-01-01T00:00:00.000001Z", true, "2026-01-01T00:00:00.000001Z"},
        {"2026-01-01T00:00:00Z", true,
         "parsing time \"2026-01-01T00:00:00Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot "
         "parse \"Z\" as \".000000\""},
        {"", false, "parsing time \"\"" AS "\"\" as \"2006\""},
        {"2026-1-01T00:00:00Z", false,
         "parsing time \"2026-1-01T00:00:00Z\"" AS "\"1-01T00:00:00Z\" as \"01\""},
        {"2026-01-01 00:00:00Z", false,
         "parsing time \"2026-01-01 00:00:00Z\"" AS "\" 00:00:00Z\" as \"T\""},
        {"2026-13-01T00:00:00Z", false,
         "parsing time \"2026-13-01T00:00:00Z\": month out of range"},
        {"2025-02-29T00:00:00Z", false, "parsing time \"2025-02-29T00:00:00Z\": day out of range"},
        {"2026-01-01T00:00:60Z", false,
         "parsing time \"2026-01-01T00:00:60Z\": second out of range"},
        {"2026-01-01T00:00:00", false,
         "parsing time \"2026-01-01T00:00:00\"" AS "\"\" as \"Z07:00\""},
        {"2026-01-01T00:00:00Zé", false,
         "parsing time \"2026-01-01T00:00:00Z\\xc3\\xa9\": extra text: \"\\xc3\\xa9\""},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_err err = DRAY_ERR_INIT;
        dray_time t;
        dray_str text = dray_str_of(rows[i].text);
        dray_code code = rows[i].micros ? dray_time_parse_micro(text, &t, &err)
                                        : dray_time_parse(text, &t, &err);
        CHECK_STR(rows[i].text,
                  code == DRAY_OK ? dray_time_format(t, true, arena)
                                  : dray_str_of(dray_err_text(&err)),
                  rows[i].want);
        dray_err_done(&err);
    }
}

static void zero(dray_arena *arena) {
    dray_time t = {.set = true};
    CHECK("Go's zero time is absent",
          dray_time_parse(DRAY_STR("0001-01-01T00:00:00Z"), &t, NULL) == DRAY_OK && !t.set);
    CHECK_STR("absent is written as Go's zero time", dray_time_format(t, false, arena),
              "0001-01-01T00:00:00Z");
    CHECK("absent comes before 1970", dray_time_cmp(t, (dray_time){.set = true}) < 0);
    CHECK("nanoseconds decide",
          dray_time_cmp((dray_time){5, 2, true}, (dray_time){5, 1, true}) > 0);
}

/* Every day of four hundred years comes back as it was. */
static void calendar(dray_arena *arena) {
    bool same = true;
    for (int64_t day = -146097 / 2; day < 146097 / 2 && same; day++) {
        dray_time t = {.sec = day * 86400 + 43201, .set = true}, back;
        dray_arena_mark mark = dray_arena_save(arena);
        same = dray_time_parse(dray_time_format(t, false, arena), &back, NULL) == DRAY_OK &&
               dray_time_cmp(t, back) == 0;
        dray_arena_release(arena, mark);
    }
    CHECK("every day of four hundred years reads back", same);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    reading(arena);
    zero(arena);
    calendar(arena);
    return tap_end();
}
