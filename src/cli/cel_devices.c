/* Devices for CEL out of files. */
#include "cli/cel_devices.h"

#include "api/engine.h"
#include "api/request.h"

static void add(dray_cel_devices *d, dray_str pool, dray_str driver,
                const dray_resource_device *device) {
    if (d->only.p != NULL && !dray_str_eq(d->only, device->name))
        return;
    DRAY_PUSH(d->input->arena, &d->list, (dray_cel_device){device->name, pool, {driver, device}});
}

static void told(dray_cel_devices *d, const char *file, const dray_node *root, dray_err *err) {
    dray_input_error(d->input, file, err->line != 0 ? err->line : root->line,
                     err->line != 0 ? err->column : root->column, "%s", dray_err_text(err));
    dray_err_done(err);
}

static void take_slice(dray_cel_devices *d, const char *file, const dray_node *root) {
    dray_request_source source = {d->input->arena, d->gates, d->now};
    dray_err err = DRAY_ERR_INIT;
    dray_decode_report report = {.arena = d->input->arena};
    dray_sent sent;
    if (dray_request_read(&source, root, &report, &sent, &err) != DRAY_OK) {
        told(d, file, root, &err);
        return;
    }
    for (size_t i = 0; i < report.strict.n; i++)
        dray_input_warn(d->input, file, root->line, root->column, DRAY_FMT,
                        DRAY_ARG(report.strict.v[i]));
    const dray_resource_slice *slice = sent.object.body;
    for (size_t i = 0; i < slice->spec->devices.n; i++)
        add(d, slice->spec->pool->name, slice->spec->driver, &slice->spec->devices.v[i]);
}

/* `basic:` of v1beta1 is looked through. */
static void take_device(dray_cel_devices *d, const char *file, const dray_node *root) {
    dray_err err = DRAY_ERR_INIT;
    void *body;
    const dray_node *basic = dray_node_find(root, DRAY_STR("basic"));
    dray_decode_report report = {.arena = d->input->arena};
    if (dray_api_decode_type(basic != NULL ? basic : root, &dray_type_resource_device,
                             d->gates->release, d->input->arena, &report, &body, &err) != DRAY_OK) {
        told(d, file, root, &err);
        return;
    }
    for (size_t i = 0; i < report.unknown.n; i++)
        if (!dray_str_is(report.unknown.v[i].path, "driver"))
            dray_input_warn(d->input, file, report.unknown.v[i].line, report.unknown.v[i].column,
                            "unknown field \"" DRAY_FMT "\"", DRAY_ARG(report.unknown.v[i].path));
    dray_resource_device *device = body;
    if (device->name.n == 0)
        device->name = DRAY_STR("device");
    add(d, DRAY_STR_NONE, dray_node_string(dray_node_find(root, DRAY_STR("driver"))), device);
}

void dray_cel_devices_take(void *context, const char *file, const dray_node *root) {
    dray_cel_devices *d = context;
    dray_str version = dray_node_string(dray_node_find(root, DRAY_STR("apiVersion")));
    dray_str kind = dray_node_string(dray_node_find(root, DRAY_STR("kind")));
    if (version.n != 0 && dray_str_is(kind, "ResourceSlice"))
        take_slice(d, file, root);
    else if (version.n == 0 && !d->only_slices)
        take_device(d, file, root);
}
