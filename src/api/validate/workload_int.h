/* Entry points of the checks of workloads and the small core kinds. Private to validate/ and
 * strategy/.
 */
#ifndef DRAY_API_VALIDATE_WORKLOAD_INT_H
#define DRAY_API_VALIDATE_WORKLOAD_INT_H

#include "api/validate/pod_int.h"

/* The check of a template's Pods; old may be NULL. */
dray_pod_check dray_template_check_of(dray_request *rq, const dray_core_pod_template_spec *template,
                                      const dray_core_pod_template_spec *old);

/* validate/workload_apps.c: bodies of the kind; old is NULL on create. */
void dray_validate_deployment(dray_request *rq, const void *body, const void *old);
void dray_validate_deployment_status(dray_request *rq, const void *body, const void *old);
void dray_validate_replica_set(dray_request *rq, const void *body, const void *old);
void dray_validate_replica_set_status(dray_request *rq, const void *body, const void *old);
void dray_validate_daemon_set(dray_request *rq, const void *body, const void *old);
void dray_validate_daemon_set_status(dray_request *rq, const void *body, const void *old);
/* validate/workload_stateful.c */
void dray_validate_stateful_set(dray_request *rq, const void *body, const void *old);
void dray_validate_stateful_set_status(dray_request *rq, const void *body, const void *old);
/* validate/job.c, job_status.c, cronjob.c */
void dray_validate_job(dray_request *rq, const void *body, const void *old);
void dray_validate_job_status(dray_request *rq, const void *body, const void *old);
void dray_validate_cron_job(dray_request *rq, const void *body, const void *old);
void dray_validate_job_spec(dray_request *rq, dray_pod_check *check,
                            const dray_batch_job_spec *spec, const dray_path *path);
/* Indexes such as "1,3-5" below completions: how many, or -1 with the reason in *ret_why. */
int64_t dray_job_indexes(dray_request *rq, dray_str text, int32_t completions, dray_str *ret_why);
bool dray_job_index_interval(dray_request *rq, dray_str text, int32_t completions,
                             int32_t *ret_from, int32_t *ret_to, dray_str *ret_why);
/* Why a schedule is no cron expression; absent when it is one. */
dray_str dray_cron_check(dray_request *rq, dray_str schedule);
bool dray_time_zone_known(dray_str name);

/* validate/node.c, namespace.c, quota.c, config.c, service.c, priority_class.c */
void dray_validate_node(dray_request *rq, const void *body, const void *old);
void dray_validate_node_status(dray_request *rq, const void *body, const void *old);
void dray_validate_namespace_object(dray_request *rq, const void *body, const void *old);
void dray_validate_namespace_status(dray_request *rq, const void *body, const void *old);
void dray_validate_quota(dray_request *rq, const void *body, const void *old);
void dray_validate_quota_status(dray_request *rq, const void *body, const void *old);
void dray_validate_config_map(dray_request *rq, const void *body, const void *old);
void dray_validate_secret(dray_request *rq, const void *body, const void *old);
void dray_validate_service_account(dray_request *rq, const void *body, const void *old);
void dray_validate_service(dray_request *rq, const void *body, const void *old);
void dray_validate_service_status(dray_request *rq, const void *body, const void *old);
void dray_validate_priority_class(dray_request *rq, const void *body, const void *old);

/* Metadata of a create or an update, at "metadata". */
void dray_validate_object_meta(dray_request *rq, const dray_meta_object_meta *meta,
                               const dray_meta_object_meta *old, bool again_on_update);

/* "maxUnavailable": a percentage or a number that is not negative. */
void dray_validate_int_or_percent(dray_request *rq, dray_int_or_string value,
                                  const dray_path *path);
void dray_validate_at_most_100(dray_request *rq, dray_int_or_string value, const dray_path *path);
int64_t dray_int_or_percent(dray_request *rq, dray_int_or_string value);
dray_str dray_value_int_or_string(dray_request *rq, dray_int_or_string value);
/* A selector that must be there and select something; its match with the template's labels. */
void dray_validate_selector(dray_request *rq, const dray_meta_label_selector *selector,
                            const char *kind, const dray_path *path);
/* Counters of a status: name and value. */
typedef struct dray_counter {
    const char *name;
    int64_t value;
} dray_counter;
void dray_validate_counters(dray_request *rq, const dray_counter *counters, size_t n,
                            const dray_path *path);

#endif
