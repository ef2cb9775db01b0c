/* `dray cel`: value, type and cost of an expression on devices; what is wrong with it. */
#include "cel/cel.h"
#include "cel/eval.h"
#include "cli/cel_devices.h"
#include "cli/cel_show.h"
#include "cli/objects.h"
#include "cli/table.h"
#include "cli/zones.h"

#include <inttypes.h>
#include <time.h>

typedef struct session {
    dray_args *args;
    dray_arena *arena;
    dray_input *input;
    dray_gates gates;
    dray_cel_zones *zones;
    dray_celk8s *celk8s;
    bool new_expression;
    dray_str text;
    dray_cel_devices devices;
    dray_cel_adviser *adviser;
} session;

/* FILE#NAME; a file may have a # in its name where nothing else is meant. */
static bool read_device_flag(session *s, const char *flag) {
    dray_str file = dray_str_of(flag);
    size_t hash = dray_str_rchr(file, '#');
    size_t before = s->devices.list.n, errors = s->input->errors;
    s->devices.only = DRAY_STR_NONE;
    if (hash != SIZE_MAX) {
        s->devices.only = dray_str_slice(file, hash + 1, file.n);
        file = dray_str_slice(file, 0, hash);
    }
    const char *path = dray_str_dup(s->arena, file).p;
    dray_input_read_path(s->input, path, dray_cel_devices_take, &s->devices);
    if (s->devices.list.n != before || s->input->errors != errors)
        return s->input->errors == errors;
    if (hash != SIZE_MAX)
        dray_input_error(s->input, path, 0, 0, "there is no device \"" DRAY_FMT "\"",
                         DRAY_ARG(s->devices.only));
    else
        dray_input_error(s->input, path, 0, 0, "there is no device in it");
    return false;
}

static int read_devices(session *s) {
    const struct dray_flag_values *flags = dray_args_all(s->args, "device");
    s->devices = (dray_cel_devices){.input = s->input, .gates = &s->gates};
    s->devices.now = (dray_time){.sec = (int64_t)time(NULL), .set = true};
    bool ok = true;
    for (size_t i = 0; i < flags->n; i++)
        ok = read_device_flag(s, flags->v[i]) && ok;
    s->devices.only = DRAY_STR_NONE;
    s->devices.only_slices = true;
    if (dray_args_all(s->args, "filename")->n != 0)
        dray_input_read(s->input, s->args, dray_cel_devices_take, &s->devices);
    return ok && s->input->errors == 0 ? DRAY_EXIT_OK : DRAY_EXIT_ERROR;
}

/* The adviser is made when there is something to advise on. */
static void print_advice(session *s) {
    size_t n = s->devices.list.n;
    dray_cel_subject *subjects = DRAY_NEW_N(s->arena, dray_cel_subject, n + 1);
    for (size_t i = 0; i < n; i++)
        subjects[i] = s->devices.list.v[i].subject;
    dray_cel_question question = {s->celk8s, &s->gates, s->new_expression, subjects, n};
    dray_cel_adviser *adviser = dray_cel_adviser_new(s->arena, &question);
    dray_cel_advice advice;
    dray_cel_advise(adviser, s->text, s->arena, &advice);
    dray_cel_show_advice(stdout, &advice);
    dray_cel_adviser_free(adviser);
}

/* --- values --- */

typedef struct answer {
    dray_str text;
    bool failed;
    uint64_t cost;
} answer;

static answer evaluate(session *s, const dray_celk8s_program *program,
                       const dray_cel_device *device, dray_arena *scratch) {
    answer a = {0};
    dray_celk8s_result result;
    dray_arena *own = dray_arena_new(0);
    dray_resource_device none = {0};
    dray_celk8s_device *d =
        device != NULL ? dray_celk8s_device_new(own, device->subject.driver, device->subject.device)
                       : dray_celk8s_device_new(own, DRAY_STR(""), &none);
    dray_cel_value v = dray_celk8s_value(program, d, scratch, &result);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    a.failed = v.kind == DRAY_CEL_ERROR;
    if (a.failed)
        dray_buf_addf(&out, "error: " DRAY_FMT, DRAY_ARG(result.error));
    else
        dray_cel_show_value(&out, v);
    a.text = dray_str_dup(s->arena, dray_buf_str(&out));
    a.cost = result.cost;
    dray_arena_free(own);
    return a;
}

