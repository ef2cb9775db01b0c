/* What is wrong with a selector: which condition, which name, which unit, and how it would do. */
#include "explain/selector_int.h"

#include "api/engine.h"
#include "obj/semver.h"

#include <inttypes.h>

enum { MISSPELT_EDITS = 2 };

typedef struct examination {
    dray_inquiry *q;
    dray_str text;
    dray_selector *s;
    const dray_device_refs *all;
    /* Of devices that the selector can't tell apart only one, and how many it stands for. */
    const dray_device_refs *devices;
    const size_t *weight;
    uint8_t *answers; /* [device × conditions + condition] */
    bool fatal;
} examination;

static uint8_t answer_of(const examination *x, size_t device, size_t condition) {
    return x->answers[device * x->s->n + condition];
}

static const dray_resource_device_attribute *attribute_of(const dray_device_ref *ref,
                                                          const dray_lookup *lookup) {
    for (size_t i = 0; i < ref->device->attributes.n; i++) {
        dray_str domain, id;
        dray_celk8s_split_name(ref->device->attributes.k[i], ref->driver, &domain, &id);
        if (dray_str_eq(domain, *lookup->domain) && dray_str_eq(id, *lookup->id))
            return &ref->device->attributes.v[i];
    }
    return NULL;
}

static const dray_quantity *capacity_of(const dray_device_ref *ref, const dray_lookup *lookup) {
    for (size_t i = 0; i < ref->device->capacity.n; i++) {
        dray_str domain, id;
        dray_celk8s_split_name(ref->device->capacity.k[i], ref->driver, &domain, &id);
        if (dray_str_eq(domain, *lookup->domain) && dray_str_eq(id, *lookup->id))
            return &ref->device->capacity.v[i].value;
    }
    return NULL;
}

/* What the lookups find on a device, as a text. */
static void put_seen(dray_buf *out, const dray_device_ref *ref, const dray_lookups *lookups,
                     dray_arena *arena) {
    dray_buf_str_add(out, ref->driver);
    for (size_t i = 0; i < lookups->list.n; i++) {
        const dray_lookup *l = &lookups->list.v[i];
        const dray_resource_device_attribute *a = l->capacity ? NULL : attribute_of(ref, l);
        const dray_quantity *q = l->capacity ? capacity_of(ref, l) : NULL;
        dray_buf_puts(out, a != NULL || q != NULL ? "\n+" : "\n-");
        if (a != NULL)
            dray_api_encode_type(out, &dray_type_resource_device_attribute, a);
        if (q != NULL)
            dray_buf_str_add(out, dray_quantity_format(*q, arena));
    }
}

/* Devices on which all that the selector looks up is the same are one. */
static void tell_apart(examination *x) {
    dray_arena *arena = x->q->arena;
    dray_lookups lookups = {0};
    bool plain = true;
    for (size_t c = 0; c < x->s->n && plain; c++) {
        dray_lookups found = dray_selector_lookups(x->q, x->s->conditions[c]);
        for (size_t i = 0; i < found.list.n; i++)
            DRAY_PUSH(arena, &lookups.list, found.list.v[i]);
        plain = dray_selector_only_looks_up(x->s->conditions[c]);
    }
    dray_device_refs *distinct = DRAY_NEW(arena, dray_device_refs);
    size_t *weight = DRAY_NEW_N(arena, size_t, x->all->n + 1);
    dray_map seen = dray_map_new(arena);
    DRAY_CLEANUP_BUF dray_buf key = DRAY_BUF_INIT;
    for (size_t d = 0; d < x->all->n; d++) {
        key.n = 0;
        if (plain)
            put_seen(&key, &x->all->v[d], &lookups, arena);
        int64_t at = plain ? dray_map_index(&seen, dray_buf_str(&key)) : -1;
        if (at >= 0) {
            weight[at]++;
            continue;
        }
        if (plain)
            dray_map_put(&seen, dray_str_dup(arena, dray_buf_str(&key)), x);
        weight[distinct->n] = 1;
        DRAY_PUSH(arena, distinct, x->all->v[d]);
    }
    x->devices = distinct;
    x->weight = weight;
}

