/* What holds a Pod back before any node is looked at: scheduler, gates, claims, classes. */
#include "explain/survey_int.h"

#include "cluster/node_selector.h"
#include "plan/resources.h"

enum { USERS_MAX = 256, CLAIM_RESULTS_MAX = 32 };

static dray_str key_of(dray_trial *t, dray_str name) {
    return dray_words_key(t->q->input->ns, name, t->q->arena);
}

bool dray_find_scheduler(dray_trial *t, dray_finding *ret) {
    dray_str name = t->pod->spec->scheduler_name;
    if (t->pod->spec->node_name.n != 0 || name.n == 0 || dray_str_is(name, DRAY_PLAN_SCHEDULER))
        return false;
    *ret = (dray_finding){.cause = DRAY_CAUSE_OTHER_SCHEDULER, .subject = name};
    return true;
}

static bool is_reserved(const dray_core_pod *pod, const dray_resource_claim *claim) {
    for (size_t i = 0; i < claim->status->reserved_for.n; i++)
        if (dray_str_eq(claim->status->reserved_for.v[i].uid, pod->metadata->uid))
            return true;
    return false;
}

bool dray_find_bypassed(dray_trial *t, dray_finding *ret) {
    if (t->pod->spec->node_name.n == 0)
        return false;
    for (size_t i = 0; i < t->pod->spec->resource_claims.n; i++) {
        const dray_pod_claim *c = &t->claims.v[i];
        if (c->claim != NULL && c->claim->status->allocation != NULL &&
            is_reserved(t->pod, c->claim))
            continue;
        *ret = (dray_finding){.cause = DRAY_CAUSE_BYPASSED_SCHEDULER,
                              .subject = t->pod->spec->node_name,
                              .pod_claim = c};
        ret->claim = key_of(t, c->name.n != 0 ? c->name : c->entry->name);
        return true;
    }
    return false;
}

bool dray_find_gate(dray_trial *t, dray_finding *ret) {
    if (t->pod->spec->scheduling_gates.n == 0)
        return false;
    *ret = (dray_finding){.cause = DRAY_CAUSE_GATED,
                          .subject = t->pod->spec->scheduling_gates.v[0].name};
    return true;
}

bool dray_find_template(dray_trial *t, dray_finding *ret) {
    for (size_t i = 0; i < t->claims.n; i++) {
        const dray_pod_claim *c = &t->claims.v[i];
        dray_str name = c->entry->resource_claim_template_name;
        if (c->name.n != 0 || name.n == 0 ||
            dray_state_find(t->state, &dray_type_resource_claim_template, t->q->input->ns, name) !=
                NULL)
            continue;
        *ret = (dray_finding){
            .cause = DRAY_CAUSE_TEMPLATE_MISSING, .subject = key_of(t, name), .pod_claim = c};
        return true;
    }
    return false;
}

bool dray_find_refused(dray_trial *t, dray_finding *ret) {
    if (t->refused.n == 0)
        return false;
    const dray_refused *r = &t->refused.v[0];
    *ret = (dray_finding){.refused = r};
    ret->cause = r->quota != NULL ? DRAY_CAUSE_QUOTA : DRAY_CAUSE_ADMIN_ACCESS_NAMESPACE;
    ret->subject = r->quota != NULL ? key_of(t, r->quota->metadata->name) : t->q->input->ns;
    return true;
}

static bool is_owner(const dray_resource_claim *claim, const dray_core_pod *pod) {
    for (size_t i = 0; i < claim->metadata->owner_references.n; i++)
        if (dray_str_eq(claim->metadata->owner_references.v[i].uid, pod->metadata->uid))
            return true;
    return false;
}

