/* The shim around simdjson: where the tokens of a JSON text begin. */
extern "C" {
#include "data/json_int.h"
}

#include <simdjson.h>

#include <memory>

using implementation = simdjson::internal::dom_parser_implementation;

extern "C" dray_json_indexing dray_json_index_make(dray_str text, dray_json_index *ret) {
    *ret = dray_json_index{};
    std::unique_ptr<implementation> parser;
    /* The second number is the depth of simdjson's own second stage, which is not used. */
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(
            text.n, 1, parser) != simdjson::SUCCESS)
        return DRAY_JSON_NO_ROOM;
    simdjson::error_code error = parser->stage1(reinterpret_cast<const uint8_t *>(text.p), text.n,
                                                simdjson::stage1_mode::regular);
    /* UTF-8 is judged last, when every token is in place. */
    if (error != simdjson::SUCCESS && error != simdjson::UTF8_ERROR)
        return error == simdjson::EMPTY ? DRAY_JSON_EMPTY : DRAY_JSON_BROKEN;
    ret->utf8 = error == simdjson::SUCCESS;
    ret->at = parser->structural_indexes.get();
    ret->n = parser->n_structural_indexes;
    ret->parser = parser.release();
    return DRAY_JSON_INDEXED;
}

extern "C" void dray_json_index_free(dray_json_index *index) {
    delete static_cast<implementation *>(index->parser);
    index->parser = nullptr;
}
