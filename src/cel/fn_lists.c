/* The lists library (slice flatten sort sortBy distinct reverse range) and sets. */
#include "cel/eval_int.h"

#include "base/vec.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)
#define TRACK(name)                                                                \
    static uint64_t name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n, \
                         const dray_cel_value *result)

enum { FLATTEN_DEPTH = 1000 };

/* --- costs of what makes lists --- */

static uint64_t allocating(dray_cel_eval *e, double factor, uint64_t size) {
    if (factor < 0 && e->profile == DRAY_CEL_026) /* upstream's conversion wraps around */
        return 11 - (uint64_t)((double)size * -factor);
    if (factor < 0)
        factor = 1;
    double scaled = (double)size * factor;
    uint64_t cost = scaled >= 0x1p64 ? UINT64_MAX : (uint64_t)scaled;
    return cost > UINT64_MAX - 11 ? UINT64_MAX - 1 : cost + 11;
}

static uint64_t self_compare(dray_cel_eval *e, dray_cel_value list) {
    if (list.kind != DRAY_CEL_LIST) {
        dray_cel_eval_stop(e, "internal error: interface conversion: *types.Err is not "
                              "traits.Lister: missing method Add");
        return 0;
    }
    if (list.list->n == 0)
        return allocating(e, 2, 0);
    uint64_t size = list.list->n, square;
    uint8_t kind = list.list->v[0].kind;
    double factor = kind == DRAY_CEL_STRING || kind == DRAY_CEL_BYTES ? 2.1 : 2;
    if (__builtin_mul_overflow(size, size, &square))
        square = UINT64_MAX;
    return allocating(e, factor, square);
}
/* --- lists --- */

FN(slice) {
    const dray_cel_list *list = args[0].list;
    long long from = args[1].i, to = args[2].i;
    if (from < 0 || to < 0)
        return dray_cel_failf(e->arena, "cannot slice(%lld, %lld), negative indexes not supported",
                              from, to);
    if (from > to)
        return dray_cel_failf(
            e->arena,
            "cannot slice(%lld, %lld), start index must be less than or equal to end index", from,
            to);
    if ((long long)list->n < to)
        return dray_cel_failf(e->arena, "cannot slice(%lld, %lld), list is length %zu", from, to,
                              list->n);
    return dray_cel_of_list(e->arena, list->v + from, (size_t)(to - from));
}

static bool flatten_into(dray_cel_eval *e, dray_cel_value *to, const dray_cel_list *list,
                         int64_t depth, int nested) {
    for (size_t i = 0; i < list->n; i++) {
        if (list->v[i].kind != DRAY_CEL_LIST || depth == 0) {
            if (dray_arena_spent(e->arena))
                return false;
            *to = dray_cel_list_append(e->arena, *to, list->v[i]);
        } else if (nested > FLATTEN_DEPTH || dray_arena_spent(e->arena) ||
                   !flatten_into(e, to, list->v[i].list, depth - 1, nested + 1)) {
            return false;
        }
    }
    return true;
}

FN(flatten) {
    if (args[0].kind != DRAY_CEL_LIST)
        return dray_cel_failf(e->arena, "no such overload: " DRAY_FMT ".flatten()",
                              DRAY_ARG(dray_cel_type_name(args[0])));
    if (n > 1 && args[1].kind != DRAY_CEL_INT)
        return dray_cel_failf(e->arena, "no such overload: " DRAY_FMT ".flatten(" DRAY_FMT ")",
                              DRAY_ARG(dray_cel_type_name(args[0])),
                              DRAY_ARG(dray_cel_type_name(args[1])));
    int64_t depth = n > 1 ? args[1].i : 1;
    if (depth < 0)
        return dray_cel_fail(e->arena, "level must be non-negative");
    dray_cel_value list = dray_cel_empty_list;
    if (!flatten_into(e, &list, args[0].list, depth, 0))
        return dray_cel_eval_stop(e, "evaluation needs too much memory");
    return list;
}

