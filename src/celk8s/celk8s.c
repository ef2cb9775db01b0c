/* Compiling and matching selectors; environments and programs are kept by the handle. */
#include "celk8s/celk8s.h"

#include "base/map.h"
#include "celk8s/device_int.h"
#include "celk8s/env_int.h"
#include "celk8s/program_int.h"

#include <stdlib.h>

enum {
    PROGRAM_BYTES = 64 << 20, /* most that one compiled expression may take */
    SCRATCH_BYTES = 64 << 20,
};

typedef struct environment {
    dray_cel_env *env;
    dray_cel_runtime *runtime;
} environment;

struct dray_celk8s {
    dray_arena *arena; /* of environments */
    const dray_cel_zones *zones;
    environment envs[DRAY_CELK8S_ENVS];
    dray_arena *keys;  /* of the map of programs */
    dray_map programs; /* environment, use and text → dray_celk8s_program */
};

dray_celk8s *dray_celk8s_new(const dray_cel_zones *zones) {
    dray_celk8s *k = dray_calloc(1, sizeof *k);
    k->arena = dray_arena_new(0);
    k->keys = dray_arena_new(0);
    k->zones = zones;
    k->programs = dray_map_new(k->keys);
    return k;
}

static void free_program(dray_celk8s_program *p) {
    if (p == NULL)
        return;
    dray_cel_program_done(p->program);
    dray_arena_free(p->arena);
}

static void drop_programs(dray_celk8s *k) {
    for (uint32_t i = 0; i < k->programs.n; i++)
        free_program(k->programs.entries[i].value);
    dray_arena_reset(k->keys);
    k->programs = dray_map_new(k->keys);
}

void dray_celk8s_free(dray_celk8s *k) {
    if (k == NULL)
        return;
    drop_programs(k);
    dray_arena_free(k->keys);
    dray_arena_free(k->arena);
    free(k);
}

static dray_code find_env(dray_celk8s *k, dray_celk8s_key key, environment **ret, dray_err *err) {
    environment *e = &k->envs[dray_celk8s_key_index(key)];
    if (e->env == NULL) {
        dray_code code = dray_celk8s_env_new(k->arena, key, &e->env, err);
        if (code != DRAY_OK)
            return dray_err_wrap(err, "unexpected error loading CEL environment");
        e->runtime =
            dray_cel_runtime_new(k->arena, e->env, dray_celk8s_tracks, dray_celk8s_n_tracks);
        if (dray_cel_env_n_variables(e->env) > DRAY_CELK8S_SLOTS)
            return dray_err_set(err, DRAY_E_INTERNAL, "too many variables in a CEL environment");
    }
    *ret = e;
    return DRAY_OK;
}

/* --- result types --- */

static bool is_scalar(const dray_cel_type *t) {
    return t->kind == DRAY_CEL_BOOL || t->kind == DRAY_CEL_INT || t->kind == DRAY_CEL_STRING ||
           t->kind == DRAY_CEL_ANY || t->kind == DRAY_CEL_DYN ||
           (t->kind == DRAY_CEL_STRUCT && dray_str_is(t->name, "kubernetes.Semver"));
}

static dray_code check_type(const dray_cel_type *t, dray_celk8s_key key, dray_celk8s_use use,
                            dray_arena *arena, dray_err *err) {
    dray_str text = dray_cel_type_text(arena, t);
    if (use == DRAY_CELK8S_ANY)
        return DRAY_OK;
    if (use == DRAY_CELK8S_SELECTOR) {
        uint8_t unknown = dray_celk8s_attribute_is_dyn(key) ? DRAY_CEL_DYN : DRAY_CEL_ANY;
        if ((t->kind == DRAY_CEL_BOOL && !t->nullable) || t->kind == unknown)
            return DRAY_OK;
        return dray_err_set(err, DRAY_E_INVALID,
                            "must evaluate to bool or the unknown type, not " DRAY_FMT,
                            DRAY_ARG(text));
    }
    bool lists = key.lists || !key.new_expression;
    if (is_scalar(t) ||
        (lists && t->kind == DRAY_CEL_LIST && t->n_params == 1 && is_scalar(t->params[0])))
        return DRAY_OK;
    return dray_err_set(err, DRAY_E_INVALID,
                        "must evaluate to a primitive scalar (string, integer, boolean, semver)%s, "
                        "not " DRAY_FMT,
                        lists ? " or a list of these scalars" : "", DRAY_ARG(text));
}

