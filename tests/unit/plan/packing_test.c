/* Packing: what fragments are, which node and device each kind of packing takes. */
#include "unit/plan/picture.h"

#define CLASS \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: {}\n"
#define SLICE(node, devices)                                                             \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s-" node \
    "}\nspec: {driver: d, nodeName: " node ", pool: {name: " node                        \
    ", generation: 1, resourceSliceCount: 1}, devices: [" devices "]}\n"
#define SHARED(name) \
    "{name: " name ", allowMultipleAllocations: true, capacity: {m: {value: 80Gi}}}"
#define MODEL(name, model) "{name: " name ", attributes: {model: {string: " model "}}}"
#define TEMPLATE(name, requests)                                                               \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: " name \
    "}\nspec: {spec: {devices: {requests: [" requests "]}}}\n"
#define EXACTLY(more) "{name: r, exactly: {deviceClassName: g" more "}}"
#define POD(name, cpu, more)                                                                       \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name                                       \
    "}\nspec:\n  schedulerName: default-scheduler\n  containers: [{name: c, image: i, resources: " \
    "{requests: {cpu: '" cpu "'}}}]\n" more
#define BY(template) "  resourceClaims: [{name: x, resourceClaimTemplateName: " template "}]\n"
#define NODES PICTURE_NODE("a", PICTURE_ROOM) PICTURE_NODE("b", PICTURE_ROOM)
#define HALVES                                                                   \
    CLASS TEMPLATE("half", EXACTLY(", capacity: {requests: {m: 40Gi}}"))         \
        NODES SLICE("a", SHARED("d0") ", " SHARED("d1"))                         \
            SLICE("b", SHARED("e0") ", " SHARED("e1")) POD("p", "1", BY("half")) \
                POD("q", "1", BY("half")) POD("r", "1", BY("half"))
#define PICKY                                                                                   \
    CLASS TEMPLATE("any", EXACTLY("")) TEMPLATE(                                                \
        "x",                                                                                    \
        EXACTLY(", selectors: [{cel: {expression: \"device.attributes['d'].model == 'x'\"}}]")) \
        PICTURE_NODE("a", PICTURE_ROOM) SLICE("a", MODEL("d0", "x") ", " MODEL("d1", "z"))      \
            POD("p", "1", BY("any")) POD("q", "1", BY("x"))
#define BESIDE                                                                              \
    CLASS TEMPLATE("any", EXACTLY("")) NODES SLICE("a", MODEL("d0", "x")) POD("p", "3", "") \
        POD("q", "2", BY("any"))
#define TWO                                                                            \
    CLASS TEMPLATE("two", EXACTLY("") ", {name: s, exactly: {deviceClassName: g}}")    \
        NODES SLICE("a", MODEL("d0", "x") ", " MODEL("d1", "x") ", " MODEL("d2", "x")) \
            SLICE("b", MODEL("e0", "x") ", " MODEL("e1", "x")) POD("p", "1", BY("two"))

#define SETS(node)                                                                         \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: c-" node   \
    "}\nspec: {driver: d, nodeName: " node ", pool: {name: " node                          \
    ", generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: g0, counters: {s0: " \
    "{value: '1'}, s1: {value: '1'}, s2: {value: '1'}, s3: {value: '1'}}}]}\n"
#define DRAWS(name, size, counters)                   \
    "{name: " name ", attributes: {size: {int: " size \
    "}}, consumesCounters: [{counterSet: g0, counters: {" counters "}}]}"
#define ONE(n) "s" n ": {value: '1'}"
/* A card of four slices: quarters, halves on even slices, the whole. */
#define CARD(node)                                                                                             \
    SETS(node)                                                                                                 \
    "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s-" node                       \
    "}\nspec: {driver: d, nodeName: " node ", pool: {name: " node                                              \
    ", generation: 1, resourceSliceCount: 2}, devices: [" DRAWS("q1", "1", ONE("1")) ", " DRAWS(               \
        "q2", "1",                                                                                             \
        ONE("2")) ", " DRAWS("q0", "1",                                                                        \
                             ONE("0")) ", " DRAWS("q3", "1",                                                   \
                                                  ONE("3")) ", " DRAWS("h0", "2",                              \
                                                                       ONE("0") ", " ONE(                      \
                                                                           "1")) ", " DRAWS("h2",              \
                                                                                            "2",               \
                                                                                            ONE("2") ", " ONE( \
                                                                                                "3")) "]}\n"
#define SIZE(n) \
    EXACTLY(", selectors: [{cel: {expression: \"device.attributes['d'].size == " n "\"}}]")
#define HALVED                                                                 \
    CLASS TEMPLATE("quarter", SIZE("1")) TEMPLATE("half", SIZE("2"))           \
        PICTURE_NODE("a", PICTURE_ROOM) CARD("a") POD("p", "1", BY("quarter")) \
            POD("q", "1", BY("quarter")) POD("r", "1", BY("half"))
#define DIMENSIONS(name)                                                            \
    "{name: " name ", allowMultipleAllocations: true, capacity: {m: {value: '10', " \
    "requestPolicy: {default: '0'}}, k: {value: '10', requestPolicy: {default: '0'}}}}"
