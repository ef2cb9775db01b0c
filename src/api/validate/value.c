/* Values as Go prints them in errors: JSON in order of declaration, versioned or internal. */
#include "api/validate/value.h"

#include "base/vec.h"
#include "data/json.h"
#include "obj/gates.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Go names that aren't the JSON name with a capital: by type where one word has two names. */
static const struct go_name {
    const char *type; /* NULL: anywhere */
    const char *json, *go;
} go_names[] = {
    {"resource.v1.DeviceAttribute", "int", "IntValue"},
    {"resource.v1.DeviceAttribute", "bool", "BoolValue"},
    {"resource.v1.DeviceAttribute", "string", "StringValue"},
    {"resource.v1.DeviceAttribute", "version", "VersionValue"},
    {"resource.v1.DeviceAttribute", "ints", "IntValues"},
    {"resource.v1.DeviceAttribute", "bools", "BoolValues"},
    {"resource.v1.DeviceAttribute", "strings", "StringValues"},
    {"resource.v1.DeviceAttribute", "versions", "VersionValues"},
    {NULL, "apiGroup", "APIGroup"},
    {NULL, "apiVersion", "APIVersion"},
    {NULL, "cel", "CEL"},
    {NULL, "clusterIP", "ClusterIP"},
    {NULL, "clusterIPs", "ClusterIPs"},
    {NULL, "dnsConfig", "DNSConfig"},
    {NULL, "dnsPolicy", "DNSPolicy"},
    {NULL, "fsGroup", "FSGroup"},
    {NULL, "fsGroupChangePolicy", "FSGroupChangePolicy"},
    {NULL, "grpc", "GRPC"},
    {NULL, "httpGet", "HTTPGet"},
    {NULL, "httpHeaders", "HTTPHeaders"},
    {NULL, "ip", "IP"},
    {NULL, "ips", "IPs"},
    {NULL, "seLinuxOptions", "SELinuxOptions"},
    {NULL, "seLinuxChangePolicy", "SELinuxChangePolicy"},
    {NULL, "tcpSocket", "TCPSocket"},
    {NULL, "tty", "TTY"},
    {NULL, "uid", "UID"},
    {NULL, "uri", "URI"},
    {NULL, "url", "URL"},
};

typedef struct printer {
    dray_buf *out;
    dray_arena *arena;
    dray_value_style style;
    int release;
} printer;

static void print_struct(printer *p, const dray_type *type, const void *body);

static void print_name(printer *p, const dray_type *type, const dray_field *field) {
    if (p->style == DRAY_VALUE_DECLARED || strncmp(type->name, "meta.", 5) == 0) {
        dray_json_write_string(p->out, dray_str_of(field->json), true);
        return;
    }
    for (size_t i = 0; i < DRAY_COUNT(go_names); i++)
        if (strcmp(go_names[i].json, field->json) == 0 &&
            (go_names[i].type == NULL || strcmp(go_names[i].type, type->name) == 0)) {
            dray_buf_addf(p->out, "\"%s\"", go_names[i].go);
            return;
        }
    dray_buf_addf(p->out, "\"%c%s\"", toupper((unsigned char)field->json[0]), field->json + 1);
}

static void print_time(printer *p, const dray_time *time, bool micros) {
    if (!time->set)
        dray_buf_puts(p->out, "null");
    else
        dray_json_write_string(p->out, dray_time_format(*time, micros, p->arena), true);
}

static void print_quantity(printer *p, dray_quantity q) {
    dray_json_write_string(p->out, dray_quantity_format(q, p->arena), true);
}

static void print_int_or_string(printer *p, const dray_int_or_string *value) {
    if (value->kind == DRAY_IOS_STRING)
        dray_json_write_string(p->out, value->s, true);
    else if (value->kind == DRAY_IOS_INT)
        dray_buf_addf(p->out, "%" PRId32, value->i);
    else
        dray_buf_puts(p->out, "null");
}

/* Raw JSON as Go's marshaller copies it: without space, with escapes for <>& and line separators.
 */
static void print_raw(printer *p, dray_str raw) {
    bool quoted = false;
    if (raw.n == 0)
        dray_buf_puts(p->out, "null");
    for (size_t i = 0; i < raw.n; i++) {
        char c = raw.p[i];
        if (!quoted && strchr(" \t\r\n", c) != NULL && c != '\0')
            continue;
        if (quoted && (c == '<' || c == '>' || c == '&')) {
            dray_buf_addf(p->out, "\\u%04x", (unsigned)c);
            continue;
        }
        if (i + 2 < raw.n && memcmp(raw.p + i, "\xe2\x80", 2) == 0 &&
            (raw.p[i + 2] & 0xfe) == 0xa8) {
            dray_buf_addf(p->out, "\\u202%x", (unsigned)raw.p[i + 2] & 0xf);
            i += 2;
            continue;
        }
        dray_buf_putc(p->out, c);
        if (quoted && c == '\\' && i + 1 < raw.n)
            dray_buf_putc(p->out, raw.p[++i]);
        else if (c == '"')
            quoted = !quoted;
    }
}

