/* Choosing a node for one of many equal Pods.
 *
 * A shape keeps, for each node, the verdict of the filters whose scope is the object or the node,
 * and those plugins' scores. Whoever places a Pod writes the node's number into plan->changed; a
 * shape evaluates anew only the nodes written since it was asked last. Filters and scores whose
 * scope is the cluster are run every time, on what the kept verdicts leave. So a Pod costs one pass
 * over the nodes and the evaluation of the few that changed.
 */
#include "plan/shape.h"

#include "api/engine.h"
#include "base/bits.h"
#include "plan/dynamic.h"
#include "plan/packing_int.h"

/* --- which Pods are equal --- */

static void add_strings(dray_buf *key, dray_string_map map) {
    for (size_t i = 0; i < map.n; i++)
        dray_buf_addf(key, DRAY_FMT "=" DRAY_FMT "\n", DRAY_ARG(map.k[i]), DRAY_ARG(map.v[i]));
}

/* False for a Pod whose claims make it unlike any other. */
static bool add_claims(dray_plan_cycle *cycle, dray_buf *key) {
    const dray_plan_dynamic *state = cycle->state[dray_plan_dynamic_slot()];
    if (state == NULL)
        return true;
    if (state->leftover)
        return false;
    for (size_t i = 0; i < state->n_user; i++) {
        const dray_plan_claim *c = &state->claims[i];
        const dray_core_pod_resource_claim *entry = NULL;
        if (i < cycle->pod->pod->spec->resource_claims.n)
            entry = &cycle->pod->pod->spec->resource_claims.v[i];
        if (c->allocation != NULL)
            return false;
        if (entry != NULL && entry->resource_claim_name.p != NULL)
            dray_buf_addf(key, "claim " DRAY_FMT "\n", DRAY_ARG(c->claim->metadata->name));
        dray_api_encode_type(key, &dray_type_resource_claim_spec, c->claim->spec);
        dray_buf_putc(key, '\n');
    }
    return true;
}

static bool make_key(dray_plan_cycle *cycle, dray_buf *key) {
    const dray_core_pod *pod = cycle->pod->pod;
    if (cycle->world->nominated.n != 0 || cycle->narrowed || cycle->plan->sight.on ||
        pod->status->nominated_node_name.n != 0)
        return false;
    dray_buf_addf(key, DRAY_FMT "\n", DRAY_ARG(pod->metadata->namespace));
    add_strings(key, pod->metadata->labels);
    dray_api_encode_type(key, &dray_type_core_pod_spec, pod->spec);
    return add_claims(cycle, key);
}

/* --- keeping shapes --- */

void dray_plan_shapes_free(dray_plan *plan) {
    for (size_t i = 0; i < plan->n_shapes; i++)
        dray_arena_free(plan->shapes[i]->arena);
    plan->n_shapes = 0;
}

static size_t shapes_max(const dray_plan *plan) {
    size_t n = DRAY_PLAN_VERDICTS_MAX / (plan->world.n_nodes + 1);
    n = n < DRAY_PLAN_SHAPES_MAX ? n : DRAY_PLAN_SHAPES_MAX;
    return n > DRAY_PLAN_SHAPES_MIN ? n : DRAY_PLAN_SHAPES_MIN;
}

static dray_plan_shape *shape_of(dray_plan *plan, dray_str key) {
    size_t oldest = 0;
    for (size_t i = 0; i < plan->n_shapes; i++) {
        if (dray_str_eq(plan->shapes[i]->key, key)) {
            plan->shapes[i]->used = ++plan->shape_clock;
            return plan->shapes[i];
        }
        if (plan->shapes[i]->used < plan->shapes[oldest]->used)
            oldest = i;
    }
    if (plan->n_shapes == shapes_max(plan))
        dray_arena_free(plan->shapes[oldest]->arena);
    else
        oldest = plan->n_shapes++;
    dray_arena *arena = dray_arena_new(0);
    dray_plan_shape *shape = DRAY_NEW(arena, dray_plan_shape);
    shape->arena = arena;
    shape->key = dray_str_dup(arena, key);
    shape->used = ++plan->shape_clock;
    plan->shapes[oldest] = shape;
    return shape;
}

/* --- verdicts and scores of single nodes --- */

