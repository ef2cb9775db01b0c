/* Extended resources that devices serve (KEP-5004): which, on which node, and the claim for them.
 */
#include "plan/dynamic.h"

#include "api/engine.h"
#include "api/rules/template_claim.h"

/* The name of the claim while it exists in memory only. */
#define IN_MEMORY_NAME "<extended-resources>"

static bool is_leftover(const dray_resource_claim *claim, const dray_core_pod *pod) {
    for (size_t i = 0; i < claim->metadata->owner_references.n; i++) {
        const dray_meta_owner_reference *owner = &claim->metadata->owner_references.v[i];
        if (dray_str_eq(owner->name, pod->metadata->name) && owner->controller.set &&
            owner->controller.v && dray_str_eq(owner->uid, pod->metadata->uid))
            return true;
    }
    return false;
}

static const dray_resource_claim *special_claim(dray_plan_cycle *cycle) {
    dray_arena *arena = cycle->arena;
    const dray_meta_object_meta *pod = cycle->pod->pod->metadata;
    dray_resource_claim *claim = dray_api_new(&dray_type_resource_claim, arena);
    claim->metadata->namespace = pod->namespace;
    claim->metadata->name = DRAY_STR(IN_MEMORY_NAME);
    claim->metadata->generate_name =
        dray_strf(arena, DRAY_FMT "-extended-resources-", DRAY_ARG(pod->name));
    dray_meta_owner_reference *owner = DRAY_NEW(arena, dray_meta_owner_reference);
    *owner = (dray_meta_owner_reference){
        .api_version = DRAY_STR("v1"),
        .kind = DRAY_STR("Pod"),
        .name = pod->name,
        .uid = pod->uid,
        .controller = {.set = true, .v = true},
    };
    claim->metadata->owner_references.v = owner;
    claim->metadata->owner_references.n = 1;
    dray_str *texts = DRAY_NEW_N(arena, dray_str, 2);
    texts[0] = DRAY_STR(DRAY_EXTENDED_CLAIM_ANNOTATION);
    texts[1] = DRAY_STR("true");
    claim->metadata->annotations = (dray_string_map){.k = &texts[0], .v = &texts[1], .n = 1};
    return claim;
}

void dray_plan_find_extended(dray_plan_cycle *cycle, dray_plan_dynamic *state) {
    dray_plan *plan = cycle->plan;
    if (!dray_gates_on(&plan->world.gates, DRAY_GATE_DRAExtendedResource))
        return;
    dray_pod_request_options options = {0};
    dray_resource_list sum = dray_pod_requests(cycle->pod->pod, &options, cycle->arena);
    bool any = false, fits;
    for (size_t i = 0; i < sum.n && state->n_wanted < DRAY_PLAN_EXTENDED_MAX; i++) {
        if (dray_quantity_is_zero(sum.v[i]) || !dray_plan_is_dra_extended(sum.k[i]))
            continue;
        struct dray_plan_extended *w = &state->wanted[state->n_wanted++];
        w->name = sum.k[i];
        w->id = dray_plan_name_id(&plan->world.resources, plan->world.arena, sum.k[i]);
        w->count = dray_quantity_value(sum.v[i], &fits);
        w->class = dray_plan_class_of_resource(plan, sum.k[i]);
        any |= w->class != NULL;
    }
    if (!any) {
        state->n_wanted = 0;
        return;
    }
    for (size_t i = 0; i < plan->extended_claims.n && state->extended == NULL; i++)
        if (is_leftover(plan->extended_claims.v[i], cycle->pod->pod))
            state->extended = plan->extended_claims.v[i];
    state->leftover = state->extended != NULL;
    if (state->extended == NULL)
        state->extended = special_claim(cycle);
}

/* A request under way, and the ones that it may borrow from. */
typedef struct builder {
    dray_plan_cycle *cycle;
    const dray_core_container **containers; /* init containers, then the others */
    size_t n, n_init;
    DRAY_VEC(dray_resource_device_request) requests;
    DRAY_VEC(dray_core_container_extended_resource_request) mappings;
} builder;

