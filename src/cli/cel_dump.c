/* What an expression is made of: tokens, tree, types, costs, and a trace of its evaluation. */
#include "cli/cel_show.h"

#include "cel/eval.h"
#include "cli/table.h"

#include <inttypes.h>

enum { DEPTH = 400, LINES = 2000, VALUE_WIDTH = 48, MACRO_ARGS = 8, TURNS = 8 };

static dray_str text_of(const dray_cel_dump *d, const dray_cel_expr *e) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_cel_ast part = *d->ast;
    part.root = (dray_cel_expr *)e;
    dray_cel_print(&out, &part);
    return dray_str_dup(d->arena, dray_buf_str(&out));
}

/* --- tokens --- */

void dray_cel_dump_tokens(const dray_cel_dump *d) {
    size_t n;
    const dray_cel_token_text *tokens = dray_cel_token_texts(d->text, d->arena, &n);
    dray_table *table = dray_table_new(d->arena, 3);
    dray_table_add(table, (dray_str[]){DRAY_STR("PLACE"), DRAY_STR("TOKEN"), DRAY_STR("TEXT")});
    for (size_t i = 0; i < n; i++)
        dray_table_add(table,
                       (dray_str[]){dray_strf(d->arena, "%u:%u", tokens[i].line, tokens[i].column),
                                    dray_str_of(tokens[i].kind), tokens[i].text});
    dray_table_print(table, stdout);
    printf("\n");
}

/* --- tree --- */

typedef struct tree {
    const dray_cel_dump *d;
    dray_buf *out;
} tree;

static void put_node(tree *t, const char *role, const dray_cel_expr *e, int depth);

static void put_label(tree *t, const char *role, const dray_cel_expr *e) {
    switch ((dray_cel_expr_kind)e->kind) {
    case DRAY_CEL_LITERAL:
        dray_buf_addf(t->out, "%sliteral " DRAY_FMT, role, DRAY_ARG(text_of(t->d, e)));
        break;
    case DRAY_CEL_IDENT:
        dray_buf_addf(t->out, "%sname " DRAY_FMT, role, DRAY_ARG(e->ident.name));
        break;
    case DRAY_CEL_SELECT:
        dray_buf_addf(t->out, "%s%s ." DRAY_FMT, role, e->select.test_only ? "has" : "select",
                      DRAY_ARG(e->select.field));
        break;
    case DRAY_CEL_CALL:
        dray_buf_addf(t->out, "%scall " DRAY_FMT, role, DRAY_ARG(e->call.function));
        break;
    case DRAY_CEL_LIST_EXPR:
        dray_buf_addf(t->out, "%slist of %u", role, e->list.n);
        break;
    case DRAY_CEL_MAP_EXPR:
        dray_buf_addf(t->out, "%smap of %u", role, e->map.n);
        break;
    case DRAY_CEL_STRUCT_EXPR:
        dray_buf_addf(t->out, "%sstruct " DRAY_FMT, role, DRAY_ARG(e->map.name));
        break;
    case DRAY_CEL_FOLD:
        dray_buf_addf(t->out, "%sfold " DRAY_FMT "%s" DRAY_FMT " into " DRAY_FMT, role,
                      DRAY_ARG(e->fold->iter), e->fold->iter2.n != 0 ? ", " : "",
                      DRAY_ARG(e->fold->iter2), DRAY_ARG(e->fold->accu));
        break;
    }
}

