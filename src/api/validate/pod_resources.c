/* Resources of containers and Pods: names, quantities, requests against limits, claims, QoS. */
#include "api/validate/pod_int.h"

static const char *const standard_resources[] = {
    "configmaps",
    "cpu",
    "ephemeral-storage",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "memory",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
    "requests.storage",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
    "storage",
};
static const char *const integer_resources[] = {
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
};

static bool is_quota_huge_page(dray_str name) {
    return dray_is_huge_page(name) || dray_str_starts(name, DRAY_STR("requests.hugepages-"));
}

static bool overcommit_allowed(dray_str name) {
    return dray_is_native_resource(name) && !dray_is_huge_page(name);
}

static bool is_extended(dray_request *rq, dray_str name) {
    if (dray_is_native_resource(name) || dray_str_starts(name, DRAY_STR("requests.")))
        return false;
    return passes(rq, DETAIL(rq, "requests." DRAY_FMT, DRAY_ARG(name)), dray_check_label_key);
}

static void validate_container_name(dray_request *rq, dray_str name, const dray_path *path) {
    dray_validate_resource_name(rq, name, path);
    if (dray_str_chr(name, '/') == SIZE_MAX) {
        if (!IS_ONE_OF(name, "cpu", "memory", "ephemeral-storage") && !dray_is_huge_page(name))
            fail_invalid_word(rq, path, name,
                              DRAY_STR("must be a standard resource for containers"));
    } else if (!dray_is_native_resource(name) && !is_extended(rq, name)) {
        fail_invalid_word(rq, path, name,
                          DRAY_STR("doesn't follow extended resource name standard"));
    }
}

static void validate_pod_name(dray_request *rq, dray_str name, const dray_path *path) {
    if (dray_validate_resource_name(rq, name, path) && !dray_pod_level_resource(name))
        FAIL_UNSUPPORTED(rq, path, name, "cpu", "hugepages-", "memory");
}

static void validate_huge_page(dray_pod_check *check, dray_str name, dray_quantity value,
                               const dray_path *path) {
    dray_request *rq = check->rq;
    if (!dray_is_huge_page(name) || check->indivisible_huge_pages ||
        dray_huge_page_divisible(name, value, rq->arena))
        return;
    dray_str text = dray_quantity_format(value, rq->arena);
    fail_invalid(rq, path, text,
                 DETAIL(rq, DRAY_FMT " is not positive integer multiple of " DRAY_FMT,
                        DRAY_ARG(text), DRAY_ARG(name)));
}

static void validate_claim_reference(dray_pod_check *check, dray_str name, const dray_path *path) {
    dray_request *rq = check->rq;
    if (strings_have(check->claims, name))
        return;
    DRAY_CLEANUP_BUF dray_buf detail = DRAY_BUF_INIT;
    dray_buf_puts(&detail, "must be one of the names in pod.spec.resourceClaims");
    dray_buf_puts(&detail, check->claims.n == 0 ? " which is empty" : ": ");
    for (size_t i = 0; i < check->claims.n; i++) {
        if (i > 0)
            dray_buf_puts(&detail, ", ");
        dray_buf_str_add(&detail, check->claims.v[i]);
    }
    fail_not_found(rq, path, name, dray_str_dup(rq->arena, dray_buf_str(&detail)));
}

/* A claim may be named as a whole once, or by distinct requests, not both. */
static void validate_claim_uses(dray_pod_check *check,
                                const dray_core_resource_requirements *resources,
                                const dray_path *path) {
    dray_request *rq = check->rq;
    DRAY_VEC(dray_str) seen = {0};
    for (size_t i = 0; i < resources->claims.n; i++) {
        const dray_core_resource_claim *claim = &resources->claims.v[i];
        dray_path item = dray_path_index(path, i);
        if (claim->name.n == 0) {
            fail_required(rq, &item, DRAY_STR(""));
            continue;
        }
        dray_strings names = {seen.v, seen.n};
        if (strings_have(names, claim->name)) {
            fail_duplicate(rq, &item, claim->name);
        } else {
            dray_str key = claim->name;
            if (claim->request.n > 0) {
                fail_texts(rq, DRAY_AT(&item, "request"), claim->request, dray_check_dns1123_label);
                key = DETAIL(rq, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(key), DRAY_ARG(claim->request));
            }
            if (strings_have(names, key))
                fail_duplicate(rq, &item, key);
            for (size_t j = 0; claim->request.n == 0 && j < names.n; j++) {
                dray_str head, tail;
                if (dray_str_cut(names.v[j], '/', &head, &tail) && dray_str_eq(head, claim->name))
                    fail_duplicate(rq, &item, claim->name);
            }
            if (!strings_have(names, key))
                DRAY_PUSH(rq->arena, &seen, key);
        }
        validate_claim_reference(check, claim->name, &item);
    }
}

