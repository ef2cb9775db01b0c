/* Defaults of core, apps, batch and scheduling kinds: a row a type. */
#include "api/default_int.h"
#include "api/rules/image.h"

#include "api/default/pod_level_int.h"

enum { FILE_MODE = 0644, HOUR_SECONDS = 3600, CLIENT_IP_SECONDS = 10800 };

static void set_string(dray_str *s, const char *value) {
    if (s->n == 0)
        *s = dray_str_of(value);
}

static void set_int32(dray_opt_int32 *v, int32_t value) {
    if (!v->set)
        *v = (dray_opt_int32){true, value};
}

static void set_bool(dray_opt_bool *v, bool value) {
    if (!v->set)
        *v = (dray_opt_bool){true, value};
}

static void set_number(int32_t *v, int32_t value) {
    if (*v == 0)
        *v = value;
}

/* A string whose absence differs from "". */
static void set_pointer(dray_str *s, const char *value) {
    if (s->p == NULL)
        *s = dray_str_of(value);
}

/* Quantities are kept to a thousandth, rounded away from zero. */
static void round_quantities(dray_quantity *v, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int64_t milli;
        bool fits;
        if (dray_quantity_as_milli(v[i], &milli))
            continue;
        milli = dray_quantity_milli(v[i], &fits);
        if (fits)
            v[i] = dray_quantity_from_milli(milli, v[i].form);
    }
}

#define ROUND(map) round_quantities((map).v, (map).n)

static void default_pull_policy(dray_str *policy, dray_str image) {
    set_string(policy, dray_image_is_latest(image) ? "Always" : "IfNotPresent");
}

static void default_requirements(void *body, const dray_defaults *d) {
    dray_core_resource_requirements *r = body;
    ROUND(r->limits);
    ROUND(r->requests);
}

static void default_volume(void *body, const dray_defaults *d) {
    dray_core_volume_source *source = ((dray_core_volume *)body)->volume_source;
    const dray_type *type = &dray_type_core_volume_source;
    bool any = false;
    for (uint32_t i = 0; i < type->n_fields; i++)
        any = any || *(void **)((char *)source + type->fields[i].offset) != NULL;
    if (!any)
        source->empty_dir = dray_api_new(&dray_type_core_empty_dir_volume_source, d->arena);
    if (source->image != NULL && dray_gates_on(d->gates, DRAY_GATE_ImageVolume))
        default_pull_policy(&source->image->pull_policy, source->image->reference);
}

static void default_container(void *body, const dray_defaults *d) {
    dray_core_container *c = body;
    default_pull_policy(&c->image_pull_policy, c->image);
    set_string(&c->termination_message_path, "/dev/termination-log");
    set_string(&c->termination_message_policy, "File");
}

static void default_probe(void *body, const dray_defaults *d) {
    dray_core_probe *p = body;
    set_number(&p->timeout_seconds, 1);
    set_number(&p->period_seconds, 10);
    set_number(&p->success_threshold, 1);
    set_number(&p->failure_threshold, 3);
}

static void default_http_get(void *body, const dray_defaults *d) {
    dray_core_http_get_action *http = body;
    set_string(&http->path, "/");
    set_string(&http->scheme, "HTTP");
}

static void default_secret_volume(void *body, const dray_defaults *d) {
    set_int32(&((dray_core_secret_volume_source *)body)->default_mode, FILE_MODE);
}
static void default_config_map_volume(void *body, const dray_defaults *d) {
    set_int32(&((dray_core_config_map_volume_source *)body)->default_mode, FILE_MODE);
}
static void default_downward_volume(void *body, const dray_defaults *d) {
    set_int32(&((dray_core_downward_api_volume_source *)body)->default_mode, FILE_MODE);
}
static void default_projected_volume(void *body, const dray_defaults *d) {
    set_int32(&((dray_core_projected_volume_source *)body)->default_mode, FILE_MODE);
}
static void default_host_path(void *body, const dray_defaults *d) {
    set_pointer(&((dray_core_host_path_volume_source *)body)->type, "");
}
static void default_token(void *body, const dray_defaults *d) {
    dray_core_service_account_token_projection *token = body;
    if (!token->expiration_seconds.set)
        token->expiration_seconds = (dray_opt_int64){true, HOUR_SECONDS};
}
static void default_field_selector(void *body, const dray_defaults *d) {
    set_string(&((dray_core_object_field_selector *)body)->api_version, "v1");
}
static void default_iscsi(void *body, const dray_defaults *d) {
    set_string(&((dray_core_iscsi_volume_source *)body)->iscsi_interface, "default");
}

