/* Strategies of the core, apps, batch and scheduling kinds, a row each. */
#include "api/strategy/core_int.h"

#define TEMPLATE_GENERATION "deprecated.daemonset.template.generation"

void dray_name_subdomain(dray_request *rq, dray_str name, const dray_path *path) {
    fail_texts(rq, path, name, dray_check_dns1123_subdomain);
}

void dray_name_label(dray_request *rq, dray_str name, const dray_path *path) {
    fail_texts(rq, path, name, dray_check_dns1123_label);
}

static void name_service(dray_request *rq, dray_str name, const dray_path *path) {
    fail_texts(rq, path, name,
               dray_request_gate(rq, DRAY_GATE_RelaxedServiceNameValidation)
                   ? dray_check_dns1123_label
                   : dray_check_dns1035_label);
}

void dray_warn_hostname(dray_request *rq, const dray_meta_object_meta *meta, const char *where) {
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = dray_check_dns1123_label(meta->name, texts, rq->arena);
    if (n == 0)
        return;
    DRAY_CLEANUP_BUF dray_buf all = DRAY_BUF_INIT;
    for (size_t i = 0; i < n; i++)
        dray_buf_addf(&all, "%s" DRAY_FMT, i > 0 ? " " : "", DRAY_ARG(texts[i]));
    dray_warn(rq, DRAY_AT(DRAY_AT(NULL, "metadata"), "name"),
              DETAIL(rq,
                     "this is used in %s, which can result in surprising behavior; a DNS label is "
                     "recommended: [" DRAY_FMT "]",
                     where, DRAY_ARG(dray_buf_str(&all))));
}

/* validate and validate_update of kinds whose check takes the old object or NULL. */
#define CHECKS(name)                                                                 \
    static void name##_create(dray_request *rq, const void *body) {                  \
        dray_validate_##name(rq, body, NULL);                                        \
    }                                                                                \
    static void name##_update(dray_request *rq, const void *body, const void *old) { \
        dray_validate_##name(rq, body, old);                                         \
    }
CHECKS(deployment)
CHECKS(replica_set)
CHECKS(daemon_set)
CHECKS(stateful_set)
CHECKS(job)
CHECKS(cron_job)
CHECKS(node)
CHECKS(namespace_object)
CHECKS(quota)
CHECKS(config_map)
CHECKS(secret)
CHECKS(service_account)
CHECKS(service)
CHECKS(priority_class)

