/* The parser: recursive descent over the grammar's rules, building the tree as it goes.
 *
 * Nesting is limited twice, as cel-go does: each grammar rule may be open 250 times, and 250
 * ternaries, relations, sums, selections, calls of methods and indexings may stand inside one
 * another in what was written; of a chain of operators each link counts there.
 */
#include "cel/parse_int.h"

#include <locale.h>
#include <stdlib.h>

/* A tree and how deep the counted constructs nest in its text. */
typedef struct part {
    dray_cel_expr *e;
    unsigned height;
} part;

typedef DRAY_VEC(dray_cel_expr *) expr_list;

static part parse_expr(dray_cel_parser *p);

static unsigned max(unsigned a, unsigned b) {
    return a > b ? a : b;
}

static const dray_cel_token *peek(const dray_cel_parser *p) {
    return &p->tokens.v[p->at];
}

static dray_cel_token_kind kind(const dray_cel_parser *p) {
    return (dray_cel_token_kind)p->tokens.v[p->at].kind;
}

static dray_cel_token_kind kind_after(const dray_cel_parser *p, uint32_t n) {
    uint32_t at = p->at + n;
    return (dray_cel_token_kind)p->tokens.v[at < p->tokens.n ? at : p->tokens.n - 1].kind;
}

static dray_str token_text(const dray_cel_parser *p, const dray_cel_token *token) {
    return dray_str_n(p->source->text.p + token->byte, token->n);
}

static const dray_cel_token *next(dray_cel_parser *p) {
    const dray_cel_token *token = peek(p);
    if (p->at + 1 < p->tokens.n)
        p->at++;
    return token;
}

static bool accept(dray_cel_parser *p, dray_cel_token_kind wanted) {
    if (kind(p) != wanted)
        return false;
    next(p);
    return true;
}

/* Nothing more is read: what is open closes over nothing. */
static void stop(dray_cel_parser *p) {
    if (p->failed)
        return;
    p->failed = true;
    p->failed_at = peek(p)->point;
    p->at = p->tokens.n - 1;
}

static void syntax_error(dray_cel_parser *p, const char *expected) {
    if (p->failed)
        return;
    dray_str got = kind(p) == DRAY_CEL_T_END ? DRAY_STR("<EOF>") : token_text(p, peek(p));
    uint32_t offset = p->source->text.n == 0 ? DRAY_CEL_EMPTY : peek(p)->point;
    dray_cel_issue_add(p->issues, offset,
                       "Syntax error: mismatched input '" DRAY_FMT "' expecting %s", DRAY_ARG(got),
                       expected);
    stop(p);
}

/* One token too many before the one that is wanted: it is left out, reading goes on. */
static void extraneous(dray_cel_parser *p, const char *expected) {
    dray_cel_issue_add(p->issues, peek(p)->point,
                       "Syntax error: extraneous input '" DRAY_FMT "' expecting %s",
                       DRAY_ARG(token_text(p, peek(p))), expected);
    next(p);
}

static const dray_cel_token *expect(dray_cel_parser *p, dray_cel_token_kind wanted,
                                    const char *name) {
    if (kind(p) == wanted && !p->failed)
        return next(p);
    if (!p->failed && kind_after(p, 1) == wanted && kind(p) != DRAY_CEL_T_END) {
        extraneous(p, name);
        return next(p);
    }
    syntax_error(p, name);
    return peek(p);
}

static void nested_too_deep(dray_cel_parser *p, const char *text) {
    if (!p->too_deep && !p->failed)
        dray_cel_issue_add(p->issues, DRAY_CEL_NOWHERE, "%s", text);
    p->too_deep = true;
    stop(p);
}

static void enter(dray_cel_parser *p, dray_cel_rule rule) {
    if (++p->depth[rule] > DRAY_CEL_DEPTH)
        nested_too_deep(p, "expression recursion limit exceeded: 250");
}

void dray_cel_parse_error(dray_cel_parser *p, uint32_t offset, const char *text) {
    bool after_failure = p->failed && offset >= p->failed_at;
    if (p->mute == 0 && !after_failure)
        dray_cel_issue_add(p->issues, offset, "%s", text);
}

