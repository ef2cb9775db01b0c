/* The Pods that a workload makes, kind by kind. */
#include "api/rules/workload_pods.h"

#include "api/engine.h"
#include "base/vec.h"

typedef struct maker {
    dray_arena *arena;
    const dray_kind *kind;
    const dray_meta_object_meta *owner;
    const dray_core_pod_template_spec *template;
    dray_pod_list pods;
} maker;

/* What a DaemonSet's Pods tolerate of themselves; the last one only on the host's network. */
static const struct {
    const char *key, *effect;
    bool host_network;
} daemon_tolerations[] = {
    {"node.kubernetes.io/not-ready", "NoExecute", false},
    {"node.kubernetes.io/unreachable", "NoExecute", false},
    {"node.kubernetes.io/disk-pressure", "NoSchedule", false},
    {"node.kubernetes.io/memory-pressure", "NoSchedule", false},
    {"node.kubernetes.io/pid-pressure", "NoSchedule", false},
    {"node.kubernetes.io/unschedulable", "NoSchedule", false},
    {"node.kubernetes.io/network-unavailable", "NoSchedule", true},
};

/* A Pod of the template, controlled by the workload. Its spec is a copy of the first level. */
static dray_core_pod *add_pod(maker *m, dray_str name) {
    dray_core_pod *pod = dray_api_new(&dray_type_core_pod, m->arena);
    dray_meta_object_meta *meta = pod->metadata;
    const dray_meta_object_meta *from = m->template->metadata;
    meta->name = name;
    meta->namespace = m->owner->namespace;
    meta->labels = from->labels;
    meta->annotations = from->annotations;
    meta->finalizers = from->finalizers;
    meta->owner_references.v = DRAY_NEW(m->arena, dray_meta_owner_reference);
    meta->owner_references.n = 1;
    meta->owner_references.v[0] = (dray_meta_owner_reference){
        .api_version = dray_kind_api_version(m->kind, m->arena),
        .kind = dray_str_of(m->kind->kind),
        .name = m->owner->name,
        .uid = m->owner->uid,
        .controller = {true, true},
        .block_owner_deletion = {true, true},
    };
    *pod->spec = *m->template->spec;
    m->pods.v[m->pods.n++] = pod;
    return pod;
}

static dray_str numbered(maker *m, int64_t i) {
    return dray_strf(m->arena, DRAY_FMT "-%lld", DRAY_ARG(m->owner->name), (long long)i);
}

static void make_replicas(maker *m, size_t n) {
    for (size_t i = 0; i < n; i++)
        add_pod(m, numbered(m, (int64_t)i));
}

/* Volumes for the claims of a StatefulSet's Pod; they hide the template's of the same name. */
static void add_volumes(maker *m, const dray_apps_stateful_set_spec *spec, dray_core_pod *pod) {
    size_t n = spec->volume_claim_templates.n;
    if (n == 0)
        return;
    dray_core_volume *volumes = DRAY_NEW_N(m->arena, dray_core_volume, n + pod->spec->volumes.n);
    size_t n_volumes = 0;
    for (size_t i = 0; i < n; i++) {
        dray_str name = spec->volume_claim_templates.v[i].metadata->name;
        dray_core_volume *volume = dray_api_new(&dray_type_core_volume, m->arena);
        dray_core_persistent_volume_claim_volume_source *source =
            DRAY_NEW(m->arena, dray_core_persistent_volume_claim_volume_source);
        source->claim_name = dray_strf(m->arena, DRAY_FMT "-" DRAY_FMT, DRAY_ARG(name),
                                       DRAY_ARG(pod->metadata->name));
        volume->name = name;
        volume->volume_source->persistent_volume_claim = source;
        volumes[n_volumes++] = *volume;
    }
    for (size_t i = 0; i < pod->spec->volumes.n; i++) {
        bool hidden = false;
        for (size_t j = 0; j < n && !hidden; j++)
            hidden = dray_str_eq(volumes[j].name, pod->spec->volumes.v[i].name);
        if (!hidden)
            volumes[n_volumes++] = pod->spec->volumes.v[i];
    }
    pod->spec->volumes.v = volumes;
    pod->spec->volumes.n = n_volumes;
}

