/* CEL values: 16 bytes, passed by value; what they point to lives in an arena or is static.
 *
 *     dray_cel_value v = dray_cel_of_int(1);
 *     if (dray_cel_equal(eval, v, other).kind == DRAY_CEL_ERROR) …
 *
 * kind is a dray_cel_kind: NULL, BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION,
 * LIST, MAP, TYPE, OPAQUE, and DRAY_CEL_OPTIONAL; an error is a value of kind ERROR whose text is
 * made only when somebody asks for it. Thread rule: values are never changed once made.
 */
#ifndef DRAY_CEL_VALUE_H
#define DRAY_CEL_VALUE_H

#include "cel/type.h"

struct dray_cel_eval; /* eval.h */

enum { DRAY_CEL_OPTIONAL = DRAY_CEL_PARAM + 1 }; /* a kind of values only */

/* Flags of a STRING. */
enum {
    DRAY_CEL_ASCII = 1,     /* as many code points as bytes */
    DRAY_CEL_UNWRITTEN = 2, /* only the evaluator meets it: dray_cel_eval_written */
};

typedef struct dray_cel_value {
    uint8_t kind;
    uint8_t flags;
    int16_t zone; /* TIMESTAMP: minutes east of UTC, as it was written */
    uint32_t n;   /* STRING, BYTES, TYPE: bytes; TIMESTAMP: nanoseconds */
    union {
        bool b;
        int64_t i; /* INT; TIMESTAMP: seconds since 1970; DURATION: nanoseconds */
        uint64_t u;
        double d;
        const char *s;                                  /* STRING, BYTES, TYPE (its name) */
        const struct dray_cel_list *list;               /* LIST */
        const struct dray_cel_map *map;                 /* MAP */
        const struct dray_cel_opaque *opaque;           /* OPAQUE */
        const struct dray_cel_value *inner;             /* OPTIONAL; NULL: none */
        const struct dray_cel_failure *failure;         /* ERROR */
        const struct dray_cel_replacement *replacement; /* STRING that is not written yet */
    };
} dray_cel_value;

/* What replace() will write when somebody reads it; often only its size is asked for, and the cost
 * of that text would pass every limit. */
typedef struct dray_cel_replacement {
    dray_cel_value s, old, new;
    uint64_t count, points; /* replacements; code points of the result */
} dray_cel_replacement;

/* Items that several lists may share: one that ends where `used` says may grow in place. */
typedef struct dray_cel_items {
    dray_cel_value *v;
    size_t used, room;
} dray_cel_items;

/* weight: how many values a walk over all that is nested meets, saturating. Values are shared, so
 * a small program can make what no walk would ever end on: ask before walking. list.h walks. */
typedef struct dray_cel_list {
    size_t n;
    uint64_t weight;
    const dray_cel_value *v; /* NULL of what is no run of values */
    union {
        dray_cel_items *items;        /* of a run; NULL: can't grow in place */
        struct dray_cel_joint *joint; /* else: two lists, or NULL: the numbers from 0 */
    };
} dray_cel_list;

typedef struct dray_cel_pair {
    dray_cel_value key, value;
} dray_cel_pair;

/* In order of insertion. With many entries `slots` is an open hash table of index + 1. */
typedef struct dray_cel_map {
    size_t n;
    uint64_t weight;
    const dray_cel_pair *v;
    const dray_cel_value *otherwise; /* what a look-up of an absent key gives; NULL: absent */
    uint32_t *slots;
    uint32_t n_slots; /* a power of two */
    size_t room;
} dray_cel_map;

/* How a value serves as the key of a map, after what Go's maps do with upstream's type. */
typedef enum dray_cel_key_rule {
    DRAY_CEL_KEY_ITSELF, /* only the very same object is equal */
    DRAY_CEL_KEY_EQUAL,  /* equal ones are one key */
    DRAY_CEL_KEY_NONE,   /* ends the evaluation */
} dray_cel_key_rule;

