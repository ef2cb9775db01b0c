/* A Pod's status on update. */
#include "api/validate/pod_int.h"

enum { HEALTH_MESSAGE_LIMIT = 1024, IMAGE_REFERENCE_LIMIT = 256 };

typedef struct status_list {
    const char *name;
    const dray_core_container_status *v;
    size_t n;
    const dray_core_container *containers; /* NULL: ephemeral */
    size_t n_containers;
} status_list;

static void list_statuses(const dray_core_pod *pod, status_list lists[3]) {
    const dray_core_pod_status *s = pod->status;
    lists[0] = (status_list){"containerStatuses", s->container_statuses.v, s->container_statuses.n,
                             pod->spec->containers.v, pod->spec->containers.n};
    lists[1] = (status_list){"initContainerStatuses", s->init_container_statuses.v,
                             s->init_container_statuses.n, pod->spec->init_containers.v,
                             pod->spec->init_containers.n};
    lists[2] = (status_list){"ephemeralContainerStatuses", s->ephemeral_container_statuses.v,
                             s->ephemeral_container_statuses.n, NULL, 0};
}

static const dray_core_container *container_of(const status_list *list, dray_str name) {
    for (size_t i = 0; i < list->n_containers; i++)
        if (dray_str_eq(list->containers[i].name, name))
            return &list->containers[i];
    return NULL;
}

/* Whether a rule of the container speaks of the exit code; *ret: that it restarts. */
static bool rule_restarts(const dray_core_container *c, int32_t code) {
    for (size_t i = 0; i < c->restart_policy_rules.n; i++) {
        const dray_core_container_restart_rule_on_exit_codes *codes =
            c->restart_policy_rules.v[i].exit_codes;
        bool among = false;
        if (codes == NULL)
            continue;
        for (size_t j = 0; j < codes->values.n; j++)
            among = among || codes->values.v[j] == code;
        if (dray_str_is(codes->operator, "In") ? among : !among)
            return true;
    }
    return false;
}

static bool should_restart(const dray_core_container *c, const dray_core_pod_spec *spec,
                           int32_t code) {
    if (rule_restarts(c, code))
        return true;
    dray_str policy = c->restart_policy.p != NULL ? c->restart_policy : spec->restart_policy;
    if (dray_str_is(policy, "Always"))
        return true;
    return dray_str_is(policy, "OnFailure") && code != 0;
}

/* A container that has ended runs again only where its policy says so. */
static bool may_run_again(dray_request *rq, const status_list *list, const dray_core_pod_spec *spec,
                          const dray_core_container_status *old) {
    const dray_core_container *c = container_of(list, old->name);
    int32_t code = old->state->terminated->exit_code;
    if (list->containers == NULL && list->n_containers == 0 &&
        strcmp(list->name, "ephemeralContainerStatuses") == 0)
        return false;
    if (dray_request_gate(rq, DRAY_GATE_ContainerRestartRules))
        return c != NULL && should_restart(c, spec, code);
    if (dray_str_is(spec->restart_policy, "Always"))
        return true;
    if (code != 0 && dray_str_is(spec->restart_policy, "OnFailure"))
        return true;
    return c != NULL && strcmp(list->name, "initContainerStatuses") == 0 && is_sidecar(c);
}

static void validate_transitions(dray_request *rq, const status_list *now, const status_list *old,
                                 const dray_core_pod_spec *spec, const dray_path *path) {
    for (size_t i = 0; i < old->n; i++) {
        if (old->v[i].state->terminated == NULL)
            continue;
        for (size_t j = 0; j < now->n; j++)
            if (dray_str_eq(now->v[j].name, old->v[i].name) &&
                now->v[j].state->terminated == NULL && !may_run_again(rq, old, spec, &old->v[i])) {
                fail_forbidden(rq, DRAY_AT(DRAY_AT_INDEX(path, i), "state"),
                               DRAY_STR("may not be transitioned to non-terminated state"));
                break;
            }
    }
}

