/* What the checks of a Pod share: the rules in force, the volumes that mounts may name, and the
 * entry points of each file. Private to validate/ and strategy/.
 */
#ifndef DRAY_API_VALIDATE_POD_INT_H
#define DRAY_API_VALIDATE_POD_INT_H

#include "api/validate/core_int.h"

/* One check of a PodSpec. Most switches let through what the old object already has. */
typedef struct dray_pod_check {
    dray_request *rq;
    const dray_core_pod_spec *spec;
    const dray_meta_object_meta *meta; /* of a Pod; NULL in a template */
    bool is_pod;
    const dray_core_volume **volumes; /* those that are in order */
    size_t n_volumes;
    dray_strings claims; /* names in spec.resourceClaims, sorted, once each */

    bool bad_deletion_cost;
    bool bad_selector_values;
    bool bad_affinity_values;
    bool indivisible_huge_pages;
    bool bad_spread_selectors;
    bool nonlocal_token_paths;
    bool host_sysctls;
    bool relaxed_env_names;
    bool only_recursive_selinux;
    bool pod_level_resources;
    bool sidecar_resize_policy;
    bool spread_match_labels;
    bool spread_merge;
    bool old_breaks_match_labels;
    bool old_breaks_legacy_match_labels;
    bool env_files;
    bool restart_rules;
    bool restart_container_init;
    bool restart_all_containers;
    bool user_namespace_devices;
    bool toleration_comparison;
    bool user_namespace_host_network;
    bool image_digest;
    bool empty_image_reference;
    bool sys_admin_no_escalation;
} dray_pod_check;

/* What to check of spec when old (or NULL) is stored: GetValidationOptionsFromPodSpecAndMeta. */
dray_pod_check dray_pod_check_of(dray_request *rq, const dray_core_pod_spec *spec,
                                 const dray_core_pod_spec *old, const dray_meta_object_meta *meta,
                                 const dray_meta_object_meta *old_meta);

/* Containers in the order in which upstream visits them: init, regular, ephemeral. */
typedef struct dray_container_ref {
    dray_core_container *container;
    const char *list; /* "initContainers", … */
    size_t index;
} dray_container_ref;
size_t dray_pod_n_containers(const dray_core_pod_spec *spec);
dray_container_ref dray_pod_container(const dray_core_pod_spec *spec, size_t i);
bool dray_pod_has_container(const dray_core_pod_spec *spec, dray_str name);
static inline bool is_sidecar(const dray_core_container *container) {
    return dray_str_is(container->restart_policy, "Always");
}
static inline bool is_os(const dray_core_pod_spec *spec, const char *name) {
    return spec->os != NULL && dray_str_is(spec->os->name, name);
}

/* validate/pod_spec.c */
void dray_validate_pod_spec(dray_pod_check *check, const dray_path *path);
void dray_validate_pod_template(dray_pod_check *check, const dray_core_pod_template_spec *template,
                                const dray_path *path);
void dray_validate_pod_create(dray_request *rq, const dray_core_pod *pod);
/* Metadata and spec, on create and update. */
void dray_validate_pod_whole(dray_pod_check *check, const dray_core_pod *pod);
bool dray_host_sysctl_refused(const dray_core_pod_spec *spec, dray_str sysctl);

/* validate/pod_container.c */
void dray_validate_containers(dray_pod_check *check, const dray_path *path);
void dray_validate_image_padding(dray_request *rq, const dray_core_container *container,
                                 const dray_path *path);
/* validate/pod_env.c */
void dray_validate_env(dray_pod_check *check, const dray_core_container *container,
                       const dray_path *path);
void dray_validate_file_key_volumes(dray_pod_check *check, const dray_path *path);
void dray_validate_field_selector(dray_request *rq, const dray_core_object_field_selector *field,
                                  bool volume, const dray_path *path);
void dray_validate_resource_selector(dray_request *rq,
                                     const dray_core_resource_field_selector *field, bool volume,
                                     const dray_path *path);
/* validate/pod_probe.c */
void dray_validate_probes(dray_pod_check *check, const dray_core_container *container,
                          const dray_path *path);
void dray_validate_lifecycle(dray_pod_check *check, const dray_core_lifecycle *lifecycle,
                             const dray_path *path);
/* validate/pod_resources.c */
void dray_validate_container_resources(dray_pod_check *check,
                                       const dray_core_resource_requirements *resources,
                                       const dray_path *path);
void dray_validate_pod_resources(dray_pod_check *check, const dray_path *path);
void dray_validate_overhead(dray_pod_check *check, const dray_path *path);
void dray_validate_resource_claims(dray_pod_check *check, const dray_path *path);
void dray_validate_quantity(dray_request *rq, dray_str name, dray_quantity value,
                            const dray_path *path);
