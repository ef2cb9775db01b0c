/* Feature gates: switching rules, and the table against the recorded list where it is there. */
#include "obj/gates.h"

#include "base/vec.h"
#include "data/json.h"
#include "tap.h"

#define RECORDED DRAY_TEST_DATA "/../../../shared/conformance/gates.json"

typedef struct row {
    const char *label;
    int release;
    const char *gate;
    bool on;
    const char *error; /* of setting or of finishing; NULL: none */
} row;

static const row rows[] = {
    {"a gate that may be switched", 37, "DRAConsumableCapacity", false, NULL},
    {"a gate that no release knows", 37, "DRANoSuchGate", true,
     "unrecognized feature gate: DRANoSuchGate"},
    {"a gate of a later release", 34, "DRADerivedAttributes", true,
     "unrecognized feature gate: DRADerivedAttributes"},
    {"a locked gate", 37, "DRAAdminAccess", false,
     "cannot set feature gate DRAAdminAccess to false, feature is locked to true"},
    {"a locked gate set to its own value", 37, "DRAAdminAccess", true, NULL},
    {"a gate without one that it needs", 37, "DRAPartitionableDevicesType", true,
     "DRAPartitionableDevicesType is enabled, but depends on features that are disabled: "
     "[DRAResourcePoolStatus]"},
    {"1.34 has no such needs", 34, "DRAResourceClaimDeviceStatus", false, NULL},
};

static void check_row(const row *r) {
    dray_err err = DRAY_ERR_INIT;
    dray_gates gates;
    dray_gates_init(&gates, r->release);
    if (dray_gates_set(&gates, dray_str_of(r->gate), r->on, &err) == DRAY_OK)
        dray_gates_finish(&gates, &err);
    CHECK_STR(r->label, dray_str_of(dray_err_text(&err)), r->error != NULL ? r->error : "");
    dray_err_done(&err);
}

static const dray_node *load(dray_arena *arena) {
    FILE *f = fopen(RECORDED, "r");
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

static bool truth(const dray_node *map, const char *key) {
    const dray_node *node = dray_node_find(map, dray_str_of(key));
    return node != NULL && node->truth;
}

/* Whether the table says of a gate in a release what the record says. */
static bool agrees(dray_str name, int release, const dray_node *record) {
    int gate = dray_gate_find(name);
    if (record == NULL)
        return gate < 0 || !dray_gate_known((dray_gate)gate, release);
    if (gate < 0 || !dray_gate_known((dray_gate)gate, release))
        return false;
    dray_gates gates;
    dray_gates_init(&gates, release);
    bool on = dray_gates_on(&gates, (dray_gate)gate);
    bool locked = dray_gates_set(&gates, name, !on, NULL) != DRAY_OK;
    return on == truth(record, "default") && locked == truth(record, "locked");
}

static void check_recorded(const dray_node *root, dray_arena *arena) {
    size_t bad = 0;
    for (size_t i = 0; i < root->map.n; i++)
        for (int release = DRAY_RELEASE_OLDEST; release <= DRAY_RELEASE_NEWEST; release++) {
            dray_str name = root->map.members[i].key;
            const dray_node *record =
                dray_node_find(&root->map.members[i].value, dray_strf(arena, "1.%d", release));
            if (!agrees(name, release, record) && ++bad)
                printf("# " DRAY_FMT " in 1.%d\n", DRAY_ARG(name), release);
        }
    CHECK_INT("every gate has its default and its lock in every release", (int64_t)bad, 0);
    CHECK_INT("there is no gate more than recorded", DRAY_GATE_COUNT, (int64_t)root->map.n);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i]);
    const dray_node *recorded = load(arena);
    if (recorded != NULL)
        check_recorded(recorded, arena);
    else
        printf("# the recorded list is not there: skipped\n");
    return tap_end();
}
