/* Label selectors and tolerations. */
#include "base/vec.h"
#include "plan/select.h"
#include "tap.h"

static dray_str keys[] = {DRAY_STR_INIT("a"), DRAY_STR_INIT("n")};
static dray_str values[] = {DRAY_STR_INIT("1"), DRAY_STR_INIT("-7")};
static const dray_string_map labels = {keys, values, 2};

static void selectors(dray_arena *arena) {
    dray_plan_selector none = dray_plan_selector_of(NULL, arena);
    CHECK("an absent selector selects nothing", !dray_plan_selector_match(&none, labels));
    CHECK("and is not empty", !dray_plan_selector_empty(&none));
    dray_meta_label_selector empty = {0};
    dray_plan_selector all = dray_plan_selector_of(&empty, arena);
    CHECK("an empty selector selects everything", dray_plan_selector_match(&all, labels));
    static const struct {
        const char *label, *key, *operator, * value;
        bool want;
    } rows[] = {
        {"In finds the value", "a", "In", "1", true},
        {"In needs the key", "b", "In", "1", false},
        {"NotIn is true without the key", "b", "NotIn", "1", true},
        {"NotIn refuses the value", "a", "NotIn", "1", false},
        {"Exists needs the key", "b", "Exists", NULL, false},
        {"DoesNotExist refuses the key", "a", "DoesNotExist", NULL, false},
        {"an unknown operator matches nothing", "a", "Gt", "0", false},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_str value = dray_str_of(rows[i].value);
        dray_meta_label_selector_requirement r = {
            .key = dray_str_of(rows[i].key),
            .operator= dray_str_of(rows[i].operator),
            .values = {&value, rows[i].value != NULL},
        };
        dray_meta_label_selector s = {.match_expressions = {&r, 1}};
        dray_plan_selector made = dray_plan_selector_of(&s, arena);
        CHECK(rows[i].label, dray_plan_selector_match(&made, labels) == rows[i].want);
    }
}

static void tolerations(void) {
    static const struct {
        const char *label, *key, *operator, * value, *effect;
        bool numeric, want;
    } rows[] = {
        {"Exists without key tolerates everything", "", "Exists", "", "", false, true},
        {"another effect is no match", "k", "Exists", "", "NoExecute", false, false},
        {"no operator means Equal", "k", "", "10", "", false, true},
        {"Gt: the taint is greater", "k", "Gt", "9", "", true, true},
        {"Gt: equal is not greater", "k", "Gt", "10", "", true, false},
        {"Lt: the taint is less", "k", "Lt", "11", "", true, true},
        {"numbers count with their gate only", "k", "Lt", "11", "", false, false},
        {"a leading zero is no number", "k", "Lt", "011", "", true, false},
        {"an unknown operator tolerates nothing", "k", "Foo", "10", "", true, false},
    };
    dray_core_taint taint = {
        .key = DRAY_STR("k"), .value = DRAY_STR("10"), .effect = DRAY_STR("NoSchedule")};
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_core_toleration t = {
            .key = dray_str_of(rows[i].key),
            .operator= dray_str_of(rows[i].operator),
            .value = dray_str_of(rows[i].value),
            .effect = dray_str_of(rows[i].effect),
        };
        CHECK(rows[i].label, dray_plan_tolerates(&t, &taint, rows[i].numeric) == rows[i].want);
    }
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    selectors(arena);
    tolerations();
    return tap_end();
}
