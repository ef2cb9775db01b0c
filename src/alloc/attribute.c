/* Attributes: where a constraint finds them on a device, and their values as numbers. */
#include "alloc/alloc_int.h"
#include "base/map.h"

enum { CACHE_FIRST = 64 };

struct dray_values {
    dray_map numbers; /* type and value → number */
    struct cached {   /* hash table by attribute */
        const dray_resource_device_attribute *attribute;
        dray_value_set set;
    } *cached;
    size_t n_cached, cached_room;
    struct derived {
        dray_str expression;
        const dray_slice *slice;
        uint32_t device;
        const dray_resource_device_attribute *value;
        struct derived *next;
    } *derived;
};

static const dray_resource_device_attribute *by_key(const dray_resource_device *device,
                                                    dray_str key) {
    for (size_t i = 0; i < device->attributes.n; i++) {
        if (dray_str_eq(device->attributes.k[i], key))
            return &device->attributes.v[i];
    }
    return NULL;
}

const dray_resource_device_attribute *dray_attribute_find(const dray_resource_device *device,
                                                          dray_str driver,
                                                          const dray_constraint *constraint) {
    const dray_resource_device_attribute *found = by_key(device, constraint->attribute);
    if (found == NULL && constraint->domain.p != NULL && dray_str_eq(constraint->domain, driver))
        found = by_key(device, constraint->id);
    return found;
}

static struct dray_values *values_of(dray_run *run) {
    if (run->values == NULL) {
        run->values = DRAY_NEW(run->scratch, struct dray_values);
        run->values->numbers = dray_map_new(run->scratch);
    }
    return run->values;
}

static bool derive(dray_run *run, const dray_constraint *constraint, dray_str expression,
                   uint32_t pos, const dray_resource_device_attribute **ret) {
    const dray_slice *slice = dray_run_word(run, pos)->slice;
    uint32_t device = dray_run_device(run, pos);
    struct dray_values *values = values_of(run);
    for (struct derived *d = values->derived; d != NULL; d = d->next) {
        if (d->slice == slice && d->device == device && dray_str_eq(d->expression, expression)) {
            *ret = d->value;
            return true;
        }
    }
    dray_resource_device_attribute *value = DRAY_NEW(run->scratch, dray_resource_device_attribute);
    bool compile_error = false;
    dray_str error = DRAY_STR_NONE;
    if (!dray_select_derive(run->job->alloc->selects, expression, slice, device, run->scratch,
                            value, &compile_error, &error)) {
        if (compile_error) {
            run->error =
                dray_strf(run->arena, "compile derived attribute " DRAY_FMT " failed: " DRAY_FMT,
                          DRAY_ARG(constraint->attribute), DRAY_ARG(error));
            return false;
        }
        dray_str name = dray_device_name(run->view, pos, run->scratch);
        run->of_device = true;
        run->error = dray_strf(run->arena,
                               "evaluate derived attribute " DRAY_FMT " on device " DRAY_FMT
                               " failed: " DRAY_FMT,
                               DRAY_ARG(constraint->attribute), DRAY_ARG(name), DRAY_ARG(error));
        return false;
    }
    struct derived *d = DRAY_NEW(run->scratch, struct derived);
    *d = (struct derived){expression, slice, device, value, values->derived};
    values->derived = d;
    *ret = value;
    return true;
}

bool dray_run_attribute(dray_run *run, const dray_alt *alt, uint32_t pos,
                        const dray_constraint *constraint,
                        const dray_resource_device_attribute **ret) {
    /* The last of several with one name is what upstream's map keeps. */
    for (size_t i = alt->n_derived; i-- > 0;) {
        if (dray_str_eq(alt->derived[i].name, constraint->attribute))
            return derive(run, constraint, alt->derived[i].expression, pos, ret);
    }
    *ret = dray_attribute_find(dray_view_device(run->view, pos),
                               dray_run_word(run, pos)->slice->pool->driver, constraint);
    return true;
}

