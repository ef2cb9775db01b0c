/* CEL values: making, naming, printing, comparing. */
#include "cel/value.h"

#include "base/utf8.h"
#include "cel/clock.h"
#include "cel/list.h"
#include "cel/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    EQUAL_DEPTH = 4096, /* deepest nesting that == and printing look into */
    SLOTS_FROM = 9,     /* maps of this many entries get a hash table */
    PRINT_WEIGHT = 100000,
};

static const dray_cel_list empty_list = {.weight = 1};
static const dray_cel_map empty_map = {.weight = 1};
static const dray_cel_failure no_overload = {.kind = DRAY_CEL_FAIL_OVERLOAD};
static const dray_cel_failure too_deep = {.kind = DRAY_CEL_FAIL_TEXT,
                                          .text = DRAY_STR_INIT("value is nested too deeply")};

const dray_cel_value dray_cel_null_value = {.kind = DRAY_CEL_NULL};
const dray_cel_value dray_cel_true = {.kind = DRAY_CEL_BOOL, .i = 1};
const dray_cel_value dray_cel_false = {.kind = DRAY_CEL_BOOL, .i = 0};
const dray_cel_value dray_cel_none = {.kind = DRAY_CEL_OPTIONAL};
const dray_cel_value dray_cel_no_overload = {.kind = DRAY_CEL_ERROR, .failure = &no_overload};
const dray_cel_value dray_cel_empty_list = {.kind = DRAY_CEL_LIST, .list = &empty_list};
const dray_cel_value dray_cel_empty_map = {.kind = DRAY_CEL_MAP, .map = &empty_map};

