/* Bounds: what the open requests want together, against what there is. Private to this room. */
#ifndef DRAY_ALLOC_BOUNDS_INT_H
#define DRAY_ALLOC_BOUNDS_INT_H

#include "alloc/prove_int.h"

enum {
    DRAY_BOUND_LEVELS = 4,   /* match constraints whose values are tried together */
    DRAY_BOUND_CHECKS = 32,  /* combinations of values tried before it is left undecided */
    DRAY_FLOW_GROUPS = 1024, /* kinds of supply told apart */
    DRAY_BOUND_NAMES = 64,   /* counters, and capacities, told apart by name */
    DRAY_BOUND_ITEMS = 32,   /* different amounts of one name */
    DRAY_BOUND_UNITS = 4096, /* of the largest whole, for working out what can be used of it */
};

/* One request that is still open, or several alike. */
typedef struct dray_demand {
    uint32_t request; /* the first of them */
    uint32_t first_alt, n_alts;
    uint32_t claim;
    int64_t need;    /* devices */
    int64_t single;  /* the most that one of the requests wants */
    int64_t merged;  /* requests */
    bool admin;      /* takes nothing away from others */
    bool is_current; /* only what comes after the last device may be had */
} dray_demand;

typedef struct dray_items {
    int64_t v[DRAY_BOUND_ITEMS];
    int64_t counts[DRAY_BOUND_ITEMS];
    uint32_t n;
    bool many; /* more than fit */
} dray_items;

/* Sums that items can make, in units of which all are multiples. */
typedef struct dray_reach {
    bool known;
    int64_t unit;
    uint32_t units;
    uint64_t sums[DRAY_BOUND_UNITS / 64 + 1];
} dray_reach;

typedef struct dray_bound {
    dray_proof *proof;
    size_t words;
    dray_demand *demands;
    uint32_t n, room;
    /* By level, demand after demand: candidates. Levels that the job can't come to have none. */
    uint64_t *rows[DRAY_BOUND_LEVELS + 1];
    uint64_t *free, *reserved, *any;
    int64_t *claim_needs; /* by claim: results that are still to come, at least */
    uint64_t **allowed;   /* by constraint, for this call */
    bool *allowed_ready;
    uint32_t open[DRAY_BOUND_LEVELS]; /* match constraints whose value is still open */
    uint32_t n_open;
    uint64_t *keep;   /* devices of values that will do */
    uint64_t *scopes; /* by constraint: the demands in its scope, whatever their alternative */
    bool *out;        /* by value: it will not do */
    /* Of one row, by value: candidates, and those of them that may be shared. */
    int64_t *counts;
    uint64_t *counted_row;
    const uint32_t *counted; /* the values' numbers; NULL: nothing is counted */
    uint32_t checks;
    /* Flow. */
    uint64_t *masks; /* by device: demands that could have it */
    struct dray_group {
        uint64_t mask;
        int64_t supply;
        uint32_t slot;
    } *groups;
    size_t n_groups, groups_room;
    uint32_t *slots; /* hash of masks */
    size_t n_slots;
    int64_t *flow; /* [demand][group] */
    size_t flow_room;
    uint64_t **kind_rows; /* by kindred: what it may have now, for this call */
    bool *kind_ready;
    struct dray_supply *supply;
    struct dray_budgets *budgets;
} dray_bound;

static inline uint64_t *dray_bound_row(const dray_bound *bound, uint32_t level, uint32_t demand) {
    return bound->rows[level] + demand * bound->words;
}

static inline uint64_t dray_bound_count(const uint64_t *bits, size_t words) {
    uint64_t n = 0;
    for (size_t w = 0; w < words; w++)
        n += (uint64_t)__builtin_popcountll(bits[w]);
    return n;
}

/* bounds.c */
/* All tests but those about the values of match constraints. */
bool dray_bound_refuted(dray_bound *bound, uint32_t level);

/* match.c */
/* All tests: with the values that match constraints may still come to. */
bool dray_match_refutes(dray_bound *bound);

/* flow.c */
/* Whether devices can't be dealt out to the demands, each to one. */
bool dray_flow_refutes(dray_bound *bound, uint32_t level);
/* Whether a distinctAttribute constraint has too few values for the demands in its scope. */
bool dray_distinct_refutes(dray_bound *bound, uint32_t level, uint32_t constraint);

/* budget.c */
/* *ret_changed: candidates that can't be afforded were taken out. */
bool dray_budgets_refute(dray_bound *bound, uint32_t level, bool *ret_changed);

/* items.c */
/* Amounts are counted in units, of which all in question are multiples. *unit: of those before; 0:
 * none yet. */
void dray_unit_of(dray_amount *unit, dray_amount amount);
/* Whole units; 0 below zero; cut where it is more than all items together could use. False: more
 * than an item may have. */
bool dray_in_units(dray_amount amount, dray_amount unit, int64_t *ret);
/* n more of the amount. */
void dray_items_add(dray_items *items, int64_t amount, int64_t n);
/* The same, but where the amount is there already. */
void dray_items_put(dray_items *items, int64_t amount, int64_t n);
/* No more than `most` will be asked about. */
void dray_reach_make(dray_reach *reach, const dray_items *items, int64_t most);
/* n of them: sums of at most 1, 2, … n items. */
void dray_reach_few(dray_reach *reach, uint32_t n, const dray_items *items, int64_t most);
/* The most of `left` that some of them use up together: the rest is lost. */
int64_t dray_reach_of(const dray_reach *reach, int64_t left);

/* supply.c */
bool dray_capacity_refutes(dray_bound *bound, uint32_t level);

#endif
