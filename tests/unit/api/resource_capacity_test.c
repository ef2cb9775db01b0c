/* Request policies: ranges, lists, and numbers that an int64 does not hold. */
#include "api/validate/resource_int.h"
#include "data/json.h"
#include "tap.h"

typedef struct row {
    const char *label, *policy;
    bool fractional;   /* DRAFractionalCapacityRange */
    const char *first; /* the first error, or "" */
} row;

#define RANGE(default_, min, max, step)                                                \
    "{\"default\":\"" default_ "\",\"validRange\":{\"min\":\"" min "\",\"max\":\"" max \
    "\",\"step\":\"" step "\"}}"

static const row rows[] = {
    /* of a capacity of 100 */
    {"a fitting range passes", RANGE("4", "2", "8", "2"), false, ""},
    {"the default lies on a step", RANGE("5", "2", "8", "2"), false,
     "p.validRange.step: \"5\": value is not a multiple of a given step (2) from (2)"},
    {"the default lies above the minimum", RANGE("1", "2", "8", "2"), false,
     "p.validRange.default: \"1\": default is less than min: 2"},
    {"a step is more than nothing", RANGE("4", "2", "8", "0"), false,
     "p.validRange.step: \"0\": must be greater than zero"},
    {"halves are rounded up without the gate", RANGE("1500m", "1", "8", "1"), false, ""},
    {"and exact with it", RANGE("1500m", "1", "8", "1"), true,
     "p.validRange.step: \"1500m\": value is not a multiple of a given step (1) from (1)"},
    {"a multiple of 2^64 is refused, not divided by",
     "{\"default\":\"2\",\"validRange\":{\"min\":\"2\",\"step\":\"18446744073709551616\"}}", false,
     "p.validRange.step: \"18446744073709551616\": one step 18446744073709551618 is larger than "
     "capacity value: 100"},
    {"values ascend", "{\"default\":\"1\",\"validValues\":[\"2\",\"1\"]}", false,
     "p.validValues[1]: \"1\": values must be sorted in ascending order"},
    {"values round to different numbers", "{\"default\":\"1\",\"validValues\":[\"500m\",\"1\"]}",
     false, "p.validValues[1]: \"1\": "},
    {"unless fractions count", "{\"default\":\"1\",\"validValues\":[\"500m\",\"1\"]}", true, ""},
    {"the default is one of them", "{\"default\":\"3\",\"validValues\":[\"1\",\"2\"]}", false,
     "p.validValues: \"3\": default value is not valid according to the requestPolicy"},
};

static void check_row(const row *r) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    gates.on[DRAY_GATE_DRAFractionalCapacityRange] = r->fractional;
    dray_node *root;
    void *policy = NULL;
    if (dray_json_parse(dray_str_of(r->policy), arena, &root, NULL) == DRAY_OK)
        dray_api_decode_type(root, &dray_type_resource_capacity_request_policy, 0, arena, NULL,
                             &policy, NULL);
    dray_errors errors = {.arena = arena};
    dray_request rq = {.arena = arena, .gates = &gates, .errors = &errors};
    dray_path path = dray_path_child(NULL, "p");
    if (CHECK("  (the row can be read)", policy != NULL))
        dray_resource_request_policy(&rq, dray_quantity_from_int(100, DRAY_QUANTITY_DECIMAL_SI),
                                     policy, &path);
    dray_str first = DRAY_STR("");
    if (errors.list.n > 0)
        first =
            dray_strf(arena, DRAY_FMT ": " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(errors.list.v[0].field),
                      DRAY_ARG(errors.list.v[0].value), DRAY_ARG(errors.list.v[0].detail));
    CHECK_STR(r->label, first, r->first);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i]);
    return tap_end();
}
