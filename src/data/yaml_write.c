/* YAML: writing a tree as sigs.k8s.io/yaml does, through libyaml's emitter. */
#include "base/utf8.h"
#include "base/vec.h"
#include "data/members_int.h"
#include "data/yaml.h"
#include "data/yaml_int.h"

#include <stdlib.h>
#include <yaml.h>

enum {
    LINE_WIDTH = 80,
    SCALAR_MAX_BYTES = 1 << 30, /* libyaml counts in ints; what is longer is cut */
};

/* A list or map of which `at` children are written. */
typedef struct level {
    const dray_node *node;
    const dray_member **sorted;
    size_t n, at;
} level;

typedef struct writer {
    yaml_emitter_t emitter;
    dray_arena *arena;
    DRAY_VEC(level) levels;
} writer;

static bool is_digit(int32_t c) {
    return c >= '0' && c <= '9';
}

/* Code points above ASCII that are no letters, by the block. */
static const struct {
    int32_t first, last;
} symbols[] = {
    {0x80, 0xA9},     {0xAB, 0xB4},       {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},
    {0xF7, 0xF7},     {0x2000, 0x2070},   {0x2190, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004},
    {0x3007, 0x3030}, {0xE000, 0xF8FF},   {0xFE00, 0xFE6F}, {0xFEFF, 0xFEFF}, {0xFF00, 0xFF20},
    {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF},
};

static bool is_letter(int32_t c) {
    for (size_t i = 0; c >= 0x80 && i < DRAY_COUNT(symbols); i++)
        if (c >= symbols[i].first && c <= symbols[i].last)
            return false;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

/* A key's code points; go-yaml sorts by them. */
typedef struct points {
    int32_t *v;
    size_t n;
} points;

static points points_of(dray_str key, dray_arena *arena) {
    points p = {DRAY_NEW_N(arena, int32_t, key.n), 0};
    for (size_t at = 0; at < key.n;)
        p.v[p.n++] = dray_utf8_next(key, &at);
    return p;
}

/* The number that begins at p[at], with *ret_end after it. */
static int64_t number_at(points p, size_t at, int64_t value, size_t *ret_end) {
    for (; at < p.n && is_digit(p.v[at]); at++)
        value = (int64_t)((uint64_t)value * 10 + (uint64_t)(p.v[at] - '0'));
    *ret_end = at;
    return value;
}

/* Where a and b first differ, at i: numbers by value, letters after all else. */
static int compare_at(points a, points b, size_t i) {
    bool a_is_letter = is_letter(a.v[i]), b_is_letter = is_letter(b.v[i]);
    int by_point = a.v[i] < b.v[i] ? -1 : 1;
    if (a_is_letter && b_is_letter)
        return by_point;
    if (a_is_letter || b_is_letter)
        return b_is_letter ? -1 : 1;
    /* Zeros within a number are not leading ones. */
    int64_t before = 0;
    if (a.v[i] == '0' || b.v[i] == '0')
        for (size_t j = i; j > 0 && is_digit(a.v[j - 1]) && before == 0; j--)
            before = a.v[j - 1] != '0';
    size_t a_end, b_end;
    int64_t a_number = number_at(a, i, before, &a_end);
    int64_t b_number = number_at(b, i, before, &b_end);
    if (a_number != b_number)
        return a_number < b_number ? -1 : 1;
    return a_end != b_end ? (a_end < b_end ? -1 : 1) : by_point;
}

static int compare_keys(const void *a, const void *b, void *context) {
    dray_arena *arena = context;
    const dray_member *const *left = a, *const *right = b;
    dray_arena_mark mark = dray_arena_save(arena);
    points x = points_of((*left)->key, arena), y = points_of((*right)->key, arena);
    int order = (x.n > y.n) - (x.n < y.n);
    for (size_t i = 0; i < x.n && i < y.n; i++)
        if (x.v[i] != y.v[i]) {
            order = compare_at(x, y, i);
            break;
        }
    dray_arena_release(arena, mark);
    return order;
}

/* 1:30, which YAML 1.1 readers other than go-yaml take for a number:
 * [sign] digit *(digit / "_") 1*(":" [0-5] digit) [ "." *(digit / "_") ] */
static bool is_base60(dray_str s) {
    size_t i = s.n != 0 && (s.p[0] == '+' || s.p[0] == '-');
    if (i >= s.n || !is_digit(s.p[i]))
        return false;
    while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '_'))
        i++;
    bool any = false;
    while (i + 1 < s.n && s.p[i] == ':' && is_digit(s.p[i + 1])) {
        bool two = i + 2 < s.n && s.p[i + 1] <= '5' && is_digit(s.p[i + 2]);
        i += two ? 3 : 2;
        any = true;
    }
    if (any && i < s.n && s.p[i] == '.')
        for (i++; i < s.n && (is_digit(s.p[i]) || s.p[i] == '_'); i++)
            ;
    return any && i == s.n;
}

static void emit(writer *w, yaml_event_t *event) {
    /* Fails only for want of memory, or on bytes that are no UTF-8, which string_text removes. */
    yaml_emitter_emit(&w->emitter, event);
}

static void emit_scalar(writer *w, dray_str text, yaml_scalar_style_t style) {
    yaml_event_t event;
    const char *bytes = text.n != 0 ? text.p : "";
    int n = text.n < SCALAR_MAX_BYTES ? (int)text.n : SCALAR_MAX_BYTES;
    if (yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)bytes, n, 1, 1,
                                     style))
        emit(w, &event);
}