/* Create starts with an empty status; update keeps the stored one; status keeps the stored spec. */
#define KEEPS(name, type)                                                                         \
    static void name##_reset(dray_request *rq, dray_##type *body) {                               \
        body->status = dray_api_new(&dray_type_##type##_status, rq->arena);                       \
    }                                                                                             \
    static void name##_keep_status(dray_request *rq, dray_##type *body, const dray_##type *old) { \
        body->status = dray_api_copy(&dray_type_##type##_status, old->status, rq->arena);         \
    }                                                                                             \
    static void name##_status(dray_request *rq, void *body, const void *old) {                    \
        ((dray_##type *)body)->spec =                                                             \
            dray_api_copy(&dray_type_##type##_spec, ((const dray_##type *)old)->spec, rq->arena); \
    }
KEEPS(deployment, apps_deployment)
KEEPS(replica_set, apps_replica_set)
KEEPS(daemon_set, apps_daemon_set)
KEEPS(stateful_set, apps_stateful_set)
KEEPS(job, batch_job)
KEEPS(cron_job, batch_cron_job)
KEEPS(quota, core_resource_quota)
KEEPS(namespace, core_namespace)
KEEPS(service, core_service)

static void drop_template(dray_request *rq, dray_core_pod_template_spec *template,
                          const dray_core_pod_template_spec *old) {
    dray_drop_pod_fields(rq, template->spec, old != NULL ? old->spec : NULL,
                         &template->metadata->annotations);
}

/* The generation grows with the spec. */
static void grow(dray_meta_object_meta *meta, const dray_meta_object_meta *old, bool changed) {
    meta->generation = old->generation + (changed ? 1 : 0);
}

static void warn_template(dray_request *rq, const dray_core_pod_template_spec *template) {
    dray_path path = dray_path_child(DRAY_AT(NULL, "spec"), "template");
    dray_warn_pod(rq, template->spec, template->metadata, &path);
}

static void deployment_prepare(dray_request *rq, void *body) {
    dray_apps_deployment *d = body;
    deployment_reset(rq, d);
    d->metadata->generation = 1;
    drop_template(rq, d->spec->template, NULL);
}
static void deployment_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_apps_deployment *d = body;
    const dray_apps_deployment *old = old_body;
    deployment_keep_status(rq, d, old);
    drop_template(rq, d->spec->template, old->spec->template);
    grow(d->metadata, old->metadata,
         !dray_api_equal(&dray_type_apps_deployment_spec, d->spec, old->spec) ||
             !dray_string_map_same(d->metadata->annotations, old->metadata->annotations));
}
static void deployment_warn(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_deployment *d = body, *old = old_body;
    if (old == NULL)
        dray_warn_hostname(rq, d->metadata, "Pod names and hostnames");
    if (old == NULL || d->metadata->generation != old->metadata->generation)
        warn_template(rq, d->spec->template);
}

static void replica_set_prepare(dray_request *rq, void *body) {
    dray_apps_replica_set *rs = body;
    replica_set_reset(rq, rs);
    rs->metadata->generation = 1;
    drop_template(rq, rs->spec->template, NULL);
}
static void replica_set_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_apps_replica_set *rs = body;
    const dray_apps_replica_set *old = old_body;
    replica_set_keep_status(rq, rs, old);
    drop_template(rq, rs->spec->template, old->spec->template);
    grow(rs->metadata, old->metadata,
         !dray_api_equal(&dray_type_apps_replica_set_spec, rs->spec, old->spec));
}
static void replica_set_warn(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_replica_set *rs = body, *old = old_body;
    if (old == NULL)
        dray_warn_hostname(rq, rs->metadata, "Pod names and hostnames");
    if (old == NULL || rs->metadata->generation != old->metadata->generation)
        warn_template(rq, rs->spec->template);
}

/* apps/v1 keeps a DaemonSet's template generation in an annotation. */
static void set_template_generation(dray_request *rq, dray_apps_daemon_set *ds, dray_str value) {
    dray_string_map *map = &ds->metadata->annotations;
    dray_str key = DRAY_STR(TEMPLATE_GENERATION);
    size_t at = 0;
    while (at < map->n && dray_str_cmp(map->k[at], key) < 0)
        at++;
    bool present = at < map->n && dray_str_eq(map->k[at], key);
    dray_string_map to = {DRAY_NEW_N(rq->arena, dray_str, map->n + 1),
                          DRAY_NEW_N(rq->arena, dray_str, map->n + 1), 0};
    for (size_t i = 0; i <= map->n; i++) {
        if (i == at) {
            to.k[to.n] = key;
            to.v[to.n++] = value;
        }
        if (i < map->n && !(present && i == at)) {
            to.k[to.n] = map->k[i];
            to.v[to.n++] = map->v[i];
        }
    }
    *map = to;
}

/* 0 for what is no number that the annotation may hold. */
static int64_t template_generation(const dray_meta_object_meta *meta) {
    dray_str value;
    int64_t n = 0;
    if (!map_find(meta->annotations, DRAY_STR(TEMPLATE_GENERATION), &value) || value.n > 18)
        return 0;
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            return 0;
        n = n * 10 + (value.p[i] - '0');
    }
    return n;
}

