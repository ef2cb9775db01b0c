/* A unified diff of two values, line by line, by the longest matching block. The blocks are those
 * of Python's difflib: where b has 200 lines or more, lines that make up over 1 % of it start none.
 */
#include "api/validate/core_int.h"
#include "base/map.h"

enum { CONTEXT = 3, POPULAR_FROM = 200 };

typedef struct lines {
    dray_str *v;
    size_t n;
    uint32_t *id; /* equal lines have equal numbers */
} lines;

typedef struct block {
    size_t a, b, n;
} block;

typedef struct matcher {
    dray_arena *arena;
    lines a, b;
    size_t **places; /* by line number, where it stands in b; NULL: nowhere or popular */
    size_t *n_places;
    size_t *length, *next_length; /* of the run that ends at each place of b */
    DRAY_VEC(block) blocks;
} matcher;

/* What became of a range of lines: 'e'qual, 'r'eplaced, 'd'eleted, 'i'nserted. */
typedef struct change {
    char kind;
    size_t a1, a2, b1, b2;
} change;
typedef DRAY_VEC(change) changes;

static lines split(dray_arena *arena, dray_str text) {
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    lines all = {DRAY_NEW_N(arena, dray_str, n), 0, DRAY_NEW_N(arena, uint32_t, n)};
    dray_str head, tail = text;
    for (bool more = true; more;) {
        more = dray_str_cut(tail, '\n', &head, &tail);
        all.v[all.n++] = head;
    }
    return all;
}

static void number_lines(matcher *m) {
    dray_map seen = dray_map_new(m->arena);
    lines *both[] = {&m->a, &m->b};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < both[side]->n; i++) {
            dray_map_entry_of(&seen, both[side]->v[i]);
            both[side]->id[i] = (uint32_t)dray_map_index(&seen, both[side]->v[i]);
        }
    m->places = DRAY_NEW_N(m->arena, size_t *, seen.n);
    m->n_places = DRAY_NEW_N(m->arena, size_t, seen.n);
    for (size_t i = 0; i < m->b.n; i++)
        m->n_places[m->b.id[i]]++;
    size_t popular = m->b.n >= POPULAR_FROM ? m->b.n / 100 + 1 : SIZE_MAX;
    for (size_t id = 0; id < seen.n; id++) {
        if (m->n_places[id] > popular)
            m->n_places[id] = 0;
        m->places[id] = DRAY_NEW_N(m->arena, size_t, m->n_places[id] + 1);
    }
    size_t *filled = DRAY_NEW_N(m->arena, size_t, seen.n + 1);
    for (size_t i = 0; i < m->b.n; i++) {
        uint32_t id = m->b.id[i];
        if (filled[id] < m->n_places[id])
            m->places[id][filled[id]++] = i;
    }
}

/* Grows a run of equal lines at both ends within the bounds. */
static void extend(const matcher *m, block *best, size_t a1, size_t a2, size_t b1, size_t b2) {
    while (best->a > a1 && best->b > b1 && m->a.id[best->a - 1] == m->b.id[best->b - 1]) {
        best->a--;
        best->b--;
        best->n++;
    }
    while (best->a + best->n < a2 && best->b + best->n < b2 &&
           m->a.id[best->a + best->n] == m->b.id[best->b + best->n])
        best->n++;
}

static block longest(matcher *m, size_t a1, size_t a2, size_t b1, size_t b2) {
    block best = {a1, b1, 0};
    memset(m->length, 0, (m->b.n + 1) * sizeof *m->length);
    for (size_t i = a1; i < a2; i++) {
        uint32_t id = m->a.id[i];
        memset(m->next_length, 0, (m->b.n + 1) * sizeof *m->next_length);
        for (size_t p = 0; p < m->n_places[id]; p++) {
            size_t j = m->places[id][p];
            if (j < b1 || j >= b2)
                continue;
            size_t n = (j > 0 ? m->length[j - 1] : 0) + 1;
            m->next_length[j] = n;
            if (n > best.n)
                best = (block){i + 1 - n, j + 1 - n, n};
        }
        size_t *swap = m->length;
        m->length = m->next_length;
        m->next_length = swap;
    }
    extend(m, &best, a1, a2, b1, b2);
    return best;
}

