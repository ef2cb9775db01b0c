/* Strings with their length, and a growable buffer. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int dray_str_cmp(dray_str a, dray_str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n != 0 ? memcmp(a.p, b.p, n) : 0;
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

bool dray_str_starts(dray_str s, dray_str prefix) {
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool dray_str_ends(dray_str s, dray_str suffix) {
    return s.n >= suffix.n &&
           (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

dray_str dray_str_slice(dray_str s, size_t from, size_t to) {
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    return (dray_str){s.p != NULL ? s.p + from : NULL, to - from};
}

size_t dray_str_find(dray_str s, dray_str needle) {
    if (needle.n == 0)
        return 0;
    if (s.n < needle.n)
        return SIZE_MAX;
    const char *at =
        needle.n == 1 ? memchr(s.p, needle.p[0], s.n) : memmem(s.p, s.n, needle.p, needle.n);
    return at != NULL ? (size_t)(at - s.p) : SIZE_MAX;
}

size_t dray_str_chr(dray_str s, char c) {
    const char *at = s.n != 0 ? memchr(s.p, c, s.n) : NULL;
    return at != NULL ? (size_t)(at - s.p) : SIZE_MAX;
}

size_t dray_str_rchr(dray_str s, char c) {
    const char *at = s.n != 0 ? memrchr(s.p, c, s.n) : NULL;
    return at != NULL ? (size_t)(at - s.p) : SIZE_MAX;
}

bool dray_str_cut(dray_str s, char separator, dray_str *head, dray_str *tail) {
    size_t at = dray_str_chr(s, separator);
    if (at == SIZE_MAX) {
        *head = s;
        *tail = DRAY_STR_NONE;
        return false;
    }
    *head = (dray_str){s.p, at};
    *tail = (dray_str){s.p + at + 1, s.n - at - 1};
    return true;
}

uint64_t dray_str_hash(dray_str s) {
    uint64_t h = 14695981039346656037u ^ s.n, word;
    size_t i = 0;
    for (; s.n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, s.p + i, sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

dray_str dray_str_dup(dray_arena *arena, dray_str s) {
    if (s.p == NULL)
        return DRAY_STR_NONE;
    char *copy = dray_arena_bytes(arena, s.n + 1);
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return (dray_str){copy, s.n};
}

dray_str dray_strf(dray_arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        return DRAY_STR("?");
    char *text = dray_arena_bytes(arena, (size_t)n + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return (dray_str){text, (size_t)n};
}

char *dray_buf_reserve(dray_buf *buf, size_t n) {
    if (n > buf->room - buf->n) {
        size_t room = buf->room * 2;
        if (room < buf->n + n)
            room = buf->n + n;
        if (room < 64)
            room = 64;
        buf->p = dray_realloc(buf->p, room);
        buf->room = room;
    }
    return buf->p + buf->n;
}

void dray_buf_add(dray_buf *buf, const void *bytes, size_t n) {
    if (n == 0)
        return;
    memcpy(dray_buf_reserve(buf, n), bytes, n);
    buf->n += n;
}

void dray_buf_str_add(dray_buf *buf, dray_str s) {
    dray_buf_add(buf, s.p, s.n);
}

void dray_buf_puts(dray_buf *buf, const char *text) {
    dray_buf_add(buf, text, strlen(text));
}

void dray_buf_putc(dray_buf *buf, char c) {
    *dray_buf_reserve(buf, 1) = c;
    buf->n++;
}

void dray_buf_addf(dray_buf *buf, const char *format, ...) {
    /* Usually there is room. */
    va_list args;
    va_start(args, format);
    char *to = dray_buf_reserve(buf, 1);
    int n = vsnprintf(to, buf->room - buf->n, format, args);
    va_end(args);
    if (n <= 0)
        return;
    if ((size_t)n < buf->room - buf->n) {
        buf->n += (size_t)n;
        return;
    }
    to = dray_buf_reserve(buf, (size_t)n + 1);
    va_start(args, format);
    vsnprintf(to, (size_t)n + 1, format, args);
    va_end(args);
    buf->n += (size_t)n;
}

const char *dray_buf_cstr(dray_buf *buf) {
    *dray_buf_reserve(buf, 1) = '\0';
    return buf->p;
}

void dray_buf_done(dray_buf *buf) {
    free(buf->p);
    *buf = DRAY_BUF_INIT;
}
