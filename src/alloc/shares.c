/* Devices as parts of wholes, where each stands for itself. */
#include "alloc/shares.h"

#include "alloc/trial_int.h"

/* A run that nothing is searched with. False: the devices can't be read. */
static bool open_run(dray_run *run, dray_alloc_job *job, dray_cluster_node *node,
                     dray_arena *arena) {
    dray_alloc *alloc = job->alloc;
    if (alloc->scratch == NULL)
        alloc->scratch = dray_arena_new(0);
    *run = (dray_run){
        .job = job, .node = node, .arena = arena, .scratch = alloc->scratch, .f = job->features};
    if (node->body == NULL || dray_cluster_view(alloc->cluster, node, &run->view, NULL) != DRAY_OK)
        return false;
    dray_run_make_room(run);
    return true;
}

/* Rounded up for what is taken, down for what is left. */
static uint16_t part(dray_amount amount, dray_amount whole, bool up) {
    if (amount <= 0 || whole <= 0)
        return 0;
    if (amount >= whole)
        return DRAY_ALLOC_WHOLE;
    /* Amounts may be near the top of their type; thousandths need no more than their head. */
    while (whole > DRAY_AMOUNT_MAX / DRAY_ALLOC_WHOLE) {
        whole /= 2;
        amount /= 2;
    }
    return (uint16_t)((amount * DRAY_ALLOC_WHOLE + (up ? whole - 1 : 0)) / whole);
}

static uint16_t share_of(dray_run *run, dray_kindred *kind, uint32_t pos) {
    if (dray_run_ask(run, kind, pos) <= 0)
        return 0;
    if (!dray_run_is_multi(run, pos))
        return DRAY_ALLOC_WHOLE;
    const dray_resource_device *device = dray_view_device(run->view, pos);
    const dray_amount *amounts = dray_run_amounts(run, kind, pos);
    uint16_t most = 1;
    for (size_t i = 0; i < device->capacity.n; i++) {
        uint16_t one = part(amounts[i], dray_amount_of(device->capacity.v[i].value), true);
        most = one > most ? one : most;
    }
    return most;
}

uint16_t *dray_alloc_shares(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                            size_t *ret_n) {
    dray_run run;
    uint16_t *shares = NULL;
    if (job->alts.n != 0 && open_run(&run, job, node, arena) && dray_run_check(&run)) {
        *ret_n = run.view->n_words * 64;
        shares = DRAY_NEW_N(arena, uint16_t, *ret_n + 1);
        for (uint32_t pos = 0; pos < *ret_n; pos++)
            if (dray_trial_is_device(&run, pos))
                shares[pos] = share_of(&run, job->alts.v[0].kind, pos);
    }
    if (job->alloc->scratch != NULL)
        dray_arena_reset(job->alloc->scratch);
    return shares;
}

static uint16_t left_of(dray_run *run, uint32_t pos) {
    const dray_view_word *w = dray_run_word(run, pos);
    if (dray_bit(w->slice->in_use, dray_run_device(run, pos)))
        return 0;
    if (!dray_run_is_multi(run, pos))
        return DRAY_ALLOC_WHOLE;
    const dray_resource_device *device = dray_view_device(run->view, pos);
    const dray_sharing *sharing = dray_run_sharing(run, pos);
    uint16_t least = DRAY_ALLOC_WHOLE;
    for (size_t i = 0; i < device->capacity.n; i++) {
        dray_amount whole = dray_amount_of(device->capacity.v[i].value);
        uint16_t one = whole > 0 ? part(sharing->left[i], whole, false) : DRAY_ALLOC_WHOLE;
        least = one < least ? one : least;
    }
    return least;
}

bool dray_alloc_stands_alone(dray_alloc *alloc, dray_cluster_node *node) {
    dray_view *view;
    if (node->body == NULL || dray_cluster_view(alloc->cluster, node, &view, NULL) != DRAY_OK)
        return false;
    for (uint32_t pos = 0; pos < view->n_words * 64; pos++) {
        const dray_view_word *w = &view->words[pos / 64];
        uint32_t device = w->word * 64 + pos % 64;
        if (device >= w->slice->n_devices || !dray_bit(view->reach, pos))
            continue;
        const dray_resource_device *body = dray_view_device(view, pos);
        size_t capacities = 0;
        for (size_t i = 0; i < body->capacity.n; i++)
            capacities += dray_amount_of(body->capacity.v[i].value) > 0;
        if (dray_bit(w->slice->counters, device) ||
            (dray_bit(w->slice->multi, device) && capacities > 1))
            return false;
    }
    return true;
}

uint16_t *dray_alloc_left(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                          size_t *ret_n) {
    dray_run run;
    uint16_t *left = NULL;
    if (open_run(&run, job, node, arena)) {
        *ret_n = run.view->n_words * 64;
        left = DRAY_NEW_N(arena, uint16_t, *ret_n + 1);
        for (uint32_t pos = 0; pos < *ret_n; pos++)
            if (dray_trial_is_device(&run, pos))
                left[pos] = left_of(&run, pos);
    }
    dray_arena_reset(job->alloc->scratch);
    return left;
}
