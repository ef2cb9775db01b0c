/* From a tree to structs, over the field tables, with the meaning of Go's decoder.
 * Source: sigs.k8s.io/json (case-sensitive, strict errors on the side); apimachinery's serializer.
 */
#include "api/decode_int.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "data/json.h"

#include <strings.h>

enum {
    MAX_STRICT_ERRORS = 100, /* of the JSON decoder */
    MAX_SHOWN_BYTES = 4096,  /* of a document in an error */
    SEEN_WORDS = 4,          /* fields of a struct with its inlined ones: 64 each */
};

/* A field found by name, perhaps inside an inlined object. */
typedef struct found_field {
    const dray_field *field;
    void *body; /* the struct that holds it */
    const dray_type
        *through;  /* the inlined object's type, NULL when the field is the struct's own */
    size_t number; /* among all fields of the outermost struct */
} found_field;

static void decode_object(decoder *d, const dray_type *type, const dray_node *node, void *body,
                          const decode_step *at, bool with_kind);

/* -- paths and strict errors -- */

static void write_path(dray_buf *out, const decode_step *at) {
    const decode_step *steps[256];
    size_t n = 0;
    for (; at != NULL && n < DRAY_COUNT(steps); at = at->parent)
        steps[n++] = at;
    while (n > 0) {
        const decode_step *s = steps[--n];
        if (s->index >= 0)
            dray_buf_addf(out, "[%lld]", (long long)s->index);
        else
            dray_buf_addf(out, "%s" DRAY_FMT, out->n != 0 ? "." : "", DRAY_ARG(s->name));
    }
}

static dray_str path_text(decoder *d, const decode_step *at) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    write_path(&out, at);
    return dray_str_dup(d->arena, dray_buf_str(&out));
}

/* `unknown field "spec.foo"`: kept once each, and no more than Kubernetes keeps. */
static void report_strict(decoder *d, const char *what, const decode_step *parent,
                          const dray_member *m) {
    if (d->report == NULL || d->report->strict.n >= MAX_STRICT_ERRORS)
        return;
    decode_step at = {.parent = parent, .name = m->key, .index = -1};
    dray_str path = path_text(d, &at);
    dray_str text = dray_strf(d->report->arena, "%s field " DRAY_FMT, what,
                              DRAY_ARG(dray_utf8_quote(path, d->arena)));
    for (size_t i = 0; i < d->report->strict.n; i++)
        if (dray_str_eq(d->report->strict.v[i], text))
            return;
    dray_place place = {path, m->line, m->column};
    DRAY_PUSH(d->report->arena, &d->report->strict, text);
    DRAY_PUSH(d->report->arena, &d->report->unknown, place);
}

static void report_place(decoder *d, const decode_step *at, const dray_node *node) {
    if (d->report == NULL || !d->report->want_places)
        return;
    dray_place place = {path_text(d, at), node->line, node->column};
    DRAY_PUSH(d->report->arena, &d->report->places, place);
}

/* -- values -- */

static void mismatch(decoder *d, const dray_node *node, const decode_step *at) {
    dray_decode_mismatch(d, at, dray_decode_go_word(node), DRAY_STR_NONE, NULL);
}

/* Whether a fresh value must be made before it is decoded into. */
static void decode_item(decoder *d, const dray_field *f, const dray_node *node, void *to,
                        bool fresh, const decode_step *at) {
    if (f->shape != DRAY_SHAPE_OBJECT) {
        dray_decode_scalar(d, (dray_shape)f->shape, false, node, to, at);
        return;
    }
    if (fresh)
        dray_api_make_members(f->ref, to, d->arena);
    decode_object(d, f->ref, node, to, at, dray_api_kind_of(f->ref) != NULL);
}

static void decode_list(decoder *d, const dray_field *f, const dray_node *node, dray_any_list *to,
                        const decode_step *at) {
    if (node->kind == DRAY_NODE_NULL) {
        *to = (dray_any_list){0};
        return;
    }
    if (node->kind != DRAY_NODE_LIST) {
        mismatch(d, node, at);
        return;
    }
    size_t bytes = dray_field_element_size(f), n = node->list.n;
    void *items = dray_arena_alloc(d->arena, n != 0 ? dray_size_mul(n, bytes) : 1);
    size_t kept = to->n < n ? to->n : n; /* a field given twice is decoded over its first value */
    if (kept != 0)
        memcpy(items, to->v, kept * bytes);
    for (size_t i = 0; i < n && d->ended == DRAY_OK; i++) {
        decode_step step = {.parent = at, .index = (int64_t)i};
        decode_item(d, f, &node->list.items[i], item_at(items, i, bytes), i >= kept, &step);
    }
    *to = (dray_any_list){items, n};
}

