/* Fixes on the nodes' side: labels, taints, cordons, one more node. */
#include "explain/explain_int.h"

#include "api/engine.h"

static dray_core_node *edit_node(dray_trial *t, dray_state *state, dray_str name) {
    return dray_state_edit(t->q, state, &dray_type_core_node, DRAY_STR(""), name);
}

static void set_label(dray_trial *t, dray_string_map *labels, dray_str key, dray_str value) {
    dray_string_map larger = {DRAY_NEW_N(t->q->arena, dray_str, labels->n + 1),
                              DRAY_NEW_N(t->q->arena, dray_str, labels->n + 1), 0};
    bool placed = false;
    for (size_t i = 0; i <= labels->n; i++) {
        if (!placed && (i == labels->n || dray_str_cmp(labels->k[i], key) >= 0)) {
            larger.k[larger.n] = key;
            larger.v[larger.n++] = value;
            placed = true;
        }
        if (i == labels->n || dray_str_eq(labels->k[i], key))
            continue;
        larger.k[larger.n] = labels->k[i];
        larger.v[larger.n++] = labels->v[i];
    }
    *labels = larger;
}

void dray_fix_make_UNCORDON_NODE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_core_node *node = edit_node(t, dray_offer_new(t, ret, 1), f->node);
    size_t n = 0;
    node->spec->unschedulable = false;
    for (size_t i = 0; i < node->spec->taints.n; i++)
        if (!dray_str_is(node->spec->taints.v[i].key, "node.kubernetes.io/unschedulable"))
            node->spec->taints.v[n++] = node->spec->taints.v[i];
    node->spec->taints.n = n;
}

void dray_fix_make_UNTAINT_NODE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    dray_core_node *node = edit_node(t, dray_offer_new(t, ret, 1), f->node);
    size_t n = 0;
    for (size_t i = 0; i < node->spec->taints.n; i++)
        if (!dray_str_eq(node->spec->taints.v[i].key, f->subject))
            node->spec->taints.v[n++] = node->spec->taints.v[i];
    node->spec->taints.n = n;
}

/* Labels that make one term of a selector true. */
static void satisfy_term(dray_trial *t, const dray_core_node_selector_term *term,
                         dray_string_map *labels) {
    for (size_t i = 0; i < term->match_expressions.n; i++) {
        const dray_core_node_selector_requirement *r = &term->match_expressions.v[i];
        if (dray_str_is(r->operator, "In") && r->values.n != 0) {
            bool has = false;
            dray_str value = dray_string_map_find(*labels, r->key);
            for (size_t k = 0; k < r->values.n && value.p != NULL; k++)
                has |= dray_str_eq(value, r->values.v[k]);
            if (!has)
                set_label(t, labels, r->key, r->values.v[0]);
        } else if (dray_str_is(r->operator, "Exists") &&
                   dray_string_map_find(*labels, r->key).p == NULL) {
            set_label(t, labels, r->key, DRAY_STR("true"));
        }
    }
}

static void satisfy_pod(dray_trial *t, dray_string_map *labels) {
    const dray_core_pod_spec *spec = t->pod->spec;
    for (size_t i = 0; i < spec->node_selector.n; i++)
        set_label(t, labels, spec->node_selector.k[i], spec->node_selector.v[i]);
    const dray_core_node_selector *terms =
        spec->affinity != NULL && spec->affinity->node_affinity != NULL
            ? spec->affinity->node_affinity->required_during_scheduling_ignored_during_execution
            : NULL;
    if (terms != NULL && terms->node_selector_terms.n != 0)
        satisfy_term(t, &terms->node_selector_terms.v[0], labels);
}

static void satisfy_slice(dray_trial *t, const dray_resource_slice *slice,
                          dray_string_map *labels) {
    const dray_core_node_selector *s = slice->spec->node_selector;
    for (size_t i = 0; s == NULL && i < slice->spec->devices.n; i++)
        s = slice->spec->devices.v[i].node_selector;
    if (s != NULL && s->node_selector_terms.n != 0)
        satisfy_term(t, &s->node_selector_terms.v[0], labels);
}

