/* Names that are nearly the same. */
#include "explain/explain_int.h"

enum { NAME_MAX_BYTES = 253, SLIP_EDITS = 2, SLIP_BYTES = 6 };

size_t dray_words_distance(dray_str a, dray_str b, size_t most) {
    if (a.n > NAME_MAX_BYTES || b.n > NAME_MAX_BYTES)
        return SIZE_MAX;
    uint16_t row[NAME_MAX_BYTES + 1];
    for (size_t k = 0; k <= b.n; k++)
        row[k] = (uint16_t)k;
    for (size_t i = 0; i < a.n; i++) {
        uint16_t diagonal = row[0];
        row[0] = (uint16_t)(i + 1);
        for (size_t k = 0; k < b.n; k++) {
            uint16_t least = (uint16_t)(diagonal + (a.p[i] != b.p[k]));
            if (row[k + 1] + 1 < least)
                least = (uint16_t)(row[k + 1] + 1);
            if (row[k] + 1 < least)
                least = (uint16_t)(row[k] + 1);
            diagonal = row[k + 1];
            row[k + 1] = least;
        }
    }
    return row[b.n] <= most ? row[b.n] : SIZE_MAX;
}

/* The next byte that counts, in lower case; -1 at the end. */
static int next(dray_str s, size_t *at) {
    while (*at < s.n) {
        char c = s.p[(*at)++];
        if (c != '-' && c != '_' && c != '.')
            return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
    }
    return -1;
}

bool dray_words_alike(dray_str a, dray_str b) {
    size_t i = 0, k = 0;
    for (;;) {
        int x = next(a, &i), y = next(b, &k);
        if (x != y)
            return false;
        if (x == -1)
            return true;
    }
}

size_t dray_words_closeness(dray_str a, dray_str b) {
    if (dray_words_alike(a, b))
        return 0;
    size_t shorter = a.n < b.n ? a.n : b.n;
    size_t distance = dray_words_distance(a, b, shorter < 4 ? 1 : shorter / 2 + 1);
    if (distance != SIZE_MAX)
        return distance;
    /* One within the other: nvidia-gpu and gpu.nvidia.com share their words. */
    size_t shared = 0, from = 0;
    for (size_t i = 0; i <= a.n; i++) {
        bool ends = i == a.n || a.p[i] == '-' || a.p[i] == '.' || a.p[i] == '_' || a.p[i] == '/';
        if (!ends)
            continue;
        dray_str word = dray_str_slice(a, from, i);
        if (word.n >= 3 && dray_str_find(b, word) != SIZE_MAX)
            shared += word.n;
        from = i + 1;
    }
    return shared >= 3 ? DRAY_WORDS_SHARED + (a.n > shared ? a.n - shared : 0) : SIZE_MAX;
}

bool dray_words_slip(dray_str a, dray_str b) {
    dray_str longer = a.n > b.n ? a : b, shorter = a.n > b.n ? b : a;
    return dray_words_alike(a, b) || dray_words_distance(a, b, SLIP_EDITS) != SIZE_MAX ||
           (shorter.n >= SLIP_BYTES && dray_str_find(longer, shorter) != SIZE_MAX);
}

dray_str dray_words_path_into(char *text, dray_str a, dray_str b, dray_str c) {
    memcpy(text, a.p, a.n);
    text[a.n] = '/';
    if (b.n != 0)
        memcpy(text + a.n + 1, b.p, b.n);
    text[a.n + 1 + b.n] = '/';
    memcpy(text + a.n + b.n + 2, c.p, c.n);
    return (dray_str){text, a.n + b.n + c.n + 2};
}

dray_str dray_words_path(dray_str a, dray_str b, dray_str c, dray_arena *arena) {
    return dray_words_path_into(DRAY_NEW_N(arena, char, a.n + b.n + c.n + 2), a, b, c);
}

dray_str dray_words_key(dray_str ns, dray_str name, dray_arena *arena) {
    return dray_strf(arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(ns), DRAY_ARG(name));
}