static void validate_conditions(dray_request *rq, const dray_core_pod_status *status,
                                const dray_path *path) {
    for (size_t i = 0; i < status->conditions.n; i++) {
        const dray_core_pod_condition *c = &status->conditions.v[i];
        dray_path item = dray_path_index(path, i);
        if (c->observed_generation < 0)
            fail_invalid_int(rq, DRAY_AT(&item, "observedGeneration"), c->observed_generation,
                             DRAY_STR("must be a non-negative integer"));
        if (!IS_ONE_OF(c->type, "PodScheduled", "Ready", "Initialized"))
            fail_texts(rq, DRAY_AT(&item, "Type"), c->type, dray_check_label_key);
    }
}

static void validate_claim_statuses(dray_request *rq, const dray_core_pod *pod,
                                    const dray_path *path) {
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++) {
        const dray_core_pod_resource_claim_status *status =
            &pod->status->resource_claim_statuses.v[i];
        dray_path item = dray_path_index(path, i), name = dray_path_child(&item, "name");
        bool known = false, taken = false;
        for (size_t j = 0; j < pod->spec->resource_claims.n; j++)
            known = known || dray_str_eq(pod->spec->resource_claims.v[j].name, status->name);
        for (size_t j = 0; j < i; j++)
            taken =
                taken || dray_str_eq(pod->status->resource_claim_statuses.v[j].name, status->name);
        if (!known)
            fail_invalid(rq, &name, status->name,
                         DRAY_STR("must match the name of an entry in `spec.resourceClaims`"));
        if (taken)
            fail_duplicate(rq, &name, status->name);
        if (status->resource_claim_name.p != NULL)
            fail_texts(rq, DRAY_AT(&item, "resourceClaimName"), status->resource_claim_name,
                       dray_check_dns1123_subdomain);
    }
}

static const dray_core_container *find_container(const dray_core_pod_spec *spec, dray_str name) {
    for (size_t i = spec->init_containers.n + spec->containers.n; i-- > 0;) {
        const dray_core_container *c = dray_pod_container(spec, i).container;
        if (dray_str_eq(c->name, name))
            return c;
    }
    return NULL;
}

static void validate_mapping(dray_request *rq, const dray_core_pod *pod, size_t i,
                             const dray_path *path, const dray_path *status_path) {
    const dray_core_pod_extended_resource_claim_status *status =
        pod->status->extended_resource_claim_status;
    const dray_core_container_extended_resource_request *m = &status->request_mappings.v[i];
    const dray_core_container *c = find_container(pod->spec, m->container_name);
    if (c == NULL)
        fail_invalid(rq, DRAY_AT(path, "containerName"), m->container_name,
                     DRAY_STR("must match the name of an entry in spec.initContainers.name or "
                              "spec.containers.name"));
    else if (dray_resource_list_find(DRAY_RESOURCES(c->resources->requests), m->resource_name) ==
             NULL)
        fail_invalid(rq, DRAY_AT(path, "resourceName"), m->resource_name,
                     DRAY_STR("must match the extended resource name of an entry in "
                              "spec.initContainers.resources.requests or "
                              "spec.containers.resources.requests"));
    fail_texts(rq, DRAY_AT(status_path, "requestName"), m->request_name, dray_check_dns1123_label);
    for (size_t j = 0; j < i; j++) {
        const dray_core_container_extended_resource_request *o = &status->request_mappings.v[j];
        if (!dray_str_eq(o->container_name, m->container_name) ||
            !dray_str_eq(o->resource_name, m->resource_name) ||
            !dray_str_eq(o->request_name, m->request_name))
            continue;
        fail_duplicate(rq, DRAY_AT(path, "containerName"), m->container_name);
        fail_duplicate(rq, DRAY_AT(path, "resourceName"), m->resource_name);
        fail_duplicate(rq, DRAY_AT(path, "requestName"), m->request_name);
        break;
    }
}