#define WANTS(m, k) EXACTLY(", capacity: {requests: {m: '" m "', k: '" k "'}}")
#define LOPSIDED                                                                       \
    CLASS TEMPLATE("m", WANTS("5", "2")) TEMPLATE("k", WANTS("2", "5"))                \
        TEMPLATE("e", WANTS("3", "3")) NODES SLICE("a", DIMENSIONS("d0"))              \
            SLICE("b", DIMENSIONS("e0")) POD("p", "1", BY("m")) POD("q", "1", BY("m")) \
                POD("r", "1", BY("k")) POD("s", "1", BY("k")) POD("t", "1", BY("e"))
#define PAIRED(name, kind, root) \
    "{name: " name ", attributes: {kind: {string: " kind "}, root: {string: " root "}}}"
#define KIND(name, kind)                                                             \
    "{name: " name ", exactly: {deviceClassName: g, selectors: [{cel: {expression: " \
    "\"device.attributes['d'].kind == '" kind "'\"}}]}}"
#define TOGETHER                                                                                  \
    CLASS "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: "   \
          "pair}\nspec: {spec: {devices: {requests: [" KIND("r", "gpu") ", " KIND(                \
              "i",                                                                                \
              "nic") "], constraints: [{matchAttribute: d/root}]}}}\n" TEMPLATE("gpu",            \
                                                                                KIND("r", "gpu")) \
              PICTURE_NODE("a", PICTURE_ROOM) SLICE(                                              \
                  "a", PAIRED("g0", "gpu", "left") ", " PAIRED("g1", "gpu", "right") ", " PAIRED( \
                           "g2", "gpu", "right") ", " PAIRED("n0", "nic", "left"))                \
                  POD("p", "1", BY("gpu")) POD("q", "1", BY("pair")) POD("r", "1", BY("gpu"))
#define EITHER                                                                            \
    CLASS TEMPLATE("either",                                                              \
                   "{name: r, firstAvailable: [{name: x, deviceClassName: g, selectors: " \
                   "[{cel: {expression: \"device.attributes['d'].model == 'x'\"}}]}, "    \
                   "{name: z, deviceClassName: g}]}")                                     \
        TEMPLATE("x", EXACTLY(", selectors: [{cel: {expression: "                         \
                              "\"device.attributes['d'].model == 'x'\"}}]"))              \
            NODES SLICE("a", MODEL("d0", "z")) SLICE("b", MODEL("e0", "x"))               \
                POD("p", "1", BY("either")) POD("q", "1", BY("x"))
#define EVERY                                                                                 \
    CLASS TEMPLATE("all", "{name: r, exactly: {deviceClassName: g, allocationMode: All}}")    \
        TEMPLATE("any", EXACTLY("")) NODES SLICE("a", MODEL("d0", "x") ", " MODEL("d1", "x")) \
            SLICE("b", MODEL("e0", "x")) POD("p", "1", BY("any")) POD("r", "1", BY("all"))
#define ADMIN                                                                                     \
    "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: "                    \
    "{resource.kubernetes.io/admin-access: 'true'}}\n" CLASS TEMPLATE(                            \
        "look", EXACTLY(", adminAccess: true")) TEMPLATE("any", EXACTLY(""))                      \
        NODES SLICE("a", MODEL("d0", "x")) SLICE("b", MODEL("e0", "x")) POD("p", "1", BY("look")) \
            POD("q", "1", BY("any")) POD("r", "1", BY("any")) POD("s", "1", BY("look"))
#define RESOURCE                                                                                                \
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: "                       \
    "{extendedResourceName: example.com/g}\n" NODES SLICE(                                                      \
        "a", MODEL("d0", "x") ", " MODEL("d1", "x") ", " MODEL("d2", "x"))                                      \
        SLICE(                                                                                                  \
            "b",                                                                                                \
            MODEL(                                                                                              \
                "e0",                                                                                           \
                "x")) "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  schedulerName: "           \
                      "default-scheduler\n  containers: [{name: c, image: i, resources: {requests: {cpu: '1', " \
                      "example.com/g: '1'}, limits: {example.com/g: '1'}}}]\n"