static void validate_request(dray_pod_check *check,
                             const dray_core_resource_requirements *resources, size_t i,
                             const dray_path *path, const dray_path *limits) {
    dray_request *rq = check->rq;
    dray_str name = resources->requests.k[i];
    dray_quantity value = resources->requests.v[i];
    const dray_quantity *limit = dray_resource_list_find(DRAY_RESOURCES(resources->limits), name);
    bool overcommit = overcommit_allowed(name);
    if (limit == NULL) {
        if (!overcommit)
            fail_required(rq, limits,
                          DRAY_STR("Limit must be set for non overcommitable resources"));
        return;
    }
    int order = dray_quantity_cmp(value, *limit);
    if (order == 0 || (overcommit && order < 0))
        return;
    fail_invalid(rq, path, dray_quantity_format(value, rq->arena),
                 DETAIL(rq, "must be %s " DRAY_FMT " limit of " DRAY_FMT,
                        overcommit ? "less than or equal to" : "equal to", DRAY_ARG(name),
                        DRAY_ARG(dray_quantity_format(*limit, rq->arena))));
}

static void
validate_requirements(dray_pod_check *check, const dray_core_resource_requirements *resources,
                      void (*validate_name)(dray_request *, dray_str, const dray_path *),
                      const dray_path *path) {
    dray_request *rq = check->rq;
    dray_path limits = dray_path_child(path, "limits"),
              requests = dray_path_child(path, "requests");
    bool compute = false, huge = false;
    for (size_t i = 0; i < resources->limits.n + resources->requests.n; i++) {
        bool limit = i < resources->limits.n;
        size_t j = limit ? i : i - resources->limits.n;
        dray_str name = limit ? resources->limits.k[j] : resources->requests.k[j];
        dray_quantity value = limit ? resources->limits.v[j] : resources->requests.v[j];
        dray_path at = dray_path_key(limit ? &limits : &requests, name);
        validate_name(rq, name, &at);
        dray_validate_quantity(rq, name, value, &at);
        if (!limit)
            validate_request(check, resources, j, &requests, &limits);
        validate_huge_page(check, name, value, &at);
        huge = huge || dray_is_huge_page(name);
        compute = compute || IS_ONE_OF(name, "cpu", "memory");
    }
    if (huge && !compute)
        fail_forbidden(rq, path, DRAY_STR("HugePages require cpu or memory"));
    validate_claim_uses(check, resources, DRAY_AT(path, "claims"));
}

static void more_than(dray_request *rq, const dray_path *path, dray_quantity value,
                      const char *detail, dray_quantity bound) {
    fail_invalid(
        rq, path, dray_quantity_format(value, rq->arena),
        DETAIL(rq, "%s " DRAY_FMT, detail, DRAY_ARG(dray_quantity_format(bound, rq->arena))));
}

/* The Pod's own numbers cover those of its containers. */
static void validate_consistency(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    dray_core_pod pod = {.spec = (dray_core_pod_spec *)spec};
    dray_pod_request_options plain = {.skip_pod_level = true, .skip_overhead = true};
    dray_resource_list own_requests = DRAY_RESOURCES(spec->resources->requests);
    dray_resource_list own_limits = DRAY_RESOURCES(spec->resources->limits);
    dray_resource_list sum = dray_pod_requests(&pod, &plain, rq->arena);
    for (size_t i = 0; i < sum.n; i++) {
        const dray_quantity *own = dray_resource_list_find(own_requests, sum.k[i]);
        if (own != NULL && dray_quantity_cmp(sum.v[i], *own) > 0)
            more_than(rq, DRAY_AT_KEY(DRAY_AT(path, "requests"), sum.k[i]), *own,
                      "must be greater than or equal to aggregate container requests of", sum.v[i]);
    }
    sum = dray_pod_limits(&pod, &plain, rq->arena);
    for (size_t i = 0; i < sum.n; i++) {
        const dray_quantity *own = dray_resource_list_find(own_limits, sum.k[i]);
        if (dray_is_huge_page(sum.k[i]) && own != NULL && dray_quantity_cmp(sum.v[i], *own) > 0)
            more_than(rq, DRAY_AT_KEY(DRAY_AT(path, "limits"), sum.k[i]), *own,
                      "must be greater than or equal to aggregate container limits of", sum.v[i]);
    }
    for (size_t i = 0; i < spec->containers.n; i++) {
        dray_resource_list limits = DRAY_RESOURCES(spec->containers.v[i].resources->limits);
        dray_path container = dray_path_index(DRAY_AT(path, "containers"), i);
        for (size_t j = 0; j < limits.n; j++) {
            const dray_quantity *own = dray_resource_list_find(own_limits, limits.k[j]);
            if (own != NULL && dray_quantity_cmp(limits.v[j], *own) > 0)
                more_than(rq, DRAY_AT(DRAY_AT_KEY(&container, limits.k[j]), "limits"), limits.v[j],
                          "must be less than or equal to pod limits of", *own);
        }
    }
}

