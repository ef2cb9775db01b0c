/* Formats of names: which characters may stand where, and the texts for what breaks the rule. */
#include "obj/names.h"

enum {
    LABEL_MAX = 63,
    SUBDOMAIN_MAX = 253,
    PORT_NAME_MAX = 15,
    UUID_LENGTH = 36,
};

#define LABEL_RE "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define SUBDOMAIN_RE LABEL_RE "(\\." LABEL_RE ")*"
#define KEY_RE "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define REGEX(re) "regex used for validation is '" re "')"

#define LABEL_TEXT                                                                                  \
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "        \
    "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " REGEX( \
        LABEL_RE)
#define SUBDOMAIN_TEXT                                                                           \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "    \
    "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', " REGEX( \
        SUBDOMAIN_RE)
#define CASELESS_TEXT                                                                 \
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and " \
    "must start and end with an alphanumeric character (e.g. 'Example.com', " REGEX(SUBDOMAIN_RE)
#define LABEL_1035_TEXT                                                            \
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " \
    "start with an alphabetic character, and end with an alphanumeric character "  \
    "(e.g. 'my-name',  or 'abc-123', " REGEX("[a-z]([-a-z0-9]*[a-z0-9])?")
#define WILDCARD_TEXT                                                                  \
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS "     \
    "subdomain, which must consist of lower case alphanumeric characters, '-' or '.' " \
    "and end with an alphanumeric character (e.g. '*.example.com', " REGEX("\\*\\." SUBDOMAIN_RE)
#define KEY_TEXT                                                                        \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end " \
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " REGEX(KEY_RE)
#define LABEL_VALUE_TEXT                                                                   \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', "   \
    "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  " \
    "or 'my_value',  or '12345', " REGEX("(" KEY_RE ")?")
#define IDENTIFIER_TEXT                                                                \
    "a valid C identifier must start with alphabetic character or '_', followed by a " \
    "string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or "    \
    "'MyName', " REGEX("[A-Za-z_][A-Za-z0-9_]*")
#define ENV_TEXT                                                                        \
    "a valid environment variable name must consist of alphabetic characters, digits, " \
    "'_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or "       \
    "'MY_ENV.NAME',  or 'MyEnvName1', " REGEX("[-._a-zA-Z][-._a-zA-Z0-9]*")
#define CONFIG_KEY_TEXT                                                            \
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' " \
    "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " REGEX("[-._a-zA-Z0-9]+")

/* The texts that one check collects. */
typedef struct texts {
    dray_str *out;
    size_t n;
    dray_arena *arena;
} texts;

static void add(texts *t, dray_str text) {
    if (t->n < DRAY_NAME_TEXTS)
        t->out[t->n++] = text;
}

static void add_too_long(texts *t, const char *prefix, int limit, const char *unit) {
    add(t, dray_strf(t->arena, "%smust be no more than %d %s", prefix, limit, unit));
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_alpha(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}

static bool is_alnum(char c) {
    return is_alpha(c) || is_digit(c);
}

static bool is_one_of(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

/* The bytes at i of a letter beyond ASCII that folds into it: the Kelvin sign is a k, the long s an
 * s. */
static size_t folded_letter(dray_str s, size_t i) {
    static const dray_str letters[] = {DRAY_STR_INIT("\xe2\x84\xaa"), DRAY_STR_INIT("\xc5\xbf")};
    for (size_t j = 0; j < sizeof letters / sizeof *letters; j++)
        if (dray_str_starts(dray_str_slice(s, i, s.n), letters[j]))
            return letters[j].n;
    return 0;
}

/* [a-z0-9]([-a-z0-9]*[a-z0-9])?, caseless as Go's (?i). */
static bool is_label(dray_str s, bool caseless) {
    for (size_t i = 0; i < s.n; i++) {
        bool letter = is_lower(s.p[i]) || is_digit(s.p[i]) || (caseless && is_alpha(s.p[i]));
        size_t folded = caseless && !letter ? folded_letter(s, i) : 0;
        if (folded > 0)
            i += folded - 1;
        else if (!letter && (s.p[i] != '-' || i == 0 || i + 1 == s.n))
            return false;
    }
    return s.n > 0;
}

static bool is_subdomain(dray_str s, bool caseless) {
    dray_str head, tail = s;
    bool more = true;
    while (more) {
        more = dray_str_cut(tail, '.', &head, &tail);
        if (!is_label(head, caseless))
            return false;
    }
    return true;
}

/* ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9] */
static bool is_key(dray_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_alnum(s.p[i]) && (!is_one_of(s.p[i], "-_.") || i == 0 || i + 1 == s.n))
            return false;
    return s.n > 0;
}

dray_str dray_lower_name(dray_str s, dray_arena *arena) {
    char *text = dray_arena_bytes(arena, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (dray_str_starts(dray_str_slice(s, i, s.n), DRAY_STR("\xe2\x84\xaa"))) {
            text[n++] = 'k';
            i += 2;
        } else {
            text[n++] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + ('a' - 'A')) : s.p[i];
        }
    }
    return dray_str_n(text, n);
}

static size_t label(dray_str s, dray_str *out, dray_arena *arena, const char *unit) {
    texts t = {out, 0, arena};
    if (s.n > LABEL_MAX)
        add_too_long(&t, "", LABEL_MAX, unit);
    if (!is_label(s, false))
        add(&t, is_subdomain(s, false) ? DRAY_STR("must not contain dots") : DRAY_STR(LABEL_TEXT));
    return t.n;
}

static size_t subdomain(dray_str s, dray_str *out, dray_arena *arena, const char *unit) {
    texts t = {out, 0, arena};
    if (s.n > SUBDOMAIN_MAX)
        add_too_long(&t, "", SUBDOMAIN_MAX, unit);
    if (!is_subdomain(s, false))
        add(&t, DRAY_STR(SUBDOMAIN_TEXT));
    return t.n;
}

size_t dray_check_dns1123_label(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    return label(s, out, arena, "characters");
}

size_t dray_check_dns1123_subdomain(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    return subdomain(s, out, arena, "characters");
}

size_t dray_check_short_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    return label(s, out, arena, "bytes");
}

size_t dray_check_long_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    return subdomain(s, out, arena, "bytes");
}

size_t dray_check_long_name_caseless(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    if (s.n > SUBDOMAIN_MAX)
        add_too_long(&t, "", SUBDOMAIN_MAX, "bytes");
    if (!is_subdomain(s, true))
        add(&t, DRAY_STR(CASELESS_TEXT));
    return t.n;
}

size_t dray_check_dns1035_label(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    if (s.n > LABEL_MAX)
        add_too_long(&t, "", LABEL_MAX, "characters");
    if (!is_label(s, false) || !is_lower(s.p[0]))
        add(&t, DRAY_STR(LABEL_1035_TEXT));
    return t.n;
}

size_t dray_check_wildcard_subdomain(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    if (s.n > SUBDOMAIN_MAX)
        add_too_long(&t, "", SUBDOMAIN_MAX, "characters");
    if (!dray_str_starts(s, DRAY_STR("*.")) || !is_subdomain(dray_str_slice(s, 2, s.n), false))
        add(&t, DRAY_STR(WILDCARD_TEXT));
    return t.n;
}

static void check_key_prefix(texts *t, dray_str prefix) {
    if (prefix.n == 0) {
        add(t, DRAY_STR("prefix part must be non-empty"));
        return;
    }
    dray_str found[DRAY_NAME_TEXTS];
    size_t n = dray_check_long_name(prefix, found, t->arena);
    for (size_t i = 0; i < n; i++)
        add(t, dray_strf(t->arena, "prefix part " DRAY_FMT, DRAY_ARG(found[i])));
}

size_t dray_check_label_key(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    dray_str name = s, prefix, rest;
    if (dray_str_cut(s, '/', &prefix, &rest)) {
        if (dray_str_chr(rest, '/') != SIZE_MAX) {
            add(&t, DRAY_STR("a valid label key " KEY_TEXT
                             " with an optional DNS subdomain prefix and '/' (e.g. "
                             "'example.com/MyName')"));
            return t.n;
        }
        check_key_prefix(&t, prefix);
        name = rest;
    }
    if (name.n == 0)
        add(&t, DRAY_STR("name part must be non-empty"));
    else if (name.n > LABEL_MAX)
        add_too_long(&t, "name part ", LABEL_MAX, "bytes");
    if (!is_key(name))
        add(&t, DRAY_STR("name part " KEY_TEXT));
    return t.n;
}

size_t dray_check_label_value(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    if (s.n > LABEL_MAX)
        add_too_long(&t, "", LABEL_MAX, "bytes");
    if (s.n > 0 && !is_key(s))
        add(&t, DRAY_STR(LABEL_VALUE_TEXT));
    return t.n;
}

size_t dray_check_c_identifier(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    bool good = s.n > 0 && !is_digit(s.p[0]);
    for (size_t i = 0; i < s.n && good; i++)
        good = is_alnum(s.p[i]) || s.p[i] == '_';
    if (!good)
        add(&t, DRAY_STR(IDENTIFIER_TEXT));
    return t.n;
}

/* A file of this name must stay in its directory. */
static void check_directory_names(texts *t, dray_str s) {
    if (dray_str_is(s, "."))
        add(t, DRAY_STR("must not be '.'"));
    else if (dray_str_is(s, ".."))
        add(t, DRAY_STR("must not be '..'"));
    else if (dray_str_starts(s, DRAY_STR("..")))
        add(t, DRAY_STR("must not start with '..'"));
}

size_t dray_check_env_var_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    bool good = s.n > 0 && !is_digit(s.p[0]);
    for (size_t i = 0; i < s.n && good; i++)
        good = is_alnum(s.p[i]) || is_one_of(s.p[i], "-._");
    if (!good)
        add(&t, DRAY_STR(ENV_TEXT));
    check_directory_names(&t, s);
    return t.n;
}

