/* Rules of resource.k8s.io that several of its files share. Private to validate/ and strategy/.
 *
 * Written rules run on hub bodies with hub paths; where a declared rule covers one, its errors are
 * marked so (validate/declared.c). Source: pkg/apis/resource/validation (1.37), and for older
 * releases what they accept and refuse.
 */
#ifndef DRAY_API_VALIDATE_RESOURCE_INT_H
#define DRAY_API_VALIDATE_RESOURCE_INT_H

#include "api/validate/core_int.h"
#include "api/validate/declared_int.h"

enum {
    DRAY_RESOURCE_MAX_REQUESTS = 32,
    DRAY_RESOURCE_MAX_CONSTRAINTS = 32,
    DRAY_RESOURCE_MAX_CONFIG = 32,
    DRAY_RESOURCE_MAX_SELECTORS = 32,
    DRAY_RESOURCE_MAX_FIRST_AVAILABLE = 8,
    DRAY_RESOURCE_MAX_RESULTS = 32,
    DRAY_RESOURCE_MAX_OPAQUE_BYTES = 10 * 1024,
    DRAY_RESOURCE_MAX_STRING_BYTES = 64,
    DRAY_RESOURCE_DERIVED_COST_LIMIT = 1000000,
};

/* From index `from` on, the request's errors are of this origin, and covered or not. */
static inline void mark(dray_request *rq, size_t from, const char *origin, bool covered) {
    dray_errors_mark(rq->errors, from, origin, covered);
}
static inline size_t errors_now(const dray_request *rq) {
    return rq->errors->list.n;
}
/* Marks as covered what stands from `from` on, keeping origins. */
static inline void cover(dray_request *rq, size_t from) {
    dray_errors_mark(rq->errors, from, NULL, true);
}
static inline int release_of(const dray_request *rq) {
    return rq->gates->release;
}

/* Formats (resource_format.c). */
void dray_resource_label(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_subdomain(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_label_name(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_label_value(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_driver(dray_request *rq, dray_str s, bool covered, const dray_path *path);
void dray_resource_pool_name(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_uid(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_qualified_name(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_fully_qualified_name(dray_request *rq, dray_str s, const dray_path *path);
void dray_resource_node_name(dray_request *rq, dray_str s, const dray_path *path);
/* "field is immutable", with the new value as Go prints it, unless both are equal. */
void dray_resource_immutable(dray_request *rq, const dray_type *type, const void *body,
                             const void *old, const dray_path *path);
/* 10.9.8.7/24, in canonical form (resource_address.c). */
void dray_resource_interface_address(dray_request *rq, dray_str s, const dray_path *path);
/* A map key as it stands in a path: cut in the middle beyond `limit` bytes. */
dray_str dray_resource_short_key(dray_request *rq, dray_str key, size_t limit);
/* True, with one TooMany, where a list is over its limit: its items are not looked at. */
bool dray_resource_too_many(dray_request *rq, size_t n, size_t limit, bool covered,
                            const dray_path *path);
/* Duplicate at [i] for each element seen before. */
void dray_resource_unique(dray_request *rq, const dray_str *keys, size_t n, bool covered,
                          const dray_path *path);

/* Claims (resource_claim.c, resource_config.c). */
typedef struct dray_claim_check {
    dray_request *rq;
    const dray_resource_device_claim *claim;
    bool stored; /* CEL and sizes were checked when it was stored */
    uint64_t derived_cost;
} dray_claim_check;

void dray_validate_claim_spec(dray_request *rq, const dray_resource_claim_spec *spec, bool stored,
                              const dray_path *path);
void dray_resource_selectors(dray_claim_check *c, const dray_resource_device_selector *selectors,
                             size_t n, const dray_path *path);
/* Whether ref names a request of the claim, or REQUEST/SUBREQUEST. */
bool dray_resource_has_request(const dray_resource_device_claim *claim, dray_str ref);
void dray_resource_request_ref(dray_request *rq, const dray_resource_device_claim *claim,
                               dray_str ref, const dray_path *path);
/* A set of at most 32 of them. */
void dray_resource_request_refs(dray_request *rq, const dray_resource_device_claim *claim,
                                dray_strings refs, const dray_path *path);
void dray_resource_constraint(dray_claim_check *c,
                              const dray_resource_device_constraint *constraint,
                              const dray_path *path);
void dray_resource_configuration(dray_request *rq, const dray_resource_device_configuration *config,
                                 bool stored, const dray_path *path);
/* A JSON object of at most limit bytes (unless stored). */
void dray_resource_raw_object(dray_request *rq, dray_str raw, bool stored, size_t limit,
                              const dray_path *path);

/* Status of a claim (resource_status.c). */
void dray_validate_claim_status(dray_request *rq, const dray_resource_claim *claim,
                                const dray_resource_claim *old);

/* Taints and tolerations (resource_taint.c). */
void dray_resource_taint(dray_request *rq, const dray_resource_device_taint *taint,
                         const dray_resource_device_taint *old, const dray_path *path);
void dray_resource_toleration(dray_request *rq, const dray_resource_device_toleration *toleration,
                              const dray_path *path);
void dray_validate_taint_rule(dray_request *rq, const dray_resource_device_taint_rule_spec *spec,
                              const dray_resource_device_taint_rule_spec *old,
                              const dray_path *path);

/* Slices (resource_slice.c, resource_device.c, resource_capacity.c). */
void dray_validate_slice_spec(dray_request *rq, const dray_resource_slice_spec *spec,
                              const dray_resource_slice_spec *old, const dray_path *path);
void dray_resource_device_check(dray_request *rq, const dray_resource_slice_spec *spec,
                                const dray_resource_device *device, const dray_resource_device *old,
                                const dray_path *path);
void dray_resource_counters_check(dray_request *rq, size_t n, const dray_str *names,
                                  const dray_path *path);
void dray_resource_binding(dray_request *rq, dray_strings conditions, dray_strings failures,
                           const dray_path *path);
void dray_resource_skip_operations(dray_request *rq, dray_strings operations,
                                   const dray_path *path);
/* Which of the node choices are set: adds to `set` and reports what is set but says nothing. */
typedef struct dray_node_choice {
    dray_str node_name;
    const dray_core_node_selector *node_selector;
    dray_opt_bool all_nodes, per_device;
    const char *empty_name; /* the text for nodeName "" */
} dray_node_choice;
size_t dray_resource_node_choice(dray_request *rq, const dray_node_choice *choice, dray_buf *set,
                                 const dray_path *path);
void dray_resource_request_policy(dray_request *rq, dray_quantity capacity,
                                  const dray_resource_capacity_request_policy *policy,
                                  const dray_path *path);
void dray_resource_node_allocatable(dray_request *rq, const dray_resource_device *device,
                                    const dray_path *path);

/* Classes (resource_class.c). */
void dray_validate_class_spec(dray_request *rq, const dray_resource_device_class_spec *spec,
                              const dray_resource_device_class_spec *old, const dray_path *path);

/* Clears in body what is behind a gate that is off, unless old (of old_type, may be NULL) uses a
 * field of that gate (resource_drop.c). first_only: a field with several gates goes by its first.
 */
void dray_resource_drop(dray_request *rq, const dray_type *type, void *body,
                        const dray_type *old_type, const void *old, const dray_gate *gates,
                        size_t n_gates, bool first_only);

#endif
