/* Columns: one attribute of all devices of a slice as hashes, for finding those with a value. */
#include "cluster/cluster_int.h"

#include <stdlib.h>

enum { COLUMNS_MAX = 8 }; /* of a slice */

struct dray_column {
    dray_column *next;
    dray_str name; /* in the block's end */
    bool usable;
    uint64_t hashes[];
};

/* As the allocator finds it: by its full name, else without the domain where that is the driver. */
static const dray_resource_device_attribute *find(const dray_resource_device *device,
                                                  dray_str driver, dray_str name) {
    for (size_t i = 0; i < device->attributes.n; i++) {
        if (dray_str_eq(device->attributes.k[i], name))
            return &device->attributes.v[i];
    }
    if (name.n <= driver.n || name.p[driver.n] != '/' ||
        !dray_str_eq(dray_str_slice(name, 0, driver.n), driver))
        return NULL;
    dray_str id = dray_str_slice(name, driver.n + 1, name.n);
    for (size_t i = 0; i < device->attributes.n; i++) {
        if (dray_str_eq(device->attributes.k[i], id))
            return &device->attributes.v[i];
    }
    return NULL;
}

bool dray_attribute_is_plain(const dray_resource_device_attribute *a) {
    return a->int_.set + a->bool_.set + (a->string.p != NULL) + (a->version.p != NULL) == 1 &&
           a->ints.n + a->bools.n + a->strings.n + a->versions.n == 0;
}

static dray_column *make(const dray_slice *slice, dray_str name) {
    dray_column *column =
        dray_calloc(1, sizeof *column + dray_size_mul(slice->n_devices, sizeof(uint64_t)) + name.n);
    char *text = (char *)(column->hashes + slice->n_devices);
    memcpy(text, name.p, name.n);
    column->name = dray_str_n(text, name.n);
    column->usable = true;
    for (uint32_t i = 0; i < slice->n_devices && column->usable; i++) {
        const dray_resource_device_attribute *a =
            find(&slice->body->spec->devices.v[i], slice->pool->driver, name);
        column->usable = a == NULL || dray_attribute_is_plain(a);
        column->hashes[i] = a != NULL && column->usable ? dray_attribute_hash(a) : 0;
    }
    return column;
}

const uint64_t *dray_slice_column(dray_slice *slice, dray_str name) {
    size_t n = 0;
    dray_column *c = slice->columns;
    for (; c != NULL && !dray_str_eq(c->name, name); c = c->next)
        n++;
    if (c == NULL && n < COLUMNS_MAX && name.n > 0) {
        c = make(slice, name);
        c->next = slice->columns;
        slice->columns = c;
    }
    return c != NULL && c->usable ? c->hashes : NULL;
}

void dray_slice_drop_columns(dray_slice *slice) {
    while (slice->columns != NULL) {
        dray_column *c = slice->columns;
        slice->columns = c->next;
        free(c);
    }
}