static void daemon_set_prepare(dray_request *rq, void *body) {
    dray_apps_daemon_set *ds = body;
    int64_t generation = template_generation(ds->metadata);
    daemon_set_reset(rq, ds);
    ds->metadata->generation = 1;
    set_template_generation(rq, ds,
                            DETAIL(rq, "%lld", (long long)(generation < 1 ? 1 : generation)));
    drop_template(rq, ds->spec->template, NULL);
}
static void daemon_set_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_apps_daemon_set *ds = body;
    const dray_apps_daemon_set *old = old_body;
    int64_t generation = template_generation(old->metadata);
    drop_template(rq, ds->spec->template, old->spec->template);
    daemon_set_keep_status(rq, ds, old);
    bool template =
        !dray_api_equal(&dray_type_core_pod_template_spec, old->spec->template, ds->spec->template);
    set_template_generation(rq, ds, DETAIL(rq, "%lld", (long long)(generation + template)));
    grow(ds->metadata, old->metadata,
         template || !dray_api_equal(&dray_type_apps_daemon_set_spec, old->spec, ds->spec));
}
static void daemon_set_warn(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_daemon_set *ds = body, *old = old_body;
    if (old == NULL || template_generation(ds->metadata) != template_generation(old->metadata))
        warn_template(rq, ds->spec->template);
}

static void drop_stateful(dray_request *rq, dray_apps_stateful_set *set,
                          const dray_apps_stateful_set *old) {
    dray_apps_rolling_update_stateful_set_strategy *rolling =
        set->spec->update_strategy->rolling_update;
    const dray_apps_rolling_update_stateful_set_strategy *was =
        old != NULL ? old->spec->update_strategy->rolling_update : NULL;
    bool used = was != NULL && was->max_unavailable.kind != DRAY_IOS_ABSENT;
    if (!dray_request_gate(rq, DRAY_GATE_MaxUnavailableStatefulSet) && !used && rolling != NULL)
        rolling->max_unavailable = (dray_int_or_string){0};
    drop_template(rq, set->spec->template, old != NULL ? old->spec->template : NULL);
}
static void stateful_set_prepare(dray_request *rq, void *body) {
    dray_apps_stateful_set *set = body;
    stateful_set_reset(rq, set);
    set->metadata->generation = 1;
    drop_stateful(rq, set, NULL);
}
static void stateful_set_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_apps_stateful_set *set = body;
    const dray_apps_stateful_set *old = old_body;
    stateful_set_keep_status(rq, set, old);
    drop_stateful(rq, set, old);
    grow(set->metadata, old->metadata,
         !dray_api_equal(&dray_type_apps_stateful_set_spec, set->spec, old->spec));
}
static void stateful_set_warn(dray_request *rq, const void *body, const void *old_body) {
    const dray_apps_stateful_set *set = body, *old = old_body;
    if (old == NULL || set->metadata->generation != old->metadata->generation)
        warn_template(rq, set->spec->template);
    if (set->spec->revision_history_limit.set && set->spec->revision_history_limit.v < 0)
        dray_warn(rq, DRAY_AT(DRAY_AT(NULL, "spec"), "revisionHistoryLimit"),
                  DRAY_STR("a negative value retains all historical revisions; a value >= 0 is "
                           "recommended"));
}

/* Adds what is not there yet; the map is sorted. */
static void put_label(dray_request *rq, dray_string_map *map, const char *name, dray_str value) {
    dray_str key = dray_str_of(name);
    if (map_has(*map, key))
        return;
    dray_string_map to = {DRAY_NEW_N(rq->arena, dray_str, map->n + 1),
                          DRAY_NEW_N(rq->arena, dray_str, map->n + 1), 0};
    size_t i = 0;
    for (; i < map->n && dray_str_cmp(map->k[i], key) < 0; i++) {
        to.k[to.n] = map->k[i];
        to.v[to.n++] = map->v[i];
    }
    to.k[to.n] = key;
    to.v[to.n++] = value;
    for (; i < map->n; i++) {
        to.k[to.n] = map->k[i];
        to.v[to.n++] = map->v[i];
    }
    *map = to;
}