static bool is_ascii(dray_str s) {
    size_t i = 0;
    for (; i + 8 <= s.n; i += 8) {
        uint64_t word;
        memcpy(&word, s.p + i, 8);
        if (word & 0x8080808080808080u)
            return false;
    }
    for (; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return false;
    return true;
}

dray_cel_value dray_cel_of_str(dray_str s) {
    return (dray_cel_value){.kind = DRAY_CEL_STRING,
                            .flags = is_ascii(s) ? DRAY_CEL_ASCII : 0,
                            .n = (uint32_t)s.n,
                            .s = s.p != NULL ? s.p : ""};
}

dray_cel_value dray_cel_of_bytes(dray_str s) {
    return (dray_cel_value){
        .kind = DRAY_CEL_BYTES, .n = (uint32_t)s.n, .s = s.p != NULL ? s.p : ""};
}

dray_cel_value dray_cel_of_type(dray_str name) {
    return (dray_cel_value){.kind = DRAY_CEL_TYPE, .n = (uint32_t)name.n, .s = name.p};
}

dray_cel_value dray_cel_some(dray_arena *arena, dray_cel_value v) {
    return (dray_cel_value){.kind = DRAY_CEL_OPTIONAL, .inner = dray_cel_keep(arena, v)};
}

uint64_t dray_cel_weight(dray_cel_value v) {
    switch (v.kind) {
    case DRAY_CEL_LIST:
        return v.list->weight;
    case DRAY_CEL_MAP:
        return v.map->weight;
    case DRAY_CEL_OPTIONAL:
        return v.inner != NULL ? dray_cel_weight(*v.inner) : 1;
    case DRAY_CEL_STRING:
    case DRAY_CEL_BYTES:
        return 1 + v.n / 64;
    default:
        return 1;
    }
}

static uint64_t add_weight(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* --- errors --- */

static dray_cel_value failure_value(const dray_cel_failure *failure) {
    return (dray_cel_value){.kind = DRAY_CEL_ERROR, .failure = failure};
}

dray_cel_value dray_cel_fail(dray_arena *arena, const char *text) {
    dray_cel_failure *failure = DRAY_NEW(arena, dray_cel_failure);
    failure->text = dray_str_of(text);
    return failure_value(failure);
}

dray_cel_value dray_cel_failf(dray_arena *arena, const char *format, ...) {
    dray_cel_failure *failure = DRAY_NEW(arena, dray_cel_failure);
    va_list list;
    va_start(list, format);
    char *text = NULL;
    int n = vasprintf(&text, format, list);
    va_end(list);
    failure->text =
        n < 0 ? DRAY_STR("out of memory") : dray_str_dup(arena, (dray_str){text, (size_t)n});
    free(text);
    return failure_value(failure);
}

dray_cel_value dray_cel_fail_about(dray_arena *arena, dray_cel_failure_kind kind,
                                   dray_cel_value about) {
    dray_cel_failure *failure = DRAY_NEW(arena, dray_cel_failure);
    failure->kind = kind;
    failure->about = about;
    return failure_value(failure);
}

dray_cel_value dray_cel_fail_convert(dray_arena *arena, dray_cel_value from, const char *to) {
    dray_cel_failure *failure = DRAY_NEW(arena, dray_cel_failure);
    failure->kind = DRAY_CEL_FAIL_CONVERT;
    failure->about = from;
    failure->text = dray_str_of(to);
    return failure_value(failure);
}

static void print_signature(dray_buf *out, const dray_cel_failure *failure) {
    dray_buf_addf(out, "no such overload: " DRAY_FMT "(", DRAY_ARG(failure->text));
    for (uint32_t i = 0; i < failure->n_args; i++) {
        dray_buf_puts(out, i > 0 ? ", " : "");
        dray_buf_str_add(out, dray_cel_type_name(failure->args[i]));
    }
    dray_buf_putc(out, ')');
}

dray_str dray_cel_failure_text(dray_arena *arena, const dray_cel_failure *failure) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    switch (failure->kind) {
    case DRAY_CEL_FAIL_TEXT:
        dray_buf_str_add(&out, failure->text);
        break;
    case DRAY_CEL_FAIL_KEY:
        dray_buf_puts(&out, "no such key: ");
        dray_cel_print_value(&out, failure->about);
        break;
    case DRAY_CEL_FAIL_BOUNDS:
        dray_buf_puts(&out, "index out of bounds: ");
        dray_cel_print_value(&out, failure->about);
        break;
    case DRAY_CEL_FAIL_ATTRIBUTE:
        dray_buf_addf(&out, "no such attribute(s): " DRAY_FMT, DRAY_ARG(failure->text));
        break;
    case DRAY_CEL_FAIL_OVERLOAD:
        dray_buf_puts(&out, "no such overload");
        break;
    case DRAY_CEL_FAIL_OVERLOAD_OF:
        dray_buf_addf(&out, "no such overload: " DRAY_FMT, DRAY_ARG(failure->text));
        break;
    case DRAY_CEL_FAIL_SIGNATURE:
        print_signature(&out, failure);
        break;
    case DRAY_CEL_FAIL_CONVERT:
        dray_buf_addf(&out, "type conversion error from '" DRAY_FMT "' to '" DRAY_FMT "'",
                      DRAY_ARG(dray_cel_type_name(failure->about)), DRAY_ARG(failure->text));
        break;
    }
    return dray_str_dup(arena, dray_buf_str(&out));
}

/* --- names --- */

static const struct {
    dray_str name;
    const char *go;
} kinds[] = {
    [DRAY_CEL_ERROR] = {DRAY_STR_INIT("error"), "*types.Err"},
    [DRAY_CEL_NULL] = {DRAY_STR_INIT("null_type"), "types.Null"},
    [DRAY_CEL_BOOL] = {DRAY_STR_INIT("bool"), "types.Bool"},
    [DRAY_CEL_INT] = {DRAY_STR_INIT("int"), "types.Int"},
    [DRAY_CEL_UINT] = {DRAY_STR_INIT("uint"), "types.Uint"},
    [DRAY_CEL_DOUBLE] = {DRAY_STR_INIT("double"), "types.Double"},
    [DRAY_CEL_STRING] = {DRAY_STR_INIT("string"), "types.String"},
    [DRAY_CEL_BYTES] = {DRAY_STR_INIT("bytes"), "types.Bytes"},
    [DRAY_CEL_TIMESTAMP] = {DRAY_STR_INIT("google.protobuf.Timestamp"), "types.Timestamp"},
    [DRAY_CEL_DURATION] = {DRAY_STR_INIT("google.protobuf.Duration"), "types.Duration"},
    [DRAY_CEL_LIST] = {DRAY_STR_INIT("list"), "*types.baseList"},
    [DRAY_CEL_MAP] = {DRAY_STR_INIT("map"), "*types.baseMap"},
    [DRAY_CEL_TYPE] = {DRAY_STR_INIT("type"), "*types.Type"},
    [DRAY_CEL_OPTIONAL] = {DRAY_STR_INIT("optional_type"), "*types.Optional"},
};

dray_str dray_cel_type_name(dray_cel_value v) {
    return v.kind == DRAY_CEL_OPAQUE ? v.opaque->type->name : kinds[v.kind].name;
}

const char *dray_cel_go_type(dray_cel_value v) {
    return v.kind == DRAY_CEL_OPAQUE ? v.opaque->type->go_name : kinds[v.kind].go;
}

/* --- printing as Go's %v --- */

static void print_depth(dray_buf *out, dray_cel_value v, int depth);

static void print_list(dray_buf *out, dray_cel_value v, int depth) {
    dray_buf_putc(out, '[');
    dray_cel_walk walk = dray_cel_walk_of(v.list);
    const dray_cel_value *item;
    for (bool first = true; (item = dray_cel_walk_next(&walk)) != NULL; first = false) {
        dray_buf_puts(out, first ? "" : ", ");
        print_depth(out, *item, depth);
    }
    dray_buf_putc(out, ']');
}

static void print_map(dray_buf *out, dray_cel_value v, int depth) {
    dray_buf_putc(out, '{');
    for (size_t i = 0; i < v.map->n; i++) {
        dray_buf_puts(out, i > 0 ? ", " : "");
        print_depth(out, v.map->v[i].key, depth);
        dray_buf_puts(out, ": ");
        print_depth(out, v.map->v[i].value, depth);
    }
    dray_buf_putc(out, '}');
}

static void print_scalar(dray_buf *out, dray_cel_value v) {
    switch (v.kind) {
    case DRAY_CEL_BOOL:
        dray_buf_puts(out, v.b ? "true" : "false");
        break;
    case DRAY_CEL_INT:
        dray_cel_print_int(out, v.i < 0, v.i < 0 ? 0 - v.u : v.u);
        break;
    case DRAY_CEL_UINT:
        dray_cel_print_int(out, false, v.u);
        break;
    case DRAY_CEL_DOUBLE:
        dray_cel_print_double(out, v.d, 'g', -1);
        break;
    case DRAY_CEL_BYTES:
        dray_buf_putc(out, '[');
        for (uint32_t i = 0; i < v.n; i++)
            dray_buf_addf(out, "%s%u", i > 0 ? " " : "", (unsigned char)v.s[i]);
        dray_buf_putc(out, ']');
        break;
    case DRAY_CEL_TIMESTAMP:
        dray_cel_print_go_time(out, v);
        break;
    case DRAY_CEL_DURATION:
        dray_cel_print_go_duration(out, v.i);
        break;
    case DRAY_CEL_NULL:
        dray_buf_putc(out, '0');
        break;
    default:
        dray_buf_str_add(out, dray_cel_str(v)); /* STRING, TYPE */
        break;
    }
}

static void print_depth(dray_buf *out, dray_cel_value v, int depth) {
    if (depth > EQUAL_DEPTH)
        return;
    switch (v.kind) {
    case DRAY_CEL_LIST:
        print_list(out, v, depth + 1);
        break;
    case DRAY_CEL_MAP:
        print_map(out, v, depth + 1);
        break;
    case DRAY_CEL_OPTIONAL:
        if (v.inner == NULL) {
            dray_buf_puts(out, "optional.none()");
            break;
        }
        dray_buf_puts(out, "optional(");
        print_depth(out, *v.inner, depth + 1);
        dray_buf_putc(out, ')');
        break;
    case DRAY_CEL_OPAQUE:
        if (v.opaque->type->print != NULL)
            v.opaque->type->print(out, v.opaque);
        else
            dray_buf_str_add(out, v.opaque->type->name);
        break;
    case DRAY_CEL_ERROR:
        dray_buf_puts(out, "error");
        break;
    default:
        print_scalar(out, v);
        break;
    }
}

void dray_cel_print_value(dray_buf *out, dray_cel_value v) {
    if (dray_cel_weight(v) > PRINT_WEIGHT)
        dray_buf_puts(out, "...");
    else
        print_depth(out, v, 0);
}

/* --- numbers on one line --- */

static int order(double a, double b) {
    return (a > b) - (a < b);
}

/* a < b, =, > as doubles but exact outside the other's range; neither is NaN. As cel-go: 2^53+1
 * and 2^53 as a double are equal. */
static int order_numbers(dray_cel_value a, dray_cel_value b) {
    if (a.kind == b.kind) {
        if (a.kind == DRAY_CEL_INT)
            return (a.i > b.i) - (a.i < b.i);
        if (a.kind == DRAY_CEL_UINT)
            return (a.u > b.u) - (a.u < b.u);
        return order(a.d, b.d);
    }
    if (a.kind == DRAY_CEL_INT && b.kind == DRAY_CEL_UINT) {
        uint64_t u = (uint64_t)a.i;
        return a.i < 0 ? -1 : (u > b.u) - (u < b.u);
    }
    if (a.kind == DRAY_CEL_DOUBLE && b.kind == DRAY_CEL_INT)
        return a.d < -0x1p63 ? -1 : a.d > 0x1p63 ? 1 : order(a.d, (double)b.i);
    if (a.kind == DRAY_CEL_DOUBLE)
        return a.d < 0 ? -1 : a.d > 0x1p64 ? 1 : order(a.d, (double)b.u);
    return -order_numbers(b, a);
}

static bool has_nan(dray_cel_value a, dray_cel_value b) {
    return (a.kind == DRAY_CEL_DOUBLE && isnan(a.d)) || (b.kind == DRAY_CEL_DOUBLE && isnan(b.d));
}

/* --- equality --- */

static dray_cel_value equal_depth(dray_cel_value a, dray_cel_value b, int depth);

static dray_cel_value equal_lists(const dray_cel_list *a, const dray_cel_list *b, int depth) {
    if (a->n != b->n)
        return dray_cel_false;
    dray_cel_walk walk = dray_cel_walk_of(a), other = dray_cel_walk_of(b);
    for (const dray_cel_value *v; (v = dray_cel_walk_next(&walk)) != NULL;) {
        const dray_cel_value *w = dray_cel_walk_next(&other);
        if (v->kind == DRAY_CEL_INT && w->kind == DRAY_CEL_INT && v->i == w->i)
            continue;
        dray_cel_value same = equal_depth(*v, *w, depth);
        if (same.kind == DRAY_CEL_BOOL && !same.b)
            return same; /* an error does not make lists differ, as in cel-go */
    }
    return dray_cel_true;
}

static dray_cel_value equal_maps(const dray_cel_map *a, const dray_cel_map *b, int depth) {
    if (a->n != b->n)
        return dray_cel_false;
    for (size_t i = 0; i < a->n; i++) {
        const dray_cel_value *other = dray_cel_map_find(b, a->v[i].key);
        if (other == NULL)
            return dray_cel_false;
        dray_cel_value same = equal_depth(a->v[i].value, *other, depth);
        if (same.kind == DRAY_CEL_BOOL && !same.b)
            return same;
    }
    return dray_cel_true;
}

static dray_cel_value equal_opaques(dray_cel_value a, dray_cel_value b) {
    const dray_cel_opaque_type *type = a.opaque->type;
    const dray_cel_opaque_type *plain = type->plain != NULL ? type->plain : type;
    if (b.kind == DRAY_CEL_OPAQUE && b.opaque->type == plain)
        return dray_cel_of_bool(type->equal != NULL && type->equal(a.opaque, b.opaque));
    return type->lenient ? dray_cel_false : dray_cel_maybe_overload(b);
}

static dray_cel_value equal_depth(dray_cel_value a, dray_cel_value b, int depth) {
    if (depth > EQUAL_DEPTH)
        return failure_value(&too_deep);
    if (a.kind == DRAY_CEL_NULL || b.kind == DRAY_CEL_NULL)
        return dray_cel_of_bool(a.kind == b.kind);
    if (a.kind == DRAY_CEL_OPAQUE)
        return equal_opaques(a, b);
    if (dray_cel_is_number(a) && dray_cel_is_number(b))
        return dray_cel_of_bool(!has_nan(a, b) && order_numbers(a, b) == 0);
    if (a.kind != b.kind)
        return dray_cel_false;
    switch (a.kind) {
    case DRAY_CEL_BOOL:
        return dray_cel_of_bool(a.b == b.b);
    case DRAY_CEL_STRING:
    case DRAY_CEL_BYTES:
    case DRAY_CEL_TYPE:
        return dray_cel_of_bool(a.n == b.n && (a.s == b.s || memcmp(a.s, b.s, a.n) == 0));
    case DRAY_CEL_TIMESTAMP:
        return dray_cel_of_bool(a.i == b.i && a.n == b.n);
    case DRAY_CEL_DURATION:
        return dray_cel_of_bool(a.i == b.i);
    case DRAY_CEL_LIST:
        return equal_lists(a.list, b.list, depth + 1);
    case DRAY_CEL_MAP:
        return equal_maps(a.map, b.map, depth + 1);
    case DRAY_CEL_OPTIONAL:
        if (a.inner == NULL || b.inner == NULL)
            return dray_cel_of_bool(a.inner == b.inner);
        return equal_depth(*a.inner, *b.inner, depth + 1);
    default:
        return a; /* an error is equal to nothing and stays itself */
    }
}

dray_cel_value dray_cel_equal(dray_cel_value a, dray_cel_value b) {
    return equal_depth(a, b, 0);
}

/* --- order --- */

bool dray_cel_comparable(dray_cel_value v) {
    switch (v.kind) {
    case DRAY_CEL_BOOL:
    case DRAY_CEL_INT:
    case DRAY_CEL_UINT:
    case DRAY_CEL_DOUBLE:
    case DRAY_CEL_STRING:
    case DRAY_CEL_BYTES:
    case DRAY_CEL_TIMESTAMP:
    case DRAY_CEL_DURATION:
        return true;
    default:
        return false;
    }
}

dray_cel_value dray_cel_compare(dray_arena *arena, dray_cel_value a, dray_cel_value b) {
    if (dray_cel_is_number(a) && (dray_cel_is_number(b) || has_nan(a, a))) {
        if (has_nan(a, b))
            return dray_cel_fail(arena, "NaN values cannot be ordered");
        return dray_cel_of_int(order_numbers(a, b));
    }
    if (a.kind != b.kind || !dray_cel_comparable(a))
        return dray_cel_maybe_overload(b);
    switch (a.kind) {
    case DRAY_CEL_STRING:
    case DRAY_CEL_BYTES: {
        int by = dray_str_cmp(dray_cel_str(a), dray_cel_str(b));
        return dray_cel_of_int((by > 0) - (by < 0));
    }
    case DRAY_CEL_BOOL:
        return dray_cel_of_int((int)a.b - (int)b.b);
    case DRAY_CEL_TIMESTAMP:
        if (a.i == b.i)
            return dray_cel_of_int((a.n > b.n) - (a.n < b.n));
        return dray_cel_of_int(a.i < b.i ? -1 : 1);
    default:
        return dray_cel_of_int((a.i > b.i) - (a.i < b.i));
    }
}

/* --- size --- */

uint64_t dray_cel_size_of(dray_cel_value v) {
    for (;;) {
        switch (v.kind) {
        case DRAY_CEL_STRING:
            if (v.flags & DRAY_CEL_ASCII)
                return v.n;
            return v.flags & DRAY_CEL_UNWRITTEN ? v.replacement->points
                                                : dray_utf8_count(dray_cel_str(v));
        case DRAY_CEL_BYTES:
            return v.n;
        case DRAY_CEL_LIST:
            return v.list->n;
        case DRAY_CEL_MAP:
            return v.map->n;
        case DRAY_CEL_OPAQUE:
            return v.opaque->type->size != NULL ? v.opaque->type->size(v.opaque) : 1;
        case DRAY_CEL_OPTIONAL:
            if (v.inner == NULL)
                return 1;
            v = *v.inner;
            break;
        default:
            return 1;
        }
    }
}

bool dray_cel_is_zero(dray_cel_value v) {
    switch (v.kind) {
    case DRAY_CEL_NULL:
        return true;
    case DRAY_CEL_BOOL:
        return !v.b;
    case DRAY_CEL_INT:
    case DRAY_CEL_UINT:
    case DRAY_CEL_DURATION:
        return v.i == 0;
    case DRAY_CEL_DOUBLE:
        return v.d == 0;
    case DRAY_CEL_STRING:
    case DRAY_CEL_BYTES:
        return v.n == 0;
    case DRAY_CEL_LIST:
        return v.list->n == 0;
    case DRAY_CEL_MAP:
        return v.map->n == 0;
    case DRAY_CEL_TIMESTAMP: /* Go's zero time is the first of January of the year 1 */
        return v.i == DRAY_CEL_TIME_MIN && v.n == 0;
    case DRAY_CEL_OPAQUE:
        return v.opaque->type->is_zero != NULL && v.opaque->type->is_zero(v.opaque);
    default:
        return false;
    }
}

/* --- maps --- */

/* Every bit counts in every bit: multiples of a power of two must not meet in one slot. */
static uint64_t mix(uint64_t u) {
    u = (u ^ u >> 32) * 0xff51afd7ed558ccdu;
    u = (u ^ u >> 29) * 0x9e3779b97f4a7c15u;
    return u ^ u >> 32;
}

static inline uint64_t hash_of(dray_cel_value key) {
    switch (key.kind) {
    case DRAY_CEL_STRING:
        return dray_str_hash(dray_cel_str(key));
    case DRAY_CEL_BOOL:
    case DRAY_CEL_INT:
    case DRAY_CEL_UINT:
    case DRAY_CEL_DOUBLE:
    case DRAY_CEL_DURATION:
    case DRAY_CEL_TIMESTAMP:
        return mix(key.u + key.kind);
    default:
        return key.kind;
    }
}

/* Keys are one where kind and value are: 1 and 1u are two keys of a map. */
static bool same_key(dray_cel_value a, dray_cel_value b) {
    if (a.kind != b.kind)
        return false;
    if (a.kind == DRAY_CEL_STRING)
        return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
    if (a.kind == DRAY_CEL_INT || a.kind == DRAY_CEL_UINT)
        return a.u == b.u;
    switch (a.kind) {
    case DRAY_CEL_LIST:
        return a.list == b.list;
    case DRAY_CEL_MAP:
        return a.map == b.map;
    case DRAY_CEL_OPTIONAL:
        return a.inner == b.inner;
    case DRAY_CEL_OPAQUE:
        return a.opaque == b.opaque ||
               (a.opaque->type->key == DRAY_CEL_KEY_EQUAL && dray_cel_same(a, b));
    default:
        return dray_cel_same(a, b);
    }
}

bool dray_cel_can_hash(dray_cel_value v) {
    return v.kind != DRAY_CEL_BYTES &&
           !(v.kind == DRAY_CEL_OPAQUE && v.opaque->type->key == DRAY_CEL_KEY_NONE);
}

/* hash: of the key; not looked at without a table. */
static size_t find_hashed(const dray_cel_map *map, dray_cel_value key, uint64_t hash) {
    if (map->slots == NULL) {
        for (size_t i = 0; i < map->n; i++)
            if (same_key(map->v[i].key, key))
                return i;
        return SIZE_MAX;
    }
    uint32_t mask = map->n_slots - 1;
    for (uint32_t at = (uint32_t)hash & mask; map->slots[at] != 0; at = (at + 1) & mask)
        if (same_key(map->v[map->slots[at] - 1].key, key))
            return map->slots[at] - 1;
    return SIZE_MAX;
}

static size_t find_index(const dray_cel_map *map, dray_cel_value key) {
    return find_hashed(map, key, map->slots != NULL ? hash_of(key) : 0);
}

/* A number of another kind with the same value finds the entry too. */
static size_t find_number(const dray_cel_map *map, dray_cel_value key) {
    size_t at = SIZE_MAX;
    if (key.kind == DRAY_CEL_INT && key.i >= 0)
        at = find_index(map, dray_cel_of_uint(key.u));
    else if (key.kind == DRAY_CEL_UINT && key.i >= 0)
        at = find_index(map, dray_cel_of_int(key.i));
    else if (key.kind == DRAY_CEL_DOUBLE) {
        if (key.d >= -0x1p63 && key.d < 0x1p63 && key.d == trunc(key.d))
            at = find_index(map, dray_cel_of_int((int64_t)key.d));
        if (at == SIZE_MAX && key.d >= 0 && key.d < 0x1p64 && key.d == trunc(key.d))
            at = find_index(map, dray_cel_of_uint((uint64_t)key.d));
    }
    return at;
}

const dray_cel_value *dray_cel_map_has(const dray_cel_map *map, dray_cel_value key) {
    size_t at = find_index(map, key);
    if (at == SIZE_MAX && key.kind != DRAY_CEL_STRING)
        at = find_number(map, key);
    return at == SIZE_MAX ? NULL : &map->v[at].value;
}

const dray_cel_value *dray_cel_map_find(const dray_cel_map *map, dray_cel_value key) {
    const dray_cel_value *found = dray_cel_map_has(map, key);
    return found != NULL ? found : map->otherwise;
}

static inline bool is_text(const dray_cel_value *v, dray_str text) {
    return v->n == text.n && v->kind == DRAY_CEL_STRING && memcmp(v->s, text.p, text.n) == 0;
}

const dray_cel_value *dray_cel_map_find_text(const dray_cel_map *map, dray_str key, uint64_t hash) {
    if (map->slots == NULL) {
        for (size_t i = 0; i < map->n; i++)
            if (is_text(&map->v[i].key, key))
                return &map->v[i].value;
        return map->otherwise;
    }
    uint32_t mask = map->n_slots - 1;
    for (uint32_t at = (uint32_t)hash & mask; map->slots[at] != 0; at = (at + 1) & mask) {
        const dray_cel_pair *pair = &map->v[map->slots[at] - 1];
        if (is_text(&pair->key, key))
            return &pair->value;
    }
    return map->otherwise;
}

dray_cel_map *dray_cel_map_new(dray_arena *arena, size_t n) {
    dray_cel_map *map = DRAY_NEW(arena, dray_cel_map);
    map->weight = 1;
    map->room = n;
    map->v = n > 0 ? dray_arena_room(arena, n * sizeof *map->v) : NULL;
    return map;
}

static void insert_slot(dray_cel_map *map, size_t index, uint64_t hash) {
    uint32_t mask = map->n_slots - 1;
    uint32_t at = (uint32_t)hash & mask;
    while (map->slots[at] != 0)
        at = (at + 1) & mask;
    map->slots[at] = (uint32_t)index + 1;
}

static void fill_slots(dray_cel_map *map) {
    for (size_t i = 0; i < map->n; i++)
        insert_slot(map, i, hash_of(map->v[i].key));
}

/* A key that is not there yet. */
static void add_pair(dray_arena *arena, dray_cel_map *map, dray_cel_pair pair, uint64_t hash) {
    dray_cel_pair *pairs = (dray_cel_pair *)map->v;
    if (map->n == map->room) {
        size_t room = map->room == 0 ? 4 : map->room * 2;
        pairs = dray_arena_grow(arena, pairs, map->room * sizeof *pairs, room * sizeof *pairs);
        map->v = pairs;
        map->room = room;
    }
    pairs[map->n++] = pair;
    if (map->n >= SLOTS_FROM && map->n * 2 > map->n_slots) {
        map->n_slots = map->n_slots == 0 ? 32 : map->n_slots * 4;
        map->slots = DRAY_NEW_N(arena, uint32_t, map->n_slots);
        fill_slots(map);
    } else if (map->slots != NULL) {
        insert_slot(map, map->n - 1, hash);
    }
}

static void add_weights(dray_cel_map *map, dray_cel_value key, dray_cel_value value) {
    map->weight = add_weight(map->weight, add_weight(dray_cel_weight(key), dray_cel_weight(value)));
}

bool dray_cel_map_put(dray_arena *arena, dray_cel_map *map, dray_cel_value key,
                      dray_cel_value value) {
    uint64_t hash = map->slots != NULL ? hash_of(key) : 0;
    size_t at = find_hashed(map, key, hash);
    add_weights(map, key, value);
    if (at == SIZE_MAX)
        add_pair(arena, map, (dray_cel_pair){key, value}, hash);
    else
        ((dray_cel_pair *)map->v)[at].value = value;
    return at == SIZE_MAX;
}

bool dray_cel_map_add(dray_arena *arena, dray_cel_map *map, dray_cel_value key,
                      dray_cel_value value) {
    uint64_t hash = map->slots != NULL ? hash_of(key) : 0;
    if (find_hashed(map, key, hash) != SIZE_MAX ||
        (dray_cel_is_number(key) && find_number(map, key) != SIZE_MAX))
        return false;
    add_weights(map, key, value);
    add_pair(arena, map, (dray_cel_pair){key, value}, hash);
    return true;
}

void dray_cel_map_remove(dray_cel_map *map, dray_cel_value key) {
    size_t at = find_index(map, key);
    if (at == SIZE_MAX)
        return;
    dray_cel_pair *pairs = (dray_cel_pair *)map->v;
    memmove(pairs + at, pairs + at + 1, (map->n - at - 1) * sizeof *pairs);
    map->n--;
    if (map->slots == NULL)
        return;
    memset(map->slots, 0, map->n_slots * sizeof *map->slots);
    fill_slots(map);
}

/* --- declared types --- */

static bool fits_depth(const dray_cel_type *type, dray_cel_value v, int depth) {
    if (depth > DRAY_CEL_TYPE_DEPTH || type->kind == DRAY_CEL_DYN || type->kind == DRAY_CEL_ANY ||
        type->kind == DRAY_CEL_PARAM)
        return true;
    if (!dray_str_eq(type->name, dray_cel_type_name(v)))
        return false;
    if (v.kind == DRAY_CEL_LIST && type->kind == DRAY_CEL_LIST && v.list->n > 0)
        return fits_depth(type->params[0], dray_cel_list_at(v.list, 0), depth + 1);
    if (v.kind == DRAY_CEL_MAP && type->kind == DRAY_CEL_MAP && v.map->n > 0)
        return fits_depth(type->params[0], v.map->v[0].key, depth + 1) &&
               fits_depth(type->params[1], v.map->v[0].value, depth + 1);
    return true;
}

bool dray_cel_fits(const dray_cel_type *type, dray_cel_value v) {
    return fits_depth(type, v, 0);
}
