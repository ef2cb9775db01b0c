/* The protobuf wire format: reading items, writing tags, varints and lengths. */
#include "wire/wire.h"

enum {
    VARINT_MAX_BYTES = 10,
    FIELD_SHIFT = 3,
    TYPE_MASK = 7,
};

static const char cut_short[] = "unexpected EOF";
static const char too_wide[] = "proto: integer overflow";
static const char bad_length[] = "proto: negative length found during unmarshaling";
static const char bad_tag[] = "proto: illegal tag or wire type";
static const char bad_group[] = "proto: unexpected end of group";

dray_wire_reader dray_wire_read(dray_str bytes) {
    const char *p = bytes.p != NULL ? bytes.p : "";
    return (dray_wire_reader){p, p + bytes.n, NULL};
}

static bool fail(dray_wire_reader *r, const char *why) {
    r->failed = why;
    r->at = r->end;
    return false;
}

static bool take_varint(dray_wire_reader *r, uint64_t *ret) {
    uint64_t value = 0;
    for (int i = 0; i < VARINT_MAX_BYTES; i++) {
        if (r->at == r->end)
            return fail(r, cut_short);
        unsigned char byte = (unsigned char)*r->at++;
        value |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *ret = value;
            return true;
        }
    }
    return fail(r, too_wide);
}

static bool take_fixed(dray_wire_reader *r, size_t bytes, uint64_t *ret) {
    if ((size_t)(r->end - r->at) < bytes)
        return fail(r, cut_short);
    *ret = 0;
    for (size_t i = 0; i < bytes; i++)
        *ret |= (uint64_t)(unsigned char)r->at[i] << (8 * i);
    r->at += bytes;
    return true;
}

static bool take_bytes(dray_wire_reader *r, dray_str *ret) {
    uint64_t n;
    if (!take_varint(r, &n))
        return false;
    if (n > INT64_MAX)
        return fail(r, bad_length);
    if (n > (uint64_t)(r->end - r->at))
        return fail(r, cut_short);
    *ret = dray_str_n(r->at, (size_t)n);
    r->at += n;
    return true;
}

static bool take_tag(dray_wire_reader *r, dray_wire_item *item) {
    uint64_t tag;
    if (!take_varint(r, &tag))
        return false;
    uint64_t field = tag >> FIELD_SHIFT;
    if (field == 0 || field > INT32_MAX || (tag & TYPE_MASK) > DRAY_WIRE_FIXED32)
        return fail(r, bad_tag);
    *item = (dray_wire_item){.field = (uint32_t)field, .type = (dray_wire_type)(tag & TYPE_MASK)};
    return true;
}

static bool take_value(dray_wire_reader *r, dray_wire_item *item) {
    switch (item->type) {
    case DRAY_WIRE_VARINT:
        return take_varint(r, &item->number);
    case DRAY_WIRE_FIXED64:
        return take_fixed(r, 8, &item->number);
    case DRAY_WIRE_FIXED32:
        return take_fixed(r, 4, &item->number);
    case DRAY_WIRE_BYTES:
        return take_bytes(r, &item->bytes);
    case DRAY_WIRE_GROUP:
    case DRAY_WIRE_GROUP_END:
        return true;
    }
    return fail(r, bad_tag);
}

/* What follows the start of a group up to its end. */
static bool skip_group(dray_wire_reader *r) {
    for (int depth = 1; depth > 0;) {
        dray_wire_item item;
        if (r->at == r->end)
            return fail(r, cut_short);
        if (!take_tag(r, &item) || !take_value(r, &item))
            return false;
        depth += item.type == DRAY_WIRE_GROUP ? 1 : item.type == DRAY_WIRE_GROUP_END ? -1 : 0;
        if (depth > DRAY_WIRE_MAX_GROUPS)
            return fail(r, bad_group);
    }
    return true;
}

bool dray_wire_next(dray_wire_reader *r, dray_wire_item *ret) {
    while (r->at != r->end) {
        dray_wire_item item;
        if (!take_tag(r, &item) || !take_value(r, &item))
            return false;
        if (item.type == DRAY_WIRE_GROUP_END)
            return fail(r, bad_group);
        if (item.type != DRAY_WIRE_GROUP) {
            *ret = item;
            return true;
        }
        if (!skip_group(r))
            return false;
    }
    return false;
}

bool dray_wire_next_varint(dray_wire_reader *r, uint64_t *ret) {
    return r->at != r->end && take_varint(r, ret);
}

static size_t varint_bytes(uint64_t value) {
    size_t n = 1;
    for (; value >= 0x80; value >>= 7)
        n++;
    return n;
}

static size_t write_varint(char *to, uint64_t value) {
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        to[n++] = (char)(value | 0x80);
    to[n++] = (char)value;
    return n;
}

void dray_wire_put_varint(dray_buf *out, uint64_t value) {
    out->n += write_varint(dray_buf_reserve(out, VARINT_MAX_BYTES), value);
}

static void put_tag(dray_buf *out, uint32_t field, dray_wire_type type) {
    dray_wire_put_varint(out, (uint64_t)field << FIELD_SHIFT | (uint64_t)type);
}

void dray_wire_put_number(dray_buf *out, uint32_t field, uint64_t value) {
    put_tag(out, field, DRAY_WIRE_VARINT);
    dray_wire_put_varint(out, value);
}

void dray_wire_put_bytes(dray_buf *out, uint32_t field, dray_str bytes) {
    put_tag(out, field, DRAY_WIRE_BYTES);
    dray_wire_put_varint(out, bytes.n);
    dray_buf_str_add(out, bytes);
}

/* One byte is kept for the length; a longer one moves the content. */
size_t dray_wire_open(dray_buf *out, uint32_t field) {
    put_tag(out, field, DRAY_WIRE_BYTES);
    dray_buf_putc(out, 0);
    return out->n;
}

void dray_wire_close(dray_buf *out, size_t opened) {
    size_t n = out->n - opened, width = varint_bytes(n);
    if (width > 1) {
        dray_buf_reserve(out, width - 1);
        memmove(out->p + opened + width - 1, out->p + opened, n);
        out->n += width - 1;
    }
    write_varint(out->p + opened - 1, n);
}
