/* Where a Pod may go: affinity, tolerations, topology spread. */
#include "api/validate/pod_int.h"

static void validate_weight(dray_request *rq, int32_t weight, const dray_path *path) {
    if (weight <= 0 || weight > 100)
        fail_invalid_int(rq, DRAY_AT(path, "weight"), weight,
                         DRAY_STR("must be in the range 1-100"));
}

static void validate_label_keys(dray_request *rq, dray_strings keys,
                                const dray_meta_label_selector *selector, const dray_path *path) {
    if (keys.n == 0)
        return;
    if (selector == NULL) {
        fail_forbidden(rq, path, DRAY_STR("must not be specified when labelSelector is not set"));
        return;
    }
    for (size_t i = 0; i < keys.n; i++)
        fail_texts(rq, DRAY_AT_INDEX(path, i), keys.v[i], dray_check_label_key);
}

/* Keys whose values are those of the Pod itself: merged into the selector as expressions. */
static void validate_match_keys(dray_request *rq, dray_strings match, dray_strings mismatch,
                                const dray_meta_label_selector *selector, const dray_path *path) {
    validate_label_keys(rq, match, selector, DRAY_AT(path, "matchLabelKeys"));
    validate_label_keys(rq, mismatch, selector, DRAY_AT(path, "mismatchLabelKeys"));
    for (size_t i = 0; selector != NULL && i < selector->match_expressions.n; i++) {
        dray_str key = selector->match_expressions.v[i].key;
        bool twice = map_has(selector->match_labels, key);
        for (size_t j = 0; j < i && !twice; j++)
            twice = dray_str_eq(selector->match_expressions.v[j].key, key);
        for (size_t j = match.n; twice && j-- > 0;)
            if (dray_str_eq(match.v[j], key)) {
                fail_invalid(rq, DRAY_AT_INDEX(path, j), key,
                             DRAY_STR("exists in both matchLabelKeys and labelSelector"));
                break;
            }
    }
    for (size_t i = 0; i < match.n; i++)
        if (strings_have(mismatch, match.v[i]))
            fail_invalid(rq, DRAY_AT_INDEX(DRAY_AT(path, "matchLabelKeys"), i), match.v[i],
                         DRAY_STR("exists in both matchLabelKeys and mismatchLabelKeys"));
}

static void validate_term(dray_pod_check *check, const dray_core_pod_affinity_term *term,
                          const dray_path *path) {
    dray_request *rq = check->rq;
    dray_validate_label_selector(rq, term->label_selector, check->bad_selector_values,
                                 DRAY_AT(path, "labelSelector"));
    dray_validate_label_selector(rq, term->namespace_selector, check->bad_selector_values,
                                 DRAY_AT(path, "namespaceSelector"));
    for (size_t i = 0; i < term->namespaces.n; i++)
        fail_texts(rq, DRAY_AT(path, "namespace"), term->namespaces.v[i], dray_check_dns1123_label);
    validate_match_keys(rq, term->match_label_keys, term->mismatch_label_keys, term->label_selector,
                        path);
    if (term->topology_key.n == 0)
        fail_required(rq, DRAY_AT(path, "topologyKey"), DRAY_STR("can not be empty"));
    fail_texts(rq, DRAY_AT(path, "topologyKey"), term->topology_key, dray_check_label_key);
}

