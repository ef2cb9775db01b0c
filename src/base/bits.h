/* Bitmaps of a fixed length, in an arena. Bits past n are always zero. */
#ifndef DRAY_BASE_BITS_H
#define DRAY_BASE_BITS_H

#include "base/mem.h"

#include <stdint.h>

typedef struct dray_bits {
    uint64_t *w;
    size_t n; /* bits */
} dray_bits;

static inline size_t dray_bits_words(size_t n) {
    return (n + 63) / 64;
}
static inline dray_bits dray_bits_new(dray_arena *arena, size_t n) {
    return (dray_bits){DRAY_NEW_N(arena, uint64_t, dray_bits_words(n)), n};
}
static inline bool dray_bits_get(dray_bits b, size_t i) {
    return b.w[i / 64] >> (i % 64) & 1;
}
static inline void dray_bits_set(dray_bits b, size_t i) {
    b.w[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void dray_bits_clear(dray_bits b, size_t i) {
    b.w[i / 64] &= ~((uint64_t)1 << (i % 64));
}
static inline size_t dray_bits_count(dray_bits b) {
    size_t count = 0;
    for (size_t i = 0; i < dray_bits_words(b.n); i++)
        count += (size_t)__builtin_popcountll(b.w[i]);
    return count;
}
/* The first set bit at or after i; SIZE_MAX when there is none. */
static inline size_t dray_bits_next(dray_bits b, size_t i) {
    if (i >= b.n)
        return SIZE_MAX;
    size_t at = i / 64;
    uint64_t word = b.w[at] & ~(uint64_t)0 << (i % 64);
    while (word == 0) {
        if (++at >= dray_bits_words(b.n))
            return SIZE_MAX;
        word = b.w[at];
    }
    return at * 64 + (size_t)__builtin_ctzll(word);
}

#endif
