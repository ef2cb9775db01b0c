/* Selector lists, interned by expression, and what they match, kept by list and slice content. */
#include "alloc/cel_int.h"
#include "base/map.h"

#include <stdlib.h>

enum {
    SLOTS_FIRST = 256,
    ANSWERS_FIRST = 64,
    ANSWERS_MAX = 1 << 16,
    DEAR_COST = 100, /* of one evaluation, in CEL's units */
};

/* What a dear list has answered for a device, for others that look like it. */
typedef struct answer {
    uint64_t hash;
    const dray_slice *slice; /* NULL: free */
    uint32_t device;
    int answer;
} answer;

struct dray_select_list {
    dray_selects *owner;
    dray_selector **programs;
    dray_str *expressions;
    size_t n;
    uint64_t id;
    bool of_class, hide_sharing;
    bool is_dear;    /* evaluating costs more than looking for a device that looks alike */
    answer *answers; /* hash table, of this job: what it points to may go with the picture */
    size_t n_answers, answers_room;
    uint64_t answers_job;
};

typedef struct kept {
    uint64_t list, content; /* ids */
    bool of_class;
    dray_matched matched;
} kept;

struct dray_selects {
    dray_cluster *cluster;
    dray_gates gates;
    dray_arena *arena;  /* lists and programs */
    dray_map programs;  /* expression → dray_selector */
    dray_map derivings; /* the same for derived attributes */
    dray_map lists;
    dray_select_list *recent[2]; /* of requests, of classes: often asked for again */
    uint64_t last_list, job;
    dray_alloc_cel *cel;
    dray_celk8s *shared; /* to compile with; NULL: the room's own */
    kept **slots;
    size_t n_slots, n_kept;
    dray_buf key; /* of the list that is looked up */
};

dray_selects *dray_selects_new(dray_cluster *cluster) {
    const dray_gates *gates = dray_cluster_gates(cluster);
    dray_selects *selects = dray_calloc(1, sizeof *selects);
    selects->cluster = cluster;
    selects->gates = *gates;
    selects->arena = dray_arena_new(0);
    selects->programs = dray_map_new(selects->arena);
    selects->derivings = dray_map_new(selects->arena);
    selects->lists = dray_map_new(selects->arena);
    selects->cel = dray_alloc_cel_open(gates, NULL);
    return selects;
}

static void forget(dray_selects *selects, bool classes_too) {
    size_t n_old = selects->n_slots;
    kept **old = selects->slots;
    selects->slots = n_old != 0 ? dray_calloc(n_old, sizeof *old) : NULL;
    selects->n_kept = 0;
    for (size_t i = 0; i < n_old; i++) {
        kept *k = old[i];
        if (k == NULL)
            continue;
        if (classes_too || !k->of_class) {
            free(k);
            continue;
        }
        size_t at = (k->list * 31 + k->content) * 0x9e3779b97f4a7c15u >> 20 & (n_old - 1);
        while (selects->slots[at] != NULL)
            at = (at + 1) & (n_old - 1);
        selects->slots[at] = k;
        selects->n_kept++;
    }
    free(old);
}

static void free_answers(dray_selects *selects) {
    for (size_t i = 0; i < selects->lists.n; i++)
        free(((dray_select_list *)selects->lists.entries[i].value)->answers);
}

void dray_selects_free(dray_selects *selects) {
    forget(selects, true);
    free_answers(selects);
    free(selects->slots);
    dray_buf_done(&selects->key);
    dray_alloc_cel_close(selects->cel);
    dray_arena_free(selects->arena);
    free(selects);
}

void dray_selects_share(dray_selects *selects, dray_celk8s *celk8s) {
    dray_alloc_cel_close(selects->cel);
    selects->shared = celk8s;
    selects->cel = dray_alloc_cel_open(&selects->gates, celk8s);
}

void dray_selects_forget(dray_selects *selects) {
    forget(selects, false);
}

bool dray_selects_trim(dray_selects *selects) {
    selects->job++;
    dray_alloc_cel_begin(selects->cel);
    if (selects->n_kept > DRAY_SELECT_MATCHES_MAX)
        forget(selects, true);
    if (selects->lists.n + selects->programs.n + selects->derivings.n <= DRAY_SELECT_LISTS_MAX)
        return false;
    forget(selects, true);
    free_answers(selects);
    dray_alloc_cel_close(selects->cel);
    dray_arena_reset(selects->arena);
    selects->programs = dray_map_new(selects->arena);
    selects->derivings = dray_map_new(selects->arena);
    selects->lists = dray_map_new(selects->arena);
    selects->recent[false] = selects->recent[true] = NULL;
    selects->cel = dray_alloc_cel_open(&selects->gates, selects->shared);
    return true;
}