/* Whether every filter that looks at objects alone lets the node pass: then it always will. */
static bool pass_objects(dray_plan_cycle *cycle, dray_plan_node *node) {
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        const dray_plan_plugin *plugin = dray_plan_plugins[i];
        if (plugin->filter != NULL && plugin->scope == DRAY_PLAN_SCOPE_OBJECT && !cycle->skip[i] &&
            plugin->filter(cycle, i, node).code != DRAY_PLAN_OK)
            return false;
    }
    return true;
}

static bool is_settled(const dray_plan_plugin *plugin, bool objects) {
    return plugin->scope == DRAY_PLAN_SCOPE_CLUSTER ||
           (objects && plugin->scope == DRAY_PLAN_SCOPE_OBJECT);
}

static dray_plan_status filter_local(dray_plan_cycle *cycle, dray_plan_node *node, bool objects) {
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        const dray_plan_plugin *plugin = dray_plan_plugins[i];
        if (plugin->filter == NULL || is_settled(plugin, objects) || cycle->skip[i])
            continue;
        dray_plan_status status = plugin->filter(cycle, i, node);
        if (status.code != DRAY_PLAN_OK) {
            status.plugin = (int8_t)i;
            return status;
        }
    }
    return DRAY_PLAN_STATUS_OK;
}

static void score_local(dray_plan_cycle *cycle, dray_plan_shape *shape, dray_plan_node *node,
                        bool objects) {
    int64_t sum = 0;
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        const dray_plan_plugin *plugin = dray_plan_plugins[i];
        if (plugin->score == NULL || plugin->scope == DRAY_PLAN_SCOPE_CLUSTER ||
            cycle->skip_score[i] || (plugin->normalize != NULL && is_settled(plugin, objects)))
            continue;
        int64_t score = plugin->score(cycle, i, node);
        if (plugin->normalize == NULL) {
            sum += score * plugin->weight;
            continue;
        }
        if (shape->raw[i] == NULL) {
            shape->raw[i] = DRAY_NEW_N(shape->arena, int64_t, cycle->world->n_nodes);
            for (size_t k = 0; k < cycle->world->n_nodes; k++)
                shape->raw[i][k] = score;
        }
        shape->varies[i] |= shape->raw[i][node->index] != score;
        shape->raw[i][node->index] = score;
    }
    shape->sum[node->index] = sum;
}

static void evaluate(dray_plan_cycle *cycle, dray_plan_shape *shape, size_t index) {
    dray_plan_node *node = &cycle->world->nodes[index];
    dray_plan_status *status = &shape->nodes[index];
    shape->n_errors -= status->code == DRAY_PLAN_ERROR;
    shape->n_ends -= status->ends;
    uint64_t bit = (uint64_t)1 << index % 64;
    if (!shape->filled && pass_objects(cycle, node))
        shape->passed[index / 64] |= bit;
    *status = filter_local(cycle, node, (shape->passed[index / 64] & bit) != 0);
    shape->n_errors += status->code == DRAY_PLAN_ERROR;
    shape->n_ends += status->ends;
    shape->fine[index / 64] &= ~bit;
    if (status->code != DRAY_PLAN_OK)
        return;
    shape->fine[index / 64] |= bit;
    score_local(cycle, shape, node, (shape->scored[index / 64] & bit) != 0);
    shape->scored[index / 64] |= bit;
}

static void catch_up(dray_plan_cycle *cycle, dray_plan_shape *shape) {
    const dray_plan *plan = cycle->plan;
    size_t n = cycle->world->n_nodes;
    if (!shape->filled || shape->shared_changes != plan->shared_changes) {
        if (!shape->filled) {
            shape->nodes = DRAY_NEW_N(shape->arena, dray_plan_status, n);
            shape->sum = DRAY_NEW_N(shape->arena, int64_t, n);
            shape->fine = DRAY_NEW_N(shape->arena, uint64_t, dray_bits_words(n) + 1);
            shape->passed = DRAY_NEW_N(shape->arena, uint64_t, dray_bits_words(n) + 1);
            shape->scored = DRAY_NEW_N(shape->arena, uint64_t, dray_bits_words(n) + 1);
        }
        for (size_t i = 0; i < n; i++)
            evaluate(cycle, shape, i);
        shape->filled = true;
    } else {
        for (size_t i = shape->seen; i < plan->changed.n; i++)
            if (dray_plan_is_last_change(plan, i))
                evaluate(cycle, shape, plan->changed.v[i]);
    }
    shape->shared_changes = plan->shared_changes;
    shape->seen = plan->changed.n;
}