static bool one_pool(const session *s) {
    for (size_t i = 1; i < s->devices.list.n; i++)
        if (!dray_str_eq(s->devices.list.v[i].pool, s->devices.list.v[0].pool))
            return false;
    return true;
}

static dray_str device_name(const session *s, const dray_cel_device *device, bool short_name) {
    if (short_name || device->pool.n == 0)
        return device->name;
    return dray_strf(s->arena, DRAY_FMT "/" DRAY_FMT, DRAY_ARG(device->pool),
                     DRAY_ARG(device->name));
}

static int print_values(session *s, const dray_celk8s_program *program) {
    size_t n = s->devices.list.n, failed = 0;
    bool short_name = one_pool(s);
    dray_arena *scratch = dray_cel_scratch_new();
    dray_table *table = dray_table_new(s->arena, 3);
    dray_table_add(table, (dray_str[]){DRAY_STR("DEVICE"), DRAY_STR("COST"), DRAY_STR("VALUE")});
    for (size_t i = 0; i < n; i++) {
        const dray_cel_device *device = &s->devices.list.v[i];
        answer a = evaluate(s, program, device, scratch);
        failed += a.failed;
        dray_table_add(table, (dray_str[]){device_name(s, device, short_name),
                                           dray_strf(s->arena, "%" PRIu64, a.cost), a.text});
    }
    if (n != 0) {
        dray_table_print(table, stdout);
    } else { /* what does not read the device has a value all the same */
        answer a = evaluate(s, program, NULL, scratch);
        bool needs = dray_str_find(s->text, DRAY_STR("device")) != SIZE_MAX;
        if (!needs)
            printf("value     " DRAY_FMT "\ncost      %" PRIu64 "\n", DRAY_ARG(a.text), a.cost);
        failed += a.failed && !needs;
    }
    dray_arena_free(scratch);
    return failed != 0 ? DRAY_EXIT_NO : DRAY_EXIT_OK;
}

/* --- an expression --- */

static dray_cel_dump dump_of(session *s, const dray_celk8s_program *program) {
    dray_cel_dump dump = {.arena = s->arena,
                          .celk8s = s->celk8s,
                          .gates = &s->gates,
                          .new_expression = s->new_expression,
                          .text = s->text};
    if (program == NULL)
        return dump;
    dump.ast = dray_celk8s_ast(program);
    dray_resource_device *none = DRAY_NEW(s->arena, dray_resource_device);
    const dray_cel_device *first = s->devices.list.n != 0 ? &s->devices.list.v[0] : NULL;
    dump.device =
        dray_celk8s_device_new(s->arena, first != NULL ? first->subject.driver : DRAY_STR(""),
                               first != NULL ? first->subject.device : none);
    if (first != NULL)
        dump.device_name = device_name(s, first, false);
    return dump;
}

/* False: a word that is none (told). program NULL: only tokens. */
static bool print_dumps(session *s, const dray_celk8s_program *program) {
    static const struct {
        const char *word;
        void (*print)(const dray_cel_dump *dump);
        bool needs_tree;
    } dumps[] = {{"tokens", dray_cel_dump_tokens, false},
                 {"ast", dray_cel_dump_ast, true},
                 {"types", dray_cel_dump_types, true},
                 {"cost", dray_cel_dump_cost, true},
                 {"trace", dray_cel_dump_trace, true}};
    dray_cel_dump dump = dump_of(s, program);
    dray_str words = dray_str_of(dray_args_get(s->args, "dump"));
    while (words.n != 0) {
        dray_str word, rest;
        bool found = false;
        dray_str_cut(words, ',', &word, &rest);
        words = rest;
        for (size_t i = 0; i < DRAY_COUNT(dumps); i++) {
            if (!dray_str_is(word, dumps[i].word))
                continue;
            found = true;
            if (!dumps[i].needs_tree || program != NULL)
                dumps[i].print(&dump);
        }
        if (!found) {
            fprintf(stderr,
                    "dray cel: --dump: \"" DRAY_FMT "\" is not one of tokens, ast, types, "
                    "cost, trace\n",
                    DRAY_ARG(word));
            return false;
        }
    }
    return true;
}

