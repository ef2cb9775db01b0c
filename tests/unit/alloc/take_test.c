/* Taking and taking back: what is refused, and what is undone, leaves the state as it was. */
#include "alloc/alloc_int.h"
#include "model.h"

enum { PROBLEMS = 300, TRIES = 60 };

static dray_run open_run(world *w, const model *m, dray_alloc_job **ret_job) {
    dray_alloc_options options = {.results = true};
    *ret_job = dray_alloc_begin(w->alloc, w->claims, (size_t)m->n_claims, &options, w->arena);
    dray_run run = {.job = *ret_job,
                    .node = w->node,
                    .arena = w->arena,
                    .scratch = w->arena,
                    .f = (*ret_job)->features};
    (void)dray_cluster_view(w->cluster, w->node, &run.view, NULL);
    dray_run_make_room(&run);
    (void)dray_run_check(&run);
    run.error = DRAY_STR_NONE;
    return run;
}

/* Everything that a decision may change, byte for byte. */
static void write_state(dray_run *run, dray_buf *to) {
    dray_buf_clear(to);
    dray_buf_add(to, run->taken, run->view->n_words * sizeof *run->taken);
    dray_buf_add(to, &run->n_picks, sizeof run->n_picks);
    dray_buf_add(to, run->claim_picks, run->job->n_claims * sizeof *run->claim_picks);
    for (uint32_t p = 0; p < run->view->n_pools; p++) {
        const dray_pool_state_of_run *pool = dray_run_pool(run, p);
        dray_buf_add(to, pool->left, run->view->pools[p]->n_counters * sizeof *pool->left);
        dray_buf_add(to, &pool->overdrawn, sizeof pool->overdrawn);
    }
    for (size_t c = 0; c < run->job->constraints.n; c++)
        dray_buf_add(to, &run->constraints[c].n, sizeof run->constraints[c].n);
    for (uint32_t pos = 0; pos < run->view->n_words * 64; pos++) {
        if (pos % 64 >= dray_run_word(run, pos)->slice->n_devices || !dray_run_is_multi(run, pos))
            continue;
        const dray_sharing *s = dray_run_sharing(run, pos);
        size_t n = dray_view_device(run->view, pos)->capacity.n;
        if (n != 0)
            dray_buf_add(to, s->left, n * sizeof *s->left);
        dray_buf_add(to, &s->shares, sizeof s->shares);
    }
}

static bool take_and_undo(uint64_t seed) {
    model m;
    random_model(seed, &m);
    world w = make_world(&m);
    dray_alloc_job *job;
    dray_run run = open_run(&w, &m, &job);
    dray_buf before = DRAY_BUF_INIT, now = DRAY_BUF_INIT, start = DRAY_BUF_INIT;
    bool same = true;
    write_state(&run, &start);
    for (int i = 0; i < TRIES && job->alts.n > 0; i++) {
        const dray_alt *alt = &job->alts.v[random_below((int)job->alts.n)];
        uint32_t pos = (uint32_t)random_below(m.n_devices);
        if (run.n_picks == job->n_decisions ||
            run.claim_picks[alt->claim] == DRAY_ALLOC_RESULTS_MAX ||
            dray_run_ask(&run, alt->kind, pos) < 0)
            continue;
        write_state(&run, &before);
        size_t mark = run.n_log;
        int taken = dray_run_take(&run, alt, pos, false);
        if (taken > 0 && random_below(2) == 0)
            dray_run_undo(&run, mark);
        else if (taken > 0)
            continue;
        write_state(&run, &now);
        same &= dray_str_eq(dray_buf_str(&before), dray_buf_str(&now));
    }
    dray_run_undo(&run, 0);
    write_state(&run, &now);
    same &= dray_str_eq(dray_buf_str(&start), dray_buf_str(&now));
    free(run.log);
    dray_buf_done(&before);
    dray_buf_done(&now);
    dray_buf_done(&start);
    end_world(&w);
    return same;
}

int main(void) {
    int differ = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++)
        differ += !take_and_undo(seed);
    CHECK("a refused or undone decision leaves the state equal to the byte", differ == 0);
    dray_celk8s_free(compiler);
    return tap_end();
}
