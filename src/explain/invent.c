/* Devices that do not exist: attributes and capacities that make a selector true. */
#include "explain/selector_int.h"

enum { METHODS_MAX = 4, LITERALS_MAX = 8 };

void dray_selector_set_attribute(dray_inquiry *q, dray_resource_device *device, dray_str name,
                                 const dray_resource_device_attribute *value) {
    size_t n = device->attributes.n, at = 0;
    while (at < n && dray_str_cmp(device->attributes.k[at], name) < 0)
        at++;
    if (at < n && dray_str_eq(device->attributes.k[at], name)) {
        device->attributes.v[at] = *value;
        return;
    }
    dray_str *k = DRAY_NEW_N(q->arena, dray_str, n + 1);
    dray_resource_device_attribute *v = DRAY_NEW_N(q->arena, dray_resource_device_attribute, n + 1);
    for (size_t i = 0; i <= n; i++) {
        k[i] = i == at ? name : device->attributes.k[i < at ? i : i - 1];
        v[i] = i == at ? *value : device->attributes.v[i < at ? i : i - 1];
    }
    device->attributes.k = k;
    device->attributes.v = v;
    device->attributes.n = n + 1;
}

void dray_selector_set_capacity(dray_inquiry *q, dray_resource_device *device, dray_str name,
                                dray_quantity value) {
    size_t n = device->capacity.n, at = 0;
    while (at < n && dray_str_cmp(device->capacity.k[at], name) < 0)
        at++;
    if (at < n && dray_str_eq(device->capacity.k[at], name)) {
        device->capacity.v[at].value = value;
        return;
    }
    dray_str *k = DRAY_NEW_N(q->arena, dray_str, n + 1);
    dray_resource_device_capacity *v = DRAY_NEW_N(q->arena, dray_resource_device_capacity, n + 1);
    for (size_t i = 0; i <= n; i++) {
        k[i] = i == at ? name : device->capacity.k[i < at ? i : i - 1];
        v[i] = i == at ? (dray_resource_device_capacity){.value = value}
                       : device->capacity.v[i < at ? i : i - 1];
    }
    device->capacity.k = k;
    device->capacity.v = v;
    device->capacity.n = n + 1;
}

/* A value next to the literal on the side that the comparison asks for. */
static dray_resource_device_attribute value_for(const dray_cel_const *literal, int direction) {
    dray_resource_device_attribute a = {0};
    switch (literal->kind) {
    case DRAY_CEL_INT:
        a.int_ = (dray_opt_int64){true, literal->i + direction};
        break;
    case DRAY_CEL_BOOL:
        a.bool_ = (dray_opt_bool){true, literal->b};
        break;
    default:
        a.string = literal->s;
        break;
    }
    return a;
}

/* The name as the driver itself would write it. */
static dray_str key_for(dray_inquiry *q, const dray_lookup *lookup, dray_str driver) {
    return dray_str_eq(*lookup->domain, driver)
               ? *lookup->id
               : dray_words_key(*lookup->domain, *lookup->id, q->arena);
}

static int direction_of(const char *sign, bool swapped) {
    int direction = sign[0] == '>' && sign[1] == '\0'   ? 1
                    : sign[0] == '<' && sign[1] == '\0' ? -1
                                                        : 0;
    return swapped ? -direction : direction;
}

/* A version or quantity that a method compares with. */
static bool set_by_method(dray_inquiry *q, dray_cel_expr *condition, const dray_lookup *lookup,
                          dray_str key, dray_resource_device *device) {
    dray_cel_expr *literal = NULL;
    for (size_t i = 0; i < METHODS_MAX && literal == NULL; i++) {
        dray_cel_expr *l = dray_selector_literal(condition, i);
        if (l == NULL)
            break;
        if (l->literal.kind == DRAY_CEL_STRING)
            literal = l;
    }
    if (literal == NULL)
        return false;
    if (!lookup->capacity) {
        dray_resource_device_attribute a = {.version = literal->literal.s};
        dray_selector_set_attribute(q, device, key, &a);
        return true;
    }
    dray_quantity value;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_quantity_parse(literal->literal.s, q->arena, &value, &err);
    dray_err_done(&err);
    if (code == DRAY_OK)
        dray_selector_set_capacity(q, device, key, value);
    return code == DRAY_OK;
}