void dray_fix_make_LABEL_NODE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    if (f->cause == DRAY_CAUSE_TOPOLOGY_SPREAD) {
        dray_state *state = dray_offer_new(t, ret, (uint32_t)t->answer.n_nodes);
        for (size_t i = 0; i < t->answer.n_nodes; i++) {
            dray_core_node *node = edit_node(t, state, t->answer.nodes[i].name);
            if (node != NULL && dray_string_map_find(node->metadata->labels, f->subject).p == NULL)
                set_label(t, &node->metadata->labels, f->subject, node->metadata->name);
        }
        return;
    }
    for (size_t i = 0; i < t->answer.n_nodes && i < DRAY_EXPLAIN_NODES; i++) {
        if (f->node.n != 0 && !dray_str_eq(f->node, t->answer.nodes[i].name))
            continue;
        dray_core_node *node = edit_node(t, dray_offer_new(t, ret, 1), t->answer.nodes[i].name);
        if (node == NULL)
            continue;
        if (f->slice != NULL)
            satisfy_slice(t, f->slice, &node->metadata->labels);
        else
            satisfy_pod(t, &node->metadata->labels);
    }
}

/* The slices that only `from` reaches, published by the new node too. */
static void copy_slices(dray_trial *t, dray_state *state, dray_str from, dray_str to) {
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        if (!dray_str_eq(slice->spec->node_name, from))
            continue;
        dray_str name = dray_strf(t->q->arena, DRAY_FMT "-%zu", DRAY_ARG(to), i);
        dray_resource_slice *own =
            dray_state_add(t->q, state, &dray_type_resource_slice, DRAY_STR(""), name);
        dray_api_copy_into(&dray_type_resource_slice_spec, own->spec, slice->spec, t->q->arena);
        own->spec->node_name = to;
        own->spec->pool->name = dray_strf(t->q->arena, DRAY_FMT "-" DRAY_FMT, DRAY_ARG(to),
                                          DRAY_ARG(own->spec->pool->name));
    }
}

/* A node of common size, where the input has none to go by. */
static const dray_core_node *blank_node(dray_trial *t) {
    static const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"cpu", 64}, {"ephemeral-storage", 200LL << 30}, {"memory", 256LL << 30}, {"pods", 110}};
    dray_core_node *node = dray_api_new(&dray_type_core_node, t->q->arena);
    size_t n = DRAY_COUNT(rows);
    node->metadata->name = DRAY_STR("node");
    node->status->allocatable.k = DRAY_NEW_N(t->q->arena, dray_str, n);
    node->status->allocatable.v = DRAY_NEW_N(t->q->arena, dray_quantity, n);
    node->status->allocatable.n = n;
    for (size_t i = 0; i < n; i++) {
        node->status->allocatable.k[i] = dray_str_of(rows[i].name);
        node->status->allocatable.v[i] =
            dray_quantity_from_int(rows[i].value, DRAY_QUANTITY_DECIMAL_SI);
    }
    return node;
}

#define HOSTNAME_LABEL "kubernetes.io/hostname"

void dray_fix_make_ADD_NODE(dray_trial *t, const dray_finding *f, dray_offers *ret) {
    const dray_core_node *model = NULL;
    dray_cluster_list nodes = dray_cluster_all(t->cluster, &dray_type_core_node);
    for (size_t i = 0; i < nodes.n; i++) {
        const dray_core_node *node = nodes.v[i];
        if (model == NULL || dray_str_eq(node->metadata->name, f->node))
            model = node;
    }
    if (model == NULL)
        model = blank_node(t);
    dray_str name =
        f->slice != NULL && f->slice->spec->node_name.n != 0
            ? f->slice->spec->node_name
            : dray_strf(t->q->arena, DRAY_FMT "-added", DRAY_ARG(model->metadata->name));
    dray_state *state = dray_offer_new(t, ret, 3);
    dray_core_node *own = dray_state_add(t->q, state, &dray_type_core_node, DRAY_STR(""), name);
    dray_api_copy_into(&dray_type_core_node_status, own->status, model->status, t->q->arena);
    for (size_t i = 0; i < model->metadata->labels.n; i++)
        set_label(t, &own->metadata->labels, model->metadata->labels.k[i],
                  model->metadata->labels.v[i]);
    set_label(t, &own->metadata->labels, DRAY_STR(HOSTNAME_LABEL), name);
    if (f->slice != NULL) {
        satisfy_slice(t, f->slice, &own->metadata->labels);
    } else {
        satisfy_pod(t, &own->metadata->labels);
        copy_slices(t, state, model->metadata->name, name);
    }
}
