/* Objects on standard output: YAML documents, or one JSON object or List.
 *
 *     dray_printer printer;
 *     dray_printer_init(&printer, stdout, "yaml");
 *     dray_printer_add(&printer, object);
 *     dray_printer_done(&printer);
 */
#ifndef DRAY_CLI_PRINTER_H
#define DRAY_CLI_PRINTER_H

#include "api/type.h"
#include "data/tree.h"

#include <stdio.h>

typedef struct dray_printer {
    FILE *out;
    bool json;
    size_t n;
    dray_buf first; /* JSON: held back until it is known whether a List is needed */
    dray_arena *scratch;
} dray_printer;

/* form is "json" or "yaml". */
void dray_printer_init(dray_printer *printer, FILE *out, const char *form);
void dray_printer_add(dray_printer *printer, dray_object object);
void dray_printer_add_tree(dray_printer *printer, const dray_node *root);
/* Ends a List, and the printer. */
void dray_printer_done(dray_printer *printer);

#endif