static void default_pod_spec(void *body, const dray_defaults *d) {
    dray_core_pod_spec *spec = body;
    if (spec->service_account_name.n == 0)
        spec->service_account_name = spec->service_account;
    spec->service_account = spec->service_account_name;
    set_string(&spec->dns_policy, "ClusterFirst");
    set_string(&spec->restart_policy, "Always");
    if (spec->security_context == NULL)
        spec->security_context = dray_api_new(&dray_type_core_pod_security_context, d->arena);
    if (!spec->termination_grace_period_seconds.set)
        spec->termination_grace_period_seconds = (dray_opt_int64){true, 30};
    set_string(&spec->scheduler_name, "default-scheduler");
    ROUND(spec->overhead);
}

static void default_protocol(dray_core_http_get_action *http) {
    if (http != NULL)
        set_pointer(&http->protocol, "HTTP1");
}

static void default_http_protocols(dray_core_container *c) {
    dray_core_probe *const probes[] = {c->liveness_probe, c->readiness_probe, c->startup_probe};
    for (size_t i = 0; i < 3; i++)
        if (probes[i] != NULL)
            default_protocol(probes[i]->probe_handler->http_get);
    if (c->lifecycle != NULL && c->lifecycle->post_start != NULL)
        default_protocol(c->lifecycle->post_start->http_get);
    if (c->lifecycle != NULL && c->lifecycle->pre_stop != NULL)
        default_protocol(c->lifecycle->pre_stop->http_get);
}

/* Requests of a container default to its limits, in Pods alone: a template keeps what it says. */
static void default_pod(void *body, const dray_defaults *d) {
    dray_core_pod_spec *spec = ((dray_core_pod *)body)->spec;
    if (spec->termination_grace_period_seconds.set && spec->termination_grace_period_seconds.v < 0)
        spec->termination_grace_period_seconds.v = 1;
    for (size_t i = 0; i < spec->containers.n + spec->init_containers.n; i++) {
        dray_core_container *c = i < spec->containers.n
                                     ? &spec->containers.v[i]
                                     : &spec->init_containers.v[i - spec->containers.n];
        if (c->resources->limits.k != NULL)
            MERGE(c->resources->requests, DRAY_RESOURCES(c->resources->limits), d->arena);
        for (size_t j = 0; spec->host_network && j < c->ports.n; j++)
            set_number(&c->ports.v[j].host_port, c->ports.v[j].container_port);
        if (dray_gates_on(d->gates, DRAY_GATE_H2CContainerProbe))
            default_http_protocols(c);
    }
    if (dray_gates_on(d->gates, DRAY_GATE_H2CContainerProbe))
        for (size_t i = 0; i < spec->ephemeral_containers.n; i++) {
            void *common = spec->ephemeral_containers.v[i].ephemeral_container_common;
            default_http_protocols(common);
        }
    /* From 1.37 on this is done when the Pod is created, not when it is read. */
    if (dray_gates_on(d->gates, DRAY_GATE_PodLevelResources) &&
        !dray_gates_on(d->gates, DRAY_GATE_PodLevelResourcesFixDefaulting))
        dray_default_pod_level(spec, false, d->arena);
    set_bool(&spec->enable_service_links, true);
}

static void default_pod_status(void *body, const dray_defaults *d) {
    dray_core_pod_status *s = body;
    if (s->pod_ip.n == 0 && s->pod_ips.n > 0)
        s->pod_ip = s->pod_ips.v[0].ip;
    else if (s->pod_ip.n > 0 &&
             (s->pod_ips.n == 0 || !dray_str_eq(s->pod_ips.v[0].ip, s->pod_ip))) {
        s->pod_ips.v = DRAY_NEW(d->arena, dray_core_pod_ip);
        s->pod_ips.v[0].ip = s->pod_ip;
        s->pod_ips.n = 1;
    }
    ROUND(s->allocated_resources);
}

static void default_container_status(void *body, const dray_defaults *d) {
    ROUND(((dray_core_container_status *)body)->allocated_resources);
}

static void default_node_status(void *body, const dray_defaults *d) {
    dray_core_node_status *s = body;
    if (s->allocatable.k == NULL && s->capacity.k != NULL) {
        s->allocatable.k = s->capacity.k;
        s->allocatable.v = s->capacity.v;
        s->allocatable.n = s->capacity.n;
    }
    ROUND(s->capacity);
    ROUND(s->allocatable);
}