static void ask_all(examination *x) {
    x->answers = DRAY_NEW_N(x->q->arena, uint8_t, x->devices->n * x->s->n + 1);
    for (size_t c = 0; c < x->s->n; c++) {
        dray_str text = dray_selector_print(x->s, x->s->conditions[c]);
        for (size_t d = 0; d < x->devices->n; d++)
            x->answers[d * x->s->n + c] = (uint8_t)dray_selector_match(
                x->q, text, x->devices->v[d].driver, x->devices->v[d].device, NULL);
    }
}

/* How many devices the conditions but one leave, and of these how many the one gives `answer`. */
static size_t count(const examination *x, size_t condition, dray_celk8s_answer answer,
                    size_t *ret_left) {
    size_t n = 0;
    *ret_left = 0;
    for (size_t d = 0; d < x->devices->n; d++) {
        bool left = true;
        for (size_t c = 0; c < x->s->n && left; c++)
            left = c == condition || answer_of(x, d, c) == DRAY_CELK8S_TRUE;
        *ret_left += left ? x->weight[d] : 0;
        n += left && answer_of(x, d, condition) == answer ? x->weight[d] : 0;
    }
    return n;
}

/* Devices on which the condition fails and no other is false: those end the attempt. */
static size_t count_fatal(const examination *x, size_t condition) {
    size_t n = 0;
    for (size_t d = 0; d < x->devices->n; d++) {
        bool saved = false;
        for (size_t c = 0; c < x->s->n; c++)
            saved |= answer_of(x, d, c) == DRAY_CELK8S_FALSE;
        n += !saved && answer_of(x, d, condition) == DRAY_CELK8S_ERROR ? x->weight[d] : 0;
    }
    return n;
}

/* Devices on which the condition is not true. */
static size_t count_against(const examination *x, size_t condition) {
    size_t n = 0;
    for (size_t d = 0; d < x->devices->n; d++)
        n += answer_of(x, d, condition) != DRAY_CELK8S_TRUE ? x->weight[d] : 0;
    return n;
}

/* The condition to be blamed; SIZE_MAX: none. */
static size_t blame(const examination *x) {
    size_t best = SIZE_MAX, most = 0;
    for (size_t c = 0; c < x->s->n; c++) {
        size_t n = x->fatal ? count_fatal(x, c) : count_against(x, c), left;
        /* One that alone keeps devices out is worth more than one among several. */
        if (!x->fatal) {
            (void)count(x, c, DRAY_CELK8S_TRUE, &left);
            n += left * (x->all->n + 1);
        }
        if (n > most) {
            most = n;
            best = c;
        }
    }
    return best;
}

/* --- names --- */

typedef struct name {
    bool capacity;
    dray_str domain, id;
} name;
typedef struct names {
    DRAY_VEC(name) list;
} names;

static void add_name(examination *x, names *all, dray_str key, dray_str driver, bool capacity) {
    name n = {.capacity = capacity};
    dray_celk8s_split_name(key, driver, &n.domain, &n.id);
    for (size_t i = 0; i < all->list.n; i++)
        if (all->list.v[i].capacity == capacity && dray_str_eq(all->list.v[i].id, n.id) &&
            dray_str_eq(all->list.v[i].domain, n.domain))
            return;
    DRAY_PUSH(x->q->arena, &all->list, n);
}

static names names_of(examination *x) {
    names all = {0};
    for (size_t d = 0; d < x->all->n; d++) {
        const dray_resource_device *device = x->all->v[d].device;
        for (size_t i = 0; i < device->attributes.n; i++)
            add_name(x, &all, device->attributes.k[i], x->all->v[d].driver, false);
        for (size_t i = 0; i < device->capacity.n; i++)
            add_name(x, &all, device->capacity.k[i], x->all->v[d].driver, true);
    }
    return all;
}

static size_t count_having(const examination *x, const dray_lookup *lookup) {
    size_t n = 0;
    for (size_t d = 0; d < x->devices->n; d++) {
        const dray_resource_device *device = x->devices->v[d].device;
        size_t m = lookup->capacity ? device->capacity.n : device->attributes.n;
        const dray_str *keys = lookup->capacity ? device->capacity.k : device->attributes.k;
        bool has = false;
        for (size_t i = 0; i < m && !has; i++) {
            dray_str domain, id;
            dray_celk8s_split_name(keys[i], x->devices->v[d].driver, &domain, &id);
            has = dray_str_eq(domain, *lookup->domain) && dray_str_eq(id, *lookup->id);
        }
        n += has ? x->weight[d] : 0;
    }
    return n;
}

