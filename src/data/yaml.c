/* YAML: from libyaml's events to a tree. */
#include "data/yaml.h"

#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "data/json.h"
#include "data/yaml_int.h"

#include <inttypes.h>
#include <yaml.h>

#define TAG_PREFIX "tag:yaml.org,2002:"

/* A node that may be repeated by its name. */
typedef struct anchor {
    dray_node node;
    uint64_t weight; /* nodes in it, those of aliases in it too */
    bool complete;
} anchor;

/* A list or map that is still open; see the JSON reader. */
typedef struct frame {
    size_t slot;
    anchor *anchor;
    uint64_t visited_before;
    bool is_map;
    bool has_key; /* a map's key has come, its value not */
    bool merges;  /* and that key is << */
} frame;

typedef struct reader {
    dray_str text;
    uint32_t first_line;
    dray_arena *arena;
    dray_err *err;
    yaml_parser_t parser;
    DRAY_VEC(dray_member) values;
    DRAY_VEC(frame) frames;
    dray_map anchors;
    uint64_t visited;  /* nodes so far, as go-yaml counts them: aliases expanded */
    uint64_t repeated; /* those that came by an alias */
    bool done;
    bool empty; /* nothing but an implicit null */
} reader;

static dray_code fail(reader *r, dray_code code, yaml_mark_t mark, const char *why) {
    return dray_err_set_at(r->err, code, (uint32_t)mark.line + r->first_line,
                           (uint32_t)mark.column + 1, "%s", why);
}

static dray_code invalid(reader *r, yaml_mark_t mark, const char *why) {
    return fail(r, DRAY_E_INVALID, mark, why);
}

static frame *top(reader *r) {
    return r->frames.n != 0 ? &r->frames.v[r->frames.n - 1] : NULL;
}

/* How large a share of the nodes may come from aliases: all but everything of a small document, a
 * tenth of a large one. Source: go-yaml's guard against alias bombs. */
static double allowed_share(uint64_t visited) {
    const double low = 400000, high = 4000000;
    double at = (double)visited;
    if (at <= low)
        return 0.99;
    return at >= high ? 0.10 : 0.99 - 0.89 * ((at - low) / (high - low));
}

static dray_code visit(reader *r, uint64_t nodes, uint64_t repeated, yaml_mark_t mark) {
    if (__builtin_add_overflow(r->visited, nodes, &r->visited))
        r->visited = UINT64_MAX;
    if (__builtin_add_overflow(r->repeated, repeated, &r->repeated))
        r->repeated = UINT64_MAX;
    if (r->repeated > 100 && r->visited > 1000 &&
        (double)r->repeated / (double)r->visited > allowed_share(r->visited))
        return fail(r, DRAY_E_LIMIT, mark, "document contains excessive aliasing");
    if (dray_arena_spent(r->arena))
        return fail(r, DRAY_E_LIMIT, mark, "the document needs more memory than is allowed");
    return DRAY_OK;
}

static dray_code merge_value(reader *r, yaml_mark_t mark);

/* A value is complete and stands last among the values. */
static dray_code end_value(reader *r, yaml_mark_t mark) {
    frame *f = top(r);
    if (f == NULL || !f->is_map)
        return DRAY_OK;
    f->has_key = false;
    if (r->values.n - f->slot - 1 > DRAY_MAP_MAX_MEMBERS)
        return fail(r, DRAY_E_LIMIT, mark, "a map has more than 1000000 members");
    return f->merges ? merge_value(r, mark) : DRAY_OK;
}

static dray_code push_members(reader *r, const dray_node *map, yaml_mark_t mark) {
    if (map->kind != DRAY_NODE_MAP)
        return invalid(r, mark, "map merge requires map or sequence of maps as the value");
    for (size_t i = 0; i < map->map.n; i++)
        DRAY_PUSH(r->arena, &r->values, map->map.members[i]);
    return DRAY_OK;
}

/* Puts the members of what << names in its place. Of several maps the first one wins, so it comes
 * last. */
