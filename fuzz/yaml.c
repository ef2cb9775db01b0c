/* YAML: documents cut from a stream make it up again; what is read can be written, and means the
 * same when it is read back. */
#include "data/yaml.h"
#include "data/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 64 << 20 };

static void check(bool holds) {
    if (!holds)
        abort();
}

static void check_again(const dray_node *root, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf yaml = DRAY_BUF_INIT, once = DRAY_BUF_INIT, twice = DRAY_BUF_INIT;
    dray_node *again = NULL;
    dray_yaml_write(&yaml, root);
    dray_code code = dray_yaml_parse(dray_buf_str(&yaml), 1, arena, &again, NULL);
    if (code == DRAY_E_LIMIT)
        return;
    check(code == DRAY_OK && again != NULL);
    dray_json_write(&once, root, false);
    dray_json_write(&twice, again, false);
    check(dray_str_eq(dray_buf_str(&once), dray_buf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    dray_str text = dray_str_n((const char *)data, size), one;
    dray_yaml_docs docs = dray_yaml_split(text);
    size_t total = 0;
    uint32_t line;
    while (dray_yaml_next(&docs, &one, &line)) {
        DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(ARENA_BYTES);
        dray_err err = DRAY_ERR_INIT;
        dray_node *root = NULL;
        check(one.n == 0 || one.p == text.p + total);
        total += one.n;
        dray_code code = dray_yaml_parse(one, line, arena, &root, &err);
        check(code == DRAY_OK || code == DRAY_E_LIMIT ||
              (code == DRAY_E_INVALID && err.line >= line));
        if (code == DRAY_OK && root != NULL)
            check_again(root, arena);
        dray_err_done(&err);
    }
    check(total == size);
    return 0;
}
