/* Kubernetes' semver library. */
#include "celk8s/libs_int.h"

#include "base/vec.h"
#include "obj/semver.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

typedef struct semver_object {
    dray_cel_opaque opaque;
    dray_semver v;
} semver_object;

static bool equal(const dray_cel_opaque *a, const dray_cel_opaque *b) {
    return dray_semver_cmp(((const semver_object *)a)->v, ((const semver_object *)b)->v) == 0;
}

static void print(dray_buf *out, const dray_cel_opaque *a) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_buf_str_add(out, dray_semver_format(((const semver_object *)a)->v, arena));
}

const dray_cel_opaque_type dray_celk8s_semver_type = {DRAY_STR_INIT("kubernetes.Semver"),
                                                      "cel.Semver",
                                                      equal,
                                                      NULL,
                                                      print,
                                                      NULL,
                                                      false,
                                                      DRAY_CEL_KEY_NONE,
                                                      .native = "semver.Version"};

dray_cel_value dray_celk8s_new_semver(dray_arena *arena, dray_semver v) {
    semver_object *o = DRAY_NEW(arena, semver_object);
    o->opaque.type = &dray_celk8s_semver_type;
    o->v = v;
    return dray_cel_of_opaque(&o->opaque);
}

static dray_semver semver_of(dray_cel_value v) {
    return ((const semver_object *)v.opaque)->v;
}

dray_semver dray_celk8s_semver_of(dray_cel_value v) {
    return semver_of(v);
}

FN(to_semver) {
    dray_err err = DRAY_ERR_INIT;
    dray_semver v;
    if (dray_semver_parse(dray_cel_str(args[0]), n > 1 && args[1].b, e->arena, &v, &err) == DRAY_OK)
        return dray_celk8s_new_semver(e->arena, v);
    dray_cel_value error = dray_cel_failf(e->arena, "%s", dray_err_text(&err));
    dray_err_done(&err);
    return error;
}

FN(is_semver) {
    dray_semver v;
    return dray_cel_of_bool(dray_semver_parse(dray_cel_str(args[0]), n > 1 && args[1].b, e->arena,
                                              &v, NULL) == DRAY_OK);
}

FN(is_greater) {
    return dray_cel_of_bool(dray_semver_cmp(semver_of(args[0]), semver_of(args[1])) > 0);
}

FN(is_less) {
    return dray_cel_of_bool(dray_semver_cmp(semver_of(args[0]), semver_of(args[1])) < 0);
}

FN(compare) {
    int by = dray_semver_cmp(semver_of(args[0]), semver_of(args[1]));
    return dray_cel_of_int((by > 0) - (by < 0));
}

/* Numbers past int64 wrap around, as in Go. */
FN(major_of) {
    return dray_cel_of_int((int64_t)semver_of(args[0]).major);
}

FN(minor_of) {
    return dray_cel_of_int((int64_t)semver_of(args[0]).minor);
}

FN(patch_of) {
    return dray_cel_of_int((int64_t)semver_of(args[0]).patch);
}

static const dray_cel_row rows_v0[] = {
    {"compareTo", "semver_compare_to", "kubernetes.Semver.(kubernetes.Semver) -> int", compare},
    {"isGreaterThan", "semver_is_greater_than", "kubernetes.Semver.(kubernetes.Semver) -> bool",
     is_greater},
    {"isLessThan", "semver_is_less_than", "kubernetes.Semver.(kubernetes.Semver) -> bool", is_less},
    {"isSemver", "is_semver_string", "(string) -> bool", is_semver},
    {"major", "semver_major", "kubernetes.Semver.() -> int", major_of},
    {"minor", "semver_minor", "kubernetes.Semver.() -> int", minor_of},
    {"patch", "semver_patch", "kubernetes.Semver.() -> int", patch_of},
    {"semver", "string_to_semver", "(string) -> kubernetes.Semver", to_semver},
};
static const dray_cel_row rows_v1[] = {
    {"compareTo", "semver_compare_to", "kubernetes.Semver.(kubernetes.Semver) -> int", compare},
    {"isGreaterThan", "semver_is_greater_than", "kubernetes.Semver.(kubernetes.Semver) -> bool",
     is_greater},
    {"isLessThan", "semver_is_less_than", "kubernetes.Semver.(kubernetes.Semver) -> bool", is_less},
    {"isSemver", "is_semver_string", "(string) -> bool", is_semver},
    {"isSemver", "is_semver_string_bool", "(string, bool) -> bool", is_semver},
    {"major", "semver_major", "kubernetes.Semver.() -> int", major_of},
    {"minor", "semver_minor", "kubernetes.Semver.() -> int", minor_of},
    {"patch", "semver_patch", "kubernetes.Semver.() -> int", patch_of},
    {"semver", "string_to_semver", "(string) -> kubernetes.Semver", to_semver},
    {"semver", "string_bool_to_semver", "(string, bool) -> kubernetes.Semver", to_semver},
};

const dray_cel_library dray_celk8s_lib_semver_v0 = {
    .name = "kubernetes.Semver", .rows = rows_v0, .n_rows = DRAY_COUNT(rows_v0)};
const dray_cel_library dray_celk8s_lib_semver_v1 = {
    .name = "kubernetes.Semver", .rows = rows_v1, .n_rows = DRAY_COUNT(rows_v1)};
