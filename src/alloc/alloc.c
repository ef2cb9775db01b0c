/* The allocator's front: jobs, and a job's run on one node. */
#include "alloc/walk_int.h"

#include <stdlib.h>

enum { LOG_KEPT = 1 << 16 }; /* undo records kept from run to run */

/* Upstream takes the first of three implementations that knows all features that are on. */
static dray_features features_of(const dray_gates *gates) {
    dray_features f = {
        .admin = dray_gates_on(gates, DRAY_GATE_DRAAdminAccess),
        .prioritized = dray_gates_on(gates, DRAY_GATE_DRAPrioritizedList),
        .partitionable = dray_gates_on(gates, DRAY_GATE_DRAPartitionableDevices),
        .taints = dray_gates_on(gates, DRAY_GATE_DRADeviceTaints),
        .binding = dray_gates_on(gates, DRAY_GATE_DRADeviceBindingConditions) &&
                   dray_gates_on(gates, DRAY_GATE_DRAResourceClaimDeviceStatus),
        .consumable = dray_gates_on(gates, DRAY_GATE_DRAConsumableCapacity),
        .fractional = dray_gates_on(gates, DRAY_GATE_DRAFractionalCapacityRange),
        .lists = dray_gates_on(gates, DRAY_GATE_DRAListTypeAttributes),
        .node_ops = dray_gates_on(gates, DRAY_GATE_DRAOptionalNodeOperations),
        .derived = dray_gates_on(gates, DRAY_GATE_DRADerivedAttributes),
        .groups = dray_gates_on(gates, DRAY_GATE_DRADeviceCompatibilityGroups),
    };
    if (f.lists || f.node_ops || f.derived || f.groups)
        f.variant = DRAY_EXPERIMENTAL;
    else if (f.binding || f.consumable || f.fractional)
        f.variant = DRAY_INCUBATING;
    return f;
}

dray_alloc *dray_alloc_new(dray_cluster *cluster) {
    dray_alloc *alloc = dray_calloc(1, sizeof *alloc);
    alloc->cluster = cluster;
    alloc->features = features_of(dray_cluster_gates(cluster));
    alloc->selects = dray_selects_new(cluster);
    return alloc;
}

void dray_alloc_free(dray_alloc *alloc) {
    if (alloc == NULL)
        return;
    dray_selects_free(alloc->selects);
    if (alloc->scratch != NULL)
        dray_arena_free(alloc->scratch);
    free(alloc->log);
    free(alloc);
}

void dray_alloc_share(dray_alloc *alloc, dray_celk8s *celk8s) {
    dray_selects_share(alloc->selects, celk8s);
}

void dray_alloc_forget(dray_alloc *alloc) {
    dray_selects_forget(alloc->selects);
}

static const char *const cause_ids[] = {
#define CAUSE(name, id) [DRAY_ALLOC_CAUSE_##name] = id,
#include "alloc/causes.def"
#undef CAUSE
};

const char *dray_alloc_cause_id(dray_alloc_cause cause) {
    return cause_ids[cause];
}

dray_alloc_job *dray_alloc_begin(dray_alloc *alloc, const dray_resource_claim *const *claims,
                                 size_t n, const dray_alloc_options *options, dray_arena *arena) {
    /* What is compiled may have gone. */
    if (dray_selects_trim(alloc->selects))
        memset(alloc->recent, 0, sizeof alloc->recent);
    dray_alloc_job *job = dray_job_new(alloc, claims, n, arena);
    job->options = *options;
    return job;
}

/* A piece of what is being cut up; all of it is aligned for any type. */
static void *cut(char **at, size_t bytes) {
    void *piece = *at;
    *at += (bytes + 15) & ~(size_t)15;
    return piece;
}

/* Frames and picks are written before they are read. */
static void *unset(dray_arena *arena, size_t bytes) {
    uintptr_t at = (uintptr_t)dray_arena_bytes(arena, bytes + 15);
    return (void *)((at + 15) & ~(uintptr_t)15);
}

void dray_run_make_frames(dray_run *run, size_t n) {
    run->frames = unset(run->scratch, n * sizeof *run->frames);
}

