/* A Pod's spec as a whole, alone and in a template. */
#include "api/validate/pod_int.h"
#include "api/validate/value.h"

enum { RESPONDERS_LIMIT = 10, RESPONDER_PRIORITY_MIN = 1000, RESPONDER_PRIORITY_MAX = 100000 };

enum {
    DNS_SERVERS_LIMIT = 3,
    DNS_SEARCHES_LIMIT = 32,
    DNS_SEARCH_CHARACTERS_LIMIT = 2048,
    HOSTNAME_OVERRIDE_LIMIT = 64,
};

static int compare_strings(const void *a, const void *b, void *context) {
    return dray_str_cmp(*(const dray_str *)a, *(const dray_str *)b);
}

static void gather_claims(dray_pod_check *check) {
    const dray_core_pod_spec *spec = check->spec;
    dray_strings names = {DRAY_NEW_N(check->rq->arena, dray_str, spec->resource_claims.n + 1), 0};
    for (size_t i = 0; i < spec->resource_claims.n; i++) {
        dray_str name = spec->resource_claims.v[i].name;
        if (name.n > 0 && !strings_have(names, name))
            names.v[names.n++] = name;
    }
    dray_sort(names.v, names.n, sizeof *names.v, compare_strings, NULL);
    check->claims = names;
}

/* On the host's network a port is the host's port. */
static void validate_host_network(dray_pod_check *check, const dray_path *path) {
    const dray_core_pod_spec *spec = check->spec;
    for (size_t i = 0; spec->host_network && i < spec->containers.n; i++) {
        dray_path ports = dray_path_child(DRAY_AT_INDEX(DRAY_AT(path, "containers"), i), "ports");
        for (size_t j = 0; j < spec->containers.v[i].ports.n; j++) {
            const dray_core_container_port *port = &spec->containers.v[i].ports.v[j];
            if ((check->is_pod || port->host_port != 0) && port->host_port != port->container_port)
                fail_invalid_int(check->rq, DRAY_AT(DRAY_AT_INDEX(&ports, j), "hostPort"),
                                 port->host_port,
                                 DRAY_STR("must match `containerPort` when `hostNetwork` is true"));
        }
    }
}