bool dray_is_native_resource(dray_str name) {
    return dray_str_chr(name, '/') == SIZE_MAX ||
           dray_str_find(name, DRAY_STR("kubernetes.io/")) != SIZE_MAX;
}

bool dray_is_huge_page(dray_str name) {
    return dray_str_starts(name, DRAY_STR("hugepages-"));
}

bool dray_is_quota_resource(dray_str name) {
    return (is_one_of(name, standard_resources, DRAY_COUNT(standard_resources)) &&
            !dray_str_is(name, "storage")) ||
           is_quota_huge_page(name);
}

bool dray_huge_page_divisible(dray_str name, dray_quantity value, dray_arena *arena) {
    dray_quantity page;
    dray_str size = dray_str_slice(name, sizeof "hugepages-" - 1, name.n);
    bool fits;
    if (dray_quantity_parse(size, arena, &page, NULL) != DRAY_OK || dray_quantity_sign(page) <= 0 ||
        dray_quantity_milli(page, &fits) % 1000 != 0)
        return false;
    int64_t bytes = dray_quantity_value(page, &fits);
    return bytes != 0 && dray_quantity_value(value, &fits) % bytes == 0;
}

bool dray_validate_resource_name(dray_request *rq, dray_str name, const dray_path *path) {
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = dray_check_label_key(name, texts, rq->arena);
    for (size_t i = 0; i < n; i++)
        fail_invalid_word(rq, path, name, texts[i]);
    if (n > 0)
        return false;
    if (dray_str_chr(name, '/') != SIZE_MAX ||
        is_one_of(name, standard_resources, DRAY_COUNT(standard_resources)) ||
        is_quota_huge_page(name))
        return true;
    fail_invalid_word(rq, path, name,
                      DRAY_STR("must be a standard resource type or fully qualified"));
    return false;
}

void dray_validate_quantity(dray_request *rq, dray_str name, dray_quantity value,
                            const dray_path *path) {
    bool fits;
    dray_str text = dray_quantity_format(value, rq->arena);
    if (dray_quantity_sign(value) < 0)
        fail_invalid(rq, path, text, DRAY_STR("must be greater than or equal to 0"));
    bool whole =
        is_one_of(name, integer_resources, DRAY_COUNT(integer_resources)) || is_extended(rq, name);
    if (whole && dray_quantity_milli(value, &fits) % 1000 != 0)
        fail_invalid(rq, path, text, DRAY_STR("must be an integer"));
}

void dray_validate_container_resources(dray_pod_check *check,
                                       const dray_core_resource_requirements *resources,
                                       const dray_path *path) {
    validate_requirements(check, resources, validate_container_name, path);
}

void dray_validate_overhead(dray_pod_check *check, const dray_path *path) {
    dray_core_resource_requirements limits = {0};
    if (check->spec->overhead.k == NULL)
        return;
    limits.limits.k = check->spec->overhead.k;
    limits.limits.v = check->spec->overhead.v;
    limits.limits.n = check->spec->overhead.n;
    validate_requirements(check, &limits, validate_container_name, path);
}

void dray_validate_pod_resources(dray_pod_check *check, const dray_path *path) {
    const dray_core_resource_requirements *resources = check->spec->resources;
    if (!check->pod_level_resources || resources == NULL)
        return;
    if (is_os(check->spec, "windows")) {
        fail_forbidden(check->rq, path, DRAY_STR("may not be set for a windows pod"));
        return;
    }
    if (resources->claims.v != NULL)
        fail_forbidden(check->rq, DRAY_AT(path, "claims"),
                       DRAY_STR("claims may not be set for Resources at pod-level"));
    validate_requirements(check, resources, validate_pod_name, path);
    validate_consistency(check, path);
}

