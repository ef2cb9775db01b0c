/* From structs to JSON, over the field tables, as Go's encoder writes them: kind and apiVersion,
 * then the fields in the order of the API; what omitempty leaves out is left out. */
#include "api/engine_int.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "data/json.h"

typedef struct encoder {
    dray_buf *out;
    dray_arena *scratch; /* for the text of quantities and times; emptied after each */
    int release;         /* 0: the newest */
} encoder;

static void encode_body(encoder *e, const dray_type *type, const void *body, const char *sep);

static void encode_text(encoder *e, dray_str text) {
    dray_json_write_string(e->out, text, true);
}

/* One code point inside or between the strings of raw JSON. */
static void encode_raw_code_point(encoder *e, dray_str raw, size_t *at) {
    size_t from = *at;
    int32_t c = dray_utf8_next(raw, at);
    if (c < 0)
        dray_buf_puts(e->out, "\\ufffd");
    else if (c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029)
        dray_buf_addf(e->out, "\\u%04x", (unsigned)c);
    else
        dray_buf_add(e->out, raw.p + from, *at - from);
}

/* Raw JSON as Go's encoder copies it: without space between tokens, HTML characters escaped. What
 * is no JSON (only protobuf can bring it) is shown as a string. */
static void encode_raw(encoder *e, dray_str raw) {
    dray_node *root;
    bool valid = dray_json_parse(raw, e->scratch, &root, NULL) == DRAY_OK;
    dray_arena_reset(e->scratch);
    if (!valid) {
        encode_text(e, raw);
        return;
    }
    bool quoted = false;
    for (size_t i = 0; i < raw.n;) {
        char c = raw.p[i];
        if (!quoted && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) {
            i++;
        } else if (quoted && c == '\\' && i + 1 < raw.n) {
            dray_buf_add(e->out, raw.p + i, 2);
            i += 2;
        } else {
            quoted = quoted != (c == '"');
            encode_raw_code_point(e, raw, &i);
        }
    }
}

static void encode_quantity(encoder *e, const dray_quantity *q) {
    if (q == NULL) {
        dray_buf_puts(e->out, "null");
        return;
    }
    encode_text(e, dray_quantity_format(*q, e->scratch));
    dray_arena_reset(e->scratch);
}

static void encode_time(encoder *e, const dray_time *t, bool micros) {
    if (!t->set) {
        dray_buf_puts(e->out, "null");
        return;
    }
    encode_text(e, dray_time_format(*t, micros, e->scratch));
    dray_arena_reset(e->scratch);
}

static void encode_base64(encoder *e, dray_str bytes) {
    if (bytes.p == NULL) {
        dray_buf_puts(e->out, "null");
        return;
    }
    dray_buf_putc(e->out, '"');
    dray_base64_write(e->out, bytes);
    dray_buf_putc(e->out, '"');
}

static void encode_strings(encoder *e, const dray_strings *list) {
    if (list->v == NULL) {
        dray_buf_puts(e->out, "null");
        return;
    }
    dray_buf_putc(e->out, '[');
    for (size_t i = 0; i < list->n; i++) {
        if (i != 0)
            dray_buf_putc(e->out, ',');
        encode_text(e, list->v[i]);
    }
    dray_buf_putc(e->out, ']');
}

static void encode_int(encoder *e, int64_t value) {
    dray_buf_addf(e->out, "%lld", (long long)value);
}

static void encode_int_or_string(encoder *e, const dray_int_or_string *v) {
    if (v->kind == DRAY_IOS_STRING)
        encode_text(e, v->s);
    else
        encode_int(e, v->i);
}

static void encode_number(encoder *e, const dray_field *f, const void *at) {
    bool own = field_is_pointer(f);
    if (f->shape == DRAY_SHAPE_INT32)
        encode_int(e, own ? ((const dray_opt_int32 *)at)->v : *(const int32_t *)at);
    else if (f->shape == DRAY_SHAPE_INT64)
        encode_int(e, own ? ((const dray_opt_int64 *)at)->v : *(const int64_t *)at);
    else if (own ? ((const dray_opt_bool *)at)->v : *(const bool *)at)
        dray_buf_puts(e->out, "true");
    else
        dray_buf_puts(e->out, "false");
}

/* An object among the fields of another; a kind there carries its name and version. */
static void encode_object(encoder *e, const dray_type *type, const void *body) {
    const dray_kind *kind = dray_api_kind_of(type);
    if (kind != NULL)
        dray_buf_addf(e->out, "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\"", kind->kind, kind->group,
                      kind->group[0] != '\0' ? "/" : "", kind->version);
    else
        dray_buf_putc(e->out, '{');
    encode_body(e, type, body, kind != NULL ? "," : "");
    dray_buf_putc(e->out, '}');
}

