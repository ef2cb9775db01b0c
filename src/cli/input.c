/* Files, directories and standard input as documents. */
#include "cli/input.h"

#include "base/utf8.h"
#include "cli/hints.h"
#include "data/json.h"
#include "data/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 20, MESSAGE_BYTES = 2048, PIPE_WAIT_MS = 2000 };

typedef struct reader {
    dray_input *input;
    dray_input_each *each;
    void *context;
    bool recursive;
} reader;

dray_input *dray_input_new(void) {
    dray_arena *arena = dray_arena_new(DRAY_INPUT_ARENA);
    dray_input *input = DRAY_NEW(arena, dray_input);
    input->arena = arena;
    return input;
}

void dray_input_free(dray_input *input) {
    if (input == NULL)
        return;
    for (size_t i = 0; i < input->texts.n; i++)
        free(input->texts.v[i]);
    dray_arena_free(input->arena);
}

/* One line of bounded length: what is told may hold a text of any size from the input. */
static void tell(const dray_input *input, const char *word, const char *file, uint32_t line,
                 uint32_t column, const char *format, va_list list) {
    char text[MESSAGE_BYTES];
    if (input->tell != NULL) {
        vsnprintf(text, sizeof text, format, list);
        input->tell(input->teller, word, file, line, column, text);
        return;
    }
    fprintf(stderr, "%s:", file);
    if (line != 0)
        fprintf(stderr, "%u:", line);
    if (line != 0 && column != 0)
        fprintf(stderr, "%u:", column);
    int n = vsnprintf(text, sizeof text, format, list);
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    fprintf(stderr, " %s: %s%s\n", word, text, n >= (int)sizeof text ? " …" : "");
}

void dray_input_error(dray_input *input, const char *file, uint32_t line, uint32_t column,
                      const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (input->errors++ < DRAY_INPUT_ERRORS_MAX)
        tell(input, "error", file, line, column, format, list);
    va_end(list);
}

void dray_input_warn(dray_input *input, const char *file, uint32_t line, uint32_t column,
                     const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (input->warnings++ < DRAY_INPUT_ERRORS_MAX)
        tell(input, "warning", file, line, column, format, list);
    va_end(list);
}

void dray_input_hint(const dray_input *input, const char *text) {
    if (text != NULL && input->tell != NULL)
        input->tell(input->teller, "hint", NULL, 0, 0, text);
    else if (text != NULL && input->errors <= DRAY_INPUT_ERRORS_MAX)
        fprintf(stderr, "    hint: %s\n", text);
}

void dray_input_close(const dray_input *input) {
    if (input->errors > DRAY_INPUT_ERRORS_MAX)
        fprintf(stderr, "%zu more errors are not shown\n", input->errors - DRAY_INPUT_ERRORS_MAX);
    if (input->left_out != 0)
        fprintf(stderr,
                "dray: %zu of %zu documents left out because of errors; the answer is without "
                "%s\n",
                input->left_out, input->documents, input->left_out == 1 ? "it" : "them");
}

/* --- documents --- */

/* A typed list's items need not say what they are: "PodList" holds Pods. */
static const dray_node *typed_item(reader *r, const dray_node *list, const dray_node *item) {
    dray_str kind = dray_node_string(dray_node_find(list, DRAY_STR("kind")));
    if (item->kind != DRAY_NODE_MAP || dray_node_find(item, DRAY_STR("kind")) != NULL ||
        kind.n <= strlen("List"))
        return item;
    dray_node *made = DRAY_NEW(r->input->arena, dray_node);
    *made = *item;
    made->raw = DRAY_STR_NONE;
    made->map.n = item->map.n + 2;
    made->map.members = DRAY_NEW_N(r->input->arena, dray_member, made->map.n);
    for (size_t i = 0; i < item->map.n; i++)
        made->map.members[i] = item->map.members[i];
    dray_str texts[] = {dray_str_slice(kind, 0, kind.n - strlen("List")),
                        dray_node_string(dray_node_find(list, DRAY_STR("apiVersion")))};
    dray_str keys[] = {DRAY_STR("kind"), DRAY_STR("apiVersion")};
    for (size_t i = 0; i < 2; i++)
        made->map.members[item->map.n + i] = (dray_member){
            .key = keys[i],
            .line = item->line,
            .column = item->column,
            .value = {.kind = DRAY_NODE_STRING,
                      .line = item->line,
                      .column = item->column,
                      .text = texts[i]},
        };
    return made;
}

