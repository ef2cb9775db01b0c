/* What the files of this room share: the plan handle and the helpers between plugins. Private. */
#ifndef DRAY_PLAN_PLAN_INT_H
#define DRAY_PLAN_PLAN_INT_H

#include "alloc/alloc.h"
#include "plan/plan.h"
#include "plan/plugin.h"

/* kube-scheduler's floor for a container that names no cpu or memory. */
enum { DRAY_PLAN_FLOOR_CPU = 100, DRAY_PLAN_FLOOR_MEMORY = 200 << 20 };
/* How long a device may take to become ready to bind (DynamicResourcesArgs.bindingTimeout). */
enum { DRAY_PLAN_BINDING_TIMEOUT_SEC = 600 };
/* Shapes kept at a time; the one unused for longest makes room. Many nodes: fewer, so that all of
 * them together keep no more than so many verdicts, but SHAPES_MIN in any case. */
enum { DRAY_PLAN_SHAPES_MIN = 64, DRAY_PLAN_SHAPES_MAX = 512, DRAY_PLAN_VERDICTS_MAX = 1 << 20 };
/* An event's note, in bytes. */
enum { DRAY_PLAN_NOTE_BYTES = 1024 };

/* What a rolled back attempt puts back, in order. */
typedef struct dray_plan_undo_step {
    dray_plan_pod *pod; /* that was placed; NULL: a claim was written */
    const dray_core_pod *pod_before;
    dray_str ns, claim;
    const dray_resource_claim *claim_before; /* NULL: there was none */
} dray_plan_undo_step;
typedef struct dray_plan_undo {
    dray_arena *arena;
    DRAY_VEC(dray_plan_undo_step) steps;
} dray_plan_undo;

/* The nodes that a group in placing may go to; off: all. Source: Snapshot.AssumePlacement. */
typedef struct dray_plan_sight {
    bool on;
    dray_bits nodes;
    size_t n;
} dray_plan_sight;

struct dray_plan {
    dray_arena *arena, *scratch; /* scratch: emptied after each use */
    dray_cluster *cluster;
    dray_alloc *alloc;
    dray_plan_world world;
    dray_time now;
    dray_plan_undo *undo;      /* takes down what is placed; NULL: nobody wants to know */
    dray_plan_sight sight;     /* of the group that is being placed */
    bool without_shares;       /* what devices take of a node isn't added to what it is asked for */
    bool maps_allocatable;     /* a device takes of its node's own resources */
    bool preempt_devices;      /* evicted Pods set their devices free */
    dray_map pod_of_uid;       /* filled when first needed: evict.c */
    dray_map released;         /* namespace/name → the claim with what it held before a trial */
    bool strict;               /* upstream's mistakes too */
    dray_alloc_options limits; /* of the allocator: clock and time */
    dray_map reasons;          /* texts, each ended by a NUL → dray_strings */
    dray_map class_of_resource; /* extended resource name → dray_resource_device_class */
    DRAY_VEC(const dray_resource_claim *) extended_claims; /* leftovers with the annotation */
    /* Numbers of nodes in the order in which they changed; shapes catch up by it. */
    DRAY_VEC(uint32_t) changed;
    size_t *changed_at; /* by node: 1 + its last place there; 0: none */
    dray_map kinds;     /* of claims: kinds.c */
    size_t n_kept;      /* verdicts there */
    bool keeps;         /* nothing changes but what is noted */
    struct dray_plan_shape *shapes[DRAY_PLAN_SHAPES_MAX]; /* what equal Pods share: shape.c */
    size_t n_shapes;
    struct dray_plan_packing *packing; /* NULL: as Kubernetes places */
    bool without_shapes;               /* every Pod looks at every node: what tests compare with */
    bool by_trials;                    /* packing measures every node by trials: likewise */
    uint64_t shape_clock;
    uint64_t shared_changes; /* allocations of devices that more than one node reaches */
};

const dray_resource_device_class *dray_plan_class_of_resource(const dray_plan *plan,
                                                              dray_str resource);

/* Which class stands behind each extended resource, by the classes of the picture. */
void dray_plan_map_classes(dray_plan *plan);

/* Writes the node down as changed. */
void dray_plan_note_change(dray_plan *plan, const dray_plan_node *node);
/* Whether entry i of plan->changed is the last of its node. */
static inline bool dray_plan_is_last_change(const dray_plan *plan, size_t i) {
    return plan->changed_at[plan->changed.v[i]] == i + 1;
}