/* --- compiling --- */

/* One value of a device: its driver, or what stands under a domain and an id. */
static bool is_single(const dray_cel_path *path) {
    if (path->n == 0)
        return false;
    bool nested =
        dray_str_is(path->names[0], "attributes") || dray_str_is(path->names[0], "capacity");
    return nested ? path->n >= 3 : path->n >= 1;
}

static dray_str join_names(const dray_cel_path *path, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (uint32_t i = 0; i < path->n; i++) {
        dray_buf_str_add(&out, path->names[i]);
        dray_buf_putc(&out, '\0');
    }
    return dray_str_dup(arena, dray_buf_str(&out));
}

/* A path into a value says no more than the value: device.attributes["d"].x.y is …x. */
static void note_paths(dray_celk8s_program *p) {
    p->by_paths = dray_cel_program_paths(p->program, p->arena, &p->paths);
    p->path_keys = DRAY_NEW_N(p->arena, dray_str, p->paths.n + 1);
    for (size_t i = 0; i < p->paths.n; i++) {
        dray_cel_path *path = &p->paths.v[i];
        p->by_paths = p->by_paths && is_single(path);
        if (path->n > 3)
            path->n = 3;
        p->path_keys[i] = join_names(path, p->arena);
    }
}

static dray_code compile(dray_celk8s *k, dray_str text, dray_celk8s_key key, dray_celk8s_use use,
                         dray_celk8s_program *p, dray_err *err) {
    environment *e = NULL;
    dray_cel_ast *ast;
    dray_code code = find_env(k, key, &e, err);
    if (code != DRAY_OK)
        return code;
    if ((code = dray_cel_compile(e->env, text, 0, p->arena, &ast, err)) != DRAY_OK)
        return dray_err_wrap(err, "compilation failed");
    if ((code = check_type(ast->root->type, key, use, p->arena, err)) != DRAY_OK)
        return code;
    if ((code = dray_cel_program_new(e->runtime, ast, p->arena, &p->program, err)) != DRAY_OK)
        return dray_err_wrap(err, "program instantiation failed");
    p->ast = ast;
    p->no_lists = key.release < 36 || (key.release == 36 && !key.lists);
    p->zones = k->zones;
    note_paths(p);
    p->type = dray_cel_type_text(p->arena, ast->root->type);
    return DRAY_OK;
}

/* The text is copied whole: formatting would stop at a NUL and find another program. */
static dray_str program_name(dray_arena *arena, dray_celk8s_key key, dray_celk8s_use use,
                             dray_str text) {
    dray_str head = dray_strf(arena, "%u/%d/", dray_celk8s_key_index(key), (int)use);
    char *name = dray_arena_alloc(arena, head.n + text.n);
    memcpy(name, head.p, head.n);
    memcpy(name + head.n, text.p, text.n);
    return dray_str_n(name, head.n + text.n);
}

static dray_celk8s_key key_of(const dray_gates *gates, bool new_expression) {
    return (dray_celk8s_key){.release = (uint8_t)gates->release,
                             .new_expression = new_expression,
                             .consumable = gates->on[DRAY_GATE_DRAConsumableCapacity],
                             .lists = gates->on[DRAY_GATE_DRAListTypeAttributes]};
}

const dray_cel_env *dray_celk8s_env(dray_celk8s *k, const dray_gates *gates) {
    dray_err err = DRAY_ERR_INIT;
    environment *e = NULL;
    dray_code code = find_env(k, key_of(gates, false), &e, &err);
    dray_err_done(&err);
    return code == DRAY_OK ? e->env : NULL;
}

