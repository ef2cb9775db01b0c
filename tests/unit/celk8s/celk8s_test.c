/* Selectors on devices: releases, missing keys, columns, derived attributes. */
#include "celk8s/celk8s.h"

#include "api/engine.h"
#include "base/vec.h"
#include "cel/eval.h"
#include "celk8s/columns.h"
#include "data/json.h"
#include "tap.h"

static const char json[] =
    "{\"attributes\":{\"model\":{\"string\":\"a100\"},\"index\":{\"int\":1},"
    "\"d.io/v\":{\"version\":\"1.2.3\"},\"names\":{\"strings\":[\"x\",\"y\"]}},"
    "\"capacity\":{\"memory\":{\"value\":\"40Gi\"}}}";

static dray_celk8s_device *read_device(dray_arena *arena, const char *text) {
    dray_node *root;
    void *body;
    dray_err err = DRAY_ERR_INIT;
    if (dray_json_parse(dray_str_of(text), arena, &root, &err) != DRAY_OK ||
        dray_api_decode_type(root, &dray_type_resource_device, 37, arena, NULL, &body, &err) !=
            DRAY_OK)
        return NULL;
    return dray_celk8s_device_new(arena, DRAY_STR("gpu.io"), body);
}

static const dray_celk8s_program *compile(dray_celk8s *k, const char *text, int release,
                                          dray_arena *arena, dray_str *ret_error) {
    const dray_celk8s_program *program = NULL;
    dray_err err = DRAY_ERR_INIT;
    dray_gates gates;
    dray_gates_init(&gates, release);
    *ret_error = DRAY_STR("");
    if (dray_celk8s_compile(k, dray_str_of(text), DRAY_CELK8S_SELECTOR, release == 34, &gates,
                            &program, &err) != DRAY_OK)
        *ret_error = dray_strf(arena, "%s", dray_err_text(&err));
    dray_err_done(&err);
    return program;
}

static void selectors(dray_celk8s *k, dray_arena *arena, dray_arena *scratch) {
    static const struct {
        const char *expr, *answer, *label;
    } rows[] = {
        {"device.driver == 'gpu.io'", "true", "the driver"},
        {"device.attributes['gpu.io'].model == 'a100'", "true",
         "a name without domain is the driver's"},
        {"device.attributes['d.io'].v.isGreaterThan(semver('1.2.0'))", "true", "a version"},
        {"device.capacity['gpu.io'].memory.compareTo(quantity('40Gi')) >= 0", "true", "a capacity"},
        {"device.attributes['no'].x == 1", "no such key: x", "a missing id is an error"},
        {"'no' in device.attributes", "false", "a missing domain is not in the map"},
        {"has(device.attributes['no'].x)", "false", "has() is the guard"},
        {"device.attributes['gpu.io'].names.includes('y')", "true", "a list"},
        {"device.attributes['gpu.io'].index",
         "CEL result of type int could not be converted to "
         "bool: unsupported type conversion from 'int' to bool",
         "an attribute alone must be a bool"},
        {"device.attributes['d.io'].v == '1.2.3'", "no such overload",
         "a version is not compared with a string"},
        {"quantity('1A04E99999999C') == quantity('1')",
         "quantities must match the regular expression "
         "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
         "only an exponent at the end is one"},
        {"quantity('1e2147483648') == quantity('1')", "unable to parse quantity's suffix",
         "an exponent that would fill memory is refused at once"},
        {"device.driver", "must evaluate to bool or the unknown type, not string",
         "a string is no selector"},
        {"device.driver.matches(device.driver + '[')",
         "error parsing regexp: missing closing ]: `[`", "a bad pattern at run time"},
    };
    dray_celk8s_device *device = read_device(arena, json);
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_str got;
        const dray_celk8s_program *p = compile(k, rows[i].expr, 37, arena, &got);
        dray_celk8s_result result;
        if (p != NULL) {
            dray_celk8s_answer answer = dray_celk8s_match(p, device, scratch, &result);
            got = answer == DRAY_CELK8S_ERROR  ? result.error
                  : answer == DRAY_CELK8S_TRUE ? DRAY_STR("true")
                                               : DRAY_STR("false");
        }
        CHECK_STR(rows[i].label, got, rows[i].answer);
    }
}