static int compare_slots(const void *a, const void *b, void *context) {
    const dray_member *members = context;
    return dray_str_cmp(members[*(const uint32_t *)a].key, members[*(const uint32_t *)b].key);
}

static bool is_sorted(const dray_member *members, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (dray_str_cmp(members[i - 1].key, members[i].key) >= 0)
            return false;
    return true;
}

/* slots[i] is where member i goes when keys are sorted and equal ones share a place. Returns the
 * number of places. */
static size_t sort_members(decoder *d, const dray_member *members, size_t n, uint32_t *slots) {
    if (is_sorted(members, n)) {
        for (size_t i = 0; i < n; i++)
            slots[i] = (uint32_t)i;
        return n;
    }
    uint32_t *order = DRAY_NEW_N(d->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    dray_sort(order, n, sizeof *order, compare_slots, (void *)members);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i != 0 && !dray_str_eq(members[order[i]].key, members[order[i - 1]].key))
            at++;
        slots[order[i]] = (uint32_t)at;
    }
    return n != 0 ? at + 1 : 0;
}

/* A map that the document gives twice holds the members of both. */
static void join_maps(decoder *d, const dray_any_map *old, dray_any_map *now, size_t bytes) {
    dray_any_map all = {DRAY_NEW_N(d->arena, dray_str, old->n + now->n),
                        dray_arena_alloc(d->arena, dray_size_mul(old->n + now->n, bytes)), 0};
    size_t i = 0, j = 0;
    while (i < old->n || j < now->n) {
        int order = i == old->n ? 1 : j == now->n ? -1 : dray_str_cmp(old->k[i], now->k[j]);
        const dray_any_map *from = order < 0 ? old : now;
        size_t index = order < 0 ? i : j;
        all.k[all.n] = from->k[index];
        memcpy(item_at(all.v, all.n++, bytes), item_in(from->v, index, bytes), bytes);
        i += order <= 0;
        j += order >= 0;
    }
    *now = all;
}

static void decode_map(decoder *d, const dray_field *f, const dray_node *node, dray_any_map *to,
                       const decode_step *at) {
    if (node->kind == DRAY_NODE_NULL) {
        *to = (dray_any_map){0};
        return;
    }
    if (node->kind != DRAY_NODE_MAP) {
        mismatch(d, node, at);
        return;
    }
    size_t bytes = dray_field_element_size(f), n = node->map.n;
    uint32_t *slots = DRAY_NEW_N(d->arena, uint32_t, n + 1);
    dray_any_map map = {.n = sort_members(d, node->map.members, n, slots)};
    map.k = DRAY_NEW_N(d->arena, dray_str, map.n + 1);
    map.v = dray_arena_alloc(d->arena, dray_size_mul(map.n, bytes) + 1);
    for (size_t i = 0; i < n && d->ended == DRAY_OK; i++) {
        const dray_member *m = &node->map.members[i];
        void *value = item_at(map.v, slots[i], bytes);
        if (map.k[slots[i]].p != NULL) {
            report_strict(d, "duplicate", at, m);
            memset(value, 0, bytes);
        }
        map.k[slots[i]] = m->key.p != NULL ? m->key : DRAY_STR("");
        decode_step step = {.parent = at, .name = m->key, .index = -1};
        decode_item(d, f, &m->value, value, true, &step);
    }
    if (to->n != 0)
        join_maps(d, to, &map, bytes);
    *to = map;
}

/* -- structs -- */

static void decode_pointer(decoder *d, const dray_field *f, const dray_node *node, void **to,
                           const decode_step *at) {
    if (node->kind == DRAY_NODE_NULL) {
        if (f->pointer)
            *to = NULL;
        return;
    }
    if (*to == NULL)
        *to = dray_api_new(f->ref, d->arena);
    decode_object(d, f->ref, node, *to, at, false);
}

static void decode_field(decoder *d, const dray_field *f, const dray_node *node, void *to,
                         const decode_step *at) {
    report_place(d, at, node);
    if (f->container == DRAY_LIST)
        decode_list(d, f, node, to, at);
    else if (f->container == DRAY_MAP)
        decode_map(d, f, node, to, at);
    else if (f->shape == DRAY_SHAPE_OBJECT)
        decode_pointer(d, f, node, to, at);
    else
        dray_decode_scalar(d, (dray_shape)f->shape, f->pointer, node, to, at);
}

static bool is_named(const dray_field *f, dray_str key) {
    return f->json_n == key.n && f->json[0] == key.p[0] && memcmp(f->json, key.p, key.n) == 0;
}

