/* Names of container images: [DOMAIN[:PORT]/]PATH[:TAG][@DIGEST]. */
#include "api/rules/image.h"

enum {
    NAME_MAX_BYTES = 255,
    HUB_BYTES = 9, /* of the domain that a name without one gets */
    TAG_MAX = 128,
    HEX_ID = 64,
};

static bool is_lower_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c) {
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of the separator at s[at] within a path component: . _ __ or hyphens. */
static size_t separator(dray_str s, size_t at) {
    if (s.p[at] == '.')
        return 1;
    if (s.p[at] == '_')
        return at + 1 < s.n && s.p[at + 1] == '_' ? 2 : 1;
    size_t n = 0;
    while (at + n < s.n && s.p[at + n] == '-')
        n++;
    return n;
}

/* [a-z0-9]+(separator[a-z0-9]+)* */
static bool is_path_component(dray_str s) {
    size_t at = 0;
    while (at < s.n && is_lower_alnum(s.p[at])) {
        while (at < s.n && is_lower_alnum(s.p[at]))
            at++;
        if (at == s.n)
            return true;
        size_t n = separator(s, at);
        if (n == 0)
            return false;
        at += n;
    }
    return false;
}

static bool is_path(dray_str s) {
    dray_str part, rest = s;
    bool more = true;
    while (more) {
        more = dray_str_cut(rest, '/', &part, &rest);
        if (!is_path_component(part))
            return false;
    }
    return true;
}

static bool is_domain_name(dray_str s) {
    dray_str part, rest = s;
    bool more = true;
    while (more) {
        more = dray_str_cut(rest, '.', &part, &rest);
        for (size_t i = 0; i < part.n; i++)
            if (!is_alnum(part.p[i]) && (part.p[i] != '-' || i == 0 || i + 1 == part.n))
                return false;
        if (part.n == 0)
            return false;
    }
    return true;
}

/* [hex and colons] */
static bool is_bracketed(dray_str s) {
    if (s.n < 3 || s.p[0] != '[' || s.p[s.n - 1] != ']')
        return false;
    for (size_t i = 1; i + 1 < s.n; i++)
        if (!is_hex(s.p[i]) && s.p[i] != ':')
            return false;
    return true;
}

static bool is_domain(dray_str s) {
    size_t colon = dray_str_rchr(s, ':');
    bool bracketed = s.n > 0 && s.p[0] == '[';
    if (bracketed && colon != SIZE_MAX && s.p[s.n - 1] == ']')
        colon = SIZE_MAX;
    dray_str host = colon == SIZE_MAX ? s : dray_str_slice(s, 0, colon);
    for (size_t i = colon; colon != SIZE_MAX && ++i < s.n;)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return (colon == SIZE_MAX || colon + 1 < s.n) &&
           (bracketed ? is_bracketed(host) : is_domain_name(host));
}

static bool is_tag(dray_str s) {
    for (size_t i = 0; i < s.n; i++) {
        bool word = is_alnum(s.p[i]) || s.p[i] == '_';
        if (!word && (i == 0 || (s.p[i] != '.' && s.p[i] != '-')))
            return false;
    }
    return s.n > 0 && s.n <= TAG_MAX;
}

/* A digest of one of the algorithms that there are, with its number of lower-case digits. */
static bool is_digest(dray_str s) {
    static const struct {
        const char *name;
        size_t digits;
    } algorithms[] = {{"sha256", 64}, {"sha384", 96}, {"sha512", 128}};
    dray_str name, digits;
    if (!dray_str_cut(s, ':', &name, &digits))
        return false;
    for (size_t i = 0; i < digits.n; i++)
        if (!is_hex(digits.p[i]) || (digits.p[i] >= 'A' && digits.p[i] <= 'F'))
            return false;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        if (dray_str_is(name, algorithms[i].name))
            return digits.n == algorithms[i].digits;
    return false;
}

static bool has_upper(dray_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] >= 'A' && s.p[i] <= 'Z')
            return true;
    return false;
}

/* What stands before the first slash is a domain only if it looks like one. */
static bool looks_like_domain(dray_str s) {
    return dray_str_chr(s, '.') != SIZE_MAX || dray_str_chr(s, ':') != SIZE_MAX ||
           dray_str_is(s, "localhost") || has_upper(s);
}

static bool is_hex_id(dray_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_hex(s.p[i]) || (s.p[i] >= 'A' && s.p[i] <= 'F'))
            return false;
    return s.n == HEX_ID;
}

bool dray_image_is_latest(dray_str image) {
    dray_str domain, rest, name, digest = DRAY_STR_NONE, tag = DRAY_STR_NONE;
    if (is_hex_id(image))
        return false;
    bool has_domain = dray_str_cut(image, '/', &domain, &rest) && looks_like_domain(domain);
    if (!has_domain)
        rest = image;
    if (dray_str_cut(rest, '@', &name, &digest) && !is_digest(digest))
        return false;
    if (dray_str_cut(name, ':', &name, &tag) && !is_tag(tag))
        return false;
    bool official = !has_domain && dray_str_chr(name, '/') == SIZE_MAX;
    size_t whole =
        (has_domain ? domain.n : HUB_BYTES) + 1 + name.n + (official ? strlen("library/") : 0);
    if ((has_domain && !is_domain(domain)) || !is_path(name) || whole > NAME_MAX_BYTES)
        return false;
    if (tag.p == NULL)
        return digest.p == NULL;
    return dray_str_is(tag, "latest");
}