/* False when the name itself is bad (errors were added). */
bool dray_validate_resource_name(dray_request *rq, dray_str name, const dray_path *path);
bool dray_is_quota_resource(dray_str name);
bool dray_is_native_resource(dray_str name);
bool dray_is_huge_page(dray_str name);
bool dray_huge_page_divisible(dray_str name, dray_quantity value, dray_arena *arena);
dray_str dray_pod_qos(const dray_core_pod *pod, const dray_gates *gates);
/* validate/pod_volume.c, pod_projected.c, pod_mount.c */
void dray_validate_volumes(dray_pod_check *check, const dray_path *path);
void dray_validate_projected(dray_pod_check *check, const dray_core_projected_volume_source *source,
                             const dray_path *path);
void dray_validate_key_to_path(dray_request *rq, const dray_core_key_to_path *item,
                               const dray_path *path);
void dray_validate_downward_file(dray_request *rq, const dray_core_downward_api_volume_file *file,
                                 const dray_path *path);
void dray_validate_file_mode(dray_request *rq, dray_opt_int32 mode, const dray_path *path);
void dray_validate_mounts(dray_pod_check *check, const dray_core_container *container,
                          const dray_path *path);
const dray_core_volume *dray_pod_volume(const dray_pod_check *check, dray_str name);
void dray_validate_volume_claim_spec(dray_request *rq,
                                     const dray_core_persistent_volume_claim_spec *spec,
                                     const dray_path *path);
/* validate/pod_security.c */
void dray_validate_security_context(dray_pod_check *check,
                                    const dray_core_security_context *context,
                                    const dray_path *path);
void dray_validate_pod_security(dray_pod_check *check, const dray_path *path);
void dray_validate_pod_os(dray_pod_check *check, const dray_path *path);
void dray_validate_host_process(dray_pod_check *check, const dray_path *path);
bool dray_app_armor_valid(const dray_core_app_armor_profile *profile);
/* validate/pod_annotations.c */
void dray_validate_pod_annotations(dray_pod_check *check, dray_string_map annotations,
                                   const dray_path *path);
void dray_validate_profile_annotations(dray_request *rq, dray_string_map annotations,
                                       const dray_core_pod_spec *spec, const dray_path *path);
void dray_validate_pod_annotation_updates(dray_pod_check *check, dray_string_map annotations,
                                          dray_string_map old, const dray_path *path);
bool dray_deletion_cost_valid(dray_string_map annotations);
/* validate/pod_affinity.c */
void dray_validate_affinity(dray_pod_check *check, const dray_path *path);
void dray_validate_tolerations(dray_pod_check *check, const dray_path *path);
void dray_validate_spread(dray_pod_check *check, const dray_path *path);
bool dray_spread_match_labels_valid(dray_request *rq, const dray_core_pod_spec *spec, bool legacy);
bool dray_affinity_selectors_valid(dray_request *rq, const dray_core_pod_spec *spec);
void dray_validate_taint_effect(dray_request *rq, dray_str effect, bool allow_empty,
                                const dray_path *path);
/* validate/node_selector.c: bad label values are let through where asked. */
void dray_validate_node_selector_lenient(dray_request *rq, const dray_core_node_selector *selector,
                                         bool allow_values, const dray_path *path);
void dray_validate_node_selector_term(dray_request *rq, const dray_core_node_selector_term *term,
                                      bool allow_values, const dray_path *path);

/* validate/pod_update.c, pod_status.c */
void dray_validate_pod_update(dray_request *rq, const dray_core_pod *pod, const dray_core_pod *old);
void dray_validate_pod_status(dray_request *rq, const dray_core_pod *pod, const dray_core_pod *old);

/* validate/meta.c */
void dray_validate_kube_finalizer(dray_request *rq, dray_str finalizer, const dray_path *path);

/* strategy/core_pod_drop.c: what gates that are off take out of a spec, unless old has it. */
void dray_drop_pod_fields(dray_request *rq, dray_core_pod_spec *spec, const dray_core_pod_spec *old,
                          dray_string_map *annotations);
void dray_drop_pod_status_fields(dray_request *rq, dray_core_pod *pod, const dray_core_pod *old);
/* strategy/core_pod_warn.c */
void dray_warn_pod(dray_request *rq, const dray_core_pod_spec *spec,
                   const dray_meta_object_meta *meta, const dray_path *path);
/* The profile that a deprecated AppArmor annotation means; NULL for none. */
dray_core_app_armor_profile *dray_app_armor_of_annotation(dray_str annotation, dray_arena *arena);

#endif
