/* A test program prints TAP: one line a check, a plan at the end.
 *
 *     int main(void) {
 *         CHECK("an empty string is no quantity", parse("") == DRAY_E_INVALID);
 *         CHECK_STR("1024Mi is 1Gi", format("1024Mi"), "1Gi");
 *         return tap_end();
 *     }
 *
 * A label is a sentence about behaviour.
 */
#ifndef DRAY_TESTS_TAP_H
#define DRAY_TESTS_TAP_H

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>

static int tap_run, tap_failed;

__attribute__((unused)) static bool tap_check(bool ok, const char *label, const char *file,
                                              int line) {
    printf("%sok %d - %s\n", ok ? "" : "not ", ++tap_run, label);
    if (!ok) {
        tap_failed++;
        printf("# at %s:%d\n", file, line);
    }
    return ok;
}

__attribute__((unused)) static void tap_check_str(dray_str got, dray_str want, const char *label,
                                                  const char *file, int line) {
    if (!tap_check(dray_str_eq(got, want), label, file, line))
        printf("#  got: " DRAY_FMT "\n# want: " DRAY_FMT "\n", DRAY_ARG(got), DRAY_ARG(want));
}

__attribute__((unused)) static void tap_check_int(int64_t got, int64_t want, const char *label,
                                                  const char *file, int line) {
    if (!tap_check(got == want, label, file, line))
        printf("#  got: %" PRId64 "\n# want: %" PRId64 "\n", got, want);
}

__attribute__((unused)) static int tap_end(void) {
    printf("1..%d\n", tap_run);
    return tap_failed != 0;
}

#define CHECK(label, condition) tap_check((condition), (label), __FILE__, __LINE__)
#define CHECK_STR(label, got, want) \
    tap_check_str((got), dray_str_of(want), (label), __FILE__, __LINE__)
#define CHECK_INT(label, got, want) tap_check_int((got), (want), (label), __FILE__, __LINE__)

#endif
