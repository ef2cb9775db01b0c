/* What if: nodes that go, with what ran there, and copies of a node that come. */
#include "cli/nodes.h"

#include "api/engine.h"
#include <stdio.h>

#define HOSTNAME_LABEL "kubernetes.io/hostname"
#define FROM_INPUT "node/"

static bool is(const dray_loaded *loaded, const dray_type *type) {
    return loaded->object.kind->type == type;
}

static dray_loaded *find_node(const dray_objects *objects, dray_str name) {
    for (size_t i = 0; i < objects->list.n; i++)
        if (is(&objects->list.v[i], &dray_type_core_node) &&
            dray_str_eq(dray_object_meta(objects->list.v[i].object)->name, name))
            return &objects->list.v[i];
    return NULL;
}

/* --- removing --- */

typedef struct removal {
    dray_objects *objects;
    const dray_map *nodes; /* names */
    dray_map gone;         /* uids of Pods */
    bool tell;
} removal;

static const dray_meta_owner_reference *controller_of(const dray_meta_object_meta *meta) {
    for (size_t i = 0; i < meta->owner_references.n; i++)
        if (meta->owner_references.v[i].controller.set && meta->owner_references.v[i].controller.v)
            return &meta->owner_references.v[i];
    return NULL;
}

const dray_meta_owner_reference *dray_nodes_controller(const dray_core_pod *pod) {
    const dray_meta_owner_reference *owner = controller_of(pod->metadata);
    bool of_node = owner != NULL &&
                   (dray_str_is(owner->kind, "DaemonSet") || dray_str_is(owner->kind, "Node"));
    return of_node ? NULL : owner;
}

bool dray_nodes_is_running(const dray_core_pod *pod) {
    return !pod->metadata->deletion_timestamp.set &&
           !dray_str_is(pod->status->phase, "Succeeded") &&
           !dray_str_is(pod->status->phase, "Failed");
}

/* The Pod that its controller makes instead. */
static dray_core_pod *made_anew(const removal *r, const dray_core_pod *old) {
    dray_arena *arena = r->objects->arena;
    dray_core_pod *pod = dray_api_copy(&dray_type_core_pod, old, arena);
    pod->metadata->uid = dray_strf(arena, DRAY_FMT "-again", DRAY_ARG(old->metadata->uid));
    pod->metadata->creation_timestamp = (dray_time){0};
    pod->spec->node_name = DRAY_STR_NONE;
    pod->status = dray_api_new(&dray_type_core_pod_status, arena);
    pod->status->phase = DRAY_STR("Pending");
    return pod;
}

/* Whether the Pod stays, as the one that its controller makes instead. */
static bool keep_pod(removal *r, dray_loaded *loaded) {
    const dray_core_pod *pod = loaded->object.body;
    if (pod->spec->node_name.n == 0 || dray_map_find(r->nodes, pod->spec->node_name) == NULL)
        return true;
    const dray_meta_object_meta *meta = pod->metadata;
    dray_map_put(&r->gone, meta->uid, loaded->object.body);
    if (controller_of(meta) == NULL && r->tell && dray_nodes_is_running(pod))
        fprintf(stderr,
                "dray plan: Pod " DRAY_FMT "/" DRAY_FMT " is lost with node " DRAY_FMT
                ": no controller makes it anew\n",
                DRAY_ARG(meta->namespace), DRAY_ARG(meta->name), DRAY_ARG(pod->spec->node_name));
    if (dray_nodes_controller(pod) == NULL || !dray_nodes_is_running(pod))
        return false;
    loaded->object.body = made_anew(r, pod);
    return true;
}

/* A claim made for a Pod goes with it; others lose that user, and what they hold with the last. */
static bool keep_claim(removal *r, dray_loaded *loaded) {
    dray_resource_claim *claim = loaded->object.body;
    const dray_meta_owner_reference *owner = controller_of(claim->metadata);
    if (owner != NULL && dray_map_find(&r->gone, owner->uid) != NULL)
        return false;
    size_t kept = 0, n = claim->status->reserved_for.n;
    for (size_t i = 0; i < n; i++)
        kept += dray_map_find(&r->gone, claim->status->reserved_for.v[i].uid) == NULL;
    if (kept == n)
        return true;
    claim = dray_api_copy(&dray_type_resource_claim, claim, r->objects->arena);
    loaded->object.body = claim;
    kept = 0;
    for (size_t i = 0; i < n; i++) {
        dray_resource_claim_consumer_reference user = claim->status->reserved_for.v[i];
        if (dray_map_find(&r->gone, user.uid) == NULL)
            claim->status->reserved_for.v[kept++] = user;
    }
    claim->status->reserved_for.n = kept;
    if (kept == 0)
        claim->status->allocation = NULL;
    return true;
}

