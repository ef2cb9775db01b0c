/* Errors: a code for programs and a sentence for people.
 *
 *     dray_err err = DRAY_ERR_INIT;
 *     if (dray_quantity_parse(text, &quantity, &err) != DRAY_OK)
 *         fprintf(stderr, "%s\n", dray_err_text(&err));
 *     dray_err_done(&err);
 *
 * Every fallible function returns a dray_code and takes `dray_err *err` last, which may be NULL.
 * On success err is untouched; on failure outputs are untouched. Thread rule: one owner at a time.
 */
#ifndef DRAY_BASE_ERR_H
#define DRAY_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

typedef enum dray_code {
    DRAY_OK = 0,
    DRAY_E_INVALID,     /* the input breaks a rule; the text names value, rule and place */
    DRAY_E_LIMIT,       /* a named limit was passed: size, depth, count, arena */
    DRAY_E_NOT_FOUND,   /* a name refers to nothing */
    DRAY_E_UNSUPPORTED, /* well-formed, but not served in this version */
    DRAY_E_CONFLICT,    /* two things contradict each other */
    DRAY_E_IO,          /* the operating system said no */
    DRAY_E_GAVE_UP,     /* a step budget or deadline ran out; says nothing about the answer */
    DRAY_E_INTERNAL,    /* a bug in dray */
} dray_code;

/* Owns `text` (heap). line and column count from 1; 0 where unknown. */
typedef struct dray_err {
    dray_code code;
    uint32_t line;
    uint32_t column;
    char *text;
} dray_err;

#define DRAY_ERR_INIT ((dray_err){0})

/* Stores code and the formatted text, replacing an earlier one; returns code. err may be NULL. */
dray_code dray_err_set(dray_err *err, dray_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As dray_err_set, with a place in the source text. */
dray_code dray_err_set_at(dray_err *err, dray_code code, uint32_t line, uint32_t column,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Puts "PREFIX: " before the text that is there; code and place stay. Returns the code. */
dray_code dray_err_wrap(dray_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Moves from's content into to (either may be NULL) and leaves from empty. */
void dray_err_move(dray_err *to, dray_err *from);

/* The text, or "" when there is none. Borrowed until the next call on err. */
const char *dray_err_text(const dray_err *err);

/* The word for a code, e.g. "limit exceeded". Static. */
const char *dray_code_text(dray_code code);

void dray_err_done(dray_err *err);

#endif
