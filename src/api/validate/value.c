/* Values as Go prints them in messages: JSON of versioned or internal types, compact or indented.
 */
#include "api/validate/value.h"

#include "api/engine_int.h"
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
    {"core.v1.AzureDiskVolumeSource", "diskURI", "DataDiskURI"},
    {"core.v1.GlusterfsVolumeSource", "endpoints", "EndpointsName"},
    {"core.v1.PodSpec", "serviceAccount", "DeprecatedServiceAccount"},
    {"core.v1.RBDVolumeSource", "image", "RBDImage"},
    {"core.v1.RBDVolumeSource", "monitors", "CephMonitors"},
    {"core.v1.RBDVolumeSource", "pool", "RBDPool"},
    {"core.v1.RBDVolumeSource", "user", "RadosUser"},
    {"resource.v1.DeviceAttribute", "bool", "BoolValue"},
    {"resource.v1.DeviceAttribute", "bools", "BoolValues"},
    {"resource.v1.DeviceAttribute", "int", "IntValue"},
    {"resource.v1.DeviceAttribute", "ints", "IntValues"},
    {"resource.v1.DeviceAttribute", "string", "StringValue"},
    {"resource.v1.DeviceAttribute", "strings", "StringValues"},
    {"resource.v1.DeviceAttribute", "version", "VersionValue"},
    {"resource.v1.DeviceAttribute", "versions", "VersionValues"},
    {NULL, "apiGroup", "APIGroup"},
    {NULL, "apiVersion", "APIVersion"},
    {NULL, "awsElasticBlockStore", "AWSElasticBlockStore"},
    {NULL, "cel", "CEL"},
    {NULL, "cephfs", "CephFS"},
    {NULL, "chapAuthDiscovery", "DiscoveryCHAPAuth"},
    {NULL, "chapAuthSession", "SessionCHAPAuth"},
    {NULL, "clusterIP", "ClusterIP"},
    {NULL, "clusterIPs", "ClusterIPs"},
    {NULL, "csi", "CSI"},
    {NULL, "dnsConfig", "DNSConfig"},
    {NULL, "dnsPolicy", "DNSPolicy"},
    {NULL, "fc", "FC"},
    {NULL, "fsGroup", "FSGroup"},
    {NULL, "fsGroupChangePolicy", "FSGroupChangePolicy"},
    {NULL, "fsType", "FSType"},
    {NULL, "gcePersistentDisk", "GCEPersistentDisk"},
    {NULL, "gmsaCredentialSpec", "GMSACredentialSpec"},
    {NULL, "gmsaCredentialSpecName", "GMSACredentialSpecName"},
    {NULL, "grpc", "GRPC"},
    {NULL, "httpGet", "HTTPGet"},
    {NULL, "httpHeaders", "HTTPHeaders"},
    {NULL, "ip", "IP"},
    {NULL, "ips", "IPs"},
    {NULL, "iqn", "IQN"},
    {NULL, "iscsi", "ISCSI"},
    {NULL, "iscsiInterface", "ISCSIInterface"},
    {NULL, "nfs", "NFS"},
    {NULL, "os", "OS"},
    {NULL, "pdName", "PDName"},
    {NULL, "rbd", "RBD"},
    {NULL, "seLinuxChangePolicy", "SELinuxChangePolicy"},
    {NULL, "seLinuxOptions", "SELinuxOptions"},
    {NULL, "sslEnabled", "SSLEnabled"},
    {NULL, "storageos", "StorageOS"},
    {NULL, "tcpSocket", "TCPSocket"},
    {NULL, "tty", "TTY"},
    {NULL, "uid", "UID"},
    {NULL, "uri", "URI"},
    {NULL, "url", "URL"},
    {NULL, "wwids", "WWIDs"},
};

