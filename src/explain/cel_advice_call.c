/* Mistakes in calls and operators: quantities, versions, has(), types of values, functions. */
#include "explain/cel_advice_int.h"

#include "obj/quantity.h"
#include "obj/semver.h"

#include <ctype.h>
#include <stdio.h>

static const struct sign {
    const char *function, *text;
} orders[] = {{"_<_", "<"},   {"_<=_", "<="}, {"_>_", ">"},
              {"_>=_", ">="}, {"_==_", "=="}, {"_!=_", "!="}};

static const struct sign *comparison_of(const dray_cel_expr *e) {
    for (size_t i = 0; i < DRAY_COUNT(orders); i++)
        if (e->call.target == NULL && e->call.n_args == 2 &&
            dray_str_is(e->call.function, orders[i].function))
            return &orders[i];
    return NULL;
}

static bool is_equality(const struct sign *sign) {
    return sign->text[1] == '=' && (sign->text[0] == '=' || sign->text[0] == '!');
}

static bool is_call(const dray_cel_expr *e, const char *function, uint32_t n) {
    return e->kind == DRAY_CEL_CALL && e->call.target == NULL && e->call.n_args == n &&
           dray_str_is(e->call.function, function);
}

static bool is_literal(const dray_cel_expr *e, uint8_t kind) {
    return e->kind == DRAY_CEL_LITERAL && e->literal.kind == kind;
}

static uint8_t fact_type(const dray_cel_adviser *a, dray_cel_expr *e, dray_str *id) {
    dray_cel_chain chain;
    bool capacity;
    *id = DRAY_STR_NONE;
    if (!dray_cel_read_chain(e, &chain) || !dray_cel_is_lookup(&chain, &capacity) ||
        chain.steps[1].optional || chain.steps[2].optional)
        return DRAY_CEL_FACT_OTHER;
    *id = chain.steps[2].name;
    const dray_cel_fact *fact = dray_cel_fact_find(a, capacity, chain.steps[1].name, *id);
    if (capacity)
        return DRAY_CEL_FACT_QUANTITY;
    return fact != NULL ? fact->type : DRAY_CEL_FACT_OTHER;
}

static bool is_quantity(const dray_cel_adviser *a, dray_cel_expr *e) {
    dray_str id;
    if (is_call(e, "quantity", 1))
        return true;
    if (e->kind == DRAY_CEL_CALL && e->call.target != NULL &&
        (dray_str_is(e->call.function, "add") || dray_str_is(e->call.function, "sub")))
        return is_quantity(a, e->call.target);
    return fact_type(a, e, &id) == DRAY_CEL_FACT_QUANTITY;
}

static bool ends_as_version(dray_str id) {
    static const char *const ends[] = {"version", "Version", "computeCapability",
                                       "ComputeCapability"};
    for (size_t i = 0; i < DRAY_COUNT(ends); i++)
        if (dray_str_ends(id, dray_str_of(ends[i])))
            return true;
    return false;
}

/* *sure: its type is known, not guessed by its name. */
static bool is_version(const dray_cel_adviser *a, dray_cel_expr *e, bool *sure) {
    dray_str id;
    *sure = is_call(e, "semver", 1) || is_call(e, "semver", 2);
    if (*sure)
        return true;
    uint8_t type = fact_type(a, e, &id);
    *sure = type == DRAY_CEL_FACT_VERSION;
    return *sure || (type == DRAY_CEL_FACT_OTHER && id.p != NULL && ends_as_version(id));
}

/* --- amounts --- */

static bool is_amount(dray_cel_adviser *a, dray_str text) {
    dray_quantity q;
    return dray_quantity_parse(text, a->arena, &q, NULL) == DRAY_OK;
}

/* "80 GiB" → "80Gi"; absent: it can't be told what is meant. */
static dray_str amount_of(dray_cel_adviser *a, dray_str text) {
    char digits[32] = "", unit[8] = "";
    size_t n = 0, u = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if ((isdigit((unsigned char)c) || c == '.') && u == 0 && n + 1 < sizeof digits)
            digits[n++] = c;
        else if (isalpha((unsigned char)c) && u + 1 < sizeof unit)
            unit[u++] = c;
        else if (c != ' ')
            return DRAY_STR_NONE;
    }
    if (is_amount(a, text))
        return text;
    if (n == 0 || u == 0)
        return DRAY_STR_NONE;
    if (u > 1 && (unit[u - 1] == 'B' || unit[u - 1] == 'b'))
        unit[u - 1] = '\0';
    unit[0] = (char)toupper((unsigned char)unit[0]);
    if (unit[0] == 'K' && unit[1] == '\0')
        unit[0] = 'k';
    if (unit[1] == 'I')
        unit[1] = 'i';
    dray_str made = dray_strf(a->arena, "%s%s", digits, unit);
    return is_amount(a, made) ? made : DRAY_STR_NONE;
}

