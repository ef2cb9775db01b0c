/* Mistakes in what is looked up on a device: domains, names, the two maps. */
#include "explain/cel_advice_int.h"

#include <stdio.h>

static const char *map_word(bool capacity) {
    return capacity ? "capacity" : "attribute";
}

/* --- chains and makers --- */

static bool text_of(const dray_cel_expr *e, dray_str *ret) {
    if (e->kind != DRAY_CEL_LITERAL || e->literal.kind != DRAY_CEL_STRING)
        return false;
    *ret = e->literal.s;
    return true;
}

/* The last step of e, and what it is taken from. */
static dray_cel_expr *last_step(dray_cel_expr *e, dray_cel_step *ret) {
    *ret = (dray_cel_step){0};
    if (e->kind == DRAY_CEL_SELECT) {
        ret->name = e->select.field;
        return e->select.operand;
    }
    if (e->kind != DRAY_CEL_CALL || e->call.target != NULL || e->call.n_args != 2)
        return NULL;
    ret->optional = dray_str_is(e->call.function, "_?._") || dray_str_is(e->call.function, "_[?_]");
    bool step = ret->optional || dray_str_is(e->call.function, "_[_]");
    return step && text_of(e->call.args[1], &ret->name) ? e->call.args[0] : NULL;
}

bool dray_cel_read_chain(dray_cel_expr *e, dray_cel_chain *ret) {
    dray_cel_step steps[DRAY_CEL_STEPS];
    size_t n = 0;
    while (e->kind != DRAY_CEL_IDENT) {
        if (n == DRAY_CEL_STEPS)
            return false;
        e = last_step(e, &steps[n++]);
        if (e == NULL)
            return false;
    }
    ret->root = e;
    ret->n = n;
    for (size_t i = 0; i < n; i++)
        ret->steps[i] = steps[n - 1 - i];
    return true;
}

static bool is_device(const dray_cel_chain *chain) {
    return dray_str_is(chain->root->ident.name, "device");
}

/* device.attributes… or device.capacity… */
static bool is_map(const dray_cel_chain *chain, bool *capacity) {
    if (!is_device(chain) || chain->n == 0)
        return false;
    *capacity = dray_str_is(chain->steps[0].name, "capacity");
    return *capacity || dray_str_is(chain->steps[0].name, "attributes");
}

bool dray_cel_is_lookup(const dray_cel_chain *chain, bool *capacity) {
    return chain->n == 3 && is_map(chain, capacity);
}

dray_cel_expr *dray_cel_node_text(dray_cel_adviser *a, dray_str s) {
    dray_cel_expr *e = DRAY_NEW(a->arena, dray_cel_expr);
    e->kind = DRAY_CEL_LITERAL;
    e->literal = (dray_cel_const){.kind = DRAY_CEL_STRING, .s = s};
    return e;
}

dray_cel_expr *dray_cel_node_int(dray_cel_adviser *a, int64_t i) {
    dray_cel_expr *e = DRAY_NEW(a->arena, dray_cel_expr);
    e->kind = DRAY_CEL_LITERAL;
    e->literal = (dray_cel_const){.kind = DRAY_CEL_INT, .i = i};
    return e;
}

dray_cel_expr *dray_cel_node_call(dray_cel_adviser *a, const char *function, dray_cel_expr *target,
                                  dray_cel_expr *x, dray_cel_expr *y) {
    dray_cel_expr *e = DRAY_NEW(a->arena, dray_cel_expr);
    e->kind = DRAY_CEL_CALL;
    e->call.function = dray_str_of(function);
    e->call.target = target;
    e->call.args = DRAY_NEW_N(a->arena, dray_cel_expr *, 2);
    e->call.args[0] = x;
    e->call.args[1] = y;
    e->call.n_args = x == NULL ? 0 : y == NULL ? 1 : 2;
    return e;
}

dray_cel_expr *dray_cel_node_copy(dray_cel_adviser *a, const dray_cel_expr *e) {
    dray_cel_expr *copy = DRAY_NEW(a->arena, dray_cel_expr);
    *copy = *e;
    return copy;
}