static part none(dray_cel_parser *p, uint32_t offset) {
    return (part){dray_cel_make_none(p, offset), 0};
}

static part wrong(dray_cel_parser *p, uint32_t offset, const char *text) {
    dray_cel_parse_error(p, offset, text);
    return none(p, offset);
}

static bool is_reserved(dray_str name) {
    static const char *const words[] = {
        "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
        "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
    for (size_t i = 0; i < DRAY_COUNT(words); i++)
        if (name.n != 0 && words[i][0] == name.p[0] && dray_str_is(name, words[i]))
            return true;
    return false;
}

static part binary(dray_cel_parser *p, uint32_t offset, const char *function, part left,
                   part right) {
    dray_cel_expr *args[] = {left.e, right.e};
    return (part){dray_cel_make_call(p, offset, dray_str_of(function), NULL, args, 2),
                  max(left.height, right.height)};
}

/* Literals. */

static bool parse_digits(dray_str text, unsigned base, uint64_t *value) {
    uint64_t sum = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        unsigned digit = c <= '9' ? (unsigned)(c - '0') : ((unsigned)(c | 0x20) - 'a' + 10);
        if (__builtin_mul_overflow(sum, base, &sum) || __builtin_add_overflow(sum, digit, &sum))
            return false;
    }
    *value = sum;
    return true;
}

static bool parse_magnitude(dray_str text, uint64_t *value) {
    bool hex = text.n > 2 && text.p[1] == 'x';
    return parse_digits(hex ? dray_str_slice(text, 2, text.n) : text, hex ? 16 : 10, value);
}

static part int_literal(dray_cel_parser *p, uint32_t offset, dray_str text, bool minus) {
    uint64_t size;
    if (!parse_magnitude(text, &size) || size > (uint64_t)INT64_MAX + minus)
        return wrong(p, offset, "invalid int literal");
    int64_t value = minus ? (int64_t)(0 - size) : (int64_t)size;
    return (part){dray_cel_make_literal(p, offset, (dray_cel_const){DRAY_CEL_INT, {.i = value}}),
                  0};
}

static part uint_literal(dray_cel_parser *p, uint32_t offset, dray_str text) {
    uint64_t value;
    if (!parse_magnitude(dray_str_slice(text, 0, text.n - 1), &value))
        return wrong(p, offset, "invalid uint literal");
    return (part){dray_cel_make_literal(p, offset, (dray_cel_const){DRAY_CEL_UINT, {.u = value}}),
                  0};
}

static part float_literal(dray_cel_parser *p, uint32_t offset, dray_str text, bool minus) {
    dray_str copy = dray_str_dup(p->arena, text);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(copy.p, NULL, plain);
    freelocale(plain);
    if (value > __DBL_MAX__)
        return wrong(p, offset, "invalid double literal");
    value = minus ? -value : value;
    return (part){dray_cel_make_literal(p, offset, (dray_cel_const){DRAY_CEL_DOUBLE, {.d = value}}),
                  0};
}

static part text_literal(dray_cel_parser *p, const dray_cel_token *token) {
    bool bytes = token->kind == DRAY_CEL_T_BYTES;
    dray_str value = DRAY_STR("");
    const char *bad = dray_cel_unescape(p->arena, token_text(p, token), bytes, &value);
    if (bad != NULL)
        dray_cel_parse_error(p, token->point, bad);
    dray_cel_const literal = {bytes ? DRAY_CEL_BYTES : DRAY_CEL_STRING, {.s = value}};
    return (part){dray_cel_make_literal(p, token->point, literal), 0};
}

static part simple_literal(dray_cel_parser *p, const dray_cel_token *token) {
    dray_cel_const value = {.kind = token->kind == DRAY_CEL_T_NULL ? DRAY_CEL_NULL : DRAY_CEL_BOOL};
    value.b = token->kind == DRAY_CEL_T_TRUE;
    return (part){dray_cel_make_literal(p, token->point, value), 0};
}

/* Lists of expressions. */

