/* Many devices at once: dictionary-coded columns of what selectors read. */
#include "celk8s/columns.h"

#include "base/map.h"
#include "celk8s/device_int.h"
#include "celk8s/program_int.h"

#include <stdlib.h>

enum { UNKNOWN = 255, DEPTH = 8 };

/* One path's values: code 0 is absent. */
typedef struct column {
    uint32_t *codes; /* by device */
    uint32_t n_codes;
} column;

struct dray_celk8s_columns {
    const dray_celk8s_device *const *devices;
    size_t n;
    dray_arena *arena;
    dray_map columns; /* key of a path → column */
    uint8_t *answers; /* by combination of codes */
    size_t answers_room;
    bool bad, bad_lists; /* some device has an attribute that can't be read; where lists can't be */
};

dray_celk8s_columns *dray_celk8s_columns_new(const dray_celk8s_device *const *devices, size_t n) {
    dray_celk8s_columns *c = dray_calloc(1, sizeof *c);
    c->devices = devices;
    c->n = n;
    c->arena = dray_arena_new(0);
    c->columns = dray_map_new(c->arena);
    for (size_t i = 0; i < n; i++) {
        c->bad = c->bad || devices[i]->error.p != NULL;
        c->bad_lists = c->bad_lists || devices[i]->list_error.p != NULL;
    }
    return c;
}

void dray_celk8s_columns_free(dray_celk8s_columns *c) {
    if (c == NULL)
        return;
    dray_arena_free(c->arena);
    free(c->answers);
    free(c);
}

/* --- dictionaries --- */

static uint64_t mix(uint64_t hash, uint64_t with) {
    return (hash ^ with) * 0x9e3779b97f4a7c15u;
}

static uint64_t hash_value(const dray_cel_value *v, int depth) {
    uint64_t hash = mix(v->kind, 1);
    switch (v->kind) {
    case DRAY_CEL_STRING:
        return mix(hash, dray_str_hash(dray_cel_str(*v)));
    case DRAY_CEL_LIST:
        for (size_t i = 0; i < v->list->n && depth < DEPTH; i++)
            hash = mix(hash, hash_value(&v->list->v[i], depth + 1));
        return hash;
    case DRAY_CEL_OPAQUE:
        if (v->opaque->type == &dray_celk8s_semver_type) {
            dray_semver s = dray_celk8s_semver_of(*v);
            return mix(mix(mix(hash, s.major), s.minor), s.patch);
        }
        return mix(hash, (uint64_t)dray_celk8s_quantity_of(*v).value);
    default:
        return mix(hash, v->u);
    }
}

/* The same in every respect that an expression could see. */
static bool same_value(const dray_cel_value *a, const dray_cel_value *b, int depth) {
    if (a == b)
        return true;
    if (a->kind != b->kind || depth >= DEPTH)
        return false;
    switch (a->kind) {
    case DRAY_CEL_BOOL:
        return a->b == b->b;
    case DRAY_CEL_INT:
        return a->i == b->i;
    case DRAY_CEL_STRING:
        return dray_str_eq(dray_cel_str(*a), dray_cel_str(*b));
    case DRAY_CEL_LIST:
        if (a->list->n != b->list->n)
            return false;
        for (size_t i = 0; i < a->list->n; i++)
            if (!same_value(&a->list->v[i], &b->list->v[i], depth + 1))
                return false;
        return true;
    case DRAY_CEL_OPAQUE: {
        if (a->opaque->type != b->opaque->type)
            return false;
        if (a->opaque->type == &dray_celk8s_semver_type) {
            dray_semver s = dray_celk8s_semver_of(*a), t = dray_celk8s_semver_of(*b);
            return s.major == t.major && s.minor == t.minor && s.patch == t.patch &&
                   dray_str_eq(s.pre, t.pre) && dray_str_eq(s.build, t.build);
        }
        dray_quantity q = dray_celk8s_quantity_of(*a), r = dray_celk8s_quantity_of(*b);
        return q.value == r.value && q.scale == r.scale && q.form == r.form && q.big == r.big;
    }
    default:
        return false;
    }
}

/* What stands at the path; NULL: nothing. */
static const dray_cel_value *value_at(const dray_celk8s_device *device, const dray_cel_path *path) {
    const dray_cel_value *v = &device->variables[0];
    for (uint32_t i = 0; i < path->n && v != NULL && v->kind == DRAY_CEL_MAP; i++)
        v = dray_cel_map_find(v->map, dray_cel_of_str(path->names[i]));
    return v;
}

typedef struct dictionary {
    uint32_t *slots; /* code, 0 = free */
    uint32_t n_slots;
    const dray_cel_value **values; /* by code − 1 */
    uint32_t n, room;
} dictionary;

static void grow(dictionary *d, dray_arena *arena) {
    d->n_slots = d->n_slots == 0 ? 64 : d->n_slots * 2;
    d->slots = DRAY_NEW_N(arena, uint32_t, d->n_slots);
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t at = (uint32_t)(hash_value(d->values[i], 0) >> 32) & (d->n_slots - 1);
        while (d->slots[at] != 0)
            at = (at + 1) & (d->n_slots - 1);
        d->slots[at] = i + 1;
    }
}

