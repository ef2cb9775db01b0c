/* Warnings about Pods: what is deprecated, ignored, doubled or doubtful. */
#include "api/validate/pod_int.h"

/* Node labels that have newer names. */
static const struct {
    const char *key, *message;
} old_labels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

static const struct {
    const char *key, *message;
} old_annotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
};

/* Volume sources that no longer work, or will not. */
static const struct {
    size_t offset;
    const char *name, *message;
} old_volumes[] = {
#define OLD(member, name, message) {offsetof(dray_core_volume_source, member), name, message}
    OLD(photon_persistent_disk, "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+"),
    OLD(git_repo, "gitRepo", NULL),
    OLD(scale_io, "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    OLD(flocker, "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    OLD(storageos, "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    OLD(quobyte, "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    OLD(glusterfs, "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    OLD(cephfs, "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    OLD(rbd, "rbd", "deprecated in v1.28, non-functional in v1.31+"),
#undef OLD
};

static const char *old_label(dray_str key) {
    for (size_t i = 0; i < DRAY_COUNT(old_labels); i++)
        if (dray_str_is(key, old_labels[i].key))
            return old_labels[i].message;
    return NULL;
}

static void warn_term(dray_request *rq, const dray_core_node_selector_term *term, bool values,
                      const dray_path *path) {
    for (size_t i = 0; i < term->match_expressions.n; i++) {
        const dray_core_node_selector_requirement *r = &term->match_expressions.v[i];
        dray_path item = dray_path_index(DRAY_AT(path, "matchExpressions"), i);
        const char *message = old_label(r->key);
        if (message != NULL)
            dray_warn(rq, DRAY_AT(&item, "key"),
                      DETAIL(rq, DRAY_FMT " is %s", DRAY_ARG(r->key), message));
        for (size_t j = 0; values && j < r->values.n; j++) {
            dray_str texts[DRAY_NAME_TEXTS];
            size_t n = dray_check_label_value(r->values.v[j], texts, rq->arena);
            for (size_t k = 0; k < n; k++)
                dray_warn(rq, DRAY_AT_INDEX(DRAY_AT(&item, "values"), j),
                          DETAIL(rq, DRAY_FMT " is invalid, " DRAY_FMT, DRAY_ARG(r->values.v[j]),
                                 DRAY_ARG(texts[k])));
        }
    }
}

static void warn_node_labels(dray_request *rq, const dray_core_pod_spec *spec,
                             const dray_path *path) {
    const dray_core_node_affinity *affinity =
        spec->affinity != NULL ? spec->affinity->node_affinity : NULL;
    for (size_t i = 0; i < spec->node_selector.n; i++) {
        const char *message = old_label(spec->node_selector.k[i]);
        if (message != NULL)
            dray_warn(rq, DRAY_AT_KEY(DRAY_AT(path, "nodeSelector"), spec->node_selector.k[i]),
                      dray_str_of(message));
    }
    if (affinity == NULL)
        return;
    dray_path at = dray_path_child(DRAY_AT(path, "affinity"), "nodeAffinity");
    dray_path terms = dray_path_child(
        DRAY_AT(&at, "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
    const dray_core_node_selector *required =
        affinity->required_during_scheduling_ignored_during_execution;
    for (size_t i = 0; required != NULL && i < required->node_selector_terms.n; i++)
        warn_term(rq, &required->node_selector_terms.v[i], false, DRAY_AT_INDEX(&terms, i));
    dray_path preferred = dray_path_child(&at, "preferredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; i < affinity->preferred_during_scheduling_ignored_during_execution.n; i++)
        warn_term(rq,
                  affinity->preferred_during_scheduling_ignored_during_execution.v[i].preference,
                  true, DRAY_AT(DRAY_AT_INDEX(&preferred, i), "preference"));
}

static void warn_null_selector(dray_request *rq, const dray_path *path) {
    dray_warn(rq, DRAY_AT(path, "labelSelector"),
              DRAY_STR("a null labelSelector results in matching no pod"));
}

static void warn_spread(dray_request *rq, const dray_core_pod_spec *spec, const dray_path *path) {
    for (size_t i = 0; i < spec->topology_spread_constraints.n; i++) {
        const dray_core_topology_spread_constraint *c = &spec->topology_spread_constraints.v[i];
        dray_path item = dray_path_index(DRAY_AT(path, "topologySpreadConstraints"), i);
        const char *message = old_label(c->topology_key);
        if (message != NULL)
            dray_warn(rq, DRAY_AT(&item, "topologyKey"),
                      DETAIL(rq, DRAY_FMT " is %s", DRAY_ARG(c->topology_key), message));
        if (c->label_selector == NULL)
            warn_null_selector(rq, &item);
    }
}

static void warn_volumes(dray_request *rq, const dray_core_pod_spec *spec, const dray_path *path) {
    for (size_t i = 0; i < spec->volumes.n; i++) {
        const char *source = (const char *)spec->volumes.v[i].volume_source;
        dray_path item = dray_path_index(DRAY_AT(path, "volumes"), i);
        for (size_t j = 0; j < DRAY_COUNT(old_volumes); j++) {
            if (*(void *const *)(source + old_volumes[j].offset) == NULL)
                continue;
            const char *message = old_volumes[j].message;
            if (message == NULL)
                message = dray_request_gate(rq, DRAY_GATE_GitRepoVolumeDriver)
                              ? "deprecated in v1.11"
                              : "deprecated in v1.11, and disabled by default in v1.33+";
            dray_warn(rq, DRAY_AT(&item, old_volumes[j].name), dray_str_of(message));
        }
    }
}

/* A file of a volume and what puts it there. */
typedef struct placed {
    dray_str path, source;
} placed;
typedef DRAY_VEC(placed) places;

static dray_str placed_text(dray_request *rq, placed p) {
    dray_str quoted = dray_value_quote(rq->arena, p.path);
    return p.source.n > 0
               ? DETAIL(rq, DRAY_FMT " (" DRAY_FMT ")", DRAY_ARG(quoted), DRAY_ARG(p.source))
               : quoted;
}

static bool is_below(dray_request *rq, dray_str path, dray_str above) {
    return dray_str_starts(DETAIL(rq, DRAY_FMT "/", DRAY_ARG(path)),
                           DETAIL(rq, DRAY_FMT "/", DRAY_ARG(above)));
}

/* Takes a place, with a warning for each that it overlaps. */
static void take(dray_request *rq, places *taken, placed p, dray_str volume, dray_str what) {
    while (p.path.n > 0 && p.path.p[p.path.n - 1] == '/')
        p.path.n--;
    for (size_t i = 0; p.path.n > 0 && i < taken->n; i++) {
        placed other = taken->v[i];
        if (other.path.n == 0 ||
            (!is_below(rq, other.path, p.path) && !is_below(rq, p.path, other.path)))
            continue;
        dray_request_warn(rq,
                          DETAIL(rq,
                                 "volume " DRAY_FMT " (" DRAY_FMT "): overlapping paths: " DRAY_FMT
                                 " with " DRAY_FMT,
                                 DRAY_ARG(dray_value_quote(rq->arena, volume)), DRAY_ARG(what),
                                 DRAY_ARG(placed_text(rq, p)), DRAY_ARG(placed_text(rq, other))));
    }
    DRAY_PUSH(rq->arena, taken, p);
}

static dray_str named(dray_request *rq, const char *kind, dray_str name) {
    return DETAIL(rq, "%s " DRAY_FMT, kind, DRAY_ARG(dray_value_quote(rq->arena, name)));
}

static void take_items(dray_request *rq, places *taken, const dray_core_key_to_path *items,
                       size_t n, dray_str source, dray_str volume, dray_str what) {
    for (size_t i = 0; i < n; i++)
        take(rq, taken, (placed){items[i].path, source}, volume, what);
}

static void take_projection(dray_request *rq, places *taken, const dray_core_volume_projection *p,
                            dray_str volume) {
    dray_str what = DRAY_STR("Projected");
    if (p->config_map != NULL && p->config_map->items.v != NULL) {
        take_items(rq, taken, p->config_map->items.v, p->config_map->items.n,
                   named(rq, "ConfigMap", p->config_map->local_object_reference->name), volume,
                   what);
    } else if (p->secret != NULL && p->secret->items.v != NULL) {
        take_items(rq, taken, p->secret->items.v, p->secret->items.n,
                   named(rq, "Secret", p->secret->local_object_reference->name), volume, what);
    } else if (p->downward_api != NULL && p->downward_api->items.v != NULL) {
        for (size_t i = 0; i < p->downward_api->items.n; i++)
            take(rq, taken, (placed){p->downward_api->items.v[i].path, DRAY_STR("DownwardAPI")},
                 volume, what);
    } else if (p->service_account_token != NULL) {
        take(rq, taken, (placed){p->service_account_token->path, DRAY_STR("ServiceAccountToken")},
             volume, what);
    } else if (p->cluster_trust_bundle != NULL) {
        dray_str name = p->cluster_trust_bundle->name.p != NULL
                            ? p->cluster_trust_bundle->name
                            : p->cluster_trust_bundle->signer_name;
        take(rq, taken,
             (placed){p->cluster_trust_bundle->path, named(rq, "ClusterTrustBundle", name)}, volume,
             what);
    }
}

static bool is_nothing(const dray_core_volume_projection *p) {
    return p->secret == NULL && p->downward_api == NULL && p->config_map == NULL &&
           p->service_account_token == NULL && p->cluster_trust_bundle == NULL &&
           p->pod_certificate == NULL;
}

static void warn_overlaps(dray_request *rq, const dray_core_pod_spec *spec) {
    for (size_t i = 0; i < spec->volumes.n; i++) {
        const dray_core_volume *volume = &spec->volumes.v[i];
        const dray_core_volume_source *s = volume->volume_source;
        dray_str none = DRAY_STR("");
        places taken = {0};
        if (s->config_map != NULL)
            take_items(rq, &taken, s->config_map->items.v, s->config_map->items.n, none,
                       volume->name,
                       named(rq, "ConfigMap", s->config_map->local_object_reference->name));
        taken = (places){0};
        if (s->secret != NULL)
            take_items(rq, &taken, s->secret->items.v, s->secret->items.n, none, volume->name,
                       named(rq, "Secret", s->secret->secret_name));
        taken = (places){0};
        for (size_t j = 0; s->downward_api != NULL && j < s->downward_api->items.n; j++)
            take(rq, &taken, (placed){s->downward_api->items.v[j].path, none}, volume->name,
                 DRAY_STR("DownwardAPI"));
        taken = (places){0};
        for (size_t j = 0; s->projected != NULL && j < s->projected->sources.n; j++) {
            if (is_nothing(&s->projected->sources.v[j]))
                dray_request_warn(
                    rq, DETAIL(rq, "volume " DRAY_FMT " (Projected) has no sources provided",
                               DRAY_ARG(dray_value_quote(rq->arena, volume->name))));
            take_projection(rq, &taken, &s->projected->sources.v[j], volume->name);
        }
    }
}

static void warn_doubles(dray_request *rq, const dray_core_pod_spec *spec, const dray_path *path) {
    for (size_t i = 0; i < spec->host_aliases.n; i++)
        for (size_t j = 0; j < i; j++)
            if (dray_str_eq(spec->host_aliases.v[i].ip, spec->host_aliases.v[j].ip)) {
                dray_path item = dray_path_index(DRAY_AT(path, "hostAliases"), i);
                dray_warn(rq, DRAY_AT(&item, "ip"),
                          named(rq, "duplicate ip", spec->host_aliases.v[i].ip));
                break;
            }
    dray_path secrets = dray_path_child(path, "imagePullSecrets");
    for (size_t i = 0; i < spec->image_pull_secrets.n; i++)
        for (size_t j = 0; j < i; j++)
            if (dray_str_eq(spec->image_pull_secrets.v[i].name,
                            spec->image_pull_secrets.v[j].name)) {
                dray_warn(rq, DRAY_AT(DRAY_AT_INDEX(&secrets, i), "name"),
                          named(rq, "duplicate name", spec->image_pull_secrets.v[i].name));
                break;
            }
    for (size_t i = 0; i < spec->image_pull_secrets.n; i++)
        if (spec->image_pull_secrets.v[i].name.n == 0)
            dray_warn(rq, DRAY_AT(DRAY_AT_INDEX(&secrets, i), "name"),
                      DRAY_STR("invalid empty name \"\""));
}

static void warn_fraction(dray_request *rq, dray_resource_list list, const char *name,
                          const dray_path *path) {
    const dray_quantity *q = dray_resource_list_find(list, dray_str_of(name));
    bool fits;
    if (q != NULL && dray_quantity_milli(*q, &fits) % 1000 != 0)
        dray_warn(rq, DRAY_AT_KEY(path, dray_str_of(name)),
                  DETAIL(rq,
                         "fractional byte value \"" DRAY_FMT "\" is invalid, must be an integer",
                         DRAY_ARG(dray_quantity_format(*q, rq->arena))));
}

static void warn_env(dray_request *rq, const dray_core_container *c, const dray_path *path) {
    for (size_t i = 0; i < c->env.n; i++) {
        const dray_core_env_var *var = &c->env.v[i];
        dray_str ref = DETAIL(rq, "$(" DRAY_FMT ")", DRAY_ARG(var->name));
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = dray_str_eq(c->env.v[j].name, var->name);
        if (seen && (var->value_from != NULL || dray_str_eq(var->value, ref) ||
                     dray_str_find(var->value, ref) == SIZE_MAX))
            dray_warn(rq, DRAY_AT_INDEX(DRAY_AT(path, "env"), i),
                      DETAIL(rq,
                             "hides previous definition of " DRAY_FMT
                             ", which may be dropped when using apply",
                             DRAY_ARG(dray_value_quote(rq->arena, var->name))));
    }
}

/* Annotations of a container that a field has replaced. */
static void warn_profiles(dray_request *rq, const dray_core_pod_spec *spec,
                          const dray_meta_object_meta *meta, const dray_core_container *c,
                          const dray_path *template) {
    dray_path annotations = dray_path_child(DRAY_AT(template, "metadata"), "annotations");
    const dray_core_security_context *context = c->security_context;
    dray_str value;
    dray_str key =
        DETAIL(rq, "container.seccomp.security.alpha.kubernetes.io/" DRAY_FMT, DRAY_ARG(c->name));
    if ((context == NULL || context->seccomp_profile == NULL) && map_has(meta->annotations, key))
        dray_warn(rq, DRAY_AT_KEY(&annotations, key),
                  DRAY_STR("non-functional in v1.27+; use the \"seccompProfile\" field instead"));
    key = DETAIL(rq, "container.apparmor.security.beta.kubernetes.io/" DRAY_FMT, DRAY_ARG(c->name));
    if (template == NULL || (context != NULL && context->app_armor_profile != NULL) ||
        !map_find(meta->annotations, key, &value))
        return;
    const dray_core_app_armor_profile *own =
        spec->security_context != NULL ? spec->security_context->app_armor_profile : NULL;
    if (own == NULL || !dray_api_equal(&dray_type_core_app_armor_profile, own,
                                       dray_app_armor_of_annotation(value, rq->arena)))
        dray_warn(rq, DRAY_AT_KEY(&annotations, key),
                  DRAY_STR("deprecated since v1.30; use the \"appArmorProfile\" field instead"));
}

static void warn_containers(dray_request *rq, const dray_core_pod_spec *spec,
                            const dray_meta_object_meta *meta, const dray_path *path,
                            const dray_path *template) {
    for (size_t i = 0; i < dray_pod_n_containers(spec); i++) {
        dray_container_ref ref = dray_pod_container(spec, i);
        const dray_core_container *c = ref.container;
        dray_path item = dray_path_index(DRAY_AT(path, ref.list), ref.index);
        dray_path resources = dray_path_child(&item, "resources");
        warn_profiles(rq, spec, meta, c, template);
        static const char *const names[] = {"memory", "ephemeral-storage"};
        for (size_t j = 0; j < 2; j++) {
            warn_fraction(rq, DRAY_RESOURCES(c->resources->limits), names[j],
                          DRAY_AT(&resources, "limits"));
            warn_fraction(rq, DRAY_RESOURCES(c->resources->requests), names[j],
                          DRAY_AT(&resources, "requests"));
        }
        warn_env(rq, c, &item);
    }
}

/* A port and where it stands. */
typedef struct port_place {
    const dray_core_container_port *port;
    dray_str path;
} port_place;
typedef DRAY_VEC(port_place) port_places;

static void warn_port(dray_request *rq, const port_places *before, port_place p,
                      const dray_path *path) {
    for (size_t i = 0; i < before->n; i++) {
        const dray_core_container_port *o = before->v[i].port;
        dray_str where = before->v[i].path;
        if (o->container_port != p.port->container_port ||
            !dray_str_eq(o->protocol, p.port->protocol))
            continue;
        const char *what = NULL;
        if (dray_str_eq(o->host_ip, p.port->host_ip) && o->host_port == p.port->host_port)
            what = "duplicate";
        else if (o->host_port == 0 || p.port->host_port == 0)
            what = "overlapping";
        else if (o->host_port == p.port->host_port &&
                 (o->host_ip.n == 0) != (p.port->host_ip.n == 0))
            what = "dangerously ambiguous";
        if (what != NULL)
            dray_warn(rq, path,
                      DETAIL(rq, "%s port definition with " DRAY_FMT, what, DRAY_ARG(where)));
    }
}

static port_places list_ports(dray_request *rq, const dray_core_pod_spec *spec,
                              const dray_path *path) {
    port_places all = {0};
    for (size_t i = 0; i < dray_pod_n_containers(spec); i++) {
        dray_container_ref ref = dray_pod_container(spec, i);
        dray_path item = dray_path_index(DRAY_AT(path, ref.list), ref.index);
        dray_path ports = dray_path_child(&item, "ports");
        for (size_t j = 0; j < ref.container->ports.n; j++) {
            dray_path at = dray_path_index(&ports, j);
            port_place p = {&ref.container->ports.v[j], dray_path_text(&at, rq->arena)};
            if (p.port->host_ip.n > 0 && p.port->host_port == 0)
                dray_warn(rq, &at,
                          DETAIL(rq,
                                 "hostIP set without hostPort: {Name:" DRAY_FMT
                                 " HostPort:0 ContainerPort:%d Protocol:" DRAY_FMT
                                 " HostIP:" DRAY_FMT "}",
                                 DRAY_ARG(p.port->name), p.port->container_port,
                                 DRAY_ARG(p.port->protocol), DRAY_ARG(p.port->host_ip)));
            warn_port(rq, &all, p, &at);
            DRAY_PUSH(rq->arena, &all, p);
        }
    }
    return all;
}

static void warn_ports(dray_request *rq, const dray_core_pod_spec *spec, const dray_path *path) {
    port_places all = list_ports(rq, spec, path);
    for (size_t i = 0; i < all.n; i++) {
        dray_str name = all.v[i].port->name;
        for (size_t j = 0; name.n > 0 && j < i; j++) {
            if (!dray_str_eq(all.v[j].port->name, name))
                continue;
            dray_str first = all.v[j].path;
            dray_request_warn(
                rq, DETAIL(rq,
                           DRAY_FMT ": duplicate port name " DRAY_FMT " with " DRAY_FMT
                                    ", services and probes that select ports by name will "
                                    "use " DRAY_FMT,
                           DRAY_ARG(all.v[i].path), DRAY_ARG(dray_value_quote(rq->arena, name)),
                           DRAY_ARG(first), DRAY_ARG(first)));
            break;
        }
    }
}

static void warn_terms(dray_request *rq, const dray_core_pod_affinity_term *required,
                       size_t n_required, const dray_core_weighted_pod_affinity_term *preferred,
                       size_t n_preferred, const dray_path *path) {
    dray_path list = dray_path_child(path, "requiredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; i < n_required; i++)
        if (required[i].label_selector == NULL)
            warn_null_selector(rq, DRAY_AT_INDEX(&list, i));
    list = dray_path_child(path, "preferredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; i < n_preferred; i++)
        if (preferred[i].pod_affinity_term->label_selector == NULL)
            warn_null_selector(rq, DRAY_AT(DRAY_AT_INDEX(&list, i), "podAffinityTerm"));
}

static void warn_pod_affinity(dray_request *rq, const dray_core_affinity *affinity,
                              const dray_path *path) {
    const dray_core_pod_affinity *near = affinity != NULL ? affinity->pod_affinity : NULL;
    const dray_core_pod_anti_affinity *far = affinity != NULL ? affinity->pod_anti_affinity : NULL;
    if (near != NULL)
        warn_terms(rq, near->required_during_scheduling_ignored_during_execution.v,
                   near->required_during_scheduling_ignored_during_execution.n,
                   near->preferred_during_scheduling_ignored_during_execution.v,
                   near->preferred_during_scheduling_ignored_during_execution.n,
                   DRAY_AT(path, "podAffinity"));
    if (far != NULL)
        warn_terms(rq, far->required_during_scheduling_ignored_during_execution.v,
                   far->required_during_scheduling_ignored_during_execution.n,
                   far->preferred_during_scheduling_ignored_during_execution.v,
                   far->preferred_during_scheduling_ignored_during_execution.n,
                   DRAY_AT(path, "podAntiAffinity"));
}

static void warn_annotations(dray_request *rq, const dray_core_pod_spec *spec,
                             const dray_meta_object_meta *meta, const dray_path *template) {
    dray_path annotations = dray_path_child(DRAY_AT(template, "metadata"), "annotations");
    for (size_t i = 0; i < DRAY_COUNT(old_annotations); i++)
        if (map_has(meta->annotations, dray_str_of(old_annotations[i].key)))
            dray_warn(rq, DRAY_AT_KEY(&annotations, dray_str_of(old_annotations[i].key)),
                      dray_str_of(old_annotations[i].message));
    dray_str key = DRAY_STR("seccomp.security.alpha.kubernetes.io/pod");
    if ((spec->security_context == NULL || spec->security_context->seccomp_profile == NULL) &&
        map_has(meta->annotations, key))
        dray_warn(rq, DRAY_AT_KEY(&annotations, key),
                  DRAY_STR("non-functional in v1.27+; use the \"seccompProfile\" field instead"));
}

void dray_warn_pod(dray_request *rq, const dray_core_pod_spec *spec,
                   const dray_meta_object_meta *meta, const dray_path *template) {
    dray_path path = dray_path_child(template, "spec");
    warn_node_labels(rq, spec, &path);
    warn_spread(rq, spec, &path);
    warn_annotations(rq, spec, meta, template);
    warn_volumes(rq, spec, &path);
    warn_overlaps(rq, spec);
    warn_doubles(rq, spec, &path);
    warn_fraction(rq, DRAY_RESOURCES(spec->overhead), "memory", DRAY_AT(&path, "overhead"));
    warn_fraction(rq, DRAY_RESOURCES(spec->overhead), "ephemeral-storage",
                  DRAY_AT(&path, "overhead"));
    warn_containers(rq, spec, meta, &path, template);
    warn_ports(rq, spec, &path);
    if (spec->termination_grace_period_seconds.set && spec->termination_grace_period_seconds.v < 0)
        dray_warn(rq, DRAY_AT(&path, "terminationGracePeriodSeconds"),
                  DRAY_STR("must be >= 0; negative values are invalid and will be treated as 1"));
    warn_pod_affinity(rq, spec->affinity, DRAY_AT(&path, "affinity"));
    for (size_t i = 0; spec->dns_config != NULL && i < spec->dns_config->nameservers.n; i++)
        dray_warn_ip(rq, spec->dns_config->nameservers.v[i],
                     DRAY_AT_INDEX(DRAY_AT(DRAY_AT(&path, "dnsConfig"), "nameservers"), i));
    for (size_t i = 0; i < spec->host_aliases.n; i++)
        dray_warn_ip(rq, spec->host_aliases.v[i].ip,
                     DRAY_AT(DRAY_AT_INDEX(DRAY_AT(&path, "hostAliases"), i), "ip"));
}