dray_code dray_celk8s_compile(dray_celk8s *k, dray_str expression, dray_celk8s_use use,
                              bool new_expression, const dray_gates *gates,
                              const dray_celk8s_program **ret, dray_err *err) {
    dray_celk8s_key key = key_of(gates, new_expression);
    if (k->programs.n >= DRAY_CELK8S_PROGRAMS)
        drop_programs(k);
    dray_arena *arena = dray_arena_new(PROGRAM_BYTES);
    dray_str name = program_name(arena, key, use, expression);
    dray_celk8s_program *p = dray_map_find(&k->programs, name);
    if (p != NULL) {
        dray_arena_free(arena);
        *ret = p;
        return DRAY_OK;
    }
    p = DRAY_NEW(arena, dray_celk8s_program);
    p->arena = arena;
    dray_code code = compile(k, expression, key, use, p, err);
    if (code != DRAY_OK) {
        free_program(p);
        return code;
    }
    dray_map_put(&k->programs, name, p);
    *ret = p;
    return DRAY_OK;
}

void dray_celk8s_forget(dray_celk8s *k) {
    drop_programs(k);
}

uint64_t dray_celk8s_max_cost(const dray_celk8s_program *program) {
    dray_celk8s_program *p = (dray_celk8s_program *)program;
    if (!p->estimated) {
        DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
        p->max_cost = dray_cel_estimate(p->ast, scratch).max;
        p->estimated = true;
    }
    return p->max_cost;
}

dray_str dray_celk8s_type(const dray_celk8s_program *program) {
    return program->type;
}

const dray_cel_ast *dray_celk8s_ast(const dray_celk8s_program *program) {
    return program->ast;
}

/* --- matching --- */

static dray_cel_value run(const dray_celk8s_program *program, const dray_celk8s_device *device,
                          dray_arena *scratch, dray_celk8s_result *ret) {
    dray_cel_eval eval = {.arena = scratch,
                          .variables = device->variables,
                          .limit = DRAY_CEL_COST_LIMIT,
                          .zones = program->zones};
    dray_cel_value v = dray_cel_run(program->program, &eval);
    ret->began = true;
    ret->cost = eval.cost;
    ret->work = DRAY_CEL_EVAL_WORK - eval.work;
    if (v.kind == DRAY_CEL_ERROR)
        ret->error = dray_cel_failure_text(scratch, v.failure);
    return v;
}

/* Why Go's ConvertToNative does not make a bool of it. */
static dray_str not_bool(dray_cel_value v, dray_arena *arena) {
    static const char *const texts[] = {
        [DRAY_CEL_NULL] = "type conversion error from 'null_type' to 'bool'",
        [DRAY_CEL_INT] = "unsupported type conversion from 'int' to bool",
        [DRAY_CEL_UINT] = "unsupported type conversion from 'uint' to bool",
        [DRAY_CEL_DOUBLE] = "type conversion error from Double to 'bool'",
        [DRAY_CEL_STRING] = "unsupported native conversion from string to 'bool'",
        [DRAY_CEL_BYTES] = "type conversion error from Bytes to 'bool'",
        [DRAY_CEL_TIMESTAMP] = "type conversion error from 'Timestamp' to 'bool'",
        [DRAY_CEL_DURATION] = "type conversion error from 'Duration' to 'bool'",
        [DRAY_CEL_LIST] = "type conversion error from list to 'bool'",
        [DRAY_CEL_MAP] = "type conversion error from map to 'bool'",
        [DRAY_CEL_TYPE] = "type conversion not supported for 'type'",
        [DRAY_CEL_OPTIONAL] = "optional.none() dereference",
    };
    if (v.kind != DRAY_CEL_OPAQUE)
        return dray_str_of(texts[v.kind]);
    return dray_strf(arena, "type conversion error from '%s' to 'bool'",
                     strchr(v.opaque->type->go_name, '.') + 1);
}