static void encode_one(encoder *e, const dray_field *f, const void *at) {
    if (field_is_pointer(f) && dray_api_is_empty(f, at)) {
        dray_buf_puts(e->out, "null");
        return;
    }
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_STRING:
        encode_text(e, *(const dray_str *)at);
        return;
    case DRAY_SHAPE_INT32:
    case DRAY_SHAPE_INT64:
    case DRAY_SHAPE_BOOL:
        encode_number(e, f, at);
        return;
    case DRAY_SHAPE_QUANTITY:
        encode_quantity(e, field_is_pointer(f) ? *(dray_quantity *const *)at : at);
        return;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        encode_time(e, at, f->shape == DRAY_SHAPE_MICRO_TIME);
        return;
    case DRAY_SHAPE_INT_OR_STRING:
        encode_int_or_string(e, at);
        return;
    case DRAY_SHAPE_ANY:
        if (((const dray_str *)at)->p != NULL)
            encode_raw(e, *(const dray_str *)at);
        else
            dray_buf_puts(e->out, "null");
        return;
    case DRAY_SHAPE_BYTES:
        encode_base64(e, *(const dray_str *)at);
        return;
    case DRAY_SHAPE_OBJECT:
        encode_object(e, f->ref, f->container == DRAY_ONE ? *(void *const *)at : at);
        return;
    case DRAY_SHAPE_STRINGS:
        encode_strings(e, at);
        return;
    }
}

static void encode_list(encoder *e, const dray_field *f, const dray_any_list *list) {
    if (list->v == NULL) {
        dray_buf_puts(e->out, "null");
        return;
    }
    size_t bytes = dray_field_element_size(f);
    dray_buf_putc(e->out, '[');
    for (size_t i = 0; i < list->n; i++) {
        if (i != 0)
            dray_buf_putc(e->out, ',');
        encode_one(e, f, item_in(list->v, i, bytes));
    }
    dray_buf_putc(e->out, ']');
}

static void encode_map(encoder *e, const dray_field *f, const dray_any_map *map) {
    if (map->k == NULL) {
        dray_buf_puts(e->out, "null");
        return;
    }
    size_t bytes = dray_field_element_size(f);
    dray_buf_putc(e->out, '{');
    for (size_t i = 0; i < map->n; i++) {
        if (i != 0)
            dray_buf_putc(e->out, ',');
        encode_text(e, map->k[i]);
        dray_buf_putc(e->out, ':');
        encode_one(e, f, item_in(map->v, i, bytes));
    }
    dray_buf_putc(e->out, '}');
}

static void encode_field(encoder *e, const dray_field *f, const void *at) {
    if (f->container == DRAY_LIST)
        encode_list(e, f, at);
    else if (f->container == DRAY_MAP)
        encode_map(e, f, at);
    else
        encode_one(e, f, at);
}

static bool is_omitted(const encoder *e, const dray_field *f, const void *at) {
    if (f->omitzero)
        return !((const dray_time *)at)->set; /* the only such field is a time */
    return f->omitempty && (e->release == 0 || e->release >= f->omit_since) &&
           dray_api_is_empty(f, at);
}

/* The members without braces; sep goes before the first. */
static void encode_body(encoder *e, const dray_type *type, const void *body, const char *sep) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *f = &type->fields[i];
        const void *at = field_in(f, body);
        if (f->inlined) {
            size_t before = e->out->n;
            encode_body(e, f->ref, *(void *const *)at, sep);
            sep = e->out->n != before ? "," : sep;
            continue;
        }
        if (!field_known(f, e->release) || is_omitted(e, f, at))
            continue;
        dray_buf_puts(e->out, sep);
        sep = ",";
        dray_buf_putc(e->out, '"');
        dray_buf_add(e->out, f->json, f->json_n);
        dray_buf_puts(e->out, "\":");
        encode_field(e, f, at);
    }
}

void dray_api_encode(dray_buf *out, dray_object object) {
    dray_api_encode_at(out, object, 0);
}

void dray_api_encode_at(dray_buf *out, dray_object object, int release) {
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    encoder e = {out, scratch, release};
    const dray_kind *kind = object.kind;
    dray_buf_addf(out, "{\"kind\":\"%s\",\"apiVersion\":\"%s%s%s\"", kind->kind, kind->group,
                  kind->group[0] != '\0' ? "/" : "", kind->version);
    encode_body(&e, kind->type, object.body, ",");
    dray_buf_putc(out, '}');
}

void dray_api_encode_type(dray_buf *out, const dray_type *type, const void *body) {
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    encoder e = {out, scratch, 0};
    dray_buf_putc(out, '{');
    encode_body(&e, type, body, "");
    dray_buf_putc(out, '}');
}

dray_node *dray_api_to_tree(dray_object object, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_api_encode(&out, object);
    dray_node *root = NULL;
    dray_code code = dray_json_parse(dray_str_dup(arena, dray_buf_str(&out)), arena, &root, NULL);
    if (code == DRAY_OK)
        return root;
    root = DRAY_NEW(arena, dray_node); /* an opaque value that is no JSON: shown as null */
    return root;
}