/* In one piece: most jobs are so small that asking for memory is a good part of their time. */
void dray_run_make_room(dray_run *run) {
    enum { PIECES = 7, SPARE_MAX = 64 };
    const dray_alloc_job *job = run->job;
    size_t words = run->view->n_words, kinds = job->kinds.n, alts = job->has_all ? job->alts.n : 0;
    size_t spare = kinds * 3 * words;
    run->n_spare = spare <= SPARE_MAX ? spare : 0;
    /* Each counts things that are there already: no sum of them is too large. */
    char *at = dray_arena_alloc(
        run->scratch, kinds * sizeof *run->findings + alts * sizeof *run->alls +
                          (words + run->n_spare) * sizeof *run->taken +
                          run->view->n_pools * sizeof *run->pools +
                          job->constraints.n * sizeof *run->constraints +
                          job->n_claims * sizeof *run->claim_picks +
                          (job->requests.n + 1) * sizeof *run->chosen + PIECES * (size_t)16);
    run->findings = cut(&at, kinds * sizeof *run->findings);
    run->alls = cut(&at, alts * sizeof *run->alls);
    run->taken = cut(&at, (words + run->n_spare) * sizeof *run->taken);
    run->spare = run->taken + words;
    run->pools = cut(&at, run->view->n_pools * sizeof *run->pools);
    run->constraints = cut(&at, job->constraints.n * sizeof *run->constraints);
    run->claim_picks = cut(&at, job->n_claims * sizeof *run->claim_picks);
    run->chosen = cut(&at, (job->requests.n + 1) * sizeof *run->chosen);
    run->picks = unset(run->scratch, (job->n_decisions + 1) * sizeof *run->picks);
    dray_run_make_frames(run, job->n_decisions + 1);
    if (!job->has_admin)
        return;
    run->taken_admin = DRAY_NEW_N(run->scratch, uint64_t *, job->n_claims + 1);
    for (size_t i = 0; i < job->n_claims; i++)
        run->taken_admin[i] = DRAY_NEW_N(run->scratch, uint64_t, words + 1);
}

static void conclude(dray_run *run, dray_end end, dray_alloc_outcome *ret) {
    if (end == DRAY_END_FOUND && dray_run_results(run, ret)) {
        ret->kind = DRAY_ALLOC_FITS;
        return;
    }
    if (run->gave_up) {
        ret->kind = DRAY_ALLOC_GAVE_UP;
        return;
    }
    if (end == DRAY_END_EXCEEDED)
        run->error = DRAY_STR("allocation max size exceeded");
    if (end == DRAY_END_FAILED && run->view->has_invalid) {
        run->error = DRAY_STR("invalid resource pools were encountered");
        run->node_local = true;
    }
    ret->kind = run->error.p != NULL ? DRAY_ALLOC_ERROR : DRAY_ALLOC_DOES_NOT_FIT;
}

static void want(dray_run *run, const dray_alloc_options *options) {
    if (options->n_picks == 0)
        return;
    dray_run_make_wishes(run);
    dray_run_want(run, 0, options->picks, options->n_picks,
                  DRAY_NEW_N(run->scratch, uint32_t, options->n_picks));
}

static void run_on(dray_run *run, dray_alloc_outcome *ret) {
    dray_err err = DRAY_ERR_INIT;
    dray_end end = DRAY_END_STOPPED;
    if (dray_cluster_view(run->job->alloc->cluster, run->node, &run->view, &err) != DRAY_OK) {
        run->error = dray_strf(run->arena, "gather pool information: %s", dray_err_text(&err));
        ret->kind = DRAY_ALLOC_ERROR;
        dray_err_done(&err);
    } else {
        dray_run_make_room(run);
        want(run, &run->job->options);
        if (dray_run_check(run))
            end = dray_run_search(run);
        conclude(run, end, ret);
        if (ret->kind != DRAY_ALLOC_FITS && run->job->options.reasons)
            dray_run_reasons(run, ret);
    }
    ret->error = run->error;
    ret->node_local = run->node_local;
    ret->of_device = run->of_device;
    ret->timed_out = run->timed_out;
    ret->steps = run->steps;
}

void dray_alloc_run(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                    dray_alloc_outcome *ret) {
    *ret = (dray_alloc_outcome){0};
    if (job->n_claims == 0) {
        ret->allocations = DRAY_NEW(arena, dray_resource_allocation_result);
        return;
    }
    dray_alloc *alloc = job->alloc;
    if (alloc->scratch == NULL)
        alloc->scratch = dray_arena_new(0);
    dray_run run = {.job = job,
                    .node = node,
                    .arena = arena,
                    .scratch = alloc->scratch,
                    .f = job->features,
                    .log = alloc->log,
                    .log_room = alloc->log_room};
    if (job->options.clock != NULL)
        run.deadline_ns = job->options.clock(job->options.clock_context) + job->options.limit_ns;
    run_on(&run, ret);
    alloc->log = run.log;
    alloc->log_room = run.log_room;
    if (run.log_room > LOG_KEPT) {
        free(run.log);
        alloc->log = NULL;
        alloc->log_room = 0;
    }
    dray_arena_reset(alloc->scratch);
}