static dray_code merge_value(reader *r, yaml_mark_t mark) {
    top(r)->merges = false;
    dray_node value = r->values.v[--r->values.n].value;
    dray_code code = DRAY_OK;
    if (value.kind != DRAY_NODE_LIST)
        code = push_members(r, &value, mark);
    else
        for (size_t i = value.list.n; i > 0 && code == DRAY_OK; i--)
            code = push_members(r, &value.list.items[i - 1], mark);
    return code != DRAY_OK ? code : end_value(r, mark);
}

static anchor *new_anchor(reader *r, const yaml_char_t *name) {
    if (name == NULL)
        return NULL;
    anchor *a = DRAY_NEW(r->arena, anchor);
    dray_map_put(&r->anchors, dray_str_dup(r->arena, dray_str_of((const char *)name)), a);
    return a;
}

static void complete_anchor(anchor *a, const dray_node *node, uint64_t weight) {
    if (a != NULL)
        *a = (anchor){.node = *node, .weight = weight, .complete = true};
}

/* Where the next value goes: after its key in a map, else a new place. */
static dray_node *value_slot(reader *r, yaml_mark_t mark) {
    frame *f = top(r);
    if (f == NULL || !f->is_map)
        DRAY_PUSH(r->arena, &r->values, (dray_member){0});
    dray_node *node = &r->values.v[r->values.n - 1].value;
    node->line = (uint32_t)mark.line + r->first_line;
    node->column = (uint32_t)mark.column + 1;
    return node;
}

static bool awaits_key(reader *r) {
    frame *f = top(r);
    return f != NULL && f->is_map && !f->has_key;
}

static void push_key(reader *r, dray_str key, yaml_mark_t mark, bool merges) {
    dray_member member = {.key = key,
                          .line = (uint32_t)mark.line + r->first_line,
                          .column = (uint32_t)mark.column + 1};
    DRAY_PUSH(r->arena, &r->values, member);
    top(r)->has_key = true;
    top(r)->merges = merges;
}

static dray_str number_text(reader *r, const dray_scalar *s, bool as_key) {
    if (s->kind == DRAY_SCALAR_INT)
        return dray_strf(r->arena, "%" PRId64, s->i);
    if (s->kind == DRAY_SCALAR_UINT)
        return dray_strf(r->arena, "%" PRIu64, s->u);
    double f = as_key ? (float)s->f : s->f;
    if (!__builtin_isfinite(f))
        return __builtin_isnan(f) ? DRAY_STR(".nan") : f > 0 ? DRAY_STR(".inf") : DRAY_STR("-.inf");
    return dray_double_format(f, as_key, as_key ? DRAY_DOUBLE_G : DRAY_DOUBLE_JSON, r->arena);
}

static dray_code scalar_key(reader *r, const dray_scalar *s, dray_str text, yaml_mark_t mark,
                            dray_str *ret) {
    switch (s->kind) {
    case DRAY_SCALAR_STRING:
    case DRAY_SCALAR_TIMESTAMP:
        *ret = text;
        return DRAY_OK;
    case DRAY_SCALAR_BOOL:
        *ret = s->truth ? DRAY_STR("true") : DRAY_STR("false");
        return DRAY_OK;
    case DRAY_SCALAR_INT:
    case DRAY_SCALAR_FLOAT:
        *ret = number_text(r, s, true);
        return DRAY_OK;
    case DRAY_SCALAR_NULL:
        return invalid(r, mark, "a map key can't be null: quote it");
    case DRAY_SCALAR_UINT:
        break;
    }
    return invalid(r, mark, "a number this large can't be a map key: quote it");
}