static void put_children(tree *t, const dray_cel_expr *e, int depth) {
    if (e->kind == DRAY_CEL_SELECT)
        put_node(t, "", e->select.operand, depth);
    if (e->kind == DRAY_CEL_CALL && e->call.target != NULL)
        put_node(t, "on ", e->call.target, depth);
    for (uint32_t i = 0; e->kind == DRAY_CEL_CALL && i < e->call.n_args; i++)
        put_node(t, "", e->call.args[i], depth);
    for (uint32_t i = 0; e->kind == DRAY_CEL_LIST_EXPR && i < e->list.n; i++)
        put_node(t, "", e->list.items[i], depth);
    bool map = e->kind == DRAY_CEL_MAP_EXPR || e->kind == DRAY_CEL_STRUCT_EXPR;
    for (uint32_t i = 0; map && i < e->map.n; i++) {
        if (e->map.entries[i].key != NULL)
            put_node(t, "key ", e->map.entries[i].key, depth);
        put_node(t, "value ", e->map.entries[i].value, depth);
    }
    if (e->kind != DRAY_CEL_FOLD)
        return;
    put_node(t, "range ", e->fold->range, depth);
    put_node(t, "start ", e->fold->init, depth);
    put_node(t, "while ", e->fold->cond, depth);
    put_node(t, "step ", e->fold->step, depth);
    put_node(t, "result ", e->fold->result, depth);
}

static void put_node(tree *t, const char *role, const dray_cel_expr *e, int depth) {
    dray_buf_addf(t->out, "%*s", depth * 2, "");
    if (depth > DEPTH) {
        dray_buf_puts(t->out, "…\n");
        return;
    }
    put_label(t, role, e);
    dray_buf_putc(t->out, '\n');
    put_children(t, e, depth + 1);
}

void dray_cel_dump_ast(const dray_cel_dump *d) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    tree t = {d, &out};
    put_node(&t, "", d->ast->root, 0);
    fwrite(out.p, 1, out.n, stdout);
    printf("\n");
}

/* --- the written form: macros as they stand in the text --- */

static const dray_cel_expr *macro_of(const dray_cel_ast *ast, const dray_cel_expr *e) {
    for (uint32_t i = 0; i < ast->n_macro_calls; i++)
        if (ast->macro_calls[i].id == e->id)
            return ast->macro_calls[i].call;
    return NULL;
}

/* The parts of e in the order of their evaluation; *n how many. */
static void parts_of(const dray_cel_dump *d, const dray_cel_expr *e, const dray_cel_expr **v,
                     size_t *n) {
    const dray_cel_expr *macro = macro_of(d->ast, e);
    e = macro != NULL ? macro : e;
    *n = 0;
    if (e->kind == DRAY_CEL_SELECT)
        v[(*n)++] = e->select.operand;
    if (e->kind == DRAY_CEL_CALL && e->call.target != NULL)
        v[(*n)++] = e->call.target;
    for (uint32_t i = 0; e->kind == DRAY_CEL_CALL && i < e->call.n_args && *n < MACRO_ARGS; i++)
        v[(*n)++] = e->call.args[i];
    for (uint32_t i = 0; e->kind == DRAY_CEL_LIST_EXPR && i < e->list.n && *n < MACRO_ARGS; i++)
        v[(*n)++] = e->list.items[i];
    for (uint32_t i = 0; e->kind == DRAY_CEL_MAP_EXPR && i < e->map.n && *n < MACRO_ARGS; i++)
        v[(*n)++] = e->map.entries[i].value;
}

typedef dray_str cell(const dray_cel_dump *d, const dray_cel_expr *e, const void *context);

static void list_nodes(const dray_cel_dump *d, const dray_cel_expr *e, int depth, cell *f,
                       const void *context, dray_table *table) {
    const dray_cel_expr *parts[MACRO_ARGS + 1];
    size_t n;
    if (depth > DEPTH || table->cells.n > LINES * 2)
        return;
    dray_table_add(table,
                   (dray_str[]){f(d, e, context), dray_strf(d->arena, "%*s" DRAY_FMT, depth * 2, "",
                                                            DRAY_ARG(text_of(d, e)))});
    parts_of(d, e, parts, &n);
    for (size_t i = 0; i < n; i++)
        list_nodes(d, parts[i], depth + 1, f, context, table);
}

static void print_nodes(const dray_cel_dump *d, const char *title, cell *f, const void *context) {
    dray_table *table = dray_table_new(d->arena, 2);
    dray_table_add(table, (dray_str[]){dray_str_of(title), DRAY_STR("EXPRESSION")});
    list_nodes(d, d->ast->root, 0, f, context, table);
    dray_table_print(table, stdout);
    printf("\n");
}