/* The name that was meant, and what was wrong with the one that was written. */
static const name *meant(const names *all, const dray_lookup *lookup, dray_cause *ret) {
    for (int round = 0; round < 5; round++)
        for (size_t i = 0; i < all->list.n; i++) {
            const name *n = &all->list.v[i];
            bool map = n->capacity == lookup->capacity;
            bool domain = dray_str_eq(n->domain, *lookup->domain);
            bool same = dray_str_eq(n->id, *lookup->id);
            bool alike = dray_words_alike(n->id, *lookup->id);
            bool near = dray_words_distance(n->id, *lookup->id, MISSPELT_EDITS) != SIZE_MAX;
            bool fits[] = {map && domain && alike, map && !domain && same, !map && domain && same,
                           map && domain && near, map && !domain && alike};
            static const dray_cause causes[] = {
                DRAY_CAUSE_ATTRIBUTE_MISSPELT, DRAY_CAUSE_ATTRIBUTE_OTHER_DOMAIN,
                DRAY_CAUSE_CAPACITY_NOT_ATTRIBUTE, DRAY_CAUSE_ATTRIBUTE_MISSPELT,
                DRAY_CAUSE_ATTRIBUTE_OTHER_DOMAIN};
            if (!fits[round])
                continue;
            *ret = causes[round];
            if (round == 2 && lookup->capacity)
                *ret = DRAY_CAUSE_ATTRIBUTE_NOT_CAPACITY;
            return n;
        }
    *ret = DRAY_CAUSE_ATTRIBUTE_ABSENT;
    for (size_t i = 0; i < all->list.n; i++) {
        const name *n = &all->list.v[i];
        dray_str longer = n->id.n > lookup->id->n ? n->id : *lookup->id;
        dray_str shorter = n->id.n > lookup->id->n ? *lookup->id : n->id;
        if (n->capacity == lookup->capacity && shorter.n >= 3 &&
            dray_words_alike(dray_str_slice(longer, longer.n - shorter.n, longer.n), shorter))
            return n;
    }
    return NULL;
}

/* --- tries --- */

/* On how many devices the selector would be true, and on how many it would fail. */
static size_t count_true(examination *x, dray_str text, size_t *ret_errors) {
    size_t n = 0;
    *ret_errors = 0;
    for (size_t d = 0; d < x->devices->n; d++) {
        dray_celk8s_answer answer =
            dray_selector_match(x->q, text, x->devices->v[d].driver, x->devices->v[d].device, NULL);
        n += answer == DRAY_CELK8S_TRUE;
        *ret_errors += answer == DRAY_CELK8S_ERROR;
    }
    return n;
}

static bool helps(examination *x, dray_str text) {
    size_t errors, n = text.p != NULL ? count_true(x, text, &errors) : 0;
    return n != 0 && errors == 0;
}

static dray_str if_it_helps(examination *x, dray_str text) {
    return helps(x, text) ? text : DRAY_STR_NONE;
}

/* The whole selector with the condition's new text. */
static dray_str swap_in(examination *x, size_t condition, dray_str text) {
    return dray_selector_join(x->s, 0, condition, text);
}

/* A fresh tree to be changed. */
static dray_selector *again(examination *x) {
    return dray_selector_read(x->q, x->text);
}

static const char *const scales[] = {"Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T"};
static const int64_t factors[] = {1LL << 10, 1LL << 20, 1LL << 30,    1LL << 40,
                                  1000,      1000000,   1000000000LL, 1000000000000LL};

/* A bare number beyond this is one of bytes already. */
enum { NUMBER_MAX = 1000000 };

/* The text of a quantity with another unit: one for a number that has none, Gi for G and G for Gi;
 * absent for others, since 141Gi where 80Gi are had is no slip of the unit. */