static inline bool dray_plan_sees(const dray_plan *plan, size_t node) {
    return !plan->sight.on || dray_bits_get(plan->sight.nodes, node);
}

/* Not placed, not going, and of the scheduler that we are. */
bool dray_plan_is_pending(const dray_plan_pod *p);

typedef struct dray_plan_score_request {
    int64_t cpu, memory;
} dray_plan_score_request;
/* What scoring takes the Pod to ask for, with floors for what it does not say. */
dray_plan_score_request dray_plan_score_request_of(dray_plan_cycle *cycle, bool floors);

/* cycle.c: one Pod's attempt. */
void dray_plan_cycle_init(dray_plan_cycle *cycle, dray_plan *plan, dray_plan_pod *pod,
                          dray_arena *arena);
/* The text of the plugin that holds the Pod back; absent when none does. */
dray_str dray_plan_pre_enqueue(dray_plan_cycle *cycle);
/* OK, or the status that rejects the Pod on all nodes. */
dray_plan_status dray_plan_prefilter(dray_plan_cycle *cycle);
/* Every filter in turn, with the Pods that are nominated to the node and without them. */
dray_plan_status dray_plan_filter(dray_plan_cycle *cycle, dray_plan_node *node);
/* The sum of weighted, normalised scores of nodes into scores; OK or an error. */
dray_plan_status dray_plan_score(dray_plan_cycle *cycle, dray_plan_feasible nodes, int64_t *scores);
/* Every node's status; returns the first error, which ends the attempt. */
dray_plan_status dray_plan_filter_all(dray_plan_cycle *cycle, dray_plan_status *nodes);
/* The event's note when no node is feasible: rejected is the status of a pre-filter, or OK. */
dray_str dray_plan_failed_message(dray_plan_cycle *cycle, dray_plan_status rejected,
                                  dray_plan_status *nodes);
/* `running "X" filter plugin: …`: the text of an error status. */
dray_str dray_plan_error_text(dray_plan_status status, dray_arena *arena);

/* A cycle whose plugins' states may be changed without changing those of `cycle`. */
void dray_plan_cycle_clone(const dray_plan_cycle *cycle, dray_plan_cycle *ret);
void dray_plan_cycle_update(dray_plan_cycle *cycle, const dray_plan_pod *pod,
                            const dray_plan_node *node, int delta);

/* message.c: "0/3 nodes are available: …" and what PostFilter plugins add to it. */
typedef struct dray_plan_diagnosis {
    size_t n_nodes;
    const dray_plan_status *nodes; /* by number; a code of OK where the node has none of its own,
                                      of SKIP where it does not count */
    dray_str prefilter;            /* absent unless a pre-filter rejected the Pod */
    size_t n_skipped;
    dray_strings absent; /* reasons of the nodes that have none of their own */
    dray_str postfilter;
} dray_plan_diagnosis;
dray_str dray_plan_fit_error(const dray_plan_diagnosis *diagnosis, dray_arena *arena);
dray_str dray_plan_note(dray_str text, dray_arena *arena);

/* preempt.c: what DefaultPreemption says, with "preemption: " before it. */
dray_plan_status dray_plan_preempt(dray_plan_cycle *cycle, const dray_plan_status *nodes);

/* dynamic.c, dynamic_post.c. */
/* What PostFilter of DynamicResources does after the filters ran. */
dray_plan_status dray_plan_dynamic_postfilter(dray_plan_cycle *cycle);

/* Why the node has not the devices for the cycle's Pod, in the cycle's arena. */
void dray_plan_refusals(dray_plan_cycle *cycle, dray_plan_node *node, const dray_plan_refusal **ret,
                        size_t *ret_n);

/* The claims that a node would get, when the filters let the Pod pass there. */
typedef struct dray_plan_granted {
    size_t n; /* claims that were not allocated */
    const dray_resource_claim *const *claims;
    const dray_resource_allocation_result *allocations;
    /* The claim that stands for extended resources, when it is among them (the last), and which
     * container gets which of its requests. */
    const dray_resource_claim *extended;
    const dray_core_container_extended_resource_request *mappings;
    size_t n_mappings;
    /* What the Pod's status says about devices that take of the node's own; NULL: none does. */
    const dray_core_pod *with_status;
    size_t n_used; /* all user claims of the Pod, allocated ones too */
    const dray_resource_claim *const *used;
} dray_plan_granted;
/* DRAY_E_CONFLICT where the node does not fit any more. */
dray_code dray_plan_grant(dray_plan_cycle *cycle, dray_plan_node *node, dray_plan_granted *ret,
                          dray_err *err);

#endif
