/* What the allocator asks of CEL, in one place. Private to this room. */
#ifndef DRAY_ALLOC_CEL_INT_H
#define DRAY_ALLOC_CEL_INT_H

#include "alloc/select_int.h"
#include "celk8s/celk8s.h"

typedef struct dray_alloc_cel dray_alloc_cel;
typedef struct dray_selector dray_selector;

/* shared: the handle to compile with; NULL: one of its own. */
dray_alloc_cel *dray_alloc_cel_open(const dray_gates *gates, dray_celk8s *shared);
void dray_alloc_cel_close(dray_alloc_cel *cel);
/* A job begins: devices that were asked by the one before are worth keeping in CEL's form. */
void dray_alloc_cel_begin(dray_alloc_cel *cel);
/* Never fails: what is wrong is kept in the selector, which lives in arena. derives: the expression
 * gives an attribute's value, else a bool. */
dray_selector *dray_selector_compile(dray_alloc_cel *cel, dray_str expression, bool derives,
                                     dray_arena *arena);
/* Absent when it compiled. */
dray_str dray_selector_error(const dray_selector *selector);
/* Whether all of the selectors are true for a device: 1, 0, or -1 with the number of the one that
 * fails and, where ret_error is not NULL, its error in the arena, with the hint for missing keys.
 * hide_sharing: allowMultipleAllocations reads false. *ret_cost: in CEL's units. */
int dray_selectors_ask(dray_alloc_cel *cel, dray_selector *const *selectors, size_t n,
                       const dray_slice *slice, uint32_t device, bool hide_sharing,
                       size_t *ret_failing, uint64_t *ret_cost, dray_arena *arena,
                       dray_str *ret_error);
bool dray_selector_derive(dray_alloc_cel *cel, dray_selector *selector, const dray_slice *slice,
                          uint32_t device, dray_arena *arena, dray_resource_device_attribute *ret,
                          dray_str *error);

#endif