static void generate_selector(dray_request *rq, dray_batch_job *job) {
    dray_string_map *labels = &job->spec->template->metadata->labels;
    dray_str name = job->metadata->name, uid = job->metadata->uid;
    if (job->spec->manual_selector.set && job->spec->manual_selector.v)
        return;
    /* Labels that were defaulted from the template's are the same map: they get the new ones too.
     */
    bool shared = job->metadata->labels.k != NULL && job->metadata->labels.k == labels->k;
    put_label(rq, labels, "job-name", name);
    put_label(rq, labels, "batch.kubernetes.io/job-name", name);
    put_label(rq, labels, "controller-uid", uid);
    put_label(rq, labels, "batch.kubernetes.io/controller-uid", uid);
    if (shared)
        job->metadata->labels = *labels;
    dray_meta_label_selector *selector = DRAY_NEW(rq->arena, dray_meta_label_selector);
    if (job->spec->selector != NULL)
        *selector = *job->spec->selector;
    put_label(rq, &selector->match_labels, "batch.kubernetes.io/controller-uid", uid);
    job->spec->selector = selector;
}

static void drop_job(dray_request *rq, dray_batch_job_spec *spec, const dray_batch_job_spec *old) {
    if (!dray_request_gate(rq, DRAY_GATE_WorkloadWithJob) &&
        (old == NULL || old->scheduling == NULL))
        spec->scheduling = NULL;
    drop_template(rq, spec->template, old != NULL ? old->template : NULL);
}
static bool managed_by_off(dray_request *rq) {
    return dray_gate_known(DRAY_GATE_JobManagedBy, rq->gates->release) &&
           !dray_request_gate(rq, DRAY_GATE_JobManagedBy);
}
static void job_prepare(dray_request *rq, void *body) {
    dray_batch_job *job = body;
    generate_selector(rq, job);
    job_reset(rq, job);
    job->metadata->generation = 1;
    if (managed_by_off(rq))
        job->spec->managed_by = DRAY_STR_NONE;
    drop_job(rq, job->spec, NULL);
}
static void job_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_batch_job *job = body;
    const dray_batch_job *old = old_body;
    job_keep_status(rq, job, old);
    drop_job(rq, job->spec, old->spec);
    grow(job->metadata, old->metadata,
         !dray_api_equal(&dray_type_batch_job_spec, job->spec, old->spec));
}
static void warn_job_spec(dray_request *rq, const dray_batch_job_spec *spec,
                          const dray_path *path) {
    dray_path template = dray_path_child(path, "template");
    if (dray_str_is(spec->completion_mode, "Indexed") && spec->completions.set &&
        spec->parallelism.set && spec->completions.v > 100000 && spec->parallelism.v > 10000)
        dray_request_warn(
            rq, DRAY_STR("In Indexed Jobs with a number of completions higher than 10^5 and a "
                         "parallelism higher than 10^4, Kubernetes might not be able to track "
                         "completedIndexes when a big number of indexes fail"));
    dray_warn_pod(rq, spec->template->spec, spec->template->metadata, &template);
}
static void job_warn(dray_request *rq, const void *body, const void *old_body) {
    const dray_batch_job *job = body, *old = old_body;
    dray_path path = dray_path_child(NULL, "spec");
    if (old == NULL)
        dray_warn_hostname(rq, job->metadata, "Pod names and hostnames");
    if (old == NULL || job->metadata->generation != old->metadata->generation)
        warn_job_spec(rq, job->spec, &path);
}

static void cron_job_prepare(dray_request *rq, void *body) {
    dray_batch_cron_job *cron = body;
    cron_job_reset(rq, cron);
    cron->metadata->generation = 1;
    drop_job(rq, cron->spec->job_template->spec, NULL);
}
static void cron_job_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_batch_cron_job *cron = body;
    const dray_batch_cron_job *old = old_body;
    cron_job_keep_status(rq, cron, old);
    drop_job(rq, cron->spec->job_template->spec, old->spec->job_template->spec);
    grow(cron->metadata, old->metadata,
         !dray_api_equal(&dray_type_batch_cron_job_spec, cron->spec, old->spec));
}
static void cron_job_warn(dray_request *rq, const void *body, const void *old_body) {
    const dray_batch_cron_job *cron = body, *old = old_body;
    dray_path path = dray_path_child(DRAY_AT(DRAY_AT(NULL, "spec"), "jobTemplate"), "spec");
    if (old == NULL)
        dray_warn_hostname(rq, cron->metadata, "Pod names and hostnames");
    if (old == NULL || cron->metadata->generation != old->metadata->generation)
        warn_job_spec(rq, cron->spec->job_template->spec, &path);
    if (old != NULL && dray_str_find(cron->spec->schedule, DRAY_STR("TZ")) != SIZE_MAX)
        dray_warn(rq, DRAY_AT(DRAY_AT(NULL, "spec"), "schedule"),
                  DETAIL(rq,
                         "cannot use TZ or CRON_TZ in schedule, use timeZone instead: " DRAY_FMT,
                         DRAY_ARG(cron->spec->schedule)));
}
/* A CronJob's status update is checked as an update is. */
static void cron_job_validate_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_batch_cron_job *cron = body, *old = old_body;
    dray_validate_object_meta(rq, cron->metadata, old->metadata, false);
}

