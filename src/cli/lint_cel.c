/* Checks on CEL selectors: do they compile, what do they cost, what do they say about devices? */
#include "cli/lint.h"

#include "cel/eval.h"
#include "explain/cel_advice.h"

#include <inttypes.h>

enum { DEPTH = 32, SELECTORS_MAX = 64 };

/* Devices by index, that the selectors before have left. */
typedef struct subset {
    const uint32_t *v;
    size_t n;
} subset;

/* One selector: what is known about it. */
typedef struct examined {
    dray_str text;
    bool has_devices;
    subset devices; /* that it is asked about */
    dray_str error; /* of compiling; absent: none */
    uint64_t max_cost;
    size_t matched, failed;
    dray_str failure, failed_on; /* the first: its error and the device */
    dray_cel_advice advice;
} examined;

typedef struct linter {
    dray_lint *lint;
    dray_arena *arena;
    dray_arena *scratch;
    dray_cel_subject *subjects;
    dray_celk8s_device **devices;
    size_t n_devices;
    dray_map seen;    /* selectors in the same surroundings → examined */
    dray_map classes; /* name → subset */
    const dray_loaded *loaded;
} linter;

/* --- devices --- */

static void collect_devices(linter *l) {
    const dray_objects *objects = &l->lint->objects;
    size_t n = 0;
    for (size_t i = 0; i < objects->list.n; i++)
        if (objects->list.v[i].object.kind->type == &dray_type_resource_slice)
            n += ((const dray_resource_slice *)objects->list.v[i].object.body)->spec->devices.n;
    l->subjects = DRAY_NEW_N(l->arena, dray_cel_subject, n + 1);
    l->devices = DRAY_NEW_N(l->arena, dray_celk8s_device *, n + 1);
    for (size_t i = 0; i < objects->list.n; i++) {
        if (objects->list.v[i].object.kind->type != &dray_type_resource_slice)
            continue;
        const dray_resource_slice *slice = objects->list.v[i].object.body;
        for (size_t k = 0; k < slice->spec->devices.n; k++) {
            const dray_resource_device *device = &slice->spec->devices.v[k];
            l->subjects[l->n_devices] = (dray_cel_subject){slice->spec->driver, device};
            l->devices[l->n_devices++] =
                dray_celk8s_device_new(l->arena, slice->spec->driver, device);
        }
    }
}

static subset all_devices(linter *l) {
    uint32_t *v = DRAY_NEW_N(l->arena, uint32_t, l->n_devices + 1);
    for (size_t i = 0; i < l->n_devices; i++)
        v[i] = (uint32_t)i;
    return (subset){v, l->n_devices};
}

static const dray_celk8s_program *compile_as(linter *l, dray_celk8s_use use, dray_str text,
                                             dray_err *err) {
    const dray_celk8s_program *program = NULL;
    const dray_objects *objects = &l->lint->objects;
    if (dray_celk8s_compile(objects->celk8s, text, use, true, &objects->gates, &program, err) !=
        DRAY_OK)
        return NULL;
    return program;
}

static const dray_celk8s_program *compile(linter *l, dray_str text, dray_err *err) {
    return compile_as(l, DRAY_CELK8S_SELECTOR, text, err);
}

/* Those that the selector matches or fails on, which is told about it already; all, where it does
 * not compile. */
static subset narrow(linter *l, subset of, dray_str text) {
    dray_err err = DRAY_ERR_INIT;
    const dray_celk8s_program *program = compile(l, text, &err);
    dray_err_done(&err);
    if (program == NULL)
        return of;
    uint32_t *v = DRAY_NEW_N(l->arena, uint32_t, of.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < of.n; i++) {
        dray_celk8s_result result;
        if (dray_celk8s_match(program, l->devices[of.v[i]], l->scratch, &result) !=
            DRAY_CELK8S_FALSE)
            v[n++] = of.v[i];
    }
    return (subset){v, n};
}

/* Of a class that is not in the input: devices of the driver of that name, which is what most
 * drivers call their class. Of others nothing can be said. */