static dray_code scalar_node(reader *r, const dray_scalar *s, dray_str text, yaml_mark_t mark,
                             dray_node *ret) {
    static const uint8_t kinds[] = {
        [DRAY_SCALAR_STRING] = DRAY_NODE_STRING,    [DRAY_SCALAR_NULL] = DRAY_NODE_NULL,
        [DRAY_SCALAR_BOOL] = DRAY_NODE_BOOL,        [DRAY_SCALAR_INT] = DRAY_NODE_NUMBER,
        [DRAY_SCALAR_UINT] = DRAY_NODE_NUMBER,      [DRAY_SCALAR_FLOAT] = DRAY_NODE_NUMBER,
        [DRAY_SCALAR_TIMESTAMP] = DRAY_NODE_STRING,
    };
    ret->kind = kinds[s->kind];
    if (ret->kind == DRAY_NODE_STRING)
        ret->text = text;
    else if (ret->kind == DRAY_NODE_BOOL)
        ret->truth = s->truth;
    else if (ret->kind == DRAY_NODE_NUMBER)
        ret->text = number_text(r, s, false);
    if (s->kind == DRAY_SCALAR_FLOAT && !__builtin_isfinite(s->f))
        return invalid(r, mark, "infinity and NaN can't be stored: JSON has neither");
    return DRAY_OK;
}

static int base64_value(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* base64 = *4digit, the last group padded with "="; line ends don't count. */
static bool decode_base64(dray_str text, char *to, size_t *ret_n) {
    uint32_t bits = 0;
    size_t digits = 0, pads = 0, n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\n' || c == '\r')
            continue;
        int value = c == '=' ? 0 : base64_value(c);
        if (value < 0 || (pads != 0 && c != '='))
            return false;
        pads += c == '=';
        bits = bits << 6 | (uint32_t)value;
        if (++digits % 4 == 0)
            for (int shift = 16; shift >= 0; shift -= 8)
                to[n++] = (char)(bits >> shift & 0xFF);
    }
    *ret_n = n - pads;
    return digits % 4 == 0 && pads <= 2;
}

/* !!binary: the bytes, as JSON can hold them. */
static dray_code read_binary(reader *r, dray_str text, yaml_mark_t mark, dray_str *ret) {
    char *bytes = dray_arena_bytes(r->arena, text.n + 3);
    size_t n;
    if (!decode_base64(text, bytes, &n))
        return invalid(r, mark, "!!binary value contains invalid base64 data");
    char *to = dray_arena_bytes(r->arena, dray_size_mul(n, 3));
    size_t out = 0;
    for (size_t at = 0; at < n;) {
        int32_t code_point = dray_utf8_next(dray_str_n(bytes, n), &at);
        out += dray_utf8_put(to + out, code_point < 0 ? 0xFFFD : (uint32_t)code_point);
    }
    *ret = dray_str_n(to, out);
    return DRAY_OK;
}

/* The kinds that a tag lets through. */
static const struct {
    const char *tag;
    unsigned kinds;
} tags[] = {
    {"bool", 1u << DRAY_SCALAR_BOOL},
    {"int", 1u << DRAY_SCALAR_INT | 1u << DRAY_SCALAR_UINT},
    {"float", 1u << DRAY_SCALAR_FLOAT | 1u << DRAY_SCALAR_INT},
    {"null", 1u << DRAY_SCALAR_NULL},
    {"timestamp", 1u << DRAY_SCALAR_TIMESTAMP},
};

/* What tag makes of text. Tags that mean nothing here, and !!str, make it a string. */
static dray_code apply_tag(reader *r, const char *tag, dray_str *text, yaml_mark_t mark,
                           dray_scalar *ret) {
    *ret = (dray_scalar){DRAY_SCALAR_STRING, {.i = 0}};
    size_t prefix = sizeof TAG_PREFIX - 1;
    if (strncmp(tag, TAG_PREFIX, prefix) != 0)
        return DRAY_OK;
    tag += prefix;
    if (strcmp(tag, "binary") == 0)
        return read_binary(r, *text, mark, text);
    for (size_t i = 0; i < DRAY_COUNT(tags); i++) {
        if (strcmp(tag, tags[i].tag) != 0)
            continue;
        *ret = dray_scalar_resolve(*text);
        if ((tags[i].kinds >> ret->kind & 1) == 0)
            return dray_err_set_at(r->err, DRAY_E_INVALID, (uint32_t)mark.line + r->first_line,
                                   (uint32_t)mark.column + 1,
                                   "cannot decode `" DRAY_FMT "` as a !!%s", DRAY_ARG(*text), tag);
        if (strcmp(tag, "float") == 0 && ret->kind == DRAY_SCALAR_INT)
            *ret = (dray_scalar){DRAY_SCALAR_FLOAT, {.f = (double)ret->i}};
    }
    return DRAY_OK;
}