/* A literal as quantity("…"); NULL: none. */
static dray_cel_expr *as_quantity(dray_cel_adviser *a, const dray_cel_expr *e) {
    dray_str text = DRAY_STR_NONE;
    if (is_literal(e, DRAY_CEL_STRING))
        text = amount_of(a, e->literal.s);
    else if (is_literal(e, DRAY_CEL_INT))
        text = dray_strf(a->arena, "%lld", (long long)e->literal.i);
    else if (is_literal(e, DRAY_CEL_UINT))
        text = dray_strf(a->arena, "%llu", (unsigned long long)e->literal.u);
    else if (is_literal(e, DRAY_CEL_DOUBLE))
        text = dray_strf(a->arena, "%.15g", e->literal.d);
    if (text.p == NULL || !is_amount(a, text))
        return NULL;
    return dray_cel_node_call(a, "quantity", NULL, dray_cel_node_text(a, text), NULL);
}

bool dray_cel_mistake_quantity_text(dray_cel_adviser *a, dray_cel_spot *spot) {
    if (!is_call(spot->e, "quantity", 1))
        return false;
    dray_cel_expr *argument = spot->e->call.args[0];
    if (is_literal(argument, DRAY_CEL_STRING) && is_amount(a, argument->literal.s))
        return false;
    dray_cel_expr *made = as_quantity(a, argument);
    if (made == NULL)
        return false;
    if (is_literal(argument, DRAY_CEL_STRING))
        dray_cel_note_add(a,
                          "\"" DRAY_FMT "\" is no quantity: units are k M G T P E and Ki Mi Gi "
                          "Ti Pi Ei, without a B",
                          DRAY_ARG(argument->literal.s));
    else
        dray_cel_note_add(a, "quantity() reads a string");
    *spot->e = *made;
    return true;
}

/* l OP r as l.compareTo(r) OP 0; == and != of two quantities are right as they are. */
static void compare(dray_cel_adviser *a, dray_cel_expr *e, dray_cel_expr *l, dray_cel_expr *r) {
    dray_cel_expr *call = dray_cel_node_call(a, "compareTo", l, r, NULL);
    e->call.args[0] = call;
    e->call.args[1] = dray_cel_node_int(a, 0);
}

bool dray_cel_mistake_quantity_operator(dray_cel_adviser *a, dray_cel_spot *spot) {
    const struct sign *sign = comparison_of(spot->e);
    if (sign == NULL)
        return false;
    dray_cel_expr **args = spot->e->call.args;
    bool is[2] = {is_quantity(a, args[0]), is_quantity(a, args[1])};
    if ((!is[0] && !is[1]) || (is[0] && is[1] && is_equality(sign)))
        return false;
    dray_cel_expr *v[2] = {args[0], args[1]};
    for (size_t i = 0; i < 2; i++)
        if (!is[i] && (v[i] = as_quantity(a, v[i])) == NULL)
            return false;
    if (!is[0] || !is[1])
        dray_cel_note_add(a, "an amount to compare with is a quantity: quantity('" DRAY_FMT "')",
                          DRAY_ARG(v[is[0]]->call.args[0]->literal.s));
    dray_cel_note_add(a, "quantities have no operator %s: compareTo() gives -1, 0 or 1",
                      sign->text);
    compare(a, spot->e, v[0], v[1]);
    return true;
}

/* --- versions --- */

/* "v8.0" → "8.0.0"; absent: no version. */
static dray_str version_of(dray_cel_adviser *a, const dray_cel_expr *e) {
    dray_str text = DRAY_STR_NONE;
    dray_semver v;
    if (is_literal(e, DRAY_CEL_STRING))
        text = e->literal.s;
    else if (is_literal(e, DRAY_CEL_INT))
        text = dray_strf(a->arena, "%lld", (long long)e->literal.i);
    else if (is_literal(e, DRAY_CEL_DOUBLE))
        text = dray_strf(a->arena, "%.10g", e->literal.d);
    if (text.n == 0 || dray_semver_parse(text, true, a->arena, &v, NULL) != DRAY_OK)
        return DRAY_STR_NONE;
    return dray_semver_format(v, a->arena);
}

static dray_cel_expr *as_version(dray_cel_adviser *a, const dray_cel_expr *e) {
    dray_str text = version_of(a, e);
    if (text.p == NULL)
        return NULL;
    return dray_cel_node_call(a, "semver", NULL, dray_cel_node_text(a, text), NULL);
}

