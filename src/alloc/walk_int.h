/* The walk over decisions: its frames, and how it ends. Private to this room; search.c tells how.
 */
#ifndef DRAY_ALLOC_WALK_INT_H
#define DRAY_ALLOC_WALK_INT_H

#include "alloc/alloc_int.h"

typedef struct dray_frame {
    enum { DRAY_FRAME_CHOICE, DRAY_FRAME_DEVICE, DRAY_FRAME_FIXED, DRAY_FRAME_WANTED } kind;
    uint32_t claim, request, alt; /* alt: number; of a choice: the one tried */
    uint32_t place;               /* of the request in the order of the walk */
    uint32_t index;               /* devices of the request before this one */
    uint32_t start;               /* first position */
    uint32_t next;                /* position, or alternative, to try next */
    bool all_exceeded;            /* of a choice: every alternative passed the limit */
    size_t mark;                  /* of the undo log, before the candidate */
    struct dray_twins *twins;     /* prove: candidates that failed */
    uint64_t state[2];            /* prove: hash of the state before the first device */
} dray_frame;

/* How a part of the search ended. */
typedef enum dray_end {
    DRAY_END_FOUND,
    DRAY_END_FAILED,
    DRAY_END_EXCEEDED, /* more than 32 devices: passes by the other candidates */
    DRAY_END_STOPPED,  /* an error, the deadline, the budget; the run says which */
    DRAY_END_PROVE,    /* the plain walk has failed often: look closer */
} dray_end;

/* alloc.c */
/* The run's frames, in place of those that there are. */
void dray_run_make_frames(dray_run *run, size_t n);

/* glance.c */
/* Whether the requests, one kindred at a time, want more devices than there are, and no error would
 * be met before. Looks at what is known only. */
bool dray_run_too_few(const dray_run *run);

/* search.c */
/* Room for what callers want. */
void dray_run_make_wishes(dray_run *run);
/* Makes the walk take picks, of requests from `first` on, and the alternatives that they name. They
 * stand in the order of requests; positions has room for n. */
void dray_run_want(dray_run *run, uint32_t first, const dray_alloc_pick *picks, size_t n,
                   uint32_t *positions);
void dray_run_want_no_more(dray_run *run, uint32_t first, const dray_alloc_pick *picks, size_t n);
/* The requests from first to `end` alone, on the state as it is: plainly, with what is wanted.
 * Their picks stay where it is FOUND; then the caller undoes. */
dray_end dray_run_search_between(dray_run *run, uint32_t first, uint32_t end, uint64_t step_limit);
dray_end dray_run_search(dray_run *run);
/* From the frame on, which is about to be opened, in run->order: for questions. Leaves the state as
 * it was. */
dray_end dray_run_search_from(dray_run *run, const dray_frame *from, uint64_t step_limit);
/* The requests before `end` alone, walked plainly and not for long; leaves the state empty. */
dray_end dray_run_search_until(dray_run *run, uint32_t end);
/* Looks at the clock and the budget; false: stopped. */
bool dray_run_look(dray_run *run);

static inline bool dray_run_step(dray_run *run) {
    return ++run->steps < run->next_look || dray_run_look(run);
}

#endif
