/* A tree as text again. */
#include "cel/cel.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct printer {
    dray_buf *out;
    const dray_cel_ast *ast;
} printer;

/* How tightly operators bind; higher is tighter. */
enum {
    BINDS_TERNARY = 1,
    BINDS_OR,
    BINDS_AND,
    BINDS_RELATION,
    BINDS_SUM,
    BINDS_PRODUCT,
    BINDS_UNARY,
    BINDS_MEMBER
};

static const struct operator{
    const char *function;
    const char *sign;
    int binds;
}
operators[] = {
    {"_||_", " || ", BINDS_OR},       {"_&&_", " && ", BINDS_AND},
    {"_==_", " == ", BINDS_RELATION}, {"_!=_", " != ", BINDS_RELATION},
    {"_<_", " < ", BINDS_RELATION},   {"_<=_", " <= ", BINDS_RELATION},
    {"_>_", " > ", BINDS_RELATION},   {"_>=_", " >= ", BINDS_RELATION},
    {"@in", " in ", BINDS_RELATION},  {"_+_", " + ", BINDS_SUM},
    {"_-_", " - ", BINDS_SUM},        {"_*_", " * ", BINDS_PRODUCT},
    {"_/_", " / ", BINDS_PRODUCT},    {"_%_", " % ", BINDS_PRODUCT},
};

static void print(printer *p, const dray_cel_expr *e, int least);

static const dray_cel_expr *macro_call(const printer *p, const dray_cel_expr *e) {
    size_t low = 0, high = p->ast->n_macro_calls;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->ast->macro_calls[middle].id < e->id)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < p->ast->n_macro_calls && p->ast->macro_calls[low].id == e->id;
    return found ? p->ast->macro_calls[low].call : NULL;
}

static const struct operator* find_operator(const dray_cel_expr *e) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (e->kind == DRAY_CEL_CALL && e->call.target == NULL && e->call.n_args == 2 &&
            dray_str_is(e->call.function, operators[i].function))
            return &operators[i];
    return NULL;
}

static bool is_call(const dray_cel_expr *e, const char *function, uint32_t n_args) {
    return e->kind == DRAY_CEL_CALL && e->call.target == NULL && e->call.n_args == n_args &&
           dray_str_is(e->call.function, function);
}

static int binds(const printer *p, const dray_cel_expr *e) {
    if (macro_call(p, e) != NULL)
        return BINDS_MEMBER;
    const struct operator* op = find_operator(e);
    if (op != NULL)
        return op->binds;
    if (is_call(e, "_?_:_", 3))
        return BINDS_TERNARY;
    if (is_call(e, "!_", 1) || is_call(e, "-_", 1))
        return BINDS_UNARY;
    return BINDS_MEMBER;
}

static void put_quoted(dray_buf *out, dray_str s) {
    static const char escaped[] = "\a\b\f\n\r\t\v\"\\";
    static const char letters[] = "abfnrtv\"\\";
    dray_buf_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        const char *found = s.p[i] != '\0' ? strchr(escaped, s.p[i]) : NULL;
        if (found != NULL)
            dray_buf_addf(out, "\\%c", letters[found - escaped]);
        else if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
            dray_buf_addf(out, "\\x%02x", (unsigned char)s.p[i]);
        else
            dray_buf_putc(out, s.p[i]);
    }
    dray_buf_putc(out, '"');
}

static void put_bytes(dray_buf *out, dray_str s) {
    dray_buf_puts(out, "b\"");
    for (size_t i = 0; i < s.n; i++)
        dray_buf_addf(out, "\\%03o", (unsigned char)s.p[i]);
    dray_buf_putc(out, '"');
}

static void put_double(dray_buf *out, double d) {
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    dray_buf_puts(out, text);
    if (strpbrk(text, ".e") == NULL)
        dray_buf_puts(out, ".0");
}

