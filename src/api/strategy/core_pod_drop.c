/* What gates that are off take out of Pods, unless the stored object already has it. */
#include "api/validate/pod_int.h"

/* Each drop asks whether the old spec uses the field, then clears it in the new one. */
typedef struct drop {
    bool (*used)(const dray_core_pod_spec *old);
    void (*clear)(dray_core_pod_spec *spec, dray_arena *arena);
    dray_gate gate;
} drop;

typedef dray_core_container container;

static container *nth(const dray_core_pod_spec *spec, size_t i) {
    return dray_pod_container(spec, i).container;
}

#define EACH_CONTAINER(spec, c)                                 \
    for (size_t i_ = 0; i_ < dray_pod_n_containers(spec); i_++) \
        for (container *c = nth((spec), i_); c != NULL; c = NULL)

static bool uses_host_users(const dray_core_pod_spec *old) {
    return old->host_users.set;
}
static void clear_host_users(dray_core_pod_spec *spec, dray_arena *arena) {
    spec->host_users = (dray_opt_bool){false, false};
}

static bool uses_groups_policy(const dray_core_pod_spec *old) {
    return old->security_context != NULL &&
           old->security_context->supplemental_groups_policy.p != NULL;
}
static void clear_groups_policy(dray_core_pod_spec *spec, dray_arena *arena) {
    if (spec->security_context != NULL)
        spec->security_context->supplemental_groups_policy = DRAY_STR_NONE;
}

static bool uses_pod_resources(const dray_core_pod_spec *old) {
    return old->resources != NULL && old->resources->requests.n + old->resources->limits.n > 0;
}
static void clear_pod_resources(dray_core_pod_spec *spec, dray_arena *arena) {
    spec->resources = NULL;
}

static bool uses_proc_mount(const dray_core_pod_spec *old) {
    EACH_CONTAINER(old, c)
    if (c->security_context != NULL && c->security_context->proc_mount.p != NULL &&
        !dray_str_is(c->security_context->proc_mount, "Default"))
        return true;
    return false;
}
static void clear_proc_mount(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c)
    if (c->security_context != NULL && c->security_context->proc_mount.p != NULL)
        c->security_context->proc_mount = DRAY_STR("Default");
}

static bool uses_taints_policy(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->topology_spread_constraints.n; i++)
        if (old->topology_spread_constraints.v[i].node_taints_policy.p != NULL)
            return true;
    return false;
}
static void clear_taints_policy(dray_core_pod_spec *spec, dray_arena *arena) {
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++)
        spec->topology_spread_constraints.v[i].node_taints_policy = DRAY_STR_NONE;
}

static bool uses_affinity_policy(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->topology_spread_constraints.n; i++)
        if (old->topology_spread_constraints.v[i].node_affinity_policy.p != NULL)
            return true;
    return false;
}
static void clear_affinity_policy(dray_core_pod_spec *spec, dray_arena *arena) {
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++)
        spec->topology_spread_constraints.v[i].node_affinity_policy = DRAY_STR_NONE;
}

static bool uses_spread_keys(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->topology_spread_constraints.n; i++)
        if (old->topology_spread_constraints.v[i].match_label_keys.n > 0)
            return true;
    return false;
}
static void clear_spread_keys(dray_core_pod_spec *spec, dray_arena *arena) {
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++)
        spec->topology_spread_constraints.v[i].match_label_keys = (dray_strings){0};
}

