/* Numbers and times as Go reads and writes them. */
#include "cel/number.h"

#include "base/vec.h"
#include "cel/clock.h"
#include "tap.h"

#include <math.h>

static void doubles(void) {
    static const struct {
        double d;
        char style;
        int precision;
        const char *text, *label;
    } rows[] = {
        {100000, 'g', -1, "100000", "six digits are written out"},
        {1000000, 'g', -1, "1e+06", "seven get an exponent of two digits"},
        {1234567, 'g', -1, "1.234567e+06", "even where all digits count"},
        {0.0001, 'g', -1, "0.0001", "four places after the point are written out"},
        {0.00001, 'g', -1, "1e-05", "five get an exponent"},
        {0.1, 'f', -1, "0.1", "the shortest text that gives the double back"},
        {5e-324, 'g', -1, "5e-324", "the smallest double"},
        {-0.0, 'g', -1, "-0", "the sign of zero stays"},
        {1.5, 'f', 3, "1.500", "a precision fills up"},
        {INFINITY, 'g', -1, "+Inf", "infinity has its sign"},
        {NAN, 'g', -1, "NaN", "no number"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
        dray_cel_print_double(&out, rows[i].d, rows[i].style, rows[i].precision);
        CHECK_STR(rows[i].label, dray_buf_str(&out), rows[i].text);
    }
}

static void reading(void) {
    static const struct {
        const char *text;
        bool ok;
        const char *label;
    } rows[] = {
        {"1e999", false, "past the largest double is no double"},
        {"0x1p-2", true, "hexadecimal with an exponent"},
        {"0x1", false, "hexadecimal without one"},
        {"Infinity", true, "infinity in any case of letters"},
        {"1_0", true, "an underscore between digits"},
        {"1__0", false, "but not two"},
        {" 1", false, "no space"},
        {"", false, "nothing is no number"},
        {"nan(1)", false, "C's nan with a payload"},
    };
    double d;
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        CHECK(rows[i].label, dray_cel_read_double(dray_str_of(rows[i].text), &d) == rows[i].ok);
    int64_t v;
    CHECK("the least int", dray_cel_read_int(DRAY_STR("-9223372036854775808"), &v));
    CHECK("one less is none", !dray_cel_read_int(DRAY_STR("-9223372036854775809"), &v));
}

static void durations(void) {
    static const struct {
        const char *text;
        bool ok;
        int64_t ns;
        const char *label;
    } rows[] = {
        {"1h30m", true, 5400000000000, "hours and minutes"},
        {"-1.5s", true, -1500000000, "a fraction and a sign"},
        {".5ms", true, 500000, "no digit before the point"},
        {"0", true, 0, "zero needs no unit"},
        {"1", false, 0, "anything else does"},
        {"1d", false, 0, "there are no days"},
        {"9223372036s854775807ns", true, INT64_MAX, "the longest"},
        {"9223372036s854775808ns", false, 0, "a nanosecond more"},
        {"-9223372036s854775808ns", true, INT64_MIN, "which is there with a minus"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        int64_t ns = 0;
        bool ok = dray_cel_read_duration(dray_str_of(rows[i].text), &ns);
        CHECK(rows[i].label, ok == rows[i].ok && (!ok || ns == rows[i].ns));
    }
}

static void times(void) {
    static const struct {
        const char *text, *again, *label;
    } rows[] = {
        {"2009-02-13T23:31:30Z", "2009-02-13T23:31:30Z", "a moment in UTC"},
        {"2009-02-13T23:31:30.500+05:30", "2009-02-13T23:31:30.5+05:30", "the offset is kept"},
        {"2009-02-13T3:31:30Z", "2009-02-13T03:31:30Z", "Go takes an hour of one digit"},
        {"2009-02-29T00:00:00Z", NULL, "no leap day in 2009"},
        {"2009-02-13T24:00:00Z", NULL, "no hour 24"},
        {"2009-02-13 23:31:30Z", NULL, "no space for the T"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
        dray_cel_value time;
        bool ok = dray_cel_read_time(dray_str_of(rows[i].text), &time);
        if (ok && rows[i].again != NULL)
            dray_cel_print_time(&out, time, false);
        CHECK_STR(rows[i].label, ok ? dray_buf_str(&out) : DRAY_STR(""),
                  rows[i].again != NULL ? rows[i].again : "");
    }
    CHECK_INT("the first of March 2000 is day 60", dray_cel_civil_of(951868800).year_day, 60);
    CHECK_INT("the year 1 begins on a Monday", dray_cel_civil_of(DRAY_CEL_TIME_MIN).weekday, 1);
}

int main(void) {
    doubles();
    reading();
    durations();
    times();
    return tap_end();
}