static void default_namespace(void *body, const dray_defaults *d) {
    dray_meta_object_meta *meta = ((dray_core_namespace *)body)->metadata;
    dray_str key = DRAY_STR("kubernetes.io/metadata.name");
    size_t n = 0;
    if (meta->name.n == 0)
        return;
    dray_string_map labels = {DRAY_NEW_N(d->arena, dray_str, meta->labels.n + 1),
                              DRAY_NEW_N(d->arena, dray_str, meta->labels.n + 1), 0};
    while (n < meta->labels.n && dray_str_cmp(meta->labels.k[n], key) < 0)
        n++;
    bool present = n < meta->labels.n && dray_str_eq(meta->labels.k[n], key);
    for (size_t i = 0; i <= meta->labels.n; i++) {
        if (i == n) {
            labels.k[labels.n] = key;
            labels.v[labels.n++] = meta->name;
        }
        if (i < meta->labels.n && !(present && i == n)) {
            labels.k[labels.n] = meta->labels.k[i];
            labels.v[labels.n++] = meta->labels.v[i];
        }
    }
    meta->labels = labels;
}

static void default_namespace_status(void *body, const dray_defaults *d) {
    set_string(&((dray_core_namespace_status *)body)->phase, "Active");
}

static void default_secret(void *body, const dray_defaults *d) {
    set_string(&((dray_core_secret *)body)->type, "Opaque");
}

static void default_config_map(void *body, const dray_defaults *d) {
    dray_core_config_map *map = body;
    if (map->data.k == NULL) {
        map->data.k = DRAY_NEW(d->arena, dray_str);
        map->data.v = DRAY_NEW(d->arena, dray_str);
    }
}

static void default_quota_spec(void *body, const dray_defaults *d) {
    ROUND(((dray_core_resource_quota_spec *)body)->hard);
}
static void default_quota_status(void *body, const dray_defaults *d) {
    dray_core_resource_quota_status *s = body;
    ROUND(s->hard);
    ROUND(s->used);
}

static void default_claim(void *body, const dray_defaults *d) {
    set_string(&((dray_core_persistent_volume_claim *)body)->status->phase, "Pending");
}
static void default_claim_spec(void *body, const dray_defaults *d) {
    dray_core_persistent_volume_claim_spec *spec = body;
    set_pointer(&spec->volume_mode, "Filesystem");
    ROUND(spec->resources->limits);
    ROUND(spec->resources->requests);
}
static void default_volume_object(void *body, const dray_defaults *d) {
    dray_core_persistent_volume *volume = body;
    set_string(&volume->status->phase, "Pending");
    set_string(&volume->spec->persistent_volume_reclaim_policy, "Retain");
    set_pointer(&volume->spec->volume_mode, "Filesystem");
}

static void default_limit_item(void *body, const dray_defaults *d) {
    dray_core_limit_range_item *item = body;
    if (dray_str_is(item->type, "Container")) {
        MERGE(item->default_, DRAY_RESOURCES(item->max), d->arena);
        MERGE(item->default_request, DRAY_RESOURCES(item->default_), d->arena);
        MERGE(item->default_request, DRAY_RESOURCES(item->min), d->arena);
    }
}

static void default_service_ports(dray_core_service_spec *spec) {
    for (size_t i = 0; i < spec->ports.n; i++) {
        dray_core_service_port *port = &spec->ports.v[i];
        set_string(&port->protocol, "TCP");
        dray_int_or_string target = port->target_port;
        if (target.kind == DRAY_IOS_ABSENT || (target.kind == DRAY_IOS_INT && target.i == 0) ||
            (target.kind == DRAY_IOS_STRING && target.s.n == 0))
            port->target_port = (dray_int_or_string){.kind = DRAY_IOS_INT, .i = port->port};
    }
}

static void default_service_affinity(dray_core_service_spec *spec, const dray_defaults *d) {
    set_string(&spec->session_affinity, "None");
    if (dray_str_is(spec->session_affinity, "None"))
        spec->session_affinity_config = NULL;
    if (!dray_str_is(spec->session_affinity, "ClientIP"))
        return;
    dray_core_session_affinity_config *config = spec->session_affinity_config;
    if (config != NULL && config->client_ip != NULL && config->client_ip->timeout_seconds.set)
        return;
    config = dray_api_new(&dray_type_core_session_affinity_config, d->arena);
    config->client_ip = dray_api_new(&dray_type_core_client_ip_config, d->arena);
    config->client_ip->timeout_seconds = (dray_opt_int32){true, CLIENT_IP_SECONDS};
    spec->session_affinity_config = config;
}

