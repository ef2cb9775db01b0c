/* What a program reads of its variables: a walk over its nodes. */
#include "cel/paths.h"

#include "base/vec.h"
#include "cel/eval_int.h"

typedef struct walk {
    const dray_cel_program *program;
    dray_arena *arena;
    DRAY_VEC(dray_cel_path) paths;
    /* By local: the path that cel.bind gave a name to; n == 0 with names == NULL: another value. */
    dray_cel_path *aliases;
    bool whole; /* a variable is read as a whole */
} walk;

static void visit(walk *w, const dray_cel_node *node);

static bool same_path(const dray_cel_path *a, const dray_cel_path *b) {
    if (a->variable != b->variable || a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!dray_str_eq(a->names[i], b->names[i]))
            return false;
    return true;
}

static void add_path(walk *w, dray_cel_path path) {
    for (size_t i = 0; i < w->paths.n; i++)
        if (same_path(&w->paths.v[i], &path))
            return;
    if (w->paths.n == DRAY_CEL_PATHS)
        w->whole = true;
    else
        DRAY_PUSH(w->arena, &w->paths, path);
}

static bool is_name(const dray_cel_qual *q) {
    return q->attr == NULL && q->key.kind == DRAY_CEL_STRING;
}

/* The path that an attribute starts with; false: it has no variable at its root. */
static bool path_of(walk *w, const dray_cel_attr *attr, dray_cel_path *ret) {
    dray_cel_path base = {0};
    if (attr->root == DRAY_CEL_ROOT_VARIABLE)
        base.variable = attr->slot;
    else if (attr->root == DRAY_CEL_ROOT_LOCAL && w->aliases[attr->slot].names != NULL)
        base = w->aliases[attr->slot];
    else
        return false;
    dray_str *names = DRAY_NEW_N(w->arena, dray_str, base.n + attr->n + 1);
    if (base.n > 0)
        memcpy(names, base.names, base.n * sizeof *names);
    uint32_t n = base.n;
    for (uint32_t i = 0; i < attr->n && is_name(&attr->quals[i]); i++)
        names[n++] = dray_cel_str(attr->quals[i].key);
    *ret = (dray_cel_path){base.variable, n, names};
    return true;
}

static void visit_attr(walk *w, const dray_cel_attr *attr) {
    dray_cel_path path;
    if (path_of(w, attr, &path))
        add_path(w, path);
    for (uint32_t i = 0; i < attr->n; i++)
        if (attr->quals[i].attr != NULL)
            visit(w, &attr->quals[i].attr->node);
    switch (attr->root) {
    case DRAY_CEL_ROOT_NODE:
        visit(w, attr->operand);
        break;
    case DRAY_CEL_ROOT_IF:
        visit(w, attr->operand);
        visit(w, &attr->yes->node);
        visit(w, &attr->no->node);
        break;
    case DRAY_CEL_ROOT_MAYBE:
        w->whole = true;
        break;
    default:
        break;
    }
}

/* cel.bind(name, path, …) and no other value of that name. */
static bool is_alias(walk *w, const dray_cel_fold_node *n, dray_cel_path *ret) {
    const dray_cel_attr *init = (const dray_cel_attr *)n->init;
    if (n->range->kind != DRAY_CEL_N_CONST || n->init->kind != DRAY_CEL_N_ATTR || init->test_only)
        return false;
    dray_cel_value range = ((const dray_cel_const_node *)n->range)->value;
    if (range.kind != DRAY_CEL_LIST || range.list->n != 0 || !path_of(w, init, ret))
        return false;
    for (uint32_t i = 0; i < init->n; i++)
        if (!is_name(&init->quals[i]) || init->quals[i].optional)
            return false;
    return true;
}

static void visit_fold(walk *w, const dray_cel_fold_node *n) {
    dray_cel_path alias;
    if (is_alias(w, n, &alias)) {
        /* Read through its name only; by itself the name is the path. */
        w->aliases[n->accu] = alias;
        visit(w, n->result);
        return;
    }
    visit(w, n->init);
    visit(w, n->range);
    visit(w, n->cond);
    visit(w, n->step);
    visit(w, n->result);
}

static void visit_many(walk *w, dray_cel_node *const *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (v[i] != NULL)
            visit(w, v[i]);
}

static void visit_other(walk *w, const dray_cel_node *node) {
    const dray_cel_binary *pair = (const dray_cel_binary *)node;
    if (node->eval == dray_cel_eval_const_cost)
        return;
    if (node->eval == dray_cel_eval_and || node->eval == dray_cel_eval_or) {
        visit_many(w, ((const dray_cel_terms *)node)->v, ((const dray_cel_terms *)node)->n);
        return;
    }
    if (node->eval == dray_cel_eval_equal_known) {
        visit(w, ((const dray_cel_equal_const *)node)->a);
        return;
    }
    visit(w, pair->a);
    if (node->eval != dray_cel_eval_not)
        visit(w, pair->b);
}

static void visit(walk *w, const dray_cel_node *node) {
    switch (node->kind) {
    case DRAY_CEL_N_CONST:
        break;
    case DRAY_CEL_N_ATTR:
        visit_attr(w, (const dray_cel_attr *)node);
        break;
    case DRAY_CEL_N_CALL:
        visit_many(w, ((const dray_cel_call_node *)node)->args,
                   ((const dray_cel_call_node *)node)->n);
        break;
    case DRAY_CEL_N_LIST:
        visit_many(w, ((const dray_cel_list_node *)node)->v, ((const dray_cel_list_node *)node)->n);
        break;
    case DRAY_CEL_N_MAP:
        visit_many(w, ((const dray_cel_map_node *)node)->keys,
                   ((const dray_cel_map_node *)node)->n);
        visit_many(w, ((const dray_cel_map_node *)node)->values,
                   ((const dray_cel_map_node *)node)->n);
        break;
    case DRAY_CEL_N_FOLD:
        if (node->eval == dray_cel_eval_quantifier)
            visit_fold(w, ((const dray_cel_quantifier *)node)->fold);
        else
            visit_fold(w, (const dray_cel_fold_node *)node);
        break;
    default:
        visit_other(w, node);
        break;
    }
}

bool dray_cel_program_paths(const dray_cel_program *program, dray_arena *arena,
                            dray_cel_paths *ret) {
    walk w = {.program = program, .arena = arena};
    w.aliases = DRAY_NEW_N(arena, dray_cel_path, program->n_locals + 1);
    visit(&w, program->root);
    *ret = (dray_cel_paths){w.paths.v, w.paths.n};
    return !w.whole;
}
