/* CEL values in the JSON form of cel.expr.Value. */
#include "cli/debug_cel_int.h"

#include "base/base64.h"
#include "base/vec.h"
#include "cel/list.h"
#include "cel/number.h"
#include "data/json.h"

#include <math.h>

enum { DEPTH = 200, MAX_WEIGHT = 1000000 };

#define GOOGLE "type.googleapis.com/google.protobuf."

static bool read_depth(const dray_node *node, dray_arena *arena, dray_cel_value *ret,
                       const char **why, int depth);

static bool wrong(const char **why, const char *text) {
    *why = text;
    return false;
}

static bool read_list(const dray_node *node, dray_arena *arena, dray_cel_value *ret,
                      const char **why, int depth) {
    const dray_node *values = dray_node_find(node, DRAY_STR("values"));
    size_t n = values != NULL && values->kind == DRAY_NODE_LIST ? values->list.n : 0;
    dray_cel_value *v = DRAY_NEW_N(arena, dray_cel_value, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!read_depth(&values->list.items[i], arena, &v[i], why, depth))
            return false;
    *ret = dray_cel_of_list(arena, v, n);
    return true;
}

static bool read_map(const dray_node *node, dray_arena *arena, dray_cel_value *ret,
                     const char **why, int depth) {
    const dray_node *entries = dray_node_find(node, DRAY_STR("entries"));
    size_t n = entries != NULL && entries->kind == DRAY_NODE_LIST ? entries->list.n : 0;
    dray_cel_map *map = dray_cel_map_new(arena, 0);
    for (size_t i = 0; i < n; i++) {
        dray_cel_value key, value;
        const dray_node *entry = &entries->list.items[i];
        if (!read_depth(dray_node_find(entry, DRAY_STR("key")), arena, &key, why, depth) ||
            !read_depth(dray_node_find(entry, DRAY_STR("value")), arena, &value, why, depth))
            return false;
        dray_cel_map_put(arena, map, key, value);
    }
    *ret = dray_cel_of_map(map);
    return true;
}

static bool read_object(const dray_node *node, dray_cel_value *ret, const char **why) {
    dray_str type = dray_node_string(dray_node_find(node, DRAY_STR("@type")));
    dray_str text = dray_node_string(dray_node_find(node, DRAY_STR("value")));
    if (dray_str_is(type, GOOGLE "Timestamp") && dray_cel_read_time(text, ret))
        return true;
    if (dray_str_is(type, GOOGLE "Duration")) {
        ret->kind = DRAY_CEL_DURATION;
        return dray_cel_read_duration(text, &ret->i) || wrong(why, "bad duration");
    }
    return wrong(why, "unknown object value");
}

static bool read_double(const dray_node *node, dray_cel_value *ret) {
    *ret = dray_cel_of_double(0);
    return dray_cel_read_double(node->text, &ret->d);
}

static bool read_depth(const dray_node *node, dray_arena *arena, dray_cel_value *ret,
                       const char **why, int depth) {
    *ret = dray_cel_null_value;
    if (node == NULL || node->kind != DRAY_NODE_MAP || node->map.n != 1 || depth > DEPTH)
        return wrong(why, "a value must be an object with one member");
    dray_str kind = node->map.members[0].key;
    const dray_node *v = &node->map.members[0].value;
    bool scalar = v->kind == DRAY_NODE_STRING || v->kind == DRAY_NODE_NUMBER;
    if (dray_str_is(kind, "nullValue"))
        return true;
    if (dray_str_is(kind, "boolValue")) {
        *ret = dray_cel_of_bool(v->kind == DRAY_NODE_BOOL && v->truth);
        return true;
    }
    if (dray_str_is(kind, "listValue"))
        return read_list(v, arena, ret, why, depth + 1);
    if (dray_str_is(kind, "mapValue"))
        return read_map(v, arena, ret, why, depth + 1);
    if (dray_str_is(kind, "objectValue"))
        return read_object(v, ret, why);
    if (!scalar)
        return wrong(why, "unknown value");
    *ret = dray_cel_of_int(0);
    if (dray_str_is(kind, "int64Value"))
        return dray_cel_read_int(v->text, &ret->i) || wrong(why, "bad int64Value");
    if (dray_str_is(kind, "uint64Value")) {
        ret->kind = DRAY_CEL_UINT;
        return dray_cel_read_uint(v->text, &ret->u) || wrong(why, "bad uint64Value");
    }
    if (dray_str_is(kind, "doubleValue"))
        return read_double(v, ret) || wrong(why, "bad doubleValue");
    if (dray_str_is(kind, "stringValue")) {
        *ret = dray_cel_of_str(v->text);
        return true;
    }
    if (dray_str_is(kind, "typeValue")) {
        *ret = dray_cel_of_type(v->text);
        return true;
    }
    if (dray_str_is(kind, "bytesValue")) {
        char *to = dray_arena_bytes(arena, dray_base64_room(v->text));
        size_t n;
        if (dray_base64_read(v->text, to, &n) != SIZE_MAX)
            return wrong(why, "bad bytesValue");
        *ret = dray_cel_of_bytes((dray_str){to, n});
        return true;
    }
    return wrong(why, "unknown value");
}

bool dray_debug_cel_read(const dray_node *node, dray_arena *arena, dray_cel_value *ret,
                         const char **ret_why) {
    return read_depth(node, arena, ret, ret_why, 0);
}

/* --- writing --- */

static int kind_order(uint8_t kind) {
    switch (kind) {
    case DRAY_CEL_BOOL:
        return 0;
    case DRAY_CEL_INT:
        return 1;
    case DRAY_CEL_UINT:
        return 2;
    case DRAY_CEL_DOUBLE:
        return 3;
    default:
        return 4;
    }
}