static dray_str other_unit(examination *x, dray_str written, size_t scale) {
    size_t digits = 0;
    while (digits < written.n &&
           (written.p[digits] == '.' || (written.p[digits] >= '0' && written.p[digits] <= '9')))
        digits++;
    dray_str unit = dray_str_slice(written, digits, written.n);
    if (unit.n != 0 && (unit.p[0] != scales[scale][0] || dray_str_is(unit, scales[scale])))
        return DRAY_STR_NONE;
    return dray_strf(x->q->arena, DRAY_FMT "%s", DRAY_ARG(dray_str_slice(written, 0, digits)),
                     scales[scale]);
}

/* The condition with its index-th literal in another unit. */
static dray_str scaled(examination *x, size_t condition, size_t index, size_t scale) {
    dray_selector *s = again(x);
    dray_cel_expr *literal = dray_selector_literal(s->conditions[condition], index);
    if (literal == NULL)
        return DRAY_STR_NONE;
    if (literal->literal.kind == DRAY_CEL_INT) {
        int64_t value;
        if (literal->literal.i > NUMBER_MAX ||
            __builtin_mul_overflow(literal->literal.i, factors[scale], &value))
            return DRAY_STR_NONE;
        literal->literal.i = value;
    } else if (literal->literal.kind == DRAY_CEL_STRING) {
        dray_quantity q;
        dray_err err = DRAY_ERR_INIT;
        dray_code code = dray_quantity_parse(literal->literal.s, x->q->arena, &q, &err);
        dray_err_done(&err);
        if (code != DRAY_OK)
            return DRAY_STR_NONE;
        literal->literal.s = other_unit(x, literal->literal.s, scale);
        if (literal->literal.s.p == NULL)
            return DRAY_STR_NONE;
    } else {
        return DRAY_STR_NONE;
    }
    return dray_selector_print(s, s->conditions[condition]);
}

static size_t count_literals(examination *x, size_t condition) {
    size_t n = 0;
    while (dray_selector_literal(x->s->conditions[condition], n) != NULL)
        n++;
    return n;
}

/* Would it be true if a number had another unit? Gi is what is most often meant. */
static dray_str in_another_unit(examination *x, size_t condition) {
    static const size_t order[] = {2, 1, 3, 6, 5, 0, 7, 4};
    size_t n = count_literals(x, condition);
    for (size_t i = 0; i < DRAY_COUNT(order); i++)
        for (size_t k = 0; k < n; k++) {
            dray_str text = scaled(x, condition, k, order[i]);
            if (text.p != NULL && helps(x, swap_in(x, condition, text)))
                return swap_in(x, condition, text);
        }
    return DRAY_STR_NONE;
}

/* "570.86" → "570.86.0", "v1.2.3" → "1.2.3". */
static dray_str full_version(examination *x, dray_str text) {
    dray_semver version;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_semver_parse(text, true, x->q->arena, &version, &err);
    dray_err_done(&err);
    return code == DRAY_OK ? dray_semver_format(version, x->q->arena) : DRAY_STR_NONE;
}

/* How a string is read as a version. */
enum { AS_IT_IS, CONVERTED, NORMALISED };

/* The condition with the looked-up value compared as a version. */
static dray_str as_version(examination *x, size_t condition, int convert) {
    dray_comparison c;
    if (!dray_selector_comparison(x->s->conditions[condition], 0, &c) ||
        c.literal->literal.kind != DRAY_CEL_STRING)
        return DRAY_STR_NONE;
    dray_str version = full_version(x, c.literal->literal.s);
    if (version.p == NULL)
        return DRAY_STR_NONE;
    dray_str value = dray_selector_print(x->s, *c.value);
    if (convert != AS_IT_IS)
        value = dray_strf(x->q->arena, "semver(" DRAY_FMT "%s)", DRAY_ARG(value),
                          convert == NORMALISED ? ", true" : "");
    dray_str text;
    if (!c.swapped)
        text = dray_strf(x->q->arena, DRAY_FMT ".compareTo(semver(\"" DRAY_FMT "\")) %s 0",
                         DRAY_ARG(value), DRAY_ARG(version), c.sign);
    else
        text = dray_strf(x->q->arena, "0 %s " DRAY_FMT ".compareTo(semver(\"" DRAY_FMT "\"))",
                         c.sign, DRAY_ARG(value), DRAY_ARG(version));
    /* The comparison may be part of the condition only: then it is left to the reader. */
    return c.expr == x->s->conditions[condition] ? swap_in(x, condition, text) : DRAY_STR_NONE;
}