static void default_service(void *body, const dray_defaults *d) {
    dray_core_service *service = body;
    dray_core_service_spec *spec = service->spec;
    default_service_affinity(spec, d);
    set_string(&spec->type, "ClusterIP");
    default_service_ports(spec);
    bool balanced = dray_str_is(spec->type, "LoadBalancer");
    bool node_port = dray_str_is(spec->type, "NodePort");
    bool cluster = dray_str_is(spec->type, "ClusterIP");
    if (balanced || node_port || (cluster && spec->external_ips.n > 0))
        set_string(&spec->external_traffic_policy, "Cluster");
    if (balanced || node_port || cluster)
        set_pointer(&spec->internal_traffic_policy, "Cluster");
    if (!balanced)
        return;
    set_bool(&spec->allocate_load_balancer_node_ports, true);
    for (size_t i = 0; i < service->status->load_balancer->ingress.n; i++)
        if (service->status->load_balancer->ingress.v[i].ip.n > 0)
            set_pointer(&service->status->load_balancer->ingress.v[i].ip_mode, "VIP");
}

static void set_int_or_string(dray_int_or_string *v, dray_int_or_string value) {
    if (v->kind == DRAY_IOS_ABSENT)
        *v = value;
}

static void default_deployment(void *body, const dray_defaults *d) {
    dray_apps_deployment_spec *spec = ((dray_apps_deployment *)body)->spec;
    dray_int_or_string quarter = {.kind = DRAY_IOS_STRING, .s = DRAY_STR("25%")};
    set_int32(&spec->replicas, 1);
    set_string(&spec->strategy->type, "RollingUpdate");
    if (dray_str_is(spec->strategy->type, "RollingUpdate")) {
        if (spec->strategy->rolling_update == NULL)
            spec->strategy->rolling_update =
                dray_api_new(&dray_type_apps_rolling_update_deployment, d->arena);
        set_int_or_string(&spec->strategy->rolling_update->max_unavailable, quarter);
        set_int_or_string(&spec->strategy->rolling_update->max_surge, quarter);
    }
    set_int32(&spec->revision_history_limit, 10);
    set_int32(&spec->progress_deadline_seconds, 600);
}

/* The server's own form has a plain number: absent, it is 0 from then on. */
static void zero_int_or_string(dray_int_or_string *value) {
    set_int_or_string(value, (dray_int_or_string){.kind = DRAY_IOS_INT, .i = 0});
}

static void default_daemon_set(void *body, const dray_defaults *d) {
    dray_apps_daemon_set_spec *spec = ((dray_apps_daemon_set *)body)->spec;
    dray_apps_daemon_set_update_strategy *strategy = spec->update_strategy;
    set_string(&strategy->type, "RollingUpdate");
    if (dray_str_is(strategy->type, "RollingUpdate")) {
        if (strategy->rolling_update == NULL)
            strategy->rolling_update =
                dray_api_new(&dray_type_apps_rolling_update_daemon_set, d->arena);
        set_int_or_string(&strategy->rolling_update->max_unavailable,
                          (dray_int_or_string){.kind = DRAY_IOS_INT, .i = 1});
    }
    if (strategy->rolling_update != NULL) {
        zero_int_or_string(&strategy->rolling_update->max_unavailable);
        zero_int_or_string(&strategy->rolling_update->max_surge);
    }
    set_int32(&spec->revision_history_limit, 10);
}

static void default_stateful_set(void *body, const dray_defaults *d) {
    dray_apps_stateful_set_spec *spec = ((dray_apps_stateful_set *)body)->spec;
    dray_apps_stateful_set_update_strategy *strategy = spec->update_strategy;
    set_string(&spec->pod_management_policy, "OrderedReady");
    if (strategy->type.n == 0) {
        strategy->type = DRAY_STR("RollingUpdate");
        if (strategy->rolling_update == NULL)
            strategy->rolling_update =
                dray_api_new(&dray_type_apps_rolling_update_stateful_set_strategy, d->arena);
    }
    if (dray_str_is(strategy->type, "RollingUpdate") && strategy->rolling_update != NULL &&
        dray_gates_on(d->gates, DRAY_GATE_MaxUnavailableStatefulSet))
        set_int_or_string(&strategy->rolling_update->max_unavailable,
                          (dray_int_or_string){.kind = DRAY_IOS_INT, .i = 1});
    if (strategy->rolling_update != NULL)
        set_int32(&strategy->rolling_update->partition, 0);
    if (spec->persistent_volume_claim_retention_policy == NULL)
        spec->persistent_volume_claim_retention_policy = dray_api_new(
            &dray_type_apps_stateful_set_persistent_volume_claim_retention_policy, d->arena);
    set_string(&spec->persistent_volume_claim_retention_policy->when_deleted, "Retain");
    set_string(&spec->persistent_volume_claim_retention_policy->when_scaled, "Retain");
    set_int32(&spec->replicas, 1);
    set_int32(&spec->revision_history_limit, 10);
}

