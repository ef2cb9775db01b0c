/* Which hint goes with which message. */
#include "base/vec.h"
#include "cli/hints.h"
#include "tap.h"

static const struct {
    const char *label, *version, *kind, *field, *text, *want;
    dray_hint_where where;
} rows[] = {
    {"a request inside a Pod", "v1", "Pod", "spec.resourceClaims[0].source",
     "unknown field \"spec.resourceClaims[0].source\"", "ResourceClaimTemplate", DRAY_HINT_UNKNOWN},
    {"the same in a Deployment", "apps/v1", "Deployment",
     "spec.template.spec.resourceClaims[2].source", "", "ResourceClaimTemplate", DRAY_HINT_UNKNOWN},
    {"a flat request in v1", "resource.k8s.io/v1", "ResourceClaim",
     "spec.devices.requests[0].deviceClassName", "", "exactly", DRAY_HINT_UNKNOWN},
    {"and in a template of v1beta2", "resource.k8s.io/v1beta2", "ResourceClaimTemplate",
     "spec.spec.devices.requests[0].count", "", "exactly", DRAY_HINT_UNKNOWN},
    {"an alternative without a name", "resource.k8s.io/v1", "ResourceClaim",
     "spec.devices.requests[0].firstAvailable[1].name", "Required value", "name: large",
     DRAY_HINT_INVALID},
    {"memory as an attribute", "resource.k8s.io/v1", "DeviceClass",
     "spec.selectors[0].cel.expression",
     "found no matching overload for 'compareTo' applied to 'map(string, any).(quantity)'",
     "device.capacity", DRAY_HINT_INVALID},
    {"the admin label of 1.33", "v1", "Namespace", "resource.k8s.io/admin-access", "true",
     "resource.kubernetes.io/admin-access", DRAY_HINT_LABEL},
    {"a file that is cut off", NULL, NULL, "", "found unexpected end of stream", "cut off",
     DRAY_HINT_SYNTAX},
    {"nothing to say about a field that is right", "v1", "Pod", "spec.foo", "unknown field", NULL,
     DRAY_HINT_UNKNOWN},
    {"v1beta1's own shape is no mistake", "resource.k8s.io/v1beta1", "ResourceClaim",
     "spec.devices.requests[0].deviceClassName", "", NULL, DRAY_HINT_UNKNOWN},
};

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        const dray_kind *kind =
            rows[i].version != NULL
                ? dray_kind_find(dray_str_of(rows[i].version), dray_str_of(rows[i].kind))
                : NULL;
        const char *hint = dray_hint_find(rows[i].where, kind, dray_str_of(rows[i].field),
                                          dray_str_of(rows[i].text));
        CHECK(rows[i].label, rows[i].want == NULL
                                 ? hint == NULL
                                 : hint != NULL && strstr(hint, rows[i].want) != NULL);
    }
    return tap_end();
}
