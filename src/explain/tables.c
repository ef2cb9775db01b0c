/* The tables: causes with their sentences and fixes, fixes with their makers, detectors in order.
 */
#include "explain/explain_int.h"

#define F(name) DRAY_FIX_##name

static const struct {
    dray_cause cause;
    size_t n;
    dray_fix v[DRAY_FIXES_OF_CAUSE];
} fixes[] = {
#define FIXES(cause_, ...)                                      \
    {.cause = DRAY_CAUSE_##cause_,                              \
     .n = sizeof((dray_fix[]){__VA_ARGS__}) / sizeof(dray_fix), \
     .v = {__VA_ARGS__}},
    FIXES(OTHER_SCHEDULER, F(CHANGE_SCHEDULER)) FIXES(BYPASSED_SCHEDULER, F(UNSET_NODE_NAME)) FIXES(
        GATED, F(REMOVE_SCHEDULING_GATE)) FIXES(TEMPLATE_MISSING, F(CORRECT_TEMPLATE_NAME),
                                                F(CREATE_TEMPLATE)) FIXES(QUOTA, F(RAISE_QUOTA),
                                                                          F(LOWER_COUNT),
                                                                          F(END_POD))
        FIXES(ADMIN_ACCESS_NAMESPACE, F(LABEL_NAMESPACE)) FIXES(
            CLAIM_MISSING, F(CORRECT_CLAIM_NAME), F(CREATE_CLAIM),
            F(RECREATE_CLAIM)) FIXES(CLAIM_DELETING, F(RECREATE_CLAIM),
                                     F(OWN_CLAIM)) FIXES(CLAIM_OWNED_BY_OTHER,
                                                         F(RECREATE_CLAIM)) FIXES(CLAIM_FULL,
                                                                                  F(OWN_CLAIM),
                                                                                  F(END_CONSUMER))
            FIXES(CLAIM_ON_OTHER_NODE, F(REALLOCATE_CLAIM), F(OWN_CLAIM), F(RELAX_NODE_SELECTOR), F(ADD_NODE)) FIXES(
                CLASS_MISSING, F(CORRECT_CLASS_NAME),
                F(CREATE_CLASS)) FIXES(EXTENDED_RESOURCE_UNKNOWN, F(MAP_EXTENDED_RESOURCE),
                                       F(CORRECT_RESOURCE_NAME),
                                       F(CREATE_CLASS)) FIXES(GATE_OFF, F(ENABLE_GATE), F(DROP_CONSTRAINT))
                FIXES(ATTRIBUTE_MISSPELT, F(CORRECT_SELECTOR), F(RELAX_SELECTOR)) FIXES(
                    ATTRIBUTE_OTHER_DOMAIN,
                    F(CORRECT_SELECTOR),
                    F(
                        RELAX_SELECTOR)) FIXES(CAPACITY_NOT_ATTRIBUTE,
                                               F(CORRECT_SELECTOR), F(RELAX_SELECTOR))
                    FIXES(ATTRIBUTE_NOT_CAPACITY, F(CORRECT_SELECTOR), F(RELAX_SELECTOR)) FIXES(
                        ATTRIBUTE_ABSENT,
                        F(CORRECT_SELECTOR),
                        F(RELAX_SELECTOR)) FIXES(ATTRIBUTE_PARTIAL, F(CORRECT_SELECTOR), F(CORRECT_SLICE))
                        FIXES(ATTRIBUTE_OTHER_TYPE, F(CORRECT_SELECTOR), F(RELAX_SELECTOR)) FIXES(
                            VERSION_COMPARED_AS_STRING,
                            F(CORRECT_SELECTOR),
                            F(
                                RELAX_SELECTOR)) FIXES(QUANTITY_COMPARED_WRONGLY,
                                                       F(CORRECT_SELECTOR), F(RELAX_SELECTOR))
                            FIXES(SELECTOR_ERROR, F(CORRECT_SELECTOR), F(RELAX_SELECTOR)) FIXES(
                                SELECTOR_FALSE,
                                F(RELAX_SELECTOR), F(CORRECT_SELECTOR), F(CORRECT_CLASS_NAME),
                                F(ADD_DEVICE)) FIXES(NO_SLICES_FOR_DRIVER, F(CORRECT_SELECTOR),
                                                     F(CORRECT_CLASS_NAME),
                                                     F(ADD_DEVICE))
                                FIXES(DEVICES_REACH_NO_NODE, F(ADD_NODE), F(LABEL_NODE),
                                      F(CORRECT_SLICE),
                                      F(ADD_DEVICE)) FIXES(POOL_INCOMPLETE, F(COMPLETE_POOL),
                                                           F(CORRECT_SLICE)) FIXES(POOL_INVALID,
                                                                                   F(CORRECT_SLICE))
                                    FIXES(IN_USE, F(RELAX_SELECTOR), F(LOWER_COUNT),
                                          F(FREE_DEVICE)) FIXES(IN_USE_LEAKED, F(FREE_DEVICE))
                                        FIXES(DEVICE_TAINT, F(UNTAINT_DEVICE),
                                              F(TOLERATE_DEVICE_TAINT),
                                              F(LOWER_COUNT))
                                            FIXES(
                                                CONSTRAINT_ATTRIBUTE_ABSENT, F(DROP_CONSTRAINT),
                                                F(CORRECT_CONSTRAINT)) FIXES(CONSTRAINT_UNSATISFIED,
                                                                             F(LOWER_COUNT),
                                                                             F(DROP_CONSTRAINT),
                                                                             F(ADD_DEVICE))
                                                FIXES(COUNTERS_EXHAUSTED, F(FREE_DEVICE),
                                                      F(RELAX_SELECTOR), F(CORRECT_SELECTOR))
                                                    FIXES(
                                                        CAPACITY_TOO_LARGE,
                                                        F(LOWER_CAPACITY),
                                                        F(ADD_DEVICE)) FIXES(CAPACITY_EXHAUSTED,
                                                                             F(LOWER_CAPACITY),
                                                                             F(FREE_DEVICE))
                                                        FIXES(POLICY_REJECTS, F(LOWER_CAPACITY)) FIXES(
                                                            TOO_FEW_DEVICES, F(LOWER_COUNT),
                                                            F(ADD_DEVICE)) FIXES(LIMIT_EXCEEDED,
                                                                                 F(LOWER_COUNT),
                                                                                 F(CORRECT_SELECTOR),
                                                                                 F(RELAX_SELECTOR))
                                                            FIXES(NODE_UNSCHEDULABLE, F(UNCORDON_NODE)) FIXES(
                                                                NODE_TAINT,
                                                                F(TOLERATE_NODE_TAINT),
                                                                F(UNTAINT_NODE))
                                                                FIXES(NODE_SELECTOR,
                                                                      F(RELAX_NODE_SELECTOR),
                                                                      F(LABEL_NODE), F(ADD_NODE))
                                                                    FIXES(
                                                                        NODE_AFFINITY,
                                                                        F(RELAX_NODE_AFFINITY),
                                                                        F(LABEL_NODE),
                                                                        F(ADD_NODE)) FIXES(NODE_RESOURCES,
                                                                                           F(LOWER_REQUESTS),
                                                                                           F(END_POD),
                                                                                           F(ADD_DEVICE))
                                                                        FIXES(NODE_PORTS,
                                                                              F(CHANGE_PORT),
                                                                              F(END_POD))
                                                                            FIXES(
                                                                                POD_AFFINITY,
                                                                                F(RELAX_POD_AFFINITY))
                                                                                FIXES(
                                                                                    POD_ANTI_AFFINITY,
                                                                                    F(RELAX_POD_AFFINITY),
                                                                                    F(END_POD),
                                                                                    F(FREE_DEVICE),
                                                                                    F(ADD_NODE))
                                                                                    FIXES(
                                                                                        TOPOLOGY_SPREAD,
                                                                                        F(RELAX_SPREAD),
                                                                                        F(LABEL_NODE))
#undef FIXES
};

