/* Environments: signatures that can't be read, inheritance, names in a container. */
#include "cel/env.h"

#include "base/vec.h"
#include "tap.h"

static dray_arena *arena;

static const char *refusal(const char *signature) {
    static char text[400];
    dray_cel_row row = {.function = "f", .id = "f_id", .signature = signature};
    dray_cel_library lib = {.name = "lib", .rows = &row, .n_rows = 1};
    const dray_cel_library *libs[] = {&lib};
    dray_cel_options options = {.profile = DRAY_CEL_029};
    dray_cel_env *env = NULL;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_cel_env_new(arena, NULL, &options, libs, 1, &env, &err);
    snprintf(text, sizeof text, "%s", code == DRAY_OK ? "" : dray_err_text(&err));
    dray_err_done(&err);
    return text;
}

static void signatures(void) {
    static const struct {
        const char *signature, *want;
    } cases[] = {
        {"(int) -> int", ""},
        {"map(A, list(B)).(A) -> optional_type(B)", ""},
        {"() -> kubernetes.Quantity", ""},
        {"int) -> int", "overload f_id of f, \"int) -> int\": expected '.' at byte 3"},
        {"(int -> int", "expected ')' at byte 5"},
        {"(int)", "expected '->' at byte 5"},
        {"(list(int, int)) -> int", "wrong number of parameters at byte 15"},
        {"(a,a,a,a,a,a,a,a,a,a) -> int", "too many parameters"},
    };
    for (size_t i = 0; i < DRAY_COUNT(cases); i++) {
        const char *got = refusal(cases[i].signature);
        if (!CHECK("a signature is read or refused with its place",
                   cases[i].want[0] == '\0' ? got[0] == '\0' : strstr(got, cases[i].want) != NULL))
            printf("# %s: %s\n", cases[i].signature, got);
    }
}

static const dray_cel_row base_rows[] = {
    {.function = "f", .id = "f_int", .signature = "(int) -> int"},
    {.function = "g", .id = "g_int", .signature = "(int) -> int"},
};
static const dray_cel_row more_rows[] = {
    {.function = "f", .id = "f_string", .signature = "(string) -> string"},
    {.function = "g", .id = "g_int", .signature = "(int) -> bool"},
};
static const dray_cel_variable_row base_variables[] = {{"v", "int", NULL}, {"w", "int", NULL}};
static const dray_cel_variable_row more_variables[] = {{"v", "string", NULL}};

static void inheritance(void) {
    dray_cel_library base = {.name = "base",
                             .rows = base_rows,
                             .n_rows = 2,
                             .variables = base_variables,
                             .n_variables = 2,
                             .macros = DRAY_CEL_MACROS_STD};
    dray_cel_library more = {.name = "more",
                             .rows = more_rows,
                             .n_rows = 2,
                             .variables = more_variables,
                             .n_variables = 1};
    const dray_cel_library *one[] = {&base}, *two[] = {&more};
    dray_cel_options options = {.profile = DRAY_CEL_029, .container = "a.b"};
    dray_cel_env *parent = NULL, *child = NULL;
    CHECK("a parent is made",
          dray_cel_env_new(arena, NULL, &options, one, 1, &parent, NULL) == DRAY_OK);
    CHECK("a child is made",
          dray_cel_env_new(arena, parent, &options, two, 1, &child, NULL) == DRAY_OK);
    const dray_cel_function *f = dray_cel_env_function(child, DRAY_STR("f"));
    CHECK("overloads of parent and child are joined", f != NULL && f->n_overloads == 2);
    const dray_cel_function *g = dray_cel_env_function(child, DRAY_STR("g"));
    CHECK("an id that is there already is replaced",
          g != NULL && g->n_overloads == 1 && g->overloads[0].result->kind == DRAY_CEL_BOOL);
    const dray_cel_variable *v = dray_cel_env_variable(child, DRAY_STR("v"));
    CHECK("a later variable of the same name counts, in the same slot",
          v->type->kind == DRAY_CEL_STRING &&
              v->index == dray_cel_env_variable(parent, DRAY_STR("v"))->index);
    CHECK("the parent stays as it was",
          dray_cel_env_variable(parent, DRAY_STR("v"))->type->kind == DRAY_CEL_INT);
    CHECK("macros are inherited", dray_cel_env_macros(child) == DRAY_CEL_MACROS_STD);
    dray_str names[DRAY_CEL_CANDIDATES];
    size_t n = dray_cel_env_candidates(child, arena, DRAY_STR("x"), names);
    CHECK_INT("a container of two parts gives three names", (int64_t)n, 3);
    CHECK_STR("the innermost is tried first", names[0], "a.b.x");
    CHECK_STR("the plain name last", names[2], "x");
    n = dray_cel_env_candidates(child, arena, DRAY_STR(".x"), names);
    CHECK("a leading dot leaves one name", n == 1 && dray_str_is(names[0], "x"));
}

int main(void) {
    arena = dray_arena_new(0);
    signatures();
    inheritance();
    dray_arena_free(arena);
    return tap_end();
}
