/* The devices of the picture: slices, pools, who holds what, and how one node sees them.
 *
 *     dray_view *view;
 *     code = dray_cluster_view(cluster, node, &view, err);
 *     for (size_t w = 0; w < view->n_words; w++) {
 *         const dray_slice *slice = view->words[w].slice;
 *         uint64_t free = ~slice->in_use[view->words[w].word] & …
 *
 * A view lists the pools that reach a node in the order in which devices must be tried: pools
 * without binding conditions first, by driver and pool name; slices by name; devices as listed.
 * Each slice starts at a word, so that a position is 64 × word + bit and a bitmap of a slice can be
 * copied word by word. Source: KEP-4381; pools as in the structured allocator of 1.37.
 *
 * All of it is borrowed from the picture until its next change. Thread rule: the picture's.
 */
#ifndef DRAY_CLUSTER_INVENTORY_H
#define DRAY_CLUSTER_INVENTORY_H

#include "base/bits.h"
#include "cluster/amount.h"
#include "cluster/cluster.h"

typedef struct dray_pool dray_pool;

/* What is held of one device, published or not. */
typedef struct dray_held {
    dray_str name;
    uint64_t hash;      /* of it */
    uint32_t exclusive; /* claims that have the device to themselves */
    uint32_t shares;
    uint32_t n_consumed;
    bool seen;             /* scratch */
    struct dray_consumed { /* summed over the shares, by capacity name */
        dray_str name;
        dray_amount amount;
    } *consumed;
} dray_held;

/* What CEL sees of a slice's devices: equal contents are one, whichever slices have them. */
typedef struct dray_content {
    uint64_t id; /* never given twice in this process' life of the picture */
    uint64_t hash;
    uint32_t uses; /* slices */
    dray_str driver;
    const dray_resource_device *devices; /* of one of the slices */
    size_t n;
} dray_content;

typedef struct dray_column dray_column;

typedef struct dray_slice {
    const dray_resource_slice *body;
    dray_str name;
    dray_pool *pool;
    dray_content *content; /* NULL until dray_slice_content is asked */
    uint32_t n_devices, n_words;
    bool by_device;    /* perDeviceNodeSelection */
    bool has_counters; /* publishes sharedCounters */
    bool has_groups;   /* a device declares compatibility groups */
    bool has_binding;  /* a device has binding conditions */
    dray_held **held;  /* one a device, never NULL */
    /* One bit a device. */
    uint64_t *in_use;    /* held exclusively, or exclusive with shares that live on */
    uint64_t *shared;    /* shares live on it */
    uint64_t *multi;     /* allowMultipleAllocations, while the gate is on */
    uint64_t *counters;  /* consumesCounters */
    uint64_t *binding;   /* bindingConditions */
    uint64_t *tainted;   /* a NoSchedule or NoExecute taint, its own or a rule's */
    uint64_t *choosy;    /* its capacity may refuse a claim that wishes for none */
    struct dray_taints { /* own ones, then those of rules; NULL where nothing is tainted */
        const dray_resource_device_taint **v;
        size_t n;
    } *taints;
    dray_column *columns;   /* that were asked for */
    uint64_t use_version;   /* of in_use and shared, against pool->changes */
    uint64_t taint_version; /* against the picture's changes of rules */
    enum { DRAY_SELECTORS_UNREAD, DRAY_SELECTORS_FINE, DRAY_SELECTORS_BAD } selectors;
} dray_slice;

/* A counter of a pool: its place in counter vectors. */
typedef struct dray_counter {
    dray_str set, name;
    dray_amount capacity;
} dray_counter;

/* What a device draws. */
typedef struct dray_draw {
    uint32_t counter; /* index in the pool view's counters */
    dray_amount amount;
} dray_draw;
typedef struct dray_draws {
    const dray_draw *v;
    size_t n;
} dray_draws;

typedef enum dray_pool_state {
    DRAY_POOL_READY,
    DRAY_POOL_INCOMPLETE,
    DRAY_POOL_INVALID,
    DRAY_POOL_OBSOLETE, /* not in a view's pools: a newer generation is elsewhere */
} dray_pool_state;

