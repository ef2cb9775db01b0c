/* Private to cel: tokens. */
#ifndef DRAY_CEL_LEX_INT_H
#define DRAY_CEL_LEX_INT_H

#include "cel/source_int.h"

typedef enum dray_cel_token_kind {
    DRAY_CEL_T_END,
    DRAY_CEL_T_EQ,  /* == */
    DRAY_CEL_T_NE,  /* != */
    DRAY_CEL_T_LT,  /* <  */
    DRAY_CEL_T_LE,  /* <= */
    DRAY_CEL_T_GE,  /* >= */
    DRAY_CEL_T_GT,  /* >  */
    DRAY_CEL_T_IN,  /* in */
    DRAY_CEL_T_AND, /* && */
    DRAY_CEL_T_OR,  /* || */
    DRAY_CEL_T_LBRACKET,
    DRAY_CEL_T_RBRACKET,
    DRAY_CEL_T_LBRACE,
    DRAY_CEL_T_RBRACE,
    DRAY_CEL_T_LPAREN,
    DRAY_CEL_T_RPAREN,
    DRAY_CEL_T_DOT,
    DRAY_CEL_T_COMMA,
    DRAY_CEL_T_MINUS,
    DRAY_CEL_T_NOT,
    DRAY_CEL_T_QUESTION,
    DRAY_CEL_T_COLON,
    DRAY_CEL_T_PLUS,
    DRAY_CEL_T_STAR,
    DRAY_CEL_T_SLASH,
    DRAY_CEL_T_PERCENT,
    DRAY_CEL_T_TRUE,
    DRAY_CEL_T_FALSE,
    DRAY_CEL_T_NULL,
    DRAY_CEL_T_INT,
    DRAY_CEL_T_UINT,
    DRAY_CEL_T_FLOAT,
    DRAY_CEL_T_STRING,
    DRAY_CEL_T_BYTES,
    DRAY_CEL_T_IDENT,
    DRAY_CEL_T_ESC_IDENT, /* `a-b` */
} dray_cel_token_kind;

typedef struct dray_cel_token {
    uint8_t kind;   /* dray_cel_token_kind */
    uint32_t byte;  /* where it starts */
    uint32_t n;     /* bytes */
    uint32_t point; /* where it starts, in code points */
} dray_cel_token;

typedef struct dray_cel_tokens {
    dray_cel_token *v; /* the last one is DRAY_CEL_T_END */
    uint32_t n;
} dray_cel_tokens;

/* Cuts the whole source into tokens. Text that is none is an issue and left out. */
dray_cel_tokens dray_cel_lex(const dray_cel_source *source, dray_arena *arena,
                             dray_cel_issues *issues);

/* The value of a string or bytes token (its text with prefix and quotes), in the arena. NULL, or
 * what is wrong with it. */
const char *dray_cel_unescape(dray_arena *arena, dray_str token, bool bytes, dray_str *value);

#endif
