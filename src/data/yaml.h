/* YAML: reading into a tree with Kubernetes' scalar rules (sigs.k8s.io/yaml over go-yaml v2).
 *
 *     dray_yaml_docs docs = dray_yaml_split(text);
 *     dray_str one; uint32_t line;
 *     while (dray_yaml_next(&docs, &one, &line))
 *         code = dray_yaml_parse(one, line, arena, &root, err);
 *
 * YAML 1.1 booleans and octals, merge keys, anchors with a bound on expansion (an alias bomb is
 * DRAY_E_LIMIT), depth at most DRAY_YAML_MAX_DEPTH. Keys become strings as Kubernetes makes them.
 * Duplicate keys are kept in the tree in order (the decoder reports them).
 */
#ifndef DRAY_DATA_YAML_H
#define DRAY_DATA_YAML_H

#include "data/tree.h"

enum { DRAY_YAML_MAX_DEPTH = 1000 };

typedef struct dray_yaml_docs {
    dray_str rest;
    uint32_t line;
    bool done;
} dray_yaml_docs;

/* Cuts a stream at its `---` lines, so that a broken document loses only itself. */
dray_yaml_docs dray_yaml_split(dray_str text);
/* The next document and the line of the stream on which it starts; false at the end. */
bool dray_yaml_next(dray_yaml_docs *docs, dray_str *ret_text, uint32_t *ret_line);

/* first_line is added to the places in nodes and errors. An empty document (only comments) gives
 * *ret = NULL. DRAY_E_INVALID, DRAY_E_LIMIT with line and column. */
dray_code dray_yaml_parse(dray_str text, uint32_t first_line, dray_arena *arena, dray_node **ret,
                          dray_err *err);

/* Block YAML as sigs.k8s.io/yaml writes it: keys sorted, strings quoted where they must be. */
void dray_yaml_write(dray_buf *out, const dray_node *node);

#endif
