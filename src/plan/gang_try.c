/* Placing a group: its Pods one after another, the groups that it holds one after another, in each
 * place that its topology allows; all undone when too few found a node. */
#include "plan/gang_try.h"

#include "plan/dynamic.h"
#include "plan/place.h"

#define UNSCHEDULABLE "pod group is unschedulable"

typedef dray_plan_group_result result;

typedef struct attempt {
    dray_plan_run_state *run;
    dray_arena *lasting, *arena;
    bool by_topology; /* TopologyAwareWorkloadScheduling */
    bool keep_cycles;
} attempt;

/* Where a group may go together. */
typedef struct placement {
    dray_plan_sight sight;
    result *result; /* NULL: not tried, or it failed */
    int64_t members, cpu, memory;
} placement;
typedef DRAY_VEC(placement) placements;

dray_str dray_plan_group_text(const dray_plan_group_verdict *v, dray_arena *arena) {
    if (!v->unschedulable)
        return v->reasons;
    if (v->reasons.n == 0)
        return DRAY_STR(UNSCHEDULABLE);
    return dray_strf(arena, UNSCHEDULABLE ", " DRAY_FMT, DRAY_ARG(v->reasons));
}

void dray_plan_group_add(dray_plan_group_verdict *v, dray_str reason, dray_arena *arena) {
    v->reasons = v->reasons.p == NULL ? dray_str_dup(arena, reason)
                                      : dray_strf(arena, DRAY_FMT ", " DRAY_FMT,
                                                  DRAY_ARG(v->reasons), DRAY_ARG(reason));
}

/* What is left of the status when it is wrapped in another. */
static dray_str bare(const dray_plan_group_verdict *v) {
    return v->unschedulable ? DRAY_STR(UNSCHEDULABLE) : v->reasons;
}

static dray_plan_group_verdict because(dray_plan_code code, dray_str reasons) {
    return (dray_plan_group_verdict){.code = code, .reasons = reasons};
}

/* Whether minCount can still be had. Source: GangScheduling.PlacementFeasible. */
static dray_plan_group_verdict feasible(const attempt *a, const dray_plan_gang *gang,
                                        size_t scheduled, size_t remaining) {
    int64_t min = dray_plan_gang_min(gang);
    bool never = (int64_t)(scheduled + remaining) < min;
    if (!never && (int64_t)scheduled >= min)
        return (dray_plan_group_verdict){.code = DRAY_PLAN_OK};
    return (dray_plan_group_verdict){
        .code = DRAY_PLAN_UNSCHEDULABLE,
        .waits = !never,
        .reasons =
            dray_strf(a->lasting, "minCount (%jd) %s: %zu scheduled, %zu remaining", (intmax_t)min,
                      never ? "cannot be satisfied" : "is not yet satisfied", scheduled, remaining),
    };
}

static size_t mark_of(const attempt *a) {
    return a->run->plan->undo->steps.n;
}

static void roll_back(const attempt *a, size_t mark) {
    dray_plan_roll_back(a->run->plan, mark);
}

/* Ends a group's turn: what waits is refused, and what is refused leaves nothing behind. */
static void settle(const attempt *a, result *r, size_t mark) {
    if (r->verdict.waits)
        r->verdict.unschedulable = true;
    r->verdict.waits = false;
    if (r->verdict.code == DRAY_PLAN_OK)
        return;
    roll_back(a, mark);
    r->any = false;
}

static bool try_member(attempt *a, dray_plan_pod *pod, dray_plan_member *ret) {
    dray_plan_run_state *run = a->run;
    dray_plan_placed placed = {.pod = pod->given};
    bool again;
    run->error = false;
    run->looks = (dray_plan_looks){.arena = a->lasting};
    run->cycle = a->keep_cycles ? DRAY_NEW(a->lasting, dray_plan_cycle) : NULL;
    bool fits = dray_plan_try(run, pod, &placed, a->keep_cycles ? a->lasting : a->arena, &again);
    *ret = (dray_plan_member){
        .pod = pod,
        .node = fits ? pod->node : NULL,
        .cycle = run->cycle,
        .error = run->error,
        .message = dray_str_dup(a->lasting, placed.message),
        .unavailable = {run->looks.unavailable.v, run->looks.unavailable.n},
        .leftover = run->looks.leftover,
    };
    run->cycle = NULL;
    dray_arena_reset(a->arena);
    return fits;
}

