/* The handle: made from a picture; which class stands behind an extended resource. */
#include "plan/allocatable.h"
#include "plan/gang.h"
#include "plan/packing_int.h"
#include "plan/shape.h"

#include "api/rules/template_claim.h"

/* Of two classes with the same extended resource the later one wins, then the first by name
 * (KEP-5004). */
static bool wins(const dray_resource_device_class *a, const dray_resource_device_class *b) {
    int order = dray_time_cmp(a->metadata->creation_timestamp, b->metadata->creation_timestamp);
    if (order != 0)
        return order > 0;
    return dray_str_cmp(a->metadata->name, b->metadata->name) < 0;
}

static int by_name(const void *a, const void *b, void *context) {
    const dray_resource_device_class *x = *(const dray_resource_device_class *const *)a;
    const dray_resource_device_class *y = *(const dray_resource_device_class *const *)b;
    return dray_str_cmp(x->metadata->name, y->metadata->name);
}

/* As kube-scheduler's cache takes classes in: by name, and a class that loses its explicit name to
 * one that is there already gets no implicit name either. */
static void map_class(dray_plan *plan, const dray_resource_device_class *class) {
    dray_str explicit = class->spec->extended_resource_name;
    if (explicit.p != NULL) {
        dray_map_entry *entry = dray_map_entry_of(&plan->class_of_resource, explicit);
        if (entry->value != NULL && !wins(class, entry->value))
            return;
        entry->value = (void *)(uintptr_t)class;
    }
    dray_str implicit =
        dray_strf(plan->arena, DRAY_PLAN_CLASS_PREFIX DRAY_FMT, DRAY_ARG(class->metadata->name));
    dray_map_put(&plan->class_of_resource, implicit, (void *)(uintptr_t)class);
}

void dray_plan_map_classes(dray_plan *plan) {
    plan->class_of_resource = dray_map_new(plan->arena);
    if (!dray_gates_on(&plan->world.gates, DRAY_GATE_DRAExtendedResource))
        return;
    dray_cluster_list classes = dray_cluster_all(plan->cluster, &dray_type_resource_device_class);
    const void **sorted = DRAY_NEW_N(plan->arena, const void *, classes.n);
    for (size_t i = 0; i < classes.n; i++)
        sorted[i] = classes.v[i];
    dray_sort(sorted, classes.n, sizeof *sorted, by_name, NULL);
    for (size_t i = 0; i < classes.n; i++)
        map_class(plan, sorted[i]);
}

static void find_leftovers(dray_plan *plan) {
    dray_cluster_list claims = dray_cluster_all(plan->cluster, &dray_type_resource_claim);
    for (size_t i = 0; i < claims.n; i++) {
        const dray_resource_claim *claim = claims.v[i];
        if (dray_str_is(dray_string_map_find(claim->metadata->annotations,
                                             DRAY_STR(DRAY_EXTENDED_CLAIM_ANNOTATION)),
                        "true"))
            DRAY_PUSH(plan->arena, &plan->extended_claims, claim);
    }
}

dray_plan *dray_plan_new(dray_cluster *cluster, dray_time now) {
    dray_arena *arena = dray_arena_new(0);
    dray_plan *plan = DRAY_NEW(arena, dray_plan);
    plan->arena = arena;
    plan->scratch = dray_arena_new(0);
    plan->cluster = cluster;
    plan->alloc = dray_alloc_new(cluster);
    plan->now = now;
    plan->reasons = dray_map_new(arena);
    plan->released = dray_map_new(arena);
    dray_plan_world_init(&plan->world, cluster, arena);
    plan->kinds = dray_map_new(arena);
    plan->changed_at = DRAY_NEW_N(arena, size_t, plan->world.n_nodes + 1);
    dray_plan_gangs_init(&plan->world, cluster);
    dray_plan_map_classes(plan);
    find_leftovers(plan);
    plan->maps_allocatable = dray_plan_maps_allocatable(plan);
    return plan;
}

void dray_plan_share(dray_plan *plan, struct dray_celk8s *celk8s) {
    dray_alloc_share(plan->alloc, celk8s);
}

void dray_plan_free(dray_plan *plan) {
    if (plan == NULL)
        return;
    dray_plan_shapes_free(plan);
    dray_plan_packing_free(plan->packing);
    dray_alloc_free(plan->alloc);
    dray_arena_free(plan->scratch);
    dray_arena_free(plan->arena);
}

void dray_plan_set_strict(dray_plan *plan, bool strict) {
    plan->strict = strict;
}

void dray_plan_set_clock(dray_plan *plan, uint64_t (*clock)(void *context), void *context,
                         uint64_t limit_ns) {
    plan->limits =
        (dray_alloc_options){.clock = clock, .clock_context = context, .limit_ns = limit_ns};
}

const dray_resource_device_class *dray_plan_class_of_resource(const dray_plan *plan,
                                                              dray_str resource) {
    return dray_map_find(&plan->class_of_resource, resource);
}

void dray_plan_note_change(dray_plan *plan, const dray_plan_node *node) {
    DRAY_PUSH(plan->arena, &plan->changed, node->index);
    plan->changed_at[node->index] = plan->changed.n;
}

bool dray_plan_is_pending(const dray_plan_pod *p) {
    dray_str scheduler = p->pod->spec->scheduler_name;
    return (scheduler.n == 0 || dray_str_is(scheduler, DRAY_PLAN_SCHEDULER)) && p->node == NULL &&
           p->pod->spec->node_name.n == 0 && !p->pod->metadata->deletion_timestamp.set;
}

dray_plan_pods dray_plan_pending(const dray_plan *plan, dray_arena *arena) {
    DRAY_VEC(const dray_core_pod *) pods = {0};
    for (size_t i = 0; i < plan->world.pods.n; i++)
        if (dray_plan_is_pending(plan->world.pods.v[i]))
            DRAY_PUSH(arena, &pods, plan->world.pods.v[i]->given);
    return (dray_plan_pods){pods.v, pods.n};
}
