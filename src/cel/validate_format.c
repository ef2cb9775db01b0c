/* Literal templates of string.format() against the types of their arguments. */
#include "base/utf8.h"
#include "cel/check_int.h"

typedef struct template {
    const dray_cel_ast *ast;
    const dray_cel_expr *call;
    dray_cel_issues *issues;
    dray_str text;
    size_t at;
    dray_cel_expr *const *args;
    uint32_t n_args;
    uint32_t used;
}
template;

#define KIND(kind) (1u << DRAY_CEL_##kind)
#define INTEGERS (KIND(INT) | KIND(UINT))

/* What each clause takes. */
static const struct clause {
    char letter;
    uint32_t kinds;
    const char *wrong;
} clauses[] = {
    {'s',
     INTEGERS | KIND(LIST) | KIND(MAP) | KIND(DOUBLE) | KIND(BOOL) | KIND(STRING) |
         KIND(TIMESTAMP) | KIND(BYTES) | KIND(DURATION) | KIND(TYPE) | KIND(NULL),
     "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
     "durations, and timestamps"},
    {'d', INTEGERS, "decimal clause can only be used on integers"},
    {'f', KIND(DOUBLE) | KIND(STRING), "fixed-point clause can only be used on doubles"},
    {'e', KIND(DOUBLE) | KIND(STRING), "scientific clause can only be used on doubles"},
    {'b', INTEGERS | KIND(BOOL), "only integers and bools can be formatted as binary"},
    {'x', INTEGERS | KIND(STRING) | KIND(BYTES),
     "only integers, byte buffers, and strings can be formatted as hex"},
    {'X', INTEGERS | KIND(STRING) | KIND(BYTES),
     "only integers, byte buffers, and strings can be formatted as hex"},
    {'o', INTEGERS, "octal clause can only be used on integers"},
};

static bool wrong(template *t, const char *format, const char *detail) {
    dray_cel_issue_add(t->issues, t->ast->offsets[t->call->id], format, detail);
    return false;
}

static bool takes(const struct clause *clause, const dray_cel_expr *e) {
    return e->type->kind == DRAY_CEL_DYN || (clause->kinds >> e->type->kind & 1) != 0;
}

/* The first expression in e, literals of lists and maps looked into, that %s can't print. */
static const dray_cel_expr *first_unprintable(const struct clause *clause, const dray_cel_expr *e) {
    if (!takes(clause, e))
        return e;
    const dray_cel_expr *bad = NULL;
    if (e->kind == DRAY_CEL_LIST_EXPR)
        for (uint32_t i = 0; i < e->list.n && bad == NULL; i++)
            bad = first_unprintable(clause, e->list.items[i]);
    if (e->kind == DRAY_CEL_MAP_EXPR)
        for (uint32_t i = 0; i < e->map.n && bad == NULL; i++) {
            bad = first_unprintable(clause, e->map.entries[i].key);
            if (bad == NULL)
                bad = first_unprintable(clause, e->map.entries[i].value);
        }
    return bad;
}

/* ".3" of "%.3f"; t->at stands past the percent sign. */
static bool read_precision(template *t) {
    if (t->text.p[t->at] != '.')
        return true;
    size_t from = ++t->at;
    while (t->at < t->text.n && t->text.p[t->at] >= '0' && t->text.p[t->at] <= '9')
        t->at++;
    if (t->at == t->text.n)
        return wrong(t, "could not parse formatting clause: error while parsing precision: %s",
                     "could not find end of precision specifier");
    dray_str digits = dray_str_slice(t->text, from, t->at);
    uint64_t value = 0;
    for (size_t i = 0; i < digits.n && value <= INT64_MAX; i++)
        value = value > INT64_MAX / 10 ? UINT64_MAX : value * 10 + (uint64_t)(digits.p[i] - '0');
    if (digits.n != 0 && value <= INT64_MAX)
        return true;
    dray_cel_issue_add(t->issues, t->ast->offsets[t->call->id],
                       "could not parse formatting clause: error while parsing precision: error "
                       "while converting precision to integer: strconv.Atoi: parsing \"" DRAY_FMT
                       "\": %s",
                       DRAY_ARG(digits), digits.n == 0 ? "invalid syntax" : "value out of range");
    return false;
}

static const struct clause *read_clause(template *t) {
    if (!read_precision(t))
        return NULL;
    unsigned char letter = (unsigned char)t->text.p[t->at++];
    for (size_t i = 0; i < DRAY_COUNT(clauses); i++)
        if (clauses[i].letter == (char)letter)
            return &clauses[i];
    /* The byte is shown as if it were a code point. */
    char shown[5] = {0};
    dray_utf8_put(shown, letter);
    wrong(t, "could not parse formatting clause: unrecognized formatting clause \"%s\"", shown);
    return NULL;
}

static bool check_clause(template *t) {
    t->at++;
    if (t->at >= t->text.n)
        return wrong(t, "%s", "unexpected end of string");
    if (t->used >= t->n_args) {
        dray_cel_issue_add(t->issues, t->ast->offsets[t->call->id], "index %u out of range",
                           t->used);
        return false;
    }
    const struct clause *clause = read_clause(t);
    if (clause == NULL)
        return false;
    const dray_cel_expr *arg = t->args[t->used++];
    const dray_cel_expr *bad = clause->letter == 's' ? first_unprintable(clause, arg)
                               : takes(clause, arg)  ? NULL
                                                     : arg;
    if (bad == NULL)
        return true;
    dray_cel_issue_add(t->issues, t->ast->offsets[bad->id],
                       "error during formatting: %s, was given " DRAY_FMT, clause->wrong,
                       DRAY_ARG(bad->type->name));
    return false;
}

void dray_cel_validate_format(const dray_cel_ast *ast, const dray_cel_expr *call,
                              dray_cel_issues *issues) {
    const dray_cel_expr *target = call->call.target;
    if (target->kind != DRAY_CEL_LITERAL || target->literal.kind != DRAY_CEL_STRING ||
        call->call.n_args != 1 || call->call.args[0]->kind != DRAY_CEL_LIST_EXPR)
        return;
    template t = {.ast = ast,
                  .call = call,
                  .issues = issues,
                  .text = target->literal.s,
                  .args = call->call.args[0]->list.items,
                  .n_args = call->call.args[0]->list.n};
    while (t.at < t.text.n) {
        if (t.text.p[t.at] != '%')
            t.at++;
        else if (t.at + 1 < t.text.n && t.text.p[t.at + 1] == '%')
            t.at += 2;
        else if (!check_clause(&t))
            return;
    }
    if (t.n_args > t.used)
        dray_cel_issue_add(issues, ast->offsets[call->id],
                           "too many arguments supplied to string.format (expected %u, got %u)",
                           t.used, t.n_args);
}
