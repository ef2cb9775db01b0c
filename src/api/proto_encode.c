/* From structs to Kubernetes' protobuf, over the field tables: fields by number, what is no pointer
 * always written, maps by key. Source: the generated Marshal functions of k8s.io/api. */
#include "api/engine_int.h"
#include "api/proto_int.h"

#include "base/vec.h"
#include "wire/wire.h"

typedef struct encoder {
    dray_buf *out;
    dray_arena *arena; /* texts of quantities */
} encoder;

static void encode_message(encoder *e, const dray_type *type, const void *body);

static void put_quantity(encoder *e, uint32_t number, dray_quantity q) {
    size_t at = dray_wire_open(e->out, number);
    dray_arena_mark mark = dray_arena_save(e->arena);
    dray_wire_put_bytes(e->out, 1, dray_quantity_format(q, e->arena));
    dray_arena_release(e->arena, mark);
    dray_wire_close(e->out, at);
}

/* Time keeps seconds, MicroTime microseconds; a zero time is an empty message. */
static void put_time(encoder *e, uint32_t number, const dray_time *t, bool micros) {
    size_t at = dray_wire_open(e->out, number);
    if (t->set) {
        dray_wire_put_number(e->out, 1, (uint64_t)t->sec);
        dray_wire_put_number(e->out, 2, micros ? (uint64_t)(t->nsec / 1000 * 1000) : 0);
    }
    dray_wire_close(e->out, at);
}

static void put_int_or_string(encoder *e, uint32_t number, const dray_int_or_string *v) {
    bool text = v->kind == DRAY_IOS_STRING;
    size_t at = dray_wire_open(e->out, number);
    dray_wire_put_number(e->out, 1, text);
    dray_wire_put_number(e->out, 2, text ? 0 : (uint64_t)(int64_t)v->i);
    dray_wire_put_bytes(e->out, 3, text ? v->s : DRAY_STR(""));
    dray_wire_close(e->out, at);
}

static void put_raw(encoder *e, uint32_t number, dray_str raw) {
    size_t at = dray_wire_open(e->out, number);
    if (raw.p != NULL)
        dray_wire_put_bytes(e->out, 1, raw);
    dray_wire_close(e->out, at);
}

static void put_strings(encoder *e, uint32_t number, const dray_strings *list) {
    size_t at = dray_wire_open(e->out, number);
    for (size_t i = 0; i < list->n; i++)
        dray_wire_put_bytes(e->out, 1, list->v[i]);
    dray_wire_close(e->out, at);
}

static uint64_t number_of(const dray_field *f, const void *at) {
    bool own = field_is_pointer(f);
    if (f->shape == DRAY_SHAPE_INT32)
        return (uint64_t)(int64_t)(own ? ((const dray_opt_int32 *)at)->v : *(const int32_t *)at);
    if (f->shape == DRAY_SHAPE_INT64)
        return (uint64_t)(own ? ((const dray_opt_int64 *)at)->v : *(const int64_t *)at);
    return own ? ((const dray_opt_bool *)at)->v : *(const bool *)at;
}

static void put_object(encoder *e, uint32_t number, const dray_type *type, const void *body) {
    size_t at = dray_wire_open(e->out, number);
    encode_message(e, type, body);
    dray_wire_close(e->out, at);
}

/* One value under a field number: a field's own, an element's, or 2 of a map's entry. */
static void put_value(encoder *e, const dray_field *f, uint32_t number, const void *at) {
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_STRING:
        dray_wire_put_bytes(e->out, number, *(const dray_str *)at);
        return;
    case DRAY_SHAPE_BYTES:
        if (((const dray_str *)at)->p != NULL)
            dray_wire_put_bytes(e->out, number, *(const dray_str *)at);
        return;
    case DRAY_SHAPE_INT32:
    case DRAY_SHAPE_INT64:
    case DRAY_SHAPE_BOOL:
        dray_wire_put_number(e->out, number, number_of(f, at));
        return;
    case DRAY_SHAPE_QUANTITY:
        put_quantity(e, number,
                     field_is_pointer(f) ? **(dray_quantity *const *)at
                                         : *(const dray_quantity *)at);
        return;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        put_time(e, number, at, f->shape == DRAY_SHAPE_MICRO_TIME);
        return;
    case DRAY_SHAPE_INT_OR_STRING:
        put_int_or_string(e, number, at);
        return;
    case DRAY_SHAPE_ANY:
        put_raw(e, number, *(const dray_str *)at);
        return;
    case DRAY_SHAPE_OBJECT:
        put_object(e, number, f->ref, f->container == DRAY_ONE ? *(void *const *)at : at);
        return;
    case DRAY_SHAPE_STRINGS:
        put_strings(e, number, at);
        return;
    }
}

static void put_list(encoder *e, const dray_field *f, const dray_any_list *list) {
    size_t bytes = dray_field_element_size(f);
    for (size_t i = 0; i < list->n; i++)
        put_value(e, f, f->proto, item_in(list->v, i, bytes));
}

static void put_map(encoder *e, const dray_field *f, const dray_any_map *map) {
    size_t bytes = dray_field_element_size(f);
    for (size_t i = 0; i < map->n; i++) {
        size_t entry = dray_wire_open(e->out, f->proto);
        dray_wire_put_bytes(e->out, 1, map->k[i]);
        put_value(e, f, 2, item_in(map->v, i, bytes));
        dray_wire_close(e->out, entry);
    }
}

static void put_field(encoder *e, const dray_field *f, const void *at) {
    if (f->container == DRAY_LIST)
        put_list(e, f, at);
    else if (f->container == DRAY_MAP)
        put_map(e, f, at);
    else if (!f->pointer || !dray_api_is_empty(f, at))
        put_value(e, f, f->proto, at);
}

static void encode_message(encoder *e, const dray_type *type, const void *body) {
    uint32_t last = 0;
    while (true) {
        const dray_field *next = NULL;
        for (uint32_t i = 0; i < type->n_fields; i++) {
            const dray_field *f = &type->fields[i];
            if (f->proto > last && (next == NULL || f->proto < next->proto))
                next = f;
        }
        if (next == NULL)
            return;
        put_field(e, next, field_in(next, body));
        last = next->proto;
    }
}

void dray_api_encode_proto(dray_buf *out, dray_object object, dray_arena *arena) {
    encoder e = {out, arena};
    dray_buf_add(out, DRAY_PROTO_PREFIX, DRAY_PROTO_PREFIX_BYTES);
    size_t meta = dray_wire_open(out, DRAY_UNKNOWN_TYPE_META);
    dray_wire_put_bytes(out, 1, dray_kind_api_version(object.kind, arena));
    dray_wire_put_bytes(out, 2, dray_str_of(object.kind->kind));
    dray_wire_close(out, meta);
    put_object(&e, DRAY_UNKNOWN_RAW, object.kind->type, object.body);
    dray_wire_put_bytes(out, DRAY_UNKNOWN_ENCODING, DRAY_STR(""));
    dray_wire_put_bytes(out, DRAY_UNKNOWN_CONTENT, DRAY_STR(""));
}