static bool is_merge(const yaml_event_t *e, dray_str text) {
    const char *tag = (const char *)e->data.scalar.tag;
    return dray_str_is(text, "<<") &&
           (e->data.scalar.plain_implicit || (tag != NULL && strcmp(tag, TAG_PREFIX "merge") == 0));
}

static dray_code read_scalar(reader *r, const yaml_event_t *e) {
    yaml_mark_t mark = e->start_mark;
    const char *tag = (const char *)e->data.scalar.tag;
    dray_str text = dray_str_dup(
        r->arena, dray_str_n((const char *)e->data.scalar.value, e->data.scalar.length));
    if (awaits_key(r) && is_merge(e, text)) {
        push_key(r, text, mark, true);
        return DRAY_OK;
    }
    dray_scalar scalar = {DRAY_SCALAR_STRING, {.i = 0}};
    dray_code code = visit(r, 1, 0, mark);
    if (code == DRAY_OK && tag != NULL)
        code = apply_tag(r, tag, &text, mark, &scalar);
    else if (e->data.scalar.plain_implicit)
        scalar = dray_scalar_resolve(text);
    dray_node node = {0};
    if (code == DRAY_OK && (!awaits_key(r) || e->data.scalar.anchor != NULL))
        code = scalar_node(r, &scalar, text, mark, &node);
    if (code != DRAY_OK)
        return code;
    complete_anchor(new_anchor(r, e->data.scalar.anchor), &node, 1);
    if (awaits_key(r)) {
        dray_str key = DRAY_STR_NONE;
        code = scalar_key(r, &scalar, text, mark, &key);
        if (code == DRAY_OK)
            push_key(r, key, mark, false);
        return code;
    }
    r->empty = r->frames.n == 0 && text.n == 0 && scalar.kind == DRAY_SCALAR_NULL;
    dray_node *slot = value_slot(r, mark);
    node.line = slot->line;
    node.column = slot->column;
    *slot = node;
    return end_value(r, mark);
}

static dray_code read_alias(reader *r, const yaml_event_t *e) {
    yaml_mark_t mark = e->start_mark;
    const char *name = (const char *)e->data.alias.anchor;
    const anchor *a = dray_map_find(&r->anchors, dray_str_of(name));
    if (a == NULL || !a->complete)
        return dray_err_set_at(
            r->err, DRAY_E_INVALID, (uint32_t)mark.line + r->first_line, (uint32_t)mark.column + 1,
            a == NULL ? "unknown anchor '%s' referenced" : "anchor '%s' value contains itself",
            name);
    uint64_t weight = a->weight;
    dray_code code = visit(r, weight < UINT64_MAX ? weight + 1 : weight, weight, mark);
    if (code != DRAY_OK)
        return code;
    if (!awaits_key(r)) {
        dray_node *slot = value_slot(r, mark), place = *slot;
        *slot = a->node;
        slot->line = place.line;
        slot->column = place.column;
        return end_value(r, mark);
    }
    const dray_node *node = &a->node;
    if (node->kind == DRAY_NODE_LIST || node->kind == DRAY_NODE_MAP || node->kind == DRAY_NODE_NULL)
        return invalid(r, mark, "a map key must be a string, a number or a bool");
    dray_str truth = node->truth ? DRAY_STR("true") : DRAY_STR("false");
    push_key(r, node->kind == DRAY_NODE_BOOL ? truth : node->text, mark, false);
    return DRAY_OK;
}

