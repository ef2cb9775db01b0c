/* Feature gates by Kubernetes release: what is on by default, what may be switched, what needs
 * what.
 *
 *     dray_gates gates;
 *     dray_gates_init(&gates, 37);
 *     code = dray_gates_set(&gates, DRAY_STR("DRAConsumableCapacity"), false, err);
 *     code = dray_gates_finish(&gates, err);            the dependencies hold
 *     if (dray_gates_on(&gates, DRAY_GATE_DRADeviceTaints)) …
 *
 * The rows stand in gates.def. A plain value; no ownership.
 */
#ifndef DRAY_OBJ_GATES_H
#define DRAY_OBJ_GATES_H

#include "base/err.h"
#include "base/str.h"

enum { DRAY_RELEASE_OLDEST = 34, DRAY_RELEASE_NEWEST = 37 };

typedef enum dray_gate {
#define GATE(name, r34, r35, r36, r37, needs) DRAY_GATE_##name,
#include "obj/gates.def"
#undef GATE
    DRAY_GATE_COUNT,
} dray_gate;

typedef struct dray_gates {
    int release; /* 34 … 37: the minor of 1.x */
    bool on[DRAY_GATE_COUNT];
} dray_gates;

/* The defaults of a release. release must be in [DRAY_RELEASE_OLDEST, DRAY_RELEASE_NEWEST]. */
void dray_gates_init(dray_gates *gates, int release);
/* "1.37" → 37. DRAY_E_INVALID names the releases there are. */
dray_code dray_release_parse(dray_str text, int *ret_release, dray_err *err);
/* DRAY_E_INVALID for a gate that the release does not know or has locked to the other value, with
 * the component's own text. */
dray_code dray_gates_set(dray_gates *gates, dray_str name, bool on, dray_err *err);
/* From 1.35 on: DRAY_E_INVALID where a gate is on and one that it needs is off. */
dray_code dray_gates_finish(const dray_gates *gates, dray_err *err);

static inline bool dray_gates_on(const dray_gates *gates, dray_gate gate) {
    return gates->on[gate];
}
/* -1 when there is no gate of that name in any release. */
int dray_gate_find(dray_str name);
const char *dray_gate_name(dray_gate gate);
bool dray_gate_known(dray_gate gate, int release);

#endif