static dray_str string_text(writer *w, dray_str text) {
    if (dray_utf8_invalid(text) == SIZE_MAX)
        return text;
    char *to = dray_arena_bytes(w->arena, dray_size_mul(text.n, 3));
    size_t n = 0;
    for (size_t at = 0; at < text.n;) {
        int32_t code_point = dray_utf8_next(text, &at);
        n += dray_utf8_put(to + n, code_point < 0 ? 0xFFFD : (uint32_t)code_point);
    }
    return dray_str_n(to, n);
}

/* NEL, LS and PS end a line in YAML 1.1; only between double quotes are they kept as they are. */
static bool has_unicode_break(dray_str s) {
    return dray_str_find(s, DRAY_STR("\xC2\x85")) != SIZE_MAX ||
           dray_str_find(s, DRAY_STR("\xE2\x80\xA8")) != SIZE_MAX ||
           dray_str_find(s, DRAY_STR("\xE2\x80\xA9")) != SIZE_MAX;
}

static void emit_string(writer *w, dray_str text) {
    yaml_scalar_style_t style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    text = string_text(w, text);
    if (has_unicode_break(text))
        style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    else if (dray_str_chr(text, '\n') != SIZE_MAX)
        style = YAML_LITERAL_SCALAR_STYLE;
    else if (dray_scalar_resolve(text).kind == DRAY_SCALAR_STRING && !is_base60(text))
        style = YAML_PLAIN_SCALAR_STYLE;
    emit_scalar(w, text, style);
}

/* Whole numbers of 64 bits as they are, all others as Go writes a double. */
static dray_str number_text(writer *w, dray_str text) {
    dray_scalar s = dray_scalar_resolve(text);
    if (s.kind != DRAY_SCALAR_FLOAT)
        return dray_str_is(text, "-0") ? DRAY_STR("0") : text;
    return dray_double_format(s.f, false, DRAY_DOUBLE_G, w->arena);
}

static void open_level(writer *w, const dray_node *node) {
    level l = {.node = node};
    yaml_event_t event;
    bool made;
    if (node->kind == DRAY_NODE_MAP) {
        l.sorted = dray_members_sorted(node, w->arena, &l.n);
        dray_sort(l.sorted, l.n, sizeof *l.sorted, compare_keys, w->arena);
        made = yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE);
    } else {
        l.n = node->list.n;
        made =
            yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE);
    }
    if (made)
        emit(w, &event);
    DRAY_PUSH(w->arena, &w->levels, l);
}

static void close_level(writer *w) {
    level *l = &w->levels.v[--w->levels.n];
    yaml_event_t event;
    if (l->node->kind == DRAY_NODE_MAP ? yaml_mapping_end_event_initialize(&event)
                                       : yaml_sequence_end_event_initialize(&event))
        emit(w, &event);
}

static void write_node(writer *w, const dray_node *node) {
    switch ((dray_node_kind)node->kind) {
    case DRAY_NODE_NULL:
        emit_scalar(w, DRAY_STR("null"), YAML_PLAIN_SCALAR_STYLE);
        break;
    case DRAY_NODE_BOOL:
        emit_scalar(w, node->truth ? DRAY_STR("true") : DRAY_STR("false"), YAML_PLAIN_SCALAR_STYLE);
        break;
    case DRAY_NODE_NUMBER:
        emit_scalar(w, number_text(w, node->text), YAML_PLAIN_SCALAR_STYLE);
        break;
    case DRAY_NODE_STRING:
        emit_string(w, node->text);
        break;
    case DRAY_NODE_LIST:
    case DRAY_NODE_MAP:
        open_level(w, node);
        break;
    }
}

static void write_tree(writer *w, const dray_node *root) {
    write_node(w, root);
    while (w->levels.n != 0) {
        level *l = &w->levels.v[w->levels.n - 1];
        if (l->at == l->n) {
            close_level(w);
            continue;
        }
        size_t i = l->at++;
        if (l->node->kind == DRAY_NODE_MAP)
            emit_string(w, l->sorted[i]->key);
        write_node(w,
                   l->node->kind == DRAY_NODE_MAP ? &l->sorted[i]->value : &l->node->list.items[i]);
    }
}

static int append(void *data, unsigned char *bytes, size_t n) {
    dray_buf_add(data, bytes, n);
    return 1;
}

/* After a text that ends in empty lines libyaml marks the document's end; go-yaml doesn't. */
static void drop_end_mark(dray_buf *out, size_t from) {
    dray_str written = dray_str_slice(dray_buf_str(out), from, out->n);
    if (dray_str_ends(written, DRAY_STR("\n...\n")))
        out->n -= 4;
}

void dray_yaml_write(dray_buf *out, const dray_node *node) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    writer w = {.arena = arena};
    size_t from = out->n;
    yaml_event_t event;
    if (!yaml_emitter_initialize(&w.emitter))
        return;
    yaml_emitter_set_output(&w.emitter, append, out);
    yaml_emitter_set_unicode(&w.emitter, 1);
    yaml_emitter_set_width(&w.emitter, LINE_WIDTH);
    if (yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING))
        emit(&w, &event);
    if (yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1))
        emit(&w, &event);
    write_tree(&w, node);
    if (yaml_document_end_event_initialize(&event, 1))
        emit(&w, &event);
    if (yaml_stream_end_event_initialize(&event))
        emit(&w, &event);
    yaml_emitter_delete(&w.emitter);
    drop_end_mark(out, from);
}
