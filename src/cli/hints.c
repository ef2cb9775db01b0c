/* Finding the row of hints.def that fits a message. */
#include "cli/hints.h"

#include "base/vec.h"

#include <stdio.h>

typedef struct hint {
    dray_hint_where where;
    const char *api_version, *field, *text, *advice;
} hint;

static const hint hints[] = {
#define HINT(where_, version_, field_, text_, advice_) \
    {DRAY_HINT_##where_, version_, field_, text_, advice_},
#include "cli/hints.def"
#undef HINT
};

/* The group and version of kind, or what stands in `field` for a kind that there isn't. */
static bool version_fits(const hint *h, const dray_kind *kind, dray_str field) {
    size_t n = strlen(h->api_version);
    char text[128];
    if (n == 0)
        return true;
    if (h->where == DRAY_HINT_KIND)
        return dray_str_starts(field, dray_str_of(h->api_version));
    if (kind == NULL)
        return false;
    int length = snprintf(text, sizeof text, "%s/%s", kind->group, kind->version);
    /* "resource.k8s.io/v1" means v1 and v1beta2, which have the same fields. */
    if (strcmp(h->api_version, "resource.k8s.io/v1") == 0)
        return strcmp(text, "resource.k8s.io/v1") == 0 ||
               strcmp(text, "resource.k8s.io/v1beta2") == 0;
    return length > 0 && strncmp(text, h->api_version, n) == 0;
}

/* path without its indexes ends in `end`, at a dot. */
static bool field_fits(dray_str path, const char *end) {
    char plain[512];
    size_t n = 0, length = strlen(end);
    bool inside = false;
    for (size_t i = 0; i < path.n && n < sizeof plain; i++) {
        inside |= path.p[i] == '[';
        if (!inside)
            plain[n++] = path.p[i];
        inside &= path.p[i] != ']';
    }
    if (length == 0)
        return true;
    return n >= length && memcmp(plain + n - length, end, length) == 0 &&
           (n == length || plain[n - length - 1] == '.');
}

const char *dray_hint_find(dray_hint_where where, const dray_kind *kind, dray_str field,
                           dray_str text) {
    for (size_t i = 0; i < DRAY_COUNT(hints); i++) {
        const hint *h = &hints[i];
        bool field_ok =
            where == DRAY_HINT_KIND || where == DRAY_HINT_SYNTAX ||
            (where == DRAY_HINT_LABEL ? dray_str_is(field, h->field) : field_fits(field, h->field));
        if (h->where == where && field_ok && version_fits(h, kind, field) &&
            dray_str_find(text, dray_str_of(h->text)) != SIZE_MAX)
            return h->advice;
    }
    return NULL;
}
