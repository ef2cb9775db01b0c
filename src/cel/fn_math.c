/* The math library, and base64 of the encoders library. */
#include "cel/eval_int.h"

#include "base/base64.h"
#include "base/vec.h"

#include <math.h>

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

FN(identity) {
    return args[0];
}

/* Of two numbers the one that `want` (−1 or 1) prefers; the first of equals. */
static dray_cel_value pick(dray_cel_eval *e, dray_cel_value a, dray_cel_value b, int want,
                           const char *name) {
    dray_cel_value order = dray_cel_compare(e->arena, a, b);
    if (order.kind == DRAY_CEL_ERROR)
        return dray_cel_failf(e->arena, DRAY_FMT ": %s",
                              DRAY_ARG(dray_cel_failure_text(e->arena, order.failure)), name);
    return order.i == -want ? b : a;
}

static dray_cel_value pick_of(dray_cel_eval *e, const dray_cel_list *list, int want,
                              const char *name) {
    if (list->n == 0)
        return dray_cel_failf(e->arena, "%s(list) argument must not be empty", name);
    if (!dray_cel_eval_work(e, list->n))
        return dray_cel_no_overload;
    dray_cel_value best = dray_cel_list_at(list, 0);
    dray_cel_walk walk = dray_cel_walk_of(list);
    dray_cel_walk_next(&walk);
    for (const dray_cel_value *v;
         best.kind != DRAY_CEL_ERROR && (v = dray_cel_walk_next(&walk)) != NULL;)
        best = pick(e, best, *v, want, name);
    return dray_cel_is_number(best) ? best : dray_cel_failf(e->arena, "no such overload: %s", name);
}

FN(min_pair) {
    return pick(e, args[0], args[1], -1, "math.@min");
}
FN(max_pair) {
    return pick(e, args[0], args[1], 1, "math.@max");
}
FN(min_list) {
    return pick_of(e, args[0].list, -1, "math.@min");
}
FN(max_list) {
    return pick_of(e, args[0].list, 1, "math.@max");
}

#define ROUND(name, function)                           \
    FN(name) {                                          \
        return dray_cel_of_double(function(args[0].d)); \
    }
ROUND(up, ceil)
ROUND(down, floor)
ROUND(nearest, round)
ROUND(toward_zero, trunc)
ROUND(absolute, fabs)

FN(is_inf) {
    return dray_cel_of_bool(isinf(args[0].d));
}
FN(is_nan) {
    return dray_cel_of_bool(isnan(args[0].d));
}
FN(is_finite) {
    return dray_cel_of_bool(isfinite(args[0].d));
}

FN(abs_int) {
    if (args[0].i == INT64_MIN)
        return dray_cel_fail(e->arena, "integer overflow");
    return dray_cel_of_int(args[0].i < 0 ? -args[0].i : args[0].i);
}

FN(sign) {
    dray_cel_value v = args[0];
    if (v.kind == DRAY_CEL_DOUBLE)
        return isnan(v.d) ? v : dray_cel_of_double((v.d > 0) - (v.d < 0));
    if (v.kind == DRAY_CEL_INT)
        return dray_cel_of_int((v.i > 0) - (v.i < 0));
    return dray_cel_of_uint(v.u != 0);
}

FN(square_root) {
    dray_cel_value v = args[0];
    if (v.kind == DRAY_CEL_INT)
        v.d = (double)v.i;
    else if (v.kind == DRAY_CEL_UINT)
        v.d = (double)v.u;
    return dray_cel_of_double(sqrt(v.d));
}

static dray_cel_value with_bits(dray_cel_value like, uint64_t bits) {
    like.u = bits;
    return like;
}
FN(bit_and) {
    return with_bits(args[0], args[0].u & args[1].u);
}
FN(bit_or) {
    return with_bits(args[0], args[0].u | args[1].u);
}
FN(bit_xor) {
    return with_bits(args[0], args[0].u ^ args[1].u);
}
FN(bit_not) {
    return with_bits(args[0], ~args[0].u);
}

