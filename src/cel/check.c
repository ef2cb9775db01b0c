/* The type checker: names, overloads, and the type of every node. */
#include "cel/check_int.h"

#include "cel/unify_int.h"

typedef struct local {
    dray_str name;
    const dray_cel_type *type;
} local;

typedef struct checker {
    dray_cel_unifier u;
    const dray_cel_env *env;
    const dray_cel_ast *ast;
    dray_arena *arena;
    dray_cel_issues *issues;
    DRAY_VEC(local) locals; /* innermost last */
    bool folded;            /* a comprehension has been met: cel-go forgets same_type_order then */
    dray_buf left, right;   /* for texts of types */
} checker;

static void check(checker *c, dray_cel_expr *e);

/* Errors. */

static uint32_t offset_of(const checker *c, uint32_t id) {
    return c->ast->offsets[id];
}

static const char *text_of(dray_buf *into, const dray_cel_type *type) {
    dray_buf_clear(into);
    dray_cel_type_error_text(into, type);
    return dray_buf_cstr(into);
}

static void mismatch(checker *c, uint32_t id, const dray_cel_type *expected,
                     const dray_cel_type *found) {
    dray_cel_issue_add(c->issues, offset_of(c, id), "expected type '%s' but found '%s'",
                       text_of(&c->left, expected), text_of(&c->right, found));
}

static void undeclared(checker *c, const dray_cel_expr *e, dray_str name) {
    dray_cel_issue_add(c->issues, offset_of(c, e->id),
                       "undeclared reference to '" DRAY_FMT "' (in container '" DRAY_FMT "')",
                       DRAY_ARG(name), DRAY_ARG(c->env->container));
}

static void no_overload(checker *c, const dray_cel_expr *e, dray_str function, bool receiver,
                        const dray_cel_type *const *args, size_t n) {
    dray_buf_clear(&c->left);
    if (receiver) {
        dray_cel_type_error_text(&c->left, dray_cel_unify_resolve(&c->u, args[0], true));
        dray_buf_putc(&c->left, '.');
    }
    dray_buf_putc(&c->left, '(');
    for (size_t i = receiver; i < n; i++) {
        if (i > receiver)
            dray_buf_puts(&c->left, ", ");
        dray_cel_type_error_text(&c->left, dray_cel_unify_resolve(&c->u, args[i], true));
    }
    dray_buf_putc(&c->left, ')');
    dray_cel_issue_add(c->issues, offset_of(c, e->id),
                       "found no matching overload for '" DRAY_FMT "' applied to '%s'",
                       DRAY_ARG(function), dray_buf_cstr(&c->left));
}

/* Names. */

static const local *find_local(const checker *c, dray_str name) {
    for (size_t i = c->locals.n; i-- > 0;)
        if (dray_str_eq(c->locals.v[i].name, name))
            return &c->locals.v[i];
    return NULL;
}

static void declare_local(checker *c, dray_str name, const dray_cel_type *type) {
    local added = {name, type};
    DRAY_PUSH(c->arena, &c->locals, added);
}

