/* Kubernetes' regex library: find and findAll. */
#include "celk8s/libs_int.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "cel/regex.h"

enum { MATCH_WORK = 12 }; /* of each match: see DRAY_CEL_EVAL_WORK */

#define FN(name) \
    static dray_cel_value name(dray_cel_eval *e, const dray_cel_value *args, uint32_t n)

static dray_cel_value illegal(dray_cel_eval *e, const char *why) {
    return dray_cel_failf(e->arena, "Illegal regex: %s", why);
}

FN(find) {
    const char *why;
    const dray_cel_regex *re = dray_cel_eval_regex(e, args[1], &why);
    if (re == NULL)
        return illegal(e, why);
    size_t start, end;
    if (!dray_cel_regex_find(re, args[0].s, args[0].n, 0, &start, &end))
        return dray_cel_of_str(DRAY_STR(""));
    return dray_cel_of_str((dray_str){args[0].s + start, end - start});
}

/* Leftmost matches that do not overlap; an empty one does not count right after another. */
FN(find_all) {
    const char *why;
    const dray_cel_regex *re = dray_cel_eval_regex(e, args[1], &why);
    if (re == NULL)
        return illegal(e, why);
    dray_str text = dray_cel_str(args[0]);
    int64_t limit = n > 2 ? args[2].i : -1;
    dray_cel_value list = dray_cel_empty_list;
    size_t at = 0, last_end = SIZE_MAX, start, end;
    while ((limit < 0 || (int64_t)list.list->n < limit) && at <= text.n &&
           dray_cel_eval_work(e, MATCH_WORK) &&
           dray_cel_regex_find(re, text.p, text.n, at, &start, &end)) {
        bool accept = true;
        if (start == end) {
            accept = start != last_end;
            at = end;
            if (end < text.n)
                dray_utf8_next(text, &at);
            else
                at = text.n + 1;
        } else {
            at = end;
        }
        last_end = end;
        if (accept)
            list = dray_cel_list_append(e->arena, list,
                                        dray_cel_of_str((dray_str){text.p + start, end - start}));
    }
    return list;
}

static const dray_cel_row rows[] = {
    {"find", "string_find_string", "string.(string) -> string", find},
    {"findAll", "string_find_all_string", "string.(string) -> list(string)", find_all},
    {"findAll", "string_find_all_string_int", "string.(string, int) -> list(string)", find_all},
};

const dray_cel_library dray_celk8s_lib_regex = {
    .name = "kubernetes.regex", .rows = rows, .n_rows = DRAY_COUNT(rows)};