static dray_selector *program_of(dray_selects *selects, dray_map *in, dray_str expression,
                                 bool derives) {
    dray_selector *program = dray_map_find(in, expression);
    if (program == NULL) {
        dray_str own = dray_str_dup(selects->arena, expression);
        program = dray_selector_compile(selects->cel, own, derives, selects->arena);
        dray_map_put(in, own, program);
    }
    return program;
}

static dray_str expression_of(const dray_resource_device_selector *selector) {
    return selector->cel != NULL ? selector->cel->expression : DRAY_STR("");
}

static bool is_list(const dray_select_list *list, const dray_resource_device_selector *selectors,
                    size_t n, bool hide_sharing) {
    bool same = list != NULL && list->n == n && list->hide_sharing == hide_sharing;
    for (size_t i = 0; same && i < n; i++)
        same = dray_str_eq(list->expressions[i], expression_of(&selectors[i]));
    return same;
}

/* Expressions one behind the other, each with its length, so that no two lists look alike. */
static void key_of(const dray_resource_device_selector *selectors, size_t n, bool of_class,
                   bool hide_sharing, dray_buf *ret) {
    dray_buf_putc(ret, (char)('0' + of_class * 2 + hide_sharing));
    for (size_t i = 0; i < n; i++) {
        dray_str e = expression_of(&selectors[i]);
        dray_buf_add(ret, &e.n, sizeof e.n);
        dray_buf_str_add(ret, e);
    }
}

dray_select_list *dray_select_list_of(dray_selects *selects,
                                      const dray_resource_device_selector *selectors, size_t n,
                                      bool of_class, bool hide_sharing) {
    if (is_list(selects->recent[of_class], selectors, n, hide_sharing))
        return selects->recent[of_class];
    dray_buf *key = &selects->key;
    dray_buf_clear(key);
    key_of(selectors, n, of_class, hide_sharing, key);
    dray_select_list *list = dray_map_find(&selects->lists, dray_buf_str(key));
    if (list == NULL) {
        list = DRAY_NEW(selects->arena, dray_select_list);
        *list = (dray_select_list){.owner = selects,
                                   .programs = DRAY_NEW_N(selects->arena, dray_selector *, n),
                                   .expressions = DRAY_NEW_N(selects->arena, dray_str, n),
                                   .n = n,
                                   .id = ++selects->last_list,
                                   .of_class = of_class,
                                   .hide_sharing = hide_sharing};
        for (size_t i = 0; i < n; i++) {
            dray_str e = dray_str_dup(selects->arena, expression_of(&selectors[i]));
            list->expressions[i] = e;
            list->programs[i] = program_of(selects, &selects->programs, e, false);
        }
        dray_map_put(&selects->lists, dray_str_dup(selects->arena, dray_buf_str(key)), list);
    }
    selects->recent[of_class] = list;
    return list;
}

static kept **slot_of(const dray_selects *selects, uint64_t list, uint64_t content) {
    size_t mask = selects->n_slots - 1;
    size_t at = (list * 31 + content) * 0x9e3779b97f4a7c15u >> 20 & mask;
    while (selects->slots[at] != NULL &&
           (selects->slots[at]->list != list || selects->slots[at]->content != content))
        at = (at + 1) & mask;
    return &selects->slots[at];
}

static void grow(dray_selects *selects) {
    kept **old = selects->slots;
    size_t n_old = selects->n_slots;
    selects->n_slots = n_old != 0 ? n_old * 2 : SLOTS_FIRST;
    selects->slots = dray_calloc(selects->n_slots, sizeof *old);
    for (size_t i = 0; i < n_old; i++) {
        if (old[i] != NULL)
            *slot_of(selects, old[i]->list, old[i]->content) = old[i];
    }
    free(old);
}

dray_matched *dray_select_matched(dray_selects *selects, dray_select_list *list,
                                  dray_slice *slice) {
    uint64_t content = dray_slice_content(selects->cluster, slice)->id;
    if ((selects->n_kept + 1) * 2 > selects->n_slots)
        grow(selects);
    kept **slot = slot_of(selects, list->id, content);
    if (*slot == NULL) {
        size_t words = slice->n_words;
        kept *k = dray_calloc(1, sizeof *k + 3 * words * sizeof(uint64_t));
        k->list = list->id;
        k->content = content;
        k->of_class = list->of_class;
        k->matched.known = (uint64_t *)(k + 1);
        k->matched.yes = k->matched.known + words;
        k->matched.failing = k->matched.yes + words;
        *slot = k;
        selects->n_kept++;
    }
    return &(*slot)->matched;
}

