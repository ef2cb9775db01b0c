/* `dray lint`: what is wrong with these manifests, in themselves and against their devices? */
#include "cli/lint.h"

#include <string.h>

const dray_lint_rule dray_lint_rules[] = {
#define RULE(name_, level_, summary_) {name_, summary_, DRAY_LINT_##level_},
#include "cli/lint.def"
#undef RULE
};
const size_t dray_lint_n_rules = DRAY_COUNT(dray_lint_rules);

/* Groups of checks, after loading. */
static void (*const checks[])(dray_lint *lint) = {dray_lint_cel};

void dray_lint_add(dray_lint *lint, const dray_finding *finding) {
    lint->n[finding->level]++;
    if (lint->findings.n < DRAY_LINT_FINDINGS)
        DRAY_PUSH(lint->arena, &lint->findings, *finding);
}

/* What validation says about an expression, the checks on CEL say better. */
static bool is_about_cel(const char *text) {
    static const char *const parts[] = {"compilation failed: ", "must evaluate to bool",
                                        "too complex, exceeds cost limit",
                                        "program instantiation failed: "};
    if (strstr(text, ".cel.expression: ") == NULL)
        return false;
    for (size_t i = 0; i < DRAY_COUNT(parts); i++)
        if (strstr(text, parts[i]) != NULL)
            return true;
    return false;
}

static void told(void *context, const char *word, const char *file, uint32_t line, uint32_t column,
                 const char *text) {
    dray_lint *lint = context;
    static const char none[] = "";
    if (strcmp(word, "hint") == 0) {
        /* It belongs to the finding before it, unless that was passed over. */
        dray_finding *last = lint->findings.n != 0 ? &lint->findings.v[lint->findings.n - 1] : NULL;
        if (last != NULL && last->detail.p == none)
            last->detail = dray_strf(lint->arena, "hint: %s", text);
        return;
    }
    if (lint->findings.n != 0 && lint->findings.v[lint->findings.n - 1].detail.p == none)
        lint->findings.v[lint->findings.n - 1].detail = DRAY_STR_NONE;
    if (is_about_cel(text))
        return;
    bool error = strcmp(word, "error") == 0;
    dray_finding finding = {.check = error ? "manifest-error" : "manifest-warning",
                            .level = error ? DRAY_LINT_ERROR : DRAY_LINT_WARNING,
                            .file = file,
                            .line = line,
                            .column = column,
                            .text = dray_str_dup(lint->arena, dray_str_of(text)),
                            .detail = dray_str_n(none, 0)};
    dray_lint_add(lint, &finding);
}

static int by_place(const void *a, const void *b, void *context) {
    const dray_finding *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (order != 0)
        return order;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : 0;
}

static int run(dray_args *args) {
    dray_lint lint = {.arena = args->arena};
    int status = dray_objects_init_telling(&lint.objects, args, dray_objects_for_plan, told, &lint);
    if (status == DRAY_EXIT_OK) {
        for (size_t i = 0; i < DRAY_COUNT(checks); i++)
            checks[i](&lint);
        dray_sort(lint.findings.v, lint.findings.n, sizeof *lint.findings.v, by_place, NULL);
        dray_lint_print(&lint, dray_args_get(args, "output"), stdout);
        fflush(stdout);
        if (lint.objects.input->unreadable != 0)
            status = DRAY_EXIT_ERROR;
        else if (lint.n[DRAY_LINT_ERROR] + lint.n[DRAY_LINT_WARNING] != 0)
            status = DRAY_EXIT_NO;
    }
    dray_objects_done(&lint.objects);
    return status;
}

static const dray_flag flags[] = {
    DRAY_FLAGS_INPUT,
    {.name = "output",
     .letter = 'o',
     .value = "FORMAT",
     .help = "how findings are printed",
     .fallback = "text",
     .words = "text|json|sarif|github"},
};

const dray_command dray_cmd_lint = {
    .name = "lint",
    .usage = "-f FILE|DIR|- [-f …] [-R] [-o text|json|sarif|github] [flags]",
    .summary = "what is wrong with these manifests, in themselves and against their devices?",
    .detail = "Objects are checked as an API server of the chosen release would; selectors of\n"
              "classes, claims and templates also against the devices of the ResourceSlices in\n"
              "the input, each behind the selectors that are asked before it.\n"
              "Exit status 3: there are findings; 1: a file or document can't be read.",
    .example = "  dray lint -f manifests/ -f slices.yaml",
    .flags = flags,
    .n_flags = DRAY_COUNT(flags),
    .max_words = 0,
    .run = run,
};
