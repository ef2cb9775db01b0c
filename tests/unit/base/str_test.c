/* Strings, maps, bitmaps, UTF-8. */
#include "base/str.h"

#include "base/bits.h"
#include "base/map.h"
#include "base/utf8.h"
#include "tap.h"

static void strings(void) {
    dray_str head, tail;
    CHECK("a cut finds the first separator", dray_str_cut(DRAY_STR("a/b/c"), '/', &head, &tail));
    CHECK_STR("the tail holds the rest", tail, "b/c");
    CHECK("without separator the tail is absent",
          !dray_str_cut(DRAY_STR("abc"), '/', &head, &tail) && tail.p == NULL);
    CHECK("the shorter of two sorts first", dray_str_cmp(DRAY_STR("ab"), DRAY_STR("abc")) < 0);
    CHECK("absent equals empty", dray_str_eq(DRAY_STR_NONE, DRAY_STR("")));
    CHECK_STR("a slice is clamped", dray_str_slice(DRAY_STR("hello"), 3, 99), "lo");
    CHECK("a needle that is not there", dray_str_find(DRAY_STR("abc"), DRAY_STR("x")) == SIZE_MAX);
}

static void maps(dray_arena *arena) {
    dray_map map = dray_map_new(arena);
    for (int i = 0; i < 5000; i++)
        dray_map_put(&map, dray_strf(arena, "key-%d", i), DRAY_NEW(arena, int));
    bool all = map.n == 5000;
    for (int i = 0; i < 5000 && all; i++)
        all = dray_map_index(&map, dray_strf(arena, "key-%d", i)) == i;
    CHECK("a map finds every key, in order of insertion", all);
    CHECK("a map has no other key", dray_map_find(&map, DRAY_STR("key-5000")) == NULL);
    CHECK("putting again replaces",
          dray_map_put(&map, DRAY_STR("key-1"), NULL) != NULL && map.n == 5000);
}

static void bitmaps(dray_arena *arena) {
    dray_bits bits = dray_bits_new(arena, 200);
    dray_bits_set(bits, 3);
    dray_bits_set(bits, 199);
    CHECK_INT("the next set bit after the first", (int64_t)dray_bits_next(bits, 4), 199);
    CHECK_INT("set bits are counted", (int64_t)dray_bits_count(bits), 2);
    dray_bits_clear(bits, 199);
    CHECK("no bit is left after the last", dray_bits_next(bits, 4) == SIZE_MAX);
}

static void utf8(void) {
    static const struct {
        const char *label, *bytes;
        size_t n;
        int64_t invalid; /* where, -1: nowhere */
    } rows[] = {
        {"plain ASCII is valid", "abc", 3, -1},
        {"four bytes are valid", "\xf0\x9f\x98\x80", 4, -1},
        {"an overlong slash is not", "a\xc0\xaf", 3, 1},
        {"a surrogate is not", "\xed\xa0\x80", 3, 0},
        {"past U+10FFFF is not", "\xf4\x90\x80\x80", 4, 0},
        {"a cut sequence is not", "ab\xe2\x82", 4, 2},
        {"a bad byte is found behind many good ones", "0123456789abcdefgh\xff", 19, 18},
        {"and long text in two bytes is valid",
         "0123456\xc3\xa9"
         "89abcdef",
         17, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = dray_utf8_invalid(dray_str_n(rows[i].bytes, rows[i].n));
        CHECK(rows[i].label, rows[i].invalid < 0 ? at == SIZE_MAX : at == (size_t)rows[i].invalid);
    }
    bool same = true;
    for (uint32_t c = 0; c <= 0x10ffff && same; c += 7) {
        char bytes[4];
        size_t at = 0, n = dray_utf8_put(bytes, c);
        if (c < 0xd800 || c > 0xdfff)
            same = dray_utf8_next(dray_str_n(bytes, n), &at) == (int32_t)c && at == n;
    }
    CHECK("what is written is read back", same);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    strings();
    maps(arena);
    bitmaps(arena);
    utf8();
    return tap_end();
}
