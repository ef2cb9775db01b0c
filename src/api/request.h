/* One create or update, as an API server carries it out between decoding and storing.
 *
 *     code = dray_request_read(&read, body, &report, &sent, err);      decoded, defaulted, hub
 *     dray_request rq = {.arena = arena, .gates = &gates, .kind = sent.kind, …};
 *     code = dray_request_create(&rq, &ids, sent.object, err);
 *     if (code == DRAY_OK && rq.errors->list.n == 0)
 *         dray_request_store(&rq, &object);                            as it lies in the store
 *     code = dray_api_convert(object, sent.kind, arena, &shown, err);  the version it came in
 *
 * Admission goes between reading and creating. Objects are changed in place; what is old is never
 * changed. Pure: ids and the time come from the caller. Thread rule: one owner of the arena.
 * Source: apiserver's registry/rest and endpoints/handlers.
 */
#ifndef DRAY_API_REQUEST_H
#define DRAY_API_REQUEST_H

#include "api/strategy.h"

typedef struct dray_request_source {
    dray_arena *arena;
    const dray_gates *gates;
    dray_time now;
} dray_request_source;

typedef struct dray_sent {
    const dray_kind *kind; /* as asked for */
    dray_object object;    /* the hub's version */
} dray_sent;

/* Decodes, defaults in the version sent, converts to the hub. DRAY_E_INVALID with the Status text
 * (`K in version "v" cannot be handled as a K: …`), DRAY_E_UNSUPPORTED (`no matches for kind …`).
 */
dray_code dray_request_read(const dray_request_source *source, const dray_node *body,
                            dray_decode_report *report, dray_sent *ret, dray_err *err);

/* `resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, …`; absent when it is not. */
dray_str dray_request_deprecation(const dray_kind *kind, int release, dray_arena *arena);

/* What a new object is given. */
typedef struct dray_new_ids {
    dray_str uid;
    dray_str name_suffix; /* behind generateName */
    dray_str name_space;  /* of the request; of a namespaced object only */
} dray_new_ids;

/* Validation errors go to rq->errors and warnings to rq->warnings, with DRAY_OK. A request that
 * gets no further is an error: DRAY_E_INVALID (another namespace than the request's). */
dray_code dray_request_create(dray_request *rq, const dray_new_ids *ids, dray_object object,
                              dray_err *err);
/* old: as stored. rq->subresource is "" or "status". Besides: DRAY_E_NOT_FOUND (the kind has no
 * status), DRAY_E_INVALID (another name), DRAY_E_CONFLICT (resourceVersion or uid differ). */
dray_code dray_request_update(dray_request *rq, dray_object object, dray_object old, dray_err *err);

/* What the object looks like once it was written to the store and read again. */
void dray_request_store(const dray_request_source *source, dray_object *object);

/* Adds a warning unless it was given before. */
void dray_request_warn(dray_request *rq, dray_str text);

#endif