static result *try_pods(attempt *a, dray_plan_gang *gang) {
    result *r = DRAY_NEW(a->lasting, result);
    size_t n = gang->members.n, scheduled = dray_plan_gang_placed(gang), mark = mark_of(a);
    r->of = gang;
    r->members = DRAY_NEW_N(a->lasting, dray_plan_member, n);
    r->verdict = feasible(a, gang, scheduled, n);
    if (r->verdict.code != DRAY_PLAN_OK && !r->verdict.waits) {
        r->verdict.unschedulable = true;
        return r;
    }
    while (r->n_members < n) {
        dray_plan_member *member = &r->members[r->n_members];
        bool fits = try_member(a, gang->members.v[r->n_members++], member);
        if (member->error) {
            r->verdict = because(
                DRAY_PLAN_ERROR,
                dray_strf(a->lasting, "failed to schedule other pod from a pod group: " DRAY_FMT,
                          DRAY_ARG(member->message)));
            break;
        }
        scheduled += fits;
        r->verdict = feasible(a, gang, scheduled, n - r->n_members);
        if (r->verdict.code != DRAY_PLAN_OK && !r->verdict.waits)
            break;
        r->any |= fits;
    }
    settle(a, r, mark);
    return r;
}

static result *try_group(attempt *a, dray_plan_gang *gang);

static result *try_groups(attempt *a, dray_plan_gang *gang) {
    result *r = DRAY_NEW(a->lasting, result);
    size_t n = gang->children.n, scheduled = 0, mark = mark_of(a);
    r->of = gang;
    r->children = DRAY_NEW_N(a->lasting, result *, n);
    r->verdict = feasible(a, gang, 0, n);
    for (size_t i = 0; i < n && (r->verdict.code == DRAY_PLAN_OK || r->verdict.waits); i++) {
        result *child = r->children[i] = try_group(a, gang->children.v[i]);
        if (child->verdict.code == DRAY_PLAN_ERROR) {
            r->verdict = because(
                DRAY_PLAN_ERROR,
                dray_strf(a->lasting,
                          "composite pod group evaluation failed due to child error: " DRAY_FMT,
                          DRAY_ARG(bare(&child->verdict))));
            break;
        }
        r->any |= child->any;
        scheduled += child->verdict.code == DRAY_PLAN_OK;
        r->verdict = feasible(a, gang, scheduled, n - i - 1);
    }
    settle(a, r, mark);
    return r;
}

static result *try_here(attempt *a, dray_plan_gang *gang) {
    return gang->holds_groups ? try_groups(a, gang) : try_pods(a, gang);
}

/* --- by topology --- */

typedef struct domain_search {
    attempt *a;
    const dray_plan_topology *topology;
    uint32_t value; /* that members already have; DRAY_PLAN_NO_VALUE: none yet */
    dray_str why;   /* absent, or why there can be none */
} domain_search;

static dray_str label_of(const dray_plan_node *node, dray_str key) {
    return dray_string_map_find(node->node->metadata->labels, key);
}

static void look_at_placed(void *context, dray_plan_pod *pod) {
    domain_search *s = context;
    if (pod->node == NULL || s->why.p != NULL)
        return;
    uint32_t value = s->topology->of_node[pod->node->index];
    const char *head = "cannot determine domain for already scheduled pods: ";
    if (value == DRAY_PLAN_NO_VALUE) {
        s->why = dray_strf(s->a->lasting, "%sno topology domain found for pod " DRAY_FMT, head,
                           DRAY_ARG(pod->key));
        return;
    }
    if (s->value != DRAY_PLAN_NO_VALUE && s->value != value) {
        const dray_plan_world *world = &s->a->run->plan->world;
        size_t before = 0;
        while (s->topology->of_node[before] != s->value)
            before++;
        s->why = dray_strf(s->a->lasting,
                           "%smore than 1 domain found for pod group: " DRAY_FMT ", " DRAY_FMT,
                           head, DRAY_ARG(label_of(&world->nodes[before], s->topology->key)),
                           DRAY_ARG(label_of(pod->node, s->topology->key)));
        return;
    }
    s->value = value;
}

