/* What the files of the explanation share: findings, offers, selectors, the search.
 *
 * A finding is a cause with what its fixes need to know. An offer is a changed state that a fix
 * proposes. Private to the room.
 */
#ifndef DRAY_EXPLAIN_EXPLAIN_INT_H
#define DRAY_EXPLAIN_EXPLAIN_INT_H

#include "explain/state_int.h"

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
    bool existing;   /* anti-affinity of a Pod that runs */
    dray_str detail; /* numbers, values, names: absent unless a report is asked for */
} dray_finding;

/* What is said beside the cause, from the trial that it was found in; absent: nothing. detail.c */
dray_str dray_detail_of(dray_trial *trial, const dray_finding *finding);

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
    dray_find_pool, dray_find_unreachable, dray_find_other;
dray_find_node dray_find_on_node, dray_find_devices;

/* The Pods that count on a node: those that run there, and those nominated to it that are no less
 * important than the one asked about. find_node.c */
typedef struct dray_pods {
    DRAY_VEC(const dray_core_pod *) list;
} dray_pods;
dray_pods dray_pods_counted(dray_trial *trial, const dray_cluster_node *node);

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
/* Says what the newest offer changes. */
void dray_offer_say(dray_trial *trial, dray_offers *offers, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
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
/* The index-th selector of the want, or of its class, with the text instead; absent: it goes. */
void dray_offer_selector(dray_trial *trial, const dray_want *want, bool in_class, size_t index,
                         dray_str text, uint32_t size, dray_offers *offers);
/* One selector more for the want. */
void dray_offer_one_more(dray_trial *trial, const dray_want *want, dray_str text,
                         dray_offers *offers);
/* fix_value.c: values of other devices in selectors; one condition more that leaves 32 or fewer. */
void dray_offer_other_values(dray_trial *trial, const dray_finding *finding, dray_offers *offers);
void dray_offer_narrower(dray_trial *trial, const dray_finding *finding, dray_offers *offers);
/* fix_pod.c: more of a resource that a device plugin of the finding's node counts. */
void dray_offer_more_of_node(dray_trial *trial, const dray_finding *finding, dray_offers *offers);
bool dray_offer_fits(dray_trial *trial, const dray_state *state);
/* Ends the Pod: its own claims go, those that it alone uses lose their devices. */
void dray_offer_end_pod(dray_trial *trial, dray_state *state, dray_str ns, dray_str name);
/* Ends the claim's users and takes its devices away. */
void dray_offer_free_claim(dray_trial *trial, dray_state *state, const dray_resource_claim *claim);

/* --- selectors: selector.c, flaw.c --- */

/* TRUE, FALSE or ERROR of an expression on a device; ERROR too where it can't be compiled. */
dray_celk8s_answer dray_selector_match(dray_inquiry *q, dray_str expression, dray_str driver,
                                       const dray_resource_device *device, dray_str *ret_error);

/* The same for a device that stays as it is: the answer is kept. */
dray_celk8s_answer dray_selector_published(dray_inquiry *q, dray_str expression, dray_str driver,
                                           const dray_resource_device *device);

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

/* --- words: words.c --- */

/* Edits (insert, delete, replace) between two names; SIZE_MAX past most. */
size_t dray_words_distance(dray_str a, dray_str b, size_t most);
/* Equal without case, '-', '_' and '.'. */
bool dray_words_alike(dray_str a, dray_str b);
/* How close: 0 the same … larger, from DRAY_WORDS_SHARED on they only have words in common;
 * SIZE_MAX: not alike at all. */
enum { DRAY_WORDS_SHARED = 100 };
size_t dray_words_closeness(dray_str a, dray_str b);

/* Whether one was surely written for the other: two edits, or one within the other. */
bool dray_words_slip(dray_str a, dray_str b);
/* "a/b/c"; into: text has room for them and two bytes more. */
dray_str dray_words_path(dray_str a, dray_str b, dray_str c, dray_arena *arena);
dray_str dray_words_path_into(char *text, dray_str a, dray_str b, dray_str c);
dray_str dray_words_key(dray_str ns, dray_str name, dray_arena *arena);

/* Nodes by reason and devices by cause, into the answer: report.c. */
void dray_report_fill(dray_trial *trial, dray_explain_answer *ret);

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

#endif