bool dray_find_claim(dray_trial *t, dray_finding *ret) {
    for (size_t i = 0; i < t->claims.n; i++) {
        const dray_pod_claim *c = &t->claims.v[i];
        if (c->name.n == 0)
            continue;
        *ret = (dray_finding){.subject = key_of(t, c->name), .pod_claim = c};
        ret->claim = ret->subject;
        if (c->claim == NULL) {
            ret->cause = DRAY_CAUSE_CLAIM_MISSING;
            return true;
        }
        bool generated = c->entry->resource_claim_template_name.n != 0;
        if (generated && !is_owner(c->claim, t->pod)) {
            ret->cause = DRAY_CAUSE_CLAIM_OWNED_BY_OTHER;
            return true;
        }
        if (c->claim->metadata->deletion_timestamp.set) {
            ret->cause = DRAY_CAUSE_CLAIM_DELETING;
            return true;
        }
    }
    return false;
}

bool dray_find_claim_full(dray_trial *t, dray_finding *ret) {
    for (size_t i = 0; i < t->claims.n; i++) {
        const dray_pod_claim *c = &t->claims.v[i];
        if (c->claim == NULL || c->claim->status->reserved_for.n < USERS_MAX ||
            is_reserved(t->pod, c->claim))
            continue;
        *ret = (dray_finding){.cause = DRAY_CAUSE_CLAIM_FULL,
                              .subject = key_of(t, c->name),
                              .count = (uint32_t)c->claim->status->reserved_for.n,
                              .of = USERS_MAX,
                              .pod_claim = c};
        ret->claim = ret->subject;
        return true;
    }
    return false;
}

static bool reaches(const dray_resource_claim *claim, const dray_core_node *node) {
    const dray_resource_allocation_result *a = claim->status->allocation;
    return a == NULL || a->node_selector == NULL ||
           dray_node_selector_match(a->node_selector, node);
}

static const dray_core_node *node_of(const dray_trial *t, dray_str name) {
    return dray_cluster_find(t->cluster, &dray_type_core_node, DRAY_STR(""), name);
}

/* Whether what is written in the Pod lets it go to the node. */
static bool allows(const dray_trial *t, const dray_core_node *node) {
    const dray_core_pod_spec *spec = t->pod->spec;
    for (size_t i = 0; i < spec->node_selector.n; i++) {
        dray_str value = dray_string_map_find(node->metadata->labels, spec->node_selector.k[i]);
        if (value.p == NULL || !dray_str_eq(value, spec->node_selector.v[i]))
            return false;
    }
    const dray_core_node_affinity *a =
        spec->affinity != NULL ? spec->affinity->node_affinity : NULL;
    return a == NULL || a->required_during_scheduling_ignored_during_execution == NULL ||
           dray_node_selector_match(a->required_during_scheduling_ignored_during_execution, node);
}

/* Whether the Pod may go anywhere, claims apart: else these are not what is in the way. */
static bool allows_any(const dray_trial *t) {
    dray_cluster_list nodes = dray_cluster_all(t->cluster, &dray_type_core_node);
    for (size_t i = 0; i < nodes.n; i++)
        if (allows(t, nodes.v[i]))
            return true;
    return nodes.n == 0;
}

/* Whether the Pod could go where the claim is: nothing that is written in the Pod, and no other
 * claim, says no. */
static bool may_follow(const dray_trial *t, const dray_pod_claim *c) {
    for (size_t i = 0; i < t->answer.n_nodes; i++) {
        const dray_plan_node_answer *n = &t->answer.nodes[i];
        const dray_core_node *node = node_of(t, n->name);
        if (node == NULL || !reaches(c->claim, node))
            continue;
        bool others = true;
        for (size_t k = 0; k < t->claims.n; k++)
            others &= t->claims.v[k].claim == NULL || reaches(t->claims.v[k].claim, node);
        if (others && allows(t, node))
            return true;
    }
    return false;
}