/* One placement a value of the group's topology label, in the order of the nodes. */
static dray_plan_group_verdict find_placements(attempt *a, dray_plan_gang *gang, placements *ret) {
    dray_plan *plan = a->run->plan;
    dray_str key = dray_plan_gang_topology(&plan->world, gang);
    if (key.p == NULL) {
        DRAY_PUSH(a->lasting, ret, (placement){.sight = plan->sight});
        return (dray_plan_group_verdict){.code = DRAY_PLAN_OK};
    }
    domain_search s = {a, dray_plan_topology_of(&plan->world, key), DRAY_PLAN_NO_VALUE,
                       DRAY_STR_NONE};
    dray_plan_gang_each(gang, look_at_placed, &s);
    if (s.why.p != NULL)
        return because(DRAY_PLAN_ERROR, s.why);
    size_t *at = DRAY_NEW_N(a->lasting, size_t, s.topology->n_values);
    for (size_t i = 0; i < plan->world.n_nodes; i++) {
        uint32_t value = s.topology->of_node[i];
        if (value == DRAY_PLAN_NO_VALUE || !dray_plan_sees(plan, i) ||
            (s.value != DRAY_PLAN_NO_VALUE && s.value != value))
            continue;
        if (at[value] == 0) {
            dray_bits nodes = dray_bits_new(a->lasting, plan->world.n_nodes);
            DRAY_PUSH(a->lasting, ret, (placement){.sight = {.on = true, .nodes = nodes}});
            at[value] = ret->n;
        }
        dray_plan_sight *sight = &ret->v[at[value] - 1].sight;
        dray_bits_set(sight->nodes, i);
        sight->n++;
    }
    if (ret->n == 0)
        return because(DRAY_PLAN_UNSCHEDULABLE, DRAY_STR("no feasible placements found"));
    return (dray_plan_group_verdict){.code = DRAY_PLAN_OK};
}

/* What the Pods that it would place ask for, failed groups left out. */
static void sum_up(attempt *a, const result *r, placement *p) {
    if (r == NULL || r->verdict.code != DRAY_PLAN_OK)
        return;
    for (size_t i = 0; r->children != NULL && i < r->of->children.n; i++)
        sum_up(a, r->children[i], p);
    for (size_t i = 0; i < r->n_members; i++) {
        if (r->members[i].node == NULL)
            continue;
        dray_plan_cycle cycle;
        dray_plan_cycle_init(&cycle, a->run->plan, r->members[i].pod, a->arena);
        dray_plan_score_request request = dray_plan_score_request_of(&cycle, true);
        p->members++;
        p->cpu += request.cpu;
        p->memory += request.memory;
        dray_arena_reset(a->arena);
    }
}

static int64_t fullness(int64_t requested, int64_t has) {
    return (requested < has ? requested : has) * DRAY_PLAN_MAX_SCORE / has;
}

/* How full the placement's nodes would be together. Source: NodeResourcesFit.ScorePlacement. */
static int64_t fit_score(const attempt *a, const placement *p) {
    const dray_plan_world *world = &a->run->plan->world;
    int64_t cpu = p->cpu, memory = p->memory, has_cpu = 0, has_memory = 0;
    for (size_t i = 0; i < world->n_nodes; i++) {
        if (p->sight.on && !dray_bits_get(p->sight.nodes, i))
            continue;
        cpu += world->nodes[i].floor_cpu;
        memory += world->nodes[i].floor_memory;
        has_cpu += world->nodes[i].allocatable.cpu;
        has_memory += world->nodes[i].allocatable.memory;
    }
    int64_t weights = (has_cpu != 0) + (has_memory != 0);
    int64_t sum = (has_cpu != 0 ? fullness(cpu, has_cpu) : 0) +
                  (has_memory != 0 ? fullness(memory, has_memory) : 0);
    return weights != 0 ? sum / weights : 0;
}

