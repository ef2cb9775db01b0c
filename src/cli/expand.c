/* What a cluster makes of manifests: the Pods of workloads, priorities by class. */
#include "cli/objects.h"

#include "api/engine.h"
#include "api/rules/workload_pods.h"

static const dray_kind *kind_of(const char *version, const char *kind) {
    return dray_kind_find(dray_str_of(version), dray_str_of(kind));
}

static void add(dray_objects *objects, const dray_kind *kind, void *body) {
    DRAY_PUSH(objects->arena, &objects->list, (dray_loaded){.object = {kind, body}});
}

static bool is_owned_by(const dray_meta_object_meta *meta, const char *kind,
                        const dray_meta_object_meta *owner) {
    if (!dray_str_eq(meta->namespace, owner->namespace))
        return false;
    for (size_t i = 0; i < meta->owner_references.n; i++) {
        const dray_meta_owner_reference *o = &meta->owner_references.v[i];
        if (o->controller.set && o->controller.v && dray_str_is(o->kind, kind) &&
            dray_str_eq(o->name, owner->name))
            return true;
    }
    return false;
}

/* "Kind namespace/name" of every controlling owner in the input. */
static dray_map owners_of(const dray_objects *objects, size_t n) {
    dray_map owners = dray_map_new(objects->arena);
    for (size_t i = 0; i < n; i++) {
        const dray_meta_object_meta *meta = dray_object_meta(objects->list.v[i].object);
        for (size_t k = 0; k < meta->owner_references.n; k++) {
            const dray_meta_owner_reference *o = &meta->owner_references.v[k];
            if (o->controller.set && o->controller.v)
                dray_map_put(&owners,
                             dray_strf(objects->arena, DRAY_FMT " " DRAY_FMT "/" DRAY_FMT,
                                       DRAY_ARG(o->kind), DRAY_ARG(meta->namespace),
                                       DRAY_ARG(o->name)),
                             (void *)(uintptr_t)meta);
        }
    }
    return owners;
}

static bool has_children(const dray_objects *objects, const dray_map *owners, dray_object object) {
    const dray_meta_object_meta *meta = dray_object_meta(object);
    dray_str key = dray_strf(objects->arena, "%s " DRAY_FMT "/" DRAY_FMT, object.kind->kind,
                             DRAY_ARG(meta->namespace), DRAY_ARG(meta->name));
    const dray_meta_object_meta *child = dray_map_find(owners, key);
    return child != NULL && is_owned_by(child, object.kind->kind, meta);
}

static bool has_label(dray_string_map labels, dray_str key, dray_str value) {
    for (size_t i = 0; i < labels.n; i++)
        if (dray_str_eq(labels.k[i], key))
            return dray_str_eq(labels.v[i], value);
    return false;
}

/* Pods of a Deployment whose ReplicaSet is not in the input: they carry its labels and belong to
 * some ReplicaSet; likewise those of a CronJob's Jobs, which begin with its name. */
static bool is_grandchild(const dray_meta_object_meta *pod, dray_object workload) {
    const dray_meta_object_meta *meta = dray_object_meta(workload);
    bool cron = workload.kind->type == &dray_type_batch_cron_job;
    const dray_meta_owner_reference *owner =
        pod->owner_references.n != 0 ? &pod->owner_references.v[0] : NULL;
    if (owner == NULL || !dray_str_eq(pod->namespace, meta->namespace) ||
        !dray_str_is(owner->kind, cron ? "Job" : "ReplicaSet") ||
        !dray_str_starts(owner->name, meta->name))
        return false;
    if (cron)
        return true;
    const dray_apps_deployment *deployment = workload.body;
    dray_string_map want = deployment->spec->selector != NULL
                               ? deployment->spec->selector->match_labels
                               : (dray_string_map){0};
    for (size_t i = 0; i < want.n; i++)
        if (!has_label(pod->labels, want.k[i], want.v[i]))
            return false;
    return true;
}

static bool has_grandchildren(const dray_objects *objects, size_t n, dray_object workload) {
    if (workload.kind->type != &dray_type_apps_deployment &&
        workload.kind->type != &dray_type_batch_cron_job)
        return false;
    for (size_t i = 0; i < n; i++)
        if (objects->list.v[i].object.kind->type == &dray_type_core_pod &&
            is_grandchild(dray_object_meta(objects->list.v[i].object), workload))
            return true;
    return false;
}

/* A Deployment's Pods belong to a ReplicaSet, by which the scheduler spreads them. */
static void add_replica_set(dray_objects *objects, const dray_apps_deployment *deployment,
                            const dray_core_pod *pod) {
    if (pod->metadata->owner_references.n == 0)
        return;
    dray_apps_replica_set *set = dray_api_new(&dray_type_apps_replica_set, objects->arena);
    set->metadata->name = pod->metadata->owner_references.v[0].name;
    set->metadata->namespace = deployment->metadata->namespace;
    set->spec->selector = deployment->spec->selector;
    set->spec->template = deployment->spec->template;
    add(objects, kind_of("apps/v1", "ReplicaSet"), set);
}