static dray_str type_cell(const dray_cel_dump *d, const dray_cel_expr *e, const void *context) {
    return e->type != NULL ? dray_cel_type_text(d->arena, e->type) : DRAY_STR("-");
}

void dray_cel_dump_types(const dray_cel_dump *d) {
    print_nodes(d, "TYPE", type_cell, NULL);
}

static dray_str cost_cell(const dray_cel_dump *d, const dray_cel_expr *e, const void *context) {
    const dray_cel_range *nodes = context;
    return e->type != NULL ? dray_cel_show_range(d->arena, nodes[e->id]) : DRAY_STR("-");
}

void dray_cel_dump_cost(const dray_cel_dump *d) {
    print_nodes(d, "ESTIMATE", cost_cell, dray_cel_estimate_nodes(d->ast, d->arena));
}

/* --- trace --- */

typedef struct trace {
    const dray_cel_dump *d;
    dray_table *table;
    dray_arena *scratch;
} trace;

/* What a part of the expression is worth, evaluated on its own: parts have no side effects. */
typedef struct worth {
    bool ok;
    uint8_t kind;
    bool truth;
    uint64_t cost;
    dray_str text;
} worth;

static worth evaluate(trace *t, dray_str expression) {
    worth w = {0};
    dray_err err = DRAY_ERR_INIT;
    const dray_celk8s_program *program;
    if (dray_celk8s_compile(t->d->celk8s, expression, DRAY_CELK8S_ANY, t->d->new_expression,
                            t->d->gates, &program, &err) != DRAY_OK) {
        dray_err_done(&err);
        return w;
    }
    dray_celk8s_result result;
    dray_cel_value v = dray_celk8s_value(program, t->d->device, t->scratch, &result);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    if (v.kind == DRAY_CEL_ERROR)
        dray_buf_addf(&out, "error: " DRAY_FMT, DRAY_ARG(result.error));
    else
        dray_cel_show_value(&out, v);
    w = (worth){.ok = true,
                .kind = v.kind,
                .truth = v.kind == DRAY_CEL_BOOL && v.b,
                .cost = result.cost,
                .text = dray_str_dup(t->d->arena, dray_buf_str(&out))};
    return w;
}

static void add_line(trace *t, dray_str cost, dray_str value, int depth, dray_str text) {
    size_t width = 0;
    for (size_t points = 0; width < value.n && points < VALUE_WIDTH; points++)
        do
            width++;
        while (width < value.n && ((unsigned char)value.p[width] & 0xC0) == 0x80);
    if (width < value.n)
        value = dray_strf(t->d->arena, DRAY_FMT "…", (int)width, value.p);
    dray_table_add(t->table, (dray_str[]){cost, value,
                                          dray_strf(t->d->arena, "%*s" DRAY_FMT, depth * 2, "",
                                                    DRAY_ARG(text))});
}

static bool is_call(const dray_cel_expr *e, const char *function) {
    return e->kind == DRAY_CEL_CALL && e->call.target == NULL &&
           dray_str_is(e->call.function, function);
}

/* Is the i-th part left out, after what the parts before it gave? */
static bool is_skipped(const dray_cel_expr *e, size_t i, const worth *before) {
    if (i == 0 || before[0].kind != DRAY_CEL_BOOL)
        return i != 0 && is_call(e, "_?_:_");
    if (is_call(e, "_&&_"))
        return !before[0].truth;
    if (is_call(e, "_||_"))
        return before[0].truth;
    return is_call(e, "_?_:_") && (i == 1) != before[0].truth;
}

static worth follow(trace *t, const dray_cel_expr *e, uint64_t start, int depth);

/* One turn of a loop: what its body gives for the i-th element and what that costs. False: there is
 * no such element, or the body decides the loop. */
