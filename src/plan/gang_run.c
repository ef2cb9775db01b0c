/* Placing a group: its Pods one after another, and all undone when too few found a node. */
#include "plan/gang.h"
#include "plan/place.h"
#include "plan/run_int.h"

typedef struct attempt {
    dray_plan_run_state *run;
    dray_plan_gang *gang;
    DRAY_VEC(dray_plan_pod *) members; /* not placed and not held back */
    bool *fits;
    size_t tried;
    dray_str failure; /* absent: the group may stay */
    bool error;       /* the failure is an error, not a "no" */
} attempt;

static dray_plan_placed *placed_of(const attempt *a, size_t i) {
    return &a->run->result->pods[a->members.v[i]->slot];
}

/* Absent, or why the group can't get as many as it needs. */
static dray_str too_few(const attempt *a, size_t scheduled, size_t remaining, dray_arena *arena) {
    int64_t min = dray_plan_gang_min(a->gang);
    if ((int64_t)(scheduled + remaining) >= min)
        return DRAY_STR_NONE;
    return dray_strf(arena, "minCount (%jd) cannot be satisfied: %zu scheduled, %zu remaining",
                     (intmax_t)min, scheduled, remaining);
}

static void try_members(attempt *a, dray_arena *lasting, dray_arena *arena) {
    size_t scheduled = dray_plan_gang_placed(a->gang), n = a->members.n;
    a->failure = too_few(a, scheduled, n, lasting);
    for (size_t i = 0; i < n && a->failure.p == NULL; i++) {
        bool again;
        a->run->error = false;
        a->fits[i] = dray_plan_try(a->run, a->members.v[i], placed_of(a, i), arena, &again);
        a->tried++;
        scheduled += a->fits[i];
        if (a->run->error) {
            a->error = true;
            a->failure =
                dray_strf(lasting, "failed to schedule other pod from a pod group: " DRAY_FMT,
                          DRAY_ARG(placed_of(a, i)->message));
        } else {
            a->failure = too_few(a, scheduled, n - i - 1, lasting);
        }
        dray_arena_reset(arena);
    }
}

/* What DefaultPreemption says about a group when nobody can be evicted for it; absent otherwise. */
static dray_str no_victims(const attempt *a) {
    const dray_plan_world *world = &a->run->plan->world;
    if (dray_str_is(a->members.v[0]->pod->spec->preemption_policy, "Never"))
        return DRAY_STR(", deallocation and deletion of ResourceClaims completed"
                        ", pod group preemption: not eligible due to preemptionPolicy=Never.");
    for (size_t i = 0; i < world->pods.n; i++)
        if (world->pods.v[i]->node != NULL &&
            world->pods.v[i]->priority < a->members.v[0]->priority)
            return DRAY_STR("");
    return DRAY_STR(", pod group preemption: No preemption victims found for incoming preemptor");
}

static void tell_members(const attempt *a) {
    dray_arena *arena = a->run->plan->arena;
    const char *head = "pod group is unschedulable, ";
    for (size_t i = 0; a->run->options->messages && i < a->members.n; i++) {
        dray_str text = a->failure;
        if (a->error && i < a->tried && !a->fits[i])
            continue;
        if (!a->error && i < a->tried) {
            if (!a->fits[i])
                continue; /* it has its own reasons */
            text = dray_strf(arena, "%s" DRAY_FMT DRAY_FMT, head, DRAY_ARG(text),
                             DRAY_ARG(no_victims(a)));
        } else if (!a->error && a->tried == 0) {
            text = dray_strf(arena, "%s" DRAY_FMT, head, DRAY_ARG(text));
        }
        placed_of(a, i)->message = dray_plan_note(text, arena);
    }
}

static void collect(attempt *a, dray_arena *lasting, dray_arena *arena) {
    for (size_t i = 0; i < a->gang->queue.n; i++) {
        dray_plan_pod *pod = a->gang->queue.v[i];
        if (pod->node == NULL &&
            !dray_plan_is_held(a->run, pod, &a->run->result->pods[pod->slot], arena))
            DRAY_PUSH(lasting, &a->members, pod);
        dray_arena_reset(arena);
    }
}

size_t dray_plan_place_gang(dray_plan_run_state *run, dray_plan_gang *gang, dray_arena *arena) {
    DRAY_CLEANUP_ARENA dray_arena *lasting = dray_arena_new(0);
    attempt a = {.run = run, .gang = gang};
    collect(&a, lasting, arena);
    if (a.members.n == 0)
        return 0;
    a.fits = DRAY_NEW_N(lasting, bool, a.members.n);
    dray_plan_undo undo = {.arena = lasting};
    a.failure = dray_plan_gang_invalid(gang, lasting);
    a.error = a.failure.p != NULL;
    if (!a.error) {
        run->plan->undo = &undo;
        try_members(&a, lasting, arena);
        run->plan->undo = NULL;
    }
    if (a.failure.p == NULL) {
        size_t placed = 0;
        for (size_t i = 0; i < a.members.n; i++)
            placed += a.fits[i];
        return placed;
    }
    dray_plan_roll_back(run->plan, &undo);
    a.failure = dray_str_dup(run->plan->arena, a.failure);
    tell_members(&a);
    return 0;
}
