/* Which nodes a selector means. */
#include "cluster/node_selector.h"

#include "base/utf8.h"
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

/* What is wrong, joined as an aggregate of errors is: each text once. */
typedef struct problems {
    dray_buf text;
    size_t n;
    dray_arena *arena;
} problems;

/* Holds the texts of the same requirement: those of others name another place. */
typedef struct place_texts {
    dray_str texts[16];
    size_t n;
} place_texts;

static void problem(problems *p, place_texts *told, dray_str text) {
    for (size_t i = 0; i < told->n; i++) {
        if (dray_str_eq(told->texts[i], text))
            return;
    }
    if (told->n < sizeof told->texts / sizeof *told->texts)
        told->texts[told->n++] = text;
    if (p->n++ > 0)
        dray_buf_puts(&p->text, ", ");
    dray_buf_str_add(&p->text, text);
}

/* As JSON writes them; a list that isn't there is null. */
static dray_str values_text(const dray_strings *values, dray_arena *arena) {
    if (values->v == NULL)
        return DRAY_STR("null");
    dray_str text = DRAY_STR("[");
    for (size_t i = 0; i < values->n; i++)
        text = dray_strf(arena, DRAY_FMT "%s" DRAY_FMT, DRAY_ARG(text), i > 0 ? "," : "",
                         DRAY_ARG(dray_utf8_quote(values->v[i], arena)));
    return dray_strf(arena, DRAY_FMT "]", DRAY_ARG(text));
}

static void wrong_name(problems *p, place_texts *told, dray_str path, dray_str name,
                       const dray_str *texts, size_t n) {
    dray_str all = texts[0];
    for (size_t i = 1; i < n; i++)
        all = dray_strf(p->arena, DRAY_FMT "; " DRAY_FMT, DRAY_ARG(all), DRAY_ARG(texts[i]));
    problem(p, told,
            dray_strf(p->arena, DRAY_FMT ": Invalid value: " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(path),
                      DRAY_ARG(dray_utf8_quote(name, p->arena)), DRAY_ARG(all)));
}

static void wrong_values(problems *p, place_texts *told, dray_str path,
                         const dray_core_node_selector_requirement *r, const char *what) {
    problem(p, told,
            dray_strf(p->arena, DRAY_FMT ".values: Invalid value: " DRAY_FMT ": %s", DRAY_ARG(path),
                      DRAY_ARG(values_text(&r->values, p->arena)), what));
}

static void wrong_operator(problems *p, place_texts *told, dray_str path, dray_str word,
                           const char *supported) {
    problem(p, told,
            dray_strf(p->arena,
                      DRAY_FMT ".operator: Unsupported value: " DRAY_FMT ": supported values: %s",
                      DRAY_ARG(path), DRAY_ARG(dray_utf8_quote(word, p->arena)), supported));
}

/* What operators want of the number of values; NULL: they go together. */
static const char *count_problem(operator op, size_t n) {
    switch (op) {
    case IN:
    case NOT_IN:
        return n == 0 ? "for 'in', 'notin' operators, values set can't be empty" : NULL;
    case EXISTS:
    case DOES_NOT_EXIST:
        return n != 0 ? "values set must be empty for exists and does not exist" : NULL;
    case GT:
    case LT:
        return n != 1 ? "for 'Gt', 'Lt' operators, exactly one value is required" : NULL;
    case UNKNOWN:
        break;
    }
    return NULL;
}

static void check_value(const dray_core_node_selector_requirement *r, size_t i, dray_str path,
                        place_texts *told, problems *ret) {
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = dray_check_label_value(r->values.v[i], texts, ret->arena);
    if (n > 0)
        wrong_name(ret, told,
                   dray_strf(ret->arena, DRAY_FMT ".values[%zu][" DRAY_FMT "]", DRAY_ARG(path), i,
                             DRAY_ARG(r->key)),
                   r->values.v[i], texts, n);
}

