/* Kubernetes' lists library: isSorted sum min max indexOf lastIndexOf includes. */
#include "celk8s/libs_int.h"

#include "base/vec.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

/* Each walks over all of a list whose cost may be nothing: short texts have none. */

FN(is_sorted) {
    if (!dray_cel_eval_work(e, args[0].list->n / 2))
        return dray_cel_no_overload;
    dray_cel_walk walk = dray_cel_walk_of(args[0].list);
    dray_cel_value last = dray_cel_none;
    for (const dray_cel_value *v; (v = dray_cel_walk_next(&walk)) != NULL; last = *v) {
        if (!dray_cel_comparable(*v))
            return dray_cel_maybe_overload(*v);
        if (last.kind == DRAY_CEL_OPTIONAL)
            continue;
        dray_cel_value by = dray_cel_compare(e->arena, last, *v);
        if (by.kind == DRAY_CEL_INT && by.i > 0)
            return dray_cel_false;
    }
    return dray_cel_true;
}

static dray_cel_value sum_from(dray_cel_eval *e, const dray_cel_list *list, dray_cel_value sum) {
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *v;
         sum.kind != DRAY_CEL_ERROR && (v = dray_cel_walk_next(&walk)) != NULL;)
        sum = dray_cel_add(e, sum, *v);
    return sum;
}

#define SUM(name, of)                                                   \
    FN(name) {                                                          \
        return sum_from(e, args[0].list, (dray_cel_value){.kind = of}); \
    }
SUM(sum_int, DRAY_CEL_INT)
SUM(sum_uint, DRAY_CEL_UINT)
SUM(sum_double, DRAY_CEL_DOUBLE)
SUM(sum_duration, DRAY_CEL_DURATION)

static dray_cel_value extreme(dray_cel_eval *e, const dray_cel_list *list, int worse,
                              const char *name) {
    if (list->n == 0)
        return dray_cel_failf(e->arena, "%s called on empty list", name);
    if (!dray_cel_eval_work(e, list->n / 2))
        return dray_cel_no_overload;
    dray_cel_value best = dray_cel_list_at(list, 0);
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *v; (v = dray_cel_walk_next(&walk)) != NULL;) {
        if (!dray_cel_comparable(*v))
            return dray_cel_maybe_overload(*v);
        dray_cel_value by = dray_cel_compare(e->arena, best, *v);
        if (by.kind == DRAY_CEL_INT && by.i == worse)
            best = *v;
    }
    return best;
}

FN(min) {
    return extreme(e, args[0].list, 1, "min");
}

FN(max) {
    return extreme(e, args[0].list, -1, "max");
}

/* The first index where v stands, or the last one; −1: nowhere. */
static int64_t find(dray_cel_eval *e, const dray_cel_list *list, dray_cel_value v, bool first) {
    int64_t found = -1, i = 0;
    if (!dray_cel_eval_work(e, list->n / 2))
        return -1;
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *item; (item = dray_cel_walk_next(&walk)) != NULL; i++) {
        if (!dray_cel_eval_same(e, *item, v))
            continue;
        found = i;
        if (first)
            break;
    }
    return found;
}

FN(index_of) {
    return dray_cel_of_int(find(e, args[0].list, args[1], true));
}

FN(last_index_of) {
    return dray_cel_of_int(find(e, args[0].list, args[1], false));
}

/* A list has the value, or what is no list is the value. */
FN(includes) {
    if (args[0].kind != DRAY_CEL_LIST)
        return dray_cel_of_bool(dray_cel_eval_same(e, args[0], args[1]));
    return dray_cel_of_bool(find(e, args[0].list, args[1], true) >= 0);
}

/* DRA's own edition in 1.36. */
FN(includes_136) {
    enum { MOST = 48 };
    if (args[0].kind == DRAY_CEL_LIST && args[0].list->n > MOST)
        return dray_cel_fail(
            e->arena, "'includes' function cannot be applied to lists longer than 48 values");
    return includes(e, args, n);
}

