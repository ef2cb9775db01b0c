/* The structured allocator: claims × one node → devices, or why not.
 *
 *     dray_alloc *alloc = dray_alloc_new(cluster);            beside a picture, as long as it
 *     dray_alloc_options options = {.results = true};
 *     dray_alloc_job *job = dray_alloc_begin(alloc, claims, n, &options, arena);
 *     for (each node) {
 *         dray_alloc_outcome out;
 *         dray_alloc_run(job, node, arena, &out);
 *         if (out.kind == DRAY_ALLOC_FITS) use(out.allocations[0]);
 *     }
 *
 * The answer is the first solution in Kubernetes' order, and its first error where its walk meets
 * one; search.c tells how it is found without walking. Source: KEPs 4381, 4815, 4816, 5004, 5007,
 * 5055, 5075, 5963, 6080; the structured allocator of 1.37.2.
 *
 * A job is good until the next change of the picture, dray_cluster_assume included. Thread rule:
 * the picture's.
 */
#ifndef DRAY_ALLOC_ALLOC_H
#define DRAY_ALLOC_ALLOC_H

#include "celk8s/celk8s.h"
#include "cluster/cluster.h"

enum {
    DRAY_ALLOC_RESULTS_MAX = 32, /* devices of a claim (API limit) */
    DRAY_ALLOC_CLAIMS_MAX = 4096,
    DRAY_ALLOC_REQUESTS_MAX = 65536, /* requests and alternatives of all claims of one job */
};

typedef struct dray_alloc dray_alloc;         /* compiled selectors and what they match */
typedef struct dray_alloc_job dray_alloc_job; /* claims, ready to be tried on nodes */

dray_alloc *dray_alloc_new(dray_cluster *cluster);
void dray_alloc_free(dray_alloc *alloc);
/* Compiles with celk8s, which must outlive alloc and is used by its thread: for callers that make
 * many. Before the first job. */
void dray_alloc_share(dray_alloc *alloc, dray_celk8s *celk8s);
/* Forgets what the selectors of requests match (those of classes stay): for measurements. */
void dray_alloc_forget(dray_alloc *alloc);

/* A device for a request, by its position in the node's view (cluster/inventory.h). */
typedef struct dray_alloc_pick {
    uint32_t request;     /* counted claim by claim */
    uint32_t alternative; /* 0 for requests without any */
    uint32_t position;
} dray_alloc_pick;

typedef struct dray_alloc_options {
    bool results; /* make the AllocationResults; else only the verdict and `chosen` */
    bool reasons; /* where it does not fit, fill `reasons` */
    /* Gives nanoseconds of a monotonic clock; NULL: no limit. Asked about every 64 steps. */
    uint64_t (*clock)(void *context);
    void *clock_context;
    uint64_t limit_ns; /* how long a run may take before it ends with an error */
    /* Devices that must be among what is given, and by which alternatives: for callers with their
     * own order of devices (trial.h). In the order of requests; borrowed. Where they can't be had
     * together, the outcome says no more than that. */
    const dray_alloc_pick *picks;
    size_t n_picks;
    uint64_t step_budget; /* 0: unlimited. Ends as DRAY_ALLOC_GAVE_UP */
    /* A new shareID for a share of a device, in arena; NULL: "share-1", "share-2", … */
    dray_str (*share_id)(void *context, dray_arena *arena);
    void *share_context;
} dray_alloc_options;

/* claims are borrowed as long as the job; the job lives in arena. options are copied. What is wrong
 * with the claims is told by each run, in Kubernetes' order. */
dray_alloc_job *dray_alloc_begin(dray_alloc *alloc, const dray_resource_claim *const *claims,
                                 size_t n, const dray_alloc_options *options, dray_arena *arena);

typedef enum dray_alloc_kind {
    DRAY_ALLOC_FITS,
    DRAY_ALLOC_DOES_NOT_FIT,
    DRAY_ALLOC_ERROR,   /* ends the scheduling attempt, unless node_local */
    DRAY_ALLOC_GAVE_UP, /* the step budget is spent: says nothing about the answer */
} dray_alloc_kind;

/* Why devices were refused: ids of the causes of `dray debug explain`. */
typedef enum dray_alloc_cause {
#define CAUSE(name, id) DRAY_ALLOC_CAUSE_##name,
#include "alloc/causes.def"
#undef CAUSE
} dray_alloc_cause;
const char *dray_alloc_cause_id(dray_alloc_cause cause);

/* For each request (or alternative) the counts of its rows and the devices that it could have add
 * up to the devices looked at. */
typedef struct dray_alloc_reason {
    size_t claim;     /* index in claims */
    dray_str request; /* "r" or "r/s" */
    dray_alloc_cause cause;
    uint32_t count;
    dray_str example; /* "driver/pool/device", or what the cause is about; absent: none */
} dray_alloc_reason;

typedef struct dray_alloc_outcome {
    dray_alloc_kind kind;
    const dray_resource_allocation_result *allocations; /* FITS with `results`: one a claim */
    /* FITS: the index of the alternative taken, claim by claim and request by request; 0 for
     * requests without alternatives. */
    const uint32_t *chosen;
    dray_str error;  /* ERROR */
    bool node_local; /* ERROR: other nodes may be tried */
    bool of_device;  /* ERROR: it came from what one device says; others may do */
    bool timed_out;  /* ERROR: the deadline */
    const dray_alloc_reason *reasons;
    size_t n_reasons;
    uint64_t steps;
} dray_alloc_outcome;

/* What it returns lives in arena, or as long as the job. node->body may not be NULL. */
void dray_alloc_run(dray_alloc_job *job, dray_cluster_node *node, dray_arena *arena,
                    dray_alloc_outcome *ret);

#endif