static dray_cel_expr *put_select(dray_cel_adviser *a, dray_cel_expr *operand, dray_str field) {
    dray_cel_expr *e = DRAY_NEW(a->arena, dray_cel_expr);
    e->kind = DRAY_CEL_SELECT;
    e->select.operand = operand;
    e->select.field = field;
    return e;
}

static bool is_identifier(dray_str s) {
    bool ok = s.n != 0 && !(s.p[0] >= '0' && s.p[0] <= '9');
    for (size_t i = 0; i < s.n; i++)
        ok = ok && (s.p[i] == '_' || (s.p[i] >= '0' && s.p[i] <= '9') ||
                    (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z'));
    return ok && !dray_str_is(s, "in") && !dray_str_is(s, "true") && !dray_str_is(s, "false") &&
           !dray_str_is(s, "null");
}

static dray_cel_expr *put_step(dray_cel_adviser *a, dray_cel_expr *e, dray_cel_step step) {
    bool name = is_identifier(step.name);
    if (name && !step.optional)
        return put_select(a, e, step.name);
    return dray_cel_node_call(a,
                              name            ? "_?._"
                              : step.optional ? "_[?_]"
                                              : "_[_]",
                              NULL, e, dray_cel_node_text(a, step.name));
}

static dray_cel_expr *device(dray_cel_adviser *a, const char *member) {
    dray_cel_expr *e = DRAY_NEW(a->arena, dray_cel_expr);
    e->kind = DRAY_CEL_IDENT;
    e->ident.name = DRAY_STR("device");
    return member != NULL ? put_select(a, e, dray_str_of(member)) : e;
}

static void put_rest(dray_cel_adviser *a, dray_cel_spot *spot, dray_cel_expr *e, size_t rest) {
    for (size_t i = rest; i < spot->chain.n; i++)
        e = put_step(a, e, spot->chain.steps[i]);
    *spot->e = *e;
}

void dray_cel_set_lookup(dray_cel_adviser *a, dray_cel_spot *spot, bool capacity, dray_str domain,
                         dray_str id, size_t rest) {
    bool optional = false;
    for (size_t i = 0; i < rest && i < spot->chain.n; i++)
        optional |= spot->chain.steps[i].optional;
    dray_cel_expr *e =
        dray_cel_node_call(a, "_[_]", NULL, device(a, capacity ? "capacity" : "attributes"),
                           dray_cel_node_text(a, domain));
    put_rest(a, spot, put_step(a, e, (dray_cel_step){id, optional}), rest);
}

void dray_cel_set_member(dray_cel_adviser *a, dray_cel_spot *spot, const char *member,
                         size_t rest) {
    put_rest(a, spot, device(a, member), rest);
}

static bool is_suffix(dray_str name) {
    static const char *const suffixes[] = {
#define SUFFIX(word_) word_,
#include "explain/cel_advice.def"
#undef SUFFIX
    };
    for (size_t i = 0; i < DRAY_COUNT(suffixes); i++)
        if (dray_str_is(name, suffixes[i]))
            return true;
    return false;
}

/* --- identifiers --- */

bool dray_cel_mistake_whole_is_string(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_str inner;
    dray_cel_ast *ast;
    if (!text_of(a->ast->root, &inner) || dray_str_find(inner, DRAY_STR("device")) == SIZE_MAX ||
        !dray_cel_advice_parses(a, inner, &ast))
        return false;
    a->ast = ast;
    a->single_quotes = dray_str_chr(inner, '"') == SIZE_MAX;
    dray_cel_note_add(a, "the whole expression is a string: its outer quotes are too many");
    return true;
}

bool dray_cel_mistake_literal_case(dray_cel_adviser *a, dray_cel_spot *spot) {
    static const struct {
        const char *written, *meant;
        bool truth;
    } literals[] = {{"True", "true", true},
                    {"TRUE", "true", true},
                    {"False", "false", false},
                    {"FALSE", "false", false}};
    for (size_t i = 0; i < DRAY_COUNT(literals); i++) {
        if (!dray_str_is(spot->e->ident.name, literals[i].written))
            continue;
        spot->e->kind = DRAY_CEL_LITERAL;
        spot->e->literal = (dray_cel_const){.kind = DRAY_CEL_BOOL, .b = literals[i].truth};
        dray_cel_note_add(a, "CEL writes %s, not %s", literals[i].meant, literals[i].written);
        return true;
    }
    return false;
}

static const char *const members[] = {"driver", "attributes", "capacity",
                                      "allowMultipleAllocations"};

static const char *near_member(dray_str name) {
    const char *found = NULL;
    if (dray_str_is(name, "capacities"))
        return "capacity";
    for (size_t i = 0; i < DRAY_COUNT(members); i++)
        if (dray_cel_is_near(name, dray_str_of(members[i])))
            found = members[i];
    return found;
}

static bool is_undeclared(const dray_cel_adviser *a, dray_str name) {
    char text[128];
    int n = snprintf(text, sizeof text, "undeclared reference to '" DRAY_FMT "'", DRAY_ARG(name));
    return n > 0 && n < (int)sizeof text &&
           dray_str_find(a->error, dray_str_n(text, (size_t)n)) != SIZE_MAX;
}

bool dray_cel_mistake_device_missing(dray_cel_adviser *a, dray_cel_spot *spot) {
    dray_str name = spot->chain.root->ident.name;
    if (dray_str_is(name, "device") || dray_cel_is_local(a, name) || !is_undeclared(a, name))
        return false;
    if (dray_cel_is_near(name, DRAY_STR("device")) && spot->chain.n != 0) {
        put_rest(a, spot, device(a, NULL), 0);
        dray_cel_note_add(a, "the variable is called device, not " DRAY_FMT, DRAY_ARG(name));
        return true;
    }
    const char *member = near_member(name);
    if (member != NULL) {
        dray_cel_set_member(a, spot, member, 0);
        dray_cel_note_add(a, "selectors know one variable, device: device.%s", member);
        return true;
    }
    dray_str id = spot->chain.n == 0 ? name : spot->chain.steps[spot->chain.n - 1].name;
    const dray_cel_fact *fact = dray_cel_fact_named(a, false, id);
    if (fact == NULL &&
        (fact = dray_cel_fact_near(a, false, dray_cel_domain_likely(a), id)) == NULL)
        return false;
    dray_cel_set_lookup(a, spot, fact->capacity, fact->domain, fact->id, spot->chain.n);
    dray_cel_note_add(a, "selectors know one variable, device: " DRAY_FMT " is %s %s of it",
                      DRAY_ARG(fact->id), fact->capacity ? "a" : "an", map_word(fact->capacity));
    return true;
}

/* device.model, device.attribute["d"].x */
bool dray_cel_mistake_device_member(dray_cel_adviser *a, dray_cel_spot *spot) {
    if (!is_device(&spot->chain) || spot->chain.n == 0 || a->error.p == NULL)
        return false;
    dray_str name = spot->chain.steps[0].name;
    for (size_t i = 0; i < DRAY_COUNT(members); i++)
        if (dray_str_is(name, members[i]))
            return false;
    const char *member = near_member(name);
    if (member != NULL) {
        dray_cel_set_member(a, spot, member, 1);
        dray_cel_note_add(a, "a device has %s, not " DRAY_FMT, member, DRAY_ARG(name));
        return true;
    }
    const dray_cel_fact *fact = dray_cel_fact_named(a, false, name);
    if (fact == NULL)
        fact = dray_cel_fact_near(a, false, dray_cel_domain_likely(a), name);
    if (fact == NULL)
        return false;
    dray_cel_set_lookup(a, spot, fact->capacity, fact->domain, fact->id, 1);
    dray_cel_note_add(a,
                      DRAY_FMT " is %s %s: it stands in device.%s, below its domain, as a rule the "
                               "driver's name",
                      DRAY_ARG(fact->id), fact->capacity ? "a" : "an", map_word(fact->capacity),
                      fact->capacity ? "capacity" : "attributes");
    return true;
}

/* --- domains --- */

/* device.attributes.gpu.nvidia.com.model */
bool dray_cel_mistake_domain_dotted(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    if (!is_map(&spot->chain, &capacity) || spot->chain.n < 4)
        return false;
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    for (size_t i = 1; i + 1 < spot->chain.n; i++) {
        if (i > 1)
            dray_buf_putc(&text, '.');
        dray_buf_str_add(&text, spot->chain.steps[i].name);
        dray_str domain = dray_buf_str(&text);
        if (i == 1 || dray_map_find(&a->domains, domain) == NULL)
            continue;
        domain = dray_str_dup(a->arena, domain);
        dray_cel_set_lookup(a, spot, capacity, domain, spot->chain.steps[i + 1].name, i + 2);
        dray_cel_note_add(a, "a domain has dots: it is an index in quotes, ['" DRAY_FMT "']",
                          DRAY_ARG(domain));
        return true;
    }
    return false;
}

/* device.attributes["gpu.nvidia.com/model"] */
bool dray_cel_mistake_domain_and_name(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    dray_str domain, id;
    if (!is_map(&spot->chain, &capacity) || spot->chain.n < 2 ||
        !dray_str_cut(spot->chain.steps[1].name, '/', &domain, &id))
        return false;
    dray_cel_set_lookup(a, spot, capacity, domain, id, 2);
    dray_cel_note_add(a, "domain and name are two steps in CEL: ['" DRAY_FMT "']." DRAY_FMT,
                      DRAY_ARG(domain), DRAY_ARG(id));
    return true;
}

/* device.attributes["memory"], device.attributes["model"].x */
bool dray_cel_mistake_domain_is_name(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    if (!is_map(&spot->chain, &capacity) || spot->chain.n < 2)
        return false;
    dray_str written = spot->chain.steps[1].name;
    if (dray_map_find(&a->domains, written) != NULL || dray_str_chr(written, '.') != SIZE_MAX)
        return false;
    const dray_cel_fact *fact = dray_cel_fact_named(a, capacity, written);
    if (fact == NULL)
        fact = dray_cel_fact_near(a, capacity, dray_cel_domain_likely(a), written);
    if (fact == NULL && (spot->chain.n != 2 || a->error.p == NULL || spot->tested))
        return false;
    dray_str domain = fact != NULL ? fact->domain : dray_cel_domain_likely(a);
    bool to = fact != NULL ? fact->capacity : capacity;
    /* What stands behind a value's name is none of its members. */
    dray_cel_set_lookup(a, spot, to, domain, fact != NULL ? fact->id : written, spot->chain.n);
    dray_cel_note_add(a,
                      "the index is a domain, as a rule the driver's name, and \"" DRAY_FMT
                      "\" is a name: ['" DRAY_FMT "']." DRAY_FMT,
                      DRAY_ARG(written), DRAY_ARG(domain),
                      DRAY_ARG(fact != NULL ? fact->id : written));
    if (to != capacity)
        dray_cel_note_add(a, DRAY_FMT " is %s %s, not %s %s", DRAY_ARG(fact->id), to ? "a" : "an",
                          map_word(to), to ? "an" : "a", map_word(capacity));
    return true;
}

bool dray_cel_mistake_domain_unknown(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    if (!is_map(&spot->chain, &capacity) || spot->chain.n < 2)
        return false;
    dray_str written = spot->chain.steps[1].name;
    if (dray_map_find(&a->domains, written) != NULL)
        return false;
    dray_str near = dray_cel_domain_near(a, written);
    /* Without devices a domain that is not known may well be right. */
    if (near.p == NULL || (a->q.n_devices == 0 && dray_str_chr(written, '.') != SIZE_MAX &&
                           dray_cel_edit_distance(written, near) > 2))
        return false;
    if (spot->chain.n >= 3)
        dray_cel_set_lookup(a, spot, capacity, near, spot->chain.steps[2].name, 3);
    else
        *spot->e = *dray_cel_node_call(a, spot->chain.steps[1].optional ? "_[?_]" : "_[_]", NULL,
                                       device(a, capacity ? "capacity" : "attributes"),
                                       dray_cel_node_text(a, near));
    dray_cel_note_add(a, "no device has the domain \"" DRAY_FMT "\": \"" DRAY_FMT "\" is near",
                      DRAY_ARG(written), DRAY_ARG(near));
    return true;
}

/* --- names --- */

/* device.attributes["d"].x.string */
bool dray_cel_mistake_value_suffix(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    const dray_cel_chain *chain = &spot->chain;
    if (!is_map(chain, &capacity) || chain->n != 4 || !is_suffix(chain->steps[3].name))
        return false;
    dray_str suffix = chain->steps[3].name;
    dray_cel_set_lookup(a, spot, capacity, chain->steps[1].name, chain->steps[2].name, 4);
    dray_cel_note_add(a, "in CEL an attribute is its value: there is no ." DRAY_FMT " behind it",
                      DRAY_ARG(suffix));
    return true;
}

/* memory is a capacity, model an attribute. */
bool dray_cel_mistake_other_map(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    const dray_cel_chain *chain = &spot->chain;
    if (!is_map(chain, &capacity) || chain->n < 3)
        return false;
    dray_str domain = chain->steps[1].name, id = chain->steps[2].name;
    const dray_cel_fact *other = dray_cel_fact_find(a, !capacity, domain, id);
    if (other == NULL || dray_cel_fact_find(a, capacity, domain, id) != NULL)
        return false;
    dray_cel_set_lookup(a, spot, !capacity, domain, id, 3);
    dray_cel_note_add(a, DRAY_FMT " is %s %s of " DRAY_FMT " devices, not %s %s", DRAY_ARG(id),
                      capacity ? "an" : "a", map_word(!capacity), DRAY_ARG(domain),
                      capacity ? "a" : "an", map_word(capacity));
    return true;
}

bool dray_cel_mistake_attribute_unknown(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    const dray_cel_chain *chain = &spot->chain;
    if (!is_map(chain, &capacity) || chain->n < 3)
        return false;
    dray_str domain = chain->steps[1].name, id = chain->steps[2].name;
    if (dray_cel_fact_find(a, capacity, domain, id) != NULL ||
        dray_map_find(&a->domains, domain) == NULL)
        return false;
    const dray_cel_fact *near = dray_cel_fact_near(a, capacity, domain, id);
    if (near == NULL)
        near = dray_cel_fact_named(a, capacity, id);
    if (near == NULL || (near->n == 0 && a->q.n_devices != 0))
        return false;
    dray_cel_set_lookup(a, spot, near->capacity, near->domain, near->id, 3);
    if (dray_str_eq(near->domain, domain))
        dray_cel_note_add(a, DRAY_FMT " devices have no %s " DRAY_FMT ": %s " DRAY_FMT " is meant",
                          DRAY_ARG(domain), map_word(capacity), DRAY_ARG(id),
                          map_word(near->capacity), DRAY_ARG(near->id));
    else
        dray_cel_note_add(a, DRAY_FMT " stands in the domain " DRAY_FMT ", not in " DRAY_FMT,
                          DRAY_ARG(id), DRAY_ARG(near->domain), DRAY_ARG(domain));
    return true;
}

/* An attribute that only some devices have makes the others errors. */
bool dray_cel_mistake_attribute_optional(dray_cel_adviser *a, dray_cel_spot *spot) {
    bool capacity;
    const dray_cel_chain *chain = &spot->chain;
    if (!dray_cel_is_lookup(chain, &capacity) || spot->tested || spot->condition == NULL ||
        chain->steps[1].optional || chain->steps[2].optional ||
        !dray_str_eq(chain->steps[2].name, a->lacking))
        return false;
    size_t have = dray_cel_adviser_count(a, capacity, chain->steps[1].name, a->lacking);
    dray_cel_expr *guard = dray_cel_node_call(a, "has", NULL, dray_cel_node_copy(a, spot->e), NULL);
    *spot->condition =
        *dray_cel_node_call(a, "_&&_", NULL, guard, dray_cel_node_copy(a, spot->condition));
    if (have == 0)
        dray_cel_note_add(a,
                          "no device has the %s " DRAY_FMT " in the domain " DRAY_FMT
                          ": reading it is an error, which stops allocation; has() asks first",
                          map_word(capacity), DRAY_ARG(a->lacking), DRAY_ARG(chain->steps[1].name));
    else
        dray_cel_note_add(a,
                          "only %zu of %zu devices have the %s " DRAY_FMT
                          ": reading it on another is an error, which stops allocation; has() "
                          "asks first",
                          have, a->q.n_devices, map_word(capacity), DRAY_ARG(a->lacking));
    return true;
}
