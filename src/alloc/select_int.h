/* The seam to CEL: lists of selectors, compiled once, and what they match, kept by list and slice
 * content. Private to this room. */
#ifndef DRAY_ALLOC_SELECT_INT_H
#define DRAY_ALLOC_SELECT_INT_H

#include "celk8s/celk8s.h"
#include "cluster/inventory.h"

enum {
    DRAY_SELECT_LISTS_MAX = 15000, /* and programs; past that all are forgotten and begun anew */
    DRAY_SELECT_MATCHES_MAX = 1000000, /* list × slice content, likewise */
};

typedef struct dray_selects dray_selects;
typedef struct dray_select_list dray_select_list;

dray_selects *dray_selects_new(dray_cluster *cluster);
void dray_selects_free(dray_selects *selects);
/* Compiles with celk8s, which must live as long. Before the first list. */
void dray_selects_share(dray_selects *selects, dray_celk8s *celk8s);
/* Forgets what request lists match. */
void dray_selects_forget(dray_selects *selects);
/* To be called between jobs: keeps to the limits. True: every list is gone. */
bool dray_selects_trim(dray_selects *selects);

/* The list of these selectors (each with `cel`), the same for equal expressions. of_class: what it
 * matches survives dray_selects_forget. hide_sharing: allowMultipleAllocations reads false. */
dray_select_list *dray_select_list_of(dray_selects *selects,
                                      const dray_resource_device_selector *selectors, size_t n,
                                      bool of_class, bool hide_sharing);

/* What the list matches in a slice; one bit a device. */
typedef struct dray_matched {
    uint64_t *known, *yes, *failing;
} dray_matched;
/* Borrowed until the next trim or forget. */
dray_matched *dray_select_matched(dray_selects *selects, dray_select_list *list, dray_slice *slice);
/* Evaluates the devices of `word` in mask that are not known yet. */
void dray_select_evaluate(dray_select_list *list, dray_matched *matched, const dray_slice *slice,
                          uint32_t word, uint64_t mask);
/* Which selector fails on the device, and how: "selector #0: CEL compile error: …". */
dray_str dray_select_tell(dray_select_list *list, const dray_slice *slice, uint32_t device,
                          dray_str device_name, dray_arena *arena);

/* Whether all selectors of the list compile: what fails then fails for one device. */
bool dray_select_compiles(const dray_select_list *list);

/* A derived attribute's value, in arena. False: *error, with compile_error for its kind. */
bool dray_select_derive(dray_selects *selects, dray_str expression, const dray_slice *slice,
                        uint32_t device, dray_arena *arena, dray_resource_device_attribute *ret,
                        bool *compile_error, dray_str *error);

#endif
