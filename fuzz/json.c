/* JSON: what is read can be written, and what was written reads back as itself. */
#include "data/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20 };

static void check(bool holds) {
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_BYTES);
    dray_err err = DRAY_ERR_INIT;
    dray_node *root, *again;
    dray_code code = dray_json_parse(dray_str_n((const char *)data, size), arena, &root, &err);
    if (code == DRAY_OK) {
        DRAY_CLEANUP_BUF dray_buf once = DRAY_BUF_INIT, twice = DRAY_BUF_INIT;
        dray_json_write(&once, root, false);
        check(dray_json_parse(dray_buf_str(&once), arena, &again, NULL) == DRAY_OK);
        dray_json_write(&twice, again, false);
        check(dray_str_eq(dray_buf_str(&once), dray_buf_str(&twice)));
    } else {
        check(code == DRAY_E_LIMIT || (code == DRAY_E_INVALID && err.line != 0 && err.column != 0));
    }
    dray_err_done(&err);
    return 0;
}
