/* Jobs: counts, failure and success policies, what may change. */
#include "api/validate/workload_int.h"

enum {
    PARALLELISM_LIMIT_INDEXED = 100000,
    FAILED_INDEXES_LIMIT = 100000,
    COMPLETIONS_SOFT_LIMIT = 100000,
    HIGH_COMPLETIONS_LIMIT = 10000,
    FAILURE_RULES_LIMIT = 20,
    EXIT_CODES_LIMIT = 255,
    CONDITIONS_LIMIT = 20,
    MANAGED_BY_LIMIT = 63,
    SUCCESS_RULES_LIMIT = 20,
    SUCCEEDED_INDEXES_LIMIT = 64 * 1024,
};

static const char *const prefixes[] = {"controller-uid", "job-name",
                                       "batch.kubernetes.io/controller-uid",
                                       "batch.kubernetes.io/job-name"};

/* An integer as Go's Atoi takes it, or false. */
static bool atoi_of(dray_str s, int64_t *ret) {
    bool sign = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+');
    dray_str digits = dray_str_slice(s, sign ? 1 : 0, s.n);
    int64_t n = 0;
    if (digits.n == 0 || digits.n > 18)
        return false;
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return false;
        n = n * 10 + (digits.p[i] - '0');
    }
    *ret = sign && s.p[0] == '-' ? -n : n;
    return true;
}

static bool parse_index(dray_request *rq, dray_str text, int32_t completions, int64_t *ret,
                        dray_str *ret_why) {
    dray_str quoted = dray_value_quote(rq->arena, text);
    if (!atoi_of(text, ret)) {
        *ret_why =
            DETAIL(rq, "cannot convert string to integer for index: " DRAY_FMT, DRAY_ARG(quoted));
        return false;
    }
    if (*ret >= completions) {
        *ret_why = DETAIL(rq, "too large index: " DRAY_FMT, DRAY_ARG(quoted));
        return false;
    }
    return true;
}

bool dray_job_index_interval(dray_request *rq, dray_str text, int32_t completions,
                             int32_t *ret_from, int32_t *ret_to, dray_str *ret_why) {
    dray_str head, tail;
    int64_t from, to;
    bool two = dray_str_cut(text, '-', &head, &tail);
    if (two && dray_str_chr(tail, '-') != SIZE_MAX) {
        *ret_why = DETAIL(rq,
                          "the fragment " DRAY_FMT
                          " violates the requirement that an index interval can have at most two "
                          "parts separated by '-'",
                          DRAY_ARG(dray_value_quote(rq->arena, text)));
        return false;
    }
    if (!parse_index(rq, head, completions, &from, ret_why))
        return false;
    to = from;
    if (two && !parse_index(rq, tail, completions, &to, ret_why))
        return false;
    if (two && from >= to) {
        *ret_why = DETAIL(rq, "non-increasing order, previous: %lld, current: %lld",
                          (long long)from, (long long)to);
        return false;
    }
    *ret_from = (int32_t)from;
    *ret_to = (int32_t)to;
    return true;
}

int64_t dray_job_indexes(dray_request *rq, dray_str text, int32_t completions, dray_str *ret_why) {
    int64_t total = 0;
    int32_t last = 0;
    bool first = true;
    dray_str head, tail = text;
    if (text.n == 0)
        return 0;
    for (bool more = true; more;) {
        int32_t from, to;
        more = dray_str_cut(tail, ',', &head, &tail);
        if (!dray_job_index_interval(rq, head, completions, &from, &to, ret_why))
            return -1;
        if (!first && last >= from) {
            *ret_why = DETAIL(rq, "non-increasing order, previous: %d, current: %d", last, from);
            return -1;
        }
        total += (int64_t)to - from + 1;
        last = to;
        first = false;
    }
    return total;
}

static void more_than(dray_request *rq, dray_opt_int32 value, int32_t limit, const char *when,
                      const dray_path *path) {
    if (value.set && value.v > limit)
        fail_invalid_int(rq, path, value.v,
                         DETAIL(rq, "must be less than or equal to %d%s", limit, when));
}

