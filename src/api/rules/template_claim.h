/* The claim that a ResourceClaimTemplate makes for a Pod or a PodGroup.
 *
 *     dray_claim_owner owner = dray_claim_owner_of_pod(pod);
 *     dray_resource_claim *claim = dray_template_claim(template, &owner, claim_name, arena);
 *
 * The claim shares the template's spec, labels and annotation values: it is read only and lives as
 * long as both. Its name is empty; generateName is what the controller would ask for. Pure.
 * Source: pkg/controller/resourceclaim (KEP-4381 structured parameters, section on templates).
 */
#ifndef DRAY_API_RULES_TEMPLATE_CLAIM_H
#define DRAY_API_RULES_TEMPLATE_CLAIM_H

#include "api/types.h"

/* The annotation that ties a claim to an entry of spec.resourceClaims. */
#define DRAY_POD_CLAIM_ANNOTATION "resource.kubernetes.io/pod-claim-name"
/* The annotation of a claim that the scheduler makes for extended resources. */
#define DRAY_EXTENDED_CLAIM_ANNOTATION "resource.kubernetes.io/extended-resource-claim"

/* Who the claim is made for; it becomes the controlling owner. Strings are borrowed. */
typedef struct dray_claim_owner {
    dray_str api_version, kind, namespace, name, uid;
} dray_claim_owner;

dray_claim_owner dray_claim_owner_of_pod(const dray_core_pod *pod);
dray_claim_owner dray_claim_owner_of_pod_group(const dray_meta_object_meta *pod_group);

/* "OWNER-CLAIM-", both cut in proportion so that with five random characters it fits 63. */
dray_str dray_template_claim_generate_name(dray_str owner, dray_str claim, dray_arena *arena);

dray_resource_claim *dray_template_claim(const dray_resource_claim_template *template,
                                         const dray_claim_owner *owner, dray_str claim,
                                         dray_arena *arena);

#endif
