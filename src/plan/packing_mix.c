/* Packing: tasks from Pods, and the mix of those that are expected to come. */
#include "plan/packing_int.h"

#include "alloc/shares.h"
#include "plan/dynamic.h"

/* --- kinds and tasks --- */

/* Whether the claims are one request for a number of devices, any of those that will do. */
static bool is_simple(const dray_plan_kind *kind, uint32_t *ret_devices) {
    const dray_resource_device_claim *devices =
        kind->n == 1 ? kind->claims[0]->spec->devices : NULL;
    if (devices == NULL || devices->requests.n != 1 || devices->requests.v[0].exactly == NULL ||
        devices->constraints.n != 0)
        return false;
    const dray_resource_exact_device_request *exact = devices->requests.v[0].exactly;
    if (!dray_str_is(exact->allocation_mode, "ExactCount") || exact->count <= 0 ||
        exact->count > DRAY_PACKING_DEVICES || (exact->admin_access.set && exact->admin_access.v))
        return false;
    *ret_devices = (uint32_t)exact->count;
    return true;
}

/* Whether the claims look at devices only, which takes nothing from others. */
static bool is_onlooker(const dray_plan_kind *kind) {
    for (size_t c = 0; c < kind->n; c++) {
        const dray_resource_device_claim *devices = kind->claims[c]->spec->devices;
        for (size_t i = 0; i < devices->requests.n; i++) {
            const dray_resource_exact_device_request *exact = devices->requests.v[i].exactly;
            if (exact == NULL || !exact->admin_access.set || !exact->admin_access.v)
                return false;
        }
    }
    return true;
}

static uint32_t kind_of(dray_plan_packing *p, const dray_plan_kind *is) {
    uint32_t *number = &p->kind_of[is->number];
    if (*number != 0)
        return *number - 1;
    dray_packed_kind made = {.is = is, .row = DRAY_PACKING_NONE, .in_mix = DRAY_PACKING_NONE};
    made.simple = is_simple(is, &made.devices);
    /* Rows are made once, before the first Pod is placed. */
    if (made.simple && p->nodes == NULL && p->n_rows < DRAY_PACKING_ROWS_MAX)
        made.row = (uint32_t)p->n_rows++;
    DRAY_PUSH(p->arena, &p->kinds, made);
    *number = (uint32_t)p->kinds.n;
    return *number - 1;
}

dray_packed_task *dray_packing_task_of(dray_plan_packing *p, const dray_plan_pod *pod,
                                       const dray_plan_kind *kind, dray_arena *arena) {
    uint32_t number = kind != NULL ? kind_of(p, kind) : DRAY_PACKING_NONE;
    dray_str key = dray_strf(arena, "%jd %jd %u", (intmax_t)pod->request.cpu,
                             (intmax_t)pod->request.memory, number);
    dray_packed_task *task = dray_map_find(&p->task_of, key);
    if (task != NULL || p->tasks.n == DRAY_PACKING_TASKS_MAX)
        return task;
    task = DRAY_NEW(p->arena, dray_packed_task);
    *task = (dray_packed_task){.number = (uint32_t)p->tasks.n,
                               .cpu_milli = pod->request.cpu,
                               .memory = pod->request.memory,
                               .kind = number};
    DRAY_PUSH(p->arena, &p->tasks, task);
    dray_map_put(&p->task_of, dray_str_dup(p->arena, key), task);
    return task;
}

/* --- the Pods of the picture --- */

/* What the Pod asks for, given out or not, but for claims that another Pod uses too: those come
 * once, however many use them. False: its claims aren't there. */
static bool claims_of(dray_plan_packing *p, dray_plan_pod *pod, dray_map *seen, dray_arena *arena,
                      dray_plan_variant *ret) {
    dray_plan_cycle cycle;
    int slot = dray_plan_dynamic_slot();
    dray_plan_cycle_init(&cycle, p->plan, pod, arena);
    dray_plan_status status = dray_plan_dynamic_resources.prefilter(&cycle, slot);
    *ret = (dray_plan_variant){0};
    if (status.code == DRAY_PLAN_SKIP)
        return true;
    if (status.code != DRAY_PLAN_OK)
        return false;
    dray_plan_dynamic *state = cycle.state[slot];
    ret->claims = DRAY_NEW_N(arena, const dray_resource_claim *, state->n + 1);
    for (size_t i = 0; i < state->n_user; i++) {
        const dray_resource_claim *claim = state->claims[i].claim;
        dray_str key = dray_strf(arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(claim->metadata->namespace),
                                 DRAY_ARG(claim->metadata->name));
        if (dray_map_find(seen, key) != NULL)
            continue;
        dray_map_put(seen, dray_str_dup(p->arena, key), p);
        ret->claims[ret->n++] = claim;
    }
    for (size_t i = 0; i < state->n_wanted; i++)
        if (state->wanted[i].class != NULL)
            ret->served |= (uint64_t)1 << i;
    if (state->extended == NULL || ret->served == 0)
        return true;
    if (!state->leftover)
        dray_plan_extended_requests(&cycle, state, ret);
    ret->claims[ret->n++] = state->leftover ? state->extended : ret->extended;
    return true;
}

