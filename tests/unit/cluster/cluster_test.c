/* The picture: objects, relations, the ledger and what a node sees, as objects come and go. */
#include "cluster/inventory.h"
#include "objects.h"
#include "tap.h"

static dray_arena *arena;
static dray_cluster *cluster;

static void add(const char *kind, const char *json) {
    dray_cluster_add(cluster, object_of(kind, json, arena));
}

static void begin(void) {
    dray_gates gates;
    dray_gates_init(&gates, 37);
    cluster = dray_cluster_new(&gates);
    add("Node", "{\"metadata\":{\"name\":\"n\",\"labels\":{\"zone\":\"a\"}}}");
}

static dray_view *view_of(const char *node) {
    dray_view *view = NULL;
    dray_err err = DRAY_ERR_INIT;
    if (dray_cluster_view(cluster, dray_cluster_node_find(cluster, dray_str_of(node)), &view,
                          &err) != DRAY_OK)
        printf("# %s\n", dray_err_text(&err));
    dray_err_done(&err);
    return view;
}

static void add_slice(const char *name, const char *where, int generation, int count,
                      const char *rest) {
    dray_str json = dray_strf(arena,
                              "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"driver\":\"d\",%s,"
                              "\"pool\":{\"name\":\"p\",\"generation\":%d,"
                              "\"resourceSliceCount\":%d},%s}}",
                              name, where, generation, count, rest);
    add("ResourceSlice", json.p);
}

static const char on_n[] = "\"nodeName\":\"n\"";
static const char a_and_b[] = "\"devices\":[{\"name\":\"a\"},{\"name\":\"b\"}]";

static dray_pool_state state(void) {
    dray_view *view = view_of("n");
    return view->n_pools > 0 ? view->pools[0]->state : DRAY_POOL_OBSOLETE;
}

static uint64_t in_use(void) {
    return view_of("n")->words[0].slice->in_use[0];
}

static void test_objects(void) {
    begin();
    add("Pod", "{\"metadata\":{\"name\":\"p\",\"namespace\":\"x\"},\"spec\":{\"nodeName\":\"n\"}}");
    dray_cluster_node *n = dray_cluster_node_find(cluster, DRAY_STR("n"));
    CHECK_INT("a Pod stands on the node that it names", n->n_pods, 1);
    add("Pod", "{\"metadata\":{\"name\":\"p\",\"namespace\":\"x\"},\"spec\":{\"nodeName\":\"m\"}}");
    CHECK_INT("a Pod that is replaced leaves its node", n->n_pods, 0);
    CHECK("a node that only a Pod names has no body",
          dray_cluster_node_find(cluster, DRAY_STR("m"))->body == NULL);
    CHECK_INT("an object of one name is there once",
              (int64_t)dray_cluster_all(cluster, &dray_type_core_pod).n, 1);
    CHECK("what is removed is found no more",
          dray_cluster_remove(cluster, &dray_type_core_pod, DRAY_STR("x"), DRAY_STR("p")) != NULL &&
              dray_cluster_find(cluster, &dray_type_core_pod, DRAY_STR("x"), DRAY_STR("p")) ==
                  NULL &&
              dray_cluster_all(cluster, &dray_type_core_pod).n == 0);
    for (int i = 0; i < 100; i++)
        add("DeviceClass",
            dray_strf(arena, "{\"metadata\":{\"name\":\"c%d\"},\"spec\":{}}", i % 50).p);
    dray_cluster_list classes = dray_cluster_all(cluster, &dray_type_resource_device_class);
    CHECK_INT("names are kept apart as the table grows", (int64_t)classes.n, 50);
    CHECK_STR("lists keep the order of appearance",
              ((const dray_resource_device_class *)classes.v[49])->metadata->name, "c49");
    dray_cluster_free(cluster);
}

