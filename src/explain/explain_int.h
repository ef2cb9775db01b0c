/* What the files of the explanation share: hypothetical states, trials of them, findings, offers.
 *
 * A state is the input's objects with some changed. A trial asks the planner about it. A finding is
 * a cause with what its fixes need to know. An offer is a changed state that a fix proposes.
 * Private to the room.
 */
#ifndef DRAY_EXPLAIN_EXPLAIN_INT_H
#define DRAY_EXPLAIN_EXPLAIN_INT_H

#include "base/vec.h"
#include "cluster/inventory.h"
#include "explain/explain.h"
#include "plan/plan.h"

typedef enum dray_cause {
#define CAUSE(name, id, sentence) DRAY_CAUSE_##name,
#include "explain/causes.def"
#undef CAUSE
    DRAY_CAUSE_COUNT,
} dray_cause;

typedef enum dray_fix {
#define FIX(name, id, sentence) DRAY_FIX_##name,
#include "explain/fixes.def"
#undef FIX
    DRAY_FIX_COUNT,
} dray_fix;

/* One explanation under way. */
typedef struct dray_inquiry {
    const dray_explain_input *input;
    dray_celk8s *celk8s;
    const struct dray_cel_env *env; /* for reading selectors; made when needed */
    dray_arena *arena, *eval;       /* eval: emptied by each evaluation of a selector */
    size_t n_trials;
} dray_inquiry;

/* --- states: state.c --- */

typedef struct dray_state_entry {
    dray_object object;
    bool changed;
} dray_state_entry;

typedef struct dray_state {
    DRAY_VEC(dray_state_entry) list;
    DRAY_VEC(dray_explain_gone) gone;
    dray_gates gates;
    bool gate_changed[DRAY_GATE_COUNT];
    uint32_t size; /* of all changes: what "smallest" is measured by */
} dray_state;

dray_state *dray_state_copy(dray_inquiry *q, const dray_state *state);
/* The body in the state; NULL when absent. Read only. */
const void *dray_state_find(const dray_state *state, const dray_type *type, dray_str ns,
                            dray_str name);
/* A copy to be changed, in the place of the object; NULL when absent. */
void *dray_state_edit(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                      dray_str name);
/* Adds a zeroed object of the kind, with its metadata. */
void *dray_state_add(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                     dray_str name);
void dray_state_remove(dray_inquiry *q, dray_state *state, const dray_type *type, dray_str ns,
                       dray_str name);
void dray_state_gate(dray_state *state, dray_gate gate, bool on);
/* The hub kind of a type of the tables. */
const dray_kind *dray_state_kind(const dray_type *type);

/* --- trials: trial.c --- */

/* A claim that a template would make and that an API server refuses. */
typedef struct dray_refused {
    dray_str entry; /* of spec.resourceClaims */
    const dray_resource_claim_template *template;
    const dray_core_resource_quota *quota; /* NULL: the admin access label */
    int64_t *wanted; /* by key of the quota: what it would have to be; 0: it is enough */
} dray_refused;

typedef struct dray_pod_claim {
    const dray_core_pod_resource_claim *entry;
    dray_str name;                    /* of the claim; absent: there is none yet */
    const dray_resource_claim *claim; /* NULL: it doesn't exist */
    bool made;                        /* by us: it is not part of the state */
} dray_pod_claim;

/* A request, or one alternative of it, of a claim that is to be allocated. */
typedef struct dray_want {
    const dray_resource_claim *claim; /* NULL: for an extended resource */
    dray_str claim_name, name;        /* "ns/name", "r" or "r/s" */
    size_t request, sub;              /* sub: SIZE_MAX where there are no alternatives */
    dray_str class_name;
    const dray_resource_device_class *class; /* NULL: missing */
    const dray_resource_device_selector *selectors;
    size_t n_selectors;
    const dray_resource_device_toleration *tolerations;
    size_t n_tolerations;
    const dray_resource_capacity_requirements *capacity; /* may be NULL */
    bool all, admin;
    int64_t count;
} dray_want;

