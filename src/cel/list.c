/* Lists: making, joining, walking. */
#include "cel/list.h"

static uint64_t add_weight(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t weight_of(const dray_cel_value *v, size_t n) {
    uint64_t weight = 0;
    for (size_t i = 0; i < n; i++)
        weight = add_weight(weight, dray_cel_weight(v[i]));
    return weight;
}

static dray_cel_value new_list(dray_arena *arena, dray_cel_list of) {
    dray_cel_list *list = dray_arena_room(arena, sizeof *list);
    *list = of;
    return (dray_cel_value){.kind = DRAY_CEL_LIST, .list = list};
}

const dray_cel_value *dray_cel_keep(dray_arena *arena, dray_cel_value v) {
    dray_cel_value *place = dray_arena_room(arena, sizeof *place);
    *place = v;
    return place;
}

dray_cel_value dray_cel_of_list(dray_arena *arena, const dray_cel_value *v, size_t n) {
    return new_list(arena,
                    (dray_cel_list){.n = n, .weight = add_weight(1, weight_of(v, n)), .v = v});
}

dray_cel_value dray_cel_list_range(dray_arena *arena, size_t n) {
    return n == 0 ? dray_cel_empty_list
                  : new_list(arena, (dray_cel_list){.n = n, .weight = add_weight(1, n)});
}

/* --- walking --- */

/* The run or the range that holds index *at, which becomes the index in it. */
static const dray_cel_list *leaf_of(const dray_cel_list *list, size_t *at) {
    while (list->joint != NULL && list->v == NULL) {
        const struct dray_cel_joint *joint = list->joint;
        if (joint->right == NULL) {
            *at %= joint->left->n;
            list = joint->left;
        } else if (*at < joint->left->n) {
            list = joint->left;
        } else {
            *at -= joint->left->n;
            list = joint->right;
        }
    }
    return list;
}

bool dray_cel_walk_run(dray_cel_walk *walk) {
    if (walk->next >= walk->list->n)
        return false;
    size_t at = walk->next;
    const dray_cel_list *leaf = leaf_of(walk->list, &at);
    if (leaf->v == NULL) {
        walk->made = dray_cel_of_int((int64_t)at);
        walk->at = &walk->made;
        walk->end = walk->at + 1;
        walk->next++;
        return true;
    }
    walk->at = leaf->v + at;
    walk->end = leaf->v + leaf->n;
    walk->next += leaf->n - at;
    return true;
}

dray_cel_value dray_cel_list_at(const dray_cel_list *list, size_t i) {
    list = leaf_of(list, &i);
    return list->v != NULL ? list->v[i] : dray_cel_of_int((int64_t)i);
}

static void copy_out(dray_cel_value *to, const dray_cel_list *list) {
    if (list->v != NULL) {
        memcpy(to, list->v, list->n * sizeof *to);
        return;
    }
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *v; (v = dray_cel_walk_next(&walk)) != NULL;)
        *to++ = *v;
}

const dray_cel_value *dray_cel_list_flat(dray_arena *arena, const dray_cel_list *list) {
    if (list->v != NULL || list->n == 0)
        return list->v;
    dray_cel_value *v = dray_arena_room(arena, list->n * sizeof *v);
    copy_out(v, list);
    return v;
}

/* --- growing --- */

/* Both in one run that may grow. */
static dray_cel_value copied(dray_arena *arena, const dray_cel_list *a, const dray_cel_list *b,
                             uint64_t weight) {
    dray_cel_items *items = DRAY_NEW(arena, dray_cel_items);
    items->used = a->n + b->n;
    items->room = items->used < 4 ? 8 : items->used * 2;
    items->v = dray_arena_room(arena, items->room * sizeof *items->v);
    copy_out(items->v, a);
    copy_out(items->v + a->n, b);
    return new_list(
        arena, (dray_cel_list){.n = items->used, .weight = weight, .v = items->v, .items = items});
}

/* A run with values behind it. Only the list that ends where the items end may grow in place:
 * others share what is past. */
static dray_cel_value extended(dray_arena *arena, const dray_cel_list *a, const dray_cel_list *b) {
    uint64_t weight = add_weight(a->weight, b->weight - 1);
    dray_cel_items *items = a->v != NULL ? a->items : NULL;
    if (items == NULL || a->v + a->n != items->v + items->used || items->room - items->used < b->n)
        return copied(arena, a, b, weight);
    copy_out(items->v + items->used, b);
    items->used += b->n;
    return new_list(arena,
                    (dray_cel_list){.n = a->n + b->n, .weight = weight, .v = a->v, .items = items});
}

