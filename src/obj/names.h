/* Formats of names: DNS labels, subdomains, qualified names, label values, identifiers.
 * Each check returns how many texts it put into out (0: fine; at most DRAY_NAME_TEXTS), each the
 * exact detail that Kubernetes shows. Texts are static or in arena.
 * Source: apimachinery's util/validation and api/validate/content.
 */
#ifndef DRAY_OBJ_NAMES_H
#define DRAY_OBJ_NAMES_H

#include "base/str.h"

enum { DRAY_NAME_TEXTS = 8 };

size_t dray_check_dns1123_label(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_dns1123_subdomain(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
/* The same in any case of letters (after lower-casing). */
size_t dray_check_dns1123_subdomain_caseless(dray_str s, dray_str out[DRAY_NAME_TEXTS],
                                             dray_arena *arena);
size_t dray_check_dns1035_label(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
/* prefix/name: IsQualifiedName, and the newer text of label keys. */
size_t dray_check_qualified_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_label_key(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_label_value(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_c_identifier(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_env_var_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_relaxed_env_var_name(dray_str s, dray_str out[DRAY_NAME_TEXTS],
                                       dray_arena *arena);
size_t dray_check_config_map_key(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_port_name(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);
size_t dray_check_path_segment(dray_str s, dray_str out[DRAY_NAME_TEXTS], dray_arena *arena);

#endif
