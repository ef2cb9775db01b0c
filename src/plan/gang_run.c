/* A group's turn in a run: an attempt, what is set free for it, what its Pods are told. */
#include "plan/evict.h"
#include "plan/gang_try.h"
#include "plan/place.h"

typedef struct turn {
    dray_plan_run_state *run;
    dray_plan_gang *root;
    dray_arena *lasting, *arena;
    dray_plan_group_result *result;
    size_t n; /* members */
} turn;

static void collect(turn *t, dray_plan_gang *gang) {
    gang->members.n = 0;
    for (size_t i = 0; i < gang->queue.n; i++) {
        dray_plan_pod *pod = gang->queue.v[i];
        if (pod->node == NULL &&
            !dray_plan_is_held(t->run, pod, &t->run->result->pods[pod->slot], t->arena))
            DRAY_PUSH(t->run->plan->arena, &gang->members, pod);
        dray_arena_reset(t->arena);
    }
    t->n += gang->members.n;
    for (size_t i = 0; i < gang->children.n; i++)
        collect(t, gang->children.v[i]);
}

static size_t count_placed(const dray_plan_group_result *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_members; i++)
        n += r->members[i].pod->node != NULL;
    for (size_t i = 0; i < r->of->children.n; i++)
        n += count_placed(r->children[i]);
    return n;
}

/* --- what DynamicResources frees --- */

static const dray_resource_claim *claim_of(const turn *t, dray_str name) {
    return dray_cluster_find(t->run->plan->cluster, &dray_type_resource_claim, t->root->ns, name);
}

static bool is_used_by(const dray_resource_claim *claim, dray_str uid) {
    const dray_resource_claim_status *s = claim->status;
    return s->reserved_for.n == 0 ||
           (s->reserved_for.n == 1 && dray_str_eq(s->reserved_for.v[0].uid, uid));
}

/* Claims that keep a member from some node, as they were before any was freed. */
typedef struct found_claims {
    const dray_resource_claim **v; /* NULL: it is not there */
    size_t n;
} found_claims;

static found_claims find_claims(const turn *t, const dray_plan_member *member) {
    size_t n = member->unavailable.n;
    found_claims found = {DRAY_NEW_N(t->lasting, const dray_resource_claim *, n), n};
    for (size_t i = 0; i < n; i++)
        found.v[i] = claim_of(t, member->unavailable.v[i]);
    return found;
}

/* Frees one of them that nobody but `uid` uses, also when it was freed already. */
static bool free_unavailable(const turn *t, const found_claims *found, dray_str uid) {
    for (size_t i = 0; i < found->n; i++) {
        if (found->v[i] == NULL || !is_used_by(found->v[i], uid))
            continue;
        if (!t->run->options->once)
            dray_plan_free_claim(t->run->plan, found->v[i]);
        return true;
    }
    return false;
}

/* Takes the group out of a claim that it holds. */
static bool unreserve(const turn *t) {
    const dray_scheduling_v1beta1_pod_group *group = t->root->group;
    for (size_t i = 0; i < group->spec->resource_claims.n; i++) {
        dray_str name = group->spec->resource_claims.v[i].resource_claim_name;
        const dray_resource_claim *claim = claim_of(t, name.p != NULL ? name : t->root->claims[i]);
        if (claim == NULL || claim->status->allocation == NULL)
            continue;
        for (size_t k = 0; k < claim->status->reserved_for.n; k++)
            if (dray_str_eq(claim->status->reserved_for.v[k].uid, group->metadata->uid)) {
                if (!t->run->options->once)
                    dray_plan_unreserve_claim(t->run->plan, claim, group->metadata->uid);
                return true;
            }
    }
    return false;
}

#define CLAIMS_DONE "deallocation and deletion of ResourceClaims completed"

/* What DynamicResources says about a group that found no place; UNRESOLVABLE: it is the last word.
 * *ret_freed: the group may find a place now. */
