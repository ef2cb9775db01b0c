/* What the strategies of the core kinds share. Private to strategy/. */
#ifndef DRAY_API_STRATEGY_CORE_INT_H
#define DRAY_API_STRATEGY_CORE_INT_H

#include "api/validate/workload_int.h"

/* Pod's, in core_pod.c. */
void dray_pod_prepare_create(dray_request *rq, void *body);
void dray_pod_prepare_update(dray_request *rq, void *body, const void *old);
void dray_pod_prepare_status(dray_request *rq, void *body, const void *old);
void dray_pod_warn(dray_request *rq, const void *body, const void *old);

/* Name checks: DNS subdomain, DNS label. */
void dray_name_subdomain(dray_request *rq, dray_str name, const dray_path *path);
void dray_name_label(dray_request *rq, dray_str name, const dray_path *path);

/* core_service.c: on update, takes out what the new type has no use for and the user left alone. */
void dray_service_drop_by_type(dray_core_service *service, const dray_core_service *old);

/* "metadata.name: this is used in WHERE, which can result in surprising behavior; …" */
void dray_warn_hostname(dray_request *rq, const dray_meta_object_meta *meta, const char *where);

#endif