/* Expressions up to a closing bracket, which is left; returns their height. */
static unsigned parse_args(dray_cel_parser *p, expr_list *args) {
    unsigned height = 0;
    if (kind(p) == DRAY_CEL_T_RPAREN)
        return 0;
    do {
        part arg = parse_expr(p);
        DRAY_PUSH(p->arena, args, arg.e);
        height = max(height, arg.height);
    } while (!p->failed && accept(p, DRAY_CEL_T_COMMA));
    return height;
}

/* A call whose '(' stands at offset: a macro or a plain call. */
static dray_cel_expr *finish_call(dray_cel_parser *p, uint32_t offset, dray_str name,
                                  dray_cel_expr *target, const expr_list *args) {
    dray_cel_expr *made = dray_cel_expand(p, offset, name, target, args->v, args->n);
    return made != NULL ? made : dray_cel_make_call(p, offset, name, target, args->v, args->n);
}

/* Whether a '?' stands before an entry; it is an error without the optional syntax. */
static bool optional_mark(dray_cel_parser *p) {
    uint32_t offset = peek(p)->point;
    if (!accept(p, DRAY_CEL_T_QUESTION))
        return false;
    if (!p->options->optional_syntax)
        dray_cel_parse_error(p, offset, "unsupported syntax '?'");
    return true;
}

static part parse_list(dray_cel_parser *p) {
    uint32_t offset = next(p)->point;
    expr_list items = {0};
    DRAY_VEC(uint32_t) optional = {0};
    unsigned height = 0;
    while (!p->failed && kind(p) != DRAY_CEL_T_RBRACKET && kind(p) != DRAY_CEL_T_COMMA) {
        if (optional_mark(p))
            DRAY_PUSH(p->arena, &optional, (uint32_t)items.n);
        part item = parse_expr(p);
        DRAY_PUSH(p->arena, &items, item.e);
        height = max(height, item.height);
        if (kind(p) != DRAY_CEL_T_COMMA || kind_after(p, 1) == DRAY_CEL_T_RBRACKET)
            break;
        next(p);
        if (kind(p) == DRAY_CEL_T_COMMA)
            syntax_error(p, "an expression");
    }
    accept(p, DRAY_CEL_T_COMMA);
    expect(p, DRAY_CEL_T_RBRACKET, "{']', ','}");
    dray_cel_expr *e = dray_cel_make_list(p, offset, items.v, items.n);
    e->list.optional = optional.v;
    e->list.n_optional = (uint32_t)optional.n;
    return (part){e, height};
}

/* The name of a member after a dot or in a struct: an identifier or an escaped one. skips: one
 * token too many before it is left out. */
static bool parse_member_name(dray_cel_parser *p, uint32_t error_at, bool skips, dray_str *name) {
    bool next_is_name =
        kind_after(p, 1) == DRAY_CEL_T_IDENT || kind_after(p, 1) == DRAY_CEL_T_ESC_IDENT;
    bool is_name = kind(p) == DRAY_CEL_T_IDENT || kind(p) == DRAY_CEL_T_ESC_IDENT;
    if (skips && !is_name && next_is_name)
        extraneous(p, "{IDENTIFIER, ESC_IDENTIFIER}");
    const dray_cel_token *token = peek(p);
    if (token->kind == DRAY_CEL_T_IDENT) {
        *name = token_text(p, next(p));
        return true;
    }
    if (token->kind != DRAY_CEL_T_ESC_IDENT) {
        syntax_error(p, "{IDENTIFIER, ESC_IDENTIFIER}");
        return false;
    }
    next(p);
    *name = dray_str_n(p->source->text.p + token->byte + 1, token->n - 2);
    if (p->options->escaped_identifiers)
        return true;
    dray_cel_parse_error(p, error_at == DRAY_CEL_NOWHERE ? token->point : error_at,
                         "unsupported syntax: '`'");
    return false;
}