static void validate_indexed(dray_request *rq, const dray_batch_job_spec *spec,
                             const dray_path *path) {
    dray_path parallelism = dray_path_child(path, "parallelism");
    dray_path max_failed = dray_path_child(path, "maxFailedIndexes");
    static const char high[] =
        " when completions are above 100000 and used with backoff limit per index";
    if (!spec->completions.set)
        fail_required(rq, DRAY_AT(path, "completions"),
                      DRAY_STR("when completion mode is Indexed"));
    more_than(rq, spec->parallelism, PARALLELISM_LIMIT_INDEXED, " when completion mode is Indexed",
              &parallelism);
    if (spec->completions.set && spec->max_failed_indexes.set &&
        spec->max_failed_indexes.v > spec->completions.v)
        fail_invalid_int(rq, &max_failed, spec->max_failed_indexes.v,
                         DRAY_STR("must be less than or equal to completions"));
    more_than(rq, spec->max_failed_indexes, FAILED_INDEXES_LIMIT, "", &max_failed);
    if (!spec->completions.set || spec->completions.v <= COMPLETIONS_SOFT_LIMIT ||
        !spec->backoff_limit_per_index.set)
        return;
    if (!spec->max_failed_indexes.set)
        fail_required(rq, &max_failed,
                      DRAY_STR("must be specified when completions is above 100000"));
    more_than(rq, spec->parallelism, HIGH_COMPLETIONS_LIMIT, high, &parallelism);
    more_than(rq, spec->max_failed_indexes, HIGH_COMPLETIONS_LIMIT, high, &max_failed);
}

static void validate_mode(dray_request *rq, const dray_batch_job_spec *spec,
                          const dray_path *path) {
    static const char *const modes[] = {"NonIndexed", "Indexed"};
    dray_str mode = spec->completion_mode;
    if (mode.p != NULL && !IS_ONE_OF(mode, "NonIndexed", "Indexed"))
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, DRAY_AT(path, "completionMode"),
             dray_value_json_string(rq->arena, mode),
             dray_detail_supported(rq->arena, modes, DRAY_COUNT(modes)));
    if (dray_str_is(mode, "Indexed"))
        validate_indexed(rq, spec, path);
    if (mode.p != NULL && !dray_str_is(mode, "NonIndexed"))
        return;
    if (spec->backoff_limit_per_index.set)
        fail_invalid_int(rq, DRAY_AT(path, "backoffLimitPerIndex"), spec->backoff_limit_per_index.v,
                         DRAY_STR("requires indexed completion mode"));
    if (spec->max_failed_indexes.set)
        fail_invalid_int(rq, DRAY_AT(path, "maxFailedIndexes"), spec->max_failed_indexes.v,
                         DRAY_STR("requires indexed completion mode"));
}

static bool template_has_container(const dray_core_pod_spec *spec, dray_str name) {
    for (size_t i = 0; i < spec->containers.n + spec->init_containers.n; i++)
        if (dray_str_eq(dray_pod_container(spec, i).container->name, name))
            return true;
    return false;
}

static dray_str int_list(dray_request *rq, const int32_t *v, size_t n) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    if (v == NULL)
        return DRAY_STR("null");
    dray_buf_putc(&out, '[');
    for (size_t i = 0; i < n; i++)
        dray_buf_addf(&out, "%s%d", i > 0 ? "," : "", v[i]);
    dray_buf_putc(&out, ']');
    return dray_str_dup(rq->arena, dray_buf_str(&out));
}

