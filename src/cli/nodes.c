/* What if: nodes that go, with what ran there, and copies of a node that come. */
#include "cli/objects.h"

#include "api/engine.h"
#include <stdio.h>

enum { NODES_ADDED_MAX = 10000 };
#define HOSTNAME_LABEL "kubernetes.io/hostname"

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
    dray_map nodes; /* names */
    dray_map gone;  /* uids of Pods */
} removal;

static const dray_meta_owner_reference *controller_of(const dray_meta_object_meta *meta) {
    for (size_t i = 0; i < meta->owner_references.n; i++)
        if (meta->owner_references.v[i].controller.set && meta->owner_references.v[i].controller.v)
            return &meta->owner_references.v[i];
    return NULL;
}

/* A DaemonSet's Pod and a static one (owned by its Node) have no place without their node. */
static bool is_replaced(const dray_core_pod *pod, const dray_meta_owner_reference *owner) {
    return !dray_str_is(owner->kind, "DaemonSet") && !dray_str_is(owner->kind, "Node") &&
           !pod->metadata->deletion_timestamp.set &&
           !dray_str_is(pod->status->phase, "Succeeded") &&
           !dray_str_is(pod->status->phase, "Failed");
}

/* Whether the Pod stays, as the one that its controller makes instead. */
static bool keep_pod(removal *r, dray_loaded *loaded) {
    dray_core_pod *pod = loaded->object.body;
    if (pod->spec->node_name.n == 0 || dray_map_find(&r->nodes, pod->spec->node_name) == NULL)
        return true;
    dray_meta_object_meta *meta = pod->metadata;
    dray_map_put(&r->gone, meta->uid, pod);
    const dray_meta_owner_reference *owner = controller_of(meta);
    if (owner == NULL) {
        fprintf(stderr,
                "dray plan: Pod " DRAY_FMT "/" DRAY_FMT " is lost with node " DRAY_FMT
                ": no controller makes it anew\n",
                DRAY_ARG(meta->namespace), DRAY_ARG(meta->name), DRAY_ARG(pod->spec->node_name));
        return false;
    }
    if (!is_replaced(pod, owner))
        return false;
    meta->uid = dray_strf(r->objects->arena, DRAY_FMT "-again", DRAY_ARG(meta->uid));
    meta->creation_timestamp = (dray_time){0};
    pod->spec->node_name = DRAY_STR_NONE;
    pod->status = dray_api_new(&dray_type_core_pod_status, r->objects->arena);
    pod->status->phase = DRAY_STR("Pending");
    return true;
}

/* A claim made for a Pod goes with it; others lose that user, and what they hold with the last. */
static bool keep_claim(removal *r, dray_loaded *loaded) {
    dray_resource_claim *claim = loaded->object.body;
    const dray_meta_owner_reference *owner = controller_of(claim->metadata);
    if (owner != NULL && dray_map_find(&r->gone, owner->uid) != NULL)
        return false;
    size_t kept = 0, n = claim->status->reserved_for.n;
    for (size_t i = 0; i < n; i++) {
        dray_resource_claim_consumer_reference user = claim->status->reserved_for.v[i];
        if (dray_map_find(&r->gone, user.uid) == NULL)
            claim->status->reserved_for.v[kept++] = user;
    }
    claim->status->reserved_for.n = kept;
    if (n != 0 && kept == 0)
        claim->status->allocation = NULL;
    return true;
}

static bool keep_slice(const removal *r, const dray_loaded *loaded) {
    const dray_resource_slice *slice = loaded->object.body;
    return slice->spec->node_name.n == 0 ||
           dray_map_find(&r->nodes, slice->spec->node_name) == NULL;
}

static bool keep(removal *r, dray_loaded *loaded, bool claims) {
    if (claims)
        return !is(loaded, &dray_type_resource_claim) || keep_claim(r, loaded);
    if (is(loaded, &dray_type_core_pod))
        return keep_pod(r, loaded);
    if (is(loaded, &dray_type_core_node))
        return dray_map_find(&r->nodes, dray_object_meta(loaded->object)->name) == NULL;
    return !is(loaded, &dray_type_resource_slice) || keep_slice(r, loaded);
}

static int read_removed(removal *r, const struct dray_flag_values *lists) {
    for (size_t i = 0; i < lists->n; i++) {
        dray_str list = dray_str_of(lists->v[i]), name;
        while (list.n != 0) {
            dray_str_cut(list, ',', &name, &list);
            dray_loaded *node = find_node(r->objects, name);
            if (name.n != 0 && node == NULL) {
                fprintf(stderr, "dray plan: --remove-nodes: there is no Node \"" DRAY_FMT "\"\n",
                        DRAY_ARG(name));
                return DRAY_EXIT_USAGE;
            }
            if (name.n != 0)
                dray_map_put(&r->nodes, name, node);
        }
    }
    return DRAY_EXIT_OK;
}

static int remove_nodes(dray_objects *objects, const struct dray_flag_values *lists) {
    removal r = {
        .objects = objects,
        .nodes = dray_map_new(objects->arena),
        .gone = dray_map_new(objects->arena),
    };
    int status = read_removed(&r, lists);
    /* Claims come second: they need to know which Pods are gone. */
    for (int claims = 0; status == DRAY_EXIT_OK && r.nodes.n != 0 && claims <= 1; claims++) {
        size_t kept = 0;
        for (size_t i = 0; i < objects->list.n; i++) {
            dray_loaded loaded = objects->list.v[i];
            if (keep(&r, &loaded, claims == 1))
                objects->list.v[kept++] = loaded;
        }
        objects->list.n = kept;
    }
    return status;
}