void dray_validate_resource_claims(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    bool mirror = check->meta != NULL &&
                  map_has(check->meta->annotations, DRAY_STR("kubernetes.io/config.mirror"));
    for (size_t i = 0; i < spec->resource_claims.n; i++) {
        const dray_core_pod_resource_claim *claim = &spec->resource_claims.v[i];
        dray_path item = dray_path_index(path, i);
        bool taken = false;
        if (mirror) {
            fail_forbidden(rq, DRAY_AT(NULL, ""),
                           DRAY_STR("static pods do not support resource claims"));
            continue;
        }
        for (size_t j = 0; j < i && !taken; j++)
            taken = dray_str_eq(spec->resource_claims.v[j].name, claim->name);
        if (claim->name.n == 0)
            fail_required(rq, DRAY_AT(&item, "name"), DRAY_STR(""));
        else if (taken)
            fail_duplicate(rq, DRAY_AT(&item, "name"), claim->name);
        else
            fail_texts(rq, DRAY_AT(&item, "name"), claim->name, dray_check_dns1123_label);
        bool by_name = claim->resource_claim_name.p != NULL;
        bool by_template = claim->resource_claim_template_name.p != NULL;
        if (by_name == by_template)
            fail_invalid_text(rq, &item,
                              dray_value_internal(rq->arena, &dray_type_core_pod_resource_claim,
                                                  claim, rq->gates->release),
                              by_name ? DRAY_STR("at most one of `resourceClaimName` or "
                                                 "`resourceClaimTemplateName` may be specified")
                                      : DRAY_STR("must specify one of: `resourceClaimName`, "
                                                 "`resourceClaimTemplateName`"));
        if (by_name)
            fail_texts(rq, DRAY_AT(&item, "resourceClaimName"), claim->resource_claim_name,
                       dray_check_dns1123_subdomain);
        if (by_template)
            fail_texts(rq, DRAY_AT(&item, "resourceClaimTemplateName"),
                       claim->resource_claim_template_name, dray_check_dns1123_subdomain);
    }
}

/* Guaranteed where every resource is limited to what is requested, BestEffort where there is none.
 */
static dray_str requirements_qos(const dray_core_resource_requirements *resources) {
    static const char *const names[] = {"cpu", "memory"};
    dray_str qos = DRAY_STR_NONE;
    if (resources->requests.n == 0 && resources->limits.n == 0)
        return DRAY_STR("BestEffort");
    for (size_t i = 0; i < DRAY_COUNT(names); i++) {
        dray_str name = dray_str_of(names[i]);
        const dray_quantity *request =
            dray_resource_list_find(DRAY_RESOURCES(resources->requests), name);
        const dray_quantity *limit =
            dray_resource_list_find(DRAY_RESOURCES(resources->limits), name);
        dray_quantity zero = {0};
        dray_quantity r = request != NULL ? *request : zero, l = limit != NULL ? *limit : zero;
        if (dray_quantity_cmp(r, l) != 0)
            return DRAY_STR("Burstable");
        dray_str one = dray_quantity_is_zero(r) ? DRAY_STR("BestEffort") : DRAY_STR("Guaranteed");
        if (qos.p != NULL && !dray_str_eq(qos, one))
            return DRAY_STR("Burstable");
        qos = one;
    }
    return qos;
}

static bool names_pod_level(dray_resource_list list) {
    for (size_t i = 0; i < list.n; i++)
        if (dray_pod_level_resource(list.k[i]))
            return true;
    return false;
}

dray_str dray_pod_qos(const dray_core_pod *pod, const dray_gates *gates) {
    const dray_core_pod_spec *spec = pod->spec;
    const dray_core_resource_requirements *own = spec->resources;
    if (own != NULL && dray_gates_on(gates, DRAY_GATE_PodLevelResources) &&
        (!dray_gates_on(gates, DRAY_GATE_PodLevelResourcesFixKubeletQOSClass) ||
         names_pod_level(DRAY_RESOURCES(own->requests)) ||
         names_pod_level(DRAY_RESOURCES(own->limits))))
        return requirements_qos(own);
    dray_str qos = DRAY_STR_NONE;
    for (size_t i = 0; i < spec->init_containers.n + spec->containers.n; i++) {
        dray_str one = requirements_qos(dray_pod_container(spec, i).container->resources);
        if (dray_str_is(one, "Burstable") || (qos.p != NULL && !dray_str_eq(qos, one)))
            return DRAY_STR("Burstable");
        qos = one;
    }
    return qos.p != NULL ? qos : DRAY_STR("BestEffort");
}
