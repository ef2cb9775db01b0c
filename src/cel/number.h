/* Numbers as text, as Go's strconv reads and writes them. Nothing depends on the locale.
 *
 *     dray_cel_print_double(&out, 0.1, 'g', -1);                      0.1
 *
 * Pure; any thread.
 */
#ifndef DRAY_CEL_NUMBER_H
#define DRAY_CEL_NUMBER_H

#include "base/str.h"

/* style 'f', 'e' or 'g'; precision −1: the fewest digits that give the same double back. */
void dray_cel_print_double(dray_buf *out, double d, char style, int precision);
void dray_cel_print_int(dray_buf *out, bool negative, uint64_t value);
/* The last `width` ≤ 20 digits, with zeros in front. */
void dray_cel_print_digits(dray_buf *out, uint64_t value, int width);
/* Base 10, an optional sign; false: no number, or one that does not fit. */
bool dray_cel_read_int(dray_str text, int64_t *ret);
bool dray_cel_read_uint(dray_str text, uint64_t *ret);
/* Decimal and hexadecimal floats, inf, infinity, nan; false past the largest double. */
bool dray_cel_read_double(dray_str text, double *ret);
/* 1 t T TRUE true True 0 f F FALSE false False */
bool dray_cel_read_bool(dray_str text, bool *ret);

#endif
