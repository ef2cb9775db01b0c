/* Memory: plain allocation that never fails, and arenas with a limit.
 *
 *     dray_arena *arena = dray_arena_new(64 << 20);
 *     node *n = DRAY_NEW(arena, node);          zeroed, lives as long as the arena
 *     if (dray_arena_spent(arena))
 *         return dray_err_set(err, DRAY_E_LIMIT, "…");
 *     dray_arena_free(arena);
 *
 * An arena allocation never returns NULL. Past the limit the arena is *spent*: it goes on serving
 * (an overdraft), and whoever loops over outside input asks dray_arena_spent once a round and
 * unwinds with DRAY_E_LIMIT. So a limit costs one test a loop, not one a call.
 *
 * When malloc itself fails the handler is called, which must not return; the default aborts.
 * Thread rule: an arena has one owner at a time; the handler is set once at start.
 */
#ifndef DRAY_BASE_MEM_H
#define DRAY_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef void dray_oom_handler(size_t bytes);
void dray_set_oom_handler(dray_oom_handler *handler);

/* As malloc, calloc, realloc and strdup, but never NULL. Freed by free(). */
void *dray_malloc(size_t bytes) __attribute__((malloc, returns_nonnull));
void *dray_calloc(size_t count, size_t bytes) __attribute__((malloc, returns_nonnull));
void *dray_realloc(void *old, size_t bytes) __attribute__((returns_nonnull));
char *dray_strdup(const char *text) __attribute__((malloc, returns_nonnull));

typedef struct dray_arena dray_arena;

/* limit_bytes 0 means no limit. Freed by dray_arena_free. */
dray_arena *dray_arena_new(size_t limit_bytes);
void dray_arena_free(dray_arena *arena);

/* Forgets everything allocated but keeps the newest block for reuse unless it is large; the limit
 * stays. */
void dray_arena_reset(dray_arena *arena);

/* Zeroed memory, aligned for any type. */
void *dray_arena_alloc(dray_arena *arena, size_t bytes)
    __attribute__((malloc, returns_nonnull, alloc_size(2)));

/* The same, but its bytes are not set. */
void *dray_arena_room(dray_arena *arena, size_t bytes)
    __attribute__((malloc, returns_nonnull, alloc_size(2)));

/* Memory whose bytes are not set and which has no alignment: for text. */
char *dray_arena_bytes(dray_arena *arena, size_t bytes) __attribute__((malloc, returns_nonnull));

/* A larger place for `old` (of old_bytes), grown in place where it was the last allocation. */
void *dray_arena_grow(dray_arena *arena, void *old, size_t old_bytes, size_t bytes)
    __attribute__((returns_nonnull));

bool dray_arena_spent(const dray_arena *arena);
/* Would so many bytes more leave it unspent? */
bool dray_arena_fits(const dray_arena *arena, size_t bytes);
/* From now on a reset keeps blocks of so many bytes for what comes: fresh pages are dear. */
void dray_arena_keep(dray_arena *arena, size_t bytes);
size_t dray_arena_used(const dray_arena *arena);

/* A point to return to: everything allocated after the mark is forgotten by the release. */
typedef struct dray_arena_mark {
    void *block;
    size_t block_used;
    size_t used;
} dray_arena_mark;
dray_arena_mark dray_arena_save(dray_arena *arena);
void dray_arena_release(dray_arena *arena, dray_arena_mark mark);

#define DRAY_NEW(arena, type) ((type *)dray_arena_alloc((arena), sizeof(type)))
#define DRAY_NEW_N(arena, type, count) \
    ((type *)dray_arena_alloc((arena), dray_size_mul(sizeof(type), (count))))

/* a × b; a product past SIZE_MAX goes to the out-of-memory handler. */
size_t dray_size_mul(size_t a, size_t b);

/* Scope-bound clean-up: DRAY_CLEANUP_ARENA dray_arena *a = dray_arena_new(0); */
static inline void dray_cleanup_arena(dray_arena **arena) {
    dray_arena_free(*arena);
}
static inline void dray_cleanup_free(void *pointer) {
    free(*(void **)pointer);
}
#define DRAY_CLEANUP_ARENA __attribute__((cleanup(dray_cleanup_arena)))
#define DRAY_CLEANUP_FREE __attribute__((cleanup(dray_cleanup_free)))

#endif
