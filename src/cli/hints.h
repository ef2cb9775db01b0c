/* Mistakes that articles and old manifests teach, and what to write instead: rows in hints.def.
 *
 *     const char *hint = dray_hint_find(DRAY_HINT_UNKNOWN, kind, field, text);
 */
#ifndef DRAY_CLI_HINTS_H
#define DRAY_CLI_HINTS_H

#include "api/type.h"

typedef enum dray_hint_where {
    DRAY_HINT_SYNTAX,  /* the document can't be read; text is the parser's */
    DRAY_HINT_KIND,    /* no such kind; field is apiVersion, text the kind */
    DRAY_HINT_UNKNOWN, /* an unknown field */
    DRAY_HINT_INVALID, /* validation refuses a field */
    DRAY_HINT_LABEL,   /* a label of metadata; field is its key */
} dray_hint_where;

/* The first row that fits, or NULL. Indexes in field ([3]) don't matter. kind may be NULL. */
const char *dray_hint_find(dray_hint_where where, const dray_kind *kind, dray_str field,
                           dray_str text);

#endif
