/* How the checks of the core kinds read: one line an error, and the checks that several files
 * share.
 *
 *     fail_required(rq, DRAY_AT(path, "name"), DRAY_STR(""));
 *     fail_texts(rq, DRAY_AT(path, "name"), name, dray_check_dns1123_label);
 *     FAIL_UNSUPPORTED(rq, DRAY_AT(path, "type"), type, "Recreate", "RollingUpdate");
 *
 * Private to validate/ and strategy/. Paths made by DRAY_AT live as long as the block they stand
 * in.
 */
#ifndef DRAY_API_VALIDATE_CORE_INT_H
#define DRAY_API_VALIDATE_CORE_INT_H

#include "api/request.h"
#include "api/rules/pod_request.h"
#include "api/validate/value.h"
#include "obj/names.h"

#define DRAY_AT(parent_, name_) (&(dray_path){.parent = (parent_), .name = (name_), .index = -1})
#define DRAY_AT_INDEX(parent_, i_) (&(dray_path){.parent = (parent_), .index = (int64_t)(i_)})
#define DRAY_AT_KEY(parent_, key_) (&(dray_path){.parent = (parent_), .key = (key_), .index = -1})

typedef size_t dray_name_check(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);

/* A formatted detail, in the request's arena. */
#define DETAIL(rq, ...) dray_strf((rq)->arena, __VA_ARGS__)

static inline void fail(dray_request *rq, dray_field_error_type type, const dray_path *path,
                        dray_str value, dray_str detail) {
    dray_errors_add(rq->errors, type, path, value, detail);
}
static inline void fail_required(dray_request *rq, const dray_path *path, dray_str detail) {
    fail(rq, DRAY_FIELD_REQUIRED, path, DRAY_STR_NONE, detail);
}
static inline void fail_forbidden(dray_request *rq, const dray_path *path, dray_str detail) {
    fail(rq, DRAY_FIELD_FORBIDDEN, path, DRAY_STR_NONE, detail);
}
/* The value of an Invalid is a plain Go string, a string of a named type, a number, or nothing. */
static inline void fail_invalid(dray_request *rq, const dray_path *path, dray_str s,
                                dray_str detail) {
    fail(rq, DRAY_FIELD_INVALID, path, dray_value_quote(rq->arena, s), detail);
}
static inline void fail_invalid_word(dray_request *rq, const dray_path *path, dray_str s,
                                     dray_str detail) {
    fail(rq, DRAY_FIELD_INVALID, path, dray_value_json_string(rq->arena, s), detail);
}
static inline void fail_invalid_int(dray_request *rq, const dray_path *path, int64_t i,
                                    dray_str detail) {
    fail(rq, DRAY_FIELD_INVALID, path, dray_value_int(rq->arena, i), detail);
}
static inline void fail_invalid_bool(dray_request *rq, const dray_path *path, bool b,
                                     dray_str detail) {
    fail(rq, DRAY_FIELD_INVALID, path, b ? DRAY_STR("true") : DRAY_STR("false"), detail);
}
static inline void fail_invalid_text(dray_request *rq, const dray_path *path, dray_str text,
                                     dray_str detail) {
    fail(rq, DRAY_FIELD_INVALID, path, text, detail);
}
static inline void fail_duplicate(dray_request *rq, const dray_path *path, dray_str s) {
    fail(rq, DRAY_FIELD_DUPLICATE, path, dray_value_quote(rq->arena, s), DRAY_STR(""));
}
static inline void fail_not_found(dray_request *rq, const dray_path *path, dray_str s,
                                  dray_str detail) {
    fail(rq, DRAY_FIELD_NOT_FOUND, path, dray_value_quote(rq->arena, s), detail);
}
static inline void fail_too_long(dray_request *rq, const dray_path *path, int64_t limit) {
    fail(rq, DRAY_FIELD_TOO_LONG, path, DRAY_STR_NONE,
         DETAIL(rq, "may not be more than %lld bytes", (long long)limit));
}
static inline void fail_too_many(dray_request *rq, const dray_path *path, size_t n, int64_t limit) {
    fail(rq, DRAY_FIELD_TOO_MANY, path, dray_value_int(rq->arena, (int64_t)n),
         DETAIL(rq, "must have at most %lld item%s", (long long)limit, limit == 1 ? "" : "s"));
}
static inline void fail_unsupported(dray_request *rq, const dray_path *path, dray_str word,
                                    const char *const *words, size_t n) {
    fail(rq, DRAY_FIELD_NOT_SUPPORTED, path, dray_value_json_string(rq->arena, word),
         dray_detail_supported(rq->arena, words, n));
}
#define FAIL_UNSUPPORTED(rq_, path_, word_, ...)                                  \
    fail_unsupported((rq_), (path_), (word_), (const char *const[]){__VA_ARGS__}, \
                     DRAY_COUNT(((const char *const[]){__VA_ARGS__})))
