/* Which nodes a selector means. */
#include "cluster/node_selector.h"

#include "obj/names.h"

#include <errno.h>
#include <stdlib.h>

typedef enum operator{ IN, NOT_IN, EXISTS, DOES_NOT_EXIST, GT, LT, UNKNOWN } operator;

static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
static const char all_operators[] =
    "\"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"";
static const char field_operators[] = "\"In\", \"NotIn\"";

static operator operator_of(dray_str word) {
    int op = 0;
    while (op < UNKNOWN && !dray_str_is(word, operators[op]))
        op++;
    return (operator)op;
}

/* As Go's strconv.ParseInt(text, 10, 64). */
static bool parse_int(dray_str text, int64_t *ret) {
    char copy[32], *end;
    if (text.n == 0 || text.n >= sizeof copy || strchr("+-0123456789", text.p[0]) == NULL)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    errno = 0;
    *ret = strtoll(copy, &end, 10);
    return errno == 0 && end == copy + text.n;
}

static const dray_str *label_find(dray_string_map labels, dray_str key) {
    for (size_t i = 0; i < labels.n; i++) {
        if (dray_str_eq(labels.k[i], key))
            return &labels.v[i];
    }
    return NULL;
}

static bool is_one_of(const dray_strings *values, dray_str value) {
    for (size_t i = 0; i < values->n; i++) {
        if (dray_str_eq(values->v[i], value))
            return true;
    }
    return false;
}

bool dray_node_requirement_match(const dray_core_node_selector_requirement *requirement,
                                 dray_string_map labels) {
    const dray_str *value = label_find(labels, requirement->key);
    int64_t have, limit;
    switch (operator_of(requirement->operator)) {
    case IN:
        return value != NULL && is_one_of(&requirement->values, *value);
    case NOT_IN:
        return value == NULL || !is_one_of(&requirement->values, *value);
    case EXISTS:
        return value != NULL;
    case DOES_NOT_EXIST:
        return value == NULL;
    case GT:
        return value != NULL && requirement->values.n == 1 && parse_int(*value, &have) &&
               parse_int(requirement->values.v[0], &limit) && have > limit;
    case LT:
        return value != NULL && requirement->values.n == 1 && parse_int(*value, &have) &&
               parse_int(requirement->values.v[0], &limit) && have < limit;
    case UNKNOWN:
        break;
    }
    return false;
}

static bool field_match(const dray_core_node_selector_requirement *r, dray_str name) {
    dray_str value = dray_str_is(r->key, "metadata.name") ? name : DRAY_STR("");
    bool same = r->values.n == 1 && dray_str_eq(r->values.v[0], value);
    return operator_of(r->operator) == IN ? same : !same;
}

/* Texts of what is wrong, joined as an aggregate of errors is. */
typedef struct problems {
    dray_buf text;
    size_t n;
    dray_arena *arena;
} problems;

static void problem(problems *p, dray_str path, const char *what) {
    if (p->n++ > 0)
        dray_buf_puts(&p->text, ", ");
    dray_buf_addf(&p->text, DRAY_FMT ": %s", DRAY_ARG(path), what);
}

static void check_names(const dray_core_node_selector_requirement *r, dray_str path,
                        problems *ret) {
    dray_str texts[DRAY_NAME_TEXTS];
    if (dray_check_label_key(r->key, texts, ret->arena) > 0)
        problem(ret, dray_strf(ret->arena, DRAY_FMT ".key", DRAY_ARG(path)),
                dray_strf(ret->arena, "Invalid value: \"" DRAY_FMT "\": " DRAY_FMT,
                          DRAY_ARG(r->key), DRAY_ARG(texts[0]))
                    .p);
    for (size_t i = 0; i < r->values.n; i++) {
        if (dray_check_label_value(r->values.v[i], texts, ret->arena) > 0)
            problem(ret, dray_strf(ret->arena, DRAY_FMT ".values[%zu]", DRAY_ARG(path), i),
                    dray_strf(ret->arena, "Invalid value: \"" DRAY_FMT "\": " DRAY_FMT,
                              DRAY_ARG(r->values.v[i]), DRAY_ARG(texts[0]))
                        .p);
    }
}

static const char *values_problem(const dray_core_node_selector_requirement *r, operator op) {
    int64_t number;
    switch (op) {
    case IN:
    case NOT_IN:
        return r->values.n == 0 ? "Invalid value: []: for 'in', 'notin' operators, values set "
                                  "can't be empty"
                                : NULL;
    case EXISTS:
    case DOES_NOT_EXIST:
        return r->values.n != 0 ? "Invalid value: values set must be empty for exists and does "
                                  "not exist"
                                : NULL;
    case GT:
    case LT:
        if (r->values.n != 1)
            return "Invalid value: for 'Gt', 'Lt' operators, exactly one value is required";
        return parse_int(r->values.v[0], &number)
                   ? NULL
                   : "Invalid value: for 'Gt', 'Lt' operators, the value must be an integer";
    case UNKNOWN:
        break;
    }
    return NULL;
}