bool dray_cel_mistake_version_text(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_semver v;
    if (!is_call(spot->e, "semver", 1))
        return false;
    dray_cel_expr *argument = spot->e->call.args[0];
    if (is_literal(argument, DRAY_CEL_STRING) &&
        dray_semver_parse(argument->literal.s, false, a->arena, &v, NULL) == DRAY_OK)
        return false;
    dray_cel_expr *made = as_version(a, argument);
    if (made == NULL)
        return false;
    dray_cel_note_add(a, "a version has three numbers, as in semver('" DRAY_FMT "')",
                      DRAY_ARG(made->call.args[0]->literal.s));
    *spot->e = *made;
    return true;
}

static void set_version_call(dray_cel_adviser *a, dray_cel_expr *e, const struct sign *sign,
                             dray_cel_expr *l, dray_cel_expr *r) {
    if (strcmp(sign->text, "<") == 0)
        *e = *dray_cel_node_call(a, "isLessThan", l, r, NULL);
    else if (strcmp(sign->text, ">") == 0)
        *e = *dray_cel_node_call(a, "isGreaterThan", l, r, NULL);
    else
        compare(a, e, l, r);
}

bool dray_cel_mistake_version_operator(dray_cel_adviser *a, dray_cel_spot *spot) {
    const struct sign *sign = comparison_of(spot->e);
    if (sign == NULL)
        return false;
    dray_cel_expr **args = spot->e->call.args;
    dray_cel_expr *v[2] = {args[0], args[1]};
    bool sure[2], is[2] = {is_version(a, args[0], &sure[0]), is_version(a, args[1], &sure[1])};
    if (!is[0] && !is[1])
        return false;
    /* Equality of two versions is right; of what may be a string, too. */
    bool certain = (is[0] && sure[0]) || (is[1] && sure[1]);
    if (is_equality(sign) && ((is[0] && is[1]) || !certain))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (!is[i] && (v[i] = as_version(a, v[i])) == NULL)
            return false;
    if (is_equality(sign))
        dray_cel_note_add(a, "a version never equals a string: it is compared with semver(…)");
    else if (is[0] && is[1])
        dray_cel_note_add(a,
                          "versions have no operator %s: isLessThan(), isGreaterThan() and "
                          "compareTo() compare them",
                          sign->text);
    else
        dray_cel_note_add(a, "a version is compared by its numbers, with semver(…), not as a "
                             "string: '10.0' < '9.0'");
    set_version_call(a, spot->e, sign, v[0], v[1]);
    return true;
}

/* --- arguments and results --- */

static bool is_comparing(dray_str function) {
    return dray_str_is(function, "compareTo") || dray_str_is(function, "isGreaterThan") ||
           dray_str_is(function, "isLessThan");
}

bool dray_cel_mistake_argument_type(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_cel_expr *e = spot->e;
    bool sure;
    if (e->call.target == NULL || e->call.n_args != 1 || !is_comparing(e->call.function))
        return false;
    dray_cel_expr *made = NULL;
    const char *what = "quantity";
    if (is_quantity(a, e->call.target)) {
        made = as_quantity(a, e->call.args[0]);
    } else if (is_version(a, e->call.target, &sure)) {
        made = as_version(a, e->call.args[0]);
        what = "version";
    }
    if (made == NULL)
        return false;
    e->call.args[0] = made;
    dray_cel_note_add(a, "a %s is compared with a %s: " DRAY_FMT "('" DRAY_FMT "')", what, what,
                      DRAY_ARG(made->call.function), DRAY_ARG(made->call.args[0]->literal.s));
    return true;
}

bool dray_cel_mistake_compare_no_bool(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_cel_expr *e = spot->e;
    if (spot->condition != e || e->call.target == NULL || e->call.n_args != 1 ||
        !dray_str_is(e->call.function, "compareTo"))
        return false;
    *e = *dray_cel_node_call(a, "_>=_", NULL, dray_cel_node_copy(a, e), dray_cel_node_int(a, 0));
    dray_cel_note_add(a, "compareTo() gives -1, 0 or 1: >= 0 means \"at least\", == 0 \"equal\"");
    return true;
}

