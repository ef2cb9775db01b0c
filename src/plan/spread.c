/* PodTopologySpread, the filter: how unevenly Pods may lie over the values of a topology key. */
#include "plan/spread.h"

static dray_plan_spread spread_of(dray_plan_cycle *cycle,
                                  const dray_core_topology_spread_constraint *c) {
    dray_arena *arena = cycle->arena;
    dray_plan_spread made = {
        .max_skew = c->max_skew,
        .min_domains = c->min_domains.set ? c->min_domains.v : 1,
        .topology_key = c->topology_key,
        .selector = dray_plan_selector_of(c->label_selector, arena),
        .honor_affinity = !dray_str_is(c->node_affinity_policy, "Ignore"),
        .honor_taints = dray_str_is(c->node_taints_policy, "Honor"),
        .topology = dray_plan_topology_of(cycle->world, c->topology_key),
    };
    dray_string_map labels = cycle->pod->pod->metadata->labels;
    bool by_keys = dray_gates_on(&cycle->world->gates, DRAY_GATE_MatchLabelKeysInPodTopologySpread);
    for (size_t i = 0; by_keys && !made.selector.nothing && i < c->match_label_keys.n; i++) {
        dray_str key = c->match_label_keys.v[i];
        if (dray_plan_has_label(labels, key))
            dray_plan_selector_add(&made.selector, arena, key, dray_string_map_find(labels, key));
    }
    return made;
}

void dray_plan_spreads_of(dray_plan_cycle *cycle, const char *action, dray_plan_spreads *ret) {
    const dray_core_pod_spec *spec = cycle->pod->pod->spec;
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++) {
        const dray_core_topology_spread_constraint *c = &spec->topology_spread_constraints.v[i];
        if (dray_str_is(c->when_unsatisfiable, action))
            DRAY_PUSH(cycle->arena, ret, spread_of(cycle, c));
    }
}

static bool selects(dray_string_map selector, dray_string_map labels) {
    for (size_t i = 0; i < selector.n; i++)
        if (!dray_plan_has_label(labels, selector.k[i]) ||
            !dray_str_eq(dray_string_map_find(labels, selector.k[i]), selector.v[i]))
            return false;
    return true;
}

/* Adds the selector of the workload that owns the Pod. Source: helper.DefaultSelector. */
static void add_owner(dray_plan_cycle *cycle, dray_plan_selector *selector) {
    const dray_plan_world *world = cycle->world;
    const dray_meta_object_meta *meta = cycle->pod->pod->metadata;
    const dray_meta_owner_reference *owner = dray_plan_controller_of(meta);
    if (owner == NULL)
        return;
    const dray_meta_label_selector *found = NULL;
    for (size_t i = 0; dray_str_is(owner->kind, "ReplicaSet") && i < world->replica_sets.n; i++) {
        const dray_apps_replica_set *set = world->replica_sets.v[i];
        if (dray_str_eq(set->metadata->name, owner->name) &&
            dray_str_eq(set->metadata->namespace, meta->namespace))
            found = set->spec->selector;
    }
    for (size_t i = 0; dray_str_is(owner->kind, "StatefulSet") && i < world->stateful_sets.n; i++) {
        const dray_apps_stateful_set *set = world->stateful_sets.v[i];
        if (dray_str_eq(set->metadata->name, owner->name) &&
            dray_str_eq(set->metadata->namespace, meta->namespace))
            found = set->spec->selector;
    }
    dray_plan_selector more = dray_plan_selector_of(found, cycle->arena);
    for (size_t i = 0; i < more.all.n; i++)
        DRAY_PUSH(cycle->arena, &selector->all, more.all.v[i]);
    for (size_t i = 0;
         dray_str_is(owner->kind, "ReplicationController") && i < world->replication_controllers.n;
         i++) {
        const dray_core_replication_controller *rc = world->replication_controllers.v[i];
        if (dray_str_eq(rc->metadata->name, owner->name) &&
            dray_str_eq(rc->metadata->namespace, meta->namespace))
            dray_plan_selector_add_map(selector, cycle->arena, rc->spec->selector);
    }
}

