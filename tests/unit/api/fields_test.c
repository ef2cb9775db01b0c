/* The field tables against the recorded list of every type of the API, where it is there. */
#include "api/engine.h"
#include "api/types.h"
#include "data/json.h"
#include "obj/gates.h"
#include "tap.h"

#include <stdlib.h>

#define RECORDED DRAY_TEST_DATA "/../../../shared/conformance/"

static dray_arena *arena;

static const dray_node *load(const char *path) {
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return NULL;
    dray_buf text = DRAY_BUF_INIT;
    size_t n;
    while ((n = fread(dray_buf_reserve(&text, 65536), 1, 65536, f)) > 0)
        text.n += n;
    fclose(f);
    dray_node *root = NULL;
    dray_json_parse(dray_str_dup(arena, dray_buf_str(&text)), arena, &root, NULL);
    dray_buf_done(&text);
    return root;
}

static const dray_node *get(const dray_node *map, const char *key) {
    return dray_node_find(map, dray_str_of(key));
}
static dray_str text(const dray_node *map, const char *key) {
    dray_str s = dray_node_string(get(map, key));
    return s.p != NULL ? s : DRAY_STR("");
}
static bool truth(const dray_node *map, const char *key) {
    const dray_node *node = get(map, key);
    return node != NULL && node->kind == DRAY_NODE_BOOL && node->truth;
}

/* Betas that are equal to v1 share its table. */
static const dray_type *find_type(dray_str name) {
    const dray_type *type = dray_type_find(name);
    dray_str group, rest, version, word;
    if (type != NULL || !dray_str_cut(name, '.', &group, &rest) ||
        !dray_str_cut(rest, '.', &version, &word))
        return type;
    return dray_type_find(
        dray_strf(arena, DRAY_FMT ".v1." DRAY_FMT, DRAY_ARG(group), DRAY_ARG(word)));
}

static bool known(const dray_field *f, int release) {
    return (f->since == 0 || release >= f->since) && (f->until == 0 || release <= f->until);
}

static const dray_field *find_field(const dray_type *type, dray_str name, dray_str ref) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *f = &type->fields[i];
        if (!dray_str_is(name, f->json))
            continue;
        if (name.n != 0 || find_type(ref) == f->ref)
            return f;
    }
    return NULL;
}

static const char *shape_word(const dray_field *f) {
    static const char *const words[] = {"string",   "int32", "int64",     "bool",
                                        "quantity", "time",  "microTime", "intOrString",
                                        "any",      "bytes", "object",    "list of string"};
    return words[f->shape];
}

static const char *list_word(const dray_field *f) {
    static const char *const words[] = {"", "atomic", "set", "map"};
    return words[f->list_type];
}

static dray_str joined(const dray_node *list) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (size_t i = 0; list != NULL && i < list->list.n; i++)
        dray_buf_addf(&out, "%s" DRAY_FMT, i != 0 ? "," : "",
                      DRAY_ARG(dray_node_string(&list->list.items[i])));
    return dray_str_dup(arena, dray_buf_str(&out));
}

/* What differs between a row and its record; NULL when nothing does. */
static const char *difference(const dray_field *f, const dray_node *record) {
    dray_str type = text(record, "type"), items = text(record, "items");
    const char *container = f->container == DRAY_LIST  ? "list"
                            : f->container == DRAY_MAP ? "map"
                                                       : NULL;
    if (container != NULL ? !dray_str_is(type, container) : !dray_str_is(type, shape_word(f)))
        if (!(f->shape == DRAY_SHAPE_BYTES && dray_str_is(type, "string")))
            return "type";
    if (container != NULL && items.n != 0 && !dray_str_is(items, shape_word(f)) &&
        f->shape != DRAY_SHAPE_BYTES)
        return "items";
    if (strtol(get(record, "proto")->text.p, NULL, 10) != f->proto)
        return "proto";
    if (truth(record, "optional") != f->optional)
        return "optional";
    if (truth(record, "omitempty") != f->omitempty)
        return "omitempty";
    if (truth(record, "pointer") != f->pointer)
        return "pointer";
    if (truth(record, "inline") != f->inlined)
        return "inline";
    if (get(record, "listType") != NULL && !dray_str_is(text(record, "listType"), list_word(f)))
        return "listType";
    if (!dray_str_is(joined(get(record, "listMapKeys")), f->keys != NULL ? f->keys : ""))
        return "listMapKeys";
    if (!dray_str_is(joined(get(record, "gates")), f->gates != NULL ? f->gates : ""))
        return "gates";
    if (text(record, "ref").n != 0 && find_type(text(record, "ref")) != f->ref)
        return "ref";
    return NULL;
}

