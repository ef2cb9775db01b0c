/* Environments: rows of libraries resolved into functions, variables and types. */
#include "cel/env_int.h"

#include "cel/cost_int.h"
#include "cel/wellknown_int.h"

/* An overload on its way into a function: parsed already by the parent, or still a row. */
typedef struct pending {
    const dray_cel_row *row;
    const dray_cel_overload *ready;
    bool always_ok;
} pending;

typedef struct pending_function {
    dray_str name;
    DRAY_VEC(pending) overloads;
} pending_function;

typedef struct builder {
    dray_arena *arena;
    dray_cel_env *env;
    dray_map functions; /* → pending_function */
    uint32_t n_overloads;
    uint32_t n_functions;
} builder;

static bool type_is_opaque(void *context, dray_str name) {
    const dray_cel_env *env = context;
    const dray_cel_struct *found = dray_map_find(&env->types, name);
    return found != NULL && found->opaque;
}

static dray_code parse_type(builder *b, const char *text, const dray_cel_type **type,
                            dray_err *err) {
    dray_str s = dray_str_of(text);
    size_t at = 0;
    const dray_cel_type *read;
    dray_code code = dray_cel_type_parse(b->arena, s, &at, type_is_opaque, b->env, &read, err);
    if (code != DRAY_OK)
        return code;
    if (at != s.n)
        return dray_err_set(err, DRAY_E_INVALID, "type \"%s\": text after it at byte %zu", text,
                            at);
    *type = read;
    return DRAY_OK;
}

/* Signatures. */

typedef struct signature {
    const dray_cel_type *params[DRAY_CEL_TYPE_PARAMS + 1];
    const dray_cel_type *result;
    uint8_t n_params;
    bool receiver;
    dray_str vars[DRAY_CEL_TYPE_PARAMS];
    uint8_t n_vars;
} signature;

static bool skip(dray_str text, size_t *at, const char *what) {
    while (*at < text.n && text.p[*at] == ' ')
        ++*at;
    size_t n = strlen(what);
    if (text.n - *at < n || memcmp(text.p + *at, what, n) != 0)
        return false;
    *at += n;
    return true;
}

static dray_code read_params(builder *b, dray_str text, size_t *at, signature *out, dray_err *err) {
    if (!skip(text, at, "("))
        return dray_err_set(err, DRAY_E_INVALID, "expected '(' at byte %zu", *at);
    if (skip(text, at, ")"))
        return DRAY_OK;
    do {
        if (out->n_params == DRAY_COUNT(out->params))
            return dray_err_set(err, DRAY_E_INVALID, "too many parameters");
        dray_code code = dray_cel_type_parse(b->arena, text, at, type_is_opaque, b->env,
                                             &out->params[out->n_params], err);
        if (code != DRAY_OK)
            return code;
        out->n_params++;
    } while (skip(text, at, ","));
    if (!skip(text, at, ")"))
        return dray_err_set(err, DRAY_E_INVALID, "expected ')' at byte %zu", *at);
    return DRAY_OK;
}

static dray_code read_signature(builder *b, dray_str text, signature *out, dray_err *err) {
    size_t at = 0;
    if (text.n != 0 && text.p[0] != '(') {
        dray_code code =
            dray_cel_type_parse(b->arena, text, &at, type_is_opaque, b->env, &out->params[0], err);
        if (code != DRAY_OK)
            return code;
        if (!skip(text, &at, "."))
            return dray_err_set(err, DRAY_E_INVALID, "expected '.' at byte %zu", at);
        out->receiver = true;
        out->n_params = 1;
    }
    dray_code code = read_params(b, text, &at, out, err);
    if (code != DRAY_OK)
        return code;
    if (!skip(text, &at, "->"))
        return dray_err_set(err, DRAY_E_INVALID, "expected '->' at byte %zu", at);
    return dray_cel_type_parse(b->arena, text, &at, type_is_opaque, b->env, &out->result, err);
}

/* The same type with its parameters numbered in the signature's own order. */
static const dray_cel_type *number_vars(builder *b, const dray_cel_type *type, signature *sig) {
    if (type->closed)
        return type;
    if (type->kind != DRAY_CEL_PARAM) {
        dray_cel_type *copy = DRAY_NEW(b->arena, dray_cel_type);
        *copy = *type;
        const dray_cel_type **params = DRAY_NEW_N(b->arena, const dray_cel_type *, type->n_params);
        for (size_t i = 0; i < type->n_params; i++)
            params[i] = number_vars(b, type->params[i], sig);
        copy->params = params;
        return copy;
    }
    uint32_t var = 0;
    while (var < sig->n_vars && !dray_str_eq(sig->vars[var], type->name))
        var++;
    if (var == sig->n_vars && var < DRAY_COUNT(sig->vars))
        sig->vars[sig->n_vars++] = type->name;
    dray_cel_type *copy = DRAY_NEW(b->arena, dray_cel_type);
    *copy = *type;
    copy->var = var + 1;
    return copy;
}

