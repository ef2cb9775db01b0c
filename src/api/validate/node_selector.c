/* core/v1 NodeSelector and its terms. */
#include "api/validate/pod_int.h"

static void validate_requirement(dray_request *rq, const dray_core_node_selector_requirement *r,
                                 bool allow_values, const dray_path *path) {
    dray_path values = dray_path_child(path, "values");
    if (IS_ONE_OF(r->operator, "In", "NotIn")) {
        if (r->values.n == 0)
            fail_required(rq, &values,
                          DRAY_STR("must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (IS_ONE_OF(r->operator, "Exists", "DoesNotExist")) {
        if (r->values.n > 0)
            fail_forbidden(
                rq, &values,
                DRAY_STR("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else if (IS_ONE_OF(r->operator, "Gt", "Lt")) {
        if (r->values.n != 1)
            fail_required(
                rq, &values,
                DRAY_STR("must be specified single value when `operator` is 'Lt' or 'Gt'"));
    } else {
        fail_invalid_word(rq, DRAY_AT(path, "operator"), r->operator,
                          DRAY_STR("not a valid selector operator"));
    }
    fail_texts(rq, DRAY_AT(path, "key"), r->key, dray_check_label_key);
    for (size_t i = 0; !allow_values && i < r->values.n; i++)
        fail_texts(rq, DRAY_AT_INDEX(&values, i), r->values.v[i], dray_check_label_value);
}

static void validate_field_requirement(dray_request *rq,
                                       const dray_core_node_selector_requirement *r,
                                       const dray_path *path) {
    dray_path values = dray_path_child(path, "values");
    if (!IS_ONE_OF(r->operator, "In", "NotIn"))
        fail_invalid_word(rq, DRAY_AT(path, "operator"), r->operator,
                          DRAY_STR("not a valid selector operator"));
    else if (r->values.n != 1)
        fail_required(rq, &values,
                      DRAY_STR("must be only one value when `operator` is 'In' or 'NotIn' for node "
                               "field selector"));
    if (!dray_str_is(r->key, "metadata.name")) {
        fail_invalid(rq, DRAY_AT(path, "key"), r->key, DRAY_STR("not a valid field selector key"));
        return;
    }
    for (size_t i = 0; i < r->values.n; i++)
        fail_texts(rq, DRAY_AT_INDEX(&values, i), r->values.v[i], dray_check_dns1123_subdomain);
}

void dray_validate_node_selector_term(dray_request *rq, const dray_core_node_selector_term *term,
                                      bool allow_values, const dray_path *path) {
    for (size_t i = 0; i < term->match_expressions.n; i++)
        validate_requirement(rq, &term->match_expressions.v[i], allow_values,
                             DRAY_AT_INDEX(DRAY_AT(path, "matchExpressions"), i));
    for (size_t i = 0; i < term->match_fields.n; i++)
        validate_field_requirement(rq, &term->match_fields.v[i],
                                   DRAY_AT_INDEX(DRAY_AT(path, "matchFields"), i));
}

void dray_validate_node_selector_lenient(dray_request *rq, const dray_core_node_selector *selector,
                                         bool allow_values, const dray_path *path) {
    dray_path terms = dray_path_child(path, "nodeSelectorTerms");
    if (selector->node_selector_terms.n == 0) {
        fail_required(rq, &terms, DRAY_STR("must have at least one node selector term"));
        return;
    }
    for (size_t i = 0; i < selector->node_selector_terms.n; i++)
        dray_validate_node_selector_term(rq, &selector->node_selector_terms.v[i], allow_values,
                                         DRAY_AT_INDEX(&terms, i));
}

void dray_validate_node_selector(dray_request *rq, const dray_core_node_selector *selector,
                                 const dray_path *path) {
    dray_validate_node_selector_lenient(rq, selector, false, path);
}
