/* Taking a device for a request, and the one log by which everything is taken back. */
#include "alloc/alloc_int.h"

#include <stdlib.h>

enum { LOG_FIRST = 128, PICK = 1 /* for bytes in the log */ };

__attribute__((noinline)) static void grow_log(dray_run *run) {
    run->log_room = run->log_room != 0 ? run->log_room * 2 : LOG_FIRST;
    run->log = dray_realloc(run->log, dray_size_mul(run->log_room, sizeof *run->log));
}

static inline void log_cell(dray_run *run, void *at, uint32_t bytes, dray_amount before) {
    if (run->n_log == run->log_room)
        grow_log(run);
    dray_undo *u = &run->log[run->n_log++];
    u->at = at;
    u->bytes = bytes;
    u->before = before;
}

void dray_run_set4(dray_run *run, uint32_t *at, uint32_t value) {
    log_cell(run, at, 4, *at);
    *at = value;
}

void dray_run_set8(dray_run *run, uint64_t *at, uint64_t value) {
    log_cell(run, at, 8, *at);
    *at = value;
}

void dray_run_set16(dray_run *run, dray_amount *at, dray_amount value) {
    log_cell(run, at, 16, *at);
    *at = value;
}

/* A pick raises two numbers by one: the claim's, which is logged, and that of all. */
static void log_pick(dray_run *run, uint32_t *of_claim) {
    log_cell(run, of_claim, PICK, 0);
    ++*of_claim;
    run->n_picks++;
}

void dray_run_undo(dray_run *run, size_t mark) {
    while (run->n_log > mark) {
        const dray_undo *u = &run->log[--run->n_log];
        switch (u->bytes) {
        case 4:
            *(uint32_t *)u->at = (uint32_t)u->before;
            break;
        case 8:
            *(uint64_t *)u->at = (uint64_t)u->before;
            break;
        case 16:
            *(dray_amount *)u->at = u->before;
            break;
        case PICK:
            --*(uint32_t *)u->at;
            run->n_picks--;
            break;
        }
    }
}

bool dray_run_in_use(const dray_run *run, const dray_alt *alt, uint32_t pos) {
    if (alt->kind->admin)
        return dray_bit(run->taken_admin[alt->claim], pos);
    const dray_view_word *w = dray_run_word(run, pos);
    return dray_bit(w->slice->in_use, w->word * 64 + pos % 64) || dray_bit(run->taken, pos);
}

static dray_amount consumed_of(const dray_held *held, dray_str name) {
    for (size_t i = 0; i < held->n_consumed; i++) {
        if (dray_str_eq(held->consumed[i].name, name))
            return held->consumed[i].amount;
    }
    return 0;
}

/* Devices of the word that the position is in. */
static size_t in_word(const dray_run *run, uint32_t pos) {
    const dray_view_word *w = dray_run_word(run, pos);
    size_t n = w->slice->n_devices - (size_t)w->word * 64;
    return n < 64 ? n : 64;
}

dray_sharing *dray_run_sharing(dray_run *run, uint32_t pos) {
    if (run->sharing == NULL)
        run->sharing = DRAY_NEW_N(run->scratch, dray_sharing **, run->view->n_words + 1);
    dray_sharing ***block = &run->sharing[pos / 64];
    if (*block == NULL)
        *block = DRAY_NEW_N(run->scratch, dray_sharing *, in_word(run, pos));
    dray_sharing **at = &(*block)[pos % 64];
    if (*at != NULL)
        return *at;
    const dray_resource_device *d = dray_view_device(run->view, pos);
    const dray_held *held = dray_run_word(run, pos)->slice->held[dray_run_device(run, pos)];
    struct {
        dray_sharing sharing;
        dray_amount left[];
    } *made = dray_arena_alloc(run->scratch,
                               sizeof *made + dray_size_mul(d->capacity.n, sizeof(dray_amount)));
    *at = &made->sharing;
    (*at)->left = made->left;
    for (size_t i = 0; i < d->capacity.n; i++)
        (*at)->left[i] =
            dray_amount_of(d->capacity.v[i].value) - consumed_of(held, d->capacity.k[i]);
    return *at;
}

static dray_amount **amounts_at(dray_run *run, const dray_kindred *kind, uint32_t pos) {
    dray_findings *f = &run->findings[kind->number];
    if (f->amounts == NULL)
        f->amounts = DRAY_NEW_N(run->scratch, dray_amount **, run->view->n_words + 1);
    dray_amount ***block = &f->amounts[pos / 64];
    if (*block == NULL)
        *block = DRAY_NEW_N(run->scratch, dray_amount *, in_word(run, pos));
    return &(*block)[pos % 64];
}

dray_room dray_run_consider(dray_run *run, dray_kindred *kind, uint32_t pos) {
    return dray_capacity_check(kind->capacity, dray_view_device(run->view, pos), run->f.fractional,
                               run->scratch, amounts_at(run, kind, pos), NULL);
}