static dray_code resolve_row(builder *b, const dray_cel_row *row, dray_cel_overload *out,
                             dray_err *err) {
    signature sig = {0};
    dray_code code = read_signature(b, dray_str_of(row->signature), &sig, err);
    if (code != DRAY_OK)
        return dray_err_wrap(err, "overload %s of %s, \"%s\"", row->id, row->function,
                             row->signature);
    const dray_cel_type **params = DRAY_NEW_N(b->arena, const dray_cel_type *, sig.n_params);
    /* The result's come first: so they are most often numbered upstream, where the order varies. */
    out->result = number_vars(b, sig.result, &sig);
    for (size_t i = 0; i < sig.n_params; i++)
        params[i] = number_vars(b, sig.params[i], &sig);
    out->row = row;
    out->id = dray_str_of(row->id);
    out->params = params;
    out->n_params = sig.n_params;
    out->receiver = sig.receiver;
    out->n_vars = sig.n_vars;
    out->generic = sig.n_vars != 0;
    return DRAY_OK;
}

/* Functions. */

static dray_code add_pending(builder *b, const char *function, pending item, dray_err *err) {
    dray_str name = dray_str_of(function);
    pending_function *into = dray_map_find(&b->functions, name);
    if (into == NULL) {
        into = DRAY_NEW(b->arena, pending_function);
        into->name = name;
        dray_map_put(&b->functions, name, into);
    }
    for (size_t i = 0; i < into->overloads.n; i++) {
        if (strcmp(into->overloads.v[i].row->id, item.row->id) == 0) {
            into->overloads.v[i] = item;
            return DRAY_OK;
        }
    }
    if (++b->n_overloads > DRAY_CEL_ENV_OVERLOADS)
        return dray_err_set(err, DRAY_E_LIMIT, "more than %d overloads", DRAY_CEL_ENV_OVERLOADS);
    DRAY_PUSH(b->arena, &into->overloads, item);
    return DRAY_OK;
}

static const dray_cel_cost_rule *find_named_rule(const dray_cel_env *env, dray_str name) {
    for (size_t i = env->rule_sets.n; i-- > 0;)
        for (size_t j = env->rule_sets.v[i].n; j-- > 0;)
            if (dray_str_is(name, env->rule_sets.v[i].rules[j].name))
                return &env->rule_sets.v[i].rules[j];
    return NULL;
}

/* The last rule of the last library that names the overload's id, or else its function. */
static const dray_cel_cost_rule *find_cost_rule(const dray_cel_env *env, dray_str id,
                                                dray_str function) {
    const dray_cel_cost_rule *rule = find_named_rule(env, id);
    return rule != NULL ? rule : find_named_rule(env, function);
}

static void note_dotted(builder *b, dray_str name) {
    size_t dot = dray_str_chr(name, '.');
    if (dot != SIZE_MAX)
        dray_map_put(&b->env->dotted, dray_str_slice(name, 0, dot), b->env);
}

/* Compares an int, uint or double with another of them. */
static bool orders_across(const dray_cel_overload *overload, dray_str function) {
    static const char *const names[] = {"_<_", "_<=_", "_>_", "_>=_"};
    bool found = false;
    for (size_t i = 0; i < DRAY_COUNT(names); i++)
        found = found || dray_str_is(function, names[i]);
    return found && overload->n_params == 2 &&
           overload->params[0]->kind != overload->params[1]->kind;
}

static dray_code finish_function(builder *b, const pending_function *from, dray_err *err) {
    dray_cel_function *function = DRAY_NEW(b->arena, dray_cel_function);
    dray_cel_overload *overloads = DRAY_NEW_N(b->arena, dray_cel_overload, from->overloads.n);
    function->name = from->name;
    function->overloads = overloads;
    function->n_overloads = (uint32_t)from->overloads.n;
    function->index = b->env->n_functions++;
    for (size_t i = 0; i < from->overloads.n; i++) {
        const pending *item = &from->overloads.v[i];
        dray_cel_overload *out = &overloads[i];
        if (item->ready != NULL) {
            *out = *item->ready;
        } else {
            dray_code code = resolve_row(b, item->row, out, err);
            if (code != DRAY_OK)
                return code;
        }
        out->always_ok = item->always_ok;
        b->env->some_always_ok |= item->always_ok;
        out->across = orders_across(out, from->name);
        out->function = function;
        out->index = b->env->n_overloads++;
        out->cost_rule = find_cost_rule(b->env, out->id, function->name);
        out->base_rule = dray_cel_cost_base_rule(out->id);
        dray_map_put(&b->env->overloads, out->id, out);
    }
    dray_map_put(&b->env->functions, function->name, function);
    note_dotted(b, function->name);
    return DRAY_OK;
}