static bool literal_as(dray_cel_adviser *a, const dray_cel_expr *e, uint8_t type,
                       dray_cel_const *ret) {
    if (type == DRAY_CEL_FACT_INT && is_literal(e, DRAY_CEL_STRING)) {
        char *end = NULL;
        dray_str text = dray_str_dup(a->arena, e->literal.s);
        *ret = (dray_cel_const){.kind = DRAY_CEL_INT, .i = strtoll(text.p, &end, 10)};
        return text.n != 0 && *end == '\0' && end == text.p + text.n;
    }
    if (type == DRAY_CEL_FACT_BOOL && is_literal(e, DRAY_CEL_STRING)) {
        *ret = (dray_cel_const){.kind = DRAY_CEL_BOOL, .b = dray_str_is(e->literal.s, "true")};
        return ret->b || dray_str_is(e->literal.s, "false");
    }
    if (type == DRAY_CEL_FACT_BOOL && is_literal(e, DRAY_CEL_INT)) {
        *ret = (dray_cel_const){.kind = DRAY_CEL_BOOL, .b = e->literal.i == 1};
        return e->literal.i == 0 || e->literal.i == 1;
    }
    if (type != DRAY_CEL_FACT_STRING)
        return false;
    ret->kind = DRAY_CEL_STRING;
    if (is_literal(e, DRAY_CEL_INT))
        ret->s = dray_strf(a->arena, "%lld", (long long)e->literal.i);
    else if (is_literal(e, DRAY_CEL_DOUBLE))
        ret->s = dray_strf(a->arena, "%.15g", e->literal.d);
    else if (is_literal(e, DRAY_CEL_BOOL))
        ret->s = e->literal.b ? DRAY_STR("true") : DRAY_STR("false");
    else
        return false;
    return true;
}

/* An int compared with "4" is unequal for ever. */
bool dray_cel_mistake_value_type(dray_cel_adviser *a, dray_cel_spot *spot) {
    static const char *const names[] = {
        [DRAY_CEL_FACT_STRING] = "a string", [DRAY_CEL_FACT_INT] = "an int",
        [DRAY_CEL_FACT_BOOL] = "a bool",     [DRAY_CEL_FACT_VERSION] = "a version",
        [DRAY_CEL_FACT_QUANTITY] = "",
    };
    if (comparison_of(spot->e) == NULL)
        return false;
    for (size_t i = 0; i < 2; i++) {
        dray_str id;
        uint8_t type = fact_type(a, spot->e->call.args[i], &id);
        dray_cel_const meant = {0};
        if (!literal_as(a, spot->e->call.args[1 - i], type, &meant))
            continue;
        spot->e->call.args[1 - i]->literal = meant;
        dray_cel_note_add(a, DRAY_FMT " is %s: what it is compared with must be one too",
                          DRAY_ARG(id), names[type]);
        return true;
    }
    return false;
}

/* The literal that e, == or !=, compares `with` with; NULL: e is no such comparison. */
static dray_cel_expr *compared(dray_cel_expr *e, dray_cel_chain *with) {
    const struct sign *sign = comparison_of(e);
    for (size_t i = 0; i < 2 && sign != NULL && is_equality(sign); i++)
        if (is_literal(e->call.args[1 - i], DRAY_CEL_STRING) &&
            dray_cel_read_chain(e->call.args[i], with) &&
            dray_str_is(with->root->ident.name, "device"))
            return e->call.args[1 - i];
    return NULL;
}

/* device.driver == "gpu.exmaple.com", where devices are known */
bool dray_cel_mistake_driver_unknown(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_cel_chain chain;
    dray_cel_expr *literal = compared(spot->e, &chain);
    if (literal == NULL || chain.n != 1 || !dray_str_is(chain.steps[0].name, "driver") ||
        a->q.n_devices == 0 || dray_map_find(&a->domains, literal->literal.s) != NULL)
        return false;
    dray_str near = dray_cel_domain_near(a, literal->literal.s);
    if (near.p == NULL)
        return false;
    dray_cel_note_add(a, "no device has the driver \"" DRAY_FMT "\": \"" DRAY_FMT "\" is near",
                      DRAY_ARG(literal->literal.s), DRAY_ARG(near));
    literal->literal.s = near;
    return true;
}

/* model == "a100", where devices are known and none matches */
bool dray_cel_mistake_value_unknown(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_cel_chain chain;
    bool capacity;
    dray_cel_expr *literal = compared(spot->e, &chain);
    if (literal == NULL || !dray_cel_is_lookup(&chain, &capacity) || capacity)
        return false;
    dray_str near =
        dray_cel_value_near(a, chain.steps[1].name, chain.steps[2].name, literal->literal.s);
    if (near.p == NULL)
        return false;
    dray_cel_note_add(a,
                      "no device has the " DRAY_FMT " \"" DRAY_FMT "\": \"" DRAY_FMT "\" is near",
                      DRAY_ARG(chain.steps[2].name), DRAY_ARG(literal->literal.s), DRAY_ARG(near));
    literal->literal.s = near;
    return true;
}

