/* ImageLocality: prefers nodes that have the Pod's images already, large and widespread ones most.
 */
#include "plan/plan_int.h"

enum { MIB = 1 << 20 };
#define MIN_SUM ((int64_t)23 * MIB)
#define MAX_SUM_PER_IMAGE ((int64_t)1000 * MIB)

typedef struct image_state {
    DRAY_VEC(const dray_plan_image *) images; /* those that some node has */
    int64_t count;                            /* all that the Pod names */
} image_state;

static void want(dray_plan_cycle *cycle, image_state *state, dray_str name) {
    const dray_plan_image *image =
        dray_map_find(&cycle->world->images, dray_plan_image_name(name, cycle->arena));
    state->count++;
    if (image != NULL)
        DRAY_PUSH(cycle->arena, &state->images, image);
}

static dray_plan_status prescore(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes) {
    image_state *state = DRAY_NEW(cycle->arena, image_state);
    const dray_core_pod_spec *spec = cycle->pod->pod->spec;
    for (size_t i = 0; i < spec->init_containers.n; i++)
        want(cycle, state, spec->init_containers.v[i].image);
    for (size_t i = 0; i < spec->containers.n; i++)
        want(cycle, state, spec->containers.v[i].image);
    for (size_t i = 0; i < spec->volumes.n; i++)
        if (spec->volumes.v[i].volume_source->image != NULL)
            want(cycle, state, spec->volumes.v[i].volume_source->image->reference);
    cycle->state[slot] = state;
    return (dray_plan_status){.code = state->images.n == 0 ? DRAY_PLAN_SKIP : DRAY_PLAN_OK};
}

static int64_t score(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    const image_state *state = cycle->state[slot];
    int64_t sum = 0;
    for (size_t i = 0; i < state->images.n; i++) {
        const dray_plan_image *image = state->images.v[i];
        double spread = (double)image->n_nodes / (double)cycle->world->n_nodes;
        if (dray_bits_get(image->nodes, node->index))
            sum += (int64_t)((double)image->size * spread);
    }
    int64_t max = MAX_SUM_PER_IMAGE * state->count;
    sum = sum < MIN_SUM ? MIN_SUM : sum > max ? max : sum;
    return DRAY_PLAN_MAX_SCORE * (sum - MIN_SUM) / (max - MIN_SUM);
}

const dray_plan_plugin dray_plan_image_locality = {
    .name = "ImageLocality",
    .weight = 1,
    .prescore = prescore,
    .score = score,
};
