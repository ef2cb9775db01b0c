/* What to do for a change that an explanation offers: fields that change, kubectl's commands. */
#include "cli/explain_steps.h"

#include "api/engine.h"
#include "data/json.h"
#include "data/yaml.h"

#include <ctype.h>
#include <stdio.h>

enum { LINES_MAX = 12, VALUE_BYTES = 160, PATH_BYTES = 512, DEPTH_MAX = 64 };

typedef struct difference {
    dray_buf *out;
    const char *indent;
    size_t n;     /* lines */
    bool renewal; /* a Pod has to be made again for it */
} difference;

/* The fields of a Pod that may change while it waits. Source: the API server's update rules. */
static const char *const open_fields[] = {"spec.schedulingGates", "spec.tolerations"};

static dray_node *tree_of(dray_object object, int release, dray_arena *arena) {
    dray_buf text = DRAY_BUF_INIT;
    dray_err err = DRAY_ERR_INIT;
    dray_node *root = NULL;
    dray_api_encode_at(&text, object, release);
    (void)dray_json_parse(dray_str_dup(arena, dray_buf_str(&text)), arena, &root, &err);
    dray_err_done(&err);
    dray_buf_done(&text);
    return root;
}

static void put_value(dray_buf *out, const dray_node *node) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_json_write(&text, node, false);
    dray_str s = dray_buf_str(&text);
    bool cut = s.n > VALUE_BYTES;
    dray_buf_str_add(out, dray_str_slice(s, 0, cut ? VALUE_BYTES : s.n));
    dray_buf_puts(out, cut ? "…" : "");
}

/* One line: what stood there, what comes. NULL: nothing. */
static void tell(difference *d, const char *path, const dray_node *before, const dray_node *after) {
    bool open = false;
    for (size_t i = 0; i < DRAY_COUNT(open_fields); i++)
        open |= dray_str_starts(dray_str_of(path), dray_str_of(open_fields[i]));
    d->renewal |= !open;
    if (d->n++ >= LINES_MAX)
        return;
    dray_buf_addf(d->out, "%s%s: ", d->indent, path);
    if (before != NULL)
        put_value(d->out, before);
    dray_buf_puts(d->out, before == NULL ? "add " : after == NULL ? " → (remove)" : " → ");
    if (after != NULL)
        put_value(d->out, after);
    dray_buf_putc(d->out, '\n');
}

static bool equal(const dray_node *a, const dray_node *b) {
    DRAY_CLEANUP_BUF dray_buf x = DRAY_BUF_INIT, y = DRAY_BUF_INIT;
    dray_json_write(&x, a, false);
    dray_json_write(&y, b, false);
    return dray_str_eq(dray_buf_str(&x), dray_buf_str(&y));
}

static void compare(difference *d, char *path, size_t length, const dray_node *a,
                    const dray_node *b, int depth);

static void compare_maps(difference *d, char *path, size_t length, const dray_node *a,
                         const dray_node *b, int depth) {
    for (int side = 0; side < 2; side++) {
        const dray_node *from = side == 0 ? a : b;
        for (size_t i = 0; i < from->map.n; i++) {
            dray_str key = from->map.members[i].key;
            const dray_node *x = dray_node_find(a, key), *y = dray_node_find(b, key);
            if (side == 1 && x != NULL)
                continue;
            bool plain = dray_str_chr(key, '.') == SIZE_MAX && dray_str_chr(key, '/') == SIZE_MAX;
            int n = snprintf(path + length, PATH_BYTES - length, plain ? "%s%.*s" : "%s[\"%.*s\"]",
                             plain && length != 0 ? "." : "", (int)key.n, key.p);
            if (n > 0 && length + (size_t)n < PATH_BYTES)
                compare(d, path, length + (size_t)n, x, y, depth + 1);
        }
    }
}

