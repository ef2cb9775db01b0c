/* CEL: evaluating any selector on a device ends within the cost limit, and alike each time. */
#include "celk8s/celk8s.h"

#include "api/engine.h"
#include "cel/eval.h"
#include "celk8s/columns.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static dray_celk8s *k;
static dray_arena *kept; /* of the device, to the end */
static dray_celk8s_device *device;

static void prepare(void) {
    static dray_str names[] = {DRAY_STR_INIT("d.io/x"), DRAY_STR_INIT("is"), DRAY_STR_INIT("s"),
                               DRAY_STR_INIT("v")};
    static int64_t ints[] = {3, 1, 2};
    static dray_resource_device_attribute values[4];
    static dray_resource_device body;
    values[0].int_ = (dray_opt_int64){true, 7};
    values[1].ints.v = ints;
    values[1].ints.n = 3;
    values[2].string = DRAY_STR("h\xc3\xa9llo");
    values[3].version = DRAY_STR("1.10.2");
    body.attributes.k = names;
    body.attributes.v = values;
    body.attributes.n = 4;
    k = dray_celk8s_new(NULL);
    kept = dray_arena_new(0);
    device = dray_celk8s_device_new(kept, DRAY_STR("d.io"), &body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const dray_celk8s_program *program;
    dray_celk8s_result first, second;
    dray_gates gates;
    if (kept == NULL)
        prepare();
    dray_gates_init(&gates, size % 2 == 0 ? 37 : 36);
    dray_celk8s_forget(k);
    if (size > DRAY_CEL_LENGTH_LIMIT ||
        dray_celk8s_compile(k, dray_str_n((const char *)data, size), DRAY_CELK8S_SELECTOR, false,
                            &gates, &program, NULL) != DRAY_OK)
        return 0;
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_cel_scratch_new();
    dray_celk8s_answer answer = dray_celk8s_match(program, device, scratch, &first);
    if (answer != DRAY_CELK8S_ERROR && first.cost > DRAY_CEL_COST_LIMIT)
        abort();
    if (dray_celk8s_match(program, device, scratch, &second) != answer || second.cost != first.cost)
        abort();
    const dray_celk8s_device *devices[] = {device, device};
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_bits yes = dray_bits_new(arena, 2), failed = dray_bits_new(arena, 2);
    dray_celk8s_columns *columns = dray_celk8s_columns_new(devices, 2);
    dray_celk8s_match_columns(program, columns, scratch, yes, failed);
    if (dray_bits_get(yes, 1) != (answer == DRAY_CELK8S_TRUE) ||
        dray_bits_get(failed, 1) != (answer == DRAY_CELK8S_ERROR))
        abort();
    dray_celk8s_columns_free(columns);
    return 0;
}
