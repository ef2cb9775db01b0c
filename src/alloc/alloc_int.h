/* A run: a job on one node, its state and its undo log. Private to this room. */
#ifndef DRAY_ALLOC_ALLOC_INT_H
#define DRAY_ALLOC_ALLOC_INT_H

#include "alloc/capacity.h"
#include "alloc/job_int.h"

/* What a run knows of devices for one kindred, a word at a time. */
typedef struct dray_findings {
    uint64_t *known, *usable, *failing; /* failing: asking ends with an error */
    dray_amount ***amounts;             /* [word][bit]: what a share would consume, by capacity */
    uint32_t asked;                     /* devices asked one by one */
} dray_findings;

/* The elements of an attribute as a sorted set of numbers. */
typedef struct dray_value_set {
    const uint32_t *v;
    uint32_t n;
} dray_value_set;

typedef struct dray_constraint_state {
    uint32_t n;    /* devices so far */
    uint32_t hint; /* the attribute's place on the last device that was asked; not state */
    /* What constraint.c remembers of a word; no state either. */
    const dray_resource_device_attribute *sifted_for;
    uint64_t hash, sifted;
    uint32_t sifted_word;
    const dray_resource_device_attribute *attributes[DRAY_ALLOC_RESULTS_MAX];
    dray_value_set sets[DRAY_ALLOC_RESULTS_MAX]; /* lists: match: intersections; distinct: values */
    uint32_t rooms[DRAY_ALLOC_RESULTS_MAX];
} dray_constraint_state;

/* Compatibility groups on one counter set. */
typedef struct dray_group_state {
    uint64_t members; /* 0: none yet, 1: all without groups, 2: with groups */
    uint64_t *mask;
} dray_group_state;

typedef struct dray_pool_state_of_run {
    dray_amount *left;        /* counters; NULL until they are asked for */
    uint64_t overdrawn;       /* counters below zero */
    dray_group_state *groups; /* by counter set, in the order of `sets` */
    dray_strings sets;
    dray_strings group_names;
    bool ready, groups_ready;
} dray_pool_state_of_run;

/* A device that several claims may share: what is left of each capacity. */
typedef struct dray_sharing {
    dray_amount *left;
    uint64_t shares; /* of this run */
} dray_sharing;

typedef struct dray_pick {
    uint32_t alt, pos;
} dray_pick;

struct dray_undo {
    void *at;
    uint32_t bytes; /* 4, 8 or 16; 1: a pick */
    dray_amount before;
};

/* Devices that an alternative must take, before it looks for others. */
typedef struct dray_wanted {
    const uint32_t *positions;
    uint32_t n;
} dray_wanted;

typedef struct dray_all_list {
    uint32_t *positions;
    size_t n;
} dray_all_list;

typedef struct dray_proof dray_proof;

typedef struct dray_run {
    dray_alloc_job *job;
    dray_view *view;
    dray_cluster_node *node;
    dray_arena *arena; /* of the caller: what the outcome points to */
    dray_arena *scratch;
    dray_features f;
    dray_findings *findings; /* by kindred */
    uint64_t *spare;         /* for their bitmaps, where these are few */
    size_t n_spare;
    dray_all_list *alls; /* by alternative */
    /* State: changed only through the log. */
    uint64_t *taken;        /* positions that a claim of this job has to itself */
    uint64_t **taken_admin; /* by claim, where admin access is asked for */
    dray_pool_state_of_run *pools;
    dray_sharing ***sharing; /* [word][bit] */
    dray_constraint_state *constraints;
    dray_pick *picks;
    uint32_t n_picks;
    uint32_t *claim_picks; /* by claim */
    uint32_t *chosen;      /* by request: the alternative */
    dray_undo *log;        /* of the allocator, from run to run */
    size_t n_log, log_room;
    struct dray_frame *frames;
    size_t n_frames, n_twinned; /* frames whose twins are set */
    uint32_t end;    /* the place at which everything is found: usually the number of requests */
    uint32_t *order; /* requests by place; NULL: as they stand */
    bool asking;     /* the walk is a question (ask.c): the order is chosen on the way */
    /* What the caller wants; NULL: nothing. No proofs then. */
    dray_wanted *wanted; /* by alternative */
    uint32_t *fixed;     /* by request: the index of its alternative + 1; 0: any */
    uint64_t *reserved;  /* devices that only those may take who want them */
    /* Values of attributes as numbers. */
    struct dray_values *values;
    dray_proof *proof; /* NULL: walking plainly */
    uint64_t failures; /* dead ends of the plain walk */
    uint64_t steps, step_limit, next_look;
    uint64_t deadline_ns; /* what the clock says when time is up */
    dray_str error;
    bool timed_out, gave_up, node_local, of_device;
} dray_run;

/* alloc.c */
/* Memory of the run's state, all empty; job, view, scratch are set. */
void dray_run_make_room(dray_run *run);

/* prepare.c */
/* The claims made ready; options are left to be set. */
dray_alloc_job *dray_job_new(dray_alloc *alloc, const dray_resource_claim *const *claims, size_t n,
                             dray_arena *arena);