static void validate_policies(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    if (spec->restart_policy.n == 0)
        fail_required(rq, DRAY_AT(path, "restartPolicy"), DRAY_STR(""));
    else if (!IS_ONE_OF(spec->restart_policy, "Always", "OnFailure", "Never"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "restartPolicy"), spec->restart_policy, "Always",
                         "OnFailure", "Never");
    if (spec->dns_policy.n == 0)
        fail_required(rq, DRAY_AT(path, "dnsPolicy"), DRAY_STR(""));
    else if (!IS_ONE_OF(spec->dns_policy, "ClusterFirstWithHostNet", "ClusterFirst", "Default",
                        "None"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "dnsPolicy"), spec->dns_policy,
                         "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
    dray_str preemption = spec->preemption_policy;
    if (preemption.p != NULL && preemption.n == 0)
        fail_required(rq, DRAY_AT(path, "preemptionPolicy"), DRAY_STR(""));
    else if (preemption.p != NULL && !IS_ONE_OF(preemption, "PreemptLowerPriority", "Never"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "preemptionPolicy"), preemption, "PreemptLowerPriority",
                         "Never");
}

static void validate_dns(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_dns_config *dns = check->spec->dns_config;
    dray_path servers = dray_path_child(path, "nameservers");
    dray_path searches = dray_path_child(path, "searches");
    bool none = dray_str_is(check->spec->dns_policy, "None");
    size_t characters = 0;
    if (none && dns == NULL)
        fail_required(rq, path, DRAY_STR("must provide `dnsConfig` when `dnsPolicy` is None"));
    else if (none && dns->nameservers.n == 0)
        fail_required(
            rq, &servers,
            DRAY_STR("must provide at least one DNS nameserver when `dnsPolicy` is None"));
    if (dns == NULL || (none && dns->nameservers.n == 0))
        return;
    if (dns->nameservers.n > DNS_SERVERS_LIMIT)
        fail_invalid_text(rq, &servers, dray_value_strings(rq->arena, dns->nameservers),
                          DRAY_STR("must not have more than 3 nameservers"));
    for (size_t i = 0; i < dns->nameservers.n; i++)
        dray_validate_ip(rq, dns->nameservers.v[i], (dray_strings){0}, DRAY_AT_INDEX(&servers, i));
    if (dns->searches.n > DNS_SEARCHES_LIMIT)
        fail_invalid_text(rq, &searches, dray_value_strings(rq->arena, dns->searches),
                          DRAY_STR("must not have more than 32 search paths"));
    for (size_t i = 0; i < dns->searches.n; i++)
        characters += dns->searches.v[i].n + (i > 0);
    if (characters > DNS_SEARCH_CHARACTERS_LIMIT)
        fail_invalid_text(rq, &searches, dray_value_strings(rq->arena, dns->searches),
                          DRAY_STR("must not have more than 2048 characters (including spaces) in "
                                   "the search list"));
    for (size_t i = 0; i < dns->searches.n; i++) {
        dray_str search = dns->searches.v[i];
        if (dray_str_is(search, "."))
            continue;
        if (dray_str_ends(search, DRAY_STR(".")))
            search.n--;
        fail_texts(rq, DRAY_AT_INDEX(&searches, i), search, dray_check_subdomain_underscore);
    }
    for (size_t i = 0; i < dns->options.n; i++)
        if (dns->options.v[i].name.n == 0)
            fail_required(rq, DRAY_AT_INDEX(DRAY_AT(path, "options"), i),
                          DRAY_STR("must not be empty"));
}

static void validate_gates(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    for (size_t i = 0; i < spec->readiness_gates.n; i++) {
        dray_path item = dray_path_index(DRAY_AT(path, "readinessGates"), i);
        fail_texts(rq, DRAY_AT(&item, "conditionType"), spec->readiness_gates.v[i].condition_type,
                   dray_check_label_key);
    }
    for (size_t i = 0; i < spec->scheduling_gates.n; i++) {
        dray_str name = spec->scheduling_gates.v[i].name;
        dray_path item = dray_path_index(DRAY_AT(path, "schedulingGates"), i);
        fail_texts(rq, &item, name, dray_check_label_key);
        for (size_t j = 0; j < i; j++)
            if (dray_str_eq(spec->scheduling_gates.v[j].name, name)) {
                fail_duplicate(rq, &item, name);
                break;
            }
    }
}

static void validate_host_users(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    dray_str why = DRAY_STR("when `hostUsers` is false");
    if (!spec->host_users.set || spec->host_users.v)
        return;
    if (!check->user_namespace_host_network && spec->host_network)
        fail_forbidden(rq, DRAY_AT(path, "hostNetwork"), why);
    if (spec->host_pid)
        fail_forbidden(rq, DRAY_AT(path, "HostPID"), why);
    if (spec->host_ipc)
        fail_forbidden(rq, DRAY_AT(path, "HostIPC"), why);
    for (size_t i = 0; !check->user_namespace_devices && i < dray_pod_n_containers(spec); i++) {
        dray_container_ref ref = dray_pod_container(spec, i);
        if (ref.container->volume_devices.n > 0)
            fail_forbidden(
                rq, DRAY_AT(DRAY_AT_INDEX(DRAY_AT(path, ref.list), ref.index), "volumeDevices"),
                why);
    }
}

static void validate_hostname(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    dray_path at = dray_path_child(path, "hostnameOverride");
    if (spec->hostname_override.p == NULL)
        return;
    if (spec->set_hostname_as_fqdn.set && spec->set_hostname_as_fqdn.v)
        fail_forbidden(rq, &at, DRAY_STR("may not be specified when setHostnameAsFQDN is true"));
    if (spec->host_network)
        fail_forbidden(rq, &at, DRAY_STR("may not be specified when hostNetwork is true"));
    if (spec->hostname_override.n > HOSTNAME_OVERRIDE_LIMIT)
        fail_too_long(rq, &at, HOSTNAME_OVERRIDE_LIMIT);
    fail_texts(rq, &at, spec->hostname_override, dray_check_dns1123_subdomain);
}

/* Names of other things, each in its format, where they are given. */
static void validate_names(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    const struct {
        const char *field;
        dray_str name;
        dray_name_check *check;
    } names[] = {
        {"serviceAccountName", spec->service_account_name, dray_check_dns1123_subdomain},
        {"nodeName", spec->node_name, dray_check_dns1123_subdomain},
        {"hostname", spec->hostname, dray_check_dns1123_label},
        {"subdomain", spec->subdomain, dray_check_dns1123_label},
        {"priorityClassName", spec->priority_class_name, dray_check_dns1123_subdomain},
    };
    for (size_t i = 0; i < DRAY_COUNT(names); i++)
        if (names[i].name.n > 0)
            fail_texts(rq, DRAY_AT(path, names[i].field), names[i].name, names[i].check);
    if (spec->runtime_class_name.p != NULL)
        fail_texts(rq, DRAY_AT(path, "runtimeClassName"), spec->runtime_class_name,
                   dray_check_dns1123_subdomain);
    if (spec->active_deadline_seconds.set)
        dray_validate_range(rq, spec->active_deadline_seconds.v, 1, INT32_MAX,
                            DRAY_AT(path, "activeDeadlineSeconds"));
    for (size_t i = 0; i < spec->host_aliases.n; i++) {
        const dray_core_host_alias *alias = &spec->host_aliases.v[i];
        dray_path item = dray_path_index(DRAY_AT(path, "hostAliases"), i);
        dray_validate_ip(rq, alias->ip, (dray_strings){0}, DRAY_AT(&item, "ip"));
        for (size_t j = 0; j < alias->hostnames.n; j++)
            fail_texts(rq, DRAY_AT_INDEX(DRAY_AT(&item, "hostnames"), j), alias->hostnames.v[j],
                       dray_check_dns1123_subdomain);
    }
}

/* What 1.35 had in place of schedulingGroup. */
static void validate_workload_ref(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_workload_reference *ref = check->spec->workload_ref;
    dray_path at = dray_path_child(path, "workloadRef");
    if (ref == NULL)
        return;
    fail_texts(rq, DRAY_AT(&at, "name"), ref->name, dray_check_dns1123_subdomain);
    fail_texts(rq, DRAY_AT(&at, "podGroup"), ref->pod_group, dray_check_dns1123_label);
    if (ref->pod_group_replica_key.n > 0)
        fail_texts(rq, DRAY_AT(&at, "podGroupReplicaKey"), ref->pod_group_replica_key,
                   dray_check_dns1123_label);
}

static void validate_group(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_scheduling_group *group = check->spec->scheduling_group;
    dray_path at = dray_path_child(path, "schedulingGroup");
    if (group == NULL)
        return;
    if (group->pod_group_name.p == NULL)
        fail_invalid_text(rq, DRAY_AT(&at, "podGroupName"), DRAY_STR("null"),
                          DRAY_STR("must specify one of: `podGroupName`"));
    else
        fail_texts(rq, DRAY_AT(&at, "podGroupName"), group->pod_group_name,
                   dray_check_dns1123_subdomain);
    if (check->spec->eviction_responders.n > 0)
        fail_forbidden(rq, &at, DRAY_STR("may not be set when evictionResponders is set"));
}

void dray_validate_pod_spec(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    gather_claims(check);
    if (!spec->termination_grace_period_seconds.set)
        fail_required(rq, DRAY_AT(path, "terminationGracePeriodSeconds"), DRAY_STR(""));
    dray_validate_volumes(check, DRAY_AT(path, "volumes"));
    dray_validate_resource_claims(check, DRAY_AT(path, "resourceClaims"));
    dray_validate_containers(check, path);
    dray_validate_pod_resources(check, DRAY_AT(path, "resources"));
    validate_host_network(check, path);
    validate_policies(check, path);
    dray_validate_labels(rq, spec->node_selector, DRAY_AT(path, "nodeSelector"));
    dray_validate_pod_security(check, path);
    if (spec->share_process_namespace.set && spec->share_process_namespace.v && spec->host_pid)
        fail_invalid_bool(rq, DRAY_AT(path, "shareProcessNamespace"), true,
                          DRAY_STR("ShareProcessNamespace and HostPID cannot both be enabled"));
    dray_validate_affinity(check, DRAY_AT(path, "affinity"));
    validate_dns(check, DRAY_AT(path, "dnsConfig"));
    validate_gates(check, path);
    dray_validate_spread(check, DRAY_AT(path, "topologySpreadConstraints"));
    dray_validate_host_process(check, path);
    validate_host_users(check, path);
    validate_hostname(check, path);
    validate_names(check, path);
    dray_validate_tolerations(check, DRAY_AT(path, "tolerations"));
    dray_validate_overhead(check, DRAY_AT(path, "overhead"));
    dray_validate_pod_os(check, path);
    validate_group(check, path);
    validate_workload_ref(check, path);
    dray_validate_file_key_volumes(check, path);
}

void dray_validate_pod_template(dray_pod_check *check, const dray_core_pod_template_spec *template,
                                const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_meta_object_meta *meta = template->metadata;
    dray_path annotations = dray_path_child(path, "annotations");
    dray_path spec = dray_path_child(path, "spec");
    dray_validate_labels(rq, meta->labels, DRAY_AT(path, "labels"));
    dray_validate_annotations(rq, meta->annotations, &annotations);
    dray_validate_pod_annotations(check, meta->annotations, &annotations);
    dray_validate_pod_spec(check, &spec);
    dray_validate_profile_annotations(rq, meta->annotations, check->spec, &spec);
    if (check->spec->ephemeral_containers.n > 0)
        fail_forbidden(rq, DRAY_AT(&spec, "ephemeralContainers"),
                       DRAY_STR("ephemeral containers not allowed in pod template"));
}

static void validate_tokens(dray_pod_check *check, const dray_path *path) {
    const dray_core_pod_spec *spec = check->spec;
    for (size_t i = 0; spec->service_account_name.n == 0 && i < spec->volumes.n; i++) {
        const dray_core_projected_volume_source *projected =
            spec->volumes.v[i].volume_source->projected;
        dray_path volume = dray_path_index(DRAY_AT(path, "volumes"), i);
        dray_path sources = dray_path_child(DRAY_AT(&volume, "projected"), "sources");
        for (size_t j = 0; projected != NULL && j < projected->sources.n; j++)
            if (projected->sources.v[j].service_account_token != NULL)
                fail_forbidden(
                    check->rq, DRAY_AT(DRAY_AT_INDEX(&sources, j), "serviceAccountToken"),
                    DRAY_STR("must not be specified when serviceAccountName is not set"));
    }
}

void dray_validate_pod_whole(dray_pod_check *check, const dray_core_pod *pod) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    dray_path meta = dray_path_child(NULL, "metadata"), path = dray_path_child(NULL, "spec");
    dray_validate_meta(rq, dray_strategy_find(rq->kind), pod->metadata, true, &meta);
    dray_validate_pod_annotations(check, pod->metadata->annotations, DRAY_AT(&meta, "annotations"));
    dray_validate_pod_spec(check, &path);
    validate_tokens(check, &path);
    if (spec->termination_grace_period_seconds.set)
        dray_validate_non_negative(rq, spec->termination_grace_period_seconds.v,
                                   DRAY_AT(&path, "terminationGracePeriodSeconds"));
    for (size_t i = 0; i < spec->containers.n; i++)
        dray_validate_image_padding(rq, &spec->containers.v[i],
                                    DRAY_AT_INDEX(DRAY_AT(&path, "containers"), i));
    for (size_t i = 0; i < spec->init_containers.n; i++)
        dray_validate_image_padding(rq, &spec->init_containers.v[i],
                                    DRAY_AT_INDEX(DRAY_AT(&path, "initContainers"), i));
}

