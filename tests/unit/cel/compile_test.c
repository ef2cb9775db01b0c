/* Compiling: types, error texts, positions, estimates, printing; cases in tests/data/cel_*.txt. */
#include "rows.h"
#include "tap.h"

static dray_arena *arena;
static dray_cel_env *env;

static dray_str compiled(dray_arena *into, dray_str text) {
    dray_cel_ast *ast;
    dray_err err = DRAY_ERR_INIT;
    if (dray_cel_compile(env, text, 0, into, &ast, &err) != DRAY_OK) {
        dray_str made = dray_strf(into, "%s\n", dray_err_text(&err));
        dray_err_done(&err);
        return made;
    }
    dray_cel_range cost = dray_cel_estimate(ast, into);
    DRAY_CLEANUP_BUF dray_buf printed = DRAY_BUF_INIT;
    dray_cel_print(&printed, ast);
    return dray_strf(into, "%s\n%" PRIu64 " to %" PRIu64 "\n%s\n",
                     dray_cel_type_text(into, ast->root->type).p, cost.min, cost.max,
                     dray_buf_cstr(&printed));
}

static dray_str read_file(const char *name) {
    dray_str path = dray_strf(arena, "%s/%s", DRAY_TEST_DATA, name);
    FILE *file = fopen(path.p, "rb");
    if (file == NULL)
        return DRAY_STR_NONE;
    DRAY_CLEANUP_BUF dray_buf all = DRAY_BUF_INIT;
    char *at = dray_buf_reserve(&all, 1 << 20);
    all.n = fread(at, 1, 1 << 20, file);
    fclose(file);
    return dray_str_dup(arena, dray_buf_str(&all));
}

/* A case: the expression after "> ", then what compiling it answers, up to an empty line. */
static void run_file(const char *name) {
    dray_str rest = read_file(name);
    CHECK("the file of cases is there", rest.n != 0);
    while (rest.n != 0) {
        size_t end = dray_str_find(rest, DRAY_STR("\n\n"));
        dray_str one = dray_str_slice(rest, 0, end == SIZE_MAX ? rest.n : end + 1);
        rest = dray_str_slice(rest, one.n + 1, rest.n);
        dray_str text, want;
        if (!dray_str_cut(dray_str_slice(one, 2, one.n), '\n', &text, &want))
            continue;
        DRAY_CLEANUP_ARENA dray_arena *own = dray_arena_new(64 << 20);
        dray_str got = compiled(own, text);
        tap_check_str(got, want, dray_strf(own, "compiles as recorded: %.*s", DRAY_ARG(text)).p,
                      __FILE__, __LINE__);
    }
}

/* What compiling takes of its arena: work that explodes shows here, whatever the machine. */
static double bytes_for(dray_str text) {
    DRAY_CLEANUP_ARENA dray_arena *own = dray_arena_new(64 << 20);
    compiled(own, text);
    return (double)dray_arena_used(own);
}

static dray_str repeat(const char *open, const char *middle, const char *close, int n) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    for (int i = 0; i < n; i++)
        dray_buf_puts(&out, open);
    dray_buf_puts(&out, middle);
    for (int i = 0; i < n; i++)
        dray_buf_puts(&out, close);
    return dray_str_dup(arena, dray_buf_str(&out));
}

static void limits(void) {
    dray_str too_deep = DRAY_STR("ERROR: <input>:-1:0: expression recursion limit exceeded: 250\n");
    CHECK("249 brackets are accepted",
          !dray_str_eq(compiled(arena, repeat("(", "x", ")", 249)), too_deep));
    CHECK("250 brackets are one too deep",
          dray_str_eq(compiled(arena, repeat("(", "x", ")", 250)), too_deep));
    CHECK_STR("a chain of 251 sums is one too long", compiled(arena, repeat("x + ", "x", "", 251)),
              "ERROR: <input>:-1:0: max recursion depth exceeded\n");
    CHECK("a chain of 250 sums is accepted",
          dray_str_starts(compiled(arena, repeat("x + ", "x", "", 250)), DRAY_STR("int\n")));
    CHECK("a chain of 2000 conjunctions is accepted",
          !dray_str_starts(compiled(arena, repeat("x > 1 && ", "true", "", 2000)),
                           DRAY_STR("ERROR")));
    CHECK("sums inside sums are accepted 124 deep",
          !dray_str_eq(compiled(arena, repeat("[1 + ", "[1][0]", "][0]", 124)), too_deep));
    CHECK("sums inside sums are too deep at 125",
          dray_str_eq(compiled(arena, repeat("[1 + ", "[1][0]", "][0]", 125)), too_deep));
    CHECK("a literal twice as deep takes no more than four times as much",
          bytes_for(repeat("[", "1", "]", 240)) < 4.5 * bytes_for(repeat("[", "1", "]", 120)));
    dray_str empty = repeat("[", "", "]", 240), half = repeat("[", "", "]", 120);
    dray_str both = dray_strf(arena, DRAY_FMT " == " DRAY_FMT, DRAY_ARG(empty), DRAY_ARG(empty));
    dray_str halves = dray_strf(arena, DRAY_FMT " == " DRAY_FMT, DRAY_ARG(half), DRAY_ARG(half));
    CHECK("nor do two of unknown element type that are compared",
          bytes_for(both) < 4.5 * bytes_for(halves));
    CHECK("types that double with every binding end as an error, not in memory",
          dray_str_starts(compiled(arena, repeat("cel.bind(x, {x: x}, ", "x", ")", 60)),
                          DRAY_STR("ERROR: <input>:-1:0: expression is too large")));
    DRAY_CLEANUP_ARENA dray_arena *roomy = dray_arena_new(256 << 20);
    CHECK("macros that copy their target end as an error, not in memory",
          dray_str_starts(compiled(roomy, repeat("", "optional.of(1)", ".optMap(x, x)", 60)),
                          DRAY_STR("ERROR: <input>:-1:0: expression is too large")));
}

int main(void) {
    arena = dray_arena_new(0);
    const dray_cel_library *libs[] = {&test_library};
    dray_cel_options options = {.profile = DRAY_CEL_029,
                                .optional_syntax = true,
                                .escaped_identifiers = true,
                                .homogeneous = true,
                                .validators = true};
    dray_err err = DRAY_ERR_INIT;
    if (!CHECK("the environment is made",
               dray_cel_env_new(arena, NULL, &options, libs, 1, &env, &err) == DRAY_OK)) {
        printf("# %s\n", dray_err_text(&err));
        return tap_end();
    }
    run_file("cel_compile.txt");
    limits();
    dray_arena_free(arena);
    return tap_end();
}
