/* Hypothetical states and trials of them.
 *
 * A state is the input's objects with some changed. A trial asks the planner about it:
 *
 *     dray_state *state = dray_state_copy(q, given);
 *     dray_core_node *node = dray_state_edit(q, state, &dray_type_core_node, DRAY_STR(""), name);
 *     node->spec->unschedulable = false;
 *     dray_trial t;
 *     dray_trial_open(q, state, &t);
 *     … t.fits …
 *     dray_trial_close(&t);          what points into its picture is gone
 *
 * Private to the room.
 */
#ifndef DRAY_EXPLAIN_STATE_INT_H
#define DRAY_EXPLAIN_STATE_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "cluster/inventory.h"
#include "explain/explain.h"
#include "plan/plan.h"

struct dray_trial;

/* One explanation under way. */
typedef struct dray_inquiry {
    const dray_explain_input *input;
    dray_celk8s *celk8s;
    const struct dray_cel_env *env; /* for reading selectors; made when needed */
    dray_arena *arena, *eval;       /* eval: emptied by each evaluation of a selector */
    const struct dray_base *base;
    struct dray_picture *picture; /* that the innermost trial shows */
    struct dray_trial *trial;     /* the innermost open one; NULL: none */
    size_t n_trials;
    /* selector.c: the program that was asked last, and what programs said of devices. */
    dray_str last_text;
    const dray_celk8s_program *last_program;
    dray_map said;
    /* find_selector.c: the devices that are published, as long as no slice changes. */
    struct dray_published *published;
    /* survey.c: the claims of base that hold a device, by driver, pool and name. */
    dray_map holders;
} dray_inquiry;

/* --- states: state.c --- */

/* The objects of the input, each name once. */
typedef struct dray_base {
    dray_object *v;
    size_t n;
    dray_map places;          /* kind/namespace/name → 1 + index */
    DRAY_VEC(size_t) waiting; /* Pods without a node that have claims */
    dray_map claims;          /* namespace → dray_places of its claims */
} dray_base;
typedef struct dray_places {
    DRAY_VEC(size_t) list;
} dray_places;
const dray_base *dray_base_new(const dray_explain_input *input, dray_arena *arena);

typedef struct dray_state_change {
    size_t place;       /* in base; from base->n on: added */
    dray_object object; /* body NULL: it is gone */
} dray_state_change;

typedef struct dray_state {
    const dray_base *base;
    DRAY_VEC(dray_state_change) changes; /* by place */
    DRAY_VEC(dray_explain_gone) gone;
    dray_gates gates;
    bool gate_changed[DRAY_GATE_COUNT];
    uint32_t size; /* of all changes: what "smallest" is measured by */
    dray_str said; /* what was changed, where the objects don't say it at a glance */
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
/* The object at a place of base, as it is in the state; its body is NULL where it is gone. */
dray_object dray_state_at(const dray_state *state, size_t place);
/* The claims of a namespace, in arena. */
typedef struct dray_claims {
    DRAY_VEC(const dray_resource_claim *) list;
} dray_claims;
dray_claims dray_state_claims(const dray_state *state, dray_str ns, dray_arena *arena);
/* Each object in turn, from a zeroed walk on; the state may not change meanwhile. */
typedef struct dray_state_walk {
    size_t place, change;
} dray_state_walk;
bool dray_state_next(const dray_state *state, dray_state_walk *walk, dray_object *ret);
/* The hub kind of a type of the tables. */
const dray_kind *dray_state_kind(const dray_type *type);

/* --- the picture: picture.c --- */

typedef struct dray_picture {
    dray_inquiry *q;
    dray_gates gates;
    dray_cluster *cluster;
    dray_plan *plan;         /* NULL: to be made when asked for */
    const dray_state *shown; /* NULL: the objects as they are */
} dray_picture;

/* An object on top of the state: a claim that a template makes, its Pod with the claim's name. */
typedef struct dray_laid {
    dray_object object;
    const void *before; /* what it stands in the place of */
} dray_laid;

/* With the state's gates; shows the objects as they are. */
dray_picture *dray_picture_new(dray_inquiry *q, const dray_state *state);
void dray_picture_free(dray_picture *picture);
/* Nothing may be laid on top of the state that was shown. */
void dray_picture_show(dray_picture *picture, const dray_state *state);
void dray_picture_lay(dray_picture *picture, dray_laid *laid);
void dray_picture_lift(dray_picture *picture, const dray_laid *laid);
dray_plan *dray_picture_plan(dray_picture *picture);

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
    size_t container;                 /* of an extended resource: init containers count first */
    dray_str resource;
    dray_str class_name;
    const dray_resource_device_class *class; /* NULL: missing */
    const dray_resource_device_derived_attribute *derived;
    size_t n_derived;
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
    struct dray_trial *around; /* that was open when this one was opened */
    const dray_state *state;
    dray_picture *picture;
    dray_cluster *cluster; /* of the picture */
    DRAY_VEC(dray_laid) laid;
    const dray_core_pod *pod; /* with the claims made; NULL: it is gone */
    DRAY_VEC(dray_refused) refused;
    DRAY_VEC(dray_pod_claim) claims;
    DRAY_VEC(dray_want) wants;
    dray_plan_answer answer;
    bool asked; /* the scheduler looks at the Pod at all */
    bool fits;
} dray_trial;

/* Shows the state and asks; closed by dray_trial_close, after those opened since. */
void dray_trial_open(dray_inquiry *q, const dray_state *state, dray_trial *ret);
void dray_trial_close(dray_trial *trial);
/* Index in answer.nodes, or -1. */
int64_t dray_trial_node(const dray_trial *trial, dray_str name);

#endif