static bool keep_slice(const removal *r, const dray_loaded *loaded) {
    const dray_resource_slice *slice = loaded->object.body;
    return slice->spec->node_name.n == 0 || dray_map_find(r->nodes, slice->spec->node_name) == NULL;
}

static bool keep(removal *r, dray_loaded *loaded, bool claims) {
    if (claims)
        return !is(loaded, &dray_type_resource_claim) || keep_claim(r, loaded);
    if (is(loaded, &dray_type_core_pod))
        return keep_pod(r, loaded);
    if (is(loaded, &dray_type_core_node))
        return dray_map_find(r->nodes, dray_object_meta(loaded->object)->name) == NULL;
    return !is(loaded, &dray_type_resource_slice) || keep_slice(r, loaded);
}

int dray_nodes_read_names(const dray_objects *objects, const char *text, dray_map *ret) {
    dray_str list = dray_str_of(text), name;
    while (list.n != 0) {
        dray_str_cut(list, ',', &name, &list);
        dray_loaded *node = find_node(objects, name);
        if (name.n != 0 && node == NULL) {
            fprintf(stderr, "dray plan: --remove-nodes: there is no Node \"" DRAY_FMT "\"\n",
                    DRAY_ARG(name));
            return DRAY_EXIT_USAGE;
        }
        if (name.n != 0)
            dray_map_put(ret, name, node);
    }
    return DRAY_EXIT_OK;
}

void dray_nodes_remove(dray_objects *objects, const dray_map *names, bool tell) {
    removal r = {
        .objects = objects, .nodes = names, .gone = dray_map_new(objects->arena), .tell = tell};
    dray_loaded *list = DRAY_NEW_N(objects->arena, dray_loaded, objects->list.n + 1);
    if (names->n == 0)
        return;
    if (objects->list.n != 0)
        memcpy(list, objects->list.v, objects->list.n * sizeof *list);
    objects->list.v = list;
    objects->list.room = objects->list.n;
    /* Claims come second: they need to know which Pods are gone. */
    for (int claims = 0; claims <= 1; claims++) {
        size_t kept = 0;
        for (size_t i = 0; i < objects->list.n; i++) {
            dray_loaded loaded = list[i];
            if (keep(&r, &loaded, claims == 1))
                list[kept++] = loaded;
        }
        objects->list.n = kept;
    }
}

/* --- adding --- */

static int bad_pattern(const char *text, const char *why) {
    fprintf(stderr, "dray plan: --add-nodes=%s: %s\n", text, why);
    return DRAY_EXIT_USAGE;
}

/* NULL, or what is wrong with the file: one Node, and slices of that node. */
static const char *check_pattern(dray_node_pattern *p) {
    size_t nodes = 0;
    for (size_t i = 0; i < p->n_loaded; i++)
        if (is(&p->loaded[i], &dray_type_core_node)) {
            p->node = dray_object_meta(p->loaded[i].object)->name;
            nodes++;
        }
    if (nodes != 1)
        return nodes == 0 ? "the file has no Node" : "the file has more than one Node";
    for (size_t i = 0; i < p->n_loaded; i++) {
        if (is(&p->loaded[i], &dray_type_core_node))
            continue;
        if (!is(&p->loaded[i], &dray_type_resource_slice))
            return "the file may hold one Node and its ResourceSlices alone; give the rest by -f";
        const dray_resource_slice *slice = p->loaded[i].object.body;
        if (!dray_str_eq(slice->spec->node_name, p->node))
            return "a ResourceSlice of the file has another spec.nodeName than the Node there";
    }
    return NULL;
}

/* text with the node's name in front replaced; else with "-N" behind it. */
static dray_str renamed(dray_arena *arena, dray_str text, dray_str old, dray_str node,
                        size_t number) {
    if (dray_str_starts(text, old))
        return dray_strf(arena, DRAY_FMT DRAY_FMT, DRAY_ARG(node),
                         DRAY_ARG(dray_str_slice(text, old.n, text.n)));
    return dray_strf(arena, DRAY_FMT "-%zu", DRAY_ARG(text), number);
}