static bool is_short_lived(const builder *b, size_t i) {
    return i < b->n_init && !dray_str_is(b->containers[i]->restart_policy, "Always");
}

static void map_to(builder *b, size_t i, dray_str resource, dray_str request) {
    DRAY_PUSH(b->cycle->arena, &b->mappings,
              (dray_core_container_extended_resource_request){
                  .container_name = b->containers[i]->name,
                  .resource_name = resource,
                  .request_name = request,
              });
}

/* How many of resource container i asks for, and the resource's place in its sorted requests. */
static int64_t count_of(const builder *b, size_t i, dray_str resource, size_t *ret_place) {
    const dray_core_resource_requirements *r = b->containers[i]->resources;
    for (size_t k = 0; k < r->requests.n; k++) {
        int64_t count;
        if (!dray_str_eq(r->requests.k[k], resource))
            continue;
        *ret_place = k;
        return dray_quantity_as_int(r->requests.v[k], &count) ? count : 0;
    }
    return 0;
}

static dray_resource_device_request make_request(builder *b, size_t i, size_t place, int64_t count,
                                                 dray_str class) {
    dray_arena *arena = b->cycle->arena;
    dray_resource_device_request request = {
        .name = dray_strf(arena, "container-%zu-request-%zu", i, place),
        .exactly = dray_api_new(&dray_type_resource_exact_device_request, arena),
    };
    request.exactly->device_class_name = class;
    request.exactly->allocation_mode = DRAY_STR("ExactCount");
    request.exactly->count = count;
    return request;
}

/* What a short-lived init container needs beyond the requests of the containers that live on. */
static dray_resource_device_request borrow(builder *b, size_t i, const struct dray_plan_extended *w,
                                           const dray_resource_device_request *lasting) {
    size_t place = 0;
    int64_t count = count_of(b, i, w->name, &place), sum = 0;
    dray_resource_device_request none = {0};
    for (size_t k = i; k < b->n && count != 0; k++) {
        if (lasting[k].exactly == NULL)
            continue;
        sum += lasting[k].exactly->count;
        map_to(b, i, w->name, lasting[k].name);
        if (sum >= count)
            return none;
    }
    if (count == 0)
        return none;
    none = make_request(b, i, place, count - sum, w->class->metadata->name);
    map_to(b, i, w->name, none.name);
    return none;
}

/* Of what short-lived containers need more, one request is enough: they run one after another. */
static void add_short_lived(builder *b, const struct dray_plan_extended *w,
                            const dray_resource_device_request *lasting) {
    dray_resource_device_request most = {0};
    dray_map names = dray_map_new(b->cycle->arena);
    size_t first = b->mappings.n;
    for (size_t i = 0; i < b->n_init; i++) {
        if (!is_short_lived(b, i))
            continue;
        dray_resource_device_request one = borrow(b, i, w, lasting);
        if (one.exactly == NULL)
            continue;
        dray_map_put(&names, one.name, b);
        if (most.exactly == NULL || most.exactly->count < one.exactly->count)
            most = one;
    }
    for (size_t k = first; k < b->mappings.n; k++)
        if (dray_map_find(&names, b->mappings.v[k].request_name) != NULL)
            b->mappings.v[k].request_name = most.name;
    if (most.exactly != NULL)
        DRAY_PUSH(b->cycle->arena, &b->requests, most);
}

static void add_resource(builder *b, const struct dray_plan_extended *w) {
    dray_arena *arena = b->cycle->arena;
    dray_resource_device_request *lasting = DRAY_NEW_N(arena, dray_resource_device_request, b->n);
    for (size_t i = 0; i < b->n; i++) {
        size_t place = 0;
        int64_t count = is_short_lived(b, i) ? 0 : count_of(b, i, w->name, &place);
        if (count == 0)
            continue;
        lasting[i] = make_request(b, i, place, count, w->class->metadata->name);
        map_to(b, i, w->name, lasting[i].name);
    }
    add_short_lived(b, w, lasting);
    for (size_t i = 0; i < b->n; i++)
        if (lasting[i].exactly != NULL)
            DRAY_PUSH(arena, &b->requests, lasting[i]);
}