/* Would an API server take it as a selector? Prints why not. */
static bool check_selector(session *s) {
    dray_err err = DRAY_ERR_INIT;
    const dray_celk8s_program *program;
    bool ok = dray_celk8s_compile(s->celk8s, s->text, DRAY_CELK8S_SELECTOR, s->new_expression,
                                  &s->gates, &program, &err) == DRAY_OK;
    if (!ok)
        printf("selector  no: %s\n", dray_err_text(&err));
    dray_err_done(&err);
    if (ok && dray_celk8s_max_cost(program) > DRAY_CEL_COST_LIMIT) {
        printf("selector  no: too complex, exceeds cost limit\n");
        ok = false;
    }
    return ok;
}

static int show(session *s, const dray_celk8s_program *program) {
    dray_arena *scratch = dray_arena_new(0);
    dray_cel_range range = dray_cel_estimate(dray_celk8s_ast(program), scratch);
    dray_arena_free(scratch);
    printf("type      " DRAY_FMT "\nestimate  " DRAY_FMT " of at most %d\n",
           DRAY_ARG(dray_celk8s_type(program)), DRAY_ARG(dray_cel_show_range(s->arena, range)),
           DRAY_CEL_COST_LIMIT);
    bool selector = check_selector(s);
    if (s->text.n > DRAY_CEL_LENGTH_LIMIT)
        printf("selector  no: longer than %d bytes\n", DRAY_CEL_LENGTH_LIMIT);
    int status = print_values(s, program);
    print_advice(s);
    return selector ? status : DRAY_EXIT_NO;
}

static int explain(session *s) {
    dray_err err = DRAY_ERR_INIT;
    const dray_celk8s_program *program = NULL;
    dray_code code = dray_celk8s_compile(s->celk8s, s->text, DRAY_CELK8S_ANY, s->new_expression,
                                         &s->gates, &program, &err);
    if (code != DRAY_OK)
        program = NULL;
    int status = DRAY_EXIT_NO;
    if (!print_dumps(s, program)) {
        status = DRAY_EXIT_USAGE;
    } else if (code != DRAY_OK) {
        printf("%s\n", dray_err_text(&err));
        print_advice(s);
    } else if (dray_args_get(s->args, "dump") == NULL) {
        status = show(s, program);
    } else {
        status = DRAY_EXIT_OK;
    }
    dray_err_done(&err);
    return status;
}

static int run(dray_args *args) {
    session s = {.args = args, .text = dray_str_of(args->words.v[0])};
    int status = dray_objects_gates(args, &s.gates);
    if (status != DRAY_EXIT_OK)
        return status;
    s.input = dray_input_new();
    s.arena = s.input->arena;
    s.zones = dray_zones_new();
    s.celk8s = dray_celk8s_new(s.zones);
    s.new_expression = strcmp(dray_args_get(args, "env"), "new") == 0;
    status = read_devices(&s);
    if (status == DRAY_EXIT_OK)
        status = explain(&s);
    fflush(stdout);
    dray_celk8s_free(s.celk8s);
    dray_zones_free(s.zones);
    dray_input_free(s.input);
    return status;
}

static const dray_flag flags[] = {
    {.name = "device",
     .letter = 'd',
     .value = "FILE[#NAME]",
     .help = "a ResourceSlice, or a device with its driver; NAME: only that device",
     .many = true},
    DRAY_FLAGS_INPUT,
    {.name = "env",
     .value = "WORD",
     .help = "what an API server takes for new objects, or what stored ones may hold",
     .fallback = "new",
     .words = "new|stored"},
    {.name = "dump",
     .value = "WORDS",
     .help =
         "show instead, comma-separated: tokens, ast, types, cost, trace (of the first device)"},
};

const dray_command dray_cmd_cel = {
    .name = "cel",
    .usage = "EXPRESSION [--device FILE[#NAME]]… [-f FILE|DIR|-]… [--dump WORDS] [flags]",
    .summary = "what does a CEL expression say about a device, and what is wrong with it?",
    .detail = "Type, estimated and real cost, and the value for each device. Errors are those of\n"
              "Kubernetes, with what was probably meant and an expression that compiles.\n"
              "Exit status 3: it is refused as a selector, or fails on a device.",
    .example =
        "  dray cel 'device.attributes[\"gpu.example.com\"].model == \"A100\"' --device slice.yaml",
    .flags = flags,
    .n_flags = DRAY_COUNT(flags),
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
