/* Amounts of resources as kube-scheduler counts them: cpu in milli-units, the others whole.
 *
 *     dray_plan_res res = {0};
 *     dray_plan_res_add(&res, names, arena, DRAY_RESOURCES(node->status->allocatable));
 *     int64_t gpus = dray_plan_res_scalar(&res, id);
 *
 * Scalar resources (extended, huge pages, prefixed native, attachable volumes) are numbered by the
 * names table of one world. Source: kube-scheduler's framework.Resource.
 */
#ifndef DRAY_PLAN_RESOURCES_H
#define DRAY_PLAN_RESOURCES_H

#include "api/rules/pod_request.h"
#include "base/bits.h"
#include "base/map.h"
#include "base/vec.h"

typedef struct dray_plan_names {
    dray_map ids; /* name → id + 1 */
    DRAY_VEC(dray_str) list;
} dray_plan_names;

typedef struct dray_plan_scalar {
    uint32_t id;
    int64_t value;
} dray_plan_scalar;

typedef struct dray_plan_res {
    int64_t cpu, memory, ephemeral, pods;
    DRAY_VEC(dray_plan_scalar) scalars; /* a few, in order of appearance; zero ones too */
} dray_plan_res;

uint32_t dray_plan_name_id(dray_plan_names *names, dray_arena *arena, dray_str name);

/* Adds list to res. */
void dray_plan_res_add(dray_plan_res *res, dray_plan_names *names, dray_arena *arena,
                       dray_resource_list list);
/* Adds sign × other. */
void dray_plan_res_sum(dray_plan_res *res, dray_arena *arena, const dray_plan_res *other,
                       int64_t sign);
/* 0 when it has none. */
int64_t dray_plan_res_scalar(const dray_plan_res *res, uint32_t id);
bool dray_plan_res_has_scalar(const dray_plan_res *res, uint32_t id);

/* Kinds of names. Source: pkg/apis/core/v1/helper. */
bool dray_plan_is_extended(dray_str name);
bool dray_plan_is_scalar(dray_str name);
/* One that a DeviceClass may stand behind. */
bool dray_plan_is_dra_extended(dray_str name);
#define DRAY_PLAN_CLASS_PREFIX "deviceclass.resource.kubernetes.io/"

#endif