const dray_amount *dray_run_amounts(dray_run *run, dray_kindred *kind, uint32_t pos) {
    dray_amount **at = amounts_at(run, kind, pos);
    if (*at == NULL)
        (void)dray_run_consider(run, kind, pos);
    if (*at == NULL) /* no capacities, or none that the kindred could have */
        *at =
            DRAY_NEW_N(run->scratch, dray_amount, dray_view_device(run->view, pos)->capacity.n + 1);
    return *at;
}

bool dray_sharing_fits(const dray_sharing *sharing, const dray_amount *amounts, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (amounts[i] > sharing->left[i])
            return false;
    }
    return true;
}

/* What a request would take of a shared device, and what there is. */
typedef struct portion {
    dray_sharing *sharing; /* NULL: the device is not shared */
    const dray_amount *amounts;
    size_t n;
} portion;

static portion portion_of(dray_run *run, const dray_alt *alt, uint32_t pos) {
    return (portion){dray_run_sharing(run, pos), dray_run_amounts(run, alt->kind, pos),
                     dray_view_device(run->view, pos)->capacity.n};
}

static void share(dray_run *run, const portion *p) {
    for (size_t i = 0; i < p->n; i++) {
        if (p->amounts[i] == 0)
            continue;
        log_cell(run, &p->sharing->left[i], 16, p->sharing->left[i]);
        p->sharing->left[i] -= p->amounts[i];
    }
    log_cell(run, &p->sharing->shares, 8, p->sharing->shares);
    p->sharing->shares++;
}

static void set_bit(dray_run *run, uint64_t *bits, uint32_t pos) {
    uint64_t *word = &bits[pos / 64];
    log_cell(run, word, 8, *word);
    *word |= (uint64_t)1 << pos % 64;
}

static bool draw(dray_run *run, uint32_t pos, const portion *p) {
    const dray_view_word *w = dray_run_word(run, pos);
    /* Counters of a shared device are drawn by its first share. */
    if (p->sharing != NULL &&
        (dray_bit(w->slice->shared, dray_run_device(run, pos)) || p->sharing->shares > 0))
        return true;
    if (run->f.groups && !dray_groups_take(run, pos))
        return false;
    return dray_counters_take(run, pos);
}

/* 1: all agree, 0: one refuses, -1: run->error. */
static int agree(dray_run *run, const dray_alt *alt, uint32_t pos, bool must) {
    for (uint32_t i = 0; i < alt->n_constraints; i++) {
        int added = dray_constraint_add(run, alt->constraints[i], alt, pos);
        if (added < 0 || (added == 0 && !must))
            return added;
        if (added > 0)
            continue;
        dray_str name = dray_device_name(run->view, pos, run->scratch);
        dray_str claim = dray_claim_name(&run->job->claims[alt->claim], run->scratch);
        run->error =
            dray_strf(run->arena,
                      "claim " DRAY_FMT ", request " DRAY_FMT ": cannot add device " DRAY_FMT
                      " because a claim constraint would not be satisfied",
                      DRAY_ARG(claim), DRAY_ARG(alt->name), DRAY_ARG(name));
        return -1;
    }
    return 1;
}

/* As dray_run_take_free, but leaves what a refused device has changed. */
static inline int take(dray_run *run, const dray_alt *alt, uint32_t pos, bool must) {
    const dray_slice *slice = dray_run_word(run, pos)->slice;
    uint32_t device = dray_run_device(run, pos);
    /* Constraints that can't fail come first: they cost less. Of a device without supply no other
     * constraint is asked, and so none fails; mode All asks of room last. */
    bool early = !must && alt->n_derived == 0;
    if (early && alt->n_constraints > 0 && agree(run, alt, pos, false) <= 0)
        return 0;
    portion p = {NULL, NULL, 0};
    if (dray_bit(slice->multi, device))
        p = portion_of(run, alt, pos);
    bool fits = p.sharing == NULL || dray_sharing_fits(p.sharing, p.amounts, p.n);
    if ((!fits && !must) || (dray_bit(slice->counters, device) && !draw(run, pos, &p)))
        return 0;
    int agreed = !early && alt->n_constraints > 0 ? agree(run, alt, pos, must) : 1;
    if (agreed <= 0 || !fits)
        return agreed < 0 ? -1 : 0;
    if (p.sharing != NULL) {
        share(run, &p);
        return 1;
    }
    set_bit(run, run->taken, pos);
    if (run->taken_admin != NULL)
        set_bit(run, run->taken_admin[alt->claim], pos);
    return 1;
}

int dray_run_take_free(dray_run *run, const dray_alt *alt, uint32_t pos, bool must) {
    size_t mark = run->n_log;
    int taken = take(run, alt, pos, must);
    if (taken <= 0) {
        if (run->n_log > mark)
            dray_run_undo(run, mark);
        return taken;
    }
    run->picks[run->n_picks] = (dray_pick){alt->number, pos};
    log_pick(run, &run->claim_picks[alt->claim]);
    return 1;
}

int dray_run_take(dray_run *run, const dray_alt *alt, uint32_t pos, bool must) {
    if ((!alt->kind->admin || !dray_run_is_multi(run, pos)) && dray_run_in_use(run, alt, pos))
        return 0;
    if (!dray_bit(run->findings[alt->kind->number].usable, pos))
        return 0;
    return dray_run_take_free(run, alt, pos, must);
}
