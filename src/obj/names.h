/* Formats of names: DNS labels, subdomains, qualified names, label values, identifiers.
 *
 *     dray_str texts[DRAY_NAME_TEXTS];
 *     size_t n = dray_check_label_key(key, texts, arena);
 *     for (size_t i = 0; i < n; i++) complain(texts[i]);
 *
 * Each check returns how many texts it put into out (0: fine; at most DRAY_NAME_TEXTS), each the
 * exact detail that Kubernetes shows. Texts are static or in arena.
 * Source: apimachinery's util/validation and api/validate/content.
 */
#ifndef DRAY_OBJ_NAMES_H
#define DRAY_OBJ_NAMES_H

#include "base/str.h"

enum { DRAY_NAME_TEXTS = 8 };

/* s as Go's ToLower makes it where that matters to a format: ASCII, and the Kelvin sign, the one
 * letter beyond whose lower case is within. In arena. */
dray_str dray_lower_name(dray_str s, dray_arena *arena);

/* The older checks of labels and subdomains count "characters" in their text. */
size_t dray_check_dns1123_label(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_dns1123_subdomain(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
/* The same as declared formats (k8s-short-name, k8s-long-name, k8s-long-name-caseless): "bytes". */
size_t dray_check_short_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_long_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_long_name_caseless(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_dns1035_label(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
/* *.example.com */
size_t dray_check_wildcard_subdomain(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
/* [prefix/]name; IsQualifiedName is the same. */
size_t dray_check_label_key(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_label_value(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_c_identifier(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_env_var_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_relaxed_env_var_name(dray_str s, dray_str out[DRAY_NAME_TEXTS],
                                       dray_arena *arena);
size_t dray_check_config_map_key(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_port_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_path_segment(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
/* What an extended resource may be called: a domain outside kubernetes.io, no "requests." prefix.
 */
size_t dray_check_extended_resource(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);

/* Plain tests without a text. */
bool dray_is_extended_resource(dray_str s);
/* 8-4-4-4-12 lowercase hexadecimal digits. */
bool dray_is_uuid(dray_str s);
/* A version of semver.org 2.0.0, in full (no length limit). */
bool dray_is_strict_semver(dray_str s);

#endif
