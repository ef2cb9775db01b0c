/* Checks that the core kinds share: numbers, labels, selectors, ports, paths, immutable fields. */
#include "api/validate/core_int.h"

#include "base/utf8.h"

enum { ANNOTATIONS_LIMIT = 256 * 1024, USER_ID_MAX = INT32_MAX };

/* Go's unicode.IsSpace. */
static bool is_space(int32_t c) {
    return (c >= '\t' && c <= '\r') || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

bool dray_is_padded(dray_str s) {
    bool first = true, space = false;
    for (size_t at = 0; at < s.n; first = false) {
        space = is_space(dray_utf8_next(s, &at));
        if (first && space)
            return true;
    }
    return space;
}

dray_str dray_trimmed(dray_str s) {
    size_t start = SIZE_MAX, end = 0;
    for (size_t at = 0; at < s.n;) {
        size_t before = at;
        if (is_space(dray_utf8_next(s, &at)))
            continue;
        start = start == SIZE_MAX ? before : start;
        end = at;
    }
    return start == SIZE_MAX ? DRAY_STR("") : dray_str_slice(s, start, end);
}

static bool is_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool requirement_valid(dray_request *rq, const dray_meta_label_selector_requirement *r) {
    bool in = IS_ONE_OF(r->operator, "In", "NotIn");
    bool exists = IS_ONE_OF(r->operator, "Exists", "DoesNotExist");
    if ((!in && !exists) || (in && r->values.n == 0) || (exists && r->values.n > 0))
        return false;
    if (!passes(rq, r->key, dray_check_label_key))
        return false;
    for (size_t i = 0; i < r->values.n; i++)
        if (!passes(rq, r->values.v[i], dray_check_label_value))
            return false;
    return true;
}

static bool requirement_matches(const dray_meta_label_selector_requirement *r,
                                dray_string_map labels) {
    dray_str value;
    bool present = map_find(labels, r->key, &value);
    if (dray_str_is(r->operator, "Exists"))
        return present;
    if (dray_str_is(r->operator, "DoesNotExist"))
        return !present;
    bool among = present && strings_have(r->values, value);
    return dray_str_is(r->operator, "In") ? among : !among;
}

static void validate_requirement(dray_request *rq, const dray_meta_label_selector_requirement *r,
                                 bool allow_values, const dray_path *path) {
    if (IS_ONE_OF(r->operator, "In", "NotIn")) {
        if (r->values.n == 0)
            fail_required(rq, DRAY_AT(path, "values"),
                          DRAY_STR("must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (IS_ONE_OF(r->operator, "Exists", "DoesNotExist")) {
        if (r->values.n > 0)
            fail_forbidden(
                rq, DRAY_AT(path, "values"),
                DRAY_STR("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else {
        fail_invalid_word(rq, DRAY_AT(path, "operator"), r->operator,
                          DRAY_STR("not a valid selector operator"));
    }
    fail_texts(rq, DRAY_AT(path, "key"), r->key, dray_check_label_key);
    for (size_t i = 0; !allow_values && i < r->values.n; i++)
        fail_texts(rq, DRAY_AT_INDEX(DRAY_AT(path, "values"), i), r->values.v[i],
                   dray_check_label_value);
}

void dray_validate_non_negative(dray_request *rq, int64_t value, const dray_path *path) {
    if (value < 0)
        fail_invalid_int(rq, path, value, DRAY_STR("must be greater than or equal to 0"));
}

void dray_validate_range(dray_request *rq, int64_t value, int64_t low, int64_t high,
                         const dray_path *path) {
    if (value < low || value > high)
        fail_invalid_int(rq, path, value,
                         DETAIL(rq, "must be between %lld and %lld, inclusive", (long long)low,
                                (long long)high));
}

void dray_validate_immutable(dray_request *rq, const dray_type *type, const void *body,
                             const void *old, const dray_path *path) {
    if (dray_api_equal(type, body, old))
        return;
    dray_str value = dray_value_internal(rq->arena, type, body, rq->gates->release);
    fail_invalid_text(rq, path, value, DRAY_STR("field is immutable"));
}

void dray_validate_immutable_word(dray_request *rq, dray_str word, dray_str old,
                                  const dray_path *path) {
    if (!dray_str_eq(word, old))
        fail_invalid_text(
            rq, path, word.p == NULL ? DRAY_STR("null") : dray_value_json_string(rq->arena, word),
            DRAY_STR("field is immutable"));
}

void dray_validate_immutable_int(dray_request *rq, dray_opt_int32 value, dray_opt_int32 old,
                                 const dray_path *path) {
    if (value.set != old.set || (value.set && value.v != old.v))
        fail_invalid_text(rq, path,
                          value.set ? dray_value_int(rq->arena, value.v) : DRAY_STR("null"),
                          DRAY_STR("field is immutable"));
}

void dray_validate_labels(dray_request *rq, dray_string_map labels, const dray_path *path) {
    for (size_t i = 0; i < labels.n; i++) {
        fail_texts(rq, path, labels.k[i], dray_check_label_key);
        fail_texts(rq, path, labels.v[i], dray_check_label_value);
    }
}

void dray_validate_annotations(dray_request *rq, dray_string_map annotations,
                               const dray_path *path) {
    size_t bytes = 0;
    for (size_t i = 0; i < annotations.n; i++) {
        dray_str texts[DRAY_NAME_TEXTS];
        size_t n =
            dray_check_label_key(dray_lower_name(annotations.k[i], rq->arena), texts, rq->arena);
        for (size_t j = 0; j < n; j++)
            fail_invalid(rq, path, annotations.k[i], texts[j]);
        bytes += annotations.k[i].n + annotations.v[i].n;
    }
    if (bytes > ANNOTATIONS_LIMIT)
        fail_too_long(rq, path, ANNOTATIONS_LIMIT);
}

void dray_validate_label_selector(dray_request *rq, const dray_meta_label_selector *selector,
                                  bool allow_values, const dray_path *path) {
    if (selector == NULL)
        return;
    dray_validate_labels(rq, selector->match_labels, DRAY_AT(path, "matchLabels"));
    for (size_t i = 0; i < selector->match_expressions.n; i++)
        validate_requirement(rq, &selector->match_expressions.v[i], allow_values,
                             DRAY_AT_INDEX(DRAY_AT(path, "matchExpressions"), i));
}

bool dray_label_selector_valid(dray_request *rq, const dray_meta_label_selector *selector) {
    if (selector == NULL)
        return true;
    for (size_t i = 0; i < selector->match_labels.n; i++)
        if (!passes(rq, selector->match_labels.k[i], dray_check_label_key) ||
            !passes(rq, selector->match_labels.v[i], dray_check_label_value))
            return false;
    for (size_t i = 0; i < selector->match_expressions.n; i++)
        if (!requirement_valid(rq, &selector->match_expressions.v[i]))
            return false;
    return true;
}

int dray_label_selector_matches(dray_request *rq, const dray_meta_label_selector *selector,
                                dray_string_map labels) {
    if (selector == NULL)
        return 0;
    if (!dray_label_selector_valid(rq, selector))
        return -1;
    for (size_t i = 0; i < selector->match_labels.n; i++) {
        dray_str value;
        if (!map_find(labels, selector->match_labels.k[i], &value) ||
            !dray_str_eq(value, selector->match_labels.v[i]))
            return 0;
    }
    for (size_t i = 0; i < selector->match_expressions.n; i++)
        if (!requirement_matches(&selector->match_expressions.v[i], labels))
            return 0;
    return 1;
}

void dray_validate_port_number(dray_request *rq, int64_t port, const dray_path *path) {
    dray_validate_range(rq, port, 1, 65535, path);
}

void dray_validate_port(dray_request *rq, dray_int_or_string port, const dray_path *path) {
    if (port.kind == DRAY_IOS_STRING)
        fail_texts(rq, path, port.s, dray_check_port_name);
    else
        dray_validate_port_number(rq, port.i, path);
}

size_t dray_check_percent(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    bool good = s.n > 1 && s.p[s.n - 1] == '%';
    for (size_t i = 0; good && i + 1 < s.n; i++)
        good = s.p[i] >= '0' && s.p[i] <= '9';
    if (good)
        return 0;
    out[0] = DRAY_STR("a valid percent string must be a numeric string followed by an ending '%' "
                      "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
    return 1;
}

size_t dray_check_http_header(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena) {
    bool good = s.n > 0;
    for (size_t i = 0; good && i < s.n; i++)
        good = s.p[i] == '-' || is_alnum(s.p[i]);
    if (good)
        return 0;
    out[0] = DRAY_STR("a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
                      "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
    return 1;
}

/* _?[a-z0-9]([-_a-z0-9]*[a-z0-9])? */
static bool is_underscore_label(dray_str s) {
    if (s.n > 0 && s.p[0] == '_')
        s = dray_str_slice(s, 1, s.n);
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        bool word = (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9');
        bool inner = i > 0 && i + 1 < s.n && (s.p[i] == '-' || s.p[i] == '_');
        if (!word && !inner)
            return false;
    }
    return true;
}

size_t dray_check_subdomain_underscore(dray_str s, dray_str out[DRAY_NAME_TEXTS],
                                       dray_arena *arena) {
    size_t n = 0;
    if (s.n > 253)
        out[n++] = DRAY_STR("must be no more than 253 characters");
    bool good = true;
    dray_str head, tail = s;
    for (bool more = true; good && more;) {
        more = dray_str_cut(tail, '.', &head, &tail);
        good = is_underscore_label(head);
    }
    if (!good)
        out[n++] = DRAY_STR(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
            "'_', '-' or '.', and must start and end with an alphanumeric character (e.g. "
            "'example.com', regex used for validation is "
            "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')");
    return n;
}

void dray_validate_user_id(dray_request *rq, dray_opt_int64 id, const dray_path *path) {
    if (id.set)
        dray_validate_range(rq, id.v, 0, USER_ID_MAX, path);
}

void dray_validate_no_backsteps(dray_request *rq, dray_str path_text, const dray_path *path) {
    dray_str head, tail = path_text;
    for (bool more = true; more;) {
        more = dray_str_cut(tail, '/', &head, &tail);
        if (dray_str_is(head, "..")) {
            fail_invalid(rq, path, path_text, DRAY_STR("must not contain '..'"));
            return;
        }
    }
}

void dray_validate_local_path(dray_request *rq, dray_str path_text, const dray_path *path) {
    if (dray_str_starts(path_text, DRAY_STR("/")))
        fail_invalid(rq, path, path_text, DRAY_STR("must be a relative path"));
    dray_validate_no_backsteps(rq, path_text, path);
}

void dray_validate_local_free_path(dray_request *rq, dray_str path_text, const dray_path *path) {
    dray_validate_local_path(rq, path_text, path);
    if (dray_str_starts(path_text, DRAY_STR("..")) && !dray_str_starts(path_text, DRAY_STR("../")))
        fail_invalid(rq, path, path_text, DRAY_STR("must not start with '..'"));
}

void dray_validate_domain_path(dray_request *rq, dray_str text, const dray_path *path) {
    dray_str host, rest;
    if (text.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        return;
    }
    if (!dray_str_cut(text, '/', &host, &rest) || host.n == 0 || rest.n == 0) {
        fail_invalid(rq, path, text,
                     DRAY_STR("must be a domain-prefixed path (such as \"acme.io/foo\")"));
        return;
    }
    fail_texts(rq, path, host, dray_check_dns1123_subdomain);
    for (size_t i = 0; i < rest.n; i++)
        if (!is_alnum(rest.p[i]) && strchr("/-._~%!$&'()*+,;=:", rest.p[i]) == NULL) {
            fail_invalid(rq, path, rest,
                         DRAY_STR("Invalid path (regex used for validation is "
                                  "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"));
            return;
        }
}

void dray_warn(dray_request *rq, const dray_path *path, dray_str text) {
    dray_str where = dray_path_text(path, rq->arena);
    dray_request_warn(
        rq, dray_strf(rq->arena, DRAY_FMT ": " DRAY_FMT, DRAY_ARG(where), DRAY_ARG(text)));
}
