/* The shortest digits that read back as the same double, by the C++ library. */
#include "cel/shortest_int.h"

#include <charconv>

size_t dray_cel_shortest(double d, char *text, size_t room) {
    std::to_chars_result end = std::to_chars(text, text + room, d, std::chars_format::scientific);
    return static_cast<size_t>(end.ptr - text);
}