static void
validate_exit_codes(dray_request *rq, const dray_batch_job_spec *spec,
                    const dray_batch_pod_failure_policy_on_exit_codes_requirement *codes,
                    const dray_path *path) {
    dray_path operator= dray_path_child(path, "operator"), values = dray_path_child(path, "values");
    size_t n = codes->values.n;
    bool ordered = true;
    if (codes->operator.n == 0)
        fail_required(rq, &operator, DRAY_STR("valid values: [\"In\" \"NotIn\"]"));
    else if (!IS_ONE_OF(codes->operator, "In", "NotIn"))
        FAIL_UNSUPPORTED(rq, &operator, codes->operator, "In", "NotIn");
    if (codes->container_name.p != NULL &&
        !template_has_container(spec->template->spec, codes->container_name))
        fail_invalid(
            rq, DRAY_AT(path, "containerName"), codes->container_name,
            DRAY_STR("must be one of the container or initContainer names in the pod template"));
    dray_str text = int_list(rq, codes->values.v, n);
    if (n == 0)
        fail_invalid_text(rq, &values, text, DRAY_STR("at least one value is required"));
    else if (n > EXIT_CODES_LIMIT)
        fail_too_many(rq, &values, n, EXIT_CODES_LIMIT);
    for (size_t i = 0; i < n; i++) {
        int32_t code = codes->values.v[i];
        dray_path item = dray_path_index(&values, i);
        if (dray_str_is(codes->operator, "In") && code == 0)
            fail_invalid_int(rq, &item, code, DRAY_STR("must not be 0 for the In operator"));
        for (size_t j = 0; j < i; j++)
            if (codes->values.v[j] == code) {
                fail(rq, DRAY_FIELD_DUPLICATE, &item, dray_value_int(rq->arena, code),
                     DRAY_STR(""));
                break;
            }
        ordered = ordered && (i == 0 || codes->values.v[i - 1] <= code);
    }
    if (!ordered)
        fail_invalid_text(rq, &values, text, DRAY_STR("must be ordered"));
}

static void validate_pod_conditions(dray_request *rq,
                                    const dray_batch_pod_failure_policy_rule *rule,
                                    const dray_path *path) {
    if (rule->on_pod_conditions.n > CONDITIONS_LIMIT)
        fail_too_many(rq, path, rule->on_pod_conditions.n, CONDITIONS_LIMIT);
    for (size_t i = 0; i < rule->on_pod_conditions.n; i++) {
        const dray_batch_pod_failure_policy_on_pod_conditions_pattern *pattern =
            &rule->on_pod_conditions.v[i];
        dray_path item = dray_path_index(path, i);
        fail_texts(rq, DRAY_AT(&item, "type"), pattern->type, dray_check_label_key);
        if (pattern->status.n == 0)
            fail_required(rq, DRAY_AT(&item, "status"),
                          DRAY_STR("valid values: [\"False\" \"True\" \"Unknown\"]"));
        else if (!IS_ONE_OF(pattern->status, "False", "True", "Unknown"))
            FAIL_UNSUPPORTED(rq, DRAY_AT(&item, "status"), pattern->status, "False", "True",
                             "Unknown");
    }
}

static void validate_failure_rule(dray_request *rq, const dray_batch_job_spec *spec,
                                  const dray_batch_pod_failure_policy_rule *rule,
                                  const dray_path *path) {
    dray_path action = dray_path_child(path, "action");
    if (rule->action.n == 0)
        fail_required(rq, &action,
                      DRAY_STR("valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]"));
    else if (dray_str_is(rule->action, "FailIndex")) {
        if (!spec->backoff_limit_per_index.set)
            fail_invalid_word(rq, &action, rule->action,
                              DRAY_STR("requires the backoffLimitPerIndex to be set"));
    } else if (!IS_ONE_OF(rule->action, "Count", "FailJob", "Ignore")) {
        FAIL_UNSUPPORTED(rq, &action, rule->action, "Count", "FailIndex", "FailJob", "Ignore");
    }
    if (rule->on_exit_codes != NULL)
        validate_exit_codes(rq, spec, rule->on_exit_codes, DRAY_AT(path, "onExitCodes"));
    validate_pod_conditions(rq, rule, DRAY_AT(path, "onPodConditions"));
    if (rule->on_exit_codes != NULL && rule->on_pod_conditions.n > 0)
        fail(rq, DRAY_FIELD_INVALID, path, DRAY_STR_NONE,
             DRAY_STR("specifying both OnExitCodes and OnPodConditions is not supported"));
    if (rule->on_exit_codes == NULL && rule->on_pod_conditions.n == 0)
        fail(rq, DRAY_FIELD_INVALID, path, DRAY_STR_NONE,
             DRAY_STR("specifying one of OnExitCodes and OnPodConditions is required"));
}