typedef struct keyed {
    dray_cel_value key, value;
} keyed;

static int by_key(const void *a, const void *b, void *context) {
    dray_cel_value order =
        dray_cel_compare(context, ((const keyed *)a)->key, ((const keyed *)b)->key);
    return order.kind == DRAY_CEL_INT ? (int)order.i : 0;
}

/* cel-go's sort.Slice is not stable; equal keys may come in any order there. */
static dray_cel_value sort_by(dray_cel_eval *e, const dray_cel_list *list,
                              const dray_cel_list *keys) {
    if (list->n != keys->n)
        return dray_cel_failf(e->arena,
                              "@sortByAssociatedKeys() expected a list of the same size as the "
                              "associated keys list, but got %zu and %zu elements respectively",
                              list->n, keys->n);
    if (!dray_cel_comparable(keys->v[0]))
        return dray_cel_fail(e->arena, "list elements must be comparable");
    keyed *pairs = DRAY_NEW_N(e->arena, keyed, list->n);
    for (size_t i = 0; i < list->n; i++) {
        if (keys->v[i].kind != keys->v[0].kind)
            return dray_cel_fail(e->arena, "list elements must have the same type");
        pairs[i] = (keyed){keys->v[i], list->v[i]};
    }
    dray_sort(pairs, list->n, sizeof *pairs, by_key, e->arena);
    dray_cel_value *out = DRAY_NEW_N(e->arena, dray_cel_value, list->n);
    for (size_t i = 0; i < list->n; i++)
        out[i] = pairs[i].value;
    return dray_cel_of_list(e->arena, out, list->n);
}

FN(sort) {
    return args[0].list->n == 0 ? args[0] : sort_by(e, args[0].list, args[0].list);
}

FN(sort_by_keys) {
    if (args[1].kind != DRAY_CEL_LIST)
        return dray_cel_no_overload;
    if (args[0].list->n == 0 && args[1].list->n == 0)
        return args[0];
    return args[1].list->n == 0 ? dray_cel_fail(e->arena, "list elements must be comparable")
                                : sort_by(e, args[0].list, args[1].list);
}

FN(range) {
    int64_t count = args[0].i;
    if (count < 0)
        return dray_cel_failf(e->arena, "lists.range: size must be non-negative, got %lld",
                              (long long)count);
    dray_cel_value error;
    if (dray_cel_eval_over(e, allocating(e, 1, (uint64_t)count)))
        return dray_cel_no_overload;
    if (dray_cel_eval_too_big(e, (uint64_t)count, &error))
        return error;
    dray_cel_value *v = DRAY_NEW_N(e->arena, dray_cel_value, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++)
        v[i] = dray_cel_of_int(i);
    return dray_cel_of_list(e->arena, v, (size_t)count);
}

FN(reverse) {
    const dray_cel_list *list = args[0].list;
    dray_cel_value *v = DRAY_NEW_N(e->arena, dray_cel_value, list->n + 1);
    for (size_t i = 0; i < list->n; i++)
        v[i] = list->v[list->n - 1 - i];
    return dray_cel_of_list(e->arena, v, list->n);
}

FN(distinct) {
    const dray_cel_list *list = args[0].list;
    if (dray_cel_eval_over(e, self_compare(e, args[0])))
        return dray_cel_no_overload;
    dray_cel_value *v = DRAY_NEW_N(e->arena, dray_cel_value, list->n + 1);
    size_t count = 0;
    for (size_t i = 0; i < list->n; i++) {
        bool seen = false;
        for (size_t j = 0; j < count && !seen; j++)
            seen = i != j && dray_cel_eval_same(e, list->v[i], v[j]);
        if (!seen)
            v[count++] = list->v[i];
    }
    return dray_cel_of_list(e->arena, v, count);
}

/* --- sets --- */