static void validate_extended_claim(dray_request *rq, const dray_core_pod *pod,
                                    const dray_path *path) {
    const dray_core_pod_extended_resource_claim_status *status =
        pod->status->extended_resource_claim_status;
    dray_path mappings = dray_path_child(path, "requestMappings");
    if (status == NULL)
        return;
    if (status->request_mappings.n == 0)
        fail_required(rq, &mappings, DRAY_STR("at least one request mapping is required"));
    for (size_t i = 0; i < status->request_mappings.n; i++)
        validate_mapping(rq, pod, i, DRAY_AT_INDEX(&mappings, i), path);
    if (status->resource_claim_name.n == 0)
        fail_required(rq, DRAY_AT(path, "resourceClaimName"), DRAY_STR(""));
    else
        fail_texts(rq, DRAY_AT(path, "resourceClaimName"), status->resource_claim_name,
                   dray_check_dns1123_subdomain);
}

static void check_allocatable(dray_request *rq, dray_str name, const dray_path *path) {
    if (!dray_pod_level_resource(name))
        fail_invalid_word(rq, DRAY_AT(path, "name"), name,
                          DRAY_STR("must be a node allocatable resource name"));
}

static void check_sign(dray_request *rq, const dray_quantity *q, const dray_path *path) {
    if (q != NULL && dray_quantity_sign(*q) < 0)
        fail_invalid(rq, path, dray_quantity_format(*q, rq->arena),
                     DRAY_STR("must be non-negative"));
}

static bool claim_known(const dray_core_pod *pod, dray_str name) {
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++)
        if (dray_str_eq(pod->spec->resource_claims.v[i].resource_claim_name, name))
            return true;
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].resource_claim_name, name))
            return true;
    return false;
}

static void validate_allocatable_claims(dray_request *rq, const dray_core_pod *pod,
                                        const dray_path *path) {
    for (size_t i = 0; i < pod->status->node_allocatable_resource_claim_statuses.n; i++) {
        const dray_core_node_allocatable_resource_claim_status *status =
            &pod->status->node_allocatable_resource_claim_statuses.v[i];
        dray_path item = dray_path_index(path, i);
        if (status->resource_claim_name.n == 0)
            continue;
        if (!claim_known(pod, status->resource_claim_name))
            fail_invalid(rq, DRAY_AT(&item, "resourceClaimName"), status->resource_claim_name,
                         DRAY_STR("no mapping found in pod reference"));
        for (size_t j = 0; j < status->mapping.n; j++) {
            dray_path at = dray_path_index(DRAY_AT(&item, "mapping"), j);
            check_allocatable(rq, status->mapping.v[j].name, &at);
            check_sign(rq, status->mapping.v[j].quantity, DRAY_AT(&at, "quantity"));
        }
        for (size_t j = 0; j < status->overhead.n; j++) {
            const dray_core_node_allocatable_overhead_resources *o = &status->overhead.v[j];
            dray_path at = dray_path_index(DRAY_AT(&item, "overhead"), j);
            check_allocatable(rq, o->name, &at);
            if (o->per_pod == NULL && o->per_container == NULL)
                fail_invalid(rq, &at, DRAY_STR(""),
                             DRAY_STR("at least one of perPod or perContainer must be set"));
            check_sign(rq, o->per_pod, DRAY_AT(&at, "perPod"));
            check_sign(rq, o->per_container, DRAY_AT(&at, "perContainer"));
        }
    }
}