static void take_tree(reader *r, const char *file, const dray_node *root) {
    const dray_node *items = dray_node_find(root, DRAY_STR("items"));
    dray_str kind = dray_node_string(dray_node_find(root, DRAY_STR("kind")));
    if (root->kind != DRAY_NODE_MAP) {
        r->input->documents++;
        r->input->left_out++;
        r->input->unreadable++;
        dray_input_error(r->input, file, root->line, root->column,
                         "the document is %s, not an object with apiVersion and kind",
                         dray_node_kind_text((dray_node_kind)root->kind));
        return;
    }
    if (items == NULL || items->kind != DRAY_NODE_LIST || !dray_str_ends(kind, DRAY_STR("List"))) {
        r->input->documents++;
        r->each(r->context, file, root);
        return;
    }
    for (size_t i = 0; i < items->list.n; i++) {
        r->input->documents++;
        r->each(r->context, file, typed_item(r, root, &items->list.items[i]));
    }
}

static void tell_broken(reader *r, const char *file, uint32_t first_line, dray_err *err) {
    r->input->documents++;
    r->input->left_out++;
    r->input->unreadable++;
    dray_input_error(r->input, file, err->line != 0 ? err->line : first_line, err->column, "%s",
                     dray_err_text(err));
    dray_input_hint(r->input, dray_hint_find(DRAY_HINT_SYNTAX, NULL, DRAY_STR(""),
                                             dray_str_of(dray_err_text(err))));
    dray_err_done(err);
}

/* Where byte `at` of text stands. */
static void place_of(dray_str text, size_t at, uint32_t first_line, uint32_t *line,
                     uint32_t *column) {
    *line = first_line;
    *column = 1;
    for (size_t i = 0; i < at; i++) {
        *line += text.p[i] == '\n';
        *column = text.p[i] == '\n' ? 1 : *column + 1;
    }
}

/* What no parser should see: NUL bytes and text that is not UTF-8. */
static bool check_bytes(dray_str text, uint32_t first_line, dray_err *err) {
    uint32_t line, column;
    size_t at = dray_str_chr(text, '\0');
    if (at != SIZE_MAX) {
        place_of(text, at, first_line, &line, &column);
        dray_err_set_at(err, DRAY_E_INVALID, line, column,
                        "a NUL byte: this is no text file of YAML or JSON");
        return false;
    }
    at = dray_utf8_invalid(text);
    if (at == SIZE_MAX)
        return true;
    place_of(text, at, first_line, &line, &column);
    dray_err_set_at(err, DRAY_E_INVALID, line, column, "byte 0x%02x is not valid UTF-8",
                    (unsigned char)text.p[at]);
    return false;
}

static void take_document(reader *r, const char *file, dray_str text, uint32_t first_line,
                          bool json) {
    dray_err err = DRAY_ERR_INIT;
    dray_node *root = NULL;
    dray_code code = DRAY_E_INVALID;
    if (check_bytes(text, first_line, &err))
        code = json ? dray_json_parse(text, r->input->arena, &root, &err)
                    : dray_yaml_parse(text, first_line, r->input->arena, &root, &err);
    if (code != DRAY_OK)
        tell_broken(r, file, first_line, &err);
    else if (root != NULL && root->kind != DRAY_NODE_NULL)
        take_tree(r, file, root);
}

static bool looks_like_json(dray_str text) {
    for (size_t i = 0; i < text.n; i++)
        if (memchr(" \t\r\n", text.p[i], 4) == NULL)
            return text.p[i] == '{' || text.p[i] == '[';
    return false;
}

static void take_text(reader *r, const char *file, dray_str text) {
    static const char mark[] = "\xef\xbb\xbf";
    if (dray_str_starts(text, dray_str_of(mark)))
        text = dray_str_slice(text, strlen(mark), text.n);
    if (looks_like_json(text)) {
        take_document(r, file, text, 1, true);
        return;
    }
    dray_yaml_docs docs = dray_yaml_split(text);
    dray_str one;
    uint32_t line;
    while (dray_yaml_next(&docs, &one, &line)) {
        take_document(r, file, one, line, looks_like_json(one));
        if (dray_arena_spent(r->input->arena)) {
            dray_input_error(r->input, file, line, 0, "the input needs more than %zu bytes",
                             DRAY_INPUT_ARENA);
            return;
        }
    }
}

/* --- files --- */

static void read_failed(reader *r, const char *file, const char *why) {
    r->input->unreadable++;
    dray_input_error(r->input, file, 0, 0, "%s", why);
}

