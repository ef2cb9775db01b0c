/* The engines over the field tables: make, decode, encode, compare, copy, default, convert.
 *
 *     dray_object pod;
 *     dray_decode_report report = {.arena = arena};
 *     code = dray_api_decode(root, &gates, &report, &pod, err);     report.strict: unknown fields …
 *     code = dray_api_default(pod, &defaults, err);
 *     code = dray_api_convert(claim, hub_kind, arena, &claim, err);
 *     dray_api_encode(&buf, claim);
 *
 * Never code per kind: what a type needs beyond its rows is a hook in a table (default/,
 * convert.c).
 */
#ifndef DRAY_API_ENGINE_H
#define DRAY_API_ENGINE_H

#include "api/errors.h"
#include "api/types.h"
#include "data/tree.h"
#include "obj/gates.h"

/* How deep objects may lie in each other. Only composite pod group templates can hold themselves;
 * all other types end by themselves much earlier. The decoders check it, so the engines that walk
 * over decoded objects need not. */
enum { DRAY_API_MAX_DEPTH = 64 };

/* Where a field of the decoded object stood in its source. */
typedef struct dray_place {
    dray_str path; /* "spec.devices.requests[0].name" */
    uint32_t line, column;
} dray_place;

typedef struct dray_decode_report {
    dray_arena *arena;
    DRAY_VEC(dray_str) strict;    /* `unknown field "spec.foo"`, `duplicate field "…"` */
    DRAY_VEC(dray_place) unknown; /* the places of these, one each, in the same order */
    bool want_places;             /* fill `places` for every field (for messages with file:line) */
    DRAY_VEC(dray_place) places;
} dray_decode_report;

/* A zero value of type in which every non-pointer object field is made too. */
void *dray_api_new(const dray_type *type, dray_arena *arena);

/* apiVersion and kind of a document, as upstream peeks for them; what is missing is left as it was.
 * DRAY_E_INVALID with upstream's text when the document is no map or they are no strings. */
dray_code dray_api_peek(const dray_node *root, dray_str *ret_api_version, dray_str *ret_kind,
                        dray_err *err);

/* apiVersion and kind of the node choose the kind. Fields that the release lacks count as unknown.
 * Fails with Kubernetes' own text: a wrong JSON type (DRAY_E_INVALID), a kind that the release does
 * not serve (DRAY_E_UNSUPPORTED: `no matches for kind "K" in version "V"`). Strings borrow from the
 * tree. report may be NULL (lenient and silent). */
dray_code dray_api_decode(const dray_node *root, int release, dray_arena *arena,
                          dray_decode_report *report, dray_object *ret, dray_err *err);
/* The same for the struct of one type. */
dray_code dray_api_decode_type(const dray_node *node, const dray_type *type, int release,
                               dray_arena *arena, dray_decode_report *report, void **ret,
                               dray_err *err);

/* Compact JSON as Go's encoder writes it: kind and apiVersion, then fields in the order of the API,
 * maps by key; what omitempty leaves out left out. */
void dray_api_encode(dray_buf *out, dray_object object);
/* The same as a release writes it: without fields that it lacks. */
void dray_api_encode_at(dray_buf *out, dray_object object, int release);
void dray_api_encode_type(dray_buf *out, const dray_type *type, const void *body);
/* The same as a tree, for output that goes on to be edited or written as YAML. */
dray_node *dray_api_to_tree(dray_object object, dray_arena *arena);

/* Semantic equality (apimachinery's Semantic.DeepEqual: nil and empty alike, quantities by value).
 */
bool dray_api_equal(const dray_type *type, const void *a, const void *b);
/* Exact equality (reflect.DeepEqual on what JSON shows). */
bool dray_api_same(const dray_type *type, const void *a, const void *b);
void *dray_api_copy(const dray_type *type, const void *body, dray_arena *arena);
void dray_api_copy_into(const dray_type *type, void *to, const void *from, dray_arena *arena);

/* Defaults of the object's own version, in place. now stamps timeAdded and the like. */
typedef struct dray_defaults {
    const dray_gates *gates;
    dray_time now;
    dray_arena *arena;
} dray_defaults;
void dray_api_default(dray_object object, const dray_defaults *defaults);

/* The object in another version of its kind. The result shares what did not change. On the way to
 * the hub a few kinds (Node, Secret, Deployment, DaemonSet) are brought into its form in place, and
 * an annotation that is no number is DRAY_E_INVALID; another kind is DRAY_E_CONFLICT. */
dray_code dray_api_convert(dray_object object, const dray_kind *to, dray_arena *arena,
                           dray_object *ret, dray_err *err);

/* What a round trip through protobuf does to a stored object: empty lists and maps become nil. */
void dray_api_normalize(const dray_type *type, void *body);

/* Kubernetes' protobuf with its envelope (k8s\0 + runtime.Unknown). Limits: depth, arena. */
void dray_api_encode_proto(dray_buf *out, dray_object object, dray_arena *arena);
dray_code dray_api_decode_proto(dray_str bytes, int release, dray_arena *arena, dray_object *ret,
                                dray_err *err);

#endif
