/* A resource.k8s.io Device as the variable `device`: names are split at their first slash, values
 * become CEL's. Source: dynamic-resource-allocation/cel/compile.go, DeviceMatches. */
#include "celk8s/device_int.h"
#include "celk8s/program_int.h"

static const dray_str unsupported = DRAY_STR_INIT("unsupported attribute value");

static dray_cel_value list_value(dray_arena *arena, dray_cel_value *v, size_t n) {
    return dray_cel_of_list(arena, v, n);
}

/* A version, or false with its error's text. */
static bool version_value(dray_arena *arena, dray_str text, dray_cel_value *ret, dray_str *error) {
    dray_err err = DRAY_ERR_INIT;
    dray_semver v;
    if (dray_semver_parse(text, false, arena, &v, &err) == DRAY_OK) {
        *ret = dray_celk8s_new_semver(arena, v);
        return true;
    }
    *error = dray_strf(arena, "parse semantic version: %s", dray_err_text(&err));
    dray_err_done(&err);
    return false;
}

static bool versions_value(dray_arena *arena, dray_strings list, dray_cel_value *ret,
                           dray_str *error) {
    dray_cel_value *v = DRAY_NEW_N(arena, dray_cel_value, list.n + 1);
    for (size_t i = 0; i < list.n; i++)
        if (!version_value(arena, list.v[i], &v[i], error))
            return false;
    *ret = list_value(arena, v, list.n);
    return true;
}

/* The members in upstream's order: lists go before single values. */
static bool attribute_value(dray_arena *arena, const dray_resource_device_attribute *a,
                            dray_cel_value *ret, dray_str *error) {
    size_t n = a->ints.v != NULL ? a->ints.n : a->bools.v != NULL ? a->bools.n : a->strings.n;
    dray_cel_value *v = DRAY_NEW_N(arena, dray_cel_value, n + 1);
    if (a->ints.v != NULL || a->bools.v != NULL || a->strings.v != NULL) {
        for (size_t i = 0; i < n; i++)
            v[i] = a->ints.v != NULL    ? dray_cel_of_int(a->ints.v[i])
                   : a->bools.v != NULL ? dray_cel_of_bool(a->bools.v[i])
                                        : dray_cel_of_str(a->strings.v[i]);
        *ret = list_value(arena, v, n);
        return true;
    }
    if (a->versions.v != NULL)
        return versions_value(arena, a->versions, ret, error);
    if (a->int_.set)
        *ret = dray_cel_of_int(a->int_.v);
    else if (a->bool_.set)
        *ret = dray_cel_of_bool(a->bool_.v);
    else if (a->string.p != NULL)
        *ret = dray_cel_of_str(a->string);
    else if (a->version.p != NULL)
        return version_value(arena, a->version, ret, error);
    else {
        *error = unsupported;
        return false;
    }
    return true;
}

void dray_celk8s_split_name(dray_str name, dray_str driver, dray_str *domain, dray_str *id) {
    if (!dray_str_cut(name, '/', domain, id)) {
        *domain = driver;
        *id = name;
    }
}

/* map[domain][id] = value */
static void put(dray_arena *arena, dray_cel_map *map, dray_str driver, dray_str name,
                dray_cel_value value) {
    dray_str domain, id;
    dray_celk8s_split_name(name, driver, &domain, &id);
    dray_cel_value key = dray_cel_of_str(domain);
    const dray_cel_value *found = dray_cel_map_has(map, key);
    dray_cel_map *inner = found != NULL ? (dray_cel_map *)found->map : dray_cel_map_new(arena, 0);
    if (found == NULL)
        dray_cel_map_put(arena, map, key, dray_cel_of_map(inner));
    dray_cel_map_put(arena, inner, dray_cel_of_str(id), value);
}

static dray_str attribute_error(dray_arena *arena, dray_str name, dray_str why) {
    return dray_strf(arena, "attribute " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(name), DRAY_ARG(why));
}

static bool is_list(const dray_resource_device_attribute *a) {
    return a->ints.v != NULL || a->bools.v != NULL || a->strings.v != NULL || a->versions.v != NULL;
}

/* What is read of a device; NULL: all of it. */
typedef struct reading {
    const dray_celk8s_program *const *programs;
    size_t n;
} reading;