static uint32_t number_of(dray_run *run, char type, const void *bytes, size_t n) {
    dray_map *numbers = &values_of(run)->numbers;
    char small[128];
    char *key = n < sizeof small ? small : dray_arena_bytes(run->scratch, n + 1);
    key[0] = type;
    memcpy(key + 1, n != 0 ? bytes : "", n);
    int64_t at = dray_map_index(numbers, dray_str_n(key, n + 1));
    if (at >= 0)
        return (uint32_t)at;
    dray_map_put(numbers, dray_str_dup(run->scratch, dray_str_n(key, n + 1)), numbers);
    return numbers->n - 1;
}

/* Sorted and without doubles; lists are short. */
static void insert(uint32_t *to, uint32_t *n, uint32_t value) {
    uint32_t i = *n;
    while (i > 0 && to[i - 1] > value)
        i--;
    if (i > 0 && to[i - 1] == value)
        return;
    memmove(&to[i + 1], &to[i], (*n - i) * sizeof *to);
    to[i] = value;
    (*n)++;
}

static struct cached *cache_slot(const struct dray_values *values,
                                 const dray_resource_device_attribute *a) {
    size_t mask = values->cached_room - 1;
    size_t i = ((uintptr_t)a >> 4) * 0x9e3779b97f4a7c15u >> 24 & mask;
    while (values->cached[i].attribute != NULL && values->cached[i].attribute != a)
        i = (i + 1) & mask;
    return &values->cached[i];
}

static void grow_cache(dray_run *run, struct dray_values *values) {
    struct cached *old = values->cached;
    size_t n_old = values->cached_room;
    values->cached_room = n_old != 0 ? n_old * 4 : CACHE_FIRST;
    values->cached = DRAY_NEW_N(run->scratch, struct cached, values->cached_room);
    for (size_t i = 0; i < n_old; i++) {
        if (old[i].attribute != NULL)
            *cache_slot(values, old[i].attribute) = old[i];
    }
}

static dray_value_set read_values(dray_run *run, const dray_resource_device_attribute *a) {
    size_t lists = a->ints.n + a->bools.n + a->strings.n + a->versions.n;
    uint32_t *to = DRAY_NEW_N(run->scratch, uint32_t, lists + 2), n = 0;
    /* The order in which upstream looks for a member. */
    if (a->ints.n > 0) {
        for (size_t i = 0; i < a->ints.n; i++)
            insert(to, &n, number_of(run, 'i', &a->ints.v[i], sizeof(int64_t)));
    } else if (a->bools.n > 0) {
        for (size_t i = 0; i < a->bools.n; i++)
            insert(to, &n, number_of(run, 'b', &a->bools.v[i], 1));
    } else if (a->strings.n > 0) {
        for (size_t i = 0; i < a->strings.n; i++)
            insert(to, &n, number_of(run, 's', a->strings.v[i].p, a->strings.v[i].n));
    } else if (a->versions.n > 0) {
        for (size_t i = 0; i < a->versions.n; i++)
            insert(to, &n, number_of(run, 'v', a->versions.v[i].p, a->versions.v[i].n));
    } else if (a->int_.set) {
        insert(to, &n, number_of(run, 'i', &a->int_.v, sizeof(int64_t)));
    } else if (a->bool_.set) {
        insert(to, &n, number_of(run, 'b', &a->bool_.v, 1));
    } else if (a->string.p != NULL) {
        insert(to, &n, number_of(run, 's', a->string.p, a->string.n));
    } else if (a->version.p != NULL) {
        insert(to, &n, number_of(run, 'v', a->version.p, a->version.n));
    }
    return (dray_value_set){to, n};
}

dray_value_set dray_run_values(dray_run *run, const dray_resource_device_attribute *attribute) {
    struct dray_values *values = values_of(run);
    if (values->n_cached * 2 >= values->cached_room)
        grow_cache(run, values);
    struct cached *slot = cache_slot(values, attribute);
    if (slot->attribute == NULL) {
        *slot = (struct cached){attribute, read_values(run, attribute)};
        values->n_cached++;
    }
    return slot->set;
}

bool dray_values_common(dray_value_set a, dray_value_set b) {
    for (uint32_t i = 0, k = 0; i < a.n && k < b.n;) {
        if (a.v[i] == b.v[k])
            return true;
        if (a.v[i] < b.v[k])
            i++;
        else
            k++;
    }
    return false;
}
