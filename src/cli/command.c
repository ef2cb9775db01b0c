/* The table of commands; reading a command line by its rows; help. */
#include "cli/command.h"

#include "cli/debug.h"

#include <stdio.h>
#include <stdlib.h>

static const dray_command *const commands[] = {
    &dray_cmd_plan, &dray_cmd_explain, &dray_cmd_lint,
    &dray_cmd_cel,  &dray_cmd_convert, &dray_cmd_version,
};

enum { HELP_INDENT = 30 };

static size_t row_of(const dray_args *args, const char *name) {
    for (size_t i = 0; i < args->command->n_flags; i++)
        if (strcmp(args->command->flags[i].name, name) == 0)
            return i;
    fprintf(stderr, "dray: internal error: %s has no flag --%s\n", args->command->name, name);
    abort();
}

const char *dray_args_get(const dray_args *args, const char *name) {
    size_t row = row_of(args, name);
    const struct dray_flag_values *values = &args->flags[row];
    return values->n != 0 ? values->v[values->n - 1] : args->command->flags[row].fallback;
}

bool dray_args_has(const dray_args *args, const char *name) {
    const struct dray_flag_values *values = &args->flags[row_of(args, name)];
    return values->n != 0 && strcmp(values->v[values->n - 1], "false") != 0;
}

const struct dray_flag_values *dray_args_all(const dray_args *args, const char *name) {
    return &args->flags[row_of(args, name)];
}

static void print_flag(const dray_flag *flag, FILE *out) {
    char left[128];
    int n = 0;
    if (flag->letter != 0)
        n = snprintf(left, sizeof left, "  -%c, --%s", flag->letter, flag->name);
    else
        n = snprintf(left, sizeof left, "      --%s", flag->name);
    if (flag->value != NULL)
        snprintf(left + n, sizeof left - (size_t)n, " %s", flag->value);
    fprintf(out, "%-*s", HELP_INDENT, left);
    if (strlen(left) >= HELP_INDENT)
        fprintf(out, "\n%*s", HELP_INDENT, "");
    fprintf(out, "%s", flag->help);
    if (flag->words != NULL)
        fprintf(out, ": %s", flag->words);
    if (flag->fallback != NULL)
        fprintf(out, " (default: %s)", flag->fallback);
    fputc('\n', out);
}

static void print_help(const dray_command *command, FILE *out) {
    fprintf(out, "dray %s: %s\n\nusage: dray %s %s\n", command->name, command->summary,
            command->name, command->usage);
    if (command->detail != NULL)
        fprintf(out, "\n%s\n", command->detail);
    fprintf(out, "\nflags:\n");
    for (size_t i = 0; i < command->n_flags; i++)
        print_flag(&command->flags[i], out);
    static const dray_flag help = {.name = "help", .letter = 'h', .help = "this text"};
    print_flag(&help, out);
    if (command->example != NULL)
        fprintf(out, "\nexample:\n%s\n", command->example);
}

static void print_commands(FILE *out) {
    fprintf(out, "dray: Kubernetes Dynamic Resource Allocation: which devices may serve a claim, "
                 "on which\nnode a Pod goes, and, when not, why.\n\nusage: dray COMMAND [flags]\n\n"
                 "commands:\n");
    for (size_t i = 0; i < DRAY_COUNT(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "  %-10s %s\n", "debug", "JSON lines in and out, to compare with others");
    fprintf(out, "\n`dray COMMAND --help` tells the flags of a command.\nexit status: 0 yes, 1 "
                 "error, 2 usage, 3 the answer is no\n");
}

static int usage_error(const dray_command *command, const char *format, const char *what) {
    fprintf(stderr, "dray %s: ", command->name);
    fprintf(stderr, format, what);
    fprintf(stderr, "\nusage: dray %s %s\n`dray %s --help` tells more.\n", command->name,
            command->usage, command->name);
    return DRAY_EXIT_USAGE;
}

static bool is_word(const char *words, const char *value) {
    size_t n = strlen(value);
    for (const char *at = words; *at != '\0';) {
        size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, value, n) == 0)
            return true;
        at += length + (at[length] == '|');
    }
    return false;
}

