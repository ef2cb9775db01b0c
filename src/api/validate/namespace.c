/* Namespaces. */
#include "api/validate/workload_int.h"

void dray_validate_namespace_object(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_namespace *ns = body, *old = old_body;
    dray_path path = dray_path_child(DRAY_AT(NULL, "spec"), "finalizers");
    dray_path meta = dray_path_child(NULL, "metadata");
    dray_validate_meta(rq, dray_strategy_find(rq->kind), ns->metadata, false, &meta);
    for (size_t i = 0; i < ns->spec->finalizers.n; i++) {
        fail_texts(rq, &path, ns->spec->finalizers.v[i], dray_check_label_key);
        dray_validate_kube_finalizer(rq, ns->spec->finalizers.v[i], &path);
    }
    if (old != NULL)
        dray_validate_meta_update(rq, ns->metadata, old->metadata, &meta);
}

void dray_validate_namespace_status(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_namespace *ns = body, *old = old_body;
    dray_path path = dray_path_child(DRAY_AT(NULL, "status"), "Phase");
    dray_str phase = ns->status->phase;
    dray_validate_object_meta(rq, ns->metadata, old->metadata, false);
    if (!ns->metadata->deletion_timestamp.set && !dray_str_is(phase, "Active"))
        fail_invalid_word(rq, &path, phase,
                          DRAY_STR("may only be 'Active' if `deletionTimestamp` is empty"));
    if (ns->metadata->deletion_timestamp.set && !dray_str_is(phase, "Terminating"))
        fail_invalid_word(
            rq, &path, phase,
            DRAY_STR("may only be 'Terminating' if `deletionTimestamp` is not empty"));
}
