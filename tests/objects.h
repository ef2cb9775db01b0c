/* Objects from JSON, for tests: object_of("Node", "{\"metadata\":{\"name\":\"n\"}}", arena). */
#ifndef DRAY_TESTS_OBJECTS_H
#define DRAY_TESTS_OBJECTS_H

#include "api/engine.h"
#include "data/json.h"

#include <stdio.h>

/* kind is one of core/v1 or resource.k8s.io/v1. What cannot be read is printed; body is NULL. */
__attribute__((unused)) static dray_object object_of(const char *kind, const char *json,
                                                     dray_arena *arena) {
    dray_err err = DRAY_ERR_INIT;
    const dray_kind *k = dray_kind_find(DRAY_STR("resource.k8s.io/v1"), dray_str_of(kind));
    if (k == NULL)
        k = dray_kind_find(DRAY_STR("v1"), dray_str_of(kind));
    dray_node *root;
    void *body = NULL;
    if (dray_json_parse(dray_str_dup(arena, dray_str_of(json)), arena, &root, &err) != DRAY_OK ||
        dray_api_decode_type(root, k->type, 37, arena, NULL, &body, &err) != DRAY_OK)
        printf("# %s: %s\n# %s\n", kind, dray_err_text(&err), json);
    dray_err_done(&err);
    return (dray_object){k, body};
}

#endif
