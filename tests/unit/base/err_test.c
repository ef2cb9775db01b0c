/* Errors: text, wrapping, moving. */
#include "base/err.h"

#include "tap.h"

int main(void) {
    dray_err err = DRAY_ERR_INIT;
    CHECK("setting returns the code",
          dray_err_set(&err, DRAY_E_LIMIT, "%d deep", 7) == DRAY_E_LIMIT);
    CHECK_STR("the text is formatted", dray_str_of(dray_err_text(&err)), "7 deep");
    CHECK("wrapping keeps the code", dray_err_wrap(&err, "file %s", "a.yaml") == DRAY_E_LIMIT);
    CHECK_STR("wrapping puts the prefix before the text", dray_str_of(dray_err_text(&err)),
              "file a.yaml: 7 deep");
    dray_err_set_at(&err, DRAY_E_INVALID, 3, 9, "bad");
    CHECK("a place is kept", err.line == 3 && err.column == 9);
    dray_err other = DRAY_ERR_INIT;
    dray_err_move(&other, &err);
    CHECK("moving empties the source", err.text == NULL && err.code == DRAY_OK);
    CHECK_STR("moving brings the text along", dray_str_of(dray_err_text(&other)), "bad");
    CHECK("a NULL error is allowed", dray_err_set(NULL, DRAY_E_IO, "x") == DRAY_E_IO);
    CHECK_STR("a code out of range has a word", dray_str_of(dray_code_text((dray_code)99)),
              "unknown");
    dray_err_done(&other);
    return tap_end();
}