static dray_code open_container(reader *r, bool is_map, const yaml_char_t *name, yaml_mark_t mark) {
    if (awaits_key(r))
        return invalid(r, mark, "a map key must be a string, a number or a bool");
    if (r->frames.n == DRAY_YAML_MAX_DEPTH)
        return fail(r, DRAY_E_LIMIT, mark, "exceeded max depth of 1000");
    frame f = {.is_map = is_map, .visited_before = r->visited};
    dray_code code = visit(r, 1, 0, mark);
    if (code != DRAY_OK)
        return code;
    f.anchor = new_anchor(r, name);
    value_slot(r, mark)->kind = is_map ? DRAY_NODE_MAP : DRAY_NODE_LIST;
    f.slot = r->values.n - 1;
    DRAY_PUSH(r->arena, &r->frames, f);
    return DRAY_OK;
}

static dray_code close_container(reader *r, yaml_mark_t mark) {
    frame f = r->frames.v[--r->frames.n];
    const dray_member *children = r->values.v + f.slot + 1;
    size_t n = r->values.n - f.slot - 1;
    dray_node *node = &r->values.v[f.slot].value;
    if (f.is_map) {
        node->map.n = n;
        node->map.members = DRAY_NEW_N(r->arena, dray_member, n);
        if (n != 0)
            memcpy(node->map.members, children, n * sizeof *children);
    } else {
        node->list.n = n;
        node->list.items = DRAY_NEW_N(r->arena, dray_node, n);
        for (size_t i = 0; i < n; i++)
            node->list.items[i] = children[i].value;
    }
    complete_anchor(f.anchor, node, r->visited - f.visited_before);
    r->values.n = f.slot + 1;
    return end_value(r, mark);
}

static dray_code open_document(reader *r, const yaml_event_t *e) {
    const yaml_version_directive_t *version = e->data.document_start.version_directive;
    if (version != NULL && (version->major != 1 || version->minor != 1))
        return invalid(r, e->start_mark, "found incompatible YAML document: only 1.1 is read");
    return DRAY_OK;
}

static dray_code read_event(reader *r, const yaml_event_t *e) {
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(r, e);
    case YAML_ALIAS_EVENT:
        return read_alias(r, e);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(r, false, e->data.sequence_start.anchor, e->start_mark);
    case YAML_MAPPING_START_EVENT:
        return open_container(r, true, e->data.mapping_start.anchor, e->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_container(r, e->start_mark);
    case YAML_DOCUMENT_START_EVENT:
        return open_document(r, e);
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_END_EVENT:
        r->done = true;
        return DRAY_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
        break;
    }
    return DRAY_OK;
}

/* The place of a byte, for errors of which libyaml knows only the offset. */
static yaml_mark_t mark_of(dray_str text, size_t offset) {
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset && i < text.n; i++) {
        mark.column += ((unsigned char)text.p[i] & 0xC0) != 0x80;
        if (text.p[i] == '\n') {
            mark.line++;
            mark.column = 0;
        }
    }
    return mark;
}

static dray_code fail_parse(reader *r) {
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return dray_err_set(r->err, DRAY_E_LIMIT, "no memory to read the document");
    yaml_mark_t mark = p->problem_mark;
    if (p->error == YAML_READER_ERROR)
        mark = mark_of(r->text, p->problem_offset);
    return invalid(r, mark, p->problem != NULL ? p->problem : "this is no YAML");
}

static dray_code read_document(reader *r) {
    dray_code code = DRAY_OK;
    while (code == DRAY_OK && !r->done) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event))
            return fail_parse(r);
        code = read_event(r, &event);
        yaml_event_delete(&event);
    }
    return code;
}

dray_code dray_yaml_parse(dray_str text, uint32_t first_line, dray_arena *arena, dray_node **ret,
                          dray_err *err) {
    reader r = {.text = text, .first_line = first_line, .arena = arena, .err = err};
    r.anchors = dray_map_new(arena);
    if (!yaml_parser_initialize(&r.parser))
        return dray_err_set(err, DRAY_E_LIMIT, "no memory to read the document");
    const char *bytes = text.n != 0 ? text.p : "";
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes, text.n);
    dray_code code = read_document(&r);
    yaml_parser_delete(&r.parser);
    if (code == DRAY_OK)
        *ret = r.values.n != 0 && !r.empty ? &r.values.v[0].value : NULL;
    return code;
}