/* --- adding --- */

typedef struct addition {
    dray_objects *objects;
    dray_loaded *loaded; /* the file's objects */
    size_t n;
    dray_str node; /* the name of the node there */
} addition;

static int bad_addition(const char *text, const char *why) {
    fprintf(stderr, "dray plan: --add-nodes=%s: %s\n", text, why);
    return DRAY_EXIT_USAGE;
}

/* NULL, or what is wrong with the file: one Node, and slices of that node. */
static const char *check_addition(addition *a) {
    size_t nodes = 0;
    for (size_t i = 0; i < a->n; i++)
        if (is(&a->loaded[i], &dray_type_core_node)) {
            a->node = dray_object_meta(a->loaded[i].object)->name;
            nodes++;
        }
    if (nodes != 1)
        return nodes == 0 ? "the file has no Node" : "the file has more than one Node";
    for (size_t i = 0; i < a->n; i++) {
        if (is(&a->loaded[i], &dray_type_core_node))
            continue;
        if (!is(&a->loaded[i], &dray_type_resource_slice))
            return "the file may hold one Node and its ResourceSlices alone; give the rest by -f";
        const dray_resource_slice *slice = a->loaded[i].object.body;
        if (!dray_str_eq(slice->spec->node_name, a->node))
            return "a ResourceSlice of the file has another spec.nodeName than the Node there";
    }
    return NULL;
}

/* text with the node's name in front replaced; else with "-N" behind it. */
static dray_str renamed(const addition *a, dray_str text, dray_str node, size_t number) {
    if (dray_str_starts(text, a->node))
        return dray_strf(a->objects->arena, DRAY_FMT DRAY_FMT, DRAY_ARG(node),
                         DRAY_ARG(dray_str_slice(text, a->node.n, text.n)));
    return dray_strf(a->objects->arena, DRAY_FMT "-%zu", DRAY_ARG(text), number);
}

static void fill_copy(const addition *a, dray_object copy, dray_str node, size_t number) {
    dray_meta_object_meta *meta = dray_object_meta(copy);
    meta->uid = DRAY_STR_NONE;
    if (copy.kind->type == &dray_type_resource_slice) {
        dray_resource_slice *slice = copy.body;
        meta->name = renamed(a, meta->name, node, number);
        slice->spec->node_name = node;
        slice->spec->pool->name = renamed(a, slice->spec->pool->name, node, number);
        return;
    }
    meta->name = node;
    for (size_t i = 0; i < meta->labels.n; i++)
        if (dray_str_is(meta->labels.k[i], HOSTNAME_LABEL))
            meta->labels.v[i] = node;
}

static int make_copies(addition *a, const char *text, size_t n) {
    dray_arena *arena = a->objects->arena;
    for (size_t number = 1; number <= n; number++) {
        dray_str node = dray_strf(arena, DRAY_FMT "-%zu", DRAY_ARG(a->node), number);
        if (find_node(a->objects, node) != NULL)
            return bad_addition(
                text, dray_strf(arena, "there is a Node " DRAY_FMT " already", DRAY_ARG(node)).p);
        for (size_t i = 0; i < a->n; i++) {
            const dray_kind *kind = a->loaded[i].object.kind;
            dray_object copy = {kind, dray_api_copy(kind->type, a->loaded[i].object.body, arena)};
            fill_copy(a, copy, node, number);
            dray_objects_add(a->objects, copy);
        }
        DRAY_PUSH(arena, &a->objects->added, node);
    }
    return DRAY_EXIT_OK;
}

/* 0 unless text is a number from 1 to NODES_ADDED_MAX. */
static size_t count_of(dray_str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return 0;
        n = n * 10 + (size_t)(text.p[i] - '0');
        if (n > NODES_ADDED_MAX)
            return 0;
    }
    return n;
}

static int add_nodes(dray_objects *objects, const char *text) {
    addition a = {.objects = objects};
    const char *equals = strchr(text, '=');
    size_t n = equals != NULL ? count_of(dray_str_n(text, (size_t)(equals - text))) : 0;
    if (n == 0 || equals[1] == '\0')
        return bad_addition(text, "wants NUMBER=FILE, with a number from 1 to 10000");
    size_t first = objects->list.n, errors = objects->input->errors;
    dray_objects_read(objects, equals + 1);
    a.n = objects->list.n - first;
    a.loaded = DRAY_NEW_N(objects->arena, dray_loaded, a.n);
    if (a.n != 0)
        memcpy(a.loaded, &objects->list.v[first], a.n * sizeof *a.loaded);
    objects->list.n = first; /* they are patterns, not part of the cluster */
    if (objects->input->errors != errors)
        return DRAY_EXIT_USAGE;
    const char *wrong = check_addition(&a);
    return wrong != NULL ? bad_addition(text, wrong) : make_copies(&a, text, n);
}

int dray_objects_change_nodes(dray_objects *objects, const dray_args *args) {
    int status = remove_nodes(objects, dray_args_all(args, "remove-nodes"));
    const struct dray_flag_values *added = dray_args_all(args, "add-nodes");
    for (size_t i = 0; i < added->n && status == DRAY_EXIT_OK; i++)
        status = add_nodes(objects, added->v[i]);
    return status;
}