static void default_replica_set(void *body, const dray_defaults *d) {
    set_int32(&((dray_apps_replica_set *)body)->spec->replicas, 1);
}

static void default_job(void *body, const dray_defaults *d) {
    dray_batch_job *job = body;
    dray_batch_job_spec *spec = job->spec;
    if (!spec->completions.set && !spec->parallelism.set)
        spec->completions = (dray_opt_int32){true, 1};
    set_int32(&spec->parallelism, 1);
    set_int32(&spec->backoff_limit, spec->backoff_limit_per_index.set ? INT32_MAX : 6);
    if (spec->template->metadata->labels.k != NULL && job->metadata->labels.n == 0)
        job->metadata->labels = spec->template->metadata->labels;
    set_pointer(&spec->completion_mode, "NonIndexed");
    set_bool(&spec->suspend, false);
    set_pointer(&spec->pod_replacement_policy,
                spec->pod_failure_policy != NULL ? "Failed" : "TerminatingOrFailed");
    set_bool(&spec->manual_selector, false);
}

static void default_cron_job(void *body, const dray_defaults *d) {
    dray_batch_cron_job_spec *spec = ((dray_batch_cron_job *)body)->spec;
    set_string(&spec->concurrency_policy, "Allow");
    set_bool(&spec->suspend, false);
    set_int32(&spec->successful_jobs_history_limit, 3);
    set_int32(&spec->failed_jobs_history_limit, 1);
}

static void default_failure_pattern(void *body, const dray_defaults *d) {
    set_string(&((dray_batch_pod_failure_policy_on_pod_conditions_pattern *)body)->status, "True");
}

static void default_priority_class(void *body, const dray_defaults *d) {
    set_pointer(&((dray_scheduling_priority_class *)body)->preemption_policy,
                "PreemptLowerPriority");
}

const dray_default_hook dray_default_hooks_core[] = {
    {&dray_type_core_pod, default_pod},
    {&dray_type_core_pod_spec, default_pod_spec},
    {&dray_type_core_pod_status, default_pod_status},
    {&dray_type_core_container, default_container},
    {&dray_type_core_ephemeral_container_common, default_container},
    {&dray_type_core_container_status, default_container_status},
    {&dray_type_core_resource_requirements, default_requirements},
    {&dray_type_core_volume, default_volume},
    {&dray_type_core_probe, default_probe},
    {&dray_type_core_http_get_action, default_http_get},
    {&dray_type_core_secret_volume_source, default_secret_volume},
    {&dray_type_core_config_map_volume_source, default_config_map_volume},
    {&dray_type_core_downward_api_volume_source, default_downward_volume},
    {&dray_type_core_projected_volume_source, default_projected_volume},
    {&dray_type_core_host_path_volume_source, default_host_path},
    {&dray_type_core_iscsi_volume_source, default_iscsi},
    {&dray_type_core_service_account_token_projection, default_token},
    {&dray_type_core_object_field_selector, default_field_selector},
    {&dray_type_core_node_status, default_node_status},
    {&dray_type_core_namespace, default_namespace},
    {&dray_type_core_namespace_status, default_namespace_status},
    {&dray_type_core_secret, default_secret},
    {&dray_type_core_config_map, default_config_map},
    {&dray_type_core_resource_quota_spec, default_quota_spec},
    {&dray_type_core_resource_quota_status, default_quota_status},
    {&dray_type_core_persistent_volume_claim, default_claim},
    {&dray_type_core_persistent_volume_claim_spec, default_claim_spec},
    {&dray_type_core_persistent_volume, default_volume_object},
    {&dray_type_core_limit_range_item, default_limit_item},
    {&dray_type_core_service, default_service},
    {&dray_type_apps_deployment, default_deployment},
    {&dray_type_apps_daemon_set, default_daemon_set},
    {&dray_type_apps_stateful_set, default_stateful_set},
    {&dray_type_apps_replica_set, default_replica_set},
    {&dray_type_batch_job, default_job},
    {&dray_type_batch_cron_job, default_cron_job},
    {&dray_type_batch_pod_failure_policy_on_pod_conditions_pattern, default_failure_pattern},
    {&dray_type_scheduling_priority_class, default_priority_class},
};
const size_t dray_n_default_hooks_core = DRAY_COUNT(dray_default_hooks_core);