/* Numbers that are pointers in the versioned type alone: what is absent shows as 0. */
static const struct {
    const dray_type *type;
    uint32_t offset;
} plain_members[] = {
#define PLAIN(type_, member_) {&dray_type_##type_, offsetof(dray_##type_, member_)}
    PLAIN(apps_rolling_update_daemon_set, max_unavailable),
    PLAIN(apps_rolling_update_daemon_set, max_surge),
    PLAIN(apps_rolling_update_deployment, max_unavailable),
    PLAIN(apps_rolling_update_deployment, max_surge),
    PLAIN(apps_rolling_update_stateful_set_strategy, partition),
#undef PLAIN
};

enum { DEPTH_LIMIT = 40 };

typedef struct printer {
    dray_buf *out;
    dray_arena *arena;
    dray_value_style style;
    int release;
    bool indented;
    int depth;
} printer;

static const dray_field strings_field = {.shape = DRAY_SHAPE_STRING, .container = DRAY_LIST};
static const dray_field string_map_field = {.shape = DRAY_SHAPE_STRING, .container = DRAY_MAP};

static void print_value(printer *p, const dray_field *field, const void *value);
static void print_struct(printer *p, const dray_type *type, const void *body);

/* Types of meta/v1 have no internal form. */
static bool is_versioned(const printer *p, const dray_type *type) {
    return p->style == DRAY_VALUE_DECLARED || strncmp(type->name, "meta.", 5) == 0;
}

static void new_line(printer *p) {
    if (!p->indented)
        return;
    dray_buf_putc(p->out, '\n');
    for (int i = 0; i < p->depth; i++)
        dray_buf_putc(p->out, ' ');
}

static void open_group(printer *p, char bracket) {
    dray_buf_putc(p->out, bracket);
    p->depth++;
}

static void next_item(printer *p, bool first) {
    dray_buf_puts(p->out, first ? "" : ",");
    new_line(p);
}

static void close_group(printer *p, char bracket, bool empty) {
    p->depth--;
    if (!empty)
        new_line(p);
    dray_buf_putc(p->out, bracket);
}

static void print_string(printer *p, dray_str s) {
    dray_json_write_string(p->out, s, true);
}

static void print_key(printer *p, dray_str key) {
    print_string(p, key);
    dray_buf_puts(p->out, p->indented ? ": " : ":");
}

static dray_str go_name(printer *p, const dray_type *type, const dray_field *field) {
    if (is_versioned(p, type))
        return dray_str_of(field->json);
    for (size_t i = 0; i < DRAY_COUNT(go_names); i++)
        if (strcmp(go_names[i].json, field->json) == 0 &&
            (go_names[i].type == NULL || strcmp(go_names[i].type, type->name) == 0))
            return dray_str_of(go_names[i].go);
    return dray_strf(p->arena, "%c%s", toupper((unsigned char)field->json[0]), field->json + 1);
}

static void print_time(printer *p, const dray_time *time, bool micros) {
    if (!time->set)
        dray_buf_puts(p->out, "null");
    else
        print_string(p, dray_time_format(*time, micros, p->arena));
}

static void print_int_or_string(printer *p, const dray_int_or_string *value) {
    if (value->kind == DRAY_IOS_STRING)
        print_string(p, value->s);
    else
        dray_buf_addf(p->out, "%" PRId32, value->i);
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
        print_string(p, *(const dray_str *)value);
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
        print_string(p, dray_quantity_format(*(const dray_quantity *)value, p->arena));
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
    case DRAY_SHAPE_STRINGS:
        print_value(p, &strings_field, value);
        break;
    }
}

static void print_list(printer *p, const dray_field *field, const dray_any_list *list) {
    if (list->v == NULL) {
        dray_buf_puts(p->out, "null");
        return;
    }
    open_group(p, '[');
    for (size_t i = 0; i < list->n; i++) {
        next_item(p, i == 0);
        print_element(p, field, (const char *)list->v + i * dray_field_element_size(field));
    }
    close_group(p, ']', list->n == 0);
}