static bool check_type(const dray_node *record, bool quiet) {
    const dray_type *type = find_type(text(record, "type"));
    const dray_node *fields = get(record, "fields");
    if (type == NULL)
        return false;
    bool ok = true;
    size_t rows = 0;
    for (uint32_t i = 0; i < type->n_fields; i++)
        rows += known(&type->fields[i], DRAY_RELEASE_NEWEST);
    ok = rows == fields->list.n;
    for (size_t i = 0; i < fields->list.n; i++) {
        const dray_node *one = &fields->list.items[i];
        const dray_field *f = find_field(type, text(one, "name"), text(one, "ref"));
        const char *wrong = f == NULL ? "missing" : difference(f, one);
        if (wrong != NULL && !quiet)
            printf("# " DRAY_FMT " " DRAY_FMT ": %s\n", DRAY_ARG(text(record, "type")),
                   DRAY_ARG(text(one, "name")), wrong);
        ok = ok && wrong == NULL;
    }
    return ok;
}

static void check_newest(const dray_node *root) {
    const dray_node *types = get(root, "types");
    size_t bad = 0;
    for (size_t i = 0; types != NULL && i < types->list.n; i++)
        if (!check_type(&types->list.items[i], true)) {
            printf("# type " DRAY_FMT "\n", DRAY_ARG(text(&types->list.items[i], "type")));
            check_type(&types->list.items[i], false);
            bad++;
        }
    CHECK_INT("every type has its fields, with number, type, marks and gates", (int64_t)bad, 0);
}

/* "kind GROUP/VERSION KIND", "TYPE FIELD" or "TYPE": whether the release has it, by our tables. */
static bool has_entry(dray_str entry, int release, bool *ret_known) {
    dray_str head, tail, version, kind;
    *ret_known = true;
    dray_str_cut(entry, ' ', &head, &tail);
    if (dray_str_is(head, "kind")) {
        dray_str_cut(tail, ' ', &version, &kind);
        const dray_kind *k = dray_kind_find(version, kind);
        *ret_known = k != NULL;
        return k != NULL && dray_kind_served(k, release);
    }
    const dray_type *type = find_type(head);
    const dray_field *f = type != NULL ? find_field(type, tail, DRAY_STR("")) : NULL;
    *ret_known = f != NULL;
    return f != NULL && known(f, release);
}

static bool lists(const dray_node *list, dray_str entry) {
    for (size_t i = 0; i < list->list.n; i++)
        if (dray_str_eq(dray_node_string(&list->list.items[i]), entry))
            return true;
    return false;
}

static void check_older(const dray_node *root, int release) {
    const dray_node *one = get(root, dray_strf(arena, "1.%d", release).p);
    const dray_node *absent = get(one, "absent"), *only = get(one, "only");
    size_t bad = 0;
    bool is_known;
    for (size_t i = 0; i < absent->list.n; i++) {
        dray_str entry = dray_node_string(&absent->list.items[i]), type, field;
        /* A type that is absent as a whole can't be reached. */
        if (!dray_str_cut(entry, ' ', &type, &field) || lists(absent, type))
            continue;
        if (has_entry(entry, release, &is_known) && ++bad)
            printf("# 1.%d has not " DRAY_FMT "\n", release, DRAY_ARG(entry));
    }
    for (size_t i = 0; i < only->list.n; i++) {
        dray_str entry = dray_node_string(&only->list.items[i]);
        if (dray_str_find(entry, DRAY_STR("PodStatusResult")) != SIZE_MAX ||
            dray_str_chr(entry, ' ') == SIZE_MAX)
            continue;
        if (!has_entry(entry, release, &is_known) && ++bad)
            printf("# 1.%d has " DRAY_FMT "\n", release, DRAY_ARG(entry));
    }
    CHECK_INT(dray_strf(arena, "1.%d has its own kinds and fields", release).p, (int64_t)bad, 0);
}

/* Types refer to each other without a circle; a template may hold its own type. */
static bool is_circular(const dray_type *type, int depth) {
    if (depth > 40)
        return true;
    for (uint32_t i = 0; i < type->n_fields; i++)
        if (type->fields[i].ref != NULL && type->fields[i].ref != type &&
            is_circular(type->fields[i].ref, depth + 1))
            return true;
    return false;
}

static void check_kinds(void) {
    bool circular = false, hubs = true;
    for (size_t i = 0; i < dray_n_kinds; i++) {
        circular = circular || is_circular(dray_kinds[i].type, 0);
        hubs = hubs && strcmp(dray_kind_hub(&dray_kinds[i])->kind, dray_kinds[i].kind) == 0;
    }
    CHECK("no type holds itself through another", !circular);
    CHECK("every version has a hub of its own kind", hubs);
}

int main(void) {
    arena = dray_arena_new(0);
    const dray_node *newest = load(RECORDED "fields.json"),
                    *older = load(RECORDED "fields-older.json");
    check_kinds();
    if (newest != NULL)
        check_newest(newest);
    for (int release = 34; older != NULL && release <= 36; release++)
        check_older(older, release);
    if (newest == NULL || older == NULL)
        printf("# the recorded lists are not there: skipped\n");
    dray_arena_free(arena);
    return tap_end();
}