static void validate_success_rule(dray_request *rq, const dray_batch_job_spec *spec,
                                  const dray_batch_success_policy_rule *rule,
                                  const dray_path *path) {
    dray_path indexes = dray_path_child(path, "succeededIndexes");
    dray_path count = dray_path_child(path, "succeededCount");
    bool by_index = rule->succeeded_indexes.p != NULL;
    int32_t completions = spec->completions.v;
    int64_t total = 0;
    dray_str why;
    if (!rule->succeeded_count.set && !by_index)
        fail_required(
            rq, path,
            DRAY_STR("at least one of succeededCount or succeededIndexes must be specified"));
    if (by_index) {
        if (rule->succeeded_indexes.n > SUCCEEDED_INDEXES_LIMIT)
            fail_too_long(rq, &indexes, SUCCEEDED_INDEXES_LIMIT);
        total = dray_job_indexes(rq, rule->succeeded_indexes, completions, &why);
        if (total < 0)
            fail_invalid(rq, &indexes, rule->succeeded_indexes,
                         DETAIL(rq, "error parsing succeededIndexes: " DRAY_FMT, DRAY_ARG(why)));
        total = total < 0 ? 0 : total;
    }
    if (!rule->succeeded_count.set)
        return;
    dray_validate_non_negative(rq, rule->succeeded_count.v, &count);
    if (rule->succeeded_count.v > completions)
        fail_invalid_int(rq, &count, rule->succeeded_count.v,
                         DETAIL(rq,
                                "must be less than or equal to %d (the number of specified "
                                "completions)",
                                completions));
    if (by_index && rule->succeeded_count.v > total)
        fail_invalid_int(rq, &count, rule->succeeded_count.v,
                         DETAIL(rq,
                                "must be less than or equal to %lld (the number of indexes in the "
                                "specified succeededIndexes field)",
                                (long long)total));
}

static void validate_success_policy(dray_request *rq, const dray_batch_job_spec *spec,
                                    const dray_path *path) {
    const dray_batch_success_policy *policy = spec->success_policy;
    dray_path rules = dray_path_child(path, "rules");
    if (!dray_str_is(spec->completion_mode, "Indexed")) {
        fail_invalid_text(rq, path,
                          dray_value_internal(rq->arena, &dray_type_batch_success_policy, policy,
                                              rq->gates->release),
                          DRAY_STR("requires indexed completion mode"));
        return;
    }
    if (policy->rules.n == 0)
        fail_required(
            rq, &rules,
            DRAY_STR("at least one rules must be specified when the successPolicy is specified"));
    if (policy->rules.n > SUCCESS_RULES_LIMIT)
        fail_too_many(rq, &rules, policy->rules.n, SUCCESS_RULES_LIMIT);
    for (size_t i = 0; spec->completions.set && i < policy->rules.n; i++)
        validate_success_rule(rq, spec, &policy->rules.v[i], DRAY_AT_INDEX(&rules, i));
}

static void validate_policies(dray_request *rq, const dray_batch_job_spec *spec,
                              const dray_path *path) {
    const dray_batch_pod_failure_policy *failure = spec->pod_failure_policy;
    dray_path rules = dray_path_child(DRAY_AT(path, "podFailurePolicy"), "rules");
    if (failure != NULL && failure->rules.n > FAILURE_RULES_LIMIT)
        fail_too_many(rq, &rules, failure->rules.n, FAILURE_RULES_LIMIT);
    for (size_t i = 0; failure != NULL && i < failure->rules.n; i++)
        validate_failure_rule(rq, spec, &failure->rules.v[i], DRAY_AT_INDEX(&rules, i));
    if (spec->success_policy != NULL)
        validate_success_policy(rq, spec, DRAY_AT(path, "successPolicy"));
    dray_str replacement = spec->pod_replacement_policy;
    dray_path at = dray_path_child(path, "podReplacementPolicy");
    if (replacement.p == NULL || dray_str_is(replacement, "Failed"))
        return;
    if (failure != NULL)
        FAIL_UNSUPPORTED(rq, &at, replacement, "Failed");
    else if (!dray_str_is(replacement, "TerminatingOrFailed"))
        FAIL_UNSUPPORTED(rq, &at, replacement, "Failed", "TerminatingOrFailed");
}

