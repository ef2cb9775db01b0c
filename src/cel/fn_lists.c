/* The lists library (slice flatten sort sortBy distinct reverse range) and sets. */
#include "cel/eval_int.h"

#include "base/vec.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)
#define TRACK(name)                                                                \
    static uint64_t name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n, \
                         const dray_cel_value *result)

enum {
    FLATTEN_DEPTH = 1000,
    MAX_RANGE = 1000000, /* from 0.29 on */
    SORT_ROUNDS = 16,    /* how often a key of at most a million is compared, about */
};

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
    uint8_t kind = dray_cel_list_at(list.list, 0).kind;
    double factor = kind == DRAY_CEL_STRING || kind == DRAY_CEL_BYTES ? 2.1 : 2;
    if (__builtin_mul_overflow(size, size, &square))
        square = UINT64_MAX;
    return allocating(e, factor, square);
}
/* --- lists --- */

/* What slice() has against its arguments; NULL: nothing. */
static const char *slice_fault(const dray_cel_value *args) {
    if (args[1].i < 0 || args[2].i < 0)
        return "negative indexes not supported";
    if (args[1].i > args[2].i)
        return "start index must be less than or equal to end index";
    return (uint64_t)args[2].i > args[0].list->n ? "list is length" : NULL;
}

FN(slice) {
    const char *fault = slice_fault(args);
    if (fault == NULL) {
        size_t from = (size_t)args[1].i, count = (size_t)args[2].i - from;
        if (args[0].list->v == NULL && !dray_cel_eval_fits(e, count * sizeof(dray_cel_value)))
            return dray_cel_no_overload;
        return dray_cel_list_slice(e->arena, args[0].list, from, count);
    }
    long long from = args[1].i, to = args[2].i;
    if (from >= 0 && from <= to)
        return dray_cel_failf(e->arena, "cannot slice(%lld, %lld), %s %zu", from, to, fault,
                              args[0].list->n);
    return dray_cel_failf(e->arena, "cannot slice(%lld, %lld), %s", from, to, fault);
}

static bool flatten_into(dray_cel_eval *e, dray_cel_value *to, const dray_cel_list *list,
                         int64_t depth, int nested);

/* One element: a list is opened while depth lasts, and joined as it is at the end of it. */
static bool flatten_one(dray_cel_eval *e, dray_cel_value *to, dray_cel_value item, int64_t depth,
                        int nested) {
    if (item.kind == DRAY_CEL_LIST && depth > 1)
        return flatten_into(e, to, item.list, depth - 1, nested + 1);
    if (!dray_arena_fits(e->arena, 2 * sizeof item * (to->list->v != NULL ? to->list->n + 1 : 1)))
        return false; /* it may grow to twice its size */
    if (item.kind == DRAY_CEL_LIST && depth > 0)
        return dray_cel_list_concat(e->arena, *to, item, to);
    if (to->list->v == NULL && to->list->n > 0)
        return dray_cel_list_concat(
            e->arena, *to, dray_cel_of_list(e->arena, dray_cel_keep(e->arena, item), 1), to);
    *to = dray_cel_list_append(e->arena, *to, item);
    return true;
}

static bool flatten_into(dray_cel_eval *e, dray_cel_value *to, const dray_cel_list *list,
                         int64_t depth, int nested) {
    if (nested > FLATTEN_DEPTH || !dray_cel_eval_work(e, list->n))
        return false;
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *item; (item = dray_cel_walk_next(&walk)) != NULL;)
        if (!flatten_one(e, to, *item, depth, nested))
            return false;
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
    return flatten_into(e, &list, args[0].list, depth, 0) ? list : dray_cel_eval_full(e);
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
    /* Where the cost has no limit the size has none either. */
    if (!dray_cel_eval_fits(e, 5 * sizeof(dray_cel_value) * list->n))
        return dray_cel_no_overload;
    const dray_cel_value *key = dray_cel_list_flat(e->arena, keys);
    const dray_cel_value *item = dray_cel_list_flat(e->arena, list);
    if (!dray_cel_comparable(key[0]))
        return dray_cel_fail(e->arena, "list elements must be comparable");
    keyed *pairs = DRAY_NEW_N(e->arena, keyed, list->n);
    uint64_t work = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (key[i].kind != key[0].kind)
            return dray_cel_fail(e->arena, "list elements must have the same type");
        pairs[i] = (keyed){key[i], item[i]};
        work += dray_cel_weight(key[i]);
    }
    if (!dray_cel_eval_work(e, SORT_ROUNDS * work))
        return dray_cel_no_overload;
    dray_sort(pairs, list->n, sizeof *pairs, by_key, e->arena);
    dray_cel_value *out = dray_arena_room(e->arena, list->n * sizeof *out);
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

static bool is_too_long(const dray_cel_eval *e, int64_t count) {
    return count > MAX_RANGE && e->profile >= DRAY_CEL_029;
}

