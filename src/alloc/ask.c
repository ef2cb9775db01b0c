/* Questions: whether anything at all completes the state. The order is then free: the request with
 * the least choice comes first, and what has failed often is taken for hard. An answer "nothing"
 * is a proof; an answer "something" is kept, and whatever the walk does in accord with it needs no
 * question. Asked where nothing that follows can fail. */
#include "alloc/prove_int.h"

#include <stdlib.h>

enum { FIRST_STEPS = 4000, LONGER = 4 };

struct dray_asking {
    uint32_t *order, *weights; /* weights by request: how often it has failed */
    uint64_t steps;            /* of the next question */
    uint64_t not_before;       /* steps at which it may be asked */
    bool is_due;               /* one has not been answered: then anew, from the first place on */
    dray_pick *answer;         /* a solution, in the order of the requests */
    uint32_t n_answer;         /* 0: none */
};

void dray_ask_begin(dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    struct dray_asking *a = proof->asking = DRAY_NEW(proof->arena, struct dray_asking);
    a->order = DRAY_NEW_N(proof->arena, uint32_t, job->requests.n + 1);
    a->weights = DRAY_NEW_N(proof->arena, uint32_t, job->requests.n + 1);
    a->answer = DRAY_NEW_N(proof->arena, dray_pick, job->n_decisions + 1);
    a->steps = FIRST_STEPS;
    proof->asked = DRAY_NEW_N(proof->arena, dray_rest *, job->requests.n + 1);
}

bool dray_ask_is_due(const dray_proof *proof) {
    return proof->asking->is_due && proof->run->steps >= proof->asking->not_before;
}

static int by_request(const void *a, const void *b) {
    const dray_pick *x = a, *y = b;
    if (x->alt != y->alt)
        return x->alt < y->alt ? -1 : 1;
    return x->pos < y->pos ? -1 : x->pos > y->pos;
}

void dray_ask_found(dray_proof *proof) {
    struct dray_asking *a = proof->asking;
    a->n_answer = proof->run->n_picks;
    memcpy(a->answer, proof->run->picks, a->n_answer * sizeof *a->answer);
    qsort(a->answer, a->n_answer, sizeof *a->answer, by_request);
}

/* Whether the solution that is known begins like the state. */
static bool is_answered(const dray_proof *proof, const dray_frame *frame) {
    const struct dray_asking *a = proof->asking;
    const dray_run *run = proof->run;
    if (run->n_picks >= a->n_answer ||
        memcmp(a->answer, run->picks, run->n_picks * sizeof *run->picks) != 0)
        return false;
    return frame->kind == DRAY_FRAME_CHOICE || a->answer[run->n_picks].alt == frame->alt;
}

/* The frame's own request first, where it is begun; the others in the order that is found. */
static void set_order(dray_proof *proof, const dray_frame *frame) {
    dray_run *run = proof->run;
    struct dray_asking *a = proof->asking;
    uint32_t n = 0;
    for (uint32_t r = frame->request; r < run->end; r++)
        a->order[n++] = r;
    run->order = a->order;
    run->end = n;
    dray_proof_renew_rest(proof, 0);
}

bool dray_ask_is_empty(dray_proof *proof, const dray_frame *frame) {
    dray_run *run = proof->run;
    struct dray_asking *a = proof->asking;
    if (run->steps < a->not_before || is_answered(proof, frame))
        return false;
    a->is_due = false;
    uint64_t begin = run->steps, failures = proof->failures;
    uint32_t end = run->end;
    dray_frame from = *frame;
    from.place = 0;
    set_order(proof, frame);
    run->asking = true;
    dray_end found = dray_run_search_from(run, &from, a->steps);
    run->asking = false;
    run->order = NULL;
    run->end = end;
    proof->failures = failures;
    if (found == DRAY_END_STOPPED) {
        a->not_before = run->steps + (run->steps - begin) / 4;
        a->steps *= LONGER;
        a->is_due = true;
    }
    return found != DRAY_END_FOUND && found != DRAY_END_STOPPED;
}

bool dray_ask_next(dray_proof *proof, dray_frame *frame) {
    dray_run *run = proof->run;
    uint32_t *order = proof->asking->order;
    dray_proof_renew_rest(proof, frame->place);
    frame->request = order[frame->place];
    if (dray_proof_remembers(proof, frame) || dray_bounds_refute(proof, frame))
        return true;
    uint32_t at = dray_bounds_hardest(proof, frame->place, proof->asking->weights);
    uint32_t best = order[at];
    order[at] = order[frame->place];
    order[frame->place] = best;
    const dray_request_slot *slot = &run->job->requests.v[best];
    frame->request = best;
    frame->claim = slot->claim;
    return false;
}

void dray_ask_failed(dray_proof *proof, const dray_frame *frame) {
    proof->asking->weights[frame->request]++;
}
