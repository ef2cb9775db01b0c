/* Comparing, copying, the normal form. */
#include "api/engine.h"
#include "base/vec.h"
#include "data/json.h"
#include "tap.h"

typedef struct row {
    const char *label, *a, *b;
    bool equal, same;
} row;

#define SPEC(rest) "{\"driver\":\"d\",\"pool\":{}," rest "}"

static const row rows[] = {
    {"equal quantities in other words",
     SPEC("\"sharedCounters\":[{\"counters\":{\"a\":{\"value\":\"1Gi\"}}}]"),
     SPEC("\"sharedCounters\":[{\"counters\":{\"a\":{\"value\":\"1024Mi\"}}}]"), true, true},
    {"a quantity in another form",
     SPEC("\"sharedCounters\":[{\"counters\":{\"a\":{\"value\":\"1Ki\"}}}]"),
     SPEC("\"sharedCounters\":[{\"counters\":{\"a\":{\"value\":\"1024\"}}}]"), true, false},
    {"an empty list and none", SPEC("\"devices\":[]"), SPEC("\"nodeSelector\":null"), true, false},
    {"an empty string behind a pointer is not none", SPEC("\"nodeName\":\"\""),
     SPEC("\"nodeName\":null"), false, false},
    {"false behind a pointer is not none", SPEC("\"allNodes\":false"), SPEC("\"allNodes\":null"),
     false, false},
    {"another key", SPEC("\"devices\":[{\"attributes\":{\"a\":{\"int\":1}}}]"),
     SPEC("\"devices\":[{\"attributes\":{\"b\":{\"int\":1}}}]"), false, false},
    {"another value", SPEC("\"devices\":[{\"attributes\":{\"a\":{\"int\":1}}}]"),
     SPEC("\"devices\":[{\"attributes\":{\"a\":{\"int\":2}}}]"), false, false},
    {"a pointer that is there", SPEC("\"nodeSelector\":{\"nodeSelectorTerms\":null}"),
     SPEC("\"nodeSelector\":null"), false, false},
};

static void *decode(const char *json, dray_arena *arena) {
    dray_node *root;
    void *body = NULL;
    if (dray_json_parse(dray_str_of(json), arena, &root, NULL) == DRAY_OK)
        dray_api_decode_type(root, &dray_type_resource_slice_spec, 0, arena, NULL, &body, NULL);
    return body;
}

static void check_row(const row *r) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    const dray_type *type = &dray_type_resource_slice_spec;
    void *a = decode(r->a, arena), *b = decode(r->b, arena);
    CHECK(r->label, a != NULL && b != NULL && dray_api_equal(type, a, b) == r->equal &&
                        dray_api_same(type, a, b) == r->same);
    DRAY_CLEANUP_ARENA dray_arena *other = dray_arena_new(0);
    void *copy = dray_api_copy(type, a, other);
    CHECK("  and a copy is the same", dray_api_same(type, a, copy));
    dray_api_normalize(type, copy);
    CHECK("  and means the same in normal form", dray_api_equal(type, a, copy));
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i]);
    return tap_end();
}