/* What is the same at both ends stays; in between items pair off, the longer side has the rest. */
static void compare_lists(difference *d, char *path, size_t length, const dray_node *a,
                          const dray_node *b, int depth) {
    size_t first = 0, end_a = a->list.n, end_b = b->list.n;
    while (first < end_a && first < end_b && equal(&a->list.items[first], &b->list.items[first]))
        first++;
    while (end_a > first && end_b > first &&
           equal(&a->list.items[end_a - 1], &b->list.items[end_b - 1])) {
        end_a--;
        end_b--;
    }
    size_t end = end_a > end_b ? end_a : end_b;
    for (size_t i = first; i < end; i++) {
        int n = snprintf(path + length, PATH_BYTES - length, "[%zu]", i);
        if (n > 0 && length + (size_t)n < PATH_BYTES)
            compare(d, path, length + (size_t)n, i < end_a ? &a->list.items[i] : NULL,
                    i < end_b ? &b->list.items[i] : NULL, depth + 1);
    }
}

static void compare(difference *d, char *path, size_t length, const dray_node *a,
                    const dray_node *b, int depth) {
    if (a != NULL && b != NULL && equal(a, b))
        return;
    bool same_kind = a != NULL && b != NULL && a->kind == b->kind && depth < DEPTH_MAX;
    if (same_kind && a->kind == DRAY_NODE_MAP)
        compare_maps(d, path, length, a, b, depth);
    else if (same_kind && a->kind == DRAY_NODE_LIST)
        compare_lists(d, path, length, a, b, depth);
    else
        tell(d, path, a, b);
    path[length] = '\0';
}

static void put_command(dray_buf *out, const char *kind, dray_str ns, dray_str name) {
    dray_buf_puts(out, "      kubectl delete ");
    for (; *kind != '\0'; kind++)
        dray_buf_putc(out, (char)tolower((unsigned char)*kind));
    dray_buf_addf(out, " " DRAY_FMT, DRAY_ARG(name));
    if (ns.n != 0)
        dray_buf_addf(out, " -n " DRAY_FMT, DRAY_ARG(ns));
    dray_buf_putc(out, '\n');
}

/* Claims that belong to a Pod which goes too go with it. */
static bool goes_along(const dray_explain_fix *fix, const dray_cluster *before, size_t i) {
    const dray_explain_gone *gone = &fix->gone[i];
    if (gone->kind->type != &dray_type_resource_claim)
        return false;
    const dray_resource_claim *claim =
        dray_cluster_find(before, gone->kind->type, gone->ns, gone->name);
    for (size_t o = 0; claim != NULL && o < claim->metadata->owner_references.n; o++)
        for (size_t k = 0; k < fix->n_gone; k++)
            if (fix->gone[k].kind->type == &dray_type_core_pod &&
                dray_str_eq(fix->gone[k].name, claim->metadata->owner_references.v[o].name))
                return true;
    return false;
}

static bool is_generated(const dray_object object) {
    return object.kind->type == &dray_type_resource_claim &&
           dray_object_meta(object)->owner_references.n != 0;
}

/* What nobody applies by hand; false: it is something else. */
static bool put_hardware(dray_buf *out, dray_object object) {
    dray_str name = dray_object_meta(object)->name;
    if (object.kind->type == &dray_type_core_node) {
        dray_buf_addf(out, "      node " DRAY_FMT " would have to join (-o json has its labels)\n",
                      DRAY_ARG(name));
        return true;
    }
    if (object.kind->type != &dray_type_resource_slice)
        return false;
    const dray_resource_slice_spec *spec = ((const dray_resource_slice *)object.body)->spec;
    dray_buf_addf(out, "      " DRAY_FMT " would have to publish a slice with %zu device%s",
                  DRAY_ARG(spec->driver), spec->devices.n, spec->devices.n == 1 ? "" : "s");
    if (spec->node_name.n != 0)
        dray_buf_addf(out, " on node " DRAY_FMT, DRAY_ARG(spec->node_name));
    dray_buf_puts(out, " (-o json has it)\n");
    return true;
}

