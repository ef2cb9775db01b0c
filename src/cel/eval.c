/* The evaluator: a walk over a planned program. Costs are charged where cel-go's interpreter
 * observes a step: one for each qualifier and each attribute's root, what its tracker says for a
 * call whose arguments were all evaluated, 10 and 30 for lists and maps that are made. */
#include "cel/eval_int.h"

#include "base/utf8.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

enum { ERROR_WORK = 4 }; /* of an error that may be absorbed: see DRAY_CEL_EVAL_WORK */

/* --- small things --- */

uint64_t dray_cel_scaled(uint64_t n, double factor) {
    double product = (double)n * factor;
    uint64_t whole = product >= 0x1p64 ? UINT64_MAX : (uint64_t)product;
    return (double)whole < product ? whole + 1 : whole;
}

dray_cel_value dray_cel_eval_stop(dray_cel_eval *e, const char *text) {
    if (!e->stopped) {
        e->stopped = true;
        e->stop_text = text;
    }
    return dray_cel_no_overload;
}

dray_cel_value dray_cel_eval_no_hash(dray_cel_eval *e, dray_cel_value key) {
    return dray_cel_eval_stop(
        e, dray_strf(e->arena, "internal error: runtime error: hash of unhashable type %s",
                     dray_cel_go_type(key))
               .p);
}

bool dray_cel_eval_tired(dray_cel_eval *e) {
    e->work = 0;
    dray_cel_eval_stop(e, "evaluation takes too long");
    return false;
}

dray_cel_value dray_cel_eval_full(dray_cel_eval *e) {
    return dray_cel_eval_stop(e, "evaluation needs too much memory");
}

bool dray_cel_eval_fits(dray_cel_eval *e, uint64_t bytes) {
    if (bytes <= UINT32_MAX && dray_arena_fits(e->arena, bytes))
        return true;
    dray_cel_eval_full(e);
    return false;
}

bool dray_cel_eval_result_over(dray_cel_eval *e, const dray_cel_value *args, uint32_t n,
                               dray_cel_value result) {
    const dray_cel_call_node *call = (const dray_cel_call_node *)e->site;
    return call->track != NULL && dray_cel_eval_over(e, call->track(e, args, n, &result));
}

/* The sizes that have been counted, each at a place that its text decides. */
struct dray_cel_sizes {
    struct {
        const char *s;
        uint32_t n, points;
    } v[8];
};

uint64_t dray_cel_eval_count(dray_cel_eval *e, dray_cel_value text) {
    e->first_kept = 0; /* what is remembered goes by place */
    if (e->sizes == NULL)
        e->sizes = DRAY_NEW(e->arena, struct dray_cel_sizes);
    uint32_t at = ((uint32_t)((uintptr_t)text.s >> 4) ^ text.n) % DRAY_COUNT(e->sizes->v);
    if (e->sizes->v[at].s == text.s && e->sizes->v[at].n == text.n)
        return e->sizes->v[at].points;
    if (!dray_cel_eval_work(e, text.n / 64))
        return text.n;
    e->sizes->v[at].s = text.s;
    e->sizes->v[at].n = text.n;
    return e->sizes->v[at].points = (uint32_t)dray_utf8_count(dray_cel_str(text));
}

static bool is_text(dray_cel_value v) {
    return v.kind == DRAY_CEL_STRING || v.kind == DRAY_CEL_BYTES;
}

/* What comparing two values of one kind, texts of one length, may take. */
static uint64_t compare_work(dray_cel_value a, dray_cel_value b) {
    if (is_text(a))
        return a.n / 64;
    uint64_t weight = dray_cel_weight(a), other = dray_cel_weight(b);
    if (a.kind == DRAY_CEL_LIST && a.list->n != b.list->n)
        return 1;
    if (a.kind == DRAY_CEL_MAP)
        return a.map->n != b.map->n ? 1 : 4 * (other < weight ? other : weight);
    return other < weight ? other : weight;
}

/* Two texts of ASCII, as nearly all are. */
static inline bool both_plain(dray_cel_value a, dray_cel_value b) {
    return a.kind == DRAY_CEL_STRING && b.kind == DRAY_CEL_STRING && a.flags == DRAY_CEL_ASCII &&
           b.flags == DRAY_CEL_ASCII;
}

