/* Node selectors: which nodes they mean, and what is wrong with those that can't be read. */
#include "cluster/node_selector.h"
#include "objects.h"
#include "tap.h"

static const struct row {
    const char *label, *term;
    bool match;
} rows[] = {
    {"In needs one of the values",
     "\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\","
     "\"values\":[\"b\",\"a\"]}]",
     true},
    {"In is false for a label that is not there",
     "\"matchExpressions\":[{\"key\":\"none\",\"operator\":\"In\",\"values\":[\"a\"]}]", false},
    {"NotIn is true for a label that is not there",
     "\"matchExpressions\":[{\"key\":\"none\",\"operator\":\"NotIn\",\"values\":[\"a\"]}]", true},
    {"Exists and DoesNotExist ask for the key",
     "\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"Exists\"},{\"key\":\"none\","
     "\"operator\":\"DoesNotExist\"}]",
     true},
    {"Gt compares whole numbers",
     "\"matchExpressions\":[{\"key\":\"gen\",\"operator\":\"Gt\",\"values\":[\"2\"]}]", true},
    {"Gt is strict",
     "\"matchExpressions\":[{\"key\":\"gen\",\"operator\":\"Gt\",\"values\":[\"3\"]}]", false},
    {"Lt of a label that is no number is false",
     "\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"Lt\",\"values\":[\"9\"]}]", false},
    {"a field is the node's name",
     "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"n\"]}]", true},
    {"all of a term must hold",
     "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"n\"]}],"
     "\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"b\"]}]",
     false},
    {"an empty term matches nothing", "", false},
};

static const struct bad {
    const char *label, *term, *text;
} bads[] = {
    {"an unknown operator is told with those there are",
     "\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Is\"}]",
     "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: \"Is\": supported "
     "values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""},
    {"a field takes one value",
     "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"a\",\"b\"]}]",
     "nodeSelectorTerms[0].matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have one "
     "element"},
    {"a field that is not asked about is null",
     "\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\"}]",
     "nodeSelectorTerms[0].matchFields[0].values: Invalid value: null: must have one element"},
    {"all that is wrong with a requirement is told, each once",
     "\"matchExpressions\":[{\"key\":\"a b\",\"operator\":\"Gt\",\"values\":[\"x\",\"y!\"]}]",
     "[nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: \"a b\": name part must consist "
     "of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
     "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
     "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), "
     "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: [\"x\",\"y!\"]: for 'Gt', "
     "'Lt' operators, exactly one value is required, "
     "nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
     "operators, the value must be an integer, "
     "nodeSelectorTerms[0].matchExpressions[0].values[1]: Invalid value: \"y!\": for 'Gt', 'Lt' "
     "operators, the value must be an integer, "
     "nodeSelectorTerms[0].matchExpressions[0].values[1][a b]: Invalid value: \"y!\": a valid label "
     "must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
     "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
     "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]"},
};

static const dray_core_node_selector *selector_of(const char *term, dray_arena *arena) {
    dray_str json = dray_strf(arena,
                              "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"driver\":\"d\",\"pool\":"
                              "{\"name\":\"p\"},\"nodeSelector\":{\"nodeSelectorTerms\":[{%s}]}}}",
                              term);
    const dray_resource_slice *slice = object_of("ResourceSlice", json.p, arena).body;
    return slice->spec->node_selector;
}

int main(void) {
    dray_arena *arena = dray_arena_new(0);
    const dray_core_node *node =
        object_of("Node",
                  "{\"metadata\":{\"name\":\"n\",\"labels\":{\"zone\":\"a\",\"gen\":\"3\"}}}",
                  arena)
            .body;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const dray_core_node_selector *s = selector_of(rows[i].term, arena);
        CHECK(rows[i].label, dray_node_selector_match(s, node) == rows[i].match &&
                                 dray_node_selector_check(s, DRAY_STR(""), NULL) == DRAY_OK);
    }
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        dray_err err = DRAY_ERR_INIT;
        const dray_core_node_selector *s = selector_of(bads[i].term, arena);
        bool match;
        CHECK("a selector that can't be read matches nothing", !dray_node_selector_match(s, node));
        CHECK("and fails where it is asked strictly",
              dray_node_selector_match_strictly(s, node, &match, &err) == DRAY_E_INVALID);
        CHECK_STR(bads[i].label, dray_str_of(dray_err_text(&err)), bads[i].text);
        dray_err_done(&err);
    }
    dray_arena_free(arena);
    return tap_end();
}
