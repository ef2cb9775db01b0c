/* ResourceClaim and ResourceClaimTemplate: requests, alternatives, selectors, derived attributes.
 */
#include "api/validate/resource_int.h"

/* What ExactDeviceRequest and DeviceSubRequest have in common. */
typedef struct request_parts {
    dray_str name; /* "req" or "req/sub": how constraints name it */
    dray_str class_name;
    const dray_resource_device_selector *selectors;
    size_t n_selectors;
    const dray_resource_device_derived_attribute *derived;
    size_t n_derived;
    dray_str mode;
    int64_t count;
    const dray_resource_device_toleration *tolerations;
    size_t n_tolerations;
    bool alternative;
} request_parts;

static const dray_resource_device_request *find_request(const dray_resource_device_claim *claim,
                                                        dray_str name) {
    for (size_t i = claim->requests.n; i-- > 0;) /* of several the last counts */
        if (dray_str_eq(claim->requests.v[i].name, name))
            return &claim->requests.v[i];
    return NULL;
}

bool dray_resource_has_request(const dray_resource_device_claim *claim, dray_str ref) {
    dray_str name, sub;
    bool has_sub = dray_str_cut(ref, '/', &name, &sub);
    const dray_resource_device_request *request = find_request(claim, name);
    if (request == NULL || !has_sub)
        return request != NULL;
    for (size_t i = 0; i < request->first_available.n; i++)
        if (dray_str_eq(request->first_available.v[i].name, sub))
            return true;
    return false;
}

void dray_resource_request_ref(dray_request *rq, const dray_resource_device_claim *claim,
                               dray_str ref, const dray_path *path) {
    static const dray_str text =
        DRAY_STR_INIT("must be the name of a request in the claim or the name of a request and a "
                      "subrequest separated by '/'");
    dray_str name, sub;
    bool has_sub = dray_str_cut(ref, '/', &name, &sub);
    if (has_sub && dray_str_chr(sub, '/') != SIZE_MAX) {
        fail_invalid(rq, path, ref, text);
        return;
    }
    dray_resource_label(rq, name, path);
    if (has_sub)
        dray_resource_label(rq, sub, path);
    if (!dray_resource_has_request(claim, ref))
        fail_invalid(rq, path, ref, text);
}

void dray_resource_request_refs(dray_request *rq, const dray_resource_device_claim *claim,
                                dray_strings refs, const dray_path *path) {
    if (dray_resource_too_many(rq, refs.n, DRAY_RESOURCE_MAX_REQUESTS, true, path))
        return;
    for (size_t i = 0; i < refs.n; i++)
        dray_resource_request_ref(rq, claim, refs.v[i], DRAY_AT_INDEX(path, i));
    dray_resource_unique(rq, refs.v, refs.n, true, path);
}

static void check_expression(dray_claim_check *c, dray_str expression, dray_cel_use use,
                             const dray_path *path) {
    dray_request *rq = c->rq;
    if (c->stored && release_of(rq) >= 37)
        return;
    if (expression.n > DRAY_CEL_LENGTH_LIMIT) {
        fail_too_long(rq, path, DRAY_CEL_LENGTH_LIMIT);
        return;
    }
    if (rq->cel == NULL)
        return;
    dray_cel_result result =
        rq->cel->compile(rq->cel->context, expression, use, !c->stored, rq->gates, rq->arena);
    if (!result.ok && result.required)
        fail_required(rq, path, result.error);
    else if (!result.ok && result.internal)
        fail(rq, DRAY_FIELD_INTERNAL, path, DRAY_STR_NONE, result.error);
    else if (!result.ok)
        fail_invalid(rq, path, expression, result.error);
    else if (result.max_cost > DRAY_CEL_COST_LIMIT)
        fail_forbidden(rq, path, DRAY_STR("too complex, exceeds cost limit"));
    if (result.ok && use == DRAY_CEL_DERIVED_ATTRIBUTE)
        c->derived_cost += result.max_cost;
}

void dray_resource_selectors(dray_claim_check *c, const dray_resource_device_selector *selectors,
                             size_t n, const dray_path *path) {
    if (dray_resource_too_many(c->rq, n, DRAY_RESOURCE_MAX_SELECTORS, true, path))
        return;
    for (size_t i = 0; i < n; i++) {
        dray_path item = dray_path_index(path, i);
        if (selectors[i].cel == NULL)
            fail_required(c->rq, DRAY_AT(&item, "cel"), DRAY_STR(""));
        else
            check_expression(c, selectors[i].cel->expression, DRAY_CEL_SELECTOR,
                             DRAY_AT(&item, "cel.expression"));
    }
}

