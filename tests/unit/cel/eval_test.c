/* Evaluation: errors that are absorbed, what is lazy, costs, limits. */
#include "cel/eval.h"

#include "base/vec.h"
#include "cel/cel.h"
#include "cel/libs.h"
#include "tap.h"

static dray_cel_env *env;
static dray_cel_runtime *runtime;

static void make_env(dray_arena *arena) {
    static const dray_cel_variable_row variables[] = {{"x", "dyn"}};
    static const dray_cel_library own = {.name = "x", .variables = variables, .n_variables = 1};
    const dray_cel_library *libs[] = {&own,
                                      &dray_cel_lib_std,
                                      &dray_cel_lib_optional,
                                      &dray_cel_lib_bindings,
                                      &dray_cel_lib_two_var,
                                      &dray_cel_lib_strings_v2,
                                      &dray_cel_lib_lists,
                                      &dray_cel_lib_sets};
    dray_cel_options options = {.profile = DRAY_CEL_029, .optional_syntax = true};
    dray_err err = DRAY_ERR_INIT;
    CHECK("the environment is made",
          dray_cel_env_new(arena, NULL, &options, libs, DRAY_COUNT(libs), &env, &err) == DRAY_OK);
    runtime = dray_cel_runtime_new(arena, env, NULL, 0);
}

/* The result as text, or its error; *cost is what it has cost. */
static dray_str run(dray_arena *arena, const char *text, uint64_t limit, uint64_t *cost) {
    dray_cel_ast *ast;
    dray_cel_program *program;
    dray_err err = DRAY_ERR_INIT;
    dray_cel_value values[64];
    for (size_t i = 0; i < DRAY_COUNT(values); i++)
        values[i] = dray_cel_of_int(7);
    if (dray_cel_compile(env, dray_str_of(text), 0, arena, &ast, &err) != DRAY_OK ||
        dray_cel_program_new(runtime, ast, arena, &program, &err) != DRAY_OK) {
        dray_str why = dray_strf(arena, "%s", dray_err_text(&err));
        dray_err_done(&err);
        return why;
    }
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_cel_scratch_new();
    dray_cel_eval eval = {.arena = scratch, .variables = values, .limit = limit};
    dray_cel_value v = dray_cel_run(program, &eval);
    *cost = eval.cost;
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    if (v.kind == DRAY_CEL_ERROR)
        dray_buf_str_add(&out, dray_cel_failure_text(scratch, v.failure));
    else
        dray_cel_print_value(&out, v);
    dray_cel_program_done(program);
    return dray_str_dup(arena, dray_buf_str(&out));
}

