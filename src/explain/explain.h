/* Why is this Pod pending, and what is the smallest change that would let it run?
 *
 *     dray_explain_input input = {.objects = v, .n = n, .gates = &gates, .ns = ns, .pod = name};
 *     dray_explain_answer answer;
 *     if (dray_explain_ask(celk8s, &input, arena, &answer, &err) == DRAY_OK && answer.pending)
 *         for (size_t i = 0; i < answer.n_causes; i++) … answer.causes[i].sentence
 *
 * The causes come from asking the planner about the objects as they are, and about states in which
 * something is changed; a fix is offered only after the planner placed the Pod with it. Ids are
 * those of docs/debug.md. Pure; celk8s and arena have one owner.
 */
#ifndef DRAY_EXPLAIN_EXPLAIN_H
#define DRAY_EXPLAIN_EXPLAIN_H

#include "celk8s/celk8s.h"
#include "obj/gates.h"

enum {
    DRAY_EXPLAIN_CAUSES = 8,   /* named at most */
    DRAY_EXPLAIN_FIXES = 8,    /* offered at most */
    DRAY_EXPLAIN_TRIALS = 400, /* states that the planner is asked about, at most */
    DRAY_EXPLAIN_NODES = 16,   /* nodes that are followed to the end, at most */
};

typedef struct dray_explain_input {
    const dray_object *objects; /* hub types, defaulted, with uids; borrowed */
    size_t n;
    const dray_gates *gates;
    dray_time now;
    bool strict; /* as dray_plan_set_strict */
    bool report; /* fill what is said of nodes and requests too */
    dray_str ns, pod;
} dray_explain_input;

typedef struct dray_explain_cause {
    const char *cause;
    dray_str claim, request; /* "ns/name", "r" or "r/s"; absent where they don't apply */
    dray_str subject;
    uint32_t count, of; /* devices or nodes that it strikes, of those looked at */
    dray_str node;      /* where; absent: on all nodes */
    dray_str sentence;
} dray_explain_cause;

typedef struct dray_explain_gone {
    const dray_kind *kind;
    dray_str ns, name;
} dray_explain_gone;
typedef struct dray_explain_gate {
    const char *gate;
    bool on;
} dray_explain_gate;

typedef struct dray_explain_fix {
    const char *fix;
    const dray_object *objects; /* whole: they replace or join the input's */
    size_t n_objects;
    const dray_explain_gone *gone; /* to be deleted first */
    size_t n_gone;
    const dray_explain_gate *gates;
    size_t n_gates;
    dray_str sentence;
} dray_explain_fix;

/* Nodes that are rejected with the same words. */
typedef struct dray_explain_nodes {
    const dray_str *names; /* sorted */
    size_t n;
    const char *plugin; /* of the scheduler */
    dray_str reason;
} dray_explain_nodes;

/* Devices, over all nodes, that are struck by the same for one request. */
typedef struct dray_explain_tally {
    const char *cause; /* id; NULL: they could be used */
    int order;         /* the greater, the nearer the devices come to use: first in the list */
    uint32_t count;
    dray_str about; /* the selector, the taint's key, …; who holds the first one */
} dray_explain_tally;
typedef struct dray_explain_request {
    dray_str claim, request;
    uint32_t looked_at;
    const dray_explain_tally *tallies;
    size_t n_tallies;
} dray_explain_request;

typedef struct dray_explain_answer {
    bool pending, runs;
    dray_str node; /* not pending: the first that would do, or where it runs */
    /* With `report`: */
    dray_str text; /* the scheduler's own words where it looks at no single node */
    size_t n_nodes, n_feasible;
    const dray_explain_nodes *nodes; /* rejected ones, by reason */
    size_t n_reasons;
    const dray_explain_request *requests; /* that are to be served */
    size_t n_requests;
    const dray_explain_cause *causes;
    size_t n_causes;
    const dray_explain_fix *fixes;
    size_t n_fixes;
} dray_explain_answer;

/* Everything in the answer lives in arena or the input. DRAY_E_NOT_FOUND: there is no such Pod.
 * Once the arena is spent the search ends: fewer causes and fixes. */
dray_code dray_explain_ask(dray_celk8s *celk8s, const dray_explain_input *input, dray_arena *arena,
                           dray_explain_answer *ret, dray_err *err);

#endif