bool dray_find_claim_elsewhere(dray_trial *t, dray_finding *ret) {
    const dray_pod_claim *found = NULL;
    if (t->fits || (t->answer.n_nodes == 0 && t->answer.prefilter.p == NULL) || !allows_any(t))
        return false;
    for (size_t i = 0; i < t->claims.n; i++) {
        const dray_pod_claim *c = &t->claims.v[i];
        if (c->claim == NULL || c->claim->status->allocation == NULL || may_follow(t, c))
            continue;
        /* One that nobody uses can be given up. */
        if (found == NULL ||
            (found->claim->status->reserved_for.n != 0 && c->claim->status->reserved_for.n == 0))
            found = c;
    }
    if (found == NULL)
        return false;
    *ret = (dray_finding){.cause = DRAY_CAUSE_CLAIM_ON_OTHER_NODE,
                          .subject = key_of(t, found->name),
                          .pod_claim = found};
    ret->claim = ret->subject;
    return true;
}

bool dray_find_class(dray_trial *t, dray_finding *ret) {
    for (size_t i = 0; i < t->wants.n; i++) {
        const dray_want *want = &t->wants.v[i];
        if (want->class != NULL || want->claim == NULL)
            continue;
        *ret = (dray_finding){.cause = DRAY_CAUSE_CLASS_MISSING,
                              .claim = want->claim_name,
                              .request = want->name,
                              .subject = want->class_name,
                              .want = want};
        return true;
    }
    return false;
}

static bool has_resource(const dray_trial *t, dray_str name) {
    for (size_t i = 0; i < t->wants.n; i++) {
        const dray_resource_device_class *class = t->wants.v[i].class;
        if (t->wants.v[i].claim == NULL && class != NULL &&
            dray_str_eq(class->spec->extended_resource_name, name))
            return true;
    }
    dray_cluster_list nodes = dray_cluster_all(t->cluster, &dray_type_core_node);
    for (size_t i = 0; i < nodes.n; i++) {
        const dray_core_node *node = nodes.v[i];
        /* What is left of a device plugin that is gone is a resource of which there is none. */
        for (size_t k = 0; k < node->status->allocatable.n; k++)
            if (dray_str_eq(node->status->allocatable.k[k], name) &&
                dray_quantity_sign(node->status->allocatable.v[k]) > 0)
                return true;
    }
    return false;
}

bool dray_find_extended(dray_trial *t, dray_finding *ret) {
    for (size_t c = 0; c < t->pod->spec->containers.n; c++) {
        const dray_core_resource_requirements *r = t->pod->spec->containers.v[c].resources;
        for (size_t i = 0; r != NULL && i < r->requests.n; i++) {
            dray_str name = r->requests.k[i];
            if (dray_str_chr(name, '/') == SIZE_MAX || has_resource(t, name) ||
                dray_str_starts(name, DRAY_STR("kubernetes.io/")))
                continue;
            if (dray_str_starts(name, DRAY_STR(DRAY_PLAN_CLASS_PREFIX)) &&
                dray_cluster_find(
                    t->cluster, &dray_type_resource_device_class, DRAY_STR(""),
                    dray_str_slice(name, sizeof DRAY_PLAN_CLASS_PREFIX - 1, name.n)) != NULL)
                continue;
            *ret = (dray_finding){.cause = DRAY_CAUSE_EXTENDED_RESOURCE_UNKNOWN, .subject = name};
            return true;
        }
    }
    return false;
}

/* --- features that are off --- */

typedef struct needs {
    bool alternatives, admin, capacity, counters, binding, shared, lists, extended, derived, groups;
    const dray_want *distinct; /* of a claim with a distinctAttribute */
    size_t constraint;
} needs;

static void add_constraint_needs(const dray_want *want, needs *ret) {
    for (size_t i = 0; want->claim != NULL && i < want->claim->spec->devices->constraints.n; i++)
        if (want->claim->spec->devices->constraints.v[i].distinct_attribute.n != 0) {
            ret->distinct = want;
            ret->constraint = i;
        }
}

