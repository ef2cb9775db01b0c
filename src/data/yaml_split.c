/* YAML: cutting a stream into documents before any of them is parsed. */
#include "data/yaml.h"

/* What the lines of a document so far hold. A directive belongs to the `---` that follows it. */
typedef struct content {
    bool directive;
    bool text;
} content;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* `---`, alone or before a space. */
static bool is_separator(dray_str line) {
    return dray_str_starts(line, DRAY_STR("---")) && (line.n == 3 || is_space(line.p[3]));
}

static void note_line(content *c, dray_str line) {
    size_t i = 0;
    while (i < line.n && is_space(line.p[i]))
        i++;
    if (line.n != 0 && line.p[0] == '%')
        c->directive = true;
    else if (i < line.n && line.p[i] != '#')
        c->text = true;
}

dray_yaml_docs dray_yaml_split(dray_str text) {
    return (dray_yaml_docs){.rest = text, .line = 1};
}

bool dray_yaml_next(dray_yaml_docs *docs, dray_str *ret_text, uint32_t *ret_line) {
    if (docs->done)
        return false;
    dray_str rest = docs->rest;
    uint32_t lines = 0;
    size_t at = 0;
    content seen = {0};
    docs->done = true;
    while (at < rest.n) {
        dray_str line = dray_str_slice(rest, at, rest.n);
        size_t end = dray_str_chr(line, '\n');
        line = dray_str_slice(line, 0, end);
        bool opens = lines == 0 || (seen.directive && !seen.text);
        if (is_separator(line) && !opens) {
            docs->done = false;
            break;
        }
        if (is_separator(line))
            seen.text = true;
        note_line(&seen, line);
        at = end == SIZE_MAX ? rest.n : at + end + 1;
        lines++;
    }
    *ret_text = dray_str_slice(rest, 0, at);
    *ret_line = docs->line;
    docs->rest = dray_str_slice(rest, at, rest.n);
    docs->line += lines;
    return true;
}
