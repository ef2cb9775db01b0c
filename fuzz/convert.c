/* Fuzz target: v1beta1 objects survive the way through v1 and back but for what v1 cannot say. */
#include "api/engine.h"
#include "data/json.h"

#include <stdlib.h>

enum { ARENA_LIMIT = 64 << 20 };

/* Through the hub and back. */
static bool pass(dray_object object, dray_arena *arena, dray_object *ret) {
    dray_object hub;
    return dray_api_convert(object, dray_kind_hub(object.kind), arena, &hub, NULL) == DRAY_OK &&
           dray_api_convert(hub, object.kind, arena, ret, NULL) == DRAY_OK;
}

/* What a first passage loses is lost once: a second changes nothing. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_LIMIT);
    dray_node *root;
    dray_object object, once, twice;
    if (dray_json_parse(dray_str_n((const char *)data, size), arena, &root, NULL) != DRAY_OK ||
        dray_api_decode(root, 0, arena, NULL, &object, NULL) != DRAY_OK ||
        !pass(object, arena, &once))
        return 0;
    if (!pass(once, arena, &twice) || !dray_api_same(once.kind->type, once.body, twice.body))
        abort();
    return 0;
}