typedef struct dray_trial {
    dray_inquiry *q;
    const dray_state *state;
    dray_cluster *cluster;
    dray_plan *plan;
    const dray_core_pod *pod; /* with the claims made; NULL: it is gone */
    DRAY_VEC(dray_refused) refused;
    DRAY_VEC(dray_pod_claim) claims;
    DRAY_VEC(dray_want) wants;
    dray_plan_answer answer;
    bool asked; /* the scheduler looks at the Pod at all */
    bool fits;
} dray_trial;

/* Makes the picture and asks; closed by dray_trial_close. */
void dray_trial_open(dray_inquiry *q, const dray_state *state, dray_trial *ret);
void dray_trial_close(dray_trial *trial);
/* Index in answer.nodes, or -1. */
int64_t dray_trial_node(const dray_trial *trial, dray_str name);

/* --- findings --- */

typedef struct dray_finding {
    dray_cause cause;
    dray_str claim, request, subject;
    uint32_t count, of;
    double weight; /* how far from fitting it leaves a node; 0 counts as 1 */
    /* What its fixes are about. */
    dray_str node;
    const dray_want *want;
    const dray_pod_claim *pod_claim;
    const dray_refused *refused;
    const dray_resource_slice *slice;
    dray_str driver, pool;
    size_t selector;        /* index in the class or the request */
    bool in_class;          /* the selector is the class's */
    struct dray_flaw *flaw; /* what is wrong with it */
    size_t index;           /* of a constraint, term, … */
    dray_gate gate;
    bool existing; /* anti-affinity of a Pod that runs */
} dray_finding;

/* Looks at the whole Pod. */
typedef bool dray_find_pod(dray_trial *trial, dray_finding *ret);
/* Looks at the index-th node of the answer. */
typedef bool dray_find_node(dray_trial *trial, size_t node, dray_finding *ret);

/* In order of what is decisive: tables.c. */
extern dray_find_pod *const dray_find_pod_rows[];
extern const size_t dray_n_find_pod_rows;

dray_find_pod dray_find_scheduler, dray_find_bypassed, dray_find_gate, dray_find_template,
    dray_find_refused, dray_find_claim, dray_find_claim_full, dray_find_claim_elsewhere,
    dray_find_class, dray_find_extended, dray_find_feature, dray_find_selector, dray_find_limit,
    dray_find_unreachable, dray_find_other;
dray_find_node dray_find_on_node, dray_find_devices;

/* --- offers --- */

typedef struct dray_offers {
    DRAY_VEC(dray_state *) list; /* smallest first */
} dray_offers;

/* What a fix could do about a finding. */
typedef void dray_make_fix(dray_trial *trial, const dray_finding *finding, dray_offers *ret);

enum { DRAY_FIXES_OF_CAUSE = 4 };
typedef struct dray_cause_row {
    const char *id, *sentence;
    dray_fix fixes[DRAY_FIXES_OF_CAUSE];
    size_t n_fixes;
} dray_cause_row;
dray_cause_row dray_cause_row_of(dray_cause cause);
typedef struct dray_fix_row {
    const char *id, *sentence;
    dray_make_fix *make;
} dray_fix_row;
extern const dray_fix_row dray_fix_rows[DRAY_FIX_COUNT];

#define FIX(name, id, sentence) dray_make_fix dray_fix_make_##name;
#include "explain/fixes.def"
#undef FIX

/* A copy of the trial's state as a new offer. */
dray_state *dray_offer_new(dray_trial *trial, dray_offers *offers, uint32_t size);
/* The Pod, to be changed. */
dray_core_pod *dray_offer_pod(dray_trial *trial, dray_state *state);
/* The devices part of the claim's spec, to be changed, and of the template that it comes from;
 * ret[0 … n). The claim's status is emptied. */
size_t dray_offer_claim(dray_trial *trial, dray_state *state, const dray_resource_claim *claim,
                        dray_resource_device_claim *ret[2]);
/* Of a devices part: the want's request or alternative as the fields that both have. */
typedef struct dray_want_edit {
    dray_str *class_name, *mode;
    int64_t *count;
    dray_resource_device_selector **selectors;
    size_t *n_selectors;
    dray_resource_device_toleration **tolerations;
    size_t *n_tolerations;
    dray_resource_capacity_requirements **capacity;
} dray_want_edit;
bool dray_offer_want(dray_resource_device_claim *devices, const dray_want *want,
                     dray_want_edit *ret);
