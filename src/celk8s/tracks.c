/* What calls cost at run time, by the function's name: Kubernetes' CostEstimator.CallCost. Names
 * are what counts, so functions of other libraries are met too. */
#include "celk8s/libs_int.h"

#include "base/vec.h"

#define TRACK(name)                                                                \
    static uint64_t name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n, \
                         const dray_cel_value *result)

#define UNPAYABLE (UINT64_MAX / 4) /* more than any limit */
enum { DEPTH = 64 };               /* deepest nesting that a traversal is charged for */

TRACK(one) {
    return 1;
}

TRACK(check) {
    return 350000;
}

TRACK(tenth) {
    return n < 1 ? DRAY_CEL_TRACK_NONE : dray_cel_scaled(dray_cel_eval_size(e, args[0]), 0.1);
}

/* ⌈size × 2 × 0.1⌉, multiplied in upstream's order. */
static uint64_t fifth_of(uint64_t size) {
    return dray_cel_scaled(size * 2, 0.1);
}

TRACK(fifth) {
    return n < 1 ? DRAY_CEL_TRACK_NONE : fifth_of(dray_cel_eval_size(e, args[0]));
}

TRACK(result_fifth) {
    if (result == NULL)
        return DRAY_CEL_TRACK_LATER;
    return n < 1 ? DRAY_CEL_TRACK_NONE : fifth_of(dray_cel_eval_size(e, *result));
}

static uint64_t add(uint64_t a, uint64_t b) {
    return a < UNPAYABLE - b ? a + b : UNPAYABLE;
}

/* What is over the limit already need not be added up to its end. */
static bool may_go_on(dray_cel_eval *e, uint64_t cost) {
    return e->cost <= e->limit && cost <= e->limit - e->cost && dray_cel_eval_work(e, 1);
}

static uint64_t traversal(dray_cel_eval *e, dray_cel_value v, int depth);

static uint64_t times(uint64_t cost, uint64_t n) {
    return __builtin_mul_overflow(cost, n, &cost) || cost > UNPAYABLE ? UNPAYABLE : cost;
}

/* What a joined list costs is noted in it: its parts may be shared by thousands. */
static uint64_t list_traversal(dray_cel_eval *e, const dray_cel_list *list, int depth) {
    enum { SOME = 4 }; /* values that are worth one unit of work */
    struct dray_cel_joint *joint = list->joint;
    if (list->v == NULL && list->n > 0 && joint == NULL)
        return add(list->n, 0); /* a range */
    if (list->v == NULL && list->n > 0) {
        if (joint->noted != (uint32_t)depth + 1)
            joint->note = joint->right == NULL ? times(list_traversal(e, joint->left, depth),
                                                       list->n / joint->left->n)
                                               : add(list_traversal(e, joint->left, depth),
                                                     list_traversal(e, joint->right, depth));
        joint->noted = (uint32_t)depth + 1;
        return joint->note;
    }
    uint64_t cost = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (i % SOME == 0 && !may_go_on(e, cost))
            break;
        cost = add(cost, traversal(e, list->v[i], depth + 1));
    }
    return cost;
}

static uint64_t traversal(dray_cel_eval *e, dray_cel_value v, int depth) {
    uint64_t cost = 0;
    if (depth > DEPTH)
        return 1;
    switch (v.kind) {
    case DRAY_CEL_STRING:
    case DRAY_CEL_BYTES:
        return (uint64_t)((double)v.n * 0.1); /* octets, rounded down: upstream's own formula */
    case DRAY_CEL_LIST:
        return list_traversal(e, v.list, depth);
    case DRAY_CEL_MAP:
        for (size_t i = 0; i < v.map->n && may_go_on(e, cost); i++)
            cost = add(cost, add(traversal(e, v.map->v[i].key, depth + 1),
                                 traversal(e, v.map->v[i].value, depth + 1)));
        return cost;
    default:
        return 1;
    }
}

TRACK(traverse) {
    return n < 1 ? 0 : traversal(e, args[0], 0);
}

