/* Base64 (RFC 4648, standard alphabet, padded) as Go's encoding/base64 reads and writes it.
 *
 *     dray_base64_write(&out, bytes);
 *     char *to = dray_arena_bytes(arena, dray_base64_room(text));
 *     size_t n, bad = dray_base64_read(text, to, &n);        bad == SIZE_MAX: n bytes at to
 */
#ifndef DRAY_BASE_BASE64_H
#define DRAY_BASE_BASE64_H

#include "base/str.h"

void dray_base64_write(dray_buf *out, dray_str bytes);
/* How many bytes reading text may need. */
static inline size_t dray_base64_room(dray_str text) {
    return text.n / 4 * 3 + 4;
}
/* Line ends are skipped. Returns the offset at which Go calls the input corrupt, SIZE_MAX when it
 * is well; to is then filled. */
size_t dray_base64_read(dray_str text, char *to, size_t *ret_n);

#endif
