/* What counting shows at the first dead end: requests of one kindred that want more devices than
 * there are. Cheap enough for jobs that are not worth a proof. */
#include "alloc/walk_int.h"

enum { KINDS_MAX = 32, WORDS_MAX = 64 };

typedef struct supply {
    bool counted;
    int64_t all, shared; /* devices; of these such that serve several requests */
    int64_t wanted;      /* by the requests so far */
} supply;

static uint64_t whole(const dray_view_word *word) {
    uint64_t n = word->slice->n_devices - (uint64_t)word->word * 64;
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

/* False where something is not known yet, or asking could fail. */
static bool count(const dray_run *run, const dray_kindred *kind, supply *ret) {
    const dray_findings *f = &run->findings[kind->number];
    if (f->known == NULL)
        return false;
    *ret = (supply){.counted = true};
    for (uint32_t w = 0; w < run->view->n_words; w++) {
        const dray_view_word *word = &run->view->words[w];
        uint64_t open = whole(word);
        if (!kind->admin)
            open &= ~word->slice->in_use[word->word];
        if ((open & (f->failing[w] | ~f->known[w])) != 0)
            return false;
        ret->all += __builtin_popcountll(open & f->usable[w]);
        ret->shared += __builtin_popcountll(open & f->usable[w] & word->slice->multi[word->word]);
    }
    return true;
}

bool dray_run_too_few(const dray_run *run) {
    const dray_alloc_job *job = run->job;
    if (job->kinds.n > KINDS_MAX || run->view->n_words > WORDS_MAX)
        return false;
    supply supplies[KINDS_MAX];
    for (size_t k = 0; k < job->kinds.n; k++)
        supplies[k].counted = false;
    for (uint32_t r = 0; r < run->end; r++) {
        const dray_request_slot *slot = &job->requests.v[r];
        const dray_alt *alt = &job->alts.v[slot->first_alt];
        /* Before such a one an error may be met, or the limit of the claim. */
        if (slot->prioritized || (alt->n_constraints > 0 && (alt->all || alt->n_derived > 0)))
            return false;
        if (alt->all)
            continue;
        supply *s = &supplies[alt->kind->number];
        if (!s->counted && !count(run, alt->kind, s))
            return false;
        s->wanted += alt->count;
        if (alt->count > s->all || (s->shared == 0 && !alt->kind->admin && s->wanted > s->all))
            return true;
    }
    return false;
}
