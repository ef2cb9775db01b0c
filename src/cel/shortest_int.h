/* Private to cel: the digits of doubles, by the C++ library. */
#ifndef DRAY_CEL_SHORTEST_INT_H
#define DRAY_CEL_SHORTEST_INT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fewest digits that read back as d, finite: "1.5e+06". Writes at most `room` bytes, of which
 * 32 do, and no zero behind; returns how many. */
size_t dray_cel_shortest(double d, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
