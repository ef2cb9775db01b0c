/* Bodies by namespace and name: a hash table that keeps the order of appearance. */
#include "cluster/cluster_int.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 16 };

static uint64_t hash_of(dray_str ns, dray_str name) {
    uint64_t hash = dray_str_hash(name);
    return ns.n == 0 ? hash : hash * 31 ^ dray_str_hash(ns);
}

static bool is(const dray_table_entry *e, uint64_t hash, dray_str ns, dray_str name) {
    return e->hash == hash && dray_str_eq(e->name, name) && dray_str_eq(e->ns, ns);
}

/* The slot that holds the entry, or the free one where it would go. Entries whose body is gone keep
 * their key until the table is packed, so that probing goes on past them. */
static size_t slot_of(const dray_table *table, uint64_t hash, dray_str ns, dray_str name) {
    size_t mask = table->n_slots - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        if (table->slots[i] == 0)
            return i;
        const dray_table_entry *e = &table->entries[table->slots[i] - 1];
        if (e->body != NULL && is(e, hash, ns, name))
            return i;
    }
}

static void rebuild(dray_table *table, size_t n_slots) {
    size_t kept = 0;
    for (size_t i = 0; i < table->n; i++) {
        if (table->entries[i].body != NULL)
            table->entries[kept++] = table->entries[i];
    }
    table->n = kept;
    table->dead = 0;
    free(table->slots);
    table->slots = dray_calloc(n_slots, sizeof *table->slots);
    table->n_slots = n_slots;
    for (size_t i = 0; i < kept; i++) {
        const dray_table_entry *e = &table->entries[i];
        table->slots[slot_of(table, e->hash, e->ns, e->name)] = (uint32_t)i + 1;
    }
}

const void *dray_table_put(dray_table *table, dray_str ns, dray_str name, const void *body) {
    if (table->n_slots == 0)
        rebuild(table, SLOTS_FIRST);
    uint64_t hash = hash_of(ns, name);
    size_t slot = slot_of(table, hash, ns, name);
    table->bodies_fresh = false;
    if (table->slots[slot] != 0) {
        dray_table_entry *e = &table->entries[table->slots[slot] - 1];
        const void *before = e->body;
        *e = (dray_table_entry){ns, name, hash, body};
        return before;
    }
    if ((table->n + 1) * 2 > table->n_slots) {
        rebuild(table, (table->n - table->dead + 1) * 4 > table->n_slots ? table->n_slots * 2
                                                                         : table->n_slots);
        slot = slot_of(table, hash, ns, name);
    }
    if (table->n == table->room) {
        table->room = table->room != 0 ? table->room * 2 : SLOTS_FIRST / 2;
        table->entries =
            dray_realloc(table->entries, dray_size_mul(table->room, sizeof *table->entries));
    }
    table->entries[table->n] = (dray_table_entry){ns, name, hash, body};
    table->slots[slot] = (uint32_t)++table->n;
    return NULL;
}

const void *dray_table_find(const dray_table *table, dray_str ns, dray_str name) {
    if (table->n_slots == 0)
        return NULL;
    uint32_t at = table->slots[slot_of(table, hash_of(ns, name), ns, name)];
    return at != 0 ? table->entries[at - 1].body : NULL;
}

const void *dray_table_remove(dray_table *table, dray_str ns, dray_str name) {
    if (table->n_slots == 0)
        return NULL;
    uint32_t at = table->slots[slot_of(table, hash_of(ns, name), ns, name)];
    if (at == 0)
        return NULL;
    dray_table_entry *e = &table->entries[at - 1];
    const void *before = e->body;
    *e = (dray_table_entry){.hash = e->hash};
    table->dead++;
    table->bodies_fresh = false;
    return before;
}

dray_cluster_list dray_table_all(dray_table *table) {
    size_t alive = table->n - table->dead;
    if (!table->bodies_fresh) {
        if (table->bodies_room < alive) {
            table->bodies_room = table->room;
            free(table->bodies);
            table->bodies = dray_malloc(dray_size_mul(table->room, sizeof *table->bodies));
        }
        size_t n = 0;
        for (size_t i = 0; i < table->n; i++) {
            if (table->entries[i].body != NULL)
                table->bodies[n++] = table->entries[i].body;
        }
        table->bodies_fresh = true;
    }
    return (dray_cluster_list){table->bodies, alive};
}

void dray_table_done(dray_table *table) {
    free(table->entries);
    free(table->slots);
    free(table->bodies);
    *table = (dray_table){0};
}
