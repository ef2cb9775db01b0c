/* ConfigMaps, Secrets and ServiceAccounts. */
#include "api/validate/workload_int.h"

#include "data/json.h"

enum { DATA_LIMIT = 1024 * 1024 };

/* Data of a kind of Secret that must be there. */
static const struct {
    const char *type, *keys[2];
    bool all; /* else one of them is enough */
    bool filled, json;
} secret_types[] = {
    {"kubernetes.io/dockercfg", {".dockercfg"}, true, false, true},
    {"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}, true, false, true},
    {"kubernetes.io/basic-auth", {"username", "password"}, false, false, false},
    {"kubernetes.io/ssh-auth", {"ssh-privatekey"}, true, true, false},
    {"kubernetes.io/tls", {"tls.crt", "tls.key"}, true, false, false},
};

static dray_string_map bytes_map(dray_str *k, dray_str *v, size_t n) {
    return (dray_string_map){k, v, n};
}

static void frozen(dray_request *rq, const char *field) {
    fail_forbidden(rq, DRAY_AT(NULL, field),
                   DRAY_STR("field is immutable when `immutable` is set"));
}

static size_t validate_keys(dray_request *rq, dray_string_map map, const dray_path *path) {
    size_t bytes = 0;
    for (size_t i = 0; i < map.n; i++) {
        fail_texts(rq, DRAY_AT_KEY(path, map.k[i]), map.k[i], dray_check_config_map_key);
        bytes += map.v[i].n;
    }
    return bytes;
}

static bool is_on(dray_opt_bool b) {
    return b.set && b.v;
}

void dray_validate_config_map(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_config_map *map = body, *old = old_body;
    dray_path data = dray_path_child(NULL, "data"), binary = dray_path_child(NULL, "binaryData");
    dray_string_map now = bytes_map(map->binary_data.k, map->binary_data.v, map->binary_data.n);
    if (old != NULL && is_on(old->immutable)) {
        if (!is_on(map->immutable))
            frozen(rq, "immutable");
        if (!dray_string_map_same(map->data, old->data))
            frozen(rq, "data");
        if (!dray_string_map_same(
                now, bytes_map(old->binary_data.k, old->binary_data.v, old->binary_data.n)))
            frozen(rq, "binaryData");
    }
    dray_validate_object_meta(rq, map->metadata, old != NULL ? old->metadata : NULL, true);
    size_t bytes = validate_keys(rq, map->data, &data) + validate_keys(rq, now, &binary);
    for (size_t i = 0; i < map->data.n; i++)
        if (map_has(now, map->data.k[i]))
            fail_invalid(rq, DRAY_AT_KEY(&data, map->data.k[i]), map->data.k[i],
                         DRAY_STR("duplicate of key present in binaryData"));
    if (bytes > DATA_LIMIT)
        fail_too_long(rq, DRAY_AT(NULL, ""), DATA_LIMIT);
}

static void validate_json(dray_request *rq, dray_str text, const dray_path *path) {
    dray_node *root;
    dray_err err = DRAY_ERR_INIT;
    dray_str redacted = DRAY_STR("<secret contents redacted>");
    if (dray_json_parse(text, rq->arena, &root, &err) != DRAY_OK)
        fail_invalid(rq, path, redacted, dray_str_dup(rq->arena, dray_str_of(dray_err_text(&err))));
    else if (root->kind != DRAY_NODE_MAP && root->kind != DRAY_NODE_NULL)
        fail_invalid(rq, path, redacted,
                     DRAY_STR("json: cannot unmarshal into Go value of type map[string]interface "
                              "{}"));
    dray_err_done(&err);
}

static void validate_secret_data(dray_request *rq, dray_str type, dray_string_map data,
                                 const dray_path *path) {
    for (size_t i = 0; i < DRAY_COUNT(secret_types); i++) {
        size_t n = secret_types[i].keys[1] != NULL ? 2 : 1, present = 0;
        if (!dray_str_is(type, secret_types[i].type))
            continue;
        for (size_t j = 0; j < n; j++) {
            dray_str value = DRAY_STR("");
            bool has = map_find(data, dray_str_of(secret_types[i].keys[j]), &value);
            present += has && !(secret_types[i].filled && value.n == 0);
        }
        for (size_t j = 0; j < n; j++) {
            dray_str key = dray_str_of(secret_types[i].keys[j]), value = DRAY_STR("");
            bool has = map_find(data, key, &value) && !(secret_types[i].filled && value.n == 0);
            if (!has && (secret_types[i].all || present == 0))
                fail_required(rq, DRAY_AT_KEY(path, key), DRAY_STR(""));
            else if (has && secret_types[i].json)
                validate_json(rq, value, DRAY_AT_KEY(path, key));
        }
    }
}

void dray_validate_secret(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_secret *secret = body, *old = old_body;
    dray_path data = dray_path_child(NULL, "data");
    dray_string_map now = bytes_map(secret->data.k, secret->data.v, secret->data.n);
    dray_str name = DRAY_STR("kubernetes.io/service-account.name"), value = DRAY_STR("");
    if (old != NULL)
        dray_validate_immutable_word(rq, secret->type, old->type, DRAY_AT(NULL, "type"));
    if (old != NULL && is_on(old->immutable)) {
        if (!is_on(secret->immutable))
            frozen(rq, "immutable");
        if (!dray_string_map_same(now, bytes_map(old->data.k, old->data.v, old->data.n)))
            frozen(rq, "data");
    }
    dray_validate_object_meta(rq, secret->metadata, old != NULL ? old->metadata : NULL, true);
    if (validate_keys(rq, now, &data) > DATA_LIMIT)
        fail_too_long(rq, &data, DATA_LIMIT);
    if (dray_str_is(secret->type, "kubernetes.io/service-account-token")) {
        map_find(secret->metadata->annotations, name, &value);
        if (value.n == 0)
            fail_required(rq, DRAY_AT_KEY(DRAY_AT(DRAY_AT(NULL, "metadata"), "annotations"), name),
                          DRAY_STR(""));
    }
    validate_secret_data(rq, secret->type, now, &data);
}

void dray_validate_service_account(dray_request *rq, const void *body, const void *old_body) {
    const dray_core_service_account *account = body, *old = old_body;
    dray_validate_object_meta(rq, account->metadata, old != NULL ? old->metadata : NULL, true);
}
