/* Packing over a plan's picture: tasks from Pods, nodes from what is left of theirs.
 *
 * A Pod is a task when its claims hold one request for a number of devices, or it has none. Equal
 * tasks share a row of cells, one a node, which keep what the node was rated at; placing a Pod
 * changes one node, so the next equal Pod costs one look at each cell and one rating.
 */
#include "plan/packing_int.h"

#include "alloc/shares.h"
#include "api/engine.h"
#include "cluster/inventory.h"
#include "plan/dynamic.h"

enum {
    TASKS_MAX = 4096,
    REQUESTS_MAX = 1024,
    MIX_MAX = 256,       /* the most popular tasks; the others would change little */
    CELLS_MAX = 4 << 20, /* of all tasks together; tasks past them are rated anew each time */
};

typedef struct cell {
    uint32_t version; /* of the node; 0: none */
    uint16_t device;
    bool fits;
    double cost;
} cell;

typedef struct task {
    dray_packing_task needs;
    size_t pods; /* of the picture */
    cell *cells; /* by node; NULL until they are needed */
} task;

typedef struct packed_node {
    dray_packing_node is;
    uint32_t version;    /* 0: never looked at */
    uint32_t *positions; /* of is' devices in the node's view */
    double fragments;
} packed_node;

typedef struct request {
    dray_str key;
    dray_resource_claim *claim; /* one that asks so */
} request;

struct dray_plan_packing {
    dray_plan *plan;
    dray_arena *arena;
    dray_packing kind;
    dray_map task_of, request_of; /* key → number + 1 */
    DRAY_VEC(task) tasks;
    DRAY_VEC(request) requests;
    size_t n_cells;
    dray_packing_mix mix;
    packed_node *nodes;
    size_t seen;             /* how much of plan->changed was caught up with */
    uint64_t shared_changes; /* of the plan */
    dray_alloc_job *nothing; /* a job without claims, for what is left */
    bool open;               /* new requests may still be numbered */
};

/* --- tasks --- */

/* The one request of the Pod's claims; *ret NULL without claims. False: it is no task. */
static bool request_of_pod(const dray_plan *plan, const dray_core_pod *pod, dray_arena *arena,
                           const dray_resource_claim **ret) {
    const dray_resource_claim **claims;
    size_t n;
    dray_str why;
    *ret = NULL;
    if (!dray_plan_pod_claims(plan, pod, arena, &claims, &n, &why) || n > 1)
        return false;
    if (n == 0)
        return true;
    const dray_resource_device_claim *devices = claims[0]->spec->devices;
    const dray_resource_exact_device_request *exact =
        devices->requests.n == 1 ? devices->requests.v[0].exactly : NULL;
    if (exact == NULL || !dray_str_is(exact->allocation_mode, "ExactCount") || exact->count <= 0 ||
        exact->count > DRAY_PACKING_DEVICES || (exact->admin_access.set && exact->admin_access.v))
        return false;
    *ret = claims[0];
    return true;
}

static size_t number_of(dray_map *map, dray_str key, size_t next) {
    dray_map_entry *entry = dray_map_entry_of(map, key);
    if (entry->value == NULL)
        entry->value = (void *)(next + 1);
    return (size_t)entry->value - 1;
}

static bool number_request(dray_plan_packing *p, const dray_resource_claim *claim, uint32_t *ret) {
    dray_buf key = DRAY_BUF_INIT;
    dray_api_encode_type(&key, &dray_type_resource_claim_spec, claim->spec);
    bool known = dray_map_find(&p->request_of, dray_buf_str(&key)) != NULL;
    bool ok = known || (p->open && p->requests.n < REQUESTS_MAX);
    if (ok) {
        dray_str own = dray_str_dup(p->arena, dray_buf_str(&key));
        *ret = (uint32_t)number_of(&p->request_of, own, p->requests.n);
        if (!known)
            DRAY_PUSH(p->arena, &p->requests,
                      (request){own, dray_api_copy(&dray_type_resource_claim, claim, p->arena)});
    }
    dray_buf_done(&key);
    return ok;
}

/* NULL: no task, or one too many. */
static task *task_of(dray_plan_packing *p, const dray_plan_pod *pod, dray_arena *arena) {
    const dray_resource_claim *claim;
    dray_packing_task needs = {.cpu_milli = pod->request.cpu, .memory = pod->request.memory};
    if (!request_of_pod(p->plan, pod->pod, arena, &claim))
        return NULL;
    if (claim != NULL) {
        needs.devices = (uint32_t)claim->spec->devices->requests.v[0].exactly->count;
        if (!number_request(p, claim, &needs.request))
            return NULL;
    }
    dray_str key = dray_strf(arena, "%jd %jd %u %u", (intmax_t)needs.cpu_milli,
                             (intmax_t)needs.memory, needs.devices, needs.request);
    if (dray_map_find(&p->task_of, key) == NULL) {
        if (p->tasks.n == TASKS_MAX)
            return NULL;
        key = dray_str_dup(p->arena, key);
    }
    size_t i = number_of(&p->task_of, key, p->tasks.n);
    if (i == p->tasks.n)
        DRAY_PUSH(p->arena, &p->tasks, (task){.needs = needs});
    return &p->tasks.v[i];
}

