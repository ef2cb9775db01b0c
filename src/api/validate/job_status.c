/* A Job's status on update: counters, conditions that exclude each other, what ends and stays
 * ended. */
#include "api/validate/workload_int.h"

static bool has(const dray_batch_job *job, const char *type) {
    for (size_t i = 0; i < job->status->conditions.n; i++)
        if (dray_str_is(job->status->conditions.v[i].type, type) &&
            dray_str_is(job->status->conditions.v[i].status, "True"))
            return true;
    return false;
}

static bool finished(const dray_batch_job *job) {
    return has(job, "Complete") || has(job, "Failed");
}

static void refuse(dray_request *rq, bool bad, const char *detail) {
    if (bad)
        fail(rq, DRAY_FIELD_INVALID, DRAY_AT(DRAY_AT(NULL, "status"), "conditions"), DRAY_STR_NONE,
             dray_str_of(detail));
}

static dray_str time_text(dray_request *rq, dray_time t) {
    if (!t.set)
        return DRAY_STR("null");
    return dray_value_quote(rq->arena, dray_time_format(t, false, rq->arena));
}

static void validate_uncounted(dray_request *rq, const dray_batch_uncounted_terminated_pods *pods,
                               const dray_path *path) {
    const dray_strings lists[] = {pods->succeeded, pods->failed};
    const char *const names[] = {"succeeded", "failed"};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < lists[i].n; j++) {
            dray_str uid = lists[i].v[j];
            dray_path item = dray_path_index(DRAY_AT(path, names[i]), j);
            if (uid.n == 0)
                fail_invalid_word(rq, &item, uid, DRAY_STR("must not be empty"));
            else if ((i == 1 && strings_have(lists[0], uid)) ||
                     strings_have((dray_strings){lists[i].v, j}, uid))
                fail(rq, DRAY_FIELD_DUPLICATE, &item, dray_value_json_string(rq->arena, uid),
                     DRAY_STR(""));
        }
}

