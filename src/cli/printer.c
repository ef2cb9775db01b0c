/* Objects on standard output. */
#include "cli/printer.h"

#include "api/engine.h"
#include "data/json.h"
#include "data/yaml.h"

enum { INDENT = 4 };

void dray_printer_init(dray_printer *printer, FILE *out, const char *form) {
    *printer = (dray_printer){
        .out = out,
        .json = strcmp(form, "json") == 0,
        .scratch = dray_arena_new(0),
    };
}

static void new_line(dray_buf *out, size_t depth) {
    size_t n = depth * INDENT + 1;
    char *to = dray_buf_reserve(out, n);
    to[0] = '\n';
    memset(to + 1, ' ', n - 1);
    out->n += n;
}

/* Bytes from `at` on that are printed as they are: a string, or what is neither it nor structure.
 */
static size_t plain_length(dray_str json, size_t at) {
    size_t i = at;
    if (json.p[i] == '"') {
        for (i++; i < json.n && json.p[i] != '"'; i++)
            i += json.p[i] == '\\';
        return (i < json.n ? i + 1 : json.n) - at;
    }
    while (i < json.n && strchr("{}[],:\"", json.p[i]) == NULL)
        i++;
    return i - at;
}

/* Compact JSON with line breaks, four spaces a level, as kubectl prints it. */
static void indent(dray_buf *out, dray_str compact, size_t depth) {
    for (size_t i = 0; i < compact.n; i++) {
        char c = compact.p[i], next = i + 1 < compact.n ? compact.p[i + 1] : '\0';
        size_t n = plain_length(compact, i);
        if (n > 0) {
            dray_buf_add(out, compact.p + i, n);
            i += n - 1;
            continue;
        }
        bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        bool empty = opens && (next == '}' || next == ']');
        if (closes && compact.p[i - 1] != '{' && compact.p[i - 1] != '[')
            new_line(out, --depth);
        dray_buf_putc(out, c);
        if (opens && !empty)
            depth++;
        if ((opens && !empty) || c == ',')
            new_line(out, depth);
        if (c == ':')
            dray_buf_putc(out, ' ');
    }
}

static void put(const dray_buf *text, FILE *out) {
    fwrite(dray_buf_str(text).p, 1, text->n, out);
}

static void add_json(dray_printer *printer, dray_str compact) {
    dray_buf text = DRAY_BUF_INIT;
    if (printer->n == 0) {
        dray_buf_str_add(&printer->first, compact);
    } else {
        if (printer->n == 1) {
            fputs("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        ", printer->out);
            indent(&text, dray_buf_str(&printer->first), 2);
        }
        dray_buf_puts(&text, ",\n        ");
        indent(&text, compact, 2);
        put(&text, printer->out);
    }
    printer->n++;
    dray_buf_done(&text);
}

void dray_printer_add_tree(dray_printer *printer, const dray_node *root) {
    dray_buf text = DRAY_BUF_INIT;
    if (printer->json) {
        dray_json_write(&text, root, false);
        add_json(printer, dray_buf_str(&text));
    } else {
        if (printer->n++ != 0)
            fputs("---\n", printer->out);
        dray_yaml_write(&text, root);
        put(&text, printer->out);
    }
    dray_buf_done(&text);
}

void dray_printer_add(dray_printer *printer, dray_object object) {
    dray_printer_add_tree(printer, dray_api_to_tree(object, printer->scratch));
    dray_arena_reset(printer->scratch);
}

void dray_printer_done(dray_printer *printer) {
    dray_buf text = DRAY_BUF_INIT;
    if (printer->json && printer->n == 1) {
        indent(&text, dray_buf_str(&printer->first), 0);
        dray_buf_putc(&text, '\n');
    } else if (printer->json && printer->n == 0) {
        dray_buf_puts(&text, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n    \"kind\": "
                             "\"List\"\n}\n");
    } else if (printer->json) {
        dray_buf_puts(&text, "\n    ],\n    \"kind\": \"List\"\n}\n");
    }
    put(&text, printer->out);
    dray_buf_done(&text);
    dray_buf_done(&printer->first);
    dray_arena_free(printer->scratch);
    fflush(printer->out);
}