/* key: value, with the key an expression in a map and a name in a struct. */
static unsigned parse_entry(dray_cel_parser *p, bool in_struct, uint32_t list_at,
                            dray_cel_entry *entry) {
    unsigned height = 0;
    entry->optional = optional_mark(p);
    /* A refused mark hides the errors of its entry. */
    bool hide = entry->optional && !p->options->optional_syntax;
    p->mute += hide;
    if (in_struct) {
        parse_member_name(p, list_at, true, &entry->field);
    } else {
        part key = parse_expr(p);
        entry->key = key.e;
        height = key.height;
    }
    entry->id = dray_cel_new_id(p, peek(p)->point);
    expect(p, DRAY_CEL_T_COLON, "':'");
    part value = parse_expr(p);
    entry->value = value.e;
    p->mute -= hide;
    return max(height, value.height);
}

/* From '{' to '}': a map, or the struct `name`. */
static part parse_entries(dray_cel_parser *p, bool in_struct, dray_str name) {
    uint32_t offset = next(p)->point;
    uint32_t list_at = peek(p)->point;
    DRAY_VEC(dray_cel_entry) entries = {0};
    unsigned height = 0;
    while (!p->failed && kind(p) != DRAY_CEL_T_RBRACE && kind(p) != DRAY_CEL_T_COMMA) {
        dray_cel_entry entry = {0};
        height = max(height, parse_entry(p, in_struct, list_at, &entry));
        DRAY_PUSH(p->arena, &entries, entry);
        if (kind(p) != DRAY_CEL_T_COMMA || kind_after(p, 1) == DRAY_CEL_T_RBRACE)
            break;
        next(p);
        if (kind(p) == DRAY_CEL_T_COMMA)
            syntax_error(p, "an entry");
    }
    accept(p, DRAY_CEL_T_COMMA);
    expect(p, DRAY_CEL_T_RBRACE, "{'}', ','}");
    dray_cel_expr_kind made = in_struct ? DRAY_CEL_STRUCT_EXPR : DRAY_CEL_MAP_EXPR;
    return (part){dray_cel_make_entries(p, offset, made, name, entries.v, entries.n), height};
}

/* Primaries. */

/* Is a struct literal coming: '.'? IDENT ('.' IDENT)* '{' ? */
static bool at_struct(const dray_cel_parser *p) {
    uint32_t n = kind(p) == DRAY_CEL_T_DOT;
    while (kind_after(p, n) == DRAY_CEL_T_IDENT) {
        n++;
        if (kind_after(p, n) != DRAY_CEL_T_DOT)
            break;
        n++;
    }
    return kind_after(p, n) == DRAY_CEL_T_LBRACE && n != 0 &&
           kind_after(p, n - 1) == DRAY_CEL_T_IDENT;
}

static part parse_struct(dray_cel_parser *p) {
    DRAY_CLEANUP_BUF dray_buf name = DRAY_BUF_INIT;
    while (kind(p) != DRAY_CEL_T_LBRACE)
        dray_buf_str_add(&name, token_text(p, next(p)));
    return parse_entries(p, true, dray_str_dup(p->arena, dray_buf_str(&name)));
}

static part parse_ident(dray_cel_parser *p) {
    if (at_struct(p))
        return parse_struct(p);
    uint32_t start = peek(p)->point;
    bool dot = accept(p, DRAY_CEL_T_DOT);
    if (kind(p) != DRAY_CEL_T_IDENT) {
        syntax_error(p, "IDENTIFIER");
        return none(p, start);
    }
    const dray_cel_token *token = next(p);
    dray_str name = token_text(p, token);
    bool reserved = is_reserved(name);
    dray_str full = dot ? dray_strf(p->arena, "." DRAY_FMT, DRAY_ARG(name)) : name;
    part made;
    if (reserved)
        made = wrong(p, start,
                     dray_strf(p->arena, "reserved identifier: " DRAY_FMT, DRAY_ARG(name)).p);
    else if (kind(p) != DRAY_CEL_T_LPAREN)
        return (part){dray_cel_make_ident(p, token->point, full), 0};
    if (kind(p) != DRAY_CEL_T_LPAREN)
        return made;
    uint32_t offset = next(p)->point;
    expr_list args = {0};
    p->mute += reserved;
    unsigned height = parse_args(p, &args);
    p->mute -= reserved;
    expect(p, DRAY_CEL_T_RPAREN, "')'");
    if (reserved)
        return made;
    return (part){finish_call(p, offset, full, NULL, &args), height};
}

