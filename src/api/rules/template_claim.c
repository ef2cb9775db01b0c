/* The claim that a ResourceClaimTemplate makes for a Pod or a PodGroup. */
#include "api/rules/template_claim.h"

#include "api/engine.h"

enum { MAX_BASE = 57 }; /* a hyphen and five random characters make it 63 */

dray_claim_owner dray_claim_owner_of_pod(const dray_core_pod *pod) {
    return (dray_claim_owner){DRAY_STR("v1"), DRAY_STR("Pod"), pod->metadata->namespace,
                              pod->metadata->name, pod->metadata->uid};
}

dray_claim_owner dray_claim_owner_of_pod_group(const dray_meta_object_meta *pod_group) {
    return (dray_claim_owner){DRAY_STR("scheduling.k8s.io/v1beta1"), DRAY_STR("PodGroup"),
                              pod_group->namespace, pod_group->name, pod_group->uid};
}

dray_str dray_template_claim_generate_name(dray_str owner, dray_str claim, dray_arena *arena) {
    size_t length = owner.n + claim.n + 2;
    if (length <= MAX_BASE)
        return dray_strf(arena, DRAY_FMT "-" DRAY_FMT "-", DRAY_ARG(owner), DRAY_ARG(claim));
    return dray_strf(arena, DRAY_FMT "-" DRAY_FMT,
                     DRAY_ARG(dray_str_slice(owner, 0, owner.n * MAX_BASE / length)),
                     DRAY_ARG(dray_str_slice(claim, 0, claim.n * MAX_BASE / length)));
}

dray_resource_claim *dray_template_claim(const dray_resource_claim_template *template,
                                         const dray_claim_owner *owner, dray_str claim,
                                         dray_arena *arena) {
    dray_resource_claim *made = dray_api_new(&dray_type_resource_claim, arena);
    dray_meta_object_meta *meta = made->metadata;
    const dray_meta_object_meta *from = template->spec->metadata;
    meta->generate_name = dray_template_claim_generate_name(owner->name, claim, arena);
    meta->namespace = owner->namespace;
    meta->labels = from->labels;
    meta->annotations = from->annotations;
    dray_string_map_put(&meta->annotations, DRAY_STR(DRAY_POD_CLAIM_ANNOTATION), claim, arena);
    meta->owner_references.v = DRAY_NEW(arena, dray_meta_owner_reference);
    meta->owner_references.n = 1;
    meta->owner_references.v[0] = (dray_meta_owner_reference){
        .api_version = owner->api_version,
        .kind = owner->kind,
        .name = owner->name,
        .uid = owner->uid,
        .controller = {true, true},
    };
    made->spec = template->spec->spec;
    return made;
}
