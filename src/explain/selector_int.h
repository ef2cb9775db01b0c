/* Selectors taken apart: conditions joined by &&, and what they look up on a device.
 *
 *     dray_selector *s = dray_selector_read(q, text);             NULL: it can't be parsed
 *     for (size_t i = 0; i < s->n; i++) … dray_selector_print(s, s->conditions[i])
 *     dray_lookups found = dray_selector_lookups(q, s->conditions[i]);
 *     *found.v[0].id = DRAY_STR("productName");                   and print again
 *
 * A tree may be changed at will: each reading makes a new one. Private to the room.
 */
#ifndef DRAY_EXPLAIN_SELECTOR_INT_H
#define DRAY_EXPLAIN_SELECTOR_INT_H

#include "cel/cel.h"
#include "explain/explain_int.h"

enum { DRAY_SELECTOR_CONDITIONS = 64, DRAY_SELECTOR_DEPTH = 200 };

typedef struct dray_selector {
    dray_inquiry *q;
    dray_cel_ast *ast;
    dray_cel_expr *conditions[DRAY_SELECTOR_CONDITIONS];
    size_t n;
} dray_selector;

/* device.attributes["domain"].id, in any of its forms. */
typedef struct dray_lookup {
    dray_cel_expr *expr;
    dray_str *map; /* "attributes" or "capacity" */
    dray_str *domain, *id;
    bool capacity;
    bool tests; /* only whether it is there, or with a value for its absence */
} dray_lookup;
typedef struct dray_lookups {
    DRAY_VEC(dray_lookup) list;
} dray_lookups;

typedef struct dray_comparison {
    dray_cel_expr *expr;    /* the call */
    dray_cel_expr **value;  /* the side that is looked up */
    dray_cel_expr *literal; /* the other */
    const char *sign;       /* "<" … */
    bool swapped;           /* the literal stands on the left */
} dray_comparison;

dray_selector *dray_selector_read(dray_inquiry *q, dray_str text);
dray_str dray_selector_print(const dray_selector *s, dray_cel_expr *expr);
/* All conditions but those of the bits `without`, one of them as `text` instead (SIZE_MAX: none);
 * absent where none is left. */
dray_str dray_selector_join(const dray_selector *s, uint64_t without, size_t other, dray_str text);
dray_lookups dray_selector_lookups(dray_inquiry *q, dray_cel_expr *expr);
/* Whether nothing of the device is read but by lookups, and its driver. */
bool dray_selector_only_looks_up(dray_cel_expr *expr);
/* The first comparison with a literal in expr, from the index-th on; false: no such. */
bool dray_selector_comparison(dray_cel_expr *expr, size_t index, dray_comparison *ret);
/* Gives the device the attribute, in place of the one that it has. */
void dray_selector_set_attribute(dray_inquiry *q, dray_resource_device *device, dray_str name,
                                 const dray_resource_device_attribute *value);
void dray_selector_set_capacity(dray_inquiry *q, dray_resource_device *device, dray_str name,
                                dray_quantity value);
/* Every literal in expr: the index-th; NULL: fewer. */
dray_cel_expr *dray_selector_literal(dray_cel_expr *expr, size_t index);

#endif
