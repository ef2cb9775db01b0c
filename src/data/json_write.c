/* JSON: writing a tree as Go's json.Marshal does. */
#include "base/utf8.h"
#include "base/vec.h"
#include "data/json.h"
#include "data/members_int.h"

/* A list or map of which `at` children are written. */
typedef struct level {
    const dray_node *node;
    const dray_member **sorted; /* a map's members */
    size_t n, at;
} level;

/* Bytes that are written as they are. */
static bool is_plain(unsigned char c, bool html) {
    if (html && (c == '<' || c == '>' || c == '&'))
        return false;
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

static void write_ascii(dray_buf *out, unsigned char c) {
    static const char letters[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                   ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
    if (c < sizeof letters && letters[c] != '\0')
        dray_buf_addf(out, "\\%c", letters[c]);
    else
        dray_buf_addf(out, "\\u%04x", c);
}

void dray_json_write_string(dray_buf *out, dray_str text, bool html) {
    dray_buf_putc(out, '"');
    for (size_t at = 0; at < text.n;) {
        size_t from = at;
        while (at < text.n && is_plain((unsigned char)text.p[at], html))
            at++;
        dray_buf_add(out, text.p + from, at - from);
        if (at == text.n)
            break;
        from = at;
        if ((unsigned char)text.p[at] < 0x80) {
            write_ascii(out, (unsigned char)text.p[at++]);
            continue;
        }
        int32_t code_point = dray_utf8_next(text, &at);
        /* U+2028 and U+2029 end a line in JavaScript: Go escapes them always. */
        if (code_point < 0)
            dray_buf_puts(out, "\\ufffd");
        else if (code_point == 0x2028 || code_point == 0x2029)
            dray_buf_addf(out, "\\u%04x", (unsigned)code_point);
        else
            dray_buf_add(out, text.p + from, at - from);
    }
    dray_buf_putc(out, '"');
}

static void write_scalar(dray_buf *out, const dray_node *node, bool html) {
    switch ((dray_node_kind)node->kind) {
    case DRAY_NODE_BOOL:
        dray_buf_puts(out, node->truth ? "true" : "false");
        break;
    case DRAY_NODE_NUMBER:
        dray_buf_str_add(out, node->text);
        break;
    case DRAY_NODE_STRING:
        dray_json_write_string(out, node->text, html);
        break;
    case DRAY_NODE_NULL:
    case DRAY_NODE_LIST:
    case DRAY_NODE_MAP:
        dray_buf_puts(out, "null");
        break;
    }
}

static level open_level(dray_buf *out, const dray_node *node, dray_arena *arena) {
    level l = {.node = node};
    dray_buf_putc(out, node->kind == DRAY_NODE_MAP ? '{' : '[');
    if (node->kind == DRAY_NODE_MAP)
        l.sorted = dray_members_sorted(node, arena, &l.n);
    else
        l.n = node->list.n;
    return l;
}

/* What stands before the next child, and the child. */
static const dray_node *next_child(dray_buf *out, level *l, bool html) {
    if (l->at != 0)
        dray_buf_putc(out, ',');
    size_t i = l->at++;
    if (l->node->kind == DRAY_NODE_LIST)
        return &l->node->list.items[i];
    dray_json_write_string(out, l->sorted[i]->key, html);
    dray_buf_putc(out, ':');
    return &l->sorted[i]->value;
}

void dray_json_write(dray_buf *out, const dray_node *node, bool html) {
    if (node->kind != DRAY_NODE_MAP && node->kind != DRAY_NODE_LIST) {
        write_scalar(out, node, html);
        return;
    }
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    DRAY_VEC(level) levels = {0};
    DRAY_PUSH(arena, &levels, open_level(out, node, arena));
    while (levels.n != 0) {
        level *l = &levels.v[levels.n - 1];
        if (l->at == l->n) {
            dray_buf_putc(out, l->node->kind == DRAY_NODE_MAP ? '}' : ']');
            levels.n--;
            continue;
        }
        const dray_node *child = next_child(out, l, html);
        if (child->kind == DRAY_NODE_MAP || child->kind == DRAY_NODE_LIST)
            DRAY_PUSH(arena, &levels, open_level(out, child, arena));
        else
            write_scalar(out, child, html);
    }
}