/* A value that may have been meant: nearly the same letters, or one within the other. */
static bool is_near(dray_str written, dray_str value) {
    dray_str longer = written.n > value.n ? written : value;
    dray_str shorter = written.n > value.n ? value : written;
    return dray_words_alike(value, written) ||
           dray_words_distance(value, written, shorter.n / 3 < 2 ? shorter.n / 3 : 2) != SIZE_MAX ||
           (shorter.n >= 3 && dray_str_find(longer, shorter) != SIZE_MAX);
}

/* A literal text that some device has nearly so, in another case at the best. */
static dray_str with_near_value(examination *x, size_t condition, bool alike) {
    dray_selector *s = again(x);
    dray_cel_expr *literal = dray_selector_literal(s->conditions[condition], 0);
    if (literal == NULL || literal->literal.kind != DRAY_CEL_STRING)
        return DRAY_STR_NONE;
    dray_str written = literal->literal.s;
    dray_lookups found = dray_selector_lookups(x->q, x->s->conditions[condition]);
    for (size_t d = 0; d < x->devices->n && found.list.n != 0; d++) {
        const dray_resource_device_attribute *a =
            found.list.v[0].capacity ? NULL : attribute_of(&x->devices->v[d], &found.list.v[0]);
        dray_str value = a != NULL ? a->string : DRAY_STR_NONE;
        if (value.n == 0 || dray_str_eq(value, written) ||
            !(alike ? dray_words_alike(value, written) : is_near(written, value)))
            continue;
        literal->literal.s = value;
        dray_str text = swap_in(x, condition, dray_selector_print(s, s->conditions[condition]));
        if (helps(x, text))
            return text;
    }
    return DRAY_STR_NONE;
}

/* --- a name that no device has --- */

/* `value op literal` for a quantity, in this unit. */
static dray_str compare_quantity(examination *x, dray_selector *s, size_t condition,
                                 const char *unit) {
    dray_comparison c;
    if (!dray_selector_comparison(s->conditions[condition], 0, &c) ||
        c.expr != s->conditions[condition] || c.swapped)
        return DRAY_STR_NONE;
    const dray_cel_const *literal = &c.literal->literal;
    dray_str number = DRAY_STR_NONE;
    if (literal->kind == DRAY_CEL_INT)
        number = dray_strf(x->q->arena, "%" PRId64 "%s", literal->i, unit);
    else if (literal->kind == DRAY_CEL_STRING)
        number = dray_strf(x->q->arena, DRAY_FMT "%s", DRAY_ARG(literal->s), unit);
    if (number.p == NULL)
        return DRAY_STR_NONE;
    return dray_strf(x->q->arena, DRAY_FMT ".compareTo(quantity(\"" DRAY_FMT "\")) %s 0",
                     DRAY_ARG(dray_selector_print(s, *c.value)), DRAY_ARG(number), c.sign);
}

/* The literal of a quantity's comparison as a plain number: for what turned out an attribute. */
static dray_str compare_number(examination *x, dray_selector *s, size_t condition) {
    dray_cel_expr *e = s->conditions[condition];
    dray_comparison c;
    bool outer = dray_selector_comparison(e, 0, &c) && c.expr == e;
    dray_cel_expr *call = outer ? *c.value : e;
    const char *sign = outer ? c.sign : "==";
    if (call->kind != DRAY_CEL_CALL || call->call.target == NULL)
        return DRAY_STR_NONE;
    static const char *const methods[][2] = {{"isGreaterThan", ">"}, {"isLessThan", "<"}};
    for (size_t i = 0; i < DRAY_COUNT(methods); i++)
        if (dray_str_is(call->call.function, methods[i][0]))
            sign = methods[i][1];
    dray_str value = dray_selector_print(s, call->call.target);
    if (call->call.n_args == 0) /* asInteger() and the like */
        return outer ? dray_strf(x->q->arena, DRAY_FMT " %s " DRAY_FMT, DRAY_ARG(value), sign,
                                 DRAY_ARG(dray_selector_print(s, c.literal)))
                     : DRAY_STR_NONE;
    dray_cel_expr *literal = dray_selector_literal(call->call.args[0], 0);
    if (literal == NULL || literal->literal.kind != DRAY_CEL_STRING)
        return DRAY_STR_NONE;
    dray_quantity q;
    dray_err err = DRAY_ERR_INIT;
    dray_code code = dray_quantity_parse(literal->literal.s, x->q->arena, &q, &err);
    dray_err_done(&err);
    if (code != DRAY_OK)
        return DRAY_STR_NONE;
    return dray_strf(x->q->arena, DRAY_FMT " %s %" PRId64, DRAY_ARG(value), sign,
                     dray_quantity_value(q, NULL));
}

