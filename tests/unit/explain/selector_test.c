/* Selectors taken apart, names that are nearly the same. */
#include "explain/selector_int.h"

#include "cel/eval.h"
#include "tap.h"

static dray_arena *arena;
static dray_inquiry q;

static dray_str joined(const char *text, uint64_t without, size_t other, const char *instead) {
    dray_selector *s = dray_selector_read(&q, dray_str_of(text));
    return s != NULL ? dray_selector_join(s, without, other, dray_str_of(instead))
                     : DRAY_STR("no selector");
}

static void check_join(void) {
    const char *three = "device.driver == 'd' && (device.attributes['d'].a == 1 || true) && "
                        "device.attributes['d'].b";
    CHECK_STR("a condition is left out", joined(three, 2, SIZE_MAX, NULL),
              "device.driver == \"d\" && device.attributes[\"d\"].b");
    CHECK_STR("an alternative keeps its parentheses", joined(three, 4, SIZE_MAX, NULL),
              "device.driver == \"d\" && (device.attributes[\"d\"].a == 1 || true)");
    CHECK_STR("a condition is replaced", joined("a && b", 0, 1, "c == 1"), "a && c == 1");
    CHECK("nothing is left of one condition", joined("a == 1", 1, SIZE_MAX, NULL).p == NULL);
    CHECK("what doesn't parse is none", dray_selector_read(&q, DRAY_STR("a &&")) == NULL);
}

static void check_lookups(void) {
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"device.attributes['d'].x == 1", "attributes d/x"},
        {"device.attributes['d']['x'] == 1", "attributes d/x"},
        {"device.attributes['d'].?x.orValue(1) == 1", "attributes d/x tests"},
        {"'x' in device.attributes['d']", "attributes d/x tests"},
        {"has(device.capacity['d'].x)", "capacity d/x tests"},
        {"[1].exists(i, device.attributes['d'].x == i)", "attributes d/x"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_selector *s = dray_selector_read(&q, dray_str_of(rows[i].text));
        dray_str got = DRAY_STR("none");
        dray_lookups found = {0};
        if (s != NULL)
            found = dray_selector_lookups(&q, s->conditions[0]);
        if (found.list.n != 0)
            got = dray_strf(arena, DRAY_FMT " " DRAY_FMT "/" DRAY_FMT "%s",
                            DRAY_ARG(*found.list.v[0].map), DRAY_ARG(*found.list.v[0].domain),
                            DRAY_ARG(*found.list.v[0].id), found.list.v[0].tests ? " tests" : "");
        tap_check_str(got, dray_str_of(rows[i].want), rows[i].text, __FILE__, __LINE__);
    }
    CHECK_STR("the driver that is asked for",
              dray_selector_driver(&q, DRAY_STR("'d.e' == device.driver && true")), "d.e");
}

static void check_words(void) {
    CHECK("case, -, _ and . don't count",
          dray_words_alike(DRAY_STR("Product_Name"), DRAY_STR("product-name")));
    CHECK("one letter does", !dray_words_alike(DRAY_STR("name"), DRAY_STR("names")));
    CHECK_INT("a letter more is one edit",
              dray_words_distance(DRAY_STR("index"), DRAY_STR("indexx"), 2), 1);
    CHECK("three edits are too many",
          dray_words_distance(DRAY_STR("migProfile"), DRAY_STR("profile"), 2) == SIZE_MAX);
    CHECK("words in another order are close",
          dray_words_closeness(DRAY_STR("nvidia-gpu"), DRAY_STR("gpu.nvidia.com")) != SIZE_MAX);
    CHECK("names without a common word are not",
          dray_words_closeness(DRAY_STR("rdma-nic"), DRAY_STR("gpu.nvidia.com")) == SIZE_MAX);
}

static void check_invented(void) {
    dray_resource_device device = {0};
    dray_str text = DRAY_STR(
        "device.driver == 'd' && device.attributes['d'].n > 3 && device.attributes['d'].ok && "
        "device.attributes['x.y'].v.isGreaterThan(semver('1.2.3')) == false && "
        "device.capacity['d'].memory.compareTo(quantity('40Gi')) >= 0");
    dray_selector_satisfy(&q, text, DRAY_STR("d"), &device);
    CHECK("a device is made up that the selector is true for",
          dray_selector_match(&q, text, DRAY_STR("d"), &device, NULL) == DRAY_CELK8S_TRUE);
}

int main(void) {
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_explain_input input = {.gates = &gates};
    arena = dray_arena_new(0);
    q.arena = arena;
    q.input = &input;
    q.celk8s = dray_celk8s_new(NULL);
    q.eval = dray_cel_scratch_new();
    check_join();
    check_lookups();
    check_words();
    check_invented();
    dray_celk8s_free(q.celk8s);
    dray_arena_free(q.eval);
    dray_arena_free(arena);
    return tap_end();
}