/* Calls for each term of Pod affinity and anti-affinity; true where one says so. */
static bool each_term(const dray_core_pod_spec *spec,
                      bool (*visit)(dray_core_pod_affinity_term *term)) {
    bool any = false;
    dray_core_pod_affinity *near = spec->affinity != NULL ? spec->affinity->pod_affinity : NULL;
    dray_core_pod_anti_affinity *far =
        spec->affinity != NULL ? spec->affinity->pod_anti_affinity : NULL;
    for (size_t i = 0;
         near != NULL && i < near->required_during_scheduling_ignored_during_execution.n; i++)
        any |= visit(&near->required_during_scheduling_ignored_during_execution.v[i]);
    for (size_t i = 0;
         near != NULL && i < near->preferred_during_scheduling_ignored_during_execution.n; i++)
        any |= visit(
            near->preferred_during_scheduling_ignored_during_execution.v[i].pod_affinity_term);
    for (size_t i = 0;
         far != NULL && i < far->required_during_scheduling_ignored_during_execution.n; i++)
        any |= visit(&far->required_during_scheduling_ignored_during_execution.v[i]);
    for (size_t i = 0;
         far != NULL && i < far->preferred_during_scheduling_ignored_during_execution.n; i++)
        any |=
            visit(far->preferred_during_scheduling_ignored_during_execution.v[i].pod_affinity_term);
    return any;
}
static bool term_has_keys(dray_core_pod_affinity_term *term) {
    return term->match_label_keys.n > 0 || term->mismatch_label_keys.n > 0;
}
static bool term_drop_keys(dray_core_pod_affinity_term *term) {
    term->match_label_keys = (dray_strings){0};
    term->mismatch_label_keys = (dray_strings){0};
    return false;
}
static bool uses_affinity_keys(const dray_core_pod_spec *old) {
    return each_term(old, term_has_keys);
}
static void clear_affinity_keys(dray_core_pod_spec *spec, dray_arena *arena) {
    each_term(spec, term_drop_keys);
}

static bool uses_claims(const dray_core_pod_spec *old) {
    return old->resource_claims.n > 0;
}
static void clear_claims(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c) {
        c->resources->claims.v = NULL;
        c->resources->claims.n = 0;
    }
    spec->resource_claims.v = NULL;
    spec->resource_claims.n = 0;
}

static bool uses_group(const dray_core_pod_spec *old) {
    return old->scheduling_group != NULL || old->workload_ref != NULL;
}
static void clear_group(dray_core_pod_spec *spec, dray_arena *arena) {
    spec->scheduling_group = NULL;
    spec->workload_ref = NULL; /* 1.35's word for it */
}

static bool uses_responders(const dray_core_pod_spec *old) {
    return old->eviction_responders.n > 0;
}
static void clear_responders(dray_core_pod_spec *spec, dray_arena *arena) {
    spec->eviction_responders.v = NULL;
    spec->eviction_responders.n = 0;
}

static bool uses_grpc_mode(const dray_core_pod_spec *old) {
    EACH_CONTAINER(old, c) {
        dray_core_probe *probes[] = {c->liveness_probe, c->readiness_probe, c->startup_probe};
        for (size_t i = 0; i < 3; i++)
            if (probes[i] != NULL && probes[i]->probe_handler->grpc != NULL &&
                probes[i]->probe_handler->grpc->mode.p != NULL)
                return true;
    }
    return false;
}
static void clear_grpc_mode(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c) {
        dray_core_probe *probes[] = {c->liveness_probe, c->readiness_probe, c->startup_probe};
        for (size_t i = 0; i < 3; i++)
            if (probes[i] != NULL && probes[i]->probe_handler->grpc != NULL)
                probes[i]->probe_handler->grpc->mode = DRAY_STR_NONE;
    }
}

/* The HTTP actions of a container: its probes' and its hooks'. */
static size_t http_actions(container *c, dray_core_http_get_action *out[5]) {
    dray_core_probe *probes[] = {c->liveness_probe, c->readiness_probe, c->startup_probe};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        if (probes[i] != NULL && probes[i]->probe_handler->http_get != NULL)
            out[n++] = probes[i]->probe_handler->http_get;
    dray_core_lifecycle_handler *hooks[] = {c->lifecycle != NULL ? c->lifecycle->post_start : NULL,
                                            c->lifecycle != NULL ? c->lifecycle->pre_stop : NULL};
    for (size_t i = 0; i < 2; i++)
        if (hooks[i] != NULL && hooks[i]->http_get != NULL)
            out[n++] = hooks[i]->http_get;
    return n;
}
static bool uses_http_protocol(const dray_core_pod_spec *old) {
    dray_core_http_get_action *actions[5];
    EACH_CONTAINER(old, c) {
        size_t n = http_actions(c, actions);
        for (size_t i = 0; i < n; i++)
            if (actions[i]->protocol.p != NULL)
                return true;
    }
    return false;
}
static void clear_http_protocol(dray_core_pod_spec *spec, dray_arena *arena) {
    dray_core_http_get_action *actions[5];
    EACH_CONTAINER(spec, c) {
        size_t n = http_actions(c, actions);
        for (size_t i = 0; i < n; i++)
            actions[i]->protocol = DRAY_STR_NONE;
    }
}