/* A name with a prefix that is none of the project's own, each once, and a priority. */
static void validate_responders(dray_request *rq, const dray_core_pod_spec *spec,
                                const dray_path *path) {
    size_t n = spec->eviction_responders.n;
    if (n > RESPONDERS_LIMIT) {
        fail_too_many(rq, path, n, RESPONDERS_LIMIT);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const dray_core_eviction_responder *one = &spec->eviction_responders.v[i];
        dray_path item = dray_path_index(path, i), name = dray_path_child(&item, "name");
        dray_path priority = dray_path_child(&item, "priority");
        dray_str domain = DRAY_STR(""), rest;
        bool taken = false;
        for (size_t j = 0; j < i && !taken; j++)
            taken = dray_str_eq(spec->eviction_responders.v[j].name, one->name);
        if (taken)
            fail(rq, DRAY_FIELD_DUPLICATE, &item,
                 dray_value_declared(rq->arena, &dray_type_core_eviction_responder, one),
                 DRAY_STR(""));
        bool prefixed = dray_str_cut(one->name, '/', &domain, &rest);
        if (one->name.n == 0)
            fail_required(rq, &name, DRAY_STR(""));
        else if (!prefixed)
            fail_invalid(rq, &name, one->name,
                         DRAY_STR("must include a prefix (e.g. 'example.com/key')"));
        else
            fail_texts(rq, &name, one->name, dray_check_label_key);
        if (prefixed && (dray_str_is(domain, "k8s.io") || dray_str_is(domain, "kubernetes.io") ||
                         dray_str_ends(domain, DRAY_STR(".k8s.io")) ||
                         dray_str_ends(domain, DRAY_STR(".kubernetes.io"))))
            fail_invalid(rq, &name, one->name,
                         DRAY_STR("domain names *.k8s.io, *.kubernetes.io are reserved"));
        if (!one->priority.set)
            fail_required(rq, &priority, DRAY_STR(""));
        else if (one->priority.v < 0)
            fail_invalid_int(rq, &priority, one->priority.v,
                             DRAY_STR("must be greater than or equal to 0"));
        else if (one->priority.v < RESPONDER_PRIORITY_MIN)
            fail_invalid_int(rq, &priority, one->priority.v,
                             DRAY_STR("priorities 0-999 are reserved for responders with *.k8s.io "
                                      "suffix"));
        else if (one->priority.v > RESPONDER_PRIORITY_MAX)
            fail_invalid_int(rq, &priority, one->priority.v,
                             DRAY_STR("must be less than or equal to 100000"));
    }
}

void dray_validate_pod_create(dray_request *rq, const dray_core_pod *pod) {
    dray_pod_check check = dray_pod_check_of(rq, pod->spec, NULL, pod->metadata, NULL);
    dray_path path = dray_path_child(NULL, "spec");
    check.is_pod = true;
    check.meta = pod->metadata;
    dray_validate_pod_whole(&check, pod);
    if (pod->spec->ephemeral_containers.n > 0)
        fail_forbidden(rq, DRAY_AT(&path, "ephemeralContainers"),
                       DRAY_STR("cannot be set on create"));
    if (pod->spec->node_name.n > 0 && pod->spec->scheduling_gates.n > 0)
        fail_forbidden(rq, DRAY_AT(&path, "nodeName"),
                       DRAY_STR("cannot be set until all schedulingGates have been cleared"));
    dray_validate_profile_annotations(rq, pod->metadata->annotations, pod->spec, &path);
    validate_responders(rq, pod->spec, DRAY_AT(&path, "evictionResponders"));
}
