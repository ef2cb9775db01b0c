/* Memory: checked malloc and the bump arena. */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BLOCK_BYTES = 4096,
    LARGEST_BLOCK_BYTES = 1 << 20,
    KEPT_BLOCK_BYTES = 1 << 18, /* by a reset */
    ALIGNMENT = 16,
};

typedef struct block {
    struct block *next; /* the older one */
    size_t size;
    size_t used;
    _Alignas(ALIGNMENT) char data[];
} block;

struct dray_arena {
    block *top;
    size_t used;
    size_t limit;
    block *spare; /* what a reset kept */
    size_t keep;
};

static void abort_in_silence(size_t bytes) {
    (void)bytes;
    abort();
}

static dray_oom_handler *oom_handler = abort_in_silence;

void dray_set_oom_handler(dray_oom_handler *handler) {
    oom_handler = handler != NULL ? handler : abort_in_silence;
}

static void out_of_memory(size_t bytes) {
    oom_handler(bytes);
    abort();
}

void *dray_malloc(size_t bytes) {
    void *p = malloc(bytes != 0 ? bytes : 1);
    if (p == NULL)
        out_of_memory(bytes);
    return p;
}

void *dray_calloc(size_t count, size_t bytes) {
    void *p = calloc(count != 0 ? count : 1, bytes != 0 ? bytes : 1);
    if (p == NULL)
        out_of_memory(bytes);
    return p;
}

void *dray_realloc(void *old, size_t bytes) {
    void *p = realloc(old, bytes != 0 ? bytes : 1);
    if (p == NULL)
        out_of_memory(bytes);
    return p;
}

char *dray_strdup(const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(dray_malloc(n), text, n);
}

size_t dray_size_mul(size_t a, size_t b) {
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        out_of_memory(SIZE_MAX);
    return product;
}

dray_arena *dray_arena_new(size_t limit_bytes) {
    dray_arena *arena = dray_calloc(1, sizeof *arena);
    arena->limit = limit_bytes != 0 ? limit_bytes : SIZE_MAX;
    return arena;
}

static void free_blocks(block *b, const block *until) {
    while (b != until) {
        block *next = b->next;
        free(b);
        b = next;
    }
}

void dray_arena_free(dray_arena *arena) {
    if (arena == NULL)
        return;
    free_blocks(arena->top, NULL);
    free_blocks(arena->spare, NULL);
    free(arena);
}

/* Keeps as much of the blocks above `until` as may be kept with those that are spare. */
__attribute__((noinline, cold)) static void set_aside(dray_arena *arena, block *until) {
    size_t kept = 0;
    for (const block *b = arena->spare; b != NULL; b = b->next)
        kept += b->size;
    for (block *b = arena->top, *next; b != until; b = next) {
        next = b->next;
        if (b->size > arena->keep - kept) {
            free(b);
            continue;
        }
        kept += b->size;
        b->next = arena->spare;
        b->used = 0;
        arena->spare = b;
    }
    arena->top = until;
}

/* A spare block of so many bytes, taken out; NULL: none is as large. */
static block *take_spare(dray_arena *arena, size_t bytes) {
    for (block **at = &arena->spare; *at != NULL; at = &(*at)->next) {
        block *b = *at;
        if (b->size < bytes)
            continue;
        *at = b->next;
        return b;
    }
    return NULL;
}

void dray_arena_keep(dray_arena *arena, size_t bytes) {
    arena->keep = bytes;
}

void dray_arena_reset(dray_arena *arena) {
    block *b = arena->top;
    if (b != NULL && b->size <= KEPT_BLOCK_BYTES && b->next == NULL) {
        b->used = 0;
    } else if (arena->keep != 0 && b != NULL) {
        set_aside(arena, NULL);
    } else if (b != NULL && b->size <= KEPT_BLOCK_BYTES) {
        free_blocks(b->next, NULL);
        b->next = NULL;
        b->used = 0;
    } else if (b != NULL) {
        free_blocks(b, NULL);
        arena->top = NULL;
    }
    arena->used = 0;
}

__attribute__((noinline, cold)) static void add_block(dray_arena *arena, size_t bytes) {
    size_t size = arena->top != NULL ? arena->top->size * 2 : FIRST_BLOCK_BYTES;
    if (size > LARGEST_BLOCK_BYTES)
        size = LARGEST_BLOCK_BYTES;
    if (size < bytes)
        size = bytes;
    if (size > SIZE_MAX - sizeof(block))
        out_of_memory(size);
    block *b = take_spare(arena, bytes);
    if (b == NULL) {
        b = dray_malloc(sizeof *b + size);
        b->size = size;
    }
    b->next = arena->top;
    b->used = 0;
    arena->top = b;
}

static inline char *take(dray_arena *arena, size_t bytes, size_t alignment) {
    block *b = arena->top;
    size_t at = b != NULL ? (b->used + alignment - 1) & ~(alignment - 1) : 0;
    if (b == NULL || at > b->size || bytes > b->size - at) {
        add_block(arena, bytes);
        b = arena->top;
        at = 0;
    }
    arena->used += at + bytes - b->used;
    b->used = at + bytes;
    return b->data + at;
}

void *dray_arena_alloc(dray_arena *arena, size_t bytes) {
    return memset(take(arena, bytes, ALIGNMENT), 0, bytes);
}

void *dray_arena_room(dray_arena *arena, size_t bytes) {
    return take(arena, bytes, ALIGNMENT);
}

char *dray_arena_bytes(dray_arena *arena, size_t bytes) {
    return take(arena, bytes, 1);
}

void *dray_arena_grow(dray_arena *arena, void *old, size_t old_bytes, size_t bytes) {
    block *b = arena->top;
    if (old != NULL && b != NULL && (char *)old + old_bytes == b->data + b->used &&
        bytes >= old_bytes && bytes - old_bytes <= b->size - b->used) {
        memset((char *)old + old_bytes, 0, bytes - old_bytes);
        b->used += bytes - old_bytes;
        arena->used += bytes - old_bytes;
        return old;
    }
    void *larger = dray_arena_alloc(arena, bytes);
    if (old_bytes != 0)
        memcpy(larger, old, old_bytes);
    return larger;
}

bool dray_arena_spent(const dray_arena *arena) {
    return arena->used > arena->limit;
}

bool dray_arena_fits(const dray_arena *arena, size_t bytes) {
    return arena->used <= arena->limit && bytes <= arena->limit - arena->used;
}

size_t dray_arena_used(const dray_arena *arena) {
    return arena->used;
}

dray_arena_mark dray_arena_save(dray_arena *arena) {
    return (dray_arena_mark){
        .block = arena->top,
        .block_used = arena->top != NULL ? arena->top->used : 0,
        .used = arena->used,
    };
}

void dray_arena_release(dray_arena *arena, dray_arena_mark mark) {
    if (arena->keep != 0 && arena->top != mark.block)
        set_aside(arena, mark.block);
    free_blocks(arena->top, mark.block);
    arena->top = mark.block;
    if (arena->top != NULL)
        arena->top->used = mark.block_used;
    arena->used = mark.used;
}