/* A result as a bool: what is in an optional counts. */
static dray_celk8s_answer as_answer(dray_cel_value v, dray_arena *scratch,
                                    dray_celk8s_result *ret) {
    dray_str type = dray_cel_type_name(v);
    while (v.kind == DRAY_CEL_OPTIONAL && v.inner != NULL)
        v = *v.inner;
    if (v.kind == DRAY_CEL_BOOL)
        return v.b ? DRAY_CELK8S_TRUE : DRAY_CELK8S_FALSE;
    dray_str why = not_bool(v, scratch);
    ret->error = dray_strf(
        scratch, "CEL result of type " DRAY_FMT " could not be converted to bool: " DRAY_FMT,
        DRAY_ARG(type), DRAY_ARG(why));
    return DRAY_CELK8S_ERROR;
}

/* What is wrong with the device itself; absent: nothing. */
static dray_str device_error(const dray_celk8s_program *program, const dray_celk8s_device *device) {
    return device->error.p == NULL && program->no_lists ? device->list_error : device->error;
}

dray_cel_value dray_celk8s_value(const dray_celk8s_program *program,
                                 const dray_celk8s_device *device, dray_arena *scratch,
                                 dray_celk8s_result *ret) {
    dray_arena_reset(scratch);
    *ret = (dray_celk8s_result){0};
    if (device_error(program, device).p == NULL)
        return run(program, device, scratch, ret);
    ret->error = device_error(program, device);
    return dray_cel_fail(scratch, ret->error.p);
}

dray_celk8s_answer dray_celk8s_match(const dray_celk8s_program *program,
                                     const dray_celk8s_device *device, dray_arena *scratch,
                                     dray_celk8s_result *ret) {
    dray_arena_reset(scratch);
    *ret = (dray_celk8s_result){0};
    if (device_error(program, device).p != NULL) {
        ret->error = device_error(program, device);
        return DRAY_CELK8S_ERROR;
    }
    dray_cel_value v = run(program, device, scratch, ret);
    if (v.kind == DRAY_CEL_BOOL)
        return v.b ? DRAY_CELK8S_TRUE : DRAY_CELK8S_FALSE;
    return v.kind == DRAY_CEL_ERROR ? DRAY_CELK8S_ERROR : as_answer(v, scratch, ret);
}

/* --- derived attributes --- */

static bool is_semver(dray_cel_value v) {
    return v.kind == DRAY_CEL_OPAQUE && v.opaque->type == &dray_celk8s_semver_type;
}

static bool fail_derive(dray_celk8s_result *ret, dray_str text) {
    ret->error = text;
    return false;
}

static dray_str scalar_text(dray_cel_value v, dray_arena *arena) {
    return v.kind == DRAY_CEL_STRING ? dray_str_dup(arena, dray_cel_str(v))
                                     : dray_semver_format(dray_celk8s_semver_of(v), arena);
}

/* What Go calls the native value of v. */
static const char *native_type(dray_cel_value v) {
    static const char *const names[] = {
        [DRAY_CEL_NULL] = "structpb.NullValue",
        [DRAY_CEL_BOOL] = "bool",
        [DRAY_CEL_INT] = "int64",
        [DRAY_CEL_UINT] = "uint64",
        [DRAY_CEL_DOUBLE] = "float64",
        [DRAY_CEL_STRING] = "string",
        [DRAY_CEL_BYTES] = "[]uint8",
        [DRAY_CEL_TIMESTAMP] = "time.Time",
        [DRAY_CEL_DURATION] = "time.Duration",
        [DRAY_CEL_LIST] = "[]ref.Val",
        [DRAY_CEL_MAP] = "map[ref.Val]ref.Val",
        [DRAY_CEL_TYPE] = "string",
        [DRAY_CEL_OPTIONAL] = "<nil>",
    };
    if (v.kind != DRAY_CEL_OPAQUE)
        return names[v.kind];
    if (v.opaque->type == &dray_celk8s_quantity_type ||
        v.opaque->type == &dray_celk8s_quantity_sum_type)
        return "*resource.Quantity";
    return is_semver(v) ? "semver.Version" : v.opaque->type->go_name;
}