dray_cel_value dray_cel_eval_compare(dray_cel_eval *e, dray_cel_value a, dray_cel_value b) {
    enum { SHORT = 256 };
    if (both_plain(a, b) && a.n < SHORT)
        return dray_cel_of_bool(a.n == b.n && memcmp(a.s, b.s, a.n) == 0);
    if (a.kind != b.kind || a.kind < DRAY_CEL_STRING)
        return dray_cel_equal(a, b);
    if (is_text(a) && a.n != b.n)
        return e->stopped ? dray_cel_no_overload : dray_cel_false;
    if (dray_cel_is_unwritten(a) || dray_cel_is_unwritten(b)) {
        a = dray_cel_is_unwritten(a) ? dray_cel_eval_written(e, a) : a;
        b = dray_cel_is_unwritten(b) ? dray_cel_eval_written(e, b) : b;
    }
    if (e->stopped || !dray_cel_eval_work(e, compare_work(a, b)))
        return dray_cel_no_overload;
    return dray_cel_equal(a, b);
}

/* The index of the first value that may be the int i; n: none may. */
static size_t find_int(const dray_cel_value *v, size_t n, int64_t i) {
    size_t at = 0;
    while (at < n && (v[at].kind == DRAY_CEL_INT ? v[at].i != i : !dray_cel_is_number(v[at])))
        at++;
    return at;
}

static size_t find_text(const dray_cel_value *v, size_t n, dray_cel_value text) {
    size_t at = 0;
    while (at < n && !(v[at].kind == DRAY_CEL_STRING && v[at].n == text.n &&
                       (text.n == 0 || v[at].s[0] == text.s[0])))
        at++;
    return at;
}

bool dray_cel_eval_holds(dray_cel_eval *e, const dray_cel_list *list, dray_cel_value v) {
    dray_cel_walk walk = dray_cel_walk_of(list);
    while (walk.at != walk.end || dray_cel_walk_run(&walk)) {
        size_t n = (size_t)(walk.end - walk.at);
        if (v.kind == DRAY_CEL_INT)
            walk.at += find_int(walk.at, n, v.i);
        else if (v.kind == DRAY_CEL_STRING)
            walk.at += find_text(walk.at, n, v);
        if (walk.at == walk.end)
            continue;
        if (dray_cel_eval_same(e, v, *walk.at++))
            return true;
        if (e->stopped)
            return false;
    }
    return false;
}

bool dray_cel_eval_over(dray_cel_eval *e, uint64_t cost) {
    uint64_t left = e->limit - (e->cost < e->limit ? e->cost : e->limit);
    if (cost <= left)
        return false;
    e->cost += cost;
    e->stopped = true;
    return true;
}

dray_str dray_cel_eval_function(const dray_cel_eval *e) {
    return ((const dray_cel_call_node *)e->site)->function;
}

const dray_cel_regex *dray_cel_eval_regex(dray_cel_eval *e, dray_cel_value pattern,
                                          const char **ret_why) {
    const dray_cel_call_node *call = (const dray_cel_call_node *)e->site;
    if (call != NULL && call->regex != NULL)
        return call->regex;
    if (e->last_regex != NULL && dray_str_eq(e->last_pattern, dray_cel_str(pattern)))
        return e->last_regex;
    enum { PATTERN_WORK = 1500, STEP_WORK = 12 };
    dray_cel_regex *re;
    char *why = NULL;
    *ret_why = "";
    if (!dray_cel_eval_work(e, PATTERN_WORK + STEP_WORK * (uint64_t)pattern.n))
        return NULL;
    if (!dray_cel_regex_new(pattern.s, pattern.n, &re, &why)) {
        *ret_why = dray_str_dup(e->arena, dray_str_of(why)).p;
        free(why);
        return NULL;
    }
    dray_cel_regex_free(e->last_regex);
    dray_cel_eval_work(e, STEP_WORK * dray_cel_regex_size(re));
    e->first_kept = 0;
    e->last_regex = re;
    e->last_pattern = dray_str_dup(e->arena, dray_cel_str(pattern));
    return re;
}

/* --- constants and names --- */

dray_cel_value dray_cel_eval_const(const dray_cel_node *node, dray_cel_eval *e) {
    return ((const dray_cel_const_node *)node)->value;
}

dray_cel_value dray_cel_eval_const_cost(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_const_node *n = (const dray_cel_const_node *)node;
    dray_cel_charge(e, n->cost);
    return n->value;
}

