/* Formats of names: what passes, and the words for what does not. */
#include "base/vec.h"
#include "obj/names.h"
#include "tap.h"

typedef size_t check_fn(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);

typedef struct row {
    const char *label;
    check_fn *check;
    const char *input;
    size_t n;         /* how many texts */
    const char *text; /* how the first begins */
} row;

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A64 A63 "a"
#define A256 A64 A64 A64 A64

static const row rows[] = {
    {"a label of 63 bytes passes", dray_check_dns1123_label, A63, 0, ""},
    {"a label of 64 is too long", dray_check_dns1123_label, A64, 1,
     "must be no more than 63 characters"},
    {"a declared short name counts bytes", dray_check_short_name, A64, 1,
     "must be no more than 63 bytes"},
    {"dots in a label are told as such", dray_check_dns1123_label, "a.b", 1,
     "must not contain dots"},
    {"a label does not end with a hyphen", dray_check_dns1123_label, "a-", 1,
     "a lowercase RFC 1123 label must consist of"},
    {"an empty label is none", dray_check_dns1123_label, "", 1, "a lowercase RFC 1123 label"},
    {"a subdomain has labels between its dots", dray_check_dns1123_subdomain, "a..b", 1,
     "a lowercase RFC 1123 subdomain must consist of"},
    {"a subdomain may be too long and wrong at once", dray_check_long_name, A256 "_", 2,
     "must be no more than 253 bytes"},
    {"upper case is no long name", dray_check_long_name, "Example.com", 1, "a lowercase RFC 1123"},
    {"but a caseless one", dray_check_long_name_caseless, "Example.com", 0, ""},
    {"a DNS-1035 label begins with a letter", dray_check_dns1035_label, "1a", 1,
     "a DNS-1035 label must consist of"},
    {"a wildcard needs its star", dray_check_wildcard_subdomain, "example.com", 1,
     "a wildcard DNS-1123 subdomain must start with '*.'"},
    {"a wildcard subdomain passes", dray_check_wildcard_subdomain, "*.example.com", 0, ""},
    {"a label key may have a prefix", dray_check_label_key, "example.com/My_name.1", 0, ""},
    {"an empty prefix is told", dray_check_label_key, "/a", 1, "prefix part must be non-empty"},
    {"an empty name is told twice", dray_check_label_key, "a/", 2, "name part must be non-empty"},
    {"two slashes make no label key", dray_check_label_key, "a/b/c", 1,
     "a valid label key must consist of alphanumeric characters"},
    {"a label value may be empty", dray_check_label_value, "", 0, ""},
    {"a label value begins with a letter or digit", dray_check_label_value, "_a", 1,
     "a valid label must be an empty string or consist of"},
    {"a C identifier has no hyphen", dray_check_c_identifier, "a-b", 1,
     "a valid C identifier must start with alphabetic character or '_'"},
    {"an environment variable does not climb", dray_check_env_var_name, "..a", 1,
     "must not start with '..'"},
    {"a relaxed one has no =", dray_check_relaxed_env_var_name, "a=b", 1,
     "a valid environment variable name must consist only of printable ASCII"},
    {"a config map key is no directory", dray_check_config_map_key, "..", 1, "must not be '..'"},
    {"a port name needs a letter", dray_check_port_name, "80", 1,
     "must contain at least one letter (a-z)"},
    {"a port name has no two hyphens in a row", dray_check_port_name, "a--b", 1,
     "must not contain consecutive hyphens"},
    {"a path segment has no slash or percent sign", dray_check_path_segment, "a/%", 2,
     "may not contain '/'"},
    {"an extended resource has a domain", dray_check_extended_resource, "gpu", 1,
     "a name must be a domain-prefixed path"},
    {"a native one is no extended resource", dray_check_extended_resource, "kubernetes.io/gpu", 1,
     "must not have \"kubernetes.io/\" domain"},
};

static void check_row(const row *r) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_str texts[DRAY_NAME_TEXTS];
    size_t n = r->check(dray_str_of(r->input), texts, arena);
    CHECK(r->label, n == r->n && (n == 0 || dray_str_starts(texts[0], dray_str_of(r->text))));
}

static const struct {
    const char *version;
    bool good;
} versions[] = {
    {"1.2.3", true},     {"1.2.3-rc.1+build.01", true},
    {"1.2.3+a-b", true}, {"0.0.0-0", true},
    {"1.2", false},      {"01.2.3", false},
    {"1.2.3-01", false}, {"1.2.3-0a", true},
    {"1.2.3-", false},   {"1.2.3+", false},
    {"v1.2.3", false},   {"1.2.3-a..b", false},
};

int main(void) {
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        check_row(&rows[i]);
    for (size_t i = 0; i < DRAY_COUNT(versions); i++)
        CHECK(versions[i].version,
              dray_is_strict_semver(dray_str_of(versions[i].version)) == versions[i].good);
    CHECK("a UUID is in lower case",
          dray_is_uuid(DRAY_STR("6a7f5c1e-8b5c-4a4e-9d2b-0d8a4cbb6f01")) &&
              !dray_is_uuid(DRAY_STR("6A7f5c1e-8b5c-4a4e-9d2b-0d8a4cbb6f01")) &&
              !dray_is_uuid(DRAY_STR("6a7f5c1e8b5c4a4e9d2b0d8a4cbb6f01")));
    CHECK("an extended resource's quota must have a name too",
          dray_is_extended_resource(DRAY_STR("example.com/gpu")) &&
              !dray_is_extended_resource(DRAY_STR("requests.a/b")) &&
              !dray_is_extended_resource(DRAY_STR("cpu")));
    return tap_end();
}