static void results(dray_arena *arena) {
    static const struct {
        const char *expr, *result, *label;
    } rows[] = {
        {"1/0 == 1 && false", "false", "false absorbs an error on its left"},
        {"1/0 == 1 || true", "true", "true does too"},
        {"true && 1/0 == 1", "division by zero", "an error that decides is the result"},
        {"cel.bind(y, 1/0, true)", "true", "what is bound and never read is never computed"},
        {"[].exists(y, 1/0 == 1)", "false", "a predicate without elements is never computed"},
        {"[1, 0].exists(y, 2/y == 2)", "true", "exists() absorbs a later error"},
        {"[0, 1].all(y, 2/y == 5)", "false", "all() absorbs an earlier one"},
        {"[1, 2].map(y, y * 2)", "[2, 4]", "map() makes a list"},
        {"{'a': 1}.transformMap(k, v, v + 1)", "{a: 2}", "transformMap() makes a map"},
        {"[1, 1].transformMapEntry(i, v, {v: i})", "insert failed: key 1 already exists",
         "a key made twice is an error"},
        {"'abc'.lastIndexOf('')", "3", "the last empty string stands at the end"},
        {"'abc'.indexOf('', -1)", "index out of range: -1", "a negative offset is refused"},
        {"[1, 2, 3][5]", "index out of bounds: 5", "an index past the end"},
        {"x.foo", "no such key: foo", "a member of what has none"},
        {"x + 'a'", "no such overload", "types that do not go together"},
        {"'héllo'.size()", "5", "size counts code points"},
        {"optional.of(optional.none()).hasValue()", "true", "an optional may hold an optional"},
        {"matches('a', x == 7 ? '[' : 'a')", "error parsing regexp: missing closing ]: `[`",
         "a bad pattern is told with Go's words"},
        {"int('x') == 1", "type conversion error from 'string' to 'int'",
         "a constant that can't be converted fails before evaluation"},
        {"timestamp('2020-01-01T00:00:00Z').getHours('+01:75')", "2",
         "minutes of an offset are not checked"},
        {"timestamp('2020-01-01T00:00:00Z').getHours('No/Where')", "unknown time zone No/Where",
         "a zone nobody knows"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        uint64_t cost;
        CHECK_STR(rows[i].label, run(arena, rows[i].expr, 0, &cost), rows[i].result);
    }
}

static void costs(dray_arena *arena) {
    static const struct {
        const char *expr;
        uint64_t cost;
        const char *label;
    } rows[] = {
        {"x == 7", 2, "a variable and a comparison"},
        {"[1, 2, 3] == [1, 2, 3]", 1, "constant lists cost nothing to make"},
        {"[x]", 11, "others ten"},
        {"'0123456789ab' == '0123456789ab'", 2, "a tenth of a string, rounded up"},
        {"[1, 2].all(y, y > 0)", 11, "both turns of the loop and its result"},
        {"x in [1, 2, 7]", 1, "membership in a constant list is free"},
        {"false && x == 1", 0, "what is not evaluated costs nothing"},
        {"'a'.substring(x / 0, 1)", 2, "a call whose arguments are cut short is not charged"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        uint64_t cost = 0;
        run(arena, rows[i].expr, 0, &cost);
        CHECK_INT(rows[i].label, (int64_t)cost, (int64_t)rows[i].cost);
    }
}

static void limits(dray_arena *arena) {
    static const char over[] = "operation cancelled: actual cost limit exceeded";
    uint64_t cost;
    CHECK_STR("exactly the limit is allowed", run(arena, "x == 7", 2, &cost), "true");
    CHECK_STR("one more is not", run(arena, "x == 7", 1, &cost), over);
    CHECK_STR("no operator absorbs it", run(arena, "x == 7 || true", 1, &cost), over);
    CHECK_STR("nor any macro", run(arena, "[1, 2].exists(y, y == 2)", 3, &cost), over);
    CHECK_INT("the first step past it counts", (int64_t)cost, 4);
    CHECK_STR("a list that would cost too much is not made",
              run(arena, "lists.range(999999).map(x, x).size()", 1000000, &cost), over);
    CHECK_STR("doubling lists end at the memory limit",
              run(arena,
                  "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,"
                  "29,30].map(a, lists.range(100000)).flatten().map(y, [y]).size() > 0",
                  0, &cost),
              "evaluation needs too much memory");
}

/* With any bound on the arena the run ends, with a result or with the error of the limit. */
static void sweep(void) {
    bool ok = true;
    for (size_t bytes = 64; bytes <= 1 << 16; bytes *= 2) {
        DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(1 << 20);
        DRAY_CLEANUP_ARENA dray_arena *scratch = dray_arena_new(bytes);
        dray_cel_ast *ast;
        dray_cel_program *program;
        dray_err err = DRAY_ERR_INIT;
        dray_cel_value values[64] = {0};
        const char *text = "lists.range(300).map(y, [y, y]).size() == 300";
        if (dray_cel_compile(env, dray_str_of(text), 0, arena, &ast, &err) != DRAY_OK ||
            dray_cel_program_new(runtime, ast, arena, &program, &err) != DRAY_OK)
            break;
        dray_cel_eval eval = {.arena = scratch, .variables = values};
        dray_cel_value v = dray_cel_run(program, &eval);
        ok = ok && (dray_cel_is_true(v) || v.kind == DRAY_CEL_ERROR);
        dray_cel_program_done(program);
    }
    CHECK("a small arena ends in the limit's error, never otherwise", ok);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    make_env(arena);
    results(arena);
    costs(arena);
    limits(arena);
    sweep();
    return tap_end();
}