static int compare_blocks(const void *a, const void *b, void *context) {
    const block *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static void find_blocks(matcher *m) {
    typedef struct range {
        size_t a1, a2, b1, b2;
    } range;
    DRAY_VEC(range) open = {0};
    DRAY_PUSH(m->arena, &open, (range){0, m->a.n, 0, m->b.n});
    while (open.n > 0) {
        range r = open.v[--open.n];
        block best = longest(m, r.a1, r.a2, r.b1, r.b2);
        if (best.n == 0)
            continue;
        DRAY_PUSH(m->arena, &m->blocks, best);
        if (r.a1 < best.a && r.b1 < best.b)
            DRAY_PUSH(m->arena, &open, (range){r.a1, best.a, r.b1, best.b});
        if (best.a + best.n < r.a2 && best.b + best.n < r.b2)
            DRAY_PUSH(m->arena, &open, (range){best.a + best.n, r.a2, best.b + best.n, r.b2});
    }
    dray_sort(m->blocks.v, m->blocks.n, sizeof *m->blocks.v, compare_blocks, NULL);
    DRAY_PUSH(m->arena, &m->blocks, (block){m->a.n, m->b.n, 0});
}

static changes list_changes(matcher *m) {
    changes all = {0};
    size_t i = 0, j = 0;
    for (size_t k = 0; k < m->blocks.n; k++) {
        block b = m->blocks.v[k];
        while (k + 1 < m->blocks.n && m->blocks.v[k + 1].n > 0 &&
               m->blocks.v[k + 1].a == b.a + b.n && m->blocks.v[k + 1].b == b.b + b.n)
            b.n += m->blocks.v[++k].n;
        char kind = i < b.a && j < b.b ? 'r' : i < b.a ? 'd' : j < b.b ? 'i' : '\0';
        if (kind != '\0')
            DRAY_PUSH(m->arena, &all, (change){kind, i, b.a, j, b.b});
        i = b.a + b.n;
        j = b.b + b.n;
        if (b.n > 0)
            DRAY_PUSH(m->arena, &all, (change){'e', b.a, i, b.b, j});
    }
    return all;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t last_of(size_t start, size_t end) {
    return end - start > CONTEXT ? end - CONTEXT : start;
}

static void write_range(dray_buf *out, char sign, size_t start, size_t end) {
    size_t n = end - start;
    if (n == 1)
        dray_buf_addf(out, "%c%zu", sign, start + 1);
    else
        dray_buf_addf(out, "%c%zu,%zu", sign, n == 0 ? start : start + 1, n);
}

static void write_lines(dray_buf *out, char sign, const lines *from, size_t start, size_t end) {
    for (size_t i = start; i < end; i++) {
        dray_buf_putc(out, sign);
        dray_buf_str_add(out, from->v[i]);
        dray_buf_putc(out, '\n');
    }
}

static void write_group(const matcher *m, dray_buf *out, const changes *group) {
    if (group->n == 0 || (group->n == 1 && group->v[0].kind == 'e'))
        return;
    const change *first = &group->v[0], *last = &group->v[group->n - 1];
    dray_buf_puts(out, "@@ ");
    write_range(out, '-', first->a1, last->a2);
    dray_buf_putc(out, ' ');
    write_range(out, '+', first->b1, last->b2);
    dray_buf_puts(out, " @@\n");
    for (size_t i = 0; i < group->n; i++) {
        const change *c = &group->v[i];
        if (c->kind == 'e')
            write_lines(out, ' ', &m->a, c->a1, c->a2);
        if (c->kind == 'r' || c->kind == 'd')
            write_lines(out, '-', &m->a, c->a1, c->a2);
        if (c->kind == 'r' || c->kind == 'i')
            write_lines(out, '+', &m->b, c->b1, c->b2);
    }
}

/* Changes in groups: what is equal for more than twice the context parts two groups. */
static void write_groups(matcher *m, dray_buf *out, changes all) {
    changes group = {0};
    for (size_t i = 0; i < all.n; i++) {
        change c = all.v[i];
        if (c.kind == 'e' && i == 0) {
            c.a1 = last_of(c.a1, c.a2);
            c.b1 = last_of(c.b1, c.b2);
        }
        if (c.kind == 'e' && i + 1 == all.n) {
            c.a2 = smaller(c.a2, c.a1 + CONTEXT);
            c.b2 = smaller(c.b2, c.b1 + CONTEXT);
        }
        if (c.kind == 'e' && c.a2 - c.a1 > 2 * CONTEXT) {
            DRAY_PUSH(m->arena, &group, (change){'e', c.a1, c.a1 + CONTEXT, c.b1, c.b1 + CONTEXT});
            write_group(m, out, &group);
            group = (changes){0};
            c.a1 = last_of(c.a1, c.a2);
            c.b1 = last_of(c.b1, c.b2);
        }
        DRAY_PUSH(m->arena, &group, c);
    }
    write_group(m, out, &group);
}

dray_str dray_value_diff(dray_arena *arena, const dray_type *type, const void *a, const void *b,
                         int release) {
    matcher m = {.arena = arena,
                 .a = split(arena, dray_value_indented(arena, type, a, release)),
                 .b = split(arena, dray_value_indented(arena, type, b, release))};
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    number_lines(&m);
    m.length = DRAY_NEW_N(arena, size_t, m.b.n + 1);
    m.next_length = DRAY_NEW_N(arena, size_t, m.b.n + 1);
    find_blocks(&m);
    write_groups(&m, &out, list_changes(&m));
    return dray_str_dup(arena, dray_buf_str(&out));
}