/* An accumulator starts when it is first read: an error of an init that nobody reads is no error.
 * An empty list or map becomes one that may grow. */
static dray_cel_value read_local(dray_cel_eval *e, uint32_t slot) {
    dray_cel_value v = e->locals[slot];
    if (__builtin_expect(v.kind != DRAY_CEL_LAZY, 1))
        return v;
    const dray_cel_node *init = e->program->inits[slot];
    v = init->eval(init, e);
    if (v.kind == DRAY_CEL_MAP && v.map->n == 0)
        v = dray_cel_of_map(dray_cel_map_new(e->arena, 0));
    e->locals[slot] = v;
    if (slot < e->first_kept)
        e->first_kept = slot;
    return v;
}

dray_cel_value dray_cel_eval_local(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_attr *attr = (const dray_cel_attr *)node;
    dray_cel_value v = read_local(e, attr->slot);
    if (__builtin_expect(v.kind == DRAY_CEL_OPTIONAL, 0))
        v = dray_cel_resolve(attr, e);
    dray_cel_charge(e, 1);
    return v;
}

/* --- attributes --- */

typedef enum step_result { FOUND, ABSENT, FAILED } step_result;

static step_result fail(dray_cel_value *v, dray_cel_value error) {
    *v = error;
    return FAILED;
}

/* *v[key] of a list; numbers that are whole are indices. */
static step_result index_list(dray_cel_value *v, dray_cel_value key, bool test, dray_cel_eval *e) {
    int64_t at;
    if (key.kind == DRAY_CEL_INT) {
        at = key.i;
    } else if (key.kind == DRAY_CEL_UINT || key.kind == DRAY_CEL_DOUBLE) {
        bool whole = key.kind == DRAY_CEL_UINT
                         ? key.u <= INT64_MAX
                         : key.d >= -0x1p63 && key.d < 0x1p63 && key.d == trunc(key.d);
        if (!whole) {
            DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
            dray_cel_print_value(&text, key);
            return fail(v, dray_cel_failf(e->arena, "unsupported index value " DRAY_FMT " in list",
                                          DRAY_ARG(dray_buf_str(&text))));
        }
        at = key.kind == DRAY_CEL_UINT ? (int64_t)key.u : (int64_t)key.d;
    } else {
        return fail(v, dray_cel_failf(e->arena, "unsupported index type '" DRAY_FMT "' in list",
                                      DRAY_ARG(dray_cel_type_name(key))));
    }
    if (at >= 0 && (uint64_t)at < v->list->n) {
        *v = v->list->v != NULL ? v->list->v[at] : dray_cel_list_at(v->list, (size_t)at);
        return FOUND;
    }
    if (test)
        return ABSENT;
    return fail(v, dray_cel_fail_about(e->arena, DRAY_CEL_FAIL_BOUNDS, key));
}

/* One step into *v. With `test` what is not there is ABSENT, not an error. */
static step_result take_step(dray_cel_value *v, dray_cel_value key, bool test, dray_cel_eval *e) {
    switch (v->kind) {
    case DRAY_CEL_MAP: {
        const dray_cel_value *found = dray_cel_map_find(v->map, key);
        if (found != NULL) {
            *v = *found;
            return FOUND;
        }
        if (test)
            return ABSENT;
        break;
    }
    case DRAY_CEL_LIST:
        return index_list(v, key, test, e);
    case DRAY_CEL_ERROR:
        return FAILED;
    default:
        if (test && !e->program->presence_error)
            return ABSENT;
        break;
    }
    if (!dray_cel_eval_work(e, ERROR_WORK))
        return fail(v, dray_cel_no_overload);
    return fail(v, dray_cel_fail_about(e->arena, DRAY_CEL_FAIL_KEY, key));
}

static bool can_be_key(uint8_t kind) {
    return kind == DRAY_CEL_STRING || kind == DRAY_CEL_INT || kind == DRAY_CEL_UINT ||
           kind == DRAY_CEL_BOOL || kind == DRAY_CEL_DOUBLE;
}

