/* Many devices at once: what selectors read of them, in columns.
 *
 *     dray_celk8s_columns *c = dray_celk8s_columns_new(devices, n);
 *     dray_celk8s_match_columns(program, c, scratch, matched, failed);
 *     dray_celk8s_columns_free(c);
 *
 * A column holds for each device the number of its value among the different values there are. A
 * selector is evaluated once for each combination of values that occurs, by the same evaluator as
 * for one device, and the answer given to all devices that have it: so answers and errors are the
 * same as one by one. A selector that iterates over a device's attributes is evaluated for each.
 * Columns are made when a selector first reads them, and kept. Thread rule: one owner.
 */
#ifndef DRAY_CELK8S_COLUMNS_H
#define DRAY_CELK8S_COLUMNS_H

#include "base/bits.h"
#include "celk8s/celk8s.h"

enum {
    DRAY_CELK8S_COLUMNS = 4096,    /* most columns that are kept; then they are made anew */
    DRAY_CELK8S_CLASSES = 1 << 20, /* most combinations that one selector may have */
};

typedef struct dray_celk8s_columns dray_celk8s_columns;

/* The devices (n pointers, which may repeat) are borrowed for the columns' life. */
dray_celk8s_columns *dray_celk8s_columns_new(const dray_celk8s_device *const *devices, size_t n);
void dray_celk8s_columns_free(dray_celk8s_columns *c);

/* Sets bit i of matched where device i matches and of failed where its evaluation fails; both have
 * n bits and are cleared first. The text of an error is that of dray_celk8s_match. scratch as
 * there. */
void dray_celk8s_match_columns(const dray_celk8s_program *program, dray_celk8s_columns *c,
                               dray_arena *scratch, dray_bits matched, dray_bits failed);

#endif
