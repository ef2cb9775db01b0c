/* A command of the program: one file, one descriptor row; help is made from the rows.
 *
 *     static const dray_flag flags[] = {
 *         DRAY_FLAGS_INPUT,
 *         {.name = "packing", .value = "WORD", .help = "…", .fallback = "first"},
 *     };
 *     const dray_command dray_cmd_plan = {.name = "plan", …, .flags = flags, …, .run = run};
 *
 * A command returns its exit status: 0 yes, 1 error, 2 usage, 3 "the answer is no".
 */
#ifndef DRAY_CLI_COMMAND_H
#define DRAY_CLI_COMMAND_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum {
    DRAY_EXIT_OK = 0,
    DRAY_EXIT_ERROR = 1,
    DRAY_EXIT_USAGE = 2,
    DRAY_EXIT_NO = 3,
};

enum { DRAY_FLAG_VALUES_MAX = 1024 }; /* how often one flag may be given */

typedef struct dray_flag {
    const char *name;  /* without the dashes */
    char letter;       /* 0: none */
    const char *value; /* what stands for the value in help; NULL: a switch */
    const char *help;
    const char *fallback; /* the value when the flag isn't given; NULL: none */
    const char *words;    /* allowed values, |-separated; NULL: any */
    bool many;            /* may be given more than once */
} dray_flag;

typedef struct dray_command dray_command;

/* What stands on the command line. Texts are borrowed from argv. */
typedef struct dray_args {
    const dray_command *command;
    dray_arena *arena;
    struct dray_flag_values {
        const char **v;
        size_t n, room;
    } *flags;                     /* by row */
    DRAY_VEC(const char *) words; /* what is no flag */
} dray_args;

struct dray_command {
    const char *name;
    const char *usage;   /* behind the name: "-f FILE … [flags]" */
    const char *summary; /* one line */
    const char *detail;  /* paragraphs below; NULL: none */
    const char *example; /* NULL: none */
    const dray_flag *flags;
    size_t n_flags;
    size_t min_words, max_words;
    int (*run)(dray_args *args);
};

extern const dray_command dray_cmd_cel, dray_cmd_convert, dray_cmd_explain, dray_cmd_lint,
    dray_cmd_plan, dray_cmd_version;

/* Whose rules hold, and what to read: rows for a command's flags. */
#define DRAY_FLAGS_RULES                                                              \
    {.name = "kubernetes-version",                                                    \
     .value = "1.34…1.37",                                                            \
     .help = "the release whose rules hold (default: the newest)"},                   \
    {                                                                                 \
        .name = "feature-gates", .value = "A=true,B=false",                           \
        .help = "feature gates that differ from the release's defaults", .many = true \
    }
#define DRAY_FLAGS_INPUT                                                           \
    {.name = "filename",                                                           \
     .letter = 'f',                                                                \
     .value = "FILE|DIR|-",                                                        \
     .help = "files, directories or - for standard input: YAML, JSON, several "    \
             "documents, List",                                                    \
     .many = true},                                                                \
        {.name = "recursive", .letter = 'R', .help = "go into directories below"}, \
        {.name = "namespace",                                                      \
         .letter = 'n',                                                            \
         .value = "NAME",                                                          \
         .help = "the namespace of objects that name none",                        \
         .fallback = "default"},                                                   \
        DRAY_FLAGS_RULES

/* The last value of a flag, its fallback, or NULL. The flag must be one of the command's. */
const char *dray_args_get(const dray_args *args, const char *name);
bool dray_args_has(const dray_args *args, const char *name);
const struct dray_flag_values *dray_args_all(const dray_args *args, const char *name);

/* Finds the command and runs it; argv[0] is the program's name. */
int dray_main(int argc, char **argv);

#endif