static void validate_terms(dray_pod_check *check, const dray_core_pod_affinity_term *required,
                           size_t n_required, const dray_core_weighted_pod_affinity_term *preferred,
                           size_t n_preferred, const dray_path *path) {
    dray_path list = dray_path_child(path, "requiredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; i < n_required; i++)
        validate_term(check, &required[i], DRAY_AT_INDEX(&list, i));
    list = dray_path_child(path, "preferredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; i < n_preferred; i++) {
        dray_path item = dray_path_index(&list, i);
        validate_weight(check->rq, preferred[i].weight, &item);
        validate_term(check, preferred[i].pod_affinity_term, DRAY_AT(&item, "podAffinityTerm"));
    }
}

static void validate_node_affinity(dray_pod_check *check, const dray_core_node_affinity *affinity,
                                   const dray_path *path) {
    if (affinity->required_during_scheduling_ignored_during_execution != NULL)
        dray_validate_node_selector_lenient(
            check->rq, affinity->required_during_scheduling_ignored_during_execution,
            check->bad_affinity_values,
            DRAY_AT(path, "requiredDuringSchedulingIgnoredDuringExecution"));
    dray_path list = dray_path_child(path, "preferredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; i < affinity->preferred_during_scheduling_ignored_during_execution.n; i++) {
        const dray_core_preferred_scheduling_term *term =
            &affinity->preferred_during_scheduling_ignored_during_execution.v[i];
        dray_path item = dray_path_index(&list, i);
        validate_weight(check->rq, term->weight, &item);
        dray_validate_node_selector_term(check->rq, term->preference, true,
                                         DRAY_AT(&item, "preference"));
    }
}

void dray_validate_affinity(dray_pod_check *check, const dray_path *path) {
    const dray_core_affinity *affinity = check->spec->affinity;
    if (affinity == NULL)
        return;
    if (affinity->node_affinity != NULL)
        validate_node_affinity(check, affinity->node_affinity, DRAY_AT(path, "nodeAffinity"));
    const dray_core_pod_affinity *near = affinity->pod_affinity;
    if (near != NULL)
        validate_terms(check, near->required_during_scheduling_ignored_during_execution.v,
                       near->required_during_scheduling_ignored_during_execution.n,
                       near->preferred_during_scheduling_ignored_during_execution.v,
                       near->preferred_during_scheduling_ignored_during_execution.n,
                       DRAY_AT(path, "podAffinity"));
    const dray_core_pod_anti_affinity *far = affinity->pod_anti_affinity;
    if (far != NULL)
        validate_terms(check, far->required_during_scheduling_ignored_during_execution.v,
                       far->required_during_scheduling_ignored_during_execution.n,
                       far->preferred_during_scheduling_ignored_during_execution.v,
                       far->preferred_during_scheduling_ignored_during_execution.n,
                       DRAY_AT(path, "podAntiAffinity"));
}

bool dray_affinity_selectors_valid(dray_request *rq, const dray_core_pod_spec *spec) {
    dray_errors errors = {.arena = rq->arena};
    dray_request probe = *rq;
    probe.errors = &errors;
    dray_pod_check check = {.rq = &probe, .spec = spec};
    dray_core_affinity only = {0};
    if (spec->affinity == NULL)
        return true;
    only.pod_affinity = spec->affinity->pod_affinity;
    only.pod_anti_affinity = spec->affinity->pod_anti_affinity;
    dray_core_pod_spec copy = *spec;
    copy.affinity = &only;
    check.spec = &copy;
    dray_validate_affinity(&check, NULL);
    for (size_t i = 0; i < errors.list.n; i++)
        if (dray_str_find(errors.list.v[i].field, DRAY_STR("elector")) != SIZE_MAX)
            return false;
    return true;
}

void dray_validate_taint_effect(dray_request *rq, dray_str effect, bool allow_empty,
                                const dray_path *path) {
    if (effect.n == 0 && !allow_empty)
        fail_required(rq, path, DRAY_STR(""));
    else if (!IS_ONE_OF(effect, "NoSchedule", "PreferNoSchedule", "NoExecute"))
        FAIL_UNSUPPORTED(rq, path, effect, "NoSchedule", "PreferNoSchedule", "NoExecute");
}

/* A decimal integer that int64 holds, without leading zeros or a plus. */
static void validate_integer(dray_request *rq, dray_str value, const dray_path *path) {
    bool minus = value.n > 0 && value.p[0] == '-';
    dray_str digits = dray_str_slice(value, minus ? 1 : 0, value.n);
    bool syntax = digits.n > 0, strict = digits.n > 0;
    for (size_t i = 0; i < digits.n; i++)
        syntax = syntax && digits.p[i] >= '0' && digits.p[i] <= '9';
    strict = syntax && (digits.p[0] != '0' || (digits.n == 1 && !minus));
    dray_str quoted = dray_value_quote(rq->arena, value);
    if (value.n == 0)
        fail_invalid(rq, path, value, DRAY_STR("must be non-empty"));
    else if (!strict)
        fail_invalid(rq, path, value,
                     DRAY_STR("must be a valid decimal integer in canonical form"));
    if (!syntax && !(value.n > 1 && value.p[0] == '+')) {
        fail_invalid(
            rq, path, value,
            DETAIL(rq, "strconv.ParseInt: parsing " DRAY_FMT ": invalid syntax", DRAY_ARG(quoted)));
        return;
    }
    while (digits.n > 1 && digits.p[0] == '0')
        digits = dray_str_slice(digits, 1, digits.n);
    const char *limit = minus ? "9223372036854775808" : "9223372036854775807";
    if (digits.n > 19 || (digits.n == 19 && dray_str_cmp(digits, dray_str_of(limit)) > 0))
        fail_invalid(rq, path, value,
                     DETAIL(rq, "strconv.ParseInt: parsing " DRAY_FMT ": value out of range",
                            DRAY_ARG(quoted)));
}

static void validate_operator(dray_pod_check *check, const dray_core_toleration *t,
                              const dray_path *path) {
    dray_request *rq = check->rq;
    dray_path at = dray_path_child(path, "operator");
    if (t->operator.n == 0 || dray_str_is(t->operator, "Equal")) {
        dray_str texts[DRAY_NAME_TEXTS];
        size_t n = dray_check_label_value(t->value, texts, rq->arena);
        if (n == 0)
            return;
        DRAY_CLEANUP_BUF dray_buf all = DRAY_BUF_INIT;
        for (size_t i = 0; i < n; i++) {
            if (i > 0)
                dray_buf_putc(&all, ';');
            dray_buf_str_add(&all, texts[i]);
        }
        fail_invalid(rq, &at, t->value, dray_str_dup(rq->arena, dray_buf_str(&all)));
    } else if (dray_str_is(t->operator, "Exists")) {
        if (t->value.n > 0)
            fail_invalid(rq, &at, t->value,
                         DRAY_STR("value must be empty when `operator` is 'Exists'"));
    } else if (IS_ONE_OF(t->operator, "Lt", "Gt")) {
        if (check->toleration_comparison)
            validate_integer(rq, t->value, DRAY_AT(path, "value"));
        else
            FAIL_UNSUPPORTED(rq, &at, t->operator, "Equal", "Exists", "Lt", "Gt");
    } else {
        FAIL_UNSUPPORTED(rq, &at, t->operator, "Equal", "Exists");
    }
}

void dray_validate_tolerations(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    for (size_t i = 0; i < check->spec->tolerations.n; i++) {
        const dray_core_toleration *t = &check->spec->tolerations.v[i];
        dray_path item = dray_path_index(path, i);
        if (t->key.n > 0)
            fail_texts(rq, DRAY_AT(&item, "key"), t->key, dray_check_label_key);
        else if (!dray_str_is(t->operator, "Exists"))
            fail_invalid_word(rq, DRAY_AT(&item, "operator"), t->operator,
                              DRAY_STR("operator must be Exists when `key` is empty, which means "
                                       "\"match all values and all keys\""));
        if (t->toleration_seconds.set && !dray_str_is(t->effect, "NoExecute"))
            fail_invalid_word(
                rq, DRAY_AT(&item, "effect"), t->effect,
                DRAY_STR("effect must be 'NoExecute' when `tolerationSeconds` is set"));
        validate_operator(check, t, &item);
        if (t->effect.n > 0)
            dray_validate_taint_effect(rq, t->effect, true, DRAY_AT(&item, "effect"));
    }
}

static void validate_spread_keys(dray_request *rq, const dray_core_topology_spread_constraint *c,
                                 const dray_path *path) {
    if (c->match_label_keys.n == 0)
        return;
    if (c->label_selector == NULL)
        fail_forbidden(rq, path, DRAY_STR("must not be specified when labelSelector is not set"));
    for (size_t i = 0; i < c->match_label_keys.n; i++) {
        dray_str key = c->match_label_keys.v[i];
        bool in_selector =
            c->label_selector != NULL && map_has(c->label_selector->match_labels, key);
        for (size_t j = 0; c->label_selector != NULL && j < c->label_selector->match_expressions.n;
             j++)
            in_selector =
                in_selector || dray_str_eq(c->label_selector->match_expressions.v[j].key, key);
        fail_texts(rq, DRAY_AT_INDEX(path, i), key, dray_check_label_key);
        if (in_selector)
            fail_invalid(rq, DRAY_AT_INDEX(path, i), key,
                         DRAY_STR("exists in both matchLabelKeys and labelSelector"));
    }
}

bool dray_spread_match_labels_valid(dray_request *rq, const dray_core_pod_spec *spec, bool legacy) {
    dray_errors errors = {.arena = rq->arena};
    dray_request probe = *rq;
    probe.errors = &errors;
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++) {
        const dray_core_topology_spread_constraint *c = &spec->topology_spread_constraints.v[i];
        if (legacy)
            validate_spread_keys(&probe, c, NULL);
        else
            validate_match_keys(&probe, c->match_label_keys, (dray_strings){0}, c->label_selector,
                                NULL);
    }
    return errors.list.n == 0;
}