/* One qualifier. `optional`: an earlier step or this one was written with a '?'. */
static step_result qualify(dray_cel_value *v, const dray_cel_qual *q, bool optional,
                           dray_cel_eval *e) {
    dray_cel_value key = q->key;
    step_result result;
    if (q->attr != NULL)
        key = dray_cel_resolve(q->attr, e);
    if (dray_cel_is_unwritten(key))
        key = dray_cel_eval_written(e, key);
    if (key.kind == DRAY_CEL_ERROR)
        result = fail(v, key);
    else if (!can_be_key(key.kind))
        result =
            fail(v, dray_cel_failf(e->arena, "invalid qualifier type: %s", dray_cel_go_type(key)));
    else
        result = take_step(v, key, optional || q->test_only, e);
    if (optional) {
        if (result == FOUND)
            dray_cel_charge(e, 1);
        return result;
    }
    dray_cel_charge(e, 1);
    if (q->test_only && result != FAILED) {
        *v = dray_cel_of_bool(result == FOUND);
        return FOUND;
    }
    return result;
}

/* What 0.26 makes of the content of an optional that it reads from a variable: the native value,
 * taken back. A type becomes its name; what wraps a Go value of its own an error, told when it is
 * used. */
static dray_cel_value native_again(dray_cel_value v, dray_cel_eval *e) {
    if (v.kind == DRAY_CEL_TYPE)
        return dray_cel_of_str(dray_cel_str(v));
    if (v.kind != DRAY_CEL_OPAQUE || v.opaque->type->native == NULL)
        return v;
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    v.opaque->type->print(&text, v.opaque);
    return dray_cel_failf(e->arena, "unsupported conversion to ref.Val: (%s)%s",
                          v.opaque->type->native, dray_buf_cstr(&text));
}

static dray_cel_value apply_quals(dray_cel_value v, const dray_cel_attr *attr, dray_cel_eval *e) {
    bool optional = v.kind == DRAY_CEL_OPTIONAL;
    if (optional) {
        if (v.inner == NULL)
            return v;
        v = *v.inner;
        /* 0.26 takes the native value, which is that of the innermost optional. */
        while (e->profile == DRAY_CEL_026 && v.kind == DRAY_CEL_OPTIONAL)
            v = v.inner != NULL ? *v.inner : dray_cel_null_value;
        if (e->profile == DRAY_CEL_026)
            v = native_again(v, e);
    }
    for (uint32_t i = 0; i < attr->n; i++) {
        const dray_cel_qual *q = &attr->quals[i];
        if (v.kind == DRAY_CEL_OPTIONAL && e->program->runtime->spec) {
            if (v.inner == NULL)
                return v;
            v = *v.inner;
            optional = true;
        }
        optional = optional || q->optional;
        switch (qualify(&v, q, optional, e)) {
        case FOUND:
            break;
        case ABSENT:
            return dray_cel_none;
        case FAILED:
            return v;
        }
    }
    return optional ? dray_cel_some(e->arena, v) : v;
}

static dray_cel_value unknown_attribute(const dray_cel_attr *attr, dray_cel_eval *e) {
    dray_cel_value error = dray_cel_fail_about(e->arena, DRAY_CEL_FAIL_ATTRIBUTE, dray_cel_none);
    ((dray_cel_failure *)error.failure)->text = attr->names;
    return error;
}

/* The first candidate that names something; what is wrong further in is an error at once. */
static dray_cel_value resolve_maybe(const dray_cel_attr *attr, dray_cel_eval *e) {
    dray_cel_value first = dray_cel_no_overload;
    for (uint32_t i = 0; i < attr->n_maybe; i++) {
        dray_cel_value v = dray_cel_resolve(attr->maybe[i], e);
        if (v.kind != DRAY_CEL_ERROR || v.failure->kind != DRAY_CEL_FAIL_ATTRIBUTE)
            return v;
        if (i == 0)
            first = v;
    }
    return first;
}

dray_cel_value dray_cel_resolve(const dray_cel_attr *attr, dray_cel_eval *e) {
    dray_cel_value v;
    switch (attr->root) {
    case DRAY_CEL_ROOT_VARIABLE:
        v = e->variables[attr->slot];
        if (v.kind == DRAY_CEL_UNSET)
            return unknown_attribute(attr, e);
        break;
    case DRAY_CEL_ROOT_LOCAL:
        v = read_local(e, attr->slot);
        break;
    case DRAY_CEL_ROOT_NODE:
        v = attr->operand->eval(attr->operand, e);
        break;
    case DRAY_CEL_ROOT_IF:
        v = attr->operand->eval(attr->operand, e);
        if (v.kind != DRAY_CEL_BOOL)
            return dray_cel_maybe_overload(v);
        return dray_cel_resolve(v.b ? attr->yes : attr->no, e);
    case DRAY_CEL_ROOT_MAYBE:
        return resolve_maybe(attr, e);
    default:
        return unknown_attribute(attr, e);
    }
    if (v.kind == DRAY_CEL_ERROR || (attr->n == 0 && v.kind != DRAY_CEL_OPTIONAL))
        return v;
    return apply_quals(v, attr, e);
}

