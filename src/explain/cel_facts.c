/* What devices have, and which name was meant by one that they don't. */
#include "explain/cel_advice_int.h"

#include <stdio.h>

enum { NAME_MAX = 64, FACTS_MAX = 20000 };

static const struct known {
    const char *driver;
    bool capacity;
    const char *id;
    uint8_t type;
} known[] = {
#define ATTRIBUTE false
#define CAPACITY true
#define KNOWN(driver_, map_, name_, type_) {driver_, map_, name_, DRAY_CEL_FACT_##type_},
#include "explain/cel_advice.def"
#undef KNOWN
#undef ATTRIBUTE
#undef CAPACITY
};

static const struct alias {
    const char *written, *meant;
} aliases[] = {
#define ALIAS(written_, meant_) {written_, meant_},
#include "explain/cel_advice.def"
#undef ALIAS
};

/* --- collecting --- */

static dray_str key_of(dray_arena *arena, bool capacity, dray_str domain, dray_str id) {
    return dray_strf(arena, "%c " DRAY_FMT "/" DRAY_FMT, capacity ? 'C' : 'A', DRAY_ARG(domain),
                     DRAY_ARG(id));
}

static void add_fact(dray_cel_adviser *a, bool capacity, dray_str domain, dray_str id, uint8_t type,
                     size_t n) {
    if (a->facts.n >= FACTS_MAX)
        return;
    dray_arena_mark mark = dray_arena_save(a->home);
    dray_str key = key_of(a->home, capacity, domain, id);
    uintptr_t index = (uintptr_t)dray_map_find(&a->by_name, key);
    if (index != 0) {
        dray_arena_release(a->home, mark);
        a->facts.v[index - 1].n += n;
        return;
    }
    DRAY_PUSH(a->home, &a->facts, (dray_cel_fact){domain, id, capacity, type, n});
    dray_map_put(&a->by_name, key, (void *)(uintptr_t)a->facts.n);
    dray_map_put(&a->domains, domain, (void *)(uintptr_t)(n + 1));
}

static uint8_t type_of(const dray_resource_device_attribute *v) {
    if (v->int_.set)
        return DRAY_CEL_FACT_INT;
    if (v->bool_.set)
        return DRAY_CEL_FACT_BOOL;
    if (v->string.p != NULL)
        return DRAY_CEL_FACT_STRING;
    return v->version.p != NULL ? DRAY_CEL_FACT_VERSION : DRAY_CEL_FACT_OTHER;
}

static void add_device(dray_cel_adviser *a, const dray_cel_subject *subject) {
    const dray_resource_device *device = subject->device;
    dray_str domain, id;
    for (size_t i = 0; i < device->attributes.n; i++) {
        dray_celk8s_split_name(device->attributes.k[i], subject->driver, &domain, &id);
        add_fact(a, false, domain, id, type_of(&device->attributes.v[i]), 1);
    }
    for (size_t i = 0; i < device->capacity.n; i++) {
        dray_celk8s_split_name(device->capacity.k[i], subject->driver, &domain, &id);
        add_fact(a, true, domain, id, DRAY_CEL_FACT_QUANTITY, 1);
    }
    dray_map_put(&a->domains, subject->driver, a);
}

/* Of a driver whose devices are there, they say what it publishes. */
static void add_known(dray_cel_adviser *a) {
    size_t n = a->facts.n;
    for (size_t i = 0; i < DRAY_COUNT(known); i++) {
        bool measured = a->q.n_devices != 0 && n != 0 &&
                        (dray_map_find(&a->domains, dray_str_of(known[i].driver)) == a ||
                         strcmp(known[i].driver, "resource.kubernetes.io") == 0);
        if (!measured)
            add_fact(a, known[i].capacity, dray_str_of(known[i].driver), dray_str_of(known[i].id),
                     known[i].type, 0);
    }
}

/* Evenly spread, where there are more than are tried. */
static void make_devices(dray_cel_adviser *a) {
    size_t n = a->q.n_devices < DRAY_CEL_ADVICE_DEVICES ? a->q.n_devices : DRAY_CEL_ADVICE_DEVICES;
    a->devices = DRAY_NEW_N(a->home, dray_celk8s_device *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const dray_cel_subject *s = &a->q.devices[i * a->q.n_devices / n];
        a->devices[a->n_devices++] = dray_celk8s_device_new(a->home, s->driver, s->device);
    }
}

void dray_cel_facts_collect(dray_cel_adviser *a) {
    a->by_name = dray_map_new(a->home);
    a->domains = dray_map_new(a->home);
    for (size_t i = 0; i < a->q.n_devices; i++)
        add_device(a, &a->q.devices[i]);
    add_known(a);
    make_devices(a);
}

/* --- finding --- */

const dray_cel_fact *dray_cel_fact_find(const dray_cel_adviser *a, bool capacity, dray_str domain,
                                        dray_str id) {
    char text[256];
    int n = snprintf(text, sizeof text, "%c " DRAY_FMT "/" DRAY_FMT, capacity ? 'C' : 'A',
                     DRAY_ARG(domain), DRAY_ARG(id));
    if (n < 0 || n >= (int)sizeof text)
        return NULL;
    uintptr_t index = (uintptr_t)dray_map_find(&a->by_name, dray_str_n(text, (size_t)n));
    return index != 0 ? &a->facts.v[index - 1] : NULL;
}

size_t dray_cel_adviser_count(const dray_cel_adviser *a, bool capacity, dray_str domain,
                              dray_str id) {
    const dray_cel_fact *fact = dray_cel_fact_find(a, capacity, domain, id);
    return fact != NULL ? fact->n : 0;
}

