/* An open trial: a run over several groups of claims, and the parts of its node. Private to the
 * room. */
#ifndef DRAY_ALLOC_TRIAL_INT_H
#define DRAY_ALLOC_TRIAL_INT_H

#include "alloc/prove_int.h"
#include "alloc/trial.h"

typedef struct dray_trial_group {
    size_t first_claim, end_claim;
    uint32_t first_request, end_request;
    bool able;   /* nothing is wrong with it on this node */
    bool simple; /* one request for a number of devices, whichever they are */
} dray_trial_group;

typedef struct dray_part {
    bool is_set;
    bool ignored; /* counted elsewhere */
    uint32_t pool;
    uint32_t *counters, n_counters; /* of a set, in the pool's view */
    uint32_t *devices, n_devices;   /* positions: of those that draw on the set, or of the one */
    dray_key key;                   /* of a set: equal for sets that are alike */
} dray_part;

typedef struct dray_part_list {
    uint32_t *v, n;
} dray_part_list;

struct dray_alloc_trial {
    dray_run run;
    dray_trial_group *groups;
    size_t n_groups;
    dray_part *parts;
    size_t n_parts;
    dray_part_list *parts_of; /* by position */
    dray_key *keys;           /* by position; NULL until they are asked for */
    uint32_t *positions;      /* room for what is wanted */
    dray_alloc_pick *found;   /* the last solution */
    size_t n_found;
    size_t mark; /* of the log, before what is taken */
    bool taken;
    uint64_t *touched; /* parts: those of what is taken */
    uint64_t *near;    /* and those that share a device with them */
    double *usable;    /* [group][part] before anything is taken; NULL until it is asked for */
    uint64_t *solved;  /* [group][part]: some solution takes a device of it, then likewise */
    uint32_t *counts;  /* devices that the group could have of the part, one beside another */
};

/* trial.c */
/* Leaves the solution in `found`. */
bool dray_trial_find(dray_alloc_trial *trial, size_t group, const uint32_t *alternatives,
                     const dray_alloc_pick *wanted, size_t n);

/* parts.c */
void dray_trial_list_parts(dray_alloc_trial *trial);
bool dray_trial_is_device(const dray_run *run, uint32_t pos);
/* As dray_run_take without the constraints; what is taken is in the log. */
bool dray_trial_take_alone(dray_run *run, const dray_alt *alt, uint32_t pos);

/* likeness.c */
void dray_trial_make_keys(dray_alloc_trial *trial);

#endif
