/* Rules that several rooms need: what a Pod requests, which Pods a workload makes. */
#include "api/engine.h"
#include "api/rules/pod_request.h"
#include "api/rules/workload_pods.h"
#include "base/vec.h"
#include "data/json.h"
#include "tap.h"

typedef struct request_row {
    const char *label, *spec, *cpu; /* cpu: "" when not requested */
} request_row;

#define CPU(n) "{\"requests\":{\"cpu\":\"" n "\"}}"
#define CONTAINER(name, n) "{\"name\":\"" name "\",\"resources\":" CPU(n) "}"
#define SIDECAR(name, n) \
    "{\"name\":\"" name "\",\"restartPolicy\":\"Always\",\"resources\":" CPU(n) "}"

static const request_row request_rows[] = {
    {"containers are summed",
     "{\"containers\":[" CONTAINER("a", "1") "," CONTAINER("b", "500m") "]}", "1500m"},
    {"the largest init container counts when it is larger",
     "{\"initContainers\":[" CONTAINER("i", "3") "],\"containers\":[" CONTAINER("a", "1") "]}",
     "3"},
    {"a sidecar runs beside the containers",
     "{\"initContainers\":[" SIDECAR("s", "1") "],\"containers\":[" CONTAINER("a", "1") "]}", "2"},
    {"an init container runs beside the sidecars before it",
     "{\"initContainers\":[" SIDECAR("s", "1") "," CONTAINER(
         "i", "2") "],\"containers\":[" CONTAINER("a", "1") "]}",
     "3"},
    {"overhead is added", "{\"containers\":[" CONTAINER("a", "1") "],\"overhead\":{\"cpu\":\"1\"}}",
     "2"},
    {"the Pod's own request replaces the sum",
     "{\"containers\":[" CONTAINER("a", "1") "],\"resources\":" CPU("4") "}", "4"},
    {"nothing requested is nothing", "{\"containers\":[{\"name\":\"a\"}]}", ""},
};

static void *read_type(const char *json, const dray_type *type, dray_arena *arena) {
    dray_node *root;
    void *body = NULL;
    if (dray_json_parse(dray_str_of(json), arena, &root, NULL) == DRAY_OK)
        dray_api_decode_type(root, type, 0, arena, NULL, &body, NULL);
    CHECK("  (the row can be read)", body != NULL);
    return body;
}

static void check_request(const request_row *row) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_gates gates;
    dray_gates_init(&gates, DRAY_RELEASE_NEWEST);
    dray_core_pod *pod = dray_api_new(&dray_type_core_pod, arena);
    pod->spec = read_type(row->spec, &dray_type_core_pod_spec, arena);
    dray_pod_request_options options = dray_pod_request_options_of(&gates);
    const dray_quantity *cpu =
        dray_resource_list_find(dray_pod_requests(pod, &options, arena), DRAY_STR("cpu"));
    CHECK_STR(row->label, cpu != NULL ? dray_quantity_format(*cpu, arena) : DRAY_STR(""), row->cpu);
}

typedef struct pods_row {
    const char *label, *api_version, *kind, *json;
    size_t n;
    const char *second; /* the name of the second Pod; "" when there is none */
} pods_row;

#define TEMPLATE "\"template\":{\"spec\":{\"containers\":[]}}"

static const pods_row pods_rows[] = {
    {"a StatefulSet numbers its Pods", "apps/v1", "StatefulSet",
     "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":3," TEMPLATE "}}", 3, "web-1"},
    {"numbers may start higher", "apps/v1", "StatefulSet",
     "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":2,\"ordinals\":{\"start\":5}," TEMPLATE
     "}}",
     2, "web-6"},
    {"a DaemonSet has one Pod a node", "apps/v1", "DaemonSet",
     "{\"metadata\":{\"name\":\"d\"},\"spec\":{" TEMPLATE "}}", 2, "d-1"},
    {"a Job makes no more Pods than completions", "batch/v1", "Job",
     "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"parallelism\":4,\"completions\":1," TEMPLATE "}}",
     1, ""},
    {"a Deployment of none makes none", "apps/v1", "Deployment",
     "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":0," TEMPLATE "}}", 0, ""},
};

static void check_pods(const pods_row *row) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    const dray_kind *kind = dray_kind_find(dray_str_of(row->api_version), dray_str_of(row->kind));
    dray_object object = {kind, read_type(row->json, kind->type, arena)};
    dray_str nodes[] = {DRAY_STR("n1"), DRAY_STR("n2")};
    dray_workload_pods_options options = {.nodes = {nodes, DRAY_COUNT(nodes)}};
    dray_pod_list pods = {0};
    dray_err err = DRAY_ERR_INIT;
    CHECK_INT("  (the workload is expanded)",
              dray_workload_pods(object, &options, arena, &pods, &err), DRAY_OK);
    CHECK_INT(row->label, pods.n, row->n);
    CHECK_STR("  (and names them)", pods.n > 1 ? pods.v[1]->metadata->name : DRAY_STR(""),
              row->second);
    dray_err_done(&err);
}

static void check_limit(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    const dray_kind *kind = dray_kind_find(DRAY_STR("apps/v1"), DRAY_STR("ReplicaSet"));
    const char *json = "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"replicas\":11," TEMPLATE "}}";
    dray_object object = {kind, read_type(json, kind->type, arena)};
    dray_workload_pods_options options = {.limit = 10};
    dray_pod_list pods = {0};
    dray_err err = DRAY_ERR_INIT;
    CHECK_INT("more Pods than the limit are refused",
              dray_workload_pods(object, &options, arena, &pods, &err), DRAY_E_LIMIT);
    dray_err_done(&err);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(request_rows); i++)
        check_request(&request_rows[i]);
    for (size_t i = 0; i < DRAY_COUNT(pods_rows); i++)
        check_pods(&pods_rows[i]);
    check_limit();
    return tap_end();
}