/* "ns/name", for messages. */
dray_str dray_claim_name(const dray_claim_slot *claim, dray_arena *arena);
/* The first error of the job on this node, and the devices of mode All; false: run->error. */
bool dray_run_check(dray_run *run);
/* The same of the claims from first to end alone. */
bool dray_run_check_claims(dray_run *run, size_t first, size_t end);

/* findings.c */
/* Whether the device will do for the kindred whatever else is taken: 1, 0, or -1 with an error. */
int dray_run_ask(dray_run *run, dray_kindred *kind, uint32_t pos);
/* Finds it out; the findings of the kindred are there afterwards. */
void dray_run_find_out(dray_run *run, dray_kindred *kind, uint32_t pos);
/* All devices of a word. */
void dray_run_ask_word(dray_run *run, dray_kindred *kind, uint32_t word);
/* What mode All means of a word: selectors, node and capacity alone. *ret_failing: the first device
 * that fails; 64: none. */
uint64_t dray_run_select_word(dray_run *run, dray_kindred *kind, uint32_t word,
                              uint32_t *ret_failing);
/* The same of one device; -1: failing. */
int dray_run_selectable(dray_run *run, dray_kindred *kind, uint32_t pos);
/* run->error: why asking fails. */
void dray_run_tell(dray_run *run, const dray_alt *alt, uint32_t pos, bool mode_all);
dray_str dray_device_name(const dray_view *view, uint32_t pos, dray_arena *arena);
bool dray_tolerated(const dray_kindred *kind, const dray_slice *slice, uint32_t device);

/* attribute.c */
const dray_resource_device_attribute *dray_attribute_find(const dray_resource_device *device,
                                                          dray_str driver,
                                                          const dray_constraint *constraint);
/* *ret NULL: not there. False: run->error. */
bool dray_run_attribute(dray_run *run, const dray_alt *alt, uint32_t pos,
                        const dray_constraint *constraint,
                        const dray_resource_device_attribute **ret);
/* Its elements, numbered over the run; n == 0 where it has no member. */
dray_value_set dray_run_values(dray_run *run, const dray_resource_device_attribute *attribute);
bool dray_values_common(dray_value_set a, dray_value_set b);

/* constraint.c */
/* 1: added, 0: refused, -1: run->error. */
int dray_constraint_add(dray_run *run, const dray_constraint *constraint, const dray_alt *alt,
                        uint32_t pos);
/* Of the devices of a word in mask, those that match constraints have no reason to refuse at
 * sight. Only for an alternative without derived attributes. */
uint64_t dray_constraints_sift(dray_run *run, const dray_alt *alt, uint32_t word, uint64_t mask);

/* counter.c */
bool dray_counters_take(dray_run *run, uint32_t pos);
bool dray_groups_take(dray_run *run, uint32_t pos);
dray_pool_state_of_run *dray_run_pool(dray_run *run, uint32_t pool);

/* take.c */
/* 1: taken, 0: refused and undone, -1: run->error. must: refusal by a constraint is an error. */
int dray_run_take(dray_run *run, const dray_alt *alt, uint32_t pos, bool must);
/* The same for a device that will do for the kindred and is not in use. */
int dray_run_take_free(dray_run *run, const dray_alt *alt, uint32_t pos, bool must);
void dray_run_set4(dray_run *run, uint32_t *at, uint32_t value);
void dray_run_set8(dray_run *run, uint64_t *at, uint64_t value);
void dray_run_set16(dray_run *run, dray_amount *at, dray_amount value);
void dray_run_undo(dray_run *run, size_t mark);
bool dray_run_in_use(const dray_run *run, const dray_alt *alt, uint32_t pos);
dray_sharing *dray_run_sharing(dray_run *run, uint32_t pos);
/* Whether the device has room when nothing is consumed; keeps the amounts. */
dray_room dray_run_consider(dray_run *run, dray_kindred *kind, uint32_t pos);
const dray_amount *dray_run_amounts(dray_run *run, dray_kindred *kind, uint32_t pos);
bool dray_sharing_fits(const dray_sharing *sharing, const dray_amount *amounts, size_t n);

/* result.c */
bool dray_run_results(dray_run *run, dray_alloc_outcome *ret);

/* reasons.c */
void dray_run_reasons(dray_run *run, dray_alloc_outcome *ret);

static inline uint32_t dray_run_request(const dray_run *run, uint32_t place) {
    return run->order != NULL ? run->order[place] : place;
}
static inline bool dray_bit(const uint64_t *bits, uint32_t i) {
    return bits[i / 64] >> (i % 64) & 1;
}
static inline const dray_view_word *dray_run_word(const dray_run *run, uint32_t pos) {
    return &run->view->words[pos / 64];
}
/* The device's place in its slice. */
static inline uint32_t dray_run_device(const dray_run *run, uint32_t pos) {
    return dray_run_word(run, pos)->word * 64 + pos % 64;
}
static inline bool dray_run_is_multi(const dray_run *run, uint32_t pos) {
    return dray_bit(dray_run_word(run, pos)->slice->multi, dray_run_device(run, pos));
}

#endif
