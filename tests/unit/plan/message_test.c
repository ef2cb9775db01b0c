/* FailedScheduling: counting, sorting, preemption's part, the cut at 1,024 bytes. */
#include "unit/plan/picture.h"

#include "plan/plan_int.h"

static const char taken[] =
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {nodeName: a, priority: 5, "
    "containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]}\n";
#define WANTS(priority)                                                           \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {schedulerName: " \
    "default-scheduler, priority: " priority                                      \
    ", containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]}\n"

static dray_str message(const char *yaml, picture *p) {
    *p = picture_new(yaml);
    return picture_ask(p).message;
}

static void preemption(void) {
    char yaml[4096];
    picture p;
    snprintf(yaml, sizeof yaml, "%s%s%s", PICTURE_NODE("a", PICTURE_ROOM), taken, WANTS("5"));
    CHECK_STR("equals are no victims", message(yaml, &p),
              "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
              "No preemption victims found for incoming pod.");
    picture_done(&p);
    snprintf(yaml, sizeof yaml, "%s%s%s", PICTURE_NODE("a", PICTURE_ROOM), taken, WANTS("6"));
    CHECK_STR(
        "a Pod of lower priority could go", message(yaml, &p),
        "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement "
        "for pod on node a, preempting 1 victims");
    CHECK_INT("trying doesn't evict anybody", (int64_t)p.plan->world.nodes[0].pods.n, 1);
    CHECK_INT("and leaves the sums alone", p.plan->world.nodes[0].requested.cpu, 3000);
    picture_done(&p);
}

static void cutting(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    char text[2000];
    memset(text, 'x', sizeof text);
    CHECK_INT("1,024 bytes stay", (int64_t)dray_plan_note(dray_str_n(text, 1024), arena).n, 1024);
    dray_str cut = dray_plan_note(dray_str_n(text, 1025), arena);
    CHECK_INT("more is cut to 1,024", (int64_t)cut.n, 1024);
    CHECK("and ends in dots", dray_str_ends(cut, DRAY_STR("x ...")));
}

static void counting(void) {
    picture p;
    CHECK_STR(
        "reasons are counted and sorted as texts",
        message(PICTURE_NODE("a", "spec: {unschedulable: true}\n" PICTURE_ROOM)
                    PICTURE_NODE("b", "spec: {unschedulable: true}\n" PICTURE_ROOM) PICTURE_NODE(
                        "c", PICTURE_ROOM) PICTURE_POD("p", "  nodeSelector: {x: w}\n"),
                &p),
        "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 "
        "node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not "
        "helpful for scheduling.");
    picture_done(&p);
}

int main(void) {
    counting();
    preemption();
    cutting();
    return tap_end();
}
