/* Constraints and opaque configuration of claims, results and classes. */
#include "api/validate/resource_int.h"

#include "data/json.h"

#include <float.h>
#include <stdlib.h>

void dray_resource_constraint(dray_claim_check *c,
                              const dray_resource_device_constraint *constraint,
                              const dray_path *path) {
    dray_request *rq = c->rq;
    dray_resource_request_refs(rq, c->claim, constraint->requests, DRAY_AT(path, "requests"));
    size_t from = errors_now(rq);
    if (constraint->match_attribute.p != NULL)
        dray_resource_fully_qualified_name(rq, constraint->match_attribute,
                                           DRAY_AT(path, "matchAttribute"));
    else if (constraint->distinct_attribute.p != NULL)
        dray_resource_fully_qualified_name(rq, constraint->distinct_attribute,
                                           DRAY_AT(path, "distinctAttribute"));
    cover(rq, from);
    if (constraint->match_attribute.p != NULL || constraint->distinct_attribute.p != NULL)
        return;
    if (dray_request_gate(rq, DRAY_GATE_DRAConsumableCapacity))
        fail_required(rq, path,
                      DRAY_STR("exactly one of \"matchAttribute\" or \"distinctAttribute\" is "
                               "required, but multiple fields are set"));
    else
        fail_required(rq, DRAY_AT(path, "matchAttribute"), DRAY_STR(""));
}

/* The first number that no double can hold: Go's decoder refuses it. Depth is the parser's. */
static dray_str too_large_number(const dray_node *node) {
    dray_str found = DRAY_STR_NONE;
    if (node->kind == DRAY_NODE_NUMBER) {
        char digits[64];
        if (node->text.n >= sizeof digits && dray_str_chr(node->text, 'e') == SIZE_MAX &&
            dray_str_chr(node->text, 'E') == SIZE_MAX)
            return node->text.n > 309 ? node->text : found;
        size_t n = node->text.n < sizeof digits ? node->text.n : sizeof digits - 1;
        memcpy(digits, node->text.p, n);
        digits[n] = '\0';
        double value = strtod(digits, NULL);
        return value > DBL_MAX || value < -DBL_MAX ? node->text : found;
    }
    if (node->kind == DRAY_NODE_LIST)
        for (size_t i = 0; i < node->list.n && found.p == NULL; i++)
            found = too_large_number(&node->list.items[i]);
    if (node->kind == DRAY_NODE_MAP)
        for (size_t i = 0; i < node->map.n && found.p == NULL; i++)
            found = too_large_number(&node->map.members[i].value);
    return found;
}

static void fail_omitted(dray_request *rq, const dray_path *path, dray_str detail) {
    fail_invalid(rq, path, DRAY_STR("<value omitted>"), detail);
}

void dray_resource_raw_object(dray_request *rq, dray_str raw, bool stored, size_t limit,
                              const dray_path *path) {
    if (raw.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        return;
    }
    if (!stored && raw.n > limit) {
        fail_too_long(rq, path, (int64_t)limit);
        return;
    }
    dray_node *root = NULL;
    dray_err err = DRAY_ERR_INIT;
    if (dray_json_parse(raw, rq->arena, &root, &err) != DRAY_OK) {
        fail_omitted(rq, path, DETAIL(rq, "error parsing data as JSON: %s", dray_err_text(&err)));
        dray_err_done(&err);
        return;
    }
    dray_str number = too_large_number(root);
    if (number.p != NULL)
        fail_omitted(rq, path,
                     DETAIL(rq,
                            "error parsing data as JSON: json: cannot unmarshal number " DRAY_FMT
                            " into Go value of type float64",
                            DRAY_ARG(number)));
    else if (root->kind == DRAY_NODE_NULL)
        fail_required(rq, path, DRAY_STR(""));
    else if (root->kind != DRAY_NODE_MAP)
        fail_omitted(rq, path, DRAY_STR("must be a valid JSON object"));
}

void dray_resource_configuration(dray_request *rq, const dray_resource_device_configuration *config,
                                 bool stored, const dray_path *path) {
    dray_path opaque = dray_path_child(path, "opaque");
    if (config->opaque == NULL) {
        fail_required(rq, &opaque, DRAY_STR(""));
        return;
    }
    dray_resource_driver(rq, config->opaque->driver, true, DRAY_AT(&opaque, "driver"));
    dray_resource_raw_object(rq, config->opaque->parameters, stored, DRAY_RESOURCE_MAX_OPAQUE_BYTES,
                             DRAY_AT(&opaque, "parameters"));
}
