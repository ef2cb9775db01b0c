/* What Kubernetes' library functions cost by estimate. The numbers are part of its API: they decide
 * which expressions an API server accepts (apiserver, pkg/cel/library). */
#include "celk8s/cost_rules.h"

#include "base/vec.h"
#include "cel/estimate.h"

#include <math.h>

#define FIXED(n) ((dray_cel_range){(n), (n)})

enum {
    COST_AUTHORIZER_CHECK = 350000, /* room for two checks in an expression */
    MAX_FORMAT = 64,                /* characters of a named format's name */
    MAX_FORMAT_PATTERN = 128,       /* … and of the pattern behind it */
    MAX_ADDRESS = 16,               /* bytes of an IPv6 address */
    MIN_ADDRESS = 4,
    INCLUDES_026 = 48, /* values of an attribute: the flat cost of includes() up to 1.36 */
};

static bool cost_one(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    out->cost = FIXED(1);
    return true;
}

static bool authorizer_check(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    out->cost = FIXED(COST_AUTHORIZER_CHECK);
    return true;
}

/* Parsing a selector: the text, and a requirement for every two characters of it. */
static bool selector(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->n_args != 1)
        return false;
    dray_cel_range text = dray_cel_range_scale(call->args[0].size, DRAY_CEL_COST_STRING);
    dray_cel_range requirements = dray_cel_range_scale(call->args[0].size, 0.5);
    out->cost = dray_cel_range_add(dray_cel_range_add(FIXED(10), text),
                                   dray_cel_range_scale(requirements, 50));
    return true;
}

/* The elements of a list or of a container that a type's first parameter names. */
static bool element_of(const dray_cel_operand *list, const dray_cel_type **type,
                       dray_cel_range *size) {
    if (list->type->n_params == 0)
        return false;
    *type = list->type->params[0];
    *size = dray_cel_bounds_size(dray_cel_bounds_values(list->bounds));
    return true;
}

/* Comparing each element once; for a string, walking over it. */
static bool search_list(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL)
        return false;
    const dray_cel_type *element;
    dray_cel_range size, each = FIXED(1);
    if (!element_of(call->target, &element, &size)) {
        out->cost = dray_cel_range_scale(call->target->size, DRAY_CEL_COST_STRING);
        return true;
    }
    if (element->kind == DRAY_CEL_STRING || element->kind == DRAY_CEL_BYTES)
        each = dray_cel_range_add(each, dray_cel_range_scale(size, DRAY_CEL_COST_STRING));
    out->cost = dray_cel_range_mul(call->target->size, each);
    return true;
}

static bool includes(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL)
        return false;
    if (call->profile < DRAY_CEL_029) {
        out->cost = FIXED(INCLUDES_026);
        return true;
    }
    if (call->target->type->n_params != 0)
        return search_list(call, out);
    out->cost = call->target->size;
    return true;
}

/* A result as long as what was read. */
static bool read_text(dray_cel_range size, bool sized, dray_cel_call_cost *out) {
    out->cost = dray_cel_range_scale(size, DRAY_CEL_COST_STRING);
    out->has_size = sized;
    out->size = size;
    return true;
}

static bool parse_sized(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->n_args == 1 && read_text(call->args[0].size, true, out);
}

static bool parse(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->n_args >= 1 && read_text(call->args[0].size, false, out);
}

static bool parse_twice(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->n_args == 0)
        return false;
    out->cost = dray_cel_range_scale(call->args[0].size, 2 * DRAY_CEL_COST_STRING);
    return true;
}

static bool transform(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return call->target != NULL && read_text(call->target->size, true, out);
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
    double up = ceil((double)a / (double)b);
    return up >= 0x1p64 ? (uint64_t)1 << 63 : (uint64_t)up;
}

static uint64_t one_more(uint64_t n) {
    return n < UINT64_MAX ? n + 1 : n;
}

/* How long replace() can make its target: an empty text stands between all characters. */
static dray_cel_range replaced_size(dray_cel_range text, dray_cel_range old, dray_cel_range new) {
    dray_cel_range count = {0, 0}, kept = {0, 0};
    if (old.min == 0) {
        count.max = one_more(text.max);
        kept.max = text.max;
    } else if (new.max <= old.min) {
        kept.max = text.max;
    } else {
        count.max = divide_up(text.max, old.min);
    }
    if (old.max == 0) {
        count.min = one_more(text.min);
        kept.min = text.min;
    } else if (old.max <= new.min) {
        kept.min = text.min;
    } else {
        count.min = divide_up(text.min, old.max);
    }
    return dray_cel_range_add(dray_cel_range_mul(count, new), kept);
}

static bool replace(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL || call->n_args < 2)
        return false;
    out->cost = dray_cel_range_scale(call->target->size, 2 * DRAY_CEL_COST_STRING);
    out->has_size = true;
    out->size = replaced_size(call->target->size, call->args[0].size, call->args[1].size);
    return true;
}

static bool split(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL)
        return false;
    out->cost = dray_cel_range_scale(call->target->size, 2 * DRAY_CEL_COST_STRING);
    out->has_size = true;
    out->size = (dray_cel_range){0, call->target->size.max};
    const dray_cel_expr *limit = call->n_args > 1 ? call->args[1].e : NULL;
    if (limit != NULL && limit->kind == DRAY_CEL_LITERAL && limit->literal.kind == DRAY_CEL_INT)
        out->size.max = (uint64_t)limit->literal.i;
    return true;
}

static bool join(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL)
        return false;
    dray_cel_range list = call->target->size, size = {0, 0}, element;
    const dray_cel_type *type;
    if (element_of(call->target, &type, &element))
        size = dray_cel_range_mul(list, element);
    if (call->n_args > 0) {
        dray_cel_range gaps = {list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
        size = dray_cel_range_add(size, dray_cel_range_mul(call->args[0].size, gaps));
    }
    return read_text(size, true, out);
}