static void validate_restart(dray_request *rq, const dray_batch_job_spec *spec,
                             const dray_path *path) {
    dray_str policy = spec->template->spec->restart_policy;
    if (policy.n == 0 || dray_str_is(policy, "Always"))
        fail_required(rq, path, DRAY_STR("valid values: \"OnFailure\", \"Never\""));
    else if (!IS_ONE_OF(policy, "OnFailure", "Never"))
        FAIL_UNSUPPORTED(rq, path, policy, "OnFailure", "Never");
    else if (spec->pod_failure_policy != NULL && !dray_str_is(policy, "Never"))
        fail_invalid_word(
            rq, path, policy,
            DRAY_STR("only \"Never\" is supported when podFailurePolicy is specified"));
}

void dray_validate_job_spec(dray_request *rq, dray_pod_check *check,
                            const dray_batch_job_spec *spec, const dray_path *path) {
    const dray_counter counters[] = {
        {"parallelism", spec->parallelism.v},
        {"completions", spec->completions.v},
        {"activeDeadlineSeconds", spec->active_deadline_seconds.v},
        {"backoffLimit", spec->backoff_limit.v},
        {"ttlSecondsAfterFinished", spec->ttl_seconds_after_finished.v},
        {"backoffLimitPerIndex", spec->backoff_limit_per_index.v},
        {"maxFailedIndexes", spec->max_failed_indexes.v},
    };
    dray_path template = dray_path_child(path, "template");
    dray_validate_counters(rq, counters, DRAY_COUNT(counters), path);
    if (spec->max_failed_indexes.set && !spec->backoff_limit_per_index.set)
        fail_required(rq, DRAY_AT(path, "backoffLimitPerIndex"),
                      DRAY_STR("when maxFailedIndexes is specified"));
    if (spec->managed_by.p != NULL)
        dray_validate_domain_path(rq, spec->managed_by, DRAY_AT(path, "managedBy"));
    if (spec->managed_by.n > MANAGED_BY_LIMIT)
        fail_too_long(rq, DRAY_AT(path, "managedBy"), MANAGED_BY_LIMIT);
    validate_mode(rq, spec, path);
    validate_policies(rq, spec, path);
    dray_validate_pod_template(check, spec->template, &template);
    validate_restart(rq, spec, DRAY_AT(DRAY_AT(&template, "spec"), "restartPolicy"));
}

/* The template carries the labels that the API server put there, and the selector finds them. */
static void validate_generated_selector(dray_request *rq, const dray_batch_job *job) {
    const dray_batch_job_spec *spec = job->spec;
    dray_path labels =
        dray_path_child(DRAY_AT(DRAY_AT(DRAY_AT(NULL, "spec"), "template"), "metadata"), "labels");
    dray_str expected[4] = {job->metadata->uid, job->metadata->name, job->metadata->uid,
                            job->metadata->name};
    dray_str keys[4];
    if ((spec->manual_selector.set && spec->manual_selector.v) || spec->selector == NULL)
        return;
    if (job->metadata->uid.n == 0)
        fail_required(rq, DRAY_AT(DRAY_AT(NULL, "metadata"), "uid"), DRAY_STR(""));
    for (size_t i = 0; i < 4; i++) {
        dray_str value;
        keys[i] = dray_str_of(prefixes[i]);
        dray_path at = dray_path_key(&labels, keys[i]);
        dray_str must = DETAIL(rq, "must be '" DRAY_FMT "'", DRAY_ARG(expected[i]));
        if (!map_find(spec->template->metadata->labels, keys[i], &value))
            fail_required(rq, &at, must);
        else if (!dray_str_eq(value, expected[i]))
            fail_invalid_text(
                rq, &at, dray_value_string_map(rq->arena, spec->template->metadata->labels), must);
    }
    dray_string_map all = {keys, expected, 4};
    if (dray_label_selector_matches(rq, spec->selector, all) == 0)
        fail_invalid_text(
            rq, DRAY_AT(DRAY_AT(NULL, "spec"), "selector"),
            dray_value_declared(rq->arena, &dray_type_meta_label_selector, spec->selector),
            DRAY_STR("`selector` not auto-generated"));
}