/* Whether a constraint on this request, its main request or all requests compares the attribute. */
static bool is_constrained(const dray_resource_device_claim *claim, dray_str attribute,
                           dray_str request) {
    dray_str parent, rest;
    dray_str_cut(request, '/', &parent, &rest);
    for (size_t i = 0; i < claim->constraints.n; i++) {
        const dray_resource_device_constraint *constraint = &claim->constraints.v[i];
        dray_str name = constraint->match_attribute.p != NULL ? constraint->match_attribute
                                                              : constraint->distinct_attribute;
        if (name.p == NULL || !dray_str_eq(name, attribute))
            continue;
        if (constraint->requests.n == 0 || strings_have(constraint->requests, DRAY_STR("")) ||
            strings_have(constraint->requests, request) ||
            strings_have(constraint->requests, parent))
            return true;
    }
    return false;
}

static void check_derived(dray_claim_check *c, const request_parts *r, const dray_path *path) {
    dray_str *names = DRAY_NEW_N(c->rq->arena, dray_str, r->n_derived + 1);
    for (size_t i = 0; i < r->n_derived; i++) {
        const dray_resource_device_derived_attribute *derived = &r->derived[i];
        dray_path item = dray_path_index(path, i);
        names[i] = derived->name;
        if (derived->name.n > 0 && !is_constrained(c->claim, derived->name, r->name))
            fail_invalid_word(c->rq, DRAY_AT(&item, "name"), derived->name,
                              DRAY_STR("must be referenced by at least one matchAttribute or "
                                       "distinctAttribute constraint targeting this request"));
        if (derived->expression.n > 0)
            check_expression(c, derived->expression, DRAY_CEL_DERIVED_ATTRIBUTE,
                             DRAY_AT(&item, "expression"));
    }
    dray_resource_unique(c->rq, names, r->n_derived, false, path);
}

static void check_mode(dray_request *rq, dray_str mode, int64_t count, const dray_path *path) {
    dray_path count_path = dray_path_child(path, "count");
    if (dray_str_is(mode, "All")) {
        if (count != 0)
            fail_invalid_int(rq, &count_path, count,
                             DRAY_STR("must not be specified when allocationMode is 'All'"));
    } else if (dray_str_is(mode, "ExactCount")) {
        if (count <= 0)
            fail_invalid_int(rq, &count_path, count, DRAY_STR("must be greater than zero"));
    } else {
        size_t from = errors_now(rq);
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "allocationMode"), mode, "All", "ExactCount");
        cover(rq, from);
    }
}

static void check_parts(dray_claim_check *c, const request_parts *r, const dray_path *path) {
    size_t from = errors_now(c->rq);
    dray_path class_path = dray_path_child(path, "deviceClassName");
    if (r->class_name.n == 0)
        fail_required(c->rq, &class_path, DRAY_STR(""));
    else
        dray_resource_subdomain(c->rq, r->class_name, &class_path);
    if (r->alternative)
        cover(c->rq, from);
    dray_resource_selectors(c, r->selectors, r->n_selectors, DRAY_AT(path, "selectors"));
    check_derived(c, r, DRAY_AT(path, "derivedAttributes"));
    check_mode(c->rq, r->mode, r->count, path);
    dray_path tolerations = dray_path_child(path, "tolerations");
    for (size_t i = 0; i < r->n_tolerations; i++)
        dray_resource_toleration(c->rq, &r->tolerations[i], DRAY_AT_INDEX(&tolerations, i));
}

static void check_alternatives(dray_claim_check *c, const dray_resource_device_request *request,
                               const dray_path *path) {
    size_t n = request->first_available.n;
    if (dray_resource_too_many(c->rq, n, DRAY_RESOURCE_MAX_FIRST_AVAILABLE, true, path))
        return;
    dray_str *names = DRAY_NEW_N(c->rq->arena, dray_str, n);
    for (size_t i = 0; i < n; i++) {
        const dray_resource_device_sub_request *sub = &request->first_available.v[i];
        dray_path item = dray_path_index(path, i);
        names[i] = sub->name;
        dray_resource_label(c->rq, sub->name, DRAY_AT(&item, "name"));
        request_parts parts = {
            .name =
                DETAIL(c->rq, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(request->name), DRAY_ARG(sub->name)),
            .class_name = sub->device_class_name,
            .selectors = sub->selectors.v,
            .n_selectors = sub->selectors.n,
            .derived = sub->derived_attributes.v,
            .n_derived = sub->derived_attributes.n,
            .mode = sub->allocation_mode,
            .count = sub->count,
            .tolerations = sub->tolerations.v,
            .n_tolerations = sub->tolerations.n,
            .alternative = true,
        };
        check_parts(c, &parts, &item);
    }
    dray_resource_unique(c->rq, names, n, true, path);
}