/* Types and variables. */

static dray_code add_variable(builder *b, const dray_cel_variable_row *row, dray_err *err) {
    dray_cel_variable *variable = DRAY_NEW(b->arena, dray_cel_variable);
    variable->name = dray_str_of(row->name);
    variable->bounds = row->bounds;
    dray_code code = parse_type(b, row->type, &variable->type, err);
    if (code != DRAY_OK)
        return dray_err_wrap(err, "variable %s", row->name);
    const dray_cel_variable *old = dray_map_find(&b->env->variables, variable->name);
    variable->index = old != NULL ? old->index : b->env->n_variables++;
    dray_map_put(&b->env->variables, variable->name, variable);
    return DRAY_OK;
}

/* A struct's name is an expression, too. */
static dray_code name_struct(builder *b, const dray_cel_type_row *row, dray_err *err) {
    if (row->opaque || dray_map_find(&b->env->variables, dray_str_of(row->name)) != NULL)
        return DRAY_OK;
    dray_str type = dray_strf(b->arena, "type(%s)", row->name);
    dray_cel_variable_row name = {.name = row->name, .type = type.p};
    return add_variable(b, &name, err);
}

/* Names first, so that fields may be of types declared later. */
static void name_type(builder *b, const dray_cel_type_row *row) {
    dray_cel_struct *type = DRAY_NEW(b->arena, dray_cel_struct);
    type->name = dray_str_of(row->name);
    type->opaque = row->opaque;
    dray_map_put(&b->env->types, type->name, type);
}

static dray_code add_fields(builder *b, const dray_cel_type_row *row, dray_err *err) {
    dray_cel_struct *type = dray_map_find(&b->env->types, dray_str_of(row->name));
    dray_cel_field *fields = DRAY_NEW_N(b->arena, dray_cel_field, row->n_fields);
    for (size_t i = 0; i < row->n_fields; i++) {
        fields[i].name = dray_str_of(row->fields[i].name);
        dray_code code = parse_type(b, row->fields[i].type, &fields[i].type, err);
        if (code != DRAY_OK)
            return dray_err_wrap(err, "field %s of %s", row->fields[i].name, row->name);
    }
    type->fields = fields;
    type->n_fields = row->n_fields;
    return DRAY_OK;
}

static dray_code add_declarations(builder *b, const dray_cel_library *lib, dray_err *err) {
    dray_code code = DRAY_OK;
    for (size_t i = 0; i < lib->n_types; i++)
        name_type(b, &lib->types[i]);
    for (size_t i = 0; i < lib->n_types && code == DRAY_OK; i++)
        code = add_fields(b, &lib->types[i], err);
    for (size_t i = 0; i < lib->n_types && code == DRAY_OK; i++)
        code = name_struct(b, &lib->types[i], err);
    for (size_t i = 0; i < lib->n_variables && code == DRAY_OK; i++)
        code = add_variable(b, &lib->variables[i], err);
    for (size_t i = 0; i < lib->n_rows && code == DRAY_OK; i++)
        code = add_pending(b, lib->rows[i].function, (pending){&lib->rows[i], NULL, lib->always_ok},
                           err);
    return code;
}

static dray_code add_library(builder *b, const dray_cel_library *lib, dray_err *err) {
    b->env->macros |= lib->macros;
    b->env->validate_format |= lib->validate_format;
    if (lib->n_cost_rules != 0) {
        dray_cel_rule_set set = {lib->cost_rules, lib->n_cost_rules};
        DRAY_PUSH(b->arena, &b->env->rule_sets, set);
    }
    dray_code code = add_declarations(b, lib, err);
    return code == DRAY_OK ? code : dray_err_wrap(err, "library %s", lib->name);
}