TRACK(by_regex) {
    if (n < 2)
        return DRAY_CEL_TRACK_NONE;
    return dray_cel_scaled(dray_cel_eval_size(e, args[0]) + 1, 0.1) *
           dray_cel_scaled(dray_cel_eval_size(e, args[1]), 0.25);
}

TRACK(contains_ip) {
    return n < 2 ? DRAY_CEL_TRACK_NONE : dray_cel_scaled(dray_cel_eval_size(e, args[0]) * 2, 0.1);
}

TRACK(contains_ip_text) {
    return contains_ip(e, args, n, result) + dray_cel_scaled(dray_cel_eval_size(e, args[1]), 0.1);
}

TRACK(contains_cidr) {
    if (n < 2)
        return DRAY_CEL_TRACK_NONE;
    uint64_t size = dray_cel_eval_size(e, args[0]);
    return dray_cel_scaled(size * 2, 0.1) + dray_cel_scaled(size, 0.1) + 1;
}

TRACK(contains_cidr_text) {
    return contains_cidr(e, args, n, result) + dray_cel_scaled(dray_cel_eval_size(e, args[1]), 0.1);
}

TRACK(validate) {
    if (n < 2 || args[0].kind != DRAY_CEL_OPAQUE ||
        args[0].opaque->type != &dray_celk8s_format_type)
        return DRAY_CEL_TRACK_NONE;
    return dray_cel_scaled(dray_cel_eval_size(e, args[1]) + 1, 0.1) *
           dray_cel_scaled(dray_celk8s_format_regex_size(args[0]), 0.25);
}

const dray_cel_track_row dray_celk8s_tracks[] = {
    {"check", NULL, check},
    {"serviceAccount", NULL, one},
    {"path", NULL, one},
    {"group", NULL, one},
    {"resource", NULL, one},
    {"subresource", NULL, one},
    {"namespace", NULL, one},
    {"name", NULL, one},
    {"allowed", NULL, one},
    {"reason", NULL, one},
    {"error", NULL, one},
    {"errored", NULL, one},
    {"isSorted", NULL, traverse},
    {"sum", NULL, traverse},
    {"max", NULL, traverse},
    {"min", NULL, traverse},
    {"indexOf", NULL, traverse},
    {"lastIndexOf", NULL, traverse},
    {"includes", NULL, traverse},
    {"url", NULL, tenth},
    {"lowerAscii", NULL, tenth},
    {"upperAscii", NULL, tenth},
    {"substring", NULL, tenth},
    {"trim", NULL, tenth},
    {"replace", NULL, fifth},
    {"split", NULL, fifth},
    {"join", NULL, result_fifth},
    {"find", NULL, by_regex},
    {"findAll", NULL, by_regex},
    {"cidr", NULL, tenth},
    {"isIP", NULL, tenth},
    {"isCIDR", NULL, tenth},
    {"ip", "cidr_ip", one},
    {"ip", NULL, tenth},
    {"ip.isCanonical", NULL, fifth},
    {"masked", NULL, one},
    {"prefixLength", NULL, one},
    {"family", NULL, one},
    {"isUnspecified", NULL, one},
    {"isLoopback", NULL, one},
    {"isLinkLocalMulticast", NULL, one},
    {"isLinkLocalUnicast", NULL, one},
    {"isGlobalUnicast", NULL, one},
    {"containsIP", "cidr_contains_ip_string", contains_ip_text},
    {"containsIP", NULL, contains_ip},
    {"containsCIDR", "cidr_contains_cidr_string", contains_cidr_text},
    {"containsCIDR", NULL, contains_cidr},
    {"quantity", NULL, tenth},
    {"isQuantity", NULL, tenth},
    {"semver", NULL, tenth},
    {"isSemver", NULL, tenth},
    {"validate", NULL, validate},
    {"format.named", NULL, one},
};
const size_t dray_celk8s_n_tracks = DRAY_COUNT(dray_celk8s_tracks);
