/* The lexer: longest match, as the grammar's rules are written. */
#include "cel/lex_int.h"

typedef struct lexer {
    const char *p; /* the source, not terminated */
    size_t n;
} lexer;

/* What a try to match leaves: the length of the longest token (0: none) and how far it looked. */
typedef struct match {
    size_t n;
    size_t seen;
    dray_cel_token_kind kind;
} match;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* '\0' past the end: no rule contains it outside of strings, which look at the end themselves. */
static char at(const lexer *lex, size_t i) {
    return i < lex->n ? lex->p[i] : '\0';
}

static size_t digits(const lexer *lex, size_t i) {
    while (is_digit(at(lex, i)))
        i++;
    return i;
}

/* Past an exponent that starts at i, or i when there is none. */
static size_t exponent(const lexer *lex, size_t i) {
    if (at(lex, i) != 'e' && at(lex, i) != 'E')
        return i;
    size_t j = i + 1;
    if (at(lex, j) == '+' || at(lex, j) == '-')
        j++;
    size_t end = digits(lex, j);
    return end == j ? i : end;
}

static match match_number(const lexer *lex, size_t from) {
    size_t end = digits(lex, from);
    if (end == from + 1 && at(lex, from) == '0' && at(lex, end) == 'x' &&
        is_hex(at(lex, end + 1))) {
        for (end++; is_hex(at(lex, end));)
            end++;
        if (at(lex, end) == 'u' || at(lex, end) == 'U')
            return (match){.n = end + 1 - from, .kind = DRAY_CEL_T_UINT};
        return (match){.n = end - from, .kind = DRAY_CEL_T_INT};
    }
    if (at(lex, end) == '.' && is_digit(at(lex, end + 1))) {
        end = exponent(lex, digits(lex, end + 1));
        return (match){.n = end - from, .kind = DRAY_CEL_T_FLOAT};
    }
    size_t with_exponent = exponent(lex, end);
    if (with_exponent != end)
        return (match){.n = with_exponent - from, .kind = DRAY_CEL_T_FLOAT};
    if (at(lex, end) == 'u' || at(lex, end) == 'U')
        return (match){.n = end + 1 - from, .kind = DRAY_CEL_T_UINT};
    return (match){.n = end - from, .kind = DRAY_CEL_T_INT};
}

/* Past the escape sequence whose backslash stands at i; 0 when it is none, with *seen where. */
static size_t escape(const lexer *lex, size_t i, size_t *seen) {
    char c = at(lex, i + 1);
    size_t hex = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (hex != 0) {
        for (size_t j = 0; j < hex; j++) {
            *seen = i + 2 + j;
            if (!is_hex(at(lex, *seen)))
                return 0;
        }
        return i + 2 + hex;
    }
    *seen = i + 1;
    if (c >= '0' && c <= '3') {
        for (size_t j = 2; j < 4; j++) {
            *seen = i + j;
            if (at(lex, *seen) < '0' || at(lex, *seen) > '7')
                return 0;
        }
        return i + 4;
    }
    return c != '\0' && strchr("abfnrtv\"'\\?`", c) != NULL ? i + 2 : 0;
}

/* The body and closing quote of a string whose opening quote (one, or three when `triple`) ends
 * before i. */
static match match_body(const lexer *lex, size_t from, size_t i, char quote, bool triple,
                        bool raw) {
    for (; i < lex->n;) {
        char c = lex->p[i];
        if (c == quote && !triple)
            return (match){.n = i + 1 - from};
        if (c == quote && at(lex, i + 1) == quote && at(lex, i + 2) == quote)
            return (match){.n = i + 3 - from};
        if (!triple && (c == '\n' || c == '\r'))
            return (match){.seen = i};
        if (c != '\\' || raw) {
            i++;
            continue;
        }
        size_t seen = i;
        size_t next = escape(lex, i, &seen);
        if (next == 0)
            return (match){.seen = seen};
        i = next;
    }
    return (match){.seen = i};
}

/* A string or bytes literal at `from`, prefix included. */
static match match_string(const lexer *lex, size_t from) {
    size_t i = from;
    bool bytes = at(lex, i) == 'b' || at(lex, i) == 'B';
    i += bytes;
    bool raw = at(lex, i) == 'r' || at(lex, i) == 'R';
    i += raw;
    char quote = at(lex, i);
    if (quote != '"' && quote != '\'')
        return (match){0};
    match found = {0};
    size_t seen = 0;
    if (at(lex, i + 1) == quote && at(lex, i + 2) == quote) {
        found = match_body(lex, from, i + 3, quote, true, raw);
        seen = found.seen;
    }
    /* A triple quote that never closes leaves an empty string before it. */
    if (found.n == 0)
        found = match_body(lex, from, i + 1, quote, false, raw);
    if (found.seen < seen)
        found.seen = seen;
    found.kind = bytes ? DRAY_CEL_T_BYTES : DRAY_CEL_T_STRING;
    return found;
}

static match match_word(const lexer *lex, size_t from) {
    size_t i = from;
    while (is_letter(at(lex, i)) || is_digit(at(lex, i)) || at(lex, i) == '_')
        i++;
    dray_str word = dray_str_n(lex->p + from, i - from);
    static const struct {
        const char *word;
        dray_cel_token_kind kind;
    } keywords[] = {{"in", DRAY_CEL_T_IN},
                    {"true", DRAY_CEL_T_TRUE},
                    {"false", DRAY_CEL_T_FALSE},
                    {"null", DRAY_CEL_T_NULL}};
    match found = {.n = word.n, .kind = DRAY_CEL_T_IDENT};
    for (size_t k = 0; k < DRAY_COUNT(keywords); k++)
        if (word.p[0] == keywords[k].word[0] && dray_str_is(word, keywords[k].word))
            found.kind = keywords[k].kind;
    return found;
}