/* Looks from *hint on: members mostly come in the order of the table. */
static bool find_own(decoder *d, const dray_type *type, dray_str key, uint32_t *hint,
                     found_field *ret) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        uint32_t at = *hint + i < type->n_fields ? *hint + i : *hint + i - type->n_fields;
        const dray_field *f = &type->fields[at];
        if (!is_named(f, key) || !field_known(f, d->release))
            continue;
        ret->field = f;
        ret->number += at;
        *hint = at + 1 < type->n_fields ? at + 1 : 0;
        return true;
    }
    return false;
}

/* Inlining goes two deep in the API; the depth bounds it anyway. */
static bool find_field(decoder *d, const dray_type *type, void *body, dray_str key, uint32_t *hint,
                       int depth, found_field *ret) {
    if (key.n == 0)
        return false;
    ret->body = body;
    if (find_own(d, type, key, hint, ret))
        return true;
    size_t base = ret->number + type->n_fields;
    for (uint32_t i = 0; i < type->n_fields && depth < 4; i++) {
        const dray_field *f = &type->fields[i];
        if (!f->inlined)
            continue;
        uint32_t fresh = 0;
        found_field in = {.number = base};
        if (find_field(d, f->ref, *(void **)field_at(f, body), key, &fresh, depth + 1, &in)) {
            *ret = in;
            ret->through = in.through != NULL ? in.through : f->ref;
            return true;
        }
        base += f->ref->n_fields;
    }
    return false;
}

/* True the second time a field is met. */
static bool mark_seen(uint64_t seen[SEEN_WORDS], size_t number) {
    if (number >= SEEN_WORDS * 64)
        return false;
    bool again = (seen[number / 64] >> (number % 64)) & 1;
    seen[number / 64] |= UINT64_C(1) << (number % 64);
    return again;
}

/* apiVersion and kind, which no table has: strings of objects that are kinds. */
static bool decode_type_meta(decoder *d, const dray_member *m, const dray_type *type,
                             const decode_step *parent, uint64_t seen[SEEN_WORDS]) {
    bool is_kind = dray_str_is(m->key, "kind");
    if (!is_kind && !dray_str_is(m->key, "apiVersion"))
        return false;
    if (mark_seen(seen, SEEN_WORDS * 64 - 1 - is_kind))
        report_strict(d, "duplicate", parent, m);
    decode_step step = {.parent = parent, .name = m->key, .owner = type, .index = -1};
    dray_str ignored;
    dray_decode_scalar(d, DRAY_SHAPE_STRING, false, &m->value, &ignored, &step);
    return true;
}

/* The struct that members are decoded into. */
typedef struct target {
    const dray_type *type;
    void *body;
    const decode_step *at;
    bool with_kind; /* apiVersion and kind are members too */
    uint32_t hint;
    uint64_t seen[SEEN_WORDS];
} target;

static void decode_member(decoder *d, target *to, const dray_member *m) {
    found_field found = {0};
    if (!find_field(d, to->type, to->body, m->key, &to->hint, 0, &found)) {
        if (!to->with_kind || !decode_type_meta(d, m, to->type, to->at, to->seen))
            report_strict(d, "unknown", to->at, m);
        return;
    }
    if (mark_seen(to->seen, found.number))
        report_strict(d, "duplicate", to->at, m);
    decode_step step = {to->at, m->key, found.field, to->type, found.through, -1};
    decode_field(d, found.field, &m->value, field_at(found.field, found.body), &step);
}

static void decode_object(decoder *d, const dray_type *type, const dray_node *node, void *body,
                          const decode_step *at, bool with_kind) {
    if (node->kind == DRAY_NODE_NULL)
        return;
    if (node->kind != DRAY_NODE_MAP) {
        mismatch(d, node, at);
        return;
    }
    if (++d->depth > DRAY_API_MAX_DEPTH)
        decode_end(d, dray_err_set(d->err, DRAY_E_LIMIT, "objects are nested more than %d deep",
                                   DRAY_API_MAX_DEPTH));
    target to = {.type = type, .body = body, .at = at, .with_kind = with_kind};
    for (size_t i = 0; i < node->map.n && d->ended == DRAY_OK; i++)
        decode_member(d, &to, &node->map.members[i]);
    d->depth--;
    if (dray_arena_spent(d->arena))
        decode_end(d,
                   dray_err_set(d->err, DRAY_E_LIMIT, "the object takes more memory than it may"));
}

/* -- public -- */

static dray_code finish(decoder *d) {
    if (d->ended != DRAY_OK)
        return d->ended;
    return d->failed ? DRAY_E_INVALID : DRAY_OK;
}