static answer *answer_slot(const dray_select_list *list, uint64_t hash, const dray_slice *slice,
                           uint32_t device) {
    size_t mask = list->answers_room - 1, i = hash & mask;
    for (; list->answers[i].slice != NULL; i = (i + 1) & mask) {
        const answer *a = &list->answers[i];
        if (a->hash == hash && dray_str_eq(a->slice->pool->driver, slice->pool->driver) &&
            dray_device_looks_equal(&a->slice->body->spec->devices.v[a->device],
                                    &slice->body->spec->devices.v[device]))
            break;
    }
    return &list->answers[i];
}

static bool room_for_answer(dray_select_list *list) {
    if (list->answers_job != list->owner->job) {
        list->answers_job = list->owner->job;
        list->n_answers = 0;
        if (list->answers_room > 0)
            memset(list->answers, 0, list->answers_room * sizeof *list->answers);
    }
    if ((list->n_answers + 1) * 2 <= list->answers_room)
        return true;
    if (list->n_answers >= ANSWERS_MAX)
        return false;
    answer *old = list->answers;
    size_t n_old = list->answers_room;
    list->answers_room = n_old != 0 ? n_old * 2 : ANSWERS_FIRST;
    list->answers = dray_calloc(list->answers_room, sizeof *old);
    for (size_t i = 0; i < n_old; i++) {
        size_t at = old[i].hash & (list->answers_room - 1);
        while (old[i].slice != NULL && list->answers[at].slice != NULL)
            at = (at + 1) & (list->answers_room - 1);
        if (old[i].slice != NULL)
            list->answers[at] = old[i];
    }
    free(old);
    return true;
}

static int ask(dray_select_list *list, const dray_slice *slice, uint32_t device) {
    size_t failing;
    uint64_t cost;
    answer *slot = NULL;
    if (list->is_dear && room_for_answer(list)) {
        uint64_t hash = dray_device_hash(0, &slice->body->spec->devices.v[device]);
        slot = answer_slot(list, hash, slice, device);
        if (slot->slice != NULL)
            return slot->answer;
        *slot = (answer){.hash = hash, .device = device};
    }
    int found = dray_selectors_ask(list->owner->cel, list->programs, list->n, slice, device,
                                   list->hide_sharing, &failing, &cost, NULL, NULL);
    list->is_dear |= cost > DEAR_COST;
    if (slot != NULL) {
        slot->slice = slice;
        slot->answer = found;
        list->n_answers++;
    }
    return found;
}

void dray_select_evaluate(dray_select_list *list, dray_matched *matched, const dray_slice *slice,
                          uint32_t word, uint64_t mask) {
    mask &= ~matched->known[word];
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        int found = ask(list, slice, word * 64 + (uint32_t)__builtin_ctzll(rest));
        if (found != 0)
            *(found > 0 ? &matched->yes[word] : &matched->failing[word]) |= rest & -rest;
    }
    matched->known[word] |= mask;
}

dray_str dray_select_tell(dray_select_list *list, const dray_slice *slice, uint32_t device,
                          dray_str device_name, dray_arena *arena) {
    size_t i = 0;
    uint64_t cost;
    dray_str why = DRAY_STR_NONE;
    if (dray_selectors_ask(list->owner->cel, list->programs, list->n, slice, device,
                           list->hide_sharing, &i, &cost, arena, &why) >= 0)
        return DRAY_STR_NONE;
    dray_str compile = dray_selector_error(list->programs[i]);
    if (compile.p != NULL)
        return dray_strf(arena, "selector #%zu: CEL compile error: " DRAY_FMT, i,
                         DRAY_ARG(compile));
    return dray_strf(arena, "selector #%zu on device " DRAY_FMT ": CEL runtime error: " DRAY_FMT, i,
                     DRAY_ARG(device_name), DRAY_ARG(why));
}

bool dray_select_compiles(const dray_select_list *list) {
    for (size_t i = 0; i < list->n; i++)
        if (dray_selector_error(list->programs[i]).p != NULL)
            return false;
    return true;
}

bool dray_select_derive(dray_selects *selects, dray_str expression, const dray_slice *slice,
                        uint32_t device, dray_arena *arena, dray_resource_device_attribute *ret,
                        bool *compile_error, dray_str *error) {
    dray_selector *program = program_of(selects, &selects->derivings, expression, true);
    dray_str why = dray_selector_error(program);
    *compile_error = why.p != NULL;
    if (why.p != NULL) {
        *error = why;
        return false;
    }
    return dray_selector_derive(selects->cel, program, slice, device, arena, ret, error);
}
