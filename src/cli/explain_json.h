/* An explanation as JSON: causes and fixes as docs/debug.md describes them.
 *
 *     dray_buf_puts(&out, "{\"id\":1");
 *     dray_explain_json(&out, &answer, release);      ,"pending":…,"causes":[…],"fixes":[…]
 *
 * Behind an opening brace the first comma is left out. Pure.
 */
#ifndef DRAY_CLI_EXPLAIN_JSON_H
#define DRAY_CLI_EXPLAIN_JSON_H

#include "explain/explain.h"

/* release: whose fields the objects are written with. */
void dray_explain_json(dray_buf *out, const dray_explain_answer *answer, int release);

#endif
