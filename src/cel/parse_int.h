/* Private to cel: the parser's state, the makers of nodes, and macros. */
#ifndef DRAY_CEL_PARSE_INT_H
#define DRAY_CEL_PARSE_INT_H

#include "cel/env.h"
#include "cel/lex_int.h"

/* The grammar's rules whose nesting is counted. */
typedef enum dray_cel_rule {
    DRAY_CEL_R_EXPR,
    DRAY_CEL_R_RELATION,
    DRAY_CEL_R_CALC,
    DRAY_CEL_R_MEMBER,
    DRAY_CEL_R_COUNT,
} dray_cel_rule;

typedef struct dray_cel_parser {
    const dray_cel_options *options;
    uint32_t macros; /* dray_cel_macros */
    dray_arena *arena;
    const dray_cel_source *source;
    dray_cel_issues *issues;
    dray_cel_tokens tokens;
    uint32_t at;
    unsigned depth[DRAY_CEL_R_COUNT];
    unsigned mute; /* what is parsed now reports no errors of meaning */
    bool failed;   /* a syntax error was reported: the rest is not read */
    bool too_deep; /* … because of the nesting */
    bool too_many; /* … because there are too many nodes, or they nest too deep after macros */
    uint32_t failed_at;
    uint32_t copied;            /* nodes that macros have copied */
    DRAY_VEC(uint32_t) offsets; /* by id */
    DRAY_VEC(dray_cel_macro_call) calls;
} dray_cel_parser;

/* Reads the whole source into a tree; NULL when there are issues. *macros etc. are left in p. */
dray_cel_expr *dray_cel_parse(dray_cel_parser *p);

/* An error of meaning. */
void dray_cel_parse_error(dray_cel_parser *p, uint32_t offset, const char *text);

uint32_t dray_cel_new_id(dray_cel_parser *p, uint32_t offset);
static inline uint32_t dray_cel_offset(const dray_cel_parser *p, const dray_cel_expr *e) {
    return p->offsets.v[e->id];
}

/* Makers: each takes the place (code points) of the new node. */
dray_cel_expr *dray_cel_make_none(dray_cel_parser *p, uint32_t offset);
dray_cel_expr *dray_cel_make_literal(dray_cel_parser *p, uint32_t offset, dray_cel_const value);
dray_cel_expr *dray_cel_make_ident(dray_cel_parser *p, uint32_t offset, dray_str name);
dray_cel_expr *dray_cel_make_select(dray_cel_parser *p, uint32_t offset, dray_cel_expr *operand,
                                    dray_str field, bool test_only);
/* args is copied. */
dray_cel_expr *dray_cel_make_call(dray_cel_parser *p, uint32_t offset, dray_str function,
                                  dray_cel_expr *target, dray_cel_expr *const *args, size_t n);
/* items are borrowed for as long as the arena lives. */
dray_cel_expr *dray_cel_make_list(dray_cel_parser *p, uint32_t offset, dray_cel_expr **items,
                                  size_t n);
dray_cel_expr *dray_cel_make_entries(dray_cel_parser *p, uint32_t offset, dray_cel_expr_kind kind,
                                     dray_str name, dray_cel_entry *entries, size_t n);
dray_cel_expr *dray_cel_make_fold(dray_cel_parser *p, uint32_t offset, struct dray_cel_fold fold);
dray_cel_expr *dray_cel_copy(dray_cel_parser *p, const dray_cel_expr *e);

/* The tree that a macro makes of a call, or NULL when no macro has this name and form. The node of
 * an error, when its arguments are wrong. */
dray_cel_expr *dray_cel_expand(dray_cel_parser *p, uint32_t offset, dray_str function,
                               dray_cel_expr *target, dray_cel_expr *const *args, size_t n);

#endif