static const dray_cel_variable *find_variable(checker *c, dray_str name, bool global) {
    if (global)
        return dray_cel_env_variable(c->env, name);
    if (c->env->container.n == 0)
        return dray_cel_env_variable(c->env, name);
    dray_str names[DRAY_CEL_CANDIDATES];
    size_t n = dray_cel_env_candidates(c->env, c->arena, name, names);
    for (size_t i = 0; i < n; i++) {
        const dray_cel_variable *found = dray_cel_env_variable(c->env, names[i]);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static const dray_cel_function *find_function(checker *c, dray_str name) {
    const dray_cel_function *found = NULL;
    if (c->env->container.n == 0 && (name.n == 0 || name.p[0] != '.'))
        return dray_cel_env_function(c->env, name);
    dray_str names[DRAY_CEL_CANDIDATES];
    size_t n = dray_cel_env_candidates(c->env, c->arena, name, names);
    for (size_t i = 0; i < n && found == NULL; i++)
        found = dray_cel_env_function(c->env, names[i]);
    return found;
}

static void become_ident(dray_cel_expr *e, dray_str name, bool global,
                         const dray_cel_variable *variable, const dray_cel_type *type) {
    e->kind = DRAY_CEL_IDENT;
    e->ident.name = name;
    e->ident.global = global;
    e->ident.variable = variable;
    e->type = type;
}

static void check_ident(checker *c, dray_cel_expr *e) {
    dray_str name = e->ident.name;
    const local *own = find_local(c, name);
    bool old = c->env->options.profile < DRAY_CEL_029;
    if (own != NULL && (old || !e->ident.global)) {
        become_ident(e, name, false, NULL, own->type);
        return;
    }
    const dray_cel_variable *variable = find_variable(c, name, e->ident.global);
    if (variable != NULL) {
        become_ident(e, variable->name, own != NULL, variable, variable->type);
        return;
    }
    if (e->ident.global)
        name = dray_strf(c->arena, "." DRAY_FMT, DRAY_ARG(name));
    undeclared(c, e, name);
    e->type = &dray_cel_error;
}

/* The name at the root of a chain of selections; NULL when it starts with anything else. */
static const dray_cel_expr *root_of(const dray_cel_expr *e) {
    while (e->kind == DRAY_CEL_SELECT && !e->select.test_only)
        e = e->select.operand;
    return e->kind == DRAY_CEL_IDENT ? e : NULL;
}

bool dray_cel_qualified_name(const dray_cel_expr *e, dray_arena *arena, dray_str *name) {
    const dray_cel_expr *root = root_of(e);
    if (root == NULL)
        return false;
    size_t n = root->ident.name.n;
    for (const dray_cel_expr *s = e; s != root; s = s->select.operand)
        n += 1 + s->select.field.n;
    char *text = dray_arena_bytes(arena, n);
    *name = dray_str_n(text, n);
    for (const dray_cel_expr *s = e; s != root; s = s->select.operand) {
        n -= s->select.field.n;
        memcpy(text + n, s->select.field.p, s->select.field.n);
        text[--n] = '.';
    }
    memcpy(text, root->ident.name.p, n);
    return true;
}

/* May a dotted name that begins like this be declared at all? */
static bool may_be_dotted(const checker *c, dray_str first) {
    return c->env->container.n != 0 || dray_map_find(&c->env->dotted, first) != NULL;
}

/* Makes a selection an identifier where its dotted name is declared. */
static bool check_qualified(checker *c, dray_cel_expr *e) {
    const dray_cel_expr *root = root_of(e);
    dray_str name;
    if (root == NULL || e->select.test_only || !may_be_dotted(c, root->ident.name))
        return false;
    bool global = root->ident.global;
    const local *own = find_local(c, root->ident.name);
    bool old = c->env->options.profile < DRAY_CEL_029;
    if (own != NULL && !global && !old)
        return false;
    dray_cel_qualified_name(e, c->arena, &name);
    const dray_cel_variable *variable = find_variable(c, name, global);
    if (variable == NULL)
        return false;
    become_ident(e, variable->name, own != NULL, variable, variable->type);
    return true;
}

/* Selections. */

static const dray_cel_type *field_type(checker *c, uint32_t id, dray_str type, dray_str field) {
    if (!dray_cel_env_has_struct(c->env, type)) {
        dray_cel_issue_add(c->issues, offset_of(c, id),
                           "unexpected failed resolution of '" DRAY_FMT "'", DRAY_ARG(type));
        return &dray_cel_error;
    }
    const dray_cel_field *found = dray_cel_env_field(c->env, type, field);
    if (found != NULL)
        return found->type;
    dray_cel_issue_add(c->issues, offset_of(c, id), "undefined field '" DRAY_FMT "'",
                       DRAY_ARG(field));
    return &dray_cel_error;
}

static const dray_cel_type *check_field(checker *c, const dray_cel_expr *e, dray_cel_expr *operand,
                                        dray_str field, bool optional) {
    check(c, operand);
    const dray_cel_type *target = dray_cel_unify_resolve(&c->u, operand->type, false);
    bool unwrapped = dray_cel_type_is_optional(target, &target);
    const dray_cel_type *result = &dray_cel_dyn;
    if (target->kind == DRAY_CEL_MAP) {
        result = target->params[1];
    } else if (target->kind == DRAY_CEL_STRUCT) {
        result = field_type(c, e->id, target->name, field);
    } else if (target->kind == DRAY_CEL_PARAM) {
        dray_cel_unify(&c->u, &dray_cel_dyn, target);
    } else if (target->kind != DRAY_CEL_DYN && target->kind != DRAY_CEL_ANY &&
               target->kind != DRAY_CEL_ERROR) {
        dray_cel_issue_add(c->issues, offset_of(c, e->id),
                           "type '%s' does not support field selection", text_of(&c->left, target));
    }
    return unwrapped || optional ? dray_cel_type_optional(c->arena, result) : result;
}

static void check_select(checker *c, dray_cel_expr *e) {
    if (check_qualified(c, e))
        return;
    const dray_cel_type *type = check_field(c, e, e->select.operand, e->select.field, false);
    e->type = e->select.test_only ? &dray_cel_bool : dray_cel_unify_resolve(&c->u, type, false);
}

static void set_overloads(checker *c, dray_cel_expr *e, const dray_cel_overload *const *list,
                          size_t n) {
    const dray_cel_overload **own = DRAY_NEW_N(c->arena, const dray_cel_overload *, n);
    for (size_t i = 0; i < n; i++)
        own[i] = list[i];
    e->call.overloads = own;
    e->call.n_overloads = (uint32_t)n;
}

static void check_optional_select(checker *c, dray_cel_expr *e) {
    const dray_cel_expr *field = e->call.args[1];
    const dray_cel_type *type = check_field(c, e, e->call.args[0], field->literal.s, true);
    e->call.args[1]->type = &dray_cel_string;
    e->type = dray_cel_unify_resolve(&c->u, type, false);
    const dray_cel_overload *overload =
        dray_cel_env_overload(c->env, DRAY_STR("select_optional_field"));
    if (overload != NULL)
        set_overloads(c, e, &overload, 1);
}

/* Calls. */

/* Kinds that only meet their own kind. */
static bool is_plain(const dray_cel_type *type) {
    return type->kind != DRAY_CEL_PARAM && type->kind != DRAY_CEL_DYN &&
           type->kind != DRAY_CEL_ANY && type->kind != DRAY_CEL_ERROR &&
           type->kind != DRAY_CEL_NULL;
}

/* A quick no before variables are made for the overload. */
static bool cannot_match(const dray_cel_overload *overload, const dray_cel_type *const *args,
                         size_t n) {
    if (overload->n_params != n)
        return true;
    for (size_t i = 0; i < n; i++)
        if (args[i]->kind != overload->params[i]->kind && is_plain(args[i]) &&
            is_plain(overload->params[i]))
            return true;
    return false;
}

/* Does the overload take these arguments? Its result type, with variables bound so that it does;
 * NULL when not. */
static const dray_cel_type *try_overload(checker *c, const dray_cel_overload *overload,
                                         const dray_cel_type *const *args, size_t n) {
    /* Numbers are used up even by overloads that can't match: they show in error texts. */
    uint32_t base = dray_cel_unify_fresh(&c->u, overload->n_vars);
    if (cannot_match(overload, args, n))
        return NULL;
    if (!overload->generic)
        return dray_cel_unify_all(&c->u, args, overload->params, n) ? overload->result : NULL;
    const dray_cel_type *params[DRAY_CEL_TYPE_PARAMS + 1];
    for (size_t i = 0; i < n; i++)
        params[i] = dray_cel_unify_instance(&c->u, overload->params[i], base);
    if (!dray_cel_unify_all(&c->u, args, params, n))
        return NULL;
    const dray_cel_type *result = dray_cel_unify_instance(&c->u, overload->result, base);
    return dray_cel_unify_resolve(&c->u, result, false);
}

/* && and ||: each side must be bool, and each that isn't is told. */
static void check_logic(checker *c, dray_cel_expr *e, const dray_cel_overload *overload) {
    e->type = &dray_cel_bool;
    for (uint32_t i = 0; i < e->call.n_args; i++) {
        const dray_cel_type *type = e->call.args[i]->type;
        if (dray_cel_unify(&c->u, type, &dray_cel_bool))
            continue;
        mismatch(c, e->call.args[i]->id, &dray_cel_bool, type);
        e->type = &dray_cel_error;
    }
    set_overloads(c, e, &overload, 1);
}

static void resolve_overloads(checker *c, dray_cel_expr *e, const dray_cel_function *function) {
    bool receiver = e->call.target != NULL;
    size_t n = e->call.n_args + receiver;
    const dray_cel_type **args = DRAY_NEW_N(c->arena, const dray_cel_type *, n);
    if (receiver)
        args[0] = e->call.target->type;
    for (uint32_t i = 0; i < e->call.n_args; i++)
        args[receiver + i] = e->call.args[i]->type;
    DRAY_VEC(const dray_cel_overload *) found = {0};
    const dray_cel_type *result = NULL;
    for (uint32_t i = 0; i < function->n_overloads; i++) {
        const dray_cel_overload *overload = &function->overloads[i];
        bool disabled = overload->across && c->env->options.same_type_order && !c->folded;
        if (overload->receiver != receiver || disabled)
            continue;
        if (dray_str_is(function->name, "_&&_") || dray_str_is(function->name, "_||_")) {
            check_logic(c, e, overload);
            return;
        }
        const dray_cel_type *type = try_overload(c, overload, args, n);
        if (type == NULL)
            continue;
        DRAY_PUSH(c->arena, &found, overload);
        if (result == NULL)
            result = type;
        else if (result->kind != DRAY_CEL_DYN && result->kind != DRAY_CEL_ANY &&
                 !dray_cel_type_same(result, type))
            result = &dray_cel_dyn;
    }
    e->type = result != NULL ? result : &dray_cel_error;
    set_overloads(c, e, found.v, found.n);
    if (result == NULL)
        no_overload(c, e, function->name, receiver, args, n);
}

/* optional.of(x): the target is the beginning of the function's name. */
static const dray_cel_function *find_namespaced(checker *c, const dray_cel_expr *e) {
    const dray_cel_expr *root = root_of(e->call.target);
    dray_str prefix;
    if (root == NULL || !may_be_dotted(c, root->ident.name))
        return NULL;
    dray_cel_qualified_name(e->call.target, c->arena, &prefix);
    dray_str name = dray_strf(c->arena, "%s" DRAY_FMT "." DRAY_FMT, root->ident.global ? "." : "",
                              DRAY_ARG(prefix), DRAY_ARG(e->call.function));
    return find_function(c, name);
}

static void check_call(checker *c, dray_cel_expr *e) {
    if (dray_str_is(e->call.function, "_?._") && e->call.n_args == 2) {
        check_optional_select(c, e);
        return;
    }
    for (uint32_t i = 0; i < e->call.n_args; i++)
        check(c, e->call.args[i]);
    const dray_cel_function *function = NULL;
    if (e->call.target != NULL)
        function = find_namespaced(c, e);
    if (function != NULL) {
        e->call.target = NULL;
    } else {
        if (e->call.target != NULL)
            check(c, e->call.target);
        function = find_function(c, e->call.function);
    }
    if (function == NULL) {
        undeclared(c, e, e->call.function);
        e->type = &dray_cel_error;
        return;
    }
    if (e->call.target == NULL)
        e->call.function = function->name;
    resolve_overloads(c, e, function);
}

/* Literals of lists, maps and structs. */

/* The type that an entry marked with '?' adds: what its optional holds. */
static const dray_cel_type *unwrap_entry(checker *c, const dray_cel_expr *value) {
    const dray_cel_type *type = value->type;
    if (!dray_cel_type_is_optional(type, &type) && type->kind != DRAY_CEL_DYN &&
        type->kind != DRAY_CEL_ANY)
        mismatch(c, value->id, dray_cel_type_optional(c->arena, type), type);
    return type;
}

/* The type of literals that hold `before` (NULL: nothing) and then type too. */
static const dray_cel_type *join(checker *c, const dray_cel_expr *e, const dray_cel_type *before,
                                 const dray_cel_type *type) {
    if (before == NULL)
        return type;
    if (dray_cel_unify(&c->u, before, type)) {
        /* The language's own rule: null among optionals or messages leaves their type. */
        if (type->kind == DRAY_CEL_NULL && c->env->options.null_keeps_type)
            return before;
        return dray_cel_unify_general(before, type);
    }
    if (!c->env->options.homogeneous)
        return &dray_cel_dyn;
    mismatch(c, e->id, before, type);
    return &dray_cel_error;
}

static void check_list(checker *c, dray_cel_expr *e) {
    const dray_cel_type *element = NULL;
    uint32_t optional = 0;
    for (uint32_t i = 0; i < e->list.n; i++) {
        dray_cel_expr *item = e->list.items[i];
        check(c, item);
        const dray_cel_type *type = item->type;
        if (optional < e->list.n_optional && e->list.optional[optional] == i) {
            optional++;
            type = unwrap_entry(c, item);
        }
        element = join(c, item, element, type);
    }
    if (element == NULL)
        element = dray_cel_unify_var(&c->u);
    e->type = dray_cel_type_list(c->arena, element);
}

static void check_map(checker *c, dray_cel_expr *e) {
    const dray_cel_type *key = NULL, *value = NULL;
    for (uint32_t i = 0; i < e->map.n; i++) {
        const dray_cel_entry *entry = &e->map.entries[i];
        check(c, entry->key);
        key = join(c, entry->key, key, entry->key->type);
        check(c, entry->value);
        const dray_cel_type *type = entry->value->type;
        if (entry->optional)
            type = unwrap_entry(c, entry->value);
        value = join(c, entry->value, value, type);
    }
    if (key == NULL) {
        key = dray_cel_unify_var(&c->u);
        value = dray_cel_unify_var(&c->u);
    }
    e->type = dray_cel_type_map(c->arena, key, value);
}

/* The message that a type stands for in struct literals: list(dyn) is a ListValue. */
static dray_str message_name(const dray_cel_type *type) {
    static const char *const names[] = {
        "google.protobuf.Any",         "google.protobuf.Timestamp",   "google.protobuf.Duration",
        "google.protobuf.Value",       "google.protobuf.NullValue",   "google.protobuf.Struct",
        "google.protobuf.ListValue",   "google.protobuf.BoolValue",   "google.protobuf.Int64Value",
        "google.protobuf.UInt64Value", "google.protobuf.DoubleValue", "google.protobuf.StringValue",
        "google.protobuf.BytesValue"};
    for (size_t i = 0; i < DRAY_COUNT(names); i++) {
        dray_str name = dray_str_of(names[i]);
        const dray_cel_type *known = dray_cel_type_well_known(name);
        if (dray_cel_type_same(type, known) && type->nullable == known->nullable)
            return name;
    }
    return DRAY_STR_NONE;
}

/* The type that a struct literal's name means; NULL when it is none. The name becomes full. */
static const dray_cel_type *struct_type(checker *c, dray_cel_expr *e) {
    dray_str names[DRAY_CEL_CANDIDATES];
    size_t n = dray_cel_env_candidates(c->env, c->arena, e->map.name, names);
    for (size_t i = 0; i < n; i++) {
        const dray_cel_variable *named = dray_cel_env_variable(c->env, names[i]);
        if (named == NULL || named->type->kind != DRAY_CEL_TYPE)
            continue;
        const dray_cel_type *type =
            named->type->n_params == 1 ? named->type->params[0] : named->type;
        dray_str message = message_name(dray_cel_unify_resolve(&c->u, type, true));
        bool written = dray_cel_type_well_known(names[i]) != NULL;
        e->map.name = message.n != 0 && !written ? message : names[i];
        return type;
    }
    return NULL;
}

static void check_struct_fields(checker *c, dray_cel_expr *e) {
    for (uint32_t i = 0; i < e->map.n; i++) {
        const dray_cel_entry *entry = &e->map.entries[i];
        check(c, entry->value);
        const dray_cel_type *wanted = field_type(c, entry->id, e->map.name, entry->field);
        const dray_cel_type *type = entry->value->type;
        if (entry->optional)
            type = unwrap_entry(c, entry->value);
        if (!dray_cel_unify(&c->u, wanted, type))
            dray_cel_issue_add(
                c->issues, offset_of(c, entry->id),
                "expected type of field '" DRAY_FMT "' is '%s' but provided type is '%s'",
                DRAY_ARG(entry->field), text_of(&c->left, wanted), text_of(&c->right, type));
    }
}

/* 0.26 takes any name for a type's and says so when it is none. */
static bool is_not_a_type(checker *c, dray_cel_expr *e) {
    if (c->env->options.profile >= DRAY_CEL_029)
        return false;
    bool global = e->map.name.n != 0 && e->map.name.p[0] == '.';
    dray_str name = global ? dray_str_slice(e->map.name, 1, e->map.name.n) : e->map.name;
    const local *own = find_local(c, name);
    const dray_cel_variable *variable = own == NULL ? find_variable(c, name, global) : NULL;
    const dray_cel_type *type = own != NULL ? own->type : variable != NULL ? variable->type : NULL;
    if (type == NULL || type->kind == DRAY_CEL_TYPE || type->kind == DRAY_CEL_ERROR)
        return false;
    dray_cel_issue_add(c->issues, offset_of(c, e->id), "'" DRAY_FMT "' is not a type",
                       DRAY_ARG(type->name));
    e->type = &dray_cel_error;
    e->map.name = variable != NULL ? variable->name : name;
    return true;
}

static void check_struct(checker *c, dray_cel_expr *e) {
    dray_str written = e->map.name;
    if (is_not_a_type(c, e)) {
        check_struct_fields(c, e);
        return;
    }
    const dray_cel_type *type = struct_type(c, e);
    if (type == NULL) {
        undeclared(c, e, written);
        e->type = &dray_cel_error;
        return;
    }
    if (dray_cel_type_well_known(e->map.name) == NULL && type->kind != DRAY_CEL_STRUCT) {
        dray_cel_issue_add(c->issues, offset_of(c, e->id), "'" DRAY_FMT "' is not a message type",
                           DRAY_ARG(type->name));
        type = &dray_cel_error;
    }
    e->type = type;
    check_struct_fields(c, e);
}

/* Comprehensions. */

/* The types of the iteration variables over a range. */
static void range_types(checker *c, const struct dray_cel_fold *fold, const dray_cel_type **first,
                        const dray_cel_type **second) {
    const dray_cel_type *range = dray_cel_unify_resolve(&c->u, fold->range->type, false);
    bool two = fold->iter2.n != 0;
    switch (range->kind) {
    case DRAY_CEL_LIST:
        *first = two ? &dray_cel_int : range->params[0];
        *second = range->params[0];
        return;
    case DRAY_CEL_MAP:
        *first = range->params[0];
        *second = range->params[1];
        return;
    case DRAY_CEL_DYN:
    case DRAY_CEL_ERROR:
    case DRAY_CEL_PARAM:
        dray_cel_unify(&c->u, &dray_cel_dyn, range);
        *first = *second = &dray_cel_dyn;
        return;
    default:
        break;
    }
    dray_cel_issue_add(c->issues, offset_of(c, fold->range->id),
                       "expression of type '%s' cannot be range of a comprehension (must be "
                       "list, map, or dynamic)",
                       text_of(&c->left, range));
    *first = *second = &dray_cel_error;
}

static void must_be(checker *c, const dray_cel_expr *e, const dray_cel_type *type) {
    if (!dray_cel_unify(&c->u, type, e->type))
        mismatch(c, e->id, type, e->type);
}

static void check_fold(checker *c, dray_cel_expr *e) {
    struct dray_cel_fold *fold = e->fold;
    check(c, fold->range);
    check(c, fold->init);
    const dray_cel_type *accu = fold->init->type;
    const dray_cel_type *first, *second;
    size_t outside = c->locals.n;
    c->folded = true;
    range_types(c, fold, &first, &second);
    declare_local(c, fold->accu, accu);
    size_t with_accu = c->locals.n;
    declare_local(c, fold->iter, first);
    if (fold->iter2.n != 0)
        declare_local(c, fold->iter2, second);
    check(c, fold->cond);
    must_be(c, fold->cond, &dray_cel_bool);
    check(c, fold->step);
    must_be(c, fold->step, accu);
    c->locals.n = with_accu;
    check(c, fold->result);
    c->locals.n = outside;
    e->type = dray_cel_unify_resolve(&c->u, fold->result->type, false);
}

static const dray_cel_type *literal_type(const dray_cel_const *literal) {
    switch (literal->kind) {
    case DRAY_CEL_BOOL:
        return &dray_cel_bool;
    case DRAY_CEL_INT:
        return &dray_cel_int;
    case DRAY_CEL_UINT:
        return &dray_cel_uint;
    case DRAY_CEL_DOUBLE:
        return &dray_cel_double;
    case DRAY_CEL_STRING:
        return &dray_cel_string;
    case DRAY_CEL_BYTES:
        return &dray_cel_bytes;
    default:
        return &dray_cel_null;
    }
}

static void check(checker *c, dray_cel_expr *e) {
    e->type = &dray_cel_error;
    if (c->u.exhausted || dray_arena_spent(c->arena)) {
        c->u.exhausted = true;
        return;
    }
    switch ((dray_cel_expr_kind)e->kind) {
    case DRAY_CEL_LITERAL:
        e->type = literal_type(&e->literal);
        return;
    case DRAY_CEL_IDENT:
        check_ident(c, e);
        return;
    case DRAY_CEL_SELECT:
        check_select(c, e);
        break;
    case DRAY_CEL_CALL:
        check_call(c, e);
        break;
    case DRAY_CEL_LIST_EXPR:
        check_list(c, e);
        break;
    case DRAY_CEL_MAP_EXPR:
        check_map(c, e);
        break;
    case DRAY_CEL_STRUCT_EXPR:
        check_struct(c, e);
        break;
    case DRAY_CEL_FOLD:
        check_fold(c, e);
        break;
    }
    if (e->type->size > DRAY_CEL_TYPE_SIZE)
        c->u.exhausted = true;
}

/* Replaces what is still variable in the types of a whole tree. */
static void settle(checker *c, dray_cel_expr *e) {
    e->type = dray_cel_unify_settle(&c->u, e->type);
    switch ((dray_cel_expr_kind)e->kind) {
    case DRAY_CEL_LITERAL:
    case DRAY_CEL_IDENT:
        break;
    case DRAY_CEL_SELECT:
        settle(c, e->select.operand);
        break;
    case DRAY_CEL_CALL:
        if (e->call.target != NULL)
            settle(c, e->call.target);
        for (uint32_t i = 0; i < e->call.n_args; i++)
            settle(c, e->call.args[i]);
        break;
    case DRAY_CEL_LIST_EXPR:
        for (uint32_t i = 0; i < e->list.n; i++)
            settle(c, e->list.items[i]);
        break;
    case DRAY_CEL_MAP_EXPR:
    case DRAY_CEL_STRUCT_EXPR:
        for (uint32_t i = 0; i < e->map.n; i++) {
            if (e->map.entries[i].key != NULL)
                settle(c, e->map.entries[i].key);
            settle(c, e->map.entries[i].value);
        }
        break;
    case DRAY_CEL_FOLD:
        settle(c, e->fold->range);
        settle(c, e->fold->init);
        settle(c, e->fold->cond);
        settle(c, e->fold->step);
        settle(c, e->fold->result);
        break;
    }
}

void dray_cel_check(dray_cel_ast *ast, dray_arena *arena, dray_cel_issues *issues) {
    checker c = {.env = ast->env, .ast = ast, .arena = arena, .issues = issues};
    c.u.arena = arena;
    check(&c, ast->root);
    if (issues->count == 0)
        settle(&c, ast->root);
    if (c.u.exhausted)
        dray_cel_issue_add(issues, DRAY_CEL_NOWHERE, "expression is too large: its types are");
    ast->checked = issues->count == 0;
    dray_buf_done(&c.left);
    dray_buf_done(&c.right);
}