static int by_weight(const void *a, const void *b, void *context) {
    const dray_packing_task *x = a, *y = b;
    return (x->weight < y->weight) - (x->weight > y->weight);
}

/* Tasks that ask for devices. Memory is left out: it splits the mix into rarer tasks, and is seldom
 * what a node with devices lacks. */
static void make_mix(dray_plan_packing *p) {
    dray_packing_task *mix = DRAY_NEW_N(p->arena, dray_packing_task, p->tasks.n + 1);
    dray_map seen = dray_map_new(p->arena);
    size_t n = 0;
    for (size_t i = 0; i < p->tasks.n; i++) {
        dray_packing_task one = p->tasks.v[i].needs;
        if (one.devices == 0)
            continue;
        one.memory = 0;
        size_t at = number_of(
            &seen, dray_strf(p->arena, "%jd %u", (intmax_t)one.cpu_milli, one.request), n);
        if (at == n)
            mix[n++] = one;
        mix[at].weight += (double)p->tasks.v[i].pods;
    }
    dray_sort(mix, n, sizeof *mix, by_weight, NULL);
    n = n < MIX_MAX ? n : MIX_MAX;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += mix[i].weight;
    for (size_t i = 0; i < n; i++)
        mix[i].weight /= sum;
    p->mix = (dray_packing_mix){mix, n};
}

/* --- nodes --- */

static const uint16_t *make_shares(dray_plan_packing *p, dray_alloc_job *const *jobs, size_t index,
                                   dray_arena *arena) {
    packed_node *node = &p->nodes[index];
    uint16_t *rows = DRAY_NEW_N(p->arena, uint16_t, p->requests.n * node->is.n + 1);
    for (size_t r = 0; r < p->requests.n && node->is.n != 0; r++) {
        size_t n = 0;
        const uint16_t *all =
            dray_alloc_shares(jobs[r], p->plan->world.nodes[index].seen, arena, &n);
        for (uint32_t i = 0; all != NULL && i < node->is.n; i++)
            rows[r * node->is.n + i] = node->positions[i] < n ? all[node->positions[i]] : 0;
    }
    return rows;
}