dray_cel_value dray_cel_eval_attr(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_attr *attr = (const dray_cel_attr *)node;
    dray_cel_value v = dray_cel_resolve(attr, e);
    if (attr->test_only) {
        if (v.kind == DRAY_CEL_OPTIONAL)
            v = dray_cel_of_bool(v.inner != NULL);
        /* has() takes back the unit of its operand, which ?: never had. */
        if (attr->root == DRAY_CEL_ROOT_IF)
            dray_cel_charge(e, UINT64_MAX); /* −1: from 0 on past every limit, as upstream */
        return v;
    }
    if (attr->root != DRAY_CEL_ROOT_IF)
        dray_cel_charge(e, 1);
    return v;
}

/* A variable and constant names into maps: device.attributes["d"].x */
dray_cel_value dray_cel_eval_path(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_attr *attr = (const dray_cel_attr *)node;
    const dray_cel_value *v = &e->variables[attr->slot];
    for (uint32_t i = 0; i < attr->n; i++) {
        if (__builtin_expect(v->kind != DRAY_CEL_MAP, 0))
            return dray_cel_eval_attr(node, e);
        const dray_cel_qual *q = &attr->quals[i];
        v = dray_cel_map_find_text(v->map, dray_cel_str(q->key), q->hash);
        if (__builtin_expect(v == NULL, 0))
            return dray_cel_eval_attr(node, e);
    }
    if (__builtin_expect(v->kind == DRAY_CEL_OPTIONAL, 0))
        return dray_cel_eval_attr(node, e);
    dray_cel_charge_units(e, attr->n + 1);
    return *v;
}

/* --- logic --- */

/* `stop` decides at once; otherwise the first error, or what is no bool, is the result. */
static inline dray_cel_value eval_terms(const dray_cel_node *node, dray_cel_eval *e, bool stop) {
    const dray_cel_terms *n = (const dray_cel_terms *)node;
    dray_cel_value error = {.kind = DRAY_CEL_BOOL};
    for (uint32_t i = 0; i < n->n; i++) {
        dray_cel_value v = n->v[i]->eval(n->v[i], e);
        if (v.kind == DRAY_CEL_BOOL) {
            if (v.b == stop)
                return v;
        } else if (error.kind == DRAY_CEL_BOOL) {
            error = dray_cel_maybe_overload(v);
            (void)dray_cel_eval_work(e, ERROR_WORK);
        }
        if (__builtin_expect(e->stopped, 0))
            return dray_cel_no_overload;
    }
    return error.kind == DRAY_CEL_BOOL ? dray_cel_of_bool(!stop) : error;
}

dray_cel_value dray_cel_eval_and(const dray_cel_node *node, dray_cel_eval *e) {
    return eval_terms(node, e, false);
}

dray_cel_value dray_cel_eval_or(const dray_cel_node *node, dray_cel_eval *e) {
    return eval_terms(node, e, true);
}

dray_cel_value dray_cel_eval_not(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_node *a = ((const dray_cel_binary *)node)->a;
    dray_cel_value v = a->eval(a, e);
    dray_cel_charge(e, 1);
    return v.kind == DRAY_CEL_BOOL ? dray_cel_of_bool(!v.b) : dray_cel_maybe_overload(v);
}

static uint64_t equal_cost(dray_cel_eval *e, dray_cel_value a, dray_cel_value b,
                           bool opaque_is_one) {
    uint64_t n, m;
    if (both_plain(a, b)) {
        n = a.n;
        m = b.n;
    } else {
        if (a.kind == DRAY_CEL_OPAQUE && opaque_is_one)
            return 1;
        n = dray_cel_eval_size(e, a);
        m = dray_cel_eval_size(e, b);
    }
    n = n < m ? n : m;
    return n <= 10 ? n > 0 : dray_cel_scaled(n, 0.1);
}

