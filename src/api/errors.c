/* Validation errors: adding them, their texts, their order. */
#include "api/errors.h"

#include "base/utf8.h"
#include "data/json.h"

#include <inttypes.h>
#include <stdio.h>

/* The word in Status.details.causes and the text in messages. */
static const struct error_words {
    const char *word, *text;
    bool shows_value;
} words[] = {
    [DRAY_FIELD_NOT_FOUND] = {"FieldValueNotFound", "Not found", true},
    [DRAY_FIELD_REQUIRED] = {"FieldValueRequired", "Required value", false},
    [DRAY_FIELD_DUPLICATE] = {"FieldValueDuplicate", "Duplicate value", true},
    [DRAY_FIELD_INVALID] = {"FieldValueInvalid", "Invalid value", true},
    [DRAY_FIELD_NOT_SUPPORTED] = {"FieldValueNotSupported", "Unsupported value", true},
    [DRAY_FIELD_FORBIDDEN] = {"FieldValueForbidden", "Forbidden", false},
    [DRAY_FIELD_TOO_LONG] = {"FieldValueTooLong", "Too long", false},
    [DRAY_FIELD_TOO_MANY] = {"FieldValueTooMany", "Too many", true},
    [DRAY_FIELD_INTERNAL] = {"InternalError", "Internal error", false},
    [DRAY_FIELD_TYPE_INVALID] = {"FieldValueTypeInvalid", "Invalid value", true},
    [DRAY_FIELD_TOO_SHORT] = {"FieldValueTooShort", "Too short", false},
    [DRAY_FIELD_TOO_FEW] = {"FieldValueTooFew", "Too few", true},
};

static size_t path_part(const dray_path *part, char *to, size_t room) {
    if (part->name != NULL)
        return (size_t)snprintf(to, room, "%s%s", part->parent != NULL ? "." : "", part->name);
    if (part->index >= 0)
        return (size_t)snprintf(to, room, "[%" PRId64 "]", part->index);
    if (part->key.n + 3 <= room) { /* a key may hold any byte */
        to[0] = '[';
        memcpy(to + 1, part->key.p, part->key.n);
        to[part->key.n + 1] = ']';
    }
    return part->key.n + 2;
}

dray_str dray_path_text(const dray_path *path, dray_arena *arena) {
    if (path == NULL)
        return DRAY_STR("<nil>");
    size_t n = 0;
    for (const dray_path *part = path; part != NULL; part = part->parent)
        n += path_part(part, NULL, 0);
    char *text = dray_arena_bytes(arena, n + 1);
    size_t at = n;
    text[n] = '\0';
    for (const dray_path *part = path; part != NULL; part = part->parent) {
        size_t length = path_part(part, NULL, 0);
        char kept = text[at]; /* what stands behind: the part is written with an end mark */
        at -= length;
        path_part(part, text + at, length + 1);
        text[at + length] = kept;
    }
    return dray_str_n(text, n);
}

void dray_errors_add(dray_errors *errors, dray_field_error_type type, const dray_path *path,
                     dray_str value, dray_str detail) {
    DRAY_PUSH(errors->arena, &errors->list,
              (dray_field_error){.type = type,
                                 .field = dray_path_text(path, errors->arena),
                                 .value = value,
                                 .detail = detail});
}

void dray_errors_mark(dray_errors *errors, size_t from, const char *origin, bool covered) {
    for (size_t i = from; i < errors->list.n; i++) {
        if (origin != NULL)
            errors->list.v[i].origin = origin;
        errors->list.v[i].covered = covered;
    }
}

const char *dray_field_error_word(dray_field_error_type type) {
    return words[type].word;
}

dray_str dray_field_error_text(const dray_field_error *error, dray_arena *arena) {
    const struct error_words *w = &words[error->type];
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_buf_puts(&buf, w->text);
    if (w->shows_value && error->value.p != NULL) {
        dray_buf_puts(&buf, ": ");
        dray_buf_str_add(&buf, error->value);
    }
    if (error->detail.n > 0) {
        dray_buf_puts(&buf, ": ");
        dray_buf_str_add(&buf, error->detail);
    }
    return dray_str_dup(arena, dray_buf_str(&buf));
}

static int compare_errors(const void *a, const void *b, void *context) {
    const dray_field_error *x = a, *y = b;
    (void)context;
    int order = dray_str_cmp(x->field, y->field);
    if (order == 0)
        order = strcmp(words[x->type].word, words[y->type].word);
    if (order == 0)
        order = dray_str_cmp(x->detail, y->detail);
    return order != 0 ? order : dray_str_cmp(x->value, y->value);
}

void dray_errors_sort(dray_errors *errors) {
    dray_sort(errors->list.v, errors->list.n, sizeof *errors->list.v, compare_errors, NULL);
}

dray_str dray_value_quote(dray_arena *arena, dray_str text) {
    return dray_utf8_quote(text, arena);
}

dray_str dray_value_json_string(dray_arena *arena, dray_str text) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_json_write_string(&buf, text, true);
    return dray_str_dup(arena, dray_buf_str(&buf));
}

dray_str dray_value_int(dray_arena *arena, int64_t value) {
    return dray_strf(arena, "%" PRId64, value);
}

dray_str dray_detail_supported(dray_arena *arena, const char *const *values, size_t n) {
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_buf_puts(&buf, "supported values: ");
    for (size_t i = 0; i < n; i++)
        dray_buf_addf(&buf, "%s\"%s\"", i > 0 ? ", " : "", values[i]);
    return dray_str_dup(arena, dray_buf_str(&buf));
}
