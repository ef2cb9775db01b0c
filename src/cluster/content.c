/* What CEL sees of a slice's devices, so that equal slices are evaluated once. */
#include "cluster/cluster_int.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 64 };

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_strings(uint64_t hash, const dray_strings *list) {
    for (size_t i = 0; i < list->n; i++)
        hash = mix(hash, dray_str_hash(list->v[i]));
    return hash;
}

static uint64_t hash_attribute(uint64_t hash, const dray_resource_device_attribute *a) {
    if (a->int_.set)
        hash = mix(hash, (uint64_t)a->int_.v);
    if (a->bool_.set)
        hash = mix(hash, (uint64_t)a->bool_.v + 2);
    if (a->string.p != NULL)
        hash = mix(hash, dray_str_hash(a->string));
    if (a->version.p != NULL)
        hash = mix(hash, dray_str_hash(a->version) + 1);
    for (size_t i = 0; i < a->ints.n; i++)
        hash = mix(hash, (uint64_t)a->ints.v[i]);
    for (size_t i = 0; i < a->bools.n; i++)
        hash = mix(hash, a->bools.v[i]);
    return mix_strings(mix_strings(hash, &a->strings), &a->versions);
}

uint64_t dray_attribute_hash(const dray_resource_device_attribute *attribute) {
    uint64_t hash = hash_attribute(1, attribute);
    return hash != 0 ? hash : 1;
}

uint64_t dray_device_hash(uint64_t hash, const dray_resource_device *d) {
    hash = mix(hash,
               (uint64_t)d->allow_multiple_allocations.set * 2 + d->allow_multiple_allocations.v);
    for (size_t i = 0; i < d->attributes.n; i++)
        hash = hash_attribute(mix(hash, dray_str_hash(d->attributes.k[i])), &d->attributes.v[i]);
    for (size_t i = 0; i < d->capacity.n; i++) {
        dray_quantity value = d->capacity.v[i].value;
        hash = mix(hash, dray_str_hash(d->capacity.k[i]));
        hash = mix(hash, (uint64_t)value.value ^ (uint64_t)value.scale << 48);
    }
    return hash;
}

static bool equal_strings(const dray_strings *a, const dray_strings *b) {
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = dray_str_eq(a->v[i], b->v[i]);
    return same;
}

static bool equal_text(dray_str a, dray_str b) {
    return (a.p == NULL) == (b.p == NULL) && dray_str_eq(a, b);
}

bool dray_device_attribute_equal(const dray_resource_device_attribute *a,
                                 const dray_resource_device_attribute *b) {
    if (a->int_.set != b->int_.set || a->int_.v != b->int_.v || a->bool_.set != b->bool_.set ||
        a->bool_.v != b->bool_.v || !equal_text(a->string, b->string) ||
        !equal_text(a->version, b->version) || a->ints.n != b->ints.n || a->bools.n != b->bools.n)
        return false;
    for (size_t i = 0; i < a->ints.n; i++) {
        if (a->ints.v[i] != b->ints.v[i])
            return false;
    }
    for (size_t i = 0; i < a->bools.n; i++) {
        if (a->bools.v[i] != b->bools.v[i])
            return false;
    }
    return equal_strings(&a->strings, &b->strings) && equal_strings(&a->versions, &b->versions);
}

bool dray_device_looks_equal(const dray_resource_device *a, const dray_resource_device *b) {
    if (a->allow_multiple_allocations.set != b->allow_multiple_allocations.set ||
        a->allow_multiple_allocations.v != b->allow_multiple_allocations.v ||
        a->attributes.n != b->attributes.n || a->capacity.n != b->capacity.n)
        return false;
    for (size_t i = 0; i < a->attributes.n; i++) {
        if (!dray_str_eq(a->attributes.k[i], b->attributes.k[i]) ||
            !dray_device_attribute_equal(&a->attributes.v[i], &b->attributes.v[i]))
            return false;
    }
    for (size_t i = 0; i < a->capacity.n; i++) {
        if (!dray_str_eq(a->capacity.k[i], b->capacity.k[i]) ||
            dray_quantity_cmp(a->capacity.v[i].value, b->capacity.v[i].value) != 0)
            return false;
    }
    return true;
}

static bool equal(const dray_content *content, uint64_t hash, dray_str driver,
                  const dray_resource_device *devices, size_t n) {
    if (content->hash != hash || content->n != n || !dray_str_eq(content->driver, driver))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!dray_device_looks_equal(&content->devices[i], &devices[i]))
            return false;
    }
    return true;
}

static void insert(dray_cluster *cluster, dray_content *content) {
    size_t mask = cluster->n_content_slots - 1, i = content->hash & mask;
    while (cluster->contents[i] != NULL)
        i = (i + 1) & mask;
    cluster->contents[i] = content;
}

static void grow(dray_cluster *cluster, size_t n_slots) {
    dray_content **old = cluster->contents;
    size_t n_old = cluster->n_content_slots;
    cluster->contents = dray_calloc(n_slots, sizeof(dray_content *));
    cluster->n_content_slots = n_slots;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i] != NULL)
            insert(cluster, old[i]);
    }
    free(old);
}

dray_content *dray_content_take(dray_cluster *cluster, dray_str driver,
                                const dray_resource_device *devices, size_t n) {
    uint64_t hash = mix(dray_str_hash(driver), n);
    for (size_t i = 0; i < n; i++)
        hash = dray_device_hash(hash, &devices[i]);
    if ((cluster->n_contents + 1) * 2 > cluster->n_content_slots)
        grow(cluster, cluster->n_content_slots != 0 ? cluster->n_content_slots * 2 : SLOTS_FIRST);
    size_t mask = cluster->n_content_slots - 1;
    for (size_t i = hash & mask; cluster->contents[i] != NULL; i = (i + 1) & mask) {
        if (equal(cluster->contents[i], hash, driver, devices, n)) {
            cluster->contents[i]->uses++;
            return cluster->contents[i];
        }
    }
    dray_content *content = dray_calloc(1, sizeof *content);
    *content = (dray_content){.id = ++cluster->last_content,
                              .hash = hash,
                              .uses = 1,
                              .driver = driver,
                              .devices = devices,
                              .n = n};
    insert(cluster, content);
    cluster->n_contents++;
    return content;
}

void dray_content_drop(dray_cluster *cluster, dray_content *content,
                       const dray_resource_device *devices) {
    /* The devices that equal ones are compared with go away: others with the same content stay
     * under an id that no new slice will find. */
    bool keeper = content->devices == devices;
    if (keeper || content->uses == 1) {
        size_t mask = cluster->n_content_slots - 1, i = content->hash & mask;
        while (cluster->contents[i] != NULL && cluster->contents[i] != content)
            i = (i + 1) & mask;
        if (cluster->contents[i] == content) {
            cluster->contents[i] = NULL;
            cluster->n_contents--;
            for (i = (i + 1) & mask; cluster->contents[i] != NULL; i = (i + 1) & mask) {
                dray_content *moved = cluster->contents[i];
                cluster->contents[i] = NULL;
                insert(cluster, moved);
            }
        }
        content->devices = keeper ? NULL : content->devices;
    }
    if (--content->uses == 0)
        free(content);
}
