/* Private to celk8s: Kubernetes' libraries and their types. */
#ifndef DRAY_CELK8S_LIBS_INT_H
#define DRAY_CELK8S_LIBS_INT_H

#include "api/types.h"
#include "cel/eval.h"
#include "obj/semver.h"

extern const dray_cel_library dray_celk8s_lib_quantity, dray_celk8s_lib_semver_v0,
    dray_celk8s_lib_semver_v1, dray_celk8s_lib_lists, dray_celk8s_lib_includes,
    dray_celk8s_lib_includes_136, dray_celk8s_lib_regex, dray_celk8s_lib_urls,
    dray_celk8s_lib_format, dray_celk8s_lib_format_134, dray_celk8s_lib_ip, dray_celk8s_lib_cidr,
    dray_celk8s_lib_authz, dray_celk8s_lib_authz_selectors;

extern const dray_cel_opaque_type dray_celk8s_quantity_type, dray_celk8s_quantity_sum_type,
    dray_celk8s_semver_type, dray_celk8s_url_type, dray_celk8s_format_type;

/* The quantity borrows its digits. */
dray_cel_value dray_celk8s_new_quantity(dray_arena *arena, dray_quantity q);
dray_quantity dray_celk8s_quantity_of(dray_cel_value v);
dray_cel_value dray_celk8s_new_semver(dray_arena *arena, dray_semver v);
dray_semver dray_celk8s_semver_of(dray_cel_value v);
/* How large a pattern the format is charged for. */
uint64_t dray_celk8s_format_regex_size(dray_cel_value v);

/* What a URL must be: url.go's ParseRequestURI. False with *ret_why in arena. */
typedef struct dray_celk8s_url {
    dray_str text, scheme, user, host, path, raw_path, raw_query, opaque, fragment, raw_fragment;
    bool has_user, force_query, omit_host, has_password;
    dray_str password;
} dray_celk8s_url;
bool dray_celk8s_url_check(dray_str text, dray_arena *arena, dray_str *ret_why);
bool dray_celk8s_url_read(dray_str text, dray_arena *arena, dray_celk8s_url *ret,
                          dray_str *ret_why);
dray_str dray_celk8s_url_escaped_path(const dray_celk8s_url *url, dray_arena *arena);
dray_str dray_celk8s_url_text(const dray_celk8s_url *url, dray_arena *arena);
/* %XX and, in a query, + undone; false where a % is followed by something else. */
bool dray_celk8s_url_unescape_query(dray_str text, dray_arena *arena, dray_str *ret);

/* What calls of Kubernetes' and other functions cost at run time. */
extern const dray_cel_track_row dray_celk8s_tracks[];
extern const size_t dray_celk8s_n_tracks;

#endif
