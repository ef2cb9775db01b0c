/* Operators, size, `in`, and the string functions of the standard library. */
#include "cel/eval_int.h"

#include "base/vec.h"

#include <math.h>

#define KIND(k) (1u << DRAY_CEL_##k)
#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)
#define TRACK(name)                                                                \
    static uint64_t name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n, \
                         const dray_cel_value *result)

enum { NANOS = 1000000000 };

static dray_cel_value overflow(dray_cel_eval *e, dray_cel_value like) {
    return dray_cel_fail(e->arena, like.kind == DRAY_CEL_UINT ? "unsigned integer overflow"
                                                              : "integer overflow");
}

/* --- arithmetic --- */

/* time + ns, or "timestamp overflow" outside the years 1 to 9999. */
static dray_cel_value shift_time(dray_cel_eval *e, dray_cel_value time, int64_t ns) {
    int64_t sec = time.i + ns / NANOS;
    int64_t nanos = (int64_t)time.n + ns % NANOS;
    if (nanos < 0) {
        nanos += NANOS;
        sec--;
    } else if (nanos >= NANOS) {
        nanos -= NANOS;
        sec++;
    }
    if (sec < DRAY_CEL_TIME_MIN || sec > DRAY_CEL_TIME_MAX)
        return dray_cel_fail(e->arena, "timestamp overflow");
    time.i = sec;
    time.n = (uint32_t)nanos;
    return time;
}

static dray_cel_value join_bytes(dray_cel_eval *e, dray_cel_value a, dray_cel_value b) {
    uint64_t n = (uint64_t)a.n + b.n;
    if (!dray_cel_eval_fits(e, n))
        return dray_cel_no_overload;
    char *p = dray_arena_bytes(e->arena, n > 0 ? n : 1);
    memcpy(p, a.s, a.n);
    memcpy(p + a.n, b.s, b.n);
    return (dray_cel_value){.kind = a.kind, .flags = a.flags & b.flags, .n = (uint32_t)n, .s = p};
}

static dray_cel_value add_time(dray_cel_eval *e, dray_cel_value a, dray_cel_value b) {
    int64_t sum;
    if (a.kind == DRAY_CEL_TIMESTAMP)
        return b.kind == DRAY_CEL_DURATION ? shift_time(e, a, b.i) : dray_cel_maybe_overload(b);
    if (b.kind == DRAY_CEL_TIMESTAMP)
        return shift_time(e, b, a.i);
    if (b.kind != DRAY_CEL_DURATION)
        return dray_cel_maybe_overload(b);
    if (__builtin_add_overflow(a.i, b.i, &sum))
        return overflow(e, a);
    return dray_cel_of_duration(sum);
}

static dray_cel_value add_lists(dray_cel_eval *e, dray_cel_value a, dray_cel_value b) {
    dray_cel_value sum;
    if (dray_arena_spent(e->arena) || !dray_cel_list_concat(e->arena, a, b, &sum))
        return dray_cel_eval_full(e);
    return sum;
}

dray_cel_value dray_cel_add(dray_cel_eval *e, dray_cel_value a, dray_cel_value b) {
    if (a.kind == DRAY_CEL_TIMESTAMP || a.kind == DRAY_CEL_DURATION)
        return add_time(e, a, b);
    if (a.kind != b.kind)
        return dray_cel_maybe_overload(b);
    int64_t sum;
    uint64_t usum;
    switch (a.kind) {
    case DRAY_CEL_INT:
        return __builtin_add_overflow(a.i, b.i, &sum) ? overflow(e, a) : dray_cel_of_int(sum);
    case DRAY_CEL_UINT:
        return __builtin_add_overflow(a.u, b.u, &usum) ? overflow(e, a) : dray_cel_of_uint(usum);
    case DRAY_CEL_DOUBLE:
        return dray_cel_of_double(a.d + b.d);
    case DRAY_CEL_LIST:
        return add_lists(e, a, b);
    default:
        return join_bytes(e, a, b);
    }
}

FN(add) {
    return dray_cel_add(e, args[0], args[1]);
}

static dray_cel_value subtract_time(dray_cel_eval *e, dray_cel_value a, dray_cel_value b) {
    int64_t ns;
    if (b.kind == DRAY_CEL_DURATION)
        return b.i == INT64_MIN ? overflow(e, b) : shift_time(e, a, -b.i);
    if (b.kind != DRAY_CEL_TIMESTAMP)
        return dray_cel_maybe_overload(b);
    if (__builtin_mul_overflow(a.i - b.i, (int64_t)NANOS, &ns) ||
        __builtin_add_overflow(ns, (int64_t)a.n - (int64_t)b.n, &ns))
        return overflow(e, b);
    return dray_cel_of_duration(ns);
}