static bool uses_resize(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->init_containers.n + old->containers.n; i++)
        if (nth(old, i)->resize_policy.n > 0)
            return true;
    return false;
}
static void clear_resize(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c) {
        c->resize_policy.v = NULL;
        c->resize_policy.n = 0;
    }
}

static bool uses_restart_rules(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->init_containers.n + old->containers.n; i++) {
        const container *c = nth(old, i);
        bool init = i < old->init_containers.n;
        if (init ? c->restart_policy_rules.n > 0 || (c->restart_policy.p != NULL && !is_sidecar(c))
                 : c->restart_policy.p != NULL)
            return true;
    }
    return false;
}
static void clear_restart_rules(dray_core_pod_spec *spec, dray_arena *arena) {
    for (size_t i = 0; i < dray_pod_n_containers(spec); i++) {
        container *c = nth(spec, i);
        if (i >= spec->init_containers.n || !is_sidecar(c))
            c->restart_policy = DRAY_STR_NONE;
        c->restart_policy_rules.v = NULL;
        c->restart_policy_rules.n = 0;
    }
}

static bool uses_recursive(const dray_core_pod_spec *old) {
    EACH_CONTAINER(old, c)
    for (size_t i = 0; i < c->volume_mounts.n; i++)
        if (c->volume_mounts.v[i].recursive_read_only.p != NULL)
            return true;
    return false;
}
static void clear_recursive(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c)
    for (size_t i = 0; i < c->volume_mounts.n; i++)
        c->volume_mounts.v[i].recursive_read_only = DRAY_STR_NONE;
}

static bool uses_bind_options(const dray_core_pod_spec *old) {
    EACH_CONTAINER(old, c)
    for (size_t i = 0; i < c->volume_mounts.n; i++)
        if (c->volume_mounts.v[i].bind_mount_options.n > 0)
            return true;
    return false;
}
static void clear_bind_options(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c)
    for (size_t i = 0; i < c->volume_mounts.n; i++)
        c->volume_mounts.v[i].bind_mount_options = (dray_strings){0};
}

static bool uses_dir_mode(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->volumes.n; i++)
        if (old->volumes.v[i].volume_source->empty_dir != NULL &&
            old->volumes.v[i].volume_source->empty_dir->mode.set)
            return true;
    return false;
}
static void clear_dir_mode(dray_core_pod_spec *spec, dray_arena *arena) {
    for (size_t i = 0; i < spec->volumes.n; i++)
        if (spec->volumes.v[i].volume_source->empty_dir != NULL)
            spec->volumes.v[i].volume_source->empty_dir->mode = (dray_opt_int32){false, 0};
}

static bool uses_hostname(const dray_core_pod_spec *old) {
    return old->hostname_override.p != NULL;
}
static void clear_hostname(dray_core_pod_spec *spec, dray_arena *arena) {
    spec->hostname_override = DRAY_STR_NONE;
}

static bool uses_file_keys(const dray_core_pod_spec *old) {
    EACH_CONTAINER(old, c)
    for (size_t i = 0; i < c->env.n; i++)
        if (c->env.v[i].value_from != NULL && c->env.v[i].value_from->file_key_ref != NULL)
            return true;
    return false;
}
static void clear_file_keys(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c)
    for (size_t i = 0; i < c->env.n; i++)
        if (c->env.v[i].value_from != NULL)
            c->env.v[i].value_from->file_key_ref = NULL;
}