/* The devices that the node reaches, taken or not. */
static void list_devices(dray_plan_packing *p, size_t index) {
    packed_node *node = &p->nodes[index];
    dray_view *view;
    if (dray_cluster_view(p->plan->cluster, p->plan->world.nodes[index].seen, &view, NULL) !=
        DRAY_OK)
        return;
    node->positions = DRAY_NEW_N(p->arena, uint32_t, DRAY_PACKING_DEVICES);
    for (uint32_t w = 0; w < view->n_words; w++)
        for (uint64_t bits = view->reach[w]; bits != 0 && node->is.n < DRAY_PACKING_DEVICES;
             bits &= bits - 1)
            node->positions[node->is.n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
}

static void refresh(dray_plan_packing *p, size_t index) {
    packed_node *node = &p->nodes[index];
    const dray_plan_node *of = &p->plan->world.nodes[index];
    node->is.cpu_milli = of->allocatable.cpu - of->requested.cpu;
    node->is.memory = of->allocatable.memory - of->requested.memory;
    node->is.all_cpu_milli = of->allocatable.cpu;
    node->is.all_memory = of->allocatable.memory;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    size_t n = 0;
    const uint16_t *left = dray_alloc_left(p->nothing, of->seen, arena, &n);
    for (uint32_t i = 0; i < node->is.n; i++)
        node->is.free[i] = left != NULL && node->positions[i] < n ? left[node->positions[i]] : 0;
    node->version++;
    node->fragments = dray_packing_fragments(&p->mix, &node->is);
}

static void catch_up(dray_plan_packing *p) {
    const dray_plan *plan = p->plan;
    if (p->shared_changes != plan->shared_changes) {
        for (size_t i = 0; i < plan->world.n_nodes; i++)
            refresh(p, i);
    } else {
        for (size_t i = p->seen; i < plan->changed.n; i++)
            refresh(p, plan->changed.v[i]);
    }
    p->shared_changes = plan->shared_changes;
    p->seen = plan->changed.n;
}

/* --- the handle --- */

static void find_tasks(dray_plan_packing *p, dray_arena *arena) {
    for (size_t i = 0; i < p->plan->world.pods.n; i++) {
        task *t = task_of(p, p->plan->world.pods.v[i], arena);
        if (t != NULL)
            t->pods++;
        dray_arena_reset(arena);
    }
    p->open = false;
    make_mix(p);
}

static void find_nodes(dray_plan_packing *p, dray_arena *arena) {
    dray_plan *plan = p->plan;
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    dray_alloc_job **jobs = DRAY_NEW_N(arena, dray_alloc_job *, p->requests.n + 1);
    for (size_t r = 0; r < p->requests.n; r++) {
        const dray_resource_claim *claim = p->requests.v[r].claim;
        const dray_resource_claim **list = DRAY_NEW(arena, const dray_resource_claim *);
        *list = claim;
        jobs[r] = dray_alloc_begin(plan->alloc, list, 1, &(dray_alloc_options){0}, arena);
    }
    p->nodes = DRAY_NEW_N(p->arena, packed_node, plan->world.n_nodes + 1);
    for (size_t i = 0; i < plan->world.n_nodes; i++) {
        list_devices(p, i);
        p->nodes[i].is.shares = make_shares(p, jobs, i, scratch);
        dray_arena_reset(scratch);
        refresh(p, i);
    }
    p->shared_changes = plan->shared_changes;
    p->seen = plan->changed.n;
}

dray_plan_packing *dray_plan_packing_new(dray_plan *plan, dray_packing packing) {
    dray_arena *arena = dray_arena_new(0);
    dray_plan_packing *p = DRAY_NEW(arena, dray_plan_packing);
    p->arena = arena;
    p->plan = plan;
    p->kind = packing;
    p->task_of = dray_map_new(arena);
    p->request_of = dray_map_new(arena);
    p->open = true;
    p->nothing = dray_alloc_begin(plan->alloc, NULL, 0, &(dray_alloc_options){0}, arena);
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(0);
    find_tasks(p, scratch);
    find_nodes(p, scratch);
    return p;
}

void dray_plan_packing_free(dray_plan_packing *packing) {
    if (packing != NULL)
        dray_arena_free(packing->arena);
}

dray_plan_fragments dray_plan_count_fragments(dray_plan *plan) {
    dray_plan_packing *p = dray_plan_packing_new(plan, DRAY_PACKING_FRAG);
    dray_plan_fragments sum = {0};
    for (size_t i = 0; i < plan->world.n_nodes && p->mix.n != 0; i++) {
        sum.useless += p->nodes[i].fragments / DRAY_PACKING_WHOLE;
        for (uint32_t k = 0; k < p->nodes[i].is.n; k++)
            sum.free += (double)p->nodes[i].is.free[k] / DRAY_PACKING_WHOLE;
    }
    dray_plan_packing_free(p);
    return sum;
}

/* --- the choice --- */

static void rate(dray_plan_packing *p, task *t, size_t index, cell *ret) {
    const packed_node *node = &p->nodes[index];
    dray_packing_choice choice;
    if (ret->version == node->version)
        return;
    *ret = (cell){.version = node->version};
    if (!dray_packing_rate(p->kind, &p->mix, &node->is, &t->needs, node->fragments, &choice))
        return;
    ret->fits = true;
    ret->cost = choice.cost;
    ret->device = (uint16_t)choice.device;
}

/* Whether nothing but packing has a say: no claim that stands already, nothing by extended
 * resources. */
static bool is_free(const dray_plan_cycle *cycle) {
    const dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    if (state == NULL)
        return true;
    if (state->n_wanted != 0 || state->extended != NULL)
        return false;
    return state->n == 0 || state->claims[0].allocation == NULL;
}

dray_plan_node *dray_plan_pack(dray_plan_cycle *cycle, dray_plan_feasible nodes) {
    dray_plan_packing *p = cycle->plan->packing;
    if (p == NULL || nodes.n == 0 || !is_free(cycle))
        return NULL;
    task *t = task_of(p, cycle->pod, cycle->arena);
    if (t == NULL)
        return NULL;
    catch_up(p);
    size_t n = cycle->world->n_nodes;
    if (t->cells == NULL && p->n_cells + n <= CELLS_MAX) {
        t->cells = DRAY_NEW_N(p->arena, cell, n);
        p->n_cells += n;
    }
    dray_plan_node *best = NULL;
    cell chosen = {0};
    for (size_t k = 0; k < nodes.n; k++) {
        cell none = {0};
        cell *c = t->cells != NULL ? &t->cells[nodes.v[k]] : &none;
        rate(p, t, nodes.v[k], c);
        if (!c->fits || (best != NULL && c->cost >= chosen.cost))
            continue;
        best = &cycle->world->nodes[nodes.v[k]];
        chosen = *c;
    }
    if (best != NULL && t->needs.devices == 1)
        cycle->wanted = p->nodes[best->index].positions[chosen.device] + 1;
    return best;
}
