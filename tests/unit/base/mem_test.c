/* Arenas: limits, growth, marks. */
#include "base/mem.h"

#include "base/vec.h"
#include "tap.h"

static void limits(void) {
    dray_arena *arena = dray_arena_new(1000);
    dray_arena_alloc(arena, 900);
    CHECK("an arena below its limit is not spent", !dray_arena_spent(arena));
    char *past = dray_arena_alloc(arena, 5000);
    CHECK("an allocation past the limit still succeeds, zeroed", past[4999] == 0);
    CHECK("past its limit an arena is spent", dray_arena_spent(arena));
    dray_arena_reset(arena);
    CHECK("a reset arena is not spent", !dray_arena_spent(arena) && dray_arena_used(arena) == 0);
    dray_arena_free(arena);
}

static void growth(void) {
    dray_arena *arena = dray_arena_new(0);
    DRAY_VEC(int) numbers = {0};
    for (int i = 0; i < 100000; i++)
        DRAY_PUSH(arena, &numbers, i);
    bool right = numbers.n == 100000;
    for (int i = 0; i < 100000 && right; i++)
        right = numbers.v[i] == i;
    CHECK("a vector keeps its elements while it grows", right);
    dray_arena_mark mark = dray_arena_save(arena);
    size_t used = dray_arena_used(arena);
    for (int i = 0; i < 1000; i++)
        dray_arena_alloc(arena, 4096);
    dray_arena_release(arena, mark);
    CHECK_INT("a release forgets what came after the mark", (int64_t)dray_arena_used(arena),
              (int64_t)used);
    dray_arena_free(arena);
}

static int by_tens(const void *a, const void *b, void *context) {
    (void)context;
    return *(const int *)a / 10 - *(const int *)b / 10;
}

static void sorting(void) {
    int v[] = {31, 15, 12, 39, 1, 11, 30, 7, 19};
    static const int want[] = {1, 7, 15, 12, 11, 19, 31, 39, 30};
    dray_sort(v, DRAY_COUNT(v), sizeof *v, by_tens, NULL);
    CHECK("sorting keeps the order of equal elements", memcmp(v, want, sizeof v) == 0);
}

int main(void) {
    limits();
    growth();
    sorting();
    return tap_end();
}
