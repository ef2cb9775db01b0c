/* Growable arrays that live in an arena.
 *
 *     DRAY_VEC(dray_str) names = {0};
 *     DRAY_PUSH(arena, &names, DRAY_STR("a"));
 *     for (size_t i = 0; i < names.n; i++) use(names.v[i]);
 *
 * The elements move when the array grows: borrow no pointer to one across a push.
 */
#ifndef DRAY_BASE_VEC_H
#define DRAY_BASE_VEC_H

#include "base/mem.h"

#define DRAY_VEC(type)  \
    struct {            \
        type *v;        \
        size_t n, room; \
    }

#define DRAY_PUSH(arena, vec, ...)                                                             \
    do {                                                                                       \
        __auto_type dray_vec_ = (vec);                                                         \
        if (dray_vec_->n == dray_vec_->room) {                                                 \
            size_t room_ = dray_vec_->room != 0 ? dray_size_mul(dray_vec_->room, 2) : 8;       \
            dray_vec_->v =                                                                     \
                dray_arena_grow((arena), dray_vec_->v, dray_vec_->room * sizeof *dray_vec_->v, \
                                dray_size_mul(room_, sizeof *dray_vec_->v));                   \
            dray_vec_->room = room_;                                                           \
        }                                                                                      \
        dray_vec_->v[dray_vec_->n++] = (__VA_ARGS__);                                          \
    } while (0)

/* Sorts n elements of `bytes` each so that equal ones keep their order (merge sort). */
void dray_sort(void *base, size_t n, size_t bytes,
               int (*compare)(const void *a, const void *b, void *context), void *context);

#define DRAY_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