/* Pods of an indexed Job are called JOB-INDEX on the network. */
static void validate_hostnames(dray_request *rq, const dray_batch_job *job) {
    dray_opt_int32 completions = job->spec->completions;
    if (!dray_str_is(job->spec->completion_mode, "Indexed") || !completions.set ||
        completions.v <= 0)
        return;
    dray_str host = DETAIL(rq, DRAY_FMT "-%d", DRAY_ARG(job->metadata->name), completions.v - 1);
    if (!passes(rq, host, dray_check_dns1123_label))
        fail_invalid(rq, DRAY_AT(DRAY_AT(NULL, "metadata"), "name"), job->metadata->name,
                     DETAIL(rq, "will not able to create pod with invalid DNS label: " DRAY_FMT,
                            DRAY_ARG(host)));
}

static void validate_completions(dray_request *rq, const dray_batch_job_spec *spec,
                                 const dray_batch_job_spec *old, const dray_path *path) {
    if (!dray_str_is(spec->completion_mode, "Indexed")) {
        dray_validate_immutable_int(rq, spec->completions, old->completions, path);
        return;
    }
    if ((spec->completions.set == old->completions.set &&
         spec->completions.v == old->completions.v) ||
        !spec->completions.set)
        return;
    if (spec->completions.v != spec->parallelism.v)
        fail_invalid_int(rq, path, spec->completions.v,
                         DRAY_STR("can only be modified in tandem with spec.parallelism"));
}

static bool is_suspended_condition(const dray_batch_job *job) {
    for (size_t i = 0; i < job->status->conditions.n; i++)
        if (dray_str_is(job->status->conditions.v[i].type, "Suspended") &&
            dray_str_is(job->status->conditions.v[i].status, "True"))
            return true;
    return false;
}

/* What a suspended Job may change in its template: scheduling directives, and resources. */
static void validate_template_change(dray_request *rq, const dray_batch_job *job,
                                     const dray_batch_job *old, const dray_path *path) {
    const dray_core_pod_template_spec *template = job->spec->template;
    dray_core_pod_template_spec was = *old->spec->template;
    dray_core_pod_spec spec = *was.spec;
    dray_meta_object_meta meta = *was.metadata;
    bool suspended = old->spec->suspend.set && old->spec->suspend.v;
    bool not_started = !old->status->start_time.set;
    bool mutable =
        suspended && (not_started || is_suspended_condition(old)) && old->status->active == 0;
    bool directives = suspended && not_started;
    if (dray_request_gate(rq, DRAY_GATE_MutableSchedulingDirectivesForSuspendedJobs))
        directives = mutable;
    bool resources =
        mutable && dray_request_gate(rq, DRAY_GATE_MutablePodResourcesForSuspendedJobs);
    was.spec = &spec;
    was.metadata = &meta;
    if (directives) {
        dray_core_affinity *affinity = DRAY_NEW(rq->arena, dray_core_affinity);
        if (spec.affinity != NULL)
            *affinity = *spec.affinity;
        affinity->node_affinity =
            template->spec->affinity != NULL ? template->spec->affinity->node_affinity : NULL;
        bool none = affinity->node_affinity == NULL && affinity->pod_affinity == NULL &&
                    affinity->pod_anti_affinity == NULL;
        spec.affinity = template->spec->affinity == NULL && none ? NULL : affinity;
        if (template->spec->affinity == NULL && spec.affinity != NULL &&
            old->spec->template->spec->affinity == NULL)
            spec.affinity = NULL;
        spec.node_selector = template->spec->node_selector;
        spec.tolerations = template->spec->tolerations;
        spec.scheduling_gates = template->spec->scheduling_gates;
        meta.annotations = template->metadata->annotations;
        meta.labels = template->metadata->labels;
    }
    if (!resources) {
        dray_validate_immutable(rq, &dray_type_core_pod_template_spec, template, &was,
                                DRAY_AT(path, "template"));
        return;
    }
    dray_core_pod_spec *copy = dray_api_copy(&dray_type_core_pod_spec, &spec, rq->arena);
    for (size_t i = 0; copy->containers.n == template->spec->containers.n && i < copy->containers.n;
         i++)
        if (dray_str_eq(copy->containers.v[i].name, template->spec->containers.v[i].name))
            copy->containers.v[i].resources = template->spec->containers.v[i].resources;
    for (size_t i = 0; copy->init_containers.n == template->spec->init_containers.n &&
                       i < copy->init_containers.n;
         i++)
        if (dray_str_eq(copy->init_containers.v[i].name, template->spec->init_containers.v[i].name))
            copy->init_containers.v[i].resources = template->spec->init_containers.v[i].resources;
    dray_validate_immutable(rq, &dray_type_core_pod_spec, template->spec, copy,
                            DRAY_AT(path, "template.spec"));
}