static void fill_copy(const dray_node_pattern *p, dray_object copy, dray_str node, size_t number,
                      dray_arena *arena) {
    dray_meta_object_meta *meta = dray_object_meta(copy);
    meta->uid = DRAY_STR_NONE;
    if (copy.kind->type == &dray_type_resource_slice) {
        dray_resource_slice *slice = copy.body;
        meta->name = renamed(arena, meta->name, p->node, node, number);
        slice->spec->node_name = node;
        slice->spec->pool->name = renamed(arena, slice->spec->pool->name, p->node, node, number);
        return;
    }
    meta->name = node;
    for (size_t i = 0; i < meta->labels.n; i++)
        if (dray_str_is(meta->labels.k[i], HOSTNAME_LABEL))
            meta->labels.v[i] = node;
}

int dray_nodes_add(dray_objects *objects, const dray_node_pattern *p, size_t n) {
    dray_arena *arena = objects->arena;
    for (size_t number = 1; number <= n; number++) {
        dray_str node = dray_strf(arena, DRAY_FMT "-%zu", DRAY_ARG(p->node), number);
        if (find_node(objects, node) != NULL)
            return bad_pattern(
                p->text,
                dray_strf(arena, "there is a Node " DRAY_FMT " already", DRAY_ARG(node)).p);
        for (size_t i = 0; i < p->n_loaded; i++) {
            const dray_kind *kind = p->loaded[i].object.kind;
            dray_object copy = {kind, dray_api_copy(kind->type, p->loaded[i].object.body, arena)};
            fill_copy(p, copy, node, number, arena);
            dray_objects_add(objects, copy);
        }
        DRAY_PUSH(arena, &objects->added, node);
    }
    return DRAY_EXIT_OK;
}

/* 0 unless text is a number from 1 to DRAY_NODES_ADDED_MAX. */
static size_t count_of(dray_str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return 0;
        n = n * 10 + (size_t)(text.p[i] - '0');
        if (n > DRAY_NODES_ADDED_MAX)
            return 0;
    }
    return n;
}

/* A node of the input with the slices that are its own. */
static const char *copy_from_input(dray_objects *objects, dray_str name, dray_node_pattern *ret) {
    DRAY_VEC(dray_loaded) found = {0};
    for (size_t i = 0; i < objects->list.n; i++) {
        const dray_loaded *loaded = &objects->list.v[i];
        const dray_resource_slice *slice =
            is(loaded, &dray_type_resource_slice) ? loaded->object.body : NULL;
        if ((slice != NULL && dray_str_eq(slice->spec->node_name, name)) ||
            (is(loaded, &dray_type_core_node) &&
             dray_str_eq(dray_object_meta(loaded->object)->name, name)))
            DRAY_PUSH(objects->arena, &found, *loaded);
    }
    ret->loaded = found.v;
    ret->n_loaded = found.n;
    return found.n == 0 ? "there is no such Node in the input" : check_pattern(ret);
}

static const char *read_file(dray_objects *objects, const char *path, dray_node_pattern *ret) {
    size_t first = objects->list.n, errors = objects->input->errors;
    dray_objects_read(objects, path);
    ret->n_loaded = objects->list.n - first;
    dray_loaded *loaded = DRAY_NEW_N(objects->arena, dray_loaded, ret->n_loaded);
    if (ret->n_loaded != 0)
        memcpy(loaded, &objects->list.v[first], ret->n_loaded * sizeof *loaded);
    objects->list.n = first; /* they are patterns, not part of the cluster */
    ret->loaded = loaded;
    if (objects->input->errors != errors)
        return "the file can't be used";
    return check_pattern(ret);
}

int dray_nodes_read_pattern(dray_objects *objects, const char *text, dray_node_pattern *ret) {
    const char *equals = strchr(text, '=');
    dray_str head = dray_str_n(text, equals != NULL ? (size_t)(equals - text) : 0);
    *ret = (dray_node_pattern){
        .text = text, .automatic = dray_str_is(head, "auto"), .n = count_of(head)};
    if ((ret->n == 0 && !ret->automatic) || equals[1] == '\0')
        return bad_pattern(text, "wants NUMBER=FILE, with a number from 1 to 10000, or auto=FILE");
    dray_str path = dray_str_of(equals + 1);
    const char *wrong =
        dray_str_starts(path, DRAY_STR(FROM_INPUT))
            ? copy_from_input(objects, dray_str_slice(path, strlen(FROM_INPUT), path.n), ret)
            : read_file(objects, path.p, ret);
    return wrong != NULL ? bad_pattern(text, wrong) : DRAY_EXIT_OK;
}
