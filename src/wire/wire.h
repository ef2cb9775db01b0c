/* The protobuf wire format: tags, varints and lengths. Knows no messages; whoever has the tables
 * (api/proto_*.c) walks over this.
 *
 *     dray_wire_reader r = dray_wire_read(bytes);
 *     dray_wire_item item;
 *     while (dray_wire_next(&r, &item))
 *         if (item.field == 1 && item.type == DRAY_WIRE_BYTES) name = item.bytes;
 *     if (r.failed != NULL) …                           why the bytes are no message
 *
 *     size_t at = dray_wire_open(&out, 2);              a nested message
 *     dray_wire_put_bytes(&out, 1, name);
 *     dray_wire_close(&out, at);
 *
 * Items borrow from the bytes that are read. Groups are skipped, no deeper than
 * DRAY_WIRE_MAX_GROUPS. Plain values; no ownership. Source:
 * protobuf.dev/programming-guides/encoding.
 */
#ifndef DRAY_WIRE_WIRE_H
#define DRAY_WIRE_WIRE_H

#include "base/str.h"

enum { DRAY_WIRE_MAX_GROUPS = 100 };

typedef enum dray_wire_type {
    DRAY_WIRE_VARINT = 0,
    DRAY_WIRE_FIXED64 = 1,
    DRAY_WIRE_BYTES = 2,
    DRAY_WIRE_GROUP = 3, /* never given out: a group is skipped as a whole */
    DRAY_WIRE_GROUP_END = 4,
    DRAY_WIRE_FIXED32 = 5,
} dray_wire_type;

typedef struct dray_wire_reader {
    const char *at, *end;
    const char *failed; /* static text, NULL while all is well */
} dray_wire_reader;

typedef struct dray_wire_item {
    uint32_t field; /* at least 1 */
    dray_wire_type type;
    uint64_t number; /* VARINT, FIXED64, FIXED32 */
    dray_str bytes;  /* BYTES */
} dray_wire_item;

dray_wire_reader dray_wire_read(dray_str bytes);
/* False at the end and on a failure. */
bool dray_wire_next(dray_wire_reader *r, dray_wire_item *ret);
/* A bare varint, as packed lists hold them. False at the end and on a failure. */
bool dray_wire_next_varint(dray_wire_reader *r, uint64_t *ret);

void dray_wire_put_varint(dray_buf *out, uint64_t value);
/* A tag and a number. */
void dray_wire_put_number(dray_buf *out, uint32_t field, uint64_t value);
/* A tag, a length and bytes. */
void dray_wire_put_bytes(dray_buf *out, uint32_t field, dray_str bytes);
/* A nested message: what is written between open and close. Calls may nest. */
size_t dray_wire_open(dray_buf *out, uint32_t field);
void dray_wire_close(dray_buf *out, size_t opened);

#endif