/* --- the choice --- */

static void prescore(dray_plan_cycle *cycle, dray_plan_feasible nodes, bool cluster) {
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        const dray_plan_plugin *plugin = dray_plan_plugins[i];
        if (plugin->score == NULL || (plugin->scope == DRAY_PLAN_SCOPE_CLUSTER) != cluster)
            continue;
        cycle->skip_score[i] =
            plugin->prescore != NULL && plugin->prescore(cycle, i, nodes).code == DRAY_PLAN_SKIP;
    }
}

/* The filters that look at the whole cluster, where they come before what the shape says. */
static dray_plan_status filter_cluster(dray_plan_cycle *cycle, dray_plan_status kept,
                                       dray_plan_node *node) {
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        const dray_plan_plugin *plugin = dray_plan_plugins[i];
        if (kept.code != DRAY_PLAN_OK && kept.plugin < i)
            return kept;
        if (plugin->filter == NULL || plugin->scope != DRAY_PLAN_SCOPE_CLUSTER || cycle->skip[i])
            continue;
        dray_plan_status status = plugin->filter(cycle, i, node);
        if (status.code != DRAY_PLAN_OK) {
            status.plugin = (int8_t)i;
            return status;
        }
    }
    return kept;
}

static bool needs_cluster(const dray_plan_cycle *cycle) {
    for (int i = 0; i < dray_plan_n_plugins; i++)
        if (dray_plan_plugins[i]->filter != NULL && !cycle->skip[i] &&
            dray_plan_plugins[i]->scope == DRAY_PLAN_SCOPE_CLUSTER)
            return true;
    return false;
}

/* Adds a normalised score to the totals. */
static void add_score(dray_plan_cycle *cycle, int slot, dray_plan_feasible nodes,
                      const int64_t *raw, int64_t *totals) {
    const dray_plan_plugin *plugin = dray_plan_plugins[slot];
    int64_t *one = DRAY_NEW_N(cycle->arena, int64_t, nodes.n);
    for (size_t k = 0; k < nodes.n; k++)
        one[k] = raw != NULL ? raw[nodes.v[k]]
                             : plugin->score(cycle, slot, &cycle->world->nodes[nodes.v[k]]);
    plugin->normalize(cycle, slot, nodes, one);
    for (size_t k = 0; k < nodes.n; k++)
        totals[k] += one[k] * plugin->weight;
}

static dray_plan_node *best_of(dray_plan_cycle *cycle, const dray_plan_shape *shape,
                               dray_plan_feasible nodes) {
    int64_t *totals = DRAY_NEW_N(cycle->arena, int64_t, nodes.n);
    prescore(cycle, nodes, true);
    for (size_t k = 0; k < nodes.n; k++)
        totals[k] = shape->sum[nodes.v[k]];
    for (int i = 0; i < dray_plan_n_plugins; i++) {
        bool cluster = dray_plan_plugins[i]->scope == DRAY_PLAN_SCOPE_CLUSTER;
        if (dray_plan_plugins[i]->normalize == NULL || cycle->skip_score[i])
            continue;
        if (cluster)
            add_score(cycle, i, nodes, NULL, totals);
        else if (shape->varies[i])
            add_score(cycle, i, nodes, shape->raw[i], totals);
    }
    size_t best = 0;
    for (size_t k = 1; k < nodes.n; k++)
        if (totals[k] > totals[best])
            best = k;
    return &cycle->world->nodes[nodes.v[best]];
}

/* The feasible nodes where something looks at the whole cluster, or a filter fails; SIZE_MAX:
 * ret->error. */
static size_t look_at_each(dray_plan_cycle *cycle, const dray_plan_shape *shape, bool cluster,
                           uint32_t *feasible, dray_plan_choice *ret) {
    size_t n = cycle->world->n_nodes, n_feasible = 0;
    if (cluster)
        ret->nodes = DRAY_NEW_N(cycle->arena, dray_plan_status, n);
    for (size_t i = 0; i < n; i++) {
        dray_plan_status kept = shape->nodes[i];
        if (kept.code == DRAY_PLAN_ERROR) {
            ret->error = kept;
            return SIZE_MAX;
        }
        if (cluster)
            kept = ret->nodes[i] = filter_cluster(cycle, kept, &cycle->world->nodes[i]);
        if (kept.code == DRAY_PLAN_OK)
            feasible[n_feasible++] = (uint32_t)i;
    }
    return n_feasible;
}

