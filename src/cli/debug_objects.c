/* The member `objects` of a line: decoded, defaulted, each with a uid of its own. */
#include "cli/debug.h"

#include "api/request.h"

#include <time.h>

dray_time dray_debug_now(void) {
    return (dray_time){.sec = (int64_t)time(NULL), .set = true};
}

/* An object without uid gets one that is its own. */
static void give_uid(dray_object object, dray_arena *arena) {
    dray_meta_object_meta *meta = dray_object_meta(object);
    if (meta->uid.n == 0)
        meta->uid = dray_strf(arena, "uid-%s-" DRAY_FMT "-" DRAY_FMT, object.kind->kind,
                              DRAY_ARG(meta->namespace), DRAY_ARG(meta->name));
    if (object.kind->namespaced && meta->namespace.n == 0)
        meta->namespace = DRAY_STR("default");
}

dray_code dray_debug_objects(const dray_debug_line *line, const dray_gates *gates,
                             dray_object **ret, size_t *ret_n, dray_err *err) {
    const dray_node *list = dray_node_find(line->in, DRAY_STR("objects"));
    dray_request_source source = {.arena = line->arena, .gates = gates, .now = dray_debug_now()};
    size_t n = list != NULL && list->kind == DRAY_NODE_LIST ? list->list.n : 0;
    dray_object *objects = DRAY_NEW_N(line->arena, dray_object, n + 1);
    for (size_t i = 0; i < n; i++) {
        dray_decode_report report = {.arena = line->arena};
        dray_sent sent;
        dray_code code = dray_request_read(&source, &list->list.items[i], &report, &sent, err);
        if (code != DRAY_OK) {
            dray_err_wrap(err, "object %zu", i);
            return code;
        }
        give_uid(sent.object, line->arena);
        objects[i] = sent.object;
    }
    *ret = objects;
    *ret_n = n;
    return DRAY_OK;
}
