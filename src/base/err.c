/* Errors: storage and formatting. */
#include "base/err.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *format_text(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0)
        return dray_strdup("?");
    char *text = dray_malloc((size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

static dray_code store(dray_err *err, dray_code code, uint32_t line, uint32_t column, char *text) {
    free(err->text);
    *err = (dray_err){.code = code, .line = line, .column = column, .text = text};
    return code;
}

dray_code dray_err_set(dray_err *err, dray_code code, const char *format, ...) {
    if (err == NULL)
        return code;
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args);
    va_end(args);
    return store(err, code, 0, 0, text);
}

dray_code dray_err_set_at(dray_err *err, dray_code code, uint32_t line, uint32_t column,
                          const char *format, ...) {
    if (err == NULL)
        return code;
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args);
    va_end(args);
    return store(err, code, line, column, text);
}

dray_code dray_err_wrap(dray_err *err, const char *format, ...) {
    if (err == NULL)
        return DRAY_E_INTERNAL;
    va_list args;
    va_start(args, format);
    char *prefix = format_text(format, args);
    va_end(args);
    const char *old = dray_err_text(err);
    size_t room = strlen(prefix) + 2 + strlen(old) + 1;
    char *text = dray_malloc(room);
    snprintf(text, room, "%s: %s", prefix, old);
    free(prefix);
    return store(err, err->code, err->line, err->column, text);
}

void dray_err_move(dray_err *to, dray_err *from) {
    if (from == NULL || to == from)
        return;
    if (to != NULL) {
        free(to->text);
        *to = *from;
    } else {
        free(from->text);
    }
    *from = DRAY_ERR_INIT;
}

const char *dray_err_text(const dray_err *err) {
    return err != NULL && err->text != NULL ? err->text : "";
}

const char *dray_code_text(dray_code code) {
    static const char *const texts[] = {
        [DRAY_OK] = "ok",
        [DRAY_E_INVALID] = "invalid",
        [DRAY_E_LIMIT] = "limit exceeded",
        [DRAY_E_NOT_FOUND] = "not found",
        [DRAY_E_UNSUPPORTED] = "not supported",
        [DRAY_E_CONFLICT] = "conflict",
        [DRAY_E_IO] = "input or output failed",
        [DRAY_E_GAVE_UP] = "gave up",
        [DRAY_E_INTERNAL] = "internal error",
    };
    return (size_t)code < sizeof texts / sizeof *texts ? texts[code] : "unknown";
}

void dray_err_done(dray_err *err) {
    if (err == NULL)
        return;
    free(err->text);
    *err = DRAY_ERR_INIT;
}