static void make_stateful(maker *m, const dray_apps_stateful_set_spec *spec, size_t n) {
    int64_t start = spec->ordinals != NULL ? spec->ordinals->start : 0;
    for (size_t i = 0; i < n; i++) {
        int64_t ordinal = start + (int64_t)i;
        dray_core_pod *pod = add_pod(m, numbered(m, ordinal));
        dray_string_map_put(&pod->metadata->labels, DRAY_STR("apps.kubernetes.io/pod-index"),
                            dray_strf(m->arena, "%lld", (long long)ordinal), m->arena);
        dray_string_map_put(&pod->metadata->labels, DRAY_STR("statefulset.kubernetes.io/pod-name"),
                            pod->metadata->name, m->arena);
        pod->spec->hostname = pod->metadata->name;
        pod->spec->subdomain = spec->service_name;
        add_volumes(m, spec, pod);
    }
}

static void tolerate(maker *m, dray_core_pod_spec *spec) {
    size_t more = DRAY_COUNT(daemon_tolerations);
    dray_core_toleration *all =
        DRAY_NEW_N(m->arena, dray_core_toleration, spec->tolerations.n + more);
    size_t n = 0;
    for (; n < spec->tolerations.n; n++)
        all[n] = spec->tolerations.v[n];
    for (size_t i = 0; i < more; i++) {
        if (daemon_tolerations[i].host_network && !spec->host_network)
            continue;
        all[n++] = (dray_core_toleration){
            .key = dray_str_of(daemon_tolerations[i].key),
            .operator= DRAY_STR("Exists"),
            .effect = dray_str_of(daemon_tolerations[i].effect),
        };
    }
    spec->tolerations.v = all;
    spec->tolerations.n = n;
}

/* Every required term is replaced in its matchFields by the node's name; the rest stays. */
static void pin_to_node(maker *m, dray_core_pod_spec *spec, dray_str node) {
    dray_core_affinity *affinity = dray_api_new(&dray_type_core_affinity, m->arena);
    dray_core_node_affinity *own = dray_api_new(&dray_type_core_node_affinity, m->arena);
    const dray_core_node_selector *old = NULL;
    if (spec->affinity != NULL) {
        *affinity = *spec->affinity;
        if (affinity->node_affinity != NULL)
            *own = *affinity->node_affinity;
        old = own->required_during_scheduling_ignored_during_execution;
    }
    size_t n = old != NULL && old->node_selector_terms.n > 0 ? old->node_selector_terms.n : 1;
    dray_core_node_selector *selector = DRAY_NEW(m->arena, dray_core_node_selector);
    selector->node_selector_terms.v = DRAY_NEW_N(m->arena, dray_core_node_selector_term, n);
    selector->node_selector_terms.n = n;
    dray_core_node_selector_requirement *is_node =
        DRAY_NEW(m->arena, dray_core_node_selector_requirement);
    dray_str *value = DRAY_NEW(m->arena, dray_str);
    *value = node;
    *is_node = (dray_core_node_selector_requirement){
        .key = DRAY_STR("metadata.name"), .operator= DRAY_STR("In"), .values = {value, 1}};
    for (size_t i = 0; i < n; i++) {
        if (old != NULL && old->node_selector_terms.n > 0)
            selector->node_selector_terms.v[i] = old->node_selector_terms.v[i];
        selector->node_selector_terms.v[i].match_fields.v = is_node;
        selector->node_selector_terms.v[i].match_fields.n = 1;
    }
    own->required_during_scheduling_ignored_during_execution = selector;
    affinity->node_affinity = own;
    spec->affinity = affinity;
}

static void make_daemons(maker *m, dray_strings nodes) {
    for (size_t i = 0; i < nodes.n; i++) {
        dray_core_pod *pod = add_pod(m, numbered(m, (int64_t)i));
        tolerate(m, pod->spec);
        pin_to_node(m, pod->spec, nodes.v[i]);
    }
}

static size_t job_pods(const dray_batch_job_spec *spec) {
    int64_t n = spec->parallelism.set ? spec->parallelism.v : 1;
    if (spec->completions.set && spec->completions.v < n)
        n = spec->completions.v;
    return n > 0 ? (size_t)n : 0;
}

