/* Values as Go prints them in errors. */
#include "api/engine.h"
#include "api/validate/value.h"
#include "data/json.h"
#include "tap.h"

static void *decode(const dray_type *type, const char *json, dray_arena *arena) {
    dray_node *root;
    void *body = NULL;
    if (dray_json_parse(dray_str_of(json), arena, &root, NULL) == DRAY_OK)
        dray_api_decode_type(root, type, 0, arena, NULL, &body, NULL);
    return body;
}

int main(void) {
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    const dray_type *attribute = &dray_type_resource_device_attribute;
    const dray_type *request = &dray_type_resource_device_request;
    void *number = decode(attribute, "{\"int\":1}", arena);
    CHECK_STR("an internal type has Go's names, in its order, and nothing left out",
              dray_value_internal(arena, attribute, number, 37),
              "{\"IntValue\":1,\"BoolValue\":null,\"StringValue\":null,\"VersionValue\":null,"
              "\"IntValues\":null,\"BoolValues\":null,\"StringValues\":null,"
              "\"VersionValues\":null}");
    CHECK_STR("and what its release has", dray_value_internal(arena, attribute, number, 35),
              "{\"IntValue\":1,\"BoolValue\":null,\"StringValue\":null,\"VersionValue\":null}");
    void *exactly = decode(request, "{\"exactly\":{\"count\":2},\"name\":\"a<b\"}", arena);
    CHECK_STR("a versioned type has JSON's names, in order of declaration, empty ones left out",
              dray_value_declared(arena, request, exactly),
              "{\"name\":\"a\\u003cb\",\"exactly\":{\"deviceClassName\":\"\",\"count\":2}}");
    const dray_type *opaque = &dray_type_resource_opaque_device_configuration;
    void *config = decode(opaque, "{\"driver\":\"d\",\"parameters\":{ \"a b\" : \"<\" }}", arena);
    CHECK_STR("raw JSON loses its space and keeps that of its strings",
              dray_value_declared(arena, opaque, config),
              "{\"driver\":\"d\",\"parameters\":{\"a b\":\"\\u003c\"}}");
    return tap_end();
}
