/* Formats of resource.k8s.io: drivers, pools, qualified names, and the limits of lists. */
#include "api/validate/resource_int.h"

#include "base/map.h"

#include <ctype.h>

enum {
    DRIVER_MAX = 63,
    POOL_MAX = 253,
    IDENTIFIER_MAX = 32,
    UUID_LENGTH = 36,
    SHORTEST_KEY = 16,
};

void dray_resource_label(dray_request *rq, dray_str s, const dray_path *path) {
    size_t from = errors_now(rq);
    fail_texts(rq, path, s, dray_check_dns1123_label);
    mark(rq, from, "format=k8s-short-name", false);
}

void dray_resource_subdomain(dray_request *rq, dray_str s, const dray_path *path) {
    size_t from = errors_now(rq);
    fail_texts(rq, path, s, dray_check_dns1123_subdomain);
    mark(rq, from, "format=k8s-long-name", false);
}

void dray_resource_label_name(dray_request *rq, dray_str s, const dray_path *path) {
    size_t from = errors_now(rq);
    fail_texts(rq, path, s, dray_check_label_key);
    mark(rq, from, "format=k8s-label-key", false);
}

void dray_resource_label_value(dray_request *rq, dray_str s, const dray_path *path) {
    fail_texts(rq, path, s, dray_check_label_value);
}

void dray_resource_node_name(dray_request *rq, dray_str s, const dray_path *path) {
    fail_texts(rq, path, s, dray_check_dns1123_subdomain);
}

void dray_resource_driver(dray_request *rq, dray_str s, bool covered, const dray_path *path) {
    size_t from = errors_now(rq);
    if (s.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        mark(rq, from, NULL, covered);
        return;
    }
    if (s.n > DRIVER_MAX) {
        fail_too_long(rq, path, DRIVER_MAX);
        mark(rq, from, covered ? "maxLength" : NULL, covered);
    }
    from = errors_now(rq);
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = dray_check_dns1123_subdomain(dray_lower_name(s, rq->arena), texts, rq->arena);
    for (size_t i = 0; i < n; i++)
        fail_invalid(rq, path, s, texts[i]);
    mark(rq, from, covered ? "format=k8s-long-name-caseless" : NULL, covered);
}

void dray_resource_pool_name(dray_request *rq, dray_str s, const dray_path *path) {
    if (s.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        return;
    }
    size_t from = errors_now(rq);
    if (s.n > POOL_MAX)
        fail_too_long(rq, path, POOL_MAX);
    dray_str part, rest = s;
    bool more = true;
    while (more) {
        more = dray_str_cut(rest, '/', &part, &rest);
        fail_texts(rq, path, part, dray_check_dns1123_subdomain);
    }
    mark(rq, from, "format=k8s-resource-pool-name", false);
}

static bool is_hex(dray_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!isxdigit((unsigned char)s.p[i]))
            return false;
    return true;
}

/* Why the uuid library refuses s, or NULL: it knows plain, urn:uuid:, braced and raw forms. */
static const char *uuid_fault(dray_arena *arena, dray_str s) {
    static const char invalid[] = "invalid UUID format";
    dray_str plain = s;
    if (s.n == UUID_LENGTH + 9) {
        if (!dray_str_eq(dray_lower_name(dray_str_slice(s, 0, 9), arena), DRAY_STR("urn:uuid:")))
            return dray_strf(arena, "invalid urn prefix: %s",
                             dray_value_quote(arena, dray_str_slice(s, 0, 9)).p)
                .p;
        plain = dray_str_slice(s, 9, s.n);
    } else if (s.n == UUID_LENGTH + 2) {
        if (s.p[0] != '{' || s.p[s.n - 1] != '}')
            return "invalid bracketed UUID format";
        plain = dray_str_slice(s, 1, s.n - 1);
    } else if (s.n == 32) {
        return is_hex(s) ? NULL : invalid;
    } else if (s.n != UUID_LENGTH) {
        return dray_strf(arena, "invalid UUID length: %zu", s.n).p;
    }
    return dray_is_uuid(dray_lower_name(plain, arena)) ? NULL : invalid;
}

