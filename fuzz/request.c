/* Fuzz target: any JSON as the body of a create, then of an update and a status update of the same
 * object: answers and errors, never a crash. */
#include "api/request.h"
#include "data/json.h"

#include <stdlib.h>

enum { ARENA_LIMIT = 64 << 20 };

typedef struct run {
    dray_arena *arena;
    dray_gates gates;
    dray_request_source source;
    dray_errors errors;
    dray_request rq;
} run;

static void start(run *r, dray_arena *arena, int release) {
    *r = (run){.arena = arena};
    dray_gates_init(&r->gates, release);
    dray_time now = {.sec = 1767225600, .set = true};
    r->source = (dray_request_source){arena, &r->gates, now};
    r->errors.arena = arena;
    r->rq = (dray_request){.arena = arena, .gates = &r->gates, .now = now, .errors = &r->errors};
}

static void update(dray_arena *arena, int release, const dray_sent *stored, const char *sub) {
    run r;
    start(&r, arena, release);
    r.rq.kind = stored->kind;
    r.rq.update = true;
    r.rq.subresource = dray_str_of(sub);
    const dray_type *type = stored->object.kind->type;
    dray_object body = {stored->object.kind, dray_api_copy(type, stored->object.body, arena)};
    dray_request_update(&r.rq, body, stored->object, NULL);
}

static void ask(const dray_node *root, dray_arena *arena, int release) {
    run r;
    start(&r, arena, release);
    dray_decode_report report = {.arena = arena};
    dray_sent sent;
    if (dray_request_read(&r.source, root, &report, &sent, NULL) != DRAY_OK ||
        dray_object_meta(sent.object) == NULL)
        return;
    r.rq.kind = sent.kind;
    dray_new_ids ids = {DRAY_STR("00000000-0000-4000-8000-000000000000"), DRAY_STR("zzzzz"),
                        DRAY_STR("default")};
    if (dray_request_create(&r.rq, &ids, sent.object, NULL) != DRAY_OK || r.errors.list.n != 0)
        return;
    dray_request_store(&r.source, &sent.object);
    update(arena, release, &sent, "");
    update(arena, release, &sent, "status");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_LIMIT);
    dray_node *root;
    dray_str text = dray_str_n((const char *)data, size);
    if (dray_json_parse(text, arena, &root, NULL) == DRAY_OK)
        ask(root, arena, DRAY_RELEASE_OLDEST + (int)(size % 4));
    return 0;
}
