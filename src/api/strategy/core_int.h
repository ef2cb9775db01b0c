/* What the strategies of the core kinds share. Private to strategy/. */
#ifndef DRAY_API_STRATEGY_CORE_INT_H
#define DRAY_API_STRATEGY_CORE_INT_H

#include "api/validate/workload_int.h"

extern const dray_strategy dray_strategy_core_pod;

/* Name checks: DNS subdomain, DNS label. */
void dray_name_subdomain(dray_request *rq, dray_str name, const dray_path *path);
void dray_name_label(dray_request *rq, dray_str name, const dray_path *path);

/* "metadata.name: this is used in WHERE, which can result in surprising behavior; …" */
void dray_warn_hostname(dray_request *rq, const dray_meta_object_meta *meta, const char *where);

#endif