static bool uses_images(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->volumes.n; i++)
        if (old->volumes.v[i].volume_source->image != NULL)
            return true;
    return false;
}
static bool is_image(const dray_core_volume *volumes, size_t n, dray_str name) {
    for (size_t i = 0; i < n; i++)
        if (volumes[i].volume_source->image != NULL && dray_str_eq(volumes[i].name, name))
            return true;
    return false;
}
static void clear_images(dray_core_pod_spec *spec, dray_arena *arena) {
    const dray_core_volume *all = spec->volumes.v;
    size_t n_all = spec->volumes.n, n = 0;
    dray_core_volume *kept = DRAY_NEW_N(arena, dray_core_volume, n_all + 1);
    EACH_CONTAINER(spec, c) {
        size_t n_mounts = 0;
        for (size_t i = 0; i < c->volume_mounts.n; i++)
            if (!is_image(all, n_all, c->volume_mounts.v[i].name))
                c->volume_mounts.v[n_mounts++] = c->volume_mounts.v[i];
        c->volume_mounts.n = n_mounts;
        if (n_mounts == 0)
            c->volume_mounts.v = NULL;
    }
    for (size_t i = 0; i < n_all; i++)
        if (all[i].volume_source->image == NULL)
            kept[n++] = all[i];
    spec->volumes.v = n > 0 ? kept : NULL;
    spec->volumes.n = n;
}

static bool uses_selinux_change(const dray_core_pod_spec *old) {
    return old->security_context != NULL && old->security_context->se_linux_change_policy.p != NULL;
}
static void clear_selinux_change(dray_core_pod_spec *spec, dray_arena *arena) {
    if (spec->security_context != NULL)
        spec->security_context->se_linux_change_policy = DRAY_STR_NONE;
}

static bool uses_stop_signals(const dray_core_pod_spec *old) {
    EACH_CONTAINER(old, c)
    if (c->lifecycle != NULL && c->lifecycle->stop_signal.p != NULL)
        return true;
    return false;
}
static void clear_stop_signals(dray_core_pod_spec *spec, dray_arena *arena) {
    EACH_CONTAINER(spec, c) {
        if (c->lifecycle == NULL || c->lifecycle->stop_signal.p == NULL)
            continue;
        c->lifecycle->stop_signal = DRAY_STR_NONE;
        if (c->lifecycle->post_start == NULL && c->lifecycle->pre_stop == NULL)
            c->lifecycle = NULL;
    }
}

static bool uses_trust_bundle(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->volumes.n; i++) {
        const dray_core_projected_volume_source *p = old->volumes.v[i].volume_source->projected;
        for (size_t j = 0; p != NULL && j < p->sources.n; j++)
            if (p->sources.v[j].cluster_trust_bundle != NULL)
                return true;
    }
    return false;
}
static void clear_trust_bundle(dray_core_pod_spec *spec, dray_arena *arena) {
    for (size_t i = 0; i < spec->volumes.n; i++) {
        dray_core_projected_volume_source *p = spec->volumes.v[i].volume_source->projected;
        for (size_t j = 0; p != NULL && j < p->sources.n; j++)
            p->sources.v[j].cluster_trust_bundle = NULL;
    }
}

static bool uses_certificate(const dray_core_pod_spec *old) {
    for (size_t i = 0; i < old->volumes.n; i++) {
        const dray_core_projected_volume_source *p = old->volumes.v[i].volume_source->projected;
        for (size_t j = 0; p != NULL && j < p->sources.n; j++)
            if (p->sources.v[j].pod_certificate != NULL)
                return true;
    }
    return false;
}
static void clear_certificate(dray_core_pod_spec *spec, dray_arena *arena) {
    for (size_t i = 0; i < spec->volumes.n; i++) {
        dray_core_projected_volume_source *p = spec->volumes.v[i].volume_source->projected;
        for (size_t j = 0; p != NULL && j < p->sources.n; j++)
            p->sources.v[j].pod_certificate = NULL;
    }
}

#define DROP(name, gate_) {uses_##name, clear_##name, DRAY_GATE_##gate_}

