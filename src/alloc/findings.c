/* What a run finds out about devices for a kindred of requests: selectors, node, capacity, taints.
 */
#include "alloc/alloc_int.h"

enum { ASK_WORDS_AFTER = 8 }; /* devices asked one by one before whole words are evaluated */

dray_str dray_device_name(const dray_view *view, uint32_t pos, dray_arena *arena) {
    const dray_pool_view *pool = view->pools[view->words[pos / 64].pool];
    return dray_strf(arena, DRAY_FMT "/" DRAY_FMT "/" DRAY_FMT, DRAY_ARG(pool->driver),
                     DRAY_ARG(pool->name), DRAY_ARG(dray_view_device(view, pos)->name));
}

static dray_findings *findings_of(dray_run *run, const dray_kindred *kind) {
    dray_findings *f = &run->findings[kind->number];
    if (f->known == NULL) {
        size_t n = run->view->n_words;
        if (run->n_spare >= 3 * n) {
            f->known = run->spare;
            run->spare += 3 * n;
            run->n_spare -= 3 * n;
        } else {
            f->known = DRAY_NEW_N(run->scratch, uint64_t, 3 * n + 1);
        }
        f->usable = f->known + n;
        f->failing = f->usable + n;
    }
    return f;
}

typedef struct verdict {
    uint64_t yes, failing; /* of the devices in mask */
} verdict;

static verdict evaluate(dray_run *run, dray_select_list *list, const dray_view_word *word,
                        uint64_t mask) {
    if (list == NULL)
        return (verdict){mask, 0};
    dray_matched *m = dray_select_matched(run->job->alloc->selects, list, word->slice);
    if ((mask & ~m->known[word->word]) != 0)
        dray_select_evaluate(list, m, word->slice, word->word, mask);
    return (verdict){mask & m->yes[word->word], mask & m->failing[word->word]};
}

/* Selectors, then the node, of the devices of a word in mask. */
static verdict selectable(dray_run *run, const dray_kindred *kind, uint32_t word, uint64_t mask) {
    const dray_view_word *w = &run->view->words[word];
    if (!run->f.binding)
        mask &= ~w->slice->binding[w->word];
    /* What classes match is kept from run to run: the whole word is worth knowing. */
    uint64_t asked = kind->class_list != NULL ? ~(uint64_t)0 : mask;
    uint64_t n = w->slice->n_devices - (uint64_t)w->word * 64;
    asked &= n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
    verdict class = evaluate(run, kind->class_list, w, asked);
    verdict request = evaluate(run, kind->request_list, w, class.yes & mask);
    verdict found = {request.yes & run->view->reach[word],
                     (class.failing | request.failing) & mask};
    if (w->slice->selectors == DRAY_SELECTORS_BAD) {
        for (uint64_t rest = found.yes; rest != 0; rest &= rest - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(rest);
            if (dray_view_reach(run->view, run->node->body, word * 64 + bit, NULL) != DRAY_OK)
                found.failing |= (uint64_t)1 << bit;
        }
        found.yes &= ~found.failing;
    }
    return found;
}

bool dray_tolerated(const dray_kindred *kind, const dray_slice *slice, uint32_t device) {
    if (!dray_bit(slice->tainted, device))
        return true;
    for (size_t i = 0; i < slice->taints[device].n; i++) {
        const dray_resource_device_taint *taint = slice->taints[device].v[i];
        bool tolerated = false;
        for (size_t k = 0; k < kind->n_tolerations && !tolerated; k++) {
            const dray_resource_device_toleration *t = &kind->tolerations[k];
            bool equal = t->operator.n == 0 || dray_str_is(t->operator, "Equal");
            tolerated =
                (t->effect.n == 0 || dray_str_eq(t->effect, taint->effect)) &&
                (t->key.n == 0 || dray_str_eq(t->key, taint->key)) &&
                (equal ? dray_str_eq(t->value, taint->value) : dray_str_is(t->operator, "Exists"));
        }
        if (!tolerated)
            return false;
    }
    return true;
}

/* Devices that one rule taints have the same taint. */
typedef struct verdict_on_taint {
    const dray_resource_device_taint *taint;
    bool tolerated;
} verdict_on_taint;

