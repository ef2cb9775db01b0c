/* The state of one decoding, shared by decode.c (structure) and decode_scalar.c (values). */
#ifndef DRAY_API_DECODE_INT_H
#define DRAY_API_DECODE_INT_H

#include "api/engine_int.h"

/* One step from the root to the value at hand; the chain lies on the decoder's stack. */
typedef struct decode_step {
    const struct decode_step *parent;
    dray_str name;            /* of a field, or the key of a map */
    const dray_field *field;  /* NULL in lists and maps, and for apiVersion and kind */
    const dray_type *owner;   /* of a field: the struct that has it */
    const dray_type *through; /* of a field that an inlined object lends: that object */
    int64_t index;            /* in a list, else -1 */
} decode_step;

typedef struct decoder {
    dray_arena *arena;
    dray_decode_report *report;
    dray_err *err;
    int release;
    const dray_type *root;
    const char *version; /* of the kind that is decoded; NULL: the root type's own */
    int depth;           /* of objects in each other */
    bool yaml;           /* raw JSON is written from the tree, as YAML's conversion writes it */
    bool failed;         /* a wrong type was met; decoding goes on and its text wins in the end */
    dray_code ended;     /* decoding stopped at once */
} decoder;

/* The kind of a value as Go names it in errors: "string", "number", "bool", "array", "object". */
const char *dray_decode_go_word(const dray_node *node);
/* Remembers the first `json: cannot unmarshal VALUE into …`. go_type NULL: that of the value at
 * hand.
 */
void dray_decode_mismatch(decoder *d, const decode_step *at, const char *value, dray_str number,
                          const char *go_type);
/* What upstream makes of YAML before it decodes: the same tree with members sorted by key and of
 * duplicates the last; the others are reported. */
const dray_node *dray_decode_yaml(decoder *d, const dray_node *node);
/* Ends decoding with the text that is in d->err. */
static inline void decode_end(decoder *d, dray_code code) {
    if (d->ended == DRAY_OK)
        d->ended = code;
}

/* Stores a value of any shape but OBJECT. `pointer`: the destination is an OPT_ field. */
void dray_decode_scalar(decoder *d, dray_shape shape, bool pointer, const dray_node *node, void *to,
                        const decode_step *at);

#endif