static void validate_update(dray_request *rq, const dray_batch_job *job, const dray_batch_job *old,
                            const dray_path *path) {
    const dray_batch_job_spec *spec = job->spec, *was = old->spec;
    validate_completions(rq, spec, was, DRAY_AT(path, "completions"));
    dray_validate_immutable(rq, &dray_type_meta_label_selector, spec->selector, was->selector,
                            DRAY_AT(path, "selector"));
    validate_template_change(rq, job, old, path);
    dray_validate_immutable_word(rq, spec->completion_mode, was->completion_mode,
                                 DRAY_AT(path, "completionMode"));
    dray_validate_immutable(rq, &dray_type_batch_pod_failure_policy, spec->pod_failure_policy,
                            was->pod_failure_policy, DRAY_AT(path, "podFailurePolicy"));
    dray_validate_immutable_int(rq, spec->backoff_limit_per_index, was->backoff_limit_per_index,
                                DRAY_AT(path, "backoffLimitPerIndex"));
    dray_validate_immutable_word(rq, spec->managed_by, was->managed_by, DRAY_AT(path, "managedBy"));
    dray_validate_immutable(rq, &dray_type_batch_success_policy, spec->success_policy,
                            was->success_policy, DRAY_AT(path, "successPolicy"));
}

void dray_validate_job(dray_request *rq, const void *body, const void *old_body) {
    const dray_batch_job *job = body, *old = old_body;
    const dray_batch_job_spec *spec = job->spec;
    dray_path path = dray_path_child(NULL, "spec");
    dray_pod_check check =
        dray_template_check_of(rq, spec->template, old != NULL ? old->spec->template : NULL);
    dray_validate_object_meta(rq, job->metadata, old != NULL ? old->metadata : NULL, false);
    if (old == NULL)
        validate_generated_selector(rq, job);
    dray_validate_job_spec(rq, &check, spec, &path);
    if (spec->selector == NULL)
        fail_required(rq, DRAY_AT(&path, "selector"), DRAY_STR(""));
    else
        dray_validate_label_selector(rq, spec->selector, check.bad_selector_values,
                                     DRAY_AT(&path, "selector"));
    dray_path template = dray_path_child(DRAY_AT(&path, "template"), "metadata");
    if (dray_label_selector_matches(rq, spec->selector, spec->template->metadata->labels) == 0)
        fail_invalid_text(rq, DRAY_AT(&template, "labels"),
                          dray_value_string_map(rq->arena, spec->template->metadata->labels),
                          DRAY_STR("`selector` does not match template `labels`"));
    if (old != NULL)
        validate_update(rq, job, old, &path);
    validate_hostnames(rq, job);
}