static bool tolerated(const dray_kindred *kind, const dray_slice *slice, uint32_t device,
                      verdict_on_taint *last) {
    if (!dray_bit(slice->tainted, device))
        return true;
    const struct dray_taints *taints = &slice->taints[device];
    if (taints->n != 1)
        return dray_tolerated(kind, slice, device);
    if (taints->v[0] != last->taint)
        *last = (verdict_on_taint){taints->v[0], dray_tolerated(kind, slice, device)};
    return last->tolerated;
}

/* 1 and 0; -1: an error. keep: the amounts will be asked for next. */
static int has_room(dray_run *run, dray_kindred *kind, uint32_t pos, bool keep) {
    const dray_slice *slice = dray_run_word(run, pos)->slice;
    uint32_t device = dray_run_device(run, pos);
    if (!run->f.consumable || (kind->capacity == NULL && !dray_bit(slice->choosy, device)))
        return 1;
    if (keep) {
        dray_room room = dray_run_consider(run, kind, pos);
        return room == DRAY_ROOM_ERROR ? -1 : room == DRAY_ROOM_YES;
    }
    dray_arena_mark mark = dray_arena_save(run->scratch);
    dray_room room = dray_capacity_check(kind->capacity, &slice->body->spec->devices.v[device],
                                         run->f.fractional, run->scratch, NULL, NULL);
    dray_arena_release(run->scratch, mark);
    return room == DRAY_ROOM_ERROR ? -1 : room == DRAY_ROOM_YES;
}

static bool declares_node_ops(const dray_core_node *node) {
    const dray_strings *features = &node->status->declared_features;
    for (size_t i = 0; i < features->n; i++) {
        if (dray_str_is(features->v[i], "DRAOptionalNodeOperations"))
            return true;
    }
    return false;
}

/* Gates and what the node declares. */
static bool allowed(const dray_run *run, const dray_slice *slice, uint32_t device) {
    if (!run->f.partitionable && dray_bit(slice->counters, device))
        return false;
    return run->f.variant != DRAY_EXPERIMENTAL || slice->body->spec->skip_node_operations.n == 0 ||
           (run->f.node_ops && declares_node_ops(run->node->body));
}

/* Devices of a word that nothing but selectors could keep from the kindred. */
static uint64_t plain_ones(const dray_run *run, const dray_kindred *kind, const dray_view_word *w) {
    const dray_slice *slice = w->slice;
    if ((run->f.consumable && kind->capacity != NULL) ||
        slice->body->spec->skip_node_operations.n != 0)
        return 0;
    uint64_t not = 0;
    if (run->f.consumable)
        not |= slice->choosy[w->word];
    if (run->f.taints)
        not |= slice->tainted[w->word];
    if (!run->f.partitionable)
        not |= slice->counters[w->word];
    return ~not;
}

static void find_out(dray_run *run, dray_kindred *kind, uint32_t word, uint64_t mask) {
    dray_findings *f = findings_of(run, kind);
    mask &= ~f->known[word];
    verdict found = selectable(run, kind, word, mask);
    f->failing[word] |= found.failing;
    const dray_view_word *w = &run->view->words[word];
    uint64_t plain = plain_ones(run, kind, w) & found.yes;
    f->usable[word] |= plain;
    verdict_on_taint last = {NULL, false};
    for (uint64_t rest = found.yes & ~plain; rest != 0; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(rest), device = w->word * 64 + bit;
        int room = has_room(run, kind, word * 64 + bit, (mask & (mask - 1)) == 0);
        if (room < 0)
            f->failing[word] |= (uint64_t)1 << bit;
        else if (room > 0 && allowed(run, w->slice, device) &&
                 (!run->f.taints || tolerated(kind, w->slice, device, &last)))
            f->usable[word] |= (uint64_t)1 << bit;
    }
    f->known[word] |= mask;
    /* The walk passes by what is refused here without a look: these are its steps too. */
    uint64_t refused = mask & ~f->usable[word] & ~f->failing[word];
    if (refused != 0)
        run->steps += (uint64_t)__builtin_popcountll(refused);
}

void dray_run_ask_word(dray_run *run, dray_kindred *kind, uint32_t word) {
    const dray_view_word *w = &run->view->words[word];
    uint64_t n = w->slice->n_devices - (uint64_t)w->word * 64;
    find_out(run, kind, word, n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1);
}