static uint64_t one(dray_cel_eval *e, const dray_cel_value *args, uint32_t n,
                    const dray_cel_value *result) {
    return 1;
}

static const dray_cel_row rows[] = {
    {"indexOf", "list_a_index_of_int", "list(A).(A) -> int", index_of},
    {"isSorted", "list_int_is_sorted_bool", "list(int).() -> bool", is_sorted},
    {"isSorted", "list_uint_is_sorted_bool", "list(uint).() -> bool", is_sorted},
    {"isSorted", "list_double_is_sorted_bool", "list(double).() -> bool", is_sorted},
    {"isSorted", "list_bool_is_sorted_bool", "list(bool).() -> bool", is_sorted},
    {"isSorted", "list_duration_is_sorted_bool", "list(google.protobuf.Duration).() -> bool",
     is_sorted},
    {"isSorted", "list_timestamp_is_sorted_bool", "list(google.protobuf.Timestamp).() -> bool",
     is_sorted},
    {"isSorted", "list_string_is_sorted_bool", "list(string).() -> bool", is_sorted},
    {"isSorted", "list_bytes_is_sorted_bool", "list(bytes).() -> bool", is_sorted},
    {"lastIndexOf", "list_a_last_index_of_int", "list(A).(A) -> int", last_index_of},
    {"max", "list_int_max_int", "list(int).() -> int", max},
    {"max", "list_uint_max_uint", "list(uint).() -> uint", max},
    {"max", "list_double_max_double", "list(double).() -> double", max},
    {"max", "list_bool_max_bool", "list(bool).() -> bool", max},
    {"max", "list_duration_max_duration",
     "list(google.protobuf.Duration).() -> google.protobuf.Duration", max},
    {"max", "list_timestamp_max_timestamp",
     "list(google.protobuf.Timestamp).() -> google.protobuf.Timestamp", max},
    {"max", "list_string_max_string", "list(string).() -> string", max},
    {"max", "list_bytes_max_bytes", "list(bytes).() -> bytes", max},
    {"min", "list_int_min_int", "list(int).() -> int", min},
    {"min", "list_uint_min_uint", "list(uint).() -> uint", min},
    {"min", "list_double_min_double", "list(double).() -> double", min},
    {"min", "list_bool_min_bool", "list(bool).() -> bool", min},
    {"min", "list_duration_min_duration",
     "list(google.protobuf.Duration).() -> google.protobuf.Duration", min},
    {"min", "list_timestamp_min_timestamp",
     "list(google.protobuf.Timestamp).() -> google.protobuf.Timestamp", min},
    {"min", "list_string_min_string", "list(string).() -> string", min},
    {"min", "list_bytes_min_bytes", "list(bytes).() -> bytes", min},
    {"sum", "list_int_sum_int", "list(int).() -> int", sum_int},
    {"sum", "list_uint_sum_uint", "list(uint).() -> uint", sum_uint},
    {"sum", "list_double_sum_double", "list(double).() -> double", sum_double},
    {"sum", "list_duration_sum_duration",
     "list(google.protobuf.Duration).() -> google.protobuf.Duration", sum_duration},
};

static const dray_cel_row includes_rows[] = {
    {"includes", "list_includes_dyn_dyn", "dyn.(dyn) -> bool", includes},
};

static const dray_cel_row includes_136_rows[] = {
    {"includes", "dra_includes_dyn_dyn", "dyn.(dyn) -> bool", includes_136, one},
};

const dray_cel_library dray_celk8s_lib_lists = {
    .name = "kubernetes.lists", .rows = rows, .n_rows = DRAY_COUNT(rows)};
const dray_cel_library dray_celk8s_lib_includes = {.name = "kubernetes.lists.includes",
                                                   .rows = includes_rows,
                                                   .n_rows = DRAY_COUNT(includes_rows)};
const dray_cel_library dray_celk8s_lib_includes_136 = {
    .name = "dra.includes", .rows = includes_136_rows, .n_rows = DRAY_COUNT(includes_136_rows)};