static void add_device_needs(const dray_resource_device *device, needs *ret) {
    ret->counters |= device->consumes_counters.n != 0;
    for (size_t i = 0; i < device->consumes_counters.n; i++)
        ret->groups |= device->consumes_counters.v[i].compatibility_groups.n != 0;
    ret->binding |= device->binding_conditions.n != 0;
    ret->shared |= device->allow_multiple_allocations.set && device->allow_multiple_allocations.v;
    for (size_t i = 0; i < device->attributes.n; i++) {
        const dray_resource_device_attribute *a = &device->attributes.v[i];
        ret->lists |= a->ints.n + a->bools.n + a->strings.n + a->versions.n != 0;
    }
}

static needs needs_of(dray_trial *t) {
    needs n = {0};
    for (size_t i = 0; i < t->wants.n; i++) {
        const dray_want *w = &t->wants.v[i];
        n.alternatives |= w->sub != SIZE_MAX;
        n.admin |= w->admin;
        n.capacity |= w->capacity != NULL && w->capacity->requests.n != 0;
        n.extended |= w->claim == NULL;
        n.derived |= w->n_derived != 0;
        add_constraint_needs(w, &n);
    }
    dray_cluster_list slices = dray_cluster_all(t->cluster, &dray_type_resource_slice);
    for (size_t i = 0; i < slices.n; i++) {
        const dray_resource_slice *slice = slices.v[i];
        for (size_t k = 0; k < slice->spec->devices.n; k++)
            add_device_needs(&slice->spec->devices.v[k], &n);
    }
    n.shared &= n.capacity;
    return n;
}

/* "…, but the X feature is disabled": the scheduler names the gate itself. */
static bool find_named_gate(dray_trial *t, dray_finding *ret) {
    dray_str text = t->answer.error.p != NULL ? t->answer.error : t->answer.prefilter;
    for (int g = 0; text.p != NULL && g < DRAY_GATE_COUNT; g++) {
        dray_str words =
            dray_strf(t->q->arena, "the %s feature is disabled", dray_gate_name((dray_gate)g));
        if (dray_gates_on(&t->state->gates, (dray_gate)g) || dray_str_find(text, words) == SIZE_MAX)
            continue;
        *ret = (dray_finding){.cause = DRAY_CAUSE_GATE_OFF,
                              .subject = dray_str_of(dray_gate_name((dray_gate)g)),
                              .gate = (dray_gate)g};
        return true;
    }
    return false;
}

/* Whether the Pod fits with the gate, or at least the attempt no longer ends with an error. */
static bool gate_helps(dray_trial *t, dray_gate gate) {
    dray_trial other;
    dray_state *state = dray_state_copy(t->q, t->state);
    dray_state_gate(state, gate, true);
    dray_trial_open(t->q, state, &other);
    bool helps = other.fits || (t->answer.error.p != NULL && other.answer.error.p == NULL &&
                                other.answer.n_nodes != 0);
    dray_trial_close(&other);
    return helps;
}

bool dray_find_feature(dray_trial *t, dray_finding *ret) {
    if (find_named_gate(t, ret))
        return true;
    needs n = needs_of(t);
    const struct {
        bool needed;
        dray_gate gate;
    } rows[] = {
        {n.alternatives, DRAY_GATE_DRAPrioritizedList},
        {n.admin, DRAY_GATE_DRAAdminAccess},
        {n.extended, DRAY_GATE_DRAExtendedResource},
        {n.counters, DRAY_GATE_DRAPartitionableDevices},
        {n.capacity || n.shared || n.distinct != NULL, DRAY_GATE_DRAConsumableCapacity},
        {n.binding, DRAY_GATE_DRADeviceBindingConditions},
        {n.lists, DRAY_GATE_DRAListTypeAttributes},
        {n.derived, DRAY_GATE_DRADerivedAttributes},
        {n.groups, DRAY_GATE_DRADeviceCompatibilityGroups},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        if (!rows[i].needed || dray_gates_on(&t->state->gates, rows[i].gate) ||
            !dray_gate_known(rows[i].gate, t->state->gates.release))
            continue;
        if (!gate_helps(t, rows[i].gate))
            continue;
        *ret = (dray_finding){.cause = DRAY_CAUSE_GATE_OFF,
                              .subject = dray_str_of(dray_gate_name(rows[i].gate)),
                              .gate = rows[i].gate};
        if (rows[i].gate == DRAY_GATE_DRAConsumableCapacity && n.distinct != NULL) {
            ret->want = n.distinct;
            ret->claim = n.distinct->claim_name;
            ret->index = n.constraint;
        }
        return true;
    }
    return false;
}

