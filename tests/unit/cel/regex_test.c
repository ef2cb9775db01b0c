/* Plain patterns are found without RE2: with the answers that RE2 gives. */
#include "cel/regex.h"

#include "base/vec.h"
#include "tap.h"

#include <stdlib.h>

int main(void) {
    static const char *const around[][2] = {{"", ""},       {"^", ""},    {"", "$"},
                                            {"^", "$"},     {"^.*", ""},  {"", ".*$"},
                                            {"^.*", ".*$"}, {"^", ".*$"}, {"^.*", "$"}};
    static const char *const texts[] = {"",          "ab",   "xab",    "abx",      "xabx",
                                        "a",         "ab\n", "\nab",   "x\nab",    "ab\nx",
                                        "x\nabx\ny", "abab", "ab\nab", "xab\nabx", "\n"};
    bool same = true;
    for (size_t i = 0; i < DRAY_COUNT(around); i++) {
        char plain[32], grouped[32];
        /* A group keeps the pattern from being plain. */
        snprintf(plain, sizeof plain, "%sab%s", around[i][0], around[i][1]);
        snprintf(grouped, sizeof grouped, "%s(ab)%s", around[i][0], around[i][1]);
        dray_cel_regex *fast, *slow;
        char *why;
        if (!dray_cel_regex_new(plain, strlen(plain), &fast, &why) ||
            !dray_cel_regex_new(grouped, strlen(grouped), &slow, &why))
            return 1;
        for (size_t j = 0; j < DRAY_COUNT(texts); j++) {
            bool is = dray_cel_regex_match(fast, texts[j], strlen(texts[j])) ==
                      dray_cel_regex_match(slow, texts[j], strlen(texts[j]));
            if (!is)
                printf("# pattern %s, text %zu\n", plain, j);
            same = same && is;
        }
        dray_cel_regex_free(fast);
        dray_cel_regex_free(slow);
    }
    CHECK("plain patterns match what RE2 matches", same);
    dray_cel_regex *re;
    char *why = NULL;
    CHECK("\\C is refused, as in Go", !dray_cel_regex_new("\\C", 2, &re, &why));
    free(why);
    CHECK("(?<name>…) is taken, as in Go", dray_cel_regex_new("(?<n>a)", 7, &re, &why));
    dray_cel_regex_free(re);
    return tap_end();
}