static void print_literal(printer *p, const dray_cel_const *c) {
    switch (c->kind) {
    case DRAY_CEL_BOOL:
        dray_buf_puts(p->out, c->b ? "true" : "false");
        break;
    case DRAY_CEL_INT:
        dray_buf_addf(p->out, "%" PRId64, c->i);
        break;
    case DRAY_CEL_UINT:
        dray_buf_addf(p->out, "%" PRIu64 "u", c->u);
        break;
    case DRAY_CEL_DOUBLE:
        put_double(p->out, c->d);
        break;
    case DRAY_CEL_STRING:
        put_quoted(p->out, c->s);
        break;
    case DRAY_CEL_BYTES:
        put_bytes(p->out, c->s);
        break;
    default:
        dray_buf_puts(p->out, "null");
    }
}

/* A member's name, between backquotes where it is no identifier. */
static void put_name(dray_buf *out, dray_str name) {
    bool plain = name.n != 0 && !(name.p[0] >= '0' && name.p[0] <= '9') &&
                 !dray_str_is(name, "in") && !dray_str_is(name, "true") &&
                 !dray_str_is(name, "false") && !dray_str_is(name, "null");
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_');
    }
    if (!plain)
        dray_buf_putc(out, '`');
    dray_buf_str_add(out, name);
    if (!plain)
        dray_buf_putc(out, '`');
}

static void print_args(printer *p, const dray_cel_expr *e) {
    dray_buf_putc(p->out, '(');
    for (uint32_t i = 0; i < e->call.n_args; i++) {
        if (i != 0)
            dray_buf_puts(p->out, ", ");
        print(p, e->call.args[i], 0);
    }
    dray_buf_putc(p->out, ')');
}

/* Left-associative: only the right side needs brackets at the same level. */
static void print_binary(printer *p, const dray_cel_expr *e, const struct operator* op) {
    bool balanced = op->binds == BINDS_OR || op->binds == BINDS_AND;
    print(p, e->call.args[0], balanced ? op->binds + 1 : op->binds);
    dray_buf_puts(p->out, op->sign);
    print(p, e->call.args[1], op->binds + 1);
}

/* && and ||: a tree of one operator is printed as a chain, which parses into the same tree only if
 * it was balanced; brackets keep any other shape. */
static uint32_t chain_length(const dray_cel_expr *e, dray_str function) {
    if (e->kind != DRAY_CEL_CALL || !dray_str_eq(e->call.function, function))
        return 1;
    uint32_t left = chain_length(e->call.args[0], function);
    uint32_t right = chain_length(e->call.args[1], function);
    /* n terms have n-1 operators; the one in the middle is the root. */
    bool shape = left != 0 && right != 0 && left == (left + right + 1) / 2;
    return shape ? left + right : 0;
}

static void print_chain(printer *p, const dray_cel_expr *e, const struct operator* op) {
    if (e->kind != DRAY_CEL_CALL || !dray_str_is(e->call.function, op->function)) {
        print(p, e, op->binds + 1);
        return;
    }
    print_chain(p, e->call.args[0], op);
    dray_buf_puts(p->out, op->sign);
    print_chain(p, e->call.args[1], op);
}

static void print_index(printer *p, const dray_cel_expr *e, const char *bracket) {
    print(p, e->call.args[0], BINDS_MEMBER);
    dray_buf_puts(p->out, bracket);
    print(p, e->call.args[1], 0);
    dray_buf_putc(p->out, ']');
}

static bool print_special(printer *p, const dray_cel_expr *e) {
    if (is_call(e, "_?_:_", 3)) {
        print(p, e->call.args[0], BINDS_OR);
        dray_buf_puts(p->out, " ? ");
        print(p, e->call.args[1], BINDS_OR);
        dray_buf_puts(p->out, " : ");
        print(p, e->call.args[2], BINDS_TERNARY);
    } else if (is_call(e, "!_", 1)) {
        dray_buf_putc(p->out, '!');
        print(p, e->call.args[0], BINDS_MEMBER);
    } else if (is_call(e, "-_", 1)) {
        /* -(1): a minus directly before a number would become part of it. */
        bool number = e->call.args[0]->kind == DRAY_CEL_LITERAL;
        dray_buf_puts(p->out, number ? "-(" : "-");
        print(p, e->call.args[0], BINDS_MEMBER);
        if (number)
            dray_buf_putc(p->out, ')');
    } else if (is_call(e, "_[_]", 2)) {
        print_index(p, e, "[");
    } else if (is_call(e, "_[?_]", 2)) {
        print_index(p, e, "[?");
    } else if (is_call(e, "_?._", 2) && e->call.args[1]->kind == DRAY_CEL_LITERAL) {
        print(p, e->call.args[0], BINDS_MEMBER);
        dray_buf_puts(p->out, ".?");
        put_name(p->out, e->call.args[1]->literal.s);
    } else {
        return false;
    }
    return true;
}

