/* What the files of YAML share: how a plain scalar is understood. */
#ifndef DRAY_DATA_YAML_INT_H
#define DRAY_DATA_YAML_INT_H

#include "data/tree.h"

typedef enum dray_scalar_kind {
    DRAY_SCALAR_STRING,
    DRAY_SCALAR_NULL,
    DRAY_SCALAR_BOOL,
    DRAY_SCALAR_INT,
    DRAY_SCALAR_UINT, /* an integer past INT64_MAX */
    DRAY_SCALAR_FLOAT,
    DRAY_SCALAR_TIMESTAMP, /* stays a string, but not one that may be written plain */
} dray_scalar_kind;

typedef struct dray_scalar {
    dray_scalar_kind kind;
    union {
        bool truth;
        int64_t i;
        uint64_t u;
        double f;
    };
} dray_scalar;

/* What an untagged plain scalar is in go-yaml v2. */
dray_scalar dray_scalar_resolve(dray_str text);

/* The shortest text that reads back as value (or, with single, as the float nearest to it), with
 * exponent form outside [10^-4, 10^6) as Go's 'g' has it, or as Go's json.Marshal does with json.
 * In arena. value must be finite, and with single a float. */
typedef enum dray_double_form { DRAY_DOUBLE_G, DRAY_DOUBLE_JSON } dray_double_form;
dray_str dray_double_format(double value, bool single, dray_double_form form, dray_arena *arena);

#endif