static int by_name(const void *a, const void *b, void *context) {
    return dray_str_cmp(((const dray_resource_device_request *)a)->name,
                        ((const dray_resource_device_request *)b)->name);
}

void dray_plan_extended_requests(dray_plan_cycle *cycle, const dray_plan_dynamic *state,
                                 dray_plan_variant *variant) {
    const dray_core_pod_spec *spec = cycle->pod->pod->spec;
    builder b = {
        .cycle = cycle,
        .n = spec->init_containers.n + spec->containers.n,
        .n_init = spec->init_containers.n,
    };
    b.containers = DRAY_NEW_N(cycle->arena, const dray_core_container *, b.n);
    for (size_t i = 0; i < b.n; i++)
        b.containers[i] =
            i < b.n_init ? &spec->init_containers.v[i] : &spec->containers.v[i - b.n_init];
    for (size_t i = 0; i < state->n_wanted; i++) /* sorted by name already */
        if (variant->served >> i & 1)
            add_resource(&b, &state->wanted[i]);
    dray_sort(b.requests.v, b.requests.n, sizeof *b.requests.v, by_name, NULL);

    dray_resource_claim *claim = DRAY_NEW(cycle->arena, dray_resource_claim);
    *claim = *state->extended;
    claim->spec = DRAY_NEW(cycle->arena, dray_resource_claim_spec);
    *claim->spec = *state->extended->spec;
    claim->spec->devices = DRAY_NEW(cycle->arena, dray_resource_device_claim);
    claim->spec->devices->requests.v = b.requests.v;
    claim->spec->devices->requests.n = b.requests.n;
    variant->extended = claim;
    variant->mappings = b.mappings.v;
    variant->n_mappings = b.mappings.n;
}

static dray_plan_variant *make_variant(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                                       uint64_t served, bool with_special) {
    dray_plan_variant v = {
        .served = served,
        .claims = DRAY_NEW_N(cycle->arena, const dray_resource_claim *, state->n),
    };
    if (with_special)
        dray_plan_extended_requests(cycle, state, &v);
    for (size_t i = 0; i < state->n; i++) {
        const dray_plan_claim *c = &state->claims[i];
        if (c->allocation == NULL)
            v.claims[v.n++] = c->claim == state->extended && with_special ? v.extended : c->claim;
    }
    DRAY_PUSH(cycle->arena, &state->variants, v);
    return &state->variants.v[state->variants.n - 1];
}

dray_plan_variant *dray_plan_variant_of(dray_plan_cycle *cycle, dray_plan_dynamic *state,
                                        const dray_plan_node *node, const char **rejected) {
    uint64_t served = 0;
    bool with_special = false;
    if (state->extended != NULL && state->extended->spec->devices->requests.v != NULL) {
        *rejected = "cannot schedule extended resource claim";
        return NULL;
    }
    for (size_t i = 0; state->extended != NULL && i < state->n_wanted; i++) {
        const struct dray_plan_extended *w = &state->wanted[i];
        if (w->class != NULL && dray_plan_res_scalar(&node->allocatable, w->id) == 0)
            served |= (uint64_t)1 << i;
        else if (!dray_plan_res_has_scalar(&node->allocatable, w->id)) {
            *rejected = "cannot fit resource";
            return NULL;
        }
    }
    if (state->n_user == 0 && served == 0)
        return NULL;
    if (state->extended != NULL && state->extended->status->allocation != NULL &&
        state->n_user == 0)
        return NULL;
    with_special = state->extended != NULL && state->extended->status->allocation == NULL;
    for (size_t i = 0; i < state->variants.n; i++)
        if (state->variants.v[i].served == served)
            return &state->variants.v[i];
    return make_variant(cycle, state, served, with_special);
}
