/* From Kubernetes' protobuf to structs, over the field tables. What no table has is skipped; a
 * message that comes twice is merged. Source: the generated Unmarshal functions of k8s.io/api. */
#include "api/engine_int.h"
#include "api/proto_int.h"

#include "base/vec.h"
#include "wire/wire.h"

typedef struct decoder {
    dray_arena *arena;
    dray_err *err;
    int release;
} decoder;

static dray_code decode_message(decoder *d, const dray_type *type, dray_str bytes, void *body,
                                int depth);

static dray_code refuse(decoder *d, const char *why) {
    return dray_err_set(d->err, DRAY_E_INVALID, "%s", why);
}

static dray_code wrong_type(decoder *d, const dray_wire_item *item, const char *field) {
    return dray_err_set(d->err, DRAY_E_INVALID, "proto: wrong wireType = %d for field %s",
                        (int)item->type, field);
}

static dray_str text_of(dray_str bytes) {
    return bytes.n != 0 ? bytes : DRAY_STR("");
}

static dray_code take_quantity(decoder *d, dray_str bytes, dray_quantity *to) {
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item;
    dray_code code = DRAY_OK;
    while (code == DRAY_OK && dray_wire_next(&r, &item)) {
        if (item.field != 1)
            continue;
        if (item.type != DRAY_WIRE_BYTES)
            return wrong_type(d, &item, "String_");
        code = dray_quantity_parse(text_of(item.bytes), d->arena, to, d->err);
    }
    return r.failed != NULL ? refuse(d, r.failed) : code;
}

static dray_code take_time(decoder *d, dray_str bytes, bool micros, dray_time *to) {
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item;
    dray_time t = {.set = bytes.n != 0};
    while (dray_wire_next(&r, &item)) {
        if (item.type != DRAY_WIRE_VARINT && item.field <= 2)
            return wrong_type(d, &item, item.field == 1 ? "Seconds" : "Nanos");
        if (item.field == 1)
            t.sec = (int64_t)item.number;
        else if (item.field == 2 && micros)
            t.nsec = (int32_t)item.number / 1000 * 1000;
    }
    if (r.failed != NULL)
        return refuse(d, r.failed);
    /* Nanoseconds outside a second carry over, as in Go's time.Unix. */
    if (t.nsec < 0 || t.nsec >= 1000000000) {
        int64_t carry = t.nsec / 1000000000 - (t.nsec % 1000000000 < 0);
        if (__builtin_add_overflow(t.sec, carry, &t.sec))
            return refuse(d, "the time is out of range");
        t.nsec = (int32_t)(t.nsec - carry * 1000000000);
    }
    *to = t;
    return DRAY_OK;
}

static dray_code take_int_or_string(decoder *d, dray_str bytes, dray_int_or_string *to) {
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item;
    dray_int_or_string v = {.kind = DRAY_IOS_INT, .s = DRAY_STR("")};
    while (dray_wire_next(&r, &item)) {
        if (item.field <= 3 && item.type != (item.field == 3 ? DRAY_WIRE_BYTES : DRAY_WIRE_VARINT))
            return wrong_type(d, &item, "IntOrString");
        if (item.field == 1)
            v.kind = item.number == 1 ? DRAY_IOS_STRING : DRAY_IOS_INT;
        else if (item.field == 2)
            v.i = (int32_t)item.number;
        else if (item.field == 3)
            v.s = text_of(item.bytes);
    }
    *to = v;
    return r.failed != NULL ? refuse(d, r.failed) : DRAY_OK;
}

static dray_code take_raw(decoder *d, dray_str bytes, dray_str *to) {
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item;
    while (dray_wire_next(&r, &item)) {
        if (item.field == 1 && item.type != DRAY_WIRE_BYTES)
            return wrong_type(d, &item, "Raw");
        if (item.field == 1)
            *to = text_of(item.bytes);
    }
    return r.failed != NULL ? refuse(d, r.failed) : DRAY_OK;
}