static void check_exactly(dray_claim_check *c, const dray_resource_device_request *request,
                          const dray_path *path) {
    const dray_resource_exact_device_request *exactly = request->exactly;
    request_parts parts = {
        .name = request->name,
        .class_name = exactly->device_class_name,
        .selectors = exactly->selectors.v,
        .n_selectors = exactly->selectors.n,
        .derived = exactly->derived_attributes.v,
        .n_derived = exactly->derived_attributes.n,
        .mode = exactly->allocation_mode,
        .count = exactly->count,
        .tolerations = exactly->tolerations.v,
        .n_tolerations = exactly->tolerations.n,
    };
    check_parts(c, &parts, path);
}

static void check_request(dray_claim_check *c, const dray_resource_device_request *request,
                          const dray_path *path) {
    dray_resource_label(c->rq, request->name, DRAY_AT(path, "name"));
    bool first_available = request->first_available.n > 0;
    if (request->exactly == NULL && !first_available)
        fail_required(c->rq, path,
                      DRAY_STR("exactly one of `exactly` or `firstAvailable` is required"));
    else if (request->exactly != NULL && first_available)
        fail_invalid_text(c->rq, path, DRAY_STR("null"),
                          DRAY_STR("exactly one of `exactly` or `firstAvailable` is required, but "
                                   "multiple fields are set"));
    else if (first_available)
        check_alternatives(c, request, DRAY_AT(path, "firstAvailable"));
    else
        check_exactly(c, request, DRAY_AT(path, "exactly"));
}

static void check_requests(dray_claim_check *c, const dray_path *path) {
    size_t n = c->claim->requests.n;
    if (dray_resource_too_many(c->rq, n, DRAY_RESOURCE_MAX_REQUESTS, true, path))
        return;
    dray_str *names = DRAY_NEW_N(c->rq->arena, dray_str, n + 1);
    for (size_t i = 0; i < n; i++) {
        names[i] = c->claim->requests.v[i].name;
        check_request(c, &c->claim->requests.v[i], DRAY_AT_INDEX(path, i));
    }
    dray_resource_unique(c->rq, names, n, true, path);
}

void dray_validate_claim_spec(dray_request *rq, const dray_resource_claim_spec *spec, bool stored,
                              const dray_path *path) {
    dray_claim_check c = {.rq = rq, .claim = spec->devices, .stored = stored};
    dray_path devices = dray_path_child(path, "devices");
    check_requests(&c, DRAY_AT(&devices, "requests"));

    dray_path constraints = dray_path_child(&devices, "constraints");
    size_t n = spec->devices->constraints.n;
    if (!dray_resource_too_many(rq, n, DRAY_RESOURCE_MAX_CONSTRAINTS, true, &constraints))
        for (size_t i = 0; i < n; i++)
            dray_resource_constraint(&c, &spec->devices->constraints.v[i],
                                     DRAY_AT_INDEX(&constraints, i));

    dray_path config = dray_path_child(&devices, "config");
    n = spec->devices->config.n;
    if (!dray_resource_too_many(rq, n, DRAY_RESOURCE_MAX_CONFIG, true, &config))
        for (size_t i = 0; i < n; i++) {
            const dray_resource_device_claim_configuration *item = &spec->devices->config.v[i];
            dray_path at = dray_path_index(&config, i);
            dray_resource_request_refs(rq, spec->devices, item->requests, DRAY_AT(&at, "requests"));
            dray_resource_configuration(rq, item->device_configuration, stored, &at);
        }
    if (c.derived_cost > DRAY_RESOURCE_DERIVED_COST_LIMIT)
        fail_forbidden(rq, &devices,
                       DRAY_STR("too complex, total cost of derived attribute CEL expressions in "
                                "the claim exceeds cost limit"));
}