void dray_plan_spreads_default(dray_plan_cycle *cycle, dray_plan_spreads *ret) {
    static const struct {
        dray_str key;
        int32_t max_skew;
    } rows[] = {
        {DRAY_STR_INIT("kubernetes.io/hostname"), 3},
        {DRAY_STR_INIT("topology.kubernetes.io/zone"), 5},
    };
    const dray_meta_object_meta *meta = cycle->pod->pod->metadata;
    dray_plan_selector selector = {0};
    for (size_t i = 0; i < cycle->world->services.n; i++) {
        const dray_core_service *s = cycle->world->services.v[i];
        if (s->spec->selector.k != NULL && dray_str_eq(s->metadata->namespace, meta->namespace) &&
            selects(s->spec->selector, meta->labels))
            dray_plan_selector_add_map(&selector, cycle->arena, s->spec->selector);
    }
    add_owner(cycle, &selector);
    for (size_t i = 0; selector.all.n != 0 && i < DRAY_COUNT(rows); i++)
        DRAY_PUSH(cycle->arena, ret,
                  (dray_plan_spread){
                      .max_skew = rows[i].max_skew,
                      .min_domains = 1,
                      .topology_key = rows[i].key,
                      .selector = selector,
                      .honor_affinity = true,
                      .topology = dray_plan_topology_of(cycle->world, rows[i].key),
                  });
}

bool dray_plan_spread_counts_node(const dray_plan_cycle *cycle, const dray_plan_spread *c,
                                  const dray_plan_node *node) {
    const dray_core_pod_spec *spec = cycle->pod->pod->spec;
    if (c->honor_affinity && !dray_plan_required_affinity_match(spec, node->node))
        return false;
    bool numeric =
        dray_gates_on(&cycle->world->gates, DRAY_GATE_TaintTolerationComparisonOperators);
    return !c->honor_taints || dray_plan_untolerated(spec, node->node, numeric) == NULL;
}

bool dray_plan_spread_has_keys(const dray_plan_spreads *all, const dray_plan_node *node) {
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].topology->of_node[node->index] == DRAY_PLAN_NO_VALUE)
            return false;
    return true;
}

int64_t dray_plan_spread_count(const dray_plan_cycle *cycle, const dray_plan_spread *c,
                               const dray_plan_node *node) {
    int64_t count = 0;
    if (dray_plan_selector_empty(&c->selector))
        return 0;
    for (size_t i = 0; i < node->pods.n; i++) {
        const dray_meta_object_meta *meta = node->pods.v[i]->pod->metadata;
        if (!meta->deletion_timestamp.set &&
            dray_str_eq(meta->namespace, cycle->pod->pod->metadata->namespace) &&
            dray_plan_selector_match(&c->selector, meta->labels))
            count++;
    }
    return count;
}

static dray_plan_status prefilter(dray_plan_cycle *cycle, int slot) {
    dray_plan_spread_state *state = DRAY_NEW(cycle->arena, dray_plan_spread_state);
    cycle->state[slot] = state;
    dray_plan_spreads_of(cycle, "DoNotSchedule", &state->hard);
    if (state->hard.n == 0)
        return (dray_plan_status){.code = DRAY_PLAN_SKIP};
    state->counts = DRAY_NEW_N(cycle->arena, int64_t *, state->hard.n);
    state->present = DRAY_NEW_N(cycle->arena, dray_bits, state->hard.n);
    state->least = DRAY_NEW_N(cycle->arena, int64_t, state->hard.n);
    for (size_t i = 0; i < state->hard.n; i++) {
        uint32_t n = state->hard.v[i].topology->n_values;
        state->counts[i] = DRAY_NEW_N(cycle->arena, int64_t, n);
        state->present[i] = dray_bits_new(cycle->arena, n);
        state->least[i] = INT64_MIN;
    }
    for (size_t k = 0; k < cycle->world->n_nodes; k++) {
        const dray_plan_node *node = &cycle->world->nodes[k];
        if (!dray_plan_spread_has_keys(&state->hard, node))
            continue;
        for (size_t i = 0; i < state->hard.n; i++) {
            const dray_plan_spread *c = &state->hard.v[i];
            if (!dray_plan_spread_counts_node(cycle, c, node))
                continue;
            uint32_t value = c->topology->of_node[k];
            state->counts[i][value] += dray_plan_spread_count(cycle, c, node);
            dray_bits_set(state->present[i], value);
        }
    }
    return DRAY_PLAN_STATUS_OK;
}