/* What a library's own type can do. The first member of its objects is a dray_cel_opaque. */
typedef struct dray_cel_opaque_type {
    dray_str name;       /* "net.IP" */
    const char *go_name; /* as error texts of the reference implementation show it: "cel.IP" */
    bool (*equal)(const struct dray_cel_opaque *a, const struct dray_cel_opaque *b);
    uint64_t (*size)(const struct dray_cel_opaque *a);             /* NULL: has no size */
    void (*print)(dray_buf *out, const struct dray_cel_opaque *a); /* NULL: its name */
    bool (*is_zero)(const struct dray_cel_opaque *a);              /* NULL: never */
    bool lenient; /* == with another type is false, not an error */
    uint8_t key;  /* dray_cel_key_rule */
    /* What the right side of == must be; NULL: this type. */
    const struct dray_cel_opaque_type *plain;
    /* Go's type of what the object wraps ("*resource.Quantity"), which 0.26 can't take back out of
     * an optional; NULL: it can. */
    const char *native;
} dray_cel_opaque_type;
typedef struct dray_cel_opaque {
    const dray_cel_opaque_type *type;
} dray_cel_opaque;

typedef enum dray_cel_failure_kind {
    DRAY_CEL_FAIL_TEXT,        /* text */
    DRAY_CEL_FAIL_KEY,         /* no such key: about */
    DRAY_CEL_FAIL_BOUNDS,      /* index out of bounds: about */
    DRAY_CEL_FAIL_ATTRIBUTE,   /* no such attribute(s): text */
    DRAY_CEL_FAIL_OVERLOAD,    /* no such overload */
    DRAY_CEL_FAIL_OVERLOAD_OF, /* no such overload: text */
    DRAY_CEL_FAIL_SIGNATURE,   /* no such overload: text(types of args) */
    DRAY_CEL_FAIL_CONVERT,     /* type conversion error from 'about' to 'text' */
} dray_cel_failure_kind;
typedef struct dray_cel_failure {
    dray_cel_failure_kind kind;
    uint32_t n_args;
    dray_str text;
    dray_cel_value about;
    const dray_cel_value *args;
} dray_cel_failure;

extern const dray_cel_value dray_cel_null_value, dray_cel_true, dray_cel_false, dray_cel_none,
    dray_cel_no_overload, dray_cel_empty_list, dray_cel_empty_map;

static inline dray_cel_value dray_cel_of_bool(bool b) {
    return b ? dray_cel_true : dray_cel_false;
}
static inline dray_cel_value dray_cel_of_int(int64_t i) {
    return (dray_cel_value){.kind = DRAY_CEL_INT, .i = i};
}
static inline dray_cel_value dray_cel_of_uint(uint64_t u) {
    return (dray_cel_value){.kind = DRAY_CEL_UINT, .u = u};
}
static inline dray_cel_value dray_cel_of_double(double d) {
    return (dray_cel_value){.kind = DRAY_CEL_DOUBLE, .d = d};
}
static inline dray_cel_value dray_cel_of_duration(int64_t ns) {
    return (dray_cel_value){.kind = DRAY_CEL_DURATION, .i = ns};
}
static inline dray_cel_value dray_cel_of_opaque(const dray_cel_opaque *opaque) {
    return (dray_cel_value){.kind = DRAY_CEL_OPAQUE, .opaque = opaque};
}
/* Borrows the bytes, which must live as long as the value. At most 4 GiB. */
dray_cel_value dray_cel_of_str(dray_str s);
dray_cel_value dray_cel_of_bytes(dray_str s);
dray_cel_value dray_cel_of_type(dray_str name);
/* An optional that holds v, in arena. */
dray_cel_value dray_cel_some(dray_arena *arena, dray_cel_value v);

static inline dray_str dray_cel_str(dray_cel_value v) {
    return (dray_str){v.s, v.n};
}
static inline bool dray_cel_is_error(dray_cel_value v) {
    return v.kind == DRAY_CEL_ERROR;
}
static inline bool dray_cel_is_true(dray_cel_value v) {
    return v.kind == DRAY_CEL_BOOL && v.b;
}
static inline bool dray_cel_is_number(dray_cel_value v) {
    return v.kind == DRAY_CEL_INT || v.kind == DRAY_CEL_UINT || v.kind == DRAY_CEL_DOUBLE;
}