static const drop drops[] = {
    DROP(host_users, UserNamespacesSupport),
    DROP(groups_policy, SupplementalGroupsPolicy),
    DROP(pod_resources, PodLevelResources),
    DROP(proc_mount, ProcMountType),
    DROP(taints_policy, NodeInclusionPolicyInPodTopologySpread),
    DROP(affinity_policy, NodeInclusionPolicyInPodTopologySpread),
    DROP(spread_keys, MatchLabelKeysInPodTopologySpread),
    DROP(affinity_keys, MatchLabelKeysInPodAffinity),
    DROP(claims, DynamicResourceAllocation),
    DROP(trust_bundle, ClusterTrustBundleProjection),
    DROP(certificate, PodCertificateRequest),
    DROP(group, GenericWorkload),
    DROP(grpc_mode, GRPCContainerProbeTLS),
    DROP(responders, EvictionRequestAPI),
    DROP(resize, InPlacePodVerticalScaling),
    DROP(restart_rules, ContainerRestartRules),
    DROP(recursive, RecursiveReadOnlyMounts),
    DROP(dir_mode, EmptyDirVolumeMode),
    DROP(bind_options, VolumeBindMountOptions),
    DROP(hostname, HostnameOverride),
    DROP(file_keys, EnvFiles),
    DROP(images, ImageVolume),
    DROP(selinux_change, SELinuxChangePolicy),
    DROP(stop_signals, ContainerStopSignals),
    DROP(http_protocol, H2CContainerProbe),
};

static void drop_init_annotations(dray_string_map *annotations, dray_arena *arena) {
    dray_string_map kept = {DRAY_NEW_N(arena, dray_str, annotations->n + 1),
                            DRAY_NEW_N(arena, dray_str, annotations->n + 1), 0};
    for (size_t i = 0; i < annotations->n; i++) {
        if (IS_ONE_OF(annotations->k[i], "pod.beta.kubernetes.io/init-containers",
                      "pod.alpha.kubernetes.io/init-containers",
                      "pod.beta.kubernetes.io/init-container-statuses",
                      "pod.alpha.kubernetes.io/init-container-statuses"))
            continue;
        kept.k[kept.n] = annotations->k[i];
        kept.v[kept.n++] = annotations->v[i];
    }
    if (kept.n < annotations->n)
        *annotations = kept;
}

void dray_drop_pod_fields(dray_request *rq, dray_core_pod_spec *spec, const dray_core_pod_spec *old,
                          dray_string_map *annotations) {
    for (size_t i = 0; i < DRAY_COUNT(drops); i++) {
        /* A gate that a release no longer knows is on for good there, a newer one off. */
        bool known = dray_gate_known(drops[i].gate, rq->gates->release);
        bool older = !known && dray_gate_known(drops[i].gate, DRAY_RELEASE_OLDEST);
        if (older || dray_request_gate(rq, drops[i].gate) || (old != NULL && drops[i].used(old)))
            continue;
        drops[i].clear(spec, rq->arena);
    }
    drop_init_annotations(annotations, rq->arena);
}

/* Calls for each container's status. */
static void each_status(dray_core_pod_status *status,
                        void (*clear)(dray_core_container_status *status)) {
    for (size_t i = 0; i < status->container_statuses.n; i++)
        clear(&status->container_statuses.v[i]);
    for (size_t i = 0; i < status->init_container_statuses.n; i++)
        clear(&status->init_container_statuses.v[i]);
    for (size_t i = 0; i < status->ephemeral_container_statuses.n; i++)
        clear(&status->ephemeral_container_statuses.v[i]);
}

static void clear_status_resources(dray_core_container_status *s) {
    s->resources = NULL;
    s->allocated_resources.k = NULL;
    s->allocated_resources.v = NULL;
    s->allocated_resources.n = 0;
}
static void clear_status_mounts(dray_core_container_status *s) {
    s->volume_mounts.v = NULL;
    s->volume_mounts.n = 0;
}
static void clear_status_health(dray_core_container_status *s) {
    s->allocated_resources_status.v = NULL;
    s->allocated_resources_status.n = 0;
}
static void clear_status_messages(dray_core_container_status *s) {
    for (size_t i = 0; i < s->allocated_resources_status.n; i++)
        for (size_t j = 0; j < s->allocated_resources_status.v[i].resources.n; j++)
            s->allocated_resources_status.v[i].resources.v[j].message = DRAY_STR_NONE;
}
static void clear_status_user(dray_core_container_status *s) {
    s->user = NULL;
}
static void clear_status_images(dray_core_container_status *s) {
    for (size_t i = 0; i < s->volume_mounts.n; i++)
        s->volume_mounts.v[i].volume_status = NULL;
}

typedef struct status_uses {
    bool health, messages, images, generations;
} status_uses;

