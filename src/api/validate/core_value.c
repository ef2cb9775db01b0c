/* Values as they stand in messages: JSON in the order of Go's structs, compact or indented. */
#include "api/validate/core_int.h"

enum { DEPTH_LIMIT = 40 };

/* A member of a type's internal form. */
typedef struct internal_row {
    const dray_type *type;
    const char *name; /* "" for an embedded struct */
    uint32_t offset;
    bool always; /* no pointer there: what is absent is 0 */
} internal_row;

static const internal_row rows[] = {
#define INTERNAL(type_, name_, member_) \
    {&dray_type_##type_, name_, offsetof(dray_##type_, member_), false},
#define INTERNAL_VALUE(type_, name_, member_) \
    {&dray_type_##type_, name_, offsetof(dray_##type_, member_), true},
#include "api/tables/internal.def"
#undef INTERNAL
#undef INTERNAL_VALUE
};

typedef struct writer {
    dray_buf out;
    dray_arena *arena;
    int release;
    int depth;
    bool indented;
    bool first; /* no member of the current object yet */
} writer;

static void write_body(writer *w, const dray_type *type, const void *body);

static void new_line(writer *w) {
    if (!w->indented)
        return;
    dray_buf_putc(&w->out, '\n');
    for (int i = 0; i < w->depth; i++)
        dray_buf_putc(&w->out, ' ');
}

static void write_key(writer *w, dray_str name) {
    if (!w->first)
        dray_buf_putc(&w->out, ',');
    w->first = false;
    new_line(w);
    dray_buf_str_add(&w->out, dray_value_json_string(w->arena, name));
    dray_buf_puts(&w->out, w->indented ? ": " : ":");
}

static void write_string(writer *w, dray_str s, bool pointer) {
    if (pointer && s.p == NULL)
        dray_buf_puts(&w->out, "null");
    else
        dray_buf_str_add(&w->out, dray_value_json_string(w->arena, s));
}

static void write_number(writer *w, bool set, int64_t v) {
    if (set)
        dray_buf_addf(&w->out, "%lld", (long long)v);
    else
        dray_buf_puts(&w->out, "null");
}

static void write_bool(writer *w, bool set, bool v) {
    dray_buf_puts(&w->out, !set ? "null" : v ? "true" : "false");
}

static void write_time(writer *w, dray_time t, bool micros) {
    if (!t.set)
        dray_buf_puts(&w->out, "null");
    else
        dray_buf_addf(&w->out, "\"" DRAY_FMT "\"", DRAY_ARG(dray_time_format(t, micros, w->arena)));
}

static void write_quantity(writer *w, const dray_quantity *q) {
    if (q == NULL)
        dray_buf_puts(&w->out, "null");
    else
        dray_buf_addf(&w->out, "\"" DRAY_FMT "\"", DRAY_ARG(dray_quantity_format(*q, w->arena)));
}

static void write_int_or_string(writer *w, const dray_int_or_string *v, bool pointer) {
    if (v->kind == DRAY_IOS_STRING)
        write_string(w, v->s, false);
    else
        write_number(w, v->kind == DRAY_IOS_INT || !pointer, v->i);
}

/* Of rolling updates the internal numbers are no pointers: what is absent shows as 0. */
static bool is_rolling_number(const dray_field *f) {
    const dray_type *types[] = {&dray_type_apps_rolling_update_deployment,
                                &dray_type_apps_rolling_update_daemon_set};
    for (size_t i = 0; i < DRAY_COUNT(types); i++)
        if (f >= types[i]->fields && f < types[i]->fields + types[i]->n_fields)
            return true;
    return false;
}

/* One value of the field's shape; `pointer` says whether it may be absent. */
static void write_one(writer *w, const dray_field *f, const void *at, bool pointer) {
    switch ((dray_shape)f->shape) {
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_BYTES:
        write_string(w, *(const dray_str *)at, pointer);
        break;
    case DRAY_SHAPE_INT32:
        if (pointer)
            write_number(w, ((const dray_opt_int32 *)at)->set, ((const dray_opt_int32 *)at)->v);
        else
            write_number(w, true, *(const int32_t *)at);
        break;
    case DRAY_SHAPE_INT64:
        if (pointer)
            write_number(w, ((const dray_opt_int64 *)at)->set, ((const dray_opt_int64 *)at)->v);
        else
            write_number(w, true, *(const int64_t *)at);
        break;
    case DRAY_SHAPE_BOOL:
        if (pointer)
            write_bool(w, ((const dray_opt_bool *)at)->set, ((const dray_opt_bool *)at)->v);
        else
            write_bool(w, true, *(const bool *)at);
        break;
    case DRAY_SHAPE_QUANTITY:
        write_quantity(w, pointer ? *(dray_quantity *const *)at : at);
        break;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        write_time(w, *(const dray_time *)at, f->shape == DRAY_SHAPE_MICRO_TIME);
        break;
    case DRAY_SHAPE_INT_OR_STRING:
        write_int_or_string(w, at, pointer && !is_rolling_number(f));
        break;
    case DRAY_SHAPE_ANY:
        if (((const dray_str *)at)->p == NULL)
            dray_buf_puts(&w->out, "null");
        else
            dray_buf_str_add(&w->out, *(const dray_str *)at);
        break;
    case DRAY_SHAPE_OBJECT:
        write_body(w, f->ref, at);
        break;
    case DRAY_SHAPE_STRINGS:
        dray_buf_str_add(&w->out, dray_value_strings(w->arena, *(const dray_strings *)at));
        break;
    }
}

static void write_items(writer *w, const dray_field *f, const void *at) {
    const dray_any_list *list = at;
    size_t size = dray_field_element_size(f);
    if (list->v == NULL) {
        dray_buf_puts(&w->out, "null");
        return;
    }
    dray_buf_putc(&w->out, '[');
    w->depth++;
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            dray_buf_putc(&w->out, ',');
        new_line(w);
        write_one(w, f, (const char *)list->v + i * size, false);
    }
    w->depth--;
    if (list->n > 0)
        new_line(w);
    dray_buf_putc(&w->out, ']');
}

static void write_entries(writer *w, const dray_field *f, const void *at) {
    const dray_any_map *map = at;
    size_t size = dray_field_element_size(f);
    if (map->k == NULL) {
        dray_buf_puts(&w->out, "null");
        return;
    }
    bool outer = w->first;
    dray_buf_putc(&w->out, '{');
    w->depth++;
    w->first = true;
    for (size_t i = 0; i < map->n; i++) {
        write_key(w, map->k[i]);
        write_one(w, f, (const char *)map->v + i * size, false);
    }
    w->depth--;
    w->first = outer;
    if (map->n > 0)
        new_line(w);
    dray_buf_putc(&w->out, '}');
}

static void write_field(writer *w, const dray_field *f, const void *at) {
    if (f->container == DRAY_LIST)
        write_items(w, f, at);
    else if (f->container == DRAY_MAP)
        write_entries(w, f, at);
    else if (f->shape == DRAY_SHAPE_OBJECT)
        write_body(w, f->ref, *(void *const *)at);
    else
        write_one(w, f, at, f->pointer);
}

static bool is_empty(const dray_field *f, const void *at) {
    if (f->container == DRAY_LIST)
        return ((const dray_any_list *)at)->n == 0;
    if (f->container == DRAY_MAP)
        return ((const dray_any_map *)at)->n == 0;
    if (f->shape == DRAY_SHAPE_OBJECT)
        return *(void *const *)at == NULL;
    if (f->shape == DRAY_SHAPE_STRING || f->shape == DRAY_SHAPE_ANY)
        return f->pointer ? ((const dray_str *)at)->p == NULL : ((const dray_str *)at)->n == 0;
    if (f->shape == DRAY_SHAPE_TIME || f->shape == DRAY_SHAPE_MICRO_TIME)
        return !((const dray_time *)at)->set;
    if (f->pointer)
        return !*(const bool *)at;
    if (f->shape == DRAY_SHAPE_INT64)
        return *(const int64_t *)at == 0;
    if (f->shape == DRAY_SHAPE_INT32)
        return *(const int32_t *)at == 0;
    if (f->shape == DRAY_SHAPE_BOOL)
        return !*(const bool *)at;
    return false;
}

/* A type without an internal form: its JSON names, what is empty left out. */
static void write_versioned(writer *w, const dray_type *type, const void *body) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *f = &type->fields[i];
        const void *at = (const char *)body + f->offset;
        if (f->omitempty && is_empty(f, at))
            continue;
        write_key(w, dray_str_of(f->json));
        write_field(w, f, at);
    }
}

