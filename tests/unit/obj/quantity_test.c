/* Quantities: arithmetic, order, conversions, limits. Texts are in tests/data/quantity.txt. */
#include "obj/quantity.h"

#include "golden.h"

#include "base/vec.h"

static dray_quantity parse(const char *text, dray_arena *arena) {
    dray_quantity q = {0};
    tap_check(dray_quantity_parse(dray_str_of(text), arena, &q, NULL) == DRAY_OK, text, __FILE__,
              __LINE__);
    return q;
}

static void answer(dray_str input, dray_arena *arena, dray_buf *out) {
    dray_err err = DRAY_ERR_INIT;
    dray_quantity q;
    if (dray_quantity_parse(input, arena, &q, &err) == DRAY_OK)
        dray_buf_addf(out, DRAY_FMT " value=%" PRId64 " milli=%" PRId64,
                      DRAY_ARG(dray_quantity_format(q, arena)), dray_quantity_value(q, NULL),
                      dray_quantity_milli(q, NULL));
    else
        dray_buf_addf(out, "error: %s", dray_err_text(&err));
    dray_err_done(&err);
}

static void order(dray_arena *arena) {
    static const struct {
        const char *label, *a, *b;
        int want;
    } rows[] = {
        {"forms don't count", "1Ki", "1024", 0},
        {"nor how it was written", "1.500", "1500m", 0},
        {"nor the kind: 1Pi is big, its number small", "1Pi", "1125899906842624", 0},
        {"less", "999m", "1", -1},
        {"more, far apart", "1e400", "9223372036854775807", 1},
        {"negative, far apart", "-1e400", "1", -1},
        {"both negative and far apart", "-1e400", "-1", -1},
        {"big ones differ in the last digit", "123456789012345678901", "123456789012345678902", -1},
        {"big against a large scale", "100000000000000000000001", "1e23", 1},
        {"a nano decides", "1000000001n", "1", 1},
        {"zero is zero in any form", "0Ki", "0e5", 0},
        {"zero is more than a negative", "0", "-1n", 1},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_quantity a = parse(rows[i].a, arena), b = parse(rows[i].b, arena);
        CHECK_INT(rows[i].label, dray_quantity_cmp(a, b), rows[i].want);
        CHECK_INT(rows[i].label, dray_quantity_cmp(b, a), -rows[i].want);
    }
}