FN(shift_left) {
    if (args[1].i < 0)
        return dray_cel_failf(e->arena, "math.bitShiftLeft() negative offset: %lld",
                              (long long)args[1].i);
    return with_bits(args[0], args[1].i > 63 ? 0 : args[0].u << args[1].i);
}

FN(shift_right) {
    if (args[1].i < 0)
        return dray_cel_failf(e->arena, "math.bitShiftRight() negative offset: %lld",
                              (long long)args[1].i);
    return with_bits(args[0], args[1].i > 63 ? 0 : args[0].u >> args[1].i);
}

#define PAIRS(which, code)                                                                         \
    {"math_@" which "_double", identity}, {"math_@" which "_int", identity},                       \
        {"math_@" which "_uint", identity}, {"math_@" which "_double_double", code##_pair},        \
        {"math_@" which "_int_int", code##_pair}, {"math_@" which "_uint_uint", code##_pair},      \
        {"math_@" which "_int_uint", code##_pair}, {"math_@" which "_int_double", code##_pair},    \
        {"math_@" which "_double_int", code##_pair}, {"math_@" which "_double_uint", code##_pair}, \
        {"math_@" which "_uint_int", code##_pair}, {"math_@" which "_uint_double", code##_pair},   \
        {"math_@" which "_list_double", code##_list}, {"math_@" which "_list_int", code##_list}, { \
        "math_@" which "_list_uint", code##_list                                                   \
    }

static const dray_cel_impl_row overloads[] = {
    PAIRS("min", min),
    PAIRS("max", max),
    {"math_ceil_double", up},
    {"math_floor_double", down},
    {"math_round_double", nearest},
    {"math_trunc_double", toward_zero},
    {"math_isInf_double", is_inf},
    {"math_isNaN_double", is_nan},
    {"math_isFinite_double", is_finite},
    {"math_abs_double", absolute},
    {"math_abs_int", abs_int},
    {"math_abs_uint", identity},
    {"math_sign_double", sign},
    {"math_sign_int", sign},
    {"math_sign_uint", sign},
    {"math_sqrt_double", square_root},
    {"math_sqrt_int", square_root},
    {"math_sqrt_uint", square_root},
    {"math_bitAnd_int_int", bit_and},
    {"math_bitAnd_uint_uint", bit_and},
    {"math_bitOr_int_int", bit_or},
    {"math_bitOr_uint_uint", bit_or},
    {"math_bitXor_int_int", bit_xor},
    {"math_bitXor_uint_uint", bit_xor},
    {"math_bitNot_int_int", bit_not},
    {"math_bitNot_uint_uint", bit_not},
    {"math_bitShiftLeft_int_int", shift_left},
    {"math_bitShiftLeft_uint_int", shift_left},
    {"math_bitShiftRight_int_int", shift_right},
    {"math_bitShiftRight_uint_int", shift_right},
};

const dray_cel_impl_table dray_cel_impls_math = {NULL, 0, overloads, DRAY_COUNT(overloads)};

/* --- base64 --- */

FN(encode) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_base64_write(&out, dray_cel_str(args[0]));
    return dray_cel_of_str(dray_str_dup(e->arena, dray_buf_str(&out)));
}

/* With padding or without. */
FN(decode) {
    dray_str text = dray_cel_str(args[0]), bytes;
    if (text.n % 4 >= 2 && dray_str_chr(text, '=') == SIZE_MAX)
        text = dray_strf(e->arena, DRAY_FMT "%s", DRAY_ARG(text), text.n % 4 == 2 ? "==" : "=");
    char *to = dray_arena_bytes(e->arena, dray_base64_room(text));
    size_t bad = dray_base64_read(text, to, &bytes.n);
    if (bad != SIZE_MAX)
        return dray_cel_failf(e->arena, "illegal base64 data at input byte %zu", bad);
    bytes.p = to;
    return dray_cel_of_bytes(bytes);
}

static const dray_cel_impl_row encoders[] = {
    {"base64_encode_bytes", encode},
    {"base64_decode_string", decode},
};

const dray_cel_impl_table dray_cel_impls_encoders = {NULL, 0, encoders, DRAY_COUNT(encoders)};
