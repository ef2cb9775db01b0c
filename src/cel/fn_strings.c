/* The strings library: charAt … trim, join, quote, reverse. Positions are code points. */
#include "cel/eval_int.h"

#include "base/utf8.h"
#include "base/vec.h"

enum { WRITTEN_LATER = 256 * 1024 }; /* bytes of a result that is not written before it is read */

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

/* The byte at which code point `at` starts; SIZE_MAX past the end. The end itself counts. */
static size_t byte_of(dray_cel_eval *e, dray_cel_value s, int64_t at) {
    if (at < 0)
        return SIZE_MAX;
    if (s.flags & DRAY_CEL_ASCII)
        return (uint64_t)at <= s.n ? (size_t)at : SIZE_MAX;
    if (!dray_cel_eval_work(e, (uint64_t)(at < s.n ? at : s.n) / 8))
        return SIZE_MAX;
    size_t byte = 0;
    for (; at > 0; at--) {
        if (byte >= s.n)
            return SIZE_MAX;
        do
            byte++;
        while (byte < s.n && ((unsigned char)s.s[byte] & 0xc0) == 0x80);
    }
    return byte;
}

/* Code points before a byte. */
static int64_t points_to(dray_cel_value s, size_t byte) {
    if (s.flags & DRAY_CEL_ASCII)
        return (int64_t)byte;
    return (int64_t)dray_utf8_count((dray_str){s.s, byte});
}

static dray_cel_value part(dray_cel_value s, size_t from, size_t to) {
    return dray_cel_of_str((dray_str){s.s + from, to - from});
}

static dray_cel_value out_of_range(dray_cel_eval *e, int64_t at) {
    return dray_cel_failf(e->arena, "index out of range: %lld", (long long)at);
}

FN(char_at) {
    size_t from = byte_of(e, args[0], args[1].i);
    if (from == SIZE_MAX)
        return out_of_range(e, args[1].i);
    size_t to = from;
    if (from < args[0].n)
        dray_utf8_next(dray_cel_str(args[0]), &to);
    return part(args[0], from, to);
}

FN(index_of) {
    dray_cel_value s = args[0], sub = args[1];
    int64_t offset = n > 2 ? args[2].i : 0;
    if (sub.n == 0 && e->profile == DRAY_CEL_026)
        return dray_cel_of_int(offset); /* whatever it is */
    if (offset < 0)
        return out_of_range(e, offset);
    int64_t size = (int64_t)dray_cel_eval_size(e, s);
    if (e->program->runtime->spec && offset > size)
        return out_of_range(e, offset);
    if (sub.n == 0)
        return dray_cel_of_int(offset > size ? size : offset);
    if (offset >= size)
        return dray_cel_of_int(-1);
    size_t from = byte_of(e, s, offset);
    const char *found = memmem(s.s + from, s.n - from, sub.s, sub.n);
    return dray_cel_of_int(found == NULL ? -1 : points_to(s, (size_t)(found - s.s)));
}

/* The last place ≤ `from` bytes where sub (not empty) stands; SIZE_MAX: nowhere. */
static size_t find_last(dray_cel_eval *e, dray_cel_value s, dray_cel_value sub, size_t from) {
    if (sub.n > s.n)
        return SIZE_MAX;
    size_t at = from < s.n - sub.n ? from : s.n - sub.n;
    for (;; at--) {
        /* What differs at neither end may be compared for long. */
        if (s.s[at] == sub.s[0] && s.s[at + sub.n - 1] == sub.s[sub.n - 1]) {
            if (!dray_cel_eval_work(e, sub.n / 64))
                return SIZE_MAX;
            if (memcmp(s.s + at, sub.s, sub.n) == 0)
                return at;
        }
        if (at == 0)
            return SIZE_MAX;
    }
}

FN(last_index_of) {
    dray_cel_value s = args[0], sub = args[1];
    int64_t size = (int64_t)dray_cel_eval_size(e, s);
    if (n == 2 && sub.n == 0)
        return dray_cel_of_int(size);
    if (n == 2 && s.n < sub.n)
        return dray_cel_of_int(-1);
    int64_t offset = n > 2 ? args[2].i : size - 1;
    if (n > 2 && sub.n == 0 && e->profile == DRAY_CEL_026)
        return dray_cel_of_int(offset);
    if (offset < 0 || (e->program->runtime->spec && offset > size))
        return out_of_range(e, offset);
    if (sub.n == 0)
        return dray_cel_of_int(offset > size ? size : offset);
    if (offset >= size)
        return dray_cel_of_int(-1);
    size_t found = find_last(e, s, sub, byte_of(e, s, offset));
    return dray_cel_of_int(found == SIZE_MAX ? -1 : points_to(s, found));
}

/* Eight letters at a time: a byte below 128 is from..to when adding carries into its top bit for
 * `from` and not for what comes after `to`. */