void dray_resource_uid(dray_request *rq, dray_str s, const dray_path *path) {
    size_t from = errors_now(rq);
    const char *fault = uuid_fault(rq->arena, s);
    if (fault != NULL)
        fail_invalid(rq, path, s, DETAIL(rq, "error validating uid: %s", fault));
    else if (!dray_is_uuid(s))
        fail_invalid(rq, path, s,
                     DRAY_STR("uid must be in RFC 4122 normalized form, "
                              "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal "
                              "characters"));
    mark(rq, from, "format=k8s-uuid", false);
}

void dray_resource_immutable(dray_request *rq, const dray_type *type, const void *body,
                             const void *old, const dray_path *path) {
    if (!dray_api_equal(type, body, old))
        fail_invalid_text(rq, path, dray_value_internal(rq->arena, type, body, release_of(rq)),
                          DRAY_STR("field is immutable"));
}

static void check_identifier(dray_request *rq, dray_str s, const dray_path *path) {
    if (s.n > IDENTIFIER_MAX)
        fail_too_long(rq, path, IDENTIFIER_MAX);
    fail_texts(rq, path, s, dray_check_c_identifier);
}

/* More than one slash is accepted without a look, as upstream does. */
void dray_resource_qualified_name(dray_request *rq, dray_str s, const dray_path *path) {
    dray_str domain, name;
    if (!dray_str_cut(s, '/', &domain, &name)) {
        check_identifier(rq, s, path);
        return;
    }
    if (dray_str_chr(name, '/') != SIZE_MAX)
        return;
    if (domain.n == 0)
        fail_invalid(rq, path, DRAY_STR(""), DRAY_STR("the domain must not be empty"));
    else
        dray_resource_driver(rq, domain, false, path);
    if (name.n == 0)
        fail_invalid(rq, path, DRAY_STR(""), DRAY_STR("the name must not be empty"));
    else
        check_identifier(rq, name, path);
}

void dray_resource_fully_qualified_name(dray_request *rq, dray_str s, const dray_path *path) {
    size_t from = errors_now(rq);
    dray_resource_qualified_name(rq, s, path);
    if (dray_str_chr(s, '/') == SIZE_MAX)
        fail_invalid_word(rq, path, s,
                          DRAY_STR("a fully qualified name must be a domain and a name separated "
                                   "by a slash"));
    mark(rq, from, "format=k8s-resource-fully-qualified-name", false);
}

dray_str dray_resource_short_key(dray_request *rq, dray_str key, size_t limit) {
    limit = limit < SHORTEST_KEY ? SHORTEST_KEY : limit;
    if (key.n <= limit)
        return key;
    size_t left = limit - strlen("...");
    return DETAIL(rq, DRAY_FMT "..." DRAY_FMT, DRAY_ARG(dray_str_slice(key, 0, (left + 1) / 2)),
                  DRAY_ARG(dray_str_slice(key, key.n - left / 2, key.n)));
}

bool dray_resource_too_many(dray_request *rq, size_t n, size_t limit, bool covered,
                            const dray_path *path) {
    if (n <= limit)
        return false;
    size_t from = errors_now(rq);
    fail_too_many(rq, path, n, (int64_t)limit);
    mark(rq, from, "maxItems", covered);
    return true;
}

void dray_resource_unique(dray_request *rq, const dray_str *keys, size_t n, bool covered,
                          const dray_path *path) {
    dray_map seen = dray_map_new(rq->arena);
    for (size_t i = 0; i < n; i++) {
        dray_map_entry *entry = dray_map_entry_of(&seen, keys[i]);
        if (entry->value != NULL) {
            size_t from = errors_now(rq);
            fail_duplicate(rq, DRAY_AT_INDEX(path, i), keys[i]);
            mark(rq, from, NULL, covered);
        }
        entry->value = rq;
    }
}
