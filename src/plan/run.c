/* Placing all pending Pods, one after another, each on what those before it leave. */
#include "plan/dynamic.h"
#include "plan/evict.h"
#include "plan/gang.h"
#include "plan/packing_int.h"
#include "plan/place.h"
#include "plan/run_int.h"
#include "plan/shape.h"

typedef dray_plan_run_state run;

static int by_priority(const void *a, const void *b, void *context) {
    const dray_plan_pod *x = *(dray_plan_pod *const *)a, *y = *(dray_plan_pod *const *)b;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return dray_time_cmp(x->pod->metadata->creation_timestamp,
                         y->pod->metadata->creation_timestamp);
}

static void set_message(dray_plan_placed *placed, dray_plan *plan, dray_str text) {
    placed->message = dray_str_dup(plan->arena, text);
}

static void tell_failure(run *r, dray_plan_cycle *cycle, const dray_plan_choice *choice,
                         dray_plan_placed *placed) {
    dray_arena *arena = cycle->arena;
    r->error = choice->rejected.code == DRAY_PLAN_ERROR || choice->error.code == DRAY_PLAN_ERROR;
    if (!r->options->messages)
        return;
    if (choice->rejected.code == DRAY_PLAN_ERROR) {
        set_message(placed, r->plan,
                    dray_strf(arena, "running PreFilter plugin \"%s\": " DRAY_FMT,
                              dray_plan_plugins[choice->rejected.plugin]->name,
                              DRAY_ARG(choice->rejected.reasons->v[0])));
    } else if (choice->error.code == DRAY_PLAN_ERROR) {
        set_message(placed, r->plan, dray_plan_error_text(choice->error, arena));
    } else {
        size_t n = r->plan->world.n_nodes;
        dray_plan_status *nodes = DRAY_NEW_N(arena, dray_plan_status, n);
        if (choice->nodes != NULL)
            memcpy(nodes, choice->nodes, n * sizeof *nodes);
        set_message(placed, r->plan, dray_plan_failed_message(cycle, choice->rejected, nodes));
    }
}

/* Kubernetes' text, and the template that is missing, if that is why. */
static dray_str waiting_text(const dray_plan *plan, const dray_core_pod *pod, dray_str held,
                             dray_arena *arena) {
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++) {
        dray_str name = pod->spec->resource_claims.v[i].resource_claim_template_name;
        if (name.p != NULL && dray_str_ends(held, DRAY_STR("not created yet")) &&
            dray_cluster_find(plan->cluster, &dray_type_resource_claim_template,
                              pod->metadata->namespace, name) == NULL)
            return dray_strf(
                arena, DRAY_FMT " (there is no ResourceClaimTemplate " DRAY_FMT "/" DRAY_FMT ")",
                DRAY_ARG(held), DRAY_ARG(pod->metadata->namespace), DRAY_ARG(name));
    }
    return held;
}

bool dray_plan_is_held(dray_plan_run_state *r, dray_plan_pod *pod, dray_plan_placed *placed,
                       dray_arena *arena) {
    dray_plan_cycle cycle;
    dray_plan_cycle_init(&cycle, r->plan, pod, arena);
    dray_str held = dray_plan_pre_enqueue(&cycle);
    placed->waits = held.p != NULL;
    if (held.p != NULL)
        set_message(placed, r->plan, waiting_text(r->plan, pod->pod, held, arena));
    return held.p != NULL;
}

static void note_victim(run *r, dray_plan_placed *placed, const dray_plan_pod *pod, size_t at) {
    dray_plan_placed *own = &r->result->pods[pod->slot];
    placed->victims[at] = pod->given;
    if (r->result->n_pods != 0 && r->by_slot[pod->slot] == pod)
        set_message(own, r->plan,
                    dray_strf(r->plan->arena, "preempted by " DRAY_FMT "/" DRAY_FMT,
                              DRAY_ARG(placed->pod->metadata->namespace),
                              DRAY_ARG(placed->pod->metadata->name)));
}

void dray_plan_note_victims(dray_plan_run_state *r, dray_plan_placed *placed,
                            dray_plan_pod *const *pods, size_t n) {
    const dray_core_pod **list =
        DRAY_NEW_N(r->plan->arena, const dray_core_pod *, placed->n_victims + n);
    if (placed->n_victims != 0)
        memcpy(list, placed->victims, placed->n_victims * sizeof *list);
    placed->victims = list;
    for (size_t i = 0; i < n; i++)
        note_victim(r, placed, pods[i], placed->n_victims++);
}