static uint64_t change_word(uint64_t w, char from, char to) {
    const uint64_t each = 0x0101010101010101u, top = each * 0x80;
    uint64_t low = w & ~top;
    uint64_t above = low + each * (uint64_t)(0x80 - from);
    uint64_t past = low + each * (uint64_t)(0x80 - to - 1);
    return w ^ ((above & ~past & ~w & top) >> 2); /* the letters' cases differ by 0x20 */
}

static dray_cel_value change_case(dray_cel_eval *e, dray_cel_value s, char from, char to) {
    uint64_t word = 0;
    if (!dray_cel_eval_fits(e, s.n))
        return dray_cel_no_overload;
    char *p = dray_arena_bytes(e->arena, s.n + 1);
    uint32_t i = 0;
    for (; s.n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, s.s + i, sizeof word);
        word = change_word(word, from, to);
        memcpy(p + i, &word, sizeof word);
    }
    for (; i < s.n; i++)
        p[i] = s.s[i] >= from && s.s[i] <= to ? (char)(s.s[i] ^ 0x20) : s.s[i];
    s.s = p;
    return s;
}
FN(lower_ascii) {
    return change_case(e, args[0], 'A', 'Z');
}
FN(upper_ascii) {
    return change_case(e, args[0], 'a', 'z');
}

/* What is looked for (not empty), with its first eight bytes as a number. */
typedef struct needle {
    dray_str text;
    uint64_t want, mask;
} needle;

static needle needle_of(dray_str text) {
    needle n = {text, 0, text.n < 8 ? (UINT64_C(1) << text.n * 8) - 1 : UINT64_MAX};
    memcpy(&n.want, text.p, text.n < 8 ? text.n : 8);
    return n;
}

/* The first place ≥ from where it stands; SIZE_MAX: nowhere. */
static size_t find_next(dray_str s, size_t from, const needle *n) {
    enum { NEAR = 16 }; /* places looked at before a search with a start-up cost pays */
    uint64_t word;
    for (int i = 0; i < NEAR && from + n->text.n <= s.n && from + sizeof word <= s.n; i++, from++) {
        memcpy(&word, s.p + from, sizeof word);
        if ((word & n->mask) == n->want &&
            (n->text.n <= sizeof word || memcmp(s.p + from, n->text.p, n->text.n) == 0))
            return from;
    }
    if (from + n->text.n > s.n)
        return SIZE_MAX;
    const char *found = memmem(s.p + from, s.n - from, n->text.p, n->text.n);
    return found == NULL ? SIZE_MAX : (size_t)(found - s.p);
}

/* How often old stands in s without overlap, at most limit (negative: no limit). An empty old
 * stands before each code point and at the end. */
static uint64_t count_of(dray_cel_eval *e, dray_cel_value s, dray_cel_value old, int64_t limit) {
    uint64_t count = 0;
    dray_str text = dray_cel_str(s), sub = dray_cel_str(old);
    if (sub.n == 0)
        count = dray_cel_eval_size(e, s) + 1;
    else if (sub.n == 1)
        for (size_t i = 0; i < text.n; i++)
            count += text.p[i] == sub.p[0];
    else {
        needle n = needle_of(sub);
        for (size_t at = 0; (at = find_next(text, at, &n)) != SIZE_MAX; at += sub.n)
            count++;
    }
    return limit >= 0 && (uint64_t)limit < count ? (uint64_t)limit : count;
}

/* For an old of one byte. */
static void replace_byte(char *p, const dray_cel_replacement *r) {
    enum { WORD = 8 };
    char word[WORD] = {0};
    uint64_t count = r->count;
    size_t i = 0;
    bool is_short = r->new.n <= WORD;
    memcpy(word, r->new.s, is_short ? r->new.n : 0);
    for (; count > 0; i++) {
        if (r->s.s[i] != r->old.s[0]) {
            *p++ = r->s.s[i];
            continue;
        }
        if (is_short)
            memcpy(p, word, WORD); /* there is room for one word past the end */
        else
            memcpy(p, r->new.s, r->new.n);
        p += r->new.n;
        count--;
    }
    memcpy(p, r->s.s + i, r->s.n - i);
}

/* strings.Replace: s with `count` replacements, at p. */
static void replace_into(char *p, const dray_cel_replacement *r) {
    dray_str s = dray_cel_str(r->s), old = dray_cel_str(r->old), new = dray_cel_str(r->new);
    size_t from = 0;
    if (old.n == 1) {
        replace_byte(p, r);
        return;
    }
    needle wanted = old.n > 0 ? needle_of(old) : (needle){0};
    for (uint64_t i = 0; i < r->count; i++) {
        size_t at = from;
        if (old.n == 0 && i > 0)
            dray_utf8_next(s, &at);
        else if (old.n > 0)
            at = find_next(s, from, &wanted);
        memcpy(p, s.p + from, at - from);
        p += at - from;
        memcpy(p, new.p, new.n);
        p += new.n;
        from = at + old.n;
    }
    memcpy(p, s.p + from, s.n - from);
}

