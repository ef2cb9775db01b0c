/* Kubernetes' url library. */
#include "celk8s/libs_int.h"

#include "base/vec.h"

enum { PARAM_WORK = 16 }; /* of reading one: see DRAY_CEL_EVAL_WORK */

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

enum { MAX_PARAMS = 10000 }; /* of a query, as Go limits them */

typedef struct url_object {
    dray_cel_opaque opaque;
    dray_celk8s_url url;
} url_object;

static const dray_celk8s_url *url_of(dray_cel_value v) {
    return &((const url_object *)v.opaque)->url;
}

static bool equal(const dray_cel_opaque *a, const dray_cel_opaque *b) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    return dray_str_eq(dray_celk8s_url_text(&((const url_object *)a)->url, arena),
                       dray_celk8s_url_text(&((const url_object *)b)->url, arena));
}

static void print(dray_buf *out, const dray_cel_opaque *a) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_buf_str_add(out, dray_celk8s_url_text(&((const url_object *)a)->url, arena));
}

const dray_cel_opaque_type dray_celk8s_url_type = {DRAY_STR_INIT("kubernetes.URL"),
                                                   "cel.URL",
                                                   equal,
                                                   NULL,
                                                   print,
                                                   NULL,
                                                   false,
                                                   .native = "*url.URL"};

FN(to_url) {
    url_object *o = DRAY_NEW(e->arena, url_object);
    dray_str why;
    o->opaque.type = &dray_celk8s_url_type;
    if (dray_celk8s_url_read(dray_cel_str(args[0]), e->arena, &o->url, &why))
        return dray_cel_of_opaque(&o->opaque);
    return dray_cel_failf(e->arena, "URL parse error during conversion from string: " DRAY_FMT,
                          DRAY_ARG(why));
}

FN(is_url) {
    dray_str why;
    return dray_cel_of_bool(dray_celk8s_url_check(dray_cel_str(args[0]), e->arena, &why));
}

FN(scheme) {
    return dray_cel_of_str(url_of(args[0])->scheme);
}

FN(host) {
    return dray_cel_of_str(url_of(args[0])->host);
}

/* The host without brackets and port, and the port. */
static void split_host(dray_str s, dray_str *host_part, dray_str *port_part) {
    *host_part = s;
    *port_part = DRAY_STR("");
    size_t colon = dray_str_rchr(s, ':');
    bool digits = colon != SIZE_MAX;
    for (size_t i = digits ? colon + 1 : s.n; i < s.n; i++)
        digits = digits && s.p[i] >= '0' && s.p[i] <= '9';
    if (digits) {
        *host_part = dray_str_slice(s, 0, colon);
        *port_part = dray_str_slice(s, colon + 1, s.n);
    }
    if (host_part->n >= 2 && host_part->p[0] == '[' && host_part->p[host_part->n - 1] == ']')
        *host_part = dray_str_slice(*host_part, 1, host_part->n - 1);
}

FN(hostname) {
    dray_str name, port_part;
    split_host(url_of(args[0])->host, &name, &port_part);
    return dray_cel_of_str(name);
}

FN(port) {
    dray_str name, port_part;
    split_host(url_of(args[0])->host, &name, &port_part);
    return dray_cel_of_str(port_part);
}

FN(escaped_path) {
    return dray_cel_of_str(dray_celk8s_url_escaped_path(url_of(args[0]), e->arena));
}

/* One key=value; what can't be read is dropped, as url.Query does. */
static void add_pair(dray_cel_eval *e, dray_cel_map *map, dray_str pair) {
    dray_str key, value;
    if (pair.n == 0 || dray_str_chr(pair, ';') != SIZE_MAX)
        return;
    if (!dray_str_cut(pair, '=', &key, &value))
        value = DRAY_STR("");
    if (!dray_celk8s_url_unescape_query(key, e->arena, &key) ||
        !dray_celk8s_url_unescape_query(value, e->arena, &value))
        return;
    dray_cel_value name = dray_cel_of_str(key);
    const dray_cel_value *list = dray_cel_map_has(map, name);
    dray_cel_map_put(e->arena, map, name,
                     dray_cel_list_append(e->arena, list != NULL ? *list : dray_cel_empty_list,
                                          dray_cel_of_str(value)));
}

FN(query) {
    dray_cel_map *map = dray_cel_map_new(e->arena, 0);
    dray_str rest = url_of(args[0])->raw_query;
    size_t params = 1;
    for (size_t i = 0; i < rest.n; i++)
        params += rest.p[i] == '&';
    while (rest.n > 0 && params <= MAX_PARAMS && dray_cel_eval_work(e, PARAM_WORK)) {
        dray_str pair, tail;
        if (!dray_str_cut(rest, '&', &pair, &tail))
            tail = DRAY_STR("");
        add_pair(e, map, pair);
        rest = tail;
    }
    return dray_cel_of_map(map);
}

static const dray_cel_row rows[] = {
    {"getEscapedPath", "url_get_escaped_path", "kubernetes.URL.() -> string", escaped_path},
    {"getHost", "url_get_host", "kubernetes.URL.() -> string", host},
    {"getHostname", "url_get_hostname", "kubernetes.URL.() -> string", hostname},
    {"getPort", "url_get_port", "kubernetes.URL.() -> string", port},
    {"getQuery", "url_get_query", "kubernetes.URL.() -> map(string, list(string))", query},
    {"getScheme", "url_get_scheme", "kubernetes.URL.() -> string", scheme},
    {"isURL", "is_url_string", "(string) -> bool", is_url},
    {"url", "string_to_url", "(string) -> kubernetes.URL", to_url},
};

const dray_cel_library dray_celk8s_lib_urls = {
    .name = "kubernetes.urls", .rows = rows, .n_rows = DRAY_COUNT(rows)};