static bool find(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (call->target == NULL || call->n_args == 0)
        return false;
    dray_cel_range text = dray_cel_range_add(call->target->size, FIXED(1));
    out->cost = dray_cel_range_mul(dray_cel_range_scale(text, DRAY_CEL_COST_STRING),
                                   dray_cel_range_scale(call->args[0].size, DRAY_CEL_COST_REGEX));
    out->has_size = true;
    out->size = (dray_cel_range){0, call->target->size.max};
    return true;
}

/* Comparing two addresses, and reading the argument where it is text. */
static bool contains(const dray_cel_cost_call *call, const char *textual, bool masks,
                     dray_cel_call_cost *out) {
    if (call->n_args == 0)
        return false;
    dray_cel_range address = {MIN_ADDRESS, MAX_ADDRESS};
    out->cost = dray_cel_range_scale(dray_cel_range_add(address, address), DRAY_CEL_COST_STRING);
    if (masks) {
        dray_cel_range mask = dray_cel_range_scale(address, DRAY_CEL_COST_STRING);
        out->cost = dray_cel_range_add(out->cost, dray_cel_range_add(mask, FIXED(1)));
    }
    if (dray_str_is(call->overload->id, textual))
        out->cost = dray_cel_range_add(
            out->cost, dray_cel_range_scale(call->args[0].size, DRAY_CEL_COST_STRING));
    return true;
}

static bool contains_ip(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return contains(call, "cidr_contains_ip_string", false, out);
}

static bool contains_cidr(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    return contains(call, "cidr_contains_cidr_string", true, out);
}

static bool validate(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    if (!parse(call, out))
        return false;
    out->cost = dray_cel_range_scale(out->cost, MAX_FORMAT_PATTERN * DRAY_CEL_COST_REGEX);
    return true;
}

/* == of two values of one of Kubernetes' types. */
static bool equals(const dray_cel_cost_call *call, dray_cel_call_cost *out) {
    static const char *const constant[] = {
        "net.IP",
        "net.CIDR",
        "kubernetes.Quantity",
        "kubernetes.Semver",
        "kubernetes.authorization.Authorizer",
        "kubernetes.authorization.PathCheck",
        "kubernetes.authorization.GroupCheck",
        "kubernetes.authorization.ResourceCheck",
        "kubernetes.authorization.Decision",
    };
    if (call->n_args != 2 || !dray_str_eq(call->args[0].type->name, call->args[1].type->name))
        return false;
    dray_str name = call->args[0].type->name;
    for (size_t i = 0; i < DRAY_COUNT(constant); i++)
        if (dray_str_is(name, constant[i]))
            return cost_one(call, out);
    uint64_t most;
    if (dray_str_is(name, "kubernetes.NamedFormat"))
        most = MAX_FORMAT;
    else if (dray_str_is(name, "kubernetes.URL"))
        most = call->args[1].has_size ? call->args[1].size.max : 1;
    else
        return false;
    out->cost = dray_cel_range_scale((dray_cel_range){1, most}, DRAY_CEL_COST_STRING);
    return true;
}

static const dray_cel_cost_rule rules[] = {
    {"check", authorizer_check},
    {"serviceAccount", cost_one},
    {"path", cost_one},
    {"group", cost_one},
    {"resource", cost_one},
    {"subresource", cost_one},
    {"namespace", cost_one},
    {"name", cost_one},
    {"allowed", cost_one},
    {"reason", cost_one},
    {"error", cost_one},
    {"errored", cost_one},
    {"fieldSelector", selector},
    {"labelSelector", selector},
    {"isSorted", search_list},
    {"sum", search_list},
    {"max", search_list},
    {"min", search_list},
    {"indexOf", search_list},
    {"lastIndexOf", search_list},
    {"includes", includes},
    {"url", parse_sized},
    {"lowerAscii", transform},
    {"upperAscii", transform},
    {"substring", transform},
    {"trim", transform},
    {"replace", replace},
    {"split", split},
    {"join", join},
    {"find", find},
    {"findAll", find},
    {"cidr", parse},
    {"isIP", parse},
    {"isCIDR", parse},
    {"ip", parse},
    {"cidr_ip", cost_one},
    {"ip.isCanonical", parse_twice},
    {"masked", cost_one},
    {"prefixLength", cost_one},
    {"family", cost_one},
    {"isUnspecified", cost_one},
    {"isLoopback", cost_one},
    {"isLinkLocalMulticast", cost_one},
    {"isLinkLocalUnicast", cost_one},
    {"isGlobalUnicast", cost_one},
    {"containsIP", contains_ip},
    {"containsCIDR", contains_cidr},
    {"quantity", parse},
    {"isQuantity", parse},
    {"semver", parse},
    {"isSemver", parse},
    {"validate", validate},
    {"format.named", cost_one},
    {"sign", cost_one},
    {"asInteger", cost_one},
    {"isInteger", cost_one},
    {"asApproximateFloat", cost_one},
    {"isGreaterThan", cost_one},
    {"isLessThan", cost_one},
    {"compareTo", cost_one},
    {"add", cost_one},
    {"sub", cost_one},
    {"major", cost_one},
    {"minor", cost_one},
    {"patch", cost_one},
    {"getScheme", cost_one},
    {"getHostname", cost_one},
    {"getHost", cost_one},
    {"getPort", cost_one},
    {"getEscapedPath", cost_one},
    {"getQuery", cost_one},
    {"_==_", equals},
};

const dray_cel_library dray_celk8s_lib_costs = {
    .name = "costs of Kubernetes' functions",
    .cost_rules = rules,
    .n_cost_rules = DRAY_COUNT(rules),
};