static void make_job(maker *m, const dray_batch_job_spec *spec, size_t n) {
    bool indexed = dray_str_is(spec->completion_mode, "Indexed");
    dray_str key = DRAY_STR("batch.kubernetes.io/job-completion-index");
    for (size_t i = 0; i < n; i++) {
        dray_core_pod *pod = add_pod(m, numbered(m, (int64_t)i));
        if (!indexed)
            continue;
        dray_str index = dray_strf(m->arena, "%zu", i);
        dray_string_map_put(&pod->metadata->labels, key, index, m->arena);
        dray_string_map_put(&pod->metadata->annotations, key, index, m->arena);
        pod->spec->hostname = pod->metadata->name;
    }
}

static size_t replicas(dray_opt_int32 n) {
    if (!n.set)
        return 1;
    return n.v > 0 ? (size_t)n.v : 0;
}

/* How many Pods the workload makes. */
static size_t count_of(dray_object object, dray_strings nodes) {
    const dray_type *type = object.kind->type;
    if (type == &dray_type_apps_deployment)
        return replicas(((dray_apps_deployment *)object.body)->spec->replicas);
    if (type == &dray_type_apps_replica_set)
        return replicas(((dray_apps_replica_set *)object.body)->spec->replicas);
    if (type == &dray_type_apps_stateful_set)
        return replicas(((dray_apps_stateful_set *)object.body)->spec->replicas);
    if (type == &dray_type_apps_daemon_set)
        return nodes.n;
    if (type == &dray_type_batch_job)
        return job_pods(((dray_batch_job *)object.body)->spec);
    return job_pods(((dray_batch_cron_job *)object.body)->spec->job_template->spec);
}

bool dray_workload_makes_pods(const dray_kind *kind) {
    return kind->type == &dray_type_apps_deployment || kind->type == &dray_type_apps_replica_set ||
           kind->type == &dray_type_apps_stateful_set || kind->type == &dray_type_apps_daemon_set ||
           kind->type == &dray_type_batch_job || kind->type == &dray_type_batch_cron_job;
}

const dray_core_pod_template_spec *dray_workload_template(dray_object object) {
    const dray_type *type = object.kind->type;
    if (type == &dray_type_apps_deployment)
        return ((dray_apps_deployment *)object.body)->spec->template;
    if (type == &dray_type_apps_replica_set)
        return ((dray_apps_replica_set *)object.body)->spec->template;
    if (type == &dray_type_apps_stateful_set)
        return ((dray_apps_stateful_set *)object.body)->spec->template;
    if (type == &dray_type_apps_daemon_set)
        return ((dray_apps_daemon_set *)object.body)->spec->template;
    if (type == &dray_type_batch_job)
        return ((dray_batch_job *)object.body)->spec->template;
    if (type == &dray_type_batch_cron_job)
        return ((dray_batch_cron_job *)object.body)->spec->job_template->spec->template;
    return NULL;
}

dray_code dray_workload_pods(dray_object object, const dray_workload_pods_options *options,
                             dray_arena *arena, dray_pod_list *ret, dray_err *err) {
    if (!dray_workload_makes_pods(object.kind))
        return dray_err_set(err, DRAY_E_UNSUPPORTED, "a %s makes no Pods", object.kind->kind);
    size_t limit = options->limit != 0 ? options->limit : DRAY_WORKLOAD_PODS_LIMIT;
    size_t n = count_of(object, options->nodes);
    const dray_meta_object_meta *meta = dray_object_meta(object);
    if (n > limit)
        return dray_err_set(err, DRAY_E_LIMIT, "%s " DRAY_FMT " makes %zu Pods, more than %zu",
                            object.kind->kind, DRAY_ARG(meta->name), n, limit);
    maker m = {arena, object.kind, meta, dray_workload_template(object), {0}};
    m.pods.v = DRAY_NEW_N(arena, dray_core_pod *, n + 1);
    const dray_type *type = object.kind->type;
    if (type == &dray_type_apps_stateful_set)
        make_stateful(&m, ((dray_apps_stateful_set *)object.body)->spec, n);
    else if (type == &dray_type_apps_daemon_set)
        make_daemons(&m, options->nodes);
    else if (type == &dray_type_batch_job)
        make_job(&m, ((dray_batch_job *)object.body)->spec, n);
    else if (type == &dray_type_batch_cron_job)
        make_job(&m, ((dray_batch_cron_job *)object.body)->spec->job_template->spec, n);
    else
        make_replicas(&m, n);
    *ret = m.pods;
    return DRAY_OK;
}
