/* Kubernetes' quantity library: quantity("1Gi") and what can be asked of it. */
#include "celk8s/libs_int.h"

#include "base/vec.h"

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

/* Past this exponent a quantity is refused at once: its digits would fill memory. */
enum { MAX_EXPONENT = 1000000 };

typedef struct quantity_object {
    dray_cel_opaque opaque;
    dray_quantity q;
} quantity_object;

static bool equal(const dray_cel_opaque *a, const dray_cel_opaque *b) {
    return dray_quantity_cmp(((const quantity_object *)a)->q, ((const quantity_object *)b)->q) == 0;
}

static void print(dray_buf *out, const dray_cel_opaque *a) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_buf_str_add(out, dray_quantity_format(((const quantity_object *)a)->q, arena));
}

const dray_cel_opaque_type dray_celk8s_quantity_type = {
    DRAY_STR_INIT("kubernetes.Quantity"), "cel.Quantity", equal, NULL, print, NULL, false,
    .native = "*resource.Quantity"};

/* Sums are pointers upstream, which nothing is equal to: x == a.add(b) fails where a.add(b) == x
 * does not. */
const dray_cel_opaque_type dray_celk8s_quantity_sum_type = {DRAY_STR_INIT("kubernetes.Quantity"),
                                                            "*cel.Quantity",
                                                            equal,
                                                            NULL,
                                                            print,
                                                            NULL,
                                                            false,
                                                            .plain = &dray_celk8s_quantity_type,
                                                            .native = "*resource.Quantity"};

dray_cel_value dray_celk8s_new_quantity(dray_arena *arena, dray_quantity q) {
    quantity_object *o = DRAY_NEW(arena, quantity_object);
    o->opaque.type = &dray_celk8s_quantity_type;
    o->q = q;
    return dray_cel_of_opaque(&o->opaque);
}

static dray_quantity quantity_of(dray_cel_value v) {
    return ((const quantity_object *)v.opaque)->q;
}

dray_quantity dray_celk8s_quantity_of(dray_cel_value v) {
    return quantity_of(v);
}

/* The exponent of "1e2147483648", as far as it matters; what else is wrong with the text is left to
 * the parser. */
static bool exponent_is_sane(dray_str text) {
    size_t at = text.n;
    while (at > 0 && text.p[at - 1] >= '0' && text.p[at - 1] <= '9')
        at--;
    dray_str digits = dray_str_slice(text, at, text.n);
    if (at > 0 && (text.p[at - 1] == '+' || text.p[at - 1] == '-'))
        at--;
    if (at == 0 || (text.p[at - 1] != 'e' && text.p[at - 1] != 'E'))
        return true;
    int64_t value = 0;
    for (size_t i = 0; i < digits.n && value <= MAX_EXPONENT; i++)
        value = value * 10 + (digits.p[i] - '0');
    return value <= MAX_EXPONENT;
}

FN(to_quantity) {
    dray_err err = DRAY_ERR_INIT;
    dray_quantity q;
    if (!exponent_is_sane(dray_cel_str(args[0])))
        return dray_cel_fail(e->arena, "unable to parse quantity's suffix");
    if (dray_quantity_parse(dray_cel_str(args[0]), e->arena, &q, &err) == DRAY_OK)
        return dray_celk8s_new_quantity(e->arena, q);
    dray_cel_value error = dray_cel_failf(e->arena, "%s", dray_err_text(&err));
    dray_err_done(&err);
    return error;
}

FN(is_quantity) {
    dray_quantity q;
    return dray_cel_of_bool(exponent_is_sane(dray_cel_str(args[0])) &&
                            dray_quantity_parse(dray_cel_str(args[0]), e->arena, &q, NULL) ==
                                DRAY_OK);
}

FN(sign) {
    return dray_cel_of_int(dray_quantity_sign(quantity_of(args[0])));
}

FN(is_greater) {
    return dray_cel_of_bool(dray_quantity_cmp(quantity_of(args[0]), quantity_of(args[1])) > 0);
}

FN(is_less) {
    return dray_cel_of_bool(dray_quantity_cmp(quantity_of(args[0]), quantity_of(args[1])) < 0);
}

FN(compare) {
    int by = dray_quantity_cmp(quantity_of(args[0]), quantity_of(args[1]));
    return dray_cel_of_int((by > 0) - (by < 0));
}

FN(as_float) {
    return dray_cel_of_double(dray_quantity_as_double(quantity_of(args[0])));
}

FN(is_integer) {
    int64_t value;
    return dray_cel_of_bool(dray_quantity_as_int(quantity_of(args[0]), &value));
}

FN(as_integer) {
    int64_t value;
    if (dray_quantity_as_int(quantity_of(args[0]), &value))
        return dray_cel_of_int(value);
    return dray_cel_fail(e->arena, "cannot convert value to integer");
}

static dray_quantity operand(dray_cel_value v) {
    return v.kind == DRAY_CEL_INT ? dray_quantity_from_int(v.i, DRAY_QUANTITY_EXPONENT)
                                  : quantity_of(v);
}

static dray_cel_value new_sum(dray_cel_eval *e, dray_quantity q) {
    dray_cel_value v = dray_celk8s_new_quantity(e->arena, q);
    ((quantity_object *)v.opaque)->opaque.type = &dray_celk8s_quantity_sum_type;
    return v;
}

FN(add) {
    return new_sum(e, dray_quantity_add(quantity_of(args[0]), operand(args[1]), e->arena));
}

FN(subtract) {
    return new_sum(e, dray_quantity_sub(quantity_of(args[0]), operand(args[1]), e->arena));
}

static const dray_cel_row rows[] = {
    {"add", "quantity_add", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
     add},
    {"add", "quantity_add_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity", add},
    {"asApproximateFloat", "quantity_get_float", "kubernetes.Quantity.() -> double", as_float},
    {"asInteger", "quantity_get_int", "kubernetes.Quantity.() -> int", as_integer},
    {"compareTo", "quantity_compare_to", "kubernetes.Quantity.(kubernetes.Quantity) -> int",
     compare},
    {"isGreaterThan", "quantity_is_greater_than",
     "kubernetes.Quantity.(kubernetes.Quantity) -> bool", is_greater},
    {"isInteger", "quantity_is_integer", "kubernetes.Quantity.() -> bool", is_integer},
    {"isLessThan", "quantity_is_less_than", "kubernetes.Quantity.(kubernetes.Quantity) -> bool",
     is_less},
    {"isQuantity", "is_quantity_string", "(string) -> bool", is_quantity},
    {"quantity", "string_to_quantity", "(string) -> kubernetes.Quantity", to_quantity},
    {"sign", "quantity_sign", "(kubernetes.Quantity) -> int", sign},
    {"sub", "quantity_sub", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity",
     subtract},
    {"sub", "quantity_sub_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity", subtract},
};

const dray_cel_library dray_celk8s_lib_quantity = {
    .name = "kubernetes.quantity", .rows = rows, .n_rows = DRAY_COUNT(rows)};