dray_cel_value dray_cel_list_append(dray_arena *arena, dray_cel_value list, dray_cel_value item) {
    const dray_cel_list one = {.n = 1, .weight = add_weight(1, dray_cel_weight(item)), .v = &item};
    return extended(arena, list.list, &one);
}

/* --- joining --- */

static uint32_t depth_of(const dray_cel_list *list) {
    return list->v == NULL && list->joint != NULL ? list->joint->depth : 0;
}

/* What the list repeats, itself if nothing. */
static const dray_cel_list *repeated(const dray_cel_list *list) {
    return list->v == NULL && list->joint != NULL && list->joint->right == NULL ? list->joint->left
                                                                                : list;
}

static dray_cel_value joint_of(dray_arena *arena, const dray_cel_list *a, const dray_cel_list *b) {
    struct dray_cel_joint *joint = DRAY_NEW(arena, struct dray_cel_joint);
    bool same = repeated(a) == repeated(b);
    joint->left = same ? repeated(a) : a;
    joint->right = same ? NULL : b;
    joint->depth = 1 + (same                        ? depth_of(joint->left)
                        : depth_of(a) > depth_of(b) ? depth_of(a)
                                                    : depth_of(b));
    return new_list(arena, (dray_cel_list){.n = a->n + b->n,
                                           .weight = add_weight(a->weight, b->weight - 1),
                                           .joint = joint});
}

/* The runs and ranges of a list, in order; 0: there are more than `room`. */
static size_t runs_of(const dray_cel_list *list, const dray_cel_list **ret, size_t room) {
    size_t n = 0;
    for (size_t next = 0; next < list->n;) {
        size_t at = next;
        if (n == room)
            return 0;
        ret[n] = leaf_of(list, &at);
        next += ret[n++]->n;
    }
    return n;
}

/* Joined from the middle: as deep as the logarithm of n. */
static const dray_cel_list *balanced(dray_arena *arena, const dray_cel_list **runs, size_t n) {
    if (n == 1)
        return runs[0];
    return joint_of(arena, balanced(arena, runs, n / 2), balanced(arena, runs + n / 2, n - n / 2))
        .list;
}

static bool is_pair(const dray_cel_list *list) {
    return list->v == NULL && list->joint != NULL && list->joint->right != NULL;
}

static bool is_short(const dray_cel_list *list) {
    return list->n <= DRAY_CEL_LIST_COPIED;
}

bool dray_cel_list_concat(dray_arena *arena, dray_cel_value a, dray_cel_value b,
                          dray_cel_value *ret) {
    const dray_cel_list *left = a.list, *right = b.list;
    if (right->n == 0 || left->n == 0) {
        *ret = right->n == 0 ? a : b;
        return true;
    }
    if (left->n > INT64_MAX - right->n)
        return false;
    if (is_short(right) && (is_short(left) || (left->v != NULL && left->items != NULL))) {
        *ret = extended(arena, left, right);
        return true;
    }
    /* What is short goes into the run beside it, so that runs are long. */
    if (is_short(right) && is_pair(left) && is_short(left->joint->right)) {
        *ret = joint_of(arena, left->joint->left, extended(arena, left->joint->right, right).list);
    } else if (is_short(left) && is_pair(right) && is_short(right->joint->left)) {
        *ret = joint_of(arena, extended(arena, left, right->joint->left).list, right->joint->right);
    } else {
        *ret = joint_of(arena, left, right);
    }
    if (depth_of(ret->list) <= DRAY_CEL_LIST_DEPTH)
        return true;
    const dray_cel_list **runs = DRAY_NEW_N(arena, const dray_cel_list *, DRAY_CEL_LIST_RUNS);
    size_t n = runs_of(ret->list, runs, DRAY_CEL_LIST_RUNS);
    if (n == 0)
        return false;
    *ret = (dray_cel_value){.kind = DRAY_CEL_LIST, .list = balanced(arena, runs, n)};
    return true;
}

dray_cel_value dray_cel_list_slice(dray_arena *arena, const dray_cel_list *list, size_t from,
                                   size_t n) {
    if (list->v != NULL || n == 0)
        return dray_cel_of_list(arena, list->v + (n == 0 ? 0 : from), n);
    dray_cel_value *v = dray_arena_room(arena, n * sizeof *v);
    for (size_t i = 0; i < n;) {
        size_t at = from + i;
        const dray_cel_list *leaf = leaf_of(list, &at);
        for (; i < n && at < leaf->n; i++, at++)
            v[i] = leaf->v != NULL ? leaf->v[at] : dray_cel_of_int((int64_t)at);
    }
    return dray_cel_of_list(arena, v, n);
}