static dray_plan_group_verdict free_claims(const turn *t, bool *ret_freed) {
    dray_plan_group_verdict done = {.code = DRAY_PLAN_UNSCHEDULABLE,
                                    .reasons = DRAY_STR(CLAIMS_DONE)};
    const dray_plan_world *world = &t->run->plan->world;
    const dray_plan_group_result *r = t->result;
    *ret_freed = false;
    if (!dray_gates_on(&world->gates, DRAY_GATE_DynamicResourceAllocation) ||
        t->root->holds_groups ||
        (dray_gates_on(&world->gates, DRAY_GATE_TopologyAwareWorkloadScheduling) &&
         t->root->group->spec->scheduling_constraints != NULL))
        return (dray_plan_group_verdict){.code = DRAY_PLAN_UNSCHEDULABLE};
    bool kept = false;
    found_claims *found = DRAY_NEW_N(t->lasting, found_claims, r->n_members);
    for (size_t i = 0; i < r->n_members; i++)
        found[i] = find_claims(t, &r->members[i]);
    for (size_t i = 0; i < r->n_members; i++) {
        const dray_plan_member *member = &r->members[i];
        bool freed = free_unavailable(t, &found[i], member->pod->pod->metadata->uid);
        *ret_freed |= freed;
        kept |= !freed && !member->leftover;
    }
    if (!kept || !dray_gates_on(&world->gates, DRAY_GATE_DRAWorkloadResourceClaims) ||
        dray_plan_gang_placed(t->root) != 0)
        return done;
    for (size_t i = 0; i < r->n_members; i++)
        if (free_unavailable(t, &found[i], t->root->group->metadata->uid)) {
            *ret_freed = true;
            done.reasons = DRAY_STR("deallocation of PodGroup ResourceClaim completed");
            return done;
        }
    if (unreserve(t)) {
        *ret_freed = true;
        done =
            (dray_plan_group_verdict){.code = DRAY_PLAN_UNRESOLVABLE,
                                      .reasons = DRAY_STR("ResourceClaim unreserved for PodGroup")};
    }
    return done;
}

/* --- telling --- */

static void append_everywhere(dray_plan_group_result *r, dray_str text, dray_arena *arena) {
    dray_plan_group_add(&r->verdict, text, arena);
    for (size_t i = 0; i < r->of->children.n; i++)
        append_everywhere(r->children[i], text, arena);
}

static void fail_everywhere(dray_plan_group_result *r, dray_str text) {
    r->verdict = (dray_plan_group_verdict){.code = DRAY_PLAN_ERROR, .reasons = text};
    for (size_t i = 0; i < r->of->children.n; i++)
        fail_everywhere(r->children[i], text);
}

/* What the member is told that found a place in vain; absent: it keeps the place. */
static dray_str in_vain(const turn *t, const dray_plan_group_result *r, bool waiting) {
    dray_arena *arena = t->run->plan->arena;
    dray_str text = dray_plan_group_text(&r->verdict, arena);
    if (r->verdict.code == DRAY_PLAN_OK)
        return DRAY_STR_NONE;
    if (r->verdict.code == DRAY_PLAN_ERROR || waiting)
        return text;
    return dray_strf(arena, "pod group is unschedulable, " DRAY_FMT, DRAY_ARG(text));
}

static void tell(const turn *t, const dray_plan_group_result *r, bool waiting) {
    dray_arena *arena = t->run->plan->arena;
    bool error = r->verdict.code == DRAY_PLAN_ERROR;
    dray_str vain = in_vain(t, r, waiting);
    for (size_t i = 0; t->run->options->messages && i < r->of->members.n; i++) {
        dray_plan_placed *placed = &t->run->result->pods[r->of->members.v[i]->slot];
        bool tried = i < r->n_members, fits = tried && r->members[i].node != NULL;
        dray_str text = tried ? r->members[i].message : r->untried;
        if (fits || (error && tried && !r->members[i].error))
            text = vain;
        placed->message = text.p == NULL ? text : dray_plan_note(dray_str_dup(arena, text), arena);
    }
    for (size_t i = 0; i < r->of->children.n; i++)
        tell(t, r->children[i], waiting);
}