static void check_expression(const dray_core_node_selector_requirement *r, dray_str path,
                             problems *ret) {
    place_texts told = {0};
    operator op = operator_of(r->operator);
    if (op == UNKNOWN) {
        wrong_operator(ret, &told, path, r->operator, all_operators);
        return;
    }
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = dray_check_label_key(r->key, texts, ret->arena);
    if (n > 0)
        wrong_name(ret, &told, dray_strf(ret->arena, DRAY_FMT ".key", DRAY_ARG(path)), r->key,
                   texts, n);
    const char *wrong = count_problem(op, r->values.n);
    if (wrong != NULL)
        wrong_values(ret, &told, path, r, wrong);
    int64_t number;
    dray_str no_number = DRAY_STR("for 'Gt', 'Lt' operators, the value must be an integer");
    for (size_t i = 0; (op == GT || op == LT) && i < r->values.n; i++) {
        if (!parse_int(r->values.v[i], &number))
            wrong_name(ret, &told,
                       dray_strf(ret->arena, DRAY_FMT ".values[%zu]", DRAY_ARG(path), i),
                       r->values.v[i], &no_number, 1);
    }
    for (size_t i = 0; i < r->values.n; i++)
        check_value(r, i, path, &told, ret);
}

static void check_field(const dray_core_node_selector_requirement *r, dray_str path,
                        problems *ret) {
    place_texts told = {0};
    operator op = operator_of(r->operator);
    if (op != IN && op != NOT_IN)
        wrong_operator(ret, &told, path, r->operator, field_operators);
    else if (r->values.n != 1)
        wrong_values(ret, &told, path, r, "must have one element");
}

static void check_term(const dray_core_node_selector_term *term, dray_str path, problems *ret) {
    for (size_t i = 0; i < term->match_expressions.n; i++)
        check_expression(
            &term->match_expressions.v[i],
            dray_strf(ret->arena, DRAY_FMT ".matchExpressions[%zu]", DRAY_ARG(path), i), ret);
    for (size_t i = 0; i < term->match_fields.n; i++)
        check_field(&term->match_fields.v[i],
                    dray_strf(ret->arena, DRAY_FMT ".matchFields[%zu]", DRAY_ARG(path), i), ret);
}

static bool is_empty(const dray_core_node_selector_term *term) {
    return term->match_expressions.n == 0 && term->match_fields.n == 0;
}

/* Without making texts: what each match asks of a term. */
static bool is_readable(const dray_core_node_selector_term *term) {
    int64_t number;
    for (size_t i = 0; i < term->match_expressions.n; i++) {
        const dray_core_node_selector_requirement *r = &term->match_expressions.v[i];
        operator op = operator_of(r->operator);
        if (op == UNKNOWN || count_problem(op, r->values.n) != NULL ||
            ((op == GT || op == LT) && !parse_int(r->values.v[0], &number)))
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

static void add_requirements(dray_buf *buf, const char *name,
                             const dray_core_node_selector_requirement *v, size_t n) {
    dray_buf_addf(buf, "%s:[]NodeSelectorRequirement{", name);
    for (size_t i = 0; i < n; i++) {
        dray_buf_addf(buf,
                      "NodeSelectorRequirement{Key:" DRAY_FMT ",Operator:" DRAY_FMT ",Values:[",
                      DRAY_ARG(v[i].key), DRAY_ARG(v[i].operator));
        for (size_t k = 0; k < v[i].values.n; k++)
            dray_buf_addf(buf, "%s" DRAY_FMT, k > 0 ? " " : "", DRAY_ARG(v[i].values.v[k]));
        dray_buf_puts(buf, "],},");
    }
    dray_buf_puts(buf, "},");
}

dray_str dray_node_selector_text(const dray_core_node_selector *selector, dray_arena *arena) {
    dray_buf buf = {0};
    dray_buf_puts(&buf, "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{");
    for (size_t i = 0; i < selector->node_selector_terms.n; i++) {
        const dray_core_node_selector_term *term = &selector->node_selector_terms.v[i];
        dray_buf_puts(&buf, "NodeSelectorTerm{");
        add_requirements(&buf, "MatchExpressions", term->match_expressions.v,
                         term->match_expressions.n);
        add_requirements(&buf, "MatchFields", term->match_fields.v, term->match_fields.n);
        dray_buf_puts(&buf, "},");
    }
    dray_buf_puts(&buf, "},}");
    dray_str text = dray_str_dup(arena, dray_str_of(dray_buf_cstr(&buf)));
    dray_buf_done(&buf);
    return text;
}