static dray_code take_strings(decoder *d, dray_str bytes, dray_strings *to) {
    DRAY_VEC(dray_str) list = {0};
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item;
    while (dray_wire_next(&r, &item)) {
        if (item.field == 1 && item.type != DRAY_WIRE_BYTES)
            return wrong_type(d, &item, "Items");
        if (item.field == 1)
            DRAY_PUSH(d->arena, &list, text_of(item.bytes));
    }
    *to = (dray_strings){list.v, list.n};
    return r.failed != NULL ? refuse(d, r.failed) : DRAY_OK;
}

static void take_number(const dray_field *f, uint64_t number, void *to) {
    bool own = field_is_pointer(f);
    if (f->shape == DRAY_SHAPE_INT32 && own)
        *(dray_opt_int32 *)to = (dray_opt_int32){true, (int32_t)number};
    else if (f->shape == DRAY_SHAPE_INT32)
        *(int32_t *)to = (int32_t)number;
    else if (f->shape == DRAY_SHAPE_INT64 && own)
        *(dray_opt_int64 *)to = (dray_opt_int64){true, (int64_t)number};
    else if (f->shape == DRAY_SHAPE_INT64)
        *(int64_t *)to = (int64_t)number;
    else if (own)
        *(dray_opt_bool *)to = (dray_opt_bool){true, number != 0};
    else
        *(bool *)to = number != 0;
}

static dray_code take_object(decoder *d, const dray_field *f, dray_str bytes, void *to, int depth) {
    if (f->container != DRAY_ONE)
        return decode_message(d, f->ref, bytes, to, depth + 1);
    if (*(void **)to == NULL)
        *(void **)to = dray_api_new(f->ref, d->arena);
    return decode_message(d, f->ref, bytes, *(void **)to, depth + 1);
}

static dray_code take_pointed_quantity(decoder *d, const dray_field *f, dray_str bytes, void *to) {
    if (!field_is_pointer(f))
        return take_quantity(d, bytes, to);
    dray_quantity *q = DRAY_NEW(d->arena, dray_quantity);
    *(dray_quantity **)to = q;
    return take_quantity(d, bytes, q);
}

/* A value into a field, an element or a map's value. */
static dray_code take_value(decoder *d, const dray_field *f, const dray_wire_item *item, void *to,
                            int depth) {
    bool is_number =
        f->shape == DRAY_SHAPE_INT32 || f->shape == DRAY_SHAPE_INT64 || f->shape == DRAY_SHAPE_BOOL;
    if (item->type != (is_number ? DRAY_WIRE_VARINT : DRAY_WIRE_BYTES))
        return wrong_type(d, item, f->json);
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_STRING:
        /* Without a pointer an empty string is Go's zero value. */
        *(dray_str *)to = text_of(item->bytes);
        return DRAY_OK;
    case DRAY_SHAPE_BYTES:
        *(dray_str *)to = text_of(item->bytes);
        return DRAY_OK;
    case DRAY_SHAPE_INT32:
    case DRAY_SHAPE_INT64:
    case DRAY_SHAPE_BOOL:
        take_number(f, item->number, to);
        return DRAY_OK;
    case DRAY_SHAPE_QUANTITY:
        return take_pointed_quantity(d, f, item->bytes, to);
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        return take_time(d, item->bytes, f->shape == DRAY_SHAPE_MICRO_TIME, to);
    case DRAY_SHAPE_INT_OR_STRING:
        return take_int_or_string(d, item->bytes, to);
    case DRAY_SHAPE_ANY:
        return take_raw(d, item->bytes, to);
    case DRAY_SHAPE_OBJECT:
        return take_object(d, f, item->bytes, to, depth);
    case DRAY_SHAPE_STRINGS:
        return take_strings(d, item->bytes, to);
    }
    return DRAY_OK;
}

/* Lists grow by doubling; their room is the next power of two, at least four. */
static void *grow_items(decoder *d, void *items, size_t n, size_t bytes) {
    if (n != 0 && (n < 4 || (n & (n - 1)) != 0))
        return items;
    size_t room = n != 0 ? dray_size_mul(n, 2) : 4;
    return dray_arena_grow(d->arena, items, n * bytes, dray_size_mul(room, bytes));
}