static void read_fd(reader *r, const char *file, int fd, size_t expected) {
    dray_buf text = DRAY_BUF_INIT;
    dray_buf_reserve(&text, expected + READ_BYTES);
    for (;;) {
        ssize_t n = read(fd, dray_buf_reserve(&text, READ_BYTES), READ_BYTES);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
            continue;
        }
        if (n <= 0) {
            if (n < 0)
                read_failed(r, file, strerror(errno));
            if (n < 0)
                dray_buf_done(&text);
            break;
        }
        text.n += (size_t)n;
        if (text.n > DRAY_INPUT_BYTES) {
            read_failed(r, file, "is larger than 1 GiB");
            dray_buf_done(&text);
            return;
        }
    }
    if (text.p == NULL)
        return;
    r->input->files++;
    DRAY_PUSH(r->input->arena, &r->input->texts, text.p);
    take_text(r, file, dray_buf_str(&text));
}

/* Waits until a named pipe has something to read or was closed; false when no one opens it. */
static bool has_writer(int fd) {
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, PIPE_WAIT_MS) > 0;
}

static bool has_manifest_name(const char *name) {
    static const char *const ends[] = {".yaml", ".yml", ".json"};
    for (size_t i = 0; i < DRAY_COUNT(ends); i++)
        if (dray_str_ends(dray_str_of(name), dray_str_of(ends[i])))
            return true;
    return false;
}

static int by_name(const void *a, const void *b, void *context) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void take_path(reader *r, const char *path, bool named, int depth);

static void take_directory(reader *r, const char *path, int depth) {
    DIR *dir = opendir(path);
    if (dir == NULL) {
        read_failed(r, path, strerror(errno));
        return;
    }
    dray_arena *arena = r->input->arena;
    DRAY_VEC(const char *) names = {0};
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || names.n == DRAY_INPUT_FILES_MAX)
            continue;
        DRAY_PUSH(arena, &names, dray_str_dup(arena, dray_str_of(entry->d_name)).p);
    }
    closedir(dir);
    dray_sort(names.v, names.n, sizeof *names.v, by_name, NULL);
    for (size_t i = 0; i < names.n; i++)
        take_path(r, dray_strf(arena, "%s/%s", path, names.v[i]).p, false, depth + 1);
}

/* named: on the command line, so that any file name will do and a directory is entered. */
static void take_path(reader *r, const char *path, bool named, int depth) {
    struct stat about;
    if (depth > DRAY_INPUT_DEPTH_MAX) {
        read_failed(r, path, "lies too deep");
        return;
    }
    if (stat(path, &about) != 0) {
        read_failed(r, path, errno == ENOENT ? "does not exist" : strerror(errno));
        return;
    }
    if (S_ISDIR(about.st_mode)) {
        size_t before = r->input->tried;
        if (named || r->recursive)
            take_directory(r, path, depth);
        if (named && r->input->tried == before)
            read_failed(r, path, "is a directory without .yaml, .yml or .json files");
        return;
    }
    if (!named && !has_manifest_name(path))
        return;
    if (S_ISREG(about.st_mode) && (uintmax_t)about.st_size > DRAY_INPUT_BYTES) {
        read_failed(r, path, "is larger than 1 GiB");
        return;
    }
    r->input->tried++;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        read_failed(r, path, strerror(errno));
    else if (S_ISFIFO(about.st_mode) && !has_writer(fd))
        read_failed(r, path, "is a pipe that nobody writes to");
    else if (S_ISBLK(about.st_mode) || (S_ISCHR(about.st_mode) && !isatty(fd)))
        read_failed(r, path, "is a device, not a file");
    else
        read_fd(r, path, fd, S_ISREG(about.st_mode) ? (size_t)about.st_size : 0);
    if (fd >= 0)
        close(fd);
}

void dray_input_read_path(dray_input *input, const char *path, dray_input_each *each,
                          void *context) {
    reader r = {input, each, context, false};
    if (strcmp(path, "-") == 0)
        read_fd(&r, "standard input", STDIN_FILENO, 0);
    else
        take_path(&r, path, true, 0);
}

bool dray_input_read(dray_input *input, const dray_args *args, dray_input_each *each,
                     void *context) {
    const struct dray_flag_values *names = dray_args_all(args, "filename");
    if (names->n == 0) {
        fprintf(stderr, "dray %s: -f FILE is missing\nusage: dray %s %s\n", args->command->name,
                args->command->name, args->command->usage);
        return false;
    }
    reader r = {input, each, context, dray_args_has(args, "recursive")};
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->v[i], "-") == 0)
            read_fd(&r, "standard input", STDIN_FILENO, 0);
        else
            take_path(&r, names->v[i], true, 0);
    }
    return true;
}
