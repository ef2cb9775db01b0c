/* Kubernetes' format library: named formats that strings are checked against. */
#include "celk8s/libs_int.h"

#include "base/vec.h"
#include "cel/eval.h"
#include "cel/regex.h"
#include "obj/names.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

typedef size_t check_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);

typedef struct format {
    dray_cel_opaque opaque;
    const char *id, *name;
    uint64_t regex_size;
    check_name *names;
    bool prefix; /* a trailing dash is allowed */
    bool (*test)(dray_str s, dray_arena *arena, dray_str *ret_why);
} format;

static bool equal(const dray_cel_opaque *a, const dray_cel_opaque *b) {
    return a == b;
}

const dray_cel_opaque_type dray_celk8s_format_type = {DRAY_STR_INIT("kubernetes.NamedFormat"),
                                                      "cel.Format",
                                                      equal,
                                                      NULL,
                                                      NULL,
                                                      NULL,
                                                      false,
                                                      DRAY_CEL_KEY_NONE};

/* --- formats that are no names --- */

static bool is_hex(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* 8-4-4-4-12 hexadecimal digits, each dash may be missing. */
static bool test_uuid(dray_str s, dray_arena *arena, dray_str *why) {
    static const int groups[] = {8, 4, 4, 4, 12};
    size_t at = 0;
    *why = DRAY_STR("does not match the UUID format");
    for (int g = 0; g < 5; g++) {
        if (g > 0 && at < s.n && s.p[at] == '-')
            at++;
        for (int i = 0; i < groups[g]; i++, at++)
            if (at >= s.n || !is_hex(s.p[at]))
                return false;
    }
    return at == s.n;
}

static bool is_base64(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '+' || c == '/';
}

static bool test_byte(dray_str s, dray_arena *arena, dray_str *why) {
    *why = DRAY_STR("invalid base64");
    if (s.n == 0 || s.n % 4 != 0)
        return false;
    size_t end = s.n;
    while (end > s.n - 2 && s.p[end - 1] == '=')
        end--;
    for (size_t i = 0; i < end; i++)
        if (!is_base64(s.p[i]))
            return false;
    return true;
}

static bool is_date(dray_str s, dray_arena *arena) {
    dray_cel_value time;
    return s.n == 10 &&
           dray_cel_read_time(dray_strf(arena, DRAY_FMT "T00:00:00Z", DRAY_ARG(s)), &time);
}

static bool test_date(dray_str s, dray_arena *arena, dray_str *why) {
    *why = DRAY_STR("invalid date");
    return is_date(s, arena);
}

static bool two_digits(dray_str s, size_t at, int most) {
    if (at + 1 >= s.n || s.p[at] < '0' || s.p[at] > '9' || s.p[at + 1] < '0' || s.p[at + 1] > '9')
        return false;
    return (s.p[at] - '0') * 10 + (s.p[at + 1] - '0') <= most;
}

/* hh:mm:ss, a fraction after any one character, z or ±hh:mm; what follows another t is ignored. */
static bool is_clock(dray_str s) {
    if (!two_digits(s, 0, 23) || !two_digits(s, 3, 59) || !two_digits(s, 6, 59) || s.p[2] != ':' ||
        s.p[5] != ':')
        return false;
    size_t at = 8;
    if (at + 1 < s.n && s.p[at] != '\n' && s.p[at + 1] >= '0' && s.p[at + 1] <= '9') {
        size_t end = at + 1;
        while (end < s.n && s.p[end] >= '0' && s.p[end] <= '9')
            end++;
        /* "+01:00" is no fraction: the digits must be followed by the zone. */
        if (end < s.n && (s.p[end] == 'z' || s.p[end] == '+' || s.p[end] == '-'))
            at = end;
    }
    if (at + 1 == s.n)
        return s.p[at] == 'z';
    return at + 6 == s.n && (s.p[at] == '+' || s.p[at] == '-') && two_digits(s, at + 1, 99) &&
           s.p[at + 3] == ':' && two_digits(s, at + 4, 99);
}

static bool test_datetime(dray_str s, dray_arena *arena, dray_str *why) {
    *why = DRAY_STR("invalid datetime");
    char *p = dray_arena_bytes(arena, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        p[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
    dray_str date, clock, rest;
    if (s.n < 4 || !dray_str_cut((dray_str){p, s.n}, 't', &date, &clock) || !is_date(date, arena))
        return false;
    dray_str_cut(clock, 't', &clock, &rest);
    return is_clock(clock);
}

/* --- the table --- */

#define NAMED(id_, name_, size_, check_, prefix_) \
    {.opaque = {&dray_celk8s_format_type},        \
     .id = id_,                                   \
     .name = name_,                               \
     .regex_size = size_,                         \
     .names = check_,                             \
     .prefix = prefix_}
#define TESTED(id_, name_, size_, test_)   \
    {.opaque = {&dray_celk8s_format_type}, \
     .id = id_,                            \
     .name = name_,                        \
     .regex_size = size_,                  \
     .test = test_}

static const format formats[] = {
    NAMED("dns1123Label", "DNS1123Label", 30, dray_check_dns1123_label, false),
    NAMED("dns1123Subdomain", "DNS1123Subdomain", 60, dray_check_dns1123_subdomain, false),
    NAMED("dns1035Label", "DNS1035Label", 30, dray_check_dns1035_label, false),
    NAMED("qualifiedName", "QualifiedName", 60, dray_check_label_key, false),
    NAMED("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, dray_check_dns1123_label, true),
    NAMED("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, dray_check_dns1123_subdomain,
          true),
    NAMED("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, dray_check_dns1035_label, true),
    NAMED("labelValue", "LabelValue", 40, dray_check_label_value, false),
    TESTED("uri", "URI", 1103, dray_celk8s_url_check),
    TESTED("uuid", "uuid", 70, test_uuid),
    TESTED("byte", "byte", 84, test_byte),
    TESTED("date", "date", 71, test_date),
    TESTED("datetime", "datetime", 71, test_datetime),
};

uint64_t dray_celk8s_format_regex_size(dray_cel_value v) {
    return ((const format *)v.opaque)->regex_size;
}

static const format *find_format(dray_str id) {
    for (size_t i = 0; i < DRAY_COUNT(formats); i++)
        if (dray_str_is(id, formats[i].id))
            return &formats[i];
    return NULL;
}

FN(named) {
    const format *f = find_format(dray_cel_str(args[0]));
    return f == NULL ? dray_cel_none : dray_cel_some(e->arena, dray_cel_of_opaque(&f->opaque));
}

/* format.NAME() */
FN(constant) {
    dray_str name = dray_cel_eval_function(e);
    const format *f = find_format(dray_str_slice(name, strlen("format."), name.n));
    return f == NULL ? dray_cel_no_overload : dray_cel_of_opaque(&f->opaque);
}

/* "abc-" is looked at as "aba": what follows the prefix is not known. */
static dray_str mask_dash(dray_str s, dray_arena *arena) {
    if (s.n <= 1 || s.p[s.n - 1] != '-')
        return s;
    return dray_strf(arena, DRAY_FMT "a", DRAY_ARG(dray_str_slice(s, 0, s.n - 2)));
}

/* In 1.34 two of the texts read otherwise. */
static dray_str as_134_says(dray_arena *arena, dray_str text) {
    static const struct {
        dray_str now, then;
    } words[] = {
        {DRAY_STR_INIT(" bytes"), DRAY_STR_INIT(" characters")},
        {DRAY_STR_INIT("a valid label key must"), DRAY_STR_INIT("a qualified name must")},
    };
    for (size_t i = 0; i < DRAY_COUNT(words); i++) {
        size_t at = dray_str_find(text, words[i].now);
        if (at != SIZE_MAX)
            text = dray_strf(arena, DRAY_FMT DRAY_FMT DRAY_FMT,
                             DRAY_ARG(dray_str_slice(text, 0, at)), DRAY_ARG(words[i].then),
                             DRAY_ARG(dray_str_slice(text, at + words[i].now.n, text.n)));
    }
    return text;
}

static dray_cel_value validate_text(dray_cel_eval *e, const dray_cel_value *args, bool old) {
    const format *f = (const format *)args[0].opaque;
    dray_str s = dray_cel_str(args[1]), texts[DRAY_NAME_TEXTS];
    size_t count;
    if (f->names != NULL)
        count = f->names(f->prefix ? mask_dash(s, e->arena) : s, texts, e->arena);
    else
        count = !f->test(s, e->arena, &texts[0]);
    if (count == 0)
        return dray_cel_none;
    dray_cel_value *v = DRAY_NEW_N(e->arena, dray_cel_value, count);
    for (size_t i = 0; i < count; i++) {
        dray_str text = old ? as_134_says(e->arena, texts[i]) : texts[i];
        v[i] = dray_cel_of_str(dray_str_dup(e->arena, text));
    }
    return dray_cel_some(e->arena, dray_cel_of_list(e->arena, v, count));
}

FN(validate) {
    return validate_text(e, args, false);
}

FN(validate_134) {
    return validate_text(e, args, true);
}

static const dray_cel_row rows[] = {
    {"format.byte", "format.byte", "() -> kubernetes.NamedFormat", constant},
    {"format.date", "format.date", "() -> kubernetes.NamedFormat", constant},
    {"format.datetime", "format.datetime", "() -> kubernetes.NamedFormat", constant},
    {"format.dns1035Label", "format.dns1035Label", "() -> kubernetes.NamedFormat", constant},
    {"format.dns1035LabelPrefix", "format.dns1035LabelPrefix", "() -> kubernetes.NamedFormat",
     constant},
    {"format.dns1123Label", "format.dns1123Label", "() -> kubernetes.NamedFormat", constant},
    {"format.dns1123LabelPrefix", "format.dns1123LabelPrefix", "() -> kubernetes.NamedFormat",
     constant},
    {"format.dns1123Subdomain", "format.dns1123Subdomain", "() -> kubernetes.NamedFormat",
     constant},
    {"format.dns1123SubdomainPrefix", "format.dns1123SubdomainPrefix",
     "() -> kubernetes.NamedFormat", constant},
    {"format.labelValue", "format.labelValue", "() -> kubernetes.NamedFormat", constant},
    {"format.named", "format-named", "(string) -> optional_type(kubernetes.NamedFormat)", named},
    {"format.qualifiedName", "format.qualifiedName", "() -> kubernetes.NamedFormat", constant},
    {"format.uri", "format.uri", "() -> kubernetes.NamedFormat", constant},
    {"format.uuid", "format.uuid", "() -> kubernetes.NamedFormat", constant},
    {"validate", "format-validate",
     "kubernetes.NamedFormat.(string) -> optional_type(list(string))", validate},
};

static const dray_cel_row rows_134[] = {
    {"validate", "format-validate",
     "kubernetes.NamedFormat.(string) -> optional_type(list(string))", validate_134},
};

const dray_cel_library dray_celk8s_lib_format_134 = {
    .name = "kubernetes.format of 1.34", .rows = rows_134, .n_rows = DRAY_COUNT(rows_134)};

const dray_cel_library dray_celk8s_lib_format = {
    .name = "kubernetes.format", .rows = rows, .n_rows = DRAY_COUNT(rows)};