/* --- has() --- */

/* "d" in device.attributes; NULL: e is no step into one of the maps. */
static dray_cel_expr *in_map(dray_cel_adviser *a, dray_cel_expr *e) {
    dray_cel_chain chain;
    if (!dray_cel_read_chain(e, &chain) || chain.n != 2 ||
        !dray_str_is(chain.root->ident.name, "device"))
        return NULL;
    dray_cel_expr *map = e->kind == DRAY_CEL_SELECT ? e->select.operand : e->call.args[0];
    return dray_cel_node_call(a, "@in", NULL, dray_cel_node_text(a, chain.steps[1].name), map);
}

/* The outer maps have every domain, as an empty map; members of device are always there. */
bool dray_cel_mistake_has_always_true(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_cel_expr *e = spot->e;
    bool has = is_call(e, "has", 1);
    bool value = e->call.target != NULL && dray_str_is(e->call.function, "hasValue");
    if (!has && !value)
        return false;
    dray_cel_expr *of = has ? e->call.args[0] : e->call.target;
    dray_cel_expr *in = in_map(a, of);
    dray_cel_chain chain;
    if (in != NULL) {
        *e = *in;
        dray_cel_note_add(a, "every domain is there, as an empty map, so this is always true: "
                             "`in` asks for those that the device has");
        return true;
    }
    if (!has || !dray_cel_read_chain(of, &chain) || chain.n > 1 ||
        !dray_str_is(chain.root->ident.name, "device"))
        return false;
    e->kind = DRAY_CEL_LITERAL;
    e->literal = (dray_cel_const){.kind = DRAY_CEL_BOOL, .b = true};
    dray_cel_note_add(a, "every device has " DRAY_FMT ": this is always true",
                      DRAY_ARG(chain.n == 0 ? DRAY_STR("itself") : chain.steps[0].name));
    return true;
}

/* has(m["x"]) is refused, has(m.x) is right. */
bool dray_cel_mistake_has_index(dray_cel_adviser *a, dray_cel_spot *spot) {
    if (!is_call(spot->e, "has", 1) || !is_call(spot->e->call.args[0], "_[_]", 2))
        return false;
    dray_cel_expr *index = spot->e->call.args[0];
    dray_cel_expr *key = index->call.args[1];
    if (!is_literal(key, DRAY_CEL_STRING))
        return false;
    dray_str name = key->literal.s;
    *spot->e = *dray_cel_node_call(a, "@in", NULL, key, index->call.args[0]);
    dray_cel_note_add(a, "has() takes a member, not an index: '" DRAY_FMT "' in … asks for it",
                      DRAY_ARG(name));
    return true;
}

/* --- functions --- */

static const char *const functions[] = {
#define FUNCTION(name_) name_,
#include "explain/cel_advice.def"
#undef FUNCTION
};

static const struct called {
    const char *written, *meant;
} called[] = {
#define CALLED(written_, meant_) {written_, meant_},
#include "explain/cel_advice.def"
#undef CALLED
};

static const char *near_function(dray_str name) {
    const char *found = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < DRAY_COUNT(called); i++)
        if (dray_str_is(name, called[i].written))
            return called[i].meant;
    for (size_t i = 0; i < DRAY_COUNT(functions); i++) {
        dray_str candidate = dray_str_of(functions[i]);
        size_t d = dray_cel_edit_distance(name, candidate);
        if (d < least && dray_cel_is_near(name, candidate)) {
            least = d;
            found = functions[i];
        }
    }
    return found;
}

bool dray_cel_mistake_function_unknown(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_str name = spot->e->call.function;
    char text[128];
    int n = snprintf(text, sizeof text, "undeclared reference to '" DRAY_FMT "'", DRAY_ARG(name));
    if (n < 0 || n >= (int)sizeof text || name.n == 0 || name.p[0] == '_' || name.p[0] == '@' ||
        dray_str_find(a->error, dray_str_n(text, (size_t)n)) == SIZE_MAX)
        return false;
    if (is_call(spot->e, "not", 1)) {
        spot->e->call.function = DRAY_STR("!_");
        dray_cel_note_add(a, "CEL writes !, not not");
        return true;
    }
    const char *meant = near_function(name);
    if (meant == NULL || dray_str_is(name, meant))
        return false;
    dray_cel_note_add(a, "there is no function " DRAY_FMT "(): %s() is meant", DRAY_ARG(name),
                      meant);
    spot->e->call.function = dray_str_of(meant);
    return true;
}