/* --- limits --- */

/* The least number of matching devices of a node that has any; 0: none has. */
static uint32_t least_matching(dray_trial *t, const dray_want *want, uint32_t *ret_of) {
    size_t n;
    dray_cluster_node *const *nodes = dray_cluster_nodes(t->cluster, &n);
    uint32_t least = 0;
    *ret_of = 0;
    for (size_t i = 0; i < n; i++) {
        dray_survey survey;
        dray_survey_node(t, nodes[i]->name, want, &survey);
        if (survey.matching != 0 && (least == 0 || survey.matching < least)) {
            least = (uint32_t)survey.matching;
            *ret_of = (uint32_t)survey.n;
        }
    }
    return least;
}

/* What the claim's requests up to this one ask for in numbers. */
static int64_t asked_until(const dray_trial *t, size_t index) {
    int64_t sum = 0;
    for (size_t k = 0; k <= index; k++)
        if (t->wants.v[k].claim == t->wants.v[index].claim && t->wants.v[k].sub == SIZE_MAX)
            sum += t->wants.v[k].count;
    return sum;
}

/* More devices than a claim may hold, summed over its requests: the last one is named. */
bool dray_find_limit(dray_trial *t, dray_finding *ret) {
    for (size_t i = 0; i < t->wants.n; i++) {
        const dray_want *want = &t->wants.v[i];
        uint32_t of = 0, least = want->all ? least_matching(t, want, &of) : 0;
        int64_t sum = asked_until(t, i) + least;
        if (want->sub != SIZE_MAX || want->claim == NULL || sum <= CLAIM_RESULTS_MAX)
            continue;
        *ret = (dray_finding){.cause = DRAY_CAUSE_LIMIT_EXCEEDED,
                              .claim = want->claim_name,
                              .request = want->name,
                              .subject = want->name,
                              .count = (uint32_t)sum,
                              .of = of != 0 ? of : (uint32_t)sum,
                              .want = want};
        return true;
    }
    return false;
}

/* A pool that the text which ended the attempt names. */
bool dray_find_pool(dray_trial *t, dray_finding *ret) {
    size_t n;
    dray_pool *const *pools = dray_cluster_pools(t->cluster, &n);
    for (size_t i = 0; t->answer.error.p != NULL && i < n; i++) {
        dray_str key = dray_words_key(pools[i]->driver, pools[i]->name, t->q->arena);
        dray_str words = dray_strf(t->q->arena, "pool " DRAY_FMT " ", DRAY_ARG(key));
        if (dray_str_find(t->answer.error, words) == SIZE_MAX)
            continue;
        bool updated =
            dray_str_find(t->answer.error, DRAY_STR("currently being updated")) != SIZE_MAX &&
            !dray_pool_contradicts(pools[i]);
        *ret =
            (dray_finding){.cause = updated ? DRAY_CAUSE_POOL_INCOMPLETE : DRAY_CAUSE_POOL_INVALID,
                           .subject = key,
                           .driver = pools[i]->driver,
                           .pool = pools[i]->name};
        return true;
    }
    return false;
}

bool dray_find_other(dray_trial *t, dray_finding *ret) {
    dray_str text = t->answer.gated;
    if (t->answer.prefilter.p != NULL)
        text = t->answer.prefilter;
    if (t->answer.error.p != NULL)
        text = t->answer.error;
    if (text.p == NULL)
        return false;
    *ret = (dray_finding){.cause = DRAY_CAUSE_OTHER, .subject = text};
    return true;
}
