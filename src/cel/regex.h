/* Regular expressions in Go's language, by RE2.
 *
 *     dray_cel_regex *re;
 *     if (!dray_cel_regex_new(p, n, &re, &why)) … why is Go's text, to be freed
 *     dray_cel_regex_match(re, text, n)
 *     dray_cel_regex_free(re);
 *
 * The two languages differ in two things only: (?<name>…), which Go takes, is rewritten; \C, which
 * Go refuses, is refused. Matching is linear in the text. Thread rule: shared freely once made.
 */
#ifndef DRAY_CEL_REGEX_H
#define DRAY_CEL_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DRAY_CEL_REGEX_MEMORY = 64 << 20 }; /* most bytes that one pattern may take */

typedef struct dray_cel_regex dray_cel_regex;

/* False with *ret_why = "error parsing regexp: …" (heap, freed by the caller). */
bool dray_cel_regex_new(const char *pattern, size_t n, dray_cel_regex **ret, char **ret_why);
void dray_cel_regex_free(dray_cel_regex *re);
/* Instructions of its program: what making it has taken goes by them. */
size_t dray_cel_regex_size(const dray_cel_regex *re);
/* Somewhere in the text? */
bool dray_cel_regex_match(const dray_cel_regex *re, const char *text, size_t n);
/* The leftmost match at or after `from`: its start and end. */
bool dray_cel_regex_find(const dray_cel_regex *re, const char *text, size_t n, size_t from,
                         size_t *ret_start, size_t *ret_end);

#ifdef __cplusplus
}
#endif

#endif
