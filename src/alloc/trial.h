/* Trials: what could be had on a node, taken, measured and taken back.
 *
 *     dray_alloc_job *job = dray_alloc_begin(alloc, claims, n_claims, &options, arena);
 *     dray_alloc_trial *trial = dray_alloc_trial_new(job, ends, n_groups, node, arena);
 *     dray_alloc_solution s;
 *     if (trial != NULL && dray_alloc_trial_best(trial, 0, &s)) {
 *         dray_alloc_trial_take(trial, 0, &s);
 *         left = dray_alloc_trial_left(trial);
 *         dray_alloc_trial_back(trial);
 *     }
 *     dray_alloc_trial_end(trial);
 *
 * The job's claims fall into groups, each that of one Pod; what is found out about devices is found
 * out once for all. Picks count requests from the first one of their group on; given to
 * dray_alloc_run of the group's claims alone (`picks` of the options) they come out as they are.
 *
 * Measures are in thousandths of parts. A part is a device by itself, or a counter set, on which
 * all devices draw that consume of it; of a shared device each capacity counts alike, of a set each
 * counter. What is usable to a group is what it could have, were it to come alone: parts from which
 * some allocation of its claims takes a device; of a shared device as much as shares of that kind
 * could use up, of a set as much as such devices one beside another could draw, of devices that are
 * wanted by the dozen whole dozens. Source: the
 * fragmentation of "Beware of Fragmentation" (USENIX ATC 2023), with parts for its GPUs.
 *
 * Everything lives in arena. While a trial is open nothing else may be asked of the allocator.
 */
#ifndef DRAY_ALLOC_TRIAL_H
#define DRAY_ALLOC_TRIAL_H

#include "alloc/alloc.h"
#include "base/map.h"

enum { DRAY_ALLOC_WHOLE = 1000 }; /* thousandths */

typedef struct dray_alloc_trial dray_alloc_trial;

/* Group g has the claims from ends[g - 1], or 0, to ends[g]. NULL: the devices can't be read. */
dray_alloc_trial *dray_alloc_trial_new(dray_alloc_job *job, const size_t *ends, size_t n,
                                       dray_cluster_node *node, dray_arena *arena);
void dray_alloc_trial_end(dray_alloc_trial *trial);

typedef struct dray_alloc_solution {
    const dray_alloc_pick *picks; /* all, in the order of requests */
    size_t n;
    const uint32_t *alternatives; /* by request of the group */
    size_t n_requests;
} dray_alloc_solution;

/* The first solution with the best alternatives: as high as can be for the first request that has
 * any, then for the next. False: none, or the search for it took too long. */
bool dray_alloc_trial_best(dray_alloc_trial *trial, size_t group, dray_alloc_solution *ret);
/* The first one with those alternatives (all NULL: any) that holds the picks wanted. */
bool dray_alloc_trial_solve(dray_alloc_trial *trial, size_t group, const uint32_t *alternatives,
                            const dray_alloc_pick *wanted, size_t n, dray_alloc_solution *ret);
/* Whether others could stand where the pick stands: not in mode All, nor for admin access. */
bool dray_alloc_trial_is_free(const dray_alloc_trial *trial, size_t group,
                              const dray_alloc_pick *pick);
/* Positions that the request could have beside what is wanted, in order, at most `most`; of those
 * that no group can tell apart the first. */
size_t dray_alloc_trial_candidates(dray_alloc_trial *trial, size_t group, uint32_t request,
                                   uint32_t alternative, const dray_alloc_pick *wanted, size_t n,
                                   uint32_t *ret, size_t most);

/* One at a time. False: it can't be had, and nothing is taken. */
bool dray_alloc_trial_take(dray_alloc_trial *trial, size_t group, const dray_alloc_solution *s);
void dray_alloc_trial_back(dray_alloc_trial *trial);

/* What is free, in all; what of it is usable, by group; how full the parts are, on the average,
 * that what is taken draws on (0: nothing is left of them). */
double dray_alloc_trial_left(dray_alloc_trial *trial);
/* Quicker after it was asked once with nothing taken. */
void dray_alloc_trial_usable(dray_alloc_trial *trial, double *ret);
double dray_alloc_trial_left_beside(dray_alloc_trial *trial);

/* Leaves out of all measures what other nodes reach too and `seen` holds already; else puts it
 * there. seen's keys live in its arena. Before anything is measured. */
void dray_alloc_trial_count_once(dray_alloc_trial *trial, dray_map *seen);

/* Equal for nodes whose devices are alike and in the same state, in whatever order, to all groups.
 */
typedef struct dray_alloc_likeness {
    uint64_t a, b;
} dray_alloc_likeness;
dray_alloc_likeness dray_alloc_trial_likeness(dray_alloc_trial *trial);

#endif
