/* Stable sorting. */
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef int compare_fn(const void *a, const void *b, void *context);

static void merge(char *to, const char *left, size_t n_left, const char *right, size_t n_right,
                  size_t bytes, compare_fn *compare, void *context) {
    while (n_left != 0 && n_right != 0) {
        bool take_left = compare(left, right, context) <= 0;
        const char *from = take_left ? left : right;
        memcpy(to, from, bytes);
        to += bytes;
        if (take_left) {
            left += bytes;
            n_left--;
        } else {
            right += bytes;
            n_right--;
        }
    }
    if (n_left != 0)
        memcpy(to, left, n_left * bytes);
    if (n_right != 0)
        memcpy(to, right, n_right * bytes);
}

void dray_sort(void *base, size_t n, size_t bytes, compare_fn *compare, void *context) {
    if (n < 2)
        return;
    char *from = base, *to = dray_malloc(dray_size_mul(n, bytes)), *spare = to;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t n_left = n - at < width ? n - at : width;
            size_t rest = n - at - n_left;
            size_t n_right = rest < width ? rest : width;
            merge(to + at * bytes, from + at * bytes, n_left, from + (at + n_left) * bytes, n_right,
                  bytes, compare, context);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != base)
        memcpy(base, from, n * bytes);
    free(spare);
}