static void print_map(printer *p, const dray_field *field, const dray_any_map *map) {
    if (map->k == NULL) {
        dray_buf_puts(p->out, "null");
        return;
    }
    open_group(p, '{');
    for (size_t i = 0; i < map->n; i++) {
        next_item(p, i == 0);
        print_key(p, map->k[i]);
        print_element(p, field, (const char *)map->v + i * dray_field_element_size(field));
    }
    close_group(p, '}', map->n == 0);
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
    case DRAY_SHAPE_INT_OR_STRING:
        set = ((const dray_int_or_string *)value)->kind != DRAY_IOS_ABSENT;
        break;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
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

/* Metadata and the like are embedded in internal types: their members stand in the struct. */
static bool is_embedded(const printer *p, const dray_field *field) {
    return field->inlined ||
           (p->style == DRAY_VALUE_INTERNAL && field->shape == DRAY_SHAPE_OBJECT &&
            field->ref == &dray_type_meta_object_meta && !field->pointer &&
            field->container == DRAY_ONE);
}

static bool is_known(const printer *p, const dray_field *field) {
    return field->since <= p->release && (field->until == 0 || field->until >= p->release);
}

static bool is_plain(const dray_type *type, const dray_field *field) {
    for (size_t i = 0; i < DRAY_COUNT(plain_members); i++)
        if (plain_members[i].type == type && plain_members[i].offset == field->offset)
            return true;
    return false;
}

static void print_plain(printer *p, const dray_field *field, const void *value) {
    if (field->shape == DRAY_SHAPE_INT32)
        print_element(p, field, &((const dray_opt_int32 *)value)->v);
    else
        print_element(p, field, value);
}

static void print_members(printer *p, const dray_type *type, const void *body, bool *first) {
    bool versioned = is_versioned(p, type);
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *field = &type->fields[i];
        const void *value = field_in(field, body);
        if (!is_known(p, field) ||
            (versioned && field->omitempty && dray_api_is_zero(field, value)))
            continue;
        if (is_embedded(p, field)) {
            print_members(p, field->ref, *(void *const *)value, first);
            continue;
        }
        next_item(p, *first);
        *first = false;
        print_key(p, go_name(p, type, field));
        if (!versioned && is_plain(type, field))
            print_plain(p, field, value);
        else
            print_value(p, field, value);
    }
}

static void print_struct(printer *p, const dray_type *type, const void *body) {
    if (body == NULL || p->depth >= DEPTH_LIMIT) {
        dray_buf_puts(p->out, "null");
        return;
    }
    bool first = true;
    open_group(p, '{');
    print_members(p, type, body, &first);
    close_group(p, '}', first);
}

static dray_str value_struct(printer p, const dray_type *type, const void *body) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    p.out = &buf;
    print_struct(&p, type, body);
    return dray_str_dup(p.arena, dray_buf_str(&buf));
}

static dray_str value_field(printer p, const dray_field *field, const void *value) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    p.out = &buf;
    print_value(&p, field, value);
    return dray_str_dup(p.arena, dray_buf_str(&buf));
}

dray_str dray_value_declared(dray_arena *arena, const dray_type *type, const void *body) {
    return value_struct((printer){.arena = arena, .release = DRAY_RELEASE_NEWEST}, type, body);
}

dray_str dray_value_internal(dray_arena *arena, const dray_type *type, const void *body,
                             int release) {
    return value_struct((printer){.arena = arena, .style = DRAY_VALUE_INTERNAL, .release = release},
                        type, body);
}

dray_str dray_value_indented(dray_arena *arena, const dray_type *type, const void *body,
                             int release) {
    return value_struct(
        (printer){
            .arena = arena, .style = DRAY_VALUE_INTERNAL, .release = release, .indented = true},
        type, body);
}

dray_str dray_value_member(dray_arena *arena, const dray_type *type, const void *body,
                           uint32_t offset, dray_value_style style, int release) {
    return value_field((printer){.arena = arena, .style = style, .release = release},
                       field_by_offset(type, offset), (const char *)body + offset);
}

dray_str dray_value_strings(dray_arena *arena, dray_strings list) {
    return value_field((printer){.arena = arena}, &strings_field, &list);
}

dray_str dray_value_string_map(dray_arena *arena, dray_string_map map) {
    return value_field((printer){.arena = arena}, &string_map_field, &map);
}