static dray_plan_pod *first_member(const dray_plan_gang *gang) {
    if (gang->members.n != 0)
        return gang->members.v[0];
    dray_plan_pod *found = NULL;
    for (size_t i = 0; i < gang->children.n && found == NULL; i++)
        found = first_member(gang->children.v[i]);
    return found;
}

/* --- the turn --- */

static bool attempt(turn *t) {
    dray_plan *plan = t->run->plan;
    dray_plan_undo undo = {.arena = t->lasting};
    dray_str invalid = dray_plan_gang_invalid(&plan->world, t->root, t->lasting);
    if (invalid.p != NULL) {
        t->result = DRAY_NEW(t->lasting, dray_plan_group_result);
        *t->result = (dray_plan_group_result){
            .of = t->root, .verdict = {.code = DRAY_PLAN_ERROR, .reasons = invalid}};
    } else {
        plan->undo = &undo;
        t->result = dray_plan_group_try(t->run, t->root, false, t->lasting, t->arena);
        plan->undo = NULL;
    }
    dray_plan_group_complete(t->result, t->lasting);
    return t->result->verdict.code == DRAY_PLAN_OK;
}

/* PodGroupPostFilter of both plugins. True when another attempt may end otherwise. */
static bool help(turn *t, bool *ret_waiting) {
    dray_plan_run_state *run = t->run;
    bool freed = false;
    dray_plan_group_verdict first = free_claims(t, &freed);
    *ret_waiting = false;
    if (freed && !run->options->once)
        return true;
    if (first.code == DRAY_PLAN_UNRESOLVABLE) {
        append_everywhere(t->result, first.reasons, t->lasting);
        return false;
    }
    if (!run->options->preemption && !run->options->messages)
        return false;
    dray_plan_group_victims victims = {0};
    dray_plan_group_verdict v =
        dray_plan_group_preempt(run, t->root, t->lasting, t->arena, &victims);
    *ret_waiting = v.code == DRAY_PLAN_OK;
    dray_plan_placed *for_whom = &run->result->pods[first_member(t->root)->slot];
    if (run->options->once)
        dray_plan_note_victims(run, for_whom, victims.v, victims.n);
    if (run->options->preemption && !run->options->once && victims.n != 0) {
        dray_plan_note_victims(run, for_whom, victims.v, victims.n);
        dray_plan_lose(run, victims.v, victims.n);
        return true;
    }
    dray_str text = v.reasons;
    if (v.code == DRAY_PLAN_ERROR) {
        fail_everywhere(
            t->result,
            dray_strf(t->lasting,
                      "error in \"DefaultPreemption\" PodGroupPostFilter plugins: " DRAY_FMT,
                      DRAY_ARG(text)));
        return false;
    }
    if (v.code == DRAY_PLAN_UNSCHEDULABLE && first.reasons.p != NULL)
        text =
            dray_strf(t->lasting, DRAY_FMT ", " DRAY_FMT, DRAY_ARG(first.reasons), DRAY_ARG(text));
    append_everywhere(t->result, text, t->lasting);
    return false;
}

size_t dray_plan_place_gang(dray_plan_run_state *run, dray_plan_gang *gang, dray_arena *arena) {
    DRAY_CLEANUP_ARENA dray_arena *lasting = dray_arena_new(0);
    turn t = {.run = run, .root = gang, .lasting = lasting, .arena = arena};
    size_t placed = 0;
    collect(&t, gang);
    /* Each claim is freed once, each Pod evicted or placed once: this ends. */
    while (t.n != 0) {
        bool ok = attempt(&t), waiting = false;
        if (!ok && t.result->verdict.code == DRAY_PLAN_UNSCHEDULABLE && help(&t, &waiting))
            continue;
        tell(&t, t.result, waiting);
        if (!ok)
            break;
        placed += count_placed(t.result);
        if (run->options->once)
            break;
        /* Those that found no place, though enough did, try again by themselves. */
        t.n = 0;
        collect(&t, gang);
    }
    return placed;
}
