/* Documents as a tree: what JSON and YAML are read into. It keeps each number's text, each node's
 * line and column, the order of members and duplicates.
 *
 *     dray_node *root;
 *     code = dray_json_parse(text, limits, arena, &root, err);
 *     const dray_node *name = dray_node_find(root, DRAY_STR("metadata"));
 *
 * Nodes live in the arena; strings point into it or, unescaped ones of JSON, into the source text,
 * which must live as long. Read only once made; any thread may read.
 */
#ifndef DRAY_DATA_TREE_H
#define DRAY_DATA_TREE_H

#include "base/err.h"
#include "base/str.h"

typedef enum dray_node_kind {
    DRAY_NODE_NULL,
    DRAY_NODE_BOOL,
    DRAY_NODE_NUMBER, /* text as written in JSON's grammar (YAML's forms are rewritten to it) */
    DRAY_NODE_STRING,
    DRAY_NODE_LIST,
    DRAY_NODE_MAP,
} dray_node_kind;

typedef struct dray_node dray_node;
typedef struct dray_member dray_member;

struct dray_node {
    uint8_t kind; /* dray_node_kind */
    bool truth;   /* BOOL */
    uint32_t line, column;
    union {
        dray_str text; /* NUMBER, STRING */
        struct {
            dray_node *items;
            size_t n;
        } list;
        struct {
            dray_member *members;
            size_t n;
        } map;
    };
    dray_str raw; /* the JSON source of a list or map, byte for byte; absent from YAML */
};

struct dray_member {
    dray_str key;
    uint32_t line, column; /* of the key */
    dray_node value;
};

/* The value of the last member with that key (as Go's decoder), NULL when absent or not a map. */
const dray_node *dray_node_find(const dray_node *map, dray_str key);
/* The text of a STRING, else an absent string; node may be NULL. */
dray_str dray_node_string(const dray_node *node);
/* "a map", "a list", … for messages. Static. */
const char *dray_node_kind_text(dray_node_kind kind);

#endif
