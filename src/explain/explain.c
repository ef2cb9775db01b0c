/* The front: a question about a Pod answered with causes, sentences and fixes. */
#include "explain/explain_int.h"

#include "cel/eval.h"

static void put_words(dray_buf *out, const char *sentence, const dray_explain_cause *c) {
    for (const char *p = sentence; *p != '\0'; p++) {
        if (p[0] != '%' || p[1] == '\0') {
            dray_buf_putc(out, *p);
            continue;
        }
        switch (*++p) {
        case 's':
            dray_buf_str_add(out, c->subject);
            break;
        case 'c':
            dray_buf_str_add(out, c->claim);
            break;
        case 'r':
            dray_buf_str_add(out, c->request);
            break;
        case 'n':
            dray_buf_addf(out, "%u", c->count);
            break;
        case 'o':
            dray_buf_addf(out, "%u", c->of);
            break;
        default:
            dray_buf_putc(out, *p);
        }
    }
}

static dray_str sentence_of(const dray_explain_cause *c, const char *sentence, dray_str detail,
                            dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    if (c->request.n != 0)
        dray_buf_addf(&out, "claim " DRAY_FMT ", request " DRAY_FMT ": ", DRAY_ARG(c->claim),
                      DRAY_ARG(c->request));
    if (c->node.n != 0 && !dray_str_eq(c->node, c->subject))
        dray_buf_addf(&out, "on node " DRAY_FMT " ", DRAY_ARG(c->node));
    put_words(&out, sentence, c);
    if (detail.n != 0)
        dray_buf_addf(&out, ": " DRAY_FMT, DRAY_ARG(detail));
    return dray_str_dup(arena, dray_buf_str(&out));
}

static void tell_causes(const dray_route *path, dray_arena *arena, dray_explain_answer *ret) {
    dray_explain_cause *v = DRAY_NEW_N(arena, dray_explain_cause, path->n + 1);
    for (size_t i = 0; i < path->n; i++) {
        const dray_finding *f = &path->v[i];
        dray_cause_row row = dray_cause_row_of(f->cause);
        v[i] = (dray_explain_cause){.cause = row.id,
                                    .claim = f->claim,
                                    .request = f->request,
                                    .subject = f->subject,
                                    .count = f->count,
                                    .of = f->of,
                                    .node = f->node};
        v[i].sentence = sentence_of(&v[i], row.sentence, f->detail, arena);
    }
    ret->causes = v;
    ret->n_causes = path->n;
}

static dray_str fix_sentence(const char *sentence, dray_str said, dray_arena *arena) {
    return said.n != 0 ? dray_strf(arena, "%s (" DRAY_FMT ")", sentence, DRAY_ARG(said))
                       : dray_str_of(sentence);
}

static void tell_fix(const dray_found_fix *found, dray_arena *arena, dray_explain_fix *ret) {
    const dray_state *state = found->state;
    dray_object *objects = DRAY_NEW_N(arena, dray_object, state->changes.n + 1);
    dray_explain_gate *gates = DRAY_NEW_N(arena, dray_explain_gate, DRAY_GATE_COUNT);
    *ret = (dray_explain_fix){.fix = dray_fix_rows[found->fix].id,
                              .objects = objects,
                              .gone = state->gone.v,
                              .n_gone = state->gone.n,
                              .gates = gates};
    for (size_t i = 0; i < state->changes.n; i++)
        if (state->changes.v[i].object.body != NULL)
            objects[ret->n_objects++] = state->changes.v[i].object;
    for (int g = 0; g < DRAY_GATE_COUNT; g++)
        if (state->gate_changed[g])
            gates[ret->n_gates++] =
                (dray_explain_gate){dray_gate_name((dray_gate)g), state->gates.on[g]};
    ret->sentence = fix_sentence(dray_fix_rows[found->fix].sentence, state->said, arena);
}

static void tell_fixes(dray_inquiry *q, const dray_state *state, const dray_route *path,
                       dray_explain_answer *ret) {
    dray_found_fix found[DRAY_EXPLAIN_FIXES];
    size_t n = dray_search_fixes(q, state, path, found, DRAY_EXPLAIN_FIXES);
    dray_explain_fix *v = DRAY_NEW_N(q->arena, dray_explain_fix, n + 1);
    for (size_t i = 0; i < n; i++)
        tell_fix(&found[i], q->arena, &v[i]);
    ret->fixes = v;
    ret->n_fixes = n;
}

static dray_state *first_state(dray_inquiry *q) {
    dray_state *state = DRAY_NEW(q->arena, dray_state);
    state->gates = *q->input->gates;
    state->base = q->base = dray_base_new(q->input, q->arena);
    return state;
}

/* Whether the Pod is none that waits: it ended, or it runs with all that it needs. */
static bool is_settled(dray_trial *t) {
    dray_finding f;
    dray_str phase = t->pod->status->phase;
    if (dray_str_is(phase, "Succeeded") || dray_str_is(phase, "Failed"))
        return true;
    return t->pod->spec->node_name.n != 0 && !dray_find_bypassed(t, &f);
}

dray_code dray_explain_ask(dray_celk8s *celk8s, const dray_explain_input *input, dray_arena *arena,
                           dray_explain_answer *ret, dray_err *err) {
    DRAY_CLEANUP_ARENA dray_arena *eval = dray_cel_scratch_new();
    dray_inquiry q = {.input = input, .celk8s = celk8s, .arena = arena, .eval = eval};
    dray_state *state = first_state(&q);
    dray_explain_answer answer = {.pending = true};
    dray_trial t;
    dray_trial_open(&q, state, &t);
    bool there = t.pod != NULL, settled = there && is_settled(&t);
    if (there && (settled || t.fits)) {
        answer.pending = false;
        answer.node = settled ? t.pod->spec->node_name : DRAY_STR_NONE;
        for (size_t i = 0; i < t.answer.n_nodes && answer.node.n == 0; i++)
            if (t.answer.nodes[i].feasible)
                answer.node = dray_str_dup(arena, t.answer.nodes[i].name);
    }
    answer.runs = settled;
    if (there && input->report)
        dray_report_fill(&t, &answer);
    dray_trial_close(&t);
    if (there && answer.pending) {
        dray_route path;
        dray_search_route(&q, state, &path);
        tell_causes(&path, arena, &answer);
        tell_fixes(&q, state, &path, &answer);
    }
    dray_picture_free(q.picture);
    if (!there)
        return dray_err_set(err, DRAY_E_NOT_FOUND, "pods \"" DRAY_FMT "/" DRAY_FMT "\" not found",
                            DRAY_ARG(input->ns), DRAY_ARG(input->pod));
    *ret = answer;
    return DRAY_OK;
}
