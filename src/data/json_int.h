/* The shim around simdjson: where the tokens of a JSON text begin.
 *
 *     dray_json_index index;
 *     if (dray_json_index_make(text, &index) == DRAY_JSON_INDEXED)
 *         for (size_t i = 0; i < index.n; i++) token(text.p[index.at[i]]);
 *     dray_json_index_free(&index);
 *
 * simdjson's first stage finds, at gigabytes a second, the bytes that open a token: { } [ ] : , the
 * opening quote of each string, the first byte of each run of other bytes. What the tokens say and
 * whether they stand in a grammatical order is the caller's to check. No exception comes out.
 */
#ifndef DRAY_DATA_JSON_INT_H
#define DRAY_DATA_JSON_INT_H

#include "base/str.h"

typedef enum dray_json_indexing {
    DRAY_JSON_INDEXED = 0,
    DRAY_JSON_EMPTY,  /* no token at all */
    DRAY_JSON_BROKEN, /* a string is not closed, or holds a control character */
    DRAY_JSON_NO_ROOM,
} dray_json_indexing;

typedef struct dray_json_index {
    void *parser;
    const uint32_t *at; /* n offsets, growing; borrowed from parser */
    size_t n;
    bool utf8; /* the whole text is valid UTF-8 */
} dray_json_index;

#ifdef __cplusplus
extern "C" {
#endif

/* text.n must be below 2^32. The index is the caller's to free whatever is returned. */
dray_json_indexing dray_json_index_make(dray_str text, dray_json_index *ret);
void dray_json_index_free(dray_json_index *index);

#ifdef __cplusplus
}
#endif

#endif