/* Texts to try for a condition whose lookup now asks for what exists. */
static dray_str adapt(examination *x, dray_selector *s, size_t condition, const name *n,
                      bool was_capacity) {
    static const char *const units[] = {"", "Gi", "Mi", "G", "M", "Ki", "Ti"};
    dray_str plain = dray_selector_join(s, 0, SIZE_MAX, DRAY_STR_NONE);
    if (helps(x, plain))
        return plain;
    for (size_t i = 0; n->capacity && i < DRAY_COUNT(units); i++) {
        dray_str text = compare_quantity(x, s, condition, units[i]);
        if (text.p != NULL && helps(x, dray_selector_join(s, 0, condition, text)))
            return dray_selector_join(s, 0, condition, text);
    }
    if (was_capacity && !n->capacity) {
        dray_str text = compare_number(x, s, condition);
        if (text.p != NULL && helps(x, dray_selector_join(s, 0, condition, text)))
            return dray_selector_join(s, 0, condition, text);
    }
    return plain;
}

static bool same_lookup(const dray_lookup *a, const dray_lookup *b) {
    return a->capacity == b->capacity && dray_str_eq(*a->domain, *b->domain) &&
           dray_str_eq(*a->id, *b->id);
}

/* The conditions of s that look the same thing up, as bits; with a name they ask for that. */
static uint64_t rename_all(examination *x, dray_selector *s, const dray_lookup *lookup,
                           const name *n) {
    uint64_t conditions = 0;
    dray_lookup written = *lookup;
    dray_str domain = *lookup->domain, id = *lookup->id;
    written.domain = &domain;
    written.id = &id;
    for (size_t c = 0; c < s->n; c++) {
        dray_lookups found = dray_selector_lookups(x->q, s->conditions[c]);
        for (size_t i = 0; i < found.list.n; i++) {
            dray_lookup *l = &found.list.v[i];
            if (!same_lookup(l, &written))
                continue;
            conditions |= (uint64_t)1 << c;
            if (n == NULL)
                continue;
            *l->map = n->capacity ? DRAY_STR("capacity") : DRAY_STR("attributes");
            *l->domain = n->domain;
            *l->id = n->id;
        }
    }
    return conditions;
}

static bool find_absent(examination *x, size_t condition, dray_flaw *ret) {
    dray_lookups found = dray_selector_lookups(x->q, x->s->conditions[condition]);
    for (size_t i = 0; i < found.list.n; i++) {
        const dray_lookup *lookup = &found.list.v[i];
        if (count_having(x, lookup) != 0)
            continue;
        names all = names_of(x);
        const name *n = meant(&all, lookup, &ret->cause);
        ret->subject = dray_words_key(*lookup->domain, *lookup->id, x->q->arena);
        ret->count = ret->of = (uint32_t)x->all->n;
        ret->relaxed =
            dray_selector_join(x->s, rename_all(x, x->s, lookup, NULL), SIZE_MAX, DRAY_STR_NONE);
        if (n == NULL)
            return true;
        dray_selector *s = again(x);
        (void)rename_all(x, s, lookup, n);
        ret->corrected = adapt(x, s, condition, n, lookup->capacity);
        return true;
    }
    return false;
}

/* --- names that are there --- */

