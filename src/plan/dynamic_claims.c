/* Which claims a Pod uses: by name, by template, and whether they may be used. */
#include "plan/dynamic.h"

/* The claim's name; absent with found true where none is needed. Source: resourceclaim.Name. */
static bool name_of(const dray_core_pod *pod, const dray_core_pod_resource_claim *entry,
                    dray_arena *arena, dray_str *ret_name, bool *ret_owned, dray_str *ret_why) {
    const dray_meta_object_meta *meta = pod->metadata;
    *ret_owned = false;
    if (entry->resource_claim_name.p != NULL) {
        *ret_name = entry->resource_claim_name;
        return true;
    }
    if (entry->resource_claim_template_name.p == NULL) {
        *ret_why =
            dray_strf(arena,
                      "pod \"" DRAY_FMT "/" DRAY_FMT "\", spec.resourceClaim \"" DRAY_FMT
                      "\": none of the supported fields are set",
                      DRAY_ARG(meta->namespace), DRAY_ARG(meta->name), DRAY_ARG(entry->name));
        return false;
    }
    *ret_owned = true;
    for (size_t i = 0; i < pod->status->resource_claim_statuses.n; i++)
        if (dray_str_eq(pod->status->resource_claim_statuses.v[i].name, entry->name)) {
            *ret_name = pod->status->resource_claim_statuses.v[i].resource_claim_name;
            return true;
        }
    *ret_why = dray_strf(arena, "pod \"" DRAY_FMT "/" DRAY_FMT "\": ResourceClaim not created yet",
                         DRAY_ARG(meta->namespace), DRAY_ARG(meta->name));
    return false;
}

static bool owned_by_group(const dray_core_pod *pod, const dray_resource_claim *claim) {
    const dray_meta_owner_reference *owner = dray_plan_controller_of(claim->metadata);
    return owner != NULL && dray_str_is(owner->kind, "PodGroup") &&
           dray_str_starts(owner->api_version, DRAY_STR("scheduling.k8s.io/")) &&
           dray_str_eq(owner->name, pod->spec->scheduling_group->pod_group_name);
}

/* The text why the claim is not the Pod's; absent when it is. Source: resourceclaim.IsForPod. */
static dray_str not_for_pod(const dray_plan *plan, const dray_core_pod *pod,
                            const dray_resource_claim *claim, dray_arena *arena) {
    const dray_meta_object_meta *c = claim->metadata, *p = pod->metadata;
    const dray_meta_owner_reference *owner = dray_plan_controller_of(c);
    if (owner != NULL && dray_str_eq(owner->uid, p->uid))
        return DRAY_STR_NONE;
    bool grouped = dray_gates_on(&plan->world.gates, DRAY_GATE_DRAWorkloadResourceClaims) &&
                   pod->spec->scheduling_group != NULL &&
                   pod->spec->scheduling_group->pod_group_name.p != NULL;
    if (grouped && owned_by_group(pod, claim))
        return DRAY_STR_NONE;
    dray_str head = dray_strf(
        arena,
        "ResourceClaim " DRAY_FMT "/" DRAY_FMT " was not created for Pod " DRAY_FMT "/" DRAY_FMT,
        DRAY_ARG(c->namespace), DRAY_ARG(c->name), DRAY_ARG(p->namespace), DRAY_ARG(p->name));
    if (!grouped)
        return dray_strf(arena, DRAY_FMT " (Pod is not owner)", DRAY_ARG(head));
    return dray_strf(arena, DRAY_FMT " (neither Pod nor PodGroup " DRAY_FMT " is the owner)",
                     DRAY_ARG(head), DRAY_ARG(pod->spec->scheduling_group->pod_group_name));
}

bool dray_plan_pod_claims(const dray_plan *plan, const dray_core_pod *pod, dray_arena *arena,
                          const dray_resource_claim ***ret, size_t *ret_n, dray_str *ret_why) {
    DRAY_VEC(const dray_resource_claim *) claims = {0};
    dray_str ns = pod->metadata->namespace;
    for (size_t i = 0; i < pod->spec->resource_claims.n; i++) {
        dray_str name;
        bool owned;
        if (!name_of(pod, &pod->spec->resource_claims.v[i], arena, &name, &owned, ret_why))
            return false;
        if (name.p == NULL)
            continue;
        const dray_resource_claim *claim =
            dray_cluster_find(plan->cluster, &dray_type_resource_claim, ns, name);
        dray_str why = DRAY_STR_NONE;
        if (claim == NULL)
            why = dray_strf(arena, "could not find ResourceClaim \"" DRAY_FMT "/" DRAY_FMT "\"",
                            DRAY_ARG(ns), DRAY_ARG(name));
        else if (claim->metadata->deletion_timestamp.set)
            why = dray_strf(arena, "resourceclaim \"" DRAY_FMT "\" is being deleted",
                            DRAY_ARG(claim->metadata->name));
        else if (owned)
            why = not_for_pod(plan, pod, claim, arena);
        if (why.p != NULL) {
            *ret_why = why;
            return false;
        }
        DRAY_PUSH(arena, &claims, claim);
    }
    *ret = claims.v;
    *ret_n = claims.n;
    return true;
}