static void print_base64(printer *p, dray_str bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    dray_buf_putc(p->out, '"');
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t left = bytes.n - i;
        uint32_t group = (uint32_t)(unsigned char)bytes.p[i] << 16;
        group |= left > 1 ? (uint32_t)(unsigned char)bytes.p[i + 1] << 8 : 0;
        group |= left > 2 ? (unsigned char)bytes.p[i + 2] : 0;
        dray_buf_putc(p->out, digits[group >> 18]);
        dray_buf_putc(p->out, digits[group >> 12 & 63]);
        dray_buf_putc(p->out, left > 1 ? digits[group >> 6 & 63] : '=');
        dray_buf_putc(p->out, left > 2 ? digits[group & 63] : '=');
    }
    dray_buf_putc(p->out, '"');
}

/* An element of a list or map: never a pointer. */
static void print_element(printer *p, const dray_field *field, const void *value) {
    switch ((dray_shape)field->shape) {
    case DRAY_SHAPE_STRING:
        dray_json_write_string(p->out, *(const dray_str *)value, true);
        break;
    case DRAY_SHAPE_INT32:
        dray_buf_addf(p->out, "%" PRId32, *(const int32_t *)value);
        break;
    case DRAY_SHAPE_INT64:
        dray_buf_addf(p->out, "%" PRId64, *(const int64_t *)value);
        break;
    case DRAY_SHAPE_BOOL:
        dray_buf_puts(p->out, *(const bool *)value ? "true" : "false");
        break;
    case DRAY_SHAPE_QUANTITY:
        print_quantity(p, *(const dray_quantity *)value);
        break;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        print_time(p, value, field->shape == DRAY_SHAPE_MICRO_TIME);
        break;
    case DRAY_SHAPE_INT_OR_STRING:
        print_int_or_string(p, value);
        break;
    case DRAY_SHAPE_ANY:
        print_raw(p, *(const dray_str *)value);
        break;
    case DRAY_SHAPE_BYTES:
        print_base64(p, *(const dray_str *)value);
        break;
    case DRAY_SHAPE_OBJECT:
        print_struct(p, field->ref, value);
        break;
    case DRAY_SHAPE_STRINGS: {
        const dray_strings *list = value;
        dray_buf_putc(p->out, '[');
        for (size_t i = 0; i < list->n; i++) {
            dray_buf_puts(p->out, i > 0 ? "," : "");
            dray_json_write_string(p->out, list->v[i], true);
        }
        dray_buf_putc(p->out, ']');
        break;
    }
    }
}

static void print_list(printer *p, const dray_field *field, const dray_any_list *list) {
    if (list->v == NULL) {
        dray_buf_puts(p->out, "null");
        return;
    }
    dray_buf_putc(p->out, '[');
    for (size_t i = 0; i < list->n; i++) {
        dray_buf_puts(p->out, i > 0 ? "," : "");
        print_element(p, field, (const char *)list->v + i * dray_field_element_size(field));
    }
    dray_buf_putc(p->out, ']');
}

static void print_map(printer *p, const dray_field *field, const dray_any_map *map) {
    if (map->k == NULL) {
        dray_buf_puts(p->out, "null");
        return;
    }
    dray_buf_putc(p->out, '{');
    for (size_t i = 0; i < map->n; i++) {
        dray_buf_puts(p->out, i > 0 ? "," : "");
        dray_json_write_string(p->out, map->k[i], true);
        dray_buf_putc(p->out, ':');
        print_element(p, field, (const char *)map->v + i * dray_field_element_size(field));
    }
    dray_buf_putc(p->out, '}');
}

/* A pointer field: null or what it points to. */
static void print_pointer(printer *p, const dray_field *field, const void *value) {
    bool set = true;
    const void *target = value;
    switch ((dray_shape)field->shape) {
    case DRAY_SHAPE_INT32:
        set = ((const dray_opt_int32 *)value)->set;
        target = &((const dray_opt_int32 *)value)->v;
        break;
    case DRAY_SHAPE_INT64:
        set = ((const dray_opt_int64 *)value)->set;
        target = &((const dray_opt_int64 *)value)->v;
        break;
    case DRAY_SHAPE_BOOL:
        set = ((const dray_opt_bool *)value)->set;
        target = &((const dray_opt_bool *)value)->v;
        break;
    case DRAY_SHAPE_QUANTITY:
    case DRAY_SHAPE_OBJECT:
        target = *(void *const *)value;
        set = target != NULL;
        break;
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_ANY:
    case DRAY_SHAPE_BYTES:
        set = ((const dray_str *)value)->p != NULL;
        break;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
    case DRAY_SHAPE_INT_OR_STRING:
    case DRAY_SHAPE_STRINGS:
        break; /* they print their own null */
    }
    if (set)
        print_element(p, field, target);
    else
        dray_buf_puts(p->out, "null");
}