/* Some have it, and where it is absent the condition fails. */
static bool find_partial(examination *x, size_t condition, dray_flaw *ret) {
    dray_lookups found = dray_selector_lookups(x->q, x->s->conditions[condition]);
    for (size_t i = 0; i < found.list.n; i++) {
        const dray_lookup *lookup = &found.list.v[i];
        size_t having = count_having(x, lookup);
        if (lookup->tests || having == x->all->n)
            continue;
        ret->cause = DRAY_CAUSE_ATTRIBUTE_PARTIAL;
        ret->subject = dray_words_key(*lookup->domain, *lookup->id, x->q->arena);
        ret->count = (uint32_t)(x->all->n - having);
        ret->of = (uint32_t)x->all->n;
        dray_str text = dray_strf(
            x->q->arena, "\"" DRAY_FMT "\" in device." DRAY_FMT "[\"" DRAY_FMT "\"] && " DRAY_FMT,
            DRAY_ARG(*lookup->id), DRAY_ARG(*lookup->map), DRAY_ARG(*lookup->domain),
            DRAY_ARG(dray_selector_print(x->s, x->s->conditions[condition])));
        ret->corrected = swap_in(x, condition, text);
        if (!helps(x, ret->corrected)) {
            text = dray_strf(x->q->arena, "\"" DRAY_FMT "\" in device." DRAY_FMT " && " DRAY_FMT,
                             DRAY_ARG(*lookup->domain), DRAY_ARG(*lookup->map), DRAY_ARG(text));
            ret->corrected = swap_in(x, condition, text);
        }
        return true;
    }
    return false;
}

static dray_str error_of(examination *x, size_t condition) {
    dray_str text = dray_selector_print(x->s, x->s->conditions[condition]);
    dray_str error = DRAY_STR_NONE;
    for (size_t d = 0; d < x->devices->n && error.p == NULL; d++)
        (void)dray_selector_match(x->q, text, x->devices->v[d].driver, x->devices->v[d].device,
                                  &error);
    return error;
}

/* A number that was written in quotes without them, or the other way round. */
static dray_str requoted(examination *x, size_t condition) {
    dray_comparison c;
    dray_selector *s = again(x);
    if (!dray_selector_comparison(s->conditions[condition], 0, &c) ||
        c.expr != s->conditions[condition] || c.swapped)
        return DRAY_STR_NONE;
    dray_cel_const *literal = &c.literal->literal;
    dray_str as_text = DRAY_STR("");
    if (literal->kind == DRAY_CEL_STRING)
        as_text = literal->s;
    else if (literal->kind == DRAY_CEL_INT)
        as_text = dray_strf(x->q->arena, "\"%" PRId64 "\"", literal->i);
    else if (literal->kind == DRAY_CEL_BOOL)
        as_text = literal->b ? DRAY_STR("\"true\"") : DRAY_STR("\"false\"");
    if (as_text.n == 0)
        return DRAY_STR_NONE;
    dray_str text =
        swap_in(x, condition,
                dray_strf(x->q->arena, DRAY_FMT " %s " DRAY_FMT,
                          DRAY_ARG(dray_selector_print(s, *c.value)), c.sign, DRAY_ARG(as_text)));
    return helps(x, text) ? text : DRAY_STR_NONE;
}

/* Whether the literal that the lookup is compared with is of no device's type. */
static bool is_other_type(const examination *x, size_t condition, const dray_lookup *lookup) {
    dray_comparison c;
    if (lookup->capacity || !dray_selector_comparison(x->s->conditions[condition], 0, &c) ||
        *c.value != lookup->expr)
        return false;
    size_t having = 0;
    for (size_t d = 0; d < x->devices->n; d++) {
        const dray_resource_device *device = x->devices->v[d].device;
        for (size_t i = 0; i < device->attributes.n; i++) {
            dray_str domain, id;
            dray_celk8s_split_name(device->attributes.k[i], x->devices->v[d].driver, &domain, &id);
            const dray_resource_device_attribute *a = &device->attributes.v[i];
            if (!dray_str_eq(domain, *lookup->domain) || !dray_str_eq(id, *lookup->id))
                continue;
            having++;
            uint8_t kind = c.literal->literal.kind;
            if ((kind == DRAY_CEL_STRING && a->string.p != NULL) ||
                (kind == DRAY_CEL_BOOL && a->bool_.set) ||
                (kind != DRAY_CEL_STRING && kind != DRAY_CEL_BOOL && a->int_.set) ||
                a->ints.n + a->bools.n + a->strings.n + a->versions.n != 0)
                return false;
        }
    }
    return having != 0;
}