static subset unknown_class(linter *l, dray_str name) {
    subset s = all_devices(l);
    uint32_t *v = DRAY_NEW_N(l->arena, uint32_t, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (dray_str_eq(l->subjects[i].driver, name))
            v[n++] = (uint32_t)i;
    return (subset){v, n};
}

static subset class_devices(linter *l, dray_str name) {
    const dray_objects *objects = &l->lint->objects;
    subset *known = name.n != 0 ? dray_map_find(&l->classes, name) : NULL;
    if (known != NULL)
        return *known;
    subset s = all_devices(l);
    bool found = name.n == 0;
    for (size_t i = 0; i < objects->list.n && name.n != 0; i++) {
        const dray_resource_device_class *class = objects->list.v[i].object.body;
        if (objects->list.v[i].object.kind->type != &dray_type_resource_device_class ||
            !dray_str_eq(class->metadata->name, name))
            continue;
        found = true;
        for (size_t k = 0; k < class->spec->selectors.n; k++)
            if (class->spec->selectors.v[k].cel != NULL)
                s = narrow(l, s, class->spec->selectors.v[k].cel->expression);
    }
    if (!found)
        s = unknown_class(l, name);
    known = DRAY_NEW(l->arena, subset);
    *known = s;
    if (name.n != 0)
        dray_map_put(&l->classes, name, known);
    return s;
}

/* --- one selector --- */

static void advise(linter *l, examined *x) {
    const dray_objects *objects = &l->lint->objects;
    dray_cel_subject *subjects = DRAY_NEW_N(l->arena, dray_cel_subject, x->devices.n + 1);
    for (size_t i = 0; i < x->devices.n; i++)
        subjects[i] = l->subjects[x->devices.v[i]];
    dray_cel_question question = {objects->celk8s, &objects->gates, true, subjects, x->devices.n};
    dray_cel_adviser *adviser = dray_cel_adviser_new(l->arena, &question);
    dray_cel_advise(adviser, x->text, l->arena, &x->advice);
    dray_cel_adviser_free(adviser);
}

static void try_devices(linter *l, examined *x, const dray_celk8s_program *program) {
    for (size_t i = 0; i < x->devices.n; i++) {
        dray_celk8s_result result;
        uint32_t at = x->devices.v[i];
        dray_celk8s_answer answer = dray_celk8s_match(program, l->devices[at], l->scratch, &result);
        x->matched += answer == DRAY_CELK8S_TRUE;
        x->failed += answer == DRAY_CELK8S_ERROR;
        if (answer != DRAY_CELK8S_ERROR || x->failed != 1)
            continue;
        x->failure = dray_str_dup(l->arena, result.error);
        x->failed_on = dray_strf(l->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(l->subjects[at].driver),
                                 DRAY_ARG(l->subjects[at].device->name));
    }
}

static examined *examine(linter *l, dray_str text, subset devices) {
    examined *x = DRAY_NEW(l->arena, examined);
    dray_err err = DRAY_ERR_INIT;
    *x = (examined){.text = text, .devices = devices, .has_devices = devices.n != 0};
    const dray_celk8s_program *program = compile(l, text, &err);
    if (program == NULL) {
        x->error = dray_str_dup(l->arena, dray_str_of(dray_err_text(&err)));
    } else {
        x->max_cost = dray_celk8s_max_cost(program);
        try_devices(l, x, program);
    }
    dray_err_done(&err);
    advise(l, x);
    return x;
}

/* --- checks: false where there is nothing to say --- */

typedef bool check(linter *l, const examined *x, dray_str *text, dray_str *detail);

/* The first line is the text, source and caret are the detail. */
static bool check_compile(linter *l, const examined *x, dray_str *text, dray_str *detail) {
    if (x->error.p == NULL || x->text.n == 0)
        return false;
    if (!dray_str_cut(x->error, '\n', text, detail))
        *text = x->error;
    return true;
}

static bool check_cost(linter *l, const examined *x, dray_str *text, dray_str *detail) {
    if (x->error.p != NULL || x->max_cost <= DRAY_CEL_COST_LIMIT)
        return false;
    *text = x->max_cost == UINT64_MAX
                ? DRAY_STR("too complex: its cost has no bound")
                : dray_strf(l->arena, "too complex: it may cost %" PRIu64 ", at most %d is allowed",
                            x->max_cost, DRAY_CEL_COST_LIMIT);
    return true;
}

static bool check_runtime(linter *l, const examined *x, dray_str *text, dray_str *detail) {
    if (x->failed == 0)
        return false;
    *text = dray_strf(l->arena,
                      "fails on %zu of the %zu device%s that it is asked about, such as " DRAY_FMT
                      ": " DRAY_FMT,
                      x->failed, x->devices.n, x->devices.n == 1 ? "" : "s", DRAY_ARG(x->failed_on),
                      DRAY_ARG(x->failure));
    return true;
}

static bool check_no_device(linter *l, const examined *x, dray_str *text, dray_str *detail) {
    if (!x->has_devices || x->error.p != NULL || x->matched + x->failed != 0)
        return false;
    *text = dray_strf(l->arena, "matches none of the %zu device%s that it is asked about",
                      x->devices.n, x->devices.n == 1 ? "" : "s");
    return true;
}

static bool check_suspicious(linter *l, const examined *x, dray_str *text, dray_str *detail) {
    if (x->error.p != NULL || x->failed != 0 || x->advice.n_notes == 0)
        return false;
    *text = x->advice.notes[0].text;
    return true;
}

/* In the order of report; `last`: what comes below says no more. */
static const struct {
    const char *name;
    dray_lint_level level;
    check *run;
    bool last;
} checks[] = {
    {"cel-compile", DRAY_LINT_ERROR, check_compile, true},
    {"cel-cost", DRAY_LINT_ERROR, check_cost, true},
    {"cel-runtime", DRAY_LINT_WARNING, check_runtime, true},
    {"cel-suspicious", DRAY_LINT_WARNING, check_suspicious, true},
    {"cel-no-device", DRAY_LINT_WARNING, check_no_device, false},
};

static dray_str add_advice(linter *l, const examined *x, dray_str text, dray_str detail) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_buf_str_add(&out, detail);
    for (size_t i = 0; i < x->advice.n_notes; i++)
        if (!dray_str_eq(x->advice.notes[i].text, text))
            dray_buf_addf(&out, "%shint: " DRAY_FMT, out.n != 0 ? "\n" : "",
                          DRAY_ARG(x->advice.notes[i].text));
    if (x->advice.corrected.p != NULL)
        dray_buf_addf(&out, "%stry:  " DRAY_FMT, out.n != 0 ? "\n" : "",
                      DRAY_ARG(x->advice.corrected));
    return dray_str_dup(l->lint->arena, dray_buf_str(&out));
}