static part parse_paren(dray_cel_parser *p) {
    next(p);
    part inner = parse_expr(p);
    expect(p, DRAY_CEL_T_RPAREN, "')'");
    return inner;
}

static part parse_negative(dray_cel_parser *p) {
    uint32_t offset = next(p)->point;
    const dray_cel_token *token = next(p);
    if (token->kind == DRAY_CEL_T_INT)
        return int_literal(p, offset, token_text(p, token), true);
    return float_literal(p, offset, token_text(p, token), true);
}

static bool at_negative_literal(const dray_cel_parser *p) {
    return kind(p) == DRAY_CEL_T_MINUS &&
           (kind_after(p, 1) == DRAY_CEL_T_INT || kind_after(p, 1) == DRAY_CEL_T_FLOAT);
}

static bool starts_primary(dray_cel_token_kind token) {
    return token == DRAY_CEL_T_IDENT || token == DRAY_CEL_T_DOT || token == DRAY_CEL_T_LPAREN ||
           token == DRAY_CEL_T_LBRACKET || token == DRAY_CEL_T_LBRACE || token == DRAY_CEL_T_TRUE ||
           token == DRAY_CEL_T_FALSE || token == DRAY_CEL_T_NULL ||
           (token >= DRAY_CEL_T_INT && token <= DRAY_CEL_T_BYTES);
}

static part parse_primary(dray_cel_parser *p) {
    const dray_cel_token *token = peek(p);
    switch (token->kind) {
    case DRAY_CEL_T_IDENT:
    case DRAY_CEL_T_DOT:
        return parse_ident(p);
    case DRAY_CEL_T_LPAREN:
        return parse_paren(p);
    case DRAY_CEL_T_LBRACKET:
        return parse_list(p);
    case DRAY_CEL_T_LBRACE:
        return parse_entries(p, false, DRAY_STR_NONE);
    case DRAY_CEL_T_INT:
        return int_literal(p, token->point, token_text(p, next(p)), false);
    case DRAY_CEL_T_UINT:
        return uint_literal(p, token->point, token_text(p, next(p)));
    case DRAY_CEL_T_FLOAT:
        return float_literal(p, token->point, token_text(p, next(p)), false);
    case DRAY_CEL_T_STRING:
    case DRAY_CEL_T_BYTES:
        return text_literal(p, next(p));
    case DRAY_CEL_T_TRUE:
    case DRAY_CEL_T_FALSE:
    case DRAY_CEL_T_NULL:
        return simple_literal(p, next(p));
    default:
        break;
    }
    if (at_negative_literal(p))
        return parse_negative(p);
    /* A minus here can only begin a number: what comes after it is what is wrong. */
    if (token->kind == DRAY_CEL_T_MINUS)
        next(p);
    else if (!p->failed && token->kind != DRAY_CEL_T_END && starts_primary(kind_after(p, 1))) {
        extraneous(p, "an expression");
        return parse_primary(p);
    }
    syntax_error(p, "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, "
                    "NUM_UINT, STRING, BYTES, IDENTIFIER}");
    return none(p, token->point);
}

/* Members. */

static part parse_select(dray_cel_parser *p, part operand) {
    uint32_t dot = next(p)->point;
    bool optional = accept(p, DRAY_CEL_T_QUESTION);
    const dray_cel_token *token = peek(p);
    bool plain = token->kind == DRAY_CEL_T_IDENT;
    dray_str name = DRAY_STR("");
    parse_member_name(p, DRAY_CEL_NOWHERE, optional, &name);
    unsigned height = operand.height + 1;
    if (p->failed && !optional)
        return operand;
    if (plain && !optional && kind(p) == DRAY_CEL_T_LPAREN) {
        uint32_t offset = next(p)->point;
        expr_list args = {0};
        height = max(height, parse_args(p, &args) + 1);
        expect(p, DRAY_CEL_T_RPAREN, "')'");
        return (part){finish_call(p, offset, name, operand.e, &args), height};
    }
    if (!optional)
        return (part){dray_cel_make_select(p, dot, operand.e, name, false), height};
    if (!p->options->optional_syntax)
        return wrong(p, dot, "unsupported syntax '.?'");
    dray_cel_const field = {DRAY_CEL_STRING, {.s = name}};
    dray_cel_expr *args[] = {operand.e, dray_cel_make_literal(p, token->point, field)};
    return (part){dray_cel_make_call(p, dot, DRAY_STR("_?._"), NULL, args, 2), height};
}