static void arithmetic(dray_arena *arena) {
    static const struct {
        const char *label, *a;
        char operator;
        const char *b, *want;
    } rows[] = {
        {"a sum keeps the first form", "1Gi", '+', "1G", "2073741824"},
        {"zero takes the other's form", "0", '+', "1Ki", "1Ki"},
        {"scales meet at the finer one", "1", '+', "1n", "1000000001n"},
        {"past int64 a sum goes on exactly", "9223372036854775807", '+', "1",
         "9223372036854775808"},
        {"big and small", "1Pi", '+', "1Pi", "2Pi"},
        {"a difference can be negative", "1Gi", '-', "2Gi", "-1Gi"},
        {"nothing is left", "1.5Gi", '-', "1536Mi", "0"},
        {"borrowing across limbs", "1000000000000000000000", '-', "1", "999999999999999999999"},
        {"a sum too long to write is the larger", "1e2000000", '+', "1", "100e1999998"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++) {
        dray_quantity a = parse(rows[i].a, arena), b = parse(rows[i].b, arena);
        dray_quantity got = rows[i].operator== '+' ? dray_quantity_add(a, b, arena)
                                                   : dray_quantity_sub(a, b, arena);
        CHECK_STR(rows[i].label, dray_quantity_format(got, arena), rows[i].want);
    }
}

static void products(dray_arena *arena) {
    static const struct {
        const char *label, *q;
        int64_t by;
        const char *want;
    } rows[] = {
        {"a product keeps its form", "2Ki", 512, "1Mi"},
        {"times zero", "5Gi", 0, "0"},
        {"past int64", "9223372036854775807", 10, "92233720368547758070"},
        {"of a fraction", "1500m", -2, "-3"},
        {"of a big one", "123456789012345678901", 1000000007, "123456789876543201987419752307"},
        {"by the smallest int64", "-1", INT64_MIN, "9223372036854775808"},
    };
    for (size_t i = 0; i < DRAY_COUNT(rows); i++)
        CHECK_STR(rows[i].label,
                  dray_quantity_format(
                      dray_quantity_mul_int(parse(rows[i].q, arena), rows[i].by, arena), arena),
                  rows[i].want);
}

static void conversions(dray_arena *arena) {
    int64_t got = 7;
    bool fits;
    CHECK("a whole number is an int", dray_quantity_as_int(parse("5k", arena), &got));
    CHECK_INT("its value", got, 5000);
    CHECK("a number written in thousandths is none, though whole",
          !dray_quantity_as_int(parse("1000m", arena), &got));
    CHECK("1Pi is big, so it is none either", !dray_quantity_as_int(parse("1Pi", arena), &got));
    CHECK_INT("a failure leaves the output alone", got, 5000);
    CHECK("thousandths that are whole", dray_quantity_as_milli(parse("1500000u", arena), &got));
    CHECK_INT("as a number", got, 1500);
    CHECK("millionths aren't whole thousandths", !dray_quantity_as_milli(parse("1u", arena), &got));
    CHECK_INT("Value rounds up", dray_quantity_value(parse("1001m", arena), &fits), 2);
    CHECK("and fits", fits);
    dray_quantity_value(parse("1e30", arena), &fits);
    CHECK("what int64 can't hold doesn't fit", !fits);
    CHECK("as a double", dray_quantity_as_double(parse("0.1", arena)) == 0.1);
    CHECK("big as a double", dray_quantity_as_double(parse("1Pi", arena)) == 1125899906842624.0);
    CHECK("too large for a double", dray_quantity_as_double(parse("1e400", arena)) > 1e308);
    CHECK_INT("the sign of a negative", dray_quantity_sign(parse("-1n", arena)), -1);
    CHECK_STR("from thousandths",
              dray_quantity_format(dray_quantity_from_milli(250, DRAY_QUANTITY_DECIMAL_SI), arena),
              "250m");
    CHECK_STR(
        "the negative of the smallest int64 is itself, as upstream",
        dray_quantity_format(
            dray_quantity_neg(dray_quantity_from_int(INT64_MIN, DRAY_QUANTITY_DECIMAL_SI), arena),
            arena),
        "-9223372036854775808");
}

static void copies(dray_arena *arena) {
    dray_arena *source = dray_arena_new(0);
    dray_quantity big = dray_quantity_copy(parse("-123456789012345678901", source), arena);
    dray_quantity kept = dray_quantity_copy(parse("1.500", source), arena);
    dray_arena_free(source);
    CHECK_STR("a copy has its own digits", dray_quantity_format(big, arena),
              "-123456789012345678901");
    CHECK_STR("and its own text", dray_quantity_format(kept, arena), "1.500");
}

static void limits(dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    dray_quantity q;
    for (size_t i = 0; i < DRAY_QUANTITY_MAX_DIGITS; i++)
        dray_buf_putc(&text, '7');
    CHECK("the longest number is read",
          dray_quantity_parse(dray_buf_str(&text), arena, &q, NULL) == DRAY_OK);
    CHECK("and written", dray_str_eq(dray_quantity_format(q, arena), dray_buf_str(&text)));
    dray_buf_putc(&text, '7');
    CHECK("a digit more is the limit",
          dray_quantity_parse(dray_buf_str(&text), arena, &q, NULL) == DRAY_E_LIMIT);
    CHECK("an exponent counts as digits",
          dray_quantity_parse(DRAY_STR("1234567890123456789e1000000000"), arena, &q, NULL) ==
              DRAY_E_LIMIT);
    CHECK("far below nano there is one nano left",
          dray_quantity_parse(DRAY_STR("7e-2000000000"), arena, &q, NULL) == DRAY_OK &&
              dray_quantity_cmp(q, parse("1n", arena)) == 0);
    CHECK("bytes that are no ASCII are refused",
          dray_quantity_parse(DRAY_STR("1\xc2\xb5"), arena, &q, NULL) == DRAY_E_INVALID);
    CHECK("a NUL is refused",
          dray_quantity_parse(DRAY_STR("1\0"), arena, &q, NULL) == DRAY_E_INVALID);
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    golden_replay("quantity.txt", answer);
    order(arena);
    arithmetic(arena);
    products(arena);
    conversions(arena);
    copies(arena);
    limits(arena);
    return tap_end();
}