static void drop_node(dray_request *rq, dray_core_node *node, const dray_core_node *old) {
    if (old == NULL || old->spec->config_source == NULL)
        node->spec->config_source = NULL;
    if (old == NULL)
        node->status->config = NULL;
    if (dray_gate_known(DRAY_GATE_NodeDeclaredFeatures, rq->gates->release) &&
        !dray_request_gate(rq, DRAY_GATE_NodeDeclaredFeatures) &&
        (old == NULL || old->status->declared_features.n == 0))
        node->status->declared_features = (dray_strings){0};
    if (!dray_request_gate(rq, DRAY_GATE_InPlacePodVerticalScalingSchedulerPreemption) &&
        (old == NULL || old->spec->pod_preemption_policy == NULL))
        node->spec->pod_preemption_policy = NULL;
    if (dray_gate_known(DRAY_GATE_SupplementalGroupsPolicy, rq->gates->release) &&
        !dray_request_gate(rq, DRAY_GATE_SupplementalGroupsPolicy) &&
        (old == NULL || old->status->features == NULL ||
         !old->status->features->supplemental_groups_policy.set))
        node->status->features = NULL;
    if (dray_gate_known(DRAY_GATE_UserNamespacesSupport, rq->gates->release) &&
        !dray_request_gate(rq, DRAY_GATE_UserNamespacesSupport) &&
        dray_gate_known(DRAY_GATE_RecursiveReadOnlyMounts, rq->gates->release) &&
        !dray_request_gate(rq, DRAY_GATE_RecursiveReadOnlyMounts)) {
        node->status->runtime_handlers.v = NULL;
        node->status->runtime_handlers.n = 0;
    }
}
static void node_prepare(dray_request *rq, void *body) {
    drop_node(rq, body, NULL);
}
static void node_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_core_node *node = body;
    const dray_core_node *old = old_body;
    node->status = dray_api_copy(&dray_type_core_node_status, old->status, rq->arena);
    drop_node(rq, node, old);
}
static void node_status(dray_request *rq, void *body, const void *old_body) {
    dray_core_node *node = body;
    const dray_core_node *old = old_body;
    node->spec = dray_api_copy(&dray_type_core_node_spec, old->spec, rq->arena);
    if (old->status->config == NULL)
        node->status->config = NULL;
    drop_node(rq, node, old);
}
static void node_warn(dray_request *rq, const void *body, const void *old) {
    const dray_core_node *node = body;
    dray_path spec = dray_path_child(NULL, "spec");
    if (node->spec->config_source != NULL)
        dray_warn(rq, DRAY_AT(&spec, "configSource"),
                  DRAY_STR("the feature is no longer supported"));
    if (node->spec->external_id.n > 0)
        dray_warn(rq, DRAY_AT(&spec, "externalID"),
                  DRAY_STR("this field is deprecated, and is unused by Kubernetes"));
    for (size_t i = 0; i < node->spec->pod_cidrs.n; i++)
        dray_warn_cidr(rq, node->spec->pod_cidrs.v[i],
                       DRAY_AT_INDEX(DRAY_AT(&spec, "podCIDRs"), i));
}