static void satisfy(dray_inquiry *q, dray_selector *s, size_t index, dray_str driver,
                    dray_resource_device *device) {
    dray_cel_expr *condition = s->conditions[index];
    dray_lookups found = dray_selector_lookups(q, condition);
    if (found.list.n == 0)
        return;
    const dray_lookup *lookup = &found.list.v[0];
    dray_str key = key_for(q, lookup, driver);
    dray_comparison c;
    bool plain = dray_selector_comparison(condition, 0, &c) && *c.value == lookup->expr;
    if (plain && !lookup->capacity) {
        dray_resource_device_attribute a =
            value_for(&c.literal->literal, direction_of(c.sign, c.swapped));
        dray_selector_set_attribute(q, device, key, &a);
    } else if (!set_by_method(q, condition, lookup, key, device)) {
        dray_resource_device_attribute yes = {.bool_ = {true, true}};
        if (!lookup->capacity)
            dray_selector_set_attribute(q, device, key, &yes);
    }
}

/* --- by trial --- */

typedef struct guess {
    dray_inquiry *q;
    dray_str condition, driver, key;
    bool capacity;
    dray_resource_device *device;
} guess;

static bool holds(const guess *g) {
    return dray_selector_match(g->q, g->condition, g->driver, g->device, NULL) == DRAY_CELK8S_TRUE;
}

static bool try_attribute(const guess *g, dray_resource_device_attribute value) {
    if (g->capacity)
        return false;
    dray_selector_set_attribute(g->q, g->device, g->key, &value);
    return holds(g);
}

static bool try_quantity(const guess *g, dray_quantity value) {
    if (!g->capacity)
        return false;
    dray_selector_set_capacity(g->q, g->device, g->key, value);
    return holds(g);
}

static bool try_number(const guess *g, int64_t i) {
    for (int64_t by = -1; by <= 1; by++) {
        int64_t value;
        if (__builtin_add_overflow(i, by, &value))
            continue;
        if (try_attribute(g, (dray_resource_device_attribute){.int_ = {true, value}}) ||
            (value >= 0 &&
             try_quantity(g, dray_quantity_from_int(value, DRAY_QUANTITY_DECIMAL_SI))))
            return true;
    }
    return false;
}

static bool try_text(const guess *g, dray_str text) {
    dray_quantity value;
    dray_err err = DRAY_ERR_INIT;
    bool is_quantity = dray_quantity_parse(text, g->q->arena, &value, &err) == DRAY_OK;
    dray_err_done(&err);
    return (is_quantity && (try_quantity(g, value) ||
                            try_quantity(g, dray_quantity_add(value, value, g->q->arena)))) ||
           try_attribute(g, (dray_resource_device_attribute){.string = text}) ||
           try_attribute(g, (dray_resource_device_attribute){.version = text});
}

/* What the condition itself names is tried as the value of what it looks up. */
static bool guess_value(guess *g, dray_cel_expr *condition) {
    for (size_t i = 0; i < LITERALS_MAX; i++) {
        const dray_cel_expr *l = dray_selector_literal(condition, i);
        if (l == NULL)
            break;
        if ((l->literal.kind == DRAY_CEL_STRING && try_text(g, l->literal.s)) ||
            (l->literal.kind == DRAY_CEL_INT && try_number(g, l->literal.i)))
            return true;
    }
    static const dray_resource_device_attribute others[] = {{.bool_ = {true, true}},
                                                            {.bool_ = {true, false}},
                                                            {.int_ = {true, 1}},
                                                            {.string = DRAY_STR_INIT("x")},
                                                            {.version = DRAY_STR_INIT("1.0.0")}};
    for (size_t i = 0; i < DRAY_COUNT(others); i++)
        if (try_attribute(g, others[i]))
            return true;
    return false;
}

static void make_true(dray_inquiry *q, dray_selector *s, size_t index, dray_str driver,
                      dray_resource_device *device) {
    dray_cel_expr *condition = s->conditions[index];
    guess g = {
        .q = q, .condition = dray_selector_print(s, condition), .driver = driver, .device = device};
    if (holds(&g))
        return;
    satisfy(q, s, index, driver, device);
    dray_lookups found = dray_selector_lookups(q, condition);
    for (size_t i = 0; i < found.list.n && i < LITERALS_MAX && !holds(&g); i++) {
        g.key = key_for(q, &found.list.v[i], driver);
        g.capacity = found.list.v[i].capacity;
        (void)guess_value(&g, condition);
    }
}

void dray_selector_satisfy(dray_inquiry *q, dray_str expression, dray_str driver,
                           dray_resource_device *device) {
    dray_selector *s = dray_selector_read(q, expression);
    for (size_t i = 0; s != NULL && i < s->n; i++)
        make_true(q, s, i, driver, device);
}
