/* Semantic versions: reading, normalizing, order. */
#include "obj/semver.h"

#include "base/vec.h"
#include "tap.h"

static void reading(dray_arena *arena) {
    static const struct {
        const char *text;
        bool normalize;
        const char *want; /* the canonical text, or the error */
    } rows[] = {
        {"1.2.3", false, "1.2.3"},
        {"1.2.3-rc.1+build.5", false, "1.2.3-rc.1+build.5"},
        {"0.0.0-0", false, "0.0.0-0"},
        {"1.0.0--", false, "1.0.0--"},
        {"18446744073709551615.0.0", false, "18446744073709551615.0.0"},
        {"v1.2.3", true, "1.2.3"},
        {"1.20", true, "1.20.0"},
        {"01.002.0003-rc", true, "1.2.3-rc"},
        {"535.00.86-x", true, "535.0.86-x"},
        {"", false, "Version string empty"},
        {"1.2", false, "No Major.Minor.Patch elements found"},
        {"v1.2.3", false, "Invalid character(s) found in major number \"v1\""},
        {"vv1.2.3", true, "Invalid character(s) found in major number \"0v1\""},
        {"01.2.3", false, "Major number must not contain leading zeroes \"01\""},
        {"1..3", false, "strconv.ParseUint: parsing \"\": invalid syntax"},
        {"1.18446744073709551616.0", false,
         "strconv.ParseUint: parsing \"18446744073709551616\": value out of range"},
        {"1.2.3-", false, "Prerelease is empty"},
        {"1.2.3-01", false, "Numeric PreRelease version must not contain leading zeroes \"01\""},
        {"1.2.3-a_b", false, "Invalid character(s) found in prerelease \"a_b\""},
        {"1.2.3+", false, "Build meta data is empty"},
        {"1.2-rc", true, "short version cannot contain PreRelease/Build meta data"},
        {"1.2.\x01", false, "Invalid character(s) found in patch number \"\\x01\""},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_err err = DRAY_ERR_INIT;
        dray_semver v;
        bool valid = dray_semver_parse(dray_str_of(rows[i].text), rows[i].normalize, arena, &v,
                                       &err) == DRAY_OK;
        CHECK_STR(rows[i].text,
                  valid ? dray_semver_format(v, arena) : dray_str_of(dray_err_text(&err)),
                  rows[i].want);
        dray_err_done(&err);
    }
}

/* Each is less than the next; the chain of semver.org section 11, and more. */
static void order(dray_arena *arena) {
    static const char *const chain[] = {
        "0.0.0-0",
        "0.0.1",
        "1.0.0-1",
        "1.0.0-2",
        "1.0.0-11",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1",
        "1.9.0",
        "1.10.0",
        "18446744073709551615.0.0",
    };
    dray_semver v[DRAY_COUNT(chain)];
    for (size_t i = 0; i < DRAY_COUNT(chain); i++)
        CHECK(chain[i],
              dray_semver_parse(dray_str_of(chain[i]), false, arena, &v[i], NULL) == DRAY_OK);
    for (size_t i = 0; i < DRAY_COUNT(chain); i++)
        for (size_t j = 0; j < DRAY_COUNT(chain); j++) {
            int got = dray_semver_cmp(v[i], v[j]);
            if ((got > 0) - (got < 0) != (i > j) - (i < j))
                tap_check(false, chain[i], chain[j], __LINE__);
        }
    dray_semver a, b;
    dray_semver_parse(DRAY_STR("1.0.0+a"), false, arena, &a, NULL);
    dray_semver_parse(DRAY_STR("1.0.0+b"), false, arena, &b, NULL);
    CHECK("build metadata doesn't count", dray_semver_cmp(a, b) == 0);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    reading(arena);
    order(arena);
    return tap_end();
}