static void namespace_prepare(dray_request *rq, void *body) {
    dray_core_namespace *ns = body;
    dray_strings *finalizers = &ns->spec->finalizers;
    namespace_reset(rq, ns);
    ns->status->phase = DRAY_STR("Active");
    if (!strings_have(*finalizers, DRAY_STR("kubernetes"))) {
        dray_strings all = {DRAY_NEW_N(rq->arena, dray_str, finalizers->n + 1), 0};
        for (; all.n < finalizers->n; all.n++)
            all.v[all.n] = finalizers->v[all.n];
        all.v[all.n++] = DRAY_STR("kubernetes");
        *finalizers = all;
    }
    /* The label of the name is put there once more after the name is known. */
    dray_string_map *labels = &ns->metadata->labels;
    dray_string_map others = {DRAY_NEW_N(rq->arena, dray_str, labels->n + 1),
                              DRAY_NEW_N(rq->arena, dray_str, labels->n + 1), 0};
    for (size_t i = 0; i < labels->n; i++) {
        if (dray_str_is(labels->k[i], "kubernetes.io/metadata.name"))
            continue;
        others.k[others.n] = labels->k[i];
        others.v[others.n++] = labels->v[i];
    }
    *labels = others;
    put_label(rq, labels, "kubernetes.io/metadata.name", ns->metadata->name);
}
static void namespace_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_core_namespace *ns = body;
    const dray_core_namespace *old = old_body;
    ns->spec->finalizers = old->spec->finalizers;
    namespace_keep_status(rq, ns, old);
}

static void quota_prepare(dray_request *rq, void *body) {
    quota_reset(rq, body);
}
static void quota_prepare_update(dray_request *rq, void *body, const void *old) {
    quota_keep_status(rq, body, old);
}
static void quota_warn(dray_request *rq, const void *body, const void *old) {
    static const char *const names[] = {"cpu", "memory", "storage", "ephemeral-storage"};
    const dray_core_resource_quota *quota = body;
    dray_resource_list hard = DRAY_RESOURCES(quota->spec->hard);
    for (size_t i = 0; old == NULL && i < DRAY_COUNT(names); i++) {
        dray_str request_name = DETAIL(rq, "requests.%s", names[i]);
        dray_str limit_name = DETAIL(rq, "limits.%s", names[i]);
        const dray_quantity *request = dray_resource_list_find(hard, request_name);
        const dray_quantity *limit = dray_resource_list_find(hard, limit_name);
        if (request == NULL && i < 2) {
            request_name = dray_str_of(names[i]);
            request = dray_resource_list_find(hard, request_name);
        }
        if (request != NULL && limit != NULL && dray_quantity_cmp(*request, *limit) > 0)
            dray_request_warn(rq, DETAIL(rq,
                                         "ResourceQuota " DRAY_FMT " (" DRAY_FMT
                                         ") should be less than " DRAY_FMT " (" DRAY_FMT ")",
                                         DRAY_ARG(request_name),
                                         DRAY_ARG(dray_quantity_format(*request, rq->arena)),
                                         DRAY_ARG(limit_name),
                                         DRAY_ARG(dray_quantity_format(*limit, rq->arena))));
    }
}

/* stringData is written over data and forgotten. */
static void secret_strings(dray_request *rq, void *body) {
    dray_core_secret *secret = body;
    for (size_t i = 0; i < secret->string_data.n; i++) {
        size_t n = secret->data.n, at = 0;
        dray_str key = secret->string_data.k[i], value = secret->string_data.v[i];
        while (at < n && dray_str_cmp(secret->data.k[at], key) < 0)
            at++;
        if (at < n && dray_str_eq(secret->data.k[at], key)) {
            secret->data.v[at] = value;
            continue;
        }
        dray_str *k = DRAY_NEW_N(rq->arena, dray_str, n + 1);
        dray_str *v = DRAY_NEW_N(rq->arena, dray_str, n + 1);
        for (size_t j = 0; j < n; j++) {
            k[j + (j >= at)] = secret->data.k[j];
            v[j + (j >= at)] = secret->data.v[j];
        }
        k[at] = key;
        v[at] = value;
        secret->data.k = k;
        secret->data.v = v;
        secret->data.n = n + 1;
    }
    secret->string_data = (dray_string_map){0};
}
static void secret_prepare_update(dray_request *rq, void *body, const void *old_body) {
    dray_core_secret *secret = body;
    secret_strings(rq, body);
    if (secret->type.n == 0)
        secret->type = ((const dray_core_secret *)old_body)->type;
}

