/* Semantic versions: reading, writing, order. */
#include "obj/semver.h"

#include "base/utf8.h"
#include "base/vec.h"

#include <inttypes.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static bool all(dray_str s, bool (*is)(char c)) {
    for (size_t i = 0; i < s.n; i++)
        if (!is(s.p[i]))
            return false;
    return true;
}

/* what is a format with one %s for the quoted value. */
static dray_code fail(dray_err *err, const char *what, dray_str value) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    return dray_err_set(err, DRAY_E_INVALID, what, dray_utf8_quote(value, arena).p);
}

/* Only digits; as Go's strconv.ParseUint. */
static dray_code read_uint(dray_str digits, uint64_t *ret, dray_err *err) {
    uint64_t value = 0;
    if (digits.n == 0)
        return fail(err, "strconv.ParseUint: parsing %s: invalid syntax", digits);
    for (size_t i = 0; i < digits.n; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(digits.p[i] - '0'), &value))
            return fail(err, "strconv.ParseUint: parsing %s: value out of range", digits);
    *ret = value;
    return DRAY_OK;
}

/* The three numbers and what is said of bad ones. */
enum { MAJOR, MINOR, PATCH };
static const struct {
    const char *characters, *zeroes;
} complaints[] = {
    [MAJOR] = {"Invalid character(s) found in major number %s",
               "Major number must not contain leading zeroes %s"},
    [MINOR] = {"Invalid character(s) found in minor number %s",
               "Minor number must not contain leading zeroes %s"},
    [PATCH] = {"Invalid character(s) found in patch number %s",
               "Patch number must not contain leading zeroes %s"},
};

static dray_code read_number(dray_str text, int which, uint64_t *ret, dray_err *err) {
    if (!all(text, is_digit))
        return fail(err, complaints[which].characters, text);
    if (text.n > 1 && text.p[0] == '0')
        return fail(err, complaints[which].zeroes, text);
    return read_uint(text, ret, err);
}

/* Takes the next part off a list with dots; false when all were taken (p == NULL). */
static bool next_part(dray_str *rest, dray_str *ret) {
    if (rest->p == NULL)
        return false;
    dray_str tail = DRAY_STR_NONE;
    dray_str_cut(*rest, '.', ret, &tail);
    *rest = tail;
    return true;
}

static dray_code check_pre(dray_str pre, dray_err *err) {
    dray_str part;
    uint64_t ignored;
    dray_code code = DRAY_OK;
    while (code == DRAY_OK && next_part(&pre, &part)) {
        if (part.n == 0)
            code = dray_err_set(err, DRAY_E_INVALID, "Prerelease is empty");
        else if (!all(part, is_letter))
            code = fail(err, "Invalid character(s) found in prerelease %s", part);
        else if (all(part, is_digit) && part.n > 1 && part.p[0] == '0')
            code = fail(err, "Numeric PreRelease version must not contain leading zeroes %s", part);
        else if (all(part, is_digit))
            code = read_uint(part, &ignored, err);
    }
    return code;
}

static dray_code check_build(dray_str build, dray_err *err) {
    dray_str part;
    while (next_part(&build, &part)) {
        if (part.n == 0)
            return dray_err_set(err, DRAY_E_INVALID, "Build meta data is empty");
        if (!all(part, is_letter))
            return fail(err, "Invalid character(s) found in build meta data %s", part);
    }
    return DRAY_OK;
}

/* version = major "." minor "." patch [ "-" pre ] [ "+" build ] */
static dray_code parse_strict(dray_str text, dray_semver *ret, dray_err *err) {
    dray_str major, minor, patch;
    dray_semver v = {0};
    if (text.n == 0)
        return dray_err_set(err, DRAY_E_INVALID, "Version string empty");
    if (!dray_str_cut(text, '.', &major, &patch) || !dray_str_cut(patch, '.', &minor, &patch))
        return dray_err_set(err, DRAY_E_INVALID, "No Major.Minor.Patch elements found");
    dray_str_cut(patch, '+', &patch, &v.build);
    dray_str_cut(patch, '-', &patch, &v.pre);
    dray_code code = read_number(major, MAJOR, &v.major, err);
    if (code == DRAY_OK)
        code = read_number(minor, MINOR, &v.minor, err);
    if (code == DRAY_OK)
        code = read_number(patch, PATCH, &v.patch, err);
    if (code == DRAY_OK)
        code = check_pre(v.pre, err);
    if (code == DRAY_OK)
        code = check_build(v.build, err);
    if (code == DRAY_OK)
        *ret = v;
    return code;
}