/* The best of those that succeeded; NULL when none did. */
static placement *best_of(const attempt *a, const dray_plan_gang *gang, placements *all) {
    int64_t placed = (int64_t)dray_plan_gang_placed(gang), most = 0, best_score = 0;
    placement *best = NULL;
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].result != NULL && all->v[i].members + placed > most)
            most = all->v[i].members + placed;
    for (size_t i = 0; i < all->n; i++) {
        placement *p = &all->v[i];
        if (p->result == NULL)
            continue;
        int64_t score = fit_score(a, p);
        if (most != 0)
            score += (p->members + placed) * DRAY_PLAN_MAX_SCORE / most;
        if (best == NULL || score > best_score) {
            best = p;
            best_score = score;
        }
    }
    return best;
}

static result *try_in(attempt *a, dray_plan_gang *gang, const dray_plan_sight *sight) {
    dray_plan_sight before = a->run->plan->sight;
    a->run->plan->sight = *sight;
    result *r = try_here(a, gang);
    a->run->plan->sight = before;
    return r;
}

static result *try_placements(attempt *a, dray_plan_gang *gang, placements *all) {
    result *first = NULL;
    size_t mark = mark_of(a);
    for (size_t i = 0; i < all->n; i++) {
        uint64_t serial = a->run->serial;
        result *r = try_in(a, gang, &all->v[i].sight);
        /* Nothing to choose from: what was placed may stay. */
        if (r->verdict.code == DRAY_PLAN_ERROR || (all->n == 1 && r->verdict.code == DRAY_PLAN_OK))
            return r;
        first = first == NULL ? r : first;
        if (r->verdict.code != DRAY_PLAN_OK)
            continue;
        all->v[i].result = r;
        roll_back(a, mark);
        a->run->serial = serial;
        sum_up(a, r, &all->v[i]);
    }
    placement *best = best_of(a, gang, all);
    if (best != NULL)
        return try_in(a, gang, &best->sight);
    first->verdict = (dray_plan_group_verdict){
        .code = DRAY_PLAN_UNSCHEDULABLE,
        .unschedulable = true,
        .reasons = dray_strf(a->lasting,
                             "0/%zu placements are available, first placement status: " DRAY_FMT,
                             all->n, DRAY_ARG(bare(&first->verdict))),
    };
    return first;
}

static result *try_group(attempt *a, dray_plan_gang *gang) {
    if (!a->by_topology)
        return try_here(a, gang);
    placements all = {0};
    dray_plan_group_verdict verdict = find_placements(a, gang, &all);
    if (verdict.code == DRAY_PLAN_OK)
        return try_placements(a, gang, &all);
    result *r = DRAY_NEW(a->lasting, result);
    *r = (result){.of = gang, .verdict = verdict};
    return r;
}

/* --- the whole --- */

dray_plan_group_result *dray_plan_group_try(dray_plan_run_state *run, dray_plan_gang *root,
                                            bool keep_cycles, dray_arena *lasting,
                                            dray_arena *arena) {
    attempt a = {
        .run = run,
        .lasting = lasting,
        .arena = arena,
        .keep_cycles = keep_cycles,
        .by_topology =
            dray_gates_on(&run->plan->world.gates, DRAY_GATE_TopologyAwareWorkloadScheduling),
    };
    result *r = try_group(&a, root);
    if (r->verdict.code == DRAY_PLAN_OK && !r->any)
        r->verdict =
            (dray_plan_group_verdict){.code = DRAY_PLAN_UNSCHEDULABLE, .unschedulable = true};
    return r;
}

static result *complete(result *r, dray_plan_gang *gang, const dray_plan_group_verdict *parent,
                        dray_arena *lasting) {
    if (r == NULL || (parent->code != DRAY_PLAN_OK && r->verdict.code == DRAY_PLAN_OK)) {
        r = DRAY_NEW(lasting, result);
        *r = (result){.of = gang, .verdict = *parent};
    }
    r->untried = dray_plan_group_text(&r->verdict, lasting);
    if (r->children == NULL)
        r->children = DRAY_NEW_N(lasting, result *, gang->children.n);
    for (size_t i = 0; i < gang->children.n; i++)
        r->children[i] = complete(r->children[i], gang->children.v[i], &r->verdict, lasting);
    return r;
}

void dray_plan_group_complete(dray_plan_group_result *root, dray_arena *lasting) {
    complete(root, root->of, &(dray_plan_group_verdict){.code = DRAY_PLAN_OK}, lasting);
}
