/* Fuzz target: any bytes as a stored object; what is read is written and read again. */
#include "api/engine.h"

#include <stdlib.h>

enum { ARENA_LIMIT = 64 << 20 };

static dray_str encode(dray_object object, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_api_encode_proto(&out, object, arena);
    return dray_str_dup(arena, dray_buf_str(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_LIMIT);
    dray_object first, second;
    if (dray_api_decode_proto(dray_str_n((const char *)data, size), 0, arena, &first, NULL) !=
        DRAY_OK)
        return 0;
    dray_str once = encode(first, arena);
    dray_code code = dray_api_decode_proto(once, 0, arena, &second, NULL);
    if (code == DRAY_E_LIMIT)
        return 0;
    if (code != DRAY_OK || !dray_str_eq(once, encode(second, arena)))
        abort();
    return 0;
}