static bool better(const dray_cel_adviser *a, bool capacity, const dray_cel_fact *x,
                   const dray_cel_fact *y) {
    bool here[2] = {dray_str_eq(x->domain, a->domain), dray_str_eq(y->domain, a->domain)};
    if (here[0] != here[1])
        return here[0];
    if ((x->capacity == capacity) != (y->capacity == capacity))
        return x->capacity == capacity;
    return x->n > y->n;
}

const dray_cel_fact *dray_cel_fact_named(const dray_cel_adviser *a, bool capacity, dray_str id) {
    const dray_cel_fact *best = NULL;
    for (size_t i = 0; i < a->facts.n; i++) {
        const dray_cel_fact *fact = &a->facts.v[i];
        if (dray_str_eq(fact->id, id) && (best == NULL || better(a, capacity, fact, best)))
            best = fact;
    }
    return best;
}

size_t dray_cel_edit_distance(dray_str a, dray_str b) {
    size_t rows[3][NAME_MAX + 1];
    if (a.n > NAME_MAX || b.n > NAME_MAX)
        return SIZE_MAX;
    for (size_t k = 0; k <= b.n; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= a.n; i++) {
        size_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b.n; k++) {
            size_t d = last[k - 1] + (a.p[i - 1] != b.p[k - 1]);
            d = last[k] + 1 < d ? last[k] + 1 : d;
            d = row[k - 1] + 1 < d ? row[k - 1] + 1 : d;
            bool swapped = i > 1 && k > 1 && a.p[i - 1] == b.p[k - 2] && a.p[i - 2] == b.p[k - 1];
            row[k] = swapped && before[k - 2] + 1 < d ? before[k - 2] + 1 : d;
        }
    }
    return rows[a.n % 3][b.n];
}

/* Letters and digits alone, in lower case. */
static dray_str plain(dray_str s, char to[NAME_MAX]) {
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < NAME_MAX; i++) {
        char c = s.p[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + ('a' - 'A'));
        if (c != '-' && c != '_')
            to[n++] = c;
    }
    return dray_str_n(to, n);
}

/* 0: the same but for case, - and _; SIZE_MAX: far. */
static size_t distance(dray_str written, dray_str meant) {
    char texts[2][NAME_MAX];
    dray_str x = plain(written, texts[0]), y = plain(meant, texts[1]);
    if (dray_str_eq(x, y))
        return 0;
    size_t d = dray_cel_edit_distance(x, y);
    size_t length = x.n < y.n ? x.n : y.n;
    return d <= (length + 2) / 4 ? d : SIZE_MAX;
}

bool dray_cel_is_near(dray_str written, dray_str meant) {
    return distance(written, meant) != SIZE_MAX;
}

static bool is_alias(dray_str written, dray_str meant) {
    for (size_t i = 0; i < DRAY_COUNT(aliases); i++)
        if (dray_str_is(written, aliases[i].written) && dray_str_is(meant, aliases[i].meant))
            return true;
    return false;
}

const dray_cel_fact *dray_cel_fact_near(const dray_cel_adviser *a, bool capacity, dray_str domain,
                                        dray_str id) {
    const dray_cel_fact *best = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < a->facts.n; i++) {
        const dray_cel_fact *fact = &a->facts.v[i];
        if (!dray_str_eq(fact->domain, domain))
            continue;
        size_t d = is_alias(id, fact->id) ? 1 : distance(id, fact->id);
        if (d < least || (d == least && d != SIZE_MAX && fact->capacity == capacity &&
                          best->capacity != capacity)) {
            least = d;
            best = fact;
        }
    }
    return best;
}

dray_str dray_cel_value_near(const dray_cel_adviser *a, dray_str domain, dray_str id,
                             dray_str value) {
    dray_str best = DRAY_STR_NONE;
    size_t least = SIZE_MAX;
    size_t n = a->q.n_devices < DRAY_CEL_ADVICE_DEVICES ? a->q.n_devices : DRAY_CEL_ADVICE_DEVICES;
    for (size_t i = 0; i < n; i++) {
        const dray_cel_subject *s = &a->q.devices[i];
        for (size_t k = 0; k < s->device->attributes.n; k++) {
            dray_str own, name, found = s->device->attributes.v[k].string;
            dray_celk8s_split_name(s->device->attributes.k[k], s->driver, &own, &name);
            if (found.p == NULL || !dray_str_eq(own, domain) || !dray_str_eq(name, id))
                continue;
            if (dray_str_eq(found, value))
                return DRAY_STR_NONE;
            size_t d = distance(value, found);
            if (d < least) {
                least = d;
                best = found;
            }
        }
    }
    return best;
}

dray_str dray_cel_domain_near(const dray_cel_adviser *a, dray_str domain) {
    dray_str best = DRAY_STR_NONE;
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < a->domains.n; i++) {
        dray_str candidate = a->domains.entries[i].key;
        size_t d = distance(domain, candidate);
        /* "gpu.nvidia" for gpu.nvidia.com, "nvidia.com" too. */
        bool part = domain.n >= 4 &&
                    (dray_str_starts(candidate, domain) || dray_str_ends(candidate, domain));
        if (part && d > 1)
            d = 1;
        if (d < least) {
            least = d;
            best = candidate;
        }
    }
    return best;
}

dray_str dray_cel_domain_likely(const dray_cel_adviser *a) {
    if (a->domain.p != NULL)
        return a->domain;
    if (a->q.n_devices != 0)
        return a->q.devices[0].driver;
    return dray_str_of(known[0].driver);
}