static bool follow_turn(trace *t, const dray_cel_expr *macro, dray_str range, size_t i, int depth) {
    dray_arena *arena = t->d->arena;
    dray_str name = macro->call.args[0]->ident.name;
    dray_str body = text_of(t->d, macro->call.args[1]);
    dray_str one =
        dray_strf(arena, "(" DRAY_FMT ").map(" DRAY_FMT ", " DRAY_FMT ").slice(%zu, %zu)",
                  DRAY_ARG(range), DRAY_ARG(name), DRAY_ARG(name), i, i + 1);
    dray_str form = dray_strf(arena, DRAY_FMT ".map(" DRAY_FMT ", ", DRAY_ARG(one), DRAY_ARG(name));
    worth element =
        evaluate(t, dray_strf(arena, DRAY_FMT DRAY_FMT ")[0]", DRAY_ARG(form), DRAY_ARG(name)));
    worth w =
        evaluate(t, dray_strf(arena, DRAY_FMT DRAY_FMT ")[0]", DRAY_ARG(form), DRAY_ARG(body)));
    if (!element.ok || element.kind == DRAY_CEL_ERROR || !w.ok)
        return false;
    /* Both have made the list of one; the element itself is a unit. */
    add_line(t, dray_strf(arena, "+%" PRIu64, w.cost - element.cost + 1), w.text, depth,
             dray_strf(arena, DRAY_FMT "  (" DRAY_FMT " = " DRAY_FMT ")", DRAY_ARG(body),
                       DRAY_ARG(name), DRAY_ARG(element.text)));
    if (w.kind != DRAY_CEL_BOOL)
        return true;
    return !dray_str_is(macro->call.function, w.truth ? "exists" : "all");
}

/* A loop: what it goes over, then what its body gives for each element. */
static void follow_loop(trace *t, const dray_cel_expr *macro, uint64_t start, int depth) {
    if (macro->call.target == NULL || macro->call.n_args != 2 ||
        macro->call.args[0]->kind != DRAY_CEL_IDENT || dray_str_is(macro->call.function, "bind"))
        return;
    follow(t, macro->call.target, start, depth);
    dray_str range = text_of(t->d, macro->call.target);
    for (size_t i = 0; follow_turn(t, macro, range, i, depth); i++) {
        if (i + 1 < TURNS)
            continue;
        add_line(t, DRAY_STR("…"), DRAY_STR(""), depth, DRAY_STR("and so on"));
        break;
    }
}

static worth follow(trace *t, const dray_cel_expr *e, uint64_t start, int depth) {
    const dray_cel_expr *parts[MACRO_ARGS + 1];
    const dray_cel_expr *macro = macro_of(t->d->ast, e);
    worth known[MACRO_ARGS + 1] = {0};
    size_t n = 0;
    if (e->kind == DRAY_CEL_LITERAL || depth > DEPTH || t->table->cells.n > LINES * 3)
        return (worth){0};
    if (macro != NULL)
        follow_loop(t, macro, start, depth + 1);
    else
        parts_of(t->d, e, parts, &n);
    uint64_t running = start;
    for (size_t i = 0; i < n; i++) {
        if (is_skipped(e, i, known)) {
            add_line(t, DRAY_STR("-"), DRAY_STR("not evaluated"), depth + 1,
                     text_of(t->d, parts[i]));
            continue;
        }
        known[i] = follow(t, parts[i], running, depth + 1);
        running += known[i].cost;
    }
    worth w = evaluate(t, text_of(t->d, e));
    if (w.ok && e->kind != DRAY_CEL_IDENT)
        add_line(t, dray_strf(t->d->arena, "%" PRIu64, start + w.cost), w.text, depth,
                 text_of(t->d, e));
    return w;
}

void dray_cel_dump_trace(const dray_cel_dump *d) {
    trace t = {d, dray_table_new(d->arena, 3), dray_cel_scratch_new()};
    if (d->device_name.n != 0)
        printf("on " DRAY_FMT "\n", DRAY_ARG(d->device_name));
    dray_table_add(t.table,
                   (dray_str[]){DRAY_STR("COST"), DRAY_STR("VALUE"), DRAY_STR("EXPRESSION")});
    follow(&t, d->ast->root, 0, 0);
    dray_table_print(t.table, stdout);
    printf("\n");
    dray_arena_free(t.scratch);
}
