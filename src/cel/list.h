/* Lists: runs of values, lists joined without copying, and the numbers from 0.
 *
 *     dray_cel_walk walk = dray_cel_walk_of(list);
 *     for (const dray_cel_value *v; (v = dray_cel_walk_next(&walk)) != NULL;)
 *         …*v…
 *
 * A list that is doubled sixty times takes sixty nodes: its size is known at once, and nothing may
 * walk it before it knows that the cost limit or dray_cel_eval_work bears it. Thread rule: lists
 * are never changed once made, but for what an evaluation notes on joined ones of its own arena.
 */
#ifndef DRAY_CEL_LIST_H
#define DRAY_CEL_LIST_H

#include "cel/value.h"

enum { DRAY_CEL_LIST_COPIED = 256 }; /* joined lists of this many values and less are copied */
enum { DRAY_CEL_LIST_DEPTH = 200 };  /* of joined lists */
enum { DRAY_CEL_LIST_RUNS = 4096 };  /* that are put in balance again */

/* What a joined list has instead of values. A list joined with itself is `left` as often as it goes
 * into the size, and `right` is NULL: its values are reached in one step however often it was
 * doubled.
 */
struct dray_cel_joint {
    const dray_cel_list *left, *right;
    uint32_t depth;
    uint32_t noted; /* 0, or what the note was made for */
    uint64_t note;  /* of a library's code: what a walk over both has come to */
};

/* Where a walk is. It must not be copied while it is used. */
typedef struct dray_cel_walk {
    const dray_cel_value *at, *end; /* the run under way */
    const dray_cel_list *list;
    size_t next; /* index of the value after the run */
    dray_cel_value made;
} dray_cel_walk;

static inline dray_cel_walk dray_cel_walk_of(const dray_cel_list *list) {
    dray_cel_walk walk;
    walk.at = list->v;
    walk.end = list->v != NULL ? list->v + list->n : NULL;
    walk.list = list;
    walk.next = list->v != NULL ? list->n : 0;
    return walk;
}
/* Takes the run of values that comes next; false at the end. */
bool dray_cel_walk_run(dray_cel_walk *walk);
static inline const dray_cel_value *dray_cel_walk_next(dray_cel_walk *walk) {
    if (__builtin_expect(walk->at == walk->end, 0) && !dray_cel_walk_run(walk))
        return NULL;
    return walk->at++;
}

/* The value at index i, which must be below the size. */
dray_cel_value dray_cel_list_at(const dray_cel_list *list, size_t i);
/* Its values in one run, in arena where they are not; the caller has seen to the size. */
const dray_cel_value *dray_cel_list_flat(dray_arena *arena, const dray_cel_list *list);

/* A place for v in arena. */
const dray_cel_value *dray_cel_keep(dray_arena *arena, dray_cel_value v);
/* A list of n values that are borrowed. */
dray_cel_value dray_cel_of_list(dray_arena *arena, const dray_cel_value *v, size_t n);
/* The ints from 0 to n − 1. */
dray_cel_value dray_cel_list_range(dray_arena *arena, size_t n);
/* The list, a run, with one more value: in place where its maker alone sees the room behind. */
dray_cel_value dray_cel_list_append(dray_arena *arena, dray_cel_value list, dray_cel_value item);
/* a and b; without copying where they are long. False: too many values or too many joints. */
bool dray_cel_list_concat(dray_arena *arena, dray_cel_value a, dray_cel_value b,
                          dray_cel_value *ret);
/* The n values from `from` on, which there must be. */
dray_cel_value dray_cel_list_slice(dray_arena *arena, const dray_cel_list *list, size_t from,
                                   size_t n);

#endif
