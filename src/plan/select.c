/* Label selectors, node selectors and tolerations. */
#include "plan/select.h"

#include "cluster/node_selector.h"

static const struct {
    const char *word;
    dray_plan_op op;
} ops[] = {
    {"In", DRAY_PLAN_OP_IN},
    {"NotIn", DRAY_PLAN_OP_NOT_IN},
    {"Exists", DRAY_PLAN_OP_EXISTS},
    {"DoesNotExist", DRAY_PLAN_OP_NOT_EXISTS},
};

static dray_plan_op op_of(dray_str word) {
    for (size_t i = 0; i < DRAY_COUNT(ops); i++)
        if (dray_str_is(word, ops[i].word))
            return ops[i].op;
    return DRAY_PLAN_OP_NONE;
}

/* Go's strconv.ParseInt(s, 10, 64): an optional sign and digits. */
static bool parse_int(dray_str s, int64_t *ret) {
    size_t at = s.n != 0 && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
    if (at == s.n)
        return false;
    bool negative = s.p[0] == '-';
    int64_t value = 0;
    for (; at < s.n; at++) {
        int digit = s.p[at] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return false;
    }
    *ret = value;
    return true;
}

static int64_t label_index(dray_string_map labels, dray_str key) {
    size_t low = 0, high = labels.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = dray_str_cmp(labels.k[middle], key);
        if (order == 0)
            return (int64_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

bool dray_plan_has_label(dray_string_map labels, dray_str key) {
    return label_index(labels, key) >= 0;
}

static bool one_of(dray_strings values, dray_str value) {
    for (size_t i = 0; i < values.n; i++)
        if (dray_str_eq(values.v[i], value))
            return true;
    return false;
}

static bool requirement_match(const dray_plan_requirement *r, dray_string_map labels) {
    int64_t at = label_index(labels, r->key);
    switch (r->op) {
    case DRAY_PLAN_OP_IN:
        return at >= 0 && one_of(r->values, labels.v[at]);
    case DRAY_PLAN_OP_NOT_IN:
        return at < 0 || !one_of(r->values, labels.v[at]);
    case DRAY_PLAN_OP_EXISTS:
        return at >= 0;
    case DRAY_PLAN_OP_NOT_EXISTS:
        return at < 0;
    case DRAY_PLAN_OP_NONE:
        break;
    }
    return false;
}

dray_plan_selector dray_plan_selector_of(const dray_meta_label_selector *selector,
                                         dray_arena *arena) {
    dray_plan_selector made = {.nothing = selector == NULL};
    if (selector == NULL)
        return made;
    dray_plan_selector_add_map(&made, arena, selector->match_labels);
    for (size_t i = 0; i < selector->match_expressions.n; i++) {
        const dray_meta_label_selector_requirement *e = &selector->match_expressions.v[i];
        DRAY_PUSH(arena, &made.all, (dray_plan_requirement){e->key, op_of(e->operator), e->values});
    }
    return made;
}

void dray_plan_selector_add(dray_plan_selector *selector, dray_arena *arena, dray_str key,
                            dray_str value) {
    dray_str *values = DRAY_NEW(arena, dray_str);
    *values = value;
    DRAY_PUSH(arena, &selector->all,
              (dray_plan_requirement){key, DRAY_PLAN_OP_IN, {.v = values, .n = 1}});
}

void dray_plan_selector_add_map(dray_plan_selector *selector, dray_arena *arena,
                                dray_string_map map) {
    for (size_t i = 0; i < map.n; i++)
        dray_plan_selector_add(selector, arena, map.k[i], map.v[i]);
}

bool dray_plan_selector_match(const dray_plan_selector *selector, dray_string_map labels) {
    if (selector->nothing)
        return false;
    for (size_t i = 0; i < selector->all.n; i++)
        if (!requirement_match(&selector->all.v[i], labels))
            return false;
    return true;
}

bool dray_plan_required_affinity_match(const dray_core_pod_spec *spec, const dray_core_node *node) {
    dray_string_map labels = node->metadata->labels;
    for (size_t i = 0; i < spec->node_selector.n; i++) {
        int64_t at = label_index(labels, spec->node_selector.k[i]);
        if (at < 0 || !dray_str_eq(labels.v[at], spec->node_selector.v[i]))
            return false;
    }
    const dray_core_node_affinity *affinity =
        spec->affinity != NULL ? spec->affinity->node_affinity : NULL;
    if (affinity == NULL || affinity->required_during_scheduling_ignored_during_execution == NULL)
        return true;
    return dray_node_selector_match(affinity->required_during_scheduling_ignored_during_execution,
                                    node);
}

/* apimachinery's IsDecimalInteger: no sign but a minus, no leading zeros. */
static bool is_decimal(dray_str s) {
    size_t at = s.n != 0 && s.p[0] == '-' ? 1 : 0;
    if (at == s.n || (s.p[at] == '0' && (s.n > at + 1 || at == 1)))
        return false;
    for (; at < s.n; at++)
        if (s.p[at] < '0' || s.p[at] > '9')
            return false;
    return true;
}

static bool compares(dray_str toleration, dray_str taint, bool less) {
    int64_t limit, value;
    if (!is_decimal(toleration) || !parse_int(toleration, &limit) || !is_decimal(taint) ||
        !parse_int(taint, &value))
        return false;
    return less ? value < limit : value > limit;
}

bool dray_plan_tolerates(const dray_core_toleration *t, const dray_core_taint *taint,
                         bool numeric) {
    if (t->effect.n != 0 && !dray_str_eq(t->effect, taint->effect))
        return false;
    if (t->key.n != 0 && !dray_str_eq(t->key, taint->key))
        return false;
    if (t->operator.n == 0 || dray_str_is(t->operator, "Equal"))
        return dray_str_eq(t->value, taint->value);
    if (dray_str_is(t->operator, "Exists"))
        return true;
    bool less = dray_str_is(t->operator, "Lt");
    if (!less && !dray_str_is(t->operator, "Gt"))
        return false;
    return numeric && compares(t->value, taint->value, less);
}

bool dray_plan_spec_tolerates(const dray_core_pod_spec *spec, const dray_core_taint *taint,
                              bool numeric) {
    for (size_t i = 0; i < spec->tolerations.n; i++)
        if (dray_plan_tolerates(&spec->tolerations.v[i], taint, numeric))
            return true;
    return false;
}

const dray_core_taint *dray_plan_untolerated(const dray_core_pod_spec *spec,
                                             const dray_core_node *node, bool numeric) {
    for (size_t i = 0; i < node->spec->taints.n; i++) {
        const dray_core_taint *taint = &node->spec->taints.v[i];
        if (!dray_str_is(taint->effect, "NoSchedule") && !dray_str_is(taint->effect, "NoExecute"))
            continue;
        if (!dray_plan_spec_tolerates(spec, taint, numeric))
            return taint;
    }
    return NULL;
}

const dray_meta_owner_reference *dray_plan_controller_of(const dray_meta_object_meta *meta) {
    for (size_t i = 0; i < meta->owner_references.n; i++)
        if (meta->owner_references.v[i].controller.set && meta->owner_references.v[i].controller.v)
            return &meta->owner_references.v[i];
    return NULL;
}