static void test_pools(void) {
    begin();
    CHECK_INT("a node without slices sees no pool", (int64_t)view_of("n")->n_pools, 0);
    add_slice("s1", on_n, 1, 2, a_and_b);
    CHECK_INT("a pool that lacks a slice is incomplete", state(), DRAY_POOL_INCOMPLETE);
    add_slice("s2", on_n, 1, 2, "\"devices\":[{\"name\":\"c\"}]");
    CHECK_INT("with all its slices it is ready", state(), DRAY_POOL_READY);
    CHECK_INT("each slice begins a word", (int64_t)view_of("n")->n_words, 2);
    add_slice("s2", on_n, 1, 2, "\"devices\":[{\"name\":\"a\"}]");
    CHECK_INT("a device that is there twice makes it invalid", state(), DRAY_POOL_INVALID);
    CHECK_STR("and the reason is told", view_of("n")->pools[0]->invalid_reason,
              "duplicate device name a");
    add_slice("s3", "\"nodeName\":\"other\"", 2, 9, a_and_b);
    CHECK_INT("a newer generation elsewhere makes a pool obsolete", state(), DRAY_POOL_OBSOLETE);
    dray_cluster_remove(cluster, &dray_type_resource_slice, DRAY_STR(""), DRAY_STR("s3"));
    add_slice("s2", "\"nodeName\":\"other\"", 1, 2, "\"devices\":[{\"name\":\"c\"}]");
    CHECK_INT("slices for other nodes complete a pool", state(), DRAY_POOL_READY);
    CHECK_INT("but their devices are not there", (int64_t)view_of("n")->n_words, 1);
    dray_cluster_free(cluster);

    begin();
    add_slice("s",
              "\"nodeSelector\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":"
              "\"zone\",\"operator\":\"In\",\"values\":[\"b\"]}]}]}",
              1, 1, a_and_b);
    CHECK_INT("a slice for other labels does not reach the node", (int64_t)view_of("n")->n_pools,
              0);
    add("Node", "{\"metadata\":{\"name\":\"n\",\"labels\":{\"zone\":\"b\"}}}");
    CHECK_INT("until the node's labels change", (int64_t)view_of("n")->n_pools, 1);
    dray_cluster_free(cluster);
}

static const char claim_a[] =
    "{\"metadata\":{\"name\":\"c\",\"namespace\":\"x\"},\"spec\":{},\"status\":{\"allocation\":{"
    "\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\",\"pool\":\"p\",\"device\":"
    "\"a\"}]}}}}";
static const char claim_b[] =
    "{\"metadata\":{\"name\":\"c\",\"namespace\":\"x\"},\"spec\":{},\"status\":{\"allocation\":{"
    "\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\",\"pool\":\"p\",\"device\":"
    "\"b\"}]}}}}";
static const char claim_none[] =
    "{\"metadata\":{\"name\":\"c\",\"namespace\":\"x\"},\"spec\":{},\"status\":{}}";

static void test_ledger(void) {
    begin();
    add("ResourceClaim", claim_a);
    add_slice("s", on_n, 1, 1, a_and_b);
    CHECK_INT("what a claim held before the slice came is in use", (int64_t)in_use(), 1);
    add("ResourceClaim", claim_b);
    CHECK_INT("a claim that changes holds the other device", (int64_t)in_use(), 2);
    add("ResourceClaim", claim_none);
    CHECK_INT("a claim that is deallocated holds nothing", (int64_t)in_use(), 0);
    const dray_resource_claim *a = object_of("ResourceClaim", claim_a, arena).body;
    dray_cluster_assume(cluster, DRAY_STR("x"), DRAY_STR("c"), a->status->allocation);
    CHECK_INT("an assumed allocation counts", (int64_t)in_use(), 1);
    add("ResourceClaim", claim_b);
    CHECK_INT("the claim's own allocation takes its place", (int64_t)in_use(), 2);
    dray_cluster_forget(cluster, DRAY_STR("x"), DRAY_STR("c"));
    CHECK_INT("forgetting changes nothing then", (int64_t)in_use(), 2);
    dray_cluster_remove(cluster, &dray_type_resource_claim, DRAY_STR("x"), DRAY_STR("c"));
    CHECK_INT("a claim that is gone holds nothing", (int64_t)in_use(), 0);
    dray_cluster_free(cluster);
}

static void test_shares(void) {
    begin();
    add_slice("s", on_n, 1, 1,
              "\"devices\":[{\"name\":\"a\",\"allowMultipleAllocations\":true,\"capacity\":{\"m\":{"
              "\"value\":\"4\"}}}]");
    add("ResourceClaim",
        "{\"metadata\":{\"name\":\"c\",\"namespace\":\"x\"},\"spec\":{},\"status\":{\"allocation\":"
        "{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":\"d\",\"pool\":\"p\",\"device\":"
        "\"a\",\"shareID\":\"s1\",\"consumedCapacity\":{\"m\":\"3\"}}]}}}}");
    const dray_slice *slice = view_of("n")->words[0].slice;
    CHECK("a share leaves the device to others", slice->in_use[0] == 0 && slice->shared[0] == 1);
    CHECK("what it consumes is summed",
          slice->held[0]->n_consumed == 1 &&
              slice->held[0]->consumed[0].amount == (dray_amount)3000000000);
    add_slice("s", on_n, 1, 1, "\"devices\":[{\"name\":\"a\"}]");
    CHECK_INT("a device that becomes exclusive is in use while a share lives", (int64_t)in_use(),
              1);
    dray_cluster_free(cluster);
}

int main(void) {
    arena = dray_arena_new(0);
    test_objects();
    test_pools();
    test_ledger();
    test_shares();
    dray_arena_free(arena);
    return tap_end();
}
