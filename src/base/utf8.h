/* UTF-8: decoding, checking, counting. Surrogates, overlong forms and anything past U+10FFFF are
 * invalid, as in Go's unicode/utf8. */
#ifndef DRAY_BASE_UTF8_H
#define DRAY_BASE_UTF8_H

#include "base/str.h"

/* Decodes the code point at s[*at] and moves *at past it. An invalid byte gives -1 and moves *at
 * by one. *at must be < s.n. */
int32_t dray_utf8_next(dray_str s, size_t *at);
/* Where the first invalid byte stands; SIZE_MAX when all are valid. */
size_t dray_utf8_invalid(dray_str s);
/* The number of code points; an invalid byte counts as one. */
size_t dray_utf8_count(dray_str s);
/* Writes code_point (≤ 0x10FFFF) as 1–4 bytes into to and returns how many. */
size_t dray_utf8_put(char to[4], uint32_t code_point);

/* In double quotes, with escapes for what can't be seen, as Go's %q; in arena. */
dray_str dray_utf8_quote(dray_str text, dray_arena *arena);

#endif