dray_cel_value dray_cel_eval_equal(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_binary *n = (const dray_cel_binary *)node;
    dray_cel_value a = n->a->eval(n->a, e);
    dray_cel_value b = n->b->eval(n->b, e);
    if (__builtin_expect(e->stopped, 0))
        return dray_cel_no_overload;
    dray_cel_charge(e, equal_cost(e, a, b, true));
    if (a.kind == DRAY_CEL_ERROR)
        return a;
    if (b.kind == DRAY_CEL_ERROR)
        return b;
    return dray_cel_eval_compare(e, a, b);
}

/* == or != with a constant; what is neither of its kind nor simple goes the long way. */
dray_cel_value dray_cel_eval_equal_known(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_equal_const *n = (const dray_cel_equal_const *)node;
    dray_cel_value a = n->a->eval(n->a, e), b = n->value;
    if (__builtin_expect(e->stopped, 0))
        return dray_cel_no_overload;
    if (a.kind == DRAY_CEL_STRING && b.kind == DRAY_CEL_STRING && a.flags == DRAY_CEL_ASCII) {
        uint64_t size = a.n < n->size ? a.n : n->size;
        dray_cel_charge(e, size <= 10 ? size > 0 : dray_cel_scaled(size, 0.1));
        bool same = a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
        return dray_cel_of_bool(same != n->negate);
    }
    dray_cel_charge(e, equal_cost(e, a, b, !n->negate));
    if (a.kind == DRAY_CEL_ERROR)
        return a;
    if (a.kind == b.kind && (a.kind == DRAY_CEL_INT || a.kind == DRAY_CEL_BOOL))
        return dray_cel_of_bool((a.i == b.i) != n->negate);
    if (n->negate)
        return dray_cel_of_bool(!dray_cel_eval_same(e, a, b));
    return dray_cel_eval_compare(e, a, b);
}

dray_cel_value dray_cel_eval_not_equal(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_binary *n = (const dray_cel_binary *)node;
    dray_cel_value a = n->a->eval(n->a, e);
    dray_cel_value b = n->b->eval(n->b, e);
    if (__builtin_expect(e->stopped, 0))
        return dray_cel_no_overload;
    dray_cel_charge(e, equal_cost(e, a, b, false));
    if (a.kind == DRAY_CEL_ERROR)
        return a;
    if (b.kind == DRAY_CEL_ERROR)
        return b;
    return dray_cel_of_bool(
        !dray_cel_eval_same(e, a, b)); /* an error counts as unequal, as upstream */
}

/* x in [constants]: costs nothing itself. */
dray_cel_value dray_cel_eval_in_set(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_binary *n = (const dray_cel_binary *)node;
    dray_cel_value v = n->a->eval(n->a, e);
    if (v.kind == DRAY_CEL_ERROR)
        return v;
    if (!dray_cel_can_hash(v))
        return dray_cel_eval_no_hash(e, v);
    if (dray_cel_is_unwritten(v))
        v = dray_cel_eval_written(e, v);
    const dray_cel_list *list = ((const dray_cel_const_node *)n->b)->value.list;
    for (size_t i = 0; i < list->n; i++)
        if (dray_cel_same(list->v[i], v))
            return dray_cel_true;
    return dray_cel_false;
}

/* or() and orValue() of anything else: 0.26 lets it pass. */
static dray_cel_value not_optional(dray_cel_value v, dray_cel_eval *e) {
    return e->profile == DRAY_CEL_026 ? v : dray_cel_no_overload;
}

dray_cel_value dray_cel_eval_opt_or(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_binary *n = (const dray_cel_binary *)node;
    dray_cel_value v = n->a->eval(n->a, e);
    if (v.kind == DRAY_CEL_ERROR)
        return v;
    if (v.kind != DRAY_CEL_OPTIONAL)
        return not_optional(v, e);
    return v.inner != NULL ? v : n->b->eval(n->b, e);
}

dray_cel_value dray_cel_eval_opt_or_value(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_binary *n = (const dray_cel_binary *)node;
    dray_cel_value v = n->a->eval(n->a, e);
    if (v.kind == DRAY_CEL_ERROR)
        return v;
    if (v.kind != DRAY_CEL_OPTIONAL)
        return not_optional(v, e);
    enum { NONE_WORK = 5 };
    if (v.inner != NULL)
        return *v.inner;
    return dray_cel_eval_work(e, NONE_WORK) ? n->b->eval(n->b, e) : dray_cel_no_overload;
}

/* --- calls --- */