/* Evicts those whom DefaultPreemption picks; true when there were any. */
static bool preempt(run *r, dray_plan_cycle *cycle, const dray_plan_choice *choice,
                    dray_plan_placed *placed) {
    if ((!r->options->preemption && !r->options->once) || cycle->pod->gang != NULL ||
        choice->nodes == NULL || choice->rejected.code != DRAY_PLAN_OK ||
        choice->error.code == DRAY_PLAN_ERROR)
        return false;
    dray_plan_status status;
    dray_plan_victims victims = dray_plan_find_victims(cycle, choice->nodes, &status);
    if (victims.n == 0)
        return false;
    dray_plan_note_victims(r, placed, victims.v, victims.n);
    if (r->options->once)
        return false;
    dray_plan_lose(r, victims.v, victims.n);
    return true;
}

static void look(run *r, const dray_plan_cycle *cycle) {
    const dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    for (size_t i = 0; state != NULL && i < state->n; i++)
        if (state->claims[i].unavailable)
            DRAY_PUSH(r->looks.arena, &r->looks.unavailable,
                      state->claims[i].claim->metadata->name);
    r->looks.leftover = state != NULL && state->leftover;
}

/* The first node that upstream's attempt would have ended at. */
static void note_passed(run *r, const dray_plan_choice *choice, dray_plan_placed *placed) {
    const dray_plan_world *world = &r->plan->world;
    bool none = choice->nodes == NULL || choice->none_ends;
    for (size_t i = 0; i < world->n_nodes && !none; i++)
        if (choice->nodes[i].ends) {
            placed->passed_node = world->nodes[i].name;
            placed->passed_error = dray_plan_error_text(choice->nodes[i], r->plan->arena);
            return;
        }
}

bool dray_plan_try(dray_plan_run_state *r, dray_plan_pod *pod, dray_plan_placed *placed,
                   dray_arena *arena, bool *ret_again) {
    dray_plan_cycle cycle;
    dray_plan_choice choice;
    *ret_again = false;
    dray_plan_cycle_init(&cycle, r->plan, pod, arena);
    if (r->plan->world.n_nodes == 0) {
        set_message(placed, r->plan, DRAY_STR("no nodes available to schedule pods"));
        return false;
    }
    dray_plan_choose(&cycle, &choice);
    if (pod->gang != NULL)
        look(r, &cycle);
    if (r->cycle != NULL)
        *r->cycle = cycle;
    if (choice.best == NULL) {
        *ret_again = pod->gang == NULL && !r->options->once &&
                     choice.rejected.code == DRAY_PLAN_OK && dray_plan_deallocate(&cycle);
        *ret_again = *ret_again || preempt(r, &cycle, &choice, placed);
        if (!*ret_again)
            tell_failure(r, &cycle, &choice, placed);
        return false;
    }
    note_passed(r, &choice, placed);
    dray_err err = DRAY_ERR_INIT;
    bool ok = dray_plan_place(&cycle, choice.best, r->options, &r->serial, &err) == DRAY_OK;
    if (!ok)
        set_message(placed, r->plan, dray_str_of(dray_err_text(&err)));
    dray_err_done(&err);
    return ok;
}

/* A Pod that others, placed later, may make room for. */
static bool may_profit(const dray_plan_pod *pod) {
    return pod->need.n != 0 || pod->pod->spec->topology_spread_constraints.n != 0;
}

static bool place_pod(run *r, dray_plan_pod *pod, dray_arena *arena) {
    dray_plan_placed *to = &r->result->pods[pod->slot];
    bool again = !dray_plan_is_held(r, pod, to, arena);
    /* Each deallocation frees one claim of the Pod, each eviction takes a Pod away: this ends. */
    while (again && pod->node == NULL) {
        dray_plan_try(r, pod, to, arena, &again);
        dray_arena_reset(arena);
    }
    return pod->node != NULL;
}

