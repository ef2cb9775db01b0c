/* What a kind does on create and update beyond its tables: preparing, validating, warning.
 * One row per kind, in strategy/resource.c and strategy/core.c; request.c runs them in the order in
 * which an API server does. Bodies are hub types (v1 where there is one).
 * Source: pkg/registry/…/strategy.go, pkg/apis/…/validation.
 */
#ifndef DRAY_API_STRATEGY_H
#define DRAY_API_STRATEGY_H

#include "api/engine.h"

/* What validation asks about CEL. celk8s fills this table; api knows nothing of CEL itself. */
typedef struct dray_cel_result {
    bool ok;
    bool internal;     /* an InternalError, not Invalid */
    bool required;     /* a Required error (empty expression) */
    dray_str error;    /* detail of the field error, in the arena */
    uint64_t max_cost; /* the estimate, when ok */
} dray_cel_result;
typedef enum dray_cel_use {
    DRAY_CEL_SELECTOR,          /* a device selector: must give bool */
    DRAY_CEL_DERIVED_ATTRIBUTE, /* request.derivedAttributes: an attribute value */
} dray_cel_use;
typedef struct dray_cel_functions {
    void *context;
    /* Compiles a new (true) or stored expression for the gates' release. */
    dray_cel_result (*compile)(void *context, dray_str expression, dray_cel_use use,
                               bool new_expression, const dray_gates *gates, dray_arena *arena);
} dray_cel_functions;

enum { DRAY_CEL_COST_LIMIT = 1000000, DRAY_CEL_LENGTH_LIMIT = 10 * 1024 };

/* One create or update under way. */
typedef struct dray_request {
    dray_arena *arena;
    const dray_gates *gates;
    const dray_cel_functions *cel;
    const dray_kind *kind;            /* as asked for: v1beta1 users see some versioned paths */
    bool update;                      /* else create */
    bool allow_privileged;            /* the cluster lets containers be privileged */
    dray_str subresource;             /* "" or "status" */
    dray_string_map namespace_labels; /* of the object's namespace */
    dray_time now;
    dray_errors *errors;
    DRAY_VEC(dray_str) warnings;
} dray_request;

typedef struct dray_strategy {
    const char *group, *kind;
    /* NULL when ok, else why the name is not allowed (several texts in *ret_n). */
    void (*check_name)(dray_request *rq, dray_str name, const dray_path *path);
    bool has_status;      /* served at /status … */
    uint8_t status_since; /* … from this minor release on; 0: always */
    bool has_generation;  /* request.c sets it: 1, and one more when the spec differs after prepare;
                             false where prepare_* do it by a rule of their own */
    /* Whether an update must name the resourceVersion (no unconditional update); NULL: it need not.
     */
    bool (*needs_version)(const dray_request *rq);
    void (*prepare_create)(dray_request *rq, void *body);
    void (*prepare_update)(dray_request *rq, void *body, const void *old);
    void (*prepare_status)(dray_request *rq, void *body, const void *old);
    void (*validate)(dray_request *rq, const void *body);
    void (*validate_update)(dray_request *rq, const void *body, const void *old);
    void (*validate_status)(dray_request *rq, const void *body, const void *old);
    /* Warnings about body (old is NULL on create). */
    void (*warn)(dray_request *rq, const void *body, const void *old);
} dray_strategy;

extern const dray_strategy dray_strategies_resource[];
extern const size_t dray_n_strategies_resource;
extern const dray_strategy dray_strategies_core[];
extern const size_t dray_n_strategies_core;
const dray_strategy *dray_strategy_find(const dray_kind *kind);

static inline bool dray_request_gate(const dray_request *rq, dray_gate gate) {
    return dray_gates_on(rq->gates, gate);
}

/* The declared rules of the body in the version asked for (validate/declared.def), on create (old
 * is NULL), update and status alike. What both they and the written rules report is reported once,
 * in the declared rule's words, and of written errors with the same text only the first stays. Does
 * nothing before 1.37, but for kinds that have declared rules alone. request.c calls it after
 * everything else (before 1.37 right after validate…). */
void dray_validate_declared(dray_request *rq, const void *body, const void *old);

/* ObjectMeta on create and update: validate/meta.c. A strategy's validate calls it with itself;
 * request.c once more, with one for which a name need only be a path segment. */
void dray_validate_meta(dray_request *rq, const dray_strategy *strategy,
                        const dray_meta_object_meta *meta, bool namespaced, const dray_path *path);
void dray_validate_meta_update(dray_request *rq, const dray_meta_object_meta *meta,
                               const dray_meta_object_meta *old, const dray_path *path);
/* metav1.Condition lists: validate/meta.c. */
void dray_validate_conditions(dray_request *rq, const dray_meta_condition *conditions, size_t n,
                              const dray_path *path);
/* core/v1 NodeSelector, with its terms: validate/node_selector.c (core's). */
void dray_validate_node_selector(dray_request *rq, const dray_core_node_selector *selector,
                                 const dray_path *path);

#endif