static bool derive_list(const dray_cel_list *list, dray_arena *arena,
                        dray_resource_device_attribute *value, dray_celk8s_result *ret) {
    size_t n = list->n;
    value->strings.v = DRAY_NEW_N(arena, dray_str, n + 1);
    if (n == 0)
        return true;
    const dray_cel_value *values = dray_cel_list_flat(arena, list);
    dray_cel_value first = values[0];
    bool semver = is_semver(first);
    if (!semver && first.kind != DRAY_CEL_BOOL && first.kind != DRAY_CEL_INT &&
        first.kind != DRAY_CEL_STRING)
        return fail_derive(
            ret, dray_strf(arena, "unsupported list element type: %s", native_type(first)));
    dray_str *texts = value->strings.v;
    int64_t *ints = DRAY_NEW_N(arena, int64_t, n);
    bool *bools = DRAY_NEW_N(arena, bool, n);
    for (size_t i = 0; i < n; i++) {
        dray_cel_value v = values[i];
        if (v.kind != first.kind || is_semver(v) != semver)
            return fail_derive(
                ret, dray_strf(arena, "expected list element at index %zu to be %s, got %s", i,
                               semver                        ? "semver"
                               : first.kind == DRAY_CEL_BOOL ? "bool"
                               : first.kind == DRAY_CEL_INT  ? "int"
                                                             : "string",
                               native_type(v)));
        if (first.kind == DRAY_CEL_INT)
            ints[i] = v.i;
        else if (first.kind == DRAY_CEL_BOOL)
            bools[i] = v.b;
        else
            texts[i] = scalar_text(v, arena);
    }
    value->strings.v = NULL;
    if (first.kind == DRAY_CEL_INT) {
        value->ints.v = ints;
        value->ints.n = n;
    } else if (first.kind == DRAY_CEL_BOOL) {
        value->bools.v = bools;
        value->bools.n = n;
    } else if (semver) {
        value->versions = (dray_strings){texts, n};
    } else {
        value->strings = (dray_strings){texts, n};
    }
    return true;
}

bool dray_celk8s_derive(const dray_celk8s_program *program, const dray_celk8s_device *device,
                        dray_arena *scratch, dray_resource_device_attribute *value,
                        dray_celk8s_result *ret) {
    dray_arena_reset(scratch);
    *ret = (dray_celk8s_result){0};
    *value = (dray_resource_device_attribute){0};
    if (device_error(program, device).p != NULL)
        return fail_derive(ret, device_error(program, device));
    dray_cel_value v = run(program, device, scratch, ret);
    while (v.kind == DRAY_CEL_OPTIONAL && v.inner != NULL)
        v = *v.inner;
    if (v.kind == DRAY_CEL_ERROR)
        return false;
    if (v.kind == DRAY_CEL_LIST)
        return derive_list(v.list, scratch, value, ret);
    if (v.kind == DRAY_CEL_BOOL)
        value->bool_ = (dray_opt_bool){true, v.b};
    else if (v.kind == DRAY_CEL_INT)
        value->int_ = (dray_opt_int64){true, v.i};
    else if (v.kind == DRAY_CEL_STRING)
        value->string = scalar_text(v, scratch);
    else if (is_semver(v))
        value->version = scalar_text(v, scratch);
    else
        return fail_derive(ret,
                           dray_strf(scratch, "unsupported CEL return type: %s", native_type(v)));
    return true;
}

/* --- validation --- */

static dray_cel_result validate(void *context, dray_str expression, dray_cel_use use,
                                bool new_expression, const dray_gates *gates, dray_arena *arena) {
    const dray_celk8s_program *program;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_celk8s_compile(
        context, expression, use == DRAY_CEL_SELECTOR ? DRAY_CELK8S_SELECTOR : DRAY_CELK8S_DERIVED,
        new_expression, gates, &program, &err);
    dray_cel_result result = {.ok = code == DRAY_OK};
    if (result.ok) {
        result.max_cost = dray_celk8s_max_cost(program);
        return result;
    }
    dray_str text = dray_str_of(dray_err_text(&err));
    result.error = dray_str_dup(arena, text);
    result.internal =
        code == DRAY_E_INTERNAL || dray_str_starts(text, DRAY_STR("program instantiation failed"));
    dray_err_done(&err);
    return result;
}

dray_cel_functions dray_celk8s_cel_functions(dray_celk8s *k) {
    return (dray_cel_functions){.context = k, .compile = validate};
}
