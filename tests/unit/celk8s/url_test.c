/* URLs as Go's net/url takes them. */
#include "celk8s/libs_int.h"

#include "base/vec.h"
#include "tap.h"

int main(void) {
    static const struct {
        const char *text, *again, *label;
    } rows[] = {
        {"https://user@example.com:80/a%20b?q=1#f", "https://user@example.com:80/a%20b?q=1#f",
         "all parts"},
        {"HTTP://Example.com/", "http://Example.com/", "the scheme becomes lower case"},
        {"/path", "/path", "an absolute path"},
        {"path", "parse \"path\": invalid URI for request", "a relative one is refused"},
        {"", "parse \"\": empty url", "nothing"},
        {":x", "parse \":x\": missing protocol scheme", "no scheme before the colon"},
        {"http://a b/", "parse \"http://a b/\": invalid character \" \" in host name",
         "a space in the host"},
        {"http://a/%zz", "parse \"http://a/%zz\": invalid URL escape \"%zz\"", "a bad escape"},
        {"http://[::1]:x/", "parse \"http://[::1]:x/\": invalid port \":x\" after host",
         "a port of letters"},
        {"mailto:a@b", "mailto:a@b", "an opaque one"},
    };
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_celk8s_url url;
        dray_str why;
        bool ok = dray_celk8s_url_read(dray_str_of(rows[i].text), arena, &url, &why);
        CHECK_STR(rows[i].label, ok ? dray_celk8s_url_text(&url, arena) : why, rows[i].again);
    }
    return tap_end();
}