static uint64_t product(const dray_cel_value *args, double factor) {
    uint64_t both;
    if (__builtin_mul_overflow(dray_cel_size_of(args[0]), dray_cel_size_of(args[1]), &both))
        return UINT64_MAX - 1;
    return 1 + (uint64_t)((double)both * factor);
}

static bool holds(dray_cel_eval *e, const dray_cel_list *list, dray_cel_value v) {
    for (size_t i = 0; i < list->n; i++)
        if (dray_cel_eval_same(e, v, list->v[i]))
            return true;
    return false;
}

static bool holds_all(dray_cel_eval *e, const dray_cel_list *list, const dray_cel_list *of) {
    for (size_t i = 0; i < of->n; i++)
        if (!holds(e, list, of->v[i]))
            return false;
    return true;
}

FN(sets_contains) {
    if (dray_cel_eval_over(e, product(args, 1)))
        return dray_cel_no_overload;
    return dray_cel_of_bool(holds_all(e, args[0].list, args[1].list));
}

FN(sets_equivalent) {
    if (dray_cel_eval_over(e, product(args, 2)))
        return dray_cel_no_overload;
    return dray_cel_of_bool(holds_all(e, args[0].list, args[1].list) &&
                            holds_all(e, args[1].list, args[0].list));
}

FN(sets_intersects) {
    if (dray_cel_eval_over(e, product(args, 1)))
        return dray_cel_no_overload;
    for (size_t i = 0; i < args[0].list->n; i++)
        if (holds(e, args[1].list, args[0].list->v[i]))
            return dray_cel_true;
    return dray_cel_false;
}

/* --- costs --- */

TRACK(by_result) {
    return allocating(e, 1, dray_cel_size_of(*result));
}
TRACK(by_depth) {
    double depth = n == 2 && args[1].kind == DRAY_CEL_INT ? (double)args[1].i : 1;
    return allocating(e, depth, dray_cel_size_of(args[0]));
}

TRACK(by_first) {
    return self_compare(e, args[0]);
}
TRACK(by_keys) {
    return self_compare(e, args[1]);
}

TRACK(once) {
    return product(args, 1);
}
TRACK(twice) {
    return product(args, 2);
}

#define FIRST DRAY_CEL_I_TRACK_FIRST
#define OF_EACH(row)                                                                      \
    row("int"), row("uint"), row("double"), row("bool"), row("google.protobuf.Duration"), \
        row("google.protobuf.Timestamp"), row("string"), row("bytes"), row("duration"),   \
        row("timestamp")
#define SORT(type) {"list_" type "_sort", NULL, by_first, FIRST}
#define SORT_BY(type) {"list_" type "_sortByAssociatedKeys", NULL, by_keys, FIRST}

static const dray_cel_impl_row functions[] = {
    {"sort", sort, NULL, 0, 1u << DRAY_CEL_LIST},
    {"@sortByAssociatedKeys", sort_by_keys, NULL, 0, 1u << DRAY_CEL_LIST},
};

static const dray_cel_impl_row overloads[] = {
    {"list_slice", slice, by_result, FIRST},
    {"list_flatten", flatten, by_depth, FIRST | DRAY_CEL_I_NO_GUARD},
    {"list_flatten_int", flatten, by_depth, FIRST | DRAY_CEL_I_NO_GUARD},
    {"lists_range", range, by_result, FIRST},
    {"list_reverse", reverse, by_result, FIRST},
    {"list_distinct", distinct, by_first, FIRST},
    OF_EACH(SORT),
    OF_EACH(SORT_BY),
    {"list_sets_contains_list", sets_contains, once, FIRST},
    {"list_sets_equivalent_list", sets_equivalent, twice, FIRST},
    {"list_sets_intersects_list", sets_intersects, once, FIRST},
};

const dray_cel_impl_table dray_cel_impls_lists = {functions, DRAY_COUNT(functions), overloads,
                                                  DRAY_COUNT(overloads)};