FN(range) {
    long long count = args[0].i;
    if (count < 0)
        return dray_cel_failf(e->arena, "lists.range: size must be non-negative, got %lld", count);
    if (is_too_long(e, count))
        return dray_cel_failf(e->arena, "lists.range: size %lld exceeds maximum allowed (%d)",
                              count, MAX_RANGE);
    return dray_cel_list_range(e->arena, (size_t)count);
}

FN(reverse) {
    const dray_cel_list *list = args[0].list;
    if (!dray_cel_eval_fits(e, list->n * sizeof(dray_cel_value)))
        return dray_cel_no_overload;
    dray_cel_value *v = dray_arena_room(e->arena, list->n * sizeof *v), *to = v + list->n;
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *item; (item = dray_cel_walk_next(&walk)) != NULL;)
        *--to = *item;
    return dray_cel_of_list(e->arena, v, list->n);
}

FN(distinct) {
    const dray_cel_list *list = args[0].list;
    if (!dray_cel_eval_fits(e, list->n * sizeof(dray_cel_value)))
        return dray_cel_no_overload;
    dray_cel_value *v = dray_arena_room(e->arena, list->n * sizeof *v);
    dray_cel_list seen = {.v = v};
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *item; (item = dray_cel_walk_next(&walk)) != NULL;) {
        if (!dray_cel_eval_holds(e, &seen, *item))
            v[seen.n++] = *item;
        if (e->stopped)
            return dray_cel_no_overload;
    }
    return dray_cel_of_list(e->arena, v, seen.n);
}

/* --- sets --- */

static bool holds_all(dray_cel_eval *e, const dray_cel_list *list, const dray_cel_list *of) {
    dray_cel_walk walk = dray_cel_walk_of(of);
    for (const dray_cel_value *item; (item = dray_cel_walk_next(&walk)) != NULL;)
        if (!dray_cel_eval_holds(e, list, *item))
            return false;
    return true;
}

FN(sets_contains) {
    return dray_cel_of_bool(holds_all(e, args[0].list, args[1].list));
}

FN(sets_equivalent) {
    return dray_cel_of_bool(holds_all(e, args[0].list, args[1].list) &&
                            holds_all(e, args[1].list, args[0].list));
}

FN(sets_intersects) {
    dray_cel_walk walk = dray_cel_walk_of(args[0].list);
    for (const dray_cel_value *item; (item = dray_cel_walk_next(&walk)) != NULL;)
        if (dray_cel_eval_holds(e, args[1].list, *item))
            return dray_cel_true;
    return dray_cel_false;
}

/* --- costs: what they need of the result is known from the arguments --- */

TRACK(by_size) {
    return allocating(e, 1, dray_cel_eval_size(e, args[0]));
}

TRACK(by_slice) {
    if (result != NULL)
        return allocating(e, 1, dray_cel_eval_size(e, *result));
    if (args[0].kind != DRAY_CEL_LIST || args[1].kind != DRAY_CEL_INT ||
        args[2].kind != DRAY_CEL_INT || slice_fault(args) != NULL)
        return DRAY_CEL_TRACK_LATER;
    return allocating(e, 1, (uint64_t)(args[2].i - args[1].i));
}

TRACK(by_range) {
    if (result != NULL)
        return allocating(e, 1, dray_cel_eval_size(e, *result));
    if (args[0].kind != DRAY_CEL_INT || args[0].i < 0 || is_too_long(e, args[0].i))
        return DRAY_CEL_TRACK_LATER;
    return allocating(e, 1, args[0].u);
}

TRACK(by_depth) {
    double depth = n == 2 && args[1].kind == DRAY_CEL_INT ? (double)args[1].i : 1;
    return allocating(e, depth, dray_cel_eval_size(e, args[0]));
}

TRACK(by_first) {
    return self_compare(e, args[0]);
}
TRACK(by_keys) {
    return self_compare(e, args[1]);
}

static uint64_t product(dray_cel_eval *e, const dray_cel_value *args, double factor) {
    uint64_t both;
    if (__builtin_mul_overflow(dray_cel_eval_size(e, args[0]), dray_cel_eval_size(e, args[1]),
                               &both))
        return UINT64_MAX - 1;
    return 1 + (uint64_t)((double)both * factor);
}

TRACK(once) {
    return product(e, args, 1);
}
TRACK(twice) {
    return product(e, args, 2);
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
    {"list_slice", slice, by_slice, FIRST},
    {"list_flatten", flatten, by_depth, FIRST | DRAY_CEL_I_NO_GUARD},
    {"list_flatten_int", flatten, by_depth, FIRST | DRAY_CEL_I_NO_GUARD},
    {"lists_range", range, by_range, FIRST},
    {"list_reverse", reverse, by_size, FIRST},
    {"list_distinct", distinct, by_first, FIRST},
    OF_EACH(SORT),
    OF_EACH(SORT_BY),
    {"list_sets_contains_list", sets_contains, once, FIRST},
    {"list_sets_equivalent_list", sets_equivalent, twice, FIRST},
    {"list_sets_intersects_list", sets_intersects, once, FIRST},
};

const dray_cel_impl_table dray_cel_impls_lists = {functions, DRAY_COUNT(functions), overloads,
                                                  DRAY_COUNT(overloads)};