/* A pool as the nodes see it that the same slices of it reach. */
typedef struct dray_pool_view {
    dray_pool *pool;
    dray_str driver, name;
    dray_pool_state state;
    dray_str invalid_reason;
    bool has_binding;
    dray_slice **slices; /* with devices that target the node, by name */
    size_t n_slices;
    dray_slice **mine, **sorted; /* all that reach the node: as they came, by name */
    size_t n_mine;
    bool with_others; /* the pool's other slices of that generation belong to it too */
    dray_counter *counters;
    size_t n_counters;
    dray_draws **draws; /* [slice][device] of `slices`; NULL without counters */
    /* Lazily, for pool->changes: */
    uint64_t version, rule_version;
    dray_amount *available; /* capacity less what held devices draw; may be negative */
    bool has_vanished;      /* a held device is published no more: what it draws is unknown */
    dray_arena *arena;      /* of the counters; NULL without */
    uint32_t uses;          /* node views, and the pool's list */
    bool stale;             /* the pool's slices changed: pool may be gone */
    struct dray_pool_view *next;
} dray_pool_view;

struct dray_pool {
    dray_str driver, name; /* own copies */
    dray_slice **slices;   /* of every generation, in order of appearance */
    size_t n_slices, room;
    dray_held **ids; /* every device name that was published or held, in order of appearance */
    size_t n_ids, ids_room;
    uint32_t *id_slots; /* hash table over ids: index + 1, 0 = free */
    size_t n_id_slots;
    size_t n_held;         /* of ids: held exclusively or shared */
    uint64_t changes;      /* of slices, and of what is held */
    dray_pool_view *views; /* of the slices as they are */
    size_t number;         /* in the picture's list of pools */
    size_t group;          /* scratch of the making of a view */
};

typedef struct dray_view_word {
    dray_slice *slice;
    uint32_t word;  /* of the slice's bitmaps */
    uint32_t pool;  /* index in pools */
    uint32_t index; /* of the slice in its pool view */
} dray_view_word;

typedef struct dray_view {
    dray_pool_view **pools;
    size_t n_pools;
    dray_view_word *words;
    uint64_t *reach; /* of each word: devices that may be used on the node */
    size_t n_words;
    bool has_invalid;
    /* What it was made from. */
    dray_pool_view **made_from;
    size_t n_made_from;
    uint64_t shared_changes, local_changes, body_changes;
    uint64_t inventory_changes; /* of the picture, when it was brought up to date */
} dray_view;

/* Devices and pools as `node` sees them, up to date with the ledger. DRAY_E_INVALID where a slice's
 * node selector cannot be read, with the allocator's text. node->body may not be NULL. */
dray_code dray_cluster_view(dray_cluster *cluster, dray_cluster_node *node, dray_view **ret,
                            dray_err *err);

/* DRAY_E_INVALID, with the allocator's text, where the device's own node selector cannot be read;
 * its bit in `reach` is set then, since only who would take it meets the error. */
dray_code dray_view_reach(const dray_view *view, const dray_core_node *node, uint32_t pos,
                          dray_err *err);

const dray_content *dray_slice_content(dray_cluster *cluster, dray_slice *slice);
/* The attribute of each of the slice's devices as a hash: equal values have equal ones, 0 is none.
 * NULL: on some device it isn't plain, or too many columns were asked for. */
const uint64_t *dray_slice_column(dray_slice *slice, dray_str name);
/* Whether it has one member, and that is no list. */
bool dray_attribute_is_plain(const dray_resource_device_attribute *attribute);
uint64_t dray_attribute_hash(const dray_resource_device_attribute *attribute);

/* What CEL sees of a device, but for its driver: a hash on top of another, and equality. */
uint64_t dray_device_hash(uint64_t hash, const dray_resource_device *device);
bool dray_device_looks_equal(const dray_resource_device *a, const dray_resource_device *b);
/* Same members with the same values. */
bool dray_device_attribute_equal(const dray_resource_device_attribute *a,
                                 const dray_resource_device_attribute *b);

static inline const dray_resource_device *dray_view_device(const dray_view *view, uint32_t pos) {
    const dray_view_word *w = &view->words[pos / 64];
    return &w->slice->body->spec->devices.v[w->word * 64 + pos % 64];
}

/* Every pool of the picture, in no fixed order. */
dray_pool *const *dray_cluster_pools(const dray_cluster *cluster, size_t *ret_n);
dray_pool *dray_cluster_pool_find(const dray_cluster *cluster, dray_str driver, dray_str name);
/* Brings in_use, shared and taints of a slice up to date. */
void dray_cluster_refresh(dray_cluster *cluster, dray_slice *slice);

#endif