static void expand(dray_objects *objects, const dray_loaded *loaded, dray_strings nodes) {
    dray_workload_pods_options options = {.nodes = nodes};
    dray_pod_list pods;
    dray_err err = DRAY_ERR_INIT;
    if (dray_workload_pods(loaded->object, &options, objects->arena, &pods, &err) != DRAY_OK) {
        dray_input_error(objects->input, loaded->file, loaded->line, 0, "%s", dray_err_text(&err));
        dray_err_done(&err);
        objects->input->left_out++;
        return;
    }
    const dray_kind *kind = kind_of("v1", "Pod");
    dray_defaults defaults = {&objects->gates, objects->now, objects->arena};
    if (loaded->object.kind->type == &dray_type_apps_deployment && pods.n != 0)
        add_replica_set(objects, loaded->object.body, pods.v[0]);
    for (size_t i = 0; i < pods.n; i++) {
        dray_api_default((dray_object){kind, pods.v[i]}, &defaults);
        if (pods.v[i]->metadata->uid.n == 0)
            pods.v[i]->metadata->uid =
                dray_strf(objects->arena, "%016jx-" DRAY_FMT,
                          (uintmax_t)dray_str_hash(pods.v[i]->metadata->namespace),
                          DRAY_ARG(pods.v[i]->metadata->name));
        add(objects, kind, pods.v[i]);
    }
}

typedef struct priorities {
    dray_map of; /* class → dray_scheduling_priority_class */
    const dray_scheduling_priority_class *fallback;
} priorities;

static priorities read_priorities(const dray_objects *objects) {
    priorities p = {.of = dray_map_new(objects->arena)};
    for (size_t i = 0; i < objects->list.n; i++) {
        dray_object o = objects->list.v[i].object;
        if (o.kind->type != &dray_type_scheduling_priority_class)
            continue;
        const dray_scheduling_priority_class *class = o.body;
        dray_map_put(&p.of, class->metadata->name, o.body);
        if (class->global_default && (p.fallback == NULL || class->value < p.fallback->value))
            p.fallback = class;
    }
    return p;
}

/* What the Priority admission plugin fills in, for a Pod or a PodGroup. */
static void set_priority(const priorities *p, dray_str name, dray_opt_int32 *priority,
                         dray_str *policy) {
    static const struct {
        const char *name;
        int32_t value;
    } system[] = {{"system-cluster-critical", 2000000000}, {"system-node-critical", 2000001000}};
    if (priority->set)
        return;
    const dray_scheduling_priority_class *class =
        name.n != 0 ? dray_map_find(&p->of, name) : p->fallback;
    priority->set = true;
    for (size_t i = 0; i < DRAY_COUNT(system); i++)
        if (dray_str_is(name, system[i].name))
            priority->v = system[i].value;
    if (class == NULL)
        return;
    priority->v = class->value;
    if (policy->n == 0)
        *policy = class->preemption_policy;
}

static void set_priority_of(const priorities *p, dray_object object) {
    if (object.kind->type == &dray_type_core_pod) {
        dray_core_pod_spec *spec = ((dray_core_pod *)object.body)->spec;
        set_priority(p, spec->priority_class_name, &spec->priority, &spec->preemption_policy);
    } else if (object.kind->type == &dray_type_scheduling_v1beta1_pod_group) {
        dray_scheduling_v1beta1_pod_group_spec *spec =
            ((dray_scheduling_v1beta1_pod_group *)object.body)->spec;
        set_priority(p, spec->priority_class_name, &spec->priority, &spec->preemption_policy);
    }
}

void dray_objects_expand(dray_objects *objects) {
    size_t n = objects->list.n;
    dray_map owners = owners_of(objects, n);
    DRAY_VEC(dray_str) nodes = {0};
    for (size_t i = 0; i < n; i++)
        if (objects->list.v[i].object.kind->type == &dray_type_core_node)
            DRAY_PUSH(objects->arena, &nodes, dray_object_meta(objects->list.v[i].object)->name);
    for (size_t i = 0; i < n; i++) {
        dray_loaded loaded = objects->list.v[i];
        if (dray_workload_makes_pods(loaded.object.kind) &&
            !has_children(objects, &owners, loaded.object) &&
            !has_grandchildren(objects, n, loaded.object))
            expand(objects, &loaded, (dray_strings){nodes.v, nodes.n});
        else if (loaded.object.kind->type == &dray_type_apps_daemon_set && objects->added.n != 0)
            expand(objects, &loaded, (dray_strings){objects->added.v, objects->added.n});
    }
    priorities p = read_priorities(objects);
    for (size_t i = 0; i < objects->list.n; i++)
        set_priority_of(&p, objects->list.v[i].object);
}