static int by_key(const void *a, const void *b, void *context) {
    dray_cel_value x = ((const dray_cel_pair *)a)->key, y = ((const dray_cel_pair *)b)->key;
    if (x.kind != y.kind)
        return kind_order(x.kind) - kind_order(y.kind);
    dray_cel_value by = dray_cel_compare(context, x, y);
    return by.kind == DRAY_CEL_INT ? (int)by.i : 0;
}

static void write_depth(dray_buf *out, dray_cel_value v, dray_arena *arena, int depth);

static void write_map(dray_buf *out, const dray_cel_map *map, dray_arena *arena, int depth) {
    dray_cel_pair *pairs = DRAY_NEW_N(arena, dray_cel_pair, map->n + 1);
    if (map->n > 0)
        memcpy(pairs, map->v, map->n * sizeof *pairs);
    dray_sort(pairs, map->n, sizeof *pairs, by_key, arena);
    dray_buf_puts(out, "{\"mapValue\":{");
    for (size_t i = 0; i < map->n; i++) {
        dray_buf_puts(out, i == 0 ? "\"entries\":[{\"key\":" : ",{\"key\":");
        write_depth(out, pairs[i].key, arena, depth);
        dray_buf_puts(out, ",\"value\":");
        write_depth(out, pairs[i].value, arena, depth);
        dray_buf_putc(out, '}');
    }
    dray_buf_puts(out, map->n > 0 ? "]}}" : "}}");
}

static void write_list(dray_buf *out, const dray_cel_list *list, dray_arena *arena, int depth) {
    dray_buf_puts(out, "{\"listValue\":{");
    for (size_t i = 0; i < list->n; i++) {
        dray_buf_puts(out, i == 0 ? "\"values\":[" : ",");
        write_depth(out, dray_cel_list_at(list, i), arena, depth);
    }
    dray_buf_puts(out, list->n > 0 ? "]}}" : "}}");
}

static void write_double(dray_buf *out, double d) {
    dray_buf_puts(out, "{\"doubleValue\":");
    if (isnan(d))
        dray_buf_puts(out, "\"NaN\"");
    else if (isinf(d))
        dray_buf_puts(out, d < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    else
        dray_cel_print_double(out, d, d == 0 || (fabs(d) >= 1e-6 && fabs(d) < 1e21) ? 'f' : 'e',
                              -1);
    dray_buf_putc(out, '}');
}

static void write_text(dray_buf *out, const char *kind, dray_str text) {
    dray_buf_addf(out, "{\"%s\":", kind);
    dray_json_write_string(out, text, false);
    dray_buf_putc(out, '}');
}

static void write_time(dray_buf *out, dray_cel_value v) {
    bool duration = v.kind == DRAY_CEL_DURATION;
    dray_buf_addf(out, "{\"objectValue\":{\"@type\":\"" GOOGLE "%s\",\"value\":\"",
                  duration ? "Duration" : "Timestamp");
    if (duration)
        dray_cel_print_duration(out, v.i);
    else
        dray_cel_print_time(out, v, true);
    dray_buf_puts(out, "\"}}");
}

static void write_bytes(dray_buf *out, dray_str bytes) {
    dray_buf_puts(out, "{\"bytesValue\":\"");
    dray_base64_write(out, bytes);
    dray_buf_puts(out, "\"}");
}

static void write_depth(dray_buf *out, dray_cel_value v, dray_arena *arena, int depth) {
    if (depth > DEPTH) {
        dray_buf_puts(out, "null");
        return;
    }
    switch (v.kind) {
    case DRAY_CEL_NULL:
        dray_buf_puts(out, "{\"nullValue\":null}");
        break;
    case DRAY_CEL_BOOL:
        dray_buf_puts(out, v.b ? "{\"boolValue\":true}" : "{\"boolValue\":false}");
        break;
    case DRAY_CEL_INT:
        dray_buf_addf(out, "{\"int64Value\":\"%lld\"}", (long long)v.i);
        break;
    case DRAY_CEL_UINT:
        dray_buf_addf(out, "{\"uint64Value\":\"%llu\"}", (unsigned long long)v.u);
        break;
    case DRAY_CEL_DOUBLE:
        write_double(out, v.d);
        break;
    case DRAY_CEL_STRING:
        write_text(out, "stringValue", dray_cel_str(v));
        break;
    case DRAY_CEL_BYTES:
        write_bytes(out, dray_cel_str(v));
        break;
    case DRAY_CEL_TYPE:
        write_text(out, "typeValue", dray_cel_str(v));
        break;
    case DRAY_CEL_TIMESTAMP:
    case DRAY_CEL_DURATION:
        write_time(out, v);
        break;
    case DRAY_CEL_LIST:
        write_list(out, v.list, arena, depth + 1);
        break;
    case DRAY_CEL_MAP:
        write_map(out, v.map, arena, depth + 1);
        break;
    case DRAY_CEL_OPTIONAL:
        if (v.inner != NULL)
            write_depth(out, *v.inner, arena, depth + 1);
        else
            dray_buf_puts(out, "{\"nullValue\":null}");
        break;
    default: {
        DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
        dray_cel_print_value(&text, v);
        write_text(out, "stringValue", dray_buf_str(&text));
    }
    }
}

void dray_debug_cel_write(dray_buf *out, dray_cel_value v, dray_arena *arena) {
    if (dray_cel_weight(v) > MAX_WEIGHT)
        dray_buf_puts(out, "null");
    else
        write_depth(out, v, arena, 0);
}