static const struct {
    const char *label;
    dray_packing packing;
    const char *yaml, *want;
} rows[] = {
    {"first goes by scores, then devices in order", DRAY_PACKING_FIRST, HALVES,
     "p a:d0; q b:e0; r a:d0"},
    {"pack fills a device, then the node", DRAY_PACKING_PACK, HALVES, "p a:d0; q a:d0; r a:d1"},
    {"spread takes the emptiest node, and its emptiest device", DRAY_PACKING_SPREAD, HALVES,
     "p a:d0; q b:e0; r a:d1"},
    {"frag fills what only halves can use", DRAY_PACKING_FRAG, HALVES, "p a:d0; q a:d0; r a:d1"},
    {"first takes the device that others need", DRAY_PACKING_FIRST, PICKY, "p a:d0; q -"},
    {"frag leaves it to them", DRAY_PACKING_FRAG, PICKY, "p a:d1; q a:d0"},
    {"first puts a Pod without claims beside devices", DRAY_PACKING_FIRST, BESIDE, "p a; q -"},
    {"frag doesn't, where their users would lack processors", DRAY_PACKING_FRAG, BESIDE,
     "p b; q a:d0"},
    {"first cuts a card wherever it comes first", DRAY_PACKING_FIRST, HALVED,
     "p a:q1; q a:q2; r -"},
    {"frag lays quarters side by side", DRAY_PACKING_FRAG, HALVED, "p a:q1; q a:q0; r a:h2"},
    {"pack puts like beside like, and wastes the other capacity", DRAY_PACKING_PACK, LOPSIDED,
     "p a:d0; q a:d0; r b:e0; s b:e0; t -"},
    {"frag keeps capacities even", DRAY_PACKING_FRAG, LOPSIDED,
     "p a:d0; q b:e0; r a:d0; s b:e0; t a:d0"},
    {"first takes the device that others need beside theirs", DRAY_PACKING_FIRST, TOGETHER,
     "p a:g0; q -; r a:g1"},
    {"frag leaves it to them", DRAY_PACKING_FRAG, TOGETHER, "p a:g1; q a:g0:n0; r a:g2"},
    {"a higher alternative wins over any fragments", DRAY_PACKING_FRAG, EITHER, "p b:e0; q -"},
    {"pack does likewise", DRAY_PACKING_PACK, EITHER, "p b:e0; q -"},
    {"who wants all devices of a node finds more of them", DRAY_PACKING_FRAG, EVERY,
     "p b:e0; r a:d0:d1"},
    {"who only looks at devices takes none", DRAY_PACKING_FRAG, ADMIN,
     "p a:d0; q a:d0; r b:e0; s a:d0"},
    {"extended resources are packed like claims", DRAY_PACKING_PACK, RESOURCE, "p b:e0"},
    {"a Pod with two requests goes where it leaves least", DRAY_PACKING_PACK, TWO, "p b:e0:e1"},
};

/* "p a:d0; q -" */
static dray_str run_text(picture *p, dray_packing packing) {
    dray_plan_result result;
    dray_plan_run(p->plan, &(dray_plan_run_options){.packing = packing}, p->arena, &result);
    return picture_placed(p, &result);
}

static double fragments_of(const dray_packing_mix *mix, const dray_packing_node *node) {
    double usable[DRAY_PACKING_KINDS_MAX];
    for (size_t k = 0; k < mix->n; k++)
        usable[k] = dray_packing_usable(node, &mix->v[k]);
    return dray_packing_fragments(mix, dray_packing_left(node), usable, node->cpu_milli);
}

static void values(void) {
    /* Two devices; a half of either, the whole of either, the whole of the first only. */
    static const uint16_t shares[] = {500, 500, 1000, 1000, 1000, 0};
    int64_t cpu[] = {0, 0, 0};
    const double half = 0.5, quarter = 0.25;
    dray_packing_kind kinds[] = {
        {1, 0, 1, &cpu[0], &half}, {1, 1, 1, &cpu[1], &quarter}, {1, 2, 1, &cpu[2], &quarter}};
    dray_packing_mix mix = {kinds, DRAY_COUNT(kinds)};
    dray_packing_task task = {.devices = 1};
    dray_packing_node node = {.cpu_milli = 1000, .n = 2, .free = {1000, 1000}, .shares = shares};
    CHECK_INT("what some won't have counts for them", fragments_of(&mix, &node), 250);
    node.free[1] = 500;
    CHECK_INT("so does what is too little for them", fragments_of(&mix, &node), 250);
    node.free[0] = 400;
    CHECK_INT("who can't run leaves all", fragments_of(&mix, &node), 650);
    cpu[0] = task.cpu_milli = 1001;
    CHECK_INT("for want of processors too", fragments_of(&mix, &node), 900);
    dray_packing_choice choice;
    CHECK("what doesn't fit isn't rated",
          dray_packing_rate(DRAY_PACKING_FRAG, &mix, &node, &task, 900, &choice) ==
              DRAY_PACKING_DOES_NOT_FIT);
    cpu[0] = task.cpu_milli = 1000;
    CHECK("what fits is", dray_packing_rate(DRAY_PACKING_FRAG, &mix, &node, &task, 650, &choice) ==
                              DRAY_PACKING_FITS);
    CHECK_INT("on the device that has enough", choice.device, 1);
    dray_packing_take(&node, &task, choice.device);
    CHECK("the node has less then",
          node.free[1] == 0 && node.cpu_milli == 0 && node.free[0] == 400);
}

static void counted(void) {
    picture p = picture_new(HALVES POD("s", "1", BY("half")) POD("t", "1", BY("half")));
    run_text(&p, DRAY_PACKING_PACK);
    dray_plan_fragments f = dray_plan_count_fragments(p.plan);
    CHECK("what is left is counted in devices", f.free == 1.5 && f.useless == 0);
    picture_done(&p);
}

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        picture p = picture_new(rows[i].yaml);
        CHECK_STR(rows[i].label, run_text(&p, rows[i].packing), rows[i].want);
        picture_done(&p);
    }
    values();
    counted();
    return tap_end();
}