dray_cel_value dray_cel_eval_written(dray_cel_eval *e, dray_cel_value v) {
    if (!dray_cel_eval_fits(e, v.n))
        return dray_cel_no_overload;
    char *p = dray_arena_bytes(e->arena, (size_t)v.n + sizeof(uint64_t));
    replace_into(p, v.replacement);
    v.flags &= (uint8_t)~DRAY_CEL_UNWRITTEN;
    v.s = p;
    return v;
}

FN(replace) {
    dray_cel_value s = args[0], old = args[1], new = args[2];
    if (dray_str_eq(dray_cel_str(old), dray_cel_str(new)))
        return s;
    uint64_t count = count_of(e, s, old, n > 3 ? args[3].i : -1);
    if (count == 0)
        return s;
    uint64_t bytes = s.n + count * new.n - count *old.n;
    if (bytes > UINT32_MAX)
        return dray_cel_eval_full(e);
    dray_cel_replacement *r = DRAY_NEW(e->arena, dray_cel_replacement);
    *r = (dray_cel_replacement){
        .s = s,
        .old = old,
        .new = new,
        .count = count,
        .points = dray_cel_eval_size(e, s) + count *dray_cel_eval_size(e, new) -
                  count *dray_cel_eval_size(e, old),
    };
    dray_cel_value v = {.kind = DRAY_CEL_STRING,
                        .flags = DRAY_CEL_UNWRITTEN | (s.flags & new.flags &DRAY_CEL_ASCII),
                        .n = (uint32_t)bytes,
                        .replacement = r};
    if (bytes <= WRITTEN_LATER)
        return dray_cel_eval_written(e, v);
    e->unwritten = true;
    return v;
}

FN(split) {
    dray_cel_value s = args[0], sep = args[1], list = dray_cel_empty_list;
    int64_t limit = n > 2 ? args[2].i : -1;
    if (limit == 0)
        return list;
    size_t from = 0;
    dray_str text = dray_cel_str(s);
    needle wanted = sep.n > 0 ? needle_of(dray_cel_str(sep)) : (needle){0};
    /* An empty separator splits after each code point; an empty text then has no parts. */
    while (sep.n > 0 || from < s.n) {
        size_t at;
        if (limit > 0 && (int64_t)list.list->n == limit - 1)
            return dray_cel_list_append(e->arena, list, part(s, from, s.n));
        if (sep.n == 0) {
            at = from;
            dray_utf8_next(text, &at);
        } else {
            at = find_next(text, from, &wanted);
            if (at == SIZE_MAX)
                return dray_cel_list_append(e->arena, list, part(s, from, s.n));
        }
        if (dray_arena_spent(e->arena))
            return dray_cel_eval_full(e);
        list = dray_cel_list_append(e->arena, list, part(s, from, at));
        from = at + sep.n;
    }
    return list;
}

FN(substring) {
    dray_cel_value s = args[0];
    int64_t start = args[1].i;
    if (n > 2 && start > args[2].i)
        return dray_cel_failf(e->arena, "invalid substring range. start: %lld, end: %lld",
                              (long long)start, (long long)args[2].i);
    size_t from = byte_of(e, s, start);
    if (from == SIZE_MAX)
        return out_of_range(e, start);
    size_t to = n > 2 ? byte_of(e, s, args[2].i) : s.n;
    return to == SIZE_MAX ? out_of_range(e, args[2].i) : part(s, from, to);
}