size_t dray_check_relaxed_env_var_name(dray_str s, dray_str out[DRAY_NAME_TEXTS],
                                       dray_arena *arena) {
    texts t = {out, 0, arena};
    if (s.n == 0)
        add(&t, DRAY_STR("environment variable name must be non-empty"));
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] >= ' ' && s.p[i] < 0x7f && s.p[i] != '=')
            continue;
        add(&t, DRAY_STR("a valid environment variable name must consist only of printable "
                         "ASCII characters other than '='"));
        break;
    }
    return t.n;
}

size_t dray_check_config_map_key(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    if (s.n > SUBDOMAIN_MAX)
        add_too_long(&t, "", SUBDOMAIN_MAX, "characters");
    bool good = s.n > 0;
    for (size_t i = 0; i < s.n && good; i++)
        good = is_alnum(s.p[i]) || is_one_of(s.p[i], "-._");
    if (!good)
        add(&t, DRAY_STR(CONFIG_KEY_TEXT));
    check_directory_names(&t, s);
    return t.n;
}

size_t dray_check_port_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    bool charset = s.n > 0, letter = false;
    for (size_t i = 0; i < s.n; i++) {
        charset = charset && (is_lower(s.p[i]) || is_digit(s.p[i]) || s.p[i] == '-');
        letter = letter || is_lower(s.p[i]);
    }
    if (s.n > PORT_NAME_MAX)
        add_too_long(&t, "", PORT_NAME_MAX, "characters");
    if (!charset)
        add(&t, DRAY_STR("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
    if (!letter)
        add(&t, DRAY_STR("must contain at least one letter (a-z)"));
    if (dray_str_find(s, DRAY_STR("--")) != SIZE_MAX)
        add(&t, DRAY_STR("must not contain consecutive hyphens"));
    if (s.n > 0 && (s.p[0] == '-' || s.p[s.n - 1] == '-'))
        add(&t, DRAY_STR("must not begin or end with a hyphen"));
    return t.n;
}

size_t dray_check_path_segment(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    if (dray_str_is(s, ".") || dray_str_is(s, "..")) {
        add(&t, dray_strf(arena, "may not be '" DRAY_FMT "'", DRAY_ARG(s)));
        return t.n;
    }
    if (dray_str_chr(s, '/') != SIZE_MAX)
        add(&t, DRAY_STR("may not contain '/'"));
    if (dray_str_chr(s, '%') != SIZE_MAX)
        add(&t, DRAY_STR("may not contain '%'"));
    return t.n;
}

size_t dray_check_extended_resource(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    texts t = {out, 0, arena};
    if (dray_str_chr(s, '/') == SIZE_MAX)
        add(&t, DRAY_STR("a name must be a domain-prefixed path, such as 'example.com/my-prop'"));
    else if (dray_str_find(s, DRAY_STR("kubernetes.io/")) != SIZE_MAX)
        add(&t, DRAY_STR("must not have \"kubernetes.io/\" domain"));
    if (dray_str_starts(s, DRAY_STR("requests.")))
        add(&t, DRAY_STR("must not have \"requests.\" prefix"));
    /* quota must be able to name it */
    dray_str found[DRAY_NAME_TEXTS];
    dray_str quota = dray_strf(arena, "requests." DRAY_FMT, DRAY_ARG(s));
    size_t n = dray_check_label_key(quota, found, arena);
    for (size_t i = 0; i < n; i++)
        add(&t, found[i]);
    return t.n;
}

bool dray_is_extended_resource(dray_str s) {
    dray_str prefix, name;
    if (!dray_str_cut(s, '/', &prefix, &name) ||
        dray_str_find(s, DRAY_STR("kubernetes.io/")) != SIZE_MAX ||
        dray_str_starts(s, DRAY_STR("requests.")))
        return false;
    return prefix.n + strlen("requests.") <= SUBDOMAIN_MAX && is_subdomain(prefix, false) &&
           name.n <= LABEL_MAX && is_key(name);
}

bool dray_is_uuid(dray_str s) {
    for (size_t i = 0; i < s.n && s.n == UUID_LENGTH; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s.p[i] != '-' : !is_digit(s.p[i]) && !(s.p[i] >= 'a' && s.p[i] <= 'f'))
            return false;
    }
    return s.n == UUID_LENGTH;
}

/* Dot-separated identifiers of [0-9A-Za-z-]; numeric ones without leading zero unless zeros. */
static bool are_identifiers(dray_str s, bool numeric_only, bool zeros, size_t *ret_n) {
    dray_str head, tail = s;
    bool more = true;
    *ret_n = 0;
    while (more) {
        more = dray_str_cut(tail, '.', &head, &tail);
        bool numeric = true;
        for (size_t i = 0; i < head.n; i++) {
            numeric = numeric && is_digit(head.p[i]);
            if (!is_alnum(head.p[i]) && head.p[i] != '-')
                return false;
        }
        if (head.n == 0 || (numeric_only && !numeric) ||
            (numeric && !zeros && head.n > 1 && head.p[0] == '0'))
            return false;
        ++*ret_n;
    }
    return true;
}

bool dray_is_strict_semver(dray_str s) {
    dray_str numbers, pre, build, rest;
    size_t n;
    if (dray_str_cut(s, '+', &rest, &build) && !are_identifiers(build, false, true, &n))
        return false;
    if (dray_str_cut(rest, '-', &numbers, &pre) && !are_identifiers(pre, false, false, &n))
        return false;
    return are_identifiers(numbers, true, false, &n) && n == 3;
}