/* One address of each family, the first of which is the single field. */
static void validate_ips(dray_request *rq, dray_str single, dray_strings ips, dray_strings old,
                         bool pod_ips, const dray_path *path) {
    const char *name = pod_ips ? "podIP" : "hostIP";
    dray_str text = DRAY_STR_NONE;
    if (!pod_ips && ips.n > 0 && !dray_str_eq(single, ips.v[0]))
        fail_invalid(rq, DRAY_AT(DRAY_AT_INDEX(path, 0), "ip"), ips.v[0],
                     DETAIL(rq, "must be equal to `%s`", name));
    for (size_t i = 0; i < ips.n; i++)
        dray_validate_ip(rq, ips.v[i], old, DRAY_AT_INDEX(path, i));
    DRAY_CLEANUP_BUF dray_buf json = DRAY_BUF_INIT;
    dray_buf_putc(&json, '[');
    for (size_t i = 0; i < ips.n; i++)
        dray_buf_addf(&json, "%s{\"IP\":" DRAY_FMT "}", i > 0 ? "," : "",
                      DRAY_ARG(dray_value_json_string(rq->arena, ips.v[i])));
    dray_buf_putc(&json, ']');
    text = ips.n > 0 ? dray_str_dup(rq->arena, dray_buf_str(&json)) : DRAY_STR("null");
    for (size_t i = 0; ips.n > 1 && i < ips.n; i++)
        if (dray_ip_family(ips.v[i]) == 0) {
            fail(rq, DRAY_FIELD_INTERNAL, path, DRAY_STR_NONE,
                 DETAIL(rq, "failed to check for dual stack with error:invalid IP[%zu]: " DRAY_FMT,
                        i, DRAY_ARG(ips.v[i])));
            break;
        }
    bool dual = ips.n == 2 && dray_ip_family(ips.v[0]) + dray_ip_family(ips.v[1]) == 10;
    if (ips.n > 1 && !dual)
        fail_invalid_text(rq, path, text,
                          DRAY_STR("may specify no more than one IP for each IP family"));
    if (!pod_ips)
        return;
    if ((single.n > 0) != (ips.n > 0))
        fail_invalid_text(rq, path, text,
                          DRAY_STR("podIP and podIPs must either both be set or both be unset"));
    else if (ips.n > 0 && !dray_str_eq(single, ips.v[0]))
        fail_invalid(rq, DRAY_AT(DRAY_AT_INDEX(path, 0), "ip"), ips.v[0],
                     DRAY_STR("must be equal to `podIP`"));
}

static dray_strings pod_ips(dray_request *rq, const dray_core_pod_status *status) {
    dray_strings ips = {DRAY_NEW_N(rq->arena, dray_str, status->pod_ips.n + 1), status->pod_ips.n};
    for (size_t i = 0; i < ips.n; i++)
        ips.v[i] = status->pod_ips.v[i].ip;
    return ips;
}

static dray_strings host_ips(dray_request *rq, const dray_core_pod_status *status) {
    dray_strings ips = {DRAY_NEW_N(rq->arena, dray_str, status->host_ips.n + 1),
                        status->host_ips.n};
    for (size_t i = 0; i < ips.n; i++)
        ips.v[i] = status->host_ips.v[i].ip;
    return ips;
}

static void validate_user(dray_request *rq, const dray_core_pod_spec *spec,
                          const dray_core_container_status *status, const dray_path *path) {
    const dray_core_linux_container_user *user = status->user != NULL ? status->user->linux_ : NULL;
    dray_path at = dray_path_child(DRAY_AT(path, "user"), "linux");
    if (user == NULL)
        return;
    if (is_os(spec, "windows")) {
        fail_forbidden(rq, &at, DRAY_STR("cannot be set for a windows pod"));
        return;
    }
    dray_validate_range(rq, user->uid, 0, UINT32_MAX, DRAY_AT(&at, "uid"));
    dray_validate_range(rq, user->gid, 0, INT32_MAX, DRAY_AT(&at, "gid"));
    for (size_t i = 0; i < user->supplemental_groups.n; i++)
        dray_validate_range(rq, user->supplemental_groups.v[i], 0, INT32_MAX,
                            DRAY_AT_INDEX(DRAY_AT(&at, "supplementalGroups"), i));
}

/* "claim:NAME/REQUEST" of the claim that the scheduler made for extended resources. */
static bool is_extended_status(const dray_core_pod *pod, const dray_core_container *c,
                               dray_str name) {
    const dray_core_pod_extended_resource_claim_status *status =
        pod->status->extended_resource_claim_status;
    dray_str claim, request;
    if (status == NULL || pod->status == NULL ||
        !dray_str_cut(dray_str_slice(name, 6, name.n), '/', &claim, &request) || request.n == 0 ||
        !dray_str_eq(claim, status->resource_claim_name))
        return false;
    for (size_t i = 0; i < status->request_mappings.n; i++) {
        const dray_core_container_extended_resource_request *m = &status->request_mappings.v[i];
        if (!dray_str_eq(m->container_name, c->name) || !dray_str_eq(m->request_name, request))
            continue;
        const dray_quantity *q =
            dray_resource_list_find(DRAY_RESOURCES(c->resources->requests), m->resource_name);
        if (q != NULL && !dray_quantity_is_zero(*q))
            return true;
    }
    return false;
}