bool dray_offer_fits(dray_trial *trial, const dray_state *state);
/* Ends the Pod: its own claims go, those that it alone uses lose their devices. */
void dray_offer_end_pod(dray_trial *trial, dray_state *state, dray_str ns, dray_str name);
/* Ends the claim's users and takes its devices away. */
void dray_offer_free_claim(dray_trial *trial, dray_state *state, const dray_resource_claim *claim);

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
} dray_surveyed;

typedef struct dray_survey {
    dray_surveyed *v;
    size_t n;
    size_t by_stage[DRAY_STAGE_USABLE + 1];
    size_t matching;
} dray_survey;

/* Every device that reaches the node, as the want sees it. */
void dray_survey_node(dray_trial *trial, dray_str node, const dray_want *want, dray_survey *ret);
/* The claims that hold the device. */
size_t dray_survey_holders(const dray_trial *trial, const dray_surveyed *device,
                           const dray_resource_claim **ret, size_t max);
/* Pods that use the claim and exist. */
size_t dray_claim_users(const dray_trial *trial, const dray_resource_claim *claim);
/* Claims whose end could give the want devices on the node, the best first. */
size_t dray_claims_in_the_way(dray_trial *trial, dray_str node, const dray_want *want,
                              const dray_resource_claim **ret, size_t max);
/* The most of a capacity that the device can still give for one request, and in all. */
bool dray_capacity_left(dray_trial *trial, const dray_surveyed *device, dray_str name,
                        dray_quantity *ret_left);

/* --- selectors: selector.c, flaw.c --- */

/* TRUE, FALSE or ERROR of an expression on a device; ERROR too where it can't be compiled. */
dray_celk8s_answer dray_selector_match(dray_inquiry *q, dray_str expression, dray_str driver,
                                       const dray_resource_device *device, dray_str *ret_error);

typedef struct dray_device_ref {
    dray_str driver;
    const dray_resource_device *device;
} dray_device_ref;
typedef DRAY_VEC(dray_device_ref) dray_device_refs;

/* What is wrong with a selector on the devices that it is asked about. */
typedef struct dray_flaw {
    dray_cause cause;
    dray_str subject;   /* "domain/name"; absent: the selector itself */
    dray_str corrected; /* the whole expression; absent: no idea */
    dray_str relaxed;   /* without the offending condition; absent: nothing would be left */
    uint32_t count, of;
} dray_flaw;
/* fatal: a run-time error of it ended the attempt. */
void dray_flaw_find(dray_inquiry *q, dray_str expression, const dray_device_refs *devices,
                    bool fatal, dray_flaw *ret);
/* Attributes and capacities that make the expression true, written into the device. */
void dray_selector_satisfy(dray_inquiry *q, dray_str expression, dray_str driver,
                           dray_resource_device *device);
/* The driver that the expression asks for by device.driver == "…"; absent: none. */
dray_str dray_selector_driver(dray_inquiry *q, dray_str expression);

/* --- search.c --- */

enum { DRAY_ROUTE_MAX = 6 };

/* The causes that follow one another until the Pod fits, and the state in which it does. */
typedef struct dray_route {
    dray_finding v[DRAY_ROUTE_MAX];
    size_t n;
    double weight;
    const dray_state *end; /* NULL: the search found no way */
} dray_route;
void dray_search_route(dray_inquiry *q, const dray_state *state, dray_route *ret);

typedef struct dray_found_fix {
    dray_fix fix;
    const dray_state *state;
    size_t order;
} dray_found_fix;
/* The fixes of the first cause of the path, tried; smallest first. */
size_t dray_search_fixes(dray_inquiry *q, const dray_state *state, const dray_route *path,
                         dray_found_fix *ret, size_t max);

/* --- words: words.c --- */

/* Edits (insert, delete, replace) between two names; SIZE_MAX past most. */
size_t dray_words_distance(dray_str a, dray_str b, size_t most);
/* Equal without case, '-', '_' and '.'. */
bool dray_words_alike(dray_str a, dray_str b);
/* How close: 0 the same … larger; SIZE_MAX: not alike at all. */
size_t dray_words_closeness(dray_str a, dray_str b);

dray_str dray_words_key(dray_str ns, dray_str name, dray_arena *arena);

#endif