static match match_escaped(const lexer *lex, size_t from) {
    size_t i = from + 1;
    while (is_letter(at(lex, i)) || is_digit(at(lex, i)) ||
           (at(lex, i) != '\0' && strchr("_.-/ ", at(lex, i)) != NULL))
        i++;
    if (at(lex, i) != '`' || i == from + 1)
        return (match){.seen = i};
    return (match){.n = i + 1 - from, .kind = DRAY_CEL_T_ESC_IDENT};
}

static match match_sign(const lexer *lex, size_t from) {
    static const struct {
        char text[3];
        dray_cel_token_kind kind;
    } signs[] = {
        {"==", DRAY_CEL_T_EQ},      {"!=", DRAY_CEL_T_NE},    {"<=", DRAY_CEL_T_LE},
        {">=", DRAY_CEL_T_GE},      {"&&", DRAY_CEL_T_AND},   {"||", DRAY_CEL_T_OR},
        {"<", DRAY_CEL_T_LT},       {">", DRAY_CEL_T_GT},     {"[", DRAY_CEL_T_LBRACKET},
        {"]", DRAY_CEL_T_RBRACKET}, {"{", DRAY_CEL_T_LBRACE}, {"}", DRAY_CEL_T_RBRACE},
        {"(", DRAY_CEL_T_LPAREN},   {")", DRAY_CEL_T_RPAREN}, {".", DRAY_CEL_T_DOT},
        {",", DRAY_CEL_T_COMMA},    {"-", DRAY_CEL_T_MINUS},  {"!", DRAY_CEL_T_NOT},
        {"?", DRAY_CEL_T_QUESTION}, {":", DRAY_CEL_T_COLON},  {"+", DRAY_CEL_T_PLUS},
        {"*", DRAY_CEL_T_STAR},     {"/", DRAY_CEL_T_SLASH},  {"%", DRAY_CEL_T_PERCENT},
    };
    for (size_t k = 0; k < DRAY_COUNT(signs); k++) {
        size_t n = signs[k].text[1] == '\0' ? 1 : 2;
        if (at(lex, from) == signs[k].text[0] && (n == 1 || at(lex, from + 1) == signs[k].text[1]))
            return (match){.n = n, .kind = signs[k].kind};
    }
    char c = at(lex, from);
    return (match){.seen = c == '=' || c == '&' || c == '|' ? from + 1 : from};
}

static match match_token(const lexer *lex, size_t from) {
    char c = lex->p[from];
    if (is_digit(c))
        return match_number(lex, from);
    if (c == '.' && is_digit(at(lex, from + 1))) {
        size_t end = exponent(lex, digits(lex, from + 1));
        return (match){.n = end - from, .kind = DRAY_CEL_T_FLOAT};
    }
    if (c == '`')
        return match_escaped(lex, from);
    if (c != '\0' && strchr("\"'bBrR", c) != NULL) {
        match found = match_string(lex, from);
        if (found.n != 0 || c == '"' || c == '\'')
            return found;
    }
    if (is_letter(c) || c == '_')
        return match_word(lex, from);
    return match_sign(lex, from);
}

/* Past white space and comments. */
static size_t skip_blank(const lexer *lex, size_t i) {
    for (;;) {
        char c = at(lex, i);
        if (i < lex->n && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')) {
            i++;
        } else if (c == '/' && at(lex, i + 1) == '/') {
            while (i < lex->n && lex->p[i] != '\n')
                i++;
        } else {
            return i;
        }
    }
}

static size_t whole_point(const lexer *lex, size_t i) {
    while (i < lex->n && ((unsigned char)lex->p[i] & 0xC0) == 0x80)
        i++;
    return i;
}

static uint32_t points_between(const dray_cel_source *source, size_t from, size_t to) {
    if (source->ascii)
        return (uint32_t)(to - from);
    uint32_t n = 0;
    for (size_t i = from; i < to; i++)
        n += ((unsigned char)source->text.p[i] & 0xC0) != 0x80;
    return n;
}

dray_cel_tokens dray_cel_lex(const dray_cel_source *source, dray_arena *arena,
                             dray_cel_issues *issues) {
    lexer lex = {source->text.p, source->text.n};
    DRAY_VEC(dray_cel_token) out = {0};
    size_t i = 0;
    uint32_t point = 0;
    for (;;) {
        size_t start = skip_blank(&lex, i);
        point += points_between(source, i, start);
        if (start >= lex.n) {
            dray_cel_token end = {.kind = DRAY_CEL_T_END, .byte = (uint32_t)lex.n, .point = point};
            DRAY_PUSH(arena, &out, end);
            return (dray_cel_tokens){out.v, (uint32_t)out.n};
        }
        match found = match_token(&lex, start);
        if (found.n != 0) {
            dray_cel_token token = {.kind = (uint8_t)found.kind,
                                    .byte = (uint32_t)start,
                                    .n = (uint32_t)found.n,
                                    .point = point};
            DRAY_PUSH(arena, &out, token);
            i = start + found.n;
        } else {
            /* The character that stopped the match is dropped with what came before it. */
            i = found.seen < lex.n ? whole_point(&lex, found.seen + 1) : lex.n;
            dray_cel_issue_add(issues, point,
                               "Syntax error: token recognition error at: '" DRAY_FMT "'",
                               (int)(i - start), lex.p + start);
        }
        point += points_between(source, start, i);
    }
}
