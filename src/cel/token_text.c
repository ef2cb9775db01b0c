/* Tokens as people see them. */
#include "cel/cel.h"
#include "cel/lex_int.h"

static const char *const kinds[] = {
    [DRAY_CEL_T_END] = "end",
    [DRAY_CEL_T_EQ] = "==",
    [DRAY_CEL_T_NE] = "!=",
    [DRAY_CEL_T_LT] = "<",
    [DRAY_CEL_T_LE] = "<=",
    [DRAY_CEL_T_GE] = ">=",
    [DRAY_CEL_T_GT] = ">",
    [DRAY_CEL_T_IN] = "in",
    [DRAY_CEL_T_AND] = "&&",
    [DRAY_CEL_T_OR] = "||",
    [DRAY_CEL_T_LBRACKET] = "[",
    [DRAY_CEL_T_RBRACKET] = "]",
    [DRAY_CEL_T_LBRACE] = "{",
    [DRAY_CEL_T_RBRACE] = "}",
    [DRAY_CEL_T_LPAREN] = "(",
    [DRAY_CEL_T_RPAREN] = ")",
    [DRAY_CEL_T_DOT] = ".",
    [DRAY_CEL_T_COMMA] = ",",
    [DRAY_CEL_T_MINUS] = "-",
    [DRAY_CEL_T_NOT] = "!",
    [DRAY_CEL_T_QUESTION] = "?",
    [DRAY_CEL_T_COLON] = ":",
    [DRAY_CEL_T_PLUS] = "+",
    [DRAY_CEL_T_STAR] = "*",
    [DRAY_CEL_T_SLASH] = "/",
    [DRAY_CEL_T_PERCENT] = "%",
    [DRAY_CEL_T_TRUE] = "bool",
    [DRAY_CEL_T_FALSE] = "bool",
    [DRAY_CEL_T_NULL] = "null",
    [DRAY_CEL_T_INT] = "int",
    [DRAY_CEL_T_UINT] = "uint",
    [DRAY_CEL_T_FLOAT] = "double",
    [DRAY_CEL_T_STRING] = "string",
    [DRAY_CEL_T_BYTES] = "bytes",
    [DRAY_CEL_T_IDENT] = "identifier",
    [DRAY_CEL_T_ESC_IDENT] = "quoted identifier",
};

const dray_cel_token_text *dray_cel_token_texts(dray_str text, dray_arena *arena, size_t *ret_n) {
    dray_cel_source source;
    dray_cel_issues issues = {.arena = arena};
    dray_cel_source_init(&source, arena, text);
    dray_cel_tokens tokens = dray_cel_lex(&source, arena, &issues);
    dray_cel_token_text *made = DRAY_NEW_N(arena, dray_cel_token_text, (size_t)tokens.n + 1);
    size_t n = 0;
    uint32_t line = 0;
    for (uint32_t i = 0; i < tokens.n; i++) {
        const dray_cel_token *t = &tokens.v[i];
        if (t->kind == DRAY_CEL_T_END)
            break;
        while (line + 1 < source.n_lines && source.line_points[line + 1] <= t->point)
            line++;
        made[n++] = (dray_cel_token_text){
            .kind = kinds[t->kind],
            .text = dray_str_slice(text, t->byte, (size_t)t->byte + t->n),
            .line = line + 1,
            .column = t->point - source.line_points[line] + 1,
        };
    }
    *ret_n = n;
    return made;
}
