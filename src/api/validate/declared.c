/* Declared validation rules: walks an object's tables, and lets what it finds replace written
 * errors. */
#include "api/validate/declared_int.h"

#include "api/engine_int.h"
#include "base/map.h"
#include "base/utf8.h"
#include "obj/names.h"

#include <string.h>

enum { CACHE = 64 };

static const dray_declared_row rows[] = {
#define DECLARED(type_, member_, rule_, stage_, ...) \
    {.type = &dray_type_##type_,                     \
     .offset = offsetof(dray_##type_, member_),      \
     .rule = DRAY_DECLARED_##rule_,                  \
     .stage = DRAY_STAGE_##stage_,                   \
     .gate = DRAY_GATE_COUNT,                        \
     ##__VA_ARGS__},
#define DECLARED_TYPE(type_, rule_, stage_, ...) \
    {.type = &dray_type_##type_,                 \
     .offset = (uint32_t)DRAY_DECLARED_TYPE_ROW, \
     .rule = DRAY_DECLARED_##rule_,              \
     .stage = DRAY_STAGE_##stage_,               \
     .gate = DRAY_GATE_COUNT,                    \
     ##__VA_ARGS__},
#include "api/validate/declared.def"
#undef DECLARED
#undef DECLARED_TYPE
};

/* The rows of one type: they stand together. */
typedef struct run {
    const dray_type *type;
    uint32_t first, n;
} run;

typedef struct walk {
    dray_request *rq;
    dray_errors *errors; /* only declared ones */
    run cache[CACHE];
} walk;

/* A member of an object, beside the old object's. */
typedef struct spot {
    const dray_field *field;
    const void *obj, *old; /* the structs; old may be NULL */
    const void *value;     /* the member of obj */
    dray_path path;
} spot;

static run run_of(walk *w, const dray_type *type) {
    run *slot = &w->cache[((uintptr_t)type >> 4) % CACHE];
    if (slot->type == type)
        return *slot;
    *slot = (run){.type = type};
    for (uint32_t i = 0; i < DRAY_COUNT(rows); i++) {
        if (rows[i].type != type)
            continue;
        if (slot->n == 0)
            slot->first = i;
        slot->n++;
    }
    return *slot;
}

static const dray_field *field_named(const dray_type *type, dray_str json) {
    for (uint32_t i = 0; i < type->n_fields; i++)
        if (dray_str_is(json, type->fields[i].json))
            return &type->fields[i];
    return NULL;
}

static int64_t number_of(const dray_field *field, const void *value) {
    if (field->shape == DRAY_SHAPE_INT32)
        return field->pointer ? ((const dray_opt_int32 *)value)->v : *(const int32_t *)value;
    return field->pointer ? ((const dray_opt_int64 *)value)->v : *(const int64_t *)value;
}

static void add(walk *w, dray_field_error_type type, const dray_path *path, dray_str value,
                dray_str detail, const char *origin) {
    size_t from = w->errors->list.n;
    dray_errors_add(w->errors, type, path, value, detail);
    dray_errors_mark(w->errors, from, origin, false);
}

/* Formats. */

typedef size_t name_check(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);

static void add_format(dray_errors *errors, name_check *check, dray_str s, const char *prefix,
                       const dray_path *path) {
    dray_str found[DRAY_NAME_TEXTS];
    size_t n = check(s, found, errors->arena);
    for (size_t i = 0; i < n; i++)
        dray_errors_add(errors, DRAY_FIELD_INVALID, path, dray_value_quote(errors->arena, s),
                        dray_strf(errors->arena, "%s" DRAY_FMT, prefix, DRAY_ARG(found[i])));
}

static void add_too_long(dray_errors *errors, const dray_path *path, int64_t limit,
                         const char *unit) {
    dray_errors_add(errors, DRAY_FIELD_TOO_LONG, path, DRAY_STR_NONE,
                    dray_strf(errors->arena, "may not be more than %d %s%s", (int)limit, unit,
                              limit == 1 ? "" : "s"));
}

static void check_pool_name(dray_errors *errors, dray_str s, const dray_path *path) {
    if (s.n > 253)
        add_too_long(errors, path, 253, "byte");
    dray_str part, rest = s;
    bool more = true;
    for (int i = 0; more; i++) {
        more = dray_str_cut(rest, '/', &part, &rest);
        if (part.n == 0) {
            dray_errors_add(errors, DRAY_FIELD_INVALID, path, dray_value_quote(errors->arena, s),
                            dray_strf(errors->arena, "segment %d: must not be empty", i));
            continue;
        }
        dray_str prefix = dray_strf(errors->arena, "segment %d: ", i);
        add_format(errors, dray_check_long_name, part, prefix.p, path);
    }
}

static void check_identifier(dray_errors *errors, dray_str id, const dray_path *path) {
    if (id.n > 32)
        add_too_long(errors, path, 32, "byte");
    add_format(errors, dray_check_c_identifier, id, "", path);
}

/* domain/name; more than one slash is accepted, as upstream does. */
static void check_fully_qualified(dray_errors *errors, dray_str s, const dray_path *path) {
    dray_str domain, name, rest;
    if (!dray_str_cut(s, '/', &domain, &name)) {
        check_identifier(errors, s, path);
        dray_errors_add(errors, DRAY_FIELD_INVALID, path, dray_value_quote(errors->arena, s),
                        DRAY_STR("a fully qualified name must be a domain and a name separated by "
                                 "a slash"));
        return;
    }
    if (dray_str_cut(name, '/', &name, &rest))
        return;
    if (domain.n == 0)
        dray_errors_add(errors, DRAY_FIELD_INVALID, path, DRAY_STR("\"\""),
                        DRAY_STR("prefix must not be empty"));
    if (domain.n > 63)
        add_too_long(errors, path, 63, "byte");
    if (domain.n > 0)
        add_format(errors, dray_check_long_name, domain, "prefix: ", path);
    if (name.n == 0)
        dray_errors_add(errors, DRAY_FIELD_INVALID, path, DRAY_STR("\"\""),
                        DRAY_STR("name must not be empty"));
    else
        check_identifier(errors, name, path);
}

static void check_uuid(dray_errors *errors, dray_str s, const dray_path *path) {
    if (!dray_is_uuid(s))
        dray_errors_add(errors, DRAY_FIELD_INVALID, path, dray_value_quote(errors->arena, s),
                        DRAY_STR("must be a lowercase UUID in 8-4-4-4-12 format"));
}

void dray_declared_format(dray_errors *errors, dray_declared_rule rule, dray_str s,
                          const dray_path *path) {
    static const struct format {
        dray_declared_rule rule;
        name_check *check; /* a list of texts, or … */
        void (*own)(dray_errors *errors, dray_str s, const dray_path *path);
        const char *origin;
    } formats[] = {
        {DRAY_DECLARED_SHORT_NAME, dray_check_short_name, NULL, "format=k8s-short-name"},
        {DRAY_DECLARED_LONG_NAME, dray_check_long_name, NULL, "format=k8s-long-name"},
        {DRAY_DECLARED_LONG_NAME_CASELESS, dray_check_long_name_caseless, NULL,
         "format=k8s-long-name-caseless"},
        {DRAY_DECLARED_LABEL_KEY, dray_check_label_key, NULL, "format=k8s-label-key"},
        {DRAY_DECLARED_EXTENDED_RESOURCE, dray_check_extended_resource, NULL,
         "format=k8s-extended-resource-name"},
        {DRAY_DECLARED_UUID, NULL, check_uuid, "format=k8s-uuid"},
        {DRAY_DECLARED_POOL_NAME, NULL, check_pool_name, "format=k8s-resource-pool-name"},
        {DRAY_DECLARED_FULLY_QUALIFIED, NULL, check_fully_qualified,
         "format=k8s-resource-fully-qualified-name"},
    };
    size_t from = errors->list.n;
    for (size_t i = 0; i < DRAY_COUNT(formats); i++) {
        if (formats[i].rule != rule)
            continue;
        if (formats[i].check != NULL)
            add_format(errors, formats[i].check, s, "", path);
        else
            formats[i].own(errors, s, path);
        dray_errors_mark(errors, from, formats[i].origin, false);
        return;
    }
}

/* Words. */

static bool is_word(const char *words, dray_str s) {
    dray_str word, rest = dray_str_of(words);
    bool more = true;
    while (more) {
        more = dray_str_cut(rest, '|', &word, &rest);
        if (dray_str_eq(word, s))
            return true;
    }
    return false;
}

static int compare_words(const void *a, const void *b, void *context) {
    (void)context;
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_enum(walk *w, const char *words, dray_str s, const dray_path *path) {
    enum { MAX_WORDS = 8 };
    if (is_word(words, s))
        return;
    const char *list[MAX_WORDS];
    size_t n = 0;
    dray_str word, rest = dray_str_of(words);
    bool more = true;
    while (more && n < MAX_WORDS) {
        more = dray_str_cut(rest, '|', &word, &rest);
        list[n++] = dray_str_dup(w->errors->arena, word).p;
    }
    dray_sort(list, n, sizeof *list, compare_words, NULL);
    add(w, DRAY_FIELD_NOT_SUPPORTED, path, dray_value_json_string(w->errors->arena, s),
        dray_detail_supported(w->errors->arena, list, n), NULL);
}

/* Lists. */

/* What identifies an element: the key members' values, or the element itself. */
static dray_str element_key(walk *w, const dray_field *list, const void *element,
                            const char *members) {
    if (members == NULL)
        return *(const dray_str *)element;
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_str name, rest = dray_str_of(members);
    bool more = true;
    while (more) {
        more = dray_str_cut(rest, '|', &name, &rest);
        const dray_field *field = field_named(list->ref, name);
        const dray_str *value = (const void *)((const char *)element + field->offset);
        if (field->pointer && value->p == NULL)
            dray_buf_putc(&buf, '-');
        dray_buf_addf(&buf, "%zu:", value->n);
        dray_buf_str_add(&buf, *value);
    }
    return dray_str_dup(w->errors->arena, dray_buf_str(&buf));
}

static const void *element_at(const dray_field *field, const dray_any_list *list, size_t i) {
    return (const char *)list->v + i * dray_field_element_size(field);
}

static void check_unique(walk *w, const dray_declared_row *row, const spot *s) {
    const dray_any_list *list = s->value;
    dray_map seen = dray_map_new(w->errors->arena);
    for (size_t i = 0; i < list->n; i++) {
        const void *element = element_at(s->field, list, i);
        dray_map_entry *entry =
            dray_map_entry_of(&seen, element_key(w, s->field, element, row->text));
        if (entry->value == NULL) {
            entry->value = w;
            continue;
        }
        dray_path path = dray_path_index(&s->path, i);
        dray_str value;
        if (s->field->shape == DRAY_SHAPE_OBJECT)
            value = dray_value_declared(w->errors->arena, s->field->ref, element);
        else if (row->rule == DRAY_DECLARED_UNIQUE_ENUM)
            value = dray_value_json_string(w->errors->arena, *(const dray_str *)element);
        else
            value = dray_value_quote(w->errors->arena, *(const dray_str *)element);
        add(w, DRAY_FIELD_DUPLICATE, &path, value, DRAY_STR_NONE, NULL);
    }
}

static bool old_list_has(const spot *s, dray_str word) {
    if (s->old == NULL)
        return false;
    const dray_strings *old = (const void *)((const char *)s->old + s->field->offset);
    for (size_t i = 0; i < old->n; i++)
        if (dray_str_eq(old->v[i], word))
            return true;
    return false;
}

static void check_each_string(walk *w, const dray_declared_row *row, const spot *s) {
    const dray_strings *list = s->value;
    for (size_t i = 0; i < list->n; i++) {
        if (w->rq->update && old_list_has(s, list->v[i]))
            continue;
        dray_path path = dray_path_index(&s->path, i);
        if (row->rule == DRAY_DECLARED_EACH_ENUM)
            check_enum(w, row->text, list->v[i], &path);
        else
            dray_declared_format(w->errors, DRAY_DECLARED_SHORT_NAME, list->v[i], &path);
    }
}

static const void *old_map_value(const spot *s, dray_str key) {
    if (s->old == NULL)
        return NULL;
    const dray_any_map *old = (const void *)((const char *)s->old + s->field->offset);
    for (size_t i = 0; i < old->n; i++)
        if (dray_str_eq(old->k[i], key))
            return (const char *)old->v + i * dray_field_element_size(s->field);
    return NULL;
}

static void check_each_key(walk *w, const spot *s) {
    const dray_any_map *map = s->value;
    for (size_t i = 0; i < map->n; i++)
        if (!w->rq->update || old_map_value(s, map->k[i]) == NULL)
            dray_declared_format(w->errors, DRAY_DECLARED_SHORT_NAME, map->k[i], &s->path);
}

/* Types. */

static void check_struct(walk *w, const dray_type *type, const void *obj, const void *old,
                         const dray_path *path);

static bool member_is_set(const dray_type *type, dray_str name, const void *obj) {
    const dray_field *field = field_named(type, name);
    return obj != NULL && !dray_api_is_zero(field, (const char *)obj + field->offset);
}

static void wrong_union(walk *w, const dray_declared_row *row, const void *obj, size_t n,
                        const dray_path *path) {
    DRAY_CLEANUP_BUF dray_buf all = DRAY_BUF_INIT;
    DRAY_CLEANUP_BUF dray_buf set = DRAY_BUF_INIT;
    bool more = true;
    dray_str name, rest = dray_str_of(row->text);
    while (more) {
        more = dray_str_cut(rest, '|', &name, &rest);
        dray_buf_addf(&all, "%s`" DRAY_FMT "`", all.n > 0 ? ", " : "", DRAY_ARG(name));
        if (member_is_set(row->type, name, obj))
            dray_buf_addf(&set, "%s" DRAY_FMT, set.n > 0 ? ", " : "", DRAY_ARG(name));
    }
    dray_arena *arena = w->errors->arena;
    dray_str value = n == 0 ? DRAY_STR("") : dray_strf(arena, "{%s}", dray_buf_cstr(&set));
    add(w, DRAY_FIELD_INVALID, path, dray_value_quote(arena, value),
        dray_strf(arena, "must specify %sone of: %s", n == 0 ? "" : "exactly ",
                  dray_buf_cstr(&all)),
        "union");
}

static void check_union(walk *w, const dray_declared_row *row, const void *obj, const void *old,
                        const dray_path *path) {
    size_t n = 0;
    bool changed = false, more = true;
    dray_str name, rest = dray_str_of(row->text);
    while (more) {
        more = dray_str_cut(rest, '|', &name, &rest);
        bool is_set = member_is_set(row->type, name, obj);
        changed = changed || is_set != member_is_set(row->type, name, old);
        n += is_set;
    }
    if (n != 1 && (!w->rq->update || old == NULL || changed))
        wrong_union(w, row, obj, n, path);
}

static void into_list(walk *w, const spot *s, const char *key, bool correlated) {
    const dray_any_list *list = s->value;
    const dray_any_list *old =
        s->old != NULL ? (const void *)((const char *)s->old + s->field->offset) : NULL;
    dray_map by_key = dray_map_new(w->errors->arena);
    for (size_t i = 0; correlated && old != NULL && i < old->n; i++) {
        const void *element = element_at(s->field, old, i);
        dray_map_entry *entry = dray_map_entry_of(&by_key, element_key(w, s->field, element, key));
        if (entry->value == NULL)
            entry->value = (void *)(uintptr_t)element;
    }
    for (size_t i = 0; i < list->n; i++) {
        const void *element = element_at(s->field, list, i), *before = NULL;
        if (by_key.n > 0)
            before = dray_map_find(&by_key, element_key(w, s->field, element, key));
        if (w->rq->update && before != NULL && dray_api_equal(s->field->ref, element, before))
            continue;
        dray_path path = dray_path_index(&s->path, i);
        check_struct(w, s->field->ref, element, before, &path);
    }
}

static void into(walk *w, const spot *s, const char *key, bool correlated) {
    const void *old = s->old != NULL ? (const char *)s->old + s->field->offset : NULL;
    if (s->field->container == DRAY_LIST) {
        into_list(w, s, key, correlated);
        return;
    }
    if (s->field->container == DRAY_ONE) {
        check_struct(w, s->field->ref, *(void *const *)s->value,
                     old != NULL ? *(void *const *)old : NULL, &s->path);
        return;
    }
    const dray_any_map *map = s->value;
    for (size_t i = 0; i < map->n; i++) {
        const void *value = (const char *)map->v + i * s->field->ref->size;
        const void *before = old_map_value(s, map->k[i]);
        if (w->rq->update && before != NULL && dray_api_equal(s->field->ref, value, before))
            continue;
        dray_path path = dray_path_key(&s->path, map->k[i]);
        check_struct(w, s->field->ref, value, before, &path);
    }
}

static void check_name(walk *w, const spot *s) {
    const dray_meta_object_meta *meta = *(dray_meta_object_meta *const *)s->value;
    if (meta->name.n == 0)
        return;
    dray_path path = dray_path_child(&s->path, "name");
    dray_declared_format(w->errors, DRAY_DECLARED_LONG_NAME, meta->name, &path);
}

static bool check_no_modify(walk *w, const spot *s) {
    if (!w->rq->update || dray_api_is_zero(s->field, s->value) || s->old == NULL ||
        dray_api_is_zero(s->field, (const char *)s->old + s->field->offset))
        return false;
    add(w, DRAY_FIELD_INVALID, &s->path, DRAY_STR("null"),
        DRAY_STR("field cannot be modified once set"), "update");
    return true;
}

static bool check_max_items(walk *w, int64_t limit, const spot *s) {
    size_t n = ((const dray_any_list *)s->value)->n;
    if (n <= (size_t)limit)
        return false;
    dray_arena *arena = w->errors->arena;
    add(w, DRAY_FIELD_TOO_MANY, &s->path, dray_value_int(arena, (int64_t)n),
        dray_strf(arena, "must have at most %d item%s", (int)limit, limit == 1 ? "" : "s"),
        "maxItems");
    return true;
}

/* The rules after which a member's others are not looked at; true when one of them spoke. */
static bool check_first(walk *w, const dray_declared_row *row, const spot *s) {
    bool absent = dray_api_is_zero(s->field, s->value);
    if (row->rule == DRAY_DECLARED_REQUIRED) {
        if (absent)
            add(w, DRAY_FIELD_REQUIRED, &s->path, DRAY_STR_NONE, DRAY_STR_NONE, NULL);
        return absent;
    }
    if (row->rule == DRAY_DECLARED_NEEDS_GATE && !dray_request_gate(w->rq, row->gate)) {
        if (!absent)
            add(w, DRAY_FIELD_FORBIDDEN, &s->path, DRAY_STR_NONE, DRAY_STR_NONE, NULL);
        return true;
    }
    if (row->rule == DRAY_DECLARED_IMMUTABLE && w->rq->update) {
        add(w, DRAY_FIELD_INVALID, &s->path, DRAY_STR("null"), DRAY_STR("field is immutable"),
            "immutable");
        return true;
    }
    if (row->rule == DRAY_DECLARED_NO_MODIFY)
        return check_no_modify(w, s);
    return row->rule == DRAY_DECLARED_MAX_ITEMS && check_max_items(w, row->n, s);
}

static void check_number(walk *w, const dray_declared_row *row, const spot *s) {
    int64_t value = number_of(s->field, s->value);
    bool minimum = row->rule == DRAY_DECLARED_MINIMUM;
    if (minimum ? value >= row->n : value <= row->n)
        return;
    dray_arena *arena = w->errors->arena;
    add(w, DRAY_FIELD_INVALID, &s->path, dray_value_int(arena, value),
        dray_strf(arena, "must be %s than or equal to %d", minimum ? "greater" : "less",
                  (int)row->n),
        minimum ? "minimum" : "maximum");
}

static void check_length(walk *w, const dray_declared_row *row, const spot *s) {
    const dray_str *text = s->value;
    bool bytes = row->rule == DRAY_DECLARED_MAX_BYTES;
    if (text->n <= (size_t)row->n || (!bytes && dray_utf8_count(*text) <= (size_t)row->n))
        return;
    size_t from = w->errors->list.n;
    add_too_long(w->errors, &s->path, row->n, bytes ? "byte" : "character");
    dray_errors_mark(w->errors, from, bytes ? "maxBytes" : "maxLength", false);
}

/* The rules of a member that is there. key is that of the member's UNIQUE row. */
static void check_then(walk *w, const dray_declared_row *row, const spot *s,
                       const dray_declared_row *unique) {
    switch ((dray_declared_rule)row->rule) {
    case DRAY_DECLARED_UNIQUE:
    case DRAY_DECLARED_UNIQUE_ENUM:
        check_unique(w, row, s);
        break;
    case DRAY_DECLARED_MAX_BYTES:
    case DRAY_DECLARED_MAX_LENGTH:
        check_length(w, row, s);
        break;
    case DRAY_DECLARED_MINIMUM:
    case DRAY_DECLARED_MAXIMUM:
        check_number(w, row, s);
        break;
    case DRAY_DECLARED_ENUM:
        check_enum(w, row->text, *(const dray_str *)s->value, &s->path);
        break;
    case DRAY_DECLARED_NAME:
        check_name(w, s);
        break;
    case DRAY_DECLARED_EACH_ENUM:
    case DRAY_DECLARED_EACH_SHORT_NAME:
        check_each_string(w, row, s);
        break;
    case DRAY_DECLARED_EACH_KEY_SHORT_NAME:
        check_each_key(w, s);
        break;
    case DRAY_DECLARED_INTO:
        into(w, s, unique != NULL ? unique->text : NULL, unique != NULL);
        break;
    case DRAY_DECLARED_SHORT_NAME:
    case DRAY_DECLARED_LONG_NAME:
    case DRAY_DECLARED_LONG_NAME_CASELESS:
    case DRAY_DECLARED_LABEL_KEY:
    case DRAY_DECLARED_UUID:
    case DRAY_DECLARED_POOL_NAME:
    case DRAY_DECLARED_FULLY_QUALIFIED:
    case DRAY_DECLARED_EXTENDED_RESOURCE:
        dray_declared_format(w->errors, row->rule, *(const dray_str *)s->value, &s->path);
        break;
    case DRAY_DECLARED_REQUIRED:
    case DRAY_DECLARED_NEEDS_GATE:
    case DRAY_DECLARED_IMMUTABLE:
    case DRAY_DECLARED_NO_MODIFY:
    case DRAY_DECLARED_MAX_ITEMS:
    case DRAY_DECLARED_UNION:
        break; /* check_first's, check_struct's */
    }
}

/* Errors of beta rules may replace written ones. */
static void mark_stage(walk *w, const dray_declared_row *row, size_t from) {
    if (row->stage == DRAY_STAGE_BETA && row->rule != DRAY_DECLARED_INTO)
        dray_errors_mark(w->errors, from, NULL, true);
}

static void check_member(walk *w, const dray_declared_row *row, size_t n, const spot *s) {
    dray_type alone = {
        .name = row->type->name, .size = row->type->size, .n_fields = 1, .fields = s->field};
    if (w->rq->update && s->old != NULL && dray_api_equal(&alone, s->obj, s->old))
        return;
    const dray_declared_row *unique = NULL;
    bool stop = false;
    for (size_t i = 0; i < n; i++) {
        size_t from = w->errors->list.n;
        stop = check_first(w, &row[i], s) || stop;
        mark_stage(w, &row[i], from);
        if (row[i].rule == DRAY_DECLARED_UNIQUE)
            unique = &row[i];
    }
    if (stop || dray_api_is_zero(s->field, s->value))
        return;
    for (size_t i = 0; i < n; i++) {
        size_t from = w->errors->list.n;
        check_then(w, &row[i], s, unique);
        mark_stage(w, &row[i], from);
    }
}

/* As deep as the types of the tables nest: none holds itself. */
static void check_struct(walk *w, const dray_type *type, const void *obj, const void *old,
                         const dray_path *path) {
    run found = run_of(w, type);
    const dray_declared_row *row = &rows[found.first], *end = row + found.n;
    while (row < end && !dray_arena_spent(w->errors->arena)) {
        if (row->offset == (uint32_t)DRAY_DECLARED_TYPE_ROW) {
            size_t from = w->errors->list.n;
            check_union(w, row, obj, old, path);
            mark_stage(w, row, from);
            row++;
            continue;
        }
        size_t n = 1;
        while (row + n < end && row[n].offset == row->offset)
            n++;
        spot s = {.field = field_by_offset(type, row->offset), .obj = obj, .old = old};
        s.value = (const char *)obj + row->offset;
        s.path = s.field->inlined ? *path : dray_path_child(path, s.field->json);
        check_member(w, row, n, &s);
        row += n;
    }
}

/* Letting declared errors replace written ones. */

/* v1beta1's path as the written rules say it: `exactly` lies around a request's members, `basic`
 * is gone. */
static dray_str normal_path(dray_str path, dray_arena *arena) {
    static const char *const members[] = {
        "deviceClassName", "selectors",   "allocationMode",   "count",
        "adminAccess",     "tolerations", "derivedAttributes"};
    static const dray_str requests = DRAY_STR_INIT("spec.devices.requests[");
    static const dray_str devices = DRAY_STR_INIT("spec.devices[");
    bool of_request = dray_str_find(path, requests) != SIZE_MAX;
    dray_str head = of_request ? requests : devices;
    size_t at = dray_str_find(path, head);
    if (at == SIZE_MAX)
        return path;
    at += head.n;
    while (at < path.n && path.p[at] >= '0' && path.p[at] <= '9')
        at++;
    dray_str before = dray_str_slice(path, 0, at), rest = dray_str_slice(path, at, path.n);
    if (!dray_str_starts(rest, DRAY_STR("].")))
        return path;
    rest = dray_str_slice(rest, 2, rest.n);
    if (!of_request)
        return dray_str_starts(rest, DRAY_STR("basic."))
                   ? dray_strf(arena, DRAY_FMT "]." DRAY_FMT, DRAY_ARG(before),
                               DRAY_ARG(dray_str_slice(rest, strlen("basic."), rest.n)))
                   : path;
    for (size_t i = 0; i < DRAY_COUNT(members); i++)
        if (dray_str_starts(rest, dray_str_of(members[i])))
            return dray_strf(arena, DRAY_FMT "].exactly." DRAY_FMT, DRAY_ARG(before),
                             DRAY_ARG(rest));
    return path;
}

static bool same_origin(const dray_field_error *a, const dray_field_error *b) {
    if (a->origin == NULL || b->origin == NULL)
        return a->origin == b->origin && a->type != DRAY_FIELD_INVALID;
    return strcmp(a->origin, b->origin) == 0;
}

static bool is_replaced(const dray_field_error *written, const dray_errors *declared) {
    for (size_t i = 0; i < declared->list.n && written->covered; i++) {
        const dray_field_error *d = &declared->list.v[i];
        if (d->covered && d->type == written->type && same_origin(written, d) &&
            (dray_str_eq(written->field, d->field) ||
             dray_str_eq(written->field, normal_path(d->field, declared->arena))))
            return true;
    }
    return false;
}

/* Keeps the first of errors with the same text, and none that a declared one replaces. */
static void filter_written(dray_errors *errors, const dray_errors *declared) {
    dray_map seen = dray_map_new(errors->arena);
    size_t kept = 0;
    for (size_t i = 0; i < errors->list.n; i++) {
        dray_field_error e = errors->list.v[i];
        dray_str text = dray_field_error_text(&e, errors->arena);
        dray_str whole =
            dray_strf(errors->arena, DRAY_FMT ": " DRAY_FMT, DRAY_ARG(e.field), DRAY_ARG(text));
        dray_map_entry *entry = dray_map_entry_of(&seen, whole);
        if (entry->value != NULL)
            continue;
        entry->value = errors;
        if (!is_replaced(&e, declared))
            errors->list.v[kept++] = e;
    }
    errors->list.n = kept;
}

/* Beta rules run all the same: what they stop stays stopped. */
static void drop_beta(dray_errors *declared) {
    size_t kept = 0;
    for (size_t i = 0; i < declared->list.n; i++)
        if (!declared->list.v[i].covered)
            declared->list.v[kept++] = declared->list.v[i];
    declared->list.n = kept;
}

/* The body in the version that was asked for. */
static const void *versioned(walk *w, const dray_kind *hub, const void *body) {
    dray_object object = {hub, (void *)(uintptr_t)body}, ret = object;
    if (body == NULL || hub->type == w->rq->kind->type)
        return body;
    dray_err err = DRAY_ERR_INIT;
    if (dray_api_convert(object, w->rq->kind, w->errors->arena, &ret, &err) != DRAY_OK) {
        dray_errors_add(w->errors, DRAY_FIELD_INTERNAL, NULL, DRAY_STR_NONE,
                        dray_strf(w->errors->arena,
                                  "unexpected error converting to versioned type: %s",
                                  dray_err_text(&err)));
        ret.body = NULL;
    }
    dray_err_done(&err);
    return ret.body;
}

void dray_validate_declared(dray_request *rq, const void *body, const void *old) {
    enum { SINCE = 37 };
    const dray_kind *hub = dray_kind_hub(rq->kind);
    bool alone = hub->type == &dray_type_resource_pool_status_request;
    if (rq->gates->release < SINCE && !alone)
        return;
    dray_errors declared = {.arena = rq->errors->arena};
    walk w = {.rq = rq, .errors = &declared};
    const void *old_body = versioned(&w, hub, old);
    body = versioned(&w, hub, body);
    if (body != NULL)
        check_struct(&w, rq->kind->type, body, old_body, NULL);
    if (!dray_request_gate(rq, DRAY_GATE_DeclarativeValidationBeta))
        drop_beta(&declared);
    filter_written(rq->errors, &declared);
    for (size_t i = 0; i < declared.list.n; i++) {
        declared.list.v[i].covered = false;
        DRAY_PUSH(rq->errors->arena, &rq->errors->list, declared.list.v[i]);
    }
}
