/* `dray convert`: the same objects in another version of resource.k8s.io. */
#include "api/engine.h"
#include "api/request.h"
#include "cli/hints.h"
#include "cli/objects.h"
#include "cli/printer.h"

#include <time.h>

#define GROUP "resource.k8s.io"

typedef struct conversion {
    dray_input *input;
    dray_gates gates;
    const char *to;
    dray_printer printer;
} conversion;

static void fail(conversion *c, const char *file, const dray_node *root, dray_err *err) {
    dray_input_error(c->input, file, err->line != 0 ? err->line : root->line,
                     err->line != 0 ? err->column : root->column, "%s", dray_err_text(err));
    c->input->left_out++;
    dray_err_done(err);
}

static void tell_unknown(conversion *c, const char *file, const dray_node *root,
                         const dray_kind *kind, const dray_decode_report *report) {
    for (size_t i = 0; i < report->strict.n; i++) {
        bool placed = i < report->unknown.n;
        dray_input_warn(c->input, file, placed ? report->unknown.v[i].line : root->line,
                        placed ? report->unknown.v[i].column : root->column,
                        DRAY_FMT ": it is lost", DRAY_ARG(report->strict.v[i]));
        dray_input_hint(c->input, dray_hint_find(DRAY_HINT_UNKNOWN, kind,
                                                 placed ? report->unknown.v[i].path : DRAY_STR(""),
                                                 report->strict.v[i]));
    }
}

static dray_code convert(conversion *c, const char *file, const dray_node *root,
                         const dray_kind *from, dray_object *ret, dray_err *err) {
    dray_arena *arena = c->input->arena;
    dray_request_source source = {arena, &c->gates, {.sec = (int64_t)time(NULL), .set = true}};
    dray_decode_report report = {.arena = arena};
    dray_sent sent;
    dray_code code = dray_request_read(&source, root, &report, &sent, err);
    if (code != DRAY_OK)
        return code;
    tell_unknown(c, file, root, from, &report);
    const dray_kind *to =
        dray_kind_find(dray_strf(arena, GROUP "/%s", c->to), dray_str_of(from->kind));
    if (to == NULL)
        return dray_err_set(err, DRAY_E_UNSUPPORTED, "there is no %s in " GROUP "/%s", from->kind,
                            c->to);
    return dray_api_convert(sent.object, to, arena, ret, err);
}

/* Objects of other groups, and kinds that dray doesn't know, go through as they are. */
static void each(void *context, const char *file, const dray_node *root) {
    conversion *c = context;
    dray_str version = dray_node_string(dray_node_find(root, DRAY_STR("apiVersion")));
    dray_str name = dray_node_string(dray_node_find(root, DRAY_STR("kind")));
    const dray_kind *kind = dray_kind_find(version, name);
    if (kind == NULL || strcmp(kind->group, GROUP) != 0) {
        if (dray_str_starts(version, DRAY_STR(GROUP "/"))) {
            dray_input_warn(c->input, file, root->line, root->column,
                            "no matches for kind \"" DRAY_FMT "\" in version \"" DRAY_FMT
                            "\": it goes through as it is",
                            DRAY_ARG(name), DRAY_ARG(version));
            dray_input_hint(c->input, dray_hint_find(DRAY_HINT_KIND, NULL, version, name));
        }
        dray_printer_add_tree(&c->printer, root);
        return;
    }
    dray_err err = DRAY_ERR_INIT;
    dray_object object;
    if (convert(c, file, root, kind, &object, &err) != DRAY_OK)
        fail(c, file, root, &err);
    else
        dray_printer_add(&c->printer, object);
}

static int run(dray_args *args) {
    conversion c = {.to = dray_args_get(args, "to")};
    int status = dray_objects_gates(args, &c.gates);
    if (status != DRAY_EXIT_OK)
        return status;
    if (c.to == NULL) {
        fprintf(stderr, "dray convert: --to is missing\nusage: dray convert %s\n",
                args->command->usage);
        return DRAY_EXIT_USAGE;
    }
    c.input = dray_input_new();
    dray_printer_init(&c.printer, stdout, dray_args_get(args, "output"));
    bool read = dray_input_read(c.input, args, each, &c);
    if (read)
        dray_printer_done(&c.printer);
    dray_input_close(c.input);
    status = !read ? DRAY_EXIT_USAGE : c.input->errors != 0 ? DRAY_EXIT_ERROR : DRAY_EXIT_OK;
    dray_input_free(c.input);
    return status;
}

static const dray_flag flags[] = {
    DRAY_FLAGS_INPUT,
    {.name = "to",
     .value = "VERSION",
     .help = "the version of resource.k8s.io to write",
     .words = "v1|v1beta2|v1beta1|v1alpha3"},
    {.name = "output",
     .letter = 'o',
     .value = "FORM",
     .help = "the form of the answer",
     .fallback = "yaml",
     .words = "yaml|json"},
};

const dray_command dray_cmd_convert = {
    .name = "convert",
    .usage = "-f FILE|DIR|- [-f …] [-R] --to v1|v1beta2|v1beta1 [-o yaml|json] [flags]",
    .summary = "the same objects in another version of resource.k8s.io",
    .detail = "Defaults of the version that is read are written out; nothing is checked beyond\n"
              "that. Objects of other groups go through as they are.",
    .example = "  dray convert -f old-claims/ --to v1 > claims.yaml",
    .flags = flags,
    .n_flags = DRAY_COUNT(flags),
    .run = run,
};