static int by_weight(const void *a, const void *b, void *context) {
    const dray_plan_packing *p = context;
    const dray_packed_kind *x = &p->kinds.v[*(const uint32_t *)a];
    const dray_packed_kind *y = &p->kinds.v[*(const uint32_t *)b];
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return *(const uint32_t *)a > *(const uint32_t *)b ? 1 : -1;
}

static int by_cpu(const void *a, const void *b, void *context) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Memory is left out: it is seldom what a node with devices lacks. */
static dray_packing_kind expect(dray_plan_packing *p, dray_packed_kind *kind, double sum) {
    size_t n = kind->cpu.n;
    double *weights = DRAY_NEW_N(p->arena, double, n);
    dray_sort(kind->cpu.v, n, sizeof *kind->cpu.v, by_cpu, NULL);
    for (size_t i = 0; i < n; i++)
        weights[i] = (double)(i + 1) / sum;
    return (dray_packing_kind){.devices = kind->devices,
                               .request = kind->row,
                               .n = n,
                               .cpu_milli = kind->cpu.v,
                               .weight = weights};
}

/* The most popular kinds; the others would change little. */
static void make_mix(dray_plan_packing *p) {
    size_t n = 0, most = DRAY_PACKING_KINDS_MAX;
    double sum = 0;
    p->mix_kinds = DRAY_NEW_N(p->arena, uint32_t, p->kinds.n + 1);
    for (size_t k = 0; k < p->kinds.n; k++) {
        p->kinds.v[k].weight = (double)p->kinds.v[k].cpu.n;
        if (p->kinds.v[k].weight > 0)
            p->mix_kinds[n++] = (uint32_t)k;
    }
    dray_sort(p->mix_kinds, n, sizeof *p->mix_kinds, by_weight, p);
    p->plain = !p->plan->by_trials;
    for (size_t i = 0; i < n; i++)
        p->plain &= p->kinds.v[p->mix_kinds[i]].row != DRAY_PACKING_NONE;
    for (size_t i = 0; i < p->plan->world.n_nodes && p->plain; i++)
        if (!dray_alloc_stands_alone(p->plan->alloc, p->plan->world.nodes[i].seen))
            most = DRAY_PACKING_MIX_MAX;
    most = p->plain ? most : DRAY_PACKING_MIX_MAX;
    n = n < most ? n : most;
    for (size_t i = 0; i < n; i++)
        sum += p->kinds.v[p->mix_kinds[i]].weight;
    dray_packing_kind *mix = DRAY_NEW_N(p->arena, dray_packing_kind, n + 1);
    for (size_t i = 0; i < n; i++) {
        mix[i] = expect(p, &p->kinds.v[p->mix_kinds[i]], sum);
        p->kinds.v[p->mix_kinds[i]].in_mix = (uint32_t)i;
    }
    p->mix = (dray_packing_mix){mix, n};
}

void dray_packing_find_tasks(dray_plan_packing *p) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_map seen = dray_map_new(p->arena);
    for (size_t i = 0; i < p->plan->world.pods.n; i++) {
        dray_plan_pod *pod = p->plan->world.pods.v[i];
        dray_plan_variant variant;
        if (claims_of(p, pod, &seen, arena, &variant) && variant.n != 0) {
            const dray_plan_kind *kind = dray_plan_kind_of(p->plan, variant.claims, variant.n);
            dray_packed_task *t = kind != NULL ? dray_packing_task_of(p, pod, kind, arena) : NULL;
            if (t != NULL && !is_onlooker(kind)) {
                dray_packed_kind *of = &p->kinds.v[t->kind];
                DRAY_PUSH(p->arena, &of->cpu, t->cpu_milli);
            }
        }
        dray_arena_reset(arena);
    }
    make_mix(p);
}
