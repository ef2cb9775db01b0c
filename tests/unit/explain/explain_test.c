/* Explanations: each case of tests/data/explain.jsonl names its first cause, and every change that
 * is offered, once made, lets the Pod run: with the cause the answer goes. Every cause has a case.
 */
#include "explain/explain.h"

#include "api/request.h"
#include "data/json.h"
#include "tap.h"

enum { FILE_BYTES = 4 << 20 };

typedef struct world {
    dray_arena *arena;
    dray_celk8s *celk8s;
    dray_gates gates;
    DRAY_VEC(dray_object) objects;
} world;

static const char *const causes[] = {
#define CAUSE(name, id, sentence) id,
#include "explain/causes.def"
#undef CAUSE
};
static bool named[DRAY_COUNT(causes)];

static const dray_time now = {.sec = 1800000000, .set = true};

static dray_str text_of(const dray_node *node, const char *key) {
    return dray_node_string(dray_node_find(node, dray_str_of(key)));
}

static void read_objects(world *w, const dray_node *list) {
    dray_request_source source = {w->arena, &w->gates, now};
    for (size_t i = 0; i < list->list.n; i++) {
        dray_err err = DRAY_ERR_INIT;
        dray_decode_report report = {.arena = w->arena};
        dray_sent sent;
        if (dray_request_read(&source, &list->list.items[i], &report, &sent, &err) != DRAY_OK) {
            printf("# object %zu: %s\n", i, dray_err_text(&err));
            dray_err_done(&err);
            continue;
        }
        dray_meta_object_meta *meta = dray_object_meta(sent.object);
        if (sent.object.kind->namespaced && meta->namespace.n == 0)
            meta->namespace = DRAY_STR("default");
        if (meta->uid.n == 0)
            meta->uid = dray_strf(w->arena, "uid-%s-" DRAY_FMT, sent.object.kind->kind,
                                  DRAY_ARG(meta->name));
        DRAY_PUSH(w->arena, &w->objects, sent.object);
    }
}

static void read_gates(world *w, const dray_node *in) {
    dray_err err = DRAY_ERR_INIT;
    int release = DRAY_RELEASE_NEWEST;
    (void)dray_release_parse(text_of(in, "version"), &release, &err);
    dray_gates_init(&w->gates, release);
    const dray_node *gates = dray_node_find(in, DRAY_STR("gates"));
    for (size_t i = 0; gates != NULL && i < gates->map.n; i++)
        (void)dray_gates_set(&w->gates, gates->map.members[i].key,
                             gates->map.members[i].value.truth, &err);
    dray_err_done(&err);
}

static dray_code ask(const world *w, const char *pod, dray_explain_answer *ret) {
    dray_err err = DRAY_ERR_INIT;
    dray_explain_input input = {.objects = w->objects.v,
                                .n = w->objects.n,
                                .gates = &w->gates,
                                .now = now,
                                .strict = true,
                                .report = true,
                                .ns = DRAY_STR("default"),
                                .pod = dray_str_of(pod)};
    dray_code code = dray_explain_ask(w->celk8s, &input, w->arena, ret, &err);
    dray_err_done(&err);
    return code;
}

static bool is_object(dray_object object, const dray_kind *kind, dray_str ns, dray_str name) {
    const dray_meta_object_meta *meta = dray_object_meta(object);
    return object.kind == kind && dray_str_eq(meta->name, name) &&
           (!kind->namespaced || dray_str_eq(meta->namespace, ns));
}

/* The world with the change made as a user would make it. */
static world changed(const world *w, const dray_explain_fix *fix) {
    world after = *w;
    after.objects.v = NULL;
    after.objects.n = after.objects.room = 0;
    for (size_t i = 0; i < w->objects.n; i++) {
        bool gone = false;
        for (size_t k = 0; k < fix->n_gone; k++)
            gone |=
                is_object(w->objects.v[i], fix->gone[k].kind, fix->gone[k].ns, fix->gone[k].name);
        for (size_t k = 0; k < fix->n_objects; k++) {
            const dray_meta_object_meta *meta = dray_object_meta(fix->objects[k]);
            gone |= is_object(w->objects.v[i], fix->objects[k].kind, meta->namespace, meta->name);
        }
        if (!gone)
            DRAY_PUSH(w->arena, &after.objects, w->objects.v[i]);
    }
    for (size_t k = 0; k < fix->n_objects; k++)
        DRAY_PUSH(w->arena, &after.objects, fix->objects[k]);
    for (size_t k = 0; k < fix->n_gates; k++)
        after.gates.on[dray_gate_find(dray_str_of(fix->gates[k].gate))] = fix->gates[k].on;
    return after;
}