static void print_value(printer *p, const dray_field *field, const void *value) {
    if (field->container == DRAY_LIST)
        print_list(p, field, value);
    else if (field->container == DRAY_MAP)
        print_map(p, field, value);
    else if (field->pointer)
        print_pointer(p, field, value);
    else if (field->shape == DRAY_SHAPE_OBJECT)
        print_struct(p, field->ref, *(void *const *)value);
    else
        print_element(p, field, value);
}

/* What omitempty leaves out: never a struct. */
static bool is_left_out(const printer *p, const dray_type *type, const dray_field *field,
                        const void *value) {
    bool versioned = p->style == DRAY_VALUE_DECLARED || strncmp(type->name, "meta.", 5) == 0;
    if (!versioned || !field->omitempty)
        return false;
    if (field->container == DRAY_LIST)
        return ((const dray_any_list *)value)->n == 0;
    if (field->container == DRAY_MAP)
        return ((const dray_any_map *)value)->n == 0;
    switch ((dray_shape)field->shape) {
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_BYTES:
    case DRAY_SHAPE_ANY:
        return field->pointer ? ((const dray_str *)value)->p == NULL
                              : ((const dray_str *)value)->n == 0;
    case DRAY_SHAPE_INT32:
        return field->pointer ? !((const dray_opt_int32 *)value)->set
                              : *(const int32_t *)value == 0;
    case DRAY_SHAPE_INT64:
        return field->pointer ? !((const dray_opt_int64 *)value)->set
                              : *(const int64_t *)value == 0;
    case DRAY_SHAPE_BOOL:
        return field->pointer ? !((const dray_opt_bool *)value)->set : !*(const bool *)value;
    case DRAY_SHAPE_QUANTITY:
    case DRAY_SHAPE_OBJECT:
        return field->pointer && *(void *const *)value == NULL;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        return !((const dray_time *)value)->set;
    case DRAY_SHAPE_INT_OR_STRING:
        return ((const dray_int_or_string *)value)->kind == DRAY_IOS_ABSENT;
    case DRAY_SHAPE_STRINGS:
        return false;
    }
    return false;
}

/* Metadata and the like are embedded in internal types: their members stand in the struct. */
static bool is_embedded(const printer *p, const dray_field *field) {
    return field->inlined ||
           (p->style == DRAY_VALUE_INTERNAL && field->shape == DRAY_SHAPE_OBJECT &&
            field->ref == &dray_type_meta_object_meta && !field->pointer &&
            field->container == DRAY_ONE);
}

static void print_members(printer *p, const dray_type *type, const void *body, bool *first) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *field = &type->fields[i];
        const void *value = (const char *)body + field->offset;
        if (is_embedded(p, field)) {
            print_members(p, field->ref, *(void *const *)value, first);
            continue;
        }
        if (field->since > p->release || (field->until != 0 && field->until < p->release) ||
            is_left_out(p, type, field, value))
            continue;
        if (!*first)
            dray_buf_putc(p->out, ',');
        *first = false;
        print_name(p, type, field);
        dray_buf_putc(p->out, ':');
        print_value(p, field, value);
    }
}

static void print_struct(printer *p, const dray_type *type, const void *body) {
    bool first = true;
    dray_buf_putc(p->out, '{');
    print_members(p, type, body, &first);
    dray_buf_putc(p->out, '}');
}

static dray_str value_struct(dray_arena *arena, const dray_type *type, const void *body,
                             dray_value_style style, int release) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    printer p = {&buf, arena, style, release};
    print_struct(&p, type, body);
    return dray_str_dup(arena, dray_buf_str(&buf));
}

dray_str dray_value_declared(dray_arena *arena, const dray_type *type, const void *body) {
    return value_struct(arena, type, body, DRAY_VALUE_DECLARED, DRAY_RELEASE_NEWEST);
}

dray_str dray_value_internal(dray_arena *arena, const dray_type *type, const void *body,
                             int release) {
    return body == NULL ? DRAY_STR("null")
                        : value_struct(arena, type, body, DRAY_VALUE_INTERNAL, release);
}

dray_str dray_value_member(dray_arena *arena, const dray_type *type, const void *body,
                           uint32_t offset, dray_value_style style, int release) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    printer p = {&buf, arena, style, release};
    for (uint32_t i = 0; i < type->n_fields; i++)
        if (type->fields[i].offset == offset)
            print_value(&p, &type->fields[i], (const char *)body + offset);
    return dray_str_dup(arena, dray_buf_str(&buf));
}
