/* Preemption for a group: all of lower priority away, the group placed, as many as possible back.
 */
#include "plan/dynamic.h"
#include "plan/evict.h"
#include "plan/gang_try.h"
#include "plan/place.h"
#include "plan/victims.h"

#define HEAD "pod group preemption: "

/* Where a Pod of the group would go, and its cycle as it was then: with those before it there and
 * all victims away. Later changes are told to it one by one, as upstream does. */
typedef struct place {
    dray_plan_pod *pod;
    dray_plan_node *node;
    dray_plan_cycle *cycle;
} place;

typedef struct search {
    dray_plan_run_state *run;
    dray_plan *plan;
    dray_arena *lasting, *arena;
    dray_plan_pod ***before; /* by node: its Pods in their order */
    size_t *n_before;
    DRAY_VEC(place) places;
    bool devices; /* what is evicted counts for devices, or devices for what nodes can spare */
} search;

static void remember(search *s) {
    const dray_plan_world *world = &s->plan->world;
    s->before = DRAY_NEW_N(s->lasting, dray_plan_pod **, world->n_nodes);
    s->n_before = DRAY_NEW_N(s->lasting, size_t, world->n_nodes);
    for (size_t i = 0; i < world->n_nodes; i++) {
        size_t n = s->n_before[i] = world->nodes[i].pods.n;
        s->before[i] = DRAY_NEW_N(s->lasting, dray_plan_pod *, n);
        if (n != 0)
            memcpy(s->before[i], world->nodes[i].pods.v, n * sizeof(dray_plan_pod *));
    }
}

static void tell_cycles(search *s, const dray_plan_pod *victim, int delta) {
    for (size_t i = 0; i < s->places.n; i++)
        dray_plan_cycle_update(s->places.v[i].cycle, victim, victim->node, delta);
}

static void take_off(search *s, const dray_plan_unit *unit) {
    for (size_t i = 0; i < unit->n; i++) {
        dray_plan_take_off(s->plan, unit->pods[i], s->lasting);
        tell_cycles(s, unit->pods[i], -1);
    }
}

static void put_back(search *s, const dray_plan_unit *unit) {
    for (size_t i = 0; i < unit->n; i++) {
        dray_plan_put_back(s->plan, unit->pods[i]);
        tell_cycles(s, unit->pods[i], 1);
    }
}

/* Whoever is still away comes back, and the nodes have their Pods in the order from before. */
static void restore(search *s, dray_plan_units units) {
    const dray_plan_world *world = &s->plan->world;
    for (size_t u = 0; u < units.n; u++)
        for (size_t i = 0; i < units.v[u].n; i++)
            if (units.v[u].pods[i]->evicted)
                dray_plan_put_back(s->plan, units.v[u].pods[i]);
    for (size_t i = 0; i < world->n_nodes; i++)
        if (s->n_before[i] != 0)
            memcpy(world->nodes[i].pods.v, s->before[i], s->n_before[i] * sizeof(dray_plan_pod *));
}

/* Also those of groups that failed by themselves. Source: makeProposedAssignments. */
static void find_places(search *s, const dray_plan_group_result *r) {
    for (size_t i = 0; i < r->n_members; i++)
        if (r->members[i].node != NULL)
            DRAY_PUSH(s->lasting, &s->places,
                      (place){r->members[i].pod, r->members[i].node, r->members[i].cycle});
    for (size_t i = 0; r->children != NULL && i < r->of->children.n; i++)
        if (r->children[i] != NULL)
            find_places(s, r->children[i]);
}

/* The Pod in its place, devices and all. */
static bool stands_with_devices(search *s, const place *p) {
    dray_err err = DRAY_ERR_INIT;
    bool ok = dray_plan_filter(p->cycle, p->node).code == DRAY_PLAN_OK &&
              dray_plan_place(p->cycle, p->node, s->run->options, &s->run->serial, &err) == DRAY_OK;
    dray_err_done(&err);
    return ok;
}

/* Whether the group's Pods can all stand where they would go. */
static bool all_stand(search *s) {
    size_t mark = s->plan->undo->steps.n, n = 0;
    uint64_t serial = s->run->serial;
    bool ok = true;
    /* Upstream puts the Pods there as they are in the queue, without such a status. */
    s->plan->without_shares = true;
    for (; n < s->places.n && ok; n++) {
        const place *p = &s->places.v[n];
        if (s->devices) {
            ok = stands_with_devices(s, p);
            continue;
        }
        /* Upstream's allocator was made before anybody was evicted: its answer stays. */
        p->cycle->skip[dray_plan_dynamic_slot()] = true;
        ok = dray_plan_filter(p->cycle, p->node).code == DRAY_PLAN_OK;
        if (!ok)
            break;
        dray_plan_node_add(&s->plan->world, p->node, p->pod);
    }
    for (size_t i = 0; i < n && !s->devices; i++)
        dray_plan_node_remove(&s->plan->world, s->places.v[i].node, s->places.v[i].pod);
    s->plan->without_shares = false;
    dray_plan_roll_back(s->plan, mark);
    s->run->serial = serial;
    return ok;
}