static dray_code decode_root(decoder *d, const dray_node *node, const dray_type *type,
                             bool with_kind, void **ret) {
    d->yaml = node->raw.p == NULL;
    if (d->yaml)
        node = dray_decode_yaml(d, node);
    d->root = type;
    void *body = dray_api_new(type, d->arena);
    decode_object(d, type, node, body, NULL, with_kind);
    dray_code code = finish(d);
    if (code == DRAY_OK)
        *ret = body;
    return code;
}

static bool is_folded(dray_str key, const char *name) {
    return key.n == strlen(name) && strncasecmp(key.p, name, key.n) == 0;
}

static bool is_overridden(const dray_node *map, size_t i) {
    for (size_t j = i + 1; j < map->map.n; j++)
        if (dray_str_eq(map->map.members[j].key, map->map.members[i].key))
            return true;
    return false;
}

/* The member that counts of those that are called so in any case of letters and are not null: the
 * last; from YAML, whose members upstream has sorted by then, the last in order of keys. */
static const dray_member *peek_member(const dray_node *root, const char *name) {
    bool yaml = root->raw.p == NULL;
    const dray_member *found = NULL;
    for (size_t i = 0; i < root->map.n; i++) {
        const dray_member *m = &root->map.members[i];
        if (!is_folded(m->key, name) || m->value.kind == DRAY_NODE_NULL)
            continue;
        if (yaml &&
            (is_overridden(root, i) || (found != NULL && dray_str_cmp(found->key, m->key) > 0)))
            continue;
        if (found == NULL || yaml || found->value.kind == DRAY_NODE_STRING)
            found = m; /* the first that is no string is the error */
    }
    return found;
}

static dray_code take_word(const dray_node *root, const char *name, dray_str *ret, dray_err *err) {
    const dray_member *m = peek_member(root, name);
    if (m == NULL)
        return DRAY_OK;
    if (m->value.kind != DRAY_NODE_STRING)
        return dray_err_set(
            err, DRAY_E_INVALID,
            "couldn't get version/kind; json parse error: json: cannot unmarshal %s "
            "into Go struct field .%s of type string",
            dray_decode_go_word(&m->value), name);
    *ret = m->value.text;
    return DRAY_OK;
}

dray_code dray_api_peek(const dray_node *root, dray_str *ret_version, dray_str *ret_kind,
                        dray_err *err) {
    if (root->kind != DRAY_NODE_MAP)
        return dray_err_set(
            err, DRAY_E_INVALID,
            "couldn't get version/kind; json parse error: json: cannot unmarshal %s "
            "into Go value of type struct { APIVersion string "
            "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
            "\"json:\\\"kind,omitempty\\\"\" }",
            dray_decode_go_word(root));
    dray_code code = take_word(root, "apiVersion", ret_version, err);
    return code == DRAY_OK ? take_word(root, "kind", ret_kind, err) : code;
}

static dray_code refuse_untyped(const dray_node *root, const char *what, dray_err *err) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_json_write(&text, root, false);
    return dray_err_set(err, DRAY_E_INVALID, "Object '%s' is missing in '" DRAY_FMT "'", what,
                        (int)(text.n < MAX_SHOWN_BYTES ? text.n : MAX_SHOWN_BYTES), text.p);
}

dray_code dray_api_decode(const dray_node *root, int release, dray_arena *arena,
                          dray_decode_report *report, dray_object *ret, dray_err *err) {
    dray_str api_version = DRAY_STR_NONE, kind_name = DRAY_STR_NONE;
    dray_code code = dray_api_peek(root, &api_version, &kind_name, err);
    if (code != DRAY_OK)
        return code;
    if (kind_name.n == 0 || api_version.n == 0)
        return refuse_untyped(root, kind_name.n == 0 ? "Kind" : "apiVersion", err);
    const dray_kind *kind = dray_kind_find(api_version, kind_name);
    if (kind == NULL || (release != 0 && !dray_kind_served(kind, release)))
        return dray_err_set(err, DRAY_E_UNSUPPORTED,
                            "no matches for kind \"" DRAY_FMT "\" in version \"" DRAY_FMT "\"",
                            DRAY_ARG(kind_name), DRAY_ARG(api_version));
    decoder d = {.arena = arena, .report = report, .err = err, .release = release};
    d.version = kind->version;
    void *body;
    code = decode_root(&d, root, kind->type, true, &body);
    if (code == DRAY_OK)
        *ret = (dray_object){kind, body};
    return code;
}

dray_code dray_api_decode_type(const dray_node *node, const dray_type *type, int release,
                               dray_arena *arena, dray_decode_report *report, void **ret,
                               dray_err *err) {
    decoder d = {.arena = arena, .report = report, .err = err, .release = release};
    return decode_root(&d, node, type, dray_api_kind_of(type) != NULL, ret);
}