static const struct {
    const char *id, *sentence;
} causes[] = {
#define CAUSE(name, id, sentence) {id, sentence},
#include "explain/causes.def"
#undef CAUSE
};

dray_cause_row dray_cause_row_of(dray_cause cause) {
    dray_cause_row row = {.id = causes[cause].id, .sentence = causes[cause].sentence};
    for (size_t i = 0; i < DRAY_COUNT(fixes); i++)
        if (fixes[i].cause == cause) {
            memcpy(row.fixes, fixes[i].v, sizeof row.fixes);
            row.n_fixes = fixes[i].n;
        }
    return row;
}

const dray_fix_row dray_fix_rows[DRAY_FIX_COUNT] = {
#define FIX(name, id_, sentence_) {.id = id_, .sentence = sentence_, .make = dray_fix_make_##name},
#include "explain/fixes.def"
#undef FIX
};

dray_find_pod *const dray_find_pod_rows[] = {
    dray_find_scheduler,   dray_find_bypassed,        dray_find_gate,
    dray_find_template,    dray_find_refused,         dray_find_claim,
    dray_find_claim_full,  dray_find_class,           dray_find_extended,
    dray_find_feature,     dray_find_claim_elsewhere, dray_find_selector,
    dray_find_unreachable, dray_find_limit,           dray_find_pool,
};
const size_t dray_n_find_pod_rows = DRAY_COUNT(dray_find_pod_rows);