void dray_run_find_out(dray_run *run, dray_kindred *kind, uint32_t pos) {
    uint32_t *asked = &run->findings[kind->number].asked;
    /* A first few one by one, since the first one often does; then in one go. */
    if ((kind->request_list == NULL && kind->capacity == NULL) || ++*asked > ASK_WORDS_AFTER)
        dray_run_ask_word(run, kind, pos / 64);
    else
        find_out(run, kind, pos / 64, (uint64_t)1 << pos % 64);
}

int dray_run_ask(dray_run *run, dray_kindred *kind, uint32_t pos) {
    const dray_findings *f = &run->findings[kind->number];
    if (f->known == NULL || !dray_bit(f->known, pos))
        dray_run_find_out(run, kind, pos);
    if (dray_bit(f->failing, pos))
        return -1;
    return dray_bit(f->usable, pos);
}

uint64_t dray_run_select_word(dray_run *run, dray_kindred *kind, uint32_t word,
                              uint32_t *ret_failing) {
    const dray_view_word *w = &run->view->words[word];
    uint64_t n = w->slice->n_devices - (uint64_t)w->word * 64;
    verdict found = selectable(run, kind, word, n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1);
    uint64_t yes = 0;
    *ret_failing = 64;
    for (uint64_t rest = found.yes | found.failing; rest != 0; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(rest);
        int room = found.failing >> bit & 1 ? -1 : has_room(run, kind, word * 64 + bit, false);
        if (room < 0) {
            *ret_failing = bit;
            return 0;
        }
        yes |= (uint64_t)room << bit;
    }
    return yes;
}

int dray_run_selectable(dray_run *run, dray_kindred *kind, uint32_t pos) {
    uint64_t bit = (uint64_t)1 << pos % 64;
    verdict found = selectable(run, kind, pos / 64, bit);
    if (found.failing != 0)
        return -1;
    if (found.yes == 0)
        return 0;
    return has_room(run, kind, pos, false);
}

void dray_run_tell(dray_run *run, const dray_alt *alt, uint32_t pos, bool mode_all) {
    const dray_kindred *kind = alt->kind;
    const dray_slice *slice = dray_run_word(run, pos)->slice;
    uint32_t device = dray_run_device(run, pos);
    dray_str claim = dray_claim_name(&run->job->claims[alt->claim], run->scratch);
    dray_str name = dray_device_name(run->view, pos, run->scratch);
    dray_str why;
    if (kind->class_list != NULL) {
        why = dray_select_tell(kind->class_list, slice, device, name, run->arena);
        if (why.p != NULL) {
            run->of_device = dray_select_compiles(kind->class_list);
            run->error = dray_strf(run->arena, "class " DRAY_FMT ": " DRAY_FMT,
                                   DRAY_ARG(kind->class->metadata->name), DRAY_ARG(why));
            return;
        }
    }
    if (kind->request_list != NULL) {
        why = dray_select_tell(kind->request_list, slice, device, name, run->arena);
        if (why.p != NULL) {
            run->of_device = dray_select_compiles(kind->request_list);
            run->error = dray_strf(run->arena, "claim " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(claim),
                                   DRAY_ARG(why));
            return;
        }
    }
    dray_err err = DRAY_ERR_INIT;
    if (dray_view_reach(run->view, run->node->body, pos, &err) != DRAY_OK) {
        run->error = dray_str_dup(run->arena, dray_str_of(dray_err_text(&err)));
        dray_err_done(&err);
        return;
    }
    const dray_resource_device *body = &slice->body->spec->devices.v[device];
    why = DRAY_STR("unknown");
    run->of_device = true;
    (void)dray_capacity_check(kind->capacity, body, run->f.fractional, run->scratch, NULL, &why);
    run->error = dray_strf(run->arena,
                           "claim " DRAY_FMT ", request " DRAY_FMT
                           ": checking capacity for device " DRAY_FMT ": " DRAY_FMT,
                           DRAY_ARG(claim), DRAY_ARG(alt->name),
                           DRAY_ARG(mode_all ? body->name : name), DRAY_ARG(why));
}