/* A number: one that is absent reads as 0. */
static void write_value(writer *w, const dray_field *f, const void *at) {
    if (f->shape == DRAY_SHAPE_INT32)
        write_number(w, true, ((const dray_opt_int32 *)at)->v);
    else
        write_one(w, f, at, false);
}

static const dray_field *field_at_offset(const dray_type *type, uint32_t offset) {
    for (uint32_t i = 0; i < type->n_fields; i++)
        if (type->fields[i].offset == offset)
            return &type->fields[i];
    return NULL;
}

static void write_members(writer *w, const dray_type *type, const void *body) {
    bool found = false;
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        if (rows[i].type != type)
            continue;
        found = true;
        const dray_field *f = field_at_offset(type, rows[i].offset);
        const void *at = (const char *)body + rows[i].offset;
        if (f->since > w->release)
            continue;
        if (rows[i].name[0] == '\0') {
            write_members(w, f->ref, *(void *const *)at);
            continue;
        }
        write_key(w, dray_str_of(rows[i].name));
        if (rows[i].always)
            write_value(w, f, at);
        else
            write_field(w, f, at);
    }
    if (!found)
        write_versioned(w, type, body);
}

static void write_body(writer *w, const dray_type *type, const void *body) {
    bool outer = w->first;
    if (body == NULL || w->depth >= DEPTH_LIMIT) {
        dray_buf_puts(&w->out, "null");
        return;
    }
    dray_buf_putc(&w->out, '{');
    w->depth++;
    w->first = true;
    write_members(w, type, body);
    w->depth--;
    if (!w->first)
        new_line(w);
    w->first = outer;
    dray_buf_putc(&w->out, '}');
}

static dray_str write_all(dray_arena *arena, const dray_type *type, const void *body, int release,
                          bool indented) {
    writer w = {.arena = arena, .release = release, .indented = indented, .first = true};
    write_body(&w, type, body);
    dray_str text = dray_str_dup(arena, dray_buf_str(&w.out));
    dray_buf_done(&w.out);
    return text;
}

dray_str dray_core_value_internal(dray_arena *arena, const dray_type *type, const void *body,
                                  int release) {
    return write_all(arena, type, body, release, false);
}

dray_str dray_core_value_json(dray_arena *arena, const dray_type *type, const void *body) {
    return write_all(arena, type, body, DRAY_RELEASE_NEWEST, false);
}

dray_str dray_core_value_indented(dray_arena *arena, const dray_type *type, const void *body,
                                  int release) {
    return write_all(arena, type, body, release, true);
}
