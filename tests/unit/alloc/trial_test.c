/* Trials on small random problems: they find a solution where there is one, leave nothing behind,
 * and what they find with a device that is wanted is what a run gives that wants the same. */
#include "model.h"

#include "alloc/trial.h"

enum { PROBLEMS = 600, CANDIDATES = 16 };

typedef struct sums {
    size_t solved, candidates, wanted;
} sums;

static bool has_pick(const dray_alloc_solution *s, const dray_alloc_pick *pick) {
    for (size_t i = 0; i < s->n; i++)
        if (s->picks[i].request == pick->request && s->picks[i].position == pick->position)
            return true;
    return false;
}

/* Names and requests of a run that wants all picks of the solution; in mode All nothing is wanted.
 */
static bool run_agrees(world *w, int n_claims, dray_alloc_trial *trial,
                       const dray_alloc_solution *s) {
    dray_alloc_pick picks[CLAIMS * REQUESTS * DEVICES];
    size_t n = 0, n_results = 0;
    for (size_t i = 0; i < s->n; i++)
        if (dray_alloc_trial_is_free(trial, 0, &s->picks[i]))
            picks[n++] = s->picks[i];
    dray_alloc_trial_end(trial);
    dray_alloc_options options = {.results = true, .picks = picks, .n_picks = n};
    dray_alloc_outcome out;
    dray_alloc_job *job =
        dray_alloc_begin(w->alloc, w->claims, (size_t)n_claims, &options, w->arena);
    dray_alloc_run(job, w->node, w->arena, &out);
    if (out.kind != DRAY_ALLOC_FITS)
        return false;
    for (int c = 0; c < n_claims; c++) {
        const dray_resource_device_allocation_result *devices = out.allocations[c].devices;
        for (size_t i = 0; i < devices->results.n; i++) {
            char name[16];
            /* The second slice has the devices, and begins the first word. */
            snprintf(name, sizeof name, "d%u", s->picks[n_results++].position);
            if (!dray_str_is(devices->results.v[i].device, name))
                return false;
        }
    }
    return n_results == s->n;
}

static dray_alloc_trial *open_trial(world *w, int n_claims) {
    static const dray_alloc_options none;
    const size_t ends[] = {(size_t)n_claims};
    dray_alloc_job *job = dray_alloc_begin(w->alloc, w->claims, (size_t)n_claims, &none, w->arena);
    return dray_alloc_trial_new(job, ends, 1, w->node, w->arena);
}

/* Each candidate of each pick of the first solution. */
static bool try_candidates(world *w, int n_claims, const dray_alloc_solution *first, sums *sum) {
    for (size_t i = 0; i < first->n; i++) {
        dray_alloc_trial *trial = open_trial(w, n_claims);
        uint32_t positions[CANDIDATES];
        dray_alloc_pick pick = first->picks[i];
        size_t n = dray_alloc_trial_is_free(trial, 0, &pick)
                       ? dray_alloc_trial_candidates(trial, 0, pick.request, pick.alternative, NULL,
                                                     0, positions, CANDIDATES)
                       : 0;
        dray_alloc_trial_end(trial);
        sum->candidates += n;
        for (size_t k = 0; k < n; k++) {
            dray_alloc_solution s;
            trial = open_trial(w, n_claims);
            pick.position = positions[k];
            if (!dray_alloc_trial_solve(trial, 0, first->alternatives, &pick, 1, &s)) {
                dray_alloc_trial_end(trial);
                continue;
            }
            sum->wanted++;
            if (!has_pick(&s, &pick) || !run_agrees(w, n_claims, trial, &s))
                return false;
        }
    }
    return true;
}

static bool leaves_nothing(dray_alloc_trial *trial, const dray_alloc_solution *s) {
    double left = dray_alloc_trial_left(trial), usable, before, taken;
    dray_alloc_trial_usable(trial, &before);
    if (!dray_alloc_trial_take(trial, 0, s))
        return false;
    taken = dray_alloc_trial_left(trial);
    dray_alloc_trial_back(trial);
    dray_alloc_trial_usable(trial, &usable);
    return taken <= left && dray_alloc_trial_left(trial) == left && usable == before;
}

static bool agree(uint64_t seed, sums *sum) {
    model m;
    random_model(seed, &m);
    world w = make_world(&m);
    dray_alloc_options options = {.results = true};
    dray_alloc_outcome out;
    dray_alloc_solution s;
    dray_alloc_job *job =
        dray_alloc_begin(w.alloc, w.claims, (size_t)m.n_claims, &options, w.arena);
    dray_alloc_run(job, w.node, w.arena, &out);
    dray_alloc_trial *trial = open_trial(&w, m.n_claims);
    bool solved = dray_alloc_trial_best(trial, 0, &s);
    bool ok = solved == (out.kind == DRAY_ALLOC_FITS);
    if (solved && ok) {
        sum->solved++;
        ok = leaves_nothing(trial, &s);
        /* As high as Kubernetes' own for the first request that has any, or higher. */
        for (size_t r = 0; r < s.n_requests && ok && s.alternatives[r] == out.chosen[r]; r++)
            ok = r + 1 == s.n_requests || s.alternatives[r + 1] <= out.chosen[r + 1] ||
                 s.alternatives[r] < out.chosen[r];
    }
    dray_alloc_trial_end(trial);
    ok = ok && (!solved || try_candidates(&w, m.n_claims, &s, sum));
    if (!ok)
        printf("# problem %d\n", (int)seed);
    end_world(&w);
    return ok;
}

int main(void) {
    sums sum = {0};
    int differ = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS && differ < 5; seed++)
        differ += !agree(seed, &sum);
    CHECK("trials find what runs find, and give it back whole", differ == 0);
    printf("# %zu solved, %zu candidates, %zu solutions with one\n", sum.solved, sum.candidates,
           sum.wanted);
    CHECK("many solutions were asked for a device",
          sum.solved > 100 && sum.wanted > sum.solved && sum.candidates > sum.wanted);
    dray_celk8s_free(compiler);
    return tap_end();
}
