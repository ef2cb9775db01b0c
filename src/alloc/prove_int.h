/* Proofs that a branch of the search is empty. Private to this room; prove.c tells how. */
#ifndef DRAY_ALLOC_PROVE_INT_H
#define DRAY_ALLOC_PROVE_INT_H

#include "alloc/walk_int.h"

enum { DRAY_PROOF_DEMANDS = 64 }; /* requests looked at together; more are left out of a proof */

typedef struct dray_key {
    uint64_t a, b; /* a 128-bit hash: equal keys are taken for equal states */
} dray_key;

/* Candidates of a frame that have failed, as keys. */
typedef struct dray_twins {
    dray_key *v;
    size_t n, room;
    dray_key pending;
    bool has_pending;
    bool clean; /* nothing from the frame on can fail */
    bool has_row;
    uint64_t *row; /* positions that bounds have left to be candidates */
    uint64_t alts; /* of a choice: alternatives that bounds have taken out, of the first 64 */
} dray_twins;

/* Whether a device can fail in an alternative; MAYBE: only one that nobody has taken. */
typedef enum dray_cleanness { DRAY_CLEAN, DRAY_MAYBE_CLEAN, DRAY_UNCLEAN } dray_cleanness;

/* What follows from a place on, and what of the state matters to it. */
typedef struct dray_rest {
    dray_key key;     /* which requests follow, whatever their order */
    uint64_t *wanted; /* devices that one of them could have */
    uint32_t *constraints, n_constraints;
    uint32_t *claims, n_claims;
} dray_rest;

/* Devices that stand or fall together and may be swapped with those of another component as a
 * whole: those of one counter set, where each draws from one only (a card and its partitions); or,
 * where nothing draws and all constraints are about one attribute, those with one value of it. */
typedef struct dray_component {
    bool of_value;
    uint32_t value; /* its number in the run */
    uint32_t pool;
    dray_str set;
    uint32_t *counters; /* in the pool view, by name */
    size_t n_counters;
    uint32_t *devices; /* compact */
    size_t n_devices;
    dray_key type; /* equal for components with the same structure */
} dray_component;

/* The values that a constraint's attribute has among the devices. */
typedef struct dray_constraint_values {
    bool usable;        /* equality of the sets says all: no derived attribute, no odd values */
    dray_value_set *of; /* by device */
    uint64_t *have;     /* devices with any */
    uint32_t *numbers;  /* run-wide numbers of the values, sorted */
    uint32_t *devices;  /* value after value */
    uint32_t *first;    /* by value: its first in devices; one more: the end */
    bool single;        /* no device has several */
    size_t n;
    uint32_t *place; /* by number: its index in `numbers`, plus 1; 0: no device has it */
    uint32_t n_places;
} dray_constraint_values;

struct dray_proof {
    dray_run *run;
    dray_arena *arena;
    /* The devices that matter get compact numbers, in order of position. */
    uint32_t *pos, *compact; /* compact: by position, number + 1 */
    uint32_t m;
    size_t words;            /* of a bitmap over them */
    uint64_t **kind_bits;    /* by kindred: usable as long as nothing is taken */
    uint64_t *multi, *draws; /* may be shared; draw counters unless shared already */
    dray_key *class_of;      /* what a device is; equal: no difference but their places */
    uint64_t **want_bits;    /* by kindred: usable or failing */
    int32_t *component_of;   /* -1: none */
    dray_component *components;
    size_t n_components;
    bool by_value;       /* components are of values */
    bool is_plain;       /* nothing is drawn or shared; constraints are of equal values alone */
    bool *pool_is_mixed; /* by pool: some device draws from several sets */
    dray_constraint_values *values; /* by constraint */
    uint32_t **counter_name_of;     /* by pool and counter */
    bool **ends_set;                /* the same: the last counter of its set */
    size_t n_counter_names;
    int32_t
        *counter_family; /* by name: names with the same capacities in the same sets; -1: alone */
    size_t n_counter_families;
    dray_cleanness *alt_clean; /* by alternative */
    bool any_unclean, blind;   /* blind: an error may be met after a request that can't be met */
    bool *may_exceed;          /* by claim */
    dray_rest **rests;         /* by place, in the order of the requests; NULL: not asked yet */
    dray_rest **asked;         /* those of a question, in its order */
    uint32_t *stamps, stamp;   /* by device, component, pool, constraint, claim: met already */
    dray_key *memory;          /* hash set of states that have failed; {0, 0}: free */
    size_t n_memory, memory_room;
    uint64_t failures;          /* dead ends since the proof began */
    struct dray_bound *bound;   /* bounds.c: kept from call to call */
    struct dray_asking *asking; /* ask.c; NULL: no questions yet */
};

/* Looks at every device that matters; the run's state must be that of the start. */
dray_proof *dray_proof_new(dray_run *run);
/* Whether nothing can be found below the frame that is about to be opened. Fills its state. */
bool dray_proof_is_empty(dray_proof *proof, dray_frame *frame);
/* Positions of the word that can't be had as things stand; of those, what can't fail may be passed
 * by. */