/* Errors, in arena. */
dray_cel_value dray_cel_fail(dray_arena *arena, const char *text); /* static text */
dray_cel_value dray_cel_failf(dray_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
dray_cel_value dray_cel_fail_about(dray_arena *arena, dray_cel_failure_kind kind,
                                   dray_cel_value about);
dray_cel_value dray_cel_fail_convert(dray_arena *arena, dray_cel_value from, const char *to);
/* v itself where it is an error, else "no such overload". */
static inline dray_cel_value dray_cel_maybe_overload(dray_cel_value v) {
    return v.kind == DRAY_CEL_ERROR ? v : dray_cel_no_overload;
}
/* The text of an error, in arena. */
dray_str dray_cel_failure_text(dray_arena *arena, const dray_cel_failure *failure);

/* The run-time name of the type: "int", "list", "google.protobuf.Duration", "net.IP". */
dray_str dray_cel_type_name(dray_cel_value v);
/* As Go's %T prints it: "types.Int", "*types.baseList"; static. */
const char *dray_cel_go_type(dray_cel_value v);
/* As Go's %v prints it; what is very heavy as "...". */
void dray_cel_print_value(dray_buf *out, dray_cel_value v);

/* Maps that grow; only their maker may call these. */
/* Empty, with room for n entries. */
dray_cel_map *dray_cel_map_new(dray_arena *arena, size_t n);
/* False when the key was there already: its value has been replaced (in place). */
bool dray_cel_map_put(dray_arena *arena, dray_cel_map *map, dray_cel_value key,
                      dray_cel_value value);
/* False, and nothing changes, when the key or a number equal to it was there already. */
bool dray_cel_map_add(dray_arena *arena, dray_cel_map *map, dray_cel_value key,
                      dray_cel_value value);
void dray_cel_map_remove(dray_cel_map *map, dray_cel_value key);
static inline dray_cel_value dray_cel_of_map(const dray_cel_map *map) {
    return (dray_cel_value){.kind = DRAY_CEL_MAP, .map = map};
}
/* Can v be a key at all? Looking it up ends the evaluation otherwise. */
bool dray_cel_can_hash(dray_cel_value v);
/* The value for key; numbers of different kinds are one key. NULL when absent, `otherwise` where
 * the map has one. *ret_error (may be NULL) is set for a key that has no equality. */
const dray_cel_value *dray_cel_map_find(const dray_cel_map *map, dray_cel_value key);
/* The same for a STRING key whose hash (dray_str_hash) is known. */
const dray_cel_value *dray_cel_map_find_text(const dray_cel_map *map, dray_str key, uint64_t hash);
/* The same without `otherwise`. */
const dray_cel_value *dray_cel_map_has(const dray_cel_map *map, dray_cel_value key);

/* == as CEL's operator: a BOOL or, between opaque types, an error. Bounded depth; the caller has
 * seen to the weight. */
dray_cel_value dray_cel_equal(dray_cel_value a, dray_cel_value b);
/* Method equality: as == but null has no special rule. */
static inline bool dray_cel_same(dray_cel_value a, dray_cel_value b) {
    return dray_cel_is_true(dray_cel_equal(a, b));
}
/* INT −1, 0, 1, or an error. */
dray_cel_value dray_cel_compare(dray_arena *arena, dray_cel_value a, dray_cel_value b);
bool dray_cel_comparable(dray_cel_value v);
/* 1, more for long texts, lists, maps and optionals. */
uint64_t dray_cel_weight(dray_cel_value v);
/* Entries, code points, octets; 1 for what has no size. */
uint64_t dray_cel_size_of(dray_cel_value v);
bool dray_cel_is_zero(dray_cel_value v);
/* Does a value fit a declared type at run time? Of lists and maps the first entry is looked at. */
bool dray_cel_fits(const dray_cel_type *type, dray_cel_value v);

#endif