FN(subtract) {
    dray_cel_value a = args[0], b = args[1];
    if (a.kind == DRAY_CEL_TIMESTAMP)
        return subtract_time(e, a, b);
    if (a.kind != b.kind)
        return dray_cel_maybe_overload(b);
    if (a.kind == DRAY_CEL_DOUBLE)
        return dray_cel_of_double(a.d - b.d);
    if (a.kind == DRAY_CEL_UINT)
        return a.u < b.u ? overflow(e, a) : dray_cel_of_uint(a.u - b.u);
    int64_t difference;
    if (__builtin_sub_overflow(a.i, b.i, &difference))
        return overflow(e, a);
    a.i = difference;
    return a;
}

FN(multiply) {
    dray_cel_value a = args[0], b = args[1];
    if (a.kind != b.kind)
        return dray_cel_maybe_overload(b);
    int64_t product;
    uint64_t uproduct;
    if (a.kind == DRAY_CEL_DOUBLE)
        return dray_cel_of_double(a.d * b.d);
    if (a.kind == DRAY_CEL_UINT)
        return __builtin_mul_overflow(a.u, b.u, &uproduct) ? overflow(e, a)
                                                           : dray_cel_of_uint(uproduct);
    return __builtin_mul_overflow(a.i, b.i, &product) ? overflow(e, a) : dray_cel_of_int(product);
}

FN(divide) {
    dray_cel_value a = args[0], b = args[1];
    if (a.kind != b.kind)
        return dray_cel_maybe_overload(b);
    if (a.kind == DRAY_CEL_DOUBLE)
        return dray_cel_of_double(a.d / b.d);
    if (b.u == 0)
        return dray_cel_fail(e->arena, "division by zero");
    if (a.kind == DRAY_CEL_UINT)
        return dray_cel_of_uint(a.u / b.u);
    return a.i == INT64_MIN && b.i == -1 ? overflow(e, a) : dray_cel_of_int(a.i / b.i);
}

FN(modulo) {
    dray_cel_value a = args[0], b = args[1];
    if (a.kind != b.kind)
        return dray_cel_maybe_overload(b);
    if (b.u == 0)
        return dray_cel_fail(e->arena, "modulus by zero");
    if (a.kind == DRAY_CEL_UINT)
        return dray_cel_of_uint(a.u % b.u);
    return a.i == INT64_MIN && b.i == -1 ? overflow(e, a) : dray_cel_of_int(a.i % b.i);
}

FN(negate) {
    dray_cel_value a = args[0];
    if (a.kind == DRAY_CEL_BOOL)
        return dray_cel_no_overload;
    if (a.kind == DRAY_CEL_DOUBLE)
        return dray_cel_of_double(-a.d);
    if (a.i == INT64_MIN)
        return overflow(e, a);
    a.i = -a.i;
    return a;
}

FN(not_false) {
    return args[0].kind == DRAY_CEL_BOOL ? args[0] : dray_cel_true;
}

/* --- order --- */

#define ORDER(name, test)                                                    \
    FN(name) {                                                               \
        dray_cel_value by = dray_cel_compare(e->arena, args[0], args[1]);    \
        return by.kind == DRAY_CEL_INT ? dray_cel_of_bool(by.i test 0) : by; \
    }
ORDER(less, <)
ORDER(less_equal, <=)
ORDER(greater, >)
ORDER(greater_equal, >=)

/* --- size, in, type --- */

FN(size) {
    return dray_cel_of_int((int64_t)dray_cel_eval_size(e, args[0]));
}

FN(is_in) {
    dray_cel_value v = args[0], of = args[1];
    if (of.kind == DRAY_CEL_MAP && of.map->n > 0 && !dray_cel_can_hash(v))
        return dray_cel_eval_no_hash(e, v);
    if (of.kind == DRAY_CEL_MAP)
        return dray_cel_of_bool(dray_cel_map_has(of.map, v) != NULL);
    if (of.kind != DRAY_CEL_LIST)
        return dray_cel_maybe_overload(of);
    return dray_cel_of_bool(dray_cel_eval_holds(e, of.list, v));
}

FN(type_of) {
    if (args[0].kind == DRAY_CEL_TYPE)
        return dray_cel_of_type(DRAY_STR("type"));
    return dray_cel_of_type(dray_cel_type_name(args[0]));
}

FN(identity) {
    return args[0];
}

/* --- strings --- */

static bool both_strings(const dray_cel_value *args) {
    return args[0].kind == DRAY_CEL_STRING && args[1].kind == DRAY_CEL_STRING;
}

static dray_cel_value not_strings(const dray_cel_value *args) {
    return dray_cel_maybe_overload(args[0].kind != DRAY_CEL_STRING ? args[0] : args[1]);
}

FN(contains) {
    if (!both_strings(args))
        return not_strings(args);
    return dray_cel_of_bool(args[1].n == 0 ||
                            memmem(args[0].s, args[0].n, args[1].s, args[1].n) != NULL);
}

FN(starts_with) {
    if (!both_strings(args))
        return not_strings(args);
    return dray_cel_of_bool(dray_str_starts(dray_cel_str(args[0]), dray_cel_str(args[1])));
}

FN(ends_with) {
    if (!both_strings(args))
        return not_strings(args);
    return dray_cel_of_bool(dray_str_ends(dray_cel_str(args[0]), dray_cel_str(args[1])));
}

