/* Values, ranges and advice as people read them. */
#include "cli/cel_show.h"

#include "cel/list.h"

#include <inttypes.h>

static void show(dray_buf *out, dray_cel_value v, int depth);

static void show_text(dray_buf *out, dray_str s) {
    dray_buf_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            dray_buf_addf(out, "\\%c", c);
        else if (c == '\n')
            dray_buf_puts(out, "\\n");
        else if (c < ' ' || c == 0x7f)
            dray_buf_addf(out, "\\x%02x", c);
        else
            dray_buf_putc(out, (char)c);
    }
    dray_buf_putc(out, '"');
}

static void show_list(dray_buf *out, const dray_cel_list *list, int depth) {
    dray_buf_putc(out, '[');
    for (size_t i = 0; i < list->n; i++) {
        if (i != 0)
            dray_buf_puts(out, ", ");
        if (i == DRAY_CEL_SHOW_ITEMS) {
            dray_buf_addf(out, "… %zu more", list->n - i);
            break;
        }
        show(out, dray_cel_list_at(list, i), depth + 1);
    }
    dray_buf_putc(out, ']');
}

static void show_map(dray_buf *out, const dray_cel_map *map, int depth) {
    dray_buf_putc(out, '{');
    for (size_t i = 0; i < map->n; i++) {
        if (i != 0)
            dray_buf_puts(out, ", ");
        if (i == DRAY_CEL_SHOW_ITEMS) {
            dray_buf_addf(out, "… %zu more", map->n - i);
            break;
        }
        show(out, map->v[i].key, depth + 1);
        dray_buf_puts(out, ": ");
        show(out, map->v[i].value, depth + 1);
    }
    dray_buf_putc(out, '}');
}

/* quantity("40Gi"), semver("1.2.3"): the function that makes such a value. */
static void show_opaque(dray_buf *out, const dray_cel_opaque *v) {
    static const struct {
        const char *type, *function;
    } makers[] = {{"kubernetes.Quantity", "quantity"},
                  {"kubernetes.Semver", "semver"},
                  {"net.IP", "ip"},
                  {"net.CIDR", "cidr"},
                  {"kubernetes.URL", "url"}};
    const char *function = NULL;
    for (size_t i = 0; i < DRAY_COUNT(makers); i++)
        if (dray_str_is(v->type->name, makers[i].type))
            function = makers[i].function;
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    if (v->type->print != NULL)
        v->type->print(&text, v);
    if (function == NULL || text.n == 0) {
        dray_buf_str_add(out, text.n != 0 ? dray_buf_str(&text) : v->type->name);
        return;
    }
    dray_buf_addf(out, "%s(", function);
    show_text(out, dray_buf_str(&text));
    dray_buf_putc(out, ')');
}

static void show(dray_buf *out, dray_cel_value v, int depth) {
    if (depth > DRAY_CEL_SHOW_DEPTH) {
        dray_buf_puts(out, "…");
        return;
    }
    switch (v.kind) {
    case DRAY_CEL_NULL:
        dray_buf_puts(out, "null");
        break;
    case DRAY_CEL_STRING:
        show_text(out, dray_cel_str(v));
        break;
    case DRAY_CEL_UINT:
        dray_buf_addf(out, "%" PRIu64 "u", v.u);
        break;
    case DRAY_CEL_LIST:
        show_list(out, v.list, depth);
        break;
    case DRAY_CEL_MAP:
        show_map(out, v.map, depth);
        break;
    case DRAY_CEL_OPAQUE:
        show_opaque(out, v.opaque);
        break;
    case DRAY_CEL_OPTIONAL:
        dray_buf_puts(out, v.inner != NULL ? "optional.of(" : "optional.none()");
        if (v.inner != NULL) {
            show(out, *v.inner, depth + 1);
            dray_buf_putc(out, ')');
        }
        break;
    default:
        dray_cel_print_value(out, v);
    }
}

void dray_cel_show_value(dray_buf *out, dray_cel_value value) {
    show(out, value, 0);
}

dray_str dray_cel_show_range(dray_arena *arena, dray_cel_range range) {
    if (range.max == UINT64_MAX)
        return dray_strf(arena, "%" PRIu64 " or more, without bound", range.min);
    if (range.min == range.max)
        return dray_strf(arena, "%" PRIu64, range.min);
    return dray_strf(arena, "%" PRIu64 "..%" PRIu64, range.min, range.max);
}

void dray_cel_show_advice(FILE *out, const dray_cel_advice *advice) {
    for (size_t i = 0; i < advice->n_notes; i++)
        fprintf(out, "  hint: " DRAY_FMT "\n", DRAY_ARG(advice->notes[i].text));
    if (advice->corrected.p == NULL)
        return;
    fprintf(out, "  try:  " DRAY_FMT "\n", DRAY_ARG(advice->corrected));
    if (advice->tried != 0)
        fprintf(out, "        it matches %zu of %zu device%s", advice->matched, advice->tried,
                advice->tried == 1 ? "" : "s");
    if (advice->tried != 0 && advice->failed != 0)
        fprintf(out, " and fails on %zu", advice->failed);
    if (advice->tried != 0)
        fprintf(out, "\n");
}