/* Whether a program reads section[domain][id], or more of the section. */
static bool is_read(const reading *of, dray_str section, dray_str driver, dray_str name) {
    dray_str domain, id;
    dray_celk8s_split_name(name, driver, &domain, &id);
    for (size_t i = 0; i < of->n; i++) {
        const dray_cel_paths *paths = &of->programs[i]->paths;
        for (size_t k = 0; k < paths->n; k++) {
            const dray_cel_path *p = &paths->v[k];
            /* What differs most often goes first. */
            if ((p->n < 3 || dray_str_eq(p->names[2], id)) &&
                (p->n < 2 || dray_str_eq(p->names[1], domain)) &&
                (p->n < 1 || dray_str_eq(p->names[0], section)))
                return true;
        }
    }
    return false;
}

/* Reading it can't fail and nobody does. */
static bool is_idle(const reading *of, const dray_resource_device_attribute *a, dray_str driver,
                    dray_str name) {
    return of != NULL && !is_list(a) && (a->int_.set || a->bool_.set || a->string.p != NULL) &&
           !is_read(of, DRAY_STR("attributes"), driver, name);
}

static dray_cel_value attributes_value(dray_arena *arena, dray_str driver,
                                       const dray_resource_device *device, const reading *of,
                                       dray_celk8s_device *ret) {
    dray_cel_map *map = dray_cel_map_new(arena, 0);
    map->otherwise = &dray_cel_empty_map;
    for (size_t i = 0; i < device->attributes.n; i++) {
        const dray_resource_device_attribute *a = &device->attributes.v[i];
        dray_str why, name = device->attributes.k[i];
        dray_cel_value v;
        if (is_idle(of, a, driver, name))
            continue;
        if (attribute_value(arena, a, &v, &why))
            put(arena, map, driver, name, v);
        else if (ret->error.p == NULL)
            ret->error = attribute_error(arena, name, why);
        if (ret->list_error.p == NULL && is_list(a))
            ret->list_error = attribute_error(arena, name, unsupported);
    }
    return dray_cel_of_map(map);
}

static dray_cel_value capacity_value(dray_arena *arena, dray_str driver,
                                     const dray_resource_device *device, const reading *of) {
    dray_cel_map *map = dray_cel_map_new(arena, 0);
    map->otherwise = &dray_cel_empty_map;
    for (size_t i = 0; i < device->capacity.n; i++) {
        dray_str name = device->capacity.k[i];
        if (of == NULL || is_read(of, DRAY_STR("capacity"), driver, name))
            put(arena, map, driver, name,
                dray_celk8s_new_quantity(arena, device->capacity.v[i].value));
    }
    return dray_cel_of_map(map);
}

static dray_celk8s_device *make(dray_arena *arena, dray_str driver,
                                const dray_resource_device *device, const reading *of) {
    dray_celk8s_device *d = DRAY_NEW(arena, dray_celk8s_device);
    dray_cel_map *map = dray_cel_map_new(arena, 0);
    bool multiple = device->allow_multiple_allocations.set && device->allow_multiple_allocations.v;
    dray_cel_map_put(arena, map, dray_cel_of_str(DRAY_STR("attributes")),
                     attributes_value(arena, driver, device, of, d));
    dray_cel_map_put(arena, map, dray_cel_of_str(DRAY_STR("capacity")),
                     capacity_value(arena, driver, device, of));
    dray_cel_map_put(arena, map, dray_cel_of_str(DRAY_STR("driver")), dray_cel_of_str(driver));
    dray_cel_map_put(arena, map, dray_cel_of_str(DRAY_STR("allowMultipleAllocations")),
                     dray_cel_of_bool(multiple));
    dray_cel_value whole = dray_cel_of_map(map);
    for (size_t i = 0; of == NULL && i < DRAY_CELK8S_SLOTS; i++)
        d->variables[i] = whole;
    for (size_t i = 0; of != NULL && i < of->n; i++)
        for (size_t k = 0; k < of->programs[i]->paths.n; k++)
            d->variables[of->programs[i]->paths.v[k].variable] = whole;
    return d;
}

dray_celk8s_device *dray_celk8s_device_new(dray_arena *arena, dray_str driver,
                                           const dray_resource_device *device) {
    return make(arena, driver, device, NULL);
}

dray_celk8s_device *dray_celk8s_device_new_for(dray_arena *arena, dray_str driver,
                                               const dray_resource_device *device,
                                               const dray_celk8s_program *const *programs,
                                               size_t n) {
    reading of = {programs, n};
    bool known = true;
    for (size_t i = 0; i < n && known; i++)
        known = programs[i] != NULL && programs[i]->by_paths;
    return make(arena, driver, device, known ? &of : NULL);
}
