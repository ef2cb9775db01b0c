/* The devices of a node as a request sees them, and selectors on devices.
 *
 *     dray_survey survey;
 *     dray_survey_node(trial, node, want, &survey);
 *     … survey.by_stage[DRAY_STAGE_IN_USE] of survey.n devices are in use …
 *
 * Private to the room.
 */
#ifndef DRAY_EXPLAIN_SURVEY_INT_H
#define DRAY_EXPLAIN_SURVEY_INT_H

#include "explain/explain_int.h"

/* --- devices of a node: survey.c --- */

typedef enum dray_stage {
    DRAY_STAGE_POOL, /* incomplete or invalid */
    DRAY_STAGE_GATE,
    DRAY_STAGE_CLASS,
    DRAY_STAGE_REQUEST,
    DRAY_STAGE_REACH,
    DRAY_STAGE_CAPACITY, /* too large, or refused by the policy */
    DRAY_STAGE_TAINT,
    DRAY_STAGE_IN_USE,
    DRAY_STAGE_EXHAUSTED,
    DRAY_STAGE_COUNTERS,
    DRAY_STAGE_USABLE,
} dray_stage;

typedef struct dray_surveyed {
    const dray_slice *slice;
    const dray_pool_view *pool;
    const dray_resource_device *device;
    dray_stage stage;
    bool matches;       /* selectors are true and the pool is usable */
    uint32_t obstacles; /* how many stages between selectors and use refuse it */
    dray_str about;     /* taint key, capacity name, counter set */
    bool policy;        /* CAPACITY: by the policy */
    bool failed;        /* CLASS, REQUEST: the selector is not false, it failed */
} dray_surveyed;

typedef struct dray_survey {
    dray_surveyed *v;
    size_t n;
    size_t by_stage[DRAY_STAGE_USABLE + 1];
    size_t matching;
} dray_survey;

/* Every device that reaches the node, as the want sees it. */
void dray_survey_node(dray_trial *trial, dray_str node, const dray_want *want, dray_survey *ret);
/* Whether the pool's newest slices differ on how many there are, or are more than they say: then
 * nothing is missing, they are wrong. */
bool dray_pool_contradicts(const dray_pool *pool);
/* The claims that hold the device. */
size_t dray_survey_holders(dray_trial *trial, const dray_surveyed *device,
                           const dray_resource_claim **ret, size_t max);
/* Pods that use the claim and exist. */
size_t dray_claim_users(const dray_trial *trial, const dray_resource_claim *claim);
/* Claims whose end could give the want devices on the node, the best first. */
size_t dray_claims_in_the_way(dray_trial *trial, dray_str node, const dray_want *want,
                              const dray_resource_claim **ret, size_t max);
/* The most of a capacity that the device can still give for one request, and in all. */
bool dray_capacity_left(dray_trial *trial, const dray_surveyed *device, dray_str name,
                        dray_quantity *ret_left);

#endif