/* The row that `text` (without dashes, up to =) names, or n_flags. */
static size_t find_flag(const dray_command *command, const char *text, size_t n, bool letter) {
    size_t i = 0;
    for (; i < command->n_flags; i++) {
        const dray_flag *flag = &command->flags[i];
        if (letter ? n == 1 && flag->letter == text[0]
                   : strlen(flag->name) == n && memcmp(flag->name, text, n) == 0)
            break;
    }
    return i;
}

/* Takes the flag at argv[*at] and its value; 0, or the status to end with. */
static int take_flag(dray_args *args, int argc, char **argv, int *at) {
    const dray_command *command = args->command;
    const char *text = argv[*at];
    bool letter = text[1] != '-';
    const char *name = text + (letter ? 1 : 2);
    size_t n = letter ? 1 : strcspn(name, "=");
    size_t row = find_flag(command, name, n, letter);
    if (row == command->n_flags)
        return usage_error(
            command,
            text[strcspn(text, " .()[]\"'<>!&|*/+")] != '\0' && command->max_words > 0
                ? "unknown flag: %s\nAn argument that begins with a dash goes behind --"
                : "unknown flag: %s",
            text);
    const dray_flag *flag = &command->flags[row];
    const char *value = "true";
    if (name[n] == '=')
        value = name + n + 1;
    else if (flag->value != NULL && letter && name[1] != '\0')
        value = name + 1;
    else if (letter && name[1] != '\0')
        return usage_error(command, "%s: a switch takes no value", text);
    else if (flag->value != NULL && ++*at < argc)
        value = argv[*at];
    else if (flag->value != NULL)
        return usage_error(command, "flag needs a value: %s", text);
    if (flag->words != NULL && !is_word(flag->words, value)) {
        fprintf(stderr, "dray %s: --%s: must be one of %s\n", command->name, flag->name,
                flag->words);
        return usage_error(command, "got \"%s\"", value);
    }
    if (args->flags[row].n == DRAY_FLAG_VALUES_MAX)
        return usage_error(command, "--%s is given too often", flag->name);
    DRAY_PUSH(args->arena, &args->flags[row], value);
    return 0;
}

static int run_command(const dray_command *command, int argc, char **argv) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    dray_args args = {.command = command, .arena = arena};
    args.flags = DRAY_NEW_N(arena, struct dray_flag_values, command->n_flags);
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        if (only_words || argv[i][0] != '-' || argv[i][1] == '\0') {
            DRAY_PUSH(arena, &args.words, (const char *)argv[i]);
            continue;
        }
        only_words = strcmp(argv[i], "--") == 0;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(command, stdout);
            return DRAY_EXIT_OK;
        }
        int status = only_words ? 0 : take_flag(&args, argc, argv, &i);
        if (status != 0)
            return status;
    }
    if (args.words.n > command->max_words)
        return usage_error(command, "unexpected argument: %s", args.words.v[command->max_words]);
    if (args.words.n < command->min_words)
        return usage_error(command, "an argument is missing%s", "");
    return command->run(&args);
}

int dray_main(int argc, char **argv) {
    const char *name = argc >= 2 ? argv[1] : "";
    if (strcmp(name, "--version") == 0)
        name = "version";
    if (strcmp(name, "debug") == 0)
        return dray_debug_main(argc - 2, argv + 2);
    for (size_t i = 0; i < DRAY_COUNT(commands); i++)
        if (strcmp(name, commands[i]->name) == 0)
            return run_command(commands[i], argc - 2, argv + 2);
    bool help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    for (size_t i = 0; strcmp(name, "help") == 0 && argc >= 3 && i < DRAY_COUNT(commands); i++)
        if (strcmp(argv[2], commands[i]->name) == 0) {
            print_help(commands[i], stdout);
            return DRAY_EXIT_OK;
        }
    if (!help && argc >= 2)
        fprintf(stderr, "dray: unknown command: %s\n\n", name);
    print_commands(help ? stdout : stderr);
    return help ? DRAY_EXIT_OK : DRAY_EXIT_USAGE;
}
