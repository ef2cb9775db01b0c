/* Fuzz target: any JSON as an object; decoded, defaulted, encoded, and decoded to the same again.
 */
#include "api/engine.h"
#include "data/json.h"

#include <stdlib.h>

enum { ARENA_LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_LIMIT);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_node *root;
    dray_object first, second;
    dray_decode_report report = {.arena = arena, .want_places = true};
    if (dray_json_parse(dray_str_n((const char *)data, size), arena, &root, NULL) != DRAY_OK ||
        dray_api_decode(root, 0, arena, &report, &first, NULL) != DRAY_OK)
        return 0;
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_defaults defaults = {&gates, {.sec = 0, .set = true}, arena};
    dray_api_default(first, &defaults);
    dray_api_normalize(first.kind->type, first.body);
    dray_api_encode(&out, first);
    dray_code code = dray_json_parse(dray_str_dup(arena, dray_buf_str(&out)), arena, &root, NULL);
    if (code == DRAY_OK)
        code = dray_api_decode(root, 0, arena, NULL, &second, NULL);
    if (code == DRAY_E_LIMIT)
        return 0;
    if (code != DRAY_OK || first.kind != second.kind)
        abort();
    /* Not the structs: raw JSON loses its space on the first way out. */
    DRAY_CLEANUP_BUF dray_buf again = DRAY_BUF_INIT;
    dray_api_normalize(second.kind->type, second.body);
    dray_api_encode(&again, second);
    if (!dray_str_eq(dray_buf_str(&out), dray_buf_str(&again)))
        abort();
    return 0;
}