FN(matches) {
    if (args[1].kind != DRAY_CEL_STRING)
        return dray_cel_maybe_overload(args[1]);
    if (args[0].kind != DRAY_CEL_STRING)
        return dray_cel_no_overload;
    const char *why;
    const dray_cel_regex *re = dray_cel_eval_regex(e, args[1], &why);
    if (re == NULL)
        return dray_cel_fail(e->arena, why);
    return dray_cel_of_bool(dray_cel_regex_match(re, args[0].s, args[0].n));
}

/* --- costs --- */

TRACK(min_size) {
    uint64_t a = dray_cel_eval_size(e, args[0]), b = dray_cel_eval_size(e, args[1]);
    return dray_cel_scaled(a < b ? a : b, 0.1);
}
TRACK(sum_size) {
    return dray_cel_scaled(dray_cel_eval_size(e, args[0]) + dray_cel_eval_size(e, args[1]), 0.1);
}
TRACK(needle) {
    return dray_cel_scaled(dray_cel_eval_size(e, args[e->profile == DRAY_CEL_026 ? 0 : 1]), 0.1);
}
TRACK(in_size) {
    return dray_cel_eval_size(e, args[1]);
}
TRACK(by_contains) {
    return dray_cel_scaled(dray_cel_eval_size(e, args[0]), 0.1) *
           dray_cel_scaled(dray_cel_eval_size(e, args[1]), 0.1);
}
TRACK(by_matches) {
    return dray_cel_scaled(dray_cel_eval_size(e, args[0]) + 1, 0.1) *
           dray_cel_scaled(dray_cel_eval_size(e, args[1]), 0.25);
}

/* 0.26 knows the receiver form only. */
TRACK(by_matches_global) {
    return e->profile == DRAY_CEL_026 ? 1 : by_matches(e, args, n, result);
}

#define NUMBERS (KIND(INT) | KIND(UINT) | KIND(DOUBLE))
#define ORDERED \
    (NUMBERS | KIND(BOOL) | KIND(STRING) | KIND(BYTES) | KIND(TIMESTAMP) | KIND(DURATION))
#define SIZED (KIND(STRING) | KIND(BYTES) | KIND(LIST) | KIND(MAP))

static const dray_cel_impl_row functions[] = {
    {"_+_", add, NULL, 0,
     NUMBERS | KIND(STRING) | KIND(BYTES) | KIND(LIST) | KIND(TIMESTAMP) | KIND(DURATION)},
    {"_-_", subtract, NULL, 0, NUMBERS | KIND(TIMESTAMP) | KIND(DURATION)},
    {"_*_", multiply, NULL, 0, NUMBERS},
    {"_/_", divide, NULL, 0, NUMBERS},
    {"_%_", modulo, NULL, 0, KIND(INT) | KIND(UINT)},
    {"-_", negate, NULL, 0, KIND(BOOL) | KIND(INT) | KIND(DOUBLE) | KIND(DURATION)},
    {"_<_", less, NULL, 0, ORDERED},
    {"_<=_", less_equal, NULL, 0, ORDERED},
    {"_>_", greater, NULL, 0, ORDERED},
    {"_>=_", greater_equal, NULL, 0, ORDERED},
    {"size", size, NULL, DRAY_CEL_I_UNREAD, SIZED},
    {"@in", is_in, NULL, 0, 0},
    {"in", is_in, NULL, 0, 0},
    {"_in_", is_in, NULL, 0, 0},
    {"matches", matches, by_matches, 0, KIND(STRING)},
    {"@not_strictly_false", not_false, NULL, DRAY_CEL_I_NONSTRICT, 0},
    {"__not_strictly_false__", not_false, NULL, DRAY_CEL_I_NONSTRICT, 0},
    {"contains", contains, NULL, 0, 0},
    {"startsWith", starts_with, NULL, 0, 0},
    {"endsWith", ends_with, NULL, 0, 0},
    {"type", type_of, NULL, DRAY_CEL_I_UNREAD, 0},
    {"dyn", identity, NULL, DRAY_CEL_I_UNREAD, 0},
};

static const dray_cel_impl_row overloads[] = {
    {"less_string", NULL, min_size},
    {"less_bytes", NULL, min_size},
    {"less_equals_string", NULL, min_size},
    {"less_equals_bytes", NULL, min_size},
    {"greater_string", NULL, min_size},
    {"greater_bytes", NULL, min_size},
    {"greater_equals_string", NULL, min_size},
    {"greater_equals_bytes", NULL, min_size},
    {"add_string", NULL, sum_size},
    {"add_bytes", NULL, sum_size},
    {"in_list", NULL, in_size},
    {"contains_string", NULL, by_contains},
    {"starts_with_string", NULL, needle},
    {"ends_with_string", NULL, needle},
    {"matches", NULL, by_matches_global},
    {"matches_string", NULL, by_matches},
};

const dray_cel_impl_table dray_cel_impls_std = {functions, DRAY_COUNT(functions), overloads,
                                                DRAY_COUNT(overloads)};