static void check_fixes(const world *w, const dray_explain_answer *answer, dray_str label) {
    bool all = answer->n_fixes != 0;
    for (size_t i = 0; i < answer->n_fixes; i++) {
        dray_explain_answer after;
        world then = changed(w, &answer->fixes[i]);
        bool helps = ask(&then, "app", &after) == DRAY_OK && !after.pending;
        if (!helps)
            printf("# %s doesn't help\n", answer->fixes[i].fix);
        all &= helps;
    }
    tap_check(all, dray_strf(w->arena, "%s: every change offered helps", label.p).p, __FILE__,
              __LINE__);
}

static void run_case(dray_celk8s *celk8s, dray_str line) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    world w = {.arena = arena, .celk8s = celk8s};
    dray_err err = DRAY_ERR_INIT;
    dray_node *root;
    if (dray_json_parse(line, arena, &root, &err) != DRAY_OK) {
        tap_check(false, dray_err_text(&err), __FILE__, __LINE__);
        return;
    }
    const dray_node *in = dray_node_find(root, DRAY_STR("in"));
    dray_str label = dray_str_dup(arena, text_of(root, "label")), cause = text_of(root, "cause");
    read_gates(&w, in);
    read_objects(&w, dray_node_find(in, DRAY_STR("objects")));
    dray_explain_answer answer = {0};
    if (ask(&w, "app", &answer) != DRAY_OK) {
        tap_check(false, label.p, __FILE__, __LINE__);
        return;
    }
    if (cause.n == 0) {
        tap_check(!answer.pending && answer.n_causes + answer.n_fixes == 0, label.p, __FILE__,
                  __LINE__);
        return;
    }
    dray_str subject = text_of(root, "subject");
    dray_str got = DRAY_STR("no cause");
    for (size_t i = 0; i < DRAY_COUNT(causes); i++)
        named[i] |= answer.n_causes != 0 && strcmp(causes[i], answer.causes[0].cause) == 0;
    if (answer.n_causes != 0)
        got = dray_strf(arena, "%s " DRAY_FMT, answer.causes[0].cause,
                        DRAY_ARG(subject.n != 0 ? answer.causes[0].subject : DRAY_STR("")));
    tap_check_str(got, dray_strf(arena, DRAY_FMT " " DRAY_FMT, DRAY_ARG(cause), DRAY_ARG(subject)),
                  label.p, __FILE__, __LINE__);
    check_fixes(&w, &answer, label);
}

static void run_cases(dray_celk8s *celk8s) {
    DRAY_CLEANUP_BUF dray_buf all = DRAY_BUF_INIT;
    FILE *file = fopen(DRAY_TEST_DATA "/explain.jsonl", "rb");
    if (!tap_check(file != NULL, "the file of cases is there", __FILE__, __LINE__))
        return;
    all.n = fread(dray_buf_reserve(&all, FILE_BYTES), 1, FILE_BYTES, file);
    fclose(file);
    dray_str rest = dray_buf_str(&all), line;
    while (dray_str_cut(rest, '\n', &line, &rest))
        run_case(celk8s, line);
}

int main(void) {
    dray_celk8s *celk8s = dray_celk8s_new(NULL);
    run_cases(celk8s);
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    world empty = {.arena = arena, .celk8s = celk8s};
    dray_explain_answer answer;
    dray_gates_init(&empty.gates, DRAY_RELEASE_NEWEST);
    CHECK("a Pod that isn't there is an error", ask(&empty, "app", &answer) == DRAY_E_NOT_FOUND);
    for (size_t i = 0; i < DRAY_COUNT(causes); i++)
        if (strcmp(causes[i], "other") != 0)
            tap_check(named[i], dray_strf(arena, "a case is about %s", causes[i]).p, __FILE__,
                      __LINE__);
    dray_celk8s_free(celk8s);
    return tap_end();
}