static void report(linter *l, const examined *x, const dray_node *at, dray_str path) {
    for (size_t i = 0; i < DRAY_COUNT(checks); i++) {
        dray_str text = DRAY_STR_NONE, detail = DRAY_STR_NONE;
        if (!checks[i].run(l, x, &text, &detail))
            continue;
        dray_finding finding = {
            .check = checks[i].name,
            .level = checks[i].level,
            .file = l->loaded->file,
            .line = at->line,
            .column = at->column,
            .text = dray_strf(l->lint->arena, "%s " DRAY_FMT ": " DRAY_FMT ": " DRAY_FMT,
                              l->loaded->sent->kind,
                              DRAY_ARG(dray_object_meta(l->loaded->object)->name), DRAY_ARG(path),
                              DRAY_ARG(text)),
            .detail = add_advice(l, x, text, detail),
        };
        if (x->advice.corrected.p != NULL)
            finding.corrected = dray_str_dup(l->lint->arena, x->advice.corrected);
        dray_lint_add(l->lint, &finding);
        if (checks[i].last)
            return;
    }
}

/* --- finding selectors --- */

/* selectors: a list of {cel: {expression: …}}, asked one after another. */
static void take_list(linter *l, const dray_node *list, dray_str path, dray_str class) {
    subset devices = class_devices(l, class);
    dray_str key = dray_strf(l->arena, DRAY_FMT, DRAY_ARG(class));
    for (size_t i = 0; i < list->list.n && i < SELECTORS_MAX; i++) {
        const dray_node *cel = dray_node_find(&list->list.items[i], DRAY_STR("cel"));
        const dray_node *at = cel != NULL ? dray_node_find(cel, DRAY_STR("expression")) : NULL;
        if (at == NULL || at->kind != DRAY_NODE_STRING || at->text.n > DRAY_CEL_LENGTH_LIMIT)
            continue;
        key = dray_strf(l->arena, DRAY_FMT "\n" DRAY_FMT, DRAY_ARG(key), DRAY_ARG(at->text));
        examined *x = dray_map_find(&l->seen, key);
        if (x == NULL) {
            x = examine(l, at->text, devices);
            dray_map_put(&l->seen, key, x);
        }
        report(l, x, at, dray_strf(l->arena, DRAY_FMT "[%zu].cel.expression", DRAY_ARG(path), i));
        devices = narrow(l, devices, at->text);
    }
}

