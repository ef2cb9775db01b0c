/* Conversions between types: bool() bytes() double() duration() int() string() timestamp() uint().
 */
#include "cel/eval_int.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "cel/number.h"

#include <math.h>

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

static dray_cel_value text_value(dray_cel_eval *e, const dray_buf *buf) {
    return dray_cel_of_str(dray_str_dup(e->arena, dray_buf_str(buf)));
}

FN(identity) {
    return args[0];
}

FN(to_bool) {
    bool b;
    if (dray_cel_read_bool(dray_cel_str(args[0]), &b))
        return dray_cel_of_bool(b);
    return dray_cel_fail_convert(e->arena, args[0], "bool");
}

FN(to_bytes) {
    return dray_cel_of_bytes(dray_cel_str(args[0]));
}

FN(to_double) {
    double d;
    if (args[0].kind == DRAY_CEL_INT)
        return dray_cel_of_double((double)args[0].i);
    if (args[0].kind == DRAY_CEL_UINT)
        return dray_cel_of_double((double)args[0].u);
    if (dray_cel_read_double(dray_cel_str(args[0]), &d))
        return dray_cel_of_double(d);
    return dray_cel_fail_convert(e->arena, args[0], "double");
}

FN(to_duration) {
    int64_t ns;
    if (args[0].kind == DRAY_CEL_STRING && dray_cel_read_duration(dray_cel_str(args[0]), &ns))
        return dray_cel_of_duration(ns);
    return dray_cel_fail_convert(e->arena, args[0], "google.protobuf.Duration");
}

FN(to_timestamp) {
    dray_cel_value time;
    if (args[0].kind == DRAY_CEL_INT)
        time = (dray_cel_value){.kind = DRAY_CEL_TIMESTAMP, .i = args[0].i};
    else if (!dray_cel_read_time(dray_cel_str(args[0]), &time))
        return dray_cel_fail_convert(e->arena, args[0], "google.protobuf.Timestamp");
    if (time.i < DRAY_CEL_TIME_MIN || time.i > DRAY_CEL_TIME_MAX)
        return dray_cel_fail(e->arena, "timestamp overflow");
    return time;
}

FN(to_int) {
    dray_cel_value v = args[0];
    int64_t i;
    switch (v.kind) {
    case DRAY_CEL_UINT:
        return v.u > INT64_MAX ? dray_cel_fail(e->arena, "integer overflow") : dray_cel_of_int(v.i);
    case DRAY_CEL_DOUBLE: /* both ends are out, as in cel-go */
        if (!(v.d > -0x1p63 && v.d < 0x1p63))
            return dray_cel_fail(e->arena, "integer overflow");
        return dray_cel_of_int((int64_t)v.d);
    case DRAY_CEL_STRING:
        if (dray_cel_read_int(dray_cel_str(v), &i))
            return dray_cel_of_int(i);
        return dray_cel_fail_convert(e->arena, v, "int");
    default:
        return dray_cel_of_int(v.i); /* seconds of a timestamp, nanoseconds of a duration */
    }
}

FN(to_uint) {
    dray_cel_value v = args[0];
    uint64_t u;
    switch (v.kind) {
    case DRAY_CEL_INT:
        return v.i < 0 ? dray_cel_fail(e->arena, "unsigned integer overflow")
                       : dray_cel_of_uint(v.u);
    case DRAY_CEL_DOUBLE:
        if (!(v.d >= 0 && v.d < 0x1p64))
            return dray_cel_fail(e->arena, "unsigned integer overflow");
        return dray_cel_of_uint((uint64_t)v.d);
    default:
        if (dray_cel_read_uint(dray_cel_str(v), &u))
            return dray_cel_of_uint(u);
        return dray_cel_fail_convert(e->arena, v, "uint");
    }
}

FN(to_string) {
    enum { TEXT_WORK = 3, DIGITS_WORK = 16 }; /* the digits of a double, the date of a time */
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_cel_value v = args[0];
    bool dear = v.kind == DRAY_CEL_DOUBLE || v.kind == DRAY_CEL_TIMESTAMP;
    if (!dray_cel_eval_work(e, dear ? DIGITS_WORK : TEXT_WORK))
        return dray_cel_no_overload;
    switch (v.kind) {
    case DRAY_CEL_BYTES:
        if (dray_utf8_invalid(dray_cel_str(v)) != SIZE_MAX)
            return dray_cel_fail(e->arena, "invalid UTF-8 in bytes, cannot convert to string");
        return dray_cel_of_str(dray_cel_str(v));
    case DRAY_CEL_TIMESTAMP:
        dray_cel_print_time(&out, v, false);
        break;
    case DRAY_CEL_DURATION:
        dray_cel_print_duration(&out, v.i);
        break;
    default:
        dray_cel_print_value(&out, v);
        break;
    }
    return text_value(e, &out);
}

static uint64_t tenth(dray_cel_eval *e, const dray_cel_value *args, uint32_t n,
                      const dray_cel_value *result) {
    return dray_cel_scaled(dray_cel_eval_size(e, args[0]), 0.1);
}

static const dray_cel_impl_row overloads[] = {
    {"bool_to_bool", identity},           {"string_to_bool", to_bool},
    {"bytes_to_bytes", identity},         {"string_to_bytes", to_bytes, tenth},
    {"double_to_double", identity},       {"int64_to_double", to_double},
    {"uint64_to_double", to_double},      {"string_to_double", to_double},
    {"duration_to_duration", identity},   {"int64_to_duration", to_duration},
    {"string_to_duration", to_duration},  {"int64_to_int64", identity},
    {"uint64_to_int64", to_int},          {"double_to_int64", to_int},
    {"string_to_int64", to_int},          {"timestamp_to_int64", to_int},
    {"duration_to_int64", to_int},        {"string_to_string", identity},
    {"bool_to_string", to_string},        {"bytes_to_string", to_string, tenth},
    {"double_to_string", to_string},      {"duration_to_string", to_string},
    {"int64_to_string", to_string},       {"uint64_to_string", to_string},
    {"timestamp_to_string", to_string},   {"timestamp_to_timestamp", identity},
    {"int64_to_timestamp", to_timestamp}, {"string_to_timestamp", to_timestamp},
    {"uint64_to_uint64", identity},       {"int64_to_uint64", to_uint},
    {"double_to_uint64", to_uint},        {"string_to_uint64", to_uint},
};

const dray_cel_impl_table dray_cel_impls_convert = {NULL, 0, overloads, DRAY_COUNT(overloads)};