/* Unicode's White_Space. */
static bool is_space(int32_t c) {
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

FN(trim) {
    dray_str s = dray_cel_str(args[0]);
    size_t from = 0, to = 0, at = 0;
    bool started = false;
    while (at < s.n) {
        size_t start = at;
        if (is_space(dray_utf8_next(s, &at)))
            continue;
        if (!started)
            from = start;
        started = true;
        to = at;
    }
    return started ? part(args[0], from, to) : dray_cel_of_str(DRAY_STR(""));
}

/* Bytes and code points of a list's texts with `gap` between them. False: ret_wrong is no text, or
 * the evaluation has ended. */
static bool measure(dray_cel_eval *e, const dray_cel_list *list, dray_cel_value gap,
                    uint64_t *ret_bytes, uint64_t *ret_points, dray_cel_value *ret_wrong) {
    *ret_wrong = dray_cel_no_overload;
    if (!dray_cel_eval_work(e, list->n))
        return false;
    uint64_t gaps = list->n > 0 ? list->n - 1 : 0;
    *ret_bytes = gaps * gap.n;
    *ret_points = gaps * dray_cel_eval_size(e, gap);
    dray_cel_walk walk = dray_cel_walk_of(list);
    for (const dray_cel_value *v; (v = dray_cel_walk_next(&walk)) != NULL;) {
        *ret_wrong = *v;
        if (v->kind != DRAY_CEL_STRING)
            return false;
        *ret_bytes += v->n;
        *ret_points += dray_cel_eval_size(e, *v);
        /* Each of the texts may be long, and be one of many. */
        if (!(v->flags & DRAY_CEL_ASCII) && !dray_cel_eval_work(e, v->n / 64))
            return false;
    }
    return true;
}

FN(join) {
    const dray_cel_list *list = args[0].list;
    dray_cel_value gap = n > 1 ? args[1] : (dray_cel_value){.kind = DRAY_CEL_STRING, .s = ""},
                   wrong;
    uint64_t bytes, points;
    if (!measure(e, list, gap, &bytes, &points, &wrong)) {
        DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
        if (e->stopped)
            return dray_cel_no_overload;
        dray_cel_print_value(&out, wrong);
        return dray_cel_failf(e->arena, "join: invalid input: " DRAY_FMT,
                              DRAY_ARG(dray_buf_str(&out)));
    }
    const dray_cel_value like = {.kind = DRAY_CEL_STRING,
                                 .flags = DRAY_CEL_ASCII,
                                 .n = points < UINT32_MAX ? (uint32_t)points : UINT32_MAX,
                                 .s = ""};
    if (dray_cel_eval_result_over(e, args, n, like) || !dray_cel_eval_fits(e, bytes))
        return dray_cel_no_overload;
    char *start = dray_arena_bytes(e->arena, bytes + 1), *p = start;
    dray_cel_walk walk = dray_cel_walk_of(list);
    const dray_cel_value *v;
    for (bool first = true; (v = dray_cel_walk_next(&walk)) != NULL; first = false) {
        if (!first)
            p = mempcpy(p, gap.s, gap.n);
        p = mempcpy(p, v->s, v->n);
    }
    return dray_cel_of_str((dray_str){start, bytes});
}

/* Texts are UTF-8 already: no byte of a wide character is special. */
FN(quote) {
    static const char letter[256] = {
        ['\a'] = 'a', ['\b'] = 'b', ['\f'] = 'f',  ['\n'] = 'n', ['\r'] = 'r',
        ['\t'] = 't', ['\v'] = 'v', ['\\'] = '\\', ['"'] = '"'};
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_str s = dray_cel_str(args[0]);
    dray_buf_putc(&out, '"');
    for (size_t at = 0, start; at < s.n; at++) {
        for (start = at; at < s.n && letter[(unsigned char)s.p[at]] == '\0'; at++)
            ;
        dray_buf_add(&out, s.p + start, at - start);
        if (at == s.n)
            break;
        dray_buf_putc(&out, '\\');
        dray_buf_putc(&out, letter[(unsigned char)s.p[at]]);
    }
    dray_buf_putc(&out, '"');
    if (!dray_cel_eval_fits(e, out.n))
        return dray_cel_no_overload;
    return dray_cel_of_str(dray_str_dup(e->arena, dray_buf_str(&out)));
}

FN(reverse) {
    dray_str s = dray_cel_str(args[0]);
    char *p = dray_arena_bytes(e->arena, s.n + 1);
    for (size_t at = 0; at < s.n;) {
        size_t start = at;
        dray_utf8_next(s, &at);
        memcpy(p + s.n - at, s.p + start, at - start);
    }
    return dray_cel_of_str((dray_str){p, s.n});
}

static uint64_t tenth(dray_cel_eval *e, const dray_cel_value *args, uint32_t n,
                      const dray_cel_value *result) {
    return dray_cel_scaled(dray_cel_eval_size(e, args[0]), 0.1);
}

static const dray_cel_impl_row overloads[] = {
    {"string_char_at_int", char_at},
    {"string_index_of_string", index_of},
    {"string_index_of_string_int", index_of},
    {"string_last_index_of_string", last_index_of},
    {"string_last_index_of_string_int", last_index_of},
    {"string_lower_ascii", lower_ascii},
    {"string_upper_ascii", upper_ascii},
    {"string_replace_string_string", replace},
    {"string_replace_string_string_int", replace},
    {"string_split_string", split},
    {"string_split_string_int", split},
    {"string_substring_int", substring},
    {"string_substring_int_int", substring},
    {"string_trim", trim},
    {"list_join", join},
    {"list_join_string", join},
    {"strings_quote", quote, tenth},
    {"string_reverse", reverse},
};

const dray_cel_impl_table dray_cel_impls_strings = {NULL, 0, overloads, DRAY_COUNT(overloads)};
