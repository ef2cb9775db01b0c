/* Text in quotes, as Go's %q writes it. */
#include "base/utf8.h"
#include "base/vec.h"

/* Code points above ASCII that Go's %q writes as an escape: controls, formats, spaces, private use,
 * noncharacters. Unassigned ones are taken for printable. */
static const struct code_range {
    int32_t first, last;
} unprintable[] = {
    {0x80, 0xa0},        {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},      {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x1680, 0x1680},    {0x180e, 0x180e},   {0x2000, 0x200f},   {0x2028, 0x202f},
    {0x205f, 0x206f},    {0x3000, 0x3000},   {0xd800, 0xf8ff},   {0xfdd0, 0xfdef},
    {0xfeff, 0xfeff},    {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd},
    {0x1bca0, 0x1bca3},  {0x1d173, 0x1d17a}, {0x1fffe, 0x1ffff}, {0xe0000, 0xe00ff},
    {0xe01f0, 0x10ffff},
};

static bool is_printable(int32_t c) {
    if (c < 0x80)
        return c >= 0x20 && c < 0x7f;
    for (size_t i = 0; i < DRAY_COUNT(unprintable); i++)
        if (c >= unprintable[i].first && c <= unprintable[i].last)
            return false;
    return true;
}

/* One code point as Go's %q writes it; c < 0: the invalid byte. */
static void quote_one(dray_buf *buf, int32_t c, unsigned char byte) {
    static const char named[] = "\aa\bb\ff\nn\rr\tt\vv\"\"\\\\";
    if (c < 0) {
        dray_buf_addf(buf, "\\x%02x", byte);
        return;
    }
    for (size_t i = 0; i + 1 < sizeof named; i += 2)
        if (named[i] == c) {
            dray_buf_addf(buf, "\\%c", named[i + 1]);
            return;
        }
    if (is_printable(c)) {
        char bytes[4];
        dray_buf_add(buf, bytes, dray_utf8_put(bytes, (uint32_t)c));
    } else if (c < 0x80) {
        dray_buf_addf(buf, "\\x%02x", (unsigned)c);
    } else {
        dray_buf_addf(buf, c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
    }
}

dray_str dray_utf8_quote(dray_str text, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_buf_putc(&buf, '"');
    for (size_t at = 0; at < text.n;) {
        unsigned char byte = (unsigned char)text.p[at];
        quote_one(&buf, dray_utf8_next(text, &at), byte);
    }
    dray_buf_putc(&buf, '"');
    return dray_str_dup(arena, dray_buf_str(&buf));
}