static dray_cel_value fail_signature(dray_cel_eval *e, dray_str function,
                                     const dray_cel_value *args, uint32_t n) {
    dray_cel_value error = dray_cel_fail_about(e->arena, DRAY_CEL_FAIL_SIGNATURE, dray_cel_none);
    dray_cel_failure *failure = (dray_cel_failure *)error.failure;
    dray_cel_value *copy = DRAY_NEW_N(e->arena, dray_cel_value, n);
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == DRAY_CEL_ERROR)
            return args[i];
        copy[i] = args[i];
    }
    failure->text = function;
    failure->args = copy;
    failure->n_args = n;
    return error;
}

static bool fits_all(const dray_cel_overload *overload, const dray_cel_value *args, uint32_t n) {
    if (overload->n_params != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == DRAY_CEL_ERROR || !dray_cel_fits(overload->params[i], args[i]))
            return false;
    return true;
}

/* The first overload that takes these arguments. */
static dray_cel_value dispatch(const dray_cel_call_node *call, dray_cel_eval *e,
                               const dray_cel_value *args) {
    const dray_cel_function *f = call->dispatch;
    for (uint32_t i = 0; i < f->n_overloads; i++) {
        const dray_cel_overload *overload = &f->overloads[i];
        const dray_cel_bound *bound = &call->runtime->overloads[overload->index];
        if (bound->impl == NULL || overload->n_params != call->n)
            continue;
        if ((bound->flags & DRAY_CEL_I_NO_GUARD) || fits_all(overload, args, call->n))
            return bound->impl(e, args, call->n);
    }
    return fail_signature(e, call->function, args, call->n);
}

/* What has no code for its first argument: types with methods of their own answer otherwise. */
static dray_cel_value no_trait(const dray_cel_call_node *call, dray_cel_eval *e,
                               dray_cel_value first) {
    if (first.kind == DRAY_CEL_STRING || first.kind == DRAY_CEL_TIMESTAMP ||
        first.kind == DRAY_CEL_DURATION)
        return dray_cel_no_overload;
    dray_cel_value error = dray_cel_fail_about(e->arena, DRAY_CEL_FAIL_OVERLOAD_OF, dray_cel_none);
    ((dray_cel_failure *)error.failure)->text = call->function;
    return error;
}

/* Where something is to be found out first. */
static dray_cel_value call_with_care(const dray_cel_call_node *call, dray_cel_eval *e,
                                     const dray_cel_value *args) {
    /* With a constant pattern no overload is looked for. */
    if (call->regex != NULL && args[0].kind != DRAY_CEL_STRING)
        return args[0].kind == DRAY_CEL_ERROR ? args[0] : dray_cel_no_overload;
    if (call->dispatch != NULL)
        return dispatch(call, e, args);
    if (call->impl == NULL || (call->mask != 0 && !(call->mask >> args[0].kind & 1)))
        return no_trait(call, e, call->n > 0 ? args[0] : dray_cel_none);
    if (call->guarded && !fits_all(call->overload, args, call->n))
        return fail_signature(e, call->function, args, call->n);
    return call->impl(e, args, call->n);
}

/* Writes the texts that are not written yet. */
__attribute__((noinline, cold)) static void write_all(const dray_cel_call_node *call,
                                                      dray_cel_eval *e, dray_cel_value *args) {
    for (uint32_t i = 0; i < call->n; i++)
        if (dray_cel_is_unwritten(args[i]) && !(call->flags & DRAY_CEL_I_UNREAD))
            args[i] = dray_cel_eval_written(e, args[i]);
}

static inline dray_cel_value call_now(const dray_cel_call_node *call, dray_cel_eval *e,
                                      dray_cel_value *args) {
    if (__builtin_expect(e->unwritten, 0)) {
        write_all(call, e, args);
        if (e->stopped)
            return dray_cel_no_overload;
    }
    e->site = &call->node;
    if (__builtin_expect(!call->plain || (call->mask != 0 && !(call->mask >> args[0].kind & 1)), 0))
        return call_with_care(call, e, args);
    return call->impl(e, args, call->n);
}

static uint64_t call_cost(const dray_cel_call_node *call, dray_cel_eval *e,
                          const dray_cel_value *args, const dray_cel_value *result) {
    uint64_t cost = call->track(e, args, call->n, result);
    return cost == DRAY_CEL_TRACK_NONE ? 1 : cost;
}