static void put_new(dray_buf *out, dray_object object, int release, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf yaml = DRAY_BUF_INIT;
    if (put_hardware(out, object))
        return;
    dray_yaml_write(&yaml, tree_of(object, release, arena));
    dray_buf_puts(out, "      kubectl apply -f - with\n");
    dray_str rest = dray_buf_str(&yaml), line;
    while (rest.n != 0 && dray_str_cut(rest, '\n', &line, &rest))
        if (!dray_str_starts(line, DRAY_STR("  uid: "))) /* the server gives another */
            dray_buf_addf(out, "        " DRAY_FMT "\n", DRAY_ARG(line));
}

/* Whether a Pod could not be changed so in place. */
static bool put_change(dray_buf *out, dray_object before, dray_object after, int release,
                       dray_arena *arena) {
    const dray_meta_object_meta *meta = dray_object_meta(after);
    dray_str ns = after.kind->namespaced ? meta->namespace : DRAY_STR("");
    char path[PATH_BYTES] = "";
    dray_buf_addf(out, "      %s " DRAY_FMT "%s" DRAY_FMT "\n", after.kind->kind, DRAY_ARG(ns),
                  ns.n != 0 ? "/" : "", DRAY_ARG(meta->name));
    difference d = {.out = out, .indent = "        "};
    compare(&d, path, 0, tree_of(before, release, arena), tree_of(after, release, arena), 0);
    if (d.n > LINES_MAX)
        dray_buf_addf(out, "        and %zu more (-o json has all)\n", d.n - LINES_MAX);
    return d.renewal;
}

/* What can't be changed in place has to be made again. */
static void put_renewals(dray_buf *out, const dray_explain_fix *fix, const dray_cluster *before,
                         dray_str pod, bool renewed) {
    for (size_t i = 0; i < fix->n_objects && !renewed; i++)
        renewed = is_generated(fix->objects[i]);
    for (size_t i = 0; i < fix->n_objects; i++) {
        const dray_meta_object_meta *meta = dray_object_meta(fix->objects[i]);
        if (fix->objects[i].kind->type == &dray_type_resource_claim &&
            !is_generated(fix->objects[i]) &&
            dray_cluster_find(before, fix->objects[i].kind->type, meta->namespace, meta->name))
            dray_buf_addf(out,
                          "      a claim can't be changed in place: delete " DRAY_FMT
                          " and make it again\n",
                          DRAY_ARG(meta->name));
    }
    if (renewed)
        dray_buf_addf(out, "      then delete Pod " DRAY_FMT " and make it again\n", DRAY_ARG(pod));
}

void dray_explain_steps(dray_buf *out, const dray_explain_fix *fix, const dray_cluster *before,
                        dray_str pod, int release, dray_arena *arena) {
    bool renewed = false;
    for (size_t i = 0; i < fix->n_gone; i++)
        if (!goes_along(fix, before, i))
            put_command(out, fix->gone[i].kind->kind, fix->gone[i].ns, fix->gone[i].name);
    for (size_t i = 0; i < fix->n_objects; i++) {
        dray_object after = fix->objects[i], old = after;
        const dray_meta_object_meta *meta = dray_object_meta(after);
        dray_str ns = after.kind->namespaced ? meta->namespace : DRAY_STR("");
        old.body = (void *)(uintptr_t)dray_cluster_find(before, after.kind->type, ns, meta->name);
        if (old.body == NULL)
            put_new(out, after, release, arena);
        else if (!is_generated(after))
            renewed |= put_change(out, old, after, release, arena) &&
                       after.kind->type == &dray_type_core_pod;
    }
    for (size_t i = 0; i < fix->n_gates; i++)
        dray_buf_addf(out, "      --feature-gates=%s=%s\n", fix->gates[i].gate,
                      fix->gates[i].on ? "true" : "false");
    put_renewals(out, fix, before, pod, renewed);
}
