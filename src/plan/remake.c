/* Evicting for good: what the Pod had is given back, and its controller makes it anew. */
#include "plan/evict.h"
#include "plan/gang.h"
#include "plan/place.h"
#include "plan/run_int.h"

#include "api/engine.h"

/* A Pod made anew so often in one run is not made again. */
enum { REMADE_MAX = 100 };

#define COPY(plan, from) \
    memcpy(dray_arena_alloc((plan)->arena, sizeof *(from)), (from), sizeof *(from))

bool dray_plan_comes_back(const dray_core_pod *pod) {
    const dray_meta_owner_reference *owner = dray_plan_controller_of(pod->metadata);
    return owner != NULL && !dray_str_is(owner->kind, "Node") &&
           !pod->metadata->deletion_timestamp.set;
}

/* The Pod as its controller makes it: another, of the same name. */
static dray_core_pod *made_anew(dray_plan *plan, const dray_core_pod *old) {
    dray_core_pod *pod = COPY(plan, old);
    pod->metadata = COPY(plan, old->metadata);
    pod->metadata->uid = dray_strf(plan->arena, DRAY_FMT "-again", DRAY_ARG(old->metadata->uid));
    pod->metadata->creation_timestamp = plan->now;
    pod->spec = COPY(plan, old->spec);
    pod->spec->node_name = DRAY_STR_NONE;
    pod->status = dray_api_new(&dray_type_core_pod_status, plan->arena);
    pod->status->phase = DRAY_STR("Pending");
    return pod;
}

/* Behind all that have at least its priority, and behind whoever is tried now. */
static void enqueue(dray_plan_run_state *run, dray_plan_pod *pod) {
    size_t n = run->result->n_pods++, at = n;
    pod->slot = n;
    run->by_slot[n] = pod;
    run->result->pods[n] = (dray_plan_placed){.pod = pod->pod};
    while (at > run->at + 1 && run->order[at - 1]->priority < pod->priority) {
        run->order[at] = run->order[at - 1];
        at--;
    }
    run->order[at] = pod;
    if (pod->gang != NULL)
        DRAY_PUSH(run->plan->arena, &pod->gang->queue, pod);
}

static void remake(dray_plan_run_state *run, dray_plan_pod *pod) {
    dray_plan *plan = run->plan;
    bool known = run->result->n_pods != 0 && run->by_slot[pod->slot] == pod;
    pod->remade++;
    pod->pod = made_anew(plan, pod->pod);
    pod->evicted = false;
    plan->pod_of_uid.arena = NULL;
    dray_plan_pod_sum(&plan->world, pod);
    if (known)
        run->result->pods[pod->slot].pod = pod->pod;
    else
        enqueue(run, pod);
    dray_plan_make_claims(plan, pod, run->options, &run->serial);
}

void dray_plan_lose(dray_plan_run_state *run, dray_plan_pod *const *pods, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool back = dray_plan_comes_back(pods[i]->pod) && pods[i]->remade < REMADE_MAX;
        dray_plan_evict_for_good(run->plan, pods[i]);
        if (back)
            remake(run, pods[i]);
    }
    run->freed |= n != 0;
}