static void validate_conditions(dray_request *rq, const dray_batch_job *job) {
    refuse(rq, has(job, "Complete") && has(job, "Failed"),
           "cannot set Complete=True and Failed=true conditions");
    refuse(rq, has(job, "Complete") && has(job, "FailureTarget"),
           "cannot set Complete=True and FailureTarget=true conditions");
    refuse(rq, has(job, "Failed") && !has(job, "FailureTarget"),
           "cannot set Failed=True condition without the FailureTarget=true condition");
    refuse(rq, has(job, "Complete") && !has(job, "SuccessCriteriaMet"),
           "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    refuse(rq, has(job, "SuccessCriteriaMet") && has(job, "Failed"),
           "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    refuse(rq, has(job, "SuccessCriteriaMet") && has(job, "FailureTarget"),
           "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    refuse(rq,
           job->spec->success_policy != NULL && !has(job, "SuccessCriteriaMet") &&
               has(job, "Complete"),
           "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
}

static void validate_times(dray_request *rq, const dray_batch_job *job, const dray_path *path) {
    const dray_batch_job_status *s = job->status;
    dray_path completion = dray_path_child(path, "completionTime");
    if (s->completion_time.set && !has(job, "Complete"))
        fail_invalid_text(
            rq, &completion, time_text(rq, s->completion_time),
            DRAY_STR("cannot set completionTime when there is no Complete=True condition"));
    if (!s->completion_time.set && has(job, "Complete"))
        fail_required(rq, &completion, DRAY_STR("completionTime is required for Complete jobs"));
    if (s->start_time.set && s->completion_time.set &&
        dray_time_cmp(s->completion_time, s->start_time) < 0)
        fail_invalid_text(rq, &completion, time_text(rq, s->completion_time),
                          DRAY_STR("must be equal to or after `startTime`"));
    if (!s->start_time.set && finished(job))
        fail_required(rq, DRAY_AT(path, "startTime"),
                      DRAY_STR("startTime is required for finished job"));
}

static void validate_indexes(dray_request *rq, const dray_batch_job *job, const dray_path *path) {
    const dray_batch_job_status *s = job->status;
    const dray_batch_job_spec *spec = job->spec;
    dray_path completed = dray_path_child(path, "completedIndexes");
    dray_path failed = dray_path_child(path, "failedIndexes");
    dray_str why;
    if (spec->completions.set &&
        dray_job_indexes(rq, s->completed_indexes, spec->completions.v, &why) < 0)
        fail_invalid(rq, &completed, s->completed_indexes,
                     DETAIL(rq, "error parsing completedIndexes: " DRAY_FMT, DRAY_ARG(why)));
    if (spec->completions.set && spec->backoff_limit_per_index.set && s->failed_indexes.p != NULL &&
        dray_job_indexes(rq, s->failed_indexes, spec->completions.v, &why) < 0)
        fail_invalid(rq, &failed, s->failed_indexes,
                     DETAIL(rq, "error parsing failedIndexes: " DRAY_FMT, DRAY_ARG(why)));
    if (s->completed_indexes.n > 0 && !dray_str_is(spec->completion_mode, "Indexed"))
        fail_invalid(
            rq, &completed, s->completed_indexes,
            DRAY_STR("cannot set non-empty completedIndexes when non-indexed completion mode"));
    if (!spec->backoff_limit_per_index.set && s->failed_indexes.p != NULL)
        fail_invalid(
            rq, &failed, s->failed_indexes,
            DRAY_STR("cannot set non-null failedIndexes when backoffLimitPerIndex is null"));
}

static void validate_finished(dray_request *rq, const dray_batch_job *job, const dray_path *path) {
    const dray_batch_job_status *s = job->status;
    const dray_batch_uncounted_terminated_pods *u = s->uncounted_terminated_pods;
    if (s->ready.set && s->ready.v > s->active)
        fail_invalid_int(rq, DRAY_AT(path, "ready"), s->ready.v,
                         DRAY_STR("cannot set more ready pods than active"));
    if (!finished(job))
        return;
    if (s->active > 0)
        fail_invalid_int(rq, DRAY_AT(path, "active"), s->active,
                         DRAY_STR("active>0 is invalid for finished job"));
    if (u != NULL && u->failed.n + u->succeeded.n > 0)
        fail_invalid_text(
            rq, DRAY_AT(path, "uncountedTerminatedPods"),
            dray_value_declared(rq->arena, &dray_type_batch_uncounted_terminated_pods, u),
            DRAY_STR("must be empty for finished job"));
    if (s->terminating.set && s->terminating.v > 0)
        fail_invalid_int(rq, DRAY_AT(path, "terminating"), s->terminating.v,
                         DRAY_STR("terminating>0 is invalid for finished job"));
}

static void validate_change(dray_request *rq, const dray_batch_job *job, const dray_batch_job *old,
                            const dray_path *path) {
    static const char *const terminal[] = {"Failed", "Complete", "FailureTarget"};
    const dray_batch_job_status *s = job->status, *was = old->status;
    for (size_t i = 0; i < DRAY_COUNT(terminal); i++)
        if (has(old, terminal[i]) && !has(job, terminal[i]))
            refuse(rq, true,
                   DETAIL(rq, "cannot disable the terminal %s=True condition", terminal[i]).p);
    if (s->failed < was->failed)
        fail_invalid_int(rq, DRAY_AT(path, "failed"), s->failed,
                         DRAY_STR("cannot decrease the failed counter"));
    if (s->succeeded < was->succeeded)
        fail_invalid_int(rq, DRAY_AT(path, "succeeded"), s->succeeded,
                         DRAY_STR("cannot decrease the succeeded counter"));
    if (s->completion_time.set && was->completion_time.set &&
        dray_time_cmp(s->completion_time, was->completion_time) != 0)
        fail_invalid_text(rq, DRAY_AT(path, "completionTime"), time_text(rq, s->completion_time),
                          DRAY_STR("field is immutable"));
    bool same_start = s->start_time.set && dray_time_cmp(s->start_time, was->start_time) == 0;
    if (was->start_time.set && !same_start && !(job->spec->suspend.set && job->spec->suspend.v))
        fail_invalid_text(rq, DRAY_AT(path, "startTime"), time_text(rq, s->start_time),
                          DRAY_STR("field is immutable for unsuspended job once set"));
    refuse(rq, has(old, "SuccessCriteriaMet") && !has(job, "SuccessCriteriaMet"),
           "cannot disable the SuccessCriteriaMet=True condition");
    refuse(rq,
           has(old, "Complete") && !has(old, "SuccessCriteriaMet") &&
               has(job, "SuccessCriteriaMet"),
           "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

void dray_validate_job_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_batch_job *job = body, *old = old_body;
    const dray_batch_job_status *s = job->status;
    dray_path path = dray_path_child(NULL, "status");
    const dray_counter counters[] = {{"active", s->active},
                                     {"succeeded", s->succeeded},
                                     {"failed", s->failed},
                                     {"ready", s->ready.v},
                                     {"terminating", s->terminating.v}};
    dray_validate_object_meta(rq, job->metadata, old->metadata, false);
    dray_validate_counters(rq, counters, DRAY_COUNT(counters), &path);
    if (s->uncounted_terminated_pods != NULL)
        validate_uncounted(rq, s->uncounted_terminated_pods,
                           DRAY_AT(&path, "uncountedTerminatedPods"));
    validate_conditions(rq, job);
    validate_times(rq, job, &path);
    validate_indexes(rq, job, &path);
    validate_finished(rq, job, &path);
    validate_change(rq, job, old, &path);
}