static part parse_index(dray_cel_parser *p, part operand) {
    uint32_t offset = next(p)->point;
    bool optional = accept(p, DRAY_CEL_T_QUESTION);
    part index = parse_expr(p);
    expect(p, DRAY_CEL_T_RBRACKET, "']'");
    unsigned height = max(operand.height, index.height) + 1;
    if (optional && !p->options->optional_syntax)
        return wrong(p, offset, "unsupported syntax '[?'");
    part made = binary(p, offset, optional ? "_[?_]" : "_[_]", operand, index);
    return (part){made.e, height};
}

static part parse_member(dray_cel_parser *p) {
    enter(p, DRAY_CEL_R_MEMBER);
    part made = parse_primary(p);
    while (!p->failed && (kind(p) == DRAY_CEL_T_DOT || kind(p) == DRAY_CEL_T_LBRACKET)) {
        made = kind(p) == DRAY_CEL_T_DOT ? parse_select(p, made) : parse_index(p, made);
    }
    p->depth[DRAY_CEL_R_MEMBER]--;
    return made;
}

/* Operators. */

static part parse_unary(dray_cel_parser *p) {
    dray_cel_token_kind op = kind(p);
    if ((op != DRAY_CEL_T_NOT && op != DRAY_CEL_T_MINUS) || at_negative_literal(p))
        return parse_member(p);
    uint32_t offset = peek(p)->point;
    unsigned n = 0;
    while (kind(p) == op && !p->failed) {
        next(p);
        n++;
    }
    part operand = parse_member(p);
    if (n % 2 == 0)
        return operand;
    dray_str function = op == DRAY_CEL_T_NOT ? DRAY_STR("!_") : DRAY_STR("-_");
    return (part){dray_cel_make_call(p, offset, function, NULL, &operand.e, 1), operand.height};
}

/* Sums bind at 1, products at 2; 0: no operator of this rule. */
static const char *calc_operator(dray_cel_token_kind op, unsigned *binds) {
    *binds = op == DRAY_CEL_T_PLUS || op == DRAY_CEL_T_MINUS ? 1 : 2;
    return op == DRAY_CEL_T_PLUS      ? "_+_"
           : op == DRAY_CEL_T_MINUS   ? "_-_"
           : op == DRAY_CEL_T_STAR    ? "_*_"
           : op == DRAY_CEL_T_SLASH   ? "_/_"
           : op == DRAY_CEL_T_PERCENT ? "_%_"
                                      : NULL;
}

static part parse_calc(dray_cel_parser *p, unsigned least) {
    enter(p, DRAY_CEL_R_CALC);
    part left = parse_unary(p);
    unsigned binds;
    const char *function;
    while (!p->failed && (function = calc_operator(kind(p), &binds)) != NULL && binds >= least) {
        uint32_t offset = next(p)->point;
        part right = parse_calc(p, binds + 1);
        left = binary(p, offset, function, left, right);
        left.height++;
    }
    p->depth[DRAY_CEL_R_CALC]--;
    return left;
}

static const char *relation_operator(dray_cel_token_kind op) {
    return op == DRAY_CEL_T_LT   ? "_<_"
           : op == DRAY_CEL_T_LE ? "_<=_"
           : op == DRAY_CEL_T_GE ? "_>=_"
           : op == DRAY_CEL_T_GT ? "_>_"
           : op == DRAY_CEL_T_EQ ? "_==_"
           : op == DRAY_CEL_T_NE ? "_!=_"
           : op == DRAY_CEL_T_IN ? "@in"
                                 : NULL;
}