static void print_call(printer *p, const dray_cel_expr *e) {
    const struct operator* op = find_operator(e);
    if (op != NULL && op->binds <= BINDS_AND && chain_length(e, e->call.function) != 0) {
        print_chain(p, e, op);
        return;
    }
    if (op != NULL) {
        print_binary(p, e, op);
        return;
    }
    if (print_special(p, e))
        return;
    if (e->call.target != NULL) {
        print(p, e->call.target, BINDS_MEMBER);
        dray_buf_putc(p->out, '.');
    }
    dray_buf_str_add(p->out, e->call.function);
    print_args(p, e);
}

static void print_list(printer *p, const dray_cel_expr *e) {
    uint32_t optional = 0;
    dray_buf_putc(p->out, '[');
    for (uint32_t i = 0; i < e->list.n; i++) {
        if (i != 0)
            dray_buf_puts(p->out, ", ");
        if (optional < e->list.n_optional && e->list.optional[optional] == i) {
            optional++;
            dray_buf_putc(p->out, '?');
        }
        print(p, e->list.items[i], 0);
    }
    dray_buf_putc(p->out, ']');
}

static void print_entries(printer *p, const dray_cel_expr *e) {
    dray_buf_str_add(p->out, e->map.name);
    dray_buf_putc(p->out, '{');
    for (uint32_t i = 0; i < e->map.n; i++) {
        const dray_cel_entry *entry = &e->map.entries[i];
        if (i != 0)
            dray_buf_puts(p->out, ", ");
        if (entry->optional)
            dray_buf_putc(p->out, '?');
        if (entry->key != NULL)
            print(p, entry->key, 0);
        else
            put_name(p->out, entry->field);
        dray_buf_puts(p->out, ": ");
        print(p, entry->value, 0);
    }
    dray_buf_putc(p->out, '}');
}

static void print_select(printer *p, const dray_cel_expr *e) {
    if (e->select.test_only)
        dray_buf_puts(p->out, "has(");
    print(p, e->select.operand, BINDS_MEMBER);
    dray_buf_putc(p->out, '.');
    put_name(p->out, e->select.field);
    if (e->select.test_only)
        dray_buf_putc(p->out, ')');
}

static void print_inside(printer *p, const dray_cel_expr *e) {
    const dray_cel_expr *written = macro_call(p, e);
    if (written != NULL)
        e = written;
    switch ((dray_cel_expr_kind)e->kind) {
    case DRAY_CEL_LITERAL:
        print_literal(p, &e->literal);
        break;
    case DRAY_CEL_IDENT:
        if (e->ident.global)
            dray_buf_putc(p->out, '.');
        dray_buf_str_add(p->out, e->ident.name);
        break;
    case DRAY_CEL_SELECT:
        print_select(p, e);
        break;
    case DRAY_CEL_CALL:
        print_call(p, e);
        break;
    case DRAY_CEL_LIST_EXPR:
        print_list(p, e);
        break;
    case DRAY_CEL_MAP_EXPR:
    case DRAY_CEL_STRUCT_EXPR:
        print_entries(p, e);
        break;
    case DRAY_CEL_FOLD: /* always a macro's */
        break;
    }
}

static void print(printer *p, const dray_cel_expr *e, int least) {
    bool brackets = binds(p, e) < least;
    if (brackets)
        dray_buf_putc(p->out, '(');
    print_inside(p, e);
    if (brackets)
        dray_buf_putc(p->out, ')');
}

void dray_cel_print(dray_buf *out, const dray_cel_ast *ast) {
    printer p = {.out = out, .ast = ast};
    print(&p, ast->root, 0);
}
