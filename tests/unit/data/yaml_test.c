/* YAML: places, splitting, limits. What scalars mean is in tests/data/yaml.txt. */
#include "data/yaml.h"

#include "golden.h"

#include "base/vec.h"
#include "data/json.h"

/* \n, \t, \\ and \xNN of a golden file's line. */
static dray_str unescape(dray_str s, dray_arena *arena) {
    char *to = dray_arena_bytes(arena, s.n);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char next = s.p[i] == '\\' && i + 1 < s.n ? s.p[++i] : '\0';
        if (next == 'x') {
            to[n++] = (char)strtol((char[]){s.p[i + 1], s.p[i + 2], '\0'}, NULL, 16);
            i += 2;
        } else if (next != '\0') {
            to[n++] = next == 'n' ? '\n' : next == 't' ? '\t' : next;
        } else {
            to[n++] = s.p[i];
        }
    }
    return dray_str_n(to, n);
}

static void answer(dray_str input, dray_arena *arena, dray_buf *out) {
    dray_err err = DRAY_ERR_INIT;
    dray_node *root = NULL;
    if (dray_yaml_parse(unescape(input, arena), 1, arena, &root, &err) != DRAY_OK) {
        dray_buf_addf(out, "error at %u:%u: %s", err.line, err.column, dray_err_text(&err));
    } else if (root == NULL) {
        dray_buf_puts(out, "nothing");
    } else {
        dray_json_write(out, root, false);
        dray_buf_putc(out, '\n');
        DRAY_CLEANUP_BUF dray_buf yaml = DRAY_BUF_INIT;
        dray_yaml_write(&yaml, root);
        /* An empty line would end the case. */
        for (size_t i = 0; i + 1 < yaml.n; i++) {
            dray_buf_putc(out, yaml.p[i]);
            if (yaml.p[i] == '\n' && yaml.p[i + 1] == '\n')
                dray_buf_putc(out, '.');
        }
    }
    dray_err_done(&err);
}

static void places(dray_arena *arena) {
    dray_node *root;
    dray_str text = DRAY_STR("a: 1\nspec:\n  - name: é\n    x: y\n");
    CHECK("a document on line 11", dray_yaml_parse(text, 11, arena, &root, NULL) == DRAY_OK);
    const dray_node *item = &dray_node_find(root, DRAY_STR("spec"))->list.items[0];
    CHECK_INT("the line of a map is its first key's", item->line, 13);
    CHECK_INT("columns count from 1", item->column, 5);
    CHECK_INT("a key's line", item->map.members[1].line, 14);
    CHECK_INT("a value's column", item->map.members[1].value.column, 8);
}

static void empty(dray_arena *arena) {
    dray_node some, *root = &some;
    CHECK("an absent text is an empty document",
          dray_yaml_parse(DRAY_STR_NONE, 1, arena, &root, NULL) == DRAY_OK && root == NULL);
    root = &some;
    CHECK("so are comments alone",
          dray_yaml_parse(DRAY_STR("# a\n\n# b"), 1, arena, &root, NULL) == DRAY_OK &&
              root == NULL);
    CHECK("an explicit null is none",
          dray_yaml_parse(DRAY_STR("null"), 1, arena, &root, NULL) == DRAY_OK && root != NULL);
}

static void splitting(void) {
    static const struct {
        const char *label, *text, *want;
    } rows[] = {
        {"one document", "a: 1", "1[a: 1]"},
        {"no document", "", "1[]"},
        {"a separator stays with what follows", "a\n---\nb\n", "1[a\n]2[---\nb\n]"},
        {"so does what stands on its line", "a\n--- {b: c} # d\n", "1[a\n]2[--- {b: c} # d\n]"},
        {"carriage returns", "a\r\n---\r\nb", "1[a\r\n]2[---\r\nb]"},
        {"four dashes are no separator", "a\n----\nb", "1[a\n----\nb]"},
        {"nor are indented ones", "a: |\n  x\n  ---\n  y", "1[a: |\n  x\n  ---\n  y]"},
        {"a directive belongs to the separator after it", "%YAML 1.1\n---\na\n---\nb",
         "1[%YAML 1.1\n---\na\n]4[---\nb]"},
        {"a leading separator makes no empty document", "---\na", "1[---\na]"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        DRAY_CLEANUP_BUF dray_buf got = DRAY_BUF_INIT;
        dray_yaml_docs docs = dray_yaml_split(dray_str_of(rows[i].text));
        dray_str one;
        uint32_t line;
        while (dray_yaml_next(&docs, &one, &line))
            dray_buf_addf(&got, "%u[" DRAY_FMT "]", line, DRAY_ARG(one));
        CHECK_STR(rows[i].label, dray_buf_str(&got), rows[i].want);
    }
}

static dray_code parse_repeated(const char *part, size_t times, size_t arena_limit, dray_err *err) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(arena_limit);
    dray_node *root;
    for (size_t i = 0; i < times; i++)
        dray_buf_puts(&text, part);
    return dray_yaml_parse(dray_buf_str(&text), 1, arena, &root, err);
}

static void limits(void) {
    dray_err err = DRAY_ERR_INIT;
    CHECK("a list in a list, 100,000 deep, is the limit",
          parse_repeated("[", 100000, 0, &err) == DRAY_E_LIMIT);
    CHECK("the error has a place", err.line == 1 && err.column == DRAY_YAML_MAX_DEPTH + 1);
    CHECK("a list of lists by dashes too", parse_repeated("- ", 100000, 0, &err) == DRAY_E_LIMIT);
    CHECK("a spent arena is the limit",
          parse_repeated("- {a: b}\n", 100000, 1 << 20, &err) == DRAY_E_LIMIT);
    CHECK("a large list is none", parse_repeated("- 1\n", 100000, 0, &err) == DRAY_OK);
    dray_err_done(&err);
}

/* Nine aliases of nine aliases …: 10⁹ nodes from nine lines. */
static void bombs(dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_buf_puts(&text, "l0: &l0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i <= 9; i++) {
        dray_buf_addf(&text, "l%d: &l%d [", i, i);
        for (int j = 0; j < 9; j++)
            dray_buf_addf(&text, "%s*l%d", j != 0 ? ", " : "", i - 1);
        dray_buf_puts(&text, "]\n");
    }
    dray_node *root;
    dray_err err = DRAY_ERR_INIT;
    CHECK("an alias bomb is refused",
          dray_yaml_parse(dray_buf_str(&text), 1, arena, &root, &err) == DRAY_E_LIMIT);
    CHECK_STR("and called by its name", dray_str_of(dray_err_text(&err)),
              "document contains excessive aliasing");
    dray_err_done(&err);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    golden_replay("yaml.txt", answer);
    places(arena);
    empty(arena);
    splitting();
    limits();
    bombs(arena);
    return tap_end();
}
