/* Columns: devices with one value are told from others without a look at each. */
#include "cluster/inventory.h"
#include "objects.h"
#include "tap.h"

static const char slice_json[] =
    "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"driver\":\"drv\",\"nodeName\":\"n\",\"pool\":{\"name\":"
    "\"p\",\"generation\":1,\"resourceSliceCount\":1},\"devices\":["
    "{\"name\":\"d0\",\"attributes\":{\"x\":{\"int\":1},\"a/y\":{\"string\":\"v\"},\"l\":{\"int\":1}}},"
    "{\"name\":\"d1\",\"attributes\":{\"x\":{\"int\":2},\"y\":{\"string\":\"v\"},\"l\":{\"int\":1}}},"
    "{\"name\":\"d2\",\"attributes\":{\"drv/x\":{\"int\":1},\"a/y\":{\"version\":\"v\"}}},"
    "{\"name\":\"d3\",\"attributes\":{\"x\":{\"bool\":true},\"l\":{\"ints\":[1]}}}]}}";

static bool equal(const uint64_t *column, int i, int k) {
    return column[i] != 0 && column[i] == column[k];
}

static void check_columns(dray_slice *slice) {
    const uint64_t *x = dray_slice_column(slice, DRAY_STR("drv/x"));
    CHECK("a driver's own attribute is found under its bare name", x != NULL && equal(x, 0, 2));
    CHECK("another value has another hash", x != NULL && !equal(x, 0, 1));
    CHECK("and so has another type", x != NULL && x[3] != 0 && !equal(x, 0, 3));
    CHECK("a column is made once", x == dray_slice_column(slice, DRAY_STR("drv/x")));
    const uint64_t *y = dray_slice_column(slice, DRAY_STR("a/y"));
    CHECK("another's bare name is another attribute", y != NULL && y[0] != 0 && y[1] == 0);
    CHECK("a string is no version", y != NULL && y[2] != 0 && !equal(y, 0, 2));
    CHECK("a list makes the column useless", dray_slice_column(slice, DRAY_STR("drv/l")) == NULL);
    char name[8];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "a/%d", i);
        (void)dray_slice_column(slice, dray_str_of(name));
    }
    CHECK("past a number of columns there are no more",
          dray_slice_column(slice, dray_str_of(name)) == NULL);
    CHECK("and the first ones stay", x == dray_slice_column(slice, DRAY_STR("drv/x")));
}

int main(void) {
    dray_arena *arena = dray_arena_new(0);
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_cluster *cluster = dray_cluster_new(&gates);
    dray_cluster_add(cluster, object_of("Node", "{\"metadata\":{\"name\":\"n\"}}", arena));
    dray_cluster_add(cluster, object_of("ResourceSlice", slice_json, arena));
    dray_view *view = NULL;
    dray_code code =
        dray_cluster_view(cluster, dray_cluster_node_find(cluster, DRAY_STR("n")), &view, NULL);
    CHECK("the node sees the slice", code == DRAY_OK && view->n_words == 1);
    check_columns(view->words[0].slice);
    dray_cluster_free(cluster);
    dray_arena_free(arena);
    return tap_end();
}
