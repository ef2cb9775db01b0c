/* JSON: reading into a tree and writing.
 *
 * Strict as Go's encoding/json: RFC 8259, one value, no trailing bytes; invalid UTF-8 becomes
 * U+FFFD inside strings as Go does, unpaired surrogate escapes likewise. Depth is limited.
 * Source: RFC 8259; sigs.k8s.io/json.
 */
#ifndef DRAY_DATA_JSON_H
#define DRAY_DATA_JSON_H

#include "data/tree.h"

enum {
    DRAY_JSON_MAX_DEPTH = 10000,
    DRAY_MAP_MAX_MEMBERS = 1000000,
};

/* DRAY_E_INVALID with line and column in err; DRAY_E_LIMIT for depth, members, or a spent arena.
 * The tree borrows from text. */
dray_code dray_json_parse(dray_str text, dray_arena *arena, dray_node **ret, dray_err *err);

/* Compact JSON as Go's json.Marshal writes it, members sorted by key and of duplicates the last;
 * HTML characters are escaped only with html. */
void dray_json_write(dray_buf *out, const dray_node *node, bool html);
/* A quoted JSON string. */
void dray_json_write_string(dray_buf *out, dray_str text, bool html);

#endif