static bool is_claim_status(dray_request *rq, const dray_core_pod *pod,
                            const dray_core_container *c, dray_str name) {
    for (size_t i = 0; i < c->resources->claims.n; i++) {
        const dray_core_resource_claim *claim = &c->resources->claims.v[i];
        dray_str expected = claim->request.n > 0
                                ? DETAIL(rq, "claim:" DRAY_FMT "/" DRAY_FMT, DRAY_ARG(claim->name),
                                         DRAY_ARG(claim->request))
                                : DETAIL(rq, "claim:" DRAY_FMT, DRAY_ARG(claim->name));
        if (dray_str_eq(expected, name))
            return true;
    }
    return rq->gates->release >= 37 && is_extended_status(pod, c, name);
}

static void validate_health(dray_request *rq, const dray_core_resource_status *resource,
                            const dray_path *list) {
    for (size_t i = 0; i < resource->resources.n; i++) {
        const dray_core_resource_health *h = &resource->resources.v[i];
        dray_path path = dray_path_index(list, i), message = dray_path_child(&path, "message");
        if (!IS_ONE_OF(h->health, "Healthy", "Unhealthy", "Unknown"))
            FAIL_UNSUPPORTED(rq, DRAY_AT(&path, "health"), h->health, "Healthy", "Unhealthy",
                             "Unknown");
        if (h->message.p != NULL && h->message.n == 0)
            fail_required(rq, &message, DRAY_STR("must be non-empty if specified"));
        else if (h->message.n > HEALTH_MESSAGE_LIMIT)
            fail_too_long(rq, &message, HEALTH_MESSAGE_LIMIT);
        for (size_t j = 0; j < i; j++)
            if (dray_str_eq(resource->resources.v[j].resource_id, h->resource_id)) {
                fail(rq, DRAY_FIELD_DUPLICATE, DRAY_AT(&path, "resourceID"),
                     dray_value_json_string(rq->arena, h->resource_id), DRAY_STR(""));
                break;
            }
    }
}

static void validate_allocated(dray_request *rq, const dray_core_pod *pod, const status_list *list,
                               const dray_core_container_status *status, const dray_path *path) {
    dray_path resources = dray_path_child(path, "allocatedResourcesStatus");
    const dray_core_container *c = container_of(list, status->name);
    if (list->containers == NULL && strcmp(list->name, "ephemeralContainerStatuses") == 0) {
        if (status->allocated_resources_status.n > 0)
            fail_forbidden(rq, &resources, DRAY_STR("must not be specified in container status"));
        return;
    }
    for (size_t i = 0; i < status->allocated_resources_status.n; i++) {
        const dray_core_resource_status *r = &status->allocated_resources_status.v[i];
        dray_path item = dray_path_index(&resources, i);
        bool claim = dray_str_starts(r->name, DRAY_STR("claim:"));
        if (c != NULL && claim && !is_claim_status(rq, pod, c, r->name))
            fail_invalid_word(rq, DRAY_AT(&item, "name"), r->name,
                              DRAY_STR("must match one of the container's resource claims as "
                                       "'claim:<claimName>/<requestName>' when "
                                       "container.resources.claims[*].request is set or "
                                       "'claim:<claimName>' when it is empty"));
        else if (c != NULL && !claim &&
                 dray_resource_list_find(DRAY_RESOURCES(c->resources->requests), r->name) == NULL)
            fail_invalid_word(rq, DRAY_AT(&item, "name"), r->name,
                              DRAY_STR("must match one of the container's resource requests"));
        validate_health(rq, r, DRAY_AT(&item, "resources"));
    }
}