static void *add_element(decoder *d, const dray_field *f, dray_any_list *list) {
    size_t bytes = dray_field_element_size(f);
    list->v = grow_items(d, list->v, list->n, bytes);
    void *to = item_at(list->v, list->n++, bytes);
    memset(to, 0, bytes);
    if (f->shape == DRAY_SHAPE_OBJECT)
        dray_api_make_members(f->ref, to, d->arena);
    return to;
}

static dray_code take_packed(decoder *d, const dray_field *f, dray_str bytes, dray_any_list *list) {
    dray_wire_reader r = dray_wire_read(bytes);
    uint64_t number;
    while (dray_wire_next_varint(&r, &number))
        take_number(f, number, add_element(d, f, list));
    return r.failed != NULL ? refuse(d, r.failed) : DRAY_OK;
}

static dray_code take_element(decoder *d, const dray_field *f, const dray_wire_item *item,
                              dray_any_list *list, int depth) {
    bool is_number =
        f->shape == DRAY_SHAPE_INT32 || f->shape == DRAY_SHAPE_INT64 || f->shape == DRAY_SHAPE_BOOL;
    if (is_number && item->type == DRAY_WIRE_BYTES)
        return take_packed(d, f, item->bytes, list);
    return take_value(d, f, item, add_element(d, f, list), depth);
}

/* Where key stands or belongs among the sorted keys. */
static size_t place_of(const dray_any_map *map, dray_str key) {
    if (map->n == 0 || dray_str_cmp(map->k[map->n - 1], key) < 0)
        return map->n; /* maps are written by key */
    size_t low = 0, high = map->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (dray_str_cmp(map->k[mid], key) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void *add_entry(decoder *d, dray_any_map *map, dray_str key, size_t bytes) {
    size_t at = place_of(map, key);
    if (at < map->n && dray_str_eq(map->k[at], key))
        return memset(item_at(map->v, at, bytes), 0, bytes);
    map->k = grow_items(d, map->k, map->n, sizeof *map->k);
    map->v = grow_items(d, map->v, map->n, bytes);
    memmove(map->k + at + 1, map->k + at, (map->n - at) * sizeof *map->k);
    memmove(item_at(map->v, at + 1, bytes), item_at(map->v, at, bytes), (map->n - at) * bytes);
    map->k[at] = key;
    map->n++;
    return memset(item_at(map->v, at, bytes), 0, bytes);
}

static dray_code take_entry(decoder *d, const dray_field *f, dray_str bytes, dray_any_map *map,
                            int depth) {
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item, value = {0};
    dray_str key = DRAY_STR("");
    while (dray_wire_next(&r, &item)) {
        if (item.field == 1 && item.type != DRAY_WIRE_BYTES)
            return wrong_type(d, &item, f->json);
        if (item.field == 1)
            key = text_of(item.bytes);
        else if (item.field == 2)
            value = item;
    }
    if (r.failed != NULL)
        return refuse(d, r.failed);
    void *to = add_entry(d, map, key, dray_field_element_size(f));
    if (f->shape == DRAY_SHAPE_OBJECT)
        dray_api_make_members(f->ref, to, d->arena);
    else if (f->shape == DRAY_SHAPE_STRING || f->shape == DRAY_SHAPE_BYTES)
        *(dray_str *)to = DRAY_STR("");
    return value.field == 0 ? DRAY_OK : take_value(d, f, &value, to, depth);
}

static const dray_field *find_number(const dray_type *type, uint32_t number, uint32_t *hint) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        uint32_t at = *hint + i < type->n_fields ? *hint + i : *hint + i - type->n_fields;
        if (type->fields[at].proto == number) {
            *hint = at;
            return &type->fields[at];
        }
    }
    return NULL;
}

static dray_code take_field(decoder *d, const dray_field *f, const dray_wire_item *item, void *to,
                            int depth) {
    if (f->container == DRAY_LIST)
        return take_element(d, f, item, to, depth);
    if (f->container == DRAY_ONE)
        return take_value(d, f, item, to, depth);
    if (item->type != DRAY_WIRE_BYTES)
        return wrong_type(d, item, f->json);
    return take_entry(d, f, item->bytes, to, depth);
}

