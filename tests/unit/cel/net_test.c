/* Addresses as net/netip takes them, zones out of TZif files. */
#include "base/ip.h"

#include "base/vec.h"
#include "cel/clock.h"
#include "tap.h"

static void addresses(dray_arena *arena) {
    static const struct {
        const char *text, *again, *label;
    } rows[] = {
        {"1.2.3.4", "1.2.3.4", "IPv4"},
        {"1.2.3.04", "ParseAddr(\"1.2.3.04\"): IPv4 field has octet with leading zero",
         "no leading zeros"},
        {"2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1", "the first of two equal runs is shortened"},
        {"::", "::", "nothing but zeros"},
        {"1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7", "a single zero is not shortened"},
        {"::1.2.3.4", "::102:304", "IPv4 at the end"},
        {"1::2::3", "ParseAddr(\"1::2::3\"): multiple :: in address (at \":3\")", "one gap only"},
        {"", "ParseAddr(\"\"): unable to parse IP", "nothing"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_ip addr;
        dray_str why = DRAY_STR_NONE;
        DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
        if (dray_ip_read(dray_str_of(rows[i].text), arena, &addr, &why))
            dray_ip_print(&out, &addr);
        CHECK_STR(rows[i].label, why.p != NULL ? why : dray_buf_str(&out), rows[i].again);
    }
    dray_ip_prefix prefix;
    dray_str why;
    CHECK("host bits may be set",
          dray_ip_prefix_read(DRAY_STR("10.1.2.3/8"), arena, &prefix, &why));
    CHECK("bits that are no number are refused, however many bytes they have",
          !dray_ip_prefix_read(DRAY_STR("10.1.2.3/!!!!!!!!!!!!!!!!"), arena, &prefix, &why));
    CHECK("33 bits are too many",
          !dray_ip_prefix_read(DRAY_STR("10.1.2.3/33"), arena, &prefix, &why));
    CHECK_STR("and told so", why, "netip.ParsePrefix(\"10.1.2.3/33\"): prefix length out of range");
}

/* A file of version 2 without transitions, whose rule is that of central Europe. */
static void zones(void) {
    static const char header[44] =
        "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\0\0\0\0\1\0\0\0\1";
    DRAY_CLEANUP_BUF dray_buf file = DRAY_BUF_INIT;
    for (int i = 0; i < 2; i++) {
        dray_buf_add(&file, header, sizeof header);
        dray_buf_add(&file, "\0\0\x0e\x10\0\0\0", 7); /* +3600, no summer time, name 0, "" */
    }
    dray_buf_puts(&file, "\nCET-1CEST,M3.5.0,M10.5.0/3\n");
    static const struct {
        int64_t sec;
        int32_t offset;
        const char *label;
    } rows[] = {
        {1577836800, 3600, "winter"},
        {1593561600, 7200, "summer"},
        {1585443599, 3600, "a second before the clocks go forward"},
        {1585443600, 7200, "and when they do"},
        {1603587599, 7200, "a second before they go back"},
        {1603587600, 3600, "and when they do, too"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        int32_t offset = 0;
        CHECK(rows[i].label, dray_cel_zone_offset(dray_buf_str(&file), rows[i].sec, &offset) &&
                                 offset == rows[i].offset);
    }
    int32_t offset;
    bool ok = true;
    for (size_t n = 0; n < file.n - 30; n++) /* cut anywhere in its binary part */
        ok = ok && !dray_cel_zone_offset((dray_str){file.p, n}, 0, &offset);
    CHECK("a file cut short is none", ok);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    addresses(arena);
    zones();
    return tap_end();
}