static void validate_inclusion(dray_request *rq, dray_str policy, const dray_path *path) {
    if (policy.p != NULL && !IS_ONE_OF(policy, "Honor", "Ignore"))
        FAIL_UNSUPPORTED(rq, path, policy, "Honor", "Ignore");
}

static void validate_constraint(dray_pod_check *check,
                                const dray_core_topology_spread_constraint *c,
                                const dray_path *path) {
    dray_request *rq = check->rq;
    if (c->max_skew <= 0)
        fail_invalid_int(rq, DRAY_AT(path, "maxSkew"), c->max_skew,
                         DRAY_STR("must be greater than zero"));
    if (c->topology_key.n == 0)
        fail_required(rq, DRAY_AT(path, "topologyKey"), DRAY_STR("can not be empty"));
    if (!IS_ONE_OF(c->when_unsatisfiable, "DoNotSchedule", "ScheduleAnyway"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "whenUnsatisfiable"), c->when_unsatisfiable,
                         "DoNotSchedule", "ScheduleAnyway");
    if (c->min_domains.set && c->min_domains.v <= 0)
        fail_invalid_int(rq, DRAY_AT(path, "minDomains"), c->min_domains.v,
                         DRAY_STR("must be greater than zero"));
    if (c->min_domains.set && !dray_str_is(c->when_unsatisfiable, "DoNotSchedule"))
        fail_invalid_int(
            rq, DRAY_AT(path, "minDomains"), c->min_domains.v,
            DETAIL(rq, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " DRAY_FMT,
                   DRAY_ARG(c->when_unsatisfiable)));
    validate_inclusion(rq, c->node_affinity_policy, DRAY_AT(path, "nodeAffinityPolicy"));
    validate_inclusion(rq, c->node_taints_policy, DRAY_AT(path, "nodeTaintsPolicy"));
    bool merged =
        check->spread_match_labels && (check->spread_merge ? !check->old_breaks_match_labels
                                                           : check->old_breaks_legacy_match_labels);
    if (merged)
        validate_match_keys(rq, c->match_label_keys, (dray_strings){0}, c->label_selector, path);
    else
        validate_spread_keys(rq, c, DRAY_AT(path, "matchLabelKeys"));
    if (!check->bad_spread_selectors)
        dray_validate_label_selector(rq, c->label_selector, false, DRAY_AT(path, "labelSelector"));
}

void dray_validate_spread(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++) {
        const dray_core_topology_spread_constraint *c = &spec->topology_spread_constraints.v[i];
        dray_path item = dray_path_index(path, i);
        validate_constraint(check, c, &item);
        for (size_t j = i + 1; j < spec->topology_spread_constraints.n; j++) {
            const dray_core_topology_spread_constraint *other =
                &spec->topology_spread_constraints.v[j];
            if (!dray_str_eq(other->topology_key, c->topology_key) ||
                !dray_str_eq(other->when_unsatisfiable, c->when_unsatisfiable))
                continue;
            fail_duplicate(rq, DRAY_AT(&item, "{topologyKey, whenUnsatisfiable}"),
                           DETAIL(rq, "{" DRAY_FMT ", " DRAY_FMT "}", DRAY_ARG(c->topology_key),
                                  DRAY_ARG(c->when_unsatisfiable)));
            break;
        }
    }
}