/* A quantity in a text: int("80GB") and the like can't be helped by rewriting. */
static void find_failing(examination *x, size_t condition, dray_flaw *ret) {
    dray_lookups found = dray_selector_lookups(x->q, x->s->conditions[condition]);
    dray_str error = error_of(x, condition);
    ret->cause = DRAY_CAUSE_SELECTOR_ERROR;
    if (dray_str_find(error, DRAY_STR("no such overload")) == SIZE_MAX || found.list.n == 0)
        return;
    ret->cause = DRAY_CAUSE_ATTRIBUTE_OTHER_TYPE;
    ret->subject = dray_words_key(*found.list.v[0].domain, *found.list.v[0].id, x->q->arena);
    for (int convert = AS_IT_IS; convert <= NORMALISED && ret->corrected.p == NULL; convert++)
        ret->corrected = if_it_helps(x, as_version(x, condition, convert));
    if (ret->corrected.p == NULL)
        ret->corrected = requoted(x, condition);
}

/* It evaluates and is true nowhere. An equality with a value of another type is false too. */
static void find_false(examination *x, size_t condition, dray_flaw *ret) {
    dray_lookups found = dray_selector_lookups(x->q, x->s->conditions[condition]);
    ret->cause = DRAY_CAUSE_SELECTOR_FALSE;
    if (found.list.n == 0)
        return;
    const dray_lookup *first = &found.list.v[0];
    dray_str subject = dray_words_key(*first->domain, *first->id, x->q->arena);
    dray_str text = in_another_unit(x, condition);
    if (text.p != NULL && first->capacity) {
        ret->cause = DRAY_CAUSE_QUANTITY_COMPARED_WRONGLY;
        ret->subject = subject;
        ret->corrected = text;
        return;
    }
    if (is_other_type(x, condition, first)) {
        ret->cause = DRAY_CAUSE_ATTRIBUTE_OTHER_TYPE;
        ret->subject = subject;
        text = if_it_helps(x, as_version(x, condition, AS_IT_IS));
        ret->corrected = text.p != NULL ? text : requoted(x, condition);
        return;
    }
    text = if_it_helps(x, as_version(x, condition, CONVERTED));
    if (text.p == NULL)
        text = if_it_helps(x, as_version(x, condition, NORMALISED));
    if (text.p != NULL) {
        ret->cause = DRAY_CAUSE_VERSION_COMPARED_AS_STRING;
        ret->subject = subject;
        ret->corrected = text;
        return;
    }
    ret->corrected = with_near_value(x, condition, true);
    if (ret->corrected.p == NULL)
        ret->corrected = with_near_value(x, condition, false);
}

/* Whether the condition fails wherever no other is false: then it is not merely false. */
static bool only_fails(const examination *x, size_t condition) {
    size_t left, failing = count(x, condition, DRAY_CELK8S_ERROR, &left);
    return failing != 0 && failing == left;
}

void dray_flaw_find(dray_inquiry *q, dray_str expression, const dray_device_refs *devices,
                    bool fatal, dray_flaw *ret) {
    *ret = (dray_flaw){.cause = fatal ? DRAY_CAUSE_SELECTOR_ERROR : DRAY_CAUSE_SELECTOR_FALSE,
                       .count = (uint32_t)devices->n,
                       .of = (uint32_t)devices->n};
    examination x = {.q = q, .text = expression, .all = devices, .fatal = fatal};
    x.s = dray_selector_read(q, expression);
    if (x.s == NULL)
        return;
    tell_apart(&x);
    ask_all(&x);
    size_t condition = blame(&x);
    if (condition == SIZE_MAX)
        return;
    ret->relaxed = dray_selector_join(x.s, (uint64_t)1 << condition, SIZE_MAX, DRAY_STR_NONE);
    fatal = fatal || only_fails(&x, condition);
    if (fatal)
        ret->count = (uint32_t)count_fatal(&x, condition);
    if (find_absent(&x, condition, ret))
        return;
    if (!fatal)
        find_false(&x, condition, ret);
    else if (!find_partial(&x, condition, ret))
        find_failing(&x, condition, ret);
}