static void account_prepare(dray_request *rq, void *body) {
    dray_core_service_account *account = body;
    for (size_t i = 0; i < account->secrets.n; i++)
        account->secrets.v[i] = (dray_core_object_reference){.name = account->secrets.v[i].name};
}
static void account_prepare_update(dray_request *rq, void *body, const void *old) {
    account_prepare(rq, body);
}
static void account_warn(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_service_account *account = body, *old = old_body;
    dray_str key = DRAY_STR("kubernetes.io/enforce-mountable-secrets");
    if (!map_has(account->metadata->annotations, key) ||
        (old != NULL && map_has(old->metadata->annotations, key)))
        return;
    dray_warn(rq, DRAY_AT_KEY(DRAY_AT(DRAY_AT(NULL, "metadata"), "annotations"), key),
              DRAY_STR("deprecated in v1.32+; prefer separate namespaces to isolate access to "
                       "mounted secrets"));
}

static void service_prepare(dray_request *rq, void *body) {
    service_reset(rq, body);
}
static void service_prepare_update(dray_request *rq, void *body, const void *old) {
    dray_core_service *service = body;
    service_keep_status(rq, body, old);
    dray_service_drop_by_type(service, old);
    if (!dray_str_is(service->spec->type, "LoadBalancer")) {
        service->status = dray_api_copy(&dray_type_core_service_status, service->status, rq->arena);
        service->status->load_balancer =
            dray_api_new(&dray_type_core_load_balancer_status, rq->arena);
    }
}
static void service_warn(dray_request *rq, const void *body, const void *old) {
    if (rq->subresource.n > 0)
        return;
    const dray_core_service *s = body;
    const dray_core_service_spec *spec = s->spec;
    bool headless = dray_str_is(spec->type, "ClusterIP") && dray_str_is(spec->cluster_ip, "None");
    bool by_name = dray_str_is(spec->type, "ExternalName");
    dray_path path = dray_path_child(NULL, "spec");
    const struct {
        bool when;
        const char *text;
    } texts[] = {
        {map_has(s->metadata->annotations, DRAY_STR("service.kubernetes.io/topology-aware-hints")),
         "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
         "service.kubernetes.io/topology-mode instead"},
        {headless && spec->load_balancer_ip.n > 0,
         "spec.loadBalancerIP is ignored for headless services"},
        {headless && spec->external_ips.n > 0, "spec.externalIPs is ignored for headless services"},
        {headless && !dray_str_is(spec->session_affinity, "None"),
         "spec.SessionAffinity is ignored for headless services"},
        {rq->gates->release >= 36 && spec->external_ips.n > 0 && !headless && !by_name,
         "spec.externalIPs is deprecated and may no longer be implemented in some clusters"},
        {by_name && spec->external_ips.n > 0,
         "spec.externalIPs is ignored when spec.type is \"ExternalName\""},
        {!by_name && spec->external_name.n > 0,
         "spec.externalName is ignored when spec.type is not \"ExternalName\""},
        {rq->gates->release >= 35 && dray_str_is(spec->traffic_distribution, "PreferClose"),
         "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""},
    };
    for (size_t i = 0; i < DRAY_COUNT(texts); i++)
        if (texts[i].when)
            dray_request_warn(rq, dray_str_of(texts[i].text));
    for (size_t i = 0; i < spec->external_ips.n; i++)
        dray_warn_ip(rq, spec->external_ips.v[i], DRAY_AT_INDEX(DRAY_AT(&path, "externalIPs"), i));
    if (spec->load_balancer_ip.n > 0)
        dray_warn_ip(rq, spec->load_balancer_ip, DRAY_AT(&path, "loadBalancerIP"));
    for (size_t i = 0; i < spec->load_balancer_source_ranges.n; i++)
        dray_warn_cidr(rq, spec->load_balancer_source_ranges.v[i],
                       DRAY_AT_INDEX(DRAY_AT(&path, "loadBalancerSourceRanges"), i));
}

static void priority_class_prepare(dray_request *rq, void *body) {
    ((dray_scheduling_priority_class *)body)->metadata->generation = 1;
}

#define ROW(group_, kind_, name_, check_, ...) \
    {.group = group_,                          \
     .kind = kind_,                            \
     .check_name = check_,                     \
     .validate = name_##_create,               \
     .validate_update = name_##_update,        \
     __VA_ARGS__}
#define WITH_STATUS(name_, prepare_)                                                  \
    .has_status = true, .prepare_create = prepare_##_prepare,                         \
    .prepare_update = prepare_##_prepare_update, .prepare_status = prepare_##_status, \
    .validate_status = dray_validate_##name_##_status

static void pod_create(dray_request *rq, const void *body) {
    dray_validate_pod_create(rq, body);
}
static void pod_update(dray_request *rq, const void *body, const void *old) {
    dray_validate_pod_update(rq, body, old);
}
static void pod_validate_status(dray_request *rq, const void *body, const void *old) {
    dray_validate_pod_status(rq, body, old);
}

const dray_strategy dray_strategies_core[] = {
    ROW("", "Pod", pod, dray_name_subdomain, .has_status = true,
        .prepare_create = dray_pod_prepare_create, .prepare_update = dray_pod_prepare_update,
        .prepare_status = dray_pod_prepare_status, .validate_status = pod_validate_status,
        .warn = dray_pod_warn),
    ROW("apps", "Deployment", deployment, dray_name_subdomain, WITH_STATUS(deployment, deployment),
        .warn = deployment_warn),
    ROW("apps", "ReplicaSet", replica_set, dray_name_subdomain,
        WITH_STATUS(replica_set, replica_set), .warn = replica_set_warn),
    ROW("apps", "DaemonSet", daemon_set, dray_name_subdomain, WITH_STATUS(daemon_set, daemon_set),
        .warn = daemon_set_warn),
    ROW("apps", "StatefulSet", stateful_set, dray_name_label,
        WITH_STATUS(stateful_set, stateful_set), .warn = stateful_set_warn),
    ROW("batch", "Job", job, dray_name_subdomain, WITH_STATUS(job, job), .warn = job_warn),
    ROW("batch", "CronJob", cron_job, dray_name_subdomain, .has_status = true,
        .prepare_create = cron_job_prepare, .prepare_update = cron_job_prepare_update,
        .prepare_status = cron_job_status, .validate_status = cron_job_validate_status,
        .warn = cron_job_warn),
    ROW("", "Node", node, dray_name_subdomain, .has_status = true, .prepare_create = node_prepare,
        .prepare_update = node_prepare_update, .prepare_status = node_status,
        .validate_status = dray_validate_node_status, .warn = node_warn),
    ROW("", "Namespace", namespace_object, dray_name_label, WITH_STATUS(namespace, namespace)),
    ROW("", "ResourceQuota", quota, dray_name_subdomain, WITH_STATUS(quota, quota),
        .warn = quota_warn),
    ROW("", "ConfigMap", config_map, dray_name_subdomain),
    ROW("", "Secret", secret, dray_name_subdomain, .prepare_create = secret_strings,
        .prepare_update = secret_prepare_update),
    ROW("", "ServiceAccount", service_account, dray_name_subdomain,
        .prepare_create = account_prepare, .prepare_update = account_prepare_update,
        .warn = account_warn),
    ROW("", "Service", service, name_service, WITH_STATUS(service, service), .warn = service_warn),
    ROW("scheduling.k8s.io", "PriorityClass", priority_class, dray_name_subdomain,
        .prepare_create = priority_class_prepare),
};
const size_t dray_n_strategies_core = DRAY_COUNT(dray_strategies_core);