/* What was an error among the arguments is the result. */
__attribute__((noinline, cold)) static dray_cel_value failed_call(const dray_cel_call_node *call,
                                                                  dray_cel_eval *e,
                                                                  const dray_cel_value *args,
                                                                  uint32_t error) {
    dray_cel_charge(e, call->track == NULL ? 1 : call_cost(call, e, args, &args[error]));
    return args[error];
}

static inline dray_cel_value call_charged(const dray_cel_call_node *call, dray_cel_eval *e,
                                          dray_cel_value *args) {
    /* What depends on the arguments alone is known before the work is begun; but what ends the
     * evaluation by itself is not charged for. */
    uint64_t cost = call->track == NULL ? 1 : call_cost(call, e, args, NULL);
    if (call->track != NULL && cost != DRAY_CEL_TRACK_LATER && dray_cel_eval_over(e, cost))
        return dray_cel_no_overload;
    dray_cel_value result = call_now(call, e, args);
    if (cost == DRAY_CEL_TRACK_LATER)
        cost = call_cost(call, e, args, &result);
    dray_cel_charge(e, cost);
    return result;
}

dray_cel_value dray_cel_eval_called(const dray_cel_call_node *call, dray_cel_eval *e,
                                    dray_cel_value *args) {
    if (__builtin_expect(e->stopped, 0))
        return dray_cel_no_overload;
    if (!(call->flags & DRAY_CEL_I_NONSTRICT))
        for (uint32_t i = 0; i < call->n; i++)
            if (args[i].kind == DRAY_CEL_ERROR)
                return failed_call(call, e, args, i);
    return call_charged(call, e, args);
}

dray_cel_value dray_cel_eval_call(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_call_node *call = (const dray_cel_call_node *)node;
    dray_cel_value args[DRAY_CEL_MAX_ARGS];
    int64_t error = -1;
    bool strict = !(call->flags & DRAY_CEL_I_NONSTRICT);
    for (uint32_t i = 0; i < call->n; i++) {
        args[i] = call->args[i]->eval(call->args[i], e);
        if (__builtin_expect(args[i].kind == DRAY_CEL_ERROR, 0) && strict && error < 0) {
            error = i;
            if (call->array && i + 1 < call->n)
                return args[i]; /* arguments are missing: nothing is charged */
        }
    }
    if (__builtin_expect(e->stopped, 0))
        return dray_cel_no_overload;
    if (__builtin_expect(error >= 0, 0))
        return failed_call(call, e, args, (uint32_t)error);
    return call_charged(call, e, args);
}

/* --- a run --- */

/* A result that its reader can walk over, or the error of what has ended the evaluation. */
__attribute__((noinline, cold)) static dray_cel_value finished(dray_cel_eval *e, dray_cel_value v) {
    if (dray_cel_is_unwritten(v))
        v = dray_cel_eval_written(e, v);
    if (dray_cel_weight(v) > DRAY_CEL_EVAL_WORK)
        dray_cel_eval_full(e);
    if (e->stopped)
        return dray_cel_fail(e->arena, e->stop_text != NULL
                                           ? e->stop_text
                                           : "operation cancelled: actual cost limit exceeded");
    return v;
}

dray_cel_value dray_cel_run(const dray_cel_program *program, dray_cel_eval *e) {
    enum { ON_STACK = 32 };
    dray_cel_value few[ON_STACK];
    e->program = program;
    e->profile = program->profile;
    e->cost = 0;
    e->stopped = false;
    e->stop_text = NULL;
    e->work = DRAY_CEL_EVAL_WORK;
    e->sizes = NULL;
    e->unwritten = false;
    e->first_kept = UINT32_MAX;
    e->last_regex = NULL;
    if (e->limit == 0)
        e->limit = UINT64_MAX;
    e->locals = program->n_locals <= ON_STACK
                    ? few
                    : DRAY_NEW_N(e->arena, dray_cel_value, program->n_locals);
    dray_cel_value v = program->root->eval(program->root, e);
    e->locals = NULL;
    if (__builtin_expect(e->last_regex != NULL, 0))
        dray_cel_regex_free(e->last_regex);
    if (__builtin_expect(v.kind != DRAY_CEL_BOOL || e->stopped, 0))
        return finished(e, v);
    return v;
}

dray_arena *dray_cel_scratch_new(void) {
    dray_arena *arena = dray_arena_new(DRAY_CEL_EVAL_BYTES);
    dray_arena_keep(arena, 2 * DRAY_CEL_EVAL_BYTES);
    return arena;
}