static size_t place_round(run *r, bool all, dray_arena *arena) {
    size_t placed = 0;
    r->round++;
    r->freed = false;
    for (size_t i = 0; i < r->result->n_pods; i++) {
        dray_plan_pod *pod = r->order[i];
        r->at = i;
        dray_plan_gang *root = pod->gang != NULL ? dray_plan_gang_root(pod->gang) : NULL;
        if (pod->node != NULL || (!all && !may_profit(pod)) ||
            (root != NULL && root->round == r->round))
            continue;
        if (root != NULL) {
            root->round = r->round;
            placed += dray_plan_place_gang(r, root, arena);
        } else {
            placed += place_pod(r, pod, arena);
        }
        if (r->options->progress != NULL)
            r->options->progress(r->options->progress_context, ++r->tried, r->placed + placed);
    }
    r->placed += placed;
    return placed;
}

static void write_claims(const dray_plan *plan, dray_plan_placed *placed, dray_arena *arena) {
    const dray_core_pod *pod = placed->after;
    DRAY_VEC(const dray_resource_claim *) claims = {0};
    for (size_t i = 0; i <= pod->spec->resource_claims.n; i++) {
        dray_str name = DRAY_STR_NONE;
        if (i < pod->spec->resource_claims.n) {
            const dray_core_pod_resource_claim *entry = &pod->spec->resource_claims.v[i];
            name = entry->resource_claim_name;
            for (size_t k = 0; k < pod->status->resource_claim_statuses.n; k++)
                if (dray_str_eq(pod->status->resource_claim_statuses.v[k].name, entry->name))
                    name = pod->status->resource_claim_statuses.v[k].resource_claim_name;
        } else if (pod->status->extended_resource_claim_status != NULL) {
            name = pod->status->extended_resource_claim_status->resource_claim_name;
        }
        const dray_resource_claim *claim =
            name.n == 0 ? NULL
                        : dray_cluster_find(plan->cluster, &dray_type_resource_claim,
                                            pod->metadata->namespace, name);
        if (claim != NULL)
            DRAY_PUSH(arena, &claims, claim);
    }
    placed->claims = claims.v;
    placed->n_claims = claims.n;
}

void dray_plan_run(dray_plan *plan, const dray_plan_run_options *options, dray_arena *arena,
                   dray_plan_result *ret) {
    dray_plan_world *world = &plan->world;
    run r = {.plan = plan, .options = options, .result = ret};
    plan->preempt_devices = options->preemption && options->preempt_devices;
    plan->keeps = !plan->preempt_devices && !plan->without_shapes;
    *ret = (dray_plan_result){.pods = DRAY_NEW_N(arena, dray_plan_placed, world->pods.n)};
    r.order = DRAY_NEW_N(arena, dray_plan_pod *, world->pods.n);
    for (size_t i = 0; i < world->pods.n; i++) {
        dray_plan_pod *pod = world->pods.v[i];
        if (!dray_plan_is_pending(pod))
            continue;
        pod->slot = ret->n_pods;
        ret->pods[ret->n_pods].pod = pod->pod;
        r.order[ret->n_pods++] = pod;
        dray_plan_make_claims(plan, pod, options, &r.serial);
    }
    if (options->packing != DRAY_PACKING_FIRST)
        plan->packing = dray_plan_packing_new(plan, options->packing);
    r.by_slot = DRAY_NEW_N(arena, dray_plan_pod *, world->pods.n);
    if (ret->n_pods != 0)
        memcpy(r.by_slot, r.order, ret->n_pods * sizeof *r.by_slot);
    dray_sort(r.order, ret->n_pods, sizeof *r.order, by_priority, NULL);
    for (size_t i = 0; i < ret->n_pods; i++)
        if (r.order[i]->gang != NULL)
            DRAY_PUSH(arena, &r.order[i]->gang->queue, r.order[i]);
    DRAY_CLEANUP_ARENA dray_arena *attempts = dray_arena_new(0);
    size_t placed;
    do {
        placed = place_round(&r, r.round == 0 || r.freed, attempts);
    } while ((placed != 0 || r.freed) && !options->once);
    for (size_t i = 0; i < ret->n_pods; i++) {
        dray_plan_placed *one = &ret->pods[i];
        one->after = r.by_slot[i]->pod;
        if (r.by_slot[i]->node != NULL) {
            one->node = r.by_slot[i]->node->name;
            one->message = DRAY_STR_NONE;
            ret->n_placed++;
        }
        write_claims(plan, one, arena);
    }
    plan->keeps = false;
    dray_plan_packing_free(plan->packing);
    plan->packing = NULL;
}