static void *clone(dray_plan_cycle *cycle, int slot) {
    const dray_plan_spread_state *old = cycle->state[slot];
    dray_plan_spread_state *state = DRAY_NEW(cycle->arena, dray_plan_spread_state);
    *state = *old;
    if (old->hard.n == 0)
        return state;
    state->counts = DRAY_NEW_N(cycle->arena, int64_t *, old->hard.n);
    state->present = DRAY_NEW_N(cycle->arena, dray_bits, old->hard.n);
    state->least = DRAY_NEW_N(cycle->arena, int64_t, old->hard.n);
    for (size_t i = 0; i < old->hard.n; i++) {
        uint32_t n = old->hard.v[i].topology->n_values;
        state->least[i] = old->least[i];
        state->counts[i] = DRAY_NEW_N(cycle->arena, int64_t, n);
        memcpy(state->counts[i], old->counts[i], n * sizeof **state->counts);
        state->present[i] = dray_bits_new(cycle->arena, n);
        memcpy(state->present[i].w, old->present[i].w,
               dray_bits_words(n) * sizeof *state->present[i].w);
    }
    return state;
}

static void update(dray_plan_cycle *cycle, int slot, const dray_plan_pod *pod,
                   const dray_plan_node *node, int delta) {
    dray_plan_spread_state *state = cycle->state[slot];
    const dray_meta_object_meta *meta = pod->pod->metadata;
    if (!dray_str_eq(meta->namespace, cycle->pod->pod->metadata->namespace) ||
        !dray_plan_spread_has_keys(&state->hard, node))
        return;
    for (size_t i = 0; i < state->hard.n; i++) {
        const dray_plan_spread *c = &state->hard.v[i];
        if (!dray_plan_selector_match(&c->selector, meta->labels) ||
            !dray_plan_spread_counts_node(cycle, c, node))
            continue;
        uint32_t value = c->topology->of_node[node->index];
        state->counts[i][value] += delta;
        state->least[i] = INT64_MIN;
        dray_bits_set(state->present[i], value);
    }
}

/* The fewest matching Pods in any domain; none at all when there are too few domains. */
static int64_t least(dray_plan_spread_state *state, size_t i) {
    if (state->least[i] != INT64_MIN)
        return state->least[i];
    int64_t min = INT32_MAX, domains = 0;
    dray_bits present = state->present[i];
    for (size_t v = dray_bits_next(present, 0); v != SIZE_MAX; v = dray_bits_next(present, v + 1)) {
        domains++;
        if (state->counts[i][v] < min)
            min = state->counts[i][v];
    }
    state->least[i] = domains < state->hard.v[i].min_domains ? 0 : min;
    return state->least[i];
}

static dray_plan_status filter(dray_plan_cycle *cycle, int slot, dray_plan_node *node) {
    dray_plan_spread_state *state = cycle->state[slot];
    for (size_t i = 0; i < state->hard.n; i++) {
        const dray_plan_spread *c = &state->hard.v[i];
        uint32_t value = c->topology->of_node[node->index];
        if (value == DRAY_PLAN_NO_VALUE)
            return dray_plan_unresolvable(cycle,
                                          "node(s) didn't match pod topology spread constraints "
                                          "(missing required label)");
        int64_t self =
            dray_plan_selector_match(&c->selector, cycle->pod->pod->metadata->labels) ? 1 : 0;
        if (state->counts[i][value] + self - least(state, i) > c->max_skew)
            return dray_plan_unschedulable(cycle,
                                           "node(s) didn't match pod topology spread constraints");
    }
    return DRAY_PLAN_STATUS_OK;
}

const dray_plan_plugin dray_plan_topology_spread = {
    .name = "PodTopologySpread",
    .scope = DRAY_PLAN_SCOPE_CLUSTER,
    .weight = 2,
    .prefilter = prefilter,
    .filter = filter,
    .clone = clone,
    .update = update,
    .prescore = dray_plan_spread_prescore,
    .score = dray_plan_spread_score,
    .normalize = dray_plan_spread_normalize,
};