/* Drops leading zeros but for one before anything that is no digit. */
static dray_str drop_zeros(dray_str part) {
    size_t zeros = 0;
    while (part.n > 1 && zeros < part.n && part.p[zeros] == '0')
        zeros++;
    if (part.n > 1 && (zeros == part.n || !is_digit(part.p[zeros])))
        return zeros != 0 ? dray_str_slice(part, zeros - 1, part.n) : DRAY_STR_NONE;
    return dray_str_slice(part, zeros, part.n);
}

/* A part that begins with no digit at all gets a zero in front, as upstream has it. */
static void add_part(dray_buf *buf, dray_str part) {
    dray_str kept = drop_zeros(part);
    if (kept.p == NULL) {
        dray_buf_putc(buf, '0');
        kept = part;
    }
    dray_buf_str_add(buf, kept);
}

static dray_code parse_normalized(dray_str text, dray_arena *arena, dray_semver *ret,
                                  dray_err *err) {
    dray_str rest = dray_str_starts(text, DRAY_STR("v")) ? dray_str_slice(text, 1, text.n) : text;
    DRAY_CLEANUP_BUF dray_buf buf = DRAY_BUF_INIT;
    dray_str part = rest;
    size_t parts = 1;
    while (parts < 3 && dray_str_cut(rest, '.', &part, &rest)) {
        add_part(&buf, part);
        dray_buf_putc(&buf, '.');
        part = rest;
        parts++;
    }
    if (parts < 3 && (dray_str_chr(part, '+') != SIZE_MAX || dray_str_chr(part, '-') != SIZE_MAX))
        return dray_err_set(err, DRAY_E_INVALID,
                            "short version cannot contain PreRelease/Build meta data");
    add_part(&buf, part);
    for (; parts < 3; parts++)
        dray_buf_puts(&buf, ".0");
    return parse_strict(dray_str_dup(arena, dray_buf_str(&buf)), ret, err);
}

dray_code dray_semver_parse(dray_str text, bool normalize, dray_arena *arena, dray_semver *ret,
                            dray_err *err) {
    return normalize ? parse_normalized(text, arena, ret, err) : parse_strict(text, ret, err);
}

dray_str dray_semver_format(dray_semver v, dray_arena *arena) {
    return dray_strf(arena, "%" PRIu64 ".%" PRIu64 ".%" PRIu64 "%s" DRAY_FMT "%s" DRAY_FMT, v.major,
                     v.minor, v.patch, v.pre.n != 0 ? "-" : "", DRAY_ARG(v.pre),
                     v.build.n != 0 ? "+" : "", DRAY_ARG(v.build));
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* Numbers before words; numbers by value, which without leading zeros is length, then bytes. */
static int compare_parts(dray_str a, dray_str b) {
    bool a_is_number = all(a, is_digit), b_is_number = all(b, is_digit);
    if (a_is_number != b_is_number)
        return a_is_number ? -1 : 1;
    if (a_is_number && a.n != b.n)
        return a.n < b.n ? -1 : 1;
    return dray_str_cmp(a, b);
}

static int compare_pre(dray_str a, dray_str b) {
    if (a.n == 0 || b.n == 0)
        return (a.n == 0) - (b.n == 0);
    dray_str left, right;
    for (;;) {
        bool more_left = next_part(&a, &left), more_right = next_part(&b, &right);
        if (!more_left || !more_right)
            return more_left - more_right;
        int order = compare_parts(left, right);
        if (order != 0)
            return order;
    }
}

int dray_semver_cmp(dray_semver a, dray_semver b) {
    int order = compare_numbers(a.major, b.major);
    if (order == 0)
        order = compare_numbers(a.minor, b.minor);
    if (order == 0)
        order = compare_numbers(a.patch, b.patch);
    return order != 0 ? order : compare_pre(a.pre, b.pre);
}