static part parse_relation(dray_cel_parser *p, bool right_side) {
    enter(p, DRAY_CEL_R_RELATION);
    part left = parse_calc(p, 0);
    const char *function;
    while (!p->failed && !right_side && (function = relation_operator(kind(p))) != NULL) {
        uint32_t offset = next(p)->point;
        part right = parse_relation(p, true);
        left = binary(p, offset, function, left, right);
        left.height++;
    }
    p->depth[DRAY_CEL_R_RELATION]--;
    return left;
}

typedef struct terms {
    expr_list parts;
    DRAY_VEC(uint32_t) ops; /* places */
} terms;

/* Terms lo … hi+1 joined by operators lo … hi into a balanced tree. */
static dray_cel_expr *balance(dray_cel_parser *p, const terms *t, dray_str function, size_t lo,
                              size_t hi) {
    size_t middle = (lo + hi + 1) / 2;
    dray_cel_expr *args[2];
    args[0] = middle == lo ? t->parts.v[middle] : balance(p, t, function, lo, middle - 1);
    args[1] = middle == hi ? t->parts.v[middle + 1] : balance(p, t, function, middle + 1, hi);
    return dray_cel_make_call(p, t->ops.v[middle], function, NULL, args, 2);
}

static part parse_and(dray_cel_parser *p) {
    part first = parse_relation(p, false);
    if (kind(p) != DRAY_CEL_T_AND)
        return first;
    terms t = {0};
    DRAY_PUSH(p->arena, &t.parts, first.e);
    while (!p->failed && kind(p) == DRAY_CEL_T_AND) {
        DRAY_PUSH(p->arena, &t.ops, next(p)->point);
        part term = parse_relation(p, false);
        DRAY_PUSH(p->arena, &t.parts, term.e);
        first.height = max(first.height, term.height);
    }
    return (part){balance(p, &t, DRAY_STR("_&&_"), 0, t.ops.n - 1), first.height};
}

static part parse_or(dray_cel_parser *p) {
    part first = parse_and(p);
    if (kind(p) != DRAY_CEL_T_OR)
        return first;
    terms t = {0};
    DRAY_PUSH(p->arena, &t.parts, first.e);
    while (!p->failed && kind(p) == DRAY_CEL_T_OR) {
        DRAY_PUSH(p->arena, &t.ops, next(p)->point);
        part term = parse_and(p);
        DRAY_PUSH(p->arena, &t.parts, term.e);
        first.height = max(first.height, term.height);
    }
    return (part){balance(p, &t, DRAY_STR("_||_"), 0, t.ops.n - 1), first.height};
}

static part parse_ternary(dray_cel_parser *p, part condition) {
    uint32_t offset = next(p)->point;
    part yes = parse_or(p);
    expect(p, DRAY_CEL_T_COLON, "':'");
    part no = parse_expr(p);
    dray_cel_expr *args[] = {condition.e, yes.e, no.e};
    dray_cel_expr *e = dray_cel_make_call(p, offset, DRAY_STR("_?_:_"), NULL, args, 3);
    return (part){e, max(condition.height, max(yes.height, no.height)) + 1};
}

static part parse_expr(dray_cel_parser *p) {
    enter(p, DRAY_CEL_R_EXPR);
    if (p->failed) {
        p->depth[DRAY_CEL_R_EXPR]--;
        return none(p, peek(p)->point);
    }
    part made = parse_or(p);
    if (!p->failed && kind(p) == DRAY_CEL_T_QUESTION)
        made = parse_ternary(p, made);
    p->depth[DRAY_CEL_R_EXPR]--;
    return made;
}

dray_cel_expr *dray_cel_parse(dray_cel_parser *p) {
    part whole = parse_expr(p);
    if (!p->failed && kind(p) != DRAY_CEL_T_END)
        expect(p, DRAY_CEL_T_END, "<EOF>");
    if (!p->failed && whole.height > DRAY_CEL_DEPTH)
        nested_too_deep(p, "max recursion depth exceeded");
    if (p->too_many)
        dray_cel_issue_add(p->issues, DRAY_CEL_NOWHERE, "expression is too large: %s",
                           dray_arena_spent(p->arena) ? "out of memory for it"
                                                      : "too many nodes after macro expansion");
    return p->issues->count == 0 ? whole.e : NULL;
}