uint64_t dray_proof_left_out(const dray_frame *frame, uint32_t word);
bool dray_proof_leaves_out(const dray_frame *frame, uint32_t alternative);
/* Whether the candidate can't end otherwise than one that has failed in the frame. */
bool dray_proof_is_twin(dray_proof *proof, dray_frame *frame, uint32_t pos);
/* The frame's present candidate has failed, and is taken back. */
void dray_proof_failed(dray_proof *proof, dray_frame *frame);
/* All of the frame's candidates have failed. */
void dray_proof_exhausted(dray_proof *proof, dray_frame *frame);
/* The first place at or after it whose request may meet an error in this state; run->end: none. */
uint32_t dray_proof_horizon(const dray_proof *proof, uint32_t place);
/* Whether the state before the frame is known to be empty; fills the frame's state. */
bool dray_proof_remembers(dray_proof *proof, dray_frame *frame);
void dray_proof_remember(dray_proof *proof, const dray_frame *frame);

/* ask.c */
/* From now on is_empty asks, too, whether anything at all completes the state. */
void dray_ask_begin(dray_proof *proof);
/* Whether nothing does; false where it can't be told in reasonable time. */
bool dray_ask_is_empty(dray_proof *proof, const dray_frame *frame);
/* Chooses the request for the place that a question has come to and fills the frame's; true:
 * nothing can be found. */
bool dray_ask_next(dray_proof *proof, dray_frame *frame);
/* All candidates of a frame of a question have failed. */
void dray_ask_failed(dray_proof *proof, const dray_frame *frame);
/* Whether the walk had better begin anew with a longer question. */
bool dray_ask_is_due(const dray_proof *proof);
/* A question is answered by what is picked now. */
void dray_ask_found(dray_proof *proof);

/* classes.c */
void dray_proof_classify(dray_proof *proof);
/* states.c */
const dray_rest *dray_proof_rest(dray_proof *proof, uint32_t place);
/* For a question that has come to the place. */
void dray_proof_renew_rest(dray_proof *proof, uint32_t place);
void dray_proof_make_stamps(dray_proof *proof);
/* What of the state matters from the place on, up to swapping devices that are alike. */
dray_key dray_proof_state(dray_proof *proof, uint32_t place, uint64_t salt);
dray_key dray_proof_candidate(dray_proof *proof, const dray_frame *frame, uint32_t device);

/* bounds.c */
bool dray_bounds_refute(dray_proof *proof, const dray_frame *frame);
/* The candidates, or alternatives, that the last call has left to the frame. */
void dray_bounds_keep(const dray_proof *proof, dray_frame *frame);
/* Of the requests that the last call looked at, the one that has the least choice: its place.
 * weights: by request, of those that have failed before. */
uint32_t dray_bounds_hardest(const dray_proof *proof, uint32_t place, const uint32_t *weights);

/* The index of a value in `numbers`; n: no device has it. */
static inline size_t dray_value_index(const dray_constraint_values *values, uint32_t number) {
    bool there = number < values->n_places && values->place[number] != 0;
    return there ? values->place[number] - 1 : values->n;
}

static inline dray_key dray_key_mix(dray_key key, uint64_t value) {
    key.a = (key.a ^ value) * 0x9e3779b97f4a7c15u;
    key.a ^= key.a >> 31;
    key.b = (key.b + value) * 0xd6e8feb86659fd93u;
    key.b ^= key.b >> 29 ^ key.a << 7;
    return key;
}
static inline dray_key dray_key_values(dray_key key, dray_value_set set) {
    key = dray_key_mix(key, set.n);
    for (uint32_t i = 0; i < set.n; i++)
        key = dray_key_mix(key, set.v[i]);
    return key;
}
/* Order does not matter: for sets. */
static inline dray_key dray_key_add(dray_key sum, dray_key one) {
    one = dray_key_mix(dray_key_mix(one, one.b), 0x5bf03635u);
    return (dray_key){sum.a + one.a, sum.b + one.b};
}
static inline bool dray_key_equal(dray_key x, dray_key y) {
    return x.a == y.a && x.b == y.b;
}
static inline dray_key dray_key_amount(dray_key key, dray_amount amount) {
    return dray_key_mix(dray_key_mix(key, (uint64_t)amount), (uint64_t)(amount >> 64));
}
/* Whether the device's counters need not be drawn for another share of it. */
static inline bool dray_proof_drawn(const dray_proof *proof, uint32_t device) {
    dray_run *run = proof->run;
    uint32_t pos = proof->pos[device];
    return dray_bit(proof->multi, device) &&
           (dray_bit(dray_run_word(run, pos)->slice->shared, dray_run_device(run, pos)) ||
            dray_run_sharing(run, pos)->shares > 0);
}
static inline dray_draws dray_proof_draws(const dray_proof *proof, uint32_t device) {
    const dray_view_word *w = dray_run_word(proof->run, proof->pos[device]);
    const dray_pool_view *pool = proof->run->view->pools[w->pool];
    return pool->draws != NULL
               ? pool->draws[w->index][dray_run_device(proof->run, proof->pos[device])]
               : (dray_draws){0};
}
/* Whether the pool still has what the device draws. */
static inline bool dray_proof_can_draw(const dray_proof *proof, uint32_t device) {
    if (!dray_bit(proof->draws, device) || dray_proof_drawn(proof, device))
        return true;
    uint32_t pool = dray_run_word(proof->run, proof->pos[device])->pool;
    const dray_pool_state_of_run *state = dray_run_pool(proof->run, pool);
    if (proof->run->view->pools[pool]->has_vanished || state->overdrawn > 0)
        return false;
    dray_draws draws = dray_proof_draws(proof, device);
    for (size_t i = 0; i < draws.n; i++) {
        if (draws.v[i].amount > state->left[draws.v[i].counter])
            return false;
    }
    return true;
}

#endif
