/* What was probably meant by a CEL expression that is wrong, and a corrected one that compiles.
 *
 *     dray_cel_adviser *adviser = dray_cel_adviser_new(arena, &question);
 *     dray_cel_advice advice;
 *     dray_cel_advise(adviser, expression, arena, &advice);
 *     for (size_t i = 0; i < advice.n_notes; i++) print(advice.notes[i].text);
 *     if (advice.corrected.p != NULL) print(advice.corrected);
 *     dray_cel_adviser_free(adviser);
 *
 * Mistakes are rows of cel_advice.def: each looks at the text, or at one place of the tree, and
 * rewrites it. Rows are tried until none has anything to say; what comes out is offered only if it
 * compiles and, where devices are given, can be evaluated on one of them at least. Attributes and
 * capacities are those of the devices; without devices those that well-known drivers publish.
 * Thread rule: one owner, who owns the celk8s handle too.
 */
#ifndef DRAY_EXPLAIN_CEL_ADVICE_H
#define DRAY_EXPLAIN_CEL_ADVICE_H

#include "api/types.h"
#include "celk8s/celk8s.h"

enum {
    DRAY_CEL_ADVICE_DEVICES = 4096, /* most devices that an expression is tried on */
    DRAY_CEL_ADVICE_ROUNDS = 24,    /* most mistakes that are put right in one expression */
    DRAY_CEL_ADVICE_BYTES = 10240, /* longer expressions are not looked at: an API server's limit */
};

typedef struct dray_cel_subject {
    dray_str driver;
    const dray_resource_device *device;
} dray_cel_subject;

/* Borrowed for the adviser's life. */
typedef struct dray_cel_question {
    dray_celk8s *celk8s;
    const dray_gates *gates;
    bool new_expression;
    const dray_cel_subject *devices; /* may be none */
    size_t n_devices;
} dray_cel_question;

typedef struct dray_cel_note {
    const char *mistake; /* the row's name: "domain-is-name"; static */
    dray_str text;       /* a sentence without a full stop */
} dray_cel_note;

typedef struct dray_cel_advice {
    const dray_cel_note *notes;
    size_t n_notes;
    dray_str corrected;     /* absent: none, or the expression has nothing to correct */
    size_t tried;           /* devices that the corrected one was evaluated on */
    size_t matched, failed; /* those that it matches, and fails on */
} dray_cel_advice;

typedef struct dray_cel_adviser dray_cel_adviser;

/* Lives in arena; _free gives back what does not. */
dray_cel_adviser *dray_cel_adviser_new(dray_arena *arena, const dray_cel_question *question);
void dray_cel_adviser_free(dray_cel_adviser *adviser);

/* Never fails: without an idea there are no notes. The advice lives in arena. */
void dray_cel_advise(dray_cel_adviser *adviser, dray_str expression, dray_arena *arena,
                     dray_cel_advice *ret);

/* How many devices have the attribute (or capacity): domain and name as selectors see them. */
size_t dray_cel_adviser_count(const dray_cel_adviser *adviser, bool capacity, dray_str domain,
                              dray_str id);

#endif
