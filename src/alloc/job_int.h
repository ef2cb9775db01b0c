/* A job: claims made ready to be tried on nodes. Private to this room. */
#ifndef DRAY_ALLOC_JOB_INT_H
#define DRAY_ALLOC_JOB_INT_H

#include "alloc/alloc.h"
#include "alloc/select_int.h"
#include "base/vec.h"

/* The gates as the allocator means them, and which of upstream's three implementations would run:
 * a few things are decided by that and not by a gate. */
typedef struct dray_features {
    bool admin, prioritized, partitionable, taints, binding, consumable, fractional, lists,
        node_ops, derived, groups;
    enum { DRAY_STABLE, DRAY_INCUBATING, DRAY_EXPERIMENTAL } variant;
} dray_features;

/* What decides, apart from the claim's constraints, whether a device will do: requests that agree
 * in it share one, and everything found out about devices for it. */
typedef struct dray_kindred {
    const dray_resource_device_class *class;
    dray_select_list *class_list, *request_list; /* NULL: no selectors */
    const dray_resource_device_toleration *tolerations;
    size_t n_tolerations;
    const dray_resource_capacity_requirements *capacity; /* NULL: none */
    bool admin;
    uint32_t number;
} dray_kindred;

typedef struct dray_constraint {
    bool distinct;       /* else match */
    dray_str attribute;  /* fully qualified */
    dray_str domain, id; /* of it; domain absent without a slash */
    dray_strings requests;
    uint32_t number; /* in the job */
} dray_constraint;

/* A request, or one alternative of it. */
typedef struct dray_alt {
    uint32_t claim, request, index;
    bool all;
    int64_t count;
    dray_str name, full_name; /* own; "r" or "r/s" */
    dray_str error; /* what is wrong with it, before devices are looked at; absent: fine */
    dray_kindred *kind;
    const dray_resource_device_derived_attribute *derived;
    size_t n_derived;
    dray_constraint **constraints; /* that apply to it, in the claim's order */
    uint32_t n_constraints;
    uint32_t number; /* in the job */
} dray_alt;

typedef struct dray_request_slot {
    uint32_t claim, first_alt, n_alts;
    bool prioritized;
    dray_str name;
    dray_str error; /* a gate that is off */
} dray_request_slot;

typedef struct dray_claim_slot {
    const dray_resource_claim *body;
    uint32_t first_request, n_requests;
    uint32_t first_constraint, n_constraints;
    int64_t least; /* devices, of its requests that nothing is wrong with */
    dray_str constraint_error;
} dray_claim_slot;

struct dray_alloc_job {
    dray_alloc *alloc;
    dray_alloc_options options;
    dray_arena *arena;
    dray_features features;
    dray_claim_slot *claims;
    size_t n_claims;
    DRAY_VEC(dray_request_slot) requests;
    DRAY_VEC(dray_alt) alts;
    DRAY_VEC(dray_kindred *) kinds;
    DRAY_VEC(dray_constraint) constraints;
    dray_kindred first_kind; /* the one that most jobs have */
    size_t n_decisions;      /* at most: alternatives chosen and devices taken */
    bool has_all, has_admin;
    bool is_wrong;  /* something is, or may be, wrong with the claims */
    bool settled;   /* what is wrong with the claims is so on every node */
    dray_str error; /* then that, or a limit of ours that is passed; absent: nothing */
};

typedef struct dray_undo dray_undo;

struct dray_alloc {
    dray_cluster *cluster;
    dray_selects *selects;
    dray_features features;
    struct dray_recent_class { /* of the classes asked for last, as of the picture's changes */
        const dray_resource_device_class *class;
        dray_select_list *list;
        uint64_t changes;
    } recent[4];
    uint32_t next_recent;
    dray_arena *scratch; /* of a run; kept from run to run, as is the log */
    struct dray_undo *log;
    size_t log_room;
};

#endif