static void programs(dray_celk8s *k, dray_arena *arena) {
    dray_str error;
    const dray_celk8s_program *p = compile(k, "device.driver == 'a'", 37, arena, &error);
    CHECK("the same text gives the same program",
          compile(k, "device.driver == 'a'", 37, arena, &error) == p);
    CHECK("another release another one",
          compile(k, "device.driver == 'a'", 36, arena, &error) != p);
    CHECK_INT("the estimate of upstream's own test",
              (int64_t)dray_celk8s_max_cost(
                  compile(k, "device.driver == \"dra.example.com\"", 37, arena, &error)),
              4);
    CHECK("new expressions of 1.34 know no lists library",
          compile(k, "[1].reverse() == [1]", 34, arena, &error) == NULL);
    CHECK("stored ones of 1.36 do", compile(k, "[1].reverse() == [1]", 36, arena, &error) != NULL);
}

/* Columns answer as one evaluation after another does. */
static void columns(dray_celk8s *k, dray_arena *arena, dray_arena *scratch) {
    static const char *const exprs[] = {
        "device.driver == 'gpu.io' && device.attributes['gpu.io'].index < 5",
        "device.attributes['gpu.io'].index == 3 || device.attributes['gpu.io'].model == 'm1'",
        "has(device.attributes['gpu.io'].model)",
        "cel.bind(a, device.attributes['gpu.io'], a.?index.orValue(0) > 2)",
        "device.attributes.exists(d, d == 'gpu.io')",
    };
    enum { N = 200 };
    const dray_celk8s_device *devices[N];
    for (int i = 0; i < N; i++)
        devices[i] =
            read_device(arena, i % 7 == 0 ? "{}"
                                          : dray_strf(arena,
                                                      "{\"attributes\":{\"index\":{\"int\":%d},"
                                                      "\"model\":{\"string\":\"m%d\"}}}",
                                                      i % 10, i % 3)
                                                .p);
    dray_celk8s_columns *c = dray_celk8s_columns_new(devices, N);
    dray_bits yes = dray_bits_new(arena, N), failed = dray_bits_new(arena, N);
    for (size_t e = 0; e < DRAY_COUNT(exprs); e++) {
        dray_str error;
        const dray_celk8s_program *p = compile(k, exprs[e], 37, arena, &error);
        bool same = p != NULL;
        if (same)
            dray_celk8s_match_columns(p, c, scratch, yes, failed);
        for (int i = 0; i < N && same; i++) {
            dray_celk8s_result result;
            dray_celk8s_answer answer = dray_celk8s_match(p, devices[i], scratch, &result);
            same = dray_bits_get(yes, (size_t)i) == (answer == DRAY_CELK8S_TRUE) &&
                   dray_bits_get(failed, (size_t)i) == (answer == DRAY_CELK8S_ERROR);
        }
        CHECK(exprs[e], same);
    }
    dray_celk8s_columns_free(c);
}

static void derived(dray_celk8s *k, dray_arena *arena, dray_arena *scratch) {
    const dray_celk8s_program *p;
    dray_resource_device_attribute value;
    dray_celk8s_result result;
    dray_gates gates;
    dray_gates_init(&gates, 37);
    dray_celk8s_device *device = read_device(arena, json);
    bool ok = dray_celk8s_compile(k, DRAY_STR("device.attributes['gpu.io'].index + 1"),
                                  DRAY_CELK8S_DERIVED, false, &gates, &p, NULL) == DRAY_OK &&
              dray_celk8s_derive(p, device, scratch, &value, &result);
    CHECK("an int is derived", ok && value.int_.set && value.int_.v == 2);
    ok = dray_celk8s_compile(k, DRAY_STR("['b', device.driver]"), DRAY_CELK8S_DERIVED, false,
                             &gates, &p, NULL) == DRAY_OK &&
         dray_celk8s_derive(p, device, scratch, &value, &result);
    CHECK("a list of strings is derived",
          ok && value.strings.n == 2 && dray_str_is(value.strings.v[1], "gpu.io"));
    CHECK("a double is no attribute",
          dray_celk8s_compile(k, DRAY_STR("1.5"), DRAY_CELK8S_DERIVED, false, &gates, &p, NULL) ==
              DRAY_E_INVALID);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    DRAY_CLEANUP_ARENA dray_arena *scratch = dray_cel_scratch_new();
    dray_celk8s *k = dray_celk8s_new(NULL);
    selectors(k, arena, scratch);
    programs(k, arena);
    columns(k, arena, scratch);
    derived(k, arena, scratch);
    dray_celk8s_free(k);
    return tap_end();
}