static status_uses uses_of(const dray_core_pod_status *old) {
    status_uses uses = {.generations = old->observed_generation != 0};
    const dray_core_container_status *lists[] = {old->container_statuses.v,
                                                 old->init_container_statuses.v,
                                                 old->ephemeral_container_statuses.v};
    size_t counts[] = {old->container_statuses.n, old->init_container_statuses.n,
                       old->ephemeral_container_statuses.n};
    for (size_t i = 0; i < old->conditions.n; i++)
        uses.generations |= old->conditions.v[i].observed_generation != 0;
    for (size_t l = 0; l < 3; l++)
        for (size_t i = 0; i < counts[l]; i++) {
            const dray_core_container_status *s = &lists[l][i];
            uses.health |= s->allocated_resources_status.n > 0;
            for (size_t j = 0; j < s->allocated_resources_status.n; j++)
                for (size_t k = 0; k < s->allocated_resources_status.v[j].resources.n; k++)
                    uses.messages |=
                        s->allocated_resources_status.v[j].resources.v[k].message.p != NULL;
            for (size_t j = 0; j < s->volume_mounts.n; j++)
                uses.images |= s->volume_mounts.v[j].volume_status != NULL;
        }
    return uses;
}

/* On for good in releases that no longer know the gate. */
static bool is_off(dray_request *rq, dray_gate gate) {
    bool gone =
        !dray_gate_known(gate, rq->gates->release) && dray_gate_known(gate, DRAY_RELEASE_OLDEST);
    return !gone && !dray_request_gate(rq, gate);
}

void dray_drop_pod_status_fields(dray_request *rq, dray_core_pod *pod, const dray_core_pod *old) {
    dray_core_pod_status *s = pod->status, *was = old->status;
    status_uses uses = uses_of(was);
    if (is_off(rq, DRAY_GATE_InPlacePodLevelResourcesVerticalScaling) && was->resources == NULL &&
        was->allocated_resources.k == NULL) {
        s->resources = NULL;
        s->allocated_resources.k = NULL;
        s->allocated_resources.v = NULL;
        s->allocated_resources.n = 0;
    }
    if (is_off(rq, DRAY_GATE_InPlacePodVerticalScaling) && !uses_resize(old->spec))
        each_status(s, clear_status_resources);
    if (is_off(rq, DRAY_GATE_DynamicResourceAllocation) && !uses_claims(old->spec)) {
        s->resource_claim_statuses.v = NULL;
        s->resource_claim_statuses.n = 0;
    }
    if (is_off(rq, DRAY_GATE_DRAExtendedResource) && was->extended_resource_claim_status == NULL)
        s->extended_resource_claim_status = NULL;
    if (is_off(rq, DRAY_GATE_RecursiveReadOnlyMounts) && !uses_recursive(old->spec))
        each_status(s, clear_status_mounts);
    if (is_off(rq, DRAY_GATE_ResourceHealthStatus) && !uses.health)
        each_status(s, clear_status_health);
    if (is_off(rq, DRAY_GATE_ResourceHealthStatusMessage) && !uses.messages)
        each_status(s, clear_status_messages);
    if (is_off(rq, DRAY_GATE_SupplementalGroupsPolicy) && !uses_groups_policy(old->spec))
        each_status(s, clear_status_user);
    if (is_off(rq, DRAY_GATE_PodObservedGenerationTracking) && !uses.generations) {
        s->observed_generation = 0;
        for (size_t i = 0; i < s->conditions.n; i++)
            s->conditions.v[i].observed_generation = 0;
    }
    if (is_off(rq, DRAY_GATE_ImageVolumeWithDigest) && !uses.images)
        each_status(s, clear_status_images);
    if (is_off(rq, DRAY_GATE_DRANodeAllocatableResources) &&
        was->node_allocatable_resource_claim_statuses.n == 0) {
        s->node_allocatable_resource_claim_statuses.v = NULL;
        s->node_allocatable_resource_claim_statuses.n = 0;
    }
    if (is_off(rq, DRAY_GATE_CSIVolumeHealth) && was->volume_health.n == 0) {
        s->volume_health.v = NULL;
        s->volume_health.n = 0;
    }
}
