/* The grammar of image names: [domain[:port]/]path[:tag][@digest]. */
#include "api/default/image_int.h"

#include "base/vec.h"

enum { PATH_LIMIT = 255, TAG_LIMIT = 128, ID_LENGTH = 64 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_low(char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c);
}
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool all(dray_str s, bool (*is)(char c)) {
    for (size_t i = 0; i < s.n; i++)
        if (!is(s.p[i]))
            return false;
    return s.n > 0;
}

/* Words of a-z0-9 with one of . _ __ or any number of - between two. */
static bool is_component(dray_str s) {
    size_t i = 0;
    for (;;) {
        size_t word = i;
        while (i < s.n && is_low(s.p[i]))
            i++;
        if (i == word)
            return false;
        if (i == s.n)
            return true;
        size_t gap = i;
        while (i < s.n && s.p[i] == s.p[gap])
            i++;
        size_t most = s.p[gap] == '-' ? SIZE_MAX : s.p[gap] == '_' ? 2 : s.p[gap] == '.' ? 1 : 0;
        if (i - gap > most)
            return false;
    }
}

static bool is_path(dray_str s) {
    dray_str head, tail = s;
    for (bool more = true; more;) {
        more = dray_str_cut(tail, '/', &head, &tail);
        if (!is_component(head))
            return false;
    }
    return s.n <= PATH_LIMIT;
}

static bool is_host(dray_str s) {
    dray_str head, tail = s;
    if (s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']') {
        for (size_t i = 1; i + 1 < s.n; i++)
            if (!is_hex(s.p[i]) && !(s.p[i] >= 'A' && s.p[i] <= 'F') && s.p[i] != ':')
                return false;
        return true;
    }
    for (bool more = true; more;) {
        more = dray_str_cut(tail, '.', &head, &tail);
        if (head.n == 0 || head.p[0] == '-' || head.p[head.n - 1] == '-')
            return false;
        for (size_t i = 0; i < head.n; i++)
            if (!is_letter(head.p[i]) && !is_digit(head.p[i]) && head.p[i] != '-')
                return false;
    }
    return true;
}

static bool is_domain(dray_str s) {
    size_t colon = dray_str_rchr(s, ':');
    if (colon != SIZE_MAX && all(dray_str_slice(s, colon + 1, s.n), is_digit))
        s = dray_str_slice(s, 0, colon);
    return is_host(s);
}

static bool is_tag(dray_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_letter(s.p[i]) && !is_digit(s.p[i]) && s.p[i] != '_' &&
            (i == 0 || (s.p[i] != '.' && s.p[i] != '-')))
            return false;
    return s.n > 0 && s.n <= TAG_LIMIT;
}

static bool is_digest(dray_str s) {
    static const struct {
        const char *name;
        size_t length;
    } known[] = {{"sha256", 64}, {"sha384", 96}, {"sha512", 128}};
    dray_str algorithm, hex;
    if (!dray_str_cut(s, ':', &algorithm, &hex) || !all(hex, is_hex))
        return false;
    for (size_t i = 0; i < DRAY_COUNT(known); i++)
        if (dray_str_is(algorithm, known[i].name))
            return hex.n == known[i].length;
    return false;
}

/* Whether the first part of a name stands for a registry. */
static bool names_registry(dray_str first) {
    for (size_t i = 0; i < first.n; i++)
        if (first.p[i] == '.' || first.p[i] == ':' || (first.p[i] >= 'A' && first.p[i] <= 'Z'))
            return true;
    return dray_str_is(first, "localhost");
}

bool dray_image_is_latest(dray_str image) {
    dray_str first, rest, name, tag, digest;
    if (image.n == ID_LENGTH && all(image, is_hex))
        return false;
    if (!dray_str_cut(image, '/', &first, &rest) || !names_registry(first))
        rest = image;
    bool registry = rest.p != image.p;
    bool has_digest = dray_str_cut(rest, '@', &name, &digest);
    bool has_tag = dray_str_cut(name, ':', &name, &tag);
    if ((has_digest && !is_digest(digest)) || (has_tag && !is_tag(tag)) || !is_path(name))
        return false;
    /* What is no domain may still be the first part of a path. */
    if (registry && !is_domain(first) &&
        (!is_component(first) || first.n + 1 + name.n > PATH_LIMIT))
        return false;
    return has_tag ? dray_str_is(tag, "latest") : !has_digest;
}