static void reprieve(search *s, dray_plan_units units, dray_plan_group_victims *ret) {
    dray_plan_unit *gone = DRAY_NEW_N(s->lasting, dray_plan_unit, units.n);
    size_t n = 0, pods = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < units.n; i++) {
            if ((units.v[i].violations != 0) != (round == 0))
                continue;
            put_back(s, &units.v[i]);
            if (all_stand(s))
                continue;
            take_off(s, &units.v[i]);
            gone[n++] = units.v[i];
            pods += units.v[i].n;
        }
    dray_sort(gone, n, sizeof *gone, dray_plan_unit_by_importance, NULL);
    ret->v = DRAY_NEW_N(s->lasting, dray_plan_pod *, pods);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < gone[i].n; k++)
            ret->v[ret->n++] = gone[i].pods[k];
}

typedef struct terminating {
    const dray_plan_world *world;
    int32_t priority;
    bool found;
} terminating;

/* Whether the Pod's node is one that it was promised and that victims are still leaving. */
static void look_for_victims(terminating *t, const dray_plan_gang *gang) {
    for (size_t i = 0; i < gang->members.n; i++) {
        dray_str name = gang->members.v[i]->pod->status->nominated_node_name;
        const dray_plan_node *node = name.n != 0 ? dray_plan_node_find(t->world, name) : NULL;
        for (size_t k = 0; node != NULL && k < node->pods.n; k++)
            t->found |= dray_plan_victim_priority(t->world, node->pods.v[k]) < t->priority &&
                        dray_plan_is_being_preempted(node->pods.v[k]->pod);
    }
    for (size_t i = 0; i < gang->children.n; i++)
        look_for_victims(t, gang->children.v[i]);
}

static dray_plan_group_verdict told(dray_plan_code code, dray_str text) {
    return (dray_plan_group_verdict){.code = code, .reasons = text};
}

static dray_plan_group_verdict evaluate(search *s, dray_plan_gang *root, dray_plan_units units,
                                        dray_plan_group_victims *ret) {
    for (size_t i = 0; i < units.n; i++)
        take_off(s, &units.v[i]);
    dray_plan_group_result *r = dray_plan_group_try(s->run, root, true, s->lasting, s->arena);
    dray_plan_roll_back(s->plan, 0);
    if (r->verdict.code != DRAY_PLAN_OK)
        return told(r->verdict.code,
                    dray_strf(s->lasting, HEAD DRAY_FMT,
                              DRAY_ARG(dray_plan_group_text(&r->verdict, s->lasting))));
    find_places(s, r);
    reprieve(s, units, ret);
    return told(DRAY_PLAN_OK,
                dray_strf(s->lasting, HEAD "found a placement for podgroup, preempting %zu victims",
                          ret->n));
}

dray_plan_group_verdict dray_plan_group_preempt(dray_plan_run_state *run, dray_plan_gang *root,
                                                dray_arena *lasting, dray_arena *arena,
                                                dray_plan_group_victims *ret) {
    dray_plan *plan = run->plan;
    search s = {
        .run = run,
        .plan = plan,
        .lasting = lasting,
        .arena = arena,
        .devices = plan->preempt_devices || plan->maps_allocatable,
    };
    int32_t priority = dray_plan_gang_priority(root);
    if (!dray_plan_gang_preempts(&plan->world, root))
        return told(DRAY_PLAN_UNSCHEDULABLE,
                    DRAY_STR(HEAD "not eligible due to preemptionPolicy=Never."));
    terminating t = {&plan->world, priority, false};
    look_for_victims(&t, root);
    if (t.found)
        return told(DRAY_PLAN_OK, DRAY_STR(HEAD "ongoing preemption on nominated nodes"));
    dray_plan_units units = dray_plan_units_below(plan, NULL, priority, lasting);
    if (units.n == 0)
        return told(DRAY_PLAN_UNRESOLVABLE,
                    DRAY_STR(HEAD "No preemption victims found for incoming preemptor"));
    dray_plan_undo undo = {.arena = lasting};
    uint64_t serial = run->serial;
    remember(&s);
    plan->undo = &undo;
    dray_plan_group_verdict verdict = evaluate(&s, root, units, ret);
    plan->undo = NULL;
    run->serial = serial;
    restore(&s, units);
    return verdict;
}
