/* The wire format: what is written is read again, and what is cut or wrong fails. */
#include "base/vec.h"
#include "tap.h"
#include "wire/wire.h"

typedef struct bad_row {
    const char *label;
    dray_str bytes;
} bad_row;

static const bad_row bad[] = {
    {"a tag alone is cut short", DRAY_STR_INIT("\x08")},
    {"a varint of eleven bytes is too wide",
     DRAY_STR_INIT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
    {"a length past the end", DRAY_STR_INIT("\x0a\x05"
                                            "ab")},
    {"a length that is negative as int64",
     DRAY_STR_INIT("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
    {"field number 0", DRAY_STR_INIT("\x00\x01")},
    {"wire type 6", DRAY_STR_INIT("\x0e\x01")},
    {"a group that ends without a start", DRAY_STR_INIT("\x0c")},
    {"a group without an end", DRAY_STR_INIT("\x0b\x08\x01")},
    {"four bytes of a fixed64", DRAY_STR_INIT("\x09"
                                              "abcd")},
};

static void check_bad(const bad_row *row) {
    dray_wire_reader r = dray_wire_read(row->bytes);
    dray_wire_item item;
    while (dray_wire_next(&r, &item))
        ;
    CHECK(row->label, r.failed != NULL);
}

static void check_round(void) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    char long_text[300];
    memset(long_text, 'x', sizeof long_text);
    dray_wire_put_number(&out, 1, UINT64_MAX);
    size_t outer = dray_wire_open(&out, 2);
    size_t inner = dray_wire_open(&out, 3);
    dray_wire_put_bytes(&out, 4, dray_str_n(long_text, sizeof long_text));
    dray_wire_close(&out, inner);
    dray_wire_close(&out, outer);
    dray_wire_put_number(&out, 200, 0);

    dray_wire_reader r = dray_wire_read(dray_buf_str(&out));
    dray_wire_item one, nested, deep, last;
    bool read =
        dray_wire_next(&r, &one) && dray_wire_next(&r, &nested) && dray_wire_next(&r, &last);
    CHECK("three items come back", read && r.at == r.end && r.failed == NULL);
    CHECK("the largest number", one.field == 1 && one.number == UINT64_MAX);
    CHECK("a field number of two bytes", last.field == 200 && last.number == 0);
    dray_wire_reader in = dray_wire_read(nested.bytes);
    CHECK("a nested message", dray_wire_next(&in, &deep) && deep.field == 3);
    in = dray_wire_read(deep.bytes);
    CHECK("in a nested message whose length takes two bytes",
          dray_wire_next(&in, &deep) && deep.bytes.n == sizeof long_text);
}

static void check_groups(void) {
    dray_wire_reader r = dray_wire_read(DRAY_STR("\x0b\x13\x08\x01\x14\x0c\x18\x07"));
    dray_wire_item item;
    CHECK("groups are skipped as a whole",
          dray_wire_next(&r, &item) && item.field == 3 && item.number == 7);
    char deep[2 * DRAY_WIRE_MAX_GROUPS];
    memset(deep, 0x0b, sizeof deep);
    r = dray_wire_read(dray_str_n(deep, sizeof deep));
    CHECK("but not without end", !dray_wire_next(&r, &item) && r.failed != NULL);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(bad); i++)
        check_bad(&bad[i]);
    check_round();
    check_groups();
    return tap_end();
}