static dray_code inherit(builder *b, const dray_cel_env *parent, dray_err *err) {
    b->env->macros = parent->macros;
    b->env->validate_format = parent->validate_format;
    b->env->n_variables = parent->n_variables;
    for (uint32_t i = 0; i < parent->types.n; i++)
        dray_map_put(&b->env->types, parent->types.entries[i].key, parent->types.entries[i].value);
    for (uint32_t i = 0; i < parent->variables.n; i++)
        dray_map_put(&b->env->variables, parent->variables.entries[i].key,
                     parent->variables.entries[i].value);
    for (size_t i = 0; i < parent->rule_sets.n; i++)
        DRAY_PUSH(b->arena, &b->env->rule_sets, parent->rule_sets.v[i]);
    for (uint32_t i = 0; i < parent->functions.n; i++) {
        const dray_cel_function *function = parent->functions.entries[i].value;
        for (uint32_t j = 0; j < function->n_overloads; j++) {
            const dray_cel_overload *overload = &function->overloads[j];
            dray_code code =
                add_pending(b, overload->row->function,
                            (pending){overload->row, overload, overload->always_ok}, err);
            if (code != DRAY_OK)
                return code;
        }
    }
    return DRAY_OK;
}

dray_code dray_cel_env_new(dray_arena *arena, const dray_cel_env *parent,
                           const dray_cel_options *options,
                           const dray_cel_library *const *libraries, size_t n_libraries,
                           dray_cel_env **env, dray_err *err) {
    dray_cel_env *made = DRAY_NEW(arena, dray_cel_env);
    made->options = *options;
    made->container = dray_str_of(options->container != NULL ? options->container : "");
    made->functions = dray_map_new(arena);
    made->overloads = dray_map_new(arena);
    made->variables = dray_map_new(arena);
    made->types = dray_map_new(arena);
    made->dotted = dray_map_new(arena);
    builder b = {.arena = arena, .env = made, .functions = dray_map_new(arena)};
    dray_code code =
        parent != NULL ? inherit(&b, parent, err) : add_library(&b, &dray_cel_lib_well_known, err);
    for (size_t i = 0; i < n_libraries && code == DRAY_OK; i++)
        code = add_library(&b, libraries[i], err);
    for (uint32_t i = 0; i < b.functions.n && code == DRAY_OK; i++)
        code = finish_function(&b, b.functions.entries[i].value, err);
    for (uint32_t i = 0; i < made->variables.n; i++)
        note_dotted(&b, made->variables.entries[i].key);
    if (code == DRAY_OK)
        *env = made;
    return code;
}

const dray_cel_options *dray_cel_env_options(const dray_cel_env *env) {
    return &env->options;
}

uint32_t dray_cel_env_macros(const dray_cel_env *env) {
    return env->options.no_macros ? 0 : env->macros;
}

const dray_cel_function *dray_cel_env_function(const dray_cel_env *env, dray_str name) {
    return dray_map_find(&env->functions, name);
}

const dray_cel_function *dray_cel_env_function_at(const dray_cel_env *env, uint32_t index) {
    return env->functions.entries[index].value;
}

const dray_cel_variable *dray_cel_env_variable(const dray_cel_env *env, dray_str name) {
    return dray_map_find(&env->variables, name);
}

const dray_cel_overload *dray_cel_env_overload(const dray_cel_env *env, dray_str id) {
    return dray_map_find(&env->overloads, id);
}

uint32_t dray_cel_env_n_variables(const dray_cel_env *env) {
    return env->n_variables;
}

uint32_t dray_cel_env_n_overloads(const dray_cel_env *env) {
    return env->n_overloads;
}

uint32_t dray_cel_env_n_functions(const dray_cel_env *env) {
    return env->n_functions;
}

bool dray_cel_env_has_struct(const dray_cel_env *env, dray_str name) {
    const dray_cel_struct *type = dray_map_find(&env->types, name);
    return type != NULL && !type->opaque;
}

const dray_cel_field *dray_cel_env_field(const dray_cel_env *env, dray_str type, dray_str field) {
    const dray_cel_struct *found = dray_map_find(&env->types, type);
    for (size_t i = 0; found != NULL && i < found->n_fields; i++)
        if (dray_str_eq(found->fields[i].name, field))
            return &found->fields[i];
    return NULL;
}

size_t dray_cel_env_candidates(const dray_cel_env *env, dray_arena *arena, dray_str name,
                               dray_str out[DRAY_CEL_CANDIDATES]) {
    size_t n = 0;
    if (name.n != 0 && name.p[0] == '.') {
        out[n++] = dray_str_slice(name, 1, name.n);
        return n;
    }
    dray_str prefix = env->container;
    while (prefix.n != 0 && n + 1 < DRAY_CEL_CANDIDATES) {
        out[n++] = dray_strf(arena, DRAY_FMT "." DRAY_FMT, DRAY_ARG(prefix), DRAY_ARG(name));
        size_t dot = dray_str_rchr(prefix, '.');
        prefix = dray_str_slice(prefix, 0, dot == SIZE_MAX ? 0 : dot);
    }
    out[n++] = name;
    return n;
}
