/* Base64 as Go reads and writes it: results, and the offset of what is corrupt. */
#include "base/base64.h"
#include "base/vec.h"
#include "tap.h"

typedef struct row {
    const char *label, *text, *bytes; /* bytes NULL: corrupt at `bad` */
    int64_t bad;
} row;

static const row rows[] = {
    {"nothing", "", "", 0},
    {"one byte", "YQ==", "a", 0},
    {"two bytes", "YWI=", "ab", 0},
    {"three bytes", "YWJj", "abc", 0},
    {"line ends are skipped", "YW\r\nJj\n", "abc", 0},
    {"missing padding", "YWI", NULL, 0},
    {"half the padding", "YQ=", NULL, 3},
    {"padding first", "=", NULL, 0},
    {"a letter of the other alphabet", "YW-j", NULL, 2},
    {"a blank in the padding", "YQ= =", NULL, 2},
    {"something behind the padding", "YQ==YQ==", NULL, 4},
};

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        char to[64];
        size_t n = 0, bad = dray_base64_read(dray_str_of(rows[i].text), to, &n);
        if (rows[i].bytes != NULL)
            CHECK_STR(rows[i].label, bad == SIZE_MAX ? dray_str_n(to, n) : DRAY_STR("corrupt"),
                      rows[i].bytes);
        else
            CHECK_INT(rows[i].label, bad == SIZE_MAX ? -1 : (int64_t)bad, rows[i].bad);
    }
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_base64_write(&out, DRAY_STR("\xff\xee\xdd\xcc"));
    CHECK_STR("written with padding", dray_buf_str(&out), "/+7dzA==");
    return tap_end();
}
