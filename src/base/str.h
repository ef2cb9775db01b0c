/* Strings with their length, and a growable buffer.
 *
 *     dray_str name = DRAY_STR("gpu-0");
 *     printf(DRAY_FMT "\n", DRAY_ARG(name));
 *
 *     dray_buf out = DRAY_BUF_INIT;
 *     dray_buf_addf(&out, "%s/%d", "pool", 1);
 *     dray_str made = dray_buf_str(&out);       borrowed until the next change of out
 *     dray_buf_done(&out);
 *
 * A dray_str borrows its bytes: they may hold NULs and need no terminator. p == NULL means absent
 * where a field distinguishes absent from empty. Thread rule: values; a buffer has one owner.
 */
#ifndef DRAY_BASE_STR_H
#define DRAY_BASE_STR_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct dray_str {
    const char *p;
    size_t n;
} dray_str;

#define DRAY_STR(literal) ((dray_str){"" literal, sizeof(literal) - 1})
#define DRAY_STR_INIT(literal) {"" literal, sizeof(literal) - 1} /* for static initializers */
#define DRAY_STR_NONE ((dray_str){NULL, 0})
#define DRAY_FMT "%.*s"
#define DRAY_ARG(s) (int)(s).n, (s).p

static inline dray_str dray_str_of(const char *text) {
    return (dray_str){text, text != NULL ? strlen(text) : 0};
}
static inline dray_str dray_str_n(const char *p, size_t n) {
    return (dray_str){p, n};
}
/* Equal bytes; absent equals empty. */
static inline bool dray_str_eq(dray_str a, dray_str b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool dray_str_is(dray_str a, const char *text) {
    return dray_str_eq(a, dray_str_of(text));
}
/* Byte order, the shorter first; <0, 0, >0. */
int dray_str_cmp(dray_str a, dray_str b);
bool dray_str_starts(dray_str s, dray_str prefix);
bool dray_str_ends(dray_str s, dray_str suffix);
/* The bytes [from, to), both clamped to the length. */
dray_str dray_str_slice(dray_str s, size_t from, size_t to);
/* Where c or needle first stands; SIZE_MAX when nowhere. */
size_t dray_str_find(dray_str s, dray_str needle);
size_t dray_str_chr(dray_str s, char c);
size_t dray_str_rchr(dray_str s, char c);
/* Cuts s at the first separator: head gets what stands before it, tail the rest. False, with head
 * = s and an absent tail, when there is none. */
bool dray_str_cut(dray_str s, char separator, dray_str *head, dray_str *tail);
/* FNV-1a with a final mix; equal strings hash alike in every process. */
uint64_t dray_str_hash(dray_str s);

/* Copies into the arena, with a NUL after the last byte so that .p is also a C string. */
dray_str dray_str_dup(dray_arena *arena, dray_str s);
dray_str dray_strf(dray_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef struct dray_buf {
    char *p;
    size_t n;
    size_t room;
} dray_buf;

#define DRAY_BUF_INIT ((dray_buf){0})

void dray_buf_add(dray_buf *buf, const void *bytes, size_t n);
void dray_buf_str_add(dray_buf *buf, dray_str s);
void dray_buf_puts(dray_buf *buf, const char *text);
void dray_buf_putc(dray_buf *buf, char c);
void dray_buf_addf(dray_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes room for n more bytes and returns where they go; the caller adds to buf->n. */
char *dray_buf_reserve(dray_buf *buf, size_t n);
static inline dray_str dray_buf_str(const dray_buf *buf) {
    return (dray_str){buf->p != NULL ? buf->p : "", buf->n};
}
/* The content as a C string, borrowed until the next change. */
const char *dray_buf_cstr(dray_buf *buf);
static inline void dray_buf_clear(dray_buf *buf) {
    buf->n = 0;
}
void dray_buf_done(dray_buf *buf);
#define DRAY_CLEANUP_BUF __attribute__((cleanup(dray_buf_done)))

#endif