static uint32_t code_of(dictionary *d, const dray_cel_value *v, dray_arena *arena) {
    if (v == NULL)
        return 0;
    if (d->n * 2 >= d->n_slots)
        grow(d, arena);
    uint32_t at = (uint32_t)(hash_value(v, 0) >> 32) & (d->n_slots - 1);
    for (; d->slots[at] != 0; at = (at + 1) & (d->n_slots - 1))
        if (same_value(d->values[d->slots[at] - 1], v, 0))
            return d->slots[at];
    if (d->n == d->room) {
        uint32_t room = d->room == 0 ? 64 : d->room * 2;
        d->values = dray_arena_grow(arena, d->values, d->room * sizeof *d->values,
                                    room * sizeof *d->values);
        d->room = room;
    }
    d->values[d->n++] = v;
    d->slots[at] = d->n;
    return d->n;
}

static column *make_column(dray_celk8s_columns *c, const dray_cel_path *path) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dictionary d = {0};
    column *col = DRAY_NEW(c->arena, column);
    col->codes = DRAY_NEW_N(c->arena, uint32_t, c->n + 1);
    for (size_t i = 0; i < c->n; i++)
        col->codes[i] = code_of(&d, value_at(c->devices[i], path), arena);
    col->n_codes = d.n + 1;
    return col;
}

static const column *find_column(dray_celk8s_columns *c, const dray_cel_path *path, dray_str key) {
    column *col = dray_map_find(&c->columns, key);
    if (col == NULL) {
        col = make_column(c, path);
        dray_map_put(&c->columns, dray_str_dup(c->arena, key), col);
    }
    return col;
}

/* --- matching --- */

static uint8_t answer_of(const dray_celk8s_program *program, const dray_celk8s_device *device,
                         dray_arena *scratch) {
    dray_celk8s_result result;
    return (uint8_t)dray_celk8s_match(program, device, scratch, &result);
}

static void set_answer(size_t i, uint8_t answer, dray_bits matched, dray_bits failed) {
    if (answer == DRAY_CELK8S_TRUE)
        dray_bits_set(matched, i);
    else if (answer == DRAY_CELK8S_ERROR)
        dray_bits_set(failed, i);
}

static void match_each(const dray_celk8s_program *program, dray_celk8s_columns *c,
                       dray_arena *scratch, dray_bits matched, dray_bits failed) {
    for (size_t i = 0; i < c->n; i++)
        set_answer(i, answer_of(program, c->devices[i], scratch), matched, failed);
}

typedef struct combination {
    const uint32_t *codes[DRAY_CEL_PATHS];
    uint32_t strides[DRAY_CEL_PATHS];
    size_t n;
    size_t space;
} combination;

/* The columns of all paths and the size of their product; false: too large. */
static bool combine(const dray_celk8s_program *program, dray_celk8s_columns *c, combination *ret) {
    ret->n = 0;
    ret->space = 1;
    for (size_t i = 0; i < program->paths.n; i++) {
        const column *col = find_column(c, &program->paths.v[i], program->path_keys[i]);
        if (col->n_codes == 1)
            continue; /* nobody has it */
        ret->codes[ret->n] = col->codes;
        ret->strides[ret->n++] = (uint32_t)ret->space;
        ret->space *= col->n_codes;
        if (ret->space > DRAY_CELK8S_CLASSES || ret->space > 4 * c->n + 64)
            return false;
    }
    return true;
}

static inline uint32_t key_of(const combination *k, size_t i) {
    uint32_t key = 0;
    for (size_t j = 0; j < k->n; j++)
        key += k->codes[j][i] * k->strides[j];
    return key;
}

/* Words of 64 devices, with the number of columns known to the compiler. */
static inline __attribute__((always_inline)) void
match_words(const dray_celk8s_program *program, dray_celk8s_columns *c, dray_arena *scratch,
            const combination *given, size_t n_columns, dray_bits matched, dray_bits failed) {
    combination k = *given;
    k.n = n_columns;
    uint8_t *answers = c->answers;
    for (size_t base = 0; base < c->n; base += 64) {
        uint64_t yes = 0, error = 0;
        size_t n = c->n - base < 64 ? c->n - base : 64;
        for (size_t j = 0; j < n; j++) {
            uint32_t key = key_of(&k, base + j);
            uint8_t answer = answers[key];
            if (__builtin_expect(answer == UNKNOWN, 0))
                answer = answers[key] = answer_of(program, c->devices[base + j], scratch);
            yes |= (uint64_t)(answer & 1) << j;
            error |= (uint64_t)(answer >> 1) << j;
        }
        matched.w[base / 64] = yes;
        failed.w[base / 64] = error;
    }
}

void dray_celk8s_match_columns(const dray_celk8s_program *program, dray_celk8s_columns *c,
                               dray_arena *scratch, dray_bits matched, dray_bits failed) {
    combination k;
    memset(matched.w, 0, dray_bits_words(matched.n) * sizeof *matched.w);
    memset(failed.w, 0, dray_bits_words(failed.n) * sizeof *failed.w);
    if (c->columns.n > DRAY_CELK8S_COLUMNS) {
        dray_arena_reset(c->arena);
        c->columns = dray_map_new(c->arena);
    }
    if (c->bad || (c->bad_lists && program->no_lists) || !program->by_paths ||
        !combine(program, c, &k)) {
        match_each(program, c, scratch, matched, failed);
        return;
    }
    if (k.space > c->answers_room) {
        c->answers = dray_realloc(c->answers, k.space);
        c->answers_room = k.space;
    }
    memset(c->answers, UNKNOWN, k.space);
    if (k.n == 1)
        match_words(program, c, scratch, &k, 1, matched, failed);
    else if (k.n == 2)
        match_words(program, c, scratch, &k, 2, matched, failed);
    else if (k.n == 3)
        match_words(program, c, scratch, &k, 3, matched, failed);
    else
        match_words(program, c, scratch, &k, k.n, matched, failed);
}
