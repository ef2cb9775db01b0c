/* Declared rules: what a row of declared.def means.
 *
 * On update a member that equals the old one is skipped; so is a list's element that equals the old
 * one with the same key (the key of the list's UNIQUE row), and a map's value. The first rules stop
 * the member's others when they find something: REQUIRED, NEEDS_GATE, IMMUTABLE, NO_MODIFY,
 * MAX_ITEMS. An absent member passes all others. Private to the room.
 */
#ifndef DRAY_API_VALIDATE_DECLARED_INT_H
#define DRAY_API_VALIDATE_DECLARED_INT_H

#include "api/strategy.h"
#include "api/validate/value.h"

typedef enum dray_declared_rule {
    DRAY_DECLARED_REQUIRED,
    DRAY_DECLARED_NEEDS_GATE,  /* gate: off forbids the member */
    DRAY_DECLARED_IMMUTABLE,   /* on update */
    DRAY_DECLARED_NO_MODIFY,   /* may be set and cleared, not changed */
    DRAY_DECLARED_MAX_ITEMS,   /* n */
    DRAY_DECLARED_UNIQUE,      /* a list; text: the key's members, |-separated; NULL: the element */
    DRAY_DECLARED_UNIQUE_ENUM, /* a list of words of a named type */
    DRAY_DECLARED_MAX_BYTES,   /* n */
    DRAY_DECLARED_MAX_LENGTH,  /* n code points */
    DRAY_DECLARED_MINIMUM,     /* n */
    DRAY_DECLARED_MAXIMUM,     /* n */
    DRAY_DECLARED_ENUM,        /* text: the words, |-separated, sorted */
    DRAY_DECLARED_SHORT_NAME,
    DRAY_DECLARED_LONG_NAME,
    DRAY_DECLARED_LONG_NAME_CASELESS,
    DRAY_DECLARED_LABEL_KEY,
    DRAY_DECLARED_UUID,
    DRAY_DECLARED_POOL_NAME,
    DRAY_DECLARED_FULLY_QUALIFIED,
    DRAY_DECLARED_EXTENDED_RESOURCE,
    DRAY_DECLARED_NAME, /* metadata.name is a long name */
    DRAY_DECLARED_EACH_ENUM,
    DRAY_DECLARED_EACH_SHORT_NAME,
    DRAY_DECLARED_EACH_KEY_SHORT_NAME, /* of a map */
    DRAY_DECLARED_UNION,               /* of a type; text: the members, |-separated */
    DRAY_DECLARED_INTO, /* the rules of the member's type, its elements' or values' */
} dray_declared_rule;

typedef enum dray_declared_stage { DRAY_STAGE_BETA, DRAY_STAGE_STANDARD } dray_declared_stage;

enum { DRAY_DECLARED_TYPE_ROW = UINT32_MAX };

typedef struct dray_declared_row {
    const dray_type *type;
    uint32_t offset; /* of the member; DRAY_DECLARED_TYPE_ROW: a rule of the type */
    uint8_t rule, stage;
    int64_t n;
    const char *text;
    dray_gate gate;
} dray_declared_row;

/* One string against a format; the rule is one of SHORT_NAME … EXTENDED_RESOURCE. */
void dray_declared_format(dray_errors *errors, dray_declared_rule rule, dray_str s,
                          const dray_path *path);

#endif