static void unsupported(const dray_core_node_selector_requirement *r, dray_str path,
                        const char *supported, problems *ret) {
    problem(ret, dray_strf(ret->arena, DRAY_FMT ".operator", DRAY_ARG(path)),
            dray_strf(ret->arena, "Unsupported value: \"" DRAY_FMT "\": supported values: %s",
                      DRAY_ARG(r->operator), supported)
                .p);
}

static void check_term(const dray_core_node_selector_term *term, dray_str path, problems *ret) {
    for (size_t i = 0; i < term->match_expressions.n; i++) {
        const dray_core_node_selector_requirement *r = &term->match_expressions.v[i];
        dray_str at = dray_strf(ret->arena, DRAY_FMT ".matchExpressions[%zu]", DRAY_ARG(path), i);
        operator op = operator_of(r->operator);
        const char *wrong = values_problem(r, op);
        if (op == UNKNOWN)
            unsupported(r, at, all_operators, ret);
        else if (wrong != NULL)
            problem(ret, dray_strf(ret->arena, DRAY_FMT ".values", DRAY_ARG(at)), wrong);
        else
            check_names(r, at, ret);
    }
    for (size_t i = 0; i < term->match_fields.n; i++) {
        const dray_core_node_selector_requirement *r = &term->match_fields.v[i];
        dray_str at = dray_strf(ret->arena, DRAY_FMT ".matchFields[%zu]", DRAY_ARG(path), i);
        operator op = operator_of(r->operator);
        if (op != IN && op != NOT_IN)
            unsupported(r, at, field_operators, ret);
        else if (r->values.n != 1)
            problem(ret, dray_strf(ret->arena, DRAY_FMT ".values", DRAY_ARG(at)),
                    "Invalid value: must have one element");
    }
}

static bool is_empty(const dray_core_node_selector_term *term) {
    return term->match_expressions.n == 0 && term->match_fields.n == 0;
}

/* Without reading texts: the usual case, and what each match asks of a term. */
static bool is_readable(const dray_core_node_selector_term *term) {
    for (size_t i = 0; i < term->match_expressions.n; i++) {
        operator op = operator_of(term->match_expressions.v[i].operator);
        if (op == UNKNOWN || values_problem(&term->match_expressions.v[i], op) != NULL)
            return false;
    }
    for (size_t i = 0; i < term->match_fields.n; i++) {
        operator op = operator_of(term->match_fields.v[i].operator);
        if ((op != IN && op != NOT_IN) || term->match_fields.v[i].values.n != 1)
            return false;
    }
    return true;
}

dray_code dray_node_selector_check(const dray_core_node_selector *selector, dray_str path,
                                   dray_err *err) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    problems found = {.arena = arena};
    for (size_t i = 0; i < selector->node_selector_terms.n; i++) {
        dray_str at = dray_strf(arena, DRAY_FMT "%snodeSelectorTerms[%zu]", DRAY_ARG(path),
                                path.n != 0 ? "." : "", i);
        check_term(&selector->node_selector_terms.v[i], at, &found);
    }
    dray_code code = DRAY_OK;
    if (found.n > 0)
        code = dray_err_set(err, DRAY_E_INVALID, found.n > 1 ? "[%s]" : "%s",
                            dray_buf_cstr(&found.text));
    dray_buf_done(&found.text);
    return code;
}

bool dray_node_selector_term_match(const dray_core_node_selector_term *term,
                                   const dray_core_node *node) {
    if (is_empty(term) || node == NULL || !is_readable(term))
        return false;
    for (size_t i = 0; i < term->match_expressions.n; i++) {
        if (!dray_node_requirement_match(&term->match_expressions.v[i], node->metadata->labels))
            return false;
    }
    for (size_t i = 0; i < term->match_fields.n; i++) {
        if (!field_match(&term->match_fields.v[i], node->metadata->name))
            return false;
    }
    return true;
}

bool dray_node_selector_match(const dray_core_node_selector *selector, const dray_core_node *node) {
    for (size_t i = 0; i < selector->node_selector_terms.n; i++) {
        if (dray_node_selector_term_match(&selector->node_selector_terms.v[i], node))
            return true;
    }
    return false;
}

dray_code dray_node_selector_match_strictly(const dray_core_node_selector *selector,
                                            const dray_core_node *node, bool *ret_match,
                                            dray_err *err) {
    bool match = dray_node_selector_match(selector, node);
    if (!match) {
        dray_code code = dray_node_selector_check(selector, DRAY_STR(""), err);
        if (code != DRAY_OK)
            return code;
    }
    *ret_match = match;
    return DRAY_OK;
}
