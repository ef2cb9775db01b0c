/* What -f names: files, directories and standard input, as documents.
 *
 *     dray_input *input = dray_input_new();
 *     ok = dray_input_read(input, args, each, context);
 *     …
 *     dray_input_free(input);                               documents and what borrows from them
 * end
 *
 * A broken document loses only itself: it is told on standard error, counted in `errors`, and the
 * others are used. Lists are taken apart. Memory is bounded: DRAY_INPUT_BYTES a file,
 * DRAY_INPUT_ARENA for the trees of all.
 */
#ifndef DRAY_CLI_INPUT_H
#define DRAY_CLI_INPUT_H

#include "cli/command.h"
#include "data/tree.h"

#include <stdio.h>

#define DRAY_INPUT_BYTES ((size_t)1 << 30)
#define DRAY_INPUT_ARENA ((size_t)3 << 30)
enum { DRAY_INPUT_FILES_MAX = 100000, DRAY_INPUT_DEPTH_MAX = 64, DRAY_INPUT_ERRORS_MAX = 200 };

/* A message, in place of standard error; word: "error", "warning", or "hint" for what belongs to
 * the message before it. file is NULL for a hint. */
typedef void dray_input_tell(void *context, const char *word, const char *file, uint32_t line,
                             uint32_t column, const char *text);

typedef struct dray_input {
    dray_arena *arena; /* trees; whoever decodes them may use it too */
    DRAY_VEC(char *) texts;
    size_t files, documents;
    size_t tried;    /* files that were to be read, whatever came of it */
    size_t errors;   /* told */
    size_t left_out; /* documents and objects that were not used */
    size_t warnings;
    size_t unreadable;     /* files and documents that could not be parsed; they are errors too */
    dray_input_tell *tell; /* NULL: standard error */
    void *teller;
} dray_input;

/* One object: its tree, and the file that it came from. */
typedef void dray_input_each(void *context, const char *file, const dray_node *root);

dray_input *dray_input_new(void);
void dray_input_free(dray_input *input);

/* Reads all that the flags filename and recursive name and calls each for every object. False when
 * no -f is given (told). */
bool dray_input_read(dray_input *input, const dray_args *args, dray_input_each *each,
                     void *context);
/* The same for one file, directory or "-"; path must live as long as the input. */
void dray_input_read_path(dray_input *input, const char *path, dray_input_each *each,
                          void *context);

/* FILE:LINE:COLUMN: error: text — line and column 0 are left out. Counts. After
 * DRAY_INPUT_ERRORS_MAX they are only counted. */
void dray_input_error(dray_input *input, const char *file, uint32_t line, uint32_t column,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
void dray_input_warn(dray_input *input, const char *file, uint32_t line, uint32_t column,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* "    hint: text", below the message before it. */
void dray_input_hint(const dray_input *input, const char *text);
/* How much was left out, if any, in one line. */
void dray_input_close(const dray_input *input);

#endif