/* One Invalid for each text of the check. */
static inline void fail_texts(dray_request *rq, const dray_path *path, dray_str s,
                              dray_name_check *check) {
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = check(s, texts, rq->arena);
    for (size_t i = 0; i < n; i++)
        fail_invalid(rq, path, s, texts[i]);
}
static inline bool passes(dray_request *rq, dray_str s, dray_name_check *check) {
    dray_str texts[DRAY_NAME_TEXTS];
    return check(s, texts, rq->arena) == 0;
}
static inline bool is_one_of(dray_str s, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (dray_str_is(s, words[i]))
            return true;
    return false;
}
#define IS_ONE_OF(s_, ...)                              \
    is_one_of((s_), (const char *const[]){__VA_ARGS__}, \
              DRAY_COUNT(((const char *const[]){__VA_ARGS__})))
static inline bool strings_have(dray_strings list, dray_str s) {
    for (size_t i = 0; i < list.n; i++)
        if (dray_str_eq(list.v[i], s))
            return true;
    return false;
}
/* False, with *ret untouched, where the key is absent: an empty value is not. */
static inline bool map_find(dray_string_map map, dray_str key, dray_str *ret) {
    for (size_t i = 0; i < map.n; i++)
        if (dray_str_eq(map.k[i], key)) {
            *ret = map.v[i];
            return true;
        }
    return false;
}
static inline bool map_has(dray_string_map map, dray_str key) {
    dray_str value;
    return map_find(map, key, &value);
}

/* Without white space, as Unicode has it, at either end. */
dray_str dray_trimmed(dray_str s);
/* Whether there is some. */
bool dray_is_padded(dray_str s);
/* "must be greater than or equal to 0" */
void dray_validate_non_negative(dray_request *rq, int64_t value, const dray_path *path);
void dray_validate_range(dray_request *rq, int64_t value, int64_t low, int64_t high,
                         const dray_path *path);
/* "field is immutable", with the new value's JSON, unless both are equal by Semantic.DeepEqual. */
void dray_validate_immutable(dray_request *rq, const dray_type *type, const void *body,
                             const void *old, const dray_path *path);
/* The same for strings of a named type and optional numbers. */
void dray_validate_immutable_word(dray_request *rq, dray_str word, dray_str old,
                                  const dray_path *path);
void dray_validate_immutable_int(dray_request *rq, dray_opt_int32 value, dray_opt_int32 old,
                                 const dray_path *path);
void dray_validate_labels(dray_request *rq, dray_string_map labels, const dray_path *path);
void dray_validate_annotations(dray_request *rq, dray_string_map annotations,
                               const dray_path *path);
/* Metadata of a template of claims: labels and annotations, nothing else. */
void dray_validate_template_meta(dray_request *rq, const dray_meta_object_meta *meta,
                                 const dray_path *path);
/* May be NULL. allow_values: bad values are let through. */
void dray_validate_label_selector(dray_request *rq, const dray_meta_label_selector *selector,
                                  bool allow_values, const dray_path *path);
bool dray_label_selector_valid(dray_request *rq, const dray_meta_label_selector *selector);
/* How it selects: 1 matches, 0 does not, -1 where it can't be converted (LabelSelectorAsSelector).
 * A NULL selector matches nothing, an empty one everything. */
int dray_label_selector_matches(dray_request *rq, const dray_meta_label_selector *selector,
                                dray_string_map labels);
void dray_validate_port_number(dray_request *rq, int64_t port, const dray_path *path);
void dray_validate_port(dray_request *rq, dray_int_or_string port, const dray_path *path);
size_t dray_check_percent(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_http_header(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_subdomain_underscore(dray_str s, dray_str out[DRAY_NAME_TEXTS],
                                       dray_arena *arena);
void dray_validate_user_id(dray_request *rq, dray_opt_int64 id, const dray_path *path);
/* No "..", and a path that is relative; one that does not start with ".." either. */
void dray_validate_no_backsteps(dray_request *rq, dray_str path_text, const dray_path *path);
void dray_validate_local_path(dray_request *rq, dray_str path_text, const dray_path *path);
void dray_validate_local_free_path(dray_request *rq, dray_str path_text, const dray_path *path);
void dray_validate_domain_path(dray_request *rq, dray_str text, const dray_path *path);

/* IP addresses and CIDRs (validate/ip.c). */
void dray_validate_ip(dray_request *rq, dray_str ip, dray_strings old, const dray_path *path);
/* That an address may be one of an endpoint: not this host's own. */
void dray_validate_endpoint_ip(dray_request *rq, dray_str ip, const dray_path *path);
void dray_validate_cidr(dray_request *rq, dray_str cidr, dray_strings old, const dray_path *path);
void dray_warn_ip(dray_request *rq, dray_str ip, const dray_path *path);
void dray_warn_cidr(dray_request *rq, dray_str cidr, const dray_path *path);
/* 4, 6, or 0 for what is no address. */
int dray_ip_family(dray_str ip);
int dray_cidr_family(dray_str cidr);

/* Adds "PATH: TEXT" to the request's warnings. */
void dray_warn(dray_request *rq, const dray_path *path, dray_str text);

#endif
