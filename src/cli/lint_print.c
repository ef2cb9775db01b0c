/* Findings as text, JSON, SARIF 2.1.0, and commands of GitHub's workflows. */
#include "cli/lint.h"

#include "data/json.h"

static const char *level_text(const dray_finding *f) {
    return f->level == DRAY_LINT_ERROR ? "error" : "warning";
}

/* --- text --- */

static void print_lines(dray_str text, FILE *out) {
    while (text.p != NULL && text.n != 0) {
        dray_str line, rest;
        dray_str_cut(text, '\n', &line, &rest);
        fprintf(out, "    " DRAY_FMT "\n", DRAY_ARG(line));
        text = rest;
    }
}

static void print_text(const dray_lint *lint, FILE *out) {
    for (size_t i = 0; i < lint->findings.n; i++) {
        const dray_finding *f = &lint->findings.v[i];
        fprintf(out, "%s:", f->file);
        if (f->line != 0)
            fprintf(out, "%u:%u:", f->line, f->column);
        fprintf(out, " %s: " DRAY_FMT " [%s]\n", level_text(f), DRAY_ARG(f->text), f->check);
        print_lines(f->detail, out);
    }
    size_t errors = lint->n[DRAY_LINT_ERROR], warnings = lint->n[DRAY_LINT_WARNING];
    size_t documents = lint->objects.input->documents;
    if (errors + warnings > lint->findings.n)
        fprintf(out, "%zu more findings are not shown\n", errors + warnings - lint->findings.n);
    fprintf(out, "%zu document%s: %zu error%s, %zu warning%s\n", documents,
            documents == 1 ? "" : "s", errors, errors == 1 ? "" : "s", warnings,
            warnings == 1 ? "" : "s");
}

/* --- JSON --- */

static void put_member(dray_buf *out, const char *key, dray_str value) {
    if (value.p == NULL || value.n == 0)
        return;
    dray_buf_addf(out, ", \"%s\": ", key);
    dray_json_write_string(out, value, false);
}

static void put_json(dray_buf *out, const dray_lint *lint) {
    dray_buf_puts(out, "{\n  \"findings\": [");
    for (size_t i = 0; i < lint->findings.n; i++) {
        const dray_finding *f = &lint->findings.v[i];
        dray_buf_addf(out, "%s\n    {\"check\": \"%s\", \"level\": \"%s\"", i == 0 ? "" : ",",
                      f->check, level_text(f));
        put_member(out, "file", dray_str_of(f->file));
        if (f->line != 0)
            dray_buf_addf(out, ", \"line\": %u, \"column\": %u", f->line, f->column);
        put_member(out, "text", f->text);
        put_member(out, "detail", f->detail);
        put_member(out, "corrected", f->corrected);
        dray_buf_putc(out, '}');
    }
    dray_buf_addf(out, "%s],\n  \"documents\": %zu,\n  \"errors\": %zu,\n  \"warnings\": %zu\n}\n",
                  lint->findings.n != 0 ? "\n  " : "", lint->objects.input->documents,
                  lint->n[DRAY_LINT_ERROR], lint->n[DRAY_LINT_WARNING]);
}

/* --- SARIF --- */

static void put_rules(dray_buf *out) {
    for (size_t i = 0; i < dray_lint_n_rules; i++) {
        const dray_lint_rule *rule = &dray_lint_rules[i];
        dray_buf_addf(out,
                      "%s\n        {\"id\": \"%s\", \"shortDescription\": {\"text\": \"%s\"}, "
                      "\"defaultConfiguration\": {\"level\": \"%s\"}}",
                      i == 0 ? "" : ",", rule->name, rule->summary,
                      rule->level == DRAY_LINT_ERROR ? "error" : "warning");
    }
}

static dray_str whole_text(const dray_finding *f, dray_arena *arena) {
    if (f->detail.n == 0)
        return f->text;
    return dray_strf(arena, DRAY_FMT "\n" DRAY_FMT, DRAY_ARG(f->text), DRAY_ARG(f->detail));
}

static void put_sarif(dray_buf *out, const dray_lint *lint) {
    dray_buf_puts(
        out, "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
             "  \"version\": \"2.1.0\",\n  \"runs\": [{\n    \"tool\": {\"driver\": {\"name\": "
             "\"dray\", \"rules\": [");
    put_rules(out);
    dray_buf_puts(out, "\n    ]}},\n    \"results\": [");
    for (size_t i = 0; i < lint->findings.n; i++) {
        const dray_finding *f = &lint->findings.v[i];
        dray_buf_addf(out,
                      "%s\n      {\"ruleId\": \"%s\", \"level\": \"%s\", \"message\": {\"text\": ",
                      i == 0 ? "" : ",", f->check, level_text(f));
        dray_json_write_string(out, whole_text(f, lint->arena), false);
        dray_buf_puts(out, "}, \"locations\": [{\"physicalLocation\": {\"artifactLocation\": "
                           "{\"uri\": ");
        dray_json_write_string(out, dray_str_of(f->file), false);
        dray_buf_putc(out, '}');
        if (f->line != 0)
            dray_buf_addf(out, ", \"region\": {\"startLine\": %u, \"startColumn\": %u}", f->line,
                          f->column != 0 ? f->column : 1);
        dray_buf_puts(out, "}}]}");
    }
    dray_buf_puts(out, "\n    ]\n  }]\n}\n");
}

/* --- GitHub --- */

/* Line ends and percent signs are escaped; in properties colons and commas too. */
static void put_escaped(dray_buf *out, dray_str text, bool property) {
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '%' || c == '\n' || c == '\r' || (property && (c == ':' || c == ',')))
            dray_buf_addf(out, "%%%02X", (unsigned char)c);
        else
            dray_buf_putc(out, c);
    }
}

static void put_github(dray_buf *out, const dray_lint *lint) {
    for (size_t i = 0; i < lint->findings.n; i++) {
        const dray_finding *f = &lint->findings.v[i];
        dray_buf_addf(out, "::%s file=", level_text(f));
        put_escaped(out, dray_str_of(f->file), true);
        if (f->line != 0)
            dray_buf_addf(out, ",line=%u,col=%u", f->line, f->column);
        dray_buf_addf(out, ",title=%s::", f->check);
        put_escaped(out, whole_text(f, lint->arena), false);
        dray_buf_putc(out, '\n');
    }
}

void dray_lint_print(const dray_lint *lint, const char *format, FILE *out) {
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    if (strcmp(format, "text") == 0) {
        print_text(lint, out);
        return;
    }
    if (strcmp(format, "json") == 0)
        put_json(&text, lint);
    else if (strcmp(format, "sarif") == 0)
        put_sarif(&text, lint);
    else
        put_github(&text, lint);
    fwrite(text.p, 1, text.n, out);
}