static void validate_volume_statuses(dray_request *rq, const dray_core_container_status *status,
                                     const dray_path *path) {
    for (size_t i = 0; i < status->volume_mounts.n; i++) {
        const dray_core_volume_status *volume = status->volume_mounts.v[i].volume_status;
        dray_path item = dray_path_index(DRAY_AT(path, "volumeMounts"), i);
        dray_path at = dray_path_child(DRAY_AT(DRAY_AT(&item, "volumeStatus"), "imageVolumeStatus"),
                                       "imageRef");
        if (volume == NULL || volume->image == NULL)
            continue;
        if (volume->image->image_ref.n == 0)
            fail_required(rq, &at, DRAY_STR("imageRef must not be empty"));
        if (volume->image->image_ref.n > IMAGE_REFERENCE_LIMIT)
            fail_too_long(rq, &at, IMAGE_REFERENCE_LIMIT);
    }
}

static void validate_container_statuses(dray_request *rq, const dray_core_pod *pod,
                                        const dray_core_pod *old, bool image_digest,
                                        const dray_path *path) {
    status_list now[3], before[3];
    list_statuses(pod, now);
    list_statuses(old, before);
    for (size_t i = 0; i < 3; i++) {
        dray_path list = dray_path_child(path, now[i].name);
        validate_transitions(rq, &now[i], &before[i], old->spec, &list);
        for (size_t j = 0; j < now[i].n; j++) {
            dray_path item = dray_path_index(&list, j);
            validate_user(rq, pod->spec, &now[i].v[j], &item);
            validate_allocated(rq, pod, &now[i], &now[i].v[j], &item);
            if (image_digest)
                validate_volume_statuses(rq, &now[i].v[j], &item);
        }
    }
}

static void validate_nominated(dray_request *rq, const dray_core_pod *pod, const dray_core_pod *old,
                               const dray_path *path) {
    dray_str name = pod->status->nominated_node_name;
    if (dray_str_eq(name, old->status->nominated_node_name) || name.n == 0)
        return;
    fail_texts(rq, path, name, dray_check_dns1123_subdomain);
    if (dray_request_gate(rq, DRAY_GATE_ClearingNominatedNodeNameAfterBinding) &&
        old->spec->node_name.n > 0 && rq->gates->release >= 35)
        fail_forbidden(rq, path,
                       DRAY_STR("may not be set on pods that are already bound to a node"));
}

void dray_validate_pod_status(dray_request *rq, const dray_core_pod *pod,
                              const dray_core_pod *old) {
    dray_pod_check check =
        dray_pod_check_of(rq, pod->spec, old->spec, pod->metadata, old->metadata);
    dray_path meta = dray_path_child(NULL, "metadata"), path = dray_path_child(NULL, "status");
    const dray_core_pod_status *status = pod->status;
    dray_validate_meta_update(rq, pod->metadata, old->metadata, &meta);
    dray_validate_pod_annotation_updates(&check, pod->metadata->annotations,
                                         old->metadata->annotations, DRAY_AT(&meta, "annotations"));
    validate_conditions(rq, status, DRAY_AT(&path, "conditions"));
    if (!dray_str_eq(pod->spec->node_name, old->spec->node_name))
        fail_forbidden(rq, DRAY_AT(&path, "nodeName"), DRAY_STR("may not be changed directly"));
    validate_nominated(rq, pod, old, DRAY_AT(&path, "nominatedNodeName"));
    if (status->observed_generation < 0)
        fail_invalid_int(rq, DRAY_AT(&path, "observedGeneration"), status->observed_generation,
                         DRAY_STR("must be a non-negative integer"));
    if (!dray_str_eq(status->qos_class, old->status->qos_class))
        fail_invalid_word(rq, DRAY_AT(&path, "qosClass"), status->qos_class,
                          DRAY_STR("field is immutable"));
    validate_container_statuses(rq, pod, old, check.image_digest, &path);
    validate_claim_statuses(rq, pod, DRAY_AT(&path, "resourceClaimStatuses"));
    validate_extended_claim(rq, pod, DRAY_AT(&path, "extendedResourceClaimStatus"));
    validate_allocatable_claims(rq, pod, DRAY_AT(&path, "nodeAllocatableResourceClaimStatuses"));
    validate_ips(rq, status->pod_ip, pod_ips(rq, status), pod_ips(rq, old->status), true,
                 DRAY_AT(&path, "podIPs"));
    validate_ips(rq, status->host_ip, host_ips(rq, status), host_ips(rq, old->status), false,
                 DRAY_AT(&path, "hostIPs"));
}