static dray_code decode_message(decoder *d, const dray_type *type, dray_str bytes, void *body,
                                int depth) {
    if (depth > DRAY_API_MAX_DEPTH)
        return dray_err_set(d->err, DRAY_E_LIMIT, "messages are nested more than %d deep",
                            DRAY_API_MAX_DEPTH);
    if (dray_arena_spent(d->arena))
        return dray_err_set(d->err, DRAY_E_LIMIT, "the object takes more memory than allowed");
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item;
    uint32_t hint = 0;
    dray_code code = DRAY_OK;
    while (code == DRAY_OK && dray_wire_next(&r, &item)) {
        const dray_field *f = find_number(type, item.field, &hint);
        if (f != NULL && field_known(f, d->release))
            code = take_field(d, f, &item, field_at(f, body), depth);
    }
    return r.failed != NULL ? refuse(d, r.failed) : code;
}

typedef struct envelope {
    dray_str api_version, kind, raw;
} envelope;

static dray_code read_type_meta(decoder *d, dray_str bytes, envelope *to) {
    dray_wire_reader r = dray_wire_read(bytes);
    dray_wire_item item;
    while (dray_wire_next(&r, &item)) {
        if (item.field <= 2 && item.type != DRAY_WIRE_BYTES)
            return wrong_type(d, &item, "TypeMeta");
        if (item.field == 1)
            to->api_version = item.bytes;
        else if (item.field == 2)
            to->kind = item.bytes;
    }
    return r.failed != NULL ? refuse(d, r.failed) : DRAY_OK;
}

static dray_code read_envelope(decoder *d, dray_str bytes, envelope *to) {
    if (bytes.n == 0)
        return refuse(d, "empty data");
    if (!dray_str_starts(bytes, dray_str_n(DRAY_PROTO_PREFIX, DRAY_PROTO_PREFIX_BYTES)))
        return refuse(d, "provided data does not appear to be a protobuf message, expected prefix "
                         "[107 56 115 0]");
    if (bytes.n == DRAY_PROTO_PREFIX_BYTES)
        return refuse(d, "empty body");
    dray_wire_reader r = dray_wire_read(dray_str_slice(bytes, DRAY_PROTO_PREFIX_BYTES, bytes.n));
    dray_wire_item item;
    dray_code code = DRAY_OK;
    while (code == DRAY_OK && dray_wire_next(&r, &item)) {
        if (item.field <= DRAY_UNKNOWN_CONTENT && item.type != DRAY_WIRE_BYTES)
            return wrong_type(d, &item, "Unknown");
        if (item.field == DRAY_UNKNOWN_TYPE_META)
            code = read_type_meta(d, item.bytes, to);
        else if (item.field == DRAY_UNKNOWN_RAW)
            to->raw = item.bytes;
    }
    return r.failed != NULL ? refuse(d, r.failed) : code;
}

dray_code dray_api_decode_proto(dray_str bytes, int release, dray_arena *arena, dray_object *ret,
                                dray_err *err) {
    decoder d = {arena, err, release};
    envelope e = {0};
    dray_code code = read_envelope(&d, bytes, &e);
    if (code != DRAY_OK)
        return code;
    if (e.kind.n == 0 || e.api_version.n == 0)
        return dray_err_set(err, DRAY_E_INVALID, "Object '%s' is missing in the message",
                            e.kind.n == 0 ? "Kind" : "apiVersion");
    const dray_kind *kind = dray_kind_find(e.api_version, e.kind);
    if (kind == NULL || (release != 0 && !dray_kind_served(kind, release)))
        return dray_err_set(err, DRAY_E_UNSUPPORTED,
                            "no matches for kind \"" DRAY_FMT "\" in version \"" DRAY_FMT "\"",
                            DRAY_ARG(e.kind), DRAY_ARG(e.api_version));
    void *body = dray_api_new(kind->type, arena);
    code = decode_message(&d, kind->type, e.raw, body, 0);
    if (code == DRAY_OK)
        *ret = (dray_object){kind, body};
    return code;
}
