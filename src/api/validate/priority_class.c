/* PriorityClasses. */
#include "api/validate/workload_int.h"

enum { HIGHEST_USER_PRIORITY = 1000000000 };

static const struct {
    const char *name;
    int32_t value;
} system_classes[] = {{"system-cluster-critical", 2000000000},
                      {"system-node-critical", 2000001000}};

/* Why a name that begins with "system-" is refused; absent where it is one of ours. */
static dray_str system_error(dray_request *rq, const dray_scheduling_priority_class *class) {
    for (size_t i = 0; i < DRAY_COUNT(system_classes); i++) {
        if (!dray_str_is(class->metadata->name, system_classes[i].name))
            continue;
        if (class->value != system_classes[i].value)
            return DETAIL(rq, "value of %s PriorityClass must be %d", system_classes[i].name,
                          system_classes[i].value);
        if (class->global_default)
            return DETAIL(rq, "globalDefault of %s PriorityClass must be false",
                          system_classes[i].name);
        return DRAY_STR_NONE;
    }
    return DETAIL(rq, DRAY_FMT " is not a known system priority class",
                  DRAY_ARG(class->metadata->name));
}

static void validate_new(dray_request *rq, const dray_scheduling_priority_class *class) {
    if (dray_str_starts(class->metadata->name, DRAY_STR("system-"))) {
        dray_str why = system_error(rq, class);
        if (why.p != NULL)
            fail_forbidden(rq, DRAY_AT(DRAY_AT(NULL, "metadata"), "name"),
                           DETAIL(rq,
                                  "priority class names with 'system-' prefix are reserved for "
                                  "system use only. error: " DRAY_FMT,
                                  DRAY_ARG(why)));
    } else if (class->value > HIGHEST_USER_PRIORITY) {
        fail_forbidden(rq, DRAY_AT(NULL, "value"),
                       DRAY_STR("maximum allowed value of a user defined priority is 1000000000"));
    }
    dray_str policy = class->preemption_policy;
    dray_path path = dray_path_child(NULL, "preemptionPolicy");
    if (policy.p != NULL && policy.n == 0)
        fail_required(rq, &path, DRAY_STR(""));
    else if (policy.p != NULL && !IS_ONE_OF(policy, "PreemptLowerPriority", "Never"))
        FAIL_UNSUPPORTED(rq, &path, policy, "PreemptLowerPriority", "Never");
}

void dray_validate_priority_class(dray_request *rq, const void *body, const void *old_body) {
    const dray_scheduling_priority_class *class = body, *old = old_body;
    dray_validate_object_meta(rq, class->metadata, old != NULL ? old->metadata : NULL, false);
    if (old == NULL) {
        validate_new(rq, class);
        return;
    }
    if (class->value != old->value)
        fail_forbidden(rq, DRAY_AT(NULL, "value"), DRAY_STR("may not be changed in an update."));
    dray_validate_immutable_word(rq, class->preemption_policy, old->preemption_policy,
                                 DRAY_AT(NULL, "preemptionPolicy"));
}