static size_t list_fine(const dray_plan_shape *shape, size_t n_nodes, uint32_t *feasible) {
    size_t n = 0;
    for (size_t w = 0; w < dray_bits_words(n_nodes); w++) {
        for (uint64_t bits = shape->fine[w]; bits != 0; bits &= bits - 1)
            feasible[n++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
    }
    return n;
}

static void choose_by_shape(dray_plan_cycle *cycle, dray_plan_shape *shape, dray_plan_choice *ret) {
    size_t n = cycle->world->n_nodes;
    prescore(cycle, (dray_plan_feasible){NULL, 0}, false);
    catch_up(cycle, shape);
    uint32_t *feasible = DRAY_NEW_N(cycle->arena, uint32_t, n);
    bool cluster = needs_cluster(cycle);
    ret->nodes = shape->nodes;
    ret->none_ends = !cluster && shape->n_ends == 0;
    size_t n_feasible = cluster || shape->n_errors > 0
                            ? look_at_each(cycle, shape, cluster, feasible, ret)
                            : list_fine(shape, n, feasible);
    if (n_feasible == SIZE_MAX)
        return;
    ret->best = dray_plan_pack(cycle, (dray_plan_feasible){feasible, n_feasible});
    if (ret->best == NULL && n_feasible != 0)
        ret->best = best_of(cycle, shape, (dray_plan_feasible){feasible, n_feasible});
}

static void choose_alone(dray_plan_cycle *cycle, dray_plan_choice *ret) {
    size_t n = cycle->world->n_nodes, n_feasible = 0;
    ret->nodes = DRAY_NEW_N(cycle->arena, dray_plan_status, n);
    ret->error = dray_plan_filter_all(cycle, ret->nodes);
    if (ret->error.code != DRAY_PLAN_OK)
        return;
    uint32_t *feasible = DRAY_NEW_N(cycle->arena, uint32_t, n);
    for (size_t i = 0; i < n; i++)
        if (ret->nodes[i].code == DRAY_PLAN_OK)
            feasible[n_feasible++] = (uint32_t)i;
    ret->best = dray_plan_pack(cycle, (dray_plan_feasible){feasible, n_feasible});
    if (n_feasible == 0 || ret->best != NULL)
        return;
    int64_t *scores = DRAY_NEW_N(cycle->arena, int64_t, n_feasible);
    dray_plan_score(cycle, (dray_plan_feasible){feasible, n_feasible}, scores);
    size_t best = 0;
    for (size_t k = 1; k < n_feasible; k++)
        if (scores[k] > scores[best])
            best = k;
    ret->best = &cycle->world->nodes[feasible[best]];
}

/* The node that the Pod was promised, if it fits there; NULL otherwise. It is asked before all
 * others. Source: evaluateNominatedNode. */
static dray_plan_node *nominated(dray_plan_cycle *cycle) {
    dray_str name = cycle->pod->pod->status->nominated_node_name;
    dray_plan_node *node = name.n != 0 ? dray_plan_node_find(cycle->world, name) : NULL;
    bool fits = node != NULL && dray_plan_sees(cycle->plan, node->index) &&
                dray_plan_filter(cycle, node).code == DRAY_PLAN_OK;
    return fits ? node : NULL;
}

void dray_plan_choose(dray_plan_cycle *cycle, dray_plan_choice *ret) {
    *ret = (dray_plan_choice){.rejected = dray_plan_prefilter(cycle)};
    if (ret->rejected.code != DRAY_PLAN_OK)
        return;
    ret->best = nominated(cycle);
    if (ret->best != NULL)
        return;
    dray_buf key = DRAY_BUF_INIT;
    if (!cycle->plan->without_shapes && make_key(cycle, &key))
        choose_by_shape(cycle, shape_of(cycle->plan, dray_buf_str(&key)), ret);
    else
        choose_alone(cycle, ret);
    dray_buf_done(&key);
}
