/* The texts of FailedScheduling: reasons counted, sorted, joined, cut. */
#include "plan/plan_int.h"

static int by_text(const void *a, const void *b, void *context) {
    return dray_str_cmp(*(const dray_str *)a, *(const dray_str *)b);
}

static void count_reasons(dray_map *counts, const dray_strings *reasons, uintptr_t by) {
    for (size_t i = 0; i < reasons->n; i++) {
        dray_map_entry *entry = dray_map_entry_of(counts, reasons->v[i]);
        entry->value = (void *)((uintptr_t)entry->value + by);
    }
}

/* Equal lists of reasons are one pointer, so that most nodes cost one comparison. */
static void count_nodes(const dray_plan_diagnosis *d, dray_map *counts) {
    const dray_strings *last = NULL;
    uintptr_t run = 0, own = 0;
    for (size_t i = 0; i < d->n_nodes; i++) {
        const dray_strings *reasons = d->nodes[i].reasons;
        if (d->nodes[i].code == DRAY_PLAN_OK || d->nodes[i].code == DRAY_PLAN_SKIP)
            continue;
        own++;
        if (reasons != last && last != NULL)
            count_reasons(counts, last, run);
        run = reasons == last ? run + 1 : 1;
        last = reasons;
    }
    if (last != NULL)
        count_reasons(counts, last, run);
    if (own + d->n_skipped < d->n_nodes)
        count_reasons(counts, &d->absent, d->n_nodes - d->n_skipped - own);
}

static void add_counted(const dray_plan_diagnosis *d, dray_buf *out, dray_arena *arena) {
    dray_map counts = dray_map_new(arena);
    count_nodes(d, &counts);
    dray_str *lines = DRAY_NEW_N(arena, dray_str, counts.n);
    for (uint32_t i = 0; i < counts.n; i++)
        lines[i] = dray_strf(arena, "%ju " DRAY_FMT, (uintmax_t)(uintptr_t)counts.entries[i].value,
                             DRAY_ARG(counts.entries[i].key));
    dray_sort(lines, counts.n, sizeof *lines, by_text, NULL);
    for (uint32_t i = 0; i < counts.n; i++) {
        dray_buf_puts(out, i == 0 ? " " : ", ");
        dray_buf_str_add(out, lines[i]);
    }
    dray_buf_puts(out, counts.n != 0 ? "." : "");
}

dray_str dray_plan_fit_error(const dray_plan_diagnosis *d, dray_arena *arena) {
    dray_buf out = DRAY_BUF_INIT;
    dray_buf_addf(&out, "0/%zu nodes are available:", d->n_nodes - d->n_skipped);
    if (d->prefilter.n != 0)
        dray_buf_addf(&out, " " DRAY_FMT ".", DRAY_ARG(d->prefilter));
    else
        add_counted(d, &out, arena);
    if (d->postfilter.n != 0)
        dray_buf_addf(&out, " " DRAY_FMT, DRAY_ARG(d->postfilter));
    dray_str text = dray_str_dup(arena, dray_buf_str(&out));
    dray_buf_done(&out);
    return text;
}

dray_str dray_plan_note(dray_str text, dray_arena *arena) {
    static const char suffix[] = " ...";
    if (text.n <= DRAY_PLAN_NOTE_BYTES)
        return text;
    return dray_strf(arena, "%.*s%s", DRAY_PLAN_NOTE_BYTES - (int)strlen(suffix), text.p, suffix);
}