/* derivedAttributes: a list of {name: …, expression: …}. Whether one compiles, and its cost; what
 * it says about a device is an attribute for others to judge. */
static void take_derived(linter *l, const dray_node *list, dray_str path) {
    for (size_t i = 0; i < list->list.n && i < SELECTORS_MAX; i++) {
        const dray_node *at = dray_node_find(&list->list.items[i], DRAY_STR("expression"));
        if (at == NULL || at->kind != DRAY_NODE_STRING || at->text.n > DRAY_CEL_LENGTH_LIMIT)
            continue;
        examined x = {.text = at->text};
        dray_err err = DRAY_ERR_INIT;
        const dray_celk8s_program *program = compile_as(l, DRAY_CELK8S_DERIVED, at->text, &err);
        if (program != NULL)
            x.max_cost = dray_celk8s_max_cost(program);
        else
            x.error = dray_str_dup(l->arena, dray_str_of(dray_err_text(&err)));
        dray_err_done(&err);
        report(l, &x, at, dray_strf(l->arena, DRAY_FMT "[%zu].expression", DRAY_ARG(path), i));
    }
}

static void walk(linter *l, const dray_node *node, dray_str path, dray_str class, int depth) {
    if (depth > DEPTH)
        return;
    for (size_t i = 0; node->kind == DRAY_NODE_LIST && i < node->list.n; i++)
        walk(l, &node->list.items[i], dray_strf(l->arena, DRAY_FMT "[%zu]", DRAY_ARG(path), i),
             class, depth + 1);
    if (node->kind != DRAY_NODE_MAP)
        return;
    dray_str own = dray_node_string(dray_node_find(node, DRAY_STR("deviceClassName")));
    class = own.n != 0 ? own : class;
    for (size_t i = 0; i < node->map.n; i++) {
        const dray_member *m = &node->map.members[i];
        dray_str below = dray_strf(l->arena, DRAY_FMT "%s" DRAY_FMT, DRAY_ARG(path),
                                   path.n != 0 ? "." : "", DRAY_ARG(m->key));
        if (dray_str_is(m->key, "selectors") && m->value.kind == DRAY_NODE_LIST)
            take_list(l, &m->value, below, class);
        else if (dray_str_is(m->key, "derivedAttributes") && m->value.kind == DRAY_NODE_LIST)
            take_derived(l, &m->value, below);
        else
            walk(l, &m->value, below, class, depth + 1);
    }
}

static void take(linter *l, const dray_loaded *loaded) {
    const dray_type *type = loaded->object.kind->type;
    const dray_node *spec = dray_node_find(loaded->root, DRAY_STR("spec"));
    if (spec == NULL ||
        (type != &dray_type_resource_claim && type != &dray_type_resource_claim_template &&
         type != &dray_type_resource_device_class))
        return;
    l->loaded = loaded;
    walk(l, spec, DRAY_STR("spec"), DRAY_STR_NONE, 0);
}

void dray_lint_cel(dray_lint *lint) {
    dray_objects *objects = &lint->objects;
    linter l = {.lint = lint, .arena = dray_arena_new(0), .scratch = dray_cel_scratch_new()};
    l.seen = dray_map_new(l.arena);
    l.classes = dray_map_new(l.arena);
    collect_devices(&l);
    for (size_t i = 0; i < objects->list.n; i++)
        if (objects->list.v[i].root != NULL)
            take(&l, &objects->list.v[i]);
    for (size_t i = 0; i < objects->refused.n; i++)
        take(&l, &objects->refused.v[i]);
    dray_arena_free(l.arena);
    dray_arena_free(l.scratch);
}
